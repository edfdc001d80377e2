// block.c -- block pointers and tensor descriptors.
//
// Loops run along the dimension with the constant stride 1, if there is one.
// The bounds of that dimension are compared with lane numbers, which fit in 32
// bits; those of the others are one comparison for each row.
//
// For example, eight lanes begin at offset 60 of a dimension of 65 elements.  A
// lane is inside if its number is at least -60, or 0 instead, and less than
// 65 - 60 = 5: lanes 0 to 4 are loaded, and lanes 5 to 7 get the padding.
#include "codegen/host/nest.h"

#include <assert.h>

int window_parts(const Type *type) {
  return type->kind == TYPE_DESCRIPTOR ? 2 + 2 * type->rank
                                       : 1 + 3 * type->rank;
}

LLVMValueRef *window_part(Window *window, const Type *type, int part) {
  const int rank = type->rank;
  assert(part >= 0 && part < window_parts(type)); // I7
  if (part == 0) return &window->base;
  if (part <= rank) return &window->shape[part - 1];
  if (part <= 2 * rank) return &window->strides[part - 1 - rank];
  if (type->kind == TYPE_DESCRIPTOR) return &window->padding;
  return &window->offsets[part - 1 - 2 * rank];
}

Window *window_new(Host *h) {
  return arena_new(h->e->arena, Window);
}

static Window *make_window(Host *h, const Op *op, int num_parts) {
  const Value *result = op_result(op);
  Window *window = window_new(h);
  for (int i = 0; i < num_parts; i++) {
    *window_part(window, result->type, i) = host_scalar(h, op_operand(op, i));
  }
  host_place(h, result)->window = window;
  return window;
}

bool host_emit_make_block_ptr(Host *h, const Op *op) {
  make_window(h, op, op->num_operands);
  return true;
}

bool host_emit_make_desc(Host *h, const Op *op) {
  Window *window = make_window(h, op, op->num_operands);
  window->padding = const_int(int_type(h->e, 32), op_int(op, ATTR_padding));
  return true;
}

bool host_emit_advance(Host *h, const Op *op) {
  const Value *result = op_result(op);
  Window *window = window_new(h);
  *window = *host_place(h, op_operand(op, 0))->window;
  for (int d = 0; d < result->type->rank; d++) {
    window->offsets[d] = LLVMBuildAdd(
        h->b, window->offsets[d], host_scalar(h, op_operand(op, 1 + d)), "");
  }
  host_place(h, result)->window = window;
  return true;
}

// -- One access --------------------------------------------------------------

typedef struct {
  const Type *tile;
  const Window *window;
  LLVMValueRef offsets[MAX_RANK]; // i64
  bool checked[MAX_RANK];
  LLVMValueRef is_nan; // i1: elements outside are NaN; NULL: zero
} Region;

static bool is_one(LLVMValueRef x) {
  return LLVMIsAConstantInt(x) && LLVMConstIntGetSExtValue(x) == 1;
}

static int unit_dim(const Region *k) {
  for (int d = k->tile->rank; d-- > 0;) {
    if (k->tile->shape[d] > 1 && is_one(k->window->strides[d])) return d;
  }
  return inner_dim(k->tile);
}

static LLVMValueRef clamp(Host *h, LLVMValueRef x, int64_t most) {
  LLVMValueRef zero = host_i64(h, 0), top = host_i64(h, most);
  LLVMValueRef low = LLVMBuildICmp(h->b, LLVMIntSLT, x, zero, "");
  LLVMValueRef high = LLVMBuildICmp(h->b, LLVMIntSGT, x, top, "");
  LLVMValueRef out = emit_select(h->e, high, top, x);
  return emit_select(h->e, low, zero, out);
}

// Lanes from `first` to before `end`, both i64 in 0..lanes.
static LLVMValueRef lane_range(Host *h, LLVMValueRef first, LLVMValueRef end,
                               int lanes) {
  LLVMTypeRef i32 = int_type(h->e, 32);
  LLVMValueRef numbers = lane_numbers(h->e, 32, lanes);
  LLVMValueRef from = splat(h->e, LLVMBuildTrunc(h->b, first, i32, ""), lanes);
  LLVMValueRef to = splat(h->e, LLVMBuildTrunc(h->b, end, i32, ""), lanes);
  return LLVMBuildAnd(h->b, LLVMBuildICmp(h->b, LLVMIntUGE, numbers, from, ""),
                      LLVMBuildICmp(h->b, LLVMIntULT, numbers, to, ""), "");
}

static LLVMValueRef inside_lanes(Host *h, LLVMValueRef at, LLVMValueRef size,
                                 int lanes) {
  LLVMValueRef first = clamp(h, LLVMBuildNeg(h->b, at, ""), lanes);
  LLVMValueRef end = clamp(h, LLVMBuildSub(h->b, size, at, ""), lanes);
  return lane_range(h, first, end, lanes);
}

static LLVMValueRef inside(Host *h, LLVMValueRef at, LLVMValueRef size) {
  LLVMValueRef low = LLVMBuildICmp(h->b, LLVMIntSGE, at, host_i64(h, 0), "");
  LLVMValueRef high = LLVMBuildICmp(h->b, LLVMIntSLT, at, size, "");
  return LLVMBuildAnd(h->b, low, high, "");
}

// The address of lane 0 at an index, and the mask of lanes inside the bounds.
static void locate(Nest *nest, const Region *k, const Index *index,
                   NestAccess *access, LLVMValueRef *mask) {
  Host *h = nest->h;
  const int lanes = index->vec < 0 ? 0 : index->lanes;
  LLVMValueRef sum = host_i64(h, 0);
  *mask = NULL;
  for (int d = 0; d < k->tile->rank; d++) {
    nest_seek(nest, index->at[d].level);
    LLVMValueRef at = LLVMBuildAdd(h->b, k->offsets[d], index->at[d].at, "");
    LLVMValueRef in = NULL;
    if (k->checked[d]) {
      in = d == index->vec
               ? inside_lanes(h, at, k->window->shape[d], lanes)
               : splat(h->e, inside(h, at, k->window->shape[d]), lanes);
    }
    LLVMValueRef far = LLVMBuildMul(h->b, at, k->window->strides[d], "");
    nest_seek(nest, nest->depth);
    sum = LLVMBuildAdd(h->b, sum, far, "");
    if (in) *mask = *mask ? LLVMBuildAnd(h->b, *mask, in, "") : in;
  }
  *access = (NestAccess){.element = k->tile->element, .lanes = lanes};
  access->unit = lanes && is_one(k->window->strides[index->vec]);
  if (lanes && !access->unit) {
    LLVMValueRef step = splat(h->e, k->window->strides[index->vec], lanes);
    step = LLVMBuildMul(h->b, step, lane_numbers(h->e, 64, lanes), "");
    sum = LLVMBuildAdd(h->b, splat(h->e, sum, lanes), step, "");
  }
  access->ptr = LLVMBuildGEP2(h->b, emit_memory_type(h->e, k->tile->element),
                              k->window->base, &sum, 1, "");
}

static Region block_of(Host *h, const Op *op, const Type *tile) {
  const LLVMTypeRef i64 = int_type(h->e, 64);
  Region k = {.tile = tile, .window = host_place(h, op_operand(op, 0))->window};
  for (int d = 0; d < tile->rank; d++) {
    k.offsets[d] = k.window->offsets[d];
    if (!op_operand(op, 0)->type->is_wide)
      k.offsets[d] = LLVMBuildSExt(h->b, k.offsets[d], i64, "");
    k.checked[d] = op_checks_bound(op, d);
  }
  if (op_int(op, ATTR_padding) == PADDING_nan) {
    k.is_nan = const_int(int_type(h->e, 1), 1);
  }
  return k;
}

static Region block_of_desc(Host *h, const Op *op, const Type *tile,
                            int first) {
  Region k = {.tile = tile, .window = host_place(h, op_operand(op, 0))->window};
  for (int d = 0; d < tile->rank; d++) {
    LLVMValueRef at = host_scalar(h, op_operand(op, first + d));
    k.offsets[d] = LLVMBuildSExt(h->b, at, int_type(h->e, 64), "");
    k.checked[d] = true;
  }
  k.is_nan = LLVMBuildICmp(h->b, LLVMIntEQ, k.window->padding,
                           const_int(int_type(h->e, 32), PADDING_nan), "");
  return k;
}

static Index block_nest(Nest *nest, const Region *k) {
  const int vec = unit_dim(k);
  const int lanes =
      vec < 0 ? 1 : host_lanes(nest->h, k->tile->element, k->tile->shape[vec]);
  nest_part(nest, k->tile, lanes);
  return nest_over(nest, k->tile, vec, lanes);
}

static LLVMValueRef padding_of(Host *h, const Region *k, const Value *result) {
  if (!k->is_nan || !type_is_float(k->tile)) return NULL;
  LLVMTypeRef type = emit_compute_type(h->e, k->tile->element);
  LLVMValueRef nan =
      host_own_form(h, result, const_nan(h->e, k->tile->element));
  return emit_select(h->e, k->is_nan, nan, const_float(type, 0));
}

static bool load_window(Host *h, const Op *op, const Region *k) {
  const Value *result = op_result(op);
  Nest nest = nest_begin(h, op);
  LLVMValueRef padding = padding_of(h, k, result);
  const Index index = block_nest(&nest, k);
  NestAccess access;
  LLVMValueRef mask;
  locate(&nest, k, &index, &access, &mask);
  access.bits = host_keeps(h, result);
  LLVMValueRef x = nest_load(&nest, &access, mask, mask ? padding : NULL);
  write_and_end(&nest, result, &index, x);
  return true;
}

static bool store_window(Host *h, const Op *op, const Region *k) {
  Nest nest = nest_begin(h, op);
  const Index index = block_nest(&nest, k);
  const bool bits = host_keeps(h, op_operand(op, 1));
  LLVMValueRef x = eval_lanes(&nest, op_operand(op, 1), &index, bits);
  if (!x) return false;
  NestAccess access;
  LLVMValueRef mask;
  locate(&nest, k, &index, &access, &mask);
  access.bits = bits;
  nest_store(&nest, &access, x, mask);
  nest_end(&nest);
  return true;
}

bool host_emit_load_block(Host *h, const Op *op) {
  const Region k = block_of(h, op, op_result(op)->type);
  return load_window(h, op, &k);
}

bool host_emit_store_block(Host *h, const Op *op) {
  const Region k = block_of(h, op, op_operand(op, 1)->type);
  return store_window(h, op, &k);
}

bool host_emit_load_desc(Host *h, const Op *op) {
  const Region k = block_of_desc(h, op, op_result(op)->type, 1);
  return load_window(h, op, &k);
}

bool host_emit_store_desc(Host *h, const Op *op) {
  const Region k = block_of_desc(h, op, op_operand(op, 1)->type, 2);
  return store_window(h, op, &k);
}

// -- Loads in the loops of other ops -----------------------------------------

static Region loaded(Host *h, const Op *op) {
  const Type *tile = op_result(op)->type;
  return op->kind == OP_load_desc ? block_of_desc(h, op, tile, 1)
                                  : block_of(h, op, tile);
}

bool window_lies_along(const Op *op, int dim) {
  const Type *tile =
      op->num_results ? op_result(op)->type : op_operand(op, 1)->type;
  const Op *make = window_maker(op_operand(op, 0));
  const int stride = 1 + tile->rank + dim; // behind base and shape
  int64_t by;
  return make && tile->shape[dim] > 1 &&
         value_constant_int(op_operand(make, stride), &by) && by == 1;
}

LLVMValueRef window_elements(Host *h, const Op *op) {
  const bool stores = op->kind == OP_store_block || op->kind == OP_store_desc;
  const Type *tile = stores ? op_operand(op, 1)->type : op_result(op)->type;
  const bool is_desc = op->kind == OP_load_desc || op->kind == OP_store_desc;
  const Region k = is_desc ? block_of_desc(h, op, tile, stores ? 2 : 1)
                           : block_of(h, op, tile);
  LLVMValueRef count = host_i64(h, 1);
  for (int d = 0; d < tile->rank; d++) {
    LLVMValueRef size = host_i64(h, tile->shape[d]);
    if (k.checked[d]) {
      LLVMValueRef at = k.offsets[d], end = k.window->shape[d];
      LLVMValueRef first = clamp(h, LLVMBuildNeg(h->b, at, ""), tile->shape[d]);
      end = clamp(h, LLVMBuildSub(h->b, end, at, ""), tile->shape[d]);
      size = LLVMBuildSub(h->b, end, first, "");
      size = clamp(h, size, tile->shape[d]);
    }
    count = LLVMBuildMul(h->b, count, size, "");
  }
  return count;
}

LLVMValueRef window_left(Host *h, const Op *load, int dim) {
  const Region k = loaded(h, load);
  return LLVMBuildSub(h->b, k.window->shape[dim], k.offsets[dim], "");
}

LLVMValueRef window_end(Host *h, const Op *store, int dim) {
  const Type *tile = op_operand(store, 1)->type;
  const Region k = block_of(h, store, tile);
  if (!k.checked[dim]) return NULL;
  LLVMValueRef left =
      LLVMBuildSub(h->b, k.window->shape[dim], k.offsets[dim], "");
  return clamp(h, left, tile->shape[dim]);
}

LLVMValueRef window_is_inside(Host *h, const Op *op) {
  const Region k = loaded(h, op);
  LLVMValueRef all = NULL;
  for (int d = 0; d < k.tile->rank; d++) {
    if (!k.checked[d]) continue;
    LLVMValueRef last = LLVMBuildSub(h->b, k.window->shape[d],
                                     host_i64(h, k.tile->shape[d]), "");
    LLVMValueRef low =
        LLVMBuildICmp(h->b, LLVMIntSGE, k.offsets[d], host_i64(h, 0), "");
    LLVMValueRef high = LLVMBuildICmp(h->b, LLVMIntSLE, k.offsets[d], last, "");
    LLVMValueRef both = LLVMBuildAnd(h->b, low, high, "");
    all = all ? LLVMBuildAnd(h->b, all, both, "") : both;
  }
  return all;
}

// The distance by which a window moves along each dimension from trip to trip;
// false if it is unknown.
static bool find_advance(const Op *op, int64_t *by) {
  const Value *window = op_operand(op, 0);
  const Op *loop = window->def ? NULL : window->block->parent;
  if (!loop || loop->kind != OP_for || !window->index) return false;
  const Op *next = region_yield(loop, 0, window->index - 1)->def;
  if (!next || next->kind != OP_advance || op_operand(next, 0) != window) {
    return false;
  }
  for (int d = 0; d < op_result(op)->type->rank; d++) {
    if (!value_constant_int(op_operand(next, 1 + d), &by[d])) return false;
  }
  return true;
}

bool window_advances(const Op *op) {
  int64_t by[MAX_RANK];
  return op->kind == OP_load_block && find_advance(op, by);
}

bool window_moves(const Op *op, int dim, int64_t by) {
  int64_t all[MAX_RANK];
  return op->kind == OP_load_block && find_advance(op, all) && all[dim] == by;
}

bool window_goes_along(const Op *op, int64_t by) {
  int64_t all[MAX_RANK];
  return op->kind == OP_load_block && op_result(op)->type->rank == 2 &&
         window_lies_along(op, 1) && find_advance(op, all) && !all[0] &&
         all[1] == by;
}

LLVMValueRef window_has(Host *h, const Op *op, LLVMValueRef const *first,
                        LLVMValueRef const *size) {
  const bool is_wide = op_operand(op, 0)->type->is_wide;
  const Region k = loaded(h, op);
  LLVMValueRef all = const_int(int_type(h->e, 1), 1);
  for (int d = 0; d < k.tile->rank; d++) {
    LLVMValueRef at = LLVMBuildAdd(h->b, k.offsets[d], first[d], "");
    LLVMValueRef end = LLVMBuildAdd(h->b, at, size[d], "");
    LLVMValueRef most = host_i64(h, INT32_MAX);
    if (!is_wide) {
      LLVMValueRef fits = LLVMBuildICmp(h->b, LLVMIntSLE, end, most, "");
      all = LLVMBuildAnd(h->b, all, fits, "");
    }
    if (!k.checked[d]) continue;
    LLVMValueRef low = LLVMBuildICmp(h->b, LLVMIntSGE, at, host_i64(h, 0), "");
    LLVMValueRef high =
        LLVMBuildICmp(h->b, LLVMIntSLE, end, k.window->shape[d], "");
    all = LLVMBuildAnd(h->b, all, LLVMBuildAnd(h->b, low, high, ""), "");
  }
  return all;
}

LLVMValueRef window_address(Host *h, const Op *op, LLVMValueRef const *at) {
  const Region k = loaded(h, op);
  LLVMValueRef sum = host_i64(h, 0);
  for (int d = 0; d < k.tile->rank; d++) {
    LLVMValueRef far = LLVMBuildAdd(h->b, k.offsets[d], at[d], "");
    far = LLVMBuildMul(h->b, far, k.window->strides[d], "");
    sum = LLVMBuildAdd(h->b, sum, far, "");
  }
  return LLVMBuildGEP2(h->b, emit_memory_type(h->e, k.tile->element),
                       k.window->base, &sum, 1, "");
}

LLVMValueRef window_stride(Host *h, const Op *op, int dim) {
  return loaded(h, op).window->strides[dim];
}

void window_ask_ahead(Host *h, const Op *op, LLVMValueRef const *at) {
  int64_t by[MAX_RANK];
  const Region k = loaded(h, op);
  LLVMValueRef sum = host_i64(h, 0);
  if (!find_advance(op, by)) return;
  for (int d = 0; d < k.tile->rank; d++) {
    LLVMValueRef place = LLVMBuildAdd(h->b, k.offsets[d], at[d], "");
    place = LLVMBuildAdd(h->b, place, host_i64(h, by[d]), "");
    place = LLVMBuildMul(h->b, place, k.window->strides[d], "");
    sum = LLVMBuildAdd(h->b, sum, place, "");
  }
  prefetch_element(h, k.tile->element, k.window->base, sum, false);
}

void window_ask_for(Host *h, const Op *store, LLVMValueRef const *at, int rows,
                    int64_t columns) {
  const Type *tile = op_operand(store, 1)->type;
  const Region k = block_of(h, store, tile);
  LLVMTypeRef type = emit_memory_type(h->e, tile->element);
  LLVMValueRef row = LLVMBuildAdd(h->b, k.offsets[0], at[0], "");
  LLVMValueRef stride = k.window->strides[0];
  row = LLVMBuildMul(h->b, row, stride, "");
  row = LLVMBuildAdd(h->b, row, k.offsets[1], "");
  row = LLVMBuildAdd(h->b, row, at[1], "");
  LLVMValueRef base = LLVMBuildGEP2(h->b, type, k.window->base, &row, 1, "");
  const int64_t line = LINE_BYTES / (int64_t)emit_memory_bytes(tile->element);
  for (int i = 0; i < rows; i++) {
    for (int64_t j = 0; j < columns; j += line) {
      prefetch_element(h, tile->element, base, host_i64(h, j), true);
    }
    base = LLVMBuildGEP2(h->b, type, base, &stride, 1, "");
  }
}

LLVMValueRef window_load_at(Nest *nest, const Op *op, const Index *index,
                            bool inside) {
  Host *h = nest->h;
  nest_seek(nest, nest->is_part);
  Region k = loaded(h, op);
  const Value *result = op_result(op);
  LLVMValueRef padding = padding_of(h, &k, result), mask;
  for (int d = 0; inside && d < k.tile->rank; d++) k.checked[d] = false;
  NestAccess access;
  locate(nest, &k, index, &access, &mask);
  access.bits = host_keeps(h, result);
  return access_load(h, &access, mask, mask ? padding : NULL);
}
