// schedule_chain.c -- loads whose addresses depend on loads.
//
//     %page = load %table[%i];  %x = load %pool[%page];  dot ..., %x
//
// With n stages and k loads in the longest chain, each load is made (n - 1) / k
// trips ahead of the one that needs it: %x is copied that far ahead, into as
// many buffers, and the loop carries %page until then.  If a chain has more
// than n - 1 loads, its first ones are made in the same trip.
//
// Example: with 5 stages and the 2 loads above, %x is copied 2 trips ahead, and
// %page is loaded 4 trips ahead.
#include "passes/analysis/analysis.h"
#include "passes/pipeline/schedule.h"
#include "passes/pipeline/slice.h"

#include <assert.h>

enum { MOST_WORDS = 32 }; // words of a thread for the values of one load

typedef struct {
  Schedule *s;
  Arena *arena;
  Map levels; // load to (void *)(intptr_t)level, if not 0
} Chain;

static int level_of(const Chain *c, const Op *load) {
  return (int)(intptr_t)map_get(&c->levels, load);
}

static void set_level(Chain *c, Op *load, int level) {
  map_put(&c->levels, c->arena, load, (void *)(intptr_t)level);
}

// -- The lengths of chains ---------------------------------------------------

// The loads that `of` depend on directly, each once.
static Loads needed_by(Chain *c, const Loads *of, int level) {
  Loads found = {0};
  for (size_t i = 0; i < of->count; i++) {
    Slice slice = {.arena = c->arena, .loop = c->s->loop, .least = -1};
    slice_add(&slice, of->items[i]);
    for (size_t k = 0; k < slice.ends.count; k++) {
      Op *load = slice.ends.items[k];
      if (level_of(c, load) == level) continue;
      set_level(c, load, level);
      vec_push(c->arena, &found, load);
    }
  }
  return found;
}

// The number of loads in the longest chain; 1 if a load depends on itself in an
// earlier trip.
static int find_levels(Chain *c) {
  Loads at = c->s->loads;
  for (int level = 1; level <= MAX_LEVELS; level++) {
    at = needed_by(c, &at, level);
    if (!at.count) return level;
  }
  c->levels = (Map){0};
  return 1;
}

// -- The slices of levels ----------------------------------------------------

static void add_waiting(Chain *c, Op *load, int user) {
  Schedule *s = c->s;
  for (size_t i = 0; i < s->waiting.count; i++) {
    if (s->waiting.items[i].load == load) return;
  }
  vec_push(c->arena, &s->waiting, ((Waiting){load, level_of(c, load), user}));
}

static void add_slice(Chain *c, int at, Op *load) {
  SliceLevel *level = &c->s->levels[at];
  Slice slice = {
      .arena = c->arena, .loop = c->s->loop, .levels = &c->levels, .least = at};
  slice_add(&slice, load);
  for (size_t i = 0; i < slice.ops.count; i++) {
    map_put(&level->slice, c->arena, slice.ops.items[i], slice.ops.items[i]);
  }
  for (size_t i = 0; i < slice.carried.count; i++) {
    const Value *arg = slice.carried.items[i];
    map_put(&level->carried, c->arena, arg, (void *)(uintptr_t)arg);
  }
  for (size_t i = 0; i < slice.ends.count; i++) {
    add_waiting(c, slice.ends.items[i], at);
  }
}

static void add_level(Chain *c, int at) {
  const Schedule *s = c->s;
  SliceLevel *level = &c->s->levels[at];
  *level = (SliceLevel){0};
  for (size_t i = 0; !at && i < s->loads.count; i++) {
    add_slice(c, at, s->loads.items[i]);
  }
  const size_t count = s->waiting.count;
  for (size_t i = 0; i < count; i++) {
    Op *load = s->waiting.items[i].load;
    if (s->waiting.items[i].level != at) continue;
    map_put(&level->slice, c->arena, load, load);
    add_slice(c, at, load);
  }
}

static int64_t words_of(const Op *load) {
  const int64_t words = registers_words(op_result(load)->type);
  return words ? words : 1;
}

// The number of levels before the first one whose loads have too many values to
// be carried.
static int levels_that_wait(const Schedule *s) {
  int most = s->num_levels;
  for (size_t i = 0; i < s->waiting.count; i++) {
    const Waiting *w = &s->waiting.items[i];
    if (words_of(w->load) > MOST_WORDS && w->level < most) most = w->level;
  }
  return most;
}

static void add_levels(Chain *c, int count) {
  Schedule *s = c->s;
  Chain clipped = {s, c->arena, {0}};
  assert(count >= 1 && count <= MAX_LEVELS && "levels out of range"); // I2
  s->num_levels = count;
  s->waiting.count = 0;
  for (Op *op = s->loop->regions[0]->first; op; op = op->next) {
    const int level = level_of(c, op);
    if (level) set_level(&clipped, op, level < count ? level : count - 1);
  }
  for (int at = 0; at < count; at++) add_level(&clipped, at);
}

static void set_trips(Schedule *s, int share) {
  for (int k = 1; k < s->num_levels; k++) s->levels[k].trips = share;
  for (size_t i = 0; i < s->waiting.count; i++) {
    const Waiting *w = &s->waiting.items[i];
    const int most = (int)(MOST_WORDS / words_of(w->load));
    SliceLevel *level = &s->levels[w->level];
    if (level->trips > most) level->trips = most;
  }
}

void schedule_deal(Schedule *s, Arena *arena) {
  if (s->stages == 1) return;
  Chain c = {s, arena, {0}};
  const int trips = s->stages - 1, depth = find_levels(&c);
  const int count = depth < trips ? depth : trips;
  add_levels(&c, count);
  for (int less; (less = levels_that_wait(s)) < s->num_levels;) {
    add_levels(&c, less);
  }
  s->stages = trips / count + 1;
  assert(s->stages >= 2 && s->stages <= s->asked && "trips dealt twice"); // I1
  set_trips(s, trips / count);
}
