// imports.h -- the meaning of a module-level name.
//
// Modules are found and parsed when a name of theirs is first needed, so a
// missing module or an import cycle is an error only where it matters.
#ifndef TILE_FRONTEND_IMPORTS_H
#define TILE_FRONTEND_IMPORTS_H

#include "frontend/frontend.h"
#include "frontend/syntax/ast.h"
#include "frontend/value/value.h"

// The meaning of `name` at the end of `file`; messages point at `use`.
Symbol program_lookup(Program *program, DiagList *diags, AstFile *file,
                      const char *name, SrcLoc use);

// The meaning of `name` for a line at `place`.
Symbol program_lookup_at(Program *program, DiagList *diags, AstFile *file,
                         AstPlace place, const char *name, SrcLoc use);

// Do modules of Triton usually have the name?
bool name_is_implied(const char *name);
// `symbol`; if it is a value that stands for a module, that module.  For places
// where only modules matter, such as decorators.
Symbol symbol_unless_value(Symbol symbol);

// May setattr() have given the symbol the member `name`?
bool symbol_is_set(const Program *program, const Symbol *symbol,
                   const char *name);

// A module by its dotted name, as `from` would import it: MODULE, BUILTIN or
// EXTERNAL.
Symbol program_module(Program *program, DiagList *diags, AstFile *from,
                      const char *dotted, SrcLoc use);

// The meaning of the symbol's name if its definition, which is uncertain, did
// not run.
Symbol program_otherwise(Program *program, DiagList *diags,
                         const Symbol *symbol, SrcLoc use);

// The meaning of `object.name` for a MODULE, BUILTIN or EXTERNAL, or for a
// CLASS or HOST class with jit functions or values in it.
Symbol program_member(Program *program, DiagList *diags, Symbol object,
                      const char *name, SrcLoc use);

// The function that HOST refers to, parsed; NULL if it is no function, or uses
// statements that kernels may not.
const AstFunction *program_host_function(Program *program, const Symbol *host);

// The jit function that `jit(host)` returns: the same one for each call.  NULL:
// `host` is no function, or its decorators or the code around it make it
// another.
const AstFunction *program_marked(Program *program, const Symbol *host);

// The function with its decorators; NULL if it has none or is a generator.
const AstFunction *program_decorated(Program *program, const Symbol *host);
// Does the decorator of that name leave the function's result unchanged?
bool decorator_is_plain(const char *name);

// Does a call of the HOST function run its body, and nothing around it?
bool program_is_plain(Program *program, const Symbol *host);

// The function that a statement within another function defines, if its
// decorators are known; NULL if it is something else, or uses statements that
// kernels may not.
const AstFunction *program_nested_function(Program *program, AstFile *file,
                                           const Stmt *stmt);

// The functions of a class that a statement within a function defines: their
// number, at most `most`; -1 if the class has bases or other members.
int program_nested_class(Program *program, AstFile *file, const Stmt *stmt,
                         const char **name, const AstFunction **out, int most);

AstFile *program_main_file(const Program *program);
// The name that a MODULE defines and that is nearest to `name`, or NULL.
const char *symbol_nearest(const Symbol *object, const char *name);
// The name of the file that is nearest to `name`, or NULL.
const char *file_nearest(const AstFile *file, const char *name);
// The interned copy of `name`, to compare with names in the tree.
const char *program_intern(Program *program, const char *name);

#endif
