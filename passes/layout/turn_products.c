// turn_products.c -- products by widened weights, as products of transposes.
//
// Groups of warps read operand A from registers, and B only from shared memory.
// So weights of few bits, which threads widen, are to be A:
//
//     %w = sitofp (load %q) : tile<64x128xf16>
//     %s = dot %x, %w, %sum : tile<32x128xf32>
//
// becomes, with a sum that the loop carries transposed,
//
//     %t = dot (trans %w), (trans %x), %turned : tile<128x32xf32>
//
// Rows of x, perhaps too few for A, become columns.  The loop's result is
// transposed once behind it.  Other sums stay: threads may need their rows.  So
// do weights that lie across, which a thread would read byte by byte, and
// products of few rows, for which single warps need fewer instructions.
#include "ir/wgmma.h"
#include "passes/analysis/analysis.h"
#include "passes/analysis/walk.h"
#include "passes/layout/dot_shape.h"
#include "passes/layout/operand.h"
#include "passes/pass.h"

enum { MAX_STEPS = 32, MAX_OPERANDS = 3, LEAST_ROWS = 32 };

typedef struct {
  Module *m;
  const Target *target;
  const AxisAnalysis *axes;
  Vec(Op *) dots;
} Turner;

// -- Operands ----------------------------------------------------------------

static bool is_load(const Op *op) {
  return op->kind == OP_load || op->kind == OP_load_desc;
}

// Is the operand what a load gives, perhaps transposed?
static bool is_loaded(const Value *x) {
  int steps = MAX_STEPS;
  while (x->def && x->def->kind == OP_trans && steps--)
    x = op_operand(x->def, 0);
  return x->def && is_load(x->def);
}

// Does the dot multiply by elements that threads widen, with memory along k?
static bool widens(const Turner *t, Op *dot) {
  const MmaPlan plan = mma_plan(t->target, dot);
  if (!plan.mma) return false;
  Operand b;
  const Layout *usual = dot_layouts(dot, plan.mma, (DotShape){0}).b;
  return operand_trace(&b, t->m, dot, 1, usual) && b.widening &&
         !dot_bits_across(t->m, t->axes, dot, 1, usual);
}

static bool wants_turn(const Turner *t, Op *dot) {
  const Type *c = op_result(dot)->type;
  return c->rank == 2 && c->shape[0] >= LEAST_ROWS &&
         is_loaded(op_operand(dot, 0)) && widens(t, dot);
}

// -- Sums --------------------------------------------------------------------

// The carried sum to which a dot adds, or an addition behind a dot from zero.
typedef struct {
  Op *dot, *loop;
  int slot;
} TurnedSum;

static bool find_sum(TurnedSum *x, Op *dot) {
  Op *loop = dot->block->parent;
  Value *sum = op_result(dot), *from = op_operand(dot, 2);
  const Use *use = value_only_use(sum);
  if (!loop || loop->kind != OP_for || !use) return false;
  const bool adds = use->user->kind == OP_addf && value_is_zero(from) &&
                    use->user->block == dot->block &&
                    from->type->elem == ELEM_f32;
  if (adds) {
    from = op_operand(use->user, 1 - use->index);
    sum = op_result(use->user);
    use = value_only_use(sum);
  }
  if (!use || use->user != block_end(dot->block)) return false;
  *x = (TurnedSum){dot, loop, use->index};
  return from == for_arg(loop, use->index) && value_only_use(from) != NULL;
}

// -- Turning -----------------------------------------------------------------

static Value *turned(Builder *b, Value *x) {
  const int64_t shape[] = {x->type->shape[1], x->type->shape[0]};
  const int64_t order[] = {1, 0};
  const Type *type = type_tile(&b->m->types, 2, shape, x->type->element, NULL);
  Value *value = build_trans(b, type, x);
  op_set_ints(b->m, value->def, ATTR_order, order, 2);
  return value;
}

// Can groups read 16-bit operands of the turned product?  If there are more
// groups than blocks of its rows, several would widen the same weights: that
// pays only where groups cannot compute the product as it stands.
static bool groups_fit(const Turner *t, const Op *dot, const Op *was) {
  WgmmaPlan plan, ignored;
  if (!wgmma_plan(t->target, dot, &plan) || !plan.wgmma->across) return false;
  return plan.groups_n == 1 || !wgmma_plan(t->target, was, &ignored);
}

// The turned product in front of the dot, with its initial sum left to be set;
// NULL: groups do not compute it.
static Op *build_turned(const Turner *t, Op *dot) {
  Builder b = builder_before(t->m, dot);
  Value *operands[MAX_OPERANDS];
  operands[0] = turned(&b, op_operand(dot, 1));
  operands[1] = turned(&b, op_operand(dot, 0));
  operands[2] = turned(&b, op_operand(dot, 2));
  Op *made = build_op(&b, OP_dot, 3, operands, NULL, 1, &operands[2]->type);
  op_copy_attrs(t->m, made, dot);
  if (groups_fit(t, made, dot)) return made;
  op_erase(made);
  for (int i = 0; i < MAX_OPERANDS; i++) op_erase(operands[i]->def);
  return NULL;
}

// The old sum stays in its slot, unchanged and unused, until it is removed.
static void turn(const Turner *t, TurnedSum *x) {
  Op *made = build_turned(t, x->dot);
  if (!made) return;
  Builder before = builder_before(t->m, x->loop);
  Value *init = turned(&before, for_init(x->loop, x->slot));
  Op *loop = for_add(x->loop, 1, &init);
  const int slot = for_num_slots(loop) - 1;
  Op *end = block_end(loop->regions[0]);
  op_set_operand(made, 2, for_arg(loop, slot));
  op_set_operand(end, slot, op_result(made));
  op_set_operand(end, x->slot, for_arg(loop, x->slot));
  Builder behind = builder_before(t->m, loop->next);
  Value *result = turned(&behind, &loop->results[slot]);
  result->name = loop->results[x->slot].name;
  value_replace_uses(&loop->results[x->slot], result);
}

static void collect(Op *op, void *ctx) {
  Turner *t = ctx;
  if (op->kind == OP_dot && wants_turn(t, op))
    vec_push(t->m->arena, &t->dots, op);
}

bool pass_turn_products(Module *m, const Target *target) {
  if (!target || !target->is_gpu || !target_can(target, CAP_WGMMA)) return true;
  for (Function *f = m->functions; f; f = f->next) {
    Turner t = {.m = m, .target = target};
    if (find_debug_call(f)) continue;
    t.axes = axis_analyze(f, m->arena);
    block_walk(f->body, collect, &t);
    for (size_t i = 0; i < t.dots.count; i++) {
      TurnedSum sum;
      if (find_sum(&sum, t.dots.items[i])) turn(&t, &sum);
    }
  }
  return true;
}
