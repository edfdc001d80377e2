// string_format.c -- Python's templates: "{}".format(x) and "%d" % x.
#include "frontend/value/format.h"

#include "frontend/errors.h"

#include <stdlib.h>
#include <string.h>

static const Object *as_text(Arena *arena, const Object *x, bool repr) {
  Str text = str_in(arena);
  object_print(x, repr, &text);
  return object_string(arena, str_text(&text), text.length);
}

static bool add(const ConstantContext *c, const Object *x, const char *spec,
                const char *shown, Str *out) {
  return format_object(x, spec, out) ||
         diag_error(c->diags, c->loc, ERROR_bad_format, shown,
                    object_text(c->arena, x));
}

// -- "{}".format(x) ----------------------------------------------------------

typedef struct {
  const ConstantContext *c;
  const Arguments *args;
  size_t next; // index of the argument for the next `{}`
} Fields;

// The argument that a field selects, by position or keyword.
static const Object *value_of(Fields *f, const char *name) {
  const bool numbered = *name && !name[strspn(name, "0123456789")];
  const size_t wanted = *name ? strtoul(name, NULL, 10) : f->next++;
  size_t position = 0;
  for (size_t i = 0; i < f->args->count; i++) {
    const Argument *arg = &f->args->items[i];
    const bool found = arg->name ? !strcmp(arg->name, name)
                                 : (!*name || numbered) && position == wanted;
    position += !arg->name;
    if (found) return arg->value;
  }
  diag_error(f->c->diags, f->c->loc, ERROR_template_field, name);
  return NULL;
}

static bool field_fails(const Fields *f, const char *at, size_t length) {
  return diag_error(f->c->diags, f->c->loc, ERROR_template_not_a_field,
                    (int)length, at);
}

// `*at` is behind the '{', and is moved behind the '}'.
static bool add_field(Fields *f, const char **at, Str *out) {
  Arena *arena = f->c->arena;
  const char *const start = *at;
  const size_t size = strcspn(start, "{}"), n = strcspn(start, "!:{}.[");
  if (start[size] != '}') return field_fails(f, start, size);
  *at = start + size + 1;
  const char *rest = start + n;
  const char conversion = *rest == '!' ? rest[1] : 0;
  if (*rest == '!' && (!conversion || !strchr("rsa", conversion)))
    return field_fails(f, start, size);
  rest += conversion ? 2 : 0;
  if (*rest != ':' && *rest != '}') return field_fails(f, start, size);
  const Object *x = value_of(f, arena_strndup(arena, start, n));
  const bool repr = conversion && conversion != 's';
  if (!x || !constant_shows(f->c, x, repr)) return false;
  if (conversion) x = as_text(arena, x, repr);
  rest += *rest == ':';
  const char *spec = arena_strndup(arena, rest, (size_t)(start + size - rest));
  return add(f->c, x, spec, spec, out);
}

const Object *string_format(const ConstantContext *c, const Object *template,
                            const Arguments *args) {
  Fields f = {.c = c, .args = args};
  Str out = str_in(c->arena);
  for (const char *at = template->as.string.text; *at;) {
    const char brace = *at == '{' || *at == '}' ? *at : 0;
    if (!brace || at[1] == brace) {
      str_add_char(&out, *at);
      at += brace ? 2 : 1;
      continue;
    }
    at++;
    if (brace == '}') return field_fails(&f, "", 0), NULL;
    if (!add_field(&f, &at, &out)) return NULL;
    if (out.length > OBJECT_MAX_LENGTH) break;
  }
  return constant_string(c, &out);
}

// -- "%d" % x ----------------------------------------------------------------

typedef struct {
  const ConstantContext *c;
  const Object *const *items;
  int count, next;
} FormatValues;

// The format() specification for the characters between '%' and the letter.
// Text is right-aligned, unlike in format(), unless '-' is given.
static const char *specification(Arena *arena, const char *at, size_t n,
                                 char letter) {
  Str spec = str_in(arena);
  const size_t flags = strspn(at, "-+ 0#") < n ? strspn(at, "-+ 0#") : n;
  const bool left = memchr(at, '-', flags) != NULL;
  const bool zero = !left && letter != 's' && memchr(at, '0', flags) != NULL;
  if (!zero) str_add_char(&spec, left ? '<' : '>');
  if (letter != 's' && memchr(at, '+', flags)) {
    str_add_char(&spec, '+');
  } else if (letter != 's' && memchr(at, ' ', flags)) {
    str_add_char(&spec, ' ');
  }
  if (letter != 's' && memchr(at, '#', flags)) str_add_char(&spec, '#');
  if (zero) str_add_char(&spec, '0');
  str_add_bytes(&spec, at + flags, n - flags);
  str_add_char(&spec, letter);
  return str_text(&spec);
}

// The number as an integer, if the letter needs one and the number is a float.
static const Object *whole(Arena *arena, const Object *x, char letter) {
  const bool cuts = letter == 'd' && x->kind == OBJECT_FLOAT &&
                    x->as.number > -0x1p100 && x->as.number < 0x1p100;
  return cuts ? object_int(arena, (Integer)x->as.number) : x;
}

// `*at` is behind the '%', and is moved behind the letter.
static bool add_value(FormatValues *v, const char **at, Str *out) {
  const ConstantContext *c = v->c;
  const char *const start = *at;
  const size_t n = strspn(start, "-+ 0#123456789.");
  char letter = start[n];
  const char *shown = arena_strndup(c->arena, start - 1, n + 1 + (letter != 0));
  *at = start + n + (letter != 0);
  if (!letter || !strchr("diusrxXoeEfFgG", letter))
    return diag_error(c->diags, c->loc, ERROR_template_percent, shown);
  if (v->next >= v->count)
    return diag_error(c->diags, c->loc, ERROR_template_few, shown);
  const Object *x = v->items[v->next++];
  if (!constant_shows(c, x, letter == 'r')) return false;
  if (letter == 's' || letter == 'r') x = as_text(c->arena, x, letter == 'r');
  if (letter == 'r') letter = 's';
  if (letter == 'i' || letter == 'u') letter = 'd';
  return add(c, whole(c->arena, x, letter),
             specification(c->arena, start, n, letter), shown, out);
}

const Object *string_percent(const ConstantContext *c, const Object *template,
                             const Object *values) {
  const bool many =
      values->kind == OBJECT_TUPLE && values->as.tuple.written != '[';
  FormatValues v = {.c = c,
                    .items = many ? values->as.tuple.items : &values,
                    .count = many ? values->as.tuple.count : 1};
  Str out = str_in(c->arena);
  for (const char *at = template->as.string.text; *at;) {
    const char found = *at++;
    if (found != '%' || *at == '%') {
      str_add_char(&out, found);
      at += found == '%';
      continue;
    }
    if (!add_value(&v, &at, &out)) return NULL;
    if (out.length > OBJECT_MAX_LENGTH) break;
  }
  if (v.next == v.count) return constant_string(c, &out);
  diag_error(c->diags, c->loc, ERROR_template_many, v.next, v.count);
  return NULL;
}
