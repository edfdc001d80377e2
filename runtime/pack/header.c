// header.c -- a pack as C: a header with a function for each kernel, and its
// bytes as an array to be linked into a program.
//
// A parameter with the same constant in all variants is not a parameter of the
// C function; the library picks the variant by the values of the others.
#include "runtime/pack/face.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static char *identifier(Arena *arena, const char *text) {
  char *name = arena_strdup(arena, text);
  for (char *at = name; *at; at++)
    if (!isalnum((unsigned char)*at)) *at = '_';
  return name;
}

// The name of a file up to its first dot.
static const char *stem_of(Arena *arena, const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  return arena_strndup(arena, name, strcspn(name, "."));
}

// The name of a pack in C: the stem of its file.
static const char *c_name(Arena *arena, const char *path) {
  const char *name = identifier(arena, stem_of(arena, path));
  return *name && !isdigit((unsigned char)*name)
             ? name
             : arena_printf(arena, "pack_%s", name);
}

// The guard of a header.  `a-b` and `a_b` have the same name in C but two
// guards.
static const char *guard_of(Arena *arena, const char *path) {
  const char *stem = stem_of(arena, path), *name = c_name(arena, path);
  if (!strcmp(stem, name)) return name;
  return arena_printf(arena, "%s_%08x", name,
                      (unsigned)pack_checksum(stem, strlen(stem)));
}

void pack_print_bytes(Bytes bytes, const char *path, Str *out) {
  const unsigned char *at = bytes.data;
  const char *name = c_name(out->arena, path);
  str_addf(out,
           "// Made by tilec pack.\n#include <stddef.h>\n\n"
           "extern const unsigned char %s_pack[];\n"
           "extern const size_t %s_pack_size;\n"
           "const size_t %s_pack_size = %zu;\n"
           "const unsigned char %s_pack[] = {",
           name, name, name, bytes.size, name);
  for (size_t i = 0; i < bytes.size; i++)
    str_addf(out, "%s%u,", i % 20 ? "" : "\n", at[i]);
  str_add(out, "\n};\n");
}

// -- Types -------------------------------------------------------------------

typedef struct {
  const char *type, *enumerator;
} CType;

static const CType c_types[] = {
#define C_TYPE(dtype, type) [TILE_##dtype] = {type, "TILE_" #dtype},
#include "runtime/pack/c_types.def"
};

// -- Functions ---------------------------------------------------------------

static void add_parameter(Str *out, const Face *face) {
  const char *name = face->name;
  switch (face->passing) {
  case AS_NOTHING: return;
  case AS_POINTER:
    str_addf(out, ",\n    %s *%s", c_types[face->dtype].type, name);
    return;
  case AS_ANY_POINTER:
    str_addf(out, ",\n    void *%s, TileDtype %s_dtype", name, name);
    return;
  case AS_NUMBER:
    str_addf(out, ",\n    %s %s",
             face_is_float(face->dtype) && face->dtype != TILE_FP64
                 ? "float"
                 : c_types[face->dtype].type,
             name);
    return;
  case AS_INTEGER: str_addf(out, ",\n    int64_t %s", name); return;
  case AS_FLOAT: str_addf(out, ",\n    double %s", name); return;
  case AS_BOOL: str_addf(out, ",\n    bool %s", name); return;
  case AS_DESCRIPTOR:
    str_addf(out, ",\n    const TileTensorDescriptor *%s", name);
    return;
  case AS_TUPLE:
    for (int i = 0; i < face->num_items; i++)
      add_parameter(out, &face->items[i]);
    return;
  case AS_ARGUMENT: str_addf(out, ",\n    TileArg %s", name); return;
  }
}

static void add_number(Str *out, TileDtype dtype, const char *name) {
  str_addf(out, "tile_%s_arg(%s)",
           face_is_float(dtype)   ? "float"
           : dtype == TILE_BOOL   ? "bool"
           : dtype == TILE_UINT64 ? "uint"
                                  : "int",
           name);
}

// A value without a literal in C is written as INFINITY or NAN of <math.h>.
static void add_float(Str *out, double value) {
  if (isfinite(value))
    str_addf(out, "tile_float_arg(%.17g)", value);
  else
    str_addf(out, "tile_float_arg(%s)",
             isnan(value) ? "NAN"
             : value < 0  ? "-INFINITY"
                          : "INFINITY");
}

static void add_constant(Str *out, const PackSpec *constant) {
  switch (constant ? constant->kind : PACK_ABSENT) {
  case PACK_NONE: str_add(out, "tile_none_arg()"); return;
  case PACK_BOOL: str_addf(out, "tile_bool_arg(%d)", (int)constant->i); return;
  case PACK_INT:
    // The least integer has no literal in C.
    if (constant->i == INT64_MIN)
      str_add(out, "tile_int_arg(INT64_MIN)");
    else
      str_addf(out, "tile_int_arg(%lld)", (long long)constant->i);
    return;
  case PACK_FLOAT: add_float(out, constant->f); return;
  default: str_add(out, "tile_default_arg()"); return;
  }
}

static void add_tuple(Str *out, const Face *face) {
  const char *name = face->name;
  if (!face->num_items)
    str_add(out, "tile_tuple_arg(NULL, 0)");
  else if (face->names)
    str_addf(out, "tile_named_tuple_arg(%s, %s_names, %d)", name, name,
             face->num_items);
  else
    str_addf(out, "tile_tuple_arg(%s, %d)", name, face->num_items);
}

static void add_argument(Str *out, const Face *face) {
  const char *name = face->name, *dtype = c_types[face->dtype].enumerator;
  if (face->may_be_none && face->passing != AS_NOTHING &&
      face->passing != AS_ARGUMENT)
    str_addf(out, "!%s ? tile_none_arg() : ", name);
  switch (face->passing) {
  case AS_NOTHING: add_constant(out, face->constant); return;
  case AS_POINTER:
    str_addf(out, "tile_pointer_arg(%s, %s)", name, dtype);
    return;
  case AS_ANY_POINTER:
    str_addf(out, "tile_pointer_arg(%s, %s_dtype)", name, name);
    return;
  case AS_NUMBER: add_number(out, face->dtype, name); return;
  case AS_INTEGER: str_addf(out, "tile_int_arg(%s)", name); return;
  case AS_FLOAT: str_addf(out, "tile_float_arg(%s)", name); return;
  case AS_BOOL: str_addf(out, "tile_bool_arg(%s)", name); return;
  case AS_DESCRIPTOR: str_addf(out, "tile_descriptor_arg(%s)", name); return;
  case AS_TUPLE: add_tuple(out, face); return;
  case AS_ARGUMENT: str_add(out, name); return;
  }
}

// Adds the arrays of a tuple's items; arrays of inner tuples come first.
static void add_arrays(Str *out, const Face *face) {
  if (face->passing != AS_TUPLE || !face->num_items) return;
  for (int i = 0; i < face->num_items; i++) add_arrays(out, &face->items[i]);
  str_addf(out, "  const TileArg %s[] = {", face->name);
  for (int i = 0; i < face->num_items; i++) {
    str_add(out, "\n      ");
    add_argument(out, &face->items[i]);
    str_add_char(out, ',');
  }
  str_add(out, "};\n");
  if (!face->names) return;
  str_addf(out, "  static const char *const %s_names[] = {", face->name);
  for (int i = 0; i < face->num_items; i++)
    str_addf(out, "%s\"%s\"", i ? ", " : "", face->names[i]);
  str_add(out, "};\n");
}

static bool has_configs(const PackKernel *kernel) {
  for (size_t i = 0; i < kernel->num_variants; i++) {
    if (kernel->variants[i].config) return true;
  }
  return false;
}

static void add_body(const PackKernel *kernel, const Face *faces, Str *out) {
  for (size_t i = 0; i < kernel->num_params; i++) add_arrays(out, &faces[i]);
  str_add(out, "  const TileArg args[] = {");
  for (size_t i = 0; i < kernel->num_params; i++) {
    str_add(out, "\n      ");
    add_argument(out, &faces[i]);
    str_add_char(out, ',');
  }
  // C has no array without elements.
  if (!kernel->num_params) str_add(out, "tile_none_arg()");
  str_addf(out,
           "};\n"
           "  TilertLaunch launch;\n"
           "  memset(&launch, 0, sizeof launch);\n"
           "  launch.size = sizeof launch;\n"
           "  launch.pack = pack;\n"
           "  launch.kernel = \"%s\";\n"
           "  launch.grid[0] = grid_x;\n"
           "  launch.grid[1] = grid_y;\n"
           "  launch.grid[2] = grid_z;\n"
           "  launch.args = args;\n"
           "  launch.num_args = %zu;\n"
           "  launch.stream = stream;\n"
           "%s"
           "  return tilert_launch(device, &launch, error);\n}\n",
           kernel->name, kernel->num_params,
           has_configs(kernel) ? "  launch.config = config;\n" : "");
}

static const char *launcher_name(Arena *arena, const char *prefix,
                                 const PackKernel *kernel) {
  return arena_printf(arena, "%s_%s", prefix, identifier(arena, kernel->name));
}

static void add_function(const PackKernel *kernel, const char *prefix,
                         Str *out) {
  const Face *faces = pack_faces(out->arena, kernel);
  str_addf(out,
           "\nTILE_MUST_CHECK static inline TileStatus\n%s(\n"
           "    TilertDevice *device, const TilertPack *pack, void *stream,\n"
           "    uint32_t grid_x, uint32_t grid_y, uint32_t grid_z%s",
           launcher_name(out->arena, prefix, kernel),
           has_configs(kernel) ? ", int config" : "");
  for (size_t i = 0; i < kernel->num_params; i++) add_parameter(out, &faces[i]);
  str_add(out, ",\n    TilertError *error) {\n");
  add_body(kernel, faces, out);
}

// Whether a linked pack has the name besides the names of its kernels.
static bool is_own_name(Arena *arena, const char *prefix, const char *name) {
  static const char *const own[] = {"open", "pack", "pack_size"};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
    if (!strcmp(arena_printf(arena, "%s_%s", prefix, own[i]), name))
      return true;
  }
  return false;
}

size_t pack_find_clash(const Pack *pack, const char *path, bool is_linked,
                       Arena *arena, const char **name) {
  const char *prefix = c_name(arena, path);
  for (size_t i = 0; i < pack->num_kernels; i++) {
    *name = launcher_name(arena, prefix, &pack->kernels[i]);
    bool clashes = is_linked && is_own_name(arena, prefix, *name);
    for (size_t k = 0; !clashes && k < i; k++)
      clashes = !strcmp(launcher_name(arena, prefix, &pack->kernels[k]), *name);
    if (clashes) return i;
  }
  return pack->num_kernels;
}

void pack_print_header(const Pack *pack, const char *path, bool is_linked,
                       Str *out) {
  const char *name = c_name(out->arena, path);
  const char *guard = guard_of(out->arena, path);
  str_addf(out,
           "// The kernels of a pack, made by tilec pack.\n"
           "//\n"
           "// Pointers are the device's addresses.  Which variant runs, the\n"
           "// values say; TILE_UNAVAILABLE: the pack has none, and `error`\n"
           "// names what was wanted.  Along y and z, a grid of 0 "
           "is one of 1.\n"
           "#ifndef PACK_%s_H\n#define PACK_%s_H\n\n"
           "#include \"tile/tilert.h\"\n\n#include <math.h>\n"
           "#include <string.h>\n\n"
           "#ifdef __cplusplus\nextern \"C\" {\n#endif\n",
           guard, guard);
  if (is_linked)
    str_addf(out,
             "\nextern const unsigned char %s_pack[];\n"
             "extern const size_t %s_pack_size;\n\n"
             "TILE_MUST_CHECK static inline TileStatus\n"
             "%s_open(TilertPack **out, TilertError *error) {\n"
             "  return tilert_pack_read(%s_pack, %s_pack_size, NULL, out, "
             "error);\n}\n",
             name, name, name, name, name);
  for (size_t i = 0; i < pack->num_kernels; i++)
    add_function(&pack->kernels[i], name, out);
  str_add(out, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
}
