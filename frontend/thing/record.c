// record.c -- classes whose `__init__` follows from their fields: data classes
// and named tuples.
#include "frontend/thing/builtins.h"

#include <assert.h>
#include <string.h>

Thing *record_of(Thing *class) {
  for (Thing *c = class; c; c = c->as.class.base)
    if (c->as.class.record != RECORD_NONE) return c;
  return NULL;
}

static const char *field_name(Machine *m, const Thing *record, size_t field) {
  return run_word(
      m, record->as.class.fields.items[2 * field]->as.constant->as.string.text);
}

static size_t num_fields(const Thing *record) {
  assert(record->as.class.fields.count % 2 == 0); // I9
  return record->as.class.fields.count / 2;
}

// The argument for the field; NULL if there is none.
static Thing *argument_of(Machine *m, const Thing *record, size_t field,
                          const Things *args, ArgNames names) {
  const char *name = field_name(m, record, field);
  Thing *found = NULL;
  for (size_t i = 0; i < args->count; i++)
    if (names && names[i] ? names[i] == name : i == field)
      found = args->items[i];
  return found;
}

// Does each argument belong to one field?
static bool fits(Machine *m, const Thing *record, const Things *args,
                 ArgNames names) {
  size_t used = 0;
  for (size_t i = 0; i < num_fields(record); i++)
    used += argument_of(m, record, i, args, names) != NULL;
  return used == args->count;
}

bool record_init(Machine *m, Thing *record, Thing *x, Things *args,
                 ArgNames names) {
  if (!fits(m, record, args, names)) return run_raise(m, "TypeError") != NULL;
  for (size_t i = 0; i < num_fields(record); i++) {
    Thing *value = argument_of(m, record, i, args, names);
    if (!value) value = record->as.class.fields.items[2 * i + 1];
    if (!value) return run_raise(m, "TypeError") != NULL;
    if (value->kind == THING_UNKNOWN) run_expose(m, value);
    cell_set(m, table_cell(m, x->as.instance.names, field_name(m, record, i)),
             value);
  }
  Things none = {0};
  Thing *post = special_method(m, x, "__post_init__");
  return !post || run_call(m, post, &none, NULL);
}

Thing *record_plain(Machine *m, Thing *x) {
  if (x->kind != THING_INSTANCE || class_is_unknown(x->as.instance.class))
    return x;
  Thing *record = record_of(x->as.instance.class);
  if (record && record->as.class.record == RECORD_INT)
    return cell_value(table_find(x->as.instance.names, run_word(m, "value")));
  if (!record || record->as.class.record != RECORD_TUPLE) return x;
  Things items = {0};
  for (size_t i = 0; i < num_fields(record); i++) {
    Thing *item =
        cell_value(table_find(x->as.instance.names, field_name(m, record, i)));
    vec_push(m->arena, &items,
             item && item->kind != THING_MAYBE ? item : &thing_unknown);
  }
  return thing_tuple(m, items.items, (int)items.count);
}

// -- Members of an Enum ------------------------------------------------------

static bool is_member(const NameCell *cell) {
  const Thing *x = cell->value;
  return x && cell->name[0] != '_' && x->kind != THING_FUNCTION &&
         x->kind != THING_PROPERTY;
}

static bool is_value(const Thing *x, RecordKind kind) {
  return x->kind == THING_CONSTANT &&
         (x->as.constant->kind == OBJECT_INT ||
          (kind == RECORD_ENUM && x->as.constant->kind == OBJECT_STRING));
}

static bool are_values(Machine *m, const NameTable *names, RecordKind kind) {
  for (size_t i = 0; i < names->cells.count; i++) {
    const NameCell *cell = names->cells.items[i];
    if (!is_member(cell)) {
      if (cell->name[0] == '_' && cell->name[1] != '_') return false;
      continue;
    }
    if (!is_value(cell->value, kind)) return false;
    for (size_t k = 0; k < i; k++) { // an equal value makes an alias
      bool alive = true;
      const NameCell *other = names->cells.items[k];
      if (is_member(other) &&
          run_equal(m, cell->value, other->value, &alive) != KNOWN_FALSE)
        return false;
    }
  }
  return true;
}

bool record_enum(Machine *m, Thing *class, RecordKind kind) {
  NameTable *names = class->as.class.names;
  const size_t count = names->cells.count;
  size_t num_refused;
  const char *const *refused = words_of(WORDS_ENUM_METHODS, &num_refused);
  for (size_t i = 0; i < num_refused; i++)
    if (table_find(names, run_word(m, refused[i]))) return false;
  if (names->owner.exposed || !are_values(m, names, kind)) return false;
  for (size_t i = 0; i < count; i++) {
    NameCell *cell = names->cells.items[i];
    if (!is_member(cell)) continue;
    Thing *x = thing_new(m, THING_INSTANCE);
    x->as.instance.class = class;
    x->as.instance.names = table_new(m);
    cell_set(m, table_cell(m, x->as.instance.names, run_word(m, "value")),
             cell->value);
    cell_set(m, table_cell(m, x->as.instance.names, run_word(m, "name")),
             thing_text(m, cell->name, strlen(cell->name)));
    cell_set(m, cell, x);
  }
  assert(names->cells.count == count && "a member bound another"); // I9
  class->as.class.record = kind;
  return true;
}

// -- Making records ----------------------------------------------------------

static bool names_twice(const Thing *class) {
  const Things *fields = &class->as.class.fields;
  for (size_t i = 0; i < fields->count; i += 2)
    for (size_t k = 0; k < i; k += 2)
      if (!strcmp(fields->items[i]->as.constant->as.string.text,
                  fields->items[k]->as.constant->as.string.text))
        return true;
  return false;
}

// @dataclass, @dataclass(frozen=True); `data` is the kind of record, or 0.
static Thing *dataclass_of(Machine *m, Thing *self, Things *args,
                           ArgNames names, int data) {
  static const BuiltinRow again[] = {
      {"dataclass", dataclass_of, RECORD_DATA},
      {"dataclass", dataclass_of, RECORD_CLOSED}};
  (void)self;
  bool closed = false;
  const bool given = args->count == 1 && !(names && names[0]);
  if (!given && !data) {
    for (size_t i = 0; i < args->count; i++) {
      if (!names || !names[i] || !strcmp(names[i], "init") ||
          !strcmp(names[i], "kw_only"))
        return run_call_unseen(m, NULL, args);
      closed |= !strcmp(names[i], "frozen") || !strcmp(names[i], "slots");
    }
    Thing *x = thing_new(m, THING_BUILTIN);
    x->as.builtin = &again[closed];
    return x;
  }
  Thing *class = given ? args->items[0] : NULL;
  if (!class || class->kind != THING_CLASS || class_is_unknown(class) ||
      class->as.class.base || class->as.class.record || names_twice(class))
    return run_call_unseen(m, NULL, args);
  class->as.class.record = data ? (RecordKind)data : RECORD_DATA;
  return class;
}

static bool add_field(Machine *m, Thing *class, const char *name,
                      size_t length) {
  if (!length || name[0] == '_') return false;
  vec_push(m->arena, &class->as.class.fields, thing_text(m, name, length));
  vec_push(m->arena, &class->as.class.fields, NULL);
  return true;
}

// namedtuple("Name", "x y"), namedtuple("Name", ["x", "y"])
static Thing *namedtuple_of(Machine *m, Thing *self, Things *args,
                            ArgNames names, int data) {
  (void)self;
  (void)data;
  bool known = args->count == 2 && !(names && (names[0] || names[1])) &&
               thing_is_text(args->items[0]);
  if (!known) return run_call_unseen(m, NULL, args);
  Thing *class = thing_new(m, THING_CLASS);
  class->as.class.name = args->items[0]->as.constant->as.string.text;
  class->as.class.names = table_new(m);
  class->as.class.record = RECORD_TUPLE;
  Thing *fields = args->items[1];
  if (thing_is_text(fields)) {
    const char *s = fields->as.constant->as.string.text;
    for (s += strspn(s, " ,"); *s; s += strspn(s, " ,")) {
      known = known && add_field(m, class, s, strcspn(s, " ,"));
      s += strcspn(s, " ,");
    }
  } else {
    bool alive = true;
    Things items = {0};
    known = run_drain(m, fields, &items, &alive);
    if (!alive) return NULL;
    for (size_t i = 0; known && i < items.count; i++)
      known = thing_is_text(items.items[i]) &&
              add_field(m, class, items.items[i]->as.constant->as.string.text,
                        items.items[i]->as.constant->as.string.length);
  }
  return known && !names_twice(class) ? class : run_call_unseen(m, NULL, args);
}

static Thing *made_by_call(Machine *m, Thing *self, Things *args,
                           ArgNames names, int data) {
  (void)self;
  (void)names;
  (void)data;
  return run_call_unseen(m, NULL, args);
}

static const BuiltinRow rows[] = {
    {"dataclasses.dataclass", dataclass_of, 0},
    {"collections.namedtuple", namedtuple_of, 0},
    {"typing.NamedTuple", made_by_call, 0},
    {NULL, NULL, 0},
};

const BuiltinRow *record_row(const char *name) {
  return row_named(rows, name);
}
