// target.h -- capabilities and resources of a chip.
#ifndef TILE_IR_TARGET_H
#define TILE_IR_TARGET_H

#include <stdbool.h>
#include <stddef.h>

typedef enum {
  CAP_MMA_F16 = 1 << 0, // with 128 bits of k
  CAP_LDMATRIX = 1 << 1,
  CAP_CP_ASYNC = 1 << 2,
  CAP_MMA_BF16 = 1 << 3,
  CAP_MMA_TF32 = 1 << 4,
  CAP_MMA_F8 = 1 << 5,
  CAP_F8_CONVERT = 1 << 6,
  CAP_STMATRIX = 1 << 7,
  CAP_CLUSTER = 1 << 8,
  CAP_TMA = 1 << 9,
  CAP_WGMMA = 1 << 10,
  CAP_MMA_WIDE = 1 << 11, // with 256 bits of k
  CAP_ATOMIC_BF16 = 1 << 12,
  CAP_ONE_CHIP = 1 << 13, // its code runs on this compute capability only
} Capability;

// The most registers of a GPU's thread.
enum { TARGET_MAX_REGISTERS = 255 };

typedef struct {
  const char *name;
  bool is_gpu;
  int compute;                         // 80 for 8.0; 0 on the host
  const char *llvm_cpu;                // NULL: that of this machine
  int ptx_version;                     // least of its code, 84 being 8.4;
                                       // 0 on the host
  int warp_size;                       // 1 on the host
  int max_shared_block, max_shared_sm; // bytes
  int shared_unit;                     // bytes
  int registers_sm, warps_sm, blocks_sm;
  unsigned capabilities;
} Target;

extern const Target target_table[];
extern const int target_count;

const Target *target_find(const char *name); // NULL if there is none
// The best target whose code runs on a GPU of that compute capability; NULL if
// all are newer.
const Target *target_of_chip(int compute);
static inline bool target_can(const Target *target, Capability capability) {
  return (target->capabilities & capability) != 0;
}

// The level of x86-64 of this machine, 1 to 4; 0: another architecture.
int target_own_level(void);

// The most registers of a thread in a GPU's program of `num_warps` warps.
int target_thread_registers(const Target *target, int num_warps);

// The resources of an SM that a program uses.
typedef struct {
  int num_warps;
  int registers; // of a thread; 0: unknown, no limit
  size_t shared_bytes;
} Footprint;

// The resource that limits the number of programs on an SM.
typedef enum { BY_WARPS, BY_BLOCKS, BY_REGISTERS, BY_SHARED } Limit;

// The number of such programs that an SM of a GPU holds at once, and the
// limiting resource; 0: the chip cannot run one.
int target_residency(const Target *target, const Footprint *program,
                     Limit *limit);

#endif
