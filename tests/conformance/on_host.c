// on_host.c -- conformance on the host: compile, run, compare.
#include "tests/conformance/run.h"

#include "tests/tools/host_runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// $TILE_CPU; NULL: this processor.
static const char *level(void) {
  const char *name = getenv("TILE_CPU");
  return name && *name ? name : NULL;
}

// $TILE_CPU_TIER is 0.
static bool is_quick(void) {
  const char *tier = getenv("TILE_CPU_TIER");
  return tier && !strcmp(tier, "0");
}

bool host_prepare(Conformance *run) {
  if (!level() || codegen_runs_host_cpu(level())) return batch_memory(run);
  printf("SKIP: no code for %s runs here\n", level());
  return false;
}

static void run_on_host(const Conformance *run, const Case *c,
                        const HostRunner *host, int kernel) {
  static const int64_t grid[] = {1, 1, 1};
  uint64_t args[BUFFERS + 1] = {0};
  for (int i = 0; i < BUFFERS; i++) {
    args[i] = (uint64_t)(uintptr_t)batch_buffer(run, c, i);
  }
  const int32_t length = (int32_t)c->length;
  memcpy(&args[BUFFERS], &length, sizeof length);
  host_runner_run(host, kernel, args, grid);
}

static void run_cases(const Batch *b, const HostRunner *host) {
  Conformance *run = b->run;
  for (int i = 0; i < b->count; i++) {
    batch_fill(run, &b->cases[i]);
    run_on_host(run, &b->cases[i], host, i);
    if (batch_check(b, i, ""))
      run->passed++;
    else
      run->failed++;
  }
}

static Outcome compile_and_run(Batch *b, bool show) {
  HostRunner host = {0};
  if (!batch_expect(b)) return BATCH_WRONG;
  const CodegenOptions options = {.host_cpu = level(), .quick = is_quick()};
  const bool ok =
      host_runner_open(&host, batch_kernels(b), &options, &b->diags);
  if (ok) {
    run_cases(b, &host);
  } else if (show) {
    printf("FAIL ");
    batch_show_errors(b, case_name(b->arena, b->cases));
  }
  host_runner_close(&host);
  return ok ? BATCH_RAN : BATCH_REFUSED;
}

Outcome host_batch(Conformance *run, const Case *cases, int count, bool show) {
  Arena arena;
  arena_init(&arena, &system_allocator);
  Batch b = {.run = run, .cases = cases, .count = count, .arena = &arena};
  diag_init(&b.diags, &arena);
  const Outcome outcome = compile_and_run(&b, show);
  arena_free(&arena);
  return outcome;
}
