// parser.h -- from a range of tokens to a tree.
#ifndef TILE_FRONTEND_PARSER_H
#define TILE_FRONTEND_PARSER_H

#include "frontend/syntax/encoding.h"
#include "frontend/syntax/token.h"
#include "frontend/syntax/tree.h"

// One run of the grammar.  The first group is the caller's to set.
struct Parser {
  Arena *arena;
  DiagList *diags;
  const Source *source;
  const TokenList *list;
  Map *names;            // interned identifiers
  Map *called;           // collects names of callees, if not NULL
  AstFunction *function; // filled by parser_function()
  int fstring_depth;

  uint32_t next, end; // tokens to go
  int start;          // pseudo-token to begin with, then 0
  bool is_host;       // all statements are parsed, not folded
  bool whole_def;     // the next token is the `def` to parse, not to fold
  int tries;          // in a function of the host, whose handlers follow
  int brackets, indents;
  int errors_at_start;
  bool failed;           // met a syntax error
  bool stopped;          // reported all there is to say
  uint32_t recovered_at; // the end of the last erroneous statement
  bool returns_value;    // has the function a `return value`?
  Expr *result;          // of parser_expr()
  bool debug;            // the expression ended with '=', as in f"{x=}"
};

// Parses the tokens [begin, end), `def` to the end of its block, into
// `function`; false if something was reported.
bool parser_function(Parser *parser, uint32_t begin, uint32_t end,
                     AstFunction *function);
// Whole lines, as the body of `function`.
bool parser_statements(Parser *parser, uint32_t begin, uint32_t end,
                       AstFunction *function);
// The statements of a module; one that cannot be parsed is an UNSUPPORTED.
// Nothing is reported.
StmtList parser_module(Parser *parser);
// An expression or tuple; NULL if something was reported.
Expr *parser_expr(Parser *parser, uint32_t begin, uint32_t end);

const char *parser_intern(Parser *parser, const char *text, size_t length);
const Token *parser_token(const Parser *parser, TextSpan span);

// Calls for parser.y.  `expected` are names of tokens, as messages show them.
void report_syntax_error(Parser *parser, TextSpan span,
                         const char *const *expected, int count);
// Reports an error in the header, at the token of this index, of a statement
// whose body is not parsed; false: there is none.
bool report_header(Parser *parser, uint32_t index);
// The index of the token behind the decorators that begin at `index`.
uint32_t parser_skip_decorators(const Parser *parser, uint32_t index);
void report_too_deep(Parser *parser, TextSpan span, int limit);
void report_indentation(Parser *parser, TextSpan span);

#endif
