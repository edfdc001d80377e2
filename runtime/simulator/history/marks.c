// marks.c -- accesses of a page without the CTA, or warp, that made them.
#include "runtime/simulator/history/marks.h"

#include <stdlib.h>
#include <string.h>

// FEW_BLOCKS: up to this number, blocks are searched for an equal one; with
// more, only those in the index.
enum { FIRST_ROOM = 4, FEW_BLOCKS = 64, MOST_BLOCKS = UINT16_MAX };
enum { INDEX_SIZE = 1024 };

static size_t block_bytes(const Marks *marks) {
  return marks->num_cells * sizeof *marks->codes;
}

void marks_destroy(Marks *marks) {
  purse_give(marks->purse,
             marks->room_moments * sizeof(Moment) +
                 marks->room_blocks * (block_bytes(marks) + sizeof(BlockUse)) +
                 (marks->index ? INDEX_SIZE * sizeof *marks->index : 0));
  free(marks->moments);
  free(marks->uses);
  free(marks->codes);
  free(marks->index);
}

static uint32_t more_room(uint32_t room) {
  return room ? room + room / 8 + 2 : FIRST_ROOM;
}

// -- Moments -----------------------------------------------------------------

static bool grow_moments(Marks *marks) {
  uint32_t room = more_room(marks->room_moments);
  if (room > MOST_MOMENTS) room = MOST_MOMENTS;
  if (room == marks->room_moments ||
      !purse_take(marks->purse, (room - marks->room_moments) * sizeof(Moment)))
    return false;
  Moment *moments = realloc(marks->moments, room * sizeof *moments);
  if (!moments) {
    purse_give(marks->purse, (room - marks->room_moments) * sizeof(Moment));
    return false;
  }
  marks->moments = moments;
  marks->room_moments = room;
  if (!marks->num_moments) moments[marks->num_moments++] = (Moment){.what = 0};
  return true;
}

static bool is_moment(const Marks *marks, uint32_t i, const Moment *moment) {
  if (!i || i > marks->num_moments) return false;
  const Moment *other = &marks->moments[i - 1];
  return other->clock == moment->clock && other->what == moment->what &&
         other->lanes == moment->lanes;
}

// The number of an equal moment; 0: none.  CTAs with the same accesses have the
// same moments one after the other.
static uint32_t find_moment(const Marks *marks, const Moment *moment) {
  if (is_moment(marks, marks->recent, moment)) return marks->recent;
  if (is_moment(marks, marks->recent + 1, moment)) return marks->recent + 1;
  for (uint32_t i = marks->num_moments; i > 0; i--)
    if (is_moment(marks, i, moment)) return i;
  return 0;
}

static uint32_t take_moment(Marks *marks) {
  const uint32_t i = marks->free_moment;
  if (i) {
    marks->free_moment = marks->moments[i - 1].clock;
    return i;
  }
  if (marks->num_moments == marks->room_moments && !grow_moments(marks))
    return 0;
  return ++marks->num_moments;
}

static bool is_alone(const Past *past) {
  return !(past->lanes & (past->lanes - 1));
}

static Moment moment_of(const Past *past) {
  assert(past->what && past->lanes && "an access of nobody");
  return (Moment){past->clock, past->what, is_alone(past) ? 0 : past->lanes};
}

static uint32_t code_of(Marks *marks, uint32_t moment, const Past *past) {
  marks->recent = moment;
  const uint32_t lane =
      is_alone(past) ? (uint32_t)__builtin_ctz(past->lanes) : 0;
  return moment << MARK_LANE_BITS | lane;
}

uint32_t marks_find(Marks *marks, const Past *past) {
  const Moment moment = moment_of(past);
  const uint32_t i = find_moment(marks, &moment);
  return i ? code_of(marks, i, past) : 0;
}

uint32_t marks_add(Marks *marks, const Past *past) {
  const uint32_t i = take_moment(marks);
  if (!i) return 0;
  marks->moments[i - 1] = moment_of(past);
  return code_of(marks, i, past);
}

static bool is_live(const uint64_t *live, uint32_t i) {
  return live[i / 64] >> i % 64 & 1;
}

void marks_sweep(Marks *marks, uint64_t live[LIVE_WORDS]) {
  for (uint32_t i = 0; i < marks->num_blocks * marks->num_cells; i++) {
    const uint32_t moment = marks->codes[i] >> MARK_LANE_BITS;
    live[moment / 64] |= UINT64_C(1) << moment % 64;
  }
  uint32_t num_free = 0;
  marks->free_moment = 0;
  for (uint32_t i = marks->num_moments; i > OWNERS_MOMENT; i--) {
    if (is_live(live, i)) continue;
    marks->moments[i - 1] = (Moment){.clock = marks->free_moment};
    marks->free_moment = i;
    num_free++;
  }
  if (num_free < marks->num_moments / 4) grow_moments(marks);
}

// -- Blocks ------------------------------------------------------------------

static bool grow_blocks(Marks *marks) {
  uint32_t room = more_room(marks->room_blocks);
  if (room > MOST_BLOCKS) room = MOST_BLOCKS;
  const size_t more =
      (room - marks->room_blocks) * (block_bytes(marks) + sizeof(BlockUse));
  if (!more || !purse_take(marks->purse, more)) return false;
  uint16_t *codes = realloc(marks->codes, room * block_bytes(marks));
  if (codes) marks->codes = codes;
  BlockUse *uses = realloc(marks->uses, room * sizeof *uses);
  if (uses) marks->uses = uses;
  if (!codes || !uses) {
    purse_give(marks->purse, more);
    return false;
  }
  marks->room_blocks = room;
  return true;
}

static BlockUse *use_of(const Marks *marks, uint32_t block) {
  assert(block && block <= marks->num_blocks && "no such block"); // I3
  return &marks->uses[block - 1];
}

uint32_t marks_take(Marks *marks) {
  uint32_t i = marks->free_block;
  if (i) {
    marks->free_block = use_of(marks, i)->count;
  } else {
    if (marks->num_blocks == marks->room_blocks && !grow_blocks(marks))
      return 0;
    i = ++marks->num_blocks;
    memset(marks_codes(marks, i), 0, block_bytes(marks));
  }
  *use_of(marks, i) = (BlockUse){.count = 1};
  return i;
}

void marks_keep(Marks *marks, uint32_t block) {
  assert(use_of(marks, block)->hash && "an own block is shared"); // I6
  use_of(marks, block)->count++;
}

// A free block has no codes, so that no moment is kept for it.
void marks_drop(Marks *marks, uint32_t block) {
  BlockUse *use = use_of(marks, block);
  assert(use->count && "a block without an owner"); // I6
  if (--use->count) return;
  memset(marks_codes(marks, block), 0, block_bytes(marks));
  *use = (BlockUse){.count = marks->free_block};
  marks->free_block = block;
}

uint32_t marks_own(Marks *marks, uint32_t block, uint32_t owners) {
  const bool is_only = use_of(marks, block)->count == 1;
  const uint32_t own = is_only ? block : marks_take(marks);
  if (!own) return 0;
  const uint16_t *from = marks_codes(marks, block);
  uint16_t *to = marks_codes(marks, own);
  for (uint32_t i = 0; i < marks->num_cells; i++) {
    const uint32_t lane = from[i] & (LANES - 1);
    const bool is_owners = from[i] >> MARK_LANE_BITS == OWNERS_MOMENT;
    to[i] = is_owners ? (uint16_t)(owners << MARK_LANE_BITS | lane) : from[i];
  }
  if (!is_only) marks_drop(marks, block);
  use_of(marks, own)->hash = 0;
  return own;
}

// Replaces the only moment of a block, which it returns, by OWNERS_MOMENT; 0:
// there are several.
static uint32_t take_owners(const Marks *marks, uint16_t *codes) {
  uint32_t moment = 0;
  for (uint32_t i = 0; i < marks->num_cells; i++) {
    const uint32_t other = codes[i] >> MARK_LANE_BITS;
    if (other && moment && other != moment) return 0;
    if (other) moment = other;
  }
  for (uint32_t i = 0; i < marks->num_cells; i++)
    if (codes[i])
      codes[i] = (uint16_t)(OWNERS_MOMENT << MARK_LANE_BITS |
                            (codes[i] & (LANES - 1)));
  return moment;
}

static uint32_t hash_of(const Marks *marks, const uint16_t *codes) {
  uint32_t hash = 1;
  for (uint32_t i = 0; i < marks->num_cells; i++)
    hash = (hash ^ codes[i]) * 2654435761u;
  return hash | 1;
}

static uint32_t bucket_of(uint32_t hash) {
  return hash >> 8 & (INDEX_SIZE - 1);
}

static bool is_equal(const Marks *marks, uint32_t block, const uint16_t *codes,
                     uint32_t hash) {
  return use_of(marks, block)->hash == hash &&
         !memcmp(marks_codes(marks, block), codes, block_bytes(marks));
}

static void make_index(Marks *marks) {
  const size_t bytes = INDEX_SIZE * sizeof *marks->index;
  if (!purse_take(marks->purse, bytes)) return;
  marks->index = calloc(1, bytes);
  if (!marks->index) purse_give(marks->purse, bytes);
}

// A shared block with these codes; 0: none was found.
static uint32_t find_equal(Marks *marks, const uint16_t *codes, uint32_t hash) {
  if (marks->num_blocks > FEW_BLOCKS) {
    if (!marks->index) make_index(marks);
    const uint32_t block = marks->index ? marks->index[bucket_of(hash)] : 0;
    return block && is_equal(marks, block, codes, hash) ? block : 0;
  }
  for (uint32_t i = marks->num_blocks; i > 0; i--)
    if (is_equal(marks, i, codes, hash)) return i;
  return 0;
}

uint32_t marks_share(Marks *marks, uint32_t block, uint16_t *owners) {
  uint16_t *codes = marks_codes(marks, block);
  BlockUse *use = use_of(marks, block);
  assert(use->count == 1 && !use->hash && "a block that is shared"); // I6
  *owners = (uint16_t)take_owners(marks, codes);
  const uint32_t hash = hash_of(marks, codes);
  const uint32_t equal = find_equal(marks, codes, hash);
  if (equal) {
    marks_drop(marks, block);
    marks_keep(marks, equal);
    return equal;
  }
  use->hash = hash;
  if (marks->index) marks->index[bucket_of(hash)] = (uint16_t)block;
  return block;
}

bool marks_are_none(const Marks *marks, uint32_t block) {
  const uint16_t *codes = marks_codes(marks, block);
  return !codes[0] &&
         !memcmp(codes, codes + 1, block_bytes(marks) - sizeof *codes);
}

// -- Finer cells -------------------------------------------------------------

bool marks_refine(Marks *marks, int shift) {
  const size_t count = (size_t)marks->num_blocks * marks->num_cells << shift;
  const size_t room = (size_t)marks->room_blocks * marks->num_cells << shift;
  uint16_t *codes = malloc(room * sizeof *codes + 1);
  if (!codes) return false;
  for (size_t i = 0; i < count; i++) codes[i] = marks->codes[i >> shift];
  free(marks->codes);
  marks->codes = codes;
  purse_spend(marks->purse,
              ((1u << shift) - 1) * marks->room_blocks * block_bytes(marks));
  marks->num_cells <<= shift;
  for (uint32_t i = 1; i <= marks->num_blocks; i++)
    if (use_of(marks, i)->hash)
      use_of(marks, i)->hash = hash_of(marks, marks_codes(marks, i));
  return true;
}
