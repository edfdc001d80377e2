// clock.c -- vector clocks: for each other thread, the time up to which a
// thread knows its accesses.
//
// A row is a CTA's number and the times of its warps and asynchronous units.
// Rows are sorted by CTA, and all rows of one launch have the same width.
// Clocks that differ only in single lanes share their rows.  Single lanes are
// sorted, too; each has a later time than its warp, whose CTA has a row.
//
//     CTA 3: warps 5 2; lane 4 of warp 1: 6
//
// knows all accesses of warp 0 of CTA 3 up to its time 5, of warp 1 up to 2,
// but of its lane 4 up to 6; and no accesses of other CTAs.
#include "runtime/simulator/order/clock.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 1024, MOST_LANES = 2048, WARP_LANES = 32, AT_ONCE = 16 };

typedef struct Rows {
  uint32_t references, count, width;
  uint32_t words[];
} Rows;

typedef struct Lane {
  uint32_t cta, thread, time;
} Lane;

// A clock in `parts`, before CLOCK_PROXY_SHARED, that strong writes hand on has
// the parts from CLOCK_PROXY_SHARED on itself: accesses that proxy fences have
// made visible are handed on, too.  Clocks in other parts have no parts.
struct Clock {
  uint32_t references, num_threads; // num_threads is that of a CTA
  Rows *rows;
  Clock *parts[CLOCK_NUM_PARTS]; // NULL: nothing
  uint32_t num_lanes;
  Lane lanes[];
};

static Clock *everything(void) {
  static const Clock all = {.rows = NULL};
  return (Clock *)(uintptr_t)&all;
}

static Rows *keep_rows(Rows *rows) {
  __atomic_add_fetch(&rows->references, 1, __ATOMIC_RELAXED);
  return rows;
}

static void drop_rows(Rows *rows) {
  if (!__atomic_sub_fetch(&rows->references, 1, __ATOMIC_ACQ_REL)) free(rows);
}

Clock *clock_keep(Clock *clock) {
  if (!clock || clock == everything()) return clock;
  assert(__atomic_load_n(&clock->references, __ATOMIC_RELAXED)); // I1
  __atomic_add_fetch(&clock->references, 1, __ATOMIC_RELAXED);
  return clock;
}

void clock_drop(Clock *clock) {
  if (!clock || clock == everything()) return;
  assert(__atomic_load_n(&clock->references, __ATOMIC_RELAXED)); // I1
  if (__atomic_sub_fetch(&clock->references, 1, __ATOMIC_ACQ_REL)) return;
  for (int i = 0; i < CLOCK_NUM_PARTS; i++) clock_drop(clock->parts[i]);
  drop_rows(clock->rows);
  free(clock);
}

// NULL: no memory, or too many rows.
static Rows *create_rows(uint32_t count, uint32_t width) {
  const size_t words = (size_t)count * width;
  Rows *rows = count <= MOST_ROWS
                   ? malloc(sizeof *rows + words * sizeof(uint32_t))
                   : NULL;
  if (rows) *rows = (Rows){.references = 1, .count = count, .width = width};
  return rows;
}

// Takes ownership of the rows, which may be NULL; `room` is for single lanes.
static Clock *create(Rows *rows, uint32_t num_threads, uint32_t room) {
  if (!rows) return everything();
  Clock *clock = malloc(sizeof *clock + room * sizeof(Lane));
  if (!clock) {
    drop_rows(rows);
    return everything();
  }
  *clock = (Clock){.references = 1, .num_threads = num_threads, .rows = rows};
  return clock;
}

// -- Looking up --------------------------------------------------------------

static const uint32_t *row_at(const Rows *rows, uint32_t i) {
  return rows->words + (size_t)i * rows->width;
}

static const uint32_t *find_row(const Rows *rows, uint32_t cta) {
  uint32_t low = 0, high = rows->count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    const uint32_t *row = row_at(rows, middle);
    if (*row == cta) return row;
    if (*row < cta)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

// A sort key: the order of lanes.
static uint64_t key_of(const Lane *lane) {
  return (uint64_t)lane->cta << 32 | lane->thread;
}

// The first single lane at or after this one, or the end.
static const Lane *lanes_from(const Clock *clock, uint32_t cta,
                              uint32_t thread) {
  const Lane wanted = {cta, thread, 0};
  uint32_t low = 0, high = clock->num_lanes;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (key_of(&clock->lanes[middle]) < key_of(&wanted))
      low = middle + 1;
    else
      high = middle;
  }
  return clock->lanes + low;
}

static uint32_t row_time(const Rows *rows, uint32_t cta, uint32_t warp) {
  const uint32_t *row = find_row(rows, cta);
  assert(warp + 1 < rows->width && "a warp that no row has"); // I2
  return row ? row[1 + warp] : 0;
}

uint32_t clock_warp_time(const Clock *clock, uint32_t cta, uint32_t warp) {
  if (!clock) return 0;
  return clock == everything() ? UINT32_MAX : row_time(clock->rows, cta, warp);
}

bool clock_knows_any(const Clock *clock, uint32_t class) {
  if (!clock || clock == everything()) return clock;
  for (uint32_t i = 0; i < clock->rows->count; i++)
    if (cta_class(*row_at(clock->rows, i)) == class) return true;
  return false;
}

uint32_t clock_time(const Clock *clock, uint32_t cta, uint32_t thread) {
  if (!clock) return 0;
  if (clock == everything()) return UINT32_MAX;
  const Lane *lane = lanes_from(clock, cta, thread);
  return lane < clock->lanes + clock->num_lanes && lane->cta == cta &&
                 lane->thread == thread
             ? lane->time
             : row_time(clock->rows, cta, thread / WARP_LANES);
}

uint32_t clock_unknown(const Clock *clock, uint32_t cta, uint32_t warp,
                       uint32_t time, uint32_t lanes) {
  if (!clock) return lanes;
  if (clock_warp_time(clock, cta, warp) >= time) return 0;
  const uint32_t first = warp * WARP_LANES;
  const Lane *end = clock->lanes + clock->num_lanes;
  for (const Lane *i = lanes_from(clock, cta, first);
       i < end && i->cta == cta && i->thread - first < WARP_LANES; i++)
    if (i->time >= time) lanes &= ~(UINT32_C(1) << (i->thread - first));
  return lanes;
}

// -- Joining rows ------------------------------------------------------------

// Positions in the rows of two clocks; a row that both have is taken from both.
typedef struct {
  const Rows *a, *b;
  uint32_t i, j;
} Merge;

// The next rows of one CTA; NULL for a clock without a row of it.
static bool next_rows(Merge *m, const uint32_t **x, const uint32_t **y) {
  *x = m->i < m->a->count ? row_at(m->a, m->i) : NULL;
  *y = m->j < m->b->count ? row_at(m->b, m->j) : NULL;
  if (!*x && !*y) return false;
  if (*x && *y && **x < **y) *y = NULL;
  if (*x && *y && **y < **x) *x = NULL;
  m->i += *x != NULL;
  m->j += *y != NULL;
  return true;
}

static bool rows_cover(const Rows *a, const Rows *b) {
  Merge m = {a, b, 0, 0};
  const uint32_t *x, *y;
  while (a != b && next_rows(&m, &x, &y)) {
    if (y && !x) return false;
    for (uint32_t i = 1; y && i < a->width; i++)
      if (y[i] > x[i]) return false;
  }
  return true;
}

static uint32_t count_rows(const Rows *a, const Rows *b) {
  Merge m = {a, b, 0, 0};
  const uint32_t *x, *y;
  uint32_t count = 0;
  while (next_rows(&m, &x, &y)) count++;
  return count;
}

// NULL: as in create_rows().
static Rows *merge_rows(Rows *a, Rows *b) {
  assert(a->width == b->width && "clocks of different launches"); // I2
  if (rows_cover(a, b)) return keep_rows(a);
  if (rows_cover(b, a)) return keep_rows(b);
  Rows *result = create_rows(count_rows(a, b), a->width);
  if (!result) return NULL;
  Merge m = {a, b, 0, 0};
  const uint32_t *x, *y;
  for (uint32_t *out = result->words; next_rows(&m, &x, &y); out += a->width) {
    memcpy(out, x ? x : y, a->width * sizeof *out);
    for (uint32_t i = 1; x && y && i < a->width; i++)
      if (y[i] > out[i]) out[i] = y[i];
  }
  return result;
}

// -- Joining lanes -----------------------------------------------------------

// Looks up single lanes in sorted order.
typedef struct {
  const Rows *rows;
  const uint32_t *row; // row of the CTA; NULL: none
  uint32_t cta;
} RowOf;

static RowOf first_row(const Rows *rows) {
  const uint32_t *row = rows->count ? row_at(rows, 0) : NULL;
  return (RowOf){rows, row, row ? *row : 0};
}

static uint32_t time_in(RowOf *of, const Lane *lane) {
  if (of->cta != lane->cta) {
    of->cta = lane->cta;
    of->row = find_row(of->rows, lane->cta);
  }
  return of->row ? of->row[1 + lane->thread / WARP_LANES] : 0;
}

static void add_lanes(Clock *to, const Lane *a, uint32_t num_a, const Lane *b,
                      uint32_t num_b) {
  const Lane *a_end = a + num_a, *b_end = b + num_b;
  RowOf row = first_row(to->rows);
  while (a < a_end || b < b_end) {
    const bool has_a = b == b_end || (a < a_end && key_of(a) <= key_of(b));
    const bool has_b = a == a_end || (b < b_end && key_of(b) <= key_of(a));
    Lane lane = has_a ? *a : *b;
    if (has_a && has_b && b->time > lane.time) lane.time = b->time;
    a += has_a;
    b += has_b;
    if (lane.time <= time_in(&row, &lane)) continue;
    assert(!to->num_lanes ||
           key_of(&to->lanes[to->num_lanes - 1]) < key_of(&lane)); // I3
    to->lanes[to->num_lanes++] = lane;
  }
}

// The end of the single lanes of the warp of lane `i`.
static uint32_t end_of_warp(const Clock *clock, uint32_t i) {
  const Lane *first = &clock->lanes[i];
  uint32_t j = i + 1;
  while (j < clock->num_lanes && clock->lanes[j].cta == first->cta &&
         clock->lanes[j].thread / WARP_LANES == first->thread / WARP_LANES)
    j++;
  return j;
}

// The time of the warp that the lanes from i to j allow: with `whole` the last
// time of any of them, else the time that all have reached; 0: not all lanes
// are there.
static uint32_t time_of_warp(const Clock *clock, uint32_t i, uint32_t j,
                             bool whole) {
  const uint32_t first = clock->lanes[i].thread & ~(uint32_t)(WARP_LANES - 1);
  const uint32_t rest = clock->num_threads - first;
  if (!whole && j - i < (rest < WARP_LANES ? rest : WARP_LANES)) return 0;
  uint32_t time = clock->lanes[i].time;
  for (uint32_t k = i + 1; k < j; k++) {
    const uint32_t other = clock->lanes[k].time;
    if (whole ? other > time : other < time) time = other;
  }
  return time;
}

static void keep_parts(Clock *to, const Clock *from) {
  for (int i = 0; i < CLOCK_NUM_PARTS; i++)
    to->parts[i] = clock_keep(from->parts[i]);
}

static bool has_whole_warps(const Clock *clock) {
  for (uint32_t i = 0, j; i < clock->num_lanes; i = j) {
    j = end_of_warp(clock, i);
    if (time_of_warp(clock, i, j, false)) return true;
  }
  return false;
}

// If all lanes of a warp are known, they become a time of the warp; so do all
// single lanes if there are too many.  Takes ownership of the clock.
static Clock *compact(Clock *clock) {
  const bool whole = clock->num_lanes > MOST_LANES;
  if (!whole && !has_whole_warps(clock)) return clock;
  const Rows *from = clock->rows;
  Rows *rows = create_rows(from->count, from->width);
  Clock *result = create(rows, clock->num_threads, clock->num_lanes);
  if (result != everything()) {
    const size_t words = (size_t)from->count * from->width;
    memcpy(rows->words, from->words, words * sizeof *rows->words);
    for (uint32_t i = 0, j; i < clock->num_lanes; i = j) {
      const Lane *lane = &clock->lanes[i];
      j = end_of_warp(clock, i);
      uint32_t *row = (uint32_t *)(uintptr_t)find_row(rows, lane->cta);
      const uint32_t time = time_of_warp(clock, i, j, whole);
      if (time) row[1 + lane->thread / WARP_LANES] = time;
      add_lanes(result, lane, j - i, lane, 0);
    }
    keep_parts(result, clock);
  }
  clock_drop(clock);
  return result;
}

// -- Clocks ------------------------------------------------------------------

// The number of equal lanes at the beginning of both, compared cheaply.
static size_t num_alike(const Lane *a, const Lane *b, size_t most) {
  size_t n = 0;
  while (n + AT_ONCE <= most && !memcmp(a + n, b + n, AT_ONCE * sizeof *a))
    n += AT_ONCE;
  return n;
}

static bool covers_lanes(const Clock *a, const Clock *b) {
  const Lane *known = a->lanes, *known_end = known + a->num_lanes;
  const Lane *lane = b->lanes, *end = lane + b->num_lanes;
  RowOf row = first_row(a->rows);
  while (lane < end) {
    const size_t left = (size_t)(end - lane),
                 more = (size_t)(known_end - known);
    const size_t alike = num_alike(known, lane, left < more ? left : more);
    known += alike;
    lane += alike;
    for (int i = 0; i < AT_ONCE && lane < end; i++, lane++) {
      const uint64_t key = key_of(lane);
      while (known < known_end && key_of(known) < key) known++;
      const bool is_there = known < known_end && key_of(known) == key;
      const uint32_t time = is_there ? known->time : time_in(&row, lane);
      if (time < lane->time) return false;
      known += is_there;
    }
  }
  return true;
}

static bool covers_times(const Clock *a, const Clock *b) {
  if (!b || a == b || a == everything()) return true;
  if (!a || b == everything()) return false;
  return rows_cover(a->rows, b->rows) && covers_lanes(a, b);
}

// Whether `a` covers `b`, for the times and for the parts from `first` on.
static bool covers_from(const Clock *a, const Clock *b, int first) {
  if (!covers_times(a, b)) return false;
  if (!b || a == b || a == everything()) return true;
  for (int i = first; i < CLOCK_NUM_PARTS; i++)
    if (!covers_from(a->parts[i], b->parts[i], 0)) return false;
  return true;
}

static bool covers(const Clock *a, const Clock *b) {
  return covers_from(a, b, 0);
}

Clock *clock_join(Clock *a, Clock *b) {
  if (!b || a == b || a == everything()) return clock_keep(a);
  if (!a || b == everything()) return clock_keep(b);
  if (covers(a, b)) return clock_keep(a);
  if (covers(b, a)) return clock_keep(b);
  Clock *both = create(merge_rows(a->rows, b->rows), a->num_threads,
                       a->num_lanes + b->num_lanes);
  if (both == everything()) return both;
  add_lanes(both, a->lanes, a->num_lanes, b->lanes, b->num_lanes);
  for (int i = 0; i < CLOCK_NUM_PARTS; i++)
    both->parts[i] = clock_join(a->parts[i], b->parts[i]);
  return compact(both);
}

Clock *clock_with(Clock *a, const ClockRow *row) {
  Rows *rows = create_rows(1, 1 + row->num_times);
  Clock *one = create(rows, row->num_threads, 0);
  if (one == everything()) return one;
  rows->words[0] = row->cta;
  memcpy(rows->words + 1, row->times, row->num_times * sizeof *row->times);
  Clock *both = clock_join(a, one);
  clock_drop(one);
  return both;
}

Clock *clock_with_thread(Clock *a, uint32_t cta, uint32_t thread,
                         uint32_t time) {
  if (clock_time(a, cta, thread) >= time) return clock_keep(a);
  Clock *more = create(keep_rows(a->rows), a->num_threads, a->num_lanes + 1);
  if (more == everything()) return more;
  const Lane lane = {cta, thread, time};
  add_lanes(more, a->lanes, a->num_lanes, &lane, 1);
  keep_parts(more, a);
  return compact(more);
}

// -- Parts -------------------------------------------------------------------

Clock *clock_part(Clock *clock, ClockPart part) {
  return !clock || clock == everything() ? clock : clock->parts[part];
}

static Clock *copy_times(const Clock *clock) {
  Clock *copy =
      create(keep_rows(clock->rows), clock->num_threads, clock->num_lanes);
  if (copy == everything()) return copy;
  copy->num_lanes = clock->num_lanes;
  memcpy(copy->lanes, clock->lanes, clock->num_lanes * sizeof(Lane));
  return copy;
}

// A clock with the same times and only the parts from `first` on.
static Clock *parts_from(Clock *clock, int first) {
  bool has_any = false;
  for (int i = 0; clock != everything() && i < first; i++)
    has_any = has_any || clock->parts[i];
  if (!has_any) return clock_keep(clock);
  Clock *copy = copy_times(clock);
  for (int i = first; copy != everything() && i < CLOCK_NUM_PARTS; i++)
    copy->parts[i] = clock_keep(clock->parts[i]);
  return copy;
}

// An empty clock, for the launch of `like`.
static Clock *create_empty(const Clock *like) {
  return create(create_rows(0, like->rows->width), like->num_threads, 0);
}

Clock *clock_with_part(Clock *a, ClockPart part, Clock *more) {
  const bool is_seen = part == CLOCK_SEEN_CTA || part == CLOCK_SEEN_GPU;
  const int first =
      part < CLOCK_PROXY_SHARED ? CLOCK_PROXY_SHARED : CLOCK_NUM_PARTS;
  if (covers_from(clock_part(a, part), more, first) ||
      (is_seen && covers_from(a, more, first)))
    return clock_keep(a);
  if (!a && more == everything()) return more;
  Clock *result = a ? copy_times(a) : create_empty(more);
  if (result == everything()) return result;
  if (a) keep_parts(result, a);
  Clock *plain = parts_from(more, first);
  clock_drop(result->parts[part]);
  result->parts[part] = clock_join(clock_part(a, part), plain);
  clock_drop(plain);
  return result;
}
