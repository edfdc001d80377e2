// inspect.c -- functions of Python that inspect objects, or change them.
#include "frontend/thing/builtins.h"

#include <string.h>

// -- Types -------------------------------------------------------------------

// The name of the type of `x`, if Python defines that; NULL: `x` has a class,
// or an unknown type.
static const char *type_name(const Thing *x) {
  static const char *const kinds[] = {
      [THING_TUPLE] = "tuple",
      [THING_LIST] = "list",
      [THING_DICT] = "dict",
      [THING_RANGE] = "range",
  };
  if (x->kind == THING_SET) return x->as.holder.frozen ? "frozenset" : "set";
  if (x->kind != THING_CONSTANT)
    return x->kind < sizeof kinds / sizeof *kinds ? kinds[x->kind] : NULL;
  return object_python_type(x->as.constant->kind);
}

static Known is_of_builtin(const Thing *x, const char *type) {
  if (x->kind == THING_INSTANCE && record_of(x->as.instance.class))
    return KNOWN_NOT;
  const char *own = type_name(x);
  if (!strcmp(type, "object")) return KNOWN_TRUE;
  if (own && !strcmp(own, "bool") && !strcmp(type, "int")) return KNOWN_TRUE;
  if (own) return known_of(!strcmp(own, type));
  if (!strcmp(type, "type"))
    return x->kind == THING_CLASS      ? KNOWN_TRUE
           : x->kind == THING_INSTANCE ? KNOWN_FALSE
                                       : KNOWN_NOT;
  switch (x->kind) {
  case THING_CONSTANT:
  case THING_FUNCTION:
  case THING_CLASS:
  case THING_MODULE: return KNOWN_FALSE;
  case THING_INSTANCE:
    return class_is_unknown(x->as.instance.class) ? KNOWN_NOT : KNOWN_FALSE;
  default: return KNOWN_NOT;
  }
}

static Known is_of(const Thing *x, const Thing *type) {
  if (x->kind == THING_UNKNOWN || x->kind == THING_FOREIGN) return KNOWN_NOT;
  if (type->kind == THING_TUPLE) {
    Known any = KNOWN_FALSE;
    for (int i = 0; i < type->as.tuple.count; i++) {
      const Known one = is_of(x, type->as.tuple.items[i]);
      if (one == KNOWN_TRUE) return one;
      if (one == KNOWN_NOT) any = one;
    }
    return any;
  }
  if (type->kind == THING_BUILTIN)
    return is_of_builtin(x, type->as.builtin->name);
  if (type->kind != THING_CLASS || class_is_unknown(type)) return KNOWN_NOT;
  if (x->kind == THING_INSTANCE)
    return class_is_unknown(x->as.instance.class)
               ? KNOWN_NOT
               : known_of(class_is_sub(x->as.instance.class, type));
  return type_name(x) || x == &thing_none ? KNOWN_FALSE : KNOWN_NOT;
}

static Thing *isinstance_of(Machine *m, Thing *self, Things *args,
                            ArgNames names, int data) {
  (void)self;
  (void)data;
  return args_are_plain(args, names, 2, 2)
             ? run_known(m, is_of(args->items[0], args->items[1]))
             : run_call_unseen(m, NULL, args);
}

static Thing *issubclass_of(Machine *m, Thing *self, Things *args,
                            ArgNames names, int data) {
  (void)self;
  (void)data;
  if (!args_are_plain(args, names, 2, 2)) return run_call_unseen(m, NULL, args);
  const Thing *x = args->items[0], *base = args->items[1];
  if (x->kind != THING_CLASS || base->kind != THING_CLASS ||
      class_is_unknown(x) || class_is_unknown(base))
    return run_call_unseen(m, NULL, args);
  return thing_bool(class_is_sub(x, base));
}

static Thing *type_of(Machine *m, Thing *self, Things *args, ArgNames names,
                      int data) {
  (void)self;
  (void)data;
  if (!args_are_plain(args, names, 1, 1)) return run_call_unseen(m, NULL, args);
  Thing *x = args->items[0];
  if (x->kind == THING_INSTANCE) return x->as.instance.class;
  const char *name = type_name(x);
  return name ? builtin_thing(m, name) : run_call_unseen(m, NULL, args);
}

static Thing *callable_of(Machine *m, Thing *self, Things *args, ArgNames names,
                          int data) {
  (void)self;
  (void)data;
  if (!args_are_plain(args, names, 1, 1)) return run_call_unseen(m, NULL, args);
  Thing *x = args->items[0];
  switch (x->kind) {
  case THING_FUNCTION:
  case THING_METHOD:
  case THING_BUILTIN:
  case THING_CLASS: return &thing_true;
  case THING_INSTANCE:
    if (class_is_unknown(x->as.instance.class))
      return run_call_unseen(m, NULL, args);
    return thing_bool(special_method(m, x, "__call__"));
  default:
    return type_name(x) || x == &thing_none ? &thing_false
                                            : run_call_unseen(m, NULL, args);
  }
}

// -- Attributes by name ------------------------------------------------------

static const char *name_of(Machine *m, const Things *args) {
  const Thing *x = args->items[1];
  return thing_is_text(x) ? run_word(m, x->as.constant->as.string.text) : NULL;
}

static Thing *getattr_of(Machine *m, Thing *self, Things *args, ArgNames names,
                         int data) {
  (void)self;
  (void)data;
  bool alive = true;
  const char *name =
      args_are_plain(args, names, 2, 3) ? name_of(m, args) : NULL;
  if (!name) run_expose_tuned(m);
  if (!name) return run_call_unseen(m, NULL, args);
  Thing *other = args->count > 2 ? args->items[2] : NULL;
  Thing *x = find_attribute(m, args->items[0], name, &alive);
  if (!alive) return NULL;
  if (x && other && (x->kind == THING_UNKNOWN || x->kind == THING_FOREIGN))
    return thing_join(m, thing_join(m, &thing_unknown, x), other);
  return x ? x : other ? other : run_raise(m, "AttributeError");
}

// Has the module the name for sure, whatever its value is?
static bool has_name(Machine *m, const Thing *x, const char *name) {
  const NameCell *cell =
      x->kind == THING_MODULE
          ? table_find(x->as.module->names, run_word(m, name))
          : NULL;
  return cell && !cell->owner.exposed && cell->value &&
         cell->value->kind != THING_MAYBE;
}

static Thing *hasattr_of(Machine *m, Thing *self, Things *args, ArgNames names,
                         int data) {
  (void)self;
  (void)data;
  bool alive = true;
  const char *name =
      args_are_plain(args, names, 2, 2) ? name_of(m, args) : NULL;
  if (!name) return run_call_unseen(m, NULL, args);
  if (has_name(m, args->items[0], name)) return thing_bool(true);
  const Thing *x = find_attribute(m, args->items[0], name, &alive);
  if (!alive) return NULL;
  const bool unknown =
      x && (x->kind == THING_UNKNOWN || x->kind == THING_FOREIGN);
  return unknown ? &thing_unknown : thing_bool(x);
}

static Thing *setattr_of(Machine *m, Thing *self, Things *args, ArgNames names,
                         int data) {
  (void)self;
  const char *name =
      args_are_plain(args, names, 3 - (size_t)data, 3 - (size_t)data)
          ? name_of(m, args)
          : NULL;
  if (!name && args->count) run_set_text(args->items[0]);
  if (!name) return run_call_unseen(m, NULL, args);
  const bool alive =
      data ? run_del_attribute(m, args->items[0], name)
           : run_set_attribute(m, args->items[0], name, args->items[2]);
  return alive ? &thing_none : NULL;
}

// -- Classes -----------------------------------------------------------------

static Thing *super_of(Machine *m, Thing *self, Things *args, ArgNames names,
                       int data) {
  (void)self;
  (void)data;
  const bool given = args_are_plain(args, names, 2, 2);
  Thing *class = given ? args->items[0] : m->frame->class;
  Thing *of = given ? args->items[1] : m->frame->self;
  if ((args->count && !given) || !class || !of || class->kind != THING_CLASS)
    return run_call_unseen(m, NULL, args);
  Thing *x = thing_new(m, THING_SUPER);
  x->as.super.class = class;
  x->as.super.self = of;
  return x;
}

static Thing *wrapper_of(Machine *m, Thing *self, Things *args, ArgNames names,
                         int data) {
  (void)self;
  if (!args_are_plain(args, names, 1, 1)) return run_call_unseen(m, NULL, args);
  Thing *x = thing_new(m, THING_PROPERTY);
  x->as.wrapper.kind = (WrapperKind)data;
  x->as.wrapper.function = args->items[0];
  return x;
}

// `super().__init__(...)`, if no class of the program defines the method: sets
// the arguments of an exception.
static Thing *init_of(Machine *m, Thing *self, Things *args, ArgNames names,
                      int data) {
  (void)names;
  (void)data;
  NameCell *cell =
      self && self->kind == THING_INSTANCE
          ? table_find(self->as.instance.names, run_word(m, "args"))
          : NULL;
  if (cell) cell_set(m, cell, thing_tuple(m, args->items, (int)args->count));
  return &thing_none;
}

// functools.wraps(f): the decorated function gets the attributes of `f`, also
// its name.
static Thing *same_of(Machine *m, Thing *self, Things *args, ArgNames names,
                      int data) {
  (void)data;
  Thing *x = args->count ? args->items[0] : NULL;
  if (!args_are_plain(args, names, 1, 1) || x->kind != THING_FUNCTION ||
      self->kind != THING_FUNCTION) {
    run_expose(m, self);
    return run_call_unseen(m, NULL, args);
  }
  NameTable *to = x->as.function.names;
  cell_set(m, table_cell(m, to, run_word(m, "__name__")), &thing_unknown);
  for (size_t i = 0; i < self->as.function.names->cells.count; i++) {
    const NameCell *cell = self->as.function.names->cells.items[i];
    cell_set(m, table_cell(m, to, cell->name), cell_value(cell));
  }
  return x;
}

static Thing *wraps_of(Machine *m, Thing *self, Things *args, ArgNames names,
                       int data) {
  static const BuiltinRow same = {"wraps", same_of, 0};
  (void)self;
  (void)data;
  if (!args_are_plain(args, names, 1, 1)) return run_call_unseen(m, NULL, args);
  Thing *x = thing_new(m, THING_BUILTIN);
  x->as.builtin = &same;
  return thing_method(m, x, args->items[0]);
}

// -- Names by their texts ----------------------------------------------------

// exec() and the like may read and bind any name, also one that no line has.
static Thing *reach_all(Machine *m, Thing *self, Things *args, ArgNames names,
                        int data) {
  (void)self;
  (void)names;
  (void)data;
  run_expose_own(m);
  run_open_others(m);
  for (RunFrame *f = m->frame; f; f = f->outer) run_expose_table(m, f->names);
  return run_call_unseen(m, NULL, args);
}

// exec() and eval() of a known text, with the names around the call.
static Thing *run_code(Machine *m, Thing *self, Things *args, ArgNames names,
                       int data) {
  Thing *x = args->count ? args->items[0] : NULL;
  if (!args_are_plain(args, names, 1, 1) || !thing_is_text(x))
    return reach_all(m, self, args, names, data);
  run_text(m, x->as.constant->as.string.text);
  return run_call_unseen(m, NULL, args);
}

// globals(); outside functions also locals() and vars().
static Thing *globals_of(Machine *m, Thing *self, Things *args, ArgNames names,
                         int data) {
  if (args->count) return reach_all(m, self, args, names, data);
  if (data && m->frame->names != m->frame->module->names) {
    run_expose_table(m, m->frame->names);
    return run_unknown(m, NULL, NULL);
  }
  return module_table(m, m->frame->module->thing);
}

// `globals().get(name, other)`
Thing *globals_get(Machine *m, Thing *self, Things *args, ArgNames names,
                   int data) {
  (void)data;
  const Thing *key = args->count ? args->items[0] : NULL;
  if (!args_are_plain(args, names, 1, 2) || !thing_is_text(key)) {
    run_expose(m, self);
    return run_call_unseen(m, NULL, args);
  }
  bool known;
  Thing *x = module_named(m, self->as.view.dict,
                          key->as.constant->as.string.text, &known);
  Thing *other = args->count > 1 ? args->items[1] : &thing_none;
  if (!known) return run_unknown(m, other, NULL);
  if (!x) return other;
  return x->kind == THING_MAYBE ? thing_join(m, x->as.either[0], other) : x;
}

// `module.__dict__.update(NAME=value)`, or update() of a dictionary; the other
// effects of the call are unknown.
Thing *globals_update(Machine *m, Thing *self, Things *args, ArgNames names,
                      int data) {
  (void)data;
  RunModule *module = self->as.view.dict->as.module;
  for (size_t i = 0; i < args->count; i++) {
    Thing *x = args->items[i];
    const Content *c = x->kind == THING_DICT ? content_of(x) : NULL;
    if (names && names[i]) run_bind_text(m, module, run_word(m, names[i]), x);
    for (int k = 0; c && k < c->count; k++) {
      const Thing *key = c->keys[k];
      if (thing_is_text(key))
        run_bind_text(m, module, run_word(m, key->as.constant->as.string.text),
                      c->items[k]);
    }
  }
  run_set_text(self);
  return run_call_unseen(m, self, args);
}

static Thing *vars_of(Machine *m, Thing *self, Things *args, ArgNames names,
                      int data) {
  (void)data;
  if (args_are_plain(args, names, 1, 1) && args->items[0]->kind == THING_MODULE)
    return module_table(m, args->items[0]);
  return args->count ? run_call_unseen(m, NULL, args)
                     : globals_of(m, self, args, names, 1);
}

static const BuiltinRow rows[] = {
#define OF_OBJECTS(name, function, data) {name, function, data},
#include "frontend/thing/builtins.def"
    {NULL, NULL, 0},
};

const BuiltinRow *object_row(const char *name) {
  const BuiltinRow *row = row_named(rows, name);
  return row ? row : record_row(name);
}

Thing *of_builtin(Machine *m, Thing *x, const char *name) {
  // `list.append` may be called with anything that has escaped.
  if (words_have(WORDS_CHANGING_METHODS, name)) m->changes_unseen = true;
  if (!strcmp(name, "__name__"))
    return thing_text(m, x->as.builtin->name, strlen(x->as.builtin->name));
  return run_unknown(m, NULL, NULL);
}
