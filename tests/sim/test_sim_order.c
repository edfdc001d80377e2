// test_sim_order.c -- nvcc's PTX of lanes that pass words to other warps and
// blocks: right kernels have no report, and each missing fence or barrier is
// reported, in every order of threads.
#include <stdlib.h>

#include "sim_kit.h"

enum { THREADS = 64, BLOCKS = 4 };

typedef struct {
  const char *kernel;
  unsigned num_blocks;
  int num_bugs;
  int (*expected)(int i);
} Row;

static int handed(int i) {
  return 32 - i % 32;
}

static int twice(int i) {
  return 2 * (i % 32 + 1);
}

static int of_all(int i) {
  return BLOCKS * (i + 1);
}

static int of_firsts(int i) {
  (void)i;
  return BLOCKS * (BLOCKS + 1) / 2;
}

static const Row rows[] = {
    {"handoff", 1, 4, handed},
    {"locked", 1, 3, twice},
    {"last_block", BLOCKS, 3, of_all},
    {"all_fence", BLOCKS, 4, of_all},
    {"first_leaves", BLOCKS, 3, of_firsts},
};

static CUmodule module;

static int open_all(void **state) {
  (void)state;
  setenv("TILE_SIM_THREADS", "1", 1);
  kit_open();
  module = kit_load("order.ptx");
  return 0;
}

static int close_all(void **state) {
  (void)state;
  cuModuleUnload(module);
  kit_close();
  return 0;
}

static int run(const Row *row, int bug, int found[THREADS]) {
  static const int zeros[THREADS * BLOCKS];
  CUdeviceptr out = kit_upload(zeros, sizeof(int) * THREADS);
  CUdeviceptr parts = kit_upload(zeros, sizeof zeros);
  CUdeviceptr ticket = kit_upload(zeros, sizeof(int));
  void *few[] = {&out, &bug}, *all[] = {&out, &parts, &ticket, &bug};
  const KitShape shape = {{row->num_blocks}, {THREADS}, 0};
  const int error =
      kit_run(module, row->kernel, shape, row->num_blocks > 1 ? all : few);
  kit_download(found, out, sizeof(int) * THREADS);
  assert_int_equal(cuMemFree_v2(ticket), 0);
  assert_int_equal(cuMemFree_v2(parts), 0);
  return error;
}

static void run_right(const Row *row) {
  int found[THREADS];
  assert_int_equal(run(row, 0, found), 0);
  assert_string_equal(kit_reports(), "");
  for (int i = 0; i < (row->num_blocks > 1 ? THREADS : 32); i++)
    assert_int_equal(found[i], row->expected(i));
}

static void run_wrong(const Row *row, int bug) {
  int found[THREADS];
  const int error = run(row, bug, found);
  if (error != 719 || strncmp(kit_reports(), "race ", 5) != 0)
    fail_msg("error %d of '%s' with bug %d", error, row->kernel, bug);
}

static void test_order(void **state) {
  (void)state;
  static const char *const schedules[] = {"late", "early", "1", "2", "3"};
  for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++) {
    setenv("TILE_SIM_SCHEDULE", schedules[i], 1);
    for (size_t j = 0; j < sizeof rows / sizeof *rows; j++) {
      run_right(&rows[j]);
      for (int bug = 1; bug <= rows[j].num_bugs; bug++)
        run_wrong(&rows[j], bug);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_order)};
  return cmocka_run_group_tests(tests, open_all, close_all);
}
