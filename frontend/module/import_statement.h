// import_statement.h -- the meanings of the names of an import statement.
#ifndef TILE_FRONTEND_IMPORT_STATEMENT_H
#define TILE_FRONTEND_IMPORT_STATEMENT_H

#include "frontend/module/program.h"

typedef struct {
  const char *name; // interned; NULL: `from module import *`
  uint32_t token;   // token of the name, or of the star
  Import import;
  const char *module; // dotted name of the module that is run
} ImportedName;

typedef Vec(ImportedName) ImportedNames;

// Is the module the language or a part of it?
bool is_language(const char *module);

// The names of the import statement that begins at the token, as far as it is
// valid.
ImportedNames import_names(Program *program, const AstFile *file,
                           uint32_t token);

#endif
