// meaning.c -- mutations that keep most of a kernel readable.
//
// Programs that get past the parser reach the code behind it: so a value
// becomes an extreme value, an operator or a function becomes another, and an
// argument changes its place.
#include "tests/fuzz/edit.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef void Mutation(Bytes *b, const Bytes *other, uint64_t *random);

static const char *pick(uint64_t *random, const char *const *list,
                        size_t count) {
  return list[random_below(random, count)];
}

static const char *pick_value(uint64_t *random) {
  static const char *const values[] = {
      "0",      "1",          "-1",         "2",
      "3",      "5",          "16",         "128",
      "4096",   "2**31",      "-2**31",     "2147483647",
      "2**63",  "2**64",      "2**63 - 1",  "-2**63",
      "1e400",  "-1e400",     "1e-400",     "0.5",
      "-0.0",   "0x1p3",      "1 / 3",      "float('nan')",
      "True",   "False",      "None",       "...",
      "\"\"",   "\"fp32\"",   "\"a\\n\"",   "f\"{1}\"",
      "()",     "(1,)",       "(1, 2)",     "[]",
      "[1]",    "[2, 2]",     "[16, 16]",   "{}",
      "1j",     "tl.int64",   "tl.float16", "tl.float8e5",
      "tl",     "tl.int1",    "slice(1)",   "b\"a\"",
      "int",    "tl.arange",  "tl.tensor",  "tl.arange(0, 1)",
      "print",  "tl.uint8",   "range(3)",   "tl.zeros([2, 2], tl.int8)",
      "{1: 2}", "tl.bfloat16"};
  return pick(random, values, COUNT(values));
}

static bool starts_value(uint8_t c) {
  return isalnum(c) || c == '_';
}

// A token that stands for a value or a name; empty: none was found.
static Span find_word(const Bytes *b, uint64_t *random, bool digits) {
  for (int tries = 0; tries < 32; tries++) {
    const Span span = token_span(b, random_below(random, b->size));
    if (span.begin >= b->size) continue;
    const uint8_t c = b->data[span.begin];
    if (digits ? isdigit(c) : starts_value(c)) return span;
  }
  return (Span){0, 0};
}

static void change_value(Bytes *b, const Bytes *other, uint64_t *random) {
  (void)other;
  const Span word = find_word(b, random, random_below(random, 2));
  if (word.end) replace_span(b, word, pick_value(random));
}

// `x` becomes `(x, x)`, `x.T` and the like.
static void wrap_value(Bytes *b, const Bytes *other, uint64_t *random) {
  static const char *const shapes[] = {"-%s",
                                       "~%s",
                                       "not %s",
                                       "(%s, %s)",
                                       "[%s, %s]",
                                       "%s[None, :]",
                                       "%s[:, None]",
                                       "%s[0]",
                                       "%s.T",
                                       "%s()",
                                       "%s.dtype",
                                       "%s.shape",
                                       "%s.to(tl.int8)",
                                       "(%s if %s else 0)",
                                       "(lambda: %s)()",
                                       "f\"{%s}\"",
                                       "tl.constexpr(%s)",
                                       "*%s",
                                       "**%s",
                                       "(%s := %s)",
                                       "len(%s)",
                                       "tl.cdiv(%s, %s)",
                                       "%s.value",
                                       "(%s + %s)",
                                       "(%s and %s)",
                                       "[%s for i in %s]",
                                       "%s[%s]",
                                       "%s.to(tl.float8e5)",
                                       "str(%s)",
                                       "%s == %s == %s",
                                       "%s < %s",
                                       "%s.__class__"};
  (void)other;
  char text[512], name[64];
  const Span word = find_word(b, random, false);
  const size_t length = word.end - word.begin;
  if (!length || length >= sizeof name) return;
  snprintf(name, sizeof name, "%.*s", (int)length,
           (const char *)b->data + word.begin);
  const char *shape = pick(random, shapes, COUNT(shapes));
  size_t n = 0;
  for (; *shape && n + sizeof name < sizeof text; shape++) {
    const bool hole = shape[0] == '%' && shape[1] == 's';
    n += (size_t)snprintf(text + n, sizeof text - n, hole ? "%s" : "%.1s",
                          hole ? name : shape);
    shape += hole;
  }
  replace_span(b, word, text);
}

static void change_operator(Bytes *b, const Bytes *other, uint64_t *random) {
  static const char *const operators[] = {
      "+",    "-",     "*",    "/",        "//",       "%",  "**", "&",  "|",
      "^",    "<<",    ">>",   "<",        "<=",       ">",  ">=", "==", "!=",
      "=",    "+=",    "@",    "//=",      ">>=",      ",",  ".",  ":",  " is ",
      " in ", " and ", " or ", " is not ", " not in ", "*=", ":="};
  (void)other;
  for (int tries = 0; tries < 32; tries++) {
    size_t at = random_below(random, b->size);
    if (!b->size || !strchr("+-*/%&|^<>=", b->data[at])) continue;
    size_t end = at + 1;
    while (end < b->size && b->data[end] && strchr("*/<>=", b->data[end]))
      end++;
    replace_span(b, (Span){at, end}, pick(random, operators, COUNT(operators)));
    return;
  }
}

// -- Arguments ---------------------------------------------------------------

enum { MAX_ARGUMENTS = 32 };

typedef struct {
  Span items[MAX_ARGUMENTS];
  size_t count;
} Arguments;

// The text between the bracket at `open` and its end, cut at its commas.
static Arguments find_arguments(const Bytes *b, size_t open) {
  Arguments found = {.count = 0};
  int depth = 1;
  size_t begin = open + 1;
  for (size_t i = begin; i < b->size; i++) {
    const uint8_t c = b->data[i];
    if (c == '(' || c == '[' || c == '{') depth++;
    if (c == ')' || c == ']' || c == '}') depth--;
    if (depth > 1 || (depth == 1 && c != ',')) continue;
    if (found.count < MAX_ARGUMENTS)
      found.items[found.count++] = (Span){begin, i};
    begin = i + 1;
    if (!depth) return found;
  }
  return (Arguments){.count = 0};
}

static Arguments random_arguments(const Bytes *b, uint64_t *random) {
  for (int tries = 0; tries < 32 && b->size; tries++) {
    size_t at = random_below(random, b->size);
    while (at && b->data[at] != '(' && b->data[at] != '[') at--;
    const Arguments found = find_arguments(b, at);
    if (found.count) return found;
  }
  return (Arguments){.count = 0};
}

static void copy_span(Bytes *to, Span where, const Bytes *from, Span what) {
  static uint8_t copy[MAX_SIZE];
  memcpy(copy, from->data + what.begin, what.end - what.begin);
  splice(to, where.begin, where.end - where.begin, copy, what.end - what.begin);
}

static void change_arguments(Bytes *b, const Bytes *other, uint64_t *random) {
  const Arguments arguments = random_arguments(b, random);
  if (!arguments.count) return;
  const Span x = arguments.items[random_below(random, arguments.count)];
  const Span y = arguments.items[random_below(random, arguments.count)];
  const Arguments strange = random_arguments(other, random);
  const Span after = {x.end, x.end};
  switch (random_below(random, 6)) {
  case 0: swap_spans(b, x, y); break;
  case 1: replace_span(b, x, ""); break;
  case 2:
    copy_span(b, after, b, x);
    replace_span(b, after, ", ");
    break;
  case 3: replace_span(b, x, pick_value(random)); break;
  case 4: copy_span(b, x, b, y); break;
  default:
    if (strange.count)
      copy_span(b, x, other,
                strange.items[random_below(random, strange.count)]);
    break;
  }
}

// -- Names -------------------------------------------------------------------

static const char *const builtins[] = {
#define GROUP(title)
#define BUILTIN(name, space, handler, data, parameters, summary) name,
#define UNSUPPORTED(name, space)                                 name,
#include "frontend/core/builtins.def"
};

// Another function of the language, at a call.
static void change_call(Bytes *b, const Bytes *other, uint64_t *random) {
  (void)other;
  for (int tries = 0; tries < 32 && b->size; tries++) {
    size_t end = random_below(random, b->size), begin;
    while (end && b->data[end] != '(') end--;
    for (begin = end;
         begin && (isalnum(b->data[begin - 1]) || b->data[begin - 1] == '_');)
      begin--;
    if (begin == end) continue;
    replace_span(b, (Span){begin, end},
                 pick(random, builtins, COUNT(builtins)));
    return;
  }
}

// Another name of the same text.
static void change_name(Bytes *b, const Bytes *other, uint64_t *random) {
  (void)other;
  const Span x = find_word(b, random, false);
  const Span y = find_word(b, random, false);
  if (x.end && y.end) copy_span(b, x, b, y);
}

// -- Lines -------------------------------------------------------------------

static void change_indentation(Bytes *b, const Bytes *other, uint64_t *random) {
  static const char *const spaces[] = {" ", "  ", "    ", "\t", "        "};
  (void)other;
  const Span line = line_span(b, random_below(random, b->size));
  size_t end = line.begin;
  while (end < line.end && (b->data[end] == ' ' || b->data[end] == '\t')) end++;
  const Span all = {line.begin, end};
  const Span cut = {line.begin, line.begin + random_below(random, 5)};
  if (random_below(random, 2))
    replace_span(b, (Span){end, end}, pick(random, spaces, COUNT(spaces)));
  else
    replace_span(b, cut.end < end ? cut : all, "");
}

static void drop_decorator(Bytes *b, const Bytes *other, uint64_t *random) {
  (void)other;
  for (int tries = 0; tries < 64 && b->size; tries++) {
    const size_t at = random_below(random, b->size);
    if (b->data[at] != '@') continue;
    replace_span(b, line_span(b, at), "");
    return;
  }
}

// Some lines of another text, in place of as many or between two.
static void take_lines(Bytes *b, const Bytes *other, uint64_t *random) {
  const Span at = line_span(b, random_below(random, b->size));
  Span taken = line_span(other, random_below(random, other->size));
  for (size_t more = random_below(random, 5); more--;)
    taken.end = line_span(other, taken.end).end;
  const Span between = {at.end, at.end};
  copy_span(b, random_below(random, 2) ? at : between, other, taken);
}

// Puts an `if`, a loop or a `with` around the next statements.
static void add_block(Bytes *b, const Bytes *other, uint64_t *random) {
  static const char *const heads[] = {"if True:",
                                      "if False:",
                                      "for i in range(3):",
                                      "while False:",
                                      "for i in tl.range(0, 2, num_stages=2):",
                                      "else:",
                                      "try:",
                                      "for x in (1, 2.0, None):",
                                      "def f():",
                                      "class A:",
                                      "for i in tl.static_range(2):",
                                      "with tl as y:",
                                      "return",
                                      "break",
                                      "continue",
                                      "pass",
                                      "raise 1",
                                      "import tl",
                                      "global x",
                                      "del x",
                                      "assert 0",
                                      "yield 1",
                                      "x = 1",
                                      "if tl.program_id(0) == 1: return",
                                      "while tl.program_id(0) < 1: pass",
                                      "if tl.program_id(0) == 1: return 1",
                                      "x = tl.program_id(0)"};
  (void)other;
  char text[128];
  const Span line = line_span(b, random_below(random, b->size));
  int indent = 0;
  while (line.begin + (size_t)indent < line.end && indent < 40 &&
         b->data[line.begin + (size_t)indent] == ' ')
    indent++;
  snprintf(text, sizeof text, "%*s%s\n%s", indent, "",
           pick(random, heads, COUNT(heads)),
           random_below(random, 2) ? "  " : "");
  replace_span(b, (Span){line.begin, line.begin}, text);
}

void mutate_meaning(Bytes *b, const Bytes *other, uint64_t *random) {
  static Mutation *const mutations[] = {
      change_value,     change_value,    wrap_value,         change_operator,
      change_arguments, change_call,     change_arguments,   change_call,
      change_name,      change_name,     change_indentation, drop_decorator,
      take_lines,       change_operator, add_block,          wrap_value};
  mutations[random_below(random, COUNT(mutations))](b, other, random);
}
