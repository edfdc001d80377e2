// no_kernel.c -- the message about a file without a kernel.
//
// A file may mark functions in ways that the scan does not follow; the message
// must not claim then that the file has no kernels.

#include "frontend/errors.h"
#include "frontend/module/module.h"
#include "frontend/scan/parts.h"

static bool is_jit(const Scanner *s, uint32_t begin, uint32_t end) {
  return decorator_compiles(
      decorator_name(s->program, s->file, (AstPlace){0}, begin, end));
}

// The token of the name of a marked `async def`, or of one called `name`; 0 if
// there is none.
static uint32_t find_async(const Scanner *s, const char *name) {
  bool marked = false;
  for (uint32_t i = 0; scan_kind(s, i) != TOKEN_END;) {
    const int kind = scan_kind(s, i);
    const bool defines =
        kind == TOKEN_ASYNC && scan_kind(s, i + 1) == TOKEN_DEF;
    if (marked && defines && (!name || scan_is_word(s, i + 2, name)))
      return i + 2;
    if (kind == TOKEN_INDENT || kind == TOKEN_DEDENT) {
      i++;
      continue;
    }
    marked =
        kind == TOKEN_AT && (marked || is_jit(s, i + 1, scan_line_end(s, i)));
    i = scan_after_line(s, i);
  }
  return 0;
}

// The token of a decorator, or of `triton.jit(...)` around a function; if
// `name` is given, only one for that function.  0 if there is none.
static uint32_t find_marking(const Scanner *s, const char *name) {
  bool imports = false;
  for (uint32_t i = 0; scan_kind(s, i) != TOKEN_END; i++) {
    const int kind = scan_kind(s, i);
    imports = kind == TOKEN_IMPORT || (imports && kind != TOKEN_NEWLINE);
    const bool decorates = !name && kind == TOKEN_AT;
    if (decorates && is_jit(s, i + 1, scan_line_end(s, i))) return i + 1;
    if (imports || kind != TOKEN_NAME) continue;
    const uint32_t end = scan_callee_end(s, i);
    const bool meant = !name || (scan_kind(s, end) == TOKEN_LPAREN &&
                                 scan_is_word(s, end + 1, name));
    if (meant && scan_is_word(s, end - 1, "jit") && is_jit(s, i, end)) return i;
    i = end - 1;
  }
  return 0;
}

static Scanner scanner_of(Program *program) {
  return (Scanner){.program = program, .file = program->files.items[0]};
}

static bool tell_async(const Scanner *s, DiagList *diags, const char *name) {
  const uint32_t def = find_async(s, name);
  if (!def) return false;
  diag_error(diags, scan_loc(s, def), ERROR_async_kernel,
             scan_intern(s, "", def));
  return true;
}

void no_kernel_at_all(Program *program, DiagList *diags, const char *name) {
  const Scanner s = scanner_of(program);
  if (tell_async(&s, diags, name)) return;
  const uint32_t marking = find_marking(&s, NULL);
  if (marking)
    diag_error_text(diags, scan_loc(&s, marking), ERROR_no_kernel_found);
  else
    diag_error(diags, (SrcLoc){s.file->source.name, 0, 0, 0},
               ERROR_no_kernel_at_all);
}

void not_a_kernel(Program *program, DiagList *diags, const Definition *d) {
  const Scanner s = scanner_of(program);
  if (tell_async(&s, diags, d->name)) return;
  if (d->kind == DEFINES_GLOBAL)
    diag_error(diags, d->loc, ERROR_bound_to_no_kernel, d->name);
  else
    diag_error(diags, d->loc, ERROR_not_marked_jit, d->name);
  const uint32_t marking = find_marking(&s, d->name);
  if (marking) diag_note(diags, scan_loc(&s, marking), NOTE_marked, d->name);
}
