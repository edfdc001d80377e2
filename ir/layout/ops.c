// ops.c -- operations that make a layout from another one.
//
// Most of them only move whole axes: take_axes() gets, for each axis of the
// result, the axis of the operand that it comes from.
//
// For example, register [0,1] [8,0] [0,16], lane [0,2] [0,4] [1,0] [2,0] [4,0]
// without axis 0 is register [1] [16], lane [2] [4] [0] [0] [0]: the register
// for row 8 would be a copy and is dropped, and three bits of the lane select
// copies.
#include "ir/layout/parts.h"
#include "ir/layout_access.h"

#include <assert.h>
#include <string.h>

enum { NO_AXIS = -1 };

// For each axis of the result: the operand's axis with its size, or NO_AXIS for
// a new axis of size 1.
typedef struct {
  int rank;
  int axis[LAYOUT_MAX_RANK];
} AxisMap;

static AxisMap same_axes(const Layout *layout) {
  AxisMap axes = {.rank = layout->rank};
  for (int i = 0; i < axes.rank; i++) axes.axis[i] = i;
  return axes;
}

static void remove_axis(AxisMap *axes, int axis) {
  axes->rank--;
  for (int i = axis; i < axes->rank; i++) axes->axis[i] = axes->axis[i + 1];
}

static void insert_axis(AxisMap *axes, int axis) {
  for (int i = axes->rank++; i > axis; i--) axes->axis[i] = axes->axis[i - 1];
  axes->axis[axis] = NO_AXIS;
}

static uint32_t axis_bits(const LayoutParts *parts, int axis, uint32_t word) {
  const uint32_t mask = (UINT32_C(1) << parts->log2_shape[axis]) - 1;
  return (word >> parts_first_bit(parts, axis)) & mask;
}

static uint32_t move_column(const LayoutParts *to, const LayoutParts *from,
                            const AxisMap *axes, uint32_t column) {
  uint32_t moved = 0;
  for (int i = 0; i < axes->rank; i++) {
    if (axes->axis[i] == NO_AXIS) continue;
    moved |= axis_bits(from, axes->axis[i], column) << parts_first_bit(to, i);
  }
  return moved;
}

static LayoutParts take_axes(const Layout *layout, const AxisMap *axes) {
  const LayoutParts from = parts_of_layout(layout);
  LayoutParts to = {.shared = from.shared, .rank = axes->rank};
  for (int i = 0; i < axes->rank; i++) {
    const int axis = axes->axis[i];
    to.log2_shape[i] = axis == NO_AXIS ? 0 : from.log2_shape[axis];
    to.covered[i] = to.log2_shape[i];
  }
  for (int dim = 0; dim < LAYOUT_NUM_DIMS; dim++) {
    for (int i = 0; i < from.num[dim]; i++) {
      const uint32_t column = from.column[dim][i];
      parts_add(&to, (LayoutDim)dim, move_column(&to, &from, axes, column));
    }
  }
  return to;
}

static void drop_copies(LayoutParts *parts) {
  Subspace kept = {0};
  const int num = parts->num[LAYOUT_REGISTER];
  uint32_t *const column = parts->column[LAYOUT_REGISTER];
  parts->num[LAYOUT_REGISTER] = 0;
  for (int i = 0; i < num; i++) {
    const uint32_t c = column[i];
    if (subspace_add(&kept, c)) column[parts->num[LAYOUT_REGISTER]++] = c;
  }
}

// Gives a thread bit without a position the lowest register bit that is not in
// a run.
static void spread_bit(LayoutParts *parts, uint32_t *thread, int log2_run) {
  uint32_t *const column = parts->column[LAYOUT_REGISTER];
  const int num = parts->num[LAYOUT_REGISTER];
  int at = 0;
  while (at < num && !(column[at] >> log2_run)) at++;
  if (*thread || at == num) return;
  *thread = column[at];
  parts->num[LAYOUT_REGISTER]--;
  memmove(column + at, column + at + 1,
          (size_t)(num - at - 1) * sizeof *column);
}

const Layout *layout_spread(LayoutTable *table, const Layout *layout,
                            int log2_run, LayoutDim last) {
  LayoutParts parts = parts_of_layout(layout);
  drop_copies(&parts);
  for (int dim = LAYOUT_LANE; dim <= (int)last; dim++) {
    for (int i = 0; i < parts.num[dim]; i++) {
      spread_bit(&parts, &parts.column[dim][i], log2_run);
    }
  }
  return layout_from_parts(table, &parts);
}

// The bit of the register number with this column; 0 if there is none.
static uint32_t register_bit(const LayoutParts *parts, uint32_t column) {
  for (int i = 0; i < parts->num[LAYOUT_REGISTER]; i++) {
    if (parts->column[LAYOUT_REGISTER][i] == column) return UINT32_C(1) << i;
  }
  return 0;
}

bool layout_taken_bits(LayoutTable *table, const Layout *from, const Layout *to,
                       uint32_t lanes, uint32_t *taken) {
  LayoutParts parts = parts_of_layout(from);
  const LayoutParts wanted = parts_of_layout(to);
  uint32_t all = 0;
  for (int i = 0; i < parts.num[LAYOUT_LANE]; i++) {
    const uint32_t column = wanted.column[LAYOUT_LANE][i];
    taken[i] = 0;
    if (column == parts.column[LAYOUT_LANE][i]) continue;
    taken[i] = register_bit(&parts, column);
    if (parts.column[LAYOUT_LANE][i] || !taken[i]) return false;
    if (!(lanes >> i & 1) || all & taken[i]) return false;
    all |= taken[i];
    parts.column[LAYOUT_LANE][i] = column;
  }
  int left = 0;
  for (int i = 0; i < parts.num[LAYOUT_REGISTER]; i++) {
    uint32_t *const column = parts.column[LAYOUT_REGISTER];
    if (!(all >> i & 1)) column[left++] = column[i];
  }
  parts.num[LAYOUT_REGISTER] = left;
  return all && layout_from_parts(table, &parts) == to;
}

static bool take_from_lane(LayoutParts *parts, int bit) {
  uint32_t *const column = parts->column[LAYOUT_LANE];
  int lane = 0;
  while (lane < parts->num[LAYOUT_LANE] && column[lane] != UINT32_C(1) << bit) {
    lane++;
  }
  if (lane == parts->num[LAYOUT_LANE]) return false;
  uint32_t *const registers = parts->column[LAYOUT_REGISTER];
  memmove(registers + bit + 1, registers + bit,
          (size_t)(parts->num[LAYOUT_REGISTER]++ - bit) * sizeof *registers);
  registers[bit] = column[lane];
  column[lane] = 0;
  return true;
}

const Layout *layout_gather(LayoutTable *table, const Layout *layout,
                            int log2_run) {
  LayoutParts parts = parts_of_layout(layout);
  int idle = 0;
  for (int i = 0; i < parts.num[LAYOUT_LANE]; i++) {
    idle += !parts.column[LAYOUT_LANE][i];
  }
  const int from = layout_log2_contiguous(layout, layout->rank - 1);
  for (int bit = from; bit < log2_run && bit < from + idle; bit++) {
    if (!take_from_lane(&parts, bit)) break;
  }
  return layout_from_parts(table, &parts);
}

static bool has_axis(const Layout *layout, int axis) {
  return axis >= 0 && axis < layout->rank;
}

const Layout *layout_drop_copies(LayoutTable *table, const Layout *layout) {
  LayoutParts parts = parts_of_layout(layout);
  drop_copies(&parts);
  return layout_from_parts(table, &parts);
}

const Layout *layout_slice(LayoutTable *table, const Layout *layout, int axis) {
  if (layout->shared || !has_axis(layout, axis)) return NULL;
  AxisMap axes = same_axes(layout);
  remove_axis(&axes, axis);
  LayoutParts parts = take_axes(layout, &axes);
  drop_copies(&parts);
  return layout_from_parts(table, &parts);
}

const Layout *layout_shrink(LayoutTable *table, const Layout *layout,
                            int axis) {
  if (layout->shared || !has_axis(layout, axis)) return NULL;
  AxisMap axes = same_axes(layout);
  axes.axis[axis] = NO_AXIS;
  LayoutParts parts = take_axes(layout, &axes);
  drop_copies(&parts);
  return layout_from_parts(table, &parts);
}

const Layout *layout_expand(LayoutTable *table, const Layout *layout,
                            int axis) {
  if (axis < 0 || axis > layout->rank) return NULL;
  if (layout->rank == LAYOUT_MAX_RANK) return NULL;
  AxisMap axes = same_axes(layout);
  insert_axis(&axes, axis);
  const LayoutParts parts = take_axes(layout, &axes);
  return layout_from_parts(table, &parts);
}

const Layout *layout_transpose(LayoutTable *table, const Layout *layout,
                               const int *order) {
  if (!order_is_valid(layout->rank, order)) return NULL;
  AxisMap axes = {.rank = layout->rank};
  memcpy(axes.axis, order, (size_t)axes.rank * sizeof *order);
  const LayoutParts parts = take_axes(layout, &axes);
  return layout_from_parts(table, &parts);
}

const Layout *layout_turn(LayoutTable *table, const Layout *layout) {
  int order[LAYOUT_MAX_RANK];
  const int rank = layout->rank;
  assert(rank >= 2 && rank <= LAYOUT_MAX_RANK && "no matrix to turn");
  for (int i = 0; i < rank; i++) order[i] = i;
  order[rank - 2] = rank - 1;
  order[rank - 1] = rank - 2;
  return layout_transpose(table, layout, order);
}

const Layout *layout_reshape(LayoutTable *table, const Layout *layout, int rank,
                             const int64_t *shape) {
  const LayoutParts target = parts_of_shape(rank, shape);
  LayoutParts parts = parts_of_layout(layout);
  if (target.broken) return NULL;
  if (parts_first_bit(&target, -1) != parts_first_bit(&parts, -1)) return NULL;
  parts.rank = rank;
  memcpy(parts.log2_shape, target.log2_shape, sizeof parts.log2_shape);
  return layout_from_parts(table, &parts);
}

// The output word with all bits from `at` on moved up by `count`.
static uint32_t open_gap(uint32_t word, int at, int count) {
  const uint32_t low = word & ((UINT32_C(1) << at) - 1);
  return (uint32_t)((uint64_t)(word ^ low) << count) | low;
}

static void open_gaps(LayoutParts *parts, int at, int count) {
  for (int dim = 0; dim < LAYOUT_NUM_DIMS; dim++) {
    for (int i = 0; i < parts->num[dim]; i++) {
      parts->column[dim][i] = open_gap(parts->column[dim][i], at, count);
    }
  }
}

const Layout *layout_broadcast(LayoutTable *table, const Layout *layout,
                               int axis, int64_t size) {
  const int count = log2_exact(size);
  if (layout->shared || !has_axis(layout, axis) || count < 0) return NULL;
  LayoutParts parts = parts_of_layout(layout);
  if (parts.log2_shape[axis]) return NULL;
  if (count + parts_first_bit(&parts, -1) > LAYOUT_MAX_BITS) return NULL;
  open_gaps(&parts, parts_first_bit(&parts, axis), count);
  parts.log2_shape[axis] = count;
  parts_cover(&parts, LAYOUT_REGISTER, axis, count);
  return layout_from_parts(table, &parts);
}

const Layout *layout_join(LayoutTable *table, const Layout *layout) {
  if (layout->shared || layout->rank == LAYOUT_MAX_RANK) return NULL;
  if (layout->map.num_out == LAYOUT_MAX_BITS) return NULL;
  LayoutParts parts = parts_of_layout(layout);
  open_gaps(&parts, 0, 1);
  parts.log2_shape[parts.rank++] = 1;
  uint32_t *const column = parts.column[LAYOUT_REGISTER];
  memmove(column + 1, column,
          (size_t)parts.num[LAYOUT_REGISTER]++ * sizeof *column);
  column[0] = 1;
  return layout_from_parts(table, &parts);
}

// The only register bit that affects output bit 0, if it affects nothing else.
static int find_join_bit(const LayoutParts *parts) {
  int found = -1;
  for (int dim = 0; dim < LAYOUT_NUM_DIMS; dim++) {
    for (int i = 0; i < parts->num[dim]; i++) {
      if (!(parts->column[dim][i] & 1)) continue;
      if (dim != LAYOUT_REGISTER || parts->column[dim][i] != 1) return -1;
      if (found >= 0) return -1;
      found = i;
    }
  }
  return found;
}

const Layout *layout_split(LayoutTable *table, const Layout *layout) {
  LayoutParts parts = parts_of_layout(layout);
  if (!parts.rank || parts.log2_shape[parts.rank - 1] != 1) return NULL;
  const int bit = find_join_bit(&parts);
  if (bit < 0) return NULL;
  AxisMap axes = same_axes(layout);
  remove_axis(&axes, layout->rank - 1);
  parts = take_axes(layout, &axes);
  uint32_t *const column = parts.column[LAYOUT_REGISTER];
  const int left = --parts.num[LAYOUT_REGISTER] - bit;
  memmove(column + bit, column + bit + 1, (size_t)left * sizeof *column);
  return layout_from_parts(table, &parts);
}

// A column of one factor of a product: `shift[i]` bits further up in axis i of
// the product.
static uint32_t place_factor(const LayoutParts *to, const LayoutParts *factor,
                             const int *shift, uint32_t column) {
  uint32_t placed = 0;
  for (int i = 0; i < to->rank; i++) {
    const uint32_t bits = axis_bits(factor, i, column);
    placed |= bits << (parts_first_bit(to, i) + shift[i]);
  }
  return placed;
}

const Layout *layout_product(LayoutTable *table, const Layout *inner,
                             const Layout *outer) {
  static const int no_shift[LAYOUT_MAX_RANK];
  if (inner->rank != outer->rank || inner->shared != outer->shared) return NULL;
  if (inner->map.num_out + outer->map.num_out > LAYOUT_MAX_BITS) return NULL;
  const LayoutParts low = parts_of_layout(inner), high = parts_of_layout(outer);
  LayoutParts parts = {.shared = low.shared, .rank = low.rank};
  for (int i = 0; i < low.rank; i++) {
    parts.log2_shape[i] = low.log2_shape[i] + high.log2_shape[i];
  }
  for (int dim = 0; dim < LAYOUT_NUM_DIMS; dim++) {
    for (int i = 0; i < low.num[dim]; i++) {
      const uint32_t column = low.column[dim][i];
      parts_add(&parts, (LayoutDim)dim,
                place_factor(&parts, &low, no_shift, column));
    }
    for (int i = 0; i < high.num[dim]; i++) {
      const uint32_t column = high.column[dim][i];
      parts_add(&parts, (LayoutDim)dim,
                place_factor(&parts, &high, low.log2_shape, column));
    }
  }
  return layout_from_parts(table, &parts);
}
