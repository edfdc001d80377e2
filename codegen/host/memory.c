// memory.c -- loads and stores through tiles of pointers.
//
// The loops run along the dimension in which the pointers are adjacent, if
// there is one, so that a vector is one access.
//
// For example, with i of shape 16x1 and j of shape 1x4, the pointers
// `x + i + 64 * j` of f32 are 64 elements apart along dimension 1, and adjacent
// along dimension 0.  So with vectors of 64 bytes a loop over the four columns
// loads 16 rows at once.
#include "codegen/host/nest.h"

#include <string.h>

// The size in bytes of a run that is prefetched for the next trip.
enum { LEAST_AHEAD = 256, MOST_AHEAD = 1 << 16 };
// Shorter runs are prefetched two trips ahead.
enum { MOST_TWO_AHEAD = 1 << 14 };
// Bytes that the first trip of a loop over a run reads.
enum { FIRST_BYTES = 4 * LINE_BYTES };
enum { PAGE_BYTES = 4096 };
// A long run is prefetched this number of bytes ahead.
enum { LOOK_AHEAD = 4 * PAGE_BYTES };
enum { PAIR_OF_LINES = 2 * LINE_BYTES }; // the second cache fetches both

static const Value *group(const Op *op, int which) {
  return op_group(op, which);
}

// A load of neighbours without masks, of bytes or halves.
static int lanes_of_load(const Host *h, const Op *op, int dim, int lanes) {
  const Value *result = op_result(op);
  const int64_t row = result->type->shape[dim];
  if (h->promised || op->kind != OP_load || group(op, 1)) return lanes;
  const int most = host_short_lanes(h, result, row);
  return lanes_are_neighbours(op, dim, most) ? most : lanes;
}

// The dimension of the vectors, and their number of lanes.
static int vector_dim(const Host *h, const Op *op, int *lanes) {
  const Value *ptr = op_operand(op, 0);
  const Type *tile = ptr->type;
  const Type *element = type_element(tile)->element;
  for (int d = tile->rank; d-- > 0;) {
    if (tile->shape[d] == 1) continue;
    *lanes = host_lanes(h, element, tile->shape[d]);
    if (lanes_are_neighbours(op, d, *lanes)) return d;
  }
  const int inner = inner_dim(tile);
  *lanes = inner < 0 ? 1 : host_lanes(h, element, tile->shape[inner]);
  return inner;
}

static bool eval_optional(Nest *nest, const Value *value, const Index *index,
                          bool bits, LLVMValueRef *out) {
  *out = value ? eval_as(nest, value, index, bits) : NULL;
  return !value || *out;
}

// Other threads may write the memory: no load of it may be merged or moved.
static void emit_compiler_fence(Host *h) {
  LLVMTypeRef type =
      LLVMFunctionType(LLVMVoidTypeInContext(h->e->llvm.context), NULL, 0, 0);
  const char *clobbers = "~{memory}";
  LLVMValueRef fence = LLVMGetInlineAsm(type, "", 0, clobbers, strlen(clobbers),
                                        1, 0, LLVMInlineAsmDialectATT, 0);
  LLVMBuildCall2(h->b, type, fence, NULL, 0, "");
}

LLVMValueRef load_at(Nest *nest, const Op *op, const Index *index) {
  NestAccess access;
  LLVMValueRef mask, other;
  const bool bits = host_keeps(nest->h, op_result(op));
  if (!access_tile(nest, op, index, &access) ||
      !eval_optional(nest, group(op, 1), index, false, &mask) ||
      !eval_optional(nest, group(op, 2), index, bits, &other)) {
    return NULL;
  }
  access.bits = bits;
  nest_seek(nest, nest->depth);
  if (op_int(op, ATTR_volatile)) emit_compiler_fence(nest->h);
  return nest_load(nest, &access, mask, other);
}

void write_and_end(Nest *nest, const Value *value, const Index *index,
                   LLVMValueRef x) {
  Host *h = nest->h;
  const Type *tile = value->type;
  if (!transpose_wanted(h, tile, index->vec)) {
    buffer_write(nest, value, index, x);
    nest_end(nest);
    return;
  }
  const int last = tile->rank - 1;
  nest_seek(nest, 0);
  LLVMValueRef spare = host_spare(h, host_buffer_bytes(tile->element) *
                                         (size_t)tile->num_elements);
  nest_seek(nest, nest->depth);
  Index turned = *index;
  turned.at[last] = index->at[last - 1];
  turned.at[last - 1] = index->at[last];
  turned.vec = last;
  memory_write(nest, spare, transpose_type(h, tile), &turned, x);
  nest_end(nest);
  transpose_memory(h, host_buffer(h, value), spare, tile);
}

// -- Prefetches --------------------------------------------------------------

void prefetch_line(Host *h, LLVMTypeRef type, LLVMValueRef from,
                   LLVMValueRef far, bool write, int to) {
  LLVMTypeRef i32 = int_type(h->e, 32), ptr = LLVMTypeOf(from);
  LLVMValueRef ahead = LLVMBuildGEP2(h->b, type, from, &far, 1, "");
  LLVMValueRef args[] = {ahead, const_int(i32, write), const_int(i32, to),
                         const_int(i32, 1)}; // data
  llvm_call(&h->e->llvm, "llvm.prefetch", &ptr, 1, args, 4);
}

static LLVMValueRef start_of_pair(Host *h, LLVMValueRef ptr) {
  LLVMValueRef at = LLVMBuildPtrToInt(h->b, ptr, int_type(h->e, 64), "");
  at = LLVMBuildAnd(h->b, at, host_i64(h, -PAIR_OF_LINES), "");
  return LLVMBuildIntToPtr(h->b, at, LLVMTypeOf(ptr), "");
}

// To the second cache, since loads need the few misses that the first one can
// have at a time.
void prefetch_ahead(Host *h, const NestAccess *access, bool write) {
  const bool is_asked = access->stream && access->offset % PAIR_OF_LINES == 0;
  if (!access->lanes || (!is_asked && !access->far)) return;
  LLVMValueRef from = access->ptr, far = access->far;
  if (!far) from = start_of_pair(h, from), far = host_i64(h, LOOK_AHEAD);
  prefetch_line(h, int_type(h->e, 8), from, far, write, TO_SECOND);
}

void prefetch_element(Host *h, const Type *element, LLVMValueRef from,
                      LLVMValueRef far, bool write) {
  prefetch_line(h, emit_memory_type(h->e, element), from, far, write, TO_FIRST);
}

// -- Runs of the next trip ---------------------------------------------------

// The address of a tile's first element, as a number.
static LLVMValueRef first_address(Host *h, const Op *op) {
  const Value *pointers = op_operand(op, 0);
  Nest nest = nest_begin(h, op);
  Index index = {.vec = -1, .lanes = 1};
  for (int i = 0; i < pointers->type->rank; i++) {
    index.at[i] = coord_constant(h, 0);
  }
  LLVMValueRef address = eval(&nest, pointers, &index);
  if (!address) return NULL;
  return LLVMBuildPtrToInt(h->b, address, int_type(h->e, 64), "");
}

static bool is_run_of_trip(const Host *h, const Op *op) {
  const Op *loop = op->block->parent;
  if (h->e->options.quick || !loop || loop != h->trips.loop) return false;
  if (!is_one_run(op_operand(op, 0))) return false;
  const int64_t bytes = run_bytes(op);
  return bytes >= LEAST_AHEAD && bytes <= MOST_AHEAD;
}

// The distance from this trip's run to the next one is assumed to be that from
// the previous trip's run to this one.  False after a diagnostic.
static bool find_next_run(Host *h, const Op *op) {
  if (!is_run_of_trip(h, op)) return true;
  LLVMTypeRef i64 = int_type(h->e, 64);
  LLVMValueRef now = first_address(h, op), memory = host_spare(h, 8);
  if (!now) return false;
  LLVMValueRef before = LLVMBuildLoad2(h->b, i64, memory, "");
  LLVMBuildStore(h->b, now, memory);
  LLVMValueRef is_first =
      LLVMBuildICmp(h->b, LLVMIntEQ, h->trips.left, h->trips.count, "");
  LLVMValueRef far = LLVMBuildSub(h->b, now, before, "");
  far = emit_select(h->e, is_first, host_i64(h, 0), far);
  NextRun *run = arena_new(h->e->arena, NextRun);
  *run = (NextRun){.op = op, .now = now, .near = far};
  const bool is_short = run_bytes(op) <= MOST_TWO_AHEAD;
  run->far = is_short ? LLVMBuildAdd(h->b, far, far, "") : far;
  run->later = op->kind == OP_load && host_place(h, op_result(op))->buffer;
  map_put(&h->next_run, h->e->arena, op, run);
  vec_push(h->e->arena, &h->next_runs, run);
  return true;
}

// Prefetches every `step` bytes of the first `end` of a run `far` away.
static void ask_in_steps(Host *h, const NextRun *run, LLVMValueRef far,
                         int64_t end, int64_t step, int to) {
  LLVMTypeRef ptr = LLVMPointerTypeInContext(h->e->llvm.context, 0);
  LLVMValueRef start = LLVMBuildIntToPtr(h->b, run->now, ptr, "");
  for (int64_t at = 0; at < end; at += step) {
    LLVMValueRef by = LLVMBuildAdd(h->b, far, host_i64(h, at), "");
    prefetch_line(h, int_type(h->e, 8), start, by, false, to);
  }
}

void memory_end_trip(Host *h, const Op *loop) {
  for (size_t i = 0; i < h->next_runs.count; i++) {
    const NextRun *run = h->next_runs.items[i];
    if (run->later && run->op->block->parent == loop)
      ask_in_steps(h, run, run->near, FIRST_BYTES, LINE_BYTES, TO_FIRST);
  }
}

bool load_look_ahead(Nest *nest, const Op *load, const Index *index) {
  NextRun *run = map_get(&nest->h->next_run, load);
  if (!run || !run->later || index->vec < 0) return true;
  if (!run->root) run->root = nest->root;
  if (run->root != nest->root) return true;
  NestAccess access;
  if (!access_tile(nest, load, index, &access)) return false;
  access.far = run->far;
  prefetch_ahead(nest->h, &access, false);
  return true;
}

bool host_emit_load(Host *h, const Op *op) {
  const Value *result = op_result(op);
  if (type_is_tile(result->type) && !find_next_run(h, op)) return false;
  if (host_place(h, result)->fill) return true;
  Nest nest = nest_begin(h, op);
  if (!type_is_tile(result->type)) {
    const Index none = {.vec = -1, .lanes = 1};
    LLVMValueRef x = load_at(&nest, op, &none);
    if (x) host_set_own(h, result, x);
    return x != NULL;
  }
  int lanes;
  const int vec = vector_dim(h, op, &lanes);
  if (vec >= 0) lanes = lanes_of_load(h, op, vec, lanes);
  nest_part(&nest, result->type, lanes);
  const Index index = nest_over(&nest, result->type, vec, lanes);
  LLVMValueRef x = load_at(&nest, op, &index);
  if (!x) return false;
  write_and_end(&nest, result, &index, x);
  return true;
}

// -- Stores with loads in their loops ----------------------------------------

// The detour of a store that would write elements that its loops still have to
// read: it first writes to private memory.
typedef struct {
  LLVMValueRef wanted; // is it needed? NULL: never
  LLVMValueRef first;  // the address of the store's first element, if needed
  Spare spare;
  LLVMValueRef past; // as in NestAccess
} Detour;

static LLVMValueRef is_below(Host *h, LLVMValueRef x, int64_t limit) {
  return LLVMBuildICmp(h->b, LLVMIntULT, x, host_i64(h, limit), "");
}

// May the store from `to` on change elements that the load reads after it?  Not
// if elements of the same size are written at or before the positions where
// they are read.
static LLVMValueRef meets(Host *h, const Op *store, LLVMValueRef to,
                          const Op *load) {
  const int64_t written = run_bytes(store), read = run_bytes(load);
  LLVMValueRef from = first_address(h, load);
  if (!from) return NULL;
  LLVMValueRef behind = LLVMBuildSub(h->b, to, from, "");
  if (written == read) {
    behind = LLVMBuildSub(h->b, behind, host_i64(h, 1), "");
    return is_below(h, behind, read - 1);
  }
  LLVMValueRef before = LLVMBuildSub(h->b, from, to, "");
  return LLVMBuildOr(h->b, is_below(h, behind, read),
                     is_below(h, before, written), "");
}

// False after a diagnostic.
static bool find_detour(Host *h, const Op *op, Detour *out) {
  int lanes;
  const OpPlace *place = host_op(h, op);
  *out = (Detour){0};
  if (!place->loads.count) return true;
  vector_dim(h, op, &lanes);
  if (op_operand(op, 0)->type->num_elements <= lanes) return true;
  LLVMValueRef to = out->first = first_address(h, op);
  for (size_t i = 0; to && i < place->loads.count; i++) {
    LLVMValueRef bad = meets(h, op, to, place->loads.items[i]);
    if (!bad) return false;
    out->wanted = out->wanted ? LLVMBuildOr(h->b, out->wanted, bad, "") : bad;
  }
  out->spare = host_borrow(h, (size_t)run_bytes(op));
  return to != NULL;
}

static LLVMValueRef detour_address(Nest *nest, const Op *op,
                                   const Detour *detour, const Index *index) {
  Host *h = nest->h;
  const Type *tile = op_operand(op, 0)->type;
  LLVMValueRef at = index_linear(nest, index, tile);
  nest_seek(nest, nest->depth);
  LLVMTypeRef type = emit_memory_type(h->e, type_element(tile)->element);
  return LLVMBuildGEP2(h->b, type, host_spare_address(h, detour->spare), &at, 1,
                       "");
}

static Nest store_nest(Host *h, const Op *op, Index *index) {
  const Type *tile = op_operand(op, 1)->type;
  int lanes;
  Nest nest = nest_begin(h, op);
  const int vec = vector_dim(h, op, &lanes);
  nest_part(&nest, tile, lanes);
  *index = nest_over(&nest, tile, vec, lanes);
  return nest;
}

static bool copy_back(Host *h, const Op *op, const Detour *detour) {
  LLVMValueRef mask;
  Index index;
  NestAccess to;
  Nest nest = store_nest(h, op, &index);
  if (!access_tile(&nest, op, &index, &to) ||
      !eval_optional(&nest, group(op, 2), &index, false, &mask)) {
    return false;
  }
  nest_seek(&nest, nest.depth);
  to.bits = host_may_lose(op_operand(op, 1)->type);
  NestAccess from = to;
  from.ptr = detour_address(&nest, op, detour, &index);
  nest_store(&nest, &to, access_load(h, &from, NULL, NULL), mask);
  nest_end(&nest);
  return true;
}

static bool end_detour(Host *h, const Op *op, const Detour *detour) {
  LLVMBasicBlockRef some = host_block(h, "detour"),
                    done = host_block(h, "stored");
  LLVMBuildCondBr(h->b, detour->wanted, some, done);
  LLVMPositionBuilderAtEnd(h->b, some);
  if (!copy_back(h, op, detour)) return false;
  LLVMBuildBr(h->b, done);
  LLVMPositionBuilderAtEnd(h->b, done);
  host_give_back(h, detour->spare);
  return true;
}

// -- Stores ------------------------------------------------------------------

static bool store_at(Nest *nest, const Op *op, const Detour *detour,
                     const Index *index) {
  NestAccess access;
  LLVMValueRef mask;
  const bool bits = host_keeps(nest->h, op_operand(op, 1));
  LLVMValueRef value = eval_as(nest, op_operand(op, 1), index, bits);
  if (!value || !access_tile(nest, op, index, &access) ||
      !eval_optional(nest, group(op, 2), index, false, &mask)) {
    return false;
  }
  access.bits = bits;
  nest_seek(nest, nest->depth);
  access.past = detour->past;
  if (detour->wanted) {
    LLVMValueRef own = detour_address(nest, op, detour, index);
    access.ptr =
        LLVMBuildSelect(nest->h->b, detour->wanted, own, access.ptr, "");
  }
  nest_store(nest, &access, value, mask);
  return true;
}

// Stores that bypass the caches need their pages' places in memory.  In the
// next trip these may be new to the processor, so a line of each page is
// prefetched.
static void find_next_pages(Host *h, const Op *op) {
  const NextRun *run = map_get(&h->next_run, op);
  if (run)
    ask_in_steps(h, run, run->far, run_bytes(op) + LINE_BYTES, PAGE_BYTES,
                 TO_NONE);
}

static bool store_tile(Host *h, const Op *op) {
  Detour detour;
  Index index;
  if (!find_next_run(h, op) || !find_detour(h, op, &detour)) return false;
  LLVMValueRef past = stream_past(h, op);
  if (past) {
    if (!detour.first) detour.first = first_address(h, op);
    if (!detour.first) return false;
    detour.past = stream_from(h, past, detour.first);
    find_next_pages(h, op);
  }
  Nest nest = store_nest(h, op, &index);
  if (!store_at(&nest, op, &detour, &index)) return false;
  nest_end(&nest);
  return !detour.wanted || end_detour(h, op, &detour);
}

bool host_emit_store(Host *h, const Op *op) {
  if (type_is_tile(op_operand(op, 1)->type)) return store_tile(h, op);
  Nest nest = nest_begin(h, op);
  const Index index = {.vec = -1, .lanes = 1};
  if (!store_at(&nest, op, &(Detour){0}, &index)) return false;
  nest_end(&nest);
  return true;
}
