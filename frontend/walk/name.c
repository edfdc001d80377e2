// name.c -- names, and their values.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/module/program.h"
#include "frontend/python/python.h"
#include "frontend/walk/enum_member.h"
#include "frontend/walk/evaluate.h"
#include "frontend/walk/unknown_name.h"
#include "ir/base/base.h"

#include <string.h>

static const char *const modules[] = {
#define NAME(name) name,
#include "frontend/core/module_names.def"
};
enum { NUM_MODULES = (int)(sizeof modules / sizeof *modules) };

static bool is_module(const char *name) {
  return names_have(modules, NUM_MODULES, name);
}

static const Object *function_of(Walk *w, const Builtin *info,
                                 const char *name) {
  Object *x = arena_new(w->arena, Object);
  *x = *object_builtin(w->arena, info, NULL);
  x->as.builtin.is_libdevice = strstr(name, "libdevice.") != NULL;
  return x;
}

static const char *without_package(const char *name) {
  static const char *const packages[] = {"triton.language.", "triton."};
  for (int i = 0; i < 2; i++) {
    const size_t n = strlen(packages[i]);
    if (!strncmp(name, packages[i], n)) return name + n;
  }
  return name;
}

// `triton.runtime.jit.JITFunction` is `triton.JITFunction`.
static const Builtin *host_thing(Walk *w, const char *dotted) {
  static const char *const inner[] = {"triton.runtime.jit.", "triton.runtime."};
  const Builtin *found = w->language->find_host(dotted);
  for (int i = 0; i < 2 && !found; i++) {
    const size_t n = strlen(inner[i]);
    if (!strncmp(dotted, inner[i], n))
      found = w->language->find_host(
          arena_printf(w->arena, "triton.%s", dotted + n));
  }
  return found;
}

// The value of `tl.NAME` that is a number; NULL if it is none.
static const Object *language_number(Walk *w, const char *name) {
  static const struct {
    const char *name;
    int64_t value;
  } numbers[] = {{"TRITON_MAX_TENSOR_NUMEL", MAX_TILE_ELEMENTS},
                 {"CONSTEXPR_0", 0},
                 {"N_ROUNDS_DEFAULT", 10}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (!strcmp(numbers[i].name, name))
      return object_int(w->arena, numbers[i].value);
  return NULL;
}

// A dtype, constant or function by its dotted name, or NULL.
static const Object *builtin_thing(Walk *w, const char *dotted) {
  const char *name = without_package(dotted);
  const DtypeId dtype = dtype_find_attribute(name);
  if (dtype != DTYPE_COUNT) return object_dtype(w->arena, dtype_of(dtype));
  if (!strcmp(name, "pi32_t"))
    return object_dtype(w->arena, dtype_pointer_to(DTYPE_INT32));
  if (!strcmp(name, "__version__")) return language_version(w);
  const Object *number = language_number(w, name);
  if (number) return number;
  const Builtin *info = w->language->find(dotted);
  if (!info) info = w->language->find(name);
  if (!info) info = host_thing(w, dotted);
  return info ? function_of(w, info, name) : NULL;
}

// The same, looked up once: a kernel uses the same few names again and again.
static const Object *known_thing(Walk *w, const char *dotted) {
  const size_t length = strlen(dotted);
  const Object *known = map_get_text(&w->things, dotted, length);
  if (known) return known;
  known = builtin_thing(w, dotted);
  if (known) map_put_text(&w->things, w->arena, dotted, length, (void *)known);
  return known;
}

// The objects below triton: modules and their members.
static const Object *builtin_symbol(Walk *w, const Symbol *symbol, SrcLoc loc) {
  const char *name = without_package(symbol->name);
  const bool twice = !strcmp(symbol->name, "triton.language.language");
  const bool module = !twice && is_module(name);
  const Object *thing = module ? NULL : known_thing(w, symbol->name);
  if (thing) return thing;
  if (!module && strcmp(symbol->name, "triton.Config") != 0 &&
      !symbol_is_benchmark(symbol))
    return unknown_builtin(w, symbol, name, modules, NUM_MODULES, loc);
  return object_symbol(w->arena, symbol);
}

static const Object *global_value(Walk *w, const Symbol *symbol, SrcLoc loc) {
  const int level = walk_enter(w, loc);
  if (!level) return NULL;
  const Object *value = w->world->value(w, symbol, loc);
  walk_leave(w, level);
  return value;
}

static const Object *thing_of_symbol(Walk *w, const Symbol *symbol,
                                     SrcLoc loc) {
  switch (symbol->kind) {
  case SYMBOL_FUNCTION: return object_function(w->arena, symbol->function);
  case SYMBOL_GLOBAL: return global_value(w, symbol, loc);
  case SYMBOL_CLASS: return object_class(w->arena, symbol->class);
  case SYMBOL_BUILTIN: return builtin_symbol(w, symbol, loc);
  case SYMBOL_EXTERNAL:
    if (host_math(w, symbol->name)) return host_math(w, symbol->name);
    if (host_fact(w, symbol->name)) return host_fact(w, symbol->name);
    // fall through
  case SYMBOL_MODULE:
  case SYMBOL_HOST: return object_symbol(w->arena, symbol);
  default: return NULL;
  }
}

const Object *constant_of_symbol(Walk *w, const Symbol *symbol, SrcLoc loc) {
  const Object *x = thing_of_symbol(w, symbol, loc);
  const bool certain = !symbol->doubtful || symbol->kind == SYMBOL_GLOBAL;
  return !x || certain ? x : w->world->choice(w, symbol, x, loc);
}

static Symbol find_name(Walk *w, AstPlace place, const Expr *expr) {
  return program_lookup_at(w->program, w->diags, w->frame->file, place,
                           expr->name, expr->loc);
}

// Is the code a kernel, or a function that a kernel calls?  These see their
// module's names as they are at the launch.
static bool is_launched(const Walk *w) {
  for (const Frame *f = w->frame; f; f = f->caller)
    if (!f->function || f->global || f->place.order || f->place.within ||
        f->place.locals)
      return false;
  return true;
}

// The diagnostics and error count before a lookup, to be restored.
typedef struct {
  DiagList diags;
  int failures;
} Attempt;

static Attempt attempt_begin(const Walk *w) {
  return (Attempt){*w->diags, w->failures};
}

static void attempt_retract(Walk *w, const Attempt *attempt) {
  diag_retract(w->diags, &attempt->diags);
  w->failures = attempt->failures;
}

// Reports a name that text or code of another file may bind, too.  A global of
// the same file is never reported here: the evaluation of its value reports it.
static bool is_untold(Walk *w, const Symbol *symbol, const Expr *expr) {
  AstFile *file = w->frame->file;
  const bool global = symbol->kind == SYMBOL_GLOBAL;
  if (symbol->kind == SYMBOL_ABSENT || symbol->kind == SYMBOL_ERROR ||
      symbol->implied || (global && symbol->file == file) ||
      w->world->is_told(w->program, file, expr->name,
                        global ? TOLD_VALUE : TOLD_CODE))
    return false;
  walk_error(w, expr->loc, ERROR_computed_by_host, expr->name);
  diag_note(w->diags, global ? symbol->global->loc : symbol->loc, NOTE_global);
  return true;
}

// The value of the name by the lines of its module; `*out` is its meaning.
static const Object *found(Walk *w, const Expr *expr, const char *member,
                           Symbol *out) {
  const AstPlace place = w->frame->place;
  const Symbol symbol = *out = find_name(w, place, expr);
  bool failed;
  const Object *given =
      w->world->defined_name(w, expr->name, &symbol, expr->loc, &failed);
  if (given || failed) return given;
  if (is_untold(w, &symbol, expr)) return NULL;
  if (symbol.kind != SYMBOL_ABSENT)
    return enum_named(w, &symbol, constant_of_symbol(w, &symbol, expr->loc));
  const Object *bare = bare_name(w, expr->name);
  if (bare) return bare;
  // In Python, a name that only a later line binds does not exist yet.  Its
  // value is used here if it is unambiguous.
  const AstPlace end = {.within = place.within};
  const Symbol below = place.order ? find_name(w, end, expr) : symbol;
  return below.kind == SYMBOL_ABSENT ? unknown_name(w, expr, member)
                                     : constant_of_symbol(w, &below, expr->loc);
}

// May a run of the modules give the name another value than its line does?  Not
// after `NAME = 64`; but a list may be changed.
static bool is_computed(const Symbol *symbol, const Object *x) {
  if (!object_is_constant(x)) return false;
  const bool may_change = x->kind == OBJECT_TUPLE || x->kind == OBJECT_DICT ||
                          x->kind == OBJECT_SET;
  if (symbol->kind != SYMBOL_GLOBAL || symbol->implied) return false;
  const Expr *value = symbol->global->value;
  return may_change || !value || !expr_is_literal(value);
}

// The value of the name by a run of the modules, or, if that does not know it,
// by the lines of its module.
static const Object *value_of(Walk *w, const Expr *expr, const char *member) {
  const Object *local = scope_get(&w->frame->scope, expr->name);
  if (local && local->kind == OBJECT_GONE)
    return name_is_gone(w, expr->loc, expr->name, local);
  if (local) return local->kind == OBJECT_POISON ? NULL : local;
  const Attempt attempt = attempt_begin(w);
  Symbol symbol;
  const Object *x = found(w, expr, member, &symbol);
  if (w->stopped || !is_launched(w)) return x;
  const bool known = x && !object_is_of_host(x);
  if (known && !is_computed(&symbol, x)) return x;
  const Object *run =
      w->world->run(w->program, w->frame->file, expr->name, NULL);
  if (!run || (known && object_equal(run, x))) return x;
  attempt_retract(w, &attempt);
  return run;
}

const Object *walk_name(Walk *w, const Expr *expr) {
  return value_of(w, expr, NULL);
}

// The value of `module.NAME` by a run of the modules; NULL: unknown.
static const Object *run_member(Walk *w, const Expr *expr, const Object *x) {
  const Expr *object = expr->attribute.object;
  if (object->kind != EXPR_NAME || x->kind != OBJECT_SYMBOL ||
      x->as.symbol->kind != SYMBOL_MODULE || w->stopped || !is_launched(w) ||
      scope_get(&w->frame->scope, object->name))
    return NULL;
  return w->world->run(w->program, w->frame->file, object->name,
                       expr->attribute.name);
}

const Object *walk_attribute(Walk *w, const Expr *expr) {
  const Expr *object = expr->attribute.object;
  const Object *x = object->kind == EXPR_NAME
                        ? value_of(w, object, expr->attribute.name)
                        : walk_expr(w, object);
  if (!x) return NULL;
  w->b.loc = expr->loc;
  if (!strcmp(expr->attribute.name, "value") && value_is_bare(w, object, x))
    return no_attribute(w, expr, x, NULL);
  const Attempt attempt = attempt_begin(w);
  const Object *found = attribute_of(w, expr, x);
  const Object *run = found ? NULL : run_member(w, expr, x);
  if (run) attempt_retract(w, &attempt);
  return run ? run : found;
}
