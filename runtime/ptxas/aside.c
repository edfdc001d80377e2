// aside.c -- a temporary folder, which is removed even if memory runs out.
//
// Its name and its lock have the form of tilec's own temporary folders, so that
// tilec removes the folders of killed processes (tools/parts/own_folder.c).
#define _DEFAULT_SOURCE // flock
#include "runtime/ptxas/aside.h"

#include "runtime/base/base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void remove_folder(void *data) {
  const AsideFolder *folder = data;
  if (!folder->is_made) return;
  DIR *stream = opendir(folder->path);
  for (struct dirent *at; stream && (at = readdir(stream));)
    unlinkat(dirfd(stream), at->d_name, 0);
  if (stream) closedir(stream);
  if (folder->lock >= 0) close(folder->lock);
  rmdir(folder->path);
}

// Another thread may take the name at the same time: the next one is tried.
static bool make(Arena *arena, const char *root, AsideFolder *out) {
  enum { TRIES = 1000 };
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  for (int i = 0; i < TRIES; i++) {
    out->path = arena_printf(arena, "%s/" REPLACE_MARK "%ld-%ld", root,
                             (long)getpid(), now.tv_nsec + i);
    if (!mkdir(out->path, 0700)) return true;
    if (errno != EEXIST) break;
  }
  return false;
}

AsideFolder *aside_make(Arena *arena) {
  const char *named = getenv("TMPDIR");
  AsideFolder *folder = arena_new(arena, AsideFolder);
  *folder = (AsideFolder){.lock = -1};
  folder->cleanup = arena_defer(arena, remove_folder, folder);
  folder->is_made = make(arena, named && *named ? named : "/tmp", folder);
  if (!folder->is_made) return folder;
  folder->lock =
      open(folder->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder->lock >= 0) flock(folder->lock, LOCK_EX | LOCK_NB);
  return folder;
}

bool aside_write(const char *folder, const char *name, const void *bytes,
                 size_t size) {
  char path[PATH_MAX];
  const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
  errno = ENAMETOOLONG;
  if (length < 0 || (size_t)length >= sizeof path) return false;
  const int file =
      open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return false;
  const bool ok = replace_write(file, bytes, size);
  return !close(file) && ok;
}
