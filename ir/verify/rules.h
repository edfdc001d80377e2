// rules.h -- shared by the files of the verifier; not for others.
//
// A rule sees an op whose operand, result, region and attribute counts fit its
// row of ops.def and whose types are possible ones.
#ifndef TILE_IR_VERIFY_RULES_H
#define TILE_IR_VERIFY_RULES_H

#include "ir/op.h"

typedef bool (*RuleFn)(const Op *op, DiagList *diags);

bool rule_NONE(const Op *op, DiagList *diags);
bool rule_ANY(const Op *op, DiagList *diags);
#define TYPE_RULE(name) bool rule_##name(const Op *op, DiagList *diags);
#include "ir/op/rules.def"

// -- Reporting: "'op' ...".  All return false, or whether `ok` ---------------

__attribute__((format(printf, 3, 4))) bool
op_fail(const Op *op, DiagList *diags, const char *format, ...);
// "wants WANTED as WHAT, found TYPE"
bool op_wants(const Op *op, DiagList *diags, bool ok, const char *wanted,
              const char *what, const Type *found);
bool op_wants_type(const Op *op, DiagList *diags, const Type *wanted,
                   const char *what, const Type *found);
bool op_wants_result(const Op *op, DiagList *diags, const Type *wanted);

// -- Questions ---------------------------------------------------------------

static inline const Type *operand_type(const Op *op, int index) {
  return op_operand(op, index)->type;
}
static inline const Type *result_type(const Op *op) {
  return op->results[0].type;
}
// NULL when the group is empty.
const Type *group_type(const Op *op, int group);
bool type_is_scalar(const Type *type, Elem elem);
// Scalars, pointers and tiles: what elementwise ops work on.
bool type_is_plain(const Type *type);
// f16 and wider: what arithmetic works on.
bool type_is_arithmetic_float(const Type *type);
// Both plain, of one shape and layout.
bool type_same_frame(const Type *a, const Type *b);
// i1 in the frame of `type`.
bool type_is_mask(const Type *mask, const Type *type);

// -- Parts of rules ----------------------------------------------------------

bool check_mask(const Op *op, DiagList *diags, int group, const Type *frame);
// The group has `count` scalars of that type.
bool check_scalars(const Op *op, DiagList *diags, int group, int count,
                   Elem elem);
// The attribute lists each of 0 .. rank-1 once.
bool check_permutation(const Op *op, DiagList *diags, AttrKey key, int rank);
// Its items are different dimensions.
bool check_dimensions(const Op *op, DiagList *diags, AttrKey key, int rank);
bool check_axis(const Op *op, DiagList *diags, int rank);
// contiguity, divisibility and constancy have an item for each dimension.
bool check_runs(const Op *op, DiagList *diags, int rank);
// Is this a tile of `shape`'s shape and element, whatever its layout?
bool is_tile_of(const Type *type, const Type *shape);
bool is_global_pointer(const Type *type);

#endif
