// face.c -- the C parameters of a kernel's function, from the types that its
// variants were compiled for.
#include "runtime/pack/face.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

// The arguments of all variants for one parameter, or for one item of a tuple.
typedef struct {
  const PackSpec **specs;
  size_t count;
  bool is_item, has_default;
} Column;

static bool same_constant(const PackSpec *a, const PackSpec *b) {
  return a->kind < PACK_TUPLE && a->kind != PACK_POINTER &&
         a->kind != PACK_NUMBER && pack_same_spec(a, b);
}

static Passing passing_of(const PackSpec *spec) {
  switch (spec->kind) {
  case PACK_POINTER: return AS_POINTER;
  case PACK_NUMBER: return AS_NUMBER;
  case PACK_BOOL: return AS_BOOL;
  case PACK_INT: return AS_INTEGER;
  case PACK_FLOAT: return AS_FLOAT;
  case PACK_DESCRIPTOR: return AS_DESCRIPTOR;
  default: return AS_ARGUMENT;
  }
}

// The C form that has room for both: a double takes only floats, and an int64_t
// only integers.
static Passing join(Passing a, bool a_is_float, Passing b, bool b_is_float) {
  if (a == AS_NUMBER) a = a_is_float ? AS_FLOAT : AS_INTEGER;
  if (b == AS_NUMBER) b = b_is_float ? AS_FLOAT : AS_INTEGER;
  return a == b ? a : AS_ARGUMENT;
}

static void add_spec(Face *face, const PackSpec *spec, bool is_first) {
  Passing passing = passing_of(spec);
  if (spec->kind == PACK_NONE) {
    face->may_be_none = true;
    return;
  }
  if (is_first) {
    face->passing = passing;
    face->dtype = spec->dtype;
    return;
  }
  const bool same_type = face->dtype == spec->dtype || passing == AS_DESCRIPTOR;
  if (passing == face->passing && same_type) return;
  if (passing == AS_POINTER &&
      (face->passing == AS_POINTER || face->passing == AS_ANY_POINTER))
    face->passing = AS_ANY_POINTER;
  else
    face->passing = join(face->passing, face_is_float(face->dtype), passing,
                         face_is_float(spec->dtype));
}

static Face plain_face(const Column *column) {
  Face face = {.passing = AS_NOTHING};
  bool is_first = true, same = true;
  const PackSpec *first = column->specs[0];
  for (size_t i = 0; i < column->count; i++) {
    same = same && same_constant(first, column->specs[i]);
    add_spec(&face, column->specs[i], is_first);
    is_first = is_first && column->specs[i]->kind == PACK_NONE;
  }
  if (same) face.passing = AS_NOTHING;
  if (same && (column->has_default || column->is_item)) face.constant = first;
  if (face.constant && pack_is_text(first)) face.passing = AS_ARGUMENT;
  const bool is_address = face.passing == AS_POINTER ||
                          face.passing == AS_ANY_POINTER ||
                          face.passing == AS_DESCRIPTOR;
  if (face.may_be_none && !is_address && !same) face.passing = AS_ARGUMENT;
  return face;
}

// -- Tuples ------------------------------------------------------------------

static bool same_shape(const PackSpec *a, const PackSpec *b) {
  if (a->kind != PACK_TUPLE || b->kind != PACK_TUPLE ||
      a->num_items != b->num_items || !a->names != !b->names)
    return false;
  for (int i = 0; i < a->num_items && a->names; i++) {
    if (strcmp(a->names[i], b->names[i])) return false;
  }
  return true;
}

static bool is_tuple(const Column *column) {
  for (size_t i = 0; i < column->count; i++) {
    if (!same_shape(column->specs[0], column->specs[i])) return false;
  }
  return true;
}

static Face face_of(Arena *arena, const Column *column) {
  assert(column->count && "a kernel without a variant has no face"); // I4
  if (!is_tuple(column)) return plain_face(column);
  const PackSpec *first = column->specs[0];
  Column item = {.specs = arena_array(arena, const PackSpec *, column->count),
                 .count = column->count,
                 .is_item = true};
  Face *items = arena_array(arena, Face, first->num_items + 1);
  for (int i = 0; i < first->num_items; i++) {
    for (size_t v = 0; v < column->count; v++)
      item.specs[v] = &column->specs[v]->items[i];
    items[i] = face_of(arena, &item);
  }
  return (Face){.passing = AS_TUPLE,
                .items = items,
                .num_items = first->num_items,
                .names = first->names};
}

// -- Names -------------------------------------------------------------------

static bool begins_with_one_of(const char *name, const char *const *starts) {
  for (; *starts; starts++)
    if (!strncmp(name, *starts, strlen(*starts))) return true;
  return false;
}

// Is the name one of tile.h, or a limit of stdint.h, such as SIZE_MAX?  No such
// name ends with `_`.
static bool is_of_headers(const char *name) {
  static const char *const ours[] = {"tile", "Tile", "TILE", NULL};
  static const char *const types[] = {"INT", "UINT", "SIZE", "PTRDIFF", NULL};
  const bool is_limit =
      text_ends_with(name, "_MAX") || text_ends_with(name, "_MIN");
  if (text_ends_with(name, "_")) return false;
  return begins_with_one_of(name, ours) ||
         (is_limit && begins_with_one_of(name, types));
}

static const char *const words[] = {
#define C_NAMES(...) __VA_ARGS__,
#include "runtime/pack/c_names.def"
};
enum { NUM_WORDS = sizeof words / sizeof *words };

static bool is_taken(const Names *names, const char *name) {
  return is_of_headers(name) || names_have(words, NUM_WORDS, name) ||
         names_have(names->items, names->count, name);
}

// With `more`, the name followed by `more` must be free as well; NULL: only the
// name itself.
static const char *take_name(Arena *arena, Names *names, const char *name,
                             const char *more) {
  char *safe = arena_strdup(arena, name);
  for (char *at = safe; *at; at++)
    if (!isalnum((unsigned char)*at)) *at = '_';
  const char *second = safe;
  if (more) second = arena_printf(arena, "%s%s", safe, more);
  while (is_taken(names, safe) || is_taken(names, second)) {
    safe = arena_printf(arena, "%s_", safe);
    second = more ? arena_printf(arena, "%s%s", safe, more) : safe;
  }
  assert(names->count % 2 == 0 && "a name without its second"); // I4
  vec_push(arena, names, safe);
  vec_push(arena, names, second);
  return safe;
}

static void name_face(Arena *arena, Names *names, const char *name,
                      Face *face) {
  const char *more = face->passing == AS_ANY_POINTER ? "_dtype"
                     : face->names                   ? "_names"
                                                     : NULL;
  const char *own = name;
  if (face->passing == AS_TUPLE) own = arena_printf(arena, "%s_items", name);
  face->name = take_name(arena, names, own, more);
  for (int i = 0; i < face->num_items; i++) {
    char *of_item = face->names
                        ? arena_printf(arena, "%s_%s", name, face->names[i])
                        : arena_printf(arena, "%s_%d", name, i);
    name_face(arena, names, of_item, &face->items[i]);
  }
}

Face *pack_faces(Arena *arena, const PackKernel *kernel) {
  Face *faces = arena_array(arena, Face, kernel->num_params + 1);
  Column column = {
      .specs = arena_array(arena, const PackSpec *, kernel->num_variants),
      .count = kernel->num_variants};
  Names names = {0};
  for (size_t i = 0; i < kernel->num_params; i++) {
    for (size_t v = 0; v < kernel->num_variants; v++)
      column.specs[v] = &kernel->variants[v].specs[i];
    column.has_default = kernel->params[i].has_default;
    faces[i] = face_of(arena, &column);
  }
  // Parameters are named first, so that names of tuples' items do not change
  // theirs.
  for (size_t i = 0; i < kernel->num_params; i++) {
    if (faces[i].passing != AS_TUPLE)
      name_face(arena, &names, kernel->params[i].name, &faces[i]);
  }
  for (size_t i = 0; i < kernel->num_params; i++) {
    if (faces[i].passing == AS_TUPLE)
      name_face(arena, &names, kernel->params[i].name, &faces[i]);
  }
  return faces;
}
