// guard.h -- what is known of a module's conditions before it runs.
#ifndef TILE_FRONTEND_GUARD_H
#define TILE_FRONTEND_GUARD_H

#include "frontend/module/program.h"

typedef enum { TRUTH_UNKNOWN, TRUTH_NO, TRUTH_YES } Truth;

// The truth of the condition in the tokens [begin, end), at `place`.
Truth guard_truth(Program *program, AstFile *file, AstPlace place,
                  uint32_t begin, uint32_t end);
// Is the value of the expression known?
bool guard_knows(Program *program, AstFile *file, AstPlace place,
                 uint32_t begin, uint32_t end);

// The value, or NULL.
const struct Object *guard_value(Program *program, AstFile *file,
                                 AstPlace place, uint32_t begin, uint32_t end);

// The same of an expression at the end of the file.
const struct Object *guard_evaluate(Program *program, AstFile *file,
                                    const struct Expr *expr);

// Would Python find what this import names?  Triton's own, files, and what
// every machine with Triton has.
bool guard_import_works(Program *program, AstFile *file, const Definition *d);

// Is it a value that another file assigns?
bool guard_imports_value(Program *program, AstFile *file, const Definition *d);

// Is there a module of that name, for code of `file`?
bool guard_has_module(Program *program, AstFile *file, const char *dotted);

#endif
