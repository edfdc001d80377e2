// interp.h -- the reference interpreter: what each operation means.
//
// One element at a time, in program order, in plain C.  Every other device is
// compared with it.  Floats are computed in double and rounded to their format
// at each op, so that +, -, *, / and sqrt of f32 and smaller are correctly
// rounded (double rounding is innocuous there, and fma takes care of it); f64
// uses the host's.  `dot` sums in double and rounds once.  An arithmetic NaN is
// the canonical one; loads, stores, bit casts, negf and absf keep every bit.
//
// An undefined value is poison and spreads: shared memory that was not written,
// the target of a copy and the result of a dot until they are waited for.
// Storing it, branching on it or addressing with it is an error.
#ifndef TILE_IR_INTERP_H
#define TILE_IR_INTERP_H

#include "ir/op.h"

// A kernel argument: an address, an integer (sign-extended), or a float.
typedef struct {
  union {
    void *p;
    int64_t i;
    double f;
  } as;
} InterpArg;

// Memory the kernel may touch; anything else is an error with a location.
typedef struct {
  void *base;
  size_t size;
} InterpMemory;

typedef struct {
  const InterpArg *args; // one per parameter of the function
  const InterpMemory *memory;
  size_t num_memory; // 0: accesses are not checked
  int64_t grid[3];
  uint64_t max_steps; // 0: no limit; else ops executed before giving up
  // Receives the text of device_print; may be NULL.
  void (*print)(void *ctx, const char *text);
  void *print_ctx;
} InterpLaunch;

// Runs the whole grid, programs in order.  False after a diagnostic: an access
// outside of `memory`, a failed device_assert, poison used, too many steps.
bool interp_run(Arena *arena, const Function *f, const InterpLaunch *launch,
                DiagList *diags);

#endif
