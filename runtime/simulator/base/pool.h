// pool.h -- an arena: memory that is freed all at once, and strings in it.
#ifndef TILE_SIMULATOR_POOL_H
#define TILE_SIMULATOR_POOL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct PoolChunk PoolChunk;

// A failed allocation jumps to `out_of_memory`, which the owner of the pool
// sets first by setjmp().
typedef struct Pool {
  PoolChunk *chunks;
  size_t used;
  jmp_buf out_of_memory;
} Pool;

// Zeroed, aligned to 16 bytes.
void *pool_alloc(Pool *pool, size_t size);
void pool_free(Pool *pool); // all of it
char *pool_copy(Pool *pool, const char *text, size_t length);
char *pool_print(Pool *pool, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#define POOL_NEW(pool, T)      ((T *)pool_alloc((pool), sizeof(T)))
#define POOL_ARRAY(pool, T, n) ((T *)pool_alloc((pool), (n) * sizeof(T)))

// A map from text to numbers; the first value of a name stays.
typedef struct {
  Pool *pool;
  struct NameEntry *entries;
  size_t size, count; // size is a power of two
} NameMap;

void *name_map_find(const NameMap *map, const char *name);
void name_map_add(NameMap *map, const char *name, void *value);

#endif
