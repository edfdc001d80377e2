// limits.c -- the valid values of operands that are numbers, by limits.def.
//
// For example, `bar.sync 1, 48;` is refused: 48 is no multiple of 32.  If the
// count is in a register, the launch reports it instead.
#include "runtime/simulator/decode/decode.h"

typedef struct {
  PickFn pick;
  WordId without;
  int operand;
  int64_t least, most, unit;
} NumberLimit;

static const NumberLimit limits[] = {
#define LIMIT(pick, without, operand, least, most, unit)                       \
  {pick_##pick, WORD_##without, operand, least, most, unit},
#include "runtime/simulator/decode/limits.def"
};

static const PtxOperand *operand_at(const PtxOperand *first, int number) {
  while (first && number--) first = first->next;
  return first;
}

static bool fits(Decoder *d, const NumberLimit *limit, long long value) {
  if (value >= limit->least && value <= limit->most && value % limit->unit == 0)
    return true;
  if (limit->most == INT64_MAX && limit->least > INT64_MIN)
    return fail_at(d, "operand %d is %lld, no multiple of %lld above 0",
                   limit->operand + 1, value, (long long)limit->unit);
  if (limit->most == INT64_MAX)
    return fail_at(d, "operand %d is %lld, no multiple of %lld",
                   limit->operand + 1, value, (long long)limit->unit);
  if (limit->unit == 1)
    return fail_at(d, "operand %d is %lld, not %lld to %lld",
                   limit->operand + 1, value, (long long)limit->least,
                   (long long)limit->most);
  return fail_at(d, "operand %d is %lld, no multiple of %lld to %lld",
                 limit->operand + 1, value, (long long)limit->unit,
                 (long long)limit->most);
}

bool numbers_fit(Decoder *d, PickFn pick, const Form *form,
                 const PtxOperand *operands) {
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    const NumberLimit *limit = &limits[i];
    if (limit->pick != pick ||
        (limit->without && WORD_OF(form, OP) == limit->without))
      continue;
    const PtxOperand *operand = operand_at(operands, limit->operand);
    if (operand && operand->kind == OPERAND_INT &&
        !fits(d, limit, operand->value))
      return false;
  }
  return true;
}
