// cells.c -- arrays of cells: copies, poison, formats.
#include "ir/errors.h"
#include "ir/interp/run.h"
#include "ir/number.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// -- Slots -------------------------------------------------------------------

int64_t type_num_cells(const Type *type) {
  switch (type->kind) {
  case TYPE_TILE: return type->num_elements;
  case TYPE_BLOCK_POINTER: return 1 + 3 * type->rank;
  case TYPE_DESCRIPTOR: return 2 + 2 * type->rank;
  case TYPE_MEMDESC: return 2 + type->rank;
  default: return 1;
  }
}

Slot *slot_create(Run *r, const Type *type, int64_t capacity) {
  Slot *slot = arena_new(r->arena, Slot);
  slot->type = type;
  slot->count = slot->capacity = capacity;
  slot->cells = arena_array(r->arena, Cell, capacity);
  slot->home = -1;
  return slot;
}

Cell *slot_marks(Run *r, Slot *slot) {
  if (slot->poisoned) return slot->marks;
  if (!slot->marks) {
    slot->marks = arena_array(r->arena, Cell, slot->capacity);
  }
  cells_fill(slot->marks, slot->count, (Cell){0});
  return slot->marks;
}

void slot_poison(Run *r, Slot *slot, int64_t mark) {
  cells_fill(slot_marks(r, slot), slot->count, (Cell){.i = mark});
  slot->poisoned = true;
}

static bool poison_used(Run *r, const InterpInst *in, const char *what) {
  diag_error(r->diags, in->op->loc, ERROR_poison, what);
  return run_stop(r, in);
}

bool slot_defined(Run *r, const InterpInst *in, const Slot *slot,
                  const char *what) {
  return lanes_defined(r, in, slot, NULL, what);
}

bool lanes_defined(Run *r, const InterpInst *in, const Slot *slot,
                   const Cell *mask, const char *what) {
  if (!slot->poisoned) return true;
  for (int64_t i = 0; i < slot->count; i++) {
    if (slot->marks[i].i && (!mask || mask[i].i)) {
      return poison_used(r, in, what);
    }
  }
  return true;
}

void slot_copy(Run *r, Slot *to, const Slot *from) {
  assert(from->count <= to->capacity && "the slot is too small"); // I3
  cells_copy(to->cells, from->cells, from->count);
  to->count = from->count;
  if (from->poisoned) {
    cells_copy(slot_marks(r, to), from->marks, from->count);
  }
  to->poisoned = from->poisoned;
}

static void slot_advance(Slot *slot) {
  assert(slot->next->type == slot->type && !slot->next->next); // I3
  const Slot now = *slot;
  slot->cells = slot->next->cells;
  slot->marks = slot->next->marks;
  slot->poisoned = slot->next->poisoned;
  slot->next->cells = now.cells;
  slot->next->marks = now.marks;
  slot->next->poisoned = now.poisoned;
}

void slots_move(Run *r, int count, Slot **to, Slot *const *from) {
  for (int i = 0; i < count; i++) {
    if (to[i] != from[i]) {
      slot_copy(r, to[i]->next ? to[i]->next : to[i], from[i]);
    }
  }
  for (int i = 0; i < count; i++) {
    if (to[i] != from[i] && to[i]->next) slot_advance(to[i]);
  }
}

static bool any_poisoned(const InterpInst *in) {
  for (int i = 0; i < in->op->num_operands; i++) {
    if (in->in[i]->poisoned) return true;
  }
  return false;
}

static void add_marks(Slot *out, const Slot *x) {
  if (!x->poisoned) return;
  const int64_t step = x->count == out->count;
  assert((step || x->count == 1) && "lanes without a partner"); // I4
  for (int64_t i = 0; i < out->count; i++) {
    if (x->marks[i * step].i) out->marks[i].i = UNDEFINED;
  }
}

void spread_marks(Run *r, const InterpInst *in) {
  Slot *out = in->out[0];
  out->poisoned = false;
  if (!any_poisoned(in)) return;
  slot_marks(r, out);
  for (int i = 0; i < in->op->num_operands; i++) add_marks(out, in->in[i]);
  out->poisoned = true;
}

bool spread_all(Run *r, const InterpInst *in) {
  const bool poisoned = any_poisoned(in);
  for (int i = 0; i < in->op->num_results; i++) {
    in->out[i]->poisoned = false;
    if (poisoned) slot_poison(r, in->out[i], UNDEFINED);
  }
  return poisoned;
}

Slot *inst_group(const InterpInst *in, int group) {
  if (!in->op->group_sizes[group]) return NULL;
  return in->in[op_group_start(in->op, group)];
}

// -- Arrays ------------------------------------------------------------------

void cells_fill(Cell *cells, int64_t count, Cell value) {
  for (int64_t i = 0; i < count; i++) cells[i] = value;
}

void cells_copy(Cell *to, const Cell *from, int64_t count) {
  if (count) memmove(to, from, (size_t)count * sizeof *to);
}

void cells_wrap(Cell *cells, int64_t count, Elem elem) {
  const int unused = 64 - elem_info[elem].bits;
  if (elem == ELEM_i1) {
    for (int64_t i = 0; i < count; i++) cells[i].u &= 1;
  } else if (unused) {
    for (int64_t i = 0; i < count; i++) {
      cells[i].i = (int64_t)(cells[i].u << unused) >> unused;
    }
  }
}

void cells_round(Cell *cells, int64_t count, Elem elem) {
  if (elem == ELEM_f32) {
    for (int64_t i = 0; i < count; i++) {
      cells[i].f = (double)(float)cells[i].f;
    }
  } else if (elem != ELEM_f64) {
    for (int64_t i = 0; i < count; i++) {
      cells[i].f = float_round(cells[i].f, elem);
    }
  }
  const Cell nan = cell_rounded_nan(elem);
  for (int64_t i = 0; i < count; i++) {
    if (isnan(cells[i].f)) cells[i] = nan;
  }
}

// -- Memory ------------------------------------------------------------------

size_t type_bytes(const Type *type) {
  const int bits = type_element_bits(type);
  return bits < 8 ? 1 : (size_t)bits / 8;
}

static const uint64_t double_fraction = (UINT64_C(1) << 52) - 1;
static const uint64_t double_infinity = UINT64_C(0x7ff) << 52;

static uint64_t low_bits(int count) {
  return (UINT64_C(1) << count) - 1;
}

static Cell decode_float(uint64_t bits, Elem elem) {
  const int mantissa = elem_info[elem].mantissa_bits;
  const int width = elem_info[elem].bits;
  const uint64_t payload = bits & low_bits(mantissa);
  const Cell value = {.f = float_decode(bits, elem)};
  if (!isnan(value.f)) return value;
  const uint64_t sign = bits >> (width - 1) << 63;
  if (elem == ELEM_f8e4nv) return (Cell){.u = sign | (Cell){.f = NAN}.u};
  return (Cell){.u = sign | double_infinity | payload << (52 - mantissa)};
}

Cell cell_nan(Elem elem) {
  return decode_float(float_encode(NAN, elem), elem);
}

Cell cell_rounded_nan(Elem elem) {
  const bool is_half = elem == ELEM_f16 || elem == ELEM_bf16;
  return is_half ? decode_float(0x7fff, elem) : cell_nan(elem);
}

static uint64_t encode_float(Cell value, Elem elem) {
  const int mantissa = elem_info[elem].mantissa_bits;
  const uint64_t bits = float_encode(value.f, elem);
  if (!isnan(value.f)) return bits;
  const uint64_t sign = value.u >> 63 << (elem_info[elem].bits - 1);
  if (elem == ELEM_f8e4nv) return sign | bits;
  const uint64_t kept = (value.u & double_fraction) >> (52 - mantissa);
  return sign | (bits & ~low_bits(mantissa)) |
         (kept ? kept : bits & low_bits(mantissa));
}

static Cell decode_f32(Cell bits) {
  const float value = float_of_bits((uint32_t)bits.u);
  if (isnan(value)) return decode_float(bits.u, ELEM_f32);
  return (Cell){.f = (double)value};
}

static Cell encode_f32(Cell cell) {
  if (isnan(cell.f)) return (Cell){.u = encode_float(cell, ELEM_f32)};
  return (Cell){.u = float_bits((float)cell.f)};
}

void cells_decode(Cell *cells, int64_t count, const Type *type) {
  const Elem elem = type->elem;
  if (type->kind == TYPE_POINTER || elem == ELEM_f64) return;
  if (elem == ELEM_i1) {
    for (int64_t i = 0; i < count; i++) cells[i].i = cells[i].u != 0;
  } else if (!elem_info[elem].is_float) {
    cells_wrap(cells, count, elem);
  } else if (elem == ELEM_f32) {
    for (int64_t i = 0; i < count; i++) cells[i] = decode_f32(cells[i]);
  } else {
    for (int64_t i = 0; i < count; i++) {
      cells[i] = decode_float(cells[i].u, elem);
    }
  }
}

void cells_encode(Cell *cells, int64_t count, const Type *type) {
  const Elem elem = type->elem;
  if (type->kind == TYPE_POINTER || !elem_info[elem].is_float) return;
  if (elem == ELEM_f64) return;
  if (elem == ELEM_f32) {
    for (int64_t i = 0; i < count; i++) cells[i] = encode_f32(cells[i]);
    return;
  }
  for (int64_t i = 0; i < count; i++) {
    cells[i].u = encode_float(cells[i], elem);
  }
}

// -- Boxes -------------------------------------------------------------------

void row_major(int rank, const int64_t *shape, int64_t *strides) {
  int64_t stride = 1;
  for (int i = rank - 1; i >= 0; i--) {
    strides[i] = stride;
    stride *= shape[i];
  }
}

// Moves to the next row of the box; false after the last.
static bool next_row(const Box *box, int64_t *index, int64_t *at) {
  for (int d = box->rank - 2; d >= 0; d--) {
    *at += box->strides[d];
    if (++index[d] < box->shape[d]) return true;
    *at -= box->strides[d] * index[d];
    index[d] = 0;
  }
  return false;
}

void box_gather(const Box *box, Cell *out, const Cell *from) {
  const int64_t length = box->rank ? box->shape[box->rank - 1] : 1;
  const int64_t step = box->rank ? box->strides[box->rank - 1] : 1;
  int64_t index[MAX_RANK] = {0}, at = box->base;
  do {
    for (int64_t i = 0; i < length; i++) out[i] = from[at + i * step];
    out += length;
  } while (next_row(box, index, &at));
}

void box_scatter(const Box *box, Cell *to, const Cell *values) {
  const int64_t length = box->rank ? box->shape[box->rank - 1] : 1;
  const int64_t step = box->rank ? box->strides[box->rank - 1] : 1;
  int64_t index[MAX_RANK] = {0}, at = box->base;
  do {
    for (int64_t i = 0; i < length; i++) to[at + i * step] = values[i];
    values += length;
  } while (next_row(box, index, &at));
}
