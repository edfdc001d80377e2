// control.c -- for, while and if.
//
// Scalars and the parts of block pointers are phis.  A carried tile has one
// slot: its initial value is written there before the loop, and the yielded one
// at the end of the body, unless the plan gave them the same memory.
#include "codegen/host/host.h"

#include "codegen/errors.h"

enum { TRACE_LIMIT = 64 };

// -- Values as lists of LLVM values ------------------------------------------

// A scalar whose bits are kept has both forms.
static int value_parts(Host *h, const Value *value) {
  const Type *type = value->type;
  if (type->kind == TYPE_POINTER) return 1;
  if (type->kind == TYPE_SCALAR) return host_keeps(h, value) ? 2 : 1;
  if (type->kind == TYPE_TILE) return 0;
  return window_parts(type);
}

static LLVMValueRef *value_part(Host *h, const Value *value, int part) {
  Placement *place = host_place(h, value);
  if (value->type->rank == 0) return part ? &place->bits : &place->llvm;
  if (!place->window) place->window = window_new(h);
  return window_part(place->window, value->type, part);
}

static bool check_type(Host *h, const Op *op, const Type *type) {
  switch (type->kind) {
  case TYPE_SCALAR:
  case TYPE_POINTER:
  case TYPE_TILE:
  case TYPE_BLOCK_POINTER:
  case TYPE_DESCRIPTOR: return true;
  default:
    return diag_error(h->e->diags, op->loc, ERROR_host_carries,
                      op_info[op->kind].name, type_text(type, h->e->arena),
                      h->e->target->name);
  }
}

static void set_parts(Host *h, const Value *to, const Value *from) {
  const int n = value_parts(h, to);
  for (int i = 0; i < n; i++) {
    *value_part(h, to, i) = *value_part(h, from, i);
  }
}

// -- Tiles -------------------------------------------------------------------

typedef struct {
  const Value *from, *to;
} TileCopy;
typedef Vec(TileCopy) Copies;

static size_t tile_bytes(const Value *tile) {
  return host_buffer_bytes(tile->type->element) *
         (size_t)tile->type->num_elements;
}

static void copy_bytes(Host *h, LLVMValueRef to, LLVMValueRef from,
                       size_t bytes) {
  LLVMBuildMemCpy(h->b, to, 64, from, 64, host_i64(h, (int64_t)bytes));
}

static void add_copy(Host *h, Copies *copies, const Value *from,
                     const Value *to) {
  if (!type_is_tile(to->type)) return;
  if (plan_slot_of(h, from) == plan_slot_of(h, to)) return;
  vec_push(h->e->arena, copies, ((TileCopy){from, to}));
}

static bool is_overwritten(Host *h, const Copies *copies, size_t which) {
  const int slot = plan_slot_of(h, copies->items[which].from);
  for (size_t i = 0; i < copies->count; i++) {
    if (plan_slot_of(h, copies->items[i].to) == slot) return true;
  }
  return false;
}

// Copies as if all copies were made at once: a source that is also a target is
// saved first.  For example, a loop that ends with `a, b = b, a` saves both
// tiles before it writes either slot.
static void copy_tiles(Host *h, const Copies *copies) {
  LLVMValueRef *from =
      arena_array(h->e->arena, LLVMValueRef, copies->count + 1);
  for (size_t i = 0; i < copies->count; i++) {
    const Value *source = copies->items[i].from;
    from[i] = host_buffer(h, source);
    if (!is_overwritten(h, copies, i)) continue;
    LLVMValueRef spare = host_spare(h, tile_bytes(source));
    copy_bytes(h, spare, from[i], tile_bytes(source));
    from[i] = spare;
  }
  for (size_t i = 0; i < copies->count; i++) {
    const Value *to = copies->items[i].to;
    copy_bytes(h, host_buffer(h, to), from[i], tile_bytes(to));
  }
}

// Gives carried values their initial values.
static bool enter(Host *h, const Op *op, int first, const Value *args) {
  const int n = op->num_operands - first;
  for (int i = 0; i < n; i++) {
    const Value *init = op_operand(op, first + i), *arg = &args[i];
    if (!check_type(h, op, arg->type)) return false;
    if (!type_is_tile(arg->type)) continue;
    const bool buffer = host_place(h, init)->buffer;
    if (buffer && plan_slot_of(h, init) == plan_slot_of(h, arg)) continue;
    if (!host_fill(h, op, init, arg)) return false;
  }
  return true;
}

static void leave(Host *h, const Op *end, int first, const Value *to) {
  Copies copies = {0};
  for (int i = first; i < end->num_operands; i++) {
    add_copy(h, &copies, op_operand(end, i), &to[i - first]);
  }
  copy_tiles(h, &copies);
}

// -- Phis --------------------------------------------------------------------

typedef struct {
  const Value *value; // the argument
  const Value *init;
  LLVMValueRef *phis; // NULL: the part never changes
} Carry;

// The value of which this one is a copy, up to `advance`, also through loops.
static const Value *window_source(const Value *value, int depth) {
  for (; depth < TRACE_LIMIT; depth++) {
    const Op *op = value->def;
    if (!op) return value;
    if (op->kind == OP_advance) {
      value = op_operand(op, 0);
    } else if (op->kind == OP_for) {
      const int i = value->index;
      const Value *end = region_yield(op, 0, i);
      if (window_source(end, depth + 1) != for_arg(op, i)) return value;
      value = for_init(op, i);
    } else {
      return value;
    }
  }
  return NULL;
}

// Does a loop change only the position of a block pointer?
static bool only_advances(const Value *arg, const Value *next) {
  return arg->type->kind == TYPE_BLOCK_POINTER && window_source(next, 0) == arg;
}

const Op *window_maker(const Value *window) {
  window = window_source(window, 0);
  while (window && !window->def) {
    const Op *loop = window->block->parent;
    if (!loop || loop->kind != OP_for || window->index == 0) return NULL;
    const int slot = window->index - 1;
    if (!only_advances(window, region_yield(loop, 0, slot))) return NULL;
    window = window_source(for_init(loop, slot), 0);
  }
  const Op *op = window ? window->def : NULL;
  const bool makes =
      op && (op->kind == OP_make_block_ptr || op->kind == OP_make_desc);
  return makes ? op : NULL;
}

static void carry_value(Host *h, Carry *c, const Value *next) {
  const int n = value_parts(h, c->value);
  const int fixed =
      only_advances(c->value, next) ? n - c->value->type->rank : 0;
  c->phis = arena_array(h->e->arena, LLVMValueRef, n + 1);
  for (int i = 0; i < n; i++) {
    LLVMValueRef init = *value_part(h, c->init, i);
    if (i >= fixed) c->phis[i] = LLVMBuildPhi(h->b, LLVMTypeOf(init), "");
    *value_part(h, c->value, i) = i < fixed ? init : c->phis[i];
  }
}

static void connect(Host *h, const Carry *c, const Value *next,
                    LLVMBasicBlockRef before, LLVMBasicBlockRef latch) {
  const int n = value_parts(h, c->value);
  for (int i = 0; i < n; i++) {
    if (!c->phis[i]) continue;
    LLVMAddIncoming(
        c->phis[i],
        (LLVMValueRef[]){*value_part(h, c->init, i), *value_part(h, next, i)},
        (LLVMBasicBlockRef[]){before, latch}, 2);
  }
}

static void join_parts(Host *h, const Value *result, const Value *a,
                       LLVMBasicBlockRef from_a, const Value *b,
                       LLVMBasicBlockRef from_b) {
  const int n = value_parts(h, result);
  for (int i = 0; i < n; i++) {
    LLVMValueRef x = *value_part(h, a, i), y = *value_part(h, b, i);
    LLVMValueRef out = x;
    if (x != y) {
      out = LLVMBuildPhi(h->b, LLVMTypeOf(x), "");
      LLVMAddIncoming(out, (LLVMValueRef[]){x, y},
                      (LLVMBasicBlockRef[]){from_a, from_b}, 2);
    }
    *value_part(h, result, i) = out;
  }
}

// -- for ---------------------------------------------------------------------

// The number of times that the body runs, counted without overflow.
static LLVMValueRef trip_count(Host *h, LLVMValueRef lower, LLVMValueRef upper,
                               LLVMValueRef step) {
  LLVMBuilderRef b = h->b;
  LLVMTypeRef type = LLVMTypeOf(step);
  LLVMValueRef zero = LLVMConstNull(type), one = const_int(type, 1);
  LLVMValueRef up = LLVMBuildICmp(b, LLVMIntSGT, step, zero, "");
  LLVMValueRef down = LLVMBuildICmp(b, LLVMIntSLT, step, zero, "");
  LLVMValueRef low = emit_select(h->e, up, lower, upper);
  LLVMValueRef high = emit_select(h->e, up, upper, lower);
  LLVMValueRef size = emit_select(h->e, up, step, LLVMBuildNeg(b, step, ""));
  LLVMValueRef some =
      LLVMBuildAnd(b, LLVMBuildOr(b, up, down, ""),
                   LLVMBuildICmp(b, LLVMIntSLT, low, high, ""), "");
  LLVMValueRef span = LLVMBuildSub(b, LLVMBuildSub(b, high, low, ""), one, "");
  LLVMValueRef safe = emit_select(h->e, some, size, one);
  LLVMValueRef count =
      LLVMBuildAdd(b, LLVMBuildUDiv(b, span, safe, ""), one, "");
  return emit_select(h->e, some, count, zero);
}

typedef struct {
  const Op *op;
  LLVMBasicBlockRef before, head, exit, latch;
  LLVMValueRef count, left, iv;
  Carry *carries;
} ForLoop;

static void open_for(Host *h, ForLoop *k) {
  LLVMValueRef lower = host_scalar(h, op_operand(k->op, FOR_LOWER));
  LLVMTypeRef type = LLVMTypeOf(lower);
  k->count = trip_count(h, lower, host_scalar(h, op_operand(k->op, FOR_UPPER)),
                        host_scalar(h, op_operand(k->op, FOR_STEP)));
  reuse_begin(h, k->op);
  k->before = LLVMGetInsertBlock(h->b);
  k->head = host_block(h, "for");
  k->exit = host_block(h, "endfor");
  LLVMValueRef none =
      LLVMBuildICmp(h->b, LLVMIntEQ, k->count, LLVMConstNull(type), "");
  LLVMBuildCondBr(h->b, none, k->exit, k->head);
  LLVMPositionBuilderAtEnd(h->b, k->head);
  k->iv = LLVMBuildPhi(h->b, type, "iv");
  k->left = LLVMBuildPhi(h->b, type, "left");
  host_set(h, for_counter(k->op), k->iv);
  for (int i = 0; i < for_num_slots(k->op); i++) {
    k->carries[i].value = for_arg(k->op, i);
    k->carries[i].init = for_init(k->op, i);
    carry_value(h, &k->carries[i], region_yield(k->op, 0, i));
  }
}

static void close_for(Host *h, ForLoop *k) {
  LLVMTypeRef type = LLVMTypeOf(k->iv);
  LLVMValueRef step = host_scalar(h, op_operand(k->op, FOR_STEP));
  LLVMValueRef next = LLVMBuildAdd(h->b, k->iv, step, "");
  LLVMValueRef left = LLVMBuildSub(h->b, k->left, const_int(type, 1), "");
  k->latch = LLVMGetInsertBlock(h->b);
  LLVMValueRef done =
      LLVMBuildICmp(h->b, LLVMIntEQ, left, LLVMConstNull(type), "");
  LLVMBuildCondBr(h->b, done, k->exit, k->head);
  LLVMBasicBlockRef from[] = {k->before, k->latch};
  LLVMValueRef lower = host_scalar(h, op_operand(k->op, FOR_LOWER));
  LLVMAddIncoming(k->iv, (LLVMValueRef[]){lower, next}, from, 2);
  LLVMAddIncoming(k->left, (LLVMValueRef[]){k->count, left}, from, 2);
}

bool host_emit_for(Host *h, const Op *op) {
  const int count = for_num_slots(op);
  ForLoop k = {.op = op};
  k.carries = arena_array(h->e->arena, Carry, count + 1);
  if (!enter(h, op, FOR_INIT, for_arg(op, 0))) return false;
  count_enter(h, op);
  open_for(h, &k);
  const Trips outer = h->trips;
  h->trips = (Trips){op, k.count, k.left};
  if (!host_lower_block(h, op->regions[0])) return false;
  h->trips = outer;
  leave(h, block_end(op->regions[0]), 0, op->results);
  memory_end_trip(h, op);
  count_trip(h, op);
  close_for(h, &k);
  for (int i = 0; i < count; i++) {
    connect(h, &k.carries[i], region_yield(op, 0, i), k.before, k.latch);
  }
  LLVMPositionBuilderAtEnd(h->b, k.exit);
  for (int i = 0; i < count; i++) {
    join_parts(h, &op->results[i], k.carries[i].init, k.before,
               region_yield(op, 0, i), k.latch);
  }
  count_leave(h, op);
  return true;
}

// -- while -------------------------------------------------------------------

static void pass_condition(Host *h, const Op *op, const Op *end) {
  for (int i = 1; i < end->num_operands; i++) {
    set_parts(h, &op->regions[1]->args[i - 1], op_operand(end, i));
    set_parts(h, &op->results[i - 1], op_operand(end, i));
  }
}

bool host_emit_while(Host *h, const Op *op) {
  const Block *test = op->regions[0], *body = op->regions[1];
  if (!enter(h, op, 0, test->args)) return false;
  count_enter(h, op);
  LLVMBasicBlockRef before = LLVMGetInsertBlock(h->b);
  LLVMBasicBlockRef head = host_block(h, "while"), go = host_block(h, "do");
  LLVMBasicBlockRef exit = host_block(h, "endwhile");
  LLVMBuildBr(h->b, head);
  LLVMPositionBuilderAtEnd(h->b, head);
  Carry *carries = arena_array(h->e->arena, Carry, op->num_operands + 1);
  for (int i = 0; i < op->num_operands; i++) {
    carries[i] = (Carry){.value = &test->args[i], .init = op_operand(op, i)};
    carry_value(h, &carries[i], op_operand(body->last, i));
  }
  if (!host_lower_block(h, test)) return false;
  leave(h, test->last, 1, op->results);
  pass_condition(h, op, test->last);
  LLVMBuildCondBr(h->b, host_scalar(h, op_operand(test->last, 0)), go, exit);
  LLVMPositionBuilderAtEnd(h->b, go);
  if (!host_lower_block(h, body)) return false;
  leave(h, body->last, 0, test->args);
  count_trip(h, op);
  LLVMBasicBlockRef latch = LLVMGetInsertBlock(h->b);
  LLVMBuildBr(h->b, head);
  for (int i = 0; i < op->num_operands; i++) {
    connect(h, &carries[i], op_operand(body->last, i), before, latch);
  }
  LLVMPositionBuilderAtEnd(h->b, exit);
  count_leave(h, op);
  return true;
}

// -- if ----------------------------------------------------------------------

static bool lower_branch(Host *h, const Op *op, int region,
                         LLVMBasicBlockRef *block, LLVMBasicBlockRef exit) {
  LLVMPositionBuilderAtEnd(h->b, *block);
  if (!host_lower_block(h, op->regions[region])) return false;
  leave(h, op->regions[region]->last, 0, op->results);
  *block = LLVMGetInsertBlock(h->b);
  LLVMBuildBr(h->b, exit);
  return true;
}

bool host_emit_if(Host *h, const Op *op) {
  for (int i = 0; i < op->num_results; i++) {
    if (!check_type(h, op, op->results[i].type)) return false;
  }
  LLVMBasicBlockRef yes = host_block(h, "then"), no = host_block(h, "else");
  LLVMBasicBlockRef exit = host_block(h, "endif");
  LLVMBuildCondBr(h->b, host_scalar(h, op_operand(op, 0)), yes, no);
  if (!lower_branch(h, op, 0, &yes, exit)) return false;
  if (!lower_branch(h, op, 1, &no, exit)) return false;
  LLVMPositionBuilderAtEnd(h->b, exit);
  for (int i = 0; i < op->num_results; i++) {
    join_parts(h, &op->results[i], op_operand(op->regions[0]->last, i), yes,
               op_operand(op->regions[1]->last, i), no);
  }
  return true;
}
