// tell.c -- diagnostics on standard error, as text or as JSON lines.
#include "runtime/tools/tilec.h"

#include "runtime/errors.h"
#include "runtime/tools/errors.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const DiagMessage messages[] = {
#define SECTION(title)
#define ERROR(id, format)   {#id, ERROR_##id},
#define WARNING(id, format) {#id, WARNING_##id},
#define NOTE(id, format)    {#id, NOTE_##id},
#include "runtime/tools/errors.def"
};
enum { NUM_MESSAGES = sizeof messages / sizeof *messages };

bool tool_wants_color(void) {
  const char *none = getenv("NO_COLOR"), *term = getenv("TERM");
  return isatty(STDERR_FILENO) && !(none && *none) &&
         !(term && !strcmp(term, "dumb"));
}

// -- JSON --------------------------------------------------------------------

static void add_place(Str *out, const DiagList *list, SrcLoc loc) {
  loc = source_place(diag_find_source(list, loc.file), loc);
  str_addf(out, "\"line\": %d, \"column\": %d, \"span\": %d", loc.line,
           loc.column, loc.span);
}

static void add_fix(Str *out, const DiagList *list, const Diag *diag) {
  str_add(out, ", \"fix\": {");
  add_place(out, list, diag->fix_loc);
  str_add(out, ", \"text\": ");
  str_add_json(out, diag->fix);
  str_add(out, "}");
}

static void add_ranges(Str *out, const DiagList *list, const Diag *diag) {
  str_add(out, ", \"ranges\": [");
  for (int i = 0; i < diag->num_ranges; i++) {
    str_add(out, i ? ", {" : "{");
    add_place(out, list, diag->ranges[i]);
    str_add(out, "}");
  }
  str_add(out, "]");
}

static void add_json(Str *out, const DiagList *list, const Diag *diag) {
  str_add(out, "{\"severity\": ");
  str_add_json(out, severity_name(diag->severity));
  if (diag->loc.line) {
    str_add(out, ", \"file\": ");
    str_add_json(out, diag->loc.file ? diag->loc.file : "");
    str_add(out, ", ");
    add_place(out, list, diag->loc);
  }
  const char *id = message_id(diag);
  if (!id) id = diag_message_id(diag, messages, NUM_MESSAGES);
  if (id) str_add(out, ", \"id\": ");
  if (id) str_add_json(out, id);
  str_add(out, ", \"message\": ");
  str_add_json(out, diag->text);
  if (diag->num_ranges) add_ranges(out, list, diag);
  if (diag->fix) add_fix(out, list, diag);
  str_add(out, "}\n");
}

// -- Showing -----------------------------------------------------------------

static void show_list(const Tool *tool, const DiagList *list, Arena *arena) {
  Str text = str_in(arena);
  if (tool->options.json) {
    for (const Diag *d = list->first; d; d = d->next) add_json(&text, list, d);
  } else {
    diag_render_all(list, tool->options.color, &text);
  }
  fputs(str_text(&text), stderr);
}

static void turn_warnings_into_errors(Tool *tool, DiagList *list) {
  for (Diag *d = list->first; d; d = d->next) {
    if (d->severity != DIAG_WARNING) continue;
    d->severity = DIAG_ERROR;
    d->text = arena_printf(&tool->arena, "%s [-Werror]", d->text);
    list->num_warnings--;
    list->num_errors++;
    tool->warned = true;
  }
}

static void say(Tool *tool, Severity severity, const char *format,
                va_list args) {
  DiagList list;
  Str text = str_in(&tool->arena);
  str_vaddf(&text, format, args);
  diag_init(&list, &tool->arena);
  const SrcLoc loc = {.file = "tilec"};
  if (severity == DIAG_ERROR)
    diag_error(&list, loc, "%s", str_text(&text));
  else
    diag_warning(&list, loc, "%s", str_text(&text));
  list.newest->format = format;
  if (tool->options.werror) turn_warnings_into_errors(tool, &list);
  show_list(tool, &list, &tool->arena);
}

int tool_fail(Tool *tool, int code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  say(tool, DIAG_ERROR, format, args);
  va_end(args);
  return code;
}

void tool_warn(Tool *tool, const char *format, ...) {
  va_list args;
  va_start(args, format);
  say(tool, DIAG_WARNING, format, args);
  va_end(args);
}

// A message without a location gets the name of the tool.
static void name_the_tool(DiagList *list) {
  for (Diag *d = list->first; d; d = d->next) {
    if (!d->loc.file && d->severity != DIAG_NOTE) d->loc.file = "tilec";
  }
}

static void show(Tool *tool) {
  if (!tool->diagnostics) return;
  DiagList *list = &tool->diagnostics->list;
  if (tool->options.werror) turn_warnings_into_errors(tool, list);
  name_the_tool(list);
  show_list(tool, list, &tool->arena);
  tile_diagnostics_destroy(tool->diagnostics);
  tool->diagnostics = NULL;
}

static int code_of(TileStatus status) {
  switch (status) {
  case TILE_OK: return EXIT_FINE;
  case TILE_COMPILE_ERROR:
  case TILE_UNSUPPORTED: return EXIT_SOURCE;
  case TILE_INVALID_ARGUMENT: return EXIT_USAGE;
  case TILE_UNAVAILABLE:
  case TILE_OUT_OF_MEMORY:
  case TILE_CANCELLED:
  case TILE_DEVICE_ERROR: return EXIT_DEVICE;
  case TILE_FILE_ERROR: return EXIT_FILES;
  case TILE_INTERNAL: return EXIT_BUG;
  }
  return EXIT_BUG;
}

int tool_exit_code(const Tool *tool, int code) {
  return code == EXIT_FINE && tool->warned ? EXIT_SOURCE : code;
}

int tool_finish(Tool *tool, TileStatus status) {
  const bool silent = !tile_diagnostics_count(tool->diagnostics);
  show(tool);
  const int code = tool_exit_code(tool, code_of(status));
  if (status && silent) tool_fail(tool, code, "%s", tile_status_text(status));
  if (status == TILE_INTERNAL) crash_report(tool);
  return code;
}
