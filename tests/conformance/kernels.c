// kernels.c -- from a case to its kernel.
#include "tests/conformance/conformance.h"

// -- Pieces ------------------------------------------------------------------

const Type *kernel_tile(Kernel *k, int rank, const int64_t *shape, Elem elem) {
  TypeTable *types = &k->b.m->types;
  const Type *scalar = type_scalar(types, elem);
  return rank ? type_tile(types, rank, shape, scalar, NULL) : scalar;
}

const Type *kernel_type(Kernel *k, Elem elem) {
  const Case *c = k->c;
  if (c->shape[0]) return kernel_tile(k, 2, c->shape, elem);
  return kernel_tile(k, c->shape[1] != 0, c->shape + 1, elem);
}

Value *kernel_scalar(Kernel *k, Elem elem, int64_t value) {
  return build_int(&k->b, kernel_tile(k, 0, NULL, elem), value);
}

static Value *splat(Kernel *k, const Type *like, Value *scalar) {
  if (!like->rank) return scalar;
  const Type *type =
      type_with_element(&k->b.m->types, like, type_element(scalar->type));
  return build_splat(&k->b, type, scalar);
}

// 0, 1, 2, … in row-major order, in the shape of `like`.
static Value *numbers(Kernel *k, const Type *like) {
  if (!like->rank) return kernel_scalar(k, ELEM_i32, 0);
  Value *line = build_arange(&k->b, 0, like->num_elements);
  const Type *type = type_with_elem(&k->b.m->types, like, ELEM_i32);
  return line->type == type ? line : build_reshape(&k->b, type, line);
}

static Value *pointers(Kernel *k, Value *base, Value *places) {
  const Type *type =
      type_with_element(&k->b.m->types, places->type, base->type);
  return build_addptr(&k->b, type, splat(k, places->type, base), places);
}

static Value *mask(Kernel *k, Value *places) {
  if (k->c->length == case_elements(k->c)) return NULL;
  Value *n = splat(k, places->type, k->args[NUM_INPUTS + 1]);
  return build_cmp(&k->b, OP_cmpi, PREDICATE_lt, places, n);
}

Value *kernel_absolute(Kernel *k, Value *value) {
  if (!k->magnitudes || !type_is_float(value->type)) return value;
  if (elem_info[value->type->elem].bits > 8) {
    return build_absf(&k->b, value->type, value);
  }
  TypeTable *types = &k->b.m->types;
  const Type *wide = type_with_elem(types, value->type, ELEM_f32);
  Value *x = build_absf(&k->b, wide, build_extf(&k->b, wide, value));
  return build_truncf(&k->b, value->type, x);
}

Value *kernel_input(Kernel *k, int input) {
  Value *places = numbers(k, kernel_type(k, ELEM_i32));
  Value *from = pointers(k, k->args[input], places);
  return op_result(build_load(&k->b, from, mask(k, places), NULL));
}

Value *kernel_read(Kernel *k, int input, int rank, const int64_t *shape) {
  Value *places = numbers(k, kernel_tile(k, rank, shape, ELEM_i32));
  Value *from = pointers(k, k->args[input], places);
  return op_result(build_load(&k->b, from, NULL, NULL));
}

void kernel_write(Kernel *k, Value *value, bool masked) {
  Value *places = numbers(k, value->type);
  Value *to = pointers(k, k->args[NUM_INPUTS], places);
  build_store(&k->b, to, value, masked ? mask(k, places) : NULL);
}

Value *kernel_fold(Kernel *k, OpKind kind, OpKind combine, Value *value,
                   int axis, bool reverse) {
  Op *op = kind == OP_reduce ? build_reduce(&k->b, axis, 1, &value)
                             : build_scan(&k->b, axis, reverse, 1, &value);
  Block *region = op->regions[0];
  Builder b = builder_at_end(k->b.m, region, op->loc);
  Value *args[] = {&region->args[0], &region->args[1]};
  Value *result = build_value(&b, combine, 2, args, args[0]->type);
  build_yield(&b, 1, &result);
  return op_result(op);
}

// -- One line of elements ----------------------------------------------------

static Value *elementwise(Kernel *k) {
  Value *operands[NUM_INPUTS];
  const int count = op_info[k->c->op].num_operands;
  for (int i = 0; i < count; i++) operands[i] = kernel_input(k, i);
  return build_value(&k->b, k->c->op, count, operands,
                     kernel_type(k, k->c->elem));
}

static Value *fused(Kernel *k) {
  Value *x[NUM_INPUTS];
  for (int i = 0; i < NUM_INPUTS; i++) {
    x[i] = kernel_absolute(k, kernel_input(k, i));
  }
  Value *product = build_mulf(&k->b, x[0]->type, x[0], x[1]);
  const Type *type = x[2]->type;
  switch (k->magnitudes ? FUSED_ADD : (Fused)k->c->variant) {
  case FUSED_LESS: return build_subf(&k->b, type, product, x[2]);
  case FUSED_FROM: return build_subf(&k->b, type, x[2], product);
  default: return build_addf(&k->b, type, product, x[2]);
  }
}

// An i1 is stored as a byte.
static Value *as_byte(Kernel *k, Value *flag) {
  return build_extui(&k->b, kernel_type(k, ELEM_i8), flag);
}

static Value *logic(Kernel *k) {
  Value *flags[NUM_INPUTS];
  for (int i = 0; i < 2; i++) {
    Value *x = kernel_input(k, i);
    flags[i] = build_cmp(&k->b, OP_cmpi, PREDICATE_ne, x,
                         build_int(&k->b, x->type, 0));
  }
  return as_byte(k, build_value(&k->b, k->c->op, 2, flags, flags[0]->type));
}

static Value *compare(Kernel *k) {
  Value *x = kernel_input(k, 0), *y = kernel_input(k, 1);
  return as_byte(k, build_cmp(&k->b, k->c->op, (Predicate)k->c->variant, x, y));
}

static Value *selection(Kernel *k) {
  Value *x = kernel_input(k, 0), *y = kernel_input(k, 1);
  Value *places = numbers(k, kernel_type(k, ELEM_i32));
  Value *condition;
  if (k->c->variant) { // one condition for all elements
    condition = build_cmp(&k->b, OP_cmpi, PREDICATE_gt, k->args[NUM_INPUTS + 1],
                          kernel_scalar(k, ELEM_i32, 16));
  } else {
    Value *three = build_int(&k->b, places->type, 3);
    Value *left = build_remsi(&k->b, places->type, places, three);
    condition = build_cmp(&k->b, OP_cmpi, PREDICATE_eq, left,
                          build_int(&k->b, places->type, 0));
  }
  return build_select(&k->b, x->type, condition, x, y);
}

static Value *convert(Kernel *k) {
  Value *x = kernel_input(k, 0);
  Value *result =
      build_value(&k->b, k->c->op, 1, &x, kernel_type(k, k->c->elem));
  if (k->c->variant) {
    op_set_int(k->b.m, result->def, ATTR_rounding, ROUNDING_rtz);
  }
  return result;
}

// -- Sums --------------------------------------------------------------------

static void build_reduce_case(Kernel *k) {
  const Case *c = k->c;
  const bool in_line = c->op == OP_reduce && c->from == 2;
  const int64_t line[] = {c->shape[0] * c->shape[1]};
  Value *x = kernel_absolute(k, in_line ? kernel_read(k, 0, 1, line)
                                        : kernel_read(k, 0, 2, c->shape));
  kernel_write(k,
               kernel_fold(k, c->op, (OpKind)c->variant, x, (int)c->from % 2,
                           c->from / 2 != 0),
               false);
}

static Value *read_matrix(Kernel *k, int input, int64_t rows, int64_t columns) {
  const int64_t shape[] = {k->c->batches, rows, columns};
  const int skipped = !k->c->batches;
  return kernel_absolute(k,
                         kernel_read(k, input, 3 - skipped, shape + skipped));
}

static void build_dot_case(Kernel *k) {
  const int64_t *s = k->c->shape;
  Value *x = read_matrix(k, 0, s[0], s[2]), *y = read_matrix(k, 1, s[2], s[1]);
  Value *acc = read_matrix(k, 2, s[0], s[1]);
  Value *result = build_dot(&k->b, acc->type, x, y, acc);
  op_set_int(k->b.m, result->def, ATTR_precision, k->c->variant);
  kernel_write(k, result, false);
}

// -- Atomics -----------------------------------------------------------------

// Each lane updates a place of its own, and writes the old value behind all
// places; for even lengths two lanes share a place instead.
static void build_atomic_case(Kernel *k) {
  const Case *c = k->c;
  Value *places = numbers(k, kernel_type(k, ELEM_i32));
  Value *some = mask(k, places);
  const bool cas = c->op == OP_atomic_cas;
  const bool writes = c->variant == RMW_xchg || c->variant == RMW_store;
  const bool share = c->length % 2 == 0 && !cas && !writes;
  Value *at = places;
  if (share) {
    at = build_divsi(&k->b, at->type, at, build_int(&k->b, at->type, 2));
  }
  Value *to = pointers(k, k->args[NUM_INPUTS], at);
  Value *x = kernel_input(k, 0);
  Value *operands[] = {to, cas ? kernel_input(k, 1) : x, cas ? x : some};
  const int sizes[] = {1, 1, cas || some != NULL};
  Op *op = build_op(&k->b, c->op, 2 + sizes[2], operands, sizes, 1, &x->type);
  if (!cas) op_set_int(k->b.m, op, ATTR_kind, c->variant);
  if (share) return;
  Value *behind = build_int(&k->b, at->type, case_elements(c));
  at = build_addi(&k->b, at->type, at, behind);
  build_store(&k->b, pointers(k, k->args[NUM_INPUTS], at), op_result(op), some);
}

// -- Kernels -----------------------------------------------------------------

static void build_line_case(Kernel *k) {
  switch (k->c->family) {
  case FAMILY_ELEMENTWISE:
    kernel_write(k, k->c->elem == ELEM_i1 ? logic(k) : elementwise(k), true);
    return;
  case FAMILY_FUSED: kernel_write(k, fused(k), true); return;
  case FAMILY_COMPARE: kernel_write(k, compare(k), true); return;
  case FAMILY_SELECT: kernel_write(k, selection(k), true); return;
  default: kernel_write(k, convert(k), true); return;
  }
}

static void build_body(Kernel *k) {
  switch (k->c->family) {
  case FAMILY_SHAPE: build_shape_case(k); return;
  case FAMILY_REDUCE: build_reduce_case(k); return;
  case FAMILY_DOT: build_dot_case(k); return;
  case FAMILY_ATOMIC: build_atomic_case(k); return;
  case FAMILY_BLOCK: build_block_case(k); return;
  case FAMILY_CONTROL: build_control_case(k); return;
  default: build_line_case(k); return;
  }
}

// Memory has no i1.
static Elem stored(Elem elem) {
  return elem == ELEM_i1 ? ELEM_i8 : elem;
}

Function *case_build(Module *m, const Case *c, const char *name,
                     bool magnitudes) {
  const Type *types[NUM_INPUTS + 2];
  for (int i = 0; i <= NUM_INPUTS; i++) {
    const Elem elem = i < NUM_INPUTS ? case_input_elem(c, i) : c->elem;
    types[i] = type_pointer(&m->types, type_scalar(&m->types, stored(elem)),
                            SPACE_GLOBAL);
  }
  types[NUM_INPUTS + 1] = type_scalar(&m->types, ELEM_i32);
  Function *f = function_create(m, name, (SrcLoc){0}, NUM_INPUTS + 2, types);
  function_set_attr(f, (Attr){.key = ATTR_num_warps, .as.i = c->warps});
  Kernel k = {builder_at_end(m, f->body, f->loc), c, magnitudes, {0}};
  for (int i = 0; i < NUM_INPUTS + 2; i++) k.args[i] = &f->body->args[i];
  build_body(&k);
  build_return(&k.b);
  return f;
}
