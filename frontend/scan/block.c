// block.c -- the blocks of a module that are reached.
//
// For most statements a run of the modules has the answer.  For others the
// answer follows from the conditions that are known without a run.  If it is
// unknown, the definitions of the block are marked as uncertain: in an `if`
// whose condition only the host knows, in a handler, and behind a line of a
// `try` that may fail.  Blocks that are surely not reached are skipped.
#include "frontend/scan/parts.h"

#include "frontend/host/guard.h"

static bool continues_if(int kind) {
  return kind == TOKEN_ELIF || kind == TOKEN_ELSE || kind == TOKEN_INDENT ||
         kind == TOKEN_DEDENT || kind == TOKEN_NEWLINE;
}

void scan_begin(Scanner *s, int kind) {
  if (!continues_if(kind)) s->scope.settled = s->scope.doubtful = false;
  if (kind == TOKEN_INDENT) return;
  s->inner = s->scope;
  s->inner.is_try = s->inner.in_match = false;
}

// -- By a run of the modules -------------------------------------------------

static Reached reach_at(const Scanner *s, uint32_t token) {
  return s->within ? REACHED_UNKNOWN
                   : s->program->world->reach(s->program, s->file, token);
}

// How was the first statement reached, in the block whose header ends at
// `colon`?
static Reached reach_of_block(const Scanner *s, uint32_t colon) {
  const bool indents = scan_kind(s, colon + 1) == TOKEN_NEWLINE &&
                       scan_kind(s, colon + 2) == TOKEN_INDENT;
  return reach_at(s, colon + (indents ? 3 : 1));
}

static bool continues_statement(int kind) {
  return kind == TOKEN_ELIF || kind == TOKEN_ELSE || kind == TOKEN_EXCEPT ||
         kind == TOKEN_FINALLY;
}

static bool has_block(int kind) {
  return kind == TOKEN_IF || kind == TOKEN_FOR || kind == TOKEN_WHILE ||
         kind == TOKEN_TRY || kind == TOKEN_WITH || kind == TOKEN_DEF ||
         kind == TOKEN_CLASS || kind == TOKEN_ASYNC;
}

static uint32_t after_whole(const Scanner *s, uint32_t index) {
  while (scan_kind(s, index) == TOKEN_AT) index = scan_after_line(s, index);
  const bool block = has_block(scan_kind(s, index));
  index = block ? scan_after_block(s, index) : scan_statement_end(s, index) + 1;
  while (block && continues_statement(scan_kind(s, index)))
    index = scan_after_block(s, index);
  return index;
}

bool scan_skips(Scanner *s, int kind) {
  const bool asks = s->scope.is_below && !s->decorated &&
                    kind != TOKEN_NEWLINE && kind != TOKEN_SEMICOLON &&
                    kind != TOKEN_INDENT && kind != TOKEN_DEDENT &&
                    !continues_statement(kind);
  if (!s->decorated) s->reach = asks ? reach_at(s, s->next) : REACHED_UNKNOWN;
  if (asks && s->reach == REACHED_NEVER) s->next = after_whole(s, s->next);
  if (s->reach == REACHED_SURELY)
    s->scope.in_handler = s->scope.in_branch = s->scope.in_doubt =
        s->scope.may_stop = s->scope.has_stopped = false;
  return asks && s->reach == REACHED_NEVER;
}

void scan_doubt_again(Scanner *s, const Surroundings *before) {
  if (s->reach != REACHED_SURELY) return;
  s->scope.in_handler = before->in_handler;
  s->scope.in_branch = before->in_branch;
  s->scope.in_doubt = before->in_doubt;
  s->scope.may_stop |= before->may_stop;
  s->scope.has_stopped |= before->has_stopped;
}

// -- By the tokens -----------------------------------------------------------

static void come_back(Scanner *s, const Surroundings *outer) {
  const Surroundings inner = s->scope;
  s->scope = *outer;
  if (inner.is_try) s->scope.tried_well = !inner.may_stop;
  if (s->scope.in_try) s->scope.may_stop |= inner.may_stop;
}

void scan_enter(Scanner *s) {
  vec_push(s->program->arena, &s->outer, s->scope);
  s->scope = s->inner;
  s->next++;
}

void scan_leave(Scanner *s) {
  if (s->outer.count) come_back(s, &s->outer.items[--s->outer.count]);
  s->next++;
}

// Can the statement raise an exception?  Not if its value is known, and is no
// attribute (a class may refuse one), nor if it is `pass` or a string.  Imports
// are handled elsewhere.
bool scan_may_stop(Scanner *s, uint32_t begin, uint32_t end) {
  int depth = 0;
  uint32_t value = end;
  switch (scan_kind(s, begin)) {
  case TOKEN_IMPORT:
  case TOKEN_FROM:
  case TOKEN_NEWLINE:
  case TOKEN_SEMICOLON:
  case TOKEN_STRING:
  case TOKEN_PASS: return false;
  case TOKEN_NAME: break;
  default: return true;
  }
  if (scan_kind(s, begin + 1) == TOKEN_DOT) return true;
  for (uint32_t i = begin; i < end && value == end; i++) {
    depth += token_nesting(scan_kind(s, i));
    if (!depth && scan_kind(s, i) == TOKEN_ASSIGN) value = i + 1;
  }
  return value == end ||
         !guard_knows(s->program, s->file, scan_place(s), value, end);
}

void scan_header(Scanner *s) {
  const uint32_t colon = scan_header_end(s, s->next);
  const uint32_t end = scan_line_end(s, colon);
  const Surroundings outer = s->scope;
  if (colon + 1 < end) {
    s->scope = s->inner;
    for (s->next = colon + 1; s->next < end;) {
      const Surroundings before = s->scope;
      if (scan_skips(s, scan_kind(s, s->next))) continue;
      scan_simple(s);
      scan_doubt_again(s, &before);
    }
    come_back(s, &outer);
  }
  s->next = scan_after_line(s, end);
}

// An `if` and its `else` may both define a name.  If the condition is known,
// only the branch that is taken is walked; else both are, and the later
// definition hides the other.
static void scan_branch(Scanner *s, int kind) {
  const uint32_t begin = s->next, colon = scan_header_end(s, begin);
  const Reached reach = reach_of_block(s, colon);
  const bool by_run = reach == REACHED_NEVER || reach == REACHED_SURELY;
  const bool taken = by_run ? reach == REACHED_SURELY : !s->scope.settled;
  Truth truth = taken ? TRUTH_YES : TRUTH_NO;
  if (kind != TOKEN_ELSE && !s->scope.settled) {
    if (!by_run)
      truth = guard_truth(s->program, s->file, scan_place(s), begin + 1, colon);
    const Surroundings outer = s->scope;
    s->scope.in_doubt |= s->scope.doubtful;
    scan_effects(s, begin + 1, colon);
    s->scope = outer;
  }
  if (truth == TRUTH_NO) {
    s->next = scan_after_block(s, begin);
    return;
  }
  s->scope.settled = truth == TRUTH_YES;
  s->scope.doubtful |= truth == TRUTH_UNKNOWN;
  s->scope.may_stop |= s->scope.in_try && truth == TRUTH_UNKNOWN;
  s->inner.in_branch |= s->scope.doubtful;
  s->inner.in_doubt |= kind == TOKEN_ELSE && s->scope.else_in_doubt;
  scan_header(s);
}

static void scan_loop(Scanner *s, int kind) {
  const uint32_t colon = scan_header_end(s, s->next);
  uint32_t in = s->next + 1;
  scan_effects(s, s->next, colon);
  while (kind == TOKEN_FOR && in < colon && scan_kind(s, in) != TOKEN_IN) in++;
  if (kind == TOKEN_FOR) scan_loop_targets(s, s->next + 1, in, colon);
  s->inner.in_loop = s->inner.in_doubt = true;
  s->scope.may_stop |= s->scope.in_try;
  s->scope.else_in_doubt = true;
  scan_header(s);
}

// May execution continue below the `with` block after an exception in it?
static bool may_suppress(const Scanner *s, uint32_t begin, uint32_t end) {
  for (uint32_t i = begin; i < end; i++) {
    if (scan_is_word(s, i, "suppress")) return true;
    if (scan_kind(s, i) == TOKEN_NAME && scan_kind(s, i - 1) != TOKEN_DOT &&
        scan_is_ours(s, i))
      return true;
  }
  return false;
}

static void scan_with(Scanner *s) {
  const uint32_t colon = scan_header_end(s, s->next);
  scan_effects(s, s->next, colon);
  scan_captures(s, s->next, colon);
  s->scope.may_stop |= s->scope.in_try;
  s->inner.may_stop |= s->scope.in_try;
  s->inner.in_try |= may_suppress(s, s->next + 1, colon);
  scan_header(s);
}

static void scan_except(Scanner *s) {
  const uint32_t colon = scan_header_end(s, s->next);
  uint32_t as = s->next;
  if (reach_of_block(s, colon) == REACHED_NEVER) {
    s->next = scan_after_block(s, as);
    return;
  }
  while (as < colon && scan_kind(s, as) != TOKEN_AS) as++;
  if (!s->scope.tried_well) scan_targets(s, as, colon);
  s->inner.in_handler = true;
  s->scope.else_in_doubt = !s->scope.tried_well;
  scan_header(s);
}

// `match` and `case` are keywords only at the start of such a statement.
static bool scan_match(Scanner *s) {
  const bool is_case = s->scope.in_match && scan_is_word(s, s->next, "case");
  if (!is_case && !scan_is_word(s, s->next, "match")) return false;
  const uint32_t colon = scan_header_end(s, s->next);
  if (scan_kind(s, colon) != TOKEN_COLON) return false;
  if (is_case) {
    scan_pattern(s, s->next + 1, colon);
    s->inner.in_doubt = true;
  } else if (scan_kind(s, colon + 1) == TOKEN_NEWLINE &&
             scan_kind(s, colon + 2) == TOKEN_INDENT) {
    s->inner.in_match = true;
    s->inner.over_begin = s->next + 1;
    s->inner.over_end = colon;
  } else {
    return false;
  }
  scan_effects(s, s->next, colon);
  s->scope.may_stop |= s->scope.in_try;
  scan_header(s);
  return true;
}

// -- Backwards ---------------------------------------------------------------

// The first token of the statement before `index` in the same block, or of the
// header of that block (`out`); 0 if there is neither.
static uint32_t statement_before(const Scanner *s, uint32_t index, bool out) {
  int depth = 0;
  while (index-- > 0) {
    const int kind = scan_kind(s, index);
    depth += kind == TOKEN_DEDENT;
    depth -= kind == TOKEN_INDENT;
    if (kind == TOKEN_INDENT || kind == TOKEN_DEDENT || kind == TOKEN_NEWLINE)
      continue;
    const int before = index ? scan_kind(s, index - 1) : TOKEN_NEWLINE;
    const bool begins = before == TOKEN_NEWLINE || before == TOKEN_INDENT ||
                        before == TOKEN_DEDENT;
    if (begins && (out ? depth < 0 : depth <= 0)) return index;
  }
  return 0;
}

SrcLoc scan_condition(const Definition *d) {
  const Scanner s = {.file = d->file};
  uint32_t at = d->function ? d->decorators : d->begin;
  do at = statement_before(&s, at, true);
  while (at && scan_kind(&s, at) != TOKEN_IF &&
         scan_kind(&s, at) != TOKEN_ELIF && scan_kind(&s, at) != TOKEN_ELSE);
  if (scan_kind(&s, at) == TOKEN_ELSE) at = statement_before(&s, at, false);
  const int kind = scan_kind(&s, at);
  return kind == TOKEN_IF || kind == TOKEN_ELIF ? scan_loc(&s, at + 1)
                                                : (SrcLoc){0};
}

bool scan_compound(Scanner *s, int kind) {
  if (has_block(kind) || continues_statement(kind)) s->inner.is_below = true;
  switch (kind) {
  case TOKEN_IF: s->scope.else_in_doubt = false; // fall through
  case TOKEN_ELIF:
  case TOKEN_ELSE: scan_branch(s, kind); return true;
  case TOKEN_TRY:
    s->inner.in_try = s->inner.is_try = true;
    s->scope.tried_well = true; // until come_back() has seen the body
    scan_header(s);
    return true;
  case TOKEN_EXCEPT: scan_except(s); return true;
  case TOKEN_FINALLY: scan_header(s); return true;
  case TOKEN_FOR:
  case TOKEN_WHILE: scan_loop(s, kind); return true;
  case TOKEN_WITH: scan_with(s); return true;
  case TOKEN_NAME: return scan_match(s);
  default: return false;
  }
}
