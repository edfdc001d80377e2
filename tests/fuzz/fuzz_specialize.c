// fuzz_specialize.c -- any bytes as a source file, and its kernels as IR.
//
// Specializing a kernel ends with IR that the verifier accepts, or with a
// message and nothing added.
#include "frontend/frontend.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "tests/fuzz/guess.h"
#include "tests/fuzz/imports.h"
#include "tests/fuzz/limited.h"
#include "tests/fuzz/places.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
  Arena *arena;
  const char *text;
  size_t length;
} Job;

static void check(bool ok, const char *what, const char *text) {
  if (ok) return;
  fprintf(stderr, "%s:\n%s\n", what, text);
  abort();
}

static void specialize(const Job *job, Program *program, DiagList *diags,
                       const AstFunction *kernel) {
  ArgSpec args[MAX_PARAMS];
  const uint32_t seed = guess_seed(job->text, job->length);
  if (!guess_arguments(job->arena, kernel, job->text, job->length, seed, args))
    return;
  const Specialization spec = {.args = args,
                               .num_warps = guess_num_warps(seed),
                               .num_stages = guess_num_stages(seed),
                               .debug = guess_debug(seed)};
  Module *m = module_create(job->arena, diags);
  const int errors = diags->num_errors;
  if (!frontend_specialize(program, kernel, &spec, m)) {
    check(diags->num_errors > errors, "failure without a message", job->text);
    check(!m->functions, "a function left behind", job->text);
    return;
  }
  check(diags->num_errors == errors, "success with a message", job->text);
  if (module_verify(m)) return;
  Str out = str_in(job->arena);
  diag_render_all(diags, false, &out);
  check(false, str_text(&out), job->text);
}

static void run(void *data) {
  const Job *job = data;
  DiagList diags;
  diag_init(&diags, job->arena);
  Source *source =
      source_create(job->arena, "fuzz.tile", job->text, job->length);
  Imports imports = {job->text, job->length, 4};
  const FrontendOptions options = {.reader = {&imports, imports_read}};
  Program *program = frontend_parse(job->arena, &diags, source, &options);
  if (!program) return;
  frontend_add_sources(program, &diags);
  for (int i = 0; i < frontend_num_functions(program); i++)
    specialize(job, program, &diags, frontend_function(program, i));
  const int outer = frontend_num_functions(program);
  Str json = str_in(job->arena);
  frontend_reflect(program, NULL, job->arena, &json); // finds those within
  check(is_utf8(str_text(&json)), "metadata that are not UTF-8", job->text);
  for (int i = outer; i < frontend_num_functions(program); i++)
    specialize(job, program, &diags, frontend_function(program, i));
  const char *wrong = wrong_place(&diags);
  check(!wrong, wrong, job->text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Arena arena;
  Limited limited;
  limited_init(&limited, size);
  arena_init(&arena, &limited.allocator);
  Job job = {&arena, arena_strndup(&arena, (const char *)data, size), size};
  check(arena_protect(&arena, run, &job), "out of memory", job.text);
  arena_free(&arena);
  return 0;
}
