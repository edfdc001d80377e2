// host_type.h -- types of torch and numpy, by their names.
#ifndef TILE_FRONTEND_HOST_TYPE_H
#define TILE_FRONTEND_HOST_TYPE_H

#include "frontend/value/object.h"

// The type for `torch.float32`, `numpy.int8` or the like; DTYPE_COUNT for other
// objects.
DtypeId host_dtype(const Object *x);
bool host_is_type(const Object *x);
// Do both names refer to one type, like "torch.half" and "torch.float16"?
bool host_same_type(const char *a, const char *b);
// Is the name "torch.finfo", "numpy.iinfo" or the like?
bool host_is_limits(const char *name);

#endif
