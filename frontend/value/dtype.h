// dtype.h -- element types of the language: signed, unsigned, const.
//
// The IR's integers are signless, so each IR value is accompanied by a Dtype.
#ifndef TILE_FRONTEND_DTYPE_H
#define TILE_FRONTEND_DTYPE_H

#include "ir/type.h"

typedef enum {
#define DTYPE(id, ...) DTYPE_##id,
#include "frontend/value/dtypes.def"
  DTYPE_COUNT
} DtypeId;

// In increasing order: in a mixed operation the higher kind wins.
typedef enum { KIND_VOID, KIND_BOOL, KIND_INT, KIND_FLOAT } DtypeKind;

typedef struct {
  const char *attribute; // "float32"
  const char *name;      // "fp32", "int32"
  const char *signature; // "fp32", "i32"
  Elem elem;
  DtypeKind kind;
  bool is_signed;
  int bits, mantissa, bias;
  bool supported;
} DtypeInfo;

extern const DtypeInfo dtype_info[DTYPE_COUNT];

typedef struct {
  DtypeId id; // of a pointer: its element type
  bool is_pointer, is_const;
} Dtype;

// The most dimensions of a tensor descriptor.
enum { MAX_DESCRIPTOR_RANK = 5 };

static inline Dtype dtype_of(DtypeId id) {
  return (Dtype){.id = id};
}
static inline Dtype dtype_pointer_to(DtypeId id) {
  return (Dtype){.id = id, .is_pointer = true};
}
static inline DtypeKind dtype_kind(Dtype d) {
  return d.is_pointer ? KIND_VOID : dtype_info[d.id].kind;
}
static inline int dtype_bits(Dtype d) {
  return d.is_pointer ? 64 : dtype_info[d.id].bits;
}
static inline bool dtype_equal(Dtype a, Dtype b) {
  return a.id == b.id && a.is_pointer == b.is_pointer;
}
// The signed integer type of 8, 16, 32 or 64 bits.
Dtype dtype_int_of(int bits);
bool dtype_is_int(Dtype d); // int1 too
bool dtype_is_float(Dtype d);
bool dtype_is_fp8(Dtype d);
bool dtype_is_code(Dtype d);   // a float type that the IR lacks
bool dtype_is_signed(Dtype d); // for integers; int1 is not
static inline bool dtype_is(Dtype d, DtypeId id) {
  return !d.is_pointer && d.id == id;
}

// The scalar IR type; a pointer to bool is one to bytes.
const Type *dtype_type(TypeTable *types, Dtype d);

// The type's name in messages: "fp32", "pointer to fp32".
const char *dtype_text(Arena *arena, Dtype d);

// The type with that name in triton.language, "float32"; DTYPE_COUNT if none
// has it.
DtypeId dtype_find_attribute(const char *name);
// Parses any notation: "*fp32", "*ki8", "i32", "u1", "int32", "float32".
bool dtype_parse(const char *text, Dtype *out);

// The common integer type of the two, as in C.
Dtype dtype_promote_ints(Dtype a, Dtype b);

// Is the operator / or %?  Halves are then computed in fp32, and fp8 is, too,
// for QUOTIENT_OF_FP8.
typedef enum { NO_QUOTIENT, QUOTIENT, QUOTIENT_OF_FP8 } Quotient;

// The type of the computation.  A weak operand is a literal: it does not widen
// the other one within its kind.  False: / or % of integers of unlike
// signedness.
bool dtype_compute(Dtype a, bool a_weak, Dtype b, bool b_weak,
                   Quotient quotient, Dtype *out);

#endif
