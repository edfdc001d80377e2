// own_folder.h -- a temporary folder of the process below $TMPDIR.
//
// A signal that ends the process (INT, TERM, HUP) removes the folder, and ends
// the child process that works there.  A process that is killed (KILL) leaves
// its folder behind: the next process of the same user that makes a folder
// removes those whose process is gone and whose lock is free.
#ifndef TILE_TOOLS_OWN_FOLDER_H
#define TILE_TOOLS_OWN_FOLDER_H

#include "ir/base/base.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct {
  char path[PATH_MAX];
  int lock; // the folder, open
  ArenaCleanup *cleanup;
} OwnFolder;

// A process has one folder at a time.  False: errno says why, and `path` has
// the name that was tried.  If the arena's call fails, the folder is removed,
// too.
bool own_folder_open(Arena *arena, OwnFolder *out);
// Removes the folder with its files.
void own_folder_close(OwnFolder *folder);
// Writes a new file in the folder; false: errno says why.
bool own_folder_write(const OwnFolder *folder, const char *name,
                      const void *bytes, size_t size);

// A fork(); a signal that ends this process is sent to the child, too.
pid_t own_folder_fork(void);
// A child that was started otherwise and works in the folder; 0: none any more.
void own_folder_has(pid_t child);
// The child's status as from waitpid(); -1: unknown.
int own_folder_wait(pid_t child);

// Removes the folder in a signal handler.  `signal` ends the child; 0: it ends
// by itself.
void own_folder_leave(int signal);

#endif
