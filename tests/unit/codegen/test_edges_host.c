// test_edges_host.c -- loops at the edges of their trips have the results of
// the interpreter on the host, to the bit, and write nothing else.
#include "tests/tools/host_runner.h"
#include "tests/unit/passes/edge_run.h"

#include <stdio.h>

static EdgeMemory memory, expected;

static void check_input(const HostRunner *runner, const Function *f,
                        const EdgeKernel *kernel, int input) {
  static const int64_t grid[] = {1, 1, 1};
  InterpArg args[EDGE_PARAMS];
  uint64_t slots[EDGE_PARAMS];
  edge_fill_all(f, &memory);
  edge_bind(f, kernel->inputs[input], &memory, args);
  memcpy(slots, args, sizeof slots);
  host_runner_run(runner, 0, slots, grid);
  if (memcmp(&memory, &expected, sizeof memory))
    fail_msg("%s, input %d: other results", kernel->name, input);
}

static void check_kernel(const EdgeKernel *kernel, int tier) {
  Kit *whole = kit_specialize(kernel->text, kernel->signature);
  Kit *compiled = kit_specialize(kernel->text, kernel->signature);
  if (!whole->ok || !compiled->ok)
    fail_msg("%s: %s", kernel->name, kit_messages(whole));
  HostRunner runner;
  const CodegenOptions options = {.no_fp_fusion = true, .quick = tier == 0};
  if (!host_runner_open(&runner, compiled->m, &options, &compiled->diags))
    fail_msg("%s: %s", kernel->name, kit_messages(compiled));
  for (int i = 0; i < kernel->num_inputs; i++) {
    edge_interpret(whole, kernel, i, &expected);
    check_input(&runner, whole->m->functions, kernel, i);
  }
  host_runner_close(&runner);
  kit_free(compiled);
  kit_free(whole);
}

static int part, parts = 1;

static void hosts_agree(void **state) {
  (void)state;
  for (int i = part; i < 2 * NUM_EDGE_KERNELS; i += parts)
    check_kernel(&edge_kernels[i / 2], i % 2);
}

// test_edges_host [PART PARTS]
int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(hosts_agree)};
  if (argc > 2) part = atoi(argv[1]), parts = atoi(argv[2]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
