// shadow.c -- what the checks know of each byte of shared memory.
//
// Races are found by happens-before: every warp has a vector clock, a barrier
// joins the clocks of those who come, and an access that the other's clock does
// not cover is unordered.  Lanes of one warp are ordered by its .sync
// instructions.  A word of four bytes remembers its last write and its last
// two readers.
#include "runtime/simulator/shadow.h"

#include <string.h>

#include "runtime/simulator/report.h"

enum { WORD_BYTES = 4, ALL_BYTES = 15 };

typedef struct {
  const Warp *warp;
  const Inst *inst;
  int lane;
} Access;

// -- Clocks ------------------------------------------------------------------

static void join(uint32_t to[MAX_WARPS], const uint32_t from[MAX_WARPS]) {
  for (int i = 0; i < MAX_WARPS; i++)
    if (from[i] > to[i]) to[i] = from[i];
}

void shadow_start(Cta *cta) {
  const size_t words = cta->shared_size / WORD_BYTES + 1;
  memset(cta->cells, 0, words * sizeof *cta->cells);
  memset(cta->clocks, 0, sizeof cta->clocks);
  memset(cta->barrier_clocks, 0, sizeof cta->barrier_clocks);
  cta->num_sync_words = 0;
  for (uint32_t i = 0; i < cta->num_warps; i++) cta->clocks[i][i] = 1;
  memset(cta->fence_clocks, 0, sizeof cta->fence_clocks);
}

void shadow_arrive(Warp *warp, int barrier) {
  Cta *cta = warp->cta;
  join(cta->barrier_clocks[barrier], cta->clocks[warp->index]);
  cta->clocks[warp->index][warp->index]++;
}

void shadow_leave(Warp *warp, int barrier) {
  join(warp->cta->clocks[warp->index], warp->cta->barrier_clocks[barrier]);
  warp->sync++;
}

void shadow_barrier_done(Cta *cta, int barrier) {
  memset(cta->barrier_clocks[barrier], 0, sizeof cta->barrier_clocks[barrier]);
}

// A fence before an atomic or volatile write publishes what came before it.
void shadow_fence(Warp *warp) {
  uint32_t *own = warp->cta->clocks[warp->index];
  memcpy(warp->cta->fence_clocks[warp->index], own,
         sizeof(uint32_t[MAX_WARPS]));
  own[warp->index]++;
}

static SyncWord *find_sync_word(Cta *cta, uint32_t offset, bool add) {
  for (int i = 0; i < cta->num_sync_words; i++) {
    if (cta->sync_words[i].offset == offset) return &cta->sync_words[i];
  }
  if (!add || cta->num_sync_words == MAX_SYNC_WORDS) return NULL;
  SyncWord *word = &cta->sync_words[cta->num_sync_words++];
  *word = (SyncWord){.offset = offset};
  return word;
}

static void synchronise(const Warp *warp, uint32_t offset, bool writes) {
  Cta *cta = warp->cta;
  const SyncWord *read = find_sync_word(cta, offset, false);
  if (read) join(cta->clocks[warp->index], read->clock);
  const uint32_t *fence = cta->fence_clocks[warp->index];
  if (!writes || !fence[warp->index]) return;
  SyncWord *word = find_sync_word(cta, offset, true);
  if (word) join(word->clock, fence);
}

// -- Races -------------------------------------------------------------------

static bool is_unordered(const ShadowAccess *before, const Access *now,
                         uint32_t bytes) {
  if (!before->inst || !(before->bytes & bytes)) return false;
  const uint32_t other = before->thread / LANES;
  const Warp *warp = now->warp;
  if (other == warp->index)
    return before->thread % LANES != now->lane && before->sync == warp->sync;
  return warp->cta->clocks[warp->index][other] < before->clock;
}

static void report_race(const ShadowAccess *before, const Access *now,
                        uint32_t offset, Kind kind, const char *what) {
  report(now->warp, now->inst, now->lane, kind,
         "%s byte %u of shared memory, by warp %u, lane %u at PTX:%u", what,
         offset, before->thread / LANES, before->thread % LANES,
         before->inst->line);
}

static ShadowAccess make_access(const Access *now, uint32_t bytes) {
  const Warp *warp = now->warp;
  return (ShadowAccess){
      .inst = now->inst,
      .clock = warp->cta->clocks[warp->index][warp->index],
      .sync = warp->sync,
      .thread = (uint16_t)(warp->index * LANES + (uint32_t)now->lane),
      .bytes = (uint8_t)bytes};
}

static bool is_sync_access(const Inst *inst) {
  return inst->order != WORD_NONE && inst->order != WORD_WEAK;
}

static void read_word(ShadowCell *cell, const Access *now, uint32_t offset,
                      uint32_t bytes, bool strong) {
  const bool both_strong = strong && cell->strong;
  if (!both_strong && is_unordered(&cell->write, now, bytes))
    report_race(&cell->write, now, offset, KIND_RACE,
                "a read races with a write of");
  const int slot =
      cell->reads[0].inst && cell->reads[0].thread / LANES != now->warp->index;
  cell->reads[slot] = make_access(now, bytes);
}

// A race of one kind at a word is told once: the write is forgotten.
static void write_word(ShadowCell *cell, const Access *now, uint32_t offset,
                       uint32_t bytes, bool same, bool strong) {
  const ShadowAccess *last = &cell->write;
  const bool one_store = last->inst == now->inst &&
                         last->thread / LANES == now->warp->index && same;
  if (!(strong && cell->strong) && !one_store && is_unordered(last, now, bytes))
    report_race(last, now, offset, same ? KIND_RACE_SAME_VALUE : KIND_RACE,
                same ? "two writes of the same value race at"
                     : "two writes race at");
  for (int i = 0; i < 2; i++) {
    if (!(strong && cell->strong_reads) &&
        is_unordered(&cell->reads[i], now, bytes) && !same)
      report_race(&cell->reads[i], now, offset, KIND_RACE,
                  "a write races with a read of");
    cell->reads[i].inst = NULL;
  }
  cell->write = make_access(now, bytes);
  cell->strong = strong;
}

typedef struct {
  uint32_t word, offset, bytes;
} Span;

// The words that [offset, offset + size) touches; false after the last.
static bool next_span(uint32_t offset, uint32_t size, Span *span) {
  span->word = span->bytes ? span->word + 1 : offset / WORD_BYTES;
  const uint32_t start = span->word * WORD_BYTES;
  if (start >= offset + size) return false;
  const uint32_t from = start > offset ? start : offset;
  const uint32_t rest = offset + size - from, room = start + WORD_BYTES - from;
  const uint32_t count = rest < room ? rest : room;
  span->offset = from;
  span->bytes = ((1u << count) - 1) << (from - start);
  return true;
}

static void check_reads(Warp *warp, const Inst *inst, int lane, uint32_t offset,
                        uint32_t size) {
  const Access now = {warp, inst, lane};
  const bool strong = is_sync_access(inst);
  if (strong) synchronise(warp, offset, false);
  for (Span span = {0}; next_span(offset, size, &span);) {
    ShadowCell *cell = &warp->cta->cells[span.word];
    read_word(cell, &now, span.offset, span.bytes, strong);
    cell->strong_reads = strong;
  }
}

static void check_writes(Warp *warp, const Inst *inst, int lane,
                         uint32_t offset, uint32_t size, const uint8_t *bytes) {
  const Access now = {warp, inst, lane};
  const bool strong = is_sync_access(inst);
  const uint8_t *old = warp->cta->shared;
  if (strong) synchronise(warp, offset, true);
  for (Span span = {0}; next_span(offset, size, &span);) {
    const uint32_t count = (uint32_t)__builtin_popcount(span.bytes);
    const bool same = bytes && !memcmp(old + span.offset,
                                       bytes + (span.offset - offset), count);
    write_word(&warp->cta->cells[span.word], &now, span.offset, span.bytes,
               same, strong);
  }
}

// -- Accesses ----------------------------------------------------------------

void shadow_read(Warp *warp, const Inst *inst, int lane, uint64_t offset,
                 uint32_t size) {
  const uint8_t *state = warp->cta->shared_state + offset;
  check_reads(warp, inst, lane, (uint32_t)offset, size);
  for (uint32_t i = 0; i < size; i++) {
    if (state[i] == SHARED_WRITTEN) continue;
    const bool pending = state[i] == SHARED_PENDING;
    report(warp, inst, lane, pending ? KIND_ASYNC_READ : KIND_UNINITIALISED,
           "read of %u bytes at byte %llu of shared memory%s", size,
           (unsigned long long)offset,
           pending ? ", which cp.async is filling" : "");
    return;
  }
}

static void report_pending(Warp *warp, const Inst *inst, int lane,
                           uint64_t offset, uint32_t size) {
  const uint8_t *state = warp->cta->shared_state + offset;
  if (!memchr(state, SHARED_PENDING, size)) return;
  report(warp, inst, lane, KIND_ASYNC_WRITE,
         "write of %u bytes at byte %llu of shared memory, which cp.async is "
         "filling",
         size, (unsigned long long)offset);
}

void shadow_write(Warp *warp, const Inst *inst, int lane, uint64_t offset,
                  uint32_t size, const uint8_t *bytes) {
  check_writes(warp, inst, lane, (uint32_t)offset, size, bytes);
  report_pending(warp, inst, lane, offset, size);
  memset(warp->cta->shared_state + offset, SHARED_WRITTEN, size);
}

// Atomics never race with each other.
void shadow_atomic(Warp *warp, const Inst *inst, int lane, uint64_t offset,
                   uint32_t size) {
  const Access now = {warp, inst, lane};
  ShadowCell *cell = &warp->cta->cells[offset / WORD_BYTES];
  synchronise(warp, (uint32_t)offset, true);
  for (uint32_t i = 0; i < (size + WORD_BYTES - 1) / WORD_BYTES; i++)
    write_word(&cell[i], &now, (uint32_t)offset, ALL_BYTES, false, true);
  if (memchr(warp->cta->shared_state + offset, SHARED_UNWRITTEN, size))
    report(warp, inst, lane, KIND_UNINITIALISED,
           "atomic on %u bytes at byte %llu of shared memory", size,
           (unsigned long long)offset);
  memset(warp->cta->shared_state + offset, SHARED_WRITTEN, size);
}

// The copy may write from now on.
void shadow_async(Warp *warp, const Inst *inst, int lane, uint64_t offset,
                  uint32_t size) {
  report_pending(warp, inst, lane, offset, size);
  check_writes(warp, inst, lane, (uint32_t)offset, size, NULL);
  memset(warp->cta->shared_state + offset, SHARED_PENDING, size);
}

// It is ordered like a write at the wait.
void shadow_arrived(Warp *warp, const Inst *inst, int lane, uint64_t offset,
                    uint32_t size) {
  const Access now = {warp, inst, lane};
  memset(warp->cta->shared_state + offset, SHARED_WRITTEN, size);
  for (Span span = {0}; next_span((uint32_t)offset, size, &span);)
    warp->cta->cells[span.word].write = make_access(&now, span.bytes);
}

// Arriving publishes what came before, waiting takes it.
void shadow_mbarrier(Warp *warp, uint32_t offset, uint32_t size) {
  shadow_fence(warp);
  synchronise(warp, offset, true);
  memset(warp->cta->shared_state + offset, SHARED_WRITTEN, size);
}
