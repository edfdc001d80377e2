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

// A value's name with its value; kept when its region ends.
typedef struct {
  Value *value;
  bool visible;
} Binding;

typedef struct {
  Module *m;
  const Source *source;
  const char *at, *end, *line_start;
  int line;
  int depth;          // of regions
  Function *function; // under construction
  Map layouts;        // alias digits to Layout
  Map names;          // value name to Binding
  Vec(Binding *) visible;
} Parser;

// -- Tokens (parse_lex.c): each skips spaces and comments first ---------------

SrcLoc parser_here(Parser *p);
bool parser_at_end(Parser *p);
bool parser_at(Parser *p, char c);
bool parser_accept(Parser *p, char c);
bool parser_expect(Parser *p, char c);
// Reports "expected WHAT, found ..." at the cursor.
bool parser_expected(Parser *p, const char *what);
// Letters, digits, '_', '.', '$' and non-ASCII bytes.
Word parser_word(Parser *p);
Word parser_peek_word(Parser *p);
// Reads the next word if it equals `text`.
bool parser_accept_word(Parser *p, const char *text);
// Reads the next word if it equals `text` and a '(' follows.
bool parser_accept_call(Parser *p, const char *text);
// Reads a number as a word, with signs: -1.5e-3.
Word parser_number(Parser *p);
bool parser_int(Parser *p, int64_t *out);
bool parser_string(Parser *p, const char **out);
// %name, @name.
bool parser_name(Parser *p, char sigil, Word *out);
bool word_is(Word word, const char *text);
// Parses a layout: the digits of a `#` alias, or its text.
bool parser_layout(Parser *p, const Layout **out);
bool parser_layout_alias(Parser *p); // #0 = layout<...>

// -- Types and attributes (parse_type.c, parse_attr.c) ------------------------

const Type *parser_type(Parser *p);

// An attribute whose NUMBER is not converted until its type is known.
typedef struct {
  Attr attr;
  Word number;
} RawAttr;
typedef Vec(RawAttr) RawAttrs;

// {key = value, ...}
bool parser_attrs(Parser *p, RawAttrs *out);
// `type` may be NULL: no NUMBER is allowed then.
bool parser_finish_attr(Parser *p, RawAttr *raw, const Type *type);
bool parser_loc(Parser *p, SrcLoc *loc); // parses loc("file":1:2), if present

#endif
