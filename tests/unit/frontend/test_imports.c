// test_imports.c -- the meaning of names across files.
//
// Backs I3 and I4 of frontend/module.
#include "tests/unit/frontend/parse_kit.h"

#include <stdio.h>

// Parses files[0]; the other files can be imported.
static Kit *load(const KitFile *files) {
  Kit *kit = kit_create();
  kit->files = files;
  const char *const paths[] = {"/inc", "lib/"};
  const FrontendOptions options = {.include_paths = paths,
                                   .num_include_paths = 2,
                                   .reader = {kit, kit_read}};
  const Source *source = source_create(&kit->arena, files[0].path,
                                       files[0].text, strlen(files[0].text));
  kit->program = frontend_parse(&kit->arena, &kit->diags, source, &options);
  assert_non_null(kit->program);
  return kit;
}

// `a.b.c` in the main file, then the messages if there are any.
static const char *resolve(Kit *kit, const char *dotted) {
  static const char *const kinds[] = {"absent",  "error", "function",
                                      "global",  "class", "module",
                                      "builtin", "host",  "external"};
  char *path = arena_strdup(&kit->arena, dotted);
  char *rest = strchr(path, '.');
  if (rest) *rest++ = '\0';
  const SrcLoc use = {"use", 7, 1, 1};
  Symbol symbol = program_lookup(kit->program, &kit->diags,
                                 program_main_file(kit->program), path, use);
  while (rest) {
    char *next = strchr(rest, '.');
    if (next) *next++ = '\0';
    symbol = program_member(kit->program, &kit->diags, symbol, rest, use);
    rest = next;
  }
  return arena_printf(&kit->arena, "%s%s%s%s%s", kinds[symbol.kind],
                      symbol.name ? " " : "", symbol.name ? symbol.name : "",
                      symbol.loc.file ? " in " : "",
                      symbol.loc.file ? symbol.loc.file : "");
}

static void check(Kit *kit, const char *dotted, const char *expected) {
  assert_string_equal(resolve(kit, dotted), expected);
}

static void test_builtins(void **state) {
  (void)state;
  const KitFile files[] = {
      {"k.py", "import triton\nimport triton.language as tl\n"
               "from triton.language import exp as e, math\n"
               "from triton.language.extra.cuda import libdevice\n"
               "from triton.language.extra.libdevice import tanh\n"
               "from triton.language.core import load\n"
               "import triton.language.extra.cuda.libdevice as ld\n"
               "sqrt = tl.sqrt\nroot = sqrt\n"},
      {0}};
  Kit *kit = load(files);
  check(kit, "triton.cdiv", "builtin triton.cdiv");
  check(kit, "triton.language.exp", "builtin triton.language.exp");
  check(kit, "tl.exp", "builtin triton.language.exp");
  check(kit, "e", "builtin triton.language.exp");
  check(kit, "math.exp2", "builtin triton.language.math.exp2");
  check(kit, "tl.math.exp2", "builtin triton.language.math.exp2");
  check(kit, "tanh", "builtin triton.language.libdevice.tanh");
  check(kit, "libdevice.pow", "builtin triton.language.libdevice.pow");
  check(kit, "ld.pow", "builtin triton.language.libdevice.pow");
  check(kit, "tl.libdevice.pow", "builtin triton.language.libdevice.pow");
  check(kit, "tl.extra.cuda.libdevice.pow",
        "builtin triton.language.libdevice.pow");
  check(kit, "load", "builtin triton.language.load");
  check(kit, "root", "builtin triton.language.sqrt");
  check(kit, "nothing", "absent");
  assert_string_equal(kit_messages(kit), "");
  kit_free(kit);
}

static void test_implied(void **state) {
  (void)state;
  const KitFile files[] = {{"k.tile", "x = 1\n"}, {0}};
  Kit *kit = load(files);
  check(kit, "tl.exp", "builtin triton.language.exp");
  check(kit, "triton.cdiv", "builtin triton.cdiv");
  check(kit, "libdevice.pow", "builtin triton.language.libdevice.pow");
  kit_free(kit);
}

static void test_siblings(void **state) {
  (void)state;
  const KitFile files[] = {
      {"d/k.py", "import m\nimport m as n, p.q\nimport p.q as pq\n"
                 "from m import f, g as h, V, torch, C\nfrom p import r\n"
                 "from inc import i\nfrom l import j\n"},
      {"d/m.py", "import torch\n@jit\ndef f(): pass\n@jit\ndef g(): pass\n"
                 "V = 3\nclass C:\n  @jit\n  def s(): pass\n"
                 "def host(): pass\n"},
      {"d/p/__init__.py", "from .q import r\n"},
      {"d/p/q.py", "from ..m import f\n@jit\ndef r(): pass\n"},
      {"/inc/inc.py", "@jit\ndef i(): pass\n"},
      {"lib/l.tile", "@jit\ndef j(): pass\n"},
      {0}};
  Kit *kit = load(files);
  check(kit, "m", "module d/m.py in d/m.py");
  check(kit, "n.f", "function f in d/m.py");
  check(kit, "f", "function f in d/m.py");
  check(kit, "h", "function g in d/m.py");
  check(kit, "V", "global V in d/m.py");
  check(kit, "C", "host C in d/m.py");
  check(kit, "C.s", "function C.s in d/m.py");
  check(kit, "C.t", "absent");
  check(kit, "m.host", "host host in d/m.py");
  check(kit, "torch.float32", "external torch.float32 in d/k.py");
  check(kit, "r", "function r in d/p/q.py");
  check(kit, "p.q.r", "function r in d/p/q.py");
  check(kit, "pq.f", "function f in d/m.py");
  check(kit, "i", "function i in /inc/inc.py");
  check(kit, "j", "function j in lib/l.tile");
  assert_string_equal(kit_messages(kit), "");
  assert_int_equal(frontend_num_files(kit->program), 6);
  assert_string_equal(frontend_file(kit->program, 0), "d/k.py");
  kit_free(kit);
}

static void test_packages(void **state) {
  (void)state;
  const KitFile files[] = {{"/src/pkg/ops/k.py",
                            "from pkg.util import f\nfrom . import other\n"
                            "from .. import util as u\nfrom ...x import y\n"
                            "import pkg.util\n"},
                           {"/src/pkg/util.py", "@jit\ndef f(): pass\n"},
                           {"/src/pkg/ops/other.py", "@jit\ndef o(): pass\n"},
                           {"/src/x.py", "y = 1\n"},
                           {0}};
  Kit *kit = load(files);
  check(kit, "f", "function f in /src/pkg/util.py");
  check(kit, "other.o", "function o in /src/pkg/ops/other.py");
  check(kit, "u.f", "function f in /src/pkg/util.py");
  check(kit, "y", "global y in /src/x.py");
  check(kit, "pkg.util.f", "function f in /src/pkg/util.py");
  assert_string_equal(kit_messages(kit), "");
  kit_free(kit);
}

// In a package's own file `from . import x` is the module x, not that name.
static void test_package_parts(void **state) {
  (void)state;
  const KitFile files[] = {
      {"/src/k.py", "from pkg import part, version\n"},
      {"/src/pkg/__init__.py",
       "from . import part\nfrom pkg import version as version\n"},
      {"/src/pkg/part/__init__.py", "@jit\ndef p(): pass\n"},
      {"/src/pkg/version.py", "hip = None\n"},
      {0}};
  Kit *kit = load(files);
  check(kit, "part.p", "function p in /src/pkg/part/__init__.py");
  check(kit, "version.hip", "global hip in /src/pkg/version.py");
  assert_string_equal(kit_messages(kit), "");
  kit_free(kit);
}

static void test_missing(void **state) {
  (void)state;
  const KitFile files[] = {{"k.py", "from .gone import f\nfrom away import g\n"
                                    "from m import no\nimport far.away\n"},
                           {"m.py", ""},
                           {0}};
  Kit *kit = load(files);
  assert_string_equal(kit_messages(kit), ""); // only when reached
  check(kit, "g", "external away.g in k.py");
  check(kit, "far.away.x", "external far.away.x in k.py");
  check(kit, "f", "error");
  check(kit, "no", "error");
  assert_string_equal(kit_messages(kit),
                      "7:1: error: cannot find the module '.gone' in './', "
                      "to import 'f' from it\n"
                      "1:19: note: imported here\n"
                      "7:1: error: 'm.py' defines no 'no'\n"
                      "3:15: note: imported here\n");
  kit_free(kit);
}

static void test_cycles(void **state) {
  (void)state;
  const KitFile files[] = {
      {"k.py", "from m import f, g\nfrom m import a\nc = c\n"},
      {"m.py", "from k import f\nfrom k import a\nimport k\n"
               "@jit\ndef g(): pass\n"},
      {0}};
  Kit *kit = load(files);
  check(kit, "g", "function g in m.py"); // k and m import each other
  check(kit, "c", "global c in k.py");
  check(kit, "f", "error");
  check(kit, "a", "error");
  assert_string_equal(kit_messages(kit),
                      "7:1: error: 'f' is defined in terms of itself\n"
                      "1:15: note: imported here\n"
                      "1:15: note: imported here\n"
                      "7:1: error: 'a' is defined in terms of itself\n"
                      "2:15: note: imported here\n"
                      "2:15: note: imported here\n");
  kit_free(kit);
}

static void test_broken_modules(void **state) {
  (void)state;
  const KitFile files[] = {
      {"k.py", "from m import f, g\nfrom n import h\n"},
      {"m.py", "@jit\ndef f(): x x\n@jit\ndef g(): pass\n"},
      {"n.py", "x = (\n@jit\ndef h(): pass\n"},
      {0}};
  Kit *kit = load(files);
  check(kit, "g", "function g in m.py"); // only reached files are parsed
  assert_string_equal(kit_messages(kit), "");
  check(kit, "f", "error");
  check(kit, "h", "error");
  assert_string_equal(kit_messages(kit),
                      "2:12: error: expected an operator or the end of the "
                      "line, found the name 'x'\n"
                      "1:15: note: imported here\n"
                      "1:5: error: '(' is never closed\n"
                      "2:15: note: imported here\n");
  check(kit, "h", "error"); // for the next kernel
  assert_non_null(
      strstr(kit_messages(kit), "error: 'n.py' has syntax errors\n"));
  kit_free(kit);
}

// A part of a package without a file of its own is named where it is used.
static void test_broken_parts(void **state) {
  (void)state;
  const KitFile files[] = {{"k.py", "import p\n"}, {"p/n.py", "x = (\n"}, {0}};
  Kit *kit = load(files);
  check(kit, "p.n", "error");
  check(kit, "p.n", "error");
  assert_string_equal(kit_messages(kit),
                      "1:5: error: '(' is never closed\n"
                      "7:1: error: 'p/n.py' has syntax errors\n");
  kit_free(kit);
}

// A file is read when a name of it is needed, not to find its changes to
// others.
static void test_effects(void **state) {
  (void)state;
  const KitFile files[] = {
      {"k.py", "import b\nfrom m import V\nfrom n import h\n"},
      {"b.py", "import m, n, other\nm.V = 2\nn.h = 3\n"},
      {"m.py", "V = 1\n"},
      {"n.py", "x = (\n@jit\ndef h(): pass\n"},
      {"other.py", "import m\nm = 3\n"},
      {0}};
  Kit *kit = load(files);
  check(kit, "V", "global V in m.py");
  assert_string_equal(kit_messages(kit), "");
  assert_int_equal(frontend_num_files(kit->program), 2);
  assert_string_equal(frontend_file(kit->program, 1), "m.py");
  check(kit, "h", "error");
  assert_string_equal(kit_messages(kit), "1:5: error: '(' is never closed\n"
                                         "3:15: note: imported here\n");
  kit_free(kit);
}

// One of many ways to a file is missing.
static void test_layers(void **state) {
  (void)state;
  enum { LAYERS = 60, FILES = 2 * LAYERS + 1 };
  static char paths[FILES][16], texts[FILES][64];
  KitFile files[FILES + 1] = {
      {"k.py", "try:\n  from a0 import V\nexcept ImportError:\n  V = 2\n"}};
  for (int i = 0; i < 2 * LAYERS; i++) {
    const int layer = i / 2;
    snprintf(paths[i], sizeof paths[i], "%c%d.py", "ab"[i % 2], layer);
    snprintf(texts[i], sizeof texts[i], "import a%d, b%d\nV = 1\n", layer + 1,
             layer + 1);
    files[i + 1] = (KitFile){paths[i], texts[i]};
  }
  Kit *kit = load(files);
  check(kit, "V", "global V in a0.py");
  assert_string_equal(kit_messages(kit), "");
  kit_free(kit);
}

static void test_choices(void **state) {
  (void)state;
  const KitFile files[] = {
      {"k.py", "try:\n  import triton\n  from m import a\nexcept E:\n"
               "  triton = None\n  a = 1\n"
               "if fast:\n  @jit\n  def b(): pass\nelse:\n  b = tl.exp\n"
               "if there:\n  import triton.language as t\nelse:\n"
               "  t = Placeholder()\n"
               "from s import *\n"},
      {"m.py", "@jit\ndef a(): pass\n"},
      {"s.py", "@jit\ndef z(): pass\n"},
      {0}};
  Kit *kit = load(files);
  check(kit, "triton.cdiv", "builtin triton.cdiv");
  check(kit, "a", "function a in m.py");
  check(kit, "b", "builtin triton.language.exp");     // the last one wins
  check(kit, "t.exp", "builtin triton.language.exp"); // not the stand-in
  check(kit, "z", "function z in s.py");
  kit_free(kit);
}

static void test_globals(void **state) {
  (void)state;
  const KitFile files[] = {
      {"k.py", "A = tl.constexpr(4)\nB: tl.constexpr = 5\nC = x ? y\n"
               "D = E = 3\nF, G = 1, 2\nH += 1\nI = 6; J = 7\n"},
      {0}};
  Kit *kit = load(files);
  const SrcLoc use = {0};
  AstFile *file = program_main_file(kit->program);
  Symbol a = program_lookup(kit->program, &kit->diags, file, "A", use);
  assert_int_equal(a.global->value->kind, EXPR_CALL);
  Symbol b = program_lookup(kit->program, &kit->diags, file, "B", use);
  assert_int_equal(b.global->value->integer, 5);
  assert_int_equal(b.global->annotation->kind, EXPR_ATTRIBUTE);
  Symbol c = program_lookup(kit->program, &kit->diags, file, "C", use);
  assert_null(c.global->value);
  Symbol e = program_lookup(kit->program, &kit->diags, file, "E", use);
  assert_int_equal(e.global->value->kind, EXPR_NAME);
  assert_string_equal(e.global->value->name, "D");
  Symbol g = program_lookup(kit->program, &kit->diags, file, "G", use);
  assert_int_equal(g.global->target->kind, EXPR_TUPLE);
  Symbol h = program_lookup(kit->program, &kit->diags, file, "H", use);
  assert_int_equal(h.global->op, OPERATOR_ADD);
  assert_null(h.global->value);
  check(kit, "J", "global J in k.py");
  assert_string_equal(kit_messages(kit), "");
  kit_free(kit);
}

static void test_sources(void **state) {
  (void)state;
  const KitFile files[] = {
      {"k.py", "from m import f\n"}, {"m.py", "@jit\ndef f(): pass\n"}, {0}};
  Kit *kit = load(files);
  check(kit, "f", "function f in m.py");
  DiagList later;
  diag_init(&later, &kit->arena);
  frontend_add_sources(kit->program, &later);
  assert_non_null(diag_find_source(&later, "k.py"));
  assert_non_null(diag_find_source(&later, "m.py"));
  kit_free(kit);
}

// A chain of files of 100 KiB: each function calls that of the next file.
static void make_chain(Kit *kit, KitFile *files, int count) {
  enum { SIZE = 100 << 10 };
  char *blank = arena_array(&kit->arena, char, SIZE + 1);
  memset(blank, '\n', SIZE);
  for (int i = 0; i < count; i++)
    files[i] = (KitFile){arena_printf(&kit->arena, "m%d.py", i),
                         arena_printf(&kit->arena,
                                      "from m%d import f as g\nV = %d\n"
                                      "def f(x):\n  g(x)\n%s",
                                      i + 1, i, blank)};
}

static int count_read(Kit *kit, const KitFile *files) {
  DiagList later;
  diag_init(&later, &kit->arena);
  frontend_add_sources(kit->program, &later);
  int count = 0;
  for (; files->path; files++)
    count += diag_find_source(&later, files->path) != NULL;
  return count;
}

// Functions that the main file calls are searched for changes, but not all of a
// large package; a name that is asked for is found in any case.
static void test_chain(void **state) {
  (void)state;
  enum { CHAIN = 60 };
  Kit *kit = kit_create();
  KitFile files[CHAIN + 2] = {
      {"k.py", "from m0 import f\nfrom m50 import V\nL = [1]\nf(L)\n"}};
  make_chain(kit, files + 1, CHAIN);
  kit->files = files;
  const FrontendOptions options = {.reader = {kit, kit_read}};
  const Source *source = source_create(&kit->arena, files[0].path,
                                       files[0].text, strlen(files[0].text));
  kit->program = frontend_parse(&kit->arena, &kit->diags, source, &options);
  assert_non_null(kit->program);
  assert_in_range(count_read(kit, files), 10, 15);
  check(kit, "V", "global V in m50.py");
  assert_in_range(count_read(kit, files), 11, 20);
  kit_free(kit);
}

// A call that is given no name, or a function in a table, reads no file.
static void test_calls_without_names(void **state) {
  (void)state;
  const KitFile files[] = {
      {"k.py", "from m import f\nL = [1]\nf()\nT = [(f, 1), (f, 2)]\n"},
      {"m.py", "def f(*x): return x\n"},
      {0}};
  Kit *kit = load(files);
  assert_int_equal(count_read(kit, files), 1);
  check(kit, "f", "host f in m.py");
  assert_int_equal(count_read(kit, files), 2);
  kit_free(kit);
}

// A run of the modules finds the changes that lines of an imported file make in
// others: calls in these lines read no file.
static void test_calls_of_imported_files(void **state) {
  (void)state;
  const KitFile files[] = {
      {"k.py", "from m import *\n"},
      {"m.py", "from n import f, T\nL = [1]\nf(L, T)\nV = len(L)\n"},
      {"n.py", "T = [1]\ndef f(*x): return x\n"},
      {0}};
  Kit *kit = load(files);
  check(kit, "V", "global V in m.py");
  assert_int_equal(count_read(kit, files), 2);
  kit_free(kit);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_builtins),
      cmocka_unit_test(test_implied),
      cmocka_unit_test(test_siblings),
      cmocka_unit_test(test_packages),
      cmocka_unit_test(test_package_parts),
      cmocka_unit_test(test_missing),
      cmocka_unit_test(test_cycles),
      cmocka_unit_test(test_broken_modules),
      cmocka_unit_test(test_broken_parts),
      cmocka_unit_test(test_effects),
      cmocka_unit_test(test_layers),
      cmocka_unit_test(test_choices),
      cmocka_unit_test(test_globals),
      cmocka_unit_test(test_sources),
      cmocka_unit_test(test_chain),
      cmocka_unit_test(test_calls_without_names),
      cmocka_unit_test(test_calls_of_imported_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
