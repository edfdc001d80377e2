// child.h -- a child process that runs ptxas.
#ifndef TILE_RUNTIME_PTXAS_CHILD_H
#define TILE_RUNTIME_PTXAS_CHILD_H

#include "runtime/ptxas/ptxas.h"

typedef enum {
  CHILD_ENDED,     // `status` is as from waitpid()
  CHILD_UNKNOWN,   // another thread has taken its status
  CHILD_LATE,      // it took too long and was killed
  CHILD_CANCELLED, // it was killed on the caller's request
  CHILD_NOT_RUN,   // errno says why
} ChildEnd;

// Runs a program in a folder with no input; its output, on both streams, is
// added to `log`, the first MB of it.  The child is gone when this returns,
// also if the arena's call fails.
ChildEnd child_run(Arena *arena, const char *const *arguments,
                   const char *folder, const PtxasInput *input, double seconds,
                   Str *log, int *status);

#endif
