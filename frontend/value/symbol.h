// symbol.h -- the meaning of a module's name, as a value.
#ifndef TILE_FRONTEND_SYMBOL_H
#define TILE_FRONTEND_SYMBOL_H

#include "frontend/syntax/ast.h"

typedef enum {
  SYMBOL_ABSENT,   // no line defines it; nothing is reported
  SYMBOL_ERROR,    // an error was reported
  SYMBOL_FUNCTION, // marked jit
  SYMBOL_GLOBAL,   // `NAME = value`; aliases are followed already
  SYMBOL_CLASS,    // a NamedTuple or an aggregate
  SYMBOL_MODULE,   // a file
  SYMBOL_BUILTIN,  // `name` is a dotted name below "triton"
  SYMBOL_HOST,     // def, class or value of host code
  SYMBOL_EXTERNAL, // from a module that is not found ("torch.float32")
} SymbolKind;

typedef struct {
  SymbolKind kind;
  const char *name;            // BUILTIN, EXTERNAL: dotted; else as defined
  SrcLoc loc;                  // of the definition, if in a file; EXTERNAL: of
                               // the import
  const AstFunction *function; // FUNCTION; HOST: NULL, or not parsed yet
  const AstGlobal *global;     // GLOBAL; BUILTIN: a global that may be that
                               // module
  const char *implied;         // GLOBAL: the module that it is assumed to be,
                               // if it is the result of a call that only the
                               // host knows; HOST: module that the call imports
  const AstClass *class;       // CLASS
  bool is_patched; // BUILTIN, HOST: setattr() has set some of its members
  AstFile *file;   // GLOBAL, CLASS: where to evaluate; MODULE: which
  uint32_t order;  // HOST: its members are definitions below this number; 0:
                   // any
  const struct Definition *doubtful; // the value, alias or import that may be
                                     // unreached; or NULL
} Symbol;

// BUILTIN names are canonical, whatever the import was: "triton",
// "triton.language", "triton.language.exp", "triton.language.math.exp",
// "triton.language.libdevice.tanh", "triton.cdiv".  The caller checks whether
// the builtin exists.

#endif
