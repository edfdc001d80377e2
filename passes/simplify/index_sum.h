// index_sum.h -- indices and addresses as sums of products.
//
// A tile's index is a sum of terms: a number, times scalars of the kernel,
// times, perhaps, the position along one axis of the tile.  Sums of indices are
// taken not to wrap.
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
  int axis;      // whose positions it counts, from 0; NO_AXIS
  int num_factors;
  Value *factors[INDEX_MAX_FACTORS];
} IndexTerm;

typedef struct {
  int count;
  IndexTerm terms[INDEX_MAX_TERMS]; // no two of the same factors and axis
} IndexSum;

// -- Sums --------------------------------------------------------------------

// False: there is no room.
bool index_add(IndexSum *to, const IndexTerm *term);
bool index_add_scaled(IndexSum *to, const IndexSum *from, int64_t scale);
// sum += x * y, of which at most one has an axis.
bool index_add_product(IndexSum *sum, const IndexTerm *x, const IndexTerm *y);
// Is `term` a multiple of `by`?
bool index_divide(const IndexTerm *term, const IndexTerm *by, IndexTerm *out);
// Is it a number?
bool index_is_constant(const IndexSum *sum, int64_t *out);
// The only term with that axis; NULL: there is none, or several.
const IndexTerm *index_along(const IndexSum *sum, int axis);
// Has the sum the same value in each trip of the loop whose body that is?
bool index_is_outside(const IndexSum *sum, const Block *body);
bool index_is_nonnegative(const AxisAnalysis *axes, const IndexSum *sum);

// The sum's value, of that integer type; it has no axes.
Value *index_build(Builder *b, const IndexSum *sum, const Type *type);

// -- Reading -----------------------------------------------------------------

// Holds where `left` is above 0; it has one axis.
typedef struct {
  IndexSum left;
  // The index that has it is another one where it does not hold.
  bool wraps;
} IndexBound;

typedef struct {
  const AxisAnalysis *analysis; // NULL will do for scalars
  int budget;                   // values that may still be looked at
  bool exact;                   // a narrow sum that is widened may have wrapped
  Value *start;                 // of an address
  int num_bounds;
  IndexBound bounds[INDEX_MAX_BOUNDS];
} IndexReader;

IndexReader index_reader(const AxisAnalysis *analysis);
// An index, or the address of an element from `start` on, and the bounds that
// make it what it is.  False: it has another form.
bool index_read(IndexReader *reader, Value *value, IndexSum *out);
// The bounds whose conjunction a mask is.
bool index_read_mask(IndexReader *reader, Value *mask);

#endif
