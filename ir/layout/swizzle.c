// swizzle.c -- the layout in shared memory that suits a store and a load.
//
// The swizzles of TMA and wgmma are tried first, then plain orders, then a
// computed one; a later one must be cheaper to be taken.
//
// The computed one: the lowest offset bits are a space V of elements that each
// thread holds in both layouts, the vector.  The highest are a space Z that
// selects the 128-byte line. Two lanes that move data in one pass conflict in a
// bank only if their difference is in V + Z.  So Z is chosen to avoid the lanes
// of both: vectors outside of both, and sums a + b of lanes a and b that belong
// to one only.
//
// Example: 32 x 32 words, stored by rows and loaded by columns, a word for each
// lane.  V is empty; the lanes of the store are the bits of the column, c0 to
// c4, those of the load r0 to r4.  Z is spanned by the sums ri + ci, so the
// element (r, c) is in line r at bank r ^ c: no row and no column has a bank
// twice.
#include "ir/layout_access.h"

#include "ir/layout/parts.h"

#include <string.h>

enum { LOG2_LINE = 10, LOG2_VECTOR = 7, LOG2_WORD = 5, LOG2_LANES = 5 };

// -- Computed ----------------------------------------------------------------

typedef struct {
  uint32_t item[LINEAR_MAX];
  int count;
} List;

static void push(List *list, uint32_t item) {
  list->item[list->count++] = item;
}

static void push_all(List *list, const List *more) {
  for (int i = 0; i < more->count; i++) push(list, more->item[i]);
}

// The first `limit` basis vectors of `from` that are not in `taken` yet.
static List take_new(Subspace *taken, const Subspace *from, int limit) {
  List list = {{0}, 0};
  uint32_t basis[LINEAR_MAX];
  const int count = subspace_basis(from, basis);
  for (int i = 0; i < count && list.count < limit; i++) {
    if (subspace_add(taken, basis[i])) push(&list, basis[i]);
  }
  return list;
}

static void add_dim(Subspace *space, const Layout *layout, LayoutDim dim) {
  const int first = layout_first_bit(layout, dim);
  for (int i = 0; i < layout->num_bits[dim]; i++) {
    subspace_add(space, layout->map.column[first + i]);
  }
}

static Subspace registers_of(const Layout *layout) {
  Subspace space = {0};
  add_dim(&space, layout, LAYOUT_REGISTER);
  return space;
}

static Subspace threads_of(const Layout *a, const Layout *b) {
  Subspace space = {0};
  for (int dim = LAYOUT_LANE; dim <= LAYOUT_BLOCK; dim++) {
    add_dim(&space, a, (LayoutDim)dim);
    add_dim(&space, b, (LayoutDim)dim);
  }
  return space;
}

// Elements that each thread holds in registers, in both layouts.
static List common_vector(const Layout *a, const Layout *b, int limit) {
  const Subspace of_a = registers_of(a), of_b = registers_of(b);
  const Subspace common = subspace_intersect(&of_a, &of_b);
  Subspace taken = threads_of(a, b);
  return take_new(&taken, &common, limit);
}

// Adds elements that each thread of `a` holds, up to `limit` bits.
static void widen_vector(List *vector, const Layout *a, int limit) {
  const Subspace registers = registers_of(a);
  Subspace taken = threads_of(a, a);
  for (int i = 0; i < vector->count; i++) {
    subspace_add(&taken, vector->item[i]);
  }
  const List more = take_new(&taken, &registers, limit - vector->count);
  push_all(vector, &more);
}

// Extends the vector to a basis of the whole tile, such that no column of
// `threads` has a component in the vector.
static List complete(const List *vector, const Subspace *threads,
                     int num_bits) {
  Subspace taken = {0};
  for (int i = 0; i < vector->count; i++) {
    subspace_add(&taken, vector->item[i]);
  }
  List rest = take_new(&taken, threads, LINEAR_MAX);
  for (int i = 0; i < num_bits; i++) {
    const uint32_t unit = UINT32_C(1) << i;
    if (subspace_add(&taken, unit)) push(&rest, unit);
  }
  return rest;
}

// `v` without its component in the vector.
static uint32_t project(const List *vector, const List *rest, uint32_t v) {
  LinearMap basis = {.num_in = vector->count + rest->count};
  basis.num_out = basis.num_in;
  for (int i = 0; i < basis.num_in; i++) {
    basis.column[i] =
        i < vector->count ? vector->item[i] : rest->item[i - vector->count];
  }
  const LinearMap parts = linear_inverse(&basis);
  const uint32_t low = (UINT32_C(1) << vector->count) - 1;
  return linear_apply(&basis, linear_apply(&parts, v) & ~low);
}

// The number of bits of the vector, from its start, that a thread holds in
// registers.
static int log2_held(const Layout *layout, const List *vector) {
  Subspace registers = registers_of(layout);
  int held = 0;
  while (held < vector->count &&
         !subspace_add(&registers, vector->item[held])) {
    held++;
  }
  return held;
}

// The lanes that move data in one pass, without their components in the vector.
static Subspace lanes_together(const Layout *layout, const List *vector,
                               const List *rest, int log2_elem_bits) {
  const int log2_bits = log2_held(layout, vector) + log2_elem_bits;
  const int words = log2_bits > LOG2_WORD ? log2_bits - LOG2_WORD : 0;
  const uint32_t *lane =
      layout->map.column + layout_first_bit(layout, LAYOUT_LANE);
  Subspace space = {0};
  for (int i = 0; i < LOG2_LANES - words; i++) {
    if (i == layout->num_bits[LAYOUT_LANE]) break;
    subspace_add(&space, project(vector, rest, lane[i]));
  }
  return space;
}

// A basis of the space of `rest`, the best vectors for Z first.
static List rank_for_lines(const Subspace *a, const Subspace *b,
                           const List *rest) {
  Subspace both = *a;
  take_new(&both, b, LINEAR_MAX);
  List list = {{0}, 0};
  for (int i = 0; i < rest->count; i++) {
    if (subspace_add(&both, rest->item[i])) push(&list, rest->item[i]);
  }
  const Subspace meet = subspace_intersect(a, b);
  Subspace seen_a = meet, seen_b = meet, none = {0};
  List only_a = take_new(&seen_a, a, LINEAR_MAX);
  List only_b = take_new(&seen_b, b, LINEAR_MAX);
  while (only_a.count && only_b.count) {
    push(&list, only_a.item[--only_a.count] ^ only_b.item[--only_b.count]);
  }
  const List common = take_new(&none, &meet, LINEAR_MAX);
  push_all(&list, &only_a);
  push_all(&list, &only_b);
  push_all(&list, &common);
  return list;
}

static const Layout *from_offsets(LayoutTable *table, const Layout *tile,
                                  const List *offsets) {
  Layout key = {.shared = true, .rank = tile->rank};
  memcpy(key.log2_shape, tile->log2_shape, sizeof key.log2_shape);
  key.num_bits[LAYOUT_OFFSET] = offsets->count;
  key.map.num_in = offsets->count;
  key.map.num_out = tile->map.num_out;
  memcpy(key.map.column, offsets->item, sizeof key.map.column);
  return layout_get(table, &key);
}

static Subspace rows_together(const List *rows, const List *vector,
                              const List *rest) {
  Subspace space = {0};
  for (int i = 0; i < rows->count; i++) {
    subspace_add(&space, project(vector, rest, rows->item[i]));
  }
  return space;
}

// Offset bits: `vector`, then banks, then lines, which the ranks select.
// `rows`: the starts of the matrix rows that `b` reads at once; NULL: `b` reads
// by lanes.
static const Layout *made_to_measure(LayoutTable *table, const Layout *a,
                                     const Layout *b, List vector,
                                     const List *rows, const Subspace *threads,
                                     int log2_elem_bits) {
  const List rest = complete(&vector, threads, a->map.num_out);
  const Subspace lanes_a = lanes_together(a, &vector, &rest, log2_elem_bits);
  const Subspace lanes_b =
      rows ? rows_together(rows, &vector, &rest)
           : lanes_together(b, &vector, &rest, log2_elem_bits);
  List lines = rank_for_lines(&lanes_a, &lanes_b, &rest);
  const int num_lines = a->map.num_out - (LOG2_LINE - log2_elem_bits);
  if (lines.count > num_lines) lines.count = num_lines > 0 ? num_lines : 0;
  Subspace taken = {0};
  for (int i = 0; i < lines.count; i++) subspace_add(&taken, lines.item[i]);
  for (int i = 0; i < rest.count; i++) {
    if (subspace_add(&taken, rest.item[i])) push(&vector, rest.item[i]);
  }
  push_all(&vector, &lines);
  return from_offsets(table, a, &vector);
}

// -- The choice --------------------------------------------------------------

typedef struct {
  LayoutTable *table;
  const SharedUse *store, *load;
  int elem_bits;
  int first_bit, log2_run; // position bits that are the lowest offset bits
  const Layout *best;
  int64_t cost;
} SwizzleChoice;

static bool keeps_run(const SwizzleChoice *choice, const Layout *shared) {
  for (int i = 0; i < choice->log2_run; i++) {
    const uint32_t unit = UINT32_C(1) << (choice->first_bit + i);
    if (shared->map.column[i] != unit) return false;
  }
  return true;
}

static void offer(SwizzleChoice *choice, const Layout *shared) {
  if (!shared || !keeps_run(choice, shared)) return;
  const int64_t store =
      layout_use_cost(choice->store, shared, choice->elem_bits);
  const int64_t load = layout_use_cost(choice->load, shared, choice->elem_bits);
  if (store == INT64_MAX || load == INT64_MAX) return;
  if (choice->best && choice->cost <= store + load) return;
  choice->best = shared;
  choice->cost = store + load;
}

// `fast` first, then the other axes from the last on.
static void order_from(int rank, int fast, int *order) {
  *order++ = fast;
  for (int i = rank; i--;) {
    if (i != fast) *order++ = i;
  }
}

static void offer_orders(SwizzleChoice *choice, int swizzle_bytes) {
  const Layout *tile = choice->store->tile;
  int64_t shape[LAYOUT_MAX_RANK];
  for (int i = 0; i < tile->rank; i++) shape[i] = layout_size(tile, i);
  for (int fast = tile->rank; fast--;) {
    int order[LAYOUT_MAX_RANK];
    order_from(tile->rank, fast, order);
    offer(choice, swizzle_bytes
                      ? layout_tma(choice->table, tile->rank, shape, order,
                                   swizzle_bytes, choice->elem_bits)
                      : layout_shared(choice->table, tile->rank, shape, order));
  }
}

static void offer_made(SwizzleChoice *choice, const Layout *a, const Layout *b,
                       int log2_elem_bits) {
  const List common = common_vector(a, b, LOG2_VECTOR - log2_elem_bits);
  const Subspace both = threads_of(a, b);
  LayoutTable *const table = choice->table;
  offer(choice,
        made_to_measure(table, a, b, common, NULL, &both, log2_elem_bits));
  // If elements are smaller than a word, banks are idle unless whole words are
  // moved.
  const int word = LOG2_WORD - log2_elem_bits;
  if (common.count >= word) return;
  List for_a = common, for_b = common;
  const Subspace only_a = threads_of(a, a), only_b = threads_of(b, b);
  widen_vector(&for_a, a, word);
  widen_vector(&for_b, b, word);
  offer(choice,
        made_to_measure(table, a, b, for_a, NULL, &only_a, log2_elem_bits));
  offer(choice,
        made_to_measure(table, a, b, for_b, NULL, &only_b, log2_elem_bits));
}

static bool can_choose(const SharedUse *store, const SharedUse *load,
                       int elem_bits) {
  const int log2_bits = log2_exact(elem_bits);
  return log2_bits >= 0 && log2_bits <= 6 &&
         store->tile->rank == load->tile->rank &&
         store->tile->map.num_out == load->tile->map.num_out;
}

static void offer_all_orders(SwizzleChoice *choice) {
  offer_orders(choice, 128);
  offer_orders(choice, 64);
  offer_orders(choice, 32);
  offer_orders(choice, 0);
}

const Layout *layout_best_shared(LayoutTable *table, const SharedUse *store,
                                 const SharedUse *load, int elem_bits) {
  SwizzleChoice choice = {
      .table = table, .store = store, .load = load, .elem_bits = elem_bits};
  if (!can_choose(store, load, elem_bits)) return NULL;
  offer_all_orders(&choice);
  offer_made(&choice, store->tile, load->tile, log2_exact(elem_bits));
  return choice.best;
}

// The starts of the matrix rows that are read at once, if the load can use
// ldmatrix on the best layout so far.
static bool matrix_rows(const SwizzleChoice *choice, List *rows) {
  SharedAccess access;
  MatrixAccess matrix;
  const SharedUse *load = choice->load;
  *rows = (List){{0}, 0};
  if (!load->matrix || !choice->best ||
      !layout_access(load->tile, choice->best, choice->elem_bits, &access) ||
      !access_as_matrix(&access, &matrix)) {
    return false;
  }
  for (int i = 0; i < 3; i++) {
    push(rows, linear_apply(&load->tile->map, matrix.row[i]));
  }
  return true;
}

static void offer_copied(SwizzleChoice *choice) {
  List run = {{0}, 0}, rows;
  for (int i = 0; i < choice->log2_run; i++) {
    push(&run, UINT32_C(1) << (choice->first_bit + i));
  }
  const Layout *from = choice->store->tile, *to = choice->load->tile;
  const Subspace threads = threads_of(from, from);
  const int log2_bits = log2_exact(choice->elem_bits);
  offer(choice, made_to_measure(choice->table, from, to, run, NULL, &threads,
                                log2_bits));
  if (!matrix_rows(choice, &rows)) return;
  offer(choice, made_to_measure(choice->table, from, to, run, &rows, &threads,
                                log2_bits));
}

const Layout *layout_best_copied(LayoutTable *table, const SharedUse *store,
                                 const SharedUse *load, int elem_bits, int axis,
                                 int log2_run) {
  SwizzleChoice choice = {.table = table,
                          .store = store,
                          .load = load,
                          .elem_bits = elem_bits,
                          .first_bit = layout_axis_bit(store->tile, axis),
                          .log2_run = log2_run};
  if (!can_choose(store, load, elem_bits)) return NULL;
  offer_all_orders(&choice);
  offer_copied(&choice);
  return choice.best;
}
