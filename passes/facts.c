// facts.c -- looking for facts on the IR.
#include "passes/facts.h"

#include "passes/walk.h"

const char *fact_name(Fact fact) {
  switch (fact) {
  case FACT_LAYOUTS: return "a layout for every tile";
  case FACT_NO_BLOCK_POINTERS: return "no block pointers and descriptors";
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
    *missing |= missing_for(op->results[i].type);
  }
  for (int r = 0; r < op->num_regions; r++) {
    const Block *region = op->regions[r];
    for (int i = 0; i < region->num_args; i++) {
      *missing |= missing_for(region->args[i].type);
    }
  }
}

unsigned facts_missing(const Module *m, unsigned facts) {
  unsigned missing = 0;
  if (!facts) return 0;
  for (const Function *f = m->functions; f; f = f->next) {
    for (int i = 0; i < f->body->num_args; i++) {
      missing |= missing_for(f->body->args[i].type);
    }
    block_walk(f->body, look, &missing);
  }
  return missing & facts;
}
