// test_cpu -- TILE_CPU names the processor that the cpu device makes code for.
#include "tests/runtime/programs.h"
#include "tile/tile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NUM = 40 };

typedef struct {
  TileContext *context;
  TileDevice *device;
  TileStatus status; // of opening it
  char why[200];
} World;

static World open_for(const char *cpu) {
  World w = {0};
  TileDiagnostics *diagnostics = NULL;
  setenv("TILE_CPU", cpu, 1);
  assert_int_equal(tile_context_create(NULL, &w.context), TILE_OK);
  w.status = tile_device_open(w.context, "cpu", &w.device, &diagnostics);
  if (w.status)
    strncpy(w.why, tile_diagnostics_text(diagnostics), sizeof w.why - 1);
  tile_diagnostics_destroy(diagnostics);
  unsetenv("TILE_CPU");
  return w;
}

static void close_world(World *w) {
  tile_device_destroy(w->device);
  tile_context_destroy(w->context);
}

static void copies(const World *w) {
  const TileSource source = {.file = "copy.tile", .text = copy_text};
  TileProgram *program;
  TileKernel *kernel;
  float x[NUM], y[NUM] = {0};
  for (int i = 0; i < NUM; i++) x[i] = (float)i;
  assert_int_equal(tile_program_create(w->context, &source, &program, NULL),
                   TILE_OK);
  assert_int_equal(tile_program_kernel(program, NULL, &kernel, NULL), TILE_OK);
  const TileArg args[] = {tile_pointer_arg(x, TILE_FP32),
                          tile_pointer_arg(y, TILE_FP32), tile_int_arg(NUM)};
  const TileLaunch launch = {
      .kernel = kernel, .grid = {3}, .args = args, .num_args = 3};
  assert_int_equal(tile_launch(w->device, &launch, NULL), TILE_OK);
  for (int i = 0; i < NUM; i++) assert_true(y[i] == 2 * x[i]);
  tile_program_destroy(program);
}

// Each level that the machine has, and a status for each that it has not.
static void test_levels(void **state) {
  (void)state;
  const char *const cpus[] = {
      "",          "native",    "x86-64",         "x86-64-v2",
      "x86-64-v3", "x86-64-v4", "sapphirerapids", "znver4"};
  int refused = 0;
  for (size_t i = 0; i < sizeof cpus / sizeof *cpus; i++) {
    World w = open_for(cpus[i]);
    if (i < 2) assert_int_equal(w.status, TILE_OK);
    if (w.status == TILE_UNAVAILABLE) {
      assert_non_null(strstr(w.why, "this machine does not run"));
      refused++;
    } else if (w.status == TILE_OK) {
      copies(&w);
    }
    close_world(&w);
  }
  assert_true(refused >= 1); // no machine is two processors
}

static void test_unknown(void **state) {
  (void)state;
  World w = open_for("pdp-11");
  assert_int_equal(w.status, TILE_INVALID_ARGUMENT);
  assert_non_null(strstr(w.why, "TILE_CPU is 'pdp-11'"));
  close_world(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_levels),
      cmocka_unit_test(test_unknown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
