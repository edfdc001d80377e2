// facts.c -- facts about the host that are the same on all machines.
//
// A fact is a constant: the release of Python, of torch.  An environment
// variable counts as unset, unless a line of the program sets it.
#include "frontend/python/python.h"

#include "frontend/core/builtins.h"
#include "frontend/core/walk.h"
#include "frontend/errors.h"
#include "frontend/module/module.h"
#include "frontend/scan/scan.h"

#include <string.h>

static const char version_class[] = "Version"; // of `packaging`

// A tuple of numbers; the first three are `.major`, `.minor` and `.micro`.
static const Object *release_of(Walk *w, const char *class, int count,
                                const Object *const *numbers) {
  static const char *const names[] = {"major", "minor", "micro", "fourth"};
  AstClass *named = arena_new(w->arena, AstClass);
  named->name = class;
  named->num_fields = count;
  named->fields = arena_array(w->arena, AstField, count);
  for (int i = 0; i < count; i++) named->fields[i].name = names[i];
  Object *release = arena_new(w->arena, Object);
  *release = *object_tuple(w->arena, numbers, count);
  release->as.tuple.class = named;
  return release;
}

const Object *host_attribute(Walk *w, const Object *x, const char *name) {
  const AstClass *class = x->kind == OBJECT_TUPLE ? x->as.tuple.class : NULL;
  if (!class || class->file || strcmp(class->name, version_class) != 0 ||
      strcmp(name, "release") != 0)
    return NULL;
  return object_tuple(w->arena, x->as.tuple.items, 3);
}

const Object *language_version(Walk *w) {
  const char *version = release_version(w->program);
  return object_string(w->arena, version, strlen(version));
}

static const Object *python_release(Walk *w) {
  const Object *numbers[] = {object_int(w->arena, 3), object_int(w->arena, 12),
                             object_int(w->arena, 0)};
  return release_of(w, "version_info", 3, numbers);
}

// Runs the modules, if they have not run: then program->variables has those
// that the run sets, too.
static void run_modules(Program *program) {
  (void)program->world->reach(program, program_main_file(program), 0);
}

// Completes program->variables, the variables that files set: those that lines
// name, and those that calls set, by their literals or when the modules run.
static void find_variables(Program *program) {
  program_follow_variables(program);
  scan_calls_of_setters(program);
  run_modules(program);
}

// The environment: variables that lines set, with unknown values; NULL if any
// variable may be set.
static const Object *environment(Walk *w) {
  find_variables(w->program);
  if (w->program->any_variable) return NULL;
  const Symbol unknown = {.kind = SYMBOL_EXTERNAL, .name = environment_name};
  const Object *value = object_symbol(w->arena, &unknown);
  const size_t count = w->program->variables.count;
  const Object **keys = arena_array(w->arena, const Object *, count + 1);
  const Object **items = arena_array(w->arena, const Object *, count + 1);
  for (size_t i = 0; i < count; i++) {
    const char *name = w->program->variables.items[i];
    keys[i] = object_string(w->arena, name, strlen(name));
    items[i] = value;
  }
  return object_dict(w->arena, keys, items, (int)count);
}

static bool is_set(Program *program, const char *variable) {
  find_variables(program);
  for (size_t i = 0; i < program->variables.count; i++)
    if (!strcmp(program->variables.items[i], variable)) return true;
  return program->any_variable;
}

const Object *host_fact(Walk *w, const char *dotted) {
  static const char *const texts[][2] = {
#define TEXT(name, value) {name, value},
#include "frontend/python/facts.def"
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    if (!strcmp(dotted, texts[i][0]))
      return object_string(w->arena, texts[i][1], strlen(texts[i][1]));
  }
  if (!strcmp(dotted, "typing.TYPE_CHECKING")) return &object_false;
  if (!strcmp(dotted, "torch.version.hip")) return &object_none;
  if (!strcmp(dotted, environment_name)) return environment(w);
  if (!strcmp(dotted, "sys.version_info")) return python_release(w);
  return NULL;
}

static const char *string_of(const Object *x) {
  return x->kind == OBJECT_STRING ? x->as.string.text : "";
}

// A release as a tuple of numbers, up to the first part that is no number:
// "3.7.0+git" is (3, 7, 0, 0).  Missing numbers are 0, so that 3.7 is 3.7.0.
const Object *builtin_version(Walk *w, const BuiltinCall *c) {
  enum { NUM_PARTS = 4 };
  if (c->args[0]->kind != OBJECT_STRING)
    return walk_error(w, c->locs[0], ERROR_string_method_wants_strings,
                      c->info->name, text_of(w, c->args[0]));
  const Object *parts[NUM_PARTS];
  const char *at = c->args[0]->as.string.text;
  for (int i = 0; i < NUM_PARTS; i++) {
    Integer value = 0;
    for (; *at >= '0' && *at <= '9' && value < 1000000; at++)
      value = value * 10 + (*at - '0');
    parts[i] = object_int(w->arena, value);
    at = *at == '.' ? at + 1 : "";
  }
  return release_of(w, version_class, NUM_PARTS, parts);
}

const Object *builtin_getenv(Walk *w, const BuiltinCall *c) {
  const char *name = string_of(c->args[0]);
  if (is_set(w->program, name))
    return walk_error(w, c->locs[0], ERROR_computed_by_host, name);
  return c->args[1] ? c->args[1] : &object_none;
}

const Object *builtin_platform(Walk *w, const BuiltinCall *c) {
  (void)c;
  return object_string(w->arena, "Linux", 5);
}

const Object *builtin_package_version(Walk *w, const BuiltinCall *c) {
  const char *name = string_of(c->args[0]);
  const Object *version = NULL;
  if (!strcmp(name, "triton")) version = language_version(w);
  if (!strcmp(name, "torch")) version = host_fact(w, "torch.__version__");
  return version ? version
                 : walk_error(w, c->locs[0], ERROR_computed_by_host,
                              text_of(w, c->args[0]));
}
