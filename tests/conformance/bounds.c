// bounds.c -- is the result of a device near enough?
#include "tests/conformance/conformance.h"

#include "ir/number.h"

#include <math.h>
#include <string.h>

typedef struct {
  OpKind op;
  int ulps32, ulps64, per_argument;
  double absolute;
} Bound;

#define BOUND(op, ulps32, ulps64, absolute)                                    \
  {OP_##op, ulps32, ulps64, 0, absolute},
#define GPU_BOUND(op, ulps32, per_argument, absolute)
static const Bound bounds[] = {
#include "tests/conformance/bounds.def"
};

#define BOUND(op, ulps32, ulps64, absolute)
#define GPU_BOUND(op, ulps32, per_argument, absolute)                          \
  {OP_##op, ulps32, 0, per_argument, absolute},
static const Bound gpu_bounds[] = {
#include "tests/conformance/bounds.def"
};

static const Bound *find_in(const Bound *table, size_t count, OpKind op) {
  for (size_t i = 0; i < count; i++) {
    if (table[i].op == op) return &table[i];
  }
  return NULL;
}

static const Bound *find_gpu_bound(const Case *c) {
  if (c->elem == ELEM_f64) return NULL;
  return find_in(gpu_bounds, sizeof gpu_bounds / sizeof *gpu_bounds, c->op);
}

static const Bound *find_bound(const Case *c, bool on_gpu) {
  const Bound *bound = on_gpu ? find_gpu_bound(c) : NULL;
  if (bound) return bound;
  return find_in(bounds, sizeof bounds / sizeof *bounds, c->op);
}

bool case_may_flush(const Case *c) {
  return find_gpu_bound(c) != NULL;
}

// One unit in the last place at x.
static double unit(double x, Elem elem) {
  const int smallest = 2 - (1 << (elem_info[elem].exponent_bits - 1));
  int exponent;
  frexp(x, &exponent);
  if (x == 0 || exponent - 1 < smallest) exponent = smallest + 1;
  return ldexp(1, exponent - 1 - elem_info[elem].mantissa_bits);
}

static bool is_sum(const Case *c) {
  return c->family == FAMILY_DOT ||
         (c->family == FAMILY_REDUCE &&
          (c->variant == OP_addf || c->variant == OP_mulf));
}

// The relative error that a GPU's product of two f32 may have.  With tf32 the
// interpreter computes the same as the device, `case_reference`.  With two
// parts, each rounded (2^-11), the product of the second parts is dropped,
// 2^-22, and rounding them costs 2^-22 twice; bf16 has 8 bits, so the same with
// 2^-18, and with three parts four such terms of 2^-27.
static double product_error(const Case *c) {
  if (c->family != FAMILY_DOT || c->from != ELEM_f32) return 0;
  switch ((Precision)c->variant) {
  case PRECISION_tf32x3: return 0x1.81p-21;
  case PRECISION_bf16x3: return 0x1.81p-17;
  case PRECISION_bf16x6: return 0x1.01p-25;
  default: return 0;
  }
}

static int log2_of(int64_t n) {
  int log2 = 0;
  while (INT64_C(1) << log2 < n) log2++;
  return log2;
}

// The number of roundings of one term of a sum, or of a whole product.  On the
// host a scan is a tree (codegen/host/scan.c).
static double roundings(const Case *c, bool on_gpu) {
  if (c->family == FAMILY_DOT) return (double)c->shape[2] + 1;
  const int64_t most = c->shape[0] > c->shape[1] ? c->shape[0] : c->shape[1];
  const bool is_tree = c->op == OP_scan && c->variant == OP_addf && !on_gpu;
  return is_tree ? 2 * log2_of(most) + 1 : (double)most;
}

static double sum_allowance(const Case *c, double magnitude, bool on_gpu) {
  const double terms = roundings(c, on_gpu);
  // A dot may sum in f32; a reduction rounds to the type at each step.
  const bool wider = c->family == FAMILY_DOT && c->elem != ELEM_f64;
  const Elem elem = wider ? ELEM_f32 : c->elem;
  const double roundoff = ldexp(1, -elem_info[elem].mantissa_bits - 1);
  const double summed = 2 * terms * roundoff * magnitude;
  const double products = on_gpu ? product_error(c) * magnitude : 0;
  return products + summed + unit(magnitude, c->elem); // the last rounding
}

static double allowance(const Case *c, double want, const Expected *expected) {
  if (c->family == FAMILY_FUSED) return 2 * unit(expected->magnitude, c->elem);
  if (is_sum(c)) return sum_allowance(c, expected->magnitude, expected->on_gpu);
  const Bound *bound = find_bound(c, expected->on_gpu);
  if (!bound) return 0;
  int ulps = c->elem == ELEM_f64   ? bound->ulps64
             : c->elem == ELEM_f32 ? bound->ulps32
                                   : 1;
  if (c->elem == ELEM_f32 && bound->per_argument && want > 0)
    ulps += (int)ceil(bound->per_argument * fabs(log(want)));
  return ulps * unit(want, c->elem) + bound->absolute;
}

bool case_agrees(const Case *c, const Expected *expected, uint64_t got) {
  const uint64_t want = expected->value;
  if (want == got) return true;
  if (!elem_info[c->elem].is_float) return false;
  const double x = float_decode(want, c->elem), y = float_decode(got, c->elem);
  // The product overflows only where it is rounded on its own.
  if (c->family == FAMILY_FUSED && isinf(expected->magnitude)) return true;
  if (isnan(x) || isnan(y)) return isnan(x) && isnan(y);
  if (x == y) // zeros; a product that is rounded to 0 keeps its sign in a sum
    return is_sum(c) || c->family == FAMILY_REDUCE || expected->is_product;
  const double allowed = allowance(c, x, expected);
  if (isinf(x) != isinf(y)) { // overflow may come one rounding earlier
    const double finite = isinf(x) ? y : x;
    return allowed > 0 &&
           fabs(finite) + allowed >
               float_decode(float_encode(fabs(finite), c->elem), c->elem) &&
           fabs(finite) >
               ldexp(1, (1 << (elem_info[c->elem].exponent_bits - 1)) - 2);
  }
  return fabs(x - y) <= allowed;
}

// -- Unsupported cases -------------------------------------------------------

const Unsupported unsupported_table[] = {
#define UNSUPPORTED(device, op, elem, reason) {device, OP_##op, elem, reason},
#include "tests/conformance/unsupported.def"
    {"", OP_COUNT, ELEM_COUNT, NULL}};

int case_unsupported(const char *device, const Case *c) {
  for (int i = 0; unsupported_table[i].reason; i++) {
    const Unsupported *u = &unsupported_table[i];
    if (strncmp(u->device, device, strlen(u->device))) continue;
    if (u->op != c->op) continue;
    const Elem elem = c->family == FAMILY_DOT ? c->from : c->elem;
    if (u->elem == ELEM_COUNT || u->elem == elem) return i;
  }
  return -1;
}
