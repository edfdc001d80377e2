// lock.c -- one writer at a time in a folder of tuned files.
//
// The lock is a file that is locked by flock(): network file systems pass the
// lock on to their server, and the system releases it when its process ends.
// The process that has the lock removes the file: a lock on a file that is no
// longer in the folder does not count.
#define _DEFAULT_SOURCE // flock
#include "runtime/tuned/lock.h"

#include "runtime/base/base.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOCK_NAME    "writing"
#define MOST_SECONDS 10

// Whether the locked file is still the one in the folder.
static bool is_current(const TunedLock *lock) {
  struct stat own, found;
  return !fstat(lock->file, &own) &&
         !fstatat(lock->folder, LOCK_NAME, &found, AT_SYMLINK_NOFOLLOW) &&
         own.st_dev == found.st_dev && own.st_ino == found.st_ino;
}

// Takes the lock; false: another process has it.  Without a lock, because no
// file can be made or the file system has none, it returns true at once.
static bool try_lock(TunedLock *lock) {
  lock->file = openat(lock->folder, LOCK_NAME,
                      O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (lock->file < 0) return true;
  const int failed = flock(lock->file, LOCK_EX | LOCK_NB) ? errno : 0;
  if (!failed && is_current(lock)) return true;
  const bool has_locks = !failed || failed == EWOULDBLOCK || failed == EINTR;
  if (!has_locks) unlinkat(lock->folder, LOCK_NAME, 0);
  close(lock->file);
  lock->file = -1;
  return !has_locks;
}

bool tuned_lock(TunedLock *lock) {
  assert(lock->folder >= 0 && lock->file < 0 && "locked twice"); // I5
  const struct timespec moment = {.tv_nsec = 1000000};
  const double start = clock_seconds();
  for (;;) {
    if (try_lock(lock)) return true;
    if (clock_seconds() - start > MOST_SECONDS) return false;
    nanosleep(&moment, NULL);
  }
}

// The file is removed first: a process that has waited for it finds it gone.
void tuned_unlock(TunedLock *lock) {
  if (lock->file < 0) return;
  unlinkat(lock->folder, LOCK_NAME, 0);
  flock(lock->file, LOCK_UN);
  close(lock->file);
  lock->file = -1;
}
