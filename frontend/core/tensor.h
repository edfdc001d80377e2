// tensor.h -- operators on run-time values, with Triton's typing.
//
// A constant that is used as a tensor becomes a scalar: an int an int32 if it
// fits (else uint32, int64, uint64), a float fp32 (else fp64), a bool int1.
#ifndef TILE_FRONTEND_TENSOR_H
#define TILE_FRONTEND_TENSOR_H

#include "frontend/core/walk.h"

// `x` as a tensor; a tensor is returned unchanged.
const Object *to_tensor(Walk *w, SrcLoc loc, const Object *x);
// The element type that to_tensor() would give.
bool tensor_dtype(Walk *w, SrcLoc loc, const Object *x, Dtype *out);
// A scalar constant of that type.
const Object *tensor_constant(Walk *w, Dtype dtype, const Object *number);
const Object *tensor_int(Walk *w, Dtype dtype, int64_t value);

// The IR type of a tile, or of a scalar when rank is 0.
// The object of an IR value.
static inline const Object *tensor_wrap(Walk *w, Value *value, Dtype dtype) {
  return object_tensor(w->arena, value, dtype);
}
const Type *tensor_type(Walk *w, Dtype dtype, int rank, const int64_t *shape);
bool check_shape(Walk *w, SrcLoc loc, int rank, const int64_t *shape);
// Checks the sizes of a shape; `places` has the location of each, or is NULL.
bool check_shape_at(Walk *w, SrcLoc loc, const SrcLoc *places, int rank,
                    const int64_t *shape);

// Conversion to another element type, as `.to()` does.
const Object *tensor_cast(Walk *w, SrcLoc loc, const Object *x, Dtype dtype);
const Object *tensor_cast_rounding(Walk *w, SrcLoc loc, const Object *x,
                                   Dtype dtype, Rounding rounding);
const Object *tensor_bitcast(Walk *w, SrcLoc loc, const Object *x, Dtype dtype);
// The type of an element in memory behind a pointer, a block pointer or a
// descriptor: a bool is a byte there.
Dtype memory_dtype(Dtype pointed);
// `x` converted to the element type in memory.  NULL after a diagnostic.
const Object *value_in_memory(Walk *w, SrcLoc loc, const Object *x,
                              Dtype pointed);
// `x`, of any number or pointer type, converted to int1.
const Object *tensor_truth(Walk *w, SrcLoc loc, const Object *x);
// The same for an operand of `and` and the like; a number is not compared with
// 0 there.
const Object *tensor_logical(Walk *w, SrcLoc loc, const char *what,
                             const Object *x);
// Would `x`, with one dimension, fit as a column of `other`?  For a suggestion.
bool fits_as_column(const Type *x, const Type *other);
extern const char column_advice[];

const Object *tensor_broadcast_to(Walk *w, SrcLoc loc, const Object *x,
                                  int rank, const int64_t *shape);
// Broadcasts the two tensors to one shape.
bool tensor_broadcast(Walk *w, SrcLoc loc, const char *what, const Object **x,
                      const Object **y);
const Object *tensor_expand(Walk *w, const Object *x, int axis);
const Object *tensor_reshape(Walk *w, const Object *x, int rank,
                             const int64_t *shape, bool reorder);

typedef struct {
  bool weak_literals; // literals do not widen the other operand within its kind
  bool pointers;      // pointers are allowed
  bool is_division;   // the operator is / or %
} Typing;

// The typing of comparisons and of functions that are no operator.
Typing typing_of_functions(const Walk *w);

// Converts both to the type of the computation, and to one shape.
bool tensor_unify(Walk *w, SrcLoc loc, const char *what, Typing typing,
                  const Object **x, const Object **y);

// An operator with at least one tensor operand.
const Object *tensor_binary(Walk *w, SrcLoc loc, Operator op, const Object *x,
                            const Object *y);
const Object *tensor_comparison(Walk *w, SrcLoc loc, CompareOperator op,
                                const Object *x, const Object *y);
// `is` and `is not`; also `==` and `!=` of tuples with run-time items, if the
// answer follows from equal values.
const Object *tensor_identity(Walk *w, SrcLoc loc, CompareOperator op,
                              const Object *x, const Object *y);
const Object *tensor_tuples(Walk *w, SrcLoc loc, CompareOperator op,
                            const Object *x, const Object *y);
const Object *tensor_unary(Walk *w, SrcLoc loc, UnaryOperator op,
                           const Object *x);
// An operator with operands of any kind, also constants.
const Object *binary(Walk *w, SrcLoc loc, Operator op, const Object *x,
                     const Object *y);
const Object *unary(Walk *w, SrcLoc loc, UnaryOperator op, const Object *x);
// The same for an expression whose location is `whole`; messages about its
// operator point at `loc`.
const Object *binary_at(Walk *w, SrcLoc whole, SrcLoc loc, Operator op,
                        const Object *x, const Object *y);
const Object *compare_at(Walk *w, SrcLoc whole, SrcLoc loc, CompareOperator op,
                         const Object *x, const Object *y);
const Object *compare(Walk *w, SrcLoc loc, CompareOperator op, const Object *x,
                      const Object *y);

// Reports that `x` and `y` have no common type, for the operator, comparison or
// function `what`.  Returns NULL.
const Object *tensor_mismatch(Walk *w, SrcLoc loc, const char *what,
                              const Object *x, const Object *y);
// The same as tensor_unify(), for functions with three operands.
bool tensor_unify_three(Walk *w, SrcLoc loc, const char *what, Typing typing,
                        const Object **x, const Object **y, const Object **z);
// `x` in fp32 if it is bf16 and the release computes maxima and minima of bf16
// in fp32.
const Object *widen_bf16(Walk *w, SrcLoc loc, const Object *x);
typedef enum { EXTREME_MAX, EXTREME_MIN } Extreme;
const Object *tensor_extreme(Walk *w, SrcLoc loc, const char *what,
                             Extreme which, bool propagate_nan, const Object *x,
                             const Object *y);
const Object *tensor_select(Walk *w, SrcLoc loc, const Object *condition,
                            const Object *x, const Object *y);

// An op on values of one type; fp8 is computed in fp32.
const Object *tensor_op(Walk *w, OpKind kind, Dtype dtype, int count,
                        const Object *const *operands);

// -- Checks that `debug` compiles in -----------------------------------------

// Builds a check at run time: the launch stops with `message` if `condition`,
// of int1, is false in a lane for which `mask`, of int1, is true; NULL: any
// lane.
void build_assert(Walk *w, const Object *condition, const Object *mask,
                  const char *message);
// Builds a check that the result of `x op y`, of one integer type, fits that
// type, if the walk checks overflow.  False after a diagnostic.
bool check_overflow(Walk *w, SrcLoc loc, Operator op, const Object *x,
                    const Object *y);

#endif
