// opaque.c -- code that cannot be followed: names in its tokens become unknown.
//
// The code is a statement beyond the grammar, or its run was lost by recursion,
// a long loop or too many paths: statements of a module, and functions that are
// called later.  So a spent budget costs the values of one statement, not of
// the module.
//
// Example: a loop `for i in range(10**9): n += i; f(table)` makes `i`, `n` and
// the object of `table` unknown; other names keep their values.
#include "frontend/run/evaluate.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

// -- Names -------------------------------------------------------------------

// `forever`: the code may run again whenever unseen code runs.
typedef struct {
  Machine *m;
  RunFrame *frame;
  bool forever;
  bool by_text;     // the code is a text
  Things named;     // values of names in the code
  BoundNames words; // all names in the code
} Opaque;

static void spoil_forever(Opaque *o, NameTable *names, const char *name) {
  NameCell *cell = table_cell(o->m, names, name);
  cell->owner.exposed = true;
  if (cell->value) run_expose(o->m, cell->value);
}

// An unknown value, which may still be `x`.
static Thing *unknown_of(Machine *m, Thing *x) {
  if (!x || !thing_is_mutable(x)) return &thing_unknown;
  Thing *unknown = thing_new(m, THING_UNKNOWN);
  unknown->as.either[0] = x;
  return unknown;
}

// The code may change, bind and call the name's object.
static void spoil(Opaque *o, const char *name, bool binds) {
  Machine *m = o->m;
  NameTable *own = o->frame->names, *global = o->frame->module->names;
  NameCell *cells[2] = {table_find(own, name), table_find(global, name)};
  Thing *x = NULL;
  vec_push(m->arena, &o->words, name);
  for (RunFrame *f = o->frame; f; f = f->outer) {
    if (!x) x = cell_value(table_find(f->names, name));
    if (o->forever && table_find(f->names, name))
      spoil_forever(o, f->names, name);
  }
  if (x) run_expose(m, x);
  if (x && x->kind != THING_MODULE && x->kind != THING_CLASS)
    run_note_changed(m, x);
  if (x) vec_push(m->arena, &o->named, x);
  // A name of Python that the code does not bind keeps its meaning.
  if (o->forever && (binds || cells[1] || !builtin_thing(m, name)))
    spoil_forever(o, global, name);
  for (int i = 0; i < 2; i++)
    if (cells[i] && binds) cell_set(m, cells[i], unknown_of(m, x));
  if (!cells[0] && binds) cell_set(m, table_cell(m, own, name), &thing_unknown);
  NameCell *cell = o->by_text && binds ? table_find(global, name) : NULL;
  if (cell) cell->untold = true;
}

// The code may set each attribute that it names, on `x` or on each thing that
// `x` may be.
static void set_attributes_of(const Opaque *o, Thing *x) {
  const bool is_either = x->kind == THING_UNKNOWN || x->kind == THING_MAYBE;
  const bool home =
      !o->by_text && (x == o->frame->module->thing || run_is_home(o->m, x));
  NameTable *names = home ? NULL : thing_names(x);
  for (int i = 0; is_either && i < 2; i++)
    if (x->as.either[i]) set_attributes_of(o, x->as.either[i]);
  if (!home && !names) run_set_text(x);
  for (size_t k = 0; names && k < o->words.count; k++) {
    NameCell *cell = table_find(names, o->words.items[k]);
    if (cell) cell->untold = true;
  }
}

static void set_attributes(const Opaque *o) {
  for (size_t i = 0; i < o->named.count; i++)
    set_attributes_of(o, o->named.items[i]);
}

static const char *word_of(const Opaque *o, const char *text, size_t length) {
  return run_word(o->m, arena_strndup(o->m->arena, text, length));
}

static bool is_letter(char c) {
  return isalpha((unsigned char)c) || c == '_' || c & 0x80;
}

// Does the word give access to all names?
static bool is_way(const char *word, size_t length) {
  return words_have_span(WORDS_NAMING_ALL, word, length) ||
         words_have_span(WORDS_WAYS_TO_GLOBALS, word, length);
}

// Makes the words in an f-string unknown: those in its fields, or, with `code`,
// all words of code as text.
static void spoil_words(Opaque *o, const char *s, const char *end, bool code) {
  while (s < end) {
    const char *word = s;
    while (s < end && (is_letter(*s) || isdigit((unsigned char)*s))) s++;
    const size_t length = (size_t)(s - word);
    const char *next = s + strspn(s, " ");
    const bool binds = !code || !*next || !strchr("(.[", *next);
    if (code && is_way(word, length)) run_expose_modules(o->m);
    if (length && is_letter(*word)) spoil(o, word_of(o, word, length), binds);
    if (!length) s++;
  }
}

void text_as_code(Machine *m, const char *text) {
  Opaque o = {.m = m, .frame = m->frame, .by_text = true};
  o.forever = strstr(text, "def ") || strstr(text, "lambda");
  if (strstr(text, "import")) run_expose_modules(m);
  spoil_words(&o, text, text + strlen(text), true);
  set_attributes(&o);
}

// May the name at the token be bound there?  Not if `(`, `[` or `.` follows it.
static bool may_bind(const Token *t, bool first) {
  if (first) return true;
  if (t[-1].kind == TOKEN_DEF || t[-1].kind == TOKEN_CLASS ||
      t[-1].kind == TOKEN_IMPORT)
    return true;
  return t[1].kind != TOKEN_LPAREN && t[1].kind != TOKEN_DOT &&
         t[1].kind != TOKEN_LBRACKET;
}

static const char *word_at(const Opaque *o, const Token *t) {
  const char *text = o->frame->module->file->source.text;
  return word_of(o, text + t->begin, t->end - t->begin);
}

// The value of the name at the token; NULL if it has none.
static Thing *named_at(const Opaque *o, const Token *t) {
  const char *name = word_at(o, t);
  Thing *x = NULL;
  for (const RunFrame *f = o->frame; f && !x; f = f->outer)
    x = cell_value(table_find(f->names, name));
  return x;
}

// Is the member a way to modules?  `inspect.stack` is one, `torch.stack` is
// not.
static bool is_member_way(const Opaque *o, uint32_t at, const Token *t) {
  const char *text = o->frame->module->file->source.text + t->begin;
  if (!member_reaches_modules(text, t->end - t->begin)) return false;
  const bool plain = at > 1 && t[-1].kind == TOKEN_DOT &&
                     t[-2].kind == TOKEN_NAME &&
                     (at == 2 || t[-3].kind != TOKEN_DOT);
  const Thing *x = plain ? named_at(o, &t[-2]) : NULL;
  return !x || x->kind != THING_FOREIGN ||
         foreign_reaches_modules(x->as.foreign, word_at(o, t));
}

// exec(), sys.modules and the like may bind any name.
static bool leads_to_all(const Opaque *o, uint32_t at, const Token *t) {
  const char *text = o->frame->module->file->source.text;
  return is_way(text + t->begin, t->end - t->begin) || is_member_way(o, at, t);
}

// The last word of the string at the token.
static const char *last_word(const Opaque *o, const Token *t, size_t *length) {
  const char *text = o->frame->module->file->source.text;
  const char *begin = text + t->begin, *end = text + t->end;
  while (begin < end && strchr("\"'", end[-1])) end--;
  const char *word = end;
  while (word > begin &&
         (is_letter(word[-1]) || isdigit((unsigned char)word[-1])))
    word--;
  *length = (size_t)(end - word);
  return word;
}

// `"__globals__"`, for getattr() and the like; `"NAME"`, for setattr().
static void spoil_string(Opaque *o, const Token *t) {
  size_t length;
  const char *word = last_word(o, t, &length);
  if (is_way(word, length)) run_expose_modules(o->m);
  if (length) vec_push(o->m->arena, &o->words, word_of(o, word, length));
}

// The values of all names, before any of them escapes.
static void note_named(Opaque *o, uint32_t begin, uint32_t end) {
  const AstFile *file = o->frame->module->file;
  for (uint32_t i = begin; i < end; i++) {
    const Token *t = &file->list.tokens.items[i];
    Thing *x = t->kind == TOKEN_NAME ? named_at(o, t) : NULL;
    if (x) vec_push(o->m->arena, &o->named, x);
  }
}

static void spoil_tokens(Opaque *o, uint32_t begin, uint32_t end) {
  const AstFile *file = o->frame->module->file;
  const char *text = file->source.text;
  note_named(o, begin, end);
  for (uint32_t i = begin; i < end; i++) {
    const Token *t = &file->list.tokens.items[i];
    if (t->kind == TOKEN_FSTRING)
      spoil_words(o, text + t->begin, text + t->end, false);
    if (t->kind == TOKEN_STRING) spoil_string(o, t);
    if (t->kind != TOKEN_NAME) continue;
    if (leads_to_all(o, i, t)) run_expose_modules(o->m);
    if (token_is(&file->source, t, "configs") ||
        token_is(&file->source, t, "benchmarks"))
      run_expose_tuned(o->m);
    if (!i || t[-1].kind != TOKEN_DOT)
      spoil(o, word_at(o, t), may_bind(t, !i));
    else
      vec_push(o->m->arena, &o->words, word_at(o, t));
  }
  set_attributes(o);
}

// -- Statements --------------------------------------------------------------

static bool has_token(const AstFile *file, uint32_t begin, uint32_t end,
                      int kind) {
  for (uint32_t i = begin; i < end; i++)
    if (file->list.tokens.items[i].kind == kind) return true;
  return false;
}

// A `return` or `break` in the tokens may leave the call or loop around them.
static void leave_around(Machine *m, uint32_t begin, uint32_t end) {
  const AstFile *file = m->frame->module->file;
  if (m->frame->outer && has_token(file, begin, end, TOKEN_RETURN))
    run_leave(m, LEAVE_RETURN, &thing_unknown);
  if (m->frame->outer && has_token(file, begin, end, TOKEN_YIELD)) run_lose(m);
  if (m->loops && has_token(file, begin, end, TOKEN_BREAK))
    run_leave(m, LEAVE_BREAK, NULL);
  if (m->loops && has_token(file, begin, end, TOKEN_CONTINUE))
    run_leave(m, LEAVE_CONTINUE, NULL);
}

// `from module import *`
static bool brings_any(const AstFile *file, uint32_t begin, uint32_t end) {
  const Token *tokens = file->list.tokens.items;
  for (uint32_t i = begin; i + 1 < end; i++)
    if (tokens[i].kind == TOKEN_IMPORT && tokens[i + 1].kind == TOKEN_STAR)
      return true;
  return false;
}

bool run_opaque(Machine *m, uint32_t begin, uint32_t end) {
  const AstFile *file = m->frame->module->file;
  Opaque o = {.m = m, .frame = m->frame};
  o.forever = has_token(file, begin, end, TOKEN_DEF) ||
              has_token(file, begin, end, TOKEN_LAMBDA);
  spoil_tokens(&o, begin, end);
  if (has_token(file, begin, end, TOKEN_IMPORT)) run_expose_by_import(m);
  if (brings_any(file, begin, end)) run_bind_any(m);
  leave_around(m, begin, end);
  run_unknown(m, NULL, NULL);
  return !m->lost;
}

// -- Going on ----------------------------------------------------------------

RunPoint run_point(const Machine *m) {
  return (RunPoint){.mark = run_mark(m), .leaves = m->leaves.count, .now = *m};
}

void run_recover(Machine *m, const RunPoint *point) {
  const Machine *was = &point->now;
  assert(m->leaves.count >= point->leaves && "a lost path took older leaves");
  m->lost = false;
  m->leaves.count = point->leaves;
  run_undo(m, point->mark);
  m->depth = was->depth;
  m->nesting = was->nesting;
  m->calls = was->calls;
  m->loops = was->loops;
  m->forks = was->forks;
  m->tries = was->tries;
  m->widens = was->widens;
  m->changed = was->changed;
  m->frame = was->frame;
  m->handled = was->handled;
  m->runs_exposed = was->runs_exposed;
}

// The token at that place, or the next one; not one that begins or ends a block
// there.
static uint32_t token_at(const AstFile *file, SrcLoc loc) {
  uint32_t low = 0, high = (uint32_t)file->list.tokens.count - 1;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    const Token *t = &file->list.tokens.items[middle];
    const bool before =
        (int)t->line < loc.line ||
        ((int)t->line == loc.line && (int)t->column < loc.column);
    if (before)
      low = middle + 1;
    else
      high = middle;
  }
  const Token *tokens = file->list.tokens.items;
  while (tokens[low].kind == TOKEN_INDENT || tokens[low].kind == TOKEN_DEDENT)
    low++;
  return low;
}

uint32_t statement_begin(const AstFile *file, const Stmt *stmt) {
  const ExprList *decorators = stmt->kind == STMT_DEF ? &stmt->def.decorators
                               : stmt->kind == STMT_CLASS
                                   ? &stmt->class_.decorators
                                   : NULL;
  if (!decorators || !decorators->count) return token_at(file, stmt->loc);
  uint32_t begin = token_at(file, decorators->items[0]->loc);
  while (begin && file->list.tokens.items[begin].kind != TOKEN_AT) begin--;
  return begin;
}

bool run_statements(Machine *m, const StmtList *body) {
  const AstFile *file = m->frame->module->file;
  for (int i = 0; i < body->count; i++) {
    const RunPoint point = run_point(m);
    m->most_steps = m->steps + STEPS_OF_A_STATEMENT;
    m->frame->module->leaves = m->leaves.count;
    if (run_statement(m, body->items[i])) {
      run_note_unreached(m, body->items[i]);
      continue;
    }
    if (!m->lost) return false;
    run_recover(m, &point);
    m->most_steps = m->steps + STEPS_OF_A_STATEMENT;
    const uint32_t begin = statement_begin(file, body->items[i]);
    const uint32_t end = i + 1 < body->count
                             ? statement_begin(file, body->items[i + 1])
                             : (uint32_t)file->list.tokens.count - 1;
    if (!run_opaque(m, begin, end)) return false;
  }
  return !m->lost;
}

// -- Functions ---------------------------------------------------------------

// The token behind the body of the function at `at`; for a lambda, behind its
// line.
static uint32_t function_end(const AstFile *file, uint32_t at) {
  const Token *tokens = file->list.tokens.items;
  int depth = 0;
  for (uint32_t i = at; i < file->list.tokens.count; i++) {
    depth +=
        (tokens[i].kind == TOKEN_INDENT) - (tokens[i].kind == TOKEN_DEDENT);
    const bool line_ends =
        tokens[i].kind == TOKEN_NEWLINE && tokens[i + 1].kind != TOKEN_INDENT;
    if (depth < 0 || (!depth && (line_ends || tokens[i].kind == TOKEN_DEDENT)))
      return i;
  }
  return (uint32_t)file->list.tokens.count - 1;
}

void run_opaque_function(Machine *m, Thing *f) {
  RunFrame *around = f->as.function.around;
  const AstFile *file = around->module->file;
  const uint32_t begin = token_at(file, f->as.function.ast->loc);
  Opaque o = {.m = m, .frame = around, .forever = true};
  f->as.function.is_opaque = true;
  run_expose(m, f);
  spoil_tokens(&o, begin, function_end(file, begin));
}
