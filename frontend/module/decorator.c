// decorator.c -- the meaning of a decorator.
//
// Most files write `@triton.jit`, which is recognized by its tokens.  Other
// names are looked up: aliases of imports and of values, `partial(jit)`, `jit
// if USE else plain`, and functions that return the result of jit().
//
// For example, after `quick = partial(triton.jit, noinline=True)` and `def
// make(): return triton.jit()`, functions under `@quick` and `@make()` are
// kernels.  One under `@plain`, with `def plain(f): return f`, is not.
#include "frontend/module/decorator.h"

#include <string.h>

enum { MAX_ALIASES = 16 };

typedef struct {
  Program *program;
  DiagList quiet;
  int depth;
} Lookup;

static bool is_known(const char *word) {
  return words_have(WORDS_DECORATORS, word);
}

bool decorator_compiles(const char *name) {
  return !strcmp(name, "jit") || !strcmp(name, "kernel");
}

bool decorator_runs_while_compiling(const char *name) {
  return words_have(WORDS_DECORATORS_AT_COMPILE_TIME, name);
}

bool decorator_tunes(const char *name) {
  return !strcmp(name, "autotune") || !strcmp(name, "heuristics");
}

// A function `jit` of another package, whose kernels are not Triton's.
static bool is_foreign(const char *dotted) {
  return words_have_span(WORDS_JIT_OF_OTHERS, dotted, strcspn(dotted, "."));
}

// The name, if the decorator of another library compiles kernels.
static const char *external_name(const char *dotted) {
  const char *name = name_last_part(dotted);
  if (!strcmp(name, "kernel")) return "";
  return !strcmp(name, "jit") && is_foreign(dotted) ? "" : name;
}

// -- The meaning of a decorator's expression ---------------------------------

static const Decorator nothing;

static Decorator meaning(Lookup *l, AstFile *file, AstPlace place,
                         const Expr *expr);

static bool is_meant(const Decorator *d) {
  return d->name && is_known(d->name);
}

static bool tunes(const Decorator *d) {
  return d->name && decorator_tunes(d->name);
}

static Decorator *kept(Lookup *l, Decorator d) {
  Decorator *copy = arena_new(l->program->arena, Decorator);
  *copy = d;
  return copy;
}

static Symbol symbol_of(Lookup *l, AstFile *file, AstPlace place,
                        const Expr *expr) {
  const Symbol absent = {.kind = SYMBOL_ABSENT};
  if (expr->kind == EXPR_NAME)
    return symbol_unless_value(program_lookup_at(l->program, &l->quiet, file,
                                                 place, expr->name, expr->loc));
  if (expr->kind != EXPR_ATTRIBUTE) return absent;
  const Symbol object = symbol_of(l, file, place, expr->attribute.object);
  if (object.kind == SYMBOL_ABSENT || object.kind == SYMBOL_ERROR)
    return absent;
  return program_member(l->program, &l->quiet, object, expr->attribute.name,
                        expr->loc);
}

// The decorator that the body of a function applies: `def ours(function):
// return triton.jit(function)`, also in an inner function or in one of several
// branches.  Only the host knows which branch runs.
static Decorator meaning_of_body(Lookup *l, const AstFunction *f,
                                 const StmtList *body);

static Decorator meaning_of_nested(Lookup *l, const AstFunction *f,
                                   const Stmt *stmt) {
  const AstFunction *inner =
      strcmp(stmt->unsupported.keyword, "def")
          ? NULL
          : program_nested_function(l->program, f->file, stmt);
  if (!inner || l->depth >= MAX_ALIASES) return nothing;
  l->depth++;
  const Decorator found = meaning_of_body(l, inner, &inner->body);
  l->depth--;
  return found;
}

static Decorator meaning_of_result(Lookup *l, const AstFunction *f,
                                   const StmtList *body, const Expr *result);

// The decorator that `name` means at the end of the function's body: bound
// there, or else in the module.
static Decorator meaning_of_local(Lookup *l, const AstFunction *f,
                                  const StmtList *body, const Expr *name) {
  for (int i = body->count; i-- > 0;) {
    const Stmt *stmt = body->items[i];
    if (stmt->kind == STMT_UNSUPPORTED && stmt->unsupported.name &&
        !strcmp(stmt->unsupported.name, name->name))
      return meaning_of_nested(l, f, stmt);
    if (stmt->kind != STMT_ASSIGN) continue;
    const Expr *target = stmt->assign.targets.items[0];
    if (target->kind != EXPR_NAME || strcmp(target->name, name->name)) continue;
    if (l->depth >= MAX_ALIASES) return nothing;
    l->depth++;
    const Decorator found = meaning_of_result(l, f, &(StmtList){body->items, i},
                                              stmt->assign.value);
    l->depth--;
    return found;
  }
  for (int i = 0; i < f->num_params; i++) {
    if (!strcmp(f->params[i].name, name->name)) return nothing;
  }
  return meaning(l, f->file, (AstPlace){0}, name);
}

static Decorator meaning_of_result(Lookup *l, const AstFunction *f,
                                   const StmtList *body, const Expr *result) {
  if (result->kind == EXPR_LAMBDA) result = result->lambda.body;
  if (result->kind == EXPR_NAME) return meaning_of_local(l, f, body, result);
  Decorator found = meaning(l, f->file, (AstPlace){0}, result);
  // `function = jit(function)`, then `return autotune(...)(function)`
  const bool may = result->kind == EXPR_CALL && !found.inner && tunes(&found) &&
                   result->call.num_args == 1 &&
                   result->call.args[0].value->kind == EXPR_NAME;
  const Decorator inner =
      may ? meaning_of_local(l, f, body, result->call.args[0].value) : nothing;
  if (is_meant(&inner)) found.inner = kept(l, inner);
  return found;
}

static Decorator meaning_of_body(Lookup *l, const AstFunction *f,
                                 const StmtList *body) {
  Decorator found = nothing;
  for (int i = body->count; i-- > 0 && !is_meant(&found);) {
    const Stmt *stmt = body->items[i];
    if (stmt->kind == STMT_RETURN && stmt->result)
      found = meaning_of_result(l, f, body, stmt->result);
    if (stmt->kind != STMT_IF) continue;
    found = meaning_of_body(l, f, &stmt->if_.otherwise);
    for (int k = stmt->if_.num_branches; k-- > 0 && !is_meant(&found);)
      found = meaning_of_body(l, f, &stmt->if_.branches[k].body);
  }
  return found;
}

static Decorator meaning_of_function(Lookup *l, const Symbol *host) {
  const AstFunction *f = program_host_function(l->program, host);
  Decorator found = f ? meaning_of_body(l, f, &f->body) : nothing;
  for (Decorator *in = &found; in; in = in->inner) {
    if (!tunes(in)) continue;
    in->made = in->maker ? NULL : in->expr;
    in->maker = symbol_definition(host);
  }
  return found;
}

static Decorator meaning_of_known(Lookup *l, const Symbol *symbol) {
  switch (symbol->kind) {
  case SYMBOL_BUILTIN: return (Decorator){.name = name_last_part(symbol->name)};
  case SYMBOL_EXTERNAL: return (Decorator){.name = external_name(symbol->name)};
  case SYMBOL_GLOBAL:
    return symbol->global->value
               ? meaning(l, symbol->file, symbol->global->place,
                         symbol->global->value)
               : nothing;
  case SYMBOL_HOST: return meaning_of_function(l, symbol);
  default: return nothing;
  }
}

static Decorator meaning_of_symbol(Lookup *l, const Symbol *symbol) {
  Decorator d = meaning_of_known(l, symbol);
  d.unknown |= symbol->doubtful && tunes(&d);
  return d;
}

static bool is_partial(Lookup *l, AstFile *file, AstPlace place,
                       const Expr *callee) {
  const Symbol symbol = symbol_of(l, file, place, callee);
  return symbol.kind == SYMBOL_EXTERNAL &&
         !strcmp(symbol.name, "functools.partial");
}

// `autotune(...)(jit(function))`
static Decorator *meaning_of_decorated(Lookup *l, AstFile *file, AstPlace place,
                                       const Expr *call) {
  const bool is_one =
      call->call.callee->kind == EXPR_CALL && call->call.num_args == 1;
  const Decorator found =
      is_one ? meaning(l, file, place, call->call.args[0].value) : nothing;
  return is_meant(&found) ? kept(l, found) : NULL;
}

// The options are those of the outer call, unless it has no arguments.
static Decorator meaning_of_call(Lookup *l, AstFile *file, AstPlace place,
                                 const Expr *call) {
  const Expr *callee = call->call.callee;
  const bool partial =
      call->call.num_args > 0 && is_partial(l, file, place, callee);
  Decorator d =
      meaning(l, file, place, partial ? call->call.args[0].value : callee);
  d.unknown |= d.is_partial && call->call.num_args && tunes(&d);
  d.is_partial |= partial;
  if (d.name && (!d.expr || d.maker || call->call.num_args))
    d.expr = (Expr *)call;
  for (Decorator *in = d.inner; in; in = in->inner) {
    if (in->maker) in->expr = (Expr *)call; // one call gives the options of all
  }
  if (d.name && decorator_tunes(d.name) && !d.inner)
    d.inner = meaning_of_decorated(l, file, place, call);
  return d;
}

static Decorator meaning_of_choice(Lookup *l, AstFile *file, AstPlace place,
                                   const Expr *expr) {
  Decorator d = meaning(l, file, place, expr->conditional.then);
  if (!is_meant(&d)) d = meaning(l, file, place, expr->conditional.otherwise);
  d.unknown |= tunes(&d);
  return d;
}

// The decorator that a lambda returns.  Its configurations, if it tunes, are
// not known.
static Decorator meaning_of_lambda(Lookup *l, AstFile *file, AstPlace place,
                                   const Expr *expr) {
  Decorator d = meaning(l, file, place, expr->lambda.body);
  for (Decorator *in = &d; in; in = in->inner) in->unknown |= tunes(in);
  return d;
}

static Decorator meaning_by_kind(Lookup *l, AstFile *file, AstPlace place,
                                 const Expr *expr) {
  const Symbol symbol = symbol_of(l, file, place, expr);
  switch (expr->kind) {
  case EXPR_CALL: return meaning_of_call(l, file, place, expr);
  case EXPR_IF: return meaning_of_choice(l, file, place, expr);
  case EXPR_LAMBDA: return meaning_of_lambda(l, file, place, expr);
  default: return meaning_of_symbol(l, &symbol);
  }
}

static Decorator meaning(Lookup *l, AstFile *file, AstPlace place,
                         const Expr *expr) {
  if (l->depth >= MAX_ALIASES) return nothing;
  l->depth++;
  const Decorator found = meaning_by_kind(l, file, place, expr);
  l->depth--;
  return found;
}

// -- Decorators as they are written ------------------------------------------

static const char *text_of(Program *program, const AstFile *file,
                           const Token *token) {
  const char *text = file->source.text + token->begin;
  return arena_strndup(program->arena, text, token->end - token->begin);
}

static const char *written_name(Program *program, const AstFile *file,
                                uint32_t begin) {
  const Token *token = &file->list.tokens.items[begin];
  while (token[0].kind == TOKEN_NAME && token[1].kind == TOKEN_DOT) token += 2;
  if (token->kind != TOKEN_NAME) return "";
  return program_intern(program, text_of(program, file, token));
}

// The name as written; NULL if it has to be looked up.
static const char *plain_name(Program *program, const AstFile *file,
                              uint32_t begin) {
  const char *name = written_name(program, file, begin);
  const Token *root = &file->list.tokens.items[begin];
  const bool dotted = root[1].kind == TOKEN_DOT;
  if (!is_known(name)) return NULL;
  if (dotted && !strcmp(name, "kernel")) return "";
  const Definition *d = file_find(file, text_of(program, file, root));
  if (!d || token_is(&file->source, root, "triton")) return name;
  if (d->kind != DEFINES_IMPORT) return NULL;
  const Import *import = &d->import;
  if (!dotted && import->member && strcmp(import->member, name)) return NULL;
  return decorator_compiles(name) && is_foreign(import->module) ? "" : name;
}

static Decorator parsed(Program *program, AstFile *file, AstPlace place,
                        uint32_t begin, uint32_t end) {
  const Token *first = &file->list.tokens.items[begin];
  return (Decorator){.loc = token_loc(&file->source, first),
                     .name = written_name(program, file, begin),
                     .expr = program_parse_quietly(program, file, begin, end),
                     .file = file,
                     .place = place};
}

static Decorator looked_up(Program *program, AstFile *file, AstPlace place,
                           uint32_t begin, uint32_t end) {
  Lookup lookup = {.program = program};
  diag_init_muted(&lookup.quiet, program->arena);
  Decorator d = parsed(program, file, place, begin, end);
  if (!d.expr) return d;
  const Decorator meant = meaning(&lookup, file, place, d.expr);
  if (meant.name) d.name = meant.name;
  if (meant.expr) d.expr = meant.expr;
  d.maker = meant.maker;
  d.made = meant.made;
  d.is_partial = meant.is_partial;
  d.unknown = meant.unknown;
  d.inner = meant.inner;
  for (Decorator *in = d.inner; in; in = in->inner) {
    in->loc = d.loc;
    in->file = file;
    in->place = place;
  }
  return d;
}

static const char *name_of_innermost(Decorator d) {
  while (d.inner) d = *d.inner;
  return d.name;
}

const char *decorator_name(Program *program, AstFile *file, AstPlace place,
                           uint32_t begin, uint32_t end) {
  const char *plain = plain_name(program, file, begin);
  if (plain) return plain;
  return name_of_innermost(looked_up(program, file, place, begin, end));
}

Decorator decorator_parse(Program *program, AstFile *file, AstPlace place,
                          uint32_t begin, uint32_t end) {
  if (plain_name(program, file, begin))
    return parsed(program, file, place, begin, end);
  Decorator d = looked_up(program, file, place, begin, end);
  const char *hidden =
      is_meant(&d) ? NULL : decorator_hidden(program, file, place, begin, end);
  if (hidden) d.name = hidden;
  d.unknown |= hidden != NULL;
  return d;
}
