// test_debug_text.c -- the printf of device_print, against the C library's.
#include "ir/debug_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static void formats_as_printf(void **state) {
  (void)state;
  static const double floats[] = {0, -0.0, 1.5, -1e-9, 1e300, 123456.789};
  static const int64_t ints[] = {0, 1, -1, INT32_MIN, INT32_MAX, INT64_MIN};
  char found[512], expected[512];
  for (size_t i = 0; i < 6; i++) {
    const int64_t n = ints[i];
    const uint64_t slots[] = {
        (uint64_t)n,        (uint64_t)n,        (uint64_t)n, (uint64_t)n,
        bits_of(floats[i]), bits_of(floats[i]), (uint64_t)n, (uint64_t)n};
    const size_t length =
        debug_format(found, sizeof found,
                     "%u|%3i|%llu|%lli|%f|%a|0x%08x|0x%016llx|100%%\n", slots);
    snprintf(expected, sizeof expected,
             "%u|%3i|%llu|%lli|%f|%a|0x%08x|0x%016llx|100%%\n", (unsigned)n,
             (int)n, (unsigned long long)n, (long long)n, floats[i], floats[i],
             (unsigned)n, (unsigned long long)n);
    assert_string_equal(found, expected);
    assert_int_equal(length, strlen(expected));
  }
}

static void ends_where_the_room_does(void **state) {
  (void)state;
  const uint64_t slots[] = {1234567};
  char out[9] = "xxxxxxxx";
  assert_int_equal(debug_format(out, 8, "n %u\n", slots), 10);
  assert_string_equal(out, "n 12345");
  assert_int_equal(debug_format(NULL, 0, "n %u\n", slots), 10);
  assert_int_equal(debug_format(out, 1, "n", slots), 1);
  assert_string_equal(out, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(formats_as_printf),
      cmocka_unit_test(ends_where_the_room_does),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
