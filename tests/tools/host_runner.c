// host_runner.c -- passes, code generation and the loader, in one go.
#include "tests/tools/host_runner.h"

#include "passes/pass.h"
#include "runtime/device/host_code.h"

#include <stdlib.h>

static bool load(HostRunner *r, Module *m, char *why, size_t size) {
  const CompiledCode *c = &r->compiled;
  void *address;
  r->code = host_code_create(&system_allocator, why, size);
  if (!r->code) return false;
  r->object = host_code_add(r->code, c->data, c->size, c->kernels[0].symbol,
                            &address, why, size);
  if (!r->object) return false;
  r->calls = arena_array(m->arena, HostKernelFn *, c->num_kernels);
  for (int i = 0; i < c->num_kernels; i++) {
    if (!host_code_find(r->code, r->object, c->kernels[i].symbol, &address, why,
                        size)) {
      return false;
    }
    r->calls[i] = (HostKernelFn *)(uintptr_t)address;
  }
  return true;
}

static size_t largest_scratch(const CompiledCode *c) {
  size_t bytes = 64;
  for (int i = 0; i < c->num_kernels; i++) {
    if (c->kernels[i].scratch_bytes > bytes)
      bytes = c->kernels[i].scratch_bytes;
  }
  return bytes;
}

bool host_runner_open(HostRunner *r, Module *m, const CodegenOptions *options,
                      DiagList *diags) {
  const Target *cpu = target_find("cpu");
  char why[256] = "";
  *r = (HostRunner){0};
  if (!passes_run(m, cpu, "host", NULL)) return false;
  if (!codegen_emit(m, cpu, EMIT_OBJECT, options, &r->compiled)) return false;
  if (!load(r, m, why, sizeof why)) {
    return diag_error(diags, (SrcLoc){0}, "cannot load the code: %s", why);
  }
  if (posix_memalign(&r->scratch, 64, largest_scratch(&r->compiled))) {
    return diag_error(diags, (SrcLoc){0}, "no memory for scratch");
  }
  return true;
}

void host_runner_run(const HostRunner *r, int kernel, const uint64_t *args,
                     const int64_t *grid) {
  const uint32_t size[] = {(uint32_t)grid[0], (uint32_t)grid[1],
                           (uint32_t)grid[2]};
  const bool keeps = r->compiled.kernels[kernel].keeps_scratch;
  bool kept = false;
  uint32_t at[3];
  for (at[2] = 0; at[2] < size[2]; at[2]++) {
    for (at[1] = 0; at[1] < size[1]; at[1]++) {
      for (at[0] = 0; at[0] < size[0]; at[0]++) {
        r->calls[kernel](args, at, size, (char *)r->scratch + kept);
        kept = keeps;
      }
    }
  }
}

void host_runner_close(HostRunner *r) {
  free(r->scratch);
  if (r->code) host_code_remove(r->code, r->object);
  host_code_destroy(r->code);
}
