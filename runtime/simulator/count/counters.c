// counters.c -- counts instructions, sectors and bank conflicts.
//
// A warp's request to global memory accesses sectors of 32 bytes.  A request to
// shared memory takes a turn for each eight lanes of 16 bytes, sixteen lanes of
// 8, or all lanes of less, and more turns if lanes access different words of
// one bank.
//
// For example, 32 lanes that load a word each from consecutive addresses take
// one turn; with a stride of two words, each bank has two words, and they take
// two.
#include "runtime/simulator/count/counters.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/simulator/async/async.h"
#include "runtime/simulator/code/pick.h"
#include "runtime/simulator/matrix/wgmma.h"
#include "runtime/simulator/memory/memory.h"

const char *const work_class_names[NUM_WORK_CLASSES] = {
#define CLASS(id, name) name,
#include "runtime/simulator/count/work_classes.def"
};

// How an instruction moves data from or to memory.
typedef enum {
  TRAFFIC_NONE,
  TRAFFIC_LOAD,
  TRAFFIC_STORE,
  TRAFFIC_ATOMIC,
  TRAFFIC_ROWS_LOADED, // eight lanes' addresses a matrix
  TRAFFIC_ROWS_STORED,
  TRAFFIC_MATRICES, // by descriptors
  TRAFFIC_COPY,     // from global to shared memory
  TRAFFIC_BULK,     // between them, as async.h measures
} Traffic;

// -- The class of an instruction ---------------------------------------------

typedef struct {
  const char *name;
  uint8_t class, flops;
  Traffic traffic;
} Opcode;

static const Opcode *find_opcode(const char *name) {
  static const Opcode opcodes[] = {
#define WORK(name, class, flops, traffic)                                      \
  {#name, WORK_##class, flops, TRAFFIC_##traffic},
#include "runtime/simulator/count/work.def"
  };
  for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++) {
    if (strcmp(opcodes[i].name, name) == 0) return &opcodes[i];
  }
  return NULL;
}

static WorkClass arithmetic_class(TypeId type) {
  switch (type) {
  case TYPE_F16:
  case TYPE_BF16:
  case TYPE_F16X2:
  case TYPE_BF16X2: return WORK_FP16;
  case TYPE_F32: return WORK_FP32;
  case TYPE_F64: return WORK_FP64;
  default: return WORK_INTEGER;
  }
}

static WorkClass access_class(const Inst *inst, bool is_store) {
  switch (inst->space) {
  case SPACE_GLOBAL: return is_store ? WORK_GLOBAL_STORE : WORK_GLOBAL_LOAD;
  case SPACE_SHARED: return is_store ? WORK_SHARED_STORE : WORK_SHARED_LOAD;
  case SPACE_LOCAL: return WORK_LOCAL;
  case SPACE_PARAM: return WORK_PARAMETER;
  default: return WORK_GENERIC;
  }
}

// The FLOPs of the whole matrix product, which a warp executes together.
static uint32_t product_flops(const PtxStmt *stmt) {
  unsigned m, n, k;
  for (const PtxWord *word = stmt->modifiers; word; word = word->next) {
    if (sscanf(word->text, "m%un%uk%u", &m, &n, &k) == 3)
      return 2 * m * n * k / LANES;
  }
  return 0;
}

static Traffic traffic_of(const Inst *inst, const Opcode *opcode) {
  const Traffic usual = opcode ? opcode->traffic : TRAFFIC_NONE;
  if (usual != TRAFFIC_COPY) return usual;
  if (bulk_copies(inst)) return TRAFFIC_BULK;
  const bool is_copy = inst->num_ops > 3 && inst->mode != WORD_BULK;
  return is_copy ? TRAFFIC_COPY : TRAFFIC_NONE;
}

static uint32_t access_bytes(const Inst *inst, Traffic traffic) {
  const uint32_t size = type_table[inst->type].bytes;
  switch (traffic) {
  case TRAFFIC_LOAD:
  case TRAFFIC_STORE:
  case TRAFFIC_ATOMIC: return size * inst->num_dst;
  case TRAFFIC_ROWS_LOADED:
  case TRAFFIC_ROWS_STORED: return 16;
  case TRAFFIC_COPY: return (uint32_t)inst->imm;
  default: return 0;
  }
}

static Work work_of(const Inst *inst) {
  Work work = {.class = inst->is_branch ? WORK_BRANCH : WORK_CONTROL};
  if (inst->is_indexed) work.class = WORK_BRANCH;
  if (!inst->stmt) return work;
  const char *name = inst->stmt->name;
  const Opcode *opcode = find_opcode(name);
  const Traffic traffic = traffic_of(inst, opcode);
  const TypeId type = (TypeId)inst->type;
  work.class = opcode ? opcode->class : WORK_INTEGER;
  if (work.class == WORK_ARITHMETIC)
    work.class = (uint8_t)arithmetic_class(type);
  if (work.class == WORK_DIVISION)
    work.class =
        arithmetic_class(type) == WORK_INTEGER ? WORK_INTEGER : WORK_SPECIAL;
  if (work.class == WORK_ACCESS)
    work.class = (uint8_t)access_class(
        inst, traffic == TRAFFIC_STORE || traffic == TRAFFIC_ROWS_STORED);
  const bool is_packed = type_table[type].class == CLASS_PACKED;
  if (opcode && work.class != WORK_INTEGER)
    work.flops = opcode->flops * (is_packed ? 2u : 1u);
  if (work.class == WORK_TENSOR) work.flops = product_flops(inst->stmt);
  if (inst->columns) work.flops /= GROUP_WARPS; // each warp is counted
  if (traffic == TRAFFIC_MATRICES && !inst->columns) work.class = WORK_FENCE;
  work.access = (uint8_t)traffic;
  work.bytes = access_bytes(inst, traffic);
  return work;
}

Work *works_create(const Code *code) {
  Work *works = calloc(code->num_insts, sizeof *works);
  for (uint32_t i = 0; works && i < code->num_insts; i++)
    works[i] = work_of(&code->insts[i]);
  return works;
}

// -- Requests ----------------------------------------------------------------

// The addresses of a warp's lanes in one memory space.
typedef struct {
  uint64_t address[LANES];
  uint32_t count, bytes;
  uint32_t num_peers; // addresses in other CTAs
} Request;

static uint64_t distinct(uint64_t *numbers, uint32_t count) {
  uint64_t found = 0;
  for (uint32_t i = 0; i < count; i++) {
    bool is_new = true;
    for (uint32_t j = 0; j < found && is_new; j++)
      is_new = numbers[j] != numbers[i];
    if (is_new) numbers[found++] = numbers[i];
  }
  return found;
}

static void count_sectors(const Request *request, Count *count) {
  uint64_t sectors[LANES * 4];
  uint32_t n = 0;
  for (uint32_t i = 0; i < request->count; i++) {
    const uint64_t last = request->address[i] + request->bytes - 1;
    for (uint64_t s = request->address[i] / SECTOR_BYTES;
         s <= last / SECTOR_BYTES && n < LANES * 4; s++)
      sectors[n++] = s;
  }
  count->sectors += distinct(sectors, n);
}

// The largest number of different words in one bank.  Atomics take turns even
// at the same word.
static uint32_t turns_of(const Request *request, uint32_t first, uint32_t end,
                         bool is_atomic) {
  uint64_t words[LANES * 4];
  uint32_t n = 0, used[NUM_BANKS] = {0}, most = 0;
  for (uint32_t i = first; i < end; i++) {
    const uint64_t last = request->address[i] + request->bytes - 1;
    for (uint64_t w = request->address[i] / BANK_BYTES;
         w <= last / BANK_BYTES && n < LANES * 4; w++)
      words[n++] = w;
  }
  if (!is_atomic) n = (uint32_t)distinct(words, n);
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t now = ++used[words[i] % NUM_BANKS];
    if (now > most) most = now;
  }
  return most;
}

static void count_turns(const Request *request, bool is_atomic, Count *count) {
  const uint32_t words =
      request->bytes > BANK_BYTES ? request->bytes / BANK_BYTES : 1;
  const uint32_t together = words < LANES ? LANES / words : 1;
  for (uint32_t i = 0; i < request->count; i += together) {
    const uint32_t rest = request->count - i;
    const uint32_t end = i + (rest < together ? rest : together);
    const uint32_t turns = turns_of(request, i, end, is_atomic);
    assert(turns && "an access that takes no turn"); // I1
    count->turns += turns;
    count->conflicts += turns - 1;
  }
}

static void add_lane(const Cta *cta, uint8_t space, uint64_t address,
                     uint32_t bytes, Request requests[2]) {
  Place place = {.space = space, .offset = address};
  if (space == SPACE_GENERIC) memory_window(&place, address);
  if (place.space != SPACE_GLOBAL && place.space != SPACE_SHARED) return;
  Request *request = &requests[place.space == SPACE_SHARED];
  assert(request->count < LANES && "more addresses than lanes"); // I2
  request->bytes = bytes;
  request->num_peers +=
      place.space == SPACE_SHARED && is_peers(cta, place.offset);
  request->address[request->count++] = place.offset;
}

static void gather(const Warp *warp, const uint32_t *op, uint8_t space,
                   uint32_t mask, uint32_t bytes, Request requests[2]) {
  for (int lane = 0; lane < LANES; lane++) {
    if (in_mask(mask, lane))
      add_lane(warp->cta, space, lane_address(warp, op, lane), bytes, requests);
  }
}

// The shared memory of a CTA takes one turn for each 128 bytes of the copy,
// whatever their address.
static void count_copy(const Warp *warp, const BulkMeasure *measure,
                       Count *count) {
  const uint32_t turn_bytes = NUM_BANKS * BANK_BYTES;
  const uint32_t ctas = measure->multicast;
  const uint32_t num_ctas = ctas ? (uint32_t)__builtin_popcount(ctas) : 1;
  const uint32_t num_peers =
      ctas ? num_ctas - (ctas >> warp->cta->rank & 1) : measure->is_peers;
  count->bytes += measure->bytes;
  count->global_bytes += measure->global_bytes;
  count->shared_bytes += measure->bytes * num_ctas;
  count->peer_bytes += measure->bytes * num_peers;
  count->saved_bytes += measure->global_bytes * (num_ctas - 1);
  count->sectors += measure->sectors;
  count->turns += (measure->bytes + turn_bytes - 1) / turn_bytes * num_ctas;
}

static void count_bulk(const Warp *warp, const Inst *inst, uint32_t mask,
                       Count *count) {
  for (int lane = 0; lane < LANES; lane++) {
    if (!in_mask(mask, lane)) continue;
    const BulkMeasure measure = bulk_measure(warp, inst, lane);
    count_copy(warp, &measure, count);
  }
}

// Eight lines of a matrix are accessed at once, an atom of each.
static void count_matrix(const WgmmaMatrix *matrix, Count *count) {
  enum { LINES = 8 };
  const uint32_t lines = matrix_lines(matrix), across = matrix_across(matrix);
  for (uint32_t i = 0; i < lines * across / LINES; i++) {
    Request request = {.count = LINES, .bytes = ATOM_BYTES};
    for (uint32_t j = 0; j < LINES; j++)
      request.address[j] =
          matrix_place(matrix, i / across * LINES + j, i % across);
    count_turns(&request, false, count);
  }
  count->bytes += lines * across * ATOM_BYTES;
  count->shared_bytes += lines * across * ATOM_BYTES;
}

// Counts for the first warp the bytes that all four of its group read together.
static void count_matrices(const Warp *warp, const Inst *inst, Count *count) {
  if (!inst->columns || warp->index % GROUP_WARPS) return;
  const uint64_t *a = reg(warp, inst->op[wgmma_a_at(inst)]);
  const uint64_t *b = reg(warp, inst->op[wgmma_b_at(inst)]);
  if (!(inst->sub & WGMMA_A_HELD)) {
    const WgmmaMatrix matrix =
        wgmma_matrix(*a, inst->sub & WGMMA_TRANS_A, WGMMA_ROWS, WGMMA_A_BYTES);
    count_matrix(&matrix, count);
  }
  const WgmmaMatrix matrix = wgmma_matrix(*b, inst->sub & WGMMA_TRANS_B,
                                          inst->columns, wgmma_row_bytes(inst));
  count_matrix(&matrix, count);
}

static void count_access(const Warp *warp, const Inst *inst, uint32_t mask,
                         const Work *work, Count *count) {
  Request requests[2] = {{.count = 0, .num_peers = 0},
                         {.count = 0, .num_peers = 0}};
  const uint32_t n = inst->num_dst;
  const uint32_t rows = n < 4 ? (1u << 8 * n) - 1 : ALL_LANES;
  const uint32_t bytes = work->bytes;
  switch ((Traffic)work->access) {
  case TRAFFIC_NONE: return;
  case TRAFFIC_BULK: count_bulk(warp, inst, mask, count); return;
  case TRAFFIC_MATRICES: count_matrices(warp, inst, count); return;
  case TRAFFIC_LOAD:
    gather(warp, inst->op + n, inst->space, mask, bytes, requests);
    break;
  case TRAFFIC_STORE:
    gather(warp, inst->op, inst->space, mask, bytes, requests);
    break;
  case TRAFFIC_ATOMIC:
    gather(warp, inst->op + (inst->sub ? n : 0), inst->space, mask, bytes,
           requests);
    break;
  case TRAFFIC_ROWS_LOADED:
    gather(warp, inst->op + n, SPACE_SHARED, mask & rows, bytes, requests);
    break;
  case TRAFFIC_ROWS_STORED:
    gather(warp, inst->op, SPACE_SHARED, mask & rows, bytes, requests);
    break;
  case TRAFFIC_COPY:
    gather(warp, inst->op, SPACE_SHARED, mask, bytes, requests);
    gather(warp, inst->op + 3, SPACE_GLOBAL, mask, bytes, requests);
    break;
  }
  count_sectors(&requests[0], count);
  count_turns(&requests[1], work->access == TRAFFIC_ATOMIC, count);
  count->global_bytes += (uint64_t)requests[0].count * bytes;
  count->shared_bytes += (uint64_t)requests[1].count * bytes;
  count->peer_bytes += (uint64_t)requests[1].num_peers * bytes;
  const uint32_t lanes = work->access == TRAFFIC_COPY
                             ? requests[0].count
                             : requests[0].count + requests[1].count;
  count->bytes += (uint64_t)lanes * bytes;
}

Count count_one(const Warp *warp, const Inst *inst, uint32_t mask,
                uint32_t standing) {
  const Launch *launch = warp->cta->launch;
  Count count = {.warps = 1, .threads = (uint32_t)__builtin_popcount(mask)};
  count.comes = mask != 0;
  count.roles = (uint32_t)count.comes << warp->index;
  if (inst->is_branch) count.splits = mask && mask != standing;
  if (mask)
    count_access(warp, inst, mask, &launch->works[inst - launch->code->insts],
                 &count);
  return count;
}

bool count_waits(const Warp *warp, const Inst *inst, uint32_t mask) {
  const Launch *launch = warp->cta->launch;
  const Work *work = &launch->works[inst - launch->code->insts];
  if (work->class != WORK_BARRIER || !mask) return false;
  if (inst->mode == WORD_TEST_WAIT || inst->mode == WORD_TRY_WAIT)
    return mask & ~*pred(warp, inst->op[0]);
  return warp->groups[warp->running].state != GROUP_READY;
}

void count_add(Count *to, const Count *from) {
  to->warps += from->warps;
  to->threads += from->threads;
  to->splits += from->splits;
  to->bytes += from->bytes;
  to->global_bytes += from->global_bytes;
  to->shared_bytes += from->shared_bytes;
  to->peer_bytes += from->peer_bytes;
  to->saved_bytes += from->saved_bytes;
  to->sectors += from->sectors;
  to->turns += from->turns;
  to->conflicts += from->conflicts;
  to->comes += from->comes;
  to->waits += from->waits;
  to->roles |= from->roles;
}
