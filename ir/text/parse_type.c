// parse_type.c -- types and layouts of the textual IR.
#include "ir/errors.h"
#include "ir/text/parser.h"

#include <string.h>

static bool find_elem(Word word, Elem *out) {
  for (int elem = 0; elem < ELEM_COUNT; elem++) {
    *out = (Elem)elem;
    if (word_is(word, elem_info[elem].name)) return true;
  }
  return false;
}

static bool parse_space(IrParser *p, AddressSpace *out) {
  const Word word = parser_peek_word(p);
  for (int space = 0; space < SPACE_COUNT; space++) {
    if (!word_is(word, space_name[space])) continue;
    p->at += word.length;
    *out = (AddressSpace)space;
    return true;
  }
  return parser_expected(p, "an address space");
}

// A scalar or a pointer; `depth` counts the pointers around it.
static const Type *parse_element(IrParser *p, int depth) {
  TypeTable *types = &p->m->types;
  const Word word = parser_peek_word(p);
  Elem elem;
  if (find_elem(word, &elem)) {
    p->at += word.length;
    return type_scalar(types, elem);
  }
  if (!word_is(word, "ptr") || depth > MAX_POINTER_DEPTH) {
    parser_expected(p, "an element type");
    return NULL;
  }
  p->at += word.length;
  if (!parser_expect(p, '<')) return NULL;
  const Type *pointee = parse_element(p, depth + 1);
  AddressSpace space = SPACE_GLOBAL;
  if (!pointee) return NULL;
  if (parser_accept(p, ',') && !parse_space(p, &space)) return NULL;
  return parser_expect(p, '>') ? type_pointer(types, pointee, space) : NULL;
}

typedef struct {
  int rank;
  int64_t shape[MAX_RANK];
  const Type *element;
  const Layout *layout;
  AddressSpace space;
  bool is_wide;
} Body;

static bool at_digit(IrParser *p) {
  return !parser_at_end(p) && *p->at >= '0' && *p->at <= '9';
}

// Parses one `128x`; checks that the product of the sizes does not overflow.
static bool parse_size(IrParser *p, Body *body, int64_t *total) {
  const SrcLoc loc = parser_here(p);
  DiagList *diags = p->m->diags;
  if (body->rank == MAX_RANK) {
    return diag_error(diags, loc, ERROR_type_too_many_dimensions, MAX_RANK);
  }
  int64_t size = 0;
  for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++) {
    if (size <= INT32_MAX) size = 10 * size + (*p->at - '0');
  }
  *total *= size;
  if (!size || size > INT32_MAX || *total > INT32_MAX) {
    return diag_error(diags, loc, ERROR_impossible_size);
  }
  body->shape[body->rank++] = size;
  if (p->at < p->end && *p->at == 'x') {
    p->at++;
    return true;
  }
  return parser_expected(p, "'x'");
}

static bool at_layout(IrParser *p) {
  return parser_at(p, '#') || word_is(parser_peek_word(p), "layout");
}

// The parts that may follow the element type.
typedef enum { HAS_LAYOUT = 1, HAS_SPACE = 2, HAS_WIDTH = 4 } BodyParts;

// <128x64xf32, #0, shared>, <128x64xf32, i64>
static bool parse_body(IrParser *p, unsigned parts, Body *body) {
  int64_t total = 1;
  if (!parser_expect(p, '<')) return false;
  if (!at_digit(p)) return parser_expected(p, "a size");
  while (at_digit(p)) {
    if (!parse_size(p, body, &total)) return false;
  }
  body->element = parse_element(p, 0);
  if (!body->element) return false;
  bool more = parser_accept(p, ',');
  if (more && (parts & HAS_LAYOUT) && at_layout(p)) {
    if (!parser_layout(p, &body->layout)) return false;
    more = parser_accept(p, ',');
  }
  if (more && (parts & HAS_WIDTH) && parser_accept_word(p, "i64")) {
    body->is_wide = true;
    more = false;
  }
  if (more && !(parts & HAS_SPACE)) return parser_expected(p, "'>'");
  if (more && !parse_space(p, &body->space)) return false;
  return parser_expect(p, '>');
}

static const Type *parse_tile(IrParser *p) {
  Body b = {0};
  if (!parse_body(p, HAS_LAYOUT, &b)) return NULL;
  return type_tile(&p->m->types, b.rank, b.shape, b.element, b.layout);
}

static const Type *parse_block_pointer(IrParser *p) {
  Body b = {0};
  TypeTable *types = &p->m->types;
  if (!parse_body(p, HAS_WIDTH, &b)) return NULL;
  const Type *type = type_block_pointer(types, b.rank, b.shape, b.element);
  return b.is_wide ? type_wide_block_pointer(types, type) : type;
}

static const Type *parse_descriptor(IrParser *p) {
  Body b = {0};
  if (!parse_body(p, 0, &b)) return NULL;
  return type_descriptor(&p->m->types, b.rank, b.shape, b.element);
}

static const Type *parse_memdesc(IrParser *p) {
  Body b = {0};
  if (!parse_body(p, HAS_LAYOUT | HAS_SPACE, &b)) return NULL;
  return type_memdesc(&p->m->types, b.rank, b.shape, b.element, b.layout,
                      b.space);
}

static const Type *parse_token(IrParser *p) {
  return type_token(&p->m->types);
}

static const Type *parse_mbarrier(IrParser *p) {
  return type_mbarrier(&p->m->types);
}

// A type is the word of its kind with further parts, or an element type.
const Type *parser_type(IrParser *p) {
  static const struct {
    const char *word;
    const Type *(*parse_rest)(IrParser *p);
  } kinds[] = {
      {"tile", parse_tile},       {"block_ptr", parse_block_pointer},
      {"desc", parse_descriptor}, {"memdesc", parse_memdesc},
      {"token", parse_token},     {"mbarrier", parse_mbarrier},
  };
  const SrcLoc loc = parser_here(p);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (parser_accept_word(p, kinds[i].word)) return kinds[i].parse_rest(p);
  const Word word = parser_peek_word(p);
  Elem elem;
  if (word_is(word, "ptr") || find_elem(word, &elem)) {
    return parse_element(p, 0);
  }
  if (word.length) {
    diag_error(p->m->diags, loc, ERROR_unknown_type, (int)word.length,
               word.text);
  } else {
    parser_expected(p, "a type");
  }
  return NULL;
}

// -- Layouts -----------------------------------------------------------------

// layout_parse() does not count lines, so they are counted afterwards.
static bool parse_layout_text(IrParser *p, const Layout **out) {
  const char *const start = p->at;
  const char *error = NULL;
  *out = layout_parse(&p->m->layouts, &p->at, &error);
  for (const char *c = start; c < p->at; c++) {
    if (*c != '\n') continue;
    p->line++;
    p->line_start = c + 1;
  }
  if (*out) return true;
  return diag_error(p->m->diags, parser_here(p), "%s",
                    error ? error : "this is no layout");
}

static bool at_alias(IrParser *p) {
  return parser_at(p, '#') && p->end - p->at > 1 && p->at[1] >= '0' &&
         p->at[1] <= '9';
}

bool parser_layout(IrParser *p, const Layout **out) {
  if (!at_alias(p)) return parse_layout_text(p, out);
  p->at++;
  const Word word = parser_word(p);
  *out = map_get_text(&p->layouts, word.text, word.length);
  if (*out) return true;
  return diag_error(p->m->diags, word.loc, ERROR_layout_not_defined,
                    (int)word.length, word.text);
}

bool parser_layout_alias(IrParser *p) {
  if (!at_alias(p)) return parser_expected(p, "'kernel' or a layout '#0 ='");
  p->at++;
  const Word word = parser_word(p);
  if (map_get_text(&p->layouts, word.text, word.length)) {
    return diag_error(p->m->diags, word.loc, ERROR_layout_defined_already,
                      (int)word.length, word.text);
  }
  const Layout *layout;
  if (!parser_expect(p, '=') || !parse_layout_text(p, &layout)) return false;
  map_put_text(&p->layouts, p->m->arena, word.text, word.length,
               (void *)(uintptr_t)layout);
  return true;
}
