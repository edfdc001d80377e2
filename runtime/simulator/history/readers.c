// readers.c -- accesses of a page that its cells have no place for.
//
// A set has CTAs that touched a place alike: `count` of them, each `stride`
// behind the one before.  The CTA that came last has sets of its own, which are
// open: their blocks may be changed.  When another comes they are closed, their
// blocks shared, and its CTA joins a set that has the same block and moment.
// Where all moments are taken, there is another Readers before the full one.
#include "runtime/simulator/history/readers.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/simulator/history/marks.h"

// SEARCHED: the number of last sets among which a CTA, or a set for it, is
// looked for.
enum { FIRST_ROOM = 8, SEARCHED = 4096 };
enum { PLACE_WORDS = PAGE_CELLS / NUM_PLACES };
#define NO_CTA UINT32_MAX

typedef struct Set {
  uint32_t first;         // CTA
  uint32_t next;          // of those that are open, or free; 0: none
  uint16_t stride, count; // count 0: the set is free
  uint16_t block, owners; // see marks.h
  uint8_t place;
} Set;

// Sets are counted from 1.
struct Readers {
  Readers *next; // full; NULL: none
  Marks marks;
  Set *sets;
  uint32_t count, room, free_set;
  uint32_t last, highest;    // CTAs; `highest` is above all that have come
  bool is_new;               // the last one, which no set has
  uint32_t open[NUM_PLACES]; // sets of the last CTA; 0: none
  uint32_t opened, looked_at;
  uint64_t any[PAGE_CELLS / 64]; // words of which a set may have a cell
};

void readers_destroy(Readers *readers) {
  while (readers) {
    Readers *next = readers->next;
    marks_destroy(&readers->marks);
    free(readers->sets);
    free(readers);
    readers = next;
  }
}

static Readers *create(uint32_t num_cells) {
  Readers *readers = calloc(1, sizeof *readers);
  if (!readers) return NULL;
  readers->marks.num_cells = num_cells / NUM_PLACES;
  readers->last = NO_CTA;
  return readers;
}

static Set *set_at(const Readers *readers, uint32_t i) {
  assert(i && i <= readers->count && "no such set"); // I3
  return &readers->sets[i - 1];
}

static uint32_t word_of(const Readers *readers, uint32_t cell) {
  return cell / (readers->marks.num_cells / PLACE_WORDS);
}

// The index of the first of the sets that are searched.
static uint32_t search_from(const Readers *readers) {
  return readers->count > SEARCHED ? readers->count - SEARCHED + 1 : 1;
}

// -- Sets --------------------------------------------------------------------

// Room for as many sets more; false: no memory.
static bool reserve(Readers *readers, atomic_size_t *used, uint32_t more) {
  if (readers->count + more <= readers->room) return true;
  const uint32_t room =
      readers->room ? readers->room + readers->room / 8 + 2 : FIRST_ROOM;
  if (!marks_may_take(used, (room - readers->room) * sizeof(Set))) return false;
  Set *sets = realloc(readers->sets, room * sizeof *sets);
  if (!sets) return false;
  readers->sets = sets;
  readers->room = room;
  return true;
}

// There is room for it.
static uint32_t take_set(Readers *readers, const Set *set) {
  uint32_t i = readers->free_set;
  if (i)
    readers->free_set = set_at(readers, i)->next;
  else
    i = ++readers->count;
  assert(readers->count <= readers->room && "a set without room");
  *set_at(readers, i) = *set;
  return i;
}

static void give_set(Readers *readers, uint32_t i) {
  Set *set = set_at(readers, i);
  marks_drop(&readers->marks, set->block);
  *set = (Set){.next = readers->free_set};
  readers->free_set = i;
}

// Sets that are closed have blocks that are shared.
static bool is_open(const Readers *readers, const Set *set) {
  return !marks_are_shared(&readers->marks, set->block);
}

// The CTA's number in the set, or a higher one.
static uint32_t number_in(const Set *set, uint32_t cta) {
  const uint32_t distance = cta - set->first;
  if (!distance || !set->count) return distance;
  if (set->count == 1 || distance % set->stride) return UINT32_MAX;
  return distance / set->stride;
}

// -- Closing -----------------------------------------------------------------

static bool is_alike(const Set *a, const Set *b) {
  return a->count && a->place == b->place && a->block == b->block &&
         a->owners == b->owners;
}

// Takes in the CTA, before the first or behind the last; false: it cannot.
static bool takes_in(Set *set, uint32_t cta) {
  const bool is_before = cta < set->first;
  const uint32_t end = set->first + (uint32_t)set->stride * set->count;
  const uint32_t distance = is_before ? set->first - cta : cta - set->first;
  if (set->count == UINT16_MAX) return false;
  if (set->count == 1) {
    if (!distance || distance > UINT16_MAX) return false;
    set->stride = (uint16_t)distance;
  } else if (is_before ? distance != set->stride : cta != end) {
    return false;
  }
  if (is_before) set->first = cta;
  set->count++;
  return true;
}

// Shares the block of an open set; its CTA joins another set, if one has that.
static void close_set(Readers *readers, uint32_t i) {
  Set *set = set_at(readers, i);
  set->next = 0;
  if (marks_are_none(&readers->marks, set->block)) {
    give_set(readers, i);
    return;
  }
  set->block = (uint16_t)marks_share(&readers->marks, set->block, &set->owners);
  for (uint32_t j = readers->count; j >= search_from(readers); j--) {
    if (j == i || !is_alike(set_at(readers, j), set)) continue;
    if (!takes_in(set_at(readers, j), set->first)) continue;
    give_set(readers, i);
    return;
  }
}

static void close_all(Readers *readers) {
  for (int place = 0; place < NUM_PLACES; place++) {
    uint32_t i = readers->open[place];
    readers->open[place] = 0;
    while (i) {
      const uint32_t next = set_at(readers, i)->next;
      close_set(readers, i);
      i = next;
    }
  }
  readers->last = NO_CTA;
}

// -- Opening -----------------------------------------------------------------

static void link_open(Readers *readers, uint32_t i) {
  Set *set = set_at(readers, i);
  assert(set->count == 1 && "only a set of one CTA is open"); // I7
  set->next = readers->open[set->place];
  readers->open[set->place] = i;
}

// Gives the set, of one CTA, a block of its own and opens it; false: no memory.
static bool open_set(Readers *readers, atomic_size_t *used, uint32_t i) {
  Set *set = set_at(readers, i);
  const uint32_t own =
      marks_own(&readers->marks, used, set->block, set->owners);
  if (!own) return false;
  set->block = (uint16_t)own;
  set->owners = 0;
  link_open(readers, i);
  return true;
}

// A new set with `rest` CTAs of a set, from number `number` on.  There is room
// for it.
static uint32_t split_off(Readers *readers, uint32_t i, uint32_t number,
                          uint32_t rest) {
  Set tail = *set_at(readers, i);
  marks_keep(&readers->marks, tail.block);
  tail.first += number * tail.stride;
  tail.count = (uint16_t)rest;
  return take_set(readers, &tail);
}

// Lets a CTA of a set have one of its own; 0: no memory.
static uint32_t set_apart(Readers *readers, atomic_size_t *used, uint32_t i,
                          uint32_t number) {
  if (set_at(readers, i)->count == 1) return i;
  if (!reserve(readers, used, 2)) return 0;
  Set *set = set_at(readers, i);
  const uint32_t behind = set->count - number - 1;
  if (behind) split_off(readers, i, number + 1, behind);
  set->count = (uint16_t)(number ? number : 1);
  return number ? split_off(readers, i, number, 1) : i;
}

// Opens the sets of the last CTA at the place.
static void open_sets(Readers *readers, atomic_size_t *used, uint32_t place) {
  const uint32_t cta = readers->last;
  readers->opened++;
  if (readers->is_new) return;
  for (uint32_t i = readers->count; i >= search_from(readers); i--) {
    const Set *set = set_at(readers, i);
    const uint32_t number =
        set->place == place ? number_in(set, cta) : UINT32_MAX;
    if (number >= set->count || is_open(readers, set)) continue;
    const uint32_t own = set_apart(readers, used, i, number);
    if (own) open_set(readers, used, own);
  }
}

// Adds an open set of the last CTA; 0: no memory.
static uint32_t add_set(Readers *readers, atomic_size_t *used, uint32_t place) {
  if (!reserve(readers, used, 1)) return 0;
  const uint32_t block = marks_take(&readers->marks, used);
  if (!block) return 0;
  const Set set = {.first = readers->last,
                   .count = 1,
                   .block = (uint16_t)block,
                   .place = (uint8_t)place};
  const uint32_t i = take_set(readers, &set);
  link_open(readers, i);
  return i;
}

// -- Adding ------------------------------------------------------------------

// Frees moments that nothing has, before there must be room for more.
static void sweep(Readers *readers, atomic_size_t *used) {
  uint64_t live[LIVE_WORDS] = {0};
  for (uint32_t i = 1; i <= readers->count; i++) {
    const Set *set = set_at(readers, i);
    if (set->count) live[set->owners / 64] |= UINT64_C(1) << set->owners % 64;
  }
  marks_sweep(&readers->marks, used, live);
}

static uint32_t code_of(Readers *readers, atomic_size_t *used,
                        const Past *past) {
  const uint32_t code = marks_find(&readers->marks, past);
  if (code) return code;
  if (marks_are_full(&readers->marks)) sweep(readers, used);
  return marks_add(&readers->marks, used, past);
}

// Takes from a code the lanes of the read, by the same warp, which is at that
// time, or later; a read of the same time takes in the others.
static void take_lanes(Readers *readers, uint16_t *code, Past *read) {
  Past past = marks_past(&readers->marks, read->cta, *code, 0);
  if (!is_same_warp(&past, read)) return;
  if (past.clock == read->clock) read->lanes |= past.lanes;
  past.lanes &= ~read->lanes;
  const uint32_t left = past.lanes ? code_of(readers, NULL, &past) : 0;
  if (left || !past.lanes) *code = (uint16_t)left;
}

// The code of a cell for the read, which takes in what it stands for; NULL: no
// memory.
static uint16_t *code_for(Readers *readers, atomic_size_t *used, uint32_t place,
                          uint32_t cell, Past *read) {
  uint16_t *found = NULL;
  for (uint32_t i = readers->open[place]; i; i = set_at(readers, i)->next) {
    uint16_t *code =
        marks_codes(&readers->marks, set_at(readers, i)->block) + cell;
    if (*code) take_lanes(readers, code, read);
    if (!*code && !found) found = code;
  }
  if (found) return found;
  const uint32_t i = add_set(readers, used, place);
  return i ? marks_codes(&readers->marks, set_at(readers, i)->block) + cell
           : NULL;
}

static void begin(Readers *readers, uint32_t cta) {
  close_all(readers);
  readers->last = cta;
  readers->is_new = cta >= readers->highest;
  if (readers->is_new) readers->highest = cta + 1;
}

static void note_words(Readers *readers, uint32_t cell, uint32_t count) {
  const uint32_t last = word_of(readers, cell + count - 1);
  for (uint32_t word = word_of(readers, cell); word <= last; word++)
    readers->any[word / 64] |= UINT64_C(1) << word % 64;
}

// Adds a read of a cell of the page, which takes in what it stands for; false:
// no memory, or no moment.
static bool add(Readers *readers, atomic_size_t *used, uint32_t cell,
                Past *read) {
  const uint32_t place = cell / readers->marks.num_cells;
  assert(place < NUM_PLACES && "a cell of another page"); // I1
  if (readers->last != read->cta) begin(readers, read->cta);
  if (!readers->open[place]) open_sets(readers, used, place);
  uint16_t *code =
      code_for(readers, used, place, cell % readers->marks.num_cells, read);
  const uint32_t added = code ? code_of(readers, used, read) : 0;
  if (!added) return false;
  *code = (uint16_t)added;
  note_words(readers, cell, 1);
  return true;
}

// Whether the lanes of the read are those that touched a cell last.
static bool is_by_same(const Readers *readers, uint32_t code,
                       const Past *read) {
  const Past past = marks_past(&readers->marks, read->cta, code, 0);
  return is_same_warp(&past, read) && past.lanes == read->lanes;
}

// Adds the read of cells that no other lane of the CTA has touched, which is
// what most are; returns how many there are, from the first on.
static uint32_t add_alone(Readers *readers, uint32_t cell, uint32_t count,
                          const Past *read) {
  const Marks *marks = &readers->marks;
  const uint32_t first = cell % marks->num_cells;
  const uint32_t i = readers->open[cell / marks->num_cells];
  if (readers->last != read->cta || !i || set_at(readers, i)->next) return 0;
  const uint32_t code = marks_find(&readers->marks, read);
  uint16_t *codes = marks_codes(marks, set_at(readers, i)->block) + first;
  uint32_t number = 0, before = 0;
  for (; code && number < count && first + number < marks->num_cells;
       number++) {
    const uint32_t other = codes[number];
    if (other && other != before && !is_by_same(readers, other, read)) break;
    before = other;
    codes[number] = (uint16_t)code;
  }
  if (number) note_words(readers, cell, number);
  return number;
}

static bool has_all_moments(const Readers *readers) {
  return marks_are_full(&readers->marks) &&
         readers->marks.num_moments == MOST_MOMENTS;
}

bool readers_add(Readers **place, atomic_size_t *used, int fine, uint32_t cell,
                 uint32_t count, const Past *read) {
  const uint32_t num_cells = (uint32_t)PAGE_CELLS << fine;
  if (!*place) *place = create(num_cells);
  for (uint32_t i = cell, alone; *place && i < cell + count; i += alone) {
    alone = add_alone(*place, i, cell + count - i, read);
    if (alone) continue;
    alone = 1;
    Past added = *read;
    if (add(*place, used, i, &added)) continue;
    Readers *more = has_all_moments(*place) ? create(num_cells) : NULL;
    if (!more) return false;
    close_all(*place);
    more->next = *place;
    *place = more;
    if (!add(more, used, i, &added)) return false;
  }
  return *place;
}

// -- Looking -----------------------------------------------------------------

static bool has_any(const Readers *readers, uint32_t cell) {
  const uint32_t word = word_of(readers, cell);
  return readers->any[word / 64] >> word % 64 & 1;
}

// The set's code of the cell; 0: it has none.
static uint32_t code_in(const Readers *readers, const Set *set, uint32_t cell) {
  const Marks *marks = &readers->marks;
  if (!set->count || set->place != cell / marks->num_cells) return 0;
  return marks_codes(marks, set->block)[cell % marks->num_cells];
}

static Past past_of(const Readers *readers, const Set *set, uint32_t code,
                    uint32_t number) {
  return marks_past(&readers->marks, set->first + number * set->stride, code,
                    set->owners);
}

bool readers_next(const Readers *readers, uint32_t cell, ReadersAt *at,
                  Past *past) {
  if (!at->readers) *at = (ReadersAt){readers, 1, 0};
  for (; at->readers; *at = (ReadersAt){at->readers->next, 1, 0}) {
    const Readers *now = at->readers;
    for (; has_any(now, cell) && at->set <= now->count; at->set++) {
      const Set *set = set_at(now, at->set);
      const uint32_t code = code_in(now, set, cell);
      if (code && at->member < set->count) {
        *past = past_of(now, set, code, at->member++);
        return true;
      }
      at->member = 0;
    }
  }
  return false;
}

bool readers_are_due(Readers *readers) {
  uint32_t opened = 0;
  for (const Readers *now = readers; now; now = now->next)
    opened += now->opened;
  if (opened < 2 * readers->looked_at) return false;
  readers->looked_at = opened;
  return true;
}

// -- Forgetting --------------------------------------------------------------

// Takes the cell from the CTAs of a set.  One that is closed has a block again
// that may be shared, or is given back where nothing is left.
static void clear(Readers *readers, uint32_t i, uint32_t cell) {
  Set *set = set_at(readers, i);
  Marks *marks = &readers->marks;
  const bool was_open = is_open(readers, set);
  const uint32_t own = marks_own(marks, NULL, set->block, set->owners);
  if (!own) return;
  marks_codes(marks, own)[cell % marks->num_cells] = 0;
  set->block = (uint16_t)own;
  set->owners = 0;
  if (was_open) return;
  if (marks_are_none(marks, own))
    give_set(readers, i);
  else
    set->block = (uint16_t)marks_share(marks, own, &set->owners);
}

typedef struct Filter {
  uint32_t cell;
  ReaderStays *stays;
  void *context;
} Filter;

static bool stays(const Readers *readers, uint32_t i, uint32_t number,
                  const Filter *filter) {
  const Set *set = set_at(readers, i);
  const uint32_t code = code_in(readers, set, filter->cell);
  const Past past = past_of(readers, set, code, number);
  return filter->stays && filter->stays(filter->context, &past);
}

// Takes the cell from those of the set's CTAs that do not stay.  The first one
// that fares otherwise than those before it begins a set of its own.
static void filter_set(Readers *readers, uint32_t i, const Filter *filter) {
  bool stay = stays(readers, i, 0, filter);
  while (i) {
    const uint32_t count = set_at(readers, i)->count;
    uint32_t number = 1, rest = 0;
    while (number < count && stays(readers, i, number, filter) == stay)
      number++;
    if (number < count) {
      if (!reserve(readers, NULL, 1)) return; // all stay
      rest = split_off(readers, i, number, count - number);
      set_at(readers, i)->count = (uint16_t)number;
    }
    if (!stay) clear(readers, i, filter->cell);
    stay = !stay;
    i = rest;
  }
}

void readers_filter(Readers *readers, uint32_t cell, ReaderStays *stay,
                    void *context) {
  const Filter filter = {cell, stay, context};
  for (; readers; readers = readers->next) {
    const uint32_t count = has_any(readers, cell) ? readers->count : 0;
    for (uint32_t i = 1; i <= count; i++)
      if (code_in(readers, set_at(readers, i), cell))
        filter_set(readers, i, &filter);
  }
}

// -- Finer cells -------------------------------------------------------------

bool readers_refine(Readers *readers, int shift) {
  for (; readers; readers = readers->next)
    if (!marks_refine(&readers->marks, shift)) return false;
  return true;
}
