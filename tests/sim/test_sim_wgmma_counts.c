// test_sim_wgmma_counts.c -- counts of wgmma, and of multicasts.
//
// Backs I3 of runtime/simulator/count.
#include "sim_kit.h"

// Two groups of warps: a product of both forms twice, of A in shared memory and
// of A in registers.
static const char kernel[] =
    ".version 8.7\n.target sm_90a\n.address_size 64\n"
    ".visible .entry k(.param .u64 out_p, .param .u64 in_p) {\n"
    ".reg .b32 %r<99>; .reg .b64 %d<9>; .reg .f32 %f<9>;\n"
    ".shared .align 1024 .b8 s[16384];\n"
    "mov.u32 %r1, s; shr.u32 %r2, %r1, 4; cvt.u64.u32 %d1, %r2;\n"
    "add.u64 %d2, %d1, 0x4000004000010000;\n" // swizzled, 128 bytes
    "add.u64 %d3, %d1, 0x0000001000080000;\n" // not swizzled
    "wgmma.fence.sync.aligned;\n"
#define PRODUCT(b)                                                             \
  "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16\n"                       \
  "{%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, %d2, " b ", 0, 1, 1, 0, 0;\n"
#define OF_REGISTERS                                                           \
  "wgmma.mma_async.sync.aligned.m64n24k32.s32.s8.s8\n"                         \
  "{%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12},\n"         \
  "{%r13, %r14, %r15, %r16}, %d2, 0;\n"
    PRODUCT("%d2") PRODUCT("%d3") OF_REGISTERS OF_REGISTERS
    "wgmma.commit_group.sync.aligned;\n"
    "wgmma.wait_group.sync.aligned 0;\nret;\n}\n";

static const char *text;

static void count_as(const char *form) {
  uint32_t out;
  kit_count(form);
  assert_int_equal(
      kit_map(kit_load_text(kernel), 256, NULL, 64, &out, sizeof out), 0);
  text = kit_counted();
}

static void expect(const char *part) {
  if (!strstr(text, part)) fail_msg("no '%s' in %s", part, text);
}

static void test_text(void **state) {
  (void)state;
  count_as("text");
  expect(
      "  tensor                           32           1024         524288\n");
  expect("  fence                            24");
  expect("  wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16: 4 products, "
         "131072 operations\n");
  expect("  wgmma.mma_async.sync.aligned.m64n24k32.s32.s8.s8: 4 products, "
         "393216 operations\n");
  // A group reads an operand once, eight rows of 16 bytes in a turn.
  expect("  shared memory: 13312 bytes in 104 turns, 0 of them for bank "
         "conflicts\n");
}

static void test_json(void **state) {
  (void)state;
  count_as("json");
  expect("\"tensor\":{\"warps\":32,\"threads\":1024,\"splits\":0,"
         "\"bytes\":13312,\"shared_bytes\":13312,\"peer_bytes\":0,"
         "\"saved_bytes\":0,\"sectors\":0,\"turns\":104,\"conflicts\":0,"
         "\"flops\":524288}");
  expect("\"turns\":40,\"conflicts\":0,\"flops\":65536}");
}

// In each of two clusters rank 0 loads 256 bytes for both CTAs, in two turns of
// each CTA's memory, and 128 bytes for the other CTA alone, to which it copies
// 64 bytes of its own memory and stores 8.
static const char multicasts[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 in_p) .reqnctapercluster 2 {\n"
    ".reg .b32 %r, %s, %b; .reg .b64 %in; .reg .b16 %h<2>; .reg .pred %p, "
    "%first;\n"
    ".shared .align 128 .b8 s[512]; .shared .align 8 .b64 b;\n"
    "ld.param.u64 %in, [in_p]; mov.b16 %h0, 3; mov.b16 %h1, 2;\n"
    "mbarrier.init.shared.b64 [b], 1;\n"
    "fence.mbarrier_init.release.cluster;\n"
    "mov.u32 %r, %cluster_ctarank; setp.eq.u32 %first, %r, 0;\n"
    "selp.u32 %r, 256, 448, %first;\n"
    "mapa.shared::cluster.u32 %s, s, 1; mapa.shared::cluster.u32 %b, b, 1;\n"
    "mbarrier.arrive.expect_tx.shared.b64 _, [b], %r;\n"
    "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
#define LOAD(to, bytes, ctas)                                                  \
  "@%first cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"  \
  ".multicast::cluster [" to "], [%in], " bytes ", [b], " ctas ";\n"
    LOAD("s", "256", "%h0")
        LOAD("s+256", "128",
             "%h1") "@%first cp.async.bulk.shared::cluster.shared::cta.mbarrier"
                    "::complete_tx::bytes [%s+384], [s], 64, [%b];\n"
                    "@%first st.shared::cluster.u64 [%s+448], 7;\n"
                    "W: mbarrier.try_wait.parity.shared.b64 "
                    "%p, [b], 0; @!%p bra W;\n"
                    "barrier.cluster.arrive.aligned; "
                    "barrier.cluster.wait.aligned; ret;\n}\n";

static void test_multicasts(void **state) {
  (void)state;
  const KitShape shape = {{4, 1, 1}, {1, 1, 1}, 0};
  for (int is_json = 0; is_json < 2; is_json++) {
    CUdeviceptr in = kit_upload(NULL, 256);
    void *params[] = {&in};
    kit_count(is_json ? "json" : "text");
    CUmodule module = kit_load_text(multicasts);
    assert_int_equal(kit_run(module, "k", shape, params), 0);
    text = kit_counted();
    cuMemFree_v2(in);
    cuModuleUnload(module);
    if (is_json) {
      expect("\"asynchronous copy\":{\"warps\":12,\"threads\":6,\"splits\":0,"
             "\"bytes\":896,\"shared_bytes\":1408,\"peer_bytes\":896,"
             "\"saved_bytes\":512,\"sectors\":24,\"turns\":12,");
    } else {
      expect("  cluster: 912 bytes of shared memory of other CTAs, 512 of "
             "global memory not read again\n");
      expect(", 2 turns, 0 for conflicts, 16 bytes of shared memory of other "
             "CTAs, 0 of global memory not read again\n");
      expect(", 2 turns, 0 for conflicts, 256 bytes of shared memory of other "
             "CTAs, 0 of global memory not read again\n");
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_text),
      cmocka_unit_test(test_json),
      cmocka_unit_test(test_multicasts),
  };
  setenv("TILE_SIM_CHIP", "sm_90", 1);
  setenv("TILE_SIM_CHECKS", "none", 1);
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
