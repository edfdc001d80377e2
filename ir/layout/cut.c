// cut.c -- a tile in parts that go through shared memory in turn.
//
// A part's layout is the whole layout without the register bits that select the
// part, over the positions without the bits that these hold.
#include "ir/layout_cut.h"

#include "ir/layout/parts.h"

#include <assert.h>

enum { LOG2_VECTOR = 7 };

// -- The place of the cut ----------------------------------------------------

// The register bit that holds only `unit`; -1 if there is none.
static int holder_of(const Layout *layout, uint32_t unit) {
  int holder = -1;
  for (int i = 0; i < layout->map.num_in; i++) {
    if (!(layout->map.column[i] & unit)) continue;
    if (holder >= 0 || layout->map.column[i] != unit) return -1;
    holder = i;
  }
  return holder < layout->num_bits[LAYOUT_REGISTER] ? holder : -1;
}

// The bits of positions within a vector of up to 16 bytes.
static uint32_t vector_bits(const Layout *layout, int elem_bits) {
  uint32_t mask = 0;
  int first = 0;
  for (int axis = layout->rank - 1; axis >= 0; axis--) {
    int count = layout_log2_contiguous(layout, axis);
    while (elem_bits << count > 1 << LOG2_VECTOR) count--;
    mask |= ((UINT32_C(1) << count) - 1) << first;
    first += layout->log2_shape[axis];
  }
  return mask;
}

// Does register `i` of `load` hold exactly one position bit, which one register
// of `store` holds, too, and which is not within a vector?
static bool is_common(const Layout *store, const Layout *load, int i,
                      uint32_t vector) {
  const uint32_t unit = load->map.column[i];
  if (!unit || unit & (unit - 1) || unit & vector) return false;
  return holder_of(load, unit) == i && holder_of(store, unit) >= 0;
}

// Searches from the last register down: adjacent registers, which an
// instruction such as a matrix product uses together, then come in one part.
static bool find_positions(const Layout *store, const Layout *load,
                           int elem_bits, LayoutCut *cut) {
  const uint32_t vector =
      vector_bits(store, elem_bits) | vector_bits(load, elem_bits);
  int found = 0;
  for (int i = load->num_bits[LAYOUT_REGISTER];
       i-- && found < cut->log2_parts;) {
    if (!is_common(store, load, i, vector)) continue;
    cut->position[found++] = load->map.column[i];
  }
  return found == cut->log2_parts;
}

// A register of `load` that holds exactly one position bit, outside of vectors,
// which no register of `store` holds alone; -1 if there is none.
static int register_apart(const Layout *store, const Layout *load,
                          uint32_t vector) {
  for (int i = load->num_bits[LAYOUT_REGISTER]; i--;) {
    const uint32_t unit = load->map.column[i];
    if (!unit || unit & vector || holder_of(store, unit) >= 0) continue;
    if (holder_of(load, unit) == i) return i;
  }
  return -1;
}

// A warp bit of `load` that holds exactly one position bit, outside of vectors,
// which a register of `store` holds; -1 if there is none.
static int warp_in_common(const Layout *store, const Layout *load,
                          uint32_t vector) {
  const int first = layout_first_bit(load, LAYOUT_WARP);
  for (int i = first + load->num_bits[LAYOUT_WARP]; i-- > first;) {
    const uint32_t unit = load->map.column[i];
    if (!unit || unit & vector || holder_of(store, unit) < 0) continue;
    int sharers = 0;
    for (int k = 0; k < load->map.num_in; k++) {
      sharers += (load->map.column[k] & unit) != 0;
    }
    if (sharers == 1) return i;
  }
  return -1;
}

const Layout *layout_for_cut(LayoutTable *table, const Layout *store,
                             const Layout *load, int elem_bits,
                             int log2_parts) {
  const uint32_t vector =
      vector_bits(store, elem_bits) | vector_bits(load, elem_bits);
  Layout key = *load;
  for (int i = 0; i < key.num_bits[LAYOUT_REGISTER]; i++) {
    log2_parts -= is_common(store, load, i, vector);
  }
  for (; log2_parts > 0; log2_parts--) {
    const int reg = register_apart(store, &key, vector);
    const int warp = warp_in_common(store, &key, vector);
    if (reg < 0 || warp < 0) break;
    const uint32_t unit = key.map.column[reg];
    key.map.column[reg] = key.map.column[warp];
    key.map.column[warp] = unit;
  }
  return layout_get(table, &key);
}

// -- The parts ---------------------------------------------------------------

static uint32_t all_positions(const LayoutCut *cut) {
  uint32_t mask = 0;
  for (int i = 0; i < cut->log2_parts; i++) mask |= cut->position[i];
  return mask;
}

// `word` without the bits of `mask`; the other bits move together.
static uint32_t squeeze(uint32_t word, uint32_t mask) {
  uint32_t out = 0;
  for (int i = 0, to = 0; i < 32; i++) {
    if (!(mask >> i & 1)) out |= (word >> i & 1) << to++;
  }
  return out;
}

static const Layout *part_of(LayoutTable *table, const LayoutCut *cut,
                             const Layout *whole) {
  const uint32_t mask = all_positions(cut);
  LayoutParts parts = {.rank = whole->rank};
  int bit = 0;
  for (int axis = whole->rank - 1; axis >= 0; axis--) {
    for (int i = 0; i < whole->log2_shape[axis]; i++, bit++) {
      parts.log2_shape[axis] += !(mask >> bit & 1);
    }
  }
  for (int dim = 0; dim < LAYOUT_NUM_DIMS; dim++) {
    const int first = layout_first_bit(whole, (LayoutDim)dim);
    for (int i = 0; i < whole->num_bits[dim]; i++) {
      const uint32_t column = whole->map.column[first + i];
      if (column & mask) continue;
      parts_add(&parts, (LayoutDim)dim, squeeze(column, mask));
    }
  }
  return layout_from_parts(table, &parts);
}

bool layout_cut(LayoutTable *table, const SharedUse *store,
                const SharedUse *load, int elem_bits, int log2_parts,
                LayoutCut *out) {
  *out = (LayoutCut){.log2_parts = log2_parts};
  if (!find_positions(store->tile, load->tile, elem_bits, out)) return false;
  out->store = part_of(table, out, store->tile);
  out->load = part_of(table, out, load->tile);
  assert(out->store->map.num_out + log2_parts == store->tile->map.num_out &&
         out->load->map.num_out + log2_parts == load->tile->map.num_out); // I8
  const SharedUse part_store = {out->store, store->matrix};
  const SharedUse part_load = {out->load, load->matrix};
  out->through = layout_best_shared(table, &part_store, &part_load, elem_bits);
  if (!out->through) return false;
  out->cost = (layout_use_cost(&part_store, out->through, elem_bits) +
               layout_use_cost(&part_load, out->through, elem_bits))
              << log2_parts;
  return true;
}

uint32_t layout_cut_register(const LayoutCut *cut, const Layout *whole,
                             uint32_t part, uint32_t reg) {
  assert(!(part >> cut->log2_parts) && "there is no such part"); // I8
  const uint32_t mask = all_positions(cut);
  uint32_t out = 0;
  for (int i = 0; i < whole->num_bits[LAYOUT_REGISTER]; i++) {
    const uint32_t column = whole->map.column[i];
    if (!(column & mask)) {
      out |= (reg & 1) << i;
      reg >>= 1;
      continue;
    }
    for (int k = 0; k < cut->log2_parts; k++) {
      if (cut->position[k] == column) out |= (part >> k & 1) << i;
    }
  }
  return out;
}
