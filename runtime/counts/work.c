// work.c -- sums of the counters of a launch's programs.
#include "runtime/counts/work.h"
#include "runtime/counts/report.h"
#include "runtime/counts/thread_work.h"

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

void work_begin(LaunchWork *work, const Allocator *from, int num_threads) {
  const size_t size = (size_t)num_threads * sizeof *work->threads;
  *work = (LaunchWork){.from = from, .num_threads = num_threads};
  work->threads = from->alloc(from->ctx, size);
  if (work->threads) memset(work->threads, 0, size);
  pthread_mutex_init(&work->lock, NULL);
  work->first_second = clock_seconds();
  work->first_tick = read_ticks();
}

// A thread outside of the pool is the thread that launches.
static ThreadWork *work_of(const LaunchWork *work, int thread) {
  if (!work->threads) return NULL;
  return &work->threads[thread < work->num_threads ? thread : 0];
}

static void begin_program(ThreadWork *own) {
  uint64_t before[WORK_EVENTS] = {0};
  if (!own->counts) events_open(&own->events, &events_of_linux);
  own->counts = true;
  events_read(&own->events, before);
  own->begun = read_ticks();
}

void work_read(LaunchWork *work, int thread, uint64_t *events) {
  ThreadWork *own = work_of(work, thread);
  if (!own) return;
  if (!events) {
    begin_program(own);
    return;
  }
  uint64_t since[WORK_EVENTS] = {0};
  events_read(&own->events, since);
  for (int i = 0; i < WORK_EVENTS; i++) {
    events[i] += since[i];
    own->sums[i] += since[i];
  }
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

void work_add(LaunchWork *work, int thread, const char *table,
              const uint64_t *counters) {
  ThreadWork *own = work_of(work, thread);
  if (own) {
    own->ticks += read_ticks() - own->begun;
    own->num_programs++;
  }
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

static void close_threads(LaunchWork *work) {
  for (int i = 0; work->threads && i < work->num_threads; i++) {
    if (work->threads[i].counts) events_close(&work->threads[i].events);
  }
  if (work->threads) work->from->free(work->from->ctx, work->threads);
}

void work_end(LaunchWork *work, const char *request, const uint32_t *grid) {
  const uint64_t ticks = read_ticks() - work->first_tick;
  WorkReport report = {.grid = grid,
                       .threads = work->threads,
                       .num_threads = work->num_threads,
                       .num_programs = work->num_programs,
                       .seconds = clock_seconds() - work->first_second};
  report.second_of_tick = ticks ? report.seconds / (double)ticks : 0;
  if (request && work->sums) write_counts(work, request, &report);
  if (work->sums) work->from->free(work->from->ctx, work->sums);
  close_threads(work);
  pthread_mutex_destroy(&work->lock);
}
