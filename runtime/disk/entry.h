// entry.h -- a file of the cache: the compiled code, its inputs, and the files
// that it depends on.
#ifndef TILE_RUNTIME_ENTRY_H
#define TILE_RUNTIME_ENTRY_H

#include "codegen/codegen.h"
#include "ir/base/diag.h"
#include "runtime/disk/kernel_info.h"
#include "runtime/disk/reads.h"

enum {
  DISK_FORMAT = 6,
  ENTRY_SLOTS = 4, // for one key: its imports had several texts
  ENTRY_NAME = 2 * DIGEST_BYTES + 2, // "a7/09…" and a NUL
};

typedef struct {
  Bytes key;
  const FileRead *files;
  size_t num_files;
  DiagList *diags; // warnings and remarks
  CompiledCode code;
} Entry;

// The name of an entry's file, "a7/09…": the digest of the key, and the slot,
// from 0.
void entry_name(Bytes key, int slot, char name[ENTRY_NAME]);

// The file of an entry: `files` are those of `reads`.
Bytes entry_write(const Entry *entry, const FileReads *reads, Arena *arena);
// Whether the file was written completely, by this build or another one.  Sets
// `*key`, with which entries of all builds begin.
bool entry_is_whole(Bytes file, Bytes *key);
// `out` points into the file's bytes and into the arena.  False: the entry is
// broken, or another build's.
bool entry_read(Bytes file, Arena *arena, Entry *out);
// Whether both depend on the same files.
bool entry_same_files(const Entry *a, const Entry *b);

#endif
