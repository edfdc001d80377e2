// test_sim_bulk.c -- cp.async.bulk between global and shared memory.
#include <stdio.h>

#include "sim_kit.h"

enum { WORDS = 1024, THREADS = 64 };

typedef struct {
  const char *body; // sets %r9 to the expected word of `out` of each thread
  uint32_t (*expected)(uint32_t thread); // NULL: the body writes all of `out`
  const char *kinds;                     // allowed kinds of reports
} Row;

// in[i] is 3 i + 1.
static uint32_t input(uint32_t i) {
  return 3 * i + 1;
}

// An mbarrier at b; %p8 has the first thread, %r2 points to its word of s.
#define BEGIN                                                                  \
  ".shared .align 8 .b64 b[8]; .shared .align 128 .b8 s[4096];"                \
  "setp.eq.u32 %p8, %t, 0; mov.u32 %r9, 0; mov.u32 %r1, s; shl.b32 %r2, %t, "  \
  "2;"                                                                         \
  "add.u32 %r2, %r1, %r2; mov.u32 %r8, b;"                                     \
  "mul.wide.u32 %d1, %t, 4; add.u64 %d2, %out, %d1; add.u64 %d3, %in, %d1;"    \
  "@%p8 mbarrier.init.shared.b64 [b], 1; fence.mbarrier_init.release.cluster;" \
  "bar.sync 0;"
#define EXPECT "@%p8 mbarrier.arrive.expect_tx.shared.b64 _, [b], 256;"
#define LOAD                                                                   \
  "@%p8 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "    \
  "[s], [%in], 256, [b];"
#define WAIT "L: mbarrier.try_wait.parity.shared.b64 %p1, [b], 0; @!%p1 bra L;"
#define READ "ld.shared.u32 %r9, [%r2];"
#define KEEP "st.global.u32 [%d2], %r9;"
// Each thread fills its word of s with that of `in`.
#define FILL "ld.global.u32 %r3, [%d3]; st.shared.u32 [%r2], %r3;"
#define STORE                                                                  \
  "fence.proxy.async.shared::cta; bar.sync 0;"                                 \
  "@%p8 cp.async.bulk.global.shared::cta.bulk_group [%out], [s], 256;"
#define REDUCE(op)                                                             \
  "fence.proxy.async.shared::cta; bar.sync 0; @%p8 cp.reduce.async.bulk"       \
  ".global.shared::cta.bulk_group." op " [%out], [s], 256;"
// A copy of those words into the ones 1 KB behind them
#define REDUCE_OWN(op)                                                         \
  "@%p8 cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier"             \
  "::complete_tx::bytes." op " [s+1024], [s], 256, [b];"
#define SET(value)  FILL "st.shared.u32 [%r2+1024], " value ";"
#define FENCED      "fence.proxy.async.shared::cta; bar.sync 0;"
#define READ_OWN    "ld.shared.u32 %r9, [%r2+1024];" KEEP
#define EXPECT_BOTH "@%p8 mbarrier.arrive.expect_tx.shared.b64 _, [b], 512;"
#define COMMIT      "cp.async.bulk.commit_group;"
#define DONE        "cp.async.bulk.wait_group 0;"
#define READY       "cp.async.bulk.wait_group.read 0;"

// Two buffers and, for each, an mbarrier of the bytes and one of its readers.
// The first thread of warp 1 loads eight blocks of 128 bytes; warp 0 adds them.
#define PIPELINE(first, free)                                                  \
  BEGIN "@!%p8 bra S; mbarrier.init.shared.b64 [b+8], 1;"                      \
        "mbarrier.init.shared.b64 [b+16], 32;"                                 \
        "mbarrier.init.shared.b64 [b+24], 32;"                                 \
        "mbarrier.inval.shared.b64 [b]; mbarrier.init.shared.b64 [b], 1;"      \
        "S: bar.sync 0; mov.u32 %r10, 0; setp.ge.u32 %p2, %t, 32;"             \
        "@%p2 bra P;"                                                          \
        "C: and.b32 %r11, %r10, 1; shr.u32 %r12, %r10, 1;"                     \
        "and.b32 %r12, %r12, 1; shl.b32 %r13, %r11, 3;"                        \
        "add.u32 %r13, %r8, %r13; shl.b32 %r14, %r11, 7;"                      \
        "add.u32 %r14, %r14, %r2;"                                             \
        "F: mbarrier.try_wait.parity.shared.b64 %p1, [%r13], %r12;"            \
        "@!%p1 bra F; ld.shared.u32 %r3, [%r14]; add.u32 %r9, %r9, %r3;" free  \
        "add.u32 %r10, %r10, 1; setp.lt.u32 %p3, %r10, 8; @%p3 bra C; bra E;"  \
        "P: elect.sync _|%p4, -1; @!%p4 bra E;"                                \
        "Q: and.b32 %r11, %r10, 1; shr.u32 %r12, %r10, 1;"                     \
        "and.b32 %r12, %r12, 1; xor.b32 %r12, %r12, 1;"                        \
        "shl.b32 %r13, %r11, 3; add.u32 %r13, %r8, %r13;"                      \
        "shl.b32 %r14, %r11, 7; add.u32 %r14, %r14, %r1;" first                \
        "mbarrier.arrive.expect_tx.shared.b64 _, [%r13], 128;"                 \
        "mul.wide.u32 %d4, %r10, 128; add.u64 %d4, %in, %d4;"                  \
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes "       \
        "[%r14], [%d4], 128, [%r13]; add.u32 %r10, %r10, 1;"                   \
        "setp.lt.u32 %p3, %r10, 8; @%p3 bra Q; E:" KEEP
#define AWAIT_FREE                                                             \
  "G: mbarrier.try_wait.parity.shared.b64 %p1, [%r13+16], %r12; @!%p1 bra G;"
#define FREE "mbarrier.arrive.shared.b64 _, [%r13+16];"

static uint32_t sums(uint32_t thread) {
  uint32_t sum = 0;
  for (uint32_t i = 0; thread < 32 && i < 8; i++) sum += input(32 * i + thread);
  return sum;
}

static uint32_t second_block(uint32_t thread) {
  return input(thread < 32 ? thread + 4 : thread);
}

static uint32_t twice(uint32_t thread) {
  return 2 * input(thread);
}

static uint32_t zero(uint32_t thread) {
  (void)thread;
  return 0;
}

static const Row rows[] = {
    {BEGIN EXPECT LOAD WAIT READ KEEP, input, ""},
    {BEGIN "@%p8 cp.async.bulk.prefetch.L2.global [%in], 256;" EXPECT LOAD WAIT
         READ KEEP,
     input, ""},
    // The bytes may be awaited after the copy has begun.
    {BEGIN LOAD EXPECT WAIT READ KEEP, input, ""},
    // Several copies, one with a policy, sizes and addresses in registers
    {BEGIN EXPECT
     "createpolicy.fractional.L2::evict_first.b64 %d6; mov.u32 %r5, 112;"
     "add.u64 %d5, %in, 16; @%p8 "
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
     ".L2::cache_hint [%r1], [%d5], %r5, [%r8], %d6; @%p8 "
     "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes "
     "[s+112], [%in+128], 16, [b]; @%p8 "
     "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes "
     "[s+128], [%in+128], 128, [b];" WAIT READ KEEP,
     second_block, ""},
    // A copy of nothing
    {BEGIN "@%p8 mbarrier.arrive.shared.b64 _, [b]; @%p8 cp.async.bulk"
           ".shared::cta.global.mbarrier::complete_tx::bytes "
           "[s], [%in], 0, [b];" WAIT KEEP,
     zero, ""},
    {PIPELINE(AWAIT_FREE, FREE), sums, ""},
    // And back
    {BEGIN FILL STORE COMMIT DONE, input, ""},
    {BEGIN FILL STORE COMMIT READY, input, ""},
    {BEGIN FILL STORE, input, ""},
    {BEGIN FILL STORE
     "createpolicy.fractional.L2::evict_first.b64 %d6; @%p8 "
     "cp.async.bulk.global.shared::cta.bulk_group"
     ".L2::cache_hint [%out+128], [s+128], 128, %d6;" COMMIT DONE,
     input, ""},
    // After .read the source may be written again, after the whole wait the
    // target may be read.
    {BEGIN FILL STORE COMMIT READY "bar.sync 0; st.shared.u32 [%r2], 0;", input,
     ""},
    {BEGIN FILL STORE COMMIT DONE
     "bar.sync 0; xor.b32 %r4, %t, 1; mul.wide.u32 %d4, %r4, 4;"
     "add.u64 %d4, %out, %d4; ld.global.u32 %r9, [%d4]; bar.sync 0;"
     "xor.b32 %r4, %r4, 1; mul.lo.u32 %r4, %r4, 3; add.u32 %r9, %r4, 1;" KEEP,
     input, ""},
    // Sums and other operations, with old values, zeros, and repeated elements
    {BEGIN FILL STORE COMMIT DONE REDUCE("add.u32") COMMIT DONE, twice, ""},
    {BEGIN FILL REDUCE("add.s32") REDUCE("add.u32") COMMIT DONE, twice, ""},
    {BEGIN FILL REDUCE("max.u32") REDUCE("max.s32") COMMIT DONE, input, ""},
    {BEGIN FILL REDUCE("or.b32") REDUCE("min.u32") COMMIT DONE, input, ""},
    {BEGIN FILL REDUCE("xor.b64") COMMIT DONE REDUCE("or.b64") COMMIT DONE,
     input, ""},
    {BEGIN FILL REDUCE("add.u64") REDUCE("and.b32") COMMIT DONE, input, ""},
    {BEGIN FILL REDUCE("add.f32") COMMIT DONE, input, ""},
    {BEGIN FILL REDUCE("dec.u32") REDUCE("inc.u32") COMMIT DONE, zero, ""},
    // In shared memory
    {BEGIN SET("0") FENCED EXPECT REDUCE_OWN("add.u32") WAIT READ_OWN, input,
     ""},
    {BEGIN SET("0") FENCED EXPECT_BOTH REDUCE_OWN("add.s32")
         REDUCE_OWN("add.u64") WAIT READ_OWN,
     twice, ""},
    {BEGIN SET("0") FENCED EXPECT REDUCE_OWN("xor.b32") WAIT READ_OWN, input,
     ""},
    {BEGIN SET("0") FENCED EXPECT_BOTH REDUCE_OWN("or.b32")
         REDUCE_OWN("max.u32") WAIT READ_OWN,
     input, ""},
    {BEGIN SET("-1") FENCED EXPECT_BOTH REDUCE_OWN("and.b32")
         REDUCE_OWN("min.u32") WAIT READ_OWN,
     input, ""},
    {BEGIN SET("0") FENCED EXPECT_BOTH REDUCE_OWN("dec.u32")
         REDUCE_OWN("inc.u32") WAIT READ_OWN,
     zero, ""},
    {BEGIN SET("0") "bar.sync 0;" EXPECT REDUCE_OWN("add.u32") WAIT READ_OWN,
     NULL, "proxy-fence "},
    {BEGIN SET("0") FENCED EXPECT REDUCE_OWN("or.b32") "bar.sync 0;" READ_OWN,
     NULL, "unawaited "},
    {BEGIN FILL FENCED EXPECT REDUCE_OWN("max.s32") WAIT READ_OWN, NULL,
     "uninitialised "},
    {BEGIN SET("0") FENCED EXPECT LOAD REDUCE_OWN("add.u32") WAIT READ_OWN,
     NULL, "unawaited phase-early "},
    {BEGIN FILL "bar.sync 0;"
                "@%p8 cp.reduce.async.bulk.global.shared::cta.bulk_group"
                ".add.u32 [%out], [s], 256;" COMMIT DONE,
     NULL, "proxy-fence "},
    {BEGIN FILL REDUCE(
         "add.u32") "bar.sync 0; st.global.u32 [%d2], 1;" COMMIT DONE,
     NULL, "race "},
    // A group that may still be under way, and one that may not
    {BEGIN FILL STORE COMMIT
     "@%p8 cp.async.bulk.global.shared::cta.bulk_group [%in], [s+128], 128;"
     "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 1; bar.sync 0;"
     "setp.lt.u32 %p2, %t, 32; @%p2 bra E; st.global.u32 [%d2], 1; E:",
     NULL, "race "},

    // Without a wait, or with a wait for a phase that does not await the bytes
    {BEGIN EXPECT LOAD "bar.sync 0;" READ KEEP, NULL, "unawaited "},
    {BEGIN "@%p8 mbarrier.arrive.shared.b64 _, [b];" LOAD WAIT READ KEEP, NULL,
     "unawaited "},
    {BEGIN EXPECT LOAD
     "L: mbarrier.try_wait.parity.shared.b64 %p1, [b], 1; @!%p1 bra L;" READ
         KEEP,
     NULL, "unawaited race uninitialised "},
    // A write to the copy's target, and one to its source
    {BEGIN EXPECT LOAD "@%p8 st.shared.u32 [s], 1;" WAIT READ KEEP, NULL,
     "unawaited "},
    {BEGIN EXPECT LOAD LOAD WAIT READ KEEP, NULL, "unawaited phase-early "},
    {BEGIN EXPECT LOAD "@%p8 st.global.u32 [%in], 7;" WAIT READ KEEP, NULL,
     "race "},
    // Buffers that are loaded again before the thread knows that they are free
    {PIPELINE("", FREE), NULL, "race unawaited phase-early barrier-count "},
    {PIPELINE(AWAIT_FREE,
              "setp.ne.u32 %p5, %r10, 0; @%p5 bra H; mbarrier.arrive.shared"
              ".b64 _, [%r13+16]; bra I; H: mbarrier.arrive.relaxed.cta.shared"
              ".b64 _, [%r13+16]; I:"),
     NULL, "race unawaited "},
    // Bytes that are never sent
    {BEGIN
     "@%p8 mbarrier.arrive.expect_tx.shared.b64 _, [b], 272;" LOAD WAIT KEEP,
     NULL, "endless-wait "},
    // Stores: the source is not written, or written too early; the target is
    // read too early
    {BEGIN STORE COMMIT DONE, NULL, "uninitialised "},
    {BEGIN FILL STORE COMMIT "bar.sync 0; st.shared.u32 [%r2], 0;", NULL,
     "async-reuse "},
    {BEGIN FILL STORE READY "bar.sync 0; st.shared.u32 [%r2], 0;", NULL,
     "async-reuse "},
    {BEGIN FILL "@%p8 cp.async.bulk.global.shared::cta.bulk_group [%out], [s], "
                "256;" COMMIT DONE,
     NULL, "race proxy-fence async-reuse uninitialised "},
    // Places and sizes
    {BEGIN EXPECT "mov.u32 %r5, 24; @%p8 cp.async.bulk.shared::cta.global"
                  ".mbarrier::complete_tx::bytes [s], [%in], %r5, [b];",
     NULL, "invalid "},
    {BEGIN EXPECT "@%p8 cp.async.bulk.shared::cta.global"
                  ".mbarrier::complete_tx::bytes [s+8], [%in], 16, [b];",
     NULL, "misaligned "},
    {BEGIN EXPECT "@%p8 cp.async.bulk.shared::cta.global"
                  ".mbarrier::complete_tx::bytes [s], [%in+8], 16, [b];",
     NULL, "misaligned "},
    {BEGIN EXPECT "@%p8 cp.async.bulk.shared::cta.global"
                  ".mbarrier::complete_tx::bytes [s], [%in+4080], 32, [b];",
     NULL, "out-of-bounds "},
    {BEGIN EXPECT "@%p8 cp.async.bulk.shared::cta.global"
                  ".mbarrier::complete_tx::bytes [s+4080], [%in], 128, [b];",
     NULL, "out-of-bounds "},
    {BEGIN "@%p8 cp.async.bulk.shared::cta.global"
           ".mbarrier::complete_tx::bytes [s], [%in], 16, [b+8];",
     NULL, "invalid "},
    {BEGIN EXPECT LOAD "@%p8 mbarrier.inval.shared.b64 [b];", NULL, "invalid "},
    {BEGIN FILL "bar.sync 0; @%p8 cp.async.bulk.global.shared::cta.bulk_group "
                "[%out+4080], [s], 32;",
     NULL, "out-of-bounds "},
};

static int run_body(const char *body, uint32_t *out, char kinds[200]) {
  static uint32_t in[WORDS];
  for (uint32_t i = 0; i < WORDS; i++) in[i] = input(i);
  const int error =
      kit_map(kit_load_body(body), THREADS, in, sizeof in, out, sizeof in);
  snprintf(kinds, 200, "%s", kit_reports());
  if (error) kit_reopen();
  return error;
}

static void test_rows(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    static uint32_t out[WORDS];
    char kinds[200];
    const Row *row = &rows[i];
    const int error = run_body(row->body, out, kinds);
    if (*row->kinds ? !kit_only_kinds(kinds, row->kinds) : error || *kinds)
      fail_msg("row %zu: error %d, '%s', not '%s': %s", i, error, kinds,
               row->kinds, row->body);
    for (uint32_t t = 0; row->expected && t < THREADS; t++)
      if (out[t] != row->expected(t))
        fail_msg("thread %u has %u, not %u: %s", t, out[t], row->expected(t),
                 row->body);
  }
}

// -- From CUDA ---------------------------------------------------------------

enum { PARTS = 4, PART = 1024, STAGE = 512, ROUNDS = 11 };

// libcu++'s barrier and copies, one block a part.
static void test_add_one(void **state) {
  (void)state;
  static int data[PARTS * PART];
  for (int i = 0; i < PARTS * PART; i++) data[i] = i * i;
  CUmodule module = kit_load("bulk.ptx");
  CUdeviceptr address = kit_upload(data, sizeof data);
  void *params[] = {&address};
  const KitShape shape = {{PARTS}, {256}, 0};
  assert_int_equal(kit_run(module, "add_one", shape, params), 0);
  kit_download(data, address, sizeof data);
  for (int i = 0; i < PARTS * PART; i++) assert_int_equal(data[i], i * i + 1);
  assert_string_equal(kit_reports(), "");
  cuModuleUnload(module);
}

// A thread that loads, and awaits free buffers, or does not.
static int add_up(int frees, int *out) {
  static int in[ROUNDS * STAGE];
  for (int i = 0; i < ROUNDS * STAGE; i++) in[i] = i * 7 + i / 5;
  for (int i = 0; i < STAGE; i++) out[i] = 0;
  for (int i = 0; i < ROUNDS * STAGE; i++) out[i % STAGE] -= in[i];
  int result[STAGE], count = ROUNDS;
  CUmodule module = kit_load("bulk.ptx");
  CUdeviceptr from = kit_upload(in, sizeof in),
              to = kit_upload(NULL, 4 * STAGE);
  void *params[] = {&from, &to, &count, &frees};
  const KitShape shape = {{1}, {256}, 0};
  const int error = kit_run(module, "add_up", shape, params);
  if (error) return error;
  kit_download(result, to, sizeof result);
  for (int i = 0; i < STAGE; i++) out[i] += result[i];
  cuMemFree_v2(from);
  cuModuleUnload(module);
  return 0;
}

static void test_add_up(void **state) {
  (void)state;
  int difference[STAGE];
  assert_int_equal(add_up(1, difference), 0);
  for (int i = 0; i < STAGE; i++) assert_int_equal(difference[i], 0);
  assert_string_equal(kit_reports(), "");
  assert_int_not_equal(add_up(0, difference), 0);
  const char *kinds = kit_reports();
  if (!kit_only_kinds(
          kinds,
          "race unawaited phase-early barrier-count deadlock endless-wait "))
    fail_msg("'%s'", kinds);
  kit_reopen();
}

int main(void) {
  setenv("TILE_SIM_CHIP", "sm_90", 1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows),
                                     cmocka_unit_test(test_add_one),
                                     cmocka_unit_test(test_add_up)};
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
