// no_locks.h -- flock() of a file system that may have no locks.  For one file
// of a program, which defines _GNU_SOURCE.
#ifndef TILE_TESTS_NO_LOCKS_H
#define TILE_TESTS_NO_LOCKS_H

#include <errno.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

// By default the file system has locks.
static bool has_no_locks;

int flock(int file, int operation) {
  errno = ENOLCK;
  return has_no_locks ? -1 : (int)syscall(SYS_flock, file, operation);
}

#endif
