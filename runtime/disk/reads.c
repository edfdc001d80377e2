// reads.c -- the files that a program has read.
#include "runtime/disk/reads.h"

#include "runtime/base/base.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <string.h>

void reads_init(FileReads *reads, Arena *arena) {
  *reads = (FileReads){.arena = arena};
}

static FileRead *note(FileReads *reads, const char *path, bool is_there,
                      size_t size) {
  const size_t path_length = strlen(path);
  FileRead *file = map_get_text(&reads->by_path, path, path_length);
  if (!file) {
    file = arena_new(reads->arena, FileRead);
    file->path = arena_strdup(reads->arena, path);
    vec_push(reads->arena, &reads->files, file);
    map_put_text(&reads->by_path, reads->arena, path, path_length, file);
  }
  assert(reads->files.count == reads->by_path.count && "told twice"); // I10
  file->is_there = is_there;
  file->size = is_there ? size : 0;
  return file;
}

// -- Folders -----------------------------------------------------------------

// A file of a package looks for each module that it imports in several folders,
// under several names.  A folder that lacks a few of them is listed.
struct ReadFolder {
  int lacks;      // paths without a file in it
  bool is_listed; // `names` has all that are in it
  Map names;
};

static bool has(const struct ReadFolder *folder, const char *name,
                size_t length) {
  return !folder || !folder->is_listed || !length ||
         map_get_text(&folder->names, name, length);
}

// Does a listed folder on the way to this one, which ends with '/', lack the
// next part of the way?
static bool is_nowhere(const FileReads *reads, const char *path,
                       size_t length) {
  enum { MAX_PARTS = 32 };
  for (int i = 0; length && i < MAX_PARTS; i++) {
    size_t begin = length - 1;
    while (begin && path[begin - 1] != '/') begin--;
    if (!has(map_get_text(&reads->folders, path, begin), path + begin,
             length - 1 - begin))
      return true;
    length = begin;
  }
  return false;
}

static struct ReadFolder *folder_of(FileReads *reads, const char *path,
                                    size_t length) {
  struct ReadFolder *folder = map_get_text(&reads->folders, path, length);
  if (folder) return folder;
  folder = arena_new(reads->arena, struct ReadFolder);
  folder->is_listed = is_nowhere(reads, path, length);
  map_put_text(&reads->folders, reads->arena, path, length, folder);
  return folder;
}

static void close_stream(void *data) {
  DIR **dir = data;
  if (*dir) closedir(*dir);
}

static void add_name(FileReads *reads, struct ReadFolder *folder,
                     const char *name) {
  map_put_text(&folder->names, reads->arena, name, strlen(name), folder);
}

// Adds the names in the folder; false if there are more, or it cannot be read.
static bool add_names(FileReads *reads, struct ReadFolder *folder, DIR *dir) {
  enum { MAX_NAMES = 4096 };
  const struct dirent *entry;
  int count = 0;
  while ((errno = 0, entry = readdir(dir)) && ++count < MAX_NAMES)
    add_name(reads, folder, entry->d_name);
  const bool is_all = !entry && !errno;
  add_name(reads, folder, "."); // not every file system lists these
  add_name(reads, folder, "..");
  return is_all;
}

static void list_folder(FileReads *reads, struct ReadFolder *folder,
                        const char *path) {
  DIR **dir = arena_new(reads->arena, DIR *);
  ArenaCleanup *cleanup = arena_defer(reads->arena, close_stream, dir);
  *dir = opendir(path);
  folder->is_listed = *dir ? add_names(reads, folder, *dir)
                           : errno == ENOENT || errno == ENOTDIR;
  arena_cleanup_now(cleanup);
}

static bool find_in(FileReads *reads, const char *path, size_t *length) {
  enum { MOST_LACKING = 4 };
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const size_t size = (size_t)(name - path);
  struct ReadFolder *folder = folder_of(reads, path, size);
  if (!has(folder, name, strlen(name))) return false;
  const bool found = file_reader.find(file_reader.ctx, path, length);
  if (!found && ++folder->lacks == MOST_LACKING)
    list_folder(reads, folder,
                size ? arena_strndup(reads->arena, path, size) : ".");
  return found;
}

static bool find_and_note(void *ctx, const char *path, size_t *length) {
  const bool found = find_in(ctx, path, length);
  note(ctx, path, found, *length);
  return found;
}

static const char *read_and_note(void *ctx, const char *path, Arena *arena,
                                 size_t *length) {
  const char *text =
      find_in(ctx, path, length)
          ? file_reader.read(file_reader.ctx, path, arena, length)
          : NULL;
  FileRead *file = note(ctx, path, text != NULL, *length);
  file->is_read = text != NULL;
  if (text) file->digest = digest_of(text, *length);
  return text;
}

FileReader reads_reader(FileReads *reads) {
  return (FileReader){reads, read_and_note, find_and_note};
}

bool reads_match(FileReads *reads, const FileRead *then, Arena *scratch) {
  const size_t length = strlen(then->path);
  const FileRead *now = map_get_text(&reads->by_path, then->path, length);
  size_t size = 0;
  if (!now && !then->is_read)
    find_and_note(reads, then->path, &size);
  else if (!now || (then->is_read && now->is_there && !now->is_read))
    read_and_note(reads, then->path, scratch, &size);
  now = map_get_text(&reads->by_path, then->path, length);
  return now->is_there == then->is_there && now->size == then->size &&
         (!then->is_read || digest_same(&now->digest, &then->digest));
}

// -- In an entry -------------------------------------------------------------

void reads_write(const FileReads *reads, Str *out) {
  bytes_add_number(out, reads->files.count);
  for (size_t i = 0; i < reads->files.count; i++) {
    const FileRead *file = reads->files.items[i];
    bytes_add_block(out, bytes_of_text(file->path));
    bytes_add_number(out, file->is_there);
    bytes_add_number(out, file->is_read);
    bytes_add_number(out, file->size);
    str_add_bytes(out, file->digest.bytes, DIGEST_BYTES);
  }
}

const FileRead *reads_read(ByteReader *from, Arena *arena, size_t *count) {
  *count = bytes_read_count(from, DIGEST_BYTES);
  FileRead *files = arena_array(arena, FileRead, *count + 1);
  for (size_t i = 0; i < *count; i++) {
    files[i].path = bytes_read_block(from).data;
    files[i].is_there = bytes_read_number(from) != 0;
    files[i].is_read = bytes_read_number(from) != 0;
    files[i].size = (size_t)bytes_read_number(from);
    bytes_read_raw(from, files[i].digest.bytes, DIGEST_BYTES);
  }
  return files;
}
