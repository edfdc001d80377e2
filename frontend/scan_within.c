// scan_within.c -- what a function of the host defines that is not run.
//
// Its lines are walked as those of the module are, under names that have the
// function's in front: a kernel that it makes is found, and sees them.
#include "frontend/scan.h"

#include "frontend/parser.tab.h"

// Only who calls it knows what the parameters are.
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
}
