// facts.h -- properties of a module that one pass establishes and another
// needs.
//
// Facts are tested on the IR, never remembered, so that IR text may enter the
// pipeline anywhere.
#ifndef TILE_PASSES_FACTS_H
#define TILE_PASSES_FACTS_H

#include "ir/op.h"
#include "ir/target.h"

typedef enum {
#define FACT(name, what) INDEX_OF_##name,
#include "passes/passes.def"
  NUM_FACTS
} FactIndex;

// A set of facts has a bit for each; passes.def says what each fact means.
typedef enum {
#define FACT(name, what) FACT_##name = 1 << INDEX_OF_##name,
#include "passes/passes.def"
} Fact;

enum { ALL_FACTS = (1 << NUM_FACTS) - 1 };

// The facts among `facts` that are false.
unsigned facts_missing(const Module *m, unsigned facts, const Target *target);
const char *fact_name(Fact fact);

#endif
