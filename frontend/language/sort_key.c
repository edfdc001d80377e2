// sort_key.c -- signed integer keys in the sorting order of numbers.
//
// The bits of a non-negative float are such a key; for a negative float, all
// bits but the sign are inverted.  Negative NaNs would be below -infinity: the
// number of their codes is subtracted from all keys, so that they wrap round to
// the top.  Narrow numbers use the upper bits of a 32-bit key.
//
// Example, fp16: 1.0 is 0x3c00 and -1.0 is 0xbc00, inverted to 0xc3ff, a
// negative number; 0x3ff negative NaNs are subtracted from both.
#include "frontend/language/sort_key.h"

#include "frontend/core/builtins.h"

#include <assert.h>

typedef struct {
  Builder *b;
  const Type *bits, *wide; // of the number's width; of the key
  int shift;               // key bits below the number's
  int64_t size_mask, num_nans;
} FloatKey;

// The type of the keys.
static Dtype key_dtype(Dtype dtype) {
  return dtype_int_of(dtype_bits(dtype) <= 32 ? 32 : 64);
}

// The number of codes of positive NaNs.
static int64_t count_nans(DtypeId id) {
  if (id == DTYPE_FP8E4NV) return 1; // and no infinity
  return (INT64_C(1) << dtype_info[id].mantissa) - 1;
}

static FloatKey float_key(Walk *w, const Type *tile, Dtype dtype) {
  TypeTable *types = &w->m->types;
  const Dtype wide = key_dtype(dtype);
  const int bits = dtype_bits(dtype), shift = dtype_bits(wide) - bits;
  assert(dtype_is_float(dtype) && shift >= 0); // I9
  return (FloatKey){
      .b = &w->b,
      .bits =
          type_with_elem(types, tile, dtype_info[dtype_int_of(bits).id].elem),
      .wide = type_with_elem(types, tile, dtype_info[wide.id].elem),
      .shift = shift,
      .size_mask = (int64_t)((UINT64_C(1) << (bits - 1)) - 1) << shift,
      .num_nans = count_nans(dtype.id) << shift};
}

static Value *constant(const FloatKey *k, int64_t value) {
  return build_int(k->b, k->wide, value);
}

// Inverts all bits but the sign of negative numbers; applied twice, it gives
// back the number.
static Value *invert_negative(const FloatKey *k, Value *x) {
  const int sign = type_element_bits(type_element(k->wide)) - 1;
  Value *fill = build_shrsi(k->b, k->wide, x, constant(k, sign));
  fill = build_andi(k->b, k->wide, fill, constant(k, k->size_mask));
  return build_xori(k->b, k->wide, x, fill);
}

static Value *key_of_float(const FloatKey *k, Value *x) {
  Value *bits = build_bitcast(k->b, k->bits, x);
  if (k->shift) {
    bits = build_extsi(k->b, k->wide, bits);
    bits = build_shli(k->b, k->wide, bits, constant(k, k->shift));
  }
  bits = invert_negative(k, bits);
  return build_subi(k->b, k->wide, bits, constant(k, k->num_nans));
}

static Value *float_of_key(const FloatKey *k, const Type *type, Value *key) {
  key = build_addi(k->b, k->wide, key, constant(k, k->num_nans));
  Value *bits = invert_negative(k, key);
  if (k->shift) {
    bits = build_shrsi(k->b, k->wide, bits, constant(k, k->shift));
    bits = build_trunci(k->b, k->bits, bits);
  }
  return build_bitcast(k->b, type, bits);
}

// An unsigned number as wide as the key: subtracts half its range, for signed
// comparison.
static Value *move_unsigned(Walk *w, Value *x, Dtype dtype) {
  const int bits = dtype_bits(dtype);
  if (bits < 32 || dtype_is_signed(dtype)) return x;
  const int64_t least = bits == 32 ? INT32_MIN : INT64_MIN;
  return build_xori(&w->b, x->type, x, build_int(&w->b, x->type, least));
}

Value *sort_key(Walk *w, const Object *x) {
  const Dtype dtype = x->as.tensor.dtype;
  if (dtype_is_float(dtype)) {
    const FloatKey k = float_key(w, object_type(x), dtype);
    return key_of_float(&k, x->as.tensor.value);
  }
  const Object *key = tensor_cast(w, w->b.loc, x, key_dtype(dtype));
  return move_unsigned(w, key->as.tensor.value, dtype);
}

const Object *sort_key_number(Walk *w, Value *key, Dtype dtype) {
  assert(type_element(key->type)->elem ==
             dtype_info[key_dtype(dtype).id].elem &&
         "a key of another type"); // I9
  if (dtype_is_float(dtype)) {
    const FloatKey k = float_key(w, key->type, dtype);
    const Type *type =
        type_with_elem(&w->m->types, key->type, dtype_info[dtype.id].elem);
    return object_tensor(w->arena, float_of_key(&k, type, key), dtype);
  }
  const Object *x =
      object_tensor(w->arena, move_unsigned(w, key, dtype), key_dtype(dtype));
  return tensor_cast(w, w->b.loc, x, dtype);
}
