// test_sim_printf.c -- output of kernels, as the host's C library prints it.
#include <stdio.h>
#include <unistd.h>

#include "sim_kit.h"
#include "tests/sim/cuda/formats.h"

static char printed[1 << 14];

// Launches with stdout going to a file, and reads it.
static void run_printing(CUmodule module, const char *kernel, unsigned threads,
                         void **params) {
  char path[64];
  snprintf(path, sizeof path, "/tmp/tilesim-printed-%ld", (long)getpid());
  fflush(stdout);
  const int own = dup(STDOUT_FILENO);
  assert_non_null(freopen(path, "w", stdout));
  const int error =
      kit_run(module, kernel, (KitShape){{1}, {threads}, 0}, params);
  fflush(stdout);
  dup2(own, STDOUT_FILENO);
  close(own);
  FILE *file = fopen(path, "r");
  printed[fread(printed, 1, sizeof printed - 1, file)] = '\0';
  fclose(file);
  remove(path);
  assert_int_equal(error, 0);
}

static void test_formats(void **state) {
  (void)state;
  char wanted[1000];
  int n = 17;
  void *params[] = {&n};
#define INTO_WANTED(...) snprintf(wanted, sizeof wanted, __VA_ARGS__)
  // h and hh truncate the argument, here as on the device.
#pragma GCC diagnostic ignored "-Wformat"
  FORMATS(INTO_WANTED);
  CUmodule module = kit_load("printf.ptx");
  run_printing(module, "formats", 32, params);
  assert_string_equal(printed, wanted);
  cuModuleUnload(module);
}

static void test_lanes(void **state) {
  (void)state;
  int n = 3;
  void *params[] = {&n};
  CUmodule module = kit_load("basic.ptx");
  run_printing(module, "prints", 32, params);
  assert_string_equal(printed, "n=3 x=4.50 text 100%\n");
  cuModuleUnload(module);
}

// A conversion that only the host knows is printed as text.
static void test_unknown(void **state) {
  (void)state;
  CUmodule module = kit_load_text(
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
      ".global .align 1 .b8 text[12] = {37, 49, 36, 110, 100, 32, 37, 73, 100,"
      " 10, 0};\n"
      ".visible .entry k() { .reg .b64 %d<5>; .reg .b32 %r<2>;\n"
      "mov.u64 %d1, text; cvta.global.u64 %d2, %d1; mov.u64 %d3, 0;\n"
      "{ .param .b64 a; .param .b64 b; .param .b32 c;\n"
      "st.param.b64 [a], %d2; st.param.b64 [b], %d3;\n"
      "call.uni (c), vprintf, (a, b); } ret; }\n");
  run_printing(module, "k", 1, NULL);
  assert_string_equal(printed, "%1$nd %Id\n");
  cuModuleUnload(module);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_formats),
      cmocka_unit_test(test_lanes),
      cmocka_unit_test(test_unknown),
  };
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
