// elements.c -- type rules of elementwise ops.
#include "ir/verify/rules.h"

#include "ir/errors.h"
#include "ir/number.h"

#include <math.h>

bool rule_NONE(const Op *op, DiagList *diags) {
  for (int i = 0; i < op->num_operands; i++) {
    const Type *type = operand_type(op, i);
    if (!op_wants(op, diags, type_is_plain(type), "scalars and tiles",
                  "operands", type)) {
      return false;
    }
  }
  return true;
}

static bool same_shapes(const Op *op, const Type *type) {
  for (int i = 0; i < op->num_operands; i++) {
    if (!type_same_shape(operand_type(op, i), type)) return false;
  }
  return true;
}

bool rule_ASM(const Op *op, DiagList *diags) {
  if (!rule_NONE(op, diags)) return false;
  for (int i = 0; i < op->num_results; i++) {
    const Type *type = op->results[i].type;
    if (!type_is_plain(type) || !same_shapes(op, type) ||
        !type_same_shape(op->results[0].type, type))
      return op_fail(op, diags, ERROR_op_one_shape);
  }
  return op_int(op, ATTR_pack) >= 1 || op_fail(op, diags, ERROR_op_packs);
}

static bool is_canonical(const Attr *value, const Type *type) {
  if (type_is_int(type)) {
    return int_wrap(value->as.i, type->elem) == value->as.i;
  }
  const double f = value->as.f;
  return isnan(f) || float_round(f, type->elem) == f;
}

bool rule_ANY(const Op *op, DiagList *diags) {
  const Type *type = result_type(op);
  const bool number =
      type_is_plain(type) && (type_is_int(type) || type_is_float(type));
  if (!op_wants(op, diags, number, "integers or floats", "its result", type)) {
    return false;
  }
  return is_canonical(op_attr(op, ATTR_value), type) ||
         op_fail(op, diags, ERROR_op_cannot_hold, elem_info[type->elem].name);
}

bool rule_SAME(const Op *op, DiagList *diags) {
  const Type *type = operand_type(op, 0);
  return op_wants(op, diags, type_is_plain(type), "a scalar or tile",
                  "its operand", type) &&
         op_wants_result(op, diags, type) && check_runs(op, diags, type->rank);
}

static bool all_same(const Op *op, DiagList *diags) {
  const Type *type = operand_type(op, 0);
  for (int i = 1; i < op->num_operands; i++) {
    if (!op_wants_type(op, diags, type, "each operand", operand_type(op, i))) {
      return false;
    }
  }
  return op_wants_result(op, diags, type);
}

bool rule_INTS(const Op *op, DiagList *diags) {
  const Type *type = operand_type(op, 0);
  const bool ok = type_is_plain(type) && type_is_int(type);
  return op_wants(op, diags, ok, "integers", "operands", type) &&
         all_same(op, diags);
}

static bool is_arithmetic(const Type *type) {
  return type_is_plain(type) && type_is_arithmetic_float(type);
}

bool rule_FLOATS(const Op *op, DiagList *diags) {
  const Type *type = operand_type(op, 0);
  return op_wants(op, diags, is_arithmetic(type), "f16, bf16, f32 or f64",
                  "operands", type) &&
         all_same(op, diags);
}

static bool is_comparable(const Op *op, const Type *type) {
  if (!type_is_plain(type)) return false;
  if (op->kind == OP_cmpf) return type_is_arithmetic_float(type);
  return type_is_int(type) || type_is_pointer(type);
}

static bool check_counts(const Op *op, DiagList *diags, int rank) {
  const Attr *attr = op_attr(op, ATTR_counts);
  bool ok = !attr || attr->as.ints.count == op->num_operands;
  for (int i = 0; attr && ok && i < op->num_operands; i++) {
    const int64_t axis = attr->as.ints.items[i];
    ok = axis >= -1 && axis < rank;
  }
  return ok || op_fail(op, diags, ERROR_op_counts);
}

bool rule_COMPARE(const Op *op, DiagList *diags) {
  const Type *type = operand_type(op, 0), *result = result_type(op);
  const bool floats = op->kind == OP_cmpf;
  if (!op_wants(op, diags, is_comparable(op, type),
                floats ? "f16, bf16, f32 or f64" : "integers or pointers",
                "operands", type) ||
      !op_wants_type(op, diags, type, "each operand", operand_type(op, 1))) {
    return false;
  }
  if (floats && op_int(op, ATTR_predicate) > PREDICATE_ge) {
    return op_fail(op, diags, ERROR_op_unsigned_predicate);
  }
  return op_wants(op, diags, type_is_mask(result, type),
                  "i1 in the operands' shape", "its result", result) &&
         check_runs(op, diags, type->rank) &&
         check_counts(op, diags, type->rank);
}

bool rule_SELECT(const Op *op, DiagList *diags) {
  const Type *condition = operand_type(op, 0), *type = operand_type(op, 1);
  const bool ok =
      type_is_scalar(condition, ELEM_i1) || type_is_mask(condition, type);
  return op_wants(op, diags, type_is_plain(type), "scalars or tiles",
                  "operands", type) &&
         op_wants(op, diags, ok, "i1, one or in the operands' shape",
                  "condition", condition) &&
         op_wants_type(op, diags, type, "each operand", operand_type(op, 2)) &&
         op_wants_result(op, diags, type);
}

// -- Conversions -------------------------------------------------------------

typedef bool (*TypeTest)(const Type *type);

// Does the operand pass `from`, the result `to`, and do their shapes agree?
static bool converts(const Op *op, DiagList *diags, TypeTest from,
                     const char *from_text, TypeTest to, const char *to_text) {
  const Type *x = operand_type(op, 0), *result = result_type(op);
  return op_wants(op, diags, type_is_plain(x) && from(x), from_text,
                  "its operand", x) &&
         op_wants(op, diags, type_is_plain(result) && to(result), to_text,
                  "its result", result) &&
         op_wants(op, diags, type_same_frame(x, result), "the operand's shape",
                  "its result", result);
}

static int width_change(const Op *op) {
  return type_element_bits(result_type(op)) -
         type_element_bits(operand_type(op, 0));
}

bool rule_WIDEN_INT(const Op *op, DiagList *diags) {
  if (!converts(op, diags, type_is_int, "integers", type_is_int, "integers")) {
    return false;
  }
  return width_change(op) > 0 ||
         op_fail(op, diags, ERROR_op_result_width, "wider");
}

bool rule_NARROW_INT(const Op *op, DiagList *diags) {
  if (!converts(op, diags, type_is_int, "integers", type_is_int, "integers")) {
    return false;
  }
  return width_change(op) < 0 ||
         op_fail(op, diags, ERROR_op_result_width, "narrower");
}

bool rule_CONVERT_FLOAT(const Op *op, DiagList *diags) {
  if (!converts(op, diags, type_is_float, "floats", type_is_float, "floats")) {
    return false;
  }
  const bool widen = op->kind == OP_extf;
  return (widen ? width_change(op) > 0 : width_change(op) < 0) ||
         op_fail(op, diags, ERROR_op_result_width,
                 widen ? "wider" : "narrower");
}

bool rule_INT_TO_FLOAT(const Op *op, DiagList *diags) {
  return converts(op, diags, type_is_int, "integers", type_is_arithmetic_float,
                  "f16, bf16, f32 or f64");
}

bool rule_FLOAT_TO_INT(const Op *op, DiagList *diags) {
  return converts(op, diags, type_is_arithmetic_float, "f16, bf16, f32 or f64",
                  type_is_int, "integers");
}

static bool is_anything(const Type *type) {
  (void)type;
  return true;
}

bool rule_BITCAST(const Op *op, DiagList *diags) {
  if (!converts(op, diags, is_anything, "scalars or tiles", is_anything,
                "scalars or tiles")) {
    return false;
  }
  const Type *x = type_element(operand_type(op, 0));
  const Type *result = type_element(result_type(op));
  if (x->kind != result->kind || x->space != result->space) {
    return op_fail(op, diags, ERROR_op_bitcast);
  }
  return !width_change(op) || op_fail(op, diags, ERROR_op_same_width);
}

static bool is_i64(const Type *type) {
  return type_is_int(type) && type->elem == ELEM_i64;
}

bool rule_PTR_TO_INT(const Op *op, DiagList *diags) {
  return converts(op, diags, type_is_pointer, "pointers", is_i64, "i64");
}

bool rule_INT_TO_PTR(const Op *op, DiagList *diags) {
  return converts(op, diags, is_i64, "i64", type_is_pointer, "pointers");
}

bool rule_ADDPTR(const Op *op, DiagList *diags) {
  const Type *ptr = operand_type(op, 0), *offset = operand_type(op, 1);
  const bool pointers = type_is_plain(ptr) && type_is_pointer(ptr);
  const bool offsets = type_same_frame(ptr, offset) && type_is_int(offset) &&
                       !type_is_bool(offset);
  return op_wants(op, diags, pointers, "pointers", "its first operand", ptr) &&
         op_wants(op, diags, offsets, "integers in the pointers' shape",
                  "offset", offset) &&
         op_wants_result(op, diags, ptr);
}

bool rule_CONDITION(const Op *op, DiagList *diags) {
  const Type *condition = operand_type(op, 0);
  const bool ok = type_is_plain(condition) && type_is_bool(condition);
  if (!op_wants(op, diags, ok, "i1", "condition", condition)) return false;
  return op_info[op->kind].num_groups < 2 ||
         check_mask(op, diags, 1, condition);
}
