// reduce.c -- reduce, scan and histogram.
//
// A reduction is a tree: neighbours along the axis are combined, which halves
// it, until one element is left.  A scan then combines the elements in between;
// if its region allows no other order, it goes along the axis element by
// element.  Each step combines many independent lanes: in one run of a wide
// region, else one after the other.
#include "ir/interp/run.h"

#include <assert.h>

// Lane (row, column) combines work[row * stride + column + x] with the element
// at y in place of x, and stores the result at out; there are `inner` columns.
typedef struct {
  int64_t count, inner;
  int64_t stride, x, y;
  int64_t out_stride, out;
} ReduceStep;

static void set_width(const InterpReduction *reduction, int64_t width) {
  assert(width <= reduction->width && "wider than the slots"); // I5
  for (size_t i = 0; i < reduction->locals.count; i++) {
    reduction->locals.items[i]->count = width;
  }
  for (size_t i = 0; i < reduction->captured.count; i++) {
    cells_fill(reduction->copies.items[i]->cells, width,
               reduction->captured.items[i]->cells[0]);
  }
}

static void read_lanes(const ReduceStep *s, const Cell *work, int64_t first,
                       int64_t width, Cell *x, Cell *y) {
  int64_t row = first / s->inner, column = first % s->inner;
  for (int64_t k = 0; k < width; k++) {
    const int64_t at = row * s->stride + column;
    x[k] = work[at + s->x];
    y[k] = work[at + s->y];
    if (++column == s->inner) column = 0, row++;
  }
}

static void write_lanes(const ReduceStep *s, Cell *work, int64_t first,
                        int64_t width, const Cell *values) {
  int64_t row = first / s->inner, column = first % s->inner;
  for (int64_t k = 0; k < width; k++) {
    work[row * s->out_stride + column + s->out] = values[k];
    if (++column == s->inner) column = 0, row++;
  }
}

static bool run_lanes(Run *r, const InterpInst *in, const ReduceStep *step,
                      int64_t first, int64_t width, bool *poisoned) {
  const int n = in->op->num_operands;
  Cell **work = in->reduction->work;
  for (int i = 0; i < n; i++) {
    read_lanes(step, work[i], first, width, in->args[0][i]->cells,
               in->args[0][n + i]->cells);
  }
  assert(width <= in->args[0][0]->capacity && "wider than the slots"); // I5
  if (!run_code(r, in->body[0], in->end)) return false;
  const InterpInst *yield = &r->code.items[in->end - 1];
  for (int i = 0; i < n; i++) {
    write_lanes(step, work[i], first, width, yield->in[i]->cells);
    *poisoned |= yield->in[i]->poisoned;
  }
  return true;
}

static bool run_step(Run *r, const InterpInst *in, const ReduceStep *step,
                     bool *poisoned) {
  if (in->reduction->wide) {
    set_width(in->reduction, step->count);
    return run_lanes(r, in, step, 0, step->count, poisoned);
  }
  for (int64_t i = 0; i < step->count; i++) {
    if (!run_lanes(r, in, step, i, 1, poisoned)) return false;
  }
  return true;
}

static bool captures_poison(const InterpReduction *reduction) {
  for (size_t i = 0; i < reduction->captured.count; i++) {
    if (reduction->captured.items[i]->poisoned) return true;
  }
  return false;
}

static void begin(const InterpInst *in) {
  for (int i = 0; i < in->op->num_operands; i++) {
    cells_copy(in->reduction->work[i], in->in[i]->cells, in->in[i]->count);
  }
}

static void finish(Run *r, const InterpInst *in, bool poisoned) {
  poisoned |= captures_poison(in->reduction);
  for (int i = 0; i < in->op->num_results; i++) {
    Slot *out = in->out[i];
    cells_copy(out->cells, in->reduction->work[i], out->count);
  }
  if (spread_all(r, in) || !poisoned) return;
  for (int i = 0; i < in->op->num_results; i++) {
    slot_poison(r, in->out[i], UNDEFINED);
  }
}

bool exec_reduce(Run *r, const InterpInst *in) {
  const InterpReduction *reduction = in->reduction;
  const int64_t lanes = reduction->outer * reduction->inner;
  bool poisoned = false;
  begin(in);
  for (int64_t length = reduction->length; length > 1; length /= 2) {
    const ReduceStep step = {.count = lanes * length / 2,
                             .inner = reduction->inner,
                             .stride = 2 * reduction->inner,
                             .y = reduction->inner,
                             .out_stride = reduction->inner};
    if (!run_step(r, in, &step, &poisoned)) return false;
  }
  finish(r, in, poisoned);
  r->pc = in->end;
  return true;
}

// Pairs of positions that a step of a scan combines: `count` pairs, `apart`
// from each other, at x and y; the result goes to y.
typedef struct {
  int64_t count, apart, x, y;
} ScanPairs;

// The step for these pairs in part `outer` of the inputs.
static ReduceStep pairs_step(const InterpInst *in, const ScanPairs *pairs,
                             int64_t outer) {
  const int64_t inner = in->reduction->inner, length = in->reduction->length;
  const bool reverse = op_int(in->op, ATTR_reverse) != 0;
  const int64_t sign = reverse ? -inner : inner;
  const int64_t first = (outer * length + (reverse ? length - 1 : 0)) * inner;
  return (ReduceStep){.count = pairs->count * inner,
                      .inner = inner,
                      .stride = pairs->apart * sign,
                      .x = first + pairs->x * sign,
                      .y = first + pairs->y * sign,
                      .out_stride = pairs->apart * sign,
                      .out = first + pairs->y * sign};
}

static bool run_pairs(Run *r, const InterpInst *in, ScanPairs pairs,
                      bool *poisoned) {
  for (int64_t i = 0; pairs.count && i < in->reduction->outer; i++) {
    const ReduceStep step = pairs_step(in, &pairs, i);
    if (!run_step(r, in, &step, poisoned)) return false;
  }
  return true;
}

// Combines the ends of ever longer blocks, then the positions in between.
static bool scan_tree(Run *r, const InterpInst *in, bool *poisoned) {
  const int64_t length = in->reduction->length;
  for (int64_t n = 1; n < length; n *= 2) {
    const ScanPairs ends = {length / (2 * n), 2 * n, n - 1, 2 * n - 1};
    if (!run_pairs(r, in, ends, poisoned)) return false;
  }
  for (int64_t n = length / 4; n >= 1; n /= 2) {
    const ScanPairs between = {length / (2 * n) - 1, 2 * n, 2 * n - 1,
                               3 * n - 1};
    if (!run_pairs(r, in, between, poisoned)) return false;
  }
  return true;
}

static bool scan_line(Run *r, const InterpInst *in, bool *poisoned) {
  const int64_t length = in->reduction->length, inner = in->reduction->inner;
  const bool reverse = op_int(in->op, ATTR_reverse) != 0;
  for (int64_t k = 1; k < length; k++) {
    const int64_t at = reverse ? length - 1 - k : k;
    const int64_t before = reverse ? at + 1 : at - 1;
    const ReduceStep step = {.count = in->reduction->outer * inner,
                             .inner = inner,
                             .stride = length * inner,
                             .x = before * inner,
                             .y = at * inner,
                             .out_stride = length * inner,
                             .out = at * inner};
    if (!run_step(r, in, &step, poisoned)) return false;
  }
  return true;
}

bool exec_scan(Run *r, const InterpInst *in) {
  bool poisoned = false;
  begin(in);
  const bool ok = op_combines_freely(in->op) ? scan_tree(r, in, &poisoned)
                                             : scan_line(r, in, &poisoned);
  if (!ok) return false;
  finish(r, in, poisoned);
  r->pc = in->end;
  return true;
}

bool exec_histogram(Run *r, const InterpInst *in) {
  const Slot *x = in->in[0];
  Slot *out = in->out[0];
  const bool narrow = type_element_bits(x->type) == 32;
  if (!slot_defined(r, in, x, "an element")) return false;
  cells_fill(out->cells, out->count, (Cell){0});
  out->poisoned = false;
  for (int64_t i = 0; i < x->count; i++) {
    const uint64_t wide = (uint64_t)x->cells[i].i;
    const uint64_t bin = narrow ? (uint32_t)wide : wide;
    if (bin < (uint64_t)out->count) out->cells[bin].i++;
  }
  return true;
}
