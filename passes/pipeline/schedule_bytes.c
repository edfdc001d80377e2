// schedule_bytes.c -- the shared memory that a scheduled loop needs, and
// schedules with less.
#include "ir/exchange.h"
#include "passes/analysis/analysis.h"
#include "passes/errors.h"
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/schedule.h"

#include <assert.h>

int schedule_blocks(const Schedule *s, int64_t *bytes) {
  int count = 0;
  if (bytes) *bytes = 0;
  for (size_t i = 0; i < s->loads.count; i++) {
    const Op *load = s->loads.items[i];
    if (!load_is_block(load)) continue;
    if (bytes) *bytes += ring_slot_bytes(load);
    count++;
  }
  return count;
}

int64_t schedule_ring_bytes(const Schedule *s) {
  if (s->stages == 1)
    return rings_here_bytes(s->loop, s->loads.items, (int)s->loads.count);
  int64_t bytes =
      schedule_blocks(s, NULL) ? BARRIER_BYTES * schedule_ring(s) : 0;
  for (size_t i = 0; i < s->loads.count; i++) {
    const Op *load = s->loads.items[i];
    bytes += ring_slot_bytes(load) * schedule_buffers(s, load);
  }
  return bytes;
}

// The shared memory that the loop needs beside the rings: buffers that it uses,
// and scratch.
typedef struct {
  Arena *arena;
  Map allocs;
  Map loaded; // loads, and values computed from them before a dot
  bool matrix;
  int64_t buffers;
  int64_t scratch;        // of ops on other values
  int64_t loaded_scratch; // of ops on these values
} Others;

static bool comes_of_load(Others *others, Op *op) {
  if (map_get(&others->loaded, op)) return true;
  if (op->kind == OP_dot) return false;
  for (int i = 0; i < op->num_operands; i++) {
    const Op *def = op_operand(op, i)->def;
    if (!def || !map_get(&others->loaded, def)) continue;
    map_put(&others->loaded, others->arena, op, op);
    return true;
  }
  return false;
}

static void add_others(Op *op, void *ctx) {
  Others *others = ctx;
  const int64_t bytes = exchange_least_bytes(op, others->matrix);
  int64_t *scratch =
      comes_of_load(others, op) ? &others->loaded_scratch : &others->scratch;
  if (bytes > *scratch) *scratch = bytes;
  for (int i = 0; i < op->num_operands; i++) {
    const Value *value = op_operand(op, i);
    if (value->type->kind != TYPE_MEMDESC) continue;
    Op *alloc = buffer_alloc(value);
    if (map_get(&others->allocs, alloc)) continue;
    map_put(&others->allocs, others->arena, alloc, alloc);
    others->buffers += buffer_bytes(op_result(alloc)->type);
  }
}

// Conversions of the loaded values themselves will disappear: an op on them
// counts only for the bytes that it needs beyond theirs.
int64_t schedule_other_bytes(const Schedule *s) {
  Others others = {.arena = op_function(s->loop)->module->arena,
                   .matrix = target_can(s->target, CAP_LDMATRIX)};
  int64_t slot = 0;
  for (size_t i = 0; i < s->loads.count; i++) {
    Op *load = s->loads.items[i];
    const int64_t bytes = ring_slot_bytes(load);
    if (bytes > slot) slot = bytes;
    map_put(&others.loaded, others.arena, load, load);
  }
  block_walk(s->loop->regions[0], add_others, &others);
  int64_t scratch = others.scratch;
  if (others.loaded_scratch > slot && others.loaded_scratch > scratch)
    scratch = others.loaded_scratch;
  return others.buffers + scratch;
}

int64_t schedule_bytes(const Schedule *s) {
  return schedule_ring_bytes(s) + schedule_other_bytes(s);
}

// -- Schedules that do not fit -----------------------------------------------

static const char *largest_tile(const Schedule *s, Arena *arena) {
  const Op *largest = s->loads.items[0];
  for (size_t i = 1; i < s->loads.count; i++) {
    const Op *load = s->loads.items[i];
    if (ring_slot_bytes(load) > ring_slot_bytes(largest)) largest = load;
  }
  return type_shape_text(op_result(largest)->type, arena);
}

bool schedule_too_big(const Schedule *s) {
  const Target *target = s->target;
  Module *m = op_function(s->loop)->module;
  const long long needed = schedule_bytes(s);
  const char *largest = largest_tile(s, m->arena);
  if (s->stages == 1) {
    return diag_error(m->diags, s->loop->loc, ERROR_loop_loads_too_big, needed,
                      target->name, target->max_shared_block, largest);
  }
  return diag_error(m->diags, s->loop->loc, ERROR_loop_stages_too_big, s->asked,
                    needed, target->name, target->max_shared_block, largest);
}

void schedule_tell_one_stage(const Schedule *s) {
  if (!s->explicit_stages || s->asked < 2 || !s->loads.count) return;
  DiagList *diags = op_function(s->loop)->module->diags;
  diag_remark(diags, s->loop->loc, REMARK_loop_stages_ignored, s->asked,
              s->target->name);
}

static void tell_not_copied(const Schedule *s, int stages, long long bytes) {
  diag_remark(op_function(s->loop)->module->diags, s->loop->loc,
              REMARK_loop_not_copied, stages, bytes, s->target->name,
              s->target->max_shared_block);
}

bool schedule_stores_fit(const Schedule *s) {
  const long long bytes = schedule_bytes(s);
  if (bytes <= s->target->max_shared_block) return true;
  tell_not_copied(s, s->asked, bytes);
  return false;
}

bool schedule_lower(Schedule *s) {
  Op *loop = s->loop;
  const Target *target = s->target;
  DiagList *diags = op_function(loop)->module->diags;
  const int wanted = s->asked, most = target->max_shared_block;
  const long long needed = schedule_bytes(s);
  int least = wanted;
  long long bytes = needed;
  while (s->asked > 1 && schedule_loop(loop, target, s->asked - 1, s)) {
    assert(s->asked < least && "stages are not lowered"); // I1
    least = s->asked;
    bytes = schedule_bytes(s);
    if (bytes > most) continue;
    diag_remark(diags, loop->loc, REMARK_loop_stages_lowered, least, wanted,
                needed, target->name, most);
    return true;
  }
  tell_not_copied(s, least, bytes);
  return false;
}
