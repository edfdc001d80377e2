// schedule.h -- which loads of a loop are copied ahead, and how far.
//
// A load may be copied ahead if its slice (passes/pipeline/slice.h) can run
// ahead, too, and if nothing in the loop writes what it reads.
//
// The trips that the loop looks ahead are dealt out along a slice that has
// loads: the load that a copy's address needs is made as many trips before the
// copy as the copy is started before its use.
#ifndef TILE_PASSES_SCHEDULE_H
#define TILE_PASSES_SCHEDULE_H

#include "ir/target.h"
#include "passes/analysis/walk.h"

#include <assert.h>

enum { DEFAULT_STAGES = 3, MAX_LEVELS = 8 };

// A level computes its slice for one trip at a time.  Level 0 has the slices of
// the copies, others have loads whose values wait for a level before them.
typedef struct {
  int trips;   // that it is ahead of the level before it
  Map slice;   // Op of the body to itself
  Map carried; // argument of the body to itself
} Level;

typedef Vec(Op *) Loads;

// A load whose value the loop carries until the trip that needs it.
typedef struct {
  Op *load;
  int level;
  int user; // the first level that needs the value
} Waiting;

typedef struct {
  Op *loop;
  const Target *target;
  int asked; // stages in all
  // With `stages` stages a load is copied stages - 1 trips ahead, into as many
  // buffers; with one, in its own trip.
  int stages;
  // Copies start at the start of a trip, into the buffers that the trip before
  // it has read, instead of at the end of that one, and so for one trip less
  // ahead.  No barrier is needed behind the last reading then.
  bool at_start;
  // With three stages some loads have one buffer; their copies start behind
  // their last reading, for the next trip.
  Map last_dot; // of such a load: to the product that is the last to read it
  // All loads have one buffer, since their addresses are loaded, too: each copy
  // starts behind the last reading of its buffer, and the loop waits for it in
  // front of the first one.
  bool apart;
  // Products of groups of warps run on into the next trip: the buffer that one
  // reads is copied to when it has ended, and there is one buffer more.
  bool runs_on;
  // With two stages, in a role: one buffer more, since what is copied for the
  // next trip comes while this one computes.
  bool spare;
  bool explicit_stages; // the program says so
  bool once;            // there is no second trip
  Loads loads;          // in program order
  Level levels[MAX_LEVELS];
  int num_levels;
  Vec(Waiting) waiting;
} Schedule;

// The number of stages of a loop whose program does not say how many: as many
// as there is room for, if that is known (passes/pipeline/fewer_stages.h); 0:
// nothing is copied.
int schedule_most_stages(const Op *loop);
// With at most so many stages.  False if no load of the loop is to be copied,
// or if there are some, but the target has no copies that run ahead.
bool schedule_loop(Op *loop, const Target *target, int most, Schedule *out);
// Deals `asked` stages out along the chains of loads.
void schedule_deal(Schedule *s, Arena *arena);
// Loads of a loop that is not scheduled so whose values products alone take,
// in buffers that are filled and read in the same trip.  False if there are
// none.
bool schedule_stores(Op *loop, const Target *target, Schedule *out);

// Is it a block of a descriptor, which a bulk copy brings?
static inline bool load_is_block(const Op *load) {
  return load->kind == OP_load_desc;
}
// The number of loads that are blocks, and their bytes.
int schedule_blocks(const Schedule *s, int64_t *bytes);

// Are its elements 0 where its mask is off, or what a copy fills in where there
// is none?  Copies are.
bool load_fills_zeros(const Op *load);

// Bytes of shared memory: the rings, what else the loop's ops use, and both.
int64_t schedule_ring_bytes(const Schedule *s);
int64_t schedule_other_bytes(const Schedule *s);
int64_t schedule_bytes(const Schedule *s);

// Reports that the schedule does not fit the target; returns false.
bool schedule_too_big(const Schedule *s);
// The target has no copies that run ahead: says so where the program asks for
// some.
void schedule_tell_one_stage(const Schedule *s);
// Do the buffers fit the target?  If not, says that nothing is copied.
bool schedule_stores_fit(const Schedule *s);
// Lowers the stages to as many as fit, if the program does not say how many it
// wants or wants one.  False if none does.
bool schedule_lower(Schedule *s);

static inline int schedule_ahead(const Schedule *s) {
  assert(s->stages > s->at_start && "copies start too late"); // I1
  return s->at_start ? s->stages - 2 : s->stages - 1;
}
// Trips that the level runs ahead.
static inline int schedule_ahead_of(const Schedule *s, int level) {
  assert(level >= 0 && level < MAX_LEVELS && level <= s->num_levels); // I2
  int trips = schedule_ahead(s);
  for (int i = 1; i <= level; i++) trips += s->levels[i].trips;
  return trips;
}
static inline int schedule_ring(const Schedule *s) {
  return s->stages > 1 ? s->stages - 1 + s->runs_on + s->spare : 1;
}
static inline int schedule_buffers(const Schedule *s, const Op *load) {
  return map_get(&s->last_dot, load) ? 1 : schedule_ring(s);
}

// Copies apart (`load` is an index of s->loads): the op that reads the copy
// first, and how many groups of copies may be under way when it does.
Op *schedule_first_read(const Schedule *s, int load);
int schedule_pending(const Schedule *s, int load);

// Do all products of the loop, by groups of warps, only add to what it carries?
// Then they may run on.
bool schedule_may_run_on(const Schedule *s);

// Would a fragment that is read from a copy wait for an exchange between warps,
// before the product that wants it?
bool schedule_reads_wait(const Schedule *s);
// The first op before `end` that is behind everything that reads a buffer, and
// behind the dots: what is read for them need not wait in registers for the
// barrier.
Op *schedule_behind_reads(Op *end);
// Reads of such fragments go behind it, in the loop's body.
void schedule_sink_reads(const Schedule *s, const Block *body);

#endif
