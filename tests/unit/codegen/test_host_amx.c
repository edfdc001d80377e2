// test_host_amx.c -- products by AMX, on a machine that has it or is made to
// seem so.
#define _GNU_SOURCE // REG_RIP
#include "ir/number.h"
#include "runtime/device/host_code.h"
#include "tests/tools/host_runner.h"
#include "tests/unit/frontend/specialize_kit.h"

#include "tests/unit/codegen/amx_machine.h"
#include <math.h>
#include <stdio.h>

// c = a b, of M x K by K x N, in trips of BK along k.
static const char text[] =
    "@jit\n"
    "def product(a, b, c, start, K: tl.constexpr, M: tl.constexpr,\n"
    "            N: tl.constexpr, BK: tl.constexpr, AGAIN: tl.constexpr):\n"
    "    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK)\n"
    "    sums = tl.full((M, N), 0, c.dtype.element_ty) + start\n"
    "    for i in range(0, K, BK):\n"
    "        x = tl.load(a + m[:, None] * K + (i + k)[None, :])\n"
    "        y = tl.load(b + (i + k)[:, None] * N + n[None, :])\n"
    "        sums = tl.dot(x, y, sums, out_dtype=c.dtype.element_ty)\n"
    "        if AGAIN:\n"
    "            sums *= 2\n"
    "    tl.store(c + m[:, None] * N + n[None, :], sums)\n";

enum { MOST = 64, DEPTH = 512 };

typedef struct {
  int m, n, k, trip;
  bool again; // the sums are doubled in each trip
  bool by_amx;
} Shape;

static const Shape shapes[] = {
    {64, 64, 512, 32, false, true}, {64, 64, 512, 64, true, true},
    {32, 32, 512, 128, true, true}, {32, 16, 192, 64, false, true},
    {16, 64, 160, 32, true, true},  {16, 16, 64, 16, false, true},
    {64, 32, 128, 64, false, true}, {8, 32, 64, 64, false, false}};

typedef struct {
  _Alignas(64) uint16_t a[MOST * DEPTH], b[MOST * DEPTH];
  uint32_t c[MOST * MOST];
  double x[MOST * DEPTH], y[MOST * DEPTH]; // values of a and b
} Memory;

static void put(Memory *at, bool left, int i, double value, bool is_int) {
  (left ? at->x : at->y)[i] = value;
  uint16_t *to = left ? at->a : at->b;
  if (is_int)
    ((int8_t *)to)[i] = (int8_t)value;
  else
    to[i] = (uint16_t)float_encode(value, ELEM_bf16);
}

// Small integers, so that sums of bf16 are exact; all bytes for int8.
static void fill(Memory *at, const Shape *s, bool is_int) {
  unsigned seed = 1;
  for (int i = 0; i < s->k * (s->m > s->n ? s->m : s->n); i++) {
    for (int left = 0; left < 2; left++) {
      seed = seed * 1664525 + 1013904223;
      const int byte = (int)(seed >> 24) - 128;
      put(at, left, i, is_int ? byte : byte / 16, is_int);
    }
  }
}

static const double start = 5;

static double wanted(const Memory *at, const Shape *s, int m, int n) {
  double sum = start;
  for (int i = 0; i < s->k; i++) {
    sum += at->x[m * s->k + i] * at->y[i * s->n + n];
    if (s->again && (i + 1) % s->trip == 0) sum *= 2;
  }
  return sum;
}

static double result(const Memory *at, int i, bool is_int) {
  return is_int ? (double)(int32_t)at->c[i] : float_decode(at->c[i], ELEM_f32);
}

// Wraps around like the sums of int8.
static double as_int32(double x) {
  return (double)(int32_t)(uint32_t)(int64_t)x;
}

static bool runs_natively;

// Returns how many instructions have multiplied.
static unsigned long run(Memory *at, const Shape *s, bool is_int, bool quick) {
  Arena arena;
  arena_init(&arena, &system_allocator);
  const char *signature = arena_printf(&arena, "%s, i32, %d, %d, %d, %d, %d",
                                       is_int ? "*i8:16, *i8:16, *i32:16"
                                              : "*bf16:16, *bf16:16, *fp32:16",
                                       s->k, s->m, s->n, s->trip, s->again);
  Kit *kit = kit_specialize(text, signature);
  if (!kit->ok) fail_msg("%s", kit_messages(kit));
  HostRunner runner;
  const CodegenOptions options = {
      .host_cpu = "sapphirerapids", .amx = true, .quick = quick};
  if (!host_runner_open(&runner, kit->m, &options, &kit->diags))
    fail_msg("%s", kit_messages(kit));
  const uint64_t slots[] = {(uintptr_t)at->a, (uintptr_t)at->b,
                            (uintptr_t)at->c, (uint64_t)start};
  amx.num_products = 0;
  if (!runs_natively) amx_machine_start(); // cmocka has its own handler
  host_runner_run(&runner, 0, slots, (const int64_t[]){1, 1, 1});
  host_runner_close(&runner);
  kit_free(kit);
  arena_free(&arena);
  return amx.num_products;
}

static void check_shape(Memory *at, const Shape *s, bool is_int, bool quick) {
  fill(at, s, is_int);
  const unsigned long num = run(at, s, is_int, quick);
  const int words = s->trip / (is_int ? 4 : 2);
  const int step = words < 16 ? words : 16;
  const int wanted_num =
      s->by_amx ? s->m / 16 * (s->n / 16) * (s->k / (is_int ? 4 : 2) / step)
                : 0;
  if (!runs_natively) assert_int_equal(num, wanted_num);
  for (int i = 0; i < s->m * s->n; i++) {
    const double want = wanted(at, s, i / s->n, i % s->n);
    const double got = result(at, i, is_int);
    if (got != (is_int ? as_int32(want) : want))
      fail_msg("%d x %d x %d by %d, %d: %g, wanted %g", s->m, s->n, s->k,
               s->trip, i, got, want);
  }
}

static void multiplies(void **state) {
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    for (int kind = 0; kind < 4; kind++) {
      const bool is_int = kind % 2;
      if (is_int && shapes[i].trip < 32) continue; // not a dot of the language
      check_shape(*state, &shapes[i], is_int, kind / 2);
    }
  }
}

// The instruction takes them as 0.
static void keeps_denormals(void **state) {
  Memory *at = *state;
  const Shape *s = &shapes[0];
  for (int side = 0; side < 2; side++) {
    fill(at, s, false);
    for (int i = 0; i < s->k * MOST; i++) {
      put(at, side, i, i % 3 ? 0 : 0x1p-130, false);
      put(at, !side, i, 0x1p120, false);
    }
    assert_int_equal(run(at, s, false, false), 0);
    for (int i = 0; i < s->m * s->n; i++) {
      const double want = wanted(at, s, i / s->n, i % s->n);
      assert_true(result(at, i, false) == (float)want);
    }
  }
}

// In any order of a sum, its error is within the bound of the documents; both
// tiers have the same result.
static void rounds_within_bounds(void **state) {
  Memory *at = *state;
  const Shape *s = &shapes[0];
  unsigned seed = 9;
  for (int i = 0; i < s->k * MOST; i++) {
    for (int left = 0; left < 2; left++) {
      seed = seed * 1664525 + 1013904223;
      const double x = (double)(seed >> 8) / (1 << 24) - 0.5;
      put(at, left, i, float_round(x, ELEM_bf16), false);
    }
  }
  static uint32_t quick[MOST * MOST];
  run(at, s, false, true);
  memcpy(quick, at->c, sizeof quick);
  run(at, s, false, false);
  assert_memory_equal(quick, at->c, sizeof quick);
  const double bound = (17 + s->k / 32.0) * 0x1p-24;
  for (int i = 0; i < s->m * s->n; i++) {
    double size = start;
    for (int k = 0; k < s->k; k++)
      size += fabs(at->x[i / s->n * s->k + k] * at->y[k * s->n + i % s->n]);
    const double want = wanted(at, s, i / s->n, i % s->n);
    assert_true(fabs(result(at, i, false) - want) <= bound * size);
  }
}

static bool has_vectors(void) {
  return __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bf16") &&
         __builtin_cpu_supports("avx512vnni");
}

int main(void) {
  static Memory memory;
  struct CMUnitTest tests[] = {cmocka_unit_test(multiplies),
                               cmocka_unit_test(keeps_denormals),
                               cmocka_unit_test(rounds_within_bounds)};
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
    tests[i].initial_state = &memory;
  if (!has_vectors()) {
    puts("SKIP: the processor has no AVX-512 with bf16");
    return 0;
  }
  runs_natively = codegen_has_amx(NULL) && host_code_may_use_amx();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
