// token.h -- a file as an array of tokens.
//
// The kinds are those in token.def.  The text of a token is a range of the
// source; its users decode literals.
#ifndef TILE_FRONTEND_TOKEN_H
#define TILE_FRONTEND_TOKEN_H

#include "ir/base/base.h"
#include "ir/base/diag.h"

#include <stdint.h>

// Bison numbers the tokens that a grammar names from 258 on.
typedef enum {
  TOKEN_END,
  TOKEN_OF_BISON = 257,
#define TOKEN(kind) TOKEN_##kind,
#include "frontend/syntax/token.def"
} TokenKind;

// The error of a TOKEN_INVALID, which is reported only in kernels.
typedef enum {
  PROBLEM_REPORTED, // a diagnostic was reported already
  PROBLEM_CHARACTER,
  PROBLEM_NUMBER,
  PROBLEM_BACKSLASH,
  PROBLEM_TABS,   // indentation that depends on the width of a tab
  PROBLEM_DEDENT, // indentation that matches no enclosing block
} TokenProblem;

typedef struct {
  uint16_t kind;
  uint16_t problem;      // of a TOKEN_INVALID
  uint32_t marks;        // of a TOKEN_FSTRING: index of its first mark
  uint32_t begin, end;   // bytes of the source
  uint32_t line, column; // of `begin`, as in SrcLoc
} Token;

// The kinds of marks for the parts of an f-string.  A nested string gets marks
// when it is lexed as a part of a field, not before.
typedef enum { MARK_FIELD, MARK_CONVERSION, MARK_SPEC, MARK_END } MarkKind;

typedef struct {
  uint32_t offset; // of the '{', '!', ':' or '}'
  uint32_t line, column;
  MarkKind kind;
} FStringMark;

typedef struct {
  Vec(Token) tokens;
  Vec(FStringMark) marks;
} TokenList;

// Fills `out` with the tokens of the whole text; the last is a TOKEN_END.
// Errors in strings, brackets and encodings are reported; false if there were
// any.  If the text is no UTF-8, or there are too many errors, `out` is cut
// short.
bool lex_source(Arena *arena, DiagList *diags, const Source *source,
                TokenList *out);

// The same for the bytes from `at` to `end`, an expression within the file:
// line ends count as blanks.
bool lex_fragment(Arena *arena, DiagList *diags, const Source *source,
                  FStringMark at, uint32_t end, TokenList *out);

const char *token_kind_name(int kind);
// 1 for an opening bracket, -1 for a closing one, else 0.
int token_nesting(int kind);
// Can the token follow decorators: `def`, `class` or `async`?
bool token_begins_definition(int kind);
// The part of the token on its first line.
SrcLoc token_loc(const Source *source, const Token *token);
bool token_is(const Source *source, const Token *token, const char *text);

#endif
