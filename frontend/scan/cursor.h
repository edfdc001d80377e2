// cursor.h -- a walk over the tokens of a file, and its steps.
#ifndef TILE_FRONTEND_SCAN_CURSOR_H
#define TILE_FRONTEND_SCAN_CURSOR_H

#include "frontend/module/program.h"
#include "frontend/value/value.h"
#include "ir/base/base.h"

// A block that is being walked through.
typedef struct {
  const char *prefix; // of names: "Class." or ""
  bool in_class, in_handler, in_branch;
  bool settled;  // the `if` before has a branch that is surely taken
  bool doubtful; // that `if` has a branch that may be taken
  bool in_try, in_loop, in_match;
  bool is_below;      // an `if`, a loop, a `try` or a `with` of the module
  bool in_doubt;      // the code here may not be reached
  bool is_try;        // the block of a `try` itself
  bool may_stop;      // above in this `try`, something may have failed
  bool has_stopped;   // above in this `try`, an import has failed
  bool tried_well;    // nothing in the `try` before can have failed
  bool else_in_doubt; // of a loop or a `try`
  uint32_t over_begin, over_end; // tokens of the subject of `match`
  Definition *class; // a NamedTuple or an aggregate, whose fields are wanted
} Surroundings;

typedef struct {
  Program *program;
  AstFile *file;
  bool is_imported; // only imported: a run of the modules, not this walk, finds
                    // the changes that its lines make in other files
  uint32_t next;
  uint32_t limit;      // of the definitions that the current line sees
  uint32_t decorators; // first token of decorators of the next def, if any
  Reached reach;       // of the current statement, as the module has run
  bool decorated, is_jit;
  bool is_constant;          // a constexpr_function, a builtin
  bool is_aggregate;         // a class of values
  bool is_static;            // a staticmethod
  bool in_function;          // the scanner is in the body of a function
  const char *within;        // prefix of a function that is not run; or NULL
  uint32_t returns;          // first `return` or `raise` there; 0: none so far
  uint32_t num_before;       // number of definitions above `returns`
  const char *self;          // first parameter of the method; or NULL
  uint32_t any_rebound;      // where a function may bind any name; 0: none does
  size_t num_forgotten;      // number of names that forget_all() handled
  Map aliases;               // of the module and of the table of its names
  Map files;                 // names of other files that only text leads to
  Surroundings scope, inner; // `inner` is for the next INDENT
  Vec(Surroundings) outer;
} Scanner;

// The token at `index`, or the last one.
static inline const Token *scan_token(const Scanner *s, uint32_t index) {
  const TokenList *list = &s->file->list;
  const uint32_t last = (uint32_t)list->tokens.count - 1;
  return &list->tokens.items[index < last ? index : last];
}

static inline int scan_kind(const Scanner *s, uint32_t index) {
  return scan_token(s, index)->kind;
}

const char *scan_text(const Scanner *s, uint32_t index, size_t *length);
SrcLoc scan_loc(const Scanner *s, uint32_t index);
// The token's text behind `prefix`.
const char *scan_intern(const Scanner *s, const char *prefix, uint32_t index);
bool scan_is_word(const Scanner *s, uint32_t index, const char *word);
bool scan_is_one_of(const Scanner *s, uint32_t index, const char *const *words,
                    size_t count);
static inline bool scan_is_listed(const Scanner *s, uint32_t index,
                                  WordList list) {
  size_t count;
  const char *const *words = words_of(list, &count);
  return scan_is_one_of(s, index, words, count);
}
// Have the two tokens the same text?
bool scan_is_same_text(const Scanner *s, uint32_t a, uint32_t b);
// The name in a plain string literal behind `prefix`; NULL: it is none.
const char *scan_quoted_name(const Scanner *s, const char *prefix,
                             uint32_t token);
// Is there a dot before the token?
bool scan_is_member(const Scanner *s, uint32_t token);
bool scan_assigns(int kind); // `=`, `+=` and the like
// The operator of `+=` and the like; else OPERATOR_COUNT.
Operator scan_operator(int kind);
// May an expression that can be called or indexed end with such a token?
static inline bool scan_ends_primary(int kind) {
  return kind == TOKEN_NAME || kind == TOKEN_RPAREN || kind == TOKEN_RBRACKET ||
         kind == TOKEN_RBRACE;
}
// Is a token of this kind between statements?  A colon is not, as it may be in
// a statement.
bool scan_ends_statement(int kind);
// May a statement begin behind a token of that kind?
bool scan_begins_statement(int before);
// Is it possible that the current line is not reached?
bool scan_is_uncertain(const Scanner *s);
uint32_t scan_line_end(const Scanner *s, uint32_t index);
uint32_t scan_statement_end(const Scanner *s, uint32_t index);
uint32_t scan_after_line(const Scanner *s, uint32_t index);
// After the header at `index` and the block below it.
uint32_t scan_after_block(const Scanner *s, uint32_t index);
// The colon that ends the header at `index`.
uint32_t scan_header_end(const Scanner *s, uint32_t index);
// After the `.name`s behind the name at `token`.
uint32_t scan_callee_end(const Scanner *s, uint32_t token);
// After the `.name` or `[index]` at `index`; `index`: there is none.
uint32_t scan_after_trailer(const Scanner *s, uint32_t index, uint32_t end);
// After `.name` and `[index]` at `index`.
uint32_t scan_after_trailers(const Scanner *s, uint32_t index, uint32_t end);
// The bracket that opens the one at `close`, or `begin`.
uint32_t scan_opening(const Scanner *s, uint32_t close, uint32_t begin);
// After the bracket that closes the one at `open`.
uint32_t scan_after_brackets(const Scanner *s, uint32_t open);

#endif
