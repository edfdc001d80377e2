// facts.c -- tests of facts on the IR.
#include "passes/facts.h"

#include "ir/exchange.h"
#include "passes/analysis/walk.h"
#include "passes/pipeline/pipelined.h"
#include "passes/shared/barriers.h"

#include <assert.h>

const char *fact_name(Fact fact) {
  static const char *const names[] = {
#define FACT(name, what) what,
#include "passes/passes.def"
  };
  for (int i = 0; i < NUM_FACTS; i++)
    if (fact == (Fact)(1 << i)) return names[i];
  return "an unknown fact";
}

static unsigned missing_for(const Type *type) {
  switch (type->kind) {
  case TYPE_TILE: return type->layout ? 0 : FACT_LAYOUTS;
  case TYPE_BLOCK_POINTER:
  case TYPE_DESCRIPTOR: return FACT_NO_BLOCK_POINTERS;
  default: return 0;
  }
}

static bool is_access(const Op *op) {
  switch (op->kind) {
  case OP_load:
  case OP_store:
  case OP_atomic_rmw:
  case OP_async_copy:
  case OP_load_block:
  case OP_store_block:
  case OP_load_desc:
  case OP_store_desc: return op_operand(op, 0)->type->rank > 0;
  default: return false;
  }
}

// The facts about ops: of GPUs with matrix instructions, and of all targets.
typedef struct {
  unsigned missing;
  bool is_gpu;
} Looker;

static void look(Op *op, void *ctx) {
  Looker *looker = ctx;
  unsigned *missing = &looker->missing;
  if (is_access(op) && !op_attr(op, ATTR_contiguity))
    *missing |= FACT_AXIS_NOTED;
  if (looker->is_gpu && op->kind == OP_dot && !op_result(op)->type->layout)
    *missing |= FACT_MMA_CHOSEN;
  for (int i = 0; i < op->num_results; i++) {
    if (value_has_map(&op->results[i])) continue;
    *missing |= missing_for(op->results[i].type);
  }
  for (int r = 0; r < op->num_regions; r++) {
    const Block *region = op->regions[r];
    for (int i = 0; i < region->num_args; i++) {
      *missing |= missing_for(region->args[i].type);
    }
  }
}

// Is the op a buffer or scratch without an address?
static void look_for_place(Op *op, void *ctx) {
  unsigned *missing = ctx;
  if (op_attr(op, ATTR_offset)) return;
  const bool wants = op->kind == OP_alloc_shared ||
                     op->kind == OP_mbarrier_alloc || op_scratch_bytes(op) > 0;
  if (wants) *missing |= FACT_SHARED;
}

static unsigned missing_in_ops(const Function *f, const Target *target) {
  Looker looker = {.is_gpu = target && target->is_gpu};
  for (int i = 0; i < f->body->num_args; i++) {
    looker.missing |= missing_for(f->body->args[i].type);
  }
  block_walk(f->body, look, &looker);
  return looker.missing;
}

// Without layouts, the need for shared memory is unknown.
static unsigned missing_places(const Function *f, unsigned facts,
                               const Target *target) {
  unsigned missing = 0;
  block_walk(f->body, look_for_place, &missing);
  if (missing) return FACT_SHARED | FACT_BARRIERS;
  Missing list = {0};
  if (facts & FACT_BARRIERS) {
    barriers_missing(f, target, f->module->arena, &list);
  }
  return list.barriers.count || list.fences.count ? FACT_BARRIERS : 0;
}

unsigned facts_missing(const Module *m, unsigned facts, const Target *target) {
  assert(!(facts & ~(unsigned)ALL_FACTS) && "no such fact"); // I5
  const unsigned shared = FACT_SHARED | FACT_BARRIERS;
  unsigned missing = 0;
  if (!facts) return 0;
  for (const Function *f = m->functions; f; f = f->next) {
    missing |= missing_in_ops(f, target);
    if (facts & FACT_PIPELINED && !loops_pipelined(f, target))
      missing |= FACT_PIPELINED;
    if (!(facts & shared)) continue;
    missing |=
        missing & FACT_LAYOUTS ? shared : missing_places(f, facts, target);
  }
  return missing & facts;
}
