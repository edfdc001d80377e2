// wgmma.c -- wgmma: products that four warps issue and then wait for.
//
// A product is computed at once, in the order of issue, at some time after all
// four warps have issued it: when the first of them waits for it, or, with a
// seed, earlier.  A warp that waits is held until the others have issued it.
// Registers of a product that a warp has not waited for are in flight: it must
// not access them.
//
// For example, a warp commits two groups of one product each, both with the
// sums %f0 to %f3, and executes wgmma.wait_group 1.  The first product is
// computed, and the warp is held until all four have issued it.  The second may
// be in flight, so a store of %f0 is reported as wgmma-read until the warp has
// executed wgmma.wait_group 0.
#include "runtime/simulator/matrix/wgmma.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/simulator/matrix/mma.h"
#include "runtime/simulator/memory/lanes.h"
#include "runtime/simulator/order/order.h"
#include "runtime/simulator/watch/watch.h"

// -- Groups of warps ---------------------------------------------------------

static WarpGroup *group_of(const Warp *warp) {
  WarpGroup *groups = warp->cta->warp_groups;
  return groups ? &groups[warp->index / GROUP_WARPS] : NULL;
}

static Warp *first_of(const Warp *warp) {
  return &warp->cta->warps[warp->index / GROUP_WARPS * GROUP_WARPS];
}

static uint32_t rank_of(const Warp *warp) {
  return warp->index % GROUP_WARPS;
}

static uint32_t num_groups(const Cta *cta) {
  return (cta->num_warps + GROUP_WARPS - 1) / GROUP_WARPS;
}

static void forget_taken(WarpGroup *group, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) free(group->list[i].taken);
}

void wgmma_start(Cta *cta) {
  for (uint32_t i = 0; cta->warp_groups && i < num_groups(cta); i++) {
    WarpGroup *group = &cta->warp_groups[i];
    forget_taken(group, group->num);
    *group = (WarpGroup){.list = group->list, .room = group->room};
  }
  for (uint32_t i = 0; i < cta->num_warps; i++) {
    Warp *warp = &cta->warps[i];
    if (warp->flight)
      memset(warp->flight, 0, cta->launch->code->file_size / 4 + 1);
    warp->flies = warp->is_fenced = warp->was_fenced = warp->was_issued = false;
  }
}

void wgmma_destroy(Cta *cta) {
  for (uint32_t i = 0; cta->warp_groups && i < num_groups(cta); i++) {
    forget_taken(&cta->warp_groups[i], cta->warp_groups[i].num);
    free(cta->warp_groups[i].list);
  }
  for (uint32_t i = 0; cta->warps && i < cta->num_warps; i++)
    free(cta->warps[i].flight);
  free(cta->warp_groups);
}

// Makes the group's state, before its first product; false: no memory.
static bool equip(Warp *warp) {
  Cta *cta = warp->cta;
  if (!cta->warp_groups)
    cta->warp_groups = calloc(num_groups(cta), sizeof *cta->warp_groups);
  if (!cta->warp_groups) return false;
  if (!warp->flight)
    warp->flight = calloc(cta->launch->code->file_size / 4 + 1, 1);
  return warp->flight;
}

// A product that no warp has issued yet; NULL: no memory.
static Wgmma *add_product(WarpGroup *group) {
  if (group->num == group->room) {
    const uint32_t room = group->room ? group->room * 2 : 16;
    Wgmma *bigger = realloc(group->list, room * sizeof *bigger);
    if (!bigger) return NULL;
    group->list = bigger;
    group->room = room;
  }
  Wgmma *added = &group->list[group->num++];
  *added = (Wgmma){.inst = NULL};
  return added;
}

static void drop_finished(WarpGroup *group) {
  uint32_t finished = 0;
  while (finished < group->num && group->list[finished].waited == EVERY_WARP)
    finished++;
  if (!finished) return;
  assert(group->done >= group->first + finished && "not computed"); // I3
  forget_taken(group, finished);
  group->num -= finished;
  group->first += finished;
  memmove(group->list, group->list + finished,
          group->num * sizeof *group->list);
}

// Computes the products up to that number, exclusive, which all four warps have
// issued.
static void compute_until(Warp *warp, uint32_t number) {
  WarpGroup *group = group_of(warp);
  assert(number <= group->first + group->num && "nobody asked for it"); // I3
  for (; group->done < number; group->done++) {
    const Wgmma *next = &group->list[group->done - group->first];
    assert(next->came == EVERY_WARP && "a warp has not come"); // I3
    wgmma_compute(warp->cta, first_of(warp), next);
  }
}

// -- Registers ---------------------------------------------------------------

// Registers of products that the warp has waited for are no longer in flight,
// except those that other products use, too.
static void land(Warp *warp) {
  const WarpGroup *group = group_of(warp);
  const uint32_t rank = rank_of(warp), own = group->next[rank] - group->first;
  assert(own <= group->num && "a product that is not there"); // I3
  const uint8_t bit = (uint8_t)(1 << rank);
  for (uint32_t i = 0; i < own; i++)
    if (group->list[i].waited & bit) wgmma_unmark(warp, group->list[i].inst);
  warp->flies = false;
  for (uint32_t i = 0; i < own; i++)
    if (!(group->list[i].waited & bit)) wgmma_mark(warp, group->list[i].inst);
}

static bool is_product(const Inst *inst);

static Step hold(Warp *warp) {
  warp->groups[warp->running].state = GROUP_AT_WGMMA;
  return STEP_BLOCK;
}

static Step wait_for(Warp *warp, uint32_t number);

Step wgmma_registers_free(Warp *warp, const Inst *inst, uint32_t mask) {
  if (is_product(inst)) return STEP_NEXT; // a product checks itself
  if (!warp->flies || !wgmma_reads_sums(warp, inst, mask))
    return wgmma_write_registers(warp, inst, mask);
  return wait_for(warp, group_of(warp)->next[rank_of(warp)]);
}

// -- Issue -------------------------------------------------------------------

// Waits for all products of the warp, in a group of four whole warps.
static Step assemble(Warp *warp, const Inst *inst, uint32_t mask) {
  const Step step = warp_assemble(warp, inst, mask);
  if (step != STEP_NEXT) return step;
  order_together(warp, mask);
  if (mask != ALL_LANES)
    return report(warp, inst, __builtin_ctz(mask), KIND_BARRIER_DIVERGENCE,
                  "lanes 0x%08x of the warp have exited", ~mask);
  const uint32_t first = warp->index - rank_of(warp);
  if (first + GROUP_WARPS > warp->cta->num_threads / LANES)
    return report(warp, inst, 0, KIND_INVALID,
                  "a warpgroup of less than four whole warps");
  return equip(warp) ? STEP_NEXT
                     : report(warp, inst, 0, KIND_INVALID,
                              "no memory for what wgmma has under way");
}

static bool one_value(const Warp *warp, uint32_t offset, uint64_t *value) {
  const uint64_t *values = reg(warp, offset);
  bool same = true;
  for (int lane = 1; lane < LANES; lane++) same &= values[lane] == values[0];
  *value = values[0];
  return same;
}

static Step read_operands(const Warp *warp, const Inst *inst, Wgmma *wgmma) {
  const bool held = inst->sub & WGMMA_A_HELD;
  if ((!held && !one_value(warp, inst->op[wgmma_a_at(inst)], &wgmma->a)) ||
      !one_value(warp, inst->op[wgmma_b_at(inst)], &wgmma->b))
    return report(warp, inst, 0, KIND_INVALID,
                  "lanes with different descriptors");
  const uint32_t adds = source_pred(warp, inst, wgmma_adds_at(inst));
  if (adds && adds != ALL_LANES)
    return report(warp, inst, 0, KIND_INVALID,
                  "lanes that add to the accumulators, and lanes that do not");
  wgmma->adds = adds;
  wgmma->inst = inst;
  return STEP_NEXT;
}

static bool metadata_is_valid(const Warp *warp, const Inst *inst) {
  uint16_t columns[MAX_WGMMA_K];
  const uint32_t *metadata = reg(warp, inst->op[wgmma_metadata_at(inst)]);
  for (int row = 0; row < WGMMA_ROWS / GROUP_WARPS; row++)
    if (!sparse_columns(warp, inst, metadata, row, wgmma_row_elements(inst),
                        columns))
      return false;
  return true;
}

static Step join(const Warp *warp, Wgmma *product, const Wgmma *mine) {
  if (!product->came) *product = *mine;
  if (product->inst != mine->inst) {
    char place[400];
    report_place(warp->cta->launch, product->inst, place, sizeof place);
    return report(warp, mine->inst, 0, KIND_BARRIER_DIVERGENCE,
                  "others of the warpgroup are at the wgmma of %s", place);
  }
  if (product->a != mine->a || product->b != mine->b ||
      product->adds != mine->adds)
    return report(warp, mine->inst, 0, KIND_INVALID,
                  "warps of a group with different descriptors, or of which "
                  "some add to the accumulators");
  return STEP_NEXT;
}

// Copies the warp's registers with operands of the product, except
// accumulators; false: no memory.
static bool take_registers(const Warp *warp, Wgmma *product) {
  const Inst *inst = product->inst;
  const uint32_t rank = rank_of(warp);
  const bool held = inst->sub & WGMMA_A_HELD;
  if (!held && !inst->is_sparse) return true;
  if (!product->taken) product->taken = malloc(sizeof *product->taken);
  WgmmaTaken *taken = product->taken;
  for (int i = 0; taken && held && i < 4; i++)
    memcpy(taken->a[rank][i], reg(warp, inst->op[wgmma_a_at(inst) + i]),
           sizeof taken->a[rank][i]);
  if (taken && inst->is_sparse)
    memcpy(taken->metadata[rank], reg(warp, inst->op[wgmma_metadata_at(inst)]),
           sizeof taken->metadata[rank]);
  return taken;
}

static void wake_group(Warp *warp) {
  for (int i = 0; i < GROUP_WARPS; i++) {
    Warp *other = first_of(warp) + i;
    for (int j = 0; j < other->num_groups; j++)
      if (other->groups[j].state == GROUP_AT_WGMMA)
        other->groups[j].state = GROUP_READY;
  }
}

// Begins the product, which all four warps have issued.
static Step begin(Warp *warp, uint32_t number) {
  const WarpGroup *group = group_of(warp);
  const Step step =
      wgmma_reads_behind(warp, &group->list[number - group->first]);
  if (step != STEP_NEXT) return step;
  if (warp->cta->launch->early || cta_draw(warp->cta, 2))
    compute_until(warp, number + 1);
  wake_group(warp);
  return STEP_NEXT;
}

static Step exec_wgmma(Warp *warp, const Inst *inst, uint32_t mask) {
  Step step = assemble(warp, inst, mask);
  if (step != STEP_NEXT) return step;
  Wgmma mine = {.inst = inst};
  if (read_operands(warp, inst, &mine) != STEP_NEXT) return STEP_FAULT;
  if (inst->is_sparse && !metadata_is_valid(warp, inst)) return STEP_FAULT;
  wgmma_check_registers(warp, inst);
  WarpGroup *group = group_of(warp);
  const uint32_t number = group->next[rank_of(warp)];
  if (number == group->first + group->num && !add_product(group))
    return report(warp, inst, 0, KIND_INVALID, "too much wgmma under way");
  Wgmma *product = &group->list[number - group->first];
  step = join(warp, product, &mine);
  if (step == STEP_NEXT && !take_registers(warp, product))
    step = report(warp, inst, 0, KIND_INVALID,
                  "no memory for what wgmma has under way");
  if (step == STEP_NEXT) step = wgmma_may_read(warp, product);
  if (step != STEP_NEXT) return step;
  product->came |= (uint8_t)(1 << rank_of(warp));
  group->next[rank_of(warp)]++;
  wgmma_mark(warp, inst);
  return product->came == EVERY_WARP ? begin(warp, number) : STEP_NEXT;
}

// -- Groups of products ------------------------------------------------------

// With a seed, computes some of the products that all warps have issued.
static void go_on(Warp *warp) {
  const WarpGroup *group = group_of(warp);
  uint32_t ready = group->done;
  while (ready < group->first + group->num &&
         group->list[ready - group->first].came == EVERY_WARP)
    ready++;
  const uint32_t drawn = cta_draw(warp->cta, 2 * (ready - group->done) + 1);
  if (drawn <= ready - group->done) compute_until(warp, group->done + drawn);
}

static Step exec_fence(Warp *warp, const Inst *inst, uint32_t mask) {
  const Step step = assemble(warp, inst, mask);
  if (step != STEP_NEXT) return step;
  wgmma_fence_registers(warp);
  go_on(warp);
  return step;
}

static Step exec_commit(Warp *warp, const Inst *inst, uint32_t mask) {
  const Step step = assemble(warp, inst, mask);
  if (step != STEP_NEXT) return step;
  WarpGroup *group = group_of(warp);
  const uint32_t rank = rank_of(warp), own = group->next[rank] - group->first;
  group->committed[rank]++;
  for (uint32_t i = own; i-- > 0 && !group->list[i].group[rank];)
    group->list[i].group[rank] = group->committed[rank];
  go_on(warp);
  return STEP_NEXT;
}

// Waits for the products before that number; holds the warp until they are all
// issued.
static Step wait_for(Warp *warp, uint32_t number) {
  WarpGroup *group = group_of(warp);
  const uint8_t bit = (uint8_t)(1 << rank_of(warp));
  for (uint32_t i = group->first; i < number; i++)
    if (group->list[i - group->first].came != EVERY_WARP) return hold(warp);
  compute_until(warp, number);
  for (uint32_t i = group->first; i < number; i++) {
    Wgmma *product = &group->list[i - group->first];
    if (product->waited & bit) continue;
    product->waited |= bit;
    wgmma_has_read(warp, product);
  }
  land(warp);
  drop_finished(group);
  return STEP_NEXT;
}

// Waits for all but the last `imm` groups.
static Step exec_wait(Warp *warp, const Inst *inst, uint32_t mask) {
  const Step step = assemble(warp, inst, mask);
  if (step != STEP_NEXT) return step;
  const WarpGroup *group = group_of(warp);
  const uint32_t rank = rank_of(warp), own = group->next[rank] - group->first;
  uint32_t count = 0;
  for (uint32_t i = 0; i < own; i++) {
    const uint32_t of = group->list[i].group[rank];
    if (of && of + (uint64_t)inst->imm <= group->committed[rank]) count = i + 1;
  }
  const Step waited = wait_for(warp, group->first + count);
  if (waited == STEP_NEXT) order_sync(warp, ALL_LANES);
  return waited;
}

// -- Forms -------------------------------------------------------------------

static bool is_product(const Inst *inst) {
  return inst->exec == exec_wgmma;
}

ExecFn pick_wgmma_mark(const Form *form, Inst *inst) {
  (void)inst;
  const WordId product = WORD_OF(form, PRODUCT), mark = WORD_OF(form, GROUP);
  if (!WORD_OF(form, SYNC)) return NULL;
  if (product == WORD_FENCE && !mark) return exec_fence;
  return !product && mark == WORD_COMMIT_GROUP ? exec_commit : NULL;
}

ExecFn pick_wgmma_wait(const Form *form, Inst *inst) {
  return WORD_OF(form, SYNC) && WORD_OF(form, GROUP) == WORD_WAIT_GROUP &&
                 inst->imm >= 0
             ? exec_wait
             : NULL;
}

static bool is_fp8(TypeId type) {
  return type == TYPE_E4M3 || type == TYPE_E5M2;
}

static bool is_byte(TypeId type) {
  return type == TYPE_S8 || type == TYPE_U8;
}

// The types of a product: `shape` is for a dense A, `sparse` for a sparse one,
// `selectors` are the lanes that may have the metadata.
typedef struct {
  WordId shape, sparse;
  int selectors;
} Kin;

static Kin kin_of(TypeId d, TypeId a, TypeId b) {
  const bool is_float = d == TYPE_F32, is_half = d == TYPE_F16;
  const Kin halves = {WORD_M64K16, WORD_M64K32, 2};
  const Kin words = {WORD_M64K8, WORD_M64K16, 2};
  const Kin bytes = {WORD_M64K32, WORD_M64K64, 1};
  const Kin bits = {WORD_M64K256, WORD_NONE, 0}, none = {WORD_NONE};
  if (a == TYPE_F16 && b == a && (is_float || is_half)) return halves;
  if (a == TYPE_BF16 && b == a && is_float) return halves;
  if (a == TYPE_TF32 && b == a && is_float) return words;
  if (is_fp8(a) && is_fp8(b) && (is_float || is_half)) return bytes;
  if (is_byte(a) && is_byte(b) && d == TYPE_S32) return bytes;
  return a == TYPE_B1 && b == a && d == TYPE_S32 ? bits : none;
}

// Columns are multiples of 8. For products of integers they are 8, 24 or
// multiples of 16.
static bool columns_fit(uint32_t n, TypeId d) {
  if (!n || n % 8 || n > MAX_WGMMA_COLUMNS) return false;
  return d != TYPE_S32 || n == 8 || n == 24 || n % 16 == 0;
}

static bool words_fit(const Form *form, TypeId d, TypeId a) {
  const bool is_bits = a == TYPE_B1;
  return is_bits == (WORD_OF(form, OP) == WORD_AND) &&
         is_bits == (WORD_OF(form, MODE) == WORD_POPC) &&
         is_bits == (WORD_OF(form, OP) != WORD_NONE) &&
         is_bits == (WORD_OF(form, MODE) != WORD_NONE) &&
         (!WORD_OF(form, SATFINITE) || (d == TYPE_S32 && !is_bits));
}

// 1 or -1 for each factor, then 0 or 1 for each matrix in shared memory.
static bool note_numbers(const uint32_t *numbers, int count, Inst *inst) {
  for (int i = 0; i < count; i++) {
    const uint32_t number = numbers[i];
    if (i < 2 ? number != 1 && number != UINT32_MAX : number > 1) return false;
    if (i < 2 && number != 1) inst->sub ^= WGMMA_NEGATED;
    if (i >= 2 && number)
      inst->sub |=
          i == 2 && !(inst->sub & WGMMA_A_HELD) ? WGMMA_TRANS_A : WGMMA_TRANS_B;
  }
  return true;
}

static bool shape_fits(const Form *form, const Inst *inst) {
  const TypeId d = (TypeId)form->types[0], a = (TypeId)form->types[1];
  const Kin kin = kin_of(d, a, (TypeId)form->types[2]);
  const WordId wanted = inst->is_sparse ? kin.sparse : kin.shape;
  return wanted && WORD_OF(form, SHAPE) == wanted &&
         columns_fit(form->columns, d) && words_fit(form, d, a) &&
         (!inst->is_sparse || (inst->imm >= 0 && inst->imm < kin.selectors)) &&
         inst->num_dst == form->columns / (d == TYPE_F16 ? 4 : 2);
}

static int numbers_wanted(const Form *form, const Inst *inst) {
  const uint32_t bits = mma_element_bits((TypeId)form->types[1]);
  if (form->types[0] == TYPE_S32) return 0;
  return bits != 16 ? 2 : inst->sub & WGMMA_A_HELD ? 3 : 4;
}

static ExecFn pick_product(const Form *form, Inst *inst, WordId group) {
  const int before = wgmma_adds_at(inst) + 1, numbers = inst->num_ops - before;
  if (WORD_OF(form, PRODUCT) != WORD_MMA_ASYNC || !WORD_OF(form, SYNC) ||
      WORD_OF(form, GROUP) != group || !shape_fits(form, inst) ||
      inst->reg_size != 4 || numbers != numbers_wanted(form, inst))
    return NULL;
  inst->sat = WORD_OF(form, SATFINITE) != WORD_NONE;
  return note_numbers(inst->op + before, numbers, inst) ? exec_wgmma : NULL;
}

ExecFn pick_wgmma(const Form *form, Inst *inst) {
  return pick_product(form, inst, WORD_NONE);
}

ExecFn pick_wgmma_registers(const Form *form, Inst *inst) {
  inst->sub = WGMMA_A_HELD;
  return pick_product(form, inst, WORD_NONE);
}

ExecFn pick_wgmma_sparse(const Form *form, Inst *inst) {
  inst->is_sparse = true;
  return pick_product(form, inst, WORD_SP);
}

ExecFn pick_wgmma_sparse_registers(const Form *form, Inst *inst) {
  inst->is_sparse = true;
  inst->sub = WGMMA_A_HELD;
  return pick_product(form, inst, WORD_SP);
}
