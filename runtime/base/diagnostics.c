// diagnostics.c -- lists of diagnostics that outlive the objects that they
// name.
//
// A list has an arena of its own, from the allocator of the context that made
// it.  Running out of memory here loses the text, never the status.
#include "runtime/base/diagnostics.h"

#include "runtime/errors.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static TileDiagnostics *list_create(const Allocator *from) {
  TileDiagnostics *list = from->alloc(from->ctx, sizeof *list);
  if (!list) return NULL;
  *list = (TileDiagnostics){.from = *from};
  arena_init(&list->arena, &list->from);
  diag_init(&list->list, &list->arena);
  return list;
}

// The list to add to; NULL if the caller wants none or memory ran out.
static TileDiagnostics *list_of(const Report *report) {
  if (!report->out) return NULL;
  if (!*report->out) *report->out = list_create(report->from);
  return *report->out;
}

// -- Adding ------------------------------------------------------------------

typedef struct {
  TileDiagnostics *list;
  const DiagList *source;
  const char *text, *format;
  bool is_warning;
} Addition;

static void render(TileDiagnostics *list) {
  Str text = str_in(&list->arena);
  diag_render_all(&list->list, false, &text);
  list->text = str_text(&text);
}

static void add_text(void *data) {
  const Addition *add = data;
  DiagList *list = &add->list->list;
  if (add->is_warning)
    diag_warning(list, (SrcLoc){0}, "%s", add->text);
  else
    diag_error(list, (SrcLoc){0}, "%s", add->text);
  if (list->newest) list->newest->format = add->format;
  render(add->list);
}

static TileStatus add_to(const Report *report, TileStatus status,
                         Addition *add) {
  add->list = list_of(report);
  return add->list && arena_protect(&add->list->arena, add_text, add)
             ? status
             : TILE_OUT_OF_MEMORY;
}

TileStatus report_text(const Report *report, TileStatus status,
                       const char *text, const char *format) {
  Addition add = {.text = text, .format = format};
  return report->out ? add_to(report, status, &add) : status;
}

TileStatus report_warning(const Report *report, const char *format, ...) {
  if (!report->out) return TILE_OK;
  char text[4096];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  Addition add = {.text = text, .format = format, .is_warning = true};
  return add_to(report, TILE_OK, &add);
}

TileStatus report_error(const Report *report, TileStatus status,
                        const char *format, ...) {
  if (!report->out) return status;
  char text[4096];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return report_text(report, status, text, format);
}

TileStatus report_null(TileDiagnostics **out, const char *what) {
  const Report report = {&system_allocator, out, 0};
  return report_error(&report, TILE_INVALID_ARGUMENT, ERROR_is_null, what);
}

static void copy_source(TileDiagnostics *to, const DiagList *from,
                        const char *file) {
  if (!file || diag_find_source(&to->list, file)) return;
  const Source *source = diag_find_source(from, file);
  if (!source) return;
  const char *text = arena_strndup(&to->arena, source->text, source->length);
  Source *copy = source_create(
      &to->arena, arena_strdup(&to->arena, source->name), text, source->length);
  copy->is_recoded = source->is_recoded;
  diag_add_source(&to->list, copy);
}

// Copies the file's name, which must outlive the list that it comes from.
static void keep_file(Arena *arena, SrcLoc *loc) {
  if (loc->file) loc->file = arena_strdup(arena, loc->file);
}

static void add_list(void *data) {
  const Addition *add = data;
  DiagList *to = &add->list->list;
  Arena *arena = &add->list->arena;
  for (const Diag *from = add->source->first; from; from = from->next) {
    copy_source(add->list, add->source, from->loc.file);
    Diag *copy = arena_new(arena, Diag);
    *copy = *from;
    copy->next = NULL;
    copy->text = arena_strdup(arena, from->text);
    if (copy->format) copy->format = arena_strdup(arena, copy->format);
    if (copy->fix) copy->fix = arena_strdup(arena, copy->fix);
    keep_file(arena, &copy->loc);
    keep_file(arena, &copy->fix_loc);
    for (int i = 0; i < copy->num_ranges; i++)
      keep_file(arena, &copy->ranges[i]);
    assert(!*to->last && "the list goes on behind its last"); // I6
    *to->last = copy;
    to->last = &copy->next;
    to->num_errors += copy->severity == DIAG_ERROR;
    to->num_warnings += copy->severity == DIAG_WARNING;
  }
  render(add->list);
}

bool report_list(const Report *report, const DiagList *source) {
  if (!report->out || !source->first) return true;
  TileDiagnostics *list = list_of(report);
  Addition add = {.list = list, .source = source};
  return list && arena_protect(&list->arena, add_list, &add);
}

// -- The API -----------------------------------------------------------------

size_t tile_diagnostics_count(const TileDiagnostics *diagnostics) {
  size_t count = 0;
  if (!diagnostics) return 0;
  for (const Diag *d = diagnostics->list.first; d; d = d->next) count++;
  return count;
}

TileDiagnostic tile_diagnostics_get(const TileDiagnostics *diagnostics,
                                    size_t index) {
  const Diag *diag = diagnostics ? diagnostics->list.first : NULL;
  while (diag && index--) diag = diag->next;
  if (!diag) return (TileDiagnostic){.text = ""};
  const SrcLoc loc = source_place(
      diag_find_source(&diagnostics->list, diag->loc.file), diag->loc);
  return (TileDiagnostic){
      .severity = (TileSeverity)diag->severity,
      .file = loc.line ? loc.file : NULL,
      .line = loc.line,
      .column = loc.column,
      .span = loc.span,
      .text = diag->text,
  };
}

const char *tile_diagnostics_text(const TileDiagnostics *diagnostics) {
  return diagnostics && diagnostics->text ? diagnostics->text : "";
}

void tile_diagnostics_destroy(TileDiagnostics *diagnostics) {
  if (!diagnostics) return;
  arena_free(&diagnostics->arena);
  diagnostics->from.free(diagnostics->from.ctx, diagnostics);
}
