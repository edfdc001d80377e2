// test_axis_info.c -- every claim of the analysis against the real values.
//
// Kernels store integer tiles; every claim about a stored value must hold for
// the value that the interpreter stores.  For ptrtoint, the claims about the
// pointers are checked too.
#include "ir/builder.h"
#include "ir/verify.h"
#include "passes/analysis/axis_info.h"

#include "tests/unit/ir/interp_kit.h"
#include "tests/unit/passes/axis_claims.h"

enum { MAX_STORES = 64, ELEMENTS = 64 };

static int64_t cells[MAX_STORES * ELEMENTS];
static char other_memory[4096] __attribute__((aligned(256)));

typedef struct {
  const Value *stored[MAX_STORES]; // into cells at index * ELEMENTS
  int count;
} Stores;

static void check_stores(const Function *f, const Stores *stores) {
  Arena arena;
  arena_init(&arena, &system_allocator);
  const AxisAnalysis *analysis = axis_analyze(f, &arena);
  for (int i = 0; i < stores->count; i++) {
    const Value *value = stores->stored[i];
    const int64_t *values = &cells[i * ELEMENTS];
    check(axis_info(analysis, value), value->type, values, 1, value->def->kind);
    if (!value_def(value, OP_ptrtoint)) continue;
    const Value *p = op_operand(value->def, 0);
    const int bits = type_element_bits(type_element(p->type)->element);
    check(axis_info(analysis, p), p->type, values, bits / 8, OP_addptr);
  }
  arena_free(&arena);
}

// -- Random expressions ------------------------------------------------------

typedef struct {
  Builder b;
  uint64_t state;
  const Type *i64, *shapes[3];
  Value *values[MAX_STORES];
  int count;
  Value *cells_param;
} Maker;

static int pick(Maker *k, int count) {
  k->state = k->state * UINT64_C(6364136223846793005) + 1442695040888963407;
  return (int)((k->state >> 33) % (uint64_t)count);
}

static Value *number(Maker *k, const Type *type, bool positive) {
  static const int64_t numbers[] = {1, 2, 3, 4, 7, 8, 12, 16, 24, 32, 0, 5};
  return build_int(&k->b, type, numbers[pick(k, positive ? 10 : 12)]);
}

static const Type *tile_of(Maker *k, const Type *shape, const Type *element) {
  return type_with_element(&k->b.m->types, shape, element);
}

static Value *leaf(Maker *k, const Type *type) {
  const Function *f = k->b.block->function;
  const Type *i32 = type_scalar(&k->b.m->types, ELEM_i32);
  switch (pick(k, 4)) {
  case 0: return number(k, type, false);
  case 1: {
    Value *wide = build_extsi(&k->b, k->i64, &f->body->args[2 + pick(k, 2)]);
    return build_splat(&k->b, type, wide);
  }
  default: break;
  }
  // An arange along one dimension, repeated along the others.
  const int d = pick(k, type->rank);
  Value *x = build_arange(&k->b, 16 * pick(k, 3) - 16, 64);
  const int64_t start = op_int(x->def, ATTR_start);
  op_set_int(k->b.m, x->def, ATTR_end, start + type->shape[d]);
  x->type = type_tile(&k->b.m->types, 1, &type->shape[d], i32, NULL);
  x = build_extsi(&k->b, type_with_element(&k->b.m->types, x->type, k->i64), x);
  if (type->rank == 1) return x;
  const int64_t thin[] = {d ? 1 : type->shape[0], d ? type->shape[1] : 1};
  x = build_expand_dims(&k->b, type_tile(&k->b.m->types, 2, thin, k->i64, NULL),
                        x);
  op_set_int(k->b.m, x->def, ATTR_axis, !d);
  return build_broadcast(&k->b, type, x);
}

static Value *any_of(Maker *k, const Type *type) {
  for (int tries = 0; k->count && tries < 4; tries++) {
    Value *value = k->values[pick(k, k->count)];
    if (value->type == type) return value;
  }
  return leaf(k, type);
}

static Value *small(Maker *k, Value *x) {
  Value *limit = build_int(&k->b, x->type, 1 << 12);
  return build_remsi(&k->b, x->type, x, limit);
}

static Value *of_pointers(Maker *k, const Type *type) {
  const Function *f = k->b.block->function;
  Value *base = &f->body->args[1];
  const Type *pointers = tile_of(k, type, base->type);
  Value *p = build_splat(&k->b, pointers, base);
  p = build_addptr(&k->b, pointers, p, any_of(k, type));
  if (pick(k, 2)) p = build_addptr(&k->b, pointers, p, any_of(k, type));
  return build_ptrtoint(&k->b, type, p);
}

static Value *of_condition(Maker *k, const Type *type) {
  static const Predicate predicates[] = {
      PREDICATE_lt, PREDICATE_le, PREDICATE_gt,  PREDICATE_ge,
      PREDICATE_eq, PREDICATE_ne, PREDICATE_ult, PREDICATE_uge};
  Value *x = any_of(k, type), *y = any_of(k, type);
  if (pick(k, 2)) y = number(k, type, false);
  Value *c = build_cmp(&k->b, OP_cmpi, predicates[pick(k, 8)], x, y);
  if (pick(k, 2)) return build_extui(&k->b, type, c);
  if (pick(k, 2)) return build_extsi(&k->b, type, c);
  return build_select(&k->b, type, c, any_of(k, type), any_of(k, type));
}

static Value *of_shape(Maker *k, const Type *type) {
  const Type *from = k->shapes[pick(k, 3)];
  Value *x = any_of(k, from);
  if (from == type) {
    const Type *i8 = type_scalar(&k->b.m->types, ELEM_i8);
    x = build_trunci(&k->b, tile_of(k, type, i8), x);
    return pick(k, 2) ? build_extsi(&k->b, type, x)
                      : build_extui(&k->b, type, x);
  }
  if (from->rank == 1 || type->rank == 1 || pick(k, 2)) {
    return build_reshape(&k->b, type, x);
  }
  x = build_trans(&k->b, type, x);
  op_set_ints(k->b.m, x->def, ATTR_order, (int64_t[]){1, 0}, 2);
  return x;
}

// One of the values that are stored, and from which other values are made.
static Value *keep(Maker *k, Value *value) {
  if (k->count < MAX_STORES / 2) k->values[k->count++] = value;
  return value;
}

// Two halves of a tile, put together again along another dimension.
static Value *of_halves(Maker *k, const Type *type) {
  TypeTable *t = &k->b.m->types;
  const Type *cube = type_tile(t, 3, (int64_t[]){4, 4, 2}, k->i64, NULL);
  const Type *turned = type_tile(t, 3, (int64_t[]){2, 4, 4}, k->i64, NULL);
  const Type *half = type_tile(t, 2, (int64_t[]){4, 4}, k->i64, NULL);
  const Type *halves[] = {half, half};
  Value *x = any_of(k, k->shapes[pick(k, 3)]);
  x = keep(k, build_reshape(&k->b, cube, x));
  Op *split = build_op(&k->b, OP_split, 1, &x, (const int[]){1}, 2, halves);
  Value *a = keep(k, &split->results[pick(k, 2)]);
  Value *b = pick(k, 3) ? keep(k, &split->results[1]) : any_of(k, half);
  if (type->rank == 2) {
    x = build_cat(&k->b, type, a, b);
    op_set_int(k->b.m, x->def, ATTR_axis, type->shape[1] == 8);
    return x;
  }
  x = keep(k, build_join(&k->b, cube, a, b));
  x = keep(k, build_trans(&k->b, turned, x));
  op_set_ints(k->b.m, x->def, ATTR_order, (int64_t[]){2, 0, 1}, 3);
  return build_reshape(&k->b, type, x);
}

static Value *expression(Maker *k, const Type *type) {
  static const OpKind any[] = {OP_addi,  OP_addi,  OP_subi, OP_muli,
                               OP_minsi, OP_maxsi, OP_andi, OP_ori,
                               OP_xori,  OP_minui, OP_maxui};
  static const OpKind with_number[] = {OP_divsi, OP_divui, OP_remsi, OP_remui,
                                       OP_andi,  OP_shrsi, OP_shrui, OP_shli};
  Value *x = any_of(k, type);
  switch (pick(k, 8)) {
  case 0:
  case 1: {
    const OpKind kind = any[pick(k, 11)];
    return build_value(&k->b, kind, 2, (Value *[]){x, any_of(k, type)}, type);
  }
  case 2: {
    const OpKind kind = with_number[pick(k, 8)];
    if (kind == OP_shli) x = small(k, x);
    Value *y = number(k, type, kind != OP_andi);
    return build_value(&k->b, kind, 2, (Value *[]){x, y}, type);
  }
  case 3: return of_condition(k, type);
  case 4: return of_shape(k, type);
  case 5: return of_halves(k, type);
  case 6:
    if (pick(k, 3))
      return build_value(&k->b, pick(k, 2) ? OP_popcount : OP_clz, 1, &x, type);
    return build_value(&k->b, pick(k, 2) ? OP_mulhsi : OP_mulhui, 2,
                       (Value *[]){x, any_of(k, type)}, type);
  default: return of_pointers(k, type);
  }
}

static void store_all(Maker *k, Stores *stores) {
  for (int i = 0; i < k->count; i++) {
    const Type *type = k->values[i]->type;
    const int64_t n = type->num_elements;
    const Type *flat = type_tile(&k->b.m->types, 1, &n, k->i64, NULL);
    Value *value = build_reshape(&k->b, flat, k->values[i]);
    Value *at = build_arange(&k->b, i * ELEMENTS, i * ELEMENTS + n);
    const Type *pointers = tile_of(k, flat, k->cells_param->type);
    Value *p = build_splat(&k->b, pointers, k->cells_param);
    p = build_addptr(&k->b, pointers, p, at);
    build_store(&k->b, p, value, NULL);
    stores->stored[i] = k->values[i];
  }
  stores->count = k->count;
}

static Function *make_function(Module *m) {
  TypeTable *t = &m->types;
  const Type *i64 = type_scalar(t, ELEM_i64), *i32 = type_scalar(t, ELEM_i32);
  const Type *types[] = {
      type_pointer(t, i64, SPACE_GLOBAL),
      type_pointer(t, type_scalar(t, ELEM_i16), SPACE_GLOBAL), i32, i32};
  Function *f = function_create(m, "k", (SrcLoc){0}, 4, types);
  static const int64_t sixteen = 16;
  const Attr divisor = {.key = ATTR_divisibility, .as.ints = {&sixteen, 1}};
  param_set_attr(m, &f->params[1], divisor);
  param_set_attr(m, &f->params[2], divisor);
  return f;
}

static void run_random(uint64_t seed) {
  Kit kit;
  kit_init(&kit);
  Function *f = make_function(kit.m);
  Maker k = {.b = builder_at_end(kit.m, f->body, (SrcLoc){0}), .state = seed};
  TypeTable *t = &kit.m->types;
  k.i64 = type_scalar(t, ELEM_i64);
  k.cells_param = &f->body->args[0];
  k.shapes[0] = type_tile(t, 1, (int64_t[]){32}, k.i64, NULL);
  k.shapes[1] = type_tile(t, 2, (int64_t[]){4, 8}, k.i64, NULL);
  k.shapes[2] = type_tile(t, 2, (int64_t[]){8, 4}, k.i64, NULL);
  while (k.count < 24) {
    Value *x = expression(&k, k.shapes[pick(&k, 3)]);
    // Large values would wrap, which the analysis may ignore.
    if (!value_def(x, OP_ptrtoint) && k.count % 4 == 3) x = small(&k, x);
    k.values[k.count++] = x;
  }
  Stores stores;
  store_all(&k, &stores);
  build_return(&k.b);
  module_verify(kit.m);
  assert_string_equal(kit_messages(&kit), "");
  kit_memory(&kit, 0, cells, sizeof cells);
  kit.args[1].as.p = other_memory + 16 * (seed % 5);
  kit.args[2].as.i = 16 * (int64_t)(seed % 7);
  kit.args[3].as.i = (int64_t)(seed % 11);
  assert_true(kit_try(&kit));
  check_stores(f, &stores);
  kit_close(&kit);
}

// The least number of bits that the analysis claims of all random expressions.
static const struct {
  OpKind kind;
  int bits;
} least[] = {
    {OP_reshape, 8637}, {OP_trans, 2141},   {OP_join, 1514},
    {OP_split, 6474},   {OP_cat, 1594},     {OP_addi, 1103},
    {OP_subi, 379},     {OP_muli, 572},     {OP_mulhsi, 267},
    {OP_mulhui, 245},   {OP_divsi, 350},    {OP_divui, 331},
    {OP_remsi, 6498},   {OP_remui, 495},    {OP_andi, 1574},
    {OP_ori, 392},      {OP_xori, 331},     {OP_shli, 866},
    {OP_shrsi, 360},    {OP_shrui, 401},    {OP_maxsi, 441},
    {OP_maxui, 329},    {OP_minsi, 351},    {OP_minui, 368},
    {OP_clz, 925},      {OP_popcount, 948}, {OP_select, 504},
    {OP_extsi, 1083},   {OP_extui, 2183},   {OP_ptrtoint, 4393},
    {OP_addptr, 5638},
};

static void random_expressions_keep_what_is_claimed(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 400; seed++) run_random(seed);
  for (size_t i = 0; i < sizeof least / sizeof *least; i++) {
    const OpKind kind = least[i].kind;
    if (claimed[kind] < least[i].bits)
      fail_msg("of the results of '%s' %d bits are claimed; they were %d",
               op_info[kind].name, claimed[kind], least[i].bits);
  }
}

// -- Loops -------------------------------------------------------------------

// Each trip of the loops stores; all the values must fit the claims.
static const char loops[] =
    "kernel @k(%p: ptr<i64>, %n: i64 {divisibility = [8]}) {\n"
    "  %zero = constant {value = 0} : i64\n"
    "  %four = constant {value = 4} : i64\n"
    "  %forty = constant {value = 40} : i64\n"
    "  %two = constant {value = 2} : i64\n"
    "  %r32 = arange {end = 16, start = 0} : tile<16xi32>\n"
    "  %r = extsi %r32 : tile<16xi64>\n"
    "  %s16 = constant {value = 16} : tile<16xi64>\n"
    "  %a, %b, %c = for %zero, %forty, %four init(%r, %n, %r) :\n"
    "      tile<16xi64>, i64, tile<16xi64>\n"
    "      (%i: i64, %x: tile<16xi64>, %y: i64, %z: tile<16xi64>) {\n"
    "    %x2 = addi %x, %s16 : tile<16xi64>\n"
    "    %y2 = addi %y, %two : i64\n"
    "    %is = splat %i : tile<16xi64>\n"
    "    %z2 = addi %z, %is : tile<16xi64>\n"
    "    %w, %v = while init(%y, %z) : i64, tile<16xi64>\n"
    "        (%g: i64, %h: tile<16xi64>) {\n"
    "      %go = cmpi %g, %forty {predicate = lt} : i1\n"
    "      condition %go values(%g, %h)\n"
    "    } (%g2: i64, %h2: tile<16xi64>) {\n"
    "      %g3 = addi %g2, %four : i64\n"
    "      %h3 = addi %h2, %h2 : tile<16xi64>\n"
    "      yield values(%g3, %h3)\n"
    "    }\n"
    "    device_print values(%x, %y, %z, %i, %w, %v) {message = \"\"}\n"
    "    yield values(%x2, %y2, %z2)\n"
    "  }\n"
    "  %odd = cmpi %n, %forty {predicate = gt} : i1\n"
    "  %e, %f = if %odd : i64, tile<16xi64> () {\n"
    "    yield values(%forty, %a)\n"
    "  } () {\n"
    "    yield values(%n, %s16)\n"
    "  }\n"
    "  device_print values(%a, %b, %c, %e, %f) {message = \"\"}\n"
    "  return\n"
    "}\n";

static const Op *find_print(const Block *block) {
  const Op *found = NULL;
  for (const Op *op = block->first; op && !found; op = op->next) {
    if (op->kind == OP_device_print) found = op;
    if (op->kind == OP_for) found = find_print(op->regions[0]);
  }
  return found;
}

static void expect(const AxisAnalysis *a, const Op *op, int operand,
                   int64_t contiguity, int64_t divisibility,
                   int64_t constancy) {
  const AxisInfo *info = axis_info(a, op_operand(op, operand));
  assert_int_equal(info->contiguity[0], contiguity);
  assert_int_equal(info->divisibility[0], divisibility);
  assert_int_equal(info->constancy[0], constancy);
}

static void carried_values_reach_a_fixpoint(void **state) {
  (void)state;
  Kit kit;
  kit_open(&kit, loops);
  assert_true(module_verify(kit.m));
  const Function *f = kit.m->functions;
  const AxisAnalysis *a = axis_analyze(f, &kit.arena);
  const Op *inside = find_print(f->body), *after = f->body->last->prev;
  expect(a, inside, 0, 16, 16, 1); // counts up from multiples of 16
  expect(a, inside, 1, 1, 2, 1);   // 8k plus twos
  expect(a, inside, 2, 16, 4, 1);  // plus the induction variable
  expect(a, inside, 3, 1, 4, 1);
  expect(a, inside, 4, 1, 2, 1);
  expect(a, inside, 5, 1, 1, 1); // doubled, it counts no more
  assert_true(axis_info(a, op_operand(inside, 3))->nonnegative);
  expect(a, after, 0, 16, 16, 1);
  expect(a, after, 3, 1, 8, 1);
  expect(a, after, 4, 1, 1, 1); // one counts up, the other is constant
  kit_close(&kit);
}

// -- Ops of a tile that is not square ----------------------------------------

static const char shapes_text[] =
    "kernel @k(%p: ptr<i32>, %n: i32 {divisibility = [16]}) {\n"
    "  %i = arange {end = 8, start = 0} : tile<8xi32>\n"
    "  %i1 = expand_dims %i {axis = 0} : tile<1x8xi32>\n"
    "  %column = broadcast %i1 : tile<4x8xi32>\n"
    "  %j = arange {end = 4, start = 0} : tile<4xi32>\n"
    "  %j1 = expand_dims %j {axis = 1} : tile<4x1xi32>\n"
    "  %row = broadcast %j1 : tile<4x8xi32>\n"
    "  %eight = constant {value = 8} : tile<4x8xi32>\n"
    "  %four = constant {value = 4} : tile<4x8xi32>\n"
    "  %first = muli %row, %eight : tile<4x8xi32>\n"
    "  %place = addi %first, %column : tile<4x8xi32>\n"
    "  %turned = trans %place {order = [1, 0]} : tile<8x4xi32>\n"
    "  %rows = trans %row {order = [1, 0]} : tile<8x4xi32>\n"
    "  %flat = reshape %place : tile<32xi32>\n"
    "  %wide = reshape %row : tile<2x16xi32>\n"
    "  %half = divsi %column, %four : tile<4x8xi32>\n"
    "  %rest = remsi %column, %four : tile<4x8xi32>\n"
    "  %less = cmpi %column, %four {predicate = lt} : tile<4x8xi1>\n"
    "  %bits = extui %less : tile<4x8xi32>\n"
    "  %ns = splat %n : tile<4x8xi32>\n"
    "  %far = addi %place, %ns : tile<4x8xi32>\n"
    "  %uniform = reshape %ns : tile<8x4xi32>\n"
    "  %long = extsi %far : tile<4x8xi64>\n"
    "  %either = select %less, %row, %first : tile<4x8xi32>\n"
    "  %both = join %row, %first : tile<4x8x2xi32>\n"
    "  %ps = splat %p : tile<4x8xptr<i32>>\n"
    "  %at = addptr %ps, %far : tile<4x8xptr<i32>>\n"
    "  device_print values(%column, %row, %first, %place, %turned, %rows, "
    "%flat, %wide, %half, %rest, %bits, %far, %uniform, %long, %either, %both, "
    "%at) {message = \"\"}\n"
    "  return\n"
    "}\n";

// The facts that follow from the way in which these values are made: the
// analysis finds all.
static const struct {
  const char *name;
  int64_t contiguity[3], constancy[3];
} facts[] = {
    {"column", {1, 8}, {4, 1}},  {"row", {4, 1}, {1, 8}},
    {"first", {1, 1}, {1, 8}},   {"place", {1, 8}, {1, 1}},
    {"turned", {8, 1}, {1, 1}},  {"rows", {1, 4}, {8, 1}},
    {"flat", {8}, {1}},          {"wide", {1, 1}, {1, 8}},
    {"half", {1, 1}, {4, 4}},    {"rest", {1, 4}, {4, 1}},
    {"bits", {1, 1}, {4, 4}},    {"far", {1, 8}, {1, 1}},
    {"uniform", {1, 1}, {8, 4}}, {"long", {1, 8}, {1, 1}},
    {"either", {1, 1}, {1, 4}},  {"both", {1, 1, 1}, {1, 8, 1}},
    {"at", {1, 8}, {1, 1}},
};

static void each_op_says_what_it_can(void **state) {
  (void)state;
  Kit kit;
  kit_open(&kit, shapes_text);
  assert_true(module_verify(kit.m));
  const Function *f = kit.m->functions;
  const AxisAnalysis *a = axis_analyze(f, &kit.arena);
  const Op *print = find_print(f->body);
  for (int i = 0; i < print->num_operands; i++) {
    const Value *value = op_operand(print, i);
    const AxisInfo *info = axis_info(a, value);
    for (int d = 0; d < value->type->rank; d++) {
      if (info->contiguity[d] < facts[i].contiguity[d] ||
          info->constancy[d] < facts[i].constancy[d])
        fail_msg("%s along %d: contiguity %lld, constancy %lld", facts[i].name,
                 d, (long long)info->contiguity[d],
                 (long long)info->constancy[d]);
    }
  }
  kit_close(&kit);
}

// -- Windows -----------------------------------------------------------------

// Each operand has a divisor of its own; a window that moves has the divisors
// of its start and of its steps.
static const char windows_text[] =
    "kernel @k(%p: ptr<f16> {divisibility = [32]}, %m: i64 {divisibility = "
    "[2]}, %n: i64 {divisibility = [64]}, %s: i64 {divisibility = [128]}, "
    "%i: i32 {divisibility = [16]}, %j: i32 {divisibility = [4]}, "
    "%c: i32 {divisibility = [8]}, %t: i32 {divisibility = [2]}) {\n"
    "  %one = constant {value = 1} : i64\n"
    "  %b = make_block_ptr %p shape(%m, %n) strides(%s, %one) "
    "offsets(%i, %j) {order = [1, 0]} : block_ptr<8x8xf16>\n"
    "  %b2 = advance %b offsets(%c, %i) : block_ptr<8x8xf16>\n"
    "  %b3 = advance %b2 offsets(%i, %t) : block_ptr<8x8xf16>\n"
    "  %d = make_desc %p shape(%m, %n) strides(%s, %one) : desc<8x8xf16>\n"
    "  return\n"
    "}\n";

static const int64_t offset_divisors[][2] = {{16, 4}, {8, 4}, {8, 2}, {1, 1}};

static void windows_say_what_their_operands_do(void **state) {
  (void)state;
  Kit kit;
  kit_open(&kit, windows_text);
  assert_true(module_verify(kit.m));
  const Function *f = kit.m->functions;
  const AxisAnalysis *a = axis_analyze(f, &kit.arena);
  const Op *op = f->body->first->next;
  for (int i = 0; i < 4; i++, op = op->next) {
    const WindowFacts *w = axis_info(a, op_result(op))->window;
    assert_non_null(w);
    assert_int_equal(w->base_divisibility, 32);
    assert_int_equal(w->bound_divisibility[0], 2);
    assert_int_equal(w->bound_divisibility[1], 64);
    assert_int_equal(w->stride_divisibility[0], 128);
    assert_false(w->stride_is_one[0]);
    assert_true(w->stride_is_one[1]);
    assert_int_equal(w->offset_divisibility[0], offset_divisors[i][0]);
    assert_int_equal(w->offset_divisibility[1], offset_divisors[i][1]);
  }
  assert_null(axis_info(a, op_operand(op->prev, 0))->window);
  kit_close(&kit);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_expressions_keep_what_is_claimed),
      cmocka_unit_test(carried_values_reach_a_fixpoint),
      cmocka_unit_test(each_op_says_what_it_can),
      cmocka_unit_test(windows_say_what_their_operands_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
