// nvptx_kit.h -- kernels written as IR text to PTX, and past ptxas.
#ifndef TILE_TESTS_NVPTX_KIT_H
#define TILE_TESTS_NVPTX_KIT_H

#include "codegen/codegen.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "passes/pass.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct {
  Arena arena;
  DiagList diags;
  Module *m;
  CompiledCode code;
  bool ok;
} Kit;

static inline const char *kit_messages(Kit *kit) {
  Str text = str_in(&kit->arena);
  diag_render_all(&kit->diags, false, &text);
  return str_text(&text);
}

static inline void kit_open(Kit *kit) {
  *kit = (Kit){0};
  arena_init(&kit->arena, &system_allocator);
  diag_init(&kit->diags, &kit->arena);
  kit->m = module_create(&kit->arena, &kit->diags);
}

static inline void kit_close(Kit *kit) {
  arena_free(&kit->arena);
}

typedef struct {
  Kit *kit;
  const char *text, *target;
  EmitKind kind;
  const char *passes; // NULL: gpu
} KitJob;

static inline void kit_run(void *data) {
  KitJob *job = data;
  Kit *kit = job->kit;
  const Target *target = target_find(job->target);
  Source *source =
      source_create(&kit->arena, "t.tir", job->text, strlen(job->text));
  diag_add_source(&kit->diags, source);
  const PassOptions options = {.verify_each = true};
  kit->ok =
      module_parse(kit->m, source) && module_verify(kit->m) &&
      passes_run(kit->m, target, job->passes ? job->passes : "gpu", &options) &&
      codegen_emit(kit->m, target, job->kind, NULL, &kit->code);
}

// Through the pipeline `gpu`; kit->ok says whether all went well.
static inline void kit_compile(Kit *kit, const char *text, const char *target,
                               EmitKind kind) {
  KitJob job = {kit, text, target, kind, NULL};
  kit_open(kit);
  assert_true(arena_protect(&kit->arena, kit_run, &job));
}

static inline const char *kit_ptx(Kit *kit, const char *text,
                                  const char *target) {
  kit_compile(kit, text, target, EMIT_ASM);
  if (!kit->ok) fail_msg("%s", kit_messages(kit));
  return kit->code.data;
}

static inline int count_text(const char *text, const char *what) {
  int count = 0;
  for (; (text = strstr(text, what)); text += strlen(what)) count++;
  return count;
}

// Does the group of attributes that ends a line of LLVM's hold `convergent`?
static inline bool is_convergent(Kit *kit, const char *line) {
  const char *number = strrchr(line, '#');
  if (!number) return false;
  const char *group =
      arena_printf(&kit->arena, "\nattributes %s = { convergent", number);
  return strstr(kit->code.data, group);
}

// The code, from EMIT_LLVM, has such assembly.  Assembly of a whole warp must
// not be moved, and assembly that accesses memory must not be reordered with
// other accesses.
static inline void check_asm(Kit *kit, const char *wanted) {
  bool found = false;
  for (const char *at = kit->code.data; (at = strstr(at, " asm ")); at++) {
    const int length = (int)strcspn(at, "\n");
    const char *line = arena_printf(&kit->arena, "%.*s", length, at);
    found |= strstr(line, wanted) != NULL;
    if (strstr(line, ".sync.") &&
        (strncmp(line, " asm sideeffect", 15) || !is_convergent(kit, line)))
      fail_msg("not kept where it is: %s", line);
    if (strstr(line, " [$") && !strstr(line, "~{memory}"))
      fail_msg("memory may change places with it: %s", line);
  }
  if (!found) fail_msg("no %s in\n%s", wanted, kit->code.data);
}

static inline bool have_ptxas(void) {
  return !system("ptxas --version > /dev/null 2>&1");
}

// Fails with the messages of ptxas, a note of lost speed included.
static inline void check_ptxas(const char *ptx, const char *target) {
  char name[] = "/tmp/tile-ptx-XXXXXX", command[256], says[1024];
  const int file = mkstemp(name);
  assert_true(file >= 0);
  const size_t size = strlen(ptx);
  assert_int_equal(write(file, ptx, size), (ssize_t)size);
  close(file);
  snprintf(command, sizeof command, "ptxas -arch=%s %s -o /dev/null 2>&1",
           target, name);
  FILE *pipe = popen(command, "r");
  assert_non_null(pipe);
  says[fread(says, 1, sizeof says - 1, pipe)] = 0;
  const int status = pclose(pipe);
  unlink(name);
  if (status || strstr(says, "(C75"))
    fail_msg("ptxas for %s: %s\n%s", target, says, ptx);
}

#endif
