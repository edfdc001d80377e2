// test_sim_crowded.c -- pages with random accesses by many threads: a race
// among thousands of accesses is reported, a right kernel that differs in one
// line is not, and memory is limited.
//
// Backs I10 of runtime/simulator/history.
#include <stdio.h>
#include <sys/resource.h>

#include "sim_kit.h"
#include "tests/sim/live_bytes.h"

// The most memory during the launch, in addition to that before it.
static size_t peak_of(CUmodule module, KitShape shape, void **params) {
  const size_t before = live_bytes_restart();
  const int error = kit_run(module, "k", shape, params);
  assert_true(error == 0 || error == 719); // no launch that ended early
  return live_bytes_peak() - before;
}

// -- Shared memory -----------------------------------------------------------

enum { THREADS = 1024, BYTES = 16384 };

// All of s is written, then touched at random; %r1 is s, %r2 the warp, %r5 a
// random multiple of 16 below BYTES, and %p1 has thread 0.
#define FILL                                                                   \
  ".shared .align 16 .b8 s[16384]; mov.u32 %r1, s; shr.u32 %r2, %t, 5;\n"      \
  "setp.eq.u32 %p1, %t, 0; shl.b32 %r3, %t, 4; add.u32 %r3, %r3, %r1;\n"       \
  "mov.u32 %r10, 0; st.shared.v4.u32 [%r3], {%r10, %r10, %r10, %r10};\n"       \
  "mad.lo.u32 %r4, %t, 1640531527, 77; bar.sync 0;\n"
#define RANDOM(label, trips, code)                                             \
  "mov.u32 %r6, 0;\n" label ":\n"                                              \
  "mad.lo.u32 %r4, %r4, 1664525, 1013904223; shr.u32 %r5, %r4, 12;\n"          \
  "and.b32 %r5, %r5, 16383; " code "\n"                                        \
  "add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, " trips "; @%p2 bra " label      \
  ";\n"
// Even words only, so that the warp with the fault has words of its own.
#define EVEN "and.b32 %r5, %r5, 16376; add.u32 %r5, %r5, %r1; "
#define READ EVEN "ld.shared.u32 %r7, [%r5];"
#define BYTE EVEN "ld.shared.u8 %r7, [%r5];"
#define WIDE                                                                   \
  "and.b32 %r5, %r5, 16368; add.u32 %r5, %r5, %r1; "                           \
  "ld.shared.v4.u32 {%r7, %r8, %r9, %r11}, [%r5];"
#define POLL  EVEN "ld.volatile.shared.u32 %r7, [%r5];"
#define WRITE EVEN "st.shared.u32 [%r5], %r10;"
#define ADD   EVEN "red.shared.add.u32 [%r5], 1;"
#define STRONG                                                                 \
  EVEN "st.relaxed.cta.shared.u32 [%r5], %r10; and.b32 %r7, %r4, 16376;\n"     \
       "add.u32 %r7, %r7, %r1; ld.relaxed.cta.shared.u32 %r7, [%r7];"
#define ORDER EVEN "atom.acq_rel.cta.shared.add.u32 %r7, [%r5], 1;"
// 48 mbarriers, and a plain word in the same page, of warps 0 to 30; warp 31
// waits.
#define MBARRIERS                                                              \
  ".shared .align 1024 .b8 s[1024]; mov.u32 %r1, s; shl.b32 %r3, %t, 3;\n"     \
  "setp.eq.u32 %p1, %t, 0; add.u32 %r3, %r3, %r1; setp.lt.u32 %p4, %t, 48;\n"  \
  "@%p4 mbarrier.init.shared.b64 [%r3], 900000; setp.ge.u32 %p3, %t, 992;\n"   \
  "@%p1 st.shared.u32 [%r1+520], 0; bar.sync 0; @%p3 bra Z;\n"                 \
  "mad.lo.u32 %r4, %t, 1640531527, 77;\n"
#define MEET "bar.sync 1, 992; "
#define TAKE                                                                   \
  "and.b32 %r5, %r5, 248; add.u32 %r5, %r5, %r1; "                             \
  "mbarrier.arrive.shared.b64 %d5, [%r5]; @%p1 st.shared.u32 [%r1+520], "      \
  "%r6; " MEET "ld.shared.u32 %r7, [%r1+520]; " MEET
#define MANY "150"
#define BAR  "bar.sync 0;"

typedef struct {
  const char *kinds; // of the reports
  const char *before, *right, *wrong, *after;
} Planted;

static const Planted planted[] = {
    // A warp writes words that others have read.
    {"race", FILL RANDOM("A", MANY, READ), BAR, "",
     "@%p1 st.shared.u32 [%r1+8192], 5;"},
    {"race", FILL RANDOM("A", MANY, WIDE), BAR, "",
     "@%p1 st.shared.u32 [%r1+8196], 5;"},
    {"race", FILL RANDOM("A", MANY, BYTE), BAR, "",
     "@%p1 st.shared.u8 [%r1+8192], 5;"},
    {"race", FILL RANDOM("A", MANY, POLL), BAR, "",
     "@%p1 st.shared.u32 [%r1+8192], 5;"},
    {"race", FILL RANDOM("A", MANY, STRONG), BAR, "",
     "@%p1 st.shared.u32 [%r1+8192], 5;"},
    // Only one warp has read the word, and no barrier follows.
    {"race",
     FILL RANDOM("A", MANY, READ) "setp.eq.u32 %p3, %r2, 31;\n"
                                  "@%p3 ld.shared.u32 %r7, [%r1+8196];\n",
     "bar.sync 1, 1024;", "@!%p3 bar.sync 1, 992;",
     "@%p1 st.shared.u32 [%r1+8196], 5;"},
    // Behind barriers, earlier reads do not count.
    {"race",
     FILL RANDOM("A", MANY, READ) BAR RANDOM("B", MANY, READ)
         BAR RANDOM("C", "9", READ) "ld.shared.u32 %r7, [%r1+8192];\n",
     BAR, "", "@%p1 st.shared.u32 [%r1+8192], 5;"},
    {"race",
     FILL RANDOM("A", MANY, READ) BAR "setp.eq.u32 %p3, %r2, 9;\n"
                                      "@%p3 ld.shared.u32 %r7, [%r1+8196];\n",
     BAR, "", "@%p1 st.shared.u32 [%r1+8196], 5;"},
    // Reads of words that threads of the page have written.
    {"race", FILL RANDOM("A", MANY, READ) "@%p1 st.shared.u32 [%r1+8196], 5;\n",
     BAR, "", "ld.shared.u32 %r7, [%r1+8196];"},
    {"race", FILL RANDOM("A", MANY, ADD), BAR, "",
     "ld.shared.u32 %r7, [%r1+8192];"},
    {"race", FILL RANDOM("A", MANY, ADD), BAR, "",
     "@%p1 st.shared.u32 [%r1+8192], 5;"},
    {"race", FILL RANDOM("A", MANY, ADD),
     "@%p1 atom.shared.add.u32 %r7, [%r1+8192], 1;",
     "@%p1 st.shared.u32 [%r1+8192], 5;", ""},
    // Words that order threads, so many that they share clocks.
    {"race", FILL RANDOM("A", MANY, ORDER), BAR, "",
     "ld.shared.u32 %r7, [%r1+8192];"},
    // A plain word in a page of mbarriers.
    {"race",
     MBARRIERS RANDOM("A", "19", TAKE) "@%p1 st.shared.u32 [%r1+520], 5;\n",
     MEET, "", "ld.shared.u32 %r7, [%r1+520]; Z: bar.sync 2;"},
    // All warps write the same value, then one writes another.
    {"race race-same-value", FILL RANDOM("A", MANY, READ), "bar.sync 0;",
     "@%p1 st.shared.u32 [%r1+8192], 5; bar.sync 0;",
     "ld.shared.u32 %r7, [%r1+8192];"},
    // A copy reads written bytes.
    {"race async-read",
     FILL RANDOM("A", MANY,
                 READ) "@%p1 cp.async.ca.shared.global [%r1+4], [%in], 4;\n",
     "@%p1 cp.async.wait_all; bar.sync 0;",
     "bar.sync 0; @%p1 cp.async.wait_all;", "ld.shared.u32 %r7, [%r1+4];"},
};

// In global memory, by 16 CTAs.  %d1 is the address of a random word of `out`;
// %p1 is true for thread 0 of CTA 5, %p3 for all threads of that CTA.
#define FAR(code)                                                              \
  "mov.u32 %r1, %ctaid.x; mad.lo.u32 %r4, %r1, 1024, %t;\n"                    \
  "mad.lo.u32 %r4, %r4, 1640531527, 77; setp.eq.u32 %p3, %r1, 5;\n"            \
  "setp.eq.and.u32 %p1, %t, 0, %p3;\n" RANDOM(                                 \
      "A", "12",                                                               \
      "and.b32 %r5, %r5, 4088; cvt.u64.u32 %d1, %r5; add.u64 %d1, %d1, "       \
      "%out; " code)
#define FAR_READ FAR("ld.global.u32 %r7, [%d1];")

static const Planted far[] = {
    {"race", FAR_READ, "@%p1 st.global.u32 [%out+2052], 5;",
     "@%p1 st.global.u32 [%out+2048], 5;", ""},
    {"race", FAR("ld.global.u8 %r7, [%d1];"),
     "@%p1 st.global.u8 [%out+2049], 5;", "@%p1 st.global.u8 [%out+2048], 5;",
     ""},
    {"race", FAR_READ "@%p1 st.global.u32 [%out+1028], 5;",
     "@%p3 bar.sync 0; @%p3 ld.global.u32 %r7, [%out+1028];",
     "ld.global.u32 %r7, [%out+1028];", ""},
    {"race", FAR("red.global.add.u32 [%d1], 1;"),
     "@%p1 atom.global.add.u32 %r7, [%out+512], 1;",
     "@%p1 ld.global.u32 %r7, [%out+512];", ""},
    // A CTA that is a power of two away.
    {"race", FAR_READ "setp.eq.u32 %p5, %r1, 13;\n", "",
     "@%p5 ld.global.u32 %r7, [%out+2052];",
     "@%p1 st.global.u32 [%out+2052], 5;"},
    // A word that was never written strongly, among words that were.
    {"race",
     FAR("st.relaxed.gpu.global.u32 [%d1], %t;") "@%p1 st.global.u32 "
                                                 "[%out+1028], 5;\n",
     "@%p3 bar.sync 0; @%p3 ld.global.u32 %r7, [%out+1028];",
     "ld.global.u32 %r7, [%out+1028];", ""},
    // Bytes that threads store side by side.
    {"race",
     "mov.u32 %r1, %ctaid.x; mad.lo.u32 %r4, %r1, 1024, %t;\n"
     "setp.lt.u32 %p2, %r1, 3; setp.eq.u32 %p3, %r1, 5;\n"
     "cvt.u64.u32 %d1, %r4; add.u64 %d1, %d1, %out;\n"
     "@%p2 st.global.u8 [%d1], %r4;\n",
     "@%p3 ld.global.u8 %r7, [%out+3500];", "@%p3 ld.global.u8 %r7, [%out+99];",
     ""},
    {"race",
     "mov.u32 %r1, %ctaid.x; mad.lo.u32 %r4, %r1, 1024, %t;\n"
     "setp.lt.u32 %p2, %r1, 3; cvt.u64.u32 %d1, %r4;\n"
     "add.u64 %d1, %d1, %out; @%p2 st.global.u8 [%d1+16], %r4;\n",
     "@%p2 bar.sync 0;", "",
     "setp.ge.and.u32 %p2, %t, 16, %p2; @%p2 ld.global.u8 %r7, [%d1];"},
    // The last thread that counts may clear the counter: it has found all
    // additions.
    {"race",
     FAR_READ "atom.global.add.u32 %r7, [%out+516], 1;\n"
              "setp.eq.u32 %p5, %r7, 16383;\n",
     "@%p5 st.global.u32 [%out+516], 0;", "@%p1 st.global.u32 [%out+516], 0;",
     ""},
    // The warp may also read the word that it has cleared.
    {"race",
     FAR_READ "atom.global.add.u32 %r7, [%out+516], 1;\n"
              "setp.eq.u32 %p5, %r7, 16383;\n",
     "@%p5 st.global.u32 [%out+516], 0; @%p5 ld.global.u32 %r7, [%out+516];",
     "@%p1 st.global.u32 [%out+516], 0; @%p1 ld.global.u32 %r7, [%out+516];",
     ""},
};

static const char *const schedules[] = {"late", "early", "1", "2", "3"};

static void run_planted(const Planted *p, bool is_wrong, unsigned num_ctas) {
  static char body[8192];
  snprintf(body, sizeof body, "%s\n%s\n%s", p->before,
           is_wrong ? p->wrong : p->right, p->after);
  CUmodule module = kit_load_body(body);
  CUdeviceptr out = kit_upload(NULL, 4096), in = kit_upload(NULL, 256);
  cuMemsetD32_v2(out, 0, 1024);
  cuMemsetD32_v2(in, 0, 64);
  void *params[] = {&out, &in};
  const KitShape shape = {{num_ctas}, {THREADS}, 0};
  const int error = kit_run(module, "k", shape, params);
  const char *found = kit_reports();
  if (is_wrong ? error != 719 || !kit_only_kinds(found, p->kinds)
               : error || *found)
    fail_msg("error %d, '%s' of the %s kernel:\n%s", error, found,
             is_wrong ? "wrong" : "right", body);
  cuMemFree_v2(out);
  cuMemFree_v2(in);
  kit_reopen();
  kit_reports();
}

static void races_are_told_among_many_accesses(void **state) {
  (void)state;
  for (size_t j = 0; j < sizeof schedules / sizeof *schedules; j++) {
    setenv("TILE_SIM_SCHEDULE", schedules[j], 1);
    for (size_t i = 0; i < sizeof planted / sizeof *planted; i++)
      for (int is_wrong = 0; is_wrong < 2; is_wrong++)
        run_planted(&planted[i], is_wrong, 1);
    for (size_t i = 0; j % 2 == 0 && i < sizeof far / sizeof *far; i++)
      for (int is_wrong = 0; is_wrong < 2; is_wrong++)
        run_planted(&far[i], is_wrong, 16);
  }
  unsetenv("TILE_SIM_SCHEDULE");
}

// -- The bound ---------------------------------------------------------------

#define ANY           "and.b32 %r5, %r5, 16380; add.u32 %r5, %r5, %r1; "
#define PATTERN(code) FILL RANDOM("A", "100", code)
static const char *const patterns[] = {
    PATTERN(ANY "ld.shared.u32 %r7, [%r5];"),
    PATTERN(ANY "ld.shared.u8 %r7, [%r5+1];"),
    PATTERN(ANY "ld.shared.u16 %r7, [%r5+2]; st.shared.u16 [%r5], %r10;"),
    PATTERN(WIDE),
    PATTERN(ANY "ld.volatile.shared.u32 %r7, [%r5];"),
    PATTERN(ANY "st.shared.u32 [%r5], %r10;"),
    PATTERN(ANY "st.shared.u8 [%r5], %r10;"),
    PATTERN(ANY "st.volatile.shared.u32 [%r5], %t;"),
    PATTERN(ANY "atom.shared.add.u32 %r7, [%r5], 1;"),
    PATTERN(ANY "red.shared.add.u32 [%r5], 1; ld.shared.u32 %r7, [%r5];"),
    PATTERN(STRONG),
    PATTERN(ANY "red.shared.add.u32 [%r5], 1;")
        BAR RANDOM("B", "100", ANY "ld.shared.u8 %r7, [%r5+3];"),
    PATTERN(ANY "ld.shared.u32 %r7, [%r5]; bar.warp.sync -1;"),
};

// Words that order threads; their clocks have bytes of the launch, too.
static const char *const orders[] = {
    PATTERN(ANY "atom.acq_rel.cta.shared.add.u32 %r7, [%r5], 1;"),
    PATTERN(ANY "fence.sc.cta; atom.acquire.cta.shared.add.u32 %r7, [%r5], 1;"),
    PATTERN(ANY "fence.acq_rel.cta; st.relaxed.cta.shared.u32 [%r5], %t;"
                "ld.relaxed.cta.shared.u32 %r7, [%r5];"),
    PATTERN(ANY "st.release.cta.shared.u32 [%r5], %t; xor.b32 %r5, %r5, 1024;"
                "ld.acquire.cta.shared.u32 %r7, [%r5];"),
};

static size_t peak_with(CUmodule module, unsigned num_ctas,
                        const char *checks) {
  CUdeviceptr out = kit_upload(NULL, 256), in = kit_upload(NULL, 256);
  void *params[] = {&out, &in};
  setenv("TILE_SIM_CHECKS", checks, 1);
  const size_t bytes =
      peak_of(module, (KitShape){{num_ctas}, {THREADS}, 0}, params);
  unsetenv("TILE_SIM_CHECKS");
  cuMemFree_v2(out);
  cuMemFree_v2(in);
  return bytes;
}

// The state of each byte is there without checks, too.
static void expect_bound(const char *pattern, unsigned num_ctas, size_t more) {
  CUmodule module = kit_load_body(pattern);
  const size_t none = peak_with(module, num_ctas, "none"),
               usual = peak_with(module, num_ctas, "usual");
  if (usual + BYTES > none + 8 * BYTES + more)
    fail_msg("%.2f bytes a byte: %s",
             ((double)usual - (double)none) / (double)BYTES + 1, pattern);
  cuModuleUnload(module);
  kit_reopen();
  kit_reports();
}

static void memory_is_bounded(void **state) {
  (void)state;
  if (!LIVE_BYTES_COUNTS) skip();
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
    expect_bound(patterns[i], 1, 0);
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
    expect_bound(orders[i], 1, 256 << 10);
}

// Each CTA touches another page, which has room that others had before.
static void ctas_in_turn_are_bounded(void **state) {
  (void)state;
  if (!LIVE_BYTES_COUNTS) skip();
  expect_bound(FILL RANDOM("A", "100",
                           "and.b32 %r5, %r5, 1020; mov.u32 %r7, %ctaid.x; "
                           "shl.b32 %r7, %r7, 10; add.u32 %r5, %r5, %r7; " ANY
                           "ld.shared.u32 %r7, [%r5];"),
               16, 0);
}

#define LOOKUPS(load)                                                          \
  "mov.u32 %r1, %ctaid.x; mad.lo.u32 %r4, %r1, 1024, %t;\n"                    \
  "mul.lo.u32 %r4, %r4, 40503;\n" RANDOM(                                      \
      "A", "64",                                                               \
      "shr.u32 %r5, %r4, 8; and.b32 %r5, %r5, 4194300; cvt.u64.u32 %d1, %r5;"  \
      "add.u64 %d1, %d1, %out;" load)
enum { FAR_BYTES = 4 << 20 };

static const char *const loads[] = {LOOKUPS("ld.global.u16 %h7, [%d1];"),
                                    LOOKUPS("ld.global.u8 %r7, [%d1];"),
                                    LOOKUPS("ld.global.u32 %r7, [%d1];")};

// The peak of memory, with malloc()'s overhead.
static double resident_bytes(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * (double)usage.ru_maxrss;
}

// This test comes first, since the process does not give memory back.
static void global_memory_is_bounded(void **state) {
  (void)state;
  if (!LIVE_BYTES_COUNTS) skip();
  CUdeviceptr out = kit_upload(NULL, FAR_BYTES), in = kit_upload(NULL, 256);
  cuMemsetD32_v2(out, 0, FAR_BYTES / 4);
  void *params[] = {&out, &in};
  const KitShape shape = {{128}, {THREADS}, 0};
  setenv("TILE_SIM_CHECKS", "none", 1);
  kit_run(kit_load_body(loads[0]), "k", shape, params);
  const double before = resident_bytes();
  unsetenv("TILE_SIM_CHECKS");
  for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
    kit_run(kit_load_body(loads[i]), "k", shape, params);
    const double bytes = (resident_bytes() - before) / (double)FAR_BYTES;
    if (bytes > 2) fail_msg("%.2f bytes a byte: %s", bytes, loads[i]);
  }
  cuMemFree_v2(out);
  cuMemFree_v2(in);
  kit_reopen();
}

// Takes the lock at %d1, and counts beside it.
#define LOCKED                                                                 \
  "TRY: atom.acquire.gpu.global.cas.b32 %r7, [%d1], 0, 1;\n"                   \
  "setp.ne.u32 %p4, %r7, 0; @%p4 bra TRY;\n"                                   \
  "ld.global.u32 %r7, [%d1+4]; add.u32 %r7, %r7, 1;\n"                         \
  "st.global.u32 [%d1+4], %r7; st.release.gpu.global.u32 [%d1], 0;\n"

// Words that all lanes update and read, each of which would be remembered with
// the lanes that have found it; words that order threads; and bytes, each by
// another lane.
static const struct {
  unsigned num_ctas;
  const char *body;
} updates[] = {
    {32,
     LOOKUPS("and.b32 %r5, %r5, 1048572; cvt.u64.u32 %d1, %r5;"
             "add.u64 %d1, %d1, %out; atom.global.add.u32 %r7, [%d1], 1;"
             "xor.b32 %r5, %r5, 88888; cvt.u64.u32 %d1, %r5;"
             "add.u64 %d1, %d1, %out; ld.relaxed.gpu.global.u32 %r7, [%d1];")},
    {4, LOOKUPS("and.b32 %r5, %r5, 1048572; cvt.u64.u32 %d1, %r5;"
                "add.u64 %d1, %d1, %out; fence.sc.sys;"
                "atom.acquire.sys.global.add.u32 %r7, [%d1], 1;")},
    {4, LOOKUPS("and.b32 %r5, %r5, 1048568; cvt.u64.u32 %d1, %r5;"
                "add.u64 %d1, %d1, %out;" LOCKED)},
    {4,
     LOOKUPS("and.b32 %r5, %r5, 1048572; cvt.u64.u32 %d1, %r5;"
             "add.u64 %d1, %d1, %out; st.release.gpu.global.u32 [%d1], %t;"
             "xor.b32 %r5, %r5, 88888; cvt.u64.u32 %d1, %r5;"
             "add.u64 %d1, %d1, %out; ld.acquire.gpu.global.u32 %r7, [%d1];")},
    {32,
     "mov.u32 %r1, %ctaid.x; mad.lo.u32 %r2, %r1, 256, %t;\n" RANDOM(
         "A", "128",
         "shl.b32 %r5, %r6, 13; add.u32 %r5, %r5, %r2; cvt.u64.u32 %d1, %r5;"
         "add.u64 %d1, %d1, %out; ld.global.u8 %r7, [%d1];"
         "st.global.u8 [%d1], %r7;")},
};

static void global_updates_are_bounded(void **state) {
  (void)state;
  if (!LIVE_BYTES_COUNTS) skip();
  enum { ROOM = FAR_BYTES / 4 };
  CUdeviceptr out = kit_upload(NULL, ROOM), in = kit_upload(NULL, 256);
  void *params[] = {&out, &in};
  for (size_t i = 0; i < sizeof updates / sizeof *updates; i++) {
    cuMemsetD32_v2(out, 0, ROOM / 4);
    CUmodule module = kit_load_body(updates[i].body);
    const size_t bytes =
        peak_of(module, (KitShape){{updates[i].num_ctas}, {256}, 0}, params);
    if (bytes > 2 * ROOM + (512 << 10))
      fail_msg("%.2f bytes a byte: %s", (double)bytes / (double)ROOM,
               updates[i].body);
    cuModuleUnload(module);
  }
  cuMemFree_v2(out);
  cuMemFree_v2(in);
  kit_reopen();
  kit_reports();
}

static int open_alone(void **state) {
  setenv("TILE_SIM_THREADS", "1", 1);
  return kit_setup(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(global_memory_is_bounded),
      cmocka_unit_test(races_are_told_among_many_accesses),
      cmocka_unit_test(memory_is_bounded),
      cmocka_unit_test(ctas_in_turn_are_bounded),
      cmocka_unit_test(global_updates_are_bounded),
  };
  return cmocka_run_group_tests(tests, open_alone, kit_teardown);
}
