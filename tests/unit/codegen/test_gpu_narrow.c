// test_gpu_narrow.c -- products of numbers of few bits, and casts to them, in
// the simulator.
#define _DEFAULT_SOURCE // setenv
#include "gpu_kit.h"

#include "ir/layout_access.h"

typedef struct {
  const char *elem, *sum, *target;
  int m, n, k; // of a trip
  int warps;
  unsigned low, spread; // bytes: low, and random bits
  bool by_columns;      // y lies column by column
} Product;

enum { TRIPS = 3 };

// z = x @ y over TRIPS trips.
static const char *loop(Arena *arena, const Product *p) {
  const int columns = TRIPS * p->k;
  const int stride = p->by_columns ? columns : p->n;
  Str out = str_in(arena);
  str_addf(&out,
           "kernel @k(%%x: ptr<%s> {divisibility = [16]}, %%y: ptr<%s> "
           "{divisibility = [16]}, %%z: ptr<%s> {divisibility = [16]}, "
           "%%n: i32) {num_stages = 2, num_warps = %d} {\n",
           p->elem, p->elem, p->sum, p->warps);
  gpu_add_place(&out, "a", "%x", p->m, p->k, columns, p->elem);
  gpu_add_place(&out, "b", "%y", p->by_columns ? p->n : p->k,
                p->by_columns ? p->k : p->n, stride, p->elem);
  gpu_add_place(&out, "c", "%z", p->m, p->n, p->n, p->sum);
  const char *a = arena_printf(arena, "%dx%d", p->m, p->k);
  const char *b = p->by_columns ? arena_printf(arena, "%dx%d", p->n, p->k)
                                : arena_printf(arena, "%dx%d", p->k, p->n);
  const char *c = arena_printf(arena, "%dx%dx%s", p->m, p->n, p->sum);
  str_addf(&out,
           "  %%init = constant {value = 0%s} : tile<%s>\n"
           "  %%zero = constant {value = 0} : i32\n"
           "  %%one = constant {value = 1} : i32\n"
           "  %%ma = constant {value = %d} : tile<%sxi32>\n"
           "  %%mb = constant {value = %d} : tile<%sxi32>\n",
           *p->sum == 'i' ? "" : ".0", c, p->k, a,
           p->by_columns ? p->k : p->k * p->n, b);
  str_addf(&out,
           "  %%r, %%e, %%f = for %%zero, %%n, %%one init(%%init, %%ap, %%bp) "
           ": tile<%s>, tile<%sxptr<%s>>, tile<%sxptr<%s>> (%%i: i32, %%s: "
           "tile<%s>, %%pa: tile<%sxptr<%s>>, %%pb: tile<%sxptr<%s>>) {\n"
           "    %%va = load %%pa : tile<%sx%s>\n"
           "    %%vl = load %%pb : tile<%sx%s>\n",
           c, a, p->elem, b, p->elem, c, a, p->elem, b, p->elem, a, p->elem, b,
           p->elem);
  if (p->by_columns) {
    str_addf(&out, "    %%vb = trans %%vl {order = [1, 0]} : tile<%dx%dx%s>\n",
             p->k, p->n, p->elem);
  }
  str_addf(&out,
           "    %%d = dot %%va, %%%s, %%s : tile<%s>\n"
           "    %%na = addptr %%pa, %%ma : tile<%sxptr<%s>>\n"
           "    %%nb = addptr %%pb, %%mb : tile<%sxptr<%s>>\n"
           "    yield values(%%d, %%na, %%nb)\n"
           "  }\n"
           "  store %%cp, %%r\n"
           "  return\n}\n",
           p->by_columns ? "vb" : "vl", c, a, p->elem, b, p->elem);
  return str_text(&out);
}

static void check(const Product *p, const char *wants, int times) {
  Arena arena;
  Kit kit;
  arena_init(&arena, &system_allocator);
  const GpuTest test = {
      .text = loop(&arena, p),
      .target = p->target,
      .num_args = 4,
      .args = {{1, TRIPS * (int64_t)p->m * p->k, p->low, p->spread},
               {1, TRIPS * (int64_t)p->k * p->n, p->low, p->spread},
               {4, (int64_t)p->m * p->n, 0x11, 0},
               {0, TRIPS, 0, 0}}};
  gpu_same(&kit, &test);
  const int found = count_text(kit.code.data, wants);
  if (found != times) {
    fail_msg("%d of '%s', %d wanted:\n%s", found, wants, times, kit.code.data);
  }
  kit_close(&kit);
  arena_free(&arena);
}

static const char trans[] = "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16";
static const char bytes[] = "ld.shared.u8";

// A warp has 32 x 32 sums, so 64 x 32 bytes of y: 16 matrices.
static void integers(void **state) {
  (void)state;
  Product p = {"i8", "i32", "sm_80", 64, 64, 64, 4, 0, 0xff, false};
  check(&p, trans, 4);
  check(&p, "prmt", 16);
  check(&p, bytes, 0);
  p.by_columns = true;
  check(&p, "ldmatrix.sync.aligned.m8n8.x4.shared.b16", 8);
  check(&p, "prmt", 0);
  p = (Product){"i8", "i32", "sm_80", 16, 16, 32, 1, 0, 0xff, false};
  check(&p, trans, 1);
  p.warps = 4;
  check(&p, bytes, 0);
  p.n = 8; // too narrow for columns of two instructions
  check(&p, trans, 0);
  p = (Product){"i8", "i32", "sm_90", 32, 128, 32, 8, 0, 0xff, false};
  check(&p, bytes, 0);
}

// 1 to 1.875 in steps of an eighth; 1 to 1.75.
static void floats(void **state) {
  (void)state;
  const Product p = {"f8e4nv", "f32", "sm_89", 64, 64, 64, 4, 0x38, 7, false};
  check(&p, trans, 4);
  check(&p, bytes, 0);
  const Product q = {"f8e5", "f32", "sm_89", 32, 64, 64, 2, 0x3c, 3, false};
  check(&q, bytes, 0);
  const Product r = {"f8e5", "f32", "sm_80", 64, 64, 64, 4, 0x3c, 3, false};
  check(&r, trans, 4);
}

// -- Casts -------------------------------------------------------------------

enum { NUMBERS = 8192 };

// The numbers are `filler` and random low bits of `mask`, or their magnitudes.
static void cast_for(const char *target, const char *from, const char *to,
                     bool sizes, unsigned filler, unsigned mask,
                     const char *wants) {
  Arena arena;
  Kit kit;
  arena_init(&arena, &system_allocator);
  Str text = str_in(&arena);
  const char *shape = arena_printf(&arena, "%d", NUMBERS);
  str_addf(&text,
           "kernel @k(%%x: ptr<%s> {divisibility = [16]}, %%y: ptr<%s> "
           "{divisibility = [16]}) {num_warps = 8} {\n"
           "  %%i = arange {start = 0, end = %s} : tile<%sxi32>\n"
           "  %%xs = splat %%x : tile<%sxptr<%s>>\n"
           "  %%xp = addptr %%xs, %%i : tile<%sxptr<%s>>\n"
           "  %%ys = splat %%y : tile<%sxptr<%s>>\n"
           "  %%yp = addptr %%ys, %%i : tile<%sxptr<%s>>\n"
           "  %%v = load %%xp : tile<%sx%s>\n"
           "  %%a = absf %%v : tile<%sx%s>\n"
           "  %%t = truncf %%%c : tile<%sx%s>\n"
           "  store %%yp, %%t\n"
           "  return\n}\n",
           from, to, shape, shape, shape, from, shape, from, shape, to, shape,
           to, shape, from, shape, from, sizes ? 'a' : 'v', shape, to);
  const GpuTest test = {
      .text = str_text(&text),
      .target = target,
      .num_args = 2,
      .args = {{*from == 'f' && from[1] == '3' ? 4 : 2, NUMBERS, filler, mask},
               {1, NUMBERS, 0x11, 0}}};
  gpu_same(&kit, &test);
  assert_int_equal(count_text(kit.code.data, wants), NUMBERS / 256 / 2);
  if (sizes) assert_int_equal(count_text(kit.code.data, "lop3"), 0);
  kit_close(&kit);
  arena_free(&arena);
}

// Numbers of every magnitude, infinities and NaNs.
static void cast(const char *from, const char *to, unsigned filler,
                 unsigned mask, const char *wants) {
  cast_for("sm_89", from, to, false, filler, mask, wants);
}

static void casts_to_f8e4nv(void **state) {
  (void)state;
  static const unsigned tops[] = {0x00, 0x37, 0x3a, 0x3c, 0x40, 0x43, 0x47,
                                  0x7f, 0x80, 0xba, 0xbb, 0xc1, 0xc3, 0xff};
  for (size_t i = 0; i < sizeof tops / sizeof *tops; i++) {
    // Ties are more frequent with few digits.
    cast("f32", "f8e4nv", tops[i] << 24, 0xffffff, "e4m3x2.f32");
    cast("f32", "f8e4nv", tops[i] << 24, 0xfe0000, "e4m3x2.f32");
  }
  cast("f16", "f8e4nv", 0, 0xffff, "e4m3x2.f16x2");
  cast("bf16", "f8e4nv", 0, 0xffff, "e4m3x2.f32");
}

// Without NaNs, which have several encodings.
static void casts_to_f8e5(void **state) {
  (void)state;
  static const unsigned tops[] = {0x00, 0x36, 0x37, 0x38, 0x40, 0x46,
                                  0x47, 0x7f, 0x80, 0xb7, 0xc7, 0xff};
  for (size_t i = 0; i < sizeof tops / sizeof *tops; i++) {
    cast("f32", "f8e5", tops[i] << 24, 0x7fffff, "e5m2x2.f32");
    cast("f32", "f8e5", tops[i] << 24, 0x7e0000, "e5m2x2.f32");
  }
  cast("f32", "f8e5", 0x7f800000, 0, "e5m2x2.f32");
  cast("f16", "f8e5", 0, 0xfbff, "e5m2x2.f16x2");
  cast("f16", "f8e5", 0x400, 0xbbff, "e5m2x2.f16x2");
  cast("f16", "f8e5", 0x7c00, 0x8000, "e5m2x2.f16x2");
  cast("bf16", "f8e5", 0, 0xff7f, "e5m2x2.f32");
}

static void cast_by_sums(const char *from, unsigned filler, unsigned mask) {
  static const char wants[] = "rn.f16x2.f32";
  cast_for("sm_80", from, "f8e5", false, filler, mask, wants);
  cast_for("sm_80", from, "f8e5", true, filler, mask, wants);
}

// Chips without such an instruction round by a subtraction; the stored words
// are computed from the words of f16.
static void casts_to_f8e5_by_sums(void **state) {
  (void)state;
  static const unsigned tops[] = {0x00, 0x36, 0x37, 0x38, 0x40, 0x46, 0x47,
                                  0x74, 0x75, 0x7f, 0x80, 0xb7, 0xc7, 0xff};
  for (size_t i = 0; i < sizeof tops / sizeof *tops; i++) {
    cast_by_sums("f32", tops[i] << 24, 0x7fffff);
    cast_by_sums("f32", tops[i] << 24, 0x7e0000);
  }
  // Ties of normal numbers, and their neighbours on both sides; those next to
  // powers of two.
  cast_by_sums("f32", 0, 0x7f700001);
  cast_by_sums("f32", 0x000fffff, 0x7f700000);
  cast_by_sums("f32", 0x007ffff0, 0x7f00000f);
  // Ties between multiples of 2^-16.
  for (unsigned exponent = 0x37; exponent <= 0x38; exponent++) {
    cast_by_sums("f32", exponent << 24, 0xf00001);
    cast_by_sums("f32", exponent << 24 | 0x0fffff, 0xf00000);
  }
  cast_by_sums("f32", 0x7f800000, 0);
  cast_by_sums("f32", 0xff800000, 0);
  cast_by_sums("f16", 0, 0xfbff);
  cast_by_sums("bf16", 0, 0xff7f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(integers),
      cmocka_unit_test(floats),
      cmocka_unit_test(casts_to_f8e4nv),
      cmocka_unit_test(casts_to_f8e5),
      cmocka_unit_test(casts_to_f8e5_by_sums),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
