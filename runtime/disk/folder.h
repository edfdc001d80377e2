// folder.h -- the folder of the cache, and files in it.
//
// Files there are executed, so the cache is trusted as far as its folder is:
// one of this user's own in which nobody else can write.  Files are replaced at
// once (runtime/base/replace.h), and written aside in the folder itself. No
// lock is waited for, so that network file systems do.
#ifndef TILE_RUNTIME_FOLDER_H
#define TILE_RUNTIME_FOLDER_H

#include "runtime/disk/bytes.h"

typedef enum {
  FOLDER_FINE,
  FOLDER_MISSING,
  FOLDER_FOREIGN, // another user's
  FOLDER_SHARED,  // others may write in it
  FOLDER_FAILED,  // as errno says
} FolderState;

enum { SHARD_NAME = 3 }; // "a7" and a NUL

// A descriptor of the folder, to be closed; -1: it is not fine.
int folder_open(const char *path, FolderState *state);
// Makes it and those above it.
bool folder_make(const char *path);

// The bytes of "a7/09…"; `data` NULL: there is no such file, or it is another
// user's.  `marks` the file as used now.
Bytes folder_read(int folder, const char *name, bool marks, Arena *arena);
// Replaces that file, or leaves it as it was; false: errno says why.
bool folder_write(int folder, const char *name, Bytes bytes);
// The same of a file in the folder itself.
bool folder_write_plain(int folder, const char *name, Bytes bytes);

#endif
