// builtins.c -- lookup of the language's functions, and binding of arguments.
#include "frontend/core/builtins.h"

#include "frontend/core/walk.h"
#include "frontend/errors.h"
#include "frontend/language/language.h"
#include "frontend/walk/element.h"
#include "frontend/walk/evaluate.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const Builtin builtins[] = {
#define GROUP(title)
#define BUILTIN(name, space, handler, data, params, summary)                   \
  {name, SPACE_##space, builtin_##handler, data, params},
#define UNSUPPORTED(name, space) {name, SPACE_##space, NULL, 0, ""},
#include "frontend/core/builtins.def"
};

enum { NUM_BUILTINS = (int)(sizeof builtins / sizeof *builtins) };

// -- Finding -----------------------------------------------------------------

static const Builtin *find(const char *name, unsigned spaces) {
  for (int i = 0; i < NUM_BUILTINS; i++) {
    if (!(spaces & 1u << builtins[i].space)) continue;
    const char *known = builtins[i].name;
    if (*known == *name && !strcmp(known, name)) return &builtins[i];
  }
  return NULL;
}

enum {
  IN_LANGUAGE = 1u << SPACE_LANGUAGE | 1u << SPACE_METHOD,
  IN_LIBDEVICE = 1u << SPACE_LIBDEVICE,
  IN_PYTHON = 1u << SPACE_PYTHON,
};

static const char *after(const char *name, const char *prefix) {
  const size_t n = strlen(prefix);
  return strncmp(name, prefix, n) ? NULL : name + n;
}

// The rest of a name that begins with one of the words, else NULL.
static const char *after_any(const char *name, WordList prefixes) {
  size_t count;
  const char *const *prefix = words_of(prefixes, &count);
  const char *rest = NULL;
  for (size_t i = 0; i < count && !rest; i++) rest = after(name, prefix[i]);
  return rest;
}

const Builtin *builtin_find(const char *name) {
  const char *math = after_any(name, WORDS_PREFIXES_OF_LIBDEVICE);
  const Builtin *found = math ? find(math, IN_LIBDEVICE) : NULL;
  if (found) return found;
  const char *rest = math ? math : after_any(name, WORDS_PREFIXES_OF_LANGUAGE);
  return find(rest ? rest : name, IN_LANGUAGE);
}

const Builtin *builtin_find_bare(const char *name) {
  const Builtin *python = find(name, IN_PYTHON);
  if (python) return python;
  const Builtin *found = find(name, IN_LANGUAGE);
  return found ? found : find(name, IN_LIBDEVICE);
}

const Builtin *builtin_find_host(const char *dotted) {
  return find(dotted, 1u << SPACE_HOST);
}

const Builtin *builtin_find_method(const char *name) {
  const Builtin *method = find(name, 1u << SPACE_METHOD);
  char operator[sizeof "tensor.__rfloordiv__"];
  if (method || *name != '_' || strlen(name) > strlen("__rfloordiv__"))
    return method;
  snprintf(operator, sizeof operator, "tensor.%s", name);
  return find(operator, 1u << SPACE_LANGUAGE);
}

bool language_has(const char *name) {
  return find(name, IN_LANGUAGE | IN_LIBDEVICE) ||
         dtype_find_attribute(name) != DTYPE_COUNT;
}

// Is the builtin offered by a search within that space?
static bool is_within(const Builtin *info, BuiltinSpace within) {
  if (within == SPACE_LANGUAGE) return 1u << info->space & IN_LANGUAGE;
  if (within == SPACE_PYTHON)
    return 1u << info->space & (IN_LANGUAGE | IN_PYTHON);
  return info->space == within;
}

const char *builtin_nearest(Arena *arena, const char *name,
                            BuiltinSpace within) {
  const bool types = within == SPACE_LANGUAGE || within == SPACE_PYTHON;
  const char **names =
      arena_array(arena, const char *, NUM_BUILTINS + DTYPE_COUNT);
  size_t n = 0;
  for (int i = 0; i < NUM_BUILTINS; i++) {
    if (is_within(&builtins[i], within)) names[n++] = builtins[i].name;
  }
  for (int i = 0; i < DTYPE_COUNT && types; i++) {
    // `void` is no type of a value
    if (i != DTYPE_VOID) names[n++] = dtype_info[i].attribute;
  }
  return diag_nearest(name, names, n);
}

const char *builtin_nearest_member(Arena *arena, const char *owner,
                                   const char *const *others, size_t num_others,
                                   const char *name) {
  const char **names =
      arena_array(arena, const char *, (size_t)NUM_BUILTINS + num_others);
  size_t n = 0;
  for (; n < num_others; n++) names[n] = others[n];
  for (int i = 0; i < NUM_BUILTINS; i++) {
    const char *rest = after(builtins[i].name, owner);
    if (rest && !strchr(rest, '.')) names[n++] = rest;
  }
  return diag_nearest(name, names, n);
}

// -- Parameters --------------------------------------------------------------

typedef struct {
  const char *name;
  size_t length;
  bool optional, rest;
} BuiltinParam;

// Reads the next parameter of `*params`; false at the end.
static bool next_param(const char **params, BuiltinParam *out) {
  const char *p = *params;
  while (*p == ' ') p++;
  if (!*p) return false;
  *out = (BuiltinParam){.rest = *p == '*'};
  p += out->rest;
  out->name = p;
  while (*p && *p != ' ' && *p != '?') p++;
  out->length = (size_t)(p - out->name);
  out->optional = *p == '?';
  *params = p + out->optional;
  return true;
}

static int read_params(const char *text, BuiltinParam *out) {
  int n = 0;
  while (n < MAX_BUILTIN_PARAMS && next_param(&text, &out[n])) n++;
  assert(!text[strspn(text, " ")]); // I1
  return n;
}

static bool is_named(const BuiltinParam *p, const char *name) {
  return strlen(name) == p->length && !memcmp(name, p->name, p->length);
}

typedef struct {
  Walk *w;
  BuiltinCall *call;
  BuiltinParam params[MAX_BUILTIN_PARAMS];
  int num_params;
  bool numbered;  // the parameters are also called arg0, arg1, ...
  bool is_method; // the first parameter is the object
  Vec(const Object *) rest;
  Vec(SrcLoc) rest_locs;
} BuiltinBinder;

static void push_rest(BuiltinBinder *b, const Argument *arg) {
  vec_push(b->w->arena, &b->rest, arg->value);
  vec_push(b->w->arena, &b->rest_locs, arg->loc);
}

// Releases with block pointers had no keyword-only parameters.
static bool check_position(const BuiltinBinder *b, int position,
                           const Argument *arg) {
  const BuiltinCall *call = b->call;
  const bool in_order = call->args[0] && object_is_block_pointer(call->args[0]);
  if (in_order || position >= b->num_params ||
      position < num_positional(b->w->program, call->info->name))
    return true;
  const BuiltinParam *p = &b->params[position];
  return diag_error(b->w->diags, arg->loc, ERROR_given_by_name, (int)p->length,
                    p->name, call->info->name, (int)p->length, p->name,
                    text_of(b->w, arg->value));
}

static bool bind_positional(BuiltinBinder *b, int position,
                            const Argument *arg) {
  if (!check_position(b, position, arg)) return false;
  for (int i = 0; i < b->num_params; i++) {
    if (b->params[i].rest) {
      b->call->locs[i] =
          b->rest.count ? loc_up_to(b->call->locs[i], arg->loc) : arg->loc;
      push_rest(b, arg);
      return true;
    }
    if (i < position) continue;
    b->call->args[i] = arg->value;
    b->call->locs[i] = arg->loc;
    return true;
  }
  return diag_error(b->w->diags, arg->loc, ERROR_too_many_arguments,
                    b->call->info->name, b->num_params - b->is_method);
}

// The parameter that other libraries call `name`; NULL if there is none.
static const char *usual_parameter(const BuiltinBinder *b, const char *name) {
  size_t at = 0;
  for (const char *ours;
       (ours = usual_name_next(USUAL_PARAMETER, name, &at));) {
    for (int k = 0; k < b->num_params; k++)
      if (is_named(&b->params[k], ours)) return ours;
  }
  return NULL;
}

// The parameter whose name ends in `name`: `num_stages` for `stages`.
static const char *longer_name(const BuiltinBinder *b, const char *const *names,
                               const char *name) {
  for (int i = 0; i < b->num_params; i++)
    if (strlen(name) >= 4 && strstr(names[i], name)) return names[i];
  return NULL;
}

static bool no_parameter(const BuiltinBinder *b, const Argument *arg) {
  const char *names[MAX_BUILTIN_PARAMS];
  for (int i = 0; i < b->num_params; i++)
    names[i] =
        arena_strndup(b->w->arena, b->params[i].name, b->params[i].length);
  const char *near = usual_parameter(b, arg->name);
  if (!near) near = diag_nearest(arg->name, names, (size_t)b->num_params);
  if (!near) near = longer_name(b, names, arg->name);
  const char *name = b->call->info->name;
  if (!near)
    return diag_error(b->w->diags, arg->whole, ERROR_no_parameter, name,
                      arg->name);
  diag_error(b->w->diags, arg->whole, ERROR_no_parameter_near, name, arg->name,
             near);
  argument_fix_name(b->w, arg, near);
  return false;
}

// The parameter's own name, if it is called arg0, arg1, ... as in libdevice.
static const char *own_name(const BuiltinBinder *b, const char *name) {
  const bool numbered =
      b->numbered && !strncmp(name, "arg", 3) && name[3] && !name[4];
  const int n = numbered ? name[3] - '0' : -1;
  return n >= 0 && n < b->num_params
             ? arena_strndup(b->w->arena, b->params[n].name,
                             b->params[n].length)
             : name;
}

static bool bind_keyword(BuiltinBinder *b, const Argument *arg) {
  const char *name = own_name(b, arg->name);
  for (int i = 0; i < b->num_params; i++) {
    if (!is_named(&b->params[i], name)) continue;
    if (b->call->args[i])
      return diag_error(b->w->diags, arg->whole, ERROR_gets_twice,
                        b->call->info->name, arg->name);
    b->call->locs[i] = arg->loc;
    assert(i < b->num_params && b->num_params <= MAX_BUILTIN_PARAMS); // I1
    if (!b->params[i].rest) {
      b->call->args[i] = arg->value;
      return true;
    }
    push_rest(b, arg); // dims=(1, 0)
    return true;
  }
  return no_parameter(b, arg);
}

static bool check_missing(const BuiltinBinder *b) {
  for (int i = 0; i < b->num_params; i++) {
    const BuiltinParam *p = &b->params[i];
    if (p->optional || p->rest || b->call->args[i]) continue;
    diag_error(b->w->diags, b->call->loc, ERROR_missing_argument,
               b->call->info->name, (int)p->length, p->name);
    if (b->call->args[0]) note_items(b->w, b->call->args[0]);
    if (!strcmp(b->call->info->name, "arange"))
      diag_note(b->w->diags, (SrcLoc){0}, NOTE_arange);
    return false;
  }
  return true;
}

// The first parameter that has an argument.
static const char *first_param(const BuiltinBinder *b) {
  const BuiltinParam *p = &b->params[b->is_method];
  return b->num_params > b->is_method
             ? arena_strndup(b->w->arena, p->name, p->length)
             : "";
}

static bool bind_all(BuiltinBinder *b, const Object *self,
                     const Arguments *args) {
  bool ok = true;
  int position = 0;
  b->is_method = self != NULL;
  if (self) {
    const Argument first = {NULL, self, b->call->loc, b->call->loc};
    if (!bind_positional(b, position++, &first)) return false;
  }
  for (size_t i = 0; i < args->count; i++) {
    const Argument *arg = &args->items[i];
    if (arg->name || bind_positional(b, position++, arg)) continue;
    ok = false;
    break; // further ones are not reported
  }
  for (size_t i = 0; i < args->count; i++) {
    const Argument *arg = &args->items[i];
    if (arg->name) ok = bind_keyword(b, arg) && ok;
  }
  if (!ok) note_sizes(b->w, first_param(b), args);
  return ok && check_missing(b);
}

// The language's function in place of Python's max, sum, ..., if it is called
// with a tile and an axis.
static const Builtin *pick(const Builtin *info, const Arguments *args) {
  if (info->space != SPACE_PYTHON) return info;
  bool axis = args->count == 1 && object_is_tile(args->items[0].value);
  for (size_t i = 0; i < args->count; i++) {
    const char *name = args->items[i].name;
    axis = axis || (name && !strcmp(name, "axis"));
  }
  if (!strcmp(info->name, "sum") && args->count)
    axis = axis || object_is_tile(args->items[0].value);
  const Builtin *other = axis ? find(info->name, IN_LANGUAGE) : NULL;
  return other ? other : info;
}

bool builtin_bind(Walk *w, const Object *callee, SrcLoc loc,
                  const Arguments *args, BuiltinCall *out) {
  const Builtin *info = pick(callee->as.builtin.info, args);
  const Object *self = callee->as.builtin.self;
  *out = (BuiltinCall){.info = info, .loc = loc, .is_method = self != NULL};
  if (!info->run)
    return diag_error(w->diags, loc, ERROR_function_not_supported_yet,
                      info->name);
  BuiltinBinder b = {.w = w, .call = out};
  b.numbered =
      callee->as.builtin.is_libdevice || info->space == SPACE_LIBDEVICE;
  b.num_params = read_params(info->params, b.params);
  for (int i = 0; i < MAX_BUILTIN_PARAMS; i++) out->locs[i] = loc;
  if (!bind_all(&b, self, args)) return false;
  out->rest = b.rest.items;
  out->rest_locs = b.rest_locs.items;
  assert(b.rest.count == b.rest_locs.count); // I6
  out->num_rest = (int)b.rest.count;
  return true;
}

static bool is_method_of(const Builtin *info, const char *class) {
  return after(info->name, class) && after(info->params, "self");
}

static bool is_tuple(const Object *x) {
  return x->kind == OBJECT_TUPLE;
}

static bool is_dict(const Object *x) {
  return x->kind == OBJECT_DICT || x->kind == OBJECT_NAMED;
}

static bool is_set(const Object *x) {
  return x->kind == OBJECT_SET;
}

static bool is_number(const Object *x) {
  return object_is_number(x);
}

// The type of `self` that method `info` expects, called as `dict.items(x)`;
// NULL if `self` has it.
static const char *wanted_self(const Builtin *info, const Object *self) {
  static const struct {
    const char *class, *what;
    bool (*has)(const Object *x);
  } rows[] = {
      {"tuple.", "a tuple", is_tuple},        {"dict.", "a dict", is_dict},
      {"str.", "a string", object_is_string}, {"set.", "a set", is_set},
      {"int.", "an int", is_number},          {"float.", "a float", is_number},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (is_method_of(info, rows[i].class) && !rows[i].has(self))
      return rows[i].what;
  return NULL;
}

// For `tl.dtype.is_fp8(x)`: is x a type?
static bool check_self(Walk *w, const BuiltinCall *c) {
  const Builtin *info = c->info;
  const Object *self = c->args[0];
  const bool of_type =
      is_method_of(info, "dtype.") || is_method_of(info, "block_type.");
  if (of_type && self->kind != OBJECT_DTYPE)
    return diag_error(w->diags, c->locs[0], ERROR_wants_types, info->name,
                      text_of(w, self));
  if (is_method_of(info, "tensor_descriptor.") && !object_is_descriptor(self))
    return diag_error(w->diags, c->locs[0], ERROR_wants_descriptor, info->name,
                      text_of(w, self));
  const char *wanted = wanted_self(info, self);
  return !wanted || argument_wrong(w, c, 0, wanted);
}

// Underlines the two arguments that a message says are incompatible.
static void mark_operands(Walk *w, const BuiltinCall *c) {
  static const char *const messages[] = {ERROR_cannot_combine,
                                         ERROR_pointer_operand,
                                         ERROR_pointer_types_differ,
                                         ERROR_takes_no_pointers,
                                         ERROR_shapes_do_not_broadcast,
                                         ERROR_shapes_want_column,
                                         ERROR_mixed_signs,
                                         ERROR_dot_types_differ,
                                         ERROR_dot_shapes,
                                         ERROR_dot_inner_sizes,
                                         ERROR_cat_wants_two_one_type,
                                         ERROR_wants_two_one_type,
                                         ERROR_gather_shapes};
  const Diag *error = w->diags->newest;
  const int first = !strcmp(c->info->name, "where");
  const SrcLoc left = c->locs[first], right = c->locs[first + 1];
  if (!error || *c->info->params == '*' || !right.line) return;
  for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
    if (strcmp(error->format, messages[i]) != 0) continue;
    const bool method = left.column == c->loc.column; // the object of `x.f(y)`
    diag_ranges(w->diags, c->loc, method ? right : left, right);
  }
}

const Object *call_builtin(Walk *w, const Object *callee, SrcLoc loc,
                           const Arguments *args) {
  BuiltinCall call;
  if (!builtin_bind(w, callee, loc, args, &call)) return NULL;
  for (size_t i = 0; i < args->count; i++) {
    if (!walk_knows(w, loc, args->items[i].value)) return NULL;
  }
  if (!check_self(w, &call)) return NULL;
  w->b.loc = loc;
  const Op *before = w->mapping ? w->b.block->last : NULL;
  const Object *result = call.info->run(w, &call);
  if (!result) mark_operands(w, &call);
  if (result && w->mapping) return check_elements(w, &call, before, result);
  return result;
}
