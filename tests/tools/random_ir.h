// random_ir.h -- random kernels, and memory to run them on.
//
// For each element type except i1, a kernel takes a pointer to RANDOM_SLICE
// inputs and one to RANDOM_SLICE outputs for each program, then an i32 and an
// f32.  It accesses nothing else, programs write no shared data, and it
// terminates.  The same seed gives the same kernel.
#ifndef TILE_TESTS_RANDOM_IR_H
#define TILE_TESTS_RANDOM_IR_H

#include "ir/interp.h"

enum {
  RANDOM_SLICE = 4096,
  RANDOM_GRID = 3,
  RANDOM_ELEMS = ELEM_COUNT - 1, // from i8 on
  RANDOM_POINTERS = 2 * RANDOM_ELEMS,
  RANDOM_ARGS = RANDOM_POINTERS + 2
};

typedef struct {
  uint64_t seed;
  int size;    // approximate number of statements
  int largest; // log2 of the largest number of rows and columns, at most 6
  bool once;   // no atomics, and each output is written once
  bool exact;  // only operations with the same result on every device
} RandomSpec;

Function *random_kernel(Module *m, const RandomSpec *spec);

// Inputs, outputs and the other arguments.  Outputs start as 0.
typedef struct {
  void *buffers[RANDOM_POINTERS]; // inputs, outputs of i8, then of i16, …
  size_t bytes[RANDOM_POINTERS];
  InterpArg args[RANDOM_ARGS];
  InterpMemory memory[RANDOM_POINTERS];
} RandomMemory;

RandomMemory *random_memory(Arena *arena, uint64_t seed);
bool random_run(Arena *arena, const Function *f, RandomMemory *memory,
                DiagList *diags);
// NULL if all outputs agree, where any NaN equals any NaN; else the place of a
// difference.
const char *random_compare(Arena *arena, const RandomMemory *a,
                           const RandomMemory *b);

// -- Shared by the two files -------------------------------------------------

typedef struct {
  uint64_t state;
} Random;

uint64_t random_next(Random *r);
int random_below(Random *r, int limit);
static inline Elem random_elem(int index) {
  return (Elem)(ELEM_i1 + 1 + index);
}

#endif
