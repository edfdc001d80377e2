// memory.c -- type rules of global memory and of contractions.
#include "ir/verify/rules.h"

#include "ir/errors.h"
#include "ir/tensor_box.h"

// Is operand 0 a pointer to global memory, or a tile of such pointers?
static bool check_pointers(const Op *op, DiagList *diags) {
  const Type *ptr = operand_type(op, 0);
  return op_wants(op, diags, type_is_plain(ptr) && is_global_pointer(ptr),
                  "global pointers", "its first operand", ptr);
}

// Has `type` the shape of the pointers in operand 0, and their element type?
static bool check_pointee(const Op *op, DiagList *diags, const char *what,
                          const Type *type) {
  const Type *ptr = operand_type(op, 0);
  const bool ok = type_same_frame(ptr, type) &&
                  type_element(type) == type_element(ptr)->element;
  return op_wants(op, diags, ok, "what the pointers point at", what, type);
}

bool rule_LOAD(const Op *op, DiagList *diags) {
  const Type *other = group_type(op, 2), *result = result_type(op);
  return check_pointers(op, diags) &&
         check_mask(op, diags, 1, operand_type(op, 0)) &&
         check_pointee(op, diags, "its result", result) &&
         (!other || op_wants_type(op, diags, result, "other", other)) &&
         check_runs(op, diags, result->rank);
}

bool rule_STORE(const Op *op, DiagList *diags) {
  return check_pointers(op, diags) &&
         check_pointee(op, diags, "value", operand_type(op, 1)) &&
         check_mask(op, diags, 2, operand_type(op, 0)) &&
         check_runs(op, diags, operand_type(op, 0)->rank);
}

static bool rmw_takes(Rmw kind, const Type *type) {
  const int bits = type_element_bits(type);
  switch (kind) {
  case RMW_fadd:
  case RMW_fmax:
  case RMW_fmin: return type_is_arithmetic_float(type);
  case RMW_xchg: return !type_is_pointer(type) && bits >= 32;
  case RMW_load:
  case RMW_store: return type_is_int(type) && bits >= 8;
  default: return type_is_int(type) && bits >= 32;
  }
}

// Updates of a block are done by bulk copies, which add.
static bool check_update(const Op *op, DiagList *diags, const Type *element) {
  const Attr *kind = op_attr(op, ATTR_kind);
  const bool adds = kind && (kind->as.i == RMW_add || kind->as.i == RMW_fadd);
  return !kind ||
         op_wants(op, diags, adds && rmw_takes((Rmw)kind->as.i, element),
                  "elements that it can add", "value", element);
}

bool rule_ATOMIC(const Op *op, DiagList *diags) {
  const Type *value = operand_type(op, 1);
  const bool cas = op->kind == OP_atomic_cas;
  const bool ok =
      cas ? !type_is_pointer(value) && type_element_bits(value) >= 16
          : rmw_takes((Rmw)op_int(op, ATTR_kind), value);
  return check_pointers(op, diags) &&
         check_pointee(op, diags, "value", value) &&
         op_wants(op, diags, ok, "a type that it can update", "value", value) &&
         (cas ? op_wants_type(op, diags, value, "value", operand_type(op, 2))
              : check_mask(op, diags, 2, operand_type(op, 0))) &&
         op_wants_result(op, diags, value) &&
         check_runs(op, diags, value->rank);
}

// -- Block pointers and descriptors ------------------------------------------

// Is operand 0 a global pointer to the elements of `block`?
static bool check_base(const Op *op, DiagList *diags, const Type *block) {
  const Type *base = operand_type(op, 0);
  const bool ok = base->kind == TYPE_POINTER && is_global_pointer(base) &&
                  base->element == block->element;
  return op_wants(op, diags, ok, "a pointer to the result's elements", "base",
                  base);
}

static bool check_kind(const Op *op, DiagList *diags, const char *what,
                       TypeKind kind, const Type *type) {
  return op_wants(op, diags, type->kind == kind,
                  kind == TYPE_DESCRIPTOR ? "a tensor descriptor"
                                          : "a block pointer",
                  what, type);
}

static Elem offset_elem(const Type *type) {
  return type->is_wide ? ELEM_i64 : ELEM_i32;
}

bool rule_BLOCK_PTR(const Op *op, DiagList *diags) {
  const Type *type = result_type(op);
  return check_kind(op, diags, "its result", TYPE_BLOCK_POINTER, type) &&
         check_base(op, diags, type) &&
         check_scalars(op, diags, 1, type->rank, ELEM_i64) &&
         check_scalars(op, diags, 2, type->rank, ELEM_i64) &&
         check_scalars(op, diags, 3, type->rank, offset_elem(type)) &&
         check_permutation(op, diags, ATTR_order, type->rank);
}

bool rule_ADVANCE(const Op *op, DiagList *diags) {
  const Type *type = operand_type(op, 0);
  return check_kind(op, diags, "its operand", TYPE_BLOCK_POINTER, type) &&
         check_scalars(op, diags, 1, type->rank, offset_elem(type)) &&
         op_wants_result(op, diags, type);
}

// Is `type` the tile that operand 0 describes?
static bool check_block(const Op *op, DiagList *diags, const char *what,
                        const Type *type) {
  return op_wants(op, diags, is_tile_of(type, operand_type(op, 0)),
                  "a tile of the block's shape and elements", what, type);
}

bool rule_LOAD_BLOCK(const Op *op, DiagList *diags) {
  const Type *ptr = operand_type(op, 0);
  return check_kind(op, diags, "its operand", TYPE_BLOCK_POINTER, ptr) &&
         check_dimensions(op, diags, ATTR_boundary, ptr->rank) &&
         check_runs(op, diags, ptr->rank) &&
         check_block(op, diags, "its result", result_type(op));
}

bool rule_STORE_BLOCK(const Op *op, DiagList *diags) {
  const Type *ptr = operand_type(op, 0);
  return check_kind(op, diags, "its operand", TYPE_BLOCK_POINTER, ptr) &&
         check_dimensions(op, diags, ATTR_boundary, ptr->rank) &&
         check_runs(op, diags, ptr->rank) &&
         check_block(op, diags, "value", operand_type(op, 1));
}

// Is `type` a tile or buffer of a block of type `block`?  Leading dimensions of
// 1, of adjacent tensors, may be omitted.
static bool is_of_block(const Type *type, const Type *block) {
  const int left = block->rank - type->rank;
  for (int d = 0; d < left; d++) {
    if (block->shape[d] != 1) return false;
  }
  if (left < 0 || type->element != block->element) return false;
  for (int d = 0; d < type->rank; d++) {
    if (type->shape[d] != block->shape[left + d]) return false;
  }
  return true;
}

static bool check_tile(const Op *op, DiagList *diags, const char *what,
                       const Type *type) {
  return op_wants(op, diags,
                  type_is_tile(type) && is_of_block(type, operand_type(op, 0)),
                  "a tile of the block's shape and elements", what, type);
}

bool rule_DESC(const Op *op, DiagList *diags) {
  const Type *type = result_type(op);
  return check_kind(op, diags, "its result", TYPE_DESCRIPTOR, type) &&
         check_base(op, diags, type) &&
         check_scalars(op, diags, 1, type->rank, ELEM_i64) &&
         check_scalars(op, diags, 2, type->rank, ELEM_i64);
}

bool rule_LOAD_DESC(const Op *op, DiagList *diags) {
  const Type *desc = operand_type(op, 0);
  return check_kind(op, diags, "its operand", TYPE_DESCRIPTOR, desc) &&
         check_runs(op, diags, desc->rank) &&
         check_scalars(op, diags, 1, desc->rank, ELEM_i32) &&
         check_tile(op, diags, "its result", result_type(op));
}

bool rule_STORE_DESC(const Op *op, DiagList *diags) {
  const Type *desc = operand_type(op, 0);
  return check_kind(op, diags, "its operand", TYPE_DESCRIPTOR, desc) &&
         check_runs(op, diags, desc->rank) &&
         check_tile(op, diags, "value", operand_type(op, 1)) &&
         check_update(op, diags, desc->element) &&
         check_scalars(op, diags, 2, desc->rank, ELEM_i32);
}

// Checks a descriptor, and a buffer for a block of it.
static bool check_copy(const Op *op, DiagList *diags) {
  const Type *desc = operand_type(op, 0), *buffer = operand_type(op, 1);
  const bool fits = buffer->kind == TYPE_MEMDESC && is_of_block(buffer, desc);
  return check_kind(op, diags, "its operand", TYPE_DESCRIPTOR, desc) &&
         op_wants(op, diags, fits, "a buffer of the block's shape", "buffer",
                  buffer);
}

bool rule_COPY_DESC(const Op *op, DiagList *diags) {
  const Type *desc = operand_type(op, 0), *barrier = operand_type(op, 2);
  return check_copy(op, diags) &&
         op_wants(op, diags, barrier->kind == TYPE_MBARRIER, "an mbarrier",
                  "barrier", barrier) &&
         check_scalars(op, diags, 3, desc->rank, ELEM_i32) &&
         check_mask(op, diags, 4, operand_type(op, 3)) &&
         check_flag(op, diags, 5);
}

bool rule_COPY_TO_DESC(const Op *op, DiagList *diags) {
  return check_copy(op, diags) &&
         check_update(op, diags, operand_type(op, 0)->element) &&
         check_scalars(op, diags, 2, operand_type(op, 0)->rank, ELEM_i32);
}

bool rule_COPY_ROWS(const Op *op, DiagList *diags) {
  const Type *ptr = operand_type(op, 0), *buffer = operand_type(op, 1);
  if (!check_pointers(op, diags)) return false;
  const bool fits =
      ptr->rank == 1 && buffer->kind == TYPE_MEMDESC && buffer->rank == 2 &&
      buffer->shape[0] == ptr->shape[0] &&
      buffer->element == type_element(ptr)->element &&
      buffer->shape[1] * type_element_bits(buffer) % (8 * BULK_UNIT) == 0;
  return op_wants(op, diags, fits,
                  "a buffer with a row of 16 bytes or more for each address",
                  "buffer", buffer) &&
         check_mask(op, diags, 2, ptr);
}

// -- Contractions ------------------------------------------------------------

// Is `type` a tile, or, for async_dot, a buffer?
static bool is_matrix(const Op *op, const Type *type) {
  const bool buffer = op->kind == OP_async_dot && type->kind == TYPE_MEMDESC;
  return (type_is_tile(type) || buffer) && type->rank >= 2 &&
         type->element->kind == TYPE_SCALAR;
}

static bool is_f8(Elem elem) {
  return elem == ELEM_f8e5 || elem == ELEM_f8e4nv;
}

static bool accumulates(Elem a, Elem b, Elem acc) {
  if (a != b && !(is_f8(a) && is_f8(b))) return false;
  switch (a) {
  case ELEM_i8: return acc == ELEM_i32;
  case ELEM_f8e5:
  case ELEM_f8e4nv:
  case ELEM_f16: return acc == ELEM_f32 || acc == ELEM_f16;
  case ELEM_bf16:
  case ELEM_f32: return acc == ELEM_f32;
  case ELEM_f64: return acc == ELEM_f64;
  default: return false;
  }
}

static bool shapes_multiply(const Type *a, const Type *b, const Type *acc) {
  const int rank = a->rank;
  if (b->rank != rank || acc->rank != rank) return false;
  for (int i = 0; i < rank - 2; i++) {
    if (a->shape[i] != b->shape[i] || a->shape[i] != acc->shape[i]) {
      return false;
    }
  }
  return a->shape[rank - 1] == b->shape[rank - 2] &&
         a->shape[rank - 2] == acc->shape[rank - 2] &&
         b->shape[rank - 1] == acc->shape[rank - 1];
}

bool rule_DOT(const Op *op, DiagList *diags) {
  const Type *a = operand_type(op, 0), *b = operand_type(op, 1);
  const Type *acc = operand_type(op, 2);
  if (!op_wants(op, diags, is_matrix(op, a), "matrices", "a", a) ||
      !op_wants(op, diags, is_matrix(op, b), "matrices", "b", b) ||
      !op_wants(op, diags, type_is_tile(acc), "a tile", "acc", acc)) {
    return false;
  }
  const char *problem = !shapes_multiply(a, b, acc) ? "shapes"
                        : !accumulates(a->elem, b->elem, acc->elem)
                            ? "element types"
                            : NULL;
  if (!problem) return op_wants_result(op, diags, acc);
  return op_fail(op, diags, ERROR_op_does_not_take, problem,
                 type_text(a, diags->arena), type_text(b, diags->arena),
                 type_text(acc, diags->arena));
}

bool rule_ASYNC_DOT(const Op *op, DiagList *diags) {
  const Type *token = op->results[1].type;
  return rule_DOT(op, diags) && op_wants(op, diags, token->kind == TYPE_TOKEN,
                                         "a token", "second result", token);
}
