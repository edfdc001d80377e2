// import_effects.h -- what a file does to others when it is imported.
#ifndef TILE_FRONTEND_IMPORT_EFFECTS_H
#define TILE_FRONTEND_IMPORT_EFFECTS_H

#include "frontend/module/program.h"

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

#endif
