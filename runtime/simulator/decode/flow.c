// flow.c -- the order in which diverged lanes of a warp run.
//
// Lanes that diverge at a branch should reconverge at its post-dominator.  The
// lanes do so if each block comes after all blocks that it post-dominates, and
// the lanes that are first in that order run first.  The post-order of a
// depth-first walk along reversed branches, from the ends of the kernel, is
// such an order: the post-dominator of a block is its ancestor in the walk.
// Without loops it is a topological order.
//
// For example, in `if (p) A else B; C` the branch comes first, then A and B,
// then C: lanes in A and B run before lanes in C, and meet there.
#include <assert.h>
#include <string.h>

#include "runtime/simulator/code/pick.h"
#include "runtime/simulator/decode/decode.h"

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
  uint32_t *left; // the blocks in post-order
  uint32_t num_left;
  uint32_t *turn;  // number of each block in `left`, from 1
  uint32_t *above; // number of its post-dominator; num_blocks + 1: the end
  uint64_t visits; // blocks visited by searches of ways back
} CodeFlow;

static bool is_jump(const Inst *inst) {
  return inst->is_branch || inst->is_indexed;
}

static bool is_guarded(const Inst *inst) {
  return inst->guard != NO_GUARD || inst->is_indexed;
}

static bool is_end(const Inst *inst) {
  return inst->exec == exec_exit || inst->exec == pick_trap(NULL, NULL);
}

// May lanes that are predicated off continue behind the instruction?
static bool may_be_skipped(const Inst *inst) {
  return inst->guard != NO_GUARD && has_members(inst);
}

// -- Blocks ------------------------------------------------------------------

static void find_leaders(const CodeFlow *flow) {
  flow->insts[0].leads = true;
  for (uint32_t i = 0; i < flow->num_insts; i++) {
    const Inst *inst = &flow->insts[i];
    if (!is_jump(inst) && !is_end(inst) && !may_be_skipped(inst)) continue;
    if (i + 1 < flow->num_insts) flow->insts[i + 1].leads = true;
    if (is_jump(inst)) flow->insts[inst->target].leads = true;
  }
}

static void make_blocks(CodeFlow *flow) {
  const uint32_t n = flow->num_insts;
  flow->block_of = POOL_ARRAY(flow->pool, uint32_t, n);
  flow->first = POOL_ARRAY(flow->pool, uint32_t, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    if (flow->insts[i].leads) flow->first[flow->num_blocks++] = i;
    flow->block_of[i] = flow->num_blocks - 1;
  }
  assert(flow->num_blocks && flow->num_blocks <= n); // I1
  flow->first[flow->num_blocks] = n;
}

// Stores the successors of a block; returns their number.
static int successors(const CodeFlow *flow, uint32_t block, uint32_t out[2]) {
  const uint32_t last = flow->first[block + 1] - 1;
  const Inst *inst = &flow->insts[last];
  int count = 0;
  if (is_jump(inst)) out[count++] = flow->block_of[inst->target];
  const bool goes_on = is_guarded(inst) || (!is_jump(inst) && !is_end(inst));
  if (goes_on && last + 1 < flow->num_insts) out[count++] = block + 1;
  return count;
}

static void make_edges(CodeFlow *flow) {
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
  assert(total <= 2 * n && "a block with three ways on"); // I1
  for (uint32_t i = 0; i < n; i++)
    for (int j = successors(flow, i, out) - 1; j >= 0; j--)
      flow->edges[flow->edges_end[out[j]]++] = i;
}

// -- Order -------------------------------------------------------------------

static void leave(CodeFlow *flow, uint32_t block) {
  assert(flow->num_left < flow->num_blocks && !flow->turn[block]); // I1
  flow->left[flow->num_left++] = block;
  flow->turn[block] = flow->num_left;
  for (uint32_t i = flow->first[block]; i < flow->first[block + 1]; i++)
    flow->insts[i].rank = flow->next_rank++;
}

// Uses edges_at as the walk's position among the predecessors of a block.
static void walk(CodeFlow *flow, uint32_t *stack, uint32_t root) {
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
    assert((uint32_t)depth < flow->num_blocks); // I1
    flow->seen[before] = true;
    stack[depth++] = before;
  }
}

// -- Barriers and members' instructions that some lanes skip -----------------

// The block at which two chains of post-dominators join; 0: not known yet.
static uint32_t join_chains(const CodeFlow *flow, uint32_t a, uint32_t b) {
  if (!a || !b) return a | b;
  while (a != b) {
    if (a < b) {
      a = flow->above[a];
    } else {
      b = flow->above[b];
    }
  }
  return a;
}

static bool find_above(CodeFlow *flow, uint32_t turn) {
  uint32_t out[2], found = 0;
  const uint32_t block = flow->left[turn - 1];
  const int count = successors(flow, block, out);
  const Inst *last = &flow->insts[flow->first[block + 1] - 1];
  if (is_end(last)) found = flow->num_blocks + 1;
  for (int i = 0; i < count; i++) {
    const uint32_t next = flow->turn[out[i]];
    if (flow->above[next]) found = join_chains(flow, found, next);
  }
  const bool changed = flow->above[turn] != found;
  flow->above[turn] = found;
  return changed;
}

// Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001),
// applied to the reversed branches.
static void find_post_dominators(CodeFlow *flow) {
  flow->above = POOL_ARRAY(flow->pool, uint32_t, flow->num_blocks + 2);
  flow->above[flow->num_blocks + 1] = flow->num_blocks + 1;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t turn = flow->num_blocks; turn > 0; turn--)
      changed |= find_above(flow, turn);
  }
}

// Searches of more blocks would be slow, and find only a few more bugs in
// kernels of many thousand blocks.
static const uint64_t most_visits = 5000000;

static bool reaches(CodeFlow *flow, uint32_t *stack, uint32_t from,
                    uint32_t to) {
  uint32_t out[2];
  int depth = 0;
  memset(flow->seen, 0, flow->num_blocks * sizeof *flow->seen);
  flow->visits += flow->num_blocks / 16; // the cost of memset()
  for (stack[depth++] = from; depth;) {
    const int count = successors(flow, stack[--depth], out);
    flow->visits++;
    for (int i = 0; i < count; i++) {
      if (out[i] == to) return true;
      if (flow->seen[out[i]]) continue;
      flow->seen[out[i]] = true;
      stack[depth++] = out[i];
    }
  }
  return false;
}

static bool only_jumps(const Inst *inst) {
  return is_jump(inst) && !is_guarded(inst);
}

// The next code without a way back that is reached by every lane that has been
// in the block or has skipped it.  Code that only returns does not count, since
// it may be an early return. 0: none.
static uint32_t code_behind(CodeFlow *flow, uint32_t *stack, uint32_t block) {
  const uint32_t end = flow->num_blocks + 1;
  for (uint32_t turn = flow->above[flow->turn[block]]; turn && turn != end;
       turn = flow->above[turn]) {
    const uint32_t behind = flow->left[turn - 1];
    const Inst *first = &flow->insts[flow->first[behind]];
    if (is_end(first) || flow->visits > most_visits) return 0;
    if (!only_jumps(first) && !reaches(flow, stack, behind, block))
      return flow->first[behind];
  }
  return 0;
}

static void find_code_behind(CodeFlow *flow, uint32_t *stack) {
  uint32_t place = 0, last_block = UINT32_MAX;
  uint8_t found = 0;
  for (uint32_t i = 0; i < flow->num_insts; i++) {
    Inst *inst = &flow->insts[i];
    if (!is_aligned_barrier(inst) && !has_members(inst)) continue;
    if (!flow->above) find_post_dominators(flow);
    const uint32_t block = flow->block_of[i];
    if (block != last_block) place = code_behind(flow, stack, block);
    last_block = block;
    if (!place) continue;
    Inst *first = &flow->insts[place];
    if (!first->begins && found < MAX_BEHIND) first->begins = ++found;
    assert(found <= MAX_BEHIND && "a warp has no room for it"); // I3
    inst->behind = first->begins;
  }
}

void order_code(Pool *pool, Inst *insts, uint32_t num_insts) {
  CodeFlow flow = {.pool = pool, .insts = insts, .num_insts = num_insts};
  find_leaders(&flow);
  make_blocks(&flow);
  make_edges(&flow);
  flow.seen = POOL_ARRAY(pool, bool, flow.num_blocks);
  flow.left = POOL_ARRAY(pool, uint32_t, flow.num_blocks);
  flow.turn = POOL_ARRAY(pool, uint32_t, flow.num_blocks);
  uint32_t *stack = POOL_ARRAY(pool, uint32_t, flow.num_blocks);
  for (uint32_t i = 0; i < flow.num_blocks; i++)
    if (is_end(&insts[flow.first[i + 1] - 1])) walk(&flow, stack, i);
  // Blocks from which no end is reachable come last.
  for (uint32_t i = flow.num_blocks; i-- > 0;) walk(&flow, stack, i);
  assert(flow.num_left == flow.num_blocks && flow.next_rank == num_insts); // I1
  find_code_behind(&flow, stack);
}
