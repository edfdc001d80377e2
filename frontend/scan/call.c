// call.c -- may a function change an argument?
//
// A function may do so if its body changes one of its own names, or calls
// another function that may change its arguments.  Functions of other files of
// the program are followed, too; a function that is in no file of the program
// is assumed to change nothing.  The receiver of a method is not known: the
// method may belong to any class that has one of that name.
#include "frontend/scan/parts.h"

#include <string.h>

// The definition of the called function or value, in this file or another; NULL
// if there is none.
static const Definition *called(const Scanner *s, uint32_t token) {
  const uint32_t end = scan_callee_end(s, token);
  const Definition *d = file_find(s->file, scan_intern(s, "", token));
  Symbol symbol = scan_brought(s, token);
  if (end == token + 1 && symbol.kind == SYMBOL_ABSENT) return d;
  if (end == token + 3 && d && d->kind == DEFINES_HOST && !d->function) {
    const char *prefix = arena_printf(s->program->arena, "%s.", d->name);
    return file_find(s->file, scan_intern(s, prefix, token + 2));
  }
  for (uint32_t i = token + 2; i < end; i += 2)
    symbol = scan_member_of(s, symbol, i);
  const bool found = symbol.kind == SYMBOL_HOST ||
                     symbol.kind == SYMBOL_FUNCTION ||
                     symbol.kind == SYMBOL_GLOBAL;
  return found && symbol.file ? file_find(symbol.file, symbol.name) : NULL;
}

bool scan_is_ours(const Scanner *s, uint32_t token) {
  const Definition *d = called(s, token);
  return d && d->kind != DEFINES_IMPORT;
}

static bool changes_given(const Scanner *s, Definition *d);

// May a method of the class change an argument?  An object of the class may
// keep the arguments of its constructor.
static bool class_changes(const Scanner *s, const Definition *class) {
  const AstFile *file = class->file;
  const char *prefix = arena_printf(s->program->arena, "%s.", class->name);
  const size_t n = strlen(prefix);
  for (size_t i = 0; i < file->names.count; i++) {
    const char *name = file->names.items[i];
    Definition *d =
        strncmp(name, prefix, n) ? NULL : (Definition *)file_find(file, name);
    if (d && d->function && changes_given(s, d)) return true;
  }
  const Scanner other = {.program = s->program, .file = class->file};
  for (uint32_t i = class->begin; i < class->end; i++) {
    if (scan_kind(&other, i) == TOKEN_NAME && scan_call_changes(&other, i))
      return true;
  }
  return false;
}

// Does the method keep an argument which another method of its class may
// change?
static bool may_change_kept(const Scanner *s, Definition *method) {
  const char *dot = strrchr(method->name, '.');
  if (!method->keeps_arguments || !dot) return false;
  const char *name = arena_strndup(s->program->arena, method->name,
                                   (size_t)(dot - method->name));
  const Definition *class = file_find(method->file, name);
  return class && class_changes(s, class);
}

bool scan_method_changes(const Scanner *s, uint32_t token) {
  size_t length;
  const char *name = scan_text(s, token, &length);
  Definition *d = map_get_text(&s->program->methods, name, length);
  while (d && !may_change_kept(s, d) && !changes_given(s, d)) d = d->like;
  return d != NULL;
}

static bool changes_given(const Scanner *s, Definition *d) {
  const Scanner other = {.program = s->program, .file = d->file};
  if (d->changes_arguments || d->is_followed) return d->changes_arguments;
  d->is_followed = true;
  for (uint32_t i = d->begin; i < d->end && !d->changes_arguments; i++) {
    if (scan_kind(&other, i) != TOKEN_NAME) continue;
    const bool member = scan_kind(&other, i - 1) == TOKEN_DOT;
    const bool is_call =
        scan_kind(&other, scan_callee_end(&other, i)) == TOKEN_LPAREN;
    if (scan_changes_given(&other, i) ||
        (d->kind == DEFINES_GLOBAL && member && scan_changes(&other, i)))
      d->changes_arguments = true;
    else if (!member && (is_call || d->kind == DEFINES_GLOBAL))
      d->changes_arguments = scan_call_changes(&other, i);
    else if (member && (is_call || d->kind == DEFINES_GLOBAL))
      d->changes_arguments = scan_method_changes(&other, i);
  }
  return d->changes_arguments;
}

// `setattr(NAME, x, y)` of Python, with one token as the attribute's name.
static bool is_setter(const Scanner *s, uint32_t token) {
  return scan_is_word(s, token, "setattr") && !scan_is_member(s, token) &&
         scan_kind(s, token + 1) == TOKEN_LPAREN &&
         scan_kind(s, token + 2) == TOKEN_NAME &&
         scan_kind(s, token + 3) == TOKEN_COMMA &&
         scan_kind(s, token + 5) == TOKEN_COMMA &&
         !file_find(s->file, "setattr");
}

// The attribute's name in the literal at `token`; NULL if it is computed, or
// special to Python (`__call__`).
static const char *plain_name(const Scanner *s, uint32_t token) {
  const char *name = scan_quoted_name(s, "", token);
  return name && strncmp(name, "__", 2) ? name : NULL;
}

// Iterates over the attribute names of `setattr(NAME, "name", value)`, or of
// the loop `for name in ("a", "b"):` around it.  `*at` is the token of the last
// one, 0 at first.  Returns the next name, or NULL.
static const char *next_patched(const Scanner *s, uint32_t token,
                                uint32_t *at) {
  if (!is_setter(s, token)) return NULL;
  if (scan_kind(s, token + 4) == TOKEN_STRING)
    return *at ? NULL : plain_name(s, *at = token + 4);
  *at = *at ? *at + 2 : scan_listed_names(s, token);
  return *at && scan_kind(s, *at) == TOKEN_STRING ? plain_name(s, *at) : NULL;
}

// Is the call at `token` a setattr() whose attribute names are all known and
// plain?
static bool is_patch(const Scanner *s, uint32_t token) {
  uint32_t at = 0, count = 0;
  while (next_patched(s, token, &at)) count++;
  return count && (scan_kind(s, at) != TOKEN_STRING || at == token + 4);
}

static bool only_patches(const Scanner *s, const Definition *d) {
  bool found = false;
  if (d->writes_arguments || d->decorators < d->begin ||
      scan_suspect(s, d->begin, d->end) & SUSPECT_ALL)
    return false;
  for (uint32_t i = d->begin + 2; i < d->end; i++) { // behind the function's
                                                     // own name
    const int kind = scan_kind(s, i);
    if (kind == TOKEN_GLOBAL || kind == TOKEN_NONLOCAL) return false;
    if (kind != TOKEN_NAME) continue;
    const bool patches = is_patch(s, i) || (scan_sets_absent(s, i, d->begin) &&
                                            !file_find(s->file, "setattr") &&
                                            !file_find(s->file, "hasattr"));
    found |= patches;
    const bool called = scan_kind(s, scan_callee_end(s, i)) == TOKEN_LPAREN;
    if (patches || (!called && !scan_changes_given(s, i))) continue;
    if (scan_changes_given(s, i) ||
        (scan_is_member(s, i) ? scan_method_changes(s, i)
                              : scan_call_changes(s, i)))
      return false;
  }
  return found;
}

bool scan_call_patches(const Scanner *s, uint32_t token) {
  const bool own = is_patch(s, token);
  const Definition *d = own ? NULL : called(s, token);
  if (!own && (!d || d->kind != DEFINES_HOST || !d->function)) return false;
  const Scanner other = {.program = s->program,
                         .file = own ? s->file : d->file};
  if (!own && !only_patches(&other, d)) return false;
  const uint32_t begin = own ? token : d->begin, end = own ? token + 1 : d->end;
  for (uint32_t i = begin; i < end; i++) {
    uint32_t at = 0;
    if (scan_sets_absent(&other, i, own ? 0 : begin)) continue;
    for (const char *name; (name = next_patched(&other, i, &at));)
      map_put_text(&s->program->patched_members, s->program->arena, name,
                   strlen(name), s->program);
  }
  return true;
}

// Notes each member that the statement at `token` gives to a module of the
// language: by `module.NAME = value`, or by setattr() that is not limited to
// absent members (guarded.c).
static void note_set(const Scanner *s, uint32_t token, uint32_t begin,
                     const Symbol *module) {
  const bool is_target = token > 2 && scan_is_member(s, token) &&
                         scan_kind(s, token - 2) == TOKEN_NAME &&
                         scan_is_target(s, token - 2, token + 1);
  uint32_t at = 0;
  if (is_target) scan_set_of_language(s, module, scan_intern(s, "", token));
  if (is_target || scan_sets_absent(s, token, begin)) return;
  for (const char *name; (name = next_patched(s, token, &at));)
    scan_set_of_language(s, module, name);
}

void scan_call_sets(const Scanner *s, uint32_t token, const Symbol *module) {
  const uint32_t open = scan_callee_end(s, token);
  const uint32_t after = scan_after_brackets(s, open);
  const Definition *d = called(s, token);
  if (!d || d->kind != DEFINES_HOST || !d->function) {
    note_set(s, token, 0, module);
    return;
  }
  const Scanner other = {.program = s->program, .file = d->file};
  for (uint32_t i = d->begin; i < d->end; i++) {
    if (scan_kind(&other, i) == TOKEN_NAME)
      note_set(&other, i, d->begin, module);
  }
  // A string argument may be the name of a member, unless the function sets
  // only members whose names it has itself, or checks hasattr() first.
  if (only_patches(&other, d)) return;
  for (uint32_t i = open; i < after; i++) {
    const char *name =
        scan_kind(s, i) == TOKEN_STRING ? plain_name(s, i) : NULL;
    if (name) scan_set_of_language(s, module, name);
  }
}

bool scan_is_same_thing(Program *program, const Definition *d) {
  if (definition_is_doubtful(d)) return true;
  const Scanner s = {.program = program, .file = d->file};
  const uint32_t i = d->begin;
  if (d->kind != DEFINES_GLOBAL || d->end < i + 4 ||
      scan_kind(&s, i) != TOKEN_NAME || scan_kind(&s, i + 1) != TOKEN_LPAREN ||
      scan_kind(&s, i + 2) != TOKEN_NAME ||
      strcmp(scan_intern(&s, "", i + 2), d->name) != 0)
    return false;
  const Definition *f = file_find(d->file, scan_intern(&s, "", i));
  if (!f || f->kind != DEFINES_HOST || !f->function) return false;
  for (uint32_t k = f->begin; k < f->end; k++) {
    if (scan_is_word(&s, k, "setattr")) return true;
  }
  return false;
}

bool scan_call_changes(const Scanner *s, uint32_t token) {
  const Definition *d = called(s, token);
  if (!d || d->kind == DEFINES_IMPORT) return false;
  if (definition_is_class(d)) {
    if (d->is_followed) return false;
    ((Definition *)d)->is_followed = true; // ends a recursion through its bases
    const bool changes = class_changes(s, d);
    ((Definition *)d)->is_followed = false;
    return changes;
  }
  return changes_given(s, (Definition *)d);
}
