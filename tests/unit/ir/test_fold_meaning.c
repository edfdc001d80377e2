// test_fold_meaning.c -- folding agrees bit by bit with the interpreter.
//
// There is one kernel for each op and type: it stores the op's result for every
// pair of edge values.  It runs unchanged, and again after folding.
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

enum { MAX_EDGES = 16, MAX_RESULTS = MAX_EDGES * MAX_EDGES };

typedef struct {
  Arena arena;
  DiagList diags;
  Module *m;
  Function *function;
  Builder b;
  int num_results;
  const Type *result;
} Kernel;

static void kernel_open(Kernel *k, Elem result) {
  arena_init(&k->arena, &system_allocator);
  diag_init(&k->diags, &k->arena);
  k->m = module_create(&k->arena, &k->diags);
  k->result = type_scalar(&k->m->types, result);
  const SrcLoc loc = {0};
  const Type *pointer = type_pointer(&k->m->types, k->result, SPACE_GLOBAL);
  k->function = function_create(k->m, "k", loc, 1, &pointer);
  k->b = builder_at_end(k->m, k->function->body, loc);
  k->num_results = 0;
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
  const InterpArg arg = {.as.p = out};
  const InterpMemory memory = {out, 8 * MAX_RESULTS};
  const InterpLaunch launch = {
      .args = &arg, .memory = &memory, .num_memory = 1, .grid = {1, 1, 1}};
  assert_true(interp_run(&k->arena, k->function, &launch, &k->diags));
}

static void kernel_compare(Kernel *k, const char *what) {
  static uint8_t before[8 * MAX_RESULTS], after[8 * MAX_RESULTS];
  build_return(&k->b);
  assert_true(module_verify(k->m));
  run(k, before);
  function_rewrite(k->function, NULL, 0, 0);
  assert_true(module_verify(k->m));
  run(k, after);
  if (memcmp(before, after, sizeof before))
    fail_msg("folding changes %s", what);
  arena_free(&k->arena);
}

// -- Edge values -------------------------------------------------------------

static const double float_edges[] = {
    0.0,   -0.0, 1,   -1,    0.5,      1.5,   2.5,  -3.7,
    1e-40, 1e-8, 448, 65504, 16777217, -3e38, 1e30, INFINITY};
static const int64_t int_edges[] = {
    0,    1,         -1,        2,         7,   31,   64,        127,
    -128, INT16_MAX, INT32_MAX, INT32_MIN, 255, 1000, INT64_MAX, INT64_MIN};

static Value *edge(Kernel *k, Elem elem, int i) {
  const Type *type = type_scalar(&k->m->types, elem);
  return elem_info[elem].is_float ? build_float(&k->b, type, float_edges[i])
                                  : build_int(&k->b, type, int_edges[i]);
}

// All pairs of edge values through one op.
static void pairs(OpKind kind, Elem elem, Elem result, int predicate) {
  Kernel k;
  kernel_open(&k, result);
  for (int i = 0; i < MAX_EDGES * MAX_EDGES; i++) {
    Value *x[] = {edge(&k, elem, i / MAX_EDGES), edge(&k, elem, i % MAX_EDGES)};
    const int n = op_info[kind].num_operands;
    Value *value = build_value(&k.b, kind, n, x, k.result);
    if (predicate >= 0) {
      op_set_int(k.m, value->def, ATTR_predicate, predicate);
    }
    store_next(&k, value);
  }
  kernel_compare(&k, op_info[kind].name);
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
  kernel_open(&k, to);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arithmetic_keeps_its_meaning),
      cmocka_unit_test(comparisons_keep_their_meaning),
      cmocka_unit_test(conversions_keep_their_meaning),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
