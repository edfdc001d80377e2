// mma_sparse.c -- mma.sp.sync, wgmma.mma_async.sp: where the elements of a
// sparse A belong.
//
// Four bits of metadata say it for each chunk of a row: of four elements two
// are held, at the indices in the low and in the high two bits.  Elements of
// four bits count in pairs, and of two tf32 one is held, of which the bits give
// both halves.  Lanes 4g to 4g + 3 have the metadata of row g, as follows, low
// bits first; if fewer than four have it, the selector says which.
//
//   4 chunks    one lane, row g in its low half, row g + 8 in its high half
//   8 chunks    of 16 or 32 bits: two lanes, each as above for 4 chunks
//               of 4 or 8 bits: one lane for row g, the next for row g + 8
//   16 chunks   of 4 or 8 bits: two times that
#include <assert.h>

#include "runtime/simulator/matrix/mma.h"
#include "runtime/simulator/memory/lanes.h"

static uint32_t chunk_size(TypeId type) {
  return type == TYPE_TF32 ? 2 : mma_element_bits(type) == 4 ? 8 : 4;
}

// Lanes of a quad that have metadata for an instruction.
static int64_t lanes_used(TypeId type, uint32_t k) {
  return k / chunk_size(type) / 4;
}

bool sparse_fits(const Form *form, const Inst *inst, uint32_t m, uint32_t k) {
  const TypeId type = (TypeId)form->types[1];
  const uint32_t bits = mma_element_bits(type), chunks = k / chunk_size(type);
  if (m != 16 || type == TYPE_B1 || type == TYPE_F64) return false;
  const bool is_fp8 = type == TYPE_E4M3 || type == TYPE_E5M2;
  const bool fits = is_fp8       ? chunks == 16
                    : bits >= 16 ? chunks == 4 || chunks == 8
                                 : chunks == 8 || chunks == 16;
  return fits && inst->imm >= 0 && inst->imm < 4 / lanes_used(type, k);
}

static uint32_t chunk_metadata(const Inst *inst, const uint32_t *metadata,
                               int row, uint32_t k, uint32_t chunk) {
  const TypeId type = (TypeId)inst->type2;
  const uint32_t first =
      (uint32_t)(inst->imm * lanes_used(type, k)) + (uint32_t)(row % 8) * 4;
  const uint32_t half = row >= 8;
  if (mma_element_bits(type) >= 16)
    return metadata[first + chunk / 4] >> (16 * half + 4 * (chunk % 4)) & 15;
  return metadata[first + chunk / 8 * 2 + half] >> 4 * (chunk % 8) & 15;
}

// The two indices of a chunk.
static bool is_valid(const Inst *inst, uint32_t low, uint32_t high) {
  if (inst->type2 == TYPE_TF32) return low % 2 == 0 && high == low + 1;
  return inst->mode == WORD_SP_ORDERED ? low < high : low != high;
}

bool sparse_columns(const Warp *warp, const Inst *inst,
                    const uint32_t *metadata, int row, uint32_t k,
                    uint16_t column[]) {
  const TypeId type = (TypeId)inst->type2;
  const uint32_t size = chunk_size(type), held = size / 2;
  for (uint32_t chunk = 0; chunk < k / size; chunk++) {
    const uint32_t bits = chunk_metadata(inst, metadata, row, k, chunk);
    const uint32_t low = bits & 3, high = bits >> 2;
    if (!is_valid(inst, low, high)) {
      report(warp, inst, row % 8 * 4, KIND_INVALID,
             "metadata 0x%x of row %d, columns %u to %u", bits, row,
             chunk * size, chunk * size + size - 1);
      return false;
    }
    for (uint32_t i = 0; i < held; i++) {
      const uint32_t index = i < (held + 1) / 2 ? low : high;
      column[chunk * held + i] =
          (uint16_t)(chunk * size + index * size / 4 + i % ((held + 1) / 2));
      assert(column[chunk * held + i] < k && "a column outside of A"); // I2
    }
  }
  return true;
}
