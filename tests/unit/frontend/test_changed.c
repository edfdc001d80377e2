// test_changed.c -- sources with one word changed: what the frontend says of
// each, or makes of it.
//
// One word in so many of the files of golden/frontend, of examples and of the
// fuzzers' corpora is lost, doubled or replaced by another of the file.  All
// messages with their places, the names of the module, its metadata and the IR
// of its kernels are a letter of changed.txt, by a hash.
// TILE_CHANGED=FILE writes that file anew.
#include "frontend/frontend.h"
#include "ir/text.h"
#include "tests/fuzz/guess.h"
#include "tests/fuzz/imports.h"

#include <ctype.h>
#include <glob.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_FILE = 1 << 16, MAX_TOKENS = 1 << 14, ONE_IN = 20 };

typedef struct {
  const char *name; // from the root of the sources on
  char text[MAX_FILE];
  size_t length;
  struct {
    size_t begin, end;
  } tokens[MAX_TOKENS];
  size_t num_tokens;
} File;

// -- What the frontend makes of a text ---------------------------------------

typedef struct {
  Arena arena;
  const char *text;
  size_t length;
  uint32_t hash;
} Job;

static void add(Job *job, const char *text) {
  for (; *text; text++)
    job->hash = (job->hash ^ (unsigned char)*text) * 16777619u;
}

static void add_kernel(Job *job, Program *program, DiagList *diags,
                       const AstFunction *kernel) {
  ArgSpec args[MAX_PARAMS];
  if (!guess_by_name(kernel, 1, args)) return;
  const Specialization spec = {.args = args};
  Module *m = module_create(&job->arena, diags);
  if (!frontend_specialize(program, kernel, &spec, m)) return;
  Str ir = str_in(&job->arena);
  module_print(m, NULL, &ir);
  add(job, str_text(&ir));
}

static void add_messages(Job *job, const DiagList *diags) {
  for (const Diag *d = diags->first; d; d = d->next) {
    add(job, arena_printf(&job->arena, "%d:%d:", d->loc.line, d->loc.column));
    add(job, d->text);
    if (d->fix) add(job, d->fix);
  }
}

static void run(void *data) {
  Job *job = data;
  DiagList diags;
  diag_init(&diags, &job->arena);
  Source *source = source_create(&job->arena, "t.py", job->text, job->length);
  Imports imports = {job->text, job->length, 2};
  const FrontendOptions options = {.reader = {&imports, imports_read}};
  Program *program = frontend_parse(&job->arena, &diags, source, &options);
  if (program) {
    Str made = str_in(&job->arena);
    for (int i = 0; i < frontend_num_functions(program); i++)
      add_kernel(job, program, &diags, frontend_function(program, i));
    frontend_print_module(program, &made);
    frontend_reflect(program, NULL, &job->arena, &made);
    add(job, str_text(&made));
  }
  add_messages(job, &diags);
}

static char letter_of(const char *text, size_t length) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ+-";
  Job job = {.text = text, .length = length, .hash = 2166136261u};
  arena_init(&job.arena, &system_allocator);
  assert_true(arena_protect(&job.arena, run, &job));
  arena_free(&job.arena);
  return letters[(job.hash ^ job.hash >> 6 ^ job.hash >> 17) & 63];
}

// -- Files and their words ---------------------------------------------------

static bool in_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || c & 0x80;
}

static void find_tokens(File *f) {
  size_t at = 0;
  f->num_tokens = 0;
  while (at < f->length && f->num_tokens < MAX_TOKENS) {
    const size_t begin = at;
    const char c = f->text[at++];
    if (c == '#')
      while (at < f->length && f->text[at] != '\n') at++;
    else if (in_word(c))
      while (at < f->length && in_word(f->text[at])) at++;
    if (c == '#' || isspace((unsigned char)c)) continue;
    f->tokens[f->num_tokens].begin = begin;
    f->tokens[f->num_tokens++].end = at;
  }
}

static bool read_file(File *f, const char *path) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  f->name = path + strlen(TILE_SOURCE_DIR) + 1;
  f->length = fread(f->text, 1, sizeof f->text, file);
  fclose(file);
  find_tokens(f);
  return f->length < sizeof f->text && f->num_tokens;
}

// Another word of the same kind, further on.
static size_t other_token(const File *f, size_t at, size_t skip) {
  const bool is_word = in_word(f->text[f->tokens[at].begin]);
  for (size_t i = 1; i < f->num_tokens; i++) {
    const size_t other = (at + i + skip) % f->num_tokens;
    if (in_word(f->text[f->tokens[other].begin]) == is_word) return other;
  }
  return at;
}

// The text with a change of a word; its length.
static size_t change(const File *f, size_t at, uint32_t how, char *out) {
  const size_t begin = f->tokens[at].begin, end = f->tokens[at].end;
  const size_t other = other_token(f, at, how / 8 % 7);
  const size_t from = f->tokens[other].begin,
               size = f->tokens[other].end - from;
  size_t n = begin;
  memcpy(out, f->text, n);
  if (how % 8 == 1) { // twice
    memcpy(out + n, f->text + begin, end - begin);
    n += end - begin;
    out[n++] = ' ';
    memcpy(out + n, f->text + begin, end - begin);
    n += end - begin;
  } else if (how % 8) { // another
    memcpy(out + n, f->text + from, size);
    n += size;
  }
  memcpy(out + n, f->text + end, f->length - end);
  return n + f->length - end;
}

// -- All of them -------------------------------------------------------------

static uint32_t hash_of(const File *f, size_t token) {
  return guess_seed(f->name, strlen(f->name)) * 40503u +
         (uint32_t)token * 2654435761u;
}

static uint32_t text_hash(const File *f) {
  return guess_seed(f->text, f->length);
}

static int compare(const File *f, const char *letters, char *found) {
  static char text[2 * MAX_FILE];
  int wrong = 0;
  size_t n = 0;
  for (size_t i = 0; i < f->num_tokens; i++) {
    const uint32_t how = hash_of(f, i) >> 8;
    if (how % ONE_IN) continue;
    const size_t length = change(f, i, how / ONE_IN, text);
    found[n] = letter_of(text, length);
    if (letters && letters[n] != found[n] && letters[n]) {
      const size_t line = f->tokens[i].begin;
      print_error("%s: another result of change %u at '%.30s'\n", f->name,
                  how / ONE_IN % 8, f->text + line);
      wrong++;
    }
    n++;
  }
  found[n] = 0;
  return wrong;
}

// The letters of a file in changed.txt, if it was the same then.
static const char *letters_of(const File *f, const char *kept) {
  static char letters[MAX_TOKENS], name[256];
  uint32_t hash;
  const char *line = strstr(kept, f->name);
  if (!line || sscanf(line, "%255s %x %16383s", name, &hash, letters) != 3 ||
      strcmp(name, f->name) != 0 || hash != text_hash(f))
    return NULL;
  return letters;
}

static char *read_kept(void) {
  char *text = calloc(1, 1 << 20);
  FILE *file = fopen(TILE_SOURCE_DIR "/tests/unit/frontend/changed.txt", "r");
  assert_true(text && file);
  assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
  fclose(file);
  return text;
}

static void find_files(glob_t *files) {
  static const char *const patterns[] = {
      "tests/golden/frontend/*/*.py", "tests/golden/frontend/*/*.tile",
      "tests/fuzz/corpus/*/*.py", "tests/fuzz/corpus/*/*.tile",
      "examples/*/*.tile"};
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
    char path[512];
    snprintf(path, sizeof path, TILE_SOURCE_DIR "/%s", patterns[i]);
    assert_int_equal(glob(path, i ? GLOB_APPEND : 0, NULL, files), 0);
  }
}

// Files that take the frontend ten milliseconds or more.
static bool is_long(const char *path) {
  static const char *const names[] = {"/grown-", "/endless-", "/loop-types",
                                      "/python-library"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strstr(path, names[i])) return true;
  return false;
}

// The part of the files that this process looks at.
static size_t part, num_parts = 1;

static void test_changed(void **state) {
  (void)state;
  static File f;
  static char found[MAX_TOKENS];
  const char *path = getenv("TILE_CHANGED");
  FILE *out = path ? fopen(path, "w") : NULL;
  char *kept = path ? NULL : read_kept();
  size_t unknown = 0;
  int wrong = 0;
  glob_t files;
  assert_true(out || kept);
  find_files(&files);
  for (size_t i = part; i < files.gl_pathc; i += num_parts) {
    if (is_long(files.gl_pathv[i]) || !read_file(&f, files.gl_pathv[i]))
      continue;
    const char *letters = kept ? letters_of(&f, kept) : NULL;
    if (kept && !letters) unknown++;
    if (kept && !letters) continue;
    wrong += compare(&f, letters, found);
    if (out) fprintf(out, "%s %x %s\n", f.name, text_hash(&f), found);
  }
  if (unknown)
    print_message("SKIP (part): %zu files are not those of changed.txt\n",
                  unknown);
  assert_int_equal(wrong, 0);
  assert_true(unknown * 4 < files.gl_pathc / num_parts);
  globfree(&files);
  free(kept);
  if (out) fclose(out);
}

// test_changed [PART OF]
int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_changed)};
  mallopt(M_TRIM_THRESHOLD, 1 << 28); // the next arena wants what this one had
  if (argc > 2) {
    part = strtoul(argv[1], NULL, 10);
    num_parts = strtoul(argv[2], NULL, 10);
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
