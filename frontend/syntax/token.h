// token.h -- a file as an array of tokens.
//
// The kinds are those of the grammar (parser.y).  The text of a token is a
// range of the source; literals are decoded by who needs them.
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

// The fault of a TOKEN_INVALID. It is an error only inside kernels.
typedef enum {
  PROBLEM_REPORTED, // a diagnostic exists already
  PROBLEM_CHARACTER,
  PROBLEM_NUMBER,
  PROBLEM_BACKSLASH,
  PROBLEM_TABS,   // indentation that depends on the width of a tab
  PROBLEM_DEDENT, // indentation that matches no block around it
} TokenProblem;

typedef struct {
  uint16_t kind;
  uint16_t problem;      // of a TOKEN_INVALID
  uint32_t marks;        // of a TOKEN_FSTRING: index of its first mark
  uint32_t begin, end;   // bytes of the source
  uint32_t line, column; // of `begin`, as in SrcLoc
} Token;

// Kinds of marks, which say where the parts of an f-string are.  Nested strings
// have marks when they are lexed as part of a replacement field, not before.
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

// Makes `out` of the whole text; the last token is a TOKEN_END.  Broken
// strings, brackets and encodings are reported; false if there were any.  When
// the text is no UTF-8 or there were too many errors, `out` is cut short.
bool lex_source(Arena *arena, DiagList *diags, const Source *source,
                TokenList *out);

// The same for the bytes from `at` to `end`, an expression within the file:
// line ends are blanks.
bool lex_fragment(Arena *arena, DiagList *diags, const Source *source,
                  FStringMark at, uint32_t end, TokenList *out);

const char *token_kind_name(int kind);
// 1 for a bracket that opens, -1 for one that closes, else 0.
int token_nesting(int kind);
// May it stand below a decorator: `def`, `class` or `async`?
bool token_begins_definition(int kind);
// The part of the token on its first line.
SrcLoc token_loc(const Source *source, const Token *token);
bool token_is(const Source *source, const Token *token, const char *text);

#endif
