// test_sim_crowd.c -- crowds (history/crowd.h), compared with an array of all
// accesses.
//
// Backs I10 of runtime/simulator/history.
#include "sim_kit.h"

#include "runtime/simulator/history/crowd.h"

enum { WORDS = 256, CTAS = 3, WARPS = 20, STEPS = 3000 };

// Has the warp of the CTA touched the cell?  And its accesses of any cell.
typedef struct Model {
  bool at[4 * WORDS][CTAS][WARPS];
  struct {
    uint32_t first, last, lanes; // first 0: none
  } of[CTAS][WARPS];
  uint32_t num_cells, num_members;
  bool by_cta;
} Model;

static bool has_model(const Model *model, uint32_t cell, const Past *past) {
  if (!model->by_cta) return model->at[cell][past->cta][warp_of(past)];
  bool has = false;
  for (int i = 0; i < WARPS; i++) has |= model->at[cell][past->cta][i];
  return has;
}

static bool has_member(const Crowd *crowd, uint32_t cell, const Past *past) {
  const Member *member = crowd_member(crowd, past);
  return member && crowd_groups(crowd, cell) & crowd_group_of(crowd, member);
}

// If a group has touched a cell, so has one of its members; and each member
// that has touched a cell is in a group that has.
static void compare(const Crowd *crowd, const Model *model) {
  for (uint32_t cell = 0; cell < model->num_cells; cell++) {
    uint32_t groups = 0;
    for (uint32_t i = 0; i < CTAS * WARPS; i++) {
      const Past past = {.cta = i / WARPS,
                         .what = pack_what(0, i % WARPS, REACH_NONE)};
      if (!has_model(model, cell, &past)) continue;
      assert_true(has_member(crowd, cell, &past));
      groups |= crowd_group_of(crowd, crowd_member(crowd, &past));
    }
    assert_int_equal(groups, crowd_groups(crowd, cell));
  }
}

// A member has a time no later than its first access, and all lanes that have
// accessed the page.
static void compare_members(const Crowd *crowd, const Model *model) {
  for (uint32_t i = 0; i < CTAS * WARPS; i++) {
    const uint32_t cta = i / WARPS, warp = i % WARPS;
    const Past past = {.cta = cta, .what = pack_what(0, warp, REACH_NONE)};
    const Member *member = crowd_member(crowd, &past);
    if (!model->of[cta][warp].first) continue;
    assert_non_null(member);
    assert_true(member->past.clock <= model->of[cta][warp].first);
    assert_true(member->latest >= model->of[cta][warp].last);
    assert_int_equal(model->of[cta][warp].lanes & ~member->past.lanes, 0);
    if (model->by_cta) continue;
    assert_int_equal(member->past.clock, model->of[cta][warp].first);
    assert_int_equal(member->past.lanes, model->of[cta][warp].lanes);
  }
}

static void add(Crowd *crowd, Model *model, uint32_t *random) {
  const uint32_t cta = kit_random(random) % CTAS,
                 warp = kit_random(random) % WARPS;
  const uint32_t first = kit_random(random) % model->num_cells;
  uint32_t count = 1 + kit_random(random) % 8;
  if (first + count > model->num_cells) count = model->num_cells - first;
  const Past past = {cta, 1 + kit_random(random) % 50,
                     pack_what(1, warp, REACH_NONE),
                     UINT32_C(1) << kit_random(random) % LANES};
  assert_true(crowd_add(crowd, first, count, &past));
  for (uint32_t i = first; i < first + count; i++)
    model->at[i][cta][warp] = true;
  uint32_t *at = &model->of[cta][warp].first;
  if (!*at || past.clock < *at) *at = past.clock;
  at = &model->of[cta][warp].last;
  if (past.clock > *at) *at = past.clock;
  model->of[cta][warp].lanes |= past.lanes;
}

// Takes a cell from a group, or a group from all cells.
static void take(Crowd *crowd, Model *model, uint32_t *random, bool all) {
  const uint32_t cell = kit_random(random) % model->num_cells;
  const uint32_t group = crowd_groups(crowd, cell) & kit_random(random);
  uint32_t gone[CTAS * WARPS] = {0};
  for (uint32_t i = 0; i < CTAS * WARPS; i++) {
    const Past past = {.cta = i / WARPS,
                       .what = pack_what(0, i % WARPS, REACH_NONE)};
    const Member *member = crowd_member(crowd, &past);
    gone[i] = member && crowd_group_of(crowd, member) & group;
  }
  for (uint32_t i = 0; i < CTAS * WARPS; i++) {
    if (!gone[i]) continue;
    const uint32_t end = all ? model->num_cells : cell + 1;
    for (uint32_t j = all ? 0 : cell; j < end; j++)
      model->at[j][i / WARPS][i % WARPS] = false;
    if (all) memset(&model->of[i / WARPS][i % WARPS], 0, 3 * sizeof(uint32_t));
  }
  if (all)
    crowd_forget(crowd, group);
  else
    crowd_take(crowd, cell, 1, group);
}

static void refine(Crowd *crowd, Model *model, int shift) {
  crowd_refine(crowd, shift);
  model->num_cells <<= shift;
  for (uint32_t i = model->num_cells; i-- > 0;)
    memcpy(model->at[i], model->at[i >> shift], sizeof model->at[i]);
}

static void crowds_remember_what_an_array_does(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++) {
    uint32_t random = 7;
    Model *model = calloc(1, sizeof *model);
    Crowd *crowd = crowd_create(0, i % 2 ? CROWD_BY_CTA : CROWD_NEAR);
    assert_true(model && crowd);
    *model = (Model){.num_cells = WORDS, .by_cta = i % 2};
    for (int step = 0; step < STEPS; step++) {
      add(crowd, model, &random);
      if (step % 3 == 0) take(crowd, model, &random, step % 99 == 0);
      if (step == STEPS / 2) refine(crowd, model, 1 + i / 2);
      if (step % 250 == 0) compare(crowd, model);
    }
    compare(crowd, model);
    compare_members(crowd, model);
    crowd_destroy(crowd);
    free(model);
  }
}

// A crowd has no more members than it has room for.
static void a_full_crowd_takes_no_more(void **state) {
  (void)state;
  Crowd *crowd = crowd_create(0, CROWD_NEAR);
  uint32_t count = 0;
  for (uint32_t i = 0; i < 512; i++) {
    const Past past = {i / MAX_WARPS, 1,
                       pack_what(0, i % MAX_WARPS, REACH_NONE), 1};
    count += crowd_add(crowd, i % WORDS, 1, &past);
  }
  assert_int_equal(count, 64);
  crowd_destroy(crowd);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(crowds_remember_what_an_array_does),
      cmocka_unit_test(a_full_crowd_takes_no_more),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
