// scan.h -- one walk over the tokens of a file; see scan.c.
#ifndef TILE_FRONTEND_SCAN_H
#define TILE_FRONTEND_SCAN_H

#include "frontend/program.h"

// A block that is being walked through.
typedef struct {
  const char *prefix; // of names: "Class." or ""
  bool in_class, in_handler, in_branch;
  bool settled;  // the `if` before has a branch that is surely taken
  bool doubtful; // it has one that may be
  bool in_try, in_loop;
  bool import_failed; // above in this `try`
  Definition *class;  // a NamedTuple or an aggregate, whose fields are wanted
} Surroundings;

typedef struct {
  Program *program;
  AstFile *file;
  uint32_t next;
  uint32_t decorators; // first token of those before the next def; or none
  bool decorated, is_jit;
  bool is_constant;          // a constexpr_function, a builtin
  bool is_aggregate;         // a class of values
  Surroundings scope, inner; // `inner` is for the next INDENT
  Vec(Surroundings) outer;
} Scanner;

int scan_kind(const Scanner *s, uint32_t index);
const char *scan_text(const Scanner *s, uint32_t index, size_t *length);
// The token's text behind `prefix`.
const char *scan_intern(const Scanner *s, const char *prefix, uint32_t index);
uint32_t scan_statement_end(const Scanner *s, uint32_t index);
Definition *scan_define(Scanner *s, DefinitionKind kind, const char *name,
                        uint32_t token);

// Each steps over the statement at `s->next`.
void scan_import(Scanner *s);
void scan_from(Scanner *s);

// What is bound in the tokens [begin, end) has no value that is known: the
// targets of an assignment, those of each in a statement, and what a walrus or
// a method that changes a list or a dict in place may stand for.
void scan_hide(Scanner *s, uint32_t token);
void scan_targets(Scanner *s, uint32_t begin, uint32_t end);
void scan_binding(Scanner *s, uint32_t begin, uint32_t end);
void scan_effects(Scanner *s, uint32_t begin, uint32_t end);

// NAME = jit(FUNCTION) of a plain function, NAME = autotune(...)(FUNCTION) of
// one that is marked, for the value in the tokens [begin, end); false: it is
// something else.
bool scan_wrapped(Scanner *s, uint32_t name, uint32_t begin, uint32_t end);

#endif
