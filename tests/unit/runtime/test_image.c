// test_image -- objects that become code without a linker.
#include "runtime/device/image.h"
#include "tile/tile.h"

#include "tests/tools/open_files.h"

#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// A call of memcpy, and constants of several sizes.
static const char kernel_text[] =
    "@jit\n"
    "def k(x: *fp32, y: *fp32):\n"
    "    i = tl.arange(0, 1024)\n"
    "    v = tl.load(x + i)\n"
    "    tl.store(y + i, tl.sort(v * 0.25 + tl.exp(v) * 0.001))\n";

typedef struct {
  TileContext *context;
  TileDevice *device;
  TileProgram *program;
  TileKernel *kernel;
  TileCode *code;
  Arena arena;
} Bench;

static int set_up(void **state) {
  Bench *b = calloc(1, sizeof *b);
  const TileSource source = {.file = "k.tile", .text = kernel_text};
  const TileArg args[] = {tile_pointer_arg(NULL, TILE_FP32),
                          tile_pointer_arg(NULL, TILE_FP32)};
  *state = b;
  arena_init(&b->arena, &system_allocator);
  TileStatus status = tile_context_create(NULL, &b->context);
  if (!status) status = tile_device_open(b->context, "cpu", &b->device, NULL);
  if (!status)
    status = tile_program_create(b->context, &source, &b->program, NULL);
  if (!status) status = tile_program_kernel(b->program, NULL, &b->kernel, NULL);
  const TileLaunch launch = {.kernel = b->kernel, .args = args, .num_args = 2};
  if (!status)
    status =
        tile_kernel_code(b->device, &launch, TILE_CODE_OBJECT, &b->code, NULL);
  return (int)status;
}

static int tear_down(void **state) {
  Bench *b = *state;
  tile_code_destroy(b->code);
  tile_program_destroy(b->program);
  tile_device_destroy(b->device);
  tile_context_destroy(b->context);
  arena_free(&b->arena);
  free(b);
  return 0;
}

static bool make(Bench *b, const char *object, Image *out) {
  return image_make(&b->arena, object, tile_code_size(b->code),
                    tile_code_symbol(b->code), out);
}

static void test_it_runs(void **state) {
  Bench *b = *state;
  static float x[1024], y[1024];
  Image image;
  LoadedImage loaded;
  if (!make(b, tile_code_data(b->code), &image)) skip(); // not x86-64
  void *address = image_load(&image, &loaded);
  assert_non_null(address);
  void (*run)(const uint64_t *, const uint32_t *, const uint32_t *, void *);
  memcpy(&run, &address, sizeof run);
  for (int i = 0; i < 1024; i++) x[i] = (float)((i * 37) % 1024) / 128;
  const uint64_t args[] = {(uint64_t)(uintptr_t)x, (uint64_t)(uintptr_t)y};
  const uint32_t program[3] = {0}, grid[3] = {1, 1, 1};
  run(args, program, grid, arena_alloc(&b->arena, 1 << 20, 1, 64));
  for (int i = 0; i < 1024; i++) { // exp(v) is near enough below 8
    assert_true(y[i] >= (float)i / 512 && y[i] < (float)i / 512 + 3);
    assert_true(!i || y[i] > y[i - 1]);
  }
  image_unload(&loaded);
  image_unload(&loaded);
}

static void test_what_it_is(void **state) {
  Bench *b = *state;
  Image image, again;
  if (!make(b, tile_code_data(b->code), &image)) skip();
  assert_int_equal(image.size % IMAGE_PAGE, 0);
  assert_int_equal(image.text_size % IMAGE_PAGE, 0);
  assert_true(image.entry < image.text_size);
  assert_true(make(b, tile_code_data(b->code), &again));
  assert_int_equal(image.size, again.size);
  assert_memory_equal(image.bytes, again.bytes, image.size);
  for (int i = 0; i < image.num_imports; i++)
    assert_non_null(image_import(image.imports[i]));
  assert_null(image_import("system"));
  assert_false(image_make(&b->arena, tile_code_data(b->code),
                          tile_code_size(b->code), "nothing", &image));
}

// An imported name must be known.
static void test_an_unknown_import(void **state) {
  Bench *b = *state;
  static const char *const names[] = {"system"};
  Image image;
  LoadedImage loaded;
  if (!make(b, tile_code_data(b->code), &image)) skip();
  image.imports = names;
  image.num_imports = 1;
  image.table = image.size - 8;
  errno = 0;
  assert_null(image_load(&image, &loaded));
  assert_int_equal(errno, ENOSYS);
  assert_null(loaded.at);
}

// Any bytes in the object give an image or none, and nothing outside is
// accessed.
static void test_broken_objects(void **state) {
  Bench *b = *state;
  const size_t size = tile_code_size(b->code);
  char *copy = malloc(size); // so that sanitizers see its end
  Image image;
  for (size_t i = 0; i < size; i++) {
    static const unsigned char masks[] = {0x01, 0x80, 0xFF};
    for (size_t k = 0; k < sizeof masks; k++) {
      Arena arena;
      arena_init(&arena, &system_allocator);
      memcpy(copy, tile_code_data(b->code), size);
      copy[i] = (char)(copy[i] ^ masks[k]);
      if (image_make(&arena, copy, size, tile_code_symbol(b->code), &image))
        assert_true(image.entry < image.text_size &&
                    image.text_size <= image.size);
      arena_free(&arena);
    }
  }
  free(copy);
  for (size_t length = 0; length < size; length += 7) {
    char *part = malloc(length + 1);
    memcpy(part, tile_code_data(b->code), length);
    (void)!image_make(&b->arena, part, length, tile_code_symbol(b->code),
                      &image);
    free(part);
  }
}

static void test_other_processors(void **state) {
  Bench *b = *state;
  Image image;
  char *copy = arena_strndup(&b->arena, tile_code_data(b->code),
                             tile_code_size(b->code));
  const uint16_t machine = EM_AARCH64;
  memcpy(copy + offsetof(Elf64_Ehdr, e_machine), &machine, sizeof machine);
  assert_false(make(b, copy, &image));
}

#define TEST(function)                                                         \
  cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_it_runs),           TEST(test_what_it_is),
      TEST(test_an_unknown_import), TEST(test_broken_objects),
      TEST(test_other_processors),
  };
  return RUN_TESTS_WITH_FILES(tests);
}
