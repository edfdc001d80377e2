// pack_code.c -- the code of a pack's variants: images for the CPU, PTX
// and cubins for GPUs.
#include "runtime/tools/tilec.h"

#include "runtime/device/device.h"
#include "runtime/program.h"
#include "runtime/ptxas/ptxas.h"
#include "runtime/tools/errors.h"

#include <string.h>

// -- Data that outlives the compilation --------------------------------------

static KernelInfo copy_info(Arena *arena, const KernelInfo *from) {
  KernelInfo info = *from;
  KernelParam *params = arena_array(arena, KernelParam, from->num_params + 1);
  TensorMapInfo *maps = arena_array(arena, TensorMapInfo, from->num_maps + 1);
  LaunchStep *steps = arena_array(arena, LaunchStep, from->num_steps + 1);
  for (int i = 0; i < from->num_params; i++) params[i] = from->params[i];
  for (int i = 0; i < from->num_maps; i++) maps[i] = from->maps[i];
  for (int i = 0; i < from->num_steps; i++) steps[i] = from->steps[i];
  info.symbol = arena_strdup(arena, from->symbol);
  info.params = params;
  info.maps = maps;
  info.steps = steps;
  return info;
}

static int take_image(Packing *packing, const PackAsk *ask, Bytes object,
                      PackVariant *out) {
  Tool *tool = packing->tool;
  const char *name = ask->line->name, *level = codegen_level_name(out->level);
  if (!image_make(&tool->arena, object.data, object.size, out->info.symbol,
                  &out->image))
    return tool_fail(tool, EXIT_BUG, ERROR_pack_no_image, name, level);
  for (int i = 0; i < out->image.num_imports; i++) {
    if (!image_import(out->image.imports[i]))
      return tool_fail(tool, EXIT_SOURCE, ERROR_pack_unknown_call, name, level,
                       out->image.imports[i]);
  }
  return EXIT_FINE;
}

// -- Cubins ------------------------------------------------------------------

typedef struct {
  Arena *arena;
  Bytes cubin;
} TakenCubin;

static void take(void *ctx, const void *data, size_t size) {
  TakenCubin *taken = ctx;
  taken->cubin = (Bytes){arena_strndup(taken->arena, data, size), size};
}

// Finds this machine's GPU, if its driver has a linker.
static void find_gpu(Packing *packing) {
  Tool *tool = packing->tool;
  if (packing->has_looked) return;
  packing->has_looked = true;
  if (tile_device_open(tool->context, "cuda", &packing->gpu, NULL))
    packing->gpu = NULL;
}

// Assembles by the driver, which can do so only for its own chip.
static bool assemble_by_driver(Packing *packing, const PackAsk *ask,
                               const CompiledCode *code, PackVariant *out) {
  TakenCubin taken = {.arena = &packing->tool->arena};
  Fault ignored;
  find_gpu(packing);
  TileDevice *gpu = packing->gpu;
  if (!gpu || strcmp(gpu->target->name, ask->target->name) ||
      !gpu->ops->assemble(gpu, code, take, &taken, &ignored))
    return false;
  out->cubin = taken.cubin;
  return true;
}

static int take_cubin(Packing *packing, const PackAsk *ask,
                      const CompiledCode *code, PackVariant *out) {
  Tool *tool = packing->tool;
  if (!ptxas_find(&tool->arena)) {
    if (!assemble_by_driver(packing, ask, code, out))
      tool_warn(tool, WARNING_pack_no_cubin, ask->line->name,
                ask->target->name);
    return EXIT_FINE;
  }
  GpuCode gpu = {.target = ask->target, .code = code};
  const int failed = gpu_assemble(tool, &gpu);
  if (failed) return failed;
  out->cubin =
      (Bytes){arena_strndup(&tool->arena, gpu.bytes, gpu.size), gpu.size};
  return EXIT_FINE;
}

static int take_code(Packing *packing, const PackAsk *ask,
                     const CompiledCode *code, PackVariant *out) {
  Arena *arena = &packing->tool->arena;
  out->info = copy_info(arena, &code->kernels[0]);
  const Bytes copy = {arena_strndup(arena, code->data, code->size), code->size};
  if (out->level) return take_image(packing, ask, copy, out);
  out->code = copy;
  return packing->tool->options.has_cubins ? take_cubin(packing, ask, code, out)
                                           : EXIT_FINE;
}

// -- Compiling ---------------------------------------------------------------

static Specialization specialize(const Packing *packing, const PackAsk *ask) {
  const Asked *line = ask->line;
  Specialization specialization =
      options_specialization(&packing->tool->options, line->specs, ask->target);
  specialization.num_warps = line->num_warps;
  specialization.num_stages = line->num_stages;
  specialization.num_ctas = line->num_ctas;
  specialization.persist = line->persist;
  specialization.config = line->config;
  return specialization;
}

// Finds the numbers that a launch may set by value, and the constants that a
// line left to the kernel.
static int find_values(Packing *packing, const PackAsk *ask, PackVariant *out) {
  Arena *arena = &packing->tool->arena;
  const Asked *line = ask->line;
  const int count = function_num_params(line->kernel);
  Specialization found = specialize(packing, ask);
  ArgSpec *values = arena_array(arena, ArgSpec, count + 1);
  const TileStatus status = compile_values(&packing->tool->report, line->unit,
                                           line->kernel, arena, values, &found);
  if (status) return pack_fail_at(packing, line, status);
  PackSpec *specs = arena_array(arena, PackSpec, count + 1);
  PackSpec *taken = arena_array(arena, PackSpec, count + 1);
  for (int i = 0; i < count; i++) {
    specs[i] = out->specs[i];
    if (specs[i].kind != PACK_ABSENT) continue;
    pack_spec(arena, NULL, &values[i], &taken[i]);
    specs[i].items = &taken[i];
    specs[i].num_items = taken[i].kind != PACK_ABSENT;
  }
  out->specs = specs;
  out->num_warps = found.num_warps;
  out->num_stages = found.num_stages;
  out->num_ctas = found.num_ctas;
  return EXIT_FINE;
}

// Finds the values of defaults, and which of them the variant's configuration
// replaces.  A default may depend on the target; then it is unknown without
// one.
int pack_find_defaults(Packing *packing, const PackAsk *ask, bool is_first,
                       PackParam *params, PackVariant *out) {
  Arena *arena = &packing->tool->arena;
  const Asked *line = ask->line;
  const int count = function_num_params(line->kernel);
  Specialization found = specialize(packing, ask);
  ArgSpec *values = arena_array(arena, ArgSpec, count + 1);
  bool *others = arena_array(arena, bool, count + 1);
  const TileStatus status =
      compile_defaults(&packing->tool->report, line->unit, line->kernel, arena,
                       values, others, &found);
  if (status) return pack_fail_at(packing, line, status);
  for (int i = 0; i < count; i++) {
    PackSpec value;
    pack_spec(arena, NULL, &values[i], &value);
    const bool is_known = value.kind != PACK_ABSENT;
    if (is_first) params[i].value = value;
    params[i].is_fixed = is_known && (is_first || params[i].is_fixed) &&
                         pack_same_spec(&params[i].value, &value);
  }
  out->are_set = others;
  return EXIT_FINE;
}

static TileStatus find_or_compile(Packing *packing, const PackAsk *ask,
                                  const CompileRequest *request,
                                  Compilation *out) {
  Tool *tool = packing->tool;
  const Keeping keeping = {tool->context->disk, request, ask->line->name, NULL};
  bool found;
  TileStatus status = kept_find(&tool->report, &keeping, out, &found);
  if (found && tool->options.verbose)
    fprintf(stderr, "tilec: %s for %s is in the cache\n", ask->line->name,
            ask->target->name);
  if (status || found) return status;
  status = compile(&tool->report, request, out);
  if (!status) kept_put(&keeping, out);
  return status;
}

int pack_compile(Packing *packing, const PackAsk *ask, PackVariant *out) {
  Tool *tool = packing->tool;
  const Options *options = &tool->options;
  const bool is_gpu = ask->target->is_gpu;
  const PassOptions no_maps = {.disable = "tensor_maps",
                               .overlap = ask->fit == TENSORS_OVERLAP};
  const CodegenOptions codegen = {
      .line_info = options->line_info,
      .host_cpu = is_gpu ? NULL : codegen_level_name(out->level),
      .ptx_version = options->ptx_version};
  const Specialization specialization = specialize(packing, ask);
  const CompileRequest request = {.unit = ask->line->unit,
                                  .kernel = ask->line->kernel,
                                  .specialization = &specialization,
                                  .goal = COMPILE_TO_CODE,
                                  .kind = is_gpu ? EMIT_ASM : EMIT_OBJECT,
                                  .passes = ask->fit ? &no_maps : NULL,
                                  .codegen = &codegen};
  Compilation compiled;
  const TileStatus status = find_or_compile(packing, ask, &request, &compiled);
  int code = status ? pack_fail_at(packing, ask->line, status)
                    : tool_finish(tool, TILE_OK);
  if (!code) code = take_code(packing, ask, &compiled.code, out);
  if (!code) code = find_values(packing, ask, out);
  compilation_free(&compiled);
  return code;
}
