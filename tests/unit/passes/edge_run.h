// edge_run.h -- kernels of edge_kernels.h, run by the interpreter.
#ifndef TILE_TESTS_EDGE_RUN_H
#define TILE_TESTS_EDGE_RUN_H

#include "tests/unit/frontend/specialize_kit.h"
#include "tests/unit/passes/edge_kernels.h"

// Bytes of a pointer's memory, and those in front of the pointer.
enum { EDGE_PARAMS = 12, EDGE_MARGIN = 1 << 12, EDGE_BYTES = 5 << 12 };

typedef struct {
  _Alignas(64) unsigned char bytes[EDGE_PARAMS][EDGE_BYTES];
} EdgeMemory;

static inline bool edge_is_pointer(const Function *f, int i) {
  return f->body->args[i].type->kind == TYPE_POINTER;
}

// The memory before a run; the kernel's other parameters have none.
static inline void edge_fill_all(const Function *f, EdgeMemory *out) {
  for (int i = 0; i < f->body->num_args; i++)
    if (edge_is_pointer(f, i))
      edge_fill(out->bytes[i], EDGE_BYTES, f->body->args[i].type->element->elem,
                i);
}

// The arguments for an input, with pointers into the memory.
static inline void edge_bind(const Function *f, const int64_t *ints,
                             EdgeMemory *memory, InterpArg *args) {
  for (int i = 0; i < f->body->num_args; i++) {
    args[i] = (InterpArg){0};
    if (edge_is_pointer(f, i))
      args[i].as.p = &memory->bytes[i][EDGE_MARGIN];
    else
      args[i].as.i = *ints++;
  }
}

// Fails the test if the interpreter finds an error.
static inline void edge_interpret(Kit *kit, const EdgeKernel *kernel, int input,
                                  EdgeMemory *out) {
  const Function *f = kit->m->functions;
  InterpArg args[EDGE_PARAMS];
  const InterpMemory all = {out, sizeof *out};
  const InterpLaunch launch = {.args = args,
                               .memory = &all,
                               .num_memory = 1,
                               .grid = {1, 1, 1},
                               .max_steps = 400000};
  edge_fill_all(f, out);
  edge_bind(f, kernel->inputs[input], out, args);
  if (!interp_run(&kit->arena, f, &launch, &kit->diags))
    fail_msg("%s, input %d: %s", kernel->name, input, kit_messages(kit));
}

#endif
