// base.h -- the header of this room for other rooms: diagnostics, callers'
// structs, files, JSON, processes and time.  The simulator includes threads.h,
// too.
#ifndef TILE_RUNTIME_BASE_H
#define TILE_RUNTIME_BASE_H

#include "runtime/base/clock.h"
#include "runtime/base/diagnostics.h"
#include "runtime/base/epoch.h"
#include "runtime/base/file.h"
#include "runtime/base/json.h"
#include "runtime/base/process.h"
#include "runtime/base/replace.h"
#include "runtime/base/sized.h"
#include "runtime/base/soft_math.h"

#endif
