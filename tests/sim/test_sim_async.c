// test_sim_async.c -- planted bugs of asynchronous units are reported, under
// every schedule; right kernels that differ in one line are not.
#include <stdio.h>

#include "sim_kit.h"

enum { THREADS = 64, BYTES = 4096 };

typedef struct {
  const char *kind;
  const char *before, *right, *wrong, *after;
} Planted;

static const Planted planted[] = {
#define PLANTED(...) {__VA_ARGS__},
#include "tests/sim/planted_async.def"
};

static const char *const schedules[] = {"late", "early", "1", "2", "3",
                                        "4",    "5",     "6", "7", "8"};

static int run_text(const Planted *p, const char *line, char kinds[400]) {
  static char text[8192];
  static const char zeros[BYTES];
  static char out[BYTES];
  snprintf(text, sizeof text, "%s\n%s\n%s", p->before, line, p->after);
  const int error =
      kit_map(kit_load_body(text), THREADS, zeros, BYTES, out, BYTES);
  snprintf(kinds, 400, "%s", kit_reports());
  if (error) kit_reopen();
  return error;
}

static void run_planted(const Planted *p, const char *schedule) {
  char kinds[400];
  const int clean = run_text(p, p->right, kinds);
  if (clean || *kinds)
    fail_msg("%s: error %d, '%s' of the right kernel:\n%s\n%s\n%s", schedule,
             clean, kinds, p->before, p->right, p->after);
  const int error = run_text(p, p->wrong, kinds);
  if (error != 719 || !kit_only_kinds(kinds, p->kind))
    fail_msg("%s: error %d, '%s', not '%s':\n%s\n%s\n%s", schedule, error,
             kinds, p->kind, p->before, p->wrong, p->after);
}

static void test_planted(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++) {
    setenv("TILE_SIM_SCHEDULE", schedules[i], 1);
    for (size_t j = 0; j < sizeof planted / sizeof *planted; j++)
      run_planted(&planted[j], schedules[i]);
  }
  unsetenv("TILE_SIM_SCHEDULE");
}

// A ring of one buffer: warp 1 fills it four times, warp 0 adds it up, and one
// of the two always waits for the same parity.  In every schedule the report is
// about that wait.
static void run_ring(const char *of_reader, const char *of_writer,
                     const char *parity, bool is_wrong) {
  char body[3000], out[BYTES], kinds[400], passed[80], last[80];
  static const char zeros[BYTES];
  snprintf(
      body, sizeof body,
      ".shared .align 8 .b64 b[2]; .shared .align 16 .b8 s[128];\n"
      "mov.u32 %%r1, s; shl.b32 %%r2, %%t, 2; add.u32 %%r2, %%r1, %%r2;\n"
      "setp.eq.u32 %%p1, %%t, 0; @%%p1 mbarrier.init.shared.b64 [b], 1;\n"
      "@%%p1 mbarrier.init.shared.b64 [b+8], 32;\n"
      "fence.mbarrier_init.release.cluster; bar.sync 0;\n"
      "mov.u32 %%r3, 0; setp.ge.u32 %%p2, %%t, 32; @%%p2 bra W;\n"
      "R: and.b32 %%r4, %%r3, 1; mov.u32 %%r5, %s;\n"
      "P: mbarrier.try_wait.parity.shared.b64 %%p3, [b], %%r5; @!%%p3 bra "
      "P;\n"
      "ld.shared.u32 %%r6, [%%r2]; add.u32 %%r7, %%r7, %%r6;\n"
      "mbarrier.arrive.shared.b64 _, [b+8]; add.u32 %%r3, %%r3, 1;\n"
      "setp.lt.u32 %%p3, %%r3, 4; @%%p3 bra R; exit;\n"
      "W: setp.ne.u32 %%p3, %%t, 32; @%%p3 exit;\n"
      "V: and.b32 %%r4, %%r3, 1; xor.b32 %%r4, %%r4, 1; mov.u32 %%r5, %s;\n"
      "Q: mbarrier.try_wait.parity.shared.b64 %%p3, [b+8], %%r5; @!%%p3 "
      "bra Q;\n"
      "mbarrier.arrive.expect_tx.shared.b64 _, [b], 128;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes\n"
      "  [s], [%%in], 128, [b]; add.u32 %%r3, %%r3, 1;\n"
      "setp.lt.u32 %%p3, %%r3, 4; @%%p3 bra V;",
      of_reader, of_writer);
  const int error = kit_map(kit_load_body(body), 64, zeros, BYTES, out, BYTES);
  assert_int_equal(error, is_wrong ? 719 : 0);
  snprintf(passed, sizeof passed, "passed its wait for parity %s", parity);
  snprintf(last, sizeof last, "last waited for parity %s", parity);
  const char *text = kit_report_text();
  if (is_wrong && !strstr(text, passed) && !strstr(text, last))
    fail_msg("%s: %s", getenv("TILE_SIM_SCHEDULE"), text);
  snprintf(kinds, sizeof kinds, "%s", kit_reports());
  if (!is_wrong) assert_string_equal(kinds, "");
  if (error) kit_reopen();
}

static void test_unflipped(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++) {
    setenv("TILE_SIM_SCHEDULE", schedules[i], 1);
    run_ring("%r4", "%r4", "", false);
    run_ring("0", "%r4", "0", true);
    run_ring("%r4", "1", "1", true);
  }
  unsetenv("TILE_SIM_SCHEDULE");
}

// Eleven warps read a word, or its bytes; a bulk copy of the twelfth warp
// overwrites the word, and the twelfth warp awaits only ten of the others.
static void run_many_readers(unsigned forgotten, const char *type) {
  char body[2048], out[BYTES];
  static const char zeros[BYTES];
  snprintf(body, sizeof body,
           ".shared .align 8 .b64 b; .shared .align 16 .b8 s[16];\n"
           "shr.u32 %%r1, %%t, 5; setp.eq.u32 %%p1, %%t, 0;\n"
           "@%%p1 st.shared.v4.u32 [s], {1, 2, 3, 4};\n"
           "@%%p1 mbarrier.init.shared.b64 [b], 1; fence.proxy.async;\n"
           "bar.sync 0; setp.eq.u32 %%p1, %%r1, 11; @%%p1 bra W;\n"
           "ld.shared.%s %%r2, [s+4]; setp.eq.u32 %%p1, %%r1, %u;\n"
           "@%%p1 bra E; bar.arrive 1, %u; E: exit;\n"
           "W: bar.sync 1, %u; setp.ne.u32 %%p1, %%t, 352; @%%p1 exit;\n"
           "mbarrier.arrive.expect_tx.shared.b64 _, [b], 16;\n"
           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes\n"
           "  [s], [%%in], 16, [b];\n"
           "L: mbarrier.try_wait.parity.shared.b64 %%p1, [b], 0; @!%%p1 bra L;",
           type, forgotten, forgotten < 11 ? 352 : 384,
           forgotten < 11 ? 352 : 384);
  const int error = kit_map(kit_load_body(body), 384, zeros, BYTES, out, BYTES);
  assert_int_equal(error, forgotten < 11 ? 719 : 0);
  assert_string_equal(kit_reports(), forgotten < 11 ? "race " : "");
  if (error) kit_reopen();
}

static void test_many_readers(void **state) {
  (void)state;
  for (unsigned forgotten = 0; forgotten <= 11; forgotten++) {
    run_many_readers(forgotten, "u32");
    run_many_readers(forgotten, "u8");
  }
}

// Runs the example of docs/simulator.md, compiled by nvcc.
static int run_twice(const char *kernel) {
  float in[256], out[256];
  for (int i = 0; i < 256; i++) in[i] = (float)i;
  CUmodule module = kit_load("fence.ptx");
  CUdeviceptr x = kit_upload(in, sizeof in), y = kit_upload(NULL, sizeof out);
  void *params[] = {&x, &y};
  const int error = kit_run(module, kernel, (KitShape){{1}, {256}, 0}, params);
  if (error) return error;
  kit_download(out, y, sizeof out);
  for (int i = 0; i < 256; i++)
    if (out[i] != 2 * in[i]) fail_msg("%d: %g", i, (double)out[i]);
  cuMemFree_v2(x);
  cuModuleUnload(module);
  return 0;
}

static void test_twice(void **state) {
  (void)state;
  assert_int_equal(run_twice("twice_fenced"), 0);
  assert_string_equal(kit_reports(), "");
  assert_int_equal(run_twice("twice"), 719);
  assert_non_null(
      strstr(kit_report_text(), "with no fence.proxy.async since the write"));
  assert_string_equal(kit_reports(), "proxy-fence ");
  kit_reopen();
}

int main(void) {
  setenv("TILE_SIM_CHIP", "sm_90", 1);
  setenv("TILE_SIM_BUDGET", "200000", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_planted), cmocka_unit_test(test_many_readers),
      cmocka_unit_test(test_unflipped), cmocka_unit_test(test_twice)};
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
