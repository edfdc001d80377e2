// events.h -- counters of Linux for one thread (perf_event_open).
#ifndef TILE_RUNTIME_COUNTS_EVENTS_H
#define TILE_RUNTIME_COUNTS_EVENTS_H

#include "runtime/counts/work.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct {
  const char *name;  // in JSON
  const char *title; // in text
  uint64_t unit;     // 1 in a report
  uint32_t type;
  uint64_t config;
} EventInfo;

extern const EventInfo event_info[WORK_EVENTS];

// The system's calls, so that a test can stand for a kernel.
typedef struct {
  // A descriptor, or -1 with errno.
  int (*open)(struct perf_event_attr *about, int leader);
  int (*start)(int leader);
  ssize_t (*read)(int file, void *to, size_t size);
  int (*close)(int file);
} EventDoor;

extern const EventDoor events_of_linux;

// The counters of a thread.  A counter that the system refuses stays 0.
typedef struct {
  const EventDoor *door;
  int leader;                 // -1: nothing is counted
  int files[WORK_EVENTS];     // -1: not counted
  int refused[WORK_EVENTS];   // errno, of those
  uint64_t last[WORK_EVENTS]; // as they were last read
  uint64_t enabled, running;  // nanoseconds; fewer ran if counters were shared
} ThreadEvents;

// Begins to count for the calling thread.
void events_open(ThreadEvents *events, const EventDoor *door);
// On the same thread: adds the events since the last reading.
void events_read(ThreadEvents *events, uint64_t *sums);
// Any thread may end the counting.
void events_close(ThreadEvents *events);

// Why the system refuses a counter: the text for an errno.
const char *events_why(int error);

#endif
