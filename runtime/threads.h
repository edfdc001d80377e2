// threads.h -- how many threads run programs, and starting one.
//
// The simulator has it, too: it includes nothing else of the library.
#ifndef TILE_RUNTIME_THREADS_H
#define TILE_RUNTIME_THREADS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { MAX_RUN_THREADS = 1024 };

// How many processors the process may use: as many as its affinity mask has,
// or the quota of a control group that it is in, rounded up; the smallest.  The
// files about groups are read below `root`: "" for those of this machine.
int threads_processors(const char *root);

// $TILE_NUM_THREADS, else threads_processors().
int threads_wanted(void);

// Starts a thread that is sent no signals but for its own faults.  A stack of
// 0 bytes is the usual one.  False where the system refuses.
bool threads_start(pthread_t *thread, size_t stack, void *(*body)(void *),
                   void *data);

// Calls body(data), which may go deep, on a thread with a stack of its own, and
// waits for it; where the system refuses one, on the caller's.
void threads_call(void (*body)(void *data), void *data);

#endif
