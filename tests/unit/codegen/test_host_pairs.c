// test_host_pairs.c -- operands of bf16 that are rounded and packed by rows,
// and loads whose lanes are a few elements apart, on the host.
#include "tests/unit/codegen/host_kit.h"

#include <sys/mman.h>
#include <unistd.h>

enum { M = 16, N = 32, K = 64, TRIPS = 5, DEPTH = K * TRIPS };

// M x DEPTH by the transpose of N x DEPTH, of a type that an op makes bf16.
static const char product[] =
    "kernel @f(%%a: ptr<%s>, %%b: ptr<%s>, %%c: ptr<f32>, %%k: i32) {\n"
    "  %%0 = constant {value = 0} : i32\n"
    "  %%16 = constant {value = 16} : i64\n"
    "  %%32 = constant {value = 32} : i64\n"
    "  %%64 = constant {value = 64} : i32\n"
    "  %%one = constant {value = 1} : i64\n"
    "  %%wide = extsi %%k : i64\n"
    "  %%pa = make_block_ptr %%a shape(%%16, %%wide) strides(%%wide, %%one) "
    "offsets(%%0, %%0) {order = [1, 0]} : block_ptr<16x64x%s>\n"
    "  %%pb = make_block_ptr %%b shape(%%32, %%wide) strides(%%wide, %%one) "
    "offsets(%%0, %%0) {order = [1, 0]} : block_ptr<32x64x%s>\n"
    "  %%zero = constant {value = 0.0} : tile<16x32xf32>\n"
    "  %%ra, %%rb, %%sum = for %%0, %%k, %%64 init(%%pa, %%pb, %%zero) : "
    "block_ptr<16x64x%s>, block_ptr<32x64x%s>, tile<16x32xf32> (%%i: i32, "
    "%%qa: block_ptr<16x64x%s>, %%qb: block_ptr<32x64x%s>, "
    "%%acc: tile<16x32xf32>) {\n"
    "    %%tw = load_block %%qa : tile<16x64x%s>\n"
    "    %%ta = %s %%tw : tile<16x64xbf16>\n"
    "    %%tv = load_block %%qb : tile<32x64x%s>\n"
    "    %%tb = %s %%tv : tile<32x64xbf16>\n"
    "    %%t = trans %%tb {order = [1, 0]} : tile<64x32xbf16>\n"
    "    %%next = dot %%ta, %%t, %%acc : tile<16x32xf32>\n"
    "    %%na = advance %%qa offsets(%%0, %%64) : block_ptr<16x64x%s>\n"
    "    %%nb = advance %%qb offsets(%%0, %%64) : block_ptr<32x64x%s>\n"
    "    yield values(%%na, %%nb, %%next)\n"
    "  }\n"
    "  %%pc = make_block_ptr %%c shape(%%16, %%32) strides(%%32, "
    "%%one) offsets(%%0, %%0) {order = [1, 0]} : block_ptr<16x32xf32>\n"
    "  store_block %%pc, %%sum\n"
    "  return\n"
    "}\n";

static char *text_of(Arena *arena, const char *type, const char *op) {
  const char *t = type;
  return arena_printf(arena, product, t, t, t, t, t, t, t, t, t, op, t, op, t,
                      t);
}

// The operands of a product as floats and as bytes, in rows of length DEPTH.
typedef struct {
  float f[(M + N) * DEPTH];
  int8_t i[(M + N) * DEPTH];
  float c[M * N];
} Rows;

static void fill(Rows *r) {
  unsigned seed = 7;
  for (int i = 0; i < (M + N) * DEPTH; i++) {
    seed = seed * 1664525 + 1013904223;
    r->f[i] = (float)(seed >> 8) / (1 << 24) - 0.5F;
    r->i[i] = (int8_t)(seed >> 24);
  }
}

static double factor(const Rows *r, bool is_int, int i) {
  return is_int ? r->i[i] : float_round(r->f[i], ELEM_bf16);
}

static void check(const Rows *r, bool is_int) {
  for (int m = 0; m < M; m++) {
    for (int n = 0; n < N; n++) {
      double sum = 0, size = 0;
      for (int k = 0; k < DEPTH; k++) {
        const double x = factor(r, is_int, m * DEPTH + k) *
                         factor(r, is_int, (M + n) * DEPTH + k);
        sum += x;
        size += fabs(x);
      }
      const double got = r->c[m * N + n];
      assert_int_equal(isnan(got), isnan(sum));
      if (!isnan(sum) && got != sum) {
        assert_true(fabs(got - sum) <= ldexp(size, -18));
      }
    }
  }
}

static void multiply(Rows *r, bool is_int) {
  HostKit kit;
  Arena arena;
  arena_init(&arena, &system_allocator);
  host_compile(&kit, is_int ? text_of(&arena, "i8", "sitofp")
                            : text_of(&arena, "f32", "truncf"));
  const size_t at = (size_t)(M * DEPTH);
  kit.slots[0] = is_int ? (uintptr_t)r->i : (uintptr_t)r->f;
  kit.slots[1] = is_int ? (uintptr_t)(r->i + at) : (uintptr_t)(r->f + at);
  kit.slots[2] = (uintptr_t)r->c;
  kit.slots[3] = DEPTH;
  host_grid(&kit, (const int64_t[]){1, 1, 1});
  check(r, is_int);
  arena_free(&arena);
  host_close(&kit);
}

static void rounds_and_turns_rows(void **state) {
  Rows *r = *state;
  fill(r);
  multiply(r, false);
  multiply(r, true);
}

// One denormal at a time, on either side, in each half of a vector and trip;
// its product counts.  Some are ties, some become normal as they are rounded.
static void keeps_denormals(void **state) {
  static const float tiny[] = {0x1p-130F, -0x1.01p-127F, 0x1.03p-127F,
                               0x1.fffffep-127F, 0x1p-149F};
  Rows *r = *state;
  for (int i = 0; i < 10; i++) {
    const int side = i % 2 * M * DEPTH, other = M * DEPTH - side;
    const int k = (i * 37 + 16 * (i % 3)) % DEPTH;
    for (int j = 0; j < (M + N) * DEPTH; j++) r->f[j] = 0;
    r->f[side + 3 * DEPTH + k] = tiny[i / 2];
    for (int row = 0; row < M; row++) r->f[other + row * DEPTH + k] = 0x1p100F;
    multiply(r, false);
  }
}

static void keeps_nan_and_infinities(void **state) {
  Rows *r = *state;
  fill(r);
  r->f[5 * DEPTH + 20] = NAN;
  r->f[7 * DEPTH + 200] = INFINITY;
  r->f[(M + 9) * DEPTH + 33] = -INFINITY;
  r->f[(M + 11) * DEPTH + 63] = 0x1.ffffp127F; // becomes infinite
  multiply(r, false);
}

// -- A left operand of two loops ---------------------------------------------

// Both loops, of one trip, multiply the rows; the first loads its right
// operand, the second has it from in front of the rows.
#define RIGHT(name, first)                                                     \
  "  %p" name " = make_block_ptr %b shape(%128, %32) strides(%32, %one) "      \
  "offsets(" first ", %0) {order = [1, 0]} : block_ptr<64x32xbf16>\n"          \
  "  %t" name " = load_block %p" name " : tile<64x32xbf16>\n"
#define LOOP(name, init, before, right)                                        \
  "  %s" name " = for %0, %n, %1 init(" init ") : tile<16x32xf32> (%i" name    \
  ": i32, %acc" name ": tile<16x32xf32>) {\n" before "    %d" name             \
  " = mulf %acc" name ", %two : tile<16x32xf32>\n"                             \
  "    %e" name " = dot %ta, " right ", %d" name " : tile<16x32xf32>\n"        \
  "    yield values(%e" name ")\n"                                             \
  "  }\n"
static const char twice[] =
    "kernel @f(%a: ptr<bf16>, %b: ptr<bf16>, %c: ptr<f32>, %n: i32) {\n"
    "  %0 = constant {value = 0} : i32\n"
    "  %1 = constant {value = 1} : i32\n"
    "  %64 = constant {value = 64} : i32\n"
    "  %one = constant {value = 1} : i64\n"
    "  %16 = constant {value = 16} : i64\n"
    "  %32 = constant {value = 32} : i64\n"
    "  %k = constant {value = 64} : i64\n"
    "  %128 = constant {value = 128} : i64\n"
    "  %zero = constant {value = 0.0} : tile<16x32xf32>\n"
    "  %two = constant {value = 2.0} : tile<16x32xf32>\n" RIGHT(
        "b",
        "%64") "  %pa = make_block_ptr %a shape(%16, %k) strides(%k, %one) "
               "offsets(%0, %0) {order = [1, 0]} : block_ptr<16x64xbf16>\n"
               "  %ta = load_block %pa : tile<16x64xbf16>\n" LOOP(
                   "x", "%zero", RIGHT("r", "%0"), "%tr")
                   LOOP("y", "%sx", "",
                        "%tb") "  %pc = make_block_ptr %c shape(%16, %32) "
                               "strides(%32, %one) "
                               "offsets(%0, %0) {order = [1, 0]} : "
                               "block_ptr<16x32xf32>\n"
                               "  store_block %pc, %sy\n"
                               "  return\n"
                               "}\n";

// A denormal in any operand counts, in both products if it is in the left one:
// the function that multiplies it finds the doubled sums in memory.
static void shares_the_left_operand(void **state) {
  (void)state;
  HostKit kit;
  host_compile(&kit, twice);
  for (int i = 0; i < 3; i++) {
    uint16_t a[M * K] = {0}, b[2 * K * N] = {0};
    float c[M * N];
    const uint16_t denormal = 5, large = 0x7180; // 5 2^-133 and 2^100
    a[3 * K + 9] = i ? large : denormal;
    for (int part = 0; part < 2; part++)
      b[(part * K + 9) * N + 7] = !i ? large : i == part + 1 ? denormal : 0;
    kit.slots[0] = (uintptr_t)a;
    kit.slots[1] = (uintptr_t)b;
    kit.slots[2] = (uintptr_t)c;
    kit.slots[3] = 1;
    host_grid(&kit, (const int64_t[]){1, 1, 1});
    assert_true(c[3 * N + 7] == (i == 2 ? 0x5p-33F : i ? 0xap-33F : 0xfp-33F));
  }
  host_close(&kit);
}

// -- Lanes that are apart ----------------------------------------------------

// y[i] = x[i * step + from] where `%%i < n`, else 9.
static const char apart[] =
    "kernel @f(%%x: ptr<%s>, %%y: ptr<%s>, %%n: i32) {\n"
    "  %%i = arange {start = 0, end = 64} : tile<64xi32>\n"
    "  %%s = constant {value = %d} : tile<64xi32>\n"
    "  %%at = muli %%i, %%s : tile<64xi32>\n"
    "  %%xs = splat %%x : tile<64xptr<%s>>\n"
    "  %%xp = addptr %%xs, %%at : tile<64xptr<%s>>\n"
    "  %%ns = splat %%n : tile<64xi32>\n"
    "  %%on = cmpi %%i, %%ns {predicate = lt} : tile<64xi1>\n"
    "  %%9 = constant {value = %s} : tile<64x%s>\n"
    "  %%v = load %%xp%s : tile<64x%s>\n"
    "  %%ys = splat %%y : tile<64xptr<%s>>\n"
    "  %%yp = addptr %%ys, %%i : tile<64xptr<%s>>\n"
    "  store %%yp, %%v\n"
    "  return\n"
    "}\n";

typedef struct {
  const char *type;
  int bytes, step, n;
} Apart;

static void open_apart(HostKit *kit, const Apart *a) {
  Arena arena;
  arena_init(&arena, &system_allocator);
  const char *t = a->type, *nine = *t == 'f' ? "9.0" : "9";
  host_compile(kit,
               arena_printf(&arena, apart, t, t, a->step, t, t, nine, t,
                            a->n < 64 ? " mask(%on) other(%9)" : "", t, t, t));
  arena_free(&arena);
}

// Elements end where memory does.
static void load_apart(const Apart *a, char *end) {
  HostKit kit;
  char out[64 * 8];
  open_apart(&kit, a);
  char *x = end - ((a->n - 1) * a->step + 1) * a->bytes;
  for (char *at = x; at < end; at++) *at = (char)((at - x) * 7 + 1);
  kit.slots[0] = (uintptr_t)x;
  kit.slots[1] = (uintptr_t)out;
  kit.slots[2] = (uint64_t)a->n;
  host_grid(&kit, (const int64_t[]){1, 1, 1});
  for (int i = 0; i < a->n; i++) {
    assert_memory_equal(out + i * a->bytes, x + i * a->step * a->bytes,
                        (size_t)a->bytes);
  }
  host_close(&kit);
}

static void loads_nothing_behind(void **state) {
  (void)state;
  static const Apart cases[] = {
      {"i8", 1, 2, 64},   {"i8", 1, 4, 64},  {"i16", 2, 2, 64},
      {"bf16", 2, 2, 64}, {"f16", 2, 4, 64}, {"f32", 4, 2, 64},
      {"f32", 4, 3, 64},  {"i64", 8, 2, 64}, {"i64", 8, 4, 64},
      {"i16", 2, 2, 37},  {"f32", 4, 2, 1},  {"f32", 4, 4, 17},
  };
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  void *memory;
  assert_int_equal(posix_memalign(&memory, page, 2 * page), 0);
  char *end = (char *)memory + page;
  assert_int_equal(mprotect(end, page, PROT_NONE), 0);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    load_apart(&cases[i], end);
  }
  assert_int_equal(mprotect(end, page, PROT_READ | PROT_WRITE), 0);
  free(memory);
}

int main(void) {
  static Rows rows;
  struct CMUnitTest tests[] = {
      cmocka_unit_test(rounds_and_turns_rows),
      cmocka_unit_test(keeps_denormals),
      cmocka_unit_test(keeps_nan_and_infinities),
      cmocka_unit_test(shares_the_left_operand),
      cmocka_unit_test(loads_nothing_behind),
  };
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
    tests[i].initial_state = &rows;
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
