// decorator_hidden.c -- does the code behind a decorator mention tuning?
//
// The result of some decorators is not computed here: a lambda, a method of an
// object, a function of several steps.  If code that such a decorator refers
// to, directly or through other names, contains the word "autotune", there may
// be configurations that only the host knows.
#include "frontend/module/decorator.h"

#include "frontend/module/find_file.h"
#include "frontend/scan/scan.h"

#include <string.h>

enum { MAX_NAMES = 200 };

typedef struct {
  Program *program;
  DiagList quiet;
  Map seen; // definitions that were searched
  int num_names;
  bool tunes, guesses; // "autotune", "heuristics" were found
} Hunt;

static void hunt(Hunt *h, AstFile *file, AstPlace place, uint32_t begin,
                 uint32_t end);

static void hunt_definition(Hunt *h, const Definition *d);

static void hunt_methods(Hunt *h, const Definition *class) {
  const AstFile *file = class->file;
  const size_t length = strlen(class->name);
  for (size_t i = 0; i < file->names.count; i++) {
    const char *name = file->names.items[i];
    if (!strncmp(name, class->name, length) && name[length] == '.')
      hunt_definition(h, file_find(file, name));
  }
}

// Searches the definition, and earlier ones of the same name.
static void hunt_definition(Hunt *h, const Definition *d) {
  for (; d; d = d->before) {
    if (d->kind == DEFINES_IMPORT || map_get(&h->seen, d)) continue;
    map_put(&h->seen, h->program->arena, d, (void *)d);
    hunt(h, d->file, (AstPlace){0}, d->begin, d->end);
    if (definition_is_class(d)) hunt_methods(h, d);
  }
}

// May the name stand for code of another file?  A module, which is never
// called, is not looked into.
static bool is_brought(Program *program, AstFile *file, AstPlace place,
                       const char *name) {
  if (place.prefix || place.within || file->star_imports.count) return true;
  const Definition *d = file_find(file, name);
  return d && d->kind == DEFINES_IMPORT &&
         !locate_import(program, file, &d->import);
}

static void hunt_name(Hunt *h, AstFile *file, AstPlace place, uint32_t token) {
  const Scanner s = {.program = h->program, .file = file};
  if (++h->num_names > MAX_NAMES) return;
  const char *name = scan_intern(&s, "", token);
  hunt_definition(h, file_find(file, name));
  if (!is_brought(h->program, file, place, name)) return;
  const SrcLoc loc = token_loc(&file->source, &file->list.tokens.items[token]);
  const Symbol symbol =
      program_lookup_at(h->program, &h->quiet, file, place, name, loc);
  if (symbol.file && symbol.file != file && symbol.name)
    hunt_definition(h, file_find(symbol.file, symbol.name));
}

static void hunt(Hunt *h, AstFile *file, AstPlace place, uint32_t begin,
                 uint32_t end) {
  const Scanner s = {.program = h->program, .file = file};
  for (uint32_t i = begin; i < end; i++) {
    if (scan_kind(&s, i) != TOKEN_NAME) continue;
    h->tunes |= scan_is_word(&s, i, "autotune");
    h->guesses |= scan_is_word(&s, i, "heuristics");
    if (!scan_is_member(&s, i)) hunt_name(h, file, place, i);
  }
}

const char *decorator_hidden(Program *program, AstFile *file, AstPlace place,
                             uint32_t begin, uint32_t end) {
  Hunt h = {.program = program};
  diag_init_muted(&h.quiet, program->arena);
  hunt(&h, file, place, begin, end);
  return h.tunes ? "autotune" : h.guesses ? "heuristics" : NULL;
}
