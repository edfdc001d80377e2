// variants.c -- reads the file of a pack's variants.
//
//   # KERNEL(SIGNATURE) NAME=VALUE ... --config=N --num-warps=N --num-stages=N
//   #   --num-ctas=N --persist=auto|always|never
//   add(*fp32:16, *fp32:16, *fp32:16, i32:16) BLOCK=1024
//
// Each line is a variant.  The signature is Triton's, as in --signature; values
// are those of -D.
#define _DEFAULT_SOURCE // setenv
#include "runtime/tools/errors.h"
#include "runtime/tools/parts/parts.h"
#include "runtime/tools/tilec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NO_SHELL = 127 };

static const char BLANKS[] = " \t\r";

typedef struct {
  Packing *packing;
  const char *line; // its text
  const char *at;   // unread rest
  int number;
  Asked asked;
  bool ok;
} VariantReader;

static SrcLoc place(const VariantReader *r, const char *at, size_t span) {
  return (SrcLoc){.file = r->packing->source->name,
                  .line = r->number,
                  .column = (int)(at - r->line) + 1,
                  .span = (int)span};
}

static Arena *arena_of(const VariantReader *r) {
  return &r->packing->tool->arena;
}

// The length up to the first of `ends` outside of brackets and quotes.
static size_t length_to(const char *text, const char *ends) {
  int depth = 0;
  char quote = '\0';
  size_t n = 0;
  for (; text[n]; n++) {
    if (quote) {
      if (text[n] == quote) quote = '\0';
      continue;
    }
    if (!depth && strchr(ends, text[n])) break;
    if (strchr("\"'", text[n])) quote = text[n];
    depth += strchr("([{", text[n]) ? 1 : strchr(")]}", text[n]) ? -1 : 0;
  }
  return n;
}

// -- The kernel --------------------------------------------------------------

static bool find_kernel(VariantReader *r, const char *name) {
  const Units *units = &r->packing->units;
  for (size_t i = 0; i < units->count; i++) {
    r->asked.unit = units->items[i];
    r->asked.kernel = frontend_find_function(units->items[i]->program, name);
    if (r->asked.kernel && function_is_kernel(r->asked.kernel)) return true;
  }
  return false;
}

static bool refuse_kernel(const VariantReader *r, const char *name) {
  Vec(const char *) names = {0};
  const Units *units = &r->packing->units;
  for (size_t i = 0; i < units->count; i++) {
    const Program *program = units->items[i]->program;
    for (int j = 0; j < frontend_num_functions(program); j++) {
      const AstFunction *function = frontend_function(program, j);
      if (function_is_kernel(function))
        vec_push(arena_of(r), &names, function_name(function));
    }
  }
  const char *near = diag_nearest(name, names.items, names.count);
  if (near)
    return diag_error(&r->packing->diags, r->asked.loc,
                      ERROR_pack_no_kernel_near, name, near);
  return diag_error(&r->packing->diags, r->asked.loc, ERROR_pack_no_kernel,
                    name);
}

// A part of the line, which messages of the frontend know as a file.
typedef struct {
  const char *name;
  const char *text;
  const char *at; // in the line
} LinePart;

static bool move_loc(const VariantReader *r, const LinePart *part,
                     SrcLoc *loc) {
  if (!loc->file || strcmp(loc->file, part->name)) return false;
  const size_t place = (size_t)(loc->column - 1);
  const char *at = part->at + items_place(arena_of(r), part->text, place);
  loc->file = r->packing->source->name;
  loc->line = r->number;
  loc->column = (int)(at - r->line) + 1;
  return true;
}

// False: the last message is about something else.
static bool move_messages(const VariantReader *r, const LinePart *part) {
  bool is_moved = true;
  for (Diag *diag = r->packing->diags.first; diag; diag = diag->next) {
    is_moved = move_loc(r, part, &diag->loc);
    move_loc(r, part, &diag->fix_loc);
    for (int i = 0; i < diag->num_ranges; i++)
      move_loc(r, part, &diag->ranges[i]);
  }
  return is_moved;
}

// Evaluates expressions in a part of the line; NULL: an error was reported,
// about the value of `name`.
static const char *compute(const VariantReader *r, const LinePart *part,
                           const char *name) {
  const char *why, *text = items_compute(arena_of(r), part->text, &why);
  if (text) return text;
  const char *at = part->at + items_place(arena_of(r), part->text, SIZE_MAX);
  diag_error(&r->packing->diags, place(r, at, 1), ERROR_pack_value_wrong, name,
             why);
  return NULL;
}

static void tell_place(const VariantReader *r, const LinePart *part) {
  if (!move_messages(r, part) && diag_failed(&r->packing->diags))
    diag_note(&r->packing->diags, r->asked.loc, NOTE_pack_line);
}

static bool read_signature(VariantReader *r) {
  const char *open = r->at;
  const size_t length = length_to(open + 1, ")");
  if (open[1 + length] != ')')
    return diag_error(&r->packing->diags, place(r, open, 1),
                      ERROR_pack_open_signature);
  r->at = open + length + 2;
  const int count = function_num_params(r->asked.kernel);
  r->asked.specs = arena_array(arena_of(r), ArgSpec, count + 1);
  if (strspn(open + 1, BLANKS) == length) return true;
  const LinePart part = {
      "<signature>", arena_strndup(arena_of(r), open + 1, length), open + 1};
  const char *text = compute(r, &part, r->asked.name);
  if (!text) return false;
  const bool ok = frontend_parse_signature(
      arena_of(r), &r->packing->diags, r->asked.kernel, text, r->asked.specs);
  if (!ok) tell_place(r, &part);
  return ok;
}

static bool read_kernel(VariantReader *r) {
  const size_t length = strcspn(r->at, "( \t\r");
  const char *name = arena_strndup(arena_of(r), r->at, length);
  r->asked.name = name;
  r->asked.loc = place(r, r->at, length);
  if (!find_kernel(r, name)) return refuse_kernel(r, name);
  r->at += length;
  r->at += strspn(r->at, BLANKS);
  if (*r->at != '(')
    return diag_error(&r->packing->diags, place(r, r->at, 1),
                      ERROR_pack_wants_signature, name);
  return read_signature(r);
}

// -- Options of a line -------------------------------------------------------

static bool read_constant(VariantReader *r, const char *word, const char *value,
                          SrcLoc loc) {
  Arena *arena = arena_of(r);
  DiagList *diags = &r->packing->diags;
  const char *name = arena_strndup(arena, word, (size_t)(value - word) - 1);
  const int index = kernel_find_param(r->asked.kernel, name);
  if (index < 0)
    return diag_error(diags, loc, ERROR_pack_no_parameter, r->asked.name, name);
  const char *at = r->at - strlen(value); // behind the word is r->at
  ArgSpec *spec = &r->asked.specs[index];
  if (spec->kind != ARG_ABSENT)
    return diag_error(diags, loc, ERROR_pack_given_twice, name);
  const LinePart part = {arena_printf(arena, "<%s>", name), value, at};
  const char *text = compute(r, &part, name);
  if (!text) return false;
  if (frontend_parse_value(arena, diags, part.name, text, spec)) return true;
  tell_place(r, &part);
  return false;
}

static bool read_persist(VariantReader *r, const char *word, SrcLoc loc) {
  const int wish = options_wish(strchr(word, '=') + 1);
  if (wish < -1)
    return diag_error(&r->packing->diags, loc, ERROR_pack_bad_persist, word);
  r->asked.persist = wish;
  return true;
}

static bool read_option(VariantReader *r, const char *word, SrcLoc loc) {
  const struct {
    const char *name;
    int min, max, *out;
    bool is_power; // of two
  } options[] = {{"--config=", 0, 1000000, &r->asked.config, false},
                 {"--num-warps=", 1, 32, &r->asked.num_warps, true},
                 {"--num-stages=", 1, 16, &r->asked.num_stages, false},
                 {"--num-ctas=", 1, MAX_CLUSTER, &r->asked.num_ctas, true}};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    const size_t length = strlen(options[i].name);
    char *end;
    if (strncmp(word, options[i].name, length)) continue;
    errno = 0;
    const long number = strtol(word + length, &end, 10);
    if (end == word + length || *end || errno || number < options[i].min ||
        number > options[i].max ||
        (options[i].is_power && (number & (number - 1))))
      return diag_error(&r->packing->diags, loc,
                        options[i].is_power ? ERROR_pack_bad_power
                                            : ERROR_pack_bad_number,
                        word, options[i].min, options[i].max);
    *options[i].out = (int)number;
    return true;
  }
  if (!strncmp(word, "--persist=", 10)) return read_persist(r, word, loc);
  return diag_error(&r->packing->diags, loc, ERROR_pack_no_option, word);
}

static bool read_word(VariantReader *r) {
  const size_t length = length_to(r->at, BLANKS);
  const char *word = arena_strndup(arena_of(r), r->at, length);
  const SrcLoc loc = place(r, r->at, length);
  r->at += length;
  if (!strncmp(word, "--", 2)) return read_option(r, word, loc);
  const char *equals = strchr(word, '=');
  if (!equals || equals == word || !equals[1])
    return diag_error(&r->packing->diags, loc, ERROR_pack_bad_word, word);
  return read_constant(r, word, equals + 1, loc);
}

static void read_line(void *data) {
  VariantReader *r = data;
  r->ok = read_kernel(r);
  while (r->ok) {
    r->at += strspn(r->at, BLANKS);
    if (!*r->at || *r->at == '#') return;
    r->ok = read_word(r);
  }
}

// -- The file ----------------------------------------------------------------

static int read_lines(Packing *packing) {
  Tool *tool = packing->tool;
  size_t length;
  const char *text;
  for (int n = 1; (text = source_line(packing->source, n, &length)); n++) {
    VariantReader r = {.packing = packing, .number = n};
    r.line = arena_strndup(&tool->arena, text, length);
    r.at = r.line + strspn(r.line, BLANKS);
    if (!*r.at || *r.at == '#') continue;
    // Any unit will do for its lock and memory: names are looked up in all
    // units.
    if (!unit_protect_with(packing->units.items[0], &tool->arena, read_line,
                           &r))
      return tool_finish(tool, TILE_OUT_OF_MEMORY);
    if (r.ok) vec_push(&tool->arena, &packing->asked, r.asked);
  }
  report_list(&tool->report, &packing->diags);
  if (diag_failed(&packing->diags))
    return tool_finish(tool, TILE_COMPILE_ERROR);
  if (packing->asked.count) return EXIT_FINE;
  return tool_fail(tool, EXIT_SOURCE, ERROR_pack_no_variants,
                   packing->source->name);
}

int pack_read_variants(Packing *packing) {
  Tool *tool = packing->tool;
  const char *path = tool->options.variants;
  char why[512];
  size_t length;
  const char *text = file_read(&tool->arena, path, &length, why, sizeof why);
  if (!text) return tool_fail(tool, EXIT_FILES, "%s", why);
  packing->source = source_create(&tool->arena, path, text, length);
  diag_init(&packing->diags, &tool->arena);
  packing->diags.error_limit = tool->options.error_limit;
  diag_add_source(&packing->diags, packing->source);
  return read_lines(packing);
}

int pack_fail_at(Packing *packing, const Asked *asked, TileStatus status) {
  Tool *tool = packing->tool;
  DiagList diags;
  diag_init(&diags, &tool->arena);
  diag_add_source(&diags, packing->source);
  diag_note(&diags, asked->loc, NOTE_pack_line);
  report_list(&tool->report, &diags);
  return tool_finish(tool, status);
}

// -- Recording ---------------------------------------------------------------

static const char head[] =
    "# KERNEL(SIGNATURE) NAME=VALUE ..., as --record saw them launched\n";

static bool has_line(const Str *text, const char *line, size_t length) {
  for (const char *at = str_text(text); at; at = strchr(at, '\n')) {
    at += *at == '\n';
    if (!strncmp(at, line, length) && at[length] == '\n') return true;
  }
  return false;
}

// Removes repeated lines, which several devices and processes write.
static Str unite(Arena *arena, const char *text) {
  Str out = str_in(arena);
  str_add(&out, head);
  while (*text) {
    const size_t length = strcspn(text, "\n");
    if (length && !has_line(&out, text, length)) {
      str_add_bytes(&out, text, length);
      str_add_char(&out, '\n');
    }
    text += length + (text[length] == '\n');
  }
  return out;
}

// Runs in the child: becomes the shell that runs the command.
static void become_shell(const char *command, const char *path) {
  if (!setenv("TILE_RECORD", path, 1))
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
  _exit(NO_SHELL);
}

static int run_recorded(Tool *tool, const char *path) {
  const char *command = tool->options.record;
  fflush(NULL);
  const pid_t child = own_folder_fork();
  if (child == 0) become_shell(command, path);
  const int status = child < 0 ? -1 : own_folder_wait(child);
  if (!status) return EXIT_FINE;
  return tool_fail(tool, EXIT_FILES, ERROR_pack_record_failed, command,
                   status > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

static int write_recorded(Tool *tool, const char *path) {
  char why[512];
  size_t length;
  const char *text = file_read(&tool->arena, path, &length, why, sizeof why);
  if (!text) return tool_fail(tool, EXIT_FILES, "%s", why);
  if (!length)
    return tool_fail(tool, EXIT_FILES, ERROR_pack_recorded_nothing,
                     tool->options.record);
  const Str out = unite(&tool->arena, text);
  const char *to = tool->options.output;
  return tool_write(tool, to ? to : "-", out.data, out.length);
}

static int record_in(Tool *tool, const OwnFolder *folder) {
  static const char name[] = "lines";
  const char *path = arena_printf(&tool->arena, "%s/%s", folder->path, name);
  if (!own_folder_write(folder, name, "", 0))
    return tool_fail(tool, EXIT_FILES, ERROR_cannot_use_file, path,
                     strerror(errno));
  const int code = run_recorded(tool, path);
  return code ? code : write_recorded(tool, path);
}

int pack_record(Tool *tool) {
  OwnFolder *folder = arena_new(&tool->arena, OwnFolder);
  if (!own_folder_open(&tool->arena, folder))
    return tool_fail(tool, EXIT_FILES, ERROR_cannot_use_file, folder->path,
                     strerror(errno));
  const int code = record_in(tool, folder);
  own_folder_close(folder);
  return code;
}
