// parser.h -- from a range of tokens to a tree.
#ifndef TILE_FRONTEND_PARSER_H
#define TILE_FRONTEND_PARSER_H

#include "frontend/syntax/encoding.h"
#include "frontend/syntax/token.h"
#include "frontend/syntax/tree.h"

// One run of the grammar.  The caller sets the first group of fields.
struct Parser {
  Arena *arena;
  DiagList *diags;
  const Source *source;
  const TokenList *list;
  Map *names;            // interned identifiers
  Map *called;           // collects names of callees; or NULL
  AstFunction *function; // filled by parser_function()
  int fstring_depth;

  uint32_t next, end; // range of the remaining tokens
  int start;          // pseudo-token that selects the start symbol; then 0
  bool is_host;       // all statements are parsed
  bool whole_def;     // the next token is the `def` to be parsed
  int tries;          // number of `try` around, in a host function
  int brackets, indents;
  int errors_at_start;
  bool failed;           // a syntax error was found
  bool stopped;          // no further errors are reported
  uint32_t recovered_at; // end of the last statement with an error
  bool returns_value;    // a `return value` was parsed
  Expr *result;          // of parser_expr()
  bool debug;            // the expression ends with '=', as in f"{x=}"
};

// Parses the tokens [begin, end), from `def` to the end of the block, into
// `function`; false after a diagnostic.
bool parser_function(Parser *parser, uint32_t begin, uint32_t end,
                     AstFunction *function);
// Parses whole lines as the body of `function`.
bool parser_statements(Parser *parser, uint32_t begin, uint32_t end,
                       AstFunction *function);
// Parses the statements of a module; one with an error becomes an UNSUPPORTED,
// without a message.
StmtList parser_module(Parser *parser);
// Parses an expression or tuple; NULL after a diagnostic.
Expr *parser_expr(Parser *parser, uint32_t begin, uint32_t end);

const char *parser_intern(Parser *parser, const char *text, size_t length);
const Token *parser_token(const Parser *parser, TextSpan span);

// Functions for parser.y.  `expected` are names of tokens for messages.
void report_syntax_error(Parser *parser, TextSpan span,
                         const char *const *expected, int count);
// Reports an error in the header, at the token of this index, of a statement
// whose body is not parsed; false: there is no error.
bool report_header(Parser *parser, uint32_t index);
// The index of the token behind the decorators that begin at `index`.
uint32_t parser_skip_decorators(const Parser *parser, uint32_t index);
void report_too_deep(Parser *parser, TextSpan span, int limit);
void report_indentation(Parser *parser, TextSpan span);

#endif
