// names.c -- scopes, registers, constants and variables of a kernel.
//
// A register of a range gets its place at first use: nvcc declares more than it
// uses.  Addresses of shared and local variables start above zero, so that a
// null pointer points to no variable.
#include <stdlib.h>
#include <string.h>

#include "runtime/simulator/code/pick.h"
#include "runtime/simulator/decode/decode.h"
#include "runtime/simulator/machine/special.h"

void scope_enter(Decoder *d) {
  Scope *scope = POOL_NEW(d->pool, Scope);
  scope->outer = d->scope;
  scope->names.pool = d->pool;
  scope->local_used = d->local_used;
  d->scope = scope;
}

void scope_leave(Decoder *d) {
  d->local_used = d->scope->local_used;
  d->scope = d->scope->outer;
}

static PtxSymbol *find_in(Decoder *d, Scope *scope, const char *name);

// Parameters are in the scope around the body; a name in the body may not
// repeat one.
static bool is_taken(Decoder *d, const char *name) {
  Scope *const outer = d->scope->outer;
  if (find_in(d, d->scope, name)) return true;
  const PtxSymbol *param = outer && outer->outer == d->module
                               ? name_map_find(&outer->names, name)
                               : NULL;
  return param && param->kind == SYMBOL_PARAM;
}

PtxSymbol *add_symbol(Decoder *d, const char *name, PtxSymbolKind kind) {
  if (is_taken(d, name)) fail_at(d, "'%s' is declared twice", name);
  PtxSymbol *symbol = POOL_NEW(d->pool, PtxSymbol);
  symbol->kind = kind;
  name_map_add(&d->scope->names, name, symbol);
  return symbol;
}

// Doubles the room of an array in the pool.
static void *grown(Decoder *d, const void *old, size_t count, size_t *room,
                   size_t size) {
  if (count < *room) return (void *)(uintptr_t)old;
  *room = *room ? *room * 2 : 64;
  void *bigger = pool_alloc(d->pool, *room * size);
  if (count) memcpy(bigger, old, count * size);
  return bigger;
}

uint32_t new_register(Decoder *d, uint32_t size) {
  const uint32_t bytes = size ? size * LANES : 4, align = size ? 64 : 4;
  const uint32_t offset = (d->code->file_size + align - 1) / align * align;
  d->code->file_size = offset + bytes;
  d->file_registers = grown(d, d->file_registers, d->num_registers,
                            &d->room_registers, sizeof *d->file_registers);
  d->file_registers[d->num_registers++] = (SavedRegister){offset, size};
  return offset;
}

// Allocates room in the register file, for each element of a vector.
static void place_register(Decoder *d, PtxSymbol *symbol) {
  if (!symbol->count) {
    symbol->offset = new_register(d, symbol->size);
    return;
  }
  symbol->kind = SYMBOL_VECTOR;
  symbol->elements = POOL_ARRAY(d->pool, PtxSymbol, symbol->count);
  for (int i = 0; i < symbol->count; i++) {
    PtxSymbol *element = &symbol->elements[i];
    element->kind = SYMBOL_REG;
    element->size = symbol->size;
    element->type = symbol->type;
    element->offset = new_register(d, symbol->size);
  }
}

// `%r12` of the range `%r<100>`, in the scope of the range.
static PtxSymbol *from_range(Decoder *d, Scope *scope, const char *name) {
  size_t length = strlen(name), stem = length;
  while (stem && name[stem - 1] >= '0' && name[stem - 1] <= '9') stem--;
  if (stem == length || length - stem > 9) return NULL;
  char *key = pool_alloc(d->pool, stem + 2);
  memcpy(key, name, stem);
  key[stem] = '<';
  const PtxSymbol *range = name_map_find(&scope->names, key);
  if (!range || strtol(name + stem, NULL, 10) >= range->range) return NULL;
  PtxSymbol *symbol = POOL_NEW(d->pool, PtxSymbol);
  symbol->kind = SYMBOL_REG;
  symbol->size = range->size;
  symbol->type = range->type;
  symbol->count = range->count;
  place_register(d, symbol);
  name_map_add(&scope->names, name, symbol);
  return symbol;
}

// `v.x`, also called `v.r`, of the vector `v`.
static PtxSymbol *element_of(Decoder *d, Scope *scope, const char *name) {
  static const char letters[] = "xyzwrgba";
  const char *dot = d->has_vectors ? strrchr(name, '.') : NULL;
  const char *letter = dot && dot[1] ? strchr(letters, dot[1]) : NULL;
  if (!letter || dot[2]) return NULL;
  const PtxSymbol *vector =
      find_in(d, scope, pool_copy(d->pool, name, (size_t)(dot - name)));
  const int index = (int)(letter - letters) % 4;
  return vector && vector->kind == SYMBOL_VECTOR && index < vector->count
             ? &vector->elements[index]
             : NULL;
}

// The bytes that an index such as `[1]` adds to a name.  In an array of vectors
// ptxas counts scalars, which no program can intend, so that is refused.
static uint32_t index_unit(const PtxVar *var) {
  return var->size && !var->vec ? var_unit(var) : 0;
}

static void describe_global(PtxSymbol *symbol, const GlobalVar *global) {
  symbol->kind = SYMBOL_VAR;
  symbol->space = SPACE_GLOBAL;
  symbol->address = global->address;
  symbol->bytes = global->size;
  symbol->unit = index_unit(global->var);
}

static PtxSymbol *find_global(Decoder *d, const char *name) {
  const GlobalVar *global = name_map_find(&d->program->global_names, name);
  if (!global) return NULL;
  PtxSymbol *symbol = POOL_NEW(d->pool, PtxSymbol);
  describe_global(symbol, global);
  return symbol;
}

static PtxSymbol *find_in(Decoder *d, Scope *scope, const char *name) {
  PtxSymbol *symbol = name_map_find(&scope->names, name);
  if (!symbol) symbol = from_range(d, scope, name);
  return symbol ? symbol : element_of(d, scope, name);
}

const PtxSymbol *find_vector(Decoder *d, const char *name) {
  for (Scope *scope = d->has_vectors ? d->scope : NULL; scope;
       scope = scope->outer) {
    const PtxSymbol *symbol = find_in(d, scope, name);
    if (symbol) return symbol->kind == SYMBOL_VECTOR ? symbol : NULL;
  }
  return NULL;
}

static bool measure_var(Decoder *d, const PtxVar *var, uint64_t *bytes,
                        uint64_t *align) {
  if (!var_bytes(var, bytes, align))
    return fail_at(d, "unknown type '.%s'", var->type ? var->type : "");
  if (var->initial)
    return fail_at(d, "'%s' has no initial value in this space", var->name);
  return *bytes || var->is_extern || fail_at(d, "'%s' has no size", var->name);
}

static bool is_shared(const PtxVar *var) {
  return strcmp(var->space, "shared") == 0;
}

// A kernel has a shared variable of the module only if the kernel, or a
// function that it calls, names the variable, as in ptxas.
static PtxSymbol *find_shared(Decoder *d, const char *name) {
  const PtxVar *found = NULL;
  for (const PtxVar *v = d->program->ptx.vars; v; v = v->next)
    if (is_shared(v) && strcmp(v->name, name) == 0 &&
        (!found || (found->is_extern && !v->is_extern)))
      found = v;
  if (!found) return NULL;
  PtxVar alone = *found;
  alone.next = NULL;
  Scope *scope = d->scope;
  d->scope = d->module;
  const bool is_placed = declare_var(d, &alone);
  d->scope = scope;
  return is_placed ? name_map_find(&d->module->names, name) : NULL;
}

bool check_shared(Decoder *d) {
  for (const PtxVar *v = d->program->ptx.vars; v; v = v->next) {
    uint64_t bytes = 0, align = 1;
    d->line = v->line;
    if (is_shared(v) && !measure_var(d, v, &bytes, &align)) return false;
  }
  return true;
}

PtxSymbol *find_symbol(Decoder *d, const char *name) {
  for (Scope *scope = d->scope; scope; scope = scope->outer) {
    PtxSymbol *symbol = find_in(d, scope, name);
    if (!symbol) continue;
    note_use(d, symbol);
    return symbol;
  }
  PtxSymbol *shared = find_shared(d, name);
  return shared ? shared : find_global(d, name);
}

uint32_t constant(Decoder *d, uint32_t size, uint64_t value) {
  Code *code = d->code;
  if (size && size < 8) value &= (UINT64_C(1) << size * 8) - 1;
  char *key = pool_print(d->pool, "%u:%llx", size, (unsigned long long)value);
  const Constant *old = name_map_find(&d->scope->names, key);
  if (old) return old->offset;
  code->constants = grown(d, code->constants, code->num_constants,
                          &d->room_constants, sizeof *code->constants);
  Constant *entry = POOL_NEW(d->pool, Constant);
  *entry = (Constant){new_register(d, size), (uint8_t)size, value};
  code->constants[code->num_constants++] = *entry;
  name_map_add(&d->scope->names, key, entry);
  return entry->offset;
}

// The offset of the kernel's parameters; ptxas has no limit of its own.
enum { MOST_BYTES = PARAM_BASE };

// -- Variables ---------------------------------------------------------------

TypeId var_type(const PtxVar *var) {
  const TypeId type = var->type ? type_find(var->type) : TYPE_NONE;
  return type <= TYPE_F16X2 || type == TYPE_PRED ? type : TYPE_NONE;
}

uint32_t var_unit(const PtxVar *var) {
  const TypeId type = var_type(var);
  if (type == TYPE_NONE) return 0;
  return type_table[type].bytes * (var->vec ? (uint32_t)var->vec[1] - '0' : 1);
}

bool var_bytes(const PtxVar *var, uint64_t *bytes, uint64_t *align) {
  const uint64_t each = var_unit(var);
  if (!each || each > 16 || (var->has_align && var->align <= 0)) return false;
  *align = var->has_align ? (uint64_t)var->align : each;
  *bytes = var->size > 0 ? each * (uint64_t)var->size : var->size ? 0 : each;
  return (*align & (*align - 1)) == 0;
}

static uint64_t round_up(uint64_t value, uint64_t align) {
  return (value + align - 1) & ~(align - 1);
}

static bool declare_registers(Decoder *d, const PtxVar *var) {
  const TypeId type = var_type(var);
  const int count = var->vec ? var->vec[1] - '0' : 0;
  const int bytes = type_table[type].bytes * count;
  if (type == TYPE_NONE || bytes > 16 || (count && !bytes))
    return fail_at(d, "unknown register type '%s%s.%s'", count ? "." : "",
                   count ? var->vec : "", var->type ? var->type : "");
  if (var->size) return fail_at(d, "an array of registers");
  if (var->initial) return fail_at(d, "a register has no initial value");
  const bool is_range = var->repeat > 0;
  const char *name =
      is_range ? pool_print(d->pool, "%s<", var->name) : var->name;
  PtxSymbol *symbol = add_symbol(d, name, is_range ? SYMBOL_RANGE : SYMBOL_REG);
  symbol->size = type_table[type].bytes;
  symbol->type = (uint8_t)type;
  symbol->count = (uint8_t)count;
  symbol->range = var->repeat;
  d->has_vectors |= count > 0;
  if (!is_range) place_register(d, symbol);
  return true;
}

// Shared variables start at 0, as on the device; the dynamic part, which has
// no size, follows the others and gets its address at the end of them.
static bool place_var(Decoder *d, const PtxVar *var, uint8_t space,
                      uint32_t *total) {
  uint64_t bytes = 0, align = 1;
  if (!measure_var(d, var, &bytes, &align)) return false;
  PtxSymbol *symbol = add_symbol(d, var->name, SYMBOL_VAR);
  symbol->space = space;
  symbol->bytes = bytes;
  symbol->unit = index_unit(var);
  const bool is_dynamic = var->size < 0;
  symbol->address = round_up(is_dynamic ? d->dynamic_base : *total, align);
  if (is_dynamic) {
    d->code->dynamic_base = (uint32_t)symbol->address;
    return space == SPACE_SHARED || fail_at(d, "'%s' has no size", var->name);
  }
  if (symbol->address + bytes > MOST_BYTES)
    return fail_at(d, "'%s' is too large", var->name);
  *total = (uint32_t)(symbol->address + bytes);
  return true;
}

// A block reuses the memory of blocks that are over.
static bool place_local(Decoder *d, const PtxVar *var) {
  uint32_t *most = d->frame ? &d->frame->bytes : &d->code->local_size;
  const bool ok = place_var(d, var, SPACE_LOCAL, &d->local_used);
  if (d->local_used > *most) *most = d->local_used;
  if (ok) {
    PtxSymbol *symbol = name_map_find(&d->scope->names, var->name);
    symbol->frame = d->frame;
  }
  return ok;
}

// A global variable has had memory since the module was loaded.
static bool declare_global(Decoder *d, const PtxVar *var) {
  const GlobalVar *global = d->program->globals;
  while (global && global->var != var) global = global->next;
  if (!global) return fail_at(d, "'%s' has no memory", var->name);
  describe_global(add_symbol(d, var->name, SYMBOL_VAR), global);
  return true;
}

uint32_t address_register(Decoder *d, const PtxSymbol *symbol, int64_t offset,
                          uint32_t size) {
  const uint64_t address = symbol->address + (uint64_t)offset;
  if (!symbol->frame) return constant(d, size, address);
  uint32_t *op = POOL_ARRAY(d->pool, uint32_t, 2);
  op[0] = new_register(d, size);
  op[1] = symbol->frame->base;
  Inst *inst = add_inst(d, NULL);
  inst->op = op;
  inst->imm = (int64_t)address;
  inst->reg_size = (uint8_t)size;
  inst->exec = exec_frame_address;
  return op[0];
}

static bool place_shared(Decoder *d, const PtxVar *var) {
  return place_var(d, var, SPACE_SHARED, &d->code->shared_size);
}

static bool declare_one(Decoder *d, const PtxVar *var) {
  static const struct {
    const char *space;
    bool (*declare)(Decoder *d, const PtxVar *var);
  } rows[] = {
      {"reg", declare_registers}, {"shared", place_shared},
      {"local", place_local},     {"param", place_local},
      {"global", declare_global}, {"const", declare_global},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (strcmp(rows[i].space, var->space) == 0) return rows[i].declare(d, var);
  return fail_at(d, "a '.%s' variable inside a function", var->space);
}

bool declare_var(Decoder *d, const PtxVar *var) {
  for (; var; var = var->next) {
    if (var->name && !declare_one(d, var)) return false;
  }
  return true;
}

PtxSymbol *new_label(Decoder *d) {
  PtxSymbol *label = POOL_NEW(d->pool, PtxSymbol);
  label->kind = SYMBOL_LABEL;
  return label;
}

void put_label(Decoder *d, PtxSymbol *label) {
  label->place = (uint32_t)d->num_insts;
  label->placed = true;
}
