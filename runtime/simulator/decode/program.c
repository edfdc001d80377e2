// program.c -- loads a module: places its variables, decodes its kernels.
#include <string.h>

#include "runtime/simulator/decode/decode.h"

// `name[] = {1, 2}` has as many elements as there are values.
static void note_size(PtxVar *var) {
  if (var->size < 0 && var->initial)
    var->size =
        count_operands(var->initial->list) * (var->size < -1 ? -var->size : 1);
}

static bool place_global(PtxProgram *program, PtxVar *var, PlaceGlobal place,
                         void *context, PtxError *error) {
  if (strcmp(var->space, "shared") == 0 || var->is_extern) return true;
  if (strcmp(var->space, "global") != 0 && strcmp(var->space, "const") != 0)
    return ptx_error(error, var->line, "a '.%s' variable of the module",
                     var->space);
  GlobalVar *global = POOL_NEW(&program->pool, GlobalVar);
  uint64_t align;
  note_size(var);
  if (var->type && opcode_is_in(OPCODES_TEXTURES, var->type))
    return ptx_error(error, var->line,
                     "'.%s': textures and surfaces are not simulated",
                     var->type);
  if (!var->name || !var_bytes(var, &global->size, &align))
    return ptx_error(error, var->line, "unknown type '.%s'",
                     var->type ? var->type : "");
  if (!global->size)
    return ptx_error(error, var->line, "'%s' has no size", var->name);
  global->name = var->name;
  global->var = var;
  global->is_const = strcmp(var->space, "const") == 0;
  global->address = place(context, global->size, align);
  if (!global->address) return ptx_error(error, 0, "out of memory");
  global->next = program->globals;
  program->globals = global;
  return true;
}

static bool place_module_vars(PtxProgram *program, PlaceGlobal place,
                              void *context, PtxError *error) {
  for (PtxVar *v = program->ptx.vars; v; v = v->next) {
    const GlobalVar *before = program->globals;
    if (!place_global(program, v, place, context, error)) return false;
    if (program->globals != before)
      name_map_add(&program->global_names, v->name, program->globals);
  }
  return true;
}

// Variables in functions; no other function can name them.
static bool place_inner_vars(PtxProgram *program, PlaceGlobal place,
                             void *context, PtxError *error) {
  for (const PtxFunction *f = program->ptx.functions; f; f = f->next) {
    for (const PtxStmt *s = f->body; s; s = s->next) {
      for (PtxVar *v = s->vars; v; v = v->next) {
        const bool is_static =
            strcmp(v->space, "global") == 0 || strcmp(v->space, "const") == 0;
        if (is_static && !place_global(program, v, place, context, error))
          return false;
      }
    }
  }
  return true;
}

static bool name_bits(PtxProgram *program, const GlobalVar *global,
                      const PtxOperand *value, uint64_t *bits,
                      PtxError *error) {
  const GlobalVar *other = name_map_find(&program->global_names, value->name);
  const uint64_t address =
      other ? other->address : function_address(program, value->name);
  if (!address)
    return ptx_error(error, global->var->line, "unknown name '%s'",
                     value->name);
  *bits = address + (uint64_t)value->value;
  if (value->mask)
    *bits = (*bits & (uint64_t)value->mask) >>
            __builtin_ctzll((uint64_t)value->mask);
  return true;
}

static bool value_bits(PtxProgram *program, const GlobalVar *global,
                       const PtxOperand *value, uint64_t *bits,
                       PtxError *error) {
  const TypeId type = var_type(global->var);
  const bool is_float = type == TYPE_F32 || type == TYPE_F64;
  *bits = (uint64_t)value->value;
  if (value->kind == OPERAND_NAME)
    return name_bits(program, global, value, bits, error);
  if (is_float != (value->kind == OPERAND_FLOAT) ||
      type_table[type].class > CLASS_FLOAT || type == TYPE_F16)
    return ptx_error(error, global->var->line,
                     "an initial value of another kind than .%s",
                     type_table[type].spelling);
  if (is_float) *bits = literal_bits(value, type_table[type].bytes);
  return true;
}

// The parser's stack limits the nesting of braces; here this number does.
static bool store_initial(PtxProgram *program, const GlobalVar *global,
                          const PtxOperand *value, uint32_t size,
                          uint64_t *offset, int depth, PtxError *error) {
  for (; value; value = value->next) {
    uint64_t bits;
    if (value->kind == OPERAND_VECTOR && depth < 8) {
      if (!store_initial(program, global, value->list, size, offset, depth + 1,
                         error))
        return false;
      continue;
    }
    if (value->kind == OPERAND_VECTOR)
      return ptx_error(error, global->var->line, "braces nested too deep");
    if (!value_bits(program, global, value, &bits, error)) return false;
    if (*offset + size > global->size)
      return ptx_error(error, global->var->line, "too many initial values");
    memcpy((void *)(uintptr_t)(global->address + *offset), &bits, size);
    *offset += size;
  }
  return true;
}

static bool initialise(PtxProgram *program, PtxError *error) {
  for (const GlobalVar *g = program->globals; g; g = g->next) {
    const PtxOperand *initial = g->var->initial;
    uint64_t offset = 0;
    const uint32_t size = type_table[type_find(g->var->type)].bytes;
    if (!initial) continue;
    if (size > 8)
      return ptx_error(error, g->var->line, "initial values of this type");
    if ((initial->kind == OPERAND_VECTOR) != (g->var->size || g->var->vec))
      return ptx_error(error, g->var->line, "'%s' wants %s", g->var->name,
                       g->var->size || g->var->vec ? "values in braces"
                                                   : "one value");
    if (initial->kind == OPERAND_VECTOR) initial = initial->list;
    if (!store_initial(program, g, initial, size, &offset, 0, error))
      return false;
  }
  return true;
}

// -- Functions that are called through pointers ------------------------------

static void mark_name(const PtxProgram *program, const PtxOperand *operand) {
  if (operand->kind != OPERAND_NAME) return;
  PtxFunction *found = name_map_find(&program->functions, operand->name);
  if (found) found->has_pointers = true;
}

// Lists nest only a little: they are initial values.
static void mark_names(const PtxProgram *program, const PtxOperand *operand,
                       int depth) {
  for (; operand; operand = operand->next) {
    mark_name(program, operand);
    if (operand->list && depth < 8)
      mark_names(program, operand->list, depth + 1);
  }
}

// Notes every mention of a function except in a call.
static void mark_pointers(PtxProgram *program) {
  program->functions.pool = &program->pool;
  for (PtxFunction *f = program->ptx.functions; f; f = f->next)
    if (f->has_body) name_map_add(&program->functions, f->name, f);
  for (PtxFunction *f = program->ptx.functions; f; f = f->next)
    if (f->alias_of)
      name_map_add(&program->functions, f->name,
                   name_map_find(&program->functions, f->alias_of->name));
  for (const PtxVar *v = program->ptx.vars; v; v = v->next)
    mark_names(program, v->initial, 0);
  for (const PtxFunction *f = program->ptx.functions; f; f = f->next) {
    for (const PtxStmt *s = f->body; s; s = s->next)
      if (s->kind != STMT_INST || strcmp(s->name, "call") != 0)
        mark_names(program, s->operands, 0);
  }
}

enum { MOST_CONST = 65536 };

static bool const_fits(const PtxProgram *program, PtxError *error) {
  uint64_t total = 0;
  for (const GlobalVar *g = program->globals; g; g = g->next)
    total += g->is_const ? g->size : 0;
  return total <= MOST_CONST ||
         ptx_error(error, 0, "%llu bytes of constants; %d are the most",
                   (unsigned long long)total, MOST_CONST);
}

bool program_load(PtxProgram *program, const char *text, PlaceGlobal place,
                  void *context, PtxError *error) {
  program->ptx.pool = &program->pool;
  program->global_names.pool = &program->pool;
  if (!ptx_parse(text, &program->ptx, error)) return false;
  if (!check_names(program, error)) return false;
  if (!place_module_vars(program, place, context, error) ||
      !place_inner_vars(program, place, context, error) ||
      !initialise(program, error))
    return false;
  mark_pointers(program);
  if (!const_fits(program, error)) return false;
  for (const PtxFunction *f = program->ptx.functions; f; f = f->next) {
    if (f->is_entry && f->has_body && !decode_kernel(program, f, error))
      return false;
  }
  return true;
}
