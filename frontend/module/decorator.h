// decorator.h -- the meaning of a decorator.
#ifndef TILE_FRONTEND_DECORATOR_H
#define TILE_FRONTEND_DECORATOR_H

#include "frontend/module/program.h"

// The decorator's name in Triton ("jit", "autotune", ...) for the tokens
// [begin, end) at `place`, whatever the file calls it.  A decorator of another
// library keeps its name, but a jit that is not Triton's is "".  If a function
// of the file applies several, the innermost counts.
const char *decorator_name(Program *program, AstFile *file, AstPlace place,
                           uint32_t begin, uint32_t end);

// The same, with the call that has its options.
Decorator decorator_parse(Program *program, AstFile *file, AstPlace place,
                          uint32_t begin, uint32_t end);

// The argument at that position or of that name; NULL if there is none.
const Expr *call_argument(const Expr *call, const char *name, int position);

// The option of a decorator.  If a function of the file makes the decorator:
// the option of the call in that function, or, if that option is unknown, the
// whole decorator.
const Expr *decorator_option(const Decorator *d, const char *name,
                             int position);

// "autotune" or "heuristics", if one of them is mentioned anywhere in code that
// the tokens refer to; else NULL.
const char *decorator_hidden(Program *program, AstFile *file, AstPlace place,
                             uint32_t begin, uint32_t end);

// Properties of a decorator of the language, by its name.
bool decorator_compiles(const char *name);
bool decorator_runs_while_compiling(const char *name);
bool decorator_tunes(const char *name);

// -- The arguments of @jit (jit_options.c) -----------------------------------

// Does `option`, a list of names and positions such as do_not_specialize,
// name parameter `index`?
bool jit_option_names(const AstFunction *function, const char *option,
                      int index);
// Does the item of such a list name parameter `index`?
bool jit_item_names(const Expr *item, const AstFunction *function, int index);

#endif
