// dot.c -- contractions: dot, and the asynchronous dot with its wait.
//
// Products are summed in double and rounded once: the result is nearly exact,
// and the results of devices must be within a bound of it.  With `precision`
// tf32 the operands are truncated as by tensor cores; for a sum of parts, as in
// tf32x3, the full operands are used.  Integers wrap.
#include "ir/interp/run.h"

#include "ir/number.h"

#include <assert.h>
#include <string.h>

typedef struct {
  int64_t batch, m, k, n;
  bool cuts_off; // fp32 operands are truncated to tf32
} ProductShape;

static ProductShape dot_shape(const Op *dot, const Type *a, const Type *b) {
  ProductShape s = {.batch = 1,
                    .m = a->shape[a->rank - 2],
                    .k = a->shape[a->rank - 1],
                    .n = b->shape[b->rank - 1]};
  for (int i = 0; i + 2 < a->rank; i++) s.batch *= a->shape[i];
  s.cuts_off =
      a->elem == ELEM_f32 && op_int(dot, ATTR_precision) == PRECISION_tf32;
  return s;
}

// The value without the last 13 bits of its fraction.
static double cut_off(double value) {
  const uint32_t bits = float_bits((float)value) & ~UINT32_C(0x1fff);
  return (double)float_of_bits(bits);
}

static double operand(const ProductShape *s, Cell cell) {
  return s->cuts_off ? cut_off(cell.f) : cell.f;
}

static void dot_floats(const ProductShape *s, Cell *restrict c, const Cell *a,
                       const Cell *b) {
  for (int64_t i = 0; i < s->m; i++) {
    for (int64_t k = 0; k < s->k; k++) {
      const double x = operand(s, a[i * s->k + k]);
      const Cell *row = b + k * s->n;
      Cell *sum = c + i * s->n;
      for (int64_t j = 0; j < s->n; j++) {
        sum[j].f += x * operand(s, row[j]);
      }
    }
  }
}

static void dot_ints(const ProductShape *s, Cell *restrict c, const Cell *a,
                     const Cell *b) {
  for (int64_t i = 0; i < s->m; i++) {
    for (int64_t k = 0; k < s->k; k++) {
      const uint64_t x = a[i * s->k + k].u;
      const Cell *row = b + k * s->n;
      Cell *sum = c + i * s->n;
      for (int64_t j = 0; j < s->n; j++) sum[j].u += x * row[j].u;
    }
  }
}

// `out` holds the accumulator and then the result.
static void dot_batches(const InterpInst *in, Slot *out, const Cell *a,
                        const Cell *b) {
  const ProductShape s = dot_shape(in->op, in->in[0]->type, in->in[1]->type);
  const bool is_float = type_is_float(out->type);
  assert(out->count == s.batch * s.m * s.n && "the shapes differ"); // I4
  for (int64_t i = 0; i < s.batch; i++) {
    Cell *c = out->cells + i * s.m * s.n;
    const Cell *x = a + i * s.m * s.k, *y = b + i * s.k * s.n;
    is_float ? dot_floats(&s, c, x, y) : dot_ints(&s, c, x, y);
  }
  if (is_float) {
    cells_round(out->cells, out->count, out->type->elem);
  } else {
    cells_wrap(out->cells, out->count, out->type->elem);
  }
}

bool exec_dot(Run *r, const InterpInst *in) {
  const Slot *a = in->in[0], *b = in->in[1];
  Slot *out = in->out[0];
  slot_copy(r, out, in->in[2]);
  dot_batches(in, out, a->cells, b->cells);
  spread_all(r, in);
  return true;
}

// -- Asynchronous ------------------------------------------------------------

// Gets the cells of an operand in registers or shared memory; `*poisoned`: some
// are poison.
static bool read_operand(Run *r, const InterpInst *in, const Slot *slot,
                         Cell *scratch, const Cell **out, bool *poisoned) {
  *out = slot->cells;
  if (slot->type->kind != TYPE_MEMDESC) {
    *poisoned |= slot->poisoned;
    return true;
  }
  *out = scratch;
  Cell *marks = r->scratch[2];
  if (!view_read(r, in, slot, scratch, marks)) return false;
  for (int64_t i = 0; i < slot->type->num_elements; i++) {
    *poisoned |= marks[i].i != 0;
  }
  return true;
}

// The accumulator may be the result of a pending dot: dots complete in order.
// Other poison spreads.
static bool accumulator_is_poison(const Slot *acc) {
  for (int64_t i = 0; acc->poisoned && i < acc->count; i++) {
    if (acc->marks[i].i == UNDEFINED) return true;
  }
  return false;
}

bool exec_async_dot(Run *r, const InterpInst *in) {
  const Slot *a = in->in[0], *b = in->in[1], *acc = in->in[2];
  Slot *out = in->out[0];
  const Cell *x, *y;
  bool poisoned = accumulator_is_poison(acc);
  if (!read_operand(r, in, a, r->scratch[0], &x, &poisoned)) return false;
  if (!read_operand(r, in, b, r->scratch[1], &y, &poisoned)) return false;
  cells_copy(out->cells, acc->cells, out->count);
  dot_batches(in, out, x, y);
  r->dots++;
  slot_poison(r, out, poisoned ? UNDEFINED : IN_FLIGHT + r->dots);
  return true;
}

// Clears the marks of completed dots.
static void settle(Slot *slot, int64_t ended) {
  bool left = false;
  for (int64_t i = 0; slot->poisoned && i < slot->count; i++) {
    Cell *mark = &slot->marks[i];
    if (mark->i > IN_FLIGHT && mark->i - IN_FLIGHT <= ended) mark->i = 0;
    left |= mark->i != 0;
  }
  slot->poisoned = left;
}

bool exec_dot_wait(Run *r, const InterpInst *in) {
  const int64_t ended = r->dots - op_int(in->op, ATTR_count);
  const int first = in->op->num_operands - in->op->num_results;
  for (int i = 0; i < in->op->num_results; i++) {
    slot_copy(r, in->out[i], in->in[first + i]);
    settle(in->out[i], ended);
  }
  return true;
}
