// world.h -- questions to host code, for the rooms below it.
//
// A walk meets names that a module's lines give their values, that the host
// computes, or that -D gives.  How these are found is built on the walk.  So
// the walk is given it: see frontend/parse.c.
#ifndef TILE_FRONTEND_WORLD_H
#define TILE_FRONTEND_WORLD_H

#include "frontend/frontend.h"
#include "frontend/value/builtin.h"

typedef struct World {
  // A module's value, which may be a value of its making; NULL after a
  // diagnostic.
  const Object *(*value)(Walk *w, const Symbol *symbol, SrcLoc use);
  // The value that the name of the file has when a kernel is launched, or, if
  // `member` is not NULL, that of the module that it stands for, as a run of
  // the modules finds it; NULL, with nothing said: it is not known.
  const Object *(*run)(Program *program, const AstFile *file, const char *name,
                       const char *member);
  // Do lines of the file tell what binds the name?  Not where a text may do it,
  // as `globals()["N"] = 2` does.
  bool (*is_told)(Program *program, const AstFile *file, const char *name);
  // `x`, which an uncertain symbol that is no value means if its definition was
  // reached: a value is an error where it may be another one, a function or a
  // module is told of.
  const Object *(*choice)(Walk *w, const Symbol *symbol, const Object *x,
                          SrcLoc use);
  // The function of the language with the last part of `name`, and a warning;
  // NULL if there is none, with nothing said.
  const Object *(*function)(Walk *w, const char *name, SrcLoc use);
  // Binds the names that the statement imports in a function that runs while
  // compiling; false: it is no import, or one that Python might not find.
  bool (*import)(Walk *w, const Stmt *stmt);
  // Has a line above that of `order` changed `x`, or what it holds, under any
  // name?  0: or another line of the file.  `symbol` names it; may be NULL.
  bool (*was_changed)(Walk *w, const AstFile *file, uint32_t order,
                      const Object *x, const Symbol *symbol);

  // The value that -D gives for `name`, which stands for `symbol` where it is
  // used.  NULL: none is, or a diagnostic says why not; `*failed` tells which.
  const Object *(*defined_name)(Walk *w, const char *name, const Symbol *symbol,
                                SrcLoc use, bool *failed);
  // The same for `x.name`, where `member` is what that stands for.
  const Object *(*defined_member)(Walk *w, const Symbol *x, const char *name,
                                  const Symbol *member, SrcLoc use,
                                  bool *failed);
  // Values of -D, for the conditions of modules.
  void (*assume)(Program *program, const FrontendOptions *options);
} World;

#endif
