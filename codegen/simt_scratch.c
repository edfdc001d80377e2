// simt_scratch.c -- shared memory that exchanges go through, and its barriers.
//
// An exchange writes, meets at a barrier and reads.  Memory may be written
// again once all threads have read it, that is after any later barrier: two
// exchanges in different places need no barrier but their own.  At the start of
// a loop the reads of its end are not known yet; a barrier placed because of
// them is taken back when they turn out to be elsewhere.
#include "codegen/simt.h"

enum {
  SCRATCH_ALIGN = 16,
  SCRATCH_REUSE = 32768, // from here on, start again at 0
};

static bool overlap(Scratch a, Scratch b) {
  return a.start < b.end && b.start < a.end;
}

static bool is_read(const Pending *pending, Scratch scratch) {
  for (size_t i = 0; i < pending->reads.count; i++) {
    if (overlap(pending->reads.items[i], scratch)) return true;
  }
  return false;
}

static Scratch place(Simt *s, int bytes) {
  if (s->scratch_next + bytes > SCRATCH_REUSE) s->scratch_next = 0;
  const Scratch scratch = {s->scratch_next, s->scratch_next + bytes};
  s->scratch_next =
      (scratch.end + SCRATCH_ALIGN - 1) / SCRATCH_ALIGN * SCRATCH_ALIGN;
  if (scratch.end > s->shared_bytes) s->shared_bytes = scratch.end;
  return scratch;
}

bool scratch_open(Simt *s, const Op *op, int64_t bytes, Scratch *out) {
  const Target *target = s->e->target;
  if (bytes > target->max_shared_block) {
    return diag_error(s->e->diags, op->loc,
                      "'%s' needs %lld bytes of shared memory, and %s has %d",
                      op_info[op->kind].name, (long long)bytes, target->name,
                      target->max_shared_block);
  }
  *out = place(s, (int)bytes);
  if (is_read(&s->pending, *out)) {
    simt_barrier(s);
    pending_clear(s);
  } else if (s->pending.open < s->depth) {
    const MaybeBarrier barrier = {simt_barrier(s), *out, s->pending.open,
                                  false};
    vec_push(s->e->arena, &s->maybe, barrier);
  }
  return true;
}

void scratch_publish(Simt *s, const Scratch *scratch) {
  simt_barrier(s);
  pending_clear(s);
  vec_push(s->e->arena, &s->pending.reads, *scratch);
}

LLVMValueRef scratch_address(Simt *s, const Scratch *scratch,
                             LLVMValueRef offset) {
  LLVMTypeRef i8 = int_type(s->e, 8);
  LLVMValueRef start = simt_i32(s, scratch->start);
  LLVMValueRef base = LLVMBuildGEP2(s->b, i8, s->shared, &start, 1, "");
  return LLVMBuildGEP2(s->b, i8, base, &offset, 1, "");
}

// -- What is pending ---------------------------------------------------------

void pending_clear(Simt *s) {
  s->pending = (Pending){.open = s->depth};
}

Pending pending_fork(Simt *s) {
  Pending copy = {.open = s->pending.open};
  for (size_t i = 0; i < s->pending.reads.count; i++) {
    vec_push(s->e->arena, &copy.reads, s->pending.reads.items[i]);
  }
  return copy;
}

void pending_merge(Simt *s, const Pending *other) {
  for (size_t i = 0; i < other->reads.count; i++) {
    vec_push(s->e->arena, &s->pending.reads, other->reads.items[i]);
  }
  if (other->open < s->pending.open) s->pending.open = other->open;
}

LoopPending pending_enter_loop(Simt *s) {
  s->depth++; // unknown from now on, since `open` is at most the old depth
  return (LoopPending){pending_fork(s), s->maybe.count};
}

// What is read at the end of the loop is read at its start, too.
void pending_leave_loop(Simt *s, const LoopPending *loop) {
  s->depth--;
  for (size_t i = loop->first_maybe; i < s->maybe.count; i++) {
    MaybeBarrier *barrier = &s->maybe.items[i];
    if (barrier->open > s->depth) continue;
    barrier->needed |= is_read(&s->pending, barrier->scratch);
  }
  pending_merge(s, &loop->before); // a loop may run no trip
  if (s->pending.open > s->depth) s->pending.open = s->depth;
}

void pending_finish(Simt *s) {
  for (size_t i = 0; i < s->maybe.count; i++) {
    const MaybeBarrier *barrier = &s->maybe.items[i];
    if (!barrier->needed) LLVMInstructionEraseFromParent(barrier->call);
  }
}
