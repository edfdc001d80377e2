// asm_check.c -- rejects the user's assembly that would crash LLVM.
//
// LLVM ends the process for constraints that it cannot read, registers that do
// not fit their values and references to operands that do not exist.  So only
// known forms are accepted.
#include "codegen/gpu/simt.h"

#include "codegen/errors.h"

#include <stdlib.h>
#include <string.h>

// -- References --------------------------------------------------------------

// Accepts `$$`, and `$n` and `${n}` for one of the operands.
static bool check_references(Simt *s, const Op *op, long count) {
  const char *p = strchr(op_attr(op, ATTR_assembly)->as.s, '$');
  for (; p; p = strchr(p, '$')) {
    p++;
    const bool braced = *p == '{';
    char *end = (char *)p + 1;
    const long n = *p == '$' ? 0 : strtol(p + braced, &end, 10);
    const bool digit = strchr("0123456789", p[braced]) && p[braced];
    const bool fits = *p == '$' || (digit && n < count);
    if (!fits || (braced && *end != '}')) {
      return diag_error(s->e->diags, op->loc, ERROR_asm_operand, p, count);
    }
    p = end;
  }
  return true;
}

// -- Constraints -------------------------------------------------------------

// An entry of the list of constraints.
typedef struct {
  const char *text;
  int length;
} Constraint;

static bool next_constraint(const char **list, Constraint *out) {
  out->text = *list + strspn(*list, " ,");
  out->length = (int)strcspn(out->text, " ,");
  *list = out->text + out->length;
  return out->length > 0;
}

// Is the constraint a register or memory that the assembly changes besides:
// "~{memory}"?
static bool is_clobber(const Constraint *x) {
  return x->text[0] == '~';
}

static bool check_clobber(Simt *s, const Op *op, const Constraint *x,
                          bool is_last) {
  const char *end = memchr(x->text, '}', (size_t)x->length);
  const bool fits = x->length > 3 && x->text[1] == '{' && end;
  if (is_last && fits && end == x->text + x->length - 1) return true;
  return diag_error(s->e->diags, op->loc, ERROR_asm_clobber, x->length,
                    x->text);
}

static bool check_count(Simt *s, const Op *op, const SimtAsmWords *words) {
  int results = 0, operands = 0;
  Constraint x;
  const char *list = op_attr(op, ATTR_constraints)->as.s;
  while (next_constraint(&list, &x)) {
    results += *x.text == '=';
    operands += *x.text != '=' && !is_clobber(&x);
  }
  return (results == words->num_results && operands == words->num_operands) ||
         diag_error(s->e->diags, op->loc, ERROR_asm_constraints, results,
                    operands, words->num_results, words->num_operands);
}

static LLVMTypeRef type_of(const SimtAsmWords *words, int number) {
  return number < words->num_results
             ? words->results[number]
             : LLVMTypeOf(words->operands[number - words->num_results]);
}

static bool bad_register(Simt *s, const Op *op, const SimtAsmWords *words,
                         const Constraint *x, int number) {
  const int results = words->num_results;
  const Type *element = number < results
                            ? words->result_elements[number]
                            : words->operand_elements[number - results];
  char *type = LLVMPrintTypeToString(type_of(words, number));
  const char *text = element ? type_text(element, s->e->arena)
                             : arena_printf(s->e->arena, "%s", type);
  LLVMDisposeMessage(type);
  return diag_error(s->e->diags, op->loc, ERROR_asm_register, x->length,
                    x->text, number, text);
}

// Integers fit float registers of the same width.
static bool holds(char letter, LLVMTypeRef type) {
  if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind) {
    return letter != 'f' || LLVMGetTypeKind(type) != LLVMDoubleTypeKind;
  }
  const unsigned bits = LLVMGetIntTypeWidth(type);
  return (letter != 'f' || bits == 32) && (letter != 'd' || bits == 64);
}

// An operand may share the register of a result, given by its number.
static bool check_tied(Simt *s, const Op *op, const SimtAsmWords *words,
                       const Constraint *x, int number) {
  const long result = strtol(x->text, NULL, 10);
  if (result >= words->num_results) {
    return diag_error(s->e->diags, op->loc, ERROR_asm_constraint, x->length,
                      x->text, "operand", number, "numbers of results");
  }
  return type_of(words, (int)result) == type_of(words, number) ||
         bad_register(s, op, words, x, number);
}

// A letter; for a result, after '=' or '=&'.
static bool check_constraint(Simt *s, const Op *op, const SimtAsmWords *words,
                             const Constraint *x, int number) {
  const bool is_result = number < words->num_results;
  const char *registers = is_result ? "bhcrlqfd" : "bhcrlqfdni";
  const int before = !is_result                           ? 0
                     : x->length > 1 && x->text[1] == '&' ? 2
                                                          : 1;
  const char letter = x->length == before + 1 ? x->text[before] : 0;
  if (!is_result && strspn(x->text, "0123456789") >= (size_t)x->length) {
    return check_tied(s, op, words, x, number);
  }
  if (!letter || (*x->text == '=') != is_result || !strchr(registers, letter)) {
    return diag_error(s->e->diags, op->loc, ERROR_asm_constraint, x->length,
                      x->text, is_result ? "result" : "operand", number,
                      is_result ? "'=b', '=h', '=r', '=l', '=f' and '=d'"
                                : "'b', 'h', 'r', 'l', 'f' and 'd'");
  }
  return holds(letter, type_of(words, number)) ||
         bad_register(s, op, words, x, number);
}

static bool check_constraints(Simt *s, const Op *op,
                              const SimtAsmWords *words) {
  int number = 0;
  Constraint x;
  const char *list = op_attr(op, ATTR_constraints)->as.s;
  if (!check_count(s, op, words)) return false;
  while (next_constraint(&list, &x)) {
    const bool is_last = number == words->num_results + words->num_operands;
    const bool ok = is_clobber(&x)
                        ? check_clobber(s, op, &x, is_last)
                        : check_constraint(s, op, words, &x, number++);
    if (!ok) return false;
  }
  return true;
}

bool simt_check_asm(Simt *s, const Op *op, const SimtAsmWords *words) {
  return check_constraints(s, op, words) &&
         check_references(s, op, words->num_results + words->num_operands);
}
