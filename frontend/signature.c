// signature.c -- signatures and -D values, as text.
//
//   "*fp32:16, *fp32, i32:16, 1024, 0.5, None, True, \"text\", (i32, 2)"
//
// After -D a name that is no type is one of the kernel's file.
//
// A small recursive descent over the characters; depth is limited.
#include "frontend/ast.h"
#include "frontend/dtype.h"
#include "frontend/errors.h"
#include "frontend/frontend.h"
#include "ir/base/vec.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SIGNATURE_DEPTH = 16 };

typedef struct {
  Arena *arena;
  DiagList *diags;
  const char *text, *at;
  bool types; // names are types of run-time values, not constants
  int depth;
} Reader;

static bool fail(Reader *r, const char *what) {
  if (!*r->at)
    return diag_error(r->diags, (SrcLoc){0}, ERROR_bad_signature_end, r->text,
                      what);
  return diag_error(r->diags, (SrcLoc){0}, ERROR_bad_signature, r->text, r->at,
                    what);
}

static void skip_space(Reader *r) {
  while (*r->at == ' ' || *r->at == '\t') r->at++;
}

static bool take(Reader *r, char c) {
  skip_space(r);
  if (*r->at != c) return false;
  r->at++;
  skip_space(r);
  return true;
}

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         (c >= '0' && c <= '9') || c == '.';
}

static const char *take_word(Reader *r) {
  const char *start = r->at;
  while (*r->at == '*') r->at++;
  while (is_word(*r->at)) r->at++;
  return arena_strndup(r->arena, start, (size_t)(r->at - start));
}

static bool read_value(Reader *r, ArgSpec *out);

static bool read_tuple(Reader *r, ArgSpec *out) {
  Vec(ArgSpec) items = {0};
  if (r->depth++ >= MAX_SIGNATURE_DEPTH)
    return fail(r, "this nests too deeply");
  while (!take(r, ')')) {
    ArgSpec item;
    if (!read_value(r, &item)) return false;
    vec_push(r->arena, &items, item);
    if (!take(r, ',') && *r->at != ')') return fail(r, "',' or ')' is wanted");
  }
  r->depth--;
  *out = (ArgSpec){
      .kind = ARG_TUPLE, .items = items.items, .num_items = (int)items.count};
  return true;
}

static bool read_string(Reader *r, ArgSpec *out) {
  const char quote = *r->at++;
  const char *end = strchr(r->at, quote);
  if (!end) return fail(r, "this string does not end");
  out->kind = ARG_STRING;
  out->text = arena_strndup(r->arena, r->at, (size_t)(end - r->at));
  r->at = end + 1;
  return true;
}

static bool read_number(Reader *r, ArgSpec *out) {
  char *end;
  errno = 0;
  out->i = strtoll(r->at, &end, 0);
  const bool in_range = errno == 0;
  out->kind = ARG_INT;
  if (strchr(".eE", *end) && *end) {
    out->kind = ARG_FLOAT;
    out->f = strtod(r->at, &end);
  } else if (!in_range) {
    return fail(r, "this integer does not fit into 64 bits");
  }
  if (end == r->at || is_word(*end)) return fail(r, "this is no number");
  r->at = end;
  return true;
}

static bool read_divisibility(Reader *r, ArgSpec *out) {
  char *end;
  const long value = strtol(r->at, &end, 10);
  const bool power = value > 0 && value < INT_MAX && !(value & (value - 1));
  if (end == r->at || !power)
    return fail(r, "a divisibility is a power of two");
  out->divisibility = (int)value;
  r->at = end;
  return true;
}

static bool is_name(const Reader *r, const char *word) {
  return !r->types && *word && !strpbrk(word, "*.");
}

static ArgSpec name_of(const char *word) {
  return (ArgSpec){.kind = ARG_FUNCTION, .text = word};
}

// `word` starts at `start`.
static bool read_type(Reader *r, const char *start, const char *word,
                      ArgSpec *out) {
  Dtype dtype;
  const char *name = strncmp(word, "tl.", 3) ? word : word + 3;
  if (!dtype_parse(name, &dtype)) {
    if (is_name(r, word)) return *out = name_of(word), true;
    r->at = start;
    return fail(r, r->types ? "this is not a type"
                            : "this is no number, string, type or name");
  }
  out->kind = r->types ? ARG_RUNTIME : ARG_DTYPE;
  out->text = name;
  skip_space(r);
  if (!r->types || *r->at != ':') return true;
  if (dtype_kind(dtype) == KIND_FLOAT)
    return fail(r, "a pointer or an integer can be divisible");
  take(r, ':');
  return read_divisibility(r, out);
}

static bool read_word(Reader *r, ArgSpec *out) {
  static const struct {
    const char *word;
    ArgSpec spec;
  } words[] = {{"None", {.kind = ARG_NONE}},
               {"True", {.kind = ARG_BOOL, .i = 1}},
               {"False", {.kind = ARG_BOOL}},
               {"inf", {.kind = ARG_FLOAT, .f = INFINITY}},
               {"constexpr", {.kind = ARG_ABSENT}}};
  const char *start = r->at;
  const char *word = take_word(r);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strcmp(words[i].word, word)) continue;
    *out = words[i].spec;
    return true;
  }
  return read_type(r, start, word, out);
}

static bool read_value(Reader *r, ArgSpec *out) {
  *out = (ArgSpec){0};
  skip_space(r);
  const char c = *r->at;
  if (take(r, '(')) return read_tuple(r, out);
  if (c == '"' || c == '\'') return read_string(r, out);
  if ((c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.')
    return read_number(r, out);
  return read_word(r, out);
}

bool frontend_parse_value(Arena *arena, DiagList *diags, const char *text,
                          ArgSpec *out) {
  Reader r = {arena, diags, text, text, false, 0};
  Dtype dtype;
  if (!read_value(&r, out)) return false;
  if (out->kind == ARG_DTYPE && !dtype_parse(out->text, &dtype)) return false;
  skip_space(&r);
  return *r.at ? fail(&r, "nothing more is wanted here") : true;
}

typedef Vec(ArgSpec) ArgSpecs;

static bool read_entries(Reader *r, ArgSpecs *out) {
  skip_space(r);
  while (*r->at) {
    ArgSpec entry;
    if (!read_value(r, &entry)) return false;
    vec_push(r->arena, out, entry);
    if (!take(r, ',') && *r->at) return fail(r, "',' is wanted");
  }
  return true;
}

// How many of the last parameters have defaults.
static int count_defaults(const AstFunction *kernel) {
  int n = 0;
  while (n < kernel->num_params &&
         kernel->params[kernel->num_params - 1 - n].value)
    n++;
  return n;
}

static int count_runtime(const AstFunction *kernel) {
  int n = 0;
  for (int i = 0; i < kernel->num_params; i++)
    n += !kernel->params[i].is_constexpr;
  return n;
}

bool frontend_parse_signature(Arena *arena, DiagList *diags,
                              const AstFunction *kernel, const char *text,
                              ArgSpec *out) {
  Reader r = {arena, diags, text, text, true, 0};
  ArgSpecs entries = {0};
  if (!read_entries(&r, &entries)) return false;
  const int all = kernel->num_params, some = count_runtime(kernel);
  const int given = (int)entries.count, least = all - count_defaults(kernel);
  if (given > all || (given < least && given != some))
    return diag_error(diags, kernel->loc, ERROR_signature_length, kernel->name,
                      all, some, given);
  for (int i = 0, next = 0; i < all; i++) {
    const bool skip =
        given == some ? kernel->params[i].is_constexpr : i >= given;
    out[i] = skip ? (ArgSpec){.kind = ARG_ABSENT} : entries.items[next++];
    if (out[i].kind != ARG_RUNTIME || !kernel->params[i].is_constexpr) continue;
    out[i].kind = ARG_DTYPE; // fp16, for a parameter that is a type
  }
  return true;
}
