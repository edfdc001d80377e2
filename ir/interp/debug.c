// debug.c -- device_print, device_assert, and the registers of ir/assembly.h;
// other assembly is not supported.
#include "ir/assembly.h"
#include "ir/debug_text.h"
#include "ir/errors.h"
#include "ir/interp/run.h"
#include "ir/number.h"

#include <string.h>
#include <time.h>

enum { MAX_SLOTS = 3 + MAX_RANK + 1 };

static int add_place(const Run *r, const Type *type, int64_t element,
                     uint64_t *slots) {
  int n = 0;
  for (; n < 3; n++) slots[n] = (uint64_t)r->pid[n];
  if (!type_is_tile(type)) return n;
  int64_t strides[MAX_RANK];
  row_major(type->rank, type->shape, strides);
  for (int i = 0; i < type->rank; i++) {
    slots[n++] = (uint64_t)(element / strides[i] % type->shape[i]);
  }
  return n;
}

static uint64_t slot_of(const Op *op, int operand, Cell cell) {
  const Type *element = type_element(op_operand(op, operand)->type);
  if (element->kind == TYPE_POINTER || type_is_float(element)) return cell.u;
  const bool bare = op_int(op, ATTR_hex) || debug_is_unsigned(op, operand);
  return bare ? int_unsigned(cell.i, element->elem) : cell.u;
}

static void print_line(Run *r, const Op *op, int operand, bool poison,
                       const uint64_t *slots) {
  char line[2048];
  r->text.length = 0; // the same memory every time
  debug_print_format(op, operand, poison, &r->text);
  debug_format(line, sizeof line, r->text.data, slots);
  r->launch->print(r->launch->print_ctx, line);
}

static void print_operand(Run *r, const InterpInst *in, int operand) {
  const Slot *slot = in->in[operand];
  uint64_t slots[MAX_SLOTS];
  for (int64_t i = 0; i < slot->count; i++) {
    const int n = add_place(r, slot->type, i, slots);
    slots[n] = slot_of(in->op, operand, slot->cells[i]);
    print_line(r, in->op, operand, slot->poisoned && slot->marks[i].i, slots);
  }
}

bool exec_device_print(Run *r, const InterpInst *in) {
  if (!r->launch->print) return true;
  for (int i = 0; i < in->op->num_operands; i++) {
    if (debug_is_printed(in->in[i]->type)) print_operand(r, in, i);
  }
  if (in->op->num_operands) return true;
  const uint64_t slots[] = {(uint64_t)r->pid[0], (uint64_t)r->pid[1],
                            (uint64_t)r->pid[2]};
  print_line(r, in->op, 0, false, slots);
  return true;
}

bool exec_device_assert(Run *r, const InterpInst *in) {
  const Slot *condition = in->in[0], *mask = inst_group(in, 1);
  if (mask && !slot_defined(r, in, mask, "the mask")) return false;
  const int64_t step = mask && mask->count == condition->count;
  for (int64_t i = 0; i < condition->count; i++) {
    if (mask && !mask->cells[i * step].i) continue;
    const bool poison = condition->poisoned && condition->marks[i].i;
    if (condition->cells[i].i && !poison) continue;
    diag_error(r->diags, in->op->loc, ERROR_interpreted_assertion_failed,
               debug_message(in->op), (long long)i,
               poison ? ": it is poison" : "");
    return run_stop(r, in);
  }
  return true;
}

static bool refuse_asm(Run *r, const InterpInst *in) {
  diag_error(r->diags, in->op->loc, ERROR_assembly_not_interpreted);
  return run_stop(r, in);
}

bool exec_inline_asm(Run *r, const InterpInst *in) {
  return refuse_asm(r, in);
}

static int64_t clock_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// Programs run one after the other, on one processor.
bool exec_inline_asm_effects(Run *r, const InterpInst *in) {
  const char *text = op_attr(in->op, ATTR_assembly)->as.s;
  const bool is_clock = !strcmp(text, ASSEMBLY_CLOCK);
  if (!is_clock && strcmp(text, ASSEMBLY_PROCESSOR)) return refuse_asm(r, in);
  in->out[0]->cells[0].i = is_clock ? clock_ns() : 0;
  return true;
}
