// run.h -- the door of this room: what names stand for when modules have run.
#ifndef TILE_FRONTEND_RUN_H
#define TILE_FRONTEND_RUN_H

#include "frontend/module/program.h"
#include "frontend/value/value.h"

// The value that the name of the file has whenever a kernel may be launched:
// once the main module has been run, and whatever its functions and those of
// the file do later.  With a `member`, that of the module that the name stands
// for.  NULL: it is not known, or none that a kernel computes with; nobody
// hears why.  The first call runs the main module.
const Object *module_value(Program *program, const AstFile *file,
                           const char *name, const char *member);

// Is the name of the file bound by its lines alone, and never by its text, or
// by one that the scan of the lines follows?  In a file without words by which
// that is done, this needs no run.
bool module_is_told(Program *program, const AstFile *file, const char *name);

#endif
