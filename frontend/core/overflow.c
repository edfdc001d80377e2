// overflow.c -- checks that `debug` compiles in.
//
// Sums, differences and products in the user's code are computed a second time,
// in 64 bits.  Code in library.tile is not checked.

#include "frontend/core/tensor.h"
#include "frontend/module/program.h"

#include <assert.h>

void build_assert(Walk *w, const Object *condition, const Object *mask,
                  const char *message) {
  assert(dtype_is(condition->as.tensor.dtype, DTYPE_INT1));     // I4
  assert(!mask || dtype_is(mask->as.tensor.dtype, DTYPE_INT1)); // I4
  Value *operands[2] = {condition->as.tensor.value,
                        mask ? mask->as.tensor.value : NULL};
  Op *op = build_op(&w->b, OP_device_assert, 1 + (mask != NULL), operands,
                    (int[]){1, mask != NULL}, 0, NULL);
  op_set_string(w->m, op, ATTR_message, message);
}

// Operators that are checked, with their names in messages.
static const struct {
  const char *name;
  OpKind kind;
} checked[OPERATOR_COUNT] = {[OPERATOR_ADD] = {"add", OP_addi},
                             [OPERATOR_SUB] = {"sub", OP_subi},
                             [OPERATOR_MUL] = {"mul", OP_muli}};

// Is `x`, of int64, between the least and the greatest number of the type?
static const Object *is_within(Walk *w, const Object *x, Dtype dtype) {
  const int bits = dtype_bits(dtype);
  const bool is_signed = dtype.id != DTYPE_INT1 && dtype_is_signed(dtype);
  const int64_t most = ((int64_t)1 << (bits - is_signed)) - 1;
  const int64_t least = is_signed ? -most - 1 : 0;
  Builder *b = &w->b;
  Value *value = x->as.tensor.value;
  Value *fits = build_cmp(b, OP_cmpi, PREDICATE_le, value,
                          build_int(b, value->type, most));
  Value *above = build_cmp(b, OP_cmpi, PREDICATE_ge, value,
                           build_int(b, value->type, least));
  return object_tensor(w->arena, build_andi(b, fits->type, fits, above),
                       dtype_of(DTYPE_INT1));
}

bool check_overflow(Walk *w, SrcLoc loc, Operator op, const Object *x,
                    const Object *y) {
  const Dtype dtype = x->as.tensor.dtype, wide = dtype_of(DTYPE_INT64);
  const char *name = checked[op].name;
  if (!w->checks_overflow || !name || w->frame->file == w->program->library ||
      !dtype_is_int(dtype) || dtype_bits(dtype) >= 64)
    return true;
  assert(object_type(x) == object_type(y)); // I4
  const Object *both[] = {tensor_cast(w, loc, x, wide),
                          tensor_cast(w, loc, y, wide)};
  if (!both[0] || !both[1]) return false;
  const Object *result = tensor_op(w, checked[op].kind, wide, 2, both);
  build_assert(w, is_within(w, result, dtype), NULL,
               arena_printf(w->arena,
                            "int%d overflow detected for operation %s",
                            dtype_bits(dtype), name));
  return true;
}
