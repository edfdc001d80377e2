// on_ptx.c -- conformance of PTX: it compiles, ptxas takes it where there is
// one, and the simulator runs it.
#include "tests/conformance/run.h"

#include "passes/pass.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Runs `ptxas ARGS`, its output to a file; true if it ended well.
static bool run_ptxas(char *const *args, const char *output) {
  fflush(stdout); // else both processes print its contents
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

// The file of the simulator's reports, including those that are no errors; it
// is unlinked.
static bool keep_reports(Conformance *run) {
  char path[64];
  run->reports = tmpfile();
  if (!run->reports) return false;
  snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(run->reports));
  return !setenv("TILE_SIM_REPORT", path, 1);
}

// The simulator needs its chip before the first call: sm_90 runs code for
// sm_90a, too.
bool ptx_prepare(Conformance *run) {
  char *args[] = {"ptxas", "--version", NULL};
  const Target *target = target_find(run->device);
  if (!target) {
    printf("no target is named '%s'\n", run->device);
    return false;
  }
  char chip[16];
  snprintf(chip, sizeof chip, "%.*s", (int)strcspn(run->device, "a"),
           run->device);
  run->is_gpu = true;
  run->has_tf32 = target_can(target, CAP_MMA_TF32);
  // If outputs are kept, a driver assembles them, to save time.
  run->has_ptxas = !getenv("TILE_TEST_OUTPUTS") && run_ptxas(args, "/dev/null");
  if (!run->has_ptxas) printf("ptxas is not asked\n");
  return !setenv("TILE_SIM_CHIP", chip, 1) && keep_reports(run) &&
         batch_memory(run);
}

static void show_file(const char *path) {
  FILE *file = fopen(path, "r");
  char line[512];
  for (int i = 0; file && i < 20 && fgets(line, sizeof line, file); i++) {
    fputs(line, stdout);
  }
  if (file) fclose(file);
}

// Does ptxas have a note of lost speed?
static bool has_notes(const char *path) {
  FILE *file = fopen(path, "r");
  char line[512];
  bool found = false;
  while (file && fgets(line, sizeof line, file)) {
    found = found || strstr(line, "(C75");
  }
  if (file) fclose(file);
  return found;
}

static bool write_file(const char *path, const CompiledCode *code) {
  FILE *file = fopen(path, "w");
  if (!file) return false;
  const bool ok = fwrite(code->data, 1, code->size, file) == code->size;
  return fclose(file) == 0 && ok;
}

static bool assemble(const Batch *b, const CompiledCode *code, bool show) {
  char folder[] = "/tmp/tile-conformance-XXXXXX";
  if (!b->run->has_ptxas) return true;
  if (!mkdtemp(folder)) return false;
  char *ptx = arena_printf(b->arena, "%s/kernels.ptx", folder);
  char *log = arena_printf(b->arena, "%s/log", folder);
  char *arch = arena_printf(b->arena, "-arch=%s", b->run->device);
  char *args[] = {"ptxas", arch, "-o", "/dev/null", ptx, NULL};
  const bool ok =
      write_file(ptx, code) && run_ptxas(args, log) && !has_notes(log);
  if (!ok && show) {
    printf("FAIL %s: ptxas says\n", case_name(b->arena, b->cases));
    show_file(log);
  }
  remove(ptx);
  remove(log);
  rmdir(folder);
  return ok;
}

static bool compile(Batch *b, CompiledCode *code, bool show) {
  const Target *target = target_find(b->run->device);
  Module *m = batch_kernels(b);
  if (passes_run(m, target, "gpu", NULL) &&
      codegen_emit(m, target, EMIT_ASM, NULL, code))
    return true;
  if (show) {
    printf("FAIL ");
    batch_show_errors(b, case_name(b->arena, b->cases));
  }
  return false;
}

static Outcome compile_and_run(Batch *b, bool show) {
  CompiledCode code;
  if (!batch_expect(b)) return BATCH_WRONG;
  if (!compile(b, &code, show) || !assemble(b, &code, show))
    return BATCH_REFUSED;
  return sim_run(b, &code) ? BATCH_RAN : BATCH_WRONG;
}

Outcome ptx_batch(Conformance *run, const Case *cases, int count, bool show) {
  Arena arena;
  arena_init(&arena, &system_allocator);
  Batch b = {.run = run, .cases = cases, .count = count, .arena = &arena};
  diag_init(&b.diags, &arena);
  const Outcome outcome = compile_and_run(&b, show);
  arena_free(&arena);
  return outcome;
}
