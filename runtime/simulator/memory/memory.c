// memory.c -- global memory, and the space of an address.
//
// An allocation starts at a multiple of GRANULE, and RED_ZONE bytes at least
// are free behind it.  For example, the first two allocations of 100 bytes
// start at byte 512 and at byte 1536 of the reserved addresses: the first one
// ends in front of byte 612, its red zone in front of byte 1124, and 1536 is
// the next multiple of 512.  An access at byte 700 is in neither.  Byte 700 is
// 88 bytes behind the first and 836 in front of the second, so the report says
// "byte 188 of an allocation of 100 bytes".  If the first is freed, a third
// allocation starts at byte 2560: addresses are given out again only when all
// were used.
#define _DEFAULT_SOURCE // MAP_ANONYMOUS, MAP_NORESERVE
#include "runtime/simulator/memory/memory.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/simulator/history/race_page.h"
#include "runtime/simulator/state/report.h"

enum { RED_ZONE = 512, GRANULE = 512 };
static const uint64_t most_reserved = UINT64_C(1) << 42;
static const uint64_t least_reserved = UINT64_C(1) << 30;

// -- Global memory -----------------------------------------------------------

// Reserves as many addresses as the host has; unused ones cost nothing.
bool memory_open(Memory *memory, uint64_t limit) {
  *memory = (Memory){.limit = limit};
  for (uint64_t size = most_reserved; size >= least_reserved; size /= 2) {
    void *base = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) continue;
    memory->base = base;
    memory->reserved = size;
    memory->used = RED_ZONE;
    return true;
  }
  return false;
}

static void forget(Allocation *allocation) {
  race_pages_destroy(allocation->pages, allocation->size);
  free(allocation->written);
  allocation->pages = NULL;
  allocation->written = NULL;
}

void memory_close(Memory *memory) {
  for (size_t i = 0; i < memory->count; i++) forget(&memory->list[i]);
  if (memory->base) munmap(memory->base, memory->reserved);
  free(memory->list);
  *memory = (Memory){.base = NULL};
}

static bool make_room(Memory *memory) {
  if (memory->count < memory->room) return true;
  const size_t room = memory->room ? memory->room * 2 : 64;
  Allocation *bigger = realloc(memory->list, room * sizeof *bigger);
  if (!bigger) return false;
  memory->list = bigger;
  memory->room = room;
  return true;
}

// Whether memory of that kind counts as the device's: the host's does not, and
// a heap has its own limit.
static bool is_limited(uint8_t kind) {
  return kind != MEMORY_HOST && kind != MEMORY_HEAP &&
         kind != MEMORY_REGISTERED;
}

static bool within_limit(const Memory *memory, const MemoryRequest *request) {
  if (!request->size || request->size > memory->reserved) return false;
  return !is_limited((uint8_t)request->kind) ||
         (request->size <= memory->limit &&
          memory->live + request->size <= memory->limit);
}

// Inserts an allocation that starts there into the list.
static Allocation *insert(Memory *memory, uint64_t start) {
  if (!make_room(memory)) return NULL;
  Allocation *before = memory_find(memory, start);
  Allocation *at = before ? before + 1 : memory->list;
  assert((at == memory->list || at[-1].start <= start) && "not sorted"); // I2
  const size_t rest = memory->count - (size_t)(at - memory->list);
  memmove(at + 1, at, rest * sizeof *at);
  memory->count++;
  at->start = start;
  return at;
}

static Allocation *take_new(Memory *memory, uint64_t size, uint64_t align) {
  const uint64_t offset = (memory->used + align - 1) & ~(align - 1);
  if (offset + size + RED_ZONE > memory->reserved) return NULL;
  Allocation *found =
      insert(memory, (uint64_t)(uintptr_t)memory->base + offset);
  if (!found) return NULL;
  found->room = size;
  memory->used = offset + size + RED_ZONE;
  return found;
}

// Takes the smallest freed piece that fits, once all addresses have been given
// out.
static Allocation *take_freed(Memory *memory, uint64_t size, uint64_t align) {
  Allocation *best = NULL;
  for (size_t i = 0; i < memory->count; i++) {
    Allocation *a = &memory->list[i];
    if (a->freed && a->room >= size && a->start % align == 0 &&
        (!best || a->room < best->room))
      best = a;
  }
  return best;
}

uint64_t memory_alloc(Memory *memory, const MemoryRequest *request) {
  const uint64_t size = request->size;
  const uint64_t align = request->align < GRANULE ? GRANULE : request->align;
  if (!within_limit(memory, request)) return 0;
  Allocation *found = take_new(memory, size, align);
  if (!found) found = take_freed(memory, size, align);
  if (!found) return 0;
  assert(found->start % align == 0 && found->room >= size); // I1
  *found = (Allocation){.start = found->start,
                        .size = size,
                        .room = found->room,
                        .owner = request->owner,
                        .is_everyones = request->kind == MEMORY_HOST ||
                                        request->kind == MEMORY_MANAGED,
                        .kind = (uint8_t)request->kind,
                        .pages = race_pages_create(size, false),
                        .written = request->track ? calloc(1, size) : NULL};
  if (is_limited((uint8_t)request->kind)) memory->live += size;
  return found->start;
}

Allocation *memory_find(const Memory *memory, uint64_t address) {
  size_t low = 0, high = memory->count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (memory->list[middle].start <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low ? &memory->list[low - 1] : NULL;
}

// The pages of the allocation go back to the host; its addresses stay taken.
bool memory_free(Memory *memory, uint64_t address) {
  Allocation *found = memory_find(memory, address);
  if (!found || found->start != address || found->freed ||
      found->kind == MEMORY_REGISTERED)
    return false;
  assert((!is_limited(found->kind) || memory->live >= found->size)); // I3
  found->freed = true;
  forget(found);
  if (is_limited(found->kind)) memory->live -= found->size;
  const uint64_t page = 4096, start = (address + page - 1) & ~(page - 1);
  const uint64_t end = (address + found->size) & ~(page - 1);
  if (end > start)
    madvise((void *)(uintptr_t)start, end - start, MADV_DONTNEED);
  return true;
}

bool memory_enroll(Memory *memory, uint64_t start, uint64_t size,
                   uint32_t owner) {
  Allocation *at = insert(memory, start);
  if (!at) return false;
  *at = (Allocation){.start = start,
                     .size = size,
                     .owner = owner,
                     .is_everyones = true,
                     .kind = MEMORY_REGISTERED,
                     .pages = race_pages_create(size, false)};
  return true;
}

bool memory_remove(Memory *memory, uint64_t start) {
  Allocation *found = memory_find(memory, start);
  if (!found || found->start != start || found->kind != MEMORY_REGISTERED)
    return false;
  forget(found);
  memory->count--;
  memmove(found, found + 1,
          (memory->count - (size_t)(found - memory->list)) * sizeof *found);
  return true;
}

void memory_free_all(Memory *memory, uint32_t owner) {
  for (size_t i = memory->count; i-- > 0;) {
    const Allocation *a = &memory->list[i];
    if (a->freed || a->owner != owner) continue;
    if (a->kind == MEMORY_REGISTERED)
      memory_remove(memory, a->start);
    else
      memory_free(memory, a->start);
  }
}

static bool inside(const Allocation *allocation, uint64_t address,
                   uint64_t size) {
  return allocation && address >= allocation->start &&
         address - allocation->start <= allocation->size &&
         size <= allocation->size - (address - allocation->start);
}

bool memory_in_range(const Memory *memory, uint64_t address) {
  const uint64_t base = (uint64_t)(uintptr_t)memory->base;
  return address >= base && address - base < memory->reserved;
}

bool memory_holds(const Memory *memory, uint64_t address, uint64_t size) {
  const Allocation *allocation = memory_find(memory, address);
  return inside(allocation, address, size) && !allocation->freed;
}

// NULL also for memory of the host, the source of copies.
static uint8_t *written_at(const Memory *memory, uint64_t address) {
  const Allocation *allocation = memory_find(memory, address);
  return inside(allocation, address, 1) && allocation->written
             ? allocation->written + (address - allocation->start)
             : NULL;
}

void memory_written(const Memory *memory, uint64_t address, uint64_t size) {
  uint8_t *written = written_at(memory, address);
  if (written) memset(written, 1, size);
}

void memory_copied(const Memory *memory, uint64_t to, uint64_t from,
                   uint64_t size) {
  uint8_t *written = written_at(memory, to);
  const uint8_t *source = written_at(memory, from);
  if (written && source)
    memmove(written, source, size);
  else
    memory_written(memory, to, size);
}

// -- Access by a lane --------------------------------------------------------

static const char *access_name(Access access) {
  return access == ACCESS_READ    ? "read"
         : access == ACCESS_WRITE ? "write"
                                  : "atomic";
}

static bool points_to(const uint8_t *param, const Allocation *allocation) {
  uint64_t value;
  memcpy(&value, param, sizeof value);
  return inside(allocation, value, 1);
}

void memory_describe(const Launch *launch, const Allocation *allocation,
                     char *out, size_t room) {
  const Code *code = launch->code;
  const unsigned long long size = allocation->size;
  for (int i = 0; i < code->num_params; i++) {
    const ParamSlot *slot = &code->params[i];
    if (slot->size != 8 ||
        !points_to(launch->params + slot->offset, allocation))
      continue;
    snprintf(out, room, "argument %d (%llu bytes)", i, size);
    return;
  }
  snprintf(out, room, "an allocation of %llu bytes", size);
}

// Reports an access to the heap that is in no live block.
static void report_heap(const Warp *warp, const Inst *inst, int lane,
                        uint64_t address, uint32_t size, Access access) {
  HeapBlock block = {.freed_by = 0};
  const char *what = access_name(access);
  if (!heap_find(warp->cta->launch->heap, address, &block)) {
    report(warp, inst, lane, KIND_OUT_OF_BOUNDS,
           "%s of %u bytes of the heap, in no block", what, size);
    return;
  }
  const unsigned long long at = address - block.start, room = block.size;
  if (block.freed_by && at < block.size)
    report(warp, inst, lane, KIND_USE_AFTER_FREE,
           "%s of %u bytes at byte %llu of a block of %llu bytes of the heap, "
           "which was freed",
           what, size, at, room);
  else
    report(warp, inst, lane, KIND_OUT_OF_BOUNDS,
           "%s of %u bytes at byte %llu of a block of %llu bytes of the heap",
           what, size, at, room);
}

static bool heap_holds(Heap *heap, uint64_t address, uint32_t size) {
  HeapBlock block;
  return heap && heap_find(heap, address, &block) && !block.freed_by &&
         address - block.start <= block.size &&
         size <= block.size - (address - block.start);
}

// The allocation at the address or nearest to it; NULL: none.
static const Allocation *nearest(const Memory *memory, uint64_t address) {
  const Allocation *before = memory_find(memory, address);
  const Allocation *after = before ? before + 1 : memory->list;
  if (after == memory->list + memory->count) return before;
  if (!before) return after;
  const uint64_t end = before->start + before->size;
  return address < end || address - end < after->start - address ? before
                                                                 : after;
}

// Reports an access that is in no allocation.
static void report_outside(const Warp *warp, const Inst *inst, int lane,
                           uint64_t address, uint32_t size, Access access) {
  const Launch *launch = warp->cta->launch;
  const Allocation *near = nearest(launch->memory, address);
  const char *what = access_name(access);
  const unsigned long long at = address;
  char name[80];
  if (!near) {
    report(warp, inst, lane, KIND_OUT_OF_BOUNDS,
           "%s of %u bytes at 0x%llx, which is in no allocation", what, size,
           at);
    return;
  }
  memory_describe(launch, near, name, sizeof name);
  if (address < near->start)
    report(warp, inst, lane, KIND_OUT_OF_BOUNDS,
           "%s of %u bytes at 0x%llx: %llu byte%s before %s", what, size, at,
           near->start - at, near->start - at == 1 ? "" : "s", name);
  else
    report(warp, inst, lane, KIND_OUT_OF_BOUNDS,
           "%s of %u bytes at 0x%llx: byte %llu of %s", what, size, at,
           at - near->start, name);
}

static void report_global(const Warp *warp, const Inst *inst, int lane,
                          uint64_t address, uint32_t size, Access access) {
  const Launch *launch = warp->cta->launch;
  const Allocation *found = memory_find(launch->memory, address);
  const char *what = access_name(access);
  char name[80];
  if (!inside(found, address, size)) {
    report_outside(warp, inst, lane, address, size, access);
    return;
  }
  const unsigned long long at = address - found->start;
  memory_describe(launch, found, name, sizeof name);
  if (found->owner != launch->owner && !found->is_everyones)
    report(warp, inst, lane, KIND_OUT_OF_BOUNDS,
           "%s of %u bytes at byte %llu of %s of another context", what, size,
           at, name);
  else
    report(warp, inst, lane,
           found->freed ? KIND_USE_AFTER_FREE : KIND_READ_ONLY,
           "%s of %u bytes at byte %llu of %s, which %s", what, size, at, name,
           found->freed ? "was freed" : "is constant");
}

static bool place_global(Warp *warp, const Inst *inst, int lane,
                         uint64_t address, uint32_t size, Access access,
                         Place *place) {
  if (!inside(warp->last, address, size))
    warp->last = memory_find(warp->cta->launch->memory, address);
  if (!inside(warp->last, address, size) || warp->last->freed ||
      (warp->last->owner != warp->cta->launch->owner &&
       !warp->last->is_everyones) ||
      (warp->last->is_const && access != ACCESS_READ)) {
    report_global(warp, inst, lane, address, size, access);
    return false;
  }
  if (warp->last->kind == MEMORY_HEAP &&
      !heap_holds(warp->cta->launch->heap, address, size)) {
    report_heap(warp, inst, lane, address, size, access);
    return false;
  }
  if (warp->last->is_everyones) warp->cta->launch->hears_host = true;
  warp->far++;
  place->host = (uint8_t *)(uintptr_t)address;
  return true;
}

// Checks an access to a space of the warp: `total` bytes from `base`.
static bool place_inside(Warp *warp, const Inst *inst, int lane,
                         const char *name, uint8_t *base, uint64_t total,
                         uint32_t size, Access access, Place *place) {
  if (place->offset <= total && size <= total - place->offset) {
    place->host = base + place->offset;
    return true;
  }
  report(warp, inst, lane, KIND_OUT_OF_BOUNDS,
         "%s of %u bytes at byte %lld of %llu bytes of %s memory",
         access_name(access), size, (long long)place->offset,
         (unsigned long long)total, name);
  return false;
}

// The CTA of an address in shared memory, and the offset there.
static bool find_peer(const Warp *warp, const Inst *inst, int lane,
                      Place *place) {
  Cta *cta = warp->cta;
  const uint64_t rank = (place->offset >> RANK_SHIFT) - 1;
  if (rank == NO_RANK) {
    report(warp, inst, lane, KIND_OUT_OF_BOUNDS,
           "shared memory of a rank that a cluster of %u does not have",
           cluster_size(cta));
    return false;
  }
  if (rank >= cluster_size(cta)) {
    report(warp, inst, lane, KIND_OUT_OF_BOUNDS,
           "shared memory of rank %llu in a cluster of %u",
           (unsigned long long)rank, cluster_size(cta));
    return false;
  }
  place->cta = cluster_at(cta, (uint32_t)rank);
  place->offset &= (UINT64_C(1) << RANK_SHIFT) - 1;
  place->cta->is_visited = place->cta->is_visited || place->cta != cta;
  if (place->cta->is_done)
    report(warp, inst, lane, KIND_PEER_EXITED,
           "byte %llu of shared memory of CTA %u,%u,%u of the cluster, which "
           "has returned",
           (unsigned long long)place->offset, place->cta->index[0],
           place->cta->index[1], place->cta->index[2]);
  return true;
}

static bool place_shared(Warp *warp, const Inst *inst, int lane, uint32_t size,
                         Access access, Place *place) {
  if (place->offset >> RANK_SHIFT && !find_peer(warp, inst, lane, place))
    return false;
  const Cta *cta = place->cta;
  uint32_t total = cta->shared_size;
  if (cta->reserved_at && place->offset >= RESERVED_OFFSET &&
      place->offset < RESERVED_OFFSET + RESERVED_BYTES) {
    place->offset += cta->reserved_at - (uint64_t)RESERVED_OFFSET;
    total = cta->shared_end;
  }
  return place_inside(warp, inst, lane, "shared", cta->shared, total, size,
                      access, place);
}

uint8_t *memory_local(const Warp *warp, int lane, uint64_t offset,
                      uint32_t size) {
  const uint32_t room = warp->cta->launch->local_size;
  if (offset > room || size > room - offset) return NULL;
  return warp->local + (size_t)lane * room + offset;
}

void memory_window(Place *place, uint64_t address) {
  const uint64_t window = address & ~(WINDOW_SIZE - 1);
  if (window == SHARED_WINDOW)
    place->space = SPACE_SHARED;
  else if (window == LOCAL_WINDOW)
    place->space = SPACE_LOCAL;
  else if (window == PARAM_WINDOW)
    place->space = SPACE_PARAM;
  else
    place->space = SPACE_GLOBAL;
  if (place->space != SPACE_GLOBAL) place->offset = address - window;
}

bool memory_place(Warp *warp, const Inst *inst, int lane, uint8_t space,
                  uint64_t address, uint32_t size, Access access,
                  Place *place) {
  return memory_place_aligned(warp, inst, lane, space, address, size, size,
                              access, place);
}

bool memory_place_aligned(Warp *warp, const Inst *inst, int lane, uint8_t space,
                          uint64_t address, uint32_t size, uint32_t align,
                          Access access, Place *place) {
  const Launch *launch = warp->cta->launch;
  warp->cta->writes += access != ACCESS_READ;
  *place = (Place){.space = space, .offset = address, .cta = warp->cta};
  if (space == SPACE_GENERIC) memory_window(place, address);
  if (place->space == SPACE_PARAM && place->offset < PARAM_BASE)
    place->space = SPACE_LOCAL; // parameters of a call
  if (address % align) {
    report(warp, inst, lane, KIND_MISALIGNED, "%s of %u bytes at 0x%llx",
           access_name(access), size, (unsigned long long)address);
    return false;
  }
  switch (place->space) {
  case SPACE_SHARED: return place_shared(warp, inst, lane, size, access, place);
  case SPACE_LOCAL:
    if (access != ACCESS_READ && launch_sees_local(launch)) warp->cta->writes--;
    return place_inside(warp, inst, lane, "local",
                        warp->local + (size_t)lane * launch->local_size,
                        launch->local_size, size, access, place);
  case SPACE_PARAM:
    place->offset -= PARAM_BASE;
    return place_inside(warp, inst, lane, "parameter", launch->params,
                        launch->code->param_size, size, access, place);
  default: return place_global(warp, inst, lane, address, size, access, place);
  }
}
