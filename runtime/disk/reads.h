// reads.h -- the files that a program has read, and paths without a file: the
// dependencies of its imports.
//
// A program looks for each path once, and lists a folder that lacks a few of
// them; the result then holds for all its kernels.  Most files that it finds
// are never read: of these, only the length counts.  The list belongs to a
// unit: its arena, its lock.
#ifndef TILE_RUNTIME_READS_H
#define TILE_RUNTIME_READS_H

#include "frontend/frontend.h"
#include "ir/base/base.h"
#include "runtime/disk/bytes.h"
#include "runtime/disk/digest.h"

typedef struct {
  const char *path;
  bool is_there, is_read;
  size_t size;   // if it exists
  Digest digest; // digest of its text, if it was read
} FileRead;

typedef struct {
  Arena *arena;
  Map by_path;
  Vec(FileRead *) files; // in the order of the requests
  Map folders;           // paths of folders, to lists of their files
} FileReads;

void reads_init(FileReads *reads, Arena *arena);
// Reads imported files, and adds them to `reads`.
FileReader reads_reader(FileReads *reads);
// Whether the file is unchanged since `then`, in its text, or in its length if
// that is all that was seen of it.  A path that the program has not seen is
// read now; its text is in `scratch`.
bool reads_match(FileReads *reads, const FileRead *then, Arena *scratch);

void reads_write(const FileReads *reads, Str *out);
// Reads the files that an entry names.
const FileRead *reads_read(ByteReader *from, Arena *arena, size_t *count);

#endif
