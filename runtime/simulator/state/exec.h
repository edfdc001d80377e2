// exec.h -- the state of a run: a launch, its CTAs, their warps.
//
// A warp is a few groups of lanes, each at one instruction.  The group that is
// first in the code's order (flow.c) runs first, so that lanes reconverge at
// the post-dominator of the branch; a group that has run for long while others
// wait gives way, so that a lane that spins until another lane writes does not
// block it.
#ifndef TILE_SIMULATOR_EXEC_H
#define TILE_SIMULATOR_EXEC_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "runtime/simulator/base/settings.h"
#include "runtime/simulator/code/code.h"

typedef struct Clock Clock; // of order/clock.h

enum { MAX_WARPS = 32, NUM_BARRIERS = 16, MAX_SHARED = 1 << 24 };
// Asynchronous units of a CTA with a time of their own: one for each mbarrier
// at which copies complete, until there are too many.
enum { NUM_UNITS = 32, MAX_ACTORS = MAX_WARPS + NUM_UNITS };

typedef enum {
  GROUP_READY,
  GROUP_WAITING, // for other lanes of the warp
  GROUP_AT_BARRIER,
  GROUP_AT_CLUSTER, // its barrier
  GROUP_AT_POOL,    // for registers, machine/registers.c
  GROUP_AT_WGMMA,   // for other warps to reach a product, matrix/wgmma.c
} GroupState;

typedef struct Group {
  uint32_t place, mask;
  uint8_t state; // GroupState
  uint8_t barrier;
  uint64_t last_run;
} Group;

// cp.async: copies that the lane has started and not yet waited for.
typedef struct AsyncCopy {
  uint64_t from;
  uint32_t to;
  uint8_t size, bytes; // written; read, the rest becomes zero
  uint8_t lane;
  bool taken;      // the bytes are in `data`
  uint32_t group;  // number of the group it was committed to; 0: none yet
  uint32_t serial; // counts the warp's copies
  uint8_t data[16];
  const Inst *inst;
} AsyncCopy;

// cp.async.mbarrier.arrive: an arrival when the lane's copies are done.
typedef struct AsyncArrival {
  uint32_t offset; // of the mbarrier
  uint32_t serial; // of the last copy that it waits for
  uint8_t lane;
} AsyncArrival;

// cp.async.bulk: a running copy.
typedef struct BulkCopy {
  uint64_t global;       // address
  struct TensorBox *box; // elements of a tensor; NULL: consecutive bytes
  struct Cta *at;        // owner of the shared memory it copies to or from
  uint32_t shared, mbarrier;
  uint32_t source;     // in its thread's own CTA, for a copy from there
  uint32_t size, room; // copied bytes; with the gaps between
  uint32_t group;      // as above, of those to global memory
  uint32_t lanes;      // `lane`, and others with the same copy
  uint32_t grouped, awaited_read, awaited; // lanes that have done each step so
                                           // far
  uint32_t op;                             // AsyncId
  uint32_t started;                        // the warp's time then
  uint8_t lane;
  bool to_global, from_shared, reduces;
  uint8_t type;       // TypeId of a reduction
  bool flushes;       // its subnormals
  bool taken;         // the bytes are in `data`
  bool read, written; // its source is free again; its target is written
  uint8_t *data;      // NULL: it is over
  const Inst *inst;
} BulkCopy;

// A strong read or atomic by a lane.
typedef struct Polled {
  const Inst *inst;
  const uint8_t *at;
  uint64_t value;
  uint64_t again;        // when the same value was found again; 0: never
  struct RacePage *page; // of global memory; NULL: only the CTA can write it
  uint32_t size;         // of `value`; 0: an mbarrier's
  int lane;
} Polled;

enum { MOST_POLLED = 8 };

// The last polled reads of the warp, and the number of its successive reads
// that have found nothing new; poll.c.
typedef struct Poll {
  Polled words[MOST_POLLED];
  uint32_t last, oldest, num_words, count;
} Poll;

// The state of the warp at an instruction, and how often it has been the same
// since; stuck.c.
typedef struct Look {
  uint64_t next; // when to look again; counted in instructions, as the others
  uint64_t since, seen, span;
  uint64_t state, writes, far, turn;
  uint32_t place, times, times_alone;
  bool is_kept, came_back;
} Look;

// Whom a warp lets run before its share is over.
typedef enum { PAUSE_NONE, PAUSE_POLL, PAUSE_WARPS, PAUSE_CTAS } Pause;

typedef struct Warp {
  uint8_t *file;
  struct Cta *cta;
  const Inst *at; // being executed
  uint32_t index, live;
  Group groups[LANES];
  int num_groups, running;       // index of the group that executes
  uint64_t streak;               // instructions since the favour last changed
  int favoured;                  // a lane whose group runs first; -1: none
  uint32_t passed[MAX_BEHIND];   // lanes that came to such code, diverged
  uint64_t turn;                 // counts choices of a group
  uint64_t executed;             // instructions
  const struct Allocation *last; // of global memory, found last
  uint32_t carry;                // the condition code of each lane
  uint32_t registers;            // of a thread, for setmaxnreg; 0: unknown
  uint8_t *flight; // of each word of the file, matrix/wgmma.c; NULL
  bool flies;      // some of it is in flight
  bool is_fenced;  // no register was written since the last wgmma.fence
  bool was_fenced; // there was a wgmma.fence
  bool was_issued; // a product was issued since
  uint8_t *local;
  struct CallStack *stacks; // of each lane; NULL before the first such call
  AsyncCopy *copies;
  size_t num_copies, room_copies;
  uint32_t copies_started;
  AsyncArrival *arrivals;
  size_t num_arrivals, room_arrivals;
  uint32_t committed[LANES]; // cp.async groups of each lane
  BulkCopy *bulks;
  size_t num_bulks, room_bulks;
  size_t num_loads;                // of them, to shared memory
  size_t num_bulks_before;         // the instruction
  const struct TensorBox *touched; // whose elements reports are of; or NULL
  uint32_t bulk_groups[LANES];
  struct RemoteStore *stores; // async/remote.c
  size_t num_stores, room_stores;
  // The state that orders accesses, see order.h.
  uint32_t now;          // its time
  bool released;         // at that time
  bool parted;           // its lanes know different times of each other
  uint32_t knowing;      // lanes that know more than all do
  uint32_t fenced[2];    // lanes, by the reach of their fence: the CTA, the GPU
  uint32_t seeing;       // lanes whose reads the next fence acquires
  Clock *known;          // by all lanes, of other warps
  struct LaneOrder *own; // of single lanes
  Poll poll;
  Look look;
  uint64_t far;  // accesses to global memory
  uint8_t pause; // Pause
  // Lanes that have come to the cluster's barrier and not waited there yet, and
  // those of them that need not wait any more.
  uint32_t cluster_arrived, cluster_over;
} Warp;

// The lanes at a barrier.
typedef struct Barrier {
  uint32_t arrived[MAX_WARPS]; // lanes
  uint32_t count;              // threads, warps taken whole where aligned
  uint32_t expected;           // 0: all of the CTA
  uint32_t true_lanes;         // of a reduction
  uint32_t asked_lanes;
  uint32_t generation;
  uint32_t result;
} Barrier;

typedef enum { SHARED_UNWRITTEN, SHARED_WRITTEN, SHARED_PENDING } SharedState;

enum { MAX_CLUSTER = 16, PORTABLE_CLUSTER = 8 };

// CTAs that run at once and access each other's shared memory, by rank; see
// cluster.h.  One host thread runs them.
typedef struct Cluster {
  struct Cta *ctas[MAX_CLUSTER];
  uint32_t num_ctas;
  Clock *arriving, *over; // the clocks of warps at its barrier, joined
} Cluster;

typedef struct Cta {
  struct Launch *launch;
  Cluster *cluster; // NULL: it is alone
  uint32_t rank;    // in it
  uint32_t first;   // the number of the first CTA in it
  bool is_done;     // all its threads have returned
  bool is_visited;  // other CTAs have accessed its shared memory
  uint32_t index[3], linear;
  Warp *warps;
  uint32_t num_warps, num_threads;
  uint8_t order[MAX_WARPS]; // of the warps in a round
  uint32_t turn;            // index in `order` of the first warp
  uint32_t passed_over;     // times since its last share
  bool keeps_turn;          // a warp has given way: keep the order
  uint8_t *shared;
  uint8_t *shared_state;  // SharedState of each byte
  struct RacePage *pages; // of shared memory
  uint32_t stamp;         // the launch or CTA of these pages
  uint32_t num_loans;     // to them, race_remember.c
  // A row for each warp: the times up to which all its lanes know all lanes of
  // the other warps, their own, and the units, whose times are last.
  uint32_t clocks[MAX_WARPS][MAX_ACTORS];
  uint32_t barrier_clocks[NUM_BARRIERS][MAX_ACTORS];
  uint32_t unit_times[NUM_UNITS];
  uint32_t num_actors, num_units_used; // warps and units; these alone
  struct Async *async; // operations under way and over, see proxy.h
  struct AsyncShadow *async_shadow; // of shared memory; NULL: none was touched
  struct Ledger *ledger;            // of mbarriers; NULL: there is none
  struct MapNotes *map_notes;       // that it has acquired; async/map_notes.c
  Clock *barrier_known[NUM_BARRIERS];
  uint32_t shared_size;
  uint32_t reserved_at, shared_end; // the system's, behind it; the end of all
  Barrier barriers[NUM_BARRIERS];
  struct WarpGroup *warp_groups;   // of four warps each; NULL before any wgmma
  uint32_t pool;                   // registers that setmaxnreg may hand out
  uint64_t executed;               // warp instructions
  uint64_t writes;                 // by lanes, except those that change nothing
  bool has_moved;                  // some warp has run without writing; stuck.c
  uint64_t writes_before;          // its share of the host's time
  uint32_t changes_seen, stuck_at; // the launch's, at the start of the share;
                                   // when the CTA could not go on any more
  uint64_t stuck_since;            // instructions before
  struct Count *counts; // of the thread that runs it; NULL: no counts
  uint32_t random;      // state of the schedule's generator; 0: none
  struct Cta *next;
} Cta;

typedef struct Reported {
  const Inst *inst;
  int kind;
} Reported;

enum { MAX_REPORTS = 20 };

// Bytes for records of pages of global memory, those of them for strong
// accesses of words, and the numbers of all pages and of crowded pages.
typedef struct FarUse {
  atomic_size_t bytes, words, pages, crowded;
} FarUse;

typedef struct Launch {
  const struct Memory *memory; // of the device
  uint32_t owner;              // number of the context
  struct Heap *heap;
  const Program *program;
  const Code *code;
  uint32_t grid[3], block[3];
  uint32_t cluster[3], cluster_size; // in CTAs
  bool is_clustered;                 // the kernel or the launch says so
  uint64_t num_ctas;
  // Clusters, or CTAs without clusters: the next one to start, and the stride
  // from one to the next.
  uint64_t num_clusters, next_cluster, stride;
  uint32_t dynamic_shared, shared_size;
  uint32_t local_size, stack_size; // of a lane, the one with the other
  uint8_t *params;
  uint64_t workspace;   // address for a cooperative launch; 0: it is none
  pthread_mutex_t lock; // of the queue and of what follows
  pthread_cond_t turn;  // a CTA waits, another may start, or none is left
  Cta *waiting;         // CTAs that gave way
  Cta *waiting_last;
  uint32_t num_waiting;
  uint32_t resident, max_resident; // clusters
  uint32_t changes;                // shares of CTAs that have written
  uint32_t num_stuck;     // CTAs that wait for others since the last of these
  uint32_t num_leaps;     // leaps of time since the last progress
  atomic_ullong leapt;    // by which clocks are ahead
  atomic_bool hears_host; // kernels access memory that the host may write
  atomic_uint fences;     // executed
  atomic_size_t reader_bytes; // bytes that readers.h uses for reads
  FarUse far;
  atomic_bool stop;       // read without the lock, too
  int error;              // CUresult of the first fault
  atomic_int num_reports; // read without the lock, too
  Reported reported[MAX_REPORTS];
  uint64_t executed, thread_executed;
  uint64_t budget;
  unsigned checks;   // of Check
  int num_threads;   // of the host
  const char *stats; // form and file of the counts; NULL: none
  uint32_t stamp;    // its number, never 0
  uint32_t num_processors;
  uint32_t shared_unit;     // granularity of a CTA's shared memory
  uint32_t seed;            // of the schedule; 0: in order, copies late
  bool early;               // copies as early as possible
  bool cuts_sums;           // round sums of wgmma as the hardware does
  struct Work *works;       // of each instruction; NULL: no counts
  struct Count *counts;     // likewise
  Cta *spare;               // finished ones, whose memory the next may take
  pthread_mutex_t map_lock; // of what follows, async/map_notes.c
  struct MapNotes *map_notes;
  atomic_uint num_maps;
} Launch;

// Whether local memory is part of the state that tells whether a warp loops for
// ever; then a write to it does not count as a write.
bool launch_sees_local(const Launch *launch);

// A random number below `limit` from the schedule's generator; 0 without a
// seed.
uint32_t cta_draw(Cta *cta, uint32_t limit);
// The indices of the CTA of that number.
void cta_position(const Launch *launch, uint64_t linear, uint32_t index[3]);

// The CTAs of its cluster, by rank.
static inline uint32_t cluster_size(const Cta *cta) {
  return cta->cluster ? cta->cluster->num_ctas : 1;
}

static inline Cta *cluster_at(Cta *cta, uint32_t rank) {
  assert(rank < cluster_size(cta) || !cta->cluster); // I5
  return cta->cluster ? cta->cluster->ctas[rank] : cta;
}

// The number of writes by any of them.
static inline uint64_t cluster_writes(const Cta *cta) {
  uint64_t sum = 0;
  for (uint32_t i = 0; cta->cluster && i < cta->cluster->num_ctas; i++)
    sum += cta->cluster->ctas[i]->writes;
  return cta->cluster ? sum : cta->writes;
}

// Whether the lanes may execute a .sync instruction for `members`: all living
// members have come.  If not, STEP_BLOCK.
bool warp_converged(const Warp *warp, uint32_t mask, uint32_t members);
// Reports members that have passed the instruction to which these lanes came.
Step warp_skipped(const Warp *warp, const Inst *inst, uint32_t mask,
                  uint32_t members);
// For an aligned instruction: STEP_NEXT once all living lanes of the warp have
// come, STEP_BLOCK before; reports lanes that its guard or a branch keeps away.
Step warp_assemble(const Warp *warp, const Inst *inst, uint32_t mask);

// -- Registers ---------------------------------------------------------------

static inline void *reg(const Warp *warp, uint32_t offset) {
  assert(offset <= warp->cta->launch->code->file_size); // I4
  return warp->file + offset;
}

static inline uint32_t *pred(const Warp *warp, uint32_t offset) {
  assert(offset <= warp->cta->launch->code->file_size && offset % 4 == 0); // I4
  return (uint32_t *)(void *)(warp->file + offset);
}

// The only predicate operand, or the one of that number.
static inline uint32_t nth_pred(const Warp *warp, const Inst *inst, int operand,
                                int number) {
  const uint32_t mask = *pred(warp, inst->op[operand]);
  return inst->negated >> number & 1 ? ~mask : mask;
}

static inline uint32_t source_pred(const Warp *warp, const Inst *inst,
                                   int operand) {
  return nth_pred(warp, inst, operand, 0);
}

static inline void set_pred(const Warp *warp, uint32_t offset, uint32_t mask,
                            uint32_t value) {
  uint32_t *place = pred(warp, offset);
  *place = (*place & ~mask) | (value & mask);
}

static inline bool in_mask(uint32_t mask, int lane) {
  return mask >> lane & 1;
}

// One lane's value in a register of `size` bytes, of which eight count.
static inline uint64_t lane_get(const Warp *warp, uint32_t offset,
                                uint32_t size, int lane) {
  const uint8_t *place = warp->file + offset + (size_t)lane * size;
  assert(lane >= 0 && lane < LANES &&
         offset + LANES * size <= warp->cta->launch->code->file_size); // I4
  uint64_t value = 0;
  switch (size) {
  case 1: memcpy(&value, place, 1); break;
  case 2: memcpy(&value, place, 2); break;
  case 4: memcpy(&value, place, 4); break;
  default: memcpy(&value, place, 8); break;
  }
  return value;
}

static inline void lane_set(const Warp *warp, uint32_t offset, uint32_t size,
                            int lane, uint64_t value) {
  uint8_t *place = warp->file + offset + (size_t)lane * size;
  assert(lane >= 0 && lane < LANES &&
         offset + LANES * size <= warp->cta->launch->code->file_size); // I4
  switch (size) {
  case 1: memcpy(place, &value, 1); break;
  case 2: memcpy(place, &value, 2); break;
  case 4: memcpy(place, &value, 4); break;
  default: memcpy(place, &value, 8); break;
  }
}

#endif
