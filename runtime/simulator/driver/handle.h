// handle.h -- handles, which a program gets instead of pointers.
//
// A handle is a slot of a table, and the number of objects that have been in
// the slot.  So a handle that was destroyed, or is no handle, finds nothing.
#ifndef TILE_SIMULATOR_HANDLE_H
#define TILE_SIMULATOR_HANDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
  HANDLE_NONE,
  HANDLE_CONTEXT,
  HANDLE_MODULE,
  HANDLE_FUNCTION,
  HANDLE_STREAM,
  HANDLE_EVENT,
  HANDLE_LIBRARY,
  HANDLE_KERNEL,
  HANDLE_LINK,
  HANDLE_POOL,
} HandleKind;

typedef struct HandleSlot {
  uint32_t turn; // number of objects in this slot so far
  HandleKind kind;
  void *object;
  size_t next_free;
} HandleSlot;

typedef struct Handles {
  HandleSlot *slots;
  size_t count, room, free; // `free` is a slot's index plus 1, 0: none
} Handles;

// NULL without memory.
void *handle_create(Handles *handles, HandleKind kind, void *object);
// The object, or NULL if the handle is none of that kind.
void *handle_find(const Handles *handles, HandleKind kind, const void *handle);
void handle_destroy(Handles *handles, const void *handle);
// The object in that slot, which may be NULL; `index` counts from 0.
void *handle_at(const Handles *handles, HandleKind kind, size_t index);

#endif
