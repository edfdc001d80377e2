// handle.c -- a table of objects, and handles of its slots.
//
// From the lowest bit, a handle has eight bits that no aligned pointer has, 24
// of the slot, 32 of the turn.
#include "runtime/simulator/driver/handle.h"

#include <assert.h>
#include <stdlib.h>

enum { MARK = 0xa5, MOST_SLOTS = 1 << 24 };

static void *encode(size_t index, uint32_t turn) {
  assert(index < MOST_SLOTS && "a place that no handle names"); // I2
  const uint64_t bits = (uint64_t)turn << 32 | (uint64_t)index << 8 | MARK;
  return (void *)(uintptr_t)bits;
}

static HandleSlot *slot_of(const Handles *handles, const void *handle) {
  const uint64_t bits = (uintptr_t)handle;
  const size_t index = (size_t)(bits >> 8 & (MOST_SLOTS - 1));
  if ((bits & 255) != MARK || index >= handles->count) return NULL;
  HandleSlot *slot = &handles->slots[index];
  return slot->kind && slot->turn == bits >> 32 ? slot : NULL;
}

static bool make_room(Handles *handles) {
  if (handles->count < handles->room) return true;
  const size_t room = handles->room ? handles->room * 2 : 64;
  if (room > MOST_SLOTS) return false;
  HandleSlot *bigger = realloc(handles->slots, room * sizeof *bigger);
  if (!bigger) return false;
  handles->slots = bigger;
  handles->room = room;
  return true;
}

void *handle_create(Handles *handles, HandleKind kind, void *object) {
  size_t index = handles->count;
  uint32_t turn = 1;
  if (handles->free) {
    index = handles->free - 1;
    assert(handles->slots[index].kind == HANDLE_NONE && "it is taken"); // I1
    handles->free = handles->slots[index].next_free;
    turn = handles->slots[index].turn + 1;
  } else if (make_room(handles)) {
    handles->count++;
  } else {
    return NULL;
  }
  handles->slots[index] = (HandleSlot){turn, kind, object, 0};
  return encode(index, turn);
}

void *handle_find(const Handles *handles, HandleKind kind, const void *handle) {
  const HandleSlot *slot = slot_of(handles, handle);
  return slot && slot->kind == kind ? slot->object : NULL;
}

void handle_destroy(Handles *handles, const void *handle) {
  HandleSlot *slot = slot_of(handles, handle);
  if (!slot) return;
  slot->kind = HANDLE_NONE;
  slot->object = NULL;
  slot->next_free = handles->free;
  handles->free = (size_t)(slot - handles->slots) + 1;
}

void *handle_at(const Handles *handles, HandleKind kind, size_t index) {
  const HandleSlot *slot = &handles->slots[index];
  return slot->kind == kind ? slot->object : NULL;
}
