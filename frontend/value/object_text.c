// object_text.c -- objects in messages and in f-strings.
#include "frontend/value/builtin.h"
#include "ir/number.h"

#include <string.h>

const char *shape_text(Arena *arena, int rank, const int64_t *shape) {
  Str out = str_in(arena);
  str_add(&out, "[");
  for (int i = 0; i < rank; i++)
    str_addf(&out, "%s%lld", i ? ", " : "", (long long)shape[i]);
  str_add(&out, "]");
  return str_text(&out);
}

static void print_tuple(const Object *x, Str *out) {
  const AstClass *class = x->as.tuple.class;
  const bool list = x->as.tuple.written == '[';
  str_addf(out, "%s%c", class ? class->name : "", list ? '[' : '(');
  for (int i = 0; i < x->as.tuple.count; i++) {
    if (i) str_add(out, ", ");
    if (class) str_addf(out, "%s=", class->fields[i].name);
    object_print(x->as.tuple.items[i], true, out);
  }
  const bool one = x->as.tuple.count == 1 && !class;
  str_add(out, list ? "]" : one ? ",)" : ")");
}

static void print_dict(const Object *x, Str *out) {
  str_add(out, "{");
  for (int i = 0; i < x->as.dict.count; i++) {
    if (i) str_add(out, ", ");
    object_print(x->as.dict.keys[i], true, out);
    str_add(out, ": ");
    object_print(x->as.dict.items[i], true, out);
  }
  str_add(out, "}");
}

static void print_type(const Object *x, Str *out) {
  const char *name = dtype_text(out->arena, x->as.type.dtype);
  if (x->as.type.is_block) str_add(out, "block pointer to ");
  str_add(out,
          x->as.type.is_block ? dtype_info[x->as.type.dtype.id].name : name);
  const Type *tile = x->as.type.tile;
  if (!tile) return;
  str_addf(out, " %s", shape_text(out->arena, tile->rank, tile->shape));
}

// Prints a character as Python's repr() does, in a string between two `quote`s.
static void print_escaped(char c, char quote, Str *out) {
  static const char *const escapes[][2] = {
      {"\n", "\\n"}, {"\t", "\\t"}, {"\r", "\\r"}, {"\\", "\\\\"}};
  for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++) {
    if (c != *escapes[i][0]) continue;
    str_add(out, escapes[i][1]);
    return;
  }
  if (c == quote) str_add_char(out, '\\');
  const unsigned char byte = (unsigned char)c;
  if (byte < ' ' || byte == 0x7f) {
    str_addf(out, "\\x%02x", byte);
  } else {
    str_add_char(out, c);
  }
}

static void print_string(const Object *x, bool repr, Str *out) {
  const char *text = x->as.string.text;
  const size_t n = x->as.string.length;
  if (!repr) {
    str_add_bytes(out, text, n);
    return;
  }
  const bool doubles = memchr(text, '\'', n) && !memchr(text, '"', n);
  const char quote = doubles ? '"' : '\'';
  str_add_char(out, quote);
  for (size_t i = 0; i < n; i++) print_escaped(text[i], quote, out);
  str_add_char(out, quote);
}

static void print_set(const Object *x, Str *out) {
  const int n = x->as.set.count;
  const bool frozen = x->as.set.is_frozen;
  if (frozen || !n) str_add(out, frozen ? "frozenset(" : "set(");
  for (int i = 0; i < n; i++) {
    str_add(out, i ? ", " : "{");
    object_print(x->as.set.items[i], true, out);
  }
  if (n) str_add(out, "}");
  if (frozen || !n) str_add(out, ")");
}

void object_print(const Object *x, bool repr, Str *out) {
  if (out->length > OBJECT_MAX_LENGTH) return;
  switch (x->kind) {
  case OBJECT_NONE: str_add(out, "None"); return;
  case OBJECT_BOOL: str_add(out, x->as.truth ? "True" : "False"); return;
  case OBJECT_INT: integer_print(x->as.integer, out); return;
  case OBJECT_FLOAT: float_print_repr(x->as.number, out); return;
  case OBJECT_STRING: print_string(x, repr, out); return;
  case OBJECT_TUPLE: print_tuple(x, out); return;
  case OBJECT_DICT: print_dict(x, out); return;
  case OBJECT_SET: print_set(x, out); return;
  case OBJECT_DTYPE: print_type(x, out); return;
  default: str_add(out, object_text(out->arena, x)); return;
  }
}

static const char *tensor_text(Arena *arena, const Object *x) {
  const Type *type = object_type(x);
  const Dtype dtype = x->as.tensor.dtype;
  const char *name = dtype_info[dtype.id].name;
  const char *shape = shape_text(arena, type->rank, type->shape);
  if (type->kind == TYPE_BLOCK_POINTER)
    return arena_printf(arena, "block pointer to %s %s", name, shape);
  if (type->kind == TYPE_DESCRIPTOR)
    return arena_printf(arena, "descriptor of %s %s", name, shape);
  if (type->kind != TYPE_TILE) return dtype_text(arena, dtype);
  const char *of = dtype.is_pointer ? "tile of pointers to" : "tile of";
  return arena_printf(arena, "%s %s %s", of, name, shape);
}

static const char *constant_text(Arena *arena, const char *what,
                                 const Object *x) {
  Str out = str_in(arena);
  str_add(&out, what);
  object_print(x, true, &out);
  return str_text(&out);
}

static const char *symbol_text(Arena *arena, const Symbol *symbol) {
  const char *name = symbol->name ? symbol->name : "?";
  if (symbol->kind == SYMBOL_MODULE || symbol->kind == SYMBOL_BUILTIN)
    return arena_printf(arena, "module '%s'", name);
  return arena_printf(arena, "'%s' of host code", name);
}

static const char *none_text(Arena *arena, const Object *x) {
  return x->as.without ? arena_printf(arena, "None ('%s' returns nothing)",
                                      x->as.without->name)
                       : "None";
}

const char *object_python_type(ObjectKind kind) {
  static const char *const names[OBJECT_POISON + 1] = {
#define PYTHON_TYPE(kind, name) [OBJECT_##kind] = name,
#include "frontend/value/dtypes.def"
  };
  return names[kind];
}

const char *object_text(Arena *arena, const Object *x) {
  switch (x->kind) {
  case OBJECT_NONE: return none_text(arena, x);
  case OBJECT_BOOL:
  case OBJECT_INT:
  case OBJECT_FLOAT: return constant_text(arena, "constant ", x);
  case OBJECT_STRING: return constant_text(arena, "string ", x);
  case OBJECT_DTYPE: return constant_text(arena, "type ", x);
  case OBJECT_TUPLE:
    if (x->as.tuple.class)
      return arena_printf(arena, "a '%s'", x->as.tuple.class->name);
    return arena_printf(arena, "tuple of %d", x->as.tuple.count);
  case OBJECT_NAMED: return "the arguments";
  case OBJECT_DICT:
    return arena_printf(arena, "dictionary of %d", x->as.dict.count);
  case OBJECT_SET:
    return arena_printf(arena, "set of %d, in no known order", x->as.set.count);
  case OBJECT_LAMBDA: return "lambda";
  case OBJECT_SLICE: return "slice";
  case OBJECT_TENSOR: return tensor_text(arena, x);
  case OBJECT_FUNCTION:
    return arena_printf(arena, "function '%s'", x->as.function->name);
  case OBJECT_METHOD:
    return arena_printf(arena, "method '%s'", x->as.method.function->name);
  case OBJECT_CLASS:
    return arena_printf(arena, "class '%s'", x->as.class->name);
  case OBJECT_BUILTIN:
    return arena_printf(arena, "function '%s'", x->as.builtin.info->name);
  case OBJECT_SYMBOL: return symbol_text(arena, x->as.symbol);
  case OBJECT_GONE: return x->as.gone.reason;
  case OBJECT_POISON: return "an error";
  }
  return "nothing";
}

static const char *item_name(Arena *arena, const char *name,
                             const Object *tuple, int i) {
  const AstClass *class = tuple->as.tuple.class;
  return class ? arena_printf(arena, "%s.%s", name, class->fields[i].name)
               : arena_printf(arena, "%s[%d]", name, i);
}

const char *object_difference(Arena *arena, const char *name, const Object **a,
                              const Object **b) {
  for (;;) {
    const Object *x = *a, *y = *b;
    const int n = x->kind == OBJECT_TUPLE ? x->as.tuple.count : 0;
    const bool alike = y->kind == OBJECT_TUPLE && y->as.tuple.count == n &&
                       y->as.tuple.class == x->as.tuple.class;
    int i = 0;
    while (alike && i < n &&
           object_same_type(x->as.tuple.items[i], y->as.tuple.items[i]))
      i++;
    if (!alike || i == n) return name;
    name = item_name(arena, name, x, i);
    *a = x->as.tuple.items[i];
    *b = y->as.tuple.items[i];
  }
}

const char *object_text_beside(Arena *arena, const Object *x,
                               const Object *other) {
  const Object *part = x, *other_part = other;
  const char *name = object_difference(arena, "", &part, &other_part);
  if (!*name) return object_text(arena, x);
  return arena_printf(arena, "%s with %s at '%s'", object_text(arena, x),
                      object_text(arena, part), name);
}
