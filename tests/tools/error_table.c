// error_table.c -- the catalogue of messages, docs/errors.md.
//
//   error_table EXAMPLES           prints the page
//   error_table EXAMPLES --check PAGE
//
// EXAMPLES has a block of source behind each line `== ID`; compiling it must
// give that message.  A block without a `def` is the body of a kernel with
// parameters (p: *fp32, n: i32).  A block with `kernel @` is IR text.  Options
// of a block:
//   # signature: TYPES, # kernel: NAME, # config: N, # warps: N, # stages: N,
//   # debug: 1          how to compile it
//   # target: CHIP      the chip to compile for, if code generation complains
//   # triton: RELEASE   whose rules hold
//   # file: NAME        the file's name
//   # interpret: N      run it in the interpreter, with N for each number and
//                       memory of 16 words for each pointer
//   # none: WHY         the message cannot be shown
#include "codegen/codegen.h"
#include "frontend/frontend.h"
#include "ir/interp.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "passes/pass.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *section, *id, *format;
  bool bare; // not about kernels: a row of a table, without example
} Message;

#define SECTION(title)      {title, NULL, NULL, false},
#define ERROR(id, format)   {NULL, #id, format, false},
#define WARNING(id, format) {NULL, #id, format, false},
#define NOTE(id, format)    {NULL, #id, format, false},
static const Message messages[] = {
#include "frontend/errors.def"
#define SECTION(title)     {title, NULL, NULL, false},
#define ERROR(id, format)  {NULL, #id, format, false},
#define REMARK(id, format) {NULL, #id, format, false},
#include "passes/errors.def"
#define SECTION(title)      {title, NULL, NULL, false},
#define ERROR(id, format)   {NULL, #id, format, false},
#define WARNING(id, format) {NULL, #id, format, false},
#define NOTE(id, format)    {NULL, #id, format, false},
#include "codegen/errors.def"
#define SECTION(title)      {title, NULL, NULL, false},
#define ERROR(id, format)   {NULL, #id, format, false},
#define WARNING(id, format) {NULL, #id, format, false},
#include "runtime/errors.def"
#define SECTION(title)      {title, NULL, NULL, true},
#define ERROR(id, format)   {NULL, #id, format, true},
#define WARNING(id, format) {NULL, #id, format, true},
#define NOTE(id, format)    {NULL, #id, format, true},
#include "runtime/tools/errors.def"
#define SECTION(title)    {title, NULL, NULL, false},
#define ERROR(id, format) {NULL, #id, format, false},
#define NOTE(id, format)  {NULL, #id, format, false},
#include "ir/errors.def"
};
enum { NUM_MESSAGES = sizeof messages / sizeof *messages };

static const char head[] =
    "# Messages\n\n"
    "The compiler's messages about errors in a kernel; last, those about "
    "a launch, a device, a command\nline or IR text. Each message "
    "about a kernel or IR text has an example that a test\ncompiles, or says "
    "why there is none; with `--diagnostics-format=json` its name here is the\n"
    "`id`. Code that no constant leads to is not looked at, so none of this "
    "concerns dead branches.\nAfter an error the compiler goes on with what "
    "does not depend on it, up to 20 errors\n(`--error-limit=N`): other "
    "statements, and other functions where one has syntax errors. If the "
    "remedy\nis plain, it stands below the caret.\n\n"
    "In the formats `%s` and the like stand for names, types and values. The "
    "examples without a\n`def` are bodies of `def k(p: *fp32, n: i32)`; "
    "`# target:` says for which chip one is compiled,\n"
    "`# define:` what is given with `-D`, `# triton:` whose release's rules "
    "hold.\n";

static char *read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  size_t length = 0, room = 1 << 20;
  char *text = malloc(room + 1);
  if (!file || !text) {
    fprintf(stderr, "cannot read '%s'\n", path);
    exit(2);
  }
  length = fread(text, 1, room, file);
  fclose(file);
  text[length] = 0;
  return text;
}

// The block of an id, or NULL.
static const char *find_example(Arena *arena, const char *all, const char *id) {
  const char *mark = arena_printf(arena, "== %s\n", id);
  const char *at = strstr(all, mark);
  if (!at || (at != all && at[-1] != '\n')) return NULL;
  at += strlen(mark);
  const char *end = strstr(at, "\n== ");
  const size_t length = end ? (size_t)(end - at) + 1 : strlen(at);
  return arena_strndup(arena, at, length);
}

// The text behind `# KEY:`, or NULL.
static const char *said(Arena *arena, const char *text, const char *key) {
  const char *mark = arena_printf(arena, "# %s: ", key);
  const char *at = strstr(text, mark);
  if (!at) return NULL;
  at += strlen(mark);
  return arena_strndup(arena, at, strcspn(at, "\n"));
}

static const char *whole_source(Arena *arena, const char *example) {
  if (strstr(example, "def ")) return example;
  Str out = str_in(arena);
  str_add(&out, "@jit\ndef k(p: *fp32, n: i32):\n");
  for (const char *line = example; *line;) {
    const size_t length = strcspn(line, "\n");
    if (length) str_add(&out, "    ");
    str_add_bytes(&out, line, length);
    str_add(&out, "\n");
    line += length + (line[length] == '\n');
  }
  return str_text(&out);
}

typedef struct {
  Arena *arena;
  DiagList diags;
  Program *program;
} Trial;

// A number in the example's options, or 0.
static int number(Trial *t, const char *example, const char *key) {
  const char *text = said(t->arena, example, key);
  return text ? atoi(text) : 0;
}

static void make_code(Module *m, const Target *target) {
  CompiledCode code;
  if (passes_run(m, target, target->is_gpu ? "gpu" : "host", NULL))
    codegen_emit(m, target, EMIT_ASM, NULL, &code);
}

// All pointers have memory of the same size.
static void interpret(Trial *t, const Module *m, const char *example) {
  enum { MEMORY = 64, MAX_STEPS = 1000 };
  const Function *f = m->functions;
  const int count = f->body->num_args;
  InterpArg *args = arena_array(t->arena, InterpArg, count + 1);
  InterpMemory *memory = arena_array(t->arena, InterpMemory, count + 1);
  for (int i = 0; i < count; i++) {
    memory[i] = (InterpMemory){arena_array(t->arena, char, MEMORY), MEMORY};
    args[i].as.i = number(t, example, "interpret");
    if (type_is_pointer(f->body->args[i].type)) args[i].as.p = memory[i].base;
  }
  const InterpLaunch launch = {.args = args,
                               .memory = memory,
                               .num_memory = (size_t)count,
                               .grid = {1, 1, 1},
                               .max_steps = MAX_STEPS};
  interp_run(t->arena, f, &launch, &t->diags);
}

// `NAME=VALUE` for a name of the file.
static bool define(Trial *t, const char *example) {
  const char *text = said(t->arena, example, "define");
  const char *value = text ? strchr(text, '=') : NULL;
  if (!value) return true;
  const char *name = arena_strndup(t->arena, text, (size_t)(value - text));
  return frontend_define(t->program, &t->diags, name, value + 1, false);
}

static void specialize(Trial *t, const char *example,
                       const AstFunction *kernel) {
  const int count = function_num_params(kernel);
  ArgSpec *args = arena_array(t->arena, ArgSpec, count + 1);
  const char *signature = said(t->arena, example, "signature");
  const char *chip = said(t->arena, example, "target");
  if (signature &&
      !frontend_parse_signature(t->arena, &t->diags, kernel, signature, args))
    return;
  if (!define(t, example)) return;
  const Specialization spec = {.args = args,
                               .config = number(t, example, "config"),
                               .num_warps = number(t, example, "warps"),
                               .num_stages = number(t, example, "stages"),
                               .debug = number(t, example, "debug"),
                               .target = chip ? target_find(chip) : NULL};
  Module *m = module_create(t->arena, &t->diags);
  if (!frontend_specialize(t->program, kernel, &spec, m)) return;
  if (said(t->arena, example, "interpret"))
    interpret(t, m, example);
  else if (chip)
    make_code(m, spec.target);
  if (function_has_heuristics(kernel))
    frontend_values(t->program, kernel, &spec, VALUES_OF_HEURISTICS, t->arena,
                    &t->diags, &(ParamValues){.args = args});
}

static void check_text(Trial *t, const char *text) {
  Source *source = source_create(t->arena, "k.tir", text, strlen(text));
  diag_init(&t->diags, t->arena);
  diag_add_source(&t->diags, source);
  Module *m = module_create(t->arena, &t->diags);
  const bool ok = module_parse(m, source) && module_verify(m);
  if (ok && said(t->arena, text, "interpret")) interpret(t, m, text);
}

static void compile(Trial *t, const char *example) {
  if (strstr(example, "kernel @")) {
    check_text(t, example);
    return;
  }
  const char *text = whole_source(t->arena, example);
  const char *name = said(t->arena, example, "file");
  Source *source =
      source_create(t->arena, name ? name : "k.py", text, strlen(text));
  diag_init(&t->diags, t->arena);
  const char *release = said(t->arena, example, "triton");
  const FrontendOptions options = {
      .release = release ? frontend_find_release(release) : 0};
  t->program = frontend_parse(t->arena, &t->diags, source, &options);
  diag_add_source(&t->diags, source);
  if (!t->program) return;
  const AstFunction *kernel = frontend_find_kernel(
      t->program, &t->diags, said(t->arena, example, "kernel"));
  if (kernel) specialize(t, example, kernel);
}

// Two layers may have messages with the same text.
static bool is_message(const Diag *diag, const char *id) {
  for (int i = 0; i < NUM_MESSAGES && diag->format; i++) {
    const Message *m = &messages[i];
    if (m->id && !strcmp(m->id, id) && !strcmp(m->format, diag->format))
      return true;
  }
  return false;
}

// Adds the message and its notes as a block of the page; false: it was not
// reported.
static bool put_message(Trial *t, const char *id, Str *out) {
  const Diag *d = t->diags.first, *error = d;
  for (; d && !is_message(d, id); d = d->next)
    if (d->next && d->next->severity != DIAG_NOTE) error = d->next;
  if (!d) return false;
  if (d->severity == DIAG_NOTE) d = error; // the error that the note belongs to
  str_add(out, "```text\n");
  do {
    diag_render(&t->diags, d, false, out);
    d = d->next;
  } while (d && d->severity == DIAG_NOTE);
  str_add(out, "```\n");
  return true;
}

static bool complain(Trial *t, const char *id, const char *why) {
  Str text = str_in(t->arena);
  if (t->diags.arena) diag_render_all(&t->diags, false, &text);
  fprintf(stderr, "%s: %s\n%s", id, why, str_text(&text));
  return false;
}

static bool put_example(Arena *arena, const Message *m, const char *examples,
                        Str *out) {
  Trial t = {.arena = arena};
  const char *example = find_example(arena, examples, m->id);
  if (!example) return complain(&t, m->id, "there is no example");
  str_addf(out, "\n### %s\n\n> `%s`\n", m->id, m->format);
  const char *none = said(arena, example, "none");
  if (none) {
    str_addf(out, "\n%s\n", none);
    return true;
  }
  compile(&t, example);
  str_add(out, "\n```\n");
  str_add(out, example);
  str_add(out, "```\n\n");
  return put_message(&t, m->id, out) ||
         complain(&t, m->id, "the example gives no such message");
}

static void put_section(const Message *m, Str *out) {
  str_addf(out, "\n## %s\n", m->section);
  if (m->bare) str_add(out, "\n| id | message |\n|---|---|\n");
}

static void put_row(const Message *m, Str *out) {
  str_addf(out, "| %s | `", m->id);
  for (const char *c = m->format; *c; c++)
    str_add_char(out, *c == '\n' ? ' ' : *c);
  str_add(out, "` |\n");
}

static bool put_page(Arena *arena, const char *examples, Str *out) {
  bool ok = true;
  str_add(out, head);
  for (int i = 0; i < NUM_MESSAGES; i++) {
    const Message *m = &messages[i];
    if (m->section)
      put_section(m, out);
    else if (m->bare)
      put_row(m, out);
    else
      ok = put_example(arena, m, examples, out) && ok;
  }
  return ok;
}

int main(int argc, char **argv) {
  Arena arena;
  if (argc < 2) return 2;
  arena_init(&arena, &system_allocator);
  char *examples = read_file(argv[1]);
  Str page = str_in(&arena);
  bool ok = put_page(&arena, examples, &page);
  if (argc > 3) {
    char *committed = read_file(argv[3]);
    if (strcmp(committed, str_text(&page))) {
      fprintf(stderr, "%s is not what this program prints\n", argv[3]);
      ok = false;
    }
    free(committed);
  } else {
    fputs(str_text(&page), stdout);
  }
  free(examples);
  arena_free(&arena);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
