// ptxas.h -- NVIDIA's assembler, where it is installed.
#ifndef TILE_TOOLS_PTXAS_H
#define TILE_TOOLS_PTXAS_H

#include "ir/base/base.h"

// Its path: $TILE_PTXAS, or from $PATH, $CUDA_HOME, $CUDA_PATH or
// /usr/local/cuda; NULL if it is nowhere.
const char *ptxas_find(Arena *arena);

typedef struct {
  const char *ptx;
  size_t size;
  const char *arch; // "sm_80"
  bool line_info;   // keep what .loc says
} PtxasInput;

// The code that ptxas made of the only kernel.
typedef struct {
  const char *cubin; // `size` bytes in the arena
  size_t size;
  const char *log; // its output
  int registers;   // of a thread
  int spilled;     // bytes of a thread, stores and loads together
  int stack_bytes; // of a thread
  int static_shared_bytes;
} PtxasOutput;

typedef enum {
  PTXAS_FINE,
  PTXAS_REFUSED, // the code is wrong: `log` says why
  PTXAS_FAILED,  // it could not be run: `log` says why
} PtxasResult;

// Works in a folder of its own below $TMPDIR, which goes at the end.
PtxasResult ptxas_run(Arena *arena, const char *ptxas, const PtxasInput *input,
                      PtxasOutput *out);

#endif
