// test_cancel.c -- compilations that the caller ends, at each point where it is
// asked: nothing is leaked, and the same launch works afterwards.
#include "tests/runtime/world.h"

#include <pthread.h>
#include <stdatomic.h>

// `add` is the sum over i < 64 of x[i], by static_range: much to compile.
static const char source_text[] =
    "@triton.jit\n"
    "def add(x, out, n):\n"
    "    s = 0.0\n"
    "    for i in tl.static_range(64):\n"
    "        s += tl.load(x + i, mask=i < n, other=0.0)\n"
    "    tl.store(out, s)\n";

typedef struct {
  _Atomic long asked, end_at, live;
} Meter;

static void *meter_alloc(void *ctx, size_t size) {
  Meter *meter = ctx;
  atomic_fetch_add(&meter->live, 1);
  return malloc(size);
}

static void meter_free(void *ctx, void *block) {
  Meter *meter = ctx;
  atomic_fetch_sub(&meter->live, 1);
  free(block);
}

static bool ask(void *ctx) {
  Meter *meter = ctx;
  return atomic_fetch_add(&meter->asked, 1) == meter->end_at;
}

typedef struct {
  Meter *meter;
  TileContext *context;
  TileDevice *device;
  TileProgram *program;
  TileKernel *kernel;
  TileBuffer *x, *out;
} Summing;

static void open_summing(Summing *s, Meter *meter, const char *device) {
  float values[64];
  const TileSource source = {.text = source_text};
  const TileContextOptions options = {
      .size = sizeof options,
      .allocator = {meter_alloc, meter_free, meter},
      .cancelled = ask,
      .cancelled_ctx = meter};
  *s = (Summing){.meter = meter};
  assert_int_equal(tile_context_create(&options, &s->context), TILE_OK);
  assert_int_equal(tile_device_open(s->context, device, &s->device, NULL),
                   TILE_OK);
  assert_int_equal(tile_program_create(s->context, &source, &s->program, NULL),
                   TILE_OK);
  s->kernel = kernel_of(s->program, NULL);
  assert_int_equal(tile_buffer_create(s->device, sizeof values, &s->x),
                   TILE_OK);
  assert_int_equal(tile_buffer_create(s->device, 4, &s->out), TILE_OK);
  for (int i = 0; i < 64; i++) values[i] = (float)i;
  assert_int_equal(tile_buffer_write(s->x, 0, values, sizeof values), TILE_OK);
}

static void close_summing(Summing *s) {
  tile_buffer_destroy(s->x);
  tile_buffer_destroy(s->out);
  tile_program_destroy(s->program);
  tile_device_destroy(s->device);
  tile_context_destroy(s->context);
  assert_int_equal(s->meter->live, 0);
}

static TileStatus sum(const Summing *s, TileBuffer *out,
                      TileDiagnostics **why) {
  const TileArg args[] = {tile_buffer_arg(s->x, TILE_FP32),
                          tile_buffer_arg(out, TILE_FP32), tile_int_arg(10)};
  const TileLaunch launch = {
      .kernel = s->kernel, .grid = {1}, .args = args, .num_args = 3};
  return tile_launch(s->device, &launch, why);
}

static void expect_sum(const Summing *s) {
  float found = 0;
  assert_int_equal(sum(s, s->out, NULL), TILE_OK);
  assert_int_equal(tile_buffer_read(s->out, 0, &found, sizeof found), TILE_OK);
  assert_true(found == 45);
}

static long count_asks(const char *device) {
  Meter meter = {.end_at = -1};
  Summing s;
  open_summing(&s, &meter, device);
  expect_sum(&s);
  close_summing(&s);
  return meter.asked;
}

static void end_everywhere(const char *device) {
  const long asks = count_asks(device);
  assert_true(asks > 3);
  for (long i = 0; i < asks; i++) {
    Meter meter = {.end_at = i};
    TileDiagnostics *why = NULL;
    Summing s;
    open_summing(&s, &meter, device);
    assert_int_equal(sum(&s, s.out, &why), TILE_CANCELLED);
    assert_non_null(strstr(tile_diagnostics_text(why), "was cancelled"));
    tile_diagnostics_destroy(why);
    expect_sum(&s);
    close_summing(&s);
  }
}

static void test_cpu(void **state) {
  (void)state;
  end_everywhere("cpu");
}

static void test_sim(void **state) {
  (void)state;
  end_everywhere("sim");
}

// -- Threads that want the same variant --------------------------------------

static void *sum_until_done(void *data) {
  const Summing *s = data;
  TileBuffer *out = NULL;
  float found = 0;
  TileStatus status = tile_buffer_create(s->device, 4, &out);
  for (bool again = true; again; again = status == TILE_CANCELLED)
    status = sum(s, out, NULL);
  if (!status) status = tile_buffer_read(out, 0, &found, sizeof found);
  tile_buffer_destroy(out);
  return status || found != 45 ? data : NULL;
}

static void test_threads(void **state) {
  (void)state;
  for (long i = 0; i < 4; i++) {
    Meter meter = {.end_at = i};
    pthread_t threads[4];
    Summing s;
    open_summing(&s, &meter, "cpu");
    for (int t = 0; t < 4; t++)
      assert_int_equal(pthread_create(&threads[t], NULL, sum_until_done, &s),
                       0);
    for (int t = 0; t < 4; t++) {
      void *wrong;
      pthread_join(threads[t], &wrong);
      assert_null(wrong);
    }
    close_summing(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cpu),
      cmocka_unit_test(test_sim),
      cmocka_unit_test(test_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
