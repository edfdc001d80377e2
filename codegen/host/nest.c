// nest.c -- building loop nests.
//
// Trip counts are constants of at least one, so a loop is one basic block (or a
// chain of them, if its body branches) that ends in its own test.
#include "codegen/host/nest.h"

#include <assert.h>

// Usual kernels have fewer.
enum { NESTS_IN_ROW = 16, NESTS_INSIDE = 31, TILES_INSIDE = 63 };

Nest nest_begin(Host *h, const Op *root) {
  Nest nest = {.h = h, .root = root};
  nest.loops[0].block = LLVMGetInsertBlock(h->b);
  return nest;
}

// The level whose block holds the code of this one.
static int emitted(const Nest *nest, int level) {
  assert(level >= 0 && level <= nest->depth && "the loop is closed"); // I5
  while (!nest->loops[level].block) level--;
  return level;
}

void nest_seek(Nest *nest, int level) {
  LLVMPositionBuilderAtEnd(nest->h->b, nest->loops[emitted(nest, level)].block);
}

void nest_moved(Nest *nest, int level) {
  nest->loops[emitted(nest, level)].block = LLVMGetInsertBlock(nest->h->b);
}

Coord coord_constant(Host *h, int64_t at) {
  return (Coord){host_i64(h, at), 0};
}

Coord coord_in_part(const Nest *nest, int64_t at) {
  return (Coord){host_i64(nest->h, at), nest->is_part};
}

// Does a nest stay in the kernel?  One of a few vectors has code without a
// loop, and a single element must be visible outside.
static bool stays_inside(Emit *e, const Type *tile, int lanes) {
  if (tile->num_elements == 1) return true;
  if (e->num_tiles++ >= TILES_INSIDE) return false;
  return tile->num_elements <= lanes || e->num_nests < NESTS_INSIDE;
}

void nest_part(Nest *nest, const Type *tile, int lanes) {
  assert(!nest->depth && "a loop is open");
  if (stays_inside(nest->h->e, tile, lanes)) return;
  LLVMBasicBlockRef block = host_block(nest->h, "part");
  nest->loops[++nest->depth] = (NestLoop){
      .head = block, .block = block, .first_phi = (int)nest->carried.count};
  nest->is_part = true;
}

void nest_result(Nest *nest, LLVMValueRef *value) {
  vec_push(nest->h->e->arena, &nest->results, value);
}

static Coord open_loop(Nest *nest, int64_t start, NestLoop what) {
  Host *h = nest->h;
  NestLoop *loop = &nest->loops[nest->depth];
  *loop = what;
  loop->head = loop->block = host_block(h, "loop");
  LLVMPositionBuilderAtEnd(h->b, loop->head);
  loop->iv = LLVMBuildPhi(h->b, int_type(h->e, 64), "i");
  vec_push(h->e->arena, &nest->carried,
           ((LoopPhi){.phi = loop->iv, .init = host_i64(h, start)}));
  return (Coord){loop->iv, nest->depth};
}

Coord nest_loop(Nest *nest, int64_t start, int64_t end, int64_t step) {
  assert(nest->depth < MAX_LOOPS && start < end && step > 0); // I5
  const NestLoop loop = {
      .end = end, .step = step, .first_phi = (int)nest->carried.count};
  nest->loops[++nest->depth] = loop;
  if (start + step >= end) return coord_in_part(nest, start);
  return open_loop(nest, start, loop);
}

Coord nest_loop_to(Nest *nest, LLVMValueRef end, int64_t step) {
  assert(nest->depth < MAX_LOOPS); // I5
  nest->depth++;
  return open_loop(nest, 0,
                   (NestLoop){.bound = end,
                              .step = step,
                              .first_phi = (int)nest->carried.count});
}

int nest_carry(Nest *nest, LLVMValueRef init) {
  NestLoop *loop = &nest->loops[nest->depth];
  LoopPhi carried = {.phi = init, .init = init};
  if (loop->block) {
    LLVMPositionBuilderAtEnd(nest->h->b, loop->block);
    carried.phi = LLVMBuildPhi(nest->h->b, LLVMTypeOf(init), "");
  }
  vec_push(nest->h->e->arena, &nest->carried, carried);
  return (int)nest->carried.count - 1;
}

LLVMValueRef nest_carried(const Nest *nest, int number) {
  assert(number >= 0 && (size_t)number < nest->carried.count); // I6
  return nest->carried.items[number].phi;
}

void nest_carry_next(Nest *nest, int number, LLVMValueRef next) {
  assert(number >= nest->loops[nest->depth].first_phi &&
         (size_t)number < nest->carried.count); // I6
  nest->carried.items[number].next = next;
}

static void forget(Nest *nest, int level) {
  size_t kept = 0;
  for (size_t i = 0; i < nest->memo.count; i++) {
    if (nest->memo.items[i].level < level) {
      nest->memo.items[kept++] = nest->memo.items[i];
    }
  }
  nest->memo.count = kept;
}

static void connect(Nest *nest, const NestLoop *loop, LLVMBasicBlockRef from,
                    LLVMBasicBlockRef latch) {
  for (int i = loop->first_phi; i < (int)nest->carried.count; i++) {
    LoopPhi *c = &nest->carried.items[i];
    if (!c->next) continue;
    LLVMAddIncoming(c->phi, (LLVMValueRef[]){c->init, c->next},
                    (LLVMBasicBlockRef[]){from, latch}, 2);
  }
}

// A value that is `number`, but unknown to LLVM, as assembly makes it: LLVM
// would merge two equal numbers.
static LLVMValueRef opaque(Host *h, int number) {
  const LLVMTypeRef i32 = int_type(h->e, 32);
  const LLVMTypeRef type =
      LLVMFunctionType(i32, (LLVMTypeRef[]){i32}, 1, false);
  static const char constraints[] = "=r,0";
  LLVMValueRef same =
      LLVMGetInlineAsm(type, "", 0, constraints, sizeof constraints - 1, false,
                       false, LLVMInlineAsmDialectATT, false);
  LLVMValueRef argument = LLVMConstInt(i32, (unsigned)number, false);
  return LLVMBuildCall2(h->b, type, same, &argument, 1, "");
}

static void do_nothing(Host *h) {
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(h->e->llvm.context),
                                      NULL, 0, false);
  LLVMValueRef nothing = LLVMGetInlineAsm(type, "", 0, "", 0, true, false,
                                          LLVMInlineAsmDialectATT, false);
  LLVMBuildCall2(h->b, type, nothing, NULL, 0, "");
}

// For each loop, LLVM examines the conditions of all loops before it, back to a
// join of two paths; that takes time quadratic in the number of loops.  So from
// time to time the path is split and joined again: in a function with that
// number of loops a branch costs less.
static void part_ways(Host *h) {
  LLVMBasicBlockRef other = host_block(h, "other"),
                    both = host_block(h, "both");
  LLVMValueRef zero = LLVMConstInt(int_type(h->e, 32), 0, false);
  LLVMValueRef is_zero =
      LLVMBuildICmp(h->b, LLVMIntEQ, opaque(h, h->e->num_nests), zero, "");
  LLVMBuildCondBr(h->b, is_zero, other, both);
  LLVMPositionBuilderAtEnd(h->b, other);
  do_nothing(h);
  LLVMBuildBr(h->b, both);
  LLVMPositionBuilderAtEnd(h->b, both);
}

static void close_block(Nest *nest, NestLoop *loop) {
  Host *h = nest->h;
  const int outer = emitted(nest, nest->depth - 1);
  LLVMBasicBlockRef before = nest->loops[outer].block, latch = loop->block;
  LLVMPositionBuilderAtEnd(h->b, before);
  LLVMBuildBr(h->b, loop->head);
  LLVMPositionBuilderAtEnd(h->b, latch);
  LLVMValueRef next = LLVMBuildAdd(h->b, loop->iv, host_i64(h, loop->step), "");
  nest->carried.items[loop->first_phi].next = next;
  connect(nest, loop, before, latch);
  LLVMValueRef end = loop->bound ? loop->bound : host_i64(h, loop->end);
  LLVMValueRef more = LLVMBuildICmp(h->b, LLVMIntULT, next, end, "");
  LLVMBasicBlockRef exit = host_block(h, "done");
  LLVMBuildCondBr(h->b, more, loop->head, exit);
  LLVMPositionBuilderAtEnd(h->b, exit);
  if (!outer && ++h->e->num_nests % NESTS_IN_ROW == 0) part_ways(h);
  nest->loops[outer].block = LLVMGetInsertBlock(h->b);
}

static void close_part(Nest *nest, const NestLoop *loop) {
  LLVMBasicBlockRef caller = nest->loops[0].block;
  host_outline(nest->h, &(Part){loop->head, loop->block}, caller,
               nest->results.items, (int)nest->results.count);
}

void nest_close(Nest *nest) {
  assert(nest->depth > 0 && "no loop is open"); // I5
  NestLoop *loop = &nest->loops[nest->depth];
  if (loop->block && loop->iv) close_block(nest, loop);
  if (loop->block && !loop->iv) close_part(nest, loop);
  // The loop has run at least once, so the last values that it carried exist.
  for (int i = loop->first_phi; i < (int)nest->carried.count; i++) {
    LoopPhi *c = &nest->carried.items[i];
    if (c->next) c->phi = c->next;
    c->next = NULL;
  }
  forget(nest, nest->depth);
  nest->depth--;
}

void nest_end(Nest *nest) {
  while (nest->depth) nest_close(nest);
  nest_seek(nest, 0);
}

int inner_dim(const Type *tile) {
  for (int d = tile->rank; d-- > 0;) {
    if (tile->shape[d] > 1) return d;
  }
  return -1;
}

Index nest_over(Nest *nest, const Type *tile, int vec, int lanes) {
  Index index = {.vec = lanes > 1 ? vec : -1, .lanes = lanes};
  if (index.vec < 0) index.lanes = 1;
  for (int d = 0; d < tile->rank; d++) {
    if (d == index.vec) continue;
    index.at[d] = tile->shape[d] == 1 ? coord_constant(nest->h, 0)
                                      : nest_loop(nest, 0, tile->shape[d], 1);
  }
  if (index.vec >= 0) {
    index.at[vec] = nest_loop(nest, 0, tile->shape[vec], lanes);
  }
  return index;
}
