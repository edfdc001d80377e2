// entry.c -- a file of the cache: a magic word, a digest, and the digested
// bytes.
#include "runtime/disk/entry.h"

#include "runtime/disk/kernel_info.h"
#include "runtime/disk/messages.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const char magic[8] = "tilekept";
enum { HEAD_BYTES = sizeof magic + DIGEST_BYTES };

void entry_name(Bytes key, int slot, char name[ENTRY_NAME]) {
  Digest digest = digest_of(key.data, key.size);
  assert(slot >= 0 && slot < ENTRY_SLOTS); // I6
  digest.bytes[DIGEST_BYTES - 1] ^= (unsigned char)slot;
  char text[DIGEST_TEXT];
  digest_print(&digest, text);
  snprintf(name, ENTRY_NAME, "%.2s/%s", text, text + 2);
}

Bytes entry_write(const Entry *entry, const FileReads *reads, Arena *arena) {
  const CompiledCode *code = &entry->code;
  Digest digest = {{0}};
  Str file = str_in(arena);
  assert(code->num_kernels == 1 && "an entry has one kernel"); // I1
  str_add_bytes(&file, magic, sizeof magic);
  str_add_bytes(&file, digest.bytes, DIGEST_BYTES);
  bytes_add_block(&file, entry->key);
  reads_write(reads, &file);
  messages_write(entry->diags, &file);
  kernel_info_write(&code->kernels[0], &file);
  bytes_add_block(&file, (Bytes){code->data, code->size});
  digest = digest_of(file.data + HEAD_BYTES, file.length - HEAD_BYTES);
  memcpy(file.data + sizeof magic, digest.bytes, DIGEST_BYTES);
  return (Bytes){file.data, file.length};
}

// Reads the key of a file that is whole; `from` is left behind the key.
static bool read_key(Bytes file, ByteReader *from, Bytes *key) {
  const char *data = file.data;
  if (file.size < HEAD_BYTES || memcmp(data, magic, sizeof magic)) return false;
  const Digest digest = digest_of(data + HEAD_BYTES, file.size - HEAD_BYTES);
  *from = (ByteReader){data + HEAD_BYTES, data + file.size, false};
  *key = bytes_read_block(from);
  return !from->bad && !memcmp(digest.bytes, data + sizeof magic, DIGEST_BYTES);
}

bool entry_is_whole(Bytes file, Bytes *key) {
  ByteReader from;
  return read_key(file, &from, key);
}

bool entry_read(Bytes file, Arena *arena, Entry *out) {
  ByteReader from;
  if (!read_key(file, &from, &out->key)) return false;
  KernelInfo *info = arena_new(arena, KernelInfo);
  out->files = reads_read(&from, arena, &out->num_files);
  out->diags = arena_new(arena, DiagList);
  diag_init(out->diags, arena);
  messages_read(&from, out->diags);
  kernel_info_read(&from, arena, info);
  const Bytes code = bytes_read_block(&from);
  out->code = (CompiledCode){code.data, code.size, info, 1};
  return !from.bad && from.at == from.end;
}

bool entry_same_files(const Entry *a, const Entry *b) {
  if (a->num_files != b->num_files) return false;
  for (size_t i = 0; i < a->num_files; i++) {
    const FileRead *x = &a->files[i], *y = &b->files[i];
    if (strcmp(x->path, y->path) || x->is_there != y->is_there ||
        x->is_read != y->is_read || x->size != y->size ||
        (x->is_read && !digest_same(&x->digest, &y->digest)))
      return false;
  }
  return true;
}
