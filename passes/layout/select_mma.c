// select_mma.c -- the layouts of dots: fragments of matrix instructions.
//
// A dot gets its operands and accumulator by conversions to those layouts, and
// its result is converted to no layout in particular: assign_layouts decides
// whether these conversions stay.  Warps share a result so that each has about
// as many rows as columns, to load little; if a dot's result is an operand of
// another dot, a row stays together in a warp, so that the second dot finds its
// operand in the right warp.
//
// For example, four warps multiply 32x16 by 16x16 in f16 on sm_80, where an
// instruction gives 16x8.  Bit 0 of the warp says which 16 rows it has, and bit
// 1 which 8 columns.  Rows 0 to 7 of an instruction are in bits 2 to 4 of the
// lane, and row 8 in a register:
//   a: register [[0, 1], [8, 0], [0, 8]], warp [[16, 0], [0, 0]]
//   b: register [[1, 0], [8, 0]], warp [[0, 0], [0, 8]]
//   c: register [[0, 1], [8, 0]], warp [[16, 0], [0, 8]]
// So warps 0 and 2 load the same rows of a, and warps 0 and 1 the same columns
// of b.
#include "ir/exchange.h"
#include "ir/layout_access.h"
#include "ir/mma.h"
#include "ir/wgmma.h"
#include "passes/analysis/analysis.h"
#include "passes/analysis/walk.h"
#include "passes/errors.h"
#include "passes/layout/dot_shape.h"
#include "passes/layout/operand.h"
#include "passes/pass.h"

#include <assert.h>

typedef struct {
  Module *m;
  const Target *target;
  const AxisAnalysis *analysis;
  int num_warps;
  bool groups;       // groups of warps multiply
  const Op *call;    // op that prevents such products, until a remark names it
  Map pairs, packed; // of a dot: its log2_pairs plus 1; the same along k
} Selector;

// -- Instructions of four warps ----------------------------------------------

// Can wgmma read both operands in their layouts?  Only 16-bit elements may run
// across; bytes of B are transposed (async_dots), other cases are left to mma.
static bool lies_so(const Selector *s, Op *dot, const WgmmaPlan *plan) {
  if (plan->wgmma->across) return true;
  LayoutTable *table = &s->m->layouts;
  for (int i = 0; i < 2; i++) {
    const Layout *layout = wgmma_operand(table, plan, dot, i);
    const int across = dot_bits_across(s->m, s->analysis, dot, i, layout);
    if (across && !(i == 1 && across == 8)) return false;
  }
  return true;
}

static bool takes_groups(const Selector *s, Op *dot, WgmmaPlan *plan) {
  if (!s->groups || !wgmma_plan(s->target, dot, plan)) return false;
  const Layout *b = wgmma_operand(&s->m->layouts, plan, dot, 1);
  return b && lies_so(s, dot, plan);
}

static DotLayouts group_layouts(const Selector *s, const Op *dot,
                                const WgmmaPlan *plan) {
  LayoutTable *table = &s->m->layouts;
  return (DotLayouts){wgmma_operand(table, plan, dot, 0),
                      wgmma_operand(table, plan, dot, 1),
                      wgmma_result(table, plan, dot)};
}

// -- Sums with initial values from memory ------------------------------------

enum { MOST_PAIRS = 1 }; // log2

// log2 of the adjacent elements of a row that one access reads; 0 if lanes with
// this run would read unused bytes.
static int log2_run_of(const Selector *s, const Op *load) {
  AxisInfo info;
  const Type *pointers = op_operand(load, 0)->type;
  if (!axis_access(s->analysis, load, &info)) return 0;
  const int axis = pointers->rank - 1;
  const int64_t run = axis_access_run(&info, axis, pointers);
  const int bits = type_element_bits(op_result(load)->type->element);
  return dot_lanes_fill_sectors(run * bits / 8) ? floor_log2(run) : 0;
}

static bool is_plain(DotShape x) {
  return !x.log2_beside && !x.log2_packed && !x.turned && !x.row_pairs;
}

// A permutation of columns, or of k, costs no instructions for 16-bit elements
// if B is read by ldmatrix, which can read any of its rows together.
static bool takes_pairs(const Selector *s, Op *dot, int log2_pairs, bool fed) {
  WgmmaPlan groups;
  if (takes_groups(s, dot, &groups)) return false;
  const MmaPlan plan = mma_plan(s->target, dot);
  if (!plan.mma || elem_info[plan.mma->elem].bits != 16) return false;
  if (!is_plain(dot_shape(s->m, s->analysis, dot, plan.mma))) return false;
  const Type *b = op_operand(dot, 1)->type;
  const int64_t rows = b->shape[b->rank - 2], columns = b->shape[b->rank - 1];
  const DotLayouts usual = dot_layouts(dot, plan.mma, (DotShape){0});
  const int across = dot_bits_across(s->m, s->analysis, dot, 1, usual.b);
  if (!across == fed) return false;
  return (fed ? rows / plan.mma->k : columns / plan.mma->n) >> log2_pairs;
}

static bool all_take_pairs(const Selector *s, const DotFamily *family,
                           int log2_pairs) {
  for (size_t i = 0; i < family->made.count; i++) {
    if (!takes_pairs(s, family->made.items[i], log2_pairs, false)) return false;
  }
  for (size_t i = 0; i < family->fed.count; i++) {
    if (!takes_pairs(s, family->fed.items[i], log2_pairs, true)) return false;
  }
  return true;
}

static void note(Selector *s, Map *map, const OpList *dots, int log2) {
  for (size_t i = 0; i < dots->count; i++) {
    assert(log2 >= 0 && log2 <= MOST_PAIRS); // I6
    map_put(map, s->m->arena, dots->items[i], (void *)(intptr_t)(log2 + 1));
  }
}

static int noted(const Map *map, const Op *dot) {
  const intptr_t found = (intptr_t)map_get(map, dot);
  return found ? (int)found - 1 : 0;
}

// The initial values of a dot's sums are loaded in the layout of the sums,
// without an exchange, if a lane holds as many adjacent columns as an access
// reads.  One instruction gives a lane a pair of columns, so a lane gets two
// pairs for four f32.  Four pairs, for eight elements of 16 bits, are not worth
// it: their exchange takes half of the memory, and is read by ldmatrix.
static void find_pairs(Selector *s, Op *dot) {
  DotFamily family;
  if (map_get(&s->pairs, dot) || !dot_family(dot, &family)) return;
  int most = 1; // a pair
  for (size_t i = 0; i < family.loads.count; i++) {
    const int run = log2_run_of(s, family.loads.items[i]);
    if (run > most && run <= 1 + MOST_PAIRS) most = run;
  }
  const bool taken = most > 1 && all_take_pairs(s, &family, most - 1);
  note(s, &s->pairs, &family.made, taken ? most - 1 : 0);
  note(s, &s->packed, &family.fed, taken ? most - 1 : 0);
}

// The columns of a product that feeds another one are the k of the latter.
static DotLayouts mma_layouts(Selector *s, Op *dot, const Mma *mma) {
  find_pairs(s, dot);
  DotShape shape = dot_shape(s->m, s->analysis, dot, mma);
  shape.log2_pairs = noted(&s->pairs, dot);
  shape.log2_packed += noted(&s->packed, dot);
  return dot_layouts(dot, mma, shape);
}

// -- Without matrix instructions ---------------------------------------------

enum { BLOCK_SIZE = 4 };

// A block of results for each thread, as square as possible.
static const Layout *thread_blocks(const Selector *s, const Type *c) {
  const int m = c->rank - 2, n = c->rank - 1;
  BlockedSpec spec;
  for (int i = 0; i < c->rank; i++) {
    spec.per_thread[i] = spec.lanes[i] = spec.warps[i] = 1;
    spec.blocks[i] = 0;
    spec.order[i] = c->rank - 1 - i;
  }
  int64_t share =
      c->num_elements / ((int64_t)s->target->warp_size * s->num_warps);
  spec.per_thread[n] = int_at_most(c->shape[n], int_at_most(share, BLOCK_SIZE));
  if (!spec.per_thread[n]) spec.per_thread[n] = 1;
  share /= spec.per_thread[n];
  spec.per_thread[m] = int_at_most(c->shape[m], int_at_most(share, BLOCK_SIZE));
  if (!spec.per_thread[m]) spec.per_thread[m] = 1;
  const int64_t wide = c->shape[n] / spec.per_thread[n];
  spec.lanes[n] = int_at_most(wide, 8);
  spec.lanes[m] = s->target->warp_size / spec.lanes[n];
  const int64_t left = wide / spec.lanes[n];
  spec.warps[n] = int_at_most(left, int_at_most(s->num_warps, 2));
  spec.warps[m] = s->num_warps / spec.warps[n];
  assert(spec.lanes[m] * spec.lanes[n] == s->target->warp_size &&
         spec.warps[m] * spec.warps[n] == s->num_warps); // I5
  return layout_blocked(&s->m->layouts, c->rank, c->shape, &spec);
}

// The rows or columns for each thread's results, with all of k.
static const Layout *thread_operand(const Selector *s, const Layout *c,
                                    int axis, int64_t k) {
  LayoutTable *table = &s->m->layouts;
  const Layout *rest = layout_shrink(table, c, axis);
  return layout_broadcast(table, rest, axis, k);
}

static DotLayouts thread_layouts(const Selector *s, const Op *dot) {
  const Type *a = op_operand(dot, 0)->type, *type = op_result(dot)->type;
  const int64_t k = a->shape[a->rank - 1];
  const Layout *c = thread_blocks(s, type);
  return (DotLayouts){thread_operand(s, c, type->rank - 1, k),
                      thread_operand(s, c, type->rank - 2, k), c};
}

// -- Sums --------------------------------------------------------------------

// The dot with initial value zero whose only use is operand `index` of `sum`.
static Op *find_summand(const Op *sum, int index) {
  const Value *x = op_operand(sum, index);
  Op *dot = value_def(x, OP_dot);
  if (!dot || dot->block != sum->block || x->uses->next) return NULL;
  return value_is_zero(op_operand(dot, 2)) ? dot : NULL;
}

// Is the op an addition in a type in which dots add, too?  Not in f16, where
// the sum would be rounded once less.
static bool is_sum(const Op *op) {
  if (op->kind == OP_addf) return op_result(op)->type->elem == ELEM_f32;
  return op->kind == OP_addi;
}

// x + dot(a, b, 0) = dot(a, b, x): the terms of a dot may be added in any
// order.
static void start_at_sum(Op *sum, void *ctx) {
  (void)ctx;
  if (!is_sum(sum)) return;
  const int index = find_summand(sum, 0) ? 0 : 1;
  Op *dot = find_summand(sum, index);
  if (!dot) return;
  op_set_operand(dot, 2, op_operand(sum, 1 - index));
  op_unlink(dot);
  op_insert_before(sum, dot);
  op_result(dot)->name = op_result(sum)->name;
  value_replace_uses(op_result(sum), op_result(dot));
  op_erase(sum);
}

// -- Sums of fp8 -------------------------------------------------------------

// Groups of warps keep 13 fraction bits of a sum of fp8 products.  If the
// program limits the terms of one to those of the dot, the earlier sum is added
// behind it, where there are registers for both.
static void add_behind(Op *dot, void *ctx) {
  const Selector *s = ctx;
  WgmmaPlan plan;
  if (dot->kind != OP_dot || !wgmma_plan(s->target, dot, &plan) ||
      plan.terms != op_operand(dot, 0)->type->shape[1])
    return;
  Value *sum = op_operand(dot, 2), *result = op_result(dot);
  if (2 * sum->type->num_elements > wgmma_room(s->target, op_function(dot)))
    return;
  Builder before = builder_before(s->m, dot);
  Builder behind = builder_before(s->m, dot->next);
  op_set_operand(dot, 2, build_float(&before, sum->type, 0));
  Value *all = build_addf(&behind, sum->type, sum, sum);
  value_replace_uses(result, all);
  op_set_operand(all->def, 1, result);
  all->name = result->name;
}

// -- The pass ----------------------------------------------------------------

// A value that is widened on its way to B keeps its layout there: groups of
// warps read the result from shared memory.
static void convert_operand(Selector *s, Op *op, int index,
                            const Layout *layout) {
  Value *value = op_operand(op, index);
  WgmmaPlan groups;
  Operand x;
  const bool in_memory = index == 1 && takes_groups(s, op, &groups);
  if (!in_memory && operand_trace(&x, s->m, op, index, layout) && x.widening) {
    operand_settle(&x);
    return;
  }
  assert(layout && layout_has_shape(layout, value->type->rank,
                                    value->type->shape)); // I1
  Builder b = builder_before(s->m, op);
  const Type *type = type_with_layout(&s->m->types, value->type, layout);
  op_set_operand(op, index, build_convert_layout(&b, type, value));
}

static void open_result(Selector *s, Op *op, const Layout *layout) {
  Value *result = op_result(op);
  const Type *open = result->type;
  result->type = type_with_layout(&s->m->types, open, layout);
  Op *opened =
      op_create(s->m, OP_convert_layout, op->loc, 1, &result, NULL, 1, &open);
  value_replace_uses(result, op_result(opened));
  assert(result->type->layout == layout && !result->uses); // I2
  op_set_operand(opened, 0, result);
  op_insert_before(op->next, opened);
}

static DotLayouts layouts_for(Selector *s, Op *dot) {
  WgmmaPlan groups;
  if (takes_groups(s, dot, &groups)) return group_layouts(s, dot, &groups);
  const MmaPlan plan = mma_plan(s->target, dot);
  return plan.mma ? mma_layouts(s, dot, plan.mma) : thread_layouts(s, dot);
}

static void tell_of_call(Selector *s, Op *dot) {
  WgmmaPlan ignored;
  if (!s->call || !wgmma_plan(s->target, dot, &ignored)) return;
  diag_remark(s->m->diags, s->call->loc, REMARK_groups_wait);
  s->call = NULL;
}

static void tell_of_sums(Selector *s, Op *dot) {
  WgmmaPlan plan;
  if (!s->groups || wgmma_plan(s->target, dot, &plan) || !plan.terms) return;
  diag_remark(s->m->diags, dot->loc, REMARK_no_partial_sums, plan.terms,
              (long long)op_operand(dot, 0)->type->shape[1]);
}

static void visit(Op *op, void *ctx) {
  Selector *s = ctx;
  if (op->kind != OP_dot || op_result(op)->type->layout) return;
  tell_of_call(s, op);
  tell_of_sums(s, op);
  const DotLayouts layouts = layouts_for(s, op);
  convert_operand(s, op, 0, layouts.a);
  convert_operand(s, op, 1, layouts.b);
  convert_operand(s, op, 2, layouts.c);
  open_result(s, op, layouts.c);
}

bool pass_select_mma(Module *m, const Target *target) {
  if (!target || !target->is_gpu) return true;
  Selector s = {.m = m, .target = target};
  for (Function *f = m->functions; f; f = f->next) {
    s.num_warps = function_num_warps(f);
    block_walk(f->body, start_at_sum, NULL);
    block_walk(f->body, add_behind, &s);
    s.groups = groups_multiply(f, target);
    s.call = target_can(target, CAP_WGMMA) ? find_debug_call(f) : NULL;
    s.analysis = axis_analyze(f, m->arena);
    block_walk(f->body, visit, &s);
  }
  return true;
}
