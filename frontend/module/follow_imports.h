// follow_imports.h -- the files that importing a file runs.
#ifndef TILE_FRONTEND_FOLLOW_IMPORTS_H
#define TILE_FRONTEND_FOLLOW_IMPORTS_H

#include "frontend/host/guard.h"

// Reads the files that may change what an imported file calls so, of all that
// the files read so far import, and those in turn; true: some were read.
// `is_value`: it is one that can be changed by those to whom it is given.
bool program_follow_imports(Program *program, const char *name, bool is_value);

// Does the import raise something: of a file that does so at its end, or whose
// own imports do, of a module that nobody has?
Truth program_import_fails(Program *program, AstFile *from,
                           const Import *import);

// Do the files need each other, so that one sees the other half done?
bool program_in_cycle(Program *program, const AstFile *a, const AstFile *b);

#endif
