// frames.c -- decodes recursive functions.
//
// A function is recursive if a search through calls comes back to it.  For
// example, if f calls g and h, and g calls f, the search from f finds g, h, and
// by g also f: f is recursive, and so is g.  From h it finds no function.
#include <string.h>

#include "runtime/simulator/code/pick.h"
#include "runtime/simulator/decode/decode.h"

// -- Which are ---------------------------------------------------------------

// The functions that may be called, directly or not, from the first one: a
// queue.
typedef struct {
  const Decoder *d;
  PtxFunction **found;
  size_t count;
} FrameSearch;

static void add_found(FrameSearch *s, PtxFunction *f) {
  const uint32_t number = s->d->program->num_searches;
  if (f->search == number) return;
  f->search = number;
  s->found[s->count++] = f;
}

static void add_targets(FrameSearch *s, const PtxStmt *targets,
                        const CallText *call) {
  for (PtxFunction *f = s->d->program->ptx.functions; f; f = f->next) {
    if (may_be_target(f, targets, call->results, call->args)) add_found(s, f);
  }
}

// A call through a pointer may use every list of that name, in any block.
static void add_callees(FrameSearch *s, const PtxFunction *from,
                        const PtxStmt *stmt) {
  CallText call;
  if (!read_call(stmt, &call)) return;
  PtxFunction *callee = find_function(s->d, call.callee->name);
  if (callee) add_found(s, callee);
  if (callee || !call.list) return;
  for (const PtxStmt *list = from->body; list; list = list->next) {
    if (list->kind == STMT_PROTOTYPE &&
        strcmp(list->name, call.list->name) == 0)
      add_targets(s, list, &call);
  }
}

static void add_all(FrameSearch *s, const PtxFunction *from) {
  for (const PtxStmt *stmt = from->body; stmt; stmt = stmt->next) {
    if (stmt->kind == STMT_INST && strcmp(stmt->name, "call") == 0)
      add_callees(s, from, stmt);
  }
}

bool function_recurs(const Decoder *d, PtxFunction *function) {
  if (function->recursion) return function->recursion == RECURSION_YES;
  size_t count = 0;
  for (const PtxFunction *f = d->program->ptx.functions; f; f = f->next)
    count++;
  FrameSearch search = {.d = d};
  search.found = POOL_ARRAY(d->pool, PtxFunction *, count);
  d->program->num_searches++;
  add_all(&search, function);
  for (size_t i = 0; i < search.count; i++) add_all(&search, search.found[i]);
  const bool recurs = function->search == d->program->num_searches;
  function->recursion = recurs ? RECURSION_YES : RECURSION_NO;
  return recurs;
}

// -- Arguments ---------------------------------------------------------------

static Spot spot_of(const PtxSymbol *symbol) {
  return symbol->kind == SYMBOL_REG
             ? (Spot){.in_register = true,
                      .size = symbol->size,
                      .offset = symbol->offset}
             : (Spot){.offset = (uint32_t)symbol->address, .symbol = symbol};
}

static bool is_register(const PtxVar *formal) {
  return strcmp(formal->space, "reg") == 0;
}

static bool formal_bytes(Decoder *d, const PtxVar *formal, uint64_t *bytes) {
  uint64_t align;
  return var_bytes(formal, bytes, &align) ||
         fail_at(d, "a parameter of unknown type");
}

// The actual operand for a formal, or for a result.
static bool find_actual(Decoder *d, const PtxVar *formal,
                        const PtxOperand *actual, bool is_result, Spot *out) {
  const TypeId type = formal->type ? type_find(formal->type) : TYPE_NONE;
  const uint32_t size = type_table[type].bytes;
  if (is_register(formal)) {
    *out = (Spot){.in_register = true, .size = (uint8_t)size};
    return is_result ? resolve_register(d, actual, size, type, &out->offset)
                     : resolve_source(d, actual, size, type, &out->offset);
  }
  const PtxSymbol *symbol =
      actual->kind == OPERAND_NAME ? find_symbol(d, actual->name) : NULL;
  if (!symbol || symbol->kind != SYMBOL_VAR)
    return fail_at(d, "an argument that is not in .param space");
  *out = spot_of(symbol);
  return true;
}

static uint32_t count_vars(const PtxVar *var) {
  uint32_t count = 0;
  for (; var; var = var->next) count++;
  return count;
}

// The actual operands of all transfers; their number and bytes.
static bool find_actuals(Decoder *d, const PtxVar *formal,
                         const PtxOperand *list, bool is_result, Transfer **out,
                         uint32_t *bytes) {
  const PtxOperand *actual = list ? list->list : NULL;
  Transfer *t = POOL_ARRAY(d->pool, Transfer, count_vars(formal) + 1);
  *out = t;
  *bytes = 0;
  for (; formal && actual; formal = formal->next, actual = actual->next, t++) {
    uint64_t size;
    if (!formal_bytes(d, formal, &size) ||
        !find_actual(d, formal, actual, is_result,
                     is_result ? &t->to : &t->from))
      return false;
    const Spot *spot = is_result ? &t->to : &t->from;
    if (spot->symbol && spot->symbol->bytes < size) size = spot->symbol->bytes;
    t->bytes = (uint32_t)size;
    *bytes += t->bytes;
  }
  return (!formal && !actual) || fail_at(d, "wrong number of arguments");
}

static FrameCall *new_call(Decoder *d, const FunctionFrame *frame,
                           uint32_t site, const PtxOperand *results,
                           const PtxOperand *args) {
  const PtxFunction *f = frame->function;
  uint32_t in, out;
  FrameCall *call = POOL_NEW(d->pool, FrameCall);
  *call = (FrameCall){.frame = frame,
                      .site = site,
                      .num_args = count_vars(f->params),
                      .num_results = count_vars(f->results)};
  if (!find_actuals(d, f->params, args, false, &call->args, &in) ||
      !find_actuals(d, f->results, results, true, &call->results, &out))
    return NULL;
  call->bytes = in > out ? in : out;
  return call;
}

static void add_enter(Decoder *d, FrameCall *call) {
  const FunctionFrame *frame = call->frame;
  for (uint32_t i = 0; i < call->num_args; i++)
    call->args[i].to = frame->params[i];
  for (uint32_t i = 0; i < call->num_results; i++)
    call->results[i].from = frame->results[i];
  Inst *inst = add_inst(d, NULL);
  inst->imm = (int64_t)(intptr_t)call;
  inst->exec = exec_enter;
}

// -- Expansion ---------------------------------------------------------------

// Formals are variables of the frame.
static bool declare_formals(Decoder *d, const PtxVar *formal, Spot **out) {
  Spot *spot = POOL_ARRAY(d->pool, Spot, count_vars(formal) + 1);
  *out = spot;
  for (; formal; formal = formal->next) {
    PtxVar one = *formal;
    one.next = NULL;
    if (!one.name) one.name = "";
    if (!declare_var(d, &one)) return false;
    *spot++ = spot_of(name_map_find(&d->scope->names, one.name));
  }
  return true;
}

// Returns to the inner calls; the remaining lanes return to the outer call.
static void add_leave(Decoder *d, const FunctionFrame *frame) {
  Inst *leave = add_inst(d, NULL);
  leave->imm = (int64_t)(intptr_t)frame;
  leave->exec = exec_leave;
  for (const FrameCall *call = frame->calls; call; call = call->next) {
    uint32_t *op = POOL_ARRAY(d->pool, uint32_t, 2);
    op[0] = frame->site;
    op[1] = call->site;
    Inst *back = add_inst(d, NULL);
    back->op = op;
    back->exec = exec_indexed_branch;
    back->is_indexed = true;
    back->imm = (int64_t)(intptr_t)call->back;
    back->mode = WORD_IDX;
  }
}

static void note_saved(Decoder *d, FunctionFrame *frame, size_t first) {
  frame->num_saved = d->num_registers - first;
  frame->saved = POOL_ARRAY(d->pool, SavedRegister, frame->num_saved + 1);
  for (size_t i = 0; i < frame->num_saved; i++) {
    frame->saved[i] = d->file_registers[first + i];
    frame->saved_bytes += frame->saved[i].size ? frame->saved[i].size : 1;
  }
}

static bool expand_inside(Decoder *d, FunctionFrame *frame, FrameCall *call) {
  const size_t first = d->num_registers;
  PtxSymbol *end = new_label(d);
  frame->base = new_register(d, 4);
  if (!declare_formals(d, frame->function->results, &frame->results) ||
      !declare_formals(d, frame->function->params, &frame->params))
    return false;
  add_enter(d, call);
  put_label(d, frame->entry = new_label(d));
  d->end = end;
  d->active[d->depth++] = frame->function;
  const bool ok = decode_body(d, frame->function->body);
  d->depth--;
  put_label(d, end);
  if (ok) add_leave(d, frame);
  note_saved(d, frame, first);
  enum { UNIT = 16, RETURN_ADDRESS = 8 };
  frame->bytes = (frame->bytes + RETURN_ADDRESS + UNIT - 1) / UNIT * UNIT;
  return ok;
}

bool expand_frame(Decoder *d, const PtxFunction *callee,
                  const PtxOperand *results, const PtxOperand *args) {
  FunctionFrame *frame = POOL_NEW(d->pool, FunctionFrame);
  *frame = (FunctionFrame){.function = callee, .outer = d->frame};
  frame->site = new_register(d, 4);
  FrameCall *call = new_call(d, frame, 0, results, args);
  if (!call) return false;
  Scope inner = {.outer = d->module, .names = {.pool = d->pool}};
  Scope *const outer = d->scope;
  PtxSymbol *const end = d->end;
  const uint32_t local_used = d->local_used;
  d->frame = frame;
  d->scope = &inner;
  d->local_used = 0;
  d->code->has_frames = true;
  const bool ok = expand_inside(d, frame, call);
  d->frame = frame->outer;
  d->scope = outer;
  d->end = end;
  d->local_used = local_used;
  return ok;
}

bool call_frame(Decoder *d, const PtxFunction *callee,
                const PtxOperand *results, const PtxOperand *args) {
  FunctionFrame *frame = d->frame;
  while (frame && frame->function != callee) frame = frame->outer;
  if (!frame) return fail_at(d, "'%s' calls itself", callee->name);
  FrameCall *call = new_call(d, frame, ++frame->num_sites, results, args);
  if (!call) return false;
  call->back = new_label(d);
  call->next = frame->calls;
  frame->calls = call;
  add_enter(d, call);
  Inst *jump = add_inst(d, NULL);
  jump->is_branch = true;
  jump->imm = (int64_t)(intptr_t)frame->entry;
  put_label(d, call->back);
  return true;
}
