// operands.c -- the operands of an instruction, by the shape of its row.
#include <string.h>

#include "runtime/simulator/decode/decode.h"
#include "runtime/simulator/machine/special.h"

enum { MOST_OPERANDS = 150 };

typedef struct {
  Decoder *d;
  const Form *form;
  Inst *inst;
  uint32_t op[MOST_OPERANDS];
  int count;
  uint8_t uses[MOST_OPERANDS];       // RegisterUse of each
  int num_predicates, num_addresses; // numbers of operands read so far
} Resolver;

static bool push(Resolver *r, uint32_t offset) {
  if (r->count >= MOST_OPERANDS) return fail_at(r->d, "too many operands");
  r->op[r->count++] = offset;
  return true;
}

static bool push_use(Resolver *r, uint32_t offset, RegisterUse use) {
  if (!push(r, offset)) return false;
  r->uses[r->count - 1] = (uint8_t)use;
  return true;
}

static bool push_register(Resolver *r, const PtxOperand *operand, uint32_t size,
                          TypeId type) {
  uint32_t offset = 0;
  return resolve_register(r->d, operand, size, type, &offset) &&
         push_use(r, offset, size ? USE_WRITTEN : USE_NONE);
}

static bool push_source(Resolver *r, const PtxOperand *operand, uint32_t size,
                        TypeId type) {
  uint32_t offset = 0;
  return resolve_source(r->d, operand, size, type, &offset) &&
         push_use(r, offset, USE_READ);
}

// p, or p|q with both; without the second a place that is never read.
static bool push_pair(Resolver *r, const PtxOperand *operand, uint32_t size,
                      TypeId type) {
  r->inst->has_pair = operand->kind == OPERAND_PAIR;
  if (r->inst->has_pair)
    return push_register(r, operand->list, size, type) &&
           push_register(r, operand->list->next, 0, TYPE_PRED);
  return push_register(r, operand, size, type) &&
         push(r, new_register(r->d, 0));
}

static bool push_predicate(Resolver *r, const PtxOperand *operand) {
  const int number = r->num_predicates++;
  if (operand->kind == OPERAND_INT)
    return push(r, constant(r->d, 0, operand->value ? ALL_LANES : 0));
  if (operand->kind != OPERAND_NAME) return fail_at(r->d, "not a predicate");
  uint32_t offset;
  if (!resolve_predicate(r->d, operand->name, r->d->takes_special, &offset))
    return false;
  if (operand->negated) r->inst->negated |= (uint8_t)(1u << number);
  return push(r, offset);
}

// A predicate, or 0 or 1.
static bool push_scale(Resolver *r, const PtxOperand *operand) {
  if (operand->kind == OPERAND_INT && operand->value != 0 &&
      operand->value != 1)
    return fail_at(r->d, "neither 0 nor 1");
  return push_predicate(r, operand);
}

// One of several numbers, unchanged.
static bool push_number(Resolver *r, const PtxOperand *operand) {
  if (operand->kind != OPERAND_INT || operand->value != (int32_t)operand->value)
    return fail_at(r->d, "not a constant");
  return push(r, (uint32_t)operand->value);
}

// A special register as a base.
static bool push_special_base(Resolver *r, const PtxOperand *base, int id) {
  const TypeId type = special_type((SpecialId)id);
  const uint32_t size = type_table[type].bytes;
  const bool takes_special = r->d->takes_special;
  uint32_t offset;
  r->d->takes_special = true;
  const bool ok = resolve_special(r->d, base->name, size, type, &offset);
  r->d->takes_special = takes_special;
  return ok && push(r, offset) && push(r, size) &&
         push(r, (uint32_t)(int32_t)base->value);
}

// A name determines the space if the instruction does not.  The second address
// may be of a space of its own, and further ones are mbarriers.
static bool note_space(Resolver *r, const PtxSymbol *symbol) {
  const uint8_t space = symbol->space;
  const bool is_call = space == SPACE_LOCAL && r->inst->space == SPACE_PARAM;
  if (r->num_addresses > 1 && WORD_OF(r->form, SPACE2) == WORD_GLOBAL &&
      r->num_addresses == 2)
    return space == SPACE_GLOBAL;
  if (r->num_addresses > 1) return space == SPACE_SHARED;
  if (r->inst->space == SPACE_GENERIC || is_call) r->inst->space = space;
  return r->inst->space == space;
}

// [base + offset]: pushes the base's place; its size goes to src_size.
static bool push_address(Resolver *r, const PtxOperand *operand) {
  Decoder *d = r->d;
  r->num_addresses++;
  if (operand->kind != OPERAND_ADDRESS || operand->list->next)
    return fail_at(d, "an address was expected");
  const PtxOperand *base = operand->list;
  if (base->kind == OPERAND_INT && r->inst->space != SPACE_LOCAL)
    return fail_at(d, "a number is an address of local memory only");
  if (base->kind == OPERAND_INT)
    return push(r, constant(d, 8, (uint64_t)base->value)) && push(r, 8) &&
           push(r, 0);
  if (base->kind != OPERAND_NAME) return fail_at(d, "an address was expected");
  const PtxSymbol *symbol = find_symbol(d, base->name);
  const int special = symbol ? -1 : special_find(base->name);
  if (special >= 0 && !strchr(base->name, '.'))
    return push_special_base(r, base, special);
  if (!symbol || symbol->kind == SYMBOL_LABEL || symbol->kind == SYMBOL_RANGE ||
      symbol->kind == SYMBOL_VECTOR)
    return fail_at(d, "unknown address '%s'", base->name);
  if (symbol->kind != SYMBOL_REG) {
    const uint64_t address = symbol->address + (uint64_t)base->value;
    if (!note_space(r, symbol))
      return fail_at(d, "'%s' is in another space", base->name);
    if (symbol->frame)
      return push(r, symbol->frame->base) && push(r, 4) &&
             push(r, (uint32_t)address);
    return push(r, constant(d, 8, address)) && push(r, 8) && push(r, 0);
  }
  if ((symbol->size != 2 && symbol->size != 4 && symbol->size != 8) ||
      type_table[symbol->type].class == CLASS_FLOAT)
    return fail_at(d, "'%s' cannot hold an address", base->name);
  if (d->wants_wide && symbol->size < 8)
    return fail_at(d, "'%s' has %d bits; such an address has 64", base->name,
                   symbol->size * 8);
  return push_use(r, symbol->offset, USE_READ) && push(r, symbol->size) &&
         push(r, (uint32_t)(int32_t)base->value);
}

// [map, {coordinates}], as many as the instruction has dimensions.
static bool push_map(Resolver *r, const PtxOperand *operand) {
  static const uint8_t dims[] = {WORD_D1, WORD_D2, WORD_D3, WORD_D4, WORD_D5};
  const uint8_t *last = memchr(dims, (int)WORD_OF(r->form, SHAPE), sizeof dims);
  const PtxOperand *map =
      operand->kind == OPERAND_ADDRESS ? operand->list : NULL;
  const PtxOperand *at = map ? map->next : NULL;
  if (!last || !at || at->kind != OPERAND_VECTOR || at->next || map->value)
    return fail_at(r->d, "a tensor map and its coordinates were expected");
  const PtxSymbol *symbol = map->name ? find_symbol(r->d, map->name) : NULL;
  if (symbol && symbol->kind != SYMBOL_REG && symbol->space != SPACE_GLOBAL)
    return fail_at(r->d, "'%s' is in another space", map->name);
  PtxOperand base = *map;
  base.next = NULL;
  const PtxOperand address = {.kind = OPERAND_ADDRESS, .list = &base};
  if (!push_address(r, &address)) return false;
  int count = 0;
  for (const PtxOperand *o = at->list; o; o = o->next, count++)
    if (!push_source(r, o, 4, TYPE_U32)) return false;
  return count == last - dims + 1 ||
         fail_at(r->d, "%d coordinates, not %d", count, (int)(last - dims) + 1);
}

// Offsets of im2col, in each dimension but those of channels and images.
static bool push_offsets(Resolver *r, const PtxOperand *operand) {
  const WordId dims = WORD_OF(r->form, SHAPE);
  const int wanted = dims == WORD_D3 ? 1 : dims == WORD_D4 ? 2 : 3;
  if (operand->kind != OPERAND_VECTOR)
    return fail_at(r->d, "a vector was expected");
  int count = 0;
  for (const PtxOperand *o = operand->list; o; o = o->next, count++)
    if (!push_source(r, o, 2, TYPE_U16)) return false;
  return count == wanted || fail_at(r->d, "%d offsets, not %d", count, wanted);
}

// Registers of one size, at least that of the type, and of a kind.
static bool push_loose(Resolver *r, const PtxOperand *operand, TypeId type,
                       TypeId kind, bool is_store, uint8_t *size) {
  Decoder *d = r->d;
  *size = type_table[type].bytes;
  const PtxOperand *probe = operand;
  if (operand->kind == OPERAND_VECTOR) probe = operand->list;
  for (const PtxOperand *o = probe; o; o = o->next) {
    const PtxSymbol *symbol =
        o->kind == OPERAND_NAME ? find_symbol(d, o->name) : NULL;
    if (symbol && symbol->kind == SYMBOL_REG) *size = symbol->size;
    if (probe == operand) break;
  }
  if (*size < type_table[type].bytes)
    return fail_at(d, "a register of %d bits is too narrow", *size * 8);
  for (const PtxOperand *o = probe; o; o = o->next) {
    if (!(is_store ? push_source(r, o, *size, kind)
                   : push_register(r, o, *size, kind)))
      return false;
    if (probe == operand) break;
  }
  return true;
}

static bool push_memory(Resolver *r, const PtxOperand *operand, bool is_store) {
  const int first = r->count;
  const TypeId type = (TypeId)r->form->types[0];
  const WordId vec = WORD_OF(r->form, VEC);
  const int count = vec == WORD_V2   ? 2
                    : vec == WORD_V4 ? 4
                    : vec == WORD_V8 ? 8
                                     : 1;
  const uint8_t size = r->inst->reg_size; // of a move's result
  if (!push_loose(r, operand, type, type, is_store, &r->inst->reg_size))
    return false;
  if (size && r->inst->reg_size != size)
    return fail_at(r->d, "registers of different sizes");
  r->inst->num_dst = (uint8_t)(r->count - first);
  return r->inst->num_dst == count ||
         fail_at(r->d, "%d elements, not %d", r->inst->num_dst, count);
}

// The kind of registers of a fragment.  In wgmma it is the type of the sums, or
// bits or f16x2 for an A of floats.
static TypeId fragment_kind(const Form *form, bool is_result) {
  const TypeId type = (TypeId)form->types[is_result ? 0 : 1];
  if (!form->columns) return TYPE_NONE;
  if (is_result) return type == TYPE_F16 ? TYPE_F16X2 : type;
  return type_table[type].class == CLASS_FLOAT ? TYPE_F16X2 : TYPE_NONE;
}

static bool has_sink(const PtxOperand *vector) {
  for (const PtxOperand *o = vector->list; o; o = o->next)
    if (is_sink(o)) return true;
  return false;
}

// A fragment of a matrix: one register or a vector of them.  All fragments of
// an instruction have registers of one size.
static bool push_fragment(Resolver *r, const PtxOperand *operand) {
  uint8_t size;
  const int first = r->count;
  const bool is_first = !r->inst->reg_size;
  const TypeId kind = fragment_kind(r->form, is_first);
  if (r->form->columns && has_sink(operand))
    return fail_at(r->d, "'_' is not allowed here");
  if (!push_loose(r, operand, TYPE_B32, kind, !is_first, &size)) return false;
  if (is_first) {
    r->inst->num_dst = (uint8_t)(r->count - first);
    r->inst->reg_size = size;
  }
  // A stored value is no result.
  for (int i = first; r->num_addresses && i < r->count; i++)
    r->uses[i] = USE_READ;
  return r->inst->reg_size == size ||
         fail_at(r->d, "fragments of registers of different sizes");
}

// A register of 32 bits, of any kind.
static bool push_metadata(Resolver *r, const PtxOperand *operand) {
  return operand->kind == OPERAND_NAME ? push_source(r, operand, 4, TYPE_NONE)
                                       : fail_at(r->d, "no register");
}

// The parts that a suffix selects: `.h10`, `.b2`; false for another suffix.
static bool parse_selector(const char *suffix, uint32_t *selector) {
  const uint32_t bits = suffix[0] == 'b' ? 8 : suffix[0] == 'h' ? 16 : 0;
  const size_t count = strspn(suffix + 1, "01234567");
  if (!bits || !count || count > 32 / bits || suffix[1 + count]) return false;
  *selector = selector_make(bits, suffix + 1, (uint32_t)count);
  return true;
}

// A 32-bit operand of which parts may be selected: its place and the selector.
static bool push_parts(Resolver *r, const PtxOperand *operand, bool is_result) {
  uint32_t selector = 0;
  PtxOperand whole = *operand;
  const char *dot = operand->kind == OPERAND_NAME && operand->name[0]
                        ? strchr(operand->name + 1, '.')
                        : NULL;
  if (dot && parse_selector(dot + 1, &selector))
    whole.name =
        pool_copy(r->d->pool, operand->name, (size_t)(dot - operand->name));
  if (!(is_result ? push_register(r, &whole, 4, TYPE_U32)
                  : push_source(r, &whole, 4, TYPE_U32)))
    return false;
  return push(r, selector);
}

static bool push_vector(Resolver *r, const PtxOperand *operand,
                        bool is_source) {
  if (operand->kind != OPERAND_VECTOR)
    return fail_at(r->d, "a vector was expected");
  int count = 0;
  for (const PtxOperand *o = operand->list; o; o = o->next) count++;
  const uint32_t total = type_table[r->form->types[0]].bytes;
  if (count < 2 || total % (uint32_t)count)
    return fail_at(r->d, "a vector of %d", count);
  r->inst->num_dst = (uint8_t)count;
  const uint32_t size = total / (uint32_t)count;
  for (const PtxOperand *o = operand->list; o; o = o->next) {
    if (!(is_source ? push_source(r, o, size, TYPE_NONE)
                    : push_register(r, o, size, TYPE_NONE)))
      return false;
  }
  return true;
}

// The four elements of a special register.
static bool push_special(Resolver *r, const PtxOperand *operand) {
  const TypeId type = (TypeId)r->form->types[0];
  if (operand->kind != OPERAND_NAME)
    return fail_at(r->d, "a special register was expected");
  for (const char *element = "xyzw"; *element; element++) {
    PtxOperand one = *operand;
    one.name = pool_print(r->d->pool, "%s.%c", operand->name, *element);
    if (!push_source(r, &one, type_table[type].bytes, type)) return false;
  }
  return true;
}

// A result, or the first of a pair, may be `_` only if it may be dropped.
static bool sink_fits(Resolver *r, const PtxOperand *operand) {
  const bool is_pair = operand->kind == OPERAND_PAIR;
  const PtxOperand *first = is_pair ? operand->list : operand;
  const bool drops_all = is_pair && is_sink(first) && is_sink(first->next);
  return (!is_sink(first) || r->d->takes_sink) && !drops_all
             ? true
             : fail_at(r->d, "'_' is not allowed here");
}

static bool resolve_one(Resolver *r, char letter, const PtxOperand *operand) {
  const TypeId type = (TypeId)r->form->types[0];
  const TypeId second = (TypeId)r->form->types[1];
  const uint32_t size = type_table[type].bytes;
  switch (letter) {
  case 'd': return size && push_register(r, operand, size, type);
  case 'e': return push_register(r, operand, type_table[second].bytes, second);
  case 'w': return push_register(r, operand, size * 2, type);
  case 'D': return push_register(r, operand, 4, TYPE_U32);
  case 'p': return push_pair(r, operand, 0, TYPE_PRED);
  case 'P': return push_pair(r, operand, size, type);
  case 'Q': return push_pair(r, operand, 4, TYPE_U32);
  case 'a': return size && push_source(r, operand, size, type);
  case 'b': return push_source(r, operand, type_table[second].bytes, second);
  case 'W': return push_source(r, operand, size * 2, type);
  case 'u': return push_source(r, operand, 4, TYPE_U32);
  case 'A': return push_source(r, operand, 8, TYPE_U64);
  case 'F': return push_source(r, operand, 4, TYPE_F32);
  case 'q': return push_predicate(r, operand);
  case 'S': return push_scale(r, operand);
  case 'k': return push_number(r, operand);
  case 'm': return push_address(r, operand);
  case 'x': return push_memory(r, operand, false);
  case 's': return push_memory(r, operand, true);
  case 'c':
    return push_loose(r, operand, type, type, false, &r->inst->reg_size);
  case 'v':
    return push_loose(r, operand, second, second, true, &r->inst->src_size);
  case 'y': return push_vector(r, operand, false);
  case 'z': return push_vector(r, operand, true);
  case 'f': return push_fragment(r, operand);
  case 't': return push_special(r, operand);
  case 'M': return push_map(r, operand);
  case 'o': return push_offsets(r, operand);
  case 'h': return push_source(r, operand, 2, TYPE_U16);
  case 'T': return push_parts(r, operand, true);
  case 'V': return push_parts(r, operand, false);
  case 'U': return push_metadata(r, operand);
  case 'i':
    r->inst->imm = operand->value;
    return operand->kind == OPERAND_INT || fail_at(r->d, "not a constant");
  default: return false;
  }
}

// `a[3]` as `a+12`, or in the place of an address as `[a+12]`.
static const PtxOperand *element(Decoder *d, char letter,
                                 const PtxOperand *operand) {
  const PtxSymbol *array = find_symbol(d, operand->name);
  if (!array || array->kind != SYMBOL_VAR || !array->unit) return operand;
  PtxOperand *place = POOL_NEW(d->pool, PtxOperand);
  place->name = operand->name;
  place->value = operand->value * array->unit;
  if (letter != 'm') return place;
  PtxOperand *address = POOL_NEW(d->pool, PtxOperand);
  address->kind = OPERAND_ADDRESS;
  address->list = place;
  return address;
}

// A vector register as the vector of its elements; others as they are.
static const PtxOperand *spread(Decoder *d, const PtxOperand *operand) {
  const PtxSymbol *vector = operand->kind == OPERAND_NAME && !operand->negated
                                ? find_vector(d, operand->name)
                                : NULL;
  if (!vector) return operand;
  PtxOperand *list = POOL_NEW(d->pool, PtxOperand);
  list->kind = OPERAND_VECTOR;
  for (int i = vector->count - 1; i >= 0; i--) {
    PtxOperand *element = POOL_NEW(d->pool, PtxOperand);
    element->name = pool_print(d->pool, "%s.%c", operand->name, "xyzw"[i]);
    element->next = list->list;
    list->list = element;
  }
  return list;
}

bool resolve_operands(Decoder *d, const char *shape, const Form *form,
                      const PtxOperand *operands, Inst *inst) {
  Resolver r = {.d = d, .form = form, .inst = inst};
  bool may_end = false;
  for (; *shape; shape++) {
    const PtxOperand *operand = operands;
    if (*shape == '?') {
      may_end = true;
      continue;
    }
    if (!operands && may_end) break;
    if (!operands) return fail_at(d, "too few operands");
    operand = operand->kind == OPERAND_ELEMENT && d->takes_element
                  ? element(d, *shape, operand)
                  : spread(d, operand);
    if (!sink_fits(&r, operands) || !resolve_one(&r, *shape, operand))
      return fail_at(d, "operands do not fit the type");
    inst->given++;
    operands = operands->next;
  }
  if (operands) return fail_at(d, "too many operands");
  uint32_t *copy = POOL_ARRAY(d->pool, uint32_t, (size_t)r.count + 1);
  memcpy(copy, r.op, (size_t)r.count * sizeof *copy);
  inst->op = copy;
  inst->num_ops = (uint8_t)r.count;
  inst->uses = note_operands(d, copy, r.uses, r.count);
  return true;
}
