// doc_tables.c -- prints tables, and compares them with a document.
#include "tests/tools/doc_tables.h"

#include <stdio.h>
#include <string.h>

static bool read_file(const char *name, Str *out) {
  FILE *in = fopen(name, "rb");
  if (!in) return false;
  char part[4096];
  for (size_t n; (n = fread(part, 1, sizeof part, in)) > 0;) {
    str_add_bytes(out, part, n);
  }
  fclose(in);
  return true;
}

static bool has_table(Arena *arena, const char *file, const DocTable *table) {
  Str wanted = str_in(arena);
  str_addf(&wanted, "<!-- %s -->\n\n", table->name);
  table->add(&wanted);
  str_add(&wanted, "\n<!-- end -->\n");
  return strstr(file, str_text(&wanted));
}

static int check(Arena *arena, const char *program, const char *name,
                 const DocTable *tables, int count) {
  Str file = str_in(arena);
  int code = 0;
  if (!read_file(name, &file)) {
    fprintf(stderr, "cannot read %s\n", name);
    return 2;
  }
  for (int i = 0; i < count; i++) {
    if (has_table(arena, str_text(&file), &tables[i])) continue;
    fprintf(stderr, "the table is stale: paste what `%s %s` prints\n", program,
            tables[i].name);
    code = 1;
  }
  return code;
}

static int print(Arena *arena, const char *name, const DocTable *tables,
                 int count) {
  for (int i = 0; i < count; i++) {
    if (name && strcmp(tables[i].name, name)) continue;
    Str out = str_in(arena);
    tables[i].add(&out);
    fputs(str_text(&out), stdout);
    return 0;
  }
  fprintf(stderr, "there is no table '%s'\n", name);
  return 2;
}

int doc_tables_main(int argc, char **argv, const DocTable *tables, int count) {
  Arena arena;
  arena_init(&arena, &system_allocator);
  const bool checks = argc == 3 && !strcmp(argv[1], "--check");
  const int code =
      checks ? check(&arena, argv[0], argv[2], tables, count)
             : print(&arena, argc > 1 ? argv[1] : NULL, tables, count);
  arena_free(&arena);
  return code;
}
