// kernel.c -- a kernel for a GPU: checks, and the emitters of ops.
//
// Every tile must have a layout over the lanes of one warp and the warps of the
// program; that is checked before anything is emitted.
#include "codegen/errors.h"
#include "codegen/gpu/simt.h"
#include "ir/mma.h"
#include "ir/roles.h"

#include <assert.h>

static SimtEmitter *const emitters[OP_COUNT] = {
#define SIMT_OP(name) [OP_##name] = simt_emit_##name,
#include "codegen/gpu/simt.def"
};

// -- Checks ------------------------------------------------------------------

static void number(Simt *s, Value *value) {
  value->id = s->num_values++;
}

static bool check_layout(Simt *s, SrcLoc loc, const Type *type) {
  const Layout *layout = type->layout;
  if (!layout) {
    return diag_error(s->e->diags, loc, ERROR_no_layout);
  }
  const bool fits =
      layout_count(layout, LAYOUT_LANE) == s->e->target->warp_size &&
      layout_count(layout, LAYOUT_WARP) == s->group.num_warps &&
      layout_count(layout, LAYOUT_BLOCK) == 1 && layout_is_surjective(layout);
  return fits || diag_error(s->e->diags, loc, ERROR_layout_of_others,
                            s->group.num_warps, s->e->target->warp_size,
                            type_text(type, s->e->arena));
}

static void note_size(Simt *s, SrcLoc loc, const Value *value) {
  const int count = layout_num_registers(value->type->layout);
  for (int held = 0; held <= simt_takes_registers(value); held++) {
    LargeTile *largest = &s->largest[held];
    if (count > largest->count) *largest = (LargeTile){loc, value, count};
  }
}

// The product that is the reason for the layout; NULL if none is near.
static const Op *find_dot(const Value *value) {
  for (int steps = 0; value && value->uses && steps < 100; steps++) {
    const Op *dot = NULL, *next = NULL;
    for (const Use *use = value->uses; use; use = use->next) {
      const bool reads = use->index < 2 && use->user->kind == OP_dot;
      const bool goes_on =
          use->user->num_results == 1 &&
          use->user->results[0].type->layout == value->type->layout;
      if (reads) dot = use->user;
      if (goes_on) next = use->user;
    }
    if (dot) return dot;
    value = next ? &next->results[0] : NULL;
  }
  return NULL;
}

static const char *copies_text(const Simt *s, const LargeTile *tile) {
  const int64_t held =
      (int64_t)tile->count * s->group.num_warps * s->e->target->warp_size;
  const int64_t copies = held / tile->value->type->num_elements;
  return copies < 2 ? ""
                    : arena_printf(s->e->arena, " (each is held %lld times)",
                                   (long long)copies);
}

static void note_dot(const Simt *s, const LargeTile *tile) {
  const Op *dot = find_dot(tile->value);
  if (!dot) return;
  const bool is_here = loc_same(dot->loc, tile->loc);
  diag_note(s->e->diags, is_here ? (SrcLoc){0} : dot->loc, NOTE_tile_for_dot);
}

// Warns about a tile whose elements are in registers, if one is too large; an
// index of that size may be at constant distances from another.
static bool check_sizes(const Simt *s) {
  const LargeTile *any = &s->largest[0], *held = &s->largest[1];
  const int warps = s->group.num_warps;
  const int limit = any->count > SIMT_MAX_REGISTERS ? SIMT_MAX_REGISTERS
                                                    : SIMT_MANY_REGISTERS;
  if (any->count <= limit) return true;
  DiagList *diags = s->e->diags;
  const LargeTile *told = held->count > limit ? held : any;
  const long long size = told->value->type->num_elements;
  const char *copies = copies_text(s, told);
  const bool fits = limit < SIMT_MAX_REGISTERS;
  if (fits)
    diag_warning(diags, told->loc, WARNING_tile_spills, size, warps,
                 told->count, copies);
  else
    diag_error(diags, told->loc, ERROR_tile_past_registers, size, warps,
               told->count, copies, SIMT_MAX_REGISTERS);
  if (*copies) note_dot(s, told);
  return fits;
}

// ptxas takes about one second for each billion of this product: the square of
// the number of values that a thread defines for tiles, times those live at the
// same time.  Measured for softmaxes of many shapes; below 128 live values it
// does not decrease.
static bool takes_long(Pressure pressure) {
  enum { LEAST = 128 };
  static const double most = 2e10;
  const double all = (double)pressure.all;
  return all * all * (pressure.most < LEAST ? LEAST : pressure.most) > most;
}

// The warning is at the largest tile, unless its size alone caused one.
static void check_time(const Simt *s) {
  if (s->largest[0].count > SIMT_MANY_REGISTERS) return;
  if (takes_long(s->pressure))
    diag_warning(s->e->diags, s->largest[1].loc, WARNING_tiles_take_long,
                 (long long)s->pressure.all, s->group.num_warps,
                 s->pressure.most);
}

static bool check_value(Simt *s, SrcLoc loc, Value *value) {
  number(s, value);
  if (!type_is_tile(value->type)) return true;
  if (!check_layout(s, loc, value->type)) return false;
  note_size(s, loc, value);
  return true;
}

// Checks the types of the block's values, and numbers them.  Recursion is as
// deep as regions nest, which is limited.
static bool check_block(Simt *s, SrcLoc loc, Block *block) {
  for (int i = 0; i < block->num_args; i++) {
    if (!check_value(s, loc, &block->args[i])) return false;
  }
  for (Op *op = block->first; op; op = op->next) {
    s->num_wgmma += op->kind == OP_async_dot;
    s->has_turns |= op->kind == OP_turn_wait;
    s->has_pairs |= op->kind == OP_has_neighbour;
    s->is_persistent |= op->kind == OP_block_id;
    s->has_rows |= op->kind == OP_copy_rows;
    s->has_boxes |= op->kind == OP_copy_desc || op->kind == OP_copy_to_desc ||
                    op->kind == OP_mbarrier_alloc || op->kind == OP_copy_rows;
    s->has_mma |=
        s->num_wgmma || (op->kind == OP_dot && mma_plan(s->e->target, op).mma);
    if (op_makes_map(op) && op_result(op)->uses)
      vec_push(s->e->arena, &s->made, op);
    for (int i = 0; i < op->num_results; i++) {
      if (!check_value(s, op->loc, &op->results[i])) return false;
    }
    for (int r = 0; r < op->num_regions; r++) {
      if (!check_block(s, op->loc, op->regions[r])) return false;
    }
  }
  return true;
}

// -- Kernels -----------------------------------------------------------------

bool gpu_emit_function(Emit *e, const Function *f, KernelInfo *out) {
  Simt s = {.e = e, .b = e->b, .f = f, .emitters = emitters};
  s.group.num_warps = function_num_warps(f);
  s.group.launched = out->num_warps = function_launch_warps(f);
  out->overlaps = function_int(f, ATTR_overlap, false);
  s.log2_cluster = out->log2_cluster = floor_log2(function_cluster(f));
  if (!check_block(&s, f->loc, f->body) || !check_sizes(&s)) return false;
  out->has_pairs = s.has_pairs;
  s.pressure = simt_pressure(&s);
  check_time(&s);
  s.values = arena_array(e->arena, LLVMValueRef *, s.num_values);
  assert(s.num_values >= f->body->num_args && s.group.num_warps <= 32); // I1
  simt_find_maps(&s);
  simt_describe_made_maps(&s, out);
  simt_describe_programs(&s, out);
  if (!simt_describe_maps(&s, out)) return false;
  nvptx_begin(&s, out);
  if (s.has_boxes) simt_find_first_thread(&s);
  if (s.num_wgmma) simt_find_warp_group(&s);
  if (function_roles(f)) simt_find_roles(&s);
  if (s.num_wgmma) vec_push(e->arena, &e->to_order, s.function);
  if (!simt_emit_block(&s, f->body)) return false;
  LLVMBuildRetVoid(s.b);
  assert(s.shared_bytes <= e->target->max_shared_block); // I2
  out->shared_bytes = (size_t)s.shared_bytes;
  return true;
}
