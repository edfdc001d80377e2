// config_changes.c -- does a file change the configurations of tuned kernels?
//
// `kernel.configs` is the list that @autotune got.  Any statement of the file
// that may write to some object's `configs` counts, also in functions.
#include "frontend/kernel/configs.h"

#include "frontend/scan/scan.h"

#include <string.h>

// `.configs = x`, `.configs[0].num_warps = x`, `.configs.append(x)`,
// `for c in kernel.configs:`
static bool changes(const Scanner *s, uint32_t token) {
  const uint32_t end = (uint32_t)s->file->list.tokens.count;
  uint32_t at = token + 1;
  for (;;) {
    if (scan_kind(s, at) == TOKEN_DOT && scan_changes(s, at + 1)) return true;
    const uint32_t after = scan_after_trailer(s, at, end);
    if (after == at) break;
    at = after;
  }
  return scan_assigns(scan_kind(s, at)) || scan_kind(s, at) == TOKEN_COLON;
}

// `setattr(kernel, "configs", x)`
static bool is_set_by_name(const Scanner *s, uint32_t token) {
  size_t length;
  const char *text = scan_text(s, token, &length);
  return scan_kind(s, token - 1) == TOKEN_COMMA && length == 9 &&
         !memcmp(text + 1, "configs", 7) &&
         scan_kind(s, token + 1) == TOKEN_COMMA;
}

// `kernel = kernel.fn`: the function without its @autotune.
static bool takes_off(const Scanner *s, uint32_t token) {
  size_t length;
  const char *text = scan_text(s, token - 2, &length);
  if (!scan_is_word(s, token, "fn") || scan_kind(s, token - 2) != TOKEN_NAME)
    return false;
  const char *name = arena_strndup(s->program->arena, text, length);
  uint32_t i = token;
  while (i > 0 && !scan_ends_statement(scan_kind(s, i - 1))) i--;
  return scan_is_word(s, i, name) && scan_kind(s, i + 1) == TOKEN_ASSIGN;
}

static bool may_change(const Scanner *s) {
  for (uint32_t i = 2; i < s->file->list.tokens.count; i++) {
    if (scan_kind(s, i) == TOKEN_STRING && is_set_by_name(s, i)) return true;
    if (scan_kind(s, i) != TOKEN_NAME || !scan_is_member(s, i)) continue;
    if (scan_is_word(s, i, "configs") && !scan_is_word(s, i - 2, "self") &&
        changes(s, i))
      return true;
    if (takes_off(s, i)) return true;
  }
  return false;
}

bool file_changes_configs(Program *program, AstFile *file) {
  const Scanner s = {.program = program, .file = file};
  if (!file->configs.is_known) {
    file->configs.is_known = true;
    file->configs.may_change = may_change(&s);
  }
  return file->configs.may_change;
}
