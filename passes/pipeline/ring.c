// ring.c -- buffers for a load, filled by copies, read by its users.
//
// A user that converts the loaded tile, or its transpose, reads the buffer
// directly in the layout that it needs: for operands of matrix instructions, by
// ldmatrix.
//
// For example, `%y = load %p` of a tile of 32x64 and `%c = convert_layout %y`
// in a loop with three stages: the ring is memdesc<2x32x64xf16>.  A trip waits
// for its buffer, reads %c from it by `load_shared`, in the layout of the
// conversion, and, behind a barrier, copies the tile of the trip after the next
// into it.
#include "passes/pipeline/pipeline.h"

#include "ir/exchange.h"
#include "ir/layout_access.h"
#include "ir/runs.h"
#include "ir/tensor_box.h"
#include "passes/analysis/analysis.h"
#include "passes/pipeline/schedule.h"

#include <assert.h>

// -- Layouts -----------------------------------------------------------------

static int axes_of(const Op *trans, int *axes, bool inverse) {
  const Attr *order = op_attr(trans, ATTR_order);
  for (int i = 0; i < order->as.ints.count; i++) {
    const int from = (int)order->as.ints.items[i];
    if (inverse) {
      axes[from] = i;
    } else {
      axes[i] = from;
    }
  }
  return order->as.ints.count;
}

static Op *first_conversion(const Value *x) {
  for (const Use *use = x->uses; use; use = use->next) {
    if (use->user->kind == OP_convert_layout) return use->user;
  }
  return NULL;
}

// The layout in which the tile is read: that of a dot's operand, or the load's.
static const Layout *read_layout(Module *m, const Op *load) {
  const Op *conversion = first_conversion(op_result(load));
  if (conversion) return op_result(conversion)->type->layout;
  for (const Use *use = op_result(load)->uses; use; use = use->next) {
    if (use->user->kind != OP_trans) continue;
    conversion = first_conversion(op_result(use->user));
    if (!conversion) continue;
    int axes[MAX_RANK];
    axes_of(use->user, axes, true);
    return layout_transpose(&m->layouts, op_result(conversion)->type->layout,
                            axes);
  }
  return op_result(load)->type->layout;
}

// The layout in which groups of warps read the loaded tile as their operand, or
// that of the buffer to which it is stored; NULL: it is no such operand.
static const Layout *operand_layout(Module *m, const Op *load,
                                    const Target *target, int fast) {
  for (const Use *use = op_result(load)->uses; use; use = use->next) {
    if (use->user->kind == OP_alloc_shared)
      return op_result(use->user)->type->layout;
    const bool turned = use->user->kind == OP_trans;
    const Op *conversion = turned ? first_conversion(op_result(use->user))
                                  : first_conversion(use->value);
    if (!conversion) continue;
    const Layout *layout = group_operand(m, op_result(conversion), target,
                                         turned ? 1 - fast : fast);
    if (layout && turned) layout = layout_turn(&m->layouts, layout);
    if (layout) return layout;
  }
  return NULL;
}

// A layout that boxes can fill, preferably that of groups of warps.
static const Layout *block_layout(Module *m, const Op *load,
                                  const Target *target) {
  const Type *type = op_result(load)->type;
  const Layout *of_groups = operand_layout(m, load, target, type->rank - 1);
  TensorBox ignored;
  if (of_groups) {
    const Type *buffer = type_memdesc(&m->types, type->rank, type->shape,
                                      type->element, of_groups, SPACE_SHARED);
    if (tensor_box_of(&m->layouts, buffer, &ignored)) return of_groups;
  }
  return tensor_box_layout(&m->layouts, type);
}

static const Layout *slot_layout(Module *m, const Op *load,
                                 const Target *target) {
  const Type *type = op_result(load)->type;
  if (load_is_block(load)) return block_layout(m, load, target);
  int axis;
  const int run = op_log2_run(load, type->layout, true, &axis);
  const Layout *of_groups = operand_layout(m, load, target, axis);
  if (of_groups) return of_groups;
  const int bits = 8 * (int)element_bytes(type->element);
  const SharedUse store = {type->layout, false};
  const SharedUse read = {read_layout(m, load),
                          target_can(target, CAP_LDMATRIX)};
  return layout_best_copied(&m->layouts, &store, &read, bits, axis, run);
}

// -- Rings -------------------------------------------------------------------

int64_t ring_slot_bytes(const Op *load) {
  return buffer_bytes(op_result(load)->type);
}

Ring ring_create(Builder *b, Op *load, int count, const Target *target) {
  Module *m = b->m;
  const Type *type = op_result(load)->type;
  assert(count >= 1 && type->rank < MAX_RANK && "no such ring"); // I3
  const Layout *layout = slot_layout(m, load, target);
  int64_t shape[MAX_RANK + 1] = {count};
  for (int i = 0; i < type->rank; i++) shape[i + 1] = type->shape[i];
  const Type *all = type_memdesc(&m->types, type->rank + 1, shape,
                                 type->element, layout, SPACE_SHARED);
  Ring ring = {.load = load, .loc = load->loc};
  ring.slot = type_memdesc(&m->types, type->rank, type->shape, type->element,
                           layout, SPACE_SHARED);
  const int none = 0;
  ring.ring = op_result(build_op(b, OP_alloc_shared, 0, NULL, &none, 1, &all));
  ring.ring->name = op_result(load)->name;
  return ring;
}

void ring_free(Builder *b, const Ring *ring) {
  build_value(b, OP_free_shared, 1, (Value *[]){ring->ring}, NULL);
}

Value *ring_next_slot(Builder *b, Value *slot, int count) {
  const Type *i32 = slot->type;
  if (count == 1) return slot;
  Value *next = build_addi(b, i32, slot, build_int(b, i32, 1));
  if (!(count & (count - 1))) {
    return build_andi(b, i32, next, build_int(b, i32, count - 1));
  }
  Value *over =
      build_cmp(b, OP_cmpi, PREDICATE_eq, next, build_int(b, i32, count));
  return build_select(b, i32, over, build_int(b, i32, 0), next);
}

Value *ring_last_slot(Builder *b, Value *slot, int count) {
  const Type *i32 = slot->type;
  Value *end = build_int(b, i32, count - 1);
  if (!(count & (count - 1))) {
    return build_andi(b, i32, build_addi(b, i32, slot, end), end);
  }
  Value *zero = build_int(b, i32, 0);
  Value *first = build_cmp(b, OP_cmpi, PREDICATE_eq, slot, zero);
  Value *before = build_subi(b, i32, slot, build_int(b, i32, 1));
  return build_select(b, i32, first, end, before);
}

Value *ring_next_phase(Builder *b, Value *phase, Value *next) {
  const Type *i32 = phase->type;
  const Op *choice = value_def(next, OP_select);
  Value *zero = build_int(b, i32, 0), *one = build_int(b, i32, 1);
  Value *over = choice ? op_operand(choice, 0)
                       : build_cmp(b, OP_cmpi, PREDICATE_eq, next, zero);
  Value *turned = build_xori(b, i32, phase, build_extui(b, i32, over));
  return build_andi(b, i32, turned, one);
}

static bool is_int(const Value *value, int64_t wanted) {
  int64_t found;
  return value_constant_int(value, &found) && found == wanted;
}

static bool is_sum(const Value *x, OpKind kind, const Value *slot,
                   int64_t number) {
  const Op *op = value_def(x, kind);
  return op && op_operand(op, 0) == slot && is_int(op_operand(op, 1), number);
}

// Does the loop carry the slot in this way?
static bool is_handed_on(const Value *other, const Value *slot, int count) {
  const Op *loop = other->def ? NULL : other->block->parent;
  if (!loop || loop->kind != OP_for || !other->index) return false;
  const int i = other->index - 1;
  return region_yield(loop, 0, i) == slot &&
         is_int(for_init(loop, i), count - 1);
}

Op *ring_view(const Value *view) {
  while (value_def(view, OP_view_trans)) view = op_operand(view->def, 0);
  return value_def(view, OP_view_index);
}

// The sum that ring_last_slot() builds.
bool ring_is_last_slot(const Value *other, const Value *slot, int count) {
  if (is_handed_on(other, slot, count)) return true;
  if (!(count & (count - 1))) {
    const Op *mask = value_def(other, OP_andi);
    return mask && is_int(op_operand(mask, 1), count - 1) &&
           is_sum(op_operand(mask, 0), OP_addi, slot, count - 1);
  }
  const Op *choice = value_def(other, OP_select);
  if (!choice || !is_int(op_operand(choice, 1), count - 1)) return false;
  const Value *condition = op_operand(choice, 0);
  return is_sum(condition, OP_cmpi, slot, 0) &&
         op_int(condition->def, ATTR_predicate) == PREDICATE_eq &&
         is_sum(op_operand(choice, 2), OP_subi, slot, 1);
}

// -- Copies ------------------------------------------------------------------

// A builder at the place of `b` for ops with the location `loc`.
static Builder said_at(const Builder *b, SrcLoc loc) {
  Builder other = *b;
  other.loc = loc;
  return other;
}

static Op *build_async(const Builder *b, SrcLoc loc, OpKind kind, int count,
                       Value *const *operands, const int *groups) {
  Builder at = said_at(b, loc);
  const Type *token = type_token(&b->m->types);
  return build_op(&at, kind, count, operands, groups, 1, &token);
}

Value *ring_copy(Builder *b, const Ring *ring, Value *ptr, Value *mask,
                 Value *slot) {
  assert(ring->slot->layout == ring->ring->type->layout &&
         ring->slot->rank + 1 == ring->ring->type->rank); // I3
  Value *view = build_view_index(b, ring->slot, ring->ring, slot);
  Value *operands[] = {ptr, view, mask};
  const int groups[] = {1, 1, mask != NULL, 0};
  Op *op = build_async(b, ring->loc, OP_async_copy, 2 + (mask != NULL),
                       operands, groups);
  op_copy_attrs(b->m, op, ring->load);
  return op_result(op);
}

void ring_commit(Builder *b, int count, Value *const *tokens) {
  assert(count > 0 && "a group without copies"); // I4
  const SrcLoc loc = tokens[count - 1]->def->loc;
  build_async(b, loc, OP_async_commit, count, tokens, &count);
}

void ring_wait(Builder *b, const Ring *ring, int count) {
  assert(count >= 0 && "fewer copies than none may be on their way"); // I4
  const int none = 0;
  Op *op = build_async(b, ring->loc, OP_async_wait, 0, NULL, &none);
  op_set_int(b->m, op, ATTR_count, count);
}

// -- Readers -----------------------------------------------------------------

static Value *read_as(Builder *b, Value *view, const Type *type) {
  const int groups[] = {1, 0};
  return op_result(build_op(b, OP_load_shared, 1, &view, groups, 1, &type));
}

// `read`: the place of the read; NULL: that of the conversion.
static void read_conversion(Module *m, Op *conversion, Value *view, Op *read) {
  Builder b = builder_before(m, read ? read : conversion);
  Value *result = op_result(conversion);
  Value *x = read_as(&b, view, result->type);
  x->name = result->name;
  value_replace_uses(result, x);
  op_erase(conversion);
}

static Value *transposed(Builder *b, const Op *trans, Value *view) {
  Module *m = b->m;
  int axes[MAX_RANK];
  axes_of(trans, axes, false);
  const Type *type = op_result(trans)->type;
  const Layout *layout =
      layout_transpose(&m->layouts, view->type->layout, axes);
  const Type *to = type_memdesc(&m->types, type->rank, type->shape,
                                type->element, layout, SPACE_SHARED);
  Op *op = build_op(b, OP_view_trans, 1, &view, NULL, 1, &to);
  op_set_attr(m, op, *op_attr(trans, ATTR_order));
  return op_result(op);
}

// True if all users of the transpose were replaced.
static bool read_transpose(Builder *b, Op *trans, Value *view, Op *read) {
  Value *result = op_result(trans), *turned = NULL;
  for (Op *at; (at = first_conversion(result));) {
    if (!turned) turned = transposed(b, trans, view);
    read_conversion(b->m, at, turned, read);
  }
  if (result->uses) return false;
  op_erase(trans);
  return true;
}

// Copies write zeros for elements that are masked off.
static Value *with_other(Builder *b, const Op *load, Value *x) {
  if (load_fills_zeros(load)) return x;
  return build_select(b, x->type, op_group(load, 1), x, op_group(load, 2));
}

void ring_read(Builder *b, const Ring *ring, Value *slot, Op *read) {
  Value *x = op_result(ring->load);
  Value *view = build_view_index(b, ring->slot, ring->ring, slot);
  if (load_fills_zeros(ring->load)) {
    for (Op *at; (at = first_conversion(x));) {
      read_conversion(b->m, at, view, read);
    }
    for (Use *use = x->uses, *next; use; use = next) {
      next = use->next;
      if (use->user->kind == OP_trans) {
        read_transpose(b, use->user, view, read);
      }
    }
  }
  if (!x->uses) return;
  Builder at = builder_before(b->m, read ? read : ring->load);
  Value *loaded = with_other(&at, ring->load, read_as(&at, view, x->type));
  loaded->name = x->name;
  value_replace_uses(x, loaded);
  assert(!x->uses && "the load is still read"); // I5
}
