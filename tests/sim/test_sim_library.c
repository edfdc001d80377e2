// test_sim_library.c -- libraries, which are loaded at their first use, and
// their kernels, which are functions in every context.
#include <stdio.h>
#include <unistd.h>

#include "sim_kit.h"

typedef struct CUlib_st *CUlibrary;
typedef struct CUkern_st *CUkernel;

int cuLibraryLoadData(CUlibrary *library, const void *image, int *jit_options,
                      void **jit_values, unsigned num_jit_options, int *options,
                      void **values, unsigned num_options);
int cuLibraryLoadFromFile(CUlibrary *library, const char *path,
                          int *jit_options, void **jit_values,
                          unsigned num_jit_options, int *options, void **values,
                          unsigned num_options);
int cuLibraryUnload(CUlibrary library);
int cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name);
int cuLibraryGetModule(CUmodule *module, CUlibrary library);
int cuLibraryGetGlobal(CUdeviceptr *address, size_t *size, CUlibrary library,
                       const char *name);
int cuKernelGetLibrary(CUlibrary *library, CUkernel kernel);
int cuKernelGetFunction(CUfunction *function, CUkernel kernel);
int cuKernelGetAttribute(int *value, int attribute, CUkernel kernel,
                         int device);

enum {
  INVALID_VALUE = 1,
  INVALID_PTX = 218,
  FILE_NOT_FOUND = 301,
  INVALID_HANDLE = 400,
  NOT_FOUND = 500,
  NOT_PERMITTED = 800,
};

// Adds one to g.
static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .global .u32 g = 5;\n.visible .entry k() {\n"
    ".reg .b32 %r; ld.global.u32 %r, [g]; add.u32 %r, %r, 1;\n"
    "st.global.u32 [g], %r; ret; }\n";

static int run(CUkernel kernel) {
  const int error = cuLaunchKernel((CUfunction)(void *)kernel, 1, 1, 1, 1, 1, 1,
                                   0, NULL, NULL, NULL);
  return error ? error : cuCtxSynchronize();
}

static int value_of(CUlibrary library) {
  CUdeviceptr address;
  size_t size;
  int value;
  assert_int_equal(cuLibraryGetGlobal(&address, &size, library, "g"), 0);
  assert_int_equal(size, 4);
  assert_int_equal(cuMemcpyDtoH_v2(&value, address, 4), 0);
  return value;
}

// Each context has variables of its own.
static void test_contexts(void **state) {
  (void)state;
  CUlibrary library, owner = NULL;
  CUkernel kernel, same;
  CUcontext other;
  CUmodule module;
  CUfunction function;
  int registers = 0;
  assert_int_equal(
      cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0), 0);
  assert_int_equal(cuLibraryGetKernel(&kernel, library, "k"), 0);
  assert_int_equal(cuLibraryGetKernel(&same, library, "k"), 0);
  assert_ptr_equal(kernel, same);
  assert_int_equal(cuKernelGetLibrary(&owner, kernel), 0);
  assert_ptr_equal(owner, library);
  assert_int_equal(run(kernel) | run(kernel), 0);
  assert_int_equal(value_of(library), 7);
  assert_int_equal(cuCtxCreate_v2(&other, 0, 0), 0);
  assert_int_equal(run(kernel), 0);
  assert_int_equal(value_of(library), 6);
  assert_int_equal(cuKernelGetFunction(&function, kernel), 0);
  assert_int_equal(cuFuncGetAttribute(&registers, 4, function), 0);
  assert_true(registers > 0);
  assert_int_equal(cuKernelGetAttribute(&registers, 4, kernel, 0), 0);
  assert_int_equal(cuCtxDestroy_v2(other), 0);
  assert_int_equal(value_of(library), 7);
  assert_int_equal(cuLibraryGetModule(&module, library), 0);
  assert_int_equal(cuModuleUnload(module), NOT_PERMITTED);
  assert_int_equal(cuLibraryUnload(library), 0);
  assert_int_equal(cuLibraryUnload(library), INVALID_HANDLE);
  assert_int_equal(run(kernel), INVALID_HANDLE);
  assert_int_equal(cuModuleUnload(module), INVALID_HANDLE);
}

static void test_no_context(void **state) {
  (void)state;
  CUcontext context;
  CUlibrary library;
  CUkernel kernel;
  assert_int_equal(cuCtxPopCurrent_v2(&context), 0);
  assert_int_equal(
      cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0), 0);
  assert_int_equal(cuLibraryGetKernel(&kernel, library, "k"), 0);
  assert_int_equal(cuCtxPushCurrent_v2(context), 0);
  assert_int_equal(run(kernel), 0);
  assert_int_equal(value_of(library), 6);
  assert_int_equal(cuLibraryUnload(library), 0);
}

static void test_wrong(void **state) {
  (void)state;
  char log[200] = "", path[64];
  int options[] = {5, 6};
  void *values[] = {log, (void *)(uintptr_t)sizeof log};
  CUlibrary library;
  CUkernel kernel;
  assert_int_equal(
      cuLibraryLoadData(&library, "no PTX", options, values, 2, NULL, NULL, 0),
      INVALID_PTX);
  assert_true(*log && (uintptr_t)values[1] == strlen(log));
  assert_int_equal(
      cuLibraryLoadData(&library, NULL, NULL, NULL, 0, NULL, NULL, 0),
      INVALID_VALUE);
  assert_int_equal(
      cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 1),
      INVALID_VALUE);
  snprintf(path, sizeof path, "/tmp/tilesim-library-%ld", (long)getpid());
  assert_int_equal(
      cuLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0),
      FILE_NOT_FOUND);
  FILE *file = fopen(path, "w");
  fputs(ptx, file);
  fclose(file);
  assert_int_equal(
      cuLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0), 0);
  remove(path);
  assert_int_equal(cuLibraryGetKernel(&kernel, library, "other"), NOT_FOUND);
  assert_int_equal(cuLibraryGetKernel(&kernel, library, NULL), INVALID_VALUE);
  assert_int_equal(cuLibraryGetGlobal(NULL, NULL, library, "x"), NOT_FOUND);
  assert_int_equal(cuLibraryUnload(library), 0);
}

int main(void) {
  unsetenv("TILE_SIM_CHIP"); // sm_80
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_contexts),
      cmocka_unit_test(test_no_context),
      cmocka_unit_test(test_wrong),
  };
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
