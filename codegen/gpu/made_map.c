// made_map.c -- tensor maps that a program makes itself.
//
// The launch gives each block of the grid zeroed memory: for each map 128 bytes
// and, behind them, an element of 0, which an empty tensor has in place of its
// own; a map that pads with NaN writes one there.  The thread that makes a map
// is the one whose copies use it, so no other thread waits for it.
#include "codegen/gpu/simt.h"

#include "ir/roles.h"
#include "ir/tensor_box.h"

#include <assert.h>

enum {
  SLOT_BYTES = 2 * TENSOR_MAP_SIZE,
  SPACE_GLOBAL_PTX = 1,
  // Compilers of CUDA before 12.5, thus of older PTX, take strides in units of
  // 16 bytes (CUTLASS's copy_sm90_desc.hpp).
  BYTES_PTX = 85,
};

void simt_describe_made_maps(Simt *s, KernelInfo *out) {
  const int first = out->num_params;
  if (!s->made.count) return;
  KernelParam *params = arena_array(s->e->arena, KernelParam, first + 1);
  for (int i = 0; i < first; i++) params[i] = out->params[i];
  params[first] = (KernelParam){.rule = PARAM_BLOCK_MEMORY,
                                .size = s->made.count * SLOT_BYTES,
                                .align = sizeof(void *)};
  out->params = params;
  out->num_params++;
}

// -- Places ------------------------------------------------------------------

static LLVMValueRef grid_number(Simt *s, const char *name, int axis) {
  const char *text =
      arena_printf(s->e->arena, "mov.u32 $0, %%%s.%c;", name, "xyz"[axis]);
  return nvptx_asm(s, text, "=r", int_type(s->e, 32), 0, NULL, false);
}

static LLVMValueRef block_number(Simt *s) {
  LLVMValueRef number = grid_number(s, "ctaid", 2);
  for (int axis = 1; axis >= 0; axis--) {
    number = LLVMBuildMul(s->b, number, grid_number(s, "nctaid", axis), "");
    number = LLVMBuildAdd(s->b, number, grid_number(s, "ctaid", axis), "");
  }
  return LLVMBuildZExt(s->b, number, int_type(s->e, 64), "");
}

static LLVMValueRef place_of(Simt *s, size_t map) {
  const unsigned param = (unsigned)s->f->body->num_args;
  LLVMTypeRef i64 = int_type(s->e, 64);
  LLVMValueRef each = const_int(i64, (int64_t)s->made.count * SLOT_BYTES);
  LLVMValueRef own = LLVMBuildMul(s->b, block_number(s), each, "");
  LLVMValueRef place =
      emit_byte_at(s->e, LLVMGetParam(s->function, param), own);
  return emit_byte_at(s->e, place, const_int(i64, (int64_t)map * SLOT_BYTES));
}

// -- Values of fields --------------------------------------------------------

// The last dimension of the tensor comes first; strides in bytes.
typedef struct {
  int rank;
  uint32_t box[TENSOR_BOX_RANK];
  LLVMValueRef base, sizes[TENSOR_BOX_RANK], strides[TENSOR_BOX_RANK];
} MapFields;

static LLVMValueRef as_i64(Simt *s, const Value *value) {
  return LLVMBuildSExt(s->b, simt_scalar(s, value), int_type(s->e, 64), "");
}

static LLVMValueRef element_bytes_of(Simt *s, const Op *op) {
  const Type *element = op_result(op)->type->element;
  return const_int(int_type(s->e, 64), (int64_t)emit_memory_bytes(element));
}

static void find_fields(Simt *s, const Op *op, const TensorBox *box,
                        MapFields *out) {
  const int shape = op_group_start(op, 1), strides = op_group_start(op, 2);
  LLVMValueRef bytes = element_bytes_of(s, op);
  *out = (MapFields){.rank = box->rank};
  out->base = LLVMBuildPtrToInt(s->b, simt_scalar(s, op_operand(op, 0)),
                                int_type(s->e, 64), "");
  for (int i = 0; i < box->rank; i++) {
    const int from = box->rank - 1 - i;
    out->box[i] = box->box[from];
    out->sizes[i] = as_i64(s, op_operand(op, shape + from));
    if (i)
      out->strides[i - 1] = LLVMBuildMul(
          s->b, as_i64(s, op_operand(op, strides + from)), bytes, "");
  }
}

// Adjacent lines of a box become the outermost dimension.
static void add_lines(Simt *s, const Op *op, const TensorBox *box,
                      MapFields *out) {
  if (box->lines == 1) return;
  assert(out->rank < TENSOR_BOX_RANK && "no room for lines"); // I13
  LLVMValueRef line = const_int(int_type(s->e, 64), out->box[0]);
  const int last = out->rank++;
  out->box[last] = (uint32_t)box->lines;
  out->sizes[last] = LLVMBuildUDiv(s->b, out->sizes[0], line, "");
  out->sizes[0] = line;
  out->strides[last - 1] =
      LLVMBuildMul(s->b, line, element_bytes_of(s, op), "");
}

static LLVMValueRef is_below(Simt *s, LLVMValueRef x, LLVMValueRef y) {
  return LLVMBuildICmp(s->b, LLVMIntSLT, x, y, "");
}

static LLVMValueRef element_behind(Simt *s, LLVMValueRef place) {
  return emit_byte_at(s->e, place,
                      const_int(int_type(s->e, 64), TENSOR_MAP_SIZE));
}

// Sizes of a map are 1 at least: an empty tensor becomes the element behind the
// map.  Positions have 31 bits, so sizes beyond 32 make no difference.
static void fit_sizes(Simt *s, LLVMValueRef place, MapFields *x) {
  LLVMTypeRef i64 = int_type(s->e, 64);
  LLVMValueRef one = const_int(i64, 1), most = const_int(i64, UINT32_MAX);
  LLVMValueRef is_empty = is_below(s, x->sizes[0], one);
  for (int i = 1; i < x->rank; i++)
    is_empty = LLVMBuildOr(s->b, is_empty, is_below(s, x->sizes[i], one), "");
  for (int i = 0; i < x->rank; i++) {
    LLVMValueRef size = LLVMBuildSelect(s->b, is_below(s, most, x->sizes[i]),
                                        most, x->sizes[i], "");
    size = LLVMBuildSelect(s->b, is_empty, one, size, "");
    x->sizes[i] = LLVMBuildTrunc(s->b, size, int_type(s->e, 32), "");
  }
  LLVMValueRef one_element =
      LLVMBuildPtrToInt(s->b, element_behind(s, place), i64, "");
  x->base = LLVMBuildSelect(s->b, is_empty, one_element, x->base, "");
}

// -- Instructions ------------------------------------------------------------

static void run(Simt *s, const char *text, const char *constraints,
                int num_args, LLVMValueRef const *args) {
  nvptx_asm(s, text, constraints, LLVMVoidTypeInContext(s->e->llvm.context),
            num_args, args, true);
}

// A map has no room for the low bits of an address or a stride, so one that is
// not aligned would be read as another one.  The program stops by a store to
// address 0: behind a `trap`, ptxas assumes that slots and descriptors differ
// between lanes, and a trip takes 119 instructions instead of 51.
static void stop_unless_aligned(Simt *s, const MapFields *x) {
  LLVMTypeRef i64 = int_type(s->e, 64);
  const int64_t low = 15, stride = (INT64_C(1) << 40) - 1;
  LLVMValueRef wrong = LLVMBuildAnd(s->b, x->base, const_int(i64, low), "");
  for (int i = 0; i < x->rank - 1; i++) {
    LLVMValueRef bits =
        LLVMBuildAnd(s->b, x->strides[i], const_int(i64, low | ~stride), "");
    wrong = LLVMBuildOr(s->b, wrong, bits, "");
  }
  run(s,
      "{\n\t.reg .pred p;\n\t.reg .b64 nowhere;\n\t"
      "setp.ne.b64 p, $0, 0;\n\tmov.b64 nowhere, 0;\n\t"
      "@p st.global.b64 [nowhere], $0;\n\t}",
      "l", 1, &wrong);
}

// `index`: of the dimension; below 0: the field has none.
static void set_field(Simt *s, LLVMValueRef map, const char *field, int index,
                      LLVMValueRef value) {
  const bool is_wide = LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 64;
  const char *at = index < 0 ? "" : arena_printf(s->e->arena, "%d, ", index);
  const char *text = arena_printf(
      s->e->arena, "tensormap.replace.tile.%s.global.b1024.b%d [$0], %s$1;",
      field, is_wide ? 64 : 32, at);
  run(s, text, is_wide ? "l,l" : "l,r", 2, (LLVMValueRef[]){map, value});
}

static void set_word(Simt *s, LLVMValueRef map, const char *field, int value) {
  const char *text = arena_printf(
      s->e->arena, "tensormap.replace.tile.%s.global.b1024.b32 [$0], %d;",
      field, value);
  run(s, text, "l", 1, &map);
}

// The numbers of element types are not those of the driver.
static int type_number(const Type *element) {
  switch (element->elem) {
  case ELEM_f16: return 6;
  case ELEM_f32: return 7;
  case ELEM_f64: return 9;
  case ELEM_bf16: return 10;
  default: break;
  }
  switch (type_element_bits(element)) {
  case 16: return 1;
  case 32: return 2;
  case 64: return 4;
  default: return 0;
  }
}

static bool pads_with_nan(const Op *op) {
  return op_int(op, ATTR_padding) == PADDING_nan;
}

// All bits are set, which is a NaN of each type of floats.
static void write_nan(Simt *s, LLVMValueRef place) {
  LLVMValueRef element = element_behind(s, place);
  run(s, "st.b64 [$0], -1;\n\tfence.proxy.async.global;", "l", 1, &element);
}

static void set_fields(Simt *s, LLVMValueRef map, const Op *op,
                       const TensorBox *box, const MapFields *x) {
  static const int swizzles[] = {0, 1, 2, 0, 3}; // by units of 32 bytes
  set_field(s, map, "global_address", -1, x->base);
  set_word(s, map, "rank", x->rank - 1);
  for (int i = 0; i < x->rank; i++) {
    set_field(s, map, "box_dim", i, simt_i32(s, x->box[i]));
    set_field(s, map, "global_dim", i, x->sizes[i]);
    set_field(s, map, "element_stride", i, simt_i32(s, 1));
    if (i < x->rank - 1) set_field(s, map, "global_stride", i, x->strides[i]);
  }
  set_word(s, map, "elemtype", type_number(op_result(op)->type->element));
  set_word(s, map, "interleave_layout", 0);
  set_word(s, map, "swizzle_mode", swizzles[box->swizzle / 32]);
  set_word(s, map, "fill_mode", pads_with_nan(op));
}

static bool is_stored(const Op *op) {
  for (const Use *use = op_result(op)->uses; use; use = use->next)
    if (use->user->kind == OP_copy_to_desc) return true;
  return false;
}

// -- All ---------------------------------------------------------------------

// Loads by the previous map have ended, as their data was used; its stores may
// still run.
static void make_map(Simt *s, const Op *op, const TensorBox *box,
                     LLVMValueRef place) {
  MapFields fields;
  find_fields(s, op, box, &fields);
  add_lines(s, op, box, &fields);
  fit_sizes(s, place, &fields);
  if (pads_with_nan(op)) write_nan(s, place);
  stop_unless_aligned(s, &fields);
  if (is_stored(op) && op_is_in_loop(op))
    run(s, "cp.async.bulk.wait_group 0;", "", 0, NULL);
  LLVMTypeRef global =
      LLVMPointerTypeInContext(s->e->llvm.context, SPACE_GLOBAL_PTX);
  set_fields(s, LLVMBuildAddrSpaceCast(s->b, place, global, ""), op, box,
             &fields);
  run(s,
      "fence.proxy.tensormap::generic.release.gpu;\n\t"
      "fence.proxy.tensormap::generic.acquire.gpu [$0], 128;",
      "l", 1, &place);
}

bool simt_emit_made_map(Simt *s, const Op *op) {
  TensorBox box;
  size_t number = 0;
  while (number < s->made.count && s->made.items[number] != op) number++;
  if (number == s->made.count) return true; // without uses
  if (!tensor_box(op, &box)) return simt_unsupported(s, op, "of two boxes");
  if (!simt_want_ptx(s, op, BYTES_PTX, "tensor maps that programs make"))
    return false;
  LLVMValueRef place = place_of(s, number);
  LLVMBasicBlockRef behind = simt_begin_if(s, s->first_thread);
  make_map(s, op, &box, place);
  simt_end_if(s, behind);
  if (function_roles(s->f)) simt_lanes_meet(s);
  simt_set_scalar(s, op_result(op), place);
  return true;
}
