// arithmetic.h -- sums in the values of options: `4*1024`, `64**-0.5`.
//
// Python's operators + - * / // % ** and brackets.  Integers have 64 bits and
// stay exact; `/` and what has a point are doubles.
#ifndef TILE_TOOLS_ARITHMETIC_H
#define TILE_TOOLS_ARITHMETIC_H

#include "ir/base/base.h"

#include <stdint.h>

// The integer at `text`, of decimal numbers, and where it ends; false: there is
// none, or it does not fit.
bool arithmetic_integer(const char *text, const char **end, int64_t *out);

// The result as text, where `text` is a sum of two numbers or more, else `text`
// itself.  NULL with the reason in `why` where there is no result.
const char *arithmetic_text(Arena *arena, const char *text, const char **why);

#endif
