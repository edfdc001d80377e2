// plan.c -- turns a function into the interpreter's flat code.
//
// Ops are visited in program order, regions at their ops; a stack holds the ops
// whose regions are open.  Constants are evaluated here, once.
#include "ir/interp/run.h"

#include "ir/errors.h"

#include <assert.h>

static bool (*const exec_table[OP_COUNT])(Run *, const InterpInst *) = {
#define OP(name, ...) [OP_##name] = exec_##name,
#include "ir/op/ops.def"
};

typedef struct {
  Run *r;
  Map slots; // from values to slots
  Vec(int) open;
  int home; // code of the reduce or scan being laid out, or -1
  int64_t largest;
} Plan;

static InterpInst *code_at(Plan *p, int index) {
  return &p->r->code.items[index];
}

static InterpReduction *current_reduction(Plan *p) {
  return p->home < 0 ? NULL : code_at(p, p->home)->reduction;
}

// -- Slots -------------------------------------------------------------------

static Slot *local_slot(Plan *p, const Type *type) {
  InterpReduction *reduction = current_reduction(p);
  const int64_t count =
      reduction && reduction->wide ? reduction->width : type_num_cells(type);
  Slot *slot = slot_create(p->r, type, count);
  slot->home = p->home;
  if (reduction && reduction->wide)
    vec_push(p->r->arena, &reduction->locals, slot);
  if (count > p->largest) p->largest = count;
  if (type->num_elements > p->largest) p->largest = type->num_elements;
  return slot;
}

static Slot *define(Plan *p, const Value *value) {
  Slot *slot = local_slot(p, value->type);
  map_put(&p->slots, p->r->arena, value, slot);
  return slot;
}

// A value from outside of a wide region is copied into each of its lanes.
static Slot *capture(Plan *p, Slot *slot) {
  InterpReduction *reduction = current_reduction(p);
  for (size_t i = 0; i < reduction->captured.count; i++) {
    if (reduction->captured.items[i] == slot) return reduction->copies.items[i];
  }
  Slot *copy = local_slot(p, slot->type);
  vec_push(p->r->arena, &reduction->captured, slot);
  vec_push(p->r->arena, &reduction->copies, copy);
  return copy;
}

static Slot *operand(Plan *p, const Value *value) {
  Slot *slot = map_get(&p->slots, value);
  const InterpReduction *reduction = current_reduction(p);
  return reduction && reduction->wide && slot->home != p->home
             ? capture(p, slot)
             : slot;
}

// -- Ops ---------------------------------------------------------------------

static bool has_own_object(const Op *op) {
  return op->kind == OP_alloc_shared || op->kind == OP_mbarrier_alloc;
}

// Each alloc has one buffer: a buffer's lifetime ends with the round of the
// loop, so the next round can reuse it.
static int create_object(Run *r, const Op *op) {
  if (op->kind == OP_mbarrier_alloc) {
    const int first = (int)r->barriers.count;
    for (int64_t i = mbarrier_size(op); i--;)
      vec_push(r->arena, &r->barriers, (MBarrier){0});
    return first;
  }
  const int64_t count = op_result(op)->type->num_elements;
  const Buffer buffer = {.cells = arena_array(r->arena, Cell, count),
                         .marks = arena_array(r->arena, Cell, count),
                         .count = count};
  vec_push(r->arena, &r->buffers, buffer);
  return (int)r->buffers.count - 1;
}

static InterpInst make_inst(Plan *p, const Op *op) {
  Run *r = p->r;
  InterpInst in = {.exec = exec_table[op->kind], .op = op, .parent = -1};
  in.in = arena_array(r->arena, Slot *, op->num_operands);
  in.out = arena_array(r->arena, Slot *, op->num_results);
  for (int i = 0; i < op->num_operands; i++) {
    in.in[i] = operand(p, op_operand(op, i));
  }
  for (int i = 0; i < op->num_results; i++) {
    in.out[i] = define(p, &op->results[i]);
  }
  if (op_has(op, TRAIT_TERMINATOR) && p->open.count) {
    in.parent = p->open.items[p->open.count - 1];
  }
  if (has_own_object(op)) in.object = create_object(r, op);
  return in;
}

static void emit(Plan *p, const Op *op) {
  const InterpInst in = make_inst(p, op);
  if (op->kind == OP_constant || op->kind == OP_arange) {
    in.exec(p->r, &in);
  } else {
    vec_push(p->r->arena, &p->r->code, in);
  }
}

// -- Regions -----------------------------------------------------------------

static bool can_be_wide(const Block *region) {
  for (const Op *op = region->first; op; op = op->next) {
    if (!op_has(op, TRAIT_ELEMENTWISE | TRAIT_CONSTANT | TRAIT_TERMINATOR)) {
      return false;
    }
  }
  return true;
}

static InterpReduction *plan_reduction(Run *r, const Op *op) {
  InterpReduction *reduction = arena_new(r->arena, InterpReduction);
  const Type *type = op_operand(op, 0)->type;
  reduction->axis = (int)op_int(op, ATTR_axis);
  reduction->outer = reduction->inner = 1;
  reduction->length = type->shape[reduction->axis];
  for (int i = 0; i < type->rank; i++) {
    if (i < reduction->axis) reduction->outer *= type->shape[i];
    if (i > reduction->axis) reduction->inner *= type->shape[i];
  }
  const int64_t lanes = reduction->outer * reduction->inner;
  reduction->wide = can_be_wide(op->regions[0]);
  reduction->width =
      reduction->length < 2 ? lanes : lanes * reduction->length / 2;
  reduction->work = arena_array(r->arena, Cell *, op->num_operands);
  for (int i = 0; i < op->num_operands; i++) {
    reduction->work[i] = arena_array(r->arena, Cell, type->num_elements);
  }
  return reduction;
}

static bool open_op(Plan *p, const Op *op) {
  const int index = (int)p->r->code.count - 1;
  vec_push(p->r->arena, &p->open, index);
  if (!op_combines(op)) return true;
  if (p->home >= 0) {
    return diag_error(p->r->diags, op->loc, ERROR_in_region_of_reduction,
                      op_info[op->kind].name);
  }
  code_at(p, index)->reduction = plan_reduction(p->r, op);
  p->home = index;
  return true;
}

static bool is_loop(const Op *op) {
  return op->kind == OP_for || op->kind == OP_while;
}

static void open_region(Plan *p, const Op *op, int region) {
  Run *r = p->r;
  const Block *block = op->regions[region];
  Slot **args = arena_array(r->arena, Slot *, block->num_args);
  for (int i = 0; i < block->num_args; i++) {
    args[i] = define(p, &block->args[i]);
    if (is_loop(op)) args[i]->next = local_slot(p, args[i]->type);
  }
  InterpInst *head = code_at(p, p->open.items[p->open.count - 1]);
  head->args[region] = args;
  head->body[region] = (int)r->code.count;
}

static void close_op(Plan *p, const Op *op) {
  assert(code_at(p, p->open.items[p->open.count - 1])->op == op); // I2
  code_at(p, p->open.items[--p->open.count])->end = (int)p->r->code.count;
  if (op_combines(op)) p->home = -1;
}

static int region_index(const Op *op, const Block *block) {
  int index = 0;
  while (op->regions[index] != block) index++;
  assert(index < op->num_regions && "a block of another op"); // I2
  return index;
}

// The op after the terminator `op`: in the next region, or behind the owner.
static const Op *after_region(Plan *p, const Op *op) {
  while (op && !op->next) {
    const Op *owner = op->block->parent;
    if (!owner) return NULL;
    const int region = region_index(owner, op->block) + 1;
    if (region < owner->num_regions) {
      open_region(p, owner, region);
      return owner->regions[region]->first;
    }
    close_op(p, owner);
    op = owner;
  }
  return op->next;
}

static bool plan_ops(Plan *p, const Op *op) {
  while (op) {
    emit(p, op);
    if (op->num_regions) {
      if (!open_op(p, op)) return false;
      open_region(p, op, 0);
      op = op->regions[0]->first;
    } else {
      op = after_region(p, op);
    }
  }
  return true;
}

bool plan_function(Run *r) {
  Plan p = {.r = r, .home = -1, .largest = 1};
  const Block *body = r->f->body;
  for (int i = 0; i < body->num_args; i++) {
    vec_push(r->arena, &r->params, define(&p, &body->args[i]));
  }
  if (!plan_ops(&p, body->first)) return false;
  assert(!p.open.count && p.home < 0 && "a region was left open"); // I2
  for (int i = 0; i < 4; i++) {
    r->scratch[i] = arena_array(r->arena, Cell, p.largest);
  }
  return true;
}
