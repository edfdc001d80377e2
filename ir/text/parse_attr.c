// parse_attr.c -- attribute lists and locations of the textual IR.
#include "ir/errors.h"
#include "ir/text/parser.h"

#include "ir/number.h"

static bool parse_bool(IrParser *p, Attr *out) {
  const bool yes = parser_accept_word(p, "true");
  out->as.i = yes;
  return yes || parser_accept_word(p, "false") ||
         parser_expected(p, "'true' or 'false'");
}

static bool parse_ints(IrParser *p, Attr *out) {
  Vec(int64_t) items = {0};
  if (!parser_expect(p, '[')) return false;
  while (!parser_accept(p, ']')) {
    int64_t item;
    if (items.count && !parser_expect(p, ',')) return false;
    if (!parser_int(p, &item)) return false;
    vec_push(p->m->arena, &items, item);
  }
  out->as.ints.items = items.items;
  out->as.ints.count = (int)items.count;
  return true;
}

static bool parse_enum(IrParser *p, AttrKind kind, Attr *out) {
  const Word word = parser_peek_word(p);
  const char *const *words = attr_words[kind];
  for (int i = 0; words[i]; i++) {
    if (!word_is(word, words[i])) continue;
    p->at += word.length;
    out->as.i = i;
    return true;
  }
  const char *what =
      arena_printf(p->m->arena, "a value of '%s'", attr_info[out->key].name);
  return parser_expected(p, what);
}

static bool parse_value(IrParser *p, RawAttr *out) {
  const AttrKind kind = attr_info[out->attr.key].kind;
  switch (kind) {
  case ATTR_KIND_INT: return parser_int(p, &out->attr.as.i);
  case ATTR_KIND_BOOL: return parse_bool(p, &out->attr);
  case ATTR_KIND_STRING: return parser_string(p, &out->attr.as.s);
  case ATTR_KIND_INTS: return parse_ints(p, &out->attr);
  case ATTR_KIND_NUMBER:
    out->number = parser_number(p);
    return out->number.length || parser_expected(p, "a number");
  default: return parse_enum(p, kind, &out->attr);
  }
}

static bool is_given(const RawAttrs *attrs, AttrKey key) {
  for (size_t i = 0; i < attrs->count; i++) {
    if (attrs->items[i].attr.key == key) return true;
  }
  return false;
}

static bool parse_attr(IrParser *p, RawAttrs *out) {
  const Word word = parser_word(p);
  if (!word.length) return parser_expected(p, "an attribute");
  RawAttr raw = {.attr.key = attr_key_find(word.text, word.length)};
  if (raw.attr.key == ATTR_COUNT) {
    return diag_error(p->m->diags, word.loc, ERROR_unknown_attribute,
                      (int)word.length, word.text);
  }
  if (is_given(out, raw.attr.key)) {
    return diag_error(p->m->diags, word.loc, ERROR_attribute_twice,
                      (int)word.length, word.text);
  }
  if (!parser_expect(p, '=') || !parse_value(p, &raw)) return false;
  vec_push(p->m->arena, out, raw);
  return true;
}

bool parser_attrs(IrParser *p, RawAttrs *out) {
  if (!parser_expect(p, '{')) return false;
  do {
    if (!parse_attr(p, out)) return false;
  } while (parser_accept(p, ','));
  return parser_expect(p, '}');
}

bool parser_finish_attr(IrParser *p, RawAttr *raw, const Type *type) {
  const AttrKey key = raw->attr.key;
  if (attr_info[key].kind != ATTR_KIND_NUMBER) return true;
  const Word word = raw->number;
  DiagList *diags = p->m->diags;
  if (!type || !(type_is_int(type) || type_is_float(type))) {
    return diag_error(diags, word.loc, ERROR_attribute_wants_number,
                      attr_info[key].name);
  }
  const bool ok =
      type_is_int(type)
          ? int_parse(word.text, word.length, type->elem, &raw->attr.as.i)
          : float_parse(word.text, word.length, type->elem, &raw->attr.as.f);
  if (ok) return true;
  return diag_error(diags, word.loc, ERROR_not_a_word,
                    word.length > 60 ? 60 : (int)word.length, word.text,
                    elem_info[type->elem].name);
}

static bool parse_position(IrParser *p, int *out) {
  int64_t value;
  const SrcLoc loc = parser_here(p);
  if (!parser_expect(p, ':') || !parser_int(p, &value)) return false;
  *out = (int)value;
  return (value > 0 && value <= INT32_MAX) ||
         diag_error(p->m->diags, loc, ERROR_no_line_or_column);
}

bool parser_loc(IrParser *p, SrcLoc *loc) {
  if (!parser_accept_call(p, "loc")) return true;
  *loc = (SrcLoc){0};
  if (parser_accept_word(p, "unknown")) return parser_expect(p, ')');
  return parser_string(p, &loc->file) && parse_position(p, &loc->line) &&
         parse_position(p, &loc->column) && parser_expect(p, ')');
}
