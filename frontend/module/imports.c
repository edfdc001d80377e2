// imports.c -- resolving names of modules, and names in them.
//
// A lookup may lead to another (an import, an alias): program->depth bounds
// such walks, so that cycles end in a message.
//
// For example, with `from util import act` in a kernel's file, and in util.py
// `act = tl.sigmoid` below `import triton.language as tl`, a use of `act` leads
// to util.py, there to an alias, and so to "triton.language.sigmoid".
#include "frontend/errors.h"
#include "frontend/module/find_file.h"
#include "frontend/module/follow_imports.h"
#include "frontend/module/program.h"
#include "frontend/module/set_members.h"
#include "frontend/module/star_imports.h"
#include "frontend/scan/scan.h"

#include <string.h>

static const Symbol nothing = {.kind = SYMBOL_ABSENT};
static const Symbol failure = {.kind = SYMBOL_ERROR};

static Symbol named(SymbolKind kind, const char *name, AstFile *file) {
  return (Symbol){.kind = kind, .name = name, .file = file};
}

static const char *join(Program *program, const char *module,
                        const char *member) {
  return *module ? arena_printf(program->arena, "%s.%s", module, member)
                 : member;
}

void frontend_abandon(Program *program) {
  for (Program *p = program; p; p = p->others) {
    p->depth = p->aside = 0;
    p->lookup = NULL;
    p->asked = NULL;
    p->run = NULL; // the run may be unfinished
  }
}

bool program_is_idle(const Program *program) {
  return !program->depth && !program->aside && !program->lookup &&
         !program->asked;
}

// -- Builtin modules ---------------------------------------------------------

// The start of `part` in `dotted` as a whole component, else NULL.
static const char *find_part(const char *dotted, const char *part) {
  const size_t length = strlen(part);
  for (const char *at = dotted; at; at = strchr(at, '.')) {
    at += *at == '.';
    if (!strncmp(at, part, length) && (!at[length] || at[length] == '.')) {
      return at;
    }
  }
  return NULL;
}

static bool is_builtin_module(const char *dotted) {
  return find_part(dotted, "triton") == dotted;
}

// Releases of Triton have moved modules; each module has one name here.
static const char *canonical(Program *program, const char *dotted) {
  const char *libdevice = find_part(dotted, "libdevice");
  if (libdevice) {
    return arena_printf(program->arena, "triton.language.%s", libdevice);
  }
  size_t count;
  const char *const *hidden = words_of(WORDS_HIDDEN_MODULES, &count);
  for (size_t i = 0; i < count; i++) {
    const size_t length = strlen(hidden[i]);
    if (!strncmp(dotted, hidden[i], length) && dotted[length] == '.') {
      const int package = (int)(strrchr(hidden[i], '.') - hidden[i]);
      return arena_printf(program->arena, "%.*s%s", package, dotted,
                          dotted + length);
    }
  }
  return dotted;
}

static Symbol builtin(Program *program, const char *dotted) {
  return named(SYMBOL_BUILTIN, canonical(program, dotted), NULL);
}

// The meaning of usual names that the file does not bind.  A .tile file need
// not import them, and a package may import them in a module that is not found.
static Symbol lookup_implied(const char *name) {
  static const char *const implied[][2] = {
      {"triton", "triton"},
      {"tl", "triton.language"},
      {"libdevice", "triton.language.libdevice"},
      {"tldevice", "triton.language.libdevice"},
  };
  for (size_t i = 0; i < sizeof implied / sizeof *implied; i++) {
    if (!strcmp(implied[i][0], name)) {
      return named(SYMBOL_BUILTIN, implied[i][1], NULL);
    }
  }
  return nothing;
}

bool name_is_implied(const char *name) {
  return lookup_implied(name).kind != SYMBOL_ABSENT;
}

// -- Names in files ----------------------------------------------------------

static Symbol use_file(Program *program, DiagList *diags, AstFile *file,
                       SrcLoc use) {
  if (!file_is_sound(program, diags, file, use)) return failure;
  return (Symbol){.kind = SYMBOL_MODULE,
                  .name = file->source.name,
                  .loc = {file->source.name, 0, 0, 0},
                  .file = file};
}

Symbol program_module(Program *program, DiagList *diags, AstFile *from,
                      const char *dotted, SrcLoc use) {
  if (is_builtin_module(dotted)) return builtin(program, dotted);
  AstFile *file = file_absolute(program, from, dotted);
  return file ? use_file(program, diags, file, use)
              : named(SYMBOL_EXTERNAL, dotted, from);
}

static Symbol member_of_file(Program *program, DiagList *diags, AstFile *file,
                             const char *name, SrcLoc use) {
  const Symbol symbol = program_lookup(program, diags, file, name, use);
  if (name_is_bound_elsewhere(program, file, name, symbol.kind))
    return symbol_of_set(program, file, name, symbol.loc);
  if (symbol.kind != SYMBOL_ABSENT) return symbol;
  AstFile *submodule =
      file->is_package ? file_in_folder(program, file->folder, name) : NULL;
  return submodule ? use_file(program, diags, submodule, use)
                   : symbol_made_by(program, file, name);
}

static Symbol missing_module(DiagList *diags, SrcLoc use, const Import *import,
                             const char *folder) {
  static const char dots[] = "................";
  const int count = import->level < 16 ? import->level : 16;
  diag_error(diags, use, ERROR_cannot_find_module, count, dots, import->module,
             *folder ? folder : "./", import->member);
  return failure;
}

static Symbol defines_no(DiagList *diags, const AstFile *file, const char *name,
                         SrcLoc use) {
  const char *near = diags->muted ? NULL : file_nearest(file, name);
  if (near)
    diag_error(diags, use, ERROR_defines_no_near, file->source.name, name,
               near);
  else
    diag_error(diags, use, ERROR_defines_no, file->source.name, name);
  return failure;
}

// A package that imports a name from itself means one of its modules.
static AstFile *own_module(Program *program, const AstFile *from,
                           const AstFile *file, const char *name) {
  if (file != from) return NULL;
  return file_in_folder(program, file->folder, name);
}

// Is the definition surely replaced by a later one?  Not if the later one is
// uncertain: then either of the two may hold.
static bool is_remade(Program *program, const Definition *d) {
  while (d && d->before && scan_is_same_thing(program, d)) d = d->before;
  return d && d->before;
}

Symbol symbol_seen_from(Program *program, AstFile *from, Symbol symbol) {
  AstFile *file = symbol.file;
  if (symbol.kind != SYMBOL_GLOBAL || !file || file == from) return symbol;
  const Definition *d = file_find(file, symbol.name);
  if (is_remade(program, d) && program_in_cycle(program, from, file))
    symbol.global = global_unknown(program->arena, symbol.name, symbol.loc);
  return symbol;
}

// `from ..module import member`
static Symbol relative(Program *program, DiagList *diags, AstFile *from,
                       const Import *import, SrcLoc use) {
  const char *folder = folder_of_relative(program, from, import->level);
  AstFile *file = file_in_folder(program, folder, import->module);
  if (file) {
    const Symbol module = use_file(program, diags, file, use);
    if (module.kind == SYMBOL_ERROR) return module;
    AstFile *own = own_module(program, from, file, import->member);
    if (own) return use_file(program, diags, own, use);
    const Symbol symbol =
        member_of_file(program, diags, file, import->member, use);
    if (symbol.kind != SYMBOL_ABSENT) return symbol;
    return defines_no(diags, file, import->member, use);
  }
  // The folder has no __init__.py.
  file = file_in_folder(program, folder,
                        join(program, import->module, import->member));
  if (file) return use_file(program, diags, file, use);
  const Symbol implied = lookup_implied(import->member);
  return implied.kind == SYMBOL_ABSENT
             ? missing_module(diags, use, import, folder)
             : implied;
}

Symbol program_import(Program *program, DiagList *diags, AstFile *from,
                      const Import *import, SrcLoc use) {
  if (import->level) return relative(program, diags, from, import, use);
  const Symbol module =
      program_module(program, diags, from, import->module, use);
  if (!import->member || module.kind == SYMBOL_ERROR) return module;
  AstFile *own = module.kind == SYMBOL_MODULE
                     ? own_module(program, from, module.file, import->member)
                     : NULL;
  if (own) return use_file(program, diags, own, use);
  const Symbol symbol =
      program_member(program, diags, module, import->member, use);
  if (symbol.kind != SYMBOL_ABSENT) return symbol;
  return defines_no(diags, module.file, import->member, use);
}

static Symbol resolve(Program *program, DiagList *diags, AstFile *file,
                      Definition *d, SrcLoc use);

// Aliases: `exp = tl.exp` means what `tl.exp` means.

Symbol program_meaning(Program *program, DiagList *diags, AstFile *file,
                       AstPlace place, const Expr *value, SrcLoc use) {
  if (value->kind == EXPR_NAME)
    return program_lookup_at(program, diags, file, place, value->name, use);
  if (value->kind != EXPR_ATTRIBUTE) return nothing;
  const Symbol object = program_meaning(program, diags, file, place,
                                        value->attribute.object, use);
  if (object.kind == SYMBOL_ABSENT || object.kind == SYMBOL_ERROR) {
    return object;
  }
  if (object.doubtful) return nothing; // the members are uncertain, too
  return program_member(program, diags, object, value->attribute.name, use);
}

static Symbol resolve_global(Program *program, DiagList *diags, AstFile *file,
                             Definition *d, SrcLoc use) {
  definition_parse(program, diags, file, d);
  if (name_may_be_set(program, file, d->name)) {
    d->global->value = d->global->source = NULL;
  }
  if (map_get_text(&file->touched, d->name, strlen(d->name)) ||
      (name_is_member(&program->changed_members, d->name) &&
       scan_may_change(d)))
    d->global->is_changed = true;
  const Symbol symbol = {.kind = SYMBOL_GLOBAL,
                         .name = d->name,
                         .loc = d->loc,
                         .global = d->global,
                         .file = file};
  if (!d->global->value || d->global->is_changed || d->global->is_patched)
    return symbol;
  const Symbol meant = program_meaning(program, diags, file, d->global->place,
                                       d->global->value, use);
  // If the value is that of another global, the symbol stays this global: the
  // run of the module knows a value for each name.
  const bool is_value = meant.kind == SYMBOL_ABSENT ||
                        meant.kind == SYMBOL_GLOBAL ||
                        (d->uncertain && meant.doubtful);
  return is_value ? symbol : meant;
}

static Symbol resolve_function(Program *program, DiagList *diags, AstFile *file,
                               Definition *d) {
  const bool known = d->parsed;
  if (function_may_be_set(program, file, d->name))
    return symbol_of_set(program, file, d->name, d->loc);
  if (!definition_parse(program, program_audience(program, diags), file, d)) {
    if (known && !program->is_broken)
      diag_error(diags, d->loc, ERROR_syntax_errors, d->name);
    return failure;
  }
  return (Symbol){.kind = SYMBOL_FUNCTION,
                  .name = d->name,
                  .loc = d->loc,
                  .function = d->function,
                  .file = file};
}

static Symbol resolve_class(Program *program, DiagList *diags, AstFile *file,
                            Definition *d) {
  definition_parse(program, diags, file, d);
  return symbol_of_class(d->class);
}

// In a cycle, the lookup passes the same import again.
static void note_once(DiagList *diags, Diag *error, SrcLoc loc) {
  Diag *last = error;
  while (last->next && last->next->severity == DIAG_NOTE) {
    last = last->next;
    if (loc_same(last->loc, loc)) return;
  }
  diag_note_after(diags, last, loc, NOTE_imported, NOTE_imported);
}

// The errors from `*from` on come from an imported file: adds a note for each.
static void note_import(DiagList *diags, Diag **from, const Definition *d) {
  for (Diag *error = *from; error; error = error->next) {
    if (error->severity == DIAG_ERROR) note_once(diags, error, d->loc);
  }
}

static Symbol resolve_noted(Program *program, DiagList *diags, AstFile *file,
                            const Definition *d, SrcLoc use) {
  Diag **from = diags->last;
  Symbol symbol = symbol_seen_from(
      program, file, program_import(program, diags, file, &d->import, use));
  if (symbol.kind == SYMBOL_ERROR) note_import(diags, from, d);
  if (symbol.kind == SYMBOL_EXTERNAL) symbol.loc = d->loc;
  return symbol;
}

static Symbol resolve_kind(Program *program, DiagList *diags, AstFile *file,
                           Definition *d, SrcLoc use) {
  switch (d->kind) {
  case DEFINES_FUNCTION: return resolve_function(program, diags, file, d);
  case DEFINES_GLOBAL: return resolve_global(program, diags, file, d, use);
  case DEFINES_CLASS: return resolve_class(program, diags, file, d);
  case DEFINES_IMPORT: return resolve_noted(program, diags, file, d, use);
  case DEFINES_HOST: break;
  }
  Symbol host = named(SYMBOL_HOST, d->name, file);
  host.loc = d->loc;
  host.function = d->function;
  return host;
}

static Symbol as_defined(Symbol symbol, const Definition *d) {
  const bool found =
      symbol.kind != SYMBOL_ABSENT && symbol.kind != SYMBOL_ERROR;
  if (found && definition_is_doubtful(d)) symbol.doubtful = d;
  return symbol;
}

static Symbol resolve(Program *program, DiagList *diags, AstFile *file,
                      Definition *d, SrcLoc use) {
  return as_defined(resolve_kind(program, diags, file, d, use), d);
}

Symbol program_otherwise(Program *program, DiagList *diags,
                         const Symbol *symbol, SrcLoc use) {
  const Definition *d = symbol->doubtful;
  return d->before ? resolve(program, diags, d->file, d->before, use) : nothing;
}

// Names that `from m import *` binds, which hide earlier ones.

// A symbol from star_definition() is not looked up again, which would double
// the work with each import on the way, unless an error has to be reported.
static Symbol lookup_star(Program *program, DiagList *diags, AstFile *file,
                          size_t index, Definition *above, const char *name,
                          SrcLoc use) {
  const StarImport *star = &file->star_imports.items[index];
  Symbol symbol = nothing;
  Definition *d =
      star_definition(program, diags, file, index, above, name, &symbol);
  const bool again = symbol.kind == SYMBOL_ABSENT ||
                     (symbol.kind == SYMBOL_ERROR && !diags->muted);
  if (!d) return nothing;
  if (symbol.kind == SYMBOL_EXTERNAL) symbol.loc = star->loc;
  if (!again) return as_defined(symbol, d);
  const StarQuestion question = {file, star->order, name, program->asked};
  program->asked = &question;
  symbol = resolve(program, diags, file, d, use);
  program->asked = question.before;
  return symbol;
}

static Symbol lookup_stars(Program *program, DiagList *diags, AstFile *file,
                           Definition *above, uint32_t order, const char *name,
                           SrcLoc use) {
  for (size_t i = file->star_imports.count; i-- > 0;) {
    const StarImport *star = &file->star_imports.items[i];
    if (order && star->order >= order) continue;
    if (above && above->order > star->order) break;
    const Symbol symbol =
        lookup_star(program, diags, file, i, above, name, use);
    if (symbol.kind != SYMBOL_ABSENT) return symbol;
  }
  return nothing;
}

// `found, tl = safe_import("triton.language")`, `tl = load()`, `load()[1]`
static bool is_of_call(const AstGlobal *global) {
  const Expr *from = global->value                  ? global->value
                     : global->op == OPERATOR_COUNT ? global->source
                                                    : NULL;
  while (from && from->kind == EXPR_SUBSCRIPT) from = from->subscript.object;
  return from && from->kind == EXPR_CALL;
}

static Definition *find_definition(Program *program, const AstFile *file,
                                   AstPlace place, const char *name) {
  Definition *rebound = map_get_text(&file->rebound, name, strlen(name));
  return rebound ? rebound
                 : file_find_visible(program->arena, file, place, name);
}

Symbol program_lookup_at(Program *program, DiagList *diags, AstFile *file,
                         AstPlace place, const char *name, SrcLoc use) {
  Definition *d = find_definition(program, file, place, name);
  const NameLookup lookup = {program->lookup, file, name};
  if (program->depth >= MAX_LOOKUPS) {
    lookup_too_deep(diags, &lookup, use);
    return failure;
  }
  program->depth++, program->lookup = &lookup;
  const bool rebound = map_get_text(&file->rebound, name, strlen(name));
  Symbol symbol = nothing;
  if (!rebound)
    symbol = lookup_stars(program, diags, file, d, place.order, name, use);
  if (d && symbol.kind == SYMBOL_ABSENT)
    symbol = resolve(program, diags, file, d, use);
  symbol.order = symbol.file == file ? place.order : 0;
  program->depth--, program->lookup = lookup.outer;
  const Symbol implied = lookup_implied(name);
  if (symbol.kind == SYMBOL_GLOBAL && implied.name &&
      (rebound || is_of_call(symbol.global)))
    symbol.implied = implied.name;
  return symbol.kind == SYMBOL_ABSENT ? implied : symbol;
}

Symbol symbol_unless_value(Symbol symbol) {
  return symbol.kind == SYMBOL_GLOBAL && symbol.implied
             ? named(SYMBOL_BUILTIN, symbol.implied, NULL)
             : symbol;
}

Symbol program_lookup(Program *program, DiagList *diags, AstFile *file,
                      const char *name, SrcLoc use) {
  return program_lookup_at(program, diags, file, (AstPlace){0}, name, use);
}

// A member of a module without a file; messages point at the import of that
// module.
static Symbol member_of_external(Program *program, DiagList *diags,
                                 Symbol object, const char *name, SrcLoc use) {
  Symbol symbol = program_module(program, diags, object.file,
                                 join(program, object.name, name), use);
  if (symbol.kind != SYMBOL_EXTERNAL) return symbol;
  symbol.loc = object.loc;
  const Symbol implied = lookup_implied(name);
  return implied.kind == SYMBOL_ABSENT ? symbol : implied;
}

const char *symbol_nearest(const Symbol *object, const char *name) {
  const bool is_file = object->kind == SYMBOL_MODULE && object->file;
  return is_file ? file_nearest(object->file, name) : NULL;
}

Symbol program_member(Program *program, DiagList *diags, Symbol object,
                      const char *name, SrcLoc use) {
  switch (object.kind) {
  case SYMBOL_MODULE:
    return member_of_file(program, diags, object.file, name, use);
  case SYMBOL_BUILTIN:
    return builtin(program, join(program, object.name, name));
  case SYMBOL_EXTERNAL:
    return member_of_external(program, diags, object, name, use);
  case SYMBOL_CLASS:
  case SYMBOL_HOST:
    return program_class_member(program, diags, &object, name, use);
  default: return nothing;
  }
}
