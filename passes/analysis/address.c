// address.c -- bases of addresses, and tiles of addresses as sums of strides.
//
// The *form* of a tile is a sum of a scalar and, along some of its axes, of
// multiples of a stride of that axis.
//
// For example, x + 16 * i + j, with i = arange(0, 8) as rows and j = arange(0,
// 16) as columns, is a form along both axes with unit 1 and span 127: the span
// of j, 15, is less than the unit of 16 * i, so all addresses are different.
// If each trip adds 128 to it, later trips have other addresses.  With 8 * i
// rows overlap, and the form is unknown.
#include "passes/analysis/address.h"

#include "passes/analysis/walk.h"

enum { MAX_CHAIN = 64 }; // number of ops that are visited

// -- Bases -------------------------------------------------------------------

// The operand whose addresses an op moves or rearranges; NULL if there is no
// single one.
static const Value *moved_from(const Value *ptr) {
  if (!ptr->def) return NULL;
  switch (ptr->def->kind) {
  case OP_addptr:
  case OP_make_block_ptr:
  case OP_advance:
  case OP_make_desc:
  case OP_splat:
  case OP_broadcast:
  case OP_expand_dims:
  case OP_reshape:
  case OP_trans:
  case OP_hint:
  case OP_convert_layout: return op_operand(ptr->def, 0);
  default: return NULL;
  }
}

// The initial value of the addresses in a slot of a loop; NULL if an iteration
// may replace them by others.
static const Value *carried_from(const Op *loop, int slot) {
  const Value *at = region_yield(loop, 0, slot);
  for (int i = 0; at && at != for_arg(loop, slot); i++) {
    at = i < MAX_CHAIN ? moved_from(at) : NULL;
  }
  return at ? for_init(loop, slot) : NULL;
}

static const Value *one_back(const Value *ptr) {
  const Op *loop = ptr->def ? ptr->def : ptr->block->parent;
  if (!loop) return ptr; // a parameter of the kernel
  if (loop->kind != OP_for) return moved_from(ptr);
  if (ptr->def) return carried_from(loop, ptr->index);
  return ptr->index ? carried_from(loop, ptr->index - 1) : NULL;
}

// The parameter; NULL: another parameter may lead to the same memory.
static const Value *own_memory(const Value *param) {
  return function_int(param->block->function, ATTR_overlap, false) ? NULL
                                                                   : param;
}

const Value *address_base(const Value *ptr) {
  for (int i = 0; ptr && i < MAX_CHAIN; i++) {
    const Value *back = one_back(ptr);
    if (back == ptr) return own_memory(ptr);
    ptr = back;
  }
  return NULL;
}

// The address from which a pointer was loaded, perhaps as an integer.
static const Value *loaded_from(const Value *ptr) {
  const Op *op = ptr->def;
  if (op && op->kind == OP_inttoptr) op = op_operand(op, 0)->def;
  while (op && op->kind == OP_hint) op = op_operand(op, 0)->def;
  return op && op->kind == OP_load ? op_operand(op, 0) : NULL;
}

AddressRoot address_root(const Value *ptr) {
  bool is_loaded = false;
  for (int i = 0; ptr && i < MAX_CHAIN; i++) {
    const Value *from = loaded_from(ptr);
    const Value *back = from ? from : one_back(ptr);
    if (back == ptr) return (AddressRoot){own_memory(ptr), is_loaded};
    is_loaded |= from != NULL;
    ptr = back;
  }
  return (AddressRoot){NULL, is_loaded};
}

bool roots_are_apart(AddressRoot x, AddressRoot y) {
  return x.argument && y.argument &&
         (x.argument != y.argument || x.is_loaded != y.is_loaded);
}

Op *address_window(const Value *window) {
  for (int i = 0; window && i < MAX_CHAIN; i++) {
    Op *op = window->def;
    if (op && (op->kind == OP_make_block_ptr || op->kind == OP_make_desc))
      return op;
    const Value *back = one_back(window);
    window = back == window ? NULL : back;
  }
  return NULL;
}

// -- Forms -------------------------------------------------------------------

#define UNKNOWN INT64_MAX
#define LARGEST (INT64_C(1) << 31) // above it, a stride is unknown

typedef struct {
  bool sum;      // else the form is unknown
  unsigned axes; // along which the form counts
  int64_t unit;  // its smallest stride
  int64_t span;  // distance of the last element from the first
  int64_t step;  // distance from a trip to the next
} AddressForm;

typedef struct {
  const Op *loop; // loop whose trips are meant; or NULL
  int budget;     // number of values that may still be visited
} FormLook;

static const AddressForm no_form = {
    .unit = UNKNOWN, .span = UNKNOWN, .step = UNKNOWN};

static int64_t known(int64_t x) {
  return x <= LARGEST && x >= -LARGEST ? x : UNKNOWN;
}

static int64_t sum_of(int64_t x, int64_t y) {
  return x == UNKNOWN || y == UNKNOWN ? UNKNOWN : known(x + y);
}

static int64_t product_of(int64_t x, int64_t y) {
  if (!x || !y) return 0;
  return x == UNKNOWN || y == UNKNOWN ? UNKNOWN : known(x * y);
}

static int64_t constant_of(const Value *value) {
  int64_t constant;
  return value_constant_int(value, &constant) ? known(constant) : UNKNOWN;
}

static AddressForm form_of(FormLook *look, const Value *value);

// The form of a scalar, which is the same in every element.
static AddressForm scalar_form(int64_t step) {
  return (AddressForm){.sum = true, .unit = UNKNOWN, .step = step};
}

// Is the span of one form shorter than the smallest stride of the other, so
// that their sums are different?
static bool nest(const AddressForm *x, const AddressForm *y) {
  if (x->axes & y->axes) return false;
  if (x->span == UNKNOWN || y->span == UNKNOWN) return true;
  return x->unit > y->span || y->unit > x->span;
}

static AddressForm add_forms(const AddressForm *x, const AddressForm *y,
                             int64_t sign) {
  return (AddressForm){
      .sum = x->sum && y->sum && nest(x, y),
      .axes = x->axes | y->axes,
      .unit = x->unit < y->unit ? x->unit : y->unit,
      .span = sum_of(x->span, y->span),
      .step = sum_of(x->step, product_of(sign, y->step)),
  };
}

static AddressForm scale_form(const AddressForm *x, const Value *by,
                              const AddressForm *form) {
  const int64_t factor = constant_of(by);
  const int64_t size = factor < 0 ? -factor : factor;
  AddressForm scaled = *x;
  scaled.sum = x->sum && form->sum && !form->axes && factor;
  scaled.unit = product_of(x->unit, size);
  scaled.span = product_of(x->span, size);
  scaled.step = form->step ? UNKNOWN : product_of(x->step, factor);
  return scaled;
}

static AddressForm product_form(const Op *op, const AddressForm *x,
                                const AddressForm *y) {
  return y->axes ? scale_form(y, op_operand(op, 0), x)
                 : scale_form(x, op_operand(op, 1), y);
}

static AddressForm arange_form(const Op *op) {
  const int64_t span = op_int(op, ATTR_end) - op_int(op, ATTR_start) - 1;
  return (AddressForm){.sum = true, .axes = span > 0, .unit = 1, .span = span};
}

static unsigned expand_axes(unsigned axes, int axis) {
  const unsigned below = axes & ((1u << axis) - 1);
  return below | (axes & ~below) << 1;
}

static unsigned trans_axes(const Op *op, unsigned axes) {
  const Attr *order = op_attr(op, ATTR_order);
  unsigned moved = 0;
  for (int i = 0; i < order->as.ints.count; i++) {
    moved |= (axes >> order->as.ints.items[i] & 1u) << i;
  }
  return moved;
}

// The form of an op's result, from those of its first two operands.
static AddressForm op_form(const Op *op, AddressForm x, const AddressForm *y) {
  switch (op->kind) {
  case OP_splat:
  case OP_broadcast:
  case OP_extsi:
  case OP_extui:
  case OP_hint:
  case OP_convert_layout: return x;
  case OP_expand_dims:
    x.axes = expand_axes(x.axes, (int)op_int(op, ATTR_axis));
    return x;
  case OP_trans: x.axes = trans_axes(op, x.axes); return x;
  case OP_addi:
  case OP_addptr: return add_forms(&x, y, 1);
  case OP_subi: return add_forms(&x, y, -1);
  case OP_muli: return product_form(op, &x, y);
  default: return no_form;
  }
}

// The distance by which a trip moves all elements of a carried value; false if
// it changes the value in another way.
static bool find_step(FormLook *look, const Op *loop, int slot, int64_t *step) {
  const Value *at = region_yield(loop, 0, slot);
  *step = 0;
  while (at != for_arg(loop, slot)) {
    const Op *op = at->def;
    if (!op || (op->kind != OP_addptr && op->kind != OP_addi)) return false;
    const AddressForm by = form_of(look, op_operand(op, 1));
    if (!by.sum || by.axes) return false;
    *step = sum_of(*step, constant_of(op_operand(op, 1)));
    at = op_operand(op, 0);
  }
  return true;
}

static AddressForm carried_form(FormLook *look, const Op *loop, int slot) {
  int64_t step;
  if (!find_step(look, loop, slot, &step)) return no_form;
  AddressForm form = form_of(look, for_init(loop, slot));
  form.step = loop == look->loop ? sum_of(form.step, step) : UNKNOWN;
  return form;
}

static AddressForm argument_form(FormLook *look, const Value *value) {
  const Op *loop = value->block->parent;
  if (!loop || loop->kind != OP_for) return no_form;
  if (value->index) return carried_form(look, loop, value->index - 1);
  return scalar_form(
      loop == look->loop ? constant_of(op_operand(loop, FOR_STEP)) : UNKNOWN);
}

static AddressForm inner_form(FormLook *look, const Value *value) {
  const Op *op = value->def;
  if (!op) return argument_form(look, value);
  if (op->kind == OP_constant) return scalar_form(0);
  if (op->kind == OP_arange) return arange_form(op);
  if (op->kind == OP_for) return carried_form(look, op, value->index);
  if (!op->num_operands || op->num_operands > 2) return no_form;
  const AddressForm x = form_of(look, op_operand(op, 0));
  const AddressForm y =
      op->num_operands > 1 ? form_of(look, op_operand(op, 1)) : no_form;
  return op_form(op, x, &y);
}

// The budget bounds the recursion.
static AddressForm form_of(FormLook *look, const Value *value) {
  AddressForm form = look->budget-- > 0 ? inner_form(look, value) : no_form;
  if (!form.sum && !type_is_tile(value->type)) form = scalar_form(UNKNOWN);
  const Block *body = look->loop ? look->loop->regions[0] : NULL;
  if (!body || value_is_outside(value, body)) form.step = 0;
  return form;
}

// -- Consequences ------------------------------------------------------------

bool address_is_distinct(const Value *ptr) {
  FormLook look = {.budget = MAX_CHAIN};
  const AddressForm form = form_of(&look, ptr);
  unsigned axes = 0;
  for (int i = 0; type_is_tile(ptr->type) && i < ptr->type->rank; i++) {
    if (ptr->type->shape[i] > 1) axes |= 1u << i;
  }
  return form.sum && form.axes == axes;
}

Motion address_motion(const Value *ptr, const Op *loop) {
  FormLook look = {.loop = loop, .budget = MAX_CHAIN};
  const AddressForm form = form_of(&look, ptr);
  if (!form.step) return MOTION_NONE;
  if (!form.sum) return MOTION_ANY;
  if (form.step == UNKNOWN || form.span == UNKNOWN) return MOTION_STRIDE;
  const int64_t far = form.step < 0 ? -form.step : form.step;
  return far > form.span ? MOTION_APART : MOTION_ANY;
}
