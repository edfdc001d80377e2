// format.h -- Python's format specifications, and its templates:
// "{}".format(x) and "%d" % x.
#ifndef TILE_FRONTEND_FORMAT_H
#define TILE_FRONTEND_FORMAT_H

#include "frontend/value/argument.h"
#include "frontend/value/constant.h"

// Adds `x` as format(x, spec) shows it; false: a spec that does not fit it.
bool format_object(const Object *x, const char *spec, Str *out);

// `template.format(...)`, whose keywords may have any name.
const Object *string_format(const ConstantContext *c, const Object *template,
                            const Arguments *args);
// `template % values`: one value, or a tuple of them.
const Object *string_percent(const ConstantContext *c, const Object *template,
                             const Object *values);

#endif
