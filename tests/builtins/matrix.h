// matrix.h -- shared by the two parts of the matrix of functions.
#ifndef TILE_TESTS_BUILTINS_MATRIX_H
#define TILE_TESTS_BUILTINS_MATRIX_H

#include "ir/base/str.h"
#include "tile/tile.h"

enum { NUM_LANES = 16, SCRATCH = 64, MAX_TYPES = 16, NUM_DEVICES = 5 };

typedef enum { ROW_GROUP, ROW_BUILTIN, ROW_MISSING } RowKind;

typedef struct {
  RowKind kind;
  const char *name, *space, *params, *handler;
} Row;

typedef struct {
  TileContext *context;
  TileDevice *cpu, *sim;
} Matrix;

// The answers for one function.
typedef struct {
  int num_types;
  const char *refused[MAX_TYPES]; // ids of messages; NULL: accepted
  unsigned only_gpu;              // of the refused ones, those that GPUs accept
  // a GPU's compiler refused it for this reason, or NULL
  const char *why[MAX_TYPES];
  unsigned passed[NUM_DEVICES]; // sets of types
} Result;

// False where there is no simulator.
bool matrix_open(Matrix *m);
void matrix_close(Matrix *m);

// Kernel `k` over a pointer to fp64: the result for type t from t * NUM_LANES
// on, scratch memory after all of them.
const char *matrix_source(Arena *arena, const char *use, unsigned types_used);

// False after reporting a failure of the test itself.
bool matrix_try(Matrix *m, Arena *arena, const char *use, Result *out);

#endif
