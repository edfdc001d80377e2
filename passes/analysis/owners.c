// owners.c -- the thread that accesses each byte of shared memory.
#include "passes/analysis/owners.h"

#include "ir/layout_access.h"

#include <assert.h>

// Do several threads access an element?
static bool is_shared(const Layout *tile, TouchKind kind) {
  uint32_t own = layout_dim_mask(tile, LAYOUT_REGISTER);
  if (kind == TOUCH_STORE) own |= layout_dim_mask(tile, LAYOUT_WARP);
  return layout_free_bits(tile) & ~own;
}

Owners owners_of(const Layout *tile, const Layout *buffer, int64_t elem_bytes,
                 TouchKind kind) {
  Owners owners = {0};
  SharedAccess access;
  MatrixAccess matrix;
  const int bits = 8 * (int)elem_bytes;
  if (!tile || !buffer || is_shared(tile, kind)) return owners;
  if (!layout_access(tile, buffer, bits, &access)) return owners;
  // The whole warp loads matrices together.
  if (kind == TOUCH_LOAD && access_as_matrix(&access, &matrix)) return owners;
  const LinearMap word = linear_inverse(&access.offset);
  const int unit = floor_log2(elem_bytes);
  owners.known = word.num_in + unit <= LINEAR_MAX;
  if (!owners.known) return owners;
  owners.thread.num_in = word.num_in + unit;
  for (int i = 0; i < word.num_in; i++) {
    owners.thread.column[unit + i] =
        word.column[i] >> tile->num_bits[LAYOUT_REGISTER];
  }
  assert(owners.thread.num_in <= LINEAR_MAX && "bytes without a number"); // I7
  return owners;
}

bool owners_agree(const Owners *a, const Owners *b) {
  if (!a->known || !b->known) return false;
  const int n =
      a->thread.num_in < b->thread.num_in ? a->thread.num_in : b->thread.num_in;
  for (int i = 0; i < n; i++) {
    if (a->thread.column[i] != b->thread.column[i]) return false;
  }
  return true;
}
