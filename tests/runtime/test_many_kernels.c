// test_many_kernels.c -- thousands of different kernels, compiled to code in
// one process: their memory is freed.
//
// 5,000 with TILE_TEST_FULL set, else as many as a few seconds allow.
#include "tests/runtime/world.h"

#include <stdio.h>
#include <unistd.h>

enum { NUM_FULL = 5000, NUM_QUICK = 1000, NUM_WARM = 500 };
enum { MAX_GROWTH = 10 << 20 };

// Resident memory of this process in bytes; 0: unknown.
static size_t resident_bytes(void) {
  unsigned long all = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) return 0;
  if (fscanf(file, "%lu %lu", &all, &resident) != 2) resident = 0;
  fclose(file);
  return resident * (size_t)sysconf(_SC_PAGESIZE);
}

static bool is_sanitized(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#elif defined(__has_feature)
  return __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
  return false;
#endif
}

// Kernels that differ in names, sizes, operators and constants.
static void write_kernel(int i, char *text, size_t size) {
  static const char *const operators[] = {"+", "-", "*", "/"};
  snprintf(text, size,
           "@jit\ndef helper_%d(x):\n    return x %s %d.5\n\n"
           "@jit\ndef kernel_%d(x: *fp32, n: i32, BLOCK: constexpr = %d):\n"
           "    i = program_id(0) * BLOCK + arange(0, BLOCK)\n"
           "    v = load(x + i, mask=i < n)\n"
           "    store(x + i, helper_%d(v) %s %d, mask=i < n)\n",
           i, operators[i % 4], i, i, 16 << i % 4, i, operators[i / 4 % 4],
           i % 97 + 1);
}

static void compile_one(TileContext *context, TileDevice *device, int i) {
  char text[1024];
  float x[4] = {0};
  write_kernel(i, text, sizeof text);
  const TileSource source = {.file = "many.tile", .text = text};
  TileProgram *program;
  assert_int_equal(tile_program_create(context, &source, &program, NULL),
                   TILE_OK);
  const TileArg args[] = {tile_pointer_arg(x, TILE_FP32), tile_int_arg(4)};
  const TileLaunch launch = {.kernel = kernel_of(program, NULL),
                             .grid = {1},
                             .args = args,
                             .num_args = 2};
  assert_int_equal(tile_kernel_prepare(device, &launch, NULL), TILE_OK);
  tile_program_destroy(program);
}

static void test_memory_is_given_back(void **state) {
  (void)state;
  TileContext *context;
  TileDevice *device;
  assert_int_equal(tile_context_create(NULL, &context), TILE_OK);
  assert_int_equal(tile_device_open(context, "null", &device, NULL), TILE_OK);
  const int count = getenv("TILE_TEST_FULL") ? NUM_FULL
                    : is_sanitized()         ? NUM_WARM
                                             : NUM_QUICK;
  size_t warm = 0;
  for (int i = 0; i < count; i++) {
    compile_one(context, device, i);
    if (i + 1 == NUM_WARM) warm = resident_bytes();
  }
  const size_t now = resident_bytes();
  print_message("%zu KiB after %d kernels, %zu KiB after %d\n", warm >> 10,
                NUM_WARM, now >> 10, count);
  if (!is_sanitized()) assert_true(now <= warm + MAX_GROWTH);
  tile_device_destroy(device);
  tile_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_memory_is_given_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
