// builtins.h -- functions and methods of Python, and parts of them.
#ifndef TILE_FRONTEND_BUILTINS_OF_PYTHON_H
#define TILE_FRONTEND_BUILTINS_OF_PYTHON_H

#include "frontend/thing/objects.h"

// The row of that name, or NULL; the table ends with a row without a name.
const BuiltinRow *row_named(const BuiltinRow *rows, const char *name);
const BuiltinRow *record_row(const char *name);
const BuiltinRow *value_row(const char *name);
const BuiltinRow *object_row(const char *name);
Thing *of_builtin(Machine *m, Thing *x, const char *name);
Thing *globals_get(Machine *m, Thing *self, Things *args, ArgNames names,
                   int data);
Thing *globals_update(Machine *m, Thing *self, Things *args, ArgNames names,
                      int data);
// A list of the items, sorted by `key` and `reverse` among the arguments.
Thing *run_sorted(Machine *m, const Things *items, const Things *args,
                  ArgNames names);
// A method of a list, a dictionary, a set or a text; NULL if there is none.
Thing *method_thing(Machine *m, Thing *self, const char *name);
// The number of steps from `start` to before `stop`; `step` is not 0.
Integer count_steps(Integer start, Integer stop, Integer step);
Integer range_count(const Thing *range);

#endif
