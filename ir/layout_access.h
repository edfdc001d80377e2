// layout_access.h -- the cost of moving a tile to and from memory.
#ifndef TILE_IR_LAYOUT_ACCESS_H
#define TILE_IR_LAYOUT_ACCESS_H

#include "ir/layout.h"

// The first bit of an axis in the words of elements, and all its bits.  The
// last axis has the lowest ones.
int layout_axis_bit(const Layout *layout, int axis);
uint32_t layout_axis_mask(const Layout *layout, int axis);
// log2 of the longest aligned run of elements along `axis` that each thread
// holds: the largest vector of one load or store of contiguous memory.
int layout_log2_contiguous(const Layout *layout, int axis);
// Are a thread's runs along each axis at least as long as those of `other`?
bool layout_is_as_wide(const Layout *layout, const Layout *other);
// For each axis with shorter runs than in `other`: do adjacent lanes of a warp
// together fill whole sectors of memory?
bool layout_fills_sectors(const Layout *layout, const Layout *other,
                          int elem_bits);
// log2 of the part of aligned runs of 2^log2_limit elements along `axis` that
// one access of a warp covers, if each thread accesses 2^log2_run elements.
int layout_log2_filled(const Layout *layout, int axis, int log2_run,
                       int log2_limit);
// Lists all registers, run by run of 2^log2_width elements, in order along
// `axis`. `log2_width` is at most layout_log2_contiguous().
void layout_vector_registers(const Layout *layout, int axis, int log2_width,
                             uint32_t *registers);

// A distributed layout reading or writing a tile in shared memory.
typedef struct {
  const Layout *tile, *shared;
  int log2_elem_bits;
  LinearMap offset; // word of `tile` to offset in `shared`, in elements
  int log2_vector;  // elements that a thread moves by one instruction
} SharedAccess;

// False unless `shared` holds each element of `tile`'s shape exactly once and
// elements have a power of two of bits, 64 at most.
bool layout_access(const Layout *tile, const Layout *shared, int elem_bits,
                   SharedAccess *access);
// The offset of the tile's word in shared memory, in elements.
static inline uint32_t access_offset(const SharedAccess *access,
                                     uint32_t word) {
  return linear_apply(&access->offset, word);
}
void access_vector_registers(const SharedAccess *access, uint32_t *registers);

// The number of passes over the 32 banks, for one instruction of a warp and for
// the whole tile.  The model: a warp moves at most 128 bytes in a pass, so 64-
// and 128-bit accesses take halves and quarters of a warp; lanes that access
// different words of one bank wait for each other.
int64_t access_wavefronts(const SharedAccess *access);
int64_t access_cost(const SharedAccess *access);
// The time, in passes, in which a thread puts words together from registers, or
// splits them.
int64_t access_packing(const SharedAccess *access);

// The access as ldmatrix or stmatrix: 8x8 matrices of 16-bit units.  Lane i
// holds 32 bits of row i / 4; transposed, of two rows of column i / 4.
//
// Row k of a matrix starts at the offset of the XOR of row[b] over the bits b
// of k; matrix m of an instruction adds the XOR of matrix[] over the bits of
// m.  One lane holds those registers of a matrix that are spanned by packed[],
// low bits first.
typedef struct {
  bool transposed;
  int num_packed, num_matrix;  // log2 of registers and of matrices
  uint32_t packed[5];          // words of the tile's layout
  uint32_t row[3];             // the same
  uint32_t matrix[LINEAR_MAX]; // the same; an instruction takes up to two
} MatrixAccess;

// False if the access is not possible in this form.  Transposed ones move
// elements of up to 16 bits, those of 8 bits as pairs of neighbours of each
// row.  If both forms are possible, the plain one is returned.
bool access_as_matrix(const SharedAccess *access, MatrixAccess *matrix);
int64_t access_matrix_cost(const SharedAccess *access,
                           const MatrixAccess *matrix);

// A tile written once and read once through shared memory.
typedef struct {
  const Layout *tile;
  bool matrix; // stmatrix or ldmatrix may be used
} SharedUse;

// The cost of the cheaper way, with or without matrix instructions; INT64_MAX
// if `shared` does not fit.
int64_t layout_use_cost(const SharedUse *use, const Layout *shared,
                        int elem_bits);
// The layout in shared memory with the least cost of both uses.  Swizzles of
// TMA and wgmma are preferred at equal cost.  NULL if the tiles differ or
// elements of that size are not possible.
const Layout *layout_best_shared(LayoutTable *table, const SharedUse *store,
                                 const SharedUse *load, int elem_bits);
// The same for stores of several elements at once: aligned runs of 2^log2_run
// elements along `axis` stay together.
const Layout *layout_best_copied(LayoutTable *table, const SharedUse *store,
                                 const SharedUse *load, int elem_bits, int axis,
                                 int log2_run);

#endif
