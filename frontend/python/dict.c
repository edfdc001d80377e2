// dict.c -- dictionaries of constants, looked up while compiling.
//
// Keys keep the order in which they were first added.  Equal numbers are one
// key, as in Python.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/python/python.h"
#include "ir/base/base.h"

#include <assert.h>
#include <string.h>

const Object *dict_of(Walk *w, const DictEntries *entries) {
  assert(entries->keys.count == entries->items.count); // I1
  if (entries->arguments) return entries->arguments;
  return object_dict(w->arena, entries->keys.items, entries->items.items,
                     (int)entries->keys.count);
}

// Index of a key, or -1.
static int find_key(Walk *w, const Object *const *keys, size_t count,
                    const Object *key) {
  const ConstantContext c = constant_context(w, w->b.loc);
  for (size_t i = 0; i < count; i++) {
    if (constant_compare(&c, COMPARE_EQ, keys[i], key)->as.truth) return (int)i;
  }
  return -1;
}

static bool add_argument(Walk *w, DictEntries *entries, SrcLoc loc,
                         const Object *key, const Object *item) {
  if (key->kind != OBJECT_STRING)
    return diag_error(w->diags, loc, ERROR_double_star_wants_names,
                      text_of(w, key));
  entries->arguments = object_named_with(w->arena, entries->arguments,
                                         key->as.string.text, item);
  return true;
}

static bool is_arguments(const Object *x) {
  return x->kind == OBJECT_NAMED && x->as.named.given;
}

static bool gives(const Object *arguments, const Object *key) {
  for (int i = 0; i < arguments->as.named.count; i++)
    if (arguments->as.named.given[i] && key->kind == OBJECT_STRING &&
        !strcmp(arguments->as.named.names[i], key->as.string.text))
      return true;
  return false;
}

// `**args` of a launch: an argument with an unknown value is still a key.
static bool put_arguments(Walk *w, DictEntries *entries, SrcLoc loc,
                          const Object *from) {
  const bool first = !entries->arguments;
  if (first) entries->arguments = from;
  for (int i = 0; i < from->as.named.count; i++) {
    const char *name = from->as.named.names[i];
    const Object *item = object_named_item(from, i);
    if (!from->as.named.given[i]) continue;
    entries->arguments =
        object_named_with(w->arena, entries->arguments, name, item);
  }
  for (size_t i = 0; first && i < entries->keys.count; i++) {
    const Object *key = entries->keys.items[i];
    if (!gives(from, key) &&
        !add_argument(w, entries, loc, key, entries->items.items[i]))
      return false;
  }
  return true;
}

bool dict_put(Walk *w, DictEntries *entries, SrcLoc loc, const Object *key,
              const Object *item) {
  if (entries->arguments) return add_argument(w, entries, loc, key, item);
  if (!object_is_constant(key) || !object_is_constant(item))
    return diag_error(w->diags, loc, ERROR_dict_of_constants,
                      text_of(w, object_is_constant(key) ? item : key));
  const int at = find_key(w, entries->keys.items, entries->keys.count, key);
  assert(at < (int)entries->items.count); // I1
  if (at >= 0) {
    entries->items.items[at] = item;
    return true;
  }
  vec_push(w->arena, &entries->keys, key);
  vec_push(w->arena, &entries->items, item);
  return true;
}

// `**other`
bool dict_put_all(Walk *w, DictEntries *entries, SrcLoc loc,
                  const Object *from) {
  if (is_arguments(from)) return put_arguments(w, entries, loc, from);
  if (from->kind != OBJECT_DICT)
    return diag_error(w->diags, loc, ERROR_double_star_wants_dict,
                      text_of(w, from));
  for (int i = 0; i < from->as.dict.count; i++) {
    if (!dict_put(w, entries, loc, from->as.dict.keys[i],
                  from->as.dict.items[i]))
      return false;
  }
  return true;
}

const Object *dict_of_pairs(Walk *w, SrcLoc loc, const Object *pairs) {
  DictEntries entries = {0};
  for (int i = 0; i < pairs->as.tuple.count; i++) {
    const Object *pair = pairs->as.tuple.items[i];
    if (pair->kind != OBJECT_TUPLE || pair->as.tuple.count != 2)
      return walk_error(w, loc, ERROR_dict_wants_pairs, text_of(w, pair));
    if (!dict_put(w, &entries, loc, pair->as.tuple.items[0],
                  pair->as.tuple.items[1]))
      return NULL;
  }
  return dict_of(w, &entries);
}

const Object *dict_with(Walk *w, SrcLoc loc, const Object *dict,
                        const Object *key, const Object *item) {
  DictEntries entries = {0};
  assert(dict->kind == OBJECT_DICT); // I6
  for (int i = 0; i < dict->as.dict.count; i++) {
    vec_push(w->arena, &entries.keys, dict->as.dict.keys[i]);
    vec_push(w->arena, &entries.items, dict->as.dict.items[i]);
  }
  return dict_put(w, &entries, loc, key, item) ? dict_of(w, &entries) : NULL;
}

const Object *dict_find(Walk *w, const Object *dict, const Object *key) {
  assert(dict->kind == OBJECT_DICT); // I6
  const int at =
      find_key(w, dict->as.dict.keys, (size_t)dict->as.dict.count, key);
  return at < 0 ? NULL : dict->as.dict.items[at];
}

const Object *dict_keys(Walk *w, const Object *dict) {
  assert(dict->kind == OBJECT_DICT); // I6
  return object_tuple(w->arena, dict->as.dict.keys, dict->as.dict.count);
}

const Object *string_characters(Walk *w, const Object *x) {
  const char *text = x->as.string.text;
  const size_t length = x->as.string.length;
  const size_t count = count_characters(text, length);
  if (count > OBJECT_MAX_SIZE) return NULL;
  const Object **items = arena_array(w->arena, const Object *, count + 1);
  for (size_t i = 0, at = 0; i < count; i++) {
    const size_t n = characters_bytes(text + at, length - at, 1);
    items[i] =
        object_string(w->arena, arena_strndup(w->arena, text + at, n), n);
    at += n;
    assert(at <= length);
  }
  return object_tuple(w->arena, items, (int)count);
}

// The names of the arguments that a launch passes, as a tuple.
static const Object *named_keys(Walk *w, const Object *x) {
  const int n = x->as.named.count;
  const Object **keys = arena_array(w->arena, const Object *, n + 1);
  int count = 0;
  for (int i = 0; i < n; i++) {
    const char *name = x->as.named.names[i];
    if (x->as.named.given[i])
      keys[count++] = object_string(w->arena, name, strlen(name));
  }
  return object_tuple(w->arena, keys, count);
}

const Object *walk_iterable(Walk *w, const Object *x) {
  if (x->kind == OBJECT_DICT) return dict_keys(w, x);
  if (is_arguments(x)) return named_keys(w, x);
  if (x->kind == OBJECT_SET && x->as.set.count < 2) return walk_members(w, x);
  if (x->kind == OBJECT_STRING && walk_is_host(w))
    return string_characters(w, x);
  if (x->kind != OBJECT_TUPLE || !x->is_iterator || !walk_is_host(w))
    return x->kind == OBJECT_TUPLE ? x : NULL;
  if (x->is_spent) return NULL; // an iterator that is consumed has no items
  ((Object *)x)->is_spent = true;
  return x;
}

bool dict_spread(Walk *w, SrcLoc loc, const Object *dict, Arguments *out) {
  if (dict->kind != OBJECT_DICT)
    return diag_error(w->diags, loc, ERROR_double_star_wants_dict,
                      text_of(w, dict));
  for (int i = 0; i < dict->as.dict.count; i++) {
    const Object *key = dict->as.dict.keys[i];
    if (key->kind != OBJECT_STRING)
      return diag_error(w->diags, loc, ERROR_double_star_wants_names,
                        text_of(w, key));
    const char *name = program_intern(w->program, key->as.string.text);
    vec_push(w->arena, out,
             ((Argument){name, dict->as.dict.items[i], loc, loc}));
  }
  return true;
}

const Object *dict_union(Walk *w, SrcLoc loc, const Object *x,
                         const Object *y) {
  DictEntries entries = {0};
  if (!dict_put_all(w, &entries, loc, x) || !dict_put_all(w, &entries, loc, y))
    return NULL;
  return walk_own(w, dict_of(w, &entries), '{');
}

// -- Functions ---------------------------------------------------------------

// Has argument `n` the name of an earlier one, as `**` allows?
static bool is_again(const Arguments *args, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (args->items[i].name &&
        !strcmp(args->items[i].name, args->items[n].name))
      return true;
  return false;
}

// dict(), dict(pairs), dict(other), each also with `name=value` arguments.
const Object *call_dict(Walk *w, const Arguments *args) {
  DictEntries entries = {0};
  for (size_t i = 0; i < args->count; i++) {
    const Argument *arg = &args->items[i];
    const Object *x = arg->value;
    if (arg->name && is_again(args, i))
      return walk_error(w, arg->whole, ERROR_gets_twice, "dict", arg->name);
    if (arg->name) {
      const Object *key = object_string(w->arena, arg->name, strlen(arg->name));
      if (!dict_put(w, &entries, arg->loc, key, x)) return NULL;
      continue;
    }
    if (x->kind == OBJECT_TUPLE) x = dict_of_pairs(w, arg->loc, x);
    if (!x || !dict_put_all(w, &entries, arg->loc, x)) return NULL;
  }
  return dict_of(w, &entries);
}

// -- Methods -----------------------------------------------------------------

// Finds an argument of the launch; its value may be unknown.
static bool named_find(Walk *w, const BuiltinCall *c, const Object **out) {
  const Object *named = c->args[0], *key = c->args[1];
  const char *name = key->kind == OBJECT_STRING ? key->as.string.text : "";
  for (int i = 0; i < named->as.named.count; i++) {
    if (strcmp(named->as.named.names[i], name)) continue;
    if (named->as.named.given && !named->as.named.given[i]) return true;
    *out = object_named_item(named, i);
    return *out ||
           diag_error(w->diags, c->loc, ERROR_heuristic_value_unknown, name);
  }
  return true;
}

const Object *builtin_dict_get(Walk *w, const BuiltinCall *c) {
  const Object *x = c->args[0], *key = c->args[1], *found = NULL;
  if (!object_is_constant(key))
    return walk_error(w, c->locs[1], ERROR_dict_of_constants, text_of(w, key));
  if (x->kind != OBJECT_NAMED)
    found = dict_find(w, x, key);
  else if (!named_find(w, c, &found))
    return NULL;
  if (found) return found;
  return c->args[2] ? c->args[2] : &object_none;
}

// keys(), values() and items().
const Object *builtin_dict_list(Walk *w, const BuiltinCall *c) {
  const Object *x = c->args[0];
  const char written = walk_is_host(w) ? 'v' : 0;
  if (is_arguments(x) && c->info->data == 'k')
    return object_written(named_keys(w, x), written);
  if (x->kind != OBJECT_DICT)
    return walk_error(w, c->loc, ERROR_computed_by_host, c->info->name);
  if (c->info->data == 'k') return object_written(dict_keys(w, x), written);
  const int n = x->as.dict.count;
  if (c->info->data == 'v')
    return object_written(object_tuple(w->arena, x->as.dict.items, n), written);
  const Object **pairs = arena_array(w->arena, const Object *, n + 1);
  for (int i = 0; i < n; i++) {
    const Object *pair[] = {x->as.dict.keys[i], x->as.dict.items[i]};
    pairs[i] = object_written(object_tuple(w->arena, pair, 2), '(');
  }
  return object_written(object_tuple(w->arena, pairs, n), written);
}
