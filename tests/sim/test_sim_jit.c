// test_sim_jit.c -- the options that PTX is loaded with, and their results.
#include "sim_kit.h"

enum {
  MAX_REGISTERS = 0,
  THREADS_PER_BLOCK = 1,
  WALL_TIME = 2,
  INFO_LOG = 3,
  INFO_SIZE = 4,
  ERROR_LOG = 5,
  ERROR_SIZE = 6,
  OPTIMIZATION = 7,
  FROM_CONTEXT = 8,
  TARGET = 9,
  VERBOSE = 12,
  SYMBOL_COUNT = 19,
};

enum { INVALID_VALUE = 1, INVALID_IMAGE = 200, INVALID_PTX = 218 };

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"

static const char right[] = HEAD ".entry k() { ret; }";
static const char wrong[] = HEAD ".entry k() { nonsense; }";

static void *number(size_t n) {
  return (void *)(uintptr_t)n;
}

static int load(const char *ptx, unsigned count, int *options, void **values) {
  CUmodule module;
  const int error = cuModuleLoadDataEx(&module, ptx, count, options, values);
  if (!error) assert_int_equal(cuModuleUnload(module), 0);
  return error;
}

// Loads invalid text with a buffer of that size; returns the log, and its
// length from the driver.
static size_t log_of_size(char *log, size_t size, size_t room) {
  int options[] = {ERROR_LOG, ERROR_SIZE};
  void *values[] = {log, number(size)};
  memset(log, '#', room);
  assert_int_equal(load(wrong, 2, options, values), INVALID_PTX);
  assert_ptr_equal(values[0], log);
  return (size_t)(uintptr_t)values[1];
}

static void test_error_log(void **state) {
  (void)state;
  char whole[400], log[400];
  const size_t length = log_of_size(whole, sizeof whole, sizeof whole);
  assert_int_equal(length, strlen(whole));
  assert_non_null(strstr(whole, "nonsense"));
  for (size_t size = 1; size <= length + 2; size++) {
    const size_t wanted = size - 1 < length ? size - 1 : length;
    assert_int_equal(log_of_size(log, size, sizeof log), wanted);
    assert_memory_equal(log, whole, wanted);
    assert_int_equal(log[wanted], '\0');
    assert_int_equal(log[size], '#');
  }
  assert_int_equal(log_of_size(log, 0, sizeof log), 0);
  assert_int_equal(log[0], '#');
}

// Without a buffer, or without a size, there is no log.
static void test_no_log(void **state) {
  (void)state;
  char log[8] = "#";
  int sizes[] = {ERROR_SIZE, INFO_SIZE}, logs[] = {ERROR_LOG, INFO_LOG};
  int none[] = {ERROR_LOG, ERROR_SIZE};
  void *values[] = {number(8), number(8)};
  assert_int_equal(load(wrong, 2, sizes, values), INVALID_PTX);
  assert_ptr_equal(values[0], NULL);
  assert_ptr_equal(values[1], NULL);
  values[0] = values[1] = log;
  assert_int_equal(load(wrong, 2, logs, values), INVALID_PTX);
  assert_string_equal(log, "#");
  values[0] = NULL;
  values[1] = number(8);
  assert_int_equal(load(wrong, 2, none, values), INVALID_PTX);
  assert_ptr_equal(values[1], NULL);
}

// The log of a correct text is empty, unless a verbose one is asked for.
static void test_info_log(void **state) {
  (void)state;
  char info[400] = "#", error[40] = "#";
  int options[] = {INFO_LOG, INFO_SIZE, ERROR_LOG, ERROR_SIZE, VERBOSE};
  void *values[] = {info, number(400), error, number(40), number(1)};
  assert_int_equal(load(right, 4, options, values), 0);
  assert_string_equal(info, "");
  assert_string_equal(error, "");
  assert_ptr_equal(values[1], NULL);
  assert_ptr_equal(values[3], NULL);
  values[1] = number(400);
  values[3] = number(40);
  assert_int_equal(load(right, 5, options, values), 0);
  assert_non_null(strstr(info, "'k' for 'sm_80'"));
  assert_int_equal((uintptr_t)values[1], strlen(info));
}

static void test_time(void **state) {
  (void)state;
  int options[] = {WALL_TIME};
  void *values[] = {number(SIZE_MAX)};
  float time = -1;
  assert_int_equal(load(right, 1, options, values), 0);
  memcpy(&time, values, sizeof time);
  assert_true(time >= 0 && time < 60000);
}

static void test_registers(void **state) {
  (void)state;
  int options[] = {MAX_REGISTERS}, registers;
  void *values[] = {number(1)};
  CUmodule module;
  CUfunction f;
  assert_int_equal(cuModuleLoadDataEx(&module, right, 1, options, values), 0);
  assert_int_equal(cuModuleGetFunction(&f, module, "k"), 0);
  assert_int_equal(cuFuncGetAttribute(&registers, 4, f), 0);
  assert_true(registers <= 1);
  assert_int_equal(cuModuleUnload(module), 0);
}

static void test_wrong_options(void **state) {
  (void)state;
  static const struct {
    int option;
    size_t value;
    int result;
  } rows[] = {
      {-1, 0, INVALID_VALUE},
      {35, 0, INVALID_VALUE},
      {1000, 0, INVALID_VALUE},
      {OPTIMIZATION, 5, INVALID_VALUE},
      {OPTIMIZATION, 4, 0},
      {FROM_CONTEXT, 0, 0},
      {10, 2, INVALID_VALUE},
      {14, 3, INVALID_VALUE},
      {SYMBOL_COUNT, 1, INVALID_VALUE},
      {SYMBOL_COUNT, 0, 0},
      {THREADS_PER_BLOCK, 128, 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    int option = rows[i].option;
    void *value = number(rows[i].value);
    assert_int_equal(load(right, 1, &option, &value), rows[i].result);
  }
  int both[] = {TARGET, THREADS_PER_BLOCK};
  void *values[] = {number(80), number(128)};
  assert_int_equal(load(right, 1, NULL, values), INVALID_VALUE);
  assert_int_equal(load(right, 1, both, NULL), INVALID_VALUE);
  assert_int_equal(load(right, 2, both, values), INVALID_VALUE);
  assert_int_equal(load(right, 1, both, values), 0);
  assert_int_equal(load(right, 0, NULL, NULL), 0);
}

// Files that nvcc makes beside PTX.
static void test_binaries(void **state) {
  (void)state;
  char log[80] = "";
  int options[] = {ERROR_LOG, ERROR_SIZE};
  void *values[] = {log, number(sizeof log)};
  assert_int_equal(load("\177ELF\2\1\1", 2, options, values), INVALID_IMAGE);
  assert_non_null(strstr(log, "load PTX"));
  assert_int_equal(load("\x50\xed\x55\xba\1", 0, NULL, NULL), INVALID_IMAGE);
}

int main(void) {
  unsetenv("TILE_SIM_CHIP"); // sm_80
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_error_log), cmocka_unit_test(test_no_log),
      cmocka_unit_test(test_info_log),  cmocka_unit_test(test_time),
      cmocka_unit_test(test_registers), cmocka_unit_test(test_wrong_options),
      cmocka_unit_test(test_binaries),
  };
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
