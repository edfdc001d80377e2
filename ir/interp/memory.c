// memory.c -- global memory: checked loads, stores and atomics.
//
// Elements move as bits: first every address is checked, then the bits move,
// then they are decoded.  The address of a masked lane is ignored.
#include "ir/errors.h"
#include "ir/interp/run.h"
#include "ir/number.h"

#include <math.h>
#include <string.h>

// -- Bounds ------------------------------------------------------------------

static bool holds(const InterpMemory *memory, uint64_t address, size_t bytes) {
  const uint64_t base = (uint64_t)(uintptr_t)memory->base;
  return address >= base && bytes <= memory->size &&
         address - base <= memory->size - bytes;
}

static bool is_allowed(Run *r, uint64_t address, size_t bytes) {
  const InterpLaunch *launch = r->launch;
  if (!launch->num_memory) return true;
  if (r->last_hit && holds(r->last_hit, address, bytes)) return true;
  for (size_t i = 0; i < launch->num_memory; i++) {
    if (holds(&launch->memory[i], address, bytes)) {
      r->last_hit = &launch->memory[i];
      return true;
    }
  }
  return false;
}

// The distance in bytes of an address from a memory range; 0 if they overlap.
static uint64_t distance(const InterpMemory *memory, uint64_t address) {
  const uint64_t base = (uint64_t)(uintptr_t)memory->base;
  if (address < base) return base - address;
  return address - base < memory->size ? 0 : address - base - memory->size;
}

static const InterpMemory *nearest(Run *r, uint64_t address) {
  const InterpMemory *best = NULL;
  for (size_t i = 0; i < r->launch->num_memory; i++) {
    const InterpMemory *memory = &r->launch->memory[i];
    if (!memory->base) continue;
    if (!best || distance(memory, address) < distance(best, address)) {
      best = memory;
    }
  }
  return best;
}

static const char *memory_name(Run *r, const InterpMemory *memory) {
  for (size_t i = 0; i < r->params.count; i++) {
    const Slot *slot = r->params.items[i];
    if (!type_is_pointer(slot->type)) continue;
    if (slot->cells[0].u != (uint64_t)(uintptr_t)memory->base) continue;
    const char *name = r->f->params[i].name;
    if (!name) name = r->f->body->args[i].name;
    if (name) return arena_printf(r->arena, "argument %%%s", name);
    return arena_printf(r->arena, "argument %d", (int)i);
  }
  return "the memory";
}

enum { FAR_AWAY = 1 << 30 };

// Describes an address out of bounds, relative to the nearest memory range.
static const char *place(Run *r, uint64_t address) {
  if (address < 4096) return "null pointer";
  const InterpMemory *memory = nearest(r, address);
  if (!memory || distance(memory, address) > FAR_AWAY) {
    return "address belongs to no argument";
  }
  const char *name = memory_name(r, memory);
  const unsigned long long far = distance(memory, address);
  const size_t size = memory->size;
  const uint64_t base = (uint64_t)(uintptr_t)memory->base;
  if (address >= base && address - base < size) {
    return arena_printf(r->arena,
                        "the element crosses the end of %s of %zu "
                        "bytes",
                        name, size);
  }
  return arena_printf(r->arena, "address is %llu bytes %s of %s of %zu bytes",
                      far, address < base ? "before the start" : "past the end",
                      name, size);
}

static bool out_of_bounds(Run *r, const InterpInst *in, uint64_t address,
                          int64_t lane) {
  diag_error(r->diags, in->op->loc, ERROR_out_of_bounds, place(r, address),
             (long long)lane);
  return run_stop(r, in);
}

static bool check_addresses(Run *r, const InterpInst *in, int64_t count,
                            const Cell *addresses, const Cell *mask,
                            size_t bytes) {
  for (int64_t i = 0; i < count; i++) {
    if (mask && !mask[i].i) continue;
    if (!is_allowed(r, addresses[i].u, bytes)) {
      return out_of_bounds(r, in, addresses[i].u, i);
    }
  }
  return true;
}

// -- Bits --------------------------------------------------------------------

static void *pointer(Cell address) {
  return (void *)(uintptr_t)address.u;
}

static uint64_t read_bits(Cell address, size_t bytes) {
  uint64_t bits = 0; // low bytes first, as on all supported hosts
  memcpy(&bits, pointer(address), bytes);
  return bits;
}

bool fetch_bits(Run *r, const InterpInst *in, int64_t count,
                const Cell *addresses, const Cell *mask, size_t bytes,
                Cell *out) {
  if (!check_addresses(r, in, count, addresses, mask, bytes)) return false;
  for (int64_t i = 0; i < count; i++) {
    out[i].u = mask && !mask[i].i ? 0 : read_bits(addresses[i], bytes);
  }
  return true;
}

bool write_bits(Run *r, const InterpInst *in, int64_t count,
                const Cell *addresses, const Cell *mask, size_t bytes,
                const Cell *bits) {
  if (!check_addresses(r, in, count, addresses, mask, bytes)) return false;
  for (int64_t i = 0; i < count; i++) {
    if (mask && !mask[i].i) continue;
    memcpy(pointer(addresses[i]), &bits[i].u, bytes);
  }
  return true;
}

// -- Load and store ----------------------------------------------------------

static const Type *pointee(const Slot *ptr) {
  return type_element(ptr->type)->element;
}

// The mask as a plane as wide as the pointers; NULL if there is none.
static const Cell *mask_plane(Run *r, const Slot *mask, int64_t count) {
  if (!mask || mask->count == count) return mask ? mask->cells : NULL;
  cells_fill(r->scratch[0], count, mask->cells[0]);
  return r->scratch[0];
}

static void fill_other(Run *r, const Slot *other, const Cell *mask, Slot *out) {
  const int64_t step = other->count == out->count;
  Cell *marks = other->poisoned ? slot_marks(r, out) : NULL;
  for (int64_t i = 0; i < out->count; i++) {
    if (mask[i].i) continue;
    out->cells[i] = other->cells[i * step];
    if (marks) marks[i] = other->marks[i * step];
  }
  if (marks) out->poisoned = true;
}

bool load_lanes(Run *r, const InterpInst *in, const Slot *ptr, const Slot *mask,
                const Slot *other, Slot *out) {
  const Type *type = pointee(ptr);
  if (mask && !slot_defined(r, in, mask, "the mask")) return false;
  const Cell *lanes = mask_plane(r, mask, ptr->count);
  if (!lanes_defined(r, in, ptr, lanes, "an address")) return false;
  if (!fetch_bits(r, in, ptr->count, ptr->cells, lanes, type_bytes(type),
                  out->cells)) {
    return false;
  }
  cells_decode(out->cells, ptr->count, type);
  out->poisoned = false;
  if (other && lanes) fill_other(r, other, lanes, out);
  return true;
}

bool exec_load(Run *r, const InterpInst *in) {
  return load_lanes(r, in, in->in[0], inst_group(in, 1), inst_group(in, 2),
                    in->out[0]);
}

bool exec_store(Run *r, const InterpInst *in) {
  const Slot *ptr = in->in[0], *value = in->in[1], *mask = inst_group(in, 2);
  const Type *type = pointee(ptr);
  if (mask && !slot_defined(r, in, mask, "the mask")) return false;
  const Cell *lanes = mask_plane(r, mask, ptr->count);
  if (!lanes_defined(r, in, ptr, lanes, "an address")) return false;
  if (!lanes_defined(r, in, value, lanes, "the value")) return false;
  cells_copy(r->scratch[1], value->cells, ptr->count);
  cells_encode(r->scratch[1], ptr->count, type);
  return write_bits(r, in, ptr->count, ptr->cells, lanes, type_bytes(type),
                    r->scratch[1]);
}

// -- Atomics: lane by lane ---------------------------------------------------

static double float_max(double x, double y) {
  return fmax(x, y) == 0 && x == y ? (signbit(x) ? y : x) : fmax(x, y);
}

static double float_min(double x, double y) {
  return fmin(x, y) == 0 && x == y ? (signbit(x) ? x : y) : fmin(x, y);
}

static Cell update(Rmw kind, Cell old, Cell x) {
  switch (kind) {
  case RMW_add: return (Cell){.u = old.u + x.u};
  case RMW_fadd: return (Cell){.f = old.f + x.f};
  case RMW_max: return old.i > x.i ? old : x;
  case RMW_min: return old.i < x.i ? old : x;
  case RMW_umax: return old.u > x.u ? old : x; // sign extension keeps the order
  case RMW_umin: return old.u < x.u ? old : x;
  case RMW_fmax: return (Cell){.f = float_max(old.f, x.f)};
  case RMW_fmin: return (Cell){.f = float_min(old.f, x.f)};
  case RMW_and: return (Cell){.u = old.u & x.u};
  case RMW_or: return (Cell){.u = old.u | x.u};
  case RMW_xor: return (Cell){.u = old.u ^ x.u};
  case RMW_load: return old;
  case RMW_xchg:
  case RMW_store: return x;
  }
  return x;
}

static bool is_arithmetic(Rmw kind) {
  return kind == RMW_fadd || kind == RMW_fmax || kind == RMW_fmin;
}

static Cell rmw_lane(Rmw kind, const Type *type, Cell address, Cell x) {
  Cell old = {.u = read_bits(address, type_bytes(type))};
  cells_decode(&old, 1, type);
  Cell cell = update(kind, old, x);
  if (is_arithmetic(kind)) cells_round(&cell, 1, type->elem);
  cells_encode(&cell, 1, type);
  memcpy(pointer(address), &cell.u, type_bytes(type));
  return kind == RMW_store ? (Cell){0} : old;
}

bool update_lanes(Run *r, const InterpInst *in, int64_t count,
                  const Cell *addresses, const Cell *mask, const Type *type,
                  const Cell *values, Cell *old) {
  if (!check_addresses(r, in, count, addresses, mask, type_bytes(type)))
    return false;
  const Rmw kind = (Rmw)op_int(in->op, ATTR_kind);
  for (int64_t i = 0; i < count; i++) {
    const bool skip = mask && !mask[i].i;
    const Cell cell =
        skip ? (Cell){0} : rmw_lane(kind, type, addresses[i], values[i]);
    if (old) old[i] = cell;
  }
  return true;
}

bool exec_atomic_rmw(Run *r, const InterpInst *in) {
  const Slot *ptr = in->in[0], *value = in->in[1], *mask = inst_group(in, 2);
  const Type *type = pointee(ptr);
  Slot *out = in->out[0];
  if (mask && !slot_defined(r, in, mask, "the mask")) return false;
  const Cell *lanes = mask_plane(r, mask, ptr->count);
  if (!lanes_defined(r, in, ptr, lanes, "an address")) return false;
  if (!lanes_defined(r, in, value, lanes, "the value")) return false;
  if (!update_lanes(r, in, ptr->count, ptr->cells, lanes, type, value->cells,
                    out->cells))
    return false;
  out->poisoned = false;
  return true;
}

static Cell cas_lane(const Type *type, Cell address, Cell expected, Cell x) {
  const size_t bytes = type_bytes(type);
  Cell old = {.u = read_bits(address, bytes)};
  cells_encode(&expected, 1, type);
  cells_encode(&x, 1, type);
  const uint64_t mask = UINT64_MAX >> (64 - 8 * bytes);
  if (old.u == (expected.u & mask)) memcpy(pointer(address), &x.u, bytes);
  cells_decode(&old, 1, type);
  return old;
}

bool exec_atomic_cas(Run *r, const InterpInst *in) {
  const Slot *ptr = in->in[0], *expected = in->in[1], *value = in->in[2];
  const Type *type = pointee(ptr);
  Slot *out = in->out[0];
  for (int i = 0; i < 3; i++) {
    if (!slot_defined(r, in, in->in[i], "an operand")) return false;
  }
  if (!check_addresses(r, in, ptr->count, ptr->cells, NULL, type_bytes(type))) {
    return false;
  }
  for (int64_t i = 0; i < ptr->count; i++) {
    out->cells[i] =
        cas_lane(type, ptr->cells[i], expected->cells[i], value->cells[i]);
  }
  return true;
}
