// random_ir.c -- random kernels: values, and the kernel around the statements.
#include "random_gen.h"

#include <math.h>

bool gen_chance(Gen *g, int percent) {
  return random_below(&g->random, 100) < percent;
}

// -- Types -------------------------------------------------------------------

const Type *gen_type(Gen *g, Shape shape, Elem elem) {
  const int64_t r = g->rows, c = g->columns;
  const int64_t shapes[SHAPE_COUNT][2] = {[SHAPE_ROW] = {r},
                                          [SHAPE_COLUMN] = {c},
                                          [SHAPE_BOX] = {r, c},
                                          [SHAPE_TURNED] = {c, r},
                                          [SHAPE_FLAT] = {r * c}};
  const Type *scalar = type_scalar(&g->b.m->types, elem);
  if (shape == SHAPE_SCALAR) return scalar;
  const int rank = shape == SHAPE_BOX || shape == SHAPE_TURNED ? 2 : 1;
  return type_tile(&g->b.m->types, rank, shapes[shape], scalar, NULL);
}

Shape gen_shape(Gen *g) {
  return (Shape)random_below(&g->random, SHAPE_COUNT);
}

Elem gen_elem(Gen *g) {
  static const Elem elems[] = {ELEM_i1,  ELEM_i8,  ELEM_i16, ELEM_i32,
                               ELEM_i32, ELEM_i64, ELEM_f16, ELEM_bf16,
                               ELEM_f32, ELEM_f32, ELEM_f64};
  return elems[random_below(&g->random, 11)];
}

static bool is_float(Elem elem) {
  return elem_info[elem].is_float;
}

static bool is_f8(Elem elem) {
  return elem == ELEM_f8e5 || elem == ELEM_f8e4nv;
}

// -- Scope -------------------------------------------------------------------

Value *gen_keep(Gen *g, Value *value) {
  vec_push(g->b.m->arena, &g->scope, value);
  return value;
}

static Value *in_scope(Gen *g, const Type *type) {
  const int count = (int)g->scope.count;
  if (!count) return NULL;
  const int start = random_below(&g->random, count);
  for (int i = 0; i < count; i++) {
    Value *value = g->scope.items[(start + i) % count];
    if (value->type == type) return value;
  }
  return NULL;
}

// -- Leaves ------------------------------------------------------------------

Value *gen_int(Gen *g, Shape shape, Elem elem, int64_t value) {
  return build_int(&g->b, gen_type(g, shape, elem), value);
}

static Value *make_constant(Gen *g, Shape shape, Elem elem) {
  static const double floats[] = {0, -0.0, 1, -1, 0.5, 3, -2.75, 1e30, 6e-8};
  const Type *type = gen_type(g, shape, elem);
  if (is_float(elem)) {
    return build_float(&g->b, type, floats[random_below(&g->random, 9)]);
  }
  const int64_t any = (int64_t)random_next(&g->random);
  return build_int(&g->b, type, gen_chance(g, 70) ? any % 9 : any);
}

Value *gen_linear(Gen *g, Shape shape) {
  if (shape == SHAPE_SCALAR) {
    return gen_int(g, shape, ELEM_i32, random_below(&g->random, RANDOM_SLICE));
  }
  const Type *type = gen_type(g, shape, ELEM_i32);
  Value *line = build_arange(&g->b, 0, type->num_elements);
  return line->type == type ? line : build_reshape(&g->b, type, line);
}

// -- Casts -------------------------------------------------------------------

static Value *cast_with(Gen *g, OpKind kind, Value *value, Elem to) {
  const Type *type = type_with_elem(&g->b.m->types, value->type, to);
  return build_value(&g->b, kind, 1, &value, type);
}

static Value *cast_float(Gen *g, Value *value, Elem to) {
  const int change = elem_info[to].bits - elem_info[value->type->elem].bits;
  if (change > 0) return cast_with(g, OP_extf, value, to);
  if (change == 0) { // f16 and bf16, or the two 8-bit floats
    return cast_with(g, OP_truncf, cast_with(g, OP_extf, value, ELEM_f32), to);
  }
  Value *result = cast_with(g, OP_truncf, value, to);
  if (gen_chance(g, 20)) {
    op_set_int(g->b.m, result->def, ATTR_rounding, ROUNDING_rtz);
  }
  return result;
}

static Value *cast_to_bool(Gen *g, Value *value) {
  const bool floats = is_float(value->type->elem);
  Value *zero = floats ? build_float(&g->b, value->type, 0)
                       : build_int(&g->b, value->type, 0);
  return build_cmp(&g->b, floats ? OP_cmpf : OP_cmpi, PREDICATE_ne, value,
                   zero);
}

static Value *cast_from_int(Gen *g, Value *value, Elem to) {
  const Elem from = value->type->elem;
  const bool is_signed = gen_chance(g, 50);
  if (is_f8(to)) {
    return cast_float(g, cast_with(g, OP_sitofp, value, ELEM_f32), to);
  }
  if (is_float(to)) {
    return cast_with(g, is_signed ? OP_sitofp : OP_uitofp, value, to);
  }
  if (elem_info[to].bits < elem_info[from].bits) {
    return cast_with(g, OP_trunci, value, to);
  }
  return cast_with(g, is_signed ? OP_extsi : OP_extui, value, to);
}

Value *gen_cast(Gen *g, Value *value, Elem to) {
  const Elem from = value->type->elem;
  if (from == to) return value;
  const bool same_width = elem_info[from].bits == elem_info[to].bits;
  // The bits of a NaN differ between devices.
  const bool may_show_nan = g->exact && is_float(from);
  if (same_width && !may_show_nan && gen_chance(g, 40)) {
    return cast_with(g, OP_bitcast, value, to);
  }
  if (!is_float(from)) {
    return to == ELEM_i1 ? cast_to_bool(g, value) : cast_from_int(g, value, to);
  }
  if (is_float(to)) return cast_float(g, value, to);
  if (is_f8(from)) value = cast_with(g, OP_extf, value, ELEM_f32);
  if (to == ELEM_i1) return cast_to_bool(g, value);
  return cast_with(g, gen_chance(g, 50) ? OP_fptosi : OP_fptoui, value, to);
}

// -- Elementwise -------------------------------------------------------------

static bool is_inexact(OpKind kind) {
  return kind == OP_divf || kind == OP_sqrt || kind == OP_rsqrt ||
         (kind >= OP_exp && kind <= OP_erf);
}

static bool is_allowed(const Gen *g, OpKind kind, Elem elem) {
  if (is_float(elem)) {
    return op_info[kind].rule == RULE_FLOATS && !(g->exact && is_inexact(kind));
  }
  if (op_info[kind].rule != RULE_INTS) return false;
  return elem != ELEM_i1 || kind == OP_andi || kind == OP_ori ||
         kind == OP_xori;
}

static OpKind arithmetic(Gen *g, Elem elem) {
  OpKind kind;
  do {
    kind = (OpKind)random_below(&g->random, OP_COUNT);
  } while (!is_allowed(g, kind, elem));
  return kind;
}

static Value *make_arithmetic(Gen *g, Shape shape, Elem elem, int depth) {
  if (is_f8(elem)) return make_constant(g, shape, elem);
  const OpKind kind = arithmetic(g, elem);
  Value *operands[3];
  for (int i = 0; i < op_info[kind].num_operands; i++) {
    operands[i] = gen_value(g, shape, elem, depth + 1);
  }
  return build_value(&g->b, kind, op_info[kind].num_operands, operands,
                     gen_type(g, shape, elem));
}

static Value *make_compare(Gen *g, Shape shape, int depth) {
  const Elem elem = gen_elem(g);
  const int predicates = is_float(elem) ? PREDICATE_ge + 1 : PREDICATE_uge + 1;
  const Predicate predicate = (Predicate)random_below(&g->random, predicates);
  Value *x = gen_value(g, shape, elem, depth + 1);
  Value *y = gen_value(g, shape, elem, depth + 1);
  return build_cmp(&g->b, is_float(elem) ? OP_cmpf : OP_cmpi, predicate, x, y);
}

static Value *make_select(Gen *g, Shape shape, Elem elem, int depth) {
  const Shape asked = gen_chance(g, 30) ? SHAPE_SCALAR : shape;
  Value *condition = gen_value(g, asked, ELEM_i1, depth + 1);
  Value *x = gen_value(g, shape, elem, depth + 1);
  Value *y = gen_value(g, shape, elem, depth + 1);
  return build_select(&g->b, x->type, condition, x, y);
}

// -- Shapes ------------------------------------------------------------------

static Value *reshaped(Gen *g, Value *value, Shape shape) {
  return build_reshape(&g->b, gen_type(g, shape, value->type->elem), value);
}

static Value *make_turned(Gen *g, Shape from, Shape to, Elem elem, int depth) {
  static const int64_t order[] = {1, 0};
  Value *value = gen_value(g, from, elem, depth + 1);
  Value *result = build_trans(&g->b, gen_type(g, to, elem), value);
  op_set_ints(g->b.m, result->def, ATTR_order, order, 2);
  return result;
}

// A row or a column broadcast to the box.
static Value *make_spread(Gen *g, Elem elem, int depth) {
  const bool row = gen_chance(g, 50);
  Value *line = gen_value(g, row ? SHAPE_ROW : SHAPE_COLUMN, elem, depth + 1);
  const int64_t shape[] = {row ? g->rows : 1, row ? 1 : g->columns};
  const Type *thin =
      type_tile(&g->b.m->types, 2, shape, type_element(line->type), NULL);
  Value *wide = build_expand_dims(&g->b, thin, line);
  op_set_int(g->b.m, wide->def, ATTR_axis, row ? 1 : 0);
  return build_broadcast(&g->b, gen_type(g, SHAPE_BOX, elem), wide);
}

static Value *make_moved(Gen *g, Shape shape, Elem elem, int depth) {
  switch (shape) {
  case SHAPE_SCALAR:
    return gen_reduce(g, gen_value(g, SHAPE_ROW, elem, depth + 1), 0);
  case SHAPE_ROW:
    return gen_reduce(g, gen_value(g, SHAPE_BOX, elem, depth + 1), 1);
  case SHAPE_COLUMN:
    return gen_reduce(g, gen_value(g, SHAPE_BOX, elem, depth + 1), 0);
  case SHAPE_BOX:
    if (gen_chance(g, 50)) return make_spread(g, elem, depth);
    return make_turned(g, SHAPE_TURNED, SHAPE_BOX, elem, depth);
  case SHAPE_TURNED:
    return make_turned(g, SHAPE_BOX, SHAPE_TURNED, elem, depth);
  default: return reshaped(g, gen_value(g, SHAPE_BOX, elem, depth + 1), shape);
  }
}

static Value *make_splat(Gen *g, Shape shape, Elem elem, int depth) {
  Value *value = gen_value(g, SHAPE_SCALAR, elem, depth + 1);
  if (shape == SHAPE_SCALAR) return value;
  return build_splat(&g->b, gen_type(g, shape, elem), value);
}

// -- Values ------------------------------------------------------------------

static Value *make_value(Gen *g, Shape shape, Elem elem, int depth) {
  switch (random_below(&g->random, 10)) {
  case 0: return make_constant(g, shape, elem);
  case 1: return gen_cast(g, gen_linear(g, shape), elem);
  case 2: return gen_cast(g, gen_value(g, shape, gen_elem(g), depth + 1), elem);
  case 3: return make_splat(g, shape, elem, depth);
  case 4: return make_moved(g, shape, elem, depth);
  case 5: return make_select(g, shape, elem, depth);
  case 6:
    if (elem == ELEM_i1) return make_compare(g, shape, depth);
    return make_arithmetic(g, shape, elem, depth);
  default: return make_arithmetic(g, shape, elem, depth);
  }
}

enum { MAX_DEPTH = 4 };

Value *gen_value(Gen *g, Shape shape, Elem elem, int depth) {
  Value *known = in_scope(g, gen_type(g, shape, elem));
  if (known && (depth >= MAX_DEPTH || gen_chance(g, 20 + 20 * depth))) {
    return known;
  }
  if (depth >= MAX_DEPTH) return gen_keep(g, make_constant(g, shape, elem));
  return gen_keep(g, make_value(g, shape, elem, depth));
}

// -- The kernel --------------------------------------------------------------

static const Type *param_type(Module *m, int index) {
  const Type *i32 = type_scalar(&m->types, ELEM_i32);
  const Type *f32 = type_scalar(&m->types, ELEM_f32);
  if (index >= RANDOM_POINTERS) return index == RANDOM_POINTERS ? i32 : f32;
  return type_pointer(&m->types, type_scalar(&m->types, random_elem(index / 2)),
                      SPACE_GLOBAL);
}

static Function *make_function(Module *m) {
  const Type *types[RANDOM_ARGS];
  for (int i = 0; i < RANDOM_ARGS; i++) types[i] = param_type(m, i);
  return function_create(m, "random", (SrcLoc){0}, RANDOM_ARGS, types);
}

// Each program has a slice of every output.
static void begin(Gen *g, Function *f) {
  Value *pid = gen_keep(g, build_program_id(&g->b, 0));
  Value *slice = gen_int(g, SHAPE_SCALAR, ELEM_i32, RANDOM_SLICE);
  Value *start = build_muli(&g->b, pid->type, pid, slice);
  for (int i = 0; i < RANDOM_ELEMS; i++) {
    Value *out = &f->body->args[2 * i + 1];
    g->inputs[random_elem(i)] = &f->body->args[2 * i];
    g->outputs[random_elem(i)] = build_addptr(&g->b, out->type, out, start);
  }
  gen_keep(g, &f->body->args[RANDOM_POINTERS]);
  gen_keep(g, &f->body->args[RANDOM_POINTERS + 1]);
}

// Loads values that no pass can know.
static void load_inputs(Gen *g) {
  for (int i = 0; i < 16; i++) {
    const Elem elem = gen_elem(g);
    if (elem != ELEM_i1) gen_load_input(g, gen_shape(g), elem);
  }
}

// Stores the last computed value, so that it is not dead.
static void store_outputs(Gen *g) {
  for (int i = 0; i < 30; i++) {
    const Shape shape = gen_shape(g);
    const Elem elem = gen_elem(g);
    if (elem == ELEM_i1) continue;
    Value *value = in_scope(g, gen_type(g, shape, elem));
    if (value) gen_store_output(g, value, shape);
  }
}

Function *random_kernel(Module *m, const RandomSpec *spec) {
  Function *f = make_function(m);
  Gen g = {.b = builder_at_end(m, f->body, f->loc),
           .random = {spec->seed},
           .exact = spec->exact,
           .once = spec->once,
           .fuel = spec->size};
  g.rows = 1 << random_below(&g.random, spec->largest + 1);
  g.columns = 1 << random_below(&g.random, spec->largest + 1);
  begin(&g, f);
  load_inputs(&g);
  gen_statements(&g, spec->size);
  store_outputs(&g);
  build_return(&g.b);
  return f;
}
