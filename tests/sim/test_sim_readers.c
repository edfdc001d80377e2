// test_sim_readers.c -- accesses of a page by many CTAs, against an array.
#include "sim_kit.h"

#include "runtime/simulator/history/readers.h"

enum { WORDS = 256, CTAS = 12, WARPS = 3, STEPS = 4000 };

// The last access of each lane at each cell.
typedef struct Model {
  struct {
    uint32_t clock, what; // 0: none
  } at[4 * WORDS][CTAS][WARPS][LANES];
  uint32_t clocks[CTAS][WARPS], num_cells;
} Model;

static void model_add(Model *model, uint32_t cell, const Past *read) {
  const uint32_t warp = warp_of(read);
  for (int lane = 0; lane < LANES; lane++) {
    const bool is_now =
        model->at[cell][read->cta][warp][lane].clock == read->clock;
    if (!is_now && !in_mask(read->lanes, lane)) continue;
    model->at[cell][read->cta][warp][lane].clock = read->clock;
    model->at[cell][read->cta][warp][lane].what = read->what;
  }
}

static uint32_t count_lanes(const Model *model, uint32_t cell) {
  uint32_t count = 0;
  for (int i = 0; i < CTAS * WARPS * LANES; i++)
    count += model->at[cell][i / LANES / WARPS][i / LANES % WARPS][i % LANES]
                 .clock != 0;
  return count;
}

static void compare_cell(const Readers *readers, const Model *model,
                         uint32_t cell) {
  ReadersAt at = {NULL, 0, 0};
  Past past;
  uint32_t count = 0;
  while (readers && readers_next(readers, cell, &at, &past))
    for (int lane = 0; lane < LANES; lane++) {
      if (!in_mask(past.lanes, lane)) continue;
      const uint32_t warp = warp_of(&past);
      assert_int_equal(past.clock, model->at[cell][past.cta][warp][lane].clock);
      assert_int_equal(past.what, model->at[cell][past.cta][warp][lane].what);
      count++;
    }
  assert_int_equal(count, count_lanes(model, cell));
}

static void compare(const Readers *readers, const Model *model) {
  for (uint32_t i = 0; i < model->num_cells; i++)
    compare_cell(readers, model, i);
}

// A read by one lane or several, at the time of its warp or later; few CTAs do
// it in random order, and many do the same.
static Past draw(Model *model, uint32_t *state, uint32_t cta) {
  const uint32_t warp = kit_random(state) % WARPS;
  uint32_t *clock = &model->clocks[cta][warp];
  *clock += kit_random(state) % 64 == 0 || !*clock;
  const uint32_t lane = UINT32_C(1) << kit_random(state) % 3 * 8;
  const uint32_t more = kit_random(state) % 4 ? 0 : UINT32_C(0xff0000);
  return (Past){cta, *clock, pack_what(kit_random(state) % 2, warp, REACH_NONE),
                lane | more};
}

static void add(Readers **readers, Model *model, const ReadersOf *of,
                uint32_t *state) {
  const uint32_t cta = kit_random(state) % CTAS;
  for (uint32_t i = kit_random(state) % 6; i > 0; i--) {
    const Past read = draw(model, state, cta);
    const uint32_t first = kit_random(state) % model->num_cells;
    uint32_t count = 1 + kit_random(state) % 40;
    if (first + count > model->num_cells) count = model->num_cells - first;
    assert_true(readers_add(readers, of, first, count, &read));
    for (uint32_t j = first; j < first + count; j++) model_add(model, j, &read);
  }
}

static bool is_odd(void *context, const Past *past) {
  (void)context;
  return (past->cta + past->clock) % 2;
}

static void filter(Readers *readers, Model *model, uint32_t *state) {
  const uint32_t cell = kit_random(state) % model->num_cells;
  readers_filter(readers, cell, is_odd, NULL);
  for (uint32_t i = 0; i < CTAS * WARPS * LANES; i++) {
    const uint32_t cta = i / LANES / WARPS, warp = i / LANES % WARPS;
    uint32_t *clock = &model->at[cell][cta][warp][i % LANES].clock;
    if ((cta + *clock) % 2 == 0) *clock = 0;
  }
}

static void forget(Readers *readers, Model *model, uint32_t *state) {
  const uint32_t first = kit_random(state) % model->num_cells;
  uint32_t count = 1 + kit_random(state) % 100;
  if (first + count > model->num_cells) count = model->num_cells - first;
  readers_forget(readers, first, count);
  memset(model->at[first], 0, count * sizeof model->at[first]);
}

static void refine(Readers *readers, Model *model, int shift) {
  assert_true(readers_refine(readers, shift));
  model->num_cells <<= shift;
  for (uint32_t i = model->num_cells; i-- > 0;)
    memcpy(model->at[i], model->at[i >> shift], sizeof model->at[i]);
}

static void readers_remember_what_an_array_does(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++) {
    const int shift = 1 + i / 2;
    uint32_t random = 7;
    Purse purse = {.most = UINT32_MAX};
    ReadersOf of = {.purse = &purse, .by_warp = i % 2};
    Model *model = calloc(1, sizeof *model);
    Readers *readers = NULL;
    assert_non_null(model);
    model->num_cells = WORDS;
    for (int step = 0; step < STEPS; step++) {
      add(&readers, model, &of, &random);
      if (readers && kit_random(&random) % 4 == 0)
        filter(readers, model, &random);
      if (readers && kit_random(&random) % 32 == 0)
        forget(readers, model, &random);
      if (step == STEPS / 2) refine(readers, model, of.fine = shift);
      if (step % 200 == 0) compare(readers, model);
    }
    compare(readers, model);
    readers_destroy(readers);
    assert_int_equal(purse.used, 0);
    free(model);
  }
}

// CTAs that read a whole page in the same way take hardly more memory than one.
static void alike_readers_are_shared(void **state) {
  (void)state;
  size_t bytes[2];
  for (uint32_t many = 0; many < 2; many++) {
    Purse purse = {.most = UINT32_MAX};
    const ReadersOf of = {.purse = &purse};
    Readers *readers = NULL;
    for (uint32_t cta = 0; cta < (many ? 1000 : 2); cta++)
      for (uint32_t i = 0; i < WORDS; i += 4) {
        const Past read = {3 * cta + 5, 1 + i / 32,
                           pack_what(3, i / 128, REACH_NONE),
                           UINT32_C(1) << i / 4 % LANES};
        assert_true(readers_add(&readers, &of, i, 4, &read));
      }
    uint32_t count = 0;
    ReadersAt at = {NULL, 0, 0};
    Past past;
    while (readers_next(readers, WORDS - 1, &at, &past)) count++;
    assert_int_equal(count, many ? 1000 : 2);
    bytes[many] = purse.used;
    readers_destroy(readers);
  }
  assert_int_equal(bytes[0], bytes[1]);
  assert_true(bytes[1] <= 3 * 4 * WORDS);
}

// Warps of a CTA that read a page in the same way take hardly more memory than
// one.
static void alike_warps_are_shared(void **state) {
  (void)state;
  Purse purse = {.most = UINT32_MAX};
  const ReadersOf of = {.purse = &purse, .by_warp = true};
  Readers *readers = NULL;
  for (uint32_t warp = 0; warp < MAX_WARPS; warp++)
    for (uint32_t i = 0; i < WORDS; i++) {
      const Past read = {7, 1 + i / 32, pack_what(3, warp, REACH_NONE),
                         UINT32_C(1) << i % LANES};
      assert_true(readers_add(&readers, &of, i, 1, &read));
    }
  uint32_t count = 0;
  ReadersAt at = {NULL, 0, 0};
  Past past;
  while (readers_next(readers, 100, &at, &past)) {
    assert_int_equal(past.cta, 7);
    assert_int_equal(warp_of(&past), count++);
    assert_int_equal(past.lanes, 1 << 100 % LANES);
  }
  assert_int_equal(count, MAX_WARPS);
  assert_true(purse.used <= 3 * 4 * WORDS);
  readers_destroy(readers);
}

// More times than a page's codes can name.
static void no_reader_is_lost(void **state) {
  (void)state;
  enum { MANY = 5000 };
  Purse purse = {.most = UINT32_MAX};
  const ReadersOf of = {.purse = &purse};
  Readers *readers = NULL;
  for (uint32_t cta = 0; cta < MANY; cta++) {
    const Past read = {cta, 1 + cta, pack_what(0, 0, REACH_NONE), 1};
    assert_true(readers_add(&readers, &of, 17, 1, &read));
  }
  uint32_t count = 0;
  uint64_t sum = 0;
  ReadersAt at = {NULL, 0, 0};
  Past past;
  while (readers_next(readers, 17, &at, &past)) {
    assert_int_equal(past.clock, 1 + past.cta);
    sum += past.cta;
    count++;
  }
  assert_int_equal(count, MANY);
  assert_int_equal(sum, (uint64_t)MANY * (MANY - 1) / 2);
  readers_destroy(readers);
}

// A copy reads as of the time when it began, and is added when it ends.
static void a_later_access_outlasts_an_earlier_one(void **state) {
  (void)state;
  for (uint32_t more = 0; more < 2; more++) {
    Purse purse = {.most = UINT32_MAX};
    const ReadersOf of = {.purse = &purse};
    Readers *readers = NULL;
    const Past later = {3, 5, pack_what(7, 1, REACH_NONE), 1 | more << 9};
    const Past earlier = {3, 2, pack_what(4, 1, REACH_NONE), 1};
    assert_true(readers_add(&readers, &of, 17, 1, &later));
    assert_true(readers_add(&readers, &of, 17, 1, &earlier));
    uint32_t lanes = 0;
    ReadersAt at = {NULL, 0, 0};
    Past past;
    while (readers_next(readers, 17, &at, &past))
      if (past.clock == later.clock) lanes |= past.lanes;
    assert_int_equal(lanes, later.lanes);
    readers_destroy(readers);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(readers_remember_what_an_array_does),
      cmocka_unit_test(alike_readers_are_shared),
      cmocka_unit_test(alike_warps_are_shared),
      cmocka_unit_test(no_reader_is_lost),
      cmocka_unit_test(a_later_access_outlasts_an_earlier_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
