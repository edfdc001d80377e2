// fuzz_ir.c -- any bytes as textual IR.
//
// A module that parses is printed, parsed and printed again, and both texts
// must be equal; a module that verifies must still verify after this, and after
// folding.
#include "ir/rewrite.h"
#include "ir/text.h"
#include "ir/verify.h"

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

static Module *parse(Job *job, const char *text, size_t length) {
  DiagList *diags = arena_new(job->arena, DiagList);
  diag_init(diags, job->arena);
  Source *source = source_create(job->arena, "fuzz", text, length);
  diag_add_source(diags, source);
  Module *m = module_create(job->arena, diags);
  if (module_parse(m, source)) return m;
  Str messages = str_in(job->arena);
  diag_render_all(diags, false, &messages);
  return NULL;
}

static void check(bool ok, const char *what, const char *text) {
  if (ok) return;
  fprintf(stderr, "%s:\n%s\n", what, text);
  abort();
}

static void run(void *data) {
  Job *job = data;
  Module *m = parse(job, job->text, job->length);
  if (!m) return;
  const PrintOptions options = {.locations = true};
  Str once = str_in(job->arena), twice = str_in(job->arena);
  module_print(m, &options, &once);
  Module *again = parse(job, str_text(&once), once.length);
  check(again != NULL, "printed text does not parse", str_text(&once));
  module_print(again, &options, &twice);
  check(!strcmp(str_text(&once), str_text(&twice)), "text changes",
        str_text(&once));
  const bool valid = module_verify(m);
  check(valid == module_verify(again), "validity changes", str_text(&once));
  if (!valid) return;
  for (Function *f = m->functions; f; f = f->next) {
    function_rewrite(f, NULL, 0, 0);
  }
  check(module_verify(m), "folding breaks it", str_text(&once));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Arena arena;
  arena_init(&arena, &system_allocator);
  char *text = malloc(size + 1);
  if (!text) return 0;
  if (size) memcpy(text, data, size);
  text[size] = '\0';
  Job job = {&arena, text, size};
  arena_protect(&arena, run, &job);
  arena_free(&arena);
  free(text);
  return 0;
}
