// map_notes.c -- tensor maps in global memory that a launch has changed.
//
// The launch has a list of them, each with the number of its changes; a CTA has
// a list of those that it has acquired, and up to which change.  A change that
// a lane does not know is a race, which race.c reports.
#include "runtime/simulator/async/map_notes.h"

#include <stdlib.h>

#include "runtime/simulator/async/async.h"
#include "runtime/simulator/history/race_page.h"
#include "runtime/simulator/state/report.h"

// The first fences behind a change; in a CTA's list, the first ones that
// acquired it.  A fence is known if one of its lanes is.
enum { MOST_FENCES = 4 };
typedef struct Fences {
  uint32_t count;
  Past made[MOST_FENCES];
} Fences;

// In a CTA's list, `fences` have acquired the first `changes` changes.
typedef struct MapNote {
  uint64_t address;
  uint32_t changes;
  const Inst *inst; // the last change; the lane that made it is below
  Past change;
  Fences fences; // behind the change
} MapNote;

typedef struct MapNotes {
  uint32_t count, room;
  MapNote notes[];
} MapNotes;

static MapNote *find_note(MapNotes *all, uint64_t address) {
  for (uint32_t i = 0; all && i < all->count; i++)
    if (all->notes[i].address == address) return &all->notes[i];
  return NULL;
}

// The note of the address; NULL: no memory.
static MapNote *take_note(MapNotes **place, uint64_t address) {
  MapNotes *all = *place;
  MapNote *note = find_note(all, address);
  if (note) return note;
  if (!all || all->count == all->room) {
    const uint32_t room = all ? 2 * all->room : 8;
    MapNotes *bigger = realloc(all, sizeof *all + room * sizeof *all->notes);
    if (!bigger) return NULL;
    if (!all) bigger->count = 0;
    bigger->room = room;
    *place = all = bigger;
  }
  note = &all->notes[all->count++];
  *note = (MapNote){.address = address};
  return note;
}

static Past past_of(const Warp *warp, int lane) {
  return (Past){warp->cta->linear, warp->now,
                pack_what(0, warp->index, REACH_NONE), UINT32_C(1) << lane};
}

static void add_fence(Fences *fences, const Warp *warp, int lane) {
  const Past fence = past_of(warp, lane);
  for (uint32_t i = 0; i < fences->count; i++) {
    Past *made = &fences->made[i];
    if (!is_same_warp(made, &fence) || made->clock != fence.clock) continue;
    made->lanes |= fence.lanes;
    return;
  }
  if (fences->count < MOST_FENCES) fences->made[fences->count++] = fence;
}

static bool knows_fence(const Fences *fences, const Warp *warp, int lane) {
  for (uint32_t i = 0; i < fences->count; i++)
    if (past_unknown(&fences->made[i], warp, lane) != fences->made[i].lanes)
      return true;
  return false;
}

static void lock(Launch *launch) {
  pthread_mutex_lock(&launch->map_lock);
}

static void unlock(Launch *launch) {
  pthread_mutex_unlock(&launch->map_lock);
}

static bool has_notes(const Launch *launch) {
  return atomic_load_explicit(&launch->num_maps, memory_order_acquire);
}

void tensormap_reset(Cta *cta) {
  if (cta->map_notes) cta->map_notes->count = 0;
}

void tensormap_destroy(Cta *cta) {
  free(cta->map_notes);
  cta->map_notes = NULL;
}

void tensormap_end(Launch *launch) {
  free(launch->map_notes);
  launch->map_notes = NULL;
}

void map_changed(Warp *warp, const Inst *inst, int lane, uint64_t address) {
  Launch *launch = warp->cta->launch;
  lock(launch);
  MapNote *note = take_note(&launch->map_notes, address);
  if (note) {
    note->changes++;
    note->fences.count = 0;
    note->inst = inst;
    note->change = past_of(warp, lane);
    atomic_store_explicit(&launch->num_maps, launch->map_notes->count,
                          memory_order_release);
  }
  unlock(launch);
}

void map_released(Warp *warp, int lane) {
  Launch *launch = warp->cta->launch;
  if (!has_notes(launch)) return;
  lock(launch);
  for (uint32_t i = 0; i < launch->map_notes->count; i++) {
    MapNote *note = &launch->map_notes->notes[i];
    if (!past_unknown(&note->change, warp, lane))
      add_fence(&note->fences, warp, lane);
  }
  unlock(launch);
}

static void acquire(Warp *warp, int lane, const MapNote *note) {
  MapNote *own = take_note(&warp->cta->map_notes, note->address);
  if (!own) return;
  if (own->changes != note->changes) own->fences.count = 0;
  own->changes = note->changes;
  add_fence(&own->fences, warp, lane);
}

void map_acquired(Warp *warp, int lane, uint64_t address) {
  Launch *launch = warp->cta->launch;
  if (!has_notes(launch)) return;
  lock(launch);
  const MapNote *note = find_note(launch->map_notes, address);
  if (note && knows_fence(&note->fences, warp, lane)) acquire(warp, lane, note);
  unlock(launch);
}

void tensormap_check(const Warp *warp, const Inst *inst, int lane,
                     uint64_t address) {
  Launch *launch = warp->cta->launch;
  if (!has_notes(launch)) return;
  lock(launch);
  const MapNote *found = find_note(launch->map_notes, address);
  const MapNote note = found ? *found : (MapNote){.changes = 0};
  unlock(launch);
  const MapNote *own = find_note(warp->cta->map_notes, address);
  char place[400];
  if (!found || past_unknown(&note.change, warp, lane) ||
      (own && own->changes == note.changes &&
       knows_fence(&own->fences, warp, lane)))
    return;
  report_place(launch, note.inst, place, sizeof place);
  report(warp, inst, lane, KIND_PROXY_FENCE,
         "a tensor map at 0x%llx, with no fence.proxy.tensormap::generic.%s "
         "since the change at %s",
         (unsigned long long)address, note.fences.count ? "acquire" : "release",
         place);
}
