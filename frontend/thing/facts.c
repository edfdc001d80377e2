// facts.c -- facts about names of Python, and about modules without a file.
#include "frontend/thing/builtins.h"

#include <string.h>

const BuiltinRow *row_named(const BuiltinRow *rows, const char *name) {
  for (; rows->name; rows++)
    if (!strcmp(rows->name, name)) return rows;
  return NULL;
}

Thing *builtin_thing(Machine *m, const char *name) {
  const size_t length = strlen(name);
  static Thing none; // in the map: the name is no builtin
  Thing *x = map_get_text(&m->builtins, name, length);
  if (x) return x == &none ? NULL : x;
  const BuiltinRow *row = m->code->builtin_row(name);
  if (row) {
    x = thing_new(m, THING_BUILTIN);
    x->as.builtin = row;
  } else {
    x = exception_class(m, name);
  }
  if (!x && words_have(WORDS_PYTHON_OTHERS, name)) x = &thing_unknown;
  map_put_text(&m->builtins, m->arena, name, length, x ? x : &none);
  return x;
}

static bool begins(const char *dotted, const char *module) {
  const size_t length = strlen(module);
  return !strncmp(dotted, module, length) &&
         (!dotted[length] || dotted[length] == '.');
}

bool foreign_is_pure(const char *dotted) {
  // Some functions of these modules change lists: numpy.random.shuffle,
  // broadcast_object_list.
  if (begins(dotted, "numpy.random") || begins(dotted, "torch.distributed"))
    return false;
  return words_have_span(WORDS_MODULES_PURE, dotted, strcspn(dotted, "."));
}

bool foreign_only_marks(const char *dotted) {
  if (begins(dotted, "triton.testing")) return false; // do_bench calls it
  return begins(dotted, "triton") || begins(dotted, "torch.jit.ignore") ||
         begins(dotted, "typing");
}

const char *foreign_name(const char *dotted) {
  for (const char *s = strchr(dotted, '.'); s; s = strchr(s, '.')) {
    s++;
    if (words_have_span(WORDS_MODULES_WITHIN, s, strcspn(s, "."))) dotted = s;
  }
  return dotted;
}

bool foreign_gives_modules(const Thing *x) {
  return x->kind == THING_FOREIGN &&
         words_have(WORDS_GIVING_MODULES, x->as.foreign);
}

bool member_reaches_modules(const char *text, size_t length) {
  size_t count;
  const char *const *members = words_of(WORDS_WAYS_TO_MODULES, &count);
  for (size_t i = 0; i < count; i++) {
    const char *member = strrchr(members[i], '.') + 1;
    if (!strncmp(member, text, length) && !member[length]) return true;
  }
  return false;
}

bool foreign_reaches_modules(const char *dotted, const char *member) {
  size_t count;
  const char *const *members = words_of(WORDS_WAYS_TO_MODULES, &count);
  const size_t length = strlen(dotted);
  for (size_t i = 0; i < count; i++)
    if (*members[i] == *dotted && !strncmp(members[i], dotted, length) &&
        members[i][length] == '.' && !strcmp(members[i] + length + 1, member))
      return true;
  return begins(dotted, "builtins") || begins(dotted, "gc") ||
         begins(dotted, "sys.modules");
}
