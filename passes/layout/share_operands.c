// share_operands.c -- operands of dots that a loop only reads, in shared
// memory.
//
// A fragment that is made before a loop, such as that of the queries in
// attention, is live in registers throughout the loop.  If the carried sums and
// the results of the loop's dots need a quarter of a thread's registers, the
// fragment is put into shared memory, and each dot loads it: the registers are
// then free for other operands, and for more programs on an SM.  If there are
// registers enough for the other operands, and not for one more program, the
// fragment stays in registers: with two programs of 8 warps each thread has
// 128, with three only 80.
#include "ir/layout_access.h"
#include "passes/analysis/analysis.h"
#include "passes/analysis/walk.h"
#include "passes/pass.h"

enum { USABLE = 2 }; // of 8 registers: others hold addresses and operands

typedef struct {
  Module *m;
  const Target *target;
  int num_warps;
  int64_t shared_left; // in bytes
} Sharer;

static int64_t bytes_of(const Type *type) {
  return type->num_elements * type_element_bits(type_element(type)) / 8;
}

static int64_t registers_for(const Sharer *s) {
  return target_thread_registers(s->target, s->num_warps) * USABLE / 8;
}

static int64_t programs_with(const Sharer *s, int64_t registers) {
  return registers_programs(s->target, s->num_warps, registers);
}

// Is there a gain if the operands take `words` fewer words?
static bool gains(const Sharer *s, const LoopWords *need, int64_t words) {
  const int64_t alive = need->all - need->sums;
  const int64_t now = registers_of(alive), then = registers_of(alive - words);
  return now > AMPLE_REGISTERS ||
         programs_with(s, then) > programs_with(s, now);
}

// -- Sharing -----------------------------------------------------------------

static const Layout *buffer_layout(Sharer *s, const Op *convert) {
  const Type *from = op_operand(convert, 0)->type;
  const Layout *of_groups = group_operand(s->m, op_result(convert), s->target,
                                          longest_axis(from->layout));
  if (of_groups) return of_groups;
  const SharedUse store = {from->layout, false};
  const SharedUse load = {op_result(convert)->type->layout,
                          target_can(s->target, CAP_LDMATRIX)};
  const int bits = type_element_bits(from->element);
  return layout_best_shared(&s->m->layouts, &store, &load, bits);
}

static void load_before(Sharer *s, const Use *use, Value *buffer) {
  Op *user = use->user;
  Builder b = builder_before(s->m, user);
  const Type *type = use->value->type;
  Value *loaded = build_value(&b, OP_load_shared, 1, &buffer, type);
  op_set_operand(user, use->index, loaded);
}

// False if the fragment cannot be put into shared memory.
static bool share(Sharer *s, Op *convert) {
  Value *x = op_operand(convert, 0), *fragment = op_result(convert);
  const int64_t bytes = bytes_of(x->type);
  const Layout *layout =
      bytes > s->shared_left ? NULL : buffer_layout(s, convert);
  if (!layout) return false;
  const Type *type = type_memdesc(&s->m->types, x->type->rank, x->type->shape,
                                  x->type->element, layout, SPACE_SHARED);
  Builder b = builder_before(s->m, convert);
  Value *buffer = build_value(&b, OP_alloc_shared, 1, &x, type);
  while (fragment->uses) load_before(s, fragment->uses, buffer);
  op_erase(convert);
  s->shared_left -= bytes;
  return true;
}

static bool feeds_only_dots(const Op *convert) {
  for (const Use *use = op_result(convert)->uses; use; use = use->next) {
    if (use->user->kind != OP_dot) return false;
  }
  return true;
}

static void visit(Op *loop, void *ctx) {
  Sharer *s = ctx;
  if (loop->kind != OP_for && loop->kind != OP_while) return;
  LoopWords need = loop_words(loop);
  for (size_t i = 0; i < need.operands.count; i++) {
    Op *convert = need.operands.items[i];
    if (need.all <= registers_for(s)) return;
    const int64_t words = registers_words(op_result(convert)->type);
    if (!gains(s, &need, words)) continue;
    if (feeds_only_dots(convert) && share(s, convert)) need.all -= words;
  }
}

bool pass_share_operands(Module *m, const Target *target) {
  if (!target || !target->is_gpu) return true;
  for (Function *f = m->functions; f; f = f->next) {
    Sharer s = {m, target, function_num_warps(f), target->max_shared_block / 2};
    block_walk(f->body, visit, &s);
  }
  return true;
}
