// wrapped.c -- NAME = jit(FUNCTION), NAME = autotune(...)(FUNCTION).
//
// FUNCTION may be defined in this file or another, or itself be such a call.
//
// For example, in `k = triton.autotune(configs, key=[])(jit(fn=f))` the tokens
// of the decorator are `triton.autotune(configs, key=[])`, and those of its
// argument are `jit(fn=f)`, again a call: its decorator is `jit`, its argument
// `f`.
#include "frontend/scan/parts.h"

#include "frontend/host/guard.h"
#include "frontend/module/module.h"
#include "frontend/value/value.h"

enum { MAX_WRAPPINGS = 16 };

// A call of a decorator: the tokens of the decorator, and of its argument.
typedef struct {
  uint32_t begin, end, inner, inner_end;
} Wrapping;

static bool closes(int kind) {
  return token_nesting(kind) < 0;
}

// The token that ends the argument at `begin`; `end` at most.
static uint32_t argument_end(const Scanner *s, uint32_t begin, uint32_t end) {
  int depth = 0;
  for (uint32_t i = begin; i < end; i++) {
    const int kind = scan_kind(s, i);
    if (!depth && (kind == TOKEN_COMMA || closes(kind))) return i;
    depth += token_nesting(kind);
  }
  return end;
}

// The bracket that closes the one at `open`; `end` if it is not before that.
static uint32_t closing(const Scanner *s, uint32_t open, uint32_t end) {
  uint32_t i = open + 1;
  while (i < end && !closes(scan_kind(s, i = argument_end(s, i, end)))) i++;
  return i < end ? i : end;
}

// The token of the last name of a dotted name that begins at `first`.
static uint32_t last_part(const Scanner *s, uint32_t first) {
  while (scan_kind(s, first) == TOKEN_NAME &&
         scan_kind(s, first + 1) == TOKEN_DOT)
    first += 2;
  return first;
}

// Finds the first argument of the call at `open`, or the argument `fn=`.
static void find_argument(const Scanner *s, uint32_t open, uint32_t close,
                          Wrapping *out) {
  out->inner = open + 1;
  out->inner_end = argument_end(s, open + 1, close);
  for (uint32_t i = open + 1, end; i < close; i = end + 1) {
    end = argument_end(s, i, close);
    if (!scan_is_word(s, i, "fn") || scan_kind(s, i + 1) != TOKEN_ASSIGN)
      continue;
    out->inner = i + 2;
    out->inner_end = end;
  }
}

// jit(FUNCTION), jit(FUNCTION, ...), triton.jit(...)(FUNCTION) and the like.
static bool find_wrapping(const Scanner *s, uint32_t begin, uint32_t end,
                          Wrapping *out) {
  const uint32_t open = last_part(s, begin) + 1;
  if (open >= end || scan_kind(s, open) != TOKEN_LPAREN) return false;
  const uint32_t close = closing(s, open, end);
  *out = (Wrapping){.begin = begin, .end = end};
  find_argument(s, open, close, out);
  if (close + 1 == end) return true;
  const uint32_t second = close + 1;
  if (second >= end || scan_kind(s, second) != TOKEN_LPAREN ||
      closing(s, second, end) != end - 1)
    return false;
  out->end = second;
  find_argument(s, second, end - 1, out);
  return true;
}

// The meaning of a dotted name, which may be in another file.
static Symbol look_up(const Scanner *s, uint32_t first, uint32_t end) {
  const SrcLoc nowhere = {0};
  DiagList quiet;
  diag_init_muted(&quiet, s->program->arena);
  Symbol symbol = program_lookup(s->program, &quiet, s->file,
                                 scan_intern(s, "", first), nowhere);
  for (uint32_t i = first + 2; i < end; i += 2)
    symbol = program_member(s->program, &quiet, symbol, scan_intern(s, "", i),
                            nowhere);
  return symbol;
}

static const Definition *definition_of(const Symbol *symbol) {
  const bool known =
      symbol->kind == SYMBOL_FUNCTION || symbol->kind == SYMBOL_HOST;
  return known ? symbol_definition(symbol) : NULL;
}

// Does the name of the call contain the name of a decorator?  Without this
// test, a file would be read for each call of an imported function.
static bool says_decorator(const Scanner *s, uint32_t begin) {
  const char *word = scan_intern(s, "", last_part(s, begin));
  return decorator_compiles(word) || decorator_tunes(word) ||
         decorator_runs_while_compiling(word);
}

static const Definition *find_wrapped(Scanner *s, const Wrapping *w, int depth);

static const Definition *find_function(Scanner *s, const Wrapping *w,
                                       int depth) {
  Wrapping inner;
  const uint32_t first = w->inner, end = w->inner_end;
  if (find_wrapping(s, first, end, &inner))
    return depth < MAX_WRAPPINGS ? find_wrapped(s, &inner, depth + 1) : NULL;
  if (first >= end || last_part(s, first) + 1 != end) return NULL;
  const Definition *d =
      file_find(s->file, scan_intern(s, s->scope.prefix, first));
  if (end == first + 1 && d && d->function) return d;
  if (!says_decorator(s, w->begin)) return NULL;
  const Symbol symbol = look_up(s, first, end);
  return definition_of(&symbol);
}

// Can the decorator be applied to `inner`?  jit() marks a plain function; a
// marked one can be tuned.
static bool decorates(Scanner *s, const Wrapping *w, const Definition *inner,
                      bool *constant) {
  const AstPlace place = {.within = s->within};
  const char *word =
      decorator_name(s->program, s->file, place, w->begin, w->end);
  *constant = decorator_runs_while_compiling(word);
  return inner->kind == DEFINES_HOST ? *constant || decorator_compiles(word)
                                     : decorator_tunes(word);
}

static void wrap(const Wrapping *w, const Definition *inner, Definition *out) {
  out->begin = inner->begin;
  out->end = inner->end;
  out->inner = inner;
  out->decorators = inner->decorators;
  out->note_begin = w->begin;
  out->note_end = w->end;
}

// A marked function without a name of its own: the inner call of
// `autotune(...)(jit(f))`.
static const Definition *find_wrapped(Scanner *s, const Wrapping *w,
                                      int depth) {
  bool constant;
  const Definition *inner = find_function(s, w, depth);
  if (!inner || !decorates(s, w, inner, &constant)) return NULL;
  Definition *d = arena_new(s->program->arena, Definition);
  d->kind = DEFINES_FUNCTION;
  d->file = s->file;
  d->order = s->file->num_definitions + 1;
  d->function = inner->function;
  wrap(w, inner, d);
  return d;
}

// -- Functions that make functions -------------------------------------------

// Is there a `def` within the function?
static bool has_nested(const Definition *d) {
  const Token *tokens = d->function->file->list.tokens.items;
  uint32_t i = d->begin + 1;
  while (i < d->end && tokens[i].kind != TOKEN_DEF) i++;
  return i < d->end;
}

// A call of a host function that contains a `def`.
static bool is_making(const Scanner *s, uint32_t begin, uint32_t end) {
  const uint32_t open = last_part(s, begin) + 1;
  if (open >= end || scan_kind(s, open) != TOKEN_LPAREN) return false;
  const Symbol symbol = look_up(s, begin, open);
  const Definition *d = definition_of(&symbol);
  return d && d->kind == DEFINES_HOST && has_nested(d);
}

static bool define_made(Scanner *s, uint32_t name, uint32_t begin,
                        uint32_t end) {
  if (!is_making(s, begin, end)) return false;
  const Object *x = guard_value(s->program, s->file, scan_place(s), begin, end);
  const char *own = scan_intern(s, s->scope.prefix, name);
  const Definition *made =
      made_definition(s->program, own, scan_loc(s, name), x);
  if (!made) return false;
  Definition *d = scan_define(s, DEFINES_FUNCTION, own, name);
  d->begin = made->begin;
  d->end = made->end;
  d->decorators = made->decorators;
  d->function = made->function;
  vec_push(s->program->arena, &s->file->functions, d);
  return true;
}

// -- Functions of the module -------------------------------------------------

static bool define_wrapped(Scanner *s, uint32_t name, uint32_t begin,
                           uint32_t end) {
  bool constant;
  Wrapping w;
  Arena *arena = s->program->arena;
  if (!find_wrapping(s, begin, end, &w)) return false;
  const Definition *inner = find_function(s, &w, 0);
  if (!inner || !decorates(s, &w, inner, &constant)) return false;
  Definition *d = scan_define(s, DEFINES_FUNCTION,
                              scan_intern(s, s->scope.prefix, name), name);
  wrap(&w, inner, d);
  d->function = arena_new(arena, AstFunction);
  d->function->file = inner->function->file;
  d->function->name = d->name;
  d->function->loc = d->loc;
  d->function->place = inner->function->place;
  d->function->is_constant = constant;
  d->function->around = inner->function->around;
  if (!constant) vec_push(arena, &s->file->functions, d);
  return true;
}

void scan_returned(Scanner *s, uint32_t begin, uint32_t end) {
  Wrapping w, inner;
  if (!find_wrapping(s, begin, end, &w)) return;
  while (find_wrapping(s, w.inner, w.inner_end, &inner)) w = inner;
  if (w.inner + 1 != w.inner_end || scan_kind(s, w.inner) != TOKEN_NAME) return;
  const Definition *d =
      file_find(s->file, scan_intern(s, s->scope.prefix, w.inner));
  if (d && d->function) define_wrapped(s, w.inner, begin, end);
}

// `name = host(name)`, `name = host(...)(name)`: the host's decorator is
// ignored, and the name keeps its meaning.
static bool is_kept(Scanner *s, uint32_t name, uint32_t begin, uint32_t end) {
  Wrapping w;
  if (!find_wrapping(s, begin, end, &w) || w.inner + 1 != w.inner_end)
    return false;
  const char *inner = scan_intern(s, s->scope.prefix, w.inner);
  if (inner != scan_intern(s, s->scope.prefix, name)) return false;
  const Definition *d = file_find(s->file, inner);
  return d && d->kind == DEFINES_FUNCTION;
}

bool scan_function(Scanner *s, uint32_t name, uint32_t begin, uint32_t end) {
  while (begin + 1 < end && scan_kind(s, begin) == TOKEN_LPAREN &&
         closing(s, begin, end) == end - 1) {
    begin++;
    end--;
  }
  return define_wrapped(s, name, begin, end) ||
         define_made(s, name, begin, end) || is_kept(s, name, begin, end);
}

// Are the targets plain names, one for each item of the value?
static bool are_paired(const Scanner *s, uint32_t begin, uint32_t end,
                       uint32_t value, uint32_t value_end) {
  while (begin < end && value < value_end) {
    const uint32_t last = argument_end(s, value, value_end);
    if (scan_kind(s, begin) != TOKEN_NAME || last == value) return false;
    if (begin + 1 == end) return last == value_end;
    if (scan_kind(s, begin + 1) != TOKEN_COMMA) return false;
    begin += 2;
    value = last + 1;
  }
  return false;
}

// Does the value read a name that the statement assigns?
static bool swaps(const Scanner *s, uint32_t begin, uint32_t end,
                  uint32_t value, uint32_t value_end) {
  for (uint32_t i = value; i < value_end; i++) {
    if (scan_kind(s, i) != TOKEN_NAME) continue;
    const char *name = scan_intern(s, "", i);
    for (uint32_t k = begin; k < end; k += 2) {
      if (scan_is_word(s, k, name)) return true;
    }
  }
  return false;
}

// Most tuples do not contain jit(): a quick look at the words excludes them.
static bool says_jit(const Scanner *s, uint32_t begin, uint32_t end) {
  while (begin < end && !scan_is_word(s, begin, "jit")) begin++;
  return begin < end;
}

void scan_functions(Scanner *s, uint32_t begin, uint32_t end, uint32_t value,
                    uint32_t value_end) {
  if (!says_jit(s, value, value_end) ||
      !are_paired(s, begin, end, value, value_end) ||
      swaps(s, begin, end, value, value_end))
    return;
  for (; begin < end; begin += 2) {
    const uint32_t last = argument_end(s, value, value_end);
    scan_function(s, begin, value, last);
    value = last + 1;
  }
}
