// star_imports.h -- names that `from module import *` defines.
#ifndef TILE_FRONTEND_STAR_IMPORTS_H
#define TILE_FRONTEND_STAR_IMPORTS_H

#include "frontend/module/program.h"

// The definition to which star import number `index` of the file binds `name`;
// NULL if that import does not bind it.  `above` is the last definition of the
// name in front of the import that another statement makes, or NULL.  If the
// import is uncertain, the result also hides the definitions by star imports
// between `above` and this one.  If the module is not found, it may bind any
// name, so the value of `above` becomes unknown.  `*meant` becomes the meaning
// of the name in the module's file; without such a file it is unchanged.
Definition *star_definition(Program *program, DiagList *diags, AstFile *file,
                            size_t index, Definition *above, const char *name,
                            Symbol *meant);

#endif
