// test_small_stack -- every call, from a thread with a small stack.
#define _GNU_SOURCE // mkdtemp, nftw
#include "tests/runtime/programs.h"
#include "tile/tile.h"

#include <ftw.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

// The bytes that suffice by docs/runtime.md; sanitizers widen the frames.
#ifdef __SANITIZE_ADDRESS__
enum { STACK = 512 * 1024 };
#else
enum { STACK = 64 * 1024 };
#endif

typedef struct {
  const char *device, *text, *kernel;
  TileStatus status;
} Use;

static const char *cache; // on disk; NULL: none

static TileStatus use_program(TileDevice *device, TileProgram *program,
                              const char *name, TileDiagnostics **why) {
  TileKernel *kernel = NULL;
  TileBuffer *x = NULL, *y = NULL;
  TileKernelInfo info = {.size = sizeof info};
  TileStatus status = tile_program_kernel(program, name, &kernel, why);
  if (!status) status = tile_buffer_create(device, 4096, &x);
  if (!status) status = tile_buffer_create(device, 4096, &y);
  const TileArg args[] = {tile_buffer_arg(x, TILE_FP32),
                          tile_buffer_arg(y, TILE_FP32), tile_int_arg(1000)};
  TileCode *code = NULL;
  const TileLaunch launch = {
      .kernel = kernel, .grid = {8}, .args = args, .num_args = 3};
  if (!status) status = tile_launch(device, &launch, why);
  if (!status) status = tile_kernel_info(device, &launch, &info, why);
  if (!status) status = tile_device_sync(device, why);
  if (!status)
    status = tile_kernel_code(device, &launch, TILE_CODE_LLVM, &code, why);
  tile_code_destroy(code);
  tile_buffer_destroy(y);
  tile_buffer_destroy(x);
  return status;
}

static void *use(void *data) {
  Use *u = data;
  TileContext *context = NULL;
  TileDevice *device = NULL;
  TileProgram *program = NULL;
  TileDiagnostics *why = NULL;
  const TileSource source = {.text = u->text};
  const TileContextOptions options = {.size = sizeof options,
                                      .cache_dir = cache};
  u->status = tile_context_create(&options, &context);
  if (!u->status)
    u->status = tile_device_open(context, u->device, &device, &why);
  if (!u->status)
    u->status = tile_program_create(context, &source, &program, &why);
  if (!u->status) u->status = use_program(device, program, u->kernel, &why);
  tile_diagnostics_destroy(why);
  tile_program_destroy(program);
  tile_device_destroy(device);
  tile_context_destroy(context);
  return NULL;
}

static void expect(const char *device, const char *text, const char *kernel,
                   TileStatus wanted) {
  Use u = {.device = device, .text = text, .kernel = kernel};
  pthread_attr_t attributes;
  pthread_t thread;
  assert_int_equal(pthread_attr_init(&attributes), 0);
  assert_int_equal(pthread_attr_setstacksize(&attributes, STACK), 0);
  assert_int_equal(pthread_create(&thread, &attributes, use, &u), 0);
  pthread_join(thread, NULL);
  pthread_attr_destroy(&attributes);
  assert_int_equal(u.status, wanted);
}

static void test_launches(void **state) {
  (void)state;
  expect("cpu", copy_text, "copy", TILE_OK);
  expect("sim", copy_text, "copy", TILE_OK);
  expect("null", copy_text, "copy", TILE_OK);
}

static int remove_one(const char *path, const struct stat *info, int type,
                      struct FTW *at) {
  (void)info, (void)type, (void)at;
  return remove(path);
}

// Compiles and keeps, then loads; and warns about a folder that is not trusted.
static void test_cache(void **state) {
  char folder[] = "/tmp/test_small_stack.XXXXXX";
  cache = mkdtemp(folder);
  assert_non_null(cache);
  test_launches(state);
  test_launches(state);
  assert_int_equal(chmod(folder, 0777), 0);
  test_launches(state);
  cache = NULL;
  nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void repeat(char *text, const char *word, int count) {
  while (count--) strcat(text, word);
}

// An expression within brackets, as deep as they may nest, and deeper.
static void test_nested(void **state) {
  (void)state;
  for (int depth = 190; depth < 400; depth += 200) {
    char text[4096] = "@jit\ndef f(x, y, n):\n  a = ";
    repeat(text, "(", depth);
    strcat(text, "n");
    repeat(text, " + 2)", depth);
    strcat(text, "\n  tl.store(x, a.to(tl.float32))\n");
    const bool fits = depth < 200;
    expect("cpu", text, "f", fits ? TILE_OK : TILE_COMPILE_ERROR);
  }
}

// Quick code of unrolled statements has a frame of 160 KB.
static void test_unrolled(void **state) {
  (void)state;
  static const char text[] = "@jit\n"
                             "def f(x, y, n):\n"
                             "  i = tl.arange(0, 16)\n"
                             "  a = tl.zeros((16,), tl.float32)\n"
                             "  b = tl.load(y)\n"
                             "  for k in tl.static_range(999):\n"
                             "    a += tl.exp(tl.load(x + k + i)) * b\n"
                             "    b = b * 1.5 + tl.load(x + k)\n"
                             "  tl.store(y + i, a)\n";
  setenv("TILE_CPU_TIER", "0", 1);
  expect("cpu", text, "f", TILE_OK);
  unsetenv("TILE_CPU_TIER");
}

// A heuristic whose calls nest nearly as deep as they may.
static void test_heuristic(void **state) {
  (void)state;
  static const char text[] =
      "def deep(n):\n"
      "  if n == 0:\n"
      "    return 1\n"
      "  return 1 + deep(n - 1)\n"
      "\n"
      "@triton.heuristics({'A': lambda args: deep(90)})\n"
      "@jit\n"
      "def f(x, y, n, A: tl.constexpr):\n"
      "  tl.static_assert(A == 91)\n";
  expect("cpu", text, "f", TILE_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_launches), cmocka_unit_test(test_cache),
      cmocka_unit_test(test_unrolled), cmocka_unit_test(test_heuristic),
      cmocka_unit_test(test_nested),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
