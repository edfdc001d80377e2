// report.c -- calls of triton.testing.perf_report.
//
// The argument is kept as it is at the call: its name may stand for another
// list below.
//
// Example: `configs = []`, a loop that appends a Benchmark for each width, and
// `@triton.testing.perf_report(configs)`: `tilec bench --report` knows all
// Benchmarks of the list.
#include "frontend/run/evaluate.h"

#include <string.h>

static const char report_name[] = "triton.testing.perf_report";

bool run_is_report(const char *name, const Things *args) {
  return !strcmp(name, report_name) && args->count == 1 &&
         args->items[0]->kind != THING_FUNCTION;
}

static RunReport *find_report(Machine *m, const AstFile *file, SrcLoc loc) {
  for (size_t i = 0; i < m->reports.count; i++) {
    RunReport *r = &m->reports.items[i];
    if (r->file == file && loc_same(r->loc, loc)) return r;
  }
  return NULL;
}

void run_note_report(Machine *m, SrcLoc loc, const Thing *callee,
                     const Things *args) {
  if (callee->kind != THING_FOREIGN || strcmp(callee->as.foreign, report_name))
    return;
  const bool known = args && run_is_report(callee->as.foreign, args);
  const Object *x = known ? thing_object(m, args->items[0], NULL) : NULL;
  const RunReport made = {m->frame->module->file, loc, x};
  RunReport *before = find_report(m, made.file, loc);
  if (!before)
    vec_push(m->arena, &m->reports, made);
  else if (!x || !before->benchmarks || !object_equal(before->benchmarks, x))
    before->benchmarks = NULL;
}

const Object *run_report(Machine *m, const AstFile *file, SrcLoc loc) {
  const RunReport *r = find_report(m, file, loc);
  return r ? r->benchmarks : NULL;
}
