// library.c -- libraries and their kernels.
//
// A library is loaded into the current context, and into another context when a
// function of it is used there.
#include <stdlib.h>
#include <string.h>

#include "runtime/simulator/driver/jit.h"

static DriverModule *find_module(const Library *library,
                                 const Context *context) {
  const Handles *handles = &sim_driver.handles;
  for (size_t i = 0; i < handles->count; i++) {
    DriverModule *module = handle_at(handles, HANDLE_MODULE, i);
    if (module && module->library == library &&
        module->object.context == context)
      return module;
  }
  return NULL;
}

static CUresult load_into(Library *library, Context *context, JitOptions *jit,
                          DriverModule **out) {
  CUmodule handle;
  const CUresult error =
      module_load(context, &handle, library->image, NULL, jit);
  if (error) return error;
  *out = handle_find(&sim_driver.handles, HANDLE_MODULE, handle);
  (*out)->library = library;
  return CUDA_SUCCESS;
}

// Its module in the current context.
static CUresult module_of(Library *library, DriverModule **out) {
  Context *context;
  JitOptions jit;
  const CUresult error = context_check(&context);
  if (error) return error;
  *out = find_module(library, context);
  if (*out) return CUDA_SUCCESS;
  jit_read(&jit, 0, NULL, NULL);
  return load_into(library, context, &jit, out);
}

void library_clear(Library *library) {
  const Handles *handles = &sim_driver.handles;
  for (size_t i = 0; i < handles->count; i++) {
    DriverModule *module = handle_at(handles, HANDLE_MODULE, i);
    Kernel *kernel = handle_at(handles, HANDLE_KERNEL, i);
    if (module && module->library == library) object_destroy(&module->object);
    if (kernel && kernel->library == library) object_destroy(&kernel->object);
  }
  free(library->image);
}

// -- Loading -----------------------------------------------------------------

// Takes ownership of the image.  Without a current context errors show at first
// use.
static CUresult make_library(CUlibrary *out, char *image, JitOptions *jit) {
  Context *context;
  DriverModule *module;
  Library *library = object_create(HANDLE_LIBRARY, sizeof *library, NULL);
  if (!library) {
    free(image);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  library->image = image;
  const CUresult error = context_check(&context)
                             ? CUDA_SUCCESS
                             : load_into(library, context, jit, &module);
  if (error)
    object_destroy(&library->object);
  else
    *out = library->object.handle;
  return error;
}

CUresult locked_cuLibraryLoadData(CUlibrary *library, const void *image,
                                  int *jit_options, void **jit_values,
                                  unsigned num_jit_options, int *options,
                                  void **values, unsigned num_options) {
  JitOptions jit;
  CUresult error = CUDA_SUCCESS;
  if ((!library || !image || (num_options && (!options || !values))))
    error = CUDA_ERROR_INVALID_VALUE;
  if (!error) error = jit_read(&jit, num_jit_options, jit_options, jit_values);
  if (error) return error;
  char *copy = strdup(image);
  if (!copy) return CUDA_ERROR_OUT_OF_MEMORY;
  return make_library(library, copy, &jit);
}

CUresult locked_cuLibraryLoadFromFile(CUlibrary *library, const char *path,
                                      int *jit_options, void **jit_values,
                                      unsigned num_jit_options, int *options,
                                      void **values, unsigned num_options) {
  JitOptions jit;
  char *text;
  CUresult error = CUDA_SUCCESS;
  if ((!library || !path || (num_options && (!options || !values))))
    error = CUDA_ERROR_INVALID_VALUE;
  if (!error) error = jit_read(&jit, num_jit_options, jit_options, jit_values);
  if (!error) error = module_read(path, &text);
  if (!error) error = make_library(library, text, &jit);
  return error;
}

CUresult locked_cuLibraryUnload(CUlibrary library) {
  Library *found;
  const CUresult error = object_check(HANDLE_LIBRARY, library, &found);
  if (!error) object_destroy(&found->object);
  return error;
}

CUresult locked_cuLibraryGetModule(CUmodule *module, CUlibrary library) {
  Library *found;
  DriverModule *own;
  CUresult error = object_check(HANDLE_LIBRARY, library, &found);
  if (!error && !module) error = CUDA_ERROR_INVALID_VALUE;
  if (!error) error = module_of(found, &own);
  if (!error) *module = own->object.handle;
  return error;
}

CUresult locked_cuLibraryGetGlobal(CUdeviceptr *address, size_t *size,
                                   CUlibrary library, const char *name) {
  CUmodule module;
  const CUresult error = locked_cuLibraryGetModule(&module, library);
  return error ? error
               : locked_cuModuleGetGlobal_v2(address, size, module, name);
}

// -- Kernels -----------------------------------------------------------------

static CUresult function_of(const Kernel *kernel, CUfunction *out) {
  DriverModule *module;
  const CUresult error = module_of(kernel->library, &module);
  return error ? error : module_function(module, kernel->name, out);
}

CUresult function_check(const void *handle, DriverFunction **function) {
  const Kernel *kernel =
      handle_find(&sim_driver.handles, HANDLE_KERNEL, handle);
  CUfunction own = NULL;
  if (!kernel) return object_check(HANDLE_FUNCTION, handle, function);
  const CUresult error = function_of(kernel, &own);
  return error ? error : object_check(HANDLE_FUNCTION, own, function);
}

static Kernel *find_kernel(const Library *library, const char *name) {
  const Handles *handles = &sim_driver.handles;
  for (size_t i = 0; i < handles->count; i++) {
    Kernel *kernel = handle_at(handles, HANDLE_KERNEL, i);
    if (kernel && kernel->library == library && !strcmp(kernel->name, name))
      return kernel;
  }
  return NULL;
}

static CUresult make_kernel(Library *library, const char *name, Kernel **out) {
  Context *context;
  CUfunction function;
  Kernel *kernel = object_create(HANDLE_KERNEL, sizeof *kernel, NULL);
  if (!kernel) return CUDA_ERROR_OUT_OF_MEMORY;
  kernel->library = library;
  kernel->name = strdup(name);
  CUresult error = kernel->name ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  if (!error && !context_check(&context))
    error = function_of(kernel, &function);
  *out = kernel;
  if (error) object_destroy(&kernel->object);
  return error;
}

// The same kernel each time for the same name.
CUresult locked_cuLibraryGetKernel(CUkernel *kernel, CUlibrary library,
                                   const char *name) {
  Library *found;
  CUresult error = object_check(HANDLE_LIBRARY, library, &found);
  if (error) return error;
  if (!kernel || !name) return CUDA_ERROR_INVALID_VALUE;
  Kernel *own = find_kernel(found, name);
  if (!own) error = make_kernel(found, name, &own);
  if (!error) *kernel = own->object.handle;
  return error;
}

CUresult locked_cuKernelGetFunction(CUfunction *function, CUkernel kernel) {
  Kernel *found;
  const CUresult error = object_check(HANDLE_KERNEL, kernel, &found);
  if (error) return error;
  if (!function) return CUDA_ERROR_INVALID_VALUE;
  return function_of(found, function);
}

CUresult locked_cuKernelGetLibrary(CUlibrary *library, CUkernel kernel) {
  Kernel *found;
  const CUresult error = object_check(HANDLE_KERNEL, kernel, &found);
  if (error) return error;
  if (!library) return CUDA_ERROR_INVALID_VALUE;
  *library = found->library->object.handle;
  return CUDA_SUCCESS;
}

CUresult locked_cuKernelGetName(const char **name, CUkernel kernel) {
  Kernel *found;
  const CUresult error = object_check(HANDLE_KERNEL, kernel, &found);
  if (error) return error;
  if (!name) return CUDA_ERROR_INVALID_VALUE;
  *name = found->name;
  return CUDA_SUCCESS;
}

CUresult locked_cuKernelGetAttribute(int *value, int attribute, CUkernel kernel,
                                     CUdevice device) {
  CUfunction function;
  if (device) return CUDA_ERROR_INVALID_DEVICE;
  const CUresult error = locked_cuKernelGetFunction(&function, kernel);
  return error ? error : locked_cuFuncGetAttribute(value, attribute, function);
}

CUresult locked_cuKernelSetAttribute(int attribute, int value, CUkernel kernel,
                                     CUdevice device) {
  CUfunction function;
  if (device) return CUDA_ERROR_INVALID_DEVICE;
  const CUresult error = locked_cuKernelGetFunction(&function, kernel);
  return error ? error : locked_cuFuncSetAttribute(function, attribute, value);
}
