// fuzz_passes.c -- random bytes that are valid IR, through pipelines and
// passes.
//
// Passes may refuse a module, but their result must verify, and its printed
// text must parse.
#include "ir/text.h"
#include "ir/verify.h"
#include "passes/pass.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const lists[] = {"host",
                                    "gpu",
                                    "dce",
                                    "cse",
                                    "licm",
                                    "canonicalize",
                                    "block_pointers,dce",
                                    "block_pointers,assign_layouts",
                                    "axis_info",
                                    "licm,dce,canonicalize,cse"};
enum { NUM_LISTS = sizeof lists / sizeof *lists };

typedef struct {
  Arena *arena;
  const char *text;
  size_t length;
  const char *list;
  bool valid;
} Job;

static Module *parse(Job *job, const char *text, size_t length) {
  DiagList *diags = arena_new(job->arena, DiagList);
  diag_init(diags, job->arena);
  Module *m = module_create(job->arena, diags);
  const Source *source = source_create(job->arena, "fuzz", text, length);
  return module_parse(m, source) && module_verify(m) ? m : NULL;
}

static void stop(const Job *job, const char *what, const Module *m) {
  Str text = str_in(job->arena);
  module_print(m, NULL, &text);
  diag_render_all(m->diags, false, &text);
  fprintf(stderr, "%s, after %s:\n%s\nof:\n%s\n", what, job->list,
          str_text(&text), job->text);
  abort();
}

static void run(void *data) {
  Job *job = data;
  const PassOptions options = {.verify_each = true};
  Module *m = parse(job, job->text, job->length);
  job->valid = m != NULL;
  if (!m) return;
  const bool ok = passes_run(m, target_find("sm_80"), job->list, &options);
  if (m->diags->num_bugs) stop(job, "a pass is wrong", m);
  if (!ok) return;
  Str text = str_in(job->arena);
  module_print(m, NULL, &text);
  if (!parse(job, str_text(&text), text.length)) stop(job, "broken text", m);
}

static bool run_list(const char *text, size_t length, const char *list) {
  Arena arena;
  arena_init(&arena, &system_allocator);
  Job job = {&arena, text, length, list, false};
  arena_protect(&arena, run, &job);
  arena_free(&arena);
  return job.valid;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  if (!text) return 0;
  if (size) memcpy(text, data, size);
  text[size] = '\0';
  for (int i = 0; i < NUM_LISTS; i++) {
    if (!run_list(text, size, lists[i])) break;
  }
  free(text);
  return 0;
}
