// methods.c -- methods of lists, dictionaries, sets and texts.
#include "frontend/thing/builtins.h"

#include <string.h>

static Thing *with_items(Machine *m, Thing *list, const Things *items) {
  static Thing *none[1];
  content_set(m, list,
              content_new(m, NULL, items->count ? items->items : none,
                          (int)items->count));
  return &thing_none;
}

static Things items_of(Machine *m, const Content *c) {
  Things items = {0};
  for (int i = 0; i < c->count; i++) vec_push(m->arena, &items, c->items[i]);
  return items;
}

// -- Lists -------------------------------------------------------------------

static Thing *list_append(Machine *m, Thing *self, Things *args, ArgNames names,
                          int data) {
  (void)data;
  const Content *c = content_of(self);
  if (!args_are_plain(args, names, 1, 1) || !c)
    return run_call_unseen(m, self, args);
  Content *next = content_new(m, NULL, c->items, c->count);
  next->items[next->count++] = args->items[0]; // with room for one more (I4)
  content_set(m, self, next);
  return &thing_none;
}

static Thing *list_extend(Machine *m, Thing *self, Things *args, ArgNames names,
                          int data) {
  (void)data;
  if (!args_are_plain(args, names, 1, 1)) return run_call_unseen(m, self, args);
  return run_binary(m, OPERATOR_ADD, self, args->items[0], true) ? &thing_none
                                                                 : NULL;
}

static Thing *list_insert(Machine *m, Thing *self, Things *args, ArgNames names,
                          int data) {
  (void)data;
  Integer at;
  const Content *c = content_of(self);
  if (!args_are_plain(args, names, 2, 2) || !c ||
      !thing_is_integer(args->items[0], &at))
    return run_call_unseen(m, self, args);
  if (at < 0) at = at + c->count < 0 ? 0 : at + c->count;
  if (at > c->count) at = c->count;
  Content *next = content_new(m, NULL, c->items, c->count);
  memmove(&next->items[at + 1], &next->items[at],
          (size_t)(c->count - at) * sizeof *next->items);
  next->items[at] = args->items[1];
  next->count++;
  content_set(m, self, next);
  return &thing_none;
}

static Thing *list_pop(Machine *m, Thing *self, Things *args, ArgNames names,
                       int data) {
  (void)data;
  Integer at = -1;
  const Content *c = content_of(self);
  if (!args_are_plain(args, names, 0, 1) || !c ||
      (args->count && !thing_is_integer(args->items[0], &at)))
    return run_call_unseen(m, self, args);
  if (at < 0) at += c->count;
  if (at < 0 || at >= c->count) return run_raise(m, "IndexError");
  Thing *x = c->items[at];
  return run_del_item(m, self, thing_int(m, at)) ? x : NULL;
}

static Thing *list_find(Machine *m, Thing *self, Things *args, ArgNames names,
                        int data) {
  const bool tuple = self->kind == THING_TUPLE;
  const Content *c = tuple ? NULL : content_of(self);
  if (!args_are_plain(args, names, 1, 1) || (!tuple && !c))
    return run_call_unseen(m, self, args);
  const int count = tuple ? self->as.tuple.count : c->count;
  Thing **items = tuple ? self->as.tuple.items : c->items;
  Integer found = 0;
  for (int i = 0; i < count; i++) {
    bool alive = true;
    const Known same = run_equal_items(m, items[i], args->items[0], &alive);
    if (!alive) return NULL;
    if (same == KNOWN_NOT) return run_call_unseen(m, self, args);
    found += same == KNOWN_TRUE;
    if (same == KNOWN_TRUE && data == 'i') return thing_int(m, i);
    if (same == KNOWN_TRUE && data == 'r')
      return run_del_item(m, self, thing_int(m, i)) ? &thing_none : NULL;
  }
  return data == 'c' ? thing_int(m, found) : run_raise(m, "ValueError");
}

static Thing *list_clear(Machine *m, Thing *self, Things *args, ArgNames names,
                         int data) {
  const Things none = {0};
  const Content *c = content_of(self);
  if (!args_are_plain(args, names, 0, 0)) return run_call_unseen(m, self, args);
  if (data == 'l') return with_items(m, self, &none);
  if (!c) return run_call_unseen(m, self, args);
  Things items = items_of(m, c);
  if (data == 'c') return thing_list(m, items.items, c->count);
  for (size_t i = 0; i < items.count; i++)
    items.items[i] = c->items[c->count - 1 - (int)i];
  return with_items(m, self, &items);
}

static Thing *list_sort(Machine *m, Thing *self, Things *args, ArgNames names,
                        int data) {
  (void)data;
  const Content *c = content_of(self);
  for (size_t i = 0; i < args->count; i++)
    if (!names || !names[i]) return run_raise(m, "TypeError");
  if (!c) return run_call_unseen(m, self, args);
  const Things none = {0};
  Things items = items_of(m, c);
  with_items(m, self, &none); // a key function sees an empty list
  const Content *empty = content_of(self);
  Thing *sorted = run_sorted(m, &items, args, names);
  const bool kept = content_of(self) == empty;
  if (!sorted || !kept) run_expose(m, self); // may be sorted in part
  for (size_t i = 0; i < items.count && self->owner.exposed; i++)
    run_expose(m, items.items[i]);
  if (!sorted) return NULL;
  const Content *order =
      sorted->kind == THING_LIST && kept ? content_of(sorted) : NULL;
  if (!order) return run_call_unseen(m, self, args);
  items = items_of(m, order);
  return with_items(m, self, &items);
}

// -- Dictionaries ------------------------------------------------------------

static Thing *dict_get(Machine *m, Thing *self, Things *args, ArgNames names,
                       int data) {
  const Content *c = content_of(self);
  Known found;
  if (!args_are_plain(args, names, 1, 2) || !c)
    return run_call_unseen(m, self, args);
  Thing *key = args->items[0];
  Thing *other = args->count > 1 ? args->items[1] : &thing_none;
  if (thing_is_unhashable(key)) return run_raise(m, "TypeError");
  const int at = content_find(m, c, key, &found);
  if (found == KNOWN_NOT) return run_call_unseen(m, self, args);
  Thing *x = at >= 0 ? c->items[at] : other;
  if (data == 'g') return x;
  if (data == 's')
    return at >= 0 || run_set_item(m, self, key, other) ? x : NULL;
  if (at < 0) return args->count > 1 ? other : run_raise(m, "KeyError");
  return run_del_item(m, self, key) ? x : NULL;
}

static bool update_from(Machine *m, Thing *self, Thing *other, bool *known) {
  Things items = {0};
  bool alive = true;
  const Content *c = other->kind == THING_DICT ? content_of(other) : NULL;
  *known = true;
  for (int i = 0; c && i < c->count; i++)
    if (!run_set_item(m, self, c->keys[i], c->items[i])) return false;
  if (c) return true;
  *known = other->kind != THING_DICT && run_drain(m, other, &items, &alive);
  for (size_t i = 0; *known && i < items.count; i++) {
    Thing *pair = items.items[i];
    if (pair->kind != THING_TUPLE || pair->as.tuple.count != 2) {
      *known = false;
      break;
    }
    if (!run_set_item(m, self, pair->as.tuple.items[0],
                      pair->as.tuple.items[1]))
      return false;
  }
  return alive;
}

static Thing *dict_update(Machine *m, Thing *self, Things *args, ArgNames names,
                          int data) {
  (void)data;
  for (size_t i = 0; i < args->count; i++) {
    bool known = true;
    Thing *x = args->items[i];
    if (names && names[i]) {
      Thing *key = thing_text(m, names[i], strlen(names[i]));
      if (!run_set_item(m, self, key, x)) return NULL;
      continue;
    }
    if (!update_from(m, self, x, &known)) {
      run_expose(m, self); // may have got some of the keys
      return NULL;
    }
    if (!known) return run_call_unseen(m, self, args);
  }
  return &thing_none;
}

static Thing *dict_view(Machine *m, Thing *self, Things *args, ArgNames names,
                        int data) {
  if (!args_are_plain(args, names, 0, 0)) return run_call_unseen(m, self, args);
  Thing *x = thing_new(m, THING_VIEW);
  x->as.view.dict = self;
  x->as.view.kind = data;
  return x;
}

static Thing *dict_copy(Machine *m, Thing *self, Things *args, ArgNames names,
                        int data) {
  static Thing *none[1];
  const Content *c = content_of(self);
  if (!args_are_plain(args, names, 0, 0) || !c)
    return run_call_unseen(m, self, args);
  const bool set = self->kind == THING_SET;
  if (data == 'c')
    return set ? thing_set(m, c->keys, c->count, self->as.holder.frozen)
               : thing_dict(m, c->keys, c->items, c->count);
  content_set(m, self, content_new(m, none, set ? NULL : none, 0));
  return &thing_none;
}

static Thing *dict_popitem(Machine *m, Thing *self, Things *args,
                           ArgNames names, int data) {
  (void)data;
  const Content *c = content_of(self);
  if (!args_are_plain(args, names, 0, 0) || !c)
    return run_call_unseen(m, self, args);
  if (!c->count) return run_raise(m, "KeyError");
  Thing *pair[] = {c->keys[c->count - 1], c->items[c->count - 1]};
  return run_del_item(m, self, pair[0]) ? thing_tuple(m, pair, 2) : NULL;
}

// -- Sets --------------------------------------------------------------------

static Thing *set_change(Machine *m, Thing *self, Things *args, ArgNames names,
                         int data) {
  const Content *c = content_of(self);
  Known found;
  if (!args_are_plain(args, names, 1, 1) || !c)
    return run_call_unseen(m, self, args);
  Thing *key = args->items[0];
  if (self->as.holder.frozen) return run_raise(m, "AttributeError");
  if (thing_is_unhashable(key)) return run_raise(m, "TypeError");
  const int at = content_find(m, c, key, &found);
  if (found == KNOWN_NOT) return run_call_unseen(m, self, args);
  if (data == 'a' ? at >= 0 : at < 0)
    return data == 'r' ? run_raise(m, "KeyError") : &thing_none;
  Content *next = content_new(m, c->keys, NULL, c->count);
  if (data == 'a')
    next->keys[next->count++] = key;
  else
    next->keys[at] = next->keys[--next->count];
  content_set(m, self, next);
  return &thing_none;
}

static Thing *set_combine(Machine *m, Thing *self, Things *args, ArgNames names,
                          int data) {
  bool alive = true;
  Things keys = {0};
  if (!args_are_plain(args, names, 1, 1)) return run_call_unseen(m, self, args);
  Thing *other = args->items[0];
  if (other->kind != THING_SET) {
    if (!run_drain(m, other, &keys, &alive))
      return alive ? run_call_unseen(m, self, args) : NULL;
    other = run_set_of(m, &keys);
    if (!other || other->kind != THING_SET)
      return other ? run_call_unseen(m, self, args) : NULL;
  }
  static const Operator ops[] = {OPERATOR_OR, OPERATOR_OR, OPERATOR_AND,
                                 OPERATOR_SUB, OPERATOR_XOR};
  Thing *x = run_binary(m, ops[data], self, other, data == 0);
  return x && !data ? &thing_none : x;
}

// -- Texts -------------------------------------------------------------------

static Thing *text_method(Machine *m, Thing *self, Things *args, ArgNames names,
                          const char *name) {
  Things all = {0};
  const char **all_names = arena_array(m->arena, const char *, args->count + 1);
  vec_push(m->arena, &all, self);
  for (size_t i = 0; i < args->count; i++) {
    bool alive = true;
    Thing *x = args->items[i];
    Things items = {0};
    if (!strcmp(name, "str.join")) {
      if (!run_drain(m, x, &items, &alive))
        return alive ? run_call_unseen(m, self, args) : NULL;
      for (size_t k = 0; k < items.count; k++)
        if (items.items[k]->kind == THING_CONSTANT &&
            !thing_is_text(items.items[k]))
          return run_raise(m, "TypeError");
      x = thing_tuple(m, items.items, (int)items.count);
    }
    all_names[i + 1] = names ? names[i] : NULL;
    vec_push(m->arena, &all, x);
  }
  Thing *result = call_constant(m, name, &all, all_names);
  return result ? result : run_call_unseen(m, self, args);
}

static Thing *run_text_method(Machine *m, Thing *self, Things *args,
                              ArgNames names, int data) {
  size_t count;
  const char *name = words_of(WORDS_TEXT_METHODS, &count)[data];
  return text_method(m, self, args, names,
                     arena_printf(m->arena, "str.%s", name));
}

// -- Tables ------------------------------------------------------------------

static const BuiltinRow list_rows[] = {
#define LIST(name, function, data) {name, function, data},
#include "frontend/thing/methods.def"
    {NULL, NULL, 0},
};

static const BuiltinRow dict_rows[] = {
#define DICT(name, function, data) {name, function, data},
#include "frontend/thing/methods.def"
    {NULL, NULL, 0},
};

static const BuiltinRow set_rows[] = {
#define SET(name, function, data) {name, function, data},
#include "frontend/thing/methods.def"
    {NULL, NULL, 0},
};

static const BuiltinRow tuple_rows[] = {
#define TUPLE(name, function, data) {name, function, data},
#include "frontend/thing/methods.def"
    {NULL, NULL, 0},
};

static Thing *unknown_method(Machine *m, Thing *self) {
  run_expose(m, self);
  return &thing_unknown;
}

static Thing *bound(Machine *m, Thing *self, const BuiltinRow *row) {
  if (!row->run) return unknown_method(m, self);
  Thing *f = thing_new(m, THING_BUILTIN);
  f->as.builtin = row;
  return thing_method(m, f, self);
}

static Thing *text_method_thing(Machine *m, Thing *self, const char *name) {
  size_t count;
  const char *const *all = words_of(WORDS_TEXT_METHODS, &count);
  for (size_t i = 0; i < count; i++) {
    if (strcmp(all[i], name) != 0) continue;
    BuiltinRow *row = arena_new(m->arena, BuiltinRow);
    *row = (BuiltinRow){all[i], run_text_method, (int)i};
    return bound(m, self, row);
  }
  return NULL;
}

Thing *method_thing(Machine *m, Thing *self, const char *name) {
  if (words_have(WORDS_CHANGING_METHODS, name)) run_note_changed(m, self);
  if (name[0] == '_' && name[1] == '_') return run_unknown(m, self, NULL);
  if (thing_is_text(self)) return text_method_thing(m, self, name);
  if (self == &thing_none) return NULL;
  const BuiltinRow *rows = self->kind == THING_LIST    ? list_rows
                           : self->kind == THING_DICT  ? dict_rows
                           : self->kind == THING_SET   ? set_rows
                           : self->kind == THING_TUPLE ? tuple_rows
                                                       : NULL;
  const BuiltinRow *row = rows ? row_named(rows, name) : NULL;
  if (row) return bound(m, self, row);
  const bool is_known =
      self->kind == THING_SET
          ? words_have(WORDS_SET_METHODS_UNFOLLOWED, name)
          : !rows && words_have(WORDS_NUMBER_ATTRIBUTES, name);
  return is_known ? unknown_method(m, self) : NULL;
}
