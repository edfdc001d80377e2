// test_sim_words.c -- the numbers and names in the text of reports.
//
// Each row is a kernel with one fault in which all numbers that its report
// tells differ, so that no two of them can change places.
#include "sim_kit.h"

typedef struct {
  unsigned threads;
  const char *body, *kind, *words;
} Row;

#define BARRIER(count)                                                         \
  ".shared .align 8 .b64 b[4]; mov.u32 %r8, b;"                                \
  "mbarrier.init.shared.b64 [b+16], " count ";"
#define SPACE ".shared .align 16 .b8 s[64]; mov.u32 %r9, s;"

static const Row rows[] = {
    // mbarriers
    {1, BARRIER("2") "mbarrier.arrive.shared.b64 _, [b+16], 5;",
     "barrier-count ", "5 arrivals at an mbarrier that awaits 2"},
    {1,
     BARRIER("2") "mov.u32 %r1, 0; mbarrier.arrive.shared.b64 _, [b+16], %r1;",
     "barrier-count ", "0 arrivals at an mbarrier that awaits 2"},
    {1,
     BARRIER("7") "mbarrier.arrive.shared.b64 _, [b+16], 3;"
                  "mbarrier.arrive.shared.b64 _, [b+16], 6;",
     "barrier-count ", "6 arrivals at an mbarrier that awaits 4"},
    {1,
     BARRIER("3") "mbarrier.arrive.expect_tx.shared.b64 _, [b+16], 1048575;"
                  "mbarrier.arrive.expect_tx.shared.b64 _, [b+16], 4;",
     "tx-count ",
     "the mbarrier at byte 16 awaits 1048579 bytes; it counts from -1048575 to "
     "1048575"},
    {1,
     BARRIER("3") "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [b+16], "
                  "1048575;"
                  "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [b+16], 9;",
     "tx-count ", "the mbarrier at byte 16 awaits -1048584 bytes;"},
    {1,
     SPACE BARRIER(
         "1") "mbarrier.arrive.expect_tx.shared.b64 _, [b+16], 16;"
              "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
              "bytes [s], [%in], 16, [b+16]; L: mbarrier.try_wait.parity"
              ".relaxed.cta.shared.b64 %p1, [b+16], 0; @!%p1 bra L;"
              "ld.shared.u32 %r1, [s+4];",
     "unawaited ",
     "waited for parity 0, which was over, but the wait is relaxed, at "},
    // Barriers of a CTA
    {64, "bar.sync 3, 96;", "barrier-count ", "96 threads at barrier 3, of 64"},
    {64, "mov.u32 %r1, 40; bar.sync 5, %r1;", "barrier-count ",
     "40 threads at barrier 5, of 64"},
    {96,
     "setp.ge.u32 %p1, %t, 32; @%p1 bra W; bar.arrive 7, 96; exit;"
     "W: setp.ge.u32 %p1, %t, 64; @%p1 exit; bar.sync 7, 64;",
     "barrier-count ", "barrier 7 awaits "},
    {32, "mov.u32 %r1, 0; bar.arrive 2, %r1;", "barrier-count ",
     "an arrival at barrier 2, of 0 threads"},
    {32, "mov.u32 %r1, 16; bar.sync %r1, 32;", "invalid ", "barrier 16 of 16"},
    // Addresses
    {1, "ld.global.u16 %h1, [%out+67];", "misaligned ",
     "read of 2 bytes at 0x"},
    {1, "st.global.u64 [%in+68], %d1;", "misaligned ",
     "write of 8 bytes at 0x"},
    {1, "atom.global.add.u32 %r1, [%out+130], 1;", "misaligned ",
     "atomic of 4 bytes at 0x"},
    {1, "ld.global.u16 %h1, [%out+130];", "out-of-bounds ",
     ": byte 130 of argument 0 (128 bytes)"},
    {1, "st.global.u64 [%in+264], %d1;", "out-of-bounds ",
     ": byte 264 of argument 1 (256 bytes)"},
    {1, "st.global.v2.u64 [%in+-16], {%d1, %d1};", "out-of-bounds ",
     "write of 16 bytes at 0x"},
    {1, "st.global.v2.u64 [%in+-16], {%d1, %d1};", "out-of-bounds ",
     ": 16 bytes before argument 1 (256 bytes)"},
    {1, SPACE "ld.shared.u16 %h1, [%r9+66];", "out-of-bounds ",
     "read of 2 bytes at byte 66 of 64 bytes of shared memory"},
    {1, SPACE "st.shared.v4.u32 [%r9+80], {%r1, %r1, %r1, %r1};",
     "out-of-bounds ",
     "write of 16 bytes at byte 80 of 64 bytes of shared memory"},
    {1, SPACE "red.shared.add.u64 [%r9+72], %d1;", "out-of-bounds ",
     "atomic of 8 bytes at byte 72 of 64 bytes of shared memory"},
    {1, ".local .b8 l[24]; st.local.u16 [l+26], %h1;", "out-of-bounds ",
     "write of 2 bytes at byte 26 of 24 bytes of local memory"},
};

static int run_row(const Row *row) {
  static const char zeros[256];
  CUmodule module = kit_load_body(row->body);
  CUdeviceptr out = kit_upload(zeros, 128), in = kit_upload(zeros, 256);
  void *params[] = {&out, &in};
  return kit_run(module, "k", (KitShape){{1}, {row->threads}, 0}, params);
}

static void test_words(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const int error = run_row(&rows[i]);
    const char *text = kit_report_text();
    if (!error || !strstr(text, rows[i].words))
      fail_msg("error %d, not '%s': %s", error, rows[i].words, text);
    const char *kinds = kit_reports();
    if (strcmp(kinds, rows[i].kind) != 0)
      fail_msg("'%s', not '%s': %s", kinds, rows[i].kind, rows[i].body);
    kit_reopen();
  }
}

int main(void) {
  setenv("TILE_SIM_CHIP", "sm_90", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_words),
  };
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
