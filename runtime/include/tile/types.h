// types.h -- the types and status codes that libtile and libtilert share: a
// part of tile.h and of tilert.h, either of which includes it.
#ifndef TILE_TYPES_H
#define TILE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TILE_API        __attribute__((visibility("default")))
#define TILE_MUST_CHECK __attribute__((warn_unused_result))
#else
#define TILE_API
#define TILE_MUST_CHECK
#endif

#define TILE_VERSION_MAJOR 0
#define TILE_VERSION_MINOR 1
#define TILE_VERSION_PATCH 0

typedef enum {
#define STATUS(name, text) TILE_##name,
#include "tile/status.def"
} TileStatus;

typedef struct {
  void *(*alloc)(void *ctx, size_t size); // NULL when memory ran out
  void (*free)(void *ctx, void *block);
  void *ctx;
} TileAllocator;

typedef enum {
  TILE_DTYPE_NONE, // as the kernel's annotation says
  TILE_BOOL,
  TILE_INT8,
  TILE_INT16,
  TILE_INT32,
  TILE_INT64,
  TILE_UINT8,
  TILE_UINT16,
  TILE_UINT32,
  TILE_UINT64,
  TILE_FP8E5,
  TILE_FP8E4NV,
  TILE_FP16,
  TILE_BF16,
  TILE_FP32,
  TILE_FP64,
  TILE_FP8E4B15, // new ones come last: numbers stay
} TileDtype;

// -- Arguments ---------------------------------------------------------------

typedef struct TileBuffer TileBuffer; // of libtile

typedef enum {
  TILE_ARG_NONE,    // Python's None
  TILE_ARG_BUFFER,  // a buffer of the launch's device, `offset` bytes in
  TILE_ARG_POINTER, // a device address of the caller's own
  TILE_ARG_INT,     // i32 if it fits, else i64, unless annotated
  TILE_ARG_BOOL,
  TILE_ARG_FLOAT,         // fp32 unless annotated
  TILE_ARG_STRING,        // a constexpr
  TILE_ARG_DTYPE,         // a constexpr
  TILE_ARG_DEFAULT,       // as if it were left out
  TILE_ARG_POINTER_DTYPE, // a constexpr: the type of pointers to `dtype`
  // A constexpr: a function of the kernel's file, or `module.name`.
  TILE_ARG_FUNCTION,
  TILE_ARG_TUPLE, // of any of these, DEFAULT excepted
  TILE_ARG_DESCRIPTOR,
  TILE_ARG_CONSTANT, // its value becomes part of the variant
  TILE_ARG_UINT,     // an integer of at least 2**63: u64, unless annotated
} TileArgKind;

enum { TILE_MAX_DESCRIPTOR_RANK = 5 };

// A strided tensor in device memory, to be read and written in blocks: a
// descriptor as of tl.make_tensor_descriptor, made by the host.  The address
// and the strides but the last, which is 1, are multiples of 16 bytes.
typedef struct {
  size_t size;         // sizeof(TileTensorDescriptor), or 0
  TileBuffer *buffer;  // of the launch's device; NULL: `address` instead
  const void *address; // a device address of the caller's own
  size_t offset;       // in bytes
  TileDtype dtype;
  int rank;
  int64_t shape[TILE_MAX_DESCRIPTOR_RANK];
  int64_t strides[TILE_MAX_DESCRIPTOR_RANK]; // in elements
  int32_t block[TILE_MAX_DESCRIPTOR_RANK];   // a power of two each
  bool pads_with_nan; // elements outside read as NaN, not as 0
} TileTensorDescriptor;

typedef struct TileArg {
  TileArgKind kind;
  // BUFFER, POINTER: of the elements; DTYPE: the value; INT, UINT, BOOL, FLOAT:
  // the type to pass it as, where the kernel does not say one.
  TileDtype dtype;
  union {
    struct {
      TileBuffer *buffer;
      size_t offset;
    } buffer;
    const void *pointer;
    int64_t i;
    uint64_t u;
    double f;
    const char *string; // STRING, FUNCTION
    struct {
      const struct TileArg *items;
      size_t count;
      const char *const *names; // of a named tuple's items; NULL: no names
    } tuple;
    const struct TileArg *constant; // a value, a type, a function, a tuple
    const TileTensorDescriptor *descriptor;
  } as;
} TileArg;

static inline TileArg tile_buffer_arg(TileBuffer *buffer, TileDtype dtype) {
  TileArg arg;
  arg.kind = TILE_ARG_BUFFER;
  arg.dtype = dtype;
  arg.as.buffer.buffer = buffer;
  arg.as.buffer.offset = 0;
  return arg;
}

static inline TileArg tile_pointer_arg(const void *pointer, TileDtype dtype) {
  TileArg arg;
  arg.kind = TILE_ARG_POINTER;
  arg.dtype = dtype;
  arg.as.pointer = pointer;
  return arg;
}

static inline TileArg tile_int_arg(int64_t value) {
  TileArg arg;
  arg.kind = TILE_ARG_INT;
  arg.dtype = TILE_DTYPE_NONE;
  arg.as.i = value;
  return arg;
}

// The same of an integer that may be past INT64_MAX.
static inline TileArg tile_uint_arg(uint64_t value) {
  TileArg arg = tile_int_arg(value > INT64_MAX ? 0 : (int64_t)value);
  if (value <= INT64_MAX) return arg;
  arg.kind = TILE_ARG_UINT;
  arg.as.u = value;
  return arg;
}

static inline TileArg tile_bool_arg(bool value) {
  TileArg arg = tile_int_arg(value);
  arg.kind = TILE_ARG_BOOL;
  return arg;
}

static inline TileArg tile_float_arg(double value) {
  TileArg arg = tile_int_arg(0);
  arg.kind = TILE_ARG_FLOAT;
  arg.as.f = value;
  return arg;
}

static inline TileArg tile_none_arg(void) {
  TileArg arg = tile_int_arg(0);
  arg.kind = TILE_ARG_NONE;
  return arg;
}

static inline TileArg tile_default_arg(void) {
  TileArg arg = tile_int_arg(0);
  arg.kind = TILE_ARG_DEFAULT;
  return arg;
}

// `items` are the caller's and must live through the call that takes them.
static inline TileArg tile_tuple_arg(const TileArg *items, size_t count) {
  TileArg arg = tile_int_arg(0);
  arg.kind = TILE_ARG_TUPLE;
  arg.as.tuple.items = items;
  arg.as.tuple.count = count;
  arg.as.tuple.names = NULL;
  return arg;
}

// The same with a name for each item, as of a NamedTuple: `x.shape`.
static inline TileArg tile_named_tuple_arg(const TileArg *items,
                                           const char *const *names,
                                           size_t count) {
  TileArg arg = tile_tuple_arg(items, count);
  arg.as.tuple.names = names;
  return arg;
}

// A tl.constexpr among the items of a tuple: `value`, which is the caller's and
// must live through the call that takes it, is compiled in.
static inline TileArg tile_constant_arg(const TileArg *value) {
  TileArg arg = tile_int_arg(0);
  arg.kind = TILE_ARG_CONSTANT;
  arg.as.constant = value;
  return arg;
}

// `descriptor` is the caller's and must live through the call that takes it.
static inline TileArg
tile_descriptor_arg(const TileTensorDescriptor *descriptor) {
  TileArg arg = tile_int_arg(0);
  arg.kind = TILE_ARG_DESCRIPTOR;
  arg.as.descriptor = descriptor;
  return arg;
}

typedef struct {
  const char *name; // a parameter of the kernel
  TileArg value;    // becomes a constant of the variant
} TileConstant;

#ifdef __cplusplus
}
#endif
#endif
