// test_interp_tiles.c -- the interpreter: ops on whole tiles, and atomics.
#include "interp_kit.h"

#include "ir/builder.h"

#include <math.h>

// -- Shapes ------------------------------------------------------------------

// `body` makes %r of `shape` (count elements) from %i, which is 0 … 15.
#define MOVE(body, count)                                                      \
  "kernel @k(%out: ptr<i32>) {\n"                                              \
  "  %i = arange {end = 16, start = 0} : tile<16xi32>\n" body                  \
  "  %f = reshape %r : tile<" count "xi32>\n"                                  \
  "  %at = arange {end = " count ", start = 0} : tile<" count "xi32>\n"        \
  "  %p = splat %out : tile<" count "xptr<i32>>\n"                             \
  "  %q = addptr %p, %at : tile<" count "xptr<i32>>\n"                         \
  "  store %q, %f\n"                                                           \
  "  return\n"                                                                 \
  "}\n"

static int32_t moved[64];

static void move(const char *text) {
  Kit kit;
  kit_open(&kit, text);
  kit_memory(&kit, 0, moved, sizeof moved);
  kit_pass(&kit);
}

static void test_trans(void **state) {
  (void)state;
  move(MOVE("  %c = reshape %i : tile<2x4x2xi32>\n"
            "  %r = trans %c {order = [1, 2, 0]} : tile<4x2x2xi32>\n",
            "16"));
  for (int i = 0; i < 16; i++) {
    const int a = i / 4, b = i / 2 % 2, c = i % 2; // of the result
    assert_int_equal(moved[i], c * 8 + a * 2 + b);
  }
}

static void test_broadcast(void **state) {
  (void)state;
  move(MOVE("  %a = arange {end = 9, start = 5} : tile<4xi32>\n"
            "  %c = expand_dims %a {axis = 0} : tile<1x4xi32>\n"
            "  %d = expand_dims %a {axis = 1} : tile<4x1xi32>\n"
            "  %e = broadcast %c : tile<4x4xi32>\n"
            "  %g = broadcast %d : tile<4x4xi32>\n"
            "  %ten = constant {value = 10} : tile<4x4xi32>\n"
            "  %h = muli %g, %ten : tile<4x4xi32>\n"
            "  %k = addi %h, %e : tile<4x4xi32>\n"
            "  %r = hint %k {divisibility = [1, 1]} : tile<4x4xi32>\n",
            "16"));
  for (int i = 0; i < 16; i++) {
    assert_int_equal(moved[i], (i / 4 + 5) * 10 + i % 4 + 5);
  }
}

static void test_join_and_split(void **state) {
  (void)state;
  move(MOVE("  %y = constant {value = 100} : tile<16xi32>\n"
            "  %r = join %i, %y : tile<16x2xi32>\n",
            "32"));
  for (int i = 0; i < 32; i++) assert_int_equal(moved[i], i % 2 ? 100 : i / 2);
  move(MOVE("  %c = reshape %i : tile<8x2xi32>\n"
            "  %a, %b = split %c : tile<8xi32>, tile<8xi32>\n"
            "  %r = cat %b, %a : tile<16xi32>\n",
            "16"));
  for (int i = 0; i < 16; i++) {
    assert_int_equal(moved[i], i < 8 ? 2 * i + 1 : 2 * (i - 8));
  }
}

static void test_cat_along_an_axis(void **state) {
  (void)state;
  move(MOVE("  %c = reshape %i : tile<4x4xi32>\n"
            "  %y = constant {value = 9} : tile<4x4xi32>\n"
            "  %r = cat %c, %y {axis = 1} : tile<4x8xi32>\n",
            "32"));
  for (int i = 0; i < 32; i++) {
    assert_int_equal(moved[i], i % 8 < 4 ? i / 8 * 4 + i % 8 : 9);
  }
}

static void test_gather(void **state) {
  (void)state;
  move(MOVE("  %c = reshape %i : tile<4x4xi32>\n"
            "  %k = arange {end = 6, start = -2} : tile<8xi32>\n"
            "  %k1 = expand_dims %k {axis = 0} : tile<1x8xi32>\n"
            "  %k2 = broadcast %k1 : tile<4x8xi32>\n"
            "  %r = gather %c, %k2 {axis = 1} : tile<4x8xi32>\n",
            "32"));
  for (int i = 0; i < 32; i++) {
    const int at = i % 8 - 2;
    assert_int_equal(moved[i], at < 0 || at > 3 ? 0 : i / 8 * 4 + at);
  }
  move(MOVE("  %c = reshape %i : tile<4x4xi32>\n"
            "  %k = constant {value = 2} : tile<1x4xi32>\n"
            "  %r = gather %c, %k {axis = 0} : tile<1x4xi32>\n",
            "4"));
  for (int i = 0; i < 4; i++) assert_int_equal(moved[i], 8 + i);
}

// -- Reductions --------------------------------------------------------------

static void test_reduce_axes(void **state) {
  (void)state;
  static const char *const texts[] = {
      MOVE("  %c = reshape %i : tile<2x4x2xi32>\n"
           "  %r = reduce inputs(%c) {axis = 0} : tile<4x2xi32> "
           "(%a: i32, %b: i32) {\n"
           "    %s = addi %a, %b : i32\n"
           "    yield values(%s)\n"
           "  }\n",
           "8"),
      MOVE("  %c = reshape %i : tile<2x4x2xi32>\n"
           "  %r = reduce inputs(%c) {axis = 1} : tile<2x2xi32> "
           "(%a: i32, %b: i32) {\n"
           "    %s = addi %a, %b : i32\n"
           "    yield values(%s)\n"
           "  }\n",
           "4"),
      MOVE("  %c = reshape %i : tile<2x4x2xi32>\n"
           "  %r = reduce inputs(%c) {axis = 2} : tile<2x4xi32> "
           "(%a: i32, %b: i32) {\n"
           "    %s = addi %a, %b : i32\n"
           "    yield values(%s)\n"
           "  }\n",
           "8")};
  const int strides[] = {8, 2, 1}, lengths[] = {2, 4, 2};
  for (int axis = 0; axis < 3; axis++) {
    move(texts[axis]);
    int32_t sums[8] = {0};
    for (int i = 0; i < 16; i++) {
      const int inner = strides[axis], row = i / (inner * lengths[axis]);
      sums[row * inner + i % inner] += i;
    }
    assert_memory_equal(moved, sums, (size_t)(16 / lengths[axis]) * 4);
  }
}

// argmax with ties to the left: two values a lane, and a value from outside.
static void test_reduce_pairs(void **state) {
  (void)state;
  int32_t out[2];
  Kit kit;
  kit_open(&kit, "kernel @k(%out: ptr<i32>, %bias: i32) {\n"
                 "  %i = arange {end = 16, start = 0} : tile<16xi32>\n"
                 "  %five = constant {value = 5} : tile<16xi32>\n"
                 "  %x = remsi %i, %five : tile<16xi32>\n"
                 "  %m, %at = reduce inputs(%x, %i) {axis = 0} : i32, i32 "
                 "(%a: i32, %j: i32, %b: i32, %k: i32) {\n"
                 "    %zero = constant {value = 0} : i32\n"
                 "    %bz = addi %b, %bias : i32\n"
                 "    %by = subi %bz, %bias : i32\n"
                 "    %bx = addi %by, %zero : i32\n"
                 "    %more = cmpi %a, %bx {predicate = gt} : i1\n"
                 "    %same = cmpi %a, %bx {predicate = eq} : i1\n"
                 "    %left = cmpi %j, %k {predicate = lt} : i1\n"
                 "    %tie = andi %same, %left : i1\n"
                 "    %first = ori %more, %tie : i1\n"
                 "    %v = select %first, %a, %bx : i32\n"
                 "    %w = select %first, %j, %k : i32\n"
                 "    yield values(%v, %w)\n"
                 "  }\n"
                 "  store %out, %m\n"
                 "  %one = constant {value = 1} : i32\n"
                 "  %p = addptr %out, %one : ptr<i32>\n"
                 "  store %p, %at\n"
                 "  return\n"
                 "}\n");
  kit_memory(&kit, 0, out, sizeof out);
  kit.args[1].as.i = 12345;
  kit_pass(&kit);
  assert_int_equal(out[0], 4);
  assert_int_equal(out[1], 4);
}

// A region that cannot run all lanes at once gives the same.
static void test_reduce_lane_by_lane(void **state) {
  (void)state;
  move(MOVE("  %c = reshape %i : tile<2x8xi32>\n"
            "  %r = reduce inputs(%c) {axis = 1} : tile<2xi32> "
            "(%a: i32, %b: i32) {\n"
            "    %p = program_id {axis = 0} : i32\n"
            "    %t = addi %a, %p : i32\n"
            "    %s = maxsi %t, %b : i32\n"
            "    yield values(%s)\n"
            "  }\n",
            "2"));
  assert_int_equal(moved[0], 7);
  assert_int_equal(moved[1], 15);
}

#define SCAN(axis, reverse)                                                    \
  MOVE("  %c = reshape %i : tile<4x4xi32>\n"                                   \
       "  %r = scan inputs(%c) {axis = " axis ", reverse = " reverse           \
       "} : tile<4x4xi32> (%a: i32, %b: i32) {\n"                              \
       "    %three = constant {value = 3} : i32\n"                             \
       "    %t = muli %a, %three : i32\n"                                      \
       "    %s = addi %t, %b : i32\n"                                          \
       "    yield values(%s)\n"                                                \
       "  }\n",                                                                \
       "16")

static void scan_case(const char *text, int axis, bool reverse) {
  move(text);
  for (int line = 0; line < 4; line++) {
    int32_t sum = 0;
    for (int k = 0; k < 4; k++) {
      const int j = reverse ? 3 - k : k;
      const int at = axis ? line * 4 + j : j * 4 + line;
      sum = k ? sum * 3 + at : at;
      assert_int_equal(moved[at], sum);
    }
  }
}

static void test_scan(void **state) {
  (void)state;
  scan_case(SCAN("0", "false"), 0, false);
  scan_case(SCAN("1", "false"), 1, false);
  scan_case(SCAN("0", "true"), 0, true);
  scan_case(SCAN("1", "true"), 1, true);
}

// -- dot ---------------------------------------------------------------------

static double small(int i) {
  return (i * 37 % 23 - 11) * 0.25;
}

static void test_dot_floats(void **state) {
  (void)state;
  float a[2 * 4 * 8], b[2 * 8 * 2], c[2 * 4 * 2], out[2 * 4 * 2];
  for (int i = 0; i < 64; i++) a[i] = (float)small(i);
  for (int i = 0; i < 32; i++) b[i] = (float)small(i * 3 + 1);
  for (int i = 0; i < 16; i++) c[i] = (float)small(i * 5 + 2);
  Kit kit;
  kit_open(&kit,
           "kernel @k(%a: ptr<f32>, %b: ptr<f32>, %c: ptr<f32>, %o: ptr<f32>) "
           "{\n"
           "  %i = arange {end = 64, start = 0} : tile<64xi32>\n"
           "  %j = arange {end = 32, start = 0} : tile<32xi32>\n"
           "  %k = arange {end = 16, start = 0} : tile<16xi32>\n"
           "  %a1 = splat %a : tile<64xptr<f32>>\n"
           "  %b1 = splat %b : tile<32xptr<f32>>\n"
           "  %c1 = splat %c : tile<16xptr<f32>>\n"
           "  %o1 = splat %o : tile<16xptr<f32>>\n"
           "  %a2 = addptr %a1, %i : tile<64xptr<f32>>\n"
           "  %b2 = addptr %b1, %j : tile<32xptr<f32>>\n"
           "  %c2 = addptr %c1, %k : tile<16xptr<f32>>\n"
           "  %o2 = addptr %o1, %k : tile<16xptr<f32>>\n"
           "  %a3 = load %a2 : tile<64xf32>\n"
           "  %b3 = load %b2 : tile<32xf32>\n"
           "  %c3 = load %c2 : tile<16xf32>\n"
           "  %a4 = reshape %a3 : tile<2x4x8xf32>\n"
           "  %b4 = reshape %b3 : tile<2x8x2xf32>\n"
           "  %c4 = reshape %c3 : tile<2x4x2xf32>\n"
           "  %d = dot %a4, %b4, %c4 : tile<2x4x2xf32>\n"
           "  %e = reshape %d : tile<16xf32>\n"
           "  store %o2, %e\n"
           "  return\n"
           "}\n");
  kit_memory(&kit, 0, a, sizeof a);
  kit_memory(&kit, 1, b, sizeof b);
  kit_memory(&kit, 2, c, sizeof c);
  kit_memory(&kit, 3, out, sizeof out);
  kit_pass(&kit);
  for (int i = 0; i < 16; i++) {
    const int batch = i / 8, m = i / 2 % 4, n = i % 2;
    double sum = (double)c[i];
    for (int k = 0; k < 8; k++) {
      sum += (double)a[(batch * 4 + m) * 8 + k] *
             (double)b[(batch * 8 + k) * 2 + n];
    }
    assert_true((double)out[i] == sum); // exact: small multiples of 1/16
  }
}

static void test_dot_bytes(void **state) {
  (void)state;
  move(MOVE("  %c = reshape %i : tile<4x4xi32>\n"
            "  %a = trunci %c : tile<4x4xi8>\n"
            "  %h = constant {value = -128} : tile<4x4xi8>\n"
            "  %b = addi %a, %h : tile<4x4xi8>\n"
            "  %r = dot %a, %b, %c : tile<4x4xi32>\n",
            "16"));
  for (int i = 0; i < 16; i++) {
    int32_t sum = i;
    for (int k = 0; k < 4; k++) sum += (i / 4 * 4 + k) * (k * 4 + i % 4 - 128);
    assert_int_equal(moved[i], sum);
  }
}

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
  for (int i = 0; i < 4; i++) assert_int_equal(old[i], start[i]);
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
  Kit kit;
  kit_open(&kit, "kernel @k() {\n"
                 "  %no = constant {value = false} : i1\n"
                 "  %n = num_programs {axis = 0} : i32\n"
                 "  assume %no\n"
                 "  return\n"
                 "}\n");
  kit_pass(&kit);
  kit_covers(0, OP_for);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_trans),
      cmocka_unit_test(test_broadcast),
      cmocka_unit_test(test_join_and_split),
      cmocka_unit_test(test_cat_along_an_axis),
      cmocka_unit_test(test_gather),
      cmocka_unit_test(test_reduce_axes),
      cmocka_unit_test(test_reduce_pairs),
      cmocka_unit_test(test_reduce_lane_by_lane),
      cmocka_unit_test(test_scan),
      cmocka_unit_test(test_dot_floats),
      cmocka_unit_test(test_dot_bytes),
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
