// transpose.c -- exchanging the last two dimensions of tiles in memory.
//
// Memory is transposed in square blocks with one vector register for each row,
// by a function that every transpose of the module calls: each of its
// log2(size) steps exchanges halves of rows at twice the distance of the one
// before.
#include "codegen/host/nest.h"
#include "codegen/scalar/math.h"

enum { MAX_BLOCK = 16 };

static int block_size(const Host *h, const Type *element) {
  return host_lanes(h, element, MAX_BLOCK);
}

static bool is_turnable(const Host *h, const Type *tile) {
  const size_t bytes = host_buffer_bytes(tile->element);
  if (tile->rank < 2 || (bytes != 4 && bytes != 8)) return false;
  const int size = block_size(h, tile->element);
  return tile->shape[tile->rank - 1] >= size &&
         tile->shape[tile->rank - 2] >= size;
}

bool transpose_wanted(const Host *h, const Type *tile, int vec) {
  return is_turnable(h, tile) && vec == tile->rank - 2;
}

const Type *transpose_type(Host *h, const Type *tile) {
  int64_t shape[MAX_RANK];
  const int last = tile->rank - 1;
  for (int d = 0; d < tile->rank; d++) shape[d] = tile->shape[d];
  shape[last] = tile->shape[last - 1];
  shape[last - 1] = tile->shape[last];
  return type_tile(&h->e->m->types, tile->rank, shape, tile->element, NULL);
}

// -- One block ---------------------------------------------------------------

// Rows a and b of a step: each keeps half of its lanes and gets half of the
// other's.
static void exchange(Emit *e, LLVMValueRef *a, LLVMValueRef *b, int size,
                     int distance) {
  LLVMValueRef low[MAX_BLOCK], high[MAX_BLOCK];
  LLVMTypeRef i32 = int_type(e, 32);
  for (int i = 0; i < size; i++) {
    const bool upper = (i & distance) != 0;
    low[i] = const_int(i32, upper ? size + i - distance : i);
    high[i] = const_int(i32, upper ? size + i : i + distance);
  }
  LLVMValueRef x = *a, y = *b;
  *a = LLVMBuildShuffleVector(e->b, x, y, LLVMConstVector(low, (unsigned)size),
                              "");
  *b = LLVMBuildShuffleVector(e->b, x, y, LLVMConstVector(high, (unsigned)size),
                              "");
}

static LLVMValueRef row_address(Emit *e, LLVMValueRef base, LLVMValueRef stride,
                                int row) {
  LLVMValueRef at =
      LLVMBuildMul(e->b, stride, const_int(int_type(e, 64), row), "");
  return emit_byte_at(e, base, at);
}

// Parameters: to, its bytes from row to row, from, its bytes from row to row.
static void build_block(Emit *e, LLVMValueRef function, LLVMTypeRef row,
                        int size) {
  LLVMValueRef x[MAX_BLOCK], param[4];
  LLVMGetParams(function, param);
  for (int i = 0; i < size; i++) {
    x[i] = LLVMBuildLoad2(e->b, row, row_address(e, param[2], param[3], i), "");
    LLVMSetAlignment(x[i], 1);
  }
  for (int distance = 1; distance < size; distance *= 2) {
    for (int i = 0; i < size; i++) {
      if (i & distance) continue;
      exchange(e, &x[i], &x[i + distance], size, distance);
    }
  }
  for (int i = 0; i < size; i++) {
    LLVMValueRef at = row_address(e, param[0], param[1], i);
    LLVMSetAlignment(LLVMBuildStore(e->b, x[i], at), 1);
  }
  LLVMBuildRetVoid(e->b);
}

static int rows_of_width(Emit *e, int bytes) {
  const int lanes = e->llvm.vector_bytes / bytes;
  return lanes < MAX_BLOCK ? lanes : MAX_BLOCK;
}

static void build_words(Emit *e, LLVMValueRef function) {
  const int size = rows_of_width(e, 4);
  build_block(e, function, vector_of(int_type(e, 32), size), size);
}

static void build_doubles(Emit *e, LLVMValueRef function) {
  const int size = rows_of_width(e, 8);
  build_block(e, function, vector_of(int_type(e, 64), size), size);
}

static void call_block(Host *h, size_t bytes, LLVMValueRef *args) {
  LLVMContextRef context = h->e->llvm.context;
  LLVMTypeRef ptr = LLVMPointerTypeInContext(context, 0);
  LLVMTypeRef i64 = int_type(h->e, 64), params[] = {ptr, i64, ptr, i64};
  LLVMTypeRef type =
      LLVMFunctionType(LLVMVoidTypeInContext(context), params, 4, 0);
  const bool words = bytes == 4;
  math_call(h->e, words ? "transpose32" : "transpose64", type,
            words ? build_words : build_doubles, args, 4);
}

void transpose_words(Host *h, LLVMValueRef *args) {
  call_block(h, 4, args);
}

// -- A whole tile ------------------------------------------------------------

// The address of an element, at the level of its coordinates.
static LLVMValueRef element(Nest *nest, LLVMValueRef base, const Type *tile,
                            const Index *index) {
  Host *h = nest->h;
  LLVMValueRef at = index_linear(nest, index, tile);
  LLVMValueRef bytes = host_i64(h, (int64_t)host_buffer_bytes(tile->element));
  at = LLVMBuildMul(h->b, at, bytes, "");
  return emit_byte_at(h->e, base, at);
}

void transpose_memory(Host *h, LLVMValueRef to, LLVMValueRef from,
                      const Type *tile) {
  const int last = tile->rank - 1, size = block_size(h, tile->element);
  const size_t bytes = host_buffer_bytes(tile->element);
  const Type *turned = transpose_type(h, tile);
  Nest nest = nest_begin(h, NULL);
  nest_part(&nest, tile, size * size);
  Index index = {.vec = -1, .lanes = 1};
  for (int d = 0; d <= last; d++) {
    index.at[d] = nest_loop(&nest, 0, tile->shape[d], d < last - 1 ? 1 : size);
  }
  Index source = index;
  source.at[last] = index.at[last - 1];
  source.at[last - 1] = index.at[last];
  nest_seek(&nest, nest.depth);
  LLVMValueRef args[] = {element(&nest, to, tile, &index),
                         host_i64(h, tile->shape[last] * (int64_t)bytes),
                         element(&nest, from, turned, &source),
                         host_i64(h, turned->shape[last] * (int64_t)bytes)};
  call_block(h, bytes, args);
  nest_end(&nest);
}

bool transpose_turns_last(const Op *op) {
  const int rank = op_result(op)->type->rank;
  const int64_t *order = op_attr(op, ATTR_order)->as.ints.items;
  for (int d = 0; d + 2 < rank; d++) {
    if (order[d] != d) return false;
  }
  return rank >= 2 && order[rank - 1] == rank - 2;
}

bool transpose_buffer(Host *h, const Value *value) {
  const Op *op = value->def;
  if (!op || op->kind != OP_trans || !transpose_turns_last(op)) return false;
  const Value *source = op_operand(op, 0);
  if (!is_turnable(h, value->type) || !host_place(h, source)->buffer) {
    return false;
  }
  transpose_memory(h, host_buffer(h, value), host_buffer(h, source),
                   value->type);
  return true;
}
