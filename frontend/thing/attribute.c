// attribute.c -- attributes of the values of a run.
#include "frontend/thing/builtins.h"

#include <string.h>

static bool is(const char *name, const char *word) {
  return !strcmp(name, word);
}

static bool is_special(const char *name) {
  return name[0] == '_' && name[1] == '_';
}

// The attribute `x` of a class, read through its instance `self`, or, if `self`
// is NULL, through the class.
static Thing *bound(Machine *m, Thing *x, Thing *self, Thing *class,
                    bool *alive) {
  Thing *y;
  switch (x->kind) {
  case THING_FUNCTION: return self ? thing_method(m, x, self) : x;
  case THING_PROPERTY:
    if (x->as.wrapper.kind == WRAPS_STATIC) return x->as.wrapper.function;
    if (x->as.wrapper.kind == WRAPS_CLASS)
      return thing_method(m, x->as.wrapper.function, class);
    if (!self) return run_unknown(m, x, NULL);
    y = run_call_one(m, x->as.wrapper.function, self);
    if (!y) *alive = false;
    return y;
  case THING_UNKNOWN:
    if (self) run_expose(m, self);
    return x;
  default: return x;
  }
}

static bool is_data(const Thing *x) {
  return x && x->kind == THING_PROPERTY && x->as.wrapper.kind == WRAPS_PROPERTY;
}

// May the attribute be a property, for example by `@v.setter`?
static bool may_be_data(const Thing *x) {
  return x && (x->kind == THING_UNKNOWN || x->kind == THING_MAYBE);
}

static Thing *of_instance(Machine *m, Thing *x, const char *name, bool *alive) {
  Thing *class = x->as.instance.class;
  if (is(name, "__class__")) return class;
  if (class_is_unknown(class) || x->owner.exposed ||
      x->as.instance.names->owner.exposed || is(name, "__dict__"))
    return run_unknown(m, x, NULL);
  Thing *shared = class_lookup(m, class, name);
  Thing *own = cell_value(table_find(x->as.instance.names, name));
  if (own && may_be_data(shared)) return run_unknown(m, x, NULL);
  if (own && !is_data(shared)) {
    if (own->kind != THING_MAYBE) return own;
    if (!shared) run_may_raise(m);
    return shared ? run_unknown(m, x, NULL) : own->as.either[0];
  }
  if (!shared && (is_special(name) || (record_of(class) && name[0] == '_')))
    return run_unknown(m, x, NULL);
  if (!shared && (record_plain(m, x) != x || class_is_foreign(class)))
    return run_unknown(m, x, NULL);
  if (!shared) return NULL;
  if (shared->kind == THING_MAYBE) return run_unknown(m, x, NULL);
  return bound(m, shared, x, class, alive);
}

static Thing *of_class(Machine *m, Thing *x, const char *name, bool *alive) {
  if (is(name, "__name__") && !x->owner.exposed)
    return thing_text(m, x->as.class.name, strlen(x->as.class.name));
  const Thing *record = record_of(x);
  const bool tuple = record && record->as.class.record == RECORD_TUPLE;
  if (class_is_unknown(x) || tuple) return run_unknown(m, x, NULL);
  Thing *own = class_lookup(m, x, name);
  if (!own)
    return is_special(name) || x->as.class.python ? run_unknown(m, x, NULL)
                                                  : NULL;
  return own->kind == THING_MAYBE ? run_unknown(m, x, NULL)
                                  : bound(m, own, NULL, x, alive);
}

static Thing *of_super(Machine *m, Thing *x, const char *name, bool *alive) {
  Thing *base = x->as.super.class->as.class.base;
  Thing *self = x->as.super.self;
  if (self->kind != THING_INSTANCE || self->owner.exposed)
    return run_unknown(m, self, NULL);
  if (base && class_is_unknown(base)) return run_unknown(m, self, NULL);
  Thing *shared = base ? class_lookup(m, base, name) : NULL;
  if (!shared || shared->kind == THING_MAYBE)
    return is(name, "__init__") && !shared
               ? thing_method(m, builtin_thing(m, "object.__init__"), self)
               : run_unknown(m, self, NULL);
  return bound(m, shared, self, self->as.instance.class, alive);
}

// A module of the package, if it has been imported.
static Thing *submodule(Machine *m, const RunModule *package,
                        const char *name) {
  const size_t length = strlen(package->name);
  for (RunModule *s = m->modules; s; s = s->next)
    if (!strncmp(s->name, package->name, length) && s->name[length] == '.' &&
        is(s->name + length + 1, name))
      return s->thing;
  return NULL;
}

static Thing *of_module(Machine *m, Thing *x, const char *name) {
  const RunModule *module = x->as.module;
  if (is(name, "__dict__")) return module_table(m, x);
  if (is(name, "__setattr__") || is(name, "__delattr__")) {
    if (module != m->frame->module) run_set_text(x);
    return run_unknown(m, x, NULL);
  }
  if (module->is_unread) return run_unknown(m, NULL, NULL);
  Thing *own = cell_read(m, table_find(module->names, name));
  if (own && own->kind == THING_MAYBE) return run_unknown(m, own, NULL);
  if (own) return own;
  own = submodule(m, module, name);
  if (own) return own;
  const bool strange = module->has_star || module->failed || module->running ||
                       module->names->owner.exposed || is_special(name) ||
                       table_find(module->names, run_word(m, "__getattr__"));
  return strange ? run_unknown(m, NULL, NULL) : NULL;
}

static Thing *of_function(Machine *m, Thing *x, const char *name) {
  if (x->owner.exposed) return run_unknown(m, NULL, NULL);
  Thing *own = cell_value(table_find(x->as.function.names, name));
  if (own) return own->kind == THING_MAYBE ? run_unknown(m, own, NULL) : own;
  if (is(name, "__name__"))
    return thing_text(m, x->as.function.ast->name,
                      strlen(x->as.function.ast->name));
  return is_special(name) ? run_unknown(m, x, NULL) : NULL;
}

static Thing *of_wrapped(Machine *m, Thing *x, const char *name) {
  static const BuiltinRow rows[] = {{"get", globals_get, 0},
                                    {"update", globals_update, 0}};
  for (int i = 0; i < 2; i++) {
    if (x->kind != THING_VIEW || x->as.view.kind != 3 ||
        !is(name, rows[i].name))
      continue;
    Thing *f = thing_new(m, THING_BUILTIN);
    f->as.builtin = &rows[i];
    return thing_method(m, f, x);
  }
  if (words_have(WORDS_CHANGING_METHODS, name)) run_note_changed(m, x);
  return run_unknown(m, x, NULL);
}

static const char *dotted_word(Machine *m, const char *module,
                               const char *name) {
  const size_t length = strlen(module), size = strlen(name) + 1;
  char *dotted = arena_array(m->arena, char, length + 1 + size);
  memcpy(dotted, module, length);
  dotted[length] = '.';
  memcpy(dotted + length + 1, name, size);
  return run_word(m, dotted);
}

// The attribute `name` of a module that is no file.  A member such as
// sys._getframe, by which code can reach the program's modules, exposes their
// names.  The table of modules, and functions that give a module, expose names
// only when an item is read or the function is called.
static Thing *of_foreign(Machine *m, const Thing *x, const char *name) {
  Thing *member = thing_foreign(m, dotted_word(m, x->as.foreign, name));
  if (!foreign_gives_modules(member) &&
      (foreign_gives_modules(x) ||
       foreign_reaches_modules(x->as.foreign, name)))
    run_expose_modules(m);
  return member;
}

static Thing *of_possible(Machine *m, Thing *x, const char *name) {
  const NameCell *cell =
      x->kind == THING_MODULE ? table_find(x->as.module->names, name) : NULL;
  if (words_have(WORDS_CHANGING_METHODS, name)) run_note_changed(m, x);
  run_expose(m, x);
  return cell && cell->value ? cell->value : &thing_unknown;
}

// `x` may be a tuned kernel, or one of several modules that are no files.
static Thing *of_unknown(Machine *m, const Thing *x, const char *name) {
  Thing *result = &thing_unknown;
  const bool holds = is(name, "configs") || is(name, "benchmarks");
  if (holds || is_special(name)) run_expose_tuned(m);
  if (is(name, "values")) run_expose_guided(m);
  if (!m->runs_exposed && !m->changes_unseen &&
      words_have(WORDS_CHANGING_METHODS, name))
    m->changes_unseen = true;
  for (int i = 0; i < 2; i++) {
    Thing *part = x->as.either[i];
    if (!part) continue;
    if (part->kind == THING_FOREIGN)
      result = thing_join(m, result, of_foreign(m, part, name));
    else if (part->kind == THING_UNKNOWN)
      result = thing_join(m, result, of_unknown(m, part, name));
    else
      result = thing_join(m, result, of_possible(m, part, name));
  }
  run_unknown(m, NULL, NULL);
  return result;
}

Thing *find_attribute(Machine *m, Thing *x, const char *name, bool *alive) {
  if (name_is_private(name)) return run_unknown(m, x, NULL);
  const bool is_modules = x->kind == THING_UNKNOWN && is(name, "modules") &&
                          m->frame->module->has_star; // `x` may be `sys`
  if (is_modules || words_have(WORDS_WAYS_TO_GLOBALS, name)) {
    run_expose_modules(m);
    return run_unknown(m, x, NULL);
  }
  switch (x->kind) {
  case THING_INSTANCE: return of_instance(m, x, name, alive);
  case THING_CLASS: return of_class(m, x, name, alive);
  case THING_SUPER: return of_super(m, x, name, alive);
  case THING_MODULE: return of_module(m, x, name);
  case THING_FUNCTION: return of_function(m, x, name);
  case THING_FOREIGN: return of_foreign(m, x, name);
  case THING_CONSTANT:
  case THING_LIST:
  case THING_DICT:
  case THING_SET:
  case THING_TUPLE: return method_thing(m, x, name);
  case THING_BUILTIN: return of_builtin(m, x, name);
  case THING_UNKNOWN: return of_unknown(m, x, name);
  default: return of_wrapped(m, x, name);
  }
}

Thing *run_attribute(Machine *m, Thing *x, const char *name) {
  bool alive = true;
  Thing *found = find_attribute(m, x, name, &alive);
  if (!alive) return NULL;
  return found ? found : run_raise(m, "AttributeError");
}

// -- Writing -----------------------------------------------------------------

// The names of the attributes of `x`, or NULL.
NameTable *thing_names(const Thing *x) {
  switch (x->kind) {
  case THING_INSTANCE: return x->as.instance.names;
  case THING_CLASS: return x->as.class.python ? NULL : x->as.class.names;
  case THING_FUNCTION: return x->as.function.names;
  case THING_MODULE: return x->as.module->names;
  default: return NULL;
  }
}

// `x` is one of several modules: each may bind the name.  False: `x` may be
// something else.
static bool set_of_modules(Machine *m, const Thing *x, const char *name,
                           Thing *value) {
  for (int i = 0; i < 2; i++) {
    const Thing *part = x->as.either[i];
    if (!part) continue;
    if (part->kind == THING_UNKNOWN) {
      set_of_modules(m, part, name, value);
      continue;
    }
    RunModule *module = part->as.module;
    run_bind_text(
        m, module, name,
        thing_join(m, table_cell(m, module->names, name)->value, value));
  }
  return true;
}

static bool are_modules(const Thing *x) {
  if (!x->as.either[0] && !x->as.either[1]) return false;
  for (int i = 0; i < 2; i++) {
    const Thing *part = x->as.either[i];
    if (part && part->kind != THING_MODULE &&
        (part->kind != THING_UNKNOWN || !are_modules(part)))
      return false;
  }
  return true;
}

// Does setting the attribute change the effect of the function's calls?
static bool changes_calls(const Thing *x, const char *name) {
  return x->kind == THING_FUNCTION &&
         (is(name, "__code__") || is(name, "__defaults__") ||
          is(name, "__kwdefaults__"));
}

// Is the effect of setting or deleting the attribute unknown?
static bool is_strange(Machine *m, Thing *x, const char *name) {
  Thing *class = x->kind == THING_CLASS      ? x
                 : x->kind == THING_INSTANCE ? x->as.instance.class
                                             : NULL;
  const Thing *record = class ? record_of(class) : NULL;
  if (is_special(name) || (record && record->as.class.record != RECORD_DATA))
    return true;
  return x->kind == THING_INSTANCE &&
         (class_is_unknown(class) || may_be_data(class_lookup(m, class, name)));
}

// Is the attribute a property of the class?
static bool has_property(Machine *m, const Thing *x, const char *name) {
  return x->kind == THING_INSTANCE &&
         is_data(class_lookup(m, x->as.instance.class, name));
}

// Binds an attribute; `value` NULL: deletes it.
static void set_cell(Machine *m, const Thing *x, NameCell *cell, Thing *value) {
  const bool is_old =
      x->kind == THING_INSTANCE && x->owner.born <= m->statement;
  if (x->kind != THING_FUNCTION && (is_old || !run_is_home(m, x)))
    cell->untold = true;
  cell_set(m, cell, value);
}

bool run_set_attribute(Machine *m, Thing *x, const char *name, Thing *value) {
  if (changes_calls(x, name)) x->as.function.is_remade = true;
  if (x->kind == THING_UNKNOWN && are_modules(x))
    return set_of_modules(m, x, name, value);
  NameTable *names = thing_names(x);
  if (names && !is_strange(m, x, name)) {
    if (has_property(m, x, name) || record_plain(m, x) != x)
      return run_raise(m, "AttributeError") != NULL;
    if (x->kind == THING_MODULE)
      run_bind_text(m, x->as.module, name, value);
    else
      set_cell(m, x, table_cell(m, names, name), value);
    return true;
  }
  if (x->kind == THING_CONSTANT || x->kind == THING_LIST ||
      x->kind == THING_DICT || x->kind == THING_TUPLE || x->kind == THING_SET)
    return run_raise(m, "AttributeError") != NULL;
  if (x->kind == THING_UNKNOWN) run_note_changed(m, x);
  run_unknown(m, x, value);
  return true;
}

bool run_del_attribute(Machine *m, Thing *x, const char *name) {
  NameTable *names = thing_names(x);
  if (changes_calls(x, name)) x->as.function.is_remade = true;
  if (!names || x->owner.exposed || is_strange(m, x, name)) {
    run_unknown(m, x, NULL);
    return true;
  }
  NameCell *cell = table_find(names, name);
  const Thing *old = cell_value(cell);
  if (!old) return run_raise(m, "AttributeError") != NULL;
  if (old->kind == THING_MAYBE || old->kind == THING_UNKNOWN) run_may_raise(m);
  set_cell(m, x, cell, NULL);
  return true;
}
