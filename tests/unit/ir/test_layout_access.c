// test_layout_access.c -- vectors, bank conflicts and matrix accesses, against
// a simulation of each lane and each of the 32 banks.
#include "ir/layout_access.h"
#include "tests/unit/ir/layout_family.h"

enum { TRIES = 1500, BANKS = 32 };

static uint32_t first_of_thread(const Layout *tile, uint32_t thread) {
  return thread << tile->num_bits[LAYOUT_REGISTER];
}

static uint32_t num_threads(const Layout *tile) {
  return num_words(tile) >> tile->num_bits[LAYOUT_REGISTER];
}

// -- Vectors along an axis ---------------------------------------------------

// Does each thread's run of registers cover `width` consecutive elements?
static void check_runs(const Layout *tile, int axis, int log2_width) {
  uint32_t registers[1 << 10];
  const uint32_t width = 1u << log2_width;
  const uint32_t count = (uint32_t)layout_num_registers(tile);
  uint32_t times[1 << 10] = {0};
  layout_vector_registers(tile, axis, log2_width, registers);
  for (uint32_t i = 0; i < count; i++) times[registers[i]]++;
  for (uint32_t i = 0; i < count; i++) assert_int_equal(times[i], 1);
  for (uint32_t t = 0; t < num_threads(tile); t++) {
    for (uint32_t i = 0; i < count; i++) {
      const uint32_t word = first_of_thread(tile, t);
      const uint32_t base = registers[i / width * width];
      const int64_t start = by_hand(tile, word | base, axis);
      assert_int_equal(start % width, 0);
      for (int a = 0; a < tile->rank; a++) {
        const int64_t want = by_hand(tile, word | base, a);
        assert_int_equal(by_hand(tile, word | registers[i], a),
                         want + (a == axis ? i % width : 0));
      }
    }
  }
}

// Would runs of 2^log2_width be possible with the same registers everywhere?
static bool has_runs(const Layout *tile, int axis, int log2_width) {
  const uint32_t width = 1u << log2_width;
  for (uint32_t t = 0; t < num_threads(tile); t++) {
    const uint32_t word = first_of_thread(tile, t);
    if (by_hand(tile, word, axis) % width) return false;
  }
  for (uint32_t j = 0; j < width; j++) { // in thread 0: elements j of the run
    bool found = false;
    for (uint32_t r = 0; r < (uint32_t)layout_num_registers(tile); r++) {
      bool here = by_hand(tile, r, axis) == j;
      for (int a = 0; a < tile->rank; a++) {
        here &= a == axis || by_hand(tile, r, a) == 0;
      }
      found |= here;
    }
    if (!found) return false;
  }
  return true;
}

static void try_axis_vectors(void *data) {
  Family *f = data;
  int wide = 0;
  for (int i = 0; i < TRIES; i++) {
    const bool mixed = pick(f, 2);
    const Layout *tile = any_layout(f, 2, 3, 3, false);
    if (mixed) tile = any_bijection(f, 2, 3, false);
    for (int axis = 0; axis < 2; axis++) {
      const int k = layout_log2_contiguous(tile, axis);
      check_runs(tile, axis, k);
      if (k) check_runs(tile, axis, k - 1);
      wide += k > 1;
      if (k == tile->log2_shape[axis]) continue;
      assert_false(has_runs(tile, axis, k + 1));
    }
  }
  assert_true(wide > 0);
}

static void test_axis_vectors(void **state) {
  (void)state;
  with_family(try_axis_vectors);
}

// -- Shared memory -----------------------------------------------------------

static uint32_t offset_by_search(const Layout *shared, uint32_t element) {
  for (uint32_t offset = 0; offset < num_words(shared); offset++) {
    if (layout_apply(shared, offset) == element) return offset;
  }
  fail_msg("element %u is nowhere", (unsigned)element);
  return 0;
}

static void check_offsets(const SharedAccess *a) {
  for (uint32_t word = 0; word < num_words(a->tile); word++) {
    assert_int_equal(linear_apply(&a->offset, word),
                     offset_by_search(a->shared, layout_apply(a->tile, word)));
  }
}

typedef struct {
  uint32_t words[BANKS][1 << 8]; // distinct words wanted of each bank
  int count[BANKS];
} Pass;

static void want_word(Pass *pass, uint32_t word) {
  const uint32_t bank = word % BANKS;
  for (int i = 0; i < pass->count[bank]; i++) {
    if (pass->words[bank][i] == word) return;
  }
  pass->words[bank][pass->count[bank]++] = word;
}

static void want_bytes(Pass *pass, uint32_t offset, const SharedAccess *a) {
  const uint64_t bits = 1u << a->log2_elem_bits;
  const uint64_t end = (offset + (UINT64_C(1) << a->log2_vector)) * bits;
  for (uint64_t at = offset * bits; at < end; at += bits) {
    want_word(pass, (uint32_t)(at / 32));
    want_word(pass, (uint32_t)((at + bits - 1) / 32));
  }
}

static int longest_queue(const Pass *pass) {
  int longest = 0;
  for (int bank = 0; bank < BANKS; bank++) {
    if (pass->count[bank] > longest) longest = pass->count[bank];
  }
  return longest;
}

// One instruction: every lane of the warp at `thread` moves register `r` and
// those that follow it in the vector.
static int simulate(const SharedAccess *a, uint32_t thread, uint32_t r) {
  const uint32_t bytes = (1u << (a->log2_elem_bits + a->log2_vector)) / 8;
  const uint32_t together = bytes > 4 ? 128 / bytes : 32;
  const uint32_t lanes = (uint32_t)layout_count(a->tile, LAYOUT_LANE);
  int total = 0;
  for (uint32_t first = 0; first < lanes; first += together) {
    Pass pass = {.count = {0}};
    for (uint32_t i = first; i < first + together && i < lanes; i++) {
      const uint32_t word = first_of_thread(a->tile, thread + i) | r;
      want_bytes(&pass, linear_apply(&a->offset, word), a);
    }
    total += longest_queue(&pass);
  }
  return total;
}

static void check_vector(const SharedAccess *a, const uint32_t *registers) {
  const uint32_t width = 1u << a->log2_vector;
  for (uint32_t t = 0; t < num_threads(a->tile); t++) {
    for (int i = 0; i < layout_num_registers(a->tile); i++) {
      const uint32_t word = first_of_thread(a->tile, t);
      const uint32_t place = (uint32_t)i % width;
      const uint32_t start = registers[(uint32_t)i - place];
      assert_int_equal(linear_apply(&a->offset, word | start) % width, 0);
      assert_int_equal(linear_apply(&a->offset, word | registers[i]),
                       linear_apply(&a->offset, word | start) + place);
    }
  }
}

static void check_wavefronts(const SharedAccess *a) {
  uint32_t registers[1 << 10];
  const int width = 1 << a->log2_vector;
  const uint32_t lanes = (uint32_t)layout_count(a->tile, LAYOUT_LANE);
  int64_t total = 0;
  access_vector_registers(a, registers);
  check_vector(a, registers);
  for (uint32_t t = 0; t < num_threads(a->tile); t += lanes) {
    total = 0;
    for (int i = 0; i < layout_num_registers(a->tile); i += width) {
      const int passes = simulate(a, t, registers[i]);
      assert_int_equal(passes, access_wavefronts(a));
      total += passes;
    }
  }
  const bool copies =
      layout_free_bits(a->tile) & layout_dim_mask(a->tile, LAYOUT_REGISTER);
  assert_true(copies ? total > access_cost(a) : total == access_cost(a));
}

static const Layout *any_storage(Family *f, const Layout *tile) {
  Layout key = {.shared = true, .rank = tile->rank, .map = tile->map};
  memcpy(key.log2_shape, tile->log2_shape, sizeof key.log2_shape);
  Subspace seen = {0};
  const int low = tile->map.num_out ? (int)pick(f, 4) : 0;
  key.map = (LinearMap){.num_out = tile->map.num_out};
  while (key.map.num_in < key.map.num_out) {
    uint32_t column = pick(f, 1u << key.map.num_out);
    if (key.map.num_in < low) column = UINT32_C(1) << key.map.num_in;
    if (!subspace_add(&seen, column)) continue;
    key.map.column[key.map.num_in++] = column;
  }
  key.num_bits[LAYOUT_OFFSET] = key.map.num_in;
  return layout_get(&f->table, &key);
}

static const Layout *any_rows(Family *f, const Layout *tile) {
  const int64_t shape[] = {layout_size(tile, 0), layout_size(tile, 1)};
  const int first = (int)pick(f, 2), order[] = {first, !first};
  return layout_swizzled(&f->table, 2, shape, order, 1 << pick(f, 3),
                         1 << pick(f, 2), 1 << pick(f, 3));
}

// 32 lanes and a few registers and warps over at least 2^7 elements.
static const Layout *any_tile(Family *f) {
  const int64_t shape[] = {8 << pick(f, 3), 16 << pick(f, 2)};
  const int order[] = {1, 0}, other[] = {0, 1};
  const MmaSpec mma = {.warps_m = 2, .warps_n = 1};
  const Layout *tile = layout_coalesced(
      &f->table, 2, shape, pick(f, 2) ? order : other, 1 << pick(f, 4), 32, 2);
  switch (pick(f, 4)) {
  case 0: return tile;
  case 1: {
    const Layout *c = layout_mma_accumulator(&f->table, 2, shape, &mma);
    return c ? c : tile;
  }
  case 2: {
    const Layout *b = layout_mma_operand_b(&f->table, 2, shape, &mma, 16, 16);
    return b ? b : tile;
  }
  default: {
    Layout key = *tile;
    for (int i = 0; i < 3; i++) { // mix some bits into others
      const int to = (int)pick(f, (uint32_t)key.map.num_in);
      const int from = (int)pick(f, (uint32_t)key.map.num_in);
      if (to != from) key.map.column[to] ^= key.map.column[from];
    }
    return layout_get(&f->table, &key);
  }
  }
}

static void try_accesses(void *data) {
  Family *f = data;
  int conflicts = 0, vectors = 0;
  for (int i = 0; i < TRIES; i++) {
    SharedAccess a;
    const Layout *tile = any_tile(f);
    const Layout *shared =
        pick(f, 2) ? any_storage(f, tile) : any_rows(f, tile);
    assert_true(layout_access(tile, shared, 4 << pick(f, 5), &a));
    if (i % 50 == 0) check_offsets(&a);
    if ((8u >> a.log2_elem_bits) > 1u << a.log2_vector) continue;
    check_wavefronts(&a);
    conflicts += access_wavefronts(&a) > 4;
    vectors += a.log2_vector > 1;
  }
  assert_true(conflicts > 20);
  assert_true(vectors > 20);
}

static void test_accesses(void **state) {
  (void)state;
  with_family(try_accesses);
}

// The textbook: a column of a 32 x 32 matrix of 4-byte words has all lanes in
// one bank, and a swizzle cures it.
static void textbook(void *data) {
  Family *f = data;
  LayoutTable *t = &f->table;
  const int64_t shape[] = {32, 32};
  const int rows[] = {1, 0}, columns[] = {0, 1};
  const Layout *down = layout_coalesced(t, 2, shape, columns, 1, 32, 1);
  const Layout *plain = layout_shared(t, 2, shape, rows);
  const Layout *swizzled = layout_swizzled(t, 2, shape, rows, 1, 1, 32);
  SharedAccess a;
  assert_true(layout_access(down, plain, 32, &a));
  assert_int_equal(access_wavefronts(&a), 32);
  assert_int_equal(access_cost(&a), 8 * 32); // by vectors of 4 words
  assert_true(layout_access(down, swizzled, 32, &a));
  assert_int_equal(access_wavefronts(&a), 1);
  assert_false(layout_access(down, down, 32, &a));
  assert_false(layout_access(plain, plain, 32, &a));
  assert_false(layout_access(down, plain, 24, &a));
}

static void test_textbook(void **state) {
  (void)state;
  with_family(textbook);
}

// -- ldmatrix ----------------------------------------------------------------

static uint32_t start_of(const SharedAccess *a, const MatrixAccess *m,
                         uint32_t base, uint32_t index, uint32_t row) {
  uint32_t word = base;
  for (int b = 0; b < m->num_matrix; b++)
    word ^= (index >> b & 1) * m->matrix[b];
  for (int b = 0; b < 3; b++) word ^= (row >> b & 1) * m->row[b];
  return linear_apply(&a->offset, word);
}

// The unit that the instruction puts into 16-bit unit `half` of lane `lane`, as
// the offset in units; `starts` are the 8 rows, each of 8 units.
static uint64_t loaded_unit(const uint64_t *starts, bool transposed,
                            uint32_t lane, uint32_t half) {
  if (transposed) return starts[lane % 4 * 2 + half] + lane / 4;
  return starts[lane / 4] + lane % 4 * 2 + half;
}

static void check_matrix(const SharedAccess *a, const MatrixAccess *m,
                         uint32_t warp_word, uint32_t index) {
  uint64_t starts[8];
  const uint64_t bits = 1u << a->log2_elem_bits;
  for (uint32_t row = 0; row < 8; row++) {
    starts[row] = start_of(a, m, warp_word, index, row) * bits / 16;
    assert_int_equal(starts[row] % 8, 0);
  }
  const uint32_t registers = 1u << m->num_packed;
  for (uint32_t lane = 0; lane < 32; lane++) {
    for (uint32_t i = 0; i < registers; i++) {
      uint32_t word = warp_word ^ first_of_thread(a->tile, lane);
      for (int b = 0; b < m->num_matrix; b++) {
        word ^= (index >> b & 1) * m->matrix[b];
      }
      for (int b = 0; b < m->num_packed; b++)
        word ^= (i >> b & 1) * m->packed[b];
      const uint64_t bit = linear_apply(&a->offset, word) * bits;
      const uint32_t half = (uint32_t)(i * bits / 16);
      assert_int_equal(bit / 16,
                       loaded_unit(starts, m->transposed, lane, half));
      assert_int_equal(bit % 16, i * bits % 16);
    }
  }
}

static void check_matrices(const SharedAccess *a, const MatrixAccess *m) {
  for (uint32_t t = 0; t < num_threads(a->tile); t += 32) {
    for (uint32_t i = 0; i < 1u << m->num_matrix; i++) {
      check_matrix(a, m, first_of_thread(a->tile, t), i);
    }
  }
}

static int64_t check_matrix_use(const Layout *tile, const Layout *shared,
                                int elem_bits, bool transposed) {
  SharedAccess a;
  MatrixAccess m;
  assert_true(layout_access(tile, shared, elem_bits, &a));
  assert_true(access_as_matrix(&a, &m));
  assert_int_equal(m.transposed, transposed);
  check_matrices(&a, &m);
  return access_matrix_cost(&a, &m);
}

static void try_operands(void *data) {
  Family *f = data;
  LayoutTable *t = &f->table;
  const int64_t shape[] = {64, 64};
  const int rows[] = {1, 0}, columns[] = {0, 1};
  const MmaSpec spec = {.warps_m = 2, .warps_n = 2};
  const Layout *a = layout_mma_operand_a(t, 2, shape, &spec, 16, 16);
  const Layout *b = layout_mma_operand_b(t, 2, shape, &spec, 16, 16);
  const Layout *q = layout_mma_operand_a(t, 2, shape, &spec, 8, 32);
  const Layout *s = layout_mma_operand_a(t, 2, shape, &spec, 32, 8);
  const Layout *by_row = layout_tma(t, 2, shape, rows, 128, 16);
  const Layout *by_column = layout_tma(t, 2, shape, columns, 128, 16);
  const Layout *plain = layout_shared(t, 2, shape, rows);
  // 32 x 64 elements a warp, 64 in a matrix: 32 passes and no conflict.
  assert_int_equal(check_matrix_use(a, by_row, 16, false), 32);
  assert_int_equal(check_matrix_use(a, by_column, 16, true), 32);
  assert_int_equal(check_matrix_use(b, by_row, 16, true), 32);
  assert_int_equal(check_matrix_use(b, by_column, 16, false), 32);
  assert_int_equal(check_matrix_use(a, plain, 16, false), 32 * 8);
  const Layout *bytes = layout_tma(t, 2, shape, rows, 64, 8);
  assert_int_equal(check_matrix_use(q, bytes, 8, false), 16);
  const MmaSpec pairs = {.warps_m = 2, .warps_n = 2, .log2_beside = 1};
  const Layout *p = layout_mma_operand_b(t, 2, shape, &pairs, 8, 32);
  const SharedUse copy = {layout_coalesced(t, 2, shape, rows, 16, 32, 4),
                          false};
  const SharedUse load = {p, true};
  const Layout *pairs_of_rows = layout_best_copied(t, &copy, &load, 8, 1, 4);
  assert_int_equal(check_matrix_use(p, pairs_of_rows, 8, true), 16);
  const Layout *singles = layout_tma(t, 2, shape, rows, 128, 32);
  assert_int_equal(check_matrix_use(s, singles, 32, false), 64);
  SharedAccess access;
  MatrixAccess m;
  const Layout *flat = layout_coalesced(t, 2, shape, rows, 8, 32, 4);
  assert_true(layout_access(flat, plain, 16, &access));
  assert_false(access_as_matrix(&access, &m));
}

static void try_any_matrix(void *data) {
  Family *f = data;
  int found[2] = {0};
  for (int i = 0; i < TRIES * 4; i++) {
    const Layout *tile = any_tile(f);
    const int64_t shape[] = {layout_size(tile, 0), layout_size(tile, 1)};
    const int order[] = {pick(f, 2) ? 1 : 0, 0};
    const int full[] = {order[0], !order[0]};
    const int elem_bits = 8 << pick(f, 3);
    const Layout *shared =
        layout_tma(&f->table, 2, shape, full, 32 << pick(f, 3), elem_bits);
    if (!shared) shared = layout_shared(&f->table, 2, shape, full);
    SharedAccess a;
    MatrixAccess m;
    assert_true(layout_access(tile, shared, elem_bits, &a));
    if (!access_as_matrix(&a, &m)) continue;
    found[m.transposed]++;
    check_matrices(&a, &m);
  }
  assert_true(found[0] > 20 && found[1] > 20);
}

static void test_matrix(void **state) {
  (void)state;
  with_family(try_operands);
  with_family(try_any_matrix);
}

// -- The best of them --------------------------------------------------------

static int64_t cost_of(const SharedUse *store, const SharedUse *load,
                       const Layout *shared, int elem_bits) {
  return layout_use_cost(store, shared, elem_bits) +
         layout_use_cost(load, shared, elem_bits);
}

static void check_best(Family *f, const SharedUse *store, const SharedUse *load,
                       int elem_bits) {
  const Layout *tile = store->tile;
  const int64_t shape[] = {layout_size(tile, 0), layout_size(tile, 1)};
  const Layout *best = layout_best_shared(&f->table, store, load, elem_bits);
  assert_true(layout_is_injective(best) && layout_is_surjective(best));
  const int64_t cost = cost_of(store, load, best, elem_bits);
  for (int n = 0; n < 128; n++) {
    const int order[] = {n & 1, !(n & 1)};
    const Layout *other =
        layout_swizzled(&f->table, 2, shape, order, 1 << (n >> 1 & 3),
                        1 << (n >> 3 & 3), 1 << (n >> 5 & 3));
    assert_true(cost <= cost_of(store, load, other, elem_bits));
  }
}

static void try_best(void *data) {
  Family *f = data;
  LayoutTable *t = &f->table;
  for (int n = 0; n < 60; n++) {
    const int64_t shape[] = {32 << (n & 1), 32 << (n >> 1 & 1)};
    const int rows[] = {1, 0}, columns[] = {0, 1};
    const MmaSpec mma = {.warps_m = 2, .warps_n = 2};
    const Layout *tiles[] = {
        layout_coalesced(t, 2, shape, rows, 1 << n % 4, 32, 4),
        layout_coalesced(t, 2, shape, columns, 1 << n / 4 % 4, 32, 4),
        layout_mma_accumulator(t, 2, shape, &mma),
        layout_mma_operand_a(t, 2, shape, &mma, 16, 16),
        layout_mma_operand_b(t, 2, shape, &mma, 16, 16),
    };
    const SharedUse store = {tiles[pick(f, 5)], pick(f, 2)};
    const SharedUse load = {tiles[pick(f, 5)], pick(f, 2)};
    check_best(f, &store, &load, 8 << pick(f, 3));
  }
}

static void known_best(void *data) {
  Family *f = data;
  LayoutTable *t = &f->table;
  const int64_t shape[] = {64, 64};
  const int rows[] = {1, 0}, columns[] = {0, 1};
  const MmaSpec mma = {.warps_m = 2, .warps_n = 2};
  const SharedUse copy = {layout_coalesced(t, 2, shape, rows, 8, 32, 4), false};
  const SharedUse load = {layout_mma_operand_a(t, 2, shape, &mma, 16, 16),
                          true};
  assert_ptr_equal(layout_best_shared(t, &copy, &load, 16),
                   layout_tma(t, 2, shape, rows, 128, 16));
  // A transposition of 4-byte elements has no conflicts at all.
  const SharedUse down = {layout_coalesced(t, 2, shape, columns, 4, 32, 4),
                          false};
  const SharedUse across = {layout_coalesced(t, 2, shape, rows, 4, 32, 4),
                            false};
  const Layout *best = layout_best_shared(t, &down, &across, 32);
  assert_int_equal(cost_of(&down, &across, best, 32), 2 * 32);
  const SharedUse row = {parsed(f, "layout<lane=[[1]] -> 2>"), false};
  assert_null(layout_best_shared(t, &down, &row, 32));
  assert_null(layout_best_shared(t, &down, &across, 48));
  assert_null(layout_best_shared(t, &down, &across, 128));
}

static void test_best(void **state) {
  (void)state;
  with_family(try_best);
  with_family(known_best);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_axis_vectors), cmocka_unit_test(test_accesses),
      cmocka_unit_test(test_textbook),     cmocka_unit_test(test_matrix),
      cmocka_unit_test(test_best),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
