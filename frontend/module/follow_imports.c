// follow_imports.c -- the files that importing a file runs.
//
// A file is read when a name of it is needed.  Importing runs many more files,
// and each may change objects of another: `config.WIDTH = 8`,
// `SIZES.append(4)`.  So before the value of an imported name is used, all
// files that the imports lead to are lexed, and those that may change an object
// of that name are scanned, which marks it as changed.
//
// Example: main.py imports config.py and setup.py; setup.py has the line
// `config.WIDTH = 8`.  Before `config.WIDTH` of main.py gets a value, setup.py
// is scanned, so that WIDTH is unknown.
#include "frontend/module/follow_imports.h"

#include "frontend/module/find_file.h"
#include "frontend/scan/scan.h"
#include "ir/base/base.h"

#include <string.h>

// -- Files that are run ------------------------------------------------------

// The limit in bytes of all followed files.  In a program beyond it, files that
// are only imported count as without side effects, so that a kernel does not
// read all of a large package.
enum { MAX_FOLLOWED = 64 << 10 };

bool program_is_large(const Program *program) {
  return program->followed_bytes >= MAX_FOLLOWED;
}

static void add_followed(Program *program, AstFile *file) {
  if (!file || file->followed) return;
  program->followed_bytes += file->source.length;
  const Followed followed = {.file = file};
  vec_push(program->arena, &program->followed, followed);
  file->followed = program->followed.count;
}

static bool follow(Program *program, AstFile *file) {
  if (!program_is_large(program)) add_followed(program, file);
  return file;
}

// The packages around a file run before it.
static void follow_packages(Program *program, Followed *followed) {
  enum { MAX_PACKAGES = 64 }; // levels of packages
  for (int level = 1; level < MAX_PACKAGES; level++) {
    const char *folder = folder_of_relative(program, followed->file, level);
    AstFile *package = locate_in_folder(program, folder, "");
    if (!follow(program, package)) return;
    vec_push(program->arena, &followed->needed, package);
  }
}

// -- Their effects -----------------------------------------------------------

static void look_at(Program *program, Arena *scratch, Followed *followed) {
  AstFile *file = followed->file, lexed = *file;
  DiagList quiet;
  diag_init_muted(&quiet, program->arena);
  follow_packages(program, followed);
  if (!file->is_read &&
      !lex_source(scratch, &quiet, &file->source, &lexed.list))
    return;
  const ImportEffects effects = import_effects(program, scratch, &lexed);
  followed->changed = effects.changed;
  followed->given = effects.given;
  followed->may_raise = effects.may_raise;
  for (size_t i = 0; i < effects.run.count; i++)
    follow(program, effects.run.items[i]);
  for (size_t i = 0; i < effects.needed.count; i++)
    vec_push(program->arena, &followed->needed, effects.needed.items[i]);
  for (size_t i = 0; i < effects.renamed.count; i++)
    vec_push(program->arena, &program->renamed, effects.renamed.items[i]);
}

static void free_scratch(void *arena) {
  arena_free(arena);
}

static void look_at_one(Program *program, size_t i) {
  Followed followed = program->followed.items[i]; // a copy, as follow() may
                                                  // move the array
  if (followed.is_seen) return;
  Arena *scratch = arena_new(program->arena, Arena);
  arena_init(scratch, program->arena->from);
  scratch->on_oom = program->arena->on_oom;
  ArenaCleanup *cleanup = arena_defer(program->arena, free_scratch, scratch);
  followed.is_seen = true;
  look_at(program, scratch, &followed);
  program->followed.items[i] = followed;
  arena_cleanup_now(cleanup);
}

static void follow_all(Program *program) {
  for (; program->num_seen < program->files.count; program->num_seen++)
    follow(program, program->files.items[program->num_seen]);
  for (size_t i = program->num_followed;
       i < program->followed.count && !program_is_large(program); i++)
    look_at_one(program, i);
  program->num_followed = program->followed.count;
}

// -- Files that change a name ------------------------------------------------

static void add_name(Program *program, Names *names, const char *name) {
  for (size_t i = 0; i < names->count; i++) {
    if (names->items[i] == name) return;
  }
  vec_push(program->arena, names, name);
}

// All names that the object of that name may have in other files.
static Names names_of(Program *program, const char *name, bool is_value) {
  Names names = {0};
  add_name(program, &names, name);
  add_name(program, &names, "*"); // the name of any object
  for (size_t i = 0; is_value && i < names.count; i++) {
    for (size_t j = 0; j < program->renamed.count; j++) {
      const Renamed *renamed = &program->renamed.items[j];
      if (renamed->name == names.items[i])
        add_name(program, &names, renamed->as);
    }
  }
  return names;
}

static bool changes_one(const Followed *followed, const Names *names,
                        bool is_value) {
  for (size_t i = 0; i < names->count; i++) {
    const char *name = names->items[i];
    const size_t length = strlen(name);
    if (map_get_text(&followed->changed, name, length) ||
        (is_value && map_get_text(&followed->given, name, length)))
      return true;
  }
  return false;
}

static void read_changing(Program *program, const char *name, bool is_value) {
  DiagList quiet;
  diag_init_muted(&quiet, program->arena);
  const Names names = names_of(program, name, is_value);
  const int aside = program->aside++;
  for (size_t i = 0; i < program->followed.count; i++) {
    const Followed *followed = &program->followed.items[i];
    if (!followed->file->is_read && changes_one(followed, &names, is_value) &&
        file_is_affordable(program, followed->file))
      file_load(program, &quiet, followed->file);
  }
  program->aside = aside;
}

// Reading a file looks up names, too; such a nested lookup does not follow
// imports.  Errors are reported when a name of the file is needed, so not here.
static bool begin(Program *program, DiagList **loud) {
  if (program->is_following) return false;
  program->is_following = true;
  *loud = program->loud;
  program->loud = NULL;
  return true;
}

static void end(Program *program, DiagList *loud) {
  program->loud = loud;
  program->is_following = false;
}

// Follows the files that were read since the last call.
static void follow_new(Program *program) {
  if (program->num_seen == program->files.count &&
      program->num_followed == program->followed.count)
    return;
  follow_all(program);
  program->believed = program->found = (Map){0};
}

bool program_follow_imports(Program *program, const char *name, bool is_value) {
  const size_t length = strlen(name), num_files = program->files.count;
  Map *const believed = is_value ? &program->believed : &program->found;
  DiagList *loud;
  if (!begin(program, &loud)) return false;
  for (;;) {
    follow_new(program);
    if (program_is_large(program) || map_get_text(believed, name, length))
      break;
    read_changing(program, name, is_value);
    map_put_text(believed, program->arena, name, length, program);
  }
  end(program, loud);
  return program->files.count > num_files;
}

// -- Imports that fail -------------------------------------------------------

static Truth worse(Truth a, Truth b) {
  if (a == TRUTH_YES || b == TRUTH_YES) return TRUTH_YES;
  return a == TRUTH_UNKNOWN || b == TRUTH_UNKNOWN ? TRUTH_UNKNOWN : TRUTH_NO;
}

typedef struct {
  Program *program;
  Map seen;       // a file to itself while it is checked, then to `done`
  bool is_around; // a file of a cycle was met
} ImportSearch;

static const char done;

// Does importing the file fail?  In a cycle of imports the first file is not
// asked again; `is_around` says so, since the answer for the others is then not
// final.
static Truth file_fails(ImportSearch *q, AstFile *file) {
  Program *program = q->program;
  const void *seen = map_get(&q->seen, file);
  q->is_around |= seen == file;
  if (seen || !file->followed) return TRUTH_NO;
  map_put(&q->seen, program->arena, file, file);
  look_at_one(program, file->followed - 1);
  DiagList quiet;
  diag_init_muted(&quiet, program->arena);
  const Followed followed = program->followed.items[file->followed - 1];
  if (followed.may_raise) file_load(program, &quiet, file);
  Truth fails = file->fails      ? TRUTH_YES
                : file->may_fail ? TRUTH_UNKNOWN
                                 : TRUTH_NO;
  for (size_t i = 0; i < followed.needed.count && fails != TRUTH_YES; i++)
    fails = worse(fails, file_fails(q, followed.needed.items[i]));
  map_put(&q->seen, program->arena, file, (void *)&done);
  return fails;
}

Truth program_import_fails(Program *program, AstFile *from,
                           const Import *import) {
  const Import whole = {import->level, import->module, NULL};
  AstFile *module = locate_import(program, from, &whole);
  AstFile *member =
      import->member ? locate_import(program, from, import) : NULL;
  DiagList *loud;
  if (!begin(program, &loud)) return TRUTH_NO;
  add_followed(program, module);
  add_followed(program, member);
  follow_new(program);
  ImportSearch q = {.program = program};
  Truth fails = module ? file_fails(&q, module) : TRUTH_NO;
  if (member) fails = worse(fails, file_fails(&q, member));
  end(program, loud);
  return fails == TRUTH_YES && q.is_around ? TRUTH_UNKNOWN : fails;
}

// -- Cycles of imports -------------------------------------------------------

static bool needs(const Program *program, Map *seen, const AstFile *file,
                  const AstFile *other) {
  if (!file->followed || map_get(seen, file)) return false;
  map_put(seen, program->arena, file, seen);
  const Followed *followed = &program->followed.items[file->followed - 1];
  for (size_t i = 0; i < followed->needed.count; i++) {
    const AstFile *needed = followed->needed.items[i];
    if (needed == other || needs(program, seen, needed, other)) return true;
  }
  return false;
}

bool program_in_cycle(Program *program, const AstFile *a, const AstFile *b) {
  Map from_a = {0}, from_b = {0};
  DiagList *loud;
  if (begin(program, &loud)) {
    follow_new(program);
    end(program, loud);
  }
  return a != b && needs(program, &from_a, a, b) &&
         needs(program, &from_b, b, a);
}
