// facts.c -- looking for facts on the IR.
#include "passes/facts.h"

#include "ir/exchange.h"
#include "passes/analysis/walk.h"
#include "passes/shared/barriers.h"

#include <assert.h>

const char *fact_name(Fact fact) {
  switch (fact) {
  case FACT_LAYOUTS: return "a layout for every tile";
  case FACT_NO_BLOCK_POINTERS: return "no block pointers and descriptors";
  case FACT_SHARED: return "a place for everything in shared memory";
  case FACT_BARRIERS: return "barriers between uses of shared memory";
  }
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

static void look(Op *op, void *ctx) {
  unsigned *missing = ctx;
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

// A buffer or scratch without a place.
static void look_for_place(Op *op, void *ctx) {
  unsigned *missing = ctx;
  if (op_attr(op, ATTR_offset)) return;
  const bool wants = op->kind == OP_alloc_shared ||
                     op->kind == OP_mbarrier_alloc || op_scratch_bytes(op) > 0;
  if (wants) *missing |= FACT_SHARED;
}

static unsigned missing_layouts(const Function *f) {
  unsigned missing = 0;
  for (int i = 0; i < f->body->num_args; i++) {
    missing |= missing_for(f->body->args[i].type);
  }
  block_walk(f->body, look, &missing);
  return missing;
}

// Without layouts nobody knows what needs shared memory.
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
  assert(facts < FACT_BARRIERS << 1 && "no such fact"); // I5
  const unsigned shared = FACT_SHARED | FACT_BARRIERS;
  unsigned missing = 0;
  if (!facts) return 0;
  for (const Function *f = m->functions; f; f = f->next) {
    missing |= missing_layouts(f);
    if (!(facts & shared)) continue;
    missing |=
        missing & FACT_LAYOUTS ? shared : missing_places(f, facts, target);
  }
  return missing & facts;
}
