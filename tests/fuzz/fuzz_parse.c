// fuzz_parse.c -- any bytes as a source file.
//
// Parsing of any bytes ends with a program or with messages.  An expression
// printed as source text must parse as the same tree.
#include "frontend/frontend.h"
#include "frontend/module/imports.h"
#include "frontend/syntax/ast_print.h"
#include "tests/fuzz/limited.h"
#include "tests/fuzz/places.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
  Arena *arena;
  const char *text;
  size_t length;
} Job;

static void check(bool ok, const char *what, const char *text) {
  if (ok) return;
  fprintf(stderr, "%s:\n%s\n", what, text);
  abort();
}

static Program *parse(Arena *arena, DiagList *diags, const char *text,
                      size_t length) {
  const Source *source = source_create(arena, "fuzz.py", text, length);
  diag_init(diags, arena);
  Program *program = frontend_parse(arena, diags, source, NULL);
  check((program == NULL) == diag_failed(diags), "failure without a message",
        text);
  return program;
}

static const char *tree_of(Arena *arena, const Expr *expr) {
  Str out = str_in(arena);
  ast_print_expr(expr, &out);
  return str_text(&out);
}

// Infinity has no source text, and that of f-strings is cut short.
static bool has_source(const char *tree) {
  return !strstr(tree, "inf") && !strstr(tree, "(fstring");
}

static void check_expr(Arena *arena, const Expr *expr) {
  enum { LIMIT = 1 << 20 };
  DiagList diags;
  const char *tree = tree_of(arena, expr);
  if (!has_source(tree)) return;
  Str text = str_in(arena);
  str_add(&text, "@jit\ndef f(): return ");
  ast_unparse(expr, LIMIT, &text);
  const Program *again = parse(arena, &diags, str_text(&text), text.length);
  check(again != NULL, "unparsed text does not parse", str_text(&text));
  const AstFunction *f = frontend_function(again, 0);
  check(!strcmp(tree, tree_of(arena, f->body.items[0]->result)),
        "unparsed text has another tree", str_text(&text));
}

static void check_function(Arena *arena, const AstFunction *function) {
  for (int i = 0; i < function->body.count; i++) {
    const Stmt *stmt = function->body.items[i];
    if (stmt->kind == STMT_EXPR) check_expr(arena, stmt->expr);
    if (stmt->kind == STMT_ASSIGN) check_expr(arena, stmt->assign.value);
  }
}

static void look_up(Program *program, DiagList *diags) {
  static const char *const names[] = {"x", "y", "f", "tl", "m", "C", "exp"};
  const SrcLoc use = {"fuzz.py", 1, 1, 0};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const Symbol symbol = program_lookup(
        program, diags, program_main_file(program), names[i], use);
    program_member(program, diags, symbol, "f", use);
  }
}

static void run(void *data) {
  const Job *job = data;
  DiagList diags;
  Program *program = parse(job->arena, &diags, job->text, job->length);
  Str out = str_in(job->arena);
  if (program) {
    frontend_print_ast(program, &out);
    for (int i = 0; i < frontend_num_functions(program); i++) {
      check_function(job->arena, frontend_function(program, i));
    }
    look_up(program, &diags);
  }
  diag_render_all(&diags, true, &out);
  const char *wrong = wrong_place(&diags);
  check(!wrong, wrong, job->text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Arena arena;
  Limited limited;
  limited_init(&limited, size);
  arena_init(&arena, &limited.allocator);
  Job job = {&arena, arena_strndup(&arena, (const char *)data, size), size};
  check(arena_protect(&arena, run, &job), "out of memory", job.text);
  arena_free(&arena);
  return 0;
}
