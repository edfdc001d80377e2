// cuts.c -- the cuts of tiles by which blocks share a program.
//
// A stored tile is cut in some way; from the ops with effects backwards,
// through loops and branches, each op determines how its operands must be cut.
// A value that is needed in two ways is computed in both.  Each choice of cuts
// of stored tiles is tried, and the one with the least work for each block is
// taken.
//
// For example, two blocks share `store %c, (dot %a, %b)` with %a of 64x16 and
// %b of 16x256.  Cut along rows, a block loads 32x16 of %a and all of %b, along
// columns all of %a and 16x128 of %b: the second has less work, and is taken.
#include "passes/cluster/cuts.h"

#include "ir/wgmma.h"
#include "passes/analysis/analysis.h"
#include "passes/analysis/walk.h"

enum { MAX_ROOTS = 64, MAX_CHOICES = 64 };
enum { TRIPS = 16 }; // assumed trips of a loop, to compare work

CutSet cuts_wanted(const Cuts *cuts, const Value *value) {
  return (CutSet)(uintptr_t)map_get(&cuts->wanted, value);
}

void cuts_want(Cuts *cuts, const Value *value, CutSet set) {
  map_put(&cuts->wanted, cuts->arena, value, (void *)(uintptr_t)set);
}

int cuts_root(const Cuts *cuts, const Op *op) {
  return (int)(uintptr_t)map_get(&cuts->roots, op) - 2;
}

// -- Cuts that ops need ------------------------------------------------------

typedef struct {
  const Value *value;
  int cut;
} CutWant;

typedef struct {
  Cuts *cuts;
  Vec(CutWant) todo;
  bool fails;
} CutSearch;

static void want(CutSearch *s, const Value *value, int cut) {
  const CutSet known = cuts_wanted(s->cuts, value);
  if (known & cut_bit(cut)) return;
  s->fails |= !cut_fits(value->type, cut, s->cuts->parts);
  if (s->fails) return;
  cuts_want(s->cuts, value, known | cut_bit(cut));
  vec_push(s->cuts->arena, &s->todo, ((CutWant){value, cut}));
}

static void want_operands(CutSearch *s, const Op *op, int cut) {
  for (int i = 0; i < op->num_operands && !s->fails; i++) {
    int of;
    if (cut_of_operand(op, i, cut, s->cuts->parts, &of))
      want(s, op_operand(op, i), of);
    else
      s->fails = true;
  }
  // The values that a region combines are scalars.
  for (int r = 0; r < op->num_regions; r++) {
    const Op *end = block_end(op->regions[r]);
    for (int i = 0; i < end->num_operands; i++)
      want(s, op_operand(end, i), WHOLE);
  }
}

static void want_slot(CutSearch *s, const Op *loop, int slot, int cut) {
  want(s, for_init(loop, slot), cut);
  want(s, for_arg(loop, slot), cut);
  want(s, region_yield(loop, 0, slot), cut);
  want(s, &loop->results[slot], cut);
}

// All values that a `while` carries are whole.
static void want_while(CutSearch *s, const Op *op, int cut) {
  s->fails |= cut != WHOLE;
  if (!s->fails) want_operands(s, op, WHOLE);
}

static void want_of_arg(CutSearch *s, const Value *arg, int cut) {
  const Op *owner = arg->block->parent;
  if (!owner) {
    s->fails |= cut != WHOLE;
  } else if (owner->kind == OP_while) {
    want_while(s, owner, cut);
  } else if (owner->kind == OP_for && arg->index) {
    want_slot(s, owner, arg->index - 1, cut);
  }
}

static void go_back(CutSearch *s, CutWant from) {
  const Op *op = from.value->def;
  if (!op) {
    want_of_arg(s, from.value, from.cut);
  } else if (op->kind == OP_for) {
    want_slot(s, op, from.value->index, from.cut);
  } else if (op->kind == OP_while) {
    want_while(s, op, from.cut);
  } else if (op->kind == OP_if) {
    for (int r = 0; r < 2; r++)
      want(s, region_yield(op, r, from.value->index), from.cut);
  } else if (!map_get(&s->cuts->roots, op)) {
    want_operands(s, op, from.cut);
  }
}

// Control flow is the same in all blocks.
static void want_control(Op *op, void *ctx) {
  CutSearch *s = ctx;
  switch (op->kind) {
  case OP_for:
    for (int i = 0; i < FOR_INIT; i++) want(s, op_operand(op, i), WHOLE);
    break;
  case OP_if:
  case OP_assume:
  case OP_condition: want(s, op_operand(op, 0), WHOLE); break;
  default: break;
  }
}

// -- Roots -------------------------------------------------------------------

typedef struct {
  Op *op;
  const Type *tile; // the stored tile; rank 0 for a scalar
} Root;

typedef struct {
  Function *f;
  const Target *target;
  Vec(Root) roots;
  Vec(const Op *) reads;
  const char *why; // reason why the program cannot be shared; or NULL
} CutProgram;

static const char *const why_effects =
    "it prints, asserts, has assembly with effects or meets at a barrier";
static const char *const why_order =
    "its threads wait for one another through memory";
static const char *const why_again =
    "it loads or writes again what it may have written";
static const char *const why_many = "it has too many stores";
static const char *const why_none = "no tile that it writes can be cut";

static bool is_write(const Op *op) {
  switch (op->kind) {
  case OP_store:
  case OP_store_block:
  case OP_store_desc:
  case OP_atomic_rmw:
  case OP_atomic_cas: return true;
  default: return false;
  }
}

static const char *why_not(const Op *op) {
  const bool waits = op_int(op, ATTR_volatile) ||
                     (op_is_atomic(op) && op_int(op, ATTR_scope) == SCOPE_cta);
  if (waits) return why_order;
  if (is_write(op) || op_has(op, TRAIT_TERMINATOR) || op->kind == OP_assume)
    return NULL;
  return op_is_root(op) ? why_effects : NULL;
}

static void look(Op *op, void *ctx) {
  CutProgram *p = ctx;
  Arena *arena = p->f->module->arena;
  if (!p->why) p->why = why_not(op);
  if (is_write(op)) {
    const int value = op->kind == OP_atomic_cas ? 2 : 1;
    vec_push(arena, &p->roots, ((Root){op, op_operand(op, value)->type}));
  }
  const bool reads = op_info[op->kind].effects & EFFECTS_READ;
  if (reads && !(is_write(op) && op_is_unused(op)))
    vec_push(arena, &p->reads, op);
}

static bool is_one_memory(const Op *a, const Op *b) {
  const Value *base = address_base(op_operand(a, 0));
  return !base || base == address_base(op_operand(b, 0)) ||
         !address_base(op_operand(b, 0));
}

// Does the program load from memory that it stores to?  A block would see only
// its own stores.
static bool loads_written(const CutProgram *p) {
  for (size_t i = 0; i < p->roots.count; i++) {
    for (size_t k = 0; k < p->reads.count; k++) {
      if (p->roots.items[i].op == p->reads.items[k]) continue;
      if (is_one_memory(p->roots.items[i].op, p->reads.items[k])) return true;
    }
  }
  return false;
}

// The order of an update relative to other accesses does not matter if it is
// the only access that others can see.
static bool has_order(const CutProgram *p) {
  for (size_t i = 0; i < p->roots.count; i++) {
    const Op *op = p->roots.items[i].op;
    if (!op_is_atomic(op) || op_int(op, ATTR_sem) == SEM_relaxed) continue;
    if (p->roots.count > 1 || !op_is_unused(op)) return true;
  }
  return false;
}

// -- Choices -----------------------------------------------------------------

// Are the addresses of the two stores always different?  For stores in loops
// this is unknown: only addresses of one trip are compared.
static bool are_apart(Arena *arena, const Op *a, const Op *b) {
  if (a->kind != OP_store || b->kind != OP_store) return false;
  if (op_is_in_loop(a) || op_is_in_loop(b)) return false;
  return places_apart(place_of(arena, op_operand(a, 0)),
                      place_of(arena, op_operand(b, 0)));
}

static bool find_step(const Cuts *cuts, const Op *store, int dim,
                      const Op *loop, int64_t *step) {
  return store->kind == OP_store_desc
             ? place_step(cuts->arena, op_operand(store, 2 + dim), loop, step)
             : block_step(op_operand(store, 0), dim, loop, step);
}

// The block that a loop stores moves along the cut dimension, by less than its
// length.
static bool block_meets_next(const Cuts *cuts, const Op *op, const Op *loop) {
  const Type *block = op_operand(op, 0)->type;
  const int tile_rank = op_operand(op, 1)->type->rank;
  const int cut = cuts_root(cuts, op) + block->rank - tile_rank;
  for (int i = 0; i < block->rank; i++) {
    int64_t step;
    if (!find_step(cuts, op, i, loop, &step) || (i == cut && !step) ||
        step >= block->shape[i] || step <= -block->shape[i])
      return false;
  }
  return true;
}

// Do the tiles of a trip and the next one overlap, so that different blocks may
// write the common part?
static bool meets_next_trip(const Cuts *cuts, const Root *root) {
  const Op *op = root->op;
  const Value *to = op_operand(op, 0);
  if (cuts_root(cuts, op) == WHOLE) return false;
  for (const Op *at = op->block->parent; at; at = at->block->parent) {
    if (at->kind != OP_for && at->kind != OP_while) continue;
    const bool is_block =
        op->kind == OP_store_desc || op->kind == OP_store_block;
    if (is_block
            ? block_meets_next(cuts, op, at)
            : type_is_tile(to->type) && place_meets_next(cuts->arena, to, at))
      return true;
  }
  return false;
}

// Is each element that both ops write written by the same block?  The tiles
// that a loop writes in different trips are assumed to be the same tile, or not
// to overlap.
static bool keep_order(const Cuts *cuts, const Root *a, const Root *b) {
  const int cut = cuts_root(cuts, a->op), other = cuts_root(cuts, b->op);
  if (!is_one_memory(a->op, b->op) || (cut == WHOLE && other == WHOLE) ||
      are_apart(cuts->arena, a->op, b->op))
    return true;
  if (cut == WHOLE || cut != other || a->op->kind != b->op->kind) return false;
  if (a->tile->rank != b->tile->rank ||
      a->tile->shape[cut] != b->tile->shape[cut] ||
      op_operand(a->op, 0) != op_operand(b->op, 0))
    return false;
  if (a->op->kind != OP_store_desc) return true;
  const int at = 2 + cut + op_operand(a->op, 0)->type->rank - a->tile->rank;
  return op_operand(a->op, at) == op_operand(b->op, at);
}

static bool all_keep_order(const Cuts *cuts, const CutProgram *p) {
  for (size_t i = 0; i < p->roots.count; i++) {
    if (meets_next_trip(cuts, &p->roots.items[i])) return false;
    for (size_t k = 0; k < i; k++)
      if (!keep_order(cuts, &p->roots.items[k], &p->roots.items[i]))
        return false;
  }
  return true;
}

static bool is_cut(const Cuts *cuts, const CutProgram *p) {
  for (size_t i = 0; i < p->roots.count; i++)
    if (cuts_root(cuts, p->roots.items[i].op) != WHOLE) return true;
  return false;
}

// The old value of an update is known only to the block that does the update.
static bool old_values_fit(const Cuts *cuts, const CutProgram *p) {
  if (!is_cut(cuts, p)) return true; // one block does everything
  for (size_t i = 0; i < p->roots.count; i++) {
    const Op *op = p->roots.items[i].op;
    if (!op->num_results) continue;
    const int cut = cuts_root(cuts, op);
    const CutSet have = cut == WHOLE ? 0 : cut_bit(cut);
    if (cuts_wanted(cuts, op_result(op)) & ~have) return false;
  }
  return true;
}

static bool spread(Cuts *cuts, const CutProgram *p) {
  CutSearch s = {.cuts = cuts};
  block_walk(p->f->body, want_control, &s);
  for (size_t i = 0; i < p->roots.count && !s.fails; i++) {
    const Root *root = &p->roots.items[i];
    const int cut = cuts_root(cuts, root->op);
    s.fails = !cut_fits(root->tile, cut, cuts->parts);
    if (!s.fails) want_operands(&s, root->op, cut);
  }
  while (s.todo.count && !s.fails) go_back(&s, s.todo.items[--s.todo.count]);
  return !s.fails && all_keep_order(cuts, p) && old_values_fit(cuts, p);
}

// -- The work of a block -----------------------------------------------------

typedef struct {
  const Cuts *cuts;
  const Target *target;
  double work;
} Cost;

static double work_of(const Cost *x, const Op *op, int cut) {
  const Type *type = op_result(op)->type;
  double work = (double)type->num_elements;
  if (cut != WHOLE) work /= x->cuts->parts;
  for (const Op *at = op->block->parent; at; at = at->block->parent)
    work *= at->kind == OP_if ? 1 : TRIPS;
  if (op->kind != OP_dot) return work;
  const Type *a = op_operand(op, 0)->type;
  const int64_t rows = type->shape[type->rank - 2];
  const int64_t part = cut == type->rank - 2 ? rows / x->cuts->parts : rows;
  const bool loses = x->target && target_can(x->target, CAP_WGMMA) &&
                     part < WGMMA_ROWS && rows >= WGMMA_ROWS;
  return work * (double)a->shape[a->rank - 1] * (loses ? 4 : 1);
}

static void add_work(Op *op, void *ctx) {
  Cost *x = ctx;
  if (!op->num_results || op->kind == OP_for || op->kind == OP_if) return;
  const CutSet set = cuts_wanted(x->cuts, op_result(op));
  for (int cut = WHOLE; cut < op_result(op)->type->rank; cut++)
    if (set & cut_bit(cut)) x->work += work_of(x, op, cut);
}

static double work_in(const CutProgram *p, const Cuts *cuts) {
  Cost cost = {.cuts = cuts, .target = p->target};
  block_walk(p->f->body, add_work, &cost);
  return cost.work;
}

// -- All ---------------------------------------------------------------------

// A cut for each root, with the work of a block.
typedef struct {
  int cuts[MAX_ROOTS];
  double work;
} CutChoice;

static bool try(const CutProgram *p, CutChoice *choice, Cuts *out) {
  Cuts cuts = {.arena = out->arena, .parts = out->parts};
  for (size_t i = 0; i < p->roots.count; i++)
    map_put(&cuts.roots, cuts.arena, p->roots.items[i].op,
            (void *)(uintptr_t)(2 + choice->cuts[i]));
  if (!spread(&cuts, p)) return false;
  choice->work = work_in(p, &cuts);
  *out = cuts;
  return true;
}

static void take_better(const CutProgram *p, CutChoice choice, int parts,
                        CutChoice *best) {
  Cuts ignored = {.arena = p->f->module->arena, .parts = parts};
  if (try(p, &choice, &ignored) && choice.work < best->work) *best = choice;
}

static int num_choices(const CutProgram *p) {
  int count = 1;
  for (size_t i = 0; i < p->roots.count && count <= MAX_CHOICES; i++)
    count *= p->roots.items[i].tile->rank + 1;
  return count;
}

static void try_all(const CutProgram *p, int parts, CutChoice *best) {
  const int count = num_choices(p);
  for (int n = 1; n < count; n++) {
    CutChoice choice;
    int rest = n;
    for (size_t i = 0; i < p->roots.count; i++) {
      const int digits = p->roots.items[i].tile->rank + 1;
      choice.cuts[i] = rest % digits - 1;
      rest /= digits;
    }
    take_better(p, choice, parts, best);
  }
}

// Too many roots to try all choices: tries the same dimension for all, then
// changes one root after the other.
static void try_some(const CutProgram *p, int parts, CutChoice *best) {
  CutChoice choice;
  for (int cut = 0; cut < MAX_RANK; cut++) {
    for (size_t i = 0; i < p->roots.count; i++)
      choice.cuts[i] = cut < p->roots.items[i].tile->rank ? cut : WHOLE;
    take_better(p, choice, parts, best);
  }
  for (size_t i = 0; i < p->roots.count; i++) {
    for (int cut = WHOLE; cut < p->roots.items[i].tile->rank; cut++) {
      choice = *best;
      choice.cuts[i] = cut;
      take_better(p, choice, parts, best);
    }
  }
}

// A block must save at least an eighth of the work.
static bool find_best(const CutProgram *p, int parts, Cuts *out) {
  CutChoice whole = {.work = 0};
  for (size_t i = 0; i < p->roots.count; i++) whole.cuts[i] = WHOLE;
  if (!try(p, &whole, out)) return false;
  CutChoice best = whole;
  if (num_choices(p) <= MAX_CHOICES)
    try_all(p, parts, &best);
  else
    try_some(p, parts, &best);
  return best.work <= whole.work * 7 / 8 && try(p, &best, out);
}

const char *cuts_find(Function *f, const Target *target, int parts, Cuts *out) {
  CutProgram p = {.f = f, .target = target};
  *out = (Cuts){.arena = f->module->arena, .parts = parts};
  block_walk(f->body, look, &p);
  if (!p.why && has_order(&p)) p.why = why_order;
  if (!p.why && loads_written(&p)) p.why = why_again;
  if (!p.why && p.roots.count > MAX_ROOTS) p.why = why_many;
  if (p.why) return p.why;
  return find_best(&p, parts, out) ? NULL : why_none;
}
