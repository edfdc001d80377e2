// test_specialize_memory.c -- a kernel as IR: every allocation fails once.
#include "frontend/frontend.h"
#include "ir/verify.h"

#include "tests/fault/fault_kit.h"

static const char text[] =
    "C = tl.constexpr(2)\n"
    "@jit\ndef f(x, n):\n"
    "  if n < 0: return x\n"
    "  for i in range(n): x += C\n"
    "  return x\n"
    "@jit\ndef k(p: *fp32, n: i32, B: tl.constexpr = 8):\n"
    "  i = tl.arange(0, B)\n"
    "  x = tl.load(p + i, mask=i < n) + f(n, 3)\n"
    "  tl.store(p + i, tl.sum(x, 0) * 1.5 if n > 1 else 0.0)\n"
    "  tl.stroe(p)\n";

static void specialize(void *data) {
  Arena *arena = *(Arena **)data;
  DiagList diags;
  diag_init(&diags, arena);
  Source *source = source_create(arena, "t.tile", text, sizeof text - 1);
  Program *program = frontend_parse(arena, &diags, source, NULL);
  const AstFunction *kernel = frontend_find_function(program, "k");
  const ArgSpec args[3] = {{0}};
  const Specialization spec = {.args = args};
  Module *m = module_create(arena, &diags);
  assert_false(frontend_specialize(program, kernel, &spec, m));
  assert_int_equal(diags.num_errors, 1);
}

static void test_allocations(void **state) {
  (void)state;
  Arena *arena;
  assert_true(fault_each(specialize, &arena, &arena) > 300);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_allocations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
