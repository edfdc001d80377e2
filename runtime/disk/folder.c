// folder.c -- the folder of the cache, and files in it.
#include "runtime/disk/folder.h"

#include "runtime/base/base.h"
#include "runtime/errors.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAX_FILE = 1 << 30, MARK_SECONDS = 3600, MAX_TRIES = 16 };

// -- The folder --------------------------------------------------------------

static bool is_own(const struct stat *info) {
  return info->st_uid == geteuid();
}

static bool is_closed(const struct stat *info) {
  return !(info->st_mode & (S_IWGRP | S_IWOTH));
}

static FolderState judge(int folder) {
  struct stat info;
  if (fstat(folder, &info)) return FOLDER_FAILED;
  if (!is_own(&info)) return FOLDER_FOREIGN;
  return is_closed(&info) ? FOLDER_FINE : FOLDER_SHARED;
}

void folder_close(void *data) {
  const int folder = *(const int *)data;
  if (folder >= 0) close(folder);
}

int folder_open(const char *path, FolderState *state) {
  const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  *state = folder >= 0       ? judge(folder)
           : errno == ENOENT ? FOLDER_MISSING
                             : FOLDER_FAILED;
  if (*state == FOLDER_FINE || folder < 0) return folder;
  close(folder);
  return -1;
}

const char *folder_warning(FolderState state) {
  return state == FOLDER_FOREIGN  ? WARNING_folder_foreign
         : state == FOLDER_SHARED ? WARNING_folder_shared
                                  : WARNING_folder_unreadable;
}

bool folder_make(const char *path) {
  char above[4096];
  const size_t length = strlen(path);
  if (length >= sizeof above) {
    errno = ENAMETOOLONG;
    return false;
  }
  for (size_t i = 1; i < length; i++) {
    if (path[i] != '/') continue;
    memcpy(above, path, i);
    above[i] = '\0';
    if (mkdir(above, 0700) && errno != EEXIST) return false;
  }
  return !mkdir(path, 0700) || errno == EEXIST;
}

// -- Reading -----------------------------------------------------------------

static void close_file(void *data) {
  const int file = *(const int *)data;
  if (file >= 0) close(file);
}

// Marks the file as used, at most once an hour.  A mark in the future, made
// before the clock was set back, is replaced at once.
static void mark(int file, time_t used) {
  const time_t now = time(NULL);
  if (llabs((long long)now - (long long)used) > MARK_SECONDS)
    futimens(file, NULL);
}

static bool read_all(int file, char *to, size_t size) {
  while (size) {
    const ssize_t got = read(file, to, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    size -= (size_t)got;
  }
  return true;
}

static Bytes read_file(int file, bool marks, Arena *arena) {
  const Bytes none = {NULL, 0};
  struct stat info;
  if (fstat(file, &info) || !S_ISREG(info.st_mode) || !is_own(&info) ||
      !is_closed(&info) || info.st_size > MAX_FILE)
    return none;
  const size_t size = (size_t)info.st_size;
  char *bytes = arena_array(arena, char, size + 1);
  if (!read_all(file, bytes, size)) return none;
  if (marks) mark(file, info.st_mtime);
  return (Bytes){bytes, size};
}

Bytes folder_read(int folder, const char *name, bool marks, Arena *arena) {
  Bytes bytes = {NULL, 0};
  int *file = arena_new(arena, int);
  *file = -1; // opened behind arena_defer(), which may fail
  ArenaCleanup *cleanup = arena_defer(arena, close_file, file);
  *file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (*file >= 0) bytes = read_file(*file, marks, arena);
  arena_cleanup_now(cleanup);
  return bytes;
}

// -- Writing -----------------------------------------------------------------

enum { OWN_FILE = 0600 };

static bool make_shard(int folder, const char *name) {
  char shard[SHARD_NAME];
  assert(name[SHARD_NAME - 1] == '/'); // I9
  snprintf(shard, sizeof shard, "%.2s", name);
  return !mkdirat(folder, shard, 0700) || errno == EEXIST;
}

// Writes a file; another process may remove its shard meanwhile if the shard is
// empty.
bool folder_write(int folder, const char *name, Bytes bytes) {
  for (int i = 0; i < MAX_TRIES && make_shard(folder, name); i++) {
    if (folder_write_plain(folder, name, bytes)) return true;
    if (errno != ENOENT) break;
  }
  return false;
}

bool folder_write_plain(int folder, const char *name, Bytes bytes) {
  return replace_file(folder, "", name, OWN_FILE, bytes.data, bytes.size);
}
