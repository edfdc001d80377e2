// convert.c -- constants, selection, conversions, addresses.
#include "ir/interp/run.h"
#include "ir/number.h"

#include <assert.h>
#include <math.h>

// -- Creation ----------------------------------------------------------------

bool exec_constant(Run *r, const InterpInst *in) {
  (void)r;
  Slot *out = in->out[0];
  const Attr *value = op_attr(in->op, ATTR_value);
  const bool is_float = type_is_float(out->type);
  const Cell cell = !is_float            ? (Cell){.i = value->as.i}
                    : isnan(value->as.f) ? cell_nan(out->type->elem)
                                         : (Cell){.f = value->as.f};
  cells_fill(out->cells, out->count, cell);
  return true;
}

bool exec_program_id(Run *r, const InterpInst *in) {
  const int64_t id = r->pid[op_int(in->op, ATTR_axis)];
  cells_fill(in->out[0]->cells, in->out[0]->count, (Cell){.i = id});
  return true;
}

bool exec_num_programs(Run *r, const InterpInst *in) {
  const int64_t size = r->launch->grid[op_int(in->op, ATTR_axis)];
  cells_fill(in->out[0]->cells, in->out[0]->count, (Cell){.i = size});
  return true;
}

bool exec_cluster_rank(Run *r, const InterpInst *in) {
  cells_fill(in->out[0]->cells, in->out[0]->count, (Cell){.i = r->rank});
  return true;
}

// Neighbours run one after the other, and each copies for itself.
bool exec_has_neighbour(Run *r, const InterpInst *in) {
  const int64_t other = r->pid[0] ^ 1;
  cells_fill(in->out[0]->cells, in->out[0]->count,
             (Cell){.i = other < r->launch->grid[0]});
  return true;
}

// Here each program has a block of its own.
bool exec_block_id(Run *r, const InterpInst *in) {
  const int64_t *grid = r->launch->grid;
  const int64_t id = (r->pid[2] * grid[1] + r->pid[1]) * grid[0] + r->pid[0];
  cells_fill(in->out[0]->cells, in->out[0]->count, (Cell){.i = id});
  return true;
}

bool exec_num_blocks(Run *r, const InterpInst *in) {
  const int64_t *grid = r->launch->grid;
  const int64_t all = grid[0] * grid[1] * grid[2];
  cells_fill(in->out[0]->cells, in->out[0]->count, (Cell){.i = all});
  return true;
}

bool exec_arange(Run *r, const InterpInst *in) {
  (void)r;
  const int64_t start = op_int(in->op, ATTR_start);
  Slot *out = in->out[0];
  for (int64_t i = 0; i < out->count; i++) out->cells[i].i = start + i;
  return true;
}

// -- Selection ---------------------------------------------------------------

// The result is poison only if the selected operand is.
static void select_marks(Run *r, const InterpInst *in) {
  Slot *out = in->out[0], *condition = in->in[0];
  const int64_t step = condition->count == out->count;
  out->poisoned = false;
  if (!condition->poisoned && !in->in[1]->poisoned && !in->in[2]->poisoned) {
    return;
  }
  const Cell *asked = slot_marks(r, condition);
  const Cell *x = slot_marks(r, in->in[1]), *y = slot_marks(r, in->in[2]);
  Cell *marks = slot_marks(r, out);
  for (int64_t i = 0; i < out->count; i++) {
    const Cell chosen = condition->cells[i * step].i ? x[i] : y[i];
    marks[i] = asked[i * step].i ? asked[i * step] : chosen;
  }
  out->poisoned = true;
}

bool exec_select(Run *r, const InterpInst *in) {
  Slot *out = in->out[0];
  const Slot *condition = in->in[0];
  const int64_t step = condition->count == out->count;
  assert((step || condition->count == 1) && "lanes without a condition"); // I4
  const Cell *x = in->in[1]->cells, *y = in->in[2]->cells;
  for (int64_t i = 0; i < out->count; i++) {
    out->cells[i] = condition->cells[i * step].i ? x[i] : y[i];
  }
  select_marks(r, in);
  return true;
}

// -- Integers to integers ----------------------------------------------------

static bool copy_elements(Run *r, const InterpInst *in) {
  cells_copy(in->out[0]->cells, in->in[0]->cells, in->out[0]->count);
  spread_marks(r, in);
  return true;
}

bool exec_extsi(Run *r, const InterpInst *in) {
  copy_elements(r, in);
  if (!type_is_bool(in->in[0]->type)) return true;
  Slot *out = in->out[0];
  for (int64_t i = 0; i < out->count; i++) {
    out->cells[i].i = -out->cells[i].i;
  }
  cells_wrap(out->cells, out->count, out->type->elem);
  return true;
}

bool exec_extui(Run *r, const InterpInst *in) {
  copy_elements(r, in);
  Slot *out = in->out[0];
  const int bits = type_element_bits(in->in[0]->type);
  const uint64_t mask = UINT64_MAX >> (64 - bits);
  for (int64_t i = 0; i < out->count; i++) out->cells[i].u &= mask;
  return true;
}

bool exec_trunci(Run *r, const InterpInst *in) {
  copy_elements(r, in);
  Slot *out = in->out[0];
  cells_wrap(out->cells, out->count, out->type->elem);
  return true;
}

// -- Floats to floats --------------------------------------------------------

bool exec_extf(Run *r, const InterpInst *in) {
  copy_elements(r, in);
  cells_round(in->out[0]->cells, in->out[0]->count, in->out[0]->type->elem);
  return true;
}

bool exec_truncf(Run *r, const InterpInst *in) {
  const Rounding rounding = (Rounding)op_int(in->op, ATTR_rounding);
  if (rounding == ROUNDING_rtne) return exec_extf(r, in);
  copy_elements(r, in);
  Slot *out = in->out[0];
  const Cell nan = cell_rounded_nan(out->type->elem);
  for (int64_t i = 0; i < out->count; i++) {
    const double x = out->cells[i].f;
    out->cells[i] =
        isnan(x) ? nan
                 : (Cell){.f = float_round_to(x, out->type->elem, rounding)};
  }
  return true;
}

// -- Integers to floats ------------------------------------------------------

// An integer as a double.  The low bits of a long integer are folded into the
// last bit that fits, so that rounding to a shorter format rounds only once.
static double magnitude(uint64_t x) {
  if (x >> 53 == 0) return (double)x;
  return ldexp((double)(x >> 11 | ((x & 0x7ff) != 0)), 11);
}

static double from_unsigned(uint64_t x, Elem to) {
  return to == ELEM_f64 ? (double)x : magnitude(x);
}

static double from_signed(int64_t x, Elem to) {
  return x < 0 ? -from_unsigned(0 - (uint64_t)x, to)
               : from_unsigned((uint64_t)x, to);
}

bool exec_sitofp(Run *r, const InterpInst *in) {
  Slot *out = in->out[0];
  const Elem elem = out->type->elem;
  const int64_t sign = type_is_bool(in->in[0]->type) ? -1 : 1;
  for (int64_t i = 0; i < out->count; i++) {
    out->cells[i].f = from_signed(in->in[0]->cells[i].i * sign, elem);
  }
  cells_round(out->cells, out->count, elem);
  spread_marks(r, in);
  return true;
}

bool exec_uitofp(Run *r, const InterpInst *in) {
  Slot *out = in->out[0];
  const Elem elem = out->type->elem, from = in->in[0]->type->elem;
  for (int64_t i = 0; i < out->count; i++) {
    const uint64_t x = int_unsigned(in->in[0]->cells[i].i, from);
    out->cells[i].f = from_unsigned(x, elem);
  }
  cells_round(out->cells, out->count, elem);
  spread_marks(r, in);
  return true;
}

// -- Floats to integers ------------------------------------------------------

static int64_t to_signed(double x, int bits) {
  const double limit = ldexp(1, bits - 1);
  if (isnan(x)) return 0;
  if (x <= -limit) return -(int64_t)(UINT64_MAX >> (65 - bits)) - 1;
  return x >= limit ? (int64_t)(UINT64_MAX >> (65 - bits)) : (int64_t)x;
}

static uint64_t to_unsigned(double x, int bits) {
  if (isnan(x) || x <= 0) return 0;
  return x >= ldexp(1, bits) ? UINT64_MAX >> (64 - bits) : (uint64_t)x;
}

bool exec_fptosi(Run *r, const InterpInst *in) {
  Slot *out = in->out[0];
  const Elem elem = out->type->elem;
  const int bits = elem_info[elem].bits;
  for (int64_t i = 0; i < out->count; i++) {
    const double x = in->in[0]->cells[i].f;
    // The signed values of an i1 are 0 and -1.
    out->cells[i].i = bits == 1 ? x <= -1 : to_signed(x, bits);
  }
  spread_marks(r, in);
  return true;
}

bool exec_fptoui(Run *r, const InterpInst *in) {
  Slot *out = in->out[0];
  const Elem elem = out->type->elem;
  for (int64_t i = 0; i < out->count; i++) {
    const double x = in->in[0]->cells[i].f;
    out->cells[i].u = to_unsigned(x, elem_info[elem].bits);
  }
  cells_wrap(out->cells, out->count, elem);
  spread_marks(r, in);
  return true;
}

// -- Bits and addresses ------------------------------------------------------

bool exec_bitcast(Run *r, const InterpInst *in) {
  copy_elements(r, in);
  Slot *out = in->out[0];
  cells_encode(out->cells, out->count, type_element(in->in[0]->type));
  cells_decode(out->cells, out->count, type_element(out->type));
  return true;
}

bool exec_ptrtoint(Run *r, const InterpInst *in) {
  return copy_elements(r, in);
}

bool exec_inttoptr(Run *r, const InterpInst *in) {
  return copy_elements(r, in);
}

bool exec_addptr(Run *r, const InterpInst *in) {
  Slot *out = in->out[0];
  const Cell *ptr = in->in[0]->cells, *offset = in->in[1]->cells;
  const uint64_t bytes = type_bytes(type_element(out->type)->element);
  for (int64_t i = 0; i < out->count; i++) {
    out->cells[i].u = ptr[i].u + offset[i].u * bytes;
  }
  spread_marks(r, in);
  return true;
}

// -- Promises ----------------------------------------------------------------

bool exec_hint(Run *r, const InterpInst *in) {
  return copy_elements(r, in);
}

bool exec_assume(Run *r, const InterpInst *in) {
  (void)r;
  (void)in;
  return true;
}
