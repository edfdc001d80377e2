// string.c -- methods of constant strings.
//
// Positions count characters, as in Python.  Only ASCII letters and digits
// count as such.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/python/python.h"
#include "ir/base/base.h"

#include <ctype.h>
#include <string.h>

static const char spaces[] = " \t\n\r\v\f";

static const char *text(const BuiltinCall *c, int n) {
  return c->args[n]->as.string.text;
}

static bool is_string(Walk *w, const BuiltinCall *c, int n) {
  if (c->args[n]->kind == OBJECT_STRING) return true;
  return diag_error(w->diags, c->locs[n], ERROR_string_method_wants_strings,
                    c->info->name, text_of(w, c->args[n]));
}

static bool are_strings(Walk *w, const BuiltinCall *c, int count) {
  for (int i = 0; i < count; i++) {
    if (!is_string(w, c, i)) return false;
  }
  return true;
}

static const Object *part(Walk *w, const char *from, size_t length) {
  return object_string(w->arena, arena_strndup(w->arena, from, length), length);
}

static const Object *finished(Walk *w, const BuiltinCall *c, const Str *out) {
  const ConstantContext context = constant_context(w, c->loc);
  return constant_string(&context, out);
}

// -- Searching ---------------------------------------------------------------

typedef struct {
  const char *at, *end;
  bool none; // the end is before the begin
} SearchedPart;

static bool clamp(Walk *w, const BuiltinCall *c, int n, int64_t count,
                  int64_t otherwise, int64_t *out) {
  if (!argument_int(w, c, n, otherwise, out)) return false;
  if (*out < 0) *out = *out + count < 0 ? 0 : *out + count;
  return true;
}

// The part of the string that the arguments `n` and `n + 1` bound.
static bool read_window(Walk *w, const BuiltinCall *c, int n,
                        SearchedPart *out) {
  const char *all = text(c, 0);
  const size_t length = strlen(all);
  const int64_t count = (int64_t)count_characters(all, length);
  int64_t from, to;
  if (!clamp(w, c, n, count, 0, &from) ||
      !clamp(w, c, n + 1, count, count, &to))
    return false;
  to = to > count ? count : to;
  out->at = all + characters_bytes(all, length, (size_t)from);
  out->end = all + characters_bytes(all, length, (size_t)to);
  out->none = from > to;
  return true;
}

// The first or the last place of `wanted`, or NULL.
static const char *find(SearchedPart in, const char *wanted, bool last) {
  const char *found = NULL;
  const size_t n = strlen(wanted);
  if (in.none) return NULL;
  for (const char *p = in.at; p <= in.end && n <= (size_t)(in.end - p); p++) {
    if (utf8_continues(*p) || memcmp(p, wanted, n)) continue;
    found = p;
    if (!last) break;
  }
  return found;
}

static SearchedPart whole(const char *all) {
  return (SearchedPart){all, all + strlen(all), false};
}

// find, rfind, index, rindex.
const Object *builtin_str_find(Walk *w, const BuiltinCall *c) {
  SearchedPart in;
  if (!are_strings(w, c, 2) || !read_window(w, c, 2, &in)) return NULL;
  const char *found = find(in, text(c, 1), (c->info->data & STRING_LAST) != 0);
  if (!found && c->info->data & STRING_MUST)
    return walk_error(w, c->locs[1], ERROR_substring_not_found,
                      text_of(w, c->args[0]), text(c, 1));
  if (!found) return object_int(w->arena, -1);
  const char *all = text(c, 0);
  return object_int(w->arena,
                    (Integer)count_characters(all, (size_t)(found - all)));
}

const Object *builtin_str_count(Walk *w, const BuiltinCall *c) {
  SearchedPart in;
  if (!are_strings(w, c, 2) || !read_window(w, c, 2, &in)) return NULL;
  const char *wanted = text(c, 1);
  Integer count = 0;
  for (const char *p; (p = find(in, wanted, false)); count++)
    in.at = p + (*wanted ? strlen(wanted) : p < in.end ? character_size(p) : 1);
  return object_int(w->arena, count);
}

static bool has(SearchedPart in, const char *affix, bool at_end) {
  const size_t n = strlen(affix);
  if (in.none || n > (size_t)(in.end - in.at)) return false;
  return !memcmp(at_end ? in.end - n : in.at, affix, n);
}

// startswith and endswith of a string, or of any of a tuple's.
const Object *builtin_str_has(Walk *w, const BuiltinCall *c) {
  const Object *affix = c->args[1];
  const bool at_end = c->info->data == STRING_LAST;
  SearchedPart in;
  if (!read_window(w, c, 2, &in)) return NULL;
  const bool many = affix->kind == OBJECT_TUPLE;
  const int n = many ? affix->as.tuple.count : 1;
  bool found = false;
  for (int i = 0; i < n; i++) {
    const Object *x = many ? affix->as.tuple.items[i] : affix;
    if (x->kind != OBJECT_STRING)
      return walk_error(w, c->locs[1], ERROR_string_method_wants_strings,
                        c->info->name, text_of(w, x));
    found = found || has(in, x->as.string.text, at_end);
  }
  return object_bool(found);
}

const Object *builtin_str_remove(Walk *w, const BuiltinCall *c) {
  if (!are_strings(w, c, 2)) return NULL;
  const SearchedPart in = whole(text(c, 0));
  const bool at_end = c->info->data == STRING_LAST;
  if (!has(in, text(c, 1), at_end)) return c->args[0];
  const size_t n = strlen(text(c, 1));
  return part(w, at_end ? in.at : in.at + n, (size_t)(in.end - in.at) - n);
}

// -- Characters --------------------------------------------------------------

static bool is_letter_case(const char *all, bool upper) {
  bool cased = false;
  for (; *all; all++) {
    const unsigned char c = (unsigned char)*all;
    if (c >= 0x80) continue;
    if (upper ? islower(c) : isupper(c)) return false;
    cased = cased || isalpha(c);
  }
  return cased;
}

static bool is_of(char kind, unsigned char c) {
  if (c >= 0x80) return kind == 'p';
  switch (kind) {
  case 'a': return isalpha(c) != 0;
  case 'd': return isdigit(c) != 0;
  case 'n': return isalnum(c) != 0;
  case 's': return isspace(c) != 0;
  case 'i': return isalnum(c) || c == '_';
  case 'p': return isprint(c) != 0;
  default: return true; // isascii
  }
}

// Does each word begin with its only capital letter?
static bool is_title(const char *all) {
  bool cased = false, inside = false;
  for (; *all; all++) {
    const unsigned char c = (unsigned char)*all;
    const bool letter = c < 0x80 && isalpha(c);
    if (letter && (isupper(c) != 0) == inside) return false;
    inside = letter;
    cased = cased || letter;
  }
  return cased;
}

// isalpha and its like.
const Object *builtin_str_is(Walk *w, const BuiltinCall *c) {
  (void)w;
  const char *all = text(c, 0);
  const char kind = (char)c->info->data;
  if (kind == 'l' || kind == 'u')
    return object_bool(is_letter_case(all, kind == 'u'));
  if (kind == 't') return object_bool(is_title(all));
  if (kind == 'i' && isdigit((unsigned char)*all)) return &object_false;
  if (!*all) return object_bool(kind == 'p' || kind == 'A');
  for (; *all; all++) {
    if (!is_of(kind, (unsigned char)*all)) return &object_false;
  }
  return &object_true;
}

// Does not use toupper(): in some locales that changes 'i' in another way.
static char cased(char kind, char before, char letter) {
  const unsigned char c = (unsigned char)letter;
  const bool first = kind == 't' ? !isalpha((unsigned char)before) : !before;
  const bool upper = kind == 'u' || (kind == 's' && islower(c)) ||
                     ((kind == 't' || kind == 'c') && first);
  if (upper && c >= 'a' && c <= 'z') return (char)(c - 'a' + 'A');
  if (!upper && c >= 'A' && c <= 'Z') return (char)(c - 'A' + 'a');
  return letter;
}

// lower, upper, swapcase, title, capitalize.
const Object *builtin_str_case(Walk *w, const BuiltinCall *c) {
  const char *all = text(c, 0);
  Str out = str_in(w->arena);
  for (size_t i = 0; all[i]; i++)
    str_add_char(&out, cased((char)c->info->data, i ? all[i - 1] : 0, all[i]));
  return finished(w, c, &out);
}

// -- Parts -------------------------------------------------------------------

static bool is_one_of(const char *character, const char *set) {
  const size_t n = character_size(character);
  for (; *set; set += character_size(set)) {
    if (character_size(set) == n && !memcmp(set, character, n)) return true;
  }
  return false;
}

static const char *before(const char *p) {
  while (utf8_continues(*--p)) {
  }
  return p;
}

const Object *builtin_str_strip(Walk *w, const BuiltinCall *c) {
  const bool blank = argument_absent(c, 1);
  if (!blank && !is_string(w, c, 1)) return NULL;
  const char *set = blank ? spaces : text(c, 1);
  SearchedPart in = whole(text(c, 0));
  const int sides = c->info->data;
  while (sides & STRING_FIRST && in.at < in.end && is_one_of(in.at, set))
    in.at += character_size(in.at);
  while (sides & STRING_LAST && in.at < in.end &&
         is_one_of(before(in.end), set))
    in.end = before(in.end);
  return part(w, in.at, (size_t)(in.end - in.at));
}

const Object *builtin_str_replace(Walk *w, const BuiltinCall *c) {
  int64_t limit;
  if (!are_strings(w, c, 3) || !argument_int(w, c, 3, -1, &limit)) return NULL;
  const char *old = text(c, 1);
  SearchedPart in = whole(text(c, 0));
  Str out = str_in(w->arena);
  for (const char *p; limit != 0 && out.length <= OBJECT_MAX_LENGTH &&
                      (p = find(in, old, false));
       limit--) {
    const size_t step = *old ? 0 : character_size(p);
    str_add_bytes(&out, in.at, (size_t)(p - in.at));
    str_add(&out, text(c, 2));
    str_add_bytes(&out, p, step);
    in.at = p + strlen(old) + step;
    if (!*old && !step) return finished(w, c, &out);
  }
  str_add(&out, in.at);
  return finished(w, c, &out);
}

typedef Vec(const Object *) StringParts;

static void push(Walk *w, StringParts *parts, const char *from,
                 const char *to) {
  vec_push(w->arena, parts, part(w, from, (size_t)(to - from)));
}

static const char *skip(const char *p, const char *end, bool space) {
  while (p < end && (strchr(spaces, *p) != NULL) == space) p++;
  return p;
}

// Splits into words between spaces.
static void split_words(Walk *w, SearchedPart in, int64_t limit,
                        StringParts *out) {
  in.at = skip(in.at, in.end, true);
  while (in.at < in.end && limit-- != 0) {
    const char *end = skip(in.at, in.end, false);
    push(w, out, in.at, end);
    in.at = skip(end, in.end, true);
  }
  if (in.at < in.end) push(w, out, in.at, in.end);
}

static const char *skip_back(const char *start, const char *p, bool space) {
  while (p > start && (strchr(spaces, p[-1]) != NULL) == space) p--;
  return p;
}

// Splits from the end on, so the parts are in reverse order.
static void split_words_back(Walk *w, SearchedPart in, int64_t limit,
                             StringParts *out) {
  in.end = skip_back(in.at, in.end, true);
  while (in.at < in.end && limit-- != 0) {
    const char *start = skip_back(in.at, in.end, false);
    push(w, out, start, in.end);
    in.end = skip_back(in.at, start, true);
  }
  if (in.at < in.end) push(w, out, in.at, in.end);
}

static void split_at(Walk *w, SearchedPart in, const char *mark, int64_t limit,
                     bool back, StringParts *out) {
  const size_t n = strlen(mark);
  for (const char *p; limit-- != 0 && (p = find(in, mark, back));) {
    push(w, out, back ? p + n : in.at, back ? in.end : p);
    if (back) in.end = p;
    if (!back) in.at = p + n;
  }
  push(w, out, in.at, in.end);
}

// Makes a list or tuple of the parts.
static const Object *parts_of(Walk *w, const StringParts *parts, bool turned,
                              char written) {
  const size_t n = parts->count;
  const Object **items = arena_array(w->arena, const Object *, n + 1);
  for (size_t i = 0; i < n; i++)
    items[i] = parts->items[turned ? n - 1 - i : i];
  return walk_own(w, object_tuple(w->arena, items, (int)n), written);
}

static bool wants_mark(Walk *w, const BuiltinCall *c) {
  if (!is_string(w, c, 1)) return false;
  return *text(c, 1) ||
         diag_error(w->diags, c->locs[1], ERROR_empty_separator, c->info->name);
}

// split and rsplit.
const Object *builtin_str_split(Walk *w, const BuiltinCall *c) {
  int64_t limit;
  const bool blank = argument_absent(c, 1);
  if ((!blank && !wants_mark(w, c)) || !argument_int(w, c, 2, -1, &limit))
    return NULL;
  const bool back = c->info->data == STRING_LAST;
  const SearchedPart in = whole(text(c, 0));
  StringParts parts = {0};
  if (!blank) {
    split_at(w, in, text(c, 1), limit, back, &parts);
  } else if (back) {
    split_words_back(w, in, limit, &parts);
  } else {
    split_words(w, in, limit, &parts);
  }
  return parts_of(w, &parts, back, '[');
}

// The number of bytes of the line end at `p`.
static size_t line_end(const char *p) {
  size_t count;
  const char *const *ends = words_of(WORDS_LINE_ENDS, &count);
  for (size_t i = 0; i < count; i++) {
    const size_t n = strlen(ends[i]);
    if (!strncmp(p, ends[i], n)) return n;
  }
  return 0;
}

const Object *builtin_str_splitlines(Walk *w, const BuiltinCall *c) {
  bool keep;
  if (!argument_bool(w, c, 1, false, &keep)) return NULL;
  const char *from = text(c, 0), *p = from;
  StringParts parts = {0};
  while (*p) {
    const size_t n = line_end(p);
    if (n) push(w, &parts, from, keep ? p + n : p);
    p += n ? n : 1;
    if (n) from = p;
  }
  if (from < p) push(w, &parts, from, p);
  return parts_of(w, &parts, false, '[');
}

const Object *builtin_str_partition(Walk *w, const BuiltinCall *c) {
  if (!wants_mark(w, c)) return NULL;
  const bool back = c->info->data == STRING_LAST;
  const SearchedPart in = whole(text(c, 0));
  const char *p = find(in, text(c, 1), back);
  const char *at = p ? p : back ? in.at : in.end;
  const char *after = p ? p + strlen(text(c, 1)) : at;
  StringParts parts = {0};
  push(w, &parts, in.at, at);
  push(w, &parts, at, after);
  push(w, &parts, after, in.end);
  return parts_of(w, &parts, false, '(');
}

const Object *builtin_str_join(Walk *w, const BuiltinCall *c) {
  const Object *all = c->args[1];
  if (all->kind != OBJECT_TUPLE)
    return walk_error(w, c->locs[1], ERROR_wants_tuple, c->info->name,
                      text_of(w, all));
  Str out = str_in(w->arena);
  for (int i = 0; i < all->as.tuple.count; i++) {
    const Object *x = all->as.tuple.items[i];
    if (x->kind != OBJECT_STRING)
      return walk_error(w, c->locs[1], ERROR_string_method_wants_strings,
                        c->info->name, text_of(w, x));
    if (i) str_add(&out, text(c, 0));
    str_add(&out, x->as.string.text);
    if (out.length > OBJECT_MAX_LENGTH) break;
  }
  return finished(w, c, &out);
}

// -- Filling -----------------------------------------------------------------

static void add_times(Str *out, const char *fill, int64_t times) {
  for (; times > 0; times--) str_add(out, fill);
}

static bool read_fill(Walk *w, const BuiltinCall *c, int64_t *width,
                      const char **fill) {
  *fill = " ";
  if (!argument_between(w, c, 1, INT32_MIN, OBJECT_MAX_LENGTH / 4, width))
    return false;
  if (argument_absent(c, 2)) return true;
  if (!is_string(w, c, 2)) return false;
  *fill = text(c, 2);
  return count_characters(*fill, strlen(*fill)) == 1 ||
         diag_error(w->diags, c->locs[2], ERROR_fill_wants_character,
                    c->info->name, text_of(w, c->args[2]));
}

// ljust, rjust, center.
const Object *builtin_str_justify(Walk *w, const BuiltinCall *c) {
  int64_t width;
  const char *fill;
  if (!read_fill(w, c, &width, &fill)) return NULL;
  const char *all = text(c, 0);
  int64_t space = width - (int64_t)count_characters(all, strlen(all));
  if (space < 0) space = 0;
  const char side = (char)c->info->data;
  const int64_t left = side == 'l'   ? 0
                       : side == 'r' ? space
                                     : space / 2 + (space & width & 1);
  Str out = str_in(w->arena);
  add_times(&out, fill, left);
  str_add(&out, all);
  add_times(&out, fill, space - left);
  return finished(w, c, &out);
}

const Object *builtin_str_zfill(Walk *w, const BuiltinCall *c) {
  int64_t width;
  const char *fill;
  if (!read_fill(w, c, &width, &fill)) return NULL;
  const char *all = text(c, 0);
  const size_t sign = *all == '-' || *all == '+';
  Str out = str_in(w->arena);
  str_add_bytes(&out, all, sign);
  add_times(&out, "0", width - (int64_t)count_characters(all, strlen(all)));
  str_add(&out, all + sign);
  return finished(w, c, &out);
}

const Object *builtin_str_expandtabs(Walk *w, const BuiltinCall *c) {
  int64_t size, column = 0;
  if (!argument_int(w, c, 1, 8, &size)) return NULL;
  if (size > OBJECT_MAX_LENGTH) size = OBJECT_MAX_LENGTH;
  Str out = str_in(w->arena);
  for (const char *p = text(c, 0); *p && out.length <= OBJECT_MAX_LENGTH; p++) {
    const int64_t fill = size > 0 ? size - column % size : 0;
    const bool ends = *p == '\n' || *p == '\r';
    if (*p == '\t')
      add_times(&out, " ", fill);
    else
      str_add_char(&out, *p);
    column = ends ? 0 : column + (*p == '\t' ? fill : !utf8_continues(*p));
  }
  return finished(w, c, &out);
}
