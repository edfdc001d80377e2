// test_growth.c -- lists and maps are as they were where memory is lacking for
// more, and grow later.
//
// Backs I5 of ir/base.
#include "ir/base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BEFORE = 40, BEHIND = 60, MOST = 4000, KEY = 8 };

static bool lacks;

static void *take(void *ctx, size_t size) {
  (void)ctx;
  return lacks ? NULL : malloc(size);
}

static void give(void *ctx, void *block) {
  (void)ctx;
  free(block);
}

typedef struct {
  int number;
  char room[4096]; // so that a block of the arena holds few
} Item;

typedef struct {
  Arena arena;
  Vec(Item) list;
  Map map;
  char keys[MOST + BEFORE + BEHIND][KEY];
  int count;
} Grown;

static Grown grown;

static void add_item(void *data) {
  (void)data;
  const Item item = {.number = grown.count};
  vec_push(&grown.arena, &grown.list, item);
  grown.count++;
}

static void add_key(void *data) {
  (void)data;
  char *key = grown.keys[grown.count];
  snprintf(key, KEY, "%d", grown.count);
  map_put_text(&grown.map, &grown.arena, key, strlen(key), key);
  grown.count++;
}

// Returns how many were added while memory was lacking.
static int add_all(void (*add)(void *data)) {
  static const Allocator from = {take, give, NULL};
  int added = 0;
  memset(&grown, 0, sizeof grown);
  lacks = false;
  arena_init(&grown.arena, &from);
  for (int i = 0; i < BEFORE; i++)
    assert_true(arena_protect(&grown.arena, add, NULL));
  lacks = true;
  while (added < MOST && arena_protect(&grown.arena, add, NULL)) added++;
  lacks = false;
  for (int i = 0; i < BEHIND; i++)
    assert_true(arena_protect(&grown.arena, add, NULL));
  return added;
}

static void test_lists(void **state) {
  (void)state;
  assert_true(add_all(add_item) < MOST);
  assert_int_equal(grown.list.count, grown.count);
  for (int i = 0; i < grown.count; i++)
    assert_int_equal(grown.list.items[i].number, i);
  arena_free(&grown.arena);
}

static void test_maps(void **state) {
  (void)state;
  assert_true(add_all(add_key) < MOST);
  for (int i = 0; i < grown.count; i++) {
    const char *key = grown.keys[i];
    assert_ptr_equal(map_get_text(&grown.map, key, strlen(key)), key);
  }
  arena_free(&grown.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lists),
      cmocka_unit_test(test_maps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
