// eval.c -- the value of a tile at an index, as scalars and vectors.
//
// Within this file, a value is in its own form (host/bits.c).  Results are
// cached for each nest: a value that is used twice at one index is computed
// once.  The recursion is bounded by the plan's limits on heights and depths.
//
// For example, for `sum(b * b)` with `b = x - a`, eight lanes of b are computed
// once, and multiplied by themselves.
#include "codegen/host/nest.h"

#include "ir/linear.h"

#include <assert.h>

static bool same_coord(const Coord *a, const Coord *b) {
  return a->at == b->at;
}

static bool same_index(const Index *a, const Index *b, int rank) {
  if (a->vec != b->vec || (a->vec >= 0 && a->lanes != b->lanes)) return false;
  for (int d = 0; d < rank; d++) {
    if (!same_coord(&a->at[d], &b->at[d])) return false;
  }
  return true;
}

int index_level(const Index *index, const Type *tile) {
  int level = 0;
  for (int d = 0; d < tile->rank; d++) {
    if (index->at[d].level > level) level = index->at[d].level;
  }
  return level;
}

// Dimensions of size 1 have index 0.
static Index normalize(Host *h, const Index *index, const Type *tile) {
  Index out = *index;
  for (int d = 0; d < tile->rank; d++) {
    if (tile->shape[d] > 1) continue;
    out.at[d] = coord_constant(h, 0);
    if (out.vec == d) out.vec = -1;
  }
  return out;
}

LLVMValueRef index_linear(Nest *nest, const Index *index, const Type *tile) {
  Host *h = nest->h;
  LLVMValueRef sum = host_i64(h, 0);
  for (int d = 0; d < tile->rank; d++) {
    sum = LLVMBuildMul(h->b, sum, host_i64(h, tile->shape[d]), "");
    sum = LLVMBuildAdd(h->b, sum, index->at[d].at, "");
  }
  return sum;
}

static int64_t stride_of(const Type *tile, int dim) {
  int64_t stride = 1;
  for (int d = dim + 1; d < tile->rank; d++) stride *= tile->shape[d];
  return stride;
}

// -- Buffers -----------------------------------------------------------------

static LLVMTypeRef buffer_type(Host *h, const Type *element) {
  if (element->kind == TYPE_SCALAR && element->elem == ELEM_i1) {
    return int_type(h->e, 8);
  }
  return emit_compute_type(h->e, element);
}

static NestAccess buffer_access(Nest *nest, LLVMValueRef base, const Type *tile,
                                const Index *index) {
  Host *h = nest->h;
  LLVMTypeRef type = buffer_type(h, tile->element);
  LLVMValueRef at = index_linear(nest, index, tile);
  NestAccess out = {.ptr = base};
  if (index->vec >= 0) {
    const int64_t stride = stride_of(tile, index->vec);
    out.lanes = index->lanes;
    out.unit = stride == 1;
    if (stride != 1) {
      LLVMValueRef lanes = lane_numbers(h->e, 64, index->lanes);
      LLVMValueRef steps =
          LLVMBuildMul(h->b, lanes, const_int(LLVMTypeOf(lanes), stride), "");
      at = LLVMBuildAdd(h->b, splat(h->e, at, index->lanes), steps, "");
    }
  }
  out.ptr = LLVMBuildGEP2(h->b, type, out.ptr, &at, 1, "");
  return out;
}

// The buffer's memory holds compute forms, except for i1.
static const Type *stored_type(Host *h, const Type *element) {
  if (element->kind == TYPE_SCALAR && elem_is_narrow(element->elem)) {
    return type_scalar(&h->e->m->types, ELEM_f32);
  }
  return element;
}

LLVMValueRef buffer_read(Nest *nest, const Value *value, const Index *index) {
  NestAccess access =
      buffer_access(nest, host_buffer(nest->h, value), value->type, index);
  access.element = stored_type(nest->h, value->type->element);
  return access_load(nest->h, &access, NULL, NULL);
}

void memory_write(Nest *nest, LLVMValueRef base, const Type *tile,
                  const Index *index, LLVMValueRef x) {
  NestAccess access = buffer_access(nest, base, tile, index);
  access.element = stored_type(nest->h, tile->element);
  access_store(nest->h, &access, splat(nest->h->e, x, access.lanes), NULL);
}

void buffer_write(Nest *nest, const Value *value, const Index *index,
                  LLVMValueRef x) {
  memory_write(nest, host_buffer(nest->h, value), value->type, index, x);
}

// -- Shape operations --------------------------------------------------------

static void through_expand(const Op *op, const Index *in, Index *out) {
  const int axis = (int)op_int(op, ATTR_axis);
  const int rank = op_result(op)->type->rank;
  out->vec = in->vec == axis ? -1 : in->vec - (in->vec > axis);
  for (int d = 0, k = 0; d < rank; d++) {
    if (d != axis) out->at[k++] = in->at[d];
  }
}

static void through_trans(const Op *op, const Index *in, Index *out) {
  const int64_t *order = op_attr(op, ATTR_order)->as.ints.items;
  for (int d = 0; d < op_result(op)->type->rank; d++) {
    out->at[order[d]] = in->at[d];
    if (in->vec == d) out->vec = (int)order[d];
  }
}

// Maps the index through added and removed dimensions of size 1.
static void through_reshape(Host *h, const Op *op, const Index *in,
                            Index *out) {
  const Type *from = op_operand(op, 0)->type, *to = op_result(op)->type;
  out->vec = -1;
  for (int i = 0, j = 0; i < from->rank; i++) {
    out->at[i] = coord_constant(h, 0);
    if (from->shape[i] == 1) continue;
    while (to->shape[j] == 1) j++;
    if (in->vec == j) out->vec = i;
    out->at[i] = in->at[j++];
  }
}

bool index_through(Nest *nest, const Op *op, const Index *index, Index *out) {
  *out = *index;
  switch (op->kind) {
  case OP_expand_dims: through_expand(op, index, out); return true;
  case OP_trans: through_trans(op, index, out); return true;
  case OP_broadcast: // dimensions of size 1 are normalized to 0
  case OP_convert_layout:
  case OP_hint: return true;
  case OP_reshape:
    if (!reshape_is_view(op)) return false;
    through_reshape(nest->h, op, index, out);
    return true;
  default: return false;
  }
}

// The element `scale * position + shift` of an operand's buffer, where position
// counts the result's elements.
static LLVMValueRef read_by_position(Nest *nest, const Value *source,
                                     const Index *index, const Type *tile,
                                     int64_t scale, int64_t shift) {
  Host *h = nest->h;
  nest_seek(nest, index_level(index, tile));
  LLVMValueRef at = index_linear(nest, index, tile);
  const int64_t stride =
      index->vec < 0 ? 0 : stride_of(tile, index->vec) * scale;
  NestAccess access = {.element = stored_type(h, tile->element)};
  at = LLVMBuildMul(h->b, at, host_i64(h, scale), "");
  at = LLVMBuildAdd(h->b, at, host_i64(h, shift), "");
  access.unit = stride == 1;
  access.lanes = index->vec < 0 ? 0 : index->lanes;
  if (stride > 1) {
    LLVMValueRef lanes = lane_numbers(h->e, 64, index->lanes);
    lanes = LLVMBuildMul(h->b, lanes, const_int(LLVMTypeOf(lanes), stride), "");
    at = LLVMBuildAdd(h->b, splat(h->e, at, index->lanes), lanes, "");
  }
  access.ptr = LLVMBuildGEP2(h->b, buffer_type(h, tile->element),
                             host_buffer(h, source), &at, 1, "");
  return access_load(h, &access, NULL, NULL);
}

static LLVMValueRef eval_reshape(Nest *nest, const Op *op, const Index *index) {
  return read_by_position(nest, op_operand(op, 0), index, op_result(op)->type,
                          1, 0);
}

// One element of each pair.
static LLVMValueRef eval_split(Nest *nest, const Value *value,
                               const Index *index) {
  return read_by_position(nest, op_operand(value->def, 0), index, value->type,
                          2, value->index);
}

static LLVMValueRef eval_arange(Nest *nest, const Op *op, const Index *index) {
  Host *h = nest->h;
  const int64_t start = op_int(op, ATTR_start);
  nest_seek(nest, index->at[0].level);
  LLVMTypeRef i32 = int_type(h->e, 32);
  LLVMValueRef at = LLVMBuildTrunc(h->b, index->at[0].at, i32, "");
  at = LLVMBuildAdd(h->b, at, const_int(i32, start), "");
  if (index->vec < 0) return at;
  return LLVMBuildAdd(h->b, splat(h->e, at, index->lanes),
                      lane_numbers(h->e, 32, index->lanes), "");
}

// The source's buffer at a data-dependent index; 0 if that is out of bounds.
static LLVMValueRef eval_gather(Nest *nest, const Op *op, const Index *index) {
  Host *h = nest->h;
  const Value *source = op_operand(op, 0), *which = op_operand(op, 1);
  const Type *from = source->type;
  const int axis = (int)op_int(op, ATTR_axis);
  LLVMValueRef picked = eval(nest, which, index);
  if (!picked) return NULL;
  const int lanes = index->vec < 0 ? 0 : index->lanes;
  nest_seek(nest, index_level(index, which->type));
  picked = splat(h->e, picked, lanes);
  LLVMTypeRef type = type_like(LLVMTypeOf(picked), int_type(h->e, 64));
  if (type != LLVMTypeOf(picked)) {
    picked =
        LLVMBuildIntCast2(h->b, picked, type, !type_is_bool(which->type), "");
  }
  LLVMValueRef inside = LLVMBuildICmp(h->b, LLVMIntULT, picked,
                                      const_int(type, from->shape[axis]), "");
  LLVMValueRef sum = const_int(type, 0);
  for (int d = 0; d < from->rank; d++) {
    LLVMValueRef at = splat(h->e, index->at[d].at, lanes);
    if (d == index->vec) {
      at = LLVMBuildAdd(h->b, at, lane_numbers(h->e, 64, lanes), "");
    }
    sum = LLVMBuildMul(h->b, sum, const_int(type, from->shape[d]), "");
    sum = LLVMBuildAdd(h->b, sum, d == axis ? picked : at, "");
  }
  NestAccess access = {.element = stored_type(h, from->element),
                       .lanes = lanes};
  access.ptr = LLVMBuildGEP2(h->b, buffer_type(h, from->element),
                             host_buffer(h, source), &sum, 1, "");
  return access_load(h, &access, inside, NULL);
}

// -- The smaller and the greater of pairs ------------------------------------

// Both elements are in a buffer. If the lanes of a vector run along the axis,
// those of the partners are lanes of one vector, too, in another order: their
// positions differ by an XOR, whose low bits select the lane.
static LLVMValueRef flip_lanes(Host *h, LLVMValueRef x, int lanes, int64_t by) {
  if (!by) return x;
  LLVMValueRef numbers = lane_numbers(h->e, 32, lanes);
  LLVMValueRef from = LLVMConstXor(numbers, const_int(LLVMTypeOf(numbers), by));
  return LLVMBuildShuffleVector(h->b, x, LLVMGetPoison(LLVMTypeOf(x)), from,
                                "");
}

// Is an odd number of the bits of `upper` set in the position?  An i1.
static LLVMValueRef is_upper(Host *h, LLVMValueRef at, int64_t upper) {
  LLVMValueRef bits = LLVMBuildAnd(h->b, at, host_i64(h, upper), "");
  LLVMValueRef count = emit_intrinsic(h->e, "llvm.ctpop", 1, &bits);
  return LLVMBuildTrunc(h->b, count, int_type(h->e, 1), "");
}

// The same for each lane of a vector that starts at `at`.
static LLVMValueRef are_upper(Host *h, LLVMValueRef at, int64_t upper,
                              int lanes) {
  LLVMTypeRef i1 = int_type(h->e, 1);
  LLVMValueRef *items = arena_array(h->e->arena, LLVMValueRef, (size_t)lanes);
  for (int i = 0; i < lanes; i++) {
    items[i] = const_int(i1, linear_parity((uint64_t)(i & upper)));
  }
  LLVMValueRef low = LLVMConstVector(items, (unsigned)lanes);
  const int64_t high = upper & -(int64_t)lanes;
  if (!high) return low;
  return LLVMBuildXor(h->b, low, splat(h->e, is_upper(h, at, high), lanes), "");
}

static LLVMValueRef extreme(Host *h, const char *name, LLVMValueRef x,
                            LLVMValueRef y) {
  return emit_intrinsic(h->e, name, 2, (LLVMValueRef[]){x, y});
}

static LLVMValueRef eval_minmax(Nest *nest, const Op *op, const Index *index) {
  Host *h = nest->h;
  const Value *source = op_operand(op, 0);
  const int axis = (int)op_int(op, ATTR_axis);
  const int64_t distance = op_int(op, ATTR_distance);
  const int64_t upper = op_int(op, ATTR_upper);
  const bool along = index->vec == axis;
  const int64_t within = along ? distance & (index->lanes - 1) : 0;
  nest_seek(nest, index_level(index, source->type));
  Index other = *index;
  other.at[axis].at = LLVMBuildXor(h->b, index->at[axis].at,
                                   host_i64(h, distance - within), "");
  LLVMValueRef x = buffer_read(nest, source, index);
  LLVMValueRef y = distance == within ? x : buffer_read(nest, source, &other);
  y = flip_lanes(h, y, index->lanes, within);
  LLVMValueRef least = extreme(h, "llvm.smin", x, y);
  LLVMValueRef most = extreme(h, "llvm.smax", x, y);
  LLVMValueRef odd = along
                         ? are_upper(h, index->at[axis].at, upper, index->lanes)
                         : is_upper(h, index->at[axis].at, upper);
  const bool reverse = op_int(op, ATTR_reverse);
  return emit_select(h->e, odd, reverse ? least : most, reverse ? most : least);
}

// -- Elementwise -------------------------------------------------------------

// x / y for one y and many x: the reciprocal is computed once.  Its error is at
// most half a unit, so that of the product is at most one and a half; `factor`
// keeps it normal.
static LLVMValueRef eval_quotient(Nest *nest, const Op *op, const Index *index,
                                  LLVMValueRef const *x) {
  Host *h = nest->h;
  LLVMTypeRef f32 = LLVMTypeOf(x[1]);
  LLVMValueRef size = emit_intrinsic(h->e, "llvm.fabs", 1, &x[1]);
  LLVMValueRef big =
      LLVMBuildFCmp(h->b, LLVMRealOGT, size, const_float(f32, 0x1p100), "");
  LLVMValueRef small =
      LLVMBuildFCmp(h->b, LLVMRealOLT, size, const_float(f32, 0x1p-100), "");
  LLVMValueRef factor = emit_select(
      h->e, big, const_float(f32, 0x1p-64),
      emit_select(h->e, small, const_float(f32, 0x1p64), const_float(f32, 1)));
  LLVMValueRef inverse = LLVMBuildFDiv(
      h->b, const_float(f32, 1), LLVMBuildFMul(h->b, x[1], factor, ""), "");
  nest_seek(nest, index_level(index, op_result(op)->type));
  const int lanes = type_lanes(LLVMTypeOf(x[0]));
  LLVMValueRef out = LLVMBuildFMul(h->b, x[0], splat(h->e, inverse, lanes), "");
  return LLVMBuildFMul(h->b, out, splat(h->e, factor, lanes), "");
}

static LLVMValueRef eval_elementwise(Nest *nest, const Op *op,
                                     const Index *index) {
  LLVMValueRef x[3];
  int lanes = 0;
  for (int i = 0; i < op->num_operands; i++) {
    const bool bits = host_takes_bits(nest->h, op, i);
    x[i] = eval_as(nest, op_operand(op, i), index, bits);
    if (!x[i]) return NULL;
    if (type_lanes(LLVMTypeOf(x[i]))) lanes = type_lanes(LLVMTypeOf(x[i]));
  }
  if (op->kind == OP_divf && lanes && !type_lanes(LLVMTypeOf(x[1])) &&
      op_result(op)->type->elem == ELEM_f32) {
    return eval_quotient(nest, op, index, x);
  }
  nest_seek(nest, index_level(index, op_result(op)->type));
  for (int i = 0; i < op->num_operands; i++) {
    x[i] = splat(nest->h->e, x[i], lanes);
  }
  return host_elementwise(nest->h, op, x);
}

static LLVMValueRef eval_constant(Nest *nest, const Op *op) {
  const Value *result = op_result(op);
  LLVMValueRef x = const_attr(nest->h->e, type_element(result->type),
                              op_attr(op, ATTR_value));
  return host_own_form(nest->h, result, x);
}

// `x`, read from the buffer of the first operand, converted to the form of
// `value`.
static LLVMValueRef read_form(Nest *nest, const Value *value, LLVMValueRef x) {
  const Value *source = op_operand(value->def, 0);
  return x ? host_form(nest->h, value->type, x, host_keeps(nest->h, source),
                       host_keeps(nest->h, value))
           : NULL;
}

static LLVMValueRef eval_op(Nest *nest, const Value *value,
                            const Index *index) {
  const Op *op = value->def;
  Index inner;
  const bool bits = host_keeps(nest->h, value);
  assert(index->vec < value->type->rank && nest->depth <= MAX_LOOPS); // I10
  if (index_through(nest, op, index, &inner)) {
    return eval_as(nest, op_operand(op, 0), &inner, bits);
  }
  switch (op->kind) {
  case OP_constant: return eval_constant(nest, op);
  case OP_splat: return eval_as(nest, op_operand(op, 0), index, bits);
  case OP_arange: return eval_arange(nest, op, index);
  case OP_reshape: return read_form(nest, value, eval_reshape(nest, op, index));
  case OP_split: return read_form(nest, value, eval_split(nest, value, index));
  case OP_gather: return read_form(nest, value, eval_gather(nest, op, index));
  case OP_minmaxsi: return eval_minmax(nest, op, index);
  case OP_load: return load_at(nest, op, index);
  default: return eval_elementwise(nest, op, index);
  }
}

static LLVMValueRef *memo_find(Nest *nest, const Value *value,
                               const Index *index) {
  for (size_t i = nest->memo.count; i-- > 0;) {
    Memo *memo = &nest->memo.items[i];
    if (memo->value == value &&
        same_index(&memo->index, index, value->type->rank)) {
      return &memo->out;
    }
  }
  return NULL;
}

static LLVMValueRef eval_own(Nest *nest, const Value *value,
                             const Index *index) {
  const Index at = normalize(nest->h, index, value->type);
  const LLVMValueRef *known = memo_find(nest, value, &at);
  if (known) return *known;
  const int level = index_level(&at, value->type);
  const Placement *place = host_place(nest->h, value);
  const bool reads = place->buffer && place->fill != nest->root;
  if (reads && value->def && !load_look_ahead(nest, value->def, &at))
    return NULL;
  nest_seek(nest, level);
  LLVMValueRef out =
      reads ? buffer_read(nest, value, &at) : eval_op(nest, value, &at);
  if (out && place->buffer && place->fill == nest->root) {
    nest_seek(nest, nest->depth);
    buffer_write(nest, value, &at, out);
  }
  vec_push(nest->h->e->arena, &nest->memo, ((Memo){value, at, level, out}));
  nest_seek(nest, level);
  return out;
}

LLVMValueRef eval_as(Nest *nest, const Value *value, const Index *index,
                     bool bits) {
  Host *h = nest->h;
  if (!type_is_tile(value->type)) {
    return bits ? host_bits(h, value) : host_scalar(h, value);
  }
  LLVMValueRef x = eval_own(nest, value, index);
  const bool keeps = host_keeps(h, value);
  if (!x || keeps == bits) return x;
  const Index at = normalize(h, index, value->type);
  nest_seek(nest, index_level(&at, value->type));
  return host_form(h, value->type, x, keeps, bits);
}

LLVMValueRef eval(Nest *nest, const Value *value, const Index *index) {
  return eval_as(nest, value, index, false);
}

LLVMValueRef eval_root(Nest *nest, const Value *value, const Index *index) {
  const Index at = normalize(nest->h, index, value->type);
  return eval_op(nest, value, &at);
}

LLVMValueRef eval_lanes(Nest *nest, const Value *value, const Index *index,
                        bool bits) {
  LLVMValueRef x = eval_as(nest, value, index, bits);
  if (!x) return NULL;
  nest_seek(nest, nest->depth);
  return splat(nest->h->e, x, index->vec < 0 ? 0 : index->lanes);
}
