// test_sim_schedule.c -- schedules differ where programs leave the order open.
//
// Backs I2 of runtime/simulator and I6 of runtime/simulator/machine.
#include <stdio.h>

#include "sim_kit.h"

enum { WARPS = 4, TIMES = 6, SEEDS = 40, BLOCKS = 5 };

static void set_schedule(const char *prefix, int seed) {
  char text[24];
  snprintf(text, sizeof text, "%s%d", prefix, seed);
  setenv("TILE_SIM_SCHEDULE", text, 1);
}

// The number of an order of n things, of which each is below n.
static unsigned number_of(const uint32_t *order, unsigned n) {
  unsigned number = 0;
  for (unsigned i = 0; i < n; i++) number = number * n + order[i];
  return number;
}

typedef struct {
  unsigned char seen[1 << 12];
  unsigned count;
} Orders;

static void note(Orders *orders, const uint32_t *order, unsigned n) {
  const unsigned number = number_of(order, n);
  assert_true(number < sizeof orders->seen);
  orders->count += !orders->seen[number];
  orders->seen[number] = 1;
}

// Item i, t of the result: the warp that was the i-th to pass barrier t.
static void run_barriers(CUmodule module, uint32_t found[TIMES][WARPS]) {
  const size_t size = TIMES * WARPS * sizeof **found;
  CUdeviceptr out = kit_upload(NULL, size);
  void *params[] = {&out, &out};
  const KitShape shape = {{1}, {32 * WARPS}, 0};
  assert_int_equal(kit_run(module, "k", shape, params), 0);
  kit_download(found, out, size);
}

static void test_barriers(void **state) {
  (void)state;
  CUmodule module = kit_load_body(
      ".shared .b32 s[6]; shl.b32 %r7, %t, 2; mov.u32 %r8, s;"
      "add.u32 %r7, %r7, %r8; setp.lt.u32 %p1, %t, 6;"
      "@%p1 st.shared.u32 [%r7], 0; mov.u32 %r1, 0; mov.u32 %r6, s;"
      "and.b32 %r2, %t, 31; setp.eq.u32 %p2, %r2, 0; shr.u32 %r3, %t, 5;\n"
      "L: bar.sync 0; @%p2 atom.shared.add.u32 %r4, [%r6], 1;"
      "mad.lo.u32 %r4, %r1, 4, %r4; mul.wide.u32 %d1, %r4, 4;"
      "add.u64 %d1, %d1, %out; @%p2 st.global.u32 [%d1], %r3;"
      "add.u32 %r6, %r6, 4; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 6;\n"
      "@%p1 bra L;");
  static Orders orders;
  for (int seed = 1; seed <= SEEDS; seed++) {
    uint32_t found[TIMES][WARPS], again[TIMES][WARPS];
    set_schedule("", seed);
    run_barriers(module, found);
    set_schedule("random:", seed);
    run_barriers(module, again);
    assert_memory_equal(found, again, sizeof found);
    for (int i = 0; i < TIMES; i++) note(&orders, found[i], WARPS);
  }
  if (orders.count != 24) fail_msg("%u orders of 24", orders.count);
  assert_string_equal(kit_reports(), "");
}

// The order in which CTAs start, and in which lanes access a word.
static void run_order(CUmodule module, unsigned ctas, unsigned threads,
                      uint32_t *found, uint32_t count) {
  static const uint32_t zero[1];
  CUdeviceptr out = kit_upload(NULL, count * sizeof *found);
  CUdeviceptr in = kit_upload(zero, sizeof zero);
  void *params[] = {&out, &in};
  const KitShape shape = {{ctas}, {threads}, 0};
  assert_int_equal(kit_run(module, "k", shape, params), 0);
  kit_download(found, out, count * sizeof *found);
  assert_int_equal(cuMemFree_v2(in), 0);
}

static unsigned count_orders(unsigned ctas, unsigned threads,
                             const char *number) {
  char body[400];
  snprintf(body, sizeof body,
           "atom.global.add.u32 %%r1, [%%in], 1; mov.u32 %%r2, %s;"
           "mul.wide.u32 %%d1, %%r1, 4; add.u64 %%d1, %%d1, %%out;"
           "st.global.u32 [%%d1], %%r2;",
           number);
  CUmodule module = kit_load_body(body);
  Orders *orders = calloc(1, sizeof *orders);
  assert_non_null(orders);
  for (int seed = 1; seed <= SEEDS; seed++) {
    uint32_t found[BLOCKS];
    set_schedule("", seed);
    run_order(module, ctas, threads, found, BLOCKS);
    note(orders, found, BLOCKS);
  }
  const unsigned count = orders->count;
  free(orders);
  return count;
}

static void test_ctas_and_lanes(void **state) {
  (void)state;
  const unsigned ctas = count_orders(BLOCKS, 1, "%ctaid.x");
  const unsigned lanes = count_orders(1, BLOCKS, "%laneid");
  if (ctas < 16) fail_msg("%u orders of blocks", ctas);
  if (lanes < 16) fail_msg("%u orders of lanes", lanes);
}

// Without a seed in order.
static void test_in_order(void **state) {
  (void)state;
  CUmodule module = kit_load_body(
      "atom.global.add.u32 %r1, [%in], 1; mul.wide.u32 %d1, %r1, 4;"
      "add.u64 %d1, %d1, %out; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r2, %r2, 40,"
      "%t; st.global.u32 [%d1], %r2;");
  static const char *const names[] = {"late", "early"};
  for (int i = 0; i < 2; i++) {
    uint32_t found[120];
    setenv("TILE_SIM_SCHEDULE", names[i], 1);
    run_order(module, 3, 40, found, 120);
    for (uint32_t j = 0; j < 120; j++) assert_int_equal(found[j], j);
  }
}

// Two thousand CTAs wait for one lock, each with one warp that polls; the other
// threads wait at a barrier, which costs no instructions.  Each CTA has its
// turns without using up its share.
static void test_lock(void **state) {
  (void)state;
  enum { CTAS = 2000 };
  CUmodule module = kit_load_body(
      ".shared .b32 s[1]; mov.u32 %r1, s; setp.eq.u32 %p1, %t, 0;\n"
      "L: bar.sync 0; mov.u32 %r2, 0;"
      "@%p1 atom.acq_rel.gpu.global.cas.b32 %r2, [%in], 0, 1;"
      "@%p1 st.shared.u32 [%r1], %r2; bar.sync 0; ld.shared.u32 %r3, [%r1];"
      "setp.eq.u32 %p2, %r3, 1; @%p2 bra L;\n"
      "@%p1 ld.global.u32 %r4, [%out]; add.u32 %r4, %r4, 1;"
      "@%p1 st.global.u32 [%out], %r4; bar.sync 0;"
      "@%p1 atom.acq_rel.gpu.global.exch.b32 %r4, [%in], 0;");
  static const char *const names[] = {"late", "early", "7"};
  setenv("TILE_SIM_BUDGET", "40000", 1);
  for (int i = 0; i < 3; i++) {
    static const uint32_t zero[1];
    uint32_t count = 0;
    setenv("TILE_SIM_SCHEDULE", names[i], 1);
    CUdeviceptr out = kit_upload(zero, 4), in = kit_upload(zero, 4);
    void *params[] = {&out, &in};
    const KitShape shape = {{CTAS}, {64}, 0};
    assert_int_equal(kit_run(module, "k", shape, params), 0);
    kit_download(&count, out, sizeof count);
    assert_int_equal(count, CTAS);
    assert_int_equal(cuMemFree_v2(in), 0);
  }
  unsetenv("TILE_SIM_BUDGET");
  assert_string_equal(kit_reports(), "");
}

int main(void) {
  setenv("TILE_SIM_THREADS", "1", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_barriers),
      cmocka_unit_test(test_ctas_and_lanes),
      cmocka_unit_test(test_in_order),
      cmocka_unit_test(test_lock),
  };
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
