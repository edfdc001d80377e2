// test_gpu_pipeline.c -- pipelined loops in the simulator, for every number of
// stages and trips, under every schedule.
#define _DEFAULT_SOURCE // setenv
#include "gpu_kit.h"

enum { MAX_TRIPS = 5, MAX_STAGES = 4 };

// Numbers whose sums of products are exact: 1 and 1.5 (f16).
#define SMALL_F16(count)                                                       \
  { 2, (count), 0x3c00, 0x200 }

static void run(const char *text, const char *target, const GpuTest *like,
                int min_copies) {
  Kit kit;
  GpuTest test = *like;
  test.text = text;
  test.target = target;
  gpu_same(&kit, &test);
  if (count_text(kit.code.data, ".shared.global [") < min_copies) {
    fail_msg("too few copies:\n%s", kit.code.data);
  }
  kit_close(&kit);
}

// -- A product ---------------------------------------------------------------

// z = x @ y over %n trips of 32; the last one ends after `last` columns.
static const char *matmul(Arena *arena, int stages, const char *step) {
  Str out = str_in(arena);
  str_addf(&out,
           "kernel @k(%%x: ptr<f16> {divisibility = [16]}, %%y: ptr<f16> "
           "{divisibility = [16]}, %%z: ptr<f32> {divisibility = [16]}, "
           "%%n: i32, %%step: i32) {%snum_warps = 4} {\n",
           stages ? arena_printf(arena, "num_stages = %d, ", stages) : "");
  gpu_add_place(&out, "a", "%x", 64, 32, 160, "f16");
  gpu_add_place(&out, "b", "%y", 32, 64, 64, "f16");
  gpu_add_place(&out, "c", "%z", 64, 64, 64, "f32");
  str_addf(
      &out,
      "  %%init = constant {value = 0.0} : tile<64x64xf32>\n"
      "  %%zero = constant {value = 0} : i32\n"
      "  %%one = constant {value = 1} : i32\n"
      "  %%k = constant {value = 140} : i32\n"
      "  %%w = constant {value = 32} : i32\n"
      "  %%ma = constant {value = 32} : tile<64x32xi32>\n"
      "  %%mb = constant {value = 2048} : tile<32x64xi32>\n"
      "  %%r, %%e, %%f = for %%zero, %%n, %s init(%%init, %%ap, %%bp) : "
      "tile<64x64xf32>, tile<64x32xptr<f16>>, tile<32x64xptr<f16>> (%%i: i32, "
      "%%s: tile<64x64xf32>, %%pa: tile<64x32xptr<f16>>, %%pb: "
      "tile<32x64xptr<f16>>) {\n"
      "    %%past = muli %%i, %%w : i32\n"
      "    %%left = subi %%k, %%past : i32\n"
      "    %%la = splat %%left : tile<1x32xi32>\n"
      "    %%lm = cmpi %%ac1, %%la {predicate = lt} : tile<1x32xi1>\n"
      "    %%m = broadcast %%lm : tile<64x32xi1>\n"
      "    %%va = load %%pa mask(%%m) : tile<64x32xf16>\n"
      "    %%vb = load %%pb : tile<32x64xf16>\n"
      "    %%d = dot %%va, %%vb, %%s : tile<64x64xf32>\n"
      "    %%na = addptr %%pa, %%ma : tile<64x32xptr<f16>>\n"
      "    %%nb = addptr %%pb, %%mb : tile<32x64xptr<f16>>\n"
      "    yield values(%%d, %%na, %%nb)\n"
      "  }\n"
      "  store %%cp, %%r\n"
      "  return\n}\n",
      step);
  return str_text(&out);
}

// LLVM must move neither copies nor waits nor products; it knows ldmatrix
// itself.
static void assembly_stays_where_it_is(void **state) {
  (void)state;
  static const char *const wanted[] = {"cp.async.cg", "cp.async.wait_group",
                                       "mma.sync"};
  Arena arena;
  Kit kit;
  arena_init(&arena, &system_allocator);
  kit_compile(&kit, matmul(&arena, 3, "%one"), "sm_80", EMIT_LLVM);
  if (!kit.ok) fail_msg("%s", kit_messages(&kit));
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
    check_asm(&kit, wanted[i]);
  kit_close(&kit);
  arena_free(&arena);
}

static void products(void **state) {
  (void)state;
  static const int trips[] = {0, 1, 2, 3, MAX_TRIPS};
  Arena arena;
  arena_init(&arena, &system_allocator);
  for (int stages = 1; stages <= MAX_STAGES; stages++) {
    for (size_t i = 0; i < sizeof trips / sizeof *trips; i++) {
      const GpuTest like = {.num_args = 5,
                            .args = {SMALL_F16(64 * 160),
                                     SMALL_F16(160 * 64),
                                     {4, 64 * 64, 0x11, 0},
                                     {0, trips[i], 0, 0},
                                     {0, 1, 0, 0}}};
      const bool known = (stages + (int)i) % 2;
      run(matmul(&arena, stages, known ? "%one" : "%step"), "sm_80", &like,
          4 * (stages > 1 ? stages : 1));
    }
  }
  arena_free(&arena);
}

// -- Loops in loops, and one after the other ---------------------------------

// Both loops of each trip of the outer one use the same bytes in turn.
static const char *nested(Arena *arena, int stages) {
  Str out = str_in(arena);
  str_addf(&out,
           "kernel @k(%%x: ptr<f16> {divisibility = [16]}, %%y: ptr<f16> "
           "{divisibility = [16]}, %%z: ptr<f32> {divisibility = [16]}, "
           "%%n: i32) {num_stages = %d, num_warps = 4} {\n",
           stages);
  gpu_add_place(&out, "a", "%x", 64, 32, 32, "f16");
  gpu_add_place(&out, "b", "%y", 32, 64, 64, "f16");
  gpu_add_place(&out, "c", "%z", 64, 64, 64, "f32");
  str_add(&out, "  %init = constant {value = 0.0} : tile<64x64xf32>\n"
                "  %zero = constant {value = 0} : i32\n"
                "  %one = constant {value = 1} : i32\n"
                "  %two = constant {value = 2} : i32\n"
                "  %r = for %zero, %two, %one init(%init) : tile<64x64xf32> "
                "(%j: i32, %t: tile<64x64xf32>) {\n");
  for (int loop = 0; loop < 2; loop++) {
    str_addf(&out,
             "    %%r%d = for %%j, %%n, %%one init(%%%s) : tile<64x64xf32> "
             "(%%i%d: i32, %%s%d: tile<64x64xf32>) {\n"
             "      %%va%d = load %%ap : tile<64x32xf16>\n"
             "      %%vb%d = load %%bp : tile<32x64xf16>\n"
             "      %%d%d = dot %%va%d, %%vb%d, %%s%d : tile<64x64xf32>\n"
             "      yield values(%%d%d)\n    }\n",
             loop, loop ? "r0" : "t", loop, loop, loop, loop, loop, loop, loop,
             loop, loop);
  }
  str_add(&out, "    yield values(%r1)\n  }\n"
                "  store %cp, %r\n  return\n}\n");
  return str_text(&out);
}

static void loops_in_loops(void **state) {
  (void)state;
  Arena arena;
  arena_init(&arena, &system_allocator);
  for (int stages = 1; stages <= MAX_STAGES; stages++) {
    for (int n = 0; n <= 3; n++) {
      const GpuTest like = {.num_args = 4,
                            .args = {SMALL_F16(64 * 32),
                                     SMALL_F16(32 * 64),
                                     {4, 64 * 64, 0x11, 0},
                                     {0, n, 0, 0}}};
      run(nested(&arena, stages), "sm_80", &like, 8);
    }
  }
  arena_free(&arena);
}

// -- Two products in a row, as in attention ----------------------------------

// The kernel up to its loop: query, key, value and output tiles, and the first
// values; `more` are further parameters.
static void begin_attention(Str *out, const char *more, int stages, int warps) {
  str_addf(out,
           "kernel @k(%%q: ptr<f16> {divisibility = [16]}, %%k: ptr<f16> "
           "{divisibility = [16]}, %%v: ptr<f16> {divisibility = [16]}, "
           "%%o: ptr<f32> {divisibility = [16]}, %%n: i32%s) "
           "{num_stages = %d, num_warps = %d} {\n",
           more, stages, warps);
  gpu_add_place(out, "a", "%q", 64, 32, 32, "f16");
  gpu_add_place(out, "b", "%k", 64, 32, 32, "f16");
  gpu_add_place(out, "e", "%v", 64, 32, 32, "f16");
  gpu_add_place(out, "c", "%o", 64, 32, 32, "f32");
  str_add(out, "  %init = constant {value = 0.0} : tile<64x32xf32>\n"
               "  %none = constant {value = 0.0} : tile<64x64xf32>\n"
               "  %zero = constant {value = 0} : i32\n"
               "  %row = constant {value = 32} : i32\n"
               "  %vq = load %ap : tile<64x32xf16>\n");
}

static const char *attention(Arena *arena, int stages) {
  Str out = str_in(arena);
  begin_attention(&out, "", stages, 4);
  str_add(&out,
          "  %w = constant {value = 64} : i32\n"
          "  %r = for %zero, %n, %w init(%init) : tile<64x32xf32> (%i: i32, "
          "%s: tile<64x32xf32>) {\n"
          "    %at = muli %i, %row : i32\n"
          "    %by = splat %at : tile<64x32xi32>\n"
          "    %pk = addptr %bp, %by : tile<64x32xptr<f16>>\n"
          "    %pv = addptr %ep, %by : tile<64x32xptr<f16>>\n"
          "    %vk = load %pk : tile<64x32xf16>\n"
          "    %tk = trans %vk {order = [1, 0]} : tile<32x64xf16>\n"
          "    %d = dot %vq, %tk, %none : tile<64x64xf32>\n"
          "    %p = truncf %d : tile<64x64xf16>\n"
          "    %vv = load %pv : tile<64x32xf16>\n"
          "    %f = dot %p, %vv, %s : tile<64x32xf32>\n"
          "    yield values(%f)\n"
          "  }\n"
          "  store %cp, %r\n"
          "  return\n}\n");
  return str_text(&out);
}

static void two_products(void **state) {
  (void)state;
  static const int trips[] = {0, 1, 2, MAX_TRIPS};
  Arena arena;
  arena_init(&arena, &system_allocator);
  for (int stages = 1; stages <= MAX_STAGES; stages++) {
    for (size_t i = 0; i < sizeof trips / sizeof *trips; i++) {
      const int64_t size = MAX_TRIPS * 64 * 32;
      const GpuTest like = {.num_args = 5,
                            .args = {SMALL_F16(64 * 32),
                                     SMALL_F16(size),
                                     SMALL_F16(size),
                                     {4, 64 * 32, 0x11, 0},
                                     {0, 64 * trips[i], 0, 0}}};
      run(attention(&arena, stages), "sm_80", &like, 4);
    }
  }
  arena_free(&arena);
}

// -- Three products: the tile that the second one reads has one buffer -------

static const char *gradients(Arena *arena, int warps) {
  Str out = str_in(arena);
  begin_attention(&out, ", %w: i32", 3, warps);
  str_add(&out,
          "  %r = for %zero, %n, %w init(%init) : tile<64x32xf32> (%i: i32, "
          "%s: tile<64x32xf32>) {\n"
          "    %at = muli %i, %row : i32\n"
          "    %by = splat %at : tile<64x32xi32>\n"
          "    %pk = addptr %bp, %by : tile<64x32xptr<f16>>\n"
          "    %pv = addptr %ep, %by : tile<64x32xptr<f16>>\n"
          "    %vk = load %pk : tile<64x32xf16>\n"
          "    %tk = trans %vk {order = [1, 0]} : tile<32x64xf16>\n"
          "    %d = dot %vq, %tk, %none : tile<64x64xf32>\n"
          "    %vv = load %pv : tile<64x32xf16>\n"
          "    %tv = trans %vv {order = [1, 0]} : tile<32x64xf16>\n"
          "    %e = dot %vq, %tv, %none : tile<64x64xf32>\n"
          "    %g = mulf %d, %e : tile<64x64xf32>\n"
          "    %p = truncf %g : tile<64x64xf16>\n"
          "    %f = dot %p, %vk, %s : tile<64x32xf32>\n"
          "    yield values(%f)\n"
          "  }\n"
          "  store %cp, %r\n"
          "  return\n}\n");
  return str_text(&out);
}

static void three_products(void **state) {
  (void)state;
  Arena arena;
  arena_init(&arena, &system_allocator);
  for (int n = 0; n <= MAX_TRIPS; n++) {
    const int64_t size = MAX_TRIPS * 64 * 32;
    const GpuTest like = {.num_args = 6,
                          .args = {SMALL_F16(64 * 32),
                                   SMALL_F16(size),
                                   SMALL_F16(size),
                                   {4, 64 * 32, 0x11, 0},
                                   {0, 64 * n, 0, 0},
                                   {0, 64, 0, 0}}};
    run(gradients(&arena, 2), "sm_80", &like, 4);
  }
  Kit one, two;
  kit_compile(&one, gradients(&arena, 2), "sm_80", EMIT_ASM);
  kit_compile(&two, gradients(&arena, 4), "sm_80", EMIT_ASM);
  assert_true(one.ok && two.ok);
  const size_t bytes = two.code.kernels->shared_bytes;
  assert_int_equal(one.code.kernels->shared_bytes, bytes - 64 * 32 * 2);
  kit_close(&one);
  kit_close(&two);
  arena_free(&arena);
}

// -- Rows, only because the loop asks for it ---------------------------------

static const char *rows(Arena *arena, const char *options) {
  return arena_printf(
      arena,
      "kernel @k(%%x: ptr<f32> {divisibility = [16]}, %%y: ptr<f32> "
      "{divisibility = [16]}, %%n: i32, %%columns: i32) {num_warps = 4} {\n"
      "  %%c = arange {start = 0, end = 256} : tile<256xi32>\n"
      "  %%cs = splat %%columns : tile<256xi32>\n"
      "  %%m = cmpi %%c, %%cs {predicate = lt} : tile<256xi1>\n"
      "  %%one = constant {value = 1.0} : tile<256xf32>\n"
      "  %%zero = constant {value = 0} : i32\n"
      "  %%step = constant {value = -1} : i32\n"
      "  %%w = constant {value = 256} : i32\n"
      "  for %%n, %%zero, %%step%s (%%i: i32) {\n"
      "    %%o = muli %%i, %%w : i32\n"
      "    %%xi = addptr %%x, %%o : ptr<f32>\n"
      "    %%yi = addptr %%y, %%o : ptr<f32>\n"
      "    %%xs = splat %%xi : tile<256xptr<f32>>\n"
      "    %%ys = splat %%yi : tile<256xptr<f32>>\n"
      "    %%p = addptr %%xs, %%c : tile<256xptr<f32>>\n"
      "    %%q = addptr %%ys, %%c : tile<256xptr<f32>>\n"
      "    %%v = load %%p mask(%%m) other(%%one) : tile<256xf32>\n"
      "    %%d = addf %%v, %%one : tile<256xf32>\n"
      "    store %%q, %%d\n"
      "    yield\n"
      "  }\n"
      "  return\n}\n",
      options);
}

static void rows_on_demand(void **state) {
  (void)state;
  Arena arena;
  arena_init(&arena, &system_allocator);
  for (int n = 0; n <= MAX_TRIPS; n++) {
    const GpuTest like = {.num_args = 4,
                          .args = {{4, 256 * 6, 0x3f800000, 0x700000},
                                   {4, 256 * 6, 0x11, 0},
                                   {0, n, 0, 0},
                                   {0, 200, 0, 0}}};
    run(rows(&arena, ""), "sm_80", &like, 0);
    run(rows(&arena, " {loop_stages = 4}"), "sm_80", &like, 0);
  }
  Kit kit;
  const char *ptx = kit_ptx(&kit, rows(&arena, ""), "sm_80");
  assert_int_equal(count_text(ptx, "cp.async"), 0);
  kit_close(&kit);
  ptx = kit_ptx(&kit, rows(&arena, " {loop_stages = 4}"), "sm_80");
  assert_true(count_text(ptx, "shared.global") == 8);
  kit_close(&kit);
  arena_free(&arena);
}

// -- Limits ------------------------------------------------------------------

static void refused_on_sm_86(Arena *arena, const char *ir,
                             const char *message) {
  Kit kit;
  kit_compile(&kit, ir, "sm_86", EMIT_ASM);
  assert_false(kit.ok);
  if (!strstr(kit_messages(&kit), message)) fail_msg("%s", kit_messages(&kit));
  kit_close(&kit);
  arena_free(arena);
}

// Stages that do not fit are refused if the program asked for them.
static void too_many_stages(void **state) {
  (void)state;
  Arena arena;
  arena_init(&arena, &system_allocator);
  refused_on_sm_86(&arena, matmul(&arena, 16, "%one"),
                   "16 stages of this loop need 122880 bytes of shared memory, "
                   "and a block of sm_86 has 101376; lower num_stages");
}

// A product whose trips are 256 deep: each stage takes 131,072 bytes.
static const char *deep_product(Arena *arena, const char *attrs) {
  Str out = str_in(arena);
  str_addf(&out,
           "kernel @k(%%x: ptr<f16> {divisibility = [16]}, %%y: ptr<f16> "
           "{divisibility = [16]}, %%z: ptr<f32>, %%n: i32) "
           "{%snum_warps = 8} {\n",
           attrs);
  gpu_add_place(&out, "a", "%x", 128, 256, 256, "f16");
  gpu_add_place(&out, "b", "%y", 256, 128, 128, "f16");
  gpu_add_place(&out, "c", "%z", 128, 128, 128, "f32");
  str_add(&out, "  %init = constant {value = 0.0} : tile<128x128xf32>\n"
                "  %zero = constant {value = 0} : i32\n"
                "  %one = constant {value = 1} : i32\n"
                "  %r = for %zero, %n, %one init(%init) : tile<128x128xf32> "
                "(%i: i32, %s: tile<128x128xf32>) {\n"
                "    %va = load %ap : tile<128x256xf16>\n"
                "    %vb = load %bp : tile<256x128xf16>\n"
                "    %d = dot %va, %vb, %s : tile<128x128xf32>\n"
                "    yield values(%d)\n"
                "  }\n"
                "  store %cp, %r\n  return\n}\n");
  return str_text(&out);
}

static void expect_deep(const char *attrs, const char *chip,
                        const char *message, int64_t bytes) {
  Arena arena;
  Kit kit;
  arena_init(&arena, &system_allocator);
  kit_compile(&kit, deep_product(&arena, attrs), chip, EMIT_ASM);
  assert_true(kit.ok);
  if (!strstr(kit_messages(&kit), message)) fail_msg("%s", kit_messages(&kit));
  assert_int_equal(kit.code.kernels->shared_bytes, bytes);
  kit_close(&kit);
  arena_free(&arena);
}

// One stage cannot be lowered: the tile must be smaller.
static void one_stage_too_big(void **state) {
  (void)state;
  Arena arena;
  arena_init(&arena, &system_allocator);
  refused_on_sm_86(&arena, deep_product(&arena, "num_stages = 1, "),
                   "the loads of this loop need 131072 bytes of shared memory "
                   "with num_stages=1, and a block of sm_86 has 101376; make "
                   "the largest tile that is loaded for a dot smaller: "
                   "[128, 256] of f16");
}

// The default is lowered to a number that fits, with a remark.
static void fewer_stages(void **state) {
  (void)state;
  expect_deep("", "sm_80",
              "2 stages of this loop instead of 3: those would need 262144 "
              "bytes",
              131072);
}

// If not even one stage fits, all is loaded as if nothing were copied.  Both
// operands, 128x256 f16 or 65,536 bytes, then change their layout one after the
// other in the same place, which is halved until memory no longer limits the
// programs on the chip below the number that registers allow: the sums alone
// take so many registers that this is two of 256 threads.  An SM has 102,400
// bytes, of which the driver takes 1,024 for each program: 65,536 bytes leave
// room for one program and 32,768 for three.
static void no_copies(void **state) {
  (void)state;
  const char *message = "no loads of this loop are copied to shared memory: "
                        "with num_stages=1 it would need 131072 bytes";
  expect_deep("", "sm_86", message, 32768);
  // Each of two has a half of 65,536 bytes.
  expect_deep("", "sm_75", message, 32768);
}

// On chips without such copies there is a remark if stages are asked for.
static void no_stages(void **state) {
  (void)state;
  expect_deep("num_stages = 3, ", "sm_75", "num_stages=3 means 1 for this loop",
              32768);
}

// The thread that makes the store is chosen like a thread that copies.
static void a_barrier_needs_no_copy(void **state) {
  (void)state;
  Kit kit;
  const char *ptx = kit_ptx(&kit,
                            "kernel @k(%n: i32) {\n"
                            "  %b = mbarrier_alloc {count = 1} : mbarrier\n"
                            "  mbarrier_arrive %b\n"
                            "  mbarrier_wait %b, %n\n"
                            "  return\n"
                            "}\n",
                            "sm_90a");
  assert_int_equal(count_text(ptx, "mbarrier.init"), 1);
  assert_int_equal(count_text(ptx, "elect.sync"), 1);
  if (have_ptxas()) check_ptxas(ptx, "sm_90a");
  kit_close(&kit);
}

// Without a product there is nothing that ptxas could wait for too early.
static void a_late_wait_needs_no_product(void **state) {
  (void)state;
  Kit kit;
  const char *ptx = kit_ptx(&kit,
                            "kernel @k() {\n"
                            "  dot_wait {count = 0, late = true}\n"
                            "  return\n"
                            "}\n",
                            "sm_90a");
  assert_int_equal(count_text(ptx, "wgmma.wait_group"), 1);
  assert_int_equal(count_text(ptx, "bra"), 0);
  kit_close(&kit);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(assembly_stays_where_it_is),
      cmocka_unit_test(products),
      cmocka_unit_test(loops_in_loops),
      cmocka_unit_test(two_products),
      cmocka_unit_test(three_products),
      cmocka_unit_test(rows_on_demand),
      cmocka_unit_test(too_many_stages),
      cmocka_unit_test(one_stage_too_big),
      cmocka_unit_test(fewer_stages),
      cmocka_unit_test(no_copies),
      cmocka_unit_test(no_stages),
      cmocka_unit_test(a_barrier_needs_no_copy),
      cmocka_unit_test(a_late_wait_needs_no_product),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
