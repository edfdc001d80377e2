// imports.c -- names that the import statements of a file define.
#include "frontend/scan/parts.h"

#include "frontend/module/module.h"

// Below a `try`: an import that fails ends the block.
static Truth note_failing(Scanner *s, const Import *import) {
  if (!s->scope.in_try) return TRUTH_NO;
  const Truth fails = program_import_fails(s->program, s->file, import);
  s->scope.may_stop |= fails != TRUTH_NO;
  s->scope.has_stopped |= fails == TRUTH_YES;
  return fails;
}

static void define_import(Scanner *s, const ImportedName *x) {
  const char *whole =
      arena_printf(s->program->arena, "%s%s", s->scope.prefix, x->name);
  if (note_failing(s, &x->import) == TRUTH_YES) return;
  Definition *d = scan_define(s, DEFINES_IMPORT,
                              program_intern(s->program, whole), x->token);
  d->import = x->import;
  if (s->scope.in_try && !guard_import_works(s->program, s->file, d))
    s->scope.may_stop = s->scope.has_stopped = true;
}

static void define_star(Scanner *s, const ImportedName *x) {
  if (note_failing(s, &x->import) == TRUTH_YES) return;
  if (s->scope.in_try && star_fails(s->program, s->file, &x->import))
    s->scope.may_stop = true; // perhaps after binding some of the names
  // The last trip of a loop may end with a line above the others.
  const bool uncertain = scan_is_uncertain(s) || s->scope.in_loop;
  const StarImport star = {.import = x->import,
                           .order = ++s->file->num_definitions,
                           .loc = scan_loc(s, x->token),
                           .uncertain = uncertain};
  vec_push(s->program->arena, &s->file->star_imports, star);
}

void scan_import(Scanner *s) {
  const ImportedNames names = import_names(s->program, s->file, s->next);
  s->next = scan_statement_end(s, s->next);
  for (size_t i = 0; i < names.count; i++) {
    if (names.items[i].name)
      define_import(s, &names.items[i]);
    else
      define_star(s, &names.items[i]);
  }
}
