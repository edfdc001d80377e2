// test_sim_contexts.c -- several contexts, and invalid handles.
//
// Backs I4 of runtime/simulator/driver.
#include <pthread.h>
#include <stdio.h>

#include "sim_kit.h"

enum {
  INVALID_VALUE = 1,
  INVALID_CONTEXT = 201,
  INVALID_HANDLE = 400,
  ILLEGAL_ADDRESS = 700,
  CONTEXT_IS_DESTROYED = 709,
  LAUNCH_FAILED = 719,
};

static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".global .u32 g;\n"
    ".entry fault() { trap; }\n"
    ".entry store(.param .u64 p) {\n"
    ".reg .b64 %a; ld.param.u64 %a, [p]; st.global.u32 [%a], 7; ret; }\n";

// Everything that a context can have.
typedef struct {
  CUcontext context;
  CUmodule module;
  CUfunction fault, store;
  CUstream stream;
  CUevent event;
  CUdeviceptr memory;
} World;

static void fill_world(World *w) {
  w->module = kit_load_text(ptx);
  assert_int_equal(cuModuleGetFunction(&w->fault, w->module, "fault"), 0);
  assert_int_equal(cuModuleGetFunction(&w->store, w->module, "store"), 0);
  assert_int_equal(cuStreamCreate(&w->stream, 0), 0);
  assert_int_equal(cuEventCreate(&w->event, 0), 0);
  assert_int_equal(cuMemAlloc_v2(&w->memory, 64), 0);
}

static World make_world(void) {
  World w;
  assert_int_equal(cuCtxCreate_v2(&w.context, 0, 0), 0);
  fill_world(&w);
  return w;
}

static int launch(CUfunction f, CUstream stream, CUdeviceptr p) {
  void *params[] = {&p};
  return cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL);
}

static int store(const World *w) {
  const int error = launch(w->store, w->stream, w->memory);
  return error ? error : cuCtxSynchronize();
}

// Every call on the context, with its result.
static void assert_all(const World *w, int wanted, int of_context) {
  World other = *w;
  unsigned char byte = 0;
  int value;
  float time;
  assert_int_equal(cuMemAlloc_v2(&other.memory, 4), of_context);
  assert_int_equal(cuMemcpyHtoD_v2(w->memory, &byte, 1), of_context);
  assert_int_equal(cuMemsetD8_v2(w->memory, 0, 1), of_context);
  assert_int_equal(cuMemFree_v2(w->memory), of_context);
  assert_int_equal(cuCtxSynchronize(), of_context);
  assert_int_equal(cuModuleLoadDataEx(&other.module, ptx, 0, NULL, NULL),
                   of_context);
  assert_int_equal(cuEventCreate(&other.event, 0), of_context);
  assert_int_equal(cuStreamCreate(&other.stream, 0), of_context);
  assert_int_equal(cuModuleGetFunction(&other.store, w->module, "store"),
                   wanted);
  assert_int_equal(cuModuleGetGlobal_v2(NULL, NULL, w->module, "g"), wanted);
  assert_int_equal(cuModuleUnload(w->module), wanted);
  assert_int_equal(cuFuncGetAttribute(&value, 0, w->store), wanted);
  assert_int_equal(cuFuncSetAttribute(w->store, 8, 0), wanted);
  assert_int_equal(
      cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, w->store, 32, 0),
      wanted);
  assert_int_equal(cuStreamSynchronize(w->stream), wanted);
  assert_int_equal(cuStreamQuery(w->stream), wanted);
  assert_int_equal(cuStreamWaitEvent(w->stream, w->event, 0), wanted);
  assert_int_equal(cuEventRecord(w->event, w->stream), wanted);
  assert_int_equal(cuEventQuery(w->event), wanted);
  assert_int_equal(cuEventSynchronize(w->event), wanted);
  assert_int_equal(cuEventElapsedTime(&time, w->event, w->event), wanted);
  assert_int_equal(cuEventDestroy_v2(w->event), wanted);
  assert_int_equal(cuStreamDestroy_v2(w->stream), wanted);
}

// A fault belongs to a context, whose calls return it until it is destroyed;
// another context goes on.
static void test_fault(void **state) {
  (void)state;
  World a = make_world(), b = make_world();
  CUcontext now;
  int device;
  assert_int_equal(cuCtxSetCurrent(a.context), 0);
  assert_int_equal(launch(a.fault, a.stream, 0), 0);
  assert_int_equal(cuCtxSynchronize(), LAUNCH_FAILED);
  assert_all(&a, LAUNCH_FAILED, LAUNCH_FAILED);
  assert_int_equal(store(&a), LAUNCH_FAILED);
  assert_int_equal(cuCtxGetDevice(&device), 0);
  assert_int_equal(cuCtxSetCurrent(b.context), 0);
  assert_int_equal(store(&b), 0);
  assert_int_equal(cuCtxPushCurrent_v2(a.context), 0);
  assert_int_equal(cuCtxPopCurrent_v2(&now), 0);
  assert_ptr_equal(now, a.context);
  assert_int_equal(cuCtxDestroy_v2(a.context), 0);
  assert_int_equal(store(&b), 0);
  assert_int_equal(cuMemFree_v2(b.memory), 0);
  assert_int_equal(cuCtxDestroy_v2(b.context), 0);
  assert_int_equal(cuCtxPopCurrent_v2(&now), 0); // the context was still there
  assert_ptr_equal(now, a.context);
  kit_reports();
}

// A thread has room for MOST current contexts; without the others, the first is
// current again.
static void test_depth(void **state) {
  (void)state;
  enum { OUT_OF_MEMORY = 2, MOST = 256 };
  CUcontext first, now;
  int depth = 1, error = 0;
  assert_int_equal(cuCtxGetCurrent(&first), 0);
  while (!error && depth <= MOST) {
    error = cuCtxPushCurrent_v2(first);
    if (!error) depth++;
  }
  assert_int_equal(error, OUT_OF_MEMORY);
  assert_int_equal(depth, MOST);
  for (; depth > 1; depth--) assert_int_equal(cuCtxPopCurrent_v2(&now), 0);
  assert_int_equal(cuCtxGetCurrent(&now), 0);
  assert_ptr_equal(now, first);
}

// Handles of a context that was destroyed.
static void test_destroyed(void **state) {
  (void)state;
  const World dead = make_world();
  assert_int_equal(cuMemFree_v2(dead.memory), 0);
  assert_int_equal(cuCtxDestroy_v2(dead.context), 0);
  assert_int_equal(cuCtxDestroy_v2(dead.context), INVALID_CONTEXT);
  assert_int_equal(cuCtxPushCurrent_v2(dead.context), INVALID_CONTEXT);
  World alive = make_world();
  assert_int_equal(cuCtxSetCurrent(dead.context), INVALID_CONTEXT);
  CUcontext now;
  assert_int_equal(cuCtxGetCurrent(&now), 0);
  assert_ptr_equal(now, alive.context);
  assert_int_equal(launch(dead.store, NULL, alive.memory), INVALID_HANDLE);
  assert_int_equal(launch(alive.store, dead.stream, alive.memory),
                   INVALID_HANDLE);
  assert_int_equal(cuMemFree_v2(dead.memory), INVALID_VALUE);
  assert_int_equal(store(&alive), 0);
  assert_int_equal(cuMemFree_v2(alive.memory), 0);
  assert_int_equal(cuCtxDestroy_v2(alive.context), 0);
}

// A number that was never a handle, and a handle of another kind.
static void test_garbage(void **state) {
  (void)state;
  World alive = make_world();
  int local = 0;
  void *wrong[] = {&local,         (void *)(uintptr_t)12345,
                   alive.context,  (void *)UINTPTR_MAX,
                   alive.module,   (void *)(uintptr_t)0xa5,
                   (void *)&wrong, (void *)(uintptr_t)0x7000000a5};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    World w = {.memory = (CUdeviceptr)(uintptr_t)wrong[i]};
    w.context = i == 2 ? NULL : wrong[i];
    w.module = i == 4 ? NULL : wrong[i];
    w.store = wrong[i];
    w.stream = wrong[i];
    w.event = wrong[i];
    if (w.context)
      assert_int_equal(cuCtxSetCurrent(w.context), INVALID_CONTEXT);
    assert_int_equal(cuCtxDestroy_v2(w.context), INVALID_CONTEXT);
    assert_int_equal(cuModuleUnload(w.module), INVALID_HANDLE);
    assert_int_equal(launch(w.store, NULL, 0), INVALID_HANDLE);
    assert_int_equal(launch(alive.store, w.stream, 0), INVALID_HANDLE);
    assert_int_equal(cuStreamDestroy_v2(w.stream), INVALID_HANDLE);
    assert_int_equal(cuEventRecord(w.event, NULL), INVALID_HANDLE);
    assert_int_equal(cuEventDestroy_v2(w.event), INVALID_HANDLE);
    assert_int_equal(cuMemFree_v2(w.memory), INVALID_VALUE);
  }
  // An object that is destroyed twice is an invalid handle.
  assert_int_equal(cuEventDestroy_v2(alive.event), 0);
  assert_int_equal(cuEventDestroy_v2(alive.event), INVALID_HANDLE);
  assert_int_equal(cuStreamDestroy_v2(alive.stream), 0);
  assert_int_equal(cuStreamDestroy_v2(alive.stream), INVALID_HANDLE);
  assert_int_equal(cuModuleUnload(alive.module), 0);
  assert_int_equal(cuModuleUnload(alive.module), INVALID_HANDLE);
  assert_int_equal(launch(alive.store, NULL, alive.memory), INVALID_HANDLE);
  assert_int_equal(cuMemFree_v2(alive.memory), 0);
  assert_int_equal(cuCtxDestroy_v2(alive.context), 0);
}

// A context cannot use the objects of another one.
static void test_foreign(void **state) {
  (void)state;
  World a = make_world(), b = make_world();
  CUdeviceptr variable;
  assert_int_equal(launch(a.store, NULL, b.memory), INVALID_HANDLE);
  assert_int_equal(launch(b.store, a.stream, b.memory), INVALID_HANDLE);
  assert_int_equal(cuEventRecord(a.event, b.stream), INVALID_HANDLE);
  assert_int_equal(cuStreamWaitEvent(b.stream, a.event, 0), 0);
  assert_int_equal(cuModuleGetGlobal_v2(&variable, NULL, b.module, "g"), 0);
  assert_int_equal(cuMemFree_v2(variable), INVALID_VALUE);
  assert_int_equal(launch(b.store, NULL, a.memory), 0);
  assert_int_equal(cuCtxSynchronize(), ILLEGAL_ADDRESS);
  assert_non_null(strstr(kit_report_text(), "of another context"));
  kit_reports();
  assert_int_equal(cuCtxDestroy_v2(b.context), 0);
  assert_int_equal(cuCtxSetCurrent(a.context), 0);
  assert_int_equal(store(&a), 0);
  assert_int_equal(cuMemFree_v2(a.memory), 0);
  assert_int_equal(cuCtxDestroy_v2(a.context), 0);
}

// Memory that a context still has when it is destroyed is a leak of that
// context.
static void test_leaks(void **state) {
  (void)state;
  kit_reports();
  World a = make_world(), b = make_world();
  assert_int_equal(cuMemFree_v2(b.memory), 0);
  assert_int_equal(cuCtxDestroy_v2(b.context), 0);
  assert_string_equal(kit_reports(), "");
  assert_int_equal(cuCtxDestroy_v2(a.context), 0);
  assert_string_equal(kit_reports(), "leak ");
}

// Contexts are current in a thread; one that another thread destroyed stays so.
static pthread_barrier_t meeting;

static void *keep_current(void *argument) {
  const World *w = argument;
  int result[4];
  CUdeviceptr address;
  result[0] = cuMemAlloc_v2(&address, 4);
  result[1] = cuCtxSetCurrent(w->context);
  pthread_barrier_wait(&meeting);
  pthread_barrier_wait(&meeting);
  result[2] = cuMemAlloc_v2(&address, 4);
  result[3] = cuCtxSynchronize();
  const bool right = result[0] == INVALID_CONTEXT && result[1] == 0 &&
                     result[2] == CONTEXT_IS_DESTROYED &&
                     result[3] == CONTEXT_IS_DESTROYED;
  return right ? argument : NULL;
}

static void test_threads(void **state) {
  (void)state;
  World w = make_world();
  pthread_t thread;
  void *result;
  pthread_barrier_init(&meeting, NULL, 2);
  assert_int_equal(pthread_create(&thread, NULL, keep_current, &w), 0);
  pthread_barrier_wait(&meeting);
  assert_int_equal(cuMemFree_v2(w.memory), 0);
  assert_int_equal(cuCtxDestroy_v2(w.context), 0);
  pthread_barrier_wait(&meeting);
  assert_int_equal(pthread_join(thread, &result), 0);
  assert_ptr_equal(result, &w);
  pthread_barrier_destroy(&meeting);
}

static void assert_active(int wanted) {
  unsigned flags;
  int active;
  assert_int_equal(cuDevicePrimaryCtxGetState(0, &flags, &active), 0);
  assert_int_equal(active, wanted);
}

// The primary context goes with its last reference, and comes back fresh.
static void test_primary(void **state) {
  (void)state;
  World w = {.context = NULL};
  CUdeviceptr address;
  assert_int_equal(cuDevicePrimaryCtxRetain(&w.context, 0), 0);
  fill_world(&w);
  assert_int_equal(cuCtxDestroy_v2(w.context), INVALID_CONTEXT);
  assert_int_equal(launch(w.fault, NULL, 0), 0);
  assert_int_equal(cuCtxSynchronize(), LAUNCH_FAILED);
  assert_int_equal(cuDevicePrimaryCtxRelease_v2(0), 0);
  assert_active(1);
  assert_int_equal(cuMemAlloc_v2(&address, 4), LAUNCH_FAILED);
  assert_int_equal(cuDevicePrimaryCtxRelease_v2(0), 0);
  assert_active(0);
  assert_int_equal(cuDevicePrimaryCtxRelease_v2(0), INVALID_CONTEXT);
  assert_all(&w, INVALID_HANDLE, CONTEXT_IS_DESTROYED);
  assert_int_equal(cuDevicePrimaryCtxRetain(&w.context, 0), 0);
  assert_active(1);
  fill_world(&w);
  assert_int_equal(store(&w), 0);
  assert_int_equal(cuMemFree_v2(w.memory), 0);
  // A reset destroys everything except the references.
  assert_int_equal(cuDevicePrimaryCtxReset_v2(0), 0);
  assert_active(0);
  assert_all(&w, INVALID_HANDLE, CONTEXT_IS_DESTROYED);
  assert_int_equal(cuDevicePrimaryCtxRetain(&w.context, 0), 0);
  assert_int_equal(cuMemAlloc_v2(&address, 4), 0);
  assert_int_equal(cuMemFree_v2(address), 0);
  assert_int_equal(cuDevicePrimaryCtxRelease_v2(0), 0);
  assert_active(1);
}

int main(void) {
  unsetenv("TILE_SIM_CHIP"); // sm_80
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fault),   cmocka_unit_test(test_destroyed),
      cmocka_unit_test(test_garbage), cmocka_unit_test(test_foreign),
      cmocka_unit_test(test_leaks),   cmocka_unit_test(test_threads),
      cmocka_unit_test(test_primary), cmocka_unit_test(test_depth),
  };
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
