// memory.c -- loads and stores of tiles.
//
// The number of adjacent elements that one instruction moves follows from the
// layout and from the attributes of axis_info on the op. If several threads
// hold an element, one stores it; each loads its own.
#include "codegen/gpu/simt.h"

#include "ir/layout_access.h"
#include "ir/runs.h"

#include <assert.h>

// A tile of pointers, divided into accesses.
typedef struct {
  SimtAccess access;
  const Layout *layout; // NULL: a scalar
  int num_registers;
  uint32_t *registers; // a run of 2^log2_width for each access
} Cut;

// The words of the two attributes are those of PTX: ".ca", ".L1::evict_last".
static const char *mode_of(const Simt *s, const Op *op) {
  if (op_int(op, ATTR_cache) != CACHE_none)
    return arena_printf(s->e->arena, ".%s", simt_word(op, ATTR_cache));
  if (op_int(op, ATTR_eviction) == EVICTION_normal) return "";
  return arena_printf(s->e->arena, ".L1::%s", simt_word(op, ATTR_eviction));
}

static Cut cut_access(Simt *s, const Op *op, bool masked) {
  const Type *ptr = op_operand(op, 0)->type;
  Cut cut = {
      .access = {.element = type_element(ptr)->element, .mode = mode_of(s, op)},
      .layout = type_is_tile(ptr) ? ptr->layout : NULL,
      .num_registers = simt_count(ptr),
  };
  cut.registers = arena_array(s->e->arena, uint32_t, cut.num_registers);
  if (!cut.layout) return cut;
  int axis;
  cut.access.log2_width = op_log2_run(op, cut.layout, masked, &axis);
  assert(1 << cut.access.log2_width <= cut.num_registers); // I7
  layout_vector_registers(cut.layout, axis, cut.access.log2_width,
                          cut.registers);
  return cut;
}

// -- Masks -------------------------------------------------------------------

static bool is_constant(LLVMValueRef x, unsigned long long value) {
  return x && LLVMIsAConstantInt(x) && LLVMConstIntGetZExtValue(x) == value;
}

LLVMValueRef simt_both(Simt *s, LLVMValueRef a, LLVMValueRef b) {
  if (!a || is_constant(a, 1)) return is_constant(b, 1) ? NULL : b;
  if (!b || is_constant(b, 1)) return a;
  return LLVMBuildAnd(s->b, a, b, "");
}

// -- Loads -------------------------------------------------------------------

static void gather(LLVMValueRef const *all, const uint32_t *registers,
                   int count, LLVMValueRef *out) {
  for (int i = 0; i < count; i++) out[i] = all[registers[i]];
}

static void load_run(Simt *s, const Cut *cut, const uint32_t *run,
                     LLVMValueRef const *ptr, LLVMValueRef const *mask,
                     LLVMValueRef const *other, LLVMValueRef *out) {
  const int width = 1 << cut->access.log2_width;
  LLVMValueRef loaded[RUN_MAX_BYTES], otherwise[RUN_MAX_BYTES];
  assert(width <= RUN_MAX_BYTES && "more than an instruction moves"); // I7
  if (other) gather(other, run, width, otherwise);
  simt_access_load(s, &cut->access, ptr[run[0]],
                   mask ? simt_both(s, mask[run[0]], NULL) : NULL,
                   other ? otherwise : NULL, loaded);
  for (int i = 0; i < width; i++) out[run[i]] = loaded[i];
}

bool simt_emit_load(Simt *s, const Op *op) {
  const Value *mask = op_group(op, 1), *other = op_group(op, 2);
  Cut cut = cut_access(s, op, mask != NULL);
  cut.access.is_volatile = op_int(op, ATTR_volatile) != 0;
  if (cut.access.is_volatile) cut.access.mode = ""; // by the PTX manual
  const int *first = simt_first_copies(s, cut.layout);
  LLVMValueRef *out = simt_new(s, cut.num_registers);
  for (int i = 0; i < cut.num_registers; i += 1 << cut.access.log2_width) {
    const uint32_t *run = cut.registers + i;
    if (first && first[run[0]] != (int)run[0]) continue;
    load_run(s, &cut, run, simt_get(s, op_operand(op, 0)),
             mask ? simt_get(s, mask) : NULL, other ? simt_get(s, other) : NULL,
             out);
  }
  for (int r = 0; first && r < cut.num_registers; r++) out[r] = out[first[r]];
  simt_set(s, op_result(op), out);
  return true;
}

// -- Stores ------------------------------------------------------------------

// Does the running thread store its elements?  NULL: all threads do.
static LLVMValueRef owner(Simt *s, const Layout *layout) {
  return simt_none_set(s, layout ? simt_free_threads(layout) : UINT32_MAX);
}

bool simt_emit_store(Simt *s, const Op *op) {
  const Value *mask = op_group(op, 2);
  const Cut cut = cut_access(s, op, mask != NULL);
  LLVMValueRef const *ptr = simt_get(s, op_operand(op, 0));
  LLVMValueRef const *value = simt_get(s, op_operand(op, 1));
  LLVMValueRef const *masks = mask ? simt_get(s, mask) : NULL;
  const int *first = simt_first_copies(s, cut.layout);
  LLVMValueRef mine = owner(s, cut.layout);
  const int width = 1 << cut.access.log2_width;
  for (int i = 0; i < cut.num_registers; i += width) {
    const uint32_t *run = cut.registers + i;
    if (first && first[run[0]] != (int)run[0]) continue;
    LLVMValueRef values[RUN_MAX_BYTES];
    gather(value, run, width, values);
    simt_access_store(s, &cut.access, ptr[run[0]],
                      simt_both(s, masks ? masks[run[0]] : NULL, mine), values);
  }
  return true;
}
