// object.c -- making, comparing and naming compile-time objects.
#include "frontend/value/object.h"

#include "frontend/value/host_type.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const Object object_none = {.kind = OBJECT_NONE};
const Object object_true = {.kind = OBJECT_BOOL, .as.truth = true};
const Object object_false = {.kind = OBJECT_BOOL, .as.truth = false};
const Object object_poison = {.kind = OBJECT_POISON};

static Object *make(Arena *arena, ObjectKind kind) {
  Object *x = arena_new(arena, Object);
  x->kind = kind;
  return x;
}

const Object *object_none_of(Arena *arena, const AstFunction *function) {
  Object *x = make(arena, OBJECT_NONE);
  x->as.without = function;
  return x;
}

const Object *object_bool(bool truth) {
  return truth ? &object_true : &object_false;
}

const Object *object_int(Arena *arena, Integer value) {
  Object *x = make(arena, OBJECT_INT);
  x->as.integer = value;
  return x;
}

const Object *object_float(Arena *arena, double value) {
  Object *x = make(arena, OBJECT_FLOAT);
  x->as.number = value;
  return x;
}

const Object *object_iterator(const Object *tuple) {
  assert(!tuple || tuple->kind == OBJECT_TUPLE); // I2
  if (tuple) ((Object *)tuple)->is_iterator = true;
  return tuple;
}

const Object *object_string(Arena *arena, const char *text, size_t length) {
  Object *x = make(arena, OBJECT_STRING);
  x->as.string.text = text;
  x->as.string.length = length;
  return x;
}

const Object *object_dtype(Arena *arena, Dtype dtype) {
  Object *x = make(arena, OBJECT_DTYPE);
  x->as.type.dtype = dtype;
  return x;
}

void object_hold(Object *x, const Object *const *items, int count) {
  for (int i = 0; i < count; i++) {
    if (!items[i]) continue;
    assert(items[i] != x && "an object is in itself"); // I7
    x->size += 1 + items[i]->size;
    if (x->depth <= items[i]->depth) x->depth = items[i]->depth + 1;
  }
}

static bool is_collection(const Object *x) {
  return x->kind == OBJECT_TUPLE || x->kind == OBJECT_DICT ||
         x->kind == OBJECT_SET;
}

// The items of a tuple or a dictionary.
static const Object *const *items_of(const Object *x, int *count) {
  const bool list = x->kind == OBJECT_TUPLE, dict = x->kind == OBJECT_DICT;
  *count = list ? x->as.tuple.count : dict ? x->as.dict.count : 0;
  return list ? x->as.tuple.items : x->as.dict.items;
}

void object_hold_items(const Object *x) {
  int count;
  const Object *const *items = items_of(x, &count);
  if (x->over) object_freeze(x->over);
  for (int i = 0; i < count; i++) {
    Object *item = (Object *)items[i];
    if (!item || !is_collection(item)) continue;
    if (item->owner > 0) item->owner = -item->owner;
    object_hold_items(item);
  }
}

void object_freeze(const Object *x) {
  int count;
  const Object *const *items = items_of(x, &count);
  if (!is_collection(x)) return;
  ((Object *)x)->owner = 0;
  if (x->over) object_freeze(x->over);
  for (int i = 0; i < count; i++)
    if (items[i]) object_freeze(items[i]);
}

const Object *object_tuple(Arena *arena, const Object *const *items,
                           int count) {
  Object *x = make(arena, OBJECT_TUPLE);
  const Object **copy = arena_array(arena, const Object *, count + 1);
  for (int i = 0; i < count; i++) copy[i] = items[i];
  x->as.tuple.items = copy;
  x->as.tuple.count = count;
  object_hold(x, items, count);
  return x;
}

const Object *object_dict(Arena *arena, const Object *const *keys,
                          const Object *const *items, int count) {
  Object *x = make(arena, OBJECT_DICT);
  x->as.dict.keys = keys;
  x->as.dict.items = items;
  x->as.dict.count = count;
  object_hold(x, keys, count);
  object_hold(x, items, count);
  return x;
}

const Object *object_written(const Object *tuple, char written) {
  assert(tuple->kind == OBJECT_TUPLE); // I2
  ((Object *)tuple)->as.tuple.written = written;
  return tuple;
}

const Object *object_written_by(const Object *tuple, const Expr *expr) {
  assert(!tuple || tuple->kind == OBJECT_TUPLE); // I2
  bool each = tuple && tuple->as.tuple.count == expr->items.count;
  for (int i = 0; each && i < expr->items.count; i++)
    each = expr->items.items[i]->kind != EXPR_STARRED;
  if (each) ((Object *)tuple)->as.tuple.expr = expr;
  return tuple;
}

bool object_is_aggregate(const Object *x) {
  return x->kind == OBJECT_TUPLE && x->as.tuple.class &&
         x->as.tuple.class->is_aggregate;
}

SrcLoc object_item_loc(const Object *x, int n, SrcLoc loc) {
  const Expr *expr = x->kind == OBJECT_TUPLE ? x->as.tuple.expr : NULL;
  const bool here = expr && loc_same(expr->loc, loc) && n < expr->items.count;
  return here ? expr->items.items[n]->loc : loc;
}

const Object *object_with_items(Arena *arena, const Object *tuple,
                                const Object *const *items) {
  const AstClass *class = tuple->as.tuple.class;
  assert(!class || class->num_fields == tuple->as.tuple.count); // I8
  Object *x = make(arena, OBJECT_TUPLE);
  *x = *object_tuple(arena, items, tuple->as.tuple.count);
  x->as.tuple.class = class;
  x->as.tuple.expr = tuple->as.tuple.expr;
  return x;
}

const Object *object_of_class(Arena *arena, const AstClass *class,
                              const Object *const *items) {
  Object tuple = {.kind = OBJECT_TUPLE};
  tuple.as.tuple.count = class->num_fields;
  tuple.as.tuple.class = class;
  return object_with_items(arena, &tuple, items);
}

int class_find_field(const AstClass *class, const char *name) {
  for (int i = 0; i < class->num_fields; i++) {
    if (!strcmp(class->fields[i].name, name)) return i;
  }
  return -1;
}

bool object_is_callable(const Object *x) {
  return x->kind == OBJECT_BUILTIN || x->kind == OBJECT_DTYPE ||
         x->kind == OBJECT_FUNCTION || x->kind == OBJECT_LAMBDA ||
         x->kind == OBJECT_METHOD || x->kind == OBJECT_CLASS;
}

const Object *object_named(Arena *arena, int count, const char *const *names,
                           const Object *const *items) {
  Object *x = make(arena, OBJECT_NAMED);
  x->as.named.names = names;
  x->as.named.items = object_tuple(arena, items, count)->as.tuple.items;
  x->as.named.count = count;
  return x;
}

const Object *object_named_with(Arena *arena, const Object *named,
                                const char *name, const Object *item) {
  const int n = named->as.named.count;
  const char **names = arena_array(arena, const char *, n + 1);
  const Object **items = arena_array(arena, const Object *, n + 1);
  bool *given = arena_array(arena, bool, n + 1);
  bool *read = arena_array(arena, bool, n + 1);
  int at = n;
  for (int i = 0; i < n; i++) {
    names[i] = named->as.named.names[i];
    items[i] = named->as.named.items[i];
    given[i] = named->as.named.given[i];
    read[i] = named->as.named.read[i];
    if (!strcmp(names[i], name)) at = i;
  }
  names[at] = name;
  items[at] = item;
  given[at] = true;
  Object *x = make(arena, OBJECT_NAMED);
  x->as.named.names = names;
  x->as.named.items = items;
  x->as.named.given = given;
  x->as.named.read = read;
  x->as.named.count = at == n ? n + 1 : n;
  return x;
}

const Object *object_named_item(const Object *named, int i) {
  assert(i >= 0 && i < named->as.named.count && "no such item");
  if (named->as.named.read) named->as.named.read[i] = true;
  return named->as.named.items[i];
}

const Object *object_function(Arena *arena, const AstFunction *function) {
  Object *x = make(arena, OBJECT_FUNCTION);
  x->as.function = function;
  return x;
}

const Object *object_method(Arena *arena, const AstFunction *function,
                            const Object *self) {
  Object *x = make(arena, OBJECT_METHOD);
  x->as.method.function = function;
  x->as.method.self = self;
  return x;
}

const Object *object_class(Arena *arena, const AstClass *class) {
  Object *x = make(arena, OBJECT_CLASS);
  x->as.class = class;
  return x;
}

const Object *object_symbol(Arena *arena, const Symbol *symbol) {
  Object *x = make(arena, OBJECT_SYMBOL);
  Symbol *copy = arena_new(arena, Symbol);
  *copy = *symbol;
  x->as.symbol = copy;
  return x;
}

#ifndef NDEBUG
// Has `type` elements of this dtype?  The type of a pointer or window tells the
// element in memory, where a bool is a byte.
static bool has_dtype(const Type *type, Dtype dtype) {
  const bool is_window =
      type->kind == TYPE_BLOCK_POINTER || type->kind == TYPE_DESCRIPTOR;
  const Type *element = is_window ? type->element : type_element(type);
  const bool in_memory = is_window || dtype.is_pointer;
  const Elem elem =
      in_memory && dtype.id == DTYPE_INT1 ? ELEM_i8 : dtype_info[dtype.id].elem;
  if (dtype.is_pointer && element->kind != TYPE_POINTER) return false;
  if (dtype.is_pointer) element = element->element;
  return element->kind == TYPE_SCALAR && element->elem == elem;
}
#endif

const Object *object_tensor(Arena *arena, Value *value, Dtype dtype) {
  assert(has_dtype(value->type, dtype)); // I9
  Object *x = make(arena, OBJECT_TENSOR);
  x->as.tensor.value = value;
  x->as.tensor.dtype = dtype;
  return x;
}

const Object *object_builtin(Arena *arena, const Builtin *info,
                             const Object *self) {
  Object *x = make(arena, OBJECT_BUILTIN);
  x->as.builtin.info = info;
  x->as.builtin.self = self;
  return x;
}

Object *object_gone(Arena *arena, const char *reason, const Object *a,
                    const Object *b) {
  Object *x = make(arena, OBJECT_GONE);
  x->as.gone.reason = reason;
  x->as.gone.were[0] = a;
  x->as.gone.were[1] = b;
  return x;
}

// -- Comparing ---------------------------------------------------------------

bool object_is_constant(const Object *x) {
  if (x->kind == OBJECT_TENSOR || x->kind == OBJECT_GONE) return false;
  if (x->kind != OBJECT_TUPLE) return true;
  for (int i = 0; i < x->as.tuple.count; i++) {
    if (!object_is_constant(x->as.tuple.items[i])) return false;
  }
  return true;
}

bool object_is_of_host(const Object *x) {
  if (x->kind != OBJECT_SYMBOL) return false;
  const Symbol *symbol = x->as.symbol;
  return symbol->kind == SYMBOL_HOST || symbol->kind == SYMBOL_BUILTIN
             ? symbol->global != NULL
             : symbol->kind == SYMBOL_EXTERNAL && strchr(symbol->name, '.');
}

static const Object *find_among(const Object *const *items, int count,
                                bool (*test)(const Object *x)) {
  const Object *found = NULL;
  for (int i = 0; !found && i < count; i++) found = object_find(items[i], test);
  return found;
}

const Object *object_find(const Object *x, bool (*test)(const Object *x)) {
  if (test(x)) return x;
  if (x->kind == OBJECT_TUPLE)
    return find_among(x->as.tuple.items, x->as.tuple.count, test);
  if (x->kind == OBJECT_SET)
    return find_among(x->as.set.items, x->as.set.count, test);
  if (x->kind != OBJECT_DICT) return NULL;
  const Object *key = find_among(x->as.dict.keys, x->as.dict.count, test);
  return key ? key : find_among(x->as.dict.items, x->as.dict.count, test);
}

const Object *object_find_of_host(const Object *x) {
  return object_find(x, object_is_of_host);
}

static bool equal_types(const Object *a, const Object *b) {
  const Type *s = a->as.type.tile, *t = b->as.type.tile;
  if (a->as.type.is_block != b->as.type.is_block) return false;
  if (!s != !t || (s && !type_same_shape(s, t))) return false;
  return dtype_equal(a->as.type.dtype, b->as.type.dtype);
}

static bool equal_symbols(const Symbol *a, const Symbol *b) {
  const bool external = a->kind == SYMBOL_EXTERNAL;
  if (external && b->kind == a->kind && host_same_type(a->name, b->name))
    return true;
  if (a->kind != b->kind || a->file != b->file || a->function != b->function)
    return false;
  return a->name == b->name ||
         (a->name && b->name && !strcmp(a->name, b->name));
}

// Compares items by `same`: object_equal or object_same_type.
static bool equal_items(const Object *a, const Object *b,
                        bool (*same)(const Object *, const Object *)) {
  if (a->as.tuple.count != b->as.tuple.count) return false;
  for (int i = 0; i < a->as.tuple.count; i++) {
    if (!same(a->as.tuple.items[i], b->as.tuple.items[i])) return false;
  }
  return true;
}

static bool equal_strings(const Object *a, const Object *b) {
  return a->as.string.length == b->as.string.length &&
         !memcmp(a->as.string.text, b->as.string.text, a->as.string.length);
}

const char environment_name[] = "os.environ";

bool object_is_variable(const Object *dict, const Object *key) {
  for (int i = 0; i < dict->as.dict.count; i++) {
    const Object *x = dict->as.dict.items[i];
    if (x->kind == OBJECT_SYMBOL && x->as.symbol->kind == SYMBOL_EXTERNAL &&
        !strcmp(x->as.symbol->name, environment_name) &&
        object_equal(dict->as.dict.keys[i], key))
      return true;
  }
  return false;
}

bool object_equal(const Object *a, const Object *b) {
  if (a == b) return true;
  if (a->kind != b->kind) return false;
  switch (a->kind) {
  case OBJECT_NONE: return true;
  case OBJECT_BOOL: return a->as.truth == b->as.truth;
  case OBJECT_INT: return a->as.integer == b->as.integer;
  case OBJECT_FLOAT:
    return !memcmp(&a->as.number, &b->as.number, sizeof a->as.number);
  case OBJECT_STRING: return equal_strings(a, b);
  case OBJECT_DTYPE: return equal_types(a, b);
  case OBJECT_TUPLE: return equal_items(a, b, object_equal);
  case OBJECT_NAMED:
  case OBJECT_DICT:
  case OBJECT_SET:
  case OBJECT_SLICE: return false;
  case OBJECT_TENSOR: return a->as.tensor.value == b->as.tensor.value;
  case OBJECT_FUNCTION: return a->as.function == b->as.function;
  case OBJECT_LAMBDA: return a->as.lambda.function == b->as.lambda.function;
  case OBJECT_METHOD:
    return a->as.method.function == b->as.method.function &&
           object_equal(a->as.method.self, b->as.method.self);
  case OBJECT_CLASS: return a->as.class == b->as.class;
  case OBJECT_BUILTIN:
    return a->as.builtin.info == b->as.builtin.info &&
           a->as.builtin.self == b->as.builtin.self;
  case OBJECT_SYMBOL: return equal_symbols(a->as.symbol, b->as.symbol);
  case OBJECT_GONE:
  case OBJECT_POISON: return true;
  }
  return false;
}

// Are `a` and `b` one class?  Classes of arguments are made anew, and compared
// by names.
static bool same_class(const AstClass *a, const AstClass *b) {
  if (a == b || !a || !b) return a == b;
  if (a->file || b->file || a->num_fields != b->num_fields) return false;
  for (int i = 0; i < a->num_fields; i++) {
    if (strcmp(a->fields[i].name, b->fields[i].name)) return false;
  }
  return true;
}

bool object_same_type(const Object *a, const Object *b) {
  if (a->kind != b->kind) return false;
  if (a->kind == OBJECT_TUPLE)
    return same_class(a->as.tuple.class, b->as.tuple.class) &&
           equal_items(a, b, object_same_type);
  if (a->kind != OBJECT_TENSOR) return object_equal(a, b);
  return object_type(a) == object_type(b) &&
         dtype_equal(a->as.tensor.dtype, b->as.tensor.dtype) &&
         a->as.tensor.dtype.is_const == b->as.tensor.dtype.is_const;
}

// -- IR values ---------------------------------------------------------------

int object_num_values(const Object *x) {
  if (x->kind == OBJECT_TENSOR) return 1;
  if (x->kind != OBJECT_TUPLE) return 0;
  int n = 0;
  for (int i = 0; i < x->as.tuple.count; i++)
    n += object_num_values(x->as.tuple.items[i]);
  return n;
}

void object_values(const Object *x, Value ***cursor) {
  if (x->kind == OBJECT_TENSOR) *(*cursor)++ = x->as.tensor.value;
  if (x->kind != OBJECT_TUPLE) return;
  for (int i = 0; i < x->as.tuple.count; i++)
    object_values(x->as.tuple.items[i], cursor);
}

const Object *object_with_values(Arena *arena, const Object *x,
                                 Value *const **cursor) {
  if (x->kind == OBJECT_TENSOR) // a scalar may become a tile
    return object_tensor(arena, *(*cursor)++, x->as.tensor.dtype);
  if (x->kind != OBJECT_TUPLE || !object_num_values(x)) return x;
  const int n = x->as.tuple.count;
  const Object **items = arena_array(arena, const Object *, n);
  for (int i = 0; i < n; i++)
    items[i] = object_with_values(arena, x->as.tuple.items[i], cursor);
  return object_with_items(arena, x, items);
}
