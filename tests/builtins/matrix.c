// matrix.c -- docs/conformance.md: every function of the language, with every
// type, on every device.
//
//   matrix                 prints the page
//   matrix --rows A B      a part of it
//   matrix --check PAGE    compares PAGE with a sample of the rows, or with all
//                          where TILE_TEST_FULL is set
//
// A function is used once with each type, as uses.def says.  If the frontend
// accepts it, one kernel with all the types is interpreted, compiled for two
// GPUs, and run on the CPU and in the simulator, which must agree with the
// interpreter: exactly on integers, to a few digits on floats.  Error bounds
// are for the conformance tests to check.
#include "tests/builtins/matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIPPED = 77 };

static const Row rows[] = {
#define GROUP(title) {ROW_GROUP, title, "", "", ""},
#define BUILTIN(name, space, handler, data, params, summary)                   \
  {ROW_BUILTIN, name, #space, params, #handler},
#define UNSUPPORTED(name, space) {ROW_MISSING, name, #space, "", ""},
#include "frontend/core/builtins.def"
};
enum { NUM_ROWS = sizeof rows / sizeof *rows };

static const char *const types[] = {
    "int1",    "int8",     "int16",   "int32",    "int64",      "uint8",
    "uint16",  "uint32",   "uint64",  "float8e5", "float8e4nv", "float8e4b15",
    "float16", "bfloat16", "float32", "float64"};
enum { NUM_TYPES = sizeof types / sizeof *types };
static const char *const short_types[NUM_TYPES] = {
    "i1",  "i8",    "i16",     "i32",      "i64",  "u8",   "u16",  "u32",
    "u64", "fp8e5", "fp8e4nv", "fp8e4b15", "fp16", "bf16", "fp32", "fp64"};

typedef struct {
  const char *name, *text; // NULL text: absent
  const char *why;
} Use;

// Uses that begin with these words need a value that only host code has.
#define OF_HOST "HELD = "

static const Use uses[] = {
#define USE(name, text)   {name, text, NULL},
#define ABSENT(name, why) {name, NULL, why},
#define HOST(name, held)  {name, OF_HOST held, NULL},
#include "tests/builtins/uses.def"
};

static const Use *find_use(const char *name) {
  for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
    if (!strcmp(uses[i].name, name)) return &uses[i];
  }
  return NULL;
}

// -- The source --------------------------------------------------------------

static const char *prefix_of(const Row *row) {
  if (!strcmp(row->space, "LIBDEVICE")) return "tl.libdevice.";
  const bool bare =
      !strcmp(row->space, "PYTHON") || !strcmp(row->space, "HOST");
  return bare ? "" : "tl.";
}

// A call with x, y, z for the required parameters.
static const char *default_use(Arena *arena, const Row *row) {
  static const char *const tiles[] = {"x", "y", "z", "x"};
  static const char *const ones[] = {"1", "1", "1", "1"};
  const bool of_host = !strcmp(row->space, "HOST");
  const char *const *names = of_host ? ones : tiles;
  if (!strncmp(row->name, "dtype.get", 9))
    return arena_printf(arena, "r = T.%s() + x * 0", row->name + 6);
  if (!strncmp(row->name, "tensor.", 7))
    return arena_printf(arena, "r = x.%s(%s)", row->name + 7,
                        strcmp(row->params, "self") ? "y" : "");
  if (!strncmp(row->name, "dtype.", 6))
    return arena_printf(arena, "r = x if T.%s() else y", row->name + 6);
  if (!strncmp(row->name, "target_info.", 12))
    return arena_printf(arena, "r = x if tl.%s() else x", row->name);
  Str out = str_in(arena);
  str_addf(&out, "r = %s%s(", prefix_of(row), row->name);
  int count = 0;
  for (const char *p = row->params; *p && count < 4; count++) {
    const size_t length = strcspn(p, " ");
    if (p[length - 1] == '?') break;
    str_addf(&out, "%s%s", count ? ", " : "", names[count]);
    p += length + (p[length] == ' ');
  }
  str_add(&out, of_host ? ")\nr = x if r >= 0 else y" : ")");
  return str_text(&out);
}

static void add_lines(Str *out, const char *text) {
  while (*text) {
    const size_t length = strcspn(text, "\n");
    str_add(out, "    ");
    str_add_bytes(out, text, length);
    str_add(out, "\n");
    text += length + (text[length] == '\n');
  }
}

static void add_use(Str *out, const char *use) {
  const bool of_host = !strncmp(use, OF_HOST, strlen(OF_HOST));
  str_addf(out,
           "import functools\nimport heapq\nimport importlib\nimport "
           "itertools\nimport math\n"
           "import operator\nimport os\nimport packaging.version\n"
           "import platform\nimport torch\nimport triton\n"
           "import triton.language as tl\n\n%s\n",
           of_host ? use : "");
  str_add(out, "@triton.jit\ndef plus(a, b):\n    return a + b\n\n"
               "@triton.aggregate\nclass Pair:\n    first: tl.tensor\n"
               "    second: tl.tensor\n\n"
               "@triton.jit\n"
               "def use(out, scratch, T: tl.constexpr, S: tl.constexpr = 16):\n"
               "    i = tl.arange(0, 16)\n"
               "    f: tl.constexpr = 0.0625 if T.is_floating() else 1\n"
               "    x = tl.cast((i + 1) * f, T)\n"
               "    y = tl.cast((16 - i) * f, T)\n"
               "    z = tl.cast((i & 3) + 1, T)\n");
  if (strstr(use, "(m,"))
    add_lines(out, "m = tl.broadcast_to(x[:, None], [16, 16])");
  if (strstr(use, "(p"))
    add_lines(out, "p = scratch.to(tl.pointer_type(T))\n"
                   "tl.store(p + i, x)\ntl.debug_barrier()");
  add_lines(out, of_host ? "tl.static_assert(HELD)\nr = x" : use);
  str_add(out, "    tl.store(out + i, tl.zeros([16], tl.float64) + "
               "r.to(tl.float64))\n\n");
}

const char *matrix_source(Arena *arena, const char *use, unsigned types_used) {
  Str out = str_in(arena);
  add_use(&out, use);
  str_add(&out, "@triton.jit\ndef k(out: *fp64):\n    pass\n");
  for (int t = 0; t < NUM_TYPES; t++) {
    if (!(types_used >> t & 1)) continue;
    str_addf(&out, "    use(out + %d, out + %d, tl.%s)\n", t * NUM_LANES,
             NUM_TYPES * NUM_LANES + t * SCRATCH, types[t]);
  }
  return str_text(&out);
}

// -- The page ----------------------------------------------------------------

static const char *const device_names[NUM_DEVICES] = {"the interpreter", "cpu",
                                                      "sm_80", "sm_90", "sim"};

static void put_cell(const Result *result, int type, Str *out) {
  const bool only_gpu = result->only_gpu >> type & 1;
  if (result->refused[type] && !only_gpu) {
    str_add(out, " no |");
    return;
  }
  Str missing = str_in(out->arena);
  // If only GPUs accept a form, the interpreter and the CPU need not.
  for (int d = only_gpu ? 2 : 0; d < NUM_DEVICES; d++) {
    if (result->passed[d] >> type & 1) continue;
    str_addf(&missing, "%s%s", missing.length ? ", " : "", device_names[d]);
  }
  if (missing.length)
    str_addf(out, " not on %s |", str_text(&missing));
  else
    str_add(out, only_gpu ? " GPU |" : " yes |");
}

static bool is_among(const char *text, const char *const *texts, int count) {
  for (int i = 0; i < count; i++) {
    if (texts[i] && !strcmp(texts[i], text)) return true;
  }
  return false;
}

// The messages of refused uses, each once.
static void put_reasons(const Result *result, Str *out) {
  for (int t = 0; t < NUM_TYPES; t++) {
    const char *id = result->refused[t], *why = result->why[t];
    if (id && !is_among(id, result->refused, t))
      str_addf(out, " [%s](errors.md#%s)", id, id);
    if (why && !is_among(why, result->why, t)) str_addf(out, " %s", why);
  }
  str_add(out, " |\n");
}

static void put_header(const char *title, Str *out) {
  str_addf(out, "\n## %s\n\n| function |", title);
  for (int t = 0; t < NUM_TYPES; t++) str_addf(out, " %s |", short_types[t]);
  str_add(out, " why not |\n|---|");
  for (int t = 0; t < NUM_TYPES; t++) str_add(out, "---|");
  str_add(out, "---|\n");
}

static void put_name(const Row *row, Str *out) {
  const bool library = !strcmp(row->space, "LIBDEVICE");
  str_addf(out, "| `%s%s` |", library ? "libdevice." : "", row->name);
}

// Ends a row with a dash for each type, and then the word.
static void put_word(const char *word, Str *out) {
  for (int t = 0; t < NUM_TYPES; t++) str_add(out, " – |");
  str_addf(out, " %s |\n", word);
}

static bool put_row(Matrix *m, const Row *row, Str *out) {
  const Use *use = find_use(row->name);
  put_name(row, out);
  if (row->kind == ROW_MISSING || (use && !use->text)) {
    put_word(use && !use->text ? use->why : "not yet", out);
    return true;
  }
  Arena arena;
  arena_init(&arena, &system_allocator);
  Result result = {.num_types = NUM_TYPES};
  const char *text = use ? use->text : default_use(&arena, row);
  const bool ok = matrix_try(m, &arena, text, &result);
  for (int t = 0; t < NUM_TYPES && ok; t++) put_cell(&result, t, out);
  put_reasons(&result, out);
  arena_free(&arena);
  if (!ok) fprintf(stderr, "%s: cannot be tried: %s\n", row->name, text);
  return ok;
}

static const char head[] =
    "# Conformance\n\n"
    "Every function of the language with every type, as a test finds it. *Yes* "
    "means that the\ninterpreter runs it, that code for `sm_80` and `sm_90` is "
    "made, and that the CPU and the\nsimulator give what the interpreter "
    "gives. *GPU*: only GPUs have it; it is compiled for both,\nand the "
    "simulator runs it. *No*: it is refused, by the message in the last "
    "column; a type that\nhas to be converted first counts as refused. A "
    "function that only host code has is\ncalled there, and the kernel gets "
    "its result. How exact the results are is another question,\nwhich "
    "[testing.md](testing.md) answers.\n";

static bool put_part(Matrix *m, Arena *arena, int from, int to) {
  bool ok = true;
  if (!from) fputs(head, stdout);
  for (int i = from; i < to && i < NUM_ROWS; i++) {
    Str line = str_in(arena);
    if (rows[i].kind == ROW_GROUP)
      put_header(rows[i].name, &line);
    else
      ok = put_row(m, &rows[i], &line) && ok;
    fputs(str_text(&line), stdout);
    fflush(stdout);
  }
  return ok;
}

// -- Checking it -------------------------------------------------------------

static char *read_page(const char *path) {
  enum { MAX_PAGE = 1 << 20 };
  FILE *file = fopen(path, "rb");
  char *text = calloc(1, MAX_PAGE + 1);
  if (file && text && !fread(text, 1, MAX_PAGE, file)) *text = 0;
  if (file) fclose(file);
  return text;
}

// Every row must have its line, in order; the lines of the sample must be true.
static bool check_page(Matrix *m, Arena *arena, const char *page) {
  enum { EVERY = 12 };
  const bool full = getenv("TILE_TEST_FULL") != NULL;
  const char *at = strncmp(page, head, strlen(head)) ? NULL : page;
  bool ok = at != NULL;
  for (int i = 0; i < NUM_ROWS && at; i++) {
    Str line = str_in(arena);
    const bool tried = full || i % EVERY == 3;
    if (rows[i].kind == ROW_GROUP)
      put_header(rows[i].name, &line);
    else if (tried)
      ok = put_row(m, &rows[i], &line) && ok;
    else
      put_name(&rows[i], &line);
    at = strstr(at, str_text(&line));
    if (!at) fprintf(stderr, "the page lacks: %s\n", str_text(&line));
  }
  return ok && at;
}

static bool run(Matrix *m, Arena *arena, int argc, char **argv) {
  if (argc > 3) return put_part(m, arena, atoi(argv[2]), atoi(argv[3]));
  if (argc < 3) return put_part(m, arena, 0, NUM_ROWS);
  char *page = read_page(argv[2]);
  const bool ok = page && check_page(m, arena, page);
  free(page);
  return ok;
}

int main(int argc, char **argv) {
  Arena arena;
  Matrix m;
  if (!matrix_open(&m)) {
    puts("SKIP: there is no simulator");
    return SKIPPED;
  }
  arena_init(&arena, &system_allocator);
  const bool ok = run(&m, &arena, argc, argv);
  arena_free(&arena);
  matrix_close(&m);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
