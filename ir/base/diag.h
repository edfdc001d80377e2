// diag.h -- diagnostics: messages of the compiler to the user.
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
  const char *format; // of the text: identifies the message
  const char *fix;    // replacement for the text at `fix_loc`; or NULL
  SrcLoc fix_loc;     // with a span of 0: inserted before that column
  SrcLoc ranges[2];   // also underlined: the operands of an operator
  int num_ranges;
};

// A row of a table of messages.
typedef struct {
  const char *id, *format;
} DiagMessage;

typedef struct {
  Arena *arena;
  Source *sources; // texts for the source lines in messages
  Diag *first;
  Diag **last;
  Diag *newest; // the last message; NULL if it was not kept
  int num_errors, num_warnings;
  int num_bugs;     // errors of the compiler itself
  int num_misuses;  // errors in options and calls, not in the source
  int num_distinct; // errors without those that repeat another
  int error_limit;  // errors that are kept; others are counted; 0: 20
  bool repeated;    // the last message was not kept, as a repetition
  bool muted;       // true: nothing is recorded (a trial walk)
} DiagList;

void diag_init(DiagList *diags, Arena *arena);
// A list that drops all messages.
void diag_init_muted(DiagList *diags, Arena *arena);
void diag_add_source(DiagList *diags, Source *source);
const Source *diag_find_source(const DiagList *diags, const char *name);

// Always returns false, so a failing check reads `return diag_error(...)`.
__attribute__((format(printf, 3, 4))) bool
diag_error(DiagList *diags, SrcLoc loc, const char *format, ...);
// The same, for a function that takes a format itself, and for a message
// without arguments.
bool diag_verror(DiagList *diags, SrcLoc loc, const char *format, va_list args);
bool diag_error_text(DiagList *diags, SrcLoc loc, const char *text);
// Reports a bug of the compiler: counts as an error and as a bug.
__attribute__((format(printf, 3, 4))) bool diag_bug(DiagList *diags, SrcLoc loc,
                                                    const char *format, ...);
// Reports an error in the caller's request, not in the source.
__attribute__((format(printf, 3, 4))) bool
diag_misuse(DiagList *diags, SrcLoc loc, const char *format, ...);
__attribute__((format(printf, 3, 4))) void
diag_warning(DiagList *diags, SrcLoc loc, const char *format, ...);
__attribute__((format(printf, 3, 4))) void
diag_remark(DiagList *diags, SrcLoc loc, const char *format, ...);
__attribute__((format(printf, 3, 4))) void
diag_note(DiagList *diags, SrcLoc loc, const char *format, ...);
// Suggests a fix for the last message: `text` in place of `loc`.
void diag_fix(DiagList *diags, SrcLoc loc, const char *text);
// Underlines two operands, if the last message, or a note of it, is about
// `loc`.
void diag_ranges(DiagList *diags, SrcLoc loc, SrcLoc left, SrcLoc right);
// Removes the messages since `*diags` was `before`.
void diag_retract(DiagList *diags, const DiagList *before);
// Adds a note to an earlier message, behind `last`, one of its notes.
void diag_note_after(DiagList *diags, Diag *last, SrcLoc loc, const char *text,
                     const char *format);
// Sorts the messages from `*from` on, each with its notes, by their places in a
// file; `from` is the value of `diags->last` before them.
void diag_sort(DiagList *diags, Diag **from);
// Removes the messages since `then`, a copy of the list.
void diag_rewind(DiagList *diags, const DiagList *then);
bool diag_failed(const DiagList *diags); // has an error been counted?
// Are there more errors than the limit?  No further ones are looked for then.
bool diag_is_full(const DiagList *diags);
int diag_limit(const DiagList *diags);

// The id of the row that the message was made from, or NULL.
const char *diag_message_id(const Diag *diag, const DiagMessage *rows,
                            size_t count);

const char *severity_name(Severity severity);

// `file:line:column: error: text`, the source line and a caret below it.  A fix
// is printed below the caret, at its place.  Columns are those of a terminal.
// Control characters and invalid UTF-8 of the source never reach the output.
void diag_render(const DiagList *diags, const Diag *diag, bool color, Str *out);
void diag_render_all(const DiagList *diags, bool color, Str *out);

// The candidate nearest to `name` if near enough to suggest, else NULL.
const char *diag_nearest(const char *name, const char *const *candidates,
                         size_t count);

#endif
