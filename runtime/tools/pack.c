// pack.c -- `tilec pack FILES`: kernels compiled ahead of time.
//
// Each line of the file of variants is compiled for each target, and for the
// CPU at each x86-64 level.
#include "runtime/tools/tilec.h"

#include "runtime/program.h"
#include "runtime/tools/errors.h"

#include <stdlib.h>
#include <string.h>

// -- Fields that a loader compares -------------------------------------------

static bool runtime_spec(const char *type, int divisibility, PackSpec *out) {
  const Annotation a = annotation_parse(type);
  *out = (PackSpec){.kind = a.is_pointer ? PACK_POINTER : PACK_NUMBER,
                    .dtype = a.dtype,
                    .divisibility = divisibility};
  return a.dtype != TILE_DTYPE_NONE;
}

static bool items_spec(Arena *arena, const ArgSpec *from, PackSpec *out) {
  PackSpec *items = arena_array(arena, PackSpec, from->num_items + 1);
  bool ok = true;
  for (int i = 0; i < from->num_items; i++)
    ok = pack_spec(arena, NULL, &from->items[i], &items[i]) && ok;
  *out = (PackSpec){.kind = PACK_TUPLE,
                    .items = items,
                    .num_items = from->num_items,
                    .names = from->names};
  return ok;
}

static bool descriptor_spec(Arena *arena, const ArgSpec *from, PackSpec *out) {
  const bool ok = items_spec(arena, from, out);
  out->kind = PACK_DESCRIPTOR;
  out->dtype = annotation_parse(from->text).dtype;
  out->divisibility = from->divisibility;
  out->i = from->i;
  out->names = NULL;
  return ok && out->dtype != TILE_DTYPE_NONE;
}

bool pack_spec(Arena *arena, const char *annotation, const ArgSpec *from,
               PackSpec *out) {
  *out = (PackSpec){.kind = PACK_ABSENT};
  switch (from->kind) {
  case ARG_ABSENT: return true;
  case ARG_RUNTIME:
    return runtime_spec(from->text ? from->text : annotation,
                        from->divisibility, out);
  case ARG_NONE: out->kind = PACK_NONE; return true;
  case ARG_BOOL: out->kind = PACK_BOOL; break;
  case ARG_INT: out->kind = PACK_INT; break;
  case ARG_FLOAT: out->kind = PACK_FLOAT; break;
  case ARG_STRING: out->kind = PACK_STRING; break;
  case ARG_DTYPE: out->kind = PACK_DTYPE; break;
  case ARG_FUNCTION: out->kind = PACK_FUNCTION; break;
  case ARG_TUPLE: return items_spec(arena, from, out);
  case ARG_DESCRIPTOR: return descriptor_spec(arena, from, out);
  }
  if (pack_is_text(out)) out->text = arena_strdup(arena, from->text);
  out->i = from->i;
  out->f = from->f;
  return true;
}

// -- Kernels -----------------------------------------------------------------

typedef struct {
  PackKernel kernel;
  const AstFunction *function;
  PackParam *params;
  Vec(PackVariant) variants;
  Vec(const Asked *) lines; // of each variant
} Building;

typedef struct {
  Packing packing;
  Vec(Building) kernels;
  int levels[PACK_LEVELS], num_levels;
  bool has_cpu;
} PackBuilder;

static void describe_params(Arena *arena, Building *b) {
  const int count = function_num_params(b->function);
  b->params = arena_array(arena, PackParam, count + 1);
  for (int i = 0; i < count; i++) {
    const FunctionParam param = function_param(b->function, i);
    const Annotation a = annotation_parse(param.annotation);
    b->params[i] = (PackParam){.name = param.name,
                               .dtype = a.dtype,
                               .is_pointer = a.is_pointer,
                               .is_constexpr = param.is_constexpr,
                               .has_default = param.has_default};
  }
  b->kernel.params = b->params;
  b->kernel.num_params = (size_t)count;
}

static Building *find_building(PackBuilder *builder, const Asked *asked) {
  Arena *arena = &builder->packing.tool->arena;
  for (size_t i = 0; i < builder->kernels.count; i++) {
    if (builder->kernels.items[i].function == asked->kernel)
      return &builder->kernels.items[i];
  }
  Building building = {.kernel = {.name = asked->name},
                       .function = asked->kernel};
  describe_params(arena, &building);
  vec_push(arena, &builder->kernels, building);
  return &builder->kernels.items[builder->kernels.count - 1];
}

static bool same_asked(const Asked *a, const Asked *b) {
  return a->config == b->config && a->num_warps == b->num_warps &&
         a->num_stages == b->num_stages && a->num_ctas == b->num_ctas &&
         a->persist == b->persist;
}

static bool same_variant(const PackVariant *a, const PackVariant *b,
                         size_t num_params) {
  for (size_t i = 0; i < num_params; i++) {
    if (!pack_same_spec(&a->specs[i], &b->specs[i])) return false;
  }
  return !strcmp(a->target, b->target) && a->level == b->level;
}

// Shows the errors of the file of variants.
static int fail_line(PackBuilder *builder) {
  report_list(&builder->packing.tool->report, &builder->packing.diags);
  return tool_finish(builder->packing.tool, TILE_COMPILE_ERROR);
}

// Refuses a second equal line, which could never be chosen.
static int check_new(PackBuilder *builder, const Building *b,
                     const Asked *asked, const PackVariant *variant) {
  DiagList *diags = &builder->packing.diags;
  for (size_t i = 0; i < b->variants.count; i++) {
    if (!same_asked(b->lines.items[i], asked) ||
        !same_variant(&b->variants.items[i], variant, b->kernel.num_params))
      continue;
    diag_error(diags, asked->loc, ERROR_pack_variant_twice,
               b->lines.items[i]->loc.line);
    return fail_line(builder);
  }
  return EXIT_FINE;
}

static int describe_specs(PackBuilder *builder, const Building *b,
                          const Asked *asked, PackVariant *out) {
  Arena *arena = &builder->packing.tool->arena;
  PackSpec *specs = arena_array(arena, PackSpec, b->kernel.num_params + 1);
  for (size_t i = 0; i < b->kernel.num_params; i++) {
    const FunctionParam param = function_param(b->function, (int)i);
    if (pack_spec(arena, param.annotation, &asked->specs[i], &specs[i]))
      continue;
    diag_error(&builder->packing.diags, asked->loc, ERROR_pack_no_such_type,
               param.name, asked->name);
    return fail_line(builder);
  }
  out->specs = specs;
  return EXIT_FINE;
}

// -- Compiling ---------------------------------------------------------------

static int add_code(PackBuilder *builder, Building *b, const Asked *asked,
                    const PackAsk *ask, PackVariant variant, KernelInfo *made) {
  Arena *arena = &builder->packing.tool->arena;
  int code = pack_compile(&builder->packing, ask, &variant);
  if (!code)
    code = pack_find_defaults(&builder->packing, ask, !b->variants.count,
                              b->params, &variant);
  if (code) return code;
  *made = variant.info;
  if (made->num_maps > LAUNCH_MAX_MAPS)
    return EXIT_FINE; // more than a loader takes
  vec_push(arena, &b->variants, variant);
  vec_push(arena, &b->lines, asked);
  return EXIT_FINE;
}

static int add_variant(PackBuilder *builder, const Asked *asked,
                       const Target *target, int level) {
  Building *b = find_building(builder, asked);
  PackVariant variant = {.target = target->name,
                         .level = level,
                         .config = asked->config,
                         .persist = asked->persist};
  PackAsk ask = {.line = asked, .target = target};
  KernelInfo made = {0}, others;
  int code = describe_specs(builder, b, asked, &variant);
  if (!code) code = check_new(builder, b, asked, &variant);
  if (!code) code = add_code(builder, b, asked, &ask, variant, &made);
  if (code || !made.num_maps) return code;
  ask.fit = TENSORS_UNMAPPED;
  code = add_code(builder, b, asked, &ask, variant, &others);
  if (code || !maps_ask_apart(&made)) return code;
  ask.fit = TENSORS_OVERLAP;
  return add_code(builder, b, asked, &ask, variant, &others);
}

static int add_target(PackBuilder *builder, const Asked *asked,
                      const Target *target) {
  if (target->is_gpu) return add_variant(builder, asked, target, 0);
  int code = EXIT_FINE;
  for (int i = 0; i < builder->num_levels && !code; i++)
    code = add_variant(builder, asked, target, builder->levels[i]);
  return code;
}

// Adds a line with the blocks that its configuration's hook sets.
static int add_hooked(PackBuilder *builder, const Asked *line,
                      const Target *target) {
  Tool *tool = builder->packing.tool;
  DiagList *diags = &builder->packing.diags;
  const size_t count = (size_t)function_num_params(line->kernel);
  Asked *asked = arena_new(&tool->arena, Asked);
  *asked = *line;
  Specialization specialization = {.args = line->specs,
                                   .config = line->config,
                                   .num_warps = line->num_warps,
                                   .num_stages = line->num_stages,
                                   .num_ctas = line->num_ctas,
                                   .target = target};
  ToolHook hook;
  const TileStatus status =
      tool_hook(tool, line->unit, line->kernel, &specialization, &hook);
  if (status) return pack_fail_at(&builder->packing, line, status);
  asked->specs = arena_array(&tool->arena, ArgSpec, count + 1);
  memcpy(asked->specs, specialization.args, count * sizeof *asked->specs);
  if (!hook.fills && !hook.is_unknown)
    return add_target(builder, asked, target);
  diag_error(diags, line->loc,
             hook.fills ? ERROR_pack_hook_fills : ERROR_pack_hook, line->name,
             hook.fills);
  return fail_line(builder);
}

static int add_all(PackBuilder *builder) {
  const Texts *targets = &builder->packing.tool->options.targets;
  const AskedList *asked = &builder->packing.asked;
  int code = EXIT_FINE;
  for (size_t i = 0; i < asked->count && !code; i++) {
    if (!targets->count)
      code = add_hooked(builder, &asked->items[i], target_find("cpu"));
    for (size_t t = 0; t < targets->count && !code; t++)
      code =
          add_hooked(builder, &asked->items[i], target_find(targets->items[t]));
  }
  return code;
}

// -- Writing -----------------------------------------------------------------

static Pack finish_pack(PackBuilder *builder) {
  Arena *arena = &builder->packing.tool->arena;
  const size_t count = builder->kernels.count;
  PackKernel *kernels = arena_array(arena, PackKernel, count + 1);
  for (size_t i = 0; i < count; i++) {
    const Building *b = &builder->kernels.items[i];
    kernels[i] = b->kernel;
    kernels[i].variants = b->variants.items;
    kernels[i].num_variants = b->variants.count;
  }
  return (Pack){
      .made_by = tile_version(), .kernels = kernels, .num_kernels = count};
}

// Checks that the header has no name twice.
static int check_names(PackBuilder *builder, const Pack *pack,
                       const char *path) {
  const char *name;
  const size_t at = pack_find_clash(pack, path, text_ends_with(path, ".c"),
                                    &builder->packing.tool->arena, &name);
  if (at == pack->num_kernels) return EXIT_FINE;
  const Building *b = &builder->kernels.items[at];
  diag_error(&builder->packing.diags, b->lines.items[0]->loc,
             ERROR_pack_name_taken, b->kernel.name, name);
  return fail_line(builder);
}

static int write_header(PackBuilder *builder, const Pack *pack,
                        const char *path) {
  Tool *tool = builder->packing.tool;
  Str header = str_in(&tool->arena);
  pack_print_header(pack, path, text_ends_with(path, ".c"), &header);
  return tool_write(tool, tool->options.header, header.data, header.length);
}

// Writes the make rule.  The dependencies are the imported files, whether the
// code was compiled or found in the cache.
static int write_rule(PackBuilder *builder, const char *path) {
  Tool *tool = builder->packing.tool;
  const Units *units = &builder->packing.units;
  Texts files = {0};
  for (size_t i = 0; i < tool->options.files.count; i++)
    vec_push(&tool->arena, &files, tool->options.files.items[i]);
  vec_push(&tool->arena, &files, tool->options.variants);
  for (size_t u = 0; u < units->count; u++) {
    const FileReads *reads = &units->items[u]->reads;
    for (size_t i = 0; i < reads->files.count; i++) {
      const FileRead *read = reads->files.items[i];
      if (read->is_there) vec_push(&tool->arena, &files, read->path);
    }
  }
  return tool_write_rule(tool, path, &files);
}

static void drop(const char *path) {
  if (path && strcmp(path, "-")) file_remove(path);
}

static const char default_output[] = "kernels.tilepack";

static int write_all(PackBuilder *builder) {
  Tool *tool = builder->packing.tool;
  const Options *options = &tool->options;
  const Pack pack = finish_pack(builder);
  const char *path = options->output ? options->output : default_output;
  const int clash =
      options->header ? check_names(builder, &pack, path) : EXIT_FINE;
  if (clash) return clash;
  Bytes bytes = pack_write(&pack, &tool->arena);
  if (text_ends_with(path, ".c")) {
    Str text = str_in(&tool->arena);
    pack_print_bytes(bytes, path, &text);
    bytes = (Bytes){text.data, text.length};
  }
  int code = tool_write(tool, path, bytes.data, bytes.size);
  if (code) return code;
  if (options->header) code = write_header(builder, &pack, path);
  if (!code && options->dependencies) {
    code = write_rule(builder, strcmp(path, "-") ? path : default_output);
    if (code) drop(options->header);
  }
  if (code) drop(path); // a command that failed leaves nothing behind
  return code;
}

// -- The command -------------------------------------------------------------

static const char *levels_option(const Tool *tool) {
  return tool->options.host_cpu ? "--cpu" : "TILE_CPU";
}

static int refuse_levels(Tool *tool, const char *list) {
  Str names = str_in(&tool->arena);
  const char *name;
  for (int i = 1; (name = codegen_level_name(i)); i++)
    str_addf(&names, "%s%s", i > 1 ? ", " : "", name);
  return tool_fail(tool, EXIT_USAGE, ERROR_pack_cpu, levels_option(tool), list,
                   str_text(&names));
}

// Reads "x86-64-v3,x86-64-v4"; by default $TILE_CPU, else the lowest level and
// those with wider vectors.
static int read_levels(PackBuilder *builder) {
  Tool *tool = builder->packing.tool;
  const char *list = tool->options.host_cpu;
  if (!list && options_have_target(&tool->options, false))
    list = getenv("TILE_CPU");
  if (!list || !*list || !strcmp(list, "native"))
    list = "x86-64,x86-64-v3,x86-64-v4";
  for (const char *at = list; *at;) {
    const size_t length = strcspn(at, ",");
    int level = 0;
    for (int i = 0; i < PACK_LEVELS; i++) {
      const char *name = codegen_level_name(i + 1);
      if (strlen(name) == length && !strncmp(name, at, length)) level = i + 1;
    }
    if (!level) return refuse_levels(tool, list);
    for (int i = 0; i < builder->num_levels; i++)
      if (builder->levels[i] == level)
        return tool_fail(tool, EXIT_USAGE, ERROR_option_twice,
                         levels_option(tool), codegen_level_name(level));
    builder->levels[builder->num_levels++] = level;
    at += length + (at[length] == ',');
  }
  return builder->num_levels ? EXIT_FINE : refuse_levels(tool, list);
}

static int check_targets(Tool *tool) {
  const Texts *targets = &tool->options.targets;
  for (size_t i = 0; i < targets->count; i++)
    for (size_t k = 0; k < i; k++)
      if (!strcmp(targets->items[i], targets->items[k]))
        return tool_fail(tool, EXIT_USAGE, ERROR_option_twice, "--target",
                         targets->items[i]);
  return EXIT_FINE;
}

static int parse_files(PackBuilder *builder) {
  Tool *tool = builder->packing.tool;
  int code = EXIT_FINE;
  for (size_t i = 0; i < tool->options.files.count && !code; i++) {
    TileSource source;
    SourceUnit *unit;
    tool->options.file = tool->options.files.items[i];
    code = tool_read_source(tool, &source);
    if (!code) code = tool_parse(tool, &source, &unit);
    if (!code) vec_push(&tool->arena, &builder->packing.units, unit);
  }
  return code;
}

int command_pack(Tool *tool) {
  PackBuilder *builder = arena_new(&tool->arena, PackBuilder);
  builder->packing.tool = tool;
  if (tool->options.record) return pack_record(tool);
  if (!tool->options.variants)
    return tool_fail(tool, EXIT_USAGE, ERROR_pack_wants_variants);
  int code = check_targets(tool);
  if (!code) code = read_levels(builder);
  if (!code) code = parse_files(builder);
  if (!code) code = pack_read_variants(&builder->packing);
  if (!code) code = add_all(builder);
  if (!code) code = write_all(builder);
  tile_device_destroy(builder->packing.gpu);
  return tool_exit_code(tool, code);
}
