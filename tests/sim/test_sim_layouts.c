// test_sim_layouts.c -- structs and names are those of cuda.h.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/sim/layouts.h"

#ifdef TILE_HAVE_CUDA_H

#include <cuda.h>

static const Layout layouts[] = {
#define LAYOUT(ours, field, theirs, their_field)                               \
  {#theirs "." #their_field, sizeof(theirs), offsetof(theirs, their_field)},
#include "tests/sim/layouts.def"
};

static void test_structs(void **state) {
  (void)state;
  size_t count;
  const Layout *ours = our_layouts(&count);
  assert_int_equal(count, sizeof layouts / sizeof *layouts);
  for (size_t i = 0; i < count; i++) {
    if (ours[i].size != layouts[i].size || ours[i].offset != layouts[i].offset)
      fail_msg("%s is not %s", ours[i].name, layouts[i].name);
  }
}

#define TEXT_OF(x)  #x
#define EXPANDED(x) TEXT_OF(x)

// A name, its expansion in cuda.h, and our export.
static const struct {
  const char *name, *mapped, *symbol;
} names[] = {
#define CALL_SINCE(since, name, symbol, params)                                \
  {#name, EXPANDED(name), #symbol},
#include "runtime/simulator/driver/calls.def"
};

enum { NUM_NAMES = sizeof names / sizeof *names };

// A program compiled with this cuda.h finds the names that it is linked to.
static void test_names(void **state) {
  (void)state;
  for (size_t i = 0; i < NUM_NAMES; i++) {
    bool found = false;
    for (size_t j = 0; j < NUM_NAMES; j++)
      found |= strcmp(names[j].symbol, names[i].mapped) == 0;
    if (!found && CUDA_VERSION <= 13000)
      fail_msg("%s means %s", names[i].name, names[i].mapped);
  }
}

#else

static void test_structs(void **state) {
  (void)state;
  print_message("SKIP: no cuda.h to compare with\n");
}

static void test_names(void **state) {
  test_structs(state);
}

#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_structs),
      cmocka_unit_test(test_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
