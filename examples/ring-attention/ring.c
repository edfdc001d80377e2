// ring.c -- the steps of one process.
#define _POSIX_C_SOURCE 200809L
#include "ring.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
  const Engine *engine;
  const Problem *problem;
  Transport *transport;
  FILE *log;
  TileBuffer *q, *acc, *m, *l, *out;
  TileBuffer *parts[2]; // keys and values: of this step, of the next one
  int owners[2];        // the ranks that they belong to
} Ring;

static int num_rows(const Problem *p, int rank) {
  return p->first[rank + 1] - p->first[rank];
}

static size_t row_bytes(const Problem *p) {
  return sizeof(float) * HEAD_DIM * (size_t)p->heads;
}

static size_t part_bytes(const Problem *p, int rank) {
  return 2 * row_bytes(p) * (size_t)num_rows(p, rank);
}

// -- The log -----------------------------------------------------------------

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

__attribute__((format(printf, 3, 4))) static void
tell(const Ring *ring, int step, const char *format, ...) {
  if (!ring->log) return;
  va_list args;
  va_start(args, format);
  fprintf(ring->log, "%.3f ms: rank %d step %d: ", now(), ring->transport->rank,
          step);
  vfprintf(ring->log, format, args);
  fputc('\n', ring->log);
  fflush(ring->log);
  va_end(args);
}

// -- Buffers -----------------------------------------------------------------

static TileBuffer *make(const Ring *ring, size_t size, const void *from) {
  TileBuffer *buffer;
  must(tile_buffer_create(ring->engine->device, size + !size, &buffer),
       "memory", NULL);
  if (from) must(tile_buffer_write(buffer, 0, from, size), "a copy", NULL);
  return buffer;
}

static void make_all(Ring *ring, const float *q, const float *k,
                     const float *v) {
  const Problem *p = ring->problem;
  const int rank = ring->transport->rank, rows = num_rows(p, rank);
  const size_t size = row_bytes(p) * (size_t)rows, line = size / HEAD_DIM;
  size_t largest = 0;
  for (int r = 0; r < p->num_ranks; r++)
    if (part_bytes(p, r) > largest) largest = part_bytes(p, r);
  ring->q = make(ring, size, q);
  ring->acc = make(ring, size, NULL);
  ring->out = make(ring, size, NULL);
  ring->m = make(ring, line, NULL);
  ring->l = make(ring, line, NULL);
  for (int i = 0; i < 2; i++) ring->parts[i] = make(ring, largest, NULL);
  must(tile_buffer_write(ring->parts[0], 0, k, size), "a copy", NULL);
  must(tile_buffer_write(ring->parts[0], size, v, size), "a copy", NULL);
  ring->owners[0] = rank;
}

static void destroy_all(Ring *ring) {
  TileBuffer *all[] = {ring->q, ring->acc,      ring->out,     ring->m,
                       ring->l, ring->parts[0], ring->parts[1]};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    tile_buffer_destroy(all[i]);
}

// -- A step ------------------------------------------------------------------

// Sends the part of this step and receives that of the next, beside the kernel.
static size_t start_exchange(Ring *ring, int step) {
  const Problem *p = ring->problem;
  Transport *t = ring->transport;
  const int next = (t->rank + 1) % t->size;
  const int before = (t->rank + t->size - 1) % t->size;
  const int comes = (ring->owners[0] + t->size - 1) % t->size;
  const size_t sent = part_bytes(p, ring->owners[0]);
  ring->owners[1] = comes;
  tell(ring, step, "start: %zu bytes to %d, %zu bytes from %d", sent, next,
       part_bytes(p, comes), before);
  t->start(t, tile_buffer_address(ring->parts[0]), sent,
           tile_buffer_address(ring->parts[1]), part_bytes(p, comes));
  return sent;
}

static void launch(const Ring *ring, int step) {
  const Problem *p = ring->problem;
  const int rank = ring->transport->rank, owner = ring->owners[0];
  const int rows = num_rows(p, rank), keys = num_rows(p, owner);
  const char *k = tile_buffer_address(ring->parts[0]);
  if (!rows) return;
  const TileArg args[] = {
      tile_buffer_arg(ring->q, TILE_FP32),
      tile_pointer_arg(k, TILE_FP32),
      tile_pointer_arg(k + part_bytes(p, owner) / 2, TILE_FP32),
      tile_buffer_arg(ring->acc, TILE_FP32),
      tile_buffer_arg(ring->m, TILE_FP32),
      tile_buffer_arg(ring->l, TILE_FP32),
      tile_buffer_arg(ring->out, TILE_FP32),
      tile_float_arg(1 / sqrt(HEAD_DIM)),
      tile_int_arg(rows),
      tile_int_arg(keys),
      tile_int_arg(p->first[rank]),
      tile_int_arg(p->first[owner]),
      tile_int_arg(HEAD_DIM),
      tile_int_arg(BLOCK),
      tile_int_arg(BLOCK),
      tile_bool_arg(p->causal),
      tile_bool_arg(step == 0),
      tile_bool_arg(step == p->num_ranks - 1),
  };
  const TileLaunch launch = {
      .kernel = ring->engine->kernel,
      .grid = {(uint32_t)((rows + BLOCK - 1) / BLOCK), (uint32_t)p->heads},
      .args = args,
      .num_args = sizeof args / sizeof *args,
  };
  TileDiagnostics *why = NULL;
  tell(ring, step, "launch: %d rows, %d keys of rank %d", rows, keys, owner);
  must(tile_launch(ring->engine->device, &launch, &why), "a launch", why);
}

static void finish(Ring *ring, int step, bool exchanges) {
  TileDiagnostics *why = NULL;
  must(tile_device_sync(ring->engine->device, &why), "the kernel", why);
  tell(ring, step, "done");
  if (!exchanges) return;
  ring->transport->wait(ring->transport);
  tell(ring, step, "arrived");
  TileBuffer *part = ring->parts[0];
  ring->parts[0] = ring->parts[1];
  ring->parts[1] = part;
  ring->owners[0] = ring->owners[1];
}

size_t ring_attention(const Engine *engine, const Problem *problem,
                      Transport *transport, const float *q, const float *k,
                      const float *v, float *out) {
  Ring ring = {.engine = engine, .problem = problem, .transport = transport};
  const int rows = num_rows(problem, transport->rank);
  size_t sent = 0;
  if (engine->log) ring.log = fopen(engine->log, "w");
  make_all(&ring, q, k, v);
  for (int step = 0; step < problem->num_ranks; step++) {
    const bool exchanges = step + 1 < problem->num_ranks;
    if (exchanges) sent += start_exchange(&ring, step);
    if (step == engine->dies_at) raise(SIGKILL);
    launch(&ring, step);
    finish(&ring, step, exchanges);
  }
  must(tile_buffer_read(ring.out, 0, out, row_bytes(problem) * (size_t)rows),
       "a copy", NULL);
  destroy_all(&ring);
  if (ring.log) fclose(ring.log);
  return sent;
}
