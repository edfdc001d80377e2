// share_operands.c -- operands of dots that a loop only reads, in shared
// memory.
//
// A fragment made before a loop, such as that of the queries in attention,
// stays in registers through all of it.  Where the sums that the loop carries
// and what its dots produce take a quarter of a thread's, it waits in shared
// memory instead, and each dot loads it when it is its turn: the registers go
// to operands on their way, and to more programs on an SM.  Where there is room
// for the former, and no more of the latter, it stays: two programs of 8 warps
// leave 128 to each thread, three no more than 80.
#include "ir/layout_access.h"
#include "passes/pass.h"
#include "passes/walk.h"

enum {
  MAX_REGISTERS = 255, // of a thread
  USABLE = 2,          // of 8: the others hold addresses and operands
  AMPLE = 128,         // with as many as these there is room
  LEAST_OTHERS = 16,   // that a loop has beside tiles and operands
  WORD_BITS = 32
};

typedef struct {
  Module *m;
  const Target *target;
  int num_warps;
  int64_t shared_left; // bytes
} Sharer;

static int64_t words_of(const Type *type) {
  if (!type_is_tile(type) || !type->layout) return 0;
  const int64_t bits = type_element_bits(type_element(type));
  return layout_num_registers(type->layout) * bits / WORD_BITS;
}

static int64_t bytes_of(const Type *type) {
  return type->num_elements * type_element_bits(type_element(type)) / 8;
}

// -- What a loop needs -------------------------------------------------------

typedef Vec(Op *) OpList;

typedef struct {
  Sharer *s;
  const Block *body;
  int64_t words;   // at once, roughly
  int64_t sums;    // of those, the dots' results that are carried, too
  OpList operands; // conversions before the loop that feed its dots
} Need;

static bool is_listed(const OpList *list, const Op *op) {
  for (size_t i = 0; i < list->count; i++) {
    if (list->items[i] == op) return true;
  }
  return false;
}

static void add_operand(Need *need, Value *value) {
  Op *op = value_def(value, OP_convert_layout);
  if (!op || !value_is_outside(value, need->body)) return;
  if (is_listed(&need->operands, op)) return;
  vec_push(need->s->m->arena, &need->operands, op);
  need->words += words_of(value->type);
}

static bool is_yielded(const Op *dot) {
  for (const Use *use = op_result(dot)->uses; use; use = use->next) {
    if (use->user->kind == OP_yield) return true;
  }
  return false;
}

// A sum that is carried counts as that; what is scaled before counts again.
static void look(Op *op, void *ctx) {
  Need *need = ctx;
  if (op->kind != OP_dot) return;
  add_operand(need, op_operand(op, 0));
  add_operand(need, op_operand(op, 1));
  if (!op_operand(op, 2)->def) return;
  const int64_t words = words_of(op_result(op)->type);
  need->words += words;
  if (is_yielded(op)) need->sums += words;
}

static Need need_of(Sharer *s, Op *loop) {
  Need need = {.s = s, .body = loop->regions[0]};
  for (int i = 0; i < loop->num_results; i++) {
    need.words += words_of(loop->results[i].type);
  }
  block_walk(loop->regions[0], look, &need);
  return need;
}

static int64_t registers_for(const Sharer *s) {
  const int threads = s->num_warps * s->target->warp_size;
  const int64_t share = s->target->registers_sm / threads;
  return (share < MAX_REGISTERS ? share : MAX_REGISTERS) * USABLE / 8;
}

// Of a thread: each word of a tile has an operand, or an address, beside it.
static int64_t registers_of(int64_t words) {
  return 2 * words + LEAST_OTHERS;
}

static int64_t programs_with(const Sharer *s, int64_t registers) {
  const int threads = s->num_warps * s->target->warp_size;
  return s->target->registers_sm / (threads * registers);
}

// Would so many words less gain anything?
static bool gains(const Need *need, int64_t words) {
  const Sharer *s = need->s;
  const int64_t alive = need->words - need->sums;
  const int64_t now = registers_of(alive), then = registers_of(alive - words);
  return now > AMPLE || programs_with(s, then) > programs_with(s, now);
}

// -- Sharing -----------------------------------------------------------------

static const Layout *buffer_layout(Sharer *s, const Op *convert) {
  const Type *from = op_operand(convert, 0)->type;
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

// False if it cannot be.
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
  Need need = need_of(s, loop);
  for (size_t i = 0; i < need.operands.count; i++) {
    Op *convert = need.operands.items[i];
    if (need.words <= registers_for(s)) return;
    const int64_t words = words_of(op_result(convert)->type);
    if (!gains(&need, words)) continue;
    if (feeds_only_dots(convert) && share(s, convert)) need.words -= words;
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
