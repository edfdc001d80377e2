// obtain.h -- code for a device: what is kept on disk, or a compilation.
#ifndef TILE_RUNTIME_OBTAIN_H
#define TILE_RUNTIME_OBTAIN_H

#include "runtime/compile/compile.h"
#include "runtime/context.h"

// The code that the device loads, which is left on disk then.  In any case
// `out` may be given to compilation_free().  `*found`: nothing was compiled.
TileStatus obtain_code(const Report *report, TileDevice *device,
                       const CompileRequest *request, const char *kernel,
                       Compilation *out, bool *found);

#endif
