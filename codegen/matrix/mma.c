// mma.c -- dot by the matrix instruction of a warp.
//
// One instruction multiplies a fragment of A by one of B.  The tiles' layouts
// must consist of such fragments: lanes as in the instruction, and warps at the
// same rows and columns in all three.  If a tile is smaller than the
// instruction, its elements are repeated, and so are the results.  The
// assignment of the tile's columns to instructions is free, and so is that of
// k, if it is the same for A and B; and either operand may be the instruction's
// A, since it can also multiply the transposes.
//
// For example, 16x16 by 16x8 in f16 for one warp is one mma.m16n8k16, of these
// layouts:
//
//   a: register [0,1] [8,0] [0,8], lane [0,2] [0,4] [1,0] [2,0] [4,0]
//   b: register [1,0] [8,0], lane [2,0] [4,0] [0,1] [0,2] [0,4]
//   c: register [0,1] [8,0], lane [0,2] [0,4] [1,0] [2,0] [4,0]
#include "codegen/matrix/dot.h"

#include <assert.h>

enum { MAX_WORDS = 4 };

static int bits_of_element(const Mma *mma) {
  return elem_info[mma->elem].bits;
}

static int log2_in_word(const Mma *mma) {
  return floor_log2(SIMT_WORD_BITS / bits_of_element(mma));
}

// -- The order of columns, and of k ------------------------------------------

enum { LOG2_T = 2, LOG2_GROUPS = 3 }; // bits of lanes that differ in k; others
typedef struct {
  LinearMap map;
  Subspace seen;
} Order;

static bool add_to_order(Order *order, uint32_t at) {
  if (!subspace_add(&order->seen, at)) return false;
  order->map.column[order->map.num_in++] = at;
  return true;
}

// Adds unused bits of the tile, up to `count`.
static void fill_order(Order *order, int count) {
  for (int i = 0; i < order->map.num_out && order->map.num_in < count; i++) {
    add_to_order(order, UINT32_C(1) << i);
  }
}

static uint32_t lane_column(const Matrix *x, int bit) {
  return x->layout->map.column[layout_first_bit(x->layout, LAYOUT_LANE) + bit];
}

// The lanes of an operand determine which of its rows or columns belong to one
// instruction.  False if that gives no order.
static bool order_of_groups(const Matrix *x, bool rows, Order *order) {
  const int count = rows ? x->log2_rows : x->log2_columns;
  *order = (Order){.map.num_out = count};
  for (int i = 0; i < LOG2_GROUPS && i < count; i++) {
    const MatrixEntry at = matrix_place(x, lane_column(x, LOG2_T + i));
    if (!add_to_order(order, rows ? at.row : at.column)) return false;
  }
  fill_order(order, count);
  return true;
}

// Determines which elements along k are adjacent in a register: bytes that
// become wider are held four by four.
static bool order_of_k(const Dot *d, Order *order) {
  const int count = d->b.log2_rows;
  *order = (Order){.map.num_out = count};
  fill_order(order, log2_in_word(d->plan.mma));
  for (int i = 0; i < LOG2_T; i++) {
    const MatrixEntry at = matrix_place(&d->b, lane_column(&d->b, i));
    if (!add_to_order(order, at.row)) return false;
  }
  fill_order(order, count);
  return true;
}

static bool is_in_order(const Order *order) {
  for (int i = 0; i < order->map.num_in; i++) {
    if (order->map.column[i] != UINT32_C(1) << i) return false;
  }
  return true;
}

static void renumber(Dot *d, Matrix *x, const LinearMap *rows,
                     const LinearMap *columns) {
  Layout *layout = arena_new(d->s->e->arena, Layout);
  *layout = *x->layout;
  for (int i = 0; i < layout->map.num_in; i++) {
    MatrixEntry place = matrix_place(x, layout->map.column[i]);
    if (rows) place.row = linear_apply(rows, place.row);
    if (columns) place.column = linear_apply(columns, place.column);
    layout->map.column[i] = matrix_element(x, place);
  }
  x->layout = layout;
}

// Numbers rows, columns and k so that the elements of one instruction are
// adjacent.
static void put_in_order(Dot *d) {
  Order m, n, k;
  if (d->b.layout->num_bits[LAYOUT_LANE] != LOG2_T + LOG2_GROUPS) return;
  if (order_of_groups(&d->a, true, &m) && !is_in_order(&m)) {
    const LinearMap from_tile = linear_inverse(&m.map);
    renumber(d, &d->a, &from_tile, NULL);
    renumber(d, &d->c, &from_tile, NULL);
  }
  if (order_of_groups(&d->b, false, &n) && !is_in_order(&n)) {
    const LinearMap from_tile = linear_inverse(&n.map);
    renumber(d, &d->b, NULL, &from_tile);
    renumber(d, &d->c, NULL, &from_tile);
  }
  if (order_of_k(d, &k) && !is_in_order(&k)) {
    const LinearMap from_tile = linear_inverse(&k.map);
    renumber(d, &d->a, NULL, &from_tile);
    renumber(d, &d->b, &from_tile, NULL);
  }
}

// -- Matching layouts --------------------------------------------------------

typedef struct {
  const Layout *a, *b, *c; // of one instruction
} Fragments;

static Fragments fragments_of(const Dot *d) {
  const Mma *mma = d->plan.mma;
  LayoutTable *table = &d->s->e->m->layouts;
  const MmaSpec warp = {.warps_m = 1, .warps_n = 1};
  const int bits = bits_of_element(mma);
  const int64_t a[] = {mma->m, mma->k}, b[] = {mma->k, mma->n};
  const int64_t c[] = {mma->m, mma->n};
  return (Fragments){
      layout_mma_operand_a(table, 2, a, &warp, bits, mma->k),
      layout_mma_operand_b(table, 2, b, &warp, bits, mma->k),
      layout_mma_accumulator(table, 2, c, &warp),
  };
}

// The element bit of the tile for input bit `bit` of the fragment.
static uint32_t bit_in_tile(const Matrix *x, const Layout *fragment, int bit) {
  const uint32_t at = fragment->map.column[bit];
  const int columns = fragment->log2_shape[1];
  const MatrixEntry place = {0, at >> columns,
                             at & ((UINT32_C(1) << columns) - 1)};
  return matrix_element(x, place);
}

static bool holds_fragment(const Matrix *x, const Layout *fragment) {
  const int first = layout_first_bit(x->layout, LAYOUT_LANE);
  const int from = layout_first_bit(fragment, LAYOUT_LANE);
  for (int i = 0; i < fragment->num_bits[LAYOUT_LANE]; i++) {
    const uint32_t wanted = bit_in_tile(x, fragment, from + i);
    if (x->layout->map.column[first + i] != wanted) return false;
  }
  const uint32_t registers = layout_dim_mask(x->layout, LAYOUT_REGISTER);
  for (int i = 0; i < from; i++) {
    uint32_t ignored;
    const uint32_t wanted = bit_in_tile(x, fragment, i);
    if (!linear_solve(&x->layout->map, registers, wanted, &ignored)) {
      return false;
    }
  }
  return true;
}

static uint32_t warp_column(const Matrix *x, int bit) {
  return x->layout->map.column[layout_first_bit(x->layout, LAYOUT_WARP) + bit];
}

// Is all of k in the thread's own registers or its warp's lanes?
static bool holds_k(const Matrix *x, uint32_t k, bool in_rows) {
  uint32_t warps = 0;
  for (int i = 0; i < x->layout->num_bits[LAYOUT_WARP]; i++) {
    warps |= warp_column(x, i);
  }
  const MatrixEntry last =
      in_rows ? (MatrixEntry){0, k - 1, 0} : (MatrixEntry){0, 0, k - 1};
  return !(warps & matrix_element(x, last));
}

static bool warps_fit(const Dot *d) {
  for (int i = 0; i < d->c.layout->num_bits[LAYOUT_WARP]; i++) {
    const MatrixEntry p = matrix_place(&d->c, warp_column(&d->c, i));
    const MatrixEntry row = {p.batch, p.row, 0},
                      column = {p.batch, 0, p.column};
    if (warp_column(&d->a, i) != matrix_element(&d->a, row) ||
        warp_column(&d->b, i) != matrix_element(&d->b, column)) {
      return false;
    }
  }
  return holds_k(&d->a, d->k, false) && holds_k(&d->b, d->k, true);
}

static bool fits(Dot *d) {
  put_in_order(d);
  const Fragments one = fragments_of(d);
  return holds_fragment(&d->a, one.a) && holds_fragment(&d->b, one.b) &&
         holds_fragment(&d->c, one.c) && warps_fit(d);
}

// -- Turned ------------------------------------------------------------------

static Matrix turn(const Dot *d, Matrix x) {
  LayoutTable *table = &d->s->e->m->layouts;
  return (Matrix){.layout = layout_turn(table, x.layout),
                  .element = x.element,
                  .log2_rows = x.log2_columns,
                  .log2_columns = x.log2_rows,
                  .values = x.values};
}

// The same product, as that of the transposes.
static Dot turned(const Dot *d) {
  Dot out = *d;
  out.a = turn(d, d->b);
  out.b = turn(d, d->a);
  out.c = turn(d, d->c);
  out.m = d->n;
  out.n = d->m;
  out.plan.mma = mma_turned(d->plan.mma);
  return out;
}

bool mma_fits(Dot *d) {
  Dot ways[] = {*d, turned(d)};
  for (int i = 0; i < 2; i++) {
    if (!fits(&ways[i])) continue;
    *d = ways[i];
    return true;
  }
  return false;
}

// -- Registers of the instruction --------------------------------------------

static const Type *scalar_of(const Dot *d, Elem elem) {
  return type_scalar(&d->s->e->m->types, elem);
}

// One operand of an instruction, in parts.
typedef struct {
  LLVMValueRef words[MAX_PARTS][MAX_WORDS];
} Fragment;

// The element type that the instruction reads for operand `x`.
static Elem element_of(const Dot *d, const Matrix *x) {
  const Mma *mma = d->plan.mma;
  return mma->elem == mma->elem_b ? mma->elem : x->element->elem;
}

static Fragment load_fragment(Dot *d, const Matrix *x, const Layout *fragment,
                              MatrixEntry at) {
  Simt *s = d->s;
  const Elem elem = element_of(d, x);
  const int each = SIMT_WORD_BITS / elem_info[elem].bits;
  const int count = layout_num_registers(fragment);
  Fragment out;
  for (int r = 0; r < count; r += each) {
    LLVMValueRef items[MAX_PARTS][SIMT_WORD_BITS / 8];
    for (int i = 0; i < each; i++) {
      const uint32_t in = layout_apply(fragment, (uint32_t)(r + i));
      const int columns = fragment->log2_shape[1];
      const MatrixEntry place = {at.batch, at.row + (in >> columns),
                                 at.column +
                                     (in & ((UINT32_C(1) << columns) - 1))};
      uint32_t reg = 0;
      const bool found = matrix_find(x, place, &reg);
      assert(found &&
             layout_apply(x->layout, reg) == matrix_element(x, place)); // I1
      (void)found;
      LLVMValueRef parts[MAX_PARTS];
      parts_of(s, &d->plan, x->values[reg], parts);
      for (int p = 0; p < d->plan.parts; p++) items[p][i] = parts[p];
    }
    for (int p = 0; p < d->plan.parts; p++) {
      out.words[p][r / each] = simt_pack(s, scalar_of(d, elem), items[p]);
    }
  }
  return out;
}

// -- The instruction ---------------------------------------------------------

typedef struct {
  Dot *d;
  Fragments one;
  int num_a, num_b, num_c; // words of each
  const char *text, *constraints;
  LLVMTypeRef word, result; // of the accumulator: of a word, of all
} Instruction;

static int words_of(const Layout *fragment, Elem elem) {
  return layout_num_registers(fragment) * elem_info[elem].bits / SIMT_WORD_BITS;
}

static void add_list(Str *text, int first, int count) {
  for (int i = 0; i < count; i++) {
    str_addf(text, "%s$%d", i ? ", " : ", {", first + i);
  }
  str_add(text, "}");
}

static void write_text(Instruction *x) {
  const Mma *mma = x->d->plan.mma;
  const char kind = mma->acc == ELEM_f32 ? 'f' : 'r';
  Str text = str_in(x->d->s->e->arena), how = str_in(x->d->s->e->arena);
  str_addf(&text, "mma.sync.aligned.m%dn%dk%d.row.col.%s ", mma->m, mma->n,
           mma->k, mma->types);
  Str lists = str_in(x->d->s->e->arena);
  const int inputs = x->num_c;
  add_list(&lists, 0, x->num_c);
  add_list(&lists, inputs, x->num_a);
  add_list(&lists, inputs + x->num_a, x->num_b);
  add_list(&lists, inputs + x->num_a + x->num_b, x->num_c);
  str_addf(&text, "%s;", str_text(&lists) + 2);
  for (int i = 0; i < x->num_c; i++) str_addf(&how, "=%c,", kind);
  for (int i = 0; i < x->num_a + x->num_b; i++) str_add(&how, "r,");
  for (int i = 0; i < x->num_c; i++) str_addf(&how, i ? ",%c" : "%c", kind);
  x->text = str_text(&text);
  x->constraints = str_text(&how);
}

static Instruction instruction_of(Dot *d) {
  Emit *e = d->s->e;
  const Mma *mma = d->plan.mma;
  Instruction x = {.d = d, .one = fragments_of(d)};
  x.num_a = words_of(x.one.a, mma->elem);
  x.num_b = words_of(x.one.b, mma->elem);
  x.num_c = words_of(x.one.c, mma->acc);
  assert(x.num_a <= MAX_WORDS && x.num_b <= MAX_WORDS &&
         x.num_c <= MAX_WORDS); // I2
  x.word = mma->acc == ELEM_f32 ? LLVMFloatTypeInContext(e->llvm.context)
                                : int_type(e, SIMT_WORD_BITS);
  LLVMTypeRef words[MAX_WORDS] = {x.word, x.word, x.word, x.word};
  x.result =
      LLVMStructTypeInContext(e->llvm.context, words, (unsigned)x.num_c, 0);
  write_text(&x);
  return x;
}

static void run(const Instruction *x, LLVMValueRef const *a,
                LLVMValueRef const *b, LLVMValueRef *c) {
  Simt *s = x->d->s;
  LLVMValueRef args[3 * MAX_WORDS];
  int n = 0;
  for (int i = 0; i < x->num_a; i++) args[n++] = a[i];
  for (int i = 0; i < x->num_b; i++) args[n++] = b[i];
  for (int i = 0; i < x->num_c; i++) args[n++] = c[i];
  LLVMValueRef all =
      nvptx_warp_asm(s, x->text, x->constraints, x->result, n, args);
  for (int i = 0; i < x->num_c; i++) {
    c[i] = LLVMBuildExtractValue(s->b, all, (unsigned)i, "");
  }
}

// Products of parts i and j with i + j from `first` to `last`.
static void run_parts(const Instruction *x, const Fragment *a,
                      const Fragment *b, int first, int last, LLVMValueRef *c) {
  for (int sum = first; sum >= last; sum--) {
    for (int i = 0; i <= sum; i++) {
      run(x, a->words[i], b->words[sum - i], c);
    }
  }
}

static void find_sums(const Instruction *x, MatrixEntry at,
                      uint32_t *registers) {
  const Layout *fragment = x->one.c;
  const int columns = fragment->log2_shape[1];
  for (int r = 0; r < layout_num_registers(fragment); r++) {
    const uint32_t in = layout_apply(fragment, (uint32_t)r);
    const MatrixEntry place = {at.batch, at.row + (in >> columns),
                               at.column +
                                   (in & ((UINT32_C(1) << columns) - 1))};
    const bool found = matrix_find(&x->d->c, place, &registers[r]);
    assert(found && layout_apply(x->d->c.layout, registers[r]) ==
                        matrix_element(&x->d->c, place)); // I1
    (void)found;
  }
}

// Adds products of parts, as in run_parts(), to the elements of `sums` at `at`.
static void add_to(LLVMValueRef *sums, const Instruction *x, MatrixEntry at,
                   const Fragment *a, const Fragment *b, int first, int last) {
  Dot *d = x->d;
  uint32_t at_register[MAX_WORDS] = {0};
  LLVMValueRef c[MAX_WORDS], items[MAX_WORDS];
  find_sums(x, at, at_register);
  const int count = layout_num_registers(x->one.c);
  const bool packed = d->plan.mma->acc == ELEM_f16;
  for (int r = 0; r < count; r++) items[r] = sums[at_register[r]];
  assert(count <= MAX_WORDS && count % x->num_c == 0); // I2
  const int each = count / x->num_c;
  const Type *acc = scalar_of(d, d->plan.mma->acc);
  for (int i = 0; i < x->num_c; i++) {
    c[i] = packed ? simt_pack(d->s, acc, items + each * i) : items[i];
  }
  run_parts(x, a, b, first, last, c);
  for (int i = 0; i < x->num_c; i++) {
    if (packed) simt_unpack(d->s, acc, c[i], items + each * i);
    if (!packed) items[i] = c[i];
  }
  for (int r = 0; r < count; r++) sums[at_register[r]] = items[r];
}

// Adds the smallest products first.
static void accumulate(const Instruction *x, MatrixEntry at, const Fragment *a,
                       const Fragment *b) {
  Dot *d = x->d;
  if (d->small) add_to(d->small, x, at, a, b, d->plan.parts - 1, 1);
  add_to(d->sums, x, at, a, b, 0, 0);
}

// The fragments of this thread's warp along one axis, for one batch and k.
static int load_row(Dot *d, const Matrix *x, const Layout *fragment,
                    MatrixEntry at, MatrixEntry step, uint32_t steps,
                    Fragment *out, uint32_t *where) {
  int count = 0;
  for (uint32_t i = 0; i < steps; i++) {
    const MatrixEntry place = {at.batch, at.row + i * step.row,
                               at.column + i * step.column};
    uint32_t ignored;
    if (!matrix_find(x, place, &ignored)) continue;
    where[count] = i;
    out[count++] = load_fragment(d, x, fragment, place);
  }
  return count;
}

static uint32_t steps_of(uint32_t size, int step) {
  return size < (uint32_t)step ? 1 : size / (uint32_t)step;
}

typedef struct {
  Fragment *a, *b;
  uint32_t *m, *n; // their positions
} MmaOperands;

// All products of one k: sums that do not depend on each other.
static void multiply(const Instruction *x, MmaOperands *o, uint32_t batch,
                     uint32_t k) {
  Dot *d = x->d;
  const Mma *mma = d->plan.mma;
  const uint32_t m = (uint32_t)mma->m, n = (uint32_t)mma->n;
  const int rows =
      load_row(d, &d->a, x->one.a, (MatrixEntry){batch, 0, k},
               (MatrixEntry){.row = m}, steps_of(d->m, mma->m), o->a, o->m);
  const int columns =
      load_row(d, &d->b, x->one.b, (MatrixEntry){batch, k, 0},
               (MatrixEntry){.column = n}, steps_of(d->n, mma->n), o->b, o->n);
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < columns; j++) {
      const MatrixEntry at = {batch, o->m[i] * m, o->n[j] * n};
      accumulate(x, at, &o->a[i], &o->b[j]);
    }
  }
}

void mma_emit(Dot *d) {
  Arena *arena = d->s->e->arena;
  const Instruction x = instruction_of(d);
  const uint32_t rows = steps_of(d->m, d->plan.mma->m);
  const uint32_t columns = steps_of(d->n, d->plan.mma->n);
  MmaOperands o = {arena_array(arena, Fragment, rows),
                   arena_array(arena, Fragment, columns),
                   arena_array(arena, uint32_t, rows),
                   arena_array(arena, uint32_t, columns)};
  if (d->plan.parts > 1) d->small = parts_zeros(d);
  for (uint32_t batch = 0; batch < d->batches; batch++) {
    for (uint32_t k = 0; k < d->k; k += (uint32_t)d->plan.mma->k) {
      multiply(&x, &o, batch, k);
    }
  }
  if (d->small) parts_add_small(d);
}
