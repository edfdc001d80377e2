// lost_rows.c -- does a program show that maxima of a loop ignore a NaN?
//
// For example, of a loop over the blocks of a row of scores %x,
//
//     %r = reduce %x by maxf
//     %m1 = maxf %m, %r
//     %p = exp2 (subf %x, %m1)
//     %a = exp2 (subf %m, %m1)
//     %s = reduce %p by addf
//     %l1 = addf (mulf %l, %a), %s
//
// %m1, %a and %p may differ in a lost row.  In the trip in which the row gets
// lost, %p has a NaN there (NAN_NOW), and so has %s.  %l, of the trip before,
// has one if the row was lost then (NAN_BEFORE).  So %l1 is NaN in each lost
// row, in both versions, whatever else it is made of (NAN_ALL), and no use of
// it can show a difference; %m1 plus the logarithm of %l1 is NaN, too.
#include "passes/simplify/lost_rows.h"
#include "passes/analysis/walk.h"

#include <assert.h>

// The lost rows in which a tile has a NaN in both versions of the program.
typedef enum {
  SAME,        // none: the versions are equal
  DIFFER,      // none: the versions may differ
  NAN_LAST,    // rows that got lost in the trip before this one
  NAN_NOW,     // rows that get lost in this trip
  NAN_EARLIER, // rows that got lost before the trip before
  NAN_BEFORE,  // rows that got lost before this trip
  NAN_ALL      // all lost rows
} NanRows;

typedef struct {
  NanRows rows;
  bool differs; // other elements of lost rows differ between the versions
  bool whole;   // in each of these rows all elements are NaN
} RowFact;

enum { SINCE_BITS = 7, DIFFERS_BIT = 8, WHOLE_BIT = 16 };

typedef struct {
  int64_t num_rows;
  Op *maximum;
  const Value *scores;
} Search;

static RowFact known(const Value *value) {
  return (RowFact){(NanRows)(value->id & SINCE_BITS), value->id & DIFFERS_BIT,
                   value->id & WHOLE_BIT};
}

static void know(Value *value, RowFact k) {
  value->id =
      (int)k.rows | (k.differs ? DIFFERS_BIT : 0) | (k.whole ? WHOLE_BIT : 0);
}

static void know_nothing(Op *op, void *ctx) {
  (void)ctx;
  for (int i = 0; i < op->num_results; i++) op->results[i].id = SAME;
  for (int i = 0; i < op->num_regions; i++) {
    for (int j = 0; j < op->regions[i]->num_args; j++)
      op->regions[i]->args[j].id = SAME;
  }
}

// May a use show a difference?
static bool is_shown(RowFact k) {
  return k.differs && !(k.rows == NAN_ALL && k.whole);
}

static bool shows(const Op *op) {
  for (int i = 0; i < op->num_operands; i++) {
    if (is_shown(known(op_operand(op, i)))) return true;
  }
  return false;
}

static bool is_tracked(const Op *op) {
  for (int i = 0; i < op->num_operands; i++) {
    if (known(op_operand(op, i)).rows != SAME) return true;
  }
  return false;
}

static void find_shown(Op *op, void *ctx) {
  bool *found = ctx;
  *found = *found || shows(op);
}

// -- Arithmetic --------------------------------------------------------------

static bool are(const RowFact *a, const RowFact *b, NanRows x, NanRows y) {
  return (a->rows == x && b->rows == y) || (a->rows == y && b->rows == x);
}

// The fact of a value that is computed from both operands, and is NaN if one of
// the operands is.
static RowFact combined(RowFact a, RowFact b) {
  RowFact result = a.rows > b.rows ? a : b;
  if (a.rows == NAN_ALL && b.rows == NAN_ALL)
    result.whole = a.whole || b.whole;
  else if (are(&a, &b, NAN_BEFORE, NAN_NOW))
    result = (RowFact){NAN_ALL, false, a.whole && b.whole};
  else if (are(&a, &b, NAN_EARLIER, NAN_LAST))
    result = (RowFact){NAN_BEFORE, false, a.whole && b.whole};
  result.differs = a.differs || b.differs;
  return result;
}

// -- Ops ---------------------------------------------------------------------

static bool has_rows(const Search *s, const Value *value) {
  return type_is_tile(value->type) && value->type->shape[0] == s->num_rows;
}

// An op that moves elements within their rows.
static bool scan_move(const Search *s, Op *op) {
  const Value *x = op_operand(op, 0);
  if (!has_rows(s, x) || !has_rows(s, op_result(op)) ||
      (op->kind == OP_expand_dims && op_int(op, ATTR_axis) == 0))
    return !shows(op);
  know(op_result(op), known(x));
  return true;
}

static bool scan_reduce(const Search *s, Op *op) {
  if (!is_tracked(op)) return true;
  const Value *x = op_operand(op, 0);
  if (!reduce_only_adds(op) || op_int(op, ATTR_axis) == 0 || !has_rows(s, x))
    return !shows(op);
  RowFact k = known(x);
  k.whole = k.whole || op_result(op)->type->rank == 1;
  know(op_result(op), k);
  return true;
}

// Is the condition the same in all rows, and true in one column?
static bool picks_a_column(const Value *condition) {
  const Op *rows = value_def(condition, OP_broadcast);
  const Op *row = rows ? value_def(op_operand(rows, 0), OP_expand_dims) : NULL;
  const Op *equals = row ? value_def(op_operand(row, 0), OP_cmpi) : NULL;
  const Op *count = equals ? value_def(op_operand(equals, 0), OP_arange) : NULL;
  int64_t column;
  return count && op_int(row, ATTR_axis) == 0 &&
         op_int(equals, ATTR_predicate) == PREDICATE_eq &&
         value_constant_int(op_operand(equals, 1), &column) &&
         column >= op_int(count, ATTR_start) &&
         column < op_int(count, ATTR_end);
}

// A select that takes one column of a tile: in this way the first part of a
// carried sum gets the sum of a row (passes/layout/carry_parts.c).
static bool scan_select(Op *op) {
  const RowFact x = known(op_operand(op, 1));
  if (shows(op)) return false;
  if (x.rows == NAN_ALL && x.whole && picks_a_column(op_operand(op, 0)))
    know(op_result(op), (RowFact){NAN_ALL, false, false});
  return true;
}

// Each element of a row of the result is a sum over that row of the first
// operand: a NaN in the row makes all of these elements NaN.
static bool scan_dot(const Search *s, Op *op) {
  RowFact a = known(op_operand(op, 0));
  if (is_shown(known(op_operand(op, 1)))) return false;
  if (op_result(op)->type->rank != 2 || !has_rows(s, op_result(op)))
    return !shows(op);
  a.whole = a.rows > DIFFER;
  know(op_result(op), combined(a, known(op_operand(op, 2))));
  return true;
}

static bool scan_wait(Op *op) {
  const int first = op_group_start(op, 1);
  for (int i = 0; i < op->num_results; i++)
    know(&op->results[i], known(op_operand(op, first + i)));
  return true;
}

static void scan_unary(Op *op) {
  know(op_result(op), known(op_operand(op, 0)));
}

static void scan_binary(Op *op) {
  know(op_result(op),
       combined(known(op_operand(op, 0)), known(op_operand(op, 1))));
}

// maxf ignores a NaN, so a NaN of an operand is not one of the result.
static void scan_maximum(Op *op) {
  if (shows(op)) know(op_result(op), (RowFact){DIFFER, true, false});
}

static bool scan_ops(const Search *s, Op *first);

// -- Regions -----------------------------------------------------------------

// The fact of a value that is one of two values.
static RowFact either(RowFact a, RowFact b) {
  const bool differs = a.differs || b.differs;
  if (a.rows == b.rows) return (RowFact){a.rows, differs, a.whole && b.whole};
  return (RowFact){differs ? DIFFER : SAME, differs, false};
}

static bool scan_if(const Search *s, Op *op) {
  if (shows(op)) return false;
  for (int i = 0; i < op->num_regions; i++) {
    if (!scan_ops(s, op->regions[i]->first)) return false;
  }
  for (int i = 0; i < op->num_results; i++)
    know(&op->results[i],
         either(known(region_yield(op, 0, i)), known(region_yield(op, 1, i))));
  return true;
}

// Scans a loop other than that of the maximum: no further row gets lost in it.
static bool scan_later_loop(const Search *s, Op *loop) {
  for (int i = 0; i < FOR_INIT; i++) {
    if (is_shown(known(op_operand(loop, i)))) return false;
  }
  for (int i = 0; i < for_num_slots(loop); i++) {
    RowFact k = known(for_init(loop, i));
    if (k.rows != NAN_ALL && k.differs) k = (RowFact){DIFFER, true, false};
    know(for_arg(loop, i), k);
  }
  for (bool changed = true; changed;) {
    changed = false;
    if (!scan_ops(s, loop->regions[0]->first)) return false;
    for (int i = 0; i < for_num_slots(loop); i++) {
      Value *arg = for_arg(loop, i);
      const int before = arg->id;
      know(arg, either(known(arg), known(region_yield(loop, 0, i))));
      changed = changed || arg->id != before;
    }
  }
  for (int i = 0; i < for_num_slots(loop); i++)
    know(&loop->results[i], known(for_arg(loop, i)));
  return true;
}

static bool scan_regions(const Search *s, Op *op) {
  bool found = false;
  if (op->kind == OP_if) return scan_if(s, op);
  if (op->kind == OP_for) return scan_later_loop(s, op);
  for (int i = 0; i < op->num_regions; i++)
    block_walk(op->regions[i], find_shown, &found);
  return !found && !shows(op);
}

static bool scan_op(const Search *s, Op *op) {
  switch (op->kind) {
  case OP_expand_dims:
  case OP_broadcast:
  case OP_convert_layout:
  case OP_reshape: return scan_move(s, op);
  case OP_exp:
  case OP_exp2:
  case OP_log:
  case OP_log2:
  case OP_negf:
  case OP_extf: scan_unary(op); return true;
  case OP_truncf:
    if (elem_info[op_result(op)->type->elem].bits < 16) return !shows(op);
    scan_unary(op);
    return true;
  case OP_addf:
  case OP_subf:
  case OP_mulf:
  case OP_divf: scan_binary(op); return true;
  case OP_maxf: scan_maximum(op); return true;
  case OP_reduce: return scan_reduce(s, op);
  case OP_select: return scan_select(op);
  case OP_dot:
  case OP_async_dot: return scan_dot(s, op);
  case OP_dot_wait: return scan_wait(op);
  default: return op->num_regions ? scan_regions(s, op) : !shows(op);
  }
}

// Scans the ops from `first` to the end of the block, without its terminator.
// False: an op may show a difference.
static bool scan_ops(const Search *s, Op *first) {
  for (Op *op = first; op; op = op->next) {
    if (op_has(op, TRAIT_TERMINATOR)) return true;
    if (op == s->maximum)
      know(op_result(op), (RowFact){DIFFER, true, false});
    else if (!scan_op(s, op))
      return false;
    for (int i = 0; i < op->num_results; i++) {
      if (&op->results[i] == s->scores)
        know(&op->results[i], (RowFact){NAN_NOW, false, false});
    }
  }
  return true;
}

// -- The loop ----------------------------------------------------------------

// The fact at the beginning of a trip, if `k` holds at the end of the trip
// before.
static RowFact one_trip_later(RowFact k) {
  switch (k.rows) {
  case NAN_ALL: return (RowFact){NAN_BEFORE, !k.whole, k.whole};
  case NAN_BEFORE: return (RowFact){NAN_EARLIER, true, k.whole};
  case NAN_NOW: return (RowFact){NAN_LAST, true, k.whole};
  default: return k;
  }
}

// The fact at the ends of all trips, if at the end of each trip `a` or `b`
// holds.
static RowFact weaker(RowFact a, RowFact b) {
  if (a.rows == b.rows) return (RowFact){a.rows, true, a.whole && b.whole};
  if (a.rows == NAN_ALL && (b.rows == NAN_NOW || b.rows == NAN_BEFORE))
    return (RowFact){b.rows, true, b.whole && a.whole};
  return (RowFact){DIFFER, true, false};
}

// Weakens the fact of the slot if the value that the trip yields has a weaker
// one; true: it has.
static bool assume_less(Op *loop, int slot) {
  Value *result = &loop->results[slot];
  const RowFact yielded = known(region_yield(loop, 0, slot));
  const int before = result->id;
  if (known(result).rows == SAME) {
    if (is_shown(yielded)) know(result, (RowFact){NAN_ALL, true, true});
  } else if (yielded.rows != NAN_ALL || !yielded.whole) {
    const RowFact known_now = known(result);
    if (yielded.rows != NAN_ALL || known_now.rows == NAN_ALL)
      know(result, weaker(known_now, yielded));
  }
  return result->id != before;
}

// Repeats the scan until the facts of the slots stay the same.  Slots with
// values that differ are first assumed to be NaN in all lost rows: before the
// first trip no row is lost.
static bool scan_loop(const Search *s, Op *loop) {
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < for_num_slots(loop); i++)
      know(for_arg(loop, i), one_trip_later(known(&loop->results[i])));
    if (!scan_ops(s, loop->regions[0]->first)) return false;
    for (int i = 0; i < for_num_slots(loop); i++)
      changed = assume_less(loop, i) || changed;
  }
  return true;
}

// -- Behind it ---------------------------------------------------------------

// The loop is in region `block` of the `if`; in the other region no row is
// lost.
static void leave_if(Op *op, const Block *block) {
  const int region = op->regions[0] == block ? 0 : 1;
  for (int i = 0; i < op->num_results; i++)
    know(&op->results[i], known(region_yield(op, region, i)));
}

static bool scan_behind(const Search *s, Op *op) {
  for (;;) {
    const Block *block = op->block;
    if (!scan_ops(s, op->next)) return false;
    op = block->parent;
    if (!op) return !shows(block_end(block));
    if (op->kind != OP_if) return !shows(block_end(block));
    leave_if(op, block);
  }
}

bool rows_hide_maximum(Op *loop, Op *maximum) {
  const Value *scores = op_operand(maximum, 0);
  assert(maximum->block == loop->regions[0] && "another loop's"); // I14
  const Search s = {
      .num_rows = scores->type->shape[0], .maximum = maximum, .scores = scores};
  Block *body = op_function(loop)->body;
  for (int i = 0; i < body->num_args; i++) body->args[i].id = SAME;
  block_walk(body, know_nothing, NULL);
  return scan_loop(&s, loop) && scan_behind(&s, loop);
}
