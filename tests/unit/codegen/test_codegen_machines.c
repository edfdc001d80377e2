// test_codegen_machines.c -- machines of LLVM that are kept for the next
// object.
#include "tests/unit/codegen/host_kit.h"

static const char text[] = "kernel @f(%x: ptr<f32>, %v: f32) {\n"
                           "  store %x, %v\n"
                           "  return\n"
                           "}\n";

static int count_idle(const CodegenMachines *machines) {
  int n = 0;
  for (int i = 0; i < CODEGEN_MACHINES; i++) n += !!machines->idle[i].machine;
  return n;
}

static void emit(HostKit *kit, CodegenMachines *machines, const char *cpu,
                 bool quick) {
  const CodegenOptions options = {
      .machines = machines, .host_cpu = cpu, .quick = quick};
  host_parse(kit, text);
  codegen_emit(kit->m, target_find("cpu"), EMIT_OBJECT, &options, &kit->code);
  assert_string_equal(host_messages(kit), "");
}

static void same_object(CodegenMachines *machines, const char *cpu,
                        bool quick) {
  HostKit with, without;
  emit(&with, machines, cpu, quick);
  emit(&without, NULL, cpu, quick);
  assert_int_equal(with.code.size, without.code.size);
  assert_memory_equal(with.code.data, without.code.data, with.code.size);
  host_close(&with);
  host_close(&without);
}

// One for each configuration, and no more than there is room for.
static void keeps_machines_apart(void **state) {
  (void)state;
  static const char *const cpus[] = {NULL, "x86-64", "x86-64-v3"};
  CodegenMachines machines;
  assert_true(codegen_machines_open(&machines));
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < 6; i++) {
      same_object(&machines, cpus[i / 2], i % 2);
      const int made = i < 4 ? i + 1 : 4;
      assert_int_equal(count_idle(&machines), round ? 4 : made);
    }
  }
  codegen_machines_close(&machines);
}

static bool has(const CodegenMachines *machines, const char *cpu) {
  for (int i = 0; i < CODEGEN_MACHINES; i++) {
    if (machines->idle[i].machine && !strcmp(machines->idle[i].host_cpu, cpu))
      return true;
  }
  return false;
}

static void forgets_the_least_used(void **state) {
  (void)state;
  static const char *const cpus[] = {"x86-64-v4", "x86-64",    "x86-64-v2",
                                     "x86-64-v3", "x86-64-v4", "znver4"};
  CodegenMachines machines;
  assert_true(codegen_machines_open(&machines));
  for (int i = 0; i < 6; i++) same_object(&machines, cpus[i], false);
  assert_int_equal(count_idle(&machines), CODEGEN_MACHINES);
  assert_true(has(&machines, "znver4") && has(&machines, "x86-64-v4"));
  assert_false(has(&machines, "x86-64"));
  codegen_machines_close(&machines);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(keeps_machines_apart),
                                     cmocka_unit_test(forgets_the_least_used)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
