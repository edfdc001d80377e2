// test_sim_encode.c -- which tensor maps the driver makes.
//
// Backs I3 of runtime/simulator/tensor.
#include "sim_kit.h"

// Arguments of cuTensorMapEncodeTiled() by their place, as a row changes them.
typedef enum {
  NOTHING,
  MAP,
  TYPE,
  RANK,
  ADDRESS,
  DIM, // + the dimension
  STRIDE = DIM + 5,
  BOX = STRIDE + 5,
  STEP = BOX + 5,
  INTERLEAVE = STEP + 5,
  SWIZZLE,
  PROMOTION,
  FILL,
  NUM_ARGUMENTS
} Argument;

typedef struct {
  struct {
    Argument argument;
    uint64_t value;
  } changes[5];
  const char *wrong; // NULL: it is right
} Row;

// A tensor of 64 by 32 halves, of which 64 by 8 are a box.
static void usual(uint64_t a[NUM_ARGUMENTS]) {
  static const uint64_t dims[] = {64, 32, 16, 8, 4}, box[] = {64, 8, 1, 1, 1};
  a[TYPE] = 6;
  a[RANK] = 2;
  a[ADDRESS] = 1 << 20;
  a[SWIZZLE] = 3;
  for (int i = 0; i < 5; i++) {
    a[DIM + i] = dims[i];
    a[STRIDE + i] = 128u << 4 * i;
    a[BOX + i] = box[i];
    a[STEP + i] = 1;
  }
}

static const Row rows[] = {
    {{{NOTHING, 0}}, NULL},
    {{{RANK, 0}}, "tensorRank"},
    {{{RANK, 6}}, "tensorRank"},
    {{{RANK, 5}}, NULL},
    {{{RANK, 1}}, NULL},
    {{{TYPE, 13}}, "tensorDataType"},
    {{{TYPE, (uint64_t)-1}}, "tensorDataType"},
    {{{TYPE, 12}, {BOX, 32}}, NULL},
    {{{MAP, 32}}, "multiple of 64"},
    {{{MAP, 64}}, NULL},
    {{{ADDRESS, (1 << 20) + 8}},
     "globalAddress is 0x100008, no multiple of 16"},
    {{{ADDRESS, (1 << 20) + 16}}, NULL},
    {{{ADDRESS, 0}}, NULL}, // the kernel may replace it
    {{{DIM, 0}}, "globalDim[0] is 0"},
    {{{DIM + 1, (UINT64_C(1) << 32) + 1}}, "globalDim[1] is 4294967297"},
    {{{DIM + 1, UINT64_C(1) << 32}}, NULL},
    {{{STRIDE, 136}}, "globalStrides[0] is 136, no multiple of 16"},
    {{{STRIDE, UINT64_C(1) << 40}}, "globalStrides[0]"},
    {{{STRIDE, (UINT64_C(1) << 40) - 16}}, NULL},
    {{{STRIDE, 0}}, NULL},
    {{{STRIDE, 16}}, NULL},
    {{{BOX + 1, 0}}, "boxDim[1] is 0"},
    {{{BOX + 1, 257}}, "boxDim[1] is 257, not 1 to 256"},
    {{{BOX + 1, 256}}, NULL},
    {{{BOX, 65536 + 64}}, "boxDim[0]"},
    {{{BOX, 4}}, "boxDim[0] has 8 bytes, no multiple of 16"},
    {{{BOX, 72}}, "boxDim[0] has 144 bytes, more than swizzle 128B"},
    {{{BOX, 72}, {SWIZZLE, 0}}, NULL},
    {{{BOX, 40}, {SWIZZLE, 2}}, "swizzle 64B"},
    {{{BOX, 32}, {SWIZZLE, 2}}, NULL},
    {{{BOX, 24}, {SWIZZLE, 1}}, "swizzle 32B"},
    {{{BOX, 16}, {SWIZZLE, 1}}, NULL},
    {{{STEP + 1, 0}}, "elementStrides[1] is 0"},
    {{{STEP + 1, 9}}, "elementStrides[1] is 9, not 1 to 8"},
    {{{STEP + 1, 256 + 1}}, "elementStrides[1]"},
    {{{STEP + 1, 8}}, NULL},
    {{{STEP, 0}}, NULL},
    {{{SWIZZLE, 4}}, "swizzle"},
    {{{SWIZZLE, 256}}, "swizzle"},
    {{{INTERLEAVE, 3}}, "interleave"},
    {{{INTERLEAVE, 1}}, "tensorRank is 2; interleave wants 3 to 5"},
    {{{INTERLEAVE, 1}, {RANK, 3}}, NULL},
    {{{INTERLEAVE, 1}, {RANK, 3}, {STEP, 0}}, "elementStrides[0] is 0"},
    {{{INTERLEAVE, 1}, {RANK, 3}, {BOX, 3}}, NULL},
    {{{INTERLEAVE, 2}, {RANK, 3}}, "interleave 32B wants swizzle 32B"},
    {{{INTERLEAVE, 2}, {RANK, 3}, {SWIZZLE, 1}}, NULL},
    {{{INTERLEAVE, 2}, {RANK, 3}, {SWIZZLE, 1}, {ADDRESS, (1 << 20) + 16}},
     "no multiple of 32"},
    {{{INTERLEAVE, 2}, {RANK, 3}, {SWIZZLE, 1}, {STRIDE, 144}},
     "no multiple of 32"},
    {{{PROMOTION, 4}}, "l2Promotion"},
    {{{PROMOTION, 3}}, NULL},
    {{{FILL, 2}}, "oobFill is 2"},
    {{{FILL, 1}}, NULL},
    {{{FILL, 1}, {TYPE, 1}}, "oobFill is NaN"},
    {{{FILL, 1}, {TYPE, 5}, {BOX, 16}}, "oobFill is NaN"},
};

static int encode(const uint64_t a[NUM_ARGUMENTS]) {
  static _Alignas(64) uint8_t maps[3][128];
  unsigned box[5], steps[5];
  for (int i = 0; i < 5; i++) {
    box[i] = (unsigned)a[BOX + i];
    steps[i] = (unsigned)a[STEP + i];
  }
  return cuTensorMapEncodeTiled(
      maps[0] + a[MAP], (int)a[TYPE], (unsigned)a[RANK],
      (void *)(uintptr_t)a[ADDRESS], a + DIM, a + STRIDE, box, steps,
      (int)a[INTERLEAVE], (int)a[SWIZZLE], (int)a[PROMOTION], (int)a[FILL]);
}

static void test_rules(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    uint64_t arguments[NUM_ARGUMENTS] = {0};
    usual(arguments);
    for (int j = 0; j < 5; j++)
      arguments[rows[i].changes[j].argument] = rows[i].changes[j].value;
    const int error = encode(arguments);
    const char *text = kit_report_text(), *wrong = rows[i].wrong;
    if (error != (wrong != NULL) || (wrong && !strstr(text, wrong)))
      fail_msg("row %zu: error %d, %s", i, error, text);
    assert_string_equal(kit_reports(), wrong ? "tensor-map " : "");
  }
}

// Corners of im2col, by their ranks, and whether they leave pixels.
static void test_corners(void **state) {
  (void)state;
  static const struct {
    unsigned rank, channels, pixels;
    int lower, upper, error;
  } table[] = {{3, 64, 64, -32768, 32767, 0}, {3, 64, 64, -32769, 0, 1},
               {4, 64, 64, -128, 127, 0},     {4, 64, 64, 0, 128, 1},
               {5, 64, 64, -16, 15, 0},       {5, 64, 64, -17, 0, 1},
               {5, 64, 64, 0, 16, 1},         {2, 64, 64, 0, 0, 1},
               {4, 257, 64, 0, 0, 1},         {4, 0, 64, 0, 0, 1},
               {4, 64, 0, 0, 0, 1},           {4, 64, 1024, 0, 0, 0},
               {4, 64, 1025, 0, 0, 1},        {4, 4, 64, 0, 0, 1},
               {4, 64, 64, 8, -8, 1},         {4, 64, 64, 0, -8, 1},
               {4, 64, 64, 0, -7, 0}};
  static _Alignas(64) uint8_t map[128];
  const uint64_t dims[] = {64, 8, 8, 8, 8};
  const uint64_t strides[] = {128, 1024, 8192, 65536};
  const unsigned steps[] = {1, 1, 1, 1, 1};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const int lower[] = {table[i].lower, 0, 0},
              upper[] = {table[i].upper, 0, 0};
    const int error = cuTensorMapEncodeIm2col(
        map, 6, table[i].rank, (void *)(uintptr_t)4096, dims, strides, lower,
        upper, table[i].channels, table[i].pixels, steps, 0, 3, 0, 0);
    if (error != table[i].error)
      fail_msg("row %zu: %d, %s", i, error, kit_report_text());
    kit_reports();
  }
}

static void test_address(void **state) {
  (void)state;
  static _Alignas(64) uint8_t map[128];
  const uint64_t dims[] = {64};
  const unsigned one[] = {64};
  void *const at = (void *)(uintptr_t)4096;
  assert_int_equal(cuTensorMapReplaceAddress(map, at), 1);
  assert_int_equal(
      cuTensorMapEncodeTiled(map, 0, 1, at, dims, NULL, one, one, 0, 0, 0, 0),
      0);
  assert_int_equal(cuTensorMapReplaceAddress(map, (void *)(uintptr_t)8192), 0);
  assert_int_equal(cuTensorMapReplaceAddress(map, (void *)(uintptr_t)8), 1);
  assert_int_equal(cuTensorMapReplaceAddress(NULL, at), 1);
  assert_int_equal(
      cuTensorMapEncodeTiled(NULL, 0, 1, at, dims, NULL, one, one, 0, 0, 0, 0),
      1);
  kit_reports();
}

int main(void) {
  setenv("TILE_SIM_CHIP", "sm_90", 1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rules),
                                     cmocka_unit_test(test_corners),
                                     cmocka_unit_test(test_address)};
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
