// usual_name.c -- the table usual_names.def.
#include "frontend/core/walk.h"

#include <string.h>

static const struct {
  UsualKind kind;
  const char *theirs, *ours;
} rows[] = {
#define USUAL(kind, theirs, ours) {USUAL_##kind, theirs, ours},
#include "frontend/core/usual_names.def"
};

const char *usual_name_next(UsualKind kind, const char *theirs, size_t *at) {
  while (*at < sizeof rows / sizeof *rows) {
    const size_t i = (*at)++;
    if (rows[i].kind == kind && !strcmp(rows[i].theirs, theirs))
      return rows[i].ours;
  }
  return NULL;
}

const char *usual_name(UsualKind kind, const char *theirs) {
  size_t at = 0;
  return usual_name_next(kind, theirs, &at);
}
