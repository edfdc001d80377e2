// defines.c -- values that -D gives to a module's names.
#include "frontend/kernel/defines.h"

#include "frontend/errors.h"
#include "frontend/module/program.h"
#include "frontend/walk/evaluate.h"

#include <assert.h>
#include <string.h>

bool frontend_define(Program *program, DiagList *diags, const char *name,
                     const char *value, bool is_for_all) {
  assert(program_is_idle(program) && "a lookup was left");
  Arena *arena = program->arena;
  Define *define = arena_new(arena, Define);
  define->is_for_all = is_for_all;
  define->name = arena_strdup(arena, name);
  const char *where = arena_printf(arena, "<-D %s>", name);
  if (!frontend_parse_value(arena, diags, where, arena_strdup(arena, value),
                            &define->value))
    return false;
  map_put_text(&program->defines, arena, define->name, strlen(name), define);
  vec_push(arena, &program->defined, define);
  return true;
}

void frontend_spare(Program *program, const char *name) {
  Define *define = map_get_text(&program->defines, name, strlen(name));
  if (define) define->is_spare = true;
}

static bool assume(Program *program, const FrontendDefine *from,
                   ArgSpec *value) {
  DiagList quiet;
  diag_init_muted(&quiet, program->arena);
  return frontend_parse_value(program->arena, &quiet, "", from->value, value) &&
         value->kind != ARG_RUNTIME && value->kind != ARG_DESCRIPTOR;
}

void defines_assume(Program *program, const FrontendOptions *options) {
  Arena *arena = program->arena;
  const int count = options->num_defines;
  FrontendDefine *given = arena_array(arena, FrontendDefine, count + 1);
  program->given = given;
  program->num_given = count;
  for (int i = 0; i < count; i++) {
    const FrontendDefine *from = &options->defines[i];
    given[i].name = arena_strdup(arena, from->name);
    given[i].value = arena_strdup(arena, from->value);
    Define *define = arena_new(arena, Define);
    define->name = given[i].name;
    if (assume(program, &given[i], &define->value))
      map_put_text(&program->assumed, arena, define->name, strlen(define->name),
                   define);
  }
}

// -- Values ------------------------------------------------------------------

static const Object *tuple_of(Walk *w, AstFile *file, const char *name,
                              SrcLoc use, const ArgSpec *spec) {
  const Object **items =
      arena_array(w->arena, const Object *, spec->num_items + 1);
  for (int i = 0; i < spec->num_items; i++) {
    items[i] = object_of_spec(w, file, name, use, &spec->items[i]);
    if (!items[i]) return NULL;
  }
  return named_tuple(w, use, spec->names, items, spec->num_items);
}

enum { MAX_PARTS = 32 }; // of `a.b.c`

// The value of `name` for `text` "module.name", as if the file imported it.
static const Object *imported(Walk *w, AstFile *file, const char *text,
                              SrcLoc use) {
  const char *dot = strrchr(text, '.');
  const Import import = {
      .module = arena_strndup(w->arena, text, (size_t)(dot - text)),
      .member = dot + 1};
  const Symbol symbol =
      program_import(w->program, w->diags, file, &import, use);
  if (symbol.kind == SYMBOL_ERROR) return NULL;
  const Object *x = constant_of_symbol(w, &symbol, use);
  const bool unknown = x && x->kind == OBJECT_SYMBOL;
  if (unknown && symbol.kind == SYMBOL_EXTERNAL)
    return walk_error(w, use, ERROR_calls_no_file, text);
  return x;
}

static Expr *dotted_expr(Walk *w, const char *text, SrcLoc loc) {
  const char *dot = strrchr(text, '.');
  Expr *expr = arena_new(w->arena, Expr);
  *expr = (Expr){.kind = dot ? EXPR_ATTRIBUTE : EXPR_NAME, .loc = loc};
  const char *name = program_intern(w->program, dot ? dot + 1 : text);
  if (!dot) {
    expr->name = name;
    return expr;
  }
  const char *owner = arena_strndup(w->arena, text, (size_t)(dot - text));
  expr->attribute.object = dotted_expr(w, owner, loc);
  expr->attribute.name = name;
  expr->attribute.name_loc = loc;
  return expr;
}

// Is the text one name, or names with dots between them?
static bool is_path(const char *text) {
  for (int parts = 0; parts < MAX_PARTS; parts++) {
    const size_t length = strcspn(text, ".");
    if (!length || !text[length]) return length > 0;
    text += length + 1;
  }
  return false;
}

// Does the file bind the first name of the path?
static bool begins_here(Walk *w, AstFile *file, AstPlace place,
                        const Expr *expr) {
  DiagList quiet;
  diag_init_muted(&quiet, w->arena);
  while (expr->kind == EXPR_ATTRIBUTE) expr = expr->attribute.object;
  const Symbol symbol =
      program_lookup_at(w->program, &quiet, file, place, expr->name, expr->loc);
  return symbol.kind != SYMBOL_ABSENT ||
         (place.locals && scope_get(place.locals, expr->name));
}

const Object *object_by_name(Walk *w, AstFile *file, AstPlace place,
                             const char *text, SrcLoc use) {
  if (!is_path(text)) return walk_error(w, use, ERROR_unknown_name, text);
  const Expr *expr = dotted_expr(w, text, use);
  if (expr->kind == EXPR_NAME || begins_here(w, file, place, expr))
    return walk_expr_at(w, file, place, expr);
  return imported(w, file, text, use);
}

static const Object *named_in(Walk *w, AstFile *file, const char *name,
                              SrcLoc use) {
  const int level = walk_enter(w, use);
  if (!level) return NULL;
  const Object *x = object_by_name(w, file, (AstPlace){0}, name, use);
  walk_leave(w, level);
  return x;
}

const Object *object_of_spec(Walk *w, AstFile *file, const char *name,
                             SrcLoc use, const ArgSpec *spec) {
  Dtype dtype;
  switch (spec->kind) {
  case ARG_BOOL: return object_bool(spec->i != 0);
  case ARG_INT: return object_int(w->arena, spec->i);
  case ARG_FLOAT: return object_float(w->arena, spec->f);
  case ARG_STRING:
    return object_string(w->arena, spec->text, strlen(spec->text));
  case ARG_DTYPE:
    if (dtype_parse(spec->text, &dtype)) return object_dtype(w->arena, dtype);
    return walk_error(w, use, ERROR_argument_not_a_type, name);
  case ARG_FUNCTION: return named_in(w, file, spec->text, use);
  case ARG_TUPLE: return tuple_of(w, file, name, use, spec);
  default: return &object_none;
  }
}

// -- Names -------------------------------------------------------------------

static const Map *given(const Walk *w) {
  return w->is_condition ? &w->program->assumed : &w->program->defines;
}

static Define *find(const Walk *w, const char *name) {
  return name ? map_get_text(given(w), name, strlen(name)) : NULL;
}

typedef struct {
  const Symbol *symbol;
  SrcLoc use;
} SymbolUse;

static const void *evaluate(Walk *w, void *context) {
  const SymbolUse *of = context;
  return constant_of_symbol(w, of->symbol, of->use);
}

// The symbol's value without -D; NULL: unknown.
static const Object *known_value(Walk *w, const Symbol *symbol, SrcLoc use) {
  SymbolUse of = {symbol, use};
  if (symbol->kind == SYMBOL_ABSENT) return NULL;
  const Object *x = walk_quietly(w, evaluate, &of);
  return x && object_find_of_host(x) ? NULL : x;
}

// Is the symbol a parameter of a function that is not run, which the function
// assigns again?  The new value depends on the argument.
static bool is_bound_again(const Symbol *symbol) {
  if (symbol->kind != SYMBOL_GLOBAL || !symbol->global->place.within)
    return false;
  const Definition *d = file_find(symbol->file, symbol->name);
  while (d && d->before) d = d->before;
  return d && d->kind == DEFINES_GLOBAL && d->begin == d->end &&
         d->global != symbol->global;
}

static bool same_thing(const Symbol *a, const Symbol *b) {
  return !strcmp(a->name, b->name) &&
         (a->kind == SYMBOL_EXTERNAL ||
          (a->kind == b->kind && a->file == b->file));
}

static void note_thing(Define *define, const Symbol *symbol) {
  if (!symbol->name || !symbol->loc.line) return;
  const bool first = !define->of[0].name;
  if (!first && same_thing(&define->of[0], symbol)) return;
  define->of[!first] = *symbol;
}

static const Object *value_of(Walk *w, Define *define, const Symbol *symbol,
                              SrcLoc use, bool *failed) {
  const Object *known = known_value(w, symbol, use);
  const Object *x = NULL;
  if (known && (w->is_condition || is_bound_again(symbol))) return NULL;
  define->used = true;
  if (known) {
    walk_error(w, use, ERROR_define_known, define->name, text_of(w, known));
    if (symbol->loc.line)
      diag_note(w->diags, symbol->loc, NOTE_defined, define->name);
  } else {
    note_thing(define, symbol);
    x = object_of_spec(w, w->program->files.items[0], define->name, use,
                       &define->value);
  }
  *failed = !x;
  return x;
}

// The qualified name, if the name is local to the function or class in which it
// is used.
static const char *whole_name(const Walk *w, const char *name) {
  const Definition *d =
      file_find_visible(w->arena, w->frame->file, w->frame->place, name);
  return d ? d->name : name;
}

const Object *defined_name(Walk *w, const char *name, const Symbol *symbol,
                           SrcLoc use, bool *failed) {
  *failed = false;
  if (!given(w)->count) return NULL;
  const bool ours = w->frame->file == w->program->library;
  Define *define = ours ? NULL : find(w, whole_name(w, name));
  if (!define &&
      (symbol->kind == SYMBOL_GLOBAL || symbol->kind == SYMBOL_EXTERNAL))
    define = find(w, symbol->name);
  return define ? value_of(w, define, symbol, use, failed) : NULL;
}

const Object *defined_member(Walk *w, const Symbol *x, const char *name,
                             const Symbol *member, SrcLoc use, bool *failed) {
  *failed = false;
  if (!given(w)->count || !x->name) return NULL;
  Define *define = find(w, arena_printf(w->arena, "%s.%s", x->name, name));
  const bool named =
      member->kind == SYMBOL_GLOBAL || member->kind == SYMBOL_EXTERNAL;
  if (!define && named) define = find(w, member->name);
  if (define && member->kind == SYMBOL_ABSENT) note_thing(define, x);
  return define ? value_of(w, define, member, use, failed) : NULL;
}

// -- Definitions without an effect -------------------------------------------

static bool is_somewhere(const Program *program, const char *name) {
  const char *root = arena_strndup(program->arena, name, strcspn(name, "."));
  for (size_t i = 0; i < program->files.count; i++) {
    if (file_find(program->files.items[i], name) ||
        file_find(program->files.items[i], root))
      return true;
  }
  return false;
}

static const char *nearest(const Walk *w, const AstFunction *kernel,
                           const char *name) {
  const int count = kernel->num_params;
  const char **names = arena_array(w->arena, const char *, count + 1);
  for (int i = 0; i < count; i++) names[i] = kernel->params[i].name;
  const char *near = diag_nearest(name, names, (size_t)count);
  return near ? near : file_nearest(kernel->file, name);
}

// Has a condition of a module used the name?
static bool decides(const Program *program, const char *name) {
  const Define *assumed = map_get_text(&program->assumed, name, strlen(name));
  return assumed && assumed->used;
}

// Reports a definition whose value was read for two different objects.
static void check_two(Walk *w, const AstFunction *kernel,
                      const Define *define) {
  if (!define || !define->of[1].name) return;
  diag_warning(w->diags, kernel->loc, WARNING_define_of_two, define->name);
  for (int i = 0; i < 2; i++)
    diag_note(w->diags, define->of[i].loc, NOTE_defined, define->name);
}

static bool check(Walk *w, const AstFunction *kernel, const Define *define) {
  const char *name = define->name;
  check_two(w, kernel, define);
  check_two(w, kernel, map_get_text(&w->program->assumed, name, strlen(name)));
  if (define->used || define->is_spare || decides(w->program, name))
    return true;
  if (is_somewhere(w->program, name)) {
    if (define->is_for_all) return true;
    diag_warning(w->diags, kernel->loc, WARNING_define_not_read, name,
                 kernel->name);
    return true;
  }
  const char *near = nearest(w, kernel, name);
  if (!near)
    return diag_misuse(w->diags, kernel->loc, ERROR_define_unknown, name,
                       kernel->name);
  return diag_misuse(w->diags, kernel->loc, ERROR_define_unknown_near, name,
                     kernel->name, near);
}

bool defines_check(Walk *w, const AstFunction *kernel) {
  bool ok = true;
  for (size_t i = 0; i < w->program->defined.count; i++)
    ok = check(w, kernel, w->program->defined.items[i]) && ok;
  return ok;
}
