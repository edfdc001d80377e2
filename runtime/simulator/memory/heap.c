// heap.c -- blocks for malloc() in kernels.
#include "runtime/simulator/memory/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// Room beyond the limit for blocks that were freed; at least UNIT bytes.
enum { TIMES = 16, UNIT = 16, RED_ZONE = 16 };
static const uint64_t least_room = UINT64_C(64) << 20;

void heap_open(Heap *heap, uint64_t limit) {
  *heap = (Heap){.limit = limit};
  pthread_mutex_init(&heap->lock, NULL);
}

void heap_close(Heap *heap) {
  pthread_mutex_destroy(&heap->lock);
  free(heap->blocks);
  *heap = (Heap){.limit = 0};
}

static uint64_t room_for(uint64_t limit) {
  const uint64_t most = UINT64_C(1) << 38;
  const uint64_t room = limit > most / TIMES ? most : limit * TIMES;
  return room < least_room ? least_room : room;
}

bool heap_prepare(Heap *heap, Memory *memory, uint32_t owner, bool track) {
  const MemoryRequest request = {.size = room_for(heap->limit),
                                 .owner = owner,
                                 .kind = MEMORY_HEAP,
                                 .track = track};
  if (heap->start) return true;
  heap->start = memory_alloc(memory, &request);
  if (!heap->start) return false;
  heap->size = request.size;
  heap->written = memory_find(memory, heap->start)->written;
  return true;
}

// -- Blocks ------------------------------------------------------------------

static HeapBlock *find(const Heap *heap, uint64_t address) {
  size_t low = 0, high = heap->count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (heap->blocks[middle].start <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low ? &heap->blocks[low - 1] : NULL;
}

static bool make_slot(Heap *heap) {
  if (heap->count < heap->num_slots) return true;
  const size_t slots = heap->num_slots ? heap->num_slots * 2 : 256;
  HeapBlock *bigger = realloc(heap->blocks, slots * sizeof *bigger);
  if (!bigger) return false;
  heap->blocks = bigger;
  heap->num_slots = slots;
  return true;
}

static HeapBlock *add_block(Heap *heap, uint64_t size, uint64_t align) {
  const uint64_t base = heap->start;
  const uint64_t start = (base + heap->used + align - 1) & ~(align - 1);
  const uint64_t room = (size + UNIT - 1) / UNIT * UNIT;
  const uint64_t end = start - base + room + RED_ZONE;
  if (end > heap->size || !make_slot(heap)) return NULL;
  assert(start >= base + heap->used && "blocks overlap"); // I5
  heap->used = end;
  HeapBlock *block = &heap->blocks[heap->count++];
  *block = (HeapBlock){.start = start, .room = room};
  return block;
}

// Takes a block that an earlier launch freed.  Blocks that this launch freed
// are not reused, since accesses to them may still race.
static HeapBlock *reuse_block(Heap *heap, uint64_t size, uint64_t align,
                              uint32_t launch) {
  for (size_t i = 0; i < heap->count; i++) {
    HeapBlock *block = &heap->blocks[i];
    if (block->freed_by && block->freed_by != launch && block->room >= size &&
        block->start % align == 0)
      return block;
  }
  return NULL;
}

static uint64_t take(Heap *heap, uint64_t size, uint64_t align,
                     uint32_t launch) {
  if (!heap->start || !size || size > heap->limit - heap->live) return 0;
  HeapBlock *block = add_block(heap, size, align);
  if (!block) block = reuse_block(heap, size, align, launch);
  if (!block) return 0;
  block->size = size;
  block->freed_by = 0;
  heap->live += size;
  if (heap->written)
    memset(heap->written + (block->start - heap->start), 0, size);
  return block->start;
}

uint64_t heap_alloc(Heap *heap, uint64_t size, uint64_t align,
                    uint32_t launch) {
  pthread_mutex_lock(&heap->lock);
  const uint64_t address =
      take(heap, size, align < UNIT ? UNIT : align, launch);
  pthread_mutex_unlock(&heap->lock);
  return address;
}

static HeapResult give_back(Heap *heap, uint64_t address, uint32_t launch) {
  HeapBlock *block = find(heap, address);
  if (!block || block->start != address) return HEAP_NO_BLOCK;
  if (block->freed_by) return HEAP_FREED_BEFORE;
  assert(heap->live >= block->size && "more is freed than lives"); // I4
  block->freed_by = launch;
  heap->live -= block->size;
  return HEAP_FREED;
}

HeapResult heap_free(Heap *heap, uint64_t address, uint32_t launch) {
  pthread_mutex_lock(&heap->lock);
  const HeapResult result = give_back(heap, address, launch);
  pthread_mutex_unlock(&heap->lock);
  return result;
}

bool heap_find(Heap *heap, uint64_t address, HeapBlock *found) {
  pthread_mutex_lock(&heap->lock);
  const HeapBlock *block = find(heap, address);
  if (block) *found = *block;
  pthread_mutex_unlock(&heap->lock);
  return block != NULL;
}
