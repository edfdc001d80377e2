// world.h -- queries about host code, for the rooms below it.
//
// A walk meets names whose values come from a module's lines, from the host, or
// from -D.  Their evaluation is built on top of the walk, so the walk gets this
// table of functions: see frontend/parse.c.
#ifndef TILE_FRONTEND_WORLD_H
#define TILE_FRONTEND_WORLD_H

#include "frontend/frontend.h"
#include "frontend/value/builtin.h"

// The purpose for which the value of a name is asked for.
typedef enum {
  TOLD_CODE,  // a function, class or module: a text that may set any name is
              // assumed to set another one
  TOLD_VALUE, // a value that cannot be changed in place
  TOLD_THING, // a value that is or holds a list, dictionary or set
} ToldAs;

// Was a statement of a module run?
typedef enum {
  REACHED_UNKNOWN,
  REACHED_NEVER,
  REACHED_MAYBE,
  REACHED_SURELY,
} Reached;

typedef struct World {
  // The value of a module's global; NULL after a diagnostic.
  const Object *(*value)(Walk *w, const Symbol *symbol, SrcLoc use);
  // The value of the file's name when a kernel is launched, as a run of the
  // modules finds it; with `member`, the value of that member, if the name is a
  // module. NULL, without a message: unknown.
  const Object *(*run)(Program *program, const AstFile *file, const char *name,
                       const char *member);
  // The argument of the call of perf_report() there, as a run of the modules
  // finds it.  NULL, without a message: unknown.
  const Object *(*report)(Program *program, const AstFile *file, SrcLoc call);
  // Did a run of the modules reach the statement of the file that begins at the
  // token, below an `if`, a loop, a `try`, a `with` or a class?
  Reached (*reach)(Program *program, const AstFile *file, uint32_t token);
  // Does the meaning of the name follow from lines of the file alone?
  bool (*is_told)(Program *program, const AstFile *file, const char *name,
                  ToldAs as);
  // `x` is the meaning of `symbol` if its uncertain definition ran.  If it is a
  // constant: an error, unless both branches agree.  If it is a function or a
  // module: `x`, with a warning.
  const Object *(*choice)(Walk *w, const Symbol *symbol, const Object *x,
                          SrcLoc use);
  // The function of the language with the last part of `name`, and a warning;
  // NULL, without a message, if there is none.
  const Object *(*function)(Walk *w, const char *name, SrcLoc use);
  // Binds the names that the statement imports, in a function that runs while
  // compiling; false: it is no import, or one that may fail in Python.
  bool (*import)(Walk *w, const Stmt *stmt);

  // The value of -D for `name`, whose meaning at the use is `symbol`.  NULL:
  // there is none, or, with `*failed` set, an error was reported.
  const Object *(*defined_name)(Walk *w, const char *name, const Symbol *symbol,
                                SrcLoc use, bool *failed);
  // The same for `x.name`, whose meaning is `member`.
  const Object *(*defined_member)(Walk *w, const Symbol *x, const char *name,
                                  const Symbol *member, SrcLoc use,
                                  bool *failed);
  // Sets the values of -D for the conditions of modules.
  void (*assume)(Program *program, const FrontendOptions *options);
} World;

#endif
