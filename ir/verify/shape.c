// shape.c -- type rules of ops that make and rearrange tiles.
#include "ir/verify/rules.h"

#include "ir/errors.h"

static bool is_tile_like(const Op *op, DiagList *diags, int index) {
  const Type *type = operand_type(op, index);
  return op_wants(op, diags, type_is_tile(type), "tiles", "operands", type);
}

// Is the result a tile of this shape, with the elements of operand 0?
static bool check_shape(const Op *op, DiagList *diags, int rank,
                        const int64_t *shape) {
  const Type *result = result_type(op);
  bool ok = type_is_tile(result) && result->rank == rank;
  for (int i = 0; ok && i < rank; i++) ok = result->shape[i] == shape[i];
  ok = ok && result->element == type_element(operand_type(op, 0));
  if (ok) return true;
  Str text = str_in(diags->arena);
  for (int i = 0; i < rank; i++) str_addf(&text, "%lldx", (long long)shape[i]);
  type_print(type_element(operand_type(op, 0)), &text);
  return op_wants(op, diags, false,
                  arena_printf(diags->arena, "tile<%s>", str_text(&text)),
                  "its result", result);
}

bool rule_I32(const Op *op, DiagList *diags) {
  const Type *type = result_type(op);
  return op_wants(op, diags, type_is_scalar(type, ELEM_i32), "i32",
                  "its result", type) &&
         check_axis(op, diags, 3);
}

bool rule_I1(const Op *op, DiagList *diags) {
  const Type *type = result_type(op);
  return op_wants(op, diags, type_is_scalar(type, ELEM_i1), "i1", "its result",
                  type);
}

bool rule_TILE(const Op *op, DiagList *diags) {
  const Type *type = result_type(op);
  const int64_t start = op_int(op, ATTR_start), end = op_int(op, ATTR_end);
  if (start < INT32_MIN || end > INT32_MAX || start >= end) {
    return op_fail(op, diags, ERROR_op_arange);
  }
  const bool ok = type_is_tile(type) && type->rank == 1 &&
                  type->element->kind == TYPE_SCALAR &&
                  type->elem == ELEM_i32 && type->shape[0] == end - start;
  return op_wants(op, diags, ok, "a tile of end - start i32", "its result",
                  type);
}

bool rule_SPLAT(const Op *op, DiagList *diags) {
  const Type *x = operand_type(op, 0), *result = result_type(op);
  const bool scalar = x->kind == TYPE_SCALAR || x->kind == TYPE_POINTER;
  return op_wants(op, diags, scalar, "a scalar", "its operand", x) &&
         op_wants(op, diags, type_is_tile(result) && result->element == x,
                  "a tile of the operand", "its result", result);
}

bool rule_BROADCAST(const Op *op, DiagList *diags) {
  const Type *x = operand_type(op, 0), *result = result_type(op);
  if (!is_tile_like(op, diags, 0)) return false;
  bool ok = type_is_tile(result) && result->rank == x->rank &&
            result->element == x->element;
  for (int i = 0; ok && i < x->rank; i++) {
    ok = x->shape[i] == 1 || x->shape[i] == result->shape[i];
  }
  return op_wants(op, diags, ok, "the operand with sizes of 1 repeated",
                  "its result", result);
}

bool rule_EXPAND(const Op *op, DiagList *diags) {
  const Type *x = operand_type(op, 0);
  if (!is_tile_like(op, diags, 0)) return false;
  if (x->rank == MAX_RANK) {
    return op_fail(op, diags, ERROR_op_too_many_dimensions, MAX_RANK);
  }
  if (!check_axis(op, diags, x->rank + 1)) return false;
  const int axis = (int)op_int(op, ATTR_axis);
  int64_t shape[MAX_RANK];
  for (int i = 0; i <= x->rank; i++) {
    shape[i] = i == axis ? 1 : x->shape[i - (i > axis)];
  }
  return check_shape(op, diags, x->rank + 1, shape);
}

bool rule_RESHAPE(const Op *op, DiagList *diags) {
  const Type *x = operand_type(op, 0), *result = result_type(op);
  if (!is_tile_like(op, diags, 0)) return false;
  const bool ok = type_is_tile(result) && result->element == x->element &&
                  result->num_elements == x->num_elements;
  return op_wants(op, diags, ok, "a tile of the same elements", "its result",
                  result);
}

bool rule_TRANS(const Op *op, DiagList *diags) {
  const Type *x = operand_type(op, 0);
  if (!is_tile_like(op, diags, 0) ||
      !check_permutation(op, diags, ATTR_order, x->rank)) {
    return false;
  }
  const int64_t *order = op_attr(op, ATTR_order)->as.ints.items;
  int64_t shape[MAX_RANK];
  for (int i = 0; i < x->rank; i++) shape[i] = x->shape[order[i]];
  return check_shape(op, diags, x->rank, shape);
}

bool rule_JOIN(const Op *op, DiagList *diags) {
  const Type *x = operand_type(op, 0);
  if (!is_tile_like(op, diags, 0) ||
      !op_wants_type(op, diags, x, "both operands", operand_type(op, 1))) {
    return false;
  }
  if (x->rank == MAX_RANK) {
    return op_fail(op, diags, ERROR_op_too_many_dimensions, MAX_RANK);
  }
  int64_t shape[MAX_RANK];
  for (int i = 0; i < x->rank; i++) shape[i] = x->shape[i];
  shape[x->rank] = 2;
  return check_shape(op, diags, x->rank + 1, shape);
}

bool rule_SPLIT(const Op *op, DiagList *diags) {
  const Type *x = operand_type(op, 0);
  const bool ok = type_is_tile(x) && x->rank > 1 && x->shape[x->rank - 1] == 2;
  return op_wants(op, diags, ok, "a tile whose last dimension is 2",
                  "its operand", x) &&
         check_shape(op, diags, x->rank - 1, x->shape) &&
         op_wants_type(op, diags, result_type(op), "both results",
                       op->results[1].type);
}

bool rule_CAT(const Op *op, DiagList *diags) {
  const Type *x = operand_type(op, 0), *y = operand_type(op, 1);
  if (!is_tile_like(op, diags, 0) || !is_tile_like(op, diags, 1) ||
      !check_axis(op, diags, x->rank)) {
    return false;
  }
  const int axis = (int)op_int(op, ATTR_axis);
  bool ok = x->rank == y->rank && x->element == y->element;
  int64_t shape[MAX_RANK];
  for (int i = 0; ok && i < x->rank; i++) {
    shape[i] = x->shape[i] + (i == axis ? y->shape[i] : 0);
    ok = i == axis || x->shape[i] == y->shape[i];
  }
  return op_wants(op, diags, ok, "a tile that fits the first", "second operand",
                  y) &&
         check_shape(op, diags, x->rank, shape);
}

bool rule_GATHER(const Op *op, DiagList *diags) {
  const Type *source = operand_type(op, 0), *index = operand_type(op, 1);
  if (!is_tile_like(op, diags, 0) || !is_tile_like(op, diags, 1) ||
      !check_axis(op, diags, source->rank)) {
    return false;
  }
  const int axis = (int)op_int(op, ATTR_axis);
  bool ok = index->rank == source->rank && type_is_int(index);
  for (int i = 0; ok && i < source->rank; i++) {
    ok = i == axis || index->shape[i] == source->shape[i];
  }
  return op_wants(op, diags, ok, "integers in the source's shape but for axis",
                  "index", index) &&
         check_shape(op, diags, index->rank, index->shape);
}

bool rule_CONVERT_LAYOUT(const Op *op, DiagList *diags) {
  const Type *x = operand_type(op, 0);
  return is_tile_like(op, diags, 0) &&
         check_shape(op, diags, x->rank, x->shape);
}

// `distance` and `upper` must be indices along the axis.
bool rule_MINMAX(const Op *op, DiagList *diags) {
  const Type *x = operand_type(op, 0);
  if (!is_tile_like(op, diags, 0) || !check_axis(op, diags, x->rank)) {
    return false;
  }
  const int64_t size = x->shape[op_int(op, ATTR_axis)];
  const int64_t distance = op_int(op, ATTR_distance);
  const int64_t upper = op_int(op, ATTR_upper);
  const bool ok = type_is_int(x) && distance >= 1 && distance < size &&
                  upper >= 0 && upper < size;
  return op_wants(op, diags, ok,
                  "integers, beyond distance and upper along axis",
                  "its operand", x) &&
         op_wants_result(op, diags, x);
}
