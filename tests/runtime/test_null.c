// test_null.c -- each pointer argument in its turn is NULL, all others are
// right: the status is TILE_INVALID_ARGUMENT, and the text names the argument.
#include "tests/runtime/world.h"

#include "tile/engine.h"
#include "tile/tune.h"
#include "tile/variant.h"

// `call` has its diagnostics in `d`.
#define NULL_IS_TOLD(name, call)                                               \
  do {                                                                         \
    TileDiagnostics *d = NULL;                                                 \
    const TileStatus status = (call);                                          \
    if (status != TILE_INVALID_ARGUMENT)                                       \
      fail_msg("%s: %s", #call, tile_status_text(status));                     \
    if (!strstr(tile_diagnostics_text(d), "'" name "' is NULL"))               \
      fail_msg("%s: %s", #call, tile_diagnostics_text(d));                     \
    tile_diagnostics_destroy(d);                                               \
  } while (0)

#define NULL_IS_REFUSED(call) assert_int_equal((call), TILE_INVALID_ARGUMENT)

static TileLaunch launch_of(const World *w, TileArg *args) {
  args[0] = (TileArg){.kind = TILE_ARG_BUFFER, .as.buffer = {w->x, 0}};
  args[1] = (TileArg){.kind = TILE_ARG_BUFFER, .as.buffer = {w->y, 0}};
  args[2] = (TileArg){.kind = TILE_ARG_INT, .as.i = 100};
  return (TileLaunch){.kernel = kernel_of(w->copy, NULL),
                      .grid = {1},
                      .args = args,
                      .num_args = 3};
}

static void test_buffers_and_programs(void **state) {
  World *w = *state;
  TileBuffer *buffer;
  TileDevice *device;
  TileProgram *program;
  TileKernel *kernel;
  char bytes[4] = "";
  float number = 0;
  const TileSource source = {.file = "a.tile", .text = copy_text};
  NULL_IS_REFUSED(tile_context_create(NULL, NULL));
  NULL_IS_REFUSED(tile_buffer_create(w->device, 4, NULL));
  NULL_IS_REFUSED(tile_buffer_create(NULL, 4, &buffer));
  NULL_IS_REFUSED(tile_buffer_write(w->x, 0, NULL, 4));
  NULL_IS_REFUSED(tile_buffer_write(NULL, 0, bytes, 4));
  NULL_IS_REFUSED(tile_buffer_read(w->x, 0, NULL, 4));
  NULL_IS_REFUSED(tile_buffer_read(NULL, 0, bytes, 4));
  NULL_IS_REFUSED(tile_buffer_write_floats(w->x, 0, TILE_FP32, NULL, 1));
  NULL_IS_REFUSED(tile_buffer_write_floats(NULL, 0, TILE_FP32, &number, 1));
  NULL_IS_REFUSED(tile_buffer_read_floats(w->x, 0, TILE_FP32, NULL, 1));
  NULL_IS_REFUSED(tile_buffer_read_floats(NULL, 0, TILE_FP32, &number, 1));
  NULL_IS_TOLD("context", tile_device_open(NULL, "cpu", &device, &d));
  NULL_IS_TOLD("out", tile_device_open(w->context, "cpu", NULL, &d));
  NULL_IS_TOLD("context", tile_target_open(NULL, "sm_80", &device, &d));
  NULL_IS_TOLD("target", tile_target_open(w->context, NULL, &device, &d));
  NULL_IS_TOLD("out", tile_target_open(w->context, "sm_80", NULL, &d));
  NULL_IS_TOLD("context", tile_program_create(NULL, &source, &program, &d));
  NULL_IS_TOLD("source", tile_program_create(w->context, NULL, &program, &d));
  NULL_IS_TOLD("out", tile_program_create(w->context, &source, NULL, &d));
  NULL_IS_TOLD("context", tile_program_load(NULL, "a.tile", &program, &d));
  NULL_IS_TOLD("path", tile_program_load(w->context, NULL, &program, &d));
  NULL_IS_TOLD("out", tile_program_load(w->context, "a.tile", NULL, &d));
  NULL_IS_TOLD("program", tile_program_kernel(NULL, NULL, &kernel, &d));
  NULL_IS_TOLD("out", tile_program_kernel(w->copy, NULL, NULL, &d));
}

static void test_launches(void **state) {
  World *w = *state;
  TileArg args[3];
  const TileLaunch launch = launch_of(w, args);
  TileKernelInfo info = {.size = sizeof info};
  TileBinding *binding;
  TileCode *code;
  TileTuning *tuning;
  double seconds;
  int64_t number;
  TileDevice *device = w->device;
  NULL_IS_TOLD("device", tile_device_sync(NULL, &d));
  NULL_IS_TOLD("device", tile_launch(NULL, &launch, &d));
  NULL_IS_TOLD("launch", tile_launch(device, NULL, &d));
  NULL_IS_TOLD("device", tile_launch_bind(NULL, &launch, &binding, &d));
  NULL_IS_TOLD("launch", tile_launch_bind(device, NULL, &binding, &d));
  NULL_IS_TOLD("out", tile_launch_bind(device, &launch, NULL, &d));
  NULL_IS_TOLD("device", tile_launch_time(NULL, &launch, &seconds, 1, &d));
  NULL_IS_TOLD("launch", tile_launch_time(device, NULL, &seconds, 1, &d));
  NULL_IS_TOLD("seconds", tile_launch_time(device, &launch, NULL, 1, &d));
  NULL_IS_TOLD("device", tile_kernel_prepare(NULL, &launch, &d));
  NULL_IS_TOLD("launch", tile_kernel_prepare(device, NULL, &d));
  NULL_IS_TOLD("device", tile_kernel_info(NULL, &launch, &info, &d));
  NULL_IS_TOLD("launch", tile_kernel_info(device, NULL, &info, &d));
  NULL_IS_TOLD("out", tile_kernel_info(device, &launch, NULL, &d));
  NULL_IS_TOLD("device",
               tile_kernel_code(NULL, &launch, TILE_CODE_IR, &code, &d));
  NULL_IS_TOLD("launch",
               tile_kernel_code(device, NULL, TILE_CODE_IR, &code, &d));
  NULL_IS_TOLD("out",
               tile_kernel_code(device, &launch, TILE_CODE_IR, NULL, &d));
  NULL_IS_TOLD("device", tile_launch_number(NULL, &launch, "n", &number, &d));
  NULL_IS_TOLD("launch", tile_launch_number(device, NULL, "n", &number, &d));
  NULL_IS_TOLD("name", tile_launch_number(device, &launch, NULL, &number, &d));
  NULL_IS_TOLD("out", tile_launch_number(device, &launch, "n", NULL, &d));
  NULL_IS_TOLD("device", tile_tune(NULL, &launch, NULL, &tuning, &d));
  NULL_IS_TOLD("launch", tile_tune(device, NULL, NULL, &tuning, &d));
  NULL_IS_TOLD("out", tile_tune(device, &launch, NULL, NULL, &d));
}

static void test_streams_and_events(void **state) {
  World *w = *state;
  TileDevice *device = w->device;
  TileBuffer *x = w->x;
  TileEvent *event, *made;
  struct DLManagedTensor *tensor;
  TileBuffer *buffer;
  TileDtype dtype;
  int64_t shape[1] = {4};
  void *stream;
  double seconds;
  char bytes[4] = "";
  assert_int_equal(tile_event_create(device, &event, NULL), TILE_OK);
  NULL_IS_TOLD("device", tile_event_create(NULL, &made, &d));
  NULL_IS_TOLD("out", tile_event_create(device, NULL, &d));
  NULL_IS_TOLD("event", tile_event_record(NULL, NULL, &d));
  NULL_IS_TOLD("event", tile_event_sync(NULL, &d));
  NULL_IS_TOLD("event", tile_event_wait(NULL, device, NULL, &d));
  NULL_IS_TOLD("device", tile_event_wait(event, NULL, NULL, &d));
  NULL_IS_TOLD("start", tile_event_seconds(NULL, event, &seconds, &d));
  NULL_IS_TOLD("end", tile_event_seconds(event, NULL, &seconds, &d));
  NULL_IS_TOLD("seconds", tile_event_seconds(event, event, NULL, &d));
  NULL_IS_TOLD("device", tile_stream_create(NULL, &stream, &d));
  NULL_IS_TOLD("out", tile_stream_create(device, NULL, &d));
  NULL_IS_TOLD("device", tile_stream_sync(NULL, NULL, &d));
  NULL_IS_TOLD("device", tile_host_alloc(NULL, 4, &stream, &d));
  NULL_IS_TOLD("out", tile_host_alloc(device, 4, NULL, &d));
  NULL_IS_TOLD("to", tile_buffer_copy(NULL, 0, x, 0, 4, NULL, &d));
  NULL_IS_TOLD("from", tile_buffer_copy(x, 0, NULL, 0, 4, NULL, &d));
  NULL_IS_TOLD("buffer", tile_buffer_fill(NULL, 0, 4, bytes, 1, NULL, &d));
  NULL_IS_TOLD("value", tile_buffer_fill(x, 0, 4, NULL, 1, NULL, &d));
  NULL_IS_TOLD("buffer", tile_buffer_read_async(NULL, 0, bytes, 4, NULL, &d));
  NULL_IS_TOLD("to", tile_buffer_read_async(x, 0, NULL, 4, NULL, &d));
  NULL_IS_TOLD("buffer", tile_buffer_write_async(NULL, 0, bytes, 4, NULL, &d));
  NULL_IS_TOLD("from", tile_buffer_write_async(x, 0, NULL, 4, NULL, &d));
  NULL_IS_TOLD("buffer",
               tile_buffer_to_dlpack(NULL, TILE_FP32, 1, shape, &tensor, &d));
  NULL_IS_TOLD("shape",
               tile_buffer_to_dlpack(x, TILE_FP32, 1, NULL, &tensor, &d));
  NULL_IS_TOLD("out", tile_buffer_to_dlpack(x, TILE_FP32, 1, shape, NULL, &d));
  NULL_IS_TOLD("tensor",
               tile_buffer_from_dlpack(device, NULL, &buffer, &dtype, &d));
  tile_event_destroy(event);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_buffers_and_programs),
      TEST(test_launches),
      TEST(test_streams_and_events),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
