// test_dlpack.c -- tensors of other libraries as buffers, and back.
#include "tests/runtime/fake_cuda.h"
#include "tests/runtime/world.h"

// The struct has the fields that DLPack's own header declares.
struct DLManagedTensor {
  struct {
    void *data;
    struct {
      int32_t type, id;
    } device;
    int32_t ndim;
    struct {
      uint8_t code, bits;
      uint16_t lanes;
    } dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
  } t;
  void *ctx;
  void (*deleter)(struct DLManagedTensor *self);
};
typedef struct DLManagedTensor Tensor;

typedef struct {
  TileContext *context;
  TileDevice *device;
} Place;

static void open_place(Place *p, const char *name) {
  assert_int_equal(tile_context_create(NULL, &p->context), TILE_OK);
  assert_int_equal(tile_device_open(p->context, name, &p->device, NULL),
                   TILE_OK);
}

static void close_place(Place *p) {
  tile_device_destroy(p->device);
  tile_context_destroy(p->context);
}

static void count_deleted(Tensor *tensor) {
  ++*(int *)tensor->ctx;
}

static Tensor floats(float *data, int64_t *shape, int rank, int *deleted) {
  return (Tensor){.t = {.data = data,
                        .device = {.type = 1},
                        .ndim = rank,
                        .dtype = {2, 32, 1},
                        .shape = shape},
                  .ctx = deleted,
                  .deleter = count_deleted};
}

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

// -- In ----------------------------------------------------------------------

static void launch_copy(const Place *p, TileBuffer *from, TileBuffer *to) {
  TileProgram *program;
  const TileSource source = {.text = copy_text};
  assert_int_equal(tile_program_create(p->context, &source, &program, NULL),
                   TILE_OK);
  const TileArg args[] = {tile_buffer_arg(from, TILE_FP32),
                          tile_buffer_arg(to, TILE_FP32), tile_int_arg(4)};
  const TileLaunch launch = {.kernel = kernel_of(program, NULL),
                             .grid = {1},
                             .args = args,
                             .num_args = 3};
  assert_int_equal(tile_launch(p->device, &launch, NULL), TILE_OK);
  tile_program_destroy(program);
}

static void test_in(void **state) {
  (void)state;
  Place p;
  _Alignas(16) float data[16] = {0, 0, 0, 0, 1, 2, 3, 4};
  int64_t shape[] = {2, 3}, strides[] = {4, 1};
  int deleted = 0;
  TileBuffer *from = NULL, *to = NULL;
  TileDtype dtype;
  Tensor tensor = floats(data, shape, 2, &deleted);
  open_place(&p, "cpu");
  tensor.t.byte_offset = 16;
  assert_int_equal(
      tile_buffer_from_dlpack(p.device, &tensor, &from, &dtype, NULL), TILE_OK);
  assert_int_equal(dtype, TILE_FP32);
  assert_ptr_equal(tile_buffer_address(from), data + 4);
  assert_int_equal(tile_buffer_size(from), 24);
  tensor.t.strides = strides;
  assert_int_equal(tile_buffer_from_dlpack(p.device, &tensor, &to, NULL, NULL),
                   TILE_OK);
  assert_int_equal(tile_buffer_size(to), 7 * 4);
  launch_copy(&p, from, to);
  assert_true(data[4] == 2 && data[5] == 4 && data[6] == 6 && data[7] == 8);
  assert_int_equal(deleted, 0);
  tile_buffer_destroy(from);
  tile_buffer_destroy(to);
  assert_int_equal(deleted, 2);
  close_place(&p);
}

static size_t size_of(const Place *p, int rank, int64_t *shape,
                      int64_t *strides) {
  float data[1];
  int deleted = 0;
  TileBuffer *buffer = NULL;
  Tensor tensor = floats(data, shape, rank, &deleted);
  tensor.t.strides = strides;
  const TileStatus status =
      tile_buffer_from_dlpack(p->device, &tensor, &buffer, NULL, NULL);
  assert_int_equal(status, buffer ? TILE_OK : TILE_UNSUPPORTED);
  const size_t size = tile_buffer_size(buffer);
  tile_buffer_destroy(buffer);
  assert_int_equal(deleted, buffer != NULL);
  return size;
}

static void test_sizes(void **state) {
  (void)state;
  Place p;
  open_place(&p, "cpu");
  assert_int_equal(size_of(&p, 0, NULL, NULL), 4);
  assert_int_equal(size_of(&p, 1, (int64_t[]){0}, NULL), 0);
  assert_int_equal(size_of(&p, 2, (int64_t[]){3, 5}, NULL), 60);
  assert_int_equal(size_of(&p, 2, (int64_t[]){3, 5}, (int64_t[]){1, 3}), 60);
  assert_int_equal(size_of(&p, 2, (int64_t[]){3, 5}, (int64_t[]){0, 1}), 20);
  assert_int_equal(size_of(&p, 2, (int64_t[]){1, 5}, (int64_t[]){-9, 2}), 36);
  assert_int_equal(size_of(&p, 2, (int64_t[]){2, 5}, (int64_t[]){-5, 1}), 0);
  assert_int_equal(size_of(&p, 1, NULL, NULL), 0);
  assert_int_equal(size_of(&p, 65, (int64_t[65]){1}, NULL), 0);
  assert_int_equal(size_of(&p, 2, (int64_t[]){INT64_MAX, INT64_MAX}, NULL), 0);
  assert_int_equal(size_of(&p, 1, (int64_t[]){INT64_MAX}, NULL), 0);
  close_place(&p);
}

static void test_wrong_in(void **state) {
  (void)state;
  Place p;
  float data[1];
  int64_t shape[] = {1};
  int deleted = 0;
  TileBuffer *buffer = NULL;
  TileDiagnostics *why = NULL;
  Tensor tensor = floats(data, shape, 1, &deleted);
  open_place(&p, "cpu");
  tensor.t.device.type = 2;
  expect(tile_buffer_from_dlpack(p.device, &tensor, &buffer, NULL, &why),
         TILE_UNSUPPORTED, &why, "a tensor of cpu is wanted");
  tensor.t.device.type = 1;
  tensor.t.ndim = -1;
  expect(tile_buffer_from_dlpack(p.device, &tensor, &buffer, NULL, &why),
         TILE_INVALID_ARGUMENT, &why, "found -1");
  tensor.t.ndim = 1;
  shape[0] = -1;
  expect(tile_buffer_from_dlpack(p.device, &tensor, &buffer, NULL, &why),
         TILE_INVALID_ARGUMENT, &why, "size 0 of the tensor is -1");
  shape[0] = 1;
  tensor.t.byte_offset = UINT64_MAX - 3;
  expect(tile_buffer_from_dlpack(p.device, &tensor, &buffer, NULL, &why),
         TILE_INVALID_ARGUMENT, &why, "offset of 18446744073709551612 is past");
  tensor.t.byte_offset = 0;
  tensor.t.dtype.code = 5;
  expect(tile_buffer_from_dlpack(p.device, &tensor, &buffer, NULL, &why),
         TILE_UNSUPPORTED, &why, "code 5, 32 bits, 1 lanes");
  tensor.t.dtype.code = 2;
  tensor.t.dtype.lanes = 4;
  expect(tile_buffer_from_dlpack(p.device, &tensor, &buffer, NULL, &why),
         TILE_UNSUPPORTED, &why, "4 lanes");
  expect(tile_buffer_from_dlpack(p.device, NULL, &buffer, NULL, &why),
         TILE_INVALID_ARGUMENT, &why, "'tensor' is NULL");
  expect(tile_buffer_from_dlpack(p.device, &tensor, NULL, NULL, &why),
         TILE_INVALID_ARGUMENT, &why, "'out' is NULL");
  assert_null(buffer);
  assert_int_equal(deleted, 0);
  tensor.t.device.type = 3; // memory of the host that a driver has pinned
  tensor.t.dtype.lanes = 1;
  tensor.deleter = NULL;
  assert_int_equal(
      tile_buffer_from_dlpack(p.device, &tensor, &buffer, NULL, NULL), TILE_OK);
  tile_buffer_destroy(buffer);
  close_place(&p);
}

static void test_no_data(void **state) {
  (void)state;
  Place p;
  int64_t shape[] = {1};
  int deleted = 0;
  TileBuffer *buffer = NULL;
  TileDiagnostics *why = NULL;
  Tensor tensor = floats(NULL, shape, 1, &deleted);
  open_place(&p, "cpu");
  tensor.t.byte_offset = 4;
  expect(tile_buffer_from_dlpack(p.device, &tensor, &buffer, NULL, &why),
         TILE_INVALID_ARGUMENT, &why, "the tensor has 4 bytes, and no data");
  assert_null(buffer);
  shape[0] = 0; // an empty one has none
  assert_int_equal(
      tile_buffer_from_dlpack(p.device, &tensor, &buffer, NULL, NULL), TILE_OK);
  assert_null(tile_buffer_address(buffer));
  tile_buffer_destroy(buffer);
  assert_int_equal(deleted, 1);
  close_place(&p);
}

// -- Out ---------------------------------------------------------------------

static void test_out(void **state) {
  (void)state;
  Place p;
  TileBuffer *buffer, *again = NULL;
  Tensor *tensor = NULL;
  TileDtype dtype;
  const int64_t shape[] = {2, 0, 3}, full[] = {2, 4, 3};
  open_place(&p, "cpu");
  assert_int_equal(tile_buffer_create(p.device, 48, &buffer), TILE_OK);
  assert_int_equal(
      tile_buffer_to_dlpack(buffer, TILE_BF16, 3, full, &tensor, NULL),
      TILE_OK);
  assert_ptr_equal(tensor->t.data, tile_buffer_address(buffer));
  assert_int_equal(tensor->t.device.type, 1);
  assert_int_equal(tensor->t.dtype.code, 4);
  assert_int_equal(tensor->t.dtype.bits, 16);
  assert_int_equal(tensor->t.dtype.lanes, 1);
  assert_memory_equal(tensor->t.shape, full, sizeof full);
  const int64_t strides[] = {12, 3, 1};
  assert_memory_equal(tensor->t.strides, strides, sizeof strides);
  assert_int_equal(tensor->t.byte_offset, 0);
  // The way back: the new buffer owns the tensor.
  assert_int_equal(
      tile_buffer_from_dlpack(p.device, tensor, &again, &dtype, NULL), TILE_OK);
  assert_int_equal(dtype, TILE_BF16);
  assert_int_equal(tile_buffer_size(again), 48);
  tile_buffer_destroy(again);
  assert_int_equal(tile_buffer_create(p.device, 0, &buffer), TILE_OK);
  assert_int_equal(
      tile_buffer_to_dlpack(buffer, TILE_INT64, 3, shape, &tensor, NULL),
      TILE_OK);
  tensor->deleter(tensor);
  close_place(&p);
}

static void test_wrong_out(void **state) {
  (void)state;
  Place p;
  TileBuffer *buffer;
  Tensor *tensor = NULL;
  TileDiagnostics *why = NULL;
  const int64_t shape[] = {13, -1, INT64_MAX};
  open_place(&p, "cpu");
  assert_int_equal(tile_buffer_create(p.device, 48, &buffer), TILE_OK);
  expect(tile_buffer_to_dlpack(buffer, TILE_FP32, 1, shape, &tensor, &why),
         TILE_INVALID_ARGUMENT, &why, "52 bytes at 0 of a buffer of 48");
  expect(tile_buffer_to_dlpack(buffer, TILE_FP32, 2, shape, &tensor, &why),
         TILE_INVALID_ARGUMENT, &why, "size 1 of the tensor is -1");
  expect(tile_buffer_to_dlpack(buffer, TILE_FP32, 1, shape + 2, &tensor, &why),
         TILE_INVALID_ARGUMENT, &why, "size 0 of the tensor is 9223");
  expect(tile_buffer_to_dlpack(buffer, TILE_FP32, 65, shape, &tensor, &why),
         TILE_INVALID_ARGUMENT, &why, "found 65");
  expect(tile_buffer_to_dlpack(buffer, TILE_FP32, 1, NULL, &tensor, &why),
         TILE_INVALID_ARGUMENT, &why, "'shape' is NULL");
  expect(tile_buffer_to_dlpack(buffer, TILE_FP8E4B15, 0, NULL, &tensor, &why),
         TILE_UNSUPPORTED, &why, "fp8e4b15");
  assert_null(tensor);
  tile_buffer_destroy(buffer);
  close_place(&p);
}

// -- Other devices -----------------------------------------------------------

static void test_simulator(void **state) {
  (void)state;
  Place p;
  TileBuffer *buffer;
  Tensor *tensor = NULL;
  TileDiagnostics *why = NULL;
  open_place(&p, "sim");
  assert_int_equal(tile_buffer_create(p.device, 48, &buffer), TILE_OK);
  expect(tile_buffer_to_dlpack(buffer, TILE_FP32, 0, NULL, &tensor, &why),
         TILE_UNSUPPORTED, &why, "DLPack has no name for the memory of sim");
  tile_buffer_destroy(buffer);
  close_place(&p);
}

static void test_driver(void **state) {
  FakeCuda *fake = *state;
  Place p;
  int deleted = 0;
  float data[4];
  int64_t shape[] = {4};
  TileBuffer *buffer;
  Tensor *tensor = NULL, own = floats(data, shape, 1, &deleted);
  TileDiagnostics *why = NULL;
  *fake = (FakeCuda){
      .fail_at = -1, .chip = 80, .local_bytes = 8, .more_devices = 1};
  open_place(&p, "cuda:1");
  assert_int_equal(tile_buffer_create(p.device, 48, &buffer), TILE_OK);
  assert_int_equal(
      tile_buffer_to_dlpack(buffer, TILE_FP32, 0, NULL, &tensor, NULL),
      TILE_OK);
  assert_int_equal(tensor->t.device.type, 2);
  assert_int_equal(tensor->t.device.id, 1);
  tensor->deleter(tensor);
  own.t.device.type = 2;
  expect(tile_buffer_from_dlpack(p.device, &own, &buffer, NULL, &why),
         TILE_UNSUPPORTED, &why,
         "of cuda:1 is wanted, found DLPack's device 2");
  own.t.device.id = 1;
  assert_int_equal(tile_buffer_from_dlpack(p.device, &own, &buffer, NULL, &why),
                   TILE_OK);
  const int before = fake->calls;
  tile_buffer_destroy(buffer); // waits for the launches
  assert_true(fake->calls > before);
  assert_int_equal(deleted, 1);
  close_place(&p);
  assert_int_equal(fake->live, 0);
}

int main(void) {
  FakeCuda *fake = fake_cuda_load(FAKE_CUDA);
  if (!fake) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_in),
      cmocka_unit_test(test_sizes),
      cmocka_unit_test(test_wrong_in),
      cmocka_unit_test(test_no_data),
      cmocka_unit_test(test_out),
      cmocka_unit_test(test_wrong_out),
      cmocka_unit_test(test_simulator),
      cmocka_unit_test_prestate(test_driver, fake),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
