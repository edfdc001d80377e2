// number.c -- floating-point formats and exact rounding.
#include "runtime/simulator/number/number.h"

#include <assert.h>
#include <fenv.h>
#include <math.h>

static const Format half = {5, 10, 15, 0x7bff, 0x7c00, 0x7fff};
static const Format bfloat = {8, 7, 127, 0x7f7f, 0x7f80, 0x7fff};
static const Format single = {8, 23, 127, 0x7f7fffff, 0x7f800000, 0x7fffffff};
static const Format tf32 = {8, 10, 127, 0x3fbff, 0x3fc00, 0x3ffff};
static const Format e4m3 = {4, 3, 7, 0x7e, 0x7f, 0x7f};
static const Format e5m2 = {5, 2, 15, 0x7b, 0x7c, 0x7f};

const Format *format_of(TypeId type) {
  switch (type) {
  case TYPE_F16:
  case TYPE_F16X2: return &half;
  case TYPE_BF16:
  case TYPE_BF16X2: return &bfloat;
  case TYPE_F32: return &single;
  case TYPE_TF32: return &tf32;
  case TYPE_E4M3:
  case TYPE_E4M3X2: return &e4m3;
  case TYPE_E5M2:
  case TYPE_E5M2X2: return &e5m2;
  default: return NULL;
  }
}

static uint32_t sign_bit(const Format *f) {
  return UINT32_C(1) << (f->exponent_bits + f->mantissa_bits);
}

static double power_of_two(int exponent) {
  return double_from_bits((uint64_t)(exponent + 1023) << 52);
}

// The exponent of a number that is not zero; for a subnormal double a value
// below all formats.
static int exponent_of(double magnitude) {
  return (int)(bits_from_double(magnitude) >> 52) - 1023;
}

double format_decode(const Format *f, uint32_t bits) {
  const uint32_t sign = bits & sign_bit(f), rest = bits & (sign_bit(f) - 1);
  double value;
  if (rest > f->largest)
    value = rest == f->infinity && f != &e4m3 ? (double)INFINITY : (double)NAN;
  else {
    const int exponent = (int)(rest >> f->mantissa_bits);
    const uint32_t one = UINT32_C(1) << f->mantissa_bits;
    const uint32_t fraction = rest & (one - 1);
    const int scale = (exponent ? exponent : 1) - f->bias - f->mantissa_bits;
    value =
        (double)(exponent ? one + fraction : fraction) * power_of_two(scale);
  }
  return sign ? -value : value;
}

// Whether the magnitude `whole` + `rest` is rounded up to the next whole
// number.
static bool goes_up(uint64_t whole, double rest, bool negative, WordId round) {
  switch (round) {
  case WORD_RZ: return false;
  case WORD_RM: return negative && rest > 0;
  case WORD_RP: return !negative && rest > 0;
  case WORD_RNA: return rest >= 0.5;
  default: return rest > 0.5 || (rest == 0.5 && (whole & 1));
  }
}

static uint32_t overflow(const Format *f, bool negative, WordId round,
                         bool saturate_finite) {
  const bool stays = round == WORD_RZ || (round == WORD_RM && !negative) ||
                     (round == WORD_RP && negative);
  return stays || saturate_finite ? f->largest : f->infinity;
}

// Rounds to nearest even.  A number below the normal range is added to one
// whose last bit has the weight of the subnormals' last bit, so that the
// addition rounds it.
static uint32_t encode_nearest(const Format *f, double magnitude) {
  const int unit = 1 - f->bias - f->mantissa_bits, cut = 52 - f->mantissa_bits;
  const uint64_t whole = bits_from_double(magnitude);
  uint64_t bits;
  if (magnitude < power_of_two(1 - f->bias)) {
    const double base = power_of_two(52 + unit);
    bits = bits_from_double(base + magnitude) - bits_from_double(base);
  } else {
    const uint64_t tie = UINT64_C(1) << (cut - 1), odd = whole >> cut & 1;
    bits = ((whole + tie - 1 + odd) >> cut) -
           ((uint64_t)(1023 - f->bias) << f->mantissa_bits);
  }
  return bits > f->largest ? f->infinity : (uint32_t)bits;
}

uint32_t format_encode(const Format *f, double value, WordId round,
                       bool saturate_finite) {
  if (isnan(value)) return f->nan;
  const bool negative = signbit(value);
  const uint32_t sign = negative ? sign_bit(f) : 0;
  const double magnitude = fabs(value);
  if (isinf(value)) return sign | (saturate_finite ? f->largest : f->infinity);
  if (magnitude == 0) return sign;
  if (round <= WORD_RN && !saturate_finite)
    return sign | encode_nearest(f, magnitude);
  int quantum = exponent_of(magnitude);
  if (quantum < 1 - f->bias) quantum = 1 - f->bias;
  quantum -= f->mantissa_bits;
  const double scaled = magnitude * power_of_two(-quantum);
  const uint64_t whole = (uint64_t)scaled;
  const uint64_t n =
      whole + goes_up(whole, scaled - (double)whole, negative, round);
  assert(n <= UINT64_C(2) << f->mantissa_bits &&
         "more bits than there are"); // I1
  const int64_t biased = quantum + f->mantissa_bits + f->bias;
  const uint64_t bits = ((uint64_t)biased << f->mantissa_bits) + n -
                        (UINT64_C(1) << f->mantissa_bits);
  if (bits > f->largest)
    return sign | overflow(f, negative, round, saturate_finite);
  return sign | (uint32_t)bits;
}

// The error of the rounded sum is itself a double (Knuth's two-sum); if it is
// not zero and the sum is even, the neighbour in its direction is odd.
double odd_add(double a, double b) {
  const double sum = a + b;
  if (!isfinite(sum)) return sum;
  const double back = sum - a;
  const double error = (a - (sum - back)) + (b - back);
  uint64_t bits = bits_from_double(sum);
  if (error == 0 || bits & 1) return sum;
  const bool away = (error > 0) == (sum > 0);
  bits = away ? bits + 1 : bits - 1;
  return double_from_bits(bits);
}

double odd_integer(uint64_t magnitude, bool negative) {
  uint64_t kept = magnitude;
  int shift = 0;
  while (kept >> 53) {
    kept = kept >> 1 | (kept & 1);
    shift++;
  }
  const double value = ldexp((double)kept, shift);
  return negative ? -value : value;
}

float flush_float(float value) {
  const uint32_t bits = bits_from_float(value);
  return bits & 0x7f800000 ? value : float_from_bits(bits & 0x80000000);
}

uint16_t float_to_half(float value) {
  return (uint16_t)format_encode(&half, (double)value, WORD_RN, false);
}

double round_integral(double value, WordId round) {
  switch (round) {
  case WORD_RZI: return trunc(value);
  case WORD_RMI: return floor(value);
  case WORD_RPI: return ceil(value);
  default: return rint(value);
  }
}

int host_round(WordId round) {
  switch (round) {
  case WORD_RZ: return FE_TOWARDZERO;
  case WORD_RM: return FE_DOWNWARD;
  case WORD_RP: return FE_UPWARD;
  default: return FE_TONEAREST;
  }
}

double fma_in_mode(double a, double b, double c) {
  return fma(a, b, c);
}
