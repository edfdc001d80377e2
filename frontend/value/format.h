// format.h -- Python's format specifications, and its templates:
// "{}".format(x) and "%d" % x.
#ifndef TILE_FRONTEND_FORMAT_H
#define TILE_FRONTEND_FORMAT_H

#include "frontend/value/argument.h"
#include "frontend/value/constant.h"

// Appends the result of format(x, spec); false: `spec` is not valid for `x`.
bool format_object(const Object *x, const char *spec, Str *out);

// `template.format(...)`, whose keywords may have any name.
const Object *string_format(const ConstantContext *c, const Object *template,
                            const Arguments *args);
// `template % values`: one value, or a tuple of them.
const Object *string_percent(const ConstantContext *c, const Object *template,
                             const Object *values);

#endif
