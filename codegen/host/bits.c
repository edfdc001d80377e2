// bits.c -- values that keep the bits that they have in memory.
//
// A signalling NaN of f16 or f8e5 becomes quiet when converted to f32, but a
// copy must not change bits.  So values that go from memory to memory without
// computation *keep their bits*: tiles hold the memory form in the low bits of
// each f32 instead of the f32 of the value, and scalars are held in both forms.
// Code that computes with a tile of bits converts the elements that it reads.
//
// For example, a kernel stores the transpose of an f16 tile that it has loaded.
// The element 0x7d01, a signalling NaN, is held as 0x00007d01; an f32 of it
// would be stored as the quiet NaN 0x7f01.
#include "codegen/host/host.h"

bool host_may_lose(const Type *type) {
  const bool has_elements = type->kind == TYPE_SCALAR || type_is_tile(type);
  return has_elements && type_is_float(type) &&
         elem_loses_bits(type_element(type)->elem);
}

typedef struct {
  Host *h;
  bool changed;
} BitSearch;

// Called for a value `to` and each value `from` that flows into it.
typedef void BitFlow(BitSearch *s, const Value *from, const Value *to);

// -- Ops that only move elements ---------------------------------------------

static bool moves_first(OpKind kind) {
  switch (kind) {
  case OP_hint:
  case OP_convert_layout:
  case OP_expand_dims:
  case OP_broadcast:
  case OP_trans:
  case OP_reshape:
  case OP_splat:
  case OP_split:
  case OP_gather:
  case OP_negf:
  case OP_absf: return true; // both change the sign only
  default: return false;
  }
}

static void each_data_move(BitSearch *s, const Op *op, BitFlow *move) {
  for (int i = 0; moves_first(op->kind) && i < op->num_results; i++) {
    move(s, op_operand(op, 0), &op->results[i]);
  }
  const bool both = op->kind == OP_join || op->kind == OP_cat;
  if (both || op->kind == OP_select) {
    move(s, op_operand(op, !both), op_result(op));
    move(s, op_operand(op, !both + 1), op_result(op));
  }
  const Value *other = op->kind == OP_load ? op_group(op, 2) : NULL;
  if (other) move(s, other, op_result(op));
}

// Visits the values with which a loop starts.
static void each_entry(BitSearch *s, const Op *op, BitFlow *move) {
  if (op->kind == OP_for) {
    for (int i = 0; i < for_num_slots(op); i++) {
      move(s, for_init(op, i), for_arg(op, i));
      move(s, for_init(op, i), &op->results[i]);
    }
  } else if (op->kind == OP_while) {
    for (int i = 0; i < op->num_operands; i++) {
      move(s, op_operand(op, i), &op->regions[0]->args[i]);
    }
  }
}

// Visits the values that reductions and scans combine, in any order.
static void each_combined(BitSearch *s, const Op *op, BitFlow *move) {
  if (op->kind != OP_reduce && op->kind != OP_scan) return;
  const Block *body = op->regions[0];
  const int n = op->num_results;
  for (int i = 0; i < n; i++) {
    const Value *from[] = {op_operand(op, i), op_operand(body->last, i)};
    for (int k = 0; k < 2; k++) {
      move(s, from[k], &body->args[i]);
      move(s, from[k], &body->args[n + i]);
      move(s, from[k], &op->results[i]);
    }
  }
}

// Visits the values that the terminators of an op's regions pass on.
static void each_flow(BitSearch *s, const Op *op, BitFlow *move) {
  const Op *end = op->num_regions ? op->regions[0]->last : NULL;
  for (int i = 0; i < op->num_results; i++) {
    switch (op->kind) {
    case OP_for:
      move(s, op_operand(end, i), for_arg(op, i));
      move(s, op_operand(end, i), &op->results[i]);
      break;
    case OP_while:
      move(s, op_operand(end, 1 + i), &op->regions[1]->args[i]);
      move(s, op_operand(end, 1 + i), &op->results[i]);
      break;
    case OP_if:
      move(s, op_operand(end, i), &op->results[i]);
      move(s, op_operand(op->regions[1]->last, i), &op->results[i]);
      break;
    default: break;
    }
  }
  if (op->kind != OP_while) return;
  const Block *body = op->regions[1];
  for (int i = 0; i < body->last->num_operands; i++) {
    move(s, op_operand(body->last, i), &op->regions[0]->args[i]);
  }
}

// -- From memory to memory ---------------------------------------------------

static void set(BitSearch *s, bool *what, bool value) {
  s->changed |= value && !*what;
  *what |= value;
}

static void hand_on(BitSearch *s, const Value *from, const Value *to) {
  Placement *a = host_place(s->h, from), *b = host_place(s->h, to);
  set(s, &b->from_memory, a->from_memory);
  set(s, &a->to_memory, b->to_memory);
}

static bool reads_bits(OpKind kind) {
  switch (kind) {
  case OP_load:
  case OP_load_block:
  case OP_load_desc:
  case OP_atomic_rmw:
  case OP_atomic_cas:
  case OP_bitcast: return true;
  default: return false;
  }
}

bool host_writes_bits(const Op *op, int operand) {
  switch (op->kind) {
  case OP_bitcast: return true;
  case OP_store:
  case OP_store_block:
  case OP_store_desc: return operand == 1;
  case OP_atomic_cas: return operand == 1 || operand == 2;
  default: return false;
  }
}

static void find_ends(BitSearch *s, const Op *op) {
  for (int i = 0; reads_bits(op->kind) && i < op->num_results; i++) {
    Placement *place = host_place(s->h, &op->results[i]);
    place->from_memory = host_may_lose(op->results[i].type);
  }
  for (int i = 0; i < op->num_operands; i++) {
    const Value *operand = op_operand(op, i);
    if (!host_writes_bits(op, i) || !host_may_lose(operand->type)) continue;
    host_place(s->h, operand)->to_memory = true;
  }
}

static void each_move(BitSearch *s, const Op *op, BitFlow *move) {
  each_data_move(s, op, move);
  each_entry(s, op, move);
  each_combined(s, op, move);
  each_flow(s, op, move);
}

static void find_paths(BitSearch *s) {
  const int n = (int)s->h->order.count;
  do {
    s->changed = false;
    for (int i = 0; i < n; i++) each_move(s, s->h->order.items[i], hand_on);
    for (int i = n; i-- > 0;) each_move(s, s->h->order.items[i], hand_on);
  } while (s->changed);
}

// -- Values that keep their bits ---------------------------------------------

static void set_keeps(BitSearch *s, const Value *value) {
  Placement *place = host_place(s->h, value);
  set(s, &place->keeps, place->from_memory && place->to_memory);
}

static void agree(BitSearch *s, const Value *a, const Value *b) {
  set(s, &host_place(s->h, a)->keeps, host_place(s->h, b)->keeps);
  set(s, &host_place(s->h, b)->keeps, host_place(s->h, a)->keeps);
}

static void agree_scalars(BitSearch *s, const Value *a, const Value *b) {
  if (!type_is_tile(a->type)) agree(s, a, b);
}

// Buffers that are copied to each other, and the slots of a loop, must have one
// form.
static void agree_on_forms(BitSearch *s, const Op *op) {
  each_entry(s, op, agree_scalars);
  each_flow(s, op, agree);
  if (op->kind == OP_trans) agree(s, op_operand(op, 0), op_result(op));
  if (op->kind != OP_reduce && op->kind != OP_scan) return;
  const Value *args = op->regions[0]->args;
  for (int i = 0; i < op->num_results; i++) {
    agree(s, &args[i], &args[op->num_results + i]);
  }
}

static void each_value(BitSearch *s, const Op *op,
                       void (*act)(BitSearch *s, const Value *value)) {
  for (int i = 0; i < op->num_results; i++) act(s, &op->results[i]);
  for (int r = 0; r < op->num_regions; r++) {
    const Block *block = op->regions[r];
    for (int i = 0; i < block->num_args; i++) act(s, &block->args[i]);
  }
}

void plan_bits(Host *h) {
  BitSearch s = {.h = h};
  const Block *body = h->f->body;
  for (int i = 0; i < body->num_args; i++) {
    const Value *arg = &body->args[i];
    host_place(h, arg)->from_memory = host_may_lose(arg->type);
  }
  for (size_t i = 0; i < h->order.count; i++) find_ends(&s, h->order.items[i]);
  find_paths(&s);
  for (int i = 0; i < body->num_args; i++) set_keeps(&s, &body->args[i]);
  for (size_t i = 0; i < h->order.count; i++) {
    each_value(&s, h->order.items[i], set_keeps);
  }
  for (s.changed = true; s.changed;) {
    s.changed = false;
    for (size_t i = 0; i < h->order.count; i++) {
      agree_on_forms(&s, h->order.items[i]);
    }
  }
}

// -- Forms -------------------------------------------------------------------

LLVMValueRef host_from_memory(Host *h, const Type *element, LLVMValueRef memory,
                              bool keeps) {
  return keeps ? convert_to_bits(h->e, memory)
               : convert_load(h->e, element, memory);
}

LLVMValueRef host_to_memory(Host *h, const Type *element, LLVMValueRef x,
                            bool keeps) {
  return keeps ? convert_from_bits(h->e, element, x)
               : convert_store(h->e, element, x);
}

LLVMValueRef host_form(Host *h, const Type *type, LLVMValueRef x, bool from,
                       bool to) {
  const Type *element = type_element(type);
  if (from == to) return x;
  return host_from_memory(h, element, host_to_memory(h, element, x, from), to);
}

LLVMValueRef host_own_form(Host *h, const Value *value, LLVMValueRef x) {
  return host_form(h, value->type, x, false, host_keeps(h, value));
}

LLVMValueRef host_bits(Host *h, const Value *scalar) {
  const Placement *place = host_place(h, scalar);
  if (place->keeps) return place->bits;
  return host_form(h, scalar->type, place->llvm, false, true);
}

void host_set_own(Host *h, const Value *value, LLVMValueRef x) {
  Placement *place = host_place(h, value);
  place->llvm = host_form(h, value->type, x, place->keeps, false);
  place->bits = place->keeps ? x : NULL;
}

void host_set(Host *h, const Value *value, LLVMValueRef x) {
  host_set_own(h, value, host_own_form(h, value, x));
  host_place(h, value)->llvm = x;
}

// -- Elementwise operations --------------------------------------------------

bool host_takes_bits(const Host *h, const Op *op, int operand) {
  switch (op->kind) {
  case OP_hint:
  case OP_negf:
  case OP_absf: return host_keeps(h, op_result(op));
  case OP_select: return operand && host_keeps(h, op_result(op));
  case OP_bitcast: return host_keeps(h, op_operand(op, 0));
  default: return false;
  }
}

static LLVMValueRef cast_bits(Host *h, const Op *op, LLVMValueRef x) {
  const Type *from = type_element(op_operand(op, 0)->type);
  const Type *to = type_element(op_result(op)->type);
  LLVMValueRef memory =
      host_to_memory(h, from, x, host_keeps(h, op_operand(op, 0)));
  LLVMTypeRef type = type_like(LLVMTypeOf(memory), emit_memory_type(h->e, to));
  memory = LLVMBuildBitCast(h->b, memory, type, "");
  return host_from_memory(h, to, memory, host_keeps(h, op_result(op)));
}

static LLVMValueRef change_sign(Host *h, const Op *op, LLVMValueRef x) {
  LLVMTypeRef type = LLVMTypeOf(x);
  LLVMTypeRef i32 = type_like(type, int_type(h->e, 32));
  const int64_t sign = INT64_C(1)
                       << (type_element_bits(op_result(op)->type) - 1);
  LLVMValueRef bits = LLVMBuildBitCast(h->b, x, i32, "");
  bits = op->kind == OP_negf
             ? LLVMBuildXor(h->b, bits, const_int(i32, sign), "")
             : LLVMBuildAnd(h->b, bits, const_int(i32, sign - 1), "");
  return LLVMBuildBitCast(h->b, bits, type, "");
}

// In the form of the result.
static LLVMValueRef move_bits(Host *h, const Op *op, LLVMValueRef const *x) {
  switch (op->kind) {
  case OP_hint: return x[0];
  case OP_select: return emit_select(h->e, x[0], x[1], x[2]);
  case OP_negf:
  case OP_absf: return change_sign(h, op, x[0]);
  default: return NULL;
  }
}

LLVMValueRef host_elementwise(Host *h, const Op *op, LLVMValueRef const *x) {
  const bool keeps = host_keeps(h, op_result(op));
  if (op->kind == OP_bitcast && (keeps || host_takes_bits(h, op, 0))) {
    return cast_bits(h, op, x[0]);
  }
  LLVMValueRef moved = keeps ? move_bits(h, op, x) : NULL;
  if (moved) return moved;
  LLVMValueRef out = scalar_emit(h->e, op, x);
  return out ? host_own_form(h, op_result(op), out) : NULL;
}
