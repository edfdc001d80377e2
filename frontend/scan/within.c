// within.c -- definitions within a host function that is not run.
//
// Its lines are walked like those of the module, with the function's name as a
// prefix of the names: so a kernel that the function makes is found, and sees
// the function's names.
#include "frontend/scan/parts.h"

#include <string.h>

// Parameters have no known value: only the caller knows their arguments.
static void hide_parameters(Scanner *s, uint32_t def, uint32_t colon) {
  int depth = 0;
  for (uint32_t i = def + 2; i < colon; i++) {
    const int before = scan_kind(s, i - 1);
    depth += token_nesting(scan_kind(s, i));
    if (depth == 1 && scan_kind(s, i) == TOKEN_NAME &&
        (before == TOKEN_LPAREN || before == TOKEN_COMMA ||
         before == TOKEN_STAR || before == TOKEN_POWER))
      scan_hide(s, i);
  }
}

// Notes a `raise` of the module, unless a handler around may catch it.
static void fail(Scanner *s) {
  const Surroundings *at = &s->scope;
  if (at->in_try && !at->in_handler) return;
  if (at->in_handler && at->tried_well) return;
  s->file->may_fail = true;
  s->file->fails |= at->in_handler ? at->has_stopped : !scan_is_uncertain(s);
}

// Tokens behind a `return` or `raise` are never reached, or perhaps not.
void scan_return(Scanner *s) {
  const uint32_t token = s->next;
  if (!s->within && scan_kind(s, token) == TOKEN_RAISE) fail(s);
  s->next = scan_statement_end(s, token);
  if (!s->within) return;
  if (scan_kind(s, token) == TOKEN_RETURN) scan_returned(s, token + 1, s->next);
  if (!s->outer.count) s->next = (uint32_t)s->file->list.tokens.count - 1;
  if (s->returns) return;
  s->returns = token;
  s->num_before = s->file->num_definitions;
}

// A name that is bound before and after the first `return` has two possible
// values, so none is known.
static void hide_returned(Scanner *s) {
  const size_t count = s->file->names.count;
  for (size_t i = 0; s->returns && i < count; i++) {
    const Definition *d = file_find(s->file, s->file->names.items[i]);
    if (d && d->order > s->num_before && d->before &&
        !strncmp(d->name, s->within, strlen(s->within)))
      scan_global(s, d->name, s->returns, 0, 0);
  }
}

// `nonlocal NAME` in a function within: that function may bind the name again.
static void hide_shared(Scanner *s, uint32_t begin, uint32_t end) {
  for (uint32_t i = begin; i < end; i++) {
    if (scan_kind(s, i) != TOKEN_NONLOCAL) continue;
    for (i++; scan_kind(s, i) == TOKEN_NAME || scan_kind(s, i) == TOKEN_COMMA;
         i++) {
      if (scan_kind(s, i) == TOKEN_NAME)
        scan_global(s, scan_intern(s, s->within, i), i, 0, 0);
    }
  }
}

void file_scan_within(Program *program, const Definition *function) {
  Scanner s = {.program = program, .file = function->file};
  const uint32_t colon = scan_header_end(&s, function->begin);
  const uint32_t body = scan_line_end(&s, colon) + 2; // behind the INDENT
  s.within = arena_printf(program->arena, "%s.", function->name);
  s.scope.prefix = s.within;
  s.limit = s.file->num_definitions + 1;
  hide_parameters(&s, function->begin, colon);
  s.next = body;
  scan_all(&s, s.within, function->end - 1);
  s.scope.prefix = s.within;
  hide_returned(&s);
  hide_shared(&s, body, function->end);
}
