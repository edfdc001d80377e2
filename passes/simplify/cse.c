// cse.c -- merge equal operations.
//
// Blocks are scanned in order.  An op is visible to later ops of its block and
// in blocks nested there, because it dominates them; at the end of a block its
// ops are forgotten.  Ops that read memory are merged if nothing may have
// written in between: `epoch` counts the writes.  Ops with regions are not
// merged.
#include "passes/pass.h"

#include "passes/analysis/walk.h"

#include <assert.h>

enum { LEAST_BUCKETS = 1 << 6, MOST_BUCKETS = 1 << 14 };

typedef struct Seen Seen;
struct Seen {
  Op *op;
  uint64_t hash;
  int epoch;
  Seen *next;   // in the bucket
  Seen *newest; // the op seen before, in any bucket
};

typedef struct {
  Arena *arena;
  Seen **buckets;
  size_t mask; // selects the bucket's number in a hash
  Seen *newest, *free;
  int epoch;
} Visible;

static bool reads_only(const Op *op) {
  return !(op_info[op->kind].effects & ~EFFECTS_READ);
}

static bool can_merge(const Op *op) {
  return op->num_results && !op->num_regions && reads_only(op) &&
         !op_has(op, TRAIT_TERMINATOR | TRAIT_KEEP) &&
         !op_int(op, ATTR_volatile);
}

// -- Equality ----------------------------------------------------------------

static bool same_operands(const Op *a, const Op *b) {
  bool straight = true;
  for (int i = 0; i < a->num_operands; i++) {
    straight &= op_operand(a, i) == op_operand(b, i);
  }
  if (straight || !op_has(a, TRAIT_COMMUTE)) return straight;
  return op_operand(a, 0) == op_operand(b, 1) &&
         op_operand(a, 1) == op_operand(b, 0);
}

static bool same_groups(const Op *a, const Op *b) {
  for (int i = 0; i < op_info[a->kind].num_groups; i++) {
    if (op_group_size(a, i) != op_group_size(b, i)) return false;
  }
  return true;
}

static bool same_results(const Op *a, const Op *b) {
  if (a->num_results != b->num_results) return false;
  for (int i = 0; i < a->num_results; i++) {
    if (a->results[i].type != b->results[i].type) return false;
  }
  return true;
}

static bool same_attrs(const Op *a, const Op *b) {
  if (a->num_attrs != b->num_attrs) return false;
  for (int i = 0; i < a->num_attrs; i++) {
    if (!attr_equal(&a->attrs[i], &b->attrs[i])) return false;
  }
  return true;
}

static bool same(const Op *a, const Op *b) {
  return a->kind == b->kind && a->num_operands == b->num_operands &&
         same_groups(a, b) && same_operands(a, b) && same_results(a, b) &&
         same_attrs(a, b);
}

static uint64_t hash_attr(const Attr *attr, uint64_t seed) {
  switch (attr_info[attr->key].kind) {
  case ATTR_KIND_STRING:
  case ATTR_KIND_INTS: return seed; // compared by same_attrs()
  default: return hash_bytes(&attr->as.i, sizeof attr->as.i, seed);
  }
}

// The hash of an op that reads memory includes the epoch, so that loads from
// before a write are not compared again and again.
static uint64_t hash_op(const Op *op, int epoch) {
  const int read = op_info[op->kind].effects ? epoch : 0;
  uint64_t hash = hash_bytes(&op->kind, sizeof op->kind, (uint64_t)read);
  for (int i = 0; i < op->num_attrs; i++) {
    hash = hash_attr(&op->attrs[i], hash);
  }
  uint64_t operands = 0; // independent of the order, for commutative ops
  for (int i = 0; i < op->num_operands; i++) {
    const Value *value = op_operand(op, i);
    operands += hash_bytes(&value, sizeof value, 1);
  }
  const Type *type = op_result(op)->type;
  return hash_bytes(&type, sizeof type, hash ^ operands);
}

// -- Scopes ------------------------------------------------------------------

static Seen **bucket_of(const Visible *visible, uint64_t hash) {
  return &visible->buckets[hash & visible->mask];
}

static Op *find(const Visible *visible, const Op *op, uint64_t hash) {
  const bool reads = op_info[op->kind].effects != 0;
  for (Seen *s = *bucket_of(visible, hash); s; s = s->next) {
    if (s->hash != hash || (reads && s->epoch != visible->epoch)) continue;
    if (same(s->op, op)) return s->op;
  }
  return NULL;
}

static void remember(Visible *visible, Op *op, uint64_t hash) {
  Seen *s = visible->free;
  if (s) {
    visible->free = s->next;
  } else {
    s = arena_new(visible->arena, Seen);
  }
  Seen **bucket = bucket_of(visible, hash);
  *s = (Seen){op, hash, visible->epoch, *bucket, visible->newest};
  *bucket = visible->newest = s;
}

static void forget_until(Visible *visible, const Seen *until) {
  while (visible->newest != until) {
    Seen *s = visible->newest;
    Seen **bucket = bucket_of(visible, s->hash);
    assert(*bucket == s && "an op of an outer block is forgotten"); // I1
    visible->newest = s->newest;
    *bucket = s->next;
    s->next = visible->free;
    visible->free = s;
  }
}

static void merge_into(Op *earlier, Op *op) {
  assert(earlier != op && earlier->num_results == op->num_results); // I2
  for (int i = 0; i < op->num_results; i++) {
    Value *from = &op->results[i], *to = &earlier->results[i];
    if (!to->name) to->name = from->name;
    if (from->uses) value_replace_uses(from, to);
  }
  op_erase(op);
}

static void merge_block(Visible *visible, Block *block);

static void merge_regions(Visible *visible, Op *op) {
  const bool writes = (op_effects(op) & ~EFFECTS_READ) != 0;
  // A later trip of a loop sees the writes of an earlier one.
  visible->epoch += writes;
  for (int r = 0; r < op->num_regions; r++) {
    merge_block(visible, op->regions[r]);
  }
  visible->epoch += writes;
}

// Recursion is as deep as regions nest, which the parsers limit.
static void merge_block(Visible *visible, Block *block) {
  const Seen *outer = visible->newest;
  for (Op *op = block->first, *next; op; op = next) {
    next = op->next;
    if (op->num_regions) {
      merge_regions(visible, op);
    } else if (!can_merge(op)) {
      visible->epoch += !reads_only(op);
    } else {
      const uint64_t hash = hash_op(op, visible->epoch);
      Op *earlier = find(visible, op, hash);
      if (earlier) {
        merge_into(earlier, op);
      } else {
        remember(visible, op, hash);
      }
    }
  }
  forget_until(visible, outer);
}

static void count_op(Op *op, void *ctx) {
  (void)op;
  ++*(size_t *)ctx;
}

// A power of two near the number of ops: clearing the buckets for a large
// kernel takes longer than the whole pass for a small one.
static size_t num_buckets(const Module *m) {
  size_t num_ops = 0, count = LEAST_BUCKETS;
  for (const Function *f = m->functions; f; f = f->next)
    block_walk(f->body, count_op, &num_ops);
  while (count < num_ops && count < MOST_BUCKETS) count *= 2;
  return count;
}

bool pass_cse(Module *m, const Target *target) {
  (void)target;
  const size_t count = num_buckets(m);
  Visible visible = {.arena = m->arena,
                     .buckets = arena_array(m->arena, Seen *, count),
                     .mask = count - 1};
  for (Function *f = m->functions; f; f = f->next)
    merge_block(&visible, f->body);
  assert(!visible.newest && "a block's ops are still visible"); // I1
  return true;
}
