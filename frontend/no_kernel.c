// no_kernel.c -- what is said where a file has no kernel.
//
// A file may well mark functions in ways that are not followed: to say that
// there are none would be wrong.
#include "frontend/no_kernel.h"

#include "frontend/decorator.h"
#include "frontend/errors.h"
#include "frontend/parser.tab.h"

#include <string.h>

static uint32_t line_end(const AstFile *file, uint32_t index) {
  const Token *tokens = file->list.tokens.items;
  while (tokens[index].kind != TOKEN_NEWLINE && tokens[index].kind != TOKEN_END)
    index++;
  return index;
}

static SrcLoc loc_of(const AstFile *file, uint32_t index) {
  return token_loc(&file->source, &file->list.tokens.items[index]);
}

static bool is_jit(Program *program, AstFile *file, uint32_t begin,
                   uint32_t end) {
  return decorator_compiles(
      decorator_name(program, file, (AstPlace){0}, begin, end));
}

// The name of an `async def` that is marked, or of the one that is asked for;
// 0: there is none.
static uint32_t find_async(Program *program, AstFile *file, const char *name) {
  const Token *tokens = file->list.tokens.items;
  bool marked = false;
  for (uint32_t i = 0; tokens[i].kind != TOKEN_END; i++) {
    const int kind = tokens[i].kind;
    if (kind == TOKEN_INDENT || kind == TOKEN_DEDENT) continue;
    const uint32_t end = line_end(file, i);
    const bool defines = kind == TOKEN_ASYNC && tokens[i + 1].kind == TOKEN_DEF;
    if (marked && defines &&
        (!name || token_is(&file->source, &tokens[i + 2], name)))
      return i + 2;
    marked = kind == TOKEN_AT && (marked || is_jit(program, file, i + 1, end));
    i = end < i + 1 ? i : end;
    if (tokens[i].kind == TOKEN_END) break;
  }
  return 0;
}

// A decorator, or `triton.jit(...)` of something, be it of one name alone; 0:
// there is none.
static uint32_t find_marking(Program *program, AstFile *file,
                             const char *name) {
  const Token *tokens = file->list.tokens.items;
  bool imports = false;
  for (uint32_t i = 0; tokens[i].kind != TOKEN_END; i++) {
    const int kind = tokens[i].kind;
    imports = kind == TOKEN_IMPORT || (imports && kind != TOKEN_NEWLINE);
    const bool decorates = !name && kind == TOKEN_AT;
    if (decorates && is_jit(program, file, i + 1, line_end(file, i)))
      return i + 1;
    if (imports || kind != TOKEN_NAME) continue;
    uint32_t end = i + 1;
    while (tokens[end].kind == TOKEN_DOT && tokens[end + 1].kind == TOKEN_NAME)
      end += 2;
    const bool meant =
        !name || (tokens[end].kind == TOKEN_LPAREN &&
                  token_is(&file->source, &tokens[end + 1], name));
    const bool jit = token_is(&file->source, &tokens[end - 1], "jit");
    if (meant && jit && is_jit(program, file, i, end)) return i;
    i = end - 1;
  }
  return 0;
}

static bool tell_async(Program *program, DiagList *diags, const char *name) {
  AstFile *main = program->files.items[0];
  const uint32_t def = find_async(program, main, name);
  if (!def) return false;
  const Token *token = &main->list.tokens.items[def];
  const char *text =
      arena_strndup(program->arena, main->source.text + token->begin,
                    token->end - token->begin);
  diag_error(diags, loc_of(main, def), ERROR_async_kernel, text);
  return true;
}

void no_kernel_at_all(Program *program, DiagList *diags, const char *name) {
  AstFile *main = program->files.items[0];
  if (tell_async(program, diags, name)) return;
  const uint32_t marking = find_marking(program, main, NULL);
  if (marking)
    diag_error_text(diags, loc_of(main, marking), ERROR_no_kernel_found);
  else
    diag_error(diags, (SrcLoc){main->source.name, 0, 0, 0},
               ERROR_no_kernel_at_all);
}

void not_a_kernel(Program *program, DiagList *diags, const Definition *d) {
  AstFile *main = program->files.items[0];
  if (tell_async(program, diags, d->name)) return;
  diag_error(diags, d->loc, ERROR_not_marked_jit, d->name);
  const uint32_t marking = find_marking(program, main, d->name);
  if (marking) diag_note(diags, loc_of(main, marking), NOTE_marked, d->name);
}
