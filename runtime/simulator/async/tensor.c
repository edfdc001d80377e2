// tensor.c -- cp.async.bulk.tensor: copies of boxes of tensors.
//
// The tensor map is read when the instruction is executed; the tensor is
// accessed when bulk copies are, row by row.  In shared memory a box is always
// whole: elements outside the tensor are filled, and count for the mbarrier.
//
// For example, a box has 8 rows of 16 floats, and begins at column 61 of a
// tensor with 64 columns.  A copy of it reads 8 pieces of 12 bytes, writes 512
// bytes of shared memory, and the mbarrier counts 512.
#include <string.h>

#include "runtime/simulator/async/async.h"
#include "runtime/simulator/async/bulk.h"
#include "runtime/simulator/memory/lanes.h"
#include "runtime/simulator/number/number.h"
#include "runtime/simulator/watch/watch.h"

enum { CHUNK = 16, BOX_ALIGN = 128 }; // bytes that a swizzle moves together

// -- Memory ------------------------------------------------------------------

bool tensor_each_global(Warp *warp, const BulkCopy *copy, Access access,
                        PieceFn run) {
  const CopiedBox *box = copy->box;
  TensorWalk walk;
  bool is_found = true;
  warp->touched = box;
  tensor_walk_start(box, &walk);
  for (; is_found && walk.row < box->num_rows; tensor_walk_next(box, &walk)) {
    const TensorRow row = tensor_walk_row(box, &walk);
    Place place;
    if (!row.bytes) continue;
    is_found = memory_place_aligned(warp, copy->inst, copy->lane, SPACE_GLOBAL,
                                    row.address, row.bytes, 1, access, &place);
    if (is_found)
      bulk_each_page(warp, copy, (uint32_t)walk.row * box->pitch + row.skip,
                     &place, row.bytes, run);
  }
  warp->touched = NULL;
  return is_found;
}

// Rows that are shorter than the swizzle have gaps between them.
void tensor_each_shared(Warp *warp, const BulkCopy *copy, SharedFn run) {
  const CopiedBox *box = copy->box;
  for (uint32_t row = 0; row < box->num_rows; row++)
    for (uint32_t i = 0; i < box->row_bytes; i += CHUNK)
      run(warp, copy, tensor_box_place(box, copy->shared, row * box->pitch + i),
          CHUNK);
}

// Copies chunk by chunk, each of which a swizzle moves as a whole.
typedef struct {
  uint8_t *data;
  uint32_t done, size;
} BoxPart;

static BoxPart next_part(const BulkCopy *copy, uint32_t at, uint32_t done,
                         uint32_t size) {
  const uint32_t here = at + done, rest = size - done;
  const uint32_t room = copy->box->span ? CHUNK - here % CHUNK : rest;
  return (BoxPart){copy->data + tensor_box_place(copy->box, copy->shared, here),
                   done, room < rest ? room : rest};
}

// Rounds elements of f32 to the map's type.  For example, 1 + 2^-11, which is
// 0x3f801000, lies between two numbers of tf32, and becomes 0x3f802000.
static void convert(const BulkCopy *copy, uint8_t *data, uint32_t size) {
  const uint8_t does = tensor_type(copy->box->map.type)->does;
  for (uint32_t i = 0; does && i < size; i += 4) {
    uint32_t bits;
    memcpy(&bits, data + i, sizeof bits);
    if (does & FLUSHES)
      bits = bits_from_float(flush_float(float_from_bits(bits)));
    if (does & ROUNDS) // to the nearest, ties away from zero
      bits = (bits & 0x7f800000) == 0x7f800000 ? bits : bits + 0x1000;
    if (does & ROUNDS) bits &= 0xffffe000;
    memcpy(data + i, &bits, sizeof bits);
  }
}

// Takes whole chunks, of elements that stay as they are, and returns the number
// of bytes.
static uint32_t take_chunks(const BulkCopy *copy, uint32_t at,
                            const uint8_t *from, uint32_t size) {
  const CopiedBox *box = copy->box;
  uint32_t done = 0;
  if (!box->span || at % CHUNK || tensor_type(box->map.type)->does) return 0;
  for (; size - done >= CHUNK; done += CHUNK)
    memcpy(copy->data + tensor_box_place(box, copy->shared, at + done),
           from + done, CHUNK);
  return done;
}

void tensor_take(const BulkCopy *copy, uint32_t at, const uint8_t *from,
                 uint32_t size) {
  for (uint32_t done = take_chunks(copy, at, from, size); done < size;) {
    const BoxPart part = next_part(copy, at, done, size);
    memcpy(part.data, from + done, part.size);
    convert(copy, part.data, part.size);
    done += part.size;
  }
}

void tensor_give(const BulkCopy *copy, uint32_t at, uint8_t *to,
                 uint32_t size) {
  for (uint32_t done = 0; done < size;) {
    const BoxPart part = next_part(copy, at, done, size);
    memcpy(to + done, part.data, part.size);
    done += part.size;
  }
  convert(copy, to, size);
}

void tensor_fill(const BulkCopy *copy) {
  const CopiedBox *box = copy->box;
  if (!box->map.fill)
    memset(copy->data, 0, copy->room);
  else
    for (uint32_t i = 0; i < copy->room; i++)
      copy->data[i] = tensor_box_filler(box, i);
}

// -- Maps --------------------------------------------------------------------

// Reads the bytes of the map, which may be in two pages of the race checker.
static bool read_bytes(Warp *warp, const Inst *inst, int lane, uint64_t address,
                       uint8_t *bytes) {
  for (uint32_t i = 0; i < TENSOR_MAP_BYTES; i += TENSOR_MAP_ALIGN) {
    Place place;
    if (!memory_place_aligned(warp, inst, lane, SPACE_GENERIC, address + i,
                              TENSOR_MAP_ALIGN, TENSOR_MAP_ALIGN, ACCESS_READ,
                              &place))
      return false;
    if (place.space == SPACE_SHARED || place.space == SPACE_LOCAL) {
      report(warp, inst, lane, KIND_TENSOR_MAP,
             "a tensor map in %s memory, not in parameters, constants or "
             "global memory",
             place.space == SPACE_SHARED ? "shared" : "local");
      return false;
    }
    if (!i && place.space == SPACE_GLOBAL)
      tensormap_check(warp, inst, lane, place.offset);
    RacePage *page = shadow_enter(warp, inst, lane, &place, TENSOR_MAP_ALIGN,
                                  ACCESS_READ, NULL);
    memcpy(bytes + i, place.host, TENSOR_MAP_ALIGN);
    shadow_exit(page);
  }
  return true;
}

static bool is_im2col(const Inst *inst) {
  return inst->walk == WORD_IM2COL || inst->walk == WORD_IM2COL_NO_OFFS;
}

static bool map_fits(const Warp *warp, const Inst *inst, int lane,
                     const TensorMap *map) {
  const int rank = map->last_dim + 1;
  if (rank != inst->num_dst)
    report(warp, inst, lane, KIND_TENSOR_MAP,
           "a tensor map of rank %d for %d coordinates", rank, inst->num_dst);
  else if (map->is_im2col != is_im2col(inst))
    report(warp, inst, lane, KIND_TENSOR_MAP,
           "a tensor map for %s, and a copy of %s",
           map->is_im2col ? "im2col" : "tiles",
           map->is_im2col ? "tiles" : "im2col");
  else if (map->is_im2col && map->interleave)
    report(warp, inst, lane, KIND_TENSOR_MAP,
           "im2col of interleaved channels is not simulated");
  else if (!map->address)
    report(warp, inst, lane, KIND_TENSOR_MAP,
           "a tensor map whose globalAddress is 0");
  else
    return true;
  return false;
}

static bool read_map(Warp *warp, const Inst *inst, int lane, const uint32_t *op,
                     TensorMap *map) {
  uint8_t bytes[TENSOR_MAP_BYTES];
  char wrong[160];
  if (!read_bytes(warp, inst, lane, lane_address(warp, op, lane), bytes))
    return false;
  memcpy(map, bytes, sizeof *map);
  if (tensor_map_check(map, wrong, sizeof wrong))
    return map_fits(warp, inst, lane, map);
  report(warp, inst, lane, KIND_TENSOR_MAP, "a tensor map whose %s", wrong);
  return false;
}

// -- Copies ------------------------------------------------------------------

// The indices of an instruction's operands.
typedef struct {
  const uint32_t *map, *coordinates, *shared, *mbarrier, *offsets, *mask;
} TensorOperands;

static TensorOperands operands_of(const Inst *inst) {
  const bool to_shared = inst->space == SPACE_SHARED;
  const uint32_t n = inst->num_dst, *op = inst->op;
  TensorOperands found = {.map = op + (to_shared ? 3 : 0)};
  found.coordinates = found.map + 3;
  const uint32_t *rest = found.coordinates + n;
  found.shared = to_shared ? op : rest;
  if (to_shared) found.mbarrier = rest, rest += 3;
  found.offsets = rest;
  if (to_shared && is_im2col(inst)) rest += n - 2;
  found.mask = rest;
  return found;
}

static void open_box(const Warp *warp, const Inst *inst, int lane,
                     const TensorOperands *operands, const TensorMap *map,
                     CopiedBox *box) {
  int32_t coordinates[TENSOR_DIMS];
  uint16_t offsets[PIXEL_DIMS] = {0};
  for (int i = 0; i < inst->num_dst; i++)
    coordinates[i] = (int32_t)lane_get(warp, operands->coordinates[i], 4, lane);
  for (int i = 0; inst->walk == WORD_IM2COL && i < inst->num_dst - 2; i++)
    offsets[i] = (uint16_t)lane_get(warp, operands->offsets[i], 2, lane);
  tensor_box_open(box, map, coordinates, offsets);
}

static bool read_box(Warp *warp, const Inst *inst, int lane,
                     const TensorOperands *operands, CopiedBox *box) {
  TensorMap map;
  if (!read_map(warp, inst, lane, operands->map, &map)) return false;
  open_box(warp, inst, lane, operands, &map, box);
  return true;
}

// Finds the box in shared memory, which must hold all of it.
static bool find_shared(Warp *warp, const Inst *inst, int lane,
                        const TensorOperands *operands, const CopiedBox *box,
                        Place *place) {
  const uint64_t room = tensor_box_room(box);
  const bool is_read = inst->space == SPACE_GLOBAL;
  const uint64_t address = lane_address(warp, operands->shared, lane);
  bool is_found = room <= MAX_SHARED;
  warp->touched = box;
  if (is_found)
    is_found = memory_place_aligned(
        warp, inst, lane, SPACE_SHARED, address, (uint32_t)room, BOX_ALIGN,
        is_read ? ACCESS_READ : ACCESS_WRITE, place);
  else
    report(warp, inst, lane, KIND_OUT_OF_BOUNDS,
           "a box of %llu bytes of shared memory", (unsigned long long)room);
  warp->touched = NULL;
  return is_found;
}

static bool may_reduce(const TensorType *type, WordId op);

// The address of a map that a kernel may change; 0: it may not.
static uint64_t map_in_memory(const Warp *warp, const TensorOperands *operands,
                              int lane) {
  const uint64_t address = lane_address(warp, operands->map, lane);
  Place place = {.space = SPACE_GENERIC, .offset = address};
  memory_window(&place, address);
  return place.space == SPACE_GLOBAL ? address : 0;
}

// Sets the plan for a given box.
static bool plan_copy(Warp *warp, const Inst *inst, int lane,
                      const TensorOperands *operands, CopiedBox *box,
                      BulkCopy *plan) {
  Place place, told;
  if (!read_box(warp, inst, lane, operands, box) ||
      !find_shared(warp, inst, lane, operands, box, &place))
    return false;
  const TensorType *type = tensor_type(box->map.type);
  *plan = (BulkCopy){.inst = inst,
                     .lane = (uint8_t)lane,
                     .at = place.cta,
                     .shared = (uint32_t)place.offset,
                     .box = box,
                     .map = map_in_memory(warp, operands, lane),
                     .size = (uint32_t)tensor_box_bytes(box),
                     .room = (uint32_t)tensor_box_room(box),
                     .to_global = inst->space == SPACE_GLOBAL,
                     .reduces = inst->bool_op != WORD_NONE,
                     .type = type->type,
                     .flushes = type->does & FLUSHES};
  if (plan->reduces && !may_reduce(type, (WordId)inst->bool_op)) {
    report(warp, inst, lane, KIND_TENSOR_MAP,
           "there is no such reduction of %s, the tensor map's type",
           type->name);
    return false;
  }
  if (plan->to_global) return true;
  return mbarrier_place(warp, inst, lane, operands->mbarrier, &told) &&
         bulk_may_tell(warp, plan, &told);
}

static uint32_t ctas_of(const Warp *warp, const Inst *inst,
                        const TensorOperands *operands, int lane) {
  return bulk_ctas(warp, inst, (int)(operands->mask - inst->op), lane);
}

static Step start_lane(Warp *warp, const Inst *inst, int lane) {
  const TensorOperands operands = operands_of(inst);
  CopiedBox box;
  BulkCopy plan;
  if (!plan_copy(warp, inst, lane, &operands, &box, &plan)) return STEP_FAULT;
  return inst->is_multicast
             ? bulk_multicast(warp, &plan, ctas_of(warp, inst, &operands, lane))
             : bulk_start(warp, &plan);
}

static Step exec_copy(Warp *warp, const Inst *inst, uint32_t mask) {
  warp->num_bulks_before = warp->num_bulks;
  for (int lane = 0; lane < LANES; lane++) {
    if (!in_mask(mask, lane)) continue;
    const Step step = start_lane(warp, inst, lane);
    if (step != STEP_NEXT) return step;
  }
  order_written(warp);
  return STEP_NEXT;
}

// A prefetch changes no result, but its map must be valid.
static Step exec_prefetch(Warp *warp, const Inst *inst, uint32_t mask) {
  for (int lane = 0; lane < LANES; lane++) {
    TensorMap map;
    if (in_mask(mask, lane) &&
        !read_map(warp, inst, lane, operands_of(inst).map, &map))
      return STEP_FAULT;
  }
  return STEP_NEXT;
}

// -- Counting ----------------------------------------------------------------

bool tensor_copies(const Inst *inst) {
  return inst->exec == exec_copy;
}

// The map, if it is valid; without a report, since the copy will report.
static bool peek_map(const Warp *warp, uint64_t address, TensorMap *map) {
  const Launch *launch = warp->cta->launch;
  Place place = {.space = SPACE_GENERIC, .offset = address};
  char wrong[160];
  memory_window(&place, address);
  const uint64_t at = place.offset - PARAM_BASE;
  if (place.space == SPACE_PARAM && place.offset >= PARAM_BASE &&
      at + TENSOR_MAP_BYTES <= launch->code->param_size)
    memcpy(map, launch->params + at, sizeof *map);
  else if (place.space == SPACE_GLOBAL &&
           memory_holds(launch->memory, address, TENSOR_MAP_BYTES))
    memcpy(map, (const void *)(uintptr_t)address, sizeof *map);
  else
    return false;
  return tensor_map_check(map, wrong, sizeof wrong);
}

BulkMeasure tensor_measure(const Warp *warp, const Inst *inst, int lane) {
  const TensorOperands operands = operands_of(inst);
  BulkMeasure measure = {0};
  CopiedBox box;
  TensorMap map;
  TensorWalk walk;
  if (!peek_map(warp, lane_address(warp, operands.map, lane), &map) ||
      map.last_dim + 1 != inst->num_dst)
    return measure;
  open_box(warp, inst, lane, &operands, &map, &box);
  measure.bytes = tensor_box_bytes(&box);
  measure.multicast = ctas_of(warp, inst, &operands, lane);
  if (tensor_box_room(&box) > MAX_SHARED) return measure;
  tensor_walk_start(&box, &walk);
  for (; walk.row < box.num_rows; tensor_walk_next(&box, &walk)) {
    const TensorRow row = tensor_walk_row(&box, &walk);
    measure.global_bytes += row.bytes;
    measure.sectors += bulk_sectors(row.address, row.bytes);
  }
  return measure;
}

// -- Reductions --------------------------------------------------------------

// The operations of cp.reduce.async.bulk, by type.
static bool may_reduce(const TensorType *type, WordId op) {
  const bool is_small = type->type == TYPE_F16 || type->type == TYPE_BF16;
  const bool is_float = type_table[type->type].class == CLASS_FLOAT;
  const bool is_int = !is_float && type_table[type->type].bytes >= 4;
  switch (op) {
  case WORD_ADD: return is_int || (is_float && !(type->does & ROUNDS));
  case WORD_MIN:
  case WORD_MAX: return is_int || is_small;
  case WORD_INC:
  case WORD_DEC: return type->type == TYPE_U32;
  default: return is_int;
  }
}

// -- Forms -------------------------------------------------------------------

// Sets the number of coordinates.
static bool is_tensor(const Form *form, Inst *inst) {
  static const uint8_t dims[] = {WORD_NONE, WORD_D1, WORD_D2,
                                 WORD_D3,   WORD_D4, WORD_D5};
  const uint8_t *found = memchr(dims + 1, (int)WORD_OF(form, SHAPE), 5);
  if (!WORD_OF(form, ASYNC) || WORD_OF(form, MODE) != WORD_BULK ||
      WORD_OF(form, TENSOR) != WORD_TENSOR || !found)
    return false;
  inst->num_dst = (uint8_t)(found - dims);
  return !is_im2col(inst) || inst->num_dst >= 3;
}

// The load with `operands` operands, the cache policy not counted.
static ExecFn pick_load(const Form *form, Inst *inst, int operands) {
  const WordId to = WORD_OF(form, SPACE);
  return is_tensor(form, inst) && WORD_OF(form, SPACE2) == WORD_GLOBAL &&
                 WORD_OF(form, GROUP) == WORD_BYTES_COMPLETE &&
                 (to == WORD_SHARED_CLUSTER ||
                  (to == WORD_SHARED_CTA && !inst->is_multicast)) &&
                 operands_but_policy(form) == operands
             ? exec_copy
             : NULL;
}

ExecFn pick_tensor_load(const Form *form, Inst *inst) {
  return is_im2col(inst) ? NULL : pick_load(form, inst, 3);
}

ExecFn pick_tensor_multicast(const Form *form, Inst *inst) {
  return is_im2col(inst) || !inst->is_multicast ? NULL
                                                : pick_load(form, inst, 4);
}

ExecFn pick_pixel_load(const Form *form, Inst *inst) {
  return inst->walk == WORD_IM2COL ? pick_load(form, inst, 4) : NULL;
}

ExecFn pick_pixel_multicast(const Form *form, Inst *inst) {
  return inst->walk == WORD_IM2COL && inst->is_multicast
             ? pick_load(form, inst, 5)
             : NULL;
}

ExecFn pick_tensor_store(const Form *form, Inst *inst) {
  return is_tensor(form, inst) && inst->walk != WORD_IM2COL &&
                 WORD_OF(form, GROUP) == WORD_BULK_GROUP &&
                 WORD_OF(form, SPACE) == WORD_GLOBAL &&
                 WORD_OF(form, SPACE2) == WORD_SHARED_CTA &&
                 operands_but_policy(form) == 2
             ? exec_copy
             : NULL;
}

ExecFn pick_tensor_reduce(const Form *form, Inst *inst) {
  if (!WORD_OF(form, REDUCE)) return NULL;
  switch (WORD_OF(form, OP)) {
  case WORD_ADD:
  case WORD_MIN:
  case WORD_MAX:
  case WORD_INC:
  case WORD_DEC:
  case WORD_AND:
  case WORD_OR:
  case WORD_XOR: return pick_tensor_store(form, inst);
  default: return NULL;
  }
}

static ExecFn pick_box_prefetch(const Form *form, Inst *inst, int operands) {
  return is_tensor(form, inst) && WORD_OF(form, GROUP) == WORD_PREFETCH &&
                 WORD_OF(form, CACHE) == WORD_L2 &&
                 WORD_OF(form, SPACE) == WORD_GLOBAL &&
                 !WORD_OF(form, SPACE2) && operands_but_policy(form) == operands
             ? exec_prefetch
             : NULL;
}

ExecFn pick_tensor_prefetch(const Form *form, Inst *inst) {
  return is_im2col(inst) ? NULL : pick_box_prefetch(form, inst, 1);
}

ExecFn pick_pixel_prefetch(const Form *form, Inst *inst) {
  return inst->walk == WORD_IM2COL ? pick_box_prefetch(form, inst, 2) : NULL;
}
