// run.h -- the door of this room: values of names after modules have run.
#ifndef TILE_FRONTEND_RUN_H
#define TILE_FRONTEND_RUN_H

#include "frontend/module/program.h"
#include "frontend/value/value.h"

// The value of the file's name at any launch of a kernel: after the main module
// has run, and in spite of later calls of its functions and of the file's.
// With `member`: if the name is a module, the value of that member.  NULL,
// without a message: the value is unknown, or of no kind that kernels use.  The
// first call runs the main module.
const Object *module_value(Program *program, const AstFile *file,
                           const char *name, const char *member);

// Is the name bound by lines alone, never by text except in the forms that the
// scan follows?  For a file without words for such binding, this needs no run.
bool module_is_told(Program *program, const AstFile *file, const char *name);

#endif
