// type.c -- interning and printing types.
//
// The key of a type is its parts.  Its element and layout are interned already,
// so the key contains their addresses.
#include "ir/type.h"

#include "ir/layout.h"

#include <assert.h>
#include <inttypes.h>

const char *const space_name[SPACE_COUNT] = {"global", "shared"};

static const char *const kind_name[] = {
#define TYPE(id, word) word,
#include "ir/op/type_kinds.def"
};

static void add_body(const Type *type, LayoutWriter add_layout, void *ctx,
                     Str *out) {
  for (int i = 0; i < type->rank; i++) {
    str_addf(out, "%" PRId64 "x", type->shape[i]);
  }
  type_print(type->element, out);
  if (type->layout) {
    str_add(out, ", ");
    add_layout(ctx, type->layout, out);
  }
  if (type->space != SPACE_GLOBAL) {
    str_addf(out, ", %s", space_name[type->space]);
  }
  if (type->is_wide) str_add(out, ", i64");
}

void type_print_with(const Type *type, LayoutWriter add_layout, void *ctx,
                     Str *out) {
  if (type->kind == TYPE_SCALAR) {
    str_add(out, elem_info[type->elem].name);
    return;
  }
  str_add(out, kind_name[type->kind]);
  if (!type->element) return;
  str_add_char(out, '<');
  add_body(type, add_layout, ctx, out);
  str_add_char(out, '>');
}

static void add_full(void *ctx, const Layout *layout, Str *out) {
  (void)ctx;
  layout_print(layout, out);
}

void type_print(const Type *type, Str *out) {
  type_print_with(type, add_full, NULL, out);
}

const char *type_text(const Type *type, Arena *arena) {
  Str text = str_in(arena);
  type_print(type, &text);
  return str_text(&text);
}

const char *type_shape_text(const Type *type, Arena *arena) {
  Str text = str_in(arena);
  for (int i = 0; i < type->rank; i++) {
    str_addf(&text, "%s%lld", i ? ", " : "[", (long long)type->shape[i]);
  }
  if (type->rank) str_add(&text, "] of ");
  str_add(&text, type_text(type_element(type), arena));
  return str_text(&text);
}

typedef struct {
  uint64_t words[4 + MAX_RANK];
  size_t size; // of the used part, in bytes
} TypeKey;

static TypeKey key_of(const Type *type) {
  TypeKey key = {.size = sizeof(uint64_t) * (4 + (size_t)type->rank)};
  key.words[0] = (uint64_t)type->kind << 32 | (uint64_t)type->elem;
  key.words[1] = (uint64_t)type->space << 1 | type->is_wide;
  key.words[2] = (uintptr_t)type->element;
  key.words[3] = (uintptr_t)type->layout;
  for (int i = 0; i < type->rank; i++)
    key.words[4 + i] = (uint64_t)type->shape[i];
  return key;
}

static const Type *intern(TypeTable *table, const Type *like) {
  const TypeKey key = key_of(like);
  Type *found = map_get_text(&table->types, (const char *)key.words, key.size);
  if (found) return found;
  Type *type = arena_new(table->arena, Type);
  *type = *like;
  int64_t *shape = arena_array(table->arena, int64_t, like->rank);
  type->num_elements = 1;
  for (int i = 0; i < like->rank; i++) {
    shape[i] = like->shape[i];
    type->num_elements *= shape[i];
    assert(shape[i] > 0 && type->num_elements > 0 && "an empty type"); // I9
  }
  type->shape = shape;
  map_put_text(&table->types, table->arena, (const char *)key.words, key.size,
               type);
  return type;
}

const Type *type_scalar(TypeTable *table, Elem elem) {
  return intern(table, &(Type){.kind = TYPE_SCALAR, .elem = elem});
}

const Type *type_pointer(TypeTable *table, const Type *pointee,
                         AddressSpace space) {
  return intern(table, &(Type){.kind = TYPE_POINTER,
                               .elem = pointee->elem,
                               .space = space,
                               .element = pointee});
}

static const Type *shaped(TypeTable *table, TypeKind kind, int rank,
                          const int64_t *shape, const Type *element,
                          const Layout *layout, AddressSpace space) {
  assert(rank >= 0 && rank <= MAX_RANK && "rank out of range"); // I9
  return intern(table, &(Type){.kind = kind,
                               .elem = element->elem,
                               .space = space,
                               .element = element,
                               .rank = rank,
                               .shape = shape,
                               .layout = layout});
}

const Type *type_tile(TypeTable *table, int rank, const int64_t *shape,
                      const Type *element, const Layout *layout) {
  return shaped(table, TYPE_TILE, rank, shape, element, layout, SPACE_GLOBAL);
}

const Type *type_block_pointer(TypeTable *table, int rank, const int64_t *shape,
                               const Type *element) {
  return shaped(table, TYPE_BLOCK_POINTER, rank, shape, element, NULL,
                SPACE_GLOBAL);
}

const Type *type_wide_block_pointer(TypeTable *table, const Type *narrow) {
  Type key = *narrow;
  key.is_wide = true;
  return intern(table, &key);
}

const Type *type_of_offsets(TypeTable *table, const Type *window) {
  return type_scalar(table, window->is_wide ? ELEM_i64 : ELEM_i32);
}

const Type *type_descriptor(TypeTable *table, int rank, const int64_t *shape,
                            const Type *element) {
  return shaped(table, TYPE_DESCRIPTOR, rank, shape, element, NULL,
                SPACE_GLOBAL);
}

const Type *type_memdesc(TypeTable *table, int rank, const int64_t *shape,
                         const Type *element, const Layout *layout,
                         AddressSpace space) {
  return shaped(table, TYPE_MEMDESC, rank, shape, element, layout, space);
}

const Type *type_token(TypeTable *table) {
  return intern(table, &(Type){.kind = TYPE_TOKEN});
}

const Type *type_mbarrier(TypeTable *table) {
  return intern(table, &(Type){.kind = TYPE_MBARRIER});
}

const Type *type_with_element(TypeTable *table, const Type *type,
                              const Type *element) {
  if (!type->rank) return element;
  Type key = *type;
  key.element = element;
  key.elem = element->elem;
  return intern(table, &key);
}

const Type *type_with_elem(TypeTable *table, const Type *type, Elem elem) {
  return type_with_element(table, type, type_scalar(table, elem));
}

const Type *type_with_layout(TypeTable *table, const Type *type,
                             const Layout *layout) {
  if (!type->rank) return type;
  Type key = *type;
  key.layout = layout;
  return intern(table, &key);
}

static bool element_is(const Type *type, TypeKind kind) {
  return type_element(type)->kind == kind;
}

bool type_is_int(const Type *type) {
  return element_is(type, TYPE_SCALAR) && !elem_info[type->elem].is_float;
}

bool type_is_float(const Type *type) {
  return element_is(type, TYPE_SCALAR) && elem_info[type->elem].is_float;
}

bool type_is_bool(const Type *type) {
  return element_is(type, TYPE_SCALAR) && type->elem == ELEM_i1;
}

bool type_is_pointer(const Type *type) {
  return element_is(type, TYPE_POINTER);
}

bool type_same_shape(const Type *a, const Type *b) {
  if (a->rank != b->rank) return false;
  for (int i = 0; i < a->rank; i++) {
    if (a->shape[i] != b->shape[i]) return false;
  }
  return true;
}

int type_element_bits(const Type *type) {
  return type_is_pointer(type) ? 64 : elem_info[type->elem].bits;
}
