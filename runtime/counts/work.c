// work.c -- sums of the counters of a launch's programs.
#include "runtime/counts/work.h"
#include "runtime/counts/report.h"

#include "runtime/base/base.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The clock that kernels read: that of the processor.
static uint64_t read_ticks(void) {
#ifdef __x86_64__
  return __builtin_ia32_rdtsc();
#else
  return 0;
#endif
}

static bool has_form(const char *request) {
  return !strncmp(request, "text:", 5) || !strncmp(request, "json:", 5);
}

bool work_can_write(const char *request) {
  if (!has_form(request) || !request[5]) return false;
  const char *path = request + 5;
  if (!strcmp(path, "-")) return true;
  FILE *file = fopen(path, "a");
  if (file) fclose(file);
  return file != NULL;
}

void work_begin(LaunchWork *work, const Allocator *from) {
  *work = (LaunchWork){.from = from};
  pthread_mutex_init(&work->lock, NULL);
  work->first_second = clock_seconds();
  work->first_tick = read_ticks();
}

static size_t num_counters(const char *table) {
  return strtoul(table, NULL, 10);
}

static bool make_sums(LaunchWork *work, const char *table) {
  const size_t size = num_counters(table) * sizeof *work->sums;
  work->table = table;
  work->sums = work->from->alloc(work->from->ctx, size);
  if (work->sums) memset(work->sums, 0, size);
  return work->sums != NULL;
}

void work_add(LaunchWork *work, const char *table, const uint64_t *counters) {
  pthread_mutex_lock(&work->lock);
  if (!work->sums && !work->lost) work->lost = !make_sums(work, table);
  assert((work->lost || work->table == table) && "of another kernel"); // I1
  const size_t count = work->sums ? num_counters(table) : 0;
  for (size_t i = 0; i < count; i++) work->sums[i] += counters[i];
  work->num_programs++;
  pthread_mutex_unlock(&work->lock);
}

typedef struct {
  const LaunchWork *work;
  const char *request;
  Arena arena;
  WorkReport report;
} WorkWriting;

static void write_body(void *data) {
  WorkWriting *w = data;
  report_write(&w->arena, &w->report, w->work->table, w->work->sums,
               w->request);
}

static void write_counts(const LaunchWork *work, const char *request,
                         WorkReport *report) {
  WorkWriting w = {.work = work, .request = request, .report = *report};
  arena_init(&w.arena, work->from);
  arena_protect(&w.arena, write_body, &w); // without memory, nothing is written
  arena_free(&w.arena);
}

void work_end(LaunchWork *work, const char *request, const uint32_t *grid,
              int num_threads) {
  const uint64_t ticks = read_ticks() - work->first_tick;
  WorkReport report = {.grid = grid,
                       .num_threads = num_threads,
                       .num_programs = work->num_programs,
                       .seconds = clock_seconds() - work->first_second};
  report.second_of_tick = ticks ? report.seconds / (double)ticks : 0;
  if (request && work->sums) write_counts(work, request, &report);
  if (work->sums) work->from->free(work->from->ctx, work->sums);
  pthread_mutex_destroy(&work->lock);
}
