// scan.c -- definitions of a file at module level.
//
// One walk over the tokens, statement by statement.  Blocks of `if`, `try` and
// the like define names of the scope around them; a class defines names like
// `Class.function`; bodies of functions are skipped.  Nothing is parsed.
#include "frontend/scan/parts.h"

#include "frontend/host/guard.h"
#include "frontend/module/module.h"

#include "ir/base/base.h"

#include <assert.h>
#include <string.h>

// -- Decorators --------------------------------------------------------------

static bool is_aggregate(const char *decorator) {
  return !strcmp(decorator, "aggregate") || !strcmp(decorator, "_aggregate");
}

static void scan_decorator(Scanner *s) {
  if (!s->decorated) {
    s->decorated = true;
    s->is_jit = s->is_constant = s->is_aggregate = s->is_static = false;
    s->decorators = s->next;
  }
  const AstPlace place = {.within = s->within};
  const char *name = decorator_name(s->program, s->file, place, s->next + 1,
                                    scan_line_end(s, s->next));
  s->is_jit |= decorator_compiles(name);
  s->is_constant |= decorator_runs_while_compiling(name);
  s->is_aggregate |= is_aggregate(name);
  s->is_static |= !strcmp(name, "staticmethod");
  scan_effects(s, s->next + 1, scan_line_end(s, s->next));
  s->next = scan_after_line(s, s->next);
}

// -- Definitions -------------------------------------------------------------

// Defines the function that begins at `def`, under the name at `token`.
static Definition *define_function(Scanner *s, DefinitionKind kind,
                                   uint32_t token, uint32_t def, uint32_t end) {
  const char *name = scan_intern(s, s->scope.prefix, token);
  Definition *d = scan_define(s, kind, name, token);
  d->begin = d->decorators = def;
  d->end = end;
  d->function = arena_new(s->program->arena, AstFunction);
  d->function->file = s->file;
  d->function->name = name;
  d->function->loc = d->loc;
  d->function->place = (AstPlace){
      .prefix = s->scope.prefix, .within = s->within, .order = d->order};
  return d;
}

// Is the function run while compiling?  A constexpr_function is, and so are, as
// in Triton, an aggregate's `__init__` and its unmarked methods.
static bool is_constant_def(const Scanner *s, uint32_t def) {
  if (s->decorated && s->is_constant) return true;
  const AstClass *class = s->scope.class ? s->scope.class->class : NULL;
  if (!class) return false;
  return scan_is_word(s, def + 1, "__init__") ||
         (class->is_aggregate && (!s->decorated || s->is_static));
}

static void scan_def(Scanner *s) {
  const uint32_t def = s->next, end = scan_after_block(s, def);
  scan_defaults(s, def, scan_header_end(s, def));
  s->self = scan_self(s, def);
  const bool changes = scan_writes(s, def, end);
  s->self = NULL;
  scan_member_writes(s, scan_header_end(s, def), end, scan_self(s, def));
  if (s->decorated && s->is_jit) {
    Definition *d = define_function(s, DEFINES_FUNCTION, def + 1, def, end);
    d->decorators = s->decorators;
    vec_push(s->program->arena, &s->file->functions, d);
  } else if (scan_kind(s, def + 1) == TOKEN_NAME) {
    const bool is_ours = is_constant_def(s, def);
    const DefinitionKind kind = is_ours ? DEFINES_FUNCTION : DEFINES_HOST;
    Definition *d = define_function(s, kind, def + 1, def, end);
    if (s->decorated) d->decorators = s->decorators;
    d->function->is_constant = true;
    d->changes_arguments = d->writes_arguments = changes;
    if (s->scope.in_class) scan_method(s, d);
  }
  s->next = end;
}

// The result of an `async def` is no constant, but its body may define kernels.
static void scan_async(Scanner *s) {
  const uint32_t def = s->next + 1;
  if (scan_kind(s, def) != TOKEN_DEF) {
    s->next = scan_after_line(s, s->next);
    return;
  }
  s->next = scan_after_block(s, def);
  scan_writes(s, def, s->next);
  if (scan_kind(s, def + 1) == TOKEN_NAME)
    define_function(s, DEFINES_HOST, def + 1, def, s->next)
        ->function->is_constant = true;
}

static bool has_word(const Scanner *s, uint32_t begin, uint32_t end,
                     const char *word) {
  while (begin < end && !scan_is_word(s, begin, word)) begin++;
  return begin < end;
}

static Definition *define_class(Scanner *s, const char *name, uint32_t token) {
  Definition *d = scan_define(s, DEFINES_CLASS, name, token);
  d->class = arena_new(s->program->arena, AstClass);
  d->class->file = s->file;
  d->class->name = name;
  d->class->loc = d->loc;
  d->class->is_aggregate = s->decorated && s->is_aggregate;
  if (d->class->is_aggregate && scan_kind(s, token + 1) == TOKEN_LPAREN &&
      scan_kind(s, token + 2) == TOKEN_NAME)
    d->base = scan_intern(s, "", token + 2);
  return d;
}

// May a decorator of the program, or a metaclass, change the class?
static bool is_remade(const Scanner *s, uint32_t begin, uint32_t class) {
  for (uint32_t i = begin; i < class; i = scan_after_line(s, i)) {
    if (scan_is_ours(s, i + 1)) return true;
  }
  const uint32_t colon = scan_header_end(s, class);
  for (uint32_t i = class; i < colon; i++) {
    if (scan_is_word(s, i, "metaclass") && scan_kind(s, i + 1) == TOKEN_ASSIGN)
      return !scan_is_word(s, i + 2, "ABCMeta") &&
             !scan_is_word(s, i + 4, "ABCMeta");
  }
  return false;
}

// The bases of the class are the tokens [begin, end); they are parsed when a
// member is asked for.
static void define_host_class(Scanner *s, const char *name, uint32_t token) {
  Definition *d = scan_define(s, DEFINES_HOST, name, token);
  const uint32_t colon = scan_header_end(s, token);
  d->is_remade = is_remade(s, s->decorated ? s->decorators : s->next, s->next);
  if (scan_kind(s, token + 1) != TOKEN_LPAREN || colon < token + 4) return;
  d->begin = token + 2;
  d->end = colon - 1;
}

static void scan_bases(Scanner *s, uint32_t begin, uint32_t end) {
  scan_bound(s, begin, end);
  for (uint32_t i = begin; i < end; i++) {
    if (scan_kind(s, i) == TOKEN_NAME) scan_is_ours(s, i); // reads its file
  }
}

// The lines of the body are walked next, as part of the class.
static void scan_class(Scanner *s) {
  Arena *arena = s->program->arena;
  const uint32_t token = s->next + 1;
  if (scan_kind(s, token + 1) == TOKEN_LPAREN)
    scan_bases(s, token + 2, scan_header_end(s, token));
  if (scan_kind(s, token) == TOKEN_NAME) {
    const char *name = scan_intern(s, s->scope.prefix, token);
    s->inner.class = NULL;
    if ((s->decorated && s->is_aggregate) ||
        has_word(s, token + 1, scan_line_end(s, token), "NamedTuple"))
      s->inner.class = define_class(s, name, token);
    else
      define_host_class(s, name, token);
    s->inner.prefix = arena_printf(arena, "%s.", name);
    s->inner.in_class = true;
  }
  scan_header(s);
}

static bool is_assignment(const Scanner *s, uint32_t begin, uint32_t end,
                          uint32_t *equals) {
  int depth = 0;
  uint32_t count = 0;
  for (uint32_t i = begin; i < end; i++) {
    const int kind = scan_kind(s, i);
    if (kind == TOKEN_LAMBDA) break; // its parameters have defaults
    depth += token_nesting(kind);
    if (kind != TOKEN_ASSIGN || depth) continue;
    *equals = i;
    count++;
  }
  return count == 1;
}

// NAME: annotation, NAME: annotation = value
static void scan_field(Scanner *s, uint32_t begin, uint32_t end) {
  uint32_t equals = end;
  const bool has_value = is_assignment(s, begin, end, &equals);
  const FieldTokens field = {scan_intern(s, "", begin),
                             has_word(s, begin + 2, equals, "constexpr"),
                             begin + 2,
                             equals,
                             has_value ? equals + 1 : end,
                             end};
  vec_push(s->program->arena, &s->scope.class->fields, field);
}

// `NAME = value`, `NAME: annotation = value`.  The last value hides others.
static void scan_name(Scanner *s) {
  const uint32_t begin = s->next, end = scan_statement_end(s, begin);
  const int second = scan_kind(s, begin + 1);
  uint32_t equals = 0;
  s->next = end;
  if (s->scope.class && second == TOKEN_COLON) {
    scan_field(s, begin, end);
    return;
  }
  const bool plain = second == TOKEN_ASSIGN || second == TOKEN_COLON;
  if (!plain || s->scope.in_loop || !is_assignment(s, begin, end, &equals)) {
    scan_binding(s, begin, end);
    return;
  }
  if (scan_function(s, begin, equals + 1, end)) return;
  Definition *d = scan_global(s, scan_intern(s, s->scope.prefix, begin), begin,
                              equals + 1, end);
  d->note_begin = begin + 2;
  d->note_end = second == TOKEN_COLON ? equals : begin + 2;
}

// -- Blocks ------------------------------------------------------------------

void scan_simple(Scanner *s) {
  const uint32_t begin = s->next, end = scan_statement_end(s, begin);
  const bool may_stop = s->scope.in_try && scan_may_stop(s, begin, end);
  scan_effects(s, begin, end);
  s->limit = s->file->num_definitions + 1;
  switch (scan_kind(s, s->next)) {
  case TOKEN_IMPORT:
  case TOKEN_FROM: scan_import(s); break;
  case TOKEN_NAME: scan_name(s); break;
  case TOKEN_NEWLINE:
  case TOKEN_SEMICOLON: s->next++; break;
  case TOKEN_LPAREN:
  case TOKEN_LBRACKET:
  case TOKEN_STAR:
    scan_binding(s, begin, end);
    s->next = end;
    break;
  case TOKEN_RETURN:
  case TOKEN_RAISE: scan_return(s); break;
  case TOKEN_DEL: scan_targets(s, begin + 1, end); // fall through
  default: s->next = end; break;
  }
  s->scope.may_stop |= may_stop;
}

static void scan_by_kind(Scanner *s, int kind) {
  switch (kind) {
  case TOKEN_AT: scan_decorator(s); break;
  case TOKEN_DEF: scan_def(s); break;
  case TOKEN_CLASS: scan_class(s); break;
  case TOKEN_INDENT: scan_enter(s); break;
  case TOKEN_DEDENT: scan_leave(s); break;
  case TOKEN_ASYNC: scan_async(s); break;
  default:
    if (!scan_compound(s, kind)) scan_simple(s);
    break;
  }
}

static void scan_statement(Scanner *s) {
  const int kind = scan_kind(s, s->next);
  const Surroundings before = s->scope;
  s->limit = s->file->num_definitions + 1;
  if (scan_skips(s, kind)) return;
  scan_begin(s, kind);
  scan_by_kind(s, kind);
  if (kind != TOKEN_INDENT && kind != TOKEN_DEDENT)
    scan_doubt_again(s, &before);
  s->decorated = kind == TOKEN_AT;
}

void scan_all(Scanner *s, const char *prefix, uint32_t end) {
  s->scope.prefix = s->inner.prefix = prefix;
  for (uint32_t begin = s->next; begin < end; begin = s->next) {
    scan_statement(s);
    assert(s->next > begin); // I1
  }
  scan_rebind_all(s);
  scan_touch_members(s->program);
}

void file_scan(Program *program, AstFile *file) {
  Scanner scanner = {.program = program,
                     .file = file,
                     .is_imported = file != program_main_file(program)};
  scan_all(&scanner, "", (uint32_t)file->list.tokens.count - 1);
  file->is_scanned = true;
}
