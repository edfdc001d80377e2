// symbol.h -- the meaning of a module's name, as a value.
#ifndef TILE_FRONTEND_SYMBOL_H
#define TILE_FRONTEND_SYMBOL_H

#include "frontend/syntax/ast.h"

typedef enum {
  SYMBOL_ABSENT,   // nobody defines it; nothing reported
  SYMBOL_ERROR,    // a diagnostic says why
  SYMBOL_FUNCTION, // marked jit
  SYMBOL_GLOBAL,   // `NAME = value`; aliases are followed already
  SYMBOL_CLASS,    // a NamedTuple or an aggregate
  SYMBOL_MODULE,   // a file
  SYMBOL_BUILTIN,  // `name` is a dotted name below "triton"
  SYMBOL_HOST,     // def, class or value of host code: exists, is not ours
  SYMBOL_EXTERNAL, // from a module that is no file of ours ("torch.float32")
} SymbolKind;

typedef struct {
  SymbolKind kind;
  const char *name;            // BUILTIN, EXTERNAL: dotted; else as defined
  SrcLoc loc;                  // where it is defined, if in a file; EXTERNAL:
                               // where it is imported
  const AstFunction *function; // FUNCTION; HOST: NULL, or not parsed yet
  const AstGlobal *global;     // GLOBAL; BUILTIN: what may be that module
  const char *implied;         // GLOBAL: the module that it is if it is the
                               // result of a call that only the host can make;
                               // HOST: as which a call imports it
  const AstClass *class;       // CLASS
  bool is_patched; // BUILTIN, HOST: some members are what setattr() gave it
  AstFile *file;   // GLOBAL, CLASS: where to evaluate; MODULE: which
  uint32_t order;  // HOST: of the first definition that its members may not be;
                   // 0: each may
  const struct Definition *doubtful; // the value, alias or import that may
                                     // not have been reached; NULL: it was
} Symbol;

// BUILTIN names are canonical, whatever the import said: "triton",
// "triton.language", "triton.language.exp", "triton.language.math.exp",
// "triton.language.libdevice.tanh", "triton.cdiv".  Whether there is such a
// builtin is for the caller to know.

#endif
