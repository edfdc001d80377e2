// define.c -- the definition that a statement makes, and, if a name has
// several, the one that counts.
//
// A substitute for a module that could not be imported (`except ImportError: tl
// = None`) counts only if the import itself does not define the name.
#include "frontend/scan/parts.h"

#include "frontend/host/guard.h"
#include "frontend/module/module.h"
#include "ir/base/base.h"

#include <assert.h>
#include <string.h>

AstPlace scan_place(const Scanner *s) {
  return (AstPlace){.prefix = s->scope.prefix,
                    .within = s->within,
                    .order = s->file->num_definitions + 1};
}

// `name = a.b.c`
static bool is_alias(const Scanner *s, uint32_t token) {
  uint32_t i = token + 2;
  while (scan_kind(s, i) == TOKEN_NAME && scan_kind(s, i + 1) == TOKEN_DOT)
    i += 2;
  return scan_kind(s, i) == TOKEN_NAME && scan_kind(s, i + 1) == TOKEN_NEWLINE;
}

// `found, tl = safe_import("triton.language")`
static bool finds_module(const Definition *d) {
  static const char module[] = "triton";
  if (d->kind != DEFINES_GLOBAL || !name_is_implied(d->name)) return false;
  const Token *tokens = d->file->list.tokens.items;
  for (uint32_t i = d->begin; i < d->end; i++) {
    const char *text = d->file->source.text + tokens[i].begin;
    if (tokens[i].kind == TOKEN_STRING &&
        !strncmp(text + 1, module, sizeof module - 1))
      return true;
  }
  return false;
}

static bool is_usable(const Definition *d) {
  return finds_module(d) || d->kind == DEFINES_IMPORT ||
         d->kind == DEFINES_FUNCTION || d->kind == DEFINES_CLASS;
}

// Imported values are like those that the file assigns.
static bool is_needed(const Scanner *s, const Definition *before) {
  return is_usable(before) &&
         (before->kind != DEFINES_IMPORT ||
          !guard_imports_value(s->program, s->file, before));
}

// `tl = Placeholder()` below an `else` replaces a module that could not be
// imported, as everything below an `except` does.
static bool stands_in(const Scanner *s, const Definition *d,
                      const Definition *before, uint32_t token) {
  const bool either = d->kind == DEFINES_FUNCTION || d->kind == DEFINES_IMPORT;
  if (either && before->kind == d->kind && before->unreached) return false;
  if (d->in_handler && !before->in_handler)
    return is_needed(s, before) || s->scope.tried_well;
  return s->scope.in_branch && is_needed(s, before) && !is_usable(d) &&
         !is_alias(s, token);
}

// In a handler, names that could not be imported are not there.
static Definition *defined_before(const Scanner *s, const char *name) {
  Definition *d = map_get_text(&s->file->definitions, name, strlen(name));
  while (d && s->scope.in_handler && d->kind == DEFINES_IMPORT &&
         !guard_import_works(s->program, s->file, d))
    d = d->before;
  return d;
}

Definition *scan_make(const Scanner *s, DefinitionKind kind, const char *name,
                      uint32_t token) {
  Arena *arena = s->program->arena;
  Definition *d = arena_new(arena, Definition);
  d->kind = kind;
  d->file = s->file;
  d->name = name;
  d->loc = scan_loc(s, token);
  if (kind != DEFINES_GLOBAL) return d;
  d->global = global_unknown(arena, name, d->loc);
  return d;
}

// Has a star import brought the name, where all of a `try` is known to work?
static bool is_brought(const Scanner *s, const char *name, uint32_t token) {
  if (!s->scope.in_handler || !s->scope.tried_well ||
      !s->file->star_imports.count)
    return false;
  DiagList quiet;
  diag_init_muted(&quiet, s->program->arena);
  const Symbol symbol =
      program_lookup(s->program, &quiet, s->file, name, scan_loc(s, token));
  return symbol.kind != SYMBOL_ABSENT && symbol.file && symbol.file != s->file;
}

// The definition `d` is in a handler that the run of the modules perhaps
// reached. If the definition in the `try` did not run, the name refers to `d`.
static void define_otherwise(const Scanner *s, Definition *d) {
  Definition *tried = d->before;
  if (s->reach != REACHED_MAYBE || !s->scope.in_handler ||
      s->scope.tried_well || tried->unreached)
    return;
  d->before = tried->before;
  tried->before = d;
  tried->uncertain = true;
}

Definition *scan_define(Scanner *s, DefinitionKind kind, const char *name,
                        uint32_t token) {
  Arena *arena = s->program->arena;
  Definition *d = scan_make(s, kind, name, token);
  d->order = ++s->file->num_definitions;
  d->in_handler = s->scope.in_handler;
  d->uncertain = scan_is_uncertain(s);
  d->unreached = s->scope.has_stopped;
  d->before = defined_before(s, name);
  assert(!d->before || d->before->order < d->order); // I2
  if (!d->before && is_brought(s, name, token)) return d;
  if (d->before && stands_in(s, d, d->before, token)) {
    define_otherwise(s, d);
    return d;
  }
  map_put_text(&s->file->definitions, arena, name, strlen(name), d);
  vec_push(arena, &s->file->names, name);
  return d;
}
