// advice.h -- notes below an error that say what to write instead.
//
// Each belongs to the last error and says nothing where it has nothing to say.
#ifndef TILE_FRONTEND_ADVICE_H
#define TILE_FRONTEND_ADVICE_H

#include "frontend/core/builtins.h"

// Below an error about a thing of the host: where it comes from.
void note_host(Walk *w, const Object *x);
// Below an error about a value that should be constant: where it is one that
// was assigned, or a parameter, how to keep it.  Returns false.
bool note_run_time(Walk *w, const Object *x);
// `x` is a float where an integer is wanted: because of '/'?
void note_quotient(Walk *w, const Object *x);
// `x` is a tuple of tiles where one is wanted.
void note_items(Walk *w, const Object *x);
// The first argument is no pointer: is the second?
void note_exchanged(Walk *w, const BuiltinCall *c, const Object *second);
// Too many arguments where `param` is a list: were its items given?
void note_sizes(Walk *w, const char *param, const Arguments *args);
// A function of the user's, called last, gives what cannot be combined: where.
// False.
bool note_combined(Walk *w);
// A loop makes `after` of `name`, which is `before` ahead of it.
void note_carried(Walk *w, const char *name, const Object *before,
                  const Object *after);

#endif
