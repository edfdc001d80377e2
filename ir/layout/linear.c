// linear.c -- linear maps over GF(2), by Gaussian elimination.
//
// Elimination visits columns in input order and so decides for the lowest
// input bits: the result never depends on anything but the map.
#include "ir/linear.h"

#include <assert.h>
#include <string.h>

static int top_bit(uint32_t v) {
  return 31 - __builtin_clz(v);
}

LinearMap linear_identity(int num_bits) {
  LinearMap map = {.num_in = num_bits, .num_out = num_bits};
  for (int i = 0; i < num_bits; i++) map.column[i] = UINT32_C(1) << i;
  return map;
}

uint32_t linear_apply(const LinearMap *map, uint32_t x) {
  uint32_t y = 0;
  for (; x; x &= x - 1) y ^= map->column[__builtin_ctz(x)];
  return y;
}

LinearMap linear_compose(const LinearMap *outer, const LinearMap *inner) {
  assert(inner->num_out <= outer->num_in && "the maps do not meet"); // I4
  LinearMap map = {.num_in = inner->num_in, .num_out = outer->num_out};
  for (int i = 0; i < inner->num_in; i++) {
    map.column[i] = linear_apply(outer, inner->column[i]);
  }
  return map;
}

bool linear_equal(const LinearMap *a, const LinearMap *b) {
  return a->num_in == b->num_in && a->num_out == b->num_out &&
         !memcmp(a->column, b->column, sizeof a->column);
}

uint32_t subspace_reduce(const Subspace *space, uint32_t v) {
  // Pivots are not reduced by each other, so the bits are visited from the top.
  for (uint32_t left = v; left;) {
    const int i = top_bit(left);
    v ^= (v >> i & 1) ? space->pivot[i] : 0;
    left = v & ((UINT32_C(1) << i) - 1);
  }
  return v;
}

bool subspace_add(Subspace *space, uint32_t v) {
  v = subspace_reduce(space, v);
  if (!v) return false;
  assert(!space->pivot[top_bit(v)] && space->rank < LINEAR_MAX); // I4
  space->pivot[top_bit(v)] = v;
  space->rank++;
  return true;
}

uint32_t linear_free_bits(const LinearMap *map) {
  Subspace image = {0};
  uint32_t free_bits = 0;
  for (int i = 0; i < map->num_in; i++) {
    if (!subspace_add(&image, map->column[i])) free_bits |= UINT32_C(1) << i;
  }
  return free_bits;
}

int linear_rank(const LinearMap *map) {
  return map->num_in - __builtin_popcount(linear_free_bits(map));
}

bool linear_is_injective(const LinearMap *map) {
  return !linear_free_bits(map);
}

bool linear_is_surjective(const LinearMap *map) {
  return linear_rank(map) == map->num_out;
}

// An echelon form that records the origin of each pivot: pivot[i] is the image
// of from[i].
typedef struct {
  uint32_t pivots; // the bits that have a pivot
  uint32_t pivot[LINEAR_MAX], from[LINEAR_MAX];
} Echelon;

// Reduces *y as far as possible; returns the input whose image was subtracted.
static uint32_t take_off(const Echelon *echelon, uint32_t *y) {
  uint32_t x = 0;
  for (uint32_t left = *y & echelon->pivots; left;) {
    const int i = top_bit(left);
    *y ^= echelon->pivot[i];
    x ^= echelon->from[i];
    left = *y & echelon->pivots & ((UINT32_C(1) << i) - 1);
  }
  return x;
}

static Echelon eliminate(const LinearMap *map, uint32_t allowed) {
  Echelon echelon = {.pivots = 0};
  for (int i = 0; i < map->num_in; i++) {
    if (!(allowed >> i & 1)) continue;
    uint32_t y = map->column[i];
    const uint32_t x = take_off(&echelon, &y) ^ UINT32_C(1) << i;
    if (!y) continue;
    const int top = top_bit(y);
    assert(!(echelon.pivots >> top & 1) && "two pivots with one top bit"); // I4
    echelon.pivots |= UINT32_C(1) << top;
    echelon.pivot[top] = y;
    echelon.from[top] = x;
  }
  return echelon;
}

LinearMap linear_inverse(const LinearMap *map) {
  const Echelon echelon = eliminate(map, UINT32_MAX);
  LinearMap inverse = {.num_in = map->num_out, .num_out = map->num_in};
  // For an output that is not reachable, the reachable part counts.
  for (int i = 0; i < map->num_out; i++) {
    uint32_t y = UINT32_C(1) << i;
    inverse.column[i] = take_off(&echelon, &y);
  }
  return inverse;
}

bool linear_solve(const LinearMap *map, uint32_t allowed, uint32_t y,
                  uint32_t *x) {
  const Echelon echelon = eliminate(map, allowed);
  *x = take_off(&echelon, &y);
  return !y;
}

int linear_kernel(const LinearMap *map, uint32_t kernel[LINEAR_MAX]) {
  const LinearMap inverse = linear_inverse(map);
  int count = 0;
  for (uint32_t bits = linear_free_bits(map); bits; bits &= bits - 1) {
    const int i = __builtin_ctz(bits);
    const uint32_t same = linear_apply(&inverse, map->column[i]);
    kernel[count++] = same ^ UINT32_C(1) << i;
  }
  return count;
}

int subspace_basis(const Subspace *space, uint32_t basis[LINEAR_MAX]) {
  int count = 0;
  for (int i = 0; i < LINEAR_MAX; i++) {
    const uint32_t top = UINT32_C(1) << i;
    if (!space->pivot[i]) continue;
    basis[count++] = top | subspace_reduce(space, space->pivot[i] ^ top);
  }
  return count;
}

// The vectors of `b` that are 0 modulo `a`.
Subspace subspace_intersect(const Subspace *a, const Subspace *b) {
  LinearMap inside = {.num_out = LINEAR_MAX}, modulo = {.num_out = LINEAR_MAX};
  inside.num_in = modulo.num_in = subspace_basis(b, inside.column);
  for (int i = 0; i < inside.num_in; i++) {
    modulo.column[i] = subspace_reduce(a, inside.column[i]);
  }
  Subspace both = {0};
  uint32_t kernel[LINEAR_MAX];
  const int count = linear_kernel(&modulo, kernel);
  for (int i = 0; i < count; i++) {
    subspace_add(&both, linear_apply(&inside, kernel[i]));
  }
  return both;
}
