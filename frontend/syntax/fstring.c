// fstring.c -- the parts of f-strings.
//
// The lexer has marked the begins and ends of fields.  Each field is lexed and
// parsed as an expression.  Strings within fields of strings nest at most
// MAX_NESTING deep.
#include "frontend/errors.h"
#include "frontend/syntax/parser.h"

#include <assert.h>
#include <string.h>

enum { MAX_NESTING = 4 };

typedef Vec(FStringPart) PartVec;

// A walk over the marks of one string.
typedef struct {
  Parser *parser;
  TextSpan piece;
  bool raw;
  uint32_t mark; // the next mark
  int depth;     // of nested format specifications
} MarkWalk;

static const FStringMark *next_mark(const MarkWalk *walk) {
  const TokenList *list = walk->parser->list;
  if (walk->mark >= list->marks.count) return NULL;
  const FStringMark *mark = &list->marks.items[walk->mark];
  return mark->offset < walk->piece.end ? mark : NULL;
}

static bool fail(const MarkWalk *walk, const char *what) {
  return diag_error_text(walk->parser->diags,
                         span_loc(walk->parser, walk->piece), what);
}

// Adds a literal piece, with `{{` and `}}` as single braces.
static void add_literal(const MarkWalk *walk, uint32_t begin, uint32_t end,
                        Str *out) {
  const char *text = walk->parser->source->text;
  uint32_t from = begin;
  for (uint32_t i = begin; i < end; i++) {
    if (text[i] != '{' && text[i] != '}') continue;
    literal_decode(walk->parser, from, i + 1, walk->raw, false, walk->piece,
                   out);
    if (i + 1 < end && text[i + 1] == text[i]) i++;
    from = i + 1;
  }
  literal_decode(walk->parser, from, end, walk->raw, false, walk->piece, out);
}

static void push_literal(const MarkWalk *walk, uint32_t begin, uint32_t end,
                         PartVec *parts) {
  Parser *parser = walk->parser;
  assert(begin <= end && end <= walk->piece.end); // I9
  Str text = str_in(parser->arena);
  add_literal(walk, begin, end, &text);
  if (!text.length) return;
  const FStringPart part = {.text = str_text(&text), .length = text.length};
  vec_push(parser->arena, parts, part);
}

// Parses the expression between the '{' at `open` and `end`.
static bool parse_field(const MarkWalk *walk, const FStringMark *open,
                        uint32_t end, FStringPart *part) {
  const Parser *parser = walk->parser;
  assert(open->offset < end && end < walk->piece.end); // I9
  TokenList list = {0};
  FStringMark at = *open;
  at.offset++;
  at.column++;
  part->source = arena_strndup(parser->arena, parser->source->text + at.offset,
                               end - at.offset);
  if (parser->fstring_depth >= MAX_NESTING) {
    return fail(walk, ERROR_f_strings_nest_too_deeply);
  }
  if (!lex_fragment(parser->arena, parser->diags, parser->source, at, end,
                    &list)) {
    return false;
  }
  if (list.tokens.count == 1) return fail(walk, ERROR_empty_field_f_string);
  Parser inner = {.arena = parser->arena,
                  .diags = parser->diags,
                  .source = parser->source,
                  .list = &list,
                  .names = parser->names,
                  .fstring_depth = parser->fstring_depth + 1};
  part->value = parser_expr(&inner, 0, (uint32_t)list.tokens.count - 1);
  part->debug = inner.debug;
  return part->value != NULL;
}

static bool walk_parts(MarkWalk *walk, uint32_t begin, uint32_t end,
                       PartVec *parts);

// Parses the specification from behind the ':' to the '}' of its field.
static bool parse_spec(MarkWalk *walk, uint32_t begin, FStringPart *part) {
  Parser *parser = walk->parser;
  PartVec parts = {0};
  if (++walk->depth > MAX_NESTING) {
    return fail(walk, ERROR_format_specifications_nest_too_deeply);
  }
  if (!walk_parts(walk, begin, walk->piece.end, &parts)) return false;
  walk->depth--;
  part->spec = tree_expr(parser, EXPR_FSTRING, walk->piece);
  part->spec->fstring.parts = parts.items;
  part->spec->fstring.num_parts = (int)parts.count;
  return true;
}

static bool parse_conversion(MarkWalk *walk, uint32_t offset,
                             FStringPart *part) {
  part->conversion = walk->parser->source->text[offset + 1];
  if (!part->conversion || !strchr("rsa", part->conversion)) {
    return fail(walk, ERROR_bad_fstring_conversion);
  }
  return true;
}

// Parses a field from its '{' mark on; the walk is behind its '}' mark
// afterwards.
static bool walk_field(MarkWalk *walk, FStringPart *part, uint32_t *after) {
  const FStringMark *open = next_mark(walk);
  assert(open && open->kind == MARK_FIELD); // I9
  walk->mark++;
  const FStringMark *mark = next_mark(walk);
  if (!mark) return fail(walk, ERROR_f_string_never_closed);
  if (!parse_field(walk, open, mark->offset, part)) return false;
  if (mark->kind == MARK_CONVERSION) {
    if (!parse_conversion(walk, mark->offset, part)) return false;
    walk->mark++;
    mark = next_mark(walk);
  }
  if (mark && mark->kind == MARK_SPEC) {
    walk->mark++;
    if (!parse_spec(walk, mark->offset + 1, part)) return false;
    mark = next_mark(walk);
  }
  if (!mark || mark->kind != MARK_END) {
    return fail(walk, ERROR_f_string_never_closed);
  }
  walk->mark++;
  *after = mark->offset + 1;
  return true;
}

// Adds literals and fields from `begin` to `end`, or to the '}' that ends the
// enclosing field, if this is a specification.
static bool walk_parts(MarkWalk *walk, uint32_t begin, uint32_t end,
                       PartVec *parts) {
  for (const FStringMark *mark; (mark = next_mark(walk));) {
    push_literal(walk, begin, mark->offset, parts);
    if (mark->kind != MARK_FIELD) return true;
    FStringPart part = {0};
    if (!walk_field(walk, &part, &begin)) return false;
    vec_push(walk->parser->arena, parts, part);
  }
  push_literal(walk, begin, end, parts);
  return true;
}

static bool walk_piece(Parser *parser, TextSpan piece, PartVec *parts) {
  const StringForm form =
      string_form(parser->source->text + piece.begin, piece.end - piece.begin);
  const Token *token = parser_token(parser, piece);
  MarkWalk walk = {
      .parser = parser, .piece = piece, .raw = form.raw, .mark = token->marks};
  walk.piece.end -= form.quotes;
  assert(piece.begin + form.prefix + form.quotes <= walk.piece.end); // I9
  return walk_parts(&walk, piece.begin + form.prefix + form.quotes,
                    walk.piece.end, parts);
}

static void push_string(Parser *parser, TextSpan piece, PartVec *parts) {
  SpanVec one = {&piece, 1, 1};
  const Expr *text = tree_string(parser, piece, &one);
  const FStringPart part = {.text = text->string.text,
                            .length = text->string.length};
  if (part.length) vec_push(parser->arena, parts, part);
}

static void deepen_part(Parser *parser, Expr *expr, const FStringPart *part) {
  tree_deepen(parser, expr, part->value);
  tree_deepen(parser, expr, part->spec);
}

Expr *tree_fstring(Parser *parser, TextSpan span, const SpanVec *pieces) {
  Expr *expr = tree_expr(parser, EXPR_FSTRING, span);
  PartVec parts = {0};
  for (size_t i = 0; i < pieces->count; i++) {
    const TextSpan piece = pieces->items[i];
    if (parser_token(parser, piece)->kind == TOKEN_STRING) {
      push_string(parser, piece, &parts);
    } else if (!walk_piece(parser, piece, &parts)) {
      break;
    }
  }
  expr->fstring.parts = parts.items;
  expr->fstring.num_parts = (int)parts.count;
  for (size_t i = 0; i < parts.count; i++) {
    deepen_part(parser, expr, &parts.items[i]);
  }
  return expr;
}
