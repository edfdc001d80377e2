// launch_value.c -- arithmetic on arguments, as steps; launch_compute.c
// evaluates them.
#include "ir/launch_value.h"

typedef struct {
  LaunchStep *steps;
  int count;
  int budget; // number of values that may still be visited
} StepWriter;

static bool write(StepWriter *w, LaunchStep step) {
  if (w->count >= LAUNCH_MAX_STEPS) return false;
  w->steps[w->count++] = step;
  return true;
}

static bool write_operation(StepWriter *w, LaunchOp op, Elem from, Elem to) {
  return write(
      w,
      (LaunchStep){.kind = STEP_OPERATION, .op = op, .from = from, .to = to});
}

static bool write_value(StepWriter *w, const Value *value);

static bool is_argument(const Value *value) {
  return !value->def && !value->block->parent;
}

static bool write_leaf(StepWriter *w, const Value *value) {
  const LaunchStep argument = {.kind = STEP_ARGUMENT, .value = value->index};
  if (!write(w, argument)) return false;
  // The slot has more bits than the argument.
  const Elem elem = value->type->elem;
  return value->type->kind == TYPE_POINTER || elem == ELEM_i64 ||
         write_operation(w, LAUNCH_trunci, ELEM_i64, elem);
}

static const OpKind launch_ops[] = {
#define LAUNCH_OP(name, num_operands) OP_##name,
#include "ir/op/launch_ops.def"
};

// NUM_LAUNCH_OPS: the op is not among them.
static LaunchOp find_launch_op(OpKind kind) {
  int i = 0;
  while (i < NUM_LAUNCH_OPS && launch_ops[i] != kind) i++;
  return (LaunchOp)i;
}

static bool write_operands(StepWriter *w, const Op *op) {
  for (int i = 0; i < op->num_operands; i++) {
    if (!write_value(w, op_operand(op, i))) return false;
  }
  return true;
}

static bool write_op(StepWriter *w, const Op *op) {
  const LaunchOp kind = find_launch_op(op->kind);
  if (kind == NUM_LAUNCH_OPS || !write_operands(w, op)) return false;
  return write(
      w, (LaunchStep){.kind = STEP_OPERATION,
                      .op = kind,
                      .from = op_operand(op, 0)->type->elem,
                      .to = op_result(op)->type->elem,
                      .predicate = (Predicate)op_int(op, ATTR_predicate)});
}

static bool write_address(StepWriter *w, const Op *op) {
  const Value *offset = op_operand(op, 1);
  const Type *element = op_result(op)->type->element;
  const int64_t bytes = (elem_info[element->elem].bits + 7) / 8;
  const Elem elem = offset->type->elem;
  return element->kind == TYPE_SCALAR && write_value(w, op_operand(op, 0)) &&
         write_value(w, offset) &&
         (elem == ELEM_i64 ||
          write_operation(w, LAUNCH_extsi, elem, ELEM_i64)) &&
         write(w, (LaunchStep){.kind = STEP_CONSTANT, .value = bytes}) &&
         write_operation(w, LAUNCH_muli, ELEM_i64, ELEM_i64) &&
         write_operation(w, LAUNCH_addi, ELEM_i64, ELEM_i64);
}

static bool is_scalar(const Type *type) {
  return type->kind == TYPE_POINTER ||
         (type->kind == TYPE_SCALAR && type_is_int(type));
}

// The budget limits the recursion.  Each visited value adds a step, so values
// with few enough steps never exhaust it; hints add none, but are rarely
// nested.
static bool write_value(StepWriter *w, const Value *value) {
  int64_t constant;
  for (int i = 0; i < LAUNCH_MAX_STEPS && value_def(value, OP_hint); i++)
    value = op_operand(value->def, 0);
  if (!w->budget-- || !is_scalar(value->type)) return false;
  if (is_argument(value)) return write_leaf(w, value);
  if (value_constant_int(value, &constant))
    return write(w, (LaunchStep){.kind = STEP_CONSTANT, .value = constant});
  if (!value->def || value->def->num_results != 1) return false;
  return value->def->kind == OP_addptr ? write_address(w, value->def)
                                       : write_op(w, value->def);
}

int launch_value_steps(const Value *value, LaunchStep steps[LAUNCH_MAX_STEPS]) {
  StepWriter writer = {steps, 0, LAUNCH_MAX_STEPS};
  return write_value(&writer, value) ? writer.count : 0;
}

bool launch_step_equal(const LaunchStep *a, const LaunchStep *b) {
  return a->kind == b->kind && a->op == b->op && a->from == b->from &&
         a->to == b->to && a->predicate == b->predicate && a->value == b->value;
}
