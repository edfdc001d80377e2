// tile-opt.c -- reads textual IR, runs passes over it, prints it.
//
// There is one Session; everything that may run out of memory happens inside
// arena_protect().
#include "ir/text.h"
#include "ir/verify.h"
#include "passes/pass.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_SOURCE = 1, EXIT_USAGE = 2, EXIT_FILE = 3, EXIT_BUG = 70 };

typedef struct {
  const char *pass;
  double seconds;
} PassTiming;

typedef struct {
  Arena arena;
  DiagList diags;
  const char *pipeline, *path, *target_name, *output;
  PassOptions passes;
  PrintOptions print;
  bool time_passes;
  Vec(PassTiming) timings;
  int status;
} OptSession;

// -- Options -----------------------------------------------------------------

static void print_help(void) {
  puts("usage: tile-opt [options] FILE\n"
       "\n"
       "Reads textual IR from FILE ('-': standard input), verifies it, runs\n"
       "passes over it, and prints it.\n");
#define OPTION(id, name, argument, shown, help)                                \
  printf("  %-22s %s\n", shown, help);
#define CONTINUED(help) printf("%25s%s\n", "", help);
#include "runtime/tools/opt/options.def"
  puts("\nExit codes: 0 fine, 1 errors in the IR, 2 usage, 3 files, 70 a bug "
       "of ours.");
}

enum {
  FIRST_ID = 255, // above any character
#define OPTION(id, ...) OPTION_##id,
#define CONTINUED(...)
#include "runtime/tools/opt/options.def"
};

enum { NO = no_argument, YES = required_argument };

static const struct option option_table[] = {
#define OPTION(id, name, argument, ...) {name, argument, NULL, OPTION_##id},
#define CONTINUED(...)
#include "runtime/tools/opt/options.def"
    {NULL, 0, NULL, 0}};

static int usage_error(const char *what, const char *value) {
  fprintf(stderr, "tile-opt: %s%s\ntry: tile-opt --help\n", what, value);
  return EXIT_USAGE;
}

static int list_passes(void) {
  for (int i = 0; i < pass_count; i++) {
    printf("%-16s %s\n", pass_table[i].name, pass_table[i].summary);
  }
  printf("\npipelines:\n");
  for (int i = 0; i < pipeline_count; i++) {
    const Pipeline *p = &pipeline_table[i];
    printf("%-16s %s:\n%-16s %s\n", p->name, p->summary, "", p->text);
  }
  return 0;
}

static bool parse_seed(const char *text, uint64_t *seed) {
  char *end;
  errno = 0;
  const unsigned long long value = strtoull(text, &end, 0);
  if (errno || end == text || *end) return false;
  *seed = value;
  return true;
}

// -1: no error; else the exit code.
static int set_option(OptSession *s, int option) {
  switch (option) {
  case OPTION_PASSES: s->pipeline = optarg; return -1;
  case OPTION_TARGET: s->target_name = optarg; return -1;
  case OPTION_BEFORE: s->passes.print_before = optarg; return -1;
  case OPTION_AFTER: s->passes.print_after = optarg; return -1;
  case OPTION_STOP: s->passes.stop_after = optarg; return -1;
  case OPTION_DISABLE: s->passes.disable = optarg; return -1;
  case OPTION_VERIFY: s->passes.verify_each = true; return -1;
  case OPTION_INTERP: s->passes.interp_each = true; return -1;
  case OPTION_TIME: s->time_passes = true; return -1;
  case OPTION_LOCATIONS: s->print.locations = true; return -1;
  case OPTION_LIST: return list_passes();
  case OPTION_SEED:
    if (parse_seed(optarg, &s->passes.seed)) return -1;
    return usage_error("not a seed: ", optarg);
  case 'o':
  case OPTION_OUTPUT: s->output = optarg; return -1;
  case 'h':
  case OPTION_HELP: print_help(); return 0;
  case OPTION_VERSION: puts("tile-opt " TILE_VERSION); return 0;
  default: fputs("try: tile-opt --help\n", stderr); return EXIT_USAGE;
  }
}

static int parse_options(OptSession *s, int argc, char **argv) {
  for (int c; (c = getopt_long(argc, argv, "ho:", option_table, NULL)) != -1;) {
    const int status = set_option(s, c);
    if (status >= 0) return status;
  }
  if (optind == argc) return usage_error("a FILE is needed", "");
  if (optind + 1 < argc) {
    return usage_error("one FILE at a time, not also ", argv[optind + 1]);
  }
  s->path = argv[optind];
  return -1;
}

// -- Files -------------------------------------------------------------------

static void file_error(OptSession *s, const char *what, const char *path) {
  fprintf(stderr, "tile-opt: cannot %s '%s': %s\n", what, path,
          strerror(errno));
  s->status = EXIT_FILE;
}

static Source *read_stream(OptSession *s, FILE *in, const char *name) {
  Str text = str_in(&s->arena);
  char chunk[1 << 14];
  for (size_t n; (n = fread(chunk, 1, sizeof chunk, in));) {
    str_add_bytes(&text, chunk, n);
  }
  if (ferror(in)) return NULL;
  return source_create(&s->arena, name, str_text(&text), text.length);
}

static Source *read_file(OptSession *s) {
  if (!strcmp(s->path, "-")) return read_stream(s, stdin, "<stdin>");
  FILE *in = fopen(s->path, "rb");
  Source *source = in ? read_stream(s, in, s->path) : NULL;
  if (!source) file_error(s, "read", s->path);
  if (in) fclose(in);
  return source;
}

static void write_output(OptSession *s, const Str *text) {
  const bool to_stdout = !s->output || !strcmp(s->output, "-");
  FILE *out = to_stdout ? stdout : fopen(s->output, "wb");
  bool ok = out && (fwrite(str_text(text), 1, text->length, out), !ferror(out));
  if (out) ok = (to_stdout ? fflush(out) : fclose(out)) == 0 && ok;
  if (!ok) file_error(s, "write", to_stdout ? "<stdout>" : s->output);
}

// -- The run -----------------------------------------------------------------

static void log_to_stderr(void *ctx, const char *text) {
  (void)ctx;
  fputs(text, stderr);
}

static void note_time(void *ctx, const char *pass, double seconds) {
  OptSession *s = ctx;
  vec_push(&s->arena, &s->timings, ((PassTiming){pass, seconds}));
}

static void print_timings(const OptSession *s) {
  double total = 0;
  for (size_t i = 0; i < s->timings.count; i++) {
    const PassTiming *t = &s->timings.items[i];
    fprintf(stderr, "%10.3f ms  %s\n", 1e3 * t->seconds, t->pass);
    total += t->seconds;
  }
  fprintf(stderr, "%10.3f ms  total\n", 1e3 * total);
}

// The exit code when there were errors.
static int failure(const OptSession *s) {
  return s->diags.num_bugs ? EXIT_BUG : EXIT_SOURCE;
}

static void compile(OptSession *s, const Target *target) {
  Source *source = read_file(s);
  if (!source) return;
  diag_add_source(&s->diags, source);
  Module *m = module_create(&s->arena, &s->diags);
  s->status = EXIT_SOURCE;
  if (!module_parse(m, source) || !module_verify(m)) return;
  const bool ok = passes_run(m, target, s->pipeline, &s->passes);
  if (s->time_passes) print_timings(s);
  s->status = failure(s);
  if (!ok) return;
  s->status = 0;
  Str text = str_in(&s->arena);
  module_print(m, &s->print, &text);
  write_output(s, &text);
}

static void run(void *data) {
  OptSession *s = data;
  diag_init(&s->diags, &s->arena);
  const Target *target = target_find(s->target_name);
  if (!target) {
    s->status = usage_error("unknown target ", s->target_name);
  } else if (!passes_check(&s->diags, s->pipeline, &s->passes)) {
    s->status = EXIT_USAGE;
  } else {
    compile(s, target);
  }
  Str text = str_in(&s->arena);
  diag_render_all(&s->diags, false, &text);
  fputs(str_text(&text), stderr);
}

int main(int argc, char **argv) {
  OptSession s = {.pipeline = "", .target_name = "cpu"};
  s.passes.seed = 1;
  s.passes.log = log_to_stderr;
  const int status = parse_options(&s, argc, argv);
  if (status >= 0) return status;
  if (s.time_passes) {
    s.passes.timed = note_time;
    s.passes.timed_ctx = &s;
  }
  arena_init(&s.arena, &system_allocator);
  if (!arena_protect(&s.arena, run, &s)) {
    fputs("tile-opt: out of memory\n", stderr);
    s.status = EXIT_FILE;
  }
  arena_free(&s.arena);
  return s.status;
}
