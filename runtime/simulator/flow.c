// flow.c -- the order in which the lanes of a warp that have parted go on.
//
// Lanes that part at a branch meet again where all ways from it join: at its
// post-dominator.  They do if a block comes after all the blocks that it
// post-dominates, and the lanes that stand first in that order go first.  Such
// an order is that in which a depth-first walk against the branches, from the
// ends of the kernel, leaves the blocks: the post-dominator of a block is above
// it in the walk.  Without loops it is a topological order.
#include "runtime/simulator/decode.h"
#include "runtime/simulator/pick.h"

typedef struct {
  Pool *pool;
  Inst *insts;
  uint32_t num_insts, num_blocks;
  uint32_t *block_of;             // of each instruction
  uint32_t *first;                // instruction of each block, and the end
  uint32_t *edges_at, *edges_end; // predecessors of each block
  uint32_t *edges;
  bool *seen;
  uint32_t next_rank;
} Flow;

static bool is_jump(const Inst *inst) {
  return inst->is_branch || inst->exec == exec_indexed_branch;
}

static bool is_guarded(const Inst *inst) {
  return inst->guard != NO_GUARD || inst->exec == exec_indexed_branch;
}

static bool is_end(const Inst *inst) {
  return inst->exec == exec_exit || inst->exec == pick_trap(NULL, NULL);
}

// -- Blocks ------------------------------------------------------------------

static void find_leaders(const Flow *flow) {
  flow->insts[0].leads = true;
  for (uint32_t i = 0; i < flow->num_insts; i++) {
    const Inst *inst = &flow->insts[i];
    if (!is_jump(inst) && !is_end(inst)) continue;
    if (i + 1 < flow->num_insts) flow->insts[i + 1].leads = true;
    if (is_jump(inst)) flow->insts[inst->target].leads = true;
  }
}

static void make_blocks(Flow *flow) {
  const uint32_t n = flow->num_insts;
  flow->block_of = POOL_ARRAY(flow->pool, uint32_t, n);
  flow->first = POOL_ARRAY(flow->pool, uint32_t, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    if (flow->insts[i].leads) flow->first[flow->num_blocks++] = i;
    flow->block_of[i] = flow->num_blocks - 1;
  }
  flow->first[flow->num_blocks] = n;
}

// Where a block goes on to; their number.
static int successors(const Flow *flow, uint32_t block, uint32_t out[2]) {
  const uint32_t last = flow->first[block + 1] - 1;
  const Inst *inst = &flow->insts[last];
  int count = 0;
  if (is_jump(inst)) out[count++] = flow->block_of[inst->target];
  const bool goes_on = is_guarded(inst) || (!is_jump(inst) && !is_end(inst));
  if (goes_on && last + 1 < flow->num_insts) out[count++] = block + 1;
  return count;
}

static void make_edges(Flow *flow) {
  const uint32_t n = flow->num_blocks;
  uint32_t out[2], total = 0;
  flow->edges_at = POOL_ARRAY(flow->pool, uint32_t, n);
  flow->edges_end = POOL_ARRAY(flow->pool, uint32_t, n);
  flow->edges = POOL_ARRAY(flow->pool, uint32_t, 2 * (size_t)n);
  for (uint32_t i = 0; i < n; i++)
    for (int j = successors(flow, i, out) - 1; j >= 0; j--)
      flow->edges_end[out[j]]++;
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t count = flow->edges_end[i];
    flow->edges_at[i] = flow->edges_end[i] = total;
    total += count;
  }
  for (uint32_t i = 0; i < n; i++)
    for (int j = successors(flow, i, out) - 1; j >= 0; j--)
      flow->edges[flow->edges_end[out[j]]++] = i;
}

// -- Order -------------------------------------------------------------------

static void leave(Flow *flow, uint32_t block) {
  for (uint32_t i = flow->first[block]; i < flow->first[block + 1]; i++)
    flow->insts[i].rank = flow->next_rank++;
}

// Consumes edges_at: where the walk is among the predecessors of a block.
static void walk(Flow *flow, uint32_t *stack, uint32_t root) {
  int depth = 0;
  if (flow->seen[root]) return;
  flow->seen[root] = true;
  stack[depth++] = root;
  while (depth) {
    const uint32_t block = stack[depth - 1];
    if (flow->edges_at[block] == flow->edges_end[block]) {
      leave(flow, block);
      depth--;
      continue;
    }
    const uint32_t before = flow->edges[flow->edges_at[block]++];
    if (flow->seen[before]) continue;
    flow->seen[before] = true;
    stack[depth++] = before;
  }
}

void order_code(Pool *pool, Inst *insts, uint32_t num_insts) {
  Flow flow = {.pool = pool, .insts = insts, .num_insts = num_insts};
  find_leaders(&flow);
  make_blocks(&flow);
  make_edges(&flow);
  flow.seen = POOL_ARRAY(pool, bool, flow.num_blocks);
  uint32_t *stack = POOL_ARRAY(pool, uint32_t, flow.num_blocks);
  for (uint32_t i = 0; i < flow.num_blocks; i++)
    if (is_end(&insts[flow.first[i + 1] - 1])) walk(&flow, stack, i);
  // What never ends comes last.
  for (uint32_t i = flow.num_blocks; i-- > 0;) walk(&flow, stack, i);
}
