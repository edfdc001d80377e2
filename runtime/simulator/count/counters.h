// counters.h -- the work of a launch, counted instruction by instruction.
//
// Off unless asked for: $TILE_SIM_STATS names a file and, before a colon, the
// form, "text" or "json".  Each host thread counts for itself; the sums are
// made when it ends.
#ifndef TILE_SIMULATOR_COUNTERS_H
#define TILE_SIMULATOR_COUNTERS_H

#include "runtime/simulator/state/exec.h"

enum { SECTOR_BYTES = 32, NUM_BANKS = 32, BANK_BYTES = 4 };

typedef enum {
#define CLASS(id, name) WORK_##id,
#include "runtime/simulator/count/work_classes.def"
  NUM_WORK_CLASSES,
  // Classes that work.def leaves to an instruction's type and space.
  WORK_ARITHMETIC,
  WORK_DIVISION,
  WORK_ACCESS,
} WorkClass;

extern const char *const work_class_names[NUM_WORK_CLASSES];

// The classes and amounts that one execution of an instruction counts as.
typedef struct Work {
  uint8_t class; // WorkClass
  uint8_t access;
  uint32_t bytes; // a lane's
  uint32_t flops; // a lane's
} Work;

// Sums over the executions of an instruction.
typedef struct Count {
  uint64_t warps, threads; // executions by warps, by lanes
  uint64_t splits;         // branches that parted the lanes
  uint64_t bytes;          // that lanes asked memory for; a copy's once
  uint64_t global_bytes, shared_bytes; // of which memory
  uint64_t peer_bytes;  // of them, in shared memory of other CTAs
  uint64_t saved_bytes; // of global memory, which multicasts read once only
  uint64_t sectors;     // of global memory
  uint64_t turns;       // of shared memory
  uint64_t conflicts;   // turns that no conflict would have saved
  uint64_t comes;       // executions by any lane
  uint64_t waits;       // of those, at barriers: for others, or asked in vain
  uint32_t roles;       // the warps of a CTA that have come, as bits
} Count;

// Works for each instruction of the code; NULL without memory.
Work *works_create(const Code *code);
// Counts an execution: first what it asks of memory, before it may overwrite
// the addresses, then, if it went through, adds it.
Count count_one(const Warp *warp, const Inst *inst, uint32_t mask,
                uint32_t standing);
void count_add(Count *to, const Count *from);
// After it: whether the lanes wait at a barrier, or have asked in vain.
bool count_waits(const Warp *warp, const Inst *inst, uint32_t mask);
// Writes what $TILE_SIM_STATS asks for.
void counters_write(const Launch *launch, const char *request);

#endif
