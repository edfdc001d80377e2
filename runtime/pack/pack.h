// pack.h -- kernels compiled ahead of time, in one block of bytes.
//
// A pack has kernels; a kernel has its parameters, and a variant for each
// target and each requested row of types and constants.  Programs without a
// compiler read packs: nothing here needs a compiler.
#ifndef TILE_RUNTIME_PACK_H
#define TILE_RUNTIME_PACK_H

#include "codegen/codegen.h"
#include "runtime/device/image.h"
#include "runtime/disk/disk.h"
#include "tile/types.h"

enum {
  PACK_VERSION = 9,
  PACK_MAX_PARAMS = 512, // machine parameters of one variant
  PACK_MAX_DEPTH = 16,   // nesting of tuples
};

typedef enum {
  PACK_ABSENT, // chosen by the compiler: a default, a configuration, a
               // heuristic
  PACK_POINTER,
  PACK_NUMBER, // a value known at a launch
  PACK_NONE,
  PACK_BOOL,
  PACK_INT,
  PACK_FLOAT,
  PACK_STRING,
  PACK_DTYPE,    // by its name
  PACK_FUNCTION, // by its name
  PACK_TUPLE,
  PACK_DESCRIPTOR, // a tensor descriptor
} PackKind;
enum { NUM_PACK_KINDS = PACK_DESCRIPTOR + 1 };

// A parameter as a variant was compiled for it, or an item of a tuple.
typedef struct PackSpec PackSpec;
struct PackSpec {
  PackKind kind;
  TileDtype dtype; // POINTER, DESCRIPTOR: type of the elements; NUMBER
  // POINTER, NUMBER: it divides the value; DESCRIPTOR: the last size; 0:
  // unknown
  int divisibility;
  int64_t i;        // BOOL, INT; DESCRIPTOR: 1 if it pads with NaN
  double f;         // FLOAT
  const char *text; // STRING, DTYPE, FUNCTION
  // TUPLE: its items; DESCRIPTOR: the sizes of a block, INT; ABSENT: one item,
  // the value that the compiler took, or none if it is unknown
  const PackSpec *items;
  int num_items;
  const char *const *names; // TUPLE: of a named tuple's items; NULL: no names
};

typedef struct {
  const char *name;
  TileDtype dtype; // of the annotation; NONE: it fixes no type
  bool is_pointer;
  bool is_constexpr, has_default;
  bool is_fixed;  // for all targets the default is `value`
  PackSpec value; // the default, a constant; ABSENT: unknown
} PackParam;

// The number of machine parameters of an argument with that specification: one
// for an address or a number; for a tuple, those of its items; for a
// descriptor, its address, its sizes, and its strides but the last.
int pack_num_values(const PackSpec *spec);
static inline bool pack_is_text(const PackSpec *spec) {
  return spec->kind >= PACK_STRING && spec->kind <= PACK_FUNCTION;
}
// 0.0 and -0.0 are two constants, all NaN are one.
bool pack_same_float(double a, double b);
// Whether both specify the same argument.
bool pack_same_spec(const PackSpec *a, const PackSpec *b);

// A variant with tensor maps is followed by the same variant without them, for
// tensors that the hardware cannot map, and by one for tensors that share
// memory if its maps ask for that.
typedef struct {
  const char *target;                  // of targets.def
  int level;                           // the x86-64 level on "cpu": 1 to 4
  int config;                          // of @autotune
  int num_warps, num_stages, num_ctas; // numbers that the source is compiled
                                       // for, requested or not
  int persist;                         // the wish, as in TileLaunch
  const PackSpec *specs;               // one for each parameter
  // are_set[i]: if a launch leaves parameter i out, the variant's configuration
  // or a heuristic may give a value; else the parameter has its default.
  const bool *are_set;
  KernelInfo info;
  Image image; // on "cpu"
  Bytes code;  // of a GPU: PTX
  Bytes cubin; // its machine code; size 0: none
  int number;  // among the variants of the pack, from 0
} PackVariant;

typedef struct {
  const char *name;
  const PackParam *params;
  size_t num_params;
  const PackVariant *variants;
  size_t num_variants;
} PackKernel;

typedef struct {
  const char *made_by; // the version of the compiler
  const PackKernel *kernels;
  size_t num_kernels;
  int num_variants; // of all kernels together
} Pack;

// The bytes lie in the arena.
Bytes pack_write(const Pack *pack, Arena *arena);

// Writes a C file with the bytes of a pack.
void pack_print_bytes(Bytes bytes, const char *path, Str *out);
// Writes a C header with a function for each kernel; `is_linked`: the program
// links the bytes of that C file.
void pack_print_header(const Pack *pack, const char *path, bool is_linked,
                       Str *out);
// The first kernel whose function would have a name, `*name`, that the header
// has already; the number of kernels if there is none.
size_t pack_find_clash(const Pack *pack, const char *path, bool is_linked,
                       Arena *arena, const char **name);

typedef enum {
  PACK_FINE,
  PACK_NO_PACK,       // the bytes begin otherwise
  PACK_OTHER_VERSION, // nothing of the pack is read
  PACK_BROKEN,
} PackState;

// Texts and code point into `bytes`, the rest lies in the arena.  The bytes may
// be forged: all numbers are checked against their bounds, texts end where
// `out` has them, and images call only functions that image_import() knows.
PackState pack_read(Bytes bytes, Arena *arena, Pack *out);

// A checksum that differs if any one word of these bytes is changed.
uint64_t pack_checksum(const void *bytes, size_t size);

#endif
