// parser.h -- shared by the files of the text parser; private to the room.
//
// Recursive descent.  A function that fails has reported one diagnostic, and
// the first failure ends the parse.  The text may contain any bytes.
#ifndef TILE_IR_PARSER_H
#define TILE_IR_PARSER_H

#include "ir/text.h"

enum { MAX_POINTER_DEPTH = 8 };

typedef struct {
  const char *text;
  size_t length; // 0: absent
  SrcLoc loc;
} Word;

// The value of a name.  At the end of the value's region the entry stays, but
// is no longer visible.
typedef struct {
  Value *value;
  bool visible;
} BoundValue;

typedef struct {
  Module *m;
  const Source *source;
  const char *at, *end, *line_start;
  int line;
  int depth;          // of regions
  Function *function; // under construction
  Map layouts;        // alias digits to Layout
  Map names;          // value name to BoundValue
  Vec(BoundValue *) visible;
} IrParser;

// -- Tokens (parse_lex.c): each skips spaces and comments first --------------

SrcLoc parser_here(IrParser *p);
bool parser_at_end(IrParser *p);
bool parser_at(IrParser *p, char c);
bool parser_accept(IrParser *p, char c);
bool parser_expect(IrParser *p, char c);
// Reports "expected WHAT, found ..." at the cursor.
bool parser_expected(IrParser *p, const char *what);
// Letters, digits, '_', '.', '$' and non-ASCII bytes.
Word parser_word(IrParser *p);
Word parser_peek_word(IrParser *p);
// Reads the next word if it equals `text`.
bool parser_accept_word(IrParser *p, const char *text);
// Reads the next word if it equals `text` and a '(' follows.
bool parser_accept_call(IrParser *p, const char *text);
// Reads a number as a word, with signs: -1.5e-3.
Word parser_number(IrParser *p);
bool parser_int(IrParser *p, int64_t *out);
bool parser_string(IrParser *p, const char **out);
// %name, @name.
bool parser_name(IrParser *p, char sigil, Word *out);
bool word_is(Word word, const char *text);
// Parses a layout: the digits of a `#` alias, or its text.
bool parser_layout(IrParser *p, const Layout **out);
bool parser_layout_alias(IrParser *p); // #0 = layout<...>

// -- Types and attributes (parse_type.c, parse_attr.c) -----------------------

const Type *parser_type(IrParser *p);

// An attribute whose NUMBER is not converted until its type is known.
typedef struct {
  Attr attr;
  Word number;
} RawAttr;
typedef Vec(RawAttr) RawAttrs;

// {key = value, ...}
bool parser_attrs(IrParser *p, RawAttrs *out);
// `type` may be NULL: no NUMBER is allowed then.
bool parser_finish_attr(IrParser *p, RawAttr *raw, const Type *type);
bool parser_loc(IrParser *p, SrcLoc *loc); // parses loc("file":1:2), if present

#endif
