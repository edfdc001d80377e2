// scan.h -- queries about the tokens of a file, for other rooms.
#ifndef TILE_FRONTEND_SCAN_H
#define TILE_FRONTEND_SCAN_H

#include "frontend/module/program.h"
#include "ir/base/base.h"

// The state of the block that is walked.
typedef struct {
  const char *prefix; // goes before names that the block defines: "Class." or
                      // ""
  bool in_class, in_handler, in_branch;
  bool settled;  // a branch of the current `if` is surely taken
  bool doubtful; // a branch of the current `if` may be taken
  bool in_try, in_loop, in_match;
  bool in_doubt;      // the lines of the block may be unreached
  bool is_try;        // the block is the body of a `try`
  bool may_stop;      // a line above in this `try` may have failed
  bool has_stopped;   // an import above in this `try` has failed
  bool tried_well;    // no line in the `try` of this handler can have failed
  bool else_in_doubt; // the `else` of a loop or `try` may be unreached
  uint32_t over_begin, over_end; // tokens of the subject of the `match`
  Definition *class; // a NamedTuple or an aggregate, whose fields are collected
} Surroundings;

// A statement that may have to be run, and the names that it binds or changes.
typedef struct {
  uint32_t begin, end; // its tokens; end 0: there is no statement
  uint32_t limit;      // the statement sees definitions whose order is lower
  bool is_loop;
  Names names, changed;
} Run;

typedef struct {
  Program *program;
  AstFile *file;
  uint32_t next;
  Run run;
  uint32_t limit;      // the current line sees definitions whose order is lower
  uint32_t decorators; // first token of the decorators above the next def
  bool decorated, is_jit;
  bool is_constant;          // constexpr_function or builtin
  bool is_aggregate;         // a class of values
  bool is_static;            // a staticmethod
  bool has_changed;          // the current line has changed an object
  bool in_function;          // the tokens are the body of a function
  const char *within;        // prefix of the host function that is walked; or
                             // NULL
  uint32_t returns;          // token of its first `return` or `raise`; 0: none
                             // so far
  uint32_t num_before;       // number of definitions above that token
  const char *self;          // first parameter of the method that is walked; or
                             // NULL
  uint32_t any_rebound;      // token at which a function may bind any name; 0:
                             // none
  size_t num_forgotten;      // of the file's names: so many lost their values
  Map aliases;               // names for the module, and for the table of its
                             // names
  Map files;                 // names for other files that are imported by text
  Surroundings scope, inner; // `inner` is for the next INDENT
  Vec(Surroundings) outer;
} Scanner;

int scan_kind(const Scanner *s, uint32_t index);
const char *scan_text(const Scanner *s, uint32_t index, size_t *length);
// The token's text behind `prefix`, interned.
const char *scan_intern(const Scanner *s, const char *prefix, uint32_t index);
// Is it `autotune` or `heuristics`?
bool scan_is_tuner(const Scanner *s, uint32_t token);
// Does a token of the kind end a statement?  A colon, which may be within one,
// does not count.
bool scan_ends_statement(int kind);
bool scan_assigns(int kind); // `=`, `+=` and the like
// Is there a dot before it?
bool scan_is_member(const Scanner *s, uint32_t token);
bool scan_is_word(const Scanner *s, uint32_t index, const char *word);
// The token behind the `.name` or `[index]` at `index`; `index` if neither is
// there.
uint32_t scan_after_trailer(const Scanner *s, uint32_t index, uint32_t end);
// The token behind the bracket that closes the bracket at `open`.
uint32_t scan_after_brackets(const Scanner *s, uint32_t open);
// The operator of `+=` and the like; else OPERATOR_COUNT.
Operator scan_operator(int kind);
// Is it `append` or another method that changes a list or a dict, or a string
// that names one?
bool scan_changes(const Scanner *s, uint32_t token);
bool is_changing_method(const char *name, size_t length);
// The effects that tokens may have on objects that they did not make.
enum {
  SUSPECT_CHANGES = 1, // they change an object
  SUSPECT_ALL = 2,     // they may change any object, named or not
};
int scan_suspect(const Scanner *s, uint32_t begin, uint32_t end);
// scan_is_code(): is the token a string of code?  scan_word(): the length of
// the word at the start of the text.
bool scan_is_code(const Scanner *s, uint32_t token);
size_t scan_word(const char *text);
// `NAME[i], x = 1, 2`, whose first comma is at `comma`: are both targets?
bool scan_is_one_target(const Scanner *s, uint32_t comma, uint32_t end);
// Does the object of the definition before stay in use?  Yes if `d` is
// uncertain, or `NAME = patch(NAME)` with setattr() in a function of the file.
bool scan_is_same_thing(Program *program, const Definition *d);
// Has the class of `Class.member` escaped, so that `x.member = value` may write
// to it?
bool scan_gives_class(Program *program, const char *member);
// Are all members of the class visible in its lines?
bool scan_says_members(const Definition *class);
// Can the value be changed in place?  A tuple of numbers cannot.
bool scan_may_change(const Definition *d);

// -- Effects of importing a file on other files ------------------------------

typedef struct {
  Vec(AstFile *) run;    // files that its imports run
  Vec(AstFile *) needed; // those of `run` that it imports in any case
  bool may_raise;        // a line that is run contains `raise`
  Map changed;           // names of other files' objects that it may change
  Map given;             // names of other files' objects that escape from it
  Vec(Renamed) renamed;
} ImportEffects;

// The effects of importing a file, which only has to be lexed; they are kept in
// the program's arena.
ImportEffects import_effects(Program *program, Arena *scratch, AstFile *file);

// -- Which tokens of a file may be names that its module has -----------------

// For each token: may it be one of the names that are known so far?  A name in
// a class counts by its last part; in a file with star imports any name may be.
const bool *named_tokens(Program *program, AstFile *file);

// -- Messages about a file without a kernel ----------------------------------

// `name` is the requested kernel; NULL: any.
void no_kernel_at_all(Program *program, DiagList *diags, const char *name);
// The message about `d`, which is no kernel.
void not_a_kernel(Program *program, DiagList *diags, const Definition *d);

#endif
