// touches.c -- accesses to shared memory between barriers.
#include "passes/shared/touches.h"

#include "ir/exchange.h"
#include "passes/analysis/analysis.h"

#include <assert.h>

static int64_t num_slots(const Type *ring, const Type *slot) {
  return buffer_bytes(ring) / buffer_bytes(slot);
}

// The bytes of a view: of a slot with a known number, or of all slots.  An
// index outside of the ring counts as unknown.
static void find_bytes(const Value *view, SlotTouch *out) {
  int64_t far = 0, bytes = buffer_bytes(view->type);
  for (; view->def->kind != OP_alloc_shared; view = op_operand(view->def, 0)) {
    int64_t slot;
    const Op *op = view->def;
    if (op->kind == OP_view_trans) continue;
    if (op->kind == OP_view_index &&
        value_constant_int(op_operand(op, 1), &slot) && slot >= 0 &&
        slot < num_slots(op_operand(op, 0)->type, view->type)) {
      far += slot * buffer_bytes(view->type);
      continue;
    }
    far = 0;
    bytes = buffer_bytes(op_operand(op, 0)->type);
  }
  assert(far >= 0 && far + bytes <= buffer_bytes(view->type) &&
         "a slot beyond its buffer"); // I4
  out->start = op_int(view->def, ATTR_offset) + far;
  out->end = out->start + bytes;
}

SlotTouch touch_of(const Value *buffer, const Type *tile, TouchKind kind) {
  const Type *type = buffer->type;
  const int64_t bytes = element_bytes(type->element);
  SlotTouch touch = {
      .slot = buffer_bytes(type),
      .write = kind != TOUCH_LOAD,
      .owners = owners_of(tile->layout, type->layout, bytes, kind),
  };
  find_bytes(buffer, &touch);
  return touch;
}

SlotTouch touch_of_bytes(const Value *buffer, bool write) {
  SlotTouch touch = {.slot = buffer_bytes(buffer->type), .write = write};
  find_bytes(buffer, &touch);
  return touch;
}

// Does each thread access only its own bytes again?
static bool is_by_same(const SlotTouch *a, const SlotTouch *b) {
  const int64_t far = a->start - b->start;
  const bool slots =
      a->slot != a->end - a->start || b->slot != b->end - b->start;
  const bool meet = slots ? a->slot == b->slot && far % a->slot == 0 : !far;
  return meet && owners_agree(&a->owners, &b->owners);
}

static bool covers(const SlotTouch *a, const SlotTouch *b) {
  return a->age == b->age && a->waited <= b->waited && a->groups <= b->groups &&
         (!a->owners.known || is_by_same(a, b)) && a->start <= b->start &&
         b->end <= a->end && (a->write || !b->write);
}

bool touches_add(Arena *arena, Touches *set, SlotTouch touch) {
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

bool touches_clash(const Touches *set, const SlotTouch *touch) {
  for (size_t i = 0; i < set->count; i++) {
    const SlotTouch *other = &set->items[i];
    if (!other->write && !touch->write) continue;
    if (is_by_same(other, touch)) continue;
    if (other->start < touch->end && touch->start < other->end) return true;
  }
  return false;
}
