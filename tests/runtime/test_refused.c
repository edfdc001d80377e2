// test_refused.c -- arguments that calls refuse: the status, the whole text,
// and that nothing is stored; questions about nothing.
#include "tests/runtime/world.h"

#include "tile/engine.h"
#include "tile/variant.h"

#include <stdio.h>

static void told(const char *call, TileStatus status, TileDiagnostics *d,
                 TileStatus wanted, const char *text) {
  const char *found = tile_diagnostics_text(d);
  if (status != wanted || strcmp(found, text))
    fail_msg("%s: %s, '%s', not '%s'", call, tile_status_text(status), found,
             text);
  tile_diagnostics_destroy(d);
}

// `call` has its diagnostics in `d`.
#define TOLD(wanted, text, call)                                               \
  do {                                                                         \
    TileDiagnostics *d = NULL;                                                 \
    const TileStatus status = (call);                                          \
    told(#call, status, d, wanted, text);                                      \
  } while (0)
#define REFUSED(wanted, text, call) TOLD(wanted, "error: " text "\n", call)
#define RAW(text, call)             TOLD(TILE_INVALID_ARGUMENT, text, call)
#define WRONG(text, call)           REFUSED(TILE_INVALID_ARGUMENT, text, call)

// -- Launches ----------------------------------------------------------------

typedef struct {
  const World *w;
  TileArg args[4];
  TileLaunch launch;
} Good;

// The program's argument BLOCK is left out: it has a default.
static Good good(const World *w) {
  Good g = {.w = w};
  g.args[0] = tile_buffer_arg(w->x, TILE_FP32);
  g.args[1] = tile_buffer_arg(w->y, TILE_FP32);
  g.args[2] = tile_int_arg(100);
  g.launch = (TileLaunch){
      .kernel = kernel_of(w->copy, NULL), .grid = {7}, .num_args = 3};
  return g;
}

// Every call that takes a launch refuses it with the same words; those that do
// not look at the grid take another.
static void launch_refused(Good *g, const char *text, bool looks_at_grid) {
  TileDevice *device = g->w->device;
  TileBinding *binding = NULL;
  TileCode *code = NULL;
  TileKernelInfo info = {.size = sizeof info};
  double seconds = -1;
  g->launch.args = g->args;
  const TileLaunch *l = &g->launch;
  const TileStatus also = looks_at_grid ? TILE_OK : TILE_INVALID_ARGUMENT;
  const char *told_also = looks_at_grid ? "" : text;
  RAW(text, tile_launch(device, l, &d));
  RAW(text, tile_launch_time(device, l, &seconds, 1, &d));
  assert_true(seconds == -1);
  RAW(text, tile_launch_bind(device, l, &binding, &d));
  assert_null(binding);
  TOLD(also, told_also, tile_kernel_prepare(device, l, &d));
  TOLD(also, told_also, tile_kernel_info(device, l, &info, &d));
  TOLD(also, told_also, tile_kernel_code(device, l, TILE_CODE_IR, &code, &d));
  if (looks_at_grid)
    tile_code_destroy(code);
  else
    assert_null(code);
}

#define LAUNCH(change, text)                                                   \
  do {                                                                         \
    Good g = good(w);                                                          \
    change;                                                                    \
    launch_refused(&g, "error: " text "\n", false);                            \
  } while (0)
#define GRID(change, text)                                                     \
  do {                                                                         \
    Good g = good(w);                                                          \
    change;                                                                    \
    launch_refused(&g, "error: " text "\n", true);                             \
  } while (0)

#define CONFIG(number)                                                         \
  do {                                                                         \
    Good g = good(w);                                                          \
    g.launch.config = number;                                                  \
    launch_refused(                                                            \
        &g,                                                                    \
        "copy.tile:2:5: error: there is no configuration " #number             \
        ": 'copy' has 0\n"                                                     \
        "  def copy(x, y, n, BLOCK: tl.constexpr = 16):\n      ^~~~\n",        \
        false);                                                                \
  } while (0)

static void test_launch_fields(void **state) {
  const World *w = *state;
  LAUNCH(g.launch.kernel = NULL, "'launch->kernel' is NULL");
  LAUNCH(g.launch.num_warps = 3,
         "num_warps must be a power of two up to 32, found 3");
  LAUNCH(g.launch.num_warps = 64,
         "num_warps must be a power of two up to 32, found 64");
  LAUNCH(g.launch.num_warps = -1,
         "num_warps must be a power of two up to 32, found -1");
  LAUNCH(g.launch.num_stages = 17, "num_stages must be 1 to 16, found 17");
  LAUNCH(g.launch.num_stages = -1, "num_stages must be 1 to 16, found -1");
  CONFIG(1);
  CONFIG(-2);
  LAUNCH(g.launch.size = 8,
         "'launch->size' of a TileLaunch is 0, or at least 96 bytes, found 8");
  GRID(g.launch.grid[0] = 0,
       "the grid must have 1 to 2147483647 programs along axis 0, found 0");
  GRID(g.launch.grid[0] = 0x80000000u,
       "the grid must have 1 to 2147483647 programs along axis 0, found "
       "2147483648");
  GRID(g.launch.grid[1] = 0x80000001u,
       "the grid must have 1 to 2147483647 programs along axis 1, found "
       "2147483649");
  GRID(g.launch.grid[2] = 0x80000001u,
       "the grid must have 1 to 2147483647 programs along axis 2, found "
       "2147483649");
}

static void test_streams_of_the_cpu(void **state) {
  const World *w = *state;
  Good g = good(w);
  double seconds;
  g.launch.args = g.args;
  g.launch.stream = g.args;
  WRONG("the cpu device has no streams; 'stream' must be NULL",
        tile_launch(w->device, &g.launch, &d));
  WRONG("the cpu device has no streams; 'stream' must be NULL",
        tile_launch_time(w->device, &g.launch, &seconds, 1, &d));
}

static void test_launch_arguments(void **state) {
  const World *w = *state;
  const TileConstant nameless = {.name = NULL}, other = {.name = "m"},
                     twice[] = {{.name = "BLOCK", .value = tile_int_arg(8)},
                                {.name = "BLOCK", .value = tile_int_arg(8)}};
  LAUNCH(g.launch.num_args = 2, "kernel 'copy' misses its argument 'n'");
  LAUNCH(g.launch.num_args = 5, "kernel 'copy' takes 4 arguments, found 5");
  LAUNCH(g.launch.constants = &nameless;
         g.launch.num_constants = 1, "constant 0 has no name");
  LAUNCH(g.launch.constants = &other;
         g.launch.num_constants = 1, "kernel 'copy' has no parameter 'm'");
  LAUNCH(g.launch.constants = twice;
         g.launch.num_constants = 2, "constant 'BLOCK' is given twice");
  LAUNCH(g.args[0].kind = (TileArgKind)99,
         "argument 'x' of kernel 'copy' has a kind that does not exist");
  LAUNCH(g.args[0].dtype = (TileDtype)99,
         "argument 'x' of kernel 'copy' has a type that does not exist");
  LAUNCH(g.args[0].dtype = TILE_DTYPE_NONE,
         "argument 'x' of kernel 'copy' needs an element type: the kernel does "
         "not say one");
  LAUNCH(g.args[0].as.buffer.buffer = NULL,
         "argument 'x' of kernel 'copy' is a NULL buffer");
  LAUNCH(
      g.args[0].as.buffer.offset = 401,
      "argument 'x' of kernel 'copy' has an offset past the end of its buffer");
  LAUNCH(g.args[0] = tile_pointer_arg("", TILE_DTYPE_NONE),
         "argument 'x' of kernel 'copy' needs an element type: the kernel does "
         "not say one");
  LAUNCH(g.args[0] = (TileArg){.kind = TILE_ARG_STRING},
         "argument 'x' of kernel 'copy' is a NULL string");
  LAUNCH(g.args[0] = (TileArg){.kind = TILE_ARG_FUNCTION},
         "argument 'x' of kernel 'copy' is a NULL string");
  LAUNCH(g.args[2] = (TileArg){.kind = TILE_ARG_CONSTANT},
         "argument 'n' of kernel 'copy' is a constant without a value");
  LAUNCH(g.args[2] = (TileArg){.kind = TILE_ARG_DESCRIPTOR},
         "argument 'n' of kernel 'copy' is a NULL descriptor");
  LAUNCH(g.args[2] = (TileArg){.kind = TILE_ARG_TUPLE};
         g.args[2].as.tuple.count = 1,
         "argument 'n' of kernel 'copy' is a tuple whose items are NULL");
}

// -- Buffers -----------------------------------------------------------------

static void test_transfers(void **state) {
  const World *w = *state;
  TileBuffer *x = w->x, *y = w->y;
  char bytes[400] = "";
  static const size_t past[][2] = {{0, 401}, {400, 1},          {401, 0},
                                   {399, 2}, {8, SIZE_MAX - 4}, {SIZE_MAX, 1}};
  for (size_t i = 0; i < sizeof past / sizeof *past; i++) {
    const size_t at = past[i][0], size = past[i][1];
    char text[200];
    snprintf(text, sizeof text,
             "error: %zu bytes at %zu of a buffer of 400 are past its end\n",
             size, at);
    RAW(text, tile_buffer_copy(x, at, y, 0, size, NULL, &d));
    if (at <= 400 && size <= 400)
      RAW(text, tile_buffer_copy(x, 0, y, at, size, NULL, &d));
    RAW(text, tile_buffer_fill(x, at, size, bytes, 1, NULL, &d));
    RAW(text, tile_buffer_write_async(x, at, bytes, size, NULL, &d));
    RAW(text, tile_buffer_read_async(x, at, bytes, size, NULL, &d));
    assert_int_equal(tile_buffer_write(x, at, bytes, size),
                     TILE_INVALID_ARGUMENT);
    assert_int_equal(tile_buffer_read(x, at, bytes, size),
                     TILE_INVALID_ARGUMENT);
  }
  WRONG("the two parts of the buffer overlap",
        tile_buffer_copy(x, 0, x, 4, 8, NULL, &d));
  WRONG("the two parts of the buffer overlap",
        tile_buffer_copy(x, 4, x, 0, 5, NULL, &d));
  assert_int_equal(tile_buffer_copy(x, 4, x, 0, 4, NULL, NULL), TILE_OK);
  WRONG("a value of 3 bytes does not fill 8 bytes at 0: it has 1, 2, 4 or 8, "
        "which divide both",
        tile_buffer_fill(x, 0, 8, bytes, 3, NULL, &d));
  WRONG("a value of 0 bytes does not fill 8 bytes at 0: it has 1, 2, 4 or 8, "
        "which divide both",
        tile_buffer_fill(x, 0, 8, bytes, 0, NULL, &d));
  WRONG("a value of 16 bytes does not fill 16 bytes at 0: it has 1, 2, 4 or 8, "
        "which divide both",
        tile_buffer_fill(x, 0, 16, bytes, 16, NULL, &d));
  WRONG("a value of 4 bytes does not fill 8 bytes at 2: it has 1, 2, 4 or 8, "
        "which divide both",
        tile_buffer_fill(x, 2, 8, bytes, 4, NULL, &d));
  WRONG("a value of 4 bytes does not fill 6 bytes at 4: it has 1, 2, 4 or 8, "
        "which divide both",
        tile_buffer_fill(x, 4, 6, bytes, 4, NULL, &d));
  WRONG("the cpu device has no streams; 'stream' must be NULL",
        tile_buffer_fill(x, 0, 8, bytes, 8, bytes, &d));
  WRONG("the cpu device has no streams; 'stream' must be NULL",
        tile_buffer_copy(x, 0, y, 0, 4, bytes, &d));
  WRONG("the cpu device has no streams; 'stream' must be NULL",
        tile_buffer_read_async(x, 0, bytes, 4, bytes, &d));
  WRONG("the cpu device has no streams; 'stream' must be NULL",
        tile_buffer_write_async(x, 0, bytes, 4, bytes, &d));
  WRONG("the cpu device has no streams; 'stream' must be NULL",
        tile_stream_sync(w->device, bytes, &d));
}

static void test_events(void **state) {
  const World *w = *state;
  TileEvent *a, *b;
  double seconds = -1;
  assert_int_equal(tile_event_create(w->device, &a, NULL), TILE_OK);
  assert_int_equal(tile_event_create(w->device, &b, NULL), TILE_OK);
  WRONG("no stream has recorded the event 'start'",
        tile_event_seconds(a, b, &seconds, &d));
  assert_int_equal(tile_event_record(a, NULL, NULL), TILE_OK);
  WRONG("no stream has recorded the event 'end'",
        tile_event_seconds(a, b, &seconds, &d));
  WRONG("no stream has recorded the event 'start'",
        tile_event_seconds(b, a, &seconds, &d));
  assert_true(seconds == -1);
  assert_int_equal(tile_event_record(b, NULL, NULL), TILE_OK);
  assert_int_equal(tile_event_seconds(a, b, &seconds, NULL), TILE_OK);
  assert_true(seconds >= 0);
  WRONG("the cpu device has no streams; 'stream' must be NULL",
        tile_event_record(a, &seconds, &d));
  WRONG("the cpu device has no streams; 'stream' must be NULL",
        tile_event_wait(a, w->device, &seconds, &d));
  tile_event_destroy(a);
  tile_event_destroy(b);
}

// -- Devices and programs ----------------------------------------------------

static void test_names(void **state) {
  const World *w = *state;
  TileDevice *device = NULL;
  TileProgram *program = NULL;
  TileKernel *kernel = NULL;
  TileSource source = {.file = "a.tile", .text = "x = 1\n"};
  WRONG("no target is called 'sm_81'; did you mean 'sm_80'?",
        tile_target_open(w->context, "sm_81", &device, &d));
  WRONG("no target is called ''; tilec --print-targets lists them",
        tile_target_open(w->context, "", &device, &d));
  WRONG("no device is called 'cpux'; did you mean 'cpu'?",
        tile_device_open(w->context, "cpux", &device, &d));
  WRONG("no device is called 'cuda:-1'; did you mean 'cuda'?",
        tile_device_open(w->context, "cuda:-1", &device, &d));
  assert_null(device);
  source.triton = 37;
  WRONG("'source->triton' is a release of Triton such as 39 for 3.9, or 0, "
        "found 37",
        tile_program_create(w->context, &source, &program, &d));
  source.triton = 0, source.size = 4;
  WRONG("'source->size' of a TileSource is 0, or at least 68 bytes, found 4",
        tile_program_create(w->context, &source, &program, &d));
  source.size = 0, source.text = NULL;
  WRONG("'source->text' is NULL",
        tile_program_create(w->context, &source, &program, &d));
  REFUSED(TILE_FILE_ERROR,
          "cannot open '/nowhere/a.tile': No such file or directory",
          tile_program_load(w->context, "/nowhere/a.tile", &program, &d));
  assert_null(program);
  RAW("typed.tile: error: no kernel 'kind'; did you mean 'kinds'?\n",
      tile_program_kernel(w->typed, "kind", &kernel, &d));
  RAW("typed.tile: error: which kernel? There are typed, kinds, wide\n",
      tile_program_kernel(w->typed, NULL, &kernel, &d));
  assert_null(kernel);
  Good g = good(w);
  TileCode *code = NULL;
  g.launch.args = g.args;
  WRONG("no form of code has the number 99",
        tile_kernel_code(w->device, &g.launch, (TileCodeKind)99, &code, &d));
  WRONG("code for cpu has no PTX",
        tile_kernel_code(w->device, &g.launch, TILE_CODE_PTX, &code, &d));
  assert_null(code);
}

// -- Questions about nothing -------------------------------------------------

static void test_nothing(void **state) {
  const World *w = *state;
  const TileKernel *copy = kernel_of(w->copy, NULL);
  assert_string_equal(tile_device_name(NULL), "");
  assert_string_equal(tile_device_target(NULL), "");
  assert_string_equal(tile_device_summary(NULL), "");
  assert_int_equal(tile_device_num_processors(NULL), 0);
  assert_int_equal(tile_buffer_size(NULL), 0);
  assert_null(tile_buffer_address(NULL));
  assert_int_equal(tile_program_num_kernels(NULL), 0);
  assert_int_equal(tile_program_num_kernels(w->typed), 3);
  assert_string_equal(tile_program_kernel_name(NULL, 0), "");
  assert_string_equal(tile_program_kernel_name(w->typed, 2), "wide");
  assert_string_equal(tile_program_kernel_name(w->typed, 3), "");
  assert_string_equal(tile_kernel_name(NULL), "");
  assert_int_equal(tile_kernel_num_params(NULL), 0);
  assert_int_equal(tile_kernel_num_params(copy), 4);
  assert_string_equal(tile_kernel_param_name(NULL, 0), "");
  assert_string_equal(tile_kernel_param_name(copy, 3), "BLOCK");
  assert_string_equal(tile_kernel_param_name(copy, 4), "");
  assert_false(tile_kernel_param_is_constexpr(NULL, 0));
  assert_false(tile_kernel_param_is_constexpr(copy, 2));
  assert_true(tile_kernel_param_is_constexpr(copy, 3));
  assert_false(tile_kernel_param_is_constexpr(copy, 4));
  assert_int_equal(tile_binding_num_addresses(NULL), 0);
  assert_int_equal(tile_code_size(NULL), 0);
  assert_string_equal(tile_code_data(NULL), "");
  assert_string_equal(tile_code_symbol(NULL), "");
  tile_binding_destroy(NULL);
  tile_code_destroy(NULL);
  tile_event_destroy(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_launch_fields),    TEST(test_streams_of_the_cpu),
      TEST(test_launch_arguments), TEST(test_transfers),
      TEST(test_events),           TEST(test_names),
      TEST(test_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
