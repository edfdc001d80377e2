// test_sim_changed.c -- the kernels of planted.def with one statement changed:
// reports, and memory afterwards.
//
// One in several statements is removed, doubled, or gets another number, space
// or order.  Hashes of the error of loading or running, the reports and `out`
// are letters of changed.txt.  TILE_CHANGED=FILE writes that file anew.
#include <ctype.h>
#include <stdio.h>

#include "sim_kit.h"
#include "tests/tools/letters.h"

typedef struct {
  unsigned num_ctas;
  const char *kinds;
  int error;
  const char *before, *right, *wrong, *after;
} Planted;

static const Planted planted[] = {
#define PLANTED(...) {__VA_ARGS__},
#include "tests/sim/planted.def"
};
enum { NUM_PLANTED = sizeof planted / sizeof *planted };
enum { MAX_BODY = 8192, MAX_CHANGED = 3 * MAX_BODY, ONE_IN = 3 };
enum { MAX_LETTERS = 4096 };

// -- One kernel --------------------------------------------------------------

static const char head[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".const .align 8 .b32 table[4] = {1, 2, 3, 4};\n"
    ".extern .func (.param .b64 block) malloc(.param .b64 size);\n"
    ".extern .func free(.param .b64 block);\n"
    ".func down(.reg .b32 %n) {\n"
    ".reg .pred %p; .reg .b32 %m; setp.eq.u32 %p, %n, 0; @%p ret;\n"
    "sub.u32 %m, %n, 1; call down, (%m); ret; }\n"
    ".func check(.reg .b32 %x) {\n"
    ".reg .pred %p; setp.ne.u32 %p, %x, 0; @%p ret; trap; }\n"
    ".visible .entry k(.param .u64 out_p, .param .u64 in_p,\n"
    " .param .u64 gone_p) {\n"
    ".reg .b32 %r<30>; .reg .b64 %d<9>; .reg .b16 %h<9>;\n"
    ".reg .pred %p<9>; .reg .b64 %out, %in, %gone; .reg .b32 %t;\n"
    "ld.param.u64 %out, [out_p]; ld.param.u64 %in, [in_p];\n"
    "ld.param.u64 %gone, [gone_p]; mov.u32 %t, %tid.x;\n";

// Without addresses, which differ in each run.
static uint32_t hash_reports(uint32_t hash) {
  const char *text = kit_report_text();
  while (*text) {
    const size_t digits = strspn(text, "0123456789");
    if (!strncmp(text, "0x", 2))
      text += 2 + strspn(text + 2, "0123456789abcdef");
    else if (digits < 6)
      hash = fnv_bytes(hash, text++, 1);
    else
      text += digits;
  }
  const char *kinds = kit_reports(); // empties the list of reports
  return fnv_text(hash, kinds);
}

static uint32_t run(CUmodule module, unsigned num_ctas, uint32_t hash) {
  static const char zeros[256];
  char found[256] = {0};
  CUdeviceptr out = kit_upload(zeros, 256), in = kit_upload(zeros, 256);
  CUdeviceptr gone = kit_upload(zeros, 256);
  void *params[] = {&out, &in, &gone};
  assert_int_equal(cuMemFree_v2(gone), 0);
  const int error =
      kit_run(module, "k", (KitShape){{num_ctas}, {64}, 0}, params);
  hash = fnv_bytes(hash, &error, sizeof error);
  if (!error) {
    kit_download(found, out, sizeof found);
    cuMemFree_v2(out);
    cuMemFree_v2(in);
    cuModuleUnload(module);
  }
  hash = fnv_bytes(hash, found, sizeof found);
  kit_reopen();
  return hash_reports(hash);
}

static char letter_of(const char *body, unsigned num_ctas) {
  static char text[MAX_BODY + MAX_CHANGED];
  uint32_t hash = FNV_SEED;
  CUmodule module = NULL;
  snprintf(text, sizeof text, "%s%s\nret;\n}\n", head, body);
  if (cuModuleLoadDataEx(&module, text, 0, NULL, NULL)) return '!';
  hash = run(module, num_ctas, hash);
  return letters_pick(hash);
}

// -- Changes -----------------------------------------------------------------

// The statement with another value in place of its first number, or with
// another space.
static void change_statement(const char *from, size_t length, uint32_t how,
                             char *out) {
  static const char *const words[][2] = {
      {".shared", ".global"},   {".global", ".shared"},
      {".acquire", ".relaxed"}, {".release", ".relaxed"},
      {".cta", ".gpu"},         {".gpu", ".cta"},
      {".u32", ".u64"},         {"bar.sync", "bar.arrive"}};
  snprintf(out, MAX_BODY, "%.*s", (int)length, from);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    const char *at = strstr(out, words[(i + how) % 8][0]);
    if (!at || how % 2) continue;
    const size_t begin = (size_t)(at - out);
    snprintf(out + begin, MAX_BODY - begin, "%s%.*s", words[(i + how) % 8][1],
             (int)(length - begin - strlen(words[(i + how) % 8][0])),
             from + begin + strlen(words[(i + how) % 8][0]));
    return;
  }
  for (size_t i = 1; i < length; i++) {
    if (!isdigit((unsigned char)from[i]) || !strchr(" +[", from[i - 1]))
      continue;
    char *end;
    const long value = strtol(from + i, &end, 0);
    snprintf(out + i, MAX_BODY - i, "%ld%.*s",
             how % 4 == 1 ? value + 4 : value * 2 + 1,
             (int)(from + length - end), end);
    return;
  }
}

// The body with a change of the statement from `begin` to `end`.
static void change(const char *body, size_t begin, size_t end, uint32_t how,
                   char *out) {
  static char statement[MAX_BODY];
  const size_t length = end - begin;
  *statement = 0;
  if (how % 4 == 1)
    snprintf(statement, sizeof statement, "%.*s%.*s", (int)length, body + begin,
             (int)length, body + begin);
  else if (how % 4 > 1)
    change_statement(body + begin, length, how / 4, statement);
  snprintf(out, MAX_CHANGED, "%.*s%s%s", (int)begin, body, statement,
           body + end);
}

static size_t try_all(const Planted *p, const char *line, uint32_t seed,
                      char *letters) {
  static char body[MAX_BODY], changed[MAX_CHANGED];
  size_t count = 0;
  snprintf(body, sizeof body, "%s\n%s\n%s", p->before, line, p->after);
  for (size_t begin = 0, end; body[begin]; begin = end) {
    end = begin + strcspn(body + begin, ";");
    if (!body[end++]) break;
    const uint32_t how = kit_random(&seed) >> 8;
    if (how % ONE_IN) continue;
    change(body, begin, end, how / ONE_IN, changed);
    letters[count++] = letter_of(changed, p->num_ctas);
  }
  return count;
}

// -- All of them -------------------------------------------------------------

static uint32_t hash_of(const Planted *p) {
  uint32_t hash = fnv_text(7, p->before);
  hash = fnv_text(hash, p->right);
  hash = fnv_text(hash, p->wrong);
  return fnv_text(hash, p->after);
}

// The last is a point.
static const char *letters_of(const Planted *p) {
  static char letters[MAX_LETTERS];
  size_t count = try_all(p, p->right, hash_of(p), letters);
  count += try_all(p, p->wrong, hash_of(p) ^ 1, letters + count);
  letters[count++] = '.';
  letters[count] = 0;
  return letters;
}

static void test_changed(void **state) {
  (void)state;
  LetterTable table = letters_open(TILE_SOURCE_DIR "/tests/sim/changed.txt");
  int num_wrong = 0;
  for (uint32_t i = 0; i < NUM_PLANTED; i++) {
    const Planted *p = &planted[i];
    const char *wanted;
    char key[16];
    snprintf(key, sizeof key, "%08x", hash_of(p));
    if (!letters_find(&table, key, &wanted)) continue;
    const char *found = letters_of(p);
    if (table.out) fprintf(table.out, "%s %s\n", key, found);
    if (!wanted || strcmp(wanted, found) == 0) continue;
    num_wrong++;
    print_error("%s, not %s: %s\n%s\n", found, wanted, p->kinds, p->right);
  }
  letters_expect_known(&table, NUM_PLANTED, 10);
  assert_int_equal(num_wrong, 0);
  letters_close(&table);
}

static int set_up(void **state) {
  setenv("TILE_SIM_THREADS", "1", 1);
  setenv("TILE_SIM_BUDGET", "20000", 1);
  return kit_setup(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_changed)};
  return cmocka_run_group_tests(tests, set_up, kit_teardown);
}
