// wgmma_case.c -- wgmma: operands as the manual's figures place them.
//
// Elements are small, so that all sums are exact.
#include "tests/sim/wgmma_case.h"

#include <math.h>
#include <stdio.h>

#include "tests/sim/floats.h"

enum { THREADS = 128, ROWS = 64, IMAGE = 48 * 1024, B_AT = 16 * 1024 };

const WgmmaType wgmma_types[] = {
    {"f16", 16, 5, 10, true},  {"bf16", 16, 8, 7, true},
    {"tf32", 32, 8, 23, true}, {"e4m3", 8, 4, 3, true},
    {"e5m2", 8, 5, 2, true},   {"s8", 8, 0, 0, true},
    {"u8", 8, 0, 0, false},    {"b1", 1, 0, 0, false},
};

typedef struct {
  unsigned k;
  double held[ROWS][256];   // of a sparse A, the columns of its elements
  unsigned which[ROWS][64]; // of each chunk, as its metadata says
  double a[ROWS][256], b[256][256], c[ROWS][256]; // B by columns
} Values;

static double value_of(const WgmmaType *type, uint32_t *seed) {
  const int drawn = (int)(kit_random(seed) >> 8);
  if (type->bits == 1) return drawn & 1;
  if (!type->exponent) return (double)(drawn & 255) - 128 * type->is_signed;
  return (drawn % 17 - 8) * 0.5;
}

static uint32_t encode(const WgmmaType *type, double value) {
  if (!type->exponent) return (uint32_t)(int32_t)value & 0xff;
  if (value == 0) return 0;
  int exponent;
  const double fraction = 2 * frexp(fabs(value), &exponent) - 1;
  const int bias = (1 << (type->exponent - 1)) - 1;
  return (uint32_t)(value < 0) << (type->bits - 1) |
         (uint32_t)(exponent - 1 + bias) << type->mantissa |
         (uint32_t)(fraction * (1 << type->mantissa));
}

// The place of byte `x` of row `row` along k; of a transposed matrix x / 2
// is k.
static unsigned place_of(const WgmmaLayout *layout, unsigned row, unsigned x) {
  const unsigned w = layout->width;
  unsigned line = row, across = x;
  if (layout->is_transposed) {
    line = x / 2;
    across = 2 * row + x % 2;
  }
  unsigned place = layout->at + line % 8 * w + across % w;
  const bool swaps = layout->is_transposed && w == 16;
  place += line / 8 * (swaps ? layout->leading : layout->stride);
  place += across / w * (swaps ? layout->stride : layout->leading);
  const unsigned pattern = place - 128 * layout->base;
  return place ^ ((pattern >> 7 & (w / 16 - 1)) << 4);
}

static void put(uint8_t *image, const WgmmaLayout *layout, unsigned row,
                unsigned k, const WgmmaType *type, double value) {
  const uint32_t bits = encode(type, value);
  if (type->bits == 1) {
    image[place_of(layout, row, k / 8)] |= (uint8_t)(bits << k % 8);
    return;
  }
  for (unsigned i = 0; i < type->bits / 8; i++)
    image[place_of(layout, row, k * type->bits / 8 + i)] =
        (uint8_t)(bits >> 8 * i);
}

static unsigned long long descriptor(const WgmmaLayout *layout, unsigned at) {
  const unsigned long long mode = layout->width == 128  ? 1
                                  : layout->width == 64 ? 2
                                  : layout->width == 32 ? 3
                                                        : 0;
  return (at + layout->at) / 16 |
         (unsigned long long)layout->leading / 16 << 16 |
         (unsigned long long)layout->stride / 16 << 32 |
         (unsigned long long)layout->base << 49 | mode << 62;
}

// -- The kernel --------------------------------------------------------------

static char *registers(char *to, const char *name, unsigned count) {
  to += sprintf(to, "{");
  for (unsigned i = 0; i < count; i++)
    to += sprintf(to, "%s%s%u", i ? "," : "", name, i);
  return to + sprintf(to, "}");
}

static unsigned num_sums(const WgmmaCase *c) {
  return c->columns / (strcmp(c->d, "f16") == 0 ? 4 : 2);
}

static char *product(char *to, const WgmmaCase *c, unsigned k) {
  to += sprintf(to, "wgmma.mma_async%s.sync.aligned.m64n%uk%u.%s.%s.%s%s ",
                c->is_sparse ? ".sp" : "", c->columns, k, c->d,
                wgmma_types[c->a].name, wgmma_types[c->b].name,
                c->words ? c->words : "");
  to = registers(to, "%s", num_sums(c));
  to += sprintf(to, ", ");
  if (c->a_held)
    to = registers(to, "%a", 4);
  else
    to += sprintf(to, "%%da");
  to += sprintf(to, ", %%db, ");
  if (c->is_sparse) to += sprintf(to, "%%m, %u, ", c->selector);
  to += sprintf(to, "%s", c->adds ? c->adds : "1");
  if (c->scale_a) to += sprintf(to, ", %d, %d", c->scale_a, c->scale_b);
  if (wgmma_types[c->a].bits == 16 && !c->a_held)
    to += sprintf(to, ", %d", c->a_at.is_transposed);
  if (wgmma_types[c->a].bits == 16)
    to += sprintf(to, ", %d", c->b_at.is_transposed);
  return to + sprintf(to, ";\n");
}

// Copies the image, loads sums and A, and stores the sums.
static const char *kernel_of(const WgmmaCase *c, unsigned k) {
  static char text[1 << 16];
  char *to = text;
  to += sprintf(
      to,
      ".version 8.5\n.target sm_90a\n.address_size 64\n"
      ".visible .entry k(.param .u64 out_p, .param .u64 in_p) {\n"
      ".reg .b32 %%s<128>, %%a<4>, %%r<9>, %%t, %%m; .reg .b64 %%da, %%db, "
      "%%d<9>,"
      " %%in, %%out; .reg .pred %%p<3>;\n"
      ".shared .align 1024 .b8 s[%d];\n"
      "ld.param.u64 %%out, [out_p]; ld.param.u64 %%in, [in_p];\n"
      "mov.u32 %%t, %%tid.x; mul.wide.u32 %%d1, %%t, 16;\n"
      "setp.ge.u32 %%p1, %%t, 0; setp.lt.u32 %%p2, %%t, 0;\n"
      "add.u64 %%d2, %%in, %%d1; mov.u32 %%r1, s; mad.lo.u32 %%r2, %%t, 16, "
      "%%r1;\n"
      "mov.u32 %%r3, 0;\n"
      "L: ld.global.v4.b32 {%%r4, %%r5, %%r6, %%r7}, [%%d2];\n"
      "st.shared.v4.b32 [%%r2], {%%r4, %%r5, %%r6, %%r7};\n"
      "add.u64 %%d2, %%d2, 2048; add.u32 %%r2, %%r2, 2048;\n"
      "add.u32 %%r3, %%r3, 2048; setp.lt.u32 %%p0, %%r3, %d; @%%p0 bra L;\n"
      "mul.wide.u32 %%d1, %%t, 4; add.u64 %%in, %%in, %%d1; add.u64 %%out, "
      "%%out, %%d1;\n"
      "cvt.u64.u32 %%d3, %%r1; shr.u64 %%d3, %%d3, 4;\n"
      "add.u64 %%da, %%d3, %llu; add.u64 %%db, %%d3, %llu;\n",
      IMAGE, IMAGE, descriptor(&c->a_at, 0), descriptor(&c->b_at, B_AT));
  for (unsigned i = 0; i < 4; i++)
    to += sprintf(to, "ld.global.b32 %%a%u, [%%in+%u];\n", i,
                  IMAGE + (128 + i) * 4 * THREADS);
  to +=
      sprintf(to, "ld.global.b32 %%m, [%%in+%u];\n", IMAGE + 132 * 4 * THREADS);
  for (unsigned i = 0; i < num_sums(c); i++)
    to += sprintf(to, "ld.global.b32 %%s%u, [%%in+%u];\n", i,
                  IMAGE + i * 4 * THREADS);
  to += sprintf(to, "fence.proxy.async; bar.sync 0;\n"
                    "wgmma.fence.sync.aligned;\n");
  to = product(to, c, k);
  to += sprintf(to, "wgmma.commit_group.sync.aligned;\n"
                    "wgmma.wait_group.sync.aligned 0;\n");
  for (unsigned i = 0; i < num_sums(c); i++)
    to += sprintf(to, "st.global.b32 [%%out+%u], %%s%u;\n", i * 4 * THREADS, i);
  sprintf(to, "ret;\n}\n");
  return text;
}

// -- Running -----------------------------------------------------------------

// A sparse A holds two of four elements, of tf32 one of two.
static void thin_out(const WgmmaCase *c, Values *v, uint32_t *seed) {
  static const uint8_t pairs[] = {4, 8, 12, 9, 13, 14};
  const unsigned size = c->a == TF32 ? 2 : 4;
  for (unsigned i = 0; i < ROWS; i++) {
    for (unsigned chunk = 0; chunk < v->k / size; chunk++) {
      const unsigned drawn = (kit_random(seed) >> 8) % 6;
      const unsigned which = size == 2 ? (drawn % 2 ? 14 : 4) : pairs[drawn];
      double *a = v->a[i] + chunk * size, *held = v->held[i] + chunk * size / 2;
      const unsigned low = size == 2 ? drawn % 2 : which & 3;
      const unsigned high = size == 2 ? low : which >> 2;
      v->which[i][chunk] = which;
      held[0] = a[low];
      if (size == 4) held[1] = a[high];
      for (unsigned j = 0; j < size; j++)
        if (j != low && j != high) a[j] = 0;
    }
  }
}

// Thread by thread; threads without metadata have a value that must not be
// read.
static void put_metadata(const WgmmaCase *c, const Values *v, uint32_t *words) {
  const bool is_wide = wgmma_types[c->a].bits >= 16;
  for (unsigned t = 0; t < THREADS; t++) {
    const unsigned row = t / 32 * 16 + t % 32 / 4, of_four = t % 4;
    words[t] = 0;
    for (unsigned i = 0; i < 8; i++) {
      const unsigned first = is_wide ? of_four % 2 * 4 : of_four / 2 * 8;
      const unsigned chunk = is_wide ? first + i % 4 : first + i;
      const unsigned half = is_wide ? i / 4 : of_four % 2;
      if (!is_wide || of_four / 2 == c->selector)
        words[t] |= v->which[row + 8 * half][chunk] << 4 * i;
    }
  }
}

static void draw(const WgmmaCase *c, Values *v, uint32_t *seed) {
  const WgmmaType *a = &wgmma_types[c->a], *b = &wgmma_types[c->b];
  for (unsigned k = 0; k < v->k; k++) {
    for (unsigned i = 0; i < ROWS; i++) v->a[i][k] = value_of(a, seed);
    for (unsigned j = 0; j < c->columns; j++) v->b[j][k] = value_of(b, seed);
  }
  if (c->is_sparse)
    thin_out(c, v, seed);
  else
    memcpy(v->held, v->a, sizeof v->held);
  for (unsigned i = 0; i < ROWS; i++)
    for (unsigned j = 0; j < c->columns; j++)
      v->c[i][j] =
          c->start != 0 ? c->start : (int)(kit_random(seed) >> 8) % 64 - 32;
}

// The row and column of value i of a thread.
static unsigned row_of(unsigned thread, unsigned i) {
  return thread / 32 * 16 + thread % 32 / 4 + 8 * (i / 2 % 2);
}

static unsigned column_of(unsigned thread, unsigned i) {
  return thread % 4 * 2 + i % 2 + 8 * (i / 4);
}

static uint32_t sum_bits(const WgmmaCase *c, double value) {
  if (c->d[0] == 's') return (uint32_t)(int32_t)value;
  if (strcmp(c->d, "f16") == 0) return encode(&wgmma_types[F16], value);
  return single_bits((float)value);
}

typedef struct {
  uint8_t image[IMAGE];
  uint32_t sums[128][THREADS], a[4][THREADS], metadata[THREADS];
} Input;

static void put_sums(const WgmmaCase *c, double (*sums)[256],
                     uint32_t (*words)[THREADS]) {
  const bool is_half = strcmp(c->d, "f16") == 0;
  for (unsigned t = 0; t < THREADS; t++) {
    for (unsigned i = 0; i < c->columns / 2; i++) {
      const uint32_t bits = sum_bits(c, sums[row_of(t, i)][column_of(t, i)]);
      if (!is_half)
        words[i][t] = bits;
      else if (i % 2)
        words[i / 2][t] |= bits << 16;
      else
        words[i / 2][t] = bits;
    }
  }
}

// Register r of a thread has four bytes of a row.
static void put_registers(const WgmmaCase *c, const Values *v,
                          unsigned num_held, uint32_t (*words)[THREADS]) {
  const WgmmaLayout plain = {false, 16, 1024, 128, 0, 0};
  uint8_t image[ROWS * 32] = {0};
  for (unsigned k = 0; k < num_held; k++)
    for (unsigned i = 0; i < ROWS; i++)
      put(image, &plain, i, k, &wgmma_types[c->a], v->held[i][k]);
  for (unsigned t = 0; t < THREADS; t++) {
    for (unsigned r = 0; r < 4; r++) {
      const unsigned row = t / 32 * 16 + t % 32 / 4 + 8 * (r % 2);
      const unsigned place = place_of(&plain, row, 16 * (r / 2) + t % 4 * 4);
      memcpy(&words[r][t], image + place, 4);
    }
  }
}

static void put_operands(const WgmmaCase *c, const Values *v, Input *in) {
  const unsigned num_held = c->is_sparse ? v->k / 2 : v->k;
  for (unsigned k = 0; k < num_held && !c->a_held; k++)
    for (unsigned i = 0; i < ROWS; i++)
      put(in->image, &c->a_at, i, k, &wgmma_types[c->a], v->held[i][k]);
  for (unsigned k = 0; k < v->k; k++)
    for (unsigned j = 0; j < c->columns; j++)
      put(in->image + B_AT, &c->b_at, j, k, &wgmma_types[c->b], v->b[j][k]);
  put_registers(c, v, num_held, in->a);
  if (c->is_sparse) put_metadata(c, v, in->metadata);
}

static void multiply(const WgmmaCase *c, Values *v) {
  const int sign = c->scale_a * c->scale_b < 0 ? -1 : 1;
  const bool adds = !c->adds || strcmp(c->adds, "1") == 0 ||
                    strcmp(c->adds, "%p1") == 0 || strcmp(c->adds, "!%p2") == 0;
  for (unsigned i = 0; i < ROWS; i++) {
    for (unsigned j = 0; j < c->columns; j++) {
      double sum = adds ? v->c[i][j] : 0;
      for (unsigned k = 0; k < v->k; k++) {
        const double term = sign * v->a[i][k] * v->b[j][k];
        sum += c->unit != 0 ? trunc(term / c->unit) * c->unit : term;
      }
      v->c[i][j] = sum;
    }
  }
}

static unsigned k_of(const WgmmaCase *c) {
  return (c->is_sparse ? 512 : 256) / wgmma_types[c->a].bits;
}

void wgmma_run(const WgmmaCase *c) {
  static Values v;
  static Input in;
  static uint32_t out[128][THREADS], expected[128][THREADS];
  uint32_t seed = 7 + c->columns;
  memset(&in, 0, sizeof in);
  v.k = k_of(c);
  draw(c, &v, &seed);
  put_sums(c, v.c, in.sums);
  put_operands(c, &v, &in);
  multiply(c, &v);
  put_sums(c, v.c, expected);
  const char *text = kernel_of(c, v.k);
  const int error =
      kit_map(kit_load_text(text), THREADS, &in, sizeof in, out, sizeof out);
  const char *kinds = kit_reports();
  if (error || *kinds) fail_msg("error %d, '%s': %s", error, kinds, text);
  for (unsigned i = 0; i < num_sums(c); i++)
    for (unsigned t = 0; t < THREADS; t++)
      if (out[i][t] != expected[i][t])
        fail_msg("sum %u of thread %u is %08x, not %08x: n %u, %s.%s.%s", i, t,
                 out[i][t], expected[i][t], c->columns, c->d,
                 wgmma_types[c->a].name, wgmma_types[c->b].name);
}

void wgmma_run_place(const WgmmaLayout *layout, unsigned byte, unsigned column,
                     unsigned period, unsigned sum) {
  static Input in;
  static uint32_t out[128][THREADS];
  static Values v;
  const WgmmaCase c = {.d = "f32",
                       .a = F16,
                       .b = F16,
                       .columns = 128,
                       .a_held = true,
                       .b_at = *layout,
                       .scale_a = 1,
                       .scale_b = 1};
  memset(&in, 0, sizeof in);
  for (unsigned i = 0; i < ROWS; i++)
    for (unsigned j = 0; j < 16; j++) v.held[i][j] = j + 1;
  put_registers(&c, &v, 16, in.a);
  const uint16_t one = (uint16_t)encode(&wgmma_types[F16], 1);
  memcpy(in.image + B_AT + byte, &one, 2);
  assert_int_equal(kit_map(kit_load_text(kernel_of(&c, 16)), THREADS, &in,
                           sizeof in, out, sizeof out),
                   0);
  assert_string_equal(kit_reports(), "");
  for (unsigned i = 0; i < 64; i++)
    for (unsigned t = 0; t < THREADS; t++)
      if (out[i][t] !=
          sum_bits(&c, column_of(t, i) % period == column ? sum : 0))
        fail_msg("byte %u is not of column %u, sum %u: see column %u", byte,
                 column, sum, column_of(t, i));
}
