// test_rounds.c -- the number of repetitions of a timed launch.
#include "runtime/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

// A tenth of a second, but 5 launches at least and as many as asked at most.
static void rounds_take_a_tenth_of_a_second(void **state) {
  (void)state;
  static const struct {
    double seconds;
    size_t most, rounds;
  } rows[] = {
      {0, 100, 100},     {1e-9, 100, 100}, {1e-3, 101, 100}, {1e-3, 40, 40},
      {0.011, 100, 9},   {0.0165, 100, 6}, {0.019, 100, 5},  {0.021, 100, 5},
      {0.0999, 100, 5},  {7, 100, 5},      {1e-3, 99, 99},   {1e-12, 7, 7},
      {0.0124, 1000, 8},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    assert_int_equal(launch_rounds(rows[i].seconds, rows[i].most),
                     rows[i].rounds);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rounds_take_a_tenth_of_a_second),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
