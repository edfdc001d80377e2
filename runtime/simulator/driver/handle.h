// handle.h -- handles, which a program holds instead of pointers.
//
// A handle is a number: a place in a table, and how often that place has been
// taken.  So one that was destroyed, or never was one, finds nothing.
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
  uint32_t turn; // counts the objects that have been here
  HandleKind kind;
  void *object;
  size_t next_free;
} HandleSlot;

typedef struct Handles {
  HandleSlot *slots;
  size_t count, room, free; // `free` is one more than a slot, 0 for none
} Handles;

// NULL without memory.
void *handle_create(Handles *handles, HandleKind kind, void *object);
// The object, or NULL where the handle is none of that kind.
void *handle_find(const Handles *handles, HandleKind kind, const void *handle);
void handle_destroy(Handles *handles, const void *handle);
// The object in that place, which may be NULL; `index` counts from 0.
void *handle_at(const Handles *handles, HandleKind kind, size_t index);

#endif
