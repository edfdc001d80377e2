// follow_imports.c -- the files that importing a file runs.
//
// A file is read when a name of it is needed.  Importing runs many more files:
// one may raise an exception, be in a cycle of imports, or set an environment
// variable.  When a caller asks one of these questions, the files to which
// imports lead are lexed, and their tokens searched.
//
// Example: main.py has `import broken` in a `try`, broken.py imports deep.py,
// and deep.py ends with a `raise`.  main.py's import fails, so deep.py is lexed
// when main.py is scanned.
#include "frontend/module/follow_imports.h"

#include "frontend/module/find_file.h"
#include "frontend/scan/scan.h"
#include "ir/base/base.h"

// -- Imports of a file -------------------------------------------------------

// The limit in bytes of all followed files, so that a kernel does not read all
// of a large package.
enum { MAX_FOLLOWED = 64 << 10 };

static void follow(Program *program, AstFile *file) {
  if (!file || file->is_followed || program->followed_bytes >= MAX_FOLLOWED)
    return;
  program->followed_bytes += file->source.length;
  file->is_followed = true;
  vec_push(program->arena, &program->followed, file);
}

static void follow_needed(Program *program, AstFile *file, AstFile *needed) {
  follow(program, needed);
  vec_push(program->arena, &file->needed, needed);
}

// The packages around a file run before it.
static void follow_packages(Program *program, AstFile *file) {
  enum { MAX_PACKAGES = 64 }; // levels of packages
  for (int level = 1; level < MAX_PACKAGES; level++) {
    const char *folder = folder_of_relative(program, file, level);
    AstFile *package = locate_in_folder(program, folder, "");
    if (!package) return;
    follow_needed(program, file, package);
  }
}

static void follow_effects(Program *program, AstFile *file,
                           ImportEffects effects) {
  file->may_raise = effects.may_raise;
  for (size_t i = 0; i < effects.needed.count; i++)
    follow_needed(program, file, effects.needed.items[i]);
  for (size_t i = 0; i < effects.run.count; i++)
    follow(program, effects.run.items[i]);
}

// Lexes the file, and follows its imports.
static void look_at(Program *program, AstFile *file) {
  if (file->is_seen) return;
  file->is_seen = true;
  DiagList quiet;
  diag_init_muted(&quiet, program->arena);
  follow_packages(program, file);
  file_lex(program, &quiet, file);
  if (file->ok) follow_effects(program, file, import_effects(program, file));
}

void program_follow_variables(Program *program) {
  follow(program, program_main_file(program));
  for (size_t i = 0; i < program->followed.count; i++)
    look_at(program, program->followed.items[i]);
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

// Does importing the file fail?  In a cycle of imports the search stops at a
// file that is being checked, and sets `is_around`: the answers for the files
// of the cycle are then not final.
static Truth file_fails(ImportSearch *q, AstFile *file) {
  Program *program = q->program;
  const void *seen = map_get(&q->seen, file);
  q->is_around |= seen == file;
  if (seen || !file->is_followed) return TRUTH_NO;
  map_put(&q->seen, program->arena, file, file);
  look_at(program, file);
  DiagList quiet;
  diag_init_muted(&quiet, program->arena);
  if (file->may_raise) file_load(program, &quiet, file);
  Truth fails = file->fails      ? TRUTH_YES
                : file->may_fail ? TRUTH_UNKNOWN
                                 : TRUTH_NO;
  for (size_t i = 0; i < file->needed.count && fails != TRUTH_YES; i++)
    fails = worse(fails, file_fails(q, file->needed.items[i]));
  map_put(&q->seen, program->arena, file, (void *)&done);
  return fails;
}

// Reading a file may call this function again for the imports of that file: the
// inner call answers "no" at once.  Errors are not reported here, but when a
// name of the file is needed.
Truth program_import_fails(Program *program, AstFile *from,
                           const Import *import) {
  const Import whole = {import->level, import->module, NULL};
  AstFile *module = locate_import(program, from, &whole);
  AstFile *member =
      import->member ? locate_import(program, from, import) : NULL;
  if (program->is_following) return TRUTH_NO;
  DiagList *const loud = program->loud;
  program->is_following = true;
  program->loud = NULL;
  follow(program, module);
  follow(program, member);
  ImportSearch q = {.program = program};
  Truth fails = module ? file_fails(&q, module) : TRUTH_NO;
  if (member) fails = worse(fails, file_fails(&q, member));
  program->loud = loud;
  program->is_following = false;
  return fails == TRUTH_YES && q.is_around ? TRUTH_UNKNOWN : fails;
}

// -- Cycles of imports -------------------------------------------------------

static bool needs(Program *program, Map *seen, AstFile *file,
                  const AstFile *other) {
  follow(program, file);
  if (!file->is_followed || map_get(seen, file)) return false;
  map_put(seen, program->arena, file, seen);
  look_at(program, file);
  for (size_t i = 0; i < file->needed.count; i++) {
    AstFile *needed = file->needed.items[i];
    if (needed == other || needs(program, seen, needed, other)) return true;
  }
  return false;
}

bool program_in_cycle(Program *program, AstFile *a, AstFile *b) {
  Map from_a = {0}, from_b = {0};
  return a != b && needs(program, &from_a, a, b) &&
         needs(program, &from_b, b, a);
}
