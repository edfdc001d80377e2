// reduce_warps.c -- combines the partial results of warps.
//
// Shared memory holds, for each input, a row of 2^log2_warps values for each
// element of the result: all rows, or those of a part of a thread's registers
// at a time (ir/exchange.h).  Every thread combines the rows of its results
// itself, or half of each if another lane needs the same.
//
// For example, sums along axis 0 of 64x8 by four warps: eight rows of four
// floats, 128 bytes.  Lane 0 of warp w has columns 0 to 3 and stores them at
// bytes 4w, 4w + 32, 4w + 64, 4w + 96; lane 1 stores columns 4 to 7 16 bytes
// behind.
#include "codegen/exchange/reduce.h"

#include "ir/exchange.h"

#include <assert.h>

typedef struct {
  int log2_warps, log2_parts;
  int log2_bytes;      // of the widest values
  int log2_width;      // values that an access reads
  LinearMap places;    // maps register, lane and warp of the result to a row
  LLVMValueRef row;    // of group 0
  uint32_t row_bits;   // bits that can be set in it
  LLVMValueRef warp;   // this warp's place in a row
  LLVMValueRef writes; // does this thread write?  NULL: yes
  int partner;         // lane bit of the partner that reads the other half; -1:
                       // none
  LLVMValueRef first;  // first place of a row that this thread reads
  uint32_t first_bits; // bits that can be set in it
  int64_t *starts;     // of each input's rows, and the end of the last ones
} Rows;

// Two lanes divide a row of at least 2^LEAST_SHARED warps' values: a shorter
// one is read at once, and costs no registers.
enum { LEAST_SHARED = 2 };

enum { LOG2_BANK = 2, LOG2_BANKS = 7, LOG2_WIDEST = 4 };

// The number of values of a row that a thread reads.
static int log2_read(const Rows *rows) {
  return rows->log2_warps - (rows->partner >= 0);
}

static int bytes_of(const Reduction *x, int input) {
  const Type *element = op_operand(x->op, input)->type->element;
  return (int)emit_memory_bytes(element);
}

static int log2_widest(const Reduction *x) {
  int most = 0;
  for (int i = 0; i < x->num_inputs; i++) {
    const int log2_bytes = floor_log2(bytes_of(x, i));
    if (log2_bytes > most) most = log2_bytes;
  }
  return most;
}

// -- Places in a row ---------------------------------------------------------
//
// Rows of lanes at a distance of all banks start in the same bank.  These lanes
// write and read in different orders, if the region is symmetric: values are
// combined in pairs, and pairs of pairs, and flipping a bit of the place only
// exchanges the two sides of a pair.
//
// For example, four warps have the parts p0 to p3 of each result.  A row is p0
// p1 p2 p3, and (p0 + p1) + (p2 + p3) is its sum.  Another lane, whose row
// starts in the same bank, flips bit 0 of each place: p1 p0 p3 p2.  Each warp
// then writes its parts of the two to different banks, and (p1 + p0) + (p3 +
// p2) has the same bits.

// Gives lanes of the lowest 2^log2_lanes that would conflict in a bank
// different places, which differ in a bit of `places`.
static void spread_over_banks(const Reduction *x, const Rows *rows,
                              int log2_lanes, uint32_t places, LinearMap *map) {
  if (x->sided || !x->slice) return;
  const int first = x->slice->num_bits[LAYOUT_REGISTER];
  const int log2_row = rows->log2_bytes + rows->log2_warps;
  for (int i = 0; i < log2_lanes && places; i++) {
    const uint32_t row = rows->places.column[first + i];
    if (!row || log2_row + floor_log2(row) < LOG2_BANKS) continue;
    map->column[i] |= places & (~places + 1);
    places &= places - 1;
  }
}

// The bits of places in a row, without the lowest `log2`.
static uint32_t places_from(const Rows *rows, int log2) {
  const uint32_t all = (UINT32_C(1) << rows->log2_warps) - 1;
  return all >> log2 << log2;
}

static LLVMValueRef place_of_warp(const Reduction *x, const Rows *rows,
                                  uint32_t warps) {
  const int num_lanes = x->layout->num_bits[LAYOUT_LANE];
  LinearMap map = {.num_in = num_lanes + x->layout->num_bits[LAYOUT_WARP]};
  for (int i = num_lanes; i < map.num_in; i++) {
    if (!(warps >> (i - num_lanes) & 1)) continue;
    map.column[i] = UINT32_C(1) << map.num_out++;
  }
  const int in_bank = LOG2_BANK - rows->log2_bytes;
  const uint32_t places = places_from(rows, in_bank > 0 ? in_bank : 0);
  spread_over_banks(x, rows, num_lanes, places, &map);
  uint32_t ignored;
  return simt_linear(x->s, &map, 0, &ignored);
}

// Lanes that hold the same results share the reading of a row.
static int find_partner(const Reduction *x, const Rows *rows, uint32_t copies) {
  const int num_lanes = x->layout->num_bits[LAYOUT_LANE];
  if (rows->log2_warps < LEAST_SHARED) return -1;
  for (int i = 0; i < num_lanes; i++)
    if (copies >> i & 1) return i;
  return -1;
}

// The number of lanes that read in one turn is the number of banks.
static void find_first(const Reduction *x, Rows *rows) {
  const int log2_turn = LOG2_BANKS - rows->log2_bytes - rows->log2_width;
  LinearMap map = {.num_in = x->layout->num_bits[LAYOUT_LANE],
                   .num_out = rows->log2_warps};
  uint32_t places = places_from(rows, rows->log2_width);
  if (rows->partner >= 0) {
    const uint32_t half = UINT32_C(1) << log2_read(rows);
    map.column[rows->partner] = half;
    if (rows->partner < log2_turn) places &= ~half;
  }
  spread_over_banks(x, rows, int_min(log2_turn, map.num_in), places, &map);
  rows->first = simt_linear(x->s, &map, 0, &rows->first_bits);
}

static int64_t *starts_of(const Reduction *x) {
  int64_t *starts = arena_array(x->s->e->arena, int64_t, x->num_inputs + 1);
  for (int i = 0; i <= x->num_inputs; i++)
    starts[i] = exchange_row_start(x->op, i);
  return starts;
}

static Rows make_rows(Reduction *x, uint32_t warps) {
  Simt *s = x->s;
  const int lane_bits = x->layout->num_bits[LAYOUT_LANE];
  Rows rows = {.log2_warps = __builtin_popcount(warps),
               .log2_parts = exchange_row_parts(x->op),
               .log2_bytes = log2_widest(x),
               .row = simt_i32(s, 0),
               .starts = starts_of(x)};
  const int warp_bits = x->layout->num_bits[LAYOUT_WARP];
  uint32_t copies = (UINT32_C(1) << (lane_bits + warp_bits)) - 1;
  if (x->slice) {
    const int first = x->slice->num_bits[LAYOUT_REGISTER];
    rows.places = exchange_row_places(x->slice);
    rows.row = simt_linear(s, &rows.places, first, &rows.row_bits);
    copies = simt_free_threads(x->slice);
  }
  rows.writes = simt_none_set(s, copies & ~(warps << lane_bits));
  rows.partner = find_partner(x, &rows, copies);
  rows.log2_width = int_min(log2_read(&rows), LOG2_WIDEST - rows.log2_bytes);
  rows.warp = place_of_warp(x, &rows, warps);
  assert(rows.log2_width >= 0 && rows.log2_warps <= 5); // I4
  find_first(x, &rows);
  return rows;
}

// -- One part ----------------------------------------------------------------

static SimtAccess access_for(const Reduction *x, int input) {
  const Type *element = op_operand(x->op, input)->type->element;
  return (SimtAccess){.element = element, .shared = true, .mode = ""};
}

// The number of a group's row.
static uint32_t row_of(const Reduction *x, const Rows *rows, int group) {
  return x->slice ? linear_apply(&rows->places, (uint32_t)group) : 0;
}

static int log2_rows(const Rows *rows) {
  assert(!rows->log2_parts || rows->places.num_out >= rows->log2_parts); // I4
  return rows->places.num_out - rows->log2_parts;
}

// The address of this thread's `place` in the row of a group.  The constant
// part is added last, since accesses can contain it.
static LLVMValueRef row_address(const Reduction *x, const Rows *rows, int group,
                                int input, const Scratch *scratch,
                                LLVMValueRef place) {
  Simt *s = x->s;
  const int64_t bytes = bytes_of(x, input);
  const uint32_t in_part = (UINT32_C(1) << log2_rows(rows)) - 1;
  uint32_t at = row_of(x, rows, group) & in_part;
  LLVMValueRef row = rows->row;
  if (rows->row_bits & at) {
    row = simt_xor(s, row, rows->row_bits, at);
    at = 0;
  }
  const int64_t size = bytes << rows->log2_warps;
  LLVMValueRef offset =
      LLVMBuildAdd(s->b, LLVMBuildMul(s->b, row, simt_i32(s, size), ""),
                   LLVMBuildMul(s->b, place, simt_i32(s, bytes), ""), "");
  const int64_t rest = rows->starts[input] + at * size;
  return simt_shared_at(s, scratch_address(s, scratch, offset),
                        simt_i32(s, rest));
}

static bool is_in_part(const Reduction *x, const Rows *rows, int group,
                       int part) {
  return row_of(x, rows, group) >> log2_rows(rows) == (uint32_t)part;
}

static void write_rows(const Reduction *x, const Rows *rows, int part,
                       int input, const Scratch *scratch) {
  Simt *s = x->s;
  const SimtAccess access = access_for(x, input);
  for (int g = 0; g < x->num_groups; g++) {
    if (!is_in_part(x, rows, g, part)) continue;
    simt_access_store(s, &access,
                      row_address(x, rows, g, input, scratch, rows->warp),
                      rows->writes, &x->partial[g][input]);
  }
}

// Loads the values of all warps for a group, or half of them, to
// items[warp][input].
static void read_row(const Reduction *x, const Rows *rows, int group, int input,
                     const Scratch *scratch, LLVMValueRef **items) {
  Simt *s = x->s;
  SimtAccess access = access_for(x, input);
  access.log2_width = rows->log2_width;
  const int width = 1 << access.log2_width;
  assert(width <= 16 && access.log2_width <= log2_read(rows)); // I4
  for (int w = 0; w < 1 << log2_read(rows); w += width) {
    LLVMValueRef values[16];
    LLVMValueRef place =
        simt_xor(s, rows->first, rows->first_bits, (uint32_t)w);
    simt_access_load(s, &access,
                     row_address(x, rows, group, input, scratch, place), NULL,
                     NULL, values);
    for (int i = 0; i < width; i++) items[w + i][input] = values[i];
  }
}

static bool combine_row(Reduction *x, const Rows *rows, int group,
                        const Scratch *scratch) {
  const int count = 1 << log2_read(rows);
  LLVMValueRef *items[32];
  for (int w = 0; w < count; w++) items[w] = simt_new(x->s, x->num_inputs);
  for (int i = 0; i < x->num_inputs; i++) {
    read_row(x, rows, group, i, scratch, items);
  }
  if (!reduction_combine(x, items, count)) return false;
  x->partial[group] = items[0];
  return rows->partner < 0 ||
         reduction_meet_lane(x, x->partial[group], rows->partner);
}

static bool meet_in_part(Reduction *x, const Rows *rows, int part) {
  Scratch scratch;
  const int64_t bytes = rows->starts[x->num_inputs];
  if (!scratch_open(x->s, x->op, bytes, &scratch)) return false;
  for (int i = 0; i < x->num_inputs; i++) {
    write_rows(x, rows, part, i, &scratch);
  }
  scratch_publish(x->s);
  for (int g = 0; g < x->num_groups; g++) {
    if (!is_in_part(x, rows, g, part)) continue;
    if (!combine_row(x, rows, g, &scratch)) return false;
  }
  return true;
}

bool reduction_meet_warps(Reduction *x) {
  const uint32_t warps = exchange_axis_bits(x->layout, x->axis, LAYOUT_WARP);
  if (!warps) return true;
  const Rows rows = make_rows(x, warps);
  for (int part = 0; part < 1 << rows.log2_parts; part++) {
    if (!meet_in_part(x, &rows, part)) return false;
  }
  return true;
}
