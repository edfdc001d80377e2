// other.c -- names of other files that are bound by their text.
//
// `vars(m)["x"] = value`, `m.__dict__.update(x=value)`, `sys.modules["m"].x =
// value`, `getattr(m, "x").append(value)`, `exec("m.x = value")`: a name that
// is bound so has no known value.  If the text itself is unknown, no name of
// that file has one.
#include "frontend/scan/parts.h"

#include "frontend/module/module.h"

// An expression for another file, or for the table of its names.
typedef struct {
  AstFile *file; // NULL: the expression is no file
  uint32_t end;
} OtherFile;

static const OtherFile none = {NULL, 0};

// -- Expressions for another file --------------------------------------------

static OtherFile named_file(const Scanner *s, uint32_t i) {
  Symbol symbol = scan_brought(s, i);
  for (i++; symbol.kind == SYMBOL_MODULE; i += 2) {
    if (scan_kind(s, i) != TOKEN_DOT || scan_kind(s, i + 1) != TOKEN_NAME)
      break;
    const Symbol member = scan_member_of(s, symbol, i + 1);
    if (member.kind != SYMBOL_MODULE) break;
    symbol = member;
  }
  return symbol.kind == SYMBOL_MODULE ? (OtherFile){symbol.file, i} : none;
}

bool scan_is_way_to_file(const Scanner *s, uint32_t token) {
  static const char *const ways[] = {"__import__", "import_module", "modules"};
  return scan_is_one_of(s, token, ways, sizeof ways / sizeof *ways);
}

// `sys.modules["m"]` at `modules`, `import_module("m")`, `__import__("m")`
static OtherFile quoted_file(const Scanner *s, uint32_t i) {
  const int open =
      scan_is_word(s, i, "modules") ? TOKEN_LBRACKET : TOKEN_LPAREN;
  if (!scan_is_way_to_file(s, i) || scan_kind(s, i + 1) != open) return none;
  const char *module = scan_quoted_name(s, "", i + 2);
  const int behind = scan_kind(s, i + 3); // not `import_module("." + name)`
  if (!module || (behind != TOKEN_RPAREN && behind != TOKEN_RBRACKET &&
                  behind != TOKEN_COMMA))
    return none;
  if (*module == '.') module++; // relative to this package
  DiagList quiet;
  diag_init_muted(&quiet, s->program->arena);
  s->program->aside++;
  const Symbol symbol =
      program_module(s->program, &quiet, s->file, module, scan_loc(s, i));
  s->program->aside--;
  const bool other = symbol.kind == SYMBOL_MODULE && symbol.file != s->file;
  return other ? (OtherFile){symbol.file, scan_after_brackets(s, i + 1)} : none;
}

// The file that a line above has bound to this name.
static OtherFile alias(const Scanner *s, uint32_t i) {
  size_t length;
  const char *name = scan_text(s, i, &length);
  AstFile *file = map_get_text(&s->files, name, length);
  return file ? (OtherFile){file, i + 1} : none;
}

static OtherFile other_file(const Scanner *s, uint32_t i) {
  const OtherFile other = quoted_file(s, i);
  return other.file ? other : alias(s, i);
}

static OtherFile any_file(const Scanner *s, uint32_t i) {
  const OtherFile other = other_file(s, i);
  return other.file ? other : named_file(s, i);
}

static bool has_table(const Scanner *s, uint32_t i) {
  while (scan_kind(s, i + 1) == TOKEN_DOT && !scan_is_word(s, i, "__dict__"))
    i += 2;
  return scan_is_word(s, i, "__dict__");
}

// `vars(m)`, `m.__dict__`
static OtherFile other_table(const Scanner *s, uint32_t i) {
  const bool vars =
      scan_is_word(s, i, "vars") && scan_kind(s, i + 1) == TOKEN_LPAREN;
  OtherFile other = none;
  if (vars)
    other = any_file(s, i + 2);
  else if (has_table(s, i))
    other = any_file(s, i);
  else
    other = other_file(s, i);
  if (!other.file) return none;
  if (vars && scan_kind(s, other.end) == TOKEN_RPAREN)
    return (OtherFile){other.file, other.end + 1};
  const bool dict = !vars && scan_kind(s, other.end) == TOKEN_DOT &&
                    scan_is_word(s, other.end + 1, "__dict__");
  return dict ? (OtherFile){other.file, other.end + 2} : none;
}

// -- Writes ------------------------------------------------------------------

// Does the statement change the object whose expression ends before the token?
static bool is_changed(const Scanner *s, uint32_t i) {
  const uint32_t end = scan_line_end(s, i);
  const uint32_t after = scan_after_trailers(s, i, end);
  const int kind = scan_kind(s, after);
  return kind == TOKEN_ASSIGN || scan_operator(kind) != OPERATOR_COUNT ||
         (after > i && scan_changes(s, after - 1));
}

// Notes the write in `.x = value`, `.x.append(value)` behind a file.  If the
// statement binds the file to a name, the name is followed from here on.
static void write_file(Scanner *s, uint32_t begin, OtherFile other) {
  if (scan_kind(s, other.end) == TOKEN_DOT && is_changed(s, other.end)) {
    scan_rebind(s, other.file, scan_intern(s, "", other.end + 1), other.end);
    return;
  }
  const uint32_t name = scan_alias(s, begin, other.end);
  size_t length;
  const char *text = scan_text(s, name, &length);
  if (name < other.end)
    map_put_text(&s->files, s->program->arena, text, length, other.file);
}

// `getattr(m, "x")`: a line below may change the object under another name.
// `setattr(import_module("m"), "x", value)` binds `x`.
static void write_member(Scanner *s, uint32_t call) {
  const bool sets = scan_is_word(s, call, "setattr");
  uint32_t i = call + 2;
  if (scan_is_way_to_file(s, i + 2) && scan_is_member(s, i + 2)) i += 2;
  const OtherFile other = sets ? other_file(s, i) : any_file(s, i);
  if (!other.file || scan_kind(s, other.end) != TOKEN_COMMA) return;
  const char *name = scan_quoted_name(s, "", other.end + 1);
  const Definition *d = name ? file_find(other.file, name) : NULL;
  if (sets)
    scan_forget_quoted(s, other.file, other.end + 1);
  else if (d && d->kind == DEFINES_GLOBAL && scan_may_change(d))
    scan_rebind(s, other.file, name, call);
}

// Notes each `m.x` in the text of `exec("m.x = value")`.
static void write_by_code(Scanner *s, uint32_t token) {
  size_t length;
  const char *text = scan_text(s, token, &length), *const end = text + length;
  DiagList quiet;
  diag_init_muted(&quiet, s->program->arena);
  Arena *arena = s->program->arena;
  while (text < end) {
    const size_t n = scan_word(text);
    const char *member = text + n + 1;
    if (n && text[n] == '.' && scan_word(member)) {
      const char *module = arena_strndup(arena, text, n);
      const Symbol symbol = program_lookup(s->program, &quiet, s->file, module,
                                           scan_loc(s, token));
      const char *name = arena_strndup(arena, member, scan_word(member));
      if (symbol.kind == SYMBOL_MODULE)
        scan_rebind(s, symbol.file, program_intern(s->program, name), token);
    }
    text += n ? n : 1;
  }
}

// `f(m)`, `name = p.m`: the module `m` escapes, so that other code may bind its
// names.
static void note_given(Scanner *s, uint32_t token) {
  size_t length;
  const char *text = scan_text(s, token, &length);
  const Definition *d = map_get_text(&s->file->definitions, text, length);
  const int before = token ? scan_kind(s, token - 1) : TOKEN_NEWLINE;
  if (!d || d->kind != DEFINES_IMPORT || before == TOKEN_IMPORT ||
      before == TOKEN_FROM || before == TOKEN_AS)
    return;
  Arena *arena = s->program->arena;
  Import import = d->import;
  AstFile *file = NULL;
  uint32_t i = token + 1;
  if (scan_kind(s, i) != TOKEN_DOT)
    file = locate_import(s->program, s->file, &import);
  for (; scan_kind(s, i) == TOKEN_DOT; i += 2) {
    const char *name = scan_intern(s, "", i + 1);
    if (import.member)
      import.module =
          arena_printf(arena, "%s.%s", import.module, import.member);
    import.member = name;
    file = locate_import(s->program, s->file, &import);
    if (!file) return;
  }
  const int after = scan_kind(s, i);
  if (file && after != TOKEN_LPAREN && after != TOKEN_LBRACKET &&
      after != TOKEN_ASSIGN)
    file->is_given = true;
}

void scan_other(Scanner *s, uint32_t token) {
  const bool called = scan_kind(s, token + 1) == TOKEN_LPAREN;
  if (called && (scan_is_word(s, token, "getattr") ||
                 scan_is_word(s, token, "setattr"))) {
    write_member(s, token);
    return;
  }
  if (called && scan_is_word(s, token, "exec") && scan_is_code(s, token + 2)) {
    write_by_code(s, token + 2);
    return;
  }
  if (!scan_is_member(s, token)) note_given(s, token);
  const OtherFile table = other_table(s, token);
  const OtherFile other = table.file ? none : other_file(s, token);
  if (table.file)
    scan_write_table(s, table.file, token, table.end);
  else if (other.file)
    write_file(s, token, other);
}
