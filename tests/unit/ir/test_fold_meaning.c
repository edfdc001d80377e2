// test_fold_meaning.c -- folding agrees bit by bit with the interpreter.
//
// There is one kernel for each op and type: it stores the op's result for every
// pair of edge values.  It runs unchanged, and again after folding.  The values
// are constants, or loaded, so that no constant but an identity may fold.
//
// Backs I6 of ir/rewrite.
#include "ir/builder.h"
#include "ir/interp.h"
#include "ir/number.h"
#include "ir/rewrite.h"
#include "ir/verify.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_EDGES = 18, MAX_RESULTS = MAX_EDGES * MAX_EDGES };

typedef struct {
  Arena arena;
  DiagList diags;
  Module *m;
  Function *function;
  Builder b;
  int num_results;
  const Type *result;
  Elem from;
  Value *loaded[MAX_EDGES]; // the edge values of `from`
} Kernel;

// -- Edge values -------------------------------------------------------------

static const double float_edges[MAX_EDGES] = {
    0.0,  -0.0, 1,     -1,       0.5,   1.5,  2.5,      -3.7, 1e-40,
    1e-8, 448,  65504, 16777217, -3e38, 1e30, INFINITY, NAN,  2};
static const int64_t int_edges[MAX_EDGES] = {
    0,    1,         -1,        2,         7,   31,   64,        127,       8,
    -128, INT16_MAX, INT32_MAX, INT32_MIN, 255, 1000, INT64_MAX, INT64_MIN, 4};

static Value *edge(Kernel *k, Elem elem, int i) {
  const Type *type = type_scalar(&k->m->types, elem);
  return elem_info[elem].is_float ? build_float(&k->b, type, float_edges[i])
                                  : build_int(&k->b, type, int_edges[i]);
}

static size_t edge_bytes(Elem elem) {
  return ((size_t)elem_info[elem].bits + 7) / 8;
}

static void put_edges(Elem elem, uint8_t in[8 * MAX_EDGES]) {
  const size_t bytes = edge_bytes(elem);
  for (int i = 0; i < MAX_EDGES; i++) {
    uint64_t bits = elem_info[elem].is_float
                        ? float_encode(float_edges[i], elem)
                        : (uint64_t)int_edges[i];
    if (elem == ELEM_i1) bits &= 1;
    for (size_t j = 0; j < bytes; j++) {
      in[(size_t)i * bytes + j] = (uint8_t)(bits >> 8 * j);
    }
  }
}

// -- Kernels -----------------------------------------------------------------

static void load_edges(Kernel *k) {
  const Type *i32 = type_scalar(&k->m->types, ELEM_i32);
  Value *base = &k->function->body->args[1];
  for (int i = 0; i < MAX_EDGES; i++) {
    Value *index = build_int(&k->b, i32, i);
    Value *at = build_addptr(&k->b, base->type, base, index);
    k->loaded[i] = op_result(build_load(&k->b, at, NULL, NULL));
  }
}

static void kernel_open(Kernel *k, Elem from, Elem result) {
  arena_init(&k->arena, &system_allocator);
  diag_init(&k->diags, &k->arena);
  k->m = module_create(&k->arena, &k->diags);
  k->result = type_scalar(&k->m->types, result);
  const SrcLoc loc = {0};
  k->from = from;
  const Type *pointers[] = {type_pointer(&k->m->types, k->result, SPACE_GLOBAL),
                            type_pointer(&k->m->types,
                                         type_scalar(&k->m->types, from),
                                         SPACE_GLOBAL)};
  k->function = function_create(k->m, "k", loc, 2, pointers);
  k->b = builder_at_end(k->m, k->function->body, loc);
  k->num_results = 0;
  load_edges(k);
}

static void store_next(Kernel *k, Value *value) {
  const Type *i32 = type_scalar(&k->m->types, ELEM_i32);
  Value *base = &k->function->body->args[0];
  Value *index = build_int(&k->b, i32, k->num_results++);
  Value *at = build_addptr(&k->b, base->type, base, index);
  build_store(&k->b, at, value, NULL);
}

static void run(Kernel *k, uint8_t out[8 * MAX_RESULTS]) {
  memset(out, 0xee, 8 * MAX_RESULTS);
  uint8_t in[8 * MAX_EDGES];
  put_edges(k->from, in);
  const InterpArg args[] = {{.as.p = out}, {.as.p = in}};
  const InterpMemory memory[] = {{out, 8 * MAX_RESULTS}, {in, sizeof in}};
  const InterpLaunch launch = {
      .args = args, .memory = memory, .num_memory = 2, .grid = {1, 1, 1}};
  assert_true(interp_run(&k->arena, k->function, &launch, &k->diags));
}

static uint64_t bits_at(const Kernel *k, const uint8_t *out, int i) {
  const size_t bytes = edge_bytes(k->result->elem);
  uint64_t bits = 0;
  for (size_t j = 0; j < bytes; j++) {
    bits |= (uint64_t)out[(size_t)i * bytes + j] << 8 * j;
  }
  return bits;
}

// Any NaN equals any NaN.
static bool same_bits(const Kernel *k, uint64_t a, uint64_t b) {
  const Elem elem = k->result->elem;
  if (a == b || !elem_info[elem].is_float) return a == b;
  return isnan(float_decode(a, elem)) && isnan(float_decode(b, elem));
}

static void kernel_compare(Kernel *k, const char *what) {
  static uint8_t before[8 * MAX_RESULTS], after[8 * MAX_RESULTS];
  build_return(&k->b);
  assert_true(module_verify(k->m));
  run(k, before);
  function_rewrite(k->function, NULL, 0, 0);
  assert_true(module_verify(k->m));
  run(k, after);
  for (int i = 0; i < k->num_results; i++) {
    const uint64_t a = bits_at(k, before, i), b = bits_at(k, after, i);
    if (same_bits(k, a, b)) continue;
    fail_msg("folding changes %s of %s, result %d: %llx, not %llx", what,
             elem_info[k->from].name, i, (unsigned long long)b,
             (unsigned long long)a);
  }
  arena_free(&k->arena);
}

// -- Ops ---------------------------------------------------------------------

typedef enum { BOTH_KNOWN, LEFT_KNOWN, RIGHT_KNOWN } Known;

// Beside a constant, a few loaded values show whether an identity holds: zeros,
// ones, the ends, infinity, NaN.
static bool tells_much(int i) {
  const unsigned those = 1 | 1 << 1 | 1 << 2 | 1 << 3 | 1 << 12 | 3 << 15;
  return those >> i & 1;
}

static Value *operand(Kernel *k, int i, bool known) {
  return known ? edge(k, k->from, i) : k->loaded[i];
}

// All pairs of edge values through one op.
static void pairs_of(OpKind kind, Elem elem, Elem result, int predicate,
                     Known known) {
  Kernel k;
  kernel_open(&k, elem, result);
  for (int i = 0; i < MAX_EDGES * MAX_EDGES; i++) {
    const int left = i / MAX_EDGES, right = i % MAX_EDGES;
    if (known == LEFT_KNOWN && !tells_much(right)) continue;
    if (known == RIGHT_KNOWN && !tells_much(left)) continue;
    Value *x[] = {operand(&k, left, known != RIGHT_KNOWN),
                  operand(&k, right, known != LEFT_KNOWN)};
    const int n = op_info[kind].num_operands;
    Value *value = build_value(&k.b, kind, n, x, k.result);
    if (predicate >= 0) {
      op_set_int(k.m, value->def, ATTR_predicate, predicate);
    }
    store_next(&k, value);
  }
  kernel_compare(&k, op_info[kind].name);
}

static void pairs(OpKind kind, Elem elem, Elem result, int predicate) {
  for (int known = BOTH_KNOWN; known <= RIGHT_KNOWN; known++) {
    pairs_of(kind, elem, result, predicate, (Known)known);
  }
}

static bool rule_takes(TypeRule rule, Elem elem) {
  const bool arithmetic = elem_info[elem].bits >= 16;
  return elem_info[elem].is_float ? rule == RULE_FLOATS && arithmetic
                                  : rule == RULE_INTS;
}

static void arithmetic_keeps_its_meaning(void **state) {
  (void)state;
  for (int kind = 0; kind < OP_COUNT; kind++) {
    for (int elem = 0; elem < ELEM_COUNT; elem++) {
      if (op_info[kind].num_operands > 2) continue;
      if (!rule_takes(op_info[kind].rule, (Elem)elem)) continue;
      pairs((OpKind)kind, (Elem)elem, (Elem)elem, -1);
    }
  }
}

static void comparisons_keep_their_meaning(void **state) {
  (void)state;
  for (int elem = 0; elem < ELEM_COUNT; elem++) {
    const bool is_float = elem_info[elem].is_float;
    if (is_float && elem_info[elem].bits < 16) continue;
    const int last = is_float ? PREDICATE_ge : PREDICATE_uge;
    for (int p = 0; p <= last; p++) {
      pairs(is_float ? OP_cmpf : OP_cmpi, (Elem)elem, ELEM_i1, p);
    }
  }
}

static void convert(OpKind kind, Elem from, Elem to, Rounding rounding) {
  Kernel k;
  kernel_open(&k, from, to);
  for (int i = 0; i < MAX_EDGES; i++) {
    Value *x = edge(&k, from, i);
    Value *value = build_value(&k.b, kind, 1, &x, k.result);
    if (rounding) op_set_int(k.m, value->def, ATTR_rounding, rounding);
    store_next(&k, value);
  }
  kernel_compare(&k, op_info[kind].name);
}

static void conversions_between(Elem from, Elem to) {
  const ElemInfo *a = &elem_info[from], *b = &elem_info[to];
  if (a->is_float && b->is_float) {
    if (a->bits < b->bits) convert(OP_extf, from, to, ROUNDING_rtne);
    if (a->bits > b->bits) convert(OP_truncf, from, to, ROUNDING_rtne);
    if (a->bits > b->bits) convert(OP_truncf, from, to, ROUNDING_rtz);
  } else if (a->is_float && a->bits >= 16) {
    convert(OP_fptosi, from, to, ROUNDING_rtne);
    convert(OP_fptoui, from, to, ROUNDING_rtne);
  } else if (!a->is_float && b->is_float && b->bits >= 16) {
    convert(OP_sitofp, from, to, ROUNDING_rtne);
    convert(OP_uitofp, from, to, ROUNDING_rtne);
  } else if (!a->is_float && !b->is_float) {
    if (a->bits < b->bits) convert(OP_extsi, from, to, ROUNDING_rtne);
    if (a->bits < b->bits) convert(OP_extui, from, to, ROUNDING_rtne);
    if (a->bits > b->bits) convert(OP_trunci, from, to, ROUNDING_rtne);
  }
  if (a->bits == b->bits) convert(OP_bitcast, from, to, ROUNDING_rtne);
}

static void conversions_keep_their_meaning(void **state) {
  (void)state;
  for (int from = 0; from < ELEM_COUNT; from++) {
    for (int to = 0; to < ELEM_COUNT; to++) {
      conversions_between((Elem)from, (Elem)to);
    }
  }
}

// -- Conversions of conversions ----------------------------------------------

// Up to two ops that convert between the types.
static int converting(Elem from, Elem to, OpKind kinds[2]) {
  const ElemInfo *a = &elem_info[from], *b = &elem_info[to];
  int count = 0;
  if (a->bits == b->bits) kinds[count++] = OP_bitcast;
  if (a->is_float != b->is_float) return count;
  if (a->is_float) {
    if (a->bits < b->bits) kinds[count++] = OP_extf;
    if (a->bits > b->bits) kinds[count++] = OP_truncf;
    return count;
  }
  if (a->bits > b->bits) kinds[count++] = OP_trunci;
  if (a->bits < b->bits) kinds[count++] = OP_extsi;
  if (a->bits < b->bits) kinds[count++] = OP_extui;
  return count;
}

static void convert_twice(OpKind first, OpKind second, const Elem types[3]) {
  Kernel k;
  kernel_open(&k, types[0], types[2]);
  const Type *middle = type_scalar(&k.m->types, types[1]);
  for (int i = 0; i < MAX_EDGES; i++) {
    Value *x = build_value(&k.b, first, 1, &k.loaded[i], middle);
    store_next(&k, build_value(&k.b, second, 1, &x, k.result));
  }
  kernel_compare(&k, op_info[second].name);
}

static void conversions_by(const Elem types[3]) {
  OpKind first[2], second[2];
  const int m = converting(types[0], types[1], first);
  const int n = converting(types[1], types[2], second);
  for (int i = 0; i < m * n; i++) {
    convert_twice(first[i / n], second[i % n], types);
  }
}

static void two_conversions_keep_their_meaning(void **state) {
  (void)state;
  for (int i = 0; i < ELEM_COUNT * ELEM_COUNT * ELEM_COUNT; i++) {
    conversions_by((Elem[]){(Elem)(i % ELEM_COUNT),
                            (Elem)(i / ELEM_COUNT % ELEM_COUNT),
                            (Elem)(i / ELEM_COUNT / ELEM_COUNT)});
  }
}

// -- One value more than once ------------------------------------------------

static void with_itself(OpKind kind, Elem elem, Elem result, int predicate) {
  Kernel k;
  kernel_open(&k, elem, result);
  for (int i = 0; i < MAX_EDGES; i++) {
    Value *x[] = {k.loaded[i], k.loaded[i]};
    const int n = op_info[kind].num_operands;
    Value *value = build_value(&k.b, kind, n, x, k.result);
    if (predicate >= 0) {
      op_set_int(k.m, value->def, ATTR_predicate, predicate);
    }
    store_next(&k, value);
    if (n != 1 || elem != result) continue;
    store_next(&k, build_value(&k.b, kind, 1, &value, k.result));
  }
  kernel_compare(&k, op_info[kind].name);
}

static void compared_with_itself(Elem elem) {
  const bool is_float = elem_info[elem].is_float;
  if (is_float && elem_info[elem].bits < 16) return;
  const int last = is_float ? PREDICATE_ge : PREDICATE_uge;
  for (int p = 0; p <= last; p++) {
    with_itself(is_float ? OP_cmpf : OP_cmpi, elem, ELEM_i1, p);
  }
}

static void values_meet_themselves(void **state) {
  (void)state;
  for (int elem = 0; elem < ELEM_COUNT; elem++) {
    compared_with_itself((Elem)elem);
    for (int kind = 0; kind < OP_COUNT; kind++) {
      if (op_info[kind].num_operands > 2) continue;
      if (!rule_takes(op_info[kind].rule, (Elem)elem)) continue;
      with_itself((OpKind)kind, (Elem)elem, (Elem)elem, -1);
    }
  }
}

// Each condition, known or not, and two values, of which each is loaded or one
// of two constants.
static void choices_of(Elem elem) {
  Kernel k;
  kernel_open(&k, elem, elem);
  const Type *i1 = type_scalar(&k.m->types, ELEM_i1);
  Value *args[] = {k.loaded[0], k.loaded[1], k.loaded[3], edge(&k, elem, 0),
                   edge(&k, elem, 1)};
  Value *zero = edge(&k, elem, 0);
  const bool is_float = elem_info[elem].is_float;
  Value *unknown = build_cmp(&k.b, is_float ? OP_cmpf : OP_cmpi, PREDICATE_eq,
                             k.loaded[1], zero);
  Value *same = is_float || elem != ELEM_i1 ? unknown : k.loaded[1];
  Value *conditions[] = {build_int(&k.b, i1, 0), build_int(&k.b, i1, 1),
                         unknown, same};
  for (int i = 0; i < 4 * 5 * 5; i++) {
    Value *x = args[i / 4 % 5], *y = args[i / 20];
    store_next(&k, build_select(&k.b, k.result, conditions[i % 4], x, y));
  }
  kernel_compare(&k, op_info[OP_select].name);
}

static void choices_keep_their_meaning(void **state) {
  (void)state;
  for (int elem = 0; elem < ELEM_COUNT; elem++) {
    const bool compares = elem_info[elem].bits >= 16;
    if (compares || !elem_info[elem].is_float) choices_of((Elem)elem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arithmetic_keeps_its_meaning),
      cmocka_unit_test(comparisons_keep_their_meaning),
      cmocka_unit_test(conversions_keep_their_meaning),
      cmocka_unit_test(two_conversions_keep_their_meaning),
      cmocka_unit_test(values_meet_themselves),
      cmocka_unit_test(choices_keep_their_meaning),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
