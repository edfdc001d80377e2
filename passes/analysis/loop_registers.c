// loop_registers.c -- the tiles that a loop of dots holds at the same time.
//
// The tiles are carried values, operands and results of its dots, and fragments
// that are made before the loop.
#include "passes/analysis/loop_registers.h"

#include "passes/analysis/walk.h"

#include <assert.h>

enum {
  LEAST_OTHERS = 16, // registers beside tiles and operands
  WORD_BITS = 32
};

typedef struct {
  const Block *body;
  LoopWords words;
} Need;

int64_t registers_words(const Type *type) {
  if (!type_is_tile(type) || !type->layout) return 0;
  const int64_t bits = type_element_bits(type_element(type));
  return layout_num_registers(type->layout) * bits / WORD_BITS;
}

static bool is_listed(const FragmentOps *list, const Op *op) {
  for (size_t i = 0; i < list->count; i++) {
    if (list->items[i] == op) return true;
  }
  return false;
}

static void add_operand(Need *need, Value *value) {
  Op *op = value_def(value, OP_convert_layout);
  LoopWords *words = &need->words;
  if (!op || !value_is_outside(value, need->body)) return;
  if (is_listed(&words->operands, op)) return;
  vec_push(op_function(op)->module->arena, &words->operands, op);
  words->all += registers_words(value->type);
}

static bool is_yielded(const Value *sum) {
  for (const Use *use = sum->uses; use; use = use->next) {
    if (use->user->kind == OP_yield) return true;
  }
  return false;
}

// The sum of a dot; for an async_dot, the result of its wait.
static const Value *sum_of(const Op *dot) {
  const Value *sum = &dot->results[0];
  const bool waits = dot->kind == OP_async_dot && sum->uses &&
                     sum->uses->user->kind == OP_dot_wait;
  return waits ? op_result(sum->uses->user) : sum;
}

// A carried sum counts once; a scaled copy of it counts again.
static void look(Op *op, void *ctx) {
  Need *need = ctx;
  if (op->kind != OP_dot && op->kind != OP_async_dot) return;
  need->words.num_dots++;
  add_operand(need, op_operand(op, 0));
  add_operand(need, op_operand(op, 1));
  if (!op_operand(op, 2)->def) return;
  const Value *sum = sum_of(op);
  const int64_t words = registers_words(sum->type);
  need->words.all += words;
  if (is_yielded(sum)) need->words.sums += words;
}

LoopWords loop_words(Op *loop) {
  Need need = {.body = loop->regions[0]};
  for (int i = 0; i < loop->num_results; i++) {
    need.words.all += registers_words(loop->results[i].type);
  }
  block_walk(loop->regions[0], look, &need);
  assert(need.words.sums <= need.words.all && "a sum is not counted"); // I8
  return need.words;
}

// For each word of a tile there is one for an operand or an address.
int64_t registers_of(int64_t words) {
  return 2 * words + LEAST_OTHERS;
}

int64_t registers_programs(const Target *target, int num_warps,
                           int64_t registers) {
  assert(registers > 0 && num_warps > 0 && target->is_gpu); // I8
  return target->registers_sm / (num_warps * target->warp_size * registers);
}
