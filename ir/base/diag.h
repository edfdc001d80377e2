// diag.h -- what the compiler tells the user.
//
// Bad input is never fatal: the function that finds it appends a Diag and
// returns false (or NULL).  The caller passes the failure up unchanged.
#ifndef TILE_IR_BASE_DIAG_H
#define TILE_IR_BASE_DIAG_H

#include "ir/base/source.h"
#include "ir/base/str.h"

typedef enum { DIAG_ERROR, DIAG_WARNING, DIAG_REMARK, DIAG_NOTE } Severity;

typedef struct Diag Diag;
struct Diag {
  Diag *next;
  Severity severity; // a DIAG_NOTE belongs to the Diag before it
  SrcLoc loc;
  const char *text;
};

typedef struct {
  Arena *arena;
  Source *sources; // texts that carets are drawn from
  Diag *first;
  Diag **last;
  int num_errors, num_warnings;
  int num_bugs;    // errors that are the compiler's own
  int error_limit; // errors past this many are counted, not kept; 0: 20
  bool muted;      // true: nothing is recorded (a trial walk)
} DiagList;

void diag_init(DiagList *diags, Arena *arena);
void diag_add_source(DiagList *diags, Source *source);
const Source *diag_find_source(const DiagList *diags, const char *name);

// Always returns false, so a failing check reads `return diag_error(...)`.
__attribute__((format(printf, 3, 4))) bool
diag_error(DiagList *diags, SrcLoc loc, const char *format, ...);
// The compiler is wrong, not the program: counts as an error and as a bug.
__attribute__((format(printf, 3, 4))) bool diag_bug(DiagList *diags, SrcLoc loc,
                                                    const char *format, ...);
__attribute__((format(printf, 3, 4))) void
diag_warning(DiagList *diags, SrcLoc loc, const char *format, ...);
__attribute__((format(printf, 3, 4))) void
diag_remark(DiagList *diags, SrcLoc loc, const char *format, ...);
__attribute__((format(printf, 3, 4))) void
diag_note(DiagList *diags, SrcLoc loc, const char *format, ...);
bool diag_failed(const DiagList *diags); // has an error been counted?

const char *severity_name(Severity severity);

// `file:line:column: error: text`, the source line and a caret below it.
// Control characters and bad UTF-8 of the source never reach the output.
void diag_render(const DiagList *diags, const Diag *diag, bool color, Str *out);
void diag_render_all(const DiagList *diags, bool color, Str *out);

// The candidate nearest to `name` if near enough to suggest, else NULL.
const char *diag_nearest(const char *name, const char *const *candidates,
                         size_t count);

#endif
