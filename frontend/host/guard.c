// guard.c -- the truth of a module's conditions, if it is known before a run.
//
// Libraries that support several releases test the release number, or
// hasattr(); those that run without Triton test whether its import has
// succeeded.  Conditions are evaluated like constants.  If they depend on the
// host (torch.cuda.is_available(), os.environ), their truth is unknown.
#include "frontend/host/guard.h"

#include "frontend/core/builtins.h"
#include "frontend/value/value.h"
#include "frontend/walk/evaluate.h"
#include "ir/base/base.h"

#include <string.h>

// The value of `expr`, or NULL.
static const Object *evaluate(Program *program, AstFile *file, AstPlace place,
                              const Expr *expr) {
  DiagList quiet;
  diag_init_muted(&quiet, program->arena);
  const Specialization none = {.target = program->target};
  const int aside = program->aside;
  program->aside = 0;
  Walk w = walk_of(program, module_create(program->arena, &quiet), &none);
  WalkScratch scratch;
  w.only_known = true;
  w.is_condition = true;
  walk_make_scratch(&w, file, &scratch);
  scratch.frame.place = place;
  const Object *x = walk_expr(&w, expr);
  program->aside = aside;
  return x && object_is_constant(x) && walk_knows(&w, expr->loc, x) ? x : NULL;
}

static Truth opposite(Truth truth) {
  return truth == TRUTH_UNKNOWN ? truth
         : truth == TRUTH_YES   ? TRUTH_NO
                                : TRUTH_YES;
}

static Truth truth_of(Program *program, AstFile *file, AstPlace place,
                      const Expr *expr);

// In `a and b`, one known item may decide.
static Truth truth_of_items(Program *program, AstFile *file, AstPlace place,
                            const Expr *expr) {
  const Truth deciding = expr->kind == EXPR_OR ? TRUTH_YES : TRUTH_NO;
  Truth all = opposite(deciding);
  for (int i = 0; i < expr->items.count; i++) {
    const Truth truth = truth_of(program, file, place, expr->items.items[i]);
    if (truth == deciding) return truth;
    if (truth == TRUTH_UNKNOWN) all = truth;
  }
  return all;
}

static Truth truth_of(Program *program, AstFile *file, AstPlace place,
                      const Expr *expr) {
  if (expr->kind == EXPR_AND || expr->kind == EXPR_OR)
    return truth_of_items(program, file, place, expr);
  if (expr->kind == EXPR_UNARY && expr->unary.op == UNARY_NOT)
    return opposite(truth_of(program, file, place, expr->unary.operand));
  const Object *x = evaluate(program, file, place, expr);
  if (!x) return TRUTH_UNKNOWN;
  return constant_truth(x) ? TRUTH_YES : TRUTH_NO;
}

Truth guard_truth(Program *program, AstFile *file, AstPlace place,
                  uint32_t begin, uint32_t end) {
  const Expr *expr = program_parse_quietly(program, file, begin, end);
  return expr ? truth_of(program, file, place, expr) : TRUTH_UNKNOWN;
}

const Object *guard_value(Program *program, AstFile *file, AstPlace place,
                          uint32_t begin, uint32_t end) {
  const Expr *expr = program_parse_quietly(program, file, begin, end);
  return expr ? evaluate(program, file, place, expr) : NULL;
}

const Object *guard_evaluate(Program *program, AstFile *file,
                             const Expr *expr) {
  const AstPlace end = {.order = file->num_definitions + 1};
  return evaluate(program, file, end, expr);
}

bool guard_knows(Program *program, AstFile *file, AstPlace place,
                 uint32_t begin, uint32_t end) {
  return guard_value(program, file, place, begin, end) != NULL;
}

// -- Imports -----------------------------------------------------------------

// Does the dotted name refer to a module of Python's library, or of a package
// that Triton requires?
static bool is_installed(const char *dotted) {
  return words_have_span(WORDS_MODULES_INSTALLED, dotted, strcspn(dotted, "."));
}

// Did earlier releases of Triton have the module?
static bool is_of_the_past(const char *dotted) {
  static const char triton[] = "triton.";
  const size_t length = sizeof triton - 1;
  if (strncmp(dotted, triton, length)) return false;
  const char *module = dotted + length;
  return words_have_span(WORDS_MODULES_OF_THE_PAST, module,
                         strcspn(module, "."));
}

// Is the dotted name `math.NAME`, for a NAME that Python's `math` lacks?
static bool lacks_math(const char *dotted) {
  static const char math[] = "math.";
  const char *name = dotted + sizeof math - 1;
  return !strncmp(dotted, math, sizeof math - 1) && !host_has_math(name);
}

bool guard_has_module(Program *program, AstFile *file, const char *dotted) {
  if (is_of_the_past(dotted)) return false;
  DiagList quiet;
  diag_init_muted(&quiet, program->arena);
  const Symbol symbol =
      program_module(program, &quiet, file, dotted, (SrcLoc){0});
  return symbol.kind == SYMBOL_EXTERNAL ? is_installed(dotted)
                                        : symbol.kind != SYMBOL_ERROR;
}

bool guard_import_works(Program *program, AstFile *file, const Definition *d) {
  static const char language[] = "triton.language.";
  DiagList quiet;
  diag_init_muted(&quiet, program->arena);
  if (file_find(file, d->name) != d) return true; // defined again
  const Symbol symbol = program_lookup(program, &quiet, file, d->name, d->loc);
  switch (symbol.kind) {
  case SYMBOL_ABSENT:
  case SYMBOL_ERROR: return false;
  case SYMBOL_EXTERNAL:
    return (is_installed(symbol.name) && !lacks_math(symbol.name)) ||
           (symbol.file && file_makes_names(symbol.file));
  case SYMBOL_BUILTIN:
    if (is_of_the_past(symbol.name)) return false;
    break;
  default: return true;
  }
  if (strncmp(symbol.name, language, sizeof language - 1)) return true;
  const Expr name = {.kind = EXPR_NAME, .loc = d->loc, .name = d->name};
  return guard_evaluate(program, file, &name) != NULL;
}

bool guard_imports_value(Program *program, AstFile *file, const Definition *d) {
  DiagList quiet;
  diag_init_muted(&quiet, program->arena);
  const AstPlace place = {.order = d->order + 1};
  return program_lookup_at(program, &quiet, file, place, d->name, d->loc)
             .kind == SYMBOL_GLOBAL;
}
