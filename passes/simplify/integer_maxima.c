// integer_maxima.c -- maxima of floats as those of integers.
//
//     for ... (%m, ...) {
//       %r = reduce %x {axis = 1} by maxf
//       %m1 = maxf %m, mulf %r, %s
//
// Floats without a sign are in the order of their bits, and all others are
// lower as integers.  So where %m and the scale are at least 0 in front of the
// loop, and the program shows no maximum of a row that has a NaN, the maximum
// may be one of integers, of which a chip compares three at a time
// (docs/decisions/0044-integer-maxima.md).  The loop becomes
//
//     if all %m >= 0 and %s >= 0
//       for ... %r = bitcast (reduce (bitcast %x) by maxsi)
//     else
//       for ... as it was
#include "passes/analysis/walk.h"
#include "passes/pass.h"
#include "passes/simplify/lost_rows.h"

// Fewer elements of a row in each thread are not worth a second loop.
enum { LEAST_ELEMENTS = 16 };

typedef struct {
  Module *m;
  Op *loop, *maximum;
  Value *start; // of the maxima carried
  Value *scale; // a scalar; or NULL
} Maxima;

// -- The form of the loop ----------------------------------------------------

static bool reduces_by_maxf(const Op *op) {
  const Op *combine = op->regions[0]->first;
  return op->num_operands == 1 && combine->kind == OP_maxf &&
         combine->next == block_end(op->regions[0]) &&
         region_yield(op, 0, 0) == op_result(combine) &&
         op_operand(combine, 0) != op_operand(combine, 1);
}

static bool is_row_maximum(const Op *op, const Block *body) {
  if (!op || op->block != body || !reduces_by_maxf(op)) return false;
  const Type *x = op_operand(op, 0)->type;
  if (x->rank != 2 || x->elem != ELEM_f32 || !x->layout ||
      op_int(op, ATTR_axis) != 1)
    return false;
  const int rows = layout_num_registers(op_result(op)->type->layout);
  return layout_num_registers(x->layout) >= LEAST_ELEMENTS * rows;
}

// The scalar that each element of a value from outside of the loop equals.
static Value *scalar_outside(const Value *x, const Block *body) {
  const Op *splat = value_def(x, OP_splat);
  return splat && value_is_outside(x, body) ? op_operand(splat, 0) : NULL;
}

// Takes a scale off the other operand of the slot's maximum.
static Value *take_scale(Maxima *x, Value *other) {
  const Op *scaled = value_def(other, OP_mulf);
  const Block *body = x->loop->regions[0];
  if (!scaled || scaled->block != body || !value_only_use(other)) return other;
  for (int i = 0; i < 2; i++) {
    x->scale = scalar_outside(op_operand(scaled, i), body);
    if (x->scale) return op_operand(scaled, 1 - i);
  }
  return other;
}

static bool find_in_slot(Maxima *x, int slot) {
  const Block *body = x->loop->regions[0];
  const Op *update = value_def(region_yield(x->loop, 0, slot), OP_maxf);
  const Attr *constant;
  x->scale = NULL;
  x->start = for_init(x->loop, slot);
  if (!update || update->block != body || !type_is_tile(x->start->type) ||
      x->start->type->rank != 1 || value_is_constant(x->start, &constant))
    return false;
  for (int i = 0; i < 2; i++) {
    if (op_operand(update, i) != for_arg(x->loop, slot)) continue;
    const Value *maximum = take_scale(x, op_operand(update, 1 - i));
    x->maximum = value_def(maximum, OP_reduce);
    return is_row_maximum(x->maximum, body) && value_only_use(maximum) &&
           rows_hide_maximum(x->loop, x->maximum);
  }
  return false;
}

static bool find(Maxima *x) {
  for (int i = 0; i < for_num_slots(x->loop); i++) {
    if (find_in_slot(x, i)) return true;
  }
  return false;
}

// -- Rewriting ---------------------------------------------------------------

static Value *at_least_zero(Builder *b, Value *x) {
  Value *zero = build_float(b, x->type, 0);
  return build_cmp(b, OP_cmpf, PREDICATE_ge, x, zero);
}

static Value *reduced_by(Builder *b, int axis, Value *x, OpKind kind,
                         const Type *type) {
  Op *reduce = build_reduce(b, axis, 1, &x);
  Block *body = reduce->regions[0];
  Builder in = builder_at_end(b->m, body, b->loc);
  Value *combined =
      build_value(&in, kind, 2, (Value *[]){&body->args[0], &body->args[1]},
                  body->args[0].type);
  build_yield(&in, 1, &combined);
  op_result(reduce)->type = type; // with a layout
  return op_result(reduce);
}

// Are the scale and all maxima at least 0?
static Value *build_condition_of(const Maxima *x, Builder *b) {
  TypeTable *types = &x->m->types;
  const Type *i32 = type_scalar(types, ELEM_i32);
  Value *each = at_least_zero(b, x->start);
  Value *wide =
      build_extui(b, type_with_elem(types, each->type, ELEM_i32), each);
  Value *all =
      build_cmp(b, OP_cmpi, PREDICATE_ne, reduced_by(b, 0, wide, OP_minsi, i32),
                build_int(b, i32, 0));
  if (!x->scale) return all;
  return build_andi(b, all->type, all, at_least_zero(b, x->scale));
}

static void reduce_integers(Module *m, Op *maximum) {
  Builder b = builder_before(m, maximum);
  Value *x = op_operand(maximum, 0), *found = op_result(maximum);
  Value *bits =
      build_bitcast(&b, type_with_elem(&m->types, x->type, ELEM_i32), x);
  Value *most = reduced_by(&b, 1, bits, OP_maxsi,
                           type_with_elem(&m->types, found->type, ELEM_i32));
  value_replace_uses(found, build_bitcast(&b, found->type, most));
  op_erase(maximum);
}

static void yield_loop(Module *m, Block *block, Op *loop) {
  const int count = for_num_slots(loop);
  Value **values = arena_array(m->arena, Value *, count);
  op_append(block, loop);
  for (int i = 0; i < count; i++) values[i] = &loop->results[i];
  Builder b = builder_at_end(m, block, loop->loc);
  build_yield(&b, count, values);
}

static void rewrite(Maxima *x) {
  Module *m = x->m;
  const int count = for_num_slots(x->loop);
  const Type **types = arena_array(m->arena, const Type *, count);
  for (int i = 0; i < count; i++) types[i] = x->loop->results[i].type;
  Map map = {0};
  Builder b = builder_before(m, x->loop);
  Value *condition = build_condition_of(x, &b);
  Op *copy = op_clone(m, x->loop, &map);
  Op *branch = build_if(&b, condition, count, types);
  const Value *found = map_get(&map, op_result(x->maximum));
  for (int i = 0; i < count; i++)
    value_replace_uses(&x->loop->results[i], &branch->results[i]);
  op_unlink(x->loop);
  yield_loop(m, branch->regions[0], copy);
  yield_loop(m, branch->regions[1], x->loop);
  reduce_integers(m, found->def);
}

// -- All ---------------------------------------------------------------------

typedef struct {
  Vec(Op *) loops;
  Arena *arena;
} Loops;

static void find_loop(Op *op, void *ctx) {
  Loops *loops = ctx;
  if (op->kind == OP_for) vec_push(loops->arena, &loops->loops, op);
}

bool pass_integer_maxima(Module *m, const Target *target) {
  if (!target || !target_can(target, CAP_WGMMA)) return true;
  for (Function *f = m->functions; f; f = f->next) {
    Loops loops = {.arena = m->arena};
    block_walk(f->body, find_loop, &loops);
    for (size_t i = 0; i < loops.loops.count; i++) {
      Maxima x = {.m = m, .loop = loops.loops.items[i]};
      if (find(&x)) rewrite(&x);
    }
  }
  return true;
}
