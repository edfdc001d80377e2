// replace.c -- files that are replaced at once: written aside and renamed.
#define _DEFAULT_SOURCE // flock
#include "runtime/base/replace.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAX_PATH = 4096, MAX_TRIES = 16, OLD_SECONDS = 3600 };

// -- Writing -----------------------------------------------------------------

static bool write_all(int file, const char *from, size_t size) {
  while (size) {
    const ssize_t put = write(file, from, size);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    assert((size_t)put <= size && "more was written than there is"); // I5
    from += put;
    size -= (size_t)put;
  }
  return true;
}

// A process may have a limit of the size of files.  A write beyond it raises a
// signal (SIGXFSZ), which would end the program, though only this file has no
// room.
bool replace_write(int file, const void *bytes, size_t size) {
  const struct timespec now = {0};
  sigset_t limit, before, pending;
  sigemptyset(&limit);
  sigaddset(&limit, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &limit, &before);
  const bool awaited =
      !sigpending(&pending) && sigismember(&pending, SIGXFSZ) > 0;
  const bool ok = write_all(file, bytes, size);
  const int error = errno;
  if (!ok && error == EFBIG && !awaited) sigtimedwait(&limit, NULL, &now);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = error;
  return ok;
}

// -- A file aside ------------------------------------------------------------

static int try_lock(int file) {
  return flock(file, LOCK_EX | LOCK_NB) ? errno : 0;
}

// False: another process has taken the new file for one that was left behind,
// and removes it or has removed it.
static bool lock_own(int folder, const char *name, int file) {
  struct stat info;
  return try_lock(file) != EWOULDBLOCK &&
         !fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW);
}

// Makes a file with a name that no other file has.
static int create_aside(int folder, const char *prefix, unsigned mode,
                        char *name, size_t size) {
  for (int i = 0; i < MAX_TRIES; i++) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const int length = snprintf(name, size, "%s" REPLACE_MARK "%ld-%ld-%d",
                                prefix, (long)getpid(), now.tv_nsec, i);
    if (length < 0 || (size_t)length >= size) {
      errno = ENAMETOOLONG;
      return -1;
    }
    const int file =
        openat(folder, name,
               O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    if (file >= 0 && lock_own(folder, name, file)) return file;
    if (file >= 0)
      close(file);
    else if (errno != EEXIST)
      return -1;
  }
  errno = EAGAIN;
  return -1;
}

// Some file systems report only at the end that they have no room.  The lock
// stays.
static bool flush(int file) {
  const int other = fcntl(file, F_DUPFD_CLOEXEC, 0);
  return other < 0 || !close(other);
}

static bool try_replace(int folder, const char *prefix, const char *name,
                        unsigned mode, const void *bytes, size_t size) {
  char aside[MAX_PATH];
  const int file = create_aside(folder, prefix, mode, aside, sizeof aside);
  if (file < 0) return false;
  const bool ok = replace_write(file, bytes, size) && flush(file) &&
                  !renameat(folder, aside, folder, name);
  const int error = errno;
  if (!ok) unlinkat(folder, aside, 0);
  close(file);
  errno = error;
  return ok;
}

// Another machine that does not see the lock may have removed the file; in this
// case it is written again, once.
bool replace_file(int folder, const char *prefix, const char *name,
                  unsigned mode, const void *bytes, size_t size) {
  if (try_replace(folder, prefix, name, mode, bytes, size)) return true;
  return errno == ENOENT &&
         try_replace(folder, prefix, name, mode, bytes, size);
}

// -- Files left behind -------------------------------------------------------

bool replace_is_marked(const char *name, int count) {
  const size_t length = strlen(REPLACE_MARK);
  if (strncmp(name, REPLACE_MARK, length)) return false;
  const char *text = name + length;
  for (int i = 0; i < count; i++) {
    if (i && *text++ != '-') return false;
    const size_t digits = strspn(text, "0123456789");
    if (!digits) return false;
    text += digits;
  }
  return !*text;
}

bool replace_is_aside(const char *prefix, const char *name) {
  const size_t length = strlen(prefix);
  return !strncmp(name, prefix, length) && replace_is_marked(name + length, 3);
}

static bool is_left(int file) {
  struct stat info;
  if (fstat(file, &info) || !S_ISREG(info.st_mode)) return false;
  const int failed = try_lock(file);
  if (!failed || failed == EWOULDBLOCK) return !failed;
  const long long age = (long long)time(NULL) - (long long)info.st_mtime;
  return llabs(age) > OLD_SECONDS;
}

// A descriptor with the lock; network file systems lock only a descriptor for
// writing. -1: the file was not left behind.
static int take_left(int folder, const char *aside) {
  const int how = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  int file = openat(folder, aside, O_WRONLY | how);
  if (file < 0 && errno == EROFS) file = openat(folder, aside, O_RDONLY | how);
  if (file < 0 || is_left(file)) return file;
  close(file);
  return -1;
}

bool replace_is_left(int folder, const char *aside) {
  const int file = take_left(folder, aside);
  if (file >= 0) close(file);
  return file >= 0;
}

static bool remove_left(int folder, const char *aside) {
  const int file = take_left(folder, aside);
  if (file < 0) return false;
  const bool gone = !unlinkat(folder, aside, 0);
  close(file);
  return gone;
}

// The folder of "out/x." is "out"; that of "x.", and of "", is ".".
static DIR *open_folder(int folder, const char *prefix, size_t length) {
  char path[MAX_PATH];
  if (length >= sizeof path) return NULL;
  snprintf(path, sizeof path, "%.*s", (int)length, prefix);
  const int file =
      openat(folder, length ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *stream = file < 0 ? NULL : fdopendir(file);
  if (!stream && file >= 0) close(file);
  return stream;
}

static size_t folder_length(const char *prefix) {
  const char *slash = strrchr(prefix, '/');
  return slash ? (size_t)(slash + 1 - prefix) : 0;
}

static void close_stream(void *data) {
  DIR **stream = data;
  if (*stream) closedir(*stream);
}

static void list_asides(ReplaceLists *lists, const char *prefix,
                        size_t length) {
  DIR **stream = arena_new(lists->arena, DIR *);
  ArenaCleanup *cleanup = arena_defer(lists->arena, close_stream, stream);
  *stream = open_folder(AT_FDCWD, prefix, length);
  for (struct dirent *at; *stream && (at = readdir(*stream));) {
    if (!strstr(at->d_name, REPLACE_MARK)) continue;
    const char *path =
        arena_printf(lists->arena, "%.*s%s", (int)length, prefix, at->d_name);
    vec_push(lists->arena, &lists->asides, path);
  }
  arena_cleanup_now(cleanup);
}

static bool is_listed(const ReplaceLists *lists, const char *folder) {
  for (size_t i = 0; i < lists->folders.count; i++) {
    if (!strcmp(lists->folders.items[i], folder)) return true;
  }
  return false;
}

size_t replace_sweep_listed(ReplaceLists *lists, const char *prefix) {
  const size_t length = folder_length(prefix);
  const char *folder = arena_strndup(lists->arena, prefix, length);
  if (!is_listed(lists, folder)) {
    list_asides(lists, prefix, length);
    vec_push(lists->arena, &lists->folders, folder);
  }
  size_t count = 0;
  for (size_t i = 0; i < lists->asides.count; i++) {
    const char *path = lists->asides.items[i];
    if (replace_is_aside(prefix, path)) count += remove_left(AT_FDCWD, path);
  }
  return count;
}

size_t replace_sweep(int folder, const char *prefix) {
  const size_t length = folder_length(prefix);
  const char *base = prefix + length;
  DIR *stream = open_folder(folder, prefix, length);
  size_t count = 0;
  for (struct dirent *at; stream && (at = readdir(stream));) {
    if (replace_is_aside(base, at->d_name))
      count += remove_left(dirfd(stream), at->d_name);
  }
  if (stream) closedir(stream);
  return count;
}
