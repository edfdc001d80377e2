// reads.c -- the files that a program has read.
#include "runtime/disk/reads.h"

#include "runtime/base/base.h"

#include <assert.h>
#include <string.h>

void reads_init(FileReads *reads, Arena *arena) {
  *reads = (FileReads){.arena = arena};
}

static void note(FileReads *reads, const char *path, const char *text,
                 size_t length) {
  const size_t path_length = strlen(path);
  FileRead *file = map_get_text(&reads->by_path, path, path_length);
  if (!file) {
    file = arena_new(reads->arena, FileRead);
    file->path = arena_strdup(reads->arena, path);
    vec_push(reads->arena, &reads->files, file);
    map_put_text(&reads->by_path, reads->arena, path, path_length, file);
  }
  assert(reads->files.count == reads->by_path.count && "told twice"); // I10
  file->is_there = text != NULL;
  if (text) file->digest = digest_of(text, length);
}

static const char *read_and_note(void *ctx, const char *path, Arena *arena,
                                 size_t *length) {
  const char *text = file_reader.read(file_reader.ctx, path, arena, length);
  note(ctx, path, text, *length);
  return text;
}

FileReader reads_reader(FileReads *reads) {
  return (FileReader){reads, read_and_note};
}

bool reads_match(FileReads *reads, const FileRead *then, Arena *scratch) {
  const size_t length = strlen(then->path);
  const FileRead *now = map_get_text(&reads->by_path, then->path, length);
  if (!now) {
    size_t size = 0;
    read_and_note(reads, then->path, scratch, &size);
    now = map_get_text(&reads->by_path, then->path, length);
  }
  return now->is_there == then->is_there &&
         (!now->is_there || digest_same(&now->digest, &then->digest));
}

// -- In an entry -------------------------------------------------------------

void reads_write(const FileReads *reads, Str *out) {
  bytes_add_number(out, reads->files.count);
  for (size_t i = 0; i < reads->files.count; i++) {
    const FileRead *file = reads->files.items[i];
    bytes_add_block(out, bytes_of_text(file->path));
    bytes_add_number(out, file->is_there);
    str_add_bytes(out, file->digest.bytes, DIGEST_BYTES);
  }
}

const FileRead *reads_read(ByteReader *from, Arena *arena, size_t *count) {
  *count = bytes_read_count(from, DIGEST_BYTES);
  FileRead *files = arena_array(arena, FileRead, *count + 1);
  for (size_t i = 0; i < *count; i++) {
    files[i].path = bytes_read_block(from).data;
    files[i].is_there = bytes_read_number(from) != 0;
    bytes_read_raw(from, files[i].digest.bytes, DIGEST_BYTES);
  }
  return files;
}
