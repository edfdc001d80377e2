// star_imports.c -- names that `from module import *` defines.
//
// For example, `scale = 1` stands above `from other import *`.  If other.py
// assigns 2 to scale and 3 to _hidden, scale is 2, and _hidden is not known.
// If it also has `__all__ = ["_hidden"]`, scale is 1, and _hidden is 3.
// Without such a file, the value of scale is unknown.
#include "frontend/module/star_imports.h"

#include "frontend/host/guard.h"
#include "frontend/module/module.h"
#include "frontend/module/set_members.h"
#include "frontend/value/value.h"
#include "ir/base/base.h"

#include <string.h>

static bool is_named(const Object *x, const char *name) {
  return x->kind == OBJECT_STRING && x->as.string.length == strlen(name) &&
         !memcmp(x->as.string.text, name, x->as.string.length);
}

static Truth holds(const Object *all, const char *name) {
  const bool set = all && all->kind == OBJECT_SET;
  if (!set && (!all || all->kind != OBJECT_TUPLE)) return TRUTH_UNKNOWN;
  const Object *const *items = set ? all->as.set.items : all->as.tuple.items;
  const int count = set ? all->as.set.count : all->as.tuple.count;
  for (int i = 0; i < count; i++) {
    if (is_named(items[i], name)) return TRUTH_YES;
  }
  return TRUTH_NO;
}

// The final value of `__all__`; NULL: only the host knows it, or it is being
// evaluated.
static const Object *find_all(Program *program, AstFile *file) {
  const Expr all = {.kind = EXPR_NAME,
                    .loc = {file->source.name, 1, 1, 1},
                    .name = program_intern(program, "__all__")};
  const size_t now = 1 + file->num_definitions + file->touched.count +
                     file->rebound.count + file->is_scanned;
  if (file->exports.known_with == now &&
      (program->aside || !file->exports.known_aside))
    return file->exports.all;
  file->exports.all = NULL;
  file->exports.known_with = now;
  file->exports.known_aside = program->aside > 0;
  const Object *x = program->world->run(program, file, all.name, NULL);
  file->exports.all = x ? x : guard_evaluate(program, file, &all);
  return file->exports.all;
}

static bool has_all(const AstFile *file) {
  static const char all[] = "__all__";
  return file_find(file, all) ||
         map_get_text(&file->rebound, all, sizeof all - 1);
}

static Truth exports(Program *program, AstFile *file, const char *name) {
  if (has_all(file)) return holds(find_all(program, file), name);
  return *name != '_' ? TRUTH_YES : TRUTH_NO;
}

static AstFile *file_of(Program *program, const AstFile *file,
                        const Import *import) {
  if (import->level)
    return file_in_folder(program,
                          folder_of_relative(program, file, import->level),
                          import->module);
  return file_absolute(program, file, import->module);
}

static bool file_brings(Program *program, AstFile *file, AstFile *from,
                        const char *name, SrcLoc use, Symbol *out) {
  DiagList quiet;
  diag_init_muted(&quiet, program->arena);
  Symbol meant = program_lookup(program, &quiet, from, name, use);
  if (name_is_bound_elsewhere(program, from, name, meant.kind))
    meant = symbol_of_set(program, from, name, meant.loc);
  *out = symbol_seen_from(program, file, meant);
  return out->kind != SYMBOL_ABSENT;
}

// `__all__` of a package may also name one of its modules, which is imported.
static bool module_brings(Program *program, AstFile *from, const char *name,
                          SrcLoc use, Symbol *out) {
  DiagList quiet;
  diag_init_muted(&quiet, program->arena);
  const Symbol package = {.kind = SYMBOL_MODULE, .file = from};
  *out = program_member(program, &quiet, package, name, use);
  return out->kind != SYMBOL_ABSENT;
}

// Does its `__all__` contain a name that it lacks?
static bool lacks_one(Program *program, AstFile *from) {
  const Object *all = find_all(program, from);
  for (int i = 0; all && all->kind == OBJECT_TUPLE && i < all->as.tuple.count;
       i++) {
    const Object *x = all->as.tuple.items[i];
    const char *name = x->kind == OBJECT_STRING
                           ? program_intern(program, x->as.string.text)
                           : "";
    Symbol meant;
    if (!file_brings(program, from, from, name, (SrcLoc){0}, &meant) &&
        !(from->is_package && locate_in_folder(program, from->folder, name)))
      return true;
  }
  return false;
}

bool star_fails(Program *program, AstFile *file, const Import *import) {
  if (!import->level && !guard_has_module(program, file, import->module))
    return true;
  AstFile *from = file_of(program, file, import);
  if (!from) return import->level > 0;
  return from != file && from->ok && lacks_one(program, from);
}

// Is the name in the language's `__all__`?
static bool language_exports(const Program *program, const char *name) {
  if (words_have(WORDS_LANGUAGE_MODULES, name)) return true;
  return *name != '_' && program->language->has(name) &&
         !words_have(WORDS_LANGUAGE_NOT_STARRED, name);
}

static bool cuda_brings(Program *program, const char *module,
                        const char *name) {
  static const char cuda[] = "triton.language.extra.cuda";
  return !strncmp(module, cuda, sizeof cuda - 1) &&
         triton_module_has(module, name) &&
         program->language->find(
             arena_printf(program->arena, "extra.cuda.%s", name));
}

// Does the bare name mean a builtin of Python?
static bool is_pythons(const Program *program, const char *name) {
  const Builtin *bare = program->language->find_bare(name);
  return bare && bare->space == SPACE_PYTHON;
}

// Does the language's module bind `name`, in a way that matters: by hiding
// another meaning, or as its only name?  The name `load` is known without the
// import.
static bool language_brings(Program *program, const char *module,
                            const char *name, const Definition *above) {
  if (!above && !is_pythons(program, name))
    return cuda_brings(program, module, name);
  const char *dotted = arena_printf(program->arena, "%s.%s", module, name);
  const bool whole = !strcmp(module, "triton.language");
  return whole ? language_exports(program, name)
               : program->language->find(dotted) ||
                     cuda_brings(program, module, name);
}

static bool same_thing(const Symbol *a, const Symbol *b) {
  if (a->kind != b->kind) return false;
  if (a->kind == SYMBOL_FUNCTION) return a->function == b->function;
  const bool module = a->kind == SYMBOL_BUILTIN || a->kind == SYMBOL_EXTERNAL ||
                      a->kind == SYMBOL_MODULE;
  return module && !strcmp(a->name, b->name);
}

// The meaning that a name had above a star import, in one search: with `n`
// uncertain imports of it, each would look it up in those above it again.
typedef struct {
  size_t asked; // `num_asked` of the search
  Symbol symbol;
} HiddenMeaning;

static Symbol meaning_above(Program *program, AstFile *file, StarImport *star,
                            const char *name) {
  const size_t length = strlen(name), circles = program->num_circles;
  const HiddenMeaning *known = map_get_text(&star->hidden, name, length);
  if (known && known->asked == program->num_asked) return known->symbol;
  DiagList quiet;
  diag_init_muted(&quiet, program->arena);
  const AstPlace place = {.order = star->order};
  const Symbol symbol =
      program_lookup_at(program, &quiet, file, place, name, star->loc);
  // In a circle of imports the answer is that of this search alone.
  if (circles != program->num_circles) return symbol;
  HiddenMeaning *hidden = arena_new(program->arena, HiddenMeaning);
  *hidden = (HiddenMeaning){program->num_asked, symbol};
  map_put_text(&star->hidden, program->arena, name, length, hidden);
  return symbol;
}

// Does `from`, a file that was found, export `name`?  `*out` becomes its
// meaning.
static Truth file_exports(Program *program, AstFile *file, StarImport *star,
                          AstFile *from, const Definition *above,
                          const char *name, Symbol *out) {
  const Truth exported = exports(program, from, name);
  if (exported == TRUTH_NO) return TRUTH_NO;
  if (!file_brings(program, file, from, name, star->loc, out))
    return exported == TRUTH_YES && from->is_package && has_all(from) &&
                   module_brings(program, from, name, star->loc, out)
               ? TRUTH_YES
               : TRUTH_NO;
  if (exported == TRUTH_YES || !above) return TRUTH_YES;
  const Symbol before = meaning_above(program, file, star, name);
  return same_thing(&before, out) ? TRUTH_NO : TRUTH_UNKNOWN;
}

// A module that is not found may bind values, but no kernels.
static bool may_be_brought(const Definition *above) {
  return above && *above->name != '_' &&
         (above->kind == DEFINES_GLOBAL || above->kind == DEFINES_HOST ||
          above->kind == DEFINES_CLASS);
}

// Defines the name as `from module import name` would.
static Definition *define(Program *program, AstFile *file, StarImport *star,
                          Definition *above, const char *name,
                          DefinitionKind kind) {
  Definition *d = map_get_text(&star->brought, name, strlen(name));
  if (d && d->before == above && d->kind == kind) return d;
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
  d->global = global_unknown(program->arena, above->name, star->loc);
  return d;
}

static Definition *definition_of(Program *program, DiagList *diags,
                                 AstFile *file, StarImport *star,
                                 Definition *above, const char *name,
                                 Symbol *meant) {
  const Import *import = &star->import;
  const bool ours = !import->level && is_language(import->module);
  const bool is_math = !import->level && !strcmp(import->module, "math");
  AstFile *from = ours ? NULL : file_of(program, file, import);
  Truth brings = TRUTH_NO;
  if (from == file || (from && !file_is_sound(program, diags, from, star->loc)))
    return NULL;
  if (from)
    brings = file_exports(program, file, star, from, above, name, meant);
  else if (ours ? language_brings(program, import->module, name, above)
                : is_math && host_has_math(name))
    brings = TRUTH_YES;
  else if (!ours && !is_math && may_be_brought(above))
    brings = TRUTH_UNKNOWN;
  if (brings != TRUTH_UNKNOWN)
    return brings == TRUTH_YES
               ? define(program, file, star, above, name, DEFINES_IMPORT)
               : NULL;
  *meant = (Symbol){.kind = SYMBOL_ABSENT};
  return define_unknown(program, file, star, above);
}

// Files may import all names of each other: the lookup that meets the same star
// import and name again finds nothing there.
static bool is_being_asked(Program *program, const AstFile *file,
                           const StarImport *star, const char *name) {
  const StarQuestion *q = program->asked;
  while (q && (q->file != file || q->order != star->order ||
               strcmp(q->name, name) != 0))
    q = q->before;
  program->num_circles += q != NULL;
  return q != NULL;
}

static Definition *ask(Program *program, DiagList *diags, AstFile *file,
                       size_t index, Definition *above, bool hides_stars,
                       const char *name, Symbol *meant);

// The definition that the star import hides: `above` is the last definition
// that is not by a star import.  Each star import is asked once, from above, as
// an uncertain one needs the definition that it hides itself.
static Definition *hidden_by(Program *program, DiagList *diags, AstFile *file,
                             size_t index, Definition *above,
                             const char *name) {
  Definition *last = above;
  for (size_t i = 0; i < index; i++) {
    const StarImport *star = &file->star_imports.items[i];
    if (above && above->order > star->order) continue;
    Symbol meant = {.kind = SYMBOL_ABSENT};
    Definition *d = ask(program, diags, file, i, star->uncertain ? last : above,
                        false, name, &meant);
    if (d) last = d;
  }
  return last;
}

// `hides_stars`: the import may hide those of star imports between them, too.
static Definition *ask(Program *program, DiagList *diags, AstFile *file,
                       size_t index, Definition *above, bool hides_stars,
                       const char *name, Symbol *meant) {
  StarImport *star = &file->star_imports.items[index];
  if (is_being_asked(program, file, star, name)) return NULL;
  const StarQuestion question = {file, star->order, name, program->asked};
  program->num_asked += !program->asked;
  program->asked = &question;
  if (hides_stars) above = hidden_by(program, diags, file, index, above, name);
  Definition *d = definition_of(program, diags, file, star, above, name, meant);
  program->asked = question.before;
  return d;
}

Definition *star_definition(Program *program, DiagList *diags, AstFile *file,
                            size_t index, Definition *above, const char *name,
                            Symbol *meant) {
  return ask(program, diags, file, index, above,
             file->star_imports.items[index].uncertain, name, meant);
}
