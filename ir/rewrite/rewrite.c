// rewrite.c -- the worklist that applies rewrites until nothing changes.
//
// Ops wait in a queue: first all, in program order, then those affected by a
// change: the users of a replaced value, the producers of an operand that lost
// a use, and ops that a rewrite built.  An erased op stays in memory, marked as
// erased.
//
// For example, of `%a = addi %n, 0` and `%b = muli %a, 2`: %a folds to %n,
// which replaces %a in %b; then %b is queued again, and %a is erased.
#include "ir/rewrite.h"

#include <assert.h>

enum { DEFAULT_LIMIT = 64 };

typedef struct {
  bool queued, erased;
} Mark;

typedef struct {
  Module *m;
  const Rewrite *rewrites;
  int num_rewrites;
  Vec(Op *) queue;
  size_t next;  // index of the next one in the queue
  Map marks;    // Op to Mark
  int64_t left; // replacements still allowed
  bool changed;
} Rewriter;

static Mark *mark_of(Rewriter *d, const Op *op) {
  Mark *mark = map_get(&d->marks, op);
  if (mark) return mark;
  mark = arena_new(d->m->arena, Mark);
  map_put(&d->marks, d->m->arena, op, mark);
  return mark;
}

static void push(Rewriter *d, Op *op) {
  Mark *mark = mark_of(d, op);
  if (mark->queued || mark->erased) return;
  mark->queued = true;
  vec_push(d->m->arena, &d->queue, op);
}

static void push_block(Rewriter *d, Block *block);

static void push_tree(Rewriter *d, Op *op) {
  push(d, op);
  for (int i = 0; i < op->num_regions; i++) push_block(d, op->regions[i]);
}

static void push_block(Rewriter *d, Block *block) {
  for (Op *op = block->first; op; op = op->next) push_tree(d, op);
}

static void push_users(Rewriter *d, const Value *value) {
  for (const Use *use = value->uses; use; use = use->next) push(d, use->user);
}

static void push_producers(Rewriter *d, const Op *op) {
  for (int i = 0; i < op->num_operands; i++) {
    Op *def = op_operand(op, i)->def;
    if (def) push(d, def);
  }
}

// -- Erasing -----------------------------------------------------------------

static void mark_erased(Rewriter *d, const Op *op) {
  assert(!mark_of(d, op)->erased && "erased twice"); // I3
  mark_of(d, op)->erased = true;
  push_producers(d, op);
  for (int i = 0; i < op->num_regions; i++) {
    const Op *inner = op->regions[i]->first;
    for (; inner; inner = inner->next) mark_erased(d, inner);
  }
}

static void erase(Rewriter *d, Op *op) {
  mark_erased(d, op);
  op_erase(op);
  d->changed = true;
}

static bool is_dead(const Op *op) {
  for (int i = 0; i < op->num_results; i++) {
    if (op->results[i].uses) return false;
  }
  return op_is_pure(op);
}

// -- Rewriting ---------------------------------------------------------------

// The ops that a rewrite has built are between `before` and `op`.
static void push_new(Rewriter *d, const Op *before, Op *op) {
  Op *at = before ? before->next : op->block->first;
  for (; at != op; at = at->next) push_tree(d, at);
}

static Value *attempt(Rewriter *d, Builder *b, Op *op) {
  Value *value = op_fold(b, op);
  for (int i = 0; !value && i < d->num_rewrites; i++) {
    const Rewrite *rewrite = &d->rewrites[i];
    if (rewrite->kind != OP_COUNT && rewrite->kind != op->kind) continue;
    value = rewrite->apply(b, op);
  }
  return value;
}

static void replace(Rewriter *d, Op *op, Value *value) {
  Value *result = op_result(op);
  assert(op->num_results == 1 && value->type == result->type &&
         "a rewrite changes the type"); // I1
  push_users(d, result);
  if (value->def && !value->name) value->name = result->name;
  value_replace_uses(result, value);
  erase(d, op);
}

static void visit(Rewriter *d, Op *op) {
  if (is_dead(op)) {
    erase(d, op);
    return;
  }
  Builder b = builder_before(d->m, op);
  const Op *before = op->prev;
  Value *value = attempt(d, &b, op);
  assert(op->block == b.block && b.before == op &&
         "a rewrite has moved or erased its op"); // I2
  push_new(d, before, op);
  if (!value) return;
  d->left--;
  d->changed = true;
  if (op->num_results && value == op_result(op)) {
    push(d, op);
    push_users(d, value);
  } else {
    replace(d, op, value);
  }
}

bool function_rewrite(Function *f, const Rewrite *rewrites, int count,
                      int limit) {
  Rewriter d = {.m = f->module, .rewrites = rewrites, .num_rewrites = count};
  push_block(&d, f->body);
  d.left = (int64_t)d.queue.count * (limit ? limit : DEFAULT_LIMIT);
  while (d.next < d.queue.count && d.left > 0) {
    Op *op = d.queue.items[d.next++];
    Mark *mark = mark_of(&d, op);
    mark->queued = false;
    if (!mark->erased && op->block) visit(&d, op);
  }
  return d.changed;
}
