// proxy.c -- asynchronous operations, and the last ones that accessed each
// piece of shared memory.
//
// Each piece of ASYNC_BYTES of shared memory has the last operation that wrote
// it, and a list of the operations that have read it since; many pieces share
// the tail of a list.  An operation that a later one in the list knows to be
// over is left out: a lane that knows that the later one is over knows it of
// the earlier one, too.
//
// For example, operation 1 copies bytes 0 to 31 of shared memory to global
// memory, and operation 2, later, bytes 0 to 15.  The list of piece 0 is 2, 1,
// that of piece 1 is 1 alone.  If the lane has waited for operation 1 before it
// starts 2, the list of piece 0 is 2 alone.
#include "runtime/simulator/watch/proxy.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/simulator/history/race_page.h"
#include "runtime/simulator/order/ledger.h"
#include "runtime/simulator/state/report.h"
#include "runtime/simulator/watch/proxy_parts.h"
#include "runtime/simulator/watch/race.h"
#include "runtime/simulator/watch/shadow.h"

// -- Memory ------------------------------------------------------------------

static struct AsyncShadow *create_shadow(const Cta *cta) {
  const uint32_t piece =
      cta->launch->code->stores_async ? SMALL_ASYNC_BYTES : ASYNC_BYTES;
  const uint32_t count = cta->shared_end / piece + 1;
  struct AsyncShadow *shadow = malloc(sizeof *shadow);
  AsyncId *pieces = calloc(count, 2 * sizeof *pieces);
  if (!shadow || !pieces) {
    free(shadow);
    free(pieces);
    return NULL;
  }
  *shadow = (struct AsyncShadow){count, piece, pieces, pieces + count};
  return shadow;
}

static struct AsyncShadow *shadow_of(Cta *cta) {
  if (!cta->async_shadow) cta->async_shadow = create_shadow(cta);
  return cta->async_shadow;
}

struct Async *proxy_table(const Cta *cta) {
  return cta->cluster ? cta->cluster->ctas[0]->async : cta->async;
}

static struct Async *async_of(Cta *cta) {
  Cta *first = cluster_at(cta, 0);
  if (first->async) return first->async;
  first->async = calloc(1, sizeof *first->async);
  if (first->async) {
    first->async->cta = first;
    first->async->sweep_at = SWEEP_AFTER;
  }
  return first->async;
}

void async_reset(Cta *cta) {
  struct AsyncShadow *shadow = cta->async_shadow;
  memset(cta->unit_times, 0, sizeof cta->unit_times);
  if (shadow)
    memset(shadow->writers, 0, shadow->num_pieces * 2 * sizeof(AsyncId));
  if (!cta->async) return;
  for (uint32_t i = 1; i <= cta->async->num_ops; i++)
    clock_drop(cta->async->ops[i].clock);
  cta->async->num_ops = cta->async->num_readers = 0;
  cta->async->free_op = cta->async->free_reader = 0;
  cta->async->by = cta->async->reader = 0;
  memset(cta->async->stores, 0, sizeof cta->async->stores);
}

void async_destroy(Cta *cta) {
  async_reset(cta);
  if (cta->async_shadow) free(cta->async_shadow->writers);
  free(cta->async_shadow);
  if (cta->async) {
    free(cta->async->ops);
    free(cta->async->readers);
  }
  free(cta->async);
  cta->async = NULL;
  cta->async_shadow = NULL;
}

// The array with room for one more element behind `count` places and place 0,
// which means none; NULL: no memory, and the array is unchanged.
static void *with_room(void *array, uint32_t count, uint32_t *room,
                       size_t size) {
  if (count + 1 < *room) return array;
  const uint32_t more = *room ? 2 * *room : 64;
  void *bigger = realloc(array, more * size);
  if (bigger) *room = more;
  return bigger;
}

// -- Starting ----------------------------------------------------------------

static AsyncId take_op(struct Async *async) {
  AsyncId id = async->free_op;
  if (id) {
    async->free_op = async->ops[id].next_free;
    return id;
  }
  Operation *ops =
      with_room(async->ops, async->num_ops, &async->room_ops, sizeof *ops);
  if (!ops) return 0;
  async->ops = ops;
  return ++async->num_ops;
}

AsyncId async_begin(Warp *warp, const Inst *inst, int lane) {
  struct Async *async = async_of(warp->cta);
  if (!async) return 0;
  if (++async->taken > async->sweep_at) proxy_sweep(async);
  const AsyncId id = take_op(async);
  if (id)
    async->ops[id] =
        (Operation){.warp = warp, .inst = inst, .lane = (uint8_t)lane};
  return id;
}

AsyncId async_begin_group(Warp *warp, const Inst *inst) {
  const AsyncId id = async_begin(warp, inst, 0);
  if (id) proxy_table(warp->cta)->ops[id].is_group = true;
  return id;
}

void async_joins(Warp *warp, AsyncId id) {
  Operation *op = &proxy_table(warp->cta)->ops[id];
  assert(op->is_group &&
         warp->index / MOST_WAITS == op->warp->index / MOST_WAITS); // I9
  op->came |= (uint8_t)(1 << warp->index % MOST_WAITS);
}

bool async_is_overtaken(const Cta *cta, AsyncId id) {
  return proxy_table(cta)->ops[id].is_overtaken;
}

// The unit of the mbarrier's copies; some mbarriers share one if there are too
// many.
static uint32_t unit_of(Cta *cta, Book *book) {
  if (!book->unit) book->unit = 1 + cta->num_units_used++ % NUM_UNITS;
  return book->unit - 1;
}

AsyncId async_begin_at(Warp *warp, const Inst *inst, int lane, Cta *at,
                       uint32_t offset, uint32_t bytes) {
  Book *book = ledger_book(at, offset);
  const AsyncId id = book ? async_begin(warp, inst, lane) : 0;
  if (!id) return 0;
  Operation *op = &proxy_table(warp->cta)->ops[id];
  op->at = at;
  op->mbarrier = offset;
  op->bytes = bytes;
  op->unit = unit_of(at, book);
  op->epoch = book->epoch;
  op->clock = order_start_operation(warp, lane);
  book->num_under_way++;
  return id;
}

void async_reduces(Cta *cta, AsyncId id) {
  proxy_table(cta)->ops[id].reduces = true;
}

// The slot of the cache of operations that a store may continue, by the number
// of its instruction, its mbarrier, and its warp.
static AsyncId *store_place(struct Async *async, const Warp *warp,
                            const Inst *inst, const Cta *at, uint32_t offset) {
  const uint32_t number = (uint32_t)(inst - warp->cta->launch->code->insts);
  const uint32_t of_ctas = 5 * at->rank + 3 * warp->cta->rank;
  return &async->stores[(number + offset / 8 + warp->index + of_ctas) %
                        RECENT_STORES];
}

// Whether the store continues the operation: it is by another lane, or later.
static bool goes_on(Operation *op, Warp *warp, const Inst *inst, int lane,
                    Cta *at, uint32_t offset) {
  Book *book = ledger_book(at, offset);
  if (op->is_free || !op->is_generic || op->warp != warp || op->inst != inst ||
      op->at != at || op->mbarrier != offset || !book ||
      op->epoch != book->epoch)
    return false;
  Clock *now = order_start_operation(warp, lane);
  Clock *all = clock_join(op->clock, now);
  clock_drop(now);
  clock_drop(op->clock);
  op->clock = all;
  op->lane = (uint8_t)lane;
  book->num_under_way += op->is_over;
  op->is_over = false;
  return true;
}

AsyncId async_store_at(Warp *warp, const Inst *inst, int lane, Cta *at,
                       uint32_t offset, uint32_t bytes, bool reduces) {
  struct Async *async = async_of(warp->cta);
  if (!async) return 0;
  AsyncId *place = store_place(async, warp, inst, at, offset);
  if (*place && goes_on(&async->ops[*place], warp, inst, lane, at, offset)) {
    async->ops[*place].bytes += bytes;
    return *place;
  }
  *place = async_begin_at(warp, inst, lane, at, offset, bytes);
  if (!*place) return 0;
  async->ops[*place].is_generic = true;
  async->ops[*place].reduces = reduces;
  return *place;
}

AsyncStart async_start(const Cta *cta, AsyncId id) {
  const Operation *op = &proxy_table(cta)->ops[id];
  assert(!op->is_free && "the operation is forgotten"); // I4
  return (AsyncStart){op->warp, op->inst, op->lane, op->at, op->mbarrier};
}

// -- Ending ------------------------------------------------------------------

void async_awaited(Warp *warp, AsyncId id, uint32_t lanes) {
  Operation *op = &proxy_table(warp->cta)->ops[id];
  assert(!op->at && !op->is_free && "an mbarrier tells that it is over"); // I8
  op->is_over = true;
  for (int i = 0; i < op->num_waits; i++)
    if (op->waits[i].warp == warp->index) return;
  if (op->num_waits == MOST_WAITS) return;
  op->waits[op->num_waits++] = (Wait){warp->now, lanes, (uint8_t)warp->index};
}

// Leaves the unit's clock, and the operation's own, at the mbarrier, as
// arrivals do.
static void leave(Operation *op) {
  Cta *at = op->at;
  uint32_t times[MAX_ACTORS] = {0};
  op->time = ++at->unit_times[op->unit];
  times[at->num_warps + op->unit] = op->time;
  const ClockRow row = order_row(at, times);
  Clock *clock = clock_with(op->clock, &row);
  shadow_mbarrier_left(at, op->mbarrier, clock);
  clock_drop(clock);
  clock_drop(op->clock);
  op->clock = NULL;
}

void async_came(Cta *cta, AsyncId id, uint32_t bytes) {
  Operation *op = &proxy_table(cta)->ops[id];
  Book *book = ledger_book(op->at, op->mbarrier);
  assert(op->bytes >= bytes && "more bytes come than were told"); // I2
  op->bytes -= bytes;
  if (op->bytes) return;
  assert((!book || book->num_under_way) && "a copy that never began"); // I3
  if (book) book->num_under_way--;
  op->is_over = true;
  leave(op);
}

// -- Knowing -----------------------------------------------------------------

static bool knows_unit(const Warp *warp, int lane, const Operation *op) {
  const Cta *at = op->at;
  const uint32_t actor = at->num_warps + op->unit;
  if (warp->cta == at && at->clocks[warp->index][actor] >= op->time)
    return true;
  return clock_warp_time(warp->known, at->linear, actor) >= op->time ||
         clock_warp_time(order_known_alone(warp, lane), at->linear, actor) >=
             op->time;
}

static bool knows_wait(const Warp *warp, int lane, const Operation *op,
                       const Wait *wait) {
  const Past past = {op->warp->cta->linear, wait->time,
                     pack_what(0, wait->warp, REACH_NONE), wait->lanes};
  return past_unknown(&past, warp, lane) != wait->lanes;
}

static bool knows(const Warp *warp, int lane, const Operation *op) {
  if (!op->is_over) return false;
  if (op->at) return knows_unit(warp, lane, op);
  for (int i = 0; i < op->num_waits; i++)
    if (knows_wait(warp, lane, op, &op->waits[i])) return true;
  return false;
}

// -- Touching ----------------------------------------------------------------

enum { MOST_ASKED = 16 };

// A cache of the writer and of the lists of readers that the lane was asked
// about, so that the pieces of a tile, which products have read line by line,
// mostly ask nothing.
typedef struct AskedOperation {
  AsyncId writer;
  uint32_t readers[MOST_ASKED]; // each at its number % MOST_ASKED
} AskedOperation;

static uint32_t byte_of(const Touch *touch, uint32_t piece) {
  const uint32_t at = piece * touch->cta->async_shadow->piece;
  return at < touch->offset ? touch->offset : at;
}

static void check_writer(const Touch *touch, uint32_t piece, AsyncId own,
                         AskedOperation *asked) {
  const AsyncId id = touch->cta->async_shadow->writers[piece];
  if (id == asked->writer) return;
  asked->writer = id;
  if (!id || id == own) return;
  const Operation *op = &proxy_table(touch->cta)->ops[id];
  if (touch->reduces && op->reduces) return;
  if (!knows(touch->warp, touch->lane, op))
    proxy_report_unawaited(touch, byte_of(touch, piece), op);
}

// Whether the warp of the access belongs to the operation's group, and has not
// reached the operation yet.
static bool is_to_come(const Touch *touch, const Operation *op) {
  const Warp *warp = touch->warp;
  return op->is_group && warp->cta == op->warp->cta &&
         warp->index / MOST_WAITS == op->warp->index / MOST_WAITS &&
         !(op->came >> warp->index % MOST_WAITS & 1);
}

static void check_readers(const Touch *touch, uint32_t piece, AsyncId own,
                          AskedOperation *asked) {
  struct Async *async = proxy_table(touch->cta);
  uint32_t list = touch->cta->async_shadow->readers[piece];
  if (list == asked->readers[list % MOST_ASKED]) return;
  asked->readers[list % MOST_ASKED] = list;
  for (; list; list = async->readers[list].next) {
    const AsyncId id = async->readers[list].op;
    Operation *op = &async->ops[id];
    if (id == own || knows(touch->warp, touch->lane, op)) continue;
    if (is_to_come(touch, op))
      op->is_overtaken = true;
    else
      proxy_report_reuse(touch, byte_of(touch, piece), op);
  }
}

static void check_pieces(const Touch *touch, AsyncId own) {
  if (!touch->cta->async_shadow) return;
  AskedOperation asked = {0, {0}};
  const uint32_t piece = touch->cta->async_shadow->piece;
  const uint32_t last = (touch->offset + touch->size - 1) / piece;
  for (uint32_t i = touch->offset / piece; i <= last; i++) {
    check_writer(touch, i, own, &asked);
    if (touch->is_write) check_readers(touch, i, own, &asked);
  }
}

void async_check(const RaceAccess *now, bool is_write) {
  const Touch touch = {.warp = now->warp,
                       .inst = now->inst,
                       .lane = now->lane,
                       .cta = now->home,
                       .offset = (uint32_t)now->offset,
                       .size = now->size,
                       .is_write = is_write,
                       .is_generic = true};
  check_pieces(&touch, 0);
}

void async_raise_times(const Cta *cta, uint32_t offset, uint32_t size,
                       AsyncId *last, uint32_t *times) {
  const struct AsyncShadow *shadow = cta->async_shadow;
  const uint32_t end = offset + size;
  for (; shadow && offset < end; offset += shadow->piece) {
    const AsyncId id = shadow->writers[offset / shadow->piece];
    if (!id || id == *last) continue;
    const Operation *op = &proxy_table(cta)->ops[ *last = id];
    if (op->at != cta || !op->is_over) continue;
    uint32_t *time = &times[cta->num_warps + op->unit];
    if (op->time > *time) *time = op->time;
  }
}

// Whether the bytes that the operation accesses are checked.
static bool begin_touch(Cta *cta, AsyncId id, Touch *touch) {
  const Operation *op = &proxy_table(cta)->ops[id];
  if (!touch->size || !(cta->launch->checks & CHECK_SHARED)) return false;
  touch->warp = op->warp;
  touch->inst = op->inst;
  touch->lane = op->lane;
  touch->is_generic = op->is_generic;
  touch->reduces = op->reduces;
  if (op->reduces)
    shadow_async_touch(touch->cta, touch->warp, touch->inst, touch->lane,
                       touch->offset, touch->size, false);
  shadow_async_touch(touch->cta, touch->warp, touch->inst, touch->lane,
                     touch->offset, touch->size, touch->is_write);
  if (!(cta->launch->checks & CHECK_RACES) || !shadow_of(cta)) return false;
  // Stores of one operation are in no order.
  check_pieces(touch, touch->is_generic ? 0 : id);
  proxy_check_cells(touch);
  return true;
}

void async_writes(Cta *cta, AsyncId id, uint32_t offset, uint32_t bytes) {
  Touch touch = {.cta = cta, .offset = offset, .size = bytes, .is_write = true};
  if (!begin_touch(cta, id, &touch)) return;
  const uint32_t piece = cta->async_shadow->piece;
  const uint32_t first = offset / piece, count = (bytes + piece - 1) / piece;
  for (uint32_t i = first; i < first + count; i++)
    cta->async_shadow->writers[i] = id;
  memset(cta->async_shadow->readers + first, 0, count * sizeof(uint32_t));
}

// -- Lists of readers --------------------------------------------------------

static uint32_t add_reader(struct Async *async, AsyncId op, uint32_t next) {
  uint32_t place = async->free_reader;
  if (place) {
    async->free_reader = async->readers[place].next;
  } else {
    Reader *readers = with_room(async->readers, async->num_readers,
                                &async->room_readers, sizeof *readers);
    if (!readers) return next;
    async->readers = readers;
    place = ++async->num_readers;
  }
  async->taken++;
  async->readers[place] = (Reader){op, next};
  return place;
}

// The readers in the list that the operation does not know to be over.
static uint32_t unknown_of(struct Async *async, const Operation *op,
                           uint32_t list) {
  if (!list) return 0;
  const Reader reader = async->readers[list];
  const uint32_t rest = unknown_of(async, op, reader.next);
  if (knows(op->warp, op->lane, &async->ops[reader.op])) return rest;
  return rest == reader.next ? list : add_reader(async, reader.op, rest);
}

static uint32_t with_reader(struct Async *async, AsyncId id, uint32_t list) {
  if (list && async->readers[list].op == id) return list;
  if (async->by == id && async->before == list) return async->after;
  const uint32_t rest = unknown_of(async, &async->ops[id], list);
  async->by = id;
  async->before = list;
  async->after = add_reader(async, id, rest);
  return async->after;
}

// Whether all the bytes are written, and no thread's write of them is
// remembered.
static bool is_plain(const Cta *cta, uint32_t offset) {
  const uint64_t all_written = UINT64_C(0x0101010101010101) * SHARED_WRITTEN;
  const RacePage *page = &cta->pages[offset / RACE_PAGE_BYTES];
  uint64_t state[ASYNC_BYTES / 8];
  memcpy(state, cta->shared_state + offset, sizeof state);
  return state[0] == all_written && state[1] == all_written &&
         (page->stamp != cta->stamp || !page_has_writes(page));
}

// A product reads a matrix piece by piece, mostly each in the same way as the
// last.
static bool reads_alike(Cta *cta, struct Async *async, AsyncId id,
                        uint32_t offset) {
  const struct AsyncShadow *shadow = cta->async_shadow;
  const uint32_t i = offset / ASYNC_BYTES;
  if (async->reader != id || async->by != id || shadow->piece != ASYNC_BYTES ||
      shadow->writers[i] != async->writer ||
      shadow->readers[i] != async->before || !is_plain(cta, offset))
    return false;
  shadow->readers[i] = async->after;
  return true;
}

bool async_reads(Cta *cta, AsyncId id, uint32_t offset, uint32_t bytes) {
  struct Async *async = proxy_table(cta);
  assert(id && id <= async->num_ops && "no such operation"); // I4
  while (bytes >= ASYNC_BYTES && cta->async_shadow &&
         reads_alike(cta, async, id, offset)) {
    offset += ASYNC_BYTES;
    bytes -= ASYNC_BYTES;
  }
  if (!bytes) return true;
  Touch touch = {.cta = cta, .offset = offset, .size = bytes};
  if (!begin_touch(cta, id, &touch)) return false;
  const uint32_t piece = cta->async_shadow->piece;
  const uint32_t first = offset / piece, count = (bytes + piece - 1) / piece;
  for (uint32_t i = first; i < first + count; i++) {
    uint32_t *readers = &cta->async_shadow->readers[i];
    *readers = with_reader(async, id, *readers);
  }
  async->reader = id;
  async->writer = cta->async_shadow->writers[first];
  return false;
}
