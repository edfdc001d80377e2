// follow_imports.h -- the files that importing a file runs.
#ifndef TILE_FRONTEND_FOLLOW_IMPORTS_H
#define TILE_FRONTEND_FOLLOW_IMPORTS_H

#include "frontend/host/guard.h"

// Reads the files that may change the object called `name` of an imported file,
// among all files that the imports lead to; true: some were read.  `is_value`:
// the object may be changed by code that gets it as an argument.
bool program_follow_imports(Program *program, const char *name, bool is_value);

// Is the program so large that its files leave each other's names alone, if
// they are only imported?  The function above then finds nothing.
bool program_is_large(const Program *program);

// Does the import raise an exception?  An import does so if the file ends with
// a `raise`, if one of its own imports fails, or if the module does not exist.
Truth program_import_fails(Program *program, AstFile *from,
                           const Import *import);

// Are the files in one cycle of imports, so that one may see the other before
// it has run to its end?
bool program_in_cycle(Program *program, const AstFile *a, const AstFile *b);

#endif
