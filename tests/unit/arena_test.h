// arena_test.h -- an arena for all tests of a file: its set-up and tear-down
// are those of cmocka_run_group_tests().
#ifndef TILE_TESTS_UNIT_ARENA_TEST_H
#define TILE_TESTS_UNIT_ARENA_TEST_H

#include "ir/base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static Arena arena;

static inline int arena_set_up(void **state) {
  (void)state;
  arena_init(&arena, &system_allocator);
  return 0;
}

static inline int arena_tear_down(void **state) {
  (void)state;
  arena_free(&arena);
  return 0;
}

#endif
