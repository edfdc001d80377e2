// test_npy.c -- .npy files: round trips, and files that are broken in every
// way.
#include "runtime/data/npy.h"

#include "tests/tools/open_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void in_arena(void (*body)(void *arena)) {
  Arena arena;
  arena_init(&arena, &system_allocator);
  assert_true(arena_protect(&arena, body, &arena));
  arena_free(&arena);
}

// -- Round trips -------------------------------------------------------------

static void check_round_trip(Arena *arena, TileDtype dtype, int rank) {
  unsigned char data[512];
  for (int i = 0; i < 512; i++) data[i] = (unsigned char)(i * 7);
  NpyArray array = {.dtype = dtype, .rank = rank, .count = 1, .data = data};
  for (int i = 0; i < rank; i++) {
    array.shape[i] = (uint64_t)(2 + i % 2);
    array.count *= array.shape[i];
  }
  size_t size;
  const char *bytes = npy_format(arena, &array, &size);
  const size_t length = array.count * tile_dtype_size(dtype);
  assert_int_equal((size - length) % 64, 0);
  NpyArray back;
  char why[256] = "";
  assert_true(
      npy_parse(bytes, size, (NpyWant){dtype, 0}, &back, why, sizeof why));
  assert_int_equal(back.dtype, dtype);
  assert_int_equal(back.rank, rank);
  assert_int_equal(back.count, array.count);
  assert_memory_equal(back.data, data, length);
  assert_memory_equal(back.shape, array.shape, (size_t)rank * 8);
}

static void round_trips(void *arena) {
  for (int dtype = TILE_BOOL; dtype <= TILE_FP8E4B15; dtype++) {
    for (int rank = 0; rank <= 4; rank++) {
      check_round_trip(arena, (TileDtype)dtype, rank);
    }
  }
}

static void test_round_trips(void **state) {
  (void)state;
  in_arena(round_trips);
}

// -- Files of other programs -------------------------------------------------

typedef struct {
  char bytes[512];
  size_t size;
} File;

static File make_file(int version, const char *header, size_t num_bytes) {
  File file = {"\x93NUMPY", 6};
  const size_t length = strlen(header);
  const size_t width = version == 1 ? 2 : 4;
  file.bytes[6] = (char)version;
  file.size = 8;
  for (size_t i = 0; i < width; i++) {
    file.bytes[file.size++] = (char)(length >> (8 * i));
  }
  memcpy(file.bytes + file.size, header, length);
  file.size += length;
  memset(file.bytes + file.size, 1, num_bytes);
  file.size += num_bytes;
  return file;
}

static void accept(int version, const char *header, size_t num_bytes,
                   TileDtype expected, TileDtype dtype, uint64_t count) {
  const File file = make_file(version, header, num_bytes);
  NpyArray array;
  char why[256] = "";
  if (!npy_parse(file.bytes, file.size, (NpyWant){expected, 0}, &array, why,
                 sizeof why))
    fail_msg("%s: %s", header, why);
  assert_int_equal(array.dtype, dtype);
  assert_int_equal(array.count, count);
}

static void test_accepted(void **state) {
  (void)state;
  accept(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", 24,
         0, TILE_FP32, 6);
  accept(2, "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }", 24,
         TILE_FP32, TILE_FP32, 6);
  accept(3, "{'shape': (), \"descr\": '|i1', 'fortran_order': False}", 1, 0,
         TILE_INT8, 1);
  accept(1, "{'descr':'<V2','fortran_order':False,'shape':(3,)}", 6, TILE_BF16,
         TILE_BF16, 3);
  accept(1, "{'descr':'|V2','fortran_order':False,'shape':(3,)}", 6, TILE_BF16,
         TILE_BF16, 3);
  accept(1, "{'descr':'<u2','fortran_order':False,'shape':(3,)}", 6, TILE_BF16,
         TILE_BF16, 3);
  accept(1, "{'descr':'<u2','fortran_order':False,'shape':(3,)}", 6, 0,
         TILE_UINT16, 3);
  accept(1, "{'descr':'|u1','fortran_order':False,'shape':(3,)}", 6,
         TILE_FP8E4NV, TILE_FP8E4NV, 3);
  // ml_dtypes writes float8_e4m3fn, float8_e8m0fnu (scales, which are u8 in
  // the language), float8_e5m2 and bfloat16 like this.
  accept(1, "{'descr':'<V1','fortran_order':False,'shape':(3,)}", 3,
         TILE_FP8E4NV, TILE_FP8E4NV, 3);
  accept(1, "{'descr':'<V1','fortran_order':False,'shape':(3,)}", 3, TILE_UINT8,
         TILE_UINT8, 3);
  accept(1, "{'descr':'<f1','fortran_order':False,'shape':(3,)}", 3, 0,
         TILE_FP8E5, 3);
  accept(1, "{'descr':'<V2','fortran_order':False,'shape':(3,)}", 6, 0,
         TILE_BF16, 3);
  // An array of one dimension is in C order and in Fortran order.
  accept(1, "{'descr':'<f8','fortran_order':True,'shape':(3,)}", 24, 0,
         TILE_FP64, 3);
  accept(1, "{'descr':'<f8','fortran_order':False,'shape':(0, 7)}", 0, 0,
         TILE_FP64, 0);
}

static void refuse_bytes(const char *bytes, size_t size, TileDtype expected,
                         const char *message) {
  NpyArray array;
  char why[256] = "";
  // In a copy of its own, so that the sanitizer sees reads past the end.
  char *copy = malloc(size ? size : 1);
  memcpy(copy, bytes, size);
  assert_false(
      npy_parse(copy, size, (NpyWant){expected, 0}, &array, why, sizeof why));
  free(copy);
  assert_string_equal(why, message);
}

static void refuse(const char *header, size_t num_bytes, TileDtype expected,
                   const char *message) {
  const File file = make_file(1, header, num_bytes);
  refuse_bytes(file.bytes, file.size, expected, message);
}

static void test_refused(void **state) {
  (void)state;
  const char nonsense[] = "its header makes no sense";
  refuse_bytes("", 0, 0, "it is not a .npy file");
  refuse_bytes("\x93NUMPX\1\0\0\0", 10, 0, "it is not a .npy file");
  refuse_bytes("\x93NUMPY\4\0\0\0", 10, 0,
               "version 4 of the format is not known");
  refuse_bytes("\x93NUMPY\1\0\x76\0{", 11, 0,
               "it is truncated: the header is incomplete");
  refuse("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 23, 0,
         "it is truncated: 23 bytes of elements, not 24");
  refuse("{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }", 8, 0,
         "the elements ('>f4') are big-endian; only little-endian files can "
         "be read");
  refuse("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", 24, 0,
         "its elements are in Fortran order; save it with "
         "numpy.ascontiguousarray");
  refuse("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", 16,
         TILE_FP32, "its elements are fp64, but fp32 are needed");
  refuse("{'descr': '<V1', 'fortran_order': False, 'shape': (2,), }", 2, 0,
         "elements of type '<V1' may be any floats of 8 bits; their type "
         "behind the file says which: @FILE:fp8e4nv, @FILE:fp8e5");
  refuse("{'descr': '|V1', 'fortran_order': False, 'shape': (2,), }", 2,
         TILE_INT8, "its elements are floats of 8 bits, but i8 are needed");
  refuse("{'descr': '<f1', 'fortran_order': False, 'shape': (2,), }", 2,
         TILE_FP8E4NV, "its elements are fp8e5, but fp8e4nv are needed");
  refuse("{'descr': '<c8', 'fortran_order': False, 'shape': (2,), }", 16, 0,
         "elements of type '<c8' are not known");
  refuse("{'descr': '', 'fortran_order': False, 'shape': (2,), }", 16, 0,
         "elements of type '' are not known");
  refuse("{'descr': '<f4', 'fortran_order': False}", 16, 0, nonsense);
  refuse("{'descr': '<f4', 'fortran_order': 0, 'shape': ()}", 16, 0, nonsense);
  refuse("{'descr': '<f4, 'shape': ()}", 16, 0, nonsense);
  refuse("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}", 16,
         0, nonsense);
  refuse("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", 16, 0,
         nonsense);
  refuse("{'descr': '<f4', 'fortran_order': False, 'shape': (2", 16, 0,
         nonsense);
  refuse("", 16, 0, nonsense);
  refuse("{'descr': '<f4', 'fortran_order': False, "
         "'shape': (1000000000000, 1000000000000)}",
         16, 0, "its shape has too many elements");
}

// Bytes whose type is not in the file.
static void test_bytes(void **state) {
  (void)state;
  const File file = make_file(
      1, "{'descr': '|V1', 'fortran_order': False, 'shape': (3,), }\n", 3);
  const NpyWant want = {.bytes = TILE_FP8E4B15};
  NpyArray array;
  char why[256] = "";
  assert_true(npy_parse(file.bytes, file.size, want, &array, why, sizeof why));
  assert_int_equal(array.dtype, TILE_FP8E4B15);
  const File known = make_file(
      1, "{'descr': '<f1', 'fortran_order': False, 'shape': (3,), }\n", 3);
  assert_true(
      npy_parse(known.bytes, known.size, want, &array, why, sizeof why));
  assert_int_equal(array.dtype, TILE_FP8E5);
}

// Any prefix of a good file, and the file with any byte changed, gives a result
// or an error, and no crash.
static void test_mutations(void **state) {
  (void)state;
  const File file = make_file(
      1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", 24);
  NpyArray array;
  char why[256];
  for (size_t size = 0; size <= file.size; size++) {
    char *copy = malloc(size ? size : 1);
    memcpy(copy, file.bytes, size);
    assert_int_equal(
        npy_parse(copy, size, (NpyWant){0, 0}, &array, why, sizeof why),
        size == file.size);
    for (int c = 0; size && c < 256; c += 5) {
      copy[size - 1] = (char)c;
      npy_parse(copy, size, (NpyWant){0, 0}, &array, why, sizeof why);
    }
    free(copy);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trips), cmocka_unit_test(test_accepted),
      cmocka_unit_test(test_refused),     cmocka_unit_test(test_bytes),
      cmocka_unit_test(test_mutations),
  };
  return RUN_TESTS_WITH_FILES(tests);
}
