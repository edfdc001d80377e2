// test_sim_maps.c -- reports and counts of copies by tensor maps.
#include <stdio.h>

#include "sim_kit.h"

enum { THREADS = 64, WIDTH = 16, HEIGHT = 16, SCRATCH = 4096 };

// The text that each kernel of planted_maps.def begins with.
#define HEAD                                                                   \
  ".version 8.7\n.target sm_90a\n.address_size 64\n"                           \
  ".visible .entry k(.param .align 64 .b8 map[128], .param .u64 out_p, "       \
  ".param .u64 in_p) {\n"                                                      \
  ".reg .b32 %r<40>; .reg .b64 %d<20>; .reg .b16 %h<5>; .reg .pred %p<9>;\n"   \
  ".reg .b64 %out, %in, %map; .reg .b32 %t;\n"                                 \
  ".shared .align 8 .b64 b[2]; .shared .align 128 .b8 s[4096];\n"              \
  "ld.param.u64 %out, [out_p]; ld.param.u64 %in, [in_p]; mov.u32 %t, %tid.x;"  \
  "mov.b64 %map, map; cvta.param.u64 %map, %map; mov.u32 %r1, s;\n"            \
  "setp.eq.u32 %p8, %t, 0; shl.b32 %r2, %t, 2; add.u32 %r2, %r1, %r2;\n"       \
  "mul.wide.u32 %d1, %t, 4; add.u64 %d2, %out, %d1; mov.u32 %r8, b;\n"         \
  "@%p8 mbarrier.init.shared.b64 [b], 1; fence.mbarrier_init.release.cluster;" \
  "bar.sync 0;\n"

typedef struct {
  const char *name, *body;
  const char *kinds; // of reports
  bool is_whole;     // thread t's result is word t from {0, 4} on
} Planted;

static const Planted planted[] = {
#define PLANTED(...) {__VA_ARGS__},
#include "tests/sim/planted_maps.def"
};

static int run_planted(const Planted *row, uint32_t *out) {
  static char text[10000];
  static _Alignas(64) uint8_t map[128];
  uint32_t tensor[WIDTH * HEIGHT];
  const uint64_t dims[] = {WIDTH, HEIGHT}, strides[] = {4 * WIDTH};
  const unsigned box[] = {WIDTH, 8}, steps[] = {1, 1};
  for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) tensor[i] = 3 * i + 1;
  CUdeviceptr in = kit_upload(tensor, sizeof tensor),
              results = kit_upload(NULL, SCRATCH + 128);
  cuMemsetD8_v2(results, 0, SCRATCH + 128);
  assert_int_equal(cuTensorMapEncodeTiled(map, 2, 2, (void *)(uintptr_t)in,
                                          dims, strides, box, steps, 0, 0, 0,
                                          0),
                   0);
  snprintf(text, sizeof text, "%s%s\nret; }\n", HEAD, row->body);
  CUmodule module = kit_load_text(text);
  void *params[] = {map, &results, &in};
  const int error = kit_run(module, "k", (KitShape){{1}, {THREADS}, 0}, params);
  if (error) return error;
  assert_int_equal(cuMemcpyDtoH_v2(out, results, 4 * THREADS), 0);
  cuMemFree_v2(in);
  cuMemFree_v2(results);
  cuModuleUnload(module);
  return 0;
}

static const Planted *find(const char *name) {
  for (size_t i = 0; i < sizeof planted / sizeof *planted; i++)
    if (strcmp(planted[i].name, name) == 0) return &planted[i];
  fail_msg("there is no '%s'", name);
  return NULL;
}

static void test_planted(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof planted / sizeof *planted; i++) {
    uint32_t out[THREADS];
    const Planted *row = &planted[i];
    const int error = run_planted(row, out);
    char text[2000];
    snprintf(text, sizeof text, "%s", kit_report_text());
    const char *kinds = kit_reports();
    if (*row->kinds ? !kit_only_kinds(kinds, row->kinds) : error || *kinds)
      fail_msg("%s: error %d, '%s', not '%s': %s", row->name, error, kinds,
               row->kinds, text);
    for (uint32_t t = 0; row->is_whole && t < THREADS; t++)
      if (out[t] != 3 * (t + 4 * WIDTH) + 1)
        fail_msg("%s: thread %u has %u", row->name, t, out[t]);
    if (error) kit_reopen();
  }
}

// The map's fields are reported if its elements are outside of memory.
static void test_fields(void **state) {
  (void)state;
  uint32_t out[THREADS];
  assert_int_equal(run_planted(find("a box outside"), out), 700);
  const char *text = kit_report_text();
  if (!strstr(text, "byte 1024 of argument 2 (1024 bytes); coordinates 0,9 "
                    "of a map of u32 at 0x") ||
      !strstr(text, ", dimensions 16,20, strides 64, box 16,8"))
    fail_msg("%s", text);
  kit_reopen();
}

// -- Counters ----------------------------------------------------------------

// The bytes of copies count: those inside the tensor in global memory, and the
// whole box in shared memory, at 128 bytes a turn.
static void test_counters(void **state) {
  (void)state;
  static const char *const names[] = {"a load", "a load over the edge",
                                      "a map that the kernel made",
                                      "a plain load"};
  static const char *const wanted[] = {
      "asynchronous copy: 512 bytes in 16 sectors",
      "asynchronous copy: 128 bytes in 4 sectors",
      "asynchronous copy: 512 bytes in 16 sectors",
      "asynchronous copy: 512 bytes in 17 sectors"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    uint32_t out[THREADS];
    kit_count("text");
    assert_int_equal(run_planted(find(names[i]), out), 0);
    const char *text = kit_counted();
    if (!strstr(text, wanted[i]) || !strstr(text, " 512 bytes, "))
      fail_msg("%s: %s", names[i], text);
  }
}

int main(void) {
  setenv("TILE_SIM_CHIP", "sm_90", 1);
  const struct CMUnitTest tests[] = {

      cmocka_unit_test(test_planted), cmocka_unit_test(test_fields),
      cmocka_unit_test(test_counters)};
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
