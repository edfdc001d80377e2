// calls.c -- calls, expanded in place.
//
// A parameter in .param space and a result become names of the actual operands;
// a parameter in a register is copied.  `ret` becomes a branch to the end.
// Recursive functions are in frames.c.
//
// For example, if `.func (.reg .u32 r) twice (.reg .u32 x)` has the statement
// `add.u32 r, x, x`, then `call (a), twice, (b)` is decoded as
//
//     mov.u32 x', b       // x' is a new register
//     add.u32 a, x', x'
#include <string.h>

#include "runtime/simulator/code/pick.h"
#include "runtime/simulator/decode/decode.h"

PtxFunction *find_function(const Decoder *d, const char *name) {
  PtxFunction *found = NULL;
  for (PtxFunction *f = d->program->ptx.functions; f; f = f->next) {
    if (strcmp(f->name, name) == 0 && (!found || f->has_body)) found = f;
  }
  return found && found->alias_of ? find_function(d, found->alias_of->name)
                                  : found;
}

static bool add_move(Decoder *d, uint32_t size, uint32_t to, uint32_t from) {
  Inst *inst = add_inst(d, NULL);
  uint32_t *op = POOL_ARRAY(d->pool, uint32_t, 2);
  op[0] = to;
  op[1] = from;
  inst->op = op;
  note_operands(d, op, (const uint8_t[]){USE_WRITTEN, USE_READ}, 2);
  inst->exec = size == 8 ? exec_mov64 : exec_mov32;
  return size == 4 || size == 8 || fail_at(d, "a parameter of this size");
}

static PtxSymbol *make_register(Decoder *d, uint32_t size, TypeId type,
                                uint32_t offset) {
  PtxSymbol *symbol = POOL_NEW(d->pool, PtxSymbol);
  *symbol = (PtxSymbol){
      .kind = SYMBOL_REG, .size = (uint8_t)size, .type = (uint8_t)type};
  symbol->offset = offset;
  return symbol;
}

// A formal in registers is a copy; one in .param space is an alias.
static bool bind_argument(Decoder *d, const PtxVar *formal,
                          const PtxOperand *actual, Scope *callee,
                          bool is_result) {
  PtxSymbol *symbol =
      actual->kind == OPERAND_NAME ? find_symbol(d, actual->name) : NULL;
  if (strcmp(formal->space, "reg") != 0) {
    if (!symbol || symbol->kind != SYMBOL_VAR)
      return fail_at(d, "an argument that is not in .param space");
    name_map_add(&callee->names, formal->name, symbol);
    return true;
  }
  const TypeId type = formal->type ? type_find(formal->type) : TYPE_NONE;
  const uint32_t size = type_table[type].bytes;
  if (is_result) {
    uint32_t offset;
    if (!resolve_register(d, actual, size, type, &offset)) return false;
    if (!symbol) symbol = make_register(d, size, type, offset); // `_`
    name_map_add(&callee->names, formal->name, symbol);
    return true;
  }
  uint32_t from;
  if (!resolve_source(d, actual, size, type, &from)) return false;
  PtxSymbol *copy = make_register(d, size, type, new_register(d, size));
  name_map_add(&callee->names, formal->name, copy);
  return add_move(d, size, copy->offset, from);
}

static bool bind_list(Decoder *d, const PtxVar *formal, const PtxOperand *list,
                      Scope *callee, bool is_result) {
  const PtxOperand *actual = list ? list->list : NULL;
  for (; formal && actual; formal = formal->next, actual = actual->next) {
    if (formal->name && !bind_argument(d, formal, actual, callee, is_result))
      return false;
  }
  return (!formal && !actual) || fail_at(d, "wrong number of arguments");
}

// A branch to `skip` if the statement's guard, or the given one, is false.
static void skip_unless(Decoder *d, const PtxStmt *stmt, uint32_t guard,
                        PtxSymbol *skip) {
  Inst *inst = add_inst(d, stmt);
  if (!stmt) inst->guard = guard;
  inst->is_branch = true;
  inst->imm = (int64_t)(intptr_t)skip;
  inst->guard_not = !inst->guard_not;
}

static bool is_active(const Decoder *d, const PtxFunction *function) {
  for (int i = 0; i < d->depth; i++)
    if (d->active[i] == function) return true;
  return false;
}

static bool expand_plain(Decoder *d, const PtxFunction *callee,
                         const PtxOperand *results, const PtxOperand *args,
                         PtxSymbol *end) {
  Scope inner = {.outer = d->module, .names = {.pool = d->pool}};
  if (!bind_list(d, callee->results, results, &inner, true) ||
      !bind_list(d, callee->params, args, &inner, false))
    return false;
  Scope *const outer = d->scope;
  PtxSymbol *const outer_end = d->end;
  const uint32_t local_used = d->local_used;
  d->scope = &inner;
  d->end = end;
  d->active[d->depth++] = callee;
  const bool ok = decode_body(d, callee->body);
  d->depth--;
  d->end = outer_end;
  d->scope = outer;
  d->local_used = local_used;
  return ok;
}

// Expands a call for the lanes for which the statement's guard, or `guard` if
// given, is true.
static bool expand(Decoder *d, const PtxStmt *stmt, const uint32_t *guard,
                   PtxFunction *callee, const PtxOperand *results,
                   const PtxOperand *args) {
  const int most = (int)(sizeof d->active / sizeof *d->active);
  PtxSymbol *skip = new_label(d);
  bool ok;
  if (d->depth >= most) return fail_at(d, "calls are nested too deep");
  if (guard)
    skip_unless(d, NULL, *guard, skip);
  else if (stmt->guard)
    skip_unless(d, stmt, NO_GUARD, skip);
  if (is_active(d, callee))
    ok = call_frame(d, callee, results, args);
  else if (function_recurs(d, callee))
    ok = expand_frame(d, callee, results, args);
  else
    ok = expand_plain(d, callee, results, args, skip);
  put_label(d, skip);
  return ok;
}

static ExecFn find_builtin(const char *name) {
  static const struct {
    const char *name;
    ExecFn exec;
  } builtins[] = {
#define FUNCTION(name, exec) {name, exec},
#include "runtime/simulator/decode/functions.def"
  };
  for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++) {
    if (strcmp(builtins[i].name, name) == 0) return builtins[i].exec;
  }
  return NULL;
}

// Functions of the driver.  Their parameters are in local memory; an operand is
// the address of one.
static bool call_builtin(Decoder *d, const PtxStmt *stmt, const char *name,
                         const PtxOperand *results, const PtxOperand *args) {
  const ExecFn exec = find_builtin(name);
  if (!exec) return fail_at(d, "'%s' has no body", name);
  if (exec == exec_malloc || exec == exec_aligned_malloc)
    d->code->uses_heap = true;
  uint32_t *op = POOL_ARRAY(d->pool, uint32_t, 8);
  int count = 0;
  const PtxOperand *lists[2] = {args, results};
  for (int i = 0; i < 2; i++) {
    for (const PtxOperand *o = lists[i] ? lists[i]->list : NULL; o;
         o = o->next) {
      const PtxSymbol *symbol = o->name ? find_symbol(d, o->name) : NULL;
      if (!symbol || symbol->kind != SYMBOL_VAR || count >= 8)
        return fail_at(d, "arguments that '%s' cannot take", name);
      op[count++] = address_register(d, symbol, 0, 4);
    }
  }
  Inst *inst = add_inst(d, stmt);
  inst->op = op;
  inst->num_ops = (uint8_t)count;
  inst->exec = exec;
  return true;
}

// -- Calls through a register ------------------------------------------------

static int count_vars(const PtxVar *var) {
  int count = 0;
  for (; var; var = var->next) count++;
  return count;
}

bool may_be_target(const PtxFunction *f, const PtxStmt *targets,
                   const PtxOperand *results, const PtxOperand *args) {
  if (f->is_entry || !f->has_body ||
      count_vars(f->results) !=
          count_operands(results ? results->list : NULL) ||
      count_vars(f->params) != count_operands(args ? args->list : NULL))
    return false;
  if (!targets || !targets->operands) return f->has_pointers;
  for (const PtxOperand *o = targets->operands; o; o = o->next)
    if (o->name && strcmp(o->name, f->name) == 0) return true;
  return false;
}

static void add_test(Decoder *d, ExecFn exec, uint32_t pred, uint32_t found,
                     uint32_t pointer, uint64_t address) {
  Inst *inst = add_inst(d, NULL);
  uint32_t *op = POOL_ARRAY(d->pool, uint32_t, 3);
  op[0] = pred;
  op[1] = found;
  op[2] = pointer;
  inst->op = op;
  inst->imm = (int64_t)address;
  inst->exec = exec;
}

// Expands every function that the pointer may lead to, under the condition that
// the pointer is its address.
static bool call_pointer(Decoder *d, const PtxStmt *stmt,
                         const CallText *call) {
  const PtxStmt *targets = call->list ? find_list(d, call->list->name) : NULL;
  if (!targets)
    return fail_at(d, "a call through '%s' wants a prototype or targets",
                   call->callee->name);
  uint32_t offset;
  PtxSymbol *skip = new_label(d);
  if (!resolve_register(d, call->callee, 8, TYPE_B64, &offset)) return false;
  if (stmt->guard) skip_unless(d, stmt, NO_GUARD, skip);
  const uint32_t pred = new_register(d, 0), found = new_register(d, 0);
  add_test(d, exec_forget, pred, found, offset, 0);
  for (PtxFunction *f = d->program->ptx.functions; f; f = f->next) {
    if (!may_be_target(f, targets, call->results, call->args)) continue;
    add_test(d, exec_is_function, pred, found, offset,
             function_address(d->program, f->name));
    if (!expand(d, stmt, &pred, f, call->results, call->args)) return false;
  }
  add_test(d, exec_no_function, pred, found, offset, 0);
  put_label(d, skip);
  return true;
}

bool read_call(const PtxStmt *stmt, CallText *call) {
  const PtxOperand *next = stmt->operands;
  *call = (CallText){.results = NULL};
  if (next && next->kind == OPERAND_LIST) {
    call->results = next;
    next = next->next;
  }
  if (!next || next->kind != OPERAND_NAME) return false;
  call->callee = next;
  if (next->next && next->next->kind == OPERAND_LIST) call->args = next->next;
  const PtxOperand *last = call->args ? call->args->next : next->next;
  if (last && last->kind == OPERAND_NAME) call->list = last;
  return true;
}

bool decode_call(Decoder *d, const PtxStmt *stmt) {
  CallText call;
  if (!read_call(stmt, &call)) return fail_at(d, "'call' wants a function");
  PtxFunction *callee = find_function(d, call.callee->name);
  if (!callee) return call_pointer(d, stmt, &call);
  if (!callee->has_body)
    return call_builtin(d, stmt, callee->name, call.results, call.args);
  return expand(d, stmt, NULL, callee, call.results, call.args);
}
