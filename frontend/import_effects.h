// import_effects.h -- what a file does to others when it is imported.
#ifndef TILE_FRONTEND_IMPORT_EFFECTS_H
#define TILE_FRONTEND_IMPORT_EFFECTS_H

#include "frontend/import_statement.h"

typedef struct {
  ImportedNames imports; // those of what is run when the file is imported
  ImportedNames needed;  // of these, those in any case
  bool may_raise;
  Map changed; // names of what other files have and it may change
  Map given;   // or give to what may
  Vec(Renamed) renamed;
} ImportEffects;

// Is what the statement names of a file of the program?
typedef struct {
  bool (*is_ours)(void *data, const ImportedName *name);
  void *data;
} NameOwner;

// Of a file that may only have been lexed.
ImportEffects import_effects(Program *program, Arena *scratch, AstFile *file,
                             const NameOwner *owner);

#endif
