// parser.h -- shared by the files of the text parser; not for others.
//
// Recursive descent.  Every function that fails has reported one diagnostic,
// and the first failure ends the parse.  The text may contain any bytes.
#ifndef TILE_IR_PARSER_H
#define TILE_IR_PARSER_H

#include "ir/text.h"

enum { MAX_POINTER_DEPTH = 8 };

typedef struct {
  const char *text;
  size_t length; // 0: there was none
  SrcLoc loc;
} Word;

// A value name; bindings are kept when their region has ended.
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
// "expected WHAT, found ..." at the cursor.
bool parser_expected(Parser *p, const char *what);
// Letters, digits, '_', '.', '$' and non-ASCII bytes.
Word parser_word(Parser *p);
Word parser_peek_word(Parser *p);
// The next word if it is this one.
bool parser_accept_word(Parser *p, const char *text);
// The same if a '(' follows.
bool parser_accept_call(Parser *p, const char *text);
// The number as a word, with signs: -1.5e-3.
Word parser_number(Parser *p);
bool parser_int(Parser *p, int64_t *out);
bool parser_string(Parser *p, const char **out);
// %name, @name.
bool parser_name(Parser *p, char sigil, Word *out);
bool word_is(Word word, const char *text);
// The digits of a `#` alias, or the layout itself.
bool parser_layout(Parser *p, const Layout **out);
bool parser_layout_alias(Parser *p); // #0 = layout<...>

// -- Types and attributes (parse_type.c, parse_attr.c) ------------------------

const Type *parser_type(Parser *p);

// An attribute whose NUMBER waits for the type it belongs to.
typedef struct {
  Attr attr;
  Word number;
} RawAttr;
typedef Vec(RawAttr) RawAttrs;

// {key = value, ...}
bool parser_attrs(Parser *p, RawAttrs *out);
// `type` may be NULL: then no NUMBER is allowed.
bool parser_finish_attr(Parser *p, RawAttr *raw, const Type *type);
bool parser_loc(Parser *p, SrcLoc *loc); // loc("file":1:2), if it is there

#endif
