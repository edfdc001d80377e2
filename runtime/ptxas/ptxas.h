// ptxas.h -- NVIDIA's assembler, if it is installed.
#ifndef TILE_RUNTIME_PTXAS_H
#define TILE_RUNTIME_PTXAS_H

#include "ir/base/base.h"

#include <stdbool.h>
#include <sys/types.h>

// The path of ptxas: $TILE_PTXAS, or from $PATH, $CUDA_HOME, $CUDA_PATH or
// /usr/local/cuda; NULL: not found.
const char *ptxas_find(Arena *arena);
// The file that $TILE_PTXAS names; NULL: none.
const char *ptxas_named(void);

typedef struct {
  const char *ptx;
  size_t size;
  const char *arch; // "sm_80"
  bool line_info;   // keep .loc
  // A folder for its files, which stay there; NULL: one below $TMPDIR, removed
  // at the end.
  const char *folder;
  void (*started)(pid_t child); // may be NULL
  bool (*cancelled)(void *ctx); // true: ptxas is killed; may be NULL
  void *cancelled_ctx;
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
  PTXAS_REFUSED,   // an error in the code: see `log`
  PTXAS_FAILED,    // ptxas could not be run, or did not end: see `log`
  PTXAS_CANCELLED, // `cancelled` was true
} PtxasResult;

// The signals that the program catches, ignores or blocks stay as they are.  If
// it ignores SIGCHLD, or waits for any child, it may take the status of ptxas,
// which then has failed.  A ptxas that takes longer than $TILE_PTXAS_SECONDS,
// by default 600, is killed.
PtxasResult ptxas_run(Arena *arena, const char *ptxas, const PtxasInput *input,
                      PtxasOutput *out);

#endif
