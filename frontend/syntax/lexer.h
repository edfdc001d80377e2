// lexer.h -- the state between lexer.l (patterns) and lexer.c (actions).
#ifndef TILE_FRONTEND_LEXER_H
#define TILE_FRONTEND_LEXER_H

#include "frontend/syntax/token.h"

typedef struct {
  uint32_t columns; // with tabs up to multiples of 8
  uint32_t narrow;  // with tabs as one column
} Indent;

typedef struct {
  char open;
  bool hidden; // its end may be within an unterminated string
  uint32_t begin, line, column;
} OpenBracket;

// A string, or a replacement field or format specification within an f-string.
typedef enum { FRAME_STRING, FRAME_FIELD, FRAME_SPEC } FrameKind;

typedef struct {
  FrameKind kind;
  char quote;
  bool triple, formatted;
  bool nested;       // within a field of another string
  uint32_t brackets; // of a field: number of open ones
  uint32_t begin, line, column;
  uint32_t marks;
} StringFrame;

typedef struct {
  Arena *arena;
  DiagList *diags;
  const Source *source;
  TokenList *out;
  const char *base; // the scanner's copy of the text, from `offset` on
  uint32_t offset;
  uint32_t line, line_begin; // line_begin + column - 1 == offset
  uint32_t bad_line;         // the last line with a reported bracket
  int errors_at_start;
  bool fragment;
  Vec(Indent) indents;
  Vec(OpenBracket) brackets;
  Vec(StringFrame) frames;
} Lexer;

// The kind of text to scan next.
typedef enum { SCAN_CODE, SCAN_LINE_START, SCAN_STRING, SCAN_FIELD } ScanState;

typedef struct {
  uint32_t begin, end;
} Lexeme;

void lexer_put(Lexer *lexer, int kind, Lexeme at);
void lexer_put_invalid(Lexer *lexer, TokenProblem problem, Lexeme at);
// A keyword that no expression contains: closes brackets left open.
void lexer_put_keyword(Lexer *lexer, int kind, Lexeme at);
// A name with characters beyond ASCII, some of which may be no letters.
void lexer_put_wide(Lexer *lexer, Lexeme at);
void lexer_open(Lexer *lexer, int kind, Lexeme at);
void lexer_close(Lexer *lexer, int kind, Lexeme at);
ScanState lexer_line_end(Lexer *lexer, Lexeme at);
void lexer_next_line(Lexer *lexer, Lexeme at);
void lexer_indent(Lexer *lexer, Lexeme blanks);

ScanState lexer_string_open(Lexer *lexer, Lexeme at);
// Handles quotes within a string; `*used` is the number of quotes consumed.
ScanState lexer_string_quotes(Lexer *lexer, Lexeme at, uint32_t *used);
ScanState lexer_string_brace(Lexer *lexer, Lexeme at, uint32_t *used);
ScanState lexer_string_line_end(Lexer *lexer, Lexeme at);
ScanState lexer_field(Lexer *lexer, Lexeme at);
// Were there too many errors to continue?
bool lexer_stopped(const Lexer *lexer);
void lexer_end(Lexer *lexer, uint32_t end);

// The generated scanner: scans to the end of the lexer's text.
void lexer_scan(Lexer *lexer, char *text, size_t size);

#endif
