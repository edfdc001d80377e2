// test_interp.c -- the interpreter: control flow, memory, grids, errors.
#include "interp_kit.h"

// -- Control flow ------------------------------------------------------------

#define SUM_LOOP                                                               \
  "kernel @sum(%out: ptr<i64>, %lo: i32, %hi: i32, %step: i32) {\n"            \
  "  %zero = constant {value = 0} : i64\n"                                     \
  "  %last = constant {value = -77} : i32\n"                                   \
  "  %one = constant {value = 1} : i64\n"                                      \
  "  %sum, %prev, %n = for %lo, %hi, %step init(%zero, %last, %zero) : i64, "  \
  "i32, i64 (%i: i32, %s: i64, %p: i32, %k: i64) {\n"                          \
  "    %w = extsi %i : i64\n"                                                  \
  "    %t = addi %s, %w : i64\n"                                               \
  "    %k1 = addi %k, %one : i64\n"                                            \
  "    yield values(%t, %i, %k1)\n"                                            \
  "  }\n"                                                                      \
  "  %pw = extsi %prev : i64\n"                                                \
  "  %i1 = addptr %out, %one : ptr<i64>\n"                                     \
  "  %i2 = addptr %i1, %one : ptr<i64>\n"                                      \
  "  store %out, %sum\n"                                                       \
  "  store %i1, %pw\n"                                                         \
  "  store %i2, %n\n"                                                          \
  "  return\n"                                                                 \
  "}\n"

static void loop_case(int32_t lo, int32_t hi, int32_t step) {
  int64_t out[3] = {0}, sum = 0, last = -77, count = 0;
  for (int64_t i = lo; step > 0 ? i < hi : step < 0 && i > hi; i += step) {
    sum += i, last = i, count++;
  }
  Kit kit;
  kit_open(&kit, SUM_LOOP);
  kit_memory(&kit, 0, out, sizeof out);
  kit.args[1].as.i = lo, kit.args[2].as.i = hi, kit.args[3].as.i = step;
  kit_pass(&kit);
  assert_int_equal(out[0], sum);
  assert_int_equal(out[1], last);
  assert_int_equal(out[2], count);
}

static void test_for(void **state) {
  (void)state;
  loop_case(0, 0, 1);
  loop_case(0, 1, 1);
  loop_case(5, 5, -1);
  loop_case(0, 10, 3);
  loop_case(10, 0, -3);
  loop_case(3, 10, 0);
  loop_case(3, 10, -1);
  loop_case(-5, 6, 2);
  loop_case(INT32_MAX - 5, INT32_MAX, 4);
  loop_case(INT32_MIN + 5, INT32_MIN, -4);
}

static void test_for_does_not_wrap_64_bits(void **state) {
  (void)state;
  int32_t count = 0;
  Kit kit;
  kit_open(&kit, "kernel @k(%out: ptr<i32>, %lo: i64, %hi: i64) {\n"
                 "  %step = constant {value = 3} : i64\n"
                 "  %zero = constant {value = 0} : i32\n"
                 "  %one = constant {value = 1} : i32\n"
                 "  %n = for %lo, %hi, %step init(%zero) : i32 "
                 "(%i: i64, %k: i32) {\n"
                 "    %k1 = addi %k, %one : i32\n"
                 "    yield values(%k1)\n"
                 "  }\n"
                 "  store %out, %n\n"
                 "  return\n"
                 "}\n");
  kit_memory(&kit, 0, &count, sizeof count);
  kit.args[1].as.i = INT64_MAX - 4, kit.args[2].as.i = INT64_MAX;
  kit_pass(&kit);
  assert_int_equal(count, 2);
}

// Carried values that trade places must not overwrite each other.
static void test_for_swaps(void **state) {
  (void)state;
  int32_t out[8];
  Kit kit;
  kit_open(&kit, "kernel @k(%out: ptr<i32>) {\n"
                 "  %0 = constant {value = 0} : i32\n"
                 "  %1 = constant {value = 1} : i32\n"
                 "  %3 = constant {value = 3} : i32\n"
                 "  %a0 = arange {end = 4, start = 0} : tile<4xi32>\n"
                 "  %b0 = arange {end = 14, start = 10} : tile<4xi32>\n"
                 "  %a, %b = for %0, %3, %1 init(%a0, %b0) : tile<4xi32>, "
                 "tile<4xi32> (%i: i32, %x: tile<4xi32>, %y: tile<4xi32>) {\n"
                 "    yield values(%y, %x)\n"
                 "  }\n"
                 "  %p0 = splat %out : tile<4xptr<i32>>\n"
                 "  %p = addptr %p0, %a0 : tile<4xptr<i32>>\n"
                 "  %four = constant {value = 4} : tile<4xi32>\n"
                 "  %q = addptr %p, %four : tile<4xptr<i32>>\n"
                 "  store %p, %a\n"
                 "  store %q, %b\n"
                 "  return\n"
                 "}\n");
  kit_memory(&kit, 0, out, sizeof out);
  kit_pass(&kit);
  const int32_t expected[] = {10, 11, 12, 13, 0, 1, 2, 3};
  assert_memory_equal(out, expected, sizeof out);
}

#define COLLATZ                                                                \
  "kernel @collatz(%out: ptr<i32>, %n: i32) {\n"                               \
  "  %0 = constant {value = 0} : i32\n"                                        \
  "  %1 = constant {value = 1} : i32\n"                                        \
  "  %2 = constant {value = 2} : i32\n"                                        \
  "  %3 = constant {value = 3} : i32\n"                                        \
  "  %steps = while init(%n, %0) : i32 (%x: i32, %k: i32) {\n"                 \
  "    %more = cmpi %x, %1 {predicate = ne} : i1\n"                            \
  "    condition %more values(%k)\n"                                           \
  "  } (%j: i32) {\n"                                                          \
  "    yield values(%n, %j)\n"                                                 \
  "  }\n"                                                                      \
  "  store %out, %steps\n"                                                     \
  "  return\n"                                                                 \
  "}\n"

static void test_while_and_if(void **state) {
  (void)state;
  static const char text[] =
      "kernel @collatz(%out: ptr<i32>, %n: i32) {\n"
      "  %0 = constant {value = 0} : i32\n"
      "  %1 = constant {value = 1} : i32\n"
      "  %2 = constant {value = 2} : i32\n"
      "  %3 = constant {value = 3} : i32\n"
      "  %end, %steps = while init(%n, %0) : i32, i32 (%x: i32, %k: i32) {\n"
      "    %more = cmpi %x, %1 {predicate = ne} : i1\n"
      "    condition %more values(%x, %k)\n"
      "  } (%y: i32, %j: i32) {\n"
      "    %r = remsi %y, %2 : i32\n"
      "    %odd = cmpi %r, %0 {predicate = ne} : i1\n"
      "    %z = if %odd : i32 () {\n"
      "      %t = muli %y, %3 : i32\n"
      "      %u = addi %t, %1 : i32\n"
      "      yield values(%u)\n"
      "    } () {\n"
      "      %h = divsi %y, %2 : i32\n"
      "      yield values(%h)\n"
      "    }\n"
      "    %j1 = addi %j, %1 : i32\n"
      "    yield values(%z, %j1)\n"
      "  }\n"
      "  store %out, %steps\n"
      "  return\n"
      "}\n";
  for (int n = 1; n < 30; n++) {
    int steps = 0, out = -1;
    for (int x = n; x != 1; x = x % 2 ? 3 * x + 1 : x / 2) steps++;
    Kit kit;
    kit_open(&kit, text);
    kit_memory(&kit, 0, &out, sizeof out);
    kit.args[1].as.i = n;
    kit_pass(&kit);
    assert_int_equal(out, steps);
  }
}

// Regions nest as deep as the text may: the interpreter keeps no frame for one.
static void test_deep_nesting(void **state) {
  (void)state;
  enum { DEPTH = 150 };
  static char text[64 * 1024];
  size_t at = 0;
  const size_t size = sizeof text;
  int32_t out = 0;
  at += (size_t)snprintf(text, size,
                         "kernel @k(%%out: ptr<i32>, %%c: i1) {\n"
                         "%%x = constant {value = 7} : i32\n");
  for (int i = 0; i < DEPTH; i++) {
    at += (size_t)snprintf(text + at, size - at, "%%v%d = if %%c : i32 () {\n",
                           i);
  }
  at += (size_t)snprintf(text + at, size - at,
                         "yield values(%%x)\n} () {\nyield values(%%x)\n}\n");
  for (int i = DEPTH - 1; i > 0; i--) {
    at += (size_t)snprintf(text + at, size - at,
                           "yield values(%%v%d)\n} () {\n"
                           "yield values(%%x)\n}\n",
                           i);
  }
  snprintf(text + at, size - at, "store %%out, %%v0\nreturn\n}\n");
  Kit kit;
  kit_open(&kit, text);
  kit_memory(&kit, 0, &out, sizeof out);
  kit.args[1].as.i = 1;
  kit_pass(&kit);
  assert_int_equal(out, 7);
}

static void test_step_limit(void **state) {
  (void)state;
  int out;
  Kit kit;
  kit_open(&kit, COLLATZ);
  kit_memory(&kit, 0, &out, sizeof out);
  kit.args[1].as.i = 2;
  kit.launch.max_steps = 1000;
  kit_fail(&kit, "gave up after 1000 operations");
}

static void test_grid(void **state) {
  (void)state;
  int32_t out[2 * 3 * 4] = {0};
  Kit kit;
  kit_open(&kit, "kernel @k(%out: ptr<i32>) {\n"
                 "  %x = program_id {axis = 0} : i32\n"
                 "  %y = program_id {axis = 1} : i32\n"
                 "  %z = program_id {axis = 2} : i32\n"
                 "  %nx = num_programs {axis = 0} : i32\n"
                 "  %ny = num_programs {axis = 1} : i32\n"
                 "  %0 = muli %z, %ny : i32\n"
                 "  %1 = addi %0, %y : i32\n"
                 "  %2 = muli %1, %nx : i32\n"
                 "  %3 = addi %2, %x : i32\n"
                 "  %p = addptr %out, %3 : ptr<i32>\n"
                 "  %one = constant {value = 1} : i32\n"
                 "  %v = addi %3, %one : i32\n"
                 "  store %p, %v\n"
                 "  return\n"
                 "}\n");
  kit_memory(&kit, 0, out, sizeof out);
  kit.launch.grid[0] = 2, kit.launch.grid[1] = 3, kit.launch.grid[2] = 4;
  kit_pass(&kit);
  for (int i = 0; i < 24; i++) assert_int_equal(out[i], i + 1);
}

// -- Memory ------------------------------------------------------------------

#define COPY(body)                                                             \
  "kernel @copy(%in: ptr<f32>, %out: ptr<f32>, %n: i32) {\n"                   \
  "  %i = arange {end = 16, start = 0} : tile<16xi32>\n"                       \
  "  %s = splat %n : tile<16xi32>\n"                                           \
  "  %m = cmpi %i, %s {predicate = lt} : tile<16xi1>\n"                        \
  "  %p0 = splat %in : tile<16xptr<f32>>\n"                                    \
  "  %p = addptr %p0, %i : tile<16xptr<f32>>\n"                                \
  "  %q0 = splat %out : tile<16xptr<f32>>\n"                                   \
  "  %q = addptr %q0, %i : tile<16xptr<f32>>\n" body "  return\n"              \
  "}\n"

static void test_masks(void **state) {
  (void)state;
  for (int n = 0; n <= 16; n++) {
    float *in = malloc(sizeof *in * (size_t)n + 1), out[16];
    for (int i = 0; i < n; i++) in[i] = (float)i + 0.5f;
    Kit kit;
    kit_open(&kit, COPY("  %c = constant {value = -3.0} : tile<16xf32>\n"
                        "  %x = load %p mask(%m) other(%c) : tile<16xf32>\n"
                        "  store %q, %x\n"));
    kit_memory(&kit, 0, in, sizeof *in * (size_t)n);
    kit_memory(&kit, 1, out, sizeof out);
    kit.args[2].as.i = n;
    kit_pass(&kit);
    for (int i = 0; i < 16; i++) {
      assert_true(out[i] == (i < n ? (float)i + 0.5f : -3.0f));
    }
    free(in);
  }
}

static void test_masked_load_without_other_is_zero(void **state) {
  (void)state;
  float in[4] = {1, 2, 3, 4}, out[16];
  memset(out, 0xff, sizeof out);
  Kit kit;
  kit_open(&kit, COPY("  %x = load %p mask(%m) : tile<16xf32>\n"
                      "  store %q, %x\n"));
  kit_memory(&kit, 0, in, sizeof in);
  kit_memory(&kit, 1, out, sizeof out);
  kit.args[2].as.i = 4;
  kit_pass(&kit);
  for (int i = 0; i < 16; i++) assert_true(out[i] == (i < 4 ? in[i] : 0));
}

static void bounds_case(size_t have, int n, const char *message) {
  float in[16] = {0}, out[16];
  Kit kit;
  kit_open(&kit, COPY("  %x = load %p mask(%m) : tile<16xf32>\n"
                      "  store %q, %x\n"));
  kit_memory(&kit, 0, in, have);
  kit_memory(&kit, 1, out, sizeof out);
  kit.args[2].as.i = n;
  kit_fail(&kit, message);
}

static void test_out_of_bounds(void **state) {
  (void)state;
  bounds_case(40, 16,
              "t.tir:9:3: error: out of bounds: address is 0 bytes past the "
              "end of argument %in of 40 bytes (lane 10)");
  bounds_case(42, 16, "crosses the end of argument %in of 42 bytes (lane 10)");
  bounds_case(0, 1, "0 bytes past the end of argument %in of 0 bytes (lane 0)");
  float in[16] = {0};
  Kit kit;
  kit_open(&kit, COPY("  %c = constant {value = 3} : tile<16xi32>\n"
                      "  %j = subi %i, %c : tile<16xi32>\n"
                      "  %b = addptr %p0, %j : tile<16xptr<f32>>\n"
                      "  %x = load %b : tile<16xf32>\n"));
  kit_memory(&kit, 0, in, sizeof in);
  kit_fail(&kit, "address is 12 bytes before the start of argument %in of 64 "
                 "bytes (lane 0)");
  kit_open(&kit, COPY("  %x = load %p : tile<16xf32>\n"));
  kit_memory(&kit, 1, in, sizeof in);
  kit_fail(&kit, "out of bounds: null pointer (lane 0)");
}

// -- Poison, assertions, printing --------------------------------------------

static void collect(void *ctx, const char *text) {
  strncat(ctx, text, 1023 - strlen(ctx));
}

static void test_print(void **state) {
  (void)state;
  char text[1024] = "";
  Kit kit;
  kit_open(&kit, "kernel @k(%x: f32, %n: i16) {\n"
                 "  %i = arange {end = 1, start = -1} : tile<2xi32>\n"
                 "  %m = reshape %i : tile<1x2xi32>\n"
                 "  device_print values(%m, %x) {message = \" v: \"}\n"
                 "  device_print values(%n) {hex = true, message = \" n: \"}\n"
                 "  device_print {message = \" here\"}\n"
                 "  return\n"
                 "}\n");
  kit.args[0].as.f = 0.1, kit.args[1].as.i = -2;
  kit.launch.print = collect, kit.launch.print_ctx = text;
  kit_pass(&kit);
  assert_string_equal(text, "pid (0, 0, 0) idx (0, 0) v: (operand 0) -1\n"
                            "pid (0, 0, 0) idx (0, 1) v: (operand 0) 0\n"
                            "pid (0, 0, 0) idx () v: (operand 1) 0.100000\n"
                            "pid (0, 0, 0) idx () n: 0xfffe\n"
                            "pid (0, 0, 0) here\n");
}

#define ASSERT(mask)                                                           \
  "kernel @k(%n: i32) {\n"                                                     \
  "  %i = arange {end = 8, start = 0} : tile<8xi32>\n"                         \
  "  %s = splat %n : tile<8xi32>\n"                                            \
  "  %c = cmpi %i, %s {predicate = lt} : tile<8xi1>\n"                         \
  "  %two = constant {value = 2} : tile<8xi32>\n"                              \
  "  %m = cmpi %i, %two {predicate = ge} : tile<8xi1>\n"                       \
  "  device_assert %c" mask " {message = \"too big\"}\n"                       \
  "  return\n"                                                                 \
  "}\n"

static void assert_case(const char *text, int n, const char *message) {
  Kit kit;
  kit_open(&kit, text);
  kit.args[0].as.i = n;
  if (message) {
    kit_fail(&kit, message);
  } else {
    kit_pass(&kit);
  }
}

static void test_assert(void **state) {
  (void)state;
  assert_case(ASSERT(""), 8, NULL);
  assert_case(ASSERT(""), 5, "assertion failed: too big (lane 5)");
  assert_case(ASSERT(" mask(%m)"), 0, "assertion failed: too big (lane 2)");
}

// The message names the program that failed.
static void test_failing_program(void **state) {
  (void)state;
  Kit kit;
  kit_open(&kit, "kernel @k() {\n"
                 "  %x = program_id {axis = 0} : i32\n"
                 "  %two = constant {value = 2} : i32\n"
                 "  %c = cmpi %x, %two {predicate = ne} : i1\n"
                 "  device_assert %c {message = \"\"}\n"
                 "  return\n"
                 "}\n");
  kit.launch.grid[0] = 4, kit.launch.grid[1] = 2;
  kit_fail(&kit, "note: in program (2, 0, 0), at 'device_assert'");
}

// Assembly runs only on its own target.
static void test_assembly(void **state) {
  (void)state;
  static const char *const ops[] = {"inline_asm", "inline_asm_effects"};
  for (int i = 0; i < 2; i++) {
    Kit kit;
    char text[256];
    snprintf(text, sizeof text,
             "kernel @k() {\n  %s {assembly = \"\", constraints = \"\", "
             "pack = 1}\n  return\n}\n",
             ops[i]);
    kit_open(&kit, text);
    kit_fail(&kit, "inline assembly is for GPUs");
  }
}

static void test_all_ops_were_run(void **state) {
  (void)state;
  Kit kit;
  kit_open(&kit, "kernel @k() {\n"
                 "  barrier\n"
                 "  return\n"
                 "}\n");
  kit_pass(&kit);
  kit_covers(OP_for, OP_warp_specialize);
  kit_covers(OP_warp_specialize + 1, OP_convert_layout);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_for),
      cmocka_unit_test(test_for_does_not_wrap_64_bits),
      cmocka_unit_test(test_for_swaps),
      cmocka_unit_test(test_while_and_if),
      cmocka_unit_test(test_deep_nesting),
      cmocka_unit_test(test_step_limit),
      cmocka_unit_test(test_grid),
      cmocka_unit_test(test_masks),
      cmocka_unit_test(test_masked_load_without_other_is_zero),
      cmocka_unit_test(test_out_of_bounds),
      cmocka_unit_test(test_print),
      cmocka_unit_test(test_assert),
      cmocka_unit_test(test_failing_program),
      cmocka_unit_test(test_assembly),
      cmocka_unit_test(test_all_ops_were_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
