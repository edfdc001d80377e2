// test_edges_host.c -- loops at the edges of their trips have the results of
// the interpreter on the host, to the bit, and write nothing else.
#include "tests/tools/host_runner.h"
#include "tests/unit/frontend/specialize_kit.h"
#include "tests/unit/passes/edge_kernels.h"

#include <stdio.h>

enum { MAX_PARAMS = 10, MARGIN = 1 << 12, ALL = 3 * MARGIN + (1 << 13) };

typedef struct {
  _Alignas(64) unsigned char bytes[MAX_PARAMS][ALL];
} Memory;

static Memory memory, expected;

static bool is_pointer(const Function *f, int i) {
  return f->body->args[i].type->kind == TYPE_POINTER;
}

static void fill(Memory *m, const Function *f) {
  for (int i = 0; i < f->body->num_args; i++)
    if (is_pointer(f, i))
      edge_fill(m->bytes[i], ALL, f->body->args[i].type->element->elem, i);
}

static void bind(const Function *f, const int64_t *ints, Memory *m,
                 InterpArg *args) {
  for (int i = 0; i < f->body->num_args; i++) {
    args[i] = (InterpArg){0};
    if (is_pointer(f, i))
      args[i].as.p = &m->bytes[i][MARGIN];
    else
      args[i].as.i = *ints++;
  }
}

static void interpret(Kit *kit, const EdgeKernel *kernel, int input) {
  const Function *f = kit->m->functions;
  InterpArg args[MAX_PARAMS];
  const InterpMemory all = {&expected, sizeof expected};
  const InterpLaunch launch = {.args = args,
                               .memory = &all,
                               .num_memory = 1,
                               .grid = {1, 1, 1},
                               .max_steps = 400000};
  fill(&expected, f);
  bind(f, kernel->inputs[input], &expected, args);
  if (!interp_run(&kit->arena, f, &launch, &kit->diags))
    fail_msg("%s, input %d: %s", kernel->name, input, kit_messages(kit));
}

static void check_input(const HostRunner *runner, const Function *f,
                        const EdgeKernel *kernel, int input) {
  static const int64_t grid[] = {1, 1, 1};
  InterpArg args[MAX_PARAMS];
  uint64_t slots[MAX_PARAMS];
  fill(&memory, f);
  bind(f, kernel->inputs[input], &memory, args);
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
    interpret(whole, kernel, i);
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
