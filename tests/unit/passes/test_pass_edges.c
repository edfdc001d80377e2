// test_pass_edges.c -- loops mean the same after each pass, at the edges of
// their trips.
//
// The interpreter runs each kernel as the frontend made it, finds how little of
// each buffer it needs, and runs it again after each pass: results are the
// same, and nothing outside of that part is accessed.
#include "edge_kernels.h"
#include "passes/pass.h"
#include "tests/unit/frontend/specialize_kit.h"

#include <stdio.h>

enum { MAX_PARAMS = 10, BYTES = 1 << 14, MARGIN = 1 << 12, MAX_STEPS = 400000 };
enum { ALL = 2 * MARGIN + BYTES }; // a buffer begins in the middle

typedef struct {
  const char *target, *passes;
  int warps, stages, ctas;
} How;

static const How ways[] = {
    {"sm_75", "gpu", 4, 2, 1},  {"sm_80", "gpu", 4, 2, 1},
    {"sm_80", "gpu", 1, 4, 1},  {"sm_89", "gpu", 2, 3, 1},
    {"sm_90a", "gpu", 4, 3, 1}, {"sm_90a", "gpu", 4, 1, 1},
    {"sm_90", "gpu", 4, 2, 2},  {"cpu", "host", 4, 1, 1},
};

typedef struct {
  unsigned char bytes[MAX_PARAMS][ALL];
} Memory;

typedef struct {
  int begin[MAX_PARAMS], end[MAX_PARAMS]; // the part of each that is needed
  Memory after;
} Expected;

typedef struct {
  Kit *kit;
  const EdgeKernel *kernel;
  const How *how;
  Expected *expected; // one for each input
  char *last;         // the IR after the last pass
  int num_checked;
} Trial;

static Memory memory; // where kernels run: addresses are the same each time
static Memory before; // their contents before

// -- Runs --------------------------------------------------------------------

static const Function *function_of(const Trial *t) {
  return t->kit->m->functions;
}

static bool is_pointer(const Function *f, int i) {
  return f->body->args[i].type->kind == TYPE_POINTER;
}

static void fill_all(const Function *f) {
  for (int i = 0; i < f->body->num_args; i++)
    if (is_pointer(f, i))
      edge_fill(before.bytes[i], ALL, f->body->args[i].type->element->elem, i);
}

static bool run(const Trial *t, int input, const Expected *part,
                const char **error) {
  const Function *f = function_of(t);
  const int n = f->body->num_args;
  InterpArg args[MAX_PARAMS];
  InterpMemory parts[MAX_PARAMS];
  int k = 0, count = 0;
  assert_in_range(n, 1, MAX_PARAMS);
  for (int i = 0; i < n; i++) {
    if (!is_pointer(f, i)) {
      args[i].as.i = t->kernel->inputs[input][k++];
      continue;
    }
    memcpy(memory.bytes[i], before.bytes[i], ALL);
    args[i].as.p = memory.bytes[i] + MARGIN;
    parts[count++] = (InterpMemory){memory.bytes[i] + part->begin[i],
                                    (size_t)(part->end[i] - part->begin[i])};
  }
  const InterpLaunch launch = {.args = args,
                               .memory = parts,
                               .num_memory = (size_t)count,
                               .grid = {1, 1, 1},
                               .max_steps = MAX_STEPS};
  DiagList diags;
  diag_init(&diags, &t->kit->arena);
  const bool ok = interp_run(&t->kit->arena, f, &launch, &diags);
  if (error) *error = diags.first ? diags.first->text : "";
  return ok;
}

// -- Expected results --------------------------------------------------------

// The last place of one end of a part from which the kernel still runs.
static void shrink(const Trial *t, int input, Expected *e, int *end, int far) {
  int good = *end, bad = far;
  while (good - bad > 1 || bad - good > 1) {
    *end = good + (bad - good) / 2;
    if (run(t, input, e, NULL))
      good = *end;
    else
      bad = *end;
  }
  *end = good;
}

static void expect(const Trial *t, int input, Expected *e) {
  const Function *f = function_of(t);
  const char *error;
  for (int i = 0; i < MAX_PARAMS; i++) e->begin[i] = 0, e->end[i] = ALL;
  if (!run(t, input, e, &error))
    fail_msg("%s, input %d: %s", t->kernel->name, input, error);
  e->after = memory;
  for (int i = 0; i < f->body->num_args; i++) {
    if (!is_pointer(f, i)) continue;
    shrink(t, input, e, &e->end[i], e->begin[i] - 1);
    shrink(t, input, e, &e->begin[i], e->end[i] + 1);
  }
}

// -- After each pass ---------------------------------------------------------

static void check_input(const Trial *t, int input, const char *text) {
  const Expected *e = &t->expected[input];
  const char *error, *wrong = NULL;
  if (!run(t, input, e, &error)) wrong = error;
  for (int i = 0; !wrong && i < function_of(t)->body->num_args; i++)
    if (is_pointer(function_of(t), i) &&
        memcmp(memory.bytes[i], e->after.bytes[i], ALL))
      wrong = "other results";
  if (!wrong) return;
  fputs(text, stderr);
  fail_msg("%s, input %d, %s, %d warps, %d stages, %d blocks: %s",
           t->kernel->name, input, t->how->target, t->how->warps,
           t->how->stages, t->how->ctas, wrong);
}

static void check_pass(void *ctx, const char *text) {
  Trial *t = ctx;
  const char *ir = strchr(text, '\n');
  if (strncmp(text, "// after ", 9) || !ir) return;
  if (t->last && !strcmp(t->last, ir)) return;
  t->last = arena_printf(&t->kit->arena, "%s", ir);
  t->num_checked++;
  for (int i = 0; i < t->kernel->num_inputs; i++) check_input(t, i, text);
}

static void set_int(Function *f, AttrKey key, int value) {
  function_set_attr(f, (Attr){.key = key, .as.i = value});
}

static int check_way(const EdgeKernel *kernel, const How *how,
                     Expected *expected) {
  Trial t = {.kernel = kernel, .how = how, .expected = expected};
  t.kit = kit_specialize(kernel->text, kernel->signature);
  if (!t.kit->ok) fail_msg("%s: %s", kernel->name, kit_messages(t.kit));
  set_int(t.kit->m->functions, ATTR_num_warps, how->warps);
  set_int(t.kit->m->functions, ATTR_num_stages, how->stages);
  if (how->ctas > 1) set_int(t.kit->m->functions, ATTR_num_ctas, how->ctas);
  const PassOptions options = {
      .print_after = "*", .log = check_pass, .log_ctx = &t};
  if (!passes_run(t.kit->m, target_find(how->target), how->passes, &options))
    fail_msg("%s, %s: %s", kernel->name, how->target, kit_messages(t.kit));
  kit_free(t.kit);
  return t.num_checked;
}

static void check_kernel(const EdgeKernel *kernel) {
  static Expected expected[EDGE_INPUTS];
  Trial t = {.kernel = kernel};
  t.kit = kit_specialize(kernel->text, kernel->signature);
  if (!t.kit->ok) fail_msg("%s: %s", kernel->name, kit_messages(t.kit));
  fill_all(function_of(&t));
  for (int i = 0; i < kernel->num_inputs; i++) expect(&t, i, &expected[i]);
  kit_free(t.kit);
  int checked = 0;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    checked += check_way(kernel, &ways[i], expected);
  assert_true(checked > 20);
}

static int part, parts = 1;

static void loops_mean_the_same(void **state) {
  (void)state;
  for (int i = part; i < NUM_EDGE_KERNELS; i += parts)
    check_kernel(&edge_kernels[i]);
}

// test_pass_edges [PART PARTS]
int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(loops_mean_the_same)};
  if (argc > 2) part = atoi(argv[1]), parts = atoi(argv[2]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
