// test_changed_passes.c -- inputs of passes with one thing changed: the passes
// keep their meaning.
//
// The files of golden/passes have each form that a pass looks for.  In a line
// of a kernel a number, operand, word or operation becomes another, or an
// attribute is lost: most of these are forms that the pass must leave alone.
// Kernels that verify are interpreted before and after each pass on random
// inputs.
#include "ir/text.h"
#include "ir/verify.h"
#include "passes/pass.h"
#include "tests/tools/fnv.h"

#include <ctype.h>
#include <glob.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_FILE = 1 << 16, MAX_KERNEL = 1 << 14, MAX_NAMES = 400 };
enum { NAME_ROOM = 64, NUM_WAYS = 5 };

static int part, parts = 1;
static int num_broken; // kernels that are not valid as they stand
static int num_tried[NUM_WAYS], num_valid[NUM_WAYS]; // changed ones

// -- One kernel --------------------------------------------------------------

typedef struct {
  Arena arena;
  DiagList diags;
  const char *text, *list, *target;
  uint64_t seed;
  bool is_valid, is_wrong;
} Job;

static void run_body(void *data) {
  Job *job = data;
  const PassOptions options = {
      .verify_each = true, .interp_each = true, .seed = job->seed};
  diag_init(&job->diags, &job->arena);
  Module *m = module_create(&job->arena, &job->diags);
  const Source *source =
      source_create(&job->arena, "changed", job->text, strlen(job->text));
  job->is_valid = module_parse(m, source) && module_verify(m);
  if (!job->is_valid) return;
  passes_run(m, target_find(job->target), job->list, &options);
  job->is_wrong = job->diags.num_bugs != 0;
  if (!job->is_wrong) return;
  Str told = str_in(&job->arena);
  diag_render_all(&job->diags, false, &told);
  print_error("%s for %s: %s\n%s\n", job->list, job->target, str_text(&told),
              job->text);
}

// `valid`: where it is counted if the kernel is one.
static bool is_right(const char *text, const char *target, const char *list,
                     uint64_t seed, int *valid) {
  Job job = {.text = text, .list = list, .target = target, .seed = seed};
  arena_init(&job.arena, &system_allocator);
  assert_true(arena_protect(&job.arena, run_body, &job));
  arena_free(&job.arena);
  *valid += job.is_valid;
  return !job.is_wrong;
}

// -- Changes -----------------------------------------------------------------

typedef struct {
  char text[MAX_FILE], heads[MAX_KERNEL]; // layouts are in lines of their own
  char target[16], list[256];             // of the first RUN line
} File;

typedef struct {
  const char *begin, *end;          // the kernel
  const char *line, *line_end;      // in it
  char names[MAX_NAMES][NAME_ROOM]; // of values before the line
  int num_names;
  uint32_t state;
} Place;

static uint32_t draw(Place *p, uint32_t count) {
  p->state = p->state * 1664525u + 1013904223u;
  return (p->state >> 8) % count;
}

static bool in_name(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static size_t name_length(const char *at) {
  size_t n = 1;
  while (in_name(at[n])) n++;
  return n;
}

static void note_names(Place *p) {
  for (const char *at = p->begin; at < p->line && p->num_names < MAX_NAMES;
       at++) {
    if (*at != '%') continue;
    const size_t length = name_length(at);
    if (length < NAME_ROOM)
      snprintf(p->names[p->num_names++], NAME_ROOM, "%.*s", (int)length, at);
  }
}

// One of the places behind the results at which `fits`; NULL: there is none.
static const char *draw_place(Place *p,
                              bool (*fits)(const char *line, const char *at)) {
  const char *found = NULL;
  uint32_t count = 0;
  const char *results = strstr(p->line, " = ");
  const char *from = results && results < p->line_end ? results : p->line;
  for (const char *at = from; at < p->line_end; at++)
    if (fits(p->line, at) && !draw(p, ++count)) found = at;
  return found;
}

static bool is_number(const char *line, const char *at) {
  return isdigit((unsigned char)*at) && at > line && !in_name(at[-1]) &&
         !strchr("%#@x", at[-1]);
}

static bool is_operand(const char *line, const char *at) {
  (void)line;
  return *at == '%';
}

static bool is_attribute(const char *line, const char *at) {
  return *at == '{' && at > line && at[-1] == ' ' && strchr(at, '=');
}

static const char *const words[][2] = {
    {"addi", "subi"},   {"addi", "muli"},   {"muli", "addi"},
    {"subi", "addi"},   {"addf", "mulf"},   {"mulf", "subf"},
    {" lt ", " le "},   {" le ", " lt "},   {" lt ", " ge "},
    {" ge ", " gt "},   {" eq ", " ne "},   {" ult ", " ule "},
    {"andi", "ori"},    {"maxsi", "minsi"}, {"maxnumf", "minnumf"},
    {"extsi", "extui"}, {"true", "false"},  {"false", "true"},
    {"divsi", "remsi"}, {"shli", "shrsi"}};
enum { NUM_WORDS = sizeof words / sizeof *words };

// The line with `text` for `length` characters at `at`.
static void put(const Place *p, const char *at, size_t length, const char *text,
                char *out) {
  snprintf(out, MAX_KERNEL, "%.*s%s%.*s", (int)(at - p->line), p->line, text,
           (int)(p->line_end - at - (ptrdiff_t)length), at + length);
}

static bool change_number(Place *p, char *out) {
  char text[32];
  const char *at = draw_place(p, is_number);
  if (!at) return false;
  const long long value = strtoll(at, NULL, 10);
  const long long others[] = {value + 1, value - 1, value * 2, value / 2,
                              0,         -value,    1,         INT32_MAX};
  snprintf(text, sizeof text, "%lld", others[draw(p, 8)]);
  put(p, at, strspn(at, "0123456789"), text, out);
  return true;
}

static bool change_operand(Place *p, char *out) {
  const char *at = draw_place(p, is_operand);
  if (!at || !p->num_names) return false;
  // Near names have the same type more often than far ones.
  const uint32_t most = (uint32_t)p->num_names;
  const uint32_t back = draw(p, 2) && most > 8 ? draw(p, 8) : draw(p, most);
  put(p, at, name_length(at), p->names[most - 1 - back], out);
  return true;
}

static bool change_word(Place *p, char *out) {
  const uint32_t first = draw(p, NUM_WORDS);
  for (uint32_t i = 0; i < NUM_WORDS; i++) {
    const char *const *pair = words[(first + i) % NUM_WORDS];
    const char *at = strstr(p->line, pair[0]);
    if (!at || at >= p->line_end) continue;
    put(p, at, strlen(pair[0]), pair[1], out);
    return true;
  }
  return false;
}

static bool lose_attribute(Place *p, char *out) {
  const char *at = draw_place(p, is_attribute);
  const char *end = at ? strchr(at, '}') : NULL;
  if (!end || end >= p->line_end) return false;
  put(p, at, (size_t)(end + 1 - at), "", out);
  return true;
}

static bool double_line(Place *p, char *out) {
  if (strstr(p->line, " = ") && strstr(p->line, " = ") < p->line_end)
    return false;
  if (memchr(p->line, '{', (size_t)(p->line_end - p->line)) ||
      memchr(p->line, '}', (size_t)(p->line_end - p->line)))
    return false;
  snprintf(out, MAX_KERNEL, "%.*s\n%.*s", (int)(p->line_end - p->line), p->line,
           (int)(p->line_end - p->line), p->line);
  return true;
}

// Returns the way, or -1: no way fits the line.
static int change(Place *p, char *out) {
  static bool (*const ways[NUM_WAYS])(Place *, char *) = {
      change_number, change_operand, change_word, lose_attribute, double_line};
  const uint32_t first = draw(p, NUM_WAYS);
  for (uint32_t i = 0; i < NUM_WAYS; i++)
    if (ways[(first + i) % NUM_WAYS](p, out))
      return (int)((first + i) % NUM_WAYS);
  return -1;
}

// -- Files -------------------------------------------------------------------

static void copy_word(const char *from, const char *key, const char *end,
                      char *out, size_t room) {
  const char *at = strstr(from, key);
  if (!at || at >= end) return;
  at += strlen(key);
  snprintf(out, room, "%.*s", (int)strcspn(at, " \n"), at);
}

static void read_file(const char *path, File *f) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  const size_t length = fread(f->text, 1, sizeof f->text - 1, file);
  fclose(file);
  f->text[length] = 0;
  strcpy(f->target, "sm_80");
  *f->list = 0;
  char *head = f->heads;
  for (char *line = f->text, *end; *line; line = end) {
    end = line + strcspn(line, "\n") + 1;
    if (!strncmp(line, "// RUN:", 7) && !*f->list) {
      copy_word(line, "--target=", end, f->target, sizeof f->target);
      copy_word(line, "--passes=", end, f->list, sizeof f->list);
    }
    if (*line == '#') head += sprintf(head, "%.*s", (int)(end - line), line);
  }
  *head = 0;
}

// A kernel that is not valid as it stands, for example since its layouts are
// lost, makes invalid ones only.
static int try_unchanged(const File *f, const Place *p, uint32_t seed) {
  static char text[MAX_FILE];
  int valid = 0;
  snprintf(text, sizeof text, "%s%.*s", f->heads, (int)(p->end - p->begin),
           p->begin);
  const bool right = is_right(text, f->target, f->list, seed, &valid);
  num_broken += !valid;
  if (!valid) print_error("not valid as it stands:\n%s\n", text);
  return !right;
}

static int try_kernel(const File *f, Place *p, int each, uint32_t seed) {
  static char text[MAX_FILE], line[MAX_KERNEL];
  int wrong = 0;
  p->line = p->begin;
  for (int i = 0; p->line < p->end; i++, p->line = p->line_end + 1) {
    p->line_end = p->line + strcspn(p->line, "\n");
    p->state = seed + (uint32_t)i * 2654435761u;
    if (strstr(p->line, "//") == p->line + strspn(p->line, " ")) continue;
    if (draw(p, (uint32_t)each)) continue;
    p->num_names = 0;
    note_names(p);
    const int way = change(p, line);
    if (way < 0) continue;
    snprintf(text, sizeof text, "%s%.*s%s%.*s", f->heads,
             (int)(p->line - p->begin), p->begin, line,
             (int)(p->end - p->line_end), p->line_end);
    num_tried[way]++;
    wrong += !is_right(text, f->target, f->list, seed, &num_valid[way]);
  }
  return wrong;
}

// Does the kernel have a tile that takes the interpreter long?
static bool is_large(const Place *p) {
  enum { MOST = 2048 };
  for (const char *at = p->begin; (at = strstr(at, "tile<")) && at < p->end;) {
    long long size = 1;
    at += strlen("tile<");
    for (char *end; isdigit((unsigned char)*at); at = end + (*end == 'x'))
      size *= strtoll(at, &end, 10);
    if (size > MOST) return true;
  }
  return false;
}

static int try_file(const char *path, bool all, uint32_t seed) {
  static File f;
  static Place p;
  int wrong = 0;
  read_file(path, &f);
  for (char *at = strstr(f.text, "\nkernel "); at;
       at = strstr(at + 1, "\nkernel ")) {
    char *end = strstr(at, "\n}");
    if (!end || end - at > MAX_KERNEL) continue;
    p.begin = at + 1;
    p.end = end + 3;
    if (!all && is_large(&p)) continue;
    const uint32_t own = fnv_bytes(seed, at, (size_t)(end - at));
    wrong += try_unchanged(&f, &p, own);
    wrong += try_kernel(&f, &p, all ? 1 : 4, own);
  }
  return wrong;
}

// An eighth of the changed kernels is valid, and some of each way are.
static void expect_valid_ones(void) {
  int tried = 0, valid = 0;
  for (int i = 0; i < NUM_WAYS; i++) {
    tried += num_tried[i];
    valid += num_valid[i];
    if (!num_valid[i]) fail_msg("way %d: none of %d is valid", i, num_tried[i]);
  }
  print_message("%d of %d changed kernels are valid\n", valid, tried);
  assert_true(valid * 8 >= tried);
}

static void test_changed(void **state) {
  (void)state;
  const bool all = getenv("TILE_TEST_FULL") != NULL;
  glob_t paths;
  int wrong = 0;
  assert_int_equal(
      glob(TILE_SOURCE_DIR "/tests/golden/passes/*.tir", 0, NULL, &paths), 0);
  for (size_t i = (size_t)part; i < paths.gl_pathc; i += (size_t)parts)
    wrong += try_file(paths.gl_pathv[i], all, 7);
  globfree(&paths);
  assert_int_equal(wrong, 0);
  assert_int_equal(num_broken, 0);
  expect_valid_ones();
}

// test_changed_passes [PART PARTS]
int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_changed)};
  mallopt(M_TRIM_THRESHOLD, 1 << 28);
  if (argc > 2) part = atoi(argv[1]), parts = atoi(argv[2]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
