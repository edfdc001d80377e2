// args.c -- from --arg and -D to the arguments of a launch.
#include "runtime/tools/errors.h"
#include "runtime/tools/parts/parts.h"
#include "runtime/tools/run.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *find_value(const NameValues *pairs, const char *name) {
  for (size_t i = 0; i < pairs->count; i++) {
    if (!strcmp(pairs->items[i].name, name)) return pairs->items[i].value;
  }
  return NULL;
}

// -- Constants ---------------------------------------------------------------

static int read_constant(Tool *tool, const char *name, const ArgSpec *spec,
                         TileArg *out);

static int read_constants(Tool *tool, const char *name, const ArgSpec *spec,
                          TileArg *out) {
  const size_t count = (size_t)spec->num_items;
  TileArg *items = arena_array(&tool->arena, TileArg, count + 1);
  int code = EXIT_FINE;
  for (size_t i = 0; !code && i < count; i++)
    code = read_constant(tool, name, &spec->items[i], &items[i]);
  *out = tile_named_tuple_arg(items, spec->names, count);
  return code;
}

static void read_name(const ArgSpec *spec, TileArg *out) {
  *out = tile_none_arg();
  out->kind = spec->kind == ARG_STRING ? TILE_ARG_STRING : TILE_ARG_FUNCTION;
  out->as.string = spec->text;
}

// False if launches have no such type.
static bool read_dtype(const char *text, TileArg *out) {
  const bool pointer = *text == '*';
  *out = tile_none_arg();
  out->kind = pointer ? TILE_ARG_POINTER_DTYPE : TILE_ARG_DTYPE;
  out->dtype = element_find(text + pointer, strlen(text + pointer));
  return out->dtype != TILE_DTYPE_NONE;
}

static int read_constant(Tool *tool, const char *name, const ArgSpec *spec,
                         TileArg *out) {
  switch (spec->kind) {
  case ARG_NONE: *out = tile_none_arg(); return EXIT_FINE;
  case ARG_BOOL: *out = tile_bool_arg(spec->i != 0); return EXIT_FINE;
  case ARG_INT: *out = tile_int_arg(spec->i); return EXIT_FINE;
  case ARG_FLOAT: *out = tile_float_arg(spec->f); return EXIT_FINE;
  case ARG_TUPLE: return read_constants(tool, name, spec, out);
  case ARG_STRING:
  case ARG_FUNCTION: read_name(spec, out); return EXIT_FINE;
  case ARG_DTYPE:
    if (read_dtype(spec->text, out)) return EXIT_FINE;
    break;
  default: break;
  }
  return tool_fail(tool, EXIT_SOURCE, ERROR_define_not_supported, name);
}

// Replaces arithmetic expressions by their values.
static int compute(Tool *tool, const char *name, const char **value) {
  const char *why;
  const char *text = items_compute(&tool->arena, *value, &why);
  if (!text)
    return tool_fail(tool, EXIT_USAGE, ERROR_argument_wrong, name, why);
  *value = text;
  return EXIT_FINE;
}

// A constexpr parameter given by --arg gets the same value as with -D.
static int read_constexpr(Tool *tool, const char *name, const char *value,
                          ArgSpec *out) {
  DiagList diags;
  const int computed = compute(tool, name, &value);
  if (computed) return computed;
  diag_init(&diags, &tool->arena);
  const char *where = arena_printf(&tool->arena, "<--arg %s>", name);
  if (frontend_parse_value(&tool->arena, &diags, where, value, out))
    return EXIT_FINE;
  report_list(&tool->report, &diags);
  return tool_finish(tool, TILE_INVALID_ARGUMENT);
}

static int bad_value(Tool *tool, const char *name, const char *value) {
  return tool_fail(tool, EXIT_USAGE, ERROR_bad_argument, name, value);
}

static int not_closed(Tool *tool, const char *name, const char *value) {
  return tool_fail(tool, EXIT_USAGE, ERROR_argument_not_closed, name, value);
}

// `constexpr(4)`, the item of a tuple.
static int read_marked(Tool *tool, const char *name, const char *text,
                       TileArg *out) {
  const size_t length = strlen(text);
  if (text[length - 1] != ')') return not_closed(tool, name, text);
  const char *start = text + strlen("constexpr(");
  const char *inner =
      arena_strndup(&tool->arena, start, (size_t)(text + length - 1 - start));
  TileArg *value = arena_new(&tool->arena, TileArg);
  ArgSpec spec;
  int code = read_constexpr(tool, name, inner, &spec);
  if (!code) code = read_constant(tool, name, &spec, value);
  *out = tile_constant_arg(value);
  return code;
}

// -- Values ------------------------------------------------------------------

// An integer from 2**63 on is unsigned.
static bool read_integer(const char *value, char **end, TileArg *out) {
  errno = 0;
  *out = tile_int_arg(strtoll(value, end, 0));
  if (errno != ERANGE || strchr(value, '-')) return errno != ERANGE;
  errno = 0;
  *out = tile_uint_arg(strtoull(value, end, 0));
  return errno != ERANGE;
}

static int read_number(Tool *tool, const char *name, const char *value,
                       TileArg *out) {
  char *end;
  const TileDtype dtype = out->dtype;
  const int code = compute(tool, name, &value);
  if (code) return code;
  const bool fits = read_integer(value, &end, out);
  const bool is_integer = end != value && !*end;
  if (is_integer && !fits)
    return tool_fail(tool, EXIT_USAGE, ERROR_argument_too_big, name, value);
  if (!is_integer) {
    const double number = strtod(value, &end);
    if (end == value || *end) return bad_value(tool, name, value);
    *out = tile_float_arg(number);
  }
  out->dtype = dtype;
  return EXIT_FINE;
}

// The declared type of an argument.
typedef struct {
  Annotation type;     // a number's or a pointer's
  const ArgSpec *spec; // of a tuple, a descriptor or a constant, from the
                       // signature; or NULL
} Declared;

static Declared declare(const ArgSpec *spec, Annotation annotation) {
  if (spec->kind != ARG_ABSENT && spec->kind != ARG_RUNTIME)
    return (Declared){.spec = spec};
  if (spec->kind == ARG_RUNTIME && spec->text)
    annotation = annotation_parse(spec->text);
  return (Declared){.type = annotation};
}

static int other_type(Tool *tool, const char *name, const char *value,
                      const char *type, const char *found) {
  return tool_fail(tool, EXIT_USAGE, ERROR_argument_other_type, name, value,
                   name, type, found);
}

static bool read_word(const char *value, TileArg *out) {
  if (!strcmp(value, "None")) {
    *out = tile_none_arg();
    return true;
  }
  *out = tile_bool_arg(!strcmp(value, "True"));
  return out->as.i || !strcmp(value, "False");
}

// The same as read_value(), for an argument whose type was declared.
static int read_declared(Tool *tool, KernelRun *run, const char *name,
                         const char *value, const Declared *declared,
                         TileArg *out);
static int read_value(Tool *tool, KernelRun *run, const char *name,
                      const char *value, const Declared *declared,
                      TileArg *out);

static Declared item_type(const ArgSpec *tuple, size_t i) {
  if (!tuple || tuple->kind != ARG_TUPLE || i >= (size_t)tuple->num_items)
    return (Declared){0};
  return declare(&tuple->items[i], (Annotation){0});
}

// `(1, None, zeros:fp32[64])` or `(n=1, p=zeros:fp32[64])`: item 2 of `x` is
// `x_2` to --save and --reference.
static int read_tuple(Tool *tool, KernelRun *run, const char *name,
                      const char *text, const ArgSpec *type, TileArg *out) {
  Vec(TileArg) items = {0};
  Vec(const char *) names = {0};
  const char *whole = text;
  for (text++; *text && *text != ')';) {
    const char *value = items_take(&tool->arena, &text);
    const char *item = arena_printf(&tool->arena, "%s_%zu", name, items.count);
    const char *field = items_take_name(&tool->arena, &value);
    if (items.count && !field != !names.count)
      return tool_fail(tool, EXIT_USAGE, ERROR_some_names, name);
    if (field) vec_push(&tool->arena, &names, field);
    const Declared declared = item_type(type, items.count);
    TileArg arg;
    const int code = read_declared(tool, run, item, value, &declared, &arg);
    if (code) return code;
    vec_push(&tool->arena, &items, arg);
    text += strspn(text, " ");
  }
  assert(!names.count || names.count == items.count); // I8
  *out = tile_named_tuple_arg(items.items, names.items, items.count);
  return *text ? EXIT_FINE : not_closed(tool, name, whole);
}

static int bad_descriptor(Tool *tool, const char *name, const char *value) {
  return tool_fail(tool, EXIT_USAGE, ERROR_bad_descriptor, name, value);
}

// Reads "[16, 32]" and nothing else: the sizes of a block with `rank`
// dimensions.
static bool read_block(const char *text, int rank, int32_t *block) {
  for (int i = 0; i < rank; i++) {
    const char *end;
    int64_t size;
    if (*text++ != (i ? ',' : '[')) return false;
    if (!arithmetic_integer(text, &end, &size) || size < 1 || size > INT32_MAX)
      return false;
    block[i] = (int32_t)size;
    text = end + strspn(end, " ");
  }
  return !strcmp(text, "]");
}

// The tensor of the whole array, in row-major order.
static TileTensorDescriptor whole_array(const Tensor *tensor) {
  const NpyArray *array = &tensor->array;
  assert(array->rank > 0 && array->rank <= TILE_MAX_DESCRIPTOR_RANK); // I8
  TileTensorDescriptor d = {
      .buffer = tensor->buffer, .dtype = array->dtype, .rank = array->rank};
  int64_t stride = 1;
  for (int i = array->rank - 1; i >= 0; i--) {
    d.shape[i] = (int64_t)array->shape[i];
    d.strides[i] = stride;
    stride *= d.shape[i];
  }
  return d;
}

static const char *descriptor_text(Arena *arena, const char *element,
                                   const ArgSpec *sizes, int rank) {
  Str text = str_in(arena);
  str_addf(&text, "tensordesc<%s", element);
  for (int i = 0; i < rank; i++)
    str_addf(&text, "%s%lld", i ? ", " : "[", (long long)sizes[i].i);
  str_add(&text, "]>");
  return str_text(&text);
}

// A descriptor must have the elements and the block of the signature.
static int check_descriptor(Tool *tool, const char *name, const char *value,
                            const ArgSpec *type,
                            const TileTensorDescriptor *d) {
  Arena *arena = &tool->arena;
  ArgSpec sizes[TILE_MAX_DESCRIPTOR_RANK] = {0};
  if (!type) return EXIT_FINE;
  bool same = annotation_parse(type->text).dtype == d->dtype &&
              type->num_items == d->rank;
  for (int i = 0; i < d->rank; i++) {
    sizes[i].i = d->block[i];
    same = same && type->items[i].i == d->block[i];
  }
  if (same) return EXIT_FINE;
  return other_type(
      tool, name, value,
      descriptor_text(arena, type->text, type->items, type->num_items),
      descriptor_text(arena, tile_dtype_name(d->dtype), sizes, d->rank));
}

static TileDtype element_type(const ArgSpec *descriptor) {
  if (!descriptor || descriptor->kind != ARG_DESCRIPTOR) return TILE_DTYPE_NONE;
  return annotation_parse(descriptor->text).dtype;
}

// `desc(rand:fp16[40x64], [16, 32])`.
static int read_descriptor(Tool *tool, KernelRun *run, const char *name,
                           const char *value, const ArgSpec *type,
                           TileArg *out) {
  Arena *arena = &tool->arena;
  const char *at = value + strlen("desc(");
  const char *array = items_take(arena, &at), *block = items_take(arena, &at);
  const char *padding = items_take(arena, &at);
  const bool nan = !strcmp(padding, "nan");
  if (strcmp(at, ")") || (*padding && !nan))
    return bad_descriptor(tool, name, value);
  const Declared elements = {.type = {element_type(type), true}};
  const int code = read_value(tool, run, name, array, &elements, out);
  if (code) return code;
  const Tensor *tensor = run_find_tensor(run, name);
  if (!tensor || tensor->array.rank < 1 ||
      tensor->array.rank > TILE_MAX_DESCRIPTOR_RANK)
    return bad_descriptor(tool, name, value);
  TileTensorDescriptor *d = arena_new(arena, TileTensorDescriptor);
  *d = whole_array(tensor);
  d->pads_with_nan = nan;
  if (!read_block(block, d->rank, d->block))
    return bad_descriptor(tool, name, value);
  *out = tile_descriptor_arg(d);
  return check_descriptor(tool, name, value, type, d);
}

// Expands `zeros:like:x` to the type and shape of x; `like:x` is
// `empty:like:x`.
static int expand_like(Tool *tool, const KernelRun *run, const char *name,
                       const char **value) {
  const char *like = array_like(*value);
  if (!like) return EXIT_FINE;
  const Tensor *tensor = run_find_tensor(run, like);
  if (!tensor)
    return tool_fail(tool, EXIT_USAGE, ERROR_like_what, name, *value, like);
  *value = array_expand_like(&tool->arena, *value, &tensor->array);
  return EXIT_FINE;
}

static int read_value(Tool *tool, KernelRun *run, const char *name,
                      const char *value, const Declared *declared,
                      TileArg *out) {
  const Annotation type = declared->type;
  char why[256];
  Tensor tensor = {.name = name};
  value = items_unwrap(&tool->arena, value);
  if (items_are_tuple(value))
    return read_tuple(tool, run, name, value, declared->spec, out);
  if (!strncmp(value, "constexpr(", 10))
    return read_marked(tool, name, value, out);
  if (!strncmp(value, "desc(", 5))
    return read_descriptor(tool, run, name, value, declared->spec, out);
  if (*value == '@') {
    const NpyWant want = {.dtype = type.is_pointer ? type.dtype : 0};
    const int code = run_read_array(tool, value + 1, want, &tensor.array);
    return code ? code : run_add_tensor(tool, run, &tensor, out);
  }
  if (array_is_generator(value)) {
    const int code = expand_like(tool, run, name, &value);
    if (code) return code;
    if (!array_generate(&tool->arena, value, name, tool->options.seed,
                        &tensor.array, why, sizeof why))
      return tool_fail(tool, EXIT_USAGE, ERROR_argument_wrong, name, why);
    tensor.is_empty = array_is_empty(value);
    return run_add_tensor(tool, run, &tensor, out);
  }
  if (read_word(value, out)) return EXIT_FINE;
  out->dtype = type.is_pointer ? TILE_DTYPE_NONE : type.dtype;
  return read_number(tool, name, value, out);
}

// An array must have the elements that its parameter points to; a tuple the
// items of the signature's tuple.
static int check_type(Tool *tool, const char *name, const char *value,
                      const Declared *declared, const TileArg *arg) {
  const Annotation type = declared->type;
  const ArgSpec *spec = declared->spec;
  if (spec && spec->kind == ARG_DESCRIPTOR && arg->kind != TILE_ARG_DESCRIPTOR)
    return bad_descriptor(tool, name, value);
  if (spec && spec->kind == ARG_TUPLE &&
      (arg->kind != TILE_ARG_TUPLE ||
       arg->as.tuple.count != (size_t)spec->num_items))
    return tool_fail(tool, EXIT_USAGE, ERROR_argument_other_tuple, name, value,
                     name, spec->num_items);
  if (arg->kind != TILE_ARG_BUFFER || !type.dtype) return EXIT_FINE;
  if (type.is_pointer && arg->dtype == type.dtype) return EXIT_FINE;
  Arena *arena = &tool->arena;
  return other_type(
      tool, name, value,
      arena_printf(arena, "%s%s", type.is_pointer ? "*" : "",
                   tile_dtype_name(type.dtype)),
      arena_printf(arena, "an array of %s", tile_dtype_name(arg->dtype)));
}

// Reads an item of a tuple that is a constant in the signature.
static int read_same(Tool *tool, const char *name, const char *value,
                     const ArgSpec *spec, TileArg *out) {
  ArgSpec given;
  int code = read_constexpr(tool, name, value, &given);
  if (!code && !spec_same_value(&given, spec))
    return tool_fail(tool, EXIT_USAGE, ERROR_argument_other_value, name, value);
  TileArg *constant = arena_new(&tool->arena, TileArg);
  if (!code) code = read_constant(tool, name, spec, constant);
  *out = tile_constant_arg(constant);
  return code;
}

static int read_declared(Tool *tool, KernelRun *run, const char *name,
                         const char *value, const Declared *declared,
                         TileArg *out) {
  const ArgSpec *spec = declared->spec;
  if (spec && spec->kind != ARG_TUPLE && spec->kind != ARG_DESCRIPTOR)
    return read_same(tool, name, value, spec, out);
  const int code = read_value(tool, run, name, value, declared, out);
  return code ? code : check_type(tool, name, value, declared, out);
}

static int add_constant(Tool *tool, const char *name, const ArgSpec *spec,
                        TileConstant *constants, size_t *count) {
  constants[*count].name = name;
  return read_constant(tool, name, spec, &constants[(*count)++].value);
}

static int read_param(Tool *tool, KernelRun *run, const KernelParamPlan *param,
                      ArgSpec *spec, TileArg *arg) {
  const char *value = find_value(&tool->options.args, param->name);
  *arg = tile_default_arg();
  if (!value) return EXIT_FINE;
  if (items_depth(value) > MAX_ITEMS_DEPTH)
    return tool_fail(tool, EXIT_USAGE, ERROR_argument_nests, param->name);
  if (spec->kind != ARG_ABSENT && !spec_is_type(spec))
    return tool_fail(tool, EXIT_USAGE, ERROR_argument_given_twice, param->name);
  if (param->is_constexpr)
    return read_constexpr(tool, param->name, value, spec);
  const Declared declared = declare(spec, param->annotation);
  return read_declared(tool, run, param->name, value, &declared, arg);
}

// Whether the argument is read after the others, since its text says `like:`
// and the name of one of them.
static bool is_late(const Tool *tool, const KernelParamPlan *param,
                    const ArgSpec *spec) {
  const char *value = find_value(&tool->options.args, param->name);
  return value && strstr(value, "like:") && !param->is_constexpr &&
         (spec->kind == ARG_ABSENT || spec_is_type(spec));
}

static int read_late(Tool *tool, KernelRun *run, ArgSpec *specs,
                     TileArg **late) {
  int code = EXIT_FINE;
  for (size_t i = 0; !code && i < run->kernel->num_params; i++)
    if (late[i])
      code = read_param(tool, run, &run->kernel->params[i], &specs[i], late[i]);
  return code;
}

static int read_params(Tool *tool, KernelRun *run, ArgSpec *specs) {
  const size_t count = run->kernel->num_params;
  TileArg *args = arena_array(&tool->arena, TileArg, count + 1);
  TileArg **late = arena_array(&tool->arena, TileArg *, count + 1);
  TileConstant *constants = arena_array(&tool->arena, TileConstant, count + 1);
  int code = EXIT_FINE;
  for (size_t i = 0; !code && i < count; i++) {
    const KernelParamPlan *param = &run->kernel->params[i];
    TileArg *arg = &args[run->launch.num_args];
    if (is_late(tool, param, &specs[i]))
      late[i] = arg;
    else
      code = read_param(tool, run, param, &specs[i], arg);
    if (code) break;
    if (specs[i].kind == ARG_ABSENT || spec_is_type(&specs[i]))
      run->launch.num_args++;
    else
      code = add_constant(tool, param->name, &specs[i], constants,
                          &run->launch.num_constants);
  }
  assert(code ||
         run->launch.num_args + run->launch.num_constants == count); // I8
  if (!code) code = read_late(tool, run, specs, late);
  run->launch.args = args;
  run->launch.constants = constants;
  return code;
}

int run_read_arguments(Tool *tool, KernelRun *run) {
  ArgSpec *specs;
  const int code = tool_read_signature(tool, run->kernel->program->unit,
                                       run->kernel->function, &specs);
  return code ? code : read_params(tool, run, specs);
}
