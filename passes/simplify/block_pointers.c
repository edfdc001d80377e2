// block_pointers.c -- block pointers and descriptors become pointers and masks.
//
// A block pointer is replaced by its base, shape, strides and offsets; loops
// and branches carry these parts instead (canonicalize then finds those that
// never change).  A descriptor with a tensor map stays, and so do its users;
// loads and stores of a block pointer with a map use its descriptor.  A
// descriptor has no offsets, and its padding is no value: if one is carried,
// all of the function must have the same padding. Addresses are computed in
// i64, and only the checked dimensions are compared.  The old value stays in
// the IR, as a key, until all its users are gone.
//
// For example, a load_block with boundary = [0], of 8x16 elements from row %at
// on in a matrix of %rows and %cols, becomes a load from %x + %at * %cols + row
// * %cols + column, under the mask %at + row < max(%rows, 0), compared as
// unsigned numbers.  A loop that carries a block pointer of rank 2 carries
// seven values instead: base, two sizes, two strides, two offsets.
#include "passes/analysis/analysis.h"
#include "passes/analysis/walk.h"
#include "passes/errors.h"
#include "passes/pass.h"
#include "passes/simplify/tensor_maps.h"

#include <assert.h>
#include <math.h>

typedef struct {
  Value *base;
  Value *shape[MAX_RANK], *strides[MAX_RANK];
  Value *offsets[MAX_RANK]; // NULL in a descriptor
  int64_t padding;          // for a descriptor
} PointerParts;

typedef struct {
  Module *m;
  Map parts; // Value to PointerParts
  Map maps;  // access by a block pointer with a map, to the Op that made it
  Vec(Op *) descriptors; // descriptors with maps
  Vec(Op *) dead;
  bool is_narrow;  // all sizes of the function's windows are extended i32
  int64_t padding; // of the function's descriptors, or a PADDING_ value
  bool ok;
} Lowering;

enum { PADDING_NONE = -1, PADDING_MIXED = -2 };

static bool is_window(const Type *type) {
  return type->kind == TYPE_BLOCK_POINTER || type->kind == TYPE_DESCRIPTOR;
}

static PointerParts *new_parts(Lowering *l, const Value *value) {
  PointerParts *parts = arena_new(l->m->arena, PointerParts);
  map_put(&l->parts, l->m->arena, value, parts);
  return parts;
}

static PointerParts *parts_of(const Lowering *l, const Value *value) {
  return map_get(&l->parts, value);
}

static int num_offsets(const Type *window) {
  return window->kind == TYPE_DESCRIPTOR ? 0 : window->rank;
}

// -- Flat lists of values ----------------------------------------------------

typedef Vec(const Type *) TypeVec;
typedef Vec(Value *) ValueList;

static void add_type(Lowering *l, TypeVec *list, const Type *type) {
  Arena *arena = l->m->arena;
  if (!is_window(type)) {
    vec_push(arena, list, type);
    return;
  }
  const Type *i64 = type_scalar(&l->m->types, ELEM_i64);
  vec_push(arena, list,
           type_pointer(&l->m->types, type->element, SPACE_GLOBAL));
  for (int i = 0; i < 2 * type->rank; i++) vec_push(arena, list, i64);
  for (int i = 0; i < num_offsets(type); i++) {
    vec_push(arena, list, type_of_offsets(&l->m->types, type));
  }
}

static void add_value(Lowering *l, ValueList *list, Value *value) {
  Arena *arena = l->m->arena;
  const int rank = value->type->rank;
  const PointerParts *parts =
      is_window(value->type) ? parts_of(l, value) : NULL;
  if (!parts) {
    vec_push(arena, list, value);
    return;
  }
  vec_push(arena, list, parts->base);
  for (int i = 0; i < rank; i++) vec_push(arena, list, parts->shape[i]);
  for (int i = 0; i < rank; i++) vec_push(arena, list, parts->strides[i]);
  for (int i = 0; i < num_offsets(value->type); i++) {
    vec_push(arena, list, parts->offsets[i]);
  }
}

static ValueList flat_operands(Lowering *l, const Op *op) {
  ValueList list = {0};
  for (int i = 0; i < op->num_operands; i++) {
    add_value(l, &list, op_operand(op, i));
  }
  return list;
}

// The value at `at` replaces `old`; returns the next position.
static Value *take_over(Lowering *l, Value *old, Value *at) {
  if (!is_window(old->type)) {
    at->name = old->name;
    if (old->uses) value_replace_uses(old, at);
    return at + 1;
  }
  PointerParts *parts = new_parts(l, old);
  const int rank = old->type->rank;
  parts->base = at++;
  for (int i = 0; i < rank; i++) parts->shape[i] = at++;
  for (int i = 0; i < rank; i++) parts->strides[i] = at++;
  for (int i = 0; i < num_offsets(old->type); i++) parts->offsets[i] = at++;
  parts->padding = l->padding;
  return at;
}

static bool has_window(const Value *values, int count) {
  for (int i = 0; i < count; i++) {
    if (is_window(values[i].type)) return true;
  }
  return false;
}

// -- Structured ops ----------------------------------------------------------

static void flatten_args(Lowering *l, Block *block) {
  TypeVec types = {0};
  if (!has_window(block->args, block->num_args)) return;
  for (int i = 0; i < block->num_args; i++) {
    add_type(l, &types, block->args[i].type);
  }
  const Block *flat =
      block_create(block->function, (int)types.count, types.items);
  Value *at = flat->args;
  for (int i = 0; i < block->num_args; i++) {
    at = take_over(l, &block->args[i], at);
  }
  assert(at == flat->args + flat->num_args && "parts left over"); // I6
  block->args = flat->args;
  block->num_args = flat->num_args;
  for (int i = 0; i < block->num_args; i++) block->args[i].block = block;
}

static Op *flatten_op(Lowering *l, Op *old) {
  const ValueList operands = flat_operands(l, old);
  TypeVec types = {0};
  for (int i = 0; i < old->num_results; i++) {
    add_type(l, &types, old->results[i].type);
  }
  Op *op = op_replace(old, (int)operands.count, operands.items,
                      (int)types.count, types.items);
  Value *at = op->results;
  for (int i = 0; i < old->num_results; i++) {
    at = take_over(l, &old->results[i], at);
  }
  assert(at == op->results + op->num_results && "parts left over"); // I6
  vec_push(l->m->arena, &l->dead, old);
  return op;
}

static bool touches_windows(const Op *op) {
  bool touches = has_window(op->results, op->num_results);
  for (int i = 0; i < op->num_operands; i++) {
    touches |= is_window(op_operand(op, i)->type);
  }
  return touches;
}

static void lower_block(Lowering *l, Block *block);

static bool carries_descriptor(const Op *op) {
  for (int i = 0; i < op->num_operands; i++) {
    if (op_operand(op, i)->type->kind == TYPE_DESCRIPTOR) return true;
  }
  for (int i = 0; i < op->num_results; i++) {
    if (op->results[i].type->kind == TYPE_DESCRIPTOR) return true;
  }
  return false;
}

static void lower_regions(Lowering *l, Op *op) {
  if (l->padding == PADDING_MIXED && op->num_regions &&
      carries_descriptor(op)) {
    l->ok = diag_error(l->m->diags, op->loc, ERROR_descriptor_carried);
    return;
  }
  if (touches_windows(op)) op = flatten_op(l, op);
  for (int r = 0; r < op->num_regions; r++) {
    flatten_args(l, op->regions[r]);
    lower_block(l, op->regions[r]);
  }
}

static void flatten_terminator(Lowering *l, Op *old) {
  if (!touches_windows(old)) return;
  const ValueList operands = flat_operands(l, old);
  op_replace(old, (int)operands.count, operands.items, 0, NULL);
  op_erase(old);
}

// -- Windows -----------------------------------------------------------------

static void take_apart(Lowering *l, Op *op) {
  PointerParts *parts = new_parts(l, op_result(op));
  const int rank = op_result(op)->type->rank;
  parts->base = op_operand(op, 0);
  parts->padding = op_int(op, ATTR_padding);
  for (int i = 0; i < rank; i++) {
    parts->shape[i] = op_operand(op, 1 + i);
    parts->strides[i] = op_operand(op, 1 + rank + i);
    if (op->kind == OP_make_desc) continue;
    parts->offsets[i] = op_operand(op, 1 + 2 * rank + i);
  }
  vec_push(l->m->arena, &l->dead, op);
}

static void advance(Lowering *l, Op *op) {
  const PointerParts *old = parts_of(l, op_operand(op, 0));
  Builder b = builder_before(l->m, op);
  PointerParts *parts = new_parts(l, op_result(op));
  *parts = *old;
  for (int i = 0; i < op_result(op)->type->rank; i++) {
    assert(old->offsets[i]->type == op_operand(op, 1 + i)->type); // I6
    parts->offsets[i] = build_addi(&b, old->offsets[i]->type, old->offsets[i],
                                   op_operand(op, 1 + i));
  }
  vec_push(l->m->arena, &l->dead, op);
}

typedef struct {
  Builder b;
  const Type *window, *i64;
  const PointerParts *parts;
  bool is_narrow;           // shapes fit in i32
  Value *offsets[MAX_RANK]; // i32; for a wide block pointer, i64
  Value *starts[MAX_RANK];  // the offsets in i64
} LoweredAccess;

static const Type *tile_of(LoweredAccess *a, const Type *element, int only) {
  int64_t shape[MAX_RANK] = {0};
  for (int i = 0; i < a->window->rank; i++) {
    shape[i] = only < 0 || i == only ? a->window->shape[i] : 1;
  }
  return type_tile(&a->b.m->types, a->window->rank, shape, element, NULL);
}

// A tile of 0, 1, ... of type `element` along dimension d, with size 1 in the
// others.
static Value *index_along(LoweredAccess *a, const Type *element, int d) {
  const int64_t size = a->window->shape[d];
  Value *index = build_arange(&a->b, 0, size);
  const Type *type = type_with_element(&a->b.m->types, index->type, element);
  if (type != index->type) index = build_extsi(&a->b, type, index);
  int64_t shape[MAX_RANK] = {size};
  for (int rank = 1; rank < a->window->rank; rank++) {
    // Dimensions before d are inserted in front, so that `size` ends at d.
    const int axis = rank <= d ? 0 : rank;
    shape[rank] = 1;
    if (rank <= d) shape[rank] = size, shape[rank - 1] = 1;
    type = type_tile(&a->b.m->types, rank + 1, shape, element, NULL);
    index = build_expand_dims(&a->b, type, index);
    op_set_int(a->b.m, index->def, ATTR_axis, axis);
  }
  return index;
}

static Value *spread(LoweredAccess *a, Value *x) {
  const Type *type = tile_of(a, type_element(x->type), -1);
  return x->type == type ? x : build_broadcast(&a->b, type, x);
}

static Value *pointers(LoweredAccess *a) {
  Value *p = a->parts->base, *offsets = NULL;
  for (int d = 0; d < a->window->rank; d++) {
    Value *stride = a->parts->strides[d];
    p = build_addptr(&a->b, p->type, p,
                     build_muli(&a->b, a->i64, a->starts[d], stride));
    if (a->window->shape[d] == 1) continue;
    Value *index = index_along(a, a->i64, d);
    Value *scale = build_splat(&a->b, index->type, stride);
    Value *part = spread(a, build_muli(&a->b, index->type, index, scale));
    offsets = offsets ? build_addi(&a->b, part->type, offsets, part) : part;
  }
  p = build_splat(&a->b, tile_of(a, p->type, -1), p);
  return offsets ? build_addptr(&a->b, p->type, p, offsets) : p;
}

// 0 <= index < bound, as one unsigned comparison: a negative index is above any
// bound, and so is one that wraps in 32 bits.
static Value *inside_along(LoweredAccess *a, int d) {
  Value *start = a->starts[d], *bound = a->parts->shape[d];
  if (a->is_narrow && !a->window->is_wide) {
    start = a->offsets[d];
    bound = build_trunci(&a->b, start->type, bound);
  }
  Value *index = index_along(a, start->type, d);
  const Type *type = index->type;
  index = build_addi(&a->b, type, index, build_splat(&a->b, type, start));
  Value *zero = build_int(&a->b, bound->type, 0);
  bound = build_maxsi(&a->b, bound->type, bound, zero);
  return spread(a, build_cmp(&a->b, OP_cmpi, PREDICATE_ult, index,
                             build_splat(&a->b, type, bound)));
}

static Value *mask_of(LoweredAccess *a, const Op *op) {
  Value *mask = NULL;
  for (int d = 0; d < a->window->rank; d++) {
    if (op_checks_bound(op, d))
      mask = build_both(&a->b, mask, inside_along(a, d));
  }
  return mask;
}

static LoweredAccess start_access(Lowering *l, Op *op, int offsets) {
  LoweredAccess a = {.b = builder_before(l->m, op),
                     .window = op_operand(op, 0)->type,
                     .i64 = type_scalar(&l->m->types, ELEM_i64),
                     .is_narrow = l->is_narrow,
                     .parts = parts_of(l, op_operand(op, 0))};
  for (int d = 0; d < a.window->rank; d++) {
    a.offsets[d] =
        offsets < 0 ? a.parts->offsets[d] : op_operand(op, offsets + d);
    a.starts[d] = a.offsets[d];
    if (a.window->is_wide) continue;
    a.starts[d] = build_extsi(&a.b, a.i64, a.offsets[d]);
  }
  return a;
}

static void finish(Module *m, Op *access, const Op *old) {
  op_copy_attr(m, access, old, ATTR_cache);
  op_copy_attr(m, access, old, ATTR_eviction);
}

static void lower_load(Lowering *l, Op *op, int offsets) {
  LoweredAccess a = start_access(l, op, offsets);
  const int64_t padding =
      offsets < 0 ? op_int(op, ATTR_padding) : a.parts->padding;
  const Type *type = op_result(op)->type;
  Value *p = pointers(&a), *mask = mask_of(&a, op), *other = NULL;
  if (mask && padding == PADDING_nan && type_is_float(type)) {
    other = build_float(&a.b, type, NAN);
  }
  Op *load = build_load(&a.b, p, mask, other);
  finish(l->m, load, op);
  take_over(l, op_result(op), op_result(load));
  op_erase(op);
}

static void lower_store(Lowering *l, Op *op, int offsets) {
  LoweredAccess a = start_access(l, op, offsets);
  Value *p = pointers(&a), *mask = mask_of(&a, op);
  finish(l->m, build_store(&a.b, p, op_operand(op, 1), mask), op);
  op_erase(op);
}

// -- Accesses by maps --------------------------------------------------------

// The descriptor with the map of an access; or NULL.
static Op *map_of(const Lowering *l, const Op *access) {
  for (size_t i = 0; i < l->descriptors.count; i++) {
    Op *op = l->descriptors.items[i];
    if (op_int(op, ATTR_map) == op_int(access, ATTR_map)) return op;
  }
  return NULL;
}

static void access_by_map(Lowering *l, Op *op, const Op *window) {
  const PointerParts *parts = parts_of(l, op_operand(op, 0));
  const MapAccess access = {window, map_of(l, op), parts->offsets};
  Builder b = builder_before(l->m, op);
  if (op->kind == OP_load_block) {
    take_over(l, op_result(op), map_load(&b, &access, op));
  } else {
    map_store(&b, &access, op_operand(op, 1));
  }
  op_erase(op);
}

static void lower_access(Lowering *l, Op *op) {
  const Op *window = map_get(&l->maps, op);
  if (window)
    access_by_map(l, op, window);
  else if (op->kind == OP_load_block)
    lower_load(l, op, -1);
  else
    lower_store(l, op, -1);
}

// To be called before the first replacement.
static void note_maps(Op *op, void *ctx) {
  Lowering *l = ctx;
  if (op->kind == OP_make_desc && op_attr(op, ATTR_map))
    vec_push(l->m->arena, &l->descriptors, op);
  if (op->kind != OP_load_block && op->kind != OP_store_block) return;
  Op *window = address_window(op_operand(op, 0));
  const Op *map = op_attr(op, ATTR_map) ? map_of(l, op) : NULL;
  if (window && map && map_fits(window, map))
    map_put(&l->maps, l->m->arena, op, window);
}

// -- All ---------------------------------------------------------------------

static bool uses_map(const Op *op) {
  return op->num_operands && value_has_map(op_operand(op, 0));
}

static void lower_op(Lowering *l, Op *op) {
  if (uses_map(op) || (op->num_results && value_has_map(op->results))) return;
  switch (op->kind) {
  case OP_make_block_ptr:
  case OP_make_desc: take_apart(l, op); return;
  case OP_advance: advance(l, op); return;
  case OP_load_block:
  case OP_store_block: lower_access(l, op); return;
  case OP_load_desc: lower_load(l, op, 1); return;
  case OP_store_desc: lower_store(l, op, 2); return;
  case OP_yield:
  case OP_condition: flatten_terminator(l, op); return;
  default: lower_regions(l, op);
  }
}

// Recursion is as deep as regions nest, which the parsers limit.
static void lower_block(Lowering *l, Block *block) {
  for (Op *op = block->first, *next; op && l->ok; op = next) {
    next = op->next;
    lower_op(l, op);
  }
}

static bool fits_i32(const Value *size) {
  int64_t value;
  if (value_constant_int(size, &value)) return value == (int32_t)value;
  const Op *extended = value_def(size, OP_extsi);
  return extended && type_element_bits(op_operand(extended, 0)->type) <= 32;
}

static void look_at_padding(Lowering *l, const Op *op) {
  const int64_t padding = op_int(op, ATTR_padding);
  const bool is_same = l->padding == PADDING_NONE || l->padding == padding;
  l->padding = is_same ? padding : PADDING_MIXED;
}

static void look_at_windows(Op *op, void *ctx) {
  Lowering *l = ctx;
  if (op->kind != OP_make_block_ptr && op->kind != OP_make_desc) return;
  if (value_has_map(op_result(op))) return;
  if (op->kind == OP_make_desc) look_at_padding(l, op);
  for (int d = 0; d < op_result(op)->type->rank; d++) {
    l->is_narrow &= fits_i32(op_operand(op, 1 + d));
  }
}

static bool check_params(const Function *f) {
  for (int i = 0; i < f->body->num_args; i++) {
    if (!is_window(f->body->args[i].type)) continue;
    return diag_error(f->module->diags, f->loc, ERROR_descriptor_parameter);
  }
  return true;
}

bool pass_block_pointers(Module *m, const Target *target) {
  (void)target;
  Lowering l = {.m = m, .ok = true};
  for (Function *f = m->functions; f && l.ok; f = f->next) {
    l.ok = check_params(f);
    l.is_narrow = true;
    l.padding = PADDING_NONE;
    l.descriptors.count = 0;
    block_walk(f->body, note_maps, &l);
    block_walk(f->body, look_at_windows, &l);
    if (l.ok) lower_block(&l, f->body);
  }
  // Users are erased before their operands.
  while (l.ok && l.dead.count) op_erase(l.dead.items[--l.dead.count]);
  return l.ok;
}
