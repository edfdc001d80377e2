// random.c -- counter-based random numbers: Philox 4x32 and 4x64.
//
// Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As Easy as 1, 2, 3
// (2011).  The streams are those of triton.language.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/language/language.h"

enum { DEFAULT_ROUNDS = 10, MAX_ROUNDS = 1024 };

typedef struct {
  uint64_t key[2], round[2];
} PhiloxConstants;

static const PhiloxConstants philox32 = {{0x9E3779B9, 0xBB67AE85},
                                         {0xD2511F53, 0xCD9E8D57}};
static const PhiloxConstants philox64 = {
    {0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B},
    {0xD2E7470EE14C6C93, 0xCA5A826395121157}};

// An op on operands of one unsigned type; NULL if one is NULL.
static const Object *op(Walk *w, OpKind kind, const Object *x,
                        const Object *y) {
  if (!x || !y || !tensor_broadcast(w, w->b.loc, "philox", &x, &y)) return NULL;
  return tensor_op(w, kind, x->as.tensor.dtype, 2, (const Object *[]){x, y});
}

static const Object *word(Walk *w, Dtype dtype, uint64_t value) {
  return tensor_int(w, dtype, (int64_t)value);
}

static const Object *xor3(Walk *w, const Object *x, const Object *y,
                          const Object *z) {
  return op(w, OP_xori, op(w, OP_xori, x, y), z);
}

static bool run_rounds(Walk *w, const Object *c[4], const Object *k[2],
                       int64_t rounds) {
  const Dtype dtype = c[0]->as.tensor.dtype;
  const PhiloxConstants *p = dtype_bits(dtype) == 64 ? &philox64 : &philox32;
  const Object *a = word(w, dtype, p->round[0]);
  const Object *b = word(w, dtype, p->round[1]);
  for (int64_t i = 0; i < rounds; i++) {
    const Object *c0 = c[0], *c2 = c[2];
    c[0] = xor3(w, op(w, OP_mulhui, b, c2), c[1], k[0]);
    c[2] = xor3(w, op(w, OP_mulhui, a, c0), c[3], k[1]);
    c[1] = op(w, OP_muli, b, c2);
    c[3] = op(w, OP_muli, a, c0);
    for (int n = 0; n < 2; n++)
      k[n] = op(w, OP_addi, k[n], word(w, dtype, p->key[n]));
  }
  return c[0] && c[1] && c[2] && c[3];
}

static bool read_rounds(Walk *w, const BuiltinCall *c, int n, int64_t *out) {
  if (!argument_int(w, c, n, DEFAULT_ROUNDS, out)) return false;
  if (*out >= 0 && *out <= MAX_ROUNDS) return true;
  return diag_error(w->diags, c->locs[n], ERROR_rounds_out_of_range,
                    MAX_ROUNDS);
}

static bool check_int(Walk *w, const BuiltinCall *c, int n, const Object *x) {
  if (dtype_is_int(x->as.tensor.dtype)) return true;
  return diag_error(w->diags, c->locs[n], ERROR_wants_integers, c->info->name,
                    text_of(w, x));
}

// Splits the seed into the two words of the key.
static bool split_seed(Walk *w, const BuiltinCall *c, bool wide,
                       const Object *k[2]) {
  const Dtype u64 = dtype_of(DTYPE_UINT64), u32 = dtype_of(DTYPE_UINT32);
  const Object *seed = argument_tensor(w, c, 0);
  if (!seed || !check_int(w, c, 0, seed)) return false;
  seed = tensor_cast(w, c->loc, seed, u64);
  k[0] = seed;
  k[1] = word(w, u64, 0);
  if (wide) return true;
  k[0] = tensor_cast(w, c->loc, seed, u32);
  k[1] = op(w, OP_shrui, seed, word(w, u64, 32));
  k[1] = tensor_cast(w, c->loc, k[1], u32);
  return true;
}

const Object *builtin_philox(Walk *w, const BuiltinCall *c) {
  const Object *words[4], *k[2];
  int64_t rounds;
  bool wide = false;
  if (!read_rounds(w, c, 5, &rounds)) return NULL;
  for (int i = 0; i < 4; i++) {
    words[i] = argument_tensor(w, c, 1 + i);
    if (!words[i] || !check_int(w, c, 1 + i, words[i])) return NULL;
    if (!i) wide = dtype_bits(words[0]->as.tensor.dtype) == 64;
    const Dtype dtype = dtype_of(wide ? DTYPE_UINT64 : DTYPE_UINT32);
    words[i] = tensor_bitcast(w, c->locs[1 + i], words[i], dtype);
    if (!words[i]) return NULL;
  }
  if (!split_seed(w, c, wide, k) || !run_rounds(w, words, k, rounds))
    return NULL;
  return object_tuple(w->arena, words, 4);
}

// Four random words for (seed, offset, n_rounds).
static bool random_words(Walk *w, const BuiltinCall *c, const Object *out[4]) {
  const Dtype u32 = dtype_of(DTYPE_UINT32);
  const Object *offset = argument_tensor(w, c, 1), *k[2];
  int64_t rounds;
  if (!offset || !check_int(w, c, 1, offset) ||
      !read_rounds(w, c, 2, &rounds) || !split_seed(w, c, false, k) ||
      !arguments_broadcast(w, c, 2))
    return false;
  out[0] = tensor_cast(w, c->loc, offset, u32);
  out[2] = out[3] = out[1] = op(w, OP_muli, out[0], word(w, u32, 0));
  if (dtype_bits(offset->as.tensor.dtype) > 32) {
    const Object *shift = object_int(w->arena, 32);
    const Object *high = binary(w, c->loc, OPERATOR_SHR, offset, shift);
    out[1] = high ? tensor_cast(w, c->loc, high, u32) : NULL;
  }
  return run_rounds(w, out, k, rounds);
}

// A number in [0, 1): negative words are inverted, then scaled.
static const Object *uniform(Walk *w, const BuiltinCall *c, const Object *x) {
  const bool wide = dtype_bits(x->as.tensor.dtype) == 64;
  const Dtype dtype = dtype_of(wide ? DTYPE_INT64 : DTYPE_INT32);
  const double scale = wide ? 1.0842020432385337e-19 : 4.6566127342e-10;
  x = tensor_bitcast(w, c->loc, x, dtype);
  if (!x) return NULL;
  const Object *zero = tensor_int(w, dtype, 0);
  const Object *negative = compare(w, c->loc, COMPARE_LT, x, zero);
  const Object *folded = tensor_unary(w, c->loc, UNARY_INVERT, x);
  x = tensor_select(w, c->loc, negative, folded, x);
  return binary(w, c->loc, OPERATOR_MUL, x, object_float(w->arena, scale));
}

const Object *builtin_uniform(Walk *w, const BuiltinCall *c) {
  const Object *x = argument_tensor(w, c, 0);
  if (!x || !check_int(w, c, 0, x)) return NULL;
  if (dtype_bits(x->as.tensor.dtype) >= 32) return uniform(w, c, x);
  return walk_error(w, c->locs[0], ERROR_wants_32_or_64_bits, c->info->name,
                    text_of(w, x));
}

// Two normal numbers from two uniform ones, by the method of Box and Muller.
static bool normal_pair(Walk *w, const BuiltinCall *c, const Object *u1,
                        const Object *u2, const Object *out[2]) {
  const Dtype fp32 = dtype_of(DTYPE_FP32);
  const SrcLoc l = c->loc;
  const Object *least = object_float(w->arena, 1.0e-7);
  const Object *circle = object_float(w->arena, 6.283185307179586);
  u1 = tensor_extreme(w, l, "maximum", EXTREME_MAX, false, least, u1);
  u2 = u1 ? binary(w, l, OPERATOR_MUL, circle, u2) : NULL;
  if (!u2 || !dtype_equal(u1->as.tensor.dtype, fp32) ||
      !dtype_equal(u2->as.tensor.dtype, fp32))
    return diag_error(w->diags, l, ERROR_wants_fp32, c->info->name);
  const Object *r = library_call_one(w, l, "_log_short", u1);
  if (!r) return false;
  r = binary(w, l, OPERATOR_MUL, object_float(w->arena, -2), r);
  r = tensor_op(w, OP_sqrt, fp32, 1, &r);
  const Object *cosine = tensor_op(w, OP_cos, fp32, 1, &u2);
  const Object *sine = tensor_op(w, OP_sin, fp32, 1, &u2);
  out[0] = binary(w, l, OPERATOR_MUL, r, cosine);
  out[1] = binary(w, l, OPERATOR_MUL, r, sine);
  return out[0] && out[1];
}

const Object *builtin_normal_pair(Walk *w, const BuiltinCall *c) {
  const Object *u1 = argument_tensor(w, c, 0), *u2 = argument_tensor(w, c, 1);
  const Object *pair[2];
  if (!u1 || !u2 || !argument_is_number(w, c, 0) ||
      !argument_is_number(w, c, 1) || !arguments_broadcast(w, c, 2) ||
      !normal_pair(w, c, u1, u2, pair))
    return NULL;
  return object_tuple(w->arena, pair, 2);
}

const Object *builtin_randint(Walk *w, const BuiltinCall *c) {
  const Object *words[4];
  if (!random_words(w, c, words)) return NULL;
  return c->info->data == 4 ? object_tuple(w->arena, words, 4) : words[0];
}

static bool uniforms(Walk *w, const BuiltinCall *c, int count,
                     const Object *out[4]) {
  if (!random_words(w, c, out)) return false;
  for (int i = 0; i < count; i++) {
    out[i] = uniform(w, c, out[i]);
    if (!out[i]) return false;
  }
  return true;
}

const Object *builtin_rand(Walk *w, const BuiltinCall *c) {
  const Object *u[4];
  const int count = c->info->data;
  if (!uniforms(w, c, count, u)) return NULL;
  return count == 4 ? object_tuple(w->arena, u, 4) : u[0];
}

const Object *builtin_randn(Walk *w, const BuiltinCall *c) {
  const Object *u[4], *n[4];
  const bool four = c->info->data == 4;
  if (!uniforms(w, c, four ? 4 : 2, u)) return NULL;
  if (!normal_pair(w, c, u[0], u[1], n)) return NULL;
  if (!four) return n[0];
  if (!normal_pair(w, c, u[2], u[3], n + 2)) return NULL;
  return object_tuple(w->arena, n, 4);
}

const Object *builtin_philox_impl(Walk *w, const BuiltinCall *c) {
  enum { NUM_WORDS = 6 };
  BuiltinCall words = *c;
  int64_t rounds;
  if (!read_rounds(w, c, NUM_WORDS, &rounds)) return NULL;
  for (int i = 0; i < NUM_WORDS; i++) {
    const Object *x = argument_tensor(w, c, i);
    if (!x) return NULL;
    const Dtype dtype = x->as.tensor.dtype;
    if (!dtype_is(dtype, DTYPE_UINT32) && !dtype_is(dtype, DTYPE_UINT64))
      return argument_wrong(w, c, i, "uint32 or uint64"), NULL;
    words.args[i] = x;
  }
  if (argument_absent(c, NUM_WORDS)) words.args[NUM_WORDS] = NULL;
  return library_unify(w, &words, NUM_WORDS, true)
             ? library_call(w, &words, "philox_impl")
             : NULL;
}
