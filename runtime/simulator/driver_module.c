// driver_module.c -- modules: loading, their functions and variables.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/simulator/driver.h"

// -- Loading -----------------------------------------------------------------

// Where the caller wants the log, from the options of cuModuleLoadDataEx.
typedef struct {
  char *error, *info;
  size_t error_size, info_size;
} Log;

enum {
  OPTION_INFO_LOG = 3,
  OPTION_INFO_LOG_SIZE = 4,
  OPTION_ERROR_LOG = 5,
  OPTION_ERROR_LOG_SIZE = 6,
};

static Log find_log(unsigned count, const int *options, void **values) {
  Log log = {NULL, NULL, 0, 0};
  for (unsigned i = 0; i < count; i++) {
    const size_t size = (size_t)(uintptr_t)values[i];
    switch (options[i]) {
    case OPTION_INFO_LOG: log.info = values[i]; break;
    case OPTION_INFO_LOG_SIZE: log.info_size = size; break;
    case OPTION_ERROR_LOG: log.error = values[i]; break;
    case OPTION_ERROR_LOG_SIZE: log.error_size = size; break;
    default: break;
    }
  }
  if (log.info && log.info_size) *log.info = '\0';
  if (log.error && log.error_size) *log.error = '\0';
  return log;
}

static uint64_t place_global(void *owner, uint64_t size, uint64_t align) {
  const Context *context = owner;
  const MemoryRequest request = {.size = size,
                                 .align = align,
                                 .owner = context->number,
                                 .kind = MEMORY_MODULE};
  return memory_alloc(&sim_driver.device.memory, &request);
}

// sm_90a runs on sm_90 only, sm_80 on everything from sm_80 on.
static bool chip_runs(const Chip *chip, const char *target, PtxError *error) {
  const int own = chip->major * 10 + chip->minor;
  char *suffix;
  const long wanted =
      strncmp(target, "sm_", 3) == 0 ? strtol(target + 3, &suffix, 10) : 1000;
  if (wanted <= own && (!*suffix || wanted == own)) return true;
  return ptx_error(error, 0, "the module is for %s; the device is sm_%d",
                   target, own);
}

// A module that comes from memory is named after its first kernel.
static void name_program(Program *program, const char *path) {
  const char *slash = path ? strrchr(path, '/') : NULL;
  const PtxFunction *f = program->ptx.functions;
  while (f && !f->is_entry) f = f->next;
  if (path)
    program->file_name =
        pool_print(&program->pool, "%s", slash ? slash + 1 : path);
  else
    program->file_name =
        pool_print(&program->pool, "%s.ptx", f ? f->name : "module");
}

// The text under the name that reports use, in the directory $TILE_SIM_PTX.
static void keep_text(const Program *program, const char *image) {
  const char *directory = getenv("TILE_SIM_PTX");
  char path[1024];
  if (!directory || !*directory) return;
  snprintf(path, sizeof path, "%s/%s", directory, program->file_name);
  FILE *file = fopen(path, "wb");
  if (!file) return;
  fputs(image, file);
  fclose(file);
}

static bool load(Module *module, const char *image, const char *path,
                 PtxError *error) {
  Memory *memory = &sim_driver.device.memory;
  if (setjmp(module->program.pool.out_of_memory))
    return ptx_error(error, 0, "out of memory");
  if (!program_load(&module->program, image, place_global,
                    module->object.context, error))
    return false;
  for (GlobalVar *g = module->program.globals; g; g = g->next)
    memory_find(memory, g->address)->is_const = g->is_const;
  name_program(&module->program, path);
  keep_text(&module->program, image);
  return true;
}

void module_clear(Module *module) {
  for (GlobalVar *g = module->program.globals; g; g = g->next)
    memory_free(&sim_driver.device.memory, g->address);
  while (module->functions) {
    Function *function = module->functions;
    module->functions = function->next;
    object_destroy(&function->object);
  }
  pool_free(&module->program.pool);
}

static CUresult load_module(Context *context, CUmodule *out, const char *image,
                            const char *path, const Log *log) {
  PtxError error = {""};
  Module *module = object_create(HANDLE_MODULE, sizeof *module, context);
  if (!module) return CUDA_ERROR_OUT_OF_MEMORY;
  const bool parsed = load(module, image, path, &error);
  const bool runs = parsed && chip_runs(sim_driver.device.chip,
                                        module->program.ptx.target, &error);
  if (runs) {
    *out = module->object.handle;
    return CUDA_SUCCESS;
  }
  if (log->error && log->error_size)
    snprintf(log->error, log->error_size, "ptxas application ptx input, %s\n",
             error.text);
  object_destroy(&module->object);
  return parsed ? CUDA_ERROR_NO_BINARY_FOR_GPU : CUDA_ERROR_INVALID_PTX;
}

static CUresult load_named(CUmodule *module, const void *image,
                           const char *path, const Log *log) {
  Context *context;
  const CUresult error = context_enter(&context);
  if (error) return driver_leave(error);
  if (!module || !image) return driver_leave(CUDA_ERROR_INVALID_VALUE);
  if (strncmp(image, "\177ELF", 4) == 0) // machine code
    return driver_leave(CUDA_ERROR_INVALID_IMAGE);
  return driver_leave(load_module(context, module, image, path, log));
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image,
                            unsigned num_options, int *options, void **values) {
  const Log log = find_log(num_options, options, values);
  return load_named(module, image, NULL, &log);
}

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

static char *read_whole(FILE *file) {
  size_t used = 0, room = 1 << 16;
  char *text = malloc(room);
  while (text) {
    used += fread(text + used, 1, room - used - 1, file);
    if (used + 1 < room) break;
    char *bigger = realloc(text, room *= 2);
    if (!bigger) free(text);
    text = bigger;
  }
  if (text) text[used] = '\0';
  return text;
}

CUresult cuModuleLoad(CUmodule *module, const char *path) {
  if (!module || !path) return CUDA_ERROR_INVALID_VALUE;
  FILE *file = fopen(path, "rb");
  if (!file) return CUDA_ERROR_FILE_NOT_FOUND;
  char *text = read_whole(file);
  fclose(file);
  if (!text) return CUDA_ERROR_OUT_OF_MEMORY;
  const Log log = {.error = NULL};
  const CUresult result = load_named(module, text, path, &log);
  free(text);
  return result;
}

CUresult cuModuleUnload(CUmodule module) {
  Module *found;
  const CUresult error = object_enter(HANDLE_MODULE, module, &found);
  if (!error) object_destroy(&found->object);
  return driver_leave(error);
}

// -- Functions and variables -------------------------------------------------

// The same function for the same name.
static CUresult get_function(Module *module, const char *name,
                             CUfunction *out) {
  Function *function = module->functions;
  while (function && strcmp(function->code->name, name) != 0)
    function = function->next;
  if (!function) {
    Code *code = program_find(&module->program, name);
    if (!code) return CUDA_ERROR_NOT_FOUND;
    function = object_create(HANDLE_FUNCTION, sizeof *function,
                             module->object.context);
    if (!function) return CUDA_ERROR_OUT_OF_MEMORY;
    function->module = module;
    function->code = code;
    function->max_dynamic_shared = 48 * 1024 - (int)code->shared_size;
    function->next = module->functions;
    module->functions = function;
  }
  *out = function->object.handle;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                             const char *name) {
  Module *found;
  const CUresult error = object_enter(HANDLE_MODULE, module, &found);
  if (error) return driver_leave(error);
  if (!function || !name) return driver_leave(CUDA_ERROR_INVALID_VALUE);
  return driver_leave(get_function(found, name, function));
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *size,
                              CUmodule module, const char *name) {
  Module *found;
  const CUresult error = object_enter(HANDLE_MODULE, module, &found);
  if (error) return driver_leave(error);
  if (!name) return driver_leave(CUDA_ERROR_INVALID_VALUE);
  const GlobalVar *global = name_map_find(&found->program.global_names, name);
  if (!global) return driver_leave(CUDA_ERROR_NOT_FOUND);
  if (address) *address = global->address;
  if (size) *size = global->size;
  return driver_leave(CUDA_SUCCESS);
}
