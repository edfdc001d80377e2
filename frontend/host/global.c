// global.c -- the values of a module's globals.
//
// A value is computed when it is first needed, as of the place of its line:
// names mean what the lines above have bound.  If it is unknown which of
// several definitions run, all must give the same value.
//
// Example: `N = 4`, then `if on_gpu(): N = 8`: the two values differ, so a
// kernel that reads `N` gets an error; with `N = 4` in both, its value is 4.
#include "frontend/errors.h"
#include "frontend/host/host.h"
#include "frontend/module/program.h"
#include "frontend/python/python.h"
#include "frontend/walk/evaluate.h"

#include <string.h>

// The language's function of the same name, if there is one; else an object of
// the host, whose attributes may be such functions.
static const Object *host_object(Walk *w, const Symbol *symbol, SrcLoc use) {
  const Object *function = host_function(w, symbol->global->name, use);
  if (function) return function;
  Symbol host = *symbol;
  host.kind = SYMBOL_HOST;
  host.implied = host_imported(w, symbol);
  return object_symbol(w->arena, &host);
}

static const Object *computed_by_host(Walk *w, const char *name, SrcLoc loc,
                                      SrcLoc use) {
  walk_error(w, use, ERROR_computed_by_host, name);
  diag_note(w->diags, loc, NOTE_global);
  return NULL;
}

// Reports that the name has several definitions with different values.
static const Object *decided_by_host(Walk *w, const Definition *d, SrcLoc use) {
  const SrcLoc condition = scan_condition(d);
  computed_by_host(w, d->name, d->loc, use);
  if (condition.line) diag_note(w->diags, condition, NOTE_condition);
  return NULL;
}

// The value of a global while it is being computed.
static const Object in_the_making;

// -- Evaluating --------------------------------------------------------------

static const Object *update(Walk *w, const AstGlobal *global, const Object *y) {
  const Expr name = {.kind = EXPR_NAME,
                     .loc = global->loc,
                     .name = program_intern(w->program, global->name)};
  const Object *x = y ? walk_expr(w, &name) : NULL;
  const ConstantContext context = constant_context(w, global->loc);
  if (!x) return NULL;
  if (object_is_constant(x) && object_is_constant(y))
    return constant_binary(&context, global->op, x, y);
  return walk_error(w, global->loc, ERROR_not_constant, global->name);
}

static const char *bare(Walk *w, const char *name) {
  const char *dot = strrchr(name, '.');
  return program_intern(w->program, dot ? dot + 1 : name);
}

static const Object *unpack(Walk *w, const AstGlobal *global, const Object *x) {
  if (!x || !walk_assign(w, global->target, x)) return NULL;
  return scope_get(&w->frame->scope, bare(w, global->name));
}

static const Object *items_of(Walk *w, const Object *x) {
  const Object *all = walk_iterable(w, x);
  return all ? object_tuple(w->arena, all->as.tuple.items, all->as.tuple.count)
             : NULL;
}

// A use of a global whose value is to be found.
typedef struct {
  const Symbol *symbol;
  SrcLoc use;
  const Object *passing; // a value that is not cached; or NULL
} GlobalUse;

static const void *source_step(Walk *w, void *context) {
  const Object *x = walk_gone_over(w, context);
  return x && object_passes(x) ? items_of(w, x) : x;
}

// The value from which the statement unpacks the global; it is evaluated once
// for all targets of the statement.
static const Object *source_value(Walk *w, const AstGlobal *global) {
  const Expr *source = global->source;
  return global->target ? walk_remember(w, &w->sources, source, source_step,
                                        (void *)source)
                        : walk_expr(w, source);
}

static const Object *make(Walk *w, const AstGlobal *global) {
  if (global->value) return walk_expr(w, global->value);
  const Object *x = source_value(w, global);
  return global->target ? unpack(w, global, x) : update(w, global, x);
}

// The value at `place` of `expr`; if `expr` is NULL, of the global.
static const Object *made_at(Walk *w, AstFile *file, AstPlace place,
                             const Expr *expr, const AstGlobal *global) {
  Frame frame = {.caller = w->frame,
                 .global = global,
                 .file = file,
                 .place = place,
                 .scope = scope_in(w->arena)};
  const Builder outer = w->b;
  const int run = w->run;
  w->run = 0;
  w->b.block = block_create(w->function, 0, NULL); // discarded
  w->frame = &frame;
  const Object *value = expr ? walk_expr(w, expr) : make(w, global);
  w->frame = frame.caller;
  w->run = run;
  w->b = outer;
  return value;
}

const Object *value_of_line(Walk *w, AstFile *file, AstPlace place,
                            const Expr *expr) {
  return made_at(w, file, place, expr, NULL);
}

// If the symbol has no expression (a file that was read meanwhile may assign
// the symbol), reports that only the host computes it.
static const Object *evaluate(Walk *w, const Symbol *symbol, SrcLoc use) {
  const AstGlobal *global = symbol->global;
  if (!global->value && !global->source)
    return computed_by_host(w, global->name, global->loc, use);
  Diag **mark = w->diags->last;
  const Object *value = made_at(w, symbol->file, global->place, NULL, global);
  if (!value) note_need(w, *mark, use, global->name);
  if (value && !object_is_constant(value))
    value = walk_error(w, use, ERROR_not_constant, global->name);
  return value;
}

static const void *evaluate_step(Walk *w, void *context) {
  const GlobalUse *of = context;
  map_put(&w->globals, w->arena, of->symbol->global, (void *)&in_the_making);
  const Object *x = evaluate(w, of->symbol, of->use);
  map_put(&w->globals, w->arena, of->symbol->global, NULL);
  return x;
}

// The value of the symbol, if it can be evaluated without an error; else NULL.
static const Object *computed(Walk *w, const Symbol *symbol, SrcLoc use) {
  GlobalUse of = {.symbol = symbol, .use = use};
  const Object *x = walk_quietly(w, evaluate_step, &of);
  return x && x->kind != OBJECT_SYMBOL ? x : NULL;
}

// -- Modules of Triton that host code imports --------------------------------

// Does the call name the module, as in `safe_import("triton.language")`?
static bool names_triton(const AstGlobal *global) {
  const Expr *from = global->value ? global->value : global->source;
  while (from && from->kind == EXPR_SUBSCRIPT) from = from->subscript.object;
  if (!from || from->kind != EXPR_CALL) return false;
  for (int i = 0; i < from->call.num_args; i++) {
    const Expr *value = from->call.args[i].value;
    if (value->kind == EXPR_STRING &&
        !strncmp(value->string.text, "triton", strlen("triton")))
      return true;
  }
  return false;
}

// The value of a global that is a call's result.  If that is unknown, and the
// name is usual for a module of Triton, such as `tl`, the result is that
// module, with a warning.
static const Object *value_or_module(Walk *w, const Symbol *symbol,
                                     SrcLoc use) {
  const AstGlobal *global = symbol->global;
  const bool said = global->value || global->source;
  const Object *value = said ? computed(w, symbol, use) : NULL;
  if (value) return value;
  Symbol module = {.kind = SYMBOL_BUILTIN, .name = symbol->implied};
  if (names_triton(global)) return object_symbol(w->arena, &module);
  module.global = global;
  if (!w->trial)
    diag_warning(w->diags, use, WARNING_host_module, global->name,
                 symbol->implied);
  return object_symbol(w->arena, &module);
}

// -- Cached values -----------------------------------------------------------

// Can `x` be changed in place?
static bool is_mutable(const Object *x) {
  return x->kind == OBJECT_TUPLE || x->kind == OBJECT_DICT ||
         x->kind == OBJECT_SET || x->kind == OBJECT_SYMBOL ||
         x->kind == OBJECT_NAMED;
}

// The key of the negative cache: a global that failed in this mode is not
// evaluated again until the outermost evaluation ends.  Without it, lines like
// `a, b = [f(x) for x in (a, b)]`, which evaluate both names each, would double
// the work per line.  A failure without messages counts only for muted
// diagnostics.
static const char *way_of(const Walk *w, bool loud) {
  static const char ways[4];
  return &ways[(w->only_known ? 1 : 0) + (loud ? 2 : 0)];
}

static bool fails_again(const Walk *w, const AstGlobal *global) {
  const char *way = map_get(&w->failed, global);
  return way && (way == way_of(w, true) ||
                 (w->diags->muted && way == way_of(w, false)));
}

static const Object *or_failed(Walk *w, const AstGlobal *global,
                               const Object *x) {
  if (!x)
    map_put(&w->failed, w->arena, global, (void *)way_of(w, !w->diags->muted));
  return x;
}

// A value that is not cached.  `*keep`: may it be?
static const Object *find_value(Walk *w, const Symbol *symbol, SrcLoc use,
                                bool *keep) {
  const AstGlobal *global = symbol->global;
  const Object *x = NULL;
  *keep = true;
  if (symbol->implied) x = value_or_module(w, symbol, use);
  if (!x) x = class_of_call(w, symbol->file, global->value);
  if (!x && host_computes(w, symbol)) {
    if (!fails_again(w, global))
      x = or_failed(w, global, computed(w, symbol, use));
    *keep = x != NULL;
    return x ? x : host_object(w, symbol, use);
  }
  if (x) return x;
  if (fails_again(w, global)) return NULL;
  map_put(&w->globals, w->arena, global, (void *)&in_the_making);
  return or_failed(w, global, evaluate(w, symbol, use));
}

// A module of the language, or a host call's result: their members are found by
// name.
static bool is_by_name(const Object *x) {
  return x->kind == OBJECT_SYMBOL &&
         (x->as.symbol->kind == SYMBOL_BUILTIN ||
          (x->as.symbol->kind == SYMBOL_HOST && x->as.symbol->global));
}

// The call that returns a module may also have patched it.
static const Object *as_patched(Walk *w, const AstGlobal *global,
                                const Object *x) {
  if (!x || !is_by_name(x)) return x;
  if (!global->is_patched && x->as.symbol->kind != SYMBOL_HOST) return x;
  Symbol symbol = *x->as.symbol;
  symbol.is_patched = true;
  return object_symbol(w->arena, &symbol);
}

static const void *find_step(Walk *w, void *context) {
  GlobalUse *of = context;
  bool keep;
  w->num_finding++;
  const Object *x = find_value(w, of->symbol, of->use, &keep);
  if (!--w->num_finding) w->failed = (Map){0};
  if (!keep) of->passing = x;
  return keep ? x : NULL;
}

static const Object *one_value(Walk *w, const Symbol *symbol, SrcLoc use) {
  const AstGlobal *global = symbol->global;
  if (!global->value && !global->source && !symbol->implied)
    return computed_by_host(w, global->name, global->loc, use);
  const Object *known = map_get(&w->globals, global);
  if (known == &in_the_making)
    return walk_error(w, use, ERROR_global_of_itself, global->name);
  if (!known) {
    GlobalUse of = {.symbol = symbol, .use = use};
    known = walk_remember(w, &w->globals, global, find_step, &of);
    if (of.passing && !global->is_changed)
      return as_patched(w, global, of.passing);
    if (of.passing) known = of.passing;
  }
  const bool set =
      known && (is_by_name(known) ? global->is_changed : global->is_patched);
  const bool changed =
      known && ((!symbol->implied &&
                 !w->world->is_told(w->program, symbol->file, global->name,
                                    walk_told_as(w, known))) ||
                walk_has_iterator(w, known) || (set && is_mutable(known)));
  return changed ? computed_by_host(w, global->name, global->loc, use)
                 : as_patched(w, global, known);
}

static bool is_certain(Walk *w, const Symbol *symbol, const Object *value,
                       SrcLoc use);

// The value of the name if its uncertain definition did not run; `passing` if
// the name has no other definition; NULL: the value is unknown, since the other
// definition is uncertain, too.
static const void *otherwise_step(Walk *w, void *context) {
  const GlobalUse *of = context;
  const Symbol other =
      program_otherwise(w->program, w->diags, of->symbol, of->use);
  if (other.kind == SYMBOL_ABSENT) return of->passing;
  const bool certain = !other.doubtful || other.kind == SYMBOL_GLOBAL;
  Symbol ran = other;
  if (!certain) ran.doubtful = NULL; // is asked below, once
  const Object *x = constant_of_symbol(w, &ran, of->use);
  return x && (certain || is_certain(w, &other, x, of->use)) ? x : NULL;
}

// Has the symbol's other definition an equal value?  An import may lead back
// to the symbol.
static bool is_certain(Walk *w, const Symbol *symbol, const Object *value,
                       SrcLoc use) {
  GlobalUse of = {symbol, use, value};
  const int level = walk_enter(w, use);
  if (!level) return false;
  const Object *x = walk_quietly(w, otherwise_step, &of);
  walk_leave(w, level);
  return x && object_equal(value, x);
}

// Is the object a function or class of the host?
static bool runs_on_host(const Object *x) {
  return (x->kind == OBJECT_SYMBOL && x->as.symbol->function) ||
         (x->kind == OBJECT_FUNCTION && x->as.function->is_constant);
}

// `x` is the meaning of `symbol` only if its uncertain definition ran.
static const Object *perhaps(Walk *w, const Symbol *symbol, const Object *x,
                             SrcLoc use) {
  const Definition *d = symbol->doubtful;
  if (w->only_known || object_is_number(x) || x->kind == OBJECT_DTYPE ||
      runs_on_host(x))
    return decided_by_host(w, d, use);
  if (w->trial) return x;
  definition_warn(w->diags, use, d);
  return x;
}

const Object *chosen_thing(Walk *w, const Symbol *symbol, const Object *x,
                           SrcLoc use) {
  return is_certain(w, symbol, x, use) ? x : perhaps(w, symbol, x, use);
}

const Object *global_value(Walk *w, const Symbol *symbol, SrcLoc use) {
  const Object *value = one_value(w, symbol, use);
  const Definition *d = symbol->doubtful;
  if (value && d && value->kind == OBJECT_SYMBOL && symbol->implied)
    return chosen_thing(w, symbol, value, use);
  if (!value || !d || is_certain(w, symbol, value, use)) return value;
  // A module of the language: its functions have their names in all releases.
  if (value->kind == OBJECT_SYMBOL && value->as.symbol->kind == SYMBOL_BUILTIN)
    return perhaps(w, symbol, value, use);
  return decided_by_host(w, d, use);
}
