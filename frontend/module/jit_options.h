// jit_options.h -- what the arguments of a @jit decorator ask for.
#ifndef TILE_FRONTEND_JIT_OPTIONS_H
#define TILE_FRONTEND_JIT_OPTIONS_H

#include "frontend/syntax/ast.h"

// Does `option`, a list of names and positions such as do_not_specialize,
// name parameter `index`?
bool jit_option_names(const AstFunction *function, const char *option,
                      int index);
// Does the item of such a list name parameter `index`?
bool jit_item_names(const Expr *item, const AstFunction *function, int index);

#endif
