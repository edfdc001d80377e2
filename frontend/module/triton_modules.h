// triton_modules.h -- names that modules of Triton have.
#ifndef TILE_FRONTEND_TRITON_MODULES_H
#define TILE_FRONTEND_TRITON_MODULES_H

#include <stdbool.h>

typedef struct {
  const char *name;
  const char *names;  // that it has, each between blanks
  const char *others; // that some release of it has
} TritonModule;

// By its dotted name; NULL: there is no such module.
const TritonModule *triton_module(const char *name);
// Is `name` one of `names`?
bool names_list(const char *names, const char *name);
// Is it in the module of that dotted name?
bool triton_module_has(const char *module, const char *name);
// Does `triton` have it for host code, like `triton.autotune`?
bool triton_has_for_host(const char *name);

#endif
