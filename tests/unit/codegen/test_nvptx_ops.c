// test_nvptx_ops.c -- every elementwise op and type becomes PTX that ptxas
// accepts, on every target.
//
// An op that LLVM cannot select ends the process, so that reaching the end is
// most of the test.
#include "nvptx_kit.h"

static const char *const ints[] = {"i1", "i8", "i16", "i32", "i64", NULL};
static const char *const floats[] = {"f16", "bf16", "f32", "f64", NULL};
static const char *const all_floats[] = {"f16",    "bf16", "f32", "f64",
                                         "f8e4nv", "f8e5", NULL};

enum { N = 256 };

// One kernel: `op` of loaded operands, stored.
static void add_kernel(Str *out, const char *name, const char *op,
                       const char *attrs, int operands, const char *from,
                       const char *to) {
  str_addf(out, "kernel @%s(%%x: ptr<%s> {divisibility = [16]}, ", name, from);
  str_addf(out, "%%o: ptr<%s> {divisibility = [16]}) {\n", to);
  str_addf(out, "  %%i = arange {start = 0, end = %d} : tile<%dxi32>\n", N, N);
  str_addf(out, "  %%xs = splat %%x : tile<%dxptr<%s>>\n", N, from);
  str_addf(out, "  %%os = splat %%o : tile<%dxptr<%s>>\n", N, to);
  str_addf(out, "  %%q = addptr %%os, %%i : tile<%dxptr<%s>>\n", N, to);
  for (int i = 0; i < operands; i++) {
    str_addf(out, "  %%k%d = constant {value = %d} : tile<%dxi32>\n", i, N * i,
             N);
    str_addf(out, "  %%i%d = addi %%i, %%k%d : tile<%dxi32>\n", i, i, N);
    str_addf(out, "  %%p%d = addptr %%xs, %%i%d : tile<%dxptr<%s>>\n", i, i, N,
             from);
    str_addf(out, "  %%v%d = load %%p%d : tile<%dx%s>\n", i, i, N, from);
  }
  str_addf(out, "  %%r = %s", op);
  for (int i = 0; i < operands; i++) str_addf(out, "%s %%v%d", i ? "," : "", i);
  str_addf(out, "%s : tile<%dx%s>\n", attrs, N, to);
  str_add(out, "  store %q, %r\n  return\n}\n");
}

static void add_kernels(Str *out, Arena *arena, const char *op,
                        const char *attrs, int operands,
                        const char *const *from, const char *to) {
  for (; *from; from++) {
    const char *result = to ? to : *from;
    const char *name =
        arena_printf(arena, "%s_%s_%s_%d", op, *from, result, (int)out->length);
    add_kernel(out, name, op, attrs, operands, *from, result);
  }
}

// -- Groups of ops -----------------------------------------------------------

static void add_integers(Str *out, Arena *arena) {
  static const char *const two[] = {
      "addi",  "subi",  "muli",  "mulhsi", "mulhui", "divsi", "divui",
      "remsi", "remui", "andi",  "ori",    "xori",   "shli",  "shrsi",
      "shrui", "maxsi", "maxui", "minsi",  "minui"};
  static const char *const one[] = {"absi", "clz", "popcount"};
  for (size_t i = 0; i < sizeof two / sizeof *two; i++) {
    add_kernels(out, arena, two[i], "", 2, ints, NULL);
  }
  for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
    add_kernels(out, arena, one[i], "", 1, ints, NULL);
  }
  add_kernels(out, arena, "cmpi", " {predicate = lt}", 2, ints, "i1");
  add_kernels(out, arena, "cmpi", " {predicate = uge}", 2, ints, "i1");
}

static void add_floats(Str *out, Arena *arena) {
  static const char *const two[] = {"addf",     "subf",    "mulf", "divf",
                                    "divf_rn",  "remf",    "maxf", "minf",
                                    "maximumf", "minimumf"};
  static const char *const one[] = {"negf", "absf", "floor",   "ceil",  "trunc",
                                    "rint", "sqrt", "sqrt_rn", "rsqrt", "exp",
                                    "exp2", "log",  "log2",    "sin",   "cos",
                                    "tanh", "erf"};
  for (size_t i = 0; i < sizeof two / sizeof *two; i++) {
    add_kernels(out, arena, two[i], "", 2, floats, NULL);
  }
  for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
    add_kernels(out, arena, one[i], "", 1, floats, NULL);
  }
  add_kernels(out, arena, "fma", "", 3, floats, NULL);
  add_kernels(out, arena, "cmpf", " {predicate = le}", 2, floats, "i1");
  add_kernels(out, arena, "cmpf", " {predicate = ne}", 2, floats, "i1");
}

static int bits_of(const char *type) {
  return atoi(type + strcspn(type, "0123456789"));
}

static void add_conversions(Str *out, Arena *arena) {
  for (int i = 0; ints[i]; i++) {
    for (int j = 0; floats[j]; j++) {
      const char *pair[] = {ints[i], NULL}, *back[] = {floats[j], NULL};
      add_kernels(out, arena, "sitofp", "", 1, pair, floats[j]);
      add_kernels(out, arena, "uitofp", "", 1, pair, floats[j]);
      add_kernels(out, arena, "fptosi", "", 1, back, ints[i]);
      add_kernels(out, arena, "fptoui", "", 1, back, ints[i]);
    }
    for (int j = 0; ints[j]; j++) {
      const char *from[] = {ints[i], NULL};
      if (i < j) add_kernels(out, arena, "extsi", "", 1, from, ints[j]);
      if (i < j) add_kernels(out, arena, "extui", "", 1, from, ints[j]);
      if (i > j) add_kernels(out, arena, "trunci", "", 1, from, ints[j]);
    }
  }
  for (int i = 0; all_floats[i]; i++) {
    for (int j = 0; all_floats[j]; j++) {
      const char *from[] = {all_floats[i], NULL};
      const int change = bits_of(all_floats[j]) - bits_of(all_floats[i]);
      if (change > 0) {
        add_kernels(out, arena, "extf", "", 1, from, all_floats[j]);
      }
      if (change >= 0) continue;
      add_kernels(out, arena, "truncf", "", 1, from, all_floats[j]);
      add_kernels(out, arena, "truncf", " {rounding = rtz}", 1, from,
                  all_floats[j]);
    }
  }
}

typedef void AddKernels(Str *out, Arena *arena);

static void check_group(AddKernels *add) {
  if (!have_ptxas()) {
    print_message("SKIP: ptxas is not installed\n");
    skip();
  }
  static const char *const targets[] = {"sm_75", "sm_80", "sm_90a"};
  Arena arena;
  arena_init(&arena, &system_allocator);
  Str text = str_in(&arena);
  add(&text, &arena);
  for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
    Kit kit;
    const char *ptx = kit_ptx(&kit, str_text(&text), targets[i]);
    assert_int_equal(count_text(ptx, ".visible .entry"), kit.code.num_kernels);
    assert_true(kit.code.num_kernels >= 90);
    check_ptxas(ptx, targets[i]);
    kit_close(&kit);
  }
  arena_free(&arena);
}

static void integers_compile(void **state) {
  (void)state;
  check_group(add_integers);
}

static void floats_compile(void **state) {
  (void)state;
  check_group(add_floats);
}

static void conversions_compile(void **state) {
  (void)state;
  check_group(add_conversions);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(integers_compile),
      cmocka_unit_test(floats_compile),
      cmocka_unit_test(conversions_compile),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
