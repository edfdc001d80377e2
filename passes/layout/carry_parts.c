// carry_parts.c -- sums along an axis that loops carry, in parts.
//
//     for ... (%l) {
//       %s = reduce inputs(%p) {axis = 1}
//       yield addf (mulf %l, %a), %s
//     }
//
// becomes, if several threads hold parts of a row of %p,
//
//     for ... (%l) {
//       %s = reduce inputs(%p), within each thread
//       yield addf (mulf %l, %a), %s
//     }
//     %l = reduce inputs(%l)
//
// so that threads exchange their parts once, behind the loop.  The axis is
// reshaped into runs of bits that are within a thread, which are summed in the
// loop, and runs of bits that select threads.
#include "ir/layout_access.h"
#include "ir/number.h"
#include "passes/analysis/analysis.h"
#include "passes/analysis/walk.h"
#include "passes/pass.h"

#include <math.h>

typedef struct {
  int64_t size;
  bool own; // the run is within a thread
} AxisRun;

typedef struct {
  Op *loop, *add, *reduce;
  int slot;
  Value *factor; // factor of the earlier sum; or NULL
  int axis;      // of the reduction
  int num_runs;
  AxisRun runs[LAYOUT_MAX_BITS];
} CarriedSum;

// -- Factors -----------------------------------------------------------------

static const Value *unconverted(const Value *x) {
  while (value_def(x, OP_convert_layout)) x = op_operand(x->def, 0);
  return x;
}

static bool is_maximum_of(const Value *x, const Value *y) {
  const Op *op = x->def;
  return op && (op->kind == OP_maxf || op->kind == OP_maximumf) &&
         (unconverted(op_operand(op, 0)) == y ||
          unconverted(op_operand(op, 1)) == y);
}

static bool is_comparison_with_least(const Value *x, const Value *y) {
  const Op *op = value_def(x, OP_cmpf);
  const Attr *least;
  return op && op_int(op, ATTR_predicate) == PREDICATE_eq &&
         unconverted(op_operand(op, 0)) == y &&
         value_is_constant(op_operand(op, 1), &least) &&
         least->as.f == -INFINITY;
}

// Is `x` a maximum of `y` and others?  Then, if `x` is the least number, `y`
// is, too.
static bool is_at_least(const Value *x, const Value *y) {
  const Op *choice = value_def(x, OP_select);
  if (!choice) return is_maximum_of(x, y);
  const Value *larger = unconverted(op_operand(choice, 2));
  return is_maximum_of(larger, y) &&
         is_comparison_with_least(unconverted(op_operand(choice, 0)), larger);
}

static bool is_positive_constant(const Value *x) {
  const Attr *constant;
  return value_is_constant(x, &constant) && constant->as.f > 0 &&
         isfinite(constant->as.f);
}

// Is the value x y - z, times constants, with z at least y?  NaN is allowed,
// too.
static bool is_at_most_zero(const Value *x) {
  const Op *op = unconverted(x)->def;
  while (op && op->kind == OP_mulf) {
    const int constant = is_positive_constant(op_operand(op, 1));
    if (!constant && !is_positive_constant(op_operand(op, 0))) return false;
    op = unconverted(op_operand(op, !constant))->def;
  }
  return op && op->kind == OP_subf &&
         is_at_least(unconverted(op_operand(op, 1)),
                     unconverted(op_operand(op, 0)));
}

// An infinite factor would make NaN of a part that is 0 and a finite sum of
// other parts infinite.  The powers by which softmax scales are at most 1.
static bool is_never_infinite(const Value *x) {
  const Attr *constant;
  x = unconverted(x);
  if (value_is_constant(x, &constant)) return isfinite(constant->as.f);
  return x->def && (x->def->kind == OP_exp || x->def->kind == OP_exp2) &&
         is_at_most_zero(op_operand(x->def, 0));
}

// -- Sums --------------------------------------------------------------------

static bool is_used_once(const Value *value) {
  return value->uses && !value->uses->next;
}

// Is `x` the carried value, perhaps times a factor?
static bool is_carried(CarriedSum *s, const Value *x) {
  const Value *arg = for_arg(s->loop, s->slot);
  if (!is_used_once(x)) return false;
  if (x == arg) return true;
  const Op *scale = value_def(x, OP_mulf);
  for (int i = 0; scale && i < 2; i++) {
    if (op_operand(scale, i) != arg || !is_used_once(arg)) continue;
    s->factor = op_operand(scale, 1 - i);
    return is_never_infinite(s->factor);
  }
  return false;
}

static bool find_sum(CarriedSum *s) {
  Value *next = region_yield(s->loop, 0, s->slot);
  s->add = value_def(next, OP_addf);
  if (!s->add || !is_used_once(next) || !type_is_tile(next->type)) return false;
  for (int i = 0; i < 2; i++) {
    const Value *sum = op_operand(s->add, i);
    s->reduce = value_def(sum, OP_reduce);
    if (s->reduce && is_used_once(sum) && reduce_only_adds(s->reduce) &&
        s->reduce->block == s->loop->regions[0] &&
        is_carried(s, op_operand(s->add, 1 - i)))
      return true;
  }
  return false;
}

// -- Runs --------------------------------------------------------------------

// Counts the input bits of a layout that affect a bit of elements: `own` counts
// register bits.  False if one affects several bits.
static bool count_bits(const Layout *layout, uint32_t element, int *own,
                       int *others) {
  *own = *others = 0;
  const uint32_t registers = layout_dim_mask(layout, LAYOUT_REGISTER);
  for (int i = 0; i < layout->map.num_in; i++) {
    const uint32_t column = layout->map.column[i];
    if (!(column & element)) continue;
    if (column != element) return false;
    *(registers >> i & 1 ? own : others) += 1;
  }
  return true;
}

static bool find_runs(CarriedSum *s) {
  const Layout *layout = op_operand(s->reduce, 0)->type->layout;
  s->axis = (int)op_int(s->reduce, ATTR_axis);
  const int first = layout_axis_bit(layout, s->axis);
  int num_others = 0;
  for (int i = layout->log2_shape[s->axis] - 1; i >= 0; i--) {
    int own, others;
    if (!count_bits(layout, UINT32_C(1) << (first + i), &own, &others) ||
        own + others != 1)
      return false;
    AxisRun *last = s->num_runs ? &s->runs[s->num_runs - 1] : NULL;
    if (last && last->own == (own == 1)) {
      last->size *= 2;
    } else {
      s->runs[s->num_runs++] = (AxisRun){2, own == 1};
      num_others += others;
    }
  }
  return num_others && layout->rank + s->num_runs <= MAX_RANK;
}

// -- Types -------------------------------------------------------------------

static const Type *type_under(Module *m, const Type *like,
                              const Layout *layout) {
  int64_t shape[MAX_RANK];
  for (int i = 0; i < layout->rank; i++) shape[i] = layout_size(layout, i);
  return type_tile(&m->types, layout->rank, shape, like->element, layout);
}

// The type of the summed tile, with an axis for each run.
static const Type *split_type(Module *m, const CarriedSum *s) {
  const Type *type = op_operand(s->reduce, 0)->type;
  int64_t shape[MAX_RANK];
  int rank = 0;
  for (int i = 0; i < s->axis; i++) shape[rank++] = type->shape[i];
  for (int i = 0; i < s->num_runs; i++) shape[rank++] = s->runs[i].size;
  for (int i = s->axis + 1; i < type->rank; i++) shape[rank++] = type->shape[i];
  return type_under(m, type,
                    layout_reshape(&m->layouts, type->layout, rank, shape));
}

static const Layout *parts_layout(Module *m, const CarriedSum *s) {
  const Layout *layout = split_type(m, s)->layout;
  for (int i = s->num_runs - 1; i >= 0; i--)
    if (s->runs[i].own) layout = layout_slice(&m->layouts, layout, s->axis + i);
  return layout;
}

static int num_parts_axes(const CarriedSum *s) {
  int count = 0;
  for (int i = 0; i < s->num_runs; i++) count += !s->runs[i].own;
  return count;
}

static int64_t num_parts(const CarriedSum *s) {
  int64_t count = 1;
  for (int i = 0; i < s->num_runs; i++)
    if (!s->runs[i].own) count *= s->runs[i].size;
  return count;
}

// The layout of the parts with `count` of their axes, each of size 1.
static const Layout *shrunk_layout(Module *m, const CarriedSum *s, int count) {
  const Layout *layout = parts_layout(m, s);
  const int all = num_parts_axes(s);
  for (int i = 0; i < all; i++)
    layout = layout_shrink(&m->layouts, layout, s->axis + i);
  for (int i = all - 1; i >= count; i--)
    layout = layout_slice(&m->layouts, layout, s->axis + i);
  return layout;
}

// -- Rewriting ---------------------------------------------------------------

static Value *build_sum(Builder *b, Value *x, int axis) {
  const Type *type = x->type;
  Op *reduce = build_reduce(b, axis, 1, &x);
  op_result(reduce)->type =
      type_under(b->m, type, layout_slice(&b->m->layouts, type->layout, axis));
  Block *body = reduce->regions[0];
  Builder inside = builder_at_end(b->m, body, reduce->loc);
  Value *sum =
      build_addf(&inside, body->args[0].type, &body->args[0], &body->args[1]);
  build_yield(&inside, 1, &sum);
  return op_result(reduce);
}

static Value *sum_own(Builder *b, const CarriedSum *s) {
  Value *x = op_operand(s->reduce, 0);
  x = build_value(b, OP_reshape, 1, &x, split_type(b->m, s));
  for (int i = s->num_runs - 1; i >= 0; i--)
    if (s->runs[i].own) x = build_sum(b, x, s->axis + i);
  return x;
}

static Value *sum_parts(Builder *b, const CarriedSum *s, Value *x) {
  for (int i = num_parts_axes(s) - 1; i >= 0; i--)
    x = build_sum(b, x, s->axis + i);
  return x;
}

// `x`, repeated for each part.
static Value *repeat(Builder *b, const CarriedSum *s, Value *x) {
  Module *m = b->m;
  const Type *type = x->type;
  for (int i = 0; i < num_parts_axes(s); i++) {
    x = build_value(b, OP_expand_dims, 1, &x,
                    type_under(m, type, shrunk_layout(m, s, i + 1)));
    op_set_int(m, x->def, ATTR_axis, s->axis + i);
  }
  return build_value(b, OP_broadcast, 1, &x,
                     type_under(m, type, parts_layout(m, s)));
}

// A tile of i1, true for the elements whose index along `axis` is 0.
static Value *starts_axis(Builder *b, const Layout *layout, int axis) {
  Module *m = b->m;
  const Layout *levels[MAX_RANK];
  const Layout *level = layout;
  const int rank = layout->rank;
  for (int i = 0; i < rank; i++)
    if (i != axis) level = layout_shrink(&m->layouts, level, i);
  for (int i = rank - 1; i >= 0; i--) {
    levels[i] = level;
    if (i != axis) level = layout_slice(&m->layouts, level, i);
  }
  Value *x = build_arange(b, 0, layout_size(layout, axis));
  x->type = type_under(m, x->type, level);
  x = build_cmp(b, OP_cmpi, PREDICATE_eq, x, build_int(b, x->type, 0));
  for (int i = 0; i < rank; i++) {
    if (i == axis) continue;
    x = build_value(b, OP_expand_dims, 1, &x,
                    type_under(m, x->type, levels[i]));
    op_set_int(m, x->def, ATTR_axis, i);
  }
  return build_value(b, OP_broadcast, 1, &x, type_under(m, x->type, layout));
}

// The parts of a constant, if they are equal and exact; else NULL.
static Value *equal_parts(Builder *b, const CarriedSum *s, const Value *sum) {
  const Attr *constant;
  if (!value_is_constant(sum, &constant)) return NULL;
  const double count = (double)num_parts(s), whole = constant->as.f;
  const double part = float_round(whole / count, sum->type->elem);
  if (part * count != whole) return NULL;
  return repeat(b, s, build_float(b, sum->type, part));
}

// The first part starts with the whole sum, the others with the neutral
// element.
static Value *first_parts(Builder *b, const CarriedSum *s) {
  Value *init = for_init(s->loop, s->slot);
  Value *parts = equal_parts(b, s, init);
  if (parts) return parts;
  parts = repeat(b, s, init);
  Value *none = build_float(b, parts->type, -0.0);
  for (int i = 0; i < num_parts_axes(s); i++) {
    Value *first = starts_axis(b, parts_layout(b->m, s), s->axis + i);
    Value *operands[] = {first, parts, none};
    parts = build_value(b, OP_select, 3, operands, parts->type);
  }
  return parts;
}

static Op *carry_parts(Module *m, CarriedSum *s) {
  Builder before = builder_before(m, s->loop);
  Value *init = first_parts(&before, s);
  Op *loop = for_add(s->loop, 1, &init);
  const int last = for_num_slots(loop) - 1;
  Builder b = builder_before(m, s->add);
  Value *x = for_arg(loop, last);
  if (s->factor) x = build_mulf(&b, x->type, x, repeat(&b, s, s->factor));
  x = build_addf(&b, x->type, x, sum_own(&b, s));
  Op *end = block_end(loop->regions[0]);
  op_set_operand(end, last, x);
  op_set_operand(end, s->slot, for_arg(loop, s->slot));
  Builder behind = builder_before(m, loop->next);
  value_replace_uses(&loop->results[s->slot],
                     sum_parts(&behind, s, &loop->results[last]));
  return loop;
}

static bool is_worth_it(Module *m, CarriedSum *s) {
  return find_sum(s) && find_runs(s) &&
         op_result(s->reduce)->type->layout == shrunk_layout(m, s, 0);
}

typedef struct {
  Arena *arena;
  Vec(Op *) loops;
} LoopList;

static void add_loop(Op *op, void *ctx) {
  LoopList *list = ctx;
  if (op->kind == OP_for) vec_push(list->arena, &list->loops, op);
}

// If the loop is short of registers, ptxas would spill more, since it starts to
// add up the parts earlier.  Products of groups of warps take no registers for
// operands.
static bool has_room(Op *loop, const Target *target) {
  return target_can(target, CAP_WGMMA) ||
         registers_of(loop_words(loop).all) <= TARGET_MAX_REGISTERS;
}

static void visit(Module *m, Op *loop) {
  const int num_slots = for_num_slots(loop);
  for (int i = 0; i < num_slots; i++) {
    CarriedSum s = {.loop = loop, .slot = i};
    if (is_worth_it(m, &s)) loop = carry_parts(m, &s);
  }
}

// Changing a loop makes a new op, so inner loops come first.
bool pass_carry_parts(Module *m, const Target *target) {
  if (!target || !target->is_gpu) return true;
  LoopList list = {.arena = m->arena};
  for (Function *f = m->functions; f; f = f->next)
    block_walk(f->body, add_loop, &list);
  for (size_t i = list.loops.count; i-- > 0;) {
    Op *loop = list.loops.items[i];
    if (has_room(loop, target)) visit(m, loop);
  }
  return true;
}
