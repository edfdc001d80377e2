// test_specialize.c -- from source text to IR: the ops for each construct.
//
// Backs I3 of frontend.
#include "specialize_kit.h"

static const char add_kernel[] =
    "@jit\n"
    "def add(x, y, out, n, BLOCK: tl.constexpr):\n"
    "  offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
    "  mask = offsets < n\n"
    "  a = tl.load(x + offsets, mask=mask)\n"
    "  b = tl.load(y + offsets, mask=mask)\n"
    "  tl.store(out + offsets, a + b, mask=mask)\n";

static void vector_add(void **state) {
  (void)state;
  Kit *kit = kit_specialize(add_kernel, "*fp32:16, *fp32, *fp32, i32:16, 128");
  const char *ir = kit_ir(kit);
  check_contains(ir, "%x: ptr<f32> {argument = 0, divisibility = [16]}");
  check_contains(ir, "%n: i32 {argument = 3, divisibility = [16]}");
  check_contains(ir, "num_warps = 4");
  check_contains(ir, "%mask = cmpi %offsets, %");
  check_contains(ir, "addf %a, %b : tile<128xf32>");
  kit_free(kit);
}

static void nothing_is_added_after_an_error(void **state) {
  (void)state;
  Kit *kit = kit_specialize(
      "@jit\ndef f(x: *fp32):\n  tl.store(x, thermometer)\n", NULL);
  assert_false(kit->ok);
  assert_null(kit->m->functions);
  assert_ptr_equal(kit->m->last_function, &kit->m->functions);
  assert_string_equal(kit_messages(kit),
                      "3:15: error: unknown name 'thermometer'\n");
  kit_free(kit);
}

static void autotune_and_heuristics(void **state) {
  (void)state;
  const char *text =
      "@triton.autotune(configs=[triton.Config({'BLOCK': 32}, num_warps=8,\n"
      "    num_stages=5), triton.Config({'BLOCK': 64})], key=['n'])\n"
      "@triton.heuristics({'HAS_Y': lambda args: args['y'] is not None,\n"
      "    'WIDE': lambda args: triton.next_power_of_2(args['BLOCK'] + 1)})\n"
      "@triton.jit\n"
      "def k(x, y, n, HAS_Y: tl.constexpr, WIDE: tl.constexpr,\n"
      "      BLOCK: tl.constexpr):\n"
      "  tl.static_assert(WIDE == 2 * BLOCK)\n"
      "  if HAS_Y: tl.store(y, tl.load(x))\n"
      "  else: tl.store(x + tl.arange(0, BLOCK), n)\n";
  Kit *kit = kit_specialize(text, "*fp32, None, i32");
  check_contains(kit_ir(kit), "arange {end = 32, start = 0}");
  check_contains(kit_ir(kit), "{num_stages = 5, num_warps = 8}");
  kit_free(kit);
  kit = kit_specialize(text, "*fp32, *fp32, i32");
  check_contains(kit_ir(kit), "load %x");
  kit_free(kit);
  kit = kit_specialize("@heuristics({'A': lambda a: a['n'] % 2 == 0})\n"
                       "@jit\ndef k(n: i32, A: tl.constexpr): pass\n",
                       NULL);
  assert_string_equal(kit_messages(kit),
                      "1:19: error: 'A' depends on a value that is known only "
                      "at run time: give it with -D\n");
  kit_free(kit);
}

// The stored value shows the configuration.
static void check_config(const char *configs, int index, const char *found) {
  Kit *kit = kit_create();
  const char *text =
      arena_printf(&kit->arena,
                   "SIZES = (8, 16)\nONE = [Config({'B': 4}, num_warps=1)]\n"
                   "@autotune(configs=%s, key=[])\n@jit\n"
                   "def k(p: *i32, B: tl.constexpr): tl.store(p, B)\n",
                   configs);
  Source *source = source_create(&kit->arena, "t.tile", text, strlen(text));
  kit->program = frontend_parse(&kit->arena, &kit->diags, source, NULL);
  assert_non_null(kit->program);
  kit->kernel = frontend_find_kernel(kit->program, &kit->diags, NULL);
  const ArgSpec args[2] = {{.kind = ARG_ABSENT}};
  const Specialization spec = {.args = args, .config = index};
  kit->ok = frontend_specialize(kit->program, kit->kernel, &spec, kit->m);
  check_contains(kit_ir(kit), found);
  kit_free(kit);
}

static void configurations(void **state) {
  (void)state;
  check_config("ONE", 0, "constant {value = 4}");
  check_config("ONE", 0, "num_warps = 1}");
  check_config("ONE + [Config(dict(B=5), 2, 7)]", 1, "constant {value = 5}");
  check_config("ONE + [Config(dict(B=5), 2, 7)]", 1,
               "{num_stages = 7, num_warps = 2}");
  check_config("[Config({'B': s * r}) for s in SIZES for r in range(1, 4)]", 4,
               "constant {value = 32}");
  check_config("[*ONE, Config({'B': SIZES[1]})]", 1, "constant {value = 16}");
  check_config("ONE", 1, "there is no configuration 1: 'k' has 1\n");
  check_config("ONE", -1, "there is no configuration -1: 'k' has 1\n");
  check_config("get()", 0,
               "5:16: error: 'B': host code computes the @autotune "
               "configurations; give this constexpr parameter a value with "
               "-D\n");
  check_config("get()", 1, "there is no configuration 1: 'k' has 0 that are");
  check_config("[Config({'B': s}) for s in get()]", 0, "host code computes");
  check_config("[Config({'B': s}) for s in range(0, 10**9)]", 0, "host code");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vector_add),
      cmocka_unit_test(autotune_and_heuristics),
      cmocka_unit_test(configurations),
      cmocka_unit_test(nothing_is_added_after_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
