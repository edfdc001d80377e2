// releases.c -- the table of Triton's releases and their rules.
#include "frontend/core/walk.h"

#include <limits.h>
#include <string.h>

typedef struct {
  int number;
  const char *name;
} Release;

static const Release releases[] = {
#define RELEASE(number, name) {number, name},
#define RULE(...)
#define KEYWORDS(...)
#include "frontend/core/releases.def"
};
enum { NUM_RELEASES = sizeof releases / sizeof *releases };

static const int rule_first[] = {
#define RELEASE(...)
#define RULE(id, first, what) first,
#define KEYWORDS(...)
#include "frontend/core/releases.def"
};

static const struct {
  const char *function;
  int first, count;
} keywords[] = {
#define RELEASE(...)
#define RULE(...)
#define KEYWORDS(function, first, count) {function, first, count},
#include "frontend/core/releases.def"
};

// The release's number; 0 means the newest.
static int number_of(int release) {
  return release ? release : releases[NUM_RELEASES - 1].number;
}

int frontend_find_release(const char *name) {
  for (int i = 0; i < NUM_RELEASES; i++)
    if (!strcmp(releases[i].name, name)) return releases[i].number;
  return 0;
}

const char *frontend_release_name(int number) {
  for (int i = 0; i < NUM_RELEASES; i++)
    if (releases[i].number == number_of(number)) return releases[i].name;
  return NULL;
}

const char *frontend_releases(Arena *arena) {
  const char *all = "";
  for (int i = 0; i < NUM_RELEASES; i++)
    all = arena_printf(arena, "%s%s%s", all,
                       !i                     ? ""
                       : i < NUM_RELEASES - 1 ? ", "
                                              : " or ",
                       releases[i].name);
  return all;
}

static bool is_at_least(const Program *program, int first) {
  return number_of(program->release) >= first;
}

bool rule_holds(const Program *program, ReleaseRule rule) {
  return is_at_least(program, rule_first[rule]);
}

int num_positional(const Program *program, const char *function) {
  for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
    if (!strcmp(keywords[i].function, function) &&
        is_at_least(program, keywords[i].first))
      return keywords[i].count;
  }
  return INT_MAX;
}

const char *release_version(const Program *program) {
  return arena_printf(program->arena, "%s.0",
                      frontend_release_name(program->release));
}
