// scan.h -- queries about the tokens of a file, for other rooms.
#ifndef TILE_FRONTEND_SCAN_H
#define TILE_FRONTEND_SCAN_H

#include "frontend/scan/cursor.h"
#include "ir/base/base.h"

// Is the token `append` or another method that changes a list or a dict, or a
// string that names one?
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
// Does the object of the name's earlier definition stay in use?  Yes if `d` is
// uncertain, or `NAME = patch(NAME)` where `patch`, a function of the file,
// calls setattr().
bool scan_is_same_thing(Program *program, const Definition *d);
// Has the class of `Class.member` escaped, so that `x.member = value` may write
// to it?
bool scan_gives_class(Program *program, const char *member);
// Are all members of the class visible in its lines?
bool scan_says_members(const Definition *class);
// Notes the environment variables that these tokens of the file set.
void scan_environment(Scanner *s, uint32_t begin, uint32_t end);
// Notes those that calls of the program's setters set.
void scan_calls_of_setters(Program *program);
// Can the value be changed in place?  A tuple of numbers cannot.
bool scan_may_change(const Definition *d);

// -- Effects of importing a file ---------------------------------------------

typedef struct {
  Vec(AstFile *) needed; // files that its imports run in any case
  Vec(AstFile *) run;    // files that they may run
  bool may_raise;        // a line that is run contains `raise`
} ImportEffects;

// The effects of importing a file, which only has to be lexed; the environment
// variables that it sets are noted.
ImportEffects import_effects(Program *program, AstFile *file);

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
