// made_maps.c -- descriptors whose tensor maps the program makes itself, since
// it loads an address, a size or a stride from memory.
//
// No launch can refuse such a map.  So the pass relies on the language's rule
// that a descriptor begins at a multiple of 16 bytes and has strides of such
// multiples; a program that breaks the rule stops.  Strides and bases that the
// launch knows must be known to be such multiples.  A map takes some twenty
// instructions, and fences that wait for memory: loads of a loop must need it.
#include "passes/simplify/pointer_window.h"
#include "passes/simplify/tensor_maps.h"

static int64_t divisor(const AxisAnalysis *axes, const Value *value) {
  const int64_t most = axis_info(axes, value)->divisibility[0];
  return most < TENSOR_UNIT ? most : TENSOR_UNIT;
}

// Is the product of `bytes` and the term's factors surely a multiple of
// TENSOR_UNIT?
static bool is_aligned(const AxisAnalysis *axes, const BaseTerm *term,
                       int64_t bytes) {
  for (int i = 0; i < term->num_factors; i++)
    bytes *= divisor(axes, term->factors[i]);
  return bytes % TENSOR_UNIT == 0;
}

// Is the address to which the program adds known to be aligned, or loaded?
static bool starts_aligned(const AxisAnalysis *axes, const Op *desc) {
  const Block *top = op_function(desc)->body;
  const Value *base = op_operand(desc, 0);
  while (launch_steps(base, top) >= TOO_MANY_STEPS && base->def &&
         (base->def->kind == OP_addptr || base->def->kind == OP_hint))
    base = op_operand(base->def, 0);
  return launch_steps(base, top) >= TOO_MANY_STEPS ||
         divisor(axes, base) == TENSOR_UNIT;
}

// Is the base aligned, as far as is known?  A loaded number of elements is
// trusted to be a multiple; if it has factors, the product must be known to be
// one.
static bool fits_base(const AxisAnalysis *axes, const Op *desc) {
  const int64_t bytes = map_bytes(op_result(desc)->type);
  BaseSum sum;
  bool fits = starts_aligned(axes, desc);
  if (!base_sum(desc, &sum)) return fits;
  for (int i = 0; i < sum.num_known; i++)
    fits &=
        is_aligned(axes, &sum.known[i], bytes * divisor(axes, sum.known[i].at));
  for (int i = 0; i < sum.num_outer; i++)
    fits &=
        !sum.outer[i].num_factors ||
        is_aligned(axes, &sum.outer[i], bytes * divisor(axes, sum.outer[i].at));
  return fits;
}

static bool fits_stride(const AxisAnalysis *axes, const Value *stride,
                        const Op *desc) {
  const int64_t bytes = map_bytes(op_result(desc)->type);
  return launch_steps(stride, op_function(desc)->body) >= TOO_MANY_STEPS ||
         divisor(axes, stride) * bytes % TENSOR_UNIT == 0;
}

bool map_can_be_made(const AxisAnalysis *axes, const Op *desc) {
  if (desc->kind != OP_make_desc) return false;
  bool can = fits_base(axes, desc);
  const int first = op_group_start(desc, 2);
  for (int d = 0; d < op_result(desc)->type->rank - 1; d++)
    can &= fits_stride(axes, op_operand(desc, first + d), desc);
  return can;
}

static int num_loops(const Op *op) {
  int count = 0;
  for (op = op->block->parent; op; op = op->block->parent)
    count += op->kind == OP_for || op->kind == OP_while;
  return count;
}

bool map_pays(const Op *desc) {
  for (const Use *use = op_result(desc)->uses; use; use = use->next) {
    const Op *load = use->user;
    if (load->kind == OP_load_desc && num_loops(load) > num_loops(desc) &&
        tile_feeds_dot(op_result(load)))
      return true;
  }
  return false;
}
