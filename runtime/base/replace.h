// replace.h -- files that are replaced at once: written aside and renamed.
//
// A reader sees all of an old file or all of a new one.  The writer holds a
// lock on the file aside (flock()) that no other process waits for.  A process
// that is killed loses its locks: a file aside that is not locked was left
// behind.  On a file system without locks, a file aside that is an hour old was
// left behind.
#ifndef TILE_RUNTIME_REPLACE_H
#define TILE_RUNTIME_REPLACE_H

#include "ir/base/base.h"

#include <stdbool.h>
#include <stddef.h>

// The bytes are written to PREFIXtile-tmp-..., which is then renamed to `name`;
// both are relative to the folder.  False: the file has not changed, and errno
// has the reason.
bool replace_file(int folder, const char *prefix, const char *name,
                  unsigned mode, const void *bytes, size_t size);
// A part of the names of temporary files that no other program uses, so that a
// sweep removes no file of another program.
#define REPLACE_MARK "tile-tmp-"
// Whether the name is the mark and `count` numbers:
// "tile-tmp-30279-847658133-0".
bool replace_is_marked(const char *name, int count);
// Whether the name is that of a file aside.  Prefix and name have no folder, or
// the same one.
bool replace_is_aside(const char *prefix, const char *name);
// Whether no process writes the file any more.
bool replace_is_left(int folder, const char *aside);
// Removes files left behind under PREFIXtile-tmp-...; returns their number.
size_t replace_sweep(int folder, const char *prefix);

// Folders that were listed, and the paths of files aside in them.
typedef struct {
  Arena *arena;
  Vec(const char *) folders, asides;
} ReplaceLists;

// The same below the working folder, but each folder is listed only once.
size_t replace_sweep_listed(ReplaceLists *lists, const char *prefix);

// Writes all to an open file; false: errno says why.
bool replace_write(int file, const void *bytes, size_t size);

#endif
