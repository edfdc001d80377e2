// control.c -- type rules of regions and of their terminators.
#include "ir/verify/rules.h"

#include "ir/errors.h"

#include <assert.h>

// A list of types: of values, of arguments, of elements.
typedef struct {
  const Op *op; // operands, from `first` on; NULL: `values`
  const Value *values;
  int first, count;
  bool elements; // the list is of their element types
} TypeList;

static TypeList of_operands(const Op *op, int first) {
  return (TypeList){op, NULL, first, op->num_operands - first, false};
}

static TypeList of_results(const Op *op) {
  return (TypeList){NULL, op->results, 0, op->num_results, false};
}

static TypeList of_args(const Block *block, int first) {
  return (TypeList){NULL, block->args, first, block->num_args - first, false};
}

static const Type *type_at(const TypeList *list, int i) {
  const int at = list->first + i;
  assert(i >= 0 && i < list->count && "past the end of the list"); // I1
  const Type *type =
      list->op ? operand_type(list->op, at) : list->values[at].type;
  return list->elements ? type_element(type) : type;
}

// Checks that `found`, called `what` in messages, has the types of `wanted`.
static bool match(const Op *op, DiagList *diags, TypeList wanted,
                  const char *what, TypeList found) {
  if (wanted.count != found.count) {
    return op_fail(op, diags, ERROR_op_count, wanted.count, what, found.count);
  }
  for (int i = 0; i < wanted.count; i++) {
    const Type *type = type_at(&wanted, i), *is = type_at(&found, i);
    if (type == is) continue;
    return op_fail(op, diags, ERROR_op_number, type_text(type, diags->arena), i,
                   what, type_text(is, diags->arena));
  }
  return true;
}

// Control flow cannot select a buffer or a barrier.
static bool check_carried(const Op *op, DiagList *diags, TypeList list) {
  for (int i = 0; i < list.count; i++) {
    const Type *type = type_at(&list, i);
    if (type->kind != TYPE_MEMDESC && type->kind != TYPE_MBARRIER) continue;
    return op_fail(op, diags, ERROR_op_cannot_pass_on,
                   type_text(type, diags->arena));
  }
  return true;
}

static bool check_range(const Op *op, DiagList *diags, AttrKey key) {
  const int64_t value = op_int(op, key);
  return (value >= 0 && value <= MAX_LOOP_COPIES) ||
         op_fail(op, diags, ERROR_op_attribute_range, attr_info[key].name,
                 MAX_LOOP_COPIES);
}

bool rule_FOR(const Op *op, DiagList *diags) {
  const Type *iv = operand_type(op, FOR_LOWER);
  const bool ok =
      iv->kind == TYPE_SCALAR && type_is_int(iv) && !type_is_bool(iv);
  const Block *body = op->regions[0];
  if (!op_wants(op, diags, ok, "an integer", "bounds", iv) ||
      !op_wants_type(op, diags, iv, "upper", operand_type(op, FOR_UPPER)) ||
      !op_wants_type(op, diags, iv, "step", operand_type(op, FOR_STEP))) {
    return false;
  }
  if (!body->num_args || body->args[0].type != iv) {
    return op_fail(op, diags, ERROR_op_first_argument,
                   type_text(iv, diags->arena));
  }
  const TypeList init = of_operands(op, FOR_INIT);
  return check_range(op, diags, ATTR_unroll) &&
         check_range(op, diags, ATTR_loop_stages) &&
         check_carried(op, diags, init) &&
         match(op, diags, init, "results", of_results(op)) &&
         match(op, diags, init, "arguments after the first", of_args(body, 1));
}

bool rule_WHILE(const Op *op, DiagList *diags) {
  const TypeList init = of_operands(op, 0), results = of_results(op);
  return check_carried(op, diags, init) && check_carried(op, diags, results) &&
         match(op, diags, init, "arguments of its first region",
               of_args(op->regions[0], 0)) &&
         match(op, diags, results, "arguments of its second region",
               of_args(op->regions[1], 0));
}

bool rule_IF(const Op *op, DiagList *diags) {
  const Type *condition = operand_type(op, 0);
  if (!op_wants(op, diags, type_is_scalar(condition, ELEM_i1), "i1",
                "condition", condition)) {
    return false;
  }
  if (op->regions[0]->num_args || op->regions[1]->num_args) {
    return op_fail(op, diags, ERROR_op_region_arguments);
  }
  return check_carried(op, diags, of_results(op));
}

bool rule_ROLES(const Op *op, DiagList *diags) {
  if (op->regions[0]->num_args || op->regions[1]->num_args)
    return op_fail(op, diags, ERROR_op_region_arguments);
  return !op->block->parent || op_fail(op, diags, ERROR_op_in_kernel);
}

// -- Terminators -------------------------------------------------------------

// The op `kind` must stand in region `index` of a `parent`.
static bool stands_in(const Op *op, OpKind parent, int index) {
  const Op *owner = op->block->parent;
  return owner && owner->kind == parent && owner->regions[index] == op->block;
}

// The types that a yield in a region of `owner` must have.
static TypeList yielded(const Op *owner) {
  switch (owner->kind) {
  case OP_while: return of_operands(owner, 0);
  case OP_reduce:
  case OP_scan: {
    TypeList list = of_operands(owner, 0);
    list.elements = true;
    return list;
  }
  default: return of_results(owner);
  }
}

static bool check_yield(const Op *op, DiagList *diags) {
  const Op *owner = op->block->parent;
  if (!owner || stands_in(op, OP_while, 0)) {
    return op_fail(op, diags, ERROR_op_ends_other_block);
  }
  return match(op, diags, yielded(owner), "values", of_operands(op, 0));
}

static bool check_condition(const Op *op, DiagList *diags) {
  const Type *condition = operand_type(op, 0);
  if (!stands_in(op, OP_while, 0)) {
    return op_fail(op, diags, ERROR_op_ends_while);
  }
  return op_wants(op, diags, type_is_scalar(condition, ELEM_i1), "i1",
                  "condition", condition) &&
         match(op, diags, of_results(op->block->parent), "values",
               of_operands(op, 1));
}

bool rule_TERMINATOR(const Op *op, DiagList *diags) {
  if (op->kind == OP_yield) return check_yield(op, diags);
  if (op->kind == OP_condition) return check_condition(op, diags);
  return !op->block->parent || op_fail(op, diags, ERROR_op_ends_kernel);
}

// -- Reductions --------------------------------------------------------------

static bool check_inputs(const Op *op, DiagList *diags) {
  if (!op->num_operands) return op_fail(op, diags, ERROR_op_wants_input);
  const Type *first = operand_type(op, 0);
  for (int i = 0; i < op->num_operands; i++) {
    const Type *type = operand_type(op, i);
    const bool ok = type_is_tile(type) && type->element->kind == TYPE_SCALAR &&
                    type_same_frame(type, first);
    if (!op_wants(op, diags, ok, "tiles of one shape", "inputs", type)) {
      return false;
    }
  }
  return check_axis(op, diags, first->rank);
}

static bool is_scalar_op(const Op *op) {
  for (int i = 0; i < op->num_operands; i++) {
    if (operand_type(op, i)->kind != TYPE_SCALAR) return false;
  }
  for (int i = 0; i < op->num_results; i++) {
    if (op->results[i].type->kind != TYPE_SCALAR) return false;
  }
  return true;
}

// Does the region map 2n scalars to n, without effects?
static bool check_combine(const Op *op, DiagList *diags) {
  const Block *region = op->regions[0];
  const int n = op->num_operands;
  TypeList elements = of_operands(op, 0);
  elements.elements = true;
  TypeList left = of_args(region, 0), right = of_args(region, n);
  if (region->num_args == 2 * n) left.count = right.count = n;
  if (!match(op, diags, elements, "left arguments", left) ||
      !match(op, diags, elements, "right arguments", right)) {
    return false;
  }
  for (const Op *inner = region->first; inner; inner = inner->next) {
    const bool last = op_has(inner, TRAIT_TERMINATOR);
    if (inner->num_regions || !(last || op_is_pure(inner)) ||
        !is_scalar_op(inner)) {
      return op_fail(inner, diags, ERROR_op_not_in_region,
                     op_info[op->kind].name);
    }
  }
  return true;
}

// Is `result` `type` without `axis`; a scalar if no axis is left?
static bool lacks_axis(const Type *result, const Type *type, int axis) {
  if (type_element(result) != type->element) return false;
  if (type->rank == 1) return !type_is_tile(result);
  if (!type_is_tile(result) || result->rank != type->rank - 1) return false;
  for (int i = 0; i < result->rank; i++) {
    if (result->shape[i] != type->shape[i + (i >= axis)]) return false;
  }
  return true;
}

bool rule_REDUCE(const Op *op, DiagList *diags) {
  if (!check_inputs(op, diags)) return false;
  if (op->num_results != op->num_operands) {
    return op_fail(op, diags, ERROR_op_wants_results, op->num_operands,
                   op->num_results);
  }
  const int axis = (int)op_int(op, ATTR_axis);
  for (int i = 0; i < op->num_results; i++) {
    const Type *type = op->results[i].type;
    if (!op_wants(op, diags, lacks_axis(type, operand_type(op, i), axis),
                  "its input without the axis", "result", type)) {
      return false;
    }
  }
  return check_combine(op, diags);
}

bool rule_HISTOGRAM(const Op *op, DiagList *diags) {
  const Type *x = operand_type(op, 0), *result = result_type(op);
  const bool takes =
      type_is_tile(x) && type_is_int(x) && type_element_bits(x) >= 32;
  const bool gives = type_is_tile(result) && result->rank == 1 &&
                     type_is_scalar(result->element, ELEM_i32);
  return op_wants(op, diags, takes, "a tile of i32 or i64", "its operand", x) &&
         op_wants(op, diags, gives, "a tile of i32 in one dimension",
                  "its result", result);
}

bool rule_SCAN(const Op *op, DiagList *diags) {
  return check_inputs(op, diags) &&
         match(op, diags, of_operands(op, 0), "results", of_results(op)) &&
         check_combine(op, diags);
}
