// signature.c -- signatures and -D values, as text.
//
//   "*fp32:16, *fp32, i32:16, 1024, 0.5, None, True, \"text\", (i32, 2),
//    (ptr=*fp32, size=i32), tensordesc<fp16[64, 32]>,
//    tensordesc<fp16[64], nan>"
//
// After -D a name that is no type is one of the kernel's file.
//
// A small recursive descent over the characters; depth is limited.
#include "frontend/core/walk.h"
#include "frontend/errors.h"
#include "frontend/frontend.h"
#include "frontend/syntax/ast.h"
#include "frontend/value/value.h"
#include "ir/base/base.h"
#include "ir/number.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SIGNATURE_DEPTH = 16 };

typedef struct {
  Arena *arena;
  DiagList *diags;
  const char *where; // the name of the text in messages
  const char *text, *at;
  bool types; // names are types of run-time values, not constants
  int depth;
} SignatureReader;

// Adds the text as a source, so that messages show it.
static SrcLoc place(const SignatureReader *r, const char *at, size_t length) {
  assert(r->text <= at && at <= r->text + strlen(r->text)); // I3
  if (!diag_find_source(r->diags, r->where))
    diag_add_source(
        r->diags, source_create(r->arena, r->where, r->text, strlen(r->text)));
  return (SrcLoc){r->where, 1, (int)(at - r->text) + 1, (int)length};
}

static bool fail(const SignatureReader *r, const char *message) {
  return diag_error_text(r->diags, place(r, r->at, 1), message);
}

// Reports an error about the characters from `start` on.
static bool fail_at(const SignatureReader *r, const char *start,
                    const char *message) {
  assert(start <= r->at && "an error about characters not read yet"); // I3
  return diag_error_text(r->diags, place(r, start, (size_t)(r->at - start)),
                         message);
}

static bool fail_wanted(const SignatureReader *r, const char *what) {
  return diag_error(r->diags, place(r, r->at, 1), ERROR_signature_wants, what);
}

static void skip_space(SignatureReader *r) {
  while (*r->at == ' ' || *r->at == '\t') r->at++;
}

static bool take(SignatureReader *r, char c) {
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

static const char *take_word(SignatureReader *r) {
  const char *start = r->at;
  while (*r->at == '*') r->at++;
  while (is_word(*r->at)) r->at++;
  return arena_strndup(r->arena, start, (size_t)(r->at - start));
}

static bool read_value(SignatureReader *r, ArgSpec *out);

// Reads `size=`; NULL, with nothing read, if there is no name.
static const char *take_name(SignatureReader *r) {
  const char *start = r->at, *name = take_word(r);
  if (*name && *name != '*' && !strchr(name, '.') && take(r, '=')) return name;
  r->at = start;
  return NULL;
}

typedef Vec(ArgSpec) ArgSpecs;

// Either all items have names, or none has.
static bool read_item(SignatureReader *r, ArgSpecs *items, Names *names,
                      bool *has_comma) {
  const char *start = r->at, *name = take_name(r);
  if (items->count && !name != !names->count)
    return fail_at(r, start, ERROR_signature_some_names);
  if (name) vec_push(r->arena, names, name);
  ArgSpec item;
  if (!read_value(r, &item)) return false;
  vec_push(r->arena, items, item);
  *has_comma = take(r, ',');
  return *has_comma || *r->at == ')' || fail_wanted(r, "',' or ')'");
}

// Reads a tuple, behind its opening bracket.  As in Python, `(1)` is 1 and
// `(1,)` a tuple.
static bool read_tuple(SignatureReader *r, ArgSpec *out) {
  ArgSpecs items = {0};
  Names names = {0};
  bool has_comma = false;
  if (r->depth++ >= MAX_SIGNATURE_DEPTH) return fail(r, ERROR_signature_nests);
  while (!take(r, ')')) {
    if (!read_item(r, &items, &names, &has_comma)) return false;
  }
  r->depth--;
  *out = (ArgSpec){.kind = ARG_TUPLE,
                   .items = items.items,
                   .num_items = (int)items.count,
                   .names = names.items};
  if (items.count == 1 && !has_comma && !names.count) *out = items.items[0];
  return true;
}

static bool read_string(SignatureReader *r, ArgSpec *out) {
  const char quote = *r->at++;
  const char *end = strchr(r->at, quote);
  if (!end) return fail_at(r, r->at - 1, ERROR_signature_string);
  out->kind = ARG_STRING;
  out->text = arena_strndup(r->arena, r->at, (size_t)(end - r->at));
  r->at = end + 1;
  return true;
}

// The end of a number: its sign, digits, letters, and the sign of an exponent.
static const char *number_end(const char *at) {
  at += *at == '-' || *at == '+';
  while (is_word(*at) ||
         ((*at == '-' || *at == '+') && (at[-1] == 'e' || at[-1] == 'E')))
    at++;
  return at;
}

static bool read_number(SignatureReader *r, ArgSpec *out) {
  const char *start = r->at;
  char *end;
  r->at = number_end(start);
  errno = 0;
  out->i = strtoll(start, &end, 0);
  out->kind = ARG_INT;
  if (end == r->at && end != start)
    return !errno || fail_at(r, start, ERROR_signature_integer);
  out->kind = ARG_FLOAT;
  const char *text = arena_strndup(r->arena, start, (size_t)(r->at - start));
  return float_parse_python(text, &out->f) ||
         fail_at(r, start, ERROR_signature_number);
}

static bool read_divisibility(SignatureReader *r, ArgSpec *out) {
  char *end;
  const long value = strtol(r->at, &end, 10);
  const bool power = value > 0 && value < INT_MAX && !(value & (value - 1));
  if (end == r->at || !power) return fail(r, ERROR_signature_divisibility);
  out->divisibility = (int)value;
  r->at = end;
  return true;
}

static ArgSpec name_of(const char *word) {
  return (ArgSpec){.kind = ARG_FUNCTION, .text = word};
}

// The type whose name is near to `word`; NULL if none is.
static const char *nearest_type(SignatureReader *r, const char *word) {
  const size_t stars = strspn(word, "*");
  const char *const dot = strrchr(word, '.'); // torch.float32
  const char *bare = dot ? dot + 1 : word + stars;
  const char *names[DTYPE_COUNT];
  size_t count = 0;
  for (int i = 0; i < DTYPE_COUNT; i++) {
    if (i != DTYPE_VOID) names[count++] = dtype_info[i].signature;
  }
  const char *near = usual_name(USUAL_TYPE, bare);
  if (!near) near = diag_nearest(bare, names, count);
  return near ? arena_printf(r->arena, "%s%s", stars ? "*" : "", near) : NULL;
}

static bool no_type(SignatureReader *r, const char *start, const char *word) {
  if (!*word) return fail_wanted(r, r->types ? "a type" : "a value");
  const SrcLoc loc = place(r, start, (size_t)(r->at - start));
  const char *near = nearest_type(r, word);
  if (!near)
    return diag_error(r->diags, loc,
                      r->types ? ERROR_signature_no_type : ERROR_no_value,
                      word);
  diag_error(r->diags, loc, ERROR_signature_no_type_near, word, near);
  diag_fix(r->diags, loc, near);
  return false;
}

// Is `word` the name of a global or `module.name`, and no type of another
// library?
static bool is_name(const SignatureReader *r, const char *word) {
  static const char *const libraries[] = {"torch.", "np.", "numpy.", "jnp."};
  if (r->types || !*word || strchr(word, '*')) return false;
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
    if (!strncmp(word, libraries[i], strlen(libraries[i]))) return false;
  }
  return *word != '.' && word[strlen(word) - 1] != '.' && !strstr(word, "..");
}

// Reads a type whose first word, `word`, is at `start`.
static bool read_type(SignatureReader *r, const char *start, const char *word,
                      ArgSpec *out) {
  Dtype dtype;
  const char *name = strncmp(word, "tl.", 3) ? word : word + 3;
  if (!dtype_parse(name, &dtype)) {
    if (is_name(r, word)) return *out = name_of(word), true;
    return no_type(r, start, word);
  }
  out->kind = r->types ? ARG_RUNTIME : ARG_DTYPE;
  out->text = name;
  skip_space(r);
  if (!r->types || *r->at != ':') return true;
  if (dtype_kind(dtype) == KIND_FLOAT)
    return fail(r, ERROR_signature_float_divisible);
  take(r, ':');
  return read_divisibility(r, out);
}

static bool read_block(SignatureReader *r, ArgSpec *out) {
  Vec(ArgSpec) sizes = {0};
  do {
    const char *start = r->at;
    ArgSpec size = {0};
    if (!read_number(r, &size)) return false;
    vec_push(r->arena, &sizes, size);
    if (size.kind != ARG_INT || sizes.count > MAX_DESCRIPTOR_RANK)
      return fail_at(r, start, ERROR_signature_block);
  } while (take(r, ','));
  out->items = sizes.items;
  out->num_items = (int)sizes.count;
  return take(r, ']') || fail_wanted(r, "',' or ']'");
}

// Reads ", nan": loads outside of the tensor give NaN.  Triton's notation lacks
// this.
static void read_padding(SignatureReader *r, ArgSpec *out) {
  const char *start = r->at;
  out->i = take(r, ',') && !strcmp(take_word(r), "nan");
  if (!out->i) r->at = start;
}

// Reads the rest of a descriptor's type, after "tensordesc".
static bool read_descriptor(SignatureReader *r, ArgSpec *out) {
  Dtype dtype;
  if (!take(r, '<')) return fail_wanted(r, "'<'");
  const char *start = r->at;
  *out = (ArgSpec){.kind = ARG_DESCRIPTOR, .text = take_word(r)};
  if (!dtype_parse(out->text, &dtype)) return no_type(r, start, out->text);
  if (dtype.is_pointer) return fail_at(r, start, ERROR_signature_element);
  if (!take(r, '[')) return fail_wanted(r, "'['");
  if (!read_block(r, out)) return false;
  read_padding(r, out);
  if (!take(r, '>')) return fail_wanted(r, "'>'");
  return !take(r, ':') || read_divisibility(r, out);
}

static bool read_word(SignatureReader *r, ArgSpec *out) {
  static const struct {
    const char *word;
    ArgSpec spec;
  } words[] = {
#define WORD(word, ...) {word, __VA_ARGS__},
#include "frontend/kernel/signature_words.def"
  };
  const char *start = r->at;
  const char *word = take_word(r);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strcmp(words[i].word, word)) continue;
    *out = words[i].spec;
    return true;
  }
  if (r->types && !strcmp(word, "tensordesc")) return read_descriptor(r, out);
  return read_type(r, start, word, out);
}

static bool read_value(SignatureReader *r, ArgSpec *out) {
  *out = (ArgSpec){0};
  skip_space(r);
  const char c = *r->at;
  if (take(r, '(')) return read_tuple(r, out);
  if (c == '"' || c == '\'') return read_string(r, out);
  if ((c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.')
    return read_number(r, out);
  return read_word(r, out);
}

bool frontend_parse_value(Arena *arena, DiagList *diags, const char *where,
                          const char *text, ArgSpec *out) {
  SignatureReader r = {arena, diags, where, text, text, false, 0};
  Dtype dtype;
  if (!read_value(&r, out)) return false;
  if (out->kind == ARG_DTYPE && !dtype_parse(out->text, &dtype)) return false;
  skip_space(&r);
  return *r.at ? fail(&r, ERROR_signature_more) : true;
}

static bool read_entries(SignatureReader *r, ArgSpecs *out) {
  skip_space(r);
  while (*r->at) {
    ArgSpec entry;
    if (!read_value(r, &entry)) return false;
    vec_push(r->arena, out, entry);
    if (!take(r, ',') && *r->at) return fail_wanted(r, "','");
  }
  return true;
}

// The number of parameters, at the end, that have defaults.
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

// For `*pointers` no signature is possible.
static bool wrong_length(DiagList *diags, const AstFunction *kernel, int some,
                         int given) {
  const int all = kernel->num_params;
  for (int i = 0; i < all; i++) {
    const AstParam *param = &kernel->params[i];
    if (param->kind == PARAM_STAR || param->kind == PARAM_DOUBLE_STAR)
      return diag_error(diags, param->loc, ERROR_kernel_star_parameter,
                        param->name);
  }
  if (some == all)
    return diag_error(diags, kernel->loc, ERROR_signature_entries, kernel->name,
                      all, given);
  return diag_error(diags, kernel->loc, ERROR_signature_length, kernel->name,
                    all, some, given);
}

bool frontend_parse_signature(Arena *arena, DiagList *diags,
                              const AstFunction *kernel, const char *text,
                              ArgSpec *out) {
  SignatureReader r = {arena, diags, "<signature>", text, text, true, 0};
  ArgSpecs entries = {0};
  if (!read_entries(&r, &entries)) return false;
  const int all = kernel->num_params, some = count_runtime(kernel);
  const int given = (int)entries.count, least = all - count_defaults(kernel);
  if (given > all || (given < least && given != some))
    return wrong_length(diags, kernel, some, given);
  for (int i = 0, next = 0; i < all; i++) {
    const bool skip =
        given == some ? kernel->params[i].is_constexpr : i >= given;
    out[i] = skip ? (ArgSpec){.kind = ARG_ABSENT} : entries.items[next++];
    if (out[i].kind != ARG_RUNTIME || !kernel->params[i].is_constexpr) continue;
    out[i].kind = ARG_DTYPE; // for a parameter that is a type
  }
  return true;
}
