// arithmetic.h -- sums in the values of options, `4*1024`, `64**-0.5`,
// `cdiv(n, BLOCK)`, and tuples, `(1, (2,), n)`.
//
// Python's operators + - * / // % ** and brackets.  Integers stay exact: a
// result has 64 bits with a sign, and what it is made of twice as many, as in
// `-2**63`.  `/` and what has a point are doubles.
#ifndef TILE_TOOLS_ARITHMETIC_H
#define TILE_TOOLS_ARITHMETIC_H

#include "ir/base/base.h"

#include <stdint.h>

__extension__ typedef __int128 WideInt;

typedef struct {
  bool is_float;
  WideInt i;
  double f;
} Number;

// A text that is read from its begin.  One without a result is read on: there
// may be no sum behind.
typedef struct {
  const char *at;
  Arena *arena; // of names
  // Whole numbers, names, and cdiv, min and max of them; else there are none.
  // False: the name has no number, which was told.
  bool (*find)(void *ctx, const char *name, int64_t *out);
  void *ctx;
  int base; // of whole numbers; 0: as they are written
  int depth;
  const char *why;    // there is no result
  const char *wanted; // in the place of what is at `at`: it is no sum
  bool is_told;       // by `find`
} Arithmetic;

static inline bool arithmetic_failed(const Arithmetic *a) {
  return a->why || a->wanted || a->is_told;
}
// The value of the sum at `at`, which is moved past it, and no integer past 64
// bits; any number where arithmetic_failed().
Number arithmetic_sum(Arithmetic *a);
// Skips spaces, and `what` if it is next.
bool arithmetic_take(Arithmetic *a, const char *what);

// The integer at `text`, of decimal numbers, and where it ends; false: there is
// none, or it does not fit.
bool arithmetic_integer(const char *text, const char **end, int64_t *out);

// The result as text, where `text` is a sum of two numbers or more, else `text`
// itself.  NULL with the reason in `why` where there is no result.
const char *arithmetic_text(Arena *arena, const char *text, const char **why);

// -- Tuples, as texts: items.c -----------------------------------------------

// Is it a tuple?  As in Python, `(1)` and `(3 + 4) * 5` are none, `()`, `(1,)`
// and `(n=1)` are.  One that is not closed is taken for a tuple.
bool items_are_tuple(const char *text);
// The value without brackets around all of it, unless they make it a tuple.
const char *items_unwrap(Arena *arena, const char *text);
// The next item, without the comma, at the comma or bracket before which
// `*text` then is.
const char *items_take(Arena *arena, const char **text);
// The name before `=`, which is gone from `*item`; NULL: there is none.
const char *items_take_name(Arena *arena, const char **item);

#endif
