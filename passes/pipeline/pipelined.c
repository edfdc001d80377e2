// pipelined.c -- have the loads of loops become copies?
#include "passes/pipeline/pipelined.h"

#include "passes/pipeline/schedule.h"

static void look_for_copy(Op *op, void *ctx) {
  bool *found = ctx;
  if (op->kind == OP_async_copy || op->kind == OP_copy_desc) *found = true;
}

static bool has_copies(const Op *loop) {
  bool found = false;
  block_walk(loop->regions[0], look_for_copy, &found);
  return found;
}

// Loads that do not fit with the requested number of stages may stay.
static bool is_left(Op *loop, const Target *target) {
  Schedule s;
  const int most = schedule_most_stages(loop);
  return most && !has_copies(loop) && schedule_loop(loop, target, most, &s) &&
         s.stages > 1 && schedule_bytes(&s) <= target->max_shared_block;
}

typedef struct {
  const Target *target;
  bool found;
} LoopSearch;

static void look_for_loop(Op *op, void *ctx) {
  LoopSearch *search = ctx;
  if (op->kind == OP_for && !search->found)
    search->found = is_left(op, search->target);
}

bool loops_pipelined(const Function *f, const Target *target) {
  LoopSearch search = {.target = target};
  if (target && target->is_gpu) block_walk(f->body, look_for_loop, &search);
  return !search.found;
}
