// triton_modules.h -- names that modules of Triton have.
#ifndef TILE_FRONTEND_TRITON_MODULES_H
#define TILE_FRONTEND_TRITON_MODULES_H

#include <stdbool.h>

typedef struct {
  const char *name;
  const char *names;  // names of the module, each between blanks
  const char *others; // names that another release of the module has
} TritonModule;

// The module with that dotted name; NULL if there is none.
const TritonModule *triton_module(const char *name);
// Is `name` one of `names`?
bool names_list(const char *names, const char *name);
// Is `name` in the module of that dotted name?
bool triton_module_has(const char *module, const char *name);
// Does the module `triton` have the name for host code, like `triton.autotune`?
bool triton_has_for_host(const char *name);

#endif
