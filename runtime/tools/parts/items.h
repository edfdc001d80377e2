// items.h -- tuples in the values of options, as texts: `(1, (2,), n)`.
#ifndef TILE_TOOLS_ITEMS_H
#define TILE_TOOLS_ITEMS_H

#include "ir/base/base.h"

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
