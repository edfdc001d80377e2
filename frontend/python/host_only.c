// host_only.c -- functions of Python that only host code calls: for iterators,
// and for the text of constants.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/python/python.h"
#include "ir/base/base.h"

bool call_is_of_host(Walk *w, const BuiltinCall *c) {
  return walk_is_host(w) ||
         diag_error(w->diags, c->loc, ERROR_host_builtin, c->info->name);
}

// -- Iterators ---------------------------------------------------------------

const Object *builtin_iter(Walk *w, const BuiltinCall *c) {
  const Object *x = c->args[0];
  if (!call_is_of_host(w, c)) return NULL;
  if (x->kind == OBJECT_TUPLE && x->is_iterator) return x;
  const Object *all = walk_iterable(w, x);
  if (!all)
    return walk_error(w, c->locs[0], ERROR_wants_tuple, c->info->name,
                      text_of(w, x));
  return object_iterator(
      object_tuple(w->arena, all->as.tuple.items, all->as.tuple.count));
}

// The first item of an iterator.  Iterators are not advanced here, so this one
// counts as consumed.
const Object *builtin_next(Walk *w, const BuiltinCall *c) {
  const Object *x = c->args[0];
  if (!call_is_of_host(w, c)) return NULL;
  const bool iterates = x->kind == OBJECT_TUPLE && x->is_iterator;
  const Object *all = iterates ? walk_iterable(w, x) : NULL;
  if (!all)
    return walk_error(w, c->locs[0], ERROR_next_wants_iterator, text_of(w, x));
  if (all->as.tuple.count) return all->as.tuple.items[0];
  return c->args[1] ? c->args[1]
                    : walk_error(w, c->loc, ERROR_wants_values, c->info->name);
}

// Passes the bounds as one tuple.
const Object *builtin_islice(Walk *w, const BuiltinCall *c) {
  if (!call_is_of_host(w, c)) return NULL;
  BuiltinCall call = *c;
  call.args[1] = object_tuple(w->arena, c->rest, c->num_rest);
  const Object *x = w->language->library(w, &call, "_itertools_islice");
  return x ? object_iterator(x) : NULL;
}

// -- Texts -------------------------------------------------------------------

static bool is_plain(const Object *x);

static bool are_plain(const Object *const *items, int count) {
  for (int i = 0; i < count; i++) {
    if (!is_plain(items[i])) return false;
  }
  return true;
}

// Is the text of the object here the same as in Python?
static bool is_plain(const Object *x) {
  if (x->kind == OBJECT_TUPLE)
    return x->as.tuple.written && x->as.tuple.written != 'v' &&
           !x->as.tuple.class && !x->is_iterator &&
           are_plain(x->as.tuple.items, x->as.tuple.count);
  if (x->kind == OBJECT_DICT)
    return are_plain(x->as.dict.keys, x->as.dict.count) &&
           are_plain(x->as.dict.items, x->as.dict.count);
  return x->kind <= OBJECT_STRING;
}

const Object *builtin_repr(Walk *w, const BuiltinCall *c) {
  if (!call_is_of_host(w, c)) return NULL;
  if (!is_plain(c->args[0]))
    return walk_error(w, c->locs[0], ERROR_host_builtin, c->info->name);
  if (!walk_shows(w, c->locs[0], c->args[0], true)) return NULL;
  const ConstantContext context = constant_context(w, c->loc);
  Str text = str_in(w->arena);
  object_print(c->args[0], true, &text);
  return constant_string(&context, &text);
}

// Strings here do not contain the character 0.
const Object *builtin_chr(Walk *w, const BuiltinCall *c) {
  int64_t code;
  if (!call_is_of_host(w, c) || !argument_between(w, c, 0, 1, 0x10ffff, &code))
    return NULL;
  if (code >= 0xd800 && code < 0xe000)
    return walk_error(w, c->loc, ERROR_host_builtin, c->info->name);
  Str text = str_in(w->arena);
  add_character(&text, (uint32_t)code);
  return object_string(w->arena, str_text(&text), text.length);
}

const Object *builtin_ord(Walk *w, const BuiltinCall *c) {
  const Object *x = c->args[0];
  if (!call_is_of_host(w, c)) return NULL;
  const Utf8 first = x->kind == OBJECT_STRING
                         ? utf8_next(x->as.string.text, x->as.string.length)
                         : (Utf8){0};
  if (first.length && first.length == x->as.string.length)
    return object_int(w->arena, first.code);
  return walk_error(w, c->locs[0], ERROR_ord_wants_character, text_of(w, x));
}
