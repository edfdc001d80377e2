// scan.h -- questions of other rooms to the tokens of a file.
#ifndef TILE_FRONTEND_SCAN_H
#define TILE_FRONTEND_SCAN_H

#include "frontend/scan/cursor.h"
#include "ir/base/base.h"

// Is it `autotune` or `heuristics`?
bool scan_is_tuner(const Scanner *s, uint32_t token);
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
