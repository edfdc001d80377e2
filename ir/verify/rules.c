// rules.c -- tests that type rules share.
#include "ir/verify/rules.h"

#include "ir/errors.h"

#include <assert.h>

bool op_fail(const Op *op, DiagList *diags, const char *format, ...) {
  va_list args;
  va_start(args, format);
  Str text = str_in(diags->arena);
  str_addf(&text, "'%s' ", op_info[op->kind].name);
  str_vaddf(&text, format, args);
  va_end(args);
  diag_error_text(diags, op->loc, str_text(&text));
  if (diags->newest) diags->newest->format = format; // identifies the message
  return false;
}

bool op_wants(const Op *op, DiagList *diags, bool ok, const char *wanted,
              const char *what, const Type *found) {
  return ok || op_fail(op, diags, ERROR_op_wants, wanted, what,
                       type_text(found, diags->arena));
}

bool op_wants_type(const Op *op, DiagList *diags, const Type *wanted,
                   const char *what, const Type *found) {
  return wanted == found ||
         op_wants(op, diags, false, type_text(wanted, diags->arena), what,
                  found);
}

bool op_wants_result(const Op *op, DiagList *diags, const Type *wanted) {
  return op_wants_type(op, diags, wanted, "its result", result_type(op));
}

const Type *group_type(const Op *op, int group) {
  const Value *value = op_group(op, group);
  return value ? value->type : NULL;
}

bool type_is_scalar(const Type *type, Elem elem) {
  return type->kind == TYPE_SCALAR && type->elem == elem;
}

bool type_is_plain(const Type *type) {
  return type->kind <= TYPE_TILE;
}

bool type_is_arithmetic_float(const Type *type) {
  return type_is_float(type) && elem_info[type->elem].bits >= 16;
}

bool type_same_frame(const Type *a, const Type *b) {
  return type_is_plain(a) && type_is_plain(b) &&
         type_is_tile(a) == type_is_tile(b) && type_same_shape(a, b) &&
         a->layout == b->layout;
}

bool type_is_mask(const Type *mask, const Type *type) {
  return type_is_bool(mask) && type_same_frame(mask, type);
}

bool check_mask(const Op *op, DiagList *diags, int group, const Type *frame) {
  const Type *mask = group_type(op, group);
  return !mask ||
         op_wants(op, diags, type_is_mask(mask, frame),
                  "i1 in the shape of the other operands", "mask", mask);
}

bool check_scalars(const Op *op, DiagList *diags, int group, int count,
                   Elem elem) {
  const char *name = op_info[op->kind].groups[group].name;
  assert(group < op_info[op->kind].num_groups && "no such group"); // I1
  if (op_group_size(op, group) != count) {
    return op_fail(op, diags, ERROR_op_wants_count, count, name,
                   op_group_size(op, group));
  }
  const int start = op_group_start(op, group);
  for (int i = start; i < start + count; i++) {
    const Type *type = operand_type(op, i);
    if (!op_wants(op, diags, type_is_scalar(type, elem), elem_info[elem].name,
                  name, type)) {
      return false;
    }
  }
  return true;
}

bool check_flag(const Op *op, DiagList *diags, int group) {
  return !op_group_size(op, group) ||
         check_scalars(op, diags, group, 1, ELEM_i1);
}

bool check_dimensions(const Op *op, DiagList *diags, AttrKey key, int rank) {
  const Attr *attr = op_attr(op, key);
  unsigned seen = 0;
  assert(rank <= MAX_RANK && attr_info[key].kind == ATTR_KIND_INTS); // I2
  for (int i = 0; attr && i < attr->as.ints.count; i++) {
    const int64_t axis = attr->as.ints.items[i];
    if (axis < 0 || axis >= rank || seen >> axis & 1) {
      return op_fail(op, diags, ERROR_op_permutation, rank,
                     attr_info[key].name);
    }
    seen |= 1u << axis;
  }
  return true;
}

bool check_permutation(const Op *op, DiagList *diags, AttrKey key, int rank) {
  const Attr *attr = op_attr(op, key);
  if (attr->as.ints.count != rank) {
    return op_fail(op, diags, ERROR_op_dimensions, rank, attr_info[key].name,
                   attr->as.ints.count);
  }
  return check_dimensions(op, diags, key, rank);
}

bool check_axis(const Op *op, DiagList *diags, int rank) {
  const int64_t axis = op_int(op, ATTR_axis);
  return (axis >= 0 && axis < rank) ||
         op_fail(op, diags, ERROR_op_axis, rank - 1, (long long)axis);
}

static bool check_run(const Op *op, DiagList *diags, AttrKey key, int rank) {
  const Attr *attr = op_attr(op, key);
  if (!attr) return true;
  bool ok = attr->as.ints.count == (rank ? rank : 1);
  for (int i = 0; ok && i < attr->as.ints.count; i++) {
    ok = attr->as.ints.items[i] > 0;
  }
  return ok || op_fail(op, diags, ERROR_op_positive, attr_info[key].name);
}

bool check_runs(const Op *op, DiagList *diags, int rank) {
  return check_run(op, diags, ATTR_divisibility, rank) &&
         check_run(op, diags, ATTR_contiguity, rank) &&
         check_run(op, diags, ATTR_constancy, rank);
}

bool is_tile_of(const Type *type, const Type *shape) {
  return type_is_tile(type) && type->element == shape->element &&
         type_same_shape(type, shape);
}

bool is_global_pointer(const Type *type) {
  return type_is_pointer(type) && type_element(type)->space == SPACE_GLOBAL;
}
