// canonicalize_values.c -- local rewrites of values.
//
// Each function gets an op of the kind in the table and returns the replacement
// of its result, or NULL.  Ops on constants are folded by ir/rewrite/fold.c.
#include "passes/simplify/canonicalize.h"

#include "ir/number.h"

static Op *operand_of_kind(const Op *op, int index, OpKind kind) {
  return value_def(op_operand(op, index), kind);
}

static Value *rebuilt(Builder *b, const Op *op, Value *x) {
  Value *value = build_value(b, op->kind, 1, &x, op_result(op)->type);
  op_copy_attrs(b->m, value->def, op);
  return value;
}

// f(g(x)) = f(x), or x if that has the result's type already.
static Value *skip_inner(Builder *b, const Op *op, const Op *inner) {
  Value *x = op_operand(inner, 0);
  return x->type == op_result(op)->type ? x : rebuilt(b, op, x);
}

// -- Shapes ------------------------------------------------------------------

static Value *of_same_kind(Builder *b, Op *op) {
  const Op *inner = operand_of_kind(op, 0, op->kind);
  return inner ? skip_inner(b, op, inner) : NULL;
}

static Value *shape_of_splat(Builder *b, Op *op) {
  const Op *splat = operand_of_kind(op, 0, OP_splat);
  if (!splat) return NULL;
  return build_splat(b, op_result(op)->type, op_operand(splat, 0));
}

static Value *identity_cast(Builder *b, Op *op) {
  (void)b;
  Value *x = op_operand(op, 0);
  return x->type == op_result(op)->type ? x : NULL;
}

static Value *reshape(Builder *b, Op *op) {
  Value *x = op_operand(op, 0);
  if (x->type == op_result(op)->type && !op_int(op, ATTR_reorder)) return x;
  const Op *inner = operand_of_kind(op, 0, OP_reshape);
  if (!inner) return shape_of_splat(b, op);
  if (op_int(inner, ATTR_reorder)) return NULL;
  return rebuilt(b, op, op_operand(inner, 0));
}

// For example, x has the shape [2, 4, 8].  Transposed twice by [1, 2, 0] it has
// the shapes [4, 8, 2] and [8, 2, 4]; one transposition by [2, 0, 1] does both.
static Value *trans(Builder *b, Op *op) {
  const Attr *order = op_attr(op, ATTR_order);
  const int rank = order->as.ints.count;
  bool identity = true;
  for (int i = 0; i < rank; i++) identity &= order->as.ints.items[i] == i;
  if (identity) return identity_cast(b, op);
  const Op *inner = operand_of_kind(op, 0, OP_trans);
  if (!inner) return shape_of_splat(b, op);
  const Attr *first = op_attr(inner, ATTR_order);
  int64_t both[MAX_RANK];
  for (int i = 0; i < rank; i++) {
    both[i] = first->as.ints.items[order->as.ints.items[i]];
  }
  Value *x = op_operand(inner, 0);
  Value *value = build_trans(b, op_result(op)->type, x);
  op_set_ints(b->m, value->def, ATTR_order, both, rank);
  return value;
}

// Along an axis of size 1 every index selects the one element.  With layouts
// assigned, the source's may not be broadcast to the result's.
static Value *gather(Builder *b, Op *op) {
  Value *source = op_operand(op, 0), *index = op_operand(op, 1);
  const Type *type = op_result(op)->type;
  if (source->type->shape[op_int(op, ATTR_axis)] != 1) return NULL;
  if (type_is_pointer(type) || type->layout) return NULL;
  Value *zero =
      type_is_float(type) ? build_float(b, type, 0) : build_int(b, type, 0);
  Value *picked =
      build_cmp(b, OP_cmpi, PREDICATE_eq, index, build_int(b, index->type, 0));
  Value *element = build_broadcast(b, type, source);
  return build_select(b, type, picked, element, zero);
}

// -- Elementwise -------------------------------------------------------------

// The scalar value of all elements of `value`; NULL if none exists.
static Value *scalar_of(Builder *b, Value *value) {
  if (!type_is_tile(value->type)) return value;
  const Op *splat = value_def(value, OP_splat);
  if (splat) return op_operand(splat, 0);
  const Attr *attr;
  if (!value_is_constant(value, &attr)) return NULL;
  const Type *type = type_element(value->type);
  Value *scalar = build_value(b, OP_constant, 0, NULL, type);
  op_set_attr(b->m, scalar->def, *attr);
  return scalar;
}

static bool is_uniform(const Value *value) {
  return !type_is_tile(value->type) || value_def(value, OP_splat) ||
         value_def(value, OP_constant);
}

// An op on splats becomes an op on the scalars.
static Value *of_splats(Builder *b, Op *op) {
  if (!op_has(op, TRAIT_ELEMENTWISE) || op->num_results != 1) return NULL;
  if (!type_is_tile(op_result(op)->type) || op->num_operands > 3) return NULL;
  bool any_splat = false;
  for (int i = 0; i < op->num_operands; i++) {
    if (!is_uniform(op_operand(op, i))) return NULL;
    any_splat |= operand_of_kind(op, i, OP_splat) != NULL;
  }
  if (!any_splat) return NULL; // left to folding
  Value *scalars[3];
  for (int i = 0; i < op->num_operands; i++) {
    scalars[i] = scalar_of(b, op_operand(op, i));
  }
  const Type *type = op_result(op)->type;
  Value *x =
      build_value(b, op->kind, op->num_operands, scalars, type_element(type));
  op_copy_attrs(b->m, x->def, op);
  return build_splat(b, type, x);
}

static bool is_constant(const Value *value) {
  return value_def(value, OP_constant) != NULL;
}

static Value *constant_to_the_right(Builder *b, Op *op) {
  if (!op_has(op, TRAIT_COMMUTE) || op->num_operands != 2) return NULL;
  Value *x = op_operand(op, 0), *y = op_operand(op, 1);
  if (!is_constant(x) || is_constant(y)) return NULL;
  return build_value(b, op->kind, 2, (Value *[]){y, x}, op_result(op)->type);
}

// (x + c) + d = x + (c + d), also for other ops that wrap or are bitwise.
static Value *reassociate(Builder *b, Op *op) {
  const Op *inner = operand_of_kind(op, 0, op->kind);
  int64_t c, d;
  if (!inner || !value_constant_int(op_operand(op, 1), &d)) return NULL;
  if (!value_constant_int(op_operand(inner, 1), &c)) return NULL;
  const uint64_t x = (uint64_t)c, y = (uint64_t)d;
  const uint64_t both = op->kind == OP_addi   ? x + y
                        : op->kind == OP_muli ? x * y
                        : op->kind == OP_andi ? (x & y)
                        : op->kind == OP_ori  ? (x | y)
                                              : x ^ y;
  const Type *type = op_result(op)->type;
  Value *constant = build_int(b, type, (int64_t)both);
  return build_value(b, op->kind, 2,
                     (Value *[]){op_operand(inner, 0), constant}, type);
}

static Value *select(Builder *b, Op *op) {
  Value *condition = op_operand(op, 0), *x = op_operand(op, 1),
        *y = op_operand(op, 2);
  int64_t yes, no;
  if (x == y) return x;
  if (!type_is_bool(x->type) || condition->type != x->type) return NULL;
  if (!value_constant_int(x, &yes) || !value_constant_int(y, &no)) return NULL;
  if (yes && !no) return condition;
  if (yes || !no) return NULL;
  return build_xori(b, x->type, condition, build_int(b, x->type, 1));
}

static Predicate inverse(Predicate predicate) {
  switch (predicate) {
  case PREDICATE_eq: return PREDICATE_ne;
  case PREDICATE_ne: return PREDICATE_eq;
  case PREDICATE_lt: return PREDICATE_ge;
  case PREDICATE_le: return PREDICATE_gt;
  case PREDICATE_gt: return PREDICATE_le;
  case PREDICATE_ge: return PREDICATE_lt;
  case PREDICATE_ult: return PREDICATE_uge;
  case PREDICATE_ule: return PREDICATE_ugt;
  case PREDICATE_ugt: return PREDICATE_ule;
  case PREDICATE_uge: return PREDICATE_ult;
  }
  return predicate;
}

// not (x < y) = x >= y; for floats, only eq and ne.
static Value *not_of_comparison(Builder *b, Op *op) {
  int64_t ones;
  const Op *compare = op_operand(op, 0)->def;
  if (!type_is_bool(op_result(op)->type) || !compare) return NULL;
  if (!value_constant_int(op_operand(op, 1), &ones) || !ones) return NULL;
  if (compare->kind != OP_cmpi && compare->kind != OP_cmpf) return NULL;
  const Predicate predicate = (Predicate)op_int(compare, ATTR_predicate);
  const bool either = predicate == PREDICATE_eq || predicate == PREDICATE_ne;
  if (compare->kind == OP_cmpf && !either) return NULL;
  return build_cmp(b, compare->kind, inverse(predicate), op_operand(compare, 0),
                   op_operand(compare, 1));
}

// -- Conversions -------------------------------------------------------------

static Value *narrowed(Builder *b, Op *op) {
  (void)b;
  const Op *wide = op_operand(op, 0)->def;
  if (!wide || (wide->kind != OP_extsi && wide->kind != OP_extui)) return NULL;
  Value *x = op_operand(wide, 0);
  return x->type == op_result(op)->type ? x : NULL;
}

// extsi(extui(x)) = extui(x): the sign bit is 0.
static Value *widened(Builder *b, Op *op) {
  const Op *inner = operand_of_kind(op, 0, OP_extui);
  if (!inner || op->kind != OP_extsi) return of_same_kind(b, op);
  return build_extui(b, op_result(op)->type, op_operand(inner, 0));
}

// The 32-bit value before an extension to `x`, or `x` as a constant of 32 bits;
// else NULL.
static Value *before_widening(Builder *b, Value *x) {
  const Op *wide = value_def(x, OP_extsi);
  if (wide) {
    Value *narrow = op_operand(wide, 0);
    return type_element_bits(narrow->type) == 32 ? narrow : NULL;
  }
  int64_t constant;
  if (!value_constant_int(x, &constant)) return NULL;
  if (int_wrap(constant, ELEM_i32) != constant) return NULL;
  return build_int(b, type_with_elem(&b->m->types, x->type, ELEM_i32),
                   constant);
}

static bool is_a_position(const Value *x) {
  return value_def(x, OP_program_id) || value_def(x, OP_arange);
}

// A division of extended values is done in 32 bits: 64 bits take ten times as
// long.  Only the smallest number divided by -1 would differ.
static Value *divided_narrow(Builder *b, Op *op) {
  Value *const from[] = {op_operand(op, 0), op_operand(op, 1)};
  if (!value_def(from[0], OP_extsi)) return NULL;
  if (type_element_bits(from[0]->type) != 64) return NULL;
  Value *x[] = {before_widening(b, from[0]), before_widening(b, from[1])};
  if (!x[0] || !x[1]) return NULL;
  if (op->kind == OP_divsi && !is_a_position(x[0])) return NULL;
  Value *narrow = build_value(b, op->kind, 2, x, x[0]->type);
  return build_value(b, OP_extsi, 1, &narrow, op_result(op)->type);
}

// Is the quotient by the same divisor needed, too, perhaps extended?
static bool is_divided(const Value *x) {
  for (const Use *use = x->uses; use; use = use->next) {
    if (use->user->kind == OP_divsi && use->index == 0) return true;
    if (use->user->kind != OP_extsi) continue;
    if (is_divided(op_result(use->user))) return true;
  }
  return false;
}

// A program's number is nonnegative: x % y = x % |y|, unsigned, which takes
// half of the instructions.  If the quotient by y is needed, the signed
// remainder is free.
static Value *unsigned_rest(Builder *b, Op *op) {
  Value *x = op_operand(op, 0), *y = op_operand(op, 1);
  int64_t constant;
  if (!value_def(x, OP_program_id) || value_constant_int(y, &constant)) {
    return NULL;
  }
  if (is_divided(x)) return NULL;
  Value *size = build_value(b, OP_absi, 1, &y, y->type);
  return build_value(b, OP_remui, 2, (Value *[]){x, size}, x->type);
}

static Value *round_trip(Builder *b, Op *op) {
  (void)b;
  const OpKind opposite = op->kind == OP_inttoptr ? OP_ptrtoint : OP_inttoptr;
  const Op *inner = operand_of_kind(op, 0, opposite);
  if (!inner) return NULL;
  Value *x = op_operand(inner, 0);
  return x->type == op_result(op)->type ? x : NULL;
}

// -- Addresses ---------------------------------------------------------------

// p + c + d = p + (c + d), if the sum fits the offsets' type.
static Value *addptr(Builder *b, Op *op) {
  const Op *inner = operand_of_kind(op, 0, OP_addptr);
  int64_t c, d, sum;
  Value *offset = op_operand(op, 1);
  if (!inner || !value_constant_int(offset, &d)) return NULL;
  if (!value_constant_int(op_operand(inner, 1), &c)) return NULL;
  if (op_operand(inner, 1)->type != offset->type) return NULL;
  if (__builtin_add_overflow(c, d, &sum)) return NULL;
  if (int_wrap(sum, offset->type->elem) != sum) return NULL;
  return build_addptr(b, op_result(op)->type, op_operand(inner, 0),
                      build_int(b, offset->type, sum));
}

// The larger one of two promises, as both are true.
static void add_promise(Module *m, Op *to, const Attr *attr) {
  const Attr *known = op_attr(to, attr->key);
  const int count = attr->as.ints.count;
  int64_t most[MAX_RANK];
  if (!known || count > MAX_RANK) {
    op_set_attr(m, to, *attr);
    return;
  }
  if (known->as.ints.count != count) return;
  for (int i = 0; i < count; i++) {
    const int64_t a = known->as.ints.items[i], b = attr->as.ints.items[i];
    most[i] = a > b ? a : b;
  }
  op_set_ints(m, to, attr->key, most, count);
}

static Value *hint(Builder *b, Op *op) {
  Op *inner = operand_of_kind(op, 0, OP_hint);
  if (!inner) return op->num_attrs ? NULL : op_operand(op, 0);
  Value *value = rebuilt(b, inner, op_operand(inner, 0));
  for (int i = 0; i < op->num_attrs; i++) {
    add_promise(b->m, value->def, &op->attrs[i]);
  }
  return value;
}

// -- Memory ------------------------------------------------------------------

static Value *plain_load(Builder *b, const Op *op) {
  Op *load = build_load(b, op_operand(op, 0), NULL, NULL);
  op_copy_attrs(b->m, load, op);
  return op_result(load);
}

// A mask that is all true is removed; one that is all false replaces the load.
static Value *load(Builder *b, Op *op) {
  Value *mask = op_group(op, 1), *other = op_group(op, 2);
  int64_t on;
  if (!mask) return other ? plain_load(b, op) : NULL;
  if (op_int(op, ATTR_volatile) || !value_constant_int(mask, &on)) return NULL;
  if (on) return plain_load(b, op);
  if (other) return other;
  const Type *type = op_result(op)->type;
  if (type_is_pointer(type)) return NULL;
  return type_is_float(type) ? build_float(b, type, 0) : build_int(b, type, 0);
}

// -- The table ---------------------------------------------------------------

const Rewrite canonical_rewrites[] = {
    {OP_COUNT, constant_to_the_right},
    {OP_COUNT, of_splats},
    {OP_broadcast, of_same_kind},
    {OP_broadcast, shape_of_splat},
    {OP_broadcast, identity_cast},
    {OP_expand_dims, shape_of_splat},
    {OP_reshape, reshape},
    {OP_trans, trans},
    {OP_gather, gather},
    {OP_convert_layout, of_same_kind},
    {OP_convert_layout, identity_cast},
    {OP_addi, reassociate},
    {OP_muli, reassociate},
    {OP_andi, reassociate},
    {OP_ori, reassociate},
    {OP_xori, reassociate},
    {OP_xori, not_of_comparison},
    {OP_select, select},
    {OP_divsi, divided_narrow},
    {OP_remsi, divided_narrow},
    {OP_remsi, unsigned_rest},
    {OP_trunci, narrowed},
    {OP_extsi, widened},
    {OP_extui, of_same_kind},
    {OP_extf, of_same_kind},
    {OP_bitcast, of_same_kind},
    {OP_bitcast, identity_cast},
    {OP_ptrtoint, round_trip},
    {OP_inttoptr, round_trip},
    {OP_addptr, addptr},
    {OP_hint, hint},
    {OP_load, load},
};
const int canonical_rewrite_count =
    sizeof canonical_rewrites / sizeof canonical_rewrites[0];
