// stuck.c -- livelock: finds warps that repeat the same state for ever.
//
// The state of a warp at one place is stored, and compared with its state when
// it comes there again.  The place may not be in the cycle, or the cycle may
// pass it in other states, so the stored state is renewed after a span that
// doubles each time (Brent's algorithm for finding cycles).
//
// For example, a warp loops over 40 instructions and polls a flag that no warp
// writes: its state is equal at each comparison, and after TIMES of them the
// warp is stuck.  If the loop counts in a register, the state is never equal.
#include "runtime/simulator/watch/stuck.h"

#include <string.h>

// In instructions of the warp.  QUIET: without a write, before the state is
// stored; SPAN: until it is replaced; LEAST_GAP: between two comparisons.
enum { QUIET = 2048, FIRST_SPAN = 8192, LAST_SPAN = 1 << 22, LEAST_GAP = 256 };
enum { GAPS = 64 }; // in a span

// Equal comparisons after which the warp is stuck.
enum { TIMES = 4 };

static uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

static uint64_t mix_bytes(uint64_t hash, const uint8_t *bytes, size_t size) {
  uint64_t word = 0;
  for (; size >= sizeof word; bytes += sizeof word, size -= sizeof word) {
    memcpy(&word, bytes, sizeof word);
    hash = mix(hash, word);
  }
  word = 0;
  memcpy(&word, bytes, size);
  return size ? mix(hash, word) : hash;
}

// A hash of the registers, and of the program counters of the lanes.
static uint64_t state_of(const Warp *warp) {
  const Launch *launch = warp->cta->launch;
  const Code *code = launch->code;
  uint64_t hash = warp->carry;
  for (size_t i = 0; i < code->num_watched; i++) {
    const FilePart *part = &code->watched[i];
    hash = mix_bytes(hash, warp->file + part->start, part->end - part->start);
  }
  if (launch_sees_local(launch))
    hash = mix_bytes(hash, warp->local, (size_t)launch->local_size * LANES);
  for (int i = 0; i < warp->num_groups; i++) {
    const Group *group = &warp->groups[i];
    hash += mix((uint64_t)group->mask << 32 | group->place, group->state);
  }
  return hash;
}

static uint64_t gap_of(const Look *look) {
  return look->span / GAPS > LEAST_GAP ? look->span / GAPS : LEAST_GAP;
}

void stuck_start(Warp *warp) {
  warp->look = (Look){.next = QUIET};
}

static void begin(Warp *warp) {
  warp->look = (Look){.next = warp->executed + QUIET,
                      .span = FIRST_SPAN,
                      .writes = cluster_writes(warp->cta)};
}

static void remember(Warp *warp, uint32_t place) {
  Look *look = &warp->look;
  if (look->is_kept) warp->cta->has_moved = true;
  if (look->came_back)
    look->span = FIRST_SPAN;
  else if (look->is_kept && look->span < LAST_SPAN)
    look->span *= 2;
  look->is_kept = true;
  look->came_back = false;
  look->place = place;
  look->state = state_of(warp);
  look->since = look->seen = warp->executed;
  look->far = warp->far;
  look->turn = warp->turn;
  look->times = look->times_alone = 0;
  look->next = warp->executed + gap_of(look);
}

static void compare(Warp *warp) {
  Look *look = &warp->look;
  look->next = warp->executed + gap_of(look);
  if (look->state != state_of(warp)) return;
  look->seen = warp->executed;
  look->came_back = true;
  look->times++;
  look->times_alone = look->far == warp->far ? look->times : 0;
}

void stuck_look(Warp *warp) {
  const Look *look = &warp->look;
  const uint32_t place = warp->groups[warp->running].place;
  if (!look->span || look->writes != cluster_writes(warp->cta))
    begin(warp);
  else if (!look->is_kept || warp->executed - look->seen > look->span)
    remember(warp, place);
  else if (look->place == place)
    compare(warp);
}

void stuck_forget(Warp *warp) {
  warp->look.times = warp->look.times_alone = 0;
  warp->look.turn = warp->turn;
}

bool stuck_is(const Warp *warp, bool alone) {
  const Look *look = &warp->look;
  for (int i = 0; i < warp->num_groups; i++) {
    const Group *group = &warp->groups[i];
    if (group->state == GROUP_READY && group->last_run <= look->turn)
      return false;
  }
  return look->is_kept && look->writes == cluster_writes(warp->cta) &&
         (alone ? look->times_alone : look->times) >= TIMES;
}
