// change.c -- expressions whose values the statements of a module change.
#include "frontend/scan/parts.h"

static void add_change(Scanner *s, AstChange change) {
  change.order = s->file->num_definitions + 1;
  vec_push(s->program->arena, &s->file->changes, change);
  s->has_changed = true;
}

AstPlace scan_place(const Scanner *s) {
  return (AstPlace){.prefix = s->scope.prefix,
                    .within = s->within,
                    .order = s->file->num_definitions + 1};
}

// If the expression is the module itself, the statement binds a name of the
// module, which indirect.c handles.
void scan_change_of(Scanner *s, uint32_t begin, uint32_t end, bool deep) {
  if (scan_is_module(s, begin, end)) return;
  add_change(s, (AstChange){.begin = begin,
                            .end = end,
                            .place = scan_place(s),
                            .is_deep = deep});
}

void scan_change_by_calls(Scanner *s, uint32_t begin, uint32_t end,
                          bool applied) {
  add_change(s, (AstChange){.begin = begin,
                            .end = end,
                            .place = scan_place(s),
                            .is_deep = true,
                            .is_call = true,
                            .is_applied = applied});
}

// Notes that a call of the function that `token` names changes objects.  A
// second change, without a place, is for calls from functions, where the name
// has its meaning at the file's end.
void scan_change_by_call(Scanner *s, uint32_t token) {
  AstChange change = {.begin = token,
                      .end = token + 1,
                      .place = scan_place(s),
                      .is_by_call = true};
  add_change(s, change);
  change.place = (AstPlace){0};
  add_change(s, change);
}

// A change in a loop may refer to names that are bound further below in it: it
// is also looked at from the loop's end.
void scan_changes_of_loop(Scanner *s, uint32_t begin) {
  for (size_t i = s->file->changes.count; i-- > 0;) {
    AstChange change = s->file->changes.items[i];
    if (change.is_after_loop) continue;
    if (change.begin < begin) break;
    change.place.order = s->file->num_definitions + 1;
    change.is_after_loop = true;
    add_change(s, change);
    s->file->changes.items[i].after = change.place.order;
  }
}

// A statement that changes objects counts as a definition: lines below it see
// the change.
void scan_after_changes(Scanner *s) {
  s->file->num_definitions += s->has_changed;
  s->has_changed = false;
}

// The start of the primary expression that ends at `end`: `get(1)["x"]`.
static uint32_t primary_begin(const Scanner *s, uint32_t begin, uint32_t end) {
  uint32_t i = end;
  while (i > begin && scan_ends_primary(scan_kind(s, i - 1))) {
    i = scan_kind(s, i - 1) == TOKEN_NAME ? i - 1
                                          : scan_opening(s, i - 1, begin);
    const bool bracket = scan_kind(s, i) != TOKEN_NAME;
    const int before = i > begin ? scan_kind(s, i - 1) : TOKEN_NEWLINE;
    if (before == TOKEN_DOT)
      i--;
    else if (!bracket || !scan_ends_primary(before))
      break;
  }
  return i;
}

// `get().append(3)`, `get()[0] = 3`: the changed object is the call's result.
void scan_change_of_result(Scanner *s, uint32_t last, uint32_t begin) {
  const uint32_t from = primary_begin(s, begin, last);
  if (from < last) scan_change_of(s, from, last, false);
  scan_change_member(s, from, last);
}
