// obtain.h -- obtains code for a device: from the disk, or by compiling.
#ifndef TILE_RUNTIME_OBTAIN_H
#define TILE_RUNTIME_OBTAIN_H

#include "runtime/compile/compile.h"
#include "runtime/context.h"

// Obtains the code that the device loads, and leaves it on the disk.  In any
// case `out` may be given to compilation_free().  `*found`: nothing was
// compiled.
TileStatus obtain_code(const Report *report, TileDevice *device,
                       const CompileRequest *request, const char *kernel,
                       Compilation *out, bool *found);

#endif
