// sums.h -- the counts of a launch, summed up for the writers of text and JSON.
#ifndef TILE_RUNTIME_COUNTS_SUMS_H
#define TILE_RUNTIME_COUNTS_SUMS_H

#include "runtime/counts/report.h"
#include "runtime/counts/thread_work.h"

typedef struct {
  int loop; // the row of the loop around it; -1: none
  int line;
  const char *class, *file;
  uint64_t times;        // how often it ran, or its elements; of a loop, trips
  uint64_t bytes, flops; // all
  double seconds;
  const uint64_t *events; // of a loop, without those in it; else NULL
} WorkRow;

// A sum of rows, under a name or at a place.
typedef struct {
  const char *name;
  const WorkRow *at;
  uint64_t bytes, flops;
  double seconds;
  double memory_seconds, dot_seconds; // of accesses, and of products
  uint64_t events[WORK_EVENTS];
} WorkSum;

typedef struct {
  Arena *arena;
  const WorkReport *about;
  const char *kernel;
  Vec(WorkRow) rows;
  Vec(WorkSum) classes, loops, lines;
  WorkSum all;
  double nobody;             // seconds
  bool counted[WORK_EVENTS]; // by one thread or more
  Str out;
} ReportWriter;

void report_write_text(ReportWriter *w);
void report_write_json(ReportWriter *w);

// Why a counter of the system is not there: the text of the first thread that
// was refused; NULL: no thread was.
const char *report_refusal(const ReportWriter *w, int event);

// The part of the time in which the system's counters have run, over all
// threads: 1, or less if other processes have used them, too.
double report_running_part(const ReportWriter *w);

#endif
