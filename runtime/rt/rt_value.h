// rt_value.h -- an argument beside what a variant was compiled for.
#ifndef TILE_RUNTIME_RT_VALUE_H
#define TILE_RUNTIME_RT_VALUE_H

#include "runtime/pack/pack.h"

enum { NO_MATCH = -1 };

// How much of the argument the variant knows; NO_MATCH: it does not fit.
// `argument` NULL: it was left out, as the kernel's default where it has one,
// else as the variant has it.
int rt_match(const PackParam *param, const PackSpec *spec,
             const TileArg *argument);
// The value of a machine parameter, in the low bytes.
uint64_t rt_encode(const PackSpec *spec, const TileArg *argument);
// "*fp32:16", "i32", "64": what a variant wants, or an argument is.
void rt_show_spec(const PackSpec *spec, char *out, size_t size);
void rt_show_argument(const TileArg *argument, char *out, size_t size);

#endif
