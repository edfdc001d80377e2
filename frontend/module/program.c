// program.c -- a program and its files.
#include "frontend/module/program.h"

#include "frontend/errors.h"
#include "frontend/module/decorator.h"
#include "frontend/syntax/parser.h"
#include "ir/base/base.h"

#include <assert.h>
#include <string.h>

const char *program_intern(Program *program, const char *name) {
  const size_t length = strlen(name);
  char *known = map_get_text(&program->names, name, length);
  if (known) return known;
  known = arena_strndup(program->arena, name, length);
  map_put_text(&program->names, program->arena, name, length, known);
  return known;
}

static Parser parser_for(Program *program, DiagList *diags, AstFile *file) {
  return (Parser){.arena = program->arena,
                  .diags = diags,
                  .source = &file->source,
                  .list = &file->list,
                  .names = &program->names,
                  .called = &file->called};
}

Expr *program_parse_quietly(Program *program, AstFile *file, uint32_t begin,
                            uint32_t end) {
  DiagList quiet;
  diag_init_muted(&quiet, program->arena);
  Parser parser = parser_for(program, &quiet, file);
  parser.called = NULL;
  return parser_expr(&parser, begin, end);
}

// -- Decorators --------------------------------------------------------------

static uint32_t next_line(const AstFile *file, uint32_t index) {
  while (file->list.tokens.items[index].kind != TOKEN_NEWLINE) index++;
  return index + 1;
}

typedef Vec(Decorator) DecoratorList;

// A decorator that a function of the file makes may apply several of Triton's.
static void parse_decorator(Program *program, DecoratorList *list,
                            AstFile *file, AstPlace place, uint32_t begin,
                            uint32_t end) {
  Decorator d = decorator_parse(program, file, place, begin, end);
  for (; d.inner; d = *d.inner) vec_push(program->arena, list, d);
  vec_push(program->arena, list, d);
}

static void parse_decorators(Program *program, AstFile *file,
                             const Definition *d) {
  DecoratorList list = {0};
  for (const Definition *f = d; f->inner; f = f->inner) {
    const AstPlace place = {.order = f->order};
    parse_decorator(program, &list, f->file, place, f->note_begin, f->note_end);
  }
  for (uint32_t i = d->decorators; i < d->begin; i = next_line(file, i)) {
    parse_decorator(program, &list, file, d->function->place, i + 1,
                    next_line(file, i) - 1);
  }
  d->function->decorators = list.items;
  d->function->num_decorators = (int)list.count;
}

// The tree is shared by all targets, so that the value is evaluated once.
static Expr *parse_source(Program *program, AstFile *file,
                          const Definition *d) {
  const Token *first = &file->list.tokens.items[d->begin];
  Expr *source = map_get(&program->sources, first);
  if (source || d->begin == d->end) return source;
  source = program_parse_quietly(program, file, d->begin, d->end);
  if (source) map_put(&program->sources, program->arena, first, source);
  return source;
}

static void parse_value(Program *program, AstFile *file, const Definition *d) {
  AstGlobal *global = d->global;
  const bool unpacked = d->target_begin != d->target_end;
  Expr *value = unpacked
                    ? parse_source(program, file, d)
                    : program_parse_quietly(program, file, d->begin, d->end);
  if (unpacked)
    global->target =
        program_parse_quietly(program, file, d->target_begin, d->target_end);
  if (!unpacked && global->op == OPERATOR_COUNT)
    global->value = value;
  else if (!unpacked || global->target)
    global->source = value;
}

bool definition_parse(Program *program, DiagList *diags, AstFile *file,
                      Definition *d) {
  assert(d->begin <= d->end); // I2
  if (d->kind == DEFINES_FUNCTION && !d->parsed) {
    Parser parser = parser_for(program, diags, d->function->file);
    parse_decorators(program, d->function->file, d);
    parser_function(&parser, d->begin, d->end, d->function);
  }
  if (d->kind == DEFINES_GLOBAL && !d->parsed) {
    parse_value(program, file, d);
    d->global->annotation =
        program_parse_quietly(program, file, d->note_begin, d->note_end);
  }
  const bool fields = d->kind == DEFINES_CLASS && !d->parsed;
  d->parsed = true; // set now, as a base may ask for the class again
  if (fields) class_parse_fields(program, diags, file, d);
  return d->kind != DEFINES_FUNCTION || d->function->ok;
}

// Does a call of the function not run its body?  True of a generator and an
// `async def`.
static bool yields(const AstFile *file, const Definition *d) {
  uint32_t i = d->begin;
  if (i && file->list.tokens.items[i - 1].kind == TOKEN_ASYNC) return true;
  while (i < d->end && file->list.tokens.items[i].kind != TOKEN_YIELD) i++;
  return i < d->end;
}

const Definition *symbol_definition(const Symbol *function) {
  const Definition *d =
      function->function ? file_find(function->file, function->name) : NULL;
  while (d && d->function != function->function) d = d->before;
  return d;
}

bool decorator_is_plain(const char *name) {
  return words_have(WORDS_DECORATORS_PLAIN, name);
}

// Does the function read a global that is bound more than once?  A cached
// result of it may then belong to another value of the global.
static bool reads_changing(const AstFile *file, const Definition *d) {
  const Token *tokens = file->list.tokens.items;
  for (uint32_t i = d->begin; i < d->end; i++) {
    if (tokens[i].kind != TOKEN_NAME || tokens[i - 1].kind == TOKEN_DOT)
      continue;
    const Definition *global =
        map_get_text(&file->definitions, file->source.text + tokens[i].begin,
                     tokens[i].end - tokens[i].begin);
    if (global && global->kind == DEFINES_GLOBAL && global->before) return true;
  }
  return false;
}

static bool has_cache(Program *program, AstFile *file, const Definition *d) {
  bool found = false;
  for (uint32_t i = d->decorators; i < d->begin; i = next_line(file, i)) {
    const char *name = decorator_name(program, file, d->function->place, i + 1,
                                      next_line(file, i) - 1);
    found |= name && (!strcmp(name, "cache") || !strcmp(name, "lru_cache"));
  }
  return found;
}

static bool is_plain(Program *program, AstFile *file, const Definition *d) {
  if (yields(file, d)) return false;
  if (has_cache(program, file, d) && reads_changing(file, d)) return false;
  for (uint32_t i = d->decorators; i < d->begin; i = next_line(file, i)) {
    const char *name = decorator_name(program, file, d->function->place, i + 1,
                                      next_line(file, i) - 1);
    if (!decorator_is_plain(name)) return false;
  }
  return true;
}

bool program_is_plain(Program *program, const Symbol *host) {
  const Definition *d = symbol_definition(host);
  return d && is_plain(program, host->file, d);
}

const AstFunction *program_host_function(Program *program, const Symbol *host) {
  const Definition *found = symbol_definition(host);
  if (!found) return NULL;
  DiagList quiet;
  diag_init_muted(&quiet, program->arena);
  Parser parser = parser_for(program, &quiet, host->file);
  parser.called = NULL;
  const bool known = found->function->body.count > 0;
  if (!known)
    parser_function(&parser, found->begin, found->end, found->function);
  return found->function->ok ? found->function : NULL;
}

const AstFunction *program_marked(Program *program, const Symbol *host) {
  const Definition *d = symbol_definition(host);
  const AstFunction *f = d && program_is_plain(program, host)
                             ? program_host_function(program, host)
                             : NULL;
  AstFunction *marked = f ? map_get(&program->marked, f) : NULL;
  if (!f || marked) return marked;
  marked = arena_new(program->arena, AstFunction);
  *marked = *f;
  marked->is_constant = false;
  marked->decorators_begin = d->decorators;
  marked->begin = d->begin;
  marked->end = d->end;
  map_put(&program->marked, program->arena, f, marked);
  return marked;
}

const AstFunction *program_decorated(Program *program, const Symbol *host) {
  const Definition *d = symbol_definition(host);
  const bool may =
      d && !yields(host->file, d) &&
      (!has_cache(program, host->file, d) || !reads_changing(host->file, d));
  const AstFunction *f = may ? program_host_function(program, host) : NULL;
  if (!f) return NULL;
  AstFunction *decorated = arena_new(program->arena, AstFunction);
  *decorated = *f;
  Definition with = *d;
  with.function = decorated;
  parse_decorators(program, host->file, &with);
  return decorated;
}

static uint32_t after_block(const AstFile *file, uint32_t index) {
  const Token *tokens = file->list.tokens.items;
  int depth = 0;
  index = next_line(file, index);
  if (tokens[index].kind != TOKEN_INDENT) return index;
  do {
    depth += tokens[index].kind == TOKEN_INDENT;
    depth -= tokens[index].kind == TOKEN_DEDENT;
  } while (tokens[index++].kind != TOKEN_END && depth > 0);
  return index;
}

// Parses the nested function whose decorators begin at the token.
static AstFunction *parse_nested(Program *program, AstFile *file,
                                 uint32_t token) {
  DiagList quiet;
  diag_init_muted(&quiet, program->arena);
  Parser parser = parser_for(program, &quiet, file);
  parser.called = NULL;
  AstFunction *f = arena_new(program->arena, AstFunction);
  f->file = file;
  f->decorators_begin = f->begin = token;
  const Token *tokens = file->list.tokens.items;
  while (tokens[f->begin].kind == TOKEN_AT)
    f->begin = next_line(file, f->begin);
  if (tokens[f->begin].kind != TOKEN_DEF) return f;
  f->end = after_block(file, f->begin);
  const Definition d = {.decorators = f->decorators_begin,
                        .begin = f->begin,
                        .end = f->end,
                        .function = f};
  parse_decorators(program, file, &d);
  f->is_constant = true;
  for (int i = 0; i < f->num_decorators; i++)
    f->is_constant &= !decorator_compiles(f->decorators[i].name);
  if (!f->is_constant || is_plain(program, file, &d))
    parser_function(&parser, f->begin, f->end, f);
  return f;
}

const AstFunction *program_nested_function(Program *program, AstFile *file,
                                           const Stmt *stmt) {
  AstFunction *f = map_get(&program->nested, stmt);
  if (!f) f = parse_nested(program, file, stmt->unsupported.token);
  map_put(&program->nested, program->arena, stmt, f);
  return f->ok ? f : NULL;
}

static bool is_method(const AstFunction *f) {
  bool is_static = false;
  for (int i = 0; i < f->num_decorators; i++) {
    const char *name = f->decorators[i].name;
    is_static |= name && !strcmp(name, "staticmethod");
  }
  return f->ok && is_static;
}

int program_nested_class(Program *program, AstFile *file, const Stmt *stmt,
                         const char **name, const AstFunction **out, int most) {
  const Token *tokens = file->list.tokens.items;
  uint32_t at = stmt->unsupported.token + 1;
  const Token *own = &tokens[at++];
  if (own->kind != TOKEN_NAME || tokens[at].kind != TOKEN_COLON ||
      tokens[at + 1].kind != TOKEN_NEWLINE ||
      tokens[at + 2].kind != TOKEN_INDENT)
    return -1;
  *name = program_intern(program, arena_strndup(program->arena,
                                                file->source.text + own->begin,
                                                own->end - own->begin));
  int n = 0;
  for (at += 3; tokens[at].kind != TOKEN_DEDENT; n++) {
    const bool defines =
        tokens[at].kind == TOKEN_AT || tokens[at].kind == TOKEN_DEF;
    const AstFunction *f =
        defines && n < most ? parse_nested(program, file, at) : NULL;
    if (!f || !is_method(f)) return -1;
    out[n] = f;
    at = f->end;
  }
  return n;
}

StmtList program_statements(Program *program, AstFile *file) {
  Parser parser = parser_for(program, NULL, file);
  parser.called = NULL;
  return parser_module(&parser);
}

// -- Files -------------------------------------------------------------------

static const char *folder_of(Arena *arena, const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? arena_strndup(arena, path, (size_t)(slash - path) + 1) : "";
}

static void add_source(const AstFile *file, DiagList *diags) {
  const Source *known = diag_find_source(diags, file->source.name);
  if (known && known->is_recoded == file->source.is_recoded &&
      source_same_text(known, &file->source))
    return;
  Source *source = source_create(diags->arena, file->source.name,
                                 file->source.text, file->source.length);
  source->is_recoded = file->source.is_recoded;
  diag_add_source(diags, source);
}

static AstFile *create_file(Program *program, const Source *source) {
  AstFile *file = arena_new(program->arena, AstFile);
  file->source =
      source->text ? source_as_utf8(program->arena, source) : *source;
  file->source.next = NULL;
  file->source.name = arena_strdup(program->arena, source->name);
  file->folder = folder_of(program->arena, file->source.name);
  file->is_package = text_ends_with(file->source.name, "/__init__.py") ||
                     !strcmp(file->source.name, "__init__.py");
  return file;
}

static void lex(Program *program, DiagList *diags, AstFile *file) {
  TokenList list = {0};
  add_source(file, diags);
  file->ok = lex_source(program->arena, diags, &file->source, &list) &&
             decorators_decorate(diags, &file->source, &list);
  file->is_untold = !file->ok && diags->muted;
  if (!file->is_lexed) file->list = list;
  file->is_lexed = true;
}

void file_lex(Program *program, DiagList *diags, AstFile *file) {
  if (file->is_lexed) return;
  file_read_text(program, file);
  vec_push(program->arena, &program->lexed, file);
  lex(program, diags, file);
}

static void read_file(Program *program, DiagList *diags, AstFile *file) {
  DiagList *const outer = program->loud;
  assert(!file->is_read); // I1
  const int aside = program->aside;
  if (!diags->muted) program->loud = diags;
  if (aside) program->aside++;
  if (!file->is_lexed) lex(program, diags, file);
  file->is_read = true;
  file_scan(program, file);
  program->aside = aside;
  program->loud = outer;
}

AstFile *program_read_file(Program *program, DiagList *diags,
                           const Source *source) {
  AstFile *file = create_file(program, source);
  read_file(program, diags, file);
  return file;
}

void file_load(Program *program, DiagList *diags, AstFile *file) {
  if (file->is_read) return;
  file_lex(program, diags, file);
  vec_push(program->arena, &program->files, file);
  read_file(program, diags, file); // may call this function again for the same
                                   // file
}

bool file_is_sound(Program *program, DiagList *diags, AstFile *file,
                   SrcLoc use) {
  if (!diags->muted) add_source(file, diags); // messages may show it
  if (file->ok) return true;
  if (file->is_untold && !diags->muted)
    lex(program, diags, file);
  else
    diag_error(diags, use, ERROR_syntax_errors, file->source.name);
  return false;
}

AstFile *program_add_file(Program *program, const Source *source) {
  AstFile *file = create_file(program, source);
  map_put_text(&program->paths, program->arena, file->source.name,
               strlen(file->source.name), file);
  return file;
}

static void copy_options(Program *program, const FrontendOptions *options) {
  if (!options) return;
  const int count = options->num_include_paths;
  program->reader = options->reader;
  program->target = options->target;
  program->release = options->release;
  program->world->assume(program, options);
  program->include_paths = arena_array(program->arena, const char *, count);
  program->num_include_paths = count;
  for (int i = 0; i < count; i++) {
    const char *path = options->include_paths[i];
    const bool closed = !*path || text_ends_with(path, "/");
    program->include_paths[i] =
        arena_printf(program->arena, "%s%s", path, closed ? "" : "/");
  }
}

Program *program_parse(Arena *arena, DiagList *diags, const Source *source,
                       const FrontendOptions *options, const Language *language,
                       const World *world) {
  const int errors = diags->num_errors;
  Diag **first = diags->last;
  Program *program = arena_new(arena, Program);
  program->arena = arena;
  program->language = language;
  program->world = world;
  copy_options(program, options);
  program->source = *source;
  AstFile *file = program_add_file(program, source);
  file_load(program, diags, file);
  for (size_t i = 0; i < file->functions.count; i++) {
    if (diags->num_errors - errors >= diag_limit(diags)) break;
    definition_parse(program, diags, file, file->functions.items[i]);
  }
  // Unclosed brackets and quotes are found at the file's end, so errors may be
  // out of order.
  diag_sort(diags, first);
  program->is_broken = diags->num_errors > errors;
  const bool keep = options && options->keep_sound && !diag_is_full(diags) &&
                    program_errors_are_local(program, *first);
  return keep || !program->is_broken ? program : NULL;
}

void frontend_add_sources(const Program *program, DiagList *diags) {
  for (size_t i = 0; i < program->files.count; i++) {
    add_source(program->files.items[i], diags);
  }
  if (program->library) add_source(program->library, diags);
}

AstFile *program_main_file(const Program *program) {
  return program->files.items[0];
}
