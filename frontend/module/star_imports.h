// star_imports.h -- names that `from module import *` defines.
#ifndef TILE_FRONTEND_STAR_IMPORTS_H
#define TILE_FRONTEND_STAR_IMPORTS_H

#include "frontend/module/program.h"

// The definition that the import binds `name` to; `above` is that before it, or
// NULL. NULL: the import does not bind the name.  A module that is not found
// may bind any name, so a value from before becomes unknown.  `*meant` becomes
// the meaning of the name in a file that was found; else it is not changed.
Definition *star_definition(Program *program, DiagList *diags, AstFile *file,
                            StarImport *star, Definition *above,
                            const char *name, Symbol *meant);

// Is there no such module, or not all that it says to bring?
bool star_fails(Program *program, AstFile *file, const Import *import);

#endif
