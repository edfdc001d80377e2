// broken.c -- the statements around syntax errors that are still checked.
//
// A function is parsed alone, so a syntax error in it does not affect other
// functions, unless its bracket stays open and swallows the lines behind it.
#include "frontend/errors.h"
#include "frontend/module/program.h"

#include <string.h>

static const Token *token_at(const Definition *d, uint32_t index) {
  return &d->function->file->list.tokens.items[index];
}

static bool is_within(const Definition *d, const char *file, SrcLoc loc) {
  return d->function->file->source.name == file && d->begin < d->end &&
         (int)token_at(d, d->begin)->line <= loc.line &&
         (int)token_at(d, d->end - 1)->line >= loc.line;
}

// Does the function contain a line of text no deeper than its `def`?  Only if a
// bracket in the function is never closed does the function swallow the lines
// behind it.
static bool swallows(const Definition *d) {
  const uint32_t column = token_at(d, d->begin)->column;
  for (uint32_t i = d->begin + 1; i < d->end; i++) {
    const Token *token = token_at(d, i);
    if (token->line == token[-1].line || token->column > column) continue;
    const bool is_text =
        token->begin < token->end && token->kind != TOKEN_INDENT;
    if (is_text && token_nesting(token->kind) >= 0) return true;
  }
  return false;
}

// Does the error end the file, so that the text after it gives no tokens?
static bool ends_file(const Diag *error) {
  return error->format == NULL ||
         !strcmp(error->format, ERROR_string_never_closed) ||
         !strcmp(error->format, ERROR_file_has_nul) ||
         !strcmp(error->format, ERROR_file_not_utf8);
}

static bool is_local(const AstFile *file, const Diag *error) {
  if (ends_file(error) || !error->loc.file) return false;
  if (strcmp(error->loc.file, file->source.name)) return false;
  for (size_t i = 0; i < file->functions.count; i++) {
    const Definition *d = file->functions.items[i];
    if (is_within(d, file->source.name, error->loc))
      return !d->function->ok && !swallows(d);
  }
  return false;
}

bool program_errors_are_local(const Program *program, const Diag *errors) {
  for (const Diag *d = errors; d; d = d->next) {
    if (d->severity == DIAG_ERROR && !is_local(program->files.items[0], d))
      return false;
  }
  return true;
}

// Does a decorator begin here: at the start of a line of the module, outside
// brackets?
static bool decorates(const Token *tokens, size_t i) {
  return tokens[i].kind == TOKEN_AT && tokens[i].column == 1 &&
         (!i || tokens[i - 1].kind == TOKEN_NEWLINE ||
          tokens[i - 1].kind == TOKEN_DEDENT);
}

bool decorators_decorate(DiagList *diags, const Source *source,
                         const TokenList *list) {
  const Token *tokens = list->tokens.items;
  for (size_t i = 0; i < list->tokens.count; i++) {
    if (!decorates(tokens, i)) continue;
    while (tokens[i].kind != TOKEN_NEWLINE && tokens[i].kind != TOKEN_END) i++;
    const Token *below = &tokens[tokens[i].kind == TOKEN_NEWLINE ? i + 1 : i];
    if (below->kind == TOKEN_AT || token_begins_definition(below->kind))
      continue;
    return diag_error(diags, token_loc(source, below), ERROR_expected_other,
                      "'def' or 'class' below a decorator",
                      token_kind_name(below->kind));
  }
  return true;
}

bool function_is_sound(const AstFunction *function) {
  return function->ok;
}

bool frontend_is_broken(const Program *program) {
  return program->is_broken;
}
