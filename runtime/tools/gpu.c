// gpu.c -- assembles PTX, and passes it to the program's output.
#include "runtime/disk/disk.h"
#include "runtime/errors.h"
#include "runtime/ptxas/ptxas.h"
#include "runtime/tools/errors.h"
#include "runtime/tools/parts/parts.h"
#include "runtime/tools/tilec.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// -- Assembling --------------------------------------------------------------

static int no_ptxas(Tool *tool) {
  const char *named = ptxas_named();
  return named ? tool_fail(tool, EXIT_FILES, ERROR_no_ptxas_there, named)
               : tool_fail(tool, EXIT_FILES, ERROR_no_ptxas);
}

static int run_in(Tool *tool, const char *ptxas, const GpuCode *gpu,
                  const OwnFolder *folder, PtxasOutput *out) {
  const PtxasInput input = {
      .ptx = gpu->code->data,
      .size = gpu->code->size,
      .arch = gpu->target->name,
      .line_info = tool->options.line_info,
      .folder = folder->path,
      .started = own_folder_has,
  };
  switch (ptxas_run(&tool->arena, ptxas, &input, out)) {
  case PTXAS_FINE: return EXIT_FINE;
  case PTXAS_REFUSED:
    return tool_fail(tool, EXIT_SOURCE, ERROR_ptxas_refuses, ptxas, out->log);
  case PTXAS_FAILED:
  case PTXAS_CANCELLED: break;
  }
  return tool_fail(tool, EXIT_FILES, "%s", out->log);
}

static int run_ptxas(Tool *tool, const char *ptxas, const GpuCode *gpu,
                     PtxasOutput *out) {
  OwnFolder *folder = arena_new(&tool->arena, OwnFolder);
  if (!own_folder_open(&tool->arena, folder))
    return tool_fail(tool, EXIT_FILES, ERROR_no_folder, folder->path,
                     strerror(errno));
  const int code = run_in(tool, ptxas, gpu, folder, out);
  own_folder_close(folder);
  return code;
}

// Whether to show a line: advice, warnings, and notes about lost speed, C75xx.
static bool is_news(const char *line, size_t length) {
  const char *note = strstr(line, "(C75");
  if (strncmp(line, "ptxas ", 6)) return false;
  return strncmp(line, "ptxas info ", 11) || (note && note < line + length);
}

// Shows warnings; whether there were any.
static bool show_warnings(const Tool *tool, const char *log) {
  bool shown = false;
  for (const char *line = log; *line;) {
    const size_t length = strcspn(line, "\n");
    if (tool->options.verbose || is_news(line, length)) {
      fprintf(stderr, "%.*s\n", (int)length, line);
      shown = true;
    }
    line += length + (line[length] == '\n');
  }
  return shown;
}

// The identity of ptxas by its file: running it would take as long as
// assembling.
static Bytes name_ptxas(Tool *tool, const char *ptxas) {
  struct stat info;
  if (stat(ptxas, &info)) return (Bytes){"", 0};
  return bytes_of_text(arena_printf(
      &tool->arena, "%s %lld %lld.%ld", ptxas, (long long)info.st_size,
      (long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec));
}

// The key of a cubin: its PTX, the assembler and the options.
static Bytes cubin_key(Tool *tool, const char *ptxas, const GpuCode *gpu) {
  Digest *digest = arena_new(&tool->arena, Digest);
  *digest = digest_of(gpu->code->data, gpu->code->size);
  DiskInputs inputs = {
      .file = bytes_of_text(tool->options.file),
      .text = {digest->bytes, sizeof digest->bytes},
      .target = bytes_of_text(gpu->target->name),
      .line_info = tool->options.line_info,
      .code = -1, // no EmitKind
      .assembler = name_ptxas(tool, ptxas),
  };
  disk_describe(tool->context->disk, false, &inputs);
  return inputs_key(&inputs, &tool->arena);
}

static bool find_cubin(Tool *tool, Bytes key, GpuCode *gpu) {
  FileReads none;
  Entry entry;
  reads_init(&none, &tool->arena);
  if (tool->options.verbose ||
      !disk_find(tool->context->disk, key, &none, &tool->arena, &entry))
    return false;
  gpu->bytes = entry.code.data;
  gpu->size = entry.code.size;
  return true;
}

static void keep_cubin(Tool *tool, Bytes key, const GpuCode *gpu) {
  FileReads none;
  DiagList nothing;
  reads_init(&none, &tool->arena);
  diag_init(&nothing, &tool->arena);
  const Entry entry = {.key = key,
                       .diags = &nothing,
                       .code = {gpu->bytes, gpu->size, gpu->code->kernels, 1}};
  disk_keep(tool->context->disk, key, entry_write(&entry, &none, &tool->arena),
            &tool->arena);
}

// Warnings of ptxas are shown each time.
static int assemble(Tool *tool, const char *ptxas, Bytes key, GpuCode *gpu) {
  PtxasOutput output;
  const int code = run_ptxas(tool, ptxas, gpu, &output);
  if (code) return code;
  gpu->bytes = output.cubin;
  gpu->size = output.size;
  if (!show_warnings(tool, output.log) && key.size) keep_cubin(tool, key, gpu);
  return EXIT_FINE;
}

int gpu_assemble(Tool *tool, GpuCode *gpu) {
  const char *ptxas = ptxas_find(&tool->arena);
  if (!ptxas) return no_ptxas(tool);
  Bytes key = {NULL, 0};
  if (tool->context->disk) key = cubin_key(tool, ptxas, gpu);
  if (key.size && find_cubin(tool, key, gpu)) return EXIT_FINE;
  return assemble(tool, ptxas, key, gpu);
}

// -- Resources ---------------------------------------------------------------

static const char *const limit_names[] = {
    [BY_WARPS] = "warps",
    [BY_BLOCKS] = "programs",
    [BY_REGISTERS] = "registers",
    [BY_SHARED] = "shared memory",
};

static const char *plural(int count) {
  return count == 1 ? "" : "s";
}

// "40 registers, 0 bytes spilled, 0 bytes of stack"
static const char *register_text(Tool *tool, const PtxasOutput *output) {
  if (!output)
    return "registers and spills unknown, for want of NVIDIA's ptxas";
  return arena_printf(&tool->arena,
                      "%d register%s a thread, %d bytes spilled, %d bytes of "
                      "stack",
                      output->registers, plural(output->registers),
                      output->spilled, output->stack_bytes);
}

// A kernel on a chip.
typedef struct {
  const Target *target;
  const KernelInfo *info;
  const PtxasOutput *output; // NULL: ptxas is missing
  int count;                 // of programs on an SM
  Limit limit;
} Usage;

static void find_count(Usage *usage) {
  const Footprint program = {
      .num_warps = usage->info->num_warps,
      .registers = usage->output ? usage->output->registers : 0,
      .shared_bytes = usage->info->shared_bytes,
  };
  usage->count = target_residency(usage->target, &program, &usage->limit);
  assert(usage->count * program.num_warps <= usage->target->warps_sm); // I10
}

static const char *cluster_text(Tool *tool, const KernelInfo *info) {
  const bool persistent = kernel_is_persistent(info);
  if (info->has_pairs)
    return persistent
               ? ", for several programs, in pairs if the grid is even along x"
               : ", in pairs if the grid is even along x";
  if (!info->log2_cluster) return persistent ? ", for several programs" : "";
  return arena_printf(&tool->arena, " in each of a program's %d blocks",
                      1 << info->log2_cluster);
}

static void print_usage(Tool *tool, const Usage *usage) {
  const KernelInfo *info = usage->info;
  const Target *target = usage->target;
  const int count = usage->count;
  const char *counted = info->log2_cluster ? "block" : "program";
  fprintf(stderr, "%s for %s: %d warp%s%s; %s; %zu bytes of shared memory\n",
          info->symbol, target->name, info->num_warps, plural(info->num_warps),
          cluster_text(tool, info), register_text(tool, usage->output),
          info->shared_bytes);
  if (!count)
    fprintf(stderr, "%s for %s: does not fit: too much %s\n", info->symbol,
            target->name, limit_names[usage->limit]);
  else
    fprintf(stderr,
            "%s for %s: fits: %d %s%s on an SM at once%s, limited by its "
            "%s; %d of %d warps\n",
            info->symbol, target->name, count, counted, plural(count),
            usage->output ? "" : " at most", limit_names[usage->limit],
            count * info->num_warps, target->warps_sm);
}

// Prints one JSON object in a line; without ptxas, without its numbers.
static void print_usage_json(const Usage *usage) {
  const KernelInfo *info = usage->info;
  const PtxasOutput *output = usage->output;
  fprintf(stderr,
          "{\"kernel\": \"%s\", \"target\": \"%s\", \"warps\": %d, "
          "\"shared_bytes\": %zu, ",
          info->symbol, usage->target->name, info->num_warps,
          info->shared_bytes);
  if (info->log2_cluster)
    fprintf(stderr, "\"blocks\": %d, ", 1 << info->log2_cluster);
  if (info->has_pairs) fprintf(stderr, "\"pairs\": true, ");
  if (kernel_is_persistent(info)) fprintf(stderr, "\"persistent\": true, ");
  if (output)
    fprintf(stderr,
            "\"registers\": %d, \"spilled_bytes\": %d, \"stack_bytes\": %d, ",
            output->registers, output->spilled, output->stack_bytes);
  fprintf(stderr,
          "\"programs_per_sm\": %d, \"limited_by\": \"%s\", "
          "\"warps_per_sm\": %d}\n",
          usage->count, limit_names[usage->limit], usage->target->warps_sm);
}

static const char *box_text(Tool *tool, const TensorMapInfo *map) {
  Str text = str_in(&tool->arena);
  for (int i = 0; i < map->rank; i++)
    str_addf(&text, "%s%u", i ? "x" : "", map->box[i]);
  return str_text(&text);
}

// Prints the parameters that a program without libtile has to make.
static void print_maps(Tool *tool, const Target *target,
                       const KernelInfo *info) {
  for (int i = 0; i < info->num_params; i++) {
    const KernelParam *param = &info->params[i];
    if (param->rule == PARAM_BLOCK_MEMORY)
      fprintf(stderr,
              "%s for %s: parameter %d is the address of %zu bytes of 0 for "
              "each block of the grid\n",
              info->symbol, target->name, i, param->size);
    if (param->rule == PARAM_PROGRAMS)
      fprintf(stderr,
              "%s for %s: parameter %d is the number of programs along %c, 32 "
              "bits\n",
              info->symbol, target->name, i, "xyz"[param->index]);
    if (param->rule != PARAM_TENSOR_MAP) continue;
    const TensorMapInfo *map = &info->maps[param->index];
    fprintf(stderr,
            "%s for %s: parameter %d is a tensor map: %s, boxes of %s, lines "
            "of %d bytes swizzled, %s outside\n",
            info->symbol, target->name, i, elem_info[map->elem].name,
            box_text(tool, map), map->swizzle, map->fills_nan ? "NaN" : "0");
  }
}

int gpu_print_resources(Tool *tool, const GpuCode *gpu) {
  PtxasOutput output;
  const char *ptxas = ptxas_find(&tool->arena);
  const int code = ptxas ? run_ptxas(tool, ptxas, gpu, &output) : EXIT_FINE;
  if (code) return code;
  for (int i = 0; i < gpu->code->num_kernels; i++) {
    Usage usage = {.target = gpu->target,
                   .info = &gpu->code->kernels[i],
                   .output = ptxas ? &output : NULL};
    find_count(&usage);
    if (tool->options.resource_usage == AS_JSON)
      print_usage_json(&usage);
    else
      print_usage(tool, &usage);
    if (tool->options.resource_usage == AS_TEXT)
      print_maps(tool, gpu->target, &gpu->code->kernels[i]);
  }
  return EXIT_FINE;
}

const char *tool_symbol_name(const char *symbol, const Target *target) {
  static const char prefix[] = HOST_SYMBOL_PREFIX;
  const size_t length = sizeof prefix - 1;
  const bool is_host = target && !target->is_gpu;
  return is_host && !strncmp(symbol, prefix, length) ? symbol + length : symbol;
}

int host_print_resources(const Tool *tool, const Target *target,
                         const CompiledCode *code) {
  static const char text[] =
      "%s for cpu: %zu bytes of scratch memory a program%s\n";
  static const char json[] =
      "{\"kernel\": \"%s\", \"target\": \"cpu\", \"scratch_bytes\": %zu%s}\n";
  const bool as_json = tool->options.resource_usage == AS_JSON;
  const char *keeps =
      as_json ? ", \"keeps_scratch\": true" : ", which it leaves for the next";
  for (int i = 0; i < code->num_kernels; i++) {
    const KernelInfo *kernel = &code->kernels[i];
    fprintf(stderr, as_json ? json : text,
            tool_symbol_name(kernel->symbol, target), kernel->scratch_bytes,
            kernel->keeps_scratch ? keeps : "");
  }
  return EXIT_FINE;
}
