// test_layout_ops.c -- operations on layouts against enumeration.
#include "ir/layout_scan.h"
#include "tests/unit/ir/layout_family.h"

enum { TRIES = 400, MOST_WORDS = 4096 };

static void get_coords(const Layout *layout, uint32_t word, int64_t *coords) {
  for (int i = 0; i < layout->rank; i++) coords[i] = by_hand(layout, word, i);
}

static bool same_coords(const int64_t *a, const int64_t *b, int rank) {
  return !rank || !memcmp(a, b, (size_t)rank * sizeof *a);
}

// Does this thread (the word's bits above the registers) hold `coords`?
static bool thread_holds(const Layout *layout, uint32_t thread,
                         const int64_t *coords) {
  const int shift = layout->num_bits[LAYOUT_REGISTER];
  for (uint32_t r = 0; r < 1u << shift; r++) {
    int64_t here[LAYOUT_MAX_RANK];
    get_coords(layout, thread << shift | r, here);
    if (same_coords(here, coords, layout->rank)) return true;
  }
  return false;
}

static void check_threads_equal(const Layout *a, const Layout *b) {
  for (int d = LAYOUT_LANE; d < LAYOUT_NUM_DIMS; d++) {
    assert_int_equal(a->num_bits[d], b->num_bits[d]);
  }
}

static void check_registers_differ(const Layout *layout) {
  for (uint32_t r = 1; r < 1u << layout->num_bits[LAYOUT_REGISTER]; r++) {
    assert_int_not_equal(layout_apply(layout, r), 0);
  }
}

static void check_words(Family *f) {
  const Layout *layout = any_layout(f, (int)pick(f, 5), 3, 3, pick(f, 2));
  int64_t coords[LAYOUT_MAX_RANK], by_query[LAYOUT_MAX_RANK];
  for (uint32_t word = 0; word < num_words(layout); word++) {
    get_coords(layout, word, coords);
    layout_coords(layout, layout_apply(layout, word), by_query);
    assert_true(same_coords(coords, by_query, layout->rank));
    assert_int_equal(layout_element(layout, coords),
                     layout_apply(layout, word));
    uint32_t packed = 0;
    for (int d = 0; d < LAYOUT_NUM_DIMS; d++) {
      const uint32_t index = layout_unpack(layout, (LayoutDim)d, word);
      assert_in_range(index, 0, layout_count(layout, (LayoutDim)d) - 1);
      packed |= layout_pack(layout, (LayoutDim)d, index);
      assert_int_equal(layout_dim_mask(layout, (LayoutDim)d) & word,
                       layout_pack(layout, (LayoutDim)d, index));
    }
    assert_int_equal(packed, word);
  }
}

static void check_slice(Family *f) {
  const Layout *layout = any_layout(f, 1 + (int)pick(f, 4), 2, 2, false);
  const int axis = (int)pick(f, (uint32_t)layout->rank);
  const Layout *slice = layout_slice(&f->table, layout, axis);
  const Layout *shrunk = layout_shrink(&f->table, layout, axis);
  assert_ptr_equal(layout_expand(&f->table, slice, axis), shrunk);
  assert_int_equal(slice->rank, layout->rank - 1);
  check_threads_equal(layout, slice);
  check_registers_differ(slice);
  const int shift = layout->num_bits[LAYOUT_REGISTER];
  for (uint32_t word = 0; word < num_words(layout); word++) {
    int64_t coords[LAYOUT_MAX_RANK];
    get_coords(layout, word, coords);
    memmove(coords + axis, coords + axis + 1,
            (size_t)(layout->rank - axis - 1) * sizeof *coords);
    assert_true(thread_holds(slice, word >> shift, coords));
  }
}

// No thread holds an element that it did not hold before, and together they
// hold the same elements.
static void check_spread(Family *f) {
  const Layout *layout = any_layout(f, 1 + (int)pick(f, 2), 3, 3, false);
  const Layout *spread =
      layout_spread(&f->table, layout, (int)pick(f, 2), LAYOUT_WARP);
  check_threads_equal(layout, spread);
  assert_int_equal(layout_is_surjective(spread), layout_is_surjective(layout));
  const int shift = spread->num_bits[LAYOUT_REGISTER];
  assert_true(shift <= layout->num_bits[LAYOUT_REGISTER]);
  for (uint32_t word = 0; word < num_words(spread); word++) {
    int64_t coords[LAYOUT_MAX_RANK];
    get_coords(spread, word, coords);
    assert_true(thread_holds(layout, word >> shift, coords));
  }
}

static void check_expand(Family *f) {
  const Layout *layout = any_layout(f, (int)pick(f, 4), 2, 2, pick(f, 2));
  const int axis = (int)pick(f, (uint32_t)layout->rank + 1);
  const Layout *wide = layout_expand(&f->table, layout, axis);
  for (uint32_t word = 0; word < num_words(layout); word++) {
    int from = 0;
    for (int i = 0; i < wide->rank; i++) {
      const int64_t x = i == axis ? 0 : by_hand(layout, word, from++);
      assert_int_equal(x, by_hand(wide, word, i));
    }
  }
  if (layout->shared) return;
  const Layout *full = layout_broadcast(&f->table, wide, axis, 4);
  assert_int_equal(layout_size(full, axis), 4);
  check_threads_equal(layout, full);
  const int shift = layout->num_bits[LAYOUT_REGISTER];
  for (uint32_t word = 0; word < num_words(wide); word++) {
    int64_t coords[LAYOUT_MAX_RANK];
    get_coords(wide, word, coords);
    for (int64_t x = 0; x < 4; x++) {
      coords[axis] = x;
      assert_true(thread_holds(full, word >> shift, coords));
    }
  }
}

static void check_transpose(Family *f) {
  static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                  {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  const Layout *layout = any_layout(f, 3, 2, 2, pick(f, 2));
  const int *order = orders[pick(f, 6)];
  const Layout *result = layout_transpose(&f->table, layout, order);
  for (uint32_t word = 0; word < num_words(layout); word++) {
    for (int i = 0; i < 3; i++) {
      assert_int_equal(by_hand(result, word, i),
                       by_hand(layout, word, order[i]));
    }
  }
}

static int64_t row_major_index(const Layout *layout, uint32_t word) {
  int64_t index = 0;
  for (int i = 0; i < layout->rank; i++) {
    index = index * layout_size(layout, i) + by_hand(layout, word, i);
  }
  return index;
}

static void check_reshape(Family *f) {
  const Layout *layout = any_layout(f, (int)pick(f, 4), 2, 2, pick(f, 2));
  int64_t left = layout_num_elements(layout), shape[LAYOUT_MAX_RANK];
  int rank = 0;
  while (left > 1 && rank < 7) {
    shape[rank] = 1 << pick(f, 3);
    if (shape[rank] > left) shape[rank] = left;
    left /= shape[rank++];
  }
  shape[rank++] = left;
  const Layout *result = layout_reshape(&f->table, layout, rank, shape);
  assert_true(layout_has_shape(result, rank, shape));
  for (uint32_t word = 0; word < num_words(layout); word++) {
    assert_int_equal(row_major_index(result, word),
                     row_major_index(layout, word));
  }
  shape[0] *= 2;
  assert_null(layout_reshape(&f->table, layout, rank, shape));
}

static void check_join(Family *f) {
  const Layout *layout = any_layout(f, (int)pick(f, 4), 2, 2, false);
  const Layout *both = layout_join(&f->table, layout);
  const int rank = layout->rank;
  for (uint32_t word = 0; word < num_words(layout); word++) {
    for (uint32_t which = 0; which < 2; which++) {
      assert_int_equal(by_hand(both, word << 1 | which, rank), which);
      for (int i = 0; i < rank; i++) {
        assert_int_equal(by_hand(both, word << 1 | which, i),
                         by_hand(layout, word, i));
      }
    }
  }
  assert_ptr_equal(layout_split(&f->table, both), layout);
}

static void check_split(Family *f) {
  const Layout *layout = any_layout(f, 1 + (int)pick(f, 3), 2, 2, false);
  const Layout *half = layout_split(&f->table, layout);
  if (!half) return;
  const int last = layout->rank - 1;
  int bit = 0;
  while (layout->map.column[bit] != 1) bit++;
  for (uint32_t word = 0; word < num_words(half); word++) {
    const uint32_t low = word & ((1u << bit) - 1);
    const uint32_t spread = (word ^ low) << 1 | low;
    for (uint32_t which = 0; which < 2; which++) {
      const uint32_t from = spread | which << bit;
      assert_int_equal(by_hand(layout, from, last), which);
      for (int i = 0; i < last; i++) {
        assert_int_equal(by_hand(layout, from, i), by_hand(half, word, i));
      }
    }
  }
}

static void check_product(Family *f) {
  const int rank = (int)pick(f, 4);
  const Layout *inner = any_layout(f, rank, 2, 1, false);
  const Layout *outer = any_layout(f, rank, 2, 1, false);
  const Layout *both = layout_product(&f->table, inner, outer);
  for (uint32_t a = 0; a < num_words(inner); a++) {
    for (uint32_t b = 0; b < num_words(outer); b++) {
      uint32_t word = 0;
      for (int d = 0; d < LAYOUT_NUM_DIMS; d++) {
        const LayoutDim dim = (LayoutDim)d;
        const uint32_t low = layout_unpack(inner, dim, a);
        const uint32_t high = layout_unpack(outer, dim, b);
        word |= layout_pack(both, dim, high << inner->num_bits[d] | low);
      }
      for (int i = 0; i < rank; i++) {
        assert_int_equal(by_hand(both, word, i),
                         by_hand(outer, b, i) * layout_size(inner, i) +
                             by_hand(inner, a, i));
      }
    }
  }
}

static void check_drop_copies(Family *f) {
  const Layout *layout = any_layout(f, 2, 2, 3, false);
  const Layout *lean = layout_drop_copies(&f->table, layout);
  check_registers_differ(lean);
  check_threads_equal(layout, lean);
  const int shift = layout->num_bits[LAYOUT_REGISTER];
  for (uint32_t word = 0; word < num_words(layout); word++) {
    int64_t coords[LAYOUT_MAX_RANK];
    get_coords(layout, word, coords);
    assert_true(thread_holds(lean, word >> shift, coords));
  }
}

static void check_counts(Family *f) {
  const Layout *layout = any_layout(f, 2, 2, 1, false);
  unsigned held[16] = {0}, held_by_owner[16] = {0};
  for (uint32_t word = 0; word < num_words(layout); word++) {
    const int64_t element = row_major_index(layout, word);
    held[element]++;
    held_by_owner[element] += !(word & layout_free_bits(layout));
  }
  bool all = true, once = true;
  for (int i = 0; i < layout_num_elements(layout); i++) {
    assert_int_equal(held_by_owner[i], held[i] > 0);
    all &= held[i] > 0;
    once &= held[i] <= 1;
  }
  assert_int_equal(layout_is_surjective(layout), all);
  assert_int_equal(layout_is_injective(layout), once);
}

static void try_operations(void *data) {
  for (int i = 0; i < TRIES; i++) {
    check_words(data);
    check_slice(data);
    check_spread(data);
    check_expand(data);
    check_transpose(data);
    check_reshape(data);
    check_join(data);
    check_split(data);
    check_product(data);
    check_drop_copies(data);
    check_counts(data);
  }
}

static void test_operations(void **state) {
  (void)state;
  with_family(try_operations);
}

// Four registers hold copies, and each thread keeps one; a run is never
// divided.
static void spread(void *data) {
  Family *f = data;
  const Layout *rows =
      parsed(f, "layout<register = [[1], [8]], lane = [[0], [2], [4], [0]], "
                "warp = [[0]] -> 16>");
  assert_ptr_equal(layout_spread(&f->table, rows, 0, LAYOUT_WARP),
                   parsed(f, "layout<lane = [[1], [2], [4], [8]], "
                             "warp = [[0]] -> 16>"));
  assert_ptr_equal(layout_spread(&f->table, rows, 1, LAYOUT_WARP),
                   parsed(f, "layout<register = [[1]], lane = [[8], [2], [4], "
                             "[0]], warp = [[0]] -> 16>"));
  const Layout *more =
      parsed(f, "layout<register = [[1], [4]], lane = [[0], [2]], "
                "warp = [[0]] -> 8>");
  assert_ptr_equal(layout_spread(&f->table, more, 0, LAYOUT_LANE),
                   parsed(f, "layout<register = [[4]], lane = [[1], [2]], "
                             "warp = [[0]] -> 8>"));
}

// One bit of the lane holds copies, so that it takes the place of a register.
static void gather(void *data) {
  Family *f = data;
  const Layout *rows =
      parsed(f, "layout<register = [[16]], lane = [[8], [0], [1], [2], [4]], "
                "warp = [[0]] -> 32>");
  const Layout *runs =
      parsed(f, "layout<register = [[1], [16]], lane = [[8], [0], [0], [2], "
                "[4]], warp = [[0]] -> 32>");
  assert_ptr_equal(layout_gather(&f->table, rows, 2), runs);
  assert_ptr_equal(layout_gather(&f->table, rows, 0), rows);
  assert_ptr_equal(layout_gather(&f->table, runs, 1), runs);
}

static void test_gather(void **state) {
  (void)state;
  with_family(gather);
}

static void test_spread(void **state) {
  (void)state;
  with_family(spread);
}

// Every position along an axis is in one register of one lane, and the
// registers of a row differ only along the axis.  If a layout has more words,
// only every third, fifth, ninth ... is checked.
static void check_scan(const Layout *layout, int axis, const LayoutScan *scan) {
  const int lanes = layout_first_bit(layout, LAYOUT_LANE);
  const uint32_t run = (1u << scan->log2_run) - 1;
  const uint32_t last = (1u << scan->log2_lanes) - 1;
  const uint32_t last_warp = (1u << scan->log2_warps) - 1;
  const uint32_t count = num_words(layout);
  const uint32_t step = count > MOST_WORDS ? count / MOST_WORDS + 1 : 1;
  for (uint32_t word = 0; word < count; word += step) {
    const uint32_t lane = layout_unpack(layout, LAYOUT_LANE, word);
    const uint32_t at_lane = lane >> scan->first_lane & last;
    const uint32_t warp = layout_unpack(layout, LAYOUT_WARP, word);
    const uint32_t at_warp = warp >> scan->first_warp & last_warp;
    const uint32_t reg = layout_unpack(layout, LAYOUT_REGISTER, word);
    if (reg & scan->along) continue;
    for (uint32_t k = 0; k < 1u << (scan->log2_run + scan->log2_chunks); k++) {
      const uint32_t chunk = k >> scan->log2_run, at = k & run;
      const uint32_t same =
          word | layout_scan_register(scan, (int)chunk, (int)at);
      const uint32_t part = chunk << scan->log2_warps | at_warp;
      const uint32_t place =
          (part << scan->log2_lanes | at_lane) << scan->log2_run | at;
      assert_true(same >> lanes == word >> lanes);
      assert_int_equal(by_hand(layout, same, axis), place);
      assert_int_equal(by_hand(layout, same, !axis),
                       by_hand(layout, word, !axis));
    }
  }
  assert_int_equal(scan->log2_run + scan->log2_lanes + scan->log2_warps +
                       scan->log2_chunks,
                   layout->log2_shape[axis]);
}

// Units of the two axes in any order, and copies.
static const Layout *any_units(Family *f) {
  Layout key = {.rank = 2, .log2_shape = {(int)pick(f, 4), (int)pick(f, 4)}};
  key.map.num_out = key.log2_shape[0] + key.log2_shape[1];
  key.map.num_in = key.map.num_out + (int)pick(f, 3);
  for (int i = 0; i < key.map.num_in; i++) {
    const int j = (int)pick(f, (uint32_t)i + 1);
    key.map.column[i] = key.map.column[j];
    key.map.column[j] = i < key.map.num_out ? UINT32_C(1) << i : 0;
  }
  int left = key.map.num_in;
  for (int dim = LAYOUT_REGISTER; dim < LAYOUT_BLOCK; dim++) {
    key.num_bits[dim] =
        dim == LAYOUT_WARP ? left : (int)pick(f, (uint32_t)left + 1);
    left -= key.num_bits[dim];
  }
  return layout_get(&f->table, &key);
}

static void try_scans(void *data) {
  Family *f = data;
  int found = 0, tries = 20000;
  for (int i = 0; i < tries; i++) {
    LayoutScan scan;
    const Layout *layout =
        pick(f, 2) ? any_units(f) : any_layout(f, 2, 3, 6, false);
    const int axis = (int)pick(f, 2);
    if (!layout || !layout_scan(layout, axis, &scan)) continue;
    check_scan(layout, axis, &scan);
    found += layout->log2_shape[axis] > 1;
  }
  assert_true(found > tries / 50);
}

static void test_scans(void **state) {
  (void)state;
  with_family(try_scans);
}

// A scan goes along registers, lanes, registers, or lanes and warps; there is
// none where a lane moves along both axes, or lanes come in another order.
static void tell_scans(void *data) {
  Family *f = data;
  LayoutScan scan;
  const Layout *rows =
      parsed(f, "layout<register=[[0,1],[0,8]], "
                "lane=[[0,2],[0,4],[1,0]], warp=[[2,0]] -> 4x16>");
  assert_true(layout_scan(rows, 1, &scan));
  assert_int_equal(scan.log2_run, 1);
  assert_int_equal(scan.log2_lanes, 2);
  assert_int_equal(scan.log2_chunks, 1);
  assert_int_equal(scan.first_lane, 0);
  assert_true(layout_scan(rows, 0, &scan));
  assert_int_equal(scan.log2_lanes, 1);
  assert_int_equal(scan.log2_warps, 1);
  assert_int_equal(scan.first_lane, 2);
  assert_false(
      layout_scan(parsed(f, "layout<lane=[[0,1],[1,1]] -> 2x2>"), 0, &scan));
  assert_false(layout_scan(parsed(f, "layout<lane=[[2],[1]] -> 4>"), 0, &scan));
}

static void test_scan_kinds(void **state) {
  (void)state;
  with_family(tell_scans);
}

static void refuse(void *data) {
  Family *f = data;
  LayoutTable *t = &f->table;
  const Layout *shared = parsed(f, "layout<offset=[[0,1],[1,0]] -> 2x2>");
  const Layout *row = parsed(f, "layout<register=[[1]], lane=[[2]] -> 4>");
  const Layout *deep =
      parsed(f, "layout<lane=[] -> 1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1>");
  const int twice[] = {0, 0}, outside[] = {0, 2};
  assert_null(layout_slice(t, shared, 0));
  assert_null(layout_slice(t, row, 1));
  assert_null(layout_slice(t, row, -1));
  assert_null(layout_expand(t, row, 2));
  assert_null(layout_expand(t, deep, 0));
  assert_null(layout_join(t, deep));
  assert_null(layout_join(t, shared));
  assert_null(layout_split(t, row));
  assert_null(layout_split(t, layout_slice(t, row, 0)));
  assert_null(layout_split(t, parsed(f, "layout<register = [[1], [1]] -> 2>")));
  assert_null(layout_split(t, parsed(f, "layout<lane = [[1]] -> 2>")));
  assert_null(layout_transpose(t, shared, twice));
  assert_null(layout_transpose(t, shared, outside));
  assert_null(layout_broadcast(t, row, 0, 8));
  assert_null(layout_broadcast(t, deep, 0, 3));
  assert_null(layout_broadcast(t, deep, 0, INT64_C(1) << 31));
  assert_null(layout_product(t, row, shared));
  const Layout *large = layout_broadcast(t, deep, 0, INT64_C(1) << 30);
  assert_non_null(large);
  assert_null(layout_product(t, large, layout_broadcast(t, deep, 1, 2)));
}

static void test_refusals(void **state) {
  (void)state;
  with_family(refuse);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_operations), cmocka_unit_test(test_spread),
      cmocka_unit_test(test_gather),     cmocka_unit_test(test_scans),
      cmocka_unit_test(test_scan_kinds), cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
