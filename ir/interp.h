// interp.h -- the reference interpreter, which defines each operation.
//
// The interpreter executes one element at a time, in program order, in plain C;
// every other device is compared with it.  Floats are computed in double and
// rounded to their format at each op, so that +, -, *, / and sqrt of f32 and
// smaller are correctly rounded (double rounding is harmless there, and fma
// avoids it); f64 uses the host's arithmetic. `dot` sums in double and rounds
// once.  An arithmetic NaN is the canonical one; loads, stores, bit casts, negf
// and absf keep every bit.
//
// An undefined value is poison and spreads: shared memory that was not written,
// and the target of a copy or the result of a dot before its wait.  To store
// poison, to branch on it or to use it as an address is an error.
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

// Memory that the kernel may access; any other access is an error with a
// location.
typedef struct {
  void *base;
  size_t size;
} InterpMemory;

typedef struct {
  const InterpArg *args; // one for each parameter of the function
  const InterpMemory *memory;
  size_t num_memory; // 0: accesses are not checked
  int64_t grid[3];
  uint64_t max_steps; // number of executed ops; 0: no limit
  // Receives the text of device_print; may be NULL.
  void (*print)(void *ctx, const char *text);
  void *print_ctx;
} InterpLaunch;

// Runs the whole grid, programs in order.  False after a diagnostic: an access
// outside of `memory`, a failed device_assert, use of poison, too many steps.
bool interp_run(Arena *arena, const Function *f, const InterpLaunch *launch,
                DiagList *diags);

#endif
