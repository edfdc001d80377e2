// random_statements.c -- random kernels: memory, regions, the larger ops.
#include "random_gen.h"

// -- Reductions --------------------------------------------------------------

// An op that is exactly associative and commutative; or a sum of floats.
static OpKind combiner(Gen *g, Elem elem) {
  static const OpKind ints[] = {OP_addi,  OP_andi,  OP_ori,   OP_xori, OP_maxsi,
                                OP_maxui, OP_minsi, OP_minui, OP_muli};
  static const OpKind floats[] = {OP_maxf,     OP_minf, OP_maximumf,
                                  OP_minimumf, OP_addf, OP_mulf};
  if (elem == ELEM_i1) return ints[1 + random_below(&g->random, 3)];
  if (!elem_info[elem].is_float) return ints[random_below(&g->random, 9)];
  return floats[random_below(&g->random, g->exact ? 4 : 6)];
}

static bool is_f8(Elem elem) {
  return elem == ELEM_f8e5 || elem == ELEM_f8e4nv;
}

static Op *fold_op(Gen *g, OpKind kind, Value *value, int axis) {
  Op *op = kind == OP_reduce
               ? build_reduce(&g->b, axis, 1, &value)
               : build_scan(&g->b, axis, gen_chance(g, 50), 1, &value);
  Block *region = op->regions[0];
  Builder inner = builder_at_end(g->b.m, region, op->loc);
  Value *args[] = {&region->args[0], &region->args[1]};
  Value *result = build_value(&inner, combiner(g, value->type->elem), 2, args,
                              args[0]->type);
  build_yield(&inner, 1, &result);
  return op;
}

Value *gen_reduce(Gen *g, Value *value, int axis) {
  const Elem elem = value->type->elem;
  if (is_f8(elem)) value = gen_cast(g, value, ELEM_f32);
  Value *result = op_result(fold_op(g, OP_reduce, value, axis));
  return is_f8(elem) ? gen_cast(g, result, elem) : result;
}

static void add_scan(Gen *g) {
  const Shape shape = (Shape)(1 + random_below(&g->random, SHAPE_COUNT - 1));
  Value *value = gen_value(g, shape, gen_elem(g), 0);
  const int axis = random_below(&g->random, value->type->rank);
  gen_keep(g, op_result(fold_op(g, OP_scan, value, axis)));
}

// The largest element and its index, the first of equal ones.
static void add_argmax(Gen *g) {
  Value *inputs[] = {gen_value(g, SHAPE_BOX, ELEM_i32, 0),
                     gen_linear(g, SHAPE_BOX)};
  Op *op = build_reduce(&g->b, random_below(&g->random, 2), 2, inputs);
  Block *region = op->regions[0];
  Builder b = builder_at_end(g->b.m, region, op->loc);
  Value *a = &region->args[0], *i = &region->args[1];
  Value *c = &region->args[2], *k = &region->args[3];
  Value *more = build_cmp(&b, OP_cmpi, PREDICATE_gt, a, c);
  Value *same = build_cmp(&b, OP_cmpi, PREDICATE_eq, a, c);
  Value *left = build_cmp(&b, OP_cmpi, PREDICATE_lt, i, k);
  Value *tie = build_andi(&b, more->type, same, left);
  Value *first = build_ori(&b, more->type, more, tie);
  Value *results[] = {build_select(&b, a->type, first, a, c),
                      build_select(&b, i->type, first, i, k)};
  build_yield(&b, 2, results);
  gen_keep(g, &op->results[0]);
  gen_keep(g, &op->results[1]);
}

static Type const *square(Gen *g, Elem elem) {
  const int64_t shape[] = {g->rows, g->rows};
  return type_tile(&g->b.m->types, 2, shape, type_scalar(&g->b.m->types, elem),
                   NULL);
}

static void add_dot(Gen *g) {
  const bool bytes = g->exact || gen_chance(g, 50);
  const Elem from = bytes ? ELEM_i8 : ELEM_f16;
  const Elem to = bytes ? ELEM_i32 : ELEM_f32;
  const Type *type = square(g, to);
  Value *a = gen_value(g, SHAPE_BOX, from, 0);
  Value *b = gen_value(g, SHAPE_TURNED, from, 0);
  Value *acc = bytes ? build_int(&g->b, type, 3) : build_float(&g->b, type, 3);
  Value *product = build_dot(&g->b, type, a, b, acc);
  gen_keep(g, gen_reduce(g, product, random_below(&g->random, 2)));
}

// -- Memory ------------------------------------------------------------------

static Elem memory_elem(Gen *g) {
  return random_elem(random_below(&g->random, RANDOM_ELEMS));
}

static Value *pointers(Gen *g, Value *base, Value *offsets) {
  TypeTable *types = &g->b.m->types;
  const Type *type = type_with_element(types, offsets->type, base->type);
  if (offsets->type->rank) base = build_splat(&g->b, type, base);
  return build_addptr(&g->b, type, base, offsets);
}

static Value *any_mask(Gen *g, Shape shape, int percent) {
  return gen_chance(g, percent) ? gen_value(g, shape, ELEM_i1, 1) : NULL;
}

// Random offsets within a slice.
static Value *any_places(Gen *g, Shape shape) {
  Value *any = gen_value(g, shape, ELEM_i32, 1);
  return build_andi(&g->b, any->type, any,
                    build_int(&g->b, any->type, RANDOM_SLICE - 1));
}

static void add_load(Gen *g) {
  const Shape shape = gen_shape(g);
  const Elem elem = memory_elem(g);
  Value *base = gen_chance(g, 70) ? g->inputs[elem] : g->outputs[elem];
  Value *places =
      gen_chance(g, 50) ? any_places(g, shape) : gen_linear(g, shape);
  Value *mask = any_mask(g, shape, 60);
  Value *other =
      mask && gen_chance(g, 50) ? gen_value(g, shape, elem, 1) : NULL;
  Value *value =
      op_result(build_load(&g->b, pointers(g, base, places), mask, other));
  gen_keep(g, value);
  if (is_f8(elem)) gen_keep(g, gen_cast(g, value, ELEM_f16));
}

static Elem storable(Gen *g) {
  Elem elem;
  do elem = gen_elem(g);
  while (elem == ELEM_i1);
  return elem;
}

void gen_load_input(Gen *g, Shape shape, Elem elem) {
  Value *line = gen_linear(g, shape);
  Value *turn =
      build_int(&g->b, line->type, random_below(&g->random, RANDOM_SLICE));
  Value *places = build_xori(&g->b, line->type, line, turn);
  Value *from = pointers(g, g->inputs[elem], places);
  gen_keep(g, op_result(build_load(&g->b, from, NULL, NULL)));
}

// Whether an output of the type may be written.
static bool may_write(Gen *g, Elem elem) {
  const bool may = !g->once || !g->written[elem];
  g->written[elem] = true;
  return may;
}

// Stores to distinct offsets.
void gen_store_output(Gen *g, Value *value, Shape shape) {
  if (!may_write(g, value->type->elem)) return;
  Value *line = gen_linear(g, shape);
  Value *turn =
      build_int(&g->b, line->type, random_below(&g->random, RANDOM_SLICE));
  Value *places = build_xori(&g->b, line->type, line, turn);
  build_store(&g->b, pointers(g, g->outputs[value->type->elem], places), value,
              any_mask(g, shape, 30));
}

static void add_store(Gen *g) {
  const Shape shape = gen_shape(g);
  const Elem elem = gen_chance(g, 20) ? memory_elem(g) : storable(g);
  gen_store_output(g, gen_value(g, shape, elem, 0), shape);
}

// Updates that may hit the same element; the old values are not used.
static void add_atomic(Gen *g) {
  if (g->once) return;
  static const Rmw kinds[] = {RMW_add,  RMW_max, RMW_min, RMW_umax,
                              RMW_umin, RMW_and, RMW_or,  RMW_xor};
  const Shape shape = gen_shape(g);
  const Elem elem = gen_chance(g, 50) ? ELEM_i32 : ELEM_i64;
  Value *value = gen_value(g, shape, elem, 0);
  Value *at = pointers(g, g->outputs[elem], any_places(g, shape));
  Value *mask = any_mask(g, shape, 50);
  Value *operands[] = {at, value, mask};
  const int sizes[] = {1, 1, mask != NULL};
  Op *op = build_op(&g->b, OP_atomic_rmw, 2 + (mask != NULL), operands, sizes,
                    1, &value->type);
  op_set_int(g->b.m, op, ATTR_kind, kinds[random_below(&g->random, 8)]);
}

// -- Block pointers ----------------------------------------------------------

// A tensor that fits a slice, and an offset in or around it.
typedef struct {
  Value *sizes[2], *strides[2], *offsets[2];
} Tensor;

static Tensor tensor(Gen *g) {
  const int64_t height = 1 + random_below(&g->random, 64);
  const int64_t width = 1 + random_below(&g->random, 64);
  Tensor t = {{gen_int(g, SHAPE_SCALAR, ELEM_i64, height),
               gen_int(g, SHAPE_SCALAR, ELEM_i64, width)},
              {gen_int(g, SHAPE_SCALAR, ELEM_i64, width),
               gen_int(g, SHAPE_SCALAR, ELEM_i64, 1)},
              {NULL, NULL}};
  for (int i = 0; i < 2; i++) {
    const int at = random_below(&g->random, 72) - 16;
    t.offsets[i] = gen_int(g, SHAPE_SCALAR, ELEM_i32, at);
  }
  return t;
}

static Value *block_pointer(Gen *g, Value *base) {
  const Tensor t = tensor(g);
  const int64_t shape[] = {g->rows, g->columns};
  const Type *type =
      type_block_pointer(&g->b.m->types, 2, shape, base->type->element);
  Value *ptr = build_make_block_ptr(&g->b, type, base, t.sizes, t.strides,
                                    t.offsets, NULL);
  if (gen_chance(g, 50)) return ptr;
  Value *steps[] = {gen_value(g, SHAPE_SCALAR, ELEM_i32, 1), t.offsets[1]};
  return build_advance(&g->b, ptr, steps);
}

static Value *descriptor(Gen *g, Value *base, const Tensor *t) {
  const int64_t shape[] = {g->rows, g->columns};
  const Type *type =
      type_descriptor(&g->b.m->types, 2, shape, base->type->element);
  Value *operands[] = {base, t->sizes[0], t->sizes[1], t->strides[0],
                       t->strides[1]};
  const int sizes[] = {1, 2, 2};
  Op *op = build_op(&g->b, OP_make_desc, 5, operands, sizes, 1, &type);
  if (gen_chance(g, 30)) op_set_int(g->b.m, op, ATTR_padding, PADDING_nan);
  return op_result(op);
}

static void add_load_desc(Gen *g) {
  const Elem elem = memory_elem(g);
  const Tensor t = tensor(g);
  Value *operands[] = {descriptor(g, g->inputs[elem], &t), t.offsets[0],
                       t.offsets[1]};
  const int sizes[] = {1, 2};
  const Type *type = gen_type(g, SHAPE_BOX, elem);
  gen_keep(g, op_result(
                  build_op(&g->b, OP_load_desc, 3, operands, sizes, 1, &type)));
}

static void add_store_desc(Gen *g) {
  const Elem elem = storable(g);
  if (!may_write(g, elem)) return;
  const Tensor t = tensor(g);
  Value *value = gen_value(g, SHAPE_BOX, elem, 0);
  Value *operands[] = {descriptor(g, g->outputs[elem], &t), value, t.offsets[0],
                       t.offsets[1]};
  const int sizes[] = {1, 1, 2};
  build_op(&g->b, OP_store_desc, 4, operands, sizes, 0, NULL);
}

static void check_bounds(Gen *g, Op *op) {
  static const int64_t both[] = {0, 1};
  op_set_ints(g->b.m, op, ATTR_boundary, both, 2);
}

static void add_load_block(Gen *g) {
  const Elem elem = memory_elem(g);
  Value *ptr = block_pointer(g, g->inputs[elem]);
  Value *value = build_load_block(&g->b, gen_type(g, SHAPE_BOX, elem), ptr);
  check_bounds(g, value->def);
  if (gen_chance(g, 30)) {
    op_set_int(g->b.m, value->def, ATTR_padding, PADDING_nan);
  }
  gen_keep(g, value);
}

static void add_store_block(Gen *g) {
  const Elem elem = storable(g);
  if (!may_write(g, elem)) return;
  Value *value = gen_value(g, SHAPE_BOX, elem, 0);
  Value *operands[] = {block_pointer(g, g->outputs[elem]), value};
  check_bounds(g, build_op(&g->b, OP_store_block, 2, operands, NULL, 0, NULL));
}

// -- Regions -----------------------------------------------------------------

enum { MAX_CARRIED = 3, DEEPEST = 3 };

typedef struct {
  int count;
  Shape shapes[MAX_CARRIED];
  Elem elems[MAX_CARRIED];
} Carried;

static Carried gen_carried(Gen *g) {
  Carried c = {.count = random_below(&g->random, MAX_CARRIED + 1)};
  for (int i = 0; i < c.count; i++) {
    c.shapes[i] = gen_shape(g);
    c.elems[i] = gen_elem(g);
  }
  return c;
}

static void carried_values(Gen *g, const Carried *c, Value **out) {
  for (int i = 0; i < c->count; i++) {
    out[i] = gen_value(g, c->shapes[i], c->elems[i], 1);
  }
}

// Statements in a region; their values are out of scope after leave().
typedef struct {
  Block *block;
  size_t scope;
} Place;

static Place enter(Gen *g, Block *region) {
  const Place place = {g->b.block, g->scope.count};
  g->b.block = region;
  g->depth++;
  for (int i = 0; i < region->num_args; i++) gen_keep(g, &region->args[i]);
  return place;
}

static void leave(Gen *g, Place place) {
  g->b.block = place.block;
  g->scope.count = place.scope;
  g->depth--;
}

static void keep_results(Gen *g, Op *op) {
  for (int i = 0; i < op->num_results; i++) gen_keep(g, &op->results[i]);
}

static void add_if(Gen *g) {
  const Carried c = gen_carried(g);
  const Type *types[MAX_CARRIED];
  for (int i = 0; i < c.count; i++) {
    types[i] = gen_type(g, c.shapes[i], c.elems[i]);
  }
  Value *condition = gen_value(g, SHAPE_SCALAR, ELEM_i1, 0);
  Op *op = build_if(&g->b, condition, c.count, types);
  for (int i = 0; i < 2; i++) {
    const Place place = enter(g, op->regions[i]);
    Value *values[MAX_CARRIED];
    gen_statements(g, random_below(&g->random, 3));
    carried_values(g, &c, values);
    build_yield(&g->b, c.count, values);
    leave(g, place);
  }
  keep_results(g, op);
}

// A number from 0 to 3, constant or not.
static Value *small_number(Gen *g) {
  if (gen_chance(g, 50)) {
    return gen_int(g, SHAPE_SCALAR, ELEM_i32, random_below(&g->random, 4));
  }
  Value *any = gen_value(g, SHAPE_SCALAR, ELEM_i32, 1);
  return build_andi(&g->b, any->type, any,
                    gen_int(g, SHAPE_SCALAR, ELEM_i32, 3));
}

static void add_for(Gen *g) {
  const Carried c = gen_carried(g);
  Value *init[MAX_CARRIED], *values[MAX_CARRIED];
  carried_values(g, &c, init);
  Value *lower = small_number(g), *upper = small_number(g);
  const int step = random_below(&g->random, 5) - 2;
  Op *op = build_for(&g->b, lower, upper,
                     gen_int(g, SHAPE_SCALAR, ELEM_i32, step), c.count, init);
  const Place place = enter(g, op->regions[0]);
  gen_statements(g, 1 + random_below(&g->random, 4));
  carried_values(g, &c, values);
  build_yield(&g->b, c.count, values);
  leave(g, place);
  keep_results(g, op);
}

// A counter ends the loop if nothing else does.
static void add_while(Gen *g) {
  const Carried c = gen_carried(g);
  Value *init[MAX_CARRIED + 1], *values[MAX_CARRIED + 1];
  const Type *types[MAX_CARRIED + 1];
  init[0] = small_number(g);
  carried_values(g, &c, init + 1);
  for (int i = 0; i <= c.count; i++) types[i] = init[i]->type;
  Op *op = build_while(&g->b, c.count + 1, init, c.count + 1, types);
  Place place = enter(g, op->regions[0]);
  values[0] = &op->regions[0]->args[0];
  Value *zero = gen_int(g, SHAPE_SCALAR, ELEM_i32, 0);
  Value *more = build_cmp(&g->b, OP_cmpi, PREDICATE_gt, values[0], zero);
  carried_values(g, &c, values + 1);
  build_condition(&g->b, more, c.count + 1, values);
  leave(g, place);
  place = enter(g, op->regions[1]);
  gen_statements(g, 1 + random_below(&g->random, 3));
  Value *counter = &op->regions[1]->args[0];
  values[0] = build_subi(&g->b, counter->type, counter,
                         gen_int(g, SHAPE_SCALAR, ELEM_i32, 1));
  carried_values(g, &c, values + 1);
  build_yield(&g->b, c.count + 1, values);
  leave(g, place);
  keep_results(g, op);
}

// -- Statements --------------------------------------------------------------

static void add_value(Gen *g) {
  const Shape shape = gen_shape(g);
  Value *value = gen_value(g, shape, gen_elem(g), 0);
  if (value->type->elem != ELEM_i1 && gen_chance(g, 60)) {
    gen_store_output(g, value, shape);
  }
}

typedef struct {
  void (*add)(Gen *g);
  int weight;
  bool nests;
} Statement;

static const Statement statements[] = {
    {add_value, 20, false},     {add_load, 15, false},
    {add_store, 25, false},     {add_atomic, 4, false},
    {add_load_desc, 2, false},  {add_store_desc, 2, false},
    {add_load_block, 4, false}, {add_store_block, 4, false},
    {add_scan, 3, false},       {add_argmax, 2, false},
    {add_dot, 3, false},        {gen_add_gather, 3, false},
    {gen_add_join, 3, false},   {gen_add_cat, 2, false},
    {gen_add_minmax, 2, false}, {gen_add_histogram, 2, false},
    {gen_add_hint, 2, false},   {add_if, 6, true},
    {add_for, 6, true},         {add_while, 3, true},
};
enum { NUM_STATEMENTS = sizeof statements / sizeof statements[0] };

static const Statement *choose(Gen *g) {
  int sum = 0;
  for (int i = 0; i < NUM_STATEMENTS; i++) sum += statements[i].weight;
  int at = random_below(&g->random, sum), i = 0;
  while (at >= statements[i].weight) at -= statements[i++].weight;
  return &statements[i];
}

void gen_statements(Gen *g, int count) {
  for (int i = 0; i < count && g->fuel > 0; i++, g->fuel--) {
    const Statement *statement = choose(g);
    while (statement->nests && g->depth == DEEPEST) statement = choose(g);
    statement->add(g);
  }
}
