// crowd.c -- coarse memory of accesses: groups that may have made them.
//
// Each word has the same number of bits, which its cells share.  Member number
// n is in group n modulo the number of groups.
#include "runtime/simulator/history/crowd.h"

#include "runtime/simulator/history/purse.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 256, NEAR_BITS = 32, FAR_BITS = CTA_CLASSES, MOST_MEMBERS = 64 };
// NUM_PLACES: places of the index that are searched for a member, from its hash
// on.
enum { FIRST_ROOM = CTA_CLASSES, NUM_PLACES = MOST_MEMBERS };

struct Crowd {
  bool by_cta;
  uint8_t num_groups; // bits per cell
  uint16_t num_words; // of `bits`
  uint8_t num_members, room;
  uint8_t recent; // the member added last, from 1 on; 0: none
  uint8_t num_places;
  uint32_t strong; // groups with a strong access
  Member *members; // clock 0: forgotten
  uint32_t bits[]; // followed by the index: members, from 1 on; 0: none
};

static uint8_t *index_of(const Crowd *crowd) {
  return (uint8_t *)(uintptr_t)(crowd->bits + crowd->num_words);
}

Crowd *crowd_create(int fine, CrowdKind kind) {
  const uint32_t bits = kind == CROWD_NEAR ? NEAR_BITS : FAR_BITS;
  const uint32_t places = kind == CROWD_BY_CTA ? FAR_BITS : NUM_PLACES;
  Crowd *crowd = calloc(1, sizeof *crowd + WORDS * bits / 8 + places);
  if (!crowd) return NULL;
  crowd->by_cta = kind == CROWD_BY_CTA;
  crowd->num_places = (uint8_t)places;
  crowd->num_words = (uint16_t)(WORDS * bits / 32);
  crowd->num_groups = (uint8_t)(bits >> fine);
  return crowd;
}

size_t crowd_bytes(const Crowd *crowd) {
  return sizeof *crowd + crowd->num_words * sizeof *crowd->bits +
         crowd->num_places + crowd->room * sizeof *crowd->members +
         (size_t)2 * MALLOC_ADDS;
}

void crowd_destroy(Crowd *crowd) {
  if (crowd) free(crowd->members);
  free(crowd);
}

bool crowd_is_by_cta(const Crowd *crowd) {
  return crowd->by_cta;
}

// -- Members -----------------------------------------------------------------

static bool is_member(const Crowd *crowd, uint32_t i, const Past *past) {
  const Past *other = &crowd->members[i - 1].past;
  if (crowd->by_cta) return cta_class(other->cta) == cta_class(past->cta);
  return is_same_warp(other, past);
}

static uint32_t hash_of(const Crowd *crowd, const Past *past) {
  return crowd->by_cta ? cta_class(past->cta)
                       : (past->cta * 5 + warp_of(past)) % NUM_PLACES;
}

// The member's place in the index, or a free one for it; `num_places`: none.
static uint32_t place_of(const Crowd *crowd, const Past *past) {
  const uint32_t hash = hash_of(crowd, past);
  for (uint32_t i = 0; i < crowd->num_places; i++) {
    const uint32_t place = (hash + i) % crowd->num_places;
    const uint32_t member = index_of(crowd)[place];
    if (!member || is_member(crowd, member, past)) return place;
  }
  return crowd->num_places;
}

const Member *crowd_member(const Crowd *crowd, const Past *past) {
  uint32_t i = crowd->recent;
  if (!i || !is_member(crowd, i, past)) {
    const uint32_t place = place_of(crowd, past);
    i = place < crowd->num_places ? index_of(crowd)[place] : 0;
  }
  return i && crowd->members[i - 1].past.clock ? &crowd->members[i - 1] : NULL;
}

static bool grow(Crowd *crowd) {
  const uint32_t room = crowd->room ? 2u * crowd->room : FIRST_ROOM;
  Member *members = realloc(crowd->members, room * sizeof *members);
  if (!members) return false;
  crowd->members = members;
  crowd->room = (uint8_t)room;
  return true;
}

// The number of the member, from 1 on, which is added if it is new; 0: there is
// no room.
static uint32_t take_member(Crowd *crowd, const Past *past) {
  if (crowd->recent && is_member(crowd, crowd->recent, past))
    return crowd->recent;
  const uint32_t place = place_of(crowd, past);
  if (place == crowd->num_places) return 0;
  if (index_of(crowd)[place]) return index_of(crowd)[place];
  if (crowd->num_members == crowd->room && !grow(crowd)) return 0;
  crowd->members[crowd->num_members++] = (Member){.past = *past};
  crowd->members[crowd->num_members - 1].past.clock = 0;
  return index_of(crowd)[place] = crowd->num_members;
}

// CTAs are grouped by class, in whatever order they come.
static uint32_t group_of(const Crowd *crowd, uint32_t member) {
  const Past *past = &crowd->members[member - 1].past;
  return (crowd->by_cta ? cta_class(past->cta) : member - 1) %
         crowd->num_groups;
}

uint32_t crowd_group_of(const Crowd *crowd, const Member *member) {
  const uint32_t i = (uint32_t)(member - crowd->members) + 1;
  assert(i <= crowd->num_members && "a member of another crowd"); // I9
  return UINT32_C(1) << group_of(crowd, i);
}

const Member *crowd_next(const Crowd *crowd, uint32_t group, uint32_t *at) {
  const uint32_t step = crowd->by_cta ? 1 : crowd->num_groups;
  for (uint32_t i = *at + (*at || crowd->by_cta ? 0 : group);
       i < crowd->num_members; i += step) {
    *at = i + step;
    if (crowd->members[i].past.clock && group_of(crowd, i + 1) == group)
      return &crowd->members[i];
  }
  return NULL;
}

// Keeps the facts that hold for both the first access and this one.
static void take_in(Member *member, const Past *past) {
  Past *all = &member->past;
  if (!all->clock) {
    *member = (Member){*past, past->clock};
    return;
  }
  const Reach reach =
      reach_of(past) > reach_of(all) ? reach_of(past) : reach_of(all);
  const uint32_t inits = (past->what | all->what) & PAST_INITS;
  if (past->clock < all->clock) all->clock = past->clock;
  if (past->clock > member->latest) member->latest = past->clock;
  all->lanes |= past->lanes;
  all->cta = past->cta;
  all->what = pack_what(inst_of(past), warp_of(past), reach) | inits;
}

// -- Cells -------------------------------------------------------------------

static uint32_t all_groups(const Crowd *crowd) {
  return UINT32_MAX >> (32 - crowd->num_groups);
}

uint32_t crowd_groups(const Crowd *crowd, uint32_t cell) {
  const uint32_t at = cell * crowd->num_groups;
  return crowd->bits[at / 32] >> at % 32 & all_groups(crowd);
}

uint32_t crowd_strong_groups(const Crowd *crowd) {
  return crowd->strong;
}

bool crowd_add(Crowd *crowd, uint32_t cell, uint32_t count, const Past *past) {
  assert((cell + count) * crowd->num_groups <= 32 * crowd->num_words &&
         past->clock && "an access of nobody, or of another page"); // I1
  const uint32_t member = take_member(crowd, past);
  if (!member) return false;
  crowd->recent = (uint8_t)member;
  take_in(&crowd->members[member - 1], past);
  const uint32_t group = group_of(crowd, member);
  if (reach_of(past)) crowd->strong |= UINT32_C(1) << group;
  for (uint32_t i = cell; i < cell + count; i++) {
    const uint32_t at = i * crowd->num_groups + group;
    crowd->bits[at / 32] |= UINT32_C(1) << at % 32;
  }
  return true;
}

void crowd_take(Crowd *crowd, uint32_t cell, uint32_t count, uint32_t groups) {
  for (uint32_t i = cell; i < cell + count; i++) {
    const uint32_t at = i * crowd->num_groups;
    crowd->bits[at / 32] &= ~((groups & all_groups(crowd)) << at % 32);
  }
}

void crowd_forget(Crowd *crowd, uint32_t groups) {
  uint32_t gone = 0;
  crowd->strong &= ~groups;
  for (uint32_t i = 0; i < 32; i += crowd->num_groups) gone |= groups << i;
  for (uint32_t i = 0; i < crowd->num_words; i++) crowd->bits[i] &= ~gone;
  for (uint32_t i = 1; i <= crowd->num_members; i++)
    if (groups >> group_of(crowd, i) & 1) crowd->members[i - 1].past.clock = 0;
}

// -- Finer cells -------------------------------------------------------------

// Merges groups whose numbers are equal modulo `fewer`.
static uint32_t fold(uint32_t groups, uint32_t num_groups, uint32_t fewer) {
  uint32_t folded = 0;
  for (uint32_t i = 0; i < num_groups; i += fewer) folded |= groups >> i;
  return folded & UINT32_MAX >> (32 - fewer);
}

void crowd_refine(Crowd *crowd, int shift) {
  const uint32_t before = crowd->num_groups, after = before >> shift;
  const uint32_t count = 32 * crowd->num_words / before;
  for (uint32_t cell = 0; cell < count; cell++) {
    const uint32_t at = cell * before;
    const uint32_t folded = fold(crowd_groups(crowd, cell), before, after);
    uint32_t bits = 0;
    for (uint32_t i = 0; i < before; i += after) bits |= folded << i;
    crowd->bits[at / 32] &= ~(all_groups(crowd) << at % 32);
    crowd->bits[at / 32] |= bits << at % 32;
  }
  crowd->strong = fold(crowd->strong, before, after);
  crowd->num_groups = (uint8_t)after;
}
