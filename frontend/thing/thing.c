// thing.c -- the values of a run.
#include "frontend/thing/objects.h"

#include <assert.h>
#include <string.h>

Content unknown_content;
char lost_state;
Thing thing_unknown = {.kind = THING_UNKNOWN};
Thing thing_none = {.kind = THING_CONSTANT, .as.constant = &object_none};
Thing thing_true = {.kind = THING_CONSTANT, .as.constant = &object_true};
Thing thing_false = {.kind = THING_CONSTANT, .as.constant = &object_false};

static Owner owner_new(Machine *m, SlotKind kind) {
  return (Owner){.kind = kind, .born = ++m->clock};
}

Thing *thing_new(Machine *m, ThingKind kind) {
  Thing *x = arena_new(m->arena, Thing);
  const bool holds =
      kind == THING_LIST || kind == THING_DICT || kind == THING_SET;
  x->kind = kind;
  x->owner = owner_new(m, holds                    ? SLOT_CONTENT
                          : kind == THING_ITERATOR ? SLOT_STATE
                                                   : SLOT_THING);
  return x;
}

Thing *thing_bool(bool truth) {
  return truth ? &thing_true : &thing_false;
}

// Copied bytes count as steps.  So a loop that makes a text or tuple longer and
// longer runs out of steps before it takes much memory.
static void count_bytes(Machine *m, size_t bytes) {
  enum { BYTES_OF_A_STEP = 128 };
  m->steps += (int)(bytes / BYTES_OF_A_STEP);
}

Thing *thing_constant(Machine *m, const Object *x) {
  if (x->kind == OBJECT_NONE) return &thing_none;
  if (x->kind == OBJECT_BOOL) return thing_bool(x->as.truth);
  if (x->kind == OBJECT_STRING) count_bytes(m, x->as.string.length);
  Thing *thing = thing_new(m, THING_CONSTANT);
  thing->as.constant = x;
  return thing;
}

Thing *thing_int(Machine *m, Integer value) {
  return thing_constant(m, object_int(m->arena, value));
}

Thing *thing_text(Machine *m, const char *text, size_t length) {
  return thing_constant(
      m,
      object_string(m->arena, arena_strndup(m->arena, text, length), length));
}

static Thing **copy_items(Machine *m, Thing **items, int count) {
  Thing **copy = arena_array(m->arena, Thing *, count + 1);
  count_bytes(m, (size_t)count * sizeof *copy);
  if (count && items) memcpy(copy, items, (size_t)count * sizeof *items);
  return copy;
}

// `t = t, t`, many times over, is a tuple whose parts are too many.
Thing *thing_tuple(Machine *m, Thing **items, int count) {
  enum { MAX_PARTS = 20000 };
  Thing *x = thing_new(m, THING_TUPLE);
  x->as.tuple.items = copy_items(m, items, count);
  x->as.tuple.count = count;
  x->as.tuple.num_parts = 1;
  for (int i = 0; i < count; i++)
    if (items[i]) x->as.tuple.num_parts += thing_num_parts(items[i]);
  if (x->as.tuple.num_parts > MAX_PARTS) run_lose(m);
  return x;
}

Content *content_new(Machine *m, Thing **keys, Thing **items, int count) {
  enum { MAX_ITEMS = 5000 };
  Content *content = arena_new(m->arena, Content);
  content->keys = keys ? copy_items(m, keys, count) : NULL;
  content->items = items || !keys ? copy_items(m, items, count) : NULL;
  content->count = count;
  if (count > MAX_ITEMS) run_lose(m);
  return content;
}

static const RunModule *module_of_code(const Machine *m) {
  return m->frame ? m->frame->module : NULL;
}

bool run_is_home(const Machine *m, const Thing *x) {
  const RunModule *module = module_of_code(m);
  if (x->kind == THING_LIST || x->kind == THING_DICT || x->kind == THING_SET)
    return x->as.holder.home == module;
  const Thing *class = x->kind == THING_CLASS ? x : NULL;
  if (x->kind == THING_INSTANCE) {
    class = x->as.instance.class;
    if (x->as.instance.names->home == module) return true;
  }
  for (; class && class->kind == THING_CLASS; class = class->as.class.base)
    if (class->as.class.names && class->as.class.names->home == module)
      return true;
  return false;
}

static Thing *holder(Machine *m, ThingKind kind, Content *content) {
  assert((kind != THING_LIST) == (content->keys != NULL)); // I7
  Thing *x = thing_new(m, kind);
  x->as.holder.home = module_of_code(m);
  run_store(m, &x->owner, &x->as.holder.content, content);
  return x;
}

static Thing *no_items[1];

Thing *thing_list(Machine *m, Thing **items, int count) {
  return holder(m, THING_LIST,
                content_new(m, NULL, count ? items : no_items, count));
}

Thing *thing_dict(Machine *m, Thing **keys, Thing **items, int count) {
  return holder(
      m, THING_DICT,
      content_new(m, count ? keys : no_items, count ? items : no_items, count));
}

Thing *thing_set(Machine *m, Thing **keys, int count, bool frozen) {
  Thing *x = holder(m, THING_SET,
                    content_new(m, count ? keys : no_items, NULL, count));
  x->as.holder.frozen = frozen;
  return x;
}

Thing *thing_method(Machine *m, Thing *function, Thing *self) {
  Thing *x = thing_new(m, THING_METHOD);
  x->as.method.function = function;
  x->as.method.self = self;
  return x;
}

Thing *thing_foreign(Machine *m, const char *dotted) {
  dotted = run_word(m, foreign_name(dotted));
  Thing *x = map_get(&m->foreign, dotted);
  if (x) return x;
  x = builtin_thing(m, dotted);
  if (!x || !strchr(dotted, '.')) {
    x = thing_new(m, THING_FOREIGN);
    x->as.foreign = dotted;
  }
  map_put(&m->foreign, m->arena, dotted, x);
  return x;
}

Content *content_of(const Thing *x) {
  Content *content = x->as.holder.content;
  return x->owner.exposed || content == &unknown_content ? NULL : content;
}

// Things that are put into an exposed container are exposed, too (I5).
void content_set(Machine *m, Thing *x, Content *content) {
  assert(content->count >= 0 && (content->keys || content->items)); // I4
  assert(!content->keys == (x->kind == THING_LIST));                // I7
  assert(!content->items == (x->kind == THING_SET));                // I7
  for (int i = 0; x->owner.exposed && i < content->count; i++) {
    if (content->keys) run_expose(m, content->keys[i]);
    if (content->items) run_expose(m, content->items[i]);
  }
  if (x->as.holder.is_named) x->as.holder.is_changed_named = true;
  if (x->owner.born <= m->statement || !run_is_home(m, x))
    x->as.holder.is_changed = true;
  run_store(m, &x->owner, &x->as.holder.content, content);
}

// -- Names -------------------------------------------------------------------

const char *run_word(Machine *m, const char *text) {
  const size_t length = strlen(text);
  char *known = map_get_text(&m->program->names, text, length);
  if (known) return known;
  known = arena_strndup(m->arena, text, length);
  map_put_text(&m->program->names, m->arena, text, length, known);
  return known;
}

bool name_is_private(const char *name) {
  const size_t length = strlen(name);
  return length > 3 && name[0] == '_' && name[1] == '_' &&
         !(name[length - 1] == '_' && name[length - 2] == '_');
}

NameTable *table_new(Machine *m) {
  NameTable *names = arena_new(m->arena, NameTable);
  names->home = module_of_code(m);
  names->owner = owner_new(m, SLOT_THING);
  return names;
}

// Tables of as many cells have an index.
enum { MANY_CELLS = 12 };

NameCell *table_find(const NameTable *names, const char *name) {
  if (names->by_name.count) return map_get(&names->by_name, name);
  for (size_t i = 0; i < names->cells.count; i++)
    if (names->cells.items[i]->name == name) return names->cells.items[i];
  return NULL;
}

// Puts the last cell into the index, or all cells into the first one.
static void index_cells(Machine *m, NameTable *names) {
  const size_t count = names->cells.count;
  if (count < MANY_CELLS) return;
  for (size_t i = names->by_name.count; i < count; i++) {
    NameCell *cell = names->cells.items[i];
    map_put(&names->by_name, m->arena, cell->name, cell);
  }
}

NameCell *table_cell(Machine *m, NameTable *names, const char *name) {
  NameCell *cell = table_find(names, name);
  if (cell) return cell;
  cell = arena_new(m->arena, NameCell);
  cell->owner = names->owner;
  cell->name = name;
  vec_push(m->arena, &names->cells, cell);
  index_cells(m, names);
  return cell;
}

Thing *cell_value(const NameCell *cell) {
  if (!cell) return NULL;
  return cell->owner.exposed ? &thing_unknown : cell->value;
}

Thing *cell_read(Machine *m, const NameCell *cell) {
  Thing *own = cell ? cell->value : NULL;
  if (!own || !cell->owner.exposed || !thing_is_mutable(own))
    return cell_value(cell);
  if (own->kind == THING_UNKNOWN) return own;
  Thing *x = thing_new(m, THING_UNKNOWN);
  x->as.either[0] = own;
  return x;
}

// A name is untold if a function binds it that existed before the statement of
// the module.
static void note_bound(const Machine *m, NameCell *cell, Thing *value) {
  if (!m->frame || m->frame->is_class) return;
  const bool is_local = m->frame->scope;
  if (is_local && cell->owner.born <= m->statement) cell->untold = true;
  if (!value || value == cell->value || !thing_is_mutable(value)) return;
  if (!is_local)
    vec_push(m->arena, &cell->ever, value);
  else if (value->kind == THING_LIST || value->kind == THING_DICT)
    value->as.holder.is_named = true;
}

void cell_set(Machine *m, NameCell *cell, Thing *value) {
  if (cell->owner.exposed && value) run_expose(m, value); // I5
  note_bound(m, cell, value);
  run_store(m, &cell->owner, &cell->value, value);
  assert(cell->owner.kind == SLOT_THING && "not the value of a name"); // I6
}

Thing *module_table(Machine *m, Thing *module) {
  Thing *x = thing_new(m, THING_VIEW);
  x->as.view.dict = module;
  x->as.view.kind = 3;
  return x;
}

Thing *module_named(Machine *m, const Thing *module, const char *name,
                    bool *known) {
  const RunModule *of = module->as.module;
  Thing *x = cell_value(table_find(of->names, run_word(m, name)));
  *known = !of->names->owner.exposed && !of->is_unread && (x || !of->has_star);
  return x;
}

void run_bind_text(Machine *m, RunModule *module, const char *name,
                   Thing *value) {
  NameCell *cell = table_cell(m, module->names, name);
  cell->untold = true;
  cell_set(m, cell, value);
}

void run_set_text(Thing *x) {
  switch (x->kind) {
  case THING_MODULE: x->as.module->names->untold = true; return;
  case THING_VIEW: run_set_text(x->as.view.dict); return;
  case THING_UNKNOWN:
  case THING_MAYBE:
    for (int i = 0; i < 2; i++)
      if (x->as.either[i]) run_set_text(x->as.either[i]);
    return;
  case THING_CLASS:
    if (x->as.class.names) x->as.class.names->untold = true;
    return;
  case THING_INSTANCE: x->as.instance.names->untold = true; return;
  case THING_LIST:
  case THING_DICT:
  case THING_SET: x->as.holder.is_changed = true; return;
  default: return;
  }
}

void run_note_changed(Machine *m, Thing *x) {
  const bool is_either = x->kind == THING_UNKNOWN || x->kind == THING_MAYBE;
  const bool is_holder =
      x->kind == THING_LIST || x->kind == THING_DICT || x->kind == THING_SET;
  for (int i = 0; is_either && i < 2; i++)
    if (x->as.either[i]) run_note_changed(m, x->as.either[i]);
  if (x->kind == THING_UNKNOWN && !m->runs_exposed) m->changes_unseen = true;
  if (!is_either &&
      (!run_is_home(m, x) || (is_holder && x->owner.born <= m->statement)))
    run_set_text(x);
}

// -- Questions ---------------------------------------------------------------

bool thing_is_mutable(const Thing *x) {
  switch (x->kind) {
  case THING_CONSTANT:
  case THING_RANGE:
  case THING_BUILTIN: return false;
  case THING_UNKNOWN:
    return (x->as.either[0] && thing_is_mutable(x->as.either[0])) ||
           (x->as.either[1] && thing_is_mutable(x->as.either[1]));
  case THING_TUPLE:
  case THING_SLICE:
    for (int i = 0; i < x->as.tuple.count; i++)
      if (x->as.tuple.items[i] && thing_is_mutable(x->as.tuple.items[i]))
        return true;
    return false;
  default: return true;
  }
}

bool thing_is_text(const Thing *x) {
  return x->kind == THING_CONSTANT && x->as.constant->kind == OBJECT_STRING;
}

bool thing_is_integer(const Thing *x, Integer *out) {
  if (x->kind != THING_CONSTANT || !constant_is_integer(x->as.constant))
    return false;
  *out = constant_integer(x->as.constant);
  return true;
}

// -- Conversion to and from constants of walks -------------------------------

static const Object *objects_of(Machine *m, Thing **items, int count,
                                char written, Map *made) {
  const Object **objects = arena_array(m->arena, const Object *, count + 1);
  for (int i = 0; i < count; i++)
    if (!(objects[i] = thing_object(m, items[i], made))) return NULL;
  return object_written(object_tuple(m->arena, objects, count), written);
}

static const Object *dict_object(Machine *m, const Thing *x, Map *made) {
  const Content *c = content_of(x);
  if (!c) return NULL;
  const Object **keys = arena_array(m->arena, const Object *, c->count + 1);
  const Object **items = arena_array(m->arena, const Object *, c->count + 1);
  for (int i = 0; i < c->count; i++) {
    keys[i] = thing_object(m, c->keys[i], made);
    items[i] = thing_object(m, c->items[i], made);
    if (!keys[i] || !items[i]) return NULL;
  }
  return object_dict(m->arena, keys, items, c->count);
}

static const Object *object_of(Machine *m, Thing *x, Map *made) {
  const Content *c;
  switch (x->kind) {
  case THING_CONSTANT: return x->as.constant;
  case THING_TUPLE:
    return objects_of(m, x->as.tuple.items, x->as.tuple.count, '(', made);
  case THING_LIST:
    c = content_of(x);
    return c ? objects_of(m, c->items, c->count, '[', made) : NULL;
  case THING_DICT: return dict_object(m, x, made);
  case THING_INSTANCE: return host_class_object(m, x);
  case THING_FUNCTION: return function_constant(m, x);
  default: return NULL;
  }
}

// NULL also for a deeply nested thing, as it may contain itself.
const Object *thing_object(Machine *m, Thing *x, Map *made) {
  enum { MAX_HELD = 20 };
  if (m->nesting > MAX_HELD) return NULL;
  m->nesting++;
  const Object *object = object_of(m, x, made);
  m->nesting--;
  if (!object || !made) return object; // a list may have become unknown
  const Object *before = map_get(made, x);
  if (!before) map_put(made, m->arena, x, (void *)object);
  return before ? before : object;
}

Thing *thing_of_object(Machine *m, const Object *x) {
  if (object_is_literal(x) || x->kind == OBJECT_NONE)
    return x->enum_kind == ENUM_PURE ? NULL : thing_constant(m, x);
  if (x->kind != OBJECT_TUPLE || object_passes(x) || x->as.tuple.class ||
      !x->as.tuple.written)
    return NULL;
  Things items = {0};
  for (int i = 0; i < x->as.tuple.count; i++) {
    Thing *item = thing_of_object(m, x->as.tuple.items[i]);
    if (!item) return NULL;
    vec_push(m->arena, &items, item);
  }
  return x->as.tuple.written == '['
             ? thing_list(m, items.items, (int)items.count)
             : thing_tuple(m, items.items, (int)items.count);
}

// -- Text --------------------------------------------------------------------

typedef struct Printed {
  const struct Printed *outer;
  const Thing *thing;
  bool any_order; // also print sets
} Printed;

static bool print(Machine *m, Thing *x, Str *out, const Printed *outer);

static bool print_items(Machine *m, Thing **items, Thing **values, int count,
                        Str *out, const Printed *outer) {
  for (int i = 0; i < count; i++) {
    if (i) str_add(out, ", ");
    if (!print(m, items[i], out, outer)) return false;
    if (!values) continue;
    str_add(out, ": ");
    if (!print(m, values[i], out, outer)) return false;
  }
  return true;
}

static bool print_tuple(Machine *m, const Thing *x, Str *out,
                        const Printed *outer) {
  str_add_char(out, '(');
  if (!print_items(m, x->as.tuple.items, NULL, x->as.tuple.count, out, outer))
    return false;
  str_add(out, x->as.tuple.count == 1 ? ",)" : ")");
  return true;
}

static bool print_set(Machine *m, const Thing *x, const Content *c, Str *out,
                      const Printed *outer) {
  const char *name = x->as.holder.frozen ? "frozenset" : "set";
  if (c->count > 1 && !outer->any_order) return false;
  if (!c->count) {
    str_addf(out, "%s()", name);
    return true;
  }
  str_add(out, x->as.holder.frozen ? "frozenset({" : "{");
  if (!print_items(m, c->keys, NULL, c->count, out, outer)) return false;
  str_add(out, x->as.holder.frozen ? "})" : "}");
  return true;
}

static bool print_holder(Machine *m, const Thing *x, Str *out,
                         const Printed *outer) {
  const Content *c = content_of(x);
  if (!c) return false;
  if (x->kind == THING_SET) return print_set(m, x, c, out, outer);
  const bool list = x->kind == THING_LIST;
  str_add_char(out, list ? '[' : '{');
  if (!print_items(m, list ? c->items : c->keys, list ? NULL : c->items,
                   c->count, out, outer))
    return false;
  str_add_char(out, list ? ']' : '}');
  return true;
}

static bool print(Machine *m, Thing *x, Str *out, const Printed *outer) {
  const Printed here = {outer, x, outer->any_order};
  if (out->length > OBJECT_MAX_LENGTH) return false;
  for (const Printed *p = outer; p; p = p->outer)
    if (p->thing == x) return false;
  switch (x->kind) {
  case THING_CONSTANT: object_print(x->as.constant, true, out); return true;
  case THING_TUPLE: return print_tuple(m, x, out, &here);
  case THING_LIST:
  case THING_DICT:
  case THING_SET: return print_holder(m, x, out, &here);
  default: return false;
  }
}

bool thing_print(Machine *m, Thing *x, bool any_order, Str *out) {
  const Printed none = {NULL, NULL, any_order};
  return print(m, x, out, &none);
}
