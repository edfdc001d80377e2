// run.c -- statements of a module that have to be run.
//
// The names that a loop binds, and the objects that it changes in place, are
// known only if the loop is executed as a whole.  Each such name becomes a
// global whose value is its value after that statement.
#include "frontend/scan/parts.h"

#include <string.h>

static uint32_t after_loop(const Scanner *s, uint32_t begin) {
  uint32_t end = scan_after_block(s, begin);
  while (scan_kind(s, end) == TOKEN_ELSE) end = scan_after_block(s, end);
  return end;
}

static void begin_run(Scanner *s, uint32_t end, bool loop) {
  if (s->run.end || *s->scope.prefix) return;
  s->run = (RunLines){.begin = s->next,
                      .end = end,
                      .limit = s->file->num_definitions + 1,
                      .is_loop = loop};
}

void scan_run_loop(Scanner *s) {
  if (!s->scope.in_loop) begin_run(s, after_loop(s, s->next), true);
}

// A simple statement can be run if it is alone on its line.
void scan_run_line(Scanner *s, uint32_t begin, uint32_t end) {
  const bool first = !begin || scan_kind(s, begin - 1) == TOKEN_NEWLINE ||
                     scan_kind(s, begin - 1) == TOKEN_INDENT ||
                     scan_kind(s, begin - 1) == TOKEN_DEDENT;
  if (first && scan_kind(s, end) == TOKEN_NEWLINE && !s->scope.in_loop)
    begin_run(s, end + 1, false);
}

void scan_run_binds(Scanner *s, const char *name) {
  if (s->run.is_loop && !strchr(name, '.'))
    vec_push(s->program->arena, &s->run.names, name);
}

bool scan_run_changes(Scanner *s, const char *name) {
  if (!s->run.end || strchr(name, '.')) return false;
  vec_push(s->program->arena, &s->run.names, name);
  vec_push(s->program->arena, &s->run.changed, name);
  return true;
}

static void define(Scanner *s, const RunLines *run, AstRun *statement,
                   const char *name) {
  const Definition *before = file_find(s->file, name);
  if (before && before->global && before->global->run == statement) return;
  while (before && before->order >= run->limit) before = before->before;
  Definition *d = scan_global(s, name, run->begin, run->begin, run->begin);
  d->global->run = statement;
  d->global->place.order = run->limit;
  for (int i = 0; before && before->global && i < statement->num_changed; i++) {
    if (statement->changed[i] == name) d->global->continues = before->global;
  }
}

static void note_changes(Scanner *s, const RunLines *run) {
  const Definition *d = file_find(s->file, run->names.items[0]);
  for (size_t i = s->file->changes.count; d && i-- > 0;) {
    AstChange *change = &s->file->changes.items[i];
    if (change->begin < run->begin) break;
    if (change->begin < run->end) change->run = d;
  }
}

void scan_run_end(Scanner *s) {
  const RunLines run = s->run;
  s->run = (RunLines){0};
  if (!run.names.count) return;
  AstRun *statement = arena_new(s->program->arena, AstRun);
  statement->changed = run.changed.items;
  statement->num_changed = (int)run.changed.count;
  statement->function.file = s->file;
  statement->function.name = "module";
  statement->function.loc = scan_loc(s, run.begin);
  statement->function.is_constant = true;
  statement->function.begin = run.begin;
  statement->function.end = run.end;
  for (size_t i = 0; i < run.names.count; i++)
    define(s, &run, statement, run.names.items[i]);
  note_changes(s, &run);
  if (run.is_loop) scan_changes_of_loop(s, run.begin);
}
