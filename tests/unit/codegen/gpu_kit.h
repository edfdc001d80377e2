// gpu_kit.h -- kernels written as IR text, run as PTX by the simulator and
// compared with the interpreter.
//
// The text is interpreted directly; for the simulator it goes through the
// passes and code generation.  Results must be the same bit for bit, so tests
// choose numbers that add up exactly.  A report of the simulator is a failure.
#ifndef TILE_TESTS_GPU_KIT_H
#define TILE_TESTS_GPU_KIT_H

#include "ir/interp.h"
#include "nvptx_kit.h"
#include "tests/sim/driver_api.h"

enum { GPU_ARGS = 8, GPU_STATIC_SHARED = 48 * 1024 };

typedef struct {
  int elem_bytes;  // of a buffer; 0: a scalar
  int64_t count;   // elements of a buffer; the scalar
  unsigned filler; // elements are this and random low bits ...
  unsigned random; // of this mask
} GpuArg;

typedef struct {
  const char *text, *target, *passes;
  int num_args;
  GpuArg args[GPU_ARGS];
} GpuTest;

// Schedules: all copies as late as possible, as early as possible, and two
// random orders of everything.
static const char *const gpu_schedules[] = {"late", "early", "1", "2"};

static inline size_t gpu_bytes(const GpuArg *arg) {
  return (size_t)arg->elem_bytes * (size_t)arg->count;
}

static inline unsigned gpu_random(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static inline unsigned char *gpu_fill(Arena *arena, const GpuArg *arg,
                                      unsigned *state) {
  unsigned char *data = arena_array(arena, unsigned char, gpu_bytes(arg));
  for (int64_t i = 0; i < arg->count; i++) {
    const unsigned x = arg->filler | (gpu_random(state) & arg->random);
    memcpy(data + i * arg->elem_bytes, &x, (size_t)arg->elem_bytes);
  }
  return data;
}

// -- The interpreter ---------------------------------------------------------

static inline void gpu_interpret(void *data) {
  KitJob *job = data;
  Kit *kit = job->kit;
  Source *source =
      source_create(&kit->arena, "t.tir", job->text, strlen(job->text));
  diag_add_source(&kit->diags, source);
  kit->ok = module_parse(kit->m, source) && module_verify(kit->m);
}

// The contents of the buffers afterwards, in `memory`.
static inline void gpu_expect(const GpuTest *t, unsigned char **memory) {
  Kit kit;
  KitJob job = {&kit, t->text, NULL, EMIT_ASM, NULL};
  InterpArg args[GPU_ARGS];
  InterpMemory owned[GPU_ARGS];
  InterpLaunch launch = {.args = args, .memory = owned, .grid = {1, 1, 1}};
  kit_open(&kit);
  assert_true(arena_protect(&kit.arena, gpu_interpret, &job));
  for (int i = 0; i < t->num_args; i++) {
    args[i].as.i = t->args[i].count;
    if (!t->args[i].elem_bytes) continue;
    args[i].as.p = memory[i];
    owned[launch.num_memory++] =
        (InterpMemory){memory[i], gpu_bytes(&t->args[i])};
  }
  if (kit.ok) {
    kit.ok = interp_run(&kit.arena, kit.m->functions, &launch, &kit.diags);
  }
  if (!kit.ok) fail_msg("interpreter: %s", kit_messages(&kit));
  kit_close(&kit);
}

// -- The simulator -----------------------------------------------------------

static inline void gpu_check(int error, const char *what, const char *how) {
  const char *name = NULL;
  if (!error) return;
  cuGetErrorName(error, &name);
  fail_msg("%s, schedule %s: %s", what, how, name ? name : "unknown error");
}

static inline void gpu_launch(const GpuTest *t, const CompiledCode *code,
                              CUmodule module, unsigned char *const *memory,
                              const char *schedule) {
  CUdeviceptr addresses[GPU_ARGS] = {0};
  void *params[GPU_ARGS];
  int64_t scalars[GPU_ARGS];
  const KernelInfo *info = code->kernels;
  for (int i = 0; i < t->num_args; i++) {
    scalars[i] = t->args[i].count;
    params[i] = &scalars[i];
    if (!t->args[i].elem_bytes) continue;
    params[i] = &addresses[i];
    gpu_check(cuMemAlloc_v2(&addresses[i], gpu_bytes(&t->args[i])), "allocate",
              schedule);
    cuMemcpyHtoD_v2(addresses[i], memory[i], gpu_bytes(&t->args[i]));
  }
  CUfunction function;
  const unsigned shared = (unsigned)info->shared_bytes;
  setenv("TILE_SIM_SCHEDULE", schedule, 1);
  gpu_check(cuModuleGetFunction(&function, module, info->symbol), "function",
            schedule);
  if (shared > GPU_STATIC_SHARED) {
    cuFuncSetAttribute(function, 8, (int)shared);
  }
  gpu_check(cuLaunchKernel(function, 1, 1, 1, (unsigned)info->num_warps * 32, 1,
                           1, shared, NULL, params, NULL),
            "launch", schedule);
  gpu_check(cuCtxSynchronize(), "run", schedule);
  for (int i = 0; i < t->num_args; i++) {
    if (!addresses[i]) continue;
    cuMemcpyDtoH_v2(memory[i], addresses[i], gpu_bytes(&t->args[i]));
    cuMemFree_v2(addresses[i]);
  }
}

static inline void gpu_compare(const GpuTest *t, unsigned char *const *expected,
                               unsigned char *const *found, const char *how) {
  for (int i = 0; i < t->num_args; i++) {
    const int size = t->args[i].elem_bytes;
    for (int64_t k = 0; size && k < t->args[i].count; k++) {
      if (!memcmp(expected[i] + k * size, found[i] + k * size, (size_t)size)) {
        continue;
      }
      unsigned a = 0, b = 0;
      memcpy(&a, expected[i] + k * size, (size_t)size);
      memcpy(&b, found[i] + k * size, (size_t)size);
      fail_msg("argument %d, element %lld: expected %#x, found %#x, "
               "schedule %s",
               i, (long long)k, a, b, how);
    }
  }
}

static inline void gpu_run(const GpuTest *t, const CompiledCode *code) {
  Arena arena;
  unsigned char *input[GPU_ARGS] = {0}, *expected[GPU_ARGS] = {0};
  unsigned char *found[GPU_ARGS] = {0};
  CUcontext context;
  CUmodule module;
  unsigned state = 1;
  arena_init(&arena, &system_allocator);
  for (int i = 0; i < t->num_args; i++) {
    if (!t->args[i].elem_bytes) continue;
    input[i] = gpu_fill(&arena, &t->args[i], &state);
    expected[i] = arena_array(&arena, unsigned char, gpu_bytes(&t->args[i]));
    found[i] = arena_array(&arena, unsigned char, gpu_bytes(&t->args[i]));
    memcpy(expected[i], input[i], gpu_bytes(&t->args[i]));
  }
  gpu_expect(t, expected);
  setenv("TILE_SIM_CHIP", "sm_90", 1); // runs code for the others, too
  assert_int_equal(cuInit(0), 0);
  assert_int_equal(cuDevicePrimaryCtxRetain(&context, 0), 0);
  assert_int_equal(cuCtxPushCurrent_v2(context), 0);
  assert_int_equal(cuModuleLoadDataEx(&module, code->data, 0, NULL, NULL), 0);
  for (size_t n = 0; n < sizeof gpu_schedules / sizeof *gpu_schedules; n++) {
    for (int i = 0; i < t->num_args; i++) {
      if (input[i]) memcpy(found[i], input[i], gpu_bytes(&t->args[i]));
    }
    gpu_launch(t, code, module, found, gpu_schedules[n]);
    gpu_compare(t, expected, found, gpu_schedules[n]);
  }
  cuModuleUnload(module);
  cuCtxPopCurrent_v2(&context);
  cuDevicePrimaryCtxRelease_v2(0);
  arena_free(&arena);
}

// Compiles and runs; `kit`, open afterwards, has the PTX and the IR.
static inline void gpu_same(Kit *kit, const GpuTest *t) {
  KitJob job = {kit, t->text, t->target, EMIT_ASM, t->passes};
  kit_open(kit);
  assert_true(arena_protect(&kit->arena, kit_run, &job));
  if (!kit->ok) fail_msg("%s", kit_messages(kit));
  if (have_ptxas()) check_ptxas(kit->code.data, t->target);
  gpu_run(t, &kit->code);
}

// -- Text --------------------------------------------------------------------

// A tile of addresses %NAMEp of R x C at %base, rows `stride` apart.
static inline void gpu_add_place(Str *out, const char *name, const char *base,
                                 int rows, int columns, int stride,
                                 const char *elem) {
  str_addf(out,
           "  %%%sr = arange {start = 0, end = %d} : tile<%dxi32>\n"
           "  %%%sc = arange {start = 0, end = %d} : tile<%dxi32>\n"
           "  %%%sr1 = expand_dims %%%sr {axis = 1} : tile<%dx1xi32>\n"
           "  %%%sc1 = expand_dims %%%sc {axis = 0} : tile<1x%dxi32>\n"
           "  %%%sk = constant {value = %d} : tile<%dx1xi32>\n"
           "  %%%sr2 = muli %%%sr1, %%%sk : tile<%dx1xi32>\n",
           name, rows, rows, name, columns, columns, name, name, rows, name,
           name, columns, name, stride, rows, name, name, name, rows);
  str_addf(out,
           "  %%%sr3 = broadcast %%%sr2 : tile<%dx%dxi32>\n"
           "  %%%sc3 = broadcast %%%sc1 : tile<%dx%dxi32>\n"
           "  %%%so = addi %%%sr3, %%%sc3 : tile<%dx%dxi32>\n"
           "  %%%ss = splat %s : tile<%dx%dxptr<%s>>\n"
           "  %%%sp = addptr %%%ss, %%%so : tile<%dx%dxptr<%s>>\n",
           name, name, rows, columns, name, name, rows, columns, name, name,
           name, rows, columns, name, base, rows, columns, elem, name, name,
           name, rows, columns, elem);
}

#endif
