// heap.h -- the heap of a kernel's malloc() and free().
//
// A heap is one allocation of a context, many times larger than the limit of
// live bytes: a freed block stays unused as long as there is other room, so
// that an access to it is noticed.  Other rooms include it by memory.h.
#ifndef TILE_SIMULATOR_HEAP_H
#define TILE_SIMULATOR_HEAP_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct Memory;

typedef struct HeapBlock {
  uint64_t start, size;
  uint64_t room;     // bytes up to the next block's red zone
  uint32_t freed_by; // number of the launch; 0: it is live
} HeapBlock;

typedef struct Heap {
  pthread_mutex_t lock;
  uint64_t limit, live; // bytes
  uint64_t start, size; // its range of addresses; 0: none yet
  uint64_t used;        // bytes that blocks have used
  uint8_t *written;     // a flag for each byte; NULL: no check
  HeapBlock *blocks;    // by address
  size_t count, num_slots;
} Heap;

void heap_open(Heap *heap, uint64_t limit);
void heap_close(Heap *heap);
// Reserves the addresses, before a launch that may call malloc().
bool heap_prepare(Heap *heap, struct Memory *memory, uint32_t owner,
                  bool track);

// The address of a new block; 0: no room, as in malloc().  `launch` is the
// number of the launch, never 0.
uint64_t heap_alloc(Heap *heap, uint64_t size, uint64_t align, uint32_t launch);
typedef enum { HEAP_FREED, HEAP_FREED_BEFORE, HEAP_NO_BLOCK } HeapResult;
HeapResult heap_free(Heap *heap, uint64_t address, uint32_t launch);
// Finds the block that contains the address or is the last before it; false:
// there is none.
bool heap_find(Heap *heap, uint64_t address, HeapBlock *found);

#endif
