// import_effects.c -- effects that importing a file has on other files.
//
// Collects, from tokens alone, the names of other files' objects that importing
// this file may change: each name that may alias a file or an object of one,
// and that is written to, passed to a call, or the receiver of a changing
// method. The names over-approximate; the caller, who has parsed the file,
// decides whether a line changes an object.
//
// Example: for `import config` and `config.sizes.append(3)`, `changed` gets the
// names `config`, `sizes` and `append`.

#include "frontend/module/module.h"
#include "frontend/scan/parts.h"

typedef struct {
  Program *program;
  Arena *scratch;
  Scanner s;       // of the file that is searched
  Map others;      // names of the file that may alias other files' objects
  Map of_function; // the same, bound in the function that is searched
  bool any_other;  // a star import: each name may be an alias
  uint32_t end;    // of the file's tokens
  ImportEffects *out;
} EffectSearch;

// The position of the search.
typedef struct {
  uint32_t statement;    // first token of the current statement
  uint32_t function_end; // end of the function around, whose body is not run
  uint32_t header_end;   // end of that function's header
  int depth;             // of brackets
  int blocks;            // number of blocks around
  bool begins;           // the token is the first of a statement
  Vec(uint32_t) calls;   // for each open bracket, the token of the called name;
                         // or 0
} EffectPlace;

static void enter_function(EffectSearch *search, EffectPlace *at,
                           uint32_t def) {
  at->header_end = scan_header_end(&search->s, def);
  at->function_end = scan_after_block(&search->s, def);
  search->of_function = (Map){0};
}

// The name in `NAME(`, if the tokens do not define NAME; else 0.
static uint32_t called_by(const Scanner *s, uint32_t bracket) {
  if (bracket < 2 || scan_kind(s, bracket) != TOKEN_LPAREN ||
      scan_kind(s, bracket - 1) != TOKEN_NAME)
    return 0;
  const int before = scan_kind(s, bracket - 2);
  return before == TOKEN_CLASS || before == TOKEN_DEF ? 0 : bracket - 1;
}

static void go_to(EffectSearch *search, EffectPlace *at, uint32_t token) {
  const Scanner *s = &search->s;
  const int kind = scan_kind(s, token), nesting = token_nesting(kind);
  if (nesting > 0)
    vec_push(search->scratch, &at->calls, called_by(s, token));
  else if (nesting < 0 && at->calls.count)
    at->calls.count--;
  at->depth = (int)at->calls.count;
  at->blocks += (kind == TOKEN_INDENT) - (kind == TOKEN_DEDENT);
  at->begins =
      !token || (!at->depth && scan_begins_statement(scan_kind(s, token - 1)));
  if (at->begins) at->statement = token;
  if (kind == TOKEN_DEF && token >= at->function_end)
    enter_function(search, at, token);
}

static bool is_run(const EffectPlace *at, uint32_t token) {
  return token >= at->function_end;
}

// -- Aliases of other files' objects -----------------------------------------

static bool is_other(const EffectSearch *search, uint32_t token) {
  size_t length;
  if (scan_kind(&search->s, token) != TOKEN_NAME) return false;
  if (scan_is_way_to_file(&search->s, token)) return true;
  const char *name = scan_text(&search->s, token, &length);
  return search->any_other || map_get_text(&search->others, name, length) ||
         map_get_text(&search->of_function, name, length);
}

static void add_other(EffectSearch *search, const EffectPlace *at,
                      uint32_t token) {
  size_t length;
  const char *name = scan_text(&search->s, token, &length);
  map_put_text(is_run(at, token) ? &search->others : &search->of_function,
               search->scratch, name, length, search);
}

static void add_renamed(EffectSearch *search, const char *name,
                        const char *as) {
  const Renamed renamed = {name, as};
  if (name != as)
    vec_push(search->program->arena, &search->out->renamed, renamed);
}

// The names in [begin, end) become aliases if a name in [of, of_end) is one.
static void add_targets(EffectSearch *search, const EffectPlace *at,
                        uint32_t begin, uint32_t end, uint32_t of,
                        uint32_t of_end) {
  const Scanner *s = &search->s;
  bool other = false;
  for (uint32_t i = of; i < of_end && !other; i++) other = is_other(search, i);
  for (uint32_t i = begin; other && i < end; i++) {
    if (scan_kind(s, i) != TOKEN_NAME) continue;
    add_other(search, at, i);
    for (uint32_t j = of; j < of_end; j++) {
      if (scan_kind(s, j) == TOKEN_NAME && scan_kind(s, j + 1) != TOKEN_LPAREN)
        add_renamed(search, scan_intern(s, "", j), scan_intern(s, "", i));
    }
  }
}

// `for NAME in OTHER`
static void add_loop(EffectSearch *search, const EffectPlace *at,
                     uint32_t token) {
  enum { MAX_TOKENS = 100 };
  const Scanner *s = &search->s;
  uint32_t in = token + 1;
  while (in < token + MAX_TOKENS && scan_kind(s, in) != TOKEN_IN) in++;
  uint32_t end = in + 1;
  for (int depth = 0; end < in + MAX_TOKENS; end++) {
    const int kind = scan_kind(s, end);
    depth += token_nesting(kind);
    if (depth < 0 || (!depth && (kind == TOKEN_COLON || kind == TOKEN_FOR)))
      break;
  }
  add_targets(search, at, token + 1, in, in + 1, end);
}

// `NAME = OTHER.x`: NAME becomes an alias; at module level also if OTHER is
// anywhere in the value.  A default in a header binds a name of the function.
static void add_assigned(EffectSearch *search, const EffectPlace *at,
                         uint32_t assign) {
  const Scanner *s = &search->s;
  const bool is_default = !is_run(at, assign) && assign < at->header_end;
  const bool plain = is_default || scan_kind(s, assign) == TOKEN_WALRUS;
  if (at->depth && !plain) return; // an argument
  const uint32_t begin = plain ? assign - 1 : at->statement;
  const uint32_t chain = scan_after_trailers(s, assign + 2, search->end);
  const uint32_t end = plain ? chain : scan_statement_end(s, assign);
  if (!plain && !is_run(at, assign) && chain != end) return;
  add_targets(search, at, begin, assign, assign + 1, end);
}

// Adds the files that an import runs; `from package import module` runs both.
// False: none is a file of the program.
static bool add_files(EffectSearch *search, const EffectPlace *at,
                      const ImportedName *x) {
  Program *program = search->program;
  const Import whole = {x->import.level, x->module, NULL};
  const Import part = {x->import.level, x->module, x->import.member};
  AstFile *module = locate_import(program, search->s.file, &whole);
  AstFile *member = NULL;
  if (part.member && (!module || module->is_package))
    member = locate_import(program, search->s.file, &part);
  if (is_run(at, x->token)) {
    if (module) vec_push(program->arena, &search->out->run, module);
    if (member) vec_push(program->arena, &search->out->run, member);
    if (module && !at->blocks)
      vec_push(program->arena, &search->out->needed, module);
  }
  return module || member;
}

static void add_imports(EffectSearch *search, const EffectPlace *at,
                        uint32_t token) {
  const ImportedNames names =
      import_names(search->program, search->s.file, token);
  for (size_t i = 0; i < names.count; i++) {
    const ImportedName *x = &names.items[i];
    if (!add_files(search, at, x)) continue;
    search->any_other |= !x->name;
    if (x->name) add_other(search, at, x->token);
    if (x->name && x->import.member)
      add_renamed(search, x->import.member, x->name);
  }
}

// `if TYPE_CHECKING:` is false when the program runs.
static bool is_for_checkers(const Scanner *s, uint32_t token) {
  if (scan_kind(s, token) != TOKEN_IF) return false;
  const uint32_t colon = scan_header_end(s, token);
  return scan_is_word(s, colon - 1, "TYPE_CHECKING") &&
         scan_after_trailers(s, token + 2, colon) == colon;
}

// -- Uses that may change them -----------------------------------------------

// The token behind `.name`, `[index]` and `(arguments)` at `i`.  `*changes`:
// one of the names is a method that changes its receiver.
static uint32_t after_chain(const Scanner *s, uint32_t i, bool *changes) {
  for (;;) {
    const int kind = scan_kind(s, i);
    if (kind == TOKEN_DOT && scan_kind(s, i + 1) == TOKEN_NAME) {
      *changes |= scan_changes(s, i + 1);
      i += 2;
    } else if (kind == TOKEN_LBRACKET || kind == TOKEN_LPAREN) {
      i = scan_after_brackets(s, i);
    } else {
      return i;
    }
  }
}

static bool may_write(const EffectSearch *search, uint32_t token,
                      uint32_t after, bool changes) {
  const Scanner *s = &search->s;
  const int before = token ? scan_kind(s, token - 1) : TOKEN_NEWLINE;
  const int kind = scan_kind(s, after);
  if (changes || scan_operator(kind) != OPERATOR_COUNT) return true;
  if (after == token + 1) return false;
  return kind == TOKEN_ASSIGN || before == TOKEN_DEL || before == TOKEN_FOR ||
         before == TOKEN_AS ||
         (kind == TOKEN_COLON && scan_begins_statement(before)) ||
         (kind == TOKEN_COMMA && scan_is_one_target(s, after, search->end));
}

static bool is_argument(const Scanner *s, uint32_t token, uint32_t after) {
  const int first = scan_kind(s, token - 1), last = scan_kind(s, after);
  return (last == TOKEN_COMMA || last == TOKEN_RPAREN) &&
         (first == TOKEN_LPAREN || first == TOKEN_COMMA ||
          first == TOKEN_STAR || first == TOKEN_ASSIGN);
}

// `x.NAME = value`, where x may alias a file.
static bool is_member_set(const Scanner *s, uint32_t token) {
  const int kind = scan_kind(s, token + 1);
  return scan_kind(s, token) == TOKEN_NAME && scan_is_member(s, token) &&
         !scan_is_word(s, token - 2, "self") &&
         (kind == TOKEN_ASSIGN || scan_operator(kind) != OPERATOR_COUNT);
}

// Adds the names and the quoted names in the tokens; "*", any name, if a member
// is set whose name is computed.
static void add_names(EffectSearch *search, Map *names, uint32_t begin,
                      uint32_t end) {
  static const char *const ways[] = {"__dict__", "__setattr__", "setattr",
                                     "vars"};
  bool made = false;
  for (uint32_t i = begin; i < end; i++) {
    size_t length;
    const char *text = scan_text(&search->s, i, &length);
    const int kind = scan_kind(&search->s, i);
    const bool quoted = kind == TOKEN_STRING && length > 2;
    made |= scan_is_one_of(&search->s, i, ways, sizeof ways / sizeof *ways);
    made &= !quoted;
    if (kind != TOKEN_NAME && !quoted) continue;
    map_put_text(names, search->program->arena, text + quoted,
                 length - 2 * quoted, search);
  }
  if (made) map_put_text(names, search->program->arena, "*", 1, search);
}

// Adds the words of a string that is run as code.
static void add_words(EffectSearch *search, uint32_t token) {
  size_t length;
  const char *text = scan_text(&search->s, token, &length);
  for (const char *end = text + length; text < end;) {
    const size_t n = scan_word(text);
    if (n)
      map_put_text(&search->out->changed, search->program->arena, text, n,
                   search);
    text += n ? n : 1;
  }
}

static void look_at_other(EffectSearch *search, const EffectPlace *at,
                          uint32_t token) {
  const Scanner *s = &search->s;
  const uint32_t call = at->depth ? at->calls.items[at->depth - 1] : 0;
  bool changes = false;
  const uint32_t after = after_chain(s, token + 1, &changes);
  bool result_changes = false;
  const uint32_t result =
      call ? after_chain(s, call + 1, &result_changes) : call;
  if (may_write(search, token, after, changes))
    add_names(search, &search->out->changed, token, after);
  else if (call && may_write(search, call, result, result_changes))
    add_names(search, &search->out->changed, call, result);
  else if (call && is_argument(s, token, after) && scan_changes_given(s, call))
    add_names(search, &search->out->changed, call, result);
  else if (call && is_argument(s, token, after) && is_run(at, token))
    add_names(search, &search->out->given, call, result);
}

static void find_others(EffectSearch *search, const EffectPlace *at,
                        uint32_t i) {
  const int kind = scan_kind(&search->s, i);
  if (at->begins && (kind == TOKEN_IMPORT || kind == TOKEN_FROM))
    add_imports(search, at, i);
  else if ((kind == TOKEN_ASSIGN || kind == TOKEN_WALRUS) && i)
    add_assigned(search, at, i);
  else if (kind == TOKEN_FOR)
    add_loop(search, at, i);
}

typedef void (*Visit)(EffectSearch *search, const EffectPlace *at,
                      uint32_t token);

static void walk(EffectSearch *search, Visit visit) {
  EffectPlace at = {0};
  for (uint32_t i = 0; i < search->end; i++) {
    go_to(search, &at, i);
    if (at.begins && is_for_checkers(&search->s, i))
      i = scan_after_block(&search->s, i) - 1;
    else
      visit(search, &at, i);
  }
}

static void find_others_of_module(EffectSearch *search, const EffectPlace *at,
                                  uint32_t i) {
  const bool raise = at->begins && scan_kind(&search->s, i) == TOKEN_RAISE;
  if (!is_run(at, i)) return;
  search->out->may_raise |= raise;
  find_others(search, at, i);
}

static void find_changes(EffectSearch *search, const EffectPlace *at,
                         uint32_t i) {
  if (!is_run(at, i)) find_others(search, at, i);
  if (is_other(search, i))
    look_at_other(search, at, i);
  else if (is_member_set(&search->s, i))
    add_names(search, &search->out->changed, i, i + 1);
  const bool text = i > 1 && scan_kind(&search->s, i) == TOKEN_STRING;
  if (text && scan_is_code(&search->s, i)) add_words(search, i);
  if (scan_is_word(&search->s, i, "setattr") ||
      scan_is_word(&search->s, i, "delattr"))
    add_names(search, &search->out->changed, i,
              scan_after_brackets(&search->s, i + 1));
}

ImportEffects import_effects(Program *program, Arena *scratch, AstFile *file) {
  ImportEffects out = {0};
  EffectSearch search = {.program = program,
                         .scratch = scratch,
                         .s = {.program = program, .file = file},
                         .end = (uint32_t)file->list.tokens.count - 1,
                         .out = &out};
  scan_environment(&search.s, search.end);
  walk(&search, find_others_of_module);
  walk(&search, find_changes);
  return out;
}
