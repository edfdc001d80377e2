// test_cuda_api.c -- our declarations of the driver are those of cuda.h.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifdef TILE_HAVE_CUDA_H
#include <cuda.h>
#endif

#include "runtime/device/cuda_load.h"

#ifdef TILE_HAVE_CUDA_H

#define TEXT_OF(x)  #x
#define EXPANDED(x) TEXT_OF(x)

#define CUDA_CALL(name, symbol, params)                                        \
  _Static_assert(__builtin_types_compatible_p(                                 \
                     __typeof__(&name), __typeof__(((CudaApi *)0)->name)),     \
                 #name);
#define CUDA_CONSTANT(type, name, value)                                       \
  _Static_assert((int)name == (value), #name);
#define CUDA_FIELD(type, field, offset, size)                                  \
  _Static_assert(offsetof(type, field) == (offset), #field);                   \
  _Static_assert(sizeof(((type *)0)->field) == (size), #field);
#include "runtime/device/cuda_api.def"

static void test_export_names(void **state) {
  (void)state;
#define CUDA_CALL(name, symbol, params)                                        \
  assert_string_equal(EXPANDED(name), symbol);
#define CUDA_CALL_OLDER(name, symbol, params)
#define CUDA_CONSTANT(type, name, value)
#define CUDA_FIELD(type, field, offset, size)
#include "runtime/device/cuda_api.def"
}

#else

#define CUDA_CALL(name, symbol, params)
#define CUDA_CONSTANT(type, name, value)
#define CUDA_FIELD(type, field, offset, size)                                  \
  _Static_assert(offsetof(type, field) == (offset), #field);                   \
  _Static_assert(sizeof(((type *)0)->field) == (size), #field);
#include "runtime/device/cuda_api.def"

static void test_export_names(void **state) {
  (void)state;
  print_message("SKIP: no cuda.h to compare with\n");
}

#endif

static void test_no_driver(void **state) {
  (void)state;
  CudaDriver driver;
  char why[512] = "";
  assert_false(cuda_load(&driver, "/nowhere/libcuda.so.1", why, sizeof why));
  assert_ptr_equal(strstr(why, "/nowhere/libcuda.so.1: "), why);
  assert_null(driver.library);
}

static void test_library_that_is_no_driver(void **state) {
  (void)state;
  CudaDriver driver;
  char why[512] = "";
  assert_false(cuda_load(&driver, "libm.so.6", why, sizeof why));
  assert_string_equal(
      why, "libm.so.6 has no function 'cuGetErrorName'; it is too old");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_export_names),
      cmocka_unit_test(test_no_driver),
      cmocka_unit_test(test_library_that_is_no_driver),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
