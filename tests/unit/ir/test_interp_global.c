// test_interp_global.c -- the interpreter: block pointers, descriptors and
// atomics on global memory.
#include "interp_kit.h"

#include <math.h>

// -- Block pointers and descriptors ------------------------------------------

enum { ROWS = 5, COLUMNS = 7, STRIDE = 9 };

static void fill_matrix(float *matrix) {
  for (int i = 0; i < ROWS * STRIDE; i++) matrix[i] = (float)(i + 1);
}

#define BLOCK(body)                                                            \
  "kernel @k(%in: ptr<f32>, %out: ptr<f32>, %r: i32, %c: i32) {\n"             \
  "  %rows = constant {value = 5} : i64\n"                                     \
  "  %cols = constant {value = 7} : i64\n"                                     \
  "  %stride = constant {value = 9} : i64\n"                                   \
  "  %one = constant {value = 1} : i64\n"                                      \
  "  %zero = constant {value = 0} : i32\n" body "  return\n"                   \
  "}\n"
#define FROM(name)                                                             \
  "make_block_ptr " name " shape(%rows, %cols) strides(%stride, %one) "        \
  "offsets(%r, %c) {order = [1, 0]} : block_ptr<4x4xf32>\n"

static void block_case(const char *text, int row, int column, bool nan) {
  float in[ROWS * STRIDE], out[16];
  fill_matrix(in);
  Kit kit;
  kit_open(&kit, text);
  kit_memory(&kit, 0, in, sizeof in);
  kit_memory(&kit, 1, out, sizeof out);
  kit.args[2].as.i = row, kit.args[3].as.i = column;
  kit_pass(&kit);
  for (int i = 0; i < 16; i++) {
    const int y = row + i / 4, x = column + i % 4;
    const bool inside = y >= 0 && y < ROWS && x >= 0 && x < COLUMNS;
    if (!inside && nan) {
      assert_true(isnan(out[i]));
    } else {
      assert_true(out[i] == (inside ? in[y * STRIDE + x] : 0.0f));
    }
  }
}

#define PUT_RESULT                                                             \
  "  %four = constant {value = 4} : i64\n"                                     \
  "  %q = make_block_ptr %out shape(%four, %four) strides(%four, %one) "       \
  "offsets(%zero, %zero) {order = [1, 0]} : block_ptr<4x4xf32>\n"              \
  "  store_block %q, %x\n"

static void test_load_block(void **state) {
  (void)state;
  static const char zero[] =
      BLOCK("  %p = " FROM("%in") "  %x = load_block %p {boundary = [0, 1]} : "
                                  "tile<4x4xf32>\n" PUT_RESULT);
  static const char nan[] = BLOCK(
      "  %p = " FROM("%in") "  %x = load_block %p {boundary = [0, 1], "
                            "padding = nan} : tile<4x4xf32>\n" PUT_RESULT);
  for (int row = -5; row < 7; row++) {
    for (int column = -5; column < 9; column += 3) {
      block_case(zero, row, column, false);
      block_case(nan, row, column, true);
    }
  }
}

static void test_descriptors(void **state) {
  (void)state;
  static const char text[] =
      BLOCK("  %p = make_desc %in shape(%rows, %cols) strides(%stride, %one) "
            "{padding = nan} : desc<4x4xf32>\n"
            "  %x = load_desc %p offsets(%r, %c) : tile<4x4xf32>\n" PUT_RESULT);
  for (int row = -5; row < 7; row++) block_case(text, row, 2 * row, true);
}

static void test_unchecked_dimension(void **state) {
  (void)state;
  float in[ROWS * STRIDE], out[16];
  fill_matrix(in);
  Kit kit;
  kit_open(&kit,
           BLOCK("  %p = " FROM("%in") "  %x = load_block %p {boundary = [0]} "
                                       ": tile<4x4xf32>\n" PUT_RESULT));
  kit_memory(&kit, 0, in, sizeof in);
  kit_memory(&kit, 1, out, sizeof out);
  kit.args[2].as.i = 1, kit.args[3].as.i = 5; // columns 7 and 8 are there
  kit_pass(&kit);
  for (int i = 0; i < 16; i++) {
    assert_true(out[i] == in[(1 + i / 4) * STRIDE + 5 + i % 4]);
  }
}

static void store_case(const char *text) {
  float out[ROWS * STRIDE] = {0};
  Kit kit;
  kit_open(&kit, text);
  kit_memory(&kit, 1, out, sizeof out);
  kit.args[2].as.i = 2, kit.args[3].as.i = -1;
  kit_pass(&kit);
  for (int i = 0; i < ROWS * STRIDE; i++) {
    const int y = i / STRIDE, x = i % STRIDE; // the block is at (3, 4)
    const bool inside = y >= 3 && x >= 4 && x < COLUMNS;
    assert_true(out[i] == (inside ? 2.5f : 0.0f));
  }
}

static void test_store_block(void **state) {
  (void)state;
  store_case(
      BLOCK("  %p = " FROM("%out") "  %d = constant {value = 1} : i32\n"
                                   "  %e = constant {value = 5} : i32\n"
                                   "  %q = advance %p offsets(%d, %e) : "
                                   "block_ptr<4x4xf32>\n"
                                   "  %x = constant {value = 2.5} : "
                                   "tile<4x4xf32>\n"
                                   "  store_block %q, %x {boundary = [0, 1]}"
                                   "\n"));
  store_case(
      BLOCK("  %p = make_desc %out shape(%rows, %cols) strides(%stride, %one) "
            ": desc<4x4xf32>\n"
            "  %d = constant {value = 3} : i32\n"
            "  %e = constant {value = 4} : i32\n"
            "  %x = constant {value = 2.5} : tile<4x4xf32>\n"
            "  store_desc %p, %x offsets(%d, %e)\n"));
}

// -- Atomics -----------------------------------------------------------------

// 16 lanes add to 4 cells; the last 3 are masked off.
static void rmw_case(const char *kind, const int32_t *start, int32_t value,
                     const int32_t *end) {
  int32_t memory[4], old[16];
  char text[1024];
  snprintf(text, sizeof text,
           "kernel @k(%%m: ptr<i32>, %%o: ptr<i32>, %%v: i32) {\n"
           "  %%i = arange {end = 16, start = 0} : tile<16xi32>\n"
           "  %%c = constant {value = 3} : tile<16xi32>\n"
           "  %%l = constant {value = 13} : tile<16xi32>\n"
           "  %%k = cmpi %%i, %%l {predicate = lt} : tile<16xi1>\n"
           "  %%j = andi %%i, %%c : tile<16xi32>\n"
           "  %%p0 = splat %%m : tile<16xptr<i32>>\n"
           "  %%p = addptr %%p0, %%j : tile<16xptr<i32>>\n"
           "  %%w = splat %%v : tile<16xi32>\n"
           "  %%r = atomic_rmw %%p, %%w mask(%%k) {kind = %s} : "
           "tile<16xi32>\n"
           "  %%q0 = splat %%o : tile<16xptr<i32>>\n"
           "  %%q = addptr %%q0, %%i : tile<16xptr<i32>>\n"
           "  store %%q, %%r\n"
           "  return\n"
           "}\n",
           kind);
  memcpy(memory, start, sizeof memory);
  Kit kit;
  kit_open(&kit, text);
  kit_memory(&kit, 0, memory, sizeof memory);
  kit_memory(&kit, 1, old, sizeof old);
  kit.args[2].as.i = value;
  kit_pass(&kit);
  assert_memory_equal(memory, end, sizeof memory);
  const bool tells = strcmp(kind, "store") != 0;
  for (int i = 0; i < 4; i++) assert_int_equal(old[i], tells ? start[i] : 0);
  for (int i = 13; i < 16; i++) assert_int_equal(old[i], 0);
}

static void test_atomic_rmw(void **state) {
  (void)state;
  const int32_t start[] = {0, -1, INT32_MAX, 5};
  rmw_case("add", start, 2, (int32_t[]){8, 5, INT32_MIN + 5, 11});
  rmw_case("max", start, 3, (int32_t[]){3, 3, INT32_MAX, 5});
  rmw_case("min", start, 3, (int32_t[]){0, -1, 3, 3});
  rmw_case("umax", start, 3, (int32_t[]){3, -1, INT32_MAX, 5});
  rmw_case("umin", start, 3, (int32_t[]){0, 3, 3, 3});
  rmw_case("and", start, 3, (int32_t[]){0, 3, 3, 1});
  rmw_case("or", start, 3, (int32_t[]){3, -1, INT32_MAX, 7});
  rmw_case("xchg", start, 3, (int32_t[]){3, 3, 3, 3});
  rmw_case("load", start, 3, start);
  rmw_case("store", start, 3, (int32_t[]){3, 3, 3, 3});
  rmw_case("xor", start, 3, (int32_t[]){0, ~3, INT32_MAX ^ 3, 5 ^ 3});
}

// The scalar forms, of floats.
static float float_rmw(const char *kind, float start, float value) {
  char text[512];
  snprintf(text, sizeof text,
           "kernel @k(%%m: ptr<f32>, %%v: f32) {\n"
           "  %%r = atomic_rmw %%m, %%v {kind = %s} : f32\n"
           "  return\n"
           "}\n",
           kind);
  Kit kit;
  kit_open(&kit, text);
  kit_memory(&kit, 0, &start, sizeof start);
  kit.args[1].as.f = (double)value;
  kit_pass(&kit);
  return start;
}

static void test_atomic_floats(void **state) {
  (void)state;
  assert_true(float_rmw("fadd", 0x1p24f, 1) == 0x1p24f);
  assert_true(float_rmw("fadd", 0.5f, 0.25f) == 0.75f);
  assert_true(float_rmw("fmax", NAN, 2) == 2);
  assert_true(float_rmw("fmin", 1, -2) == -2);
  assert_false(signbit(float_rmw("fmax", -0.0f, 0.0f)));
  assert_true(signbit(float_rmw("fmin", 0.0f, -0.0f)));
}

static void test_atomic_cas(void **state) {
  (void)state;
  float memory[2] = {-0.0f, 1};
  Kit kit;
  kit_open(&kit, "kernel @k(%m: ptr<f32>) {\n"
                 "  %zero = constant {value = 0.0} : f32\n"
                 "  %one = constant {value = 1.0} : f32\n"
                 "  %two = constant {value = 2.0} : f32\n"
                 "  %i = constant {value = 1} : i32\n"
                 "  %a = atomic_cas %m, %zero, %two : f32\n"
                 "  %p = addptr %m, %i : ptr<f32>\n"
                 "  %b = atomic_cas %p, %one, %two : f32\n"
                 "  return\n"
                 "}\n");
  kit_memory(&kit, 0, memory, sizeof memory);
  kit_pass(&kit);
  assert_true(memory[0] == 0); // -0 is not 0: the bits are compared
  assert_true(memory[1] == 2);
}

static void test_all_ops_were_run(void **state) {
  (void)state;
  kit_covers(OP_atomic_rmw, OP_dot);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_load_block),
      cmocka_unit_test(test_descriptors),
      cmocka_unit_test(test_unchecked_dimension),
      cmocka_unit_test(test_store_block),
      cmocka_unit_test(test_atomic_rmw),
      cmocka_unit_test(test_atomic_floats),
      cmocka_unit_test(test_atomic_cas),
      cmocka_unit_test(test_all_ops_were_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
