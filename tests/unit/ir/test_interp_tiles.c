// test_interp_tiles.c -- the interpreter: ops on whole tiles.
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

#define SHUFFLED                                                               \
  "  %seven = constant {value = 7} : tile<16xi32>\n"                           \
  "  %low = constant {value = 15} : tile<16xi32>\n"                            \
  "  %five = constant {value = 5} : tile<16xi32>\n"                            \
  "  %a = muli %i, %seven : tile<16xi32>\n"                                    \
  "  %b = andi %a, %low : tile<16xi32>\n"                                      \
  "  %d = subi %b, %five : tile<16xi32>\n"                                     \
  "  %c = reshape %d : tile<4x4xi32>\n"

static int shuffled(int row, int column) {
  return (7 * (4 * row + column) & 15) - 5;
}

// Rows from the first and the last; then columns at a distance of two, where
// the places of one bit, 1 and 2, would give the max.
static void test_minmax(void **state) {
  (void)state;
  move(MOVE(SHUFFLED "  %r = minmaxsi %c {axis = 0, distance = 3, upper = 2} : "
                     "tile<4x4xi32>\n",
            "16"));
  for (int i = 0; i < 16; i++) {
    const int x = shuffled(i / 4, i % 4), y = shuffled(3 - i / 4, i % 4);
    assert_int_equal(moved[i], (x > y) == (i / 4 >= 2) ? x : y);
  }
  move(MOVE(SHUFFLED
            "  %r = minmaxsi %c {axis = 1, distance = 2, reverse = true, "
            "upper = 3} : tile<4x4xi32>\n",
            "16"));
  for (int i = 0; i < 16; i++) {
    const int column = i % 4, is_odd = column == 1 || column == 2;
    const int x = shuffled(i / 4, column), y = shuffled(i / 4, column ^ 2);
    assert_int_equal(moved[i], (x > y) == !is_odd ? x : y);
  }
}

static void test_histogram(void **state) {
  (void)state;
  move(MOVE("  %c = constant {value = 10} : tile<16xi32>\n"
            "  %s = subi %i, %c : tile<16xi32>\n"
            "  %x = muli %s, %s : tile<16xi32>\n"
            "  %r = histogram %x : tile<32xi32>\n",
            "32"));
  int wanted[32] = {0};
  for (int i = 0; i < 16; i++) {
    if ((i - 10) * (i - 10) < 32) wanted[(i - 10) * (i - 10)]++;
  }
  assert_memory_equal(moved, wanted, sizeof wanted);
  // Numbers are read as unsigned, with all of their bits.
  move(MOVE("  %c = constant {value = 4294967293} : tile<16xi64>\n"
            "  %w = extui %i : tile<16xi64>\n"
            "  %x = addi %w, %c : tile<16xi64>\n"
            "  %y = subi %w, %c : tile<16xi64>\n"
            "  %n = constant {value = 5} : tile<16xi64>\n"
            "  %z = subi %w, %n : tile<16xi64>\n"
            "  %a = histogram %x : tile<8xi32>\n"
            "  %b = histogram %y : tile<8xi32>\n"
            "  %d = histogram %z : tile<8xi32>\n"
            "  %t = addi %a, %b : tile<8xi32>\n"
            "  %r = addi %t, %d : tile<8xi32>\n",
            "8"));
  for (int i = 0; i < 8; i++) assert_int_equal(moved[i], 1);
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

// A region that cannot run all lanes at once has the same result.
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

#define DOT(attributes)                                                        \
  "kernel @k(%a: ptr<f32>, %b: ptr<f32>, %c: ptr<f32>, %o: ptr<f32>) "         \
  "{\n"                                                                        \
  "  %i = arange {end = 64, start = 0} : tile<64xi32>\n"                       \
  "  %j = arange {end = 32, start = 0} : tile<32xi32>\n"                       \
  "  %k = arange {end = 16, start = 0} : tile<16xi32>\n"                       \
  "  %a1 = splat %a : tile<64xptr<f32>>\n"                                     \
  "  %b1 = splat %b : tile<32xptr<f32>>\n"                                     \
  "  %c1 = splat %c : tile<16xptr<f32>>\n"                                     \
  "  %o1 = splat %o : tile<16xptr<f32>>\n"                                     \
  "  %a2 = addptr %a1, %i : tile<64xptr<f32>>\n"                               \
  "  %b2 = addptr %b1, %j : tile<32xptr<f32>>\n"                               \
  "  %c2 = addptr %c1, %k : tile<16xptr<f32>>\n"                               \
  "  %o2 = addptr %o1, %k : tile<16xptr<f32>>\n"                               \
  "  %a3 = load %a2 : tile<64xf32>\n"                                          \
  "  %b3 = load %b2 : tile<32xf32>\n"                                          \
  "  %c3 = load %c2 : tile<16xf32>\n"                                          \
  "  %a4 = reshape %a3 : tile<2x4x8xf32>\n"                                    \
  "  %b4 = reshape %b3 : tile<2x8x2xf32>\n"                                    \
  "  %c4 = reshape %c3 : tile<2x4x2xf32>\n"                                    \
  "  %d = dot %a4, %b4, %c4" attributes " : tile<2x4x2xf32>\n"                 \
  "  %e = reshape %d : tile<16xf32>\n"                                         \
  "  store %o2, %e\n"                                                          \
  "  return\n"                                                                 \
  "}\n"

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
  kit_open(&kit, DOT(""));
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

// Bits that tf32 does not have are cut off, unless the precision says
// otherwise.
static void check_cut_off(const char *text, double one, double tiny) {
  float a[2 * 4 * 8] = {0}, b[2 * 8 * 2] = {0}, c[2 * 4 * 2] = {0}, out[16];
  a[0] = -0x1.007fep0f; // 2^-10 is the last bit of tf32
  a[1] = 0x1p-137f;     // 2^-136 is the smallest denormal of tf32
  b[0] = 0x1.ffffp2f;
  b[3] = 0x1p10f;
  Kit kit;
  kit_open(&kit, text);
  kit_memory(&kit, 0, a, sizeof a);
  kit_memory(&kit, 1, b, sizeof b);
  kit_memory(&kit, 2, c, sizeof c);
  kit_memory(&kit, 3, out, sizeof out);
  kit_pass(&kit);
  assert_true((double)out[0] == one);
  assert_true((double)out[1] == tiny);
}

static void test_dot_tf32(void **state) {
  (void)state;
  const double all = (double)(float)(-0x1.007fep0 * 0x1.ffffp2);
  const double tiny = 0x1p-127;
  check_cut_off(DOT(" {precision = tf32}"), -0x1.004p0 * 0x1.ffcp2, 0);
  check_cut_off(DOT(" {precision = ieee}"), all, tiny);
  check_cut_off(DOT(" {precision = tf32x3}"), all, tiny);
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

// Each block of a cluster runs the kernel.
static void test_cluster_rank(void **state) {
  (void)state;
  Kit kit;
  int32_t ranks[5] = {-1, -1, -1, -1, -1};
  kit_open(&kit, "kernel @k(%p: ptr<i32>) {cluster = 4, num_ctas = 4} {\n"
                 "  %r = cluster_rank : i32\n"
                 "  %at = addptr %p, %r : ptr<i32>\n"
                 "  store %at, %r\n"
                 "  return\n"
                 "}\n");
  kit_memory(&kit, 0, ranks, sizeof ranks);
  kit_pass(&kit);
  for (int i = 0; i < 4; i++) assert_int_equal(ranks[i], i);
  assert_int_equal(ranks[4], -1);
}

// The last one of three programs has no neighbour.
static void test_has_neighbour(void **state) {
  (void)state;
  Kit kit;
  int32_t found[4] = {-1, -1, -1, -1};
  kit_open(&kit, "kernel @k(%p: ptr<i32>) {\n"
                 "  %i = program_id {axis = 0} : i32\n"
                 "  %b = has_neighbour : i1\n"
                 "  %x = extui %b : i32\n"
                 "  %at = addptr %p, %i : ptr<i32>\n"
                 "  store %at, %x\n"
                 "  return\n"
                 "}\n");
  kit.launch.grid[0] = 3;
  kit_memory(&kit, 0, found, sizeof found);
  kit_pass(&kit);
  assert_int_equal(found[0], 1);
  assert_int_equal(found[1], 1);
  assert_int_equal(found[2], 0);
  assert_int_equal(found[3], -1);
}

// Each program has a block of its own.
static void test_blocks(void **state) {
  (void)state;
  Kit kit;
  int32_t found[13];
  memset(found, -1, sizeof found);
  kit_open(&kit, "kernel @k(%p: ptr<i32>) {\n"
                 "  %i = block_id : i32\n"
                 "  %n = num_blocks : i32\n"
                 "  %at = addptr %p, %i : ptr<i32>\n"
                 "  %x = addi %n, %i : i32\n"
                 "  store %at, %x\n"
                 "  return\n"
                 "}\n");
  for (int i = 0; i < 3; i++) kit.launch.grid[i] = (int64_t[]){3, 2, 2}[i];
  kit_memory(&kit, 0, found, sizeof found);
  kit_pass(&kit);
  for (int i = 0; i < 12; i++) assert_int_equal(found[i], 12 + i);
  assert_int_equal(found[12], -1);
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
  kit_covers(0, OP_atomic_rmw);
  kit_covers(OP_dot, OP_for);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_trans),
      cmocka_unit_test(test_broadcast),
      cmocka_unit_test(test_join_and_split),
      cmocka_unit_test(test_cat_along_an_axis),
      cmocka_unit_test(test_gather),
      cmocka_unit_test(test_minmax),
      cmocka_unit_test(test_histogram),
      cmocka_unit_test(test_reduce_axes),
      cmocka_unit_test(test_reduce_pairs),
      cmocka_unit_test(test_reduce_lane_by_lane),
      cmocka_unit_test(test_scan),
      cmocka_unit_test(test_dot_floats),
      cmocka_unit_test(test_dot_tf32),
      cmocka_unit_test(test_dot_bytes),
      cmocka_unit_test(test_cluster_rank),
      cmocka_unit_test(test_has_neighbour),
      cmocka_unit_test(test_blocks),
      cmocka_unit_test(test_all_ops_were_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
