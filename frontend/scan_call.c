// scan_call.c -- may a function change what a module gives it?
//
// It does where its body changes one of its names, or calls what may change
// what that is given.  Functions of other files of the program are looked at,
// too; what is in no file of the program is taken to change nothing.
#include "frontend/scan.h"

#include "frontend/parser.tab.h"

uint32_t scan_callee_end(const Scanner *s, uint32_t token) {
  while (scan_kind(s, token + 1) == TOKEN_DOT &&
         scan_kind(s, token + 2) == TOKEN_NAME)
    token += 2;
  return token + 1;
}

// Of this file, or of another; NULL: it is no function or value of either.
static const Definition *called(const Scanner *s, uint32_t token) {
  const uint32_t end = scan_callee_end(s, token);
  const Definition *d = file_find(s->file, scan_intern(s, "", token));
  Symbol symbol = scan_brought(s, token);
  if (end == token + 1 && symbol.kind == SYMBOL_ABSENT) return d;
  DiagList quiet;
  diag_init_muted(&quiet, s->program->arena);
  for (uint32_t i = token + 2; i < end; i += 2)
    symbol = program_member(s->program, &quiet, symbol, scan_intern(s, "", i),
                            scan_loc(s, i));
  const bool found = symbol.kind == SYMBOL_HOST ||
                     symbol.kind == SYMBOL_FUNCTION ||
                     symbol.kind == SYMBOL_GLOBAL;
  return found && symbol.file ? file_find(symbol.file, symbol.name) : NULL;
}

static bool changes_given(const Scanner *s, Definition *d) {
  const Scanner other = {.program = s->program, .file = d->file};
  if (d->changes_arguments || d->is_followed) return d->changes_arguments;
  d->is_followed = true;
  for (uint32_t i = d->begin; i < d->end && !d->changes_arguments; i++) {
    if (scan_kind(&other, i) != TOKEN_NAME) continue;
    const bool member = scan_kind(&other, i - 1) == TOKEN_DOT;
    const bool is_call =
        scan_kind(&other, scan_callee_end(&other, i)) == TOKEN_LPAREN;
    if (d->kind == DEFINES_GLOBAL && member && scan_changes(&other, i))
      d->changes_arguments = true;
    else if (!member && (is_call || d->kind == DEFINES_GLOBAL))
      d->changes_arguments = scan_call_changes(&other, i);
  }
  return d->changes_arguments;
}

bool scan_call_changes(const Scanner *s, uint32_t token) {
  const Definition *d = called(s, token);
  if (!d || d->kind == DEFINES_CLASS || d->kind == DEFINES_IMPORT) return false;
  return changes_given(s, (Definition *)d);
}
