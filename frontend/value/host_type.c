// host_type.c -- types of torch and numpy, by their names.
#include "frontend/value/host_type.h"

#include <string.h>

// The member's name, if it belongs to a module with types; else "".
static const char *member_of(const char *name) {
  const bool known = !strncmp(name, "torch.", 6) || !strncmp(name, "numpy.", 6);
  return known ? name + 6 : "";
}

static DtypeId dtype_named(const char *name) {
  static const struct {
    const char *name;
    DtypeId id;
  } others[] = {
#define TORCH_DTYPE(name, id) {name, DTYPE_##id},
#include "frontend/value/dtypes.def"
  };
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    if (!strcmp(others[i].name, name)) return others[i].id;
  }
  return dtype_find_attribute(name);
}

DtypeId host_dtype(const Object *x) {
  if (x->kind != OBJECT_SYMBOL || x->as.symbol->kind != SYMBOL_EXTERNAL)
    return DTYPE_COUNT;
  return dtype_named(member_of(x->as.symbol->name));
}

bool host_is_type(const Object *x) {
  return host_dtype(x) != DTYPE_COUNT;
}

bool host_same_type(const char *a, const char *b) {
  const DtypeId id = dtype_named(member_of(a));
  return id != DTYPE_COUNT && id == dtype_named(member_of(b)) && *a == *b;
}

bool host_is_limits(const char *name) {
  return !strcmp(member_of(name), "finfo") || !strcmp(member_of(name), "iinfo");
}
