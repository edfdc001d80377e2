// reuse.c -- packed operands that one program leaves for the next.
//
// Adjacent programs of a grid often multiply by the same columns.  The right
// operands of dots in a loop are traced back to scalars that are known before
// it.  If the previous program of the thread had the same scalars, this program
// finds an operand's panels in scratch memory, from the first trip up to the
// last one that was packed.  No program may have written the operand's memory
// since: programs have no order, and this one writes nothing before the loop
// has ended.
//
// For example, programs 0 to 5 of a thread multiply by columns 0, 0, 0, 1, 1
// and 1, whose number is the only scalar that differs.  Program 0 leaves
// nothing, since no program was before it.  Program 1 packs and leaves its
// panels, program 2 takes them.  Program 3 packs anew, for 4 and 5. If program
// 2 has two trips more than program 1, it packs the operands of these two.
#include "codegen/host/product.h"

#include <assert.h>

enum {
  MAX_SOURCES = 16,
  MAX_STEPS = 64,
  MOST_BYTES = 1 << 20,
  LEAST_SLOTS = 2
};

struct Reuse {
  HostDot *dot;
  const Op *loop;
  const Value *sources[MAX_SOURCES]; // scalars that programs differ in
  int num_sources;
  Map seen;
  Vec(const Value *) open; // to be traced
  size_t bytes;            // of a slot: panels of one product
  int64_t slots;           // for the next program; one more is for other trips
  int64_t trips;           // number of trips whose operands a slot holds
  LLVMValueRef panels, marks; // marks: a byte a trip, has it denormals?
  LLVMValueRef filled;        // address of the number of trips in slots
  LLVMValueRef there;         // that number when the loop starts
  LLVMValueRef stays;         // may panels of this loop stay in slots?
  LLVMValueRef mark;          // address of this trip's byte in `marks`
  LLVMValueRef ready;         // is this trip's operand in a slot?
  LLVMBasicBlockRef done;
};

// -- Scalars of an operand ---------------------------------------------------

static void ask(Host *h, Reuse *r, const Value *value) {
  if (map_get(&r->seen, value)) return;
  map_put(&r->seen, h->e->arena, value, r);
  vec_push(h->e->arena, &r->open, value);
}

static void ask_operands(Host *h, Reuse *r, const Op *op) {
  for (int i = 0; i < op->num_operands; i++) ask(h, r, op_operand(op, i));
}

static void ask_carried(Host *h, Reuse *r, const Value *arg) {
  if (arg == for_counter(r->loop)) {
    ask(h, r, op_operand(r->loop, FOR_LOWER));
    ask(h, r, op_operand(r->loop, FOR_STEP));
    return;
  }
  ask(h, r, for_init(r->loop, arg->index - 1));
  ask(h, r, region_yield(r->loop, 0, arg->index - 1));
}

// Does the op's result follow from its operands, wherever the op stands?
static bool is_made(const Op *op) {
  return op->kind == OP_constant || op->kind == OP_arange ||
         (op_is_pure(op) && op->num_operands && !op->num_regions);
}

// Is the value the same in all programs of a launch?
static bool is_common(Host *h, const Value *value) {
  Vec(const Value *) open = {0};
  vec_push(h->e->arena, &open, value);
  for (int steps = 0; open.count; steps++) {
    value = open.items[--open.count];
    const Op *op = value->def;
    if (op && op->kind == OP_num_programs) continue;
    if (!op && value->block == h->f->body) continue;
    if (!op || !is_made(op) || steps == MAX_STEPS) return false;
    for (int i = 0; i < op->num_operands; i++) {
      vec_push(h->e->arena, &open, op_operand(op, i));
    }
  }
  return true;
}

static bool add_source(Host *h, Reuse *r, const Value *value) {
  if (is_common(h, value)) return true;
  if (r->num_sources == MAX_SOURCES) return false;
  r->sources[r->num_sources++] = value;
  return true;
}

static bool is_number(const Type *type) {
  return type->kind == TYPE_SCALAR || type->kind == TYPE_POINTER;
}

static bool trace(Host *h, Reuse *r, const Value *value) {
  const Block *body = r->loop->regions[0];
  const Op *op = value->def;
  if (value_is_outside(value, body) && (is_number(value->type) || !op)) {
    return !type_is_tile(value->type) && add_source(h, r, value);
  }
  if (op) {
    ask_operands(h, r, op);
    return is_made(op);
  }
  if (value->block != body) return false;
  ask_carried(h, r, value);
  return true;
}

static bool trace_load(Host *h, Reuse *r, const Op *load) {
  ask_operands(h, r, load);
  while (r->open.count) {
    if (!trace(h, r, r->open.items[--r->open.count])) return false;
  }
  return true;
}

// -- Which operand -----------------------------------------------------------

// Does the kernel write global memory before the end of the loop?
static bool writes(const Host *h, const Op *loop) {
  return h->writes.count && h->writes.items[0] <= host_op(h, loop)->end;
}

// May a program wait for writes of another one, or end within the loop?
static bool is_forbidden(const Host *h) {
  for (size_t i = 0; i < h->order.count; i++) {
    const Op *op = h->order.items[i];
    if (op_int(op, ATTR_volatile) || op->kind == OP_device_assert) return true;
  }
  return false;
}

// The load of the right operand; NULL: it is made otherwise.
static const Op *load_of(const Op *dot) {
  const Op *op = op_operand(dot, 1)->def;
  return op && op->block == dot->block && product_loads(op) ? op : NULL;
}

static bool may_leave(Host *h, Reuse *r, const Op *dot) {
  const Op *loop = dot->block->parent, *load = load_of(dot);
  if (!loop || loop->kind != OP_for || loop->block != h->f->body) return false;
  if (!load || writes(h, loop)) return false;
  *r = (Reuse){.dot = product_of(h, dot), .loop = loop};
  r->bytes = product_panel_bytes(r->dot);
  r->slots = MOST_BYTES / (int64_t)r->bytes;
  r->trips = r->dot->full / r->dot->k;
  return r->slots >= LEAST_SLOTS && product_may_pack(h, load) &&
         trace_load(h, r, load);
}

// Dots of the first loop that has one.
void reuse_find(Host *h) {
  if (h->e->options.quick || is_forbidden(h)) return;
  Reuse *r = arena_new(h->e->arena, Reuse);
  for (size_t i = 0; i < h->order.count; i++) {
    const Op *op = h->order.items[i];
    if (op->kind != OP_dot || !may_leave(h, r, op)) continue;
    if (h->reuses.count && h->reuses.items[0]->loop != r->loop) return;
    vec_push(h->e->arena, &h->reuses, r);
    r->dot->reuse = r;
    r->dot->packs = true;
    r = arena_new(h->e->arena, Reuse);
  }
}

// -- Is it there? ------------------------------------------------------------

static LLVMValueRef to_word(Host *h, LLVMValueRef x) {
  LLVMTypeRef i64 = int_type(h->e, 64), type = LLVMTypeOf(x);
  const LLVMTypeKind kind = LLVMGetTypeKind(type);
  if (kind == LLVMPointerTypeKind) return LLVMBuildPtrToInt(h->b, x, i64, "");
  if (kind != LLVMIntegerTypeKind) {
    const int bits = kind == LLVMDoubleTypeKind ? 64 : 32;
    x = LLVMBuildBitCast(h->b, x, int_type(h->e, bits), "");
  }
  return LLVMBuildZExtOrBitCast(h->b, x, i64, "");
}

// Stores `x` at `at`. Returns the former contents.
static LLVMValueRef exchange(Host *h, LLVMValueRef at, LLVMValueRef x) {
  LLVMValueRef old = LLVMBuildLoad2(h->b, LLVMTypeOf(x), at, "");
  LLVMBuildStore(h->b, x, at);
  return old;
}

// Does this program have the scalars of the previous one? Its own are stored.
static LLVMValueRef compare_sources(Host *h, const Reuse *r) {
  LLVMValueRef memory = host_spare(h, 8 * MAX_SOURCES), equal = h->again;
  for (int i = 0; i < r->num_sources; i++) {
    const Placement *place = host_place(h, r->sources[i]);
    LLVMValueRef x = place->keeps ? place->bits : place->llvm;
    assert(x && !type_is_tile(r->sources[i]->type) &&
           "a source that is not compared"); // I12
    x = to_word(h, x);
    LLVMValueRef old =
        exchange(h, emit_byte_at(h->e, memory, host_i64(h, 8 * i)), x);
    LLVMValueRef same = LLVMBuildICmp(h->b, LLVMIntEQ, old, x, "");
    equal = LLVMBuildAnd(h->b, equal, same, "");
  }
  return equal;
}

// A program fills the slots if the thread has run another program before,
// unless neither this program nor the previous one could use the panels that it
// found.
static void begin(Host *h, Reuse *r) {
  LLVMValueRef equal = compare_sources(h, r);
  LLVMTypeRef i1 = int_type(h->e, 1), i8 = int_type(h->e, 8);
  LLVMTypeRef i64 = int_type(h->e, 64);
  LLVMValueRef lost = host_spare(h, 1);
  LLVMValueRef differs = LLVMBuildNot(h->b, equal, "");
  LLVMValueRef in_vain = LLVMBuildAnd(h->b, h->again, differs, "");
  LLVMValueRef was = exchange(h, lost, LLVMBuildZExt(h->b, in_vain, i8, ""));
  was = LLVMBuildAnd(h->b, LLVMBuildTrunc(h->b, was, i1, ""), in_vain, "");
  r->stays = LLVMBuildAnd(h->b, h->again, LLVMBuildNot(h->b, was, ""), "");
  r->filled = host_spare(h, 8);
  r->there = emit_select(h->e, equal, LLVMBuildLoad2(h->b, i64, r->filled, ""),
                         host_i64(h, 0));
  LLVMBuildStore(h->b, r->there, r->filled);
  r->panels = host_spare(h, r->bytes * (size_t)(r->slots + 1));
  r->marks = host_spare(h, (size_t)(r->slots * r->trips + 1));
}

void reuse_begin(Host *h, const Op *loop) {
  for (size_t i = 0; i < h->reuses.count; i++) {
    if (h->reuses.items[i]->loop == loop) begin(h, h->reuses.items[i]);
  }
}

LLVMValueRef reuse_memory(HostDot *d) {
  Host *h = d->h;
  Reuse *r = d->reuse;
  LLVMValueRef trips = host_i64(h, r->trips), last = host_i64(h, r->slots);
  LLVMValueRef group = LLVMBuildUDiv(h->b, d->trip, trips, "");
  LLVMValueRef has = LLVMBuildICmp(h->b, LLVMIntULT, group, last, "");
  LLVMValueRef stays = LLVMBuildAnd(h->b, has, r->stays, "");
  LLVMValueRef slot = emit_select(h->e, stays, group, last);
  r->mark = emit_byte_at(
      h->e, r->marks,
      emit_select(h->e, stays, d->trip, host_i64(h, r->slots * r->trips)));
  r->ready = LLVMBuildICmp(h->b, LLVMIntULT, d->trip, r->there, "");
  r->ready = LLVMBuildAnd(h->b, has, r->ready, "");
  LLVMValueRef size = host_i64(h, (int64_t)r->bytes);
  return emit_byte_at(h->e, r->panels, LLVMBuildMul(h->b, slot, size, ""));
}

// -- Packing or not ----------------------------------------------------------

void reuse_open(HostDot *d) {
  Host *h = d->h;
  Reuse *r = d->reuse;
  LLVMBasicBlockRef pack = host_block(h, "pack");
  r->done = host_block(h, "there");
  LLVMBuildCondBr(h->b, r->ready, r->done, pack);
  LLVMPositionBuilderAtEnd(h->b, pack);
}

LLVMValueRef reuse_close(HostDot *d, LLVMValueRef denormal) {
  Host *h = d->h;
  const Reuse *r = d->reuse;
  LLVMTypeRef i8 = int_type(h->e, 8);
  LLVMValueRef next = LLVMBuildAdd(h->b, d->trip, host_i64(h, 1), "");
  next = emit_select(h->e, r->stays, next, host_i64(h, 0));
  LLVMBuildStore(h->b, next, r->filled);
  if (denormal) {
    LLVMBuildStore(h->b, LLVMBuildZExt(h->b, denormal, i8, ""), r->mark);
  }
  LLVMBuildBr(h->b, r->done);
  LLVMPositionBuilderAtEnd(h->b, r->done);
  if (!denormal) return NULL;
  LLVMValueRef any = LLVMBuildLoad2(h->b, i8, r->mark, "");
  return LLVMBuildTrunc(h->b, any, int_type(h->e, 1), "");
}

LLVMValueRef reuse_is_ready(const HostDot *d) {
  return d->reuse->ready;
}
