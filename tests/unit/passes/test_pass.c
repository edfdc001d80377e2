// test_pass.c -- running lists of passes: names, options, facts, reports.
//
// Backs I7 of passes and I7 of passes/layout.
#include "ir/text.h"
#include "ir/verify.h"
#include "passes/facts.h"
#include "passes/pass.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
  Arena arena;
  DiagList diags;
  Module *m;
  Str log, timed;
  PassOptions options;
} Bench;

static void add_log(void *ctx, const char *text) {
  str_add(&((Bench *)ctx)->log, text);
}

static void add_time(void *ctx, const char *pass, double seconds) {
  assert_true(seconds >= 0);
  str_addf(&((Bench *)ctx)->timed, "%s ", pass);
}

static void open(Bench *b, const char *text) {
  *b = (Bench){0};
  arena_init(&b->arena, &system_allocator);
  diag_init(&b->diags, &b->arena);
  b->m = module_create(&b->arena, &b->diags);
  b->log = b->timed = str_in(&b->arena);
  b->options = (PassOptions){.log = add_log, .timed = add_time};
  b->options.log_ctx = b->options.timed_ctx = b;
  const Source *source = source_create(&b->arena, "t", text, strlen(text));
  assert_true(module_parse(b->m, source) && module_verify(b->m));
}

static const char *first_error(const Bench *b) {
  return b->diags.first ? b->diags.first->text : "";
}

static bool run(Bench *b, const char *passes) {
  return passes_run(b->m, NULL, passes, &b->options);
}

static const char plain[] = "kernel @k(%n: i32) {\n"
                            "  %dead = addi %n, %n : i32\n"
                            "  return\n"
                            "}\n";

static void pipelines_nest_and_names_are_trimmed(void **state) {
  (void)state;
  Bench b;
  open(&b, plain);
  assert_true(run(&b, " host , dce,"));
  assert_string_equal(str_text(&b.timed),
                      "canonicalize find_dots licm cse dce loop_offsets "
                      "canonicalize cse dce axis_info dce ");
  arena_free(&b.arena);
}

static void every_name_is_checked_before_anything_runs(void **state) {
  (void)state;
  Bench b;
  open(&b, plain);
  assert_false(run(&b, "dce,nonsense"));
  assert_non_null(strstr(first_error(&b), "unknown pass 'nonsense'"));
  assert_string_equal(str_text(&b.timed), "");
  b.options.disable = "cse,what";
  assert_false(passes_check(&b.diags, "dce", &b.options));
  assert_true(passes_check(&b.diags, "dce", NULL));
  assert_int_equal(b.diags.num_bugs, 0);
  arena_free(&b.arena);
}

static void passes_are_left_out_and_stopped_after(void **state) {
  (void)state;
  Bench b;
  open(&b, plain);
  b.options.disable = "cse,licm";
  b.options.stop_after = "dce";
  assert_true(run(&b, "host"));
  assert_string_equal(str_text(&b.timed), "canonicalize find_dots dce ");
  arena_free(&b.arena);
}

static void dumps_go_to_the_log(void **state) {
  (void)state;
  Bench b;
  open(&b, plain);
  b.options.print_before = "dce";
  b.options.print_after = "*";
  assert_true(run(&b, "licm,dce"));
  const char *log = str_text(&b.log);
  const char *after_licm = strstr(log, "// after licm\n");
  const char *before_dce = strstr(log, "// before dce\n");
  const char *after_dce = strstr(log, "// after dce\n");
  assert_true(after_licm && after_licm < before_dce && before_dce < after_dce);
  assert_non_null(strstr(before_dce, "%dead"));
  assert_null(strstr(after_dce, "%dead"));
  arena_free(&b.arena);
}

static const char windows[] =
    "kernel @k(%p: ptr<f32>, %n: i64, %i: i32) {\n"
    "  %b = make_block_ptr %p shape(%n) strides(%n) offsets(%i) "
    "{order = [0]} : block_ptr<8xf32>\n"
    "  %v = load_block %b : tile<8xf32>\n"
    "  store_block %b, %v\n"
    "  return\n"
    "}\n";

static void facts_are_found_on_the_ir(void **state) {
  (void)state;
  Bench b;
  open(&b, windows);
  const unsigned both = FACT_LAYOUTS | FACT_NO_BLOCK_POINTERS;
  assert_int_equal(facts_missing(b.m, both, NULL), both);
  assert_int_equal(facts_missing(b.m, 0, NULL), 0);
  assert_true(run(&b, "block_pointers"));
  assert_int_equal(facts_missing(b.m, both, NULL), FACT_LAYOUTS);
  assert_true(run(&b, "assign_layouts"));
  assert_int_equal(facts_missing(b.m, both, NULL), 0);
  arena_free(&b.arena);
}

static const char product[] = "kernel @k(%p: ptr<f16>) {\n"
                              "  %zero = constant {value = 0.0} : f32\n"
                              "  %c = splat %zero : tile<16x16xf32>\n"
                              "  %x = splat %p : tile<16x16xptr<f16>>\n"
                              "  %a = load %x : tile<16x16xf16>\n"
                              "  %d = dot %a, %a, %c : tile<16x16xf32>\n"
                              "  %r = truncf %d : tile<16x16xf16>\n"
                              "  store %x, %r\n"
                              "  return\n"
                              "}\n";

// The choice of instructions for dots is for GPUs; notes about axes are for
// every target.
static void dots_and_accesses_have_facts(void **state) {
  (void)state;
  Bench b;
  open(&b, product);
  const Target *gpu = target_find("sm_80");
  const unsigned both = FACT_MMA_CHOSEN | FACT_AXIS_NOTED;
  assert_int_equal(facts_missing(b.m, both, NULL), FACT_AXIS_NOTED);
  assert_int_equal(facts_missing(b.m, both, gpu), both);
  assert_false(passes_run(b.m, gpu, "assign_layouts", &b.options));
  assert_string_equal(first_error(&b),
                      "pass 'assign_layouts' needs an instruction for every "
                      "dot: run 'select_mma' before it");
  assert_true(passes_run(b.m, gpu, "select_mma", &b.options));
  assert_int_equal(facts_missing(b.m, both, gpu), FACT_AXIS_NOTED);
  assert_true(passes_run(b.m, gpu, "axis_info", &b.options));
  assert_int_equal(facts_missing(b.m, both, gpu), 0);
  arena_free(&b.arena);
}

static const char maxima[] =
    "kernel @k(%x: ptr<f32> {divisibility = [16]}, %n: i32) {\n"
    "  %r = arange {start = 0, end = 512} : tile<512xi32>\n"
    "  %xs = splat %x : tile<512xptr<f32>>\n"
    "  %p = addptr %xs, %r : tile<512xptr<f32>>\n"
    "  %zero = constant {value = 0} : i32\n"
    "  %one = constant {value = 1} : i32\n"
    "  %init = constant {value = 0.0} : tile<512xf32>\n"
    "  %s = for %zero, %n, %one init(%init) {loop_stages = 3} : tile<512xf32> "
    "(%i: i32, %a: tile<512xf32>) {\n"
    "    %v = load %p : tile<512xf32>\n"
    "    %b = maxf %a, %v : tile<512xf32>\n"
    "    yield values(%b)\n"
    "  }\n"
    "  store %p, %s\n"
    "  return\n"
    "}\n";

// Copies ahead are for GPUs that have them.
static void loads_of_loops_have_a_fact(void **state) {
  (void)state;
  Bench b;
  open(&b, maxima);
  const Target *gpu = target_find("sm_80"), *old = target_find("sm_75");
  assert_int_equal(facts_missing(b.m, FACT_PIPELINED, NULL), 0);
  assert_true(
      passes_run(b.m, gpu, "select_mma,assign_layouts,axis_info", &b.options));
  assert_int_equal(facts_missing(b.m, FACT_PIPELINED, old), 0);
  assert_int_equal(facts_missing(b.m, FACT_PIPELINED, gpu), FACT_PIPELINED);
  assert_true(passes_run(b.m, gpu, "pipeline_loops", &b.options));
  assert_int_equal(facts_missing(b.m, FACT_PIPELINED, gpu), 0);
  arena_free(&b.arena);
}

static void a_pass_without_its_facts_says_what_to_run(void **state) {
  (void)state;
  Bench b;
  open(&b, windows);
  assert_false(run(&b, "assign_layouts"));
  assert_string_equal(first_error(&b),
                      "pass 'assign_layouts' needs no block pointers and "
                      "descriptors: run 'block_pointers' before it");
  assert_int_equal(b.diags.num_bugs, 0);
  arena_free(&b.arena);
}

// The facts after the passes of a list, if `facts` hold before it.
static unsigned provided_by(const char *text, unsigned facts) {
  char names[1024], *rest = names;
  assert_true(strlen(text) < sizeof names);
  strcpy(names, text);
  for (char *name; (name = strtok_r(rest, ",", &rest));) {
    const Pass *pass = pass_find(name, strlen(name));
    if (pass && (pass->wants & ~facts))
      fail_msg("'%s' stands in front of what it wants", name);
    if (pass) facts |= pass->provides;
    int i = 0;
    while (!pass && i < pipeline_count && strcmp(pipeline_table[i].name, name))
      i++;
    if (i == pipeline_count) fail_msg("'%s' is no pass and no pipeline", name);
    if (!pass) facts = provided_by(pipeline_table[i].text, facts);
  }
  return facts;
}

static void pipelines_provide_what_passes_want(void **state) {
  (void)state;
  for (int i = 0; i < pipeline_count; i++)
    provided_by(pipeline_table[i].text, 0);
}

static void tables_are_consistent(void **state) {
  (void)state;
  Arena arena;
  DiagList diags;
  arena_init(&arena, &system_allocator);
  diag_init(&diags, &arena);
  for (int i = 0; i < pipeline_count; i++) {
    assert_true(passes_check(&diags, pipeline_table[i].name, NULL));
    const char *name = pipeline_table[i].name;
    assert_null(pass_find(name, strlen(name)));
  }
  for (int i = 0; i < pass_count; i++) {
    const char *name = pass_table[i].name;
    assert_ptr_equal(pass_find(name, strlen(name)), &pass_table[i]);
  }
  arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pipelines_nest_and_names_are_trimmed),
      cmocka_unit_test(every_name_is_checked_before_anything_runs),
      cmocka_unit_test(passes_are_left_out_and_stopped_after),
      cmocka_unit_test(dumps_go_to_the_log),
      cmocka_unit_test(facts_are_found_on_the_ir),
      cmocka_unit_test(dots_and_accesses_have_facts),
      cmocka_unit_test(a_pass_without_its_facts_says_what_to_run),
      cmocka_unit_test(loads_of_loops_have_a_fact),
      cmocka_unit_test(pipelines_provide_what_passes_want),
      cmocka_unit_test(tables_are_consistent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
