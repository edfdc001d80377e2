// type.h -- interned types: equal types are the same pointer.
//
//   i32  f16                        scalar (integers are signless)
//   ptr<f32>  ptr<f16, shared>      address of elements in an address space
//   tile<128x64xf32>                tile; its element is a scalar or a pointer
//   tile<128xf32, #0>               tile whose placement is decided
//   block_ptr<64x32xf16>            a window into a strided tensor
//   block_ptr<64x32xf16, i64>       the same, at offsets of 64 bits, not 32
//   desc<64x32xf16>                 a tensor descriptor, by its block
//   memdesc<3x64x32xf16, #1, shared>  a buffer of shared memory, or a view
//   token                           an asynchronous operation in flight
//   mbarrier                        a barrier object in shared memory
#ifndef TILE_IR_TYPE_H
#define TILE_IR_TYPE_H

#include "ir/base/base.h"

#include <stdint.h>

typedef struct Layout Layout; // ir/layout.h

enum {
  MAX_RANK = 16,
  MAX_TILE_ELEMENTS = 1 << 20, // the same as Triton's TRITON_MAX_TENSOR_NUMEL
  MAX_LOOP_COPIES = 1024,      // of a loop's body, or of its loads
};

typedef enum {
#define ELEM(name, ...) ELEM_##name,
#include "ir/op/elems.def"
  ELEM_COUNT
} Elem;

typedef struct {
  const char *name;
  int bits;
  bool is_float;
  int exponent_bits, mantissa_bits; // of a float
} ElemInfo;

extern const ElemInfo elem_info[ELEM_COUNT];

typedef enum {
#define TYPE(id, word) TYPE_##id,
#include "ir/op/type_kinds.def"
} TypeKind;

typedef enum { SPACE_GLOBAL, SPACE_SHARED, SPACE_COUNT } AddressSpace;

extern const char *const space_name[SPACE_COUNT];

typedef struct Type Type;
struct Type {
  TypeKind kind;
  Elem elem;           // of a scalar; else of the innermost element
  AddressSpace space;  // pointer, memdesc
  const Type *element; // pointer: pointee; tile, block_ptr, ...: an element
  int rank;            // 0 for scalars, pointers, tokens, barriers
  const int64_t *shape;
  const Layout *layout; // tile, memdesc; NULL: not assigned
  int64_t num_elements; // product of the shape; 1 for rank 0
  bool is_wide;         // block_ptr: its offsets are i64
};

// Owns every type made through it; lives in its arena.
typedef struct {
  Arena *arena;
  Map types;
} TypeTable;

const Type *type_scalar(TypeTable *table, Elem elem);
const Type *type_pointer(TypeTable *table, const Type *pointee,
                         AddressSpace space);
const Type *type_tile(TypeTable *table, int rank, const int64_t *shape,
                      const Type *element, const Layout *layout);
const Type *type_block_pointer(TypeTable *table, int rank, const int64_t *shape,
                               const Type *element);
const Type *type_wide_block_pointer(TypeTable *table, const Type *narrow);
// The type of the offsets of a block pointer or a descriptor.
const Type *type_of_offsets(TypeTable *table, const Type *window);
const Type *type_descriptor(TypeTable *table, int rank, const int64_t *shape,
                            const Type *element);
const Type *type_memdesc(TypeTable *table, int rank, const int64_t *shape,
                         const Type *element, const Layout *layout,
                         AddressSpace space);
const Type *type_token(TypeTable *table);
const Type *type_mbarrier(TypeTable *table);

// The same tile, memdesc or scalar with one property changed.  A scalar stays a
// scalar.
const Type *type_with_element(TypeTable *table, const Type *type,
                              const Type *element);
const Type *type_with_elem(TypeTable *table, const Type *type, Elem elem);
const Type *type_with_layout(TypeTable *table, const Type *type,
                             const Layout *layout);

static inline bool type_is_tile(const Type *type) {
  return type->kind == TYPE_TILE;
}
// The scalar or pointer type of one element of this type.
static inline const Type *type_element(const Type *type) {
  return type->kind == TYPE_TILE ? type->element : type;
}
// Is the type a scalar of that class, or a tile of such scalars?
bool type_is_int(const Type *type);
bool type_is_float(const Type *type);
bool type_is_bool(const Type *type);
// Is the type a pointer or a tile of pointers?
bool type_is_pointer(const Type *type);
bool type_same_shape(const Type *a, const Type *b);
// The number of bits of one element; 64 for pointers.
int type_element_bits(const Type *type);

// Appends the textual form, a layout in full.
void type_print(const Type *type, Str *out);
// The same, with layouts written by `add_layout`.
typedef void (*LayoutWriter)(void *ctx, const Layout *layout, Str *out);
void type_print_with(const Type *type, LayoutWriter add_layout, void *ctx,
                     Str *out);
const char *type_text(const Type *type, Arena *arena);
// The text for messages: "[128, 64] of f16".
const char *type_shape_text(const Type *type, Arena *arena);

#endif
