// arithmetic.h -- arithmetic expressions in the values of options, `4*1024`,
// `64**-0.5`, `cdiv(n, BLOCK)`, and tuples, `(1, (2,), n)`.
//
// Python's operators + - * / // % ** and brackets.  Integers stay exact: a
// result has 64 bits with a sign, and intermediate values have 128, as in
// `-2**63`.  `/` and numbers with a point are doubles.
#ifndef TILE_TOOLS_ARITHMETIC_H
#define TILE_TOOLS_ARITHMETIC_H

#include "ir/base/base.h"

#include <stdint.h>

__extension__ typedef __int128 WideInt;

typedef struct {
  bool is_float;
  WideInt i;
  double f;
} WideNumber;

// The state of an evaluation.  After an error the text is still parsed to the
// end, since it may be no expression at all.
typedef struct {
  const char *at;
  Arena *arena; // memory of names
  // Looks up a name.  With it, the language is whole numbers, names, and cdiv,
  // min and max.  False: the name has no number, and the error was reported.
  bool (*find)(void *ctx, const char *name, int64_t *out);
  void *ctx;
  int base; // of whole numbers; 0: as they are written
  int depth;
  const char *why;    // reason if there is no result
  const char *wanted; // expected token at `at`: a syntax error
  bool is_told;       // reported by `find`
} Arithmetic;

static inline bool arithmetic_failed(const Arithmetic *a) {
  return a->why || a->wanted || a->is_told;
}
// Evaluates the expression at `at`, which is moved behind it; integers have at
// most 64 bits.  If arithmetic_failed(), the value is arbitrary.
WideNumber arithmetic_sum(Arithmetic *a);
// Skips spaces, and then `what` if it is next.
bool arithmetic_take(Arithmetic *a, const char *what);

// Reads the decimal integer at `text`, and its end; false: there is none, or it
// does not fit.
bool arithmetic_integer(const char *text, const char **end, int64_t *out);

// The result as text, if `text` is an expression with an operator, else `text`.
// NULL with the reason in `why` if there is no result.
const char *arithmetic_text(Arena *arena, const char *text, const char **why);

// -- Tuples, as texts: items.c -----------------------------------------------

enum { MAX_ITEMS_DEPTH = 100 }; // brackets that readers of tuples may nest
// How deeply its brackets nest.
int items_depth(const char *text);
// Is the text a tuple?  As in Python, `()`, `(1,)` and `(n=1)` are tuples,
// `(1)` and `(3 + 4) * 5` are not.  A bracket without its end counts as a
// tuple's.
bool items_are_tuple(const char *text);
// The value without brackets around all of it, unless they make it a tuple.
const char *items_unwrap(Arena *arena, const char *text);
// The next item, without the comma, at the comma or bracket before which
// `*text` then is.
const char *items_take(Arena *arena, const char **text);
// The name before `=`, which is gone from `*item`; NULL: there is none.
const char *items_take_name(Arena *arena, const char **item);
// `text` with each expression replaced by its value, if the expression is all
// of the text, or an item in a tuple or between tuples: `(1+2, n=(4*1024,)),
// 2*2` is `(3, n=(4096,)), 4`.  NULL with the reason in `why` if an expression
// has no value.
const char *items_compute(Arena *arena, const char *text, const char **why);
// The place in `text` of a character of items_compute(), or of the item that
// has no result.
size_t items_place(Arena *arena, const char *text, size_t place);

#endif
