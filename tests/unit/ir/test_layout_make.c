// test_layout_make.c -- constructors against their defining formulas.
#include "tests/unit/ir/layout_family.h"

static int64_t min64(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static uint32_t index_of(const Layout *layout, LayoutDim dim, uint32_t word) {
  return layout_unpack(layout, dim, word);
}

// -- Blocked -----------------------------------------------------------------

// Takes the lowest digit of *index, in base `size`, from it.
static int64_t take(uint32_t *index, int64_t size) {
  const int64_t digit = *index % size;
  *index = (uint32_t)(*index / size);
  return digit;
}

static void check_blocked_word(const Layout *layout, const BlockedSpec *spec,
                               uint32_t word) {
  uint32_t reg = index_of(layout, LAYOUT_REGISTER, word);
  uint32_t lane = index_of(layout, LAYOUT_LANE, word);
  uint32_t warp = index_of(layout, LAYOUT_WARP, word);
  int64_t want[LAYOUT_MAX_RANK];
  for (int i = 0; i < layout->rank; i++) {
    const int d = spec->order[i];
    const int64_t held = min64(spec->per_thread[d], layout_size(layout, d));
    want[d] = take(&reg, held);
    want[d] += take(&lane, spec->lanes[d]) * held;
    want[d] += take(&warp, spec->warps[d]) * held * spec->lanes[d];
  }
  for (int i = 0; i < layout->rank; i++) {
    const int d = spec->order[i];
    const int64_t size = layout_size(layout, d);
    const int64_t box =
        min64(spec->per_thread[d], size) * spec->lanes[d] * spec->warps[d];
    if (box < size) want[d] += take(&reg, size / box) * box;
    assert_int_equal(by_hand(layout, word, d), want[d] % size);
  }
}

static void check_blocked(Family *f, int rank, const int64_t *shape,
                          const BlockedSpec *spec) {
  const Layout *layout = layout_blocked(&f->table, rank, shape, spec);
  assert_non_null(layout);
  assert_true(layout_has_shape(layout, rank, shape));
  assert_true(layout_is_surjective(layout));
  for (uint32_t word = 0; word < num_words(layout); word++) {
    check_blocked_word(layout, spec, word);
  }
}

// Every shape up to 64 elements with every split of a few threads.
static void enumerate_blocked(void *data) {
  Family *f = data;
  for (uint32_t n = 0; n < 1u << 14; n++) {
    const int log2_rows = n & 7, log2_columns = n >> 3 & 7;
    if (log2_rows + log2_columns > 6) continue;
    const int64_t shape[] = {1 << log2_rows, 1 << log2_columns};
    const BlockedSpec spec = {
        .per_thread = {1 << (n >> 6 & 1), 1 << (n >> 6 & 2)},
        .lanes = {1 << (n >> 8 & 3), 1 << (n >> 10 & 1)},
        .warps = {1 << (n >> 11 & 1), 1 << (n >> 12 & 1)},
        .order = {n >> 13 & 1, !(n >> 13 & 1)},
    };
    check_blocked(f, 2, shape, &spec);
  }
}

static void blocked_examples(void *data) {
  Family *f = data;
  const int64_t line[] = {1024}, cube[] = {8, 16, 32};
  const BlockedSpec flat = {.per_thread = {4}, .lanes = {32}, .warps = {4}};
  check_blocked(f, 1, line, &flat);
  const BlockedSpec deep = {{2, 1, 4}, {2, 4, 4}, {2, 2, 1}, {0}, {2, 0, 1}};
  check_blocked(f, 3, cube, &deep);
  const BlockedSpec odd = {.per_thread = {3}, .lanes = {32}, .warps = {4}};
  assert_null(layout_blocked(&f->table, 1, line, &odd));
  const int64_t prime[] = {17}, none[] = {0}, huge[] = {INT64_C(1) << 31};
  assert_null(layout_blocked(&f->table, 1, prime, &flat));
  assert_null(layout_blocked(&f->table, 1, none, &flat));
  assert_null(layout_blocked(&f->table, 1, huge, &flat));
  assert_null(layout_blocked(&f->table, LAYOUT_MAX_RANK + 1, cube, &flat));
}

static void test_blocked(void **state) {
  (void)state;
  with_family(enumerate_blocked);
  with_family(blocked_examples);
}

static void check_coalesced(void *data) {
  Family *f = data;
  const int order[] = {1, 0};
  const int64_t shape[] = {16, 64}, tiny[] = {2, 4};
  const Layout *layout = layout_coalesced(&f->table, 2, shape, order, 4, 32, 4);
  // 16 threads of 4 elements a row, two rows a warp, eight rows a block.
  for (uint32_t word = 0; word < num_words(layout); word++) {
    const uint32_t reg = index_of(layout, LAYOUT_REGISTER, word);
    const uint32_t lane = index_of(layout, LAYOUT_LANE, word);
    const uint32_t warp = index_of(layout, LAYOUT_WARP, word);
    assert_int_equal(by_hand(layout, word, 1), reg % 4 + lane % 16 * 4);
    assert_int_equal(by_hand(layout, word, 0),
                     lane / 16 + warp * 2 + reg / 4 * 8);
  }
  layout = layout_coalesced(&f->table, 2, tiny, order, 1, 32, 4);
  assert_int_equal(layout_num_registers(layout), 1);
  assert_int_equal(layout_free_bits(layout), 0x78);
}

static void test_coalesced(void **state) {
  (void)state;
  with_family(check_coalesced);
}

// -- Matrix instructions: the formulas of the PTX manual ---------------------

static void assert_at(const Layout *layout, uint32_t reg, uint32_t lane,
                      uint32_t warp, int64_t row, int64_t column) {
  const uint32_t word = layout_pack(layout, LAYOUT_REGISTER, reg) |
                        layout_pack(layout, LAYOUT_LANE, lane) |
                        layout_pack(layout, LAYOUT_WARP, warp);
  assert_int_equal(by_hand(layout, word, layout->rank - 2), row);
  assert_int_equal(by_hand(layout, word, layout->rank - 1), column);
}

static const MmaSpec one_warp = {.warps_m = 1, .warps_n = 1};

static void check_accumulator(void *data) {
  Family *f = data;
  const int64_t shape[] = {16, 8};
  const Layout *c = layout_mma_accumulator(&f->table, 2, shape, &one_warp);
  assert_int_equal(layout_num_registers(c), 4);
  assert_int_equal(layout_count(c, LAYOUT_LANE), 32);
  assert_true(layout_is_injective(c) && layout_is_surjective(c));
  for (uint32_t lane = 0; lane < 32; lane++) {
    const uint32_t group = lane >> 2, thread_in_group = lane % 4;
    for (uint32_t i = 0; i < 4; i++) {
      const uint32_t row = i < 2 ? group : group + 8;
      const uint32_t column = thread_in_group * 2 + (i & 1);
      assert_at(c, i, lane, 0, row, column);
    }
  }
}

static void check_wide_accumulator(void *data) {
  Family *f = data;
  const int64_t shape[] = {2, 64, 32};
  const MmaSpec spec = {.warps_m = 2, .warps_n = 2};
  const Layout *c = layout_mma_accumulator(&f->table, 3, shape, &spec);
  assert_int_equal(layout_num_registers(c), 2 * 64 * 32 / 128);
  assert_true(layout_is_injective(c) && layout_is_surjective(c));
  assert_at(c, 0, 0, 1, 16, 0);
  assert_at(c, 0, 0, 2, 0, 8);
  assert_at(c, 4, 0, 0, 0, 16);
  assert_at(c, 8, 0, 0, 32, 0);
  assert_at(c, 11, 31, 3, 32 + 16 + 8 + 7, 8 + 7);
}

// A tile smaller than the instruction is repeated inside of it.
static void check_small_mma(void *data) {
  Family *f = data;
  const int64_t c_shape[] = {4, 8}, a_shape[] = {4, 16}, b_shape[] = {16, 2};
  const MmaSpec spec = {.warps_m = 2, .warps_n = 2},
                wide = {1, 1, .warp_n = 16};
  const Layout *c = layout_mma_accumulator(&f->table, 2, c_shape, &spec);
  assert_int_equal(layout_num_registers(c), 2);
  assert_true(layout_is_surjective(c));
  assert_at(c, 1, 31, 3, 3, 7);
  const Layout *a = layout_mma_operand_a(&f->table, 2, a_shape, &spec, 16, 16);
  assert_int_equal(layout_num_registers(a), 4);
  assert_at(a, 3, 31, 3, 3, 15);
  const Layout *b = layout_mma_operand_b(&f->table, 2, b_shape, &spec, 16, 16);
  assert_int_equal(layout_num_registers(b), 4);
  assert_at(b, 3, 31, 3, 15, 1);
  assert_null(layout_mma_accumulator(&f->table, 2, c_shape, &wide));
}

// Columns 2g and 2g + 1 of B are in lanes of group g, columns 4t to 4t + 3 of
// the accumulator in those of number t.
static void check_columns_beside(void *data) {
  Family *f = data;
  const int64_t b_shape[] = {32, 32}, c_shape[] = {16, 32};
  const MmaSpec spec = {.warps_m = 1, .warps_n = 2, .log2_beside = 1};
  const Layout *b = layout_mma_operand_b(&f->table, 2, b_shape, &spec, 8, 32);
  const Layout *c = layout_mma_accumulator(&f->table, 2, c_shape, &spec);
  assert_int_equal(layout_num_registers(b), 16);
  assert_int_equal(layout_num_registers(c), 8);
  for (uint32_t lane = 0; lane < 32; lane++) {
    const uint32_t group = lane >> 2, t = lane % 4;
    for (uint32_t i = 0; i < 16; i++) {
      const uint32_t row = 4 * t + i % 4 + i / 8 * 16;
      assert_at(b, i, lane, 1, row, 16 + 2 * group + i / 4 % 2);
    }
    for (uint32_t i = 0; i < 8; i++) {
      assert_at(c, i, lane, 1, group + i / 4 * 8, 16 + 4 * t + i % 4);
    }
  }
  const int64_t narrow[] = {32, 8};
  assert_null(layout_mma_operand_b(&f->table, 2, narrow, &spec, 8, 32));
}

// An instruction has eight of each 16 columns: those whose bit 1 equals its
// number. So a lane has columns 4t to 4t + 3 of the accumulator, which can be A
// of the next product if a lane of A holds four elements along k.
static void check_pairs_beside(void *data) {
  Family *f = data;
  const int64_t b_shape[] = {16, 32}, c_shape[] = {16, 32};
  const MmaSpec spec = {.warps_m = 1, .warps_n = 1, .log2_pairs = 1};
  const Layout *b = layout_mma_operand_b(&f->table, 2, b_shape, &spec, 16, 16);
  const Layout *c = layout_mma_accumulator(&f->table, 2, c_shape, &spec);
  const MmaSpec plain = {.warps_m = 1, .warps_n = 1};
  assert_ptr_equal(c,
                   layout_mma_operand_a(&f->table, 2, c_shape, &plain, 8, 32));
  for (uint32_t lane = 0; lane < 32; lane++) {
    const uint32_t g = lane >> 2, t = lane % 4;
    for (uint32_t i = 0; i < 16; i++) {
      const uint32_t row = 2 * t + i % 2 + i / 2 % 2 * 8;
      const uint32_t column = g % 2 + i / 4 % 2 * 2 + g / 2 * 4 + i / 8 * 16;
      assert_at(b, i, lane, 0, row, column);
      const uint32_t down = g + i / 4 % 2 * 8;
      assert_at(c, i, lane, 0, down, 4 * t + i % 4 + i / 8 * 16);
    }
  }
  const int64_t narrow[] = {16, 8};
  assert_null(layout_mma_operand_b(&f->table, 2, narrow, &spec, 16, 16));
}

// Rows 2g and 2g + 1 of A, and of the accumulator, are in lanes of group g.
static void check_row_pairs(void *data) {
  Family *f = data;
  const int64_t a_shape[] = {32, 8}, c_shape[] = {32, 8};
  const MmaSpec spec = {.warps_m = 2, .warps_n = 1, .row_pairs = true};
  const Layout *a = layout_mma_operand_a(&f->table, 2, a_shape, &spec, 32, 8);
  const Layout *c = layout_mma_accumulator(&f->table, 2, c_shape, &spec);
  assert_int_equal(layout_num_registers(a), 4);
  assert_int_equal(layout_num_registers(c), 4);
  for (uint32_t lane = 0; lane < 32; lane++) {
    const uint32_t group = lane >> 2, t = lane % 4;
    for (uint32_t i = 0; i < 4; i++) {
      assert_at(a, i, lane, 1, 16 + 2 * group + i % 2, t + i / 2 * 4);
      assert_at(c, i, lane, 1, 16 + 2 * group + i / 2, 2 * t + i % 2);
    }
  }
}

static void check_wgmma(void *data) {
  Family *f = data;
  const int64_t shape[] = {128, 64};
  const MmaSpec spec = {.warps_m = 8, .warps_n = 1, .warp_n = 64};
  const Layout *d = layout_mma_accumulator(&f->table, 2, shape, &spec);
  assert_int_equal(layout_num_registers(d), 32);
  for (uint32_t word = 0; word < num_words(d); word++) {
    const uint32_t i = index_of(d, LAYOUT_REGISTER, word);
    const uint32_t lane = index_of(d, LAYOUT_LANE, word);
    const uint32_t warp = index_of(d, LAYOUT_WARP, word);
    const uint32_t row =
        warp / 4 * 64 + warp % 4 * 16 + lane / 4 + i / 2 % 2 * 8;
    const uint32_t column = i / 4 * 8 + lane % 4 * 2 + i % 2;
    assert_at(d, i, lane, warp, row, column);
  }
}

static void check_operand_a(void *data) {
  Family *f = data;
  const int64_t half[] = {16, 16}, single[] = {16, 8}, byte[] = {16, 32};
  const Layout *a = layout_mma_operand_a(&f->table, 2, half, &one_warp, 16, 16);
  const Layout *t =
      layout_mma_operand_a(&f->table, 2, single, &one_warp, 32, 8);
  const Layout *b = layout_mma_operand_a(&f->table, 2, byte, &one_warp, 8, 32);
  const Layout *h =
      layout_mma_operand_a(&f->table, 2, single, &one_warp, 16, 8);
  assert_int_equal(layout_num_registers(a), 8);
  assert_int_equal(layout_num_registers(t), 4);
  assert_int_equal(layout_num_registers(b), 16);
  assert_int_equal(layout_num_registers(h), 4);
  for (uint32_t lane = 0; lane < 32; lane++) {
    const uint32_t group = lane >> 2, thread = lane % 4;
    for (uint32_t i = 0; i < 8; i++) {
      const bool upper = i < 2 || (i >= 4 && i < 6);
      assert_at(a, i, lane, 0, upper ? group : group + 8,
                thread * 2 + (i & 1) + (i < 4 ? 0 : 8));
    }
    for (uint32_t i = 0; i < 4; i++) {
      assert_at(t, i, lane, 0, group + i % 2 * 8, thread + (i < 2 ? 0 : 4));
      assert_at(h, i, lane, 0, group + i / 2 * 8, thread * 2 + (i & 1));
    }
    for (uint32_t i = 0; i < 16; i++) {
      const bool upper = i < 4 || (i >= 8 && i < 12);
      assert_at(b, i, lane, 0, upper ? group : group + 8,
                thread * 4 + (i & 3) + (i < 8 ? 0 : 16));
    }
  }
}

static void check_operand_b(void *data) {
  Family *f = data;
  const int64_t half[] = {16, 8}, single[] = {8, 8}, byte[] = {32, 8};
  const Layout *b = layout_mma_operand_b(&f->table, 2, half, &one_warp, 16, 16);
  const Layout *t =
      layout_mma_operand_b(&f->table, 2, single, &one_warp, 32, 8);
  const Layout *q = layout_mma_operand_b(&f->table, 2, byte, &one_warp, 8, 32);
  for (uint32_t lane = 0; lane < 32; lane++) {
    const uint32_t group = lane >> 2, thread = lane % 4;
    for (uint32_t i = 0; i < 4; i++) {
      assert_at(b, i, lane, 0, thread * 2 + (i & 1) + (i < 2 ? 0 : 8), group);
    }
    for (uint32_t i = 0; i < 2; i++) {
      assert_at(t, i, lane, 0, thread + i * 4, group);
    }
    for (uint32_t i = 0; i < 8; i++) {
      assert_at(q, i, lane, 0, thread * 4 + (i & 3) + (i < 4 ? 0 : 16), group);
    }
  }
}

// Each warp holds the rows of A and the columns of B that its part of the
// accumulator needs.
static void check_operands_match(void *data) {
  Family *f = data;
  const int64_t c_shape[] = {64, 64}, a_shape[] = {64, 32},
                b_shape[] = {32, 64};
  const MmaSpec spec = {.warps_m = 2, .warps_n = 4, .warp_n = 16};
  const Layout *c = layout_mma_accumulator(&f->table, 2, c_shape, &spec);
  const Layout *a = layout_mma_operand_a(&f->table, 2, a_shape, &spec, 16, 16);
  const Layout *b = layout_mma_operand_b(&f->table, 2, b_shape, &spec, 16, 16);
  bool has_row[8][64] = {{0}}, has_column[8][64] = {{0}};
  for (uint32_t word = 0; word < num_words(a); word++) {
    has_row[index_of(a, LAYOUT_WARP, word)][by_hand(a, word, 0)] = true;
  }
  for (uint32_t word = 0; word < num_words(b); word++) {
    has_column[index_of(b, LAYOUT_WARP, word)][by_hand(b, word, 1)] = true;
  }
  for (uint32_t word = 0; word < num_words(c); word++) {
    const uint32_t warp = index_of(c, LAYOUT_WARP, word);
    assert_true(has_row[warp][by_hand(c, word, 0)]);
    assert_true(has_column[warp][by_hand(c, word, 1)]);
  }
  // Registers of B: both halves of k, then the columns of the warp, then k.
  assert_at(b, 2, 0, 0, 8, 0);
  assert_at(b, 4, 0, 0, 0, 8);
  assert_at(b, 8, 0, 0, 16, 0);
  assert_null(layout_mma_operand_a(&f->table, 2, a_shape, &spec, 16, 32));
  assert_null(layout_mma_operand_a(&f->table, 2, a_shape, &spec, 12, 16));
  assert_null(layout_mma_operand_b(&f->table, 2, b_shape, &spec, 64, 16));
}

static void test_mma(void **state) {
  (void)state;
  with_family(check_accumulator);
  with_family(check_wide_accumulator);
  with_family(check_small_mma);
  with_family(check_columns_beside);
  with_family(check_pairs_beside);
  with_family(check_row_pairs);
  with_family(check_wgmma);
  with_family(check_operand_a);
  with_family(check_operand_b);
  with_family(check_operands_match);
}

// -- Shared memory -----------------------------------------------------------

static void check_swizzled(void *data) {
  Family *f = data;
  const int64_t shape[] = {16, 32};
  const int row_major[] = {1, 0}, column_major[] = {0, 1};
  for (uint32_t n = 0; n < 64; n++) {
    const uint32_t vec = 1u << (n & 3), per = 1u << (n >> 2 & 3);
    const uint32_t phases = 1u << (n >> 4 & 3);
    if (vec * phases > 32 || per * phases > 16) continue;
    const Layout *s = layout_swizzled(&f->table, 2, shape, row_major, (int)vec,
                                      (int)per, (int)phases);
    assert_true(layout_is_injective(s) && layout_is_surjective(s));
    for (uint32_t offset = 0; offset < 512; offset++) {
      const uint32_t row = offset / 32, phase = row / per % phases;
      assert_int_equal(by_hand(s, offset, 0), row);
      assert_int_equal(by_hand(s, offset, 1), offset % 32 ^ phase * vec);
    }
  }
  const Layout *plain = layout_shared(&f->table, 2, shape, column_major);
  for (uint32_t offset = 0; offset < 512; offset++) {
    assert_int_equal(by_hand(plain, offset, 0), offset % 16);
    assert_int_equal(by_hand(plain, offset, 1), offset / 16);
  }
  assert_ptr_equal(plain,
                   layout_swizzled(&f->table, 2, shape, column_major, 4, 1, 1));
  assert_null(layout_swizzled(&f->table, 2, shape, row_major, 3, 1, 1));
}

// The address bits that the hardware exchanges, on bytes.
static uint32_t hardware_swizzle(uint32_t address, uint32_t bytes) {
  const uint32_t mask = bytes / 16 - 1;
  return address ^ (address >> 7 & mask) << 4;
}

static void check_tma_word(const Layout *s, uint32_t offset, uint32_t bytes,
                           uint32_t elem_bytes) {
  const uint32_t rows = (uint32_t)layout_size(s, 0), width = bytes / elem_bytes;
  const uint32_t row = (uint32_t)by_hand(s, offset, 0);
  const uint32_t column = (uint32_t)by_hand(s, offset, 1);
  const uint32_t linear =
      (column / width * rows + row) * bytes + column % width * elem_bytes;
  assert_int_equal(offset * elem_bytes, hardware_swizzle(linear, bytes));
}

static void check_tma(void *data) {
  Family *f = data;
  const int order[] = {1, 0};
  for (uint32_t n = 0; n < 72; n++) {
    const uint32_t bytes = 32u << n % 3, elem_bytes = 1u << n / 3 % 3;
    const int64_t rows = 1 << (n / 9 % 4 + (n / 9 > 3)), columns = 128;
    const int64_t shape[] = {rows, columns};
    const Layout *s =
        layout_tma(&f->table, 2, shape, order, (int)bytes, (int)elem_bytes * 8);
    for (uint32_t offset = 0; offset < num_words(s); offset++) {
      check_tma_word(s, offset, bytes, elem_bytes);
    }
  }
  const int64_t narrow[] = {8, 16}, cube[] = {4, 8, 64};
  const int last_first[] = {2, 1, 0};
  assert_null(layout_tma(&f->table, 2, narrow, order, 128, 16));
  assert_null(layout_tma(&f->table, 2, narrow, order, 16, 16));
  const Layout *box = layout_tma(&f->table, 3, cube, last_first, 128, 16);
  assert_int_equal(by_hand(box, 8 * 64, 0), 1);
}

static void test_shared(void **state) {
  (void)state;
  with_family(check_swizzled);
  with_family(check_tma);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_blocked),
      cmocka_unit_test(test_coalesced),
      cmocka_unit_test(test_mma),
      cmocka_unit_test(test_shared),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
