// test_stored.c -- files with several arrays, by other programs: their
// contents, and with each byte changed, or cut at each length.
//
// The files were written by safetensors 0.8.0, gguf 0.19.0 and NumPy 2.4.6: `w`
// and `x` are 0 to 5 as fp32 [2, 3].
#include "tests/fuzz/stored.h"

#include "tests/tools/open_files.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

typedef struct {
  uint8_t bytes[4096];
  size_t size;
  StoredReader *reader;
} File;

static File open_file(const char *name) {
  char path[512];
  File file = {.reader = stored_reader(name)};
  snprintf(path, sizeof path, TILE_SOURCE_DIR "/tests/fuzz/corpus/stored/%s",
           name);
  FILE *stream = fopen(path, "rb");
  assert_non_null(stream);
  file.size = fread(file.bytes, 1, sizeof file.bytes, stream);
  fclose(stream);
  assert_true(file.size > 0 && file.size < sizeof file.bytes);
  return file;
}

typedef struct {
  Arena *arena;
  File file;
  const char *name;
  NpyWant want;
  NpyArray array;
  const char *expected; // the error; NULL: none, "!": the file's
} Reading;

static void read_body(void *data) {
  Reading *r = data;
  char text[256] = "";
  const Why why = {text, sizeof text};
  StoredList list = {0};
  const bool ok = r->file.reader(r->arena, (const char *)r->file.bytes,
                                 r->file.size, &list, why);
  const Stored *stored = ok ? stored_find(r->arena, &list, r->name, why) : NULL;
  if (stored) stored_read(r->arena, stored, r->want, &r->array, why);
  const char *expected = r->expected;
  if (expected ? *expected != '!' && !strstr(text, expected) : *text != 0)
    fail_msg("'%s': %s, not '%s'", r->name, text, expected);
}

// The bytes of the array are in the file or the arena, which is freed: `check`
// looks at them before.
static void read_array(File file, const char *name, TileDtype want,
                       const char *expected, void (*check)(const NpyArray *)) {
  Arena arena;
  arena_init(&arena, &system_allocator);
  Reading reading = {
      .arena = &arena, .file = file, .name = name, .expected = expected};
  reading.want.dtype = want;
  assert_true(arena_protect(&arena, read_body, &reading));
  if (check) check(&reading.array);
  arena_free(&arena);
}

static void check_w(const NpyArray *array) {
  static const float wanted[] = {0, 1, 2, 3, 4, 5};
  assert_int_equal(array->dtype, TILE_FP32);
  assert_int_equal(array->rank, 2);
  assert_int_equal(array->shape[0], 2);
  assert_int_equal(array->shape[1], 3);
  assert_memory_equal(array->data, wanted, sizeof wanted);
}

static void check_b(const NpyArray *array) {
  static const uint16_t wanted[] = {0, 0x3f80, 0x4000, 0x4040, 0x4080, 0x40a0};
  assert_int_equal(array->dtype, TILE_BF16);
  assert_memory_equal(array->data, wanted, sizeof wanted);
}

static void check_n(const NpyArray *array) {
  static const int64_t wanted = 7;
  assert_int_equal(array->rank, 0);
  assert_int_equal(array->dtype, TILE_INT64);
  assert_memory_equal(array->data, &wanted, sizeof wanted);
}

static void check_z(const NpyArray *array) {
  assert_int_equal(array->count, 2000);
  for (int i = 0; i < 2000; i++)
    assert_int_equal(((const int8_t *)array->data)[i], 0);
}

// Two rows of one block: its scale, then elements i and i + 16 in a byte.
static void check_q(const NpyArray *array) {
  const uint8_t *data = array->data;
  assert_int_equal(array->dtype, TILE_UINT8);
  assert_int_equal(array->rank, 2);
  assert_int_equal(array->shape[0], 2);
  assert_int_equal(array->shape[1], 17);
  assert_int_equal(data[1] & 15, 0xf);  // -6 of the first row's -6 to -0.1
  assert_int_equal(data[33] >> 4, 0x7); // 6 at the end of the second's
}

static void test_arrays(void **state) {
  (void)state;
  const File safetensors = open_file("small.safetensors");
  read_array(safetensors, "w", 0, NULL, check_w);
  read_array(safetensors, "b", 0, NULL, check_b);
  read_array(safetensors, "w", TILE_FP16, "'w' are fp32, but fp16", NULL);
  read_array(safetensors, "v", 0, "no array 'v'", NULL);
  read_array(safetensors, "", 0, "which of its arrays? FILE:NAME; there are",
             NULL);
  const File gguf = open_file("small.gguf");
  read_array(gguf, "w", TILE_FP32, NULL, check_w);
  read_array(gguf, "q", 0, NULL, check_q);
  read_array(open_file("stored.npz"), "x", 0, NULL, check_w);
  read_array(open_file("stored.npz"), "n", 0, NULL, check_n);
  read_array(open_file("deflated.npz"), "x", 0, NULL, check_w);
  read_array(open_file("deflated.npz"), "z", 0, NULL, check_z);
  read_array(open_file("deflated.npz"), "z", TILE_FP32, "'z': its elements",
             NULL);
}

static const char *const names[] = {"small.safetensors", "small.gguf",
                                    "stored.npz", "deflated.npz"};

// stored_feed() ends the test if an array is wrong.
static void test_broken(void **state) {
  static const uint8_t flips[] = {0xff, 0x01, 0x80};
  (void)state;
  for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
    File file = open_file(names[n]);
    for (size_t length = 0; length < file.size; length++)
      stored_feed(file.reader, file.bytes, length);
    for (size_t i = 0; i < 3 * file.size; i++) {
      file.bytes[i / 3] ^= flips[i % 3];
      stored_feed(file.reader, file.bytes, file.size);
      file.bytes[i / 3] ^= flips[i % 3];
    }
  }
}

// There is padding behind the last array of the GGUF file.
static void test_truncated(void **state) {
  (void)state;
  for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
    File file = open_file(names[n]);
    const bool pads = file.reader == gguf_list;
    read_array(file, "none", 0, "it has no array 'none'", NULL);
    for (file.size -= pads ? 15 : 1; file.size; file.size--)
      read_array(file, "none", 0, "!", NULL);
  }
}

// -- By hand -----------------------------------------------------------------

static File safetensors(const char *header, size_t num_bytes) {
  File file = {.reader = safetensors_list};
  file.bytes[0] = (uint8_t)strlen(header);
  file.bytes[1] = (uint8_t)(strlen(header) >> 8);
  memcpy(file.bytes + 8, header, strlen(header));
  file.size = 8 + strlen(header) + num_bytes;
  return file;
}

#define ARRAY(type, shape, offsets)                                            \
  "{\"a\":{\"dtype\":\"" type "\",\"shape\":" shape                            \
  ",\"data_offsets\":" offsets "}}"

static void read_safetensors(const char *header, size_t num_bytes,
                             TileDtype want, const char *expected) {
  read_array(safetensors(header, num_bytes), "a", want, expected, NULL);
}

static void test_safetensors(void **state) {
  (void)state;
  read_safetensors(ARRAY("U8", "[4]", "[0,4]"), 4, TILE_FP8E4NV, NULL);
  read_safetensors(ARRAY("U16", "[2]", "[0,4]"), 4, TILE_BF16, NULL);
  read_safetensors(ARRAY("I8", "[4]", "[0,4]"), 4, TILE_FP8E4NV, "are i8");
  read_safetensors(ARRAY("F8_E5M2", "[4]", "[0,4]"), 4, TILE_FP8E4NV,
                   "are fp8e5, but fp8e4nv");
  read_safetensors(ARRAY("F8_E8M0", "[]", "[3,4]"), 4, TILE_UINT8, NULL);
  read_safetensors(ARRAY("F4", "[2,6]", "[0,6]"), 6, 0, NULL);
  read_safetensors(ARRAY("F4", "[2,3]", "[0,3]"), 3, 0, "another number");
  read_safetensors(ARRAY("C64", "[1]", "[0,8]"), 8, 0, "of type C64");
  read_safetensors(ARRAY("F32", "[0,7]", "[0,0]"), 0, 0, NULL);
  read_safetensors(ARRAY("F32", "[2]", "[0,4]"), 4, 0, "another number");
  read_safetensors(ARRAY("F32", "[2]", "[0,8]"), 7, 0, "it is truncated");
  read_safetensors(ARRAY("F32", "[2]", "[8,0]"), 8, 0, "ends before");
  read_safetensors(ARRAY("F32", "[4611686018427387905]", "[0,4]"), 4, 0,
                   "another number");
  read_safetensors(ARRAY("F32", "[4294967296,4294967296]", "[0,0]"), 0, 0,
                   "another number");
  read_safetensors(ARRAY("F32", "[-1]", "[0,4]"), 4, 0, "makes no sense");
  read_safetensors(ARRAY("F32", "[1.0]", "[0,4]"), 4, 0, "makes no sense");
  read_safetensors("{\"a\":{\"dtype\":\"F32\"}}", 0, 0, "makes no sense");
  read_safetensors("{\"__metadata__\":{\"a\":[1,{\"b\":null}]}}", 0, 0,
                   "it has no arrays");
  read_safetensors("{\"\\u0061\":{\"dtype\":\"U8\",\"shape\":[],"
                   "\"data_offsets\":[0,1]}}",
                   1, 0, NULL);
  read_safetensors("{\"\\u0000\":{}}", 0, 0, "makes no sense");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_arrays),
      cmocka_unit_test(test_broken),
      cmocka_unit_test(test_truncated),
      cmocka_unit_test(test_safetensors),
  };
  return RUN_TESTS_WITH_FILES(tests);
}
