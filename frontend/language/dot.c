// dot.c -- matrix products.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/language/language.h"
#include "frontend/module/program.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

enum { A, B, ACC, PRECISION, TF32, IMPRECISE, OUT, TRANS_A, TRANS_B };

static const char *const precisions[] = {
#define PRECISION_WORD(word, value) word,
#include "frontend/language/choices.def"
    NULL};
enum { TF32_WORD = 1, IEEE_WORD };
static const Precision precision_of[] = {
#define PRECISION_WORD(word, value) value,
#include "frontend/language/choices.def"
};

static bool check_dtype(Walk *w, const BuiltinCall *c, int n, const Object *x) {
  switch (x->as.tensor.dtype.id) {
  case DTYPE_INT8:
  case DTYPE_FP8E5:
  case DTYPE_FP8E4NV:
  case DTYPE_FP8E4B15:
  case DTYPE_FP16:
  case DTYPE_BF16:
  case DTYPE_FP32:
  case DTYPE_FP64:
    if (!x->as.tensor.dtype.is_pointer) return true;
    break;
  default: break;
  }
  return diag_error(w->diags, c->locs[n], ERROR_dot_does_not_multiply,
                    text_of(w, x));
}

static const Object *operand(Walk *w, const BuiltinCall *c, int n) {
  const Object *x = argument_tensor(w, c, n);
  bool swapped;
  if (!x || !check_dtype(w, c, n, x) ||
      !argument_bool(w, c, n == A ? TRANS_A : TRANS_B, false, &swapped))
    return NULL;
  if (object_type(x)->rank >= 2) return swapped ? tensor_swap_last(w, x) : x;
  return walk_error(w, c->locs[n], ERROR_dot_dimensions, text_of(w, x));
}

static bool check_same(Walk *w, const BuiltinCall *c, const Object *a,
                       const Object *b) {
  const Dtype s = a->as.tensor.dtype, t = b->as.tensor.dtype;
  if (dtype_equal(s, t) || (dtype_is_fp8(s) && dtype_is_fp8(t))) return true;
  return diag_error(w->diags, c->loc, ERROR_dot_types_differ,
                    dtype_text(w->arena, s), dtype_text(w->arena, t),
                    text_of(w, a), text_of(w, b));
}

static bool differ(Walk *w, const BuiltinCall *c, const Object *a,
                   const Object *b, const char *what, int64_t x, int64_t y) {
  return diag_error(w->diags, c->loc, ERROR_dot_shapes, text_of(w, a),
                    text_of(w, b), what, (long long)x, (long long)y);
}

static bool check_sizes(Walk *w, const BuiltinCall *c, const Object *a,
                        const Object *b) {
  const Type *s = object_type(a), *t = object_type(b);
  const int rank = s->rank;
  if (rank != t->rank) return differ(w, c, a, b, "dimensions", rank, t->rank);
  for (int i = 0; i < rank - 2; i++)
    if (s->shape[i] != t->shape[i])
      return differ(w, c, a, b, "matrices", s->shape[i], t->shape[i]);
  const int64_t k = s->shape[rank - 1];
  if (k != t->shape[rank - 2])
    return diag_error(w->diags, c->loc, ERROR_dot_inner_sizes, text_of(w, a),
                      text_of(w, b), (long long)k,
                      (long long)t->shape[rank - 2]);
  const int bits = dtype_bits(a->as.tensor.dtype);
  const int64_t least = 256 / bits; // 4, 8, 16, 32
  if (k >= least) return true;
  return diag_error(w->diags, c->loc, ERROR_dot_too_small,
                    dtype_text(w->arena, a->as.tensor.dtype), (long long)least,
                    (long long)k);
}

// The accumulator's type: fp32; fp64 for fp64, int32 for integers, and fp16 on
// request.
static bool result_dtype(Walk *w, const BuiltinCall *c, Dtype in, Dtype *out) {
  *out = dtype_of(DTYPE_FP32);
  if (dtype_is_int(in)) return *out = dtype_of(DTYPE_INT32), true;
  if (in.id == DTYPE_FP64) return *out = dtype_of(DTYPE_FP64), true;
  const bool half = in.id == DTYPE_FP16 || dtype_is_fp8(in);
  const bool given = !argument_absent(c, OUT);
  if (given && !argument_dtype(w, c, OUT, out)) return false;
  const bool sums = dtype_is(*out, DTYPE_FP32) || dtype_is(*out, DTYPE_FP16);
  if (dtype_is(*out, DTYPE_BF16) || (half && !sums))
    return diag_error(w->diags, c->locs[OUT], ERROR_dot_result_type,
                      text_of(w, c->args[OUT]));
  if (!half) *out = dtype_of(DTYPE_FP32);
  const Object *acc = c->args[ACC];
  if (half && !given && acc && object_is_tensor(acc) &&
      dtype_is(acc->as.tensor.dtype, DTYPE_FP16))
    *out = dtype_of(DTYPE_FP16);
  return true;
}

static const Object *accumulator(Walk *w, const BuiltinCall *c, Dtype dtype,
                                 int rank, const int64_t *shape) {
  const Type *type = tensor_type(w, dtype, rank, shape);
  if (argument_absent(c, ACC)) {
    Value *zero = dtype_is_float(dtype) ? build_float(&w->b, type, 0)
                                        : build_int(&w->b, type, 0);
    return object_tensor(w->arena, zero, dtype);
  }
  const Object *acc = argument_tensor(w, c, ACC);
  if (!acc) return NULL;
  if (object_type(acc) == type) return acc;
  return walk_error(w, c->locs[ACC], ERROR_dot_accumulator,
                    dtype_text(w->arena, dtype),
                    shape_text(w->arena, rank, shape), text_of(w, acc));
}

// Any value has a truth, as in Python; a run-time value counts as true.
static bool allows_tf32(Walk *w, const BuiltinCall *c) {
  const Object *x = c->args[TF32];
  if (!x) return true;
  if (object_is_tensor(x) && !w->trial)
    diag_warning(w->diags, c->locs[TF32], WARNING_allow_tf32_run_time);
  return !object_is_constant(x) || constant_truth(x);
}

// Does the configuration list the precision?  Products within the library are
// always allowed.
static bool is_allowed(Walk *w, const BuiltinCall *c, int word, bool *out) {
  *out = true;
  if (!w->allowed_precisions || w->frame->file == w->program->library)
    return true;
  const ConstantContext context = constant_context(w, c->loc);
  const char *name = precisions[word];
  const Object *name_object = object_string(w->arena, name, strlen(name));
  const Object *found = constant_compare(&context, COMPARE_IN, name_object,
                                         w->allowed_precisions);
  *out = found && constant_truth(found);
  return found != NULL;
}

// The index of the word in `precisions`, in small letters or capitals; 0 if it
// is no such word.
static int find_word(const Object *x) {
  for (int i = TF32_WORD; x && x->kind == OBJECT_STRING && precisions[i]; i++)
    if (!strcasecmp(precisions[i], x->as.string.text)) return i;
  return 0;
}

// The index in `precisions`; 0 if the argument is omitted.  A written None
// means the configuration's default.  False after a diagnostic.
static bool precision_word(Walk *w, const BuiltinCall *c, int *out) {
  const Object *x = c->args[PRECISION];
  if (x && x->kind == OBJECT_NONE && !c->args[TF32]) {
    *out = w->default_precision ? find_word(w->default_precision) : TF32_WORD;
    if (*out) return true;
    return walk_error(w, c->loc, ERROR_dot_default_precision,
                      text_of(w, w->default_precision));
  }
  *out = find_word(x);
  return *out || argument_word(w, c, PRECISION, precisions, out);
}

static bool read_precision(Walk *w, const BuiltinCall *c, Precision *out) {
  int word;
  bool allowed;
  if (!precision_word(w, c, &word) ||
      !is_allowed(w, c, word ? word : TF32_WORD, &allowed))
    return false;
  if (!word) {
    word = allowed && allows_tf32(w, c) ? TF32_WORD : IEEE_WORD;
    if (!is_allowed(w, c, word, &allowed)) return false;
  }
  assert(0 < word && precisions[word]); // I10
  *out = precision_of[word];
  if (allowed) return true;
  Str text = str_in(w->arena);
  object_print(w->allowed_precisions, true, &text);
  return diag_error(w->diags, c->loc, ERROR_dot_precision_not_allowed,
                    precisions[word], str_text(&text));
}

// The number of fp8 products that may be summed before the sum is rounded to
// fp32; -1: left to the chip.
static bool read_imprecise(Walk *w, const BuiltinCall *c, const Object *a,
                           int64_t *out) {
  const Type *type = object_type(a);
  const int64_t k = type->shape[type->rank - 1];
  if (!argument_int(w, c, IMPRECISE, -1, out)) return false;
  if (*out <= k || !dtype_is_fp8(a->as.tensor.dtype)) return true;
  return diag_error(w->diags, c->locs[IMPRECISE], ERROR_dot_imprecise,
                    (long long)*out, (long long)k);
}

// Codes are converted to fp16, and so is the other operand.
static bool decode(Walk *w, const BuiltinCall *c, const Object **a,
                   const Object **b) {
  if (!dtype_is_code((*a)->as.tensor.dtype) &&
      !dtype_is_code((*b)->as.tensor.dtype))
    return true;
  *a = tensor_cast(w, c->loc, *a, dtype_of(DTYPE_FP16));
  *b = tensor_cast(w, c->loc, *b, dtype_of(DTYPE_FP16));
  return *a && *b;
}

// A tensor of three dimensions: all but the last two become one.
static const Object *in_one_batch(Walk *w, const Object *x) {
  const Type *type = object_type(x);
  const int rank = type->rank;
  if (rank <= 3) return x;
  const int64_t *last = type->shape + rank - 2;
  assert(type->num_elements % (last[0] * last[1]) == 0); // I10
  const int64_t shape[3] = {type->num_elements / (last[0] * last[1]), last[0],
                            last[1]};
  return tensor_reshape(w, x, 3, shape, false);
}

const Object *builtin_dot(Walk *w, const BuiltinCall *c) {
  const Object *a = operand(w, c, A), *b = a ? operand(w, c, B) : NULL;
  Dtype dtype;
  Precision precision;
  int64_t imprecise;
  if (!b || !check_same(w, c, a, b) || !decode(w, c, &a, &b) ||
      !check_sizes(w, c, a, b) || !read_precision(w, c, &precision) ||
      !result_dtype(w, c, a->as.tensor.dtype, &dtype) ||
      !read_imprecise(w, c, a, &imprecise))
    return NULL;
  const Type *s = object_type(a), *t = object_type(b);
  const int rank = s->rank;
  int64_t shape[MAX_RANK];
  assert(rank >= 2 && t->rank == rank);             // I10
  assert(s->shape[rank - 1] == t->shape[rank - 2]); // I10
  for (int i = 0; i < rank; i++) shape[i] = s->shape[i];
  shape[rank - 1] = t->shape[rank - 1];
  if (!check_shape(w, c->loc, rank, shape)) return NULL;
  const Object *acc = accumulator(w, c, dtype, rank, shape);
  if (!acc) return NULL;
  a = in_one_batch(w, a), b = in_one_batch(w, b), acc = in_one_batch(w, acc);
  Value *product = build_dot(&w->b, object_type(acc), a->as.tensor.value,
                             b->as.tensor.value, acc->as.tensor.value);
  if (precision) op_set_int(w->m, product->def, ATTR_precision, precision);
  if (imprecise >= 0)
    op_set_int(w->m, product->def, ATTR_max_imprecise, imprecise);
  const Object *result = object_tensor(w->arena, product, dtype);
  return rank > 3 ? tensor_reshape(w, result, rank, shape, false) : result;
}
