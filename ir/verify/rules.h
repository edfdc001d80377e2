// rules.h -- shared by the files of the verifier; private to the room.
//
// A rule gets an op whose counts of operands, results, regions and attributes
// fit its row of ops.def, and whose types are valid.
#ifndef TILE_IR_VERIFY_RULES_H
#define TILE_IR_VERIFY_RULES_H

#include "ir/op.h"

typedef bool (*RuleFn)(const Op *op, DiagList *diags);

bool rule_NONE(const Op *op, DiagList *diags);
bool rule_ANY(const Op *op, DiagList *diags);
#define TYPE_RULE(name) bool rule_##name(const Op *op, DiagList *diags);
#include "ir/op/rules.def"

// -- Reports "'op' ..."; all return false, or `ok` ---------------------------

__attribute__((format(printf, 3, 4))) bool
op_fail(const Op *op, DiagList *diags, const char *format, ...);
// Reports "wants WANTED as WHAT, found TYPE", unless `ok`.
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
// NULL if the group is empty.
const Type *group_type(const Op *op, int group);
bool type_is_scalar(const Type *type, Elem elem);
// Is the type a scalar, pointer or tile, as operands of elementwise ops are?
bool type_is_plain(const Type *type);
// Is the type a float of arithmetic, f16 or wider?
bool type_is_arithmetic_float(const Type *type);
// Are both scalars, pointers or tiles, of one shape and layout?
bool type_same_frame(const Type *a, const Type *b);
// Is `mask` i1, in the shape and layout of `type`?
bool type_is_mask(const Type *mask, const Type *type);

// -- Parts of rules ----------------------------------------------------------

bool check_mask(const Op *op, DiagList *diags, int group, const Type *frame);
// Has the group `count` scalars of that type?
bool check_scalars(const Op *op, DiagList *diags, int group, int count,
                   Elem elem);
// Is the group empty, or one condition?
bool check_flag(const Op *op, DiagList *diags, int group);
// Does the attribute list each of 0 .. rank-1 once?
bool check_permutation(const Op *op, DiagList *diags, AttrKey key, int rank);
// Are the items of the attribute different dimensions?
bool check_dimensions(const Op *op, DiagList *diags, AttrKey key, int rank);
bool check_axis(const Op *op, DiagList *diags, int rank);
// Have contiguity, divisibility and constancy one item for each dimension?
bool check_runs(const Op *op, DiagList *diags, int rank);
// Is `type` a tile of the shape and element of `shape`, with any layout?
bool is_tile_of(const Type *type, const Type *shape);
bool is_global_pointer(const Type *type);

#endif
