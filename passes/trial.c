// trial.c -- interpreting a module on random inputs.
//
// Buffers keep their addresses between runs, so that addresses are the same
// numbers; only their contents are restored.
#include "passes/trial.h"

#include "ir/exchange.h"
#include "ir/interp.h"
#include "ir/number.h"

#include <assert.h>
#include <string.h>

enum { NUM_INPUTS = 4, BUFFER_BYTES = 1 << 16, ALIGNMENT = 256 };
enum { MAX_STEPS = 2000000 };

typedef struct {
  bool ran;
  const char *error;   // if it failed
  const char *printed; // output, if it succeeded
  char **buffers;      // of each parameter, if it succeeded
} Outcome;

typedef struct {
  uint64_t seed;
  InterpArg *args; // one for each parameter
  int64_t grid[3];
  Outcome outcome;
} Input;

typedef struct Case Case;
struct Case {
  Case *next;
  const char *name;
  Input inputs[NUM_INPUTS];
};

struct Trial {
  Module *m;
  Case *cases;
  char **buffers; // one for each parameter, shared by all inputs
  int num_buffers;
};

// -- Inputs ------------------------------------------------------------------

static uint64_t next_random(uint64_t *state) {
  *state += UINT64_C(0x9e3779b97f4a7c15);
  uint64_t x = *state;
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

static double random_float(uint64_t *state) {
  const uint64_t r = next_random(state);
  if (r % 64 == 0) return 0;
  return ((double)(r >> 11) / 9007199254740992.0 - 0.5) * 8;
}

// Sizes, strides and indices that fit small buffers.
static int64_t random_int(uint64_t *state) {
  static const uint8_t sizes[] = {0, 1, 2, 3, 5, 7, 8, 13, 16, 17, 31, 32, 64};
  return sizes[next_random(state) % sizeof sizes];
}

static int64_t divisor_of(const Param *param) {
  const Attr *attr =
      attrs_find(param->attrs, param->num_attrs, ATTR_divisibility);
  const bool given = attr && attr->as.ints.count && attr->as.ints.items[0] > 0;
  return given ? attr->as.ints.items[0] : 1;
}

static void write_element(char *at, const Type *element, uint64_t *state) {
  const Elem elem = element->elem;
  uint64_t value = elem_info[elem].is_float
                       ? float_encode(random_float(state), elem)
                       : (uint64_t)random_int(state);
  if (elem == ELEM_i1) value &= 1;
  for (int64_t i = 0; i < element_bytes(element); i++) {
    at[i] = (char)(value >> 8 * i);
  }
}

// The bytes of an element behind a pointer.
static size_t bytes_behind(const Type *pointer) {
  return (size_t)element_bytes(pointer->element);
}

static void fill_buffer(char *buffer, const Type *pointer, uint64_t seed) {
  uint64_t state = seed;
  const size_t step = bytes_behind(pointer);
  if (pointer->element->kind != TYPE_SCALAR) {
    memset(buffer, 0, BUFFER_BYTES);
    return;
  }
  for (size_t at = 0; at < BUFFER_BYTES; at += step) {
    write_element(buffer + at, pointer->element, &state);
  }
}

static char *aligned_buffer(Arena *arena) {
  return arena_alloc(arena, 1, BUFFER_BYTES, ALIGNMENT);
}

static void need_buffers(Trial *t, int count) {
  if (count <= t->num_buffers) return;
  char **more = arena_array(t->m->arena, char *, count);
  for (int i = 0; i < count; i++) {
    more[i] = i < t->num_buffers ? t->buffers[i] : aligned_buffer(t->m->arena);
  }
  t->buffers = more;
  t->num_buffers = count;
}

static void make_input(Trial *t, const Function *f, Input *input,
                       uint64_t seed) {
  uint64_t state = seed;
  const int n = f->body->num_args;
  input->seed = seed;
  input->args = arena_array(t->m->arena, InterpArg, n + 1);
  need_buffers(t, n);
  for (int i = 0; i < n; i++) {
    const Type *type = f->body->args[i].type;
    if (type_is_float(type)) {
      input->args[i].as.f = float_round(random_float(&state), type->elem);
    } else {
      const int64_t value = random_int(&state) * divisor_of(&f->params[i]);
      input->args[i].as.i =
          type->kind == TYPE_SCALAR ? int_wrap(value, type->elem) : 0;
    }
  }
  for (int i = 0; i < 3; i++) {
    input->grid[i] = i ? 1 + (int64_t)(next_random(&state) % 2) : 3;
  }
}

// -- Runs --------------------------------------------------------------------

static void add_text(void *ctx, const char *text) {
  str_add(ctx, text);
}

// Pointers get the buffer of their parameter.
static int bind_buffers(Trial *t, const Function *f, const Input *input,
                        InterpMemory *memory) {
  int n = 0;
  for (int i = 0; i < f->body->num_args; i++) {
    const Type *type = f->body->args[i].type;
    if (type->kind != TYPE_POINTER) continue;
    assert(i < t->num_buffers && "a parameter without a buffer"); // I6
    fill_buffer(t->buffers[i], type, input->seed + (uint64_t)i);
    input->args[i].as.p = t->buffers[i];
    memory[n++] = (InterpMemory){t->buffers[i], BUFFER_BYTES};
  }
  return n;
}

static void keep_buffers(Trial *t, const Function *f, Outcome *outcome) {
  Arena *arena = t->m->arena;
  const int n = f->body->num_args;
  outcome->buffers = arena_array(arena, char *, n + 1);
  for (int i = 0; i < n; i++) {
    if (f->body->args[i].type->kind != TYPE_POINTER) continue;
    outcome->buffers[i] = aligned_buffer(arena);
    memcpy(outcome->buffers[i], t->buffers[i], BUFFER_BYTES);
  }
}

static bool can_bind(const Function *f) {
  for (int i = 0; i < f->body->num_args; i++) {
    const TypeKind kind = f->body->args[i].type->kind;
    if (kind != TYPE_SCALAR && kind != TYPE_POINTER) return false;
  }
  return true;
}

static Outcome run(Trial *t, const Function *f, const Input *input) {
  Arena *arena = t->m->arena;
  if (!can_bind(f)) return (Outcome){.error = "it takes a descriptor"};
  InterpMemory *memory =
      arena_array(arena, InterpMemory, f->body->num_args + 1);
  // One region more than is used: with no region, accesses would not be
  // checked.
  const int n = bind_buffers(t, f, input, memory);
  Str printed = str_in(arena);
  InterpLaunch launch = {.args = input->args,
                         .memory = memory,
                         .num_memory = (size_t)n + 1,
                         .max_steps = MAX_STEPS,
                         .print = add_text,
                         .print_ctx = &printed};
  memcpy(launch.grid, input->grid, sizeof launch.grid);
  DiagList diags;
  diag_init(&diags, arena);
  Outcome outcome = {.ran = interp_run(arena, f, &launch, &diags)};
  outcome.printed = str_text(&printed);
  if (outcome.ran) keep_buffers(t, f, &outcome);
  if (!outcome.ran) {
    outcome.error = diags.first ? diags.first->text : "it gives up";
  }
  return outcome;
}

Trial *trial_create(Module *m, uint64_t seed) {
  Trial *t = arena_new(m->arena, Trial);
  t->m = m;
  uint64_t state = seed;
  Case **last = &t->cases;
  for (const Function *f = m->functions; f; f = f->next) {
    Case *c = arena_new(m->arena, Case);
    c->name = f->name;
    for (int i = 0; i < NUM_INPUTS; i++) {
      make_input(t, f, &c->inputs[i], next_random(&state));
      c->inputs[i].outcome = run(t, f, &c->inputs[i]);
    }
    *last = c;
    last = &c->next;
  }
  return t;
}

// -- Comparison --------------------------------------------------------------

static uint64_t read_element(const char *at, size_t bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes; i++) {
    value |= (uint64_t)(unsigned char)at[i] << 8 * i;
  }
  return value;
}

static bool same_element(const char *a, const char *b, const Type *pointer) {
  const size_t bytes = bytes_behind(pointer);
  if (!memcmp(a, b, bytes)) return true;
  if (!type_is_float(pointer->element)) return false;
  const Elem elem = pointer->element->elem;
  const double x = float_decode(read_element(a, bytes), elem);
  const double y = float_decode(read_element(b, bytes), elem);
  return x != x && y != y; // true for two NaNs
}

static const char *buffer_difference(Trial *t, const Function *f, int param,
                                     const char *was, const char *is) {
  const Type *pointer = f->body->args[param].type;
  const size_t step = bytes_behind(pointer);
  for (size_t at = 0; at < BUFFER_BYTES; at += step) {
    if (same_element(was + at, is + at, pointer)) continue;
    return arena_printf(
        t->m->arena, "element %zu of parameter %d is 0x%llx, was 0x%llx",
        at / step, param, (unsigned long long)read_element(is + at, step),
        (unsigned long long)read_element(was + at, step));
  }
  return NULL;
}

static const char *difference(Trial *t, const Function *f, const Outcome *was,
                              const Outcome *is) {
  if (!was->ran) return NULL;
  if (!is->ran) {
    return arena_printf(t->m->arena, "it does not run: %s", is->error);
  }
  for (int i = 0; i < f->body->num_args; i++) {
    if (!was->buffers[i]) continue;
    const char *text =
        buffer_difference(t, f, i, was->buffers[i], is->buffers[i]);
    if (text) return text;
  }
  return strcmp(was->printed, is->printed) ? "it prints something else" : NULL;
}

const char *trial_compare(Trial *t) {
  const char *first = NULL;
  Case *c = t->cases;
  for (const Function *f = t->m->functions; f; f = f->next, c = c->next) {
    assert(c && !strcmp(c->name, f->name) && "another kernel"); // I6
    for (int i = 0; i < NUM_INPUTS; i++) {
      Input *input = &c->inputs[i];
      const Outcome was = input->outcome;
      input->outcome = run(t, f, input);
      const char *text = difference(t, f, &was, &input->outcome);
      if (!text || first) continue;
      first = arena_printf(t->m->arena, "kernel '%s' on random input %d: %s",
                           f->name, i, text);
    }
  }
  return first;
}

int trial_num_untried(const Trial *t) {
  int untried = 0;
  for (const Case *c = t->cases; c; c = c->next) {
    bool ran = false;
    for (int i = 0; i < NUM_INPUTS; i++) ran |= c->inputs[i].outcome.ran;
    untried += !ran;
  }
  return untried;
}
