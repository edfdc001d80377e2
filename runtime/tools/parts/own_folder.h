// own_folder.h -- a folder of the process's own below $TMPDIR, which goes at
// its end, whatever ends it.
//
// A signal that ends the process (INT, TERM, HUP) takes the folder with it, and
// the process that works there.  What is killed leaves it to the next process
// that makes one: that removes folders of its user with such a name, whose
// process is gone and whose lock is free.
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

// A process has one at a time.  False: errno says why, and `path` what was
// tried.  Where the arena's call fails, it goes, too.
bool own_folder_open(Arena *arena, OwnFolder *out);
// Removes it with what is in it.
void own_folder_close(OwnFolder *folder);
// Writes a new file in it; false: errno says why.
bool own_folder_write(const OwnFolder *folder, const char *name,
                      const void *bytes, size_t size);

// A fork(): a signal that ends this process goes to the child, too.
pid_t own_folder_fork(void);
// Its status as waitpid() tells it; -1: nobody knows.
int own_folder_wait(pid_t child);

// Removes the folder from a signal's handler. `signal` ends the child; 0: it
// ends by itself.
void own_folder_leave(int signal);

#endif
