// ptxas.h -- NVIDIA's assembler, if it is installed.
#ifndef TILE_TOOLS_PTXAS_H
#define TILE_TOOLS_PTXAS_H

#include "ir/base/base.h"

// The path of ptxas: $TILE_PTXAS, or from $PATH, $CUDA_HOME, $CUDA_PATH or
// /usr/local/cuda; NULL: not found.
const char *ptxas_find(Arena *arena);

typedef struct {
  const char *ptx;
  size_t size;
  const char *arch; // "sm_80"
  bool line_info;   // keep .loc
} PtxasInput;

// The result of ptxas for the only kernel.
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
  PTXAS_REFUSED, // an error in the code: see `log`
  PTXAS_FAILED,  // ptxas could not be run: see `log`
} PtxasResult;

// Works in a temporary folder below $TMPDIR.
PtxasResult ptxas_run(Arena *arena, const char *ptxas, const PtxasInput *input,
                      PtxasOutput *out);

#endif
