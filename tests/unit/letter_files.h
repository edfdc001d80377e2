// letter_files.h -- files of the sources, each a line "NAME HASH LETTERS" of a
// table.
#ifndef TILE_TESTS_LETTER_FILES_H
#define TILE_TESTS_LETTER_FILES_H

#include "tests/fuzz/guess.h"
#include "tests/tools/letters.h"

#include <glob.h>
#include <malloc.h>

enum { MAX_FILE = 1 << 16 };

typedef struct {
  const char *name; // from the root of the sources on
  char text[MAX_FILE];
  size_t length;
} LetterFile;

typedef struct {
  const char *const *patterns; // from the root of the sources on; NULL ends
  const char *const *slow;     // parts of paths that are left out; NULL ends
  // Writes the letters of a file, and returns how many are not those of the
  // table, which are NULL if it is written anew.
  int (*judge)(const LetterFile *f, const char *letters, char *found);
  size_t part, num_parts; // of the files, which this process looks at
} LetterFiles;

// PROGRAM [PART OF]
static inline void letter_files_set_part(LetterFiles *files, int argc,
                                         char **argv) {
  mallopt(M_TRIM_THRESHOLD, 1 << 28); // keeps freed memory for the next arena
  files->num_parts = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
  if (argc > 2) files->part = strtoul(argv[1], NULL, 10);
}

static inline void letter_files_glob(const LetterFiles *files, glob_t *found) {
  for (size_t i = 0; files->patterns[i]; i++) {
    char path[512];
    snprintf(path, sizeof path, TILE_SOURCE_DIR "/%s", files->patterns[i]);
    assert_int_equal(glob(path, i ? GLOB_APPEND : 0, NULL, found), 0);
  }
}

static inline bool letter_files_read(const LetterFiles *files, const char *path,
                                     LetterFile *f) {
  for (size_t i = 0; files->slow[i]; i++)
    if (strstr(path, files->slow[i])) return false;
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  f->name = path + strlen(TILE_SOURCE_DIR) + 1;
  f->length = fread(f->text, 1, sizeof f->text, file);
  fclose(file);
  return f->length < sizeof f->text;
}

// Judges each file that is the one of the table's line.
static inline void letter_files_judge(const LetterFiles *files,
                                      LetterTable *table) {
  static LetterFile f;
  static char found[MAX_FILE];
  char key[256];
  const char *letters;
  int wrong = 0;
  size_t num_files = 0;
  glob_t paths;
  letter_files_glob(files, &paths);
  for (size_t i = files->part; i < paths.gl_pathc; i += files->num_parts) {
    if (!letter_files_read(files, paths.gl_pathv[i], &f)) continue;
    snprintf(key, sizeof key, "%s %x", f.name, guess_seed(f.text, f.length));
    num_files++;
    if (!letters_find(table, key, &letters)) continue;
    wrong += files->judge(&f, letters, found);
    if (table->out) fprintf(table->out, "%s %s\n", key, found);
  }
  globfree(&paths);
  assert_int_equal(wrong, 0);
  letters_expect_known(table, num_files, 4);
}

#endif
