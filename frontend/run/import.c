// import.c -- modules, and the statements that import them.
#include "frontend/module/module.h"
#include "frontend/run/evaluate.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

char module_absent, module_ready;

// -- Modules -----------------------------------------------------------------

static RunModule *find_module(const Machine *m, const AstFile *file) {
  for (RunModule *module = m->modules; module; module = module->next)
    if (module->file == file) return module;
  return NULL;
}

static RunModule *module_new(Machine *m, AstFile *file, const char *name) {
  RunModule *module = arena_new(m->arena, RunModule);
  module->file = file;
  module->name = name;
  module->names = table_new(m);
  module->names->home = module;
  module->thing = thing_new(m, THING_MODULE);
  module->thing->as.module = module;
  module->frame = (RunFrame){.module = module, .names = module->names};
  module->owner.kind = SLOT_STATE; // the slot exists on every path, from the
                                   // start
  module->state = &module_absent;
  module->next = m->modules;
  m->modules = module;
  return module;
}

// Gives the module the names that exist before it runs, and no others.
static void give_names(Machine *m, const RunModule *module) {
  size_t count;
  const char *const *given = words_of(WORDS_NAMES_OF_MODULES, &count);
  for (size_t i = 0; i < module->names->cells.count; i++) {
    NameCell *cell = module->names->cells.items[i];
    if (cell->value) cell_set(m, cell, NULL);
  }
  for (size_t i = 0; i < count; i++)
    cell_set(m, table_cell(m, module->names, run_word(m, given[i])),
             &thing_unknown);
}

// After a run that was lost, the names that the module binds have unknown
// values.
static void add_names(Machine *m, RunModule *module, const StmtList *body) {
  const BoundNames names = block_names(m, body);
  for (size_t i = 0; i < names.count; i++)
    table_cell(m, module->names, names.items[i]);
}

// Runs the statements of the module.  Exceptions count only within a `try`
// around the import.
static void run_module_body(Machine *m, RunModule *module) {
  RunFrame *const outer = m->frame;
  const size_t base = m->leaves.count;
  const int loops = m->loops;
  if (!module->is_parsed)
    module->body = program_statements(m->program, module->file);
  module->is_parsed = true;
  m->frame = &module->frame;
  m->loops = 0;
  module->running = true;
  run_begin_module(m, module);
  give_names(m, module);
  const int most = m->most_steps, steps = m->steps;
  const bool alive = run_statements(m, &module->body);
  m->most_steps = most + m->steps - steps; // not counting steps of its own
                                           // statements
  if (m->lost) add_names(m, module, &module->body);
  module->running = false;
  module->failed = !alive;
  if (alive) run_store(m, &module->owner, &module->state, &module_ready);
  assert(m->frame == &module->frame && base <= m->leaves.count); // I1
  m->loops = loops;
  m->frame = outer;
  if (alive && !m->tries) m->leaves.count = base;
}

// May the file be read and run?  The budget keeps a kernel that imports from a
// large package from running all of it.
static bool is_affordable(Machine *m, const AstFile *file) {
  const size_t size = file->source.length;
  const bool fits = size <= m->bytes && size <= m->bytes_of_import;
  if (!fits) return false;
  m->bytes -= size;
  m->bytes_of_import -= size;
  return true;
}

// Has another module bound a name of the module?
static bool is_bound(const RunModule *module) {
  return module->names->owner.exposed || module->names->cells.count;
}

// The module without running it; it is assumed not to affect other files.
static RunModule *leave_unread(Machine *m, RunModule *module) {
  module->is_unread = true;
  run_may_raise(m);
  return module;
}

static RunModule *read_and_run(Machine *m, RunModule *module) {
  DiagList quiet;
  diag_init_muted(&quiet, m->arena);
  module->is_unread = false;
  file_lex(m->program, &quiet, module->file);
  if (!module->file->ok) run_lose(m);
  if (!m->lost) run_module_body(m, module);
  return module->failed || m->lost ? NULL : module;
}

// Imports a module that was run on this path, on no path, or on some: in the
// last case one path runs it now, and the two are joined.
static RunModule *import_again(Machine *m, RunModule *module) {
  if (module->running || module->state == &module_ready)
    return m->lost ? NULL : module;
  if (module->state == &module_absent) return read_and_run(m, module);
  const size_t base = m->leaves.count;
  m->forks++;
  run_leave(m, LEAVE_FALL, NULL);
  const bool alive = read_and_run(m, module) != NULL;
  m->forks--;
  return run_merge(m, base, LEAVE_FALL, alive, NULL) ? module : NULL;
}

// Returns NULL if the path ended.
static RunModule *import_file(Machine *m, AstFile *file, const char *name) {
  RunModule *module = find_module(m, file);
  const bool again = module && module->is_unread;
  if (again && (m->forks || m->tries || is_bound(module)))
    return leave_unread(m, module);
  if (module && !again) return import_again(m, module);
  if (!module) module = module_new(m, file, name);
  return is_affordable(m, file) ? read_and_run(m, module)
                                : leave_unread(m, module);
}

RunModule *run_module(Machine *m, AstFile *file, const char *name) {
  RunModule *module = module_new(m, file, name);
  run_module_body(m, module);
  return module;
}

// -- Finding modules ---------------------------------------------------------

static AstFile *find_file(Machine *m, int level, const char *dotted) {
  AstFile *from = m->frame->module->file;
  if (!level)
    return is_language(dotted) ? NULL
                               : locate_absolute(m->program, from, dotted);
  return locate_in_folder(m->program,
                          folder_of_relative(m->program, from, level), dotted);
}

// Imports `a`, `a.b` and `a.b.c`.  Returns the last, or NULL if it is no file.
static RunModule *import_dotted(Machine *m, int level, const char *dotted,
                                bool *alive) {
  RunModule *module = NULL;
  for (const char *end = dotted; *alive; end++) {
    end += strcspn(end, ".");
    const char *name = arena_strndup(m->arena, dotted, (size_t)(end - dotted));
    AstFile *file = find_file(m, level, name);
    module = file ? import_file(m, file, name) : NULL;
    if (file && !module) *alive = false;
    if (!*end) break;
  }
  return *alive ? module : NULL;
}

static bool is_installed(const char *dotted) {
  return is_language(dotted) ||
         words_have_span(WORDS_MODULES_INSTALLED, dotted, strcspn(dotted, "."));
}

static Thing *import_foreign(Machine *m, const char *dotted) {
  if (!is_installed(dotted)) run_may_raise(m);
  if (!strcmp(dotted, "__main__")) run_expose_modules(m);
  return thing_foreign(m, run_word(m, dotted));
}

// -- `from module import *` --------------------------------------------------

// Adds the names in `__all__` to `out`; false: they are unknown.
static bool exported(Thing *all, Things *out) {
  const Content *c = all->kind == THING_LIST ? content_of(all) : NULL;
  if (!c && all->kind != THING_TUPLE) return false;
  *out = (Things){.items = c ? c->items : all->as.tuple.items,
                  .count = (size_t)(c ? c->count : all->as.tuple.count)};
  for (size_t i = 0; i < out->count; i++)
    if (!thing_is_text(out->items[i])) return false;
  return true;
}

// Any name may have another value now.
bool run_bind_any(Machine *m) {
  NameTable *names = m->frame->module->names;
  m->frame->module->has_star = true;
  for (size_t i = 0; i < names->cells.count; i++) {
    NameCell *cell = names->cells.items[i];
    if (cell->value)
      cell_set(m, cell, thing_join(m, cell->value, &thing_unknown));
  }
  return true;
}

static bool bind_brought(Machine *m, const RunModule *from, const char *name) {
  Thing *x = cell_value(table_find(from->names, name));
  if (x && x->kind == THING_MAYBE)
    x = thing_join(m, x, cell_value(table_find(m->frame->names, name)));
  if (x) return run_bind(m, name, x);
  if (!from->file->is_package) return run_raise(m, "AttributeError") != NULL;
  run_may_raise(m); // a module of the package, or a missing name
  return run_bind(m, name, &thing_unknown);
}

static bool bind_public(Machine *m, const RunModule *from) {
  const size_t count = from->names->cells.count;
  for (size_t i = 0; i < count; i++) {
    const NameCell *cell = from->names->cells.items[i];
    if (cell->name[0] != '_' && cell_value(cell) &&
        !bind_brought(m, from, cell->name))
      return false;
  }
  return !m->lost;
}

static bool import_star(Machine *m, const RunModule *from) {
  Thing *all = cell_value(table_find(from->names, run_word(m, "__all__")));
  Things names = {0};
  const bool known = !all || exported(all, &names);
  if (from->has_star || from->is_unread || from->names->owner.exposed ||
      !known) {
    run_may_raise(m);
    return run_bind_any(m);
  }
  if (!all) return bind_public(m, from);
  for (size_t i = 0; i < names.count; i++) {
    const char *name = run_word(m, names.items[i]->as.constant->as.string.text);
    const Thing *x = cell_value(table_find(from->names, name));
    if (x && x->kind == THING_MAYBE) run_may_raise(m);
    if (!bind_brought(m, from, name)) return false;
  }
  return !m->lost;
}

static bool import_foreign_star(Machine *m, const char *dotted) {
  import_foreign(m, dotted);
  return run_bind_any(m);
}

// -- Statements --------------------------------------------------------------

// Does the package, which has not ended, lack the name?
static bool lacks(Machine *m, const RunModule *package, const char *name) {
  return package->running && !package->has_star && !package->is_unread &&
         !package->names->owner.exposed &&
         !table_find(package->names, run_word(m, "__getattr__")) &&
         !cell_value(table_find(package->names, run_word(m, name)));
}

// The package may have the member `x`, or the module of that name is imported.
static Thing *member_or_module(Machine *m, Thing *x, int level,
                               const char *dotted) {
  bool alive = true;
  const size_t base = m->leaves.count;
  m->forks++;
  run_leave(m, LEAVE_FALL, NULL);
  RunModule *inner = import_dotted(m, level, dotted, &alive);
  m->forks--;
  if (!run_merge(m, base, LEAVE_FALL, alive, NULL)) return NULL;
  return inner ? thing_join(m, x, inner->thing) : x;
}

static Thing *member_of(Machine *m, RunModule *module, const Import *import,
                        bool *alive) {
  Thing *x =
      find_attribute(m, module->thing, run_word(m, import->member), alive);
  if (!*alive) return NULL;
  if (x && x->kind != THING_UNKNOWN) return x;
  const char *dotted =
      *import->module
          ? arena_printf(m->arena, "%s.%s", import->module, import->member)
          : import->member;
  if (x && (!find_file(m, import->level, dotted) || !module->file->is_package))
    return x;
  if (x && !lacks(m, module, import->member))
    return member_or_module(m, x, import->level, dotted);
  RunModule *inner = import_dotted(m, import->level, dotted, alive);
  if (inner) return inner->thing;
  return *alive ? run_raise(m, "ImportError") : NULL;
}

static Thing *import_member(Machine *m, const Import *import) {
  bool alive = true;
  RunModule *module = import_dotted(m, import->level, import->module, &alive);
  if (!alive) return NULL;
  if (module) {
    Thing *x = member_of(m, module, import, &alive);
    return alive ? x : NULL;
  }
  const char *dotted =
      arena_printf(m->arena, "%s.%s", import->module, import->member);
  AstFile *file = find_file(m, import->level, dotted);
  if (file) { // a module in a folder without __init__
    module = import_file(m, file, dotted);
    return module ? module->thing : NULL;
  }
  if (import->level) return run_unknown(m, NULL, NULL);
  import_foreign(m, import->module);
  Thing *x = thing_foreign(m, run_word(m, dotted));
  if (x->kind != THING_BUILTIN && !m->program->language->find_host(dotted))
    run_may_raise(m);
  if (!foreign_gives_modules(x) &&
      foreign_reaches_modules(import->module, import->member))
    run_expose_modules(m);
  return x;
}

static Thing *import_whole(Machine *m, const ImportedName *name) {
  bool alive = true;
  import_dotted(m, 0, name->module, &alive); // binds the first name only
  const Import *import = &name->import;
  RunModule *module =
      alive ? import_dotted(m, 0, import->module, &alive) : NULL;
  if (!alive) return NULL;
  return module ? module->thing : import_foreign(m, import->module);
}

static bool import_name(Machine *m, const ImportedName *name) {
  const Import *import = &name->import;
  if (!name->name) {
    bool alive = true;
    const RunModule *module =
        import_dotted(m, import->level, import->module, &alive);
    if (!alive) return false;
    return module ? import_star(m, module)
                  : import_foreign_star(m, import->module);
  }
  if (!strcmp(import->module, "__future__") && import->member &&
      !strcmp(import->member, "annotations"))
    m->frame->module->annotates_later = true;
  Thing *x = import->member ? import_member(m, import) : import_whole(m, name);
  return x && run_bind(m, name->name, x);
}

// An import by the main module begins: it may run BYTES_OF_AN_IMPORT of files.
static void begin_import(Machine *m) {
  enum { BYTES_OF_AN_IMPORT = 48 << 10 };
  if (m->frame->module->file == program_main_file(m->program))
    m->bytes_of_import = BYTES_OF_AN_IMPORT;
}

// Is the text `a.b.c`, with a name in each place?
static bool is_dotted(const char *text) {
  for (;; text++) {
    if (isdigit((unsigned char)*text)) return false;
    const char *begin = text;
    while (isalnum((unsigned char)*text) || *text == '_') text++;
    if (text == begin || (*text && *text != '.')) return false;
    if (!*text) return true;
  }
}

static Thing *import_text(Machine *m, const char *dotted) {
  bool alive = true;
  begin_import(m);
  RunModule *module = import_dotted(m, 0, run_word(m, dotted), &alive);
  if (!alive) return NULL;
  return module ? module->thing : import_foreign(m, dotted);
}

// The name of a module that the thing is; NULL: it is none, or unknown.
static const char *module_text(const Thing *x) {
  const char *text = thing_is_text(x) ? x->as.constant->as.string.text : "";
  return is_dotted(text) ? text : NULL;
}

bool names_no_file(Machine *m, const Thing *key) {
  const char *name = module_text(key);
  return name && strcmp(name, "__main__") != 0 && !find_file(m, 0, name);
}

Thing *run_give_module(Machine *m, const char *function, const Things *args,
                       ArgNames names) {
  const bool gets = !strcmp(function, "sys.modules.get");
  const bool plain = args_are_plain(args, names, 1, gets ? 2 : 1);
  if (plain && gets) {
    Thing *otherwise = args->count == 2 ? args->items[1] : &thing_none;
    return thing_join(m, run_loaded_module(m, args->items[0]), otherwise);
  }
  const char *name = plain ? module_text(args->items[0]) : NULL;
  if (name) return import_text(m, name);
  run_expose_modules(m);
  return run_call_unseen(m, NULL, args);
}

bool run_import(Machine *m, const Stmt *stmt) {
  begin_import(m);
  const ImportedNames names =
      import_names(m->program, m->frame->module->file, stmt->unsupported.token);
  for (size_t i = 0; i < names.count; i++)
    if (!import_name(m, &names.items[i])) return false;
  return true;
}
