// on_ptx.c -- conformance of PTX: it compiles, and ptxas takes it.
#include "tests/conformance/run.h"

#include "codegen/codegen.h"
#include "ir/verify.h"
#include "passes/pass.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Runs `ptxas ARGS`, its output to a file; true if it ended well.
static bool run_ptxas(char *const *args, const char *output) {
  const pid_t child = fork();
  if (child < 0) return false;
  if (!child) {
    if (freopen(output, "w", stdout) && dup2(1, 2) == 2) execvp("ptxas", args);
    _exit(127);
  }
  int status;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         !WEXITSTATUS(status);
}

bool ptx_prepare(Conformance *run) {
  char *args[] = {"ptxas", "--version", NULL};
  if (!target_find(run->device)) {
    printf("no target is named '%s'\n", run->device);
    return false;
  }
  if (run_ptxas(args, "/dev/null")) return true;
  printf("SKIP: ptxas is not installed\n");
  return false;
}

typedef struct {
  Conformance *run;
  Arena *arena;
  DiagList diags;
  const char *name; // of the only case, to show; else NULL
} Batch;

static void show_file(const char *path) {
  FILE *file = fopen(path, "r");
  char line[512];
  for (int i = 0; file && i < 20 && fgets(line, sizeof line, file); i++) {
    fputs(line, stdout);
  }
  if (file) fclose(file);
}

static bool write_file(const char *path, const CompiledCode *code) {
  FILE *file = fopen(path, "w");
  if (!file) return false;
  const bool ok = fwrite(code->data, 1, code->size, file) == code->size;
  return fclose(file) == 0 && ok;
}

static bool assemble(Batch *b, const CompiledCode *code) {
  char folder[] = "/tmp/tile-conformance-XXXXXX";
  if (!mkdtemp(folder)) return false;
  char *ptx = arena_printf(b->arena, "%s/kernels.ptx", folder);
  char *log = arena_printf(b->arena, "%s/log", folder);
  char *arch = arena_printf(b->arena, "-arch=%s", b->run->device);
  char *args[] = {"ptxas", arch, "-o", "/dev/null", ptx, NULL};
  const bool ok = write_file(ptx, code) && run_ptxas(args, log);
  if (!ok && b->name) {
    printf("FAIL %s: ptxas says\n", b->name);
    show_file(log);
  }
  remove(ptx);
  remove(log);
  rmdir(folder);
  return ok;
}

static bool compile(Batch *b, Module *m, CompiledCode *code) {
  const Target *target = target_find(b->run->device);
  if (passes_run(m, target, "gpu", NULL) &&
      codegen_emit(m, target, EMIT_ASM, NULL, code)) {
    return true;
  }
  if (!b->name) return false;
  Str text = str_in(b->arena);
  diag_render_all(&b->diags, false, &text);
  printf("FAIL %s:\n%s", b->name, str_text(&text));
  return false;
}

Outcome ptx_batch(Conformance *run, const Case *cases, int count, bool show) {
  Arena arena;
  arena_init(&arena, &system_allocator);
  Batch b = {.run = run, .arena = &arena};
  if (show) b.name = case_name(&arena, cases);
  diag_init(&b.diags, &arena);
  Module *m = module_create(&arena, &b.diags);
  for (int i = 0; i < count; i++) {
    case_build(m, &cases[i], arena_printf(&arena, "case%d", i), false);
  }
  CompiledCode code;
  const bool ok =
      module_verify(m) && compile(&b, m, &code) && assemble(&b, &code);
  arena_free(&arena);
  if (ok) run->passed += count;
  return ok ? BATCH_RAN : BATCH_REFUSED;
}
