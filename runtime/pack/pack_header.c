// pack_header.c -- a pack as C: a header with a function for each kernel, and
// its bytes, to be linked into a program.
//
// A parameter that is the same constant in all variants is not one of the C
// function; the library picks the variant by the values of the others.
#include "runtime/pack/pack.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

// The name of a pack in C: that of its file, without what follows a dot.
static const char *c_name(Arena *arena, const char *path) {
  const char *slash = strrchr(path, '/');
  const char *stem = slash ? slash + 1 : path;
  char *name = arena_strndup(arena, stem, strcspn(stem, "."));
  for (char *at = name; *at; at++)
    if (!isalnum((unsigned char)*at)) *at = '_';
  return *name && !isdigit((unsigned char)*name)
             ? name
             : arena_printf(arena, "pack_%s", name);
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
    [TILE_DTYPE_NONE] = {"void", "TILE_DTYPE_NONE"},
    [TILE_BOOL] = {"bool", "TILE_BOOL"},
    [TILE_INT8] = {"int8_t", "TILE_INT8"},
    [TILE_INT16] = {"int16_t", "TILE_INT16"},
    [TILE_INT32] = {"int32_t", "TILE_INT32"},
    [TILE_INT64] = {"int64_t", "TILE_INT64"},
    [TILE_UINT8] = {"uint8_t", "TILE_UINT8"},
    [TILE_UINT16] = {"uint16_t", "TILE_UINT16"},
    [TILE_UINT32] = {"uint32_t", "TILE_UINT32"},
    [TILE_UINT64] = {"uint64_t", "TILE_UINT64"},
    [TILE_FP8E5] = {"uint8_t", "TILE_FP8E5"},
    [TILE_FP8E4NV] = {"uint8_t", "TILE_FP8E4NV"},
    [TILE_FP16] = {"uint16_t", "TILE_FP16"},
    [TILE_BF16] = {"uint16_t", "TILE_BF16"},
    [TILE_FP32] = {"float", "TILE_FP32"},
    [TILE_FP64] = {"double", "TILE_FP64"},
    [TILE_FP8E4B15] = {"uint8_t", "TILE_FP8E4B15"},
};

typedef enum {
  AS_NOTHING,     // the same in all variants
  AS_POINTER,     // of one type
  AS_ANY_POINTER, // its type is told, too
  AS_NUMBER,      // of one type
  AS_INTEGER,
  AS_FLOAT,
  AS_BOOL,
  AS_ARGUMENT, // a TileArg
} Passing;

typedef struct {
  Passing passing;
  TileDtype dtype;
  bool may_be_none;
  const PackSpec *constant; // of NOTHING, where the kernel has a default
} Face;

static bool same_constant(const PackSpec *a, const PackSpec *b) {
  return a->kind == b->kind && a->kind != PACK_POINTER &&
         a->kind != PACK_NUMBER && a->i == b->i &&
         !memcmp(&a->f, &b->f, sizeof a->f) &&
         !strcmp(a->text ? a->text : "", b->text ? b->text : "");
}

static bool is_float(TileDtype dtype) {
  return dtype >= TILE_FP8E5 && dtype <= TILE_FP8E4B15;
}

static Passing passing_of(const PackSpec *spec) {
  switch (spec->kind) {
  case PACK_POINTER: return AS_POINTER;
  case PACK_NUMBER: return AS_NUMBER;
  case PACK_BOOL: return AS_BOOL;
  case PACK_INT: return AS_INTEGER;
  case PACK_FLOAT: return AS_FLOAT;
  default: return AS_ARGUMENT;
  }
}

// The way that has room for both of two: a double holds floats alone,
// an int64_t integers alone.
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
  const bool same_type = face->dtype == spec->dtype;
  if (passing == face->passing && same_type) return;
  if (passing == AS_POINTER &&
      (face->passing == AS_POINTER || face->passing == AS_ANY_POINTER))
    face->passing = AS_ANY_POINTER;
  else
    face->passing = join(face->passing, is_float(face->dtype), passing,
                         is_float(spec->dtype));
}

static Face face_of(const PackKernel *kernel, size_t param) {
  Face face = {.passing = AS_NOTHING};
  bool is_first = true, same = true;
  for (size_t i = 0; i < kernel->num_variants; i++) {
    const PackSpec *spec = &kernel->variants[i].specs[param];
    same = same && same_constant(&kernel->variants[0].specs[param], spec);
    add_spec(&face, spec, is_first);
    is_first = is_first && spec->kind == PACK_NONE;
  }
  const PackSpec *first = &kernel->variants[0].specs[param];
  if (same) face.passing = AS_NOTHING;
  if (same && kernel->params[param].has_default) face.constant = first;
  if (face.constant && first->kind == PACK_TEXT) face.passing = AS_ARGUMENT;
  const bool is_pointer =
      face.passing == AS_POINTER || face.passing == AS_ANY_POINTER;
  if (face.may_be_none && !is_pointer && !same) face.passing = AS_ARGUMENT;
  return face;
}

// -- Functions ---------------------------------------------------------------

// A name that C, C++, and the function itself leave free.
static const char *safe_name(Arena *arena, const char *name) {
  static const char taken[] =
      " auto break case char const continue default do double else enum "
      "extern float for goto if inline int long register restrict return "
      "short signed sizeof static struct switch typedef union unsigned "
      "void volatile while device pack stream error args launch grid_x "
      "grid_y grid_z config bool class template this alignas alignof asm "
      "catch char16_t char32_t concept consteval constexpr constinit "
      "const_cast decltype delete dynamic_cast explicit export false "
      "friend memset mutable namespace new noexcept nullptr operator "
      "private protected public reinterpret_cast requires static_assert "
      "static_cast thread_local throw true try typeid typename typeof "
      "using virtual wchar_t and_eq bitand bitor compl not_eq or_eq xor "
      "xor_eq NULL ";
  char *safe = arena_strdup(arena, name);
  for (char *at = safe; *at; at++)
    if (!isalnum((unsigned char)*at)) *at = '_';
  const bool is_taken = strstr(taken, arena_printf(arena, " %s ", safe));
  return is_taken ? arena_printf(arena, "%s_", safe) : safe;
}

static void add_parameter(Str *out, const Face *face, const char *name) {
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
             is_float(face->dtype) && face->dtype != TILE_FP64
                 ? "float"
                 : c_types[face->dtype].type,
             name);
    return;
  case AS_INTEGER: str_addf(out, ",\n    int64_t %s", name); return;
  case AS_FLOAT: str_addf(out, ",\n    double %s", name); return;
  case AS_BOOL: str_addf(out, ",\n    bool %s", name); return;
  case AS_ARGUMENT: str_addf(out, ",\n    TileArg %s", name); return;
  }
}

static void add_number(Str *out, TileDtype dtype, const char *name) {
  str_addf(out, "tile_%s_arg(%s)",
           is_float(dtype)        ? "float"
           : dtype == TILE_BOOL   ? "bool"
           : dtype == TILE_UINT64 ? "uint"
                                  : "int",
           name);
}

// A value without a literal in C is INFINITY or NAN of <math.h>.
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
    // The least integer is no literal of C.
    if (constant->i == INT64_MIN)
      str_add(out, "tile_int_arg(INT64_MIN)");
    else
      str_addf(out, "tile_int_arg(%lld)", (long long)constant->i);
    return;
  case PACK_FLOAT: add_float(out, constant->f); return;
  default: str_add(out, "tile_default_arg()"); return;
  }
}

static void add_argument(Str *out, const Face *face, const char *name) {
  const char *dtype = c_types[face->dtype].enumerator;
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
  case AS_ARGUMENT: str_add(out, name); return;
  }
}

static bool has_configs(const PackKernel *kernel) {
  for (size_t i = 0; i < kernel->num_variants; i++) {
    if (kernel->variants[i].config) return true;
  }
  return false;
}

static void add_body(const PackKernel *kernel, const Face *faces, Str *out) {
  str_add(out, "  const TileArg args[] = {");
  for (size_t i = 0; i < kernel->num_params; i++) {
    str_add(out, "\n      ");
    add_argument(out, &faces[i], safe_name(out->arena, kernel->params[i].name));
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

static void add_function(const PackKernel *kernel, const char *prefix,
                         Str *out) {
  Arena *arena = out->arena;
  Face *faces = arena_array(arena, Face, kernel->num_params + 1);
  for (size_t i = 0; i < kernel->num_params; i++) faces[i] = face_of(kernel, i);
  str_addf(out,
           "\nTILE_MUST_CHECK static inline TileStatus\n%s_%s(\n"
           "    TilertDevice *device, const TilertPack *pack, void *stream,\n"
           "    uint32_t grid_x, uint32_t grid_y, uint32_t grid_z%s",
           prefix, safe_name(arena, kernel->name),
           has_configs(kernel) ? ", int config" : "");
  for (size_t i = 0; i < kernel->num_params; i++)
    add_parameter(out, &faces[i], safe_name(arena, kernel->params[i].name));
  str_add(out, ",\n    TilertError *error) {\n");
  add_body(kernel, faces, out);
}

void pack_print_header(const Pack *pack, const char *path, bool is_linked,
                       Str *out) {
  const char *name = c_name(out->arena, path);
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
           name, name);
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
