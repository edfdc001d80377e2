// values.c -- results of operations, by the interpreter, against values.txt
// (by make_values.py: Triton's interpreter, NumPy and PyTorch).
//
//   values VALUES.TXT
//
// `= TYPE LIST words` are the bits of 16 inputs.  After `> lines` of a kernel,
// a row `X Y Z A B words` has the result, of type Z, for x of the list A of X
// and y of the list B of Y; Y is `-` where there is none.  `@3.9` before it
// says that it holds for that release of Triton; others hold for all.
#include "frontend/frontend.h"
#include "ir/interp.h"
#include "ir/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 16, MAX_INPUTS = 128, MAX_LINE = 1024, MAX_BODY = 1024 };

typedef struct {
  char key[32]; // "i8 X"
  uint64_t bits[LANES];
} Inputs;

typedef struct {
  Inputs inputs[MAX_INPUTS];
  int num_inputs;
  char body[MAX_BODY];
  int num_rows, num_wrong;
} Values;

typedef struct {
  const char *x, *y, *z, *x_list, *y_list;
  int release;
  uint64_t wanted[LANES];
  bool nan[LANES];
} Row;

static size_t size_of(const char *type) {
  if (strstr(type, "64")) return 8;
  if (strstr(type, "32")) return 4;
  return strstr(type, "16") ? 2 : 1;
}

// -- Memory: x, y and z, one after the other ---------------------------------

typedef struct {
  _Alignas(8) unsigned char x[LANES * 8], y[LANES * 8], z[LANES * 8];
} Memory;

static uint64_t nan_of(const char *type) {
  if (!strcmp(type, "fp64")) return 0x7ff8000000000000;
  if (!strcmp(type, "fp32")) return 0x7fc00000;
  if (!strcmp(type, "fp16")) return 0x7e00;
  return !strcmp(type, "bf16") ? 0x7fc0 : 0x7f;
}

static bool is_nan(const char *type, uint64_t bits) {
  const uint64_t magnitude = bits << (64 - 8 * size_of(type)) << 1;
  const uint64_t infinity = !strcmp(type, "fp64")    ? 0xffe0000000000000
                            : !strcmp(type, "fp32")  ? 0xff00000000000000
                            : !strcmp(type, "fp16")  ? 0xf800000000000000
                            : !strcmp(type, "bf16")  ? 0xff00000000000000
                            : !strcmp(type, "fp8e5") ? 0xf800000000000000
                                                     : 0xfc00000000000000;
  return magnitude > infinity;
}

static void put(unsigned char *lanes, const char *type, const uint64_t *bits) {
  for (int i = 0; i < LANES; i++)
    memcpy(lanes + (size_t)i * size_of(type), &bits[i], size_of(type));
}

static const uint64_t *find(const Values *v, const char *type,
                            const char *list) {
  char key[32];
  snprintf(key, sizeof key, "%s %s", type, list);
  for (int i = 0; i < v->num_inputs; i++) {
    if (!strcmp(v->inputs[i].key, key)) return v->inputs[i].bits;
  }
  return NULL;
}

// -- One row -----------------------------------------------------------------

static const char *source_of(Arena *arena, const Values *v, const Row *row) {
  const bool two = *row->y != '-';
  Str out = str_in(arena);
  str_addf(&out, "@jit\ndef k(X: *%s, Y: *%s, Z: *%s):\n", row->x,
           two ? row->y : row->x, row->z);
  str_add(&out, "    i = tl.arange(0, 16)\n    x = tl.load(X + i)\n"
                "    T: tl.constexpr = Z.dtype.element_ty\n");
  if (two) str_add(&out, "    y = tl.load(Y + i)\n");
  str_add(&out, v->body);
  str_add(&out, "    tl.static_assert(z.dtype == T)\n"
                "    tl.store(Z + i, z)\n");
  return str_text(&out);
}

static bool interpret(Arena *arena, const char *text, int release,
                      Memory *memory, DiagList *diags) {
  const Source *source = source_create(arena, "k.tile", text, strlen(text));
  Module *m = module_create(arena, diags);
  const FrontendOptions options = {.release = release};
  Program *program = frontend_parse(arena, diags, source, &options);
  const AstFunction *kernel =
      program ? frontend_find_kernel(program, diags, "k") : NULL;
  const ArgSpec args[3] = {{0}};
  const Specialization spec = {.args = args};
  if (!kernel || !frontend_specialize(program, kernel, &spec, m)) return false;
  if (!module_verify(m)) return false;
  const InterpArg values[] = {
      {.as.p = memory->x}, {.as.p = memory->y}, {.as.p = memory->z}};
  const InterpMemory all = {memory, sizeof *memory};
  const InterpLaunch launch = {
      .args = values, .memory = &all, .num_memory = 1, .grid = {1, 1, 1}};
  return interp_run(arena, m->functions, &launch, diags);
}

static bool compare(const Values *v, const Row *row, const Memory *memory) {
  for (int i = 0; i < LANES; i++) {
    uint64_t found = 0;
    memcpy(&found, memory->z + (size_t)i * size_of(row->z), size_of(row->z));
    if (row->nan[i] ? is_nan(row->z, found) : found == row->wanted[i]) continue;
    const uint64_t *x = find(v, row->x, row->x_list);
    const uint64_t *y = find(v, row->y, row->y_list);
    printf("%sTriton %s, x %s %llx, y %s %llx: wanted %s %llx%s, found %llx\n",
           v->body, frontend_release_name(row->release), row->x,
           (unsigned long long)x[i], row->y, (unsigned long long)(y ? y[i] : 0),
           row->z, (unsigned long long)row->wanted[i],
           row->nan[i] ? " (NaN)" : "", (unsigned long long)found);
    return false;
  }
  return true;
}

static bool check(const Values *v, const Row *row) {
  static Memory memory;
  memset(&memory, 0xa5, sizeof memory);
  const uint64_t *x = find(v, row->x, row->x_list);
  const uint64_t *y = find(v, row->y, row->y_list);
  if (!x) return printf("no list %s of %s\n", row->x_list, row->x), false;
  put(memory.x, row->x, x);
  if (y) put(memory.y, row->y, y);
  Arena arena;
  DiagList diags;
  arena_init(&arena, &system_allocator);
  diag_init(&diags, &arena);
  const char *text = source_of(&arena, v, row);
  const bool ran = interpret(&arena, text, row->release, &memory, &diags);
  if (!ran)
    printf("%sTriton %s, x %s, y %s: %s\n", v->body,
           frontend_release_name(row->release), row->x, row->y,
           diags.first ? diags.first->text : "");
  const bool same = ran && compare(v, row, &memory);
  arena_free(&arena);
  return same;
}

// -- The file ----------------------------------------------------------------

static void read_words(const char *type, uint64_t *bits, bool *nan) {
  for (int i = 0; i < LANES; i++) {
    const char *word = strtok(NULL, " ");
    const bool is = word && !strcmp(word, "nan");
    bits[i] = is ? nan_of(type) : word ? strtoull(word, NULL, 16) : 0;
    if (nan) nan[i] = is;
  }
}

static void read_inputs(Values *v, char *line) {
  Inputs *in = &v->inputs[v->num_inputs++ % MAX_INPUTS];
  const char *type = strtok(line + 1, " "), *list = strtok(NULL, " ");
  snprintf(in->key, sizeof in->key, "%s %s", type, list);
  read_words(type, in->bits, NULL);
}

static void read_row(Values *v, char *line) {
  Row row = {.x = strtok(line, " ")};
  const int only = *row.x == '@' ? frontend_find_release(row.x + 1) : 0;
  if (only) row.x = strtok(NULL, " ");
  const char **const rest[] = {&row.y, &row.z, &row.x_list, &row.y_list};
  for (int i = 0; i < 4; i++) *rest[i] = strtok(NULL, " ");
  read_words(row.z, row.wanted, row.nan);
  enum { FIRST_RELEASE = 38 };
  for (row.release = FIRST_RELEASE; frontend_release_name(row.release);
       row.release++) {
    if (only && only != row.release) continue;
    v->num_rows++;
    v->num_wrong += !check(v, &row);
  }
}

static void read_line(Values *v, char *line) {
  if (*line == '#' || !*line) {
    *v->body = 0;
  } else if (*line == '>') {
    const size_t used = strlen(v->body);
    snprintf(v->body + used, sizeof v->body - used, "    %s\n", line + 2);
  } else if (*line == '=') {
    read_inputs(v, line);
  } else {
    read_row(v, line);
  }
}

int main(int argc, char **argv) {
  static Values v;
  FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
  if (!file) return fprintf(stderr, "values VALUES.TXT\n"), 2;
  char line[MAX_LINE];
  while (fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = 0;
    read_line(&v, line);
  }
  fclose(file);
  printf("%d of %d rows differ\n", v.num_wrong, v.num_rows);
  return v.num_wrong || !v.num_rows;
}
