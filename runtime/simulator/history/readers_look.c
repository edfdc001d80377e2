// readers_look.c -- finds the accesses of a page, and forgets them.
#include "runtime/simulator/history/readers_parts.h"

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
  const uint32_t member = set->first + number * set->stride;
  Past past = marks_past(&readers->marks, member, code, set->owners);
  if (!readers->by_warp) return past;
  assert(member / MAX_WARPS < readers->num_ctas && "a warp of no CTA"); // I3
  past.cta = readers->ctas[member / MAX_WARPS];
  past.what += pack_what(0, member % MAX_WARPS, REACH_NONE) -
               pack_what(0, 0, REACH_NONE);
  return past;
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

// Removes `count` cells of its place from a set.  A closed set gets a shared
// block again; an empty block is freed.
static void clear(Readers *readers, uint32_t i, uint32_t cell, uint32_t count) {
  Set *set = set_at(readers, i);
  Marks *marks = &readers->marks;
  const bool was_open = is_open(readers, set);
  const uint32_t own = marks_own(marks, set->block, set->owners);
  if (!own) return;
  uint16_t *codes = marks_codes(marks, own) + cell % marks->num_cells;
  for (uint32_t j = 0; j < count; j++) codes[j] = 0;
  set->block = (uint16_t)own;
  set->owners = 0;
  if (was_open) return;
  if (marks_are_none(marks, own))
    readers_give_set(readers, i);
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
  return filter->stays(filter->context, &past);
}

// Removes the cell from the set's members that do not stay.  The first member
// with another result than those before it begins a set of its own.
static void filter_set(Readers *readers, uint32_t i, const Filter *filter) {
  bool stay = stays(readers, i, 0, filter);
  while (i) {
    const uint32_t count = set_at(readers, i)->count;
    uint32_t number = 1, rest = 0;
    while (number < count && stays(readers, i, number, filter) == stay)
      number++;
    if (number < count) {
      if (!readers_reserve(readers, 1)) return; // all stay
      rest = readers_split_off(readers, i, number, count - number);
      set_at(readers, i)->count = (uint16_t)number;
    }
    if (!stay) clear(readers, i, filter->cell, 1);
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

static void forget_in_place(Readers *readers, uint32_t place, uint32_t cell,
                            uint32_t count) {
  for (uint32_t i = 1; i <= readers->count; i++) {
    const Set *set = set_at(readers, i);
    if (set->count && set->place == place) clear(readers, i, cell, count);
  }
}

void readers_forget(Readers *readers, uint32_t cell, uint32_t count) {
  for (; readers; readers = readers->next) {
    const uint32_t num_cells = readers->marks.num_cells;
    for (uint32_t i = cell, next; i < cell + count; i = next) {
      next = (i / num_cells + 1) * num_cells;
      if (next > cell + count) next = cell + count;
      forget_in_place(readers, i / num_cells, i, next - i);
    }
  }
}

// -- Finer cells -------------------------------------------------------------

bool readers_refine(Readers *readers, int shift) {
  for (; readers; readers = readers->next)
    if (!marks_refine(&readers->marks, shift)) return false;
  return true;
}
