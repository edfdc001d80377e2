// usual_name.h -- names of other languages and libraries, and ours for them.
#ifndef TILE_FRONTEND_USUAL_NAME_H
#define TILE_FRONTEND_USUAL_NAME_H

#include <stddef.h>

typedef enum {
  USUAL_WORD,
  USUAL_PARAMETER,
  USUAL_TYPE,
  USUAL_BUILTIN,
  USUAL_METHOD,
} UsualKind;

// Our name for `theirs`, or NULL.
const char *usual_name(UsualKind kind, const char *theirs);
// The next one from row `*at` on, which is 0 at first; NULL: there is none.
const char *usual_name_next(UsualKind kind, const char *theirs, size_t *at);

#endif
