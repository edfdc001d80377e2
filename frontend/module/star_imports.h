// star_imports.h -- names that `from module import *` defines.
#ifndef TILE_FRONTEND_STAR_IMPORTS_H
#define TILE_FRONTEND_STAR_IMPORTS_H

#include "frontend/module/program.h"

// The definition to which the file's star import of this index binds `name`;
// NULL if it does not bind it.  `above` is the last definition before it that
// is no star import's, or NULL; an uncertain star import also hides those of
// star imports between them.  A module that is not found may bind any name, so
// the value of `above` becomes unknown.  `*meant` becomes the meaning of the
// name in a file that was found; else it is unchanged.
Definition *star_definition(Program *program, DiagList *diags, AstFile *file,
                            size_t index, Definition *above, const char *name,
                            Symbol *meant);

#endif
