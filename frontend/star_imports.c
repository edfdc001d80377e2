// star_imports.c -- what `from module import *` defines.
#include "frontend/star_imports.h"

#include "frontend/builtins.h"
#include "frontend/find_file.h"
#include "ir/base/names.h"

#include <string.h>

// Where `__all__` is changed later, every name may be in it.
static bool exports(const AstFile *file, const char *name) {
  const Definition *all = file_find(file, "__all__");
  if (!all || all->kind != DEFINES_GLOBAL) return *name != '_';
  const size_t length = strlen(name);
  for (uint32_t i = all->begin; i < all->end; i++) {
    const Token *token = &file->list.tokens.items[i];
    const char *text = file->source.text + token->begin + 1;
    if (token->end - token->begin == length + 2 && !strncmp(text, name, length))
      return true;
  }
  return all->global->is_changed;
}

static AstFile *file_of(Program *program, DiagList *diags, AstFile *file,
                        const Import *import) {
  if (import->level)
    return file_in_folder(program, diags,
                          folder_of_relative(program, file, import->level),
                          import->module);
  return file_absolute(program, diags, file, import->module);
}

static bool file_brings(Program *program, AstFile *from, const char *name,
                        SrcLoc use, Symbol *out) {
  DiagList quiet;
  diag_init_muted(&quiet, program->arena);
  *out = program_lookup(program, &quiet, from, name, use);
  return out->kind != SYMBOL_ABSENT;
}

// All of Python's module `math`.
static bool is_of_math(const char *name) {
  static const char *const names[] = {
      "acos",  "acosh",   "asin",    "asinh",    "atan",      "atan2",
      "atanh", "cbrt",    "ceil",    "comb",     "copysign",  "cos",
      "cosh",  "degrees", "dist",    "e",        "erf",       "erfc",
      "exp",   "exp2",    "expm1",   "fabs",     "factorial", "floor",
      "fma",   "fmod",    "frexp",   "fsum",     "gamma",     "gcd",
      "hypot", "inf",     "isclose", "isfinite", "isinf",     "isnan",
      "isqrt", "lcm",     "ldexp",   "lgamma",   "log",       "log10",
      "log1p", "log2",    "modf",    "nan",      "nextafter", "perm",
      "pi",    "pow",     "prod",    "radians",  "remainder", "sin",
      "sinh",  "sqrt",    "sumprod", "tan",      "tanh",      "tau",
      "trunc", "ulp"};
  return names_have(names, sizeof names / sizeof *names, name);
}

// Is the module the language or a part of it?
static bool is_language(const char *module) {
  return !strncmp(module, "triton", 6) && (!module[6] || module[6] == '.');
}

static bool language_brings(Program *program, const char *module,
                            const char *name) {
  const char *dotted = arena_printf(program->arena, "%s.%s", module, name);
  const bool whole = !strcmp(module, "triton.language");
  return whole ? language_has(name) : builtin_find(dotted) != NULL;
}

// As `from module import name` would.
static Definition *define(Program *program, AstFile *file, StarImport *star,
                          Definition *above, const char *name,
                          DefinitionKind kind) {
  Definition *d = map_get_text(&star->brought, name, strlen(name));
  if (d && d->before == above) return d;
  d = arena_new(program->arena, Definition);
  map_put_text(&star->brought, program->arena, name, strlen(name), d);
  d->kind = kind;
  d->file = file;
  d->name = name;
  d->loc = star->loc;
  d->before = above;
  d->order = star->order;
  d->uncertain = star->uncertain;
  d->import = star->import;
  d->import.member = name;
  return d;
}

static Definition *define_unknown(Program *program, AstFile *file,
                                  StarImport *star, Definition *above) {
  Definition *d =
      define(program, file, star, above, above->name, DEFINES_GLOBAL);
  if (d->parsed) return d;
  d->parsed = true;
  d->global = arena_new(program->arena, AstGlobal);
  d->global->name = above->name;
  d->global->loc = star->loc;
  d->global->op = OPERATOR_COUNT;
  return d;
}

Definition *star_definition(Program *program, DiagList *diags, AstFile *file,
                            StarImport *star, Definition *above,
                            const char *name, Symbol *meant) {
  const Import *import = &star->import;
  const bool ours = !import->level && is_language(import->module);
  AstFile *from = ours ? NULL : file_of(program, diags, file, import);
  bool brings = false;
  if (from == file || (from && !from->ok)) return NULL;
  if (from)
    brings = (!above || exports(from, name)) &&
             file_brings(program, from, name, star->loc, meant);
  else if (ours)
    brings = above && language_brings(program, import->module, name);
  else if (!strcmp(import->module, "math"))
    brings = is_of_math(name);
  else if (above && above->kind == DEFINES_GLOBAL && *name != '_')
    return define_unknown(program, file, star, above);
  return brings ? define(program, file, star, above, name, DEFINES_IMPORT)
                : NULL;
}
