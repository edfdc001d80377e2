// axis_rules.h -- shared by the analysis and its rules; private to the room.
#ifndef TILE_PASSES_AXIS_RULES_H
#define TILE_PASSES_AXIS_RULES_H

#include "passes/analysis/axis_info.h"

#include <string.h>

enum { NUM_AXES = MAX_RANK };
#define LARGEST_DIVISOR (INT64_C(1) << 40) // 0 is a multiple of everything

static inline int axis_count(const Type *type) {
  return type->rank ? type->rank : 1;
}
static inline int64_t axis_size(const Type *type, int d) {
  return type->rank ? type->shape[d] : 1;
}
// The largest power of two that divides the value.
static inline int64_t divisor_of(int64_t value) {
  const uint64_t bits = (uint64_t)value;
  const int64_t lowest = (int64_t)(bits & (~bits + 1));
  return lowest > 0 && lowest < LARGEST_DIVISOR ? lowest : LARGEST_DIVISOR;
}

AxisInfo axis_unknown(void);
AxisInfo axis_meet(Arena *arena, const AxisInfo *a, const AxisInfo *b);
// The facts about a result of an op without slots, derived from its operands.
AxisInfo axis_rule(const AxisAnalysis *analysis, const Op *op, int result);
// The same for make_block_ptr, make_desc and advance.
const WindowFacts *axis_window(const AxisAnalysis *analysis, const Op *op,
                               Arena *arena);

// -- For rules ---------------------------------------------------------------

typedef struct {
  const AxisAnalysis *a;
  const Op *op;
  const Type *type; // of the result
} AxisRule;
typedef AxisInfo AxisRuleFn(const AxisRule *r);

static inline int64_t product(int64_t a, int64_t b) {
  return a > LARGEST_DIVISOR / b ? LARGEST_DIVISOR : a * b;
}

static inline int64_t bytes_of(const Type *pointers) {
  return int64_max(type_element_bits(type_element(pointers)->element) / 8, 1);
}

// The divisor of every value along d.
static inline int64_t divisor_along(const AxisInfo *info, int d) {
  return axis_start_divisor(info, d, 1);
}

// The divisor, in bytes, of the first address of each group of `size` addresses
// along d.  `divisibility` is that of the first address of a run of
// `contiguity` addresses; the other addresses of the run count up from it.
static inline int64_t axis_pointer_start(const AxisInfo *p, int d, int64_t size,
                                         int64_t bytes) {
  const int64_t divisor = p->divisibility[d];
  return size >= p->contiguity[d] ? divisor : int64_min(divisor, size * bytes);
}

static inline const AxisInfo *operand(const AxisRule *r, int index) {
  return axis_info(r->a, op_operand(r->op, index));
}

static inline bool is_nonnegative(const AxisRule *r, int index) {
  return operand(r, index)->nonnegative;
}

// The size of groups along d in which x counts up and y is constant.
static inline int64_t group_of(const AxisInfo *x, const AxisInfo *y, int d) {
  return int64_min(x->contiguity[d], y->constancy[d]);
}

// The size of groups along d in which x counts up from a multiple of the
// group's size, and y is one multiple of it.
static inline int64_t aligned_group(const AxisInfo *x, const AxisInfo *y,
                                    int d) {
  return int64_min(int64_min(x->contiguity[d], x->divisibility[d]),
                   int64_min(y->constancy[d], divisor_along(y, d)));
}

// The result is equal in groups in which all operands are.
AxisRuleFn axis_common_constancy;

// axis_math.c
AxisRuleFn axis_addi, axis_subi, axis_muli, axis_division, axis_remainder;
AxisRuleFn axis_shift_left, axis_shift_right, axis_andi, axis_either;
AxisRuleFn axis_compare, axis_choice, axis_addptr;

#endif
