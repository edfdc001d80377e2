// wgmma.c -- search for a matrix instruction of four warps, and for the
// descriptors of its operands.
//
// A matrix in shared memory is stored in lines of 32, 64 or 128 bytes; eight
// lines are a pattern in which chunks of 16 bytes are exchanged.  Patterns
// repeat at two distances, one along each axis.  The instruction reads 32 bytes
// along k; code generation computes where those start.
//
// For example, A of 64 rows and 64 numbers of f16 along k, stored by rows, has
// a line of 128 bytes for each row.  A row's number modulo 8 is exclusive-ored
// to the numbers of its chunks: row 1 starts at byte 128 + 16.  The pattern of
// rows 8 to 15 starts at byte 1024, the descriptor's stride.
#include "ir/wgmma.h"

#include <assert.h>

static const WgmmaForm table_of_wgmma[] = {
#define WGMMA(k, a, b, acc, types, across)                                     \
  {k, ELEM_##a, ELEM_##b, ELEM_##acc, types, across},
#include "ir/op/wgmma.def"
};

enum {
  LOG2_PATTERN = 3, // lines
  CHUNK_BIT = 4,    // bit of a byte's number
  LINE_BIT = 7,     // the lowest bit that exchanges chunks
  LEAST_COLUMNS = 8,
};

static const WgmmaForm *find(Elem a, Elem b, Elem acc) {
  for (size_t i = 0; i < sizeof table_of_wgmma / sizeof *table_of_wgmma; i++) {
    const WgmmaForm *wgmma = &table_of_wgmma[i];
    if (wgmma->a == a && wgmma->b == b && wgmma->acc == acc) return wgmma;
  }
  return NULL;
}

int64_t wgmma_room(const Target *target, const Function *f) {
  enum { OTHERS = 32 };
  const int num_warps = function_num_warps(f);
  const int threads = num_warps * target->warp_size;
  const int64_t share = target_thread_registers(target, num_warps);
  const int64_t most = function_int(f, ATTR_maxnreg, share);
  return ((share < most ? share : most) - OTHERS) * threads;
}

// Distributes groups along the rows, as long as there are 64 rows for each.
static bool share(WgmmaPlan *plan, int num_warps, int64_t m, int64_t n) {
  const int groups = num_warps / WGMMA_WARPS;
  if (!groups || m < WGMMA_ROWS) return false;
  const int64_t high = m / WGMMA_ROWS;
  plan->groups_m = high < groups ? (int)high : groups;
  plan->groups_n = groups / plan->groups_m;
  const int64_t columns = n / plan->groups_n;
  assert(plan->groups_m * plan->groups_n <= groups &&
         "more groups than the program has"); // I11
  if (columns < LEAST_COLUMNS) return false;
  plan->columns = columns < WGMMA_COLUMNS ? (int)columns : WGMMA_COLUMNS;
  return true;
}

// The instruction keeps 13 fraction bits of a sum of fp8 products, and the
// program may limit the number of terms in such a sum.  0: it does not; at
// least the terms of one instruction.
static int most_terms(const WgmmaForm *wgmma, const Op *dot, int64_t k) {
  const Attr *most = op_attr(dot, ATTR_max_imprecise);
  if ((wgmma->a != ELEM_f8e4nv && wgmma->a != ELEM_f8e5) || !most) return 0;
  if (most->as.i >= k) return value_is_zero(op_operand(dot, 2)) ? 0 : (int)k;
  const int terms = (int)most->as.i / wgmma->k * wgmma->k;
  return terms < wgmma->k ? wgmma->k : terms;
}

// Is there room for partial sums beside `sums`?  Two for each thread, one of
// which is added while the next is multiplied; otherwise one.
static bool plan_partial(WgmmaPlan *plan, int64_t sums, int64_t room) {
  enum { LEAST_COLUMNS_OF_PART = 32, MOST_COLUMNS_OF_PART = 128 };
  const int64_t rows = (int64_t)WGMMA_ROWS * plan->groups_m * plan->groups_n;
  if (plan->columns > MOST_COLUMNS_OF_PART)
    plan->columns = MOST_COLUMNS_OF_PART;
  const int most = plan->columns;
  for (plan->num_partial = 2; plan->num_partial; plan->num_partial--) {
    for (plan->columns = most;; plan->columns /= 2) {
      if (sums + plan->num_partial * plan->columns * rows <= room) return true;
      if (plan->columns <= LEAST_COLUMNS_OF_PART) break;
    }
  }
  return false;
}

bool wgmma_plan(const Target *target, const Op *dot, WgmmaPlan *out) {
  const Type *a = op_operand(dot, 0)->type, *b = op_operand(dot, 1)->type;
  const Type *c = op_operand(dot, 2)->type;
  *out = (WgmmaPlan){.wgmma = find(a->elem, b->elem, c->elem)};
  if (!target_can(target, CAP_WGMMA) || c->rank != 2) return false;
  if (!out->wgmma || a->shape[1] < out->wgmma->k) return false;
  if (a->elem == ELEM_f32 && op_int(dot, ATTR_precision) != PRECISION_tf32)
    return false;
  const Function *f = op_function(dot);
  const int64_t room = wgmma_room(target, f);
  if (c->num_elements > room ||
      !share(out, function_num_warps(f), c->shape[0], c->shape[1]))
    return false;
  out->terms = most_terms(out->wgmma, dot, a->shape[1]);
  return !out->terms || plan_partial(out, c->num_elements, room);
}

// -- In registers ------------------------------------------------------------

static MmaSpec spec_of(const WgmmaPlan *plan, const Op *dot) {
  const Type *c = op_operand(dot, 2)->type;
  assert(c->shape[1] % plan->groups_n == 0 && "columns left over"); // I11
  return (MmaSpec){.warps_m = WGMMA_WARPS * plan->groups_m,
                   .warps_n = plan->groups_n,
                   .warp_n = (int)c->shape[1] / plan->groups_n};
}

static int bits_of(const WgmmaPlan *plan, int index) {
  return elem_info[index ? plan->wgmma->b : plan->wgmma->a].bits;
}

const Layout *wgmma_operand(LayoutTable *table, const WgmmaPlan *plan,
                            const Op *dot, int index) {
  const MmaSpec spec = spec_of(plan, dot);
  const Type *x = op_operand(dot, index)->type;
  const int bits = bits_of(plan, index), k = plan->wgmma->k;
  return index ? layout_mma_operand_b(table, x->rank, x->shape, &spec, bits, k)
               : layout_mma_operand_a(table, x->rank, x->shape, &spec, bits, k);
}

const Layout *wgmma_result(LayoutTable *table, const WgmmaPlan *plan,
                           const Op *dot) {
  const MmaSpec spec = spec_of(plan, dot);
  const Type *c = op_operand(dot, 2)->type;
  return layout_mma_accumulator(table, c->rank, c->shape, &spec);
}

bool wgmma_fits(const Target *target, const Op *dot, WgmmaPlan *out) {
  LayoutTable *table = &op_function(dot)->module->layouts;
  return wgmma_plan(target, dot, out) &&
         op_operand(dot, 2)->type->layout == wgmma_result(table, out, dot);
}

// -- In shared memory --------------------------------------------------------

// The distance in bytes for each bit of an index.
typedef struct {
  int count;
  const uint32_t *bit;
} IndexBits;

static uint32_t exchange_chunks(uint32_t byte, int log2_line) {
  const uint32_t mask = ((UINT32_C(1) << (log2_line - CHUNK_BIT)) - 1)
                        << CHUNK_BIT;
  return byte ^ (byte >> (LINE_BIT - CHUNK_BIT) & mask);
}

// Do the lowest index bits fill a line?
static bool fills_line(const IndexBits *axis, int log2_bytes, int log2_line) {
  if (axis->count < log2_line - log2_bytes) return false;
  for (int i = 0; i < log2_line - log2_bytes; i++) {
    if (axis->bit[i] != UINT32_C(1) << (log2_bytes + i)) return false;
  }
  return true;
}

// Do the lowest index bits select the lines of a pattern?
static bool counts_lines(const IndexBits *axis, int log2_line) {
  if (axis->count < LOG2_PATTERN) return false;
  for (int i = 0; i < LOG2_PATTERN; i++) {
    const uint32_t line = UINT32_C(1) << (log2_line + i);
    if (axis->bit[i] != exchange_chunks(line, log2_line)) return false;
  }
  return true;
}

// Do index bits from `first` on move by whole patterns of the swizzle?
static bool are_patterns(const IndexBits *axis, int first, int log2_line) {
  const uint32_t pattern = UINT32_C(1) << (log2_line + LOG2_PATTERN);
  for (int i = first; i < axis->count; i++) {
    if (axis->bit[i] & (pattern - 1)) return false;
  }
  return true;
}

// Does each index bit from `first` on move twice as far as the one before?
// `*distance` becomes the distance of the first bit.
static bool is_regular(const IndexBits *axis, int first, int *distance) {
  if (first >= axis->count) return true;
  *distance = (int)axis->bit[first];
  for (int i = first; i < axis->count; i++) {
    if (axis->bit[i] != (uint32_t)*distance << (i - first)) return false;
  }
  return true;
}

static bool lies_along(const IndexBits *k, const IndexBits *other,
                       int log2_bytes, int log2_line, SharedMatrix *out) {
  out->across = false;
  return fills_line(k, log2_bytes, log2_line) &&
         counts_lines(other, log2_line) &&
         are_patterns(k, log2_line - log2_bytes, log2_line) &&
         are_patterns(other, LOG2_PATTERN, log2_line) &&
         is_regular(other, LOG2_PATTERN, &out->stride);
}

static bool lies_across(const IndexBits *k, const IndexBits *other,
                        int log2_bytes, int log2_line, SharedMatrix *out) {
  const int inside = log2_line - log2_bytes;
  out->across = true;
  if (k->count > LOG2_PATTERN) out->stride = (int)k->bit[LOG2_PATTERN];
  return fills_line(other, log2_bytes, log2_line) &&
         counts_lines(k, log2_line) && are_patterns(other, inside, log2_line) &&
         are_patterns(k, LOG2_PATTERN, log2_line) &&
         is_regular(other, inside, &out->lead);
}

// Computes the columns of the inverse, in bytes.
static bool find_bytes(const Layout *layout, int log2_bytes,
                       SharedMatrix *out) {
  if (layout->rank != 2 || !layout->shared || !layout_is_injective(layout) ||
      !layout_is_surjective(layout))
    return false;
  out->log2_columns = layout->log2_shape[1];
  out->byte = linear_inverse(&layout->map);
  for (int i = 0; i < out->byte.num_in; i++) out->byte.column[i] <<= log2_bytes;
  out->byte.num_out += log2_bytes;
  return out->byte.num_out <= LINEAR_MAX;
}

bool shared_matrix(const Layout *layout, const WgmmaPlan *plan, int index,
                   SharedMatrix *out) {
  const int log2_bytes = floor_log2(bits_of(plan, index) / 8);
  *out = (SharedMatrix){0};
  if (!layout || !find_bytes(layout, log2_bytes, out)) return false;
  const IndexBits columns = {out->log2_columns, out->byte.column};
  const IndexBits rows = {layout->log2_shape[0],
                          out->byte.column + out->log2_columns};
  const IndexBits *k = index ? &rows : &columns,
                  *other = index ? &columns : &rows;
  for (int log2_line = 7; log2_line >= 5; log2_line--) {
    out->swizzle = 1 << log2_line;
    out->lead = out->stride = out->swizzle << LOG2_PATTERN;
    if (lies_along(k, other, log2_bytes, log2_line, out)) return true;
    if (!plan->wgmma->across) continue;
    if (lies_across(k, other, log2_bytes, log2_line, out)) return true;
  }
  return false;
}

uint32_t shared_matrix_byte(const SharedMatrix *x, uint32_t row,
                            uint32_t column) {
  assert(!(column >> x->log2_columns) && "outside of the row"); // I11
  return linear_apply(&x->byte, row << x->log2_columns | column);
}

const Layout *wgmma_buffer(LayoutTable *table, const WgmmaPlan *plan,
                           const Op *dot, int index, int fast) {
  enum { WIDEST = 128 };
  const Type *type = op_operand(dot, index)->type;
  const int bits = bits_of(plan, index);
  const int order[] = {fast, 1 - fast};
  // A line must not contain columns of two groups.
  const int groups = index && fast ? plan->groups_n : 1;
  const int64_t bytes = type->shape[fast] / groups * bits / 8;
  const Layout *layout = layout_tma(table, 2, type->shape, order,
                                    bytes < WIDEST ? (int)bytes : WIDEST, bits);
  SharedMatrix ignored;
  return layout && shared_matrix(layout, plan, index, &ignored) ? layout : NULL;
}
