// test_changed.c -- sources with one word changed: messages of the frontend, or
// its result.
//
// One word in ONE_IN of the files of golden/frontend, of examples and of the
// fuzzers' corpora is removed, doubled or replaced by another of the file.  All
// messages with their places, the names of the module, its metadata and the IR
// of its kernels are hashed to a letter of changed.txt.  TILE_CHANGED=FILE
// writes that file anew.
#include "frontend/frontend.h"
#include "ir/text.h"
#include "tests/fuzz/imports.h"
#include "tests/unit/letter_files.h"

#include <ctype.h>

enum { MAX_TOKENS = 1 << 14, ONE_IN = 20 };

typedef struct {
  const char *text;
  size_t length;
  struct {
    size_t begin, end;
  } tokens[MAX_TOKENS];
  size_t num_tokens;
} Words;

// -- The frontend's result for a text ----------------------------------------

typedef struct {
  Arena arena;
  const char *text;
  size_t length;
  uint32_t hash;
} Job;

static void add(Job *job, const char *text) {
  job->hash = fnv_text(job->hash, text);
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
  Job job = {.text = text, .length = length, .hash = FNV_SEED};
  arena_init(&job.arena, &system_allocator);
  assert_true(arena_protect(&job.arena, run, &job));
  arena_free(&job.arena);
  return letters_pick(job.hash);
}

// -- Files and their words ---------------------------------------------------

static bool in_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || c & 0x80;
}

static void find_tokens(Words *f) {
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

// Another word of the same kind, further on.
static size_t other_token(const Words *f, size_t at, size_t skip) {
  const bool is_word = in_word(f->text[f->tokens[at].begin]);
  for (size_t i = 1; i < f->num_tokens; i++) {
    const size_t other = (at + i + skip) % f->num_tokens;
    if (in_word(f->text[f->tokens[other].begin]) == is_word) return other;
  }
  return at;
}

// The text with a change of a word; its length.
static size_t change(const Words *f, size_t at, uint32_t how, char *out) {
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

static uint32_t hash_of(const LetterFile *f, size_t token) {
  return guess_seed(f->name, strlen(f->name)) * 40503u +
         (uint32_t)token * 2654435761u;
}

static int judge(const LetterFile *f, const char *letters, char *found) {
  static char text[2 * MAX_FILE];
  static Words words;
  int wrong = 0;
  size_t n = 0;
  words.text = f->text;
  words.length = f->length;
  find_tokens(&words);
  for (size_t i = 0; i < words.num_tokens; i++) {
    const uint32_t how = hash_of(f, i) >> 8;
    if (how % ONE_IN) continue;
    const size_t length = change(&words, i, how / ONE_IN, text);
    found[n] = letter_of(text, length);
    assert_true(!letters || letters[n]);
    if (letters && letters[n] != found[n]) {
      print_error("%s: another result of change %u at '%.30s'\n", f->name,
                  how / ONE_IN % 8, f->text + words.tokens[i].begin);
      wrong++;
    }
    n++;
  }
  found[n] = 0;
  return wrong;
}

static LetterFiles files = {
    .patterns = (const char *const[]){"tests/golden/frontend/*/*.py",
                                      "tests/golden/frontend/*/*.tile",
                                      "tests/fuzz/corpus/*/*.py",
                                      "tests/fuzz/corpus/*/*.tile",
                                      "examples/*/*.tile", NULL},
    // Files that take the frontend ten milliseconds or more.
    .slow = (const char *const[]){"/grown-", "/endless-", "/loop-types",
                                  "/python-library", NULL},
    .judge = judge};

static void test_changed(void **state) {
  (void)state;
  LetterTable table =
      letters_open(TILE_SOURCE_DIR "/tests/unit/frontend/changed.txt");
  letter_files_judge(&files, &table);
  letters_close(&table);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_changed)};
  letter_files_set_part(&files, argc, argv);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
