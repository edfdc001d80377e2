// readers.c -- accesses of a page that its cells have no place for.
//
// An entry of a warp is linked to its older ones, and a table finds the newest.
// A lane that touches a cell again is taken from the older ones.  Blocks of
// codes that are equal, as of CTAs that read the same tile alike, are one.
#include "runtime/simulator/history/readers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_CELLS = 256, FIRST_ROOM = 8, BLOCK_CELLS = 32 };
static const size_t most_bytes = (size_t)256 << 20;

typedef struct Entry {
  Past past;
  uint32_t older; // of the warp, or the next that is free; 0: none
} Entry;

// The lanes that have touched each of some cells in a row, as codes: none, one
// lane, or a set that many cells share.  The first code of a free block is the
// number of the next free one.
typedef struct Block {
  uint16_t codes[BLOCK_CELLS];
  uint32_t hash;  // of the codes, where it may be shared; 0: it may not
  uint32_t count; // entries that have it
} Block;
enum { NO_LANE, FIRST_LANE, FIRST_SET = FIRST_LANE + LANES };
enum { MOST_SETS = UINT16_MAX - FIRST_SET, MOST_BLOCKS = UINT16_MAX };
// The number of the last sets, and blocks, among which an equal one is looked
// for.
enum { RECENT_SETS = 64, RECENT_BLOCKS = 64 };

// Entries and blocks are counted from 1.  The table has two places for each
// entry.
struct Readers {
  uint32_t count, room, recent, unused;
  uint32_t looked_at;  // of the entries, when readers_are_due() last was true
  uint32_t num_blocks; // of each entry
  uint32_t blocks_count, blocks_room, blocks_unused;
  Entry *entries;
  uint16_t *places; // of each entry, which blocks it has; 0: none
  Block *blocks;
  uint32_t *sets;
  uint32_t num_sets, room_sets;
  uint32_t *table;
  uint64_t *any; // cells that an entry may have
};

void readers_destroy(Readers *readers) {
  if (!readers) return;
  free(readers->entries);
  free(readers->places);
  free(readers->blocks);
  free(readers->sets);
  free(readers->table);
  free(readers->any);
  free(readers);
}

static Entry *entry_at(const Readers *readers, uint32_t i) {
  assert(i && i <= readers->count && "no such entry"); // I3
  return &readers->entries[i - 1];
}

static uint16_t *places_at(const Readers *readers, uint32_t i) {
  return readers->places + (size_t)(i - 1) * readers->num_blocks;
}

static Block *block_at(const Readers *readers, uint32_t i) {
  return &readers->blocks[i - 1];
}

// The lanes of an entry that have touched the cell; NULL: it has no such block.
static uint16_t *code_at(const Readers *readers, uint32_t i, uint32_t cell) {
  const uint32_t block = places_at(readers, i)[cell / BLOCK_CELLS];
  return block ? &block_at(readers, block)->codes[cell % BLOCK_CELLS] : NULL;
}

static uint32_t lanes_of(const Readers *readers, uint16_t code) {
  assert(code < FIRST_SET + readers->num_sets && "no such set"); // I3
  if (code >= FIRST_SET) return readers->sets[code - FIRST_SET];
  return code ? UINT32_C(1) << (code - FIRST_LANE) : 0;
}

static uint32_t *find(const Readers *readers, const Past *past) {
  const uint32_t mask = 2 * readers->room - 1;
  uint32_t hash = (past->cta * MAX_WARPS + warp_of(past)) * 2654435761u >> 8;
  while (readers->table[hash & mask] &&
         !is_same_warp(&entry_at(readers, readers->table[hash & mask])->past,
                       past))
    hash++;
  return &readers->table[hash & mask];
}

// -- Room --------------------------------------------------------------------

static Readers *create(int fine) {
  Readers *readers = calloc(1, sizeof *readers);
  if (!readers) return NULL;
  const uint32_t num_cells = PAGE_CELLS << fine;
  readers->num_blocks = num_cells / BLOCK_CELLS;
  readers->any = calloc(num_cells / 64, sizeof *readers->any);
  if (readers->any) return readers;
  free(readers);
  return NULL;
}

// The newest of each warp, which no other is older than, in a bigger table.
static void fill_table(Readers *readers, const uint32_t *from, uint32_t size) {
  for (uint32_t i = 0; i < size; i++)
    if (from[i]) *find(readers, &entry_at(readers, from[i])->past) = from[i];
}

// Counts more bytes; false: too many.
static bool may_take(atomic_size_t *used, size_t more) {
  if (used && *used + more > most_bytes) return false;
  if (used) *used += more;
  return true;
}

static bool grow_sets(Readers *readers, atomic_size_t *used) {
  const uint32_t more = readers->room_sets ? readers->room_sets : FIRST_ROOM;
  if (!may_take(used, more * sizeof *readers->sets)) return false;
  uint32_t *sets =
      realloc(readers->sets, (readers->room_sets + more) * sizeof *sets);
  if (!sets) return false;
  readers->sets = sets;
  readers->room_sets += more;
  return true;
}

// Gives the cell those lanes; false: no memory, and it has what it had.
static bool set_lanes(Readers *readers, atomic_size_t *used, uint16_t *code,
                      uint32_t lanes) {
  if (!(lanes & (lanes - 1))) {
    *code = lanes ? (uint16_t)(FIRST_LANE + __builtin_ctz(lanes)) : NO_LANE;
    return true;
  }
  const uint32_t count = readers->num_sets;
  for (uint32_t i = count; i > 0 && i + RECENT_SETS > count; i--) {
    if (readers->sets[i - 1] != lanes) continue;
    *code = (uint16_t)(FIRST_SET + i - 1);
    return true;
  }
  if (count == MOST_SETS ||
      (count == readers->room_sets && !grow_sets(readers, used)))
    return false;
  readers->sets[readers->num_sets++] = lanes;
  *code = (uint16_t)(FIRST_SET + count);
  return true;
}

static bool grow(Readers *readers, atomic_size_t *used) {
  const uint32_t room = readers->room ? 2 * readers->room : FIRST_ROOM;
  const size_t bytes = readers->num_blocks * sizeof *readers->places;
  if (!may_take(used, (room - readers->room) *
                          (sizeof(Entry) + bytes + 2 * sizeof(uint32_t))))
    return false;
  Entry *entries = realloc(readers->entries, room * sizeof *entries);
  if (entries) readers->entries = entries;
  uint16_t *places = realloc(readers->places, room * bytes);
  if (places) readers->places = places;
  uint32_t *table = calloc(2 * (size_t)room, sizeof *table);
  if (!entries || !places || !table) {
    free(table);
    return false;
  }
  uint32_t *before = readers->table;
  const uint32_t size = 2 * readers->room;
  readers->table = table;
  readers->room = room;
  fill_table(readers, before, size);
  free(before);
  return true;
}

static bool grow_blocks(Readers *readers, atomic_size_t *used) {
  const uint32_t room =
      readers->blocks_room ? 2 * readers->blocks_room : FIRST_ROOM;
  if (room > MOST_BLOCKS ||
      !may_take(used, (room - readers->blocks_room) * sizeof(Block)))
    return false;
  Block *blocks = realloc(readers->blocks, room * sizeof *blocks);
  if (!blocks) return false;
  readers->blocks = blocks;
  readers->blocks_room = room;
  return true;
}

// An empty one; 0: no memory.
static uint32_t take_block(Readers *readers, atomic_size_t *used) {
  uint32_t i = readers->blocks_unused;
  if (i) {
    readers->blocks_unused = block_at(readers, i)->codes[0];
  } else {
    if (readers->blocks_count == readers->blocks_room &&
        !grow_blocks(readers, used))
      return 0;
    i = ++readers->blocks_count;
  }
  *block_at(readers, i) = (Block){.count = 1};
  return i;
}

static void give_block(Readers *readers, uint32_t i) {
  Block *block = block_at(readers, i);
  assert(block->count && "a block that nobody has"); // I6
  if (--block->count) return;
  block->hash = 0;
  block->codes[0] = (uint16_t)readers->blocks_unused;
  readers->blocks_unused = i;
}

static Block *copy_block(Readers *readers, atomic_size_t *used,
                         uint16_t *place) {
  const uint32_t i = take_block(readers, used);
  if (!i) return NULL;
  Block *block = block_at(readers, i), *from = block_at(readers, *place);
  memcpy(block->codes, from->codes, sizeof block->codes);
  give_block(readers, *place);
  *place = (uint16_t)i;
  return block;
}

// The entry's own block, to be changed; NULL: no memory.
static Block *own_block(Readers *readers, atomic_size_t *used,
                        uint16_t *place) {
  Block *block = block_at(readers, *place);
  if (block->count > 1) return copy_block(readers, used, place);
  block->hash = 0;
  return block;
}

static uint32_t hash_of(const Block *block) {
  uint32_t hash = 1;
  for (int i = 0; i < BLOCK_CELLS; i++)
    hash = (hash ^ block->codes[i]) * 2654435761u;
  return hash | 1;
}

// The block of that place, which will not change soon, gives way to an equal
// one, if there is one among the last.
static void share_block(Readers *readers, uint16_t *place) {
  Block *block = block_at(readers, *place);
  if (block->hash) return;
  assert(block->count && "a block that nobody has"); // I6
  const uint32_t hash = hash_of(block), count = readers->blocks_count;
  for (uint32_t i = count; i > 0 && i + RECENT_BLOCKS > count; i--) {
    Block *other = block_at(readers, i);
    if (other->hash != hash ||
        memcmp(other->codes, block->codes, sizeof block->codes))
      continue;
    other->count++;
    give_block(readers, *place);
    *place = (uint16_t)i;
    return;
  }
  block->hash = hash;
}

static void share_blocks(Readers *readers, uint32_t entry) {
  uint16_t *places = places_at(readers, entry);
  for (uint32_t i = 0; i < readers->num_blocks; i++)
    if (places[i]) share_block(readers, &places[i]);
}

// -- Adding ------------------------------------------------------------------

static bool meets(const Readers *readers, const Block *a, const Block *b) {
  uint32_t both = 0;
  for (int i = 0; i < BLOCK_CELLS; i++)
    both |= lanes_of(readers, a->codes[i]) & lanes_of(readers, b->codes[i]);
  return both;
}

// Takes from a block what is in the other; whether something is left.
static bool take_from(Readers *readers, uint16_t *place, uint16_t other) {
  if (!meets(readers, block_at(readers, *place), block_at(readers, other)))
    return true;
  Block *block = own_block(readers, NULL, place);
  if (!block) return true;
  const Block *taken = block_at(readers, other);
  uint32_t left = 0;
  for (int i = 0; i < BLOCK_CELLS; i++) {
    const uint32_t lanes = lanes_of(readers, block->codes[i]);
    const uint32_t less = lanes_of(readers, taken->codes[i]);
    if (lanes & less) set_lanes(readers, NULL, &block->codes[i], lanes & ~less);
    left |= block->codes[i];
  }
  return left;
}

// Takes from one entry what another has; whether something is left.
static bool take_from_entry(Readers *readers, uint32_t i, uint32_t other) {
  uint16_t *places = places_at(readers, i);
  const uint16_t *others = places_at(readers, other);
  bool is_left = false;
  for (uint32_t j = 0; j < readers->num_blocks; j++) {
    if (!places[j]) continue;
    if (!others[j] || take_from(readers, &places[j], others[j])) {
      is_left = true;
      continue;
    }
    give_block(readers, places[j]);
    places[j] = 0;
  }
  return is_left;
}

// Takes from the older entries the lanes that the newest has; entries that have
// nothing left are free.
static void take_from_older(Readers *readers, uint32_t newest) {
  uint32_t *link = &entry_at(readers, newest)->older;
  while (*link) {
    const uint32_t i = *link;
    Entry *entry = entry_at(readers, i);
    if (take_from_entry(readers, i, newest)) {
      link = &entry->older;
      continue;
    }
    *link = entry->older;
    entry->older = readers->unused;
    readers->unused = i;
  }
}

static uint32_t take_entry(Readers *readers, atomic_size_t *used) {
  const uint32_t unused = readers->unused;
  if (unused) {
    readers->unused = entry_at(readers, unused)->older;
    return unused;
  }
  if (readers->count == readers->room && !grow(readers, used)) return 0;
  return ++readers->count;
}

static bool is_at(const Past *entry, const Past *read) {
  return is_same_warp(entry, read) && entry->clock == read->clock;
}

// The entry for the read; 0: no memory.
static uint32_t entry_for(Readers *readers, atomic_size_t *used,
                          const Past *read) {
  if (readers->recent && is_at(&entry_at(readers, readers->recent)->past, read))
    return readers->recent;
  if (readers->recent) share_blocks(readers, readers->recent);
  uint32_t newest = readers->room ? *find(readers, read) : 0;
  if (newest && is_at(&entry_at(readers, newest)->past, read)) return newest;
  if (newest) take_from_older(readers, newest);
  const uint32_t i = take_entry(readers, used);
  if (!i) return 0;
  *entry_at(readers, i) = (Entry){*read, newest};
  memset(places_at(readers, i), 0,
         readers->num_blocks * sizeof *readers->places);
  *find(readers, read) = i;
  return i;
}

bool readers_add(Readers **place, atomic_size_t *used, int fine, uint32_t cell,
                 const Past *read) {
  if (!*place) *place = create(fine);
  Readers *readers = *place;
  assert(!readers || cell < readers->num_blocks * BLOCK_CELLS); // I1
  const uint32_t i = readers ? entry_for(readers, used, read) : 0;
  if (!i) return false;
  uint16_t *number = &places_at(readers, i)[cell / BLOCK_CELLS];
  if (!*number) *number = (uint16_t)take_block(readers, used);
  Block *block = *number ? own_block(readers, used, number) : NULL;
  if (!block) return false;
  uint16_t *code = &block->codes[cell % BLOCK_CELLS];
  if (!set_lanes(readers, used, code, lanes_of(readers, *code) | read->lanes))
    return false;
  entry_at(readers, i)->past.what = read->what;
  readers->any[cell / 64] |= UINT64_C(1) << cell % 64;
  readers->recent = i;
  return true;
}

// -- Looking -----------------------------------------------------------------

bool readers_next(const Readers *readers, uint32_t cell, uint32_t *at,
                  Past *past) {
  if (!(readers->any[cell / 64] >> cell % 64 & 1)) return false;
  while (*at < readers->count) {
    const uint16_t *code = code_at(readers, ++*at, cell);
    if (!code || !*code) continue;
    *past = entry_at(readers, *at)->past;
    past->lanes = lanes_of(readers, *code);
    return true;
  }
  return false;
}

bool readers_are_due(Readers *readers) {
  if (readers->count < 2 * readers->looked_at) return false;
  readers->looked_at = readers->count;
  return true;
}

void readers_forget(Readers *readers, uint32_t cell, uint32_t at) {
  uint16_t *place = &places_at(readers, at)[cell / BLOCK_CELLS];
  Block *block = *place ? own_block(readers, NULL, place) : NULL;
  if (block) block->codes[cell % BLOCK_CELLS] = NO_LANE;
}

// -- Finer cells -------------------------------------------------------------

static void spread_bits(const uint64_t *from, uint64_t *to, uint32_t num_cells,
                        int shift) {
  for (uint32_t i = 0; i < num_cells << shift; i++)
    to[i / 64] |= (from[(i >> shift) / 64] >> (i >> shift) % 64 & 1) << i % 64;
}

// Each block becomes several in a row.
static void spread_blocks(const Readers *readers, Block *to, uint16_t *places,
                          int shift) {
  for (uint32_t i = 0; i < readers->blocks_count << shift; i++)
    to[i] = (Block){.count = readers->blocks[i >> shift].count};
  for (uint32_t i = 0; i < (readers->blocks_count * BLOCK_CELLS) << shift; i++)
    to[i / BLOCK_CELLS].codes[i % BLOCK_CELLS] =
        readers->blocks[(i >> shift) / BLOCK_CELLS]
            .codes[(i >> shift) % BLOCK_CELLS];
  for (uint32_t i = 0; i < (readers->count * readers->num_blocks) << shift;
       i++) {
    const uint32_t first = readers->places[i >> shift];
    const uint32_t part = i & ((UINT32_C(1) << shift) - 1);
    places[i] = (uint16_t)(first ? ((first - 1) << shift) + part + 1 : 0);
  }
}

bool readers_refine(Readers *readers, int shift) {
  const uint32_t num_cells = readers->num_blocks * BLOCK_CELLS;
  const uint32_t num_blocks = readers->num_blocks << shift;
  const uint32_t blocks_room = readers->blocks_room << shift;
  if (blocks_room > MOST_BLOCKS) return false;
  uint64_t *any = calloc((num_cells << shift) / 64, sizeof *any);
  uint16_t *places =
      malloc((size_t)readers->room * num_blocks * sizeof *places + 1);
  Block *blocks = malloc(blocks_room * sizeof *blocks + 1);
  if (!any || !places || !blocks) {
    free(any);
    free(places);
    free(blocks);
    return false;
  }
  spread_bits(readers->any, any, num_cells, shift);
  spread_blocks(readers, blocks, places, shift);
  free(readers->any);
  free(readers->places);
  free(readers->blocks);
  readers->any = any;
  readers->places = places;
  readers->blocks = blocks;
  readers->num_blocks = num_blocks;
  readers->blocks_count <<= shift;
  readers->blocks_room = blocks_room;
  readers->blocks_unused = 0; // not worth a search
  return true;
}
