// async.c -- asynchronous copies from global to shared memory.
//
// cp.async moves 4, 8 or 16 bytes and writes zeros if the mask is off.  A copy
// that cp.async cannot do (fewer bytes at a time, other values than 0 for
// masked elements, a target without it) is done at once by a load and a store:
// the wait then has nothing to wait for.  If several threads hold an element,
// one moves it.
#include "codegen/gpu/simt.h"

#include "ir/layout_access.h"
#include "ir/runs.h"

#include <assert.h>
#include <string.h>

enum { LEAST_BYTES = 4 };

typedef struct {
  Simt *s;
  const Op *op;
  const Layout *tile; // of the pointers
  SharedAccess shared;
  SharedPlace place;
  SimtAccess access; // to global memory
  int log2_bytes;    // of an element
  uint32_t *registers;
  LLVMValueRef owner; // NULL: every thread moves its elements
  LLVMValueRef const *ptr, *mask, *other;
  LLVMValueRef last_mask, last_bytes; // of the copy before
} CopyEmit;

// log2 of the run along the axis in which offsets and addresses increase
// together, up to 2^limit elements.
static int log2_in_order(const Layout *shared, int axis, int limit) {
  const int first = layout_axis_bit(shared, axis);
  int n = 0;
  while (n < limit && shared->map.column[n] == UINT32_C(1) << (first + n)) n++;
  return n;
}

static bool is_zero(LLVMValueRef x) {
  return LLVMIsConstant(x) && LLVMIsNull(x);
}

static bool all_zero(const CopyEmit *x) {
  for (int r = 0; x->mask && x->other && r < layout_num_registers(x->tile);
       r++) {
    if (!is_zero(x->other[r])) return false;
  }
  return true;
}

static bool prepare(CopyEmit *x) {
  Simt *s = x->s;
  const Value *ptr = op_operand(x->op, 0), *buffer = op_operand(x->op, 1);
  const Value *mask = op_group(x->op, 2), *other = op_group(x->op, 3);
  const Type *element = buffer->type->element;
  const int bytes = (int)emit_memory_bytes(element);
  int axis;
  x->tile = ptr->type->layout;
  if (!layout_access(x->tile, buffer->type->layout, 8 * bytes, &x->shared)) {
    return simt_unsupported(s, x->op, "between these layouts");
  }
  const int width = op_log2_run(x->op, x->tile, mask != NULL, &axis);
  x->access = (SimtAccess){.element = element, .mode = ""};
  x->access.log2_width = log2_in_order(buffer->type->layout, axis, width);
  x->log2_bytes = floor_log2(bytes);
  assert(bytes << x->access.log2_width <= RUN_MAX_BYTES); // I7
  const int num_bits = x->tile->num_bits[LAYOUT_REGISTER];
  x->registers = arena_array(s->e->arena, uint32_t, 1 << num_bits);
  layout_vector_registers(x->tile, axis, x->access.log2_width, x->registers);
  x->place = simt_place(s, simt_scalar(s, buffer), x->shared.offset, num_bits,
                        x->log2_bytes);
  x->owner = simt_none_set(s, simt_free_threads(x->tile));
  x->ptr = simt_get(s, ptr);
  x->mask = mask ? simt_get(s, mask) : NULL;
  x->other = other ? simt_get(s, other) : NULL;
  return true;
}

static LLVMValueRef target_of(const CopyEmit *x, uint32_t reg) {
  const uint32_t offset = linear_apply(&x->shared.offset, reg);
  return simt_place_address(x->s, &x->place, offset << x->log2_bytes);
}

static LLVMValueRef mask_of(const CopyEmit *x, uint32_t reg) {
  if (!x->mask) return NULL;
  LLVMValueRef mask = x->mask[reg];
  const bool always =
      LLVMIsAConstantInt(mask) && LLVMConstIntGetZExtValue(mask) == 1;
  return always ? NULL : mask;
}

// -- In flight ---------------------------------------------------------------

// Copies of 16 bytes bypass the first cache unless the program requests it.
static const char *cache_of(const Op *op, int bytes) {
  return bytes == RUN_MAX_BYTES && op_int(op, ATTR_cache) != CACHE_ca ? "cg"
                                                                      : "ca";
}

// The number of bytes to be read under a mask; one select serves consecutive
// copies with the same mask.  The select is assembly, since LLVM would make a
// select for each condition of the mask.
static LLVMValueRef bytes_under(CopyEmit *x, LLVMValueRef mask, int bytes) {
  if (x->last_mask == mask) return x->last_bytes;
  Emit *e = x->s->e;
  const char *text = arena_printf(e->arena, "selp.b32 $0, %d, 0, $1;", bytes);
  x->last_mask = mask;
  x->last_bytes =
      nvptx_asm(x->s, text, "=r,b", int_type(e, 32), 1, &mask, false);
  return x->last_bytes;
}

static void start_copy(CopyEmit *x, uint32_t reg) {
  Simt *s = x->s;
  const int bytes = 1 << (x->access.log2_width + x->log2_bytes);
  LLVMValueRef mask = mask_of(x, reg);
  int64_t to, from;
  LLVMValueRef args[4] = {simt_split_address(s, target_of(x, reg), &to),
                          simt_split_address(s, x->ptr[reg], &from)};
  int num_args = 2;
  Str text = str_in(s->e->arena), constraints = str_in(s->e->arena);
  str_add(&constraints, "r,l");
  if (mask) {
    args[num_args++] = bytes_under(x, mask, bytes);
    str_add(&constraints, ",r");
  }
  if (x->owner) {
    str_addf(&text, "@$%d ", num_args);
    args[num_args++] = x->owner;
    str_add(&constraints, ",b");
  }
  str_addf(&text, "cp.async.%s.shared.global [$0%s], [$1%s], %d%s;",
           cache_of(x->op, bytes), simt_plus(s, to), simt_plus(s, from), bytes,
           mask ? ", $2" : "");
  nvptx_asm(s, str_text(&text), str_text(&constraints),
            LLVMVoidTypeInContext(s->e->llvm.context), num_args, args, true);
}

// -- At once -----------------------------------------------------------------

static void copy_now(const CopyEmit *x, const uint32_t *run) {
  Simt *s = x->s;
  const int width = 1 << x->access.log2_width;
  LLVMValueRef values[SIMT_MAX_VECTOR], otherwise[SIMT_MAX_VECTOR];
  for (int i = 0; x->other && i < width; i++) otherwise[i] = x->other[run[i]];
  simt_access_load(s, &x->access, x->ptr[run[0]], mask_of(x, run[0]),
                   x->other ? otherwise : NULL, values);
  SimtAccess to = x->access;
  to.shared = true;
  simt_access_store(s, &to, target_of(x, run[0]), x->owner, values);
}

bool simt_emit_async_copy(Simt *s, const Op *op) {
  CopyEmit x = {.s = s, .op = op};
  if (!prepare(&x)) return false;
  const int *first = simt_first_copies(s, x.tile);
  const int bytes = 1 << (x.access.log2_width + x.log2_bytes);
  const bool flies = target_can(s->e->target, CAP_CP_ASYNC) &&
                     bytes >= LEAST_BYTES && all_zero(&x);
  for (int i = 0; i < layout_num_registers(x.tile);
       i += 1 << x.access.log2_width) {
    const uint32_t *run = x.registers + i;
    if (first && first[run[0]] != (int)run[0]) continue;
    if (flies) {
      start_copy(&x, run[0]);
    } else {
      copy_now(&x, run);
    }
  }
  simt_set(s, op_result(op), NULL);
  return true;
}

// -- Groups ------------------------------------------------------------------

static void emit_group(Simt *s, const Op *op, const char *text) {
  if (target_can(s->e->target, CAP_CP_ASYNC)) {
    nvptx_asm(s, text, "", LLVMVoidTypeInContext(s->e->llvm.context), 0, NULL,
              true);
  }
  simt_set(s, op_result(op), NULL);
}

bool simt_emit_async_commit(Simt *s, const Op *op) {
  emit_group(s, op, "cp.async.commit_group;");
  return true;
}

bool simt_emit_async_wait(Simt *s, const Op *op) {
  emit_group(s, op,
             arena_printf(s->e->arena, "cp.async.wait_group %d;",
                          (int)op_int(op, ATTR_count)));
  return true;
}
