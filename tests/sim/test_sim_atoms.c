// test_sim_atoms.c -- atomic operations of every type and space on all pairs of
// edge values: the returned value, and the new one.
#include <math.h>
#include <stdio.h>

#include "sim_kit.h"
#include "tests/sim/floats.h"

enum { NUM_EDGES = 24, THREADS = NUM_EDGES * NUM_EDGES };

static const uint64_t edges[NUM_EDGES] = {
    0,
    1,
    2,
    5,
    0x7f,
    0x80,
    0xffff,
    0x10000,
    0x7fffffff,
    0x80000000,
    0x80000001,
    0xfffffffe,
    0xffffffff,
    0x100000000,
    0x7fffffffffffffff,
    0x8000000000000000,
    0xffffffffffffffff,
    0xfffffffffffffff0,
    0x3f8000003f800000, // numbers of fp32, fp64, fp16 and bf16
    0xbff0000000000000,
    0x3c00c0003c00bc00,
    0x7f80000040490fdb,
    0x4008000000000000,
    0x3dcccccd42280000};

typedef struct {
  uint64_t was, operand, other; // `other` is the compared value of cas
  bool is_shared;               // spaces where fp32 subnormals are kept
} Given;

typedef uint64_t Means(const Given *g);

typedef struct {
  const char *op, *type; // a letter and its bits
  Means *means;
} Row;

static uint32_t low(uint64_t x) {
  return (uint32_t)x;
}

#define MEANS(name, result)                                                    \
  static uint64_t name(const Given *g) {                                       \
    const uint64_t a = g->was, b = g->operand;                                 \
    return (uint64_t)(result);                                                 \
  }
MEANS(add, a + b)
MEANS(least_u32, low(a) < low(b) ? a : b)
MEANS(most_u32, low(a) > low(b) ? a : b)
MEANS(least_s32, (int32_t)a < (int32_t)b ? a : b)
MEANS(most_s32, (int32_t)a > (int32_t)b ? a : b)
MEANS(least_u64, a < b ? a : b)
MEANS(most_u64, a > b ? a : b)
MEANS(least_s64, (int64_t)a < (int64_t)b ? a : b)
MEANS(most_s64, (int64_t)a > (int64_t)b ? a : b)
MEANS(both, a &b)
MEANS(either, a | b)
MEANS(one_of, a ^ b)
MEANS(other, b + 0 * a)
MEANS(up, low(a) >= low(b) ? 0 : a + 1)
MEANS(down, !low(a) || low(a) > low(b) ? b : a - 1)

static uint64_t swapped16(const Given *g) {
  return (uint16_t)g->was == (uint16_t)g->other ? g->operand : g->was;
}
static uint64_t swapped32(const Given *g) {
  return low(g->was) == low(g->other) ? g->operand : g->was;
}
static uint64_t swapped64(const Given *g) {
  return g->was == g->other ? g->operand : g->was;
}

static uint64_t add_f32(const Given *g) {
  const float a = single_of(g->was), b = single_of(g->operand);
  if (g->is_shared) return single_bits(a + b);
  return single_bits(flushed_single(flushed_single(a) + flushed_single(b)));
}

static uint64_t add_f64(const Given *g) {
  const double sum = double_of(g->was) + double_of(g->operand);
  return isnan(sum) ? 0x7fffffffffffffff : double_bits(sum);
}

// The manual does not say which of two NaNs a sum in fp64 is.
static bool is_right(const Row *row, uint64_t found, uint64_t wanted) {
  const uint64_t infinity = UINT64_C(0x7ff) << 52;
  if (row->means == add_f64 && wanted << 1 > infinity << 1)
    return found << 1 > infinity << 1;
  return found == wanted;
}

static const Row rows[] = {
    {"add", "u32", add},       {"add", "s32", add},
    {"add", "u64", add},       {"add", "f32", add_f32},
    {"add", "f64", add_f64},   {"min", "u32", least_u32},
    {"max", "u32", most_u32},  {"min", "s32", least_s32},
    {"max", "s32", most_s32},  {"min", "u64", least_u64},
    {"max", "u64", most_u64},  {"min", "s64", least_s64},
    {"max", "s64", most_s64},  {"and", "b32", both},
    {"or", "b32", either},     {"xor", "b32", one_of},
    {"and", "b64", both},      {"or", "b64", either},
    {"xor", "b64", one_of},    {"exch", "b32", other},
    {"exch", "b64", other},    {"inc", "u32", up},
    {"dec", "u32", down},      {"cas", "b16", swapped16},
    {"cas", "b32", swapped32}, {"cas", "b64", swapped64},
};

static Given given(int t, int space) {
  Given g = {edges[t / NUM_EDGES], edges[t % NUM_EDGES],
             edges[(t * 5 + 1) % NUM_EDGES], space == 2};
  if (t % 2) g.other = g.was; // every other comparison is of equals
  return g;
}

static int bits_of(const Row *row) {
  return atoi(row->type + 1);
}

static char letter(int bits) {
  return bits == 16 ? 'h' : bits == 32 ? 'r' : 'd';
}

static bool is_cas(const Row *row) {
  return !strcmp(row->op, "cas");
}

// An instruction on [%d90], whose memory has the first operand.
static void put_instruction(char *out, const Row *row, const char *space,
                            bool returns) {
  const char l = letter(bits_of(row));
  if (returns)
    out += sprintf(out, "atom%s.%s.%s %%%c9, [%%d90], ", space, row->op,
                   row->type, l);
  else
    out += sprintf(out, "red%s.%s.%s [%%d90], ", space, row->op, row->type);
  if (is_cas(row)) out += sprintf(out, "%%%c3, ", l);
  sprintf(out, "%%%c2;\n", l);
}

static const char *const spaces[] = {"", ".global", ".shared"};

static void make_body(char *body, const Row *row, int space, bool returns) {
  const bool is_shared = space == 2;
  body += sprintf(
      body,
      ".shared .align 8 .b8 s[%d];\n"
      "mul.wide.u32 %%d80, %%t, 24; add.u64 %%d81, %%in, %%d80;"
      "ld.global.u64 %%d1, [%%d81]; ld.global.u64 %%d2, [%%d81+8];"
      "ld.global.u64 %%d3, [%%d81+16]; mul.wide.u32 %%d82, %%t, 16;"
      "add.u64 %%d82, %%d82, %%out; mov.u64 %%d90, %%d82; mov.u64 %%d9, 0;\n",
      THREADS * 8);
  for (int i = 2; i <= 3; i++)
    body += sprintf(body, "cvt.u32.u64 %%r%d, %%d%d; cvt.u16.u64 %%h%d, %%d%d;",
                    i, i, i, i);
  body += sprintf(body, "mov.u32 %%r9, 0; mov.u16 %%h9, 0;\n");
  if (is_shared)
    body += sprintf(body, "mul.wide.u32 %%d90, %%t, 8; mov.u32 %%r70, s;"
                          "cvt.u64.u32 %%d91, %%r70;"
                          "add.u64 %%d90, %%d90, %%d91;\n");
  body += sprintf(body, "st%s.u64 [%%d90], %%d1;\n", spaces[space]);
  put_instruction(body, row, spaces[space], returns);
  body += strlen(body);
  if (bits_of(row) == 32) body += sprintf(body, "cvt.u64.u32 %%d9, %%r9;\n");
  if (bits_of(row) == 16) body += sprintf(body, "cvt.u64.u16 %%d9, %%h9;\n");
  sprintf(body,
          "ld%s.u64 %%d10, [%%d90]; st.global.v2.u64 [%%d82], {%%d9, %%d10};",
          spaces[space]);
}

static void run_row(const Row *row, int space, bool returns) {
  static uint64_t in[THREADS][3], out[THREADS][2];
  char body[2048];
  for (int t = 0; t < THREADS; t++) {
    const Given g = given(t, space);
    memcpy(in[t], (uint64_t[]){g.was, g.operand, g.other}, sizeof in[t]);
  }
  make_body(body, row, space, returns);
  kit_map(kit_load_body(body), THREADS, in, sizeof in, out, sizeof out);
  const uint64_t mask =
      bits_of(row) == 64 ? UINT64_MAX : (UINT64_C(1) << bits_of(row)) - 1;
  for (int t = 0; t < THREADS; t++) {
    const Given g = given(t, space);
    const uint64_t then = (g.was & ~mask) | (row->means(&g) & mask);
    if (out[t][0] != (returns ? g.was & mask : 0) ||
        !is_right(row, out[t][1], then))
      fail_msg("%s.%s%s of %llx and %llx: %llx then %llx, not %llx", row->op,
               row->type, spaces[space], (unsigned long long)g.was,
               (unsigned long long)g.operand, (unsigned long long)out[t][0],
               (unsigned long long)out[t][1], (unsigned long long)then);
  }
}

static bool has_red(const Row *row) {
  return !is_cas(row) && strcmp(row->op, "exch") != 0;
}

static void test_rows(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (int space = 0; space < 3; space++) {
      run_row(&rows[i], space, true);
      if (has_red(&rows[i])) run_row(&rows[i], space, false);
    }
}

// -- Halves ------------------------------------------------------------------

// Sums of small numbers are exact in both types: 1.5, -2, 0.5 and so on.
typedef struct {
  const char *type;
  uint32_t a, b, sum;
} Half;

static const Half halves[] = {
    {"f16", 0x3e00, 0xc000, 0xb800}, // 1.5 - 2
    {"f16", 0x7bff, 0x7bff, 0x7c00}, // past the largest
    {"f16", 0x3c00, 0x1400, 0x3c01}, // 1 + 2^-10
    {"f16", 0x3c00, 0x1000, 0x3c00}, // a tie, to even
    {"f16", 0x3c01, 0x1000, 0x3c02}, // and up
    {"f16x2", 0x3e003c00, 0xc0003c00, 0xb8004000},
    {"f16x2", 0x7bff0001, 0x7bff0001, 0x7c000002},
    {"bf16", 0x3fc0, 0xc000, 0xbf00},
    {"bf16", 0x3f80, 0x3b80, 0x3f80}, // 1 + 2^-8, a tie
    {"bf16", 0x3f81, 0x3b80, 0x3f82},
    {"bf16x2", 0x3fc03f80, 0xc0003f80, 0xbf004000},
};

static void test_halves(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof halves / sizeof *halves; i++)
    for (int space = 0; space < 3; space++) {
      const Half *h = &halves[i];
      const bool is_pair = strchr(h->type, 'x');
      const char l = is_pair ? 'r' : 'h', *base = space == 2 ? "s" : "%out";
      uint32_t out[2];
      char body[1024];
      snprintf(body, sizeof body,
               ".shared .align 8 .b8 s[8]; mov.u32 %%r1, 0x%x;"
               "mov.u32 %%r2, 0x%x; cvt.u16.u32 %%h2, %%r2; mov.u32 %%r9, 0;\n"
               "mov.u64 %%d1, %s; st%s.u32 [%%d1], %%r1;"
               "atom%s.add.noftz.%s %%%c9, [%%d1], %%%c2; %s\n"
               "ld%s.u32 %%r3, [%%d1]; st.global.v2.u32 [%%out], {%%r9, %%r3};",
               h->a | (is_pair ? 0 : 0xabcd0000), h->b, base, spaces[space],
               spaces[space], h->type, l, l,
               is_pair ? "" : "cvt.u32.u16 %r9, %h9;", spaces[space]);
      kit_map(kit_load_body(body), 1, NULL, 8, out, sizeof out);
      assert_int_equal(out[0], h->a);
      if (out[1] != (h->sum | (is_pair ? 0 : 0xabcd0000)))
        fail_msg("%s: %x, not %x", h->type, out[1], h->sum);
    }
}

static int set_up(void **state) {
  setenv("TILE_SIM_CHIP", "sm_90", 1);
  return kit_setup(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows),
                                     cmocka_unit_test(test_halves)};
  return cmocka_run_group_tests(tests, set_up, kit_teardown);
}
