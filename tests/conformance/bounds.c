// bounds.c -- is a device's result near enough?
#include "tests/conformance/conformance.h"

#include "ir/number.h"

#include <math.h>
#include <string.h>

typedef struct {
  OpKind op;
  int ulps32, ulps64;
  double absolute;
} Bound;

static const Bound bounds[] = {
#define BOUND(op, ulps32, ulps64, absolute) {OP_##op, ulps32, ulps64, absolute},
#include "tests/conformance/bounds.def"
};

static const Bound *find_bound(OpKind op) {
  for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
    if (bounds[i].op == op) return &bounds[i];
  }
  return NULL;
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

static double sum_allowance(const Case *c, double magnitude) {
  const int64_t terms = c->family == FAMILY_DOT     ? c->shape[2] + 1
                        : c->shape[0] > c->shape[1] ? c->shape[0]
                                                    : c->shape[1];
  // A dot may sum in f32; a reduction rounds to the type at each step.
  const bool wider = c->family == FAMILY_DOT && c->elem != ELEM_f64;
  const Elem elem = wider ? ELEM_f32 : c->elem;
  const double roundoff = ldexp(1, -elem_info[elem].mantissa_bits - 1);
  const double summed = 2 * (double)terms * roundoff * magnitude;
  return summed + unit(magnitude, c->elem); // and the last rounding
}

static double allowance(const Case *c, double want, double magnitude) {
  if (c->family == FAMILY_FUSED) return 2 * unit(magnitude, c->elem);
  if (is_sum(c)) return sum_allowance(c, magnitude);
  const Bound *bound = find_bound(c->op);
  if (!bound) return 0;
  const int ulps = c->elem == ELEM_f64   ? bound->ulps64
                   : c->elem == ELEM_f32 ? bound->ulps32
                                         : 1;
  return ulps * unit(want, c->elem) + bound->absolute;
}

bool case_agrees(const Case *c, uint64_t want, uint64_t got, double magnitude) {
  if (want == got) return true;
  if (!elem_info[c->elem].is_float) return false;
  const double x = float_decode(want, c->elem), y = float_decode(got, c->elem);
  // The product overflows only where it is rounded on its own.
  if (c->family == FAMILY_FUSED && isinf(magnitude)) return true;
  if (isnan(x) || isnan(y)) return isnan(x) && isnan(y);
  if (x == y) return is_sum(c) || c->family == FAMILY_REDUCE; // zeros
  const double allowed = allowance(c, x, magnitude);
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

// -- What is not supported ---------------------------------------------------

const Unsupported unsupported_table[] = {
#define UNSUPPORTED(device, op, elem, reason) {device, OP_##op, elem, reason},
#include "tests/conformance/unsupported.def"
    {"", OP_COUNT, ELEM_COUNT, NULL}};

int case_unsupported(const char *device, const Case *c) {
  for (int i = 0; unsupported_table[i].reason; i++) {
    const Unsupported *u = &unsupported_table[i];
    if (strncmp(u->device, device, strlen(u->device))) continue;
    if (u->op != c->op) continue;
    if (u->elem == ELEM_COUNT || u->elem == c->elem) return i;
  }
  return -1;
}
