// host_plan_lives.c -- until when the memory of each tile is read.
//
// A virtual tile is computed where a user's loops run, maybe much later than it
// is defined, and reads its operands then.  So lives are found backwards: what
// a virtual tile reads lives as long as the tile itself.
#include "codegen/host.h"

// A value from outside of a loop is needed until the loop ends.
static int extend(const Host *h, int defined, int at) {
  for (size_t i = h->loops.count; i-- > 0;) {
    const OpPlace *loop = h->loops.items[i];
    if (defined < loop->begin && loop->begin <= at && at < loop->end) {
      at = loop->end;
    }
  }
  return at;
}

static int used_until(const Host *h, const Op *user) {
  if (!plan_is_virtual(h, user)) return host_op(h, user)->position;
  int last = 0;
  for (int i = 0; i < user->num_results; i++) {
    const int until = host_place(h, &user->results[i])->last;
    if (until > last) last = until;
  }
  return last;
}

static void find_last(Host *h, const Value *value) {
  Place *place = host_place(h, value);
  place->last = place->position;
  for (const Use *use = value->uses; use; use = use->next) {
    const int until = extend(h, place->position, used_until(h, use->user));
    if (until > place->last) place->last = until;
  }
}

static void find_op(Host *h, const Op *op) {
  for (int r = 0; r < op->num_regions; r++) {
    for (int i = 0; i < op->regions[r]->num_args; i++) {
      find_last(h, &op->regions[r]->args[i]);
    }
  }
  for (int i = 0; i < op->num_results; i++) {
    find_last(h, &op->results[i]);
    // Control flow writes its results until its end.
    Place *place = host_place(h, &op->results[i]);
    const int end = host_op(h, op)->end;
    if (op->num_regions && place->last < end) place->last = end;
  }
}

void plan_lives(Host *h) {
  for (size_t i = h->order.count; i-- > 0;) find_op(h, h->order.items[i]);
}
