// file.c -- reading and writing files whole.
#include "runtime/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
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

// Reads to the end, even if another size was reported: pipes have none.
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

typedef struct {
  void *bytes; // NULL: none
  size_t size;
} MappedFile;

static void unmap_file(void *data) {
  const MappedFile *file = data;
  if (file->bytes) munmap(file->bytes, file->size);
}

// NULL: the file cannot be mapped and has to be read.
static const char *map_open(Arena *arena, int fd, const char *path,
                            size_t *length, char *why, size_t why_size) {
  (void)path, (void)why, (void)why_size;
  struct stat info;
  if (fstat(fd, &info) || !S_ISREG(info.st_mode) || info.st_size <= 0)
    return NULL;
  MappedFile *file = arena_new(arena, MappedFile);
  arena_defer(arena, unmap_file, file);
  void *bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (bytes == MAP_FAILED) return NULL;
  *file = (MappedFile){bytes, (size_t)info.st_size};
  *length = file->size;
  return bytes;
}

typedef const char *UseOpenFile(Arena *arena, int fd, const char *path,
                                size_t *length, char *why, size_t why_size);

static const char *use_file(UseOpenFile *use, Arena *arena, const char *path,
                            size_t *length, char *why, size_t why_size) {
  OpenFile *file = arena_new(arena, OpenFile);
  file->fd = -1; // opened behind arena_defer(), which may fail
  ArenaCleanup *cleanup = arena_defer(arena, close_file, file);
  file->fd = open(path, O_RDONLY | O_CLOEXEC);
  const char *text = NULL;
  if (file->fd < 0)
    fail(why, why_size, "open", path);
  else
    text = use(arena, file->fd, path, length, why, why_size);
  arena_cleanup_now(cleanup);
  return text;
}

const char *file_read(Arena *arena, const char *path, size_t *length, char *why,
                      size_t why_size) {
  return use_file(read_open, arena, path, length, why, why_size);
}

const char *file_map(Arena *arena, const char *path, size_t *length, char *why,
                     size_t why_size) {
  const char *bytes = use_file(map_open, arena, path, length, why, why_size);
  return bytes ? bytes : file_read(arena, path, length, why, why_size);
}

static const char *read_import(void *ctx, const char *path, Arena *arena,
                               size_t *length) {
  (void)ctx;
  char why[512];
  return file_read(arena, path, length, why, sizeof why);
}

static bool find_import(void *ctx, const char *path, size_t *length) {
  (void)ctx;
  struct stat info;
  if (stat(path, &info) || S_ISDIR(info.st_mode) || access(path, R_OK))
    return false;
  *length = (size_t)info.st_size;
  return true;
}

const FileReader file_reader = {NULL, read_import, find_import};

// -- Writing -----------------------------------------------------------------

// Whether the path exists and is a file that a rename would destroy, such as
// /dev/null.
static bool is_special(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

static bool write_special(const char *path, const void *bytes, size_t size) {
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool ok = replace_write(fd, bytes, size);
  return close(fd) == 0 && ok;
}

// The file aside is PATH.tile-tmp-...; a long name is cut there, since names
// have a limited length.
static bool write_regular(ReplaceLists *lists, const char *path,
                          const void *bytes, size_t size) {
  enum { MOST = 200 };
  char prefix[4096];
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
  const int length = snprintf(prefix, sizeof prefix, "%.*s%.*s.",
                              (int)(base - path), path, (int)MOST, base);
  if (length < 0 || (size_t)length >= sizeof prefix) {
    errno = ENAMETOOLONG;
    return false;
  }
  if (lists)
    replace_sweep_listed(lists, prefix);
  else
    replace_sweep(AT_FDCWD, prefix);
  return replace_file(AT_FDCWD, prefix, path, 0666, bytes, size);
}

bool file_write(ReplaceLists *lists, const char *path, const void *bytes,
                size_t size, char *why, size_t why_size) {
  const bool ok = is_special(path) ? write_special(path, bytes, size)
                                   : write_regular(lists, path, bytes, size);
  return ok || fail(why, why_size, "write", path);
}

void file_remove(const char *path) {
  if (!is_special(path)) unlink(path);
}
