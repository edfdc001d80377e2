// plan_slots.c -- tiles that share memory, and their offsets.
//
// Tiles that flow into each other (a loop's initial, carried, yielded and
// resulting value; the accumulator and the result of a dot; a dying elementwise
// operand and the result) get one slot if no two of them are live at the same
// time, so that nothing is copied.  Slots then get offsets, first fit, except
// for tiles that are packed where they are computed.
//
// For example, `s = s * 0.5 + load(...)` in a loop over tiles of 256 floats:
// the initial zeros, the carried and the yielded value have one slot of 1024
// bytes, which each trip reads and writes in place.  The loaded tile has no
// slot: it is computed where it is added.
#include "codegen/host/host.h"

#include <assert.h>
#include <stdlib.h>

static int root(const Host *h, int slot) {
  while (h->slots.items[slot].parent != slot) {
    slot = h->slots.items[slot].parent;
  }
  return slot;
}

int plan_slot_of(const Host *h, const Value *value) {
  assert(host_place(h, value)->buffer && host_place(h, value)->slot >= 0); // I4
  return root(h, host_place(h, value)->slot);
}

static size_t buffer_bytes(const Type *type) {
  const size_t bytes =
      host_buffer_bytes(type->element) * (size_t)type->num_elements;
  return (bytes + 63) / 64 * 64;
}

static void make_slot(Host *h, const Value *value) {
  Placement *place = host_place(h, value);
  if (!place->buffer) return;
  place->slot = (int)h->slots.count;
  BufferSlot slot = {.parent = place->slot,
                     .first = place->position,
                     .last = place->last,
                     .bytes = buffer_bytes(value->type)};
  vec_push(h->e->arena, &slot.places, place);
  vec_push(h->e->arena, &h->slots, slot);
}

// The slots of a `while` are live to the end of its body, where they are
// written.
static void keep_slot(Host *h, const Op *op, const Value *arg) {
  if (op->kind != OP_while || !host_place(h, arg)->buffer) return;
  h->slots.items[host_place(h, arg)->slot].last = host_op(h, op)->end;
}

static void make_slots(Host *h) {
  for (size_t i = 0; i < h->order.count; i++) {
    const Op *op = h->order.items[i];
    for (int r = 0; r < op->num_regions; r++) {
      for (int a = 0; a < op->regions[r]->num_args; a++) {
        make_slot(h, &op->regions[r]->args[a]);
        keep_slot(h, op, &op->regions[r]->args[a]);
      }
    }
    for (int r = 0; r < op->num_results; r++) make_slot(h, &op->results[r]);
  }
}

// -- May two tiles share memory? ---------------------------------------------

// Do the loops of `root` read `leaf` only at the element that they write?
// `same`: the path from there to `op` keeps the index.
static bool reads_in_place(const Host *h, const Op *root, const Op *op,
                           const Value *leaf, bool same) {
  int *seen = &host_op(h, op)->seen[same];
  if (*seen == h->searches) return true;
  *seen = h->searches;
  const bool keeps = op_has(op, TRAIT_ELEMENTWISE) || op->kind == OP_hint ||
                     (op->kind == OP_dot && same);
  for (int i = 0; i < op->num_operands; i++) {
    const Value *operand = op_operand(op, i);
    if (!type_is_tile(operand->type)) continue;
    const bool here = same && keeps && !(op->kind == OP_dot && i < 2);
    if (operand == leaf && !here) return false;
    const Placement *place = host_place(h, operand);
    if (place->buffer && place->fill != root) continue;
    if (!reads_in_place(h, root, operand->def, leaf, here)) return false;
  }
  return true;
}

static bool same_size(const Value *a, const Value *b) {
  return a->type->num_elements == b->type->num_elements &&
         host_buffer_bytes(a->type->element) ==
             host_buffer_bytes(b->type->element);
}

// Does `from` flow into `to`, a result or argument of control flow?
static bool flows_into(const Value *from, const Value *to) {
  const Op *flow = to->def ? to->def : to->block->parent;
  for (const Use *use = from->uses; use; use = use->next) {
    const Op *user = use->user;
    const int shift = user->kind == OP_condition;
    const bool ends = user->kind == OP_yield || user->kind == OP_condition;
    if (ends && user->block->parent == flow && use->index - shift == to->index)
      return true;
    const int first = flow->kind == OP_for ? FOR_INIT : 0;
    const bool enters = user == flow && !to->def;
    const int arg = to->index - (flow->kind == OP_for);
    if (enters && use->index - first == arg) return true;
  }
  return false;
}

// Is `early` last read before `late` is written, or by the same op?  A value
// that is not moved keeps its form.
static bool hands_over(Host *h, const Placement *early, const Placement *late) {
  const Op *writer = late->value->def;
  const bool same_form = early->keeps == late->keeps;
  if (!writer || writer->num_regions) {
    return same_form && flows_into(early->value, late->value) &&
           early->last <= late->position;
  }
  if (writer->kind == OP_dot && !same_form) return false;
  // Loops that also fill another buffer might read in another order.
  if (early->fill || late->fill) return false;
  h->searches++;
  return early->last == late->position &&
         same_size(early->value, late->value) &&
         reads_in_place(h, writer, writer, early->value, true);
}

// A branch's value and the result of its `if`, if the value has no later use.
static bool branch_result(const Host *h, const Placement *from,
                          const Placement *to) {
  const Op *flow = to->value->def;
  return flow && flow->kind == OP_if && flows_into(from->value, to->value) &&
         from->last < host_op(h, flow)->end;
}

static bool may_share(Host *h, const Placement *a, const Placement *b) {
  if (b->position < a->position) return may_share(h, b, a);
  if (a->last < b->position) return true;
  if (branch_result(h, b, a) || branch_result(h, a, b)) return true;
  return hands_over(h, a, b) || hands_over(h, b, a);
}

static bool slots_may_share(Host *h, const BufferSlot *a, const BufferSlot *b) {
  for (size_t i = 0; i < a->places.count; i++) {
    for (size_t j = 0; j < b->places.count; j++) {
      if (!may_share(h, a->places.items[i], b->places.items[j])) return false;
    }
  }
  return true;
}

static void merge(Host *h, int into, int from) {
  BufferSlot *a = &h->slots.items[into], *b = &h->slots.items[from];
  assert(into != from && a->parent == into && b->parent == from); // I4
  b->parent = into;
  if (b->first < a->first) a->first = b->first;
  if (b->last > a->last) a->last = b->last;
  if (b->bytes > a->bytes) a->bytes = b->bytes;
  for (size_t i = 0; i < b->places.count; i++) {
    vec_push(h->e->arena, &a->places, b->places.items[i]);
  }
}

static void force_share(Host *h, const Value *a, const Value *b) {
  if (!host_place(h, a)->buffer) return;
  const int i = plan_slot_of(h, a), j = plan_slot_of(h, b);
  if (i != j) merge(h, i, j);
}

static void try_share(Host *h, const Value *a, const Value *b) {
  if (!type_is_tile(a->type) || !type_is_tile(b->type)) return;
  if (!host_place(h, a)->buffer || !host_place(h, b)->buffer) return;
  const int i = plan_slot_of(h, a), j = plan_slot_of(h, b);
  if (i == j) return;
  if (slots_may_share(h, &h->slots.items[i], &h->slots.items[j])) {
    merge(h, i, j);
  }
}

// -- Candidates for sharing --------------------------------------------------

// The carried values of a for; those of a while behind its condition.
static void force_loop(Host *h, const Op *op) {
  const bool is_while = op->kind == OP_while;
  const Block *body = op->regions[is_while ? 1 : 0];
  for (int i = 0; i < op->num_results; i++) {
    force_share(h, &body->args[i + !is_while], &op->results[i]);
  }
}

static void try_flow(Host *h, const Op *op) {
  for (int r = 0; r < op->num_regions; r++) {
    const Op *end = op->regions[r]->last;
    const int shift = end->kind == OP_condition;
    for (int i = shift; i < end->num_operands; i++) {
      const Value *to = op->kind == OP_while && !shift
                            ? &op->regions[0]->args[i]
                            : &op->results[i - shift];
      try_share(h, to, op_operand(end, i));
    }
  }
  if (op->kind == OP_if) return;
  const int first = op->kind == OP_for ? FOR_INIT : 0;
  for (int i = first; i < op->num_operands; i++) {
    const int arg = i - first + (op->kind == OP_for);
    try_share(h, &op->regions[0]->args[arg], op_operand(op, i));
  }
}

static void share_slots(Host *h) {
  for (size_t i = 0; i < h->order.count; i++) {
    const Op *op = h->order.items[i];
    if (op->kind == OP_for || op->kind == OP_while) force_loop(h, op);
  }
  for (size_t i = 0; i < h->order.count; i++) {
    const Op *op = h->order.items[i];
    if (op->kind == OP_dot) try_share(h, op_operand(op, 2), op_result(op));
  }
  for (size_t i = h->order.count; i-- > 0;) {
    const Op *op = h->order.items[i];
    const bool flow =
        op->kind == OP_for || op->kind == OP_while || op->kind == OP_if;
    if (flow) try_flow(h, op);
  }
  for (size_t i = 0; i < h->order.count; i++) {
    const Op *op = h->order.items[i];
    if (!op_has(op, TRAIT_ELEMENTWISE) || plan_is_virtual(h, op)) continue;
    for (int k = 0; k < op->num_operands; k++) {
      try_share(h, op_operand(op, k), op_result(op));
    }
  }
}

// -- Offsets -----------------------------------------------------------------

static int by_first(const void *a, const void *b) {
  const BufferSlot *const *x = a, *const *y = b;
  if ((*x)->first != (*y)->first) return (*x)->first < (*y)->first ? -1 : 1;
  return *x < *y ? -1 : *x > *y;
}

// The lowest offset that overlaps no slot of `placed` that is live at the same
// time.
static size_t first_fit(BufferSlot *const *placed, size_t count,
                        const BufferSlot *slot) {
  size_t offset = 0;
  for (size_t i = 0; i < count;) {
    const BufferSlot *other = placed[i];
    const bool apart = other->last < slot->first ||
                       other->offset >= offset + slot->bytes ||
                       other->offset + other->bytes <= offset;
    i = apart ? i + 1 : 0;
    if (!apart) offset = other->offset + other->bytes;
  }
  return offset;
}

static bool has_memory(const BufferSlot *slot) {
  return slot->places.count > 1 || !slot->places.items[0]->packed;
}

void plan_slots(Host *h) {
  make_slots(h);
  share_slots(h);
}

void plan_offsets(Host *h) {
  BufferSlot **list = arena_array(h->e->arena, BufferSlot *, h->slots.count);
  size_t count = 0;
  for (size_t i = 0; i < h->slots.count; i++) {
    BufferSlot *slot = &h->slots.items[i];
    if (slot->parent == (int)i && has_memory(slot)) list[count++] = slot;
  }
  if (count) qsort(list, count, sizeof *list, by_first);
  for (size_t i = 0; i < count; i++) {
    list[i]->offset = first_fit(list, i, list[i]);
    assert(list[i]->offset % 64 == 0 && list[i]->first <= list[i]->last); // I1
    const size_t end = list[i]->offset + list[i]->bytes;
    if (end > h->scratch_bytes) h->scratch_bytes = end;
  }
}
