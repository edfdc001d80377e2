// scan.c -- prefixes along an axis.
//
// If the axis is distributed regularly, the tile keeps its layout, else it is
// converted.  Each thread scans its run of the axis, the lanes scan the totals
// of the runs, and every element is combined with the total of the lanes before
// it.  If more registers follow, the next chunk starts from the last lane's
// total.  Warps store the totals of their parts to shared memory, from which
// each sums up those before its own.  A reversed scan starts at the end.
//
//   elements, two a thread     1  2 |  3  4 |  5  6 |  7  8
//   scanned by each thread     1  3 |  3  7 |  5 11 |  7 15
//   the lanes before have           |  3    | 10    | 21
//   prefixes                   1  3 |  6 10 | 15 21 | 28 36
#include "codegen/gpu/simt.h"

#include "ir/exchange.h"
#include "ir/layout_scan.h"

#include <assert.h>

typedef struct {
  Simt *s;
  const Op *op;
  int num_inputs;
  bool reverse;
  const Layout *layout;
  LayoutScan scan;
  int run, lanes, warps, chunks;
  LLVMValueRef lane, warp; // this thread's place along the axis
  LLVMValueRef *values[SIMT_MAX_INPUTS];
} LaneScan;

// The elements of one row in one chunk.
typedef struct {
  uint32_t row; // register of the row's first element
  int chunk;
} Chunk;

static LLVMValueRef *column(const LaneScan *x, int reg) {
  LLVMValueRef *values = simt_new(x->s, x->num_inputs);
  for (int i = 0; i < x->num_inputs; i++) values[i] = x->values[i][reg];
  return values;
}

static void set_column(LaneScan *x, int reg, LLVMValueRef const *values) {
  for (int i = 0; i < x->num_inputs; i++) x->values[i][reg] = values[i];
}

// The k-th register of a run, in the order of the scan.
static int nth(const LaneScan *x, Chunk at, int k) {
  const int place = x->reverse ? x->run - 1 - k : k;
  assert(!(at.row & x->scan.along) && place >= 0 && place < x->run); // I2
  return (int)(at.row | layout_scan_register(&x->scan, at.chunk, place));
}

static bool scan_registers(LaneScan *x, Chunk at) {
  for (int k = 1; k < x->run; k++) {
    LLVMValueRef *sum = column(x, nth(x, at, k - 1));
    LLVMValueRef *next = column(x, nth(x, at, k));
    if (!simt_combine(x->s, x->op, sum, next, next)) return false;
    set_column(x, nth(x, at, k), next);
  }
  return true;
}

static LLVMValueRef *from_lane(const LaneScan *x, LLVMValueRef const *values,
                               LLVMValueRef lane) {
  Simt *s = x->s;
  const int last = layout_count(x->layout, LAYOUT_LANE) - 1;
  lane = LLVMBuildAnd(s->b, lane, simt_i32(s, last), "");
  LLVMValueRef *out = simt_new(s, x->num_inputs);
  for (int i = 0; i < x->num_inputs; i++) {
    out[i] = simt_shuffle(s, values[i], lane);
  }
  return out;
}

// `values` of the lane `by` places before this one.
static LLVMValueRef *from_before(const LaneScan *x, LLVMValueRef const *values,
                                 int by) {
  Simt *s = x->s;
  const int lanes = by << x->scan.first_lane;
  LLVMValueRef distance = simt_i32(s, x->reverse ? lanes : -lanes);
  return from_lane(x, values, LLVMBuildAdd(s->b, simt_thread(s), distance, ""));
}

// `values` of the last lane of the scan.
static LLVMValueRef *from_last(const LaneScan *x, LLVMValueRef const *values) {
  Simt *s = x->s;
  const int along = (x->lanes - 1) << x->scan.first_lane;
  LLVMValueRef thread = simt_thread(s);
  return from_lane(x, values,
                   x->reverse
                       ? LLVMBuildAnd(s->b, thread, simt_i32(s, ~along), "")
                       : LLVMBuildOr(s->b, thread, simt_i32(s, along), ""));
}

// Is there a lane `by` places before this one?
static LLVMValueRef has_before(const LaneScan *x, int by) {
  const int limit = x->reverse ? x->lanes - by : by;
  return LLVMBuildICmp(x->s->b, x->reverse ? LLVMIntSLT : LLVMIntSGE, x->lane,
                       simt_i32(x->s, limit), "");
}

// values = region(before, values), if that lane exists.
static bool add_before(LaneScan *x, LLVMValueRef const *before, int by,
                       LLVMValueRef *values) {
  LLVMValueRef sum[SIMT_MAX_INPUTS], there = has_before(x, by);
  if (!simt_combine(x->s, x->op, before, values, sum)) return false;
  for (int i = 0; i < x->num_inputs; i++) {
    values[i] = emit_select(x->s->e, there, sum[i], values[i]);
  }
  return true;
}

// The total before the thread's run: of the lanes before it, and of earlier
// chunks (`carry`).
static bool find_before(const LaneScan *x, LLVMValueRef const *total,
                        LLVMValueRef const *carry, LLVMValueRef *out) {
  LLVMValueRef *before = from_before(x, total, 1);
  for (int i = 0; i < x->num_inputs; i++) out[i] = before[i];
  if (!carry) return true;
  if (!simt_combine(x->s, x->op, carry, before, out)) return false;
  LLVMValueRef there = has_before(x, 1);
  for (int i = 0; i < x->num_inputs; i++) {
    out[i] = emit_select(x->s->e, there, out[i], carry[i]);
  }
  return true;
}

// Combines the total with all elements of the run but its last.
static bool add_to_run(LaneScan *x, Chunk at, LLVMValueRef const *total,
                       LLVMValueRef const *carry) {
  LLVMValueRef before[SIMT_MAX_INPUTS];
  if (x->run == 1) return true;
  if (!find_before(x, total, carry, before)) return false;
  for (int k = 0; k < x->run - 1; k++) {
    LLVMValueRef *values = column(x, nth(x, at, k));
    if (carry && !simt_combine(x->s, x->op, before, values, values)) {
      return false;
    }
    if (!carry && !add_before(x, before, 1, values)) return false;
    set_column(x, nth(x, at, k), values);
  }
  return true;
}

static bool scan_chunk(LaneScan *x, Chunk at, LLVMValueRef const *carry) {
  if (!scan_registers(x, at)) return false;
  if (x->lanes == 1) return true;
  const int last = nth(x, at, x->run - 1);
  LLVMValueRef *total = column(x, last);
  for (int by = 1; by < x->lanes; by *= 2) {
    if (!add_before(x, from_before(x, total, by), by, total)) return false;
  }
  if (!add_to_run(x, at, total, carry)) return false;
  if (carry && !simt_combine(x->s, x->op, carry, total, total)) return false;
  set_column(x, last, total);
  return true;
}

static bool scan_row(LaneScan *x, uint32_t row) {
  LLVMValueRef *carry = NULL;
  for (int k = 0; k < x->chunks; k++) {
    const Chunk at = {row, x->reverse ? x->chunks - 1 - k : k};
    if (!scan_chunk(x, at, carry)) return false;
    if (x->warps > 1 || k == x->chunks - 1) continue;
    carry = from_last(x, column(x, nth(x, at, x->run - 1)));
  }
  return true;
}

// -- Over warps --------------------------------------------------------------

// The totals that the warps store, by run, by thread with a row of its own, and
// by warp along the axis.
typedef struct {
  LaneScan *x;
  Scratch scratch;
  LLVMValueRef row; // number of this thread's
  int num_rows;
} Totals;

// The number without the bits `first` to first + count - 1.
static LLVMValueRef without_bits(Simt *s, LLVMValueRef number, int first,
                                 int count) {
  LLVMValueRef low =
      LLVMBuildAnd(s->b, number, simt_i32(s, (INT64_C(1) << first) - 1), "");
  LLVMValueRef high =
      LLVMBuildLShr(s->b, number, simt_i32(s, first + count), "");
  high = LLVMBuildShl(s->b, high, simt_i32(s, first), "");
  return LLVMBuildOr(s->b, low, high, "");
}

static bool open_totals(LaneScan *x, Totals *out) {
  Simt *s = x->s;
  const int64_t bytes = exchange_total_start(x->op, x->num_inputs);
  const int num_lanes = x->layout->num_bits[LAYOUT_LANE];
  const int num_threads = num_lanes + x->layout->num_bits[LAYOUT_WARP];
  const LayoutScan *scan = &x->scan;
  LLVMValueRef row = without_bits(
      s, simt_thread(s), num_lanes + scan->first_warp, scan->log2_warps);
  row = without_bits(s, row, scan->first_lane, scan->log2_lanes);
  *out = (Totals){.x = x, .row = row};
  out->num_rows = 1 << (num_threads - scan->log2_lanes - scan->log2_warps);
  return scratch_open(s, x->op, bytes, &out->scratch);
}

// The address of the total of run `run` in this thread's row, from warp `warp`
// along the axis.
static LLVMValueRef total_address(const Totals *t, int input, int run,
                                  LLVMValueRef warp) {
  Simt *s = t->x->s;
  const int64_t start = exchange_total_start(t->x->op, input);
  const Type *element = op_operand(t->x->op, input)->type->element;
  assert(run < layout_num_registers(t->x->layout) >> t->x->scan.log2_run &&
         "a total past the scratch"); // I3
  LLVMValueRef at =
      LLVMBuildAdd(s->b, t->row, simt_i32(s, (int64_t)run * t->num_rows), "");
  at = LLVMBuildMul(s->b, at, simt_i32(s, t->x->warps), "");
  at = LLVMBuildAdd(s->b, at, warp, "");
  at = LLVMBuildMul(s->b, at, simt_i32(s, element_bytes(element)), "");
  at = LLVMBuildAdd(s->b, at, simt_i32(s, start), "");
  return scratch_address(s, &t->scratch, at);
}

static SimtAccess total_access(const LaneScan *x, int input, int log2_width) {
  return (SimtAccess){.element = op_operand(x->op, input)->type->element,
                      .log2_width = log2_width,
                      .shared = true,
                      .mode = ""};
}

// The last lane of the scan stores the total of run `run`.
static void store_total(const Totals *t, int run, Chunk at) {
  const LaneScan *x = t->x;
  Simt *s = x->s;
  const int last = nth(x, at, x->run - 1);
  LLVMValueRef end = simt_i32(s, x->reverse ? 0 : x->lanes - 1);
  LLVMValueRef owner = LLVMBuildICmp(s->b, LLVMIntEQ, x->lane, end, "");
  for (int i = 0; i < x->num_inputs; i++) {
    const SimtAccess access = total_access(x, i, 0);
    simt_access_store(s, &access, total_address(t, i, run, x->warp), owner,
                      &x->values[i][last]);
  }
}

static void load_totals(const Totals *t, int input, int run,
                        LLVMValueRef *out) {
  enum { WIDEST = 16 };
  const LaneScan *x = t->x;
  const int64_t bytes = element_bytes(op_operand(x->op, input)->type->element);
  int log2_width = 0;
  while (log2_width < x->scan.log2_warps && bytes << log2_width < WIDEST) {
    log2_width++;
  }
  const SimtAccess access = total_access(x, input, log2_width);
  for (int warp = 0; warp < x->warps; warp += 1 << log2_width) {
    LLVMValueRef from = total_address(t, input, run, simt_i32(x->s, warp));
    simt_access_load(x->s, &access, from, NULL, NULL, out + warp);
  }
}

// `running` is the total of all chunks and warps so far, NULL at the start;
// `before` becomes the total before this warp's part of the chunk.
static bool sum_totals(const Totals *t, int run, LLVMValueRef **running,
                       LLVMValueRef *before) {
  const LaneScan *x = t->x;
  Simt *s = x->s;
  assert(x->warps <= 32 && x->num_inputs <= SIMT_MAX_INPUTS); // I4
  LLVMValueRef *totals[SIMT_MAX_INPUTS];
  for (int i = 0; i < x->num_inputs; i++) {
    totals[i] = simt_new(s, x->warps);
    load_totals(t, i, run, totals[i]);
  }
  for (int k = 0; k < x->warps; k++) {
    const int warp = x->reverse ? x->warps - 1 - k : k;
    LLVMValueRef *sum = simt_new(s, x->num_inputs), *so_far = *running;
    LLVMValueRef own =
        LLVMBuildICmp(s->b, LLVMIntEQ, x->warp, simt_i32(s, warp), "");
    for (int i = 0; i < x->num_inputs; i++) {
      sum[i] = totals[i][warp];
      if (!so_far) before[i] = sum[i]; // unused
      if (so_far) before[i] = emit_select(s->e, own, so_far[i], before[i]);
    }
    if (so_far && !simt_combine(s, x->op, so_far, sum, sum)) return false;
    *running = sum;
  }
  return true;
}

static bool add_to_chunk(LaneScan *x, Chunk at, LLVMValueRef const *before,
                         bool is_first) {
  Simt *s = x->s;
  LLVMValueRef none = simt_i32(s, x->reverse ? x->warps - 1 : 0);
  LLVMValueRef there = LLVMBuildICmp(s->b, LLVMIntNE, x->warp, none, "");
  for (int k = 0; k < x->run; k++) {
    LLVMValueRef *values = column(x, nth(x, at, k)), sum[SIMT_MAX_INPUTS];
    if (!simt_combine(s, x->op, before, values, sum)) return false;
    for (int i = 0; i < x->num_inputs; i++) {
      values[i] =
          is_first ? emit_select(s->e, there, sum[i], values[i]) : sum[i];
    }
    set_column(x, nth(x, at, k), values);
  }
  return true;
}

// Runs are numbered row by row, and the chunks of a row in the order of the
// scan.
static bool add_warps_to_row(const Totals *t, uint32_t row, int run) {
  LaneScan *x = t->x;
  LLVMValueRef *running = NULL, before[SIMT_MAX_INPUTS];
  for (int k = 0; k < x->chunks; k++) {
    const Chunk at = {row, x->reverse ? x->chunks - 1 - k : k};
    if (!sum_totals(t, run + k, &running, before)) return false;
    if (!add_to_chunk(x, at, before, k == 0)) return false;
  }
  return true;
}

static bool scan_warps(LaneScan *x, uint32_t count) {
  Totals t;
  int run = 0;
  if (!open_totals(x, &t)) return false;
  for (uint32_t row = 0; row < count; row++) {
    for (int k = 0; k < x->chunks && !(row & x->scan.along); k++) {
      const Chunk at = {row, x->reverse ? x->chunks - 1 - k : k};
      store_total(&t, run++, at);
    }
  }
  scratch_publish(x->s);
  run = 0;
  for (uint32_t row = 0; row < count; row++) {
    if (row & x->scan.along) continue;
    if (!add_warps_to_row(&t, row, run)) return false;
    run += x->chunks;
  }
  return true;
}

// -- The op ------------------------------------------------------------------

static bool read_inputs(LaneScan *x, const Layout *from) {
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

static bool set_results(LaneScan *x) {
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
  LaneScan x = {.s = s,
                .op = op,
                .num_inputs = op->num_operands,
                .reverse = op_int(op, ATTR_reverse) != 0};
  if (x.num_inputs > SIMT_MAX_INPUTS) {
    return simt_unsupported(s, op, "of so many tiles");
  }
  x.layout = exchange_scanned(op);
  if (!layout_scan(x.layout, (int)op_int(op, ATTR_axis), &x.scan)) {
    return simt_unsupported(s, op, "along this axis");
  }
  x.run = 1 << x.scan.log2_run;
  x.lanes = 1 << x.scan.log2_lanes;
  x.warps = 1 << x.scan.log2_warps;
  x.chunks = 1 << x.scan.log2_chunks;
  const int count = layout_num_registers(x.layout);
  if (count > SIMT_MAX_REGISTERS) {
    return simt_unsupported(s, op, "of so large a tile");
  }
  LLVMValueRef lane =
      LLVMBuildLShr(s->b, simt_thread(s), simt_i32(s, x.scan.first_lane), "");
  x.lane = LLVMBuildAnd(s->b, lane, simt_i32(s, x.lanes - 1), "");
  const int first_warp = x.layout->num_bits[LAYOUT_LANE] + x.scan.first_warp;
  LLVMValueRef warp =
      LLVMBuildLShr(s->b, simt_thread(s), simt_i32(s, first_warp), "");
  x.warp = LLVMBuildAnd(s->b, warp, simt_i32(s, x.warps - 1), "");
  if (!read_inputs(&x, from)) return false;
  for (uint32_t row = 0; row < (uint32_t)count; row++) {
    if (row & x.scan.along) continue;
    if (!scan_row(&x, row)) return false;
  }
  if (x.warps > 1 && !scan_warps(&x, (uint32_t)count)) return false;
  return set_results(&x);
}
