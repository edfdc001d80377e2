// items.h -- tuples in the values of options, as texts: `(1, (2,), n)`.
#ifndef TILE_TOOLS_ITEMS_H
#define TILE_TOOLS_ITEMS_H

#include "ir/base/base.h"

// Whether it is a tuple.  As in Python, `(1)` and `(3 + 4) * 5` are none, `()`,
// `(1,)` and `(n=1)` are.  A bracket that is not closed counts as a tuple.
bool items_are_tuple(const char *text);
// The value without outer brackets, unless they make it a tuple.
const char *items_unwrap(Arena *arena, const char *text);
// Takes the next item; `*text` is then at the comma or bracket behind it.
const char *items_take(Arena *arena, const char **text);
// Takes the name before `=` from `*item`; NULL: there is none.
const char *items_take_name(Arena *arena, const char **item);

#endif
