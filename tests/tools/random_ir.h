// random_ir.h -- random kernels, and memory to run them on.
//
// A kernel takes, for each element type but i1, a pointer to RANDOM_SLICE
// inputs and one to RANDOM_SLICE outputs a program, then an i32 and an f32.  It
// touches nothing else, programs share nothing they write, and it ends.  The
// same seed gives the same kernel.
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
  int size;    // statements, about
  int largest; // log2 of the most rows and columns, 6 at most
  bool once;   // no atomics, and one write an output
  bool exact;  // nothing that another device may round or order differently
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
// NULL if all outputs agree, NaNs with NaNs; else where they do not.
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
