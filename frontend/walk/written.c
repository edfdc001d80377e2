// written.c -- expressions as they were written, for messages.
#include "frontend/walk/evaluate.h"

#include <string.h>

const char *short_text(Walk *w, const Expr *expr) {
  Str text = str_in(w->arena);
  ast_unparse(expr, 60, &text);
  return str_text(&text);
}

void fix_written(Walk *w, SrcLoc loc, const char *text) {
  if (!strstr(text, "...")) diag_fix(w->diags, loc, text);
}

bool walk_calls(const Walk *w, const Expr *callee) {
  return w->call && w->call->call.callee == callee;
}
