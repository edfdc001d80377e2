// test_host_reuse.c -- programs of the CPU leave packed operands for the next.
#include "tests/unit/codegen/host_kit.h"

enum { ROWS = 128, COLUMNS = 128, BLOCK_M = 32, BLOCK_N = 64, BLOCK_K = 32 };

// A product of ROWS x k by k x COLUMNS; axis 0 of the grid goes down.
static const char product[] =
    "kernel @f(%%a: ptr<%s>, %%b: ptr<%s>, %%c: ptr<f32>, %%k: i32) {\n"
    "  %%x = program_id {axis = 0} : i32\n"
    "  %%y = program_id {axis = 1} : i32\n"
    "  %%32 = constant {value = 32} : i32\n"
    "  %%64 = constant {value = 64} : i32\n"
    "  %%0 = constant {value = 0} : i32\n"
    "  %%one = constant {value = 1} : i64\n"
    "  %%size = constant {value = 128} : i64\n"
    "  %%m = muli %%x, %%32 : i32\n"
    "  %%n = muli %%y, %%64 : i32\n"
    "  %%wide = extsi %%k : i64\n"
    "  %%pa = make_block_ptr %%a shape(%%size, %%wide) strides(%%wide, %%one) "
    "offsets(%%m, %%0) {order = [1, 0]} : block_ptr<32x32x%s>\n"
    "  %%pb = make_block_ptr %%b shape(%%wide, %%size) strides(%%size, %%one) "
    "offsets(%%0, %%n) {order = [1, 0]} : block_ptr<32x64x%s>\n"
    "  %%zero = constant {value = 0.0} : tile<32x64xf32>\n"
    "%s"
    "  %%ra, %%rb, %%sum = for %%0, %s, %%32 init(%%pa, %%pb, %%zero) : "
    "block_ptr<32x32x%s>, block_ptr<32x64x%s>, tile<32x64xf32> (%%i: i32, "
    "%%qa: block_ptr<32x32x%s>, %%qb: block_ptr<32x64x%s>, "
    "%%acc: tile<32x64xf32>) {\n"
    "    %%ta = load_block %%qa {boundary = [0, 1]} : tile<32x32x%s>\n"
    "%s    %%tb = load_block %s {boundary = [0, 1]} : tile<32x64x%s>\n"
    "    %%next = dot %%ta, %%tb, %%acc {precision = ieee} : "
    "tile<32x64xf32>\n"
    "    %%na = advance %%qa offsets(%%0, %%32) : block_ptr<32x32x%s>\n"
    "    %%nb = advance %%qb offsets(%%32, %%0) : block_ptr<32x64x%s>\n"
    "    yield values(%%na, %%nb, %%next)\n"
    "  }\n"
    "  %%pc = make_block_ptr %%c shape(%%size, %%size) strides(%%size, "
    "%%one) offsets(%%m, %%n) {order = [1, 0]} : block_ptr<32x64xf32>\n"
    "  store_block %%pc, %%sum {boundary = [0, 1]}\n"
    "  return\n"
    "}\n";

// Ops before the loop and in its body, which make the second operand's block,
// and the end of the loop.
typedef struct {
  const char *before, *inside, *block, *end;
} Made;

static void open_made(HostKit *kit, const char *type, const Made *made) {
  Arena arena;
  arena_init(&arena, &system_allocator);
  host_compile(kit, arena_printf(&arena, product, type, type, type, type,
                                 made->before, made->end ? made->end : "%k",
                                 type, type, type, type, type, made->inside,
                                 made->block, type, type, type));
  arena_free(&arena);
}

static void open_product(HostKit *kit, const char *type, const char *before) {
  open_made(kit, type, &(Made){before, "", "%qb", NULL});
}

typedef struct {
  HostKit kit;
  int k, bytes;
  void *a, *b;
  float c[2][ROWS * COLUMNS];
} Product;

static float draw(unsigned *seed) {
  *seed = *seed * 1664525 + 1013904223;
  return (float)(*seed >> 8) / (1 << 24) - 0.5F;
}

// The elements are floats or bf16, whose bits are the upper ones.
static void *numbers(const Product *p, int count, unsigned seed) {
  char *out = malloc((size_t)(count * p->bytes));
  for (int i = 0; i < count; i++) {
    const float x = draw(&seed);
    memcpy(out + i * p->bytes, (const char *)&x + 4 - p->bytes,
           (size_t)p->bytes);
  }
  return out;
}

static Product *make_of(const char *type, int bytes, int k, const Made *made) {
  Product *p = calloc(1, sizeof *p);
  open_made(&p->kit, type, made);
  p->k = k;
  p->bytes = bytes;
  p->a = numbers(p, ROWS * k, 1);
  p->b = numbers(p, COLUMNS * k, 2);
  assert_true(p->kit.code.kernels[0].keeps_scratch);
  return p;
}

static Product *make(const char *type, int bytes, int k) {
  return make_of(type, bytes, k, &(Made){"", "", "%qb", NULL});
}

static void drop(Product *p) {
  host_close(&p->kit);
  free(p->a);
  free(p->b);
  free(p);
}

static void run(Product *p, uint32_t x, uint32_t y, int to, bool again) {
  const uint32_t grid[] = {ROWS / BLOCK_M, COLUMNS / BLOCK_N, 1};
  const uint64_t slots[] = {(uintptr_t)p->a, (uintptr_t)p->b,
                            (uintptr_t)p->c[to], (uint64_t)p->k};
  p->kit.run(slots, (uint32_t[]){x, y, 0}, grid,
             (char *)p->kit.scratch + again);
}

static void run_all(Product *p, int to, bool again) {
  for (uint32_t i = 0; i < 8; i++) run(p, i % 4, i / 4, to, again && i);
}

static bool is_first_of_block(const Product *p, int x, int y, float value) {
  return p->c[0][x * BLOCK_M * COLUMNS + y * BLOCK_N] == value;
}

// One trip, several trips whose products wait, more trips than are kept; bf16
// with a denormal.
static void computes_the_same(void **state) {
  (void)state;
  static const int depths[] = {0, 32, 160, 5120};
  for (int i = 0; i < 8; i++) {
    const bool pairs = i % 2;
    Product *p = make(pairs ? "bf16" : "f32", pairs ? 2 : 4, depths[i / 2]);
    if (pairs && i > 2) ((uint16_t *)p->b)[p->k / 2 * COLUMNS + 3] = 5;
    run_all(p, 0, false);
    run_all(p, 1, true);
    assert_memory_equal(p->c[0], p->c[1], sizeof p->c[0]);
    drop(p);
  }
}

#define BLOCK(pointer, column)                                                 \
  "    %q = make_block_ptr " pointer " shape(%wide, %size) strides(%size, "    \
  "%one) offsets(%i, " column ") {order = [1, 0]} : block_ptr<32x64xf32>\n"

// The place of the operand follows from a number of any type, which differs
// between the columns of programs.
static void compares_every_type(void **state) {
  (void)state;
  static const Made made[] = {
      {"  %f = sitofp %n : f64\n",
       "    %j = fptosi %f : i32\n" BLOCK("%b", "%j"), "%q", NULL},
      {"  %f = sitofp %n : f32\n",
       "    %j = fptosi %f : i32\n" BLOCK("%b", "%j"), "%q", NULL},
      {"  %f = extsi %n : i64\n",
       "    %j = trunci %f : i32\n" BLOCK("%b", "%j"), "%q", NULL},
      {"  %f = trunci %n : i8\n", "    %j = extsi %f : i32\n" BLOCK("%b", "%j"),
       "%q", NULL},
      {"  %f = addptr %b, %n : ptr<f32>\n", BLOCK("%f", "%0"), "%q", NULL},
  };
  for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
    Product *p = make_of("f32", 4, 160, &made[i]), *same = make("f32", 4, 160);
    run_all(p, 0, true);
    run_all(same, 0, false);
    assert_memory_equal(p->c[0], same->c[0], sizeof p->c[0]);
    drop(p);
    drop(same);
  }
}

// Program x has x + 1 quarters of the trips: the next one finds some of its
// operands, or more than it needs, among them a denormal in a group of trips of
// which it multiplies only the first ones.
static void packs_the_trips_that_are_missing(void **state) {
  (void)state;
  static const Made some = {"  %4 = constant {value = 4} : i32\n"
                            "  %1 = constant {value = 1} : i32\n"
                            "  %quarter = divsi %k, %4 : i32\n"
                            "  %shares = addi %x, %1 : i32\n"
                            "  %end = muli %shares, %quarter : i32\n",
                            "", "%qb", "%end"};
  static const uint32_t orders[][4] = {
      {0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}};
  for (int i = 0; i < 6; i++) {
    const bool pairs = i % 2;
    Product *p = make_of(pairs ? "bf16" : "f32", pairs ? 2 : 4, 512, &some);
    if (pairs) ((uint16_t *)p->b)[5 * BLOCK_K * COLUMNS + 3] = 5;
    run_all(p, 0, false);
    for (uint32_t y = 0; y < 2; y++)
      for (int x = 0; x < 4; x++) run(p, orders[i / 2][x], y, 1, x || y);
    assert_memory_equal(p->c[0], p->c[1], sizeof p->c[0]);
    drop(p);
  }
}

// The second program of a column fills the memory; the third finds it, unless
// its caller says that nothing was left.
static void finds_what_was_left(void **state) {
  (void)state;
  Product *p = make("f32", 4, 160);
  run(p, 0, 0, 0, false);
  run(p, 1, 0, 0, true);
  memset(p->b, 0, (size_t)(COLUMNS * p->k) * sizeof(float));
  run(p, 2, 0, 0, true);
  assert_false(is_first_of_block(p, 2, 0, 0));
  run(p, 2, 1, 0, true);
  assert_true(is_first_of_block(p, 2, 1, 0));
  run(p, 3, 0, 0, false);
  assert_true(is_first_of_block(p, 3, 0, 0));
  drop(p);
}

// The operand may have been written by this program, or by one for which it
// waited.
static void leaves_nothing_that_may_change(void **state) {
  (void)state;
  static const char *const before[] = {
      "  store %c, %one_f\n",
      "  %flag = load %c {volatile = true} : f32\n",
      "  %yes = constant {value = 1} : i1\n"
      "  device_assert %yes {message = \"no\"}\n",
  };
  static const char one[] = "  %one_f = constant {value = 1.0} : f32\n";
  for (int i = 0; i < 3; i++) {
    HostKit kit;
    Arena arena;
    arena_init(&arena, &system_allocator);
    open_product(&kit, "f32", arena_printf(&arena, "%s%s", one, before[i]));
    assert_false(kit.code.kernels[0].keeps_scratch);
    arena_free(&arena);
    host_close(&kit);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(computes_the_same),
      cmocka_unit_test(compares_every_type),
      cmocka_unit_test(packs_the_trips_that_are_missing),
      cmocka_unit_test(finds_what_was_left),
      cmocka_unit_test(leaves_nothing_that_may_change),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
