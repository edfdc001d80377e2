// test_sim_pasts.c -- accesses of the cells of a page, which are stored as
// codes, against an array.
#include "sim_kit.h"

#include "runtime/simulator/history/pasts.h"

enum { WORDS = 256, STEPS = 20000 };

typedef struct {
  Past at[4 * WORDS];
} Model;

static Purse purse = {.most = UINT32_MAX};

// Instructions may share an entry if there are not enough narrow codes.
static void compare(const Pasts *pasts, const Model *model) {
  const uint32_t shared = pasts->is_narrow ? PAST_INST | PAST_NEAR : 0;
  for (uint32_t i = 0; i < pasts->num_cells; i++) {
    Past past = pasts_at(pasts, i), wanted = model->at[i];
    past.what &= ~shared;
    wanted.what &= ~shared;
    assert_memory_equal(&past, &wanted, sizeof past);
  }
}

// One lane of few warps, or some of its lanes.
static Past draw(uint32_t *state) {
  const uint32_t lane = UINT32_C(1) << kit_random(state) % LANES;
  const uint32_t more = kit_random(state) % 4 ? 0 : kit_random(state);
  return (Past){kit_random(state) % 3, 1 + kit_random(state) % 40,
                pack_what(kit_random(state) % 3, kit_random(state) % MAX_WARPS,
                          REACH_NONE),
                lane | more};
}

static void change(Pasts *pasts, Model *model, uint32_t *state) {
  const uint32_t first = kit_random(state) % pasts->num_cells;
  uint32_t count = 1 + kit_random(state) % 16;
  if (first + count > pasts->num_cells) count = pasts->num_cells - first;
  const Past past = kit_random(state) % 5 ? draw(state) : (Past){.what = 0};
  for (uint32_t i = first; i < first + count; i++) model->at[i] = past;
  const bool is_filled = past.what && pasts_fill(pasts, first, count, past);
  assert_true(is_filled || !past.what || pasts->is_narrow);
  if (!past.what) pasts_forget(pasts, first, count);
  for (uint32_t i = first; !is_filled && i < first + count; i++)
    model->at[i] = (Past){.what = 0};
}

// Each cell becomes 1 << shift.
static Pasts *refine(Pasts *pasts, Model *model, int shift, bool is_narrow) {
  Pasts *finer = pasts_refine(pasts, shift, is_narrow);
  assert_non_null(finer);
  for (uint32_t i = finer->num_cells; i-- > 0;)
    model->at[i] = model->at[i >> shift];
  pasts_destroy(pasts);
  return finer;
}

// Cells that become finer may get narrow codes.
static void compare_refined(int shift, bool is_narrow) {
  uint32_t random = 7;
  Model model = {{{0}}};
  Pasts *pasts = pasts_create(WORDS, false, &purse);
  assert_non_null(pasts);
  for (int i = 0; i < STEPS; i++) {
    if (i == STEPS / 2 && is_narrow) {
      pasts_forget(pasts, 0, WORDS);
      model = (Model){{{0}}};
    }
    change(pasts, &model, &random);
    if (i == STEPS / 2) pasts = refine(pasts, &model, shift, is_narrow);
    if (i % 100 == 0 || i == STEPS / 2) compare(pasts, &model);
  }
  assert_true(pasts->num <= pasts->num_cells + 1);
  pasts_forget_all(pasts);
  compare(pasts, &(Model){{{0}}});
  pasts_destroy(pasts);
}

static void codes_remember_what_an_array_does(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++) compare_refined(1 + i % 2, i / 2);
}

// Lanes that store next to each other, with any values.
static void narrow_codes_share_entries(void **state) {
  (void)state;
  for (uint32_t bytes = 1; bytes <= 16; bytes *= 2) {
    Pasts *pasts = pasts_create(4 * WORDS, true, &purse);
    for (uint32_t i = 0; i < 4 * WORDS / bytes; i++) {
      const Past past = {
          .clock = 1 + i / LANES, .what = 1, .lanes = UINT32_C(1) << i % LANES};
      assert_true(pasts_fill(pasts, i * bytes, bytes, past));
    }
    assert_int_equal(pasts->num, 4 * WORDS / bytes / LANES);
    for (uint32_t i = 0; i < 4 * WORDS; i++)
      assert_int_equal(pasts_at(pasts, i).lanes, UINT32_C(1)
                                                     << i / bytes % LANES);
    pasts_destroy(pasts);
  }
}

// A different access in each cell, several times over.
static void each_cell_may_have_another(void **state) {
  (void)state;
  Model model = {{{0}}};
  Pasts *pasts = refine(pasts_create(WORDS, false, &purse), &model, 2, false);
  for (uint32_t i = 0; i < 3u * pasts->num_cells; i++) {
    const Past past = {.clock = i + 1, .what = 1, .lanes = 3};
    model.at[i % pasts->num_cells] = past;
    pasts_fill(pasts, i % pasts->num_cells, 1, past);
  }
  compare(pasts, &model);
  pasts_destroy(pasts);
}

// A warp's store of a word in each lane, and its next store, which replaces it.
static void lanes_of_a_warp_share_an_entry(void **state) {
  (void)state;
  Pasts *pasts = pasts_create(WORDS, false, &purse);
  for (uint32_t i = 0; i < 100u * LANES; i++)
    pasts_fill(pasts, i % LANES, 1,
               (Past){.clock = 1 + i / LANES,
                      .what = 1,
                      .lanes = UINT32_C(1) << i % LANES});
  assert_true(pasts->num <= 2);
  pasts_destroy(pasts);
}

// In a purse for a few entries, accesses that differ only by their instructions
// share one, which is marked; others get none, and all memory is given back.
static void instructions_share_an_entry_where_room_is_short(void **state) {
  (void)state;
  Purse small = {.most = 1200};
  Pasts *pasts = pasts_create(WORDS, false, &small);
  bool may_fill = true;
  for (uint32_t i = 0; i < WORDS; i++) {
    const Past past = {.clock = 1,
                       .what = pack_what(i, i % 4, REACH_NONE),
                       .lanes = UINT32_C(1) << i % LANES};
    may_fill = may_fill && pasts_fill(pasts, i, 1, past);
  }
  assert_true(may_fill && small.used <= small.most);
  for (uint32_t i = 0; i < WORDS; i++) {
    const Past past = pasts_at(pasts, i);
    assert_int_equal(warp_of(&past), i % 4);
    assert_int_equal(past.lanes, UINT32_C(1) << i % LANES);
    assert_true(inst_of(&past) == i || past.what & PAST_NEAR);
  }
  const Past other = {
      .clock = 2, .what = pack_what(0, 0, REACH_NONE), .lanes = 1};
  assert_false(pasts_fill(pasts, WORDS - 1, 1, other));
  assert_int_equal(pasts_at(pasts, WORDS - 1).what, 0);
  pasts_destroy(pasts);
  assert_int_equal(small.used, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(codes_remember_what_an_array_does),
      cmocka_unit_test(narrow_codes_share_entries),
      cmocka_unit_test(each_cell_may_have_another),
      cmocka_unit_test(lanes_of_a_warp_share_an_entry),
      cmocka_unit_test(instructions_share_an_entry_where_room_is_short),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
