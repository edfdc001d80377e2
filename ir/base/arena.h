// arena.h -- memory that is released all at once.
//
// All objects of a compilation live in an Arena and are released by one
// arena_free().  An Arena never returns NULL: if the allocator refuses, control
// returns to the enclosing arena_protect(), which returns false.
#ifndef TILE_IR_BASE_ARENA_H
#define TILE_IR_BASE_ARENA_H

#include <setjmp.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
  void *(*alloc)(void *ctx, size_t size);
  void (*free)(void *ctx, void *block);
  void *ctx;
} Allocator;

extern const Allocator system_allocator;

typedef struct ArenaBlock ArenaBlock;
typedef struct ArenaCleanup ArenaCleanup;

typedef struct {
  const Allocator *from;
  ArenaBlock *blocks;
  ArenaCleanup *cleanups;
  char *cursor, *limit;
  jmp_buf *on_oom;
  size_t used; // bytes taken from `from`
} Arena;

void arena_init(Arena *arena, const Allocator *from);
// Runs the pending cleanups, newest first, and returns all memory.
void arena_free(Arena *arena);

// Runs body(data); false if memory ran out on the way, after the cleanups
// deferred since entry have run.  Calls may nest.  The only setjmp.
bool arena_protect(Arena *arena, void (*body)(void *data), void *data);

// Zero-filled memory for `count` elements; never NULL.
void *arena_alloc(Arena *arena, size_t count, size_t size, size_t align);
// For callers whose own allocation fails: the same exit as for the arena's.
_Noreturn void arena_out_of_memory(Arena *arena);
char *arena_strndup(Arena *arena, const char *text, size_t length);
char *arena_strdup(Arena *arena, const char *text);

// A resource outside the arena (an LLVM module, a lock, a file) is released by
// run(data) at arena_free() or when arena_protect() unwinds, exactly once.
ArenaCleanup *arena_defer(Arena *arena, void (*run)(void *data), void *data);
// Runs the cleanup now; it will not run again.
void arena_cleanup_now(ArenaCleanup *cleanup);

#define arena_new(arena, T)                                                    \
  ((T *)arena_alloc((arena), 1, sizeof(T), alignof(T)))
#define arena_array(arena, T, count)                                           \
  ((T *)arena_alloc((arena), (size_t)(count), sizeof(T), alignof(T)))

#endif
