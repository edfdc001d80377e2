// readers.c -- accesses of a page that its cells have no room for.
//
// A set has members, which are CTAs or warps, that accessed a place alike.  The
// member that came last has open sets of its own, whose blocks may change.
// When another member comes, they are closed and their blocks shared, and the
// member joins a set with the same block and moment.  If all moments of a
// Readers are taken, a new one is put in front of it.
//
// For example, CTAs 0, 2 and 4 read the first place of a page at equal moments.
// CTA 0 has an open set until CTA 2 comes; the set is closed then, with its
// block shared.  When CTA 4 comes, the block of CTA 2 proves to be the same:
// CTA 2 joins the set, which has first 0, stride 2 and count 2.  CTA 4 will be
// its third member when another CTA comes.
#include "runtime/simulator/history/readers_parts.h"

#include <stdlib.h>
#include <string.h>

// The number of last sets that are searched for a member, and for a set that it
// may join.
enum { FIRST_ROOM = 8, SEARCHED = 4096, ALIKE_SEARCHED = 128 };
#define NO_MEMBER UINT32_MAX

static size_t own_bytes(bool by_warp) {
  const Readers *readers = NULL;
  return sizeof *readers + by_warp * MAX_CLUSTER * sizeof *readers->ctas;
}

void readers_destroy(Readers *readers) {
  while (readers) {
    Readers *next = readers->next;
    purse_give(readers->marks.purse,
               own_bytes(readers->by_warp) + readers->room * sizeof(Set));
    marks_destroy(&readers->marks);
    free(readers->sets);
    free(readers);
    readers = next;
  }
}

static Readers *create(const ReadersOf *of) {
  if (!purse_take(of->purse, own_bytes(of->by_warp))) return NULL;
  Readers *readers = calloc(1, own_bytes(of->by_warp));
  if (!readers) {
    purse_give(of->purse, own_bytes(of->by_warp));
    return NULL;
  }
  readers->by_warp = of->by_warp;
  readers->marks.purse = of->purse;
  readers->marks.num_cells = ((uint32_t)PAGE_CELLS << of->fine) / NUM_PLACES;
  readers->last = NO_MEMBER;
  return readers;
}

// The index of the first of the last `most` sets.
static uint32_t search_from(const Readers *readers, uint32_t most) {
  return readers->count > most ? readers->count - most + 1 : 1;
}

// -- Sets --------------------------------------------------------------------

bool readers_reserve(Readers *readers, uint32_t more) {
  if (readers->count + more <= readers->room) return true;
  const uint32_t room =
      readers->room ? readers->room + readers->room / 8 + 2 : FIRST_ROOM;
  const size_t bytes = (room - readers->room) * sizeof(Set);
  if (!purse_take(readers->marks.purse, bytes)) return false;
  Set *sets = realloc(readers->sets, room * sizeof *sets);
  if (!sets) {
    purse_give(readers->marks.purse, bytes);
    return false;
  }
  readers->sets = sets;
  readers->room = room;
  return true;
}

// The index of a new set; there is room for it.
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

void readers_give_set(Readers *readers, uint32_t i) {
  Set *set = set_at(readers, i);
  marks_drop(&readers->marks, set->block);
  *set = (Set){.next = readers->free_set};
  readers->free_set = i;
}

// The member's number in the set, or a higher one.
static uint32_t number_in(const Set *set, uint32_t member) {
  const uint32_t distance = member - set->first;
  if (!distance || !set->count) return distance;
  if (set->count == 1 || distance % set->stride) return UINT32_MAX;
  return distance / set->stride;
}

// -- Closing -----------------------------------------------------------------

static bool is_alike(const Set *a, const Set *b) {
  return a->count && a->place == b->place && a->block == b->block &&
         a->owners == b->owners;
}

// Adds the member, before the first or behind the last; false: the stride
// differs.
static bool takes_in(Set *set, uint32_t member) {
  const bool is_before = member < set->first;
  const uint32_t end = set->first + (uint32_t)set->stride * set->count;
  const uint32_t distance =
      is_before ? set->first - member : member - set->first;
  if (set->count == UINT16_MAX) return false;
  if (set->count == 1) {
    if (!distance || distance > UINT16_MAX) return false;
    set->stride = (uint16_t)distance;
  } else if (is_before ? distance != set->stride : member != end) {
    return false;
  }
  if (is_before) set->first = member;
  set->count++;
  return true;
}

// Closes an open set: its block is shared; its member joins another set with
// the same block, if there is one.
static void close_set(Readers *readers, uint32_t i) {
  Set *set = set_at(readers, i);
  set->next = 0;
  if (marks_are_none(&readers->marks, set->block)) {
    readers_give_set(readers, i);
    return;
  }
  set->block = (uint16_t)marks_share(&readers->marks, set->block, &set->owners);
  for (uint32_t j = readers->count; j >= search_from(readers, ALIKE_SEARCHED);
       j--) {
    if (j == i || !is_alike(set_at(readers, j), set)) continue;
    if (!takes_in(set_at(readers, j), set->first)) continue;
    readers_give_set(readers, i);
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
  readers->last = NO_MEMBER;
}

// -- Opening -----------------------------------------------------------------

static void link_open(Readers *readers, uint32_t i) {
  Set *set = set_at(readers, i);
  assert(set->count == 1 && "only a set of one member is open"); // I7
  set->next = readers->open[set->place];
  readers->open[set->place] = i;
}

// Opens a set of one member, with a private block; false: no memory.
static bool open_set(Readers *readers, uint32_t i) {
  Set *set = set_at(readers, i);
  const uint32_t own = marks_own(&readers->marks, set->block, set->owners);
  if (!own) return false;
  set->block = (uint16_t)own;
  set->owners = 0;
  link_open(readers, i);
  return true;
}

uint32_t readers_split_off(Readers *readers, uint32_t i, uint32_t number,
                           uint32_t rest) {
  Set tail = *set_at(readers, i);
  marks_keep(&readers->marks, tail.block);
  tail.first += number * tail.stride;
  tail.count = (uint16_t)rest;
  return take_set(readers, &tail);
}

// Moves a member to a set of its own; 0: no memory.
static uint32_t set_apart(Readers *readers, uint32_t i, uint32_t number) {
  if (set_at(readers, i)->count == 1) return i;
  if (!readers_reserve(readers, 2)) return 0;
  Set *set = set_at(readers, i);
  const uint32_t behind = set->count - number - 1;
  if (behind) readers_split_off(readers, i, number + 1, behind);
  set->count = (uint16_t)(number ? number : 1);
  return number ? readers_split_off(readers, i, number, 1) : i;
}

// Closes open sets if there are some and blocks are large, as with cells of
// bytes.
static void make_way(Readers *readers) {
  enum { MOST_OPEN = 2 };
  int num_open = 0;
  for (int place = 0; place < NUM_PLACES; place++)
    num_open += readers->open[place] != 0;
  if (num_open < MOST_OPEN || readers->marks.num_cells == PLACE_WORDS) return;
  const uint32_t member = readers->last;
  close_all(readers);
  readers->last = member;
  readers->is_new = false;
}

// Opens the sets of the last member at the place.
static void open_sets(Readers *readers, uint32_t place) {
  make_way(readers);
  const uint32_t member = readers->last;
  readers->opened++;
  if (readers->is_new) return;
  for (uint32_t i = readers->count; i >= search_from(readers, SEARCHED); i--) {
    const Set *set = set_at(readers, i);
    const uint32_t number =
        set->place == place ? number_in(set, member) : UINT32_MAX;
    if (number >= set->count || is_open(readers, set)) continue;
    const uint32_t own = set_apart(readers, i, number);
    if (own) open_set(readers, own);
  }
}

// Adds an open set for the last member; 0: no memory.
static uint32_t add_set(Readers *readers, uint32_t place) {
  if (!readers_reserve(readers, 1)) return 0;
  const uint32_t block = marks_take(&readers->marks);
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

// Frees unused moments, before room for more is needed.
static void sweep(Readers *readers) {
  uint64_t live[LIVE_WORDS] = {0};
  for (uint32_t i = 1; i <= readers->count; i++) {
    const Set *set = set_at(readers, i);
    if (set->count) live[set->owners / 64] |= UINT64_C(1) << set->owners % 64;
  }
  marks_sweep(&readers->marks, live);
}

static uint32_t code_of(Readers *readers, const Past *past) {
  const uint32_t code = marks_find(&readers->marks, past);
  if (code) return code;
  if (marks_are_full(&readers->marks)) sweep(readers);
  return marks_add(&readers->marks, past);
}

// Removes the lanes of the read from an earlier code of the same warp; if both
// have the same time, the read gets the other lanes.  The code may be later,
// since a copy, which reads at the time when it began, is added when it ends.
static void take_lanes(Readers *readers, uint16_t *code, Past *read) {
  Past past = marks_past(&readers->marks, read->cta, *code, 0);
  if (!is_same_warp(&past, read) || past.clock > read->clock) return;
  if (past.clock == read->clock) read->lanes |= past.lanes;
  past.lanes &= ~read->lanes;
  const uint32_t left = past.lanes ? code_of(readers, &past) : 0;
  if (left || !past.lanes) *code = (uint16_t)left;
}

// The cell's code for the read, which gets lanes that accessed the cell at the
// same time; NULL: no memory.
static uint16_t *code_for(Readers *readers, uint32_t place, uint32_t cell,
                          Past *read) {
  uint16_t *found = NULL;
  for (uint32_t i = readers->open[place]; i; i = set_at(readers, i)->next) {
    uint16_t *code =
        marks_codes(&readers->marks, set_at(readers, i)->block) + cell;
    if (*code) take_lanes(readers, code, read);
    if (!*code && !found) found = code;
  }
  if (found) return found;
  const uint32_t i = add_set(readers, place);
  return i ? marks_codes(&readers->marks, set_at(readers, i)->block) + cell
           : NULL;
}

static void begin(Readers *readers, uint32_t member) {
  close_all(readers);
  readers->last = member;
  readers->is_new = member >= readers->highest;
  if (readers->is_new) readers->highest = member + 1;
}

static void note_words(Readers *readers, uint32_t cell, uint32_t count) {
  const uint32_t last = word_of(readers, cell + count - 1);
  for (uint32_t word = word_of(readers, cell); word <= last; word++)
    readers->any[word / 64] |= UINT64_C(1) << word % 64;
}

// Adds a read of a cell of the page, which gets other lanes as above; false: no
// memory, or no moment.
static bool add(Readers *readers, uint32_t cell, Past *read) {
  const uint32_t place = cell / readers->marks.num_cells;
  assert(place < NUM_PLACES && "a cell of another page"); // I1
  if (readers->last != read->cta) begin(readers, read->cta);
  if (!readers->open[place]) open_sets(readers, place);
  uint16_t *code =
      code_for(readers, place, cell % readers->marks.num_cells, read);
  const uint32_t added = code ? code_of(readers, read) : 0;
  if (!added) return false;
  *code = (uint16_t)added;
  note_words(readers, cell, 1);
  return true;
}

// Whether the lanes of the read are those of the cell's last access, at an
// earlier or the same time.
static bool is_by_same(const Readers *readers, uint32_t code,
                       const Past *read) {
  const Past past = marks_past(&readers->marks, read->cta, code, 0);
  return is_same_warp(&past, read) && past.lanes == read->lanes &&
         past.clock <= read->clock;
}

// Adds the read of cells that no other lane of the member has accessed, as is
// usual; returns their number, from the first cell on.
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

// Replaces the CTA by the member's number; false: there are more CTAs than a
// cluster has.
static bool by_member(Readers *readers, Past *read) {
  if (!readers->by_warp) return true;
  const uint32_t warp = warp_of(read);
  uint32_t i = 0;
  while (i < readers->num_ctas && readers->ctas[i] != read->cta) i++;
  if (i == MAX_CLUSTER) return false;
  if (i == readers->num_ctas) readers->ctas[readers->num_ctas++] = read->cta;
  read->what -= pack_what(0, warp, REACH_NONE) - pack_what(0, 0, REACH_NONE);
  read->cta = i * MAX_WARPS + warp;
  return true;
}

// Adds a read of cells by a member; returns the number of cells done, from the
// first on.
static uint32_t add_some(Readers *readers, uint32_t cell, uint32_t count,
                         Past *read) {
  const uint32_t alone = add_alone(readers, cell, count, read);
  return alone ? alone : add(readers, cell, read);
}

bool readers_add(Readers **place, const ReadersOf *of, uint32_t cell,
                 uint32_t count, const Past *read) {
  if (!*place) *place = create(of);
  for (uint32_t i = cell, some; *place && i < cell + count; i += some) {
    Past added = *read;
    if (!by_member(*place, &added)) return false;
    some = add_some(*place, i, cell + count - i, &added);
    if (some) continue;
    Readers *more = has_all_moments(*place) ? create(of) : NULL;
    if (!more) return false;
    close_all(*place);
    if (of->by_warp)
      memcpy(more->ctas, (*place)->ctas, MAX_CLUSTER * sizeof *more->ctas);
    more->num_ctas = (*place)->num_ctas;
    more->next = *place;
    *place = more;
    some = add_some(more, i, 1, &added);
    if (!some) return false;
  }
  return *place;
}
