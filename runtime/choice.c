// choice.c -- a point of a search space as text: "BLOCK=64, num_warps=4".
//
// The values have the notation of -D.
#include "runtime/choose.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- Written -----------------------------------------------------------------

static bool add_string(Str *out, const char *text) {
  str_addf(out, "\"%s\"", text);
  for (; *text; text++)
    if (strchr("\"\\", *text) || (unsigned char)*text < ' ') return false;
  return true;
}

static bool add_value(Str *out, const ArgSpec *spec) {
  if (spec->kind == ARG_STRING) return add_string(out, spec->text);
  return constant_print(spec, out) &&
         (spec->kind != ARG_FLOAT || isfinite(spec->f));
}

static void add_name(Str *out, const char *name) {
  str_addf(out, "%s%s=", out->length ? ", " : "", name);
}

const char *choice_print(Arena *arena, const TileKernel *kernel,
                         const ArgSpec *args, const bool *marks, int num_warps,
                         int num_stages) {
  Str out = str_in(arena);
  for (size_t i = 0; i < kernel->num_params; i++) {
    if (!marks[i]) continue;
    add_name(&out, kernel->params[i].name);
    if (!add_value(&out, &args[i])) return NULL;
  }
  if (num_warps) {
    add_name(&out, "num_warps");
    str_addf(&out, "%d", num_warps);
  }
  if (num_stages) {
    add_name(&out, "num_stages");
    str_addf(&out, "%d", num_stages);
  }
  return str_text(&out);
}

// -- Read --------------------------------------------------------------------

// Cuts off "NAME=VALUE"; a comma within a string does not end it.
static bool next_item(Arena *arena, const char **text, const char **name,
                      const char **value) {
  const char *equals = strchr(*text, '=');
  if (!equals) return false;
  bool quoted = false;
  const char *end = equals + 1;
  for (; *end && (quoted || *end != ','); end++)
    if (*end == '"') quoted = !quoted;
  *name = arena_strndup(arena, *text, (size_t)(equals - *text));
  *value = arena_strndup(arena, equals + 1, (size_t)(end - equals - 1));
  *text = end + strspn(end, ", ");
  return true;
}

static bool same_value(const ArgSpec *a, const ArgSpec *b) {
  if (a->kind != b->kind) return false;
  switch (a->kind) {
  case ARG_NONE: return true;
  case ARG_BOOL:
  case ARG_INT: return a->i == b->i;
  case ARG_FLOAT: return !(a->f < b->f) && !(a->f > b->f);
  case ARG_STRING:
  case ARG_DTYPE: return !strcmp(a->text, b->text);
  default: return false;
  }
}

// The launch's own options come first: another value makes it another launch.
static bool set_option(const char *value, int *option) {
  char *end;
  const long number = strtol(value, &end, 10);
  if (end == value || *end || number < 1 || number > INT_MAX) return false;
  if (!*option) *option = (int)number;
  return *option == number;
}

static bool set_param(Arena *arena, const TileKernel *kernel, const char *name,
                      const char *value, ArgSpec *args) {
  DiagList quiet;
  ArgSpec spec;
  size_t i = 0;
  while (i < kernel->num_params && strcmp(kernel->params[i].name, name)) i++;
  diag_init_muted(&quiet, arena);
  if (i == kernel->num_params ||
      !frontend_parse_value(arena, &quiet, "", value, &spec))
    return false;
  if (args[i].kind == ARG_ABSENT) args[i] = spec;
  return same_value(&args[i], &spec);
}

static bool apply_all(Arena *arena, const TileKernel *kernel, const char *text,
                      ArgSpec *args, Specialization *spec) {
  const char *name, *value;
  while (*text) {
    if (!next_item(arena, &text, &name, &value)) return false;
    int *option = !strcmp(name, "num_warps")    ? &spec->num_warps
                  : !strcmp(name, "num_stages") ? &spec->num_stages
                                                : NULL;
    if (option ? !set_option(value, option)
               : !set_param(arena, kernel, name, value, args))
      return false;
  }
  return true;
}

bool choice_apply(Arena *arena, const TileKernel *kernel, const char *text,
                  ArgSpec *args, Specialization *spec) {
  const size_t count = kernel->num_params;
  Specialization new_spec = *spec;
  ArgSpec *new_args = arena_array(arena, ArgSpec, count + 1);
  memcpy(new_args, args, count * sizeof *args);
  if (!apply_all(arena, kernel, text, new_args, &new_spec)) return false;
  memcpy(args, new_args, count * sizeof *args);
  *spec = new_spec;
  return true;
}
