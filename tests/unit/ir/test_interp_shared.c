// test_interp_shared.c -- the interpreter: shared memory, copies, barriers.
#include "interp_kit.h"

// A kernel that leaves %r, sixteen i32, in `out`; `in` is sixteen i32 too, %p
// points at them and %i is 0 … 15.
#define KERNEL(body)                                                           \
  "kernel @k(%in: ptr<i32>, %out: ptr<i32>, %n: i32) {\n"                      \
  "  %i = arange {end = 16, start = 0} : tile<16xi32>\n"                       \
  "  %p0 = splat %in : tile<16xptr<i32>>\n"                                    \
  "  %p = addptr %p0, %i : tile<16xptr<i32>>\n"                                \
  "  %0 = constant {value = 0} : i32\n"                                        \
  "  %1 = constant {value = 1} : i32\n" body                                   \
  "  %q0 = splat %out : tile<16xptr<i32>>\n"                                   \
  "  %q = addptr %q0, %i : tile<16xptr<i32>>\n"                                \
  "  store %q, %r\n"                                                           \
  "  return\n"                                                                 \
  "}\n"

static int32_t in[16], out[16];

static void open_kernel(Kit *kit, const char *text, int n) {
  for (int i = 0; i < 16; i++) in[i] = 100 + i, out[i] = -1;
  kit_open(kit, text);
  kit_memory(kit, 0, in, sizeof in);
  kit_memory(kit, 1, out, sizeof out);
  kit->args[2].as.i = n;
}

static void pass(const char *text) {
  Kit kit;
  open_kernel(&kit, text, 0);
  kit_pass(&kit);
}

static void refuse(const char *text, int n, const char *message) {
  Kit kit;
  open_kernel(&kit, text, n);
  kit_fail(&kit, message);
}

#define BUFFER "memdesc<16xi32, shared>"
#define BOX    "memdesc<4x4xi32, shared>"

// -- Buffers and views -------------------------------------------------------

static void test_store_and_load(void **state) {
  (void)state;
  pass(KERNEL("  %x = load %p : tile<16xi32>\n"
              "  %s = alloc_shared : " BUFFER "\n"
              "  store_shared %x, %s\n"
              "  barrier\n"
              "  turn_wait\n"
              "  turn_pass\n"
              "  %y = load_shared %s : tile<16xi32>\n"
              "  %r = convert_layout %y : tile<16xi32>\n"
              "  free_shared %s\n"));
  assert_memory_equal(in, out, sizeof in);
}

static void test_views(void **state) {
  (void)state;
  pass(KERNEL("  %x = reshape %i : tile<4x4xi32>\n"
              "  %a = alloc_shared x(%x) : " BOX "\n"
              "  %t = view_trans %a {order = [1, 0]} : " BOX "\n"
              "  %y = load_shared %t : tile<4x4xi32>\n"
              "  %r = reshape %y : tile<16xi32>\n"));
  for (int i = 0; i < 16; i++) assert_int_equal(out[i], i % 4 * 4 + i / 4);
  pass(KERNEL("  %x = reshape %i : tile<4x4xi32>\n"
              "  %a = alloc_shared x(%x) : " BOX "\n"
              "  %two = constant {value = 2} : i32\n"
              "  %b = view_slice %a offsets(%1, %two) : "
              "memdesc<2x2xi32, shared>\n"
              "  %nine = constant {value = 9} : tile<2x2xi32>\n"
              "  store_shared %nine, %b\n"
              "  %y = load_shared %a : tile<4x4xi32>\n"
              "  %r = reshape %y : tile<16xi32>\n"));
  for (int i = 0; i < 16; i++) {
    const bool inside = (i / 4 == 1 || i / 4 == 2) && i % 4 >= 2;
    assert_int_equal(out[i], inside ? 9 : i);
  }
}

#define INDEXED                                                                \
  KERNEL("  %ring = alloc_shared : memdesc<3x16xi32, shared>\n"                \
         "  %s = view_index %ring, %1 : " BUFFER "\n"                          \
         "  store_shared %i, %s\n"                                             \
         "  %t = view_index %ring, %n : " BUFFER "\n"                          \
         "  %r = load_shared %t : tile<16xi32>\n")

static void test_index(void **state) {
  (void)state;
  Kit kit;
  open_kernel(&kit, INDEXED, 1);
  kit_pass(&kit);
  for (int i = 0; i < 16; i++) assert_int_equal(out[i], i);
  refuse(INDEXED, 2, "error: the value is poison");
  refuse(INDEXED, 3, "out of bounds: index 3 of a dimension of 3");
  refuse(INDEXED, -1, "out of bounds: index -1 of a dimension of 3");
}

static void test_use_after_free(void **state) {
  (void)state;
  refuse(KERNEL("  %s = alloc_shared x(%i) : " BUFFER "\n"
                "  free_shared %s\n"
                "  %r = load_shared %s : tile<16xi32>\n"),
         0, "the buffer is used after it was freed");
}

// A buffer that is allocated again in each trip does not keep its old contents.
static void test_buffer_in_a_loop(void **state) {
  (void)state;
  refuse(KERNEL("  %two = constant {value = 2} : i32\n"
                "  %r = for %0, %two, %1 init(%i) : tile<16xi32> "
                "(%k: i32, %x: tile<16xi32>) {\n"
                "    %s = alloc_shared : " BUFFER "\n"
                "    %first = cmpi %k, %0 {predicate = eq} : i1\n"
                "    if %first () {\n"
                "      store_shared %x, %s\n"
                "      yield\n"
                "    } () {\n"
                "      yield\n"
                "    }\n"
                "    %y = load_shared %s : tile<16xi32>\n"
                "    yield values(%y)\n"
                "  }\n"),
         0, "error: the value is poison");
}

// -- Poison ------------------------------------------------------------------

#define UNDEFINED_TILE                                                         \
  "  %s = alloc_shared : " BUFFER "\n"                                         \
  "  %u = load_shared %s : tile<16xi32>\n"                                     \
  "  %eight = constant {value = 8} : tile<16xi32>\n"                           \
  "  %m = cmpi %i, %eight {predicate = lt} : tile<16xi1>\n"

static void test_poison_that_is_not_used(void **state) {
  (void)state;
  pass(KERNEL(UNDEFINED_TILE "  %v = addi %u, %u : tile<16xi32>\n"
                             "  %w = select %m, %i, %v : tile<16xi32>\n"
                             "  %x = reshape %w : tile<4x4xi32>\n"
                             "  %y = trans %x {order = [1, 0]} : "
                             "tile<4x4xi32>\n"
                             "  %z = trans %y {order = [1, 0]} : "
                             "tile<4x4xi32>\n"
                             "  %f = reshape %z : tile<16xi32>\n"
                             "  %r = select %m, %f, %i : tile<16xi32>\n"));
  for (int i = 0; i < 16; i++) assert_int_equal(out[i], i);
}

static void test_poison_that_is_used(void **state) {
  (void)state;
  refuse(KERNEL(UNDEFINED_TILE "  %r = select %m, %u, %i : tile<16xi32>\n"), 0,
         "error: the value is poison");
  refuse(KERNEL(UNDEFINED_TILE "  %a = addptr %p, %u : tile<16xptr<i32>>\n"
                               "  %r = load %a : tile<16xi32>\n"),
         0, "error: an address is poison");
  refuse(KERNEL(UNDEFINED_TILE "  %t = reduce inputs(%u) {axis = 0} : i32 "
                               "(%a: i32, %b: i32) {\n"
                               "    %c = addi %a, %b : i32\n"
                               "    yield values(%c)\n"
                               "  }\n"
                               "  %yes = cmpi %t, %n {predicate = eq} : i1\n"
                               "  %r = if %yes : tile<16xi32> () {\n"
                               "    yield values(%i)\n"
                               "  } () {\n"
                               "    yield values(%i)\n"
                               "  }\n"),
         0, "error: the condition is poison");
}

// -- Copies ------------------------------------------------------------------

#define START_COPY                                                             \
  "  %s = alloc_shared : " BUFFER "\n"                                         \
  "  %t = async_copy %p, %s : token\n"                                         \
  "  %g = async_commit tokens(%t) : token\n"

static void test_async_copy(void **state) {
  (void)state;
  pass(KERNEL(START_COPY "  %w = async_wait tokens(%g) {count = 0} : token\n"
                         "  %r = load_shared %s token(%w) : tile<16xi32>\n"));
  assert_memory_equal(in, out, sizeof in);
  refuse(KERNEL(START_COPY "  %r = load_shared %s : tile<16xi32>\n"), 0,
         "error: the value is poison: never written, or not waited for");
  refuse(KERNEL(START_COPY "  %w = async_wait {count = 1} : token\n"
                           "  %r = load_shared %s : tile<16xi32>\n"),
         0, "error: the value is poison");
  refuse(KERNEL("  %s = alloc_shared : " BUFFER "\n"
                "  %t = async_copy %p, %s : token\n"
                "  %w = async_wait {count = 0} : token\n"
                "  %r = load_shared %s : tile<16xi32>\n"),
         0, "error: the value is poison");
}

static void test_async_copy_masked(void **state) {
  (void)state;
  pass(KERNEL("  %s = alloc_shared : " BUFFER "\n"
              "  %eight = constant {value = 8} : tile<16xi32>\n"
              "  %m = cmpi %i, %eight {predicate = lt} : tile<16xi1>\n"
              "  %t = async_copy %p, %s mask(%m) other(%i) : token\n"
              "  %g = async_commit tokens(%t) : token\n"
              "  %w = async_wait tokens(%g) {count = 0} : token\n"
              "  %r = load_shared %s token(%w) : tile<16xi32>\n"));
  for (int i = 0; i < 16; i++) assert_int_equal(out[i], i < 8 ? 100 + i : i);
}

// Two copies in flight to one ring: the older may be read, the newer not.
#define TWO_COPIES(count, entry)                                               \
  KERNEL("  %ring = alloc_shared : memdesc<2x16xi32, shared>\n"                \
         "  %a = view_index %ring, %0 : " BUFFER "\n"                          \
         "  %b = view_index %ring, %1 : " BUFFER "\n"                          \
         "  %t = async_copy %p, %a : token\n"                                  \
         "  %g = async_commit tokens(%t) : token\n"                            \
         "  %u = async_copy %p, %b : token\n"                                  \
         "  %h = async_commit tokens(%u) : token\n"                            \
         "  %w = async_wait tokens(%g) {count = " count "} : token\n"          \
         "  %r = load_shared " entry " token(%w) : tile<16xi32>\n")

static void test_async_groups(void **state) {
  (void)state;
  pass(TWO_COPIES("1", "%a"));
  assert_memory_equal(in, out, sizeof in);
  pass(TWO_COPIES("0", "%b"));
  assert_memory_equal(in, out, sizeof in);
  refuse(TWO_COPIES("1", "%b"), 0, "error: the value is poison");
}

// -- Barriers and bulk copies ------------------------------------------------

#define BULK(wait)                                                             \
  KERNEL("  %four = constant {value = 4} : i64\n"                              \
         "  %one = constant {value = 1} : i64\n"                               \
         "  %d = make_desc %in shape(%four, %four) strides(%four, %one) : "    \
         "desc<4x4xi32>\n"                                                     \
         "  %s = alloc_shared : " BOX "\n"                                     \
         "  %b = mbarrier_alloc {count = 1} : mbarrier\n"                      \
         "  mbarrier_expect %b {count = 64}\n"                                 \
         "  copy_desc %d, %s, %b offsets(%1, %0)\n" wait                       \
         "  %x = load_shared %s : tile<4x4xi32>\n"                             \
         "  %r = reshape %x : tile<16xi32>\n")

static void test_bulk_copy(void **state) {
  (void)state;
  pass(BULK("  mbarrier_wait %b, %0\n"));
  for (int i = 0; i < 16; i++) assert_int_equal(out[i], i < 12 ? 104 + i : 0);
  refuse(BULK(""), 0, "error: the value is poison");
  refuse(BULK("  mbarrier_wait %b, %1\n"), 0, "error: the value is poison");
  refuse(BULK("  mbarrier_wait %b, %0\n  mbarrier_wait %b, %1\n"), 0,
         "waits for ever: 1 arrivals and 0 bytes are missing");
}

static void test_arrivals(void **state) {
  (void)state;
#define ARRIVE(count)                                                          \
  KERNEL("  %b = mbarrier_alloc {count = 3} : mbarrier\n"                      \
         "  mbarrier_arrive %b\n"                                              \
         "  mbarrier_arrive %b {count = " count "}\n"                          \
         "  mbarrier_wait %b, %0\n"                                            \
         "  %r = load %p : tile<16xi32>\n")
  pass(ARRIVE("2"));
  refuse(ARRIVE("1"), 0, "waits for ever: 1 arrivals");
}

// Three numbers go through one buffer: each role waits for the other.
#define ROLES(count)                                                           \
  KERNEL("  %three = constant {value = 3} : i32\n"                             \
         "  %count = constant {value = " count "} : i32\n"                     \
         "  %s = alloc_shared : " BUFFER "\n"                                  \
         "  %e = mbarrier_alloc {count = 1} : mbarrier\n"                      \
         "  %f = mbarrier_alloc {count = 1} : mbarrier\n"                      \
         "  warp_specialize () {\n"                                            \
         "    for %0, %count, %1 (%k: i32) {\n"                                \
         "      %next = addi %k, %1 : i32\n"                                   \
         "      %o = andi %next, %1 : i32\n"                                   \
         "      mbarrier_wait %e, %o\n"                                        \
         "      %t = splat %k : tile<16xi32>\n"                                \
         "      store_shared %t, %s\n"                                         \
         "      mbarrier_arrive %f\n"                                          \
         "      yield\n"                                                       \
         "    }\n"                                                             \
         "    yield\n"                                                         \
         "  } () {\n"                                                          \
         "    %z = constant {value = 0} : tile<16xi32>\n"                      \
         "    %ten = constant {value = 10} : tile<16xi32>\n"                   \
         "    %all = for %0, %three, %1 init(%z) : "                           \
         "tile<16xi32> (%k2: i32, %a: tile<16xi32>) {\n"                       \
         "      %o2 = andi %k2, %1 : i32\n"                                    \
         "      mbarrier_wait %f, %o2\n"                                       \
         "      %x = load_shared %s : tile<16xi32>\n"                          \
         "      mbarrier_arrive %e buffers(%s)\n"                              \
         "      %m = muli %a, %ten : tile<16xi32>\n"                           \
         "      %b = addi %m, %x : tile<16xi32>\n"                             \
         "      yield values(%b)\n"                                            \
         "    }\n"                                                             \
         "    store %p, %all\n"                                                \
         "    yield\n"                                                         \
         "  }\n"                                                               \
         "  %r = load %p : tile<16xi32>\n")

static void test_roles(void **state) {
  (void)state;
  pass(ROLES("3"));
  for (int i = 0; i < 16; i++) assert_int_equal(out[i], 12);
  refuse(ROLES("2"), 0, "waits for ever: 1 arrivals");
  refuse(ROLES("5"), 0, "waits for ever: 1 arrivals");
}

// A ring of two: the third copy goes where the first one was, in the second
// phase of its barrier.
#define RING(slot, wait)                                                       \
  KERNEL("  %four = constant {value = 4} : i64\n"                              \
         "  %one = constant {value = 1} : i64\n"                               \
         "  %off = constant {value = false} : i1\n"                            \
         "  %two = constant {value = 2} : i32\n"                               \
         "  %d = make_desc %in shape(%four, %four) strides(%four, %one) : "    \
         "desc<4x4xi32>\n"                                                     \
         "  %ring = alloc_shared : memdesc<2x4x4xi32, shared>\n"               \
         "  %bars = mbarrier_alloc {count = 1, size = 2} : mbarrier\n"         \
         "  %s = view_index %ring, %1 : " BOX "\n"                             \
         "  %b = mbarrier_index %bars, " slot " : mbarrier\n"                  \
         "  mbarrier_expect %b {count = 64}\n"                                 \
         "  copy_desc %d, %s, %b offsets(%1, %0)\n"                            \
         "  mbarrier_await %b\n"                                               \
         "  mbarrier_expect %b mask(%off) {count = 64}\n"                      \
         "  copy_desc %d, %s, %b offsets(%1, %1) mask(%off)\n"                 \
         "  mbarrier_expect %b {count = 64}\n"                                 \
         "  copy_desc %d, %s, %b offsets(%0, %0)\n" wait                       \
         "  %x = load_shared %s : tile<4x4xi32>\n"                             \
         "  %r = reshape %x : tile<16xi32>\n")

static void test_ring_of_barriers(void **state) {
  (void)state;
  pass(RING("%1", "  mbarrier_await %b\n"));
  for (int i = 0; i < 16; i++) assert_int_equal(out[i], 100 + i);
  refuse(RING("%1", ""), 0, "error: the value is poison");
  refuse(RING("%1", "  mbarrier_await %b\n  mbarrier_await %b\n"), 0,
         "waits for ever: 1 arrivals and 0 bytes are missing");
  refuse(RING("%two", ""), 0, "index 2 of a dimension of 2");
}

// Row 3 of the block is outside of a tensor of 3 rows.
#define COPY_TO_BLOCK(how)                                                     \
  KERNEL("  %four = constant {value = 4} : i64\n"                              \
         "  %three = constant {value = 3} : i64\n"                             \
         "  %one = constant {value = 1} : i64\n"                               \
         "  %d = make_desc %in shape(%three, %four) strides(%four, %one) "     \
         ": desc<4x4xi32>\n"                                                   \
         "  %x = reshape %i : tile<4x4xi32>\n"                                 \
         "  %s = alloc_shared x(%x) : " BOX "\n"                               \
         "  async_fence\n"                                                     \
         "  copy_to_desc %d, %s offsets(%0, %0)" how "\n"                      \
         "  bulk_wait\n"                                                       \
         "  bulk_wait_read\n"                                                  \
         "  %r = load %p : tile<16xi32>\n")

static void test_copy_to_block(void **state) {
  (void)state;
  pass(COPY_TO_BLOCK(""));
  for (int i = 0; i < 16; i++) assert_int_equal(out[i], i < 12 ? i : 100 + i);
}

static void test_add_to_block(void **state) {
  (void)state;
  pass(COPY_TO_BLOCK(" {kind = add}"));
  for (int i = 0; i < 16; i++)
    assert_int_equal(out[i], 100 + i + (i < 12 ? i : 0));
}

// Row r of the buffer goes to row r ^ 2; the last one may be masked off.
#define COPY_ROWS(mask)                                                        \
  KERNEL("  %four = constant {value = 4} : tile<4xi32>\n"                      \
         "  %two = constant {value = 2} : tile<4xi32>\n"                       \
         "  %rows = arange {start = 0, end = 4} : tile<4xi32>\n"               \
         "  %three = constant {value = 3} : tile<4xi32>\n"                     \
         "  %row = xori %rows, %two : tile<4xi32>\n"                           \
         "  %far = muli %row, %four : tile<4xi32>\n"                           \
         "  %ins = splat %in : tile<4xptr<i32>>\n"                             \
         "  %to = addptr %ins, %far : tile<4xptr<i32>>\n"                      \
         "  %m = cmpi %rows, %three {predicate = lt} : tile<4xi1>\n"           \
         "  %x = reshape %i : tile<4x4xi32>\n"                                 \
         "  %s = alloc_shared x(%x) : " BOX "\n"                               \
         "  async_fence\n"                                                     \
         "  copy_rows %to, %s" mask "\n"                                       \
         "  bulk_wait\n"                                                       \
         "  %r = load %p : tile<16xi32>\n")

static void test_copy_rows(void **state) {
  (void)state;
  static const int from[] = {8, 12, 0, 4}; // row r ^ 2 has gone to row r
  pass(COPY_ROWS(""));
  for (int i = 0; i < 16; i++) assert_int_equal(out[i], from[i / 4] + i % 4);
  pass(COPY_ROWS(" mask(%m)"));
  for (int i = 0; i < 16; i++)
    assert_int_equal(out[i], i / 4 == 1 ? 100 + i : from[i / 4] + i % 4);
}

// -- Asynchronous dots -------------------------------------------------------

#define DOTS(wait, result)                                                     \
  KERNEL("  %x = reshape %i : tile<4x4xi32>\n"                                 \
         "  %a8 = trunci %x : tile<4x4xi8>\n"                                  \
         "  %a = alloc_shared x(%a8) : memdesc<4x4xi8, shared>\n"              \
         "  %b = view_trans %a {order = [1, 0]} : memdesc<4x4xi8, shared>\n"   \
         "  %c, %t = async_dot %a, %b, %x : tile<4x4xi32>, token\n"            \
         "  %d, %u = async_dot %a8, %b, %c : tile<4x4xi32>, token\n" wait      \
         "  %r = reshape " result " : tile<16xi32>\n")

static void test_async_dot(void **state) {
  (void)state;
  pass(
      DOTS("  %e = dot_wait token(%u) values(%d) {count = 0} : tile<4x4xi32>\n",
           "%e"));
  for (int i = 0; i < 16; i++) {
    int32_t sum = i;
    for (int k = 0; k < 4; k++) {
      sum += 2 * (i / 4 * 4 + k) * (i % 4 * 4 + k);
    }
    assert_int_equal(out[i], sum);
  }
  pass(
      DOTS("  %e = dot_wait token(%u) values(%c) {count = 1} : tile<4x4xi32>\n",
           "%e"));
  refuse(DOTS("", "%d"), 0, "error: the value is poison");
  refuse(
      DOTS("  %e = dot_wait token(%u) values(%d) {count = 1} : tile<4x4xi32>\n",
           "%e"),
      0, "error: the value is poison");
  refuse(
      DOTS("  %e = dot_wait token(%u) values(%c) {count = 0} : tile<4x4xi32>\n",
           "%d"),
      0, "error: the value is poison");
}

static void test_all_ops_were_run(void **state) {
  (void)state;
  kit_covers(OP_warp_specialize, OP_warp_specialize + 1);
  kit_covers(OP_convert_layout, OP_COUNT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_store_and_load),
      cmocka_unit_test(test_views),
      cmocka_unit_test(test_index),
      cmocka_unit_test(test_use_after_free),
      cmocka_unit_test(test_buffer_in_a_loop),
      cmocka_unit_test(test_poison_that_is_not_used),
      cmocka_unit_test(test_poison_that_is_used),
      cmocka_unit_test(test_async_copy),
      cmocka_unit_test(test_async_copy_masked),
      cmocka_unit_test(test_async_groups),
      cmocka_unit_test(test_bulk_copy),
      cmocka_unit_test(test_ring_of_barriers),
      cmocka_unit_test(test_copy_to_block),
      cmocka_unit_test(test_add_to_block),
      cmocka_unit_test(test_copy_rows),
      cmocka_unit_test(test_arrivals),
      cmocka_unit_test(test_roles),
      cmocka_unit_test(test_async_dot),
      cmocka_unit_test(test_all_ops_were_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
