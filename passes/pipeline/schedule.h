// schedule.h -- the loads of a loop that are copied ahead, and how far.
//
// A load may be copied ahead if its slice (passes/pipeline/slice.h) can run
// ahead, too, and if nothing in the loop writes to its memory.
//
// If a slice contains loads, the trips of lookahead are divided along the
// chain: the load for a copy's address is made as many trips before the copy as
// the copy is started before its use.
#ifndef TILE_PASSES_SCHEDULE_H
#define TILE_PASSES_SCHEDULE_H

#include "ir/target.h"
#include "passes/analysis/walk.h"

#include <assert.h>

enum { DEFAULT_STAGES = 3, MAX_LEVELS = 8 };

// A level computes its slice for one trip at a time.  Level 0 has the slices of
// the copies; other levels have loads whose values are needed by the level
// before.
typedef struct {
  int trips;   // trips ahead of the level before
  Map slice;   // Op of the body to itself
  Map carried; // argument of the body to itself
} SliceLevel;

typedef Vec(Op *) Loads;

// A load whose value the loop carries to the trip that needs it.
typedef struct {
  Op *load;
  int level;
  int user; // the first level that needs the value
} Waiting;

typedef struct {
  Op *loop;
  const Target *target;
  int asked; // requested stages
  // With n stages a load is copied n - 1 trips ahead, into n - 1 buffers; with
  // one stage, in its own trip.
  int stages;
  // Copies start at the start of a trip, into the buffers that the trip before
  // has read, instead of at its end, and so one trip less ahead.  No barrier is
  // needed behind the last read then.
  bool at_start;
  // With three stages some loads have one buffer; their copies for the next
  // trip start behind their last read.
  Map last_dot; // for such a load: the last product that reads it
  // All loads have one buffer, since their addresses are loaded, too: each copy
  // starts behind the last read of the buffer, and the loop waits for the copy
  // in front of the first read.
  bool apart;
  // Products of groups of warps run on into the next trip: their buffers are
  // copied to only after they have completed, so there is one buffer more.
  bool runs_on;
  // In a role, with two stages: one buffer more, since data for the next trip
  // is copied while this one computes.
  bool spare;
  bool explicit_stages; // requested by the program
  bool once;            // there is no second trip
  Loads loads;          // in program order
  SliceLevel levels[MAX_LEVELS];
  int num_levels;
  Vec(Waiting) waiting;
} Schedule;

// The number of stages of a loop without a request by the program: as many as
// there is room for, if that is known (passes/pipeline/fewer_stages.h); 0: no
// copies.
int schedule_most_stages(const Op *loop);
// With at most `most` stages.  False if no load of the loop is to be copied,
// or the target has no asynchronous copies.
bool schedule_loop(Op *loop, const Target *target, int most, Schedule *out);
// Divides `asked` stages along the chains of loads.
void schedule_deal(Schedule *s, Arena *arena);
// Finds loads, in a loop without such a schedule, whose values are used by
// products alone, for buffers that are filled and read in the same trip.  False
// if there are none.
bool schedule_stores(Op *loop, const Target *target, Schedule *out);

// Is the tile a block of a descriptor, which a bulk copy loads?
static inline bool load_is_block(const Op *load) {
  return load->kind == OP_load_desc;
}
// The number of loads that are blocks, and their bytes.
int schedule_blocks(const Schedule *s, int64_t *bytes);

// Are the masked-off elements of the load 0, as those of a copy?  Also true
// without a mask, or without `other`.
bool load_fills_zeros(const Op *load);

// Bytes of shared memory: of the rings; of other ops in the loop; of both.
int64_t schedule_ring_bytes(const Schedule *s);
int64_t schedule_other_bytes(const Schedule *s);
int64_t schedule_bytes(const Schedule *s);

// Reports that the schedule does not fit the target; returns false.
bool schedule_too_big(const Schedule *s);
// The target has no asynchronous copies: reports that, if the program requests
// some.
void schedule_tell_one_stage(const Schedule *s);
// Do the buffers fit the target?  If not, reports that nothing is copied.
bool schedule_stores_fit(const Schedule *s);
// Lowers the stages to as many as fit, unless the program requests a number
// other than one.  False if none fits.
bool schedule_lower(Schedule *s);

// Is the op one of the loads that become copies?
static inline bool schedule_copies(const Schedule *s, const Op *op) {
  for (size_t i = 0; i < s->loads.count; i++) {
    if (s->loads.items[i] == op) return true;
  }
  return false;
}
static inline int schedule_ahead(const Schedule *s) {
  assert(s->stages > s->at_start && "copies start too late"); // I1
  return s->at_start ? s->stages - 2 : s->stages - 1;
}
// The number of trips that the level runs ahead.
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

// For copies in groups of their own (`load` is an index of s->loads): the op
// that reads the copy first, and the number of groups of copies that may be
// pending then.
Op *schedule_first_read(const Schedule *s, int load);
int schedule_pending(const Schedule *s, int load);

// Do all products of the loop, by groups of warps, only add to carried sums?
// Then they may run on.
bool schedule_may_run_on(const Schedule *s);

// Would a fragment that is read from a copy be live across an exchange between
// warps, before its product?
bool schedule_reads_wait(const Schedule *s);
// The first op before `end` that is behind all reads of a buffer, and behind
// the dots: values that are read for them need not be live across the barrier.
Op *schedule_behind_reads(Op *end);
// Moves the reads of such fragments behind the exchange, in the loop's body.
void schedule_sink_reads(const Schedule *s, const Block *body);

#endif
