// doubt.c -- uncertain definitions: only the host knows whether they run.
#include "frontend/errors.h"
#include "frontend/module/program.h"

bool definition_is_doubtful(const Definition *d) {
  if (!d->uncertain) return false;
  if (d->kind == DEFINES_GLOBAL || d->kind == DEFINES_IMPORT) return true;
  // A function is uncertain if another value, not a function, had its name
  // before.
  return d->function && d->before && d->before->function &&
         !d->before->unreached;
}

void definition_note(DiagList *diags, const Definition *d) {
  const SrcLoc condition = scan_condition(d);
  diag_note(diags, d->loc, NOTE_defined, d->name);
  if (condition.line) diag_note(diags, condition, NOTE_condition);
}

void definition_warn(DiagList *diags, SrcLoc use, const Definition *d) {
  diag_warning(diags, use, WARNING_chosen_by_host, d->name);
  definition_note(diags, d);
}
