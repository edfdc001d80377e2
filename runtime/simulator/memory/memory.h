// memory.h -- the address spaces.
//
// Global memory is one reserved range of the host's addresses.  An allocation
// does not reuse freed addresses as long as there are others, and unused bytes
// lie between allocations, so that every stray access is found.  Shared and
// local memory have windows in the generic addresses, far from all addresses of
// the host.
#ifndef TILE_SIMULATOR_MEMORY_H
#define TILE_SIMULATOR_MEMORY_H

#include "runtime/simulator/memory/heap.h"
#include "runtime/simulator/state/exec.h"

#define SHARED_WINDOW (UINT64_C(1) << 40)
#define LOCAL_WINDOW  (UINT64_C(2) << 40)
#define PARAM_WINDOW  (UINT64_C(3) << 40)
#define WINDOW_SIZE   (UINT64_C(1) << 32)

// The bits from here on of an address in shared memory are the rank of the CTA
// in the cluster plus 1; 0: the thread's own CTA.
enum { RANK_SHIFT = 25 };
// Whether an address in the window of shared memory is in another CTA.
static inline bool is_peers(const Cta *cta, uint64_t offset) {
  const uint64_t rank = offset >> RANK_SHIFT;
  return rank && rank - 1 != cta->rank;
}
// The rank that `mapa` puts into an address if the cluster has no such rank.
enum { NO_RANK = (1 << (32 - RANK_SHIFT)) - 2 };

// The system's shared memory of each CTA, far behind the kernel's.
enum { RESERVED_OFFSET = MAX_SHARED, RESERVED_BYTES = 1024 };

typedef enum {
  MEMORY_DEVICE,
  MEMORY_MODULE, // a variable
  MEMORY_HOST,   // the host's, accessible to the device
  MEMORY_HEAP,   // blocks of malloc() in kernels
  MEMORY_MANAGED,
  MEMORY_REGISTERED, // registered memory of the host, outside the range
} MemoryKind;

typedef struct Allocation {
  uint64_t start, size;
  uint64_t room;  // bytes up to the red zone
  uint32_t owner; // number of the context
  bool freed, is_const;
  bool is_everyones;      // every context may access it
  uint8_t kind;           // MemoryKind
  uint8_t flags;          // the flags of cuMemHostAlloc(), if it is the host's
  uint32_t pool;          // number of its pool; 0: none
  struct RacePage *pages; // NULL: not checked
  uint8_t *written;       // a flag for each byte; NULL: all were written
} Allocation;

typedef struct Memory {
  uint8_t *base;
  uint64_t reserved, used, live, limit;
  Allocation *list; // by address
  size_t count, room;
} Memory;

bool memory_open(Memory *memory, uint64_t limit);
void memory_close(Memory *memory);
typedef struct MemoryRequest {
  uint64_t size, align;
  uint32_t owner;
  MemoryKind kind;
  bool track; // keep a flag for each byte, whether it was written
} MemoryRequest;

// The address of the new allocation; 0: there is no room.
uint64_t memory_alloc(Memory *memory, const MemoryRequest *request);
// Marks the bytes as written by the host; as copied by it.
void memory_written(const Memory *memory, uint64_t address, uint64_t size);
void memory_copied(const Memory *memory, uint64_t to, uint64_t from,
                   uint64_t size);
bool memory_free(Memory *memory, uint64_t address);
// Adds memory of the host, which overlaps no other memory, and removes it.
bool memory_enroll(Memory *memory, uint64_t start, uint64_t size,
                   uint32_t owner);
bool memory_remove(Memory *memory, uint64_t start);
// Frees all allocations of the owner.
void memory_free_all(Memory *memory, uint32_t owner);
// The allocation that contains the address or is the last before it; NULL:
// none.
Allocation *memory_find(const Memory *memory, uint64_t address);
// Whether the address is in the range of allocations.
bool memory_in_range(const Memory *memory, uint64_t address);
// Whether all bytes are in one live allocation.
bool memory_holds(const Memory *memory, uint64_t address, uint64_t size);

// Writes a description of the allocation: "argument 1 (64 bytes)" if a
// parameter of the kernel points there.
void memory_describe(const Launch *launch, const Allocation *allocation,
                     char *out, size_t room);

typedef enum { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC } Access;

typedef struct Place {
  uint8_t *host;
  uint8_t space;
  uint64_t offset; // in the space; in global memory the address
  Cta *cta;        // the owner of the shared memory
} Place;

// Checks `size` bytes of the lane's memory and finds their place; false after a
// report.
bool memory_place(Warp *warp, const Inst *inst, int lane, uint8_t space,
                  uint64_t address, uint32_t size, Access access, Place *place);
// The same for an address that must be a multiple of `align`.
bool memory_place_aligned(Warp *warp, const Inst *inst, int lane, uint8_t space,
                          uint64_t address, uint32_t size, uint32_t align,
                          Access access, Place *place);
// Sets the space and the offset of a generic address.
void memory_window(Place *place, uint64_t address);
// `size` bytes of the lane's local memory; NULL: out of bounds.
uint8_t *memory_local(const Warp *warp, int lane, uint64_t offset,
                      uint32_t size);

// The lane's address from an operand: a register, its width in bytes and an
// offset.
static inline uint64_t lane_address(const Warp *warp, const uint32_t *op,
                                    int lane) {
  const uint64_t shift = (uint64_t)(int64_t)(int32_t)op[2];
  if (op[1] == 4) {
    const uint32_t *narrow = reg(warp, op[0]);
    return (uint32_t)(narrow[lane] + (uint32_t)shift);
  }
  if (op[1] == 2) {
    const uint16_t *narrow = reg(warp, op[0]);
    return (uint32_t)(narrow[lane] + (uint32_t)shift);
  }
  const uint64_t *wide = reg(warp, op[0]);
  return wide[lane] + shift;
}

#endif
