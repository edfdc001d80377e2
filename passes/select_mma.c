// select_mma.c -- the layouts of dots: fragments of matrix instructions.
//
// A dot gets its operands and accumulator by conversions to those layouts, and
// its result is converted to no layout in particular: assign_layouts decides
// what becomes of them.  Warps share a result so that each has about as many
// rows as columns, to load little; where a dot feeds another one its rows stay
// together in a warp, so that the second finds its operand where it is.
#include "ir/layout_access.h"
#include "ir/mma.h"
#include "passes/axis_info.h"
#include "passes/errors.h"
#include "passes/operand.h"
#include "passes/pass.h"
#include "passes/walk.h"

typedef struct {
  Module *m;
  const Target *target;
  const AxisAnalysis *analysis;
  int num_warps;
  bool ok;
} Selector;

// -- Dots that feed dots -----------------------------------------------------

enum { MAX_DISTANCE = 16 };

static bool passes_on(const Op *op) {
  return op_has(op, TRAIT_ELEMENTWISE) || op->kind == OP_convert_layout;
}

// Values in the order in which they are met, each once.
typedef struct {
  Arena *arena;
  Map seen;
  Vec(const Value *) values;
} Search;

static void meet(Search *s, const Value *value) {
  if (map_get(&s->seen, value)) return;
  map_put(&s->seen, s->arena, value, (void *)(uintptr_t)value);
  vec_push(s->arena, &s->values, value);
}

// True where the end is found; else what is a step further is met.
typedef bool Step(Search *s, const Value *value, const Block *block);

// Is it the left operand of a dot?
static bool step_to_users(Search *s, const Value *value, const Block *block) {
  for (const Use *use = value->uses; use; use = use->next) {
    const Op *user = use->user;
    if (user->block != block) continue;
    if (user->kind == OP_dot && use->index == 0) return true;
    if (passes_on(user)) meet(s, op_result(user));
  }
  return false;
}

// Is it the result of a dot?
static bool step_to_operands(Search *s, const Value *value,
                             const Block *block) {
  const Op *op = value->def;
  if (!op || op->block != block) return false;
  if (op->kind == OP_dot) return true;
  if (!passes_on(op)) return false;
  for (int i = 0; i < op->num_operands; i++) meet(s, op_operand(op, i));
  return false;
}

// Is there an end within MAX_DISTANCE steps?
static bool leads(Module *m, const Value *from, const Block *block,
                  Step *step) {
  Search s = {.arena = m->arena};
  meet(&s, from);
  size_t at = 0;
  for (int distance = 0; distance < MAX_DISTANCE; distance++) {
    for (const size_t end = s.values.count; at < end; at++) {
      if (step(&s, s.values.items[at], block)) return true;
    }
  }
  return false;
}

// Does the result become the left operand of a dot, elementwise, in its block?
static bool feeds_dot(const Op *dot) {
  Module *m = op_function(dot)->module;
  return leads(m, op_result(dot), dot->block, step_to_users);
}

// And is this one's such a result?
static bool is_fed(const Op *dot) {
  Module *m = op_function(dot)->module;
  return leads(m, op_operand(dot, 0), dot->block, step_to_operands);
}

static bool is_chained(const Op *dot) {
  return feeds_dot(dot) || is_fed(dot);
}

// -- Layouts -----------------------------------------------------------------

// How warps share the result: what a lane has side by side, and whether a warp
// that cannot be square is wide rather than tall.  And how operands lie.
typedef struct {
  int log2_beside;
  bool wide;
  bool packed;     // twice as many along k in a lane as the instruction has
  bool rows_first; // of A, before the second half of four along k
  bool turned;     // the instruction multiplies the transposes: B is its A
  bool row_pairs;  // a lane's rows of the instruction's A are side by side
} Shape;

enum { ROWS = 16, LOG2_HALVES = 1 }; // of the instruction's A, of 8 each

// As if the instruction's A was the tile's.
static MmaSpec share_tile(const Selector *s, const Op *dot, const Mma *mma,
                          Shape shape) {
  const Type *type = op_result(dot)->type;
  const int beside = shape.turned ? LOG2_HALVES : shape.log2_beside;
  const int64_t rows = type->shape[type->rank - 2] / mma->m;
  const int64_t columns = type->shape[type->rank - 1] / mma->n >> beside;
  const bool chained = is_chained(dot);
  MmaSpec spec = {.warps_m = 1, .warps_n = 1, .log2_beside = beside};
  while (spec.warps_m * spec.warps_n < s->num_warps) {
    // Columns are half as wide as rows are high.
    const int64_t high = 2 * rows / spec.warps_m;
    const int64_t wide = columns / spec.warps_n << beside;
    const bool down = chained || high > wide || (shape.wide && high == wide);
    if ((down && high > 2) || wide <= INT64_C(1) << beside) {
      spec.warps_m *= 2;
    } else {
      spec.warps_n *= 2;
    }
  }
  return spec;
}

static MmaSpec share_warps(const Selector *s, const Op *dot, const Mma *mma,
                           Shape shape) {
  const MmaSpec spec = share_tile(s, dot, mma, shape);
  MmaSpec out = {.warps_m = spec.warps_m,
                 .warps_n = spec.warps_n,
                 .log2_beside = shape.log2_beside,
                 .row_pairs = shape.row_pairs};
  if (!shape.turned) return out;
  out.warps_m = spec.warps_n;
  out.warps_n = spec.warps_m;
  out.warp_n = ROWS;
  return out;
}

typedef struct {
  const Layout *a, *b, *c;
} DotLayouts;

// The registers of one instruction side by side, as ldmatrix fills them.
static const Layout *put_rows_first(LayoutTable *table, const Layout *a) {
  Layout key = *a;
  const int k = layout_first_bit(a, LAYOUT_REGISTER) + 1;
  key.map.column[k] = a->map.column[k + 1];
  key.map.column[k + 1] = a->map.column[k];
  return layout_get(table, &key);
}

typedef struct {
  int64_t of[MAX_RANK];
} Sizes;

// The last two exchanged where the instruction has the transpose.
static Sizes sizes_of(const Type *type, bool turned) {
  Sizes sizes;
  const int rank = type->rank;
  for (int i = 0; i < rank; i++) sizes.of[i] = type->shape[i];
  if (!turned) return sizes;
  sizes.of[rank - 2] = type->shape[rank - 1];
  sizes.of[rank - 1] = type->shape[rank - 2];
  return sizes;
}

static DotLayouts layouts_of(const Selector *s, const Op *dot, const Mma *mma,
                             Shape shape) {
  LayoutTable *table = &s->m->layouts;
  const bool turned = shape.turned;
  const Sizes a = sizes_of(op_operand(dot, turned)->type, turned);
  const Sizes b = sizes_of(op_operand(dot, !turned)->type, turned);
  const Sizes c = sizes_of(op_result(dot)->type, turned);
  const MmaSpec spec = share_warps(s, dot, mma, shape);
  const int bits = elem_info[mma->elem].bits >> shape.packed;
  const int k = mma->k << shape.packed, rank = op_result(dot)->type->rank;
  const Layout *of_a = layout_mma_operand_a(table, rank, a.of, &spec, bits, k);
  const Layout *of_b = layout_mma_operand_b(table, rank, b.of, &spec, bits, k);
  const Layout *sums = layout_mma_accumulator(table, rank, c.of, &spec);
  if (of_a && shape.rows_first) of_a = put_rows_first(table, of_a);
  if (!turned) return (DotLayouts){of_a, of_b, sums};
  return (DotLayouts){layout_turn(table, of_b), layout_turn(table, of_a),
                      layout_turn(table, sums)};
}

// -- Operands that lie across ------------------------------------------------

enum { LOG2_ROW_BITS = 7 }; // of what ldmatrix reads at once

// Lane 1 has what follows along k.
static bool is_along_k(const Layout *layout, int axis) {
  int64_t at[MAX_RANK];
  const int lane = layout_first_bit(layout, LAYOUT_LANE);
  layout_coords(layout, layout->map.column[lane], at);
  return at[axis] != 0;
}

static bool lies_across(const Selector *s, const OperandLoad *x) {
  AxisInfo info;
  const Type *type = op_result(x->load)->type;
  if (type->rank < 2) return false;
  if (!axis_access(s->analysis, x->load, &info)) return false;
  const int bits = type_element_bits(type->element);
  for (int d = 0; d < type->rank; d++) {
    if (info.contiguity[d] * bits >> LOG2_ROW_BITS) {
      return !is_along_k(x->layout, d);
    }
  }
  return false;
}

// The bits of an element, as it was loaded or is multiplied; else 0.
static int bits_before(const Selector *s, Op *dot, int index,
                       const Layout *layout) {
  Operand x;
  const int bits = type_element_bits(op_operand(dot, index)->type->element);
  if (bits == 8) return bits;
  if (!operand_trace(&x, s->m, dot, index, layout)) return 0;
  return type_element_bits(operand_source(&x)->type->element);
}

// The bits of an element, if memory runs along rows of A or columns of B; else
// 0.
static int bits_across(const Selector *s, Op *dot, int index,
                       const Layout *layout) {
  Operand x;
  if (!operand_trace(&x, s->m, dot, index, layout)) return 0;
  for (size_t i = 0; i < x.loads.count; i++) {
    if (!lies_across(s, &x.loads.items[i])) continue;
    return type_element_bits(operand_source(&x)->type->element);
  }
  return 0;
}

// An operand, as it was loaded: bits of an element that become 16 wide; and if
// memory runs along rows of A or columns of B.
typedef struct {
  int bits;
  bool across;
} Origin;

static Origin origin_of(const Selector *s, Op *dot, int index,
                        const Layout *layout) {
  const int across = bits_across(s, dot, index, layout);
  return (Origin){across ? across : bits_before(s, dot, index, layout),
                  across != 0};
}

// Are four along k best held in a register?  The order of k is free, as long as
// it is that of both: bytes want it, and what lies across has ldmatrix read any
// rows of k.  What lies along k comes four by four, two words of a row: those
// that the instruction's B has side by side.
static bool suits_bytes(const Op *dot, const Mma *mma, Origin a, Origin b) {
  const Type *type = op_operand(dot, 0)->type;
  if (elem_info[mma->elem].bits != 16) return false;
  if (type->shape[type->rank - 1] < 2 * mma->k) return false;
  if (a.bits == 8 && b.bits == 8) return true;
  if (a.bits == 8 && !a.across) return b.bits == 16;
  return b.bits == 8 && !b.across && a.bits == 16;
}

static bool has_halves(const Type *type) {
  return type->shape[type->rank - 2] >= ROWS &&
         type->shape[type->rank - 1] >= ROWS;
}

static bool lies_in_words(const Mma *mma, Origin x) {
  return elem_info[mma->elem].bits == 32 && x.across && x.bits == 32;
}

// Words that lie across are not turned by ldmatrix, but come two by two where
// they are rows of the instruction; and in any order of k, such as that in
// which a lane has what a dot gave.
static Shape shape_of_words(const Op *dot, const Mma *mma, Origin a, Origin b) {
  const Type *type = op_operand(dot, 0)->type;
  const bool fed = is_fed(dot);
  if (feeds_dot(dot)) return (Shape){0};
  if (!fed && lies_in_words(mma, a)) return (Shape){.row_pairs = true};
  if (!lies_in_words(mma, b)) return (Shape){0};
  if (!has_halves(op_result(dot)->type)) return (Shape){0};
  if (type->shape[type->rank - 1] < mma->k << fed) return (Shape){0};
  return (Shape){.packed = fed, .turned = true, .row_pairs = true};
}

// Bytes of B go two columns at a time; what is multiplied again keeps the order
// that the next dot wants.  There, to move words of bytes between lanes is less
// than to load bytes of B without ldmatrix, which reads them along k.  It turns
// 16 bits and two columns: of what else lies across, each warp should have
// little.
static Shape shape_of(const Selector *s, Op *dot, const Mma *mma) {
  const Type *type = op_result(dot)->type;
  const DotLayouts usual = layouts_of(s, dot, mma, (Shape){0});
  const Origin a = origin_of(s, dot, 0, usual.a);
  const Origin b = origin_of(s, dot, 1, usual.b);
  const bool packed = suits_bytes(dot, mma, a, b);
  const Shape words = shape_of_words(dot, mma, a, b);
  if (words.turned) return words;
  if (is_chained(dot)) {
    const bool both = a.bits == 8 && b.bits == 8;
    return (Shape){.packed = !b.across && both && packed};
  }
  if (packed && a.bits == 16 && !a.across) {
    return (Shape){.packed = has_halves(type), .turned = has_halves(type)};
  }
  const bool bytes_across = b.across && b.bits == 8;
  const bool beside = bytes_across && type->shape[type->rank - 1] >= 2 * mma->n;
  const bool one_by_one = b.across && b.bits != 16 && !beside;
  return (Shape){.log2_beside = beside,
                 .wide = a.across && a.bits != 16 && !one_by_one,
                 .packed = packed,
                 .rows_first = packed && a.bits == 16,
                 .row_pairs = words.row_pairs};
}

static DotLayouts mma_layouts(const Selector *s, Op *dot, const Mma *mma) {
  return layouts_of(s, dot, mma, shape_of(s, dot, mma));
}

// -- Without matrix instructions ---------------------------------------------

enum { BLOCK_SIZE = 4 };

static int at_most(int64_t size, int most) {
  return size < most ? (int)size : most;
}

// A block of results a thread, as square as can be.
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
  spec.per_thread[n] = at_most(c->shape[n], at_most(share, BLOCK_SIZE));
  if (!spec.per_thread[n]) spec.per_thread[n] = 1;
  share /= spec.per_thread[n];
  spec.per_thread[m] = at_most(c->shape[m], at_most(share, BLOCK_SIZE));
  if (!spec.per_thread[m]) spec.per_thread[m] = 1;
  const int64_t wide = c->shape[n] / spec.per_thread[n];
  spec.lanes[n] = at_most(wide, 8);
  spec.lanes[m] = s->target->warp_size / spec.lanes[n];
  const int64_t left = wide / spec.lanes[n];
  spec.warps[n] = at_most(left, at_most(s->num_warps, 2));
  spec.warps[m] = s->num_warps / spec.warps[n];
  return layout_blocked(&s->m->layouts, c->rank, c->shape, &spec);
}

// The rows or columns that each thread's results need, and all of k.
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

static bool is_zero(const Value *x) {
  const Attr *value;
  if (!value_is_constant(x, &value)) return false;
  return type_is_float(x->type) ? value->as.f == 0 : !value->as.i;
}

// The dot that starts at zero and is operand `index` of `sum` alone.
static Op *find_summand(const Op *sum, int index) {
  const Value *x = op_operand(sum, index);
  Op *dot = value_def(x, OP_dot);
  if (!dot || dot->block != sum->block || x->uses->next) return NULL;
  return is_zero(op_operand(dot, 2)) ? dot : NULL;
}

// Of a narrow type each step of a sum would round.
static bool is_sum(const Op *op) {
  if (op->kind == OP_addf) return op_result(op)->type->elem == ELEM_f32;
  return op->kind == OP_addi;
}

// x + dot(a, b, 0) = dot(a, b, x): the terms of a dot have no order.
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

// -- The pass ----------------------------------------------------------------

static void convert_operand(Selector *s, Op *op, int index,
                            const Layout *layout) {
  Value *value = op_operand(op, index);
  Operand x;
  if (operand_trace(&x, s->m, op, index, layout) && x.widening) {
    operand_settle(&x);
    return;
  }
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
  op_set_operand(opened, 0, result);
  op_insert_before(op->next, opened);
}

// Chips that cannot even convert this format refuse it, as they do in Triton.
static bool check_elements(Selector *s, const Op *op) {
  for (int i = 0; i < 2; i++) {
    if (op_operand(op, i)->type->elem != ELEM_f8e4nv) continue;
    if (target_can(s->target, CAP_MMA_F8)) continue;
    s->ok = false;
    return diag_error(s->m->diags, op->loc, ERROR_dot_of_fp8e4nv,
                      s->target->name);
  }
  return true;
}

static void visit(Op *op, void *ctx) {
  Selector *s = ctx;
  if (op->kind != OP_dot || op_result(op)->type->layout) return;
  if (!check_elements(s, op)) return;
  const MmaPlan plan = mma_plan(s->target, op);
  const DotLayouts layouts =
      plan.mma ? mma_layouts(s, op, plan.mma) : thread_layouts(s, op);
  convert_operand(s, op, 0, layouts.a);
  convert_operand(s, op, 1, layouts.b);
  convert_operand(s, op, 2, layouts.c);
  open_result(s, op, layouts.c);
}

bool pass_select_mma(Module *m, const Target *target) {
  if (!target || !target->is_gpu) return true;
  Selector s = {.m = m, .target = target, .ok = true};
  for (Function *f = m->functions; f; f = f->next) {
    s.num_warps = function_num_warps(f);
    block_walk(f->body, start_at_sum, NULL);
    s.analysis = axis_analyze(f, m->arena);
    block_walk(f->body, visit, &s);
  }
  return s.ok;
}
