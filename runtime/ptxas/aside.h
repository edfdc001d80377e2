// aside.h -- a temporary folder for the files of one run.
#ifndef TILE_RUNTIME_PTXAS_ASIDE_H
#define TILE_RUNTIME_PTXAS_ASIDE_H

#include "ir/base/base.h"

#include <stdbool.h>

typedef struct {
  const char *path;
  int lock;              // the folder, open; -1: it cannot be locked
  bool is_made;          // false: errno says why not
  ArenaCleanup *cleanup; // removes it with its files
} AsideFolder;

// A new folder below $TMPDIR, by default /tmp.  If the program is killed, a
// later tilec removes it.
AsideFolder *aside_make(Arena *arena);

// Writes a new file; false: errno says why.
bool aside_write(const char *folder, const char *name, const void *bytes,
                 size_t size);

#endif
