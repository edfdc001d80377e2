// simt_scan.c -- prefixes along an axis, within a warp.
//
// The tile is converted to a layout in which the axis runs through registers
// first and then lanes, and no further.  Each thread scans its run of the axis,
// the lanes scan the totals of the runs, and every element is combined with
// what the lanes before it have.  Reversed, all of this starts at the end.
#include "codegen/simt.h"

#include "ir/exchange.h"

typedef struct {
  Simt *s;
  const Op *op;
  int num_inputs;
  bool reverse;
  const Layout *layout;
  int run, lanes;    // registers and lanes along the axis
  LLVMValueRef lane; // this thread's place along the axis
  LLVMValueRef *values[SIMT_MAX_INPUTS];
} Scan;

static LLVMValueRef *column(const Scan *x, int reg) {
  LLVMValueRef *values = simt_new(x->s, x->num_inputs);
  for (int i = 0; i < x->num_inputs; i++) values[i] = x->values[i][reg];
  return values;
}

static void set_column(Scan *x, int reg, LLVMValueRef const *values) {
  for (int i = 0; i < x->num_inputs; i++) x->values[i][reg] = values[i];
}

// The k-th register of a run, in the order of the scan.
static int nth(const Scan *x, int first, int k) {
  return first + (x->reverse ? x->run - 1 - k : k);
}

static bool scan_registers(Scan *x, int first) {
  for (int k = 1; k < x->run; k++) {
    LLVMValueRef *sum = column(x, nth(x, first, k - 1));
    LLVMValueRef *next = column(x, nth(x, first, k));
    if (!simt_combine(x->s, x->op, sum, next, next)) return false;
    set_column(x, nth(x, first, k), next);
  }
  return true;
}

// `values` of the lane `by` places before this one.
static LLVMValueRef *from_before(const Scan *x, LLVMValueRef const *values,
                                 int by) {
  Simt *s = x->s;
  LLVMValueRef distance = simt_i32(s, x->reverse ? by : -by);
  LLVMValueRef lane = LLVMBuildAdd(s->b, simt_thread(s), distance, "");
  const int last = layout_count(x->layout, LAYOUT_LANE) - 1;
  lane = LLVMBuildAnd(s->b, lane, simt_i32(s, last), "");
  LLVMValueRef *out = simt_new(s, x->num_inputs);
  for (int i = 0; i < x->num_inputs; i++) {
    out[i] = simt_shuffle(s, values[i], lane);
  }
  return out;
}

// Is there a lane that far before this one?
static LLVMValueRef has_before(const Scan *x, int by) {
  const int limit = x->reverse ? x->lanes - by : by;
  return LLVMBuildICmp(x->s->b, x->reverse ? LLVMIntSLT : LLVMIntSGE, x->lane,
                       simt_i32(x->s, limit), "");
}

// values = region(before, values) where there is such a lane.
static bool add_before(Scan *x, LLVMValueRef const *before, int by,
                       LLVMValueRef *values) {
  LLVMValueRef sum[SIMT_MAX_INPUTS], there = has_before(x, by);
  if (!simt_combine(x->s, x->op, before, values, sum)) return false;
  for (int i = 0; i < x->num_inputs; i++) {
    values[i] = emit_select(x->s->e, there, sum[i], values[i]);
  }
  return true;
}

static bool scan_run(Scan *x, int first) {
  if (!scan_registers(x, first)) return false;
  if (x->lanes == 1) return true;
  LLVMValueRef *total = column(x, nth(x, first, x->run - 1));
  for (int by = 1; by < x->lanes; by *= 2) {
    if (!add_before(x, from_before(x, total, by), by, total)) return false;
  }
  LLVMValueRef *before = from_before(x, total, 1);
  for (int k = 0; k < x->run; k++) {
    LLVMValueRef *values = column(x, nth(x, first, k));
    if (!add_before(x, before, 1, values)) return false;
    set_column(x, nth(x, first, k), values);
  }
  return true;
}

static bool read_inputs(Scan *x, const Layout *from) {
  for (int i = 0; i < x->num_inputs; i++) {
    const Value *input = op_operand(x->op, i);
    x->values[i] = simt_new(x->s, layout_num_registers(x->layout));
    if (!simt_convert(x->s, x->op, input->type->element, from,
                      simt_get(x->s, input), x->layout, x->values[i])) {
      return false;
    }
  }
  return true;
}

static bool set_results(Scan *x) {
  for (int i = 0; i < x->num_inputs; i++) {
    const Value *result = &x->op->results[i];
    LLVMValueRef *out = simt_new(x->s, simt_count(result->type));
    simt_set(x->s, result, out);
    if (!simt_convert(x->s, x->op, result->type->element, x->layout,
                      x->values[i], result->type->layout, out)) {
      return false;
    }
  }
  return true;
}

bool simt_emit_scan(Simt *s, const Op *op) {
  const Layout *from = op_operand(op, 0)->type->layout;
  Scan x = {.s = s,
            .op = op,
            .num_inputs = op->num_operands,
            .reverse = op_int(op, ATTR_reverse) != 0};
  if (x.num_inputs > SIMT_MAX_INPUTS) {
    return simt_unsupported(s, op, "of so many tiles");
  }
  const int64_t length = layout_size(from, (int)op_int(op, ATTR_axis));
  const int num_lanes = layout_count(from, LAYOUT_LANE);
  x.layout = exchange_scanned(op);
  x.lanes = length < num_lanes ? (int)length : num_lanes;
  x.run = (int)(length / x.lanes);
  const int count = layout_num_registers(x.layout);
  if (count > SIMT_MAX_REGISTERS) {
    return simt_unsupported(s, op, "of so large a tile");
  }
  x.lane = LLVMBuildAnd(s->b, simt_thread(s), simt_i32(s, x.lanes - 1), "");
  if (!read_inputs(&x, from)) return false;
  for (int first = 0; first < count; first += x.run) {
    if (!scan_run(&x, first)) return false;
  }
  return set_results(&x);
}
