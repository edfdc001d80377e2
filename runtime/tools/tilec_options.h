// tilec_options.h -- the options of tilec, by number.
#ifndef TILE_TOOLS_TILEC_OPTIONS_H
#define TILE_TOOLS_TILEC_OPTIONS_H

#include "runtime/tools/tilec.h"

typedef enum {
  FIRST_ID = 255,
#define OPTION(id, ...) OPTION_##id,
#define HEADING(...)
#define CONTINUED(...)
#include "runtime/tools/options.def"
} OptionId;

enum { NUM_OPTION_WORDS = 5, NUM_OPTION_FLAGS = 3 };
// Words with one dash; those at the front take no value.
extern const char *const option_words[];

// The option `name` as it is to be written.
const char *option_with_dashes(Tool *tool, const char *name);
// EXIT_FINE or EXIT_USAGE, the reason shown.
int option_apply(Tool *tool, int id, const char *value);

#endif
