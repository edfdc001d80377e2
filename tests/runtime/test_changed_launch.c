// test_changed_launch.c -- launches with one argument or one field changed at a
// time: status, messages, and memory afterwards.
//
// Each result is hashed to a letter of changed_launch.txt, with a line for each
// argument.  TILE_CHANGED=FILE writes that file anew.
#include "tests/runtime/world.h"
#include "tests/tools/letters.h"

#include <math.h>

static const char text[] =
    "@triton.jit\n"
    "def helper(x):\n"
    "    return x + 1\n"
    "\n"
    "@triton.jit\n"
    "def k(out, x, n, a, flag, pair, D, C: tl.constexpr, T: tl.constexpr,\n"
    "      some=3):\n"
    "    tl.device_assert(n != 13, 'thirteen')\n"
    "    tl.store(out, tl.load(x))\n"
    "    tl.store(out + 1, n)\n"
    "    tl.store(out + 2, a * a + 1)\n"
    "    tl.store(out + 3, flag)\n"
    "    tl.store(out + 4, pair[0] + pair[1])\n"
    "    tl.store(out + 5, tl.sum(tl.sum(D.load([0, 8]), 0), 0))\n"
    "    tl.store(out + 6, C)\n"
    "    tl.store(out + 7, tl.full((), 3, T))\n"
    "    tl.store(out + 8, some)\n"
    "    at = tl.program_id(0) * 100 + tl.program_id(1) * 10\n"
    "    tl.atomic_add(out + 9, (at + tl.program_id(2) + 1).to(tl.float64))\n";

enum { NUM_ARGS = 10, MAX_OTHERS = 64, OUT_BYTES = 80 };

typedef struct {
  TileContext *context;
  TileDevice *device;
  TileProgram *program;
  TileBuffer *out, *x;
  TileArg args[NUM_ARGS], others[MAX_OTHERS];
  size_t num_others;
  TileTensorDescriptor good, wrong[10];
  TileArg items[3], constants[3];
} Rig;

// -- Values ------------------------------------------------------------------

static void other(Rig *r, TileArg arg) {
  assert_true(r->num_others < MAX_OTHERS);
  r->others[r->num_others++] = arg;
}

static _Alignas(64) uint16_t own_halves[64] = {0x3c00, 0, 0, 0,     0,
                                               0,      0, 0, 0x4000};

static void add_descriptors(Rig *r) {
  TileTensorDescriptor *w = r->wrong;
  for (int i = 0; i < 10; i++) w[i] = r->good;
  w[0].rank = 1;
  w[1].strides[0] = 17;
  w[2].offset = 2;
  w[3].block[1] = 3;
  w[4].dtype = TILE_FP32;
  w[5].shape[0] = 0;
  w[6].buffer = NULL;
  w[6].address = own_halves;
  w[7].strides[1] = 2;
  w[8].pads_with_nan = true;
  w[9].size = 7;
  other(r, tile_descriptor_arg(NULL));
  other(r, tile_descriptor_arg(&r->good));
  for (int i = 0; i < 10; i++) other(r, tile_descriptor_arg(&w[i]));
}

static void add_scalars(Rig *r) {
  static const int64_t numbers[] = {
      0, 1, 16, 13, -1, INT64_C(1) << 31, INT32_MIN, INT64_MIN, 4096};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    other(r, tile_int_arg(numbers[i]));
  other(r, tile_uint_arg(UINT64_C(1) << 63));
  other(r, tile_bool_arg(false));
  other(r, tile_bool_arg(true));
  other(r, tile_float_arg(0.1));
  other(r, tile_float_arg(1e300));
  TileArg typed = tile_int_arg(300);
  typed.dtype = TILE_UINT8;
  other(r, typed);
  typed = tile_float_arg(0.1);
  typed.dtype = TILE_FP64;
  other(r, typed);
}

static void add_memory(Rig *r) {
  static const TileDtype types[] = {TILE_DTYPE_NONE, TILE_BOOL,    TILE_INT8,
                                    TILE_UINT16,     TILE_INT64,   TILE_FP8E5,
                                    TILE_FP16,       TILE_BF16,    TILE_FP32,
                                    TILE_FP64,       (TileDtype)99};
  static double own[16] = {2.5};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    other(r, tile_buffer_arg(r->x, types[i]));
  other(r, tile_buffer_arg(NULL, TILE_FP32));
  other(r, tile_pointer_arg(own, TILE_FP64));
  TileArg late = tile_buffer_arg(r->x, TILE_FP32);
  late.as.buffer.offset = 4;
  other(r, late);
  late.as.buffer.offset = 4096;
  other(r, late);
}

static void add_constants(Rig *r) {
  TileArg arg = tile_none_arg();
  arg.kind = TILE_ARG_STRING;
  arg.as.string = "abc";
  other(r, arg);
  arg.as.string = NULL;
  other(r, arg);
  arg.kind = TILE_ARG_FUNCTION;
  other(r, arg);
  arg.as.string = "helper";
  other(r, arg);
  arg.as.string = "nothing";
  other(r, arg);
  arg = tile_none_arg();
  arg.kind = TILE_ARG_DTYPE;
  arg.dtype = TILE_BF16;
  other(r, arg);
  arg.dtype = TILE_DTYPE_NONE;
  other(r, arg);
  arg.kind = TILE_ARG_POINTER_DTYPE;
  arg.dtype = TILE_INT8;
  other(r, arg);
  arg.kind = (TileArgKind)99;
  other(r, arg);
  other(r, tile_none_arg());
  other(r, tile_default_arg());
  r->constants[0] = tile_int_arg(7);
  r->constants[1] = tile_float_arg(0.25);
  r->constants[2] = tile_tuple_arg(r->items, 2);
  for (int i = 0; i < 3; i++) other(r, tile_constant_arg(&r->constants[i]));
  other(r, tile_constant_arg(NULL));
}

static void add_tuples(Rig *r) {
  static const char *const names[] = {"first", "second", "third"};
  for (size_t n = 0; n <= 3; n++) other(r, tile_tuple_arg(r->items, n));
  other(r, tile_named_tuple_arg(r->items, names, 2));
  other(r, tile_tuple_arg(NULL, 1));
}

// -- The world ---------------------------------------------------------------

static int open_rig(void **state) {
  Rig *r = calloc(1, sizeof *r);
  const TileSource source = {.file = "k.py", .text = text};
  *state = r;
  if (tile_context_create(NULL, &r->context) ||
      tile_device_open(r->context, "cpu", &r->device, NULL) ||
      tile_program_create(r->context, &source, &r->program, NULL) ||
      tile_buffer_create(r->device, OUT_BYTES, &r->out) ||
      tile_buffer_create(r->device, 1024, &r->x))
    return 1;
  r->good = (TileTensorDescriptor){.buffer = r->x,
                                   .dtype = TILE_FP16,
                                   .rank = 2,
                                   .shape = {4, 16},
                                   .strides = {16, 1},
                                   .block = {2, 16}};
  r->items[0] = tile_int_arg(5);
  r->items[1] = tile_float_arg(2.5);
  r->items[2] = tile_none_arg();
  const TileArg args[] = {tile_buffer_arg(r->out, TILE_FP64),
                          tile_buffer_arg(r->x, TILE_FP32),
                          tile_int_arg(40),
                          tile_float_arg(1.5),
                          tile_bool_arg(true),
                          tile_tuple_arg(r->items, 2),
                          tile_descriptor_arg(&r->good),
                          tile_int_arg(9),
                          {.kind = TILE_ARG_DTYPE, .dtype = TILE_FP16},
                          tile_default_arg()};
  memcpy(r->args, args, sizeof args);
  add_scalars(r);
  add_memory(r);
  add_constants(r);
  add_tuples(r);
  add_descriptors(r);
  return 0;
}

static int close_rig(void **state) {
  Rig *r = *state;
  tile_buffer_destroy(r->out);
  tile_buffer_destroy(r->x);
  tile_device_destroy(r->device);
  tile_program_destroy(r->program);
  tile_context_destroy(r->context);
  free(r);
  return 0;
}

// -- Launches ----------------------------------------------------------------

// `out` as numbers, since the bits of a NaN depend on the processor.
static uint32_t hash_out(uint32_t hash, TileBuffer *out) {
  double numbers[OUT_BYTES / sizeof(double)];
  assert_int_equal(tile_buffer_read(out, 0, numbers, OUT_BYTES), TILE_OK);
  for (size_t i = 0; i < OUT_BYTES / sizeof *numbers; i++)
    if (isnan(numbers[i])) numbers[i] = (double)NAN;
  return fnv_bytes(hash, numbers, OUT_BYTES);
}

static char letter_of(Rig *r, const TileLaunch *launch) {
  TileDiagnostics *diagnostics = NULL, *later = NULL;
  unsigned char bytes[1024] = {0};
  uint32_t hash = FNV_SEED;
  for (int i = 0; i < 256; i++) bytes[i] = (unsigned char)(i % 7 + 56);
  assert_int_equal(tile_buffer_write(r->x, 0, bytes, sizeof bytes), TILE_OK);
  memset(bytes, 0, sizeof bytes);
  assert_int_equal(tile_buffer_write(r->out, 0, bytes, OUT_BYTES), TILE_OK);
  TileStatus status = tile_launch(r->device, launch, &diagnostics);
  const char *said = diagnostics ? tile_diagnostics_text(diagnostics) : "";
  hash = fnv_text(hash, said);
  if (!status) status = tile_device_sync(r->device, &later);
  said = later ? tile_diagnostics_text(later) : "";
  hash = fnv_text(hash, said);
  hash = fnv_bytes(hash, &status, sizeof status);
  if (!status) hash = hash_out(hash, r->out);
  tile_diagnostics_destroy(diagnostics);
  tile_diagnostics_destroy(later);
  return letters_pick(hash);
}

static TileLaunch launch_of(const Rig *r) {
  return (TileLaunch){.kernel = kernel_of(r->program, "k"),
                      .grid = {1},
                      .args = r->args,
                      .num_args = NUM_ARGS};
}

static void change_argument(Rig *r, int which, char *letters) {
  TileLaunch launch = launch_of(r);
  const TileArg kept = r->args[which];
  *letters++ = letter_of(r, &launch);
  for (size_t i = 0; i < r->num_others; i++) {
    r->args[which] = r->others[i];
    *letters++ = letter_of(r, &launch);
  }
  r->args[which] = kept;
  *letters = 0;
}

static void change_constants(Rig *r, TileLaunch launch, char **letters) {
  static const char *const names[] = {"C", "T", "n", "nothing", NULL};
  for (int i = 0; i < 5; i++) {
    const TileConstant constant = {names[i], tile_int_arg(3)};
    launch.constants = &constant;
    launch.num_constants = 1;
    launch.num_args = 7;
    *(*letters)++ = letter_of(r, &launch);
  }
}

static void change_fields(Rig *r, char *letters) {
  static const int numbers[] = {-2, -1, 1, 2, 3, 8, 33, 64};
  for (int i = 0; i < 8; i++) {
    for (int field = 0; field < 7; field++) {
      TileLaunch launch = launch_of(r);
      int *const ints[] = {&launch.num_warps, &launch.num_stages,
                           &launch.config, &launch.debug};
      if (field < 4) *ints[field] = numbers[i];
      if (field == 4) launch.grid[1 + i % 2] = (uint32_t)i / 2 + 1;
      if (field == 5) launch.num_args = (size_t)i + 5;
      if (field == 6) launch.size = (size_t)(numbers[i] & 63);
      *letters++ = letter_of(r, &launch);
    }
  }
  TileLaunch launch = launch_of(r);
  change_constants(r, launch, &letters);
  launch.grid[0] = 0;
  *letters++ = letter_of(r, &launch);
  launch = launch_of(r);
  launch.no_fp_fusion = launch.no_hooks = launch.launch_pdl = true;
  *letters++ = letter_of(r, &launch);
  launch.stream = &launch;
  *letters++ = letter_of(r, &launch);
  launch = launch_of(r);
  launch.args = NULL;
  *letters++ = letter_of(r, &launch);
  launch.kernel = NULL;
  *letters++ = letter_of(r, &launch);
  *letters = 0;
}

static void test_changed(void **state) {
  Rig *r = *state;
  char letters[256];
  LetterTable table =
      letters_open(TILE_SOURCE_DIR "/tests/runtime/changed_launch.txt");
  for (int i = 0; i < NUM_ARGS; i++) {
    change_argument(r, i, letters);
    letters_expect(&table, letters);
  }
  change_fields(r, letters);
  letters_expect(&table, letters);
  letters_close(&table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_changed, open_rig, close_rig)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
