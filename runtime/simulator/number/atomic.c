// atomic.c -- the results of atomic operations.
//
// An atomic operation is a loop of compare-and-exchange on the host's memory.
#include "runtime/simulator/number/atomic.h"

#include <assert.h>
#include <math.h>

#include "runtime/simulator/number/number.h"

static uint64_t int_result(const Inst *inst, uint64_t old, uint64_t b) {
  const uint32_t unused = 64 - type_table[inst->type].bytes * 8u;
  const bool is_signed = type_table[inst->type].class == CLASS_SIGNED;
  const int64_t x = (int64_t)(old << unused) >> unused;
  const int64_t y = (int64_t)(b << unused) >> unused;
  const bool less = is_signed ? x < y : old < b;
  switch (inst->bool_op) {
  case WORD_ADD: return old + b;
  case WORD_AND: return old & b;
  case WORD_OR: return old | b;
  case WORD_XOR: return old ^ b;
  case WORD_MIN: return less ? old : b;
  case WORD_MAX: return less ? b : old;
  case WORD_INC: return old >= b ? 0 : old + 1;
  case WORD_DEC: return !old || old > b ? b : old - 1;
  default: return b; // exch
  }
}

static double widened(TypeId type, uint64_t bits) {
  return type == TYPE_F64 ? double_from_bits(bits)
                          : format_decode(format_of(type), (uint32_t)bits);
}

static double float_op(const Inst *inst, double a, double b) {
  switch (inst->bool_op) {
  case WORD_MIN: return isnan(a) || b < a ? b : a;
  case WORD_MAX: return isnan(a) || b > a ? b : a;
  default: return inst->type == TYPE_F64 ? a + b : odd_add(a, b);
  }
}

// On global memory f32 additions flush subnormals, on shared they do not.
static uint64_t float_result(const Inst *inst, uint64_t old, uint64_t b,
                             bool flush) {
  const TypeId type = (TypeId)inst->type;
  if (type == TYPE_F64)
    return bits_from_double(
        float_op(inst, widened(type, old), widened(type, b)));
  const Format *format = format_of(type);
  if (type == TYPE_F32) {
    float x = float_from_bits((uint32_t)old), y = float_from_bits((uint32_t)b);
    if (flush) x = flush_float(x), y = flush_float(y);
    const float sum = x + y;
    return isnan(sum) ? CANONICAL_NAN
                      : bits_from_float(flush ? flush_float(sum) : sum);
  }
  if (type_table[type].bytes == 2)
    return format_encode(format,
                         float_op(inst, widened(type, old), widened(type, b)),
                         WORD_RN, false);
  uint64_t result = 0;
  for (int i = 0; i < 32; i += 16) {
    const double x = format_decode(format, (uint32_t)(old >> i) & 0xffff);
    const double y = format_decode(format, (uint32_t)(b >> i) & 0xffff);
    result |=
        (uint64_t)format_encode(format, float_op(inst, x, y), WORD_RN, false)
        << i;
  }
  return result;
}

static uint64_t new_value(const Inst *inst, uint64_t old, uint64_t b,
                          uint64_t c, bool flush) {
  if (inst->bool_op == WORD_CAS) return old == b ? c : old;
  if (inst->bool_op != WORD_EXCH && is_float_type((TypeId)inst->type))
    return float_result(inst, old, b, flush);
  return int_result(inst, old, b);
}

#define UPDATE(T)                                                              \
  {                                                                            \
    T *word = (T *)(void *)host;                                               \
    T old = __atomic_load_n(word, __ATOMIC_SEQ_CST);                           \
    T next = (T)new_value(inst, old, (T)b, (T)c, flush);                       \
    while (!__atomic_compare_exchange_n(word, &old, next, false,               \
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))   \
      next = (T)new_value(inst, old, (T)b, (T)c, flush);                       \
    *changed = next != old;                                                    \
    return old;                                                                \
  }

uint64_t atomic_update(const Inst *inst, uint8_t *host, uint64_t b, uint64_t c,
                       bool flush, bool *changed) {
  const uint32_t size = type_table[inst->type].bytes;
  assert((size == 2 || size == 4 || size == 8) && "no size of atomics"); // I2
  if (size == 2) UPDATE(uint16_t)
  if (size == 4) UPDATE(uint32_t)
  UPDATE(uint64_t)
}

void atomic_apply(WordId op, TypeId type, bool flush, uint8_t *host,
                  uint64_t value) {
  const Inst inst = {.bool_op = (uint8_t)op, .type = (uint8_t)type};
  bool changed;
  atomic_update(&inst, host, value, 0, flush, &changed);
}
