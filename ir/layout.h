// layout.h -- layouts: the lane and register that holds each element of a tile.
//
// A layout is a linear map over GF(2) from hardware bits to the coordinates of
// a tile. A distributed layout starts from register, lane, warp and block bits,
// a shared one from the bits of an offset, counted in elements.  Every size is
// a power of two.
//
// The map works on two words.  The input word packs the hardware indices,
// register in the low bits, then lane, warp, block.  The output word is the
// row-major index of the element, so the last axis is in the low bits.
//
//   register = [[1], [2]], lane = [[4], [8], [16], [32], [64]] -> 128
//
// gives each thread four neighbours: register r of lane l has the input word l
// << 2 | r, and holds element 4 * l + r.
//
// Layouts are interned in a LayoutTable: equal layouts are the same pointer.
// Constructors and operations return NULL if there is no such layout: a size is
// not a power of two, the map needs more than LAYOUT_MAX_BITS bits, or a
// precondition below is violated.
#ifndef TILE_IR_LAYOUT_H
#define TILE_IR_LAYOUT_H

#include "ir/base/base.h"
#include "ir/linear.h"

enum { LAYOUT_MAX_RANK = 16, LAYOUT_MAX_BITS = 30 };

typedef enum {
#define DIM(id, name) LAYOUT_##id,
#include "ir/layout/dims.def"
  LAYOUT_NUM_DIMS
} LayoutDim;

extern const char *const layout_dim_name[LAYOUT_NUM_DIMS];

typedef struct Layout Layout;
struct Layout {
  bool shared;
  int rank;
  int log2_shape[LAYOUT_MAX_RANK];
  int num_bits[LAYOUT_NUM_DIMS];
  LinearMap map; // input word to output word
};

typedef struct {
  Arena *arena;
  Map layouts;
} LayoutTable;

void layout_table_init(LayoutTable *table, Arena *arena);
// The interned layout with this content.
const Layout *layout_get(LayoutTable *table, const Layout *key);

// -- Constructors: distributed -----------------------------------------------

// Each thread holds a box of elements, each warp a box of threads, each block a
// box of warps, fastest along order[0].  A larger tile is repeated in
// registers; in a smaller one several lanes, warps or blocks hold the same
// elements.
typedef struct {
  int per_thread[LAYOUT_MAX_RANK];
  int lanes[LAYOUT_MAX_RANK], warps[LAYOUT_MAX_RANK];
  int blocks[LAYOUT_MAX_RANK]; // 0 means 1
  int order[LAYOUT_MAX_RANK];
} BlockedSpec;
const Layout *layout_blocked(LayoutTable *table, int rank, const int64_t *shape,
                             const BlockedSpec *spec);

// The coalesced layout: `vector` elements for each thread along order[0], then
// lanes, then warps, along order[0] until it is covered, then order[1], and so
// on.
const Layout *layout_coalesced(LayoutTable *table, int rank,
                               const int64_t *shape, const int *order,
                               int vector, int num_lanes, int num_warps);

// Matrix instructions.  The last two axes are the matrix; axes before them are
// repeated in registers.  Warps are counted along m first.  `warp_n` is the
// number of adjacent columns that belong to one warp: 8 for one mma.sync, N for
// wgmma m64nN with warps_m a multiple of 4.  The tile must be warp_n wide
// unless that is 8.  A tile smaller than 16 x 8 is repeated inside the
// instruction, so that several lanes hold the same elements. 2^log2_beside
// adjacent columns belong to as many instructions of mma.sync: one lane holds
// them all in B, as ldmatrix reads elements of 8 bits transposed, and twice as
// many in the accumulator.  2^log2_pairs pairs of columns belong to as many
// instructions: one lane holds them all in the accumulator.  With `row_pairs`
// the two rows of A in one lane are adjacent, not 8 apart.
typedef struct {
  int warps_m, warps_n;
  int warp_n; // 0 means 8
  int log2_beside;
  int log2_pairs;
  bool row_pairs;
} MmaSpec;
const Layout *layout_mma_accumulator(LayoutTable *table, int rank,
                                     const int64_t *shape, const MmaSpec *spec);
// Operand A of shape [m, k] or B of shape [k, n] of m16n8k(instr_k) with
// elements of elem_bits bits; A is also the register operand of wgmma.  NULL if
// k of the tile is less than instr_k.
const Layout *layout_mma_operand_a(LayoutTable *table, int rank,
                                   const int64_t *shape, const MmaSpec *spec,
                                   int elem_bits, int instr_k);
const Layout *layout_mma_operand_b(LayoutTable *table, int rank,
                                   const int64_t *shape, const MmaSpec *spec,
                                   int elem_bits, int instr_k);

// -- Constructors: shared ----------------------------------------------------

// Row-major for the given order: order[0] is the fastest axis.
const Layout *layout_shared(LayoutTable *table, int rank, const int64_t *shape,
                            const int *order);
// The same with groups of `vec` elements along order[0] exchanged: the group
// number is XORed with (index along order[1] / per_phase) % max_phase.
const Layout *layout_swizzled(LayoutTable *table, int rank,
                              const int64_t *shape, const int *order, int vec,
                              int per_phase, int max_phase);
// The layout in shared memory that TMA writes and wgmma reads: column blocks of
// `swizzle_bytes` (32, 64 or 128) along order[0], one after the other, with
// 16-byte chunks exchanged.  The tile must be at least that wide.
const Layout *layout_tma(LayoutTable *table, int rank, const int64_t *shape,
                         const int *order, int swizzle_bytes, int elem_bits);

// -- Operations --------------------------------------------------------------

// Each thread that holds a copy keeps a part of its registers, so that elements
// are not repeated, as far as there are bits that select copies: lane bits
// first, then, if `last` allows, warp bits.  Runs of 2^log2_run elements along
// the last axis stay together.
const Layout *layout_spread(LayoutTable *table, const Layout *layout,
                            int log2_run, LayoutDim last);
// Does `to` differ from `from` only in lane bits of `lanes`, which select
// copies and have taken the positions of registers?  `taken`: for each such
// bit, the bit of the register number whose position it has taken; 0: none.
bool layout_taken_bits(LayoutTable *table, const Layout *from, const Layout *to,
                       uint32_t lanes, uint32_t *taken);
// Makes runs along the last axis, of up to 2^log2_run elements, be held in
// registers; lane bits with these positions then select copies.
const Layout *layout_gather(LayoutTable *table, const Layout *layout,
                            int log2_run);
// The operand layout of a reduction's result: without `axis`, and without
// register bits that select copies afterwards.
const Layout *layout_slice(LayoutTable *table, const Layout *layout, int axis);
// The same with `axis` kept, of size 1: the layout from which a broadcast
// starts.
const Layout *layout_shrink(LayoutTable *table, const Layout *layout, int axis);
// With a new axis of size 1.
const Layout *layout_expand(LayoutTable *table, const Layout *layout, int axis);
// With an axis of size 1 extended to `size`, in new registers.
const Layout *layout_broadcast(LayoutTable *table, const Layout *layout,
                               int axis, int64_t size);
// Axis i of the result is axis order[i] of the operand.
const Layout *layout_transpose(LayoutTable *table, const Layout *layout,
                               const int *order);
// With the last two axes exchanged: the layout of the transposed matrix.
const Layout *layout_turn(LayoutTable *table, const Layout *layout);
// The same elements in row-major order; the number of elements must agree.
const Layout *layout_reshape(LayoutTable *table, const Layout *layout, int rank,
                             const int64_t *shape);
// layout_join(): two tiles as one with a last axis of 2, in register bit 0;
// layout_split(): the inverse, NULL unless one register bit is exactly the last
// axis.
const Layout *layout_join(LayoutTable *table, const Layout *layout);
const Layout *layout_split(LayoutTable *table, const Layout *layout);
// `inner` repeated as `outer` describes: in each dimension and axis the bits of
// `inner` are the low ones.
const Layout *layout_product(LayoutTable *table, const Layout *inner,
                             const Layout *outer);
// The layout without register bits that select copies.
const Layout *layout_drop_copies(LayoutTable *table, const Layout *layout);

// -- Queries -----------------------------------------------------------------

int64_t layout_size(const Layout *layout, int axis);
int64_t layout_num_elements(const Layout *layout);
bool layout_has_shape(const Layout *layout, int rank, const int64_t *shape);
static inline int layout_count(const Layout *layout, LayoutDim dim) {
  return 1 << layout->num_bits[dim];
}
static inline int layout_num_registers(const Layout *layout) {
  return layout_count(layout, LAYOUT_REGISTER);
}

// Input words: the first bit of a dimension, its bits, an index in its place.
int layout_first_bit(const Layout *layout, LayoutDim dim);
uint32_t layout_dim_mask(const Layout *layout, LayoutDim dim);
uint32_t layout_pack(const Layout *layout, LayoutDim dim, uint32_t index);
uint32_t layout_unpack(const Layout *layout, LayoutDim dim, uint32_t word);

// Output words: the coordinates of an element, and the reverse.
void layout_coords(const Layout *layout, uint32_t element, int64_t *coords);
uint32_t layout_element(const Layout *layout, const int64_t *coords);

static inline uint32_t layout_apply(const Layout *layout, uint32_t word) {
  return linear_apply(&layout->map, word);
}

// The input bits that only select copies: each element is held exactly once by
// words without these bits.
uint32_t layout_free_bits(const Layout *layout);
// Is every element held somewhere?
bool layout_is_surjective(const Layout *layout);
// Is no element held twice?
bool layout_is_injective(const Layout *layout);

// -- Text --------------------------------------------------------------------

//   layout<register = [[0, 1]], lane = [[0, 2]], warp = [], block = [] -> 1x4>
void layout_print(const Layout *layout, Str *out);
// Parses a layout at *at and moves *at behind it.  NULL if it is malformed: *at
// is then the place and *error, a constant string, the reason.
const Layout *layout_parse(LayoutTable *table, const char **at,
                           const char **error);

#endif
