// proxy_sweep.c -- frees operations that no piece of memory names any more.
#include <stdlib.h>

#include "runtime/simulator/watch/proxy_parts.h"

static void mark_list(const struct Async *async, uint32_t list, bool *ops,
                      bool *lists) {
  for (; list && !lists[list]; list = async->readers[list].next) {
    lists[list] = true;
    ops[async->readers[list].op] = true;
  }
}

static void free_ops(struct Async *async, const bool *named) {
  for (uint32_t i = 1; i <= async->num_ops; i++) {
    Operation *op = &async->ops[i];
    if (named[i] || !op->is_over || op->is_free) continue;
    if (op->is_group && op->num_waits < MOST_WAITS) continue;
    *op = (Operation){.is_free = true, .next_free = async->free_op};
    async->free_op = i;
  }
}

static void free_readers(struct Async *async, const bool *named) {
  async->free_reader = 0;
  for (uint32_t i = 1; i <= async->num_readers; i++) {
    if (named[i]) continue;
    async->readers[i] = (Reader){.next = async->free_reader};
    async->free_reader = i;
  }
  async->by = async->reader = 0;
}

static void mark(struct Async *async, bool *ops, bool *lists) {
  for (uint32_t i = 0; i < cluster_size(async->cta); i++) {
    const struct AsyncShadow *shadow = cluster_at(async->cta, i)->async_shadow;
    for (uint32_t j = 0; shadow && j < shadow->num_pieces; j++) {
      ops[shadow->writers[j]] = true;
      mark_list(async, shadow->readers[j], ops, lists);
    }
  }
}

void proxy_sweep(struct Async *async) {
  bool *ops = calloc((size_t)async->num_ops + async->num_readers + 2, 1);
  if (!ops) return;
  bool *lists = ops + async->num_ops + 1;
  mark(async, ops, lists);
  free_ops(async, ops);
  free_readers(async, lists);
  async->taken = 0;
  async->sweep_at = SWEEP_AFTER + async->num_ops + async->num_readers;
  free(ops);
}
