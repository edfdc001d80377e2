// on_host.c -- conformance on the host: compile, run, compare.
//
// Each input ends where its memory does, at a page that cannot be touched, and
// the output is compared whole, so that what must not be written is checked
// too.
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "tests/conformance/run.h"

#include "ir/number.h"
#include "ir/verify.h"
#include "tests/tools/host_runner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BUFFER_SIZE = 1 << 19 };

// -- Memory ------------------------------------------------------------------

bool host_prepare(Conformance *run) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  for (int i = 0; i < BUFFERS; i++) {
    char *at = mmap(NULL, BUFFER_SIZE + page, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return false;
    if (mprotect(at + BUFFER_SIZE, page, PROT_NONE)) return false;
    run->memory[i] = at;
  }
  return true;
}

static size_t elem_bytes(Elem elem) {
  return elem == ELEM_i1 ? 1 : (size_t)elem_info[elem].bits / 8;
}

static Elem buffer_elem(const Case *c, int i) {
  return i < NUM_INPUTS ? case_input_elem(c, i) : c->elem;
}

static size_t buffer_bytes(const Case *c, int i) {
  const int64_t count =
      i < NUM_INPUTS ? case_input_count(c, i) : case_output_count(c);
  return (size_t)count * elem_bytes(buffer_elem(c, i));
}

static char *buffer(const Conformance *run, const Case *c, int i) {
  return run->memory[i] + BUFFER_SIZE - buffer_bytes(c, i);
}

static uint64_t next(uint64_t *state) {
  uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

// Sums get numbers of one size; the rest small ones and any bits.
static uint64_t random_value(const Case *c, Elem elem, uint64_t *state) {
  const uint64_t bits = next(state);
  const bool sum = c->family == FAMILY_DOT || c->family == FAMILY_REDUCE ||
                   c->family == FAMILY_ATOMIC;
  if (!elem_info[elem].is_float) return bits % 3 ? bits : bits % 7;
  if (sum && c->variant == OP_mulf) {
    return float_encode(0.75 + (double)(bits % 64) / 128, elem);
  }
  if (sum) return float_encode((double)((int)(bits % 257) - 128) / 64, elem);
  switch (bits % 4) {
  case 0: return next(state);
  case 1: return float_encode((double)((int)(bits >> 32) % 41 - 20) / 4, elem);
  default: return float_encode((double)(int64_t)next(state) * 0x1p-60, elem);
  }
}

// Any operation may make a signalling NaN a quiet one.
static uint64_t quiet(uint64_t bits, Elem elem) {
  if (!elem_info[elem].is_float || elem == ELEM_f8e4nv) return bits;
  const uint64_t bit = UINT64_C(1) << (elem_info[elem].mantissa_bits - 1);
  return isnan(float_decode(bits, elem)) ? bits | bit : bits;
}

static void fill(const Conformance *run, const Case *c) {
  uint64_t state = (uint64_t)c->op * 1000003 + (uint64_t)c->length;
  for (int i = 0; i < BUFFERS; i++) {
    const Elem elem = buffer_elem(c, i);
    const size_t size = elem_bytes(elem), bytes = buffer_bytes(c, i);
    char *at = buffer(run, c, i);
    for (size_t k = 0; k < bytes; k += size) {
      const uint64_t value = quiet(random_value(c, elem, &state), elem);
      memcpy(at + k, &value, size);
    }
  }
  if (c->op == OP_atomic_cas) { // some are equal
    memcpy(buffer(run, c, NUM_INPUTS), buffer(run, c, 1),
           buffer_bytes(c, 1) / 2);
  }
}

// -- Running -----------------------------------------------------------------

static bool interpret(const Conformance *run, const Case *c, Arena *arena,
                      const Function *f, DiagList *diags) {
  InterpArg args[BUFFERS + 1] = {0};
  InterpMemory memory[BUFFERS];
  for (int i = 0; i < BUFFERS; i++) {
    args[i].as.p = buffer(run, c, i);
    memory[i] = (InterpMemory){args[i].as.p, buffer_bytes(c, i)};
  }
  args[BUFFERS].as.i = c->length;
  const InterpLaunch launch = {
      .args = args, .memory = memory, .num_memory = BUFFERS, .grid = {1, 1, 1}};
  return interp_run(arena, f, &launch, diags);
}

static void run_on_host(const Conformance *run, const Case *c,
                        const HostRunner *host, int kernel) {
  static const int64_t grid[] = {1, 1, 1};
  uint64_t args[BUFFERS + 1] = {0};
  for (int i = 0; i < BUFFERS; i++) {
    args[i] = (uint64_t)(uintptr_t)buffer(run, c, i);
  }
  const int32_t length = (int32_t)c->length;
  memcpy(&args[BUFFERS], &length, sizeof length);
  host_runner_run(host, kernel, args, grid);
}

// -- A batch -----------------------------------------------------------------

typedef struct {
  Conformance *run;
  const Case *cases;
  int count;
  Arena *arena;
  DiagList diags;
  char *want[MAX_BATCH], *magnitude[MAX_BATCH]; // outputs
} Batch;

static char *output_copy(const Batch *b, const Case *c) {
  const size_t bytes = buffer_bytes(c, NUM_INPUTS);
  char *copy = arena_alloc(b->arena, bytes, 1, 8);
  return memcpy(copy, buffer(b->run, c, NUM_INPUTS), bytes);
}

static void show_errors(const Batch *b, const char *what) {
  Str text = str_in(b->arena);
  diag_render_all(&b->diags, false, &text);
  printf("%s:\n%s", what, str_text(&text));
}

// The interpreter's outputs; a case it refuses is a mistake in the case.
static bool expect(Batch *b, Module *m) {
  const Function *f = m->functions;
  for (int i = 0; i < b->count; i++) {
    const Case *c = &b->cases[i];
    for (int magnitudes = 0; magnitudes < 2; magnitudes++, f = f->next) {
      fill(b->run, c);
      if (!interpret(b->run, c, b->arena, f, &b->diags)) {
        show_errors(b, case_name(b->arena, c));
        return false;
      }
      *(magnitudes ? &b->magnitude[i] : &b->want[i]) = output_copy(b, c);
    }
  }
  return true;
}

static Module *build_kernels(Batch *b, bool magnitudes) {
  Module *m = module_create(b->arena, &b->diags);
  for (int i = 0; i < b->count; i++) {
    const char *name = arena_printf(b->arena, "case%d", i);
    case_build(m, &b->cases[i], name, false);
    if (magnitudes) {
      case_build(m, &b->cases[i], arena_printf(b->arena, "sum%d", i), true);
    }
  }
  return m;
}

static uint64_t element(const char *bytes, size_t at, Elem elem) {
  uint64_t bits = 0;
  memcpy(&bits, bytes + at, elem_bytes(elem));
  return bits;
}

static void check_case(Batch *b, int index) {
  const Case *c = &b->cases[index];
  const char *got = buffer(b->run, c, NUM_INPUTS);
  const size_t size = elem_bytes(c->elem);
  for (size_t at = 0; at < buffer_bytes(c, NUM_INPUTS); at += size) {
    const uint64_t want = element(b->want[index], at, c->elem);
    const uint64_t is = element(got, at, c->elem);
    const uint64_t sum = element(b->magnitude[index], at, c->elem);
    const double magnitude =
        elem_info[c->elem].is_float ? float_decode(sum, c->elem) : 0;
    if (case_agrees(c, want, is, magnitude)) continue;
    printf("FAIL %s: element %zu is %#llx, not %#llx", case_name(b->arena, c),
           at / size, (unsigned long long)is, (unsigned long long)want);
    if (elem_info[c->elem].is_float) {
      printf(" (%.9g, not %.9g)", float_decode(is, c->elem),
             float_decode(want, c->elem));
    }
    printf("\n");
    b->run->failed++;
    return;
  }
  b->run->passed++;
}

static void run_cases(Batch *b, const HostRunner *host) {
  for (int i = 0; i < b->count; i++) {
    fill(b->run, &b->cases[i]);
    run_on_host(b->run, &b->cases[i], host, i);
    check_case(b, i);
  }
}

Outcome host_batch(Conformance *run, const Case *cases, int count, bool show) {
  Arena arena;
  arena_init(&arena, &system_allocator);
  Batch b = {.run = run, .cases = cases, .count = count, .arena = &arena};
  diag_init(&b.diags, &arena);
  Module *m = build_kernels(&b, true);
  HostRunner host = {0};
  Outcome outcome = BATCH_RAN;
  if (!module_verify(m) || !expect(&b, m)) {
    show_errors(&b, "the cases are wrong");
    outcome = BATCH_WRONG;
  } else if (!host_runner_open(&host, build_kernels(&b, false), NULL,
                               &b.diags)) {
    if (show) {
      printf("FAIL ");
      show_errors(&b, case_name(&arena, cases));
    }
    outcome = BATCH_REFUSED;
  } else {
    run_cases(&b, &host);
  }
  host_runner_close(&host);
  arena_free(&arena);
  return outcome;
}
