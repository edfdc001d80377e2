// limits.h -- types of torch, and what torch.finfo and torch.iinfo say.
#ifndef TILE_FRONTEND_PYTHON_LIMITS_H
#define TILE_FRONTEND_PYTHON_LIMITS_H

#include "frontend/core/walk.h"

// The type of torch that a tensor of such items has.
const Object *host_type(Walk *w, DtypeId id);
// `torch.float16.itemsize`; NULL: no such thing is known.
const Object *host_type_attribute(Walk *w, const Object *x, const char *name);
// The result of calling it; NULL after a diagnostic.
const Object *host_limits(Walk *w, const char *name, SrcLoc loc,
                          const Arguments *args);

#endif
