// test_host_in_place.c -- left operands of products that are read where they
// are, and words beyond the bounds, which are not multiplied.
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "tests/unit/codegen/host_kit.h"

#include <sys/mman.h>
#include <unistd.h>

enum { ROWS = 32, COLUMNS = 64, STEP = 32, MOST = 200 };

// A product of m x k by k x 64; `%s` are ops in front of the dot, and the
// distance from trip to trip along k, of which 32 are multiplied.
static const char product[] =
    "kernel @f(%%a: ptr<f32>, %%b: ptr<f32>, %%c: ptr<f32>, %%m: i32, "
    "%%k: i32, %%stride: i32, %%rows: i32) {\n"
    "  %%x = program_id {axis = 0} : i32\n"
    "  %%32 = constant {value = 32} : i32\n"
    "  %%64 = constant {value = 64} : i32\n"
    "  %%0 = constant {value = 0} : i32\n"
    "  %%one = constant {value = 1} : i64\n"
    "  %%size = constant {value = 64} : i64\n"
    "  %%first = muli %%x, %%32 : i32\n"
    "  %%deep = extsi %%k : i64\n"
    "  %%tall = extsi %%m : i64\n"
    "  %%stored = extsi %%rows : i64\n"
    "  %%by = extsi %%stride : i64\n"
    "  %%pa = make_block_ptr %%a shape(%%tall, %%deep) strides(%%by, %%one) "
    "offsets(%%first, %%0) {order = [1, 0]} : block_ptr<32x32xf32>\n"
    "  %%pb = make_block_ptr %%b shape(%%deep, %%size) strides(%%size, %%one) "
    "offsets(%%0, %%0) {order = [1, 0]} : block_ptr<32x64xf32>\n"
    "  %%zero = constant {value = 0.0} : tile<32x64xf32>\n"
    "  %%ra, %%rb, %%sum = for %%0, %%k, %%%s init(%%pa, %%pb, %%zero) : "
    "block_ptr<32x32xf32>, block_ptr<32x64xf32>, tile<32x64xf32> (%%i: i32, "
    "%%qa: block_ptr<32x32xf32>, %%qb: block_ptr<32x64xf32>, "
    "%%acc: tile<32x64xf32>) {\n"
    "    %%ta = load_block %%qa {boundary = [0, 1]} : tile<32x32xf32>\n"
    "    %%tb = load_block %%qb {boundary = [0, 1]} : tile<32x64xf32>\n"
    "%s"
    "    %%next = dot %%ta, %%tb, %%acc {precision = ieee} : "
    "tile<32x64xf32>\n"
    "    %%na = advance %%qa offsets(%%0, %%%s) : block_ptr<32x32xf32>\n"
    "    %%nb = advance %%qb offsets(%%%s, %%0) : block_ptr<32x64xf32>\n"
    "    yield values(%%na, %%nb, %%next)\n"
    "  }\n"
    "  %%pc = make_block_ptr %%c shape(%%stored, %%size) strides(%%size, "
    "%%one) offsets(%%first, %%0) {order = [1, 0]} : block_ptr<32x64xf32>\n"
    "  store_block %%pc, %%sum {boundary = [0, 1]}\n"
    "  return\n"
    "}\n";

// `state` is the name of a processor; NULL: the machine's own.
static void open_product(HostKit *kit, void **state, const char *inside,
                         const char *by) {
  if (*state && !codegen_has_host_cpu(*state)) skip();
  Arena arena;
  arena_init(&arena, &system_allocator);
  host_compile_for(kit, *state,
                   arena_printf(&arena, product, by, inside, by, by));
  arena_free(&arena);
}

// Memory for `count` floats that ends at a page that faults.
typedef struct {
  char *pages;
  size_t bytes;
  float *at;
} Guarded;

static Guarded guard(size_t count) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  Guarded out = {.bytes = (count * 4 + page - 1) / page * page + page};
  out.pages = mmap(NULL, out.bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(out.pages != MAP_FAILED);
  char *end = out.pages + out.bytes - page;
  assert_int_equal(mprotect(end, page, PROT_NONE), 0);
  out.at = (float *)(void *)end - count;
  return out;
}

static void unguard(const Guarded *x) {
  munmap(x->pages, x->bytes);
}

typedef struct {
  HostKit kit;
  int m, k, stride;
  int rows; // of the store
  Guarded a, b, c;
} Product;

// Small integers, whose sums are exact in any order.
static float number(int i) {
  return (float)(i * 7919 % 61 % 17 - 8);
}

static void draw(Product *p, int m, int k, int stride) {
  p->m = p->rows = m, p->k = k, p->stride = stride;
  p->a = guard((size_t)((m - 1) * stride + k));
  p->b = guard((size_t)(k * COLUMNS));
  p->c = guard((size_t)(m * COLUMNS));
  for (int i = 0; i < (m - 1) * stride + k; i++) {
    p->a.at[i] = i % stride < k ? number(i) : (float)NAN;
  }
  for (int i = 0; i < k * COLUMNS; i++) p->b.at[i] = number(3 * i + 1);
}

static void forget(const Product *p) {
  unguard(&p->a);
  unguard(&p->b);
  unguard(&p->c);
}

static void run(Product *p) {
  const uint32_t grid[] = {(uint32_t)((p->m + ROWS - 1) / ROWS), 1, 1};
  const uint64_t slots[] = {(uintptr_t)p->a.at, (uintptr_t)p->b.at,
                            (uintptr_t)p->c.at, (uint64_t)p->m,
                            (uint64_t)p->k,     (uint64_t)p->stride,
                            (uint64_t)p->rows};
  for (uint32_t i = 0; i < grid[0]; i++) {
    p->kit.run(slots, (uint32_t[]){i, 0, 0}, grid,
               (char *)p->kit.scratch + (i > 0));
  }
}

static float sum_of(const Product *p, int m, int n) {
  float sum = 0;
  for (int k = 0; k < p->k; k++) {
    sum += p->a.at[m * p->stride + k] * p->b.at[k * COLUMNS + n];
  }
  return sum;
}

static void check(const Product *p) {
  for (int i = 0; i < p->m * COLUMNS; i++) {
    const float right = sum_of(p, i / COLUMNS, i % COLUMNS);
    if (p->c.at[i] != right) {
      fail_msg("%d x %d, %d: %g at %d, not %g", p->m, p->k, p->stride,
               (double)p->c.at[i], i, (double)right);
    }
  }
}

// Nothing beyond the matrices is read, be it NaN or no memory.
static void reads_what_is_inside(void **state) {
  static const int rows[] = {1, 8, 31, 32, 40, 64, 71};
  static const int depths[] = {1,  31,  32,  33,  64,  65,
                               96, 127, 128, 129, 160, MOST};
  Product p;
  open_product(&p.kit, state, "", "32");
  for (int i = 0; i < 7 * 12 * 2; i++) {
    const int k = depths[i / 2 % 12];
    draw(&p, rows[i / 24], k, i % 2 ? k + 5 : k);
    run(&p);
    check(&p);
    forget(&p);
  }
  host_close(&p.kit);
}

// Every other step along k, as programs do that share out k: words of an
// earlier trip are inside where those of a later one are not.
static void leaves_out_steps(void **state) {
  Product p;
  open_product(&p.kit, state, "", "64");
  for (int k = 33; k < MOST; k += 5) {
    draw(&p, ROWS, k, k);
    run(&p);
    for (int i = 0; i < k * COLUMNS; i++) {
      if (i / COLUMNS / STEP % 2) p.b.at[i] = 0;
    }
    check(&p);
    forget(&p);
  }
  host_close(&p.kit);
}

// A later op of the loop, which writes 0 to the first row of the left operand,
// does not change the product.
static void reads_before_it_is_written(void **state) {
  Product p;
  open_product(&p.kit, state,
               "    %row = addptr %a, %i : ptr<f32>\n"
               "    %at = splat %row : tile<32xptr<f32>>\n"
               "    %lanes = arange {start = 0, end = 32} : tile<32xi32>\n"
               "    %to = addptr %at, %lanes : tile<32xptr<f32>>\n"
               "    %none = constant {value = 0.0} : tile<32xf32>\n"
               "    store %to, %none\n",
               "32");
  draw(&p, ROWS, 128, 128);
  float right[COLUMNS];
  for (int n = 0; n < COLUMNS; n++) right[n] = sum_of(&p, 0, n);
  run(&p);
  assert_memory_equal(right, p.c.at, sizeof right);
  for (int k = 0; k < 128; k++) assert_true(p.a.at[k] == 0);
  forget(&p);
  host_close(&p.kit);
}

// A store of more rows than the left operand has stores sums of zeros there.
static void stores_more_rows(void **state) {
  Product p;
  open_product(&p.kit, state, "", "32");
  draw(&p, ROWS, 64, 64);
  for (int m = 1; m < ROWS; m++) {
    p.m = m;
    run(&p);
    check(&p);
    for (int i = m * COLUMNS; i < ROWS * COLUMNS; i++)
      assert_true(p.c.at[i] == 0);
  }
  forget(&p);
  host_close(&p.kit);
}

// A sum of products that round to -0 becomes 0 by the zeros beyond the bound,
// which are not multiplied.
static void adds_zero(void **state) {
  Product p;
  open_product(&p.kit, state, "", "32");
  draw(&p, ROWS, 33, 33);
  for (int i = 0; i < ROWS * 33; i++) p.a.at[i] = -0x1p-100F;
  for (int i = 0; i < 33 * COLUMNS; i++) p.b.at[i] = 0x1p-100F;
  run(&p);
  for (int i = 0; i < ROWS * COLUMNS; i++) {
    assert_false(signbit(p.c.at[i]));
    assert_true(p.c.at[i] == 0);
  }
  forget(&p);
  host_close(&p.kit);
}

#define BOTH(test)                                                             \
  cmocka_unit_test(test), cmocka_unit_test_prestate(test, (void *)"x86-64-v3")

int main(void) {
  const struct CMUnitTest tests[] = {
      BOTH(reads_what_is_inside),
      BOTH(leaves_out_steps),
      BOTH(reads_before_it_is_written),
      BOTH(stores_more_rows),
      BOTH(adds_zero),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
