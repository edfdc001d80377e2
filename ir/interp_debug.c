// interp_debug.c -- device_print and device_assert.
#include "ir/interp_run.h"
#include "ir/number.h"

static const char *message(const Inst *in) {
  const Attr *text = op_attr(in->op, ATTR_message);
  return text ? text->as.s : "";
}

// "pid (0, 0, 0) idx (1, 2) " before each element, as Triton's does.
static void add_place(Run *r, const Type *type, int64_t element) {
  str_addf(&r->text, "pid (%lld, %lld, %lld) ", (long long)r->pid[0],
           (long long)r->pid[1], (long long)r->pid[2]);
  if (!type->rank) return;
  int64_t strides[MAX_RANK];
  row_major(type->rank, type->shape, strides);
  for (int i = 0; i < type->rank; i++) {
    str_addf(&r->text, i ? ", %lld" : "idx (%lld",
             (long long)(element / strides[i] % type->shape[i]));
  }
  str_add(&r->text, ") ");
}

static void add_cell(Run *r, const Type *type, Cell cell, bool hex) {
  if (type->kind != TYPE_POINTER && elem_info[type->elem].is_float) {
    const int digits = type->elem == ELEM_f64 ? 17 : 9;
    str_addf(&r->text, "%.*g", digits, cell.f);
  } else if (type->kind == TYPE_POINTER) {
    str_addf(&r->text, "0x%llx", (unsigned long long)cell.u);
  } else if (hex) {
    str_addf(&r->text, "0x%llx",
             (unsigned long long)int_unsigned(cell.i, type->elem));
  } else {
    str_addf(&r->text, "%lld", (long long)cell.i);
  }
}

static void print_slot(Run *r, const Inst *in, const Slot *slot) {
  const bool hex = op_int(in->op, ATTR_hex) != 0;
  for (int64_t i = 0; i < slot->count; i++) {
    r->text.length = 0;
    add_place(r, slot->type, i);
    str_add(&r->text, message(in));
    if (slot->poisoned && slot->marks[i].i) {
      str_add(&r->text, "poison");
    } else {
      add_cell(r, type_element(slot->type), slot->cells[i], hex);
    }
    str_add(&r->text, "\n");
    r->launch->print(r->launch->print_ctx, r->text.data);
  }
}

static bool is_printable(const Type *type) {
  return type->kind == TYPE_TILE || type->kind == TYPE_SCALAR ||
         type->kind == TYPE_POINTER;
}

bool exec_device_print(Run *r, const Inst *in) {
  if (!r->launch->print) return true;
  for (int i = 0; i < in->op->num_operands; i++) {
    if (is_printable(in->in[i]->type)) print_slot(r, in, in->in[i]);
  }
  if (in->op->num_operands) return true;
  r->text.length = 0;
  str_addf(&r->text, "pid (%lld, %lld, %lld) %s\n", (long long)r->pid[0],
           (long long)r->pid[1], (long long)r->pid[2], message(in));
  r->launch->print(r->launch->print_ctx, r->text.data);
  return true;
}

bool exec_device_assert(Run *r, const Inst *in) {
  const Slot *condition = in->in[0], *mask = inst_group(in, 1);
  if (mask && !slot_defined(r, in, mask, "the mask")) return false;
  const int64_t step = mask && mask->count == condition->count;
  for (int64_t i = 0; i < condition->count; i++) {
    if (mask && !mask->cells[i * step].i) continue;
    const bool poison = condition->poisoned && condition->marks[i].i;
    if (condition->cells[i].i && !poison) continue;
    diag_error(r->diags, in->op->loc, "assertion failed: %s (lane %lld)%s",
               message(in), (long long)i, poison ? ": it is poison" : "");
    return run_stop(r, in);
  }
  return true;
}
