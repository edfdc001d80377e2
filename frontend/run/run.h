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

// Has the run of the modules executed the statement that begins at `token`? The
// first call runs the main module.  The answer is unknown if -D gives values,
// since that run does not have them.
Reached module_reach(Program *program, const AstFile *file, uint32_t token);

// The argument of the call of perf_report() there; NULL: unknown, or a run of
// the modules does not reach the call.
const Object *module_report(Program *program, const AstFile *file, SrcLoc call);

// Does the name have only values that lines of the file give it?  No, if code
// of another file or a function binds it, or if text may bind it, except in the
// forms that the scan follows; as a TOLD_THING not either if any statement
// below its own, or a function, changes the list, dictionary or set that it
// stands for, or one that this holds.
bool module_is_told(Program *program, const AstFile *file, const char *name,
                    ToldAs as);

#endif
