// test_pack_read -- libtilert: packs that are wrong are refused.  Linked
// without a compiler.
//
// Backs I1 of runtime/pack.
#define _DEFAULT_SOURCE // mkfifo
#include "tests/runtime/pack_helpers.h"
#include "tile/tilert.h"

#include "tests/tools/open_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  unsigned char *bytes = malloc(*size + 1);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, *size, file), *size);
  fclose(file);
  return bytes;
}

static TileStatus read_copy(const void *bytes, size_t size) {
  TilertPack *pack = NULL;
  TilertError error;
  // A block of its own size, so that a sanitizer finds reads past it.
  void *copy = malloc(size ? size : 1);
  assert_non_null(copy);
  if (size) memcpy(copy, bytes, size);
  const TileStatus status = tilert_pack_read(copy, size, NULL, &pack, &error);
  tilert_pack_close(pack);
  free(copy);
  return status;
}

static void each_byte_counts(void **state) {
  size_t size;
  unsigned char *bytes = read_file(SMALL_PACK, &size);
  (void)state;
  assert_int_equal(read_copy(bytes, size), TILE_OK);
  for (size_t i = 0; i < size; i++) {
    bytes[i] ^= (unsigned char)(1u << i % 8);
    assert_int_equal(read_copy(bytes, size), TILE_FILE_ERROR);
    bytes[i] ^= (unsigned char)(1u << i % 8);
  }
  free(bytes);
}

static void each_length_counts(void **state) {
  size_t size;
  unsigned char *bytes = read_file(SMALL_PACK, &size);
  (void)state;
  for (size_t length = 0; length < size; length += length < 512 ? 1 : 61)
    assert_int_equal(read_copy(bytes, length), TILE_FILE_ERROR);
  free(bytes);
}

// Opens the pack, and reads all that a launch would use, except the code.
static void try_pack(const void *bytes, size_t size) {
  TilertPack *pack = NULL;
  TilertDevice *device = NULL;
  TilertError error;
  static _Alignas(16) float x[4];
  const TilertOptions options = {.num_threads = 1};
  const TileArg args[] = {tile_pointer_arg(x, TILE_FP32),
                          tile_pointer_arg(x, TILE_FP32),
                          tile_pointer_arg(x, TILE_FP32), tile_int_arg(16)};
  if (tilert_pack_read(bytes, size, NULL, &pack, &error)) return;
  const TilertLaunch launch = {
      .pack = pack, .kernel = "add", .args = args, .num_args = 4};
  assert_int_equal(tilert_device_open("cpu", &options, &device, NULL), TILE_OK);
  if (tilert_prepare(device, &launch, &error))
    assert_true(strlen(error.text) > 0);
  tilert_device_close(device);
  tilert_pack_close(pack);
}

// A forged pack may have a right checksum: all numbers in it must be checked.
// They are made huge, negative and off by one.
static void no_number_is_believed(void **state) {
  static const unsigned char values[] = {0x00, 0x01, 0x7F, 0xFF};
  size_t size;
  unsigned char *bytes = read_file(SMALL_PACK, &size);
  (void)state;
  for (size_t i = sizeof(PackHead); i < size; i++) {
    const unsigned char old = bytes[i];
    if (!old && i > 2048 && i % 64) continue; // between code and its page's end
    for (size_t v = 0; v < sizeof values; v++) {
      bytes[i] = values[v];
      set_checksum(bytes, size);
      try_pack(bytes, size);
    }
    bytes[i] = old;
  }
  free(bytes);
}

static unsigned char *find_text(unsigned char *bytes, size_t size,
                                const char *text) {
  const size_t length = strlen(text) + 1; // with its NUL
  for (size_t i = 0; i + length <= size; i++)
    if (!memcmp(bytes + i, text, length)) return bytes + i;
  return NULL;
}

static void an_unknown_import_is_refused(void **state) {
  size_t size;
  unsigned char *bytes = read_file(EXACT_PACK, &size);
  unsigned char *import = find_text(bytes, size, "floorf");
  (void)state;
  assert_non_null(import);
  assert_int_equal(read_copy(bytes, size), TILE_OK);
  memcpy(import, "flyerf", 6);
  set_checksum(bytes, size);
  assert_int_equal(read_copy(bytes, size), TILE_FILE_ERROR);
  free(bytes);
}

static void files_that_are_none(void **state) {
  TilertPack *pack = NULL;
  TilertError error;
  (void)state;
  assert_int_equal(tilert_pack_open("/none.tilepack", NULL, &pack, &error),
                   TILE_FILE_ERROR);
  assert_int_equal(tilert_pack_open("/", NULL, &pack, &error), TILE_FILE_ERROR);
  char pipe[64]; // never written
  snprintf(pipe, sizeof pipe, "test_pack.%ld", (long)getpid());
  assert_int_equal(mkfifo(pipe, 0600), 0);
  assert_int_equal(tilert_pack_open(pipe, NULL, &pack, &error),
                   TILE_FILE_ERROR);
  assert_int_equal(unlink(pipe), 0);
  assert_null(pack);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_byte_counts),
      cmocka_unit_test(each_length_counts),
      cmocka_unit_test(no_number_is_believed),
      cmocka_unit_test(an_unknown_import_is_refused),
      cmocka_unit_test(files_that_are_none),
  };
  return RUN_TESTS_WITH_FILES(tests);
}
