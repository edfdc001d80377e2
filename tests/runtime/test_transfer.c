// test_transfer.c -- copies, fills, events and streams, on each kind of device,
// between them, and while a graph is captured.
#include "tests/runtime/fake_cuda.h"
#include "tests/runtime/world.h"

enum { SIZE = 64 };

typedef struct {
  TileContext *context;
  TileDevice *device;
  TileBuffer *a, *b;
} Pair;

static void check(TileStatus status, TileDiagnostics *why) {
  if (status) fail_msg("%s", tile_diagnostics_text(why));
}

static void open_pair(Pair *p, const char *name) {
  TileDiagnostics *why = NULL;
  assert_int_equal(tile_context_create(NULL, &p->context), TILE_OK);
  check(tile_device_open(p->context, name, &p->device, &why), why);
  assert_int_equal(tile_buffer_create(p->device, SIZE, &p->a), TILE_OK);
  assert_int_equal(tile_buffer_create(p->device, SIZE, &p->b), TILE_OK);
}

static void close_pair(Pair *p) {
  tile_buffer_destroy(p->a);
  tile_buffer_destroy(p->b);
  tile_device_destroy(p->device);
  tile_context_destroy(p->context);
}

static void expect_bytes(const TileBuffer *buffer, size_t offset,
                         const char *wanted) {
  char found[SIZE];
  const size_t size = strlen(wanted);
  assert_int_equal(tile_buffer_read(buffer, offset, found, size), TILE_OK);
  assert_memory_equal(found, wanted, size);
}

// -- One device --------------------------------------------------------------

static void fill_and_copy(Pair *p, void *stream) {
  TileDiagnostics *why = NULL;
  check(tile_buffer_fill(p->a, 0, SIZE, "x", 1, stream, &why), why);
  check(tile_buffer_fill(p->a, 2, 6, "ab", 2, stream, &why), why);
  check(tile_buffer_fill(p->a, 12, 8, "1234", 4, stream, &why), why);
  check(tile_buffer_fill(p->b, 32, 16, "12345678", 8, stream, &why), why);
  check(tile_buffer_fill(p->a, SIZE, 0, "z", 1, stream, &why), why);
  check(tile_buffer_copy(p->b, 1, p->a, 0, 30, stream, &why), why);
  check(tile_buffer_copy(p->a, 32, p->a, 0, 16, stream, &why), why);
  check(tile_buffer_copy(p->a, SIZE, p->b, SIZE, 0, stream, &why), why);
  check(tile_stream_sync(p->device, stream, &why), why);
  expect_bytes(p->a, 0, "xxabababxxxx12341234xxx");
  expect_bytes(p->b, 1, "xxabababxxxx12341234xxx");
  expect_bytes(p->a, 32, "xxabababxxxx1234xxx");
  expect_bytes(p->b, 32, "1234567812345678");
}

static void move_host(Pair *p, void *stream) {
  TileDiagnostics *why = NULL;
  void *pinned = NULL;
  check(tile_host_alloc(p->device, SIZE, &pinned, &why), why);
  memcpy(pinned, "from the host", 13);
  check(tile_buffer_write_async(p->a, 3, pinned, 13, stream, &why), why);
  check(tile_buffer_read_async(p->a, 8, (char *)pinned + 20, 8, stream, &why),
        why);
  check(tile_stream_sync(p->device, stream, &why), why);
  assert_memory_equal((char *)pinned + 20, "the host", 8);
  check(tile_buffer_read_async(p->a, 0, NULL, 0, stream, &why), why);
  tile_host_free(p->device, pinned);
  tile_host_free(p->device, NULL);
}

static void use_events(Pair *p, void *stream) {
  TileDiagnostics *why = NULL;
  TileEvent *start = NULL, *end = NULL;
  double seconds = -1;
  check(tile_event_create(p->device, &start, &why), why);
  check(tile_event_create(p->device, &end, &why), why);
  check(tile_event_record(start, stream, &why), why);
  check(tile_buffer_fill(p->a, 0, SIZE, "y", 1, stream, &why), why);
  check(tile_event_record(end, stream, &why), why);
  check(tile_event_wait(end, p->device, NULL, &why), why);
  check(tile_buffer_copy(p->b, 0, p->a, 0, 4, NULL, &why), why);
  check(tile_event_sync(end, &why), why);
  check(tile_event_seconds(start, end, &seconds, &why), why);
  assert_true(seconds >= 0 && seconds < 10);
  expect_bytes(p->b, 0, "yyyy");
  tile_event_destroy(start);
  tile_event_destroy(end);
  tile_event_destroy(NULL);
}

static void use_device(const char *name) {
  Pair p;
  TileDiagnostics *why = NULL;
  void *stream = NULL;
  open_pair(&p, name);
  check(tile_stream_create(p.device, &stream, &why), why);
  assert_int_equal(stream != NULL, strcmp(name, "cpu") != 0);
  fill_and_copy(&p, NULL);
  fill_and_copy(&p, stream);
  move_host(&p, stream);
  use_events(&p, stream);
  tile_stream_destroy(p.device, stream);
  close_pair(&p);
}

static void test_cpu(void **state) {
  (void)state;
  use_device("cpu");
}

static void test_sim(void **state) {
  (void)state;
  use_device("sim");
}

static void test_cuda(void **state) {
  const FakeCuda *fake = *state;
  use_device("cuda");
  assert_int_equal(fake->live, 0);
}

// -- Errors ------------------------------------------------------------------

static void expect(TileStatus status, TileStatus wanted, TileDiagnostics **why,
                   const char *said) {
  assert_int_equal(status, wanted);
  if (!strstr(tile_diagnostics_text(*why), said)) {
    print_error("%s\n", tile_diagnostics_text(*why));
    fail();
  }
  tile_diagnostics_destroy(*why);
  *why = NULL;
}

static void test_wrong(void **state) {
  (void)state;
  const TileStatus wrong = TILE_INVALID_ARGUMENT;
  TileDiagnostics *why = NULL;
  TileEvent *event = NULL;
  char host[SIZE];
  Pair p;
  open_pair(&p, "cpu");
  expect(tile_buffer_copy(p.a, 60, p.b, 0, 5, NULL, &why), wrong, &why,
         "5 bytes at 60 of a buffer of 64 are past its end");
  expect(tile_buffer_copy(p.a, 0, p.b, 65, 0, NULL, &why), wrong, &why,
         "0 bytes at 65");
  expect(tile_buffer_copy(p.a, 0, p.a, 7, 8, NULL, &why), wrong, &why,
         "overlap");
  expect(tile_buffer_copy(p.a, 0, p.b, 0, 8, host, &why), wrong, &why,
         "stream");
  expect(tile_buffer_copy(NULL, 0, p.b, 0, 8, NULL, &why), wrong, &why,
         "'to' is NULL");
  expect(tile_buffer_fill(p.a, 0, 6, "abc", 3, NULL, &why), wrong, &why,
         "a value of 3 bytes");
  expect(tile_buffer_fill(p.a, 2, 8, "abcd", 4, NULL, &why), wrong, &why,
         "a value of 4 bytes does not fill 8 bytes at 2");
  expect(tile_buffer_fill(p.a, 0, 6, "abcd", 4, NULL, &why), wrong, &why,
         "does not fill 6 bytes");
  expect(tile_buffer_fill(p.a, 0, 65, "a", 1, NULL, &why), wrong, &why,
         "past its end");
  expect(tile_buffer_fill(p.a, 0, 6, NULL, 1, NULL, &why), wrong, &why,
         "'value' is NULL");
  expect(tile_buffer_write_async(p.a, SIZE_MAX, host, 2, NULL, &why), wrong,
         &why, "past its end");
  expect(tile_buffer_read_async(p.a, 0, NULL, 1, NULL, &why), wrong, &why,
         "'to' is NULL");
  expect(tile_host_alloc(NULL, 1, NULL, &why), wrong, &why, "'device' is NULL");
  expect(tile_stream_sync(p.device, host, &why), wrong, &why, "stream");
  expect(tile_event_record(NULL, NULL, &why), wrong, &why, "'event' is NULL");
  check(tile_event_create(p.device, &event, &why), why);
  expect(tile_event_seconds(event, event, NULL, &why), wrong, &why,
         "'seconds' is NULL");
  expect(tile_event_record(event, host, &why), wrong, &why, "stream");
  tile_event_destroy(event);
  tile_stream_destroy(p.device, NULL);
  close_pair(&p);
}

// An event that was never recorded: the CPU returns the same as CUDA's driver.
static void expect_no_time(const char *name) {
  const TileStatus wrong = TILE_INVALID_ARGUMENT;
  Pair p, other;
  double seconds;
  TileEvent *a = NULL, *b = NULL, *far = NULL;
  TileDiagnostics *why = NULL;
  open_pair(&p, name);
  open_pair(&other, name);
  check(tile_event_create(p.device, &a, &why), why);
  check(tile_event_create(p.device, &b, &why), why);
  check(tile_event_create(other.device, &far, &why), why);
  check(tile_event_sync(a, &why), why); // does not wait
  check(tile_event_wait(a, p.device, NULL, &why), why);
  expect(tile_event_seconds(a, b, &seconds, &why), wrong, &why,
         "no stream has recorded the event 'start'");
  check(tile_event_record(a, NULL, &why), why);
  expect(tile_event_seconds(a, b, &seconds, &why), wrong, &why,
         "no stream has recorded the event 'end'");
  expect(tile_event_seconds(a, far, &seconds, &why), wrong, &why,
         "the events are of two devices, one opened as ");
  check(tile_event_record(b, NULL, &why), why);
  check(tile_event_sync(b, &why), why);
  check(tile_event_seconds(a, b, &seconds, &why), why);
  tile_event_destroy(a);
  tile_event_destroy(b);
  tile_event_destroy(far);
  close_pair(&p);
  close_pair(&other);
}

static void test_events_of_no_stream(void **state) {
  (void)state;
  expect_no_time("cpu");
  expect_no_time("sim");
  expect_no_time("cuda");
}

// -- Several devices ---------------------------------------------------------

static void test_host_and_sim(void **state) {
  (void)state;
  Pair host, sim;
  TileDiagnostics *why = NULL;
  TileEvent *event = NULL;
  open_pair(&host, "cpu");
  open_pair(&sim, "sim");
  assert_int_equal(tile_buffer_write(host.a, 0, "to the gpu", 10), TILE_OK);
  check(tile_buffer_copy(sim.a, 4, host.a, 3, 7, NULL, &why), why);
  expect_bytes(sim.a, 4, "the gpu");
  check(tile_buffer_copy(host.b, 0, sim.a, 8, 3, NULL, &why), why);
  expect_bytes(host.b, 0, "gpu");
  expect(tile_buffer_copy(host.b, 0, sim.a, 8, 3, &host, &why),
         TILE_INVALID_ARGUMENT, &why, "stream");
  check(tile_event_create(sim.device, &event, &why), why);
  expect(tile_event_wait(event, host.device, NULL, &why), TILE_INVALID_ARGUMENT,
         &why, "a stream of cpu cannot wait for an event of sim");
  tile_event_destroy(event);
  close_pair(&host);
  close_pair(&sim);
}

static const char kernel_text[] =
    "@jit\n"
    "def k(x: *fp32, n: i32):\n"
    "    i = tl.arange(0, 16)\n"
    "    tl.store(x + i, tl.load(x + i, mask=i < n), mask=i < n)\n";

static TileLaunch launch_of(TileProgram *program, TileBuffer *buffer,
                            TileArg *args) {
  args[0] = tile_buffer_arg(buffer, TILE_FP32);
  args[1] = tile_int_arg(10);
  return (TileLaunch){.kernel = kernel_of(program, "k"),
                      .grid = {1},
                      .args = args,
                      .num_args = 2};
}

// One context and one program, as a process has them.
static void test_two_gpus(void **state) {
  FakeCuda *fake = *state;
  TileDiagnostics *why = NULL;
  TileContext *context;
  TileProgram *program;
  TileDevice *devices[2];
  TileBuffer *buffers[2];
  TileEvent *event;
  const char *const names[] = {"cuda:0", "cuda:1"};
  const TileSource source = {.text = kernel_text};
  fake->more_devices = 1;
  assert_int_equal(tile_context_create(NULL, &context), TILE_OK);
  check(tile_program_create(context, &source, &program, &why), why);
  for (int i = 0; i < 2; i++) {
    TileArg args[2];
    check(tile_device_open(context, names[i], &devices[i], &why), why);
    assert_string_equal(tile_device_name(devices[i]), names[i]);
    assert_int_equal(tile_buffer_create(devices[i], SIZE, &buffers[i]),
                     TILE_OK);
    const TileLaunch launch = launch_of(program, buffers[i], args);
    for (int n = 0; n < 2; n++)
      check(tile_launch(devices[i], &launch, &why), why);
    expect(tile_launch(devices[0], &launch, &why),
           i ? TILE_INVALID_ARGUMENT : TILE_OK, &why,
           i ? "of another device" : "");
  }
  assert_int_equal(tile_buffer_write(buffers[0], 0, "peer", 4), TILE_OK);
  check(tile_buffer_copy(buffers[1], 4, buffers[0], 0, 4, NULL, &why), why);
  assert_int_equal(fake->peer_copies, 1);
  expect_bytes(buffers[1], 4, "peer");
  check(tile_event_create(devices[0], &event, &why), why);
  check(tile_event_record(event, NULL, &why), why);
  check(tile_event_wait(event, devices[1], NULL, &why), why);
  tile_event_destroy(event);
  tile_buffer_destroy(buffers[0]);
  tile_device_destroy(devices[0]); // the other stream continues
  TileArg args[2];
  const TileLaunch launch = launch_of(program, buffers[1], args);
  check(tile_launch(devices[1], &launch, &why), why);
  tile_buffer_destroy(buffers[1]);
  tile_device_destroy(devices[1]);
  tile_program_destroy(program);
  tile_context_destroy(context);
  assert_int_equal(fake->live, 0);
}

// -- Graphs ------------------------------------------------------------------

static const char hooked_text[] =
    "def hook(args):\n"
    "    args['x'].fill_(1.5)\n"
    "@autotune(configs=[Config({}, pre_hook=hook)], key=[])\n"
    "@jit\n"
    "def k(x: *fp32, n: i32):\n"
    "    tl.store(x, n)\n";

// A call that is allowed in a capture makes no call of the driver that ends the
// capture.
static void test_capture(void **state) {
  FakeCuda *fake = *state;
  TileDiagnostics *why = NULL;
  TileProgram *program;
  TileBinding *binding;
  TileArg args[2];
  void *stream = NULL, *pinned = NULL;
  Pair p;
  const TileSource source = {.text = hooked_text};
  open_pair(&p, "cuda");
  check(tile_program_create(p.context, &source, &program, &why), why);
  check(tile_stream_create(p.device, &stream, &why), why);
  check(tile_host_alloc(p.device, SIZE, &pinned, &why), why);
  memset(pinned, 0, SIZE);
  TileLaunch launch = launch_of(program, p.a, args);
  launch.stream = stream;
  check(tile_kernel_prepare(p.device, &launch, &why), why);
  check(tile_launch_bind(p.device, &launch, &binding, &why), why);
  fake->launches = 0;
  fake->is_capturing = true;
  check(tile_buffer_write_async(p.a, 0, pinned, SIZE, stream, &why), why);
  check(tile_launch(p.device, &launch, &why), why);
  args[1] = tile_int_arg(11);
  check(tile_launch(p.device, &launch, &why), why);
  check(tile_binding_start(binding, NULL, 0, NULL, &why), why);
  assert_ptr_equal(fake->stream, stream);
  check(tile_buffer_copy(p.b, 0, p.a, 0, SIZE, stream, &why), why);
  check(tile_buffer_fill(p.a, 0, SIZE, "a", 1, stream, &why), why);
  check(tile_buffer_read_async(p.b, 0, pinned, SIZE, stream, &why), why);
  assert_false(fake->is_broken);
  assert_int_equal(fake->launches, 3);
  assert_int_equal(fake->wide_fills, 3); // of the hook
  fake->is_capturing = false;
  tile_binding_destroy(binding);
  tile_host_free(p.device, pinned);
  tile_stream_destroy(p.device, stream);
  tile_program_destroy(program);
  close_pair(&p);
  assert_int_equal(fake->live, 0);
}

static int reset(void **state) {
  FakeCuda *fake = *state;
  *fake = (FakeCuda){.fail_at = -1, .chip = 80, .local_bytes = 8};
  return 0;
}

int main(void) {
  FakeCuda *fake = fake_cuda_load(FAKE_CUDA);
  if (!fake) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cpu),
      cmocka_unit_test(test_sim),
      cmocka_unit_test(test_wrong),
      cmocka_unit_test(test_host_and_sim),
      cmocka_unit_test_prestate_setup_teardown(test_events_of_no_stream, reset,
                                               NULL, fake),
      cmocka_unit_test_prestate_setup_teardown(test_cuda, reset, NULL, fake),
      cmocka_unit_test_prestate_setup_teardown(test_two_gpus, reset, NULL,
                                               fake),
      cmocka_unit_test_prestate_setup_teardown(test_capture, reset, NULL, fake),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
