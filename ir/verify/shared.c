// shared.c -- type rules of shared memory, tokens and barriers.
//
// A memdesc is the result of an alloc or of a view of one; no other rule allows
// such a result, so every chain of views starts at its alloc.
#include "ir/verify/rules.h"

#include "ir/errors.h"

static bool check_buffer(const Op *op, DiagList *diags, const char *what,
                         const Type *type) {
  return op_wants(op, diags, type->kind == TYPE_MEMDESC, "a buffer", what,
                  type);
}

// Do a tile and a buffer have the same elements?
static bool holds(const Type *buffer, const Type *tile) {
  return buffer->kind == TYPE_MEMDESC && is_tile_of(tile, buffer);
}

bool rule_ALLOC(const Op *op, DiagList *diags) {
  const Type *x = group_type(op, 0), *result = result_type(op);
  return check_buffer(op, diags, "its result", result) &&
         (!x || op_wants(op, diags, holds(result, x),
                         "a tile of the buffer's shape", "x", x));
}

bool rule_MEMDESC(const Op *op, DiagList *diags) {
  const Value *buffer = op_operand(op, 0);
  return check_buffer(op, diags, "its operand", buffer->type) &&
         (value_def(buffer, OP_alloc_shared) ||
          op_fail(op, diags, ERROR_op_whole_buffer));
}

// Are result and operand buffers with the same elements?
static bool check_view(const Op *op, DiagList *diags) {
  const Type *buffer = operand_type(op, 0), *result = result_type(op);
  return check_buffer(op, diags, "its operand", buffer) &&
         check_buffer(op, diags, "its result", result) &&
         op_wants_type(op, diags, buffer->element, "elements", result->element);
}

static bool is_result_shape(const Op *op, int rank, const int64_t *shape) {
  const Type *result = result_type(op);
  bool ok = result->rank == rank;
  for (int i = 0; ok && i < rank; i++) ok = result->shape[i] == shape[i];
  return ok;
}

bool rule_VIEW_INDEX(const Op *op, DiagList *diags) {
  const Type *buffer = operand_type(op, 0);
  if (!check_view(op, diags) || !check_scalars(op, diags, 1, 1, ELEM_i32)) {
    return false;
  }
  const bool ok = is_result_shape(op, buffer->rank - 1, buffer->shape + 1);
  return op_wants(op, diags, ok, "the buffer without its first dimension",
                  "its result", result_type(op));
}

bool rule_VIEW_SLICE(const Op *op, DiagList *diags) {
  const Type *buffer = operand_type(op, 0), *result = result_type(op);
  if (!check_view(op, diags) ||
      !check_scalars(op, diags, 1, buffer->rank, ELEM_i32)) {
    return false;
  }
  bool ok = result->rank == buffer->rank;
  for (int i = 0; ok && i < buffer->rank; i++) {
    ok = result->shape[i] <= buffer->shape[i];
  }
  return op_wants(op, diags, ok, "a part of the buffer", "its result", result);
}

bool rule_VIEW_TRANS(const Op *op, DiagList *diags) {
  const Type *buffer = operand_type(op, 0);
  if (!check_view(op, diags) ||
      !check_permutation(op, diags, ATTR_order, buffer->rank)) {
    return false;
  }
  const int64_t *order = op_attr(op, ATTR_order)->as.ints.items;
  int64_t shape[MAX_RANK];
  for (int i = 0; i < buffer->rank; i++) shape[i] = buffer->shape[order[i]];
  return op_wants(op, diags, is_result_shape(op, buffer->rank, shape),
                  "the buffer's dimensions in this order", "its result",
                  result_type(op));
}

static bool check_tokens(const Op *op, DiagList *diags, int group) {
  const int start = op_group_start(op, group);
  for (int i = start; i < start + op_group_size(op, group); i++) {
    const Type *type = operand_type(op, i);
    if (!op_wants(op, diags, type->kind == TYPE_TOKEN, "tokens",
                  op_info[op->kind].groups[group].name, type)) {
      return false;
    }
  }
  return true;
}

bool rule_LOAD_SHARED(const Op *op, DiagList *diags) {
  const Type *buffer = operand_type(op, 0), *result = result_type(op);
  return check_buffer(op, diags, "its operand", buffer) &&
         op_wants(op, diags, holds(buffer, result),
                  "a tile of the buffer's shape", "its result", result) &&
         check_tokens(op, diags, 1);
}

bool rule_STORE_SHARED(const Op *op, DiagList *diags) {
  const Type *value = operand_type(op, 0), *buffer = operand_type(op, 1);
  return check_buffer(op, diags, "buffer", buffer) &&
         op_wants(op, diags, holds(buffer, value),
                  "a tile of the buffer's shape", "value", value);
}

// -- Asynchronous operations -------------------------------------------------

static bool check_token_result(const Op *op, DiagList *diags) {
  const Type *type = result_type(op);
  return op_wants(op, diags, type->kind == TYPE_TOKEN, "a token", "its result",
                  type);
}

static bool check_count(const Op *op, DiagList *diags, int64_t least) {
  const Attr *count = op_attr(op, ATTR_count);
  return !count || (count->as.i >= least && count->as.i <= INT32_MAX) ||
         op_fail(op, diags, ERROR_op_least_count, (long long)least);
}

bool rule_ASYNC_COPY(const Op *op, DiagList *diags) {
  const Type *ptr = operand_type(op, 0), *buffer = operand_type(op, 1);
  const Type *other = group_type(op, 3);
  const bool pointers = type_is_tile(ptr) && is_global_pointer(ptr);
  if (!op_wants(op, diags, pointers, "a tile of global pointers", "ptr", ptr)) {
    return false;
  }
  const bool fits = buffer->kind == TYPE_MEMDESC &&
                    type_same_shape(ptr, buffer) &&
                    ptr->element->element == buffer->element;
  return op_wants(op, diags, fits, "a buffer for what the pointers point at",
                  "buffer", buffer) &&
         check_mask(op, diags, 2, ptr) &&
         (!other || op_wants(op, diags,
                             type_same_frame(ptr, other) &&
                                 other->element == buffer->element,
                             "what the pointers point at", "other", other)) &&
         check_runs(op, diags, ptr->rank) && check_token_result(op, diags);
}

bool rule_TOKEN(const Op *op, DiagList *diags) {
  return check_tokens(op, diags, 0) && check_count(op, diags, 0) &&
         check_token_result(op, diags);
}

bool rule_DOT_WAIT(const Op *op, DiagList *diags) {
  if (!check_tokens(op, diags, 0) || !check_count(op, diags, 0)) return false;
  const int first = op_group_start(op, 1), count = op_group_size(op, 1);
  if (op->num_results != count) {
    return op_fail(op, diags, ERROR_op_wants_results, count, op->num_results);
  }
  for (int i = 0; i < op->num_results; i++) {
    const Type *type = operand_type(op, first + i);
    if (!op_wants(op, diags, type_is_tile(type), "tiles", "values", type) ||
        !op_wants_type(op, diags, type, "result", op->results[i].type)) {
      return false;
    }
  }
  return true;
}

static bool check_size(const Op *op, DiagList *diags) {
  const Attr *size = op_attr(op, ATTR_size);
  return !size || (size->as.i >= 1 && size->as.i <= MAX_BARRIERS) ||
         op_fail(op, diags, ERROR_op_barriers_range, MAX_BARRIERS);
}

// The barriers of an index must come from their alloc.
static bool check_index(const Op *op, DiagList *diags) {
  return value_def(op_operand(op, 0), OP_mbarrier_alloc) ||
         op_fail(op, diags, ERROR_op_whole_barriers);
}

static bool check_buffers(const Op *op, DiagList *diags) {
  for (int i = 1; i <= op_group_size(op, 1); i++)
    if (!check_buffer(op, diags, "buffers", operand_type(op, i))) return false;
  return true;
}

bool rule_MBARRIER(const Op *op, DiagList *diags) {
  const Type *type = op->num_operands ? operand_type(op, 0) : result_type(op);
  const int64_t least = op->kind == OP_mbarrier_expect ? 0 : 1;
  if (!op_wants(op, diags, type->kind == TYPE_MBARRIER, "an mbarrier",
                op->num_operands ? "its operand" : "its result", type) ||
      !check_count(op, diags, least)) {
    return false;
  }
  switch (op->kind) {
  case OP_mbarrier_alloc: return check_size(op, diags);
  case OP_mbarrier_index:
    return op_wants_type(op, diags, type, "result", result_type(op)) &&
           check_index(op, diags) && check_scalars(op, diags, 1, 1, ELEM_i32);
  case OP_mbarrier_wait: return check_scalars(op, diags, 1, 1, ELEM_i32);
  case OP_mbarrier_arrive:
    return check_buffers(op, diags) && check_flag(op, diags, 2);
  case OP_mbarrier_expect: return check_flag(op, diags, 1);
  default: return true;
  }
}
