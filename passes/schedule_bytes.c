// schedule_bytes.c -- the shared memory that a loop needs when it is scheduled.
#include "ir/exchange.h"
#include "passes/liveness.h"
#include "passes/pipeline.h"
#include "passes/schedule.h"

static int64_t bytes_of(const Schedule *s) {
  int64_t bytes = 0;
  for (size_t i = 0; i < s->loads.count; i++) {
    bytes += ring_slot_bytes(s->loads.items[i]);
  }
  return bytes * schedule_buffers(s);
}

// What the loop needs beside the rings: buffers that it uses, and scratch.
typedef struct {
  Arena *arena;
  Map allocs;
  bool matrix;
  int64_t buffers, scratch;
} Others;

static void add_others(Op *op, void *ctx) {
  Others *others = ctx;
  const int64_t bytes = exchange_least_bytes(op, others->matrix);
  if (bytes > others->scratch) others->scratch = bytes;
  for (int i = 0; i < op->num_operands; i++) {
    const Value *value = op_operand(op, i);
    if (value->type->kind != TYPE_MEMDESC) continue;
    Op *alloc = buffer_alloc(value);
    if (map_get(&others->allocs, alloc)) continue;
    map_put(&others->allocs, others->arena, alloc, alloc);
    others->buffers += buffer_bytes(op_result(alloc)->type);
  }
}

// Conversions of the loads themselves will be gone.
static int64_t other_bytes(const Schedule *s) {
  Others others = {.arena = op_function(s->loop)->module->arena,
                   .matrix = target_can(s->target, CAP_LDMATRIX)};
  block_walk(s->loop->regions[0], add_others, &others);
  int64_t loaded = 0;
  for (size_t i = 0; i < s->loads.count; i++) {
    const int64_t bytes = ring_slot_bytes(s->loads.items[i]);
    if (bytes > loaded) loaded = bytes;
  }
  return others.buffers + (others.scratch > loaded ? others.scratch : 0);
}

int64_t schedule_bytes(const Schedule *s) {
  return bytes_of(s) + other_bytes(s);
}
