// test_random_passes.c -- random kernels mean the same after each pass.
//
// Backs I8 of passes/simplify.
#include "ir/text.h"
#include "ir/verify.h"
#include "passes/pass.h"
#include "tests/tools/random_ir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STATEMENTS = 40 };

static uint64_t num_seeds(void) {
  return getenv("TILE_TEST_FULL") ? 1000 : 60;
}

typedef struct {
  Arena arena;
  DiagList diags;
  Module *m;
  uint64_t seed;
  const char *pass; // being tested; "" before any
} Trial;

static void open_with(Trial *t, const RandomSpec *spec, const char *pass) {
  *t = (Trial){.seed = spec->seed, .pass = pass};
  arena_init(&t->arena, &system_allocator);
  diag_init(&t->diags, &t->arena);
  t->m = module_create(&t->arena, &t->diags);
  random_kernel(t->m, spec);
}

static void trial_open(Trial *t, uint64_t seed, const char *pass) {
  const RandomSpec spec = {.seed = seed, .size = STATEMENTS, .largest = 4};
  open_with(t, &spec, pass);
}

// Programs that write each output once.
static void trial_open_once(Trial *t, uint64_t seed, const char *pass) {
  const RandomSpec spec = {
      .seed = seed, .size = STATEMENTS, .largest = 4, .once = true};
  open_with(t, &spec, pass);
}

static void trial_fail(Trial *t, const char *what) {
  Str text = str_in(&t->arena);
  diag_render_all(&t->diags, false, &text);
  fail_msg("seed %llu, pass '%s': %s\n%s", (unsigned long long)t->seed, t->pass,
           what, str_text(&text));
}

static RandomMemory *trial_run(Trial *t, Arena *arena) {
  RandomMemory *memory = random_memory(arena, t->seed);
  if (!module_verify(t->m)) trial_fail(t, "does not verify");
  if (!random_run(&t->arena, t->m->functions, memory, &t->diags)) {
    trial_fail(t, "does not run");
  }
  return memory;
}

static void check_pass(uint64_t seed, const char *pass, Arena *arena,
                       const RandomMemory *expected) {
  Trial t;
  trial_open(&t, seed, pass);
  if (!passes_run(t.m, NULL, pass, NULL)) trial_fail(&t, "fails");
  const char *where = random_compare(&t.arena, expected, trial_run(&t, arena));
  if (where) trial_fail(&t, where);
  arena_free(&t.arena);
}

// The passes that establish the wanted facts, in an order that works, each with
// a comma.
static void add_needed(Str *list, unsigned facts, unsigned *have) {
  for (int i = 0; i < pass_count; i++) {
    const Pass *pass = &pass_table[i];
    if (!(pass->provides & facts & ~*have)) continue;
    add_needed(list, pass->requires, have);
    *have |= pass->provides;
    str_addf(list, "%s,", pass->name);
  }
}

static void test_passes(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= num_seeds(); seed++) {
    Trial t;
    Arena arena;
    arena_init(&arena, &system_allocator);
    trial_open(&t, seed, "");
    const RandomMemory *expected = trial_run(&t, &arena);
    arena_free(&t.arena);
    for (int i = 0; i < pass_count; i++) {
      const Pass *pass = &pass_table[i];
      Str needed = str_in(&arena);
      unsigned have = 0;
      add_needed(&needed, pass->requires, &have);
      check_pass(seed,
                 arena_printf(&arena, "%s%s", str_text(&needed), pass->name),
                 &arena, expected);
    }
    check_pass(seed, "simplify", &arena, expected);
    check_pass(seed, "gpu", &arena, expected);
    arena_free(&arena);
  }
}

// Blocks that share each program have the same results as one block, with any
// later passes.
static void test_clusters(void **state) {
  (void)state;
  static const char *const lists[] = {"split_programs", "gpu"};
  int shared = 0;
  for (uint64_t seed = 1; seed <= num_seeds(); seed++) {
    Trial t;
    trial_open_once(&t, seed, "");
    const RandomMemory *expected = trial_run(&t, &t.arena);
    for (int i = 0; i < 2; i++) {
      Trial u;
      trial_open_once(&u, seed, lists[i]);
      function_set_attr(u.m->functions,
                        (Attr){.key = ATTR_num_ctas, .as.i = 2 << seed % 3});
      if (!passes_run(u.m, NULL, lists[i], NULL)) trial_fail(&u, "fails");
      shared += function_cluster(u.m->functions) > 1;
      const char *where =
          random_compare(&t.arena, expected, trial_run(&u, &u.arena));
      if (where) trial_fail(&u, where);
      arena_free(&u.arena);
    }
    arena_free(&t.arena);
  }
  print_message("%d are shared\n", shared);
  assert_true(shared > 0);
}

// Printing a random kernel and parsing that gives the same text and meaning.
static void test_text(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= num_seeds(); seed++) {
    Trial t;
    trial_open(&t, seed, "print and parse");
    const RandomMemory *expected = trial_run(&t, &t.arena);
    Str text = str_in(&t.arena), again = str_in(&t.arena);
    module_print(t.m, NULL, &text);
    t.m = module_create(&t.arena, &t.diags);
    if (!module_parse(t.m, source_create(&t.arena, "random.tir", text.data,
                                         text.length))) {
      trial_fail(&t, "does not parse");
    }
    module_print(t.m, NULL, &again);
    assert_string_equal(text.data, again.data);
    const char *where =
        random_compare(&t.arena, expected, trial_run(&t, &t.arena));
    if (where) trial_fail(&t, where);
    arena_free(&t.arena);
  }
}

// Turns the first op of the kind into another, as a wrong pass might.
static bool break_op(Block *block, OpKind kind, OpKind other) {
  for (Op *op = block->first; op; op = op->next) {
    if (op->kind == kind) {
      op->kind = other;
      return true;
    }
    for (int i = 0; i < op->num_regions; i++) {
      if (break_op(op->regions[i], kind, other)) return true;
    }
  }
  return false;
}

// Most of these mistakes must be found, or the kernels compute too much that is
// not stored.
static void test_mistakes_show(void **state) {
  (void)state;
  static const OpKind mistakes[][2] = {{OP_addi, OP_subi},
                                       {OP_maxsi, OP_minsi},
                                       {OP_extsi, OP_extui},
                                       {OP_muli, OP_mulhsi},
                                       {OP_divsi, OP_remsi}};
  int made = 0, seen = 0;
  for (uint64_t seed = 1; seed <= 300; seed++) {
    const OpKind *mistake = mistakes[seed % 5];
    Trial t;
    trial_open(&t, seed, "mistake");
    const RandomMemory *expected = trial_run(&t, &t.arena);
    if (break_op(t.m->functions->body, mistake[0], mistake[1])) {
      made++;
      seen +=
          random_compare(&t.arena, expected, trial_run(&t, &t.arena)) != NULL;
    }
    arena_free(&t.arena);
  }
  print_message("%d of %d mistakes seen\n", seen, made);
  assert_true(made > 100 && seen * 3 > made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_text),
      cmocka_unit_test(test_passes),
      cmocka_unit_test(test_clusters),
      cmocka_unit_test(test_mistakes_show),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
