// exchange.c -- the layouts through which exchanges go, and their bytes.
//
// Exchanges of one op come one after the other and use the same bytes.
//
// For example, the operand of a `trans` is converted to the layout in which
// each thread has the elements that its part of the result consists of
// (exchange_pulled()).  If no element changes the warp, this takes no bytes;
// else it takes those of the whole tile, divided by the number of parts.
#include "ir/exchange.h"

#include "ir/flip.h"
#include "ir/layout_access.h"
#include "ir/layout_convert.h"
#include "ir/layout_scan.h"

#include <assert.h>

static LayoutTable *table_of(const Op *op) {
  return &op_function(op)->module->layouts;
}

static const Layout *layout_of(const Op *op, int operand) {
  return op_operand(op, operand)->type->layout;
}

int64_t element_bytes(const Type *element) {
  const int bits = type_element_bits(element);
  return bits < 8 ? 1 : bits / 8;
}

// -- Rearrangements ----------------------------------------------------------

// A permutation of the bits of a position: bit i in the result is bit to[i] in
// the operand, or none (-1).  For `trans` of a tile of 4x2, whose positions
// have the bits i1 i0 j, to a tile of 2x4 with the bits j i1 i0, `to` is {1, 2,
// 0}.
typedef struct {
  int num_bits;
  int to[LAYOUT_MAX_BITS];
} BitMove;

// A dimension of size 1 has no bits.
static BitMove same_bits(const Layout *result) {
  BitMove move = {.num_bits = result->map.num_out};
  for (int i = 0; i < move.num_bits; i++) move.to[i] = i;
  return move;
}

static BitMove broadcast_bits(const Op *op, const Layout *result) {
  const Type *from = op_operand(op, 0)->type;
  BitMove move = {.num_bits = result->map.num_out};
  int next = 0;
  for (int axis = result->rank - 1; axis >= 0; axis--) {
    const int first = layout_axis_bit(result, axis);
    for (int i = 0; i < result->log2_shape[axis]; i++) {
      move.to[first + i] = from->shape[axis] == 1 ? -1 : next++;
    }
  }
  return move;
}

// Axis i of the result is axis order[i] of the operand.
static BitMove trans_bits(const Op *op, const Layout *result) {
  const int64_t *order = op_attr(op, ATTR_order)->as.ints.items;
  BitMove move = {.num_bits = result->map.num_out};
  for (int axis = 0; axis < result->rank; axis++) {
    const int to = layout_axis_bit(result, axis);
    const int at = layout_axis_bit(layout_of(op, 0), (int)order[axis]);
    for (int i = 0; i < result->log2_shape[axis]; i++) {
      move.to[to + i] = at + i;
    }
  }
  return move;
}

static BitMove bits_of(const Op *op) {
  const Layout *result = op_result(op)->type->layout;
  switch (op->kind) {
  case OP_broadcast: return broadcast_bits(op, result);
  case OP_trans: return trans_bits(op, result);
  default: return same_bits(result);
  }
}

static uint32_t move_bits(const BitMove *move, uint32_t column) {
  uint32_t moved = 0;
  for (int bit = 0; bit < move->num_bits; bit++) {
    if (move->to[bit] < 0 || !(column >> bit & 1)) continue;
    moved |= UINT32_C(1) << move->to[bit];
  }
  return moved;
}

const Layout *exchange_pulled(const Op *op) {
  const Type *type = op_operand(op, 0)->type;
  const BitMove move = bits_of(op);
  Layout key = *op_result(op)->type->layout;
  key.rank = type->rank;
  key.map.num_out = 0;
  for (int i = 0; i < LAYOUT_MAX_RANK; i++) key.log2_shape[i] = 0;
  for (int i = 0; i < type->rank; i++) {
    key.log2_shape[i] = floor_log2(type->shape[i]);
    key.map.num_out += key.log2_shape[i];
  }
  for (int i = 0; i < key.map.num_in; i++) {
    key.map.column[i] = move_bits(&move, key.map.column[i]);
  }
  return layout_get(table_of(op), &key);
}

// -- Two tiles as one --------------------------------------------------------

// The second tile is the upper half of the axis, in the upper registers.
static const Layout *joined_by_cat(const Op *op) {
  const Type *from = op_operand(op, 0)->type;
  const int axis = (int)op_int(op, ATTR_axis);
  BlockedSpec two = {0};
  int64_t shape[MAX_RANK];
  if (op_operand(op, 1)->type != from) return NULL;
  for (int i = 0; i < from->rank; i++) {
    shape[i] = two.per_thread[i] = i == axis ? 2 : 1;
    two.lanes[i] = two.warps[i] = two.blocks[i] = 1;
    two.order[i] = i;
  }
  const Layout *pair = layout_blocked(table_of(op), from->rank, shape, &two);
  return pair ? layout_product(table_of(op), from->layout, pair) : NULL;
}

const Layout *exchange_joined(const Op *op) {
  if (op->kind == OP_cat) return joined_by_cat(op);
  const Value *one = op->kind == OP_split ? op_result(op) : op_operand(op, 0);
  return layout_join(table_of(op), one->type->layout);
}

// -- Reductions and scans ----------------------------------------------------

static bool is_separable(const Layout *layout, int axis) {
  const uint32_t mask = layout_axis_mask(layout, axis);
  const int first = layout->num_bits[LAYOUT_REGISTER];
  for (int i = first; i < layout->map.num_in; i++) {
    const uint32_t column = layout->map.column[i];
    if (column & mask && column & ~mask) return false;
  }
  return true;
}

const Layout *exchange_reduced(const Op *op) {
  const Layout *layout = layout_of(op, 0);
  if (is_separable(layout, (int)op_int(op, ATTR_axis))) return layout;
  int order[MAX_RANK];
  int64_t shape[MAX_RANK];
  for (int i = 0; i < layout->rank; i++) {
    order[i] = layout->rank - 1 - i;
    shape[i] = layout_size(layout, i);
  }
  return layout_coalesced(table_of(op), layout->rank, shape, order, 1,
                          layout_count(layout, LAYOUT_LANE),
                          layout_count(layout, LAYOUT_WARP));
}

uint32_t exchange_axis_bits(const Layout *layout, int axis, LayoutDim dim) {
  const uint32_t free = layout_free_bits(layout);
  const uint32_t mask = layout_axis_mask(layout, axis);
  const int first = layout_first_bit(layout, dim);
  uint32_t bits = 0;
  for (int i = 0; i < layout->num_bits[dim]; i++) {
    const bool moves = layout->map.column[first + i] & mask;
    if (moves && !(free >> (first + i) & 1)) bits |= UINT32_C(1) << i;
  }
  return bits;
}

// The layout with the axis in registers, then lanes, and all of it in every
// warp.
static const Layout *gathered_along(const Op *op, int axis) {
  BlockedSpec spec = {0};
  int64_t shape[MAX_RANK];
  const Layout *from = layout_of(op, 0);
  const int num_lanes = layout_count(from, LAYOUT_LANE);
  const int along = int_at_most(layout_size(from, axis), num_lanes);
  int lanes = num_lanes / along, warps = layout_count(from, LAYOUT_WARP);
  spec.order[0] = axis;
  for (int i = from->rank - 1, n = 1; i >= 0; i--) {
    shape[i] = layout_size(from, i);
    spec.per_thread[i] = spec.lanes[i] = spec.warps[i] = 1;
    if (i == axis) continue;
    spec.order[n++] = i;
    spec.lanes[i] = int_at_most(shape[i], lanes);
    lanes /= spec.lanes[i];
    spec.warps[i] = int_at_most(shape[i] / spec.lanes[i], warps);
    warps /= spec.warps[i];
  }
  spec.per_thread[axis] = (int)(layout_size(from, axis) / along);
  spec.lanes[axis] = along * lanes; // the others select copies
  spec.warps[axis] = warps;
  return layout_blocked(table_of(op), from->rank, shape, &spec);
}

const Layout *exchange_scanned(const Op *op) {
  LayoutScan scan;
  const int axis = (int)op_int(op, ATTR_axis);
  const Layout *layout = layout_of(op, 0);
  return layout_scan(layout, axis, &scan) ? layout : gathered_along(op, axis);
}

static int64_t total_bytes(const Op *op, int input) {
  LayoutScan scan;
  const Layout *layout = exchange_scanned(op);
  const bool regular = layout_scan(layout, (int)op_int(op, ATTR_axis), &scan);
  assert(regular && layout->rank == layout_of(op, 0)->rank); // I2
  (void)regular;
  if (!scan.log2_warps) return 0;
  const int64_t threads = (int64_t)layout_count(layout, LAYOUT_LANE) *
                          layout_count(layout, LAYOUT_WARP);
  const int64_t runs = layout_num_registers(layout) >> scan.log2_run;
  const Type *element = type_element(op_operand(op, input)->type);
  return (threads >> scan.log2_lanes) * runs * element_bytes(element);
}

int64_t exchange_total_start(const Op *op, int input) {
  int64_t start = 0;
  for (int i = 0; i < op->num_operands; i++) {
    if (exchange_comes_first(op, i, input)) start += total_bytes(op, i);
  }
  return start;
}

// -- Histograms --------------------------------------------------------------

// The register bit that alone holds bit `bit` of an element's number; -1: none.
static int register_of(const Layout *layout, int bit) {
  int found = -1;
  for (int i = 0; i < layout->map.num_in; i++) {
    if (!(layout->map.column[i] >> bit & 1)) continue;
    const bool alone = layout->map.column[i] == UINT32_C(1) << bit;
    if (found >= 0 || !alone || i >= layout->num_bits[LAYOUT_REGISTER])
      return -1;
    found = i;
  }
  return found;
}

// The number of high bits of a bin's number that are exactly one register bit
// each: these registers select the part.
static int most_log2_counted(const Layout *layout) {
  int n = 0;
  for (int bit = layout->map.num_out - 1; bit > 0; bit--, n++) {
    if (register_of(layout, bit) < 0) break;
  }
  return n;
}

const Layout *exchange_counted(const Op *op, uint32_t *part) {
  const Layout *layout = op_result(op)->type->layout;
  const int log2_parts = exchange_log2_parts(op);
  Layout key = *layout;
  *part = 0;
  if (log2_parts > layout->map.num_out) return NULL;
  for (int i = 0; i < log2_parts; i++) {
    const int at = register_of(layout, layout->map.num_out - 1 - i);
    if (at < 0) return NULL;
    *part |= UINT32_C(1) << at;
  }
  assert(__builtin_popcount(*part) == log2_parts && "a bit twice"); // I1
  key.map.num_in = 0;
  for (int i = 0; i < layout->map.num_in; i++) {
    if (*part >> i & 1) continue;
    key.map.column[key.map.num_in++] = layout->map.column[i];
  }
  for (int i = key.map.num_in; i < layout->map.num_in; i++) {
    key.map.column[i] = 0;
  }
  key.map.num_out -= log2_parts;
  key.log2_shape[0] -= log2_parts;
  key.num_bits[LAYOUT_REGISTER] -= log2_parts;
  return layout_get(table_of(op), &key);
}

static int64_t histogram_bytes(const Op *op) {
  const Type *type = op_result(op)->type;
  return type->num_elements * element_bytes(type->element) >>
         exchange_log2_parts(op);
}

// -- Bytes -------------------------------------------------------------------

static int64_t convert_bytes(const Type *element, const Layout *from,
                             const Layout *to) {
  if (!from || !to || from == to) return 0;
  if (layout_convert(from, to).kind != CONVERT_SHARED) return 0;
  return layout_num_elements(from) * element_bytes(element);
}

static int64_t reduce_bytes(const Op *op) {
  const Layout *from = layout_of(op, 0), *through = exchange_reduced(op);
  const int axis = (int)op_int(op, ATTR_axis);
  int64_t most = exchange_row_start(op, op->num_operands);
  for (int i = 0; i < op->num_operands; i++) {
    const Type *in = op_operand(op, i)->type, *out = op->results[i].type;
    most = int64_max(most, convert_bytes(in->element, from, through));
    if (!type_is_tile(out)) continue;
    const Layout *slice = layout_slice(table_of(op), through, axis);
    most = int64_max(most, convert_bytes(out->element, slice, out->layout));
  }
  return most;
}

static int64_t scan_bytes(const Op *op) {
  const Layout *through = exchange_scanned(op);
  int64_t most = exchange_total_start(op, op->num_operands);
  for (int i = 0; i < op->num_operands; i++) {
    const Type *in = op_operand(op, i)->type, *out = op->results[i].type;
    most = int64_max(most, convert_bytes(in->element, in->layout, through));
    most = int64_max(most, convert_bytes(out->element, through, out->layout));
  }
  return most;
}

static int64_t gather_bytes(const Op *op) {
  uint32_t reg, lane;
  if (gather_in_warp(op, &reg, &lane)) return 0;
  const Type *source = op_operand(op, 0)->type;
  const Type *index = op_operand(op, 1)->type;
  const Layout *to = op_result(op)->type->layout;
  return int64_max(source->num_elements * element_bytes(source->element),
                   convert_bytes(index->element, index->layout, to));
}

// Pairs of warps exchange all registers, in each turn as much as one access of
// each thread moves.
static int64_t minmax_bytes(const Op *op) {
  enum { WIDEST = 16 };
  const Type *type = op_operand(op, 0)->type;
  const Layout *layout = type->layout;
  if (!layout_unpack(layout, LAYOUT_WARP, minmax_flip(op))) return 0;
  const int64_t threads =
      INT64_C(1) << (layout->map.num_in - layout->num_bits[LAYOUT_REGISTER]);
  const int64_t bytes = element_bytes(type->element)
                        << layout->num_bits[LAYOUT_REGISTER];
  return threads * (bytes < WIDEST ? bytes : WIDEST);
}

// If several threads hold copies of an element, one of them does the update and
// sends the result to the others.
static int64_t atomic_bytes(const Op *op) {
  enum { SCALAR_BYTES = 16 };
  const Type *type = op_result(op)->type;
  if (!op_result(op)->uses) return 0;
  if (!type_is_tile(type)) return SCALAR_BYTES;
  const uint32_t registers = layout_dim_mask(type->layout, LAYOUT_REGISTER);
  if (!(layout_free_bits(type->layout) & ~registers)) return 0;
  return type->num_elements * element_bytes(type->element);
}

// -- In parts ----------------------------------------------------------------

// Elements that the op moves by a single conversion.
typedef struct {
  const Type *element;
  const Layout *from, *to;
} Move;

static Move move_of(const Op *op) {
  const Type *type = op_result(op)->type;
  switch (op->kind) {
  case OP_convert_layout:
    return (Move){type->element, layout_of(op, 0), type->layout};
  case OP_expand_dims:
  case OP_broadcast:
  case OP_reshape:
  case OP_trans:
    return (Move){type->element, layout_of(op, 0), exchange_pulled(op)};
  case OP_join:
  case OP_cat: return (Move){type->element, exchange_joined(op), type->layout};
  case OP_split:
    return (Move){type->element, layout_of(op, 0), exchange_joined(op)};
  default: return (Move){0};
  }
}

static bool is_move(const Op *op) {
  return op->num_results && type_is_tile(op_result(op)->type) &&
         move_of(op).element;
}

int exchange_log2_parts(const Op *op) {
  const int64_t log2_parts = op_int(op, ATTR_log2_parts);
  return log2_parts < 0                 ? 0
         : log2_parts > LAYOUT_MAX_BITS ? LAYOUT_MAX_BITS
                                        : (int)log2_parts;
}

static bool cut_move(const Op *op, const Move *move, bool matrix,
                     int log2_parts, LayoutCut *out) {
  const SharedUse store = {move->from, false}, load = {move->to, matrix};
  const int bits = 8 * (int)element_bytes(move->element);
  return layout_cut(table_of(op), &store, &load, bits, log2_parts, out);
}

static int64_t whole_bytes(const Move *move) {
  return convert_bytes(move->element, move->from, move->to);
}

// The bytes that all threads store at once, each by its widest store.
static int64_t turn_bytes(const Layout *layout) {
  enum { WIDEST = 16 };
  return (int64_t)WIDEST * layout_count(layout, LAYOUT_LANE) *
         layout_count(layout, LAYOUT_WARP);
}

// The log2 of the largest number of parts that cost no more than the whole.
static int most_log2_moved(const Op *op, bool matrix) {
  LayoutCut whole, cut;
  const Move move = move_of(op);
  int64_t half = whole_bytes(&move) / 2;
  const int64_t least = half ? turn_bytes(move.from) : 0;
  if (!half || !cut_move(op, &move, matrix, 0, &whole)) return 0;
  int n = 0;
  for (; half >= least; half /= 2, n++) {
    if (!cut_move(op, &move, matrix, n + 1, &cut)) break;
    if (cut.cost > whole.cost) break;
  }
  return n;
}

static int most_log2_parts(const Op *op, bool matrix) {
  if (exchange_counts(op))
    return most_log2_counted(op_result(op)->type->layout);
  return is_move(op) ? most_log2_moved(op, matrix) : 0;
}

bool exchange_halve(Op *op, bool matrix) {
  const int now = exchange_log2_parts(op);
  if (now >= most_log2_parts(op, matrix)) return false;
  assert(now < LAYOUT_MAX_BITS && exchange_log2_parts(op) == now); // I1
  op_set_int(op_function(op)->module, op, ATTR_log2_parts, now + 1);
  return true;
}

bool exchange_cut(const Op *op, bool matrix, LayoutCut *cut, int64_t *bytes) {
  if (!is_move(op)) return false;
  const Move move = move_of(op);
  *bytes = element_bytes(move.element);
  return whole_bytes(&move) &&
         cut_move(op, &move, matrix, exchange_log2_parts(op), cut);
}

int64_t exchange_least_bytes(const Op *op, bool matrix) {
  const int now = exchange_log2_parts(op), most = most_log2_parts(op, matrix);
  return op_scratch_bytes(op) << now >> most;
}

static int64_t move_bytes(const Op *op) {
  if (!is_move(op)) return 0;
  const Move move = move_of(op);
  return whole_bytes(&move) >> exchange_log2_parts(op);
}

int64_t op_scratch_bytes(const Op *op) {
  switch (op->kind) {
  case OP_reduce: return reduce_bytes(op);
  case OP_scan: return scan_bytes(op);
  case OP_gather: return gather_bytes(op);
  case OP_minmaxsi: return minmax_bytes(op);
  case OP_histogram: return histogram_bytes(op);
  case OP_atomic_rmw:
  case OP_atomic_cas: return atomic_bytes(op);
  default: return move_bytes(op);
  }
}
