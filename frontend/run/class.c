// class.c -- class statements, and calls of classes.
#include "frontend/run/evaluate.h"

#include <assert.h>
#include <string.h>

// Does the class have methods that change the meaning of attributes or calls,
// such as `__getattr__`?
static bool has_strange_method(Machine *m, const NameTable *names) {
  size_t count;
  const char *const *words = words_of(WORDS_STRANGE_METHODS, &count);
  for (size_t i = 0; i < count; i++)
    if (table_find(names, run_word(m, words[i]))) return true;
  for (size_t i = 0; i < names->cells.count; i++)
    if (name_is_private(names->cells.items[i]->name)) return true;
  return false;
}

// The only base, `thing_none` without one; NULL: the path ended.  `*known`:
// false if there are several bases, or unknown ones.
static Thing *single_base(Machine *m, const Stmt *stmt, Things *all,
                          bool *known) {
  Thing *base = NULL;
  *known = true;
  for (int i = 0; i < stmt->class_.num_args; i++) {
    Thing *x = run_expr(m, stmt->class_.args[i].value);
    if (!x) return NULL;
    vec_push(m->arena, all, x);
    if (stmt->class_.args[i].kind != ARG_POSITIONAL || base) *known = false;
    if (x->kind == THING_BUILTIN && !strcmp(x->as.builtin->name, "object"))
      continue;
    if (x->kind != THING_CLASS) *known = false;
    if (x->kind == THING_CLASS && record_of(x) &&
        record_of(x)->as.class.record != RECORD_DATA &&
        record_of(x)->as.class.record != RECORD_CLOSED)
      *known = false; // the base may generate members
    base = x;
  }
  return base ? base : &thing_none;
}

static bool run_class_body(Machine *m, const Stmt *stmt, Thing *class) {
  RunFrame *const outer = m->frame;
  RunFrame *frame = arena_new(m->arena, RunFrame);
  *frame = (RunFrame){.outer = outer,
                      .module = outer->module,
                      .names = class->as.class.names,
                      .is_class = true,
                      .class = class};
  m->frame = frame;
  const bool alive = run_block(m, &stmt->class_.body);
  assert(m->frame == frame && frame->names == class->as.class.names); // I1
  m->frame = outer;
  return alive;
}

// May a member of the class change the class, by a method `__set_name__` of the
// member?
static bool is_set_by_things(Machine *m, const NameTable *names) {
  m->has_set_names |= table_find(names, run_word(m, "__set_name__")) != NULL;
  bool unknown = false;
  for (size_t i = 0; i < names->cells.count; i++) {
    const Thing *x = names->cells.items[i]->value;
    unknown |= x && (x->kind == THING_UNKNOWN || x->kind == THING_MAYBE);
  }
  return m->has_set_names && unknown;
}

// A base or a metaclass may run code when Python makes the class.
static void run_bases(Machine *m, const Things *bases) {
  for (size_t i = 0; i < bases->count; i++) run_expose(m, bases->items[i]);
  run_unseen(m);
}

// A mostly unknown class: code that uses it can reach its bases.
static Thing *unknown_class(Machine *m, Thing *class, const Things *bases) {
  Thing *x = thing_new(m, THING_UNKNOWN);
  x->as.either[0] = class;
  run_bases(m, bases);
  return x;
}

bool run_class(Machine *m, const Stmt *stmt) {
  bool known;
  Things decorators = {0}, bases = {0};
  for (int i = 0; i < stmt->class_.decorators.count; i++) {
    Thing *x = run_expr(m, stmt->class_.decorators.items[i]);
    if (!x) return false;
    vec_push(m->arena, &decorators, x);
  }
  Thing *base = single_base(m, stmt, &bases, &known);
  if (!base) return false;
  if (!known) run_bases(m, &bases);
  Thing *class = thing_new(m, THING_CLASS);
  class->as.class.name = stmt->class_.name;
  class->as.class.names = table_new(m);
  class->as.class.base = known && base != &thing_none ? base : NULL;
  if (!run_class_body(m, stmt, class)) return false;
  Thing *result = class;
  const char *foreign = bases.count == 1 &&
                                bases.items[0]->kind == THING_FOREIGN &&
                                stmt->class_.args[0].kind == ARG_POSITIONAL
                            ? bases.items[0]->as.foreign
                            : "";
  if (!strcmp(foreign, "enum.Enum")) known = record_enum(m, class, RECORD_ENUM);
  if (!strcmp(foreign, "enum.IntEnum"))
    known = record_enum(m, class, RECORD_INT);
  if (bases.count == 1 && stmt->class_.args[0].kind == ARG_POSITIONAL &&
      bases.items[0]->kind == THING_BUILTIN &&
      !strcmp(bases.items[0]->as.builtin->name, "typing.NamedTuple")) {
    known = !class_lookup(m, class, run_word(m, "__init__"));
    class->as.class.record = RECORD_TUPLE;
  }
  const bool set = is_set_by_things(m, class->as.class.names);
  if (!known || set) run_expose(m, class); // the class escapes to their code
  if (!known || set || has_strange_method(m, class->as.class.names))
    result = unknown_class(m, class, &bases);
  for (size_t i = decorators.count; result && i > 0; i--)
    result = run_call_one(m, decorators.items[i - 1], result);
  return result && run_bind(m, stmt->class_.name, result);
}

// -- Calls -------------------------------------------------------------------

Thing *class_call(Machine *m, Thing *class, Things *args, ArgNames names) {
  const Thing *kind = record_of(class);
  if (class_is_unknown(class) ||
      (kind && (kind->as.class.record == RECORD_ENUM ||
                kind->as.class.record == RECORD_INT)))
    return run_call_unseen(m, class, args);
  Thing *x = thing_new(m, THING_INSTANCE);
  x->as.instance.class = class;
  x->as.instance.names = table_new(m);
  const bool raises = class_is_foreign(class);
  if (raises)
    cell_set(m, table_cell(m, x->as.instance.names, run_word(m, "args")),
             thing_tuple(m, args->items, (int)args->count));
  Thing *init = class_lookup(m, class, run_word(m, "__init__"));
  Thing *record = init ? NULL : record_of(class);
  if (record) return record_init(m, record, x, args, names) ? x : NULL;
  if (!init && (raises || !args->count)) return x;
  if (!init) return run_raise(m, "TypeError");
  if (init->kind != THING_FUNCTION) return run_call_unseen(m, class, args);
  Thing *result = run_call(m, thing_method(m, init, x), args, names);
  return result ? x : NULL;
}
