// escape.c -- lists of modules that no other name can stand for.
//
// What a statement changes may come from where nobody can follow, so that it
// may be anything.  But `SIZES = [2, 4]` is only what SIZES says, as long as
// each line with that name looks at its items and gives the list to nobody.
#include "frontend/program.h"

#include "frontend/parser.tab.h"
#include "ir/base/names.h"

#include <string.h>

typedef struct {
  const AstFile *file;
  const Token *tokens;
  uint32_t count;
} Text;

static int kind_at(const Text *t, uint32_t index) {
  return index < t->count ? (int)t->tokens[index].kind : TOKEN_NEWLINE;
}

static bool is_word(const Text *t, uint32_t index, const char *word) {
  const size_t length = strlen(word);
  const Token *token = &t->tokens[index];
  return index < t->count && token->end - token->begin == length &&
         !memcmp(t->file->source.text + token->begin, word, length);
}

static bool is_one_of(const Text *t, uint32_t index, const char *const *words,
                      size_t count) {
  const Token *token = &t->tokens[index];
  return kind_at(t, index) == TOKEN_NAME &&
         names_have_span(words, count, t->file->source.text + token->begin,
                         token->end - token->begin);
}

// `from module import A, NAME`
static bool is_imported(const Text *t, uint32_t index) {
  uint32_t i = index;
  while (i && kind_at(t, i) != TOKEN_IMPORT) {
    const int kind = kind_at(t, i);
    if (kind != TOKEN_NAME && kind != TOKEN_COMMA && kind != TOKEN_LPAREN)
      return false;
    i--;
  }
  while (i &&
         (kind_at(t, i - 1) == TOKEN_NAME || kind_at(t, i - 1) == TOKEN_DOT))
    i--;
  return i && kind_at(t, i - 1) == TOKEN_FROM &&
         kind_at(t, index + 1) != TOKEN_AS;
}

static bool begins_statement(const Text *t, uint32_t index) {
  const int before = index ? kind_at(t, index - 1) : TOKEN_NEWLINE;
  return before == TOKEN_NEWLINE || before == TOKEN_INDENT ||
         before == TOKEN_DEDENT || before == TOKEN_SEMICOLON;
}

// `NAME = [...]`
static bool is_made(const Text *t, uint32_t index) {
  const int value = kind_at(t, index + 2);
  return begins_statement(t, index) && kind_at(t, index + 1) == TOKEN_ASSIGN &&
         (value == TOKEN_LBRACKET || value == TOKEN_LBRACE);
}

// `for x in NAME`, `x in NAME`: what comes after takes nothing of it.
static bool is_gone_over(const Text *t, uint32_t before, uint32_t after) {
  static const int ends[] = {TOKEN_NEWLINE, TOKEN_COLON,  TOKEN_RPAREN,
                             TOKEN_FOR,     TOKEN_RBRACE, TOKEN_RBRACKET,
                             TOKEN_IF};
  bool ended = false;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    ended |= kind_at(t, after) == ends[i];
  return kind_at(t, before) == TOKEN_IN && ended;
}

// `len(NAME)`
static bool is_counted(const Text *t, uint32_t before, uint32_t after) {
  static const char *const functions[] = {
      "all", "any",      "enumerate", "frozenset", "len", "list", "max",
      "min", "reversed", "set",       "sorted",    "sum", "tuple"};
  return kind_at(t, before) == TOKEN_LPAREN &&
         kind_at(t, after) == TOKEN_RPAREN && before > 1 &&
         kind_at(t, before - 2) != TOKEN_DOT &&
         is_one_of(t, before - 1, functions,
                   sizeof functions / sizeof *functions);
}

// `NAME.get(x)`
static bool is_asked(const Text *t, uint32_t after) {
  static const char *const methods[] = {"copy",  "count", "get",   "index",
                                        "items", "keys",  "values"};
  return kind_at(t, after) == TOKEN_DOT &&
         is_one_of(t, after + 1, methods, sizeof methods / sizeof *methods) &&
         kind_at(t, after + 2) == TOKEN_LPAREN;
}

// Does the line only look at the items, or change them under this very name?
static bool is_looked_at(const Text *t, uint32_t index) {
  uint32_t begin = index;
  while (begin > 1 && kind_at(t, begin - 1) == TOKEN_DOT &&
         kind_at(t, begin - 2) == TOKEN_NAME)
    begin -= 2;
  if (!begin) return is_made(t, index);
  const uint32_t before = begin - 1, after = index + 1;
  const int spread = kind_at(t, before);
  return kind_at(t, after) == TOKEN_LBRACKET || is_made(t, index) ||
         is_imported(t, index) || is_gone_over(t, before, after) ||
         is_counted(t, before, after) || is_asked(t, after) ||
         (spread == TOKEN_STAR && kind_at(t, after) != TOKEN_DOT);
}

// `globals()`, `vars()`: what looks at all names of the file.
static bool looks_at_all(const Text *t, uint32_t index) {
  static const char *const words[] = {"__dict__", "eval",   "exec",
                                      "globals",  "locals", "vars"};
  return is_one_of(t, index, words, sizeof words / sizeof *words);
}

// `getattr(module, "NAME")`, `f"{take(NAME)}"`
static bool is_in_text(const Text *t, uint32_t index, const char *name) {
  const Token *token = &t->tokens[index];
  const char *text = t->file->source.text + token->begin;
  const size_t length = strlen(name), all = token->end - token->begin;
  if (kind_at(t, index) == TOKEN_STRING)
    return all == length + 2 && !memcmp(text + 1, name, length);
  for (size_t i = 0; i + length <= all; i++) {
    if (!memcmp(text + i, name, length)) return true;
  }
  return false;
}

static bool stays_in(const AstFile *file, const char *name, bool is_home) {
  const Text t = {file, file->list.tokens.items,
                  (uint32_t)file->list.tokens.count};
  for (uint32_t i = 0; i < t.count; i++) {
    const int kind = kind_at(&t, i);
    const bool text = kind == TOKEN_STRING || kind == TOKEN_FSTRING;
    if (text && is_in_text(&t, i, name)) return false;
    if (kind != TOKEN_NAME) continue;
    if (is_home && looks_at_all(&t, i)) return false;
    if (is_word(&t, i, name) && !is_looked_at(&t, i)) return false;
  }
  return true;
}

// Is it another one each time?
static bool makes(const Expr *expr) {
  switch (expr->kind) {
  case EXPR_LIST:
  case EXPR_DICT:
  case EXPR_SET:
  case EXPR_COMPREHENSION: return true;
  case EXPR_IF:
    return makes(expr->conditional.then) && makes(expr->conditional.otherwise);
  default: return false;
  }
}

static bool keeps(const Program *program, const Symbol *symbol) {
  const AstGlobal *global = symbol->global;
  if (!global->value || !makes(global->value) || strchr(global->name, '.'))
    return false;
  for (size_t i = 0; i < program->files.count; i++) {
    const AstFile *file = program->files.items[i];
    if (!stays_in(file, global->name, file == symbol->file)) return false;
  }
  return true;
}

bool program_keeps(Program *program, const Symbol *symbol) {
  static const char yes, no;
  if (program->num_kept != program->files.count) program->kept = (Map){0};
  program->num_kept = program->files.count;
  const char *known = map_get(&program->kept, symbol->global);
  if (!known) {
    known = keeps(program, symbol) ? &yes : &no;
    map_put(&program->kept, program->arena, symbol->global, (void *)known);
  }
  return known == &yes;
}
