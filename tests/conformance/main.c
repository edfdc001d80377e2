// main.c -- conformance DEVICE [SHARE]: runs the cases and compares.
//
// Kernels go through the compiler a hundred at a time.  On `cpu` they run and
// are compared with the interpreter; a GPU's target, such as sm_80, has them
// assembled by ptxas and run by the simulator.
//
//   conformance cpu            a cover of the cases and a sample
//   TILE_CPU=x86-64-v3 …          of code for that processor
//   conformance sm_90 8           one of eight of those
//   conformance sm_90 0/8         likewise; 1/8 to 7/8 are the others
//   TILE_TEST_FULL=1 …         all of them, or a part such as 0/8
//   TILE_TEST_CASE=text …      those whose name contains the text
//   TILE_TEST_OUTPUTS=FILE …   a hash of each case's output, line by line
//   LD_PRELOAD=libcuda.so.1 …  a GPU in place of the simulator
#include "tests/conformance/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 100, SKIPPED = 77 };

// A batch that the compiler refuses is halved until the case is found; the
// depth of the recursion is the number of halvings.
static void run_batch(Conformance *run, const Case *cases, int count) {
  const Outcome outcome = run->batch(run, cases, count, count == 1);
  if (outcome == BATCH_RAN) return;
  if (outcome == BATCH_WRONG || count == 1) {
    run->failed += count;
    return;
  }
  run_batch(run, cases, count / 2);
  run_batch(run, cases + count / 2, count - count / 2);
}

// -- All of them -------------------------------------------------------------

static void show_excuses(Conformance *run) {
  for (int i = 0; unsupported_table[i].reason; i++) {
    const Unsupported *u = &unsupported_table[i];
    const char *of = u->elem == ELEM_COUNT ? "" : " of ";
    const char *elem = u->elem == ELEM_COUNT ? "" : elem_info[u->elem].name;
    if (run->excused[i]) {
      printf("SKIP: %s%s%s on %s, %d of %d cases: %s\n", op_info[u->op].name,
             of, elem, run->device, run->excused[i], run->met[i], u->reason);
    } else if (run->met[i] && run->share == 1) {
      printf("FAIL %s%s%s: all its cases are supported after all\n",
             op_info[u->op].name, of, elem);
      run->failed++;
    }
  }
}

static void run_all(Conformance *run, Arena *arena, const CaseList *list) {
  CaseList left = {0};
  const char *wanted = getenv("TILE_TEST_CASE");
  for (size_t i = (size_t)run->first; i < list->count;
       i += (size_t)run->share) {
    const Case *c = &list->items[i];
    if (wanted && !strstr(case_name(arena, c), wanted)) continue;
    const int row = case_unsupported(run->device, c);
    if (row < 0) {
      vec_push(arena, &left, *c);
    } else {
      run->met[row]++;
      run->excused[row] += run->batch(run, c, 1, false) != BATCH_RAN;
    }
  }
  for (size_t i = 0; i < left.count; i += MAX_BATCH) {
    const size_t rest = left.count - i;
    run_batch(run, left.items + i, (int)(rest < MAX_BATCH ? rest : MAX_BATCH));
  }
}

// "8", or "3/8" with the first of its cases.
static void set_share(Conformance *run, const char *text, bool full) {
  char *slash = NULL;
  const long first = strtol(text, &slash, 10);
  if (*slash == '/')
    run->first = (int)first, run->share = atoi(slash + 1);
  else
    run->share = full ? 1 : (int)first;
  if (run->first < 0 || run->share < 1) run->first = 0, run->share = 1;
}

int main(int argc, char **argv) {
  Conformance run = {.device = argc > 1 ? argv[1] : "cpu"};
  Arena arena;
  setvbuf(stdout, NULL, _IOLBF, 0); // for the process that stops it
  arena_init(&arena, &system_allocator);
  CaseList all = {0}, cover = {0};
  const bool host = !strcmp(run.device, "cpu");
  run.batch = host ? host_batch : ptx_batch;
  if (!(host ? host_prepare(&run) : ptx_prepare(&run))) return SKIPPED;
  cases_list(&arena, &all);
  cases_cover(&arena, &all, 1, SAMPLE, &cover);
  const bool full = getenv("TILE_TEST_FULL") || getenv("TILE_TEST_CASE");
  set_share(&run, argc > 2 ? argv[2] : "1", full);
  run_all(&run, &arena, full ? &all : &cover);
  show_excuses(&run);
  printf("conformance on %s: of %zu cases %d passed, %d failed\n", run.device,
         all.count, run.passed, run.failed);
  arena_free(&arena);
  return run.failed != 0;
}
