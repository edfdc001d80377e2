// call.c -- calls of recursive functions.
//
// Each lane has a stack with the saved values of its calls: registers, then the
// number of the call.  Arguments and results are read before anything is
// written.
#include <stdlib.h>

#include "runtime/simulator/machine/run.h"
#include "runtime/simulator/memory/lanes.h"
#include "runtime/simulator/memory/memory.h"
#include "runtime/simulator/state/report.h"

typedef struct CallStack {
  uint8_t *bytes;
  size_t used, room;
  uint32_t in_use; // of local memory
} CallStack;

void calls_reset(Warp *warp) {
  for (int lane = 0; warp->stacks && lane < LANES; lane++)
    warp->stacks[lane].used = warp->stacks[lane].in_use = 0;
}

void calls_destroy(Warp *warp) {
  for (int lane = 0; warp->stacks && lane < LANES; lane++)
    free(warp->stacks[lane].bytes);
  free(warp->stacks);
}

// Makes room for `more` bytes.
static bool make_room(CallStack *stack, size_t more) {
  const size_t needed = stack->used + more;
  if (needed <= stack->room) return true;
  uint8_t *bigger = realloc(stack->bytes, needed * 2);
  if (!bigger) return false;
  stack->bytes = bigger;
  stack->room = needed * 2;
  return true;
}

// -- Copies ------------------------------------------------------------------

// A predicate is a byte.
static void read_register(const Warp *warp, uint32_t offset, uint32_t size,
                          int lane, uint8_t *to) {
  if (size)
    memcpy(to, warp->file + offset + (size_t)lane * size, size);
  else
    *to = *pred(warp, offset) >> lane & 1;
}

static void write_register(const Warp *warp, uint32_t offset, uint32_t size,
                           int lane, const uint8_t *from) {
  if (size)
    memcpy(warp->file + offset + (size_t)lane * size, from, size);
  else
    set_pred(warp, offset, 1u << lane, *from ? ALL_LANES : 0);
}

static uint8_t *spot_memory(const Warp *warp, const Spot *spot, int lane,
                            uint32_t size) {
  const FunctionFrame *frame = spot->symbol->frame;
  const uint32_t *base = frame ? reg(warp, frame->base) : NULL;
  return memory_local(warp, lane, spot->offset + (base ? base[lane] : 0), size);
}

static void read_all(const Warp *warp, const Transfer *list, uint32_t count,
                     int lane, uint8_t *to) {
  for (uint32_t i = 0; i < count; i++) {
    const Spot *spot = &list[i].from;
    const uint8_t *from =
        spot->in_register ? NULL : spot_memory(warp, spot, lane, list[i].bytes);
    if (spot->in_register)
      read_register(warp, spot->offset, spot->size, lane, to);
    else if (from)
      memcpy(to, from, list[i].bytes);
    to += list[i].bytes;
  }
}

static void write_all(const Warp *warp, const Transfer *list, uint32_t count,
                      int lane, const uint8_t *from) {
  for (uint32_t i = 0; i < count; i++) {
    const Spot *spot = &list[i].to;
    uint8_t *to =
        spot->in_register ? NULL : spot_memory(warp, spot, lane, list[i].bytes);
    if (spot->in_register)
      write_register(warp, spot->offset, spot->size, lane, from);
    else if (to)
      memcpy(to, from, list[i].bytes);
    from += list[i].bytes;
  }
}

static void save(const Warp *warp, const FunctionFrame *frame, int lane,
                 uint8_t *to) {
  for (size_t i = 0; i < frame->num_saved; i++) {
    const SavedRegister *r = &frame->saved[i];
    read_register(warp, r->offset, r->size, lane, to);
    to += r->size ? r->size : 1;
  }
}

static void restore(const Warp *warp, const FunctionFrame *frame, int lane,
                    const uint8_t *from) {
  for (size_t i = 0; i < frame->num_saved; i++) {
    const SavedRegister *r = &frame->saved[i];
    write_register(warp, r->offset, r->size, lane, from);
    from += r->size ? r->size : 1;
  }
}

// -- Calls and returns -------------------------------------------------------

static bool enter(const Warp *warp, const FrameCall *call, int lane) {
  const FunctionFrame *frame = call->frame;
  const Launch *launch = warp->cta->launch;
  CallStack *stack = &warp->stacks[lane];
  const size_t own = frame->saved_bytes + sizeof call;
  if (!make_room(stack, own + call->bytes)) return false;
  uint8_t *top = stack->bytes + stack->used;
  save(warp, frame, lane, top);
  memcpy(top + frame->saved_bytes, &call, sizeof call);
  stack->used += own;
  read_all(warp, call->args, call->num_args, lane, top + own);
  uint32_t *base = reg(warp, frame->base);
  base[lane] = launch->code->frames_at + stack->in_use;
  stack->in_use += frame->bytes;
  write_all(warp, call->args, call->num_args, lane, top + own);
  return true;
}

Step exec_enter(Warp *warp, const Inst *inst, uint32_t mask) {
  const FrameCall *call = (const FrameCall *)(intptr_t)inst->imm;
  const uint32_t size = warp->cta->launch->stack_size;
  warp->cta->writes++; // to a stack
  if (!warp->stacks) warp->stacks = calloc(LANES, sizeof *warp->stacks);
  for (int lane = 0; lane < LANES; lane++) {
    if (!in_mask(mask, lane)) continue;
    if (!warp->stacks || warp->stacks[lane].in_use + call->frame->bytes > size)
      return report(warp, inst, lane, KIND_STACK_OVERFLOW,
                    "'%s' wants %u bytes more than the %u of "
                    "CU_LIMIT_STACK_SIZE",
                    call->frame->function->name, call->frame->bytes, size);
    if (!enter(warp, call, lane))
      return report(warp, inst, lane, KIND_STACK_OVERFLOW, "out of memory");
  }
  return STEP_NEXT;
}

static bool leave(const Warp *warp, const FunctionFrame *frame, int lane) {
  CallStack *stack = &warp->stacks[lane];
  const FrameCall *call;
  memcpy(&call, stack->bytes + stack->used - sizeof call, sizeof call);
  if (!make_room(stack, call->bytes)) return false;
  uint8_t *results = stack->bytes + stack->used;
  read_all(warp, call->results, call->num_results, lane, results);
  stack->used -= frame->saved_bytes + sizeof call;
  restore(warp, frame, lane, stack->bytes + stack->used);
  stack->in_use -= frame->bytes;
  write_all(warp, call->results, call->num_results, lane, results);
  uint32_t *site = reg(warp, frame->site);
  site[lane] = call->site;
  return true;
}

Step exec_leave(Warp *warp, const Inst *inst, uint32_t mask) {
  const FunctionFrame *frame = (const FunctionFrame *)(intptr_t)inst->imm;
  for (int lane = 0; lane < LANES; lane++) {
    if (in_mask(mask, lane) && !leave(warp, frame, lane))
      return report(warp, inst, lane, KIND_STACK_OVERFLOW, "out of memory");
  }
  return STEP_NEXT;
}

Step exec_frame_address(Warp *warp, const Inst *inst, uint32_t mask) {
  const uint32_t *base = reg(warp, inst->op[1]);
  for (int lane = 0; lane < LANES; lane++) {
    if (in_mask(mask, lane))
      lane_set(warp, inst->op[0], inst->reg_size, lane,
               base[lane] + (uint64_t)inst->imm);
  }
  return STEP_NEXT;
}
