// builder.h -- append operations to a block: build_addf(&b, type, x, y).
//
// Ops with a fixed number of operands get a builder from ops.def; those of the
// others are declared below.  `type` is the result's.
#ifndef TILE_IR_BUILDER_H
#define TILE_IR_BUILDER_H

#include "ir/op.h"

typedef struct {
  Module *m;
  Block *block; // new ops are added at its end,
  Op *before;   // or, if not NULL, before this op in it
  SrcLoc loc;
} Builder;

static inline Builder builder_at_end(Module *m, Block *block, SrcLoc loc) {
  return (Builder){m, block, NULL, loc};
}
static inline Builder builder_before(Module *m, Op *op) {
  return (Builder){m, op->block, op, op->loc};
}

Op *builder_insert(Builder *b, Op *op);
Op *build_op(Builder *b, OpKind kind, int num_operands, Value *const *operands,
             const int *group_sizes, int num_results, const Type *const *types);
// For ops with one result, or none if `type` is NULL.
Value *build_value(Builder *b, OpKind kind, int num_operands,
                   Value *const *operands, const Type *type);

#define BUILD_0(name) // needs an attribute: declared below
#define BUILD_1(name)                                                          \
  static inline Value *build_##name(Builder *b, const Type *type, Value *x) {  \
    return build_value(b, OP_##name, 1, &x, type);                             \
  }
#define BUILD_2(name)                                                          \
  static inline Value *build_##name(Builder *b, const Type *type, Value *x,    \
                                    Value *y) {                                \
    return build_value(b, OP_##name, 2, (Value *[]){x, y}, type);              \
  }
#define BUILD_3(name)                                                          \
  static inline Value *build_##name(Builder *b, const Type *type, Value *x,    \
                                    Value *y, Value *z) {                      \
    return build_value(b, OP_##name, 3, (Value *[]){x, y, z}, type);           \
  }
#define BUILD_VAR(name)
#define OP(name, operands, ...) BUILD_##operands(name)
#include "ir/op/ops.def"
#undef BUILD_0
#undef BUILD_1
#undef BUILD_2
#undef BUILD_3
#undef BUILD_VAR

// A constant of integer or boolean scalar or tile type, wrapped to its width.
// `value` 0 is allowed for a float type, too: it has the same bits.
Value *build_int(Builder *b, const Type *type, int64_t value);
// A constant of float type; `value` is rounded to it.
Value *build_float(Builder *b, const Type *type, double value);
Value *build_program_id(Builder *b, int axis);
Value *build_num_programs(Builder *b, int axis);
Value *build_cluster_rank(Builder *b);
Value *build_has_neighbour(Builder *b);
Value *build_block_id(Builder *b);
Value *build_num_blocks(Builder *b);
Value *build_arange(Builder *b, int64_t start, int64_t end);
// `more`, and `known` unless that is NULL, which means true.
Value *build_both(Builder *b, Value *known, Value *more);
Value *build_cmp(Builder *b, OpKind kind, Predicate predicate, Value *x,
                 Value *y);
// `mask` and `other` may be NULL.
Op *build_load(Builder *b, Value *ptr, Value *mask, Value *other);
Op *build_store(Builder *b, Value *ptr, Value *value, Value *mask);
// Each group has `rank` values; `order` may be NULL for row-major.
Value *build_make_block_ptr(Builder *b, const Type *type, Value *base,
                            Value *const *shape, Value *const *strides,
                            Value *const *offsets, const int64_t *order);
Value *build_advance(Builder *b, Value *ptr, Value *const *offsets);

// Ops with regions: the blocks are created with the arguments that the op's
// rule requires, without ops or terminator.
Op *build_for(Builder *b, Value *lower, Value *upper, Value *step,
              int num_carried, Value *const *init);
Op *build_while(Builder *b, int num_init, Value *const *init, int num_results,
                const Type *const *types);
Op *build_if(Builder *b, Value *condition, int num_results,
             const Type *const *types);
Op *build_reduce(Builder *b, int axis, int num_inputs, Value *const *inputs);
Op *build_scan(Builder *b, int axis, bool reverse, int num_inputs,
               Value *const *inputs);
void build_yield(Builder *b, int num_values, Value *const *values);
void build_condition(Builder *b, Value *condition, int num_values,
                     Value *const *values);
void build_return(Builder *b);

#endif
