// test_sim_wgmma_values.c -- values at the edges of wgmma: sums that round,
// sums that overflow, NaN, and programs whose warps pass buffers on.
#include <math.h>
#include <stdio.h>

#include "sim_kit.h"
#include "tests/sim/floats.h"

// All rows of A are equal, and all columns of B, so that all sums are equal:
// the first four words of `in` are A's registers, the next 64 are a column of
// B, and then comes the accumulator.
static const char head[] =
    ".version 8.5\n.target sm_90a\n.address_size 64\n"
    ".visible .entry k(.param .u64 out_p, .param .u64 in_p) {\n"
    ".reg .b32 %a<4>, %r<9>, %t, %m; .reg .b32 %s<4>; .reg .b64 %d<9>, %in;\n"
    ".reg .b64 %out, %db; .reg .pred %p<4>; .shared .align 1024 .b8 s[2048];\n"
    "ld.param.u64 %out, [out_p]; ld.param.u64 %in, [in_p];\n"
    "mov.u32 %t, %tid.x; mul.wide.u32 %d1, %t, 4; add.u64 %out, %out, %d1;\n"
    "ld.global.b32 %a0, [%in]; ld.global.b32 %a1, [%in];\n"
    "ld.global.b32 %a2, [%in+4]; ld.global.b32 %a3, [%in+4];\n"
    "mov.b32 %m, 0x44444444;\n"
    // Sixteen threads fill the columns; without a swizzle a column of eight is
    // 16 bytes, and the next part of k 128 bytes further.
    "mov.u32 %r1, s; mad.lo.u32 %r2, %t, 16, %r1; setp.lt.u32 %p1, %t, 32;\n"
    "shr.u32 %r3, %t, 3; mul.wide.u32 %d2, %r3, 16; add.u64 %d3, %in, %d2;\n"
    "@!%p1 bra N;\n"
    "ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%d3+16];\n"
    "st.shared.v4.b32 [%r2], {%r4, %r5, %r6, %r7};\n"
    "N: ld.global.b32 %s0, [%in+80]; mov.b32 %s1, %s0; mov.b32 %s2, %s0;\n"
    "mov.b32 %s3, %s0; shr.u32 %r1, %r1, 4; cvt.u64.u32 %db, %r1;\n"
    "add.u64 %db, %db, 0x0000001000080000;\n"
    "fence.proxy.async; bar.sync 0; wgmma.fence.sync.aligned;\n";
static const char tail[] = "wgmma.commit_group.sync.aligned;\n"
                           "wgmma.wait_group.sync.aligned 0;\n"
                           "st.global.b32 [%out], %s0;\nret;\n}\n";

typedef struct {
  uint32_t a[4], b[16], sum, rest[3];
} Input;

// The product, its operands, and the sum.
static uint32_t run(const char *product, const Input *in) {
  static char text[8192];
  uint32_t out[128];
  snprintf(text, sizeof text, "%s%s%s", head, product, tail);
  assert_int_equal(
      kit_map(kit_load_text(text), 128, in, sizeof *in, out, sizeof out), 0);
  assert_string_equal(kit_reports(), "");
  for (int i = 1; i < 128; i++) assert_int_equal(out[i], out[0]);
  return out[0];
}

#define F32_F16                                                                \
  "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%s0, %s1, %s2, %s3}, "   \
  "{%a0, %a1, %a2, %a3}, %db, 1, 1, 1, 0;"
#define F16_F16                                                                \
  "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%s0, %s1}, "             \
  "{%a0, %a1, %a2, %a3}, %db, 1, 1, 1, 0;"
#define TF32                                                                   \
  "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%s0, %s1, %s2, %s3}, "  \
  "{%a0, %a1, %a2, %a3}, %db, 1, 1, 1;"
#define S8(saturates)                                                          \
  "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8" saturates                  \
  " {%s0, %s1, %s2, %s3}, {%a0, %a1, %a2, %a3}, %db, 1;"
#define SPARSE                                                                 \
  "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 "                      \
  "{%s0, %s1, %s2, %s3}, {%a0, %a1, %a2, %a3}, %db, %m, 0, 1, 1, 1, 0;"

enum { ONE = 0x3c00, INFINITE = 0x7c00, HALF_NAN = 0x7e00, TINY = 1 };

static void fill(uint32_t *words, int count, uint32_t word) {
  for (int i = 0; i < count; i++) words[i] = word;
}

static void test_floats(void **state) {
  (void)state;
  Input in = {.sum = single_bits(0.5F)};
  fill(in.a, 4, ONE * 0x10001u);
  fill(in.b, 16, ONE * 0x10001u);
  assert_int_equal(run(F32_F16, &in), single_bits(16.5F));
  // Sixteen ones are lost one by one when they are added to 2^24.
  in.sum = single_bits(16777216.0F);
  assert_int_equal(run(F32_F16, &in), single_bits(16777216.0F));
  // The smallest f16 squared is a normal f32.
  in.sum = 0;
  fill(in.a, 4, TINY * 0x10001u);
  fill(in.b, 16, TINY * 0x10001u);
  assert_int_equal(run(F32_F16, &in), single_bits(16 * ldexpf(1, -48)));
  in.sum = 0x3c003c00;
  assert_int_equal(run(F16_F16, &in), 0x3c003c00);
}

static void test_no_numbers(void **state) {
  (void)state;
  Input in = {.sum = single_bits(1)};
  fill(in.a, 4, ONE * 0x10001u);
  fill(in.b, 16, INFINITE * 0x10001u);
  assert_int_equal(run(F32_F16, &in), 0x7f800000);
  in.a[0] = ONE | 0xbc000000u; // 1 and -1: infinity less infinity
  assert_int_equal(run(F32_F16, &in), 0x7fffffff);
  in.sum = 0x3c003c00;
  assert_int_equal(run(F16_F16, &in), 0x7fff7fff);
  fill(in.a, 4, ONE * 0x10001u);
  assert_int_equal(run(F16_F16, &in), 0x7c007c00);
  fill(in.b, 16, 0);
  in.b[0] = HALF_NAN;
  in.sum = single_bits(1);
  assert_int_equal(run(F32_F16, &in), 0x7fffffff);
}

static void test_cut_operands(void **state) {
  (void)state;
  // The last 13 bits of an f32 operand do not count in tf32.
  Input in = {.sum = 0};
  fill(in.a, 4, 0x3f801fff);
  fill(in.b, 16, 0x3f801fff);
  assert_int_equal(run(TF32, &in), single_bits(8));
}

static void test_integers(void **state) {
  (void)state;
  Input in = {.sum = 0x7fffff00};
  fill(in.a, 4, 0x80808080);
  fill(in.b, 16, 0x80808080);
  assert_int_equal(run(S8(""), &in), 0x7fffff00u + 32 * 128 * 128);
  assert_int_equal(run(S8(".satfinite"), &in), 0x7fffffff);
  fill(in.b, 16, 0x7f7f7f7f);
  in.sum = 0x80000010;
  assert_int_equal(run(S8(""), &in), 0x80000010u - 32 * 128 * 127);
  assert_int_equal(run(S8(".satfinite"), &in), 0x80000000);
}

// Elements 0 and 1 of four are held: the elements of B for the others are
// infinite.
static void test_sparse(void **state) {
  (void)state;
  Input in = {.sum = single_bits(3)};
  fill(in.a, 4, ONE * 0x10001u);
  for (int i = 0; i < 16; i++) in.b[i] = (i % 2 ? INFINITE : ONE) * 0x10001u;
  assert_int_equal(run(SPARSE, &in), single_bits(19));
}

// -- Code that ptxas repairs, and buffers that are handed on -----------------

// Accumulators that are read in flight have the sums.
static void test_early_read(void **state) {
  (void)state;
  static char text[8192];
  Input in = {.sum = single_bits(2)};
  uint32_t out[128];
  fill(in.a, 4, ONE * 0x10001u);
  fill(in.b, 16, ONE * 0x10001u);
  snprintf(text, sizeof text, "%s%s%s", head, F32_F16,
           "wgmma.commit_group.sync.aligned; { .reg .f32 %x; mov.b32 %x, %s0;"
           "add.f32 %x, %x, 0f3f800000; st.global.f32 [%out], %x; }"
           "wgmma.wait_group.sync.aligned 0; ret; }");
  assert_int_equal(
      kit_map(kit_load_text(text), 128, &in, sizeof in, out, sizeof out), 0);
  assert_string_equal(kit_reports(), "wgmma-read ");
  for (int i = 0; i < 128; i++) assert_int_equal(out[i], single_bits(19));
}

// Warp 4 fills two stages of 9 KB, A and B, with the trip's number; one thread
// of the other warps releases a stage right behind its own wait.
#define MIGHT_WAIT(at, parity)                                                 \
  "mbarrier.try_wait.parity.shared.b64 %%p1, [" at "], " parity ";"
static const char ring[] =
    ".version 8.7\n.target sm_90a\n.address_size 64\n"
    ".visible .entry k(.param .u64 out_p, .param .u64 in_p) {\n"
    ".reg .b32 %%r<20>, %%t; .reg .f32 %%f<4>; .reg .b64 %%d<9>, %%in, %%out;\n"
    ".reg .pred %%p<9>; .shared .align 1024 .b8 s[20480];\n"
    ".shared .align 8 .b64 b[4];\n"
    "ld.param.u64 %%out, [out_p]; ld.param.u64 %%in, [in_p];\n"
    "mov.u32 %%t, %%tid.x; mul.wide.u32 %%d1, %%t, 4;\n"
    "add.u64 %%out, %%out, %%d1; setp.ne.u32 %%p8, %%t, 0;\n"
    "mov.u32 %%r1, s; mov.u32 %%r2, b; @%%p8 bra S;\n"
    "mbarrier.init.shared.b64 [b], 1; mbarrier.init.shared.b64 [b+8], 1;\n"
    "mbarrier.init.shared.b64 [b+16], 1; mbarrier.init.shared.b64 [b+24], 1;\n"
    "fence.mbarrier_init.release.cluster;\n"
    "S: bar.sync 0; mov.u32 %%r3, 0; setp.ge.u32 %%p2, %%t, 128;\n"
    "mov.f32 %%f0, 0f00000000; mov.f32 %%f1, %%f0; mov.f32 %%f2, %%f0;\n"
    "mov.f32 %%f3, %%f0; @%%p2 bra P;\n"
    "C: and.b32 %%r4, %%r3, 1; shr.u32 %%r5, %%r3, 1; and.b32 %%r5, %%r5, 1;\n"
    "shl.b32 %%r6, %%r4, 3; add.u32 %%r6, %%r6, %%r2;\n"
    "mad.lo.u32 %%r7, %%r4, 10240, %%r1; shr.u32 %%r7, %%r7, 4;\n"
    "cvt.u64.u32 %%d2, %%r7; add.u64 %%d2, %%d2, 0x4000004000010000;\n"
    "add.u64 %%d3, %%d2, 512;\n"
    "%s"
    "wgmma.fence.sync.aligned;\n"
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16\n"
    "{%%f0, %%f1, %%f2, %%f3}, %%d2, %%d3, 1, 1, 1, 0, 0;\n"
    "wgmma.commit_group.sync.aligned;\n%s"
    "setp.ne.u32 %%p3, %%t, 64; @%%p3 bra G;\n"
    "mbarrier.arrive.shared.b64 _, [%%r6+16];\n"
    "G: wgmma.wait_group.sync.aligned 0; add.u32 %%r3, %%r3, 1;\n"
    "setp.lt.u32 %%p3, %%r3, 6; @%%p3 bra C; st.global.f32 "
    "[%%out], %%f0; ret;\n"
    "P: elect.sync _|%%p4, -1; @!%%p4 bra E;\n"
    "Q: and.b32 %%r4, %%r3, 1; shr.u32 %%r5, %%r3, 1; and.b32 "
    "%%r5, %%r5, 1;\n"
    "xor.b32 %%r5, %%r5, 1; shl.b32 %%r6, %%r4, 3; add.u32 %%r6, "
    "%%r6, %%r2;\n"
    "mad.lo.u32 %%r7, %%r4, 10240, %%r1;\n"
    "H: " MIGHT_WAIT("%%r6+16", "%%r5") "@!%%p1 bra H;\n"
                                        "mbarrier.arrive.expect_tx.shared.b64 "
                                        "_, [%%r6], 9216;\n"
                                        "mul.wide.u32 %%d4, %%r3, 9216; "
                                        "add.u64 %%d4, %%in, %%d4;\n"
                                        "cp.async.bulk.shared::cta.global."
                                        "mbarrier::complete_tx::bytes\n"
                                        "[%%r7], [%%d4], 9216, [%%r6]; "
                                        "add.u32 %%r3, %%r3, 1;\n"
                                        "setp.lt.u32 %%p3, %%r3, 6; @%%p3 bra "
                                        "Q; E: ret;\n}\n";

// The wrong program may have further reports.
static void run_ring(const char *arrival, const char *before_arrival,
                     const char *kind) {
  enum { TRIPS = 6, HALVES = 9216 / 2 };
  static char text[8192];
  static uint16_t in[TRIPS * HALVES];
  uint32_t out[160];
  for (int i = 0; i < TRIPS * HALVES; i++)
    in[i] = (uint16_t)(ONE + 0x400 * (i / HALVES)); // 2^trip
  snprintf(text, sizeof text, ring, arrival, before_arrival);
  const int error =
      kit_map(kit_load_text(text), 160, in, sizeof in, out, sizeof out);
  const char *kinds = kit_reports();
  if (*kind ? !strstr(kinds, kind) : *kinds)
    fail_msg("'%s' with '%s'", kinds, before_arrival);
  assert_int_equal(error, *kind ? 719 : 0);
  if (error) {
    kit_reopen();
    return;
  }
  // 16 4^trip, for all trips
  for (int i = 0; i < 128; i++)
    assert_int_equal(out[i], single_bits(16 * (4096 - 1) / 3.0F));
}

#define AWAIT                                                                  \
  "F: mbarrier.try_wait.parity.shared.b64 %p1, [%r6], %r5; @!%p1 bra F;"
static void test_ring(void **state) {
  (void)state;
  static const char *const schedules[] = {"late", "early", "1", "2", "3"};
  for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++) {
    setenv("TILE_SIM_SCHEDULE", schedules[i], 1);
    run_ring(AWAIT, "wgmma.wait_group.sync.aligned 0;", "");
    run_ring("", "wgmma.wait_group.sync.aligned 0;", "unawaited");
    run_ring(AWAIT, "", "async-reuse");
    run_ring(AWAIT, "wgmma.wait_group.sync.aligned 1;", "async-reuse");
  }
  unsetenv("TILE_SIM_SCHEDULE");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_floats),       cmocka_unit_test(test_no_numbers),
      cmocka_unit_test(test_cut_operands), cmocka_unit_test(test_integers),
      cmocka_unit_test(test_sparse),       cmocka_unit_test(test_early_read),
      cmocka_unit_test(test_ring),
  };
  setenv("TILE_SIM_CHIP", "sm_90", 1);
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
