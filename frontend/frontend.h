// frontend.h -- from source text to a program, the one header others may see.
//
// A Program is one file and what it imports.  It lives in its arena; looking
// something up may read and parse more of it, so calls on one Program need a
// lock where threads share it, and its arena must be under arena_protect().
#ifndef TILE_FRONTEND_FRONTEND_H
#define TILE_FRONTEND_FRONTEND_H

#include "ir/base/diag.h"

typedef struct Program Program;
typedef struct AstFunction AstFunction;

// Input and output belong to the caller: how to get at an imported file.
typedef struct {
  void *ctx;
  // The text in `arena`, or NULL if there is no such file.
  const char *(*read)(void *ctx, const char *path, Arena *arena,
                      size_t *length);
} FileReader;

typedef struct {
  const char *const *include_paths; // searched after the file's own folder
  int num_include_paths;
  FileReader reader; // read == NULL: no imported file is ever found
} FrontendOptions;

// NULL after errors.  `options` may be NULL; what it points to is copied.
// `source` is copied except for its text, which must outlive the program.
Program *frontend_parse(Arena *arena, DiagList *diags, const Source *source,
                        const FrontendOptions *options);

// Lets `diags` draw carets into all files read so far.
void frontend_add_sources(const Program *program, DiagList *diags);

// The files read so far, the main one first (for -MD).
int frontend_num_files(const Program *program);
const char *frontend_file(const Program *program, int index);

// The functions marked jit, in the order of the main file.
int frontend_num_functions(const Program *program);
const AstFunction *frontend_function(const Program *program, int index);
const AstFunction *frontend_find_function(const Program *program,
                                          const char *name);
// As above, but an error with a suggestion when there is none.  `name` NULL:
// the only kernel, else an error that lists them.
const AstFunction *frontend_find_kernel(const Program *program, DiagList *diags,
                                        const char *name);

const char *function_name(const AstFunction *function);
SrcLoc function_loc(const AstFunction *function);
// Can it be launched?  Not if it returns a value or another one calls it.
bool function_is_kernel(const AstFunction *function);

typedef struct {
  const char *name;
  const char *annotation; // as written; NULL: none
  bool is_constexpr, has_default;
  SrcLoc loc;
} FunctionParam;

int function_num_params(const AstFunction *function);
FunctionParam function_param(const AstFunction *function, int index);

// One token or node a line, for --emit=tokens and --emit=ast.
void frontend_print_tokens(Arena *arena, DiagList *diags, const Source *source,
                           Str *out);
void frontend_print_ast(const Program *program, Str *out);

#endif
