// values.c -- offsets in the register file of registers, numbers and special
// registers.
#include <string.h>

#include "runtime/simulator/code/pick.h"
#include "runtime/simulator/decode/decode.h"
#include "runtime/simulator/machine/special.h"

static uint64_t single_to_double(uint64_t bits) {
  const uint32_t narrow = (uint32_t)bits;
  float single;
  double wide;
  memcpy(&single, &narrow, 4);
  wide = (double)single;
  memcpy(&bits, &wide, 8);
  return bits;
}

static uint64_t double_to_single(uint64_t bits) {
  double wide;
  memcpy(&wide, &bits, 8);
  const float single = (float)wide;
  uint32_t narrow;
  memcpy(&narrow, &single, 4);
  return narrow;
}

uint64_t literal_bits(const PtxOperand *operand, uint32_t size) {
  const uint64_t bits = (uint64_t)operand->value;
  if (operand->kind == OPERAND_INT) return bits;
  if (size == 8) return operand->is_single ? single_to_double(bits) : bits;
  return operand->is_single ? bits : double_to_single(bits);
}

// Integers are no floats here, and floats are bits of their own size only.
static bool literal_fits(const PtxOperand *operand, uint32_t size,
                         TypeId type) {
  const TypeClass class = (TypeClass)type_table[type].class;
  if (type == TYPE_NONE) return true;
  if (operand->kind == OPERAND_INT)
    return class != CLASS_FLOAT && class != CLASS_PACKED;
  if (class == CLASS_BITS) return size == (operand->is_single ? 4 : 8);
  return class == CLASS_FLOAT && size >= 4;
}

// Registers of bits fit every type, integers and floats only their own.
static bool kind_fits(Decoder *d, const PtxSymbol *symbol, const char *name,
                      TypeId type) {
  const TypeClass own = (TypeClass)type_table[symbol->type].class;
  const TypeClass class = (TypeClass)type_table[type].class;
  const bool is_int = class == CLASS_SIGNED || class == CLASS_UNSIGNED;
  const bool own_int = own == CLASS_SIGNED || own == CLASS_UNSIGNED;
  const bool is_other_float =
      own == CLASS_FLOAT &&
      (class == CLASS_PACKED || type == TYPE_TF32 ||
       (class == CLASS_FLOAT &&
        type_table[symbol->type].bytes != type_table[type].bytes));
  const bool is_other_int =
      own_int && (class == CLASS_FLOAT || class == CLASS_PACKED);
  if (!(own == CLASS_FLOAT && is_int) && !is_other_int && !is_other_float)
    return true;
  return fail_at(d, "'%s' is of .%s, not .%s", name,
                 type_table[symbol->type].spelling, type_table[type].spelling);
}

static const SpecialUse *find_use(const Code *code, int id, uint32_t size) {
  for (size_t i = 0; i < code->num_specials; i++) {
    if (code->specials[i].special == id && code->specials[i].size == size)
      return &code->specials[i];
  }
  return NULL;
}

// A clock is read again before each instruction that uses it.
static void add_refresh(Decoder *d, const SpecialUse *use) {
  Inst *inst = add_inst(d, NULL);
  uint32_t *op = POOL_NEW(d->pool, uint32_t);
  *op = use->offset;
  inst->op = op;
  inst->imm = use->special;
  inst->reg_size = use->size;
  inst->exec = exec_refresh;
}

static bool special_fits(Decoder *d, const char *name, int id, uint32_t size,
                         TypeId type) {
  if (id < 0) return fail_at(d, "unknown name '%s'", name);
  if (!d->takes_special || type_table[type].class >= CLASS_FLOAT)
    return fail_at(d, "'%s' is read by 'mov' and 'cvt' of integers only", name);
  const uint32_t own = type_table[special_type((SpecialId)id)].bytes;
  if (!special_has_size((SpecialId)id, size))
    return fail_at(d, "'%s' has %u bits, not %u", name, own * 8, size * 8);
  const int chip = special_chip((SpecialId)id);
  return target_chip(d->program) >= chip ||
         fail_at(d, "'%s' wants sm_%d, the module is for %s", name, chip,
                 d->program->ptx.target);
}

bool resolve_special(Decoder *d, const char *name, uint32_t size, TypeId type,
                     uint32_t *offset) {
  const int id = special_find(name);
  if (!special_fits(d, name, id, size, type)) return false;
  Code *code = d->code;
  if (special_is_reserved((SpecialId)id)) code->uses_reserved = true;
  if (code->num_specials >= d->room_specials) {
    d->room_specials = d->room_specials ? d->room_specials * 2 : 64;
    SpecialUse *bigger = POOL_ARRAY(d->pool, SpecialUse, d->room_specials);
    if (code->num_specials)
      memcpy(bigger, code->specials, code->num_specials * sizeof *bigger);
    code->specials = bigger;
  }
  const SpecialUse *use = find_use(code, id, size);
  if (!use) {
    use = &code->specials[code->num_specials++];
    code->specials[code->num_specials - 1] =
        (SpecialUse){new_register(d, size), (uint8_t)id, (uint8_t)size};
  }
  *offset = use->offset;
  if (special_varies((SpecialId)id)) add_refresh(d, use);
  return true;
}

bool resolve_predicate(Decoder *d, const char *name, bool takes_special,
                       uint32_t *offset) {
  const PtxSymbol *symbol = find_symbol(d, name);
  if (!symbol && takes_special && special_find(name) >= 0) {
    const bool before = d->takes_special;
    d->takes_special = true;
    const bool ok = resolve_special(d, name, 0, TYPE_PRED, offset);
    d->takes_special = before;
    return ok;
  }
  if (!symbol || symbol->kind != SYMBOL_REG || symbol->size)
    return fail_at(d, "'%s' is not a predicate", name);
  *offset = symbol->offset;
  return true;
}

static bool resolve_name(Decoder *d, const PtxOperand *operand, uint32_t size,
                         TypeId type, uint32_t *offset) {
  const PtxSymbol *symbol = find_symbol(d, operand->name);
  const uint64_t function =
      symbol || size != 8 ? 0 : function_address(d->program, operand->name);
  if (function) {
    *offset = constant(d, size, function);
    return true;
  }
  if (!symbol) return resolve_special(d, operand->name, size, type, offset);
  if (symbol->kind == SYMBOL_REG) {
    if (symbol->size != size)
      return fail_at(d, "'%s' has %d bits, not %u", operand->name,
                     symbol->size * 8, size * 8);
    if (operand->value) return fail_at(d, "arithmetic on a register");
    if (!kind_fits(d, symbol, operand->name, type)) return false;
    *offset = symbol->offset;
    return true;
  }
  if (symbol->kind == SYMBOL_LABEL || symbol->kind == SYMBOL_VECTOR ||
      (size != 4 && size != 8) || !d->takes_address ||
      type_table[type].class == CLASS_FLOAT)
    return fail_at(d, "'%s' is not a value here", operand->name);
  *offset = address_register(d, symbol, operand->value, size);
  return true;
}

bool is_sink(const PtxOperand *operand) {
  return operand->kind == OPERAND_NAME && strcmp(operand->name, "_") == 0;
}

int count_operands(const PtxOperand *list) {
  int count = 0;
  for (; list; list = list->next) count++;
  return count;
}

bool resolve_source(Decoder *d, const PtxOperand *operand, uint32_t size,
                    TypeId type, uint32_t *offset) {
  if (is_sink(operand)) return fail_at(d, "'_' is no value");
  if (operand->kind == OPERAND_NAME && !operand->negated)
    return resolve_name(d, operand, size, type, offset);
  if (operand->kind != OPERAND_INT && operand->kind != OPERAND_FLOAT)
    return fail_at(d, "a value was expected");
  if (!literal_fits(operand, size, type))
    return fail_at(d, "a number of another kind than .%s",
                   type_table[type].spelling);
  *offset = constant(d, size, literal_bits(operand, size));
  return true;
}

bool resolve_register(Decoder *d, const PtxOperand *operand, uint32_t size,
                      TypeId type, uint32_t *offset) {
  if (operand->kind != OPERAND_NAME || operand->negated)
    return fail_at(d, "a register was expected");
  if (is_sink(operand)) {
    *offset = new_register(d, size);
    return true;
  }
  const PtxSymbol *symbol = find_symbol(d, operand->name);
  if (!symbol || symbol->kind != SYMBOL_REG)
    return fail_at(d, "'%s' is not a register", operand->name);
  if (symbol->size != size)
    return fail_at(d, "'%s' has %d bits, not %u", operand->name,
                   symbol->size * 8, size * 8);
  if (!kind_fits(d, symbol, operand->name, type)) return false;
  *offset = symbol->offset;
  return true;
}
