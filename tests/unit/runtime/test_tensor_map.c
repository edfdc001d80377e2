// test_tensor_map.c -- tensor maps of launches: tensors that the hardware
// accepts, the cache of maps, and a kernel's arguments.
#include "runtime/compile/tensor_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- Tensors -----------------------------------------------------------------

// A matrix of which base, rows, columns and stride are arguments 0 to 3.
static const LaunchStep steps[] = {
    {.kind = STEP_ARGUMENT, .value = 0}, {.kind = STEP_ARGUMENT, .value = 1},
    {.kind = STEP_ARGUMENT, .value = 2}, {.kind = STEP_ARGUMENT, .value = 3},
    {.kind = STEP_CONSTANT, .value = 1},
};
enum { NUM_STEPS = sizeof steps / sizeof *steps };

static const TensorMapInfo matrix = {
    .elem = ELEM_f32,
    .rank = 2,
    .box = {2, 8},
    .base = {0, 1},
    .shape = {{1, 1}, {2, 1}},
    .strides = {{3, 1}, {4, 1}},
};

static const KernelInfo one_map = {
    .maps = &matrix, .num_maps = 1, .steps = steps, .num_steps = NUM_STEPS};

static bool takes(int64_t base, int64_t rows, int64_t columns, int64_t stride) {
  const uint64_t args[] = {(uint64_t)base, (uint64_t)rows, (uint64_t)columns,
                           (uint64_t)stride};
  TensorView view;
  if (!maps_view(&one_map, 0, args, &view)) return false;
  assert_int_equal(view.base, base);
  assert_int_equal(view.shape[0], rows);
  assert_int_equal(view.shape[1], columns);
  assert_int_equal(view.strides[0], 4 * stride);
  return true;
}

static void the_hardware_takes_some_tensors(void **state) {
  (void)state;
  const int64_t most = INT64_C(1) << 32, far = INT64_C(1) << 38;
  assert_true(takes(16, 1, 1, 4));
  assert_true(takes(4096, most, most, far - 4));
  assert_true(takes(4096, 7, 100, 0)); // one row, many times
  assert_false(takes(0, 1, 1, 4));
  assert_false(takes(4104, 1, 1, 4));
  assert_false(takes(4096, 0, 1, 4));
  assert_false(takes(4096, 1, 0, 4));
  assert_false(takes(4096, -1, 1, 4));
  assert_false(takes(4096, most + 1, 1, 4));
  assert_false(takes(4096, 1, INT64_MAX, 4));
  assert_false(takes(4096, 1, 1, 5));
  assert_false(takes(4096, 1, 1, 2));
  assert_false(takes(4096, 1, 1, -4));
  assert_false(takes(4096, 1, 1, far));
  assert_false(takes(4096, 1, 1, INT64_MAX));
  assert_false(takes(4096, 1, 1, INT64_MIN));
}

// -- Maps that are kept ------------------------------------------------------

static _Atomic int num_made;
static bool refuses;

// A map is found again by its view.
static bool make_copy(TileDevice *device, const TensorMapInfo *info,
                      const TensorView *view, TensorMapImage *out,
                      Fault *fault) {
  (void)device, (void)info, (void)fault;
  num_made++;
  for (size_t i = 0; i < sizeof *out; i++)
    out->bytes[i] = ((const unsigned char *)view)[i % sizeof *view];
  return !refuses;
}

static const DeviceOps copy_ops = {.make_map = make_copy};
static TileDevice copy_device = {.ops = &copy_ops, .has_maps = true};

static bool make_at(MapCache *cache, uint64_t base, TensorMapImage *out) {
  const uint64_t args[] = {base, 10, 20, 24};
  return maps_make(cache, &copy_device, &one_map, args, out) == TENSORS_FIT;
}

static void expect_made(MapCache *cache, uint64_t base, int wanted) {
  TensorMapImage map;
  uint64_t word;
  num_made = 0;
  assert_true(make_at(cache, base, &map));
  memcpy(&word, map.bytes, sizeof word);
  assert_int_equal(word, base);
  assert_int_equal(num_made, wanted);
}

static void the_last_few_are_kept(void **state) {
  (void)state;
  MapCache *cache = maps_create(&system_allocator, 1);
  TensorMapImage map;
  for (uint64_t base = 16; base <= 64; base += 16) expect_made(cache, base, 1);
  for (uint64_t base = 16; base <= 64; base += 16) expect_made(cache, base, 0);
  expect_made(cache, 80, 1); // in place of the first
  expect_made(cache, 16, 1);
  expect_made(cache, 80, 0);
  refuses = true;
  assert_false(make_at(cache, 96, &map));
  refuses = false;
  expect_made(cache, 96, 1); // a failure is not kept
  assert_false(make_at(cache, 100, &map));
  maps_destroy(&system_allocator, cache);
}

enum { ROUNDS = 20000, NUM_THREADS = 4, NUM_BASES = 6 };

static void *make_many(void *data) {
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < ROUNDS; i++) {
    TensorMapImage map;
    const uint64_t base = 16 * (1 + i * i % NUM_BASES);
    wrong += !make_at(data, base, &map);
    for (size_t k = 0; k + 8 <= sizeof map; k += sizeof(TensorView)) {
      uint64_t word;
      memcpy(&word, map.bytes + k, sizeof word);
      wrong += word != base;
    }
  }
  return (void *)(uintptr_t)wrong;
}

// A reader never sees half of another thread's write.
static void threads_share_what_is_kept(void **state) {
  (void)state;
  MapCache *cache = maps_create(&system_allocator, 1);
  pthread_t threads[NUM_THREADS];
  for (int i = 0; i < NUM_THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, make_many, cache), 0);
  for (int i = 0; i < NUM_THREADS; i++) {
    void *wrong;
    pthread_join(threads[i], &wrong);
    assert_null(wrong);
  }
  maps_destroy(&system_allocator, cache);
}

// -- In a kernel -------------------------------------------------------------

// Stores the box at row %row and column %column, which comes by the map.
static const char box_ptx[] =
    ".version 8.4\n"
    ".target sm_90a\n"
    ".address_size 64\n"
    ".visible .entry box(.param .u64 out, .param .u32 row, .param .u32 "
    "column,\n"
    "                    .param .align 64 .b8 map[128])\n"
    ".reqntid 32\n"
    "{\n"
    "  .reg .pred %p<3>;\n"
    "  .reg .b32 %r<10>;\n"
    "  .reg .b64 %rd<8>;\n"
    "  .shared .align 128 .b8 tile[64];\n"
    "  .shared .align 8 .b64 full;\n"
    "  ld.param.u64 %rd1, [out];\n"
    "  cvta.to.global.u64 %rd1, %rd1;\n"
    "  ld.param.u32 %r1, [row];\n"
    "  ld.param.u32 %r2, [column];\n"
    "  mov.b64 %rd2, map;\n"
    "  cvta.param.u64 %rd2, %rd2;\n"
    "  mov.u32 %r3, tile;\n"
    "  mov.u32 %r4, full;\n"
    "  mov.u32 %r5, %tid.x;\n"
    "  setp.ne.u32 %p1, %r5, 0;\n"
    "  @%p1 bra WAIT;\n"
    "  mbarrier.init.shared.b64 [%r4], 1;\n"
    "  fence.mbarrier_init.release.cluster;\n"
    "  fence.proxy.async.shared::cta;\n"
    "  mbarrier.arrive.expect_tx.shared.b64 _, [%r4], 64;\n"
    "  cp.async.bulk.tensor.2d.shared::cluster.global.tile"
    ".mbarrier::complete_tx::bytes [%r3], [%rd2, {%r2, %r1}], [%r4];\n"
    "WAIT:\n"
    "  bar.sync 0;\n"
    "AGAIN:\n"
    "  mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0;\n"
    "  @!%p2 bra AGAIN;\n"
    "  setp.gt.u32 %p1, %r5, 15;\n"
    "  @%p1 ret;\n"
    "  mad.lo.u32 %r6, %r5, 4, %r3;\n"
    "  ld.shared.u32 %r7, [%r6];\n"
    "  mul.wide.u32 %rd3, %r5, 4;\n"
    "  add.u64 %rd3, %rd1, %rd3;\n"
    "  st.global.u32 [%rd3], %r7;\n"
    "  ret;\n"
    "}\n";

enum { ROWS = 5, COLUMNS = 20, STRIDE = 24, OUT = 16 };

static const KernelParam box_params[] = {
    {.rule = PARAM_ARGUMENT, .index = 0, .is_pointer = true, .size = 8},
    {.rule = PARAM_ARGUMENT, .index = 1, .elem = ELEM_i32, .size = 4},
    {.rule = PARAM_ARGUMENT, .index = 2, .elem = ELEM_i32, .size = 4},
    {.rule = PARAM_TENSOR_MAP, .index = 0, .size = 128, .align = 64},
};

typedef struct {
  TileContext *context;
  TileDevice *device;
  TileBuffer *in, *out;
  DeviceKernel *kernel;
  KernelInfo info;
} World;

static void world_open(World *w) {
  float in[ROWS * STRIDE];
  for (int i = 0; i < ROWS * STRIDE; i++) in[i] = (float)i + 1;
  const CompiledCode code = {.data = box_ptx, .size = sizeof box_ptx - 1};
  Fault fault;
  w->info = (KernelInfo){.symbol = "box",
                         .params = box_params,
                         .num_params = 4,
                         .maps = &matrix,
                         .num_maps = 1,
                         .steps = steps,
                         .num_steps = NUM_STEPS,
                         .num_warps = 1};
  assert_int_equal(tile_context_create(NULL, &w->context), TILE_OK);
  assert_int_equal(tile_device_open(w->context, "sim", &w->device, NULL),
                   TILE_OK);
  assert_true(w->device->has_maps);
  assert_int_equal(tile_buffer_create(w->device, sizeof in, &w->in), TILE_OK);
  assert_int_equal(tile_buffer_create(w->device, 4 * OUT, &w->out), TILE_OK);
  assert_int_equal(tile_buffer_write(w->in, 0, in, sizeof in), TILE_OK);
  assert_true(
      w->device->ops->load(w->device, &code, &w->info, &w->kernel, &fault));
}

static void world_close(World *w) {
  w->device->ops->unload(w->device, w->kernel);
  tile_buffer_destroy(w->in);
  tile_buffer_destroy(w->out);
  tile_device_destroy(w->device);
  tile_context_destroy(w->context);
}

static void load_box(const World *w, const TensorMapImage *map, int row,
                     int column, float out[OUT]) {
  uint64_t args[] = {(uint64_t)(uintptr_t)w->out->address, (uint32_t)row,
                     (uint32_t)column, 0};
  const DeviceLaunch launch = {.kernel = w->kernel,
                               .info = &w->info,
                               .args = args,
                               .maps = map,
                               .grid = {1, 1, 1}};
  Fault fault = {.status = TILE_OK};
  if (!w->device->ops->launch(w->device, &launch, &fault))
    fail_msg("%s", fault.text);
  assert_int_equal(tile_device_sync(w->device, NULL), TILE_OK);
  assert_int_equal(tile_buffer_read(w->out, 0, out, 4 * OUT), TILE_OK);
}

// The element of the tensor; outside of it 0.
static float element(int row, int column) {
  const bool inside = row >= 0 && row < ROWS && column >= 0 && column < COLUMNS;
  return inside ? (float)(row * STRIDE + column) + 1 : 0;
}

static void a_kernel_copies_by_its_map(void **state) {
  (void)state;
  static const int places[][2] = {{0, 0}, {3, 8}, {4, 16}, {-1, -3}, {9, 9}};
  World w;
  world_open(&w);
  MapCache *cache = maps_create(&system_allocator, 1);
  const uint64_t args[] = {(uint64_t)(uintptr_t)w.in->address, ROWS, COLUMNS,
                           STRIDE};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    TensorMapImage map;
    float out[OUT];
    assert_int_equal(maps_make(cache, w.device, &w.info, args, &map),
                     TENSORS_FIT);
    load_box(&w, &map, places[i][0], places[i][1], out);
    for (int k = 0; k < OUT; k++)
      assert_true(out[k] ==
                  element(places[i][0] + k / 8, places[i][1] + k % 8));
  }
  maps_destroy(&system_allocator, cache);
  world_close(&w);
}

// -- Memory that is passed twice ---------------------------------------------

// Two tensors of bytes; of each, arguments are the address, three sizes and two
// strides.
enum { PARTS = 6, SIDE_MOST = 3, SPAN = 64 };

static const TensorMapInfo pair[] = {
    {.elem = ELEM_i8,
     .rank = 3,
     .box = {1, 1, 1},
     .apart = 1 << PARTS,
     .base = {0, 1},
     .shape = {{1, 1}, {2, 1}, {3, 1}},
     .strides = {{4, 1}, {5, 1}, {0, 1}}},
    {.elem = ELEM_i8,
     .rank = 3,
     .box = {1, 1, 1},
     .base = {6, 1},
     .shape = {{7, 1}, {8, 1}, {9, 1}},
     .strides = {{10, 1}, {11, 1}, {6, 1}}},
};

static bool overlap_of(const int64_t *numbers, int num_maps) {
  LaunchStep own_steps[2 * PARTS];
  KernelParam params[2 * PARTS];
  uint64_t args[2 * PARTS];
  for (int i = 0; i < 2 * PARTS; i++) {
    own_steps[i] = (LaunchStep){.kind = STEP_ARGUMENT, .value = i};
    params[i] = (KernelParam){.is_pointer = i % PARTS == 0};
    args[i] = (uint64_t)numbers[i];
  }
  const KernelInfo info = {.params = params,
                           .num_params = 2 * PARTS,
                           .maps = pair,
                           .num_maps = num_maps,
                           .steps = own_steps,
                           .num_steps = 2 * PARTS};
  return maps_overlap(&info, args);
}

// The bytes of a tensor are bits of the result.
static void mark(const int64_t *x, bool *bytes) {
  for (int64_t i = 0; i < x[1]; i++)
    for (int64_t k = 0; k < x[2]; k++)
      for (int64_t j = 0; j < x[3]; j++)
        bytes[x[0] + i * x[4] + k * x[5] + j] = true;
}

static bool share_bytes(const int64_t *x, const int64_t *y) {
  bool of_x[4 * SPAN] = {false}, of_y[4 * SPAN] = {false};
  bool share = false;
  mark(x, of_x);
  mark(y, of_y);
  for (int i = 0; i < 4 * SPAN; i++) share |= of_x[i] && of_y[i];
  return share;
}

// Tensors that share bytes are found, and most of the others told apart.
static void shared_memory_is_found(void **state) {
  (void)state;
  uint32_t seed = 1;
  int apart = 0;
  for (int i = 0; i < 200000; i++) {
    int64_t numbers[2 * PARTS];
    for (int k = 0; k < 2 * PARTS; k++) {
      seed = seed * 1664525 + 1013904223;
      const int64_t number = seed >> 16;
      const int part = k % PARTS;
      numbers[k] = part == 0  ? number % SPAN
                   : part < 4 ? number % SIDE_MOST + 1
                              : number % 16;
    }
    if (i % 2) memcpy(numbers + PARTS + 4, numbers + 4, 2 * sizeof *numbers);
    const bool share = share_bytes(numbers, numbers + PARTS);
    const bool found = overlap_of(numbers, 2);
    if (share) assert_true(found);
    apart += !found;
  }
  assert_true(apart > 100000);
}

static void parts_of_a_matrix_are_told_apart(void **state) {
  (void)state;
  // Columns 0 to 4, and from 4 on or from 3 on.
  int64_t numbers[] = {64, 1, 9, 4, 0, 8, 68, 1, 9, 4, 0, 8};
  assert_false(overlap_of(numbers, 2));
  numbers[6] = 67;
  assert_true(overlap_of(numbers, 2));
  // Nothing but an address is known.
  numbers[6] = 68;
  assert_false(overlap_of(numbers, 1));
  numbers[6] = 64 + 8 * 8 + 3;
  assert_true(overlap_of(numbers, 1));
  numbers[6] = 64 + 9 * 8;
  assert_false(overlap_of(numbers, 1));
  // A size that is not checked counts as one block; very long rows do not wrap.
  numbers[2] = TENSOR_NO_END;
  numbers[6] = 64 + 8;
  assert_false(overlap_of(numbers, 1));
  numbers[2] = TENSOR_NO_END - 1;
  numbers[5] = INT64_MAX / 2;
  assert_false(overlap_of(numbers, 2));
  numbers[6] = 64;
  assert_true(overlap_of(numbers, 2));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_hardware_takes_some_tensors),
      cmocka_unit_test(the_last_few_are_kept),
      cmocka_unit_test(threads_share_what_is_kept),
      cmocka_unit_test(a_kernel_copies_by_its_map),
      cmocka_unit_test(shared_memory_is_found),
      cmocka_unit_test(parts_of_a_matrix_are_told_apart),
  };
  setenv("TILE_SIM_CHIP", "sm_90", 1);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
