// parameters.c -- the values to which a kernel's parameters are bound.
#include "frontend/kernel/parameters.h"

#include "frontend/errors.h"
#include "frontend/host/host.h"
#include "frontend/kernel/defines.h"
#include "frontend/module/module.h"
#include "frontend/walk/evaluate.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

static bool error_at(const Parameters *p, const AstParam *param,
                     const char *format) {
  return diag_error(p->w->diags, param->loc, format, param->name);
}

// The type in `x: i32`, `x: tl.int64`, `x: "*fp16"`, `x: int`; false: the
// annotation is no type.
static bool annotated_dtype(const AstParam *param, Dtype *out) {
  static const struct {
    const char *name;
    DtypeId id;
  } python[] = {
      {"int", DTYPE_INT32}, {"float", DTYPE_FP32}, {"bool", DTYPE_INT1}};
  const char *text = param->annotation_text;
  if (!text) return false;
  char buffer[64];
  size_t n = 0;
  for (; *text && n + 1 < sizeof buffer; text++) {
    if (!strchr("\"' ", *text)) buffer[n++] = *text;
  }
  buffer[n] = 0;
  const char *dot = strrchr(buffer, '.');
  if (dtype_parse(dot ? dot + 1 : buffer, out)) return true;
  for (size_t i = 0; i < sizeof python / sizeof *python; i++) {
    if (strcmp(buffer, python[i].name)) continue;
    *out = dtype_of(python[i].id);
    return true;
  }
  return false;
}

// `x: tl.const`: nothing is stored through the pointer.
static bool annotated_const(const AstParam *param) {
  const char *text = param->annotation_text;
  if (!text) return false;
  const char *dot = strrchr(text, '.');
  if (dot) text = dot + 1;
  text += strspn(text, "\"' ");
  const size_t length = strcspn(text, "\"' ");
  return length == strlen("const") && !strncmp(text, "const", length);
}

static bool check_supported(const Parameters *p, const AstParam *param,
                            Dtype dtype) {
  const DtypeInfo *info = &dtype_info[dtype.id];
  if (info->supported) return true;
  return diag_error(p->w->diags, param->loc,
                    ERROR_parameter_type_not_supported_yet, param->name,
                    info->name);
}

static bool add_runtime(Parameters *p, int argument, const AstParam *param,
                        const char *name, const ArgSpec *spec, ParamTree *out) {
  Dtype dtype;
  if (spec->kind == ARG_RUNTIME && spec->text) {
    if (!dtype_parse(spec->text, &dtype))
      return diag_error(p->w->diags, param->loc, ERROR_signature_not_a_type,
                        param->name, spec->text);
  } else if (!annotated_dtype(param, &dtype)) {
    return error_at(p, param, ERROR_parameter_type_unknown);
  }
  if (!check_supported(p, param, dtype)) return false;
  dtype.is_const |= dtype.is_pointer && annotated_const(param);
  assert(out->runtime < 0 && !out->constant);                // I2
  assert(0 <= argument && argument < p->kernel->num_params); // I2
  out->runtime = (int)p->runtime.count;
  const Type *type = dtype_type(&p->w->m->types, dtype);
  vec_push(p->w->arena, &p->runtime,
           ((RuntimeParam){param, type, dtype, argument, spec->divisibility,
                           name, spec}));
  return true;
}

// The value of the constant `name` in the kernel's file.
static const Object *named_constant(const Parameters *p, const AstParam *param,
                                    const char *name) {
  const Locals *around = names_now(p->w, p->kernel->around);
  const Object *x = object_by_name(
      p->w, p->kernel->file, (AstPlace){.locals = around}, name, param->loc);
  const Diag *error = p->w->diags->newest;
  if (!x && error &&
      (!strcmp(error->format, ERROR_unknown_name) ||
       !strcmp(error->format, ERROR_unknown_name_near)))
    diag_note(p->w->diags, param->loc, NOTE_text_wants_quotes, param->name,
              name);
  if (!x || object_is_constant(x)) return x;
  return walk_error(p->w, param->loc, ERROR_default_not_constant, param->name);
}

// Returns NULL after an error.
static const Object *spec_constant(const Parameters *p, const AstParam *param,
                                   const ArgSpec *spec) {
  if (spec->kind == ARG_FUNCTION) return named_constant(p, param, spec->text);
  return object_of_spec(p->w, p->kernel->file, param->name, param->loc, spec);
}

// Does the argument become a constant 1, as Triton specializes it, unless the
// kernel forbids that?
static bool folds(const Parameters *p, const AstParam *param,
                  const Object *value) {
  return value->kind == OBJECT_INT && value->as.integer == 1 &&
         !jit_option_names(p->kernel, "do_not_specialize",
                           (int)(param - p->kernel->params));
}

// Binds the parameter to the constant of the signature.  If the annotation is a
// dtype, the number becomes a run-time scalar of that type.
static bool set_constant(Parameters *p, const AstParam *param,
                         const Object *value, ParamTree *out) {
  assert(out->runtime < 0 && !out->num_items); // I2
  assert(object_is_constant(value));           // I2
  out->constant = value;
  if (param->is_constexpr || !object_is_number(value)) return true;
  Dtype dtype;
  out->is_number = annotated_dtype(param, &dtype);
  if (!out->is_number) return true;
  if (dtype.is_pointer)
    return error_at(p, param, ERROR_pointer_cannot_constant);
  out->dtype = dtype;
  return check_supported(p, param, dtype);
}

bool parameter_set_value(Parameters *p, const AstParam *param,
                         const Object *value, ParamTree *out) {
  if (!set_constant(p, param, value, out)) return false;
  out->is_number =
      out->is_number || (!param->is_constexpr && object_is_number(value) &&
                         !folds(p, param, value));
  return true;
}

static bool read_spec(Parameters *p, int argument, const AstParam *param,
                      const char *name, const ArgSpec *spec, ParamTree *out);

static bool read_tuple(Parameters *p, int argument, const AstParam *param,
                       const char *name, const ArgSpec *spec, ParamTree *out) {
  Walk *w = p->w;
  out->num_items = spec->num_items;
  out->names = spec->names;
  out->items = arena_array(w->arena, ParamTree, spec->num_items + 1);
  const int level = walk_enter(w, param->loc);
  if (!level) return false;
  bool ok = true;
  for (int i = 0; i < spec->num_items && ok; i++) {
    const char *item = arena_printf(w->arena, "%s_%d", name, i);
    ok = read_spec(p, argument, param, item, &spec->items[i], &out->items[i]);
  }
  walk_leave(w, level);
  return ok;
}

// The pointer, sizes and strides, with their known divisibility.
static ArgSpec *descriptor_parts(Arena *arena, const ArgSpec *spec, int bits) {
  const int rank = spec->num_items;
  ArgSpec *parts = arena_array(arena, ArgSpec, 1 + 2 * rank);
  parts[0] = (ArgSpec){.kind = ARG_RUNTIME,
                       .text = arena_printf(arena, "*%s", spec->text),
                       .divisibility = 16};
  for (int i = 1; i <= rank; i++) {
    parts[i] = (ArgSpec){.kind = ARG_RUNTIME, .text = "i32"};
    parts[rank + i] = (ArgSpec){
        .kind = ARG_RUNTIME, .text = "i64", .divisibility = 128 / bits};
  }
  parts[rank].divisibility = spec->divisibility;
  assert(0 < rank && rank <= MAX_DESCRIPTOR_RANK); // I6
  parts[2 * rank] = (ArgSpec){.kind = ARG_INT, .i = 1};
  return parts;
}

static const char *part_name(Arena *arena, const char *name, int part,
                             int rank) {
  assert(0 <= part && part <= 2 * rank); // I6
  if (!part) return name;
  const char *format = part <= rank ? "%s_size_%d" : "%s_stride_%d";
  return arena_printf(arena, format, name, (part - 1) % rank);
}

static bool read_descriptor(Parameters *p, int argument, const AstParam *param,
                            const char *name, const ArgSpec *spec,
                            ParamTree *out) {
  Arena *arena = p->w->arena;
  const int rank = spec->num_items;
  Dtype element;
  if (!dtype_parse(spec->text, &element))
    return diag_error(p->w->diags, param->loc, ERROR_signature_not_a_type,
                      param->name, spec->text);
  const int bits = dtype_bits(element) < 8 ? 8 : dtype_bits(element);
  const ArgSpec *parts = descriptor_parts(arena, spec, bits);
  out->descriptor = spec;
  out->num_items = 1 + 2 * rank;
  out->items = arena_array(arena, ParamTree, out->num_items);
  for (int i = 0; i < out->num_items; i++) {
    const char *part = part_name(arena, name, i, rank);
    if (!read_spec(p, argument, param, part, &parts[i], &out->items[i]))
      return false;
  }
  return true;
}

// The configuration's item for the parameter, if its value is unknown; else
// NULL.
static const ConfigItem *unknown_item(const Parameters *p,
                                      const AstParam *param) {
  const Config *config = p->config;
  for (size_t i = 0; config && i < config->constants.count; i++) {
    const ConfigItem *item = &config->constants.items[i];
    if (!strcmp(item->name, param->name) && !item->value) return item;
  }
  return NULL;
}

static bool no_value(const Parameters *p, const AstParam *param,
                     const char *format) {
  const ConfigItem *item = unknown_item(p, param);
  error_at(p, param, format);
  if (item)
    diag_note(p->w->diags, item->written->loc, NOTE_host_value, param->name,
              param->name);
  return false;
}

static bool nothing_given(const Parameters *p, const AstParam *param) {
  const bool computed =
      p->configs.computed || (p->config && p->config->computed);
  return no_value(p, param,
                  computed ? ERROR_configurations_computed
                           : ERROR_constexpr_without_value);
}

static bool read_spec(Parameters *p, int argument, const AstParam *param,
                      const char *name, const ArgSpec *spec, ParamTree *out) {
  *out = (ParamTree){.runtime = -1};
  if (spec->kind == ARG_TUPLE)
    return read_tuple(p, argument, param, name, spec, out);
  if (spec->kind == ARG_DESCRIPTOR)
    return read_descriptor(p, argument, param, name, spec, out);
  if (spec->kind == ARG_RUNTIME || spec->kind == ARG_ABSENT) {
    if (!param->is_constexpr)
      return add_runtime(p, argument, param, name, spec, out);
    return nothing_given(p, param);
  }
  const Object *value = spec_constant(p, param, spec);
  return value && set_constant(p, param, value, out);
}

static bool has_heuristic(const Parameters *p, const char *name) {
  for (size_t i = 0; i < p->heuristics.count; i++) {
    const char *known = p->heuristics.items[i].name;
    if (known && !strcmp(known, name)) return true;
  }
  return false;
}

// The value of a parameter like `num_warps: tl.constexpr`: that of the launch.
// Each configuration has such a value, so the parameter's default counts only
// if there is no configuration.
static const Object *option_constant(const Parameters *p,
                                     const AstParam *param) {
  const Specialization *spec = p->w->spec;
  const bool warps = !strcmp(param->name, "num_warps");
  if (!param->is_constexpr || (!warps && strcmp(param->name, "num_stages")))
    return NULL;
  const int asked = warps ? spec->num_warps : spec->num_stages;
  if (!asked && !p->config && param->value) return NULL;
  return object_int(
      p->w->arena,
      asked ? asked : config_option(p->config, param->name, warps ? 4 : 3));
}

// May host code set the parameter in a way that is not followed?
static bool may_be_set(const Parameters *p, const AstParam *param) {
  bool may = p->configs.computed || (p->config && p->config->computed);
  for (size_t i = 0; i < p->heuristics.count; i++)
    may |= !p->heuristics.items[i].name;
  return unknown_item(p, param) || (may && param->is_constexpr);
}

// The signature omits the argument: its value comes from a heuristic, else from
// @autotune, else from the default.
static bool read_absent(Parameters *p, int argument, const AstParam *param,
                        ParamTree *out) {
  static const ArgSpec absent = {.kind = ARG_ABSENT};
  *out = (ParamTree){.runtime = -1};
  out->awaits_heuristic = has_heuristic(p, param->name);
  if (out->awaits_heuristic) return true;
  const Object *constant = config_constant(p->config, param->name);
  if (!constant) constant = option_constant(p, param);
  if (!constant && !param->value)
    return read_spec(p, argument, param, param->name, &absent, out);
  if (!constant && may_be_set(p, param))
    return no_value(p, param, ERROR_default_may_differ);
  if (!constant) constant = default_value(p->w, p->kernel, param->value);
  if (!constant) return false;
  if (!object_is_constant(constant))
    return error_at(p, param, ERROR_default_not_constant);
  return parameter_set_value(p, param, constant, out);
}

static bool read_parameter(Parameters *p, int i, ParamTree *out) {
  const AstParam *param = &p->kernel->params[i];
  if (param->kind == PARAM_STAR || param->kind == PARAM_DOUBLE_STAR)
    return error_at(p, param, ERROR_kernel_star_parameter);
  const ArgSpec *spec = &p->w->spec->args[i];
  if (spec->kind == ARG_ABSENT) return read_absent(p, i, param, out);
  return read_spec(p, i, param, param->name, spec, out);
}

static bool read_all(Parameters *p) {
  bool ok = true;
  for (int i = 0; i < p->kernel->num_params; i++)
    ok = read_parameter(p, i, &p->trees[i]) && ok;
  return ok;
}

static bool choose_config(Parameters *p) {
  const int index = p->w->spec->config;
  p->configs = configs_of(p->w, p->kernel);
  const int count = (int)p->configs.configs.count;
  if (index >= 0 && index < count) p->config = &p->configs.configs.items[index];
  if (p->config || !index) return true;
  return diag_misuse(p->w->diags, p->kernel->loc, ERROR_no_such_configuration,
                     index, p->kernel->name, count,
                     p->configs.computed ? " that are known" : "");
}

// Warns that only the host knows num_warps or num_stages of the configuration,
// and that the default `taken` is used: the kernel may be slower, but is
// correct.
static void warn_unknown(const Parameters *p, const char *name, int taken) {
  const ConfigItem *item = config_item(p->config, name);
  const char *option = !strcmp(name, "num_warps") ? "num-warps" : "num-stages";
  if (item && !item->value)
    diag_warning(p->w->diags, item->loc, WARNING_config_option_computed, name,
                 taken, option);
}

// num_stages 0 means 1, as for a loop.
static void read_stages(Parameters *p) {
  const int stages = config_option(p->config, "num_stages", INT_MIN);
  p->default_stages = stages == INT_MIN;
  p->num_stages = p->default_stages ? 3 : stages ? stages : 1;
}

bool kernel_walk(Program *program, const AstFunction *kernel,
                 const Specialization *spec, Arena *arena, DiagList *diags,
                 KernelWalk *out) {
  KernelView view;
  if (!chip_view(program, kernel, spec->target, diags, &view)) return false;
  out->walk = walk_of(view.program, module_create(arena, diags), spec);
  out->params = (Parameters){.w = &out->walk, .kernel = view.kernel};
  walk_make_scratch(&out->walk, view.kernel->file, &out->scratch);
  return true;
}

bool parameters_read(Parameters *p) {
  Walk *w = p->w;
  p->trees = arena_array(w->arena, ParamTree, p->kernel->num_params + 1);
  p->heuristics = heuristics_of(w, p->kernel);
  if (!choose_config(p) || !read_all(p)) return false;
  p->num_warps = w->spec->num_warps;
  p->num_stages = w->spec->num_stages;
  if (!heuristics_apply(p)) return false;
  if (!p->num_warps) {
    p->num_warps = config_option(p->config, "num_warps", 4);
    warn_unknown(p, "num_warps", p->num_warps);
  }
  if (!p->num_stages) {
    read_stages(p);
    warn_unknown(p, "num_stages", p->num_stages);
  }
  for (int i = 0; i < p->kernel->num_params; i++)
    assert(p->trees[i].runtime < 0 || !p->trees[i].constant); // I2
  return true;
}
