// access.c -- loads and stores of scalars, vectors and scattered lanes.
//
// Users' memory is accessed with an alignment of one byte, which costs nothing
// on supported hosts and assumes nothing.  Masked-off lanes are not accessed.
//
// For example, the pointers `x + 2 * arange(0, 8)` of f32 grow by 2 from lane
// to lane: arange by 1, its product with 2 by 2, `x` by 0, and the sum by 0
// + 2. With vectors of 64 bytes, a load of these eight lanes is a masked load
// of 16 neighbours with the mask 1 0 1 0 ... 1 0, of which elements 0, 2, ...,
// 14 are the result.
#include "codegen/host/nest.h"

enum {
  MAX_LANES = 64, // of lanes that are apart, with those between
  DEPTH_LIMIT = 64,
  LONG_RUN = 4096, // bytes; hardware prefetches within a page of 4 KiB
};

// -- Adjacent lanes ----------------------------------------------------------

typedef struct {
  int vec, lanes, depth;
  bool doubts; // ignores promises of the kernel
} Lanes;

// The dimension of the operand that is dimension `vec` of the result; -1: none.
static int vec_through_reshape(const Op *op, int vec) {
  const Type *from = op_operand(op, 0)->type, *to = op_result(op)->type;
  int nth = 0;
  for (int d = 0; d < vec; d++) nth += to->shape[d] > 1;
  for (int d = 0; d < from->rank; d++) {
    if (from->shape[d] > 1 && nth-- == 0) return d;
  }
  return -1;
}

static bool through_shape(const Op *op, Lanes *k) {
  switch (op->kind) {
  case OP_expand_dims:
    if (k->vec > op_int(op, ATTR_axis)) k->vec--;
    return true;
  case OP_trans:
    k->vec = (int)op_attr(op, ATTR_order)->as.ints.items[k->vec];
    return true;
  case OP_broadcast:
  case OP_convert_layout: return true;
  case OP_reshape:
    if (!reshape_is_view(op)) return false;
    k->vec = vec_through_reshape(op, k->vec);
    return true;
  default: return false;
  }
}

static int64_t ints_at(const Attr *attr, int index) {
  return attr && index < attr->as.ints.count ? attr->as.ints.items[index] : 1;
}

static bool step_of(const Value *value, Lanes k, int64_t *step);

static bool step_of_pair(const Op *op, int64_t a, int64_t b, int64_t *step) {
  int64_t factor;
  switch (op->kind) {
  case OP_addptr:
  case OP_addi: *step = a + b; return true;
  case OP_subi: *step = a - b; return true;
  case OP_muli:
    if (a && b) return false;
    if (!value_constant_int(op_operand(op, a ? 1 : 0), &factor)) return false;
    *step = (a ? a : b) * factor;
    return true;
  default: return false;
  }
}

static bool step_of_elementwise(const Op *op, Lanes k, int64_t *step) {
  int64_t steps[3] = {0};
  bool uniform = true;
  for (int i = 0; i < op->num_operands; i++) {
    if (!step_of(op_operand(op, i), k, &steps[i])) return false;
    if (steps[i]) uniform = false;
  }
  *step = steps[0];
  if (uniform || op->kind == OP_extsi || op->kind == OP_extui) return true;
  return op->num_operands == 2 && step_of_pair(op, steps[0], steps[1], step);
}

static bool step_of(const Value *value, Lanes k, int64_t *step) {
  *step = 0;
  if (!type_is_tile(value->type) || k.vec < 0) return true;
  if (value->type->shape[k.vec] == 1) return true;
  const Op *op = value->def;
  if (!op || k.depth++ > DEPTH_LIMIT) return false;
  if (op->kind == OP_constant || op->kind == OP_splat) return true;
  if (op->kind == OP_arange) {
    *step = 1;
    return true;
  }
  if (op->kind == OP_hint) {
    *step = 1;
    const int64_t run = ints_at(op_attr(op, ATTR_contiguity), k.vec);
    if (!k.doubts && run >= k.lanes) return true;
    return step_of(op_operand(op, 0), k, step);
  }
  if (through_shape(op, &k)) return step_of(op_operand(op, 0), k, step);
  if (!op_has(op, TRAIT_ELEMENTWISE)) return false;
  return step_of_elementwise(op, k, step);
}

bool lane_step(const Value *value, int vec, int lanes, int64_t *step) {
  return step_of(value, (Lanes){.vec = vec, .lanes = lanes}, step);
}

bool grows_by_one(const Value *value, int vec, int lanes) {
  const Lanes k = {.vec = vec, .lanes = lanes, .doubts = true};
  int64_t step;
  return step_of(value, k, &step) && step == 1;
}

bool is_one_run(const Value *pointers) {
  const Type *tile = pointers->type;
  const int vec = type_is_tile(tile) ? inner_dim(tile) : -1;
  return vec >= 0 && tile->shape[vec] == tile->num_elements &&
         grows_by_one(pointers, vec, (int)tile->shape[vec]);
}

int64_t run_bytes(const Op *access) {
  const Type *tile = op_operand(access, 0)->type;
  return tile->num_elements *
         (int64_t)emit_memory_bytes(type_element(tile)->element);
}

bool hint_is_sure(const Op *hint) {
  const Value *value = op_operand(hint, 0);
  const Attr *runs = op_attr(hint, ATTR_contiguity);
  if (!type_is_tile(value->type)) return true;
  for (int d = 0; d < value->type->rank; d++) {
    const int run = (int)ints_at(runs, d);
    if (run > 1 && !grows_by_one(value, d, run)) return false;
  }
  return true;
}

bool lanes_are_neighbours(const Op *op, int vec, int lanes) {
  if (ints_at(op_attr(op, ATTR_contiguity), vec) >= lanes) return true;
  int64_t step;
  return lane_step(op_operand(op, 0), vec, lanes, &step) && step == 1;
}

// Are the accessed elements adjacent without any promise?
static bool neighbours_for_sure(const Host *h, const Op *op, int vec,
                                int lanes) {
  return !h->promised || grows_by_one(op_operand(op, 0), vec, lanes);
}

static bool is_long_run(const Type *type, int vec) {
  const size_t bytes = emit_memory_bytes(type->element->element);
  return (size_t)type->shape[vec] * bytes >= LONG_RUN;
}

// Keeps all addresses beside that of lane 0, for the test in near().
static void doubt(Host *h, NestAccess *access) {
  access->each = access->ptr;
  if (type_lanes(LLVMTypeOf(access->ptr))) {
    access->ptr = host_lane(h, access->each, 0);
    return;
  }
  access->each = NULL; // one address for all lanes
  access->unit = access->stream = false;
  access->far = NULL;
  access->lanes = 0;
}

// Lanes of a load that are a few elements apart are taken from vectors whose
// other lanes are masked off.  0: the distance is unknown or too long, or the
// target has no masked vectors.
static int stride_for(const Host *h, const Op *op, const Index *at) {
  const Lanes k = {.vec = at->vec, .lanes = at->lanes, .doubts = true};
  int64_t step;
  if (op->kind != OP_load || at->vec < 0 || h->e->llvm.vector_bytes < 64)
    return 0;
  const bool known = step_of(op_operand(op, 0), k, &step);
  return known && (step == 2 || step == 4) ? (int)step : 0;
}

bool access_tile(Nest *nest, const Op *op, const Index *index,
                 NestAccess *out) {
  const Value *ptr = op_operand(op, 0);
  *out = (NestAccess){.element = type_element(ptr->type)->element};
  Index at = *index;
  bool sure = true;
  if (at.vec >= 0 && lanes_are_neighbours(op, at.vec, at.lanes)) {
    out->unit = true;
    out->lanes = at.lanes;
    const NextRun *run = map_get(&nest->h->next_run, op);
    out->stream = !run && is_long_run(ptr->type, at.vec);
    out->offset = at.offset * (int64_t)emit_memory_bytes(out->element);
    out->far = run && !run->later ? run->far : NULL;
    sure = neighbours_for_sure(nest->h, op, at.vec, at.lanes);
    if (sure) at.vec = -1;
  } else if ((out->stride = stride_for(nest->h, op, &at))) {
    out->lanes = at.lanes;
    at.vec = -1;
  }
  out->ptr = eval(nest, ptr, &at);
  if (!out->ptr) return false;
  if (!out->unit && !out->stride) out->lanes = type_lanes(LLVMTypeOf(out->ptr));
  nest_seek(nest, nest->depth);
  if (!sure) doubt(nest->h, out);
  return true;
}

// -- Memory ------------------------------------------------------------------

// Halves are moved as integers, since vectors of halves may not be legal.
static LLVMTypeRef travel_type(Host *h, const Type *element) {
  if (element->kind == TYPE_SCALAR && element->elem == ELEM_f16) {
    return int_type(h->e, 16);
  }
  return emit_memory_type(h->e, element);
}

static LLVMValueRef arrive(Host *h, const NestAccess *access, LLVMValueRef x) {
  LLVMTypeRef type =
      type_like(LLVMTypeOf(x), emit_memory_type(h->e, access->element));
  LLVMValueRef memory = LLVMBuildBitCast(h->b, x, type, "");
  return host_from_memory(h, access->element, memory, access->bits);
}

static LLVMValueRef depart(Host *h, const NestAccess *access, LLVMValueRef x) {
  LLVMValueRef memory = host_to_memory(h, access->element, x, access->bits);
  LLVMTypeRef type = type_like(LLVMTypeOf(x), travel_type(h, access->element));
  return LLVMBuildBitCast(h->b, memory, type, "");
}

static bool is_true(LLVMValueRef mask) {
  if (!mask) return true;
  return LLVMIsConstant(mask) && mask == LLVMConstAllOnes(LLVMTypeOf(mask));
}

// Masked intrinsics need vectors, so one element becomes a vector of one.
static LLVMValueRef one_lane(Host *h, LLVMValueRef x) {
  if (type_lanes(LLVMTypeOf(x))) return x;
  LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(x), 1);
  return LLVMBuildInsertElement(h->b, LLVMGetPoison(type), x,
                                const_int(int_type(h->e, 32), 0), "");
}

static LLVMValueRef plain_load(Host *h, const NestAccess *access,
                               LLVMTypeRef type) {
  LLVMValueRef load = LLVMBuildLoad2(h->b, type, access->ptr, "");
  LLVMSetAlignment(load, 1);
  return load;
}

// The lanes of `x`, each followed by others of `fill`.
static LLVMValueRef spread(Host *h, LLVMValueRef x, LLVMValueRef fill,
                           int stride) {
  LLVMValueRef order[MAX_LANES];
  const int lanes = type_lanes(LLVMTypeOf(x));
  for (int i = 0; i < lanes * stride; i++)
    order[i] = const_int(int_type(h->e, 32), i % stride ? lanes : i / stride);
  LLVMValueRef mask = LLVMConstVector(order, (unsigned)(lanes * stride));
  return LLVMBuildShuffleVector(h->b, x, fill, mask, "");
}

static LLVMValueRef load_apart(Host *h, const NestAccess *access,
                               LLVMValueRef on) {
  LLVMValueRef order[MAX_LANES];
  const int lanes = access->lanes, stride = access->stride;
  LLVMTypeRef type = LLVMVectorType(travel_type(h, access->element),
                                    (unsigned)(lanes * stride));
  on = spread(h, on, LLVMConstNull(LLVMTypeOf(on)), stride);
  LLVMValueRef x = llvm_masked_load(&h->e->llvm, type, access->ptr, on);
  for (int i = 0; i < lanes; i++)
    order[i] = const_int(int_type(h->e, 32), i * stride);
  return LLVMBuildShuffleVector(h->b, x, LLVMGetPoison(type),
                                LLVMConstVector(order, (unsigned)lanes), "");
}

static LLVMValueRef load_lanes(Host *h, const NestAccess *access,
                               LLVMValueRef mask) {
  LLVMTypeRef element = travel_type(h, access->element);
  const bool contiguous = access->unit || !access->lanes;
  if (is_true(mask) && contiguous) {
    return plain_load(h, access, vector_of(element, access->lanes));
  }
  const int lanes = access->lanes ? access->lanes : 1;
  LLVMTypeRef type = LLVMVectorType(element, (unsigned)lanes);
  LLVMValueRef on = mask ? splat(h->e, one_lane(h, mask), access->lanes)
                         : LLVMConstAllOnes(LLVMVectorType(int_type(h->e, 1),
                                                           (unsigned)lanes));
  if (access->stride) return load_apart(h, access, on);
  LLVMValueRef x = llvm_masked_load(&h->e->llvm, type, access->ptr, on);
  if (access->lanes) return x;
  return host_lane(h, x, 0);
}

LLVMValueRef access_load(Host *h, const NestAccess *access, LLVMValueRef mask,
                         LLVMValueRef other) {
  NestAccess at = *access;
  const int wanted = mask ? type_lanes(LLVMTypeOf(mask)) : 0;
  if (wanted && !at.lanes) { // one address, many masks
    at.lanes = wanted;
    at.ptr = splat(h->e, at.ptr, wanted);
  }
  if (mask) mask = splat(h->e, mask, at.lanes);
  LLVMValueRef x = arrive(h, &at, load_lanes(h, &at, mask));
  if (!other || is_true(mask)) return x;
  const int lanes = type_lanes(LLVMTypeOf(x)) ? type_lanes(LLVMTypeOf(x))
                                              : type_lanes(LLVMTypeOf(other));
  x = splat(h->e, x, lanes);
  return emit_select(h->e, splat(h->e, mask, lanes), x,
                     splat(h->e, other, lanes));
}

static int most_lanes(const NestAccess *access, LLVMValueRef value,
                      LLVMValueRef mask) {
  int lanes = access->lanes;
  const int of_value = type_lanes(LLVMTypeOf(value));
  const int of_mask = mask ? type_lanes(LLVMTypeOf(mask)) : 0;
  if (of_value > lanes) lanes = of_value;
  return of_mask > lanes ? of_mask : lanes;
}

void access_store(Host *h, const NestAccess *access, LLVMValueRef value,
                  LLVMValueRef mask) {
  NestAccess at = *access;
  at.lanes = most_lanes(access, value, mask);
  if (!at.unit) at.ptr = splat(h->e, at.ptr, at.lanes);
  LLVMValueRef x = depart(h, &at, splat(h->e, value, at.lanes));
  if (mask) mask = splat(h->e, mask, at.lanes);
  if (is_true(mask) && (at.unit || !at.lanes)) {
    LLVMSetAlignment(LLVMBuildStore(h->b, x, at.ptr), 1);
    return;
  }
  const int lanes = at.lanes ? at.lanes : 1;
  LLVMValueRef on = mask ? one_lane(h, mask)
                         : LLVMConstAllOnes(LLVMVectorType(int_type(h->e, 1),
                                                           (unsigned)lanes));
  llvm_masked_store(&h->e->llvm, one_lane(h, x), at.ptr, on);
}

// -- Masks and promises that are usually true --------------------------------

static LLVMValueRef all_of(Host *h, LLVMValueRef bits) {
  if (!type_lanes(LLVMTypeOf(bits))) return bits;
  return emit_intrinsic(h->e, "llvm.vector.reduce.and", 1, &bits);
}

// Are the lanes really adjacent, as promised?
static LLVMValueRef near(Host *h, const NestAccess *access) {
  LLVMTypeRef type = emit_memory_type(h->e, access->element);
  LLVMValueRef numbers = lane_numbers(h->e, 64, access->lanes);
  LLVMValueRef said = LLVMBuildGEP2(h->b, type, access->ptr, &numbers, 1, "");
  return all_of(h, LLVMBuildICmp(h->b, LLVMIntEQ, access->each, said, ""));
}

// In quick code, a masked access that is one instruction takes no branch.
static bool takes_mask(const Host *h, const NestAccess *access) {
  const int bytes = h->e->llvm.vector_bytes;
  return h->e->options.quick && h->e->llvm.is_x86 && !access->each &&
         (bytes == 64 ||
          (bytes == 32 && emit_memory_bytes(access->element) >= 4));
}

// The condition on which a vector of adjacent elements can be accessed at once:
// all lanes of the mask are on, and the addresses are consecutive.  NULL: a
// branch is not needed, or not worthwhile.
static LLVMValueRef is_plain(Host *h, const NestAccess *access,
                             LLVMValueRef *mask) {
  if (!access->unit || takes_mask(h, access)) return NULL;
  LLVMValueRef plain = access->each ? near(h, access) : NULL;
  if (!*mask || LLVMIsConstant(*mask)) return plain;
  LLVMValueRef on = all_of(h, *mask);
  *mask = NULL;
  return plain ? LLVMBuildAnd(h->b, plain, on, "") : on;
}

static NestAccess apart(const NestAccess *access) {
  NestAccess each = *access;
  if (!access->each) return each;
  each.ptr = access->each;
  each.unit = each.stream = false;
  each.far = NULL;
  return each;
}

// Ends the current block; the builder continues with the plain access.
static void branch(Host *h, LLVMValueRef plain, LLVMBasicBlockRef *some,
                   LLVMBasicBlockRef *done) {
  LLVMBasicBlockRef full = host_block(h, "full");
  *some = host_block(h, "some");
  *done = host_block(h, "accessed");
  LLVMBuildCondBr(h->b, plain, full, *some);
  LLVMPositionBuilderAtEnd(h->b, full);
}

LLVMValueRef nest_load(Nest *nest, const NestAccess *access, LLVMValueRef mask,
                       LLVMValueRef other) {
  Host *h = nest->h;
  prefetch_ahead(h, access, false);
  LLVMValueRef left = mask, plain = is_plain(h, access, &left);
  if (!plain) return access_load(h, access, mask, other);
  const NestAccess each = apart(access);
  LLVMBasicBlockRef from[2], some, done;
  LLVMValueRef x[2];
  branch(h, plain, &some, &done);
  x[0] = access_load(h, access, left, left ? other : NULL);
  from[0] = LLVMGetInsertBlock(h->b);
  LLVMBuildBr(h->b, done);
  LLVMPositionBuilderAtEnd(h->b, some);
  x[1] = access_load(h, &each, mask, other);
  from[1] = LLVMGetInsertBlock(h->b);
  LLVMBuildBr(h->b, done);
  LLVMPositionBuilderAtEnd(h->b, done);
  LLVMValueRef phi = LLVMBuildPhi(h->b, LLVMTypeOf(x[0]), "");
  LLVMAddIncoming(phi, x, from, 2);
  nest_moved(nest, nest->depth);
  return phi;
}

// Stores a vector whose lanes are all on, bypassing the caches.
static void store_past(Host *h, const NestAccess *access, LLVMValueRef value) {
  LLVMContextRef c = h->e->llvm.context;
  LLVMValueRef one = const_int(int_type(h->e, 32), 1);
  LLVMMetadataRef part = LLVMValueAsMetadata(one);
  LLVMValueRef x = depart(h, access, splat(h->e, value, access->lanes));
  LLVMValueRef store = LLVMBuildStore(h->b, x, access->ptr);
  const size_t each = emit_memory_bytes(access->element);
  LLVMSetAlignment(store, (unsigned)(each * (size_t)access->lanes));
  LLVMSetMetadata(store, LLVMGetMDKindIDInContext(c, "nontemporal", 11),
                  LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, &part, 1)));
}

static void store_all(Nest *nest, const NestAccess *access, LLVMValueRef value,
                      LLVMValueRef mask) {
  Host *h = nest->h;
  if (!access->past || !access->unit || !access->lanes || !is_true(mask)) {
    access_store(h, access, value, mask);
    return;
  }
  LLVMBasicBlockRef past = host_block(h, "past"), near = host_block(h, "near"),
                    done = host_block(h, "stored");
  LLVMBuildCondBr(h->b, access->past, past, near);
  LLVMPositionBuilderAtEnd(h->b, past);
  store_past(h, access, value);
  LLVMBuildBr(h->b, done);
  LLVMPositionBuilderAtEnd(h->b, near);
  access_store(h, access, value, mask);
  LLVMBuildBr(h->b, done);
  LLVMPositionBuilderAtEnd(h->b, done);
  nest_moved(nest, nest->depth);
}

void nest_store(Nest *nest, const NestAccess *access, LLVMValueRef value,
                LLVMValueRef mask) {
  Host *h = nest->h;
  if (!access->past) prefetch_ahead(h, access, true);
  LLVMValueRef left = mask, plain = is_plain(h, access, &left);
  if (!plain) {
    store_all(nest, access, value, mask);
    return;
  }
  const NestAccess each = apart(access);
  LLVMBasicBlockRef some, done;
  branch(h, plain, &some, &done);
  store_all(nest, access, value, left);
  LLVMBuildBr(h->b, done);
  LLVMPositionBuilderAtEnd(h->b, some);
  access_store(h, &each, value, mask);
  LLVMBuildBr(h->b, done);
  LLVMPositionBuilderAtEnd(h->b, done);
  nest_moved(nest, nest->depth);
}
