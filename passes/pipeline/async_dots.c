// async_dots.c -- dots by groups of four warps, out of shared memory.
//
//     %x = load_shared %slot : tile<64x128xf16, #b>
//     %d = dot %a, %x, %c
//
// becomes
//
//     %s, %t = async_dot %a, %slot, %c
//     %d = dot_wait %t values(%s) {count = 0}
//
// where select_mma has given the result to such groups and a descriptor says
// how the operand lies.  A tile in registers goes to a buffer where it is B, or
// would be exchanged to be A.  Dots whose operands cannot be so stay.
#include "ir/exchange.h"
#include "ir/wgmma.h"
#include "passes/analysis/group_operand.h"
#include "passes/analysis/liveness.h"
#include "passes/analysis/walk.h"
#include "passes/pass.h"

typedef struct {
  Module *m;
  const Target *target;
  int64_t shared_left; // bytes
} Finder;

// -- Operands ----------------------------------------------------------------

static bool writes_to(const Op *op, const Op *alloc) {
  const unsigned write = EFFECT_BIT(ACT_WRITE, EFFECT_SHARED);
  if (!(op_effects(op) & write)) return false;
  if (op->kind == OP_async_wait) return false; // what it ends is not read
  if (op->kind != OP_async_copy && op->kind != OP_store_shared) return true;
  return buffer_alloc(op_operand(op, 1)) == alloc;
}

// Is nothing written to the buffer between the reading and the dot?
static bool is_kept(const Op *read, const Op *dot) {
  const Op *alloc = buffer_alloc(op_operand(read, 0));
  if (read->block != dot->block) return false;
  for (const Op *op = read->next; op != dot; op = op->next) {
    if (writes_to(op, alloc)) return false;
  }
  return true;
}

static Value *buffer_read(const Op *read, const Op *dot, const WgmmaPlan *plan,
                          int index) {
  Value *view = op_operand(read, 0);
  SharedMatrix ignored;
  const bool fits = op_group_size(read, 1) == 0 && is_kept(read, dot) &&
                    shared_matrix(view->type->layout, plan, index, &ignored);
  return fits ? view : NULL;
}

// A buffer with the tile, made before `at`, or outside of the loops that do not
// make the tile.  NULL: there is no room.
static Value *put_in_buffer(Finder *f, Value *x, Op *at, const Layout *layout) {
  const Type *from = x->type;
  const int64_t bytes = from->num_elements * element_bytes(from->element);
  if (!layout || bytes > f->shared_left) return NULL;
  f->shared_left -= bytes;
  const Type *type = type_memdesc(&f->m->types, 2, from->shape, from->element,
                                  layout, SPACE_SHARED);
  if (x->def && x->def->block != at->block) at = x->def->next;
  Builder b = builder_before(f->m, at);
  return build_value(&b, OP_alloc_shared, 1, &x, type);
}

// NULL: it is not in shared memory, and need not go there.
static Value *find_buffer(Finder *f, Op *dot, const WgmmaPlan *plan,
                          int index) {
  Value *x = op_operand(dot, index);
  const Op *read = value_def(x, OP_load_shared);
  if (read) return buffer_read(read, dot, plan, index);
  Op *convert = value_def(x, OP_convert_layout);
  const bool moves = convert && op_scratch_bytes(convert);
  if (!moves && index == 0) return NULL;
  Value *from = convert ? op_operand(convert, 0) : x;
  const Layout *layout = wgmma_buffer(&f->m->layouts, plan, dot, index,
                                      longest_axis(from->type->layout));
  return put_in_buffer(f, from, convert ? convert : dot, layout);
}

// -- Dots --------------------------------------------------------------------

static Value *wait_for(Finder *f, Op *started) {
  Builder b = builder_before(f->m, started->next);
  Value *value = &started->results[0], *token = &started->results[1];
  Value *operands[] = {token, value};
  const int groups[] = {1, 1};
  Op *wait = build_op(&b, OP_dot_wait, 2, operands, groups, 1, &value->type);
  op_set_int(f->m, wait, ATTR_count, 0);
  return op_result(wait);
}

static void replace(Finder *f, Op *dot, Value *a, Value *b) {
  Builder at = builder_before(f->m, dot);
  Value *operands[] = {a, b, op_operand(dot, 2)};
  const Type *types[] = {op_result(dot)->type, type_token(&f->m->types)};
  Op *started = build_op(&at, OP_async_dot, 3, operands, NULL, 2, types);
  op_copy_attrs(f->m, started, dot);
  Value *result = wait_for(f, started);
  result->name = op_result(dot)->name;
  value_replace_uses(op_result(dot), result);
  op_erase(dot);
}

static void visit(Op *dot, void *ctx) {
  Finder *f = ctx;
  WgmmaPlan plan;
  if (dot->kind != OP_dot || !wgmma_fits(f->target, dot, &plan)) return;
  Value *held = op_operand(dot, 0);
  LayoutTable *table = &f->m->layouts;
  if (held->type->layout != wgmma_operand(table, &plan, dot, 0)) return;
  Value *b = find_buffer(f, dot, &plan, 1);
  if (!b) return;
  Value *a = find_buffer(f, dot, &plan, 0);
  replace(f, dot, a ? a : held, b);
}

static void take_room(Op *op, void *ctx) {
  Finder *f = ctx;
  if (op->kind == OP_alloc_shared)
    f->shared_left -= buffer_bytes(op_result(op)->type);
}

bool pass_async_dots(Module *m, const Target *target) {
  if (!target || !target_can(target, CAP_WGMMA)) return true;
  for (Function *f = m->functions; f; f = f->next) {
    Finder finder = {m, target, target->max_shared_block};
    block_walk(f->body, take_room, &finder);
    block_walk(f->body, visit, &finder);
  }
  return true;
}
