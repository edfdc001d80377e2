// scan.h -- questions of other rooms to the tokens of a file.
#ifndef TILE_FRONTEND_SCAN_H
#define TILE_FRONTEND_SCAN_H

#include "frontend/module/program.h"
#include "ir/base/base.h"

// A block that is being walked through.
typedef struct {
  const char *prefix; // of names: "Class." or ""
  bool in_class, in_handler, in_branch;
  bool settled;  // the `if` before has a branch that is surely taken
  bool doubtful; // it has one that may be
  bool in_try, in_loop, in_match;
  bool in_doubt;      // what is here may not be reached
  bool is_try;        // the block of a `try` itself
  bool may_stop;      // above in this `try`, something may have failed
  bool has_stopped;   // above in this `try`, an import has failed
  bool tried_well;    // nothing in the `try` before can have failed
  bool else_in_doubt; // of a loop or a `try`
  uint32_t over_begin, over_end; // tokens of what the `match` looks at
  Definition *class; // a NamedTuple or an aggregate, whose fields are wanted
} Surroundings;

// A statement that may have to be run, and the names that it binds or changes.
typedef struct {
  uint32_t begin, end; // tokens; end 0: there is none
  uint32_t limit;      // of the definitions that it sees
  bool is_loop;
  Names names, changed;
} Run;

typedef struct {
  Program *program;
  AstFile *file;
  uint32_t next;
  Run run;
  uint32_t limit;      // of the definitions that the current line sees
  uint32_t decorators; // first token of those before the next def; or none
  bool decorated, is_jit;
  bool is_constant;          // a constexpr_function, a builtin
  bool is_aggregate;         // a class of values
  bool is_static;            // a staticmethod
  bool has_changed;          // the current line has changed something
  bool in_function;          // what is walked is its body
  const char *within;        // the prefix of one that is not run; or NULL
  uint32_t returns;          // a token of it where it may end; 0: none was met
  uint32_t num_before;       // definitions above that
  const char *self;          // of a method that is: its first parameter; NULL
  uint32_t any_rebound;      // where a function may bind any name; 0: none does
  size_t num_forgotten;      // of the file's names: had no value known then
  Map aliases;               // of the module and of the table of its names
  Map files;                 // names of other files that only text leads to
  Surroundings scope, inner; // `inner` is for the next INDENT
  Vec(Surroundings) outer;
} Scanner;

int scan_kind(const Scanner *s, uint32_t index);
const char *scan_text(const Scanner *s, uint32_t index, size_t *length);
// The token's text behind `prefix`.
const char *scan_intern(const Scanner *s, const char *prefix, uint32_t index);
// Is it `autotune` or `heuristics`?
bool scan_is_tuner(const Scanner *s, uint32_t token);
// Is it between statements?  Colons, which may be in one, are not.
bool scan_ends_statement(int kind);
bool scan_assigns(int kind); // `=`, `+=` and the like
// Is there a dot before it?
bool scan_is_member(const Scanner *s, uint32_t token);
bool scan_is_word(const Scanner *s, uint32_t index, const char *word);
// After the `.name` or `[index]` at `index`; `index`: there is none.
uint32_t scan_after_trailer(const Scanner *s, uint32_t index, uint32_t end);
// After the bracket that closes the one at `open`.
uint32_t scan_after_brackets(const Scanner *s, uint32_t open);
// The operator of `+=` and the like; else OPERATOR_COUNT.
Operator scan_operator(int kind);
// Is it `append` or another method that changes a list or a dict, or a string
// that names one?
bool scan_changes(const Scanner *s, uint32_t token);
bool is_changing_method(const char *name, size_t length);
// The effect that the tokens may have on objects that they did not make; 0:
// none.
enum {
  SUSPECT_CHANGES = 1, // they change something
  SUSPECT_ALL = 2,     // they may mean any thing, named or not
};
int scan_suspect(const Scanner *s, uint32_t begin, uint32_t end);
// Is the token text that holds code?  How long is the word that it begins with?
bool scan_is_code(const Scanner *s, uint32_t token);
size_t scan_word(const char *text);
// `NAME[i], x = 1, 2`, whose first comma is at `comma`: are they targets?
bool scan_is_one_target(const Scanner *s, uint32_t comma, uint32_t end);
// Does the definition leave its name to what is above, be it an alternative or
// `NAME = patch(NAME)` with setattr() in a function of the file?
bool scan_is_same_thing(Program *program, const Definition *d);
// May the class `name.` of `name.member` be what other names stand for, too?
bool scan_gives_class(Program *program, const char *member);
// Do the lines of the class say all that it has itself?
bool scan_says_members(const Definition *class);
// Can the value be changed in place?  No tuple of numbers can.
bool scan_may_change(const Definition *d);

// -- What a file does to others when it is imported --------------------------

typedef struct {
  Vec(AstFile *) run;    // what its imports run
  Vec(AstFile *) needed; // of that, modules that are imported in any case
  bool may_raise;        // a line that is run says `raise`
  Map changed;           // names of what other files have and it may change
  Map given;             // or give to what may
  Vec(Renamed) renamed;
} ImportEffects;

// The effects of a file that may only have been lexed; kept in the program's
// arena.
ImportEffects import_effects(Program *program, Arena *scratch, AstFile *file);

// -- Which tokens of a file may be names that its module has -----------------

// A truth for each token, for the names that are known so far.  Of a name in a
// class its last part counts; a file with star imports may have any name.
const bool *named_tokens(Program *program, AstFile *file);

// -- What is said where a file has no kernel ---------------------------------

// `name`: of the kernel that is asked for; NULL: any.
void no_kernel_at_all(Program *program, DiagList *diags, const char *name);
// The same of `d`, which is no kernel.
void not_a_kernel(Program *program, DiagList *diags, const Definition *d);

#endif
