// linear.h -- linear maps over GF(2): the arithmetic of layouts.
//
// Vectors are words, bit i is coordinate i, addition is XOR.  A map is the
// list of its columns, so map(x) is the XOR of column[i] over the bits of x.
// Everything is a small value: no allocation, no failure.
#ifndef TILE_IR_LINEAR_H
#define TILE_IR_LINEAR_H

#include <stdbool.h>
#include <stdint.h>

enum { LINEAR_MAX = 32 };

typedef struct {
  int num_in, num_out;         // at most LINEAR_MAX each
  uint32_t column[LINEAR_MAX]; // zero from num_in on
} LinearMap;

// -- Integers ----------------------------------------------------------------

static inline int int_min(int a, int b) {
  return a < b ? a : b;
}
static inline int int_max(int a, int b) {
  return a > b ? a : b;
}
static inline int64_t int64_min(int64_t a, int64_t b) {
  return a < b ? a : b;
}
static inline int64_t int64_max(int64_t a, int64_t b) {
  return a > b ? a : b;
}
// `x`, or `most` if `x` is larger.
static inline int int_at_most(int64_t x, int most) {
  return x < most ? (int)x : most;
}
// The highest bit of n, which is at least 1.
static inline int floor_log2(int64_t n) {
  int log2 = 0;
  while (n >> (log2 + 1)) log2++;
  return log2;
}

// -- Maps --------------------------------------------------------------------

// Is the sum of the coordinates of x, modulo 2, 1?
static inline bool linear_parity(uint64_t x) {
  return __builtin_popcountll(x) & 1;
}

LinearMap linear_identity(int num_bits);
uint32_t linear_apply(const LinearMap *map, uint32_t x);
// outer(inner(x)).
LinearMap linear_compose(const LinearMap *outer, const LinearMap *inner);
bool linear_equal(const LinearMap *a, const LinearMap *b);

int linear_rank(const LinearMap *map);
bool linear_is_injective(const LinearMap *map);
bool linear_is_surjective(const LinearMap *map);
// The input bits whose column is a sum of earlier columns: fixing them to 0
// loses no output and makes the map injective.
uint32_t linear_free_bits(const LinearMap *map);

// A map g with map(g(map(x))) = map(x), that never sets a free bit: the
// inverse of a bijection, a right inverse of a surjective map, a left inverse
// of an injective one.
LinearMap linear_inverse(const LinearMap *map);

// An x with map(x) = y that sets only bits of `allowed`, low bits preferred;
// false if there is none.
bool linear_solve(const LinearMap *map, uint32_t allowed, uint32_t y,
                  uint32_t *x);

// The kernel: independent vectors that span it; returns their number.
int linear_kernel(const LinearMap *map, uint32_t kernel[LINEAR_MAX]);

// A subspace: `pivot[i]` is the vector whose highest bit is i, or 0.
typedef struct {
  int rank;
  uint32_t pivot[LINEAR_MAX];
} Subspace;

// The remainder of `v` modulo the space; 0 exactly when it is inside.
uint32_t subspace_reduce(const Subspace *space, uint32_t v);
// True if `v` was outside and the space has grown.
bool subspace_add(Subspace *space, uint32_t v);
// The reduced basis, in which no vector has the leading bit of another, lowest
// first.
int subspace_basis(const Subspace *space, uint32_t basis[LINEAR_MAX]);
Subspace subspace_intersect(const Subspace *a, const Subspace *b);
static inline bool subspace_has(const Subspace *space, uint32_t v) {
  return !subspace_reduce(space, v);
}

#endif
