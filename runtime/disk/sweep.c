// sweep.c -- all files of the cache.
//
// Shards, which are 256 subfolders, hold the entries.  Files that are still
// being written are in the folder itself, so they are found without looking
// into the shards.
//
// A file's modification time says when it was used last.  A time in the future
// means that the clock was set back since, so the file counts as older than the
// others.
#include "runtime/disk/sweep.h"

#include "runtime/base/base.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
  CLOCK_SECONDS = 3600,               // possible difference of machines' clocks
  REST = ENTRY_NAME - 1 - SHARD_NAME, // of a name, without "a7/"
};
static const char hex[] = "0123456789abcdef";

// -- Listing -----------------------------------------------------------------

static bool is_entry(const char *name) {
  return strlen(name) == REST && strspn(name, hex) == REST;
}

static bool is_aside(const char *name) {
  return replace_is_aside("", name) && strlen(name) < ENTRY_NAME;
}

// Adds a file of `shard`; "" is the folder itself.
static void add_file(int folder, const char *shard, const char *name,
                     Arena *arena, DiskFiles *out) {
  DiskFile file = {.size = 0};
  struct stat info;
  if (!(*shard ? is_entry(name) : is_aside(name))) return;
  assert(strlen(shard) + strlen(name) + 1 < sizeof file.name); // I9
  if (*shard)
    snprintf(file.name, sizeof file.name, "%.2s/%.62s", shard, name);
  else
    snprintf(file.name, sizeof file.name, "%.65s", name);
  if (fstatat(folder, file.name, &info, AT_SYMLINK_NOFOLLOW) ||
      !S_ISREG(info.st_mode))
    return;
  const long long age = (long long)time(NULL) - (long long)info.st_mtime;
  file.size = (uint64_t)info.st_size;
  file.used = age < -CLOCK_SECONDS ? 0 : (int64_t)info.st_mtime;
  file.is_stray = !*shard && replace_is_left(folder, file.name);
  file.is_writing = !*shard && !file.is_stray;
  vec_push(arena, out, file);
}

typedef struct {
  int file;
  DIR *stream; // the shard's; NULL: not open yet
} Shard;

static void close_shard(void *data) {
  const Shard *shard = data;
  if (shard->stream)
    closedir(shard->stream);
  else if (shard->file >= 0)
    close(shard->file);
}

static void list_shard(int folder, const char *name, Arena *arena,
                       DiskFiles *out) {
  Shard *shard = arena_new(arena, Shard);
  shard->file = -1; // opened behind arena_defer(), which may fail
  ArenaCleanup *cleanup = arena_defer(arena, close_shard, shard);
  shard->file = openat(folder, *name ? name : ".",
                       O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (shard->file >= 0) shard->stream = fdopendir(shard->file);
  for (struct dirent *at; shard->stream && (at = readdir(shard->stream));)
    add_file(folder, name, at->d_name, arena, out);
  arena_cleanup_now(cleanup);
}

static int by_use(const void *a, const void *b) {
  const DiskFile *x = a, *y = b;
  if (x->used != y->used) return x->used < y->used ? -1 : 1;
  return strcmp(x->name, y->name);
}

static void shard_name(int index, char shard[SHARD_NAME]) {
  assert(index >= 0 && index < NUM_SHARDS); // I9
  snprintf(shard, SHARD_NAME, "%02x", (unsigned)index & 0xFF);
}

void sweep_list(int folder, Arena *arena, DiskFiles *out) {
  char shard[SHARD_NAME];
  list_shard(folder, "", arena, out);
  for (int i = 0; i < NUM_SHARDS; i++) {
    shard_name(i, shard);
    list_shard(folder, shard, arena, out);
  }
  if (out->count) qsort(out->items, out->count, sizeof *out->items, by_use);
}

static uint64_t total(const DiskFiles *files) {
  uint64_t size = 0;
  for (size_t i = 0; i < files->count; i++) size += files->items[i].size;
  return size;
}

uint64_t sweep_shard_size(int folder, const char *name, Arena *arena) {
  DiskFiles files = {0};
  char shard[SHARD_NAME];
  snprintf(shard, sizeof shard, "%.2s", name);
  list_shard(folder, shard, arena, &files);
  return total(&files);
}

// -- Removing ----------------------------------------------------------------

// Other processes may have removed the file already.  A file that is used just
// now may be removed, too: its kernel is compiled anew.
static uint64_t remove_file(int folder, const DiskFile *file) {
  return unlinkat(folder, file->name, 0) ? 0 : file->size;
}

// Removes files down to four fifths of the limit, so that the next entry needs
// no sweep.
void sweep_evict(int folder, uint64_t limit, const char *keep, Arena *arena) {
  DiskFiles files = {0};
  sweep_list(folder, arena, &files);
  uint64_t size = total(&files);
  for (size_t i = 0; i < files.count; i++) {
    if (files.items[i].is_stray) size -= remove_file(folder, &files.items[i]);
  }
  if (size <= limit) return;
  for (size_t i = 0; i < files.count && size > limit / 5 * 4; i++) {
    const DiskFile *file = &files.items[i];
    if (file->is_stray || file->is_writing || !strcmp(file->name, keep))
      continue;
    assert(file->size <= size && "more than all of them"); // I9
    size -= remove_file(folder, file);
  }
}

void sweep_remove(int folder, const DiskFile *file, SweepResult *result) {
  if (!unlinkat(folder, file->name, 0) || errno == ENOENT) {
    result->removed++;
  } else {
    result->left++;
    result->error = errno;
  }
}

SweepResult sweep_clear(int folder, Arena *arena) {
  DiskFiles files = {0};
  char shard[SHARD_NAME];
  SweepResult result = {0};
  sweep_list(folder, arena, &files);
  for (size_t i = 0; i < files.count; i++)
    sweep_remove(folder, &files.items[i], &result);
  for (int i = 0; i < NUM_SHARDS; i++) {
    shard_name(i, shard);
    unlinkat(folder, shard, AT_REMOVEDIR); // fails if another process has put
                                           // more in it
  }
  return result;
}
