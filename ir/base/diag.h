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
  const char *format; // of the text: tells which message it is
  const char *fix;    // what to write in place of `fix_loc`; NULL: unknown
  SrcLoc fix_loc;     // a span of 0: it goes in before that column
  SrcLoc ranges[2];   // what else it is about: the operands of an operator
  int num_ranges;
};

// A row of a table of messages.
typedef struct {
  const char *id, *format;
} DiagMessage;

typedef struct {
  Arena *arena;
  Source *sources; // texts that carets are drawn from
  Diag *first;
  Diag **last;
  Diag *newest; // the last message; NULL: it was not kept
  int num_errors, num_warnings;
  int num_bugs;     // errors that are the compiler's own
  int num_misuses;  // errors of the caller's: of an option, not of the source
  int num_distinct; // errors without those that repeat another
  int error_limit;  // errors past this many are counted, not kept; 0: 20
  bool repeated;    // the last message was not kept: it was reported before
  bool muted;       // true: nothing is recorded (a trial walk)
} DiagList;

void diag_init(DiagList *diags, Arena *arena);
// One that nobody hears of.
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
// The compiler is wrong, not the program: counts as an error and as a bug.
__attribute__((format(printf, 3, 4))) bool diag_bug(DiagList *diags, SrcLoc loc,
                                                    const char *format, ...);
// Not the source is wrong, but what the caller asks for.
__attribute__((format(printf, 3, 4))) bool
diag_misuse(DiagList *diags, SrcLoc loc, const char *format, ...);
__attribute__((format(printf, 3, 4))) void
diag_warning(DiagList *diags, SrcLoc loc, const char *format, ...);
__attribute__((format(printf, 3, 4))) void
diag_remark(DiagList *diags, SrcLoc loc, const char *format, ...);
__attribute__((format(printf, 3, 4))) void
diag_note(DiagList *diags, SrcLoc loc, const char *format, ...);
// The remedy for the last message: `text` in place of `loc`.
void diag_fix(DiagList *diags, SrcLoc loc, const char *text);
// If the last message, of which notes are a part, is about `loc`, it is about
// these, too.
void diag_ranges(DiagList *diags, SrcLoc loc, SrcLoc left, SrcLoc right);
// Takes back what was said since `*diags` was `before`.
void diag_retract(DiagList *diags, const DiagList *before);
// Below another message than the last one, after `last` of its notes.
void diag_note_after(DiagList *diags, Diag *last, SrcLoc loc, const char *text,
                     const char *format);
// Puts the messages from `*from` on, each with its notes, into the order of
// their places in a file; `from` is what `diags->last` was before them.
void diag_sort(DiagList *diags, Diag **from);
// Removes the messages since `then`, a copy of the list.
void diag_rewind(DiagList *diags, const DiagList *then);
bool diag_failed(const DiagList *diags); // has an error been counted?
// Are there more errors than the limit?  Then nobody looks for others.
bool diag_is_full(const DiagList *diags);
int diag_limit(const DiagList *diags);

// The id of the row that the message was made from, or NULL.
const char *diag_message_id(const Diag *diag, const DiagMessage *rows,
                            size_t count);

const char *severity_name(Severity severity);

// `file:line:column: error: text`, the source line and a caret below it.  A fix
// stands below the caret, where it goes.  Columns are those of a terminal.
// Control characters and bad UTF-8 of the source never reach the output.
void diag_render(const DiagList *diags, const Diag *diag, bool color, Str *out);
void diag_render_all(const DiagList *diags, bool color, Str *out);

// The candidate nearest to `name` if near enough to suggest, else NULL.
const char *diag_nearest(const char *name, const char *const *candidates,
                         size_t count);

#endif
