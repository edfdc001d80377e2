// member.c -- assignments to members of unknown objects.
//
// `get().sizes.append(3)`, `self.sizes[0] = 1`, `kind.WIDTH = 2` in a function:
// the object is known only when the function is called.  So each class, of any
// file, that has a member of this name may be changed.
#include "frontend/scan/parts.h"

#include <string.h>

// -- Methods -----------------------------------------------------------------

// `= []`, `= {"a": x}`, `= 0`
static bool makes(const Scanner *s, uint32_t assign) {
  const uint32_t value = assign + 1;
  switch (scan_kind(s, value)) {
  case TOKEN_LBRACKET:
  case TOKEN_LBRACE:
    return scan_kind(s, scan_after_brackets(s, value)) == TOKEN_NEWLINE;
  case TOKEN_INT:
  case TOKEN_FLOAT:
  case TOKEN_STRING: return scan_kind(s, value + 1) == TOKEN_NEWLINE;
  default: return false;
  }
}

// Does the statement bind the name at the token other than by `name = value`?
static bool is_bound(const Scanner *s, uint32_t token, uint32_t end) {
  const int before = scan_kind(s, token - 1), after = scan_kind(s, token + 1);
  return before == TOKEN_FOR || before == TOKEN_AS || before == TOKEN_STAR ||
         before == TOKEN_LAMBDA || after == TOKEN_WALRUS ||
         (after == TOKEN_IN && before == TOKEN_COMMA) ||
         (after == TOKEN_COMMA && scan_is_one_target(s, token + 1, end)) ||
         (after == TOKEN_ASSIGN && !scan_begins_statement(before));
}

bool scan_is_made(const Scanner *s, const char *name, uint32_t begin,
                  uint32_t end) {
  const uint32_t header = scan_header_end(s, begin);
  bool made = false;
  for (uint32_t i = begin; i < end; i++) {
    if (!scan_is_word(s, i, name) || scan_kind(s, i - 1) == TOKEN_DOT) continue;
    if (i < header || is_bound(s, i, end)) return false;
    if (scan_kind(s, i + 1) != TOKEN_ASSIGN) continue;
    if (!makes(s, i + 1)) return false;
    made = true;
  }
  return made;
}

// `self.name = value` sets a member, and changes no object that `self` holds.
static bool sets_own(const Scanner *s, uint32_t token, const char *self) {
  return self && scan_is_word(s, token, self) &&
         scan_kind(s, token + 1) == TOKEN_DOT &&
         scan_kind(s, token + 3) == TOKEN_ASSIGN;
}

// Does a write other than `name = value` change the expression at the token?
static bool is_written(const Scanner *s, uint32_t token, uint32_t end) {
  const uint32_t after = scan_after_trailers(s, token + 1, end);
  const bool part = after > token + 1;
  if (scan_assigns(scan_kind(s, after)))
    return part || scan_kind(s, after) != TOKEN_ASSIGN;
  return part &&
         (scan_changes(s, after - 1) || scan_kind(s, token - 1) == TOKEN_DEL);
}

// In `name.other`, the second name was handled together with the first.
static bool is_inner(const Scanner *s, uint32_t token) {
  return scan_kind(s, token - 1) == TOKEN_DOT &&
         scan_kind(s, token - 2) == TOKEN_NAME;
}

static bool method_changes(const Scanner *s, uint32_t begin, uint32_t end,
                           const char *self) {
  Map made = {0}; // names that are known to be made in the function
  for (uint32_t i = scan_header_end(s, begin); i < end; i++) {
    if (scan_kind(s, i) != TOKEN_NAME || is_inner(s, i) ||
        !is_written(s, i, end) || sets_own(s, i, self))
      continue;
    if (scan_kind(s, i - 1) == TOKEN_DOT) return true; // of a result
    const char *name = scan_intern(s, "", i);
    if (map_get(&made, name)) continue;
    if (!scan_is_made(s, name, begin, end)) return true;
    map_put(&made, s->program->arena, name, (void *)name);
  }
  return false;
}

// Does `self.name = ...` store an argument of the method?  Objects of the
// module that it stores are added to `held`.
static bool keeps(Scanner *s, uint32_t begin, uint32_t end) {
  const uint32_t header = scan_header_end(s, begin);
  Map params = {0};
  bool given = false;
  for (uint32_t i = begin + 3; i < header; i++) {
    if (scan_kind(s, i) == TOKEN_NAME)
      map_put(&params, s->program->arena, scan_intern(s, "", i), s->program);
  }
  for (uint32_t i = header; i + 2 < end; i++) {
    const bool sets = scan_kind(s, i) == TOKEN_NAME &&
                      scan_kind(s, i - 1) == TOKEN_DOT &&
                      scan_kind(s, i + 1) == TOKEN_ASSIGN;
    if (!sets) continue;
    const uint32_t line = scan_line_end(s, i);
    for (uint32_t k = i + 2; k < line; k++)
      given |= scan_kind(s, k) == TOKEN_NAME &&
               map_get(&params, scan_intern(s, "", k));
    if (scan_kind(s, i + 2) == TOKEN_NAME && line == i + 3)
      vec_push(
          s->program->arena, &s->program->held,
          ((Held){scan_intern(s, "", i), scan_intern(s, "", i + 2), s->file}));
    i = line;
  }
  return given;
}

const char *scan_self(const Scanner *s, uint32_t def) {
  if (!s->scope.in_class || scan_kind(s, def + 3) != TOKEN_NAME) return NULL;
  if (scan_is_listed(s, def + 1, WORDS_METHODS_OF_CLASSES)) return NULL;
  for (uint32_t i = s->decorated ? s->decorators : def; i < def; i++) {
    if (scan_is_word(s, i, "classmethod") || scan_is_word(s, i, "staticmethod"))
      return NULL;
  }
  return scan_intern(s, "", def + 3);
}

void scan_method(Scanner *s, Definition *d) {
  Map *methods = &s->program->methods;
  const char *dot = strrchr(d->name, '.');
  const char *name = dot ? dot + 1 : d->name;
  d->changes_arguments =
      method_changes(s, d->begin, d->end, scan_self(s, d->begin));
  d->keeps_arguments = keeps(s, d->begin, d->end);
  d->like = map_get_text(methods, name, strlen(name));
  map_put_text(methods, s->program->arena, name, strlen(name), d);
}

// -- Members -----------------------------------------------------------------

// A name that may not alias a class: it is a class or module itself, which
// other rules follow, or bound to a new object of a class.
static bool is_known(const Scanner *s, uint32_t root) {
  const Definition *d = file_find(s->file, scan_intern(s, "", root));
  if (!d) return false;
  if (d->kind != DEFINES_GLOBAL) return true;
  const Definition *of =
      d->begin < d->end && scan_kind(s, d->begin) == TOKEN_NAME
          ? file_find(s->file, scan_intern(s, "", d->begin))
          : NULL;
  const bool alias = d->end == d->begin + 1;
  return of && (alias || scan_kind(s, d->begin + 1) == TOKEN_LPAREN) &&
         definition_is_class(of);
}

// Does `cls.name = value` write to the method's own class in every call?
static bool is_of_class(const Scanner *s, const char *self) {
  return !self && s->scope.in_class && !(s->decorated && s->is_static);
}

// May the root of `root.member = value` in a function be a class?  Any name
// may, except `self` of a method.
static bool may_be_class(const Scanner *s, uint32_t root, uint32_t token,
                         const char *self) {
  if (!root) return true;
  if (self && root + 2 == token && scan_is_word(s, root, self)) return false;
  return !is_known(s, root);
}

static void note(const Scanner *s, Map *members, const char *name) {
  map_put_text(members, s->program->arena, name, strlen(name), (void *)name);
}

void scan_assign_member(Scanner *s, const char *name) {
  note(s, &s->program->assigned_members, name);
}

// `return self.name` of the method gives access to the member: notes it as
// changed.
static void change_returned(Scanner *s, Definition *method) {
  const Scanner other = {.program = s->program, .file = method->file};
  if (method->is_returned) return;
  method->is_returned = true;
  for (uint32_t i = method->begin; i + 2 < method->end; i++) {
    if (scan_kind(&other, i) == TOKEN_DOT &&
        scan_kind(&other, i + 1) == TOKEN_NAME &&
        scan_kind(&other, i + 2) == TOKEN_NEWLINE)
      note(s, &s->program->changed_members, scan_intern(&other, "", i + 1));
  }
}

// The token of the called name in `x.get()`, or 0.
static uint32_t called_last(const Scanner *s, uint32_t begin, uint32_t end) {
  int depth = 0;
  uint32_t i = end - 1;
  if (scan_kind(s, i) != TOKEN_RPAREN) return 0;
  for (; i > begin; i--) {
    depth += token_nesting(scan_kind(s, i));
    if (!depth) break;
  }
  return i > begin && scan_kind(s, i - 1) == TOKEN_NAME ? i - 1 : 0;
}

void scan_change_member(Scanner *s, uint32_t begin, uint32_t end) {
  if (begin + 1 >= end) return;
  const uint32_t last = end - 1;
  if (scan_kind(s, last) == TOKEN_NAME && scan_kind(s, last - 1) == TOKEN_DOT)
    note(s, &s->program->changed_members, scan_intern(s, "", last));
  const uint32_t call = called_last(s, begin, end);
  if (!call) return;
  size_t length;
  const char *name = scan_text(s, call, &length);
  Definition *d = map_get_text(&s->program->methods, name, length);
  for (; d; d = d->like) change_returned(s, d);
  d = (Definition *)file_find(s->file, scan_intern(s, "", call));
  if (d && d->function) change_returned(s, d);
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
  scan_change_member(s, primary_begin(s, begin, last), last);
}

static void touch(Program *program, AstFile *file, const char *name) {
  map_put_text(&file->touched, program->arena, name, strlen(name),
               (void *)name);
}

// If `member` may be changed, so may THING in `class C: member = THING`.
static void touch_aliases(Program *program, AstFile *file) {
  const Scanner s = {.program = program, .file = file};
  for (size_t i = 0; i < file->names.count; i++) {
    const char *name = file->names.items[i], *dot = strrchr(name, '.');
    if (!dot ||
        !map_get_text(&program->changed_members, dot + 1, strlen(dot + 1)))
      continue;
    const Definition *d = file_find(file, name);
    const bool alias = d && d->kind == DEFINES_GLOBAL &&
                       d->end == d->begin + 1 &&
                       scan_kind(&s, d->begin) == TOKEN_NAME;
    if (alias) touch(program, file, scan_intern(&s, "", d->begin));
  }
}

void scan_touch_members(Program *program) {
  if (!program->changed_members.count) return;
  for (size_t i = 0; i < program->files.count; i++)
    touch_aliases(program, program->files.items[i]);
  for (size_t i = 0; i < program->held.count; i++) {
    const Held *held = &program->held.items[i];
    if (map_get_text(&program->changed_members, held->member,
                     strlen(held->member)))
      touch(program, held->file, held->name);
  }
}

// `root` is the first name of `name.x.y`; 0 if the object is a call's result.
static void write_member(Scanner *s, uint32_t root, uint32_t token,
                         const char *self) {
  uint32_t i = token + 1;
  while (scan_kind(s, i) == TOKEN_LBRACKET) i = scan_after_brackets(s, i);
  const bool part = i > token + 1;
  const bool method = scan_kind(s, i) == TOKEN_DOT && scan_changes(s, i + 1) &&
                      scan_kind(s, i + 2) == TOKEN_LPAREN;
  const bool set = scan_kind(s, i) == TOKEN_ASSIGN;
  const bool updated = scan_operator(scan_kind(s, i)) != OPERATOR_COUNT;
  const bool deleted = root && scan_kind(s, root - 1) == TOKEN_DEL;
  if (method || updated || (part && (set || deleted)))
    note(s, &s->program->changed_members, scan_intern(s, "", token));
  if (!part && (set || updated || deleted) &&
      may_be_class(s, root, token, self)) {
    const char *name = scan_intern(s, "", token);
    if (is_of_class(s, self))
      scan_assign_member(s, name);
    else
      note(s, &s->program->given_members, name);
  }
}

void scan_member_writes(Scanner *s, uint32_t begin, uint32_t end,
                        const char *self) {
  uint32_t root = 0;
  bool known = false;
  for (uint32_t i = begin; i < end; i++) {
    if (scan_kind(s, i) != TOKEN_NAME) continue;
    if (i == begin || scan_kind(s, i - 1) != TOKEN_DOT) {
      root = i;
      known = scan_kind(s, i + 1) == TOKEN_DOT && is_known(s, i);
      continue;
    }
    if (!is_inner(s, i)) root = 0;
    if (!root || !known || self || root + 2 < i) write_member(s, root, i, self);
  }
}
