// fuzz_compile.c -- any bytes as a source file, compiled for several targets.
//
// A compilation ends well or with a message: never with a bug of ours.
#include "runtime/compile/compile.h"
#include "runtime/context.h"
#include "tests/fuzz/guess.h"
#include "tests/fuzz/limited.h"
#include "tests/fuzz/places.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CODE_EVERY = 8, NUM_TARGETS = 6 };

static void check(bool ok, const char *what, const char *text) {
  if (ok) return;
  fprintf(stderr, "%s:\n%s\n", what, text);
  abort();
}

typedef struct {
  SourceUnit *unit;
  Report report;
  const char *text;
  size_t length;
  uint32_t hash; // of the text: selects the options
} Job;

static void compile_with(const Job *job, const AstFunction *kernel,
                         const Specialization *spec) {
  const CompileRequest request = {
      .unit = job->unit,
      .kernel = kernel,
      .specialization = spec,
      .goal = job->hash % CODE_EVERY ? COMPILE_TO_PASSES : COMPILE_TO_CODE,
      .kind = spec->target->is_gpu ? EMIT_ASM : EMIT_OBJECT,
  };
  Compilation out;
  const TileStatus status = compile(&job->report, &request, &out);
  if (status == TILE_INTERNAL) {
    Str text = str_in(&out.arena);
    diag_render_all(&out.diags, false, &text);
    check(false, str_text(&text), job->text);
  }
  check(status != TILE_OUT_OF_MEMORY, "out of memory", job->text);
  check(status == TILE_OK || diag_failed(&out.diags) ||
            frontend_is_broken(job->unit->program),
        "failure without a message", job->text);
  const char *wrong = wrong_place(&out.diags);
  check(!wrong, wrong, job->text);
  compilation_free(&out);
}

static void compile_for(const Job *job, const AstFunction *kernel,
                        const char *target) {
  const uint32_t seed = job->hash / CODE_EVERY / NUM_TARGETS;
  Arena arena;
  ArgSpec args[MAX_PARAMS];
  arena_init(&arena, &system_allocator);
  if (guess_arguments(&arena, kernel, job->text, job->length, seed, args)) {
    Specialization spec = {.args = args,
                           .num_warps = guess_num_warps(seed),
                           .num_stages = guess_num_stages(seed),
                           .debug = guess_debug(seed),
                           .target = target_find(target)};
    if (function_has_heuristics(kernel))
      compile_heuristics(&job->report, job->unit, kernel, &arena, args, NULL,
                         &spec);
    compile_with(job, kernel, &spec);
  }
  arena_free(&arena);
}

static void compile_all(const Job *job) {
  static const char *const targets[NUM_TARGETS] = {"cpu",   "sm_75", "sm_80",
                                                   "sm_89", "sm_90", "sm_90a"};
  const char *target = targets[job->hash / CODE_EVERY % NUM_TARGETS];
  for (int i = 0; i < frontend_num_functions(job->unit->program); i++) {
    const AstFunction *function = frontend_function(job->unit->program, i);
    if (function_is_kernel(function) && function_is_sound(function))
      compile_for(job, function, target);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  if (!text) return 0;
  memcpy(text, data, size);
  text[size] = 0;
  Limited limited;
  limited_init(&limited, size);
  Job job = {.report = {.from = &limited.allocator},
             .text = text,
             .length = size,
             .hash = guess_seed(text, size)};
  const TileSource source = {.file = "fuzz.tile", .text = text, .length = size};
  const TileStatus status = unit_create(&job.report, &source, NULL, &job.unit);
  check(status != TILE_INTERNAL, "a bug while parsing", text);
  check(status != TILE_OUT_OF_MEMORY, "out of memory", text);
  if (!status) compile_all(&job);
  if (!status) unit_destroy(job.unit);
  free(text);
  return 0;
}
