// test_sim_transactions.c -- mbarriers that count bytes, too.
//
// Expected values are worked out by hand from the manual's text.
#include <stdio.h>

#include "sim_kit.h"

typedef struct {
  const char *body; // sets %r9 to the expected word of `out` of each thread
  unsigned threads;
  uint32_t result;
  const char *kinds; // of the reports
} Row;

// An mbarrier at b that awaits `count` arrivals; %p8 has the first thread.
#define MBARRIER(count)                                                        \
  ".shared .align 8 .b64 b[4]; .shared .align 16 .b8 s[256];"                  \
  "setp.eq.u32 %p8, %t, 0; mov.u32 %r9, 0; mov.u32 %r8, b;"                    \
  "@%p8 mbarrier.init.shared.b64 [b], " count "; bar.sync 0;"
// Appends a bit to %r9: is the phase of that parity over?
#define OVER(parity)                                                           \
  "mbarrier.try_wait.parity.shared.b64 %p1, [b], " parity ";"                  \
  "selp.u32 %r7, 1, 0, %p1; shl.b32 %r9, %r9, 1; or.b32 %r9, %r9, %r7;"
#define EXPECT(n) "mbarrier.arrive.expect_tx.shared.b64 %d5, [b], " n ";"
#define COMPLETE(n)                                                            \
  "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [b], " n ";"
#define WAIT(label, parity)                                                    \
  label ": mbarrier.try_wait.parity.shared.b64 %p1, [b], " parity ";"          \
        "@!%p1 bra " label ";"

static const Row rows[] = {
    // On a fresh mbarrier the phase before the first one is over.
    {MBARRIER("1") OVER("1") OVER("0"), 1, 2, ""},
    // Arrivals and bytes must both have come, in either order.
    {MBARRIER("1") EXPECT("16") OVER("0") COMPLETE("8") OVER("0") COMPLETE("8")
         OVER("0") OVER("1"),
     1, 2, ""},
    {MBARRIER("2") EXPECT("16") COMPLETE("16") OVER("0") EXPECT("0") OVER("0"),
     1, 1, ""},
    {MBARRIER("1") "mbarrier.expect_tx.relaxed.cta.shared.b64 [b], 4;"
                   "mbarrier.arrive.shared.b64 _, [b];" OVER("0") COMPLETE("4")
                       OVER("0"),
     1, 1, ""},
    // Bytes that come before they are awaited: the pending number is negative.
    {MBARRIER("1") COMPLETE("24") OVER("0") EXPECT("16")
         OVER("0") "mbarrier.expect_tx.shared.b64 [b], 8;" OVER("0"),
     1, 1, ""},
    // The next phases begin with no bytes and all arrivals.
    {MBARRIER("1") EXPECT("4") COMPLETE("4") OVER("0") EXPECT("1048575")
         OVER("1") COMPLETE("1048575") OVER("1") OVER("0"),
     1, 10, ""},
    // The state that an arrival returns: two arrivals were pending before it.
    {MBARRIER("2") EXPECT("16") "mbarrier.pending_count.b64 %r9, %d5;", 1, 2,
     ""},
    {MBARRIER("1") EXPECT(
         "16") "mbarrier.test_wait.shared.b64 %p1, [b], %d5;"
               "selp.u32 %r9, 2, 0, %p1;" COMPLETE(
                   "16") "mbarrier.try_wait.shared.b64 %p1, [b], %d5, 1000;"
                         "selp.u32 %r7, 1, 0, %p1; or.b32 %r9, %r9, %r7;",
     1, 1, ""},
    // The next phase awaits one arrival less.
    {MBARRIER("2") "mbarrier.arrive_drop.expect_tx.shared.b64 _, [b], "
                   "4;" COMPLETE("4") OVER("0") EXPECT("0") OVER("0")
                       EXPECT("0") OVER("1"),
     1, 3, ""},
    // Words and addresses in other ways
    {MBARRIER(
         "3") "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 "
              "_, [%r8], "
              "8; mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 "
              "[%r8], 8;"
              "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r8];"
              "cvt.u64.u32 %d2, %r8; cvta.shared.u64 %d2, %d2; mov.u32 %r6, 4;"
              "mbarrier.arrive.expect_tx.release.cta.b64 %d5, [%d2], %r6;" OVER(
                  "0") COMPLETE("8")
                  OVER("0") "mbarrier.complete_tx.relaxed.cluster.shared::"
                            "cluster.b64 [%r8], "
                            "12;"
                            "mbarrier.try_wait.parity.acquire.cluster.shared::"
                            "cta.b64 %p1, "
                            "[%r8], 0, 0x989680; selp.u32 %r7, 1, 0, %p1;"
                            "shl.b32 %r9, %r9, 1; or.b32 %r9, %r9, %r7;",
     1, 1, ""},
    // One thread awaits the bytes, the rest only arrive.
    {MBARRIER("64") "@%p8 mbarrier.arrive.expect_tx.shared.b64 _, [b], 32;"
                    "@!%p8 mbarrier.arrive.shared.b64 _, [b];"
                    "setp.eq.u32 %p2, %t, 40; @%p2 " COMPLETE("32")
                        WAIT("L", "0") "mov.u32 %r9, 7;",
     64, 7, ""},
    // Too many bytes, either way
    {MBARRIER("2") EXPECT("1048575") EXPECT("1"), 1, 0, "tx-count "},
    {MBARRIER("2") EXPECT("0xffffffff"), 1, 0, "tx-count "},
    {MBARRIER("2") COMPLETE("1048575") COMPLETE("1"), 1, 0, "tx-count "},
    {MBARRIER("1") EXPECT("16") EXPECT("16"), 1, 0, "barrier-count "},
    // Bytes that never come, and an address without an mbarrier
    {MBARRIER("1") EXPECT("16") COMPLETE("12") WAIT("L", "0"), 1, 0,
     "endless-wait "},
    {MBARRIER("1") EXPECT("16") COMPLETE("20") WAIT("L", "0"), 1, 0,
     "endless-wait "},
    {MBARRIER("1") "mbarrier.expect_tx.shared.b64 [b+8], 4;", 1, 0, "invalid "},
    {MBARRIER("1") "mbarrier.inval.shared.b64 [b];" COMPLETE("4"), 1, 0,
     "invalid "},
    {MBARRIER("1") "mbarrier.expect_tx.shared.b64 [b+4], 4;", 1, 0,
     "misaligned "},
};

// The first warp fills s, the second reads it behind the mbarrier.
#define HAND_OVER(arrive, wait)                                                \
  MBARRIER("32")                                                               \
  "and.b32 %r1, %t, 31; shl.b32 %r1, %r1, 2; mov.u32 %r2, s;"                  \
  "add.u32 %r2, %r2, %r1; setp.ge.u32 %p2, %t, 32;"                            \
  "@!%p2 st.shared.u32 [%r2], 0; bar.sync 0; @%p2 bra W;"                      \
  "st.shared.u32 [%r2], 9;" arrive " bra E; W:" wait                           \
  "ld.shared.u32 %r9, [%r2]; E:"
#define SPIN(words)                                                            \
  "L: mbarrier.try_wait.parity" words ".shared.b64 %p1, [b], 0; @!%p1 bra L;"

// Arrivals and waits that release and acquire, and others that do not.
static const Row orders[] = {
    {HAND_OVER(EXPECT("0"), SPIN("")), 64, 0, ""},
    {HAND_OVER("mbarrier.arrive.release.cta.shared.b64 _, [b];",
               SPIN(".acquire.cta")),
     64, 0, ""},
    {HAND_OVER("mbarrier.arrive.release.cluster.shared.b64 _, [b];",
               SPIN(".acquire.cluster")),
     64, 0, ""},
    {HAND_OVER("mbarrier.arrive.relaxed.cta.shared.b64 _, [b];", SPIN("")), 64,
     0, "race "},
    {HAND_OVER("mbarrier.arrive.expect_tx.relaxed.cta.shared.b64 _, [b], 0;",
               SPIN("")),
     64, 0, "race "},
    {HAND_OVER("mbarrier.arrive.shared.b64 _, [b];", SPIN(".relaxed.cta")), 64,
     0, "race "},
    // With fences they do.
    {HAND_OVER("fence.acq_rel.cta;"
               "mbarrier.arrive.relaxed.cta.shared.b64 _, [b];",
               SPIN(".relaxed.cta") "fence.acq_rel.cta;"),
     64, 0, ""},
    // Fences of proxies order nothing among threads.
    {HAND_OVER("fence.proxy.async; fence.mbarrier_init.release.cluster;"
               "mbarrier.arrive.relaxed.cta.shared.b64 _, [b];",
               SPIN("") "fence.proxy.async.shared::cta;"),
     64, 0, "race "},
    {HAND_OVER("fence.proxy.async.global; mbarrier.arrive.shared.b64 _, [b];",
               SPIN("")),
     64, 0, ""},
    // No phase has ended.
    {HAND_OVER(EXPECT("0"), "mbarrier.try_wait.parity.shared.b64 %p1, [b], 1;"),
     64, 0, "race "},
};

static int run_body(const Row *row, uint32_t *out, char kinds[100]) {
  static char text[8192];
  snprintf(text, sizeof text,
           "mul.wide.u32 %%d1, %%t, 4; add.u64 %%out, %%out, %%d1;\n"
           "%s\nst.global.u32 [%%out], %%r9;",
           row->body);
  const int error = kit_map(kit_load_body(text), row->threads, NULL, 64, out,
                            4 * row->threads);
  snprintf(kinds, 100, "%s", kit_reports());
  if (error) kit_reopen();
  return error;
}

static void check_rows(const Row *list, size_t count, bool has_values) {
  for (const Row *row = list; row < list + count; row++) {
    uint32_t out[64];
    char kinds[100];
    const int error = run_body(row, out, kinds);
    if (strcmp(kinds, row->kinds) != 0 || (!*kinds && error))
      fail_msg("error %d, '%s', not '%s': %s", error, kinds, row->kinds,
               row->body);
    for (unsigned i = 0; has_values && !error && i < row->threads; i++)
      if (out[i] != row->result)
        fail_msg("%u, not %u: %s", out[i], row->result, row->body);
  }
}

static void test_values(void **state) {
  (void)state;
  check_rows(rows, sizeof rows / sizeof *rows, true);
}

static void test_orders(void **state) {
  (void)state;
  check_rows(orders, sizeof orders / sizeof *orders, false);
}

int main(void) {
  setenv("TILE_SIM_CHIP", "sm_90", 1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_values),
                                     cmocka_unit_test(test_orders)};
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
