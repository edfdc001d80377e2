// clock.c -- vector clocks: for each other thread, the time up to which a
// thread knows its accesses.
//
// A clock is a sorted list of spans: a span is SPAN_CTAS consecutive CTAs, each
// with the times of its warps, units and lanes.  Clocks share spans, and spans
// share times, so that a clock which differs little from another one needs
// little memory.
//
// For example, spans have 16 CTAs, and a thread of CTA 3 acquires a flag from
// CTA 70.  Its clock then has the spans of CTAs 0 to 15, with times of CTA 3,
// and of CTAs 64 to 79, with times of CTA 70; the second span is shared with
// the clock at the flag.
#include "runtime/simulator/order/clock.h"

#include <assert.h>
#include <string.h>

#include "runtime/simulator/order/times.h"

enum { MOST_CTAS = 1024, SPAN_CTAS = 16 };

typedef struct Span {
  uint32_t references, number; // of its first CTA, in spans
  uint32_t mask;               // the CTAs that are known, as bits
  uint32_t classes;            // of these, as bits
  Times *of[];                 // these alone
} Span;

// Clocks in the parts before CLOCK_PROXY_SHARED, which strong writes pass on,
// have parts from CLOCK_PROXY_SHARED on themselves: they also pass on the
// accesses behind proxy fences.  Clocks in other parts have no parts.
struct Clock {
  uint32_t references, num_threads; // num_threads is that of a CTA
  ClockUse *use;                    // NULL: it knows everything
  Clock **parts; // NULL, or CLOCK_NUM_PARTS, each of which may be NULL: nothing
  uint32_t num_spans, room;
  Span *spans[];
};

static Clock *everything(void) {
  static const Clock all = {.use = NULL};
  return (Clock *)(uintptr_t)&all;
}

// -- Memory ------------------------------------------------------------------

static uint32_t num_ctas(const Span *span) {
  return count_bits(span->mask);
}

// NULL: no access of that CTA is known.
static Times *span_at(const Span *span, uint32_t i) {
  const uint32_t bit = UINT32_C(1) << i;
  return span->mask & bit ? span->of[count_bits(span->mask & (bit - 1))] : NULL;
}

static Span *keep_span(Span *span) {
  __atomic_add_fetch(&span->references, 1, __ATOMIC_RELAXED);
  return span;
}

static void drop_span(ClockUse *use, Span *span) {
  if (!span || __atomic_sub_fetch(&span->references, 1, __ATOMIC_ACQ_REL))
    return;
  const uint32_t count = num_ctas(span);
  for (uint32_t i = 0; i < count; i++) times_drop(use, span->of[i]);
  clock_free(use, span, sizeof *span + count * sizeof *span->of);
}

Clock *clock_keep(Clock *clock) {
  if (!clock || clock == everything()) return clock;
  assert(__atomic_load_n(&clock->references, __ATOMIC_RELAXED)); // I1
  __atomic_add_fetch(&clock->references, 1, __ATOMIC_RELAXED);
  return clock;
}

static const size_t parts_bytes = CLOCK_NUM_PARTS * sizeof(Clock *);

static size_t bytes_of(uint32_t room) {
  return sizeof(Clock) + room * sizeof(Span *);
}

void clock_drop(Clock *clock) {
  if (!clock || clock == everything()) return;
  assert(__atomic_load_n(&clock->references, __ATOMIC_RELAXED)); // I1
  if (__atomic_sub_fetch(&clock->references, 1, __ATOMIC_ACQ_REL)) return;
  for (int i = 0; clock->parts && i < CLOCK_NUM_PARTS; i++)
    clock_drop(clock->parts[i]);
  if (clock->parts) clock_free(clock->use, clock->parts, parts_bytes);
  for (uint32_t i = 0; i < clock->num_spans; i++)
    drop_span(clock->use, clock->spans[i]);
  clock_free(clock->use, clock, bytes_of(clock->room));
}

// An empty clock, with room for `room` spans.
static Clock *create(ClockUse *use, uint32_t num_threads, uint32_t room) {
  Clock *clock = use ? clock_alloc(use, bytes_of(room)) : NULL;
  if (!clock) return everything();
  *clock = (Clock){
      .references = 1, .num_threads = num_threads, .use = use, .room = room};
  return clock;
}

// Sets a part, and takes ownership of the value; false: no memory.
static bool set_part(Clock *clock, ClockPart part, Clock *value) {
  if (!value && !clock->parts) return true;
  if (!clock->parts) {
    clock->parts = clock_alloc(clock->use, parts_bytes);
    if (clock->parts) memset(clock->parts, 0, parts_bytes);
  }
  if (!clock->parts) {
    clock_drop(value);
    return false;
  }
  clock_drop(clock->parts[part]);
  clock->parts[part] = value;
  return true;
}

static bool keep_parts(Clock *to, const Clock *from, int first) {
  bool has_memory = true;
  for (int i = first; from->parts && i < CLOCK_NUM_PARTS; i++)
    has_memory =
        set_part(to, (ClockPart)i, clock_keep(from->parts[i])) && has_memory;
  return has_memory;
}

static void append(Clock *clock, Span *span) {
  assert(clock->num_spans < clock->room &&
         (!clock->num_spans ||
          clock->spans[clock->num_spans - 1]->number < span->number)); // I3
  clock->spans[clock->num_spans++] = span;
}

// Takes ownership of the clock; one that is too large, or for which memory ran
// out, is replaced by the clock that knows everything.
static Clock *checked(Clock *clock, bool has_memory) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < clock->num_spans; i++)
    count += num_ctas(clock->spans[i]);
  if (has_memory && count <= MOST_CTAS) return clock;
  clock_drop(clock);
  return everything();
}

// -- Looking up --------------------------------------------------------------

// The index of the first span at or after that number.
static uint32_t find_span(const Clock *clock, uint32_t number) {
  uint32_t low = 0, high = clock->num_spans;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (clock->spans[middle]->number < number)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static Times *find(const Clock *clock, uint32_t cta) {
  const uint32_t number = cta / SPAN_CTAS, i = find_span(clock, number);
  return i < clock->num_spans && clock->spans[i]->number == number
             ? span_at(clock->spans[i], cta % SPAN_CTAS)
             : NULL;
}

uint32_t clock_warp_time(const Clock *clock, uint32_t cta, uint32_t warp) {
  if (!clock) return 0;
  if (clock == everything()) return UINT32_MAX;
  const Times *times = find(clock, cta);
  return times ? times_of_warp(times, warp) : 0;
}

bool clock_knows_any(const Clock *clock, uint32_t class) {
  if (!clock || clock == everything()) return clock;
  for (uint32_t i = 0; i < clock->num_spans; i++)
    if (clock->spans[i]->classes >> class & 1) return true;
  return false;
}

uint32_t clock_time(const Clock *clock, uint32_t cta, uint32_t thread) {
  if (!clock) return 0;
  if (clock == everything()) return UINT32_MAX;
  const Times *times = find(clock, cta);
  return times ? times_of_lane(times, thread) : 0;
}

uint32_t clock_unknown(const Clock *clock, uint32_t cta, uint32_t warp,
                       uint32_t time, uint32_t lanes) {
  if (!clock) return lanes;
  if (clock == everything()) return 0;
  const Times *times = find(clock, cta);
  return times ? times_unknown(times, warp, time, lanes) : lanes;
}

static bool span_covers(const Span *a, const Span *b) {
  if (a == b) return true;
  if (b->mask & ~a->mask) return false;
  for (uint32_t i = 0; i < SPAN_CTAS; i++)
    if (!times_cover(span_at(a, i), span_at(b, i))) return false;
  return true;
}

static bool covers_times(const Clock *a, const Clock *b) {
  if (!b || a == b || a == everything()) return true;
  if (!a || b == everything()) return false;
  for (uint32_t i = 0, j = 0; i < b->num_spans; i++, j++) {
    const uint32_t number = b->spans[i]->number;
    while (j < a->num_spans && a->spans[j]->number < number) j++;
    if (j == a->num_spans || a->spans[j]->number != number ||
        !span_covers(a->spans[j], b->spans[i]))
      return false;
  }
  return true;
}

// Whether `a` covers `b`, for the times and for the parts from `first` on.
static bool covers_from(const Clock *a, const Clock *b, int first) {
  if (!covers_times(a, b)) return false;
  if (!b || a == b || a == everything()) return true;
  for (int i = first; b->parts && i < CLOCK_NUM_PARTS; i++)
    if (!covers_from(a->parts ? a->parts[i] : NULL, b->parts[i], 0))
      return false;
  return true;
}

// -- Joining -----------------------------------------------------------------

// A new span with these times, of which it takes ownership; NULL: no memory.
static Span *make_span(ClockUse *use, uint32_t number,
                       Times *const taken[SPAN_CTAS]) {
  uint32_t mask = 0, classes = 0, at = 0;
  for (uint32_t i = 0; i < SPAN_CTAS; i++) {
    if (!taken[i]) continue;
    mask |= UINT32_C(1) << i;
    classes |= UINT32_C(1) << cta_class(number * SPAN_CTAS + i);
  }
  const size_t count = count_bits(mask);
  Span *span = clock_alloc(use, sizeof *span + count * sizeof *span->of);
  if (span) *span = (Span){1, number, mask, classes};
  for (uint32_t i = 0; i < SPAN_CTAS; i++) {
    if (!span)
      times_drop(use, taken[i]);
    else if (taken[i])
      span->of[at++] = taken[i];
  }
  return span;
}

// Whether the span may be coarsened: clocks have used too much memory, and a
// CTA that has ended is not known as a whole.
static bool is_reducible(const ClockUse *use, const Span *span) {
  if (!clock_use_is_full(use, CLOCKS_BY_CTA)) return false;
  for (uint32_t i = 0; i < SPAN_CTAS; i++)
    if (times_are_reducible(use, span_at(span, i))) return true;
  return false;
}

// The span, or a coarser one; NULL: no memory.
static Span *reduced(ClockUse *use, Span *span) {
  if (!is_reducible(use, span)) return keep_span(span);
  Times *of[SPAN_CTAS];
  for (uint32_t i = 0; i < SPAN_CTAS; i++) {
    Times *times = span_at(span, i);
    of[i] = times_are_reducible(use, times) ? times_all() : times_keep(times);
  }
  return make_span(use, span->number, of);
}

// A new reference; NULL: no memory.
static Span *join_spans(ClockUse *use, uint32_t num_threads, Span *a, Span *b) {
  if (span_covers(a, b)) return keep_span(a);
  if (span_covers(b, a)) return keep_span(b);
  Times *of[SPAN_CTAS];
  bool has_all = true;
  for (uint32_t i = 0; i < SPAN_CTAS; i++) {
    of[i] = times_join(use, num_threads, span_at(a, i), span_at(b, i));
    has_all = has_all && (of[i] || !((a->mask | b->mask) >> i & 1));
  }
  Span *span = make_span(use, a->number, of);
  if (has_all || !span) return span;
  drop_span(use, span);
  return NULL;
}

// Appends the spans of both, sorted; false: no memory.
static bool append_both(Clock *to, const Clock *a, const Clock *b) {
  uint32_t i = 0, j = 0;
  while (i < a->num_spans || j < b->num_spans) {
    Span *x = i < a->num_spans ? a->spans[i] : NULL;
    Span *y = j < b->num_spans ? b->spans[j] : NULL;
    if (x && y && x->number < y->number) y = NULL;
    if (x && y && y->number < x->number) x = NULL;
    i += x != NULL;
    j += y != NULL;
    Span *span = x && y ? join_spans(to->use, to->num_threads, x, y)
                        : reduced(to->use, x ? x : y);
    if (!span) return false;
    append(to, span);
  }
  return true;
}

Clock *clock_join(Clock *a, Clock *b) {
  if (!b || a == b || a == everything()) return clock_keep(a);
  if (!a || b == everything()) return clock_keep(b);
  if (covers_from(a, b, 0)) return clock_keep(a);
  if (covers_from(b, a, 0)) return clock_keep(b);
  assert(a->use == b->use && "clocks of different launches"); // I2
  Clock *both = create(a->use, a->num_threads, a->num_spans + b->num_spans);
  if (both == everything()) return both;
  bool has_memory = append_both(both, a, b);
  for (int i = 0; (a->parts || b->parts) && i < CLOCK_NUM_PARTS; i++) {
    const ClockPart part = (ClockPart)i;
    Clock *joined = clock_join(clock_part(a, part), clock_part(b, part));
    has_memory = set_part(both, part, joined) && has_memory;
  }
  return checked(both, has_memory);
}

// The span, or a new one if it is NULL, with other times of a CTA, of which it
// takes ownership.
static Span *span_with(ClockUse *use, const Span *span, Times *times) {
  Times *of[SPAN_CTAS] = {NULL};
  for (uint32_t i = 0; span && i < SPAN_CTAS; i++)
    of[i] = times_keep(span_at(span, i));
  Times **place = &of[times->cta % SPAN_CTAS];
  times_drop(use, *place);
  *place = times;
  return make_span(use, times->cta / SPAN_CTAS, of);
}

// The clock with other times of a CTA, of which it takes ownership; NULL: no
// memory.
static Clock *with_times(ClockUse *use, uint32_t num_threads, const Clock *a,
                         Times *times) {
  if (!times) return everything();
  const uint32_t number = times->cta / SPAN_CTAS, count = a ? a->num_spans : 0;
  const uint32_t at = a ? find_span(a, number) : 0;
  const bool has = at < count && a->spans[at]->number == number;
  Span *span = span_with(use, has ? a->spans[at] : NULL, times);
  Clock *result = create(use, num_threads, count + !has);
  if (!span || result == everything()) {
    drop_span(use, span);
    clock_drop(result);
    return everything();
  }
  bool has_memory = !a || keep_parts(result, a, 0);
  for (uint32_t i = 0; i <= count && has_memory; i++) {
    if (i == at) append(result, span);
    if (i == count || (i == at && has)) continue;
    Span *kept = reduced(use, a->spans[i]);
    if (kept) append(result, kept);
    has_memory = kept;
  }
  if (result->num_spans <= at) drop_span(use, span); // not appended
  return checked(result, has_memory);
}

Clock *clock_with(Clock *a, const ClockRow *row) {
  if (a == everything() || !row->use) return everything();
  Times *before = a ? find(a, row->cta) : NULL;
  Times *times = times_with_row(row->use, before, row);
  if (!times || times != before)
    return with_times(row->use, row->num_threads, a, times);
  times_drop(row->use, times);
  return clock_keep(a);
}

Clock *clock_with_lanes(Clock *a, uint32_t cta, uint32_t warp, uint32_t lanes,
                        uint32_t time) {
  if (!clock_unknown(a, cta, warp, time, lanes)) return clock_keep(a);
  return with_times(a->use, a->num_threads, a,
                    times_with_lanes(a->use, a->num_threads, find(a, cta), warp,
                                     lanes, time));
}

// -- Parts -------------------------------------------------------------------

Clock *clock_part(Clock *clock, ClockPart part) {
  if (!clock || clock == everything()) return clock;
  return clock->parts ? clock->parts[part] : NULL;
}

static Clock *copy_times(const Clock *clock) {
  Clock *copy = create(clock->use, clock->num_threads, clock->num_spans);
  for (uint32_t i = 0; copy != everything() && i < clock->num_spans; i++)
    append(copy, keep_span(clock->spans[i]));
  return copy;
}

// A clock with the same times and only the parts from `first` on.
static Clock *parts_from(Clock *clock, int first) {
  bool has_any = false;
  for (int i = 0; i < first && i < CLOCK_NUM_PARTS; i++)
    has_any = has_any || clock_part(clock, (ClockPart)i);
  if (!has_any || clock == everything()) return clock_keep(clock);
  Clock *copy = copy_times(clock);
  if (copy == everything()) return copy;
  return checked(copy, keep_parts(copy, clock, first));
}

Clock *clock_with_part(Clock *a, ClockPart part, Clock *more) {
  const bool is_seen = part == CLOCK_SEEN_CTA || part == CLOCK_SEEN_GPU;
  const int first =
      part < CLOCK_PROXY_SHARED ? CLOCK_PROXY_SHARED : CLOCK_NUM_PARTS;
  if (covers_from(clock_part(a, part), more, first) ||
      (is_seen && covers_from(a, more, first)))
    return clock_keep(a);
  if (!a && more == everything()) return more;
  Clock *result = a ? copy_times(a) : create(more->use, more->num_threads, 0);
  if (result == everything()) return result;
  bool has_memory = !a || keep_parts(result, a, 0);
  Clock *plain = parts_from(more, first);
  Clock *joined = clock_join(clock_part(a, part), plain);
  has_memory = set_part(result, part, joined) && has_memory;
  clock_drop(plain);
  return checked(result, has_memory);
}
