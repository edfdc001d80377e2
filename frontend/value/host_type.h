// host_type.h -- types of torch and numpy, by their names.
#ifndef TILE_FRONTEND_HOST_TYPE_H
#define TILE_FRONTEND_HOST_TYPE_H

#include "frontend/value/object.h"

// The type that `torch.float32`, `numpy.int8` or the like is; DTYPE_COUNT: `x`
// is none.
DtypeId host_dtype(const Object *x);
bool host_is_type(const Object *x);
// Do both names mean one type, as "torch.half" and "torch.float16" do?
bool host_same_type(const char *a, const char *b);
// Is it "torch.finfo", "numpy.iinfo" or the like?
bool host_is_limits(const char *name);

#endif
