// test_edges_sim.c -- loops at the edges of their trips have the results of the
// interpreter in the simulator, for each kind of chip, with no report.
#include "tests/unit/passes/edge_run.h"
#include "tile/tile.h"

#include <stdio.h>

static EdgeMemory expected, found;
static TileContext *context;
static TileDevice *device;

static const struct {
  const char *chip;
  int warps, stages, ctas;
} ways[] = {{"sm_75", 4, 2, 1}, {"sm_80", 4, 3, 1}, {"sm_89", 1, 4, 1},
            {"sm_90", 4, 3, 1}, {"sm_90", 4, 1, 1}, {"sm_90", 4, 2, 2}};

enum { NUM_WAYS = sizeof ways / sizeof *ways };

// -- Arguments ---------------------------------------------------------------

static TileDtype dtype_of(const char *name, size_t length) {
  for (int i = TILE_DTYPE_NONE + 1; i < 40; i++) {
    const char *known = tile_dtype_name((TileDtype)i);
    if (strlen(known) == length && !strncmp(known, name, length))
      return (TileDtype)i;
  }
  fail_msg("no type '%.*s'", (int)length, name);
  return TILE_DTYPE_NONE;
}

static TileBuffer *new_buffer(int index) {
  TileBuffer *buffer;
  assert_int_equal(tile_buffer_create(device, EDGE_BYTES, &buffer), TILE_OK);
  assert_int_equal(tile_buffer_write(buffer, 0, found.bytes[index], EDGE_BYTES),
                   TILE_OK);
  return buffer;
}

// The arguments that the signature says, with the numbers of an input.
static size_t make_args(const char *signature, const int64_t *ints,
                        TileArg *args) {
  size_t count = 0;
  for (const char *at = signature; *at; count++) {
    const bool is_pointer = *at == '*';
    at += is_pointer;
    const size_t length = strcspn(at, ":, ");
    if (is_pointer) {
      const TileDtype dtype = dtype_of(at, length);
      args[count] = tile_buffer_arg(new_buffer((int)count), dtype);
      args[count].as.buffer.offset = EDGE_MARGIN;
    } else if (*at == 'i') {
      args[count] = tile_int_arg(*ints++);
      args[count].dtype = dtype_of(at, length);
    } else {
      args[count] = tile_int_arg(strtoll(at, NULL, 10));
    }
    at += strcspn(at, ",");
    at += strspn(at, ", ");
  }
  return count;
}

// -- In the simulator --------------------------------------------------------

static void take_back(TileArg *args, size_t count) {
  for (size_t i = 0; i < count; i++) {
    TileBuffer *buffer = args[i].as.buffer.buffer;
    if (args[i].kind != TILE_ARG_BUFFER) continue;
    assert_int_equal(tile_buffer_read(buffer, 0, found.bytes[i], EDGE_BYTES),
                     TILE_OK);
    tile_buffer_destroy(buffer);
  }
}

static void launch(TileKernel *of, const EdgeKernel *kernel, int input,
                   int way) {
  TileArg args[EDGE_PARAMS];
  TileDiagnostics *d = NULL;
  TileLaunch l = {.size = sizeof l,
                  .kernel = of,
                  .grid = {1},
                  .args = args,
                  .num_warps = ways[way].warps,
                  .num_stages = ways[way].stages,
                  .num_ctas = (size_t)ways[way].ctas};
  l.num_args = make_args(kernel->signature, kernel->inputs[input], args);
  if (tile_launch(device, &l, &d) || tile_device_sync(device, &d))
    fail_msg("%s, input %d, way %d: %s", kernel->name, input, way,
             tile_diagnostics_text(d));
  tile_diagnostics_destroy(d);
  take_back(args, l.num_args);
  if (memcmp(&found, &expected, sizeof found))
    fail_msg("%s, input %d, way %d: other results", kernel->name, input, way);
}

// One of some inputs of the kernel.
static void check_kernel(int index, int way) {
  const EdgeKernel *kernel = &edge_kernels[index];
  const int apart = getenv("TILE_TEST_FULL") ? 1 : 2 * NUM_WAYS;
  const TileSource source = {.file = kernel->name, .text = kernel->text};
  TileProgram *program;
  TileKernel *of;
  Kit *kit = kit_specialize(kernel->text, kernel->signature);
  assert_int_equal(tile_program_create(context, &source, &program, NULL),
                   TILE_OK);
  assert_int_equal(tile_program_kernel(program, NULL, &of, NULL), TILE_OK);
  for (int i = (index * 5 + way) % apart; i < kernel->num_inputs; i += apart) {
    memset(&expected, 0, sizeof expected);
    memset(&found, 0, sizeof found);
    edge_fill_all(kit->m->functions, &found);
    edge_interpret(kit, kernel, i, &expected);
    launch(of, kernel, i, way);
  }
  tile_program_destroy(program);
  kit_free(kit);
}

static int first, last = NUM_WAYS - 1;

static void chips_agree(void **state) {
  (void)state;
  for (int way = first; way <= last; way++) {
    setenv("TILE_SIM_CHIP", ways[way].chip, 1);
    assert_int_equal(tile_context_create(NULL, &context), TILE_OK);
    assert_int_equal(tile_device_open(context, "sim", &device, NULL), TILE_OK);
    for (int i = 0; i < NUM_EDGE_KERNELS; i++) check_kernel(i, way);
    tile_device_destroy(device);
    tile_context_destroy(context);
  }
}

// test_edges_sim WAY: a process has one chip.
int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(chips_agree)};
  if (argc > 1) first = last = atoi(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
