// test_sim_odd.c -- every exported function with arguments drawn from odd ones,
// from several threads: it succeeds or returns an error, and never crashes.
//
// The values of an argument follow from its declaration in driver/calls.def.  A
// wrong pointer to the program's own memory may crash, so these are right or
// NULL.
//
// Backs I4 of runtime/simulator and I5 of runtime/simulator/driver.
#include <ctype.h>
#include <pthread.h>

#include "sim_kit.h"

int cuGetProcAddress_v2(const char *name, void **function, int version,
                        uint64_t flags, int *status);

int cuLibraryLoadData(void **library, const void *image, int *jit_options,
                      void **jit_values, unsigned num_jit_options, int *options,
                      void **values, unsigned num_options);
int cuLibraryUnload(void *library);
int cuLinkCreate_v2(unsigned num_options, int *options, void **values,
                    void **link);
int cuLibraryGetKernel(void **kernel, void *library, const char *name);

typedef void (*AnyFunction)(void);

typedef struct {
  int since;
  const char *name, *params;
} Call;

static const Call calls[] = {
#define CALL_SINCE(since, name, symbol, params) {since, #name, #params},
#include "runtime/simulator/driver/calls.def"
};

enum { NUM_CALLS = sizeof calls / sizeof *calls, MOST_ARGS = 12 };

typedef union {
  AnyFunction function;
  void *object;
} Function;

// -- Kernels -----------------------------------------------------------------

static const char *const kinds[] = {"CUcontext", "CUmodule",   "CUfunction",
                                    "CUstream",  "CUevent",    "CUlibrary",
                                    "CUkernel",  "CUlinkState"};
enum { NUM_KINDS = sizeof kinds / sizeof *kinds };

// The thread's objects, destroyed ones, and memory to write to.
typedef struct {
  uint32_t random;
  void *alive[NUM_KINDS], *gone[NUM_KINDS]; // by kind
  CUdeviceptr memory;
  char scratch[8192];
} World;

static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                          ".global .u32 g;\n.entry k() { ret; }\n";

static uint32_t draw(World *w, uint32_t limit) {
  return kit_random(&w->random) % limit;
}

static void start_world(World *w) {
  CUcontext context = NULL;
  CUmodule module = NULL;
  CUfunction function = NULL;
  CUstream stream = NULL;
  CUevent event = NULL;
  void *library = NULL, *kernel = NULL, *link = NULL;
  memcpy(w->gone, w->alive, sizeof w->gone);
  cuCtxCreate_v2(&context, 0, 0);
  cuModuleLoadDataEx(&module, ptx, 0, NULL, NULL);
  cuModuleGetFunction(&function, module, "k");
  cuStreamCreate(&stream, 0);
  cuEventCreate(&event, 0);
  cuMemAlloc_v2(&w->memory, 64);
  cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0);
  cuLibraryGetKernel(&kernel, library, "k");
  cuLinkCreate_v2(0, NULL, NULL, &link);
  void *const alive[] = {context, module,  function, stream,
                         event,   library, kernel,   link};
  memcpy(w->alive, alive, sizeof alive);
}

static void end_world(World *w) {
  CUcontext popped;
  cuLibraryUnload(w->alive[5]);
  cuCtxDestroy_v2(w->alive[0]);
  while (!cuCtxPopCurrent_v2(&popped)) {
  }
}

static void clear_scratch(World *w) {
  memset(w->scratch, 0, sizeof w->scratch);
  if (draw(w, 2)) strcpy(w->scratch, draw(w, 2) ? "k" : ptx);
}

// -- Arguments ---------------------------------------------------------------

static void call_nothing(void *data) {
  (void)data;
}

static bool has(const char *text, size_t length, const char *word) {
  char copy[200];
  memcpy(copy, text, length);
  copy[length] = '\0';
  return strstr(copy, word) != NULL;
}

static uintptr_t draw_handle(World *w, int kind) {
  const uintptr_t odd[] = {0, 1, 2, 0xa5, UINTPTR_MAX, (uintptr_t)w->scratch};
  switch (draw(w, 4)) {
  case 0: return odd[draw(w, sizeof odd / sizeof *odd)];
  case 1: return (uintptr_t)w->gone[kind];
  case 2: return (uintptr_t)w->alive[draw(w, NUM_KINDS)];
  default: return (uintptr_t)w->alive[kind];
  }
}

static uintptr_t draw_number(World *w, const char *text, size_t length) {
  static const uintptr_t odd[] = {0, 1, 2, 3, 31, 64, UINT32_MAX, SIZE_MAX};
  const bool is_small =
      has(text, length, "count") || has(text, length, "_options") ||
      has(text, length, "length") || has(text, length, "size");
  return odd[draw(w, is_small ? 4 : sizeof odd / sizeof *odd)];
}

static uintptr_t draw_argument(World *w, const char *text, size_t length) {
  const uintptr_t memory[] = {0, (uintptr_t)w->memory,
                              (uintptr_t)w->memory + 1000,
                              (uintptr_t)w->scratch};
  Function nothing;
  nothing.function = (AnyFunction)call_nothing;
  if (has(text, length, "shared_for")) return 0;
  if (has(text, length, "(*"))
    return draw(w, 4) ? (uintptr_t)nothing.object : 0;
  if (has(text, length, "*"))
    return draw(w, 4) ? (uintptr_t)w->scratch + 4096 * draw(w, 2) : 0;
  for (int i = 0; i < NUM_KINDS; i++)
    if (has(text, length, kinds[i])) return draw_handle(w, i);
  if (has(text, length, "CUdeviceptr")) return memory[draw(w, 4)];
  return draw_number(w, text, length);
}

// Commas that are not inside the parentheses of a parameter.
static size_t parameter_length(const char *text) {
  int depth = 0;
  const char *p = text;
  for (; *p && (depth || *p != ','); p++) {
    if (*p == '(') depth++;
    if (*p == ')' && depth-- == 0) break;
  }
  return (size_t)(p - text);
}

typedef int (*Generic)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                       uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                       uintptr_t, uintptr_t);

// All arguments are numbers or pointers, which are passed alike.
static void call_one(World *w, const Call *call, Function function) {
  uintptr_t a[MOST_ARGS] = {0};
  const char *text = call->params + 1;
  clear_scratch(w);
  for (int i = 0; i < MOST_ARGS && *text && *text != ')'; i++) {
    const size_t length = parameter_length(text);
    a[i] = draw_argument(w, text, length);
    text += length + (text[length] == ',');
  }
  ((Generic)function.function)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7],
                               a[8], a[9], a[10], a[11]);
}

// Calls that end or clear more than the thread's own objects.
static bool is_left_out(const Call *call) {
  static const char *const names[] = {"cuDevicePrimaryCtxRelease",
                                      "cuDevicePrimaryCtxReset"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(call->name, names[i]) == 0) return true;
  return false;
}

static Function find(const Call *call) {
  Function function = {.object = NULL};
  cuGetProcAddress_v2(call->name, &function.object, call->since, 0, NULL);
  return function;
}

static void *call_many(void *argument) {
  World *w = argument;
  enum { ROUNDS = 100, CALLS = 100 };
  for (int round = 0; round < ROUNDS; round++) {
    start_world(w);
    for (int i = 0; i < CALLS; i++) {
      const Call *call = &calls[draw(w, NUM_CALLS)];
      if (!is_left_out(call)) call_one(w, call, find(call));
    }
    end_world(w);
  }
  return NULL;
}

static void run_threads(int count) {
  pthread_t threads[8];
  World *worlds = calloc((size_t)count, sizeof *worlds);
  for (int i = 0; i < count; i++) {
    worlds[i].random = (uint32_t)(count + i);
    assert_int_equal(pthread_create(&threads[i], NULL, call_many, &worlds[i]),
                     0);
  }
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
  free(worlds);
}

static void test_one_thread(void **state) {
  (void)state;
  run_threads(1);
}

static void test_threads(void **state) {
  (void)state;
  run_threads(4);
}

// Every name is found, by the version that knows it.
static void test_names(void **state) {
  (void)state;
  void *function = NULL;
  int status;
  for (size_t i = 0; i < NUM_CALLS; i++)
    assert_non_null(find(&calls[i]).object);
  assert_int_equal(cuGetProcAddress_v2("cuNone", &function, 13000, 0, &status),
                   500);
  assert_int_equal(status, 1);
  assert_null(function);
  assert_int_equal(cuGetProcAddress_v2(NULL, &function, 13000, 0, &status), 1);
  assert_int_equal(cuGetProcAddress_v2("cuInit", NULL, 13000, 0, NULL), 1);
  assert_int_equal(cuGetProcAddress_v2("cuInit", &function, 13000, 99, NULL),
                   1);
}

int main(void) {
  unsetenv("TILE_SIM_CHIP"); // sm_80
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_one_thread),
      cmocka_unit_test(test_threads),
  };
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
