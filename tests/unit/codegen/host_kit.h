// host_kit.h -- runs kernels written as IR text as host code and in the
// interpreter, on the same random memory, and compares.
#ifndef TILE_TESTS_HOST_KIT_H
#define TILE_TESTS_HOST_KIT_H

#include "codegen/codegen.h"
#include "ir/interp.h"
#include "ir/number.h"
#include "ir/text.h"
#include "ir/verify.h"

#include <llvm-c/Core.h>
#include <llvm-c/LLJIT.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { HOST_ARGS = 16 };

typedef struct {
  Arena arena;
  DiagList diags;
  Module *m;
  CompiledCode code;
  LLVMOrcLLJITRef jit;
  HostKernelFn *run;
  void *scratch;
  uint64_t slots[HOST_ARGS];
} HostKit;

// The contents of the memory behind a pointer, or the value of a scalar.
typedef struct {
  size_t count; // elements behind a pointer
  double low, high;
  double scalar;
} HostArg;

static inline const char *host_messages(HostKit *kit) {
  Str text = str_in(&kit->arena);
  diag_render_all(&kit->diags, false, &text);
  return str_text(&text);
}

static inline void host_parse(HostKit *kit, const char *text) {
  *kit = (HostKit){0};
  arena_init(&kit->arena, &system_allocator);
  diag_init(&kit->diags, &kit->arena);
  kit->m = module_create(&kit->arena, &kit->diags);
  Source *source = source_create(&kit->arena, "t.tir", text, strlen(text));
  diag_add_source(&kit->diags, source);
  if (module_parse(kit->m, source)) module_verify(kit->m);
  assert_string_equal(host_messages(kit), "");
}

static inline void host_check(LLVMErrorRef error) {
  if (!error) return;
  fail_msg("ORC: %s", LLVMGetErrorMessage(error));
}

static inline void host_link(HostKit *kit) {
  host_check(LLVMOrcCreateLLJIT(&kit->jit, NULL));
  LLVMOrcJITDylibRef dylib = LLVMOrcLLJITGetMainJITDylib(kit->jit);
  LLVMOrcDefinitionGeneratorRef process;
  host_check(LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
      &process, LLVMOrcLLJITGetGlobalPrefix(kit->jit), NULL, NULL));
  LLVMOrcJITDylibAddGenerator(dylib, process);
  host_check(
      LLVMOrcLLJITAddObjectFile(kit->jit, dylib,
                                LLVMCreateMemoryBufferWithMemoryRangeCopy(
                                    kit->code.data, kit->code.size, "kernel")));
  LLVMOrcExecutorAddress address;
  host_check(
      LLVMOrcLLJITLookup(kit->jit, &address, kit->code.kernels[0].symbol));
  memcpy(&kit->run, &address, sizeof address);
  const size_t bytes = kit->code.kernels[0].scratch_bytes;
  kit->scratch = aligned_alloc(64, (bytes + 64) / 64 * 64);
}

// `cpu` NULL: the machine's own.
static inline void host_compile_for(HostKit *kit, const char *cpu,
                                    const char *text) {
  const CodegenOptions options = {.host_cpu = cpu};
  host_parse(kit, text);
  codegen_emit(kit->m, target_find("cpu"), EMIT_OBJECT, &options, &kit->code);
  assert_string_equal(host_messages(kit), "");
  host_link(kit);
}

static inline void host_compile(HostKit *kit, const char *text) {
  host_compile_for(kit, NULL, text);
}

static inline void host_close(HostKit *kit) {
  if (kit->jit) host_check(LLVMOrcDisposeLLJIT(kit->jit));
  free(kit->scratch);
  arena_free(&kit->arena);
}

static inline void host_grid(HostKit *kit, const int64_t *grid) {
  const uint32_t size[] = {(uint32_t)grid[0], (uint32_t)grid[1],
                           (uint32_t)grid[2]};
  const bool keeps = kit->code.kernels[0].keeps_scratch;
  bool kept = false;
  for (uint32_t z = 0; z < size[2]; z++) {
    for (uint32_t y = 0; y < size[1]; y++) {
      for (uint32_t x = 0; x < size[0]; x++) {
        const uint32_t program[] = {x, y, z};
        kit->run(kit->slots, program, size, (char *)kit->scratch + kept);
        kept = keeps;
      }
    }
  }
}

// A kernel that maps elements of x to elements of y, `lanes` to a program, by
// `op` with `attrs` behind its operand, "" for none.
static inline const char *host_map_text(Arena *arena, int lanes, const char *op,
                                        const char *attrs, Elem from, Elem to) {
  const char *f = elem_info[from].name, *t = elem_info[to].name;
  return arena_printf(
      arena,
      "kernel @f(%%x: ptr<%s>, %%y: ptr<%s>) {\n"
      "  %%pid = program_id {axis = 0} : i32\n"
      "  %%size = constant {value = %d} : i32\n"
      "  %%start = muli %%pid, %%size : i32\n"
      "  %%lanes = arange {start = 0, end = %d} : tile<%dxi32>\n"
      "  %%starts = splat %%start : tile<%dxi32>\n"
      "  %%offs = addi %%starts, %%lanes : tile<%dxi32>\n"
      "  %%xs = splat %%x : tile<%dxptr<%s>>\n"
      "  %%xp = addptr %%xs, %%offs : tile<%dxptr<%s>>\n"
      "  %%v = load %%xp : tile<%dx%s>\n"
      "  %%r = %s %%v %s : tile<%dx%s>\n"
      "  %%ys = splat %%y : tile<%dxptr<%s>>\n"
      "  %%yp = addptr %%ys, %%offs : tile<%dxptr<%s>>\n"
      "  store %%yp, %%r\n"
      "  return\n"
      "}\n",
      f, t, lanes, lanes, lanes, lanes, lanes, lanes, f, lanes, f, lanes, f, op,
      attrs, lanes, t, lanes, t, lanes, t);
}

// Runs such a kernel over `count` elements, a multiple of `lanes`.
static inline void host_map_for(const char *cpu, const char *text, int lanes,
                                size_t count, const void *in, void *out) {
  HostKit kit;
  host_compile_for(&kit, cpu, text);
  memcpy(&kit.slots[0], &in, sizeof in);
  memcpy(&kit.slots[1], &out, sizeof out);
  host_grid(&kit, (int64_t[]){(int64_t)count / lanes, 1, 1});
  host_close(&kit);
}

static inline void host_map(const char *text, int lanes, size_t count,
                            const void *in, void *out) {
  host_map_for(NULL, text, lanes, count, in, out);
}

// -- Data --------------------------------------------------------------------

static inline double host_random(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (double)(*state >> 11) / 9007199254740992.0;
}

static inline size_t host_bytes(const Type *element) {
  const int bits = type_element_bits(element);
  return bits < 8 ? 1 : (size_t)bits / 8;
}

static inline void host_put(void *at, const Type *element, double value) {
  uint64_t bits = (uint64_t)(int64_t)value;
  if (type_is_float(element)) bits = float_encode(value, element->elem);
  memcpy(at, &bits, host_bytes(element));
}

static inline double host_get(const void *at, const Type *element) {
  uint64_t bits = 0;
  memcpy(&bits, at, host_bytes(element));
  if (type_is_float(element)) return float_decode(bits, element->elem);
  return (double)int_wrap((int64_t)bits, element->elem);
}

static inline void host_fill_memory(const Type *element, const HostArg *arg,
                                    char *memory, uint64_t *state) {
  for (size_t i = 0; i < arg->count; i++) {
    double x = arg->low + (arg->high - arg->low) * host_random(state);
    if (!type_is_float(element)) x = floor(x);
    host_put(memory + i * host_bytes(element), element, x);
  }
}

static inline bool host_close_to(double got, double want, double tolerance) {
  if (isnan(want)) return isnan(got);
  if (got == want) return true;
  return fabs(got - want) <= tolerance * (fabs(want) > 1 ? fabs(want) : 1);
}

static inline void host_compare(const Type *element, size_t count,
                                const char *got, const char *want, int arg,
                                double tolerance) {
  const size_t bytes = host_bytes(element);
  for (size_t i = 0; i < count; i++) {
    const double x = host_get(got + i * bytes, element);
    const double y = host_get(want + i * bytes, element);
    if (!host_close_to(x, y, type_is_float(element) ? tolerance : 0)) {
      fail_msg("argument %d, element %zu: %.9g, the interpreter %.9g", arg, i,
               x, y);
    }
  }
}

// -- The comparison ----------------------------------------------------------

typedef struct {
  HostKit kit;
  char *ours[HOST_ARGS], *theirs[HOST_ARGS];
  InterpArg args[HOST_ARGS];
  InterpMemory memory[HOST_ARGS];
  size_t num_memory;
} HostRun;

static inline void host_argument(HostRun *run, int i, const Type *type,
                                 const HostArg *arg, uint64_t *state) {
  if (type->kind != TYPE_POINTER) {
    run->args[i].as.i = (int64_t)arg->scalar;
    if (type_is_float(type)) run->args[i].as.f = arg->scalar;
    host_put(&run->kit.slots[i], type, arg->scalar);
    return;
  }
  const size_t bytes = arg->count * host_bytes(type->element);
  run->ours[i] = malloc(bytes + 1);
  run->theirs[i] = malloc(bytes + 1);
  host_fill_memory(type->element, arg, run->ours[i], state);
  memcpy(run->theirs[i], run->ours[i], bytes);
  run->args[i].as.p = run->theirs[i];
  run->memory[run->num_memory++] = (InterpMemory){run->theirs[i], bytes};
  memcpy(&run->kit.slots[i], &run->ours[i], sizeof(void *));
}

static inline void host_same(const char *text, const int64_t *grid,
                             const HostArg *args, double tolerance) {
  HostRun run = {0};
  host_compile(&run.kit, text);
  const Function *f = run.kit.m->functions;
  uint64_t state = 42;
  for (int i = 0; i < f->body->num_args; i++) {
    host_argument(&run, i, f->body->args[i].type, &args[i], &state);
  }
  InterpLaunch launch = {.args = run.args,
                         .memory = run.memory,
                         .num_memory = run.num_memory,
                         .grid = {grid[0], grid[1], grid[2]}};
  interp_run(&run.kit.arena, f, &launch, &run.kit.diags);
  assert_string_equal(host_messages(&run.kit), "");
  host_grid(&run.kit, grid);
  for (int i = 0; i < f->body->num_args; i++) {
    const Type *type = f->body->args[i].type;
    if (type->kind != TYPE_POINTER) continue;
    host_compare(type->element, args[i].count, run.ours[i], run.theirs[i], i,
                 tolerance);
    free(run.ours[i]);
    free(run.theirs[i]);
  }
  host_close(&run.kit);
}

#endif
