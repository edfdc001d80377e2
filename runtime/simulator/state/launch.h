// launch.h -- the state of a launch, its CTAs and their clusters.
#ifndef TILE_SIMULATOR_LAUNCH_H
#define TILE_SIMULATOR_LAUNCH_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#include "runtime/simulator/base/settings.h"
#include "runtime/simulator/state/warp.h"

// The lanes at a barrier.
typedef struct Barrier {
  uint32_t arrived[MAX_WARPS]; // lanes
  uint32_t count;      // threads; an aligned barrier counts a whole warp
  uint32_t expected;   // 0: all of the CTA
  uint32_t true_lanes; // of a reduction
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
  struct MapNotes *map_notes;       // acquired maps; async/map_notes.c
  Clock *barrier_known[NUM_BARRIERS];
  uint32_t shared_size;
  uint32_t reserved_at, shared_end; // the system's, behind it; the end of all
  Barrier barriers[NUM_BARRIERS];
  struct WarpGroup *warp_groups; // of four warps each; NULL before any wgmma
  uint32_t pool;                 // registers that setmaxnreg may hand out
  uint64_t executed;             // warp instructions
  uint64_t writes;               // by lanes, except those that change nothing
  bool has_moved;                // some warp has run without writing; stuck.c
  uint64_t writes_before;        // its share of the host's time
  uint32_t changes_seen; // the launch's `changes` at the start of the share
  uint32_t stuck_at;     // its `changes` when the CTA could not go on
  uint64_t stuck_since;  // instructions before
  struct Count *counts;  // of the thread that runs it; NULL: no counts
  uint32_t random;       // state of the schedule's generator; 0: none
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
  const PtxProgram *program;
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
  pthread_mutex_t lock; // of the queue and the fields below
  pthread_cond_t turn;  // a CTA waits, another may start, or none is left
  Cta *waiting;         // CTAs that gave way
  Cta *waiting_last;
  uint32_t num_waiting;
  uint32_t resident, max_resident; // clusters
  uint32_t changes;                // shares of CTAs that have written
  uint32_t num_stuck;     // CTAs that wait for others since the last of these
  uint32_t num_leaps;     // leaps of time since the last progress
  atomic_ullong leapt;    // cycles that clocks are ahead
  atomic_bool hears_host; // kernels access memory that the host may write
  atomic_uint fences;     // executed
  atomic_size_t reader_bytes; // bytes that readers.h uses for reads
  FarUse far;
  struct ClockUse *clock_use; // order/clock.h
  atomic_bool stop;           // read without the lock, too
  int error;                  // CUresult of the first fault
  atomic_int num_reports;     // read without the lock, too
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
  pthread_mutex_t map_lock; // of the fields below, async/map_notes.c
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

#endif
