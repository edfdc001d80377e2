// value.h -- matches an argument with the specification of a variant.
#ifndef TILE_RUNTIME_RT_VALUE_H
#define TILE_RUNTIME_RT_VALUE_H

#include "runtime/pack/pack.h"

enum { NO_MATCH = -1, DESCRIPTOR_ALIGNMENT = 16 };

typedef struct {
  const char *name, *pointer_name;
  int size; // in bytes
} RtDtype;

// The entry of "none" if there is no such type.
const RtDtype *rt_dtype(TileDtype dtype);

// The format of the error in an argument for any variant, with the names of its
// parameter and of the kernel; NULL: no error.
const char *rt_problem(const TileArg *argument);
// The type that a number has in libtile, independent of the variants.
TileDtype rt_usual_type(const PackParam *param, const TileArg *number);
// Counts the facts that the variant knows of the argument, more for a hint or a
// constant than for a type; NO_MATCH: it does not fit.  `argument` NULL: it was
// left out, and has the kernel's default, or the variant's value if there is no
// default.  `is_fixed`: that default is `value`.
int rt_match(const PackParam *param, const PackSpec *spec,
             const TileArg *argument, bool is_fixed);
// The default of a parameter that is fixed, a number.
TileArg rt_default_number(const PackParam *param);
// Value number `value` of a matching argument, in the low bytes.
uint64_t rt_encode(const PackSpec *spec, const TileArg *argument, int value);

static inline uint64_t rt_address(const TileTensorDescriptor *d) {
  return (uint64_t)(uintptr_t)d->address + d->offset;
}

// A text that is truncated at the end of its room.
typedef struct {
  char *out;
  size_t size, used;
} RtText;

__attribute__((format(printf, 2, 3))) void rt_add(RtText *text,
                                                  const char *format, ...);
// "*fp32:16", "i32", "(i32, 64)": the specification of a parameter.
void rt_show_spec(RtText *text, const PackSpec *spec);
// "*fp32:16", "3 as i32", "64 by default": the argument; NULL: it was left out,
// and has the value `own`, or an unknown value if `own` is NULL.
void rt_show_argument(RtText *text, const PackParam *param, const PackSpec *own,
                      const TileArg *argument);

#endif
