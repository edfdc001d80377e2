// scan_change.c -- expressions whose values the statements of a module change.
#include "frontend/scan.h"

#include "frontend/parser.tab.h"

void scan_change_of(Scanner *s, uint32_t begin, uint32_t end, bool deep) {
  const AstChange change = {.begin = begin,
                            .end = end,
                            .place = {.prefix = s->scope.prefix,
                                      .order = s->file->num_definitions + 1},
                            .is_deep = deep};
  vec_push(s->program->arena, &s->file->changes, change);
  s->has_changed = true;
}

// What the statement changed, those below it see.
void scan_after_changes(Scanner *s) {
  s->file->num_definitions += s->has_changed;
  s->has_changed = false;
}

// Where the last `.name` or `[index]` of those at `index` begins.
uint32_t scan_last_trailer(const Scanner *s, uint32_t index, uint32_t end) {
  uint32_t last = index;
  for (uint32_t i = index; i < end; i++) {
    const uint32_t after = scan_after_trailer(s, i, end);
    if (after == i) break;
    last = i;
    i = after - 1;
  }
  return last;
}

// The bracket that opens the one at `close`.
static uint32_t opening(const Scanner *s, uint32_t close, uint32_t begin) {
  int depth = 0;
  for (uint32_t i = close; i > begin; i--) {
    depth -= token_nesting(scan_kind(s, i));
    if (!depth) return i;
  }
  return begin;
}

static bool ends_primary(int kind) {
  return kind == TOKEN_NAME || kind == TOKEN_RPAREN || kind == TOKEN_RBRACKET;
}

// Where what ends at `end` begins: `get(1)["x"]`.
static uint32_t primary_begin(const Scanner *s, uint32_t begin, uint32_t end) {
  uint32_t i = end;
  while (i > begin && ends_primary(scan_kind(s, i - 1))) {
    i = scan_kind(s, i - 1) == TOKEN_NAME ? i - 1 : opening(s, i - 1, begin);
    const bool bracket = scan_kind(s, i) != TOKEN_NAME;
    const int before = i > begin ? scan_kind(s, i - 1) : TOKEN_NEWLINE;
    if (before == TOKEN_DOT)
      i--;
    else if (!bracket || !ends_primary(before))
      break;
  }
  return i;
}

// `get().append(3)`, `get()[0] = 3`: what is called gives it.
void scan_change_of_result(Scanner *s, uint32_t last, uint32_t begin) {
  const uint32_t from = primary_begin(s, begin, last);
  if (from < last) scan_change_of(s, from, last, false);
}
