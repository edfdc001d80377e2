// test_layout_cut.c -- tiles in parts: every element in one, none twice.
#include "ir/layout_cut.h"
#include "tests/unit/ir/layout_family.h"

enum { TRIES = 3000, MAX_ELEMENTS = 1 << 12 };

// The elements that a thread stores and loads of a part are in that part, and
// stores and loads number the part's elements in the same way.
static void check_side(const LayoutCut *cut, const Layout *whole,
                       const Layout *part, uint32_t number, int64_t *named) {
  const int registers = part->num_bits[LAYOUT_REGISTER];
  for (uint32_t word = 0; word < num_words(part); word++) {
    const uint32_t thread = word >> registers;
    const uint32_t reg = layout_cut_register(
        cut, whole, number, word & ((UINT32_C(1) << registers) - 1));
    assert_true(reg < (uint32_t)layout_num_registers(whole));
    const uint32_t element =
        layout_apply(whole, thread << whole->num_bits[LAYOUT_REGISTER] | reg);
    const int64_t name =
        (int64_t)number * MAX_ELEMENTS + layout_apply(part, word);
    if (named[element] < 0) named[element] = name;
    assert_int_equal(named[element], name);
  }
}

static void check(Family *f, const Layout *store, const Layout *load,
                  int log2_parts, int *found) {
  LayoutCut cut;
  const SharedUse a = {store, false}, b = {load, false};
  if (!layout_cut(&f->table, &a, &b, 32, log2_parts, &cut)) return;
  int64_t named[MAX_ELEMENTS], seen[MAX_ELEMENTS];
  const int64_t count = layout_num_elements(store);
  for (int64_t i = 0; i < count; i++) named[i] = seen[i] = -1;
  for (uint32_t n = 0; n < UINT32_C(1) << log2_parts; n++) {
    check_side(&cut, store, cut.store, n, named);
    check_side(&cut, load, cut.load, n, named);
  }
  for (int64_t i = 0; i < count; i++) assert_true(named[i] >= 0);
  assert_int_equal(layout_num_elements(cut.store) << log2_parts, count);
  (*found)++;
}

// Mostly unit columns, as in layouts of real kernels.
static const Layout *any_units(Family *f, const int *log2_shape) {
  Layout key = {.rank = 2, .log2_shape = {log2_shape[0], log2_shape[1]}};
  key.map.num_in = key.map.num_out = log2_shape[0] + log2_shape[1];
  for (int i = 0; i < key.map.num_in; i++) {
    const int j = (int)pick(f, (uint32_t)i + 1);
    key.map.column[i] = key.map.column[j];
    key.map.column[j] = UINT32_C(1) << i;
  }
  if (pick(f, 2)) key.map.column[0] ^= key.map.column[1];
  key.num_bits[LAYOUT_REGISTER] = key.map.num_in - 3;
  key.num_bits[LAYOUT_LANE] = 2;
  key.num_bits[LAYOUT_WARP] = 1;
  return layout_get(&f->table, &key);
}

static void try_all(void *data) {
  Family *f = data;
  int whole = 0, in_parts = 0;
  for (int i = 0; i < TRIES; i++) {
    const int log2_shape[] = {2 + (int)pick(f, 3), 2 + (int)pick(f, 3)};
    const Layout *store = any_units(f, log2_shape);
    const Layout *load = any_units(f, log2_shape);
    check(f, store, load, 0, &whole);
    check(f, store, load, 1, &in_parts);
    check(f, store, load, 2, &in_parts);
  }
  assert_int_equal(whole, TRIES);
  assert_true(in_parts > TRIES / 4);
}

static void test_all(void **state) {
  (void)state;
  with_family(try_all);
}

// Converts an accumulator of fp32 to rows: parts cost as little as the whole,
// until they would divide vectors.
static void try_real(void *data) {
  Family *f = data;
  LayoutCut whole, cut;
  const int64_t shape[] = {128, 128};
  const int order[] = {1, 0};
  const MmaSpec mma = {.warps_m = 2, .warps_n = 2};
  const SharedUse store = {layout_mma_accumulator(&f->table, 2, shape, &mma),
                           false};
  const SharedUse load = {
      layout_coalesced(&f->table, 2, shape, order, 4, 32, 4), false};
  assert_true(layout_cut(&f->table, &store, &load, 32, 0, &whole));
  for (int n = 1; n <= 3; n++) {
    assert_true(layout_cut(&f->table, &store, &load, 32, n, &cut));
    assert_int_equal(cut.cost, whole.cost);
    assert_int_equal(layout_num_elements(cut.load), 128 * 128 >> n);
    assert_int_equal(layout_log2_contiguous(cut.load, 1), 2);
  }
  assert_false(layout_cut(&f->table, &store, &load, 32, 4, &cut));
}

static void test_real(void **state) {
  (void)state;
  with_family(try_real);
}

// A result that is multiplied again, with two warps a row: each part has half
// of k, and no fragment of 16x16 elements, of four registers of two elements,
// is cut.
static void try_operand(void *data) {
  Family *f = data;
  LayoutCut cut;
  const int64_t shape[] = {64, 64};
  const MmaSpec mma = {.warps_m = 4, .warps_n = 2};
  const SharedUse store = {layout_mma_accumulator(&f->table, 2, shape, &mma),
                           false};
  const SharedUse load = {
      layout_mma_operand_a(&f->table, 2, shape, &mma, 16, 16), true};
  assert_true(layout_cut(&f->table, &store, &load, 16, 1, &cut));
  assert_int_equal(cut.position[0], 32);
  for (uint32_t part = 0; part < 2; part++) {
    for (uint32_t reg = 0; reg < 16; reg++) {
      const uint32_t of = layout_cut_register(&cut, load.tile, part, reg);
      assert_int_equal(of, part << 4 | reg);
    }
  }
}

static void test_operand(void **state) {
  (void)state;
  with_family(try_operand);
}

// Rows are loaded, and columns stored: warps give registers to as many parts as
// are wanted, and accesses stay as wide.
static void try_for_cut(void *data) {
  Family *f = data;
  LayoutCut cut;
  const int64_t shape[] = {256, 128};
  const int rows[] = {1, 0}, columns[] = {0, 1};
  const Layout *store = layout_coalesced(&f->table, 2, shape, rows, 2, 32, 8);
  const Layout *load = layout_coalesced(&f->table, 2, shape, columns, 1, 32, 8);
  const SharedUse a = {store, false};
  assert_false(
      layout_cut(&f->table, &a, &(SharedUse){load, false}, 32, 1, &cut));
  for (int n = 1; n <= 3; n++) {
    const Layout *to = layout_for_cut(&f->table, store, load, 32, n);
    const SharedUse b = {to, false};
    assert_true(layout_cut(&f->table, &a, &b, 32, n, &cut));
    assert_false(layout_cut(&f->table, &a, &b, 32, n + 1, &cut));
    assert_int_equal(layout_log2_filled(to, 0, 0, 5), 5);
    assert_ptr_equal(layout_for_cut(&f->table, store, to, 32, n), to);
  }
}

static void test_for_cut(void **state) {
  (void)state;
  with_family(try_for_cut);
}

// Runs of 8 columns: a thread has four of them at once in `four`, and one in
// `apart`. The next lanes have further columns in `four`, and further rows in
// `apart`.
static void try_filled(void *data) {
  Family *f = data;
  const int64_t shape[] = {32, 64};
  const int rows[] = {1, 0}, columns[] = {0, 1};
  const Layout *four = layout_coalesced(&f->table, 2, shape, rows, 4, 32, 1);
  const Layout *apart =
      layout_coalesced(&f->table, 2, shape, columns, 1, 32, 1);
  assert_int_equal(layout_log2_filled(four, 1, 2, 3), 3);
  assert_int_equal(layout_log2_filled(four, 1, 0, 3), 1);
  assert_int_equal(layout_log2_filled(four, 1, 2, 1), 1);
  assert_int_equal(layout_log2_filled(apart, 1, 0, 3), 0);
  assert_int_equal(layout_log2_filled(apart, 1, 2, 3), 2);
  assert_int_equal(layout_log2_filled(apart, 0, 0, 3), 3);
}

static void test_filled(void **state) {
  (void)state;
  with_family(try_filled);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all),     cmocka_unit_test(test_real),
      cmocka_unit_test(test_operand), cmocka_unit_test(test_for_cut),
      cmocka_unit_test(test_filled),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
