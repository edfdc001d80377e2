// ints.h -- the smaller and the larger of two integers.
#ifndef TILE_IR_BASE_INTS_H
#define TILE_IR_BASE_INTS_H

#include <stdint.h>

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

#endif
