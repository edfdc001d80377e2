// scaled.c -- checks of products of scaled operands; library.tile computes
// them.
#include "frontend/core/builtins.h"
#include "frontend/language/language.h"

#include <inttypes.h>

enum { LHS, RHS = 3, ACC = 6, FAST_MATH, LHS_K_PACK, RHS_K_PACK, OUT };
enum { VALUES, SCALE, FORMAT }; // arguments of one operand

static const char *const formats[] = {
#define FORMAT_WORD(word, value) word,
#include "frontend/language/choices.def"
    NULL};
static const DtypeId dtypes[] = {
#define FORMAT_WORD(word, value) value,
#include "frontend/language/choices.def"
};

typedef struct {
  const Type *type;
  int64_t rows, k; // rows: N, for the right operand
  int64_t group;   // elements along K for each scale; 0: no scale
} Side;

// Operand `n` must have the type of its format, or an unsigned integer type of
// that width.
static bool check_values(Walk *w, const BuiltinCall *c, int n, int format) {
  const Dtype dtype = c->args[n]->as.tensor.dtype;
  const DtypeId id = dtypes[format];
  const DtypeId raw = format >= 4 ? DTYPE_UINT16 : DTYPE_UINT8;
  if (dtype_is(dtype, raw) || (id != DTYPE_COUNT && dtype_is(dtype, id)))
    return true;
  const char *wanted =
      arena_printf(w->arena, "%s%s%s, as its format '%s' says",
                   id == DTYPE_COUNT ? "" : dtype_info[id].name,
                   id == DTYPE_COUNT ? "" : " or ", dtype_info[raw].attribute,
                   formats[format]);
  return argument_wrong(w, c, n, wanted);
}

static bool read_format(Walk *w, const BuiltinCall *c, int n, int *format) {
  if (!argument_word(w, c, n, formats, format)) return false;
  return *format || argument_wrong(w, c, n,
                                   "one of 'e2m1', 'e4m3', 'e5m2', 'bf16', "
                                   "'fp16'");
}

// Two four-bit elements share a byte, along K or along the rows.
static bool read_sizes(Walk *w, const BuiltinCall *c, int n, int format,
                       Side *out) {
  const int packed = n == LHS ? LHS_K_PACK : RHS_K_PACK;
  bool k_pack;
  if (!argument_bool(w, c, packed, true, &k_pack)) return false;
  if (!k_pack && format != 1)
    return argument_wrong(w, c, packed,
                          arena_printf(w->arena,
                                       "True with format '%s', as only 'e2m1' "
                                       "has two digits in a byte",
                                       formats[format]));
  const int rank = out->type->rank;
  const int64_t *shape = out->type->shape + rank - 2;
  out->rows = shape[n != LHS], out->k = shape[n == LHS];
  if (format == 1) *(k_pack ? &out->k : &out->rows) *= 2;
  return true;
}

// One batch of scales serves for all batches.
static bool is_scale(const Object *x, int rank, const int64_t *sizes) {
  if (!object_is_tile(x) || object_is_window(x) ||
      x->as.tensor.dtype.is_pointer || dtype_bits(x->as.tensor.dtype) != 8)
    return false;
  const Type *type = object_type(x);
  if (type->rank != rank) return false;
  for (int i = 0; i < rank; i++) {
    const bool is_batch = i == rank - 3;
    if (type->shape[i] != sizes[i] && !(is_batch && type->shape[i] == 1))
      return false;
  }
  return true;
}

// One scale for each 32 or 16 elements along K: as many as the other operand
// has (`other`; 0: it has no scale).
static bool check_scale(Walk *w, const BuiltinCall *c, int n, Side *side,
                        int64_t other) {
  if (argument_absent(c, n)) return true;
  const int rank = side->type->rank;
  int64_t sizes[3] = {side->type->shape[0]}, *last = sizes + rank - 1;
  last[-1] = side->rows;
  for (side->group = 32; side->group >= 16; side->group /= 2) {
    *last = side->k / side->group;
    if (other && side->group != other) continue;
    if (*last && is_scale(c->args[n], rank, sizes)) return true;
  }
  const int64_t group = other ? other : side->k < 32 ? 16 : 32;
  *last = side->k / group;
  return argument_wrong(
      w, c, n,
      arena_printf(w->arena,
                   "None or a tile of uint8 %s, a scale for each %" PRId64
                   " elements along K%s",
                   shape_text(w->arena, rank, sizes), group,
                   other         ? ", as 'lhs_scale' has them"
                   : group == 32 ? ", or twice as many"
                                 : ""));
}

static bool read_side(Walk *w, const BuiltinCall *c, int n, Side *out) {
  const Object *x = argument_tensor(w, c, n + VALUES);
  int format;
  if (!x) return false;
  *out = (Side){.type = object_type(x)};
  if (!object_is_tile(x) || x->as.tensor.dtype.is_pointer ||
      out->type->rank < 2 || out->type->rank > 3)
    return argument_wrong(w, c, n, "a tile of 2 or 3 dimensions");
  return read_format(w, c, n + FORMAT, &format) &&
         check_values(w, c, n, format) && read_sizes(w, c, n, format, out);
}

static bool check_sides(Walk *w, const BuiltinCall *c, const Side *a,
                        const Side *b) {
  if (a->type->rank != b->type->rank ||
      (a->type->rank == 3 && a->type->shape[0] != b->type->shape[0]))
    return argument_wrong(w, c, RHS,
                          "as many dimensions and matrices as "
                          "'lhs' has");
  if (a->k < 16) return argument_wrong(w, c, LHS, "K >= 16");
  if (a->k == b->k) return true;
  return argument_wrong(w, c, RHS,
                        arena_printf(w->arena,
                                     "%" PRId64 " elements along K, as 'lhs' "
                                     "has",
                                     a->k));
}

static bool check_result(Walk *w, const BuiltinCall *c, const Side *a,
                         const Side *b) {
  Dtype dtype = dtype_of(DTYPE_FP32);
  bool fast;
  if (!argument_bool(w, c, FAST_MATH, false, &fast) ||
      (!argument_absent(c, OUT) && !argument_dtype(w, c, OUT, &dtype)))
    return false;
  if (!dtype_is(dtype, DTYPE_FP32))
    return argument_wrong(w, c, OUT, "tl.float32");
  if (argument_absent(c, ACC)) return true;
  const int rank = a->type->rank;
  int64_t shape[3] = {a->type->shape[0], a->rows, b->rows};
  const int64_t *sizes = shape + (rank == 2);
  const Object *acc = argument_tensor(w, c, ACC);
  if (!acc) return false;
  const Type *type = object_type(acc);
  bool fits = type->rank == rank && dtype_equal(acc->as.tensor.dtype, dtype);
  for (int i = 0; fits && i < rank; i++) fits = type->shape[i] == sizes[i];
  if (fits) return true;
  return argument_wrong(w, c, ACC,
                        arena_printf(w->arena, "a tile of %s %s",
                                     dtype_text(w->arena, dtype),
                                     shape_text(w->arena, rank, sizes)));
}

const Object *builtin_dot_scaled(Walk *w, const BuiltinCall *c) {
  Side a, b;
  if (!read_side(w, c, LHS, &a) || !read_side(w, c, RHS, &b) ||
      !check_sides(w, c, &a, &b) || !check_scale(w, c, LHS + SCALE, &a, 0) ||
      !check_scale(w, c, RHS + SCALE, &b, a.group) ||
      !check_result(w, c, &a, &b))
    return NULL;
  return library_call(w, c, "dot_scaled");
}
