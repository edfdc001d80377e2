// more_warps.c -- a second group of warps, if one group has too few registers.
//
// While groups of warps multiply, the carried values and the results of a
// loop's dots are in registers.  If one group has no room for them and two
// have, the program gets two.  The program still sees the number of warps that
// it asked for.
#include "ir/wgmma.h"
#include "passes/analysis/walk.h"
#include "passes/errors.h"
#include "passes/pass.h"

enum { WORD_BITS = 32 };

typedef struct {
  const Target *target;
  Function *f;
  int64_t most;  // words of all threads that a loop of dots needs
  bool by_group; // two groups would multiply in each such loop
  bool has_asm;  // assembly may depend on the number of threads
} WarpSearch;

static int64_t words_of(const Type *type) {
  if (!type_is_tile(type) || !type_is_float(type)) return 0;
  return type->num_elements * type_element_bits(type) / WORD_BITS;
}

// Is the dot's result carried by the loop, perhaps added to the carried value?
static bool is_carried(const Op *loop, const Op *dot) {
  const Value *result = op_result(dot);
  for (const Use *use = result->uses; use; use = use->next) {
    const Op *user = use->user;
    if (user == block_end(loop->regions[0])) return true;
    if (user->kind == OP_addf && user->block == dot->block) return true;
  }
  return false;
}

static int64_t carried_words(const Op *loop) {
  int64_t words = 0;
  for (int i = 0; i < for_num_slots(loop); i++)
    words += words_of(for_arg(loop, i)->type);
  return words;
}

static void look(Op *loop, void *ctx) {
  WarpSearch *s = ctx;
  s->has_asm |= loop->kind == OP_inline_asm_effects;
  if (loop->kind != OP_for) return;
  int64_t most = 0;
  int num_dots = 0;
  WgmmaPlan ignored;
  for (const Op *op = loop->regions[0]->first; op; op = op->next) {
    if (op->kind != OP_dot) continue;
    num_dots++;
    s->by_group &= wgmma_plan(s->target, op, &ignored);
    const int64_t words = words_of(op_result(op)->type);
    if (!is_carried(loop, op) && words > most) most = words;
  }
  most += carried_words(loop);
  if (num_dots && most > s->most) s->most = most;
}

static void set_warps(Function *f, int num_warps) {
  function_set_attr(f, (Attr){.key = ATTR_num_warps, .as.i = num_warps});
}

static bool has_room(const WarpSearch *s) {
  return s->most <= wgmma_room(s->target, s->f);
}

static void double_warps(Function *f, const Target *target) {
  const int num_warps = function_num_warps(f);
  WarpSearch s = {.target = target, .f = f, .by_group = true};
  set_warps(f, 2 * num_warps);
  block_walk(f->body, look, &s);
  const bool helps = s.most && s.by_group && !s.has_asm && has_room(&s);
  set_warps(f, num_warps);
  if (!helps || has_room(&s)) return;
  set_warps(f, 2 * num_warps);
  diag_remark(f->module->diags, f->loc, REMARK_warps_doubled, 2 * num_warps,
              num_warps, (long long)s.most,
              (long long)wgmma_room(target, f) / 2);
}

bool pass_more_warps(Module *m, const Target *target) {
  if (!target || !target->is_gpu || !target_can(target, CAP_WGMMA)) return true;
  for (Function *f = m->functions; f; f = f->next) {
    const bool is_group = function_num_warps(f) == WGMMA_WARPS;
    const bool is_free = !attrs_find(f->attrs, f->num_attrs, ATTR_maxnreg);
    if (is_group && is_free) double_warps(f, target);
  }
  return true;
}
