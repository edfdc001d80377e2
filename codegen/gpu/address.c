// address.c -- addresses of a tile at regular distances.
//
// If addresses increase by the same amount from each row to the next, as those
// of a matrix with a stride do, a thread computes that of its first register,
// and the others from it.  The distances are the same in all threads, so one
// address is live through a loop instead of one for each row.  Constant
// distances are left to LLVM and ptxas: computed here, they led ptxas to slower
// schedules (docs/decisions/0009-registers-of-ptxas.md).  But LLVM does not
// find them in a product of a sum with an unknown value, (start + row) * 64.
//
// For example, the addresses x + (row * stride + column) of fp16 have the steps
// along[0] = {1, stride} and along[1] = {1, NULL}.  If bit 1 of the register
// number stands for row 8, the address of register 2 is that of register 0 plus
// stride * 16 bytes, and that of register 3 is register 1's plus as much.
#include "codegen/gpu/simt.h"

#include <assert.h>

enum { MAX_OPS = 64, WIDE_BITS = 64, MOST_OFFSET = 1 << 23 };

// factor * scale: the distance from an element to the next one.
typedef struct {
  int64_t factor;
  const Value *scale; // a scalar; NULL: 1
  bool is_open;       // the distance is unknown
} AddressStep;

typedef struct {
  AddressStep along[MAX_RANK];
  int64_t most;   // largest distance of an element from 0, up to UNBOUNDED
  bool is_moved;  // an unknown value was added
  bool is_hidden; // a moved value was multiplied
  int fuel;       // number of ops that may still be visited
} AddressSteps;

static const int64_t UNBOUNDED = INT64_C(1) << 62;

// -- Sums and products -------------------------------------------------------

static bool is_uniform(const AddressSteps *x) {
  for (int d = 0; d < MAX_RANK; d++) {
    if (x->along[d].factor || x->along[d].is_open) return false;
  }
  return true;
}

static bool has_open(const AddressSteps *x) {
  for (int d = 0; d < MAX_RANK; d++) {
    if (x->along[d].is_open) return true;
  }
  return false;
}

// The distances become unknown, as the sum may have wrapped.
static void open_steps(AddressSteps *x) {
  for (int d = 0; d < MAX_RANK; d++) {
    x->along[d].is_open |= x->along[d].factor != 0;
  }
}

static int64_t wrapping_product(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a * (uint64_t)b);
}

static int64_t bounded_sum(int64_t a, int64_t b) {
  return a < UNBOUNDED - b ? a + b : UNBOUNDED;
}

static int64_t bounded_product(int64_t a, int64_t b) {
  return !a || b < UNBOUNDED / a ? a * b : UNBOUNDED;
}

static int64_t magnitude(int64_t x) {
  return x > -UNBOUNDED && x < UNBOUNDED ? (x < 0 ? -x : x) : UNBOUNDED;
}

// Is it sure that elements of `bits` bits have not wrapped?
static bool is_exact(const AddressSteps *x, int bits) {
  return is_uniform(x) || x->most < INT64_C(1) << (bits - 1);
}

static bool add_steps(AddressSteps *x, const AddressSteps *y) {
  for (int d = 0; d < MAX_RANK; d++) {
    AddressStep *to = &x->along[d];
    const AddressStep *from = &y->along[d];
    to->is_open |= from->is_open;
    if (!from->factor) continue;
    if (to->factor && to->scale != from->scale) return false;
    to->scale = from->scale;
    to->factor = (int64_t)((uint64_t)to->factor + (uint64_t)from->factor);
  }
  return true;
}

// The value of all elements of the tile.  False if it is unknown.
static bool find_scalar(const Value *tile, AddressStep *out) {
  *out = (AddressStep){.factor = 1};
  for (int i = 0; tile->def && i < MAX_OPS; i++) {
    if (value_constant_int(tile, &out->factor)) return true;
    switch (tile->def->kind) {
    case OP_splat:
      out->scale = op_operand(tile->def, 0);
      if (value_constant_int(out->scale, &out->factor)) out->scale = NULL;
      return true;
    case OP_expand_dims:
    case OP_broadcast:
    case OP_convert_layout: tile = op_operand(tile->def, 0); break;
    default: return false;
    }
  }
  return false;
}

static bool scale_steps(AddressSteps *x, const Value *by) {
  AddressStep scale;
  if (is_uniform(x)) return true;
  if (!find_scalar(by, &scale)) return false;
  for (int d = 0; d < MAX_RANK; d++) {
    AddressStep *to = &x->along[d];
    if (!to->factor) continue;
    if (to->scale && scale.scale) return false;
    if (scale.scale) to->scale = scale.scale;
    to->factor = wrapping_product(to->factor, scale.factor);
  }
  return true;
}

// -- Distances in a tile -----------------------------------------------------

static bool find_steps(const Value *value, AddressSteps *out);

static void insert_axis(const Op *op, AddressSteps *x) {
  const int axis = (int)op_int(op, ATTR_axis);
  for (int d = MAX_RANK - 1; d > axis; d--) x->along[d] = x->along[d - 1];
  x->along[axis] = (AddressStep){0};
}

// A dimension of size 1 has no distance.
static void repeat_elements(const Op *op, AddressSteps *x) {
  const Type *from = op_operand(op, 0)->type;
  for (int d = 0; d < from->rank; d++) {
    if (from->shape[d] == 1) x->along[d] = (AddressStep){0};
  }
}

// Is `x` an unknown value that is the same in all elements?
static bool is_unknown(const AddressSteps *x) {
  return is_uniform(x) && x->most == UNBOUNDED;
}

static bool find_second(const Op *op, AddressSteps *x, AddressSteps *out) {
  *out = (AddressSteps){.fuel = x->fuel};
  const bool found = find_steps(op_operand(op, 1), out);
  x->fuel = out->fuel;
  return found;
}

static bool find_of_pair(const Op *op, AddressSteps *x) {
  AddressSteps y;
  if (!find_second(op, x, &y)) return false;
  const int bits = type_element_bits(op_operand(op, 1)->type);
  x->is_hidden |= y.is_hidden;
  if (op->kind == OP_addptr) {
    if (bits < WIDE_BITS && !is_exact(&y, bits)) open_steps(&y);
    return add_steps(x, &y);
  }
  if (op->kind == OP_addi) {
    x->is_moved |= y.is_moved || is_unknown(x) || is_unknown(&y);
    x->most = bounded_sum(x->most, y.most);
    return add_steps(x, &y);
  }
  y.most = x->most = bounded_product(x->most, y.most);
  if (is_uniform(&y)) {
    x->is_hidden |= x->is_moved && !is_uniform(x);
    return scale_steps(x, op_operand(op, 1));
  }
  if (!is_uniform(x)) return false;
  y.is_hidden = x->is_hidden || y.is_moved;
  *x = y;
  return scale_steps(x, op_operand(op, 0));
}

// `x` holds the distances of the first operand.
static bool find_of_op(const Op *op, AddressSteps *x) {
  switch (op->kind) {
  case OP_hint:
  case OP_convert_layout: return true;
  case OP_extsi:
    if (!is_exact(x, type_element_bits(op_operand(op, 0)->type))) open_steps(x);
    return true;
  case OP_expand_dims: insert_axis(op, x); return true;
  case OP_broadcast: repeat_elements(op, x); return true;
  case OP_addi:
  case OP_muli:
  case OP_addptr: return find_of_pair(op, x);
  default: return false;
  }
}

// The recursion is at most MAX_OPS deep.
static bool find_steps(const Value *value, AddressSteps *out) {
  const Op *op = value->def;
  if (!op || !out->fuel--) return false;
  if (op->kind == OP_constant || op->kind == OP_splat) {
    AddressStep scalar;
    const bool known = find_scalar(value, &scalar) && !scalar.scale;
    out->most = known ? magnitude(scalar.factor) : UNBOUNDED;
    return true;
  }
  if (op->kind == OP_arange) {
    out->along[0].factor = 1;
    out->most = bounded_sum(magnitude(op_int(op, ATTR_start)),
                            magnitude(op_int(op, ATTR_end)));
    return true;
  }
  if (!op->num_operands || !type_is_tile(op_operand(op, 0)->type)) return false;
  return find_steps(op_operand(op, 0), out) && find_of_op(op, out);
}

static bool has_stride(const AddressSteps *x) {
  for (int d = 0; d < MAX_RANK; d++) {
    const AddressStep *step = &x->along[d];
    if (step->factor && step->scale && !step->is_open) return true;
  }
  return false;
}

// -- Addresses of registers --------------------------------------------------

// Do registers and threads set different bits of an element's position, so that
// distances add up?
static bool registers_are_apart(const Layout *layout) {
  const int num_registers = layout->num_bits[LAYOUT_REGISTER];
  uint32_t registers = 0, threads = 0;
  for (int i = 0; i < layout->map.num_in; i++) {
    const uint32_t column = layout->map.column[i];
    if (i >= num_registers) {
      threads |= column;
      continue;
    }
    if (registers & column) return false;
    registers |= column;
  }
  return !(registers & threads);
}

// The distance of an element from the first, in bytes.
static LLVMValueRef distance(Simt *s, const AddressSteps *steps,
                             const Layout *layout, uint32_t element,
                             int64_t bytes) {
  LLVMTypeRef i64 = int_type(s->e, WIDE_BITS);
  LLVMValueRef sum = const_int(i64, 0);
  for (int d = layout->rank - 1; d >= 0; d--) {
    const int64_t at = element & ((UINT32_C(1) << layout->log2_shape[d]) - 1);
    const AddressStep *step = &steps->along[d];
    element >>= layout->log2_shape[d];
    if (!at || !step->factor) continue;
    LLVMValueRef part = const_int(
        i64, wrapping_product(wrapping_product(at, bytes), step->factor));
    if (step->scale) {
      LLVMValueRef scale = simt_scalar(s, step->scale);
      part = LLVMBuildMul(s->b, LLVMBuildSExt(s->b, scale, i64, ""), part, "");
    }
    sum = LLVMBuildAdd(s->b, sum, part, "");
  }
  assert(!element && "outside of the tile"); // I9
  return sum;
}

// The sum as PTX: for two sums of one address, LLVM would make a loop carry two
// addresses.
static LLVMValueRef moved_as_is(Simt *s, LLVMValueRef address,
                                LLVMValueRef bytes) {
  LLVMValueRef args[] = {address, bytes};
  return nvptx_asm(s, "add.s64 $0, $1, $2;", "=l,l,l", LLVMTypeOf(address), 2,
                   args, false);
}

// The register bits along which distances are unknown.
static int open_bits(const AddressSteps *steps, const Layout *layout) {
  int bits = 0;
  for (int bit = 0; bit < layout->num_bits[LAYOUT_REGISTER]; bit++) {
    uint32_t element = layout->map.column[bit];
    for (int d = layout->rank - 1; d >= 0; d--) {
      const uint32_t at =
          element & ((UINT32_C(1) << layout->log2_shape[d]) - 1);
      if (at && steps->along[d].is_open) bits |= 1 << bit;
      element >>= layout->log2_shape[d];
    }
    assert(!element && "outside of the tile"); // I9
  }
  return bits;
}

// The addresses of all registers.  Registers whose numbers contain only bits of
// `open` compute their own; the others are at a known distance from one of
// these.
static LLVMValueRef *from_first(Simt *s, const Op *op,
                                const AddressSteps *steps, int open) {
  const Type *type = op_result(op)->type;
  LLVMValueRef *out = simt_new(s, simt_count(type));
  LLVMValueRef *base = simt_get(s, op_operand(op, 0));
  LLVMValueRef *index = simt_get(s, op_operand(op, 1));
  const Layout *layout = type->layout;
  const int64_t bytes = (int64_t)emit_memory_bytes(type->element->element);
  for (int r = 0; r < simt_count(type); r++) {
    if (r & ~open) continue;
    LLVMValueRef x[] = {base[r], index[r]};
    out[r] = scalar_emit(s->e, op, x);
  }
  assert(!(open >> layout->num_bits[LAYOUT_REGISTER])); // I9
  for (int bit = 0; bit < layout->num_bits[LAYOUT_REGISTER]; bit++) {
    if (open >> bit & 1) continue;
    LLVMValueRef way =
        distance(s, steps, layout, layout->map.column[bit], bytes);
    const int done = (1 << bit) - 1;
    for (int r = 0; r < simt_count(type); r++) {
      if (!(r & ~(done | open))) {
        out[r + (1 << bit)] = emit_byte_at(s->e, out[r], way);
      }
    }
  }
  return out;
}

// Would LLVM not find these distances itself?
static bool is_worth(const AddressSteps *steps, const Layout *layout) {
  const int all = (1 << layout->num_bits[LAYOUT_REGISTER]) - 1;
  return (has_stride(steps) || steps->is_hidden) &&
         open_bits(steps, layout) != all;
}

bool simt_emit_addptr(Simt *s, const Op *op) {
  const Type *type = op_result(op)->type;
  AddressSteps steps = {.fuel = MAX_OPS};
  const bool known = type_is_tile(type) && registers_are_apart(type->layout) &&
                     find_steps(op_result(op), &steps);
  if (type_is_tile(type) && (!known || has_open(&steps))) {
    LLVMValueRef *moved = simt_moved(s, op);
    if (moved) {
      simt_set(s, op_result(op), moved);
      return true;
    }
  }
  if (!known || !is_worth(&steps, type->layout)) {
    return simt_emit_elementwise(s, op);
  }
  const int open = open_bits(&steps, type->layout);
  simt_set(s, op_result(op), from_first(s, op, &steps, open));
  return true;
}

// The register bits without a known distance.
static int unknown_bits(LLVMValueRef const *way, int num_bits) {
  int bits = 0;
  for (int bit = 0; bit < num_bits; bit++) {
    if (!LLVMIsAConstantInt(way[bit])) bits |= 1 << bit;
  }
  return bits;
}

static LLVMValueRef sum_of_ways(Simt *s, LLVMValueRef const *way, int bits) {
  LLVMValueRef sum = const_int(int_type(s->e, WIDE_BITS), 0);
  for (int bit = 0; bits >> bit; bit++) {
    if (bits >> bit & 1) sum = LLVMBuildAdd(s->b, sum, way[bit], "");
  }
  return sum;
}

// Computes each row from the one before, with one distance for all rows.
static LLVMValueRef *in_a_row(Simt *s, const Type *type,
                              const AddressSteps *steps, LLVMValueRef first) {
  LLVMValueRef *out = simt_new(s, simt_count(type)), way[32];
  const Layout *layout = type->layout;
  const int num_bits = layout->num_bits[LAYOUT_REGISTER];
  const int64_t bytes = (int64_t)emit_memory_bytes(type->element->element);
  for (int bit = 0; bit < num_bits; bit++) {
    way[bit] = distance(s, steps, layout, layout->map.column[bit], bytes);
  }
  assert(simt_count(type) == 1 << num_bits && num_bits < 32); // I9
  const int unknown = unknown_bits(way, num_bits);
  out[0] = first;
  for (int r = 1, last = 0; r < simt_count(type); r++) {
    if (r & ~unknown) {
      out[r] = emit_byte_at(s->e, out[r & unknown],
                            sum_of_ways(s, way, r & ~unknown));
      continue;
    }
    LLVMValueRef more = LLVMBuildSub(s->b, sum_of_ways(s, way, r),
                                     sum_of_ways(s, way, last), "");
    out[r] = moved_as_is(s, out[last], more);
    last = r;
  }
  return out;
}

// Does the loop move all elements by the same amount?
static bool moves_alike(const Op *loop, int slot) {
  const Op *sum = value_def(region_yield(loop, 0, slot), OP_addptr);
  AddressStep step;
  return sum && op_operand(sum, 0) == for_arg(loop, slot) &&
         find_scalar(op_operand(sum, 1), &step);
}

void simt_relate_addresses(Simt *s, const Op *loop) {
  for (int i = 0; i < for_num_slots(loop); i++) {
    const Value *arg = for_arg(loop, i);
    AddressSteps steps = {.fuel = MAX_OPS};
    if (!type_is_tile(arg->type) || !type_is_pointer(arg->type)) continue;
    if (!registers_are_apart(arg->type->layout)) continue;
    if (!moves_alike(loop, i)) continue;
    if (!find_steps(for_init(loop, i), &steps)) continue;
    if (has_open(&steps) || !has_stride(&steps)) continue;
    LLVMValueRef first = simt_get(s, arg)[0];
    simt_set(s, arg, in_a_row(s, arg->type, &steps, first));
  }
}

// -- Constants in an instruction ---------------------------------------------

LLVMValueRef simt_split_address(Simt *s, LLVMValueRef address,
                                int64_t *offset) {
  *offset = 0;
  while (LLVMIsAGetElementPtrInst(address) &&
         LLVMGetGEPSourceElementType(address) == int_type(s->e, 8)) {
    LLVMValueRef index = LLVMGetOperand(address, 1);
    if (!LLVMIsAConstantInt(index)) break;
    const int64_t sum = *offset + LLVMConstIntGetSExtValue(index);
    if (sum < -MOST_OFFSET || sum >= MOST_OFFSET) break;
    assert(sum >= -MOST_OFFSET && sum < MOST_OFFSET); // I8
    *offset = sum;
    address = LLVMGetOperand(address, 0);
  }
  return address;
}

const char *simt_plus(Simt *s, int64_t offset) {
  return offset ? arena_printf(s->e->arena, "+%d", (int)offset) : "";
}
