// axis_claims.h -- claims of an analysis about a value, against its elements.
#ifndef TILE_TESTS_AXIS_CLAIMS_H
#define TILE_TESTS_AXIS_CLAIMS_H

#include "passes/analysis/axis_info.h"

typedef struct {
  const Type *type;
  const int64_t *values;
  int64_t unit; // the sum added by counting up by one
  int64_t steps[MAX_RANK + 1];
} Claims;

static int64_t size_of(const Claims *c, int d) {
  return c->type->rank ? c->type->shape[d] : 1;
}

static void check_element(const Claims *c, const AxisInfo *info, int d,
                          int64_t at) {
  const int64_t i = at / c->steps[d] % size_of(c, d);
  const int64_t value = c->values[at];
  if (i % info->contiguity[d] == 0) {
    assert_int_equal(value % info->divisibility[d], 0);
  } else {
    assert_int_equal(value, c->values[at - c->steps[d]] + c->unit);
  }
  if (i % info->constancy[d]) {
    assert_int_equal(value, c->values[at - c->steps[d]]);
  }
  if (info->nonnegative) assert_true(value >= 0);
  if (info->known) assert_int_equal(value, info->value);
}

// Bits that the analysis claims of the results of each op.
static int claimed[OP_COUNT];

static int bits_of(int64_t power, int64_t limit) {
  int bits = 0;
  for (; power % 2 == 0 && (limit /= 2); power /= 2) bits++;
  return bits;
}

static void tally(const AxisInfo *info, OpKind kind, int d, int64_t size) {
  claimed[kind] +=
      bits_of(info->contiguity[d], size) + bits_of(info->constancy[d], size) +
      bits_of(info->divisibility[d], 64) + info->nonnegative + info->known;
}

static void check(const AxisInfo *info, const Type *type, const int64_t *values,
                  int64_t unit, OpKind kind) {
  Claims c = {.type = type, .values = values, .unit = unit};
  const int rank = type->rank ? type->rank : 1;
  int64_t step = 1;
  for (int d = rank - 1; d >= 0; d--) {
    c.steps[d] = step;
    step *= size_of(&c, d);
  }
  for (int d = 0; d < rank; d++) {
    tally(info, kind, d, size_of(&c, d));
    for (int64_t at = 0; at < type->num_elements; at++) {
      check_element(&c, info, d, at);
    }
  }
}

#endif
