// letters.h -- compares results, as letters of their hashes, with a table of
// expected ones.
#ifndef TILE_TESTS_LETTERS_H
#define TILE_TESTS_LETTERS_H

#include "tests/tools/fnv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// -- Letters -----------------------------------------------------------------

static inline char letters_pick(uint32_t hash) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ+-";
  return letters[(hash ^ hash >> 6 ^ hash >> 17) & 63];
}

// -- Tables ------------------------------------------------------------------

typedef struct {
  char *kept, *end; // the table's lines as strings; NULL: it is being written
  FILE *out;        // NULL: nothing is written
  const char *next; // line for letters_expect()
  int num_lines;    // lines read so far
  int num_unknown;  // keys that letters_find() has not found
} LetterTable;

static inline void letters_read(LetterTable *table, const char *path) {
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  const size_t size = (size_t)ftell(file);
  rewind(file);
  table->kept = calloc(1, size + 1);
  assert_true(table->kept && size > 0);
  assert_int_equal(fread(table->kept, 1, size, file), size);
  fclose(file);
  table->end = table->kept + size;
  table->next = table->kept;
  for (char *at = table->kept; (at = strchr(at, '\n')); at++) *at = 0;
}

// The table at `path` for comparison; if $TILE_CHANGED names a file, that file
// for writing.
static inline LetterTable letters_open(const char *path) {
  LetterTable table = {0};
  const char *written = getenv("TILE_CHANGED");
  if (!written) {
    letters_read(&table, path);
    return table;
  }
  table.out = fopen(written, "w");
  assert_non_null(table.out);
  return table;
}

// Compares the next line of the table with `found`, or writes it.
static inline void letters_expect(LetterTable *table, const char *found) {
  table->num_lines++;
  if (table->out) fprintf(table->out, "%s\n", found);
  if (!table->kept) return;
  const char *wanted = table->next;
  assert_true(wanted < table->end);
  table->next += strlen(wanted) + 1;
  for (size_t i = 0; found[i] && wanted[i]; i++)
    if (found[i] != wanted[i])
      print_error("line %d: change %zu has another result\n", table->num_lines,
                  i);
  assert_string_equal(found, wanted);
}

// Whether the table has a line "KEY LETTERS"; *letters gets its letters.  If
// the table is being written, NULL and true.
static inline bool letters_find(LetterTable *table, const char *key,
                                const char **letters) {
  const size_t length = strlen(key);
  *letters = NULL;
  if (!table->kept) return true;
  for (const char *at = table->kept; at < table->end; at += strlen(at) + 1)
    if (!strncmp(at, key, length) && at[length] == ' ') {
      *letters = at + length + 1;
      return true;
    }
  table->num_unknown++;
  return false;
}

// Asserts that less than one in `one_in` of the keys was unknown.
static inline void letters_expect_known(const LetterTable *table,
                                        size_t num_keys, size_t one_in) {
  if (table->num_unknown)
    print_message("SKIP (part): %d of %zu are not in the table\n",
                  table->num_unknown, num_keys);
  assert_true((size_t)table->num_unknown * one_in < num_keys);
}

static inline void letters_close(LetterTable *table) {
  if (table->out) fclose(table->out);
  free(table->kept);
}

#endif
