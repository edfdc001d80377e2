// schedule_reads.c -- fragments that would be live across an exchange.
//
// A tile is read where it is converted for its product, perhaps long before
// that.  ptxas sinks such reads to the product, but never over a barrier: if
// warps exchange values in between, such as the product's other operand, all
// fragments are live across the barrier.  So these reads are placed behind the
// exchange.
#include "ir/exchange.h"
#include "passes/pipeline/schedule.h"

// The first product that uses the fragment; NULL if it has other users.
static Op *first_product(const Op *read) {
  Op *first = NULL;
  for (const Use *use = op_result(read)->uses; use; use = use->next) {
    Op *user = use->user;
    if (user->kind != OP_dot || user->block != read->block) return NULL;
    if (!first || op_comes_before(user, first)) first = user;
  }
  return first;
}

// Is the op the conversion of a copied tile, which becomes a read of the
// buffer?
static bool becomes_read(const Schedule *s, const Op *op) {
  if (op->kind != OP_convert_layout) return false;
  const Op *from = op_operand(op, 0)->def;
  while (from && from->kind == OP_trans) from = op_operand(from, 0)->def;
  return from && schedule_copies(s, from);
}

static bool is_structured(const Op *op) {
  return op->kind == OP_for || op->kind == OP_while || op->kind == OP_if;
}

// The product before which the fragment would be live across an exchange; or
// NULL.
static Op *waits_for(const Schedule *s, const Op *read) {
  Op *product = first_product(read);
  if (!product) return NULL;
  for (const Op *op = read->next; op != product; op = op->next) {
    if (is_structured(op) || becomes_read(s, op)) continue;
    if (op_scratch_bytes(op)) return product;
  }
  return NULL;
}

static void find_first(const Value *x, Op **first) {
  for (const Use *use = x->uses; use; use = use->next) {
    Op *user = use->user;
    if (user->kind == OP_trans) {
      find_first(op_result(user), first);
    } else if (!*first || op_comes_before(user, *first)) {
      *first = user;
    }
  }
}

Op *schedule_first_read(const Schedule *s, int load) {
  Op *first = NULL;
  find_first(op_result(s->loads.items[load]), &first);
  return first;
}

// The number of groups of the trip before that came after the copy, plus the
// groups of this trip started since.
int schedule_pending(const Schedule *s, int load) {
  const int count = (int)s->loads.count;
  const Op *read = schedule_first_read(s, load);
  int pending = count - 1 - load;
  for (int i = 0; i < load; i++) {
    const Op *last = map_get(&s->last_dot, s->loads.items[i]);
    if (op_comes_before(last, read)) pending++;
  }
  return pending;
}

bool schedule_reads_wait(const Schedule *s) {
  const Block *body = s->loop->regions[0];
  for (const Op *op = body->first; op; op = op->next) {
    if (becomes_read(s, op) && waits_for(s, op)) return true;
  }
  return false;
}

void schedule_sink_reads(const Schedule *s, const Block *body) {
  for (Op *op = body->first, *next; op; op = next) {
    next = op->next;
    if (op->kind != OP_load_shared) continue;
    Op *product = waits_for(s, op);
    if (!product) continue;
    op_unlink(op);
    op_insert_before(product, op);
  }
}

static bool holds_reads(const Op *op) {
  const unsigned reads = EFFECT_BIT(ACT_READ, EFFECT_SHARED);
  return op->kind == OP_dot || (op_effects(op) & reads);
}

Op *schedule_behind_reads(Op *end) {
  Op *op = end;
  while (op->prev && !holds_reads(op->prev)) op = op->prev;
  return op->prev ? op : end;
}
