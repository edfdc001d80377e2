// exchange_rows.c -- rows of shared memory through which warps combine a
// reduction.
#include "ir/exchange.h"

#include <assert.h>

// Rows of adjacent lanes are adjacent, so that they are in adjacent banks.
LinearMap exchange_row_places(const Layout *slice) {
  const int registers = slice->num_bits[LAYOUT_REGISTER];
  const LinearMap *map = &slice->map;
  const uint32_t copies = linear_free_bits(map);
  LinearMap numbers = {.num_in = map->num_in};
  for (int i = 0; i < map->num_in; i++) {
    const int bit = (i + registers) % map->num_in; // threads first
    if (copies >> bit & 1) continue;
    numbers.column[bit] = UINT32_C(1) << numbers.num_out++;
  }
  assert(numbers.num_out == linear_rank(map) && "rows share a number"); // I3
  const LinearMap inverse = linear_inverse(map);
  const LinearMap first_copy = linear_compose(&inverse, map);
  return linear_compose(&numbers, &first_copy);
}

static int count_bits(uint32_t word) {
  return __builtin_popcount(word);
}

// Bits of a dimension by which the results of a thread or a warp differ.
static int num_bits(const Layout *slice, LayoutDim dim) {
  return count_bits(layout_dim_mask(slice, dim) & ~layout_free_bits(slice));
}

static int64_t bytes_of(const Op *op, int input) {
  return element_bytes(type_element(op_operand(op, input)->type));
}

// The bytes of an input that each thread writes in a turn, as many as a wide
// access.  If all lanes have the same results and one of them writes, it writes
// more, of all inputs, as long as the total of all warps is small.
enum { TURN = 16, TURN_ALONE = 64 };

static int64_t bytes_of_all(const Op *op) {
  int64_t bytes = 0;
  for (int i = 0; i < op->num_operands; i++) bytes += bytes_of(op, i);
  return bytes;
}

static int64_t bytes_of_widest(const Op *op) {
  int64_t most = 0;
  for (int i = 0; i < op->num_operands; i++)
    if (bytes_of(op, i) > most) most = bytes_of(op, i);
  return most;
}

static int64_t num_results(const Op *op) {
  const Type *type = op_operand(op, 0)->type;
  return type->num_elements / type->shape[op_int(op, ATTR_axis)];
}

// The bytes of all warps in such a turn.
static int64_t most_alone(const Layout *layout) {
  enum { LEAST = 512, OF_WARP = 32 };
  const int64_t bytes = OF_WARP * layout_count(layout, LAYOUT_WARP);
  return bytes < LEAST ? LEAST : bytes;
}

int exchange_row_parts(const Op *op) {
  const Layout *layout = exchange_reduced(op);
  if (layout->rank == 1) return 0;
  const int axis = (int)op_int(op, ATTR_axis);
  const Layout *slice =
      layout_slice(&op_function(op)->module->layouts, layout, axis);
  const bool alone = !num_bits(slice, LAYOUT_LANE);
  const int64_t turn = alone ? TURN_ALONE : TURN;
  const int64_t bytes = alone ? bytes_of_all(op) : bytes_of_widest(op);
  const uint32_t warps = exchange_axis_bits(layout, axis, LAYOUT_WARP);
  const int64_t rows = alone ? num_results(op) * bytes << count_bits(warps) : 0;
  const int registers = num_bits(slice, LAYOUT_REGISTER);
  int parts = 0;
  while (parts < registers && (bytes << registers >> parts > turn ||
                               rows >> parts > most_alone(layout)))
    parts++;
  return parts;
}

static int64_t rows_bytes(const Op *op, int input, uint32_t warps) {
  return (num_results(op) >> exchange_row_parts(op)) * bytes_of(op, input)
         << count_bits(warps);
}

bool exchange_comes_first(const Op *op, int a, int b) {
  if (b == op->num_operands) return true;
  const int64_t x = bytes_of(op, a), y = bytes_of(op, b);
  return x > y || (x == y && a < b);
}

int64_t exchange_row_start(const Op *op, int input) {
  const int axis = (int)op_int(op, ATTR_axis);
  const uint32_t warps =
      exchange_axis_bits(exchange_reduced(op), axis, LAYOUT_WARP);
  int64_t start = 0;
  for (int i = 0; warps && i < op->num_operands; i++)
    if (exchange_comes_first(op, i, input)) start += rows_bytes(op, i, warps);
  assert((input == op->num_operands || start % bytes_of(op, input) == 0) &&
         "a row is not aligned to its elements"); // I4
  return start;
}
