// decode.c -- from the statements of a kernel to its instructions.
//
// A call is expanded in place: its formal parameters become names of what the
// caller passes, its `ret` a branch to the end.  Recursion is refused.
#include "runtime/simulator/decode.h"

#include <stdio.h>
#include <string.h>

#include "runtime/simulator/pick.h"

enum { MAX_INSTS = 4 << 20 };

bool fail_at(Decoder *d, const char *format, ...) {
  char text[256];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return ptx_error(d->error, d->line, "%s", text);
}

Inst *add_inst(Decoder *d, const PtxStmt *stmt) {
  if (d->num_insts >= d->room) {
    d->room = d->room ? d->room * 2 : 256;
    Inst *bigger = POOL_ARRAY(d->pool, Inst, d->room);
    if (d->num_insts) memcpy(bigger, d->insts, d->num_insts * sizeof *bigger);
    d->insts = bigger;
  }
  Inst *inst = &d->insts[d->num_insts++];
  *inst = (Inst){.guard = NO_GUARD, .exec = exec_nothing};
  inst->line = (uint32_t)d->line;
  inst->file = (uint16_t)d->file;
  inst->source_line = (uint32_t)d->source_line;
  if (!stmt || !stmt->guard) return inst;
  const Symbol *guard = find_symbol(d, stmt->guard);
  if (!guard || guard->kind != SYMBOL_REG || guard->size)
    fail_at(d, "'%s' is not a predicate", stmt->guard);
  else
    inst->guard = guard->offset;
  inst->guard_not = stmt->guard_not;
  return inst;
}

// -- Branches ----------------------------------------------------------------

static bool add_branch(Decoder *d, const PtxStmt *stmt, Symbol *label) {
  Inst *inst = add_inst(d, stmt);
  inst->is_branch = true;
  inst->imm = (int64_t)(intptr_t)label;
  return true;
}

static Symbol *find_label(Decoder *d, const char *name) {
  Symbol *label = name ? find_symbol(d, name) : NULL;
  if (label && label->kind == SYMBOL_LABEL) return label;
  fail_at(d, "unknown label '%s'", name ? name : "");
  return NULL;
}

static bool decode_bra(Decoder *d, const PtxStmt *stmt) {
  const PtxOperand *operand = stmt->operands;
  if (!operand || operand->next) return fail_at(d, "'bra' wants a label");
  Symbol *label = find_label(d, operand->name);
  return label && add_branch(d, stmt, label);
}

// Indexed branch: one comparison and branch for each target.
static bool decode_brx(Decoder *d, const PtxStmt *stmt) {
  const PtxOperand *index = stmt->operands;
  const Symbol *list = index && index->next && index->next->name
                           ? find_symbol(d, index->next->name)
                           : NULL;
  if (!list || list->kind != SYMBOL_LABEL || !list->bytes)
    return fail_at(d, "'brx.idx' wants an index and a list of labels");
  const PtxStmt *targets = (const PtxStmt *)(uintptr_t)list->bytes;
  uint32_t offset;
  if (!resolve_source(d, index, 4, false, &offset)) return false;
  uint32_t i = 0;
  for (const PtxOperand *o = targets->operands; o; o = o->next, i++) {
    Symbol *label = find_label(d, o->name);
    if (!label) return false;
    Inst *inst = add_inst(d, stmt);
    uint32_t *op = POOL_ARRAY(d->pool, uint32_t, 2);
    op[0] = offset;
    op[1] = i;
    inst->op = op;
    inst->exec = exec_indexed_branch;
    inst->imm = (int64_t)(intptr_t)label;
    inst->mode = WORD_IDX;
  }
  return true;
}

static bool decode_ret(Decoder *d, const PtxStmt *stmt) {
  if (d->end) return add_branch(d, stmt, d->end);
  add_inst(d, stmt)->exec = exec_exit;
  return true;
}

// -- Calls -------------------------------------------------------------------

static const PtxFunction *find_function(const Decoder *d, const char *name) {
  const PtxFunction *found = NULL;
  for (const PtxFunction *f = d->program->ptx.functions; f; f = f->next) {
    if (strcmp(f->name, name) == 0 && (!found || f->has_body)) found = f;
  }
  return found;
}

static bool add_move(Decoder *d, uint32_t size, uint32_t to, uint32_t from) {
  Inst *inst = add_inst(d, NULL);
  uint32_t *op = POOL_ARRAY(d->pool, uint32_t, 2);
  op[0] = to;
  op[1] = from;
  inst->op = op;
  inst->exec = size == 8 ? exec_mov64 : exec_mov32;
  return size == 4 || size == 8 || fail_at(d, "a parameter of this size");
}

// A formal in registers is a copy, one in .param space another name.
static bool bind_argument(Decoder *d, const PtxVar *formal,
                          const PtxOperand *actual, Scope *callee,
                          bool is_result) {
  Symbol *symbol =
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
    if (!resolve_register(d, actual, size, &offset)) return false;
    name_map_add(&callee->names, formal->name, symbol);
    return true;
  }
  uint32_t from;
  if (!resolve_source(d, actual, size, type_table[type].class == CLASS_FLOAT,
                      &from))
    return false;
  Symbol *copy = POOL_NEW(d->pool, Symbol);
  *copy = (Symbol){.kind = SYMBOL_REG, .size = (uint8_t)size};
  copy->offset = new_register(d, size);
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

static bool decode_body(Decoder *d, const PtxStmt *stmt);

static bool expand(Decoder *d, const PtxStmt *stmt, const PtxFunction *callee,
                   const PtxOperand *results, const PtxOperand *args) {
  const int most = (int)(sizeof d->active / sizeof *d->active);
  for (int i = 0; i < d->depth; i++) {
    if (d->active[i] == callee)
      return fail_at(d, "'%s' is recursive, which is not supported",
                     callee->name);
  }
  if (d->depth >= most) return fail_at(d, "calls are nested too deep");
  Symbol *skip = POOL_NEW(d->pool, Symbol), *const outer_end = d->end;
  skip->kind = SYMBOL_LABEL;
  if (stmt->guard) {
    Inst *inst = add_inst(d, stmt);
    inst->is_branch = true;
    inst->imm = (int64_t)(intptr_t)skip;
    inst->guard_not = !inst->guard_not;
  }
  Scope inner = {.names = {.pool = d->pool}};
  if (!bind_list(d, callee->results, results, &inner, true) ||
      !bind_list(d, callee->params, args, &inner, false))
    return false;
  Scope *const outer = d->scope;
  d->scope = &inner;
  d->end = skip;
  d->active[d->depth++] = callee;
  const bool ok = decode_body(d, callee->body);
  d->depth--;
  d->end = outer_end;
  d->scope = outer;
  skip->place = (uint32_t)d->num_insts;
  skip->placed = true;
  return ok;
}

// Functions that the driver provides.  Their parameters lie in local memory.
static bool call_builtin(Decoder *d, const PtxStmt *stmt, const char *name,
                         const PtxOperand *results, const PtxOperand *args) {
  ExecFn exec = strcmp(name, "vprintf") == 0        ? exec_vprintf
                : strcmp(name, "__assertfail") == 0 ? exec_assertfail
                                                    : NULL;
  if (!exec) return fail_at(d, "'%s' has no body", name);
  uint32_t *op = POOL_ARRAY(d->pool, uint32_t, 8);
  int count = 0;
  const PtxOperand *lists[2] = {args, results};
  for (int i = 0; i < 2; i++) {
    for (const PtxOperand *o = lists[i] ? lists[i]->list : NULL; o;
         o = o->next) {
      const Symbol *symbol = o->name ? find_symbol(d, o->name) : NULL;
      if (!symbol || symbol->kind != SYMBOL_VAR || count >= 8)
        return fail_at(d, "arguments that '%s' cannot take", name);
      op[count++] = (uint32_t)symbol->address;
    }
  }
  Inst *inst = add_inst(d, stmt);
  inst->op = op;
  inst->num_ops = (uint8_t)count;
  inst->exec = exec;
  return true;
}

static bool decode_call(Decoder *d, const PtxStmt *stmt) {
  const PtxOperand *next = stmt->operands, *results = NULL, *args = NULL;
  if (next && next->kind == OPERAND_LIST) {
    results = next;
    next = next->next;
  }
  if (!next || next->kind != OPERAND_NAME)
    return fail_at(d, "'call' wants a function");
  if (next->next && next->next->kind == OPERAND_LIST) args = next->next;
  const PtxFunction *callee = find_function(d, next->name);
  if (!callee)
    return fail_at(d, "calls through '%s' are not supported", next->name);
  if (!callee->has_body)
    return call_builtin(d, stmt, callee->name, results, args);
  return expand(d, stmt, callee, results, args);
}

// -- Bodies ------------------------------------------------------------------

// The labels of this block, which branches may use before they appear.
static void declare_labels(Decoder *d, const PtxStmt *stmt) {
  int depth = 0;
  for (; stmt && depth >= 0; stmt = stmt->next) {
    if (stmt->kind == STMT_OPEN) depth++;
    if (stmt->kind == STMT_CLOSE) depth--;
    if (depth) continue;
    if (stmt->kind == STMT_LABEL) add_symbol(d, stmt->name, SYMBOL_LABEL);
    if (stmt->kind == STMT_PROTOTYPE && stmt->operands)
      add_symbol(d, stmt->name, SYMBOL_LABEL)->bytes =
          (uint64_t)(uintptr_t)stmt;
  }
}

static bool decode_inst(Decoder *d, const PtxStmt *stmt) {
  if (d->num_insts > MAX_INSTS) return fail_at(d, "the kernel is too large");
  if (strcmp(stmt->name, "bra") == 0) return decode_bra(d, stmt);
  if (strcmp(stmt->name, "brx") == 0) return decode_brx(d, stmt);
  if (strcmp(stmt->name, "ret") == 0) return decode_ret(d, stmt);
  if (strcmp(stmt->name, "call") == 0) return decode_call(d, stmt);
  return decode_form(d, stmt);
}

static bool place_label(Decoder *d, const PtxStmt *stmt) {
  Symbol *label = name_map_find(&d->scope->names, stmt->name);
  if (!label || label->kind != SYMBOL_LABEL || label->placed)
    return fail_at(d, "'%s' is declared twice", stmt->name);
  label->place = (uint32_t)d->num_insts;
  label->placed = true;
  return true;
}

static bool decode_stmt(Decoder *d, const PtxStmt *stmt) {
  switch (stmt->kind) {
  case STMT_INST: return decode_inst(d, stmt);
  case STMT_LABEL: return place_label(d, stmt);
  case STMT_VAR: return declare_var(d, stmt->vars);
  case STMT_CLOSE: scope_leave(d); return true;
  case STMT_OPEN:
    scope_enter(d);
    declare_labels(d, stmt->next);
    return true;
  case STMT_LOC:
    d->file = stmt->file;
    d->source_line = stmt->source_line;
    return true;
  case STMT_PROTOTYPE: return true;
  }
  return false;
}

static bool decode_body(Decoder *d, const PtxStmt *stmt) {
  declare_labels(d, stmt);
  for (; stmt; stmt = stmt->next) {
    d->line = stmt->line;
    if (!decode_stmt(d, stmt) || *d->error->text) return false;
  }
  return true;
}

// -- Kernels -----------------------------------------------------------------

static bool declare_params(Decoder *d, const PtxFunction *function) {
  Code *code = d->code;
  for (const PtxVar *v = function->params; v; v = v->next) code->num_params++;
  code->params = POOL_ARRAY(d->pool, ParamSlot, (size_t)code->num_params + 1);
  int i = 0;
  for (const PtxVar *v = function->params; v; v = v->next, i++) {
    uint64_t bytes, align;
    if (!v->name || !var_bytes(v, &bytes, &align) || bytes > 4096 * 8)
      return fail_at(d, "a parameter of unknown type");
    const uint64_t offset = (code->param_size + align - 1) & ~(align - 1);
    Symbol *symbol = add_symbol(d, v->name, SYMBOL_PARAM);
    symbol->space = SPACE_PARAM;
    symbol->address = PARAM_BASE + offset;
    symbol->bytes = bytes;
    code->params[i] = (ParamSlot){(uint32_t)offset, (uint32_t)bytes};
    code->param_size = (uint32_t)(offset + bytes);
  }
  return true;
}

// Shared variables of the module, which every kernel may use.  One without a
// size is the dynamic part: it follows all others.
static bool declare_shared(Decoder *d) {
  for (int dynamic = 0; dynamic < 2; dynamic++) {
    for (PtxVar *v = d->program->ptx.vars; v; v = v->next) {
      if (strcmp(v->space, "shared") != 0 || (v->size < 0) != dynamic) continue;
      PtxVar one = *v;
      one.next = NULL;
      d->line = v->line;
      if (!declare_var(d, &one)) return false;
    }
  }
  return true;
}

static void resolve_targets(Decoder *d) {
  for (size_t i = 0; i < d->num_insts; i++) {
    Inst *inst = &d->insts[i];
    if (!inst->is_branch && inst->exec != exec_indexed_branch) continue;
    const Symbol *label = (const Symbol *)(intptr_t)inst->imm;
    inst->target = label->place;
  }
}

static void note_limits(Code *code, const PtxFunction *function) {
  const int64_t *most = function->required_threads[0]
                            ? function->required_threads
                            : function->max_threads;
  code->name = function->name;
  code->max_threads = most[0] * most[1] * most[2];
  memcpy(code->required_threads, function->required_threads,
         sizeof code->required_threads);
}

static Code *decode_once(Program *program, const PtxFunction *function,
                         uint32_t dynamic_base, PtxError *error) {
  Code *code = POOL_NEW(&program->pool, Code);
  Decoder d = {.program = program, .pool = &program->pool, .error = error};
  d.code = code;
  d.line = function->line;
  d.dynamic_base = code->dynamic_base = dynamic_base;
  note_limits(code, function);
  d.active[d.depth++] = function;
  scope_enter(&d);
  if (!declare_params(&d, function) || !declare_shared(&d)) return NULL;
  scope_enter(&d);
  if (!decode_body(&d, function->body)) return NULL;
  add_inst(&d, NULL)->exec = exec_exit;
  resolve_targets(&d);
  code->insts = d.insts;
  code->num_insts = (uint32_t)d.num_insts;
  code->file_size = (code->file_size + 63) / 64 * 64;
  return code;
}

// Where dynamic shared memory starts is known only after the whole kernel.
bool decode_kernel(Program *program, const PtxFunction *function,
                   PtxError *error) {
  Code *code = decode_once(program, function, 0, error);
  if (code && code->shared_size)
    code = decode_once(program, function, code->shared_size, error);
  if (!code) return false;
  code->next = program->kernels;
  program->kernels = code;
  return true;
}
