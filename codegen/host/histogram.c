// histogram.c -- histograms, counted in private memory.
//
// Elements are computed as vectors, stored, and counted one after the other.
// An element outside all bins is counted in an extra one, without a branch.
// For many elements, neighbours are counted in different tables, so that no
// count waits for the one before.
#include "codegen/host/nest.h"

enum { MANY_EACH = 16, TABLES = 4, LINE_WORDS = 16, MOST_LANES = 64 };

typedef struct {
  Host *h;
  const Value *result;
  int64_t bins, size; // of a table, including the extra bin
  int num_tables;
  Spare tables, indices;
} CountTables;

static LLVMValueRef word(const CountTables *k, LLVMValueRef base,
                         LLVMValueRef at) {
  return LLVMBuildGEP2(k->h->b, int_type(k->h->e, 32), base, &at, 1, "");
}

static LLVMValueRef table(const CountTables *k, int number) {
  return word(k, host_spare_address(k->h, k->tables),
              host_i64(k->h, number % k->num_tables * k->size));
}

static CountTables begin(Host *h, const Op *op) {
  CountTables k = {.h = h, .result = op_result(op)};
  k.bins = k.result->type->num_elements;
  k.size = (k.bins / LINE_WORDS + 1) * LINE_WORDS;
  const bool many = op_operand(op, 0)->type->num_elements >= MANY_EACH * k.bins;
  k.num_tables = many ? TABLES : 1;
  const size_t bytes = 4 * (size_t)(k.num_tables * k.size);
  k.tables = host_borrow(h, bytes);
  k.indices = host_borrow(h, 4 * MOST_LANES);
  LLVMBuildMemSet(h->b, table(&k, 0), const_int(int_type(h->e, 8), 0),
                  host_i64(h, (int64_t)bytes), 64);
  return k;
}

static void count_one(const CountTables *k, int number, LLVMValueRef at) {
  Host *h = k->h;
  LLVMTypeRef i32 = int_type(h->e, 32);
  at = LLVMBuildZExt(h->b, at, int_type(h->e, 64), "");
  at = word(k, table(k, number), at);
  LLVMValueRef count = LLVMBuildLoad2(h->b, i32, at, "");
  count = LLVMBuildAdd(h->b, count, const_int(i32, 1), "");
  LLVMBuildStore(h->b, count, at);
}

// `x` may be a vector.
static void count_lanes(const CountTables *k, LLVMValueRef x) {
  Host *h = k->h;
  LLVMTypeRef type = LLVMTypeOf(x), i32 = int_type(h->e, 32);
  const int lanes = type_lanes(type);
  LLVMValueRef end = const_int(type, k->bins);
  LLVMValueRef inside = LLVMBuildICmp(h->b, LLVMIntULT, x, end, "");
  LLVMValueRef at = LLVMBuildIntCast2(h->b, x, type_like(type, i32), false, "");
  at = emit_select(h->e, inside, at, const_int(LLVMTypeOf(at), k->bins));
  if (!lanes) {
    count_one(k, 0, at);
    return;
  }
  LLVMValueRef stored = host_spare_address(h, k->indices);
  LLVMSetAlignment(LLVMBuildStore(h->b, at, stored), 4);
  for (int i = 0; i < lanes; i++) {
    LLVMValueRef from = word(k, stored, host_i64(h, i));
    count_one(k, i, LLVMBuildLoad2(h->b, i32, from, ""));
  }
}

static void add_up(const CountTables *k, const Op *op) {
  Host *h = k->h;
  const Type *tile = k->result->type;
  const int vec = inner_dim(tile);
  const int lanes = vec < 0 ? 1 : host_lanes(h, tile->element, k->bins);
  LLVMTypeRef type = vector_of(int_type(h->e, 32), vec < 0 ? 0 : lanes);
  Nest nest = nest_begin(h, op);
  nest_part(&nest, tile, lanes);
  const Index index = nest_over(&nest, tile, vec, lanes);
  LLVMValueRef sum = NULL, at = index_linear(&nest, &index, tile);
  nest_seek(&nest, nest.depth);
  for (int i = 0; i < k->num_tables; i++) {
    LLVMValueRef x = LLVMBuildLoad2(h->b, type, word(k, table(k, i), at), "");
    LLVMSetAlignment(x, 4);
    sum = sum ? LLVMBuildAdd(h->b, sum, x, "") : x;
  }
  buffer_write(&nest, k->result, &index, sum);
  nest_end(&nest);
  host_give_back(h, k->tables);
  host_give_back(h, k->indices);
}

bool host_emit_histogram(Host *h, const Op *op) {
  const Value *x = op_operand(op, 0);
  const int vec = inner_dim(x->type);
  const int lanes =
      vec < 0 ? 1 : host_lanes(h, x->type->element, x->type->shape[vec]);
  const CountTables k = begin(h, op);
  Nest nest = nest_begin(h, op);
  nest_part(&nest, x->type, lanes);
  const Index index = nest_over(&nest, x->type, vec, lanes);
  LLVMValueRef value = eval_lanes(&nest, x, &index, false);
  if (!value) return false;
  nest_seek(&nest, nest.depth);
  count_lanes(&k, value);
  nest_end(&nest);
  add_up(&k, op);
  return true;
}
