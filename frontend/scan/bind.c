// bind.c -- bindings of names by the statements of a module.
//
// An assignment binds a global with a value, to be found when it is needed.  A
// name that is bound otherwise has no known value: its earlier value may not be
// the one that Python finds.  An object that is changed in place keeps its
// first value for readers that take it as a list of configurations.
//
// For example, `A = B = [1, 2]` defines A with the tokens `[1, 2]` and B with
// the token `A`, so that B is an alias of A.  `B.append(3)` marks both as
// changed.  `for M in (1, 2)` defines M without a value.
#include "frontend/scan/parts.h"

#include "ir/base/base.h"

#include <string.h>

bool is_changing_method(const char *name, size_t length) {
  return words_have_span(WORDS_CHANGING_METHODS, name, length);
}

bool scan_changes(const Scanner *s, uint32_t token) {
  size_t length;
  const char *text = scan_text(s, token, &length);
  if (scan_kind(s, token) == TOKEN_STRING && length > 2) {
    text++;
    length -= 2;
  }
  return is_changing_method(text, length);
}

Definition *scan_global(Scanner *s, const char *name, uint32_t token,
                        uint32_t begin, uint32_t end) {
  Definition *d = scan_define(s, DEFINES_GLOBAL, name, token);
  d->begin = begin;
  d->end = end;
  d->global->place = (AstPlace){
      .prefix = s->scope.prefix, .within = s->within, .order = s->limit};
  return d;
}

void scan_hide(Scanner *s, uint32_t token) {
  scan_global(s, scan_intern(s, s->scope.prefix, token), token, 0, 0);
}

// -- Objects changed in place ------------------------------------------------

static Definition *find(const Scanner *s, const char *name) {
  return map_get_text(&s->file->definitions, name, strlen(name));
}

// If `d` is `NAME = OTHER`, the definition of OTHER, cached in d->alias.  OTHER
// is defined above, so that later definitions do not change it.
static Definition *aliased(const Scanner *s, Definition *d) {
  const bool alias = d->kind == DEFINES_GLOBAL && d->end == d->begin + 1 &&
                     scan_kind(s, d->begin) == TOKEN_NAME;
  if (!alias || d->alias) return d->alias;
  Definition *other = find(s, scan_intern(s, "", d->begin));
  while (other && other->order >= d->order) other = other->before;
  d->alias = other;
  return other;
}

static void change(Scanner *s, const char *name);

// The object of a loop's target may be an item of the object that the loop
// iterates over, so the iterated object is marked as changed, too.
static void change_all(Scanner *s, const Definition *d) {
  for (uint32_t i = d->over_begin; i < d->over_end; i++) {
    const char *name =
        scan_kind(s, i) == TOKEN_NAME ? scan_intern(s, "", i) : NULL;
    if (name && strcmp(name, d->name) != 0) change(s, name);
  }
}

static void change(Scanner *s, const char *name) {
  Definition *d = find(s, name);
  const bool known = d && d->kind == DEFINES_GLOBAL;
  if (known && d->global->is_changed && d->over_begin != d->over_end) return;
  const Definition *const first = d;
  // A marked definition has marked aliases.
  for (; d && !d->is_marked; d = aliased(s, d)) {
    d->is_marked = true;
    if (d->kind == DEFINES_GLOBAL) d->global->is_changed = true;
  }
  if (known) change_all(s, first);
}

// The name at `token`, and the member after it if there is one.
void scan_change_at(Scanner *s, uint32_t token) {
  const char *name = scan_intern(s, s->scope.prefix, token);
  const Definition *made_by = find(s, name);
  if (made_by && made_by->kind == DEFINES_GLOBAL)
    scan_change_member(s, made_by->begin, made_by->end);
  change(s, name);
  scan_write_other(s, token);
  if (scan_kind(s, token + 1) != TOKEN_DOT ||
      scan_kind(s, token + 2) != TOKEN_NAME)
    return;
  const char *class = arena_printf(s->program->arena, "%s.", name);
  change(s, scan_intern(s, class, token + 2));
  const Definition *d = find(s, name);
  const bool made = d && d->begin + 1 < d->end &&
                    scan_kind(s, d->begin) == TOKEN_NAME &&
                    scan_kind(s, d->begin + 1) == TOKEN_LPAREN;
  if (!made) return;
  class = arena_printf(s->program->arena, "%s.", scan_intern(s, "", d->begin));
  change(s, scan_intern(s, class, token + 2)); // `NAME = Class()`
}

void scan_patch_at(Scanner *s, uint32_t token) {
  Definition *d = find(s, scan_intern(s, s->scope.prefix, token));
  if (!d || d->kind != DEFINES_GLOBAL || d->over_begin < d->over_end) {
    scan_change_at(s, token);
    return;
  }
  scan_change_member(s, d->begin, d->end);
  for (; d && d->kind == DEFINES_GLOBAL && !d->global->is_patched;
       d = aliased(s, d)) {
    d->global->is_patched = true;
  }
}

// The name of a class is not bound yet while the scanner is within its body.
static Definition *before_own(const Scanner *s, Definition *d) {
  const size_t n = d ? strlen(d->name) : 0;
  const bool own = d && !strncmp(s->scope.prefix, d->name, n) &&
                   s->scope.prefix[n] == '.' && definition_is_class(d);
  return own ? d->before : d;
}

// The definition that the name at `token` refers to.  The body of a class also
// sees names of the scope around it.
static Definition *find_seen(const Scanner *s, uint32_t token) {
  Definition *d = find(s, scan_intern(s, s->scope.prefix, token));
  const char *around = s->within ? s->within : "";
  if (!d && strcmp(s->scope.prefix, around) != 0)
    d = before_own(s, find(s, scan_intern(s, around, token)));
  return d;
}

static Definition *meant(const Scanner *s, Definition *d) {
  for (Definition *other = d; other; other = aliased(s, d)) d = other;
  return d && definition_is_class(d) ? d : NULL;
}

// `Class.Inner`; the token `end` is behind it.
static Definition *class_at(const Scanner *s, uint32_t begin, uint32_t end) {
  Definition *d = meant(s, find_seen(s, begin));
  for (uint32_t i = begin + 2; d && i < end; i += 2) {
    const char *prefix = arena_printf(s->program->arena, "%s.", d->name);
    if (scan_kind(s, i - 1) != TOKEN_DOT) return NULL;
    d = meant(s, find(s, scan_intern(s, prefix, i)));
  }
  return d;
}

// `function.__defaults__ = ...` changes the results of calls of the function.
static void change_function(Scanner *s, uint32_t begin, uint32_t member) {
  static const char *const members[] = {"__code__", "__defaults__",
                                        "__kwdefaults__"};
  const Definition *d = find(s, scan_intern(s, s->scope.prefix, begin));
  if (member == begin + 2 && d && d->function &&
      scan_is_one_of(s, member, members, sizeof members / sizeof *members))
    scan_rebind(s, s->file, d->name, begin);
}

// Handles `Class.name = value` for a class of the file. False: the target is
// something else.
static bool bind_member(Scanner *s, uint32_t begin, uint32_t end,
                        uint32_t value, uint32_t value_end) {
  if (end < begin + 3 || scan_kind(s, end - 1) != TOKEN_NAME ||
      scan_kind(s, end - 2) != TOKEN_DOT)
    return false;
  change_function(s, begin, end - 1);
  Definition *d = class_at(s, begin, end - 2);
  if (!d) return false;
  const char *prefix = arena_printf(s->program->arena, "%s.", d->name);
  const char *name = scan_intern(s, prefix, end - 1);
  // If a later class of the same name hides this one, its lines do not show
  // where the member is bound, so the member has no known value.
  if (find(s, d->name) != d) scan_rebind(s, s->file, name, end - 1);
  scan_global(s, name, end - 1, value, value_end);
  return true;
}

// -- Names without a value ---------------------------------------------------

// Called for each token of a target list that is a plain name.
typedef void OnName(Scanner *s, uint32_t token, const Definition *like);

// The token behind the target at `begin`, which is a part of a call's result:
// `get(1).x[0]`.
static uint32_t after_target(const Scanner *s, uint32_t begin, uint32_t end) {
  int depth = 0;
  uint32_t i = begin;
  for (; i < end; i++) {
    const int kind = scan_kind(s, i);
    if (!depth && (kind == TOKEN_COMMA || kind == TOKEN_COLON)) break;
    depth += token_nesting(kind);
    if (depth < 0) break;
  }
  return i;
}

static void each_target(Scanner *s, uint32_t begin, uint32_t end,
                        OnName *on_name, const Definition *like) {
  for (uint32_t i = begin; i < end; i++) {
    if (scan_kind(s, i) == TOKEN_COLON) return; // an annotation
    if (scan_kind(s, i) != TOKEN_NAME) continue;
    uint32_t after = scan_after_trailers(s, i + 1, end);
    if (scan_kind(s, after) == TOKEN_LPAREN && after < end)
      after = after_target(s, i, end);
    else if (after == i + 1)
      on_name(s, i, like);
    else if (!bind_member(s, i, after, 0, 0))
      scan_change_at(s, i);
    i = after - 1;
  }
}

static void hide_from(Scanner *s, uint32_t token, uint32_t begin,
                      uint32_t end) {
  Definition *d =
      scan_global(s, scan_intern(s, s->scope.prefix, token), token, 0, 0);
  d->from_begin = begin;
  d->from_end = end;
}

static void hide_name(Scanner *s, uint32_t token, const Definition *like) {
  hide_from(s, token, like ? like->begin : 0, like ? like->end : 0);
}

void scan_targets(Scanner *s, uint32_t begin, uint32_t end) {
  each_target(s, begin, end, hide_name, NULL);
}

// Binds the targets of a loop or of `with ... as`. Their values are items of
// the object in the tokens [over, end), or made by it.
static void targets_over(Scanner *s, uint32_t begin, uint32_t last,
                         uint32_t over, uint32_t end) {
  scan_targets(s, begin, last);
  for (uint32_t i = begin; i < last; i++) {
    Definition *d = scan_kind(s, i) == TOKEN_NAME
                        ? find(s, scan_intern(s, s->scope.prefix, i))
                        : NULL;
    if (!d || d->kind != DEFINES_GLOBAL) continue;
    d->over_begin = over;
    d->over_end = end;
  }
}

void scan_loop_targets(Scanner *s, uint32_t begin, uint32_t in, uint32_t end) {
  targets_over(s, begin, in, in + 1, end);
}

void scan_captures(Scanner *s, uint32_t begin, uint32_t end) {
  for (uint32_t i = begin; i < end; i++) {
    if (scan_kind(s, i) != TOKEN_AS) continue;
    int depth = 0;
    const uint32_t as = i;
    uint32_t last = ++i;
    for (; last < end && depth >= 0; last++) {
      depth += token_nesting(scan_kind(s, last));
      if (!depth && scan_kind(s, last) == TOKEN_COMMA) break;
    }
    targets_over(s, i, last, begin + 1, as);
  }
}

// A pattern of a `case`: `Point(x=0, y=Z)`, `[first, *rest]`, `{"k": v}`, `LEFT
// | (1 as one)`
void scan_pattern(Scanner *s, uint32_t begin, uint32_t end) {
  for (uint32_t i = begin; i < end && scan_kind(s, i) != TOKEN_IF; i++) {
    if (scan_kind(s, i) != TOKEN_NAME) continue;
    const int after = scan_kind(s, i + 1);
    const bool of_class = scan_kind(s, i - 1) == TOKEN_DOT ||
                          after == TOKEN_DOT || after == TOKEN_LPAREN ||
                          after == TOKEN_ASSIGN;
    if (of_class) continue;
    scan_hide(s, i);
    Definition *d = find(s, scan_intern(s, s->scope.prefix, i));
    d->over_begin = s->scope.over_begin;
    d->over_end = s->scope.over_end;
  }
}

// -- Assignments -------------------------------------------------------------

static void take_name(Scanner *s, uint32_t token, const Definition *like) {
  Definition *d = scan_global(s, scan_intern(s, s->scope.prefix, token), token,
                              like->begin, like->end);
  d->target_begin = like->target_begin;
  d->target_end = like->target_end;
}

// `NAME`, `A, (B, *C)`, `x.y`
static void scan_target(Scanner *s, uint32_t begin, uint32_t end,
                        uint32_t value, uint32_t value_end) {
  const bool is_member = end > begin + 1 && !s->scope.in_loop;
  if (is_member && bind_member(s, begin, end, value, value_end)) return;
  const bool single = end == begin + 1;
  if (single && !s->scope.in_loop && scan_kind(s, begin) == TOKEN_NAME &&
      scan_function(s, begin, value, value_end))
    return;
  const Definition like = {.begin = value,
                           .end = value_end,
                           .target_begin = single ? 0 : begin,
                           .target_end = single ? 0 : end};
  each_target(s, begin, end, s->scope.in_loop ? hide_name : take_name, &like);
  if (!s->scope.in_loop) scan_functions(s, begin, end, value, value_end);
}

static void scan_update(Scanner *s, uint32_t begin, uint32_t at, uint32_t end) {
  const char *name = scan_intern(s, s->scope.prefix, begin);
  const bool single = at == begin + 1 && scan_kind(s, begin) == TOKEN_NAME;
  if (!single && bind_member(s, begin, at, 0, 0)) return;
  scan_change_at(s, begin);
  if (!single) return;
  if (s->scope.in_loop) {
    hide_from(s, begin, at + 1, end);
    return;
  }
  scan_global(s, name, begin, at + 1, end)->global->op =
      scan_operator(scan_kind(s, at));
}

// `A = B = value`, where the value begins at `value`. All targets get one
// object: after the first plain name is bound, the other targets are bound to
// that name instead of the value.
static void scan_chain(Scanner *s, uint32_t begin, uint32_t value,
                       uint32_t end) {
  int depth = 0;
  uint32_t target = begin, from = value, from_end = end;
  for (uint32_t i = begin; i < value; i++) {
    depth += token_nesting(scan_kind(s, i));
    if (depth || scan_kind(s, i) != TOKEN_ASSIGN) continue;
    scan_target(s, target, i, from, from_end);
    if (i == target + 1 && scan_kind(s, target) == TOKEN_NAME) {
      s->limit = s->file->num_definitions + 1;
      from = target;
      from_end = i;
    }
    target = i + 1;
  }
}

void scan_binding(Scanner *s, uint32_t begin, uint32_t end) {
  int depth = 0;
  uint32_t value = begin;
  for (uint32_t i = begin; i < end; i++) {
    const int kind = scan_kind(s, i);
    if (kind == TOKEN_LAMBDA) break; // its parameters have defaults
    depth += token_nesting(kind);
    if (depth) continue;
    if (scan_operator(kind) != OPERATOR_COUNT) {
      scan_update(s, begin, i, end);
      return;
    }
    if (kind == TOKEN_ASSIGN) value = i + 1;
  }
  scan_chain(s, begin, value, end);
}
