// test_sim_sparse.c -- mma.sp.sync: fragments and metadata as the PTX manual's
// figures place them, written down again for each shape.
#include <stdio.h>

#include "sim_kit.h"

typedef enum { F16, BF16, TF32, E4M3, S8, U8, S4, U4 } Element;

// By the row, 0 to 15, and the column of the dense A: the lane of the quad that
// has the metadata, and its first bit.
typedef enum {
  ONE_LANE,   // 16 columns: 16 bits for each of the rows g and g + 8
  TWO_HALVES, // 32 columns: the same, a lane for each 16 columns
  TWO_ROWS,   // a lane for row g, the next for row g + 8
  FOUR,       // columns in two parts, of each part two rows as above
} Where;

typedef struct {
  const char *name, *d, *a;
  int k, bits, selector, num_selectors;
  Element element;
  Where where;
} Case;

static const Case cases[] = {
    {"m16n8k16", "f32", "f16", 16, 16, 0, 4, F16, ONE_LANE},
    {"m16n8k16", "f32", "bf16", 16, 16, 2, 4, BF16, ONE_LANE},
    {"m16n8k32", "f32", "f16", 32, 16, 1, 2, F16, TWO_HALVES},
    {"m16n8k32", "f32", "bf16", 32, 16, 0, 2, BF16, TWO_HALVES},
    {"m16n8k8", "f32", "tf32", 8, 32, 3, 4, TF32, ONE_LANE},
    {"m16n8k16", "f32", "tf32", 16, 32, 1, 2, TF32, TWO_HALVES},
    {"m16n8k32", "s32", "s8", 32, 8, 1, 2, S8, TWO_ROWS},
    {"m16n8k32", "s32", "u8", 32, 8, 0, 2, U8, TWO_ROWS},
    {"m16n8k64", "s32", "s8", 64, 8, 0, 1, S8, FOUR},
    {"m16n8k64", "s32", "u8", 64, 8, 0, 1, U8, FOUR},
    {"m16n8k64", "f32", "e4m3", 64, 8, 0, 1, E4M3, FOUR},
    {"m16n8k64", "s32", "s4", 64, 4, 1, 2, S4, TWO_ROWS},
    {"m16n8k64", "s32", "u4", 64, 4, 0, 2, U4, TWO_ROWS},
    {"m16n8k128", "s32", "s4", 128, 4, 0, 1, S4, FOUR},
    {"m16n8k128", "s32", "u4", 128, 4, 0, 1, U4, FOUR},
};

// The bits of 0 to 3.
static uint32_t encode(Element element, int v) {
  static const uint32_t f16[] = {0, 0x3c00, 0x4000, 0x4200};
  static const uint32_t bf16[] = {0, 0x3f80, 0x4000, 0x4040};
  static const uint32_t e4m3[] = {0, 0x38, 0x40, 0x44};
  switch (element) {
  case F16: return f16[v];
  case BF16: return bf16[v];
  case TF32: return bf16[v] << 16;
  case E4M3: return e4m3[v];
  default: return (uint32_t)v;
  }
}

typedef struct {
  int a[16][128], b[128][8]; // A with its zeros
  uint32_t held_a[32][4], held_b[32][4], metadata[32];
} Problem;

// Elements of a dense row that share four bits of metadata.
static int chunk_of(const Case *c) {
  return c->element == TF32 ? 2 : c->bits == 4 ? 8 : 4;
}

static void set_metadata(const Case *c, Problem *p, int row, int chunk,
                         uint32_t bits) {
  const int quad = row % 8 * 4, low = row < 8 ? 0 : 1;
  int lane = 0, shift = 0;
  switch (c->where) {
  case ONE_LANE:
    lane = c->selector;
    shift = 16 * low + 4 * chunk;
    break;
  case TWO_HALVES:
    lane = 2 * c->selector + (chunk >= 4);
    shift = 16 * low + 4 * (chunk % 4);
    break;
  case TWO_ROWS:
    lane = 2 * c->selector + low;
    shift = 4 * chunk;
    break;
  case FOUR:
    lane = 2 * (chunk >= 8) + low;
    shift = 4 * (chunk % 8);
    break;
  }
  p->metadata[quad + lane] |= bits << shift;
}

// The row and column of a lane's element i in the stored half of A, by the
// figure of a dense A with half the columns.
static void place_held(const Case *c, int lane, int i, int *row, int *column) {
  const int e = 32 / c->bits, r = i / e;
  *row = lane / 4 + (r % 2 ? 8 : 0);
  *column = lane % 4 * e + i % e + (r >= 2 ? 4 * e : 0);
}

static void put_a(const Case *c, Problem *p, int row, int column, int v) {
  const int e = 32 / c->bits;
  for (int lane = 0; lane < 32; lane++) {
    for (int i = 0; i < 4 * e; i++) {
      int own_row, own_column;
      place_held(c, lane, i, &own_row, &own_column);
      if (own_row == row && own_column == column)
        p->held_a[lane][i / e] |= encode(c->element, v) << i % e * c->bits;
    }
  }
}

static void draw_chunk(const Case *c, Problem *p, int row, int chunk,
                       uint32_t *seed) {
  const int size = chunk_of(c), half = size / 2;
  const int low = (int)(kit_random(seed) % 3);
  const int high = low + 1 + (int)(kit_random(seed) % (unsigned)(3 - low));
  const bool second = kit_random(seed) & 1;
  uint32_t bits = (uint32_t)(low | high << 2);
  if (c->element == TF32) bits = second ? 14 : 4;
  set_metadata(c, p, row, chunk, bits);
  for (int i = 0; i < half; i++) {
    const int v = (int)(kit_random(seed) & 3);
    int column = i ? high : low;
    if (c->element == TF32) column = second;
    if (size == 8) column = (i < 2 ? low : high) * 2 + i % 2;
    p->a[row][chunk * size + column] = v;
    put_a(c, p, row, chunk * half + i, v);
  }
}

// B's register r of a lane: rows 4er + et ..., column g.
static void draw_b(const Case *c, Problem *p, uint32_t *seed) {
  const int e = 32 / c->bits, n = c->k / (4 * e);
  for (int lane = 0; lane < 32; lane++) {
    for (int i = 0; i < n * e; i++) {
      const int v = (int)(kit_random(seed) & 3), r = i / e;
      p->b[4 * e * r + e * (lane % 4) + i % e][lane / 4] = v;
      p->held_b[lane][r] |= encode(c->element, v) << i % e * c->bits;
    }
  }
}

static void make_list(char *out, int first, int count, char letter) {
  int used = sprintf(out, "{");
  for (int i = 0; i < count; i++)
    used += sprintf(out + used, "%s%%%c%d", i ? "," : "", letter, first + i);
  sprintf(out + used, "}");
}

static void make_body(char *body, const Case *c, const char *variant,
                      int selector) {
  char a[64], b[64], d[64];
  const int num_a = c->k * c->bits / 128, num_b = num_a;
  const bool is_float = c->d[0] == 'f';
  make_list(a, 10, num_a, 'r');
  make_list(b, 20, num_b, 'r');
  make_list(d, 30, 4, is_float ? 'f' : 'r');
  int used = sprintf(body, "mul.wide.u32 %%d1, %%t, 64;\n"
                           "add.u64 %%d2, %%in, %%d1;\n"
                           "ld.global.u32 %%r40, [%%d2+32];\n");
  for (int i = 0; i < 4; i++) {
    used += sprintf(body + used, "ld.global.u32 %%r%d, [%%d2+%d];\n", 10 + i,
                    4 * i);
    used += sprintf(body + used, "ld.global.u32 %%r%d, [%%d2+%d];\n", 20 + i,
                    16 + 4 * i);
    used += sprintf(body + used, "mov.b32 %%%c%d, 0;\n", is_float ? 'f' : 'r',
                    30 + i);
  }
  used +=
      sprintf(body + used,
              "mma.%s.sync.aligned.%s.row.col.%s.%s.%s.%s "
              "%s, %s, %s, %s, %%r40, %d;\n"
              "mul.wide.u32 %%d3, %%t, 16; add.u64 %%d4, %%out, %%d3;\n",
              variant, c->name, c->d, c->a, c->a, c->d, d, a, b, d, selector);
  for (int i = 0; i < 4; i++)
    used += sprintf(body + used, "st.global.b32 [%%d4+%d], %%%c%d;\n", 4 * i,
                    is_float ? 'f' : 'r', 30 + i);
}

static void make_problem(const Case *c, Problem *p) {
  uint32_t seed = 12345;
  memset(p, 0, sizeof *p);
  for (int row = 0; row < 16; row++)
    for (int chunk = 0; chunk < c->k / chunk_of(c); chunk++)
      draw_chunk(c, p, row, chunk, &seed);
  draw_b(c, p, &seed);
}

static int launch(const Case *c, const Problem *p, const char *variant,
                  uint32_t out[32][4]) {
  char body[4096];
  uint32_t in[32][16] = {{0}};
  for (int lane = 0; lane < 32; lane++) {
    memcpy(in[lane], p->held_a[lane], 16);
    memcpy(in[lane] + 4, p->held_b[lane], 16);
    in[lane][8] = p->metadata[lane];
  }
  make_body(body, c, variant, c->selector);
  CUmodule module = kit_load_body(body);
  CUdeviceptr din = kit_upload(in, sizeof in);
  CUdeviceptr dout = kit_upload(NULL, 512);
  void *params[] = {&dout, &din};
  const int error = kit_run(module, "k", (KitShape){{1}, {32}, 0}, params);
  if (!error) kit_download(out, dout, 512);
  cuMemFree_v2(din);
  cuModuleUnload(module);
  return error;
}

static void check(const Case *c, const Problem *p, uint32_t out[32][4]) {
  for (int lane = 0; lane < 32; lane++) {
    for (int i = 0; i < 4; i++) {
      const int row = lane / 4 + (i < 2 ? 0 : 8), column = lane % 4 * 2 + i % 2;
      int sum = 0;
      float value;
      for (int k = 0; k < c->k; k++) sum += p->a[row][k] * p->b[k][column];
      memcpy(&value, &out[lane][i], 4);
      const int found = c->d[0] == 'f' ? (int)value : (int)out[lane][i];
      if (found != sum)
        fail_msg("%s %s: row %d, column %d: %d, not %d", c->name, c->a, row,
                 column, found, sum);
    }
  }
}

static void test_figures(void **state) {
  static Problem p;
  uint32_t out[32][4];
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    make_problem(&cases[i], &p);
    assert_int_equal(launch(&cases[i], &p, "sp", out), 0);
    check(&cases[i], &p, out);
    assert_int_equal(launch(&cases[i], &p, "sp::ordered_metadata", out), 0);
    check(&cases[i], &p, out);
  }
}

// Only num_selectors lanes may have the metadata.
static void test_selectors(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char body[4096], text[8192];
    CUmodule module;
    make_body(body, &cases[i], "sp", cases[i].num_selectors);
    snprintf(text, sizeof text,
             ".version 8.0\n.target sm_89\n.address_size 64\n"
             ".visible .entry k() { .reg .b32 %%r<99>, %%t; .reg .f32 %%f<99>;"
             " .reg .b64 %%d<9>, %%in, %%out;\n%s ret; }\n",
             body);
    assert_int_equal(cuModuleLoadDataEx(&module, text, 0, NULL, NULL), 218);
  }
}

// Two elements cannot lie in one place; ordered ones are in order.
static void test_metadata(void **state) {
  static Problem p;
  uint32_t out[32][4];
  (void)state;
  make_problem(&cases[0], &p);
  for (int lane = 0; lane < 32; lane++) p.metadata[lane] = 0x44444441;
  assert_int_equal(launch(&cases[0], &p, "sp", out), 0);
  assert_int_equal(launch(&cases[0], &p, "sp::ordered_metadata", out), 715);
  assert_string_equal(kit_reports(), "invalid ");
}

int main(void) {
  setenv("TILE_SIM_CHIP", "sm_89", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_figures),
      cmocka_unit_test(test_selectors),
      cmocka_unit_test(test_metadata),
  };
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
