// test_sim_ints.c -- integer instructions of every type on all pairs of edge
// values, beside 128-bit integers.
//
// In a row, @ is the type, #1 to #3 are registers of it with the operands, %r1
// to %r3 have their low 32 bits, and %p1 is "the third operand is odd".
#include <stdio.h>

#include "sim_kit.h"

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 Bits;

typedef struct {
  const char *name;
  int bits;
  bool is_signed;
} Kind;

typedef struct {
  const Kind *kind;
  Wide a, b, c;        // numbers of the kind
  uint64_t x, y, z;    // their bits
  uint32_t ra, rb, rc; // the low bits of the operands
  bool odd;
} Given;

static const Kind kinds[] = {
    {"u16", 16, false}, {"s16", 16, true},  {"u32", 32, false},
    {"s32", 32, true},  {"u64", 64, false}, {"s64", 64, true},
    {"b16", 16, false}, {"b32", 32, false}, {"b64", 64, false}};
enum {
  U16 = 1,
  S16 = 2,
  U32 = 4,
  S32 = 8,
  U64 = 16,
  S64 = 32,
  B16 = 64,
  B32 = 128,
  B64 = 256,
  NUM_KINDS = 9,
  SIGNED = S16 | S32 | S64,
  NUMBERS = U16 | U32 | U64 | SIGNED,
  NARROW = U16 | S16 | U32 | S32,
  LONG = U32 | S32 | U64 | S64,
  BITS = B16 | B32 | B64,
};

static uint64_t low_bits(const Kind *k, uint64_t x) {
  return k->bits == 64 ? x : x & ((UINT64_C(1) << k->bits) - 1);
}

static Wide number_of(const Kind *k, uint64_t x) {
  const Wide low = (Wide)low_bits(k, x);
  return k->is_signed && low >> (k->bits - 1) ? low - ((Wide)1 << k->bits)
                                              : low;
}

static int min_of(int64_t a, int64_t b) {
  return (int)(a < b ? a : b);
}

// -- Meaning of instructions -------------------------------------------------

// `result` is cut to the kind, or to twice its bits.
#define MEANS(name, result)                                                    \
  static uint64_t name(const Given *g) {                                       \
    return (uint64_t)(result);                                                 \
  }
MEANS(add, g->a + g->b)
MEANS(sub, g->a - g->b)
MEANS(mul_lo, (Bits)g->a *(Bits)g->b)
MEANS(mul_hi, (Bits)g->a *(Bits)g->b >> g->kind->bits)
MEANS(mad_lo, (Bits)g->a *(Bits)g->b + (Bits)g->c)
MEANS(mad_hi, ((Bits)g->a * (Bits)g->b >> g->kind->bits) + (Bits)g->c)
MEANS(mul_wide, g->a * g->b)
MEANS(least, g->a < g->b ? g->a : g->b)
MEANS(most, g->a > g->b ? g->a : g->b)
MEANS(absolute, g->a < 0 ? -g->a : g->a)
MEANS(negative, -g->a)
MEANS(sad, g->c + (g->a < g->b ? g->b - g->a : g->a - g->b))
MEANS(quotient, g->b ? g->a / g->b : 0)
MEANS(rest, g->b ? g->a % g->b : 0)
MEANS(both, g->x & g->y)
MEANS(either, g->x | g->y)
MEANS(one_of, g->x ^ g->y)
MEANS(inverse, ~g->x)
MEANS(is_zero, !g->x)
MEANS(left, g->rc >= (unsigned)g->kind->bits ? 0 : g->x << g->rc)
MEANS(right, g->a >> min_of(g->rc, g->kind->bits))
MEANS(chosen, g->odd ? g->x : g->y)
MEANS(by_sign, (int32_t)g->rc >= 0 ? g->x : g->y)
MEANS(is_eq, g->a == g->b)
MEANS(is_ne, g->a != g->b)
MEANS(is_lt, g->a < g->b)
MEANS(is_le, g->a <= g->b)
MEANS(is_gt, g->a > g->b)
MEANS(is_ge, g->a >= g->b)
MEANS(lt_and, g->a < g->b && g->odd)
MEANS(le_or, g->a <= g->b || g->odd)
MEANS(gt_xor, (g->a > g->b) != g->odd)
MEANS(ge_not, g->a >= g->b && !g->odd)
MEANS(second, (g->a < g->b && g->odd) | (uint64_t)(g->a >= g->b && g->odd) << 1)
MEANS(mask_lt, g->a < g->b ? 0xffffffff : 0)
MEANS(mask_ne_or, g->a != g->b || g->odd ? 0xffffffff : 0)
MEANS(funnel_left, ((uint64_t)g->rb << 32 | g->ra) << (g->rc & 31) >> 32)
MEANS(funnel_right, ((uint64_t)g->rb << 32 | g->ra) >> (g->rc & 31))
MEANS(clamped_left,
      ((Bits)((uint64_t)g->rb << 32 | g->ra) << min_of(g->rc, 32)) >> 32)
MEANS(clamped_right, ((uint64_t)g->rb << 32 | g->ra) >> min_of(g->rc, 32))

static uint64_t lop3(const Given *g, unsigned table) {
  uint64_t out = 0;
  for (int i = 0; i < 32; i++) {
    const uint64_t at =
        (g->x >> i & 1) << 2 | (g->y >> i & 1) << 1 | (g->z >> i & 1);
    out |= (uint64_t)(table >> at & 1) << i;
  }
  return out;
}

MEANS(table_e8, lop3(g, 0xe8))
MEANS(table_1b, lop3(g, 0x1b))
MEANS(table_72, lop3(g, 0x72))

static uint64_t ones(const Given *g) {
  uint64_t count = 0;
  for (int i = 0; i < g->kind->bits; i++) count += g->x >> i & 1;
  return count;
}

// The highest bit that differs from the sign; all ones if none does.
static uint64_t top(const Given *g) {
  const uint64_t x = g->a < 0 ? ~g->x : g->x;
  for (int i = g->kind->bits - 1; i >= 0; i--)
    if (x >> i & 1) return (uint64_t)i;
  return UINT32_MAX;
}

static uint64_t top_shift(const Given *g) {
  const uint64_t at = top(g);
  return at == UINT32_MAX ? at : (uint64_t)g->kind->bits - 1 - at;
}

static uint64_t zeros(const Given *g) {
  const uint64_t at = top(g);
  return (uint64_t)g->kind->bits - 1 - (at == UINT32_MAX ? UINT64_MAX : at);
}

static uint64_t reversed(const Given *g) {
  uint64_t out = 0;
  for (int i = 0; i < g->kind->bits; i++)
    out |= (g->x >> i & 1) << (g->kind->bits - 1 - i);
  return out;
}

// Bits from `at` on; past the top the sign, or zeros.
static uint64_t field_of(const Given *g, unsigned at, unsigned length) {
  const unsigned bits = (unsigned)g->kind->bits, end = at + length;
  const unsigned last = end - 1 < bits - 1 ? end - 1 : bits - 1;
  const bool sign = g->kind->is_signed && length && g->x >> last & 1;
  uint64_t out = 0;
  for (unsigned i = 0; i < bits; i++) {
    const bool bit = i < length && at + i < bits ? g->x >> (at + i) & 1 : sign;
    out |= (uint64_t)bit << i;
  }
  return out;
}

MEANS(field, field_of(g, g->rb & 255, g->rc & 255))
MEANS(field_5_9, field_of(g, 5, 9))
MEANS(field_30_7, field_of(g, 30, 7))

static uint64_t inserted(const Given *g) {
  const unsigned at = g->rc & 255, length = g->rc >> 8 & 255;
  uint64_t out = g->y;
  for (unsigned i = 0; i < length && at + i < (unsigned)g->kind->bits; i++) {
    const uint64_t bit = UINT64_C(1) << (at + i);
    out = g->x >> i & 1 ? out | bit : out & ~bit;
  }
  return out;
}

// By each half-byte of the third operand: one of the eight bytes, or its sign.
static uint64_t permuted(const Given *g) {
  const uint64_t bytes = (uint64_t)g->rb << 32 | g->ra;
  uint64_t out = 0;
  for (int i = 0; i < 4; i++) {
    const unsigned name = g->rc >> 4 * i & 15;
    uint64_t byte = bytes >> 8 * (name & 7) & 255;
    if (name & 8) byte = byte & 128 ? 255 : 0;
    out |= byte << 8 * i;
  }
  return out;
}

typedef unsigned ByteName(unsigned at, int i); // of the byte of the result
static uint64_t by_name(const Given *g, ByteName *name) {
  const uint64_t bytes = (uint64_t)g->rb << 32 | g->ra;
  uint64_t out = 0;
  for (int i = 0; i < 4; i++)
    out |= (bytes >> 8 * (name(g->rc & 3, i) & 7) & 255) << 8 * i;
  return out;
}

static unsigned forward(unsigned at, int i) {
  return at + (unsigned)i;
}
static unsigned backward(unsigned at, int i) {
  return at + 8 - (unsigned)i;
}
static unsigned same_byte(unsigned at, int i) {
  (void)i;
  return at;
}
static unsigned edge_left(unsigned at, int i) {
  return (unsigned)i < at ? at : (unsigned)i;
}
static unsigned edge_right(unsigned at, int i) {
  return (unsigned)i > at ? at : (unsigned)i;
}
static unsigned same_half(unsigned at, int i) {
  return (at & 1) * 2 + ((unsigned)i & 1);
}
MEANS(bytes_f4e, by_name(g, forward))
MEANS(bytes_b4e, by_name(g, backward))
MEANS(bytes_rc8, by_name(g, same_byte))
MEANS(bytes_ecl, by_name(g, edge_left))
MEANS(bytes_ecr, by_name(g, edge_right))
MEANS(bytes_rc16, by_name(g, same_half))

static int64_t part(uint32_t word, int at, int bits, bool is_signed) {
  const int64_t low = (int64_t)(word >> at) & ((1 << bits) - 1);
  return is_signed && low >> (bits - 1) ? low - (1 << bits) : low;
}

static uint64_t dots(const Given *g, int bits, int first, bool s, bool t) {
  int64_t sum = g->rc;
  for (int i = 0; i < 32 / bits; i++)
    sum += part(g->ra, bits * i, bits, s) * part(g->rb, first + 8 * i, 8, t);
  return (uint64_t)sum;
}
MEANS(dp4a_uu, dots(g, 8, 0, false, false))
MEANS(dp4a_us, dots(g, 8, 0, false, true))
MEANS(dp4a_su, dots(g, 8, 0, true, false))
MEANS(dp4a_ss, dots(g, 8, 0, true, true))
MEANS(dp2a_lo, dots(g, 16, 0, true, false))
MEANS(dp2a_hi, dots(g, 16, 16, false, true))

static Wide product24(const Given *g) {
  const Wide top = (Wide)1 << 24;
  Wide a = (Wide)(g->x & 0xffffff), b = (Wide)(g->y & 0xffffff);
  if (g->kind->is_signed && a >> 23) a -= top;
  if (g->kind->is_signed && b >> 23) b -= top;
  return a * b;
}
MEANS(mul24_lo, product24(g))
MEANS(mul24_hi, product24(g) >> 16)
MEANS(mad24_lo, product24(g) + g->c)
MEANS(mad24_hi, (product24(g) >> 16) + g->c)

// Whether the sum of three numbers has a carry out of the bits of the kind.
static bool carries(const Given *g, uint64_t x, uint64_t y, bool one) {
  return ((Bits)x + (Bits)y + one) >> g->kind->bits;
}

static uint64_t high_with_carry(const Given *g) {
  const Bits product = (Bits)g->a * (Bits)g->b;
  const bool one =
      carries(g, low_bits(g->kind, (uint64_t)product), g->z, false);
  return (uint64_t)((product >> g->kind->bits) + (Bits)g->c + one);
}
MEANS(carry_of_sum, carries(g, g->x, g->y, false))
MEANS(carry_again, carries(g, g->x, g->z, carries(g, g->x, g->y, false)))
MEANS(sum_with_carry, g->x + g->z + carries(g, g->x, g->y, false))
MEANS(rest_with_borrow, g->x - g->z - (g->x < g->y))
MEANS(borrow_again, -(Wide)((Bits)g->x < (Bits)g->z + (g->x < g->y)))

// -- Rows --------------------------------------------------------------------

typedef struct {
  int kinds;
  const char *ptx; // the last register that it writes is #0, %r0 or %d0
  char out;        // '#', 'r' or 'd'
  uint64_t (*means)(const Given *);
  bool divides; // by the second operand
} Row;

#define SETP(words, operands)                                                  \
  "setp." words ".@ %p2, #1, #2" operands "; selp.u32 %r0, 1, 0, %p2;"

static const Row rows[] = {
    {NUMBERS, "add.@ #0, #1, #2;", '#', add, false},
    {NUMBERS, "sub.@ #0, #1, #2;", '#', sub, false},
    {NUMBERS, "mul.lo.@ #0, #1, #2;", '#', mul_lo, false},
    {NUMBERS, "mul.hi.@ #0, #1, #2;", '#', mul_hi, false},
    {NUMBERS, "mad.lo.@ #0, #1, #2, #3;", '#', mad_lo, false},
    {NUMBERS, "mad.hi.@ #0, #1, #2, #3;", '#', mad_hi, false},
    {U16 | S16, "mul.wide.@ %r0, #1, #2;", 'r', mul_wide, false},
    {U32 | S32, "mul.wide.@ %d0, #1, #2;", 'd', mul_wide, false},
    {NUMBERS, "div.@ #0, #1, #2;", '#', quotient, true},
    {NUMBERS, "rem.@ #0, #1, #2;", '#', rest, true},
    {NUMBERS, "min.@ #0, #1, #2;", '#', least, false},
    {NUMBERS, "max.@ #0, #1, #2;", '#', most, false},
    {SIGNED, "abs.@ #0, #1;", '#', absolute, false},
    {SIGNED, "neg.@ #0, #1;", '#', negative, false},
    {NUMBERS, "sad.@ #0, #1, #2, #3;", '#', sad, false},
    {BITS, "and.@ #0, #1, #2;", '#', both, false},
    {BITS, "or.@ #0, #1, #2;", '#', either, false},
    {BITS, "xor.@ #0, #1, #2;", '#', one_of, false},
    {BITS, "not.@ #0, #1;", '#', inverse, false},
    {BITS, "cnot.@ #0, #1;", '#', is_zero, false},
    {BITS, "shl.@ #0, #1, %r3;", '#', left, false},
    {NUMBERS | BITS, "shr.@ #0, #1, %r3;", '#', right, false},
    {NUMBERS | BITS, "selp.@ #0, #1, #2, %p1;", '#', chosen, false},
    {NUMBERS | BITS, "slct.@.s32 #0, #1, #2, %r3;", '#', by_sign, false},
    {NUMBERS | BITS, SETP("eq", ""), 'r', is_eq, false},
    {NUMBERS | BITS, SETP("ne", ""), 'r', is_ne, false},
    {NUMBERS, SETP("lt", ""), 'r', is_lt, false},
    {NUMBERS, SETP("le", ""), 'r', is_le, false},
    {NUMBERS, SETP("gt", ""), 'r', is_gt, false},
    {NUMBERS, SETP("ge", ""), 'r', is_ge, false},
    {U16 | U32 | U64, SETP("lo", ""), 'r', is_lt, false},
    {U16 | U32 | U64, SETP("ls", ""), 'r', is_le, false},
    {U16 | U32 | U64, SETP("hi", ""), 'r', is_gt, false},
    {U16 | U32 | U64, SETP("hs", ""), 'r', is_ge, false},
    {NUMBERS, SETP("lt.and", ", %p1"), 'r', lt_and, false},
    {NUMBERS, SETP("le.or", ", %p1"), 'r', le_or, false},
    {NUMBERS, SETP("gt.xor", ", %p1"), 'r', gt_xor, false},
    {NUMBERS, SETP("ge.and", ", !%p1"), 'r', ge_not, false},
    {NUMBERS,
     "setp.lt.and.@ %p2|%p3, #1, #2, %p1; selp.u32 %r4, 1, 0, %p2;"
     "selp.u32 %r5, 2, 0, %p3; or.b32 %r0, %r4, %r5;",
     'r', second, false},
    {NUMBERS, "set.lt.u32.@ %r0, #1, #2;", 'r', mask_lt, false},
    {NUMBERS, "set.ne.or.s32.@ %r0, #1, #2, %p1;", 'r', mask_ne_or, false},
    {B32, "shf.l.wrap.b32 %r0, %r1, %r2, %r3;", 'r', funnel_left, false},
    {B32, "shf.r.wrap.b32 %r0, %r1, %r2, %r3;", 'r', funnel_right, false},
    {B32, "shf.l.clamp.b32 %r0, %r1, %r2, %r3;", 'r', clamped_left, false},
    {B32, "shf.r.clamp.b32 %r0, %r1, %r2, %r3;", 'r', clamped_right, false},
    {B32, "lop3.b32 %r0, %r1, %r2, %r3, 0xe8;", 'r', table_e8, false},
    {B32, "lop3.b32 %r0, %r1, %r2, %r3, 0x1b;", 'r', table_1b, false},
    {B32, "lop3.b32 %r0, %r1, %r2, %r3, 0x72;", 'r', table_72, false},
    {B32 | B64, "popc.@ %r0, #1;", 'r', ones, false},
    {B32 | B64, "clz.@ %r0, #1;", 'r', zeros, false},
    {B32 | B64, "brev.@ #0, #1;", '#', reversed, false},
    {LONG, "bfind.@ %r0, #1;", 'r', top, false},
    {LONG, "bfind.shiftamt.@ %r0, #1;", 'r', top_shift, false},
    {LONG, "bfe.@ #0, #1, %r2, %r3;", '#', field, false},
    {LONG, "bfe.@ #0, #1, 5, 9;", '#', field_5_9, false},
    {LONG, "bfe.@ #0, #1, 30, 7;", '#', field_30_7, false},
    {B32 | B64, "shr.u32 %r4, %r3, 8; bfi.@ #0, #1, #2, %r3, %r4;", '#',
     inserted, false},
    {B32, "prmt.b32 %r0, %r1, %r2, %r3;", 'r', permuted, false},
    {B32, "prmt.b32.f4e %r0, %r1, %r2, %r3;", 'r', bytes_f4e, false},
    {B32, "prmt.b32.b4e %r0, %r1, %r2, %r3;", 'r', bytes_b4e, false},
    {B32, "prmt.b32.rc8 %r0, %r1, %r2, %r3;", 'r', bytes_rc8, false},
    {B32, "prmt.b32.ecl %r0, %r1, %r2, %r3;", 'r', bytes_ecl, false},
    {B32, "prmt.b32.ecr %r0, %r1, %r2, %r3;", 'r', bytes_ecr, false},
    {B32, "prmt.b32.rc16 %r0, %r1, %r2, %r3;", 'r', bytes_rc16, false},
    {B32, "dp4a.u32.u32 %r0, %r1, %r2, %r3;", 'r', dp4a_uu, false},
    {B32, "dp4a.u32.s32 %r0, %r1, %r2, %r3;", 'r', dp4a_us, false},
    {B32, "dp4a.s32.u32 %r0, %r1, %r2, %r3;", 'r', dp4a_su, false},
    {B32, "dp4a.s32.s32 %r0, %r1, %r2, %r3;", 'r', dp4a_ss, false},
    {B32, "dp2a.lo.s32.u32 %r0, %r1, %r2, %r3;", 'r', dp2a_lo, false},
    {B32, "dp2a.hi.u32.s32 %r0, %r1, %r2, %r3;", 'r', dp2a_hi, false},
    {U32 | S32, "mul24.lo.@ #0, #1, #2;", '#', mul24_lo, false},
    {U32 | S32, "mul24.hi.@ #0, #1, #2;", '#', mul24_hi, false},
    {U32 | S32, "mad24.lo.@ #0, #1, #2, #3;", '#', mad24_lo, false},
    {U32 | S32, "mad24.hi.@ #0, #1, #2, #3;", '#', mad24_hi, false},
    {LONG, "add.cc.@ #4, #1, #2; addc.@ #0, 0, 0;", '#', carry_of_sum, false},
    {LONG, "add.cc.@ #4, #1, #2; addc.@ #0, #1, #3;", '#', sum_with_carry,
     false},
    {LONG, "sub.cc.@ #4, #1, #2; subc.@ #0, #1, #3;", '#', rest_with_borrow,
     false},
    {LONG, "add.cc.@ #4, #1, #2; addc.cc.@ #4, #1, #3; addc.@ #0, 0, 0;", '#',
     carry_again, false},
    {LONG, "sub.cc.@ #4, #1, #2; subc.cc.@ #4, #1, #3; subc.@ #0, 0, 0;", '#',
     borrow_again, false},
    {LONG, "mad.lo.cc.@ #4, #1, #2, #3; madc.hi.@ #0, #1, #2, #3;", '#',
     high_with_carry, false},
};

// -- Running -----------------------------------------------------------------

static const int64_t edges[] = {
    0,         1,         -1,        2,          3,          7,
    31,        32,        33,        63,         64,         -2,
    127,       128,       255,       256,        0x1234,     32767,
    32768,     -32768,    65535,     65536,      0x7fffff,   0x800000,
    0xffffff,  INT32_MAX, INT32_MIN, UINT32_MAX, 0x76543210, 0x0706050403020180,
    INT64_MAX, INT64_MIN};
enum { NUM_EDGES = 32, THREADS = NUM_EDGES * NUM_EDGES };

static uint64_t inputs[THREADS][3];

static void fill_inputs(void) {
  for (int t = 0; t < THREADS; t++) {
    inputs[t][0] = (uint64_t)edges[t / NUM_EDGES];
    inputs[t][1] = (uint64_t)edges[t % NUM_EDGES];
    inputs[t][2] = (uint64_t)edges[(t * 11 + t / NUM_EDGES * 5) % NUM_EDGES];
  }
}

static char letter(const Kind *k) {
  return k->bits == 16 ? 'h' : k->bits == 32 ? 'r' : 'd';
}

// The text of a row for a kind.
static void spell(const char *ptx, const Kind *k, char *out) {
  for (; *ptx; ptx++) {
    if (*ptx == '@')
      out += sprintf(out, "%s", k->name);
    else if (*ptx == '#')
      out += sprintf(out, "%%%c", letter(k));
    else
      *out++ = *ptx;
  }
  *out = 0;
}

static void make_body(const Row *row, const Kind *k, char *body) {
  const char out = row->out == '#' ? letter(k) : row->out;
  body += sprintf(body,
                  "mul.wide.u32 %%d90, %%t, 24; add.u64 %%d90, %%in, %%d90;"
                  "mul.wide.u32 %%d91, %%t, 8; add.u64 %%d91, %%out, %%d91;\n");
  for (int i = 1; i <= 3; i++)
    body += sprintf(body,
                    "ld.global.u64 %%d%d, [%%d90+%d]; cvt.u32.u64 %%r%d, %%d%d;"
                    "cvt.u16.u64 %%h%d, %%d%d;\n",
                    i, 8 * i - 8, i, i, i, i);
  body +=
      sprintf(body, "and.b32 %%r80, %%r3, 1; setp.ne.u32 %%p1, %%r80, 0;\n");
  spell(row->ptx, k, body);
  sprintf(body + strlen(body),
          "\n%s %%d92, %%%c0; st.global.u64 [%%d91], %%d92;",
          out == 'd'   ? "mov.u64"
          : out == 'h' ? "cvt.u64.u16"
                       : "cvt.u64.u32",
          out);
}

static Given given(const Kind *k, const uint64_t in[3]) {
  return (Given){.kind = k,
                 .a = number_of(k, in[0]),
                 .b = number_of(k, in[1]),
                 .c = number_of(k, in[2]),
                 .x = low_bits(k, in[0]),
                 .y = low_bits(k, in[1]),
                 .z = low_bits(k, in[2]),
                 .ra = (uint32_t)in[0],
                 .rb = (uint32_t)in[1],
                 .rc = (uint32_t)in[2],
                 .odd = in[2] & 1};
}

// The manual does not define a quotient by zero.
static bool is_defined(const Row *row, const Given *g) {
  const bool is_least =
      g->kind->is_signed && g->x == UINT64_C(1) << (g->kind->bits - 1);
  return !row->divides || (g->b && !(is_least && g->b == -1));
}

static uint64_t wanted_of(const Row *row, const Given *g) {
  const uint64_t wanted = row->means(g);
  return row->out == '#'   ? low_bits(g->kind, wanted)
         : row->out == 'r' ? (uint32_t)wanted
                           : wanted;
}

static void run_row(const Row *row, const Kind *k) {
  char body[2048];
  uint64_t out[THREADS];
  make_body(row, k, body);
  kit_map(kit_load_body(body), THREADS, inputs, sizeof inputs, out, sizeof out);
  for (int t = 0; t < THREADS; t++) {
    const Given g = given(k, inputs[t]);
    if (is_defined(row, &g) && out[t] != wanted_of(row, &g))
      fail_msg("%s of %s %llx, %llx, %llx: %llx, not %llx", row->ptx, k->name,
               (unsigned long long)g.x, (unsigned long long)g.y,
               (unsigned long long)inputs[t][2], (unsigned long long)out[t],
               (unsigned long long)wanted_of(row, &g));
  }
}

static void test_rows(void **state) {
  (void)state;
  fill_inputs();
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (int k = 0; k < NUM_KINDS; k++)
      if (rows[i].kinds >> k & 1) run_row(&rows[i], &kinds[k]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
