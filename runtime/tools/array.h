// array.h -- the contents of a buffer of `tilec run`, before and after the
// launch.
//
//   rand:fp16[64x128]   uniform: [0, 1); integers 0 to 99; i1 either
//   randn:fp32[1024]    standard normal; integers: rounded
//   zeros:i32[8]        full(2.5):fp32[8]       arange:i64[16]
//   zeros:like:x         the type and shape of another; like:x: empty:like:x
//   empty:fp32[8]       poisoned, so that unwritten elements are found
#ifndef TILE_TOOLS_ARRAY_H
#define TILE_TOOLS_ARRAY_H

#include "runtime/data/npy.h"

// Whether `text` is a generator and not a number, a file or a word.
bool array_is_generator(const char *text);

// The name in `zeros:like:x` or `like:x`, or NULL.
const char *array_like(const char *text);
// The same with the type and shape of that array: `zeros:fp32[3x4]`; `like:x`
// is an output, `empty:fp32[3x4]`.
const char *array_expand_like(Arena *arena, const char *text,
                              const NpyArray *like);

// Whether the text asks for elements of poison.
bool array_is_empty(const char *text);

// Allocates and fills an array in the arena.  `name` and `seed` determine the
// random numbers.  False with a sentence in `why`.
bool array_generate(Arena *arena, const char *text, const char *name,
                    uint64_t seed, NpyArray *out, char *why, size_t why_size);

// Element `index` as its bits, as a number, which a double may round, and as an
// integer of a signed type.
uint64_t array_bits(const NpyArray *array, uint64_t index);
double array_value(const NpyArray *array, uint64_t index);
int64_t array_integer(const NpyArray *array, uint64_t index);
void array_store(const NpyArray *array, uint64_t index, uint64_t bits);

typedef struct {
  uint64_t num_wrong;     // errors above the tolerance, or unexpected NaNs
  uint64_t num_unwritten; // wrong and still poison
  uint64_t worst;         // index
  double error;           // at `worst`: |found - expected| / (1 + |expected|)
} Comparison;

// Element by element; the arrays have equal counts.  The difference of integers
// is exact.
Comparison array_compare(const NpyArray *found, const NpyArray *expected,
                         double tolerance);

// The value with all digits: "-3", "0.100000001".
const char *array_value_text(Arena *arena, const NpyArray *array,
                             uint64_t index);

// Appends the type and shape of an array, "fp32[3x4]".
void array_add_type(Str *out, const NpyArray *array);

// The array's type and shape, then its elements, in rows of eight that begin
// with the index of the first; at most `num_rows` rows.
const char *array_text(Arena *arena, const char *name, const NpyArray *array,
                       uint64_t num_rows);

// The coordinates of the element at `index`: "[3, 17]".
const char *array_index_text(Arena *arena, const NpyArray *array,
                             uint64_t index);

// Poison: the pattern of an `empty:` buffer, by which elements that nothing
// wrote are found.
typedef enum { POISON, OTHER_POISON } PoisonKind;

uint64_t poison_bits(TileDtype dtype, PoisonKind kind);

// Whether poison of this type is never the result of an operation.  If two
// launches are allowed, an element is unwritten if it keeps both kinds of
// poison, each in a launch of its own.
bool poison_is_certain(TileDtype dtype);

bool poison_is_at(const NpyArray *array, uint64_t index);

typedef struct {
  uint64_t count, first;
} Poisoned;

// Finds the elements that are poison, and, if `again` is not NULL, are the
// other kind of poison there.
Poisoned poison_find(const NpyArray *array, const NpyArray *again);

#endif
