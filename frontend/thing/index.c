// index.c -- items of containers.
#include "frontend/thing/builtins.h"

#include <assert.h>
#include <string.h>

// -- Slices ------------------------------------------------------------------

typedef struct {
  Integer start, step;
  int count;
} SliceRange;

static bool bound(const Thing *x, Integer *out, Integer otherwise) {
  *out = otherwise;
  return !x || thing_is_integer(x, out);
}

static Integer clamp(Integer x, Integer least, Integer most) {
  return x < least ? least : x > most ? most : x;
}

// False: the range is unknown, or Python raises an exception.
static bool slice_range(const Thing *slice, Integer length, SliceRange *out) {
  Thing *const *parts = slice->as.tuple.items;
  Integer step, start, stop;
  if (!bound(parts[2], &step, 1) || !step || step < -9999 || step > 9999)
    return false;
  const Integer least = step < 0 ? -1 : 0;
  const Integer most = step < 0 ? length - 1 : length;
  if (!bound(parts[0], &start, step < 0 ? most : 0) ||
      !bound(parts[1], &stop, step < 0 ? -1 - length : length))
    return false;
  if (parts[0] || step > 0) {
    if (start < 0) start += length;
    start = clamp(start, least, most);
  }
  if (stop < 0) stop += length;
  stop = clamp(stop, least, most);
  *out = (SliceRange){start, step, (int)count_steps(start, stop, step)};
  assert(out->count <= length && "more items than there are"); // I8
  return true;
}

static Thing *slice_items(Machine *m, Thing *x, Thing **items, int count,
                          Thing *slice) {
  SliceRange r;
  Things out = {0};
  if (!slice_range(slice, count, &r)) return run_unknown(m, x, slice);
  assert(!r.count || (r.start >= 0 && r.start < count)); // I8
  for (int i = 0; i < r.count; i++)
    vec_push(m->arena, &out, items[r.start + i * r.step]);
  return x->kind == THING_LIST ? thing_list(m, out.items, r.count)
                               : thing_tuple(m, out.items, r.count);
}

// -- Reading -----------------------------------------------------------------

// One of the items; it is unknown which one.
static Thing *any_of(Machine *m, Thing **items, int count) {
  Thing *x = NULL;
  run_may_raise(m);
  for (int i = 0; i < count; i++) x = x ? thing_join(m, x, items[i]) : items[i];
  return count > 1 ? x : x ? x : &thing_unknown;
}

// Is the thing no integer, and without `__index__`?
static bool is_no_index(const Thing *x) {
  return x->kind == THING_CONSTANT || x->kind == THING_TUPLE ||
         x->kind == THING_LIST || x->kind == THING_DICT || x->kind == THING_SET;
}

static Thing *item_of(Machine *m, Thing *x, Thing **items, int count,
                      Thing *index) {
  Integer n;
  if (index->kind == THING_SLICE) return slice_items(m, x, items, count, index);
  if (index->kind == THING_UNKNOWN) return any_of(m, items, count);
  if (!thing_is_integer(index, &n))
    return is_no_index(index) ? run_raise(m, "TypeError")
                              : run_unknown(m, x, index);
  if (n < 0) n += count;
  return n < 0 || n >= count ? run_raise(m, "IndexError") : items[n];
}

static Thing *item_of_text(Machine *m, Thing *x, Thing *index) {
  const char *text = x->as.constant->as.string.text;
  const int length = (int)x->as.constant->as.string.length;
  Integer n;
  for (int i = 0; i < length; i++)
    if (text[i] & 0x80) return run_unknown(m, NULL, NULL);
  if (index->kind == THING_SLICE) {
    SliceRange r;
    Str out = str_in(m->arena);
    if (!slice_range(index, length, &r)) return run_unknown(m, index, NULL);
    for (int i = 0; i < r.count; i++)
      str_add_char(&out, text[r.start + i * r.step]);
    return thing_text(m, str_text(&out), out.length);
  }
  if (!thing_is_integer(index, &n)) return run_unknown(m, index, NULL);
  if (n < 0) n += length;
  return n < 0 || n >= length ? run_raise(m, "IndexError")
                              : thing_text(m, text + n, 1);
}

static Thing *item_of_dict(Machine *m, const Content *c, Thing *key) {
  Known found;
  if (thing_is_unhashable(key)) return run_raise(m, "TypeError");
  const int at = content_find(m, c, key, &found);
  if (found == KNOWN_TRUE) return c->items[at];
  return found == KNOWN_NOT ? any_of(m, c->items, c->count)
                            : run_raise(m, "KeyError");
}

static Thing *call_method(Machine *m, Thing *x, const char *name, Thing *index,
                          Thing *value) {
  if (class_is_unknown(x->as.instance.class)) {
    run_expose(m, index);
    return run_unknown(m, x, value);
  }
  Thing *method = special_method(m, x, name);
  if (!method) return run_raise(m, "TypeError");
  Things args = {0};
  vec_push(m->arena, &args, index);
  if (value) vec_push(m->arena, &args, value);
  return run_call(m, method, &args, NULL);
}

static Thing *item_of_range(Machine *m, const Thing *x, Thing *index) {
  Integer n;
  const Integer count = range_count(x);
  if (!thing_is_integer(index, &n)) return run_unknown(m, index, NULL);
  if (n < 0) n += count;
  return n < 0 || n >= count
             ? run_raise(m, "IndexError")
             : thing_int(m, x->as.range.start + n * x->as.range.step);
}

// `globals()[name]`
static Thing *item_of_globals(Machine *m, const Thing *x, const Thing *name) {
  bool known;
  Thing *found = module_named(m, x->as.view.dict,
                              name->as.constant->as.string.text, &known);
  if (!known) return run_unknown(m, NULL, NULL);
  if (!found) return run_raise(m, "KeyError");
  return found->kind == THING_MAYBE ? run_unknown(m, found, NULL) : found;
}

// May the key be a name of the module in sys.modules?  A module may have
// several names; all of them have the same last part.
static bool may_be_key(const RunModule *module, const Thing *key) {
  if (!thing_is_text(key) || !*module->name) return true;
  const char *name = module->name, *text = key->as.constant->as.string.text;
  const char *end = strrchr(name, '.'), *last = strrchr(text, '.');
  return !strcmp(end ? end + 1 : name, last ? last + 1 : text);
}

void run_body_again(Machine *m, const Thing *which) {
  for (RunModule *module = m->modules; module; module = module->next)
    if (!which || (which->kind == THING_MODULE ? which->as.module == module
                                               : may_be_key(module, which)))
      module->bodies++;
}

// The value of `sys.modules[name]`: one of the modules, or none.
Thing *run_loaded_module(Machine *m, Thing *key) {
  run_unknown(m, key, NULL);
  if (m->code->names_no_file(m, key)) return &thing_unknown;
  Thing *x = &thing_unknown;
  for (RunModule *module = m->modules; module; module = module->next) {
    if (!may_be_key(module, key)) continue;
    Thing *either = thing_new(m, THING_UNKNOWN);
    either->as.either[0] = module->thing;
    either->as.either[1] = x == &thing_unknown ? NULL : x;
    x = either;
  }
  return x;
}

Thing *run_subscript(Machine *m, Thing *x, Thing *index) {
  x = record_plain(m, x);
  const Content *c;
  switch (x->kind) {
  case THING_TUPLE:
    return item_of(m, x, x->as.tuple.items, x->as.tuple.count, index);
  case THING_LIST:
    c = content_of(x);
    return c ? item_of(m, x, c->items, c->count, index)
             : run_unknown(m, NULL, NULL);
  case THING_DICT:
    c = content_of(x);
    return c ? item_of_dict(m, c, index) : run_unknown(m, index, NULL);
  case THING_RANGE: return item_of_range(m, x, index);
  case THING_INSTANCE: return call_method(m, x, "__getitem__", index, NULL);
  case THING_BUILTIN: return &thing_unknown; // list[int]
  case THING_VIEW:
    if (x->as.view.kind == 3 && thing_is_text(index))
      return item_of_globals(m, x, index);
    return run_unknown(m, x, index);
  case THING_FOREIGN:
    return strcmp(x->as.foreign, "sys.modules") ? run_unknown(m, index, NULL)
                                                : run_loaded_module(m, index);
  case THING_CONSTANT:
    if (thing_is_text(x)) return item_of_text(m, x, index);
    return run_raise(m, "TypeError");
  case THING_FUNCTION: return run_raise(m, "TypeError");
  default: return run_unknown(m, x, index);
  }
}

// -- Writing -----------------------------------------------------------------

// The object changes in an unknown way.
static bool lose_content(Machine *m, Thing *x, Thing *index, Thing *value) {
  if (index) run_expose(m, index);
  run_note_changed(m, x);
  run_unknown(m, x, value);
  return true;
}

static bool set_slice(Machine *m, Thing *x, const Content *c, Thing *slice,
                      Thing *value) {
  SliceRange r;
  bool alive = true;
  Things items = {0}, out = {0};
  if (value && !run_drain(m, value, &items, &alive))
    return alive && lose_content(m, x, slice, value);
  c = content_of(x);
  if (!c || !slice_range(slice, c->count, &r) || r.step != 1)
    return lose_content(m, x, slice, value);
  for (int i = 0; i < (int)r.start; i++) vec_push(m->arena, &out, c->items[i]);
  for (size_t i = 0; i < items.count; i++)
    vec_push(m->arena, &out, items.items[i]);
  for (int i = (int)r.start + r.count; i < c->count; i++)
    vec_push(m->arena, &out, c->items[i]);
  content_set(
      m, x,
      content_new(m, NULL, out.items ? out.items : c->items, (int)out.count));
  return true;
}

// `x[index] = value`; if `value` is NULL, `del x[index]`.
static bool set_list(Machine *m, Thing *x, Thing *index, Thing *value) {
  const Content *c = content_of(x);
  Integer n;
  if (!c) return lose_content(m, x, index, value);
  if (index->kind == THING_SLICE) return set_slice(m, x, c, index, value);
  if (!thing_is_integer(index, &n))
    return is_no_index(index) ? run_raise(m, "TypeError") != NULL
                              : lose_content(m, x, index, value);
  if (n < 0) n += c->count;
  if (n < 0 || n >= c->count) return run_raise(m, "IndexError") != NULL;
  Content *next = content_new(m, NULL, c->items, c->count);
  if (value) {
    next->items[n] = value;
  } else {
    memmove(&next->items[n], &next->items[n + 1],
            (size_t)(c->count - n - 1) * sizeof *next->items);
    next->count--;
  }
  content_set(m, x, next);
  return true;
}

static void remove_key(Content *c, int at) {
  assert(at >= 0 && at < c->count && "a key that is not there"); // I8
  const size_t size = (size_t)(c->count - at - 1) * sizeof *c->items;
  memmove(&c->keys[at], &c->keys[at + 1], size);
  memmove(&c->items[at], &c->items[at + 1], size);
  c->count--;
}

static bool set_dict(Machine *m, Thing *x, Thing *key, Thing *value) {
  const Content *c = content_of(x);
  Known found = KNOWN_NOT;
  if (thing_is_unhashable(key)) return run_raise(m, "TypeError") != NULL;
  const int at = c ? content_find(m, c, key, &found) : 0;
  if (found == KNOWN_NOT) return lose_content(m, x, key, value);
  if (at < 0 && !value) return run_raise(m, "KeyError") != NULL;
  Content *next = content_new(m, c->keys, c->items, c->count);
  if (at >= 0 && value) {
    next->items[at] = value;
  } else if (value) { // with room for one more (I4)
    next->keys[next->count] = key;
    next->items[next->count++] = value;
  } else {
    remove_key(next, at);
  }
  content_set(m, x, next);
  return true;
}

void run_set_variable(Machine *m, const Thing *name) {
  if (m->runs_exposed) return;
  if (name && thing_is_text(name))
    vec_push(m->arena, &m->program->variables,
             run_word(m, name->as.constant->as.string.text));
  else
    m->program->any_variable = true;
}

// A module that is no file may be put into the table of modules.
// If one is taken out, the next import of it runs its body again.
static bool set_foreign(Machine *m, Thing *x, Thing *index, Thing *value) {
  const bool are_modules = !strcmp(x->as.foreign, "sys.modules");
  if (are_modules && !value) run_body_again(m, index);
  if (!strcmp(x->as.foreign, environment_name)) run_set_variable(m, index);
  if (!value || !are_modules || !m->code->names_no_file(m, index))
    return lose_content(m, x, index, value);
  run_unknown(m, value, NULL);
  return true;
}

static bool set_item(Machine *m, Thing *x, Thing *index, Thing *value) {
  switch (x->kind) {
  case THING_LIST: return set_list(m, x, index, value);
  case THING_DICT: return set_dict(m, x, index, value);
  case THING_INSTANCE:
    return call_method(m, x, value ? "__setitem__" : "__delitem__", index,
                       value) != NULL;
  case THING_VIEW:
    if (x->as.view.kind != 3 || !thing_is_text(index))
      return lose_content(m, x, index, value);
    run_bind_text(m, x->as.view.dict->as.module,
                  run_word(m, index->as.constant->as.string.text), value);
    return true;
  case THING_FOREIGN: return set_foreign(m, x, index, value);
  case THING_TUPLE:
  case THING_CONSTANT:
  case THING_FUNCTION: return run_raise(m, "TypeError") != NULL;
  default: return lose_content(m, x, index, value);
  }
}

bool run_set_item(Machine *m, Thing *x, Thing *index, Thing *value) {
  return set_item(m, x, index, value);
}

bool run_del_item(Machine *m, Thing *x, Thing *index) {
  return set_item(m, x, index, NULL);
}

// A set of unknown keys: their hashes may run unseen code, or raise.
static Thing *unknown_set(Machine *m, const Things *keys) {
  for (size_t i = 0; i < keys->count; i++) run_expose(m, keys->items[i]);
  return run_unknown(m, NULL, NULL);
}

Thing *run_set_of(Machine *m, const Things *items) {
  Content all = {0};
  Things keys = {0};
  for (size_t i = 0; i < items->count; i++) {
    Known found;
    Thing *key = items->items[i];
    if (thing_is_unhashable(key)) return run_raise(m, "TypeError");
    all.keys = keys.items;
    all.count = (int)keys.count;
    content_find(m, &all, key, &found);
    if (found == KNOWN_NOT) return unknown_set(m, items);
    if (found == KNOWN_FALSE) vec_push(m->arena, &keys, key);
  }
  return thing_set(m, keys.items, (int)keys.count, false);
}
