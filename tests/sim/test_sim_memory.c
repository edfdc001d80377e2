// test_sim_memory.c -- memory of every kind, attributes of pointers, and copies
// of two and three dimensions.
#include "sim_kit.h"

enum {
  INVALID_VALUE = 1,
  ILLEGAL_ADDRESS = 700,
  ALREADY_REGISTERED = 712,
  NOT_REGISTERED = 713,
  NOT_SUPPORTED = 801,
};

enum { HOST = 1, DEVICE = 2, ARRAY = 3, UNIFIED = 4 };

// CUDA_MEMCPY2D and CUDA_MEMCPY3D, as cuda.h lays them out.
typedef struct {
  size_t from_x, from_y;
  int from_type;
  const void *from_host;
  CUdeviceptr from_device;
  void *from_array;
  size_t from_pitch;
  size_t to_x, to_y;
  int to_type;
  void *to_host;
  CUdeviceptr to_device;
  void *to_array;
  size_t to_pitch, width, height;
} Copy2D;

typedef struct {
  size_t x, y, z, lod;
  int type;
  const void *host;
  CUdeviceptr device;
  void *array, *reserved;
  size_t pitch, height;
} End;

typedef struct {
  End from, to;
  size_t width, height, depth;
} Copy3D;

// CUmemPoolProps.
typedef struct {
  int kind, handle_types, location_type, location;
  void *security;
  size_t most;
  unsigned char usage[56];
} PoolProperties;

typedef struct CUmemPoolHandle_st *CUmemoryPool;

int cuDeviceGetDefaultMemPool(CUmemoryPool *pool, int device);
int cuDeviceGetMemPool(CUmemoryPool *pool, int device);
int cuDeviceSetMemPool(int device, CUmemoryPool pool);
int cuMemPoolCreate(CUmemoryPool *pool, const PoolProperties *properties);
int cuMemPoolDestroy(CUmemoryPool pool);
int cuMemPoolSetAttribute(CUmemoryPool pool, int attribute, void *value);
int cuMemPoolGetAttribute(CUmemoryPool pool, int attribute, void *value);
int cuMemAllocAsync(CUdeviceptr *address, size_t size, CUstream stream);
int cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t size,
                            CUmemoryPool pool, CUstream stream);
int cuMemcpy2D_v2(const Copy2D *copy);
int cuMemcpy2DAsync_v2(const Copy2D *copy, CUstream stream);
int cuMemcpy3D_v2(const Copy3D *copy);
int cuMemsetD2D8_v2(CUdeviceptr address, size_t pitch, unsigned char value,
                    size_t width, size_t height);
int cuMemsetD2D16_v2(CUdeviceptr address, size_t pitch, unsigned short value,
                     size_t width, size_t height);
int cuMemsetD2D32_v2(CUdeviceptr address, size_t pitch, unsigned value,
                     size_t width, size_t height);

// out[t] = in[t] + 1
static const char add_one[] =
    "mul.wide.u32 %d1, %t, 4; add.u64 %d2, %in, %d1; add.u64 %d3, %out, %d1;\n"
    "ld.global.u32 %r1, [%d2]; add.u32 %r1, %r1, 1; st.global.u32 [%d3], %r1;";

static int run(CUdeviceptr out, CUdeviceptr in, unsigned threads) {
  CUmodule module = kit_load_body(add_one);
  void *params[] = {&out, &in};
  const int error = kit_run(module, "k", (KitShape){{1}, {threads}, 0}, params);
  if (!error) assert_int_equal(cuModuleUnload(module), 0);
  return error;
}

static CUdeviceptr device_of(void *host) {
  CUdeviceptr device = 0;
  assert_int_equal(cuMemHostGetDevicePointer_v2(&device, host, 0), 0);
  return device;
}

// Kernels and host access the same memory, without a copy.
static void test_host(void **state) {
  (void)state;
  unsigned flags = 99;
  uint32_t *in, *out, own[32], other;
  CUdeviceptr device;
  assert_int_equal(cuMemHostAlloc((void **)&in, 128, 2), 0);
  assert_int_equal(cuMemHostAlloc((void **)&out, 128, 0), 0);
  for (uint32_t i = 0; i < 32; i++) in[i] = i;
  assert_int_equal(run(device_of(out), device_of(in), 32), 0);
  for (uint32_t i = 0; i < 32; i++) assert_int_equal(out[i], i + 1);
  assert_int_equal(cuMemHostRegister_v2(own, sizeof own, 0), 0);
  assert_int_equal(run(device_of(own), device_of(in + 16), 16), 0);
  for (uint32_t i = 0; i < 16; i++) assert_int_equal(own[i], i + 17);
  assert_int_equal(cuMemHostGetFlags(&flags, in), 0);
  assert_int_equal(flags, 2);
  assert_int_equal(cuMemHostGetFlags(&flags, &other), INVALID_VALUE);
  assert_int_equal(cuMemHostGetDevicePointer_v2(&device, &other, 0),
                   INVALID_VALUE);
  assert_int_equal(cuMemHostGetDevicePointer_v2(&device, in, 1), INVALID_VALUE);
  assert_int_equal(cuMemHostRegister_v2(own, 4, 0), ALREADY_REGISTERED);
  assert_int_equal(cuMemHostRegister_v2(own + 31, 8, 0), ALREADY_REGISTERED);
  assert_int_equal(cuMemHostRegister_v2(in, 4, 0), ALREADY_REGISTERED);
  assert_int_equal(cuMemHostRegister_v2(&other, 0, 0), INVALID_VALUE);
  assert_int_equal(cuMemHostRegister_v2(&other, 4, 64), INVALID_VALUE);
  assert_int_equal(cuMemFreeHost(own), INVALID_VALUE);
  assert_int_equal(cuMemFree_v2((CUdeviceptr)(uintptr_t)own), INVALID_VALUE);
  assert_int_equal(cuMemHostUnregister(in), NOT_REGISTERED);
  assert_int_equal(cuMemHostUnregister(own), 0);
  assert_int_equal(cuMemHostUnregister(own), NOT_REGISTERED);
  assert_int_equal(cuMemFree_v2((CUdeviceptr)(uintptr_t)in), INVALID_VALUE);
  assert_int_equal(cuMemFreeHost(in + 1), INVALID_VALUE);
  assert_int_equal(cuMemFreeHost(in) | cuMemFreeHost(out), 0);
  assert_int_equal(cuMemFreeHost(in), INVALID_VALUE);
  assert_int_equal(cuMemHostAlloc(NULL, 4, 0), INVALID_VALUE);
  assert_int_equal(cuMemHostAlloc((void **)&in, 0, 0), INVALID_VALUE);
  assert_int_equal(cuMemHostAlloc((void **)&in, 4, 8), INVALID_VALUE);
}

// Registered memory may be below or above the device's.
static void test_registered_and_not(void **state) {
  (void)state;
  static uint32_t low[32];
  uint32_t high[32];
  assert_int_equal(cuMemHostRegister_v2(low, sizeof low, 0), 0);
  assert_int_equal(cuMemHostRegister_v2(high, sizeof high, 0), 0);
  for (int i = 0; i < 20; i++) {
    CUdeviceptr p = kit_upload(NULL, 128), q = kit_upload(NULL, 128);
    assert_int_equal(cuMemsetD8_v2(p, 0, 128), 0);
    assert_int_equal(run(q, p, 32), 0);
    assert_int_equal(run(device_of(high), q, 32), 0);
    assert_int_equal(run(device_of(low), device_of(high), 32), 0);
    assert_int_equal(low[31], 3);
    assert_int_equal(cuMemFree_v2(p) | cuMemFree_v2(q), 0);
  }
  assert_int_equal(cuMemHostUnregister(low) | cuMemHostUnregister(high), 0);
}

static void test_managed(void **state) {
  (void)state;
  CUdeviceptr p;
  assert_int_equal(cuMemAllocManaged(&p, 128, 0), INVALID_VALUE);
  assert_int_equal(cuMemAllocManaged(&p, 0, 1), INVALID_VALUE);
  assert_int_equal(cuMemAllocManaged(&p, 128, 1), 0);
  uint32_t *words = (uint32_t *)(uintptr_t)p;
  for (uint32_t i = 0; i < 32; i++) words[i] = i;
  assert_int_equal(run(p, p, 32), 0);
  for (uint32_t i = 0; i < 32; i++) assert_int_equal(words[i], i + 1);
  assert_int_equal(cuMemFree_v2(p), 0);
}

// Another context can access the host's memory, too, but not the device's.
static void test_everyones(void **state) {
  (void)state;
  CUcontext other;
  void *host;
  CUdeviceptr own = kit_upload(NULL, 128);
  assert_int_equal(cuMemHostAlloc(&host, 128, 0), 0);
  memset(host, 0, 128);
  const CUdeviceptr shared = (CUdeviceptr)(uintptr_t)host;
  assert_int_equal(cuCtxCreate_v2(&other, 0, 0), 0);
  assert_int_equal(run(shared, shared, 32), 0);
  assert_int_equal(((int *)host)[31], 1);
  assert_int_equal(cuMemcpy(own, shared, 128), 0); // by their addresses
  assert_int_equal(run(shared, own, 32), ILLEGAL_ADDRESS);
  assert_int_equal(cuCtxDestroy_v2(other), 0);
  assert_int_equal(cuMemFreeHost(host), 0);
  assert_int_equal(cuMemFree_v2(own), 0);
  kit_reports();
}

static void test_attributes(void **state) {
  (void)state;
  CUdeviceptr p = kit_upload(NULL, 100), managed, q;
  CUcontext context, current;
  void *host;
  unsigned type = 0, is_managed = 9;
  size_t size = 0;
  assert_int_equal(cuMemAllocManaged(&managed, 8, 1), 0);
  assert_int_equal(cuMemHostAlloc(&host, 8, 0), 0);
  assert_int_equal(cuPointerGetAttribute(&type, 2, p + 99), 0);
  assert_int_equal(type, DEVICE);
  assert_int_equal(
      cuPointerGetAttribute(&type, 2, (CUdeviceptr)(uintptr_t)host), 0);
  assert_int_equal(type, HOST);
  assert_int_equal(cuPointerGetAttribute(&type, 2, p + 100), INVALID_VALUE);
  assert_int_equal(
      cuPointerGetAttribute(&type, 2, (CUdeviceptr)(uintptr_t)&type),
      INVALID_VALUE);
  assert_int_equal(cuPointerGetAttribute(NULL, 2, p), INVALID_VALUE);
  assert_int_equal(cuPointerGetAttribute(&type, 99, p), INVALID_VALUE);
  assert_int_equal(cuPointerGetAttribute(&q, 4, p), INVALID_VALUE);
  assert_int_equal(cuPointerGetAttribute(&q, 4, managed), 0);
  assert_true(q == managed);
  assert_int_equal(cuPointerGetAttribute(&is_managed, 8, managed), 0);
  assert_int_equal(is_managed, 1);
  assert_int_equal(cuPointerGetAttribute(&context, 1, p), 0);
  assert_int_equal(cuCtxGetCurrent(&current), 0);
  assert_ptr_equal(context, current);
  int many[] = {11, 12, 2};
  void *values[] = {&q, &size, &type};
  assert_int_equal(cuPointerGetAttributes(3, many, values, p + 50), 0);
  assert_true(q == p && size == 100 && type == DEVICE);
  assert_int_equal(cuPointerGetAttributes(3, many, values, 64), 0);
  assert_true(q == 0 && size == 0 && type == 0); // of an unknown pointer
  assert_int_equal(cuPointerGetAttributes(0, many, values, p), INVALID_VALUE);
  assert_int_equal(cuMemFree_v2(p) | cuMemFree_v2(managed), 0);
  assert_int_equal(cuMemFreeHost(host), 0);
}

// A part of a picture goes to a pitched one, and from there back.
static void test_copy_2d(void **state) {
  (void)state;
  enum { W = 60, H = 11 };
  unsigned char picture[H][W], back[H][W];
  CUdeviceptr device;
  size_t pitch;
  for (int i = 0; i < H * W; i++) picture[i / W][i % W] = (unsigned char)i;
  memset(back, 255, sizeof back);
  assert_int_equal(cuMemAllocPitch_v2(&device, &pitch, W, H, 3), INVALID_VALUE);
  assert_int_equal(cuMemAllocPitch_v2(&device, &pitch, W, 0, 4), INVALID_VALUE);
  assert_int_equal(cuMemAllocPitch_v2(&device, &pitch, W, H, 4), 0);
  assert_true(pitch >= W && pitch % 512 == 0);
  Copy2D to = {.from_type = HOST, .from_host = picture, .from_pitch = W};
  to.to_type = DEVICE;
  to.to_device = device;
  to.to_pitch = pitch;
  to.width = W;
  to.height = H;
  assert_int_equal(cuMemcpy2D_v2(&to), 0);
  Copy2D part = {.from_x = 7, .from_y = 2, .from_type = UNIFIED};
  part.from_device = device;
  part.from_pitch = pitch;
  part.to_x = 1;
  part.to_y = 3;
  part.to_type = HOST;
  part.to_host = back;
  part.to_pitch = W;
  part.width = 20;
  part.height = 5;
  assert_int_equal(cuMemcpy2DAsync_v2(&part, NULL), 0);
  for (int y = 0; y < H; y++) {
    for (int x = 0; x < W; x++) {
      const bool inside = y >= 3 && y < 8 && x >= 1 && x < 21;
      assert_int_equal(back[y][x], inside ? picture[y - 1][x + 6] : 255);
    }
  }
  // Wrong ones copy nothing.
  memset(back, 255, sizeof back);
  Copy2D wrong = part;
  wrong.height = H; // beyond the allocation
  assert_int_equal(cuMemcpy2D_v2(&wrong), INVALID_VALUE);
  wrong = part;
  wrong.to_pitch = 20;
  assert_int_equal(cuMemcpy2D_v2(&wrong), INVALID_VALUE);
  wrong = part;
  wrong.from_type = ARRAY;
  assert_int_equal(cuMemcpy2D_v2(&wrong), NOT_SUPPORTED);
  wrong.from_type = 9;
  assert_int_equal(cuMemcpy2D_v2(&wrong), INVALID_VALUE);
  wrong = part;
  wrong.to_host = NULL;
  wrong.to_x = wrong.to_y = 0;
  assert_int_equal(cuMemcpy2D_v2(&wrong), INVALID_VALUE);
  assert_int_equal(cuMemcpy2D_v2(NULL), INVALID_VALUE);
  part.width = 0;
  assert_int_equal(cuMemcpy2D_v2(&part), 0);
  assert_int_equal(back[3][1], 255);
  assert_int_equal(cuMemFree_v2(device), 0);
}

static void test_copy_3d(void **state) {
  (void)state;
  enum { X = 8, Y = 5, Z = 4 };
  unsigned char from[Z][Y][X], to[Z][Y][X];
  for (int i = 0; i < X * Y * Z; i++)
    ((unsigned char *)from)[i] = (unsigned char)i;
  memset(to, 255, sizeof to);
  CUdeviceptr device = kit_upload(from, sizeof from);
  Copy3D copy = {.width = 3, .height = 2, .depth = 3};
  copy.from = (End){.x = 2, .y = 3, .z = 1, .type = DEVICE, .device = device};
  copy.from.pitch = X;
  copy.from.height = Y;
  copy.to = (End){.x = 5, .y = 1, .type = HOST, .host = to, .pitch = X};
  copy.to.height = Y;
  assert_int_equal(cuMemcpy3D_v2(&copy), 0);
  for (int z = 0; z < 3; z++)
    for (int y = 0; y < 2; y++)
      assert_memory_equal(&to[z][y + 1][5], &from[z + 1][y + 3][2], 3);
  assert_int_equal(to[0][0][5], 255);
  assert_int_equal(to[3][1][5], 255);
  copy.from.z = 2; // the last plane is outside
  assert_int_equal(cuMemcpy3D_v2(&copy), INVALID_VALUE);
  assert_int_equal(cuMemcpy3D_v2(NULL), INVALID_VALUE);
  assert_int_equal(cuMemFree_v2(device), 0);
}

static void test_fill_2d(void **state) {
  (void)state;
  unsigned char bytes[4][16];
  CUdeviceptr p = kit_upload(NULL, sizeof bytes);
  assert_int_equal(cuMemsetD8_v2(p, 0, sizeof bytes), 0);
  assert_int_equal(cuMemsetD2D8_v2(p + 1, 16, 7, 3, 4), 0);
  assert_int_equal(cuMemsetD2D32_v2(p + 8, 16, 0x01020304, 2, 4), 0);
  assert_int_equal(cuMemsetD2D32_v2(p + 8, 16, 0, 2, 5), INVALID_VALUE);
  assert_int_equal(cuMemsetD2D16_v2(p + 1, 16, 0, 2, 2), INVALID_VALUE);
  assert_int_equal(cuMemsetD2D16_v2(p, 15, 0, 2, 2), INVALID_VALUE);
  assert_int_equal(cuMemsetD2D16_v2(p, 2, 0, 2, 2), INVALID_VALUE);
  kit_download(bytes, p, sizeof bytes);
  static const unsigned char row[16] = {0, 7, 7, 7, 0, 0, 0, 0,
                                        4, 3, 2, 1, 4, 3, 2, 1};
  for (int y = 0; y < 4; y++) assert_memory_equal(bytes[y], row, 16);
}

static void test_pools(void **state) {
  (void)state;
  enum { THRESHOLD = 4, USED = 7, USED_HIGH = 8 };
  CUmemoryPool first, own, now;
  const PoolProperties right = {.kind = 1, .location_type = 1};
  PoolProperties wrong = right;
  CUdeviceptr p, q, other;
  uint64_t value = UINT64_MAX;
  wrong.location = 3;
  assert_int_equal(cuDeviceGetDefaultMemPool(&first, 0), 0);
  assert_int_equal(cuMemPoolDestroy(first), INVALID_VALUE);
  assert_int_equal(cuMemPoolCreate(&own, &wrong), INVALID_VALUE);
  assert_int_equal(cuMemPoolCreate(&own, NULL), INVALID_VALUE);
  assert_int_equal(cuMemPoolCreate(&own, &right), 0);
  assert_int_equal(cuMemPoolSetAttribute(own, THRESHOLD, &value), 0);
  assert_int_equal(cuMemPoolSetAttribute(own, USED, &value), INVALID_VALUE);
  assert_int_equal(cuMemPoolSetAttribute(own, USED_HIGH, &value),
                   INVALID_VALUE);
  assert_int_equal(cuMemAllocFromPoolAsync(&p, 1000, own, NULL), 0);
  assert_int_equal(cuMemAllocFromPoolAsync(&q, 24, own, NULL), 0);
  assert_int_equal(cuMemFree_v2(p), 0);
  assert_int_equal(cuMemPoolGetAttribute(own, USED, &value), 0);
  assert_int_equal(value, 24);
  assert_int_equal(cuMemPoolGetAttribute(own, USED_HIGH, &value), 0);
  assert_int_equal(value, 1024);
  assert_int_equal(cuPointerGetAttribute(&now, 17, q), 0);
  assert_ptr_equal(now, own);
  assert_int_equal(cuDeviceSetMemPool(0, own), 0);
  assert_int_equal(cuMemAllocAsync(&other, 8, NULL), 0);
  assert_int_equal(cuMemPoolGetAttribute(own, USED, &value), 0);
  assert_int_equal(value, 32);
  assert_int_equal(cuMemPoolDestroy(own), 0);
  assert_int_equal(cuMemPoolDestroy(own), INVALID_VALUE);
  assert_int_equal(cuDeviceGetMemPool(&now, 0), 0);
  assert_ptr_equal(now, first);
  assert_int_equal(cuMemAllocFromPoolAsync(&p, 8, own, NULL), INVALID_VALUE);
  assert_int_equal(cuMemFree_v2(q) | cuMemFree_v2(other), 0);
}

// Attributes 1 to 3 are ints, the others 64-bit numbers, of which 5 and 7 are
// current values and 6 and 8 their maxima.
static void test_pool_attributes(void **state) {
  (void)state;
  const PoolProperties right = {.kind = 1, .location_type = 1};
  CUmemoryPool own;
  assert_int_equal(cuMemPoolCreate(&own, &right), 0);
  for (int i = -1; i <= 10; i++) {
    const bool exists = i >= 1 && i <= 8, is_set = i >= 1 && i <= 4;
    uint64_t zero = 0, one = 1, value[2] = {UINT64_MAX, UINT64_MAX};
    assert_int_equal(cuMemPoolSetAttribute(own, i, NULL), INVALID_VALUE);
    assert_int_equal(cuMemPoolGetAttribute(own, i, NULL), INVALID_VALUE);
    assert_int_equal(cuMemPoolSetAttribute(own, i, &zero),
                     is_set || i == 6 || i == 8 ? 0 : INVALID_VALUE);
    assert_int_equal(cuMemPoolSetAttribute(own, i, &one),
                     is_set ? 0 : INVALID_VALUE);
    assert_int_equal(cuMemPoolGetAttribute(own, i, value),
                     exists ? 0 : INVALID_VALUE);
    const uint64_t above = i <= 3 ? UINT64_C(0xffffffff) << 32 : 0;
    assert_true(value[0] == (exists ? is_set + above : UINT64_MAX));
    assert_true(value[1] == UINT64_MAX);
  }
  assert_int_equal(cuMemPoolDestroy(own), 0);
}

int main(void) {
  unsetenv("TILE_SIM_CHIP"); // sm_80
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_host),
      cmocka_unit_test(test_managed),
      cmocka_unit_test(test_registered_and_not),
      cmocka_unit_test(test_everyones),
      cmocka_unit_test(test_attributes),
      cmocka_unit_test(test_copy_2d),
      cmocka_unit_test(test_copy_3d),
      cmocka_unit_test(test_fill_2d),
      cmocka_unit_test(test_pools),
      cmocka_unit_test(test_pool_attributes),
  };
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
