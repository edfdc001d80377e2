// arena.c -- bump allocation in blocks, cleanups as a stack.
//
// An arena that has taken PLENTY takes blocks of a huge page, which the system
// makes at the first access.  As pages of 4 KiB, one by one, they took a third
// of the time in which a kernel of a large package is compiled.
#define _DEFAULT_SOURCE // madvise()
#include "ir/base/arena.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifndef ARENA_BLOCK_SIZE // tests make each allocation a block
#define ARENA_BLOCK_SIZE (64 * 1024)
#endif
enum {
  BLOCK_SIZE = ARENA_BLOCK_SIZE,
  HUGE_PAGE = 2 << 20,
  PLENTY = 8 * BLOCK_SIZE,
  LARGE_BLOCK = BLOCK_SIZE < 64 * 1024 ? BLOCK_SIZE : HUGE_PAGE
};

struct ArenaBlock {
  ArenaBlock *next;
};

struct ArenaCleanup {
  ArenaCleanup *next;
  void (*run)(void *data); // NULL after it has run or was cancelled
  void *data;
};

static void *system_alloc(void *ctx, size_t size) {
  (void)ctx;
  if (size < HUGE_PAGE || size > SIZE_MAX - HUGE_PAGE) return malloc(size);
  const size_t whole = (size + HUGE_PAGE - 1) & ~(size_t)(HUGE_PAGE - 1);
  void *block = aligned_alloc(HUGE_PAGE, whole);
#ifdef MADV_HUGEPAGE
  if (block) madvise(block, whole, MADV_HUGEPAGE); // advice: may fail
#endif
  return block;
}

static void system_free(void *ctx, void *block) {
  (void)ctx;
  free(block);
}

const Allocator system_allocator = {system_alloc, system_free, NULL};

void arena_init(Arena *arena, const Allocator *from) {
  *arena = (Arena){.from = from};
}

static void run_cleanups(Arena *arena, const ArenaCleanup *until) {
  while (arena->cleanups != until) {
    ArenaCleanup *cleanup = arena->cleanups;
    arena->cleanups = cleanup->next;
    if (cleanup->run) cleanup->run(cleanup->data);
  }
}

void arena_free(Arena *arena) {
  run_cleanups(arena, NULL);
  for (ArenaBlock *block = arena->blocks, *next; block; block = next) {
    next = block->next;
    arena->from->free(arena->from->ctx, block);
  }
  arena_init(arena, arena->from);
}

bool arena_protect(Arena *arena, void (*body)(void *data), void *data) {
  jmp_buf on_oom;
  jmp_buf *const outer = arena->on_oom;
  ArenaCleanup *const until = arena->cleanups;
  arena->on_oom = &on_oom;
  if (setjmp(on_oom)) {
    arena->on_oom = outer;
    run_cleanups(arena, until);
    return false;
  }
  body(data);
  assert(arena->on_oom == &on_oom && "a nested protect was left open"); // I1
  arena->on_oom = outer;
  return true;
}

void arena_out_of_memory(Arena *arena) {
  assert(arena->on_oom && "allocating outside arena_protect");
  longjmp(*arena->on_oom, 1);
}

static void add_block(Arena *arena, size_t need) {
  const size_t usual =
      arena->used < PLENTY ? sizeof(ArenaBlock) + BLOCK_SIZE : LARGE_BLOCK;
  const size_t most = sizeof(ArenaBlock) + need;
  const size_t size = most > usual ? most : usual;
  ArenaBlock *block = arena->from->alloc(arena->from->ctx, size);
  if (!block) arena_out_of_memory(arena);
  block->next = arena->blocks;
  arena->blocks = block;
  arena->cursor = (char *)(block + 1);
  arena->limit = (char *)block + size;
  arena->used += size;
}

void *arena_alloc(Arena *arena, size_t count, size_t size, size_t align) {
  assert(align && !(align & (align - 1)) && "not a power of two"); // I2
  if (size && count > (SIZE_MAX / 2) / size) arena_out_of_memory(arena);
  size_t bytes = count * size;
  size_t pad = -(uintptr_t)arena->cursor & (align - 1);
  if (!arena->cursor || bytes + pad > (size_t)(arena->limit - arena->cursor)) {
    add_block(arena, bytes + align);
    pad = -(uintptr_t)arena->cursor & (align - 1);
  }
  void *result = arena->cursor + pad;
  arena->cursor += pad + bytes;
  assert(arena->cursor <= arena->limit && "a block overflows"); // I2
  return memset(result, 0, bytes);
}

char *arena_strndup(Arena *arena, const char *text, size_t length) {
  char *copy = arena_array(arena, char, length + 1);
  return memcpy(copy, text, length);
}

char *arena_strdup(Arena *arena, const char *text) {
  return arena_strndup(arena, text, strlen(text));
}

ArenaCleanup *arena_defer(Arena *arena, void (*run)(void *data), void *data) {
  ArenaCleanup *cleanup = arena_new(arena, ArenaCleanup);
  *cleanup = (ArenaCleanup){arena->cleanups, run, data};
  arena->cleanups = cleanup;
  return cleanup;
}

void arena_cleanup_now(ArenaCleanup *cleanup) {
  void (*run)(void *data) = cleanup->run;
  cleanup->run = NULL;
  if (run) run(cleanup->data);
}
