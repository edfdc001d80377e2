// test_sim_clocks.c -- clocks (order/clock.h), compared with arrays of times.
//
// Within the limit of their memory clocks are exact.  Beyond it, and without
// memory, they never know less than the arrays, and for CTAs that still run
// they confuse at most the lanes of a warp.
//
// Backs I6 of runtime/simulator/order.
#include "sim_kit.h"

#include "runtime/simulator/order/clock.h"
#include "runtime/simulator/order/memos.h"
#include "runtime/simulator/state/exec.h"

enum { CTAS = 40, THREADS = 80, WARPS = 3, TIMES = WARPS + 1, PLACES = 8 };

typedef struct Known {
  uint32_t times[CTAS][TIMES], lanes[CTAS][THREADS];
} Known;

typedef struct Place {
  Clock *clock;
  Known all, fenced;
} Place;

typedef enum { EXACT, COARSE, NO_LESS } Mode;

typedef struct Test {
  Place places[PLACES];
  ClockUse *use;
  Mode mode;
  uint32_t random;
} Test;

// -- Memory ------------------------------------------------------------------

static long left = -1, live; // allocations before the one that fails

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void __real_free(void *memory);
// The linker wants these to be seen where a library's calls are wrapped, too.
#define SEEN __attribute__((visibility("default")))
SEEN void *__wrap_malloc(size_t bytes);
SEEN void *__wrap_calloc(size_t count, size_t bytes);
SEEN void __wrap_free(void *memory);

void *__wrap_malloc(size_t bytes) {
  if (left >= 0 && !left--) return NULL;
  live++;
  return __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes) {
  live++;
  return __real_calloc(count, bytes);
}

void __wrap_free(void *memory) {
  live -= memory != NULL;
  __real_free(memory);
}

// -- The model ---------------------------------------------------------------

static uint32_t later(uint32_t a, uint32_t b) {
  return a > b ? a : b;
}

static uint32_t lane_time(const Known *known, uint32_t cta, uint32_t thread) {
  return later(known->lanes[cta][thread], known->times[cta][thread / LANES]);
}

// The earliest, or latest, time of a warp's lanes.
static uint32_t warp_time(const Known *known, uint32_t cta, uint32_t warp,
                          bool is_latest) {
  uint32_t time = lane_time(known, cta, warp * LANES);
  for (uint32_t i = warp * LANES; i < THREADS && i / LANES == warp; i++) {
    const uint32_t lane = lane_time(known, cta, i);
    if (is_latest ? lane > time : lane < time) time = lane;
  }
  return time;
}

static void join(Known *to, const Known *from) {
  for (int i = 0; i < CTAS; i++) {
    for (int j = 0; j < TIMES; j++)
      to->times[i][j] = later(to->times[i][j], from->times[i][j]);
    for (int j = 0; j < THREADS; j++)
      to->lanes[i][j] = later(to->lanes[i][j], from->lanes[i][j]);
  }
}

static bool has_ended(const Test *test, uint32_t cta) {
  return clock_use_has_ended(test->use, cta);
}

static void compare_time(const Test *test, const Known *known, uint32_t cta,
                         uint32_t warp, uint32_t wanted, uint32_t found) {
  assert_true(found >= wanted);
  if (test->mode == EXACT) assert_int_equal(found, wanted);
  if (test->mode == COARSE && !has_ended(test, cta))
    assert_true(found <= warp_time(known, cta, warp, true));
}

static void compare(Test *test, const Clock *clock, const Known *known) {
  const uint32_t cta = kit_random(&test->random) % CTAS;
  const uint32_t asked = 1 + kit_random(&test->random) % 300;
  uint32_t unknown[WARPS] = {0};
  for (uint32_t i = 0; i < THREADS; i++) {
    const uint32_t wanted = lane_time(known, cta, i);
    compare_time(test, known, cta, i / LANES, wanted,
                 clock_time(clock, cta, i));
    unknown[i / LANES] |= (uint32_t)(wanted < asked) << i % LANES;
  }
  for (uint32_t i = 0; i < WARPS; i++) {
    const uint32_t found =
        clock_unknown(clock, cta, i, asked, i < 2 ? UINT32_MAX : 0xffff);
    compare_time(test, known, cta, i, warp_time(known, cta, i, false),
                 clock_warp_time(clock, cta, i));
    assert_int_equal(found & ~unknown[i], 0);
    if (test->mode == EXACT) assert_int_equal(found, unknown[i]);
  }
  assert_true(clock_warp_time(clock, cta, WARPS) >= known->times[cta][WARPS]);
}

// -- Steps -------------------------------------------------------------------

// Differences of lanes need one, two or four bytes.
static uint32_t some_time(Test *test) {
  static const uint32_t most[] = {3, 300, 300, 70000, 10000000};
  return kit_random(&test->random) % most[kit_random(&test->random) % 5];
}

static void put(Place *place, Clock *clock) {
  clock_drop(place->clock);
  place->clock = clock;
}

static void add_row(Test *test, Place *place, uint32_t cta) {
  uint32_t times[TIMES];
  for (int i = 0; i < TIMES; i++) {
    times[i] = kit_random(&test->random) % 4 ? 0 : some_time(test);
    place->all.times[cta][i] = later(place->all.times[cta][i], times[i]);
  }
  const ClockRow row = {test->use, cta, THREADS, TIMES, times};
  put(place, clock_with(place->clock, &row));
}

// Lanes of a warp, some of them at one time.
static void add_threads(Test *test, Place *place, uint32_t cta) {
  const bool is_all = kit_random(&test->random) % 2; // of a warp
  const uint32_t first = kit_random(&test->random) % THREADS / LANES * LANES;
  uint32_t time = some_time(test), lanes = 0;
  for (uint32_t i = first; i < THREADS && i < first + LANES; i++) {
    if (!is_all && kit_random(&test->random) % 3) continue;
    place->all.lanes[cta][i] = later(place->all.lanes[cta][i], time);
    lanes |= UINT32_C(1) << i % LANES;
    if (kit_random(&test->random) % 2) continue;
    put(place, clock_with_lanes(place->clock, cta, i / LANES, lanes, time));
    time = some_time(test);
    lanes = 0;
  }
  if (lanes)
    put(place, clock_with_lanes(place->clock, cta, first / LANES, lanes, time));
}

static void step(Test *test) {
  Place *to = &test->places[kit_random(&test->random) % PLACES];
  const Place *from = &test->places[kit_random(&test->random) % PLACES];
  const uint32_t cta = kit_random(&test->random) % CTAS;
  switch (kit_random(&test->random) % 8) {
  case 0:
    put(to, NULL);
    memset(to, 0, sizeof *to);
    break;
  case 1:
  case 2:
    put(to, clock_join(to->clock, from->clock));
    join(&to->all, &from->all);
    join(&to->fenced, &from->fenced);
    break;
  case 3:
    put(to, clock_with_part(to->clock, CLOCK_PROXY_SHARED, from->clock));
    join(&to->fenced, &from->all);
    break;
  default: add_row(test, to, cta); add_threads(test, to, cta);
  }
  compare(test, to->clock, &to->all);
  compare(test, clock_part(to->clock, CLOCK_PROXY_SHARED), &to->fenced);
}

static Test *begin(Mode mode) {
  Test *test = calloc(1, sizeof *test);
  assert_non_null(test);
  test->use = clock_use_create(CTAS, NULL);
  test->mode = mode;
  test->random = 7;
  assert_non_null(test->use);
  return test;
}

static void end(Test *test) {
  for (int i = 0; i < PLACES; i++) put(&test->places[i], NULL);
  clock_use_finish(test->use);
  free(test);
}

// -- Tests -------------------------------------------------------------------

static void test_exact(void **state) {
  (void)state;
  Test *test = begin(EXACT);
  for (int i = 0; i < 6000; i++) step(test);
  assert_false(clock_use_is_full(test->use, CLOCKS_BY_WARP));
  end(test);
}

// Clocks that are kept until that part of the limit is used.
static Clock **fill(ClockUse *use, ClockLevel level, size_t *count) {
  enum { MOST = 1 << 16 };
  Clock **kept = calloc(MOST, sizeof *kept);
  assert_non_null(kept);
  for (*count = 0; *count < MOST && !clock_use_is_full(use, level);) {
    const uint32_t of[TIMES] = {1};
    const ClockRow row = {use, (uint32_t)*count % CTAS, THREADS, TIMES, of};
    kept[(*count)++] = clock_with(NULL, &row);
  }
  assert_true(clock_use_is_full(use, level));
  return kept;
}

// The number of CTAs that a clock knows as a whole, and of lanes that it knows
// up to a later time than the array.
static void count_coarse(const Test *test, uint32_t *ctas, uint32_t *lanes) {
  *ctas = *lanes = 0;
  for (int i = 0; i < PLACES; i++) {
    const Place *place = &test->places[i];
    for (uint32_t cta = 0; cta < CTAS; cta++) {
      *ctas += clock_warp_time(place->clock, cta, 0) == UINT32_MAX;
      *lanes +=
          clock_time(place->clock, cta, 1) > lane_time(&place->all, cta, 1);
    }
  }
}

// Once there is memory again, clocks are exact again.
static void test_full(void **state) {
  (void)state;
  for (ClockLevel level = CLOCKS_BY_WARP; level <= CLOCKS_BY_CTA; level++) {
    size_t count;
    uint32_t ctas, lanes;
    Test *test = begin(COARSE);
    for (uint32_t i = 0; i < CTAS; i += 2) clock_use_end(test->use, i);
    Clock **kept = fill(test->use, level, &count);
    for (int i = 0; i < 3000; i++) step(test);
    count_coarse(test, &ctas, &lanes);
    assert_int_equal(ctas > 0, level == CLOCKS_BY_CTA);
    assert_true(lanes > 0);
    for (size_t i = 0; i < count; i++) clock_drop(kept[i]);
    free(kept);
    for (int i = 0; i < PLACES; i++) put(&test->places[i], NULL);
    memset(test->places, 0, sizeof test->places);
    test->mode = EXACT;
    for (int i = 0; i < 1000; i++) step(test);
    end(test);
  }
}

// At the limit a new clock knows everything; there is memory for it.
static void test_limit(void **state) {
  (void)state;
  enum { MOST = 1 << 16 };
  static Clock *kept[MOST];
  const uint32_t of[TIMES] = {1};
  size_t count = 0;
  Test *test = begin(COARSE);
  const ClockRow row = {test->use, 0, THREADS, TIMES, of};
  do kept[count] = clock_with(NULL, &row);
  while (clock_warp_time(kept[count++], 0, 1) != UINT32_MAX && count < MOST);
  assert_in_range(count, 100, MOST - 1);
  assert_true(clock_use_is_full(test->use, CLOCKS_COMMON));
  while (count) clock_drop(kept[--count]);
  assert_false(clock_use_is_full(test->use, CLOCKS_BY_WARP));
  end(test);
}

// Each allocation fails once.
static void test_memory(void **state) {
  (void)state;
  const long before = live;
  bool has_failed = true;
  for (long i = 0; has_failed; i++) {
    Test *test = begin(NO_LESS);
    left = i;
    for (int j = 0; j < 60; j++) step(test);
    has_failed = left < 0;
    left = -1;
    end(test);
    assert_int_equal(live, before);
  }
}

// Without memory for the count no clock is kept, nor is there a common one.
static void test_uncounted(void **state) {
  (void)state;
  assert_true(clock_use_is_full(NULL, CLOCKS_BY_CTA));
  assert_false(clock_use_is_full(NULL, CLOCKS_COMMON));
}

// The words from `first` on that get the clocks of the first fourteen words, of
// which ten are forgotten by then.
static uint64_t recalled(Clock *clock, WordClocks *first) {
  enum { NUM_GONE = 10, NUM_KEPT = 14 };
  WordMemos memos = {NULL};
  uint64_t found = 0;
  WordClocks *gone = malloc(NUM_GONE * sizeof *gone);
  for (int i = 0; i < 64; i++) first[i] = (WordClocks){.number = (uint16_t)i};
  for (int i = 0; i < NUM_GONE; i++) {
    gone[i] = first[i];
    memos_keep(&memos, &gone[i], clock, clock, false);
  }
  free(gone);
  for (int i = NUM_GONE; i < NUM_KEPT; i++)
    memos_keep(&memos, &first[i], clock, clock, false);
  for (int i = 0; i < 64; i++)
    if (memos_recall(&memos, &first[i], 0)) found |= UINT64_C(1) << i;
  memos_forget(&memos);
  return found;
}

// A lane's earlier words are told apart by number, not by address.
static void test_memos(void **state) {
  (void)state;
  static WordClocks words[200];
  Test *test = begin(EXACT);
  Clock *clock = NULL;
  for (int i = 0; !clock; i++) {
    step(test);
    clock = test->places[i % PLACES].clock;
  }
  const uint64_t found = recalled(clock, words);
  assert_int_equal(found & 0x3fff, 0x3fff);
  assert_int_not_equal(found, UINT64_MAX);
  for (int i = 1; i < 100; i++)
    assert_int_equal(recalled(clock, words + i), found);
  end(test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_memos),  cmocka_unit_test(test_exact),
      cmocka_unit_test(test_full),   cmocka_unit_test(test_limit),
      cmocka_unit_test(test_memory), cmocka_unit_test(test_uncounted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
