// loop_offsets.c -- loops carry the distance by which a tile has moved, not the
// tile.
//
// `for ... (%p: tile<ptr>) { ... yield addptr %p, splat %s }` keeps a tile of
// addresses live throughout the loop.  Its elements are the initial ones plus
// one scalar, which is carried instead:
//
//     %p = addptr %init, splat %moved        yield addi %moved, %s
//
// Integers that grow in the same way are treated likewise.  Sums wrap, so the
// values do not change.
#include "ir/builder.h"
#include "ir/exchange.h"
#include "ir/runs.h"
#include "passes/pass.h"

#include <assert.h>

enum { MAX_STEPS = 8, WORD_BYTES = 4 };

// The scalar value of all elements of a tile, if it follows from its
// definition.
static bool is_uniform(const Value *tile) {
  const Attr *constant;
  return value_is_constant(tile, &constant) || value_def(tile, OP_splat);
}

static Value *uniform_of(Builder *b, const Type *scalar, const Value *tile) {
  const Attr *constant;
  if (value_is_constant(tile, &constant)) {
    return build_int(b, scalar, constant->as.i);
  }
  Value *x = op_operand(tile->def, 0);
  if (x->type == scalar) return x;
  return build_extsi(b, scalar, x);
}

// The values that are added to `arg`, one after the other, to compute `next`.
typedef struct {
  const Value *steps[MAX_STEPS];
  int count;
} Steps;

static bool find_steps(const Value *arg, const Value *next, Steps *out) {
  const OpKind kind = type_is_pointer(arg->type) ? OP_addptr : OP_addi;
  for (out->count = 0; next != arg; out->count++) {
    const Op *op = value_def(next, kind);
    if (!op || out->count == MAX_STEPS) return false;
    const Value *x = op_operand(op, 0), *y = op_operand(op, 1);
    const bool swapped = kind == OP_addi && is_uniform(x);
    out->steps[out->count] = swapped ? x : y;
    if (!is_uniform(out->steps[out->count])) return false;
    next = swapped ? y : x;
  }
  return out->count > 0;
}

// The type of the distance: that of the integers; i64 for pointers.
static const Type *moved_type(Module *m, const Value *arg) {
  return type_scalar(&m->types,
                     type_is_pointer(arg->type) ? ELEM_i64 : arg->type->elem);
}

// `from` plus a scalar.
static Value *move_by(Builder *b, Value *from, Value *moved) {
  const Type *tile = type_with_element(&b->m->types, from->type, moved->type);
  Value *by = build_splat(b, tile, moved);
  return type_is_pointer(from->type) ? build_addptr(b, from->type, from, by)
                                     : build_addi(b, from->type, from, by);
}

// The value becomes a scalar; its uses get `init` plus this scalar.
static void become_distance(Builder *b, Value *value, const Type *type,
                            Value *init) {
  value->type = type;
  if (!value->uses) return;
  Value *moved = move_by(b, init, value);
  Op *splat = value_def(op_operand(moved->def, 1), OP_splat);
  value_replace_uses(value, moved);
  op_set_operand(splat, 0, value);
  assert(value->uses == &splat->operands[0] && !value->uses->next &&
         "the distance is used as the tile"); // I5
}

static void rewrite(Module *m, Op *loop, int i, const Steps *steps) {
  Block *body = loop->regions[0];
  Value *arg = for_arg(loop, i), *init = for_init(loop, i);
  const Type *type = moved_type(m, arg);
  Builder before = builder_before(m, loop);
  Builder end = builder_before(m, body->last);
  Builder start = builder_before(m, body->first);
  Builder after = builder_before(m, loop->next);
  op_set_operand(loop, FOR_INIT + i, build_int(&before, type, 0));
  become_distance(&start, arg, type, init);
  assert(for_init(loop, i)->type == arg->type && "a slot of two types"); // I5
  Value *moved = arg;
  for (int k = 0; k < steps->count; k++) {
    moved =
        build_addi(&end, type, moved, uniform_of(&end, type, steps->steps[k]));
  }
  op_set_operand(body->last, i, moved);
  become_distance(&after, &loop->results[i], type, init);
}

// Does the op load less than a word by each address?
static bool is_narrow(const Op *op) {
  const Type *type = op->kind == OP_load ? op_result(op)->type : NULL;
  if (!type || !type->layout) return false;
  int axis;
  const int run = op_log2_run(op, type->layout, true, &axis);
  return element_bytes(type->element) << run < WORD_BYTES;
}

// If layouts are assigned: only for addresses that need more registers than the
// loaded values; others are moved by themselves at the same cost.
static bool is_wanted(const Value *arg) {
  if (!type_is_pointer(arg->type) && !type_is_int(arg->type)) return false;
  if (!arg->type->layout) return true;
  for (const Use *use = arg->uses; use; use = use->next) {
    if (!use->index && is_narrow(use->user)) return true;
  }
  return false;
}

static void visit_loop(Module *m, Op *loop) {
  for (int i = 0; i < for_num_slots(loop); i++) {
    const Value *arg = for_arg(loop, i);
    Steps steps;
    const bool moves = type_is_tile(arg->type) && is_wanted(arg);
    if (moves && find_steps(arg, region_yield(loop, 0, i), &steps)) {
      rewrite(m, loop, i, &steps);
    }
  }
}

// Inner loops first, as an outer loop may carry their values.  Recursion is as
// deep as regions nest, which the parsers limit.
static void visit_block(Module *m, Block *block) {
  for (Op *op = block->first; op; op = op->next) {
    for (int r = 0; r < op->num_regions; r++) visit_block(m, op->regions[r]);
    if (op->kind == OP_for) visit_loop(m, op);
  }
}

bool pass_loop_offsets(Module *m, const Target *target) {
  (void)target;
  for (Function *f = m->functions; f; f = f->next) visit_block(m, f->body);
  return true;
}
