// proxy_report.c -- reports of operations that no warp has awaited, and of
// operations that are under way.
#include <stdio.h>
#include <string.h>

#include "runtime/simulator/order/ledger.h"
#include "runtime/simulator/order/order.h"
#include "runtime/simulator/state/report.h"
#include "runtime/simulator/watch/proxy_parts.h"

const char *proxy_name(const Inst *inst) {
  static const char *const names[][2] = {
      {"wgmma", "wgmma"}, {"st", "st.async"}, {"red", "red.async"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(inst->stmt->name, names[i][0]) == 0) return names[i][1];
  return "a bulk copy";
}

static const char *touch_name(const Touch *touch) {
  return touch->is_write ? "write" : "read";
}

static const char *result_of(const Question *asked) {
  if (!asked->is_over) return "in vain,";
  return asked->inst->order == WORD_RELAXED
             ? "which was over, but the wait is relaxed,"
             : "which was over,";
}

// Writes how the warp has tested the mbarrier.
static void describe_question(const Touch *touch, const Operation *op,
                              char *out, size_t room) {
  const Warp *warp = touch->warp;
  const Book *book = ledger_book(op->at, op->mbarrier);
  const Question *asked = book && warp->cta == op->at
                              ? &book->questions[warp->index]
                              : &(Question){.inst = NULL};
  char place[400] = "";
  int used = snprintf(out, room, "the mbarrier at byte %u is in phase %u",
                      op->mbarrier, book ? book->phase : 0);
  if (used < 0 || (size_t)used >= room) return;
  out += used;
  room -= (size_t)used;
  if (!asked->inst) {
    snprintf(out, room, ", for which warp %u has not waited", warp->index);
    return;
  }
  report_place(warp->cta->launch, asked->inst, place, sizeof place);
  snprintf(out, room, ", and warp %u has last waited for parity %u, %s at %s",
           warp->index, asked->parity, result_of(asked), place);
}

// Writes which warp has waited for the operation, if any.
static void describe_wait(const Operation *op, char *out, size_t room) {
  if (op->at)
    snprintf(out, room,
             "nothing tells warp %u that the mbarrier at byte %u has its bytes",
             op->warp->index, op->mbarrier);
  else if (op->num_waits)
    snprintf(out, room, "nothing orders this behind the wait of warp %u",
             op->waits[0].warp);
  else
    snprintf(out, room, "warp %u, which started it, has not waited for it",
             op->warp->index);
}

void proxy_report_unawaited(const Touch *touch, uint32_t at,
                            const Operation *before) {
  const Launch *launch = touch->warp->cta->launch;
  char place[400], how[600];
  if (report_is_moot(launch, KIND_UNAWAITED, touch->inst)) return;
  report_place(launch, before->inst, place, sizeof place);
  if (before->at)
    describe_question(touch, before, how, sizeof how);
  else
    describe_wait(before, how, sizeof how);
  report(touch->warp, touch->inst, touch->lane, KIND_UNAWAITED,
         "%s of byte %u of shared memory, which %s writes, by warp %u at %s: "
         "%s",
         touch_name(touch), at, proxy_name(before->inst), before->warp->index,
         place, how);
}

void proxy_report_reuse(const Touch *touch, uint32_t at,
                        const Operation *before) {
  const Launch *launch = touch->warp->cta->launch;
  char place[400], how[200];
  if (report_is_moot(launch, KIND_ASYNC_REUSE, touch->inst)) return;
  report_place(launch, before->inst, place, sizeof place);
  describe_wait(before, how, sizeof how);
  report(touch->warp, touch->inst, touch->lane, KIND_ASYNC_REUSE,
         "write of byte %u of shared memory, which %s may still be reading, by "
         "warp %u at %s: %s",
         at, proxy_name(before->inst), before->warp->index, place, how);
}

// -- Ends of CTAs ------------------------------------------------------------

static bool is_known(const Operation *op, const Clock *known) {
  if (!op->is_over) return false;
  if (op->at)
    return clock_warp_time(known, op->at->linear,
                           op->at->num_warps + op->unit) >= op->time;
  for (int i = 0; i < op->num_waits; i++) {
    const Wait *wait = &op->waits[i];
    if (clock_unknown(known, op->warp->cta->linear, wait->warp, wait->time,
                      wait->lanes) != wait->lanes)
      return true;
  }
  return false;
}

void async_each_unknown(Cta *cta, const Clock *known, AsyncTell tell) {
  const struct AsyncShadow *shadow = cta->async_shadow;
  AsyncId last = 0;
  for (uint32_t i = 0; shadow && i < shadow->num_pieces; i++) {
    const AsyncId id = shadow->writers[i];
    if (!id || id == last) continue;
    last = id;
    const Operation *op = &proxy_table(cta)->ops[id];
    const AsyncStart start = async_start(cta, id);
    if (op->warp->cta != cta && !is_known(op, known))
      tell(cta, &start, i * shadow->piece);
  }
}

// -- Telling -----------------------------------------------------------------

bool async_describe(const Cta *cta, uint32_t offset, char *out, size_t room) {
  const struct Async *async = proxy_table(cta);
  for (uint32_t i = 1; async && i <= async->num_ops; i++) {
    const Operation *op = &async->ops[i];
    if (op->is_free || op->is_over || op->at != cta || op->mbarrier != offset)
      continue;
    char place[400];
    report_place(cta->launch, op->inst, place, sizeof place);
    snprintf(out, room, "%s of %u bytes, by warp %u, lane %u at %s,",
             proxy_name(op->inst), op->bytes, op->warp->index, op->lane, place);
    return true;
  }
  return false;
}
