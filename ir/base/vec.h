// vec.h -- a typed growable array in an Arena.
//
//   Vec(Value *) list = {0};
//   vec_push(arena, &list, value);
//   for (size_t i = 0; i < list.count; i++) use(list.items[i]);
#ifndef TILE_IR_BASE_VEC_H
#define TILE_IR_BASE_VEC_H

#include "ir/base/arena.h"

#define Vec(T)                                                                 \
  struct {                                                                     \
    T *items;                                                                  \
    size_t count, capacity;                                                    \
  }

// The larger copy of `items`, or `items` itself while there is room.
void *vec_grow(Arena *arena, void *items, size_t count, size_t *capacity,
               size_t size);

#define vec_push(arena, vec, item)                                             \
  ((vec)->items = vec_grow((arena), (vec)->items, (vec)->count,                \
                           &(vec)->capacity, sizeof *(vec)->items),            \
   (vec)->items[(vec)->count++] = (item))

#endif
