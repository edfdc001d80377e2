// counters.h -- counts of a launch, for each instruction.
//
// Off by default: $TILE_SIM_STATS has the form, "text" or "json", a colon and a
// file.  Each host thread has its own counts, which are added up at its end.
#ifndef TILE_SIMULATOR_COUNTERS_H
#define TILE_SIMULATOR_COUNTERS_H

#include "runtime/simulator/state/exec.h"

enum { SECTOR_BYTES = 32, NUM_BANKS = 32, BANK_BYTES = 4 };

typedef enum {
#define CLASS(id, name) WORK_##id,
#include "runtime/simulator/count/work_classes.def"
  NUM_WORK_CLASSES,
  // Classes that work.def leaves open: they depend on an instruction's type and
  // space.
  WORK_ARITHMETIC,
  WORK_DIVISION,
  WORK_ACCESS,
} WorkClass;

extern const char *const work_class_names[NUM_WORK_CLASSES];

// The class and the amount of one execution of an instruction.
typedef struct Work {
  uint8_t class; // WorkClass
  uint8_t access;
  uint32_t bytes; // a lane's
  uint32_t flops; // a lane's
} Work;

// Sums over the executions of an instruction.
typedef struct Count {
  uint64_t warps, threads;             // executions by warps, by lanes
  uint64_t splits;                     // branches at which lanes diverged
  uint64_t bytes;                      // requested by lanes; a copy's once
  uint64_t global_bytes, shared_bytes; // by memory
  uint64_t peer_bytes;                 // in shared memory of other CTAs
  uint64_t saved_bytes; // of global memory, which multicasts read only once
  uint64_t sectors;     // of global memory
  uint64_t turns;       // of shared memory
  uint64_t conflicts;   // turns beyond those without conflicts
  uint64_t comes;       // executions by any lane
  uint64_t waits;       // arrivals that had to wait at a barrier or mbarrier
  uint32_t roles;       // warps that executed it, as bits
} Count;

// Works for each instruction of the code; NULL without memory.
Work *works_create(const Code *code);
// count_one(): the counts of an execution, before the instruction may overwrite
// its addresses; count_add(): adds them, once it went through.
Count count_one(const Warp *warp, const Inst *inst, uint32_t mask,
                uint32_t standing);
void count_add(Count *to, const Count *from);
// Called after the instruction: whether the lanes wait at a barrier, or found
// that a phase of an mbarrier is not over.
bool count_waits(const Warp *warp, const Inst *inst, uint32_t mask);
// Writes the counts as $TILE_SIM_STATS requests.
void counters_write(const Launch *launch, const char *request);

#endif
