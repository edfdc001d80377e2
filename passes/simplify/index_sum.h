// index_sum.h -- indices and addresses as sums of products.
//
// A tile's index is a sum of terms: a number times scalars of the kernel and,
// perhaps, times the position along one axis of the tile.  Sums of indices are
// assumed not to wrap.
//
// Example: pid * 128 + i * stride, with i the position along axis 0, has the
// terms 128 * pid and 1 * stride * axis 0.
#ifndef TILE_PASSES_INDEX_SUM_H
#define TILE_PASSES_INDEX_SUM_H

#include "ir/builder.h"
#include "passes/analysis/analysis.h"

enum {
  INDEX_MAX_FACTORS = 4,
  INDEX_MAX_TERMS = 16,
  INDEX_MAX_AXES = 4,
  INDEX_MAX_BOUNDS = 8,
  NO_AXIS = -1,
};

typedef struct {
  int64_t scale; // not 0
  int axis;      // the axis of its positions, from 0; or NO_AXIS
  int num_factors;
  Value *factors[INDEX_MAX_FACTORS];
} IndexTerm;

typedef struct {
  int count;
  IndexTerm terms[INDEX_MAX_TERMS]; // no two with the same factors and axis
} IndexSum;

// -- Sums --------------------------------------------------------------------

// False if there is no room.
bool index_add(IndexSum *to, const IndexTerm *term);
bool index_add_scaled(IndexSum *to, const IndexSum *from, int64_t scale);
// sum += x * y, at most one of which has an axis.
bool index_add_product(IndexSum *sum, const IndexTerm *x, const IndexTerm *y);
// Is `term` a multiple of `by`?  `out` is the quotient.
bool index_divide(const IndexTerm *term, const IndexTerm *by, IndexTerm *out);
// Is the sum a number?
bool index_is_constant(const IndexSum *sum, int64_t *out);
// The only term with that axis; NULL if there is none, or several.
const IndexTerm *index_along(const IndexSum *sum, int axis);
// Has the sum the same value in each trip of the loop with that body?
bool index_is_outside(const IndexSum *sum, const Block *body);
bool index_is_nonnegative(const AxisAnalysis *axes, const IndexSum *sum);

// The sum's value, of that integer type; it has no axes.
Value *index_build(Builder *b, const IndexSum *sum, const Type *type);

// -- Reading -----------------------------------------------------------------

// A condition: `left`, which has one axis, is above 0.
typedef struct {
  IndexSum left;
  // The index with this bound has another value where the bound is false.
  bool wraps;
} IndexBound;

typedef struct {
  const AxisAnalysis *analysis; // may be NULL for scalars
  int budget;                   // number of values that may still be visited
  bool exact;                   // a narrow sum that is extended may have
                                // wrapped
  Value *start;                 // of an address
  int num_bounds;
  IndexBound bounds[INDEX_MAX_BOUNDS];
} IndexReader;

IndexReader index_reader(const AxisAnalysis *analysis);
// The form of an index, or of the address of an element from `start` on, with
// the bounds under which it is valid.  False: it has another form.
bool index_read(IndexReader *reader, Value *value, IndexSum *out);
// Reads the bounds of which a mask is the conjunction.
bool index_read_mask(IndexReader *reader, Value *mask);

#endif
