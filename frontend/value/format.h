// format.h -- Python's format specifications.
#ifndef TILE_FRONTEND_FORMAT_H
#define TILE_FRONTEND_FORMAT_H

#include "frontend/value/constant.h"

// Adds `x` as format(x, spec) shows it; false: a spec that does not fit it.
bool format_object(const Object *x, const char *spec, Str *out);

#endif
