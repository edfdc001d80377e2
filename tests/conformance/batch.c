// batch.c -- a batch of cases: inputs, the interpreter's results, and whether a
// device agrees.
//
// Each input ends where its memory ends, in front of an inaccessible page, and
// the whole output is compared, so that bytes that must not be written are
// checked too.
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "tests/conformance/run.h"

#include "ir/number.h"
#include "ir/verify.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BUFFER_SIZE = 1 << 19 };

// -- Memory ------------------------------------------------------------------

bool batch_memory(Conformance *run) {
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

size_t batch_bytes(const Case *c, int i) {
  const int64_t count =
      i < NUM_INPUTS ? case_input_count(c, i) : case_output_count(c);
  return (size_t)count * elem_bytes(buffer_elem(c, i));
}

char *batch_buffer(const Conformance *run, const Case *c, int i) {
  return run->memory[i] + BUFFER_SIZE - batch_bytes(c, i);
}

static uint64_t next(uint64_t *state) {
  uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

// Terms of sums have numbers of one size; the other inputs are small numbers
// and random bits.
static uint64_t random_value(const Case *c, Elem elem, uint64_t *state) {
  const uint64_t bits = next(state);
  const bool sum = c->family == FAMILY_DOT || c->family == FAMILY_REDUCE ||
                   c->family == FAMILY_ATOMIC;
  if (!elem_info[elem].is_float) return bits % 3 ? bits : bits % 7;
  if (c->family == FAMILY_REDUCE && c->variant == OP_mulf) {
    return float_encode(0.75 + (double)(bits % 64) / 128, elem);
  }
  // numbers of all digits, so that none may be lost
  if (c->family == FAMILY_DOT) {
    return float_encode((double)((int)(bits % 16777217) - 8388608) * 0x1p-22,
                        elem);
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

void batch_fill(const Conformance *run, const Case *c) {
  uint64_t state = (uint64_t)c->op * 1000003 + (uint64_t)c->length;
  for (int i = 0; i < BUFFERS; i++) {
    const Elem elem = buffer_elem(c, i);
    const size_t size = elem_bytes(elem), bytes = batch_bytes(c, i);
    char *at = batch_buffer(run, c, i);
    for (size_t k = 0; k < bytes; k += size) {
      const uint64_t value = quiet(random_value(c, elem, &state), elem);
      memcpy(at + k, &value, size);
    }
  }
  if (c->op == OP_atomic_cas) { // some are equal
    memcpy(batch_buffer(run, c, NUM_INPUTS), batch_buffer(run, c, 1),
           batch_bytes(c, 1) / 2);
  }
}

// -- Running -----------------------------------------------------------------

static bool interpret(const Conformance *run, const Case *c, Arena *arena,
                      const Function *f, DiagList *diags) {
  InterpArg args[BUFFERS + 1] = {0};
  InterpMemory memory[BUFFERS];
  for (int i = 0; i < BUFFERS; i++) {
    args[i].as.p = batch_buffer(run, c, i);
    memory[i] = (InterpMemory){args[i].as.p, batch_bytes(c, i)};
  }
  args[BUFFERS].as.i = c->length;
  const InterpLaunch launch = {
      .args = args, .memory = memory, .num_memory = BUFFERS, .grid = {1, 1, 1}};
  return interp_run(arena, f, &launch, diags);
}

static char *output_copy(const Batch *b, const Case *c) {
  const size_t bytes = batch_bytes(c, NUM_INPUTS);
  char *copy = arena_alloc(b->arena, bytes, 1, 8);
  return memcpy(copy, batch_buffer(b->run, c, NUM_INPUTS), bytes);
}

void batch_show_errors(const Batch *b, const char *what) {
  Str text = str_in(b->arena);
  diag_render_all(&b->diags, false, &text);
  printf("%s:\n%s", what, str_text(&text));
}

// The module for the interpreter: each case, and the sums of its terms.
static Module *reference_kernels(Batch *b) {
  Module *m = module_create(b->arena, &b->diags);
  Case *cases = arena_array(b->arena, Case, (size_t)b->count);
  for (int i = 0; i < b->count; i++) {
    cases[i] = case_reference(&b->cases[i], b->run->has_tf32);
    case_build(m, &cases[i], arena_printf(b->arena, "case%d", i), false);
    case_build(m, &cases[i], arena_printf(b->arena, "sum%d", i), true);
  }
  return m;
}

Module *batch_kernels(Batch *b) {
  Module *m = module_create(b->arena, &b->diags);
  for (int i = 0; i < b->count; i++) {
    case_build(m, &b->cases[i], arena_printf(b->arena, "case%d", i), false);
  }
  return m;
}

// If f32 computes them, denormals of f16 are normal numbers.
static void flush(const Conformance *run, const Case *c) {
  const Elem elem = case_input_elem(c, 0);
  const size_t size = elem_bytes(elem), bytes = batch_bytes(c, 0);
  char *at = batch_buffer(run, c, 0);
  if (elem_info[elem].exponent_bits != elem_info[ELEM_f32].exponent_bits)
    return;
  for (size_t k = 0; k < bytes; k += size) {
    uint64_t value = 0;
    memcpy(&value, at + k, size);
    if (fabs(float_decode(value, elem)) >= FLT_MIN) continue;
    value = float_encode(0, elem);
    memcpy(at + k, &value, size);
  }
}

// Runs on the inputs as they are in memory.  A case that it refuses is
// a mistake in the case.
static char *interpret_case(Batch *b, const Case *c, const Function *f) {
  if (interpret(b->run, c, b->arena, f, &b->diags)) return output_copy(b, c);
  batch_show_errors(b, case_name(b->arena, c));
  return NULL;
}

static bool expect_case(Batch *b, int i, const Function *f) {
  const Case *c = &b->cases[i];
  batch_fill(b->run, c);
  b->want[i] = interpret_case(b, c, f);
  batch_fill(b->run, c);
  b->magnitude[i] = interpret_case(b, c, f->next);
  if (!b->run->is_gpu || !case_may_flush(c))
    return b->want[i] && b->magnitude[i];
  batch_fill(b->run, c);
  flush(b->run, c);
  b->flushed[i] = interpret_case(b, c, f);
  return b->want[i] && b->magnitude[i] && b->flushed[i];
}

static bool expect(Batch *b, Module *m) {
  const Function *f = m->functions;
  for (int i = 0; i < b->count; i++, f = f->next->next)
    if (!expect_case(b, i, f)) return false;
  return true;
}

bool batch_expect(Batch *b) {
  Module *m = reference_kernels(b);
  if (module_verify(m) && expect(b, m)) return true;
  batch_show_errors(b, "the cases are wrong");
  return false;
}

// -- Checking ----------------------------------------------------------------

static uint64_t element(const char *bytes, size_t at, Elem elem) {
  uint64_t bits = 0;
  memcpy(&bits, bytes + at, elem_bytes(elem));
  return bits;
}

static void show_element(const Case *c, size_t at, uint64_t want, uint64_t is) {
  printf(": element %zu is %#llx, not %#llx", at, (unsigned long long)is,
         (unsigned long long)want);
  if (elem_info[c->elem].is_float) {
    printf(" (%.9g, not %.9g)", float_decode(is, c->elem),
           float_decode(want, c->elem));
  }
  printf("\n");
}

// Is the product of the first two inputs not 0 before it is rounded?
static bool has_product(const Batch *b, const Case *c, size_t at) {
  long double product = 1;
  if (at >= batch_bytes(c, 0)) return false; // outside, so all inputs are 0
  for (int i = 0; i < 2; i++)
    product *=
        float_decode(element(batch_buffer(b->run, c, i), at, c->from), c->from);
  return product != 0;
}

static bool element_agrees(const Batch *b, int index, size_t at, uint64_t is) {
  const Case *c = &b->cases[index];
  const uint64_t sum = element(b->magnitude[index], at, c->elem);
  Expected expected = {.value = element(b->want[index], at, c->elem),
                       .on_gpu = b->run->is_gpu};
  if (elem_info[c->elem].is_float)
    expected.magnitude = float_decode(sum, c->elem);
  if (c->family == FAMILY_FUSED) expected.is_product = has_product(b, c, at);
  if (case_agrees(c, &expected, is)) return true;
  if (!b->flushed[index]) return false;
  expected.value = element(b->flushed[index], at, c->elem);
  return case_agrees(c, &expected, is);
}

bool batch_check(const Batch *b, int index, const char *how) {
  const Case *c = &b->cases[index];
  const char *got = batch_buffer(b->run, c, NUM_INPUTS);
  const size_t size = elem_bytes(c->elem);
  for (size_t at = 0; at < batch_bytes(c, NUM_INPUTS); at += size) {
    const uint64_t is = element(got, at, c->elem);
    if (element_agrees(b, index, at, is)) continue;
    printf("FAIL %s%s", case_name(b->arena, c), how);
    show_element(c, at / size, element(b->want[index], at, c->elem), is);
    return false;
  }
  return true;
}
