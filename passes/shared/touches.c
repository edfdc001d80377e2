// touches.c -- what is touched of shared memory between barriers.
#include "passes/shared/touches.h"

#include <assert.h>

// Do threads come back to their own bytes?
static bool is_by_same(const Touch *a, const Touch *b) {
  const int64_t far = a->start - b->start;
  const bool slots =
      a->slot != a->end - a->start || b->slot != b->end - b->start;
  const bool meet = slots ? a->slot == b->slot && far % a->slot == 0 : !far;
  return meet && owners_agree(&a->owners, &b->owners);
}

static bool covers(const Touch *a, const Touch *b) {
  return a->age == b->age && (!a->owners.known || is_by_same(a, b)) &&
         a->start <= b->start && b->end <= a->end && (a->write || !b->write);
}

bool touches_add(Arena *arena, Touches *set, Touch touch) {
  assert(touch.start < touch.end && touch.slot > 0 &&
         "it touches nothing"); // I4
  for (size_t i = 0; i < set->count; i++) {
    if (covers(&set->items[i], &touch)) return false;
  }
  vec_push(arena, set, touch);
  return true;
}

bool touches_add_all(Arena *arena, Touches *set, const Touches *more) {
  bool grown = false;
  for (size_t i = 0; i < more->count; i++) {
    grown |= touches_add(arena, set, more->items[i]);
  }
  return grown;
}

bool touches_clash(const Touches *set, const Touch *touch) {
  for (size_t i = 0; i < set->count; i++) {
    const Touch *other = &set->items[i];
    if (!other->write && !touch->write) continue;
    if (is_by_same(other, touch)) continue;
    if (other->start < touch->end && touch->start < other->end) return true;
  }
  return false;
}
