// fold.c -- constant expressions of PTX.
//
// Constants have 64 bits; an operation with an unsigned operand is unsigned,
// except that the result of a comparison is signed.
#include "runtime/simulator/ptx/parser.h"

#include "runtime/simulator/ptx/ptx.tab.h"

static bool compare(int op, const PtxOperand *a, const PtxOperand *b) {
  const bool is_unsigned = a->is_unsigned || b->is_unsigned;
  const bool less = is_unsigned ? (uint64_t)a->value < (uint64_t)b->value
                                : a->value < b->value;
  const bool same = a->value == b->value;
  switch (op) {
  case '<': return less;
  case PTX_LE: return less || same;
  case '>': return !less && !same;
  case PTX_GE: return !less;
  case PTX_EQ: return same;
  default: return !same;
  }
}

static bool divide(int op, const PtxOperand *a, const PtxOperand *b,
                   PtxOperand *result) {
  const bool is_rest = op == '%';
  if (!b->value) return false;
  if (result->is_unsigned) {
    const uint64_t x = (uint64_t)a->value, y = (uint64_t)b->value;
    result->value = (int64_t)(is_rest ? x % y : x / y);
  } else if (b->value == -1) { // the least number divided by -1 overflows
    result->value = is_rest ? 0 : (int64_t)(0 - (uint64_t)a->value);
  } else {
    result->value = is_rest ? a->value % b->value : a->value / b->value;
  }
  return true;
}

static int64_t shift(int op, const PtxOperand *a, uint64_t by) {
  const uint64_t bits = (uint64_t)a->value;
  if (op == PTX_SHL) return by < 64 ? (int64_t)(bits << by) : 0;
  if (a->is_unsigned) return by < 64 ? (int64_t)(bits >> by) : 0;
  return a->value >> (by < 64 ? by : 63);
}

static void fold_one(int op, const PtxOperand *a, PtxOperand *result) {
  result->is_unsigned = a->is_unsigned && op != '!';
  result->value = op == '-'   ? (int64_t)(0 - (uint64_t)a->value)
                  : op == '~' ? ~a->value
                  : op == '!' ? !a->value
                              : a->value;
}

static bool fold_two(int op, const PtxOperand *a, const PtxOperand *b,
                     PtxOperand *result) {
  const uint64_t x = (uint64_t)a->value, y = (uint64_t)b->value;
  result->is_unsigned = a->is_unsigned || b->is_unsigned;
  switch (op) {
  case '+': result->value = (int64_t)(x + y); return true;
  case '-': result->value = (int64_t)(x - y); return true;
  case '*': result->value = (int64_t)(x * y); return true;
  case '&': result->value = (int64_t)(x & y); return true;
  case '|': result->value = (int64_t)(x | y); return true;
  case '^': result->value = (int64_t)(x ^ y); return true;
  case '/':
  case '%': return divide(op, a, b, result);
  case PTX_SHL:
  case PTX_SHR:
    result->is_unsigned = a->is_unsigned;
    result->value = shift(op, a, y);
    return true;
  default: break;
  }
  result->is_unsigned = false;
  result->value = op == PTX_AND  ? x && y
                  : op == PTX_OR ? x || y
                                 : compare(op, a, b);
  return true;
}

PtxOperand *ptx_fold(PtxParser *parser, int line, int op, const PtxOperand *a,
                     const PtxOperand *b) {
  PtxOperand *result = ptx_make_operand(parser, OPERAND_INT, NULL, 0);
  if (!b) {
    fold_one(op, a, result);
  } else if (!fold_two(op, a, b, result)) {
    parser->failed = true;
    ptx_error(parser->error, line, "a division by zero");
    return NULL;
  }
  return result;
}
