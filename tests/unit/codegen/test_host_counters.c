// test_host_counters.c -- which loops leave their counter to strength
// reduction.
#include "host_kit.h"

// The rest of the text from the first loop counter that is hidden on.
static const char *hidden(const char *text) {
  const char *at = strstr(text, "= add i64 %i");
  while (at && strncmp(strchr(at, ','), ", 0\n", 4)) {
    at = strstr(at + 1, "= add i64 %i");
  }
  return at;
}

// Counters are hidden, but not in loops that carry vectors: here a maximum is
// computed by such a loop, and then stored by another one.
static void hides_counters(void **state) {
  (void)state;
  HostKit kit;
  host_parse(&kit,
             "kernel @k(%a: ptr<f32>) {\n"
             "  %i = arange {start = 0, end = 256} : tile<256xi32>\n"
             "  %as = splat %a : tile<256xptr<f32>>\n"
             "  %p = addptr %as, %i : tile<256xptr<f32>>\n"
             "  %x = load %p : tile<256xf32>\n"
             "  %s = reduce inputs(%x) {axis = 0} : f32 (%l: f32, %r: f32) {\n"
             "    %m = maxf %l, %r : f32\n"
             "    yield values(%m)\n"
             "  }\n"
             "  %ss = splat %s : tile<256xf32>\n"
             "  store %p, %ss\n"
             "  return\n"
             "}\n");
  assert_true(
      codegen_emit(kit.m, target_find("cpu"), EMIT_LLVM, NULL, &kit.code));
  const char *carries = strstr(kit.code.data, "= phi <");
  const char *stores = strstr(kit.code.data, "store <");
  const char *counter = hidden(kit.code.data);
  assert_true(carries && stores && counter);
  assert_true(carries < counter && counter < stores);
  assert_null(hidden(stores));
  host_close(&kit);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(hides_counters)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
