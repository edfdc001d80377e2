// limits.h -- types of torch, torch.finfo and torch.iinfo.
#ifndef TILE_FRONTEND_HOST_LIMITS_H
#define TILE_FRONTEND_HOST_LIMITS_H

#include "frontend/core/walk.h"

// Is it `torch.float32`, `numpy.int8` or the like?
bool host_is_type(const Object *x);
// Do both names mean one type, as "torch.half" and "torch.float16" do?
bool host_same_type(const char *a, const char *b);
// The type of torch that a tensor of such items has.
const Object *host_type(Walk *w, DtypeId id);
// `torch.float16.itemsize`; NULL: no such thing is known.
const Object *host_type_attribute(Walk *w, const Object *x, const char *name);
// Is it "torch.finfo", "numpy.iinfo" or the like?
bool host_is_limits(const char *name);
// The result of calling it; NULL after a diagnostic.
const Object *host_limits(Walk *w, const char *name, SrcLoc loc,
                          const Arguments *args);

#endif
