// reads.h -- the files that a program has read, and the paths where there were
// none: what its imports depend on.
//
// A program sees each path once: what it was then holds for all its kernels.
// Belongs to a unit: its arena, its lock.
#ifndef TILE_RUNTIME_READS_H
#define TILE_RUNTIME_READS_H

#include "frontend/frontend.h"
#include "ir/base/base.h"
#include "runtime/disk/bytes.h"
#include "runtime/disk/digest.h"

typedef struct {
  const char *path;
  bool is_there;
  Digest digest; // of its text, if it is there
} FileRead;

typedef struct {
  Arena *arena;
  Map by_path;
  Vec(FileRead *) files; // in the order in which they were asked for
} FileReads;

void reads_init(FileReads *reads, Arena *arena);
// Reads imported files, and notes it.
FileReader reads_reader(FileReads *reads);
// Is the file as it was then?  A path that the program has not seen is looked
// at; its text is in `scratch`.
bool reads_match(FileReads *reads, const FileRead *then, Arena *scratch);

void reads_write(const FileReads *reads, Str *out);
// The files that an entry names.
const FileRead *reads_read(ByteReader *from, Arena *arena, size_t *count);

#endif
