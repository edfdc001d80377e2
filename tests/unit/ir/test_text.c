// test_text.c -- the textual IR: round trips, its errors.
//
// Backs I7 of ir/text.
#include "ir/number.h"
#include "ir/text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
  Arena *arena;
  const char *text;
  size_t length;
  const PrintOptions *options;
  bool ok;
  char *printed;
  char *messages; // both malloc'ed
} Job;

static void run(void *data) {
  Job *job = data;
  DiagList diags;
  diag_init(&diags, job->arena);
  Source *source = source_create(job->arena, "t.tir", job->text, job->length);
  diag_add_source(&diags, source);
  Module *m = module_create(job->arena, &diags);
  job->ok = module_parse(m, source);
  Str out = str_in(job->arena), messages = str_in(job->arena);
  module_print(m, job->options, &out);
  diag_render_all(&diags, false, &messages);
  job->printed = strdup(str_text(&out));
  job->messages = strdup(str_text(&messages));
}

static Job roundtrip(const char *text, size_t length,
                     const PrintOptions *options) {
  Arena arena;
  arena_init(&arena, &system_allocator);
  Job job = {&arena, text, length, options, false, NULL, NULL};
  arena_protect(&arena, run, &job);
  arena_free(&arena);
  return job;
}

static void job_free(Job *job) {
  free(job->printed);
  free(job->messages);
}

static void same_text(const char *text, const PrintOptions *options) {
  Job job = roundtrip(text, strlen(text), options);
  assert_string_equal(job.messages, "");
  assert_true(job.ok);
  assert_string_equal(job.printed, text);
  job_free(&job);
}

static const char kernel[] =
    "#0 = layout<offset = [[0, 1], [1, 0]] -> 2x2>\n"
    "#1 = layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], "
    "warp = [], block = [] -> 64>\n"
    "kernel @add(%x: ptr<f32> {divisibility = [16]}, %n: i32, "
    "%m: memdesc<3x2x2xf16, #0, shared>) {num_warps = 4, target = \"cpu\"} {\n"
    "  %0 = constant {value = -1} : i32\n"
    "  %yes = constant {value = true} : i1\n"
    "  %1 = constant {value = 0.1} : tile<64xf32, #1>\n"
    "  %pos = splat %x : tile<64xptr<f32>, #1>\n"
    "  %2 = load %pos other(%1) {cache = cg} : tile<64xf32, #1>\n"
    "  barrier\n"
    "  %sum, %3 = for %0, %n, %0 init(%1, %n) {unroll = 2} : "
    "tile<64xf32, #1>, i32 (%i: i32, %acc: tile<64xf32, #1>, %4: i32) {\n"
    "    %5 = addf %acc, %2 : tile<64xf32, #1>\n"
    "    yield values(%5, %i)\n"
    "  }\n"
    "  if %yes () {\n"
    "    device_print values(%n) {message = \"n\\n\\\"\\\\\\x01: \"}\n"
    "    yield\n"
    "  } () {\n"
    "    yield\n"
    "  }\n"
    "  return\n"
    "}\n"
    "kernel @\xc3\xa9t\xc3\xa9() {\n"
    "  return\n"
    "}\n";

static void printing_is_a_fixed_point(void **state) {
  (void)state;
  same_text(kernel, NULL);
  same_text("", NULL);
}

static void locations_survive(void **state) {
  (void)state;
  const PrintOptions options = {.locations = true};
  same_text("kernel @k() {\n"
            "  %0 = program_id {axis = 0} : i32 loc(\"a \\\"b\\\".py\":3:7)\n"
            "  return loc(unknown)\n"
            "} loc(\"k.py\":1:1)\n",
            &options);
}

static void spaces_and_comments_are_free(void **state) {
  (void)state;
  const char *text = "// first\nkernel@k (%a:i32,%b : ptr< ptr<f16,shared > >)"
                     "{ // {\n%c=addi %a,%a:i32 return}//";
  Job job = roundtrip(text, strlen(text), NULL);
  assert_string_equal(job.printed,
                      "kernel @k(%a: i32, %b: ptr<ptr<f16, shared>>) {\n"
                      "  %c = addi %a, %a : i32\n"
                      "  return\n"
                      "}\n");
  job_free(&job);
}

static void names_are_made_unique(void **state) {
  (void)state;
  const char *text = "kernel @k(%a: i32, %c: i1) {\n"
                     "  if %c () {\n"
                     "    %b = addi %a, %a : i32\n"
                     "    yield\n"
                     "  } () {\n"
                     "    %b = subi %a, %a : i32\n"
                     "    %7 = subi %b, %a : i32\n"
                     "    yield\n"
                     "  }\n"
                     "  return\n"
                     "}\n";
  Job once = roundtrip(text, strlen(text), NULL);
  assert_non_null(strstr(once.printed, "%b_1 = subi %a, %a"));
  assert_non_null(strstr(once.printed, "%0 = subi %b_1, %a"));
  same_text(once.printed, NULL);
  job_free(&once);
}

static void errors_have_places(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"kernel", "t.tir:1:7: error: expected '@', found the end\n"},
      {"foo", "t.tir:1:1: error: expected 'kernel' or a layout '#0 =', found "
              "'foo'\n"},
      {"kernel @k(%a: i33) {}", "t.tir:1:15: error: unknown type 'i33'\n"},
      {"kernel @k(%a: i32) {\n  %b = addi %a, %c : i32\n}",
       "t.tir:2:17: error: %c is not defined here\n"},
      {"kernel @k(%a: i32) {\n  %a = addi %a, %a : i32\n}",
       "t.tir:2:3: error: %a is defined already\n"},
      {"kernel @k() {\n  frob\n}", "t.tir:2:3: error: unknown operation "
                                   "'frob'\n"},
      {"kernel @k() {\n  %0 = program_id {axis = x} : i32\n}",
       "t.tir:2:27: error: expected an integer, found 'x'\n"},
      {"kernel @k() {\n  %0 = program_id {axes = 0} : i32\n}",
       "t.tir:2:20: error: unknown attribute 'axes'\n"},
      {"kernel @k() {\n  %0 = program_id {axis = 0, axis = 0} : i32\n}",
       "t.tir:2:30: error: 'axis' is given twice\n"},
      {"kernel @k() {\n  %0 = constant {value = 300} : i8\n}",
       "t.tir:2:26: error: '300' is no i8\n"},
      {"kernel @k() {\n  %0 = constant {value = 1} : token\n}",
       "t.tir:2:26: error: 'value' needs an integer or float type\n"},
      {"kernel @k(%a: tile<0xf32>) {}",
       "t.tir:1:20: error: the size of this dimension is impossible\n"},
      {"kernel @k(%a: tile<99999x99999xf32>) {}",
       "t.tir:1:26: error: the size of this dimension is impossible\n"},
      {"kernel @k(%a: tile<4xf32, #0>) {}",
       "t.tir:1:28: error: #0 is not defined\n"},
      {"#0 = layout<register = [[1]] -> 3>",
       "t.tir:1:33: error: the size of an axis must be a power of two\n"},
      {"kernel @k() { device_print {message = \"a\n",
       "t.tir:1:39: error: this string does not end\n"},
      {"kernel @k(\x01", "t.tir:1:11: error: expected '%', found byte 0x01\n"},
      {"kernel @k(%a: i1) { if %a {", "t.tir:1:28: error: expected an "
                                      "attribute, found the end\n"},
      {"kernel @k() { return : i32 }",
       "t.tir:1:22: error: 'return' has a type here but no result on its "
       "left\n"},
      {"kernel @k(%p: ptr<f32>) { %v = load %p mask(%p, %p) : f32 }",
       "t.tir:1:49: error: 'mask' takes one value\n"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *text = cases[i].text;
    Job job = roundtrip(text, strlen(text), NULL);
    assert_false(job.ok);
    const size_t length = strlen(cases[i].message);
    if (strncmp(job.messages, cases[i].message, length)) {
      assert_string_equal(job.messages, cases[i].message);
    }
    job_free(&job);
  }
}

static char *repeat(const char *part, size_t count, const char *head) {
  const size_t length = strlen(part);
  char *text = malloc(strlen(head) + count * length + 1);
  char *at = text + strlen(strcpy(text, head));
  for (size_t i = 0; i < count; i++)
    at = memcpy(at, part, length), at += length;
  *at = '\0';
  return text;
}

static void nesting_has_a_limit(void **state) {
  (void)state;
  char *text = repeat("if %c () { ", 100000, "kernel @k(%c: i1) { ");
  Job job = roundtrip(text, strlen(text), NULL);
  assert_non_null(strstr(job.messages, "nested more than 200 deep"));
  job_free(&job);
  free(text);
  text = repeat("ptr<", 100000, "kernel @k(%c: ");
  job = roundtrip(text, strlen(text), NULL);
  assert_non_null(strstr(job.messages, "expected an element type"));
  job_free(&job);
  free(text);
}

// Every prefix, and every byte exchanged by some others.
static void broken_text_is_survived(void **state) {
  (void)state;
  const size_t length = sizeof kernel - 1;
  char *text = malloc(length + 1);
  for (size_t i = 0; i < length; i++) {
    strcpy(text, kernel);
    text[i] = '\0';
    Job job = roundtrip(text, i, NULL);
    assert_non_null(job.printed);
    job_free(&job);
    for (const char *c = " 9%{(<\xff"; *c; c++) {
      job = roundtrip(text, length, NULL);
      assert_true(job.ok || *job.messages);
      job_free(&job);
      text[i] = *c;
    }
  }
  free(text);
}

static void print_float(double value, Elem elem, const char *expected) {
  Arena arena;
  arena_init(&arena, &system_allocator);
  Str out = str_in(&arena);
  float_print(value, elem, &out);
  assert_string_equal(str_text(&out), expected);
  double again;
  assert_true(float_parse(out.data, out.length, elem, &again));
  assert_memory_equal(&again, &value, sizeof value);
  arena_free(&arena);
}

static void floats_print_shortest(void **state) {
  (void)state;
  print_float(0, ELEM_f32, "0.0");
  print_float(-0.0, ELEM_f32, "-0.0");
  print_float(1, ELEM_f16, "1.0");
  print_float(0.1f, ELEM_f32, "0.1");
  print_float(0.1, ELEM_f64, "0.1");
  print_float(0.1f, ELEM_f64, "0.10000000149011612");
  print_float(65504, ELEM_f16, "65504.0");
  print_float(16777216, ELEM_f32, "16777216.0");
  print_float(1e30f, ELEM_f32, "1e+30");
  print_float(0x1p-149, ELEM_f32, "1e-45");
  print_float(0x1p-1074, ELEM_f64, "5e-324");
  print_float(INFINITY, ELEM_bf16, "inf");
  print_float(-INFINITY, ELEM_f64, "-inf");
}

// The expected text is Python's repr().
static void floats_print_as_python(void **state) {
  (void)state;
  static const struct {
    double value;
    const char *expected;
  } cases[] = {{0x1p-24, "5.960464477539063e-08"},
               {-0x1p-24, "-5.960464477539063e-08"},
               {0x1p-44, "5.684341886080802e-14"},
               {0x1p-1022, "2.2250738585072014e-308"},
               {0x1p-1074, "5e-324"},
               {0x1p1023, "8.98846567431158e+307"},
               {9007199254740993e7, "9.007199254740994e+22"},
               {1e16, "1e+16"},
               {123456789012345680, "1.2345678901234568e+17"},
               {0.0001, "0.0001"},
               {0.1 + 0.2, "0.30000000000000004"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    Arena arena;
    arena_init(&arena, &system_allocator);
    Str out = str_in(&arena);
    float_print_repr(cases[i].value, &out);
    assert_string_equal(str_text(&out), cases[i].expected);
    arena_free(&arena);
  }
}

static void floats_parse_strictly(void **state) {
  (void)state;
  double value;
  static const char *const bad[] = {"",         "-",   ".5",  "1e",
                                    "0x1p3",    "1e+", "1f",  "1 ",
                                    "infinity", "+1",  "--1", "1.2.3"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_false(float_parse(bad[i], strlen(bad[i]), ELEM_f32, &value));
  }
  assert_true(float_parse("1.", 2, ELEM_f32, &value));
  assert_true(float_parse("-1E-3", 5, ELEM_f32, &value));
  assert_true(value == -0.001f);
  assert_true(float_parse("nan", 3, ELEM_f32, &value) && isnan(value));
}

static void integers_fit_their_type(void **state) {
  (void)state;
  int64_t value;
  assert_true(int_parse("255", 3, ELEM_i8, &value) && value == -1);
  assert_false(int_parse("256", 3, ELEM_i8, &value));
  assert_true(int_parse("-128", 4, ELEM_i8, &value) && value == -128);
  assert_false(int_parse("-129", 4, ELEM_i8, &value));
  assert_false(int_parse("2", 1, ELEM_i1, &value));
  assert_true(int_parse("-9223372036854775808", 20, ELEM_i64, &value));
  assert_true(value == INT64_MIN);
  assert_false(int_parse("9223372036854775808", 19, ELEM_i64, &value));
  assert_false(int_parse("99999999999999999999", 20, ELEM_i64, &value));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(printing_is_a_fixed_point),
      cmocka_unit_test(locations_survive),
      cmocka_unit_test(spaces_and_comments_are_free),
      cmocka_unit_test(names_are_made_unique),
      cmocka_unit_test(errors_have_places),
      cmocka_unit_test(nesting_has_a_limit),
      cmocka_unit_test(broken_text_is_survived),
      cmocka_unit_test(floats_print_shortest),
      cmocka_unit_test(floats_print_as_python),
      cmocka_unit_test(floats_parse_strictly),
      cmocka_unit_test(integers_fit_their_type),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
