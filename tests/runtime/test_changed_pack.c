// test_changed_pack.c -- answers of libtilert to launches of a pack with one
// argument or field changed at a time, and to items of tuples.
//
// A hash of status and message is a letter of changed_pack.txt, with a line for
// each argument of a kernel.  TILE_CHANGED=FILE writes that file anew.
#include "tile/tilert.h"

#include "tests/tools/letters.h"

enum { MAX_ARGS = 5, MAX_OTHERS = 96 };

static _Alignas(64) float memory[4096];

typedef struct {
  TilertPack *pack;
  TilertDevice *device;
  LetterTable table;
  TileArg others[MAX_OTHERS];
  size_t num_others;
  TileTensorDescriptor good, wrong[12];
  TileArg pair[2], triple[3], inner[2], outer[2], named[2], constant;
} Rig;

static void other(Rig *r, TileArg arg) {
  assert_true(r->num_others < MAX_OTHERS);
  r->others[r->num_others++] = arg;
}

static void add_scalars(Rig *r) {
  static const int64_t numbers[] = {0,  1,    16,        17,       100,
                                    -1, 4096, INT32_MIN, INT64_MAX};
  static const double floats[] = {2.0, 0.5, 1e300, -0.0};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    other(r, tile_int_arg(numbers[i]));
  for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
    other(r, tile_float_arg(floats[i]));
  other(r, tile_uint_arg(UINT64_MAX));
  other(r, tile_bool_arg(true));
  // Bits of a constant, and another kind of value.
  static const TileArgKind kinds[] = {TILE_ARG_FLOAT, TILE_ARG_BOOL,
                                      TILE_ARG_POINTER, TILE_ARG_DTYPE};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    TileArg arg = tile_int_arg(100);
    arg.kind = kinds[i];
    other(r, arg);
    arg.as.f = 2.0;
    other(r, arg);
  }
  TileArg typed = tile_int_arg(5);
  typed.dtype = TILE_INT64;
  other(r, typed);
  typed.dtype = TILE_UINT32;
  other(r, typed);
  typed = tile_float_arg(0.5);
  typed.dtype = TILE_FP64;
  other(r, typed);
}

static void add_memory(Rig *r) {
  static const TileDtype types[] = {TILE_DTYPE_NONE, TILE_INT8,    TILE_INT64,
                                    TILE_FP16,       TILE_BF16,    TILE_FP32,
                                    TILE_UINT64,     (TileDtype)99};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    other(r, tile_pointer_arg(memory, types[i]));
  other(r, tile_pointer_arg(memory + 1, TILE_FP32));
  other(r, tile_pointer_arg(NULL, TILE_FP32));
  other(r, tile_buffer_arg(NULL, TILE_FP32));
}

static void add_descriptors(Rig *r) {
  TileTensorDescriptor *w = r->wrong;
  for (int i = 0; i < 12; i++) w[i] = r->good;
  w[0].rank = 1;
  w[1].strides[0] = 17;
  w[2].offset = 4;
  w[3].block[1] = 32;
  w[4].dtype = TILE_FP16;
  w[5].shape[0] = 0;
  w[6].shape[1] = -1;
  w[7].strides[1] = 2;
  w[8].pads_with_nan = true;
  w[9].size = 7;
  w[10].address = NULL;
  w[11].strides[0] = 64;
  other(r, tile_descriptor_arg(NULL));
  other(r, tile_descriptor_arg(&r->good));
  for (int i = 0; i < 12; i++) other(r, tile_descriptor_arg(&w[i]));
}

static void add_rest(Rig *r) {
  static const char *const names[] = {"size", "step", "size"};
  TileArg arg = tile_none_arg();
  arg.kind = TILE_ARG_STRING;
  arg.as.string = "text";
  other(r, arg);
  arg.kind = TILE_ARG_DTYPE;
  arg.dtype = TILE_FP16;
  other(r, arg);
  arg.kind = (TileArgKind)99;
  other(r, arg);
  other(r, tile_none_arg());
  other(r, tile_default_arg());
  other(r, tile_constant_arg(&r->constant));
  for (size_t n = 0; n <= 3; n++) other(r, tile_tuple_arg(r->triple, n));
  other(r, tile_named_tuple_arg(r->named, names, 2));
  other(r, tile_named_tuple_arg(r->named, names + 1, 2));
  other(r, tile_tuple_arg(r->named, 2));
  other(r, tile_tuple_arg(r->outer, 2));
}

static int open_rig(void **state) {
  Rig *r = calloc(1, sizeof *r);
  *state = r;
  if (tilert_pack_open(PARTS_PACK, NULL, &r->pack, NULL) ||
      tilert_device_open("cpu", NULL, &r->device, NULL))
    return 1;
  r->good = (TileTensorDescriptor){.address = memory,
                                   .dtype = TILE_FP32,
                                   .rank = 2,
                                   .shape = {8, 16},
                                   .strides = {16, 1},
                                   .block = {8, 16}};
  r->inner[0] = tile_float_arg(0.5);
  r->inner[1] = tile_none_arg();
  r->outer[0] = tile_int_arg(3);
  r->outer[1] = tile_tuple_arg(r->inner, 2);
  r->triple[0] = tile_int_arg(1);
  r->triple[1] = tile_float_arg(2);
  r->triple[2] = tile_none_arg();
  r->named[0] = tile_int_arg(4);
  r->named[1] = tile_int_arg(INT64_C(1) << 40);
  r->constant = tile_int_arg(7);
  add_scalars(r);
  add_memory(r);
  add_descriptors(r);
  add_rest(r);
  return 0;
}

static int close_rig(void **state) {
  Rig *r = *state;
  tilert_device_close(r->device);
  tilert_pack_close(r->pack);
  free(r);
  return 0;
}

// -- Launches ----------------------------------------------------------------

static char letter_of(const Rig *r, const TilertLaunch *launch) {
  TilertError error = {""};
  const TileStatus status = tilert_prepare(r->device, launch, &error);
  const unsigned char byte = (unsigned char)status;
  uint32_t hash = fnv_text(FNV_SEED, error.text);
  hash = fnv_bytes(hash, &byte, 1);
  return status ? letters_pick(hash) : '.';
}

static void change(Rig *r, const TilertLaunch *launch, TileArg *which) {
  char letters[MAX_OTHERS + 2], *at = letters;
  const TileArg was = *which;
  *at++ = letter_of(r, launch);
  for (size_t i = 0; i < r->num_others; i++) {
    *which = r->others[i];
    *at++ = letter_of(r, launch);
  }
  *which = was;
  *at = 0;
  letters_expect(&r->table, letters);
}

static void change_fields(Rig *r, const TilertLaunch *base) {
  static const int numbers[] = {-1, 1, 2, 3, 4, 8, 64};
  char letters[128], *at = letters;
  for (int i = 0; i < 7; i++) {
    for (int field = 0; field < 8; field++) {
      TilertLaunch launch = *base;
      int *const ints[] = {&launch.num_warps, &launch.num_stages,
                           &launch.config, &launch.num_ctas, &launch.persist};
      if (field < 5) *ints[field] = numbers[i];
      if (field < 5) launch.size = sizeof launch;
      if (field == 5) launch.num_args = (size_t)i;
      if (field == 6) launch.size = (size_t)(numbers[i] & 63);
      if (field == 7) launch.grid[i % 3] = 0x7fffffff;
      *at++ = letter_of(r, &launch);
    }
  }
  static const char *const names[] = {"d", "x", "nothing", NULL};
  for (int i = 0; i < 4; i++) {
    const TileConstant constant = {names[i], tile_int_arg(3)};
    TilertLaunch launch = *base;
    launch.constants = &constant;
    launch.num_constants = 1;
    *at++ = letter_of(r, &launch);
    launch.constants = NULL;
    launch.kernel = names[i];
    *at++ = letter_of(r, &launch);
  }
  *at = 0;
  letters_expect(&r->table, letters);
}

static void change_kernel(Rig *r, const char *name, TileArg *args,
                          size_t num_args) {
  const TilertLaunch launch = {.pack = r->pack,
                               .kernel = name,
                               .grid = {1},
                               .args = args,
                               .num_args = num_args};
  for (size_t i = 0; i < num_args; i++) change(r, &launch, &args[i]);
  change_fields(r, &launch);
}

static void test_changed(void **state) {
  Rig *r = *state;
  static const char *const names[] = {"size", "step"};
  r->table = letters_open(TILE_SOURCE_DIR "/tests/runtime/changed_pack.txt");
  TileArg window[] = {tile_descriptor_arg(&r->good),
                      tile_tuple_arg(r->outer, 2),
                      tile_pointer_arg(memory, TILE_FP32)};
  change_kernel(r, "window", window, 3);
  const TilertLaunch launch = {.pack = r->pack,
                               .kernel = "window",
                               .grid = {1},
                               .args = window,
                               .num_args = 3};
  for (int i = 0; i < 2; i++) change(r, &launch, &r->outer[i]);
  for (int i = 0; i < 2; i++) change(r, &launch, &r->inner[i]);
  TileArg named[] = {tile_named_tuple_arg(r->named, names, 2),
                     tile_pointer_arg(memory, TILE_INT64)};
  change_kernel(r, "named", named, 2);
  TileArg twice[] = {tile_pointer_arg(memory, TILE_FP32),
                     tile_pointer_arg(memory + 2048, TILE_FP32),
                     tile_int_arg(8), tile_int_arg(16), tile_int_arg(16)};
  change_kernel(r, "twice", twice, 5);
  letters_close(&r->table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_changed, open_rig, close_rig)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
