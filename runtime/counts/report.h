// report.h -- counts of a launch as text or JSON.
#ifndef TILE_RUNTIME_WORK_REPORT_H
#define TILE_RUNTIME_WORK_REPORT_H

#include "runtime/counts/work.h"

#include <stdint.h>

typedef struct {
  const uint32_t *grid;
  const ThreadWork *threads; // NULL: there was no memory
  int num_threads;
  uint64_t num_programs;
  double seconds;        // from the launch's begin to its end
  double second_of_tick; // 0: this machine's clock cannot be read
} WorkReport;

// Appends to the file of a request; `sums` are those of the table's counters.
void report_write(Arena *arena, const WorkReport *report, const char *table,
                  const uint64_t *sums, const char *request);

#endif
