// decode.c -- translates the statements of a kernel to instructions.
//
// Labels are known before the statements of their block; calls.c expands calls.
#include "runtime/simulator/decode/decode.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "runtime/simulator/code/pick.h"

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
  inst->file = (uint16_t)d->loc.file;
  inst->source_line = (uint32_t)d->loc.line;
  inst->caller_file = (uint16_t)d->inlined_at.file;
  inst->caller_line = (uint32_t)d->inlined_at.line;
  if (!stmt || !stmt->guard) return inst;
  resolve_predicate(d, stmt->guard, true, &inst->guard);
  inst->guard_not = stmt->guard_not;
  return inst;
}

// -- Branches ----------------------------------------------------------------

static bool add_branch(Decoder *d, const PtxStmt *stmt, PtxSymbol *label) {
  Inst *inst = add_inst(d, stmt);
  inst->is_branch = true;
  inst->imm = (int64_t)(intptr_t)label;
  return true;
}

static PtxSymbol *find_label(Decoder *d, const char *name) {
  PtxSymbol *label = name ? find_symbol(d, name) : NULL;
  if (label && label->kind == SYMBOL_LABEL) return label;
  fail_at(d, "unknown label '%s'", name ? name : "");
  return NULL;
}

static bool decode_bra(Decoder *d, const PtxStmt *stmt) {
  const PtxOperand *operand = stmt->operands;
  if (!operand || operand->next) return fail_at(d, "'bra' wants a label");
  PtxSymbol *label = find_label(d, operand->name);
  return label && add_branch(d, stmt, label);
}

const PtxStmt *find_list(Decoder *d, const char *name) {
  const PtxSymbol *list = name ? find_symbol(d, name) : NULL;
  return list && list->kind == SYMBOL_LABEL
             ? (const PtxStmt *)(uintptr_t)list->bytes
             : NULL;
}

// Indexed branch: one comparison and branch for each target.
static bool decode_brx(Decoder *d, const PtxStmt *stmt) {
  const PtxOperand *index = stmt->operands;
  const PtxStmt *targets =
      index && index->next ? find_list(d, index->next->name) : NULL;
  if (!targets || !targets->operands)
    return fail_at(d, "'brx.idx' wants an index and a list of labels");
  uint32_t offset;
  if (!resolve_source(d, index, 4, TYPE_U32, &offset)) return false;
  uint32_t i = 0;
  for (const PtxOperand *o = targets->operands; o; o = o->next, i++) {
    PtxSymbol *label = find_label(d, o->name);
    if (!label) return false;
    Inst *inst = add_inst(d, stmt);
    uint32_t *op = POOL_ARRAY(d->pool, uint32_t, 2);
    op[0] = offset;
    op[1] = i;
    inst->op = op;
    inst->exec = exec_indexed_branch;
    inst->is_indexed = true;
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

// -- Bodies ------------------------------------------------------------------

// Declares the labels of this block, which branches may use before they appear.
static void declare_labels(Decoder *d, const PtxStmt *stmt) {
  int depth = 0;
  for (; stmt && depth >= 0; stmt = stmt->next) {
    if (stmt->kind == STMT_OPEN) depth++;
    if (stmt->kind == STMT_CLOSE) depth--;
    if (depth) continue;
    d->line = stmt->line;
    if (stmt->kind == STMT_LABEL) add_symbol(d, stmt->name, SYMBOL_LABEL);
    if (stmt->kind == STMT_PROTOTYPE)
      add_symbol(d, stmt->name, SYMBOL_LABEL)->bytes =
          (uint64_t)(uintptr_t)stmt;
  }
}

static bool is_too_large(Decoder *d) {
  if (d->num_insts <= MAX_INSTS) return false;
  fail_at(d, "the kernel is too large");
  return true;
}

static bool decode_inst(Decoder *d, const PtxStmt *stmt) {
  if (is_too_large(d)) return false;
  if (strcmp(stmt->name, "bra") == 0) return decode_bra(d, stmt);
  if (strcmp(stmt->name, "brx") == 0) return decode_brx(d, stmt);
  if (strcmp(stmt->name, "ret") == 0) return decode_ret(d, stmt);
  if (strcmp(stmt->name, "call") == 0) return decode_call(d, stmt);
  return decode_form(d, stmt);
}

static bool place_label(Decoder *d, const PtxStmt *stmt) {
  PtxSymbol *label = name_map_find(&d->scope->names, stmt->name);
  if (!label || label->kind != SYMBOL_LABEL || label->placed)
    return fail_at(d, "'%s' is declared twice", stmt->name);
  put_label(d, label);
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
  case STMT_LOC: note_loc(d, stmt); return true;
  case STMT_PROTOTYPE: return true;
  }
  return false;
}

bool decode_body(Decoder *d, const PtxStmt *stmt) {
  declare_labels(d, stmt);
  for (; stmt; stmt = stmt->next) {
    d->line = stmt->line;
    if (!decode_stmt(d, stmt) || *d->error->text) return false;
  }
  return true;
}

// -- Kernels -----------------------------------------------------------------

// The limit of ptxas; the manual has 4,096 bytes before PTX 8.1.
static uint32_t most_param_bytes(const PtxProgram *program) {
  return program->ptx.version < 8.05 ? 0x1100 : 0x7ffc;
}

static bool declare_params(Decoder *d, const PtxFunction *function) {
  Code *code = d->code;
  for (const PtxVar *v = function->params; v; v = v->next) code->num_params++;
  code->params = POOL_ARRAY(d->pool, ParamSlot, (size_t)code->num_params + 1);
  int i = 0;
  for (const PtxVar *v = function->params; v; v = v->next, i++) {
    uint64_t bytes, align;
    if (v->type && opcode_is_in(OPCODES_TEXTURES, v->type))
      return fail_at(d, "'.%s': textures and surfaces are not simulated",
                     v->type);
    if (strcmp(v->space, "param") != 0 || v->vec ||
        !var_bytes(v, &bytes, &align) || !bytes)
      return fail_at(d, "a parameter of unknown type or size");
    const uint64_t offset = (code->param_size + align - 1) & ~(align - 1);
    PtxSymbol *symbol = add_symbol(d, v->name ? v->name : "_", SYMBOL_PARAM);
    symbol->space = SPACE_PARAM;
    symbol->address = PARAM_BASE + offset;
    symbol->bytes = bytes;
    code->params[i] = (ParamSlot){(uint32_t)offset, (uint32_t)bytes};
    if (offset + bytes > most_param_bytes(d->program))
      return fail_at(d, "more than %u bytes of parameters",
                     most_param_bytes(d->program));
    code->param_size = (uint32_t)(offset + bytes);
  }
  return true;
}

static void resolve_targets(Decoder *d) {
  for (size_t i = 0; i < d->num_insts; i++) {
    Inst *inst = &d->insts[i];
    if (!inst->is_branch && !inst->is_indexed) continue;
    const PtxSymbol *label = (const PtxSymbol *)(intptr_t)inst->imm;
    assert(label->place < d->num_insts && "a branch out of the code"); // I2
    inst->target = label->place;
  }
}

static void note_limits(Code *code, const PtxFunction *function) {
  const int64_t *most = function->required_threads[0]
                            ? function->required_threads
                            : function->max_threads;
  code->name = function->name;
  code->max_threads = 1;
  for (int i = 0; i < 3; i++) {
    code->max_threads *= most[i];
    if (code->max_threads > INT32_MAX) code->max_threads = INT32_MAX;
  }
  memcpy(code->required_threads, function->required_threads,
         sizeof code->required_threads);
  memcpy(code->cluster, function->cluster, sizeof code->cluster);
  code->max_rank = function->max_rank;
  code->is_explicit = function->is_explicit;
}

// The registers of a thread, 0: no limit.  ptxas keeps to a number that lets a
// CTA of the declared threads start, or the declared number of CTAs at once; it
// ignores numbers that no multiprocessor holds.
static int64_t register_limit(const Code *code, const PtxFunction *function) {
  enum { MOST_WARPS = 64 };
  const int64_t ctas = function->min_blocks ? function->min_blocks : 1;
  const int64_t warps = (code->max_threads + LANES - 1) / LANES * ctas;
  if (function->max_registers || !warps || warps > MOST_WARPS)
    return function->max_registers;
  const int64_t of_part = (warps + SM_PARTS - 1) / SM_PARTS;
  const int64_t of_thread = SM_REGISTERS / SM_PARTS / LANES / of_part;
  return of_thread / REGISTER_UNIT * REGISTER_UNIT;
}

// The highest number in a setmaxnreg.inc; 0: none.
static int64_t most_asked(const Decoder *d) {
  int64_t most = 0;
  for (size_t i = 0; i < d->num_insts; i++) {
    const Inst *inst = &d->insts[i];
    if (inst->stmt && strcmp(inst->stmt->name, "setmaxnreg") == 0 &&
        inst->bool_op == WORD_INC && inst->imm > most)
      most = inst->imm;
  }
  return most;
}

static const Inst *next_dec(const Decoder *d, const Inst *inst) {
  for (; inst < d->insts + d->num_insts; inst++)
    if (inst->stmt && strcmp(inst->stmt->name, "setmaxnreg") == 0 &&
        inst->bool_op == WORD_DEC)
      return inst;
  return NULL;
}

// A setmaxnreg.dec must not ask for more registers than a warp can have: the
// most that an inc asks for, or else the limit.  ptxas refuses it, too.
static bool check_dec(Decoder *d, int64_t limit) {
  enum { MOST = 255 };
  const int64_t asked = most_asked(d), most = asked ? asked : limit;
  for (const Inst *inst = d->insts; most && (inst = next_dec(d, inst));
       inst++) {
    const int64_t wanted = inst->imm < MOST ? inst->imm : MOST;
    d->line = (int)inst->line;
    if (wanted > most)
      return fail_at(d,
                     "setmaxnreg.dec to %lld registers; no warp has above "
                     "%lld",
                     (long long)inst->imm, (long long)most);
  }
  return true;
}

// A thread may use at most 255 registers, of 256 that it gets.  As in ptxas, a
// number of threads has no effect without one of CTAs, and no warp starts with
// more registers than a setmaxnreg.inc asks for later.
static uint32_t entry_registers(const Decoder *d, int64_t limit,
                                const PtxFunction *function) {
  enum { MOST = 256 };
  if (!function->max_registers && !function->min_blocks) return 0;
  const int64_t asked = most_asked(d), most = asked ? asked : MOST;
  const int64_t rounded =
      (limit + REGISTER_UNIT - 1) / REGISTER_UNIT * REGISTER_UNIT;
  return (uint32_t)(rounded < most ? rounded : most);
}

static bool has_modifier(const PtxStmt *stmt, const char *word) {
  for (const PtxWord *i = stmt->modifiers; i; i = i->next)
    if (strcmp(i->text, word) == 0) return true;
  return false;
}

static bool is_strong(const PtxStmt *stmt) {
  return has_modifier(stmt, "relaxed") || has_modifier(stmt, "volatile") ||
         has_modifier(stmt, "mmio");
}

static bool releases(const PtxStmt *stmt) {
  return has_modifier(stmt, "acq_rel") || has_modifier(stmt, "release");
}

// Whether the statement may be a relaxed strong write, one that releases
// nothing by itself.
static bool may_write_relaxed(const PtxStmt *stmt) {
  // Relaxed arrivals at a barrier of the cluster write no word.
  if (strcmp(stmt->name, "ld") == 0 || strcmp(stmt->name, "barrier") == 0)
    return false;
  if (is_strong(stmt)) return true;
  return (strcmp(stmt->name, "atom") == 0 || strcmp(stmt->name, "red") == 0) &&
         !releases(stmt);
}

static void note_instructions(const Decoder *d, Code *code) {
  for (size_t i = 0; i < d->num_insts; i++) {
    const PtxStmt *stmt = d->insts[i].stmt;
    if (!stmt) continue;
    if (has_modifier(stmt, "mbarrier::complete_tx::bytes")) {
      code->counts_bytes = true;
      if (strcmp(stmt->name, "cp") != 0) code->stores_async = true;
    }
    if (may_write_relaxed(stmt)) code->releases_again = true;
    if (strcmp(stmt->name, "barrier") == 0 && has_modifier(stmt, "cluster"))
      code->meets_cluster = true;
  }
}

static Code *decode_once(PtxProgram *program, const PtxFunction *function,
                         uint32_t dynamic_base, PtxError *error) {
  Code *code = POOL_NEW(&program->pool, Code);
  Decoder d = {.program = program, .pool = &program->pool, .error = error};
  d.code = code;
  d.line = function->line;
  d.dynamic_base = code->dynamic_base = dynamic_base;
  note_limits(code, function);
  d.active[d.depth++] = function;
  scope_enter(&d);
  d.module = d.scope;
  if (!check_shared(&d)) return NULL;
  scope_enter(&d);
  if (!declare_params(&d, function)) return NULL;
  scope_enter(&d);
  if (!decode_body(&d, function->body)) return NULL;
  add_inst(&d, NULL)->exec = exec_exit;
  if (is_too_large(&d)) return NULL; // by a list of labels at its end
  resolve_targets(&d);
  const int64_t limit = register_limit(code, function);
  if (!check_dec(&d, limit)) return NULL;
  code->registers = estimate_registers(&d, limit);
  code->entry_registers = entry_registers(&d, limit, function);
  note_instructions(&d, code);
  find_watched(&d);
  find_feeding(&d);
  order_code(d.pool, d.insts, (uint32_t)d.num_insts);
  find_from_zero(&d);
  code->frames_at = (code->local_size + 15) / 16 * 16;
  code->insts = d.insts;
  code->num_insts = (uint32_t)d.num_insts;
  code->file_size = (code->file_size + 63) / 64 * 64;
  return code;
}

// The static shared memory of every chip; larger arrays must be dynamic.
enum { MOST_STATIC_SHARED = 48 * 1024 };

// The start of dynamic shared memory is known only after the whole kernel.
bool decode_kernel(PtxProgram *program, const PtxFunction *function,
                   PtxError *error) {
  Code *code = decode_once(program, function, 0, error);
  if (code && code->shared_size)
    code = decode_once(program, function, code->shared_size, error);
  if (!code) return false;
  if (code->shared_size > MOST_STATIC_SHARED)
    return ptx_error(error, function->line,
                     "'%s' has %u bytes of shared memory; %d are the most",
                     function->name, code->shared_size, MOST_STATIC_SHARED);
  code->next = program->kernels;
  program->kernels = code;
  return true;
}
