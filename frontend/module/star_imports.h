// star_imports.h -- what `from module import *` defines.
#ifndef TILE_FRONTEND_STAR_IMPORTS_H
#define TILE_FRONTEND_STAR_IMPORTS_H

#include "frontend/module/program.h"

// What the import makes of `name`, which is `above` before it (or NULL); NULL:
// it leaves that as it is.  A module that is not found may bind any name: then
// a value from before is one that only the host knows.  `*meant` becomes what
// a file that was found says the name means; else it stays as it was.
Definition *star_definition(Program *program, DiagList *diags, AstFile *file,
                            StarImport *star, Definition *above,
                            const char *name, Symbol *meant);

// Is there no such module, or not all that it says to bring?
bool star_fails(Program *program, AstFile *file, const Import *import);

#endif
