// work.h -- the work of a launch on the CPU, for $TILE_CPU_STATS: bytes,
// operations and time, by loop and by line of the source.
//
// The variable has the form, "text" or "json", a colon and a file; "-" is
// standard output.
#ifndef TILE_RUNTIME_WORK_H
#define TILE_RUNTIME_WORK_H

#include "ir/base/base.h"

#include <pthread.h>
#include <stdint.h>

#define WORK_VARIABLE "TILE_CPU_STATS"

// A launch that is counted.
typedef struct {
  const Allocator *from;
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

void work_begin(LaunchWork *work, const Allocator *from);
// Adds the counters of a program; see HostHooks.  Any thread may call it.
void work_add(LaunchWork *work, const char *table, const uint64_t *counters);
// Writes the counts and ends the work; `request` NULL: writes nothing.
void work_end(LaunchWork *work, const char *request, const uint32_t *grid,
              int num_threads);

#endif
