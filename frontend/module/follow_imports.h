// follow_imports.h -- the files that importing a file runs.
#ifndef TILE_FRONTEND_FOLLOW_IMPORTS_H
#define TILE_FRONTEND_FOLLOW_IMPORTS_H

#include "frontend/host/guard.h"

// Notes the environment variables that are set by files that are only imported.
void program_follow_variables(Program *program);

// Does the import raise an exception?  An import does so if the file ends with
// a `raise`, if one of its own imports fails, or if the module does not exist.
Truth program_import_fails(Program *program, AstFile *from,
                           const Import *import);

// Are the files in one cycle of imports, so that one file may see the other
// before the other has run to its end?
bool program_in_cycle(Program *program, AstFile *a, AstFile *b);

#endif
