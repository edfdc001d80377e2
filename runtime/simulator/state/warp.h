// warp.h -- the state of a warp.
//
// A warp is a few groups of lanes, each at one instruction.  The group that is
// first in the code's order (flow.c) runs first, so that lanes reconverge at
// the post-dominator of the branch; a group that has run for long while others
// wait gives way, so that a lane that spins until another lane writes does not
// block it.
#ifndef TILE_SIMULATOR_WARP_H
#define TILE_SIMULATOR_WARP_H

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
  struct CopiedBox *box; // elements of a tensor; NULL: consecutive bytes
  uint64_t map;          // address of its map in global memory, until it has
                         // read that; 0: none
  struct Cta *at;        // owner of the shared memory it copies to or from
  uint32_t shared, mbarrier;
  uint32_t source;     // in its thread's own CTA, for a copy from there
  uint32_t size, room; // copied bytes; with the gaps between
  uint32_t group;      // as above, of those to global memory
  uint32_t lanes;      // `lane`, and others with the same copy
  uint32_t grouped, awaited_read,
      awaited;      // lanes that have done each step so far
  uint32_t op;      // AsyncId
  uint32_t started; // the warp's time then
  uint8_t lane;
  bool to_global, from_shared, reduces;
  uint8_t type;       // TypeId of a reduction
  bool flushes;       // flushes subnormals
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

// The others that have a turn before the warp has used up its share.
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
  uint8_t *flight; // a byte for each word of the file, see matrix/wgmma.c; or
                   // NULL
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
  const struct CopiedBox *touched; // box of reported elements; or NULL
  uint32_t bulk_groups[LANES];
  uint8_t *stores;                // async/remote.c
  size_t num_stores, room_stores; // bytes
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
  // Lanes that have come to the cluster's barrier and have not waited there
  // yet, and among these the lanes that need not wait any more.
  uint32_t cluster_arrived, cluster_over;
} Warp;

#endif
