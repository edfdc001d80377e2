// fault_kit.h -- a job runs again and again, each time with one more
// allocation, until it finishes.
#ifndef TILE_TESTS_FAULT_KIT_H
#define TILE_TESTS_FAULT_KIT_H

#include "ir/base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
  long allowed; // allocations before the first refusal
  long live;
} Budget;

static inline void *budget_alloc(void *ctx, size_t size) {
  Budget *budget = ctx;
  if (!budget->allowed) return NULL;
  budget->allowed--;
  budget->live++;
  return malloc(size);
}

static inline void budget_free(void *ctx, void *block) {
  ((Budget *)ctx)->live--;
  free(block);
}

// One run of `work(data)`, with *slot an arena that may make `allowed`
// allocations.  False if it needs more.  All memory must be freed afterwards.
static inline bool fault_try(void (*work)(void *), void *data, Arena **slot,
                             long allowed) {
  Budget budget = {.allowed = allowed};
  const Allocator from = {budget_alloc, budget_free, &budget};
  Arena arena;
  arena_init(&arena, &from);
  *slot = &arena;
  const bool finished = arena_protect(&arena, work, data);
  arena_free(&arena);
  *slot = NULL;
  assert_int_equal(budget.live, 0);
  return finished;
}

// Every allocation of `work(data)` fails once.  Returns how many it needs.
static inline long fault_each(void (*work)(void *), void *data, Arena **slot) {
  enum { MOST = 100000 };
  long allowed = 0;
  while (!fault_try(work, data, slot, allowed)) {
    if (++allowed > MOST) fail_msg("%d allocations do not suffice", MOST);
  }
  return allowed;
}

#endif
