// element.c -- the function of map_elementwise(), where tiles stand for
// elements.
//
// All elements of a tile compute both branches of an `if`.  If a branch reads
// memory or contains an assertion, these ops get a mask of the elements that
// take the branch; masks of nested `if`s are combined.  A `while` in a branch
// ends at once if no element takes the branch.
#include "frontend/walk/element.h"

#include "frontend/core/builtins.h"
#include "frontend/errors.h"

#include <assert.h>
#include <string.h>

// -- Values of the function --------------------------------------------------

static bool has_tile(Walk *w, const Object *x) {
  const int n = x ? object_num_values(x) : 0;
  Value **values = arena_array(w->arena, Value *, n + 1), **cursor = values;
  if (x) object_values(x, &cursor);
  for (int i = 0; i < n; i++) {
    if (type_is_tile(values[i]->type)) return true;
  }
  return false;
}

static const Object *spread_items(Walk *w, SrcLoc loc, const Object *x,
                                  const Object *model) {
  const int n = x->as.tuple.count;
  const Object **items = arena_array(w->arena, const Object *, n + 1);
  bool same = true;
  for (int i = 0; i < n; i++) {
    const Object *item = x->as.tuple.items[i];
    items[i] = spread_as(w, loc, item, model ? model->as.tuple.items[i] : NULL);
    if (!items[i]) return NULL;
    same = same && items[i] == item;
  }
  return same ? x : object_with_items(w->arena, x, items);
}

static bool are_as_long(const Object *x, const Object *y) {
  return y->kind == OBJECT_TUPLE && y->as.tuple.count == x->as.tuple.count;
}

const Object *spread_as(Walk *w, SrcLoc loc, const Object *x,
                        const Object *model) {
  if (!w->mapping) return x;
  if (x->kind == OBJECT_TUPLE && (!model || are_as_long(x, model)))
    return spread_items(w, loc, x, model);
  if (model && !object_is_tile(model)) return x;
  if (object_is_number(x)) x = to_tensor(w, loc, x);
  if (!x || !object_is_tensor(x) || object_is_window(x) || object_is_tile(x))
    return x;
  return tensor_broadcast_to(w, loc, x, w->mapping->rank, w->mapping->shape);
}

// -- Ops that the function may build -----------------------------------------

// A barrier does not count, since all elements reach it together.
static bool has_effects(const Op *op) {
  if (op->kind == OP_device_assert || op->kind == OP_barrier) return false;
  if (op->kind == OP_load) return op_attr(op, ATTR_volatile) != NULL;
  return !op_is_pure(op) && (op_effects(op) & ~EFFECTS_READ ||
                             op_has(op, TRAIT_KEEP | TRAIT_CONVERGENT));
}

static bool is_of_elements(const Op *op) {
  static const OpKind kinds[] = {
      OP_constant,   OP_program_id, OP_num_programs, OP_splat,
      OP_hint,       OP_load,       OP_barrier,      OP_device_assert,
      OP_inline_asm, OP_if,         OP_for,          OP_while,
  };
  if (op_has(op, TRAIT_ELEMENTWISE)) return true;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (op->kind == kinds[i]) return true;
  }
  return false;
}

// Does the builtin make a tile other than those that stand for elements?
static bool makes_tile(Walk *w, const BuiltinCall *c, const Object *result) {
  bool of_elements = !has_tile(w, result) || !strcmp(c->info->name, "load");
  for (int i = 0; i < MAX_BUILTIN_PARAMS && !of_elements; i++)
    of_elements = has_tile(w, c->args[i]);
  for (int i = 0; i < c->num_rest && !of_elements; i++)
    of_elements = has_tile(w, c->rest[i]);
  return !of_elements;
}

const Object *shape_element(Walk *w, const BuiltinCall *c, const Object *x,
                            int rank) {
  if (!rank) return x;
  return walk_error(w, c->loc, ERROR_map_tiles, c->info->name);
}

const Object *check_elements(Walk *w, const BuiltinCall *c, const Op *before,
                             const Object *result) {
  const Op *op = before ? before->next : w->b.block->first;
  for (; op; op = op->next) {
    const char *what = op->kind == OP_load ? "volatile=True" : c->info->name;
    if (has_effects(op)) return walk_error(w, c->loc, ERROR_map_effects, what);
    if (!is_of_elements(op)) break;
  }
  if (!op && !makes_tile(w, c, result)) return result;
  return walk_error(w, c->loc, ERROR_map_tiles, c->info->name);
}

// -- Ops in a branch ---------------------------------------------------------

// `y`, splat to a tile if `x` is one.
static Value *spread(Builder *b, Value *x, Value *y) {
  const bool spreads = type_is_tile(x->type) && !type_is_tile(y->type);
  return spreads ? build_splat(b, x->type, y) : y;
}

static Value *both_masks(Builder *b, Value *x, Value *y) {
  y = spread(b, x, y);
  assert(x->type == y->type);
  return build_andi(b, x->type, x, y);
}

// In both ops the second group of operands is the mask.
static void add_mask(Walk *w, Op *op, Value *mask) {
  enum { MASK = 1 };
  assert(op->kind == OP_load || op->kind == OP_device_assert);
  Builder at = builder_before(w->m, op);
  Value *own = op_group(op, MASK);
  if (own)
    op_set_operand(op, op_group_start(op, MASK), both_masks(&at, mask, own));
  else
    op_add_operand(w->m, op, MASK, mask);
}

// A scalar condition must hold for elements in the mask only, so it becomes a
// tile.
static void guard_assert(Walk *w, Op *op, Value *mask) {
  Builder at = builder_before(w->m, op);
  op_set_operand(op, 0, spread(&at, mask, op_operand(op, 0)));
  add_mask(w, op, mask);
}

static const MaskedLoop *find_masked(const Walk *w, const Op *loop) {
  for (size_t i = 0; i < w->masked.count; i++) {
    if (w->masked.items[i].loop == loop) return &w->masked.items[i];
  }
  return NULL;
}

Value *build_inverted(Builder *b, Value *mask) {
  assert(type_element(mask->type)->elem == ELEM_i1);
  return build_xori(b, mask->type, mask, build_int(b, mask->type, 1));
}

Op *build_any(Builder *b, Value *mask, Value **any) {
  const Type *type = mask->type;
  const Type *flat =
      type_tile(&b->m->types, 1, &type->num_elements, type_element(type), NULL);
  Value *all = flat == type ? mask : build_reshape(b, flat, mask);
  if (all != mask) op_set_int(b->m, all->def, ATTR_reorder, 1);
  Op *op = build_reduce(b, 0, 1, &all);
  Block *block = op->regions[0];
  Builder at = builder_at_end(b->m, block, b->loc);
  Value *either =
      build_ori(&at, block->args[0].type, &block->args[0], &block->args[1]);
  build_yield(&at, 1, &either);
  *any = op_result(op);
  return all != mask ? all->def : op;
}

// A `while` with a scalar condition might not end if no element takes the
// branch: its condition gets the mask, too.
static void mask_loop(Walk *w, Op *loop, Value *mask) {
  Builder before = builder_before(w->m, loop);
  Value *any;
  Op *user = build_any(&before, mask, &any);
  Op *end = loop->regions[0]->last;
  Builder at = builder_before(w->m, end);
  Value *condition = op_operand(end, 0);
  op_set_operand(end, 0, build_andi(&at, any->type, any, condition));
  vec_push(w->arena, &w->masked, ((MaskedLoop){loop, user, 0, false}));
}

static void mask_further(Walk *w, const MaskedLoop *loop, Value *mask) {
  Builder at = builder_before(w->m, loop->user);
  assert(loop->operand < loop->user->num_operands);
  Value *own = op_operand(loop->user, loop->operand);
  op_set_operand(loop->user, loop->operand, both_masks(&at, mask, own));
}

// `within`: the block is in a loop that has the mask already.
static void guard(Walk *w, Block *block, Value *mask, bool within) {
  for (Op *op = block->first; op; op = op->next) {
    bool masks = within;
    if (op->kind == OP_load) add_mask(w, op, mask);
    if (op->kind == OP_device_assert) guard_assert(w, op, mask);
    if (op->kind == OP_while) {
      const MaskedLoop *loop = find_masked(w, op);
      if (loop) mask_further(w, loop, mask);
      if (loop && loop->diverges) continue; // its turns have their own mask
      if (!loop && !within) mask_loop(w, op, mask);
      masks = true;
    }
    for (int i = 0; i < op->num_regions; i++)
      guard(w, op->regions[i], mask, masks);
  }
}

void guard_block(Walk *w, Block *block, Value *mask) {
  guard(w, block, mask, false);
}
