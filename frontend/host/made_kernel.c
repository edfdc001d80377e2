// made_kernel.c -- kernels that a function returns when the module runs, found
// by a path such as `kernels["add"]`.

#include "frontend/host/guard.h"
#include "frontend/host/host.h"
#include "frontend/scan/scan.h"
#include "frontend/syntax/parser.h"
#include "frontend/value/value.h"
#include "frontend/walk/evaluate.h"

#include <string.h>

Definition *made_definition(Program *program, const char *name, SrcLoc loc,
                            const Object *x) {
  if (!x || x->kind != OBJECT_FUNCTION) return NULL;
  const AstFunction *made = x->as.function;
  if (!made->end || made->is_constant) return NULL;
  Definition *d = arena_new(program->arena, Definition);
  d->kind = DEFINES_FUNCTION;
  d->file = made->file;
  d->name = name;
  d->loc = loc;
  d->begin = made->begin;
  d->end = made->end;
  d->decorators = made->decorators_begin;
  d->function = arena_new(program->arena, AstFunction);
  d->function->file = made->file;
  d->function->name = name;
  d->function->loc = loc;
  d->function->place = made->place;
  d->function->around = made->around;
  // another function may have returned it under a second name
  d->function->decorators_begin = made->decorators_begin;
  d->function->begin = made->begin;
  d->function->end = made->end;
  return d;
}

// -- Paths -------------------------------------------------------------------

// NULL: the path is no expression.
static const Expr *parse_path(Program *program, const char *path) {
  Arena *arena = program->arena;
  DiagList quiet;
  TokenList list = {0};
  const uint32_t length = (uint32_t)strlen(path);
  const FStringMark begin = {.line = 1, .column = 1};
  Parser parser = {.arena = arena,
                   .diags = &quiet,
                   .source = source_create(arena, "<kernel>",
                                           arena_strdup(arena, path), length),
                   .list = &list,
                   .names = &program->names};
  diag_init_muted(&quiet, arena);
  return lex_fragment(arena, &quiet, parser.source, begin, length, &list)
             ? parser_expr(&parser, 0, (uint32_t)list.tokens.count - 1)
             : NULL;
}

// The kernel's name for assembly: letters, digits, '_' and '.' remain, and each
// other character is replaced or removed.
static const char *plain_name(Program *program, const char *path) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ_.";
  char *name = arena_strdup(program->arena, path);
  size_t length = 0;
  for (const char *at = path; *at; at++) {
    if (!strchr("]\"'", *at)) name[length++] = strchr(plain, *at) ? *at : '_';
  }
  name[length] = 0;
  return program_intern(program, name);
}

// Is the object a kernel of the module itself, under another name?
static bool is_alias(const Object *x) {
  return x && x->kind == OBJECT_FUNCTION && !x->as.function->is_constant &&
         !x->as.function->end;
}

// -- Kernels that loops of the module make -----------------------------------

// Does the loop at `token` begin a line of the module, and name the name?
static bool fills(const Scanner *s, uint32_t token, const char *name) {
  const uint32_t end = scan_after_block(s, token);
  if (scan_kind(s, token) != TOKEN_FOR || scan_loc(s, token).column != 1)
    return false;
  while (token < end && !scan_is_word(s, token, name)) token++;
  return token < end;
}

static bool run_loop(Walk *w, AstFile *file, uint32_t begin, uint32_t end) {
  DiagList quiet;
  diag_init_muted(&quiet, w->arena);
  Parser parser = {.arena = w->arena,
                   .diags = &quiet,
                   .source = &file->source,
                   .list = &file->list,
                   .names = &w->program->names};
  AstFunction loop = {.file = file, .is_constant = true};
  if (!parser_statements(&parser, begin, end, &loop)) return false;
  w->frame->function = &loop;
  return walk_block(w, &loop.body) == FLOW_NEXT;
}

// `TABLE = {}`, then `for ...: TABLE[i] = make(i)`: the value of `path` after
// the loops that name the first name of the path.
static const Object *after_loops(Program *program, const Definition *said,
                                 const Expr *path) {
  AstFile *file = said->file;
  const Scanner s = {.program = program, .file = file};
  const Specialization none = {.target = program->target};
  const uint32_t last = (uint32_t)file->list.tokens.count - 1;
  DiagList quiet;
  diag_init_muted(&quiet, program->arena);
  Walk w = walk_of(program, module_create(program->arena, &quiet), &none);
  WalkScratch scratch;
  walk_make_scratch(&w, file, &scratch);
  w.only_known = w.runs_host = true;
  w.run = ++w.num_runs;
  const Expr *value = said->global ? said->global->value : NULL;
  const Object *x = value ? walk_expr(&w, value) : NULL;
  if (!x) return NULL;
  scope_set(&scratch.frame.scope, program_intern(program, said->name), x);
  for (uint32_t i = said->end; i < last; i++)
    if (fills(&s, i, said->name) &&
        !run_loop(&w, file, i, scan_after_block(&s, i)))
      return NULL;
  return walk_expr(&w, path);
}

const AstFunction *made_kernel(Program *program, DiagList *diags,
                               const char *path) {
  AstFile *file = program->files.items[0];
  const char *root = arena_strndup(program->arena, path, strcspn(path, ".["));
  const Definition *said = file_find(file, root);
  if (!said) return NULL;
  const Expr *expr = parse_path(program, path);
  const Object *x = expr ? guard_evaluate(program, file, expr) : NULL;
  if (!x && expr) x = after_loops(program, said, expr);
  if (is_alias(x)) return x->as.function;
  Definition *d =
      made_definition(program, plain_name(program, path), said->loc, x);
  if (!d || !definition_parse(program, diags, d->file, d)) return NULL;
  return d->function;
}
