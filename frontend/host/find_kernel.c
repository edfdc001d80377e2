// find_kernel.c -- the kernel of a given name, or the only one.
#include "frontend/errors.h"
#include "frontend/host/guard.h"
#include "frontend/module/program.h"
#include "frontend/scan/scan.h"

#include <assert.h>
#include <string.h>

// Is the function the last one of its name, to which the name refers?
static bool is_last(const Program *program, const AstFunction *function) {
  return frontend_find_function(program, function->name) == function;
}

// The functions that can be launched: those that no other function calls.  If
// there are none, the only function, which calls itself.
static int list_kernels(const Program *program, const AstFunction **list) {
  int count = 0;
  for (int i = 0; i < frontend_num_functions(program); i++) {
    const AstFunction *function = frontend_function(program, i);
    if (function_is_kernel(function) && is_last(program, function))
      list[count++] = function;
  }
  if (count || frontend_num_functions(program) != 1) return count;
  list[0] = frontend_function(program, 0);
  return 1;
}

static const char *names_of(const Program *program,
                            const AstFunction *const *list, int count) {
  Str names = str_in(program->arena);
  for (int i = 0; i < count; i++) {
    str_addf(&names, "%s%s", i ? ", " : "", list[i]->name);
  }
  return str_text(&names);
}

static void tell_none(Program *program, DiagList *diags, SrcLoc file,
                      const char *name) {
  const int all = frontend_num_functions(program);
  const AstFunction **list =
      arena_array(program->arena, const AstFunction *, all + 1);
  for (int i = 0; i < all; i++) list[i] = frontend_function(program, i);
  if (all)
    diag_error(diags, file, ERROR_all_return_values,
               names_of(program, list, all));
  else
    no_kernel_at_all(program, diags, name);
}

static const AstFunction *find_only(Program *program, DiagList *diags,
                                    SrcLoc file) {
  const int all = frontend_num_functions(program);
  const AstFunction **list =
      arena_array(program->arena, const AstFunction *, all + 1);
  const int count = list_kernels(program, list);
  if (count == 1) return list[0];
  if (count)
    diag_error(diags, file, ERROR_which_kernel, names_of(program, list, count));
  else
    tell_none(program, diags, file, NULL);
  return NULL;
}

static const char *nearest(const Program *program, const char *name) {
  const int count = frontend_num_functions(program);
  const char **names = arena_array(program->arena, const char *, count + 1);
  size_t n = 0;
  for (int i = 0; i < count; i++) {
    const AstFunction *function = frontend_function(program, i);
    if (is_last(program, function)) names[n++] = function->name;
  }
  return diag_nearest(name, names, n);
}

static void no_kernel(Program *program, DiagList *diags, SrcLoc file,
                      const char *name) {
  const AstFunction **list = arena_array(program->arena, const AstFunction *,
                                         frontend_num_functions(program) + 1);
  const int count = list_kernels(program, list);
  if (count)
    diag_error(diags, file, ERROR_no_kernel, name,
               names_of(program, list, count));
  else
    tell_none(program, diags, file, name);
}

// The method of that name, if only one class has it.
static const AstFunction *find_method(const Program *program,
                                      const char *name) {
  const AstFunction *found = NULL;
  for (int i = 0; i < frontend_num_functions(program); i++) {
    const AstFunction *function = frontend_function(program, i);
    const char *dot = strrchr(function->name, '.');
    if (!dot || strcmp(dot + 1, name) || !is_last(program, function)) continue;
    if (found && strcmp(found->name, function->name)) return NULL;
    found = function;
  }
  return found;
}

// Is there a `def` within the function?
static bool defines_any(const Definition *d) {
  const Token *tokens = d->file->list.tokens.items;
  uint32_t i = d->begin + 1;
  while (i < d->end && tokens[i].kind != TOKEN_DEF) i++;
  return i < d->end;
}

static bool says_name(const Definition *d) {
  const Token *tokens = d->file->list.tokens.items;
  uint32_t i = d->begin;
  while (i < d->end && !token_is(&d->file->source, &tokens[i], d->name)) i++;
  return i < d->end;
}

// The function that a call wraps: `make = lru_cache(make)`.
static Definition *unwrapped(Definition *d) {
  while (d && d->kind == DEFINES_GLOBAL && says_name(d)) d = d->before;
  return d;
}

void functions_look_within(Program *program) {
  AstFile *main = program->files.items[0];
  size_t next = main->functions.count;
  DiagList quiet;
  diag_init_muted(&quiet, program->arena);
  if (program->looked_within) return;
  program->looked_within = true;
  for (size_t i = 0; i < main->names.count; i++) { // the list grows meanwhile
    Definition *d = unwrapped(file_find_at(main, main->names.items[i], 0));
    if (!d || d->kind != DEFINES_HOST || !d->function || d->file != main ||
        d->is_looked_into || !defines_any(d))
      continue;
    d->is_looked_into = true;
    file_scan_within(program, d);
  }
  for (; next < main->functions.count; next++)
    definition_parse(program, &quiet, main, main->functions.items[next]);
}

// Parses the function again, to report the errors that were muted the first
// time.
static void tell_syntax(Program *program, DiagList *diags,
                        const AstFunction *function) {
  AstFile *main = program->files.items[0];
  Definition *d = file_find_at(main, function->name, 0);
  d->parsed = false;
  definition_parse(program, diags, main, d);
}

static bool has_kernels(const Program *program) {
  const int count = frontend_num_functions(program);
  int i = 0;
  while (i < count && !function_is_kernel(frontend_function(program, i))) i++;
  return i < count;
}

static const AstFunction *find_by_name(Program *program, DiagList *diags,
                                       const char *name) {
  const AstFunction *function = frontend_find_function(program, name);
  if (!function && !file_find_at(program->files.items[0], name, 0))
    function = find_method(program, name);
  return function ? function : made_kernel(program, diags, name);
}

// A kernel whose name a later line of the host binds again, as in `k = {32:
// k}`: it may be launched from that object.
static const AstFunction *find_hidden(DiagList *diags, const Definition *d) {
  const Definition *k = d->kind == DEFINES_GLOBAL ? d->before : NULL;
  while (k && k->kind == DEFINES_GLOBAL) k = k->before;
  if (!k || k->kind != DEFINES_FUNCTION || !k->function || !k->function->ok ||
      !function_is_kernel(k->function))
    return NULL;
  diag_warning(diags, k->loc, WARNING_kernel_chosen_by_host, k->name);
  diag_note(diags, d->loc, NOTE_global);
  return k->function;
}

static const AstFunction *find_kernel(Program *program, DiagList *diags,
                                      const char *name) {
  const AstFile *main = program->files.items[0];
  const SrcLoc file = {main->source.name, 0, 0, 0};
  if (!name && !has_kernels(program)) functions_look_within(program);
  if (!name) return find_only(program, diags, file);
  Diag **const mark = diags->last;
  const AstFunction *function = find_by_name(program, diags, name);
  if (function || diags->last != mark) return function;
  functions_look_within(program);
  function = find_by_name(program, diags, name);
  if (function && !function->ok) tell_syntax(program, diags, function);
  if (function || diags->last != mark) return function;
  const Definition *d = file_find_at(main, name, 0);
  const char *suggestion = nearest(program, name);
  if (d && (function = find_hidden(diags, d))) return function;
  if (d) {
    not_a_kernel(program, diags, d);
  } else if (suggestion) {
    diag_error(diags, file, ERROR_no_kernel_near, name, suggestion);
  } else {
    no_kernel(program, diags, file, name);
  }
  return NULL;
}

// Warns if the kernel's definition is uncertain.
static void tell_doubt(const Program *program, DiagList *diags,
                       const AstFunction *kernel) {
  const AstFile *main = program->files.items[0];
  const char *name = kernel->name;
  const Definition *d = file_find(main, name);
  const Definition *found = program_find_function(program, name);
  const Definition *other = map_get_text(&main->rebound, name, strlen(name));
  if (other) {
    diag_warning(diags, kernel->loc, WARNING_kernel_chosen_by_host, name);
    diag_note(diags, other->loc, NOTE_global);
    return;
  }
  if (!d || !found || found->function != kernel || !definition_is_doubtful(d))
    return;
  if (d == found) {
    definition_warn(diags, d->before->loc, d);
    return;
  }
  diag_warning(diags, found->loc, WARNING_kernel_chosen_by_host, name);
  definition_note(diags, d);
}

const AstFunction *frontend_find_kernel(Program *program, DiagList *diags,
                                        const char *name) {
  assert(program_is_idle(program) && "a lookup was left"); // I5
  const AstFunction *kernel = find_kernel(program, diags, name);
  if (kernel) tell_doubt(program, diags, kernel);
  return kernel;
}
