// driver_module.c -- modules and functions.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/simulator/driver.h"
#include "runtime/simulator/report.h"

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

static uint64_t place_global(void *context, uint64_t size, uint64_t align) {
  Memory *memory = context;
  const uint64_t address = memory_alloc(memory, size, align, false);
  if (address) memory_find(memory, address)->of_module = true;
  return address;
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

static bool load(CUmodule module, const char *image, const char *path,
                 PtxError *error) {
  Memory *memory = &sim_driver.device.memory;
  if (setjmp(module->program.pool.out_of_memory))
    return ptx_error(error, 0, "out of memory");
  if (strncmp(image,
              "\x7f"
              "ELF",
              4) == 0)
    return ptx_error(error, 0, "machine code cannot be simulated; load PTX");
  if (!program_load(&module->program, image, place_global, memory, error))
    return false;
  for (GlobalVar *g = module->program.globals; g; g = g->next)
    memory_find(memory, g->address)->is_const = g->is_const;
  name_program(&module->program, path);
  keep_text(&module->program, image);
  return true;
}

static void destroy_module(CUmodule module) {
  for (GlobalVar *g = module->program.globals; g; g = g->next)
    memory_free(&sim_driver.device.memory, g->address);
  for (CUfunction f = module->functions, next; f; f = next) {
    next = f->next;
    free(f);
  }
  pool_free(&module->program.pool);
  free(module);
}

static CUresult load_module(CUmodule *out, const char *image, const char *path,
                            const Log *log) {
  CUmodule module = calloc(1, sizeof *module);
  PtxError error = {""};
  if (!module) return CUDA_ERROR_OUT_OF_MEMORY;
  const bool parsed = load(module, image, path, &error);
  const bool runs = parsed && chip_runs(sim_driver.device.chip,
                                        module->program.ptx.target, &error);
  if (runs) {
    module->next = sim_driver.modules;
    sim_driver.modules = module;
    *out = module;
    return CUDA_SUCCESS;
  }
  if (log->error && log->error_size)
    snprintf(log->error, log->error_size, "ptxas application ptx input, %s\n",
             error.text);
  destroy_module(module);
  return parsed ? CUDA_ERROR_NO_BINARY_FOR_GPU : CUDA_ERROR_INVALID_PTX;
}

static CUresult load_named(CUmodule *module, const void *image,
                           const char *path, const Log *log) {
  const CUresult error = driver_enter();
  if (error) return driver_leave(error);
  if (!module || !image) return driver_leave(CUDA_ERROR_INVALID_VALUE);
  if (!current_context()) return driver_leave(CUDA_ERROR_INVALID_CONTEXT);
  if (strncmp(image, "\177ELF", 4) == 0) // machine code
    return driver_leave(CUDA_ERROR_INVALID_IMAGE);
  return driver_leave(load_module(module, image, path, log));
}

EXPORT CUresult cuModuleLoadDataEx(CUmodule *module, const void *image,
                                   unsigned num_options, int *options,
                                   void **values);
EXPORT CUresult cuModuleLoadDataEx(CUmodule *module, const void *image,
                                   unsigned num_options, int *options,
                                   void **values) {
  const Log log = find_log(num_options, options, values);
  return load_named(module, image, NULL, &log);
}

EXPORT CUresult cuModuleLoadData(CUmodule *module, const void *image);
EXPORT CUresult cuModuleLoadData(CUmodule *module, const void *image) {
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

EXPORT CUresult cuModuleLoad(CUmodule *module, const char *path);
EXPORT CUresult cuModuleLoad(CUmodule *module, const char *path) {
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

EXPORT CUresult cuModuleUnload(CUmodule module);
EXPORT CUresult cuModuleUnload(CUmodule module) {
  const CUresult error = driver_enter();
  CUmodule *link = &sim_driver.modules;
  while (*link && *link != module) link = &(*link)->next;
  if (!*link) return driver_leave(CUDA_ERROR_INVALID_HANDLE);
  *link = module->next;
  destroy_module(module);
  return driver_leave(error);
}

void report_leaks(const Memory *memory) {
  size_t count = 0;
  uint64_t bytes = 0;
  for (size_t i = 0; i < memory->count; i++) {
    const Allocation *a = &memory->list[i];
    if (a->freed || a->of_module) continue;
    count++;
    bytes += a->size;
  }
  if (count)
    report_host(KIND_LEAK, "%zu allocation%s of %llu bytes", count,
                count > 1 ? "s" : "", (unsigned long long)bytes);
}

void driver_reset(Driver *driver) {
  while (driver->modules) {
    CUmodule module = driver->modules;
    driver->modules = module->next;
    destroy_module(module);
  }
  Memory *memory = &driver->device.memory;
  if (!driver->sticky) report_leaks(memory);
  for (size_t i = 0; i < memory->count; i++)
    if (!memory->list[i].freed) memory_free(memory, memory->list[i].start);
  driver->sticky = driver->pending = CUDA_SUCCESS;
}

// -- Functions and variables
// ---------------------------------------------------

static CUresult make_function(CUfunction *out, CUmodule module, Code *code) {
  CUfunction function = calloc(1, sizeof *function);
  if (!function) return CUDA_ERROR_OUT_OF_MEMORY;
  function->module = module;
  function->code = code;
  function->max_dynamic_shared = 48 * 1024 - (int)code->shared_size;
  function->next = module->functions;
  module->functions = function;
  *out = function;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                                    const char *name);
EXPORT CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                                    const char *name) {
  if (!function || !name) return CUDA_ERROR_INVALID_VALUE;
  if (!module) return CUDA_ERROR_INVALID_HANDLE;
  const CUresult error = driver_enter();
  if (error) return driver_leave(error);
  for (CUfunction f = module->functions; f; f = f->next) {
    if (strcmp(f->code->name, name) != 0) continue;
    *function = f;
    return driver_leave(CUDA_SUCCESS);
  }
  Code *code = program_find(&module->program, name);
  if (!code) return driver_leave(CUDA_ERROR_NOT_FOUND);
  return driver_leave(make_function(function, module, code));
}

EXPORT CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *size,
                                     CUmodule module, const char *name);
EXPORT CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *size,
                                     CUmodule module, const char *name) {
  if (!name) return CUDA_ERROR_INVALID_VALUE;
  if (!module) return CUDA_ERROR_INVALID_HANDLE;
  const CUresult error = driver_enter();
  if (error) return driver_leave(error);
  const GlobalVar *global = name_map_find(&module->program.global_names, name);
  if (!global) return driver_leave(CUDA_ERROR_NOT_FOUND);
  if (address) *address = global->address;
  if (size) *size = global->size;
  return driver_leave(CUDA_SUCCESS);
}

enum {
  FUNCTION_MAX_THREADS = 0,
  FUNCTION_SHARED = 1,
  FUNCTION_LOCAL = 3,
  FUNCTION_REGISTERS = 4,
  FUNCTION_PTX_VERSION = 5,
  FUNCTION_BINARY_VERSION = 6,
  FUNCTION_MAX_DYNAMIC_SHARED = 8,
  FUNCTION_CARVEOUT = 9,
  FUNCTION_LAST = 15,
};

EXPORT CUresult cuFuncGetAttribute(int *value, int attribute,
                                   CUfunction function);
EXPORT CUresult cuFuncGetAttribute(int *value, int attribute,
                                   CUfunction function) {
  if (!value || attribute < 0 || attribute > FUNCTION_LAST)
    return CUDA_ERROR_INVALID_VALUE;
  if (!function) return CUDA_ERROR_INVALID_HANDLE;
  const Code *code = function->code;
  const Chip *chip = sim_driver.device.chip;
  switch (attribute) {
  case FUNCTION_MAX_THREADS:
    *value = code->max_threads ? (int)code->max_threads : 1024;
    break;
  case FUNCTION_SHARED: *value = (int)code->shared_size; break;
  case FUNCTION_LOCAL: *value = (int)code->local_size; break;
  case FUNCTION_PTX_VERSION:
  case FUNCTION_BINARY_VERSION: *value = chip->major * 10 + chip->minor; break;
  case FUNCTION_MAX_DYNAMIC_SHARED:
    *value = function->max_dynamic_shared;
    break;
  case FUNCTION_REGISTERS: *value = code->registers; break;
  default: *value = 0; break;
  }
  return CUDA_SUCCESS;
}

EXPORT CUresult cuFuncSetAttribute(CUfunction function, int attribute,
                                   int value);
EXPORT CUresult cuFuncSetAttribute(CUfunction function, int attribute,
                                   int value) {
  if (!function) return CUDA_ERROR_INVALID_HANDLE;
  if (attribute == FUNCTION_CARVEOUT) return CUDA_SUCCESS; // a hint
  if (attribute != FUNCTION_MAX_DYNAMIC_SHARED) return CUDA_ERROR_INVALID_VALUE;
  const int most = sim_driver.device.chip->shared_max_kb * 1024;
  if (value < 0 || value + (int)function->code->shared_size > most)
    return CUDA_ERROR_INVALID_VALUE;
  function->max_dynamic_shared = value;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuFuncSetCacheConfig(CUfunction function, int config);
EXPORT CUresult cuFuncSetCacheConfig(CUfunction function, int config) {
  (void)config;
  return function ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
