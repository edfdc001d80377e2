// index_sum.c -- sums of products: arithmetic, and building their code.
#include "passes/simplify/index_sum.h"

#include <assert.h>

// -- Terms -------------------------------------------------------------------

// Removes the factor from the term; false: the term lacks it.
static bool take_factor(IndexTerm *term, const Value *factor) {
  for (int i = 0; i < term->num_factors; i++) {
    if (term->factors[i] != factor) continue;
    term->factors[i] = term->factors[--term->num_factors];
    return true;
  }
  return false;
}

static bool take_factors(IndexTerm *term, const IndexTerm *by) {
  for (int i = 0; i < by->num_factors; i++) {
    if (!take_factor(term, by->factors[i])) return false;
  }
  return true;
}

static bool is_alike(const IndexTerm *x, const IndexTerm *y) {
  IndexTerm rest = *x;
  return x->axis == y->axis && take_factors(&rest, y) && !rest.num_factors;
}

static bool in_range(int64_t x) {
  const int64_t most = INT64_C(1) << 31;
  return x >= -most && x <= most;
}

bool index_divide(const IndexTerm *term, const IndexTerm *by, IndexTerm *out) {
  assert(by->scale && "a term of a sum is not 0"); // I10
  *out = *term;
  if (by->axis != NO_AXIS || term->scale % by->scale) return false;
  out->scale /= by->scale;
  return take_factors(out, by);
}

// -- Sums --------------------------------------------------------------------

bool index_add(IndexSum *to, const IndexTerm *term) {
  assert(to->count <= INDEX_MAX_TERMS);           // I10
  assert(term->num_factors <= INDEX_MAX_FACTORS); // I10
  for (int i = 0; i < to->count; i++) {
    IndexTerm *own = &to->terms[i];
    if (!is_alike(own, term)) continue;
    own->scale += term->scale;
    if (!own->scale) *own = to->terms[--to->count];
    return in_range(own->scale);
  }
  if (!term->scale) return true;
  if (to->count == INDEX_MAX_TERMS || !in_range(term->scale)) return false;
  to->terms[to->count++] = *term;
  return true;
}

bool index_add_scaled(IndexSum *to, const IndexSum *from, int64_t scale) {
  for (int i = 0; i < from->count; i++) {
    IndexTerm term = from->terms[i];
    if (!in_range(scale)) return false;
    term.scale *= scale;
    if (!index_add(to, &term)) return false;
  }
  return true;
}

bool index_add_product(IndexSum *sum, const IndexTerm *x, const IndexTerm *y) {
  IndexTerm term = *x;
  const int count = x->num_factors + y->num_factors;
  if ((x->axis != NO_AXIS && y->axis != NO_AXIS) || count > INDEX_MAX_FACTORS)
    return false;
  if (y->axis != NO_AXIS) term.axis = y->axis;
  term.scale *= y->scale;
  for (int i = 0; i < y->num_factors; i++)
    term.factors[term.num_factors++] = y->factors[i];
  return index_add(sum, &term);
}

bool index_is_constant(const IndexSum *sum, int64_t *out) {
  *out = sum->count ? sum->terms[0].scale : 0;
  return !sum->count || (sum->count == 1 && !sum->terms[0].num_factors &&
                         sum->terms[0].axis == NO_AXIS);
}

const IndexTerm *index_along(const IndexSum *sum, int axis) {
  const IndexTerm *found = NULL;
  for (int i = 0; i < sum->count; i++) {
    if (sum->terms[i].axis != axis) continue;
    if (found) return NULL;
    found = &sum->terms[i];
  }
  return found;
}

bool index_is_outside(const IndexSum *sum, const Block *body) {
  for (int i = 0; i < sum->count; i++) {
    const IndexTerm *term = &sum->terms[i];
    for (int k = 0; k < term->num_factors; k++) {
      if (!value_is_outside(term->factors[k], body)) return false;
    }
  }
  return true;
}

bool index_is_nonnegative(const AxisAnalysis *axes, const IndexSum *sum) {
  for (int i = 0; i < sum->count; i++) {
    const IndexTerm *term = &sum->terms[i];
    if (term->scale < 0) return false;
    for (int k = 0; k < term->num_factors; k++) {
      if (!axis_info(axes, term->factors[k])->nonnegative) return false;
    }
  }
  return true;
}

// -- Code --------------------------------------------------------------------

static Value *build_factor(Builder *b, Value *value, const Type *type) {
  return value->type == type ? value : build_extsi(b, type, value);
}

static Value *build_term(Builder *b, const IndexTerm *term, const Type *type) {
  Value *product = NULL;
  for (int i = 0; i < term->num_factors; i++) {
    Value *factor = build_factor(b, term->factors[i], type);
    product = product ? build_muli(b, type, product, factor) : factor;
  }
  if (!product) return build_int(b, type, term->scale);
  if (term->scale == 1) return product;
  return build_muli(b, type, product, build_int(b, type, term->scale));
}

Value *index_build(Builder *b, const IndexSum *sum, const Type *type) {
  Value *total = NULL;
  for (int i = 0; i < sum->count; i++) {
    assert(sum->terms[i].axis == NO_AXIS && "a tile is no number"); // I9
    Value *term = build_term(b, &sum->terms[i], type);
    total = total ? build_addi(b, type, total, term) : term;
  }
  return total ? total : build_int(b, type, 0);
}
