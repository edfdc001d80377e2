// changed.h -- results of changed calls as letters, a line for each thing that
// is changed, beside the lines of a table.
#ifndef TESTS_RUNTIME_CHANGED_H
#define TESTS_RUNTIME_CHANGED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// -- Letters -----------------------------------------------------------------

#define CHANGED_SEED 2166136261u

// FNV-1a: the hash of nothing is CHANGED_SEED.
static inline uint32_t changed_hash(uint32_t hash, const void *data,
                                    size_t size) {
  const unsigned char *bytes = data;
  for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 16777619u;
  return hash;
}

static inline char changed_letter(uint32_t hash) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ+-";
  return letters[(hash ^ hash >> 6 ^ hash >> 17) & 63];
}

// -- Tables ------------------------------------------------------------------

typedef struct {
  FILE *kept; // the table; NULL: it is written anew
  FILE *out;  // NULL: nothing is written
  int num_lines;
} ChangedTable;

// The table at `path`, to be compared with; or, if $TILE_CHANGED names a file,
// that file, to be written.
static inline ChangedTable changed_open(const char *path) {
  const char *written = getenv("TILE_CHANGED");
  const ChangedTable table = {.kept = written ? NULL : fopen(path, "r"),
                              .out = written ? fopen(written, "w") : NULL};
  assert_true(table.out || table.kept);
  return table;
}

static inline void changed_expect(ChangedTable *table, const char *found) {
  char wanted[512] = "";
  table->num_lines++;
  if (table->out) fprintf(table->out, "%s\n", found);
  if (!table->kept) return;
  assert_non_null(fgets(wanted, sizeof wanted, table->kept));
  wanted[strcspn(wanted, "\n")] = 0;
  for (size_t i = 0; found[i]; i++)
    if (found[i] != wanted[i])
      print_error("line %d: change %zu has another result\n", table->num_lines,
                  i);
  assert_string_equal(found, wanted);
}

static inline void changed_close(ChangedTable *table) {
  if (table->out) fclose(table->out);
  if (table->kept) fclose(table->kept);
}

#endif
