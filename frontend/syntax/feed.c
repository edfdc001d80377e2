// feed.c -- the tokens of a function or an expression, as input of the grammar.
//
// Statements that no kernel may run (try, import, inner def, ...) become one
// token each.  These statements are not parsed, and are an error only if a
// kernel reaches one.
//
// For example, a kernel with a `try` under `if C == 1` compiles with C = 0;
// with C = 1, `'try' is not supported` is reported there.
#include "frontend/syntax/parser.h"

#include "frontend/syntax/parser.tab.h"

#include <assert.h>
#include <string.h>

TextSpan span_join(TextSpan first, TextSpan last) {
  assert(first.begin <= last.end && first.line <= last.line); // I7
  TextSpan span = first;
  span.end = last.end;
  span.multiline |= last.multiline || last.line != first.line;
  return span;
}

TextSpan span_after(TextSpan previous) {
  previous.begin = previous.end;
  return previous;
}

// The part of the span on its first line.
SrcLoc span_loc(const Parser *parser, TextSpan span) {
  assert(span.begin <= span.end && span.end <= parser->source->length); // I7
  enum { LONGEST = 1024 };
  const char *text = parser->source->text + span.begin;
  size_t length = span.end - span.begin;
  if (span.multiline) {
    if (length > LONGEST) length = LONGEST;
    const char *stop = memchr(text, '\n', length);
    if (stop) length = (size_t)(stop - text);
  }
  // If a compound statement is alone on its line, the line end is excluded.
  while (length > 1 && (text[length - 1] == '\n' || text[length - 1] == '\r'))
    length--;
  return (SrcLoc){parser->source->name, (int)span.line, (int)span.column,
                  (int)length};
}

const Token *parser_token(const Parser *parser, TextSpan span) {
  assert(span.token < parser->list->tokens.count); // I3
  return &parser->list->tokens.items[span.token];
}

const char *parser_intern(Parser *parser, const char *text, size_t length) {
  char *name = map_get_text(parser->names, text, length);
  if (name) return name;
  name = arena_strndup(parser->arena, text, length);
  map_put_text(parser->names, parser->arena, text, length, name);
  return name;
}

static int kind_at(const Parser *parser, uint32_t index) {
  return index < parser->end ? parser->list->tokens.items[index].kind
                             : TOKEN_END;
}

static TextSpan span_of(const Parser *parser, uint32_t index) {
  assert(index <= parser->end &&
         parser->end < parser->list->tokens.count); // I3
  const Token *token = &parser->list->tokens.items[index];
  const bool is_string =
      token->kind == TOKEN_STRING || token->kind == TOKEN_FSTRING;
  return (TextSpan){token->begin,
                    token->end,
                    token->line,
                    token->column,
                    index,
                    is_string && memchr(parser->source->text + token->begin,
                                        '\n', token->end - token->begin)};
}

// -- Folding -----------------------------------------------------------------

static bool is_statement_start(const Parser *parser) {
  if (!parser->next) return true;
  switch (parser->list->tokens.items[parser->next - 1].kind) {
  case TOKEN_NEWLINE:
  case TOKEN_INDENT:
  case TOKEN_DEDENT: return true;
  default: return false;
  }
}

// Is the statement behind a `;` or `:` on the same line, as in `a; from b
// import c`?
static bool follows_colon(const Parser *parser) {
  const int kind = parser->list->tokens.items[parser->next - 1].kind;
  return kind == TOKEN_SEMICOLON || kind == TOKEN_COLON;
}

static uint32_t skip_line(const Parser *parser, uint32_t index) {
  while (kind_at(parser, index) != TOKEN_NEWLINE &&
         kind_at(parser, index) != TOKEN_END) {
    index++;
  }
  return index;
}

// The token behind a simple statement, or behind its line.
static uint32_t skip_simple(const Parser *parser, uint32_t index) {
  while (kind_at(parser, index) != TOKEN_SEMICOLON &&
         kind_at(parser, index) != TOKEN_NEWLINE &&
         kind_at(parser, index) != TOKEN_END) {
    index++;
  }
  return index;
}

// The token behind the header at `index` and its block.
static uint32_t skip_block(const Parser *parser, uint32_t index) {
  index = skip_line(parser, index);
  if (kind_at(parser, index) == TOKEN_NEWLINE) index++;
  if (kind_at(parser, index) != TOKEN_INDENT) return index;
  int depth = 0;
  do {
    depth += kind_at(parser, index) == TOKEN_INDENT;
    depth -= kind_at(parser, index) == TOKEN_DEDENT;
    index++;
  } while (depth > 0 && kind_at(parser, index) != TOKEN_END);
  return index;
}

static uint32_t skip_try(const Parser *parser, uint32_t index) {
  index = skip_block(parser, index);
  while (kind_at(parser, index) == TOKEN_EXCEPT ||
         kind_at(parser, index) == TOKEN_FINALLY ||
         kind_at(parser, index) == TOKEN_ELSE) {
    index = skip_block(parser, index);
  }
  return index;
}

static uint32_t skip_handlers(const Parser *parser, uint32_t index) {
  while (kind_at(parser, index) == TOKEN_EXCEPT)
    index = skip_block(parser, index);
  return index;
}

// Can the handlers of the `try` be skipped?  Yes in a function that runs while
// compiling: such a function has a known result only if the `try` succeeds.
static bool is_tried(const Parser *parser) {
  const uint32_t handlers = skip_block(parser, parser->next);
  return parser->function && parser->function->is_constant &&
         kind_at(parser, handlers) == TOKEN_EXCEPT &&
         skip_handlers(parser, handlers) == skip_try(parser, parser->next);
}

static void skip_tried(Parser *parser) {
  if (parser->is_host) return;
  if (!parser->tries || !is_statement_start(parser) ||
      kind_at(parser, parser->next) != TOKEN_EXCEPT)
    return;
  parser->next = skip_handlers(parser, parser->next);
  parser->tries--;
}

uint32_t parser_skip_decorators(const Parser *parser, uint32_t index) {
  while (kind_at(parser, index) == TOKEN_AT) {
    index = skip_line(parser, index);
    if (kind_at(parser, index) == TOKEN_NEWLINE) index++;
  }
  return index;
}

// The index behind the decorators, and behind the definition below them, if
// there is one.
static uint32_t skip_decorated(const Parser *parser, uint32_t index) {
  index = parser_skip_decorators(parser, index);
  return token_begins_definition(kind_at(parser, index))
             ? skip_block(parser, index)
             : index;
}

// `match` is a keyword only if a block of `case`s follows.
static bool is_match(const Parser *parser) {
  const TokenList *list = parser->list;
  const uint32_t index = parser->next;
  if (!token_is(parser->source, &list->tokens.items[index], "match")) {
    return false;
  }
  const uint32_t line_end = skip_line(parser, index);
  return kind_at(parser, line_end - 1) == TOKEN_COLON &&
         kind_at(parser, line_end + 1) == TOKEN_INDENT &&
         kind_at(parser, line_end + 2) == TOKEN_NAME &&
         token_is(parser->source, &list->tokens.items[line_end + 2], "case");
}

// fold_compound() for host code, most of which is parsed.
static uint32_t fold_strange(const Parser *parser, int kind) {
  const bool folds =
      kind == TOKEN_ASYNC || (kind == TOKEN_NAME && is_match(parser));
  return folds ? skip_block(parser, parser->next) : 0;
}

// The index behind a compound statement that becomes one token; 0: the
// statement is parsed.
static uint32_t fold_compound(const Parser *parser, int kind) {
  if (!is_statement_start(parser)) return 0;
  if (parser->is_host) return fold_strange(parser, kind);
  switch (kind) {
  case TOKEN_TRY: return is_tried(parser) ? 0 : skip_try(parser, parser->next);
  case TOKEN_AT: return skip_decorated(parser, parser->next);
  case TOKEN_DEF:
  case TOKEN_CLASS:
  case TOKEN_ASYNC: return skip_block(parser, parser->next);
  case TOKEN_NAME:
    return is_match(parser) ? skip_block(parser, parser->next) : 0;
  default: return 0;
  }
}

static bool folds_as_simple(const Parser *parser, int kind) {
  if (parser->is_host && kind != TOKEN_IMPORT && kind != TOKEN_FROM)
    return false;
  switch (kind) {
  case TOKEN_RAISE:
  case TOKEN_IMPORT:
  case TOKEN_GLOBAL:
  case TOKEN_NONLOCAL:
  case TOKEN_DEL: return true;
  case TOKEN_FROM: // except in `yield from`
  case TOKEN_YIELD: return is_statement_start(parser) || follows_colon(parser);
  default: return false;
  }
}

static int fold(Parser *parser, int kind, TextSpan *span) {
  uint32_t end = fold_compound(parser, kind);
  const bool block = end > 0;
  if (!block && folds_as_simple(parser, kind)) {
    end = skip_simple(parser, parser->next);
  }
  if (!end) return kind;
  assert(parser->next < end && end <= parser->end &&
         "nothing was folded"); // I6
  *span = span_join(*span, span_of(parser, end - 1));
  parser->next = end;
  return block ? TOKEN_UNSUPPORTED_BLOCK : TOKEN_UNSUPPORTED;
}

// -- Feeding -----------------------------------------------------------------

static bool count_nesting(Parser *parser, int kind, TextSpan span) {
  switch (kind) {
  case TOKEN_INDENT: parser->indents++; break;
  case TOKEN_DEDENT: parser->indents--; break;
  case TOKEN_NEWLINE: parser->brackets = 0; break;
  default: parser->brackets += token_nesting(kind); break;
  }
  const bool blocks = parser->indents > AST_MAX_BLOCKS;
  if (!blocks && parser->brackets <= AST_MAX_DEPTH) return true;
  report_too_deep(parser, span, blocks ? AST_MAX_BLOCKS : AST_MAX_DEPTH);
  return false;
}

int grammar_lex(GRAMMAR_STYPE *value, TextSpan *span, Parser *parser) {
  const int start = parser->start;
  if (!start && !parser->stopped) skip_tried(parser);
  *span = span_of(parser,
                  parser->next < parser->end ? parser->next : parser->end - 1);
  parser->start = 0;
  if (start) return start;
  int kind = parser->stopped ? TOKEN_END : kind_at(parser, parser->next);
  if (kind == TOKEN_END) {
    *span = span_of(parser, parser->end);
    return kind;
  }
  if (!parser->whole_def) kind = fold(parser, kind, span);
  parser->whole_def = false;
  if (kind == TOKEN_UNSUPPORTED || kind == TOKEN_UNSUPPORTED_BLOCK) return kind;
  parser->next++;
  parser->tries += kind == TOKEN_TRY;
  if (!count_nesting(parser, kind, *span)) return TOKEN_END;
  if (kind == TOKEN_NAME) {
    value->name = parser_intern(parser, parser->source->text + span->begin,
                                span->end - span->begin);
  }
  return kind;
}

static bool run(Parser *parser, uint32_t begin, uint32_t end, int start) {
  assert(begin <= end && end < parser->list->tokens.count); // I3
  parser->next = begin;
  parser->end = end;
  parser->start = start;
  parser->tries = 0;
  parser->whole_def = start == TOKEN_START_FUNCTION;
  parser->errors_at_start = parser->diags->num_errors;
  const bool complete = grammar_parse(parser) == 0;
  return complete && !parser->failed &&
         parser->diags->num_errors == parser->errors_at_start;
}

// Notes calls in tokens that are not parsed, for the list of functions that are
// called.
static void note_calls(Parser *parser, uint32_t begin, uint32_t end) {
  const Token *tokens = parser->list->tokens.items;
  for (uint32_t i = begin + 2; i + 1 < end; i++) {
    if (tokens[i].kind != TOKEN_NAME || tokens[i + 1].kind != TOKEN_LPAREN)
      continue;
    const size_t length = tokens[i].end - tokens[i].begin;
    map_put_text(
        parser->called, parser->arena,
        parser_intern(parser, parser->source->text + tokens[i].begin, length),
        length, parser->function);
  }
}

bool parser_function(Parser *parser, uint32_t begin, uint32_t end,
                     AstFunction *function) {
  parser->function = function;
  function->ok = run(parser, begin, end, TOKEN_START_FUNCTION);
  if (!function->ok && parser->called) note_calls(parser, begin, end);
  return function->ok;
}

bool parser_statements(Parser *parser, uint32_t begin, uint32_t end,
                       AstFunction *function) {
  parser->function = function;
  function->ok = run(parser, begin, end, TOKEN_START_STATEMENTS);
  return function->ok;
}

// The index behind the statement at `index`, including its block.
static uint32_t skip_statement(const Parser *parser, uint32_t index) {
  index = parser_skip_decorators(parser, index);
  do {
    index = skip_block(parser, index);
  } while (kind_at(parser, index) == TOKEN_ELIF ||
           kind_at(parser, index) == TOKEN_ELSE ||
           kind_at(parser, index) == TOKEN_EXCEPT ||
           kind_at(parser, index) == TOKEN_FINALLY);
  return index;
}

static Stmt *opaque(Parser *parser, uint32_t begin, uint32_t end) {
  Stmt *stmt = tree_stmt(parser, STMT_UNSUPPORTED, span_of(parser, begin));
  stmt->unsupported.keyword = "";
  stmt->unsupported.token = begin;
  stmt->unsupported.end = end;
  return stmt;
}

StmtList parser_module(Parser *parser) {
  const uint32_t count = (uint32_t)parser->list->tokens.count;
  StmtVec all = {0};
  DiagList quiet, *const diags = parser->diags;
  AstFunction body = {0};
  diag_init_muted(&quiet, parser->arena);
  parser->diags = &quiet;
  parser->is_host = true;
  for (uint32_t at = 0; at + 1 < count;) {
    parser->end = count - 1;
    const uint32_t end = skip_statement(parser, at);
    assert(at < end && "a statement has no tokens"); // I6
    parser->failed = parser->stopped = parser->debug = false;
    parser->indents = parser->brackets = 0;
    if (parser_statements(parser, at, end, &body)) {
      for (int i = 0; i < body.body.count; i++)
        vec_push(parser->arena, &all, body.body.items[i]);
    } else {
      vec_push(parser->arena, &all, opaque(parser, at, end));
    }
    at = end;
  }
  parser->diags = diags;
  return (StmtList){all.items, (int)all.count};
}

Expr *parser_expr(Parser *parser, uint32_t begin, uint32_t end) {
  if (begin >= end) return NULL;
  return run(parser, begin, end, TOKEN_START_EXPR) ? parser->result : NULL;
}
