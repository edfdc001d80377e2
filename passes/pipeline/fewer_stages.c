// fewer_stages.c -- restoring the module from before pipelining.
//
// The pipeline runs again on the restored module with one stage less, until the
// buffers fit: so a program that compiles with some number of stages compiles
// by default, too.
#include "passes/pipeline/fewer_stages.h"

#include "ir/roles.h"
#include "passes/errors.h"
#include "passes/pipeline/schedule.h"
#include "passes/shared/alloc_shared.h"

#include <assert.h>

typedef Vec(int64_t) Needed; // bytes for each kernel

static bool asks_for_stages(const Function *f) {
  return attrs_find(f->attrs, f->num_attrs, ATTR_num_stages);
}

static void look_for_loop(Op *op, void *ctx) {
  bool *found = ctx;
  *found |= op->kind == OP_for;
}

static bool has_default(const Module *m) {
  bool has_loop = false;
  for (const Function *f = m->functions; f; f = f->next) {
    if (!asks_for_stages(f)) block_walk(f->body, look_for_loop, &has_loop);
  }
  return has_loop;
}

static int most_stages(const Function *f) {
  return (int)function_int(f, ATTR_most_stages, DEFAULT_STAGES);
}

static void keep(Module *m, KeptModule *out) {
  for (const Function *f = m->functions; f; f = f->next) {
    vec_push(m->arena, &out->bodies, block_copy(m, f->body));
    vec_push(m->arena, &out->stages, most_stages(f));
    vec_push(m->arena, &out->warps, function_num_warps(f));
  }
}

static void restore(Module *m, Function *f, const KeptModule *before,
                    size_t i) {
  assert(i < before->bodies.count); // I8
  f->body = block_copy(m, before->bodies.items[i]);
  const int64_t warps = before->warps.items[i];
  if (function_num_warps(f) != warps)
    function_set_attr(f, (Attr){.key = ATTR_num_warps, .as.i = warps});
}

void stages_keep(Module *m, KeptModule *out) {
  *out = (KeptModule){.diags = *m->diags};
  if (has_default(m)) keep(m, out);
}

static void look_for_ring(Op *op, void *ctx) {
  bool *found = ctx;
  *found |= op->kind == OP_alloc_shared && !op->num_operands;
}

static bool can_lower(const Function *f) {
  bool has_ring = false;
  if (asks_for_stages(f)) return false;
  block_walk(f->body, look_for_ring, &has_ring);
  return has_ring && most_stages(f) > 0;
}

// The shared memory that each kernel needs.  False if one needs too much and
// cannot be lowered, or if all fit.
static bool find_needed(Module *m, const Target *target, Needed *out) {
  bool helps = false;
  for (Function *f = m->functions; f; f = f->next) {
    const int64_t bytes = shared_needed(f, target);
    vec_push(m->arena, out, bytes);
    if (bytes <= target->max_shared_block) continue;
    if (!can_lower(f)) return false;
    helps = true;
  }
  return helps;
}

static void lower(Function *f, const Target *target, int64_t needed) {
  const int stages = most_stages(f), most = target->max_shared_block;
  if (needed <= most) return;
  assert(stages > 0 && !asks_for_stages(f) && "no stage to take away"); // I8
  function_set_attr(f, (Attr){.key = ATTR_most_stages, .as.i = stages - 1});
  diag_remark(f->module->diags, f->loc, REMARK_kernel_stages_lowered,
              stages - 1, stages, (long long)needed, target->name, most);
}

bool stages_lower(Module *m, const KeptModule *before, const Target *target) {
  Needed needed = {0};
  if (!before->bodies.count) return false;
  if (!find_needed(m, target, &needed)) return false;
  diag_rewind(m->diags, &before->diags);
  size_t i = 0;
  for (Function *f = m->functions; f; f = f->next, i++) {
    assert(i < needed.count); // I8
    lower(f, target, needed.items[i]);
    restore(m, f, before, i);
  }
  return true;
}

// -- Roles and tensor maps ---------------------------------------------------

static void restore_all(Module *m, const KeptModule *before) {
  diag_rewind(m->diags, &before->diags);
  size_t i = 0;
  for (Function *f = m->functions; f; f = f->next, i++) {
    const int64_t stages = before->stages.items[i];
    if (most_stages(f) != stages)
      function_set_attr(f, (Attr){.key = ATTR_most_stages, .as.i = stages});
    restore(m, f, before, i);
  }
}

void module_keep(Module *m, KeptModule *out) {
  *out = (KeptModule){.diags = *m->diags};
  keep(m, out);
}

// Restores the module if `look`, which gets each op, sets the bool.
static bool restore_if(Module *m, const KeptModule *before,
                       void look(Op *op, void *found)) {
  bool found = false;
  for (const Function *f = m->functions; f; f = f->next)
    block_walk(f->body, look, &found);
  if (found) restore_all(m, before);
  return found;
}

static void look_for_roles(Op *op, void *ctx) {
  bool *found = ctx;
  *found |= op->kind == OP_warp_specialize;
}

bool roles_drop(Module *m, const KeptModule *before, const Target *target) {
  (void)target;
  return restore_if(m, before, look_for_roles);
}

static void look_for_block(Op *op, void *ctx) {
  bool *found = ctx;
  *found |= op->kind == OP_block_id;
}

bool shared_blocks_drop(Module *m, const KeptModule *before,
                        const Target *target) {
  (void)target;
  return restore_if(m, before, look_for_block);
}

static void look_for_map(Op *op, void *ctx) {
  bool *found = ctx;
  *found |= op->kind == OP_make_desc && op_attr(op, ATTR_map);
}

bool maps_drop(Module *m, const KeptModule *before, const Target *target) {
  (void)target;
  return restore_if(m, before, look_for_map);
}
