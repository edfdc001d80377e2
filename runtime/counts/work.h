// work.h -- the work of a launch on the CPU, for $TILE_CPU_STATS: bytes,
// operations and time, by loop, by line of the source and by thread.
//
// The variable has the form, "text" or "json", a colon and a file; "-" is
// standard output.
#ifndef TILE_RUNTIME_WORK_H
#define TILE_RUNTIME_WORK_H

#include "ir/base/base.h"

#include <pthread.h>
#include <stdint.h>

#define WORK_VARIABLE "TILE_CPU_STATS"

// Counters of the system for each loop and thread.
enum {
#define EVENT(name, ...) EVENT_##name,
#include "runtime/counts/events.def"
#undef EVENT
  WORK_EVENTS
};

typedef struct ThreadWork ThreadWork;

// A launch that is counted.
typedef struct {
  const Allocator *from;
  ThreadWork *threads; // by number; NULL: there was no memory
  int num_threads;
  pthread_mutex_t lock;
  const char *table;     // of its kernel, once a program has ended
  uint64_t *sums;        // of the counters of all programs
  uint64_t num_programs; // programs that have ended
  uint64_t first_tick;
  double first_second;
  bool lost; // there was no memory for sums
} LaunchWork;

// Is the request a form, a colon and a file that can be written?
bool work_can_write(const char *request);

void work_begin(LaunchWork *work, const Allocator *from, int num_threads);
// Adds the events since the last reading on this thread, the number of which is
// given; NULL: a program begins.
void work_read(LaunchWork *work, int thread, uint64_t *events);
// Adds the counters of a program; see HostHooks.  Any thread may call it.
void work_add(LaunchWork *work, int thread, const char *table,
              const uint64_t *counters);
// Writes the counts and ends the work; `request` NULL: writes nothing.
void work_end(LaunchWork *work, const char *request, const uint32_t *grid);

#endif
