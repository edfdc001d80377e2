// scan.c -- the distribution of an axis over threads, for scans along it.
//
// Every bit of the axis must be one bit of a register, a lane or a warp, which
// moves along nothing else.  Bits that select copies move along no axis: copies
// do the same work.
#include "ir/layout_scan.h"

#include "ir/layout_access.h"

#include <assert.h>

// The input bit that moves along each bit of the axis; -1: not found yet.
typedef struct {
  int length, inputs[LAYOUT_MAX_BITS];
} AxisInputs;

static bool note_input(AxisInputs *axis, int first, uint32_t column,
                       int input) {
  for (int i = 0; i < axis->length; i++) {
    if (column != UINT32_C(1) << (first + i)) continue;
    if (axis->inputs[i] >= 0) return false;
    axis->inputs[i] = input;
    return true;
  }
  return false;
}

static bool find_inputs(const Layout *layout, int axis, AxisInputs *out) {
  const int first = layout_axis_bit(layout, axis);
  const uint32_t mask = layout_axis_mask(layout, axis);
  *out = (AxisInputs){.length = layout->log2_shape[axis]};
  for (int i = 0; i < out->length; i++) out->inputs[i] = -1;
  for (int i = 0; i < layout->map.num_in; i++) {
    const uint32_t column = layout->map.column[i];
    if (column & mask && !note_input(out, first, column, i)) return false;
  }
  for (int i = 0; i < out->length; i++) {
    if (out->inputs[i] < 0) return false;
  }
  return true;
}

// The bits of the axis from `at` on that are register bits.
static int take_registers(const Layout *layout, const AxisInputs *axis, int at,
                          uint32_t *registers) {
  int n = 0;
  for (; at + n < axis->length; n++) {
    if (axis->inputs[at + n] >= layout->num_bits[LAYOUT_REGISTER]) break;
    registers[n] = UINT32_C(1) << axis->inputs[at + n];
  }
  return n;
}

// The bits of the axis from `at` on that are consecutive bits of lanes or of
// warps.
static int take_threads(const Layout *layout, LayoutDim dim,
                        const AxisInputs *axis, int at, int *first_taken) {
  const int first = layout_first_bit(layout, dim);
  const int end = first + layout->num_bits[dim];
  int n = 0;
  for (; at + n < axis->length; n++) {
    const int input = axis->inputs[at + n];
    if (input < first || input >= end) break;
    if (n && input != axis->inputs[at + n - 1] + 1) break;
  }
  *first_taken = n ? axis->inputs[at] - first : 0;
  return n;
}

bool layout_scan(const Layout *layout, int axis, LayoutScan *out) {
  AxisInputs found;
  *out = (LayoutScan){0};
  if (!find_inputs(layout, axis, &found)) return false;
  out->log2_run = take_registers(layout, &found, 0, out->registers);
  int at = out->log2_run;
  out->log2_lanes =
      take_threads(layout, LAYOUT_LANE, &found, at, &out->first_lane);
  at += out->log2_lanes;
  out->log2_warps =
      take_threads(layout, LAYOUT_WARP, &found, at, &out->first_warp);
  at += out->log2_warps;
  out->log2_chunks =
      take_registers(layout, &found, at, out->registers + out->log2_run);
  const int num_registers = out->log2_run + out->log2_chunks;
  for (int i = 0; i < num_registers; i++) out->along |= out->registers[i];
  return at + out->log2_chunks == found.length;
}

uint32_t layout_scan_register(const LayoutScan *scan, int chunk, int at) {
  assert(!(chunk >> scan->log2_chunks) && !(at >> scan->log2_run) &&
         "outside of the run or of the chunks"); // I9
  const int place = chunk << scan->log2_run | at;
  uint32_t reg = 0;
  for (int i = 0; i < scan->log2_run + scan->log2_chunks; i++) {
    if (place >> i & 1) reg |= scan->registers[i];
  }
  return reg;
}
