// escape.c -- lists of modules that have not escaped.
//
// A statement may change an object that cannot be followed; it could be any
// object that has escaped.  The list of `SIZES = [2, 4]` has not escaped as
// long as each line that names it only reads its items, and passes the list to
// no call and no other name.
#include "frontend/scan/parts.h"

#include <string.h>

// `from module import A, NAME`
static bool is_imported(const Scanner *s, uint32_t index) {
  uint32_t i = index;
  while (i && scan_kind(s, i) != TOKEN_IMPORT) {
    const int kind = scan_kind(s, i);
    if (kind != TOKEN_NAME && kind != TOKEN_COMMA && kind != TOKEN_LPAREN)
      return false;
    i--;
  }
  while (i && (scan_kind(s, i - 1) == TOKEN_NAME ||
               scan_kind(s, i - 1) == TOKEN_DOT))
    i--;
  return i && scan_kind(s, i - 1) == TOKEN_FROM &&
         scan_kind(s, index + 1) != TOKEN_AS;
}

// `NAME = [...]`
static bool is_made(const Scanner *s, uint32_t index) {
  const int value = scan_kind(s, index + 2);
  return index && scan_begins_statement(scan_kind(s, index - 1)) &&
         scan_kind(s, index + 1) == TOKEN_ASSIGN &&
         (value == TOKEN_LBRACKET || value == TOKEN_LBRACE);
}

// `for x in NAME`, `x in NAME`: the tokens after the name take no part of the
// list.
static bool is_gone_over(const Scanner *s, uint32_t before, uint32_t after) {
  static const int ends[] = {TOKEN_NEWLINE, TOKEN_COLON,  TOKEN_RPAREN,
                             TOKEN_FOR,     TOKEN_RBRACE, TOKEN_RBRACKET,
                             TOKEN_IF};
  bool ended = false;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    ended |= scan_kind(s, after) == ends[i];
  return scan_kind(s, before) == TOKEN_IN && ended;
}

// `len(NAME)`
static bool is_counted(const Scanner *s, uint32_t before, uint32_t after) {
  return scan_kind(s, before) == TOKEN_LPAREN &&
         scan_kind(s, after) == TOKEN_RPAREN && before > 1 &&
         scan_kind(s, before - 2) != TOKEN_DOT &&
         scan_is_listed(s, before - 1, WORDS_COUNTING_FUNCTIONS);
}

// `NAME.get(x)`
static bool is_asked(const Scanner *s, uint32_t after) {
  return scan_kind(s, after) == TOKEN_DOT &&
         scan_is_listed(s, after + 1, WORDS_READING_METHODS) &&
         scan_kind(s, after + 2) == TOKEN_LPAREN;
}

// `assert NAME == function(...)`
static bool is_compared(const Scanner *s, uint32_t before, uint32_t after) {
  return scan_kind(s, before) == TOKEN_ASSERT &&
         (scan_kind(s, after) == TOKEN_EQ || scan_kind(s, after) == TOKEN_NE);
}

// `@autotune(configs=NAME)`
static bool is_tuned(const Scanner *s, uint32_t before, uint32_t after) {
  const int ends = scan_kind(s, after);
  return scan_kind(s, before) == TOKEN_ASSIGN &&
         scan_is_word(s, before - 1, "configs") &&
         scan_is_tuner(s, before - 3) &&
         (ends == TOKEN_COMMA || ends == TOKEN_RPAREN);
}

// Does the line only read the items, or change the list under this name?
static bool is_looked_at(const Scanner *s, uint32_t index) {
  uint32_t begin = index;
  while (begin > 1 && scan_kind(s, begin - 1) == TOKEN_DOT &&
         scan_kind(s, begin - 2) == TOKEN_NAME)
    begin -= 2;
  if (!begin) return is_made(s, index);
  const uint32_t before = begin - 1, after = index + 1;
  const int spread = scan_kind(s, before);
  return scan_kind(s, after) == TOKEN_LBRACKET || is_made(s, index) ||
         is_imported(s, index) || is_gone_over(s, before, after) ||
         is_counted(s, before, after) || is_asked(s, after) ||
         is_tuned(s, before, after) || is_compared(s, before, after) ||
         (spread == TOKEN_STAR && scan_kind(s, after) != TOKEN_DOT);
}

// `globals()`, `vars()`: may read all names of the file.
static bool looks_at_all(const Scanner *s, uint32_t index) {
  return scan_is_listed(s, index, WORDS_WAYS_TO_NAMES);
}

// Is the name anywhere in the text, perhaps within a word?
static bool mentions(const char *text, size_t size, const char *name) {
  const size_t length = strlen(name);
  const char *at = text, *const end = text + size;
  while (at && (size_t)(end - at) >= length) {
    if (!memcmp(at, name, length)) return true;
    at = memchr(at + 1, *name, (size_t)(end - at) - 1);
  }
  return false;
}

// `getattr(module, "NAME")`, `f"{take(NAME)}"`
static bool is_in_text(const Scanner *s, uint32_t index, const char *name) {
  size_t all;
  const size_t length = strlen(name);
  const char *text = scan_text(s, index, &all);
  if (scan_kind(s, index) == TOKEN_STRING)
    return all == length + 2 && !memcmp(text + 1, name, length);
  return mentions(text, all, name);
}

static bool stays_in(Program *program, AstFile *file, const char *name,
                     bool is_home) {
  const Scanner s = {.program = program, .file = file};
  // Most files do not mention the list.
  if (!is_home && !mentions(file->source.text, file->source.length, name))
    return true;
  const Definition *own = file_find(file, name);
  const bool is_own = own && own->kind == DEFINES_GLOBAL && !own->before;
  for (uint32_t i = 0; i < file->list.tokens.count; i++) {
    const int kind = scan_kind(&s, i);
    const bool text = kind == TOKEN_STRING || kind == TOKEN_FSTRING;
    if (text && is_in_text(&s, i, name)) return false;
    if (kind != TOKEN_NAME) continue;
    if (is_home && looks_at_all(&s, i)) return false;
    if (!scan_is_word(&s, i, name) || is_looked_at(&s, i)) continue;
    if (is_home || scan_is_member(&s, i) || !is_own) return false;
  }
  return true;
}

// Does evaluating the expression make a new object each time?
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

static bool keeps(Program *program, const Symbol *symbol) {
  const AstGlobal *global = symbol->global;
  if (!global->value || !makes(global->value) || strchr(global->name, '.'))
    return false;
  for (size_t i = 0; i < program->files.count; i++) {
    AstFile *file = program->files.items[i];
    if (!stays_in(program, file, global->name, file == symbol->file))
      return false;
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
