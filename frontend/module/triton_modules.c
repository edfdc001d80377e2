// triton_modules.c -- names that modules of Triton have; see
// triton_modules.def.
#include "frontend/module/triton_modules.h"

#include "frontend/value/value.h"
#include "ir/base/base.h"

#include <string.h>

bool names_list(const char *names, const char *name) {
  const size_t length = strlen(name);
  if (!length || strchr(name, ' ')) return false;
  for (const char *at = names; (at = strstr(at, name)); at++) {
    if (at > names && at[-1] == ' ' && at[length] == ' ') return true;
  }
  return false;
}

const TritonModule *triton_module(const char *name) {
  static const TritonModule modules[] = {
#define MODULE(name, names, others) {name, names, others},
#include "frontend/module/triton_modules.def"
  };
  for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
    if (!strcmp(modules[i].name, name)) return &modules[i];
  }
  return NULL;
}

bool triton_module_has(const char *module, const char *name) {
  const TritonModule *found = triton_module(module);
  return found && names_list(found->names, name);
}

bool triton_has_for_host(const char *name) {
  return words_have(WORDS_TRITON_OF_HOST, name);
}
