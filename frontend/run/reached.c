// reached.c -- the statements of a module that were run.
//
// Definitions below conditions follow from it: the branch that the run took is
// the branch that Python takes.
//
// Example: `if len(L) > 1: def f(): ...` and `else: def f(): ...`, where an
// imported file has appended to L: the first `def` was reached surely, the
// second one never.  If the condition is unknown, both were reached perhaps.
#include "frontend/run/evaluate.h"

// The values in `reached`.
static const Reached never = REACHED_NEVER, maybe = REACHED_MAYBE,
                     surely = REACHED_SURELY;

void run_begin_module(Machine *m, RunModule *module) {
  module->bodies++;
  module->forks = m->forks;
  module->leaves = m->leaves.count;
}

// Does the frame belong to a module, or to a class in the body of one?
static bool is_of_module(const RunFrame *frame) {
  while (frame->outer && !frame->scope) frame = frame->outer;
  return !frame->outer;
}

static const Token *key_of(const RunModule *module, const Stmt *stmt) {
  return &module->file->list.tokens.items[statement_begin(module->file, stmt)];
}

void run_note_reached(Machine *m, const Stmt *stmt) {
  if (m->frame->scope || !is_of_module(m->frame)) return;
  RunModule *module = m->frame->module;
  const Token *key = key_of(module, stmt);
  const bool is_sure =
      m->forks == module->forks && m->leaves.count == module->leaves;
  if (is_sure || !map_get(&module->reached, key))
    map_put(&module->reached, m->arena, key,
            (void *)(is_sure ? &surely : &maybe));
}

static void note_block(Machine *m, const StmtList *block) {
  RunModule *module = m->frame->module;
  for (int i = 0; i < block->count; i++) {
    const Token *key = key_of(module, block->items[i]);
    if (!map_get(&module->reached, key))
      map_put(&module->reached, m->arena, key, (void *)&never);
    run_note_unreached(m, block->items[i]);
  }
}

static void note_tried(Machine *m, const Stmt *stmt) {
  note_block(m, &stmt->try_.body);
  for (int i = 0; i < stmt->try_.num_handlers; i++)
    note_block(m, &stmt->try_.handlers[i].body);
  note_block(m, &stmt->try_.otherwise);
  note_block(m, &stmt->try_.finally);
}

void run_note_unreached(Machine *m, const Stmt *stmt) {
  switch (stmt->kind) {
  case STMT_IF:
    for (int i = 0; i < stmt->if_.num_branches; i++)
      note_block(m, &stmt->if_.branches[i].body);
    note_block(m, &stmt->if_.otherwise);
    break;
  case STMT_FOR:
    note_block(m, &stmt->for_.body);
    note_block(m, &stmt->for_.otherwise);
    break;
  case STMT_WHILE:
    note_block(m, &stmt->while_.body);
    note_block(m, &stmt->while_.otherwise);
    break;
  case STMT_TRY: note_tried(m, stmt); break;
  case STMT_WITH: note_block(m, &stmt->with.body); break;
  case STMT_CLASS: note_block(m, &stmt->class_.body); break;
  default: break;
  }
}

Reached run_reach(const RunModule *module, uint32_t token) {
  const Reached *how =
      map_get(&module->reached, &module->file->list.tokens.items[token]);
  return how && module->bodies == 1 ? *how : REACHED_UNKNOWN;
}
