// releases.h -- where the releases of Triton differ.
#ifndef TILE_FRONTEND_RELEASES_H
#define TILE_FRONTEND_RELEASES_H

#include "frontend/module/program.h"

typedef enum {
#define RELEASE(...)
#define RULE(id, first, what) RULE_##id,
#define KEYWORDS(...)
#include "frontend/core/releases.def"
} Rule;

// How many arguments of a function of the language may come without a name.
int num_positional(const Program *program, const char *function);
bool rule_holds(const Program *program, Rule rule);
// As `triton.__version__` says it: "3.8.0".
const char *release_version(const Program *program);

#endif
