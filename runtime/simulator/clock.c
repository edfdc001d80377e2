// clock.c -- what a warp knows of the warps of other CTAs.
//
// A row is a CTA's number and the times of its warps; rows are in the order of
// the numbers, and all of one launch are as wide.
#include "runtime/simulator/clock.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 1024 };

struct Clock {
  uint32_t references, num_rows, width;
  uint32_t rows[];
};

static Clock *everything(void) {
  static const Clock all = {.num_rows = UINT32_MAX};
  return (Clock *)(uintptr_t)&all;
}

Clock *clock_keep(Clock *clock) {
  if (clock && clock != everything())
    __atomic_add_fetch(&clock->references, 1, __ATOMIC_RELAXED);
  return clock;
}

void clock_drop(Clock *clock) {
  if (!clock || clock == everything()) return;
  if (!__atomic_sub_fetch(&clock->references, 1, __ATOMIC_ACQ_REL)) free(clock);
}

static Clock *create(uint32_t num_rows, uint32_t width) {
  if (num_rows > MOST_ROWS) return everything();
  const size_t words = (size_t)num_rows * width;
  Clock *clock = malloc(sizeof *clock + words * sizeof(uint32_t));
  if (!clock) return everything();
  *clock = (Clock){.references = 1, .num_rows = num_rows, .width = width};
  return clock;
}

static const uint32_t *row_at(const Clock *clock, uint32_t i) {
  return clock->rows + (size_t)i * clock->width;
}

static const uint32_t *find_row(const Clock *clock, uint32_t cta) {
  uint32_t low = 0, high = clock->num_rows;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    const uint32_t *row = row_at(clock, middle);
    if (*row == cta) return row;
    if (*row < cta)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

uint32_t clock_time(const Clock *clock, uint32_t cta, uint32_t warp) {
  if (!clock) return 0;
  if (clock == everything()) return UINT32_MAX;
  const uint32_t *row = find_row(clock, cta);
  return row ? row[1 + warp] : 0;
}

// -- Joining -----------------------------------------------------------------

// Where the rows of two clocks are; a row both have is taken from both.
typedef struct {
  const Clock *a, *b;
  uint32_t i, j;
} Merge;

// The next rows, of one CTA; NULL for a clock without it.
static bool next_rows(Merge *m, const uint32_t **x, const uint32_t **y) {
  *x = m->i < m->a->num_rows ? row_at(m->a, m->i) : NULL;
  *y = m->j < m->b->num_rows ? row_at(m->b, m->j) : NULL;
  if (!*x && !*y) return false;
  if (*x && *y && **x < **y) *y = NULL;
  if (*x && *y && **y < **x) *x = NULL;
  m->i += *x != NULL;
  m->j += *y != NULL;
  return true;
}

static bool covers(const Clock *a, const Clock *b) {
  Merge m = {a, b, 0, 0};
  const uint32_t *x, *y;
  while (next_rows(&m, &x, &y)) {
    if (y && !x) return false;
    for (uint32_t i = 1; y && i < a->width; i++)
      if (y[i] > x[i]) return false;
  }
  return true;
}

static uint32_t count_rows(const Clock *a, const Clock *b) {
  Merge m = {a, b, 0, 0};
  const uint32_t *x, *y;
  uint32_t count = 0;
  while (next_rows(&m, &x, &y)) count++;
  return count;
}

static Clock *merge(const Clock *a, const Clock *b) {
  Clock *result = create(count_rows(a, b), a->width);
  if (result == everything()) return result;
  Merge m = {a, b, 0, 0};
  const uint32_t *x, *y;
  for (uint32_t *out = result->rows; next_rows(&m, &x, &y); out += a->width) {
    memcpy(out, x ? x : y, a->width * sizeof *out);
    for (uint32_t i = 1; x && y && i < a->width; i++)
      if (y[i] > out[i]) out[i] = y[i];
  }
  return result;
}

Clock *clock_join(Clock *a, Clock *b) {
  if (!b || a == b || a == everything()) return clock_keep(a);
  if (!a || b == everything()) return clock_keep(b);
  if (covers(a, b)) return clock_keep(a);
  if (covers(b, a)) return clock_keep(b);
  return merge(a, b);
}

Clock *clock_with(Clock *a, uint32_t cta, const uint32_t *times,
                  uint32_t num_warps) {
  Clock *one = create(1, 1 + num_warps);
  if (one == everything()) return one;
  one->rows[0] = cta;
  memcpy(one->rows + 1, times, num_warps * sizeof *times);
  Clock *both = clock_join(a, one);
  clock_drop(one);
  return both;
}
