// test_sim_copy_reads.c -- reads of a page by copies, against an array.
#include "sim_kit.h"

#include "runtime/simulator/history/copy_reads.h"

enum { PIECES = RACE_PAGE_BYTES / COPY_PIECE, READERS = 4, STEPS = 400 };

// The copies under way and the last one that is over, by reader and piece.
typedef struct {
  int under_way[READERS][PIECES];
  uint32_t last[READERS][PIECES];
} Model;

// Lanes 0 and 1 of two CTAs.
static Past past_of(uint32_t reader, uint32_t clock) {
  return (Past){reader / 2, clock, pack_what(3, 0, REACH_NONE),
                UINT32_C(1) << reader % 2};
}

static uint32_t reader_of(const Past *past) {
  return past->cta * 2 + (past->lanes == 2);
}

static void compare(const RacePage *page, const Model *model) {
  for (uint32_t i = 0; i < PIECES; i++) {
    int under_way[READERS] = {0};
    uint32_t last[READERS] = {0}, at = 0;
    Past past;
    while (copy_reads_next(page, i * COPY_PIECE, &at, &past)) {
      const uint32_t reader = reader_of(&past);
      if (past.clock == COPY_UNDER_WAY)
        under_way[reader]++;
      else if (past.clock > last[reader])
        last[reader] = past.clock;
    }
    for (int j = 0; j < READERS; j++) {
      assert_int_equal(under_way[j], model->under_way[j][i]);
      assert_int_equal(last[j], model->last[j][i]);
    }
  }
}

typedef struct {
  uint32_t reader, first, count;
} Copy;

static void start(RacePage *page, Model *model, const Copy *copy) {
  const Past past = past_of(copy->reader, COPY_UNDER_WAY);
  assert_true(copy_reads_add(page, &past, copy->first * COPY_PIECE,
                             copy->count * COPY_PIECE));
  for (uint32_t i = 0; i < copy->count; i++)
    model->under_way[copy->reader][copy->first + i]++;
}

// Ends `count` pieces of the copy, from its piece `from` on.
static void finish(RacePage *page, Model *model, const Copy *copy,
                   uint32_t clock, uint32_t from, uint32_t count) {
  const Past past = past_of(copy->reader, clock);
  const uint32_t offset = (copy->first + from) * COPY_PIECE;
  copy_reads_end(page, &past, offset, count * COPY_PIECE);
  assert_true(copy_reads_add(page, &past, offset, count * COPY_PIECE));
  for (uint32_t i = copy->first + from; i < copy->first + from + count; i++) {
    model->under_way[copy->reader][i]--;
    if (clock > model->last[copy->reader][i])
      model->last[copy->reader][i] = clock;
  }
}

static Copy draw(uint32_t *state) {
  const uint32_t first = kit_random(state) % PIECES;
  return (Copy){kit_random(state) % READERS, first,
                1 + kit_random(state) % (PIECES - first)};
}

// Two copies at a time, each of which ends in two parts, the later part first;
// the copy that ends first may have begun last.
static void reads_are_those_of_an_array(void **state) {
  (void)state;
  uint32_t random = 5;
  RacePage page = {.stamp = 1};
  Model model = {{{0}}, {{0}}};
  for (uint32_t i = 1; i < STEPS; i++) {
    const Copy copies[] = {draw(&random), draw(&random)};
    for (int j = 0; j < 2; j++) start(&page, &model, &copies[j]);
    compare(&page, &model);
    const uint32_t ahead = kit_random(&random) % 2;
    for (uint32_t j = 0; j < 2; j++) {
      const uint32_t part = kit_random(&random) % copies[j].count;
      const uint32_t clock = 2 * i + (j ? 0 : ahead);
      finish(&page, &model, &copies[j], clock, part, copies[j].count - part);
      if (part) finish(&page, &model, &copies[j], clock, 0, part);
    }
    copy_reads_shrink(&page);
    compare(&page, &model);
  }
  copy_reads_destroy(&page);
}

// Writes of the next launch take their fast path again.
static void a_page_forgets_that_copies_have_read_it(void **state) {
  (void)state;
  RacePage page = {.stamp = 1};
  const Past read = past_of(0, 5);
  assert_false(copy_reads_any(&page));
  for (int launch = 0; launch < 2; launch++) {
    assert_true(copy_reads_add(&page, &read, 0, COPY_PIECE));
    assert_true(copy_reads_any(&page));
    copy_reads_forget(&page);
    assert_false(copy_reads_any(&page));
  }
  copy_reads_destroy(&page);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_are_those_of_an_array),
      cmocka_unit_test(a_page_forgets_that_copies_have_read_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
