// test_interp_memory.c -- the interpreter: every allocation fails, and the
// number of allocations does not depend on the grid.
#include "ir/interp.h"
#include "ir/text.h"
#include "ir/verify.h"

#include "tests/fault/fault_kit.h"

static const char kernel[] =
    "kernel @k(%x: ptr<i32>) {\n"
    "  %0 = constant {value = 0} : i32\n"
    "  %1 = constant {value = 1} : i32\n"
    "  %3 = constant {value = 3} : i32\n"
    "  %i = arange {end = 16, start = 0} : tile<16xi32>\n"
    "  %ps = splat %x : tile<16xptr<i32>>\n"
    "  %p = addptr %ps, %i : tile<16xptr<i32>>\n"
    "  %r = for %0, %3, %1 init(%i) : tile<16xi32> (%k: i32, %a: "
    "tile<16xi32>) {\n"
    "    %s = alloc_shared : memdesc<16xi32, shared>\n"
    "    %t = async_copy %p, %s : token\n"
    "    %g = async_commit tokens(%t) : token\n"
    "    %w = async_wait tokens(%g) {count = 0} : token\n"
    "    %v = load_shared %s token(%w) : tile<16xi32>\n"
    "    %m = reduce inputs(%v) {axis = 0} : i32 (%c: i32, %d: i32) {\n"
    "      %e = maxsi %c, %d : i32\n"
    "      %f = addi %e, %3 : i32\n"
    "      yield values(%f)\n"
    "    }\n"
    "    %n = splat %m : tile<16xi32>\n"
    "    %b = addi %a, %n : tile<16xi32>\n"
    "    device_print values(%b) {message = \"b: \"}\n"
    "    yield values(%b)\n"
    "  }\n"
    "  store %p, %r\n"
    "  return\n"
    "}\n";

typedef struct {
  Arena *arena;
  const Function *f;
  DiagList *diags;
  int64_t grid;
  bool ran;
} Job;

static void ignore(void *ctx, const char *text) {
  (void)ctx;
  (void)text;
}

static void interpret(void *data) {
  Job *job = data;
  int32_t memory[16] = {0};
  const InterpArg arg = {.as.p = memory};
  const InterpMemory allowed = {memory, sizeof memory};
  const InterpLaunch launch = {.args = &arg,
                               .memory = &allowed,
                               .num_memory = 1,
                               .grid = {job->grid, 1, 1},
                               .print = ignore};
  job->ran = interp_run(job->arena, job->f, &launch, job->diags);
}

typedef struct {
  Arena arena;
  DiagList diags;
  Module *m;
} Parsed;

static void parse(Parsed *p) {
  arena_init(&p->arena, &system_allocator);
  diag_init(&p->diags, &p->arena);
  p->m = module_create(&p->arena, &p->diags);
  assert_true(module_parse(
      p->m, source_create(&p->arena, "k.tir", kernel, strlen(kernel))));
  assert_true(module_verify(p->m));
}

static void every_allocation_fails(void **state) {
  (void)state;
  Parsed p;
  parse(&p);
  Job job = {.f = p.m->functions, .diags = &p.diags, .grid = 2};
  fault_each(interpret, &job, &job.arena);
  assert_true(job.ran);
  arena_free(&p.arena);
}

static size_t memory_used(Parsed *p, int64_t grid) {
  Arena arena;
  arena_init(&arena, &system_allocator);
  Job job = {&arena, p->m->functions, &p->diags, grid, false};
  assert_true(arena_protect(&arena, interpret, &job));
  assert_true(job.ran);
  const size_t used = arena.used;
  arena_free(&arena);
  return used;
}

static void a_large_grid_needs_no_more(void **state) {
  (void)state;
  Parsed p;
  parse(&p);
  assert_int_equal(memory_used(&p, 1), memory_used(&p, 300));
  arena_free(&p.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_allocation_fails),
      cmocka_unit_test(a_large_grid_needs_no_more),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
