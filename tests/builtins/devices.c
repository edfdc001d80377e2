// devices.c -- one function on every device.
#include "ir/interp.h"
#include "runtime/compile/compile.h"
#include "runtime/errors.h"
#include "tests/builtins/matrix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  INTERPRETER,
  CPU,
  SM_80,
  SM_90,
  SIM,
  NUM_VALUES = MAX_TYPES * (NUM_LANES + SCRATCH)
};

bool matrix_open(Matrix *m) {
  *m = (Matrix){0};
  if (!tile_context_create(NULL, &m->context) &&
      !tile_device_open(m->context, "cpu", &m->cpu, NULL) &&
      !tile_device_open(m->context, "sim", &m->sim, NULL))
    return true;
  matrix_close(m);
  return false;
}

void matrix_close(Matrix *m) {
  tile_device_destroy(m->sim);
  tile_device_destroy(m->cpu);
  tile_context_destroy(m->context);
}

// -- The frontend, the interpreter, GPUs -------------------------------------

// Compiles; with `values` also interprets.  NULL, or the id of the error.
static const char *compile_for(Arena *arena, const char *text,
                               const char *target, CompileGoal goal,
                               double *values, const char **why) {
  const Report report = {.from = &system_allocator};
  const TileSource source = {.file = "k.py", .text = text};
  SourceUnit *unit;
  Compilation out;
  if (unit_create(&report, &source, NULL, &unit)) return "syntax_errors";
  if (frontend_is_broken(unit->program)) {
    unit_destroy(unit);
    return "syntax_errors";
  }
  const ArgSpec arg = {.kind = ARG_ABSENT};
  const Specialization spec = {.args = &arg,
                               .debug = strstr(text, "device_assert") != NULL,
                               .target = target_find(target)};
  const CompileRequest request = {
      .unit = unit,
      .kernel = frontend_find_function(unit->program, "k"),
      .specialization = &spec,
      .goal = goal,
      .kind = spec.target->is_gpu ? EMIT_ASM : EMIT_OBJECT};
  const char *wrong = NULL;
  if (compile(&report, &request, &out)) {
    const char *id = out.diags.first ? message_id(out.diags.first) : "";
    wrong = arena_strdup(arena, id ? id : "");
    if (out.diags.first && why)
      *why = arena_strdup(arena, out.diags.first->text);
  } else if (values) {
    const InterpArg pointer = {.as.p = values};
    const InterpMemory memory = {values, NUM_VALUES * sizeof *values};
    const InterpLaunch launch = {.args = &pointer,
                                 .memory = &memory,
                                 .num_memory = 1,
                                 .grid = {1, 1, 1},
                                 .max_steps = 10000000};
    if (!interp_run(&out.arena, out.module->functions, &launch, &out.diags))
      wrong = "";
  }
  compilation_free(&out);
  unit_destroy(unit);
  return wrong;
}

// -- Devices that run --------------------------------------------------------

static TileStatus launch_on(TileDevice *device, TileKernel *kernel,
                            double *values) {
  const size_t size = NUM_VALUES * sizeof *values;
  TileBuffer *buffer;
  TileStatus status = tile_buffer_create(device, size, &buffer);
  if (status) return status;
  const TileArg arg = tile_buffer_arg(buffer, TILE_FP64);
  const TileLaunch launch = {
      .kernel = kernel, .grid = {1}, .args = &arg, .num_args = 1};
  memset(values, 0, size);
  status = tile_buffer_write(buffer, 0, values, size);
  if (!status) status = tile_launch(device, &launch, NULL);
  if (!status) status = tile_device_sync(device, NULL);
  if (!status) status = tile_buffer_read(buffer, 0, values, size);
  tile_buffer_destroy(buffer);
  return status;
}

static bool run_on(const Matrix *m, TileDevice *device, const char *text,
                   double *values) {
  const TileSource source = {.file = "k.py", .text = text};
  TileProgram *program;
  TileKernel *kernel;
  if (tile_program_create(m->context, &source, &program, NULL)) return false;
  const bool ok = !tile_program_kernel(program, "k", &kernel, NULL) &&
                  !launch_on(device, kernel, values);
  tile_program_destroy(program);
  return ok;
}

static bool agree(const double *a, const double *b, int type) {
  // By the size of a type: 8 bits have two digits, 16 bits three.
  const double tolerance = type < 9    ? 0
                           : type < 11 ? 0.25
                           : type < 13 ? 1e-2
                                       : 1e-5;
  for (int i = type * NUM_LANES; i < (type + 1) * NUM_LANES; i++) {
    if (isnan(a[i]) && isnan(b[i])) continue;
    if (a[i] == b[i]) continue;
    // Integers may become floats: whole numbers that fit are exact.
    const bool whole = a[i] == rint(a[i]) && b[i] == rint(b[i]);
    const bool exact = whole && fabs(a[i]) < 1 << 24;
    const double most = tolerance > 0 ? tolerance : exact ? 0 : 1e-5;
    if (!(fabs(a[i] - b[i]) <= most * (1 + fabs(a[i])))) return false;
  }
  return true;
}

// The types of `wanted` for which the device gives the expected values; NULL:
// any value.
static unsigned passing(const Matrix *m, Arena *arena, int device,
                        const char *text, unsigned wanted,
                        const double *expected, const char **why) {
  double values[NUM_VALUES];
  unsigned passed = 0;
  if (device == SM_80 || device == SM_90) {
    const char *target = device == SM_80 ? "sm_80" : "sm_90";
    if (!compile_for(arena, text, target, COMPILE_TO_CODE, NULL, why))
      passed = wanted;
  } else if (run_on(m, device == CPU ? m->cpu : m->sim, text, values)) {
    for (int t = 0; t < MAX_TYPES; t++) {
      const bool right = !expected || agree(expected, values, t);
      if ((wanted >> t & 1) && right) passed |= 1u << t;
    }
  }
  return passed;
}

// All types at once; if that fails, one by one.
static void try_device(const Matrix *m, Arena *arena, int device,
                       const char *use, unsigned wanted, const double *expected,
                       Result *out) {
  const char *all = matrix_source(arena, use, wanted);
  unsigned passed = passing(m, arena, device, all, wanted, expected, NULL);
  for (int t = 0; t < MAX_TYPES; t++) {
    const unsigned one = 1u << t;
    if (!(wanted & one) || (passed & one)) continue;
    const char *text = matrix_source(arena, use, one);
    passed |= passing(m, arena, device, text, one, expected, &out->why[t]);
  }
  out->passed[device] |= passed;
}

// NULL if the frontend accepts it, else the message.
static const char *refusal(Arena *arena, const char *use, int type,
                           const char *target) {
  const char *text = matrix_source(arena, use, 1u << type);
  return compile_for(arena, text, target, COMPILE_TO_IR, NULL, NULL);
}

static void try_gpus(const Matrix *m, Arena *arena, const char *use,
                     Result *out) {
  for (int d = SM_80; d < NUM_DEVICES && out->only_gpu; d++)
    try_device(m, arena, d, use, out->only_gpu, NULL, out);
}

bool matrix_try(Matrix *m, Arena *arena, const char *use, Result *out) {
  static double expected[NUM_VALUES];
  unsigned accepted = 0;
  for (int t = 0; t < out->num_types; t++) {
    out->refused[t] = refusal(arena, use, t, "cpu");
    if (!out->refused[t])
      accepted |= 1u << t;
    else if (!*out->refused[t])
      return false;
    else if (!refusal(arena, use, t, "sm_80"))
      out->only_gpu |= 1u << t;
  }
  try_gpus(m, arena, use, out);
  if (!accepted) return true;
  memset(expected, 0, sizeof expected);
  const char *all = matrix_source(arena, use, accepted);
  if (compile_for(arena, all, "cpu", COMPILE_TO_IR, expected, NULL))
    return false;
  out->passed[INTERPRETER] = accepted;
  for (int d = CPU; d < NUM_DEVICES; d++)
    try_device(m, arena, d, use, accepted, expected, out);
  return true;
}
