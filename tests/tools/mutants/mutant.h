// mutant.h -- the switches of a mutated build (tests/tools/mutate.py).
//
// TILE_MUTANT=3,17 turns on mutants 3 and 17.  TILE_REACHED=FILE: a byte of the
// file becomes 1 when the mutant of that number is reached.  Each program and
// library defines the names below, and reads both variables when it is loaded.
#ifndef TILE_MUTANT_H
#define TILE_MUTANT_H

// Declared here without a header, since its contents may depend on macros of
// the file, and by other names, since the file may have an open() of its own.
char *tile_mutant_getenv(const char *name) __asm__("getenv");
unsigned long tile_mutant_strtoul(const char *text, char **end,
                                  int base) __asm__("strtoul");
int tile_mutant_open(const char *name, int flags, ...) __asm__("open");
int tile_mutant_close(int file) __asm__("close");
void *tile_mutant_mmap(void *at, unsigned long size, int protection, int flags,
                       int file, long offset) __asm__("mmap");

enum { TILE_MUTANTS_MAX = 4096, TILE_MUTANT_OPEN_BOTH = 2 };
enum { TILE_MUTANT_MAP_BOTH = 3, TILE_MUTANT_MAP_SHARED = 1 };

#define TILE_MUTANT_ONCE __attribute__((weak, visibility("hidden")))

TILE_MUTANT_ONCE unsigned char tile_mutant_on[TILE_MUTANTS_MAX];
TILE_MUTANT_ONCE unsigned char tile_mutant_nowhere[TILE_MUTANTS_MAX];
TILE_MUTANT_ONCE unsigned char *tile_mutant_reached = tile_mutant_nowhere;
TILE_MUTANT_ONCE int tile_mutant_is_read;

__attribute__((constructor, weak, visibility("hidden"))) void
tile_mutant_read(void) {
  if (tile_mutant_is_read++) return;
  for (char *at = tile_mutant_getenv("TILE_MUTANT"); at && *at;) {
    const unsigned long number = tile_mutant_strtoul(at, &at, 10);
    if (number < TILE_MUTANTS_MAX) tile_mutant_on[number] = 1;
    if (*at) at++;
  }
  const char *name = tile_mutant_getenv("TILE_REACHED");
  const int file = name ? tile_mutant_open(name, TILE_MUTANT_OPEN_BOTH) : -1;
  if (file < 0) return;
  void *bytes = tile_mutant_mmap(0, TILE_MUTANTS_MAX, TILE_MUTANT_MAP_BOTH,
                                 TILE_MUTANT_MAP_SHARED, file, 0);
  tile_mutant_close(file);
  if (bytes != (void *)-1) tile_mutant_reached = bytes;
}

#define TILE_MUTANT(n) (tile_mutant_reached[n] = 1, tile_mutant_on[n])

#endif
