// threads.h -- the number of threads that run programs, and starting a thread.
//
// The simulator includes this header, too, so it includes no other part of the
// library.
#ifndef TILE_RUNTIME_THREADS_H
#define TILE_RUNTIME_THREADS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum {
  MAX_RUN_THREADS = 1024,
  // Sizes of stacks in bytes; only pages that are used take memory.
  ROOM_TO_COMPILE = 16 << 20,
  ROOM_FOR_VALUES = 6 << 20, // heuristics: MAX_WALK_DEPTH nodes of a tree
};

// The number of processors that the process may use: the smaller of those in
// its affinity mask and the quota of a control group that it is in, rounded up.
// The files about groups are read below `root`: "" for those of this machine.
int threads_processors(const char *root);

// $TILE_NUM_THREADS, at most MAX_RUN_THREADS; 0: not set, or no such number.
int threads_asked(void);

// threads_asked(), else threads_processors() of this machine.
int threads_wanted(void);

// Starts a thread that gets no signals but its own faults.  `stack` 0 means the
// usual size.  False if the system refuses.
bool threads_start(pthread_t *thread, size_t stack, void *(*body)(void *),
                   void *data);

// Calls body(data), which may recurse deeply: on the caller's stack if it has
// `room` bytes left, else on a thread with a stack of ROOM_TO_COMPILE, for
// which the caller waits.  If the system refuses a thread, body() runs on the
// caller's stack.  If the caller's thread has a stack for signals, the new one
// has one too: a handler on it gets stack overflows of the new one.
void threads_call(size_t room, void (*body)(void *data), void *data);

#endif
