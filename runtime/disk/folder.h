// folder.h -- the folder of the cache, and files in it.
//
// The code in the files is executed, so the folder must belong to this user,
// and no other user may write in it.  Files are replaced at once
// (runtime/base/replace.h); the temporary files are in the folder itself.  No
// call waits for a lock, so that network file systems can be used.
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

// A descriptor of the folder, which the caller closes; -1: the folder is not
// fine.
int folder_open(const char *path, FolderState *state);
// A cleanup of an arena: the data is an `int`, the descriptor or -1.
void folder_close(void *data);
// The format of the message that such a folder exists and is not used, for its
// path.
const char *folder_warning(FolderState state);
// Makes the folder and those above it.
bool folder_make(const char *path);

// The bytes of "a7/09…"; `data` NULL: there is no such file, or it is another
// user's.  `marks`: marks the file as used now.
Bytes folder_read(int folder, const char *name, bool marks, Arena *arena);
// Replaces that file; false: it is unchanged, and errno says why.
bool folder_write(int folder, const char *name, Bytes bytes);
// The same for a file in the folder itself.
bool folder_write_plain(int folder, const char *name, Bytes bytes);

#endif
