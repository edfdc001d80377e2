// types.c -- the type of each expression, or its refusal, compared with tables
// from Triton (types.txt, by make_types.py).
//
//   types TYPES.TXT           0 if every cell is the same
//   types TYPES.TXT --tell    prints each cell that differs, and its message
//
// Intended differences are rows of differences.def.
//
// A table is some lines of a kernel, the types of `x` down, those of `y`, or
// literals for it, across, and in each cell the type of `z`, by each release of
// Triton that the head of the file names: `a|b` if they differ.
#include "frontend/frontend.h"
#include "ir/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 32, MAX_RELEASES = 8, MAX_LINE = 1024, MAX_BODY = 2048 };

typedef enum { WIDER, NARROWER } Kind;
typedef enum { ANY, FP8, FP8_LITERAL } Operands;

typedef struct {
  Kind kind;
  Operands operands;
  const char *expression, *why;
} Difference;

static const Difference differences[] = {
#define DIFFERENCE(kind, operands, expression, why)                            \
  {kind, operands, expression, why},
#include "tests/semantics/differences.def"
};
enum { NUM_DIFFERENCES = sizeof differences / sizeof *differences };

typedef struct {
  FILE *file;
  bool tell;
  char body[MAX_BODY]; // the lines of the table, indented
  char columns[MAX_COLUMNS][64];
  int num_columns;
  bool literals; // are the columns literals?
  int releases[MAX_RELEASES];
  int num_releases;
  int num_cells, num_wrong;
  bool seen[NUM_DIFFERENCES];
} Tables;

static const char print_type[] = "    tl.static_print(z.dtype)\n";

static const char *source_of(Arena *arena, const Tables *t, const char *x,
                             const char *y) {
  Str out = str_in(arena);
  str_addf(&out, "@jit\ndef k(x: %s, ", x);
  if (!t->literals) str_addf(&out, "y: %s, ", y);
  str_add(&out, "c: i1, p: *i8):\n");
  if (t->literals) str_addf(&out, "    y: tl.constexpr = %s\n", y);
  str_add(&out, t->body);
  if (!strstr(t->body, print_type)) str_add(&out, print_type);
  return str_text(&out);
}

// The name that the tables use: i32 for int32, *i32 for a pointer to it.
static const char *short_name(Arena *arena, const char *name) {
  const bool pointer = !strncmp(name, "pointer to ", 11);
  if (pointer) name += 11;
  const char *integer = strstr(name, "int");
  const char *sign = !integer ? "" : *name == 'u' ? "u" : "i";
  const char *rest = integer ? integer + 3 : name;
  return arena_printf(arena, "%s%s%s", pointer ? "*" : "", sign, rest);
}

// The type, or "!", with the message in `*why`.
static const char *type_of(Arena *arena, int release, const char *text,
                           const char **why) {
  DiagList diags;
  diag_init(&diags, arena);
  const Source *source = source_create(arena, "k.tile", text, strlen(text));
  Module *m = module_create(arena, &diags);
  const FrontendOptions options = {.release = release};
  Program *program = frontend_parse(arena, &diags, source, &options);
  const AstFunction *kernel =
      program ? frontend_find_kernel(program, &diags, "k") : NULL;
  const ArgSpec args[4] = {{0}};
  const Specialization spec = {.args = args};
  const bool ok = kernel && frontend_specialize(program, kernel, &spec, m);
  const Diag *first = diags.first;
  while (first && first->severity == DIAG_WARNING) first = first->next;
  *why = first ? first->text : "";
  if (!ok) return "!";
  if (!module_verify(m)) return "invalid";
  return short_name(arena, *why);
}

static bool covers(const Tables *t, const Difference *d, const char *x,
                   const char *y, const char *wanted, const char *found) {
  if (!strstr(t->body, d->expression)) return false;
  const bool fp8 = !strncmp(x, "fp8", 3) || !strncmp(y, "fp8", 3);
  if (d->operands != ANY && !fp8) return false;
  if (d->operands == FP8_LITERAL && !t->literals) return false;
  return !strcmp(d->kind == WIDER ? wanted : found, "!");
}

static bool is_meant(Tables *t, const char *x, const char *y,
                     const char *wanted, const char *found) {
  for (int i = 0; i < NUM_DIFFERENCES; i++) {
    if (covers(t, &differences[i], x, y, wanted, found))
      return t->seen[i] = true;
  }
  return false;
}

static void check_type(Tables *t, const char *x, const char *y, int release,
                       const char *wanted) {
  Arena arena;
  arena_init(&arena, &system_allocator);
  const char *text = source_of(&arena, t, x, y), *why;
  const char *found = type_of(&arena, release, text, &why);
  t->num_cells++;
  if (strcmp(found, wanted) && !is_meant(t, x, y, wanted, found)) {
    t->num_wrong++;
    if (t->tell || t->num_wrong <= 20)
      printf("%sx: %s, y: %s, Triton %s: wanted %s, found %s (%s)\n", t->body,
             x, y, frontend_release_name(release), wanted, found, why);
  }
  arena_free(&arena);
}

// The last part of a cell stands for all releases from there on.
static void check_cell(Tables *t, const char *x, const char *y, char *cell) {
  for (int i = 0; i < t->num_releases; i++) {
    char *end = strchr(cell, '|');
    if (end) *end = 0;
    check_type(t, x, y, t->releases[i], cell);
    if (end) cell = end + 1;
  }
}

static void read_columns(Tables *t, char *line) {
  strtok(line, " ");
  t->num_columns = 0;
  for (char *word; (word = strtok(NULL, " ")) && t->num_columns < MAX_COLUMNS;)
    snprintf(t->columns[t->num_columns++], sizeof *t->columns, "%s", word);
}

// One expression of `x` alone is a table of one row, the types across.
static void read_row(Tables *t, char *line) {
  const char *x = strtok(line, " ");
  const bool across = !strcmp(x, "-");
  for (int i = 0; i < t->num_columns; i++) {
    char *wanted = strtok(NULL, " ");
    if (across)
      check_cell(t, t->columns[i], "i32", wanted);
    else
      check_cell(t, x, t->columns[i], wanted);
  }
}

static void read_releases(Tables *t, char *line) {
  for (char *name = strtok(line, " "); name && t->num_releases < MAX_RELEASES;
       name = strtok(NULL, " "))
    t->releases[t->num_releases++] = frontend_find_release(name);
}

static void read_line(Tables *t, char *line) {
  static const char releases[] = "# releases: ";
  if (!strncmp(line, releases, sizeof releases - 1)) {
    line[strcspn(line, ";")] = 0;
    read_releases(t, line + sizeof releases - 1);
  } else if (*line == '#' || !*line) {
    *t->body = 0;
  } else if (*line == '>') {
    const size_t used = strlen(t->body);
    snprintf(t->body + used, sizeof t->body - used, "    %s\n", line + 2);
  } else if (*line == 'x') {
    t->literals = !strncmp(line, "x\\l", 3);
    read_columns(t, line);
  } else {
    read_row(t, line);
  }
}

static int num_unseen(const Tables *t) {
  int count = 0;
  for (int i = 0; i < NUM_DIFFERENCES; i++) {
    if (t->seen[i]) continue;
    count++;
    printf("no longer so: '%s', %s\n", differences[i].expression,
           differences[i].why);
  }
  return count;
}

int main(int argc, char **argv) {
  static Tables t;
  t.file = argc > 1 ? fopen(argv[1], "r") : NULL;
  if (!t.file) return fprintf(stderr, "types TYPES.TXT\n"), 2;
  t.tell = argc > 2 && !strcmp(argv[2], "--tell");
  char line[MAX_LINE];
  while (fgets(line, sizeof line, t.file)) {
    line[strcspn(line, "\n")] = 0;
    read_line(&t, line);
  }
  fclose(t.file);
  printf("%d of %d cells differ\n", t.num_wrong, t.num_cells);
  return num_unseen(&t) || t.num_wrong || !t.num_cells;
}
