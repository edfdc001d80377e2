// module.c -- modules: loading, their functions and variables.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/simulator/base/settings.h"
#include "runtime/simulator/driver/jit.h"

// -- Loading -----------------------------------------------------------------

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
  const char *suffix;
  const int wanted = ptx_chip(target, &suffix);
  if (wanted && wanted <= own && (!*suffix || wanted == own)) return true;
  return ptx_error(error, 0, "the module is for %s; the device is sm_%d",
                   target, own);
}

// A module from memory is named after its first kernel.
static void name_program(PtxProgram *program, const char *path) {
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

// Writes the text to the directory $TILE_SIM_PTX, under its name in reports.
static void keep_text(const PtxProgram *program, const char *image) {
  const char *directory = getenv("TILE_SIM_PTX");
  char path[1024];
  if (!directory || !*directory) return;
  snprintf(path, sizeof path, "%s/%s", directory, program->file_name);
  remove(path);
  FILE *file = settings_open("TILE_SIM_PTX", path);
  if (!file) return;
  fputs(image, file);
  fclose(file);
}

static bool load(DriverModule *module, const char *image, const char *path,
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

void module_clear(DriverModule *module) {
  for (GlobalVar *g = module->program.globals; g; g = g->next)
    memory_free(&sim_driver.device.memory, g->address);
  while (module->functions) {
    DriverFunction *function = module->functions;
    module->functions = function->next;
    object_destroy(&function->object);
  }
  pool_free(&module->program.pool);
}

static CUresult load_module(Context *context, CUmodule *out, const char *image,
                            const char *path, JitOptions *jit) {
  PtxError error = {""};
  DriverModule *module = object_create(HANDLE_MODULE, sizeof *module, context);
  if (!module) return CUDA_ERROR_OUT_OF_MEMORY;
  const bool parsed = load(module, image, path, &error);
  const bool runs = parsed && chip_runs(sim_driver.device.chip,
                                        module->program.ptx.target, &error);
  if (runs) {
    jit_apply(jit, &module->program);
    *out = module->object.handle;
    return CUDA_SUCCESS;
  }
  jit_write(&jit->error, "ptxas application ptx input, %s\n", error.text);
  object_destroy(&module->object);
  return parsed ? CUDA_ERROR_NO_BINARY_FOR_GPU : CUDA_ERROR_INVALID_PTX;
}

// Whether the image is machine code, or a fat binary, with or without its
// wrapper.
static bool is_binary(const char *image) {
  static const char magic[][5] = {"\177ELF", "\x50\xed\x55\xba",
                                  "\xb1\x43\x62\x46"};
  for (size_t i = 0; i < sizeof magic / sizeof *magic; i++) {
    if (strncmp(image, magic[i], 4) == 0) return true;
  }
  return false;
}

CUresult module_load(Context *context, CUmodule *module, const char *image,
                     const char *path, JitOptions *jit) {
  CUresult error = CUDA_ERROR_INVALID_IMAGE;
  if (is_binary(image))
    jit_write(&jit->error, "machine code cannot be simulated; load PTX\n");
  else
    error = load_module(context, module, image, path, jit);
  jit_finish(jit);
  return error;
}

CUresult locked_cuModuleLoadDataEx(CUmodule *module, const void *image,
                                   unsigned num_options, int *options,
                                   void **values) {
  Context *context;
  JitOptions jit;
  CUresult error = context_check(&context);
  if (!error && (!module || !image)) error = CUDA_ERROR_INVALID_VALUE;
  if (!error) error = jit_read(&jit, num_options, options, values);
  if (!error) error = module_load(context, module, image, NULL, &jit);
  return error;
}

CUresult locked_cuModuleLoadData(CUmodule *module, const void *image) {
  return locked_cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

CUresult locked_cuModuleLoadFatBinary(CUmodule *module, const void *image) {
  return locked_cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

static char *read_rest(FILE *file) {
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

CUresult module_read(const char *path, char **text) {
  FILE *file = fopen(path, "rb");
  if (!file) return CUDA_ERROR_FILE_NOT_FOUND;
  *text = read_rest(file);
  fclose(file);
  return *text ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult load_file(Context *context, CUmodule *module,
                          const char *path) {
  JitOptions jit;
  char *text;
  CUresult error = module_read(path, &text);
  if (error) return error;
  jit_read(&jit, 0, NULL, NULL);
  error = module_load(context, module, text, path, &jit);
  free(text);
  return error;
}

CUresult locked_cuModuleLoad(CUmodule *module, const char *path) {
  Context *context;
  const CUresult error = context_check(&context);
  if (error) return error;
  if (!module || !path) return CUDA_ERROR_INVALID_VALUE;
  return load_file(context, module, path);
}

CUresult locked_cuModuleUnload(CUmodule module) {
  DriverModule *found;
  CUresult error = object_check(HANDLE_MODULE, module, &found);
  if (!error && found->library) error = CUDA_ERROR_NOT_PERMITTED;
  if (!error) object_destroy(&found->object);
  return error;
}

// -- Functions and variables -------------------------------------------------

CUresult module_function(DriverModule *module, const char *name,
                         CUfunction *out) {
  DriverFunction *function = module->functions;
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
    for (int i = 0; i < 3; i++)
      function->cluster[i] = (unsigned)code->cluster[i];
    function->next = module->functions;
    module->functions = function;
  }
  *out = function->object.handle;
  return CUDA_SUCCESS;
}

CUresult locked_cuModuleGetFunction(CUfunction *function, CUmodule module,
                                    const char *name) {
  DriverModule *found;
  const CUresult error = object_check(HANDLE_MODULE, module, &found);
  if (error) return error;
  if (!function || !name) return CUDA_ERROR_INVALID_VALUE;
  return module_function(found, name, function);
}

CUresult locked_cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *size,
                                     CUmodule module, const char *name) {
  DriverModule *found;
  const CUresult error = object_check(HANDLE_MODULE, module, &found);
  if (error) return error;
  if (!name) return CUDA_ERROR_INVALID_VALUE;
  const GlobalVar *global = name_map_find(&found->program.global_names, name);
  if (!global) return CUDA_ERROR_NOT_FOUND;
  if (address) *address = global->address;
  if (size) *size = global->size;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetLoadingMode(int *mode) {
  enum { EAGER = 1 };
  if (!mode) return CUDA_ERROR_INVALID_VALUE;
  *mode = EAGER;
  return CUDA_SUCCESS;
}

CUresult locked_cuModuleGetFunctionCount(unsigned *count, CUmodule module) {
  DriverModule *found;
  const CUresult error = object_check(HANDLE_MODULE, module, &found);
  if (error) return error;
  if (!count) return CUDA_ERROR_INVALID_VALUE;
  *count = 0;
  for (const Code *c = found->program.kernels; c; c = c->next) ++*count;
  return CUDA_SUCCESS;
}

CUresult locked_cuModuleEnumerateFunctions(CUfunction *functions,
                                           unsigned count, CUmodule module) {
  DriverModule *found;
  CUresult error = object_check(HANDLE_MODULE, module, &found);
  if (!error && (!functions || !count)) error = CUDA_ERROR_INVALID_VALUE;
  if (error) return error;
  const Code *code = found->program.kernels;
  for (unsigned i = 0; code && i < count && !error; i++, code = code->next)
    error = module_function(found, code->name, &functions[i]);
  return error;
}
