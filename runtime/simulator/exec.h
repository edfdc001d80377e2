// exec.h -- what runs: a launch, its CTAs, their warps.
//
// A warp is a few groups of lanes, each at one place of the code.  The group
// at the lowest place goes first, so that lanes meet again; one that has run
// for long while others wait gives way, so that a lane that spins on what
// another lane must do ends.
#ifndef TILE_SIMULATOR_EXEC_H
#define TILE_SIMULATOR_EXEC_H

#include <pthread.h>

#include "runtime/simulator/code.h"

enum { MAX_WARPS = 32, NUM_BARRIERS = 16, MAX_SHARED = 1 << 24 };

typedef enum { GROUP_READY, GROUP_WAITING, GROUP_AT_BARRIER } GroupState;

typedef struct Group {
  uint32_t place, mask;
  uint8_t state; // GroupState
  uint8_t barrier;
  uint64_t last_run;
} Group;

// cp.async: copies that the lane has asked for and not yet waited for.
typedef struct AsyncCopy {
  uint32_t to;
  uint8_t size, fill; // bytes copied, then bytes of zero
  uint8_t lane;
  uint32_t group; // number of the group it was committed to; 0: none yet
  uint8_t data[16];
  const Inst *inst;
} AsyncCopy;

typedef struct Warp {
  uint8_t *file;
  struct Cta *cta;
  const Inst *at; // being executed
  uint32_t index, live;
  Group groups[LANES];
  int num_groups, running;       // index of the group that executes
  uint64_t streak;               // instructions since the favour last changed
  int favoured;                  // a lane whose group goes first; -1: none
  uint64_t turn;                 // counts choices of a group
  const struct Allocation *last; // of global memory, found last
  uint32_t carry;                // the condition code of each lane
  uint8_t *local;
  AsyncCopy *copies;
  size_t num_copies, room_copies;
  uint32_t committed[LANES]; // cp.async groups of each lane
  uint32_t sync;             // .sync instructions passed, for races
} Warp;

// Who is at a barrier.
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

// An access to a word of shared memory, as shadow.c remembers it.
typedef struct ShadowAccess {
  const Inst *inst; // NULL: none
  uint32_t clock, sync;
  uint16_t thread;
  uint8_t bytes; // a bit for each
} ShadowAccess;

typedef struct ShadowCell {
  ShadowAccess write, reads[2];
  bool strong, strong_reads; // atomic or volatile
} ShadowCell;

// A word through which warps synchronise, with the clock it passes on.
typedef struct SyncWord {
  uint32_t offset;
  uint32_t clock[MAX_WARPS];
} SyncWord;

enum { MAX_SYNC_WORDS = 64 };

typedef struct Cta {
  struct Launch *launch;
  uint32_t index[3], linear;
  Warp *warps;
  uint32_t num_warps, num_threads, turn;
  uint8_t *shared;
  uint8_t *shared_state; // SharedState of each byte
  ShadowCell *cells;     // of each word of shared memory
  uint32_t clocks[MAX_WARPS][MAX_WARPS], fence_clocks[MAX_WARPS][MAX_WARPS];
  uint32_t barrier_clocks[NUM_BARRIERS][MAX_WARPS];
  SyncWord sync_words[MAX_SYNC_WORDS];
  int num_sync_words;
  uint32_t shared_size;
  Barrier barriers[NUM_BARRIERS];
  uint64_t executed; // warp instructions
  uint32_t random;   // state of the schedule's generator; 0: none
  struct Cta *next;
} Cta;

typedef struct Reported {
  const Inst *inst;
  int kind;
} Reported;

enum { MAX_REPORTS = 20 };

typedef struct Launch {
  struct Device *device;
  const Program *program;
  const Code *code;
  uint32_t grid[3], block[3];
  uint64_t num_ctas, next_cta;
  uint32_t dynamic_shared, shared_size;
  uint8_t *params;
  pthread_mutex_t lock; // of the queue and of what follows
  Cta *waiting;         // CTAs that gave way
  Cta *waiting_last;
  uint32_t resident, max_resident;
  bool stop; // read without the lock, too
  int error; // CUresult of the first fault
  int num_reports;
  Reported reported[MAX_REPORTS];
  uint64_t executed, thread_executed;
  uint64_t budget;
  uint32_t num_processors;
  uint32_t seed; // of the schedule; 0: in order, copies as late as may be
  Cta *spare;    // finished ones, whose memory the next may take
} Launch;

// Runs it to the end; the driver's result code.
int launch_run(Launch *launch);
const struct Memory *launch_memory(const Launch *launch);

// -- Inside a CTA ------------------------------------------------------------

typedef enum { RUN_DONE, RUN_GAVE_WAY, RUN_STOPPED } RunResult;

// A number below `limit` that the schedule draws; 0 without a seed.
uint32_t cta_draw(Cta *cta, uint32_t limit);

Cta *cta_create(Launch *launch, uint64_t linear);
void cta_destroy(Cta *cta);
RunResult cta_run(Cta *cta, uint64_t budget);

typedef enum {
  WARP_READY,
  WARP_BLOCKED, // every group waits for somebody else
  WARP_DONE,
  WARP_STOPPED,
} WarpState;

void warp_start(Warp *warp);
WarpState warp_run(Warp *warp, uint64_t *budget);
// Where lanes with `taken` go to `target`, the others on.
Step warp_branch(Warp *warp, uint32_t mask, uint32_t taken, uint32_t target);
Step warp_exit(Warp *warp, uint32_t mask);

// Whether the lanes may execute a .sync instruction for `members`: all of
// these that live have come.  If not, STEP_BLOCK.
bool warp_converged(const Warp *warp, uint32_t mask, uint32_t members);

// A barrier may be complete now that a warp has exited lanes.
void barrier_check_all(Cta *cta);
// Lets lanes outside the mask go past this instruction.
void warp_split(Warp *warp, uint32_t mask);
// Groups that wait in a warp try again.
void warp_wake(Warp *warp);
// Reports why nothing in the CTA can go on.
void cta_report_deadlock(Cta *cta);

// -- Registers ---------------------------------------------------------------

static inline void *reg(const Warp *warp, uint32_t offset) {
  return warp->file + offset;
}

static inline uint32_t *pred(const Warp *warp, uint32_t offset) {
  return (uint32_t *)(void *)(warp->file + offset);
}

static inline uint32_t source_pred(const Warp *warp, const Inst *inst,
                                   int operand) {
  const uint32_t mask = *pred(warp, inst->op[operand]);
  return inst->negated ? ~mask : mask;
}

static inline void set_pred(const Warp *warp, uint32_t offset, uint32_t mask,
                            uint32_t value) {
  uint32_t *place = pred(warp, offset);
  *place = (*place & ~mask) | (value & mask);
}

static inline bool in_mask(uint32_t mask, int lane) {
  return mask >> lane & 1;
}

// One lane of a register of `size` bytes.
uint64_t lane_get(const Warp *warp, uint32_t offset, uint32_t size, int lane);
void lane_set(const Warp *warp, uint32_t offset, uint32_t size, int lane,
              uint64_t value);

#endif
