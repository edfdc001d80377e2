// file.c -- reading and writing files whole.
#include "runtime/base/file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail(char *why, size_t why_size, const char *what,
                 const char *path) {
  snprintf(why, why_size, "cannot %s '%s': %s", what, path, strerror(errno));
  return false;
}

// -- Reading -----------------------------------------------------------------

typedef struct {
  int fd;
} OpenFile;

static void close_file(void *data) {
  const OpenFile *file = data;
  if (file->fd >= 0) close(file->fd);
}

// Reads to the end, whatever the size said: pipes have none.
static bool read_all(Arena *arena, int fd, size_t expected, Str *out) {
  char *chunk = arena_array(arena, char, expected + 1);
  for (;;) {
    const ssize_t got = read(fd, chunk, expected + 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0;
    str_add_bytes(out, chunk, (size_t)got);
  }
}

static const char *read_open(Arena *arena, int fd, const char *path,
                             size_t *length, char *why, size_t why_size) {
  struct stat info;
  Str text = str_in(arena);
  const bool known = fstat(fd, &info) == 0;
  if (known && S_ISDIR(info.st_mode)) {
    snprintf(why, why_size, "cannot read '%s': it is a directory", path);
    return NULL;
  }
  const bool sized = known && S_ISREG(info.st_mode) && info.st_size > 0;
  if (!read_all(arena, fd, sized ? (size_t)info.st_size : 65536, &text)) {
    fail(why, why_size, "read", path);
    return NULL;
  }
  *length = text.length;
  return str_text(&text);
}

const char *file_read(Arena *arena, const char *path, size_t *length, char *why,
                      size_t why_size) {
  OpenFile *file = arena_new(arena, OpenFile);
  file->fd = -1; // what closes it wants memory, too
  ArenaCleanup *cleanup = arena_defer(arena, close_file, file);
  file->fd = open(path, O_RDONLY | O_CLOEXEC);
  const char *text = NULL;
  if (file->fd < 0)
    fail(why, why_size, "open", path);
  else
    text = read_open(arena, file->fd, path, length, why, why_size);
  arena_cleanup_now(cleanup);
  return text;
}

static const char *read_import(void *ctx, const char *path, Arena *arena,
                               size_t *length) {
  (void)ctx;
  char why[1];
  return file_read(arena, path, length, why, sizeof why);
}

const FileReader file_reader = {NULL, read_import};

// -- Writing -----------------------------------------------------------------

static bool write_all(int fd, const char *bytes, size_t size) {
  while (size) {
    const ssize_t put = write(fd, bytes, size);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    assert((size_t)put <= size && "more was written than there is"); // I5
    bytes += put;
    size -= (size_t)put;
  }
  return true;
}

// Is it there, and something that a rename would destroy, such as /dev/null?
static bool is_special(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

static bool write_through(const char *path, const void *bytes, size_t size) {
  const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) return false;
  const bool ok = write_all(fd, bytes, size);
  return close(fd) == 0 && ok;
}

bool file_write(const char *path, const void *bytes, size_t size, char *why,
                size_t why_size) {
  char temporary[4096];
  if (is_special(path))
    return write_through(path, bytes, size) ||
           fail(why, why_size, "write", path);
  const int length =
      snprintf(temporary, sizeof temporary, "%s.%ld.tmp", path, (long)getpid());
  if (length < 0 || (size_t)length >= sizeof temporary) {
    errno = ENAMETOOLONG;
    return fail(why, why_size, "write", path);
  }
  if (write_through(temporary, bytes, size) && rename(temporary, path) == 0)
    return true;
  fail(why, why_size, "write", path);
  unlink(temporary);
  return false;
}

void file_remove(const char *path) {
  if (!is_special(path)) unlink(path);
}
