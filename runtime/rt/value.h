// value.h -- an argument beside what a variant was compiled for.
#ifndef TILE_RUNTIME_RT_VALUE_H
#define TILE_RUNTIME_RT_VALUE_H

#include "runtime/pack/pack.h"

enum { NO_MATCH = -1, DESCRIPTOR_ALIGNMENT = 16 };

typedef struct {
  const char *name, *pointer_name;
  int size; // in bytes
} RtDtype;

// The one of "none" if there is no type of that name.
const RtDtype *rt_dtype(TileDtype dtype);

// The format of what is wrong with an argument, whatever the variant, of the
// names of its parameter and of the kernel; NULL: nothing is.
const char *rt_problem(const TileArg *argument);
// The type that a number has for libtile, whatever the variants are.
TileDtype rt_usual_type(const PackParam *param, const TileArg *number);
// Counts what the variant knows of the argument, more for a hint or a constant
// than for a type; NO_MATCH: it does not fit.
// `argument` NULL: it was left out, as the kernel's default where it has one,
// else as the variant has it.
int rt_match(const PackParam *param, const PackSpec *spec,
             const TileArg *argument);
// The default of a parameter that is fixed, a number.
TileArg rt_default_number(const PackParam *param);
// Number `value` of the values of an argument that matches, in the low bytes.
uint64_t rt_encode(const PackSpec *spec, const TileArg *argument, int value);

static inline uint64_t rt_address(const TileTensorDescriptor *d) {
  return (uint64_t)(uintptr_t)d->address + d->offset;
}

// A text that is cut where its room ends.
typedef struct {
  char *out;
  size_t size, used;
} RtText;

__attribute__((format(printf, 2, 3))) void rt_add(RtText *text,
                                                  const char *format, ...);
// "*fp32:16", "i32", "(i32, 64)": what a variant wants.
void rt_show_spec(RtText *text, const PackSpec *spec);
// "*fp32:16", "3 as i32", "64 by default": what an argument is; one that was
// left out is NULL.
void rt_show_argument(RtText *text, const PackParam *param,
                      const TileArg *argument);

#endif
