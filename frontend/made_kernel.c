// made_kernel.c -- kernels that functions of the file make.
#include "frontend/made_kernel.h"

#include "frontend/guard.h"
#include "frontend/object.h"

#include <stdlib.h>
#include <string.h>

Definition *made_definition(Program *program, const char *name, SrcLoc loc,
                            const Object *x) {
  if (!x || x->kind != OBJECT_FUNCTION) return NULL;
  const AstFunction *made = x->as.function;
  if (!made->around || made->is_constant) return NULL;
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
  return d;
}

// -- Paths -------------------------------------------------------------------

static Expr *node(Program *program, ExprKind kind, SrcLoc loc) {
  Expr *expr = arena_new(program->arena, Expr);
  expr->kind = kind;
  expr->loc = loc;
  return expr;
}

static const char *word(Program *program, const char **at) {
  const size_t length = strcspn(*at, ".[]\"'");
  const char *text = arena_strndup(program->arena, *at, length);
  *at += length;
  return program_intern(program, text);
}

// `3]`, `"add"]`; NULL: it is neither.
static const Expr *read_index(Program *program, SrcLoc loc, const char **at) {
  const char quote = **at;
  if (quote == '"' || quote == '\'') {
    const char *end = strchr(*at + 1, quote);
    if (!end || end[1] != ']') return NULL;
    Expr *text = node(program, EXPR_STRING, loc);
    text->string.length = (size_t)(end - *at - 1);
    text->string.text =
        arena_strndup(program->arena, *at + 1, text->string.length);
    *at = end + 2;
    return text;
  }
  char *end;
  const long value = strtol(*at, &end, 10);
  if (end == *at || *end != ']') return NULL;
  Expr *number = node(program, EXPR_INT, loc);
  number->integer = value;
  *at = end + 1;
  return number;
}

static const Expr *read_path(Program *program, SrcLoc loc, const char *at) {
  Expr *name = node(program, EXPR_NAME, loc);
  name->name = word(program, &at);
  const Expr *expr = *name->name ? name : NULL;
  while (expr && *at) {
    const char mark = *at++;
    Expr *part =
        node(program, mark == '.' ? EXPR_ATTRIBUTE : EXPR_SUBSCRIPT, loc);
    if (mark == '.') {
      part->attribute.object = (Expr *)expr;
      part->attribute.name = word(program, &at);
      part->attribute.name_loc = loc;
    } else {
      part->subscript.object = (Expr *)expr;
      part->subscript.index =
          mark == '[' ? (Expr *)read_index(program, loc, &at) : NULL;
      if (!part->subscript.index) return NULL;
    }
    expr = part;
  }
  return expr;
}

// Letters, digits, '_' and '.' alone, as code is called so.
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

const AstFunction *made_kernel(Program *program, DiagList *diags,
                               const char *path) {
  AstFile *file = program->files.items[0];
  const char *root = arena_strndup(program->arena, path, strcspn(path, ".["));
  const Definition *said = file_find(file, root);
  if (!said) return NULL;
  const Expr *expr = read_path(program, said->loc, path);
  const Object *x = expr ? guard_evaluate(program, file, expr) : NULL;
  Definition *d =
      made_definition(program, plain_name(program, path), said->loc, x);
  if (!d || !definition_parse(program, diags, d->file, d)) return NULL;
  return d->function;
}
