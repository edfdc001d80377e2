// host_name.c -- the table host_names.def.
#include "frontend/value/host_name.h"

#include <string.h>

typedef enum { LIBRARY, PACKAGE, BUILTIN, MATH } HostNameKind;

static const struct {
  HostNameKind kind;
  const char *name;
} rows[] = {
#define HOST_NAME(kind, name) {kind, name},
#include "frontend/value/host_names.def"
};

static bool has(HostNameKind kind, const char *name, size_t length) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (rows[i].kind == kind && strlen(rows[i].name) == length &&
        !memcmp(rows[i].name, name, length))
      return true;
  }
  return false;
}

bool host_is_library(const char *dotted) {
  return has(LIBRARY, dotted, strcspn(dotted, "."));
}

bool host_is_package(const char *dotted) {
  return has(PACKAGE, dotted, strcspn(dotted, "."));
}

bool host_has_builtin(const char *name) {
  return has(BUILTIN, name, strlen(name));
}

bool host_has_math(const char *name) {
  return has(MATH, name, strlen(name));
}

const char *name_last_part(const char *dotted) {
  const char *dot = strrchr(dotted, '.');
  return dot ? dot + 1 : dotted;
}
