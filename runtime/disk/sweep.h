// sweep.h -- all files of the cache: their size, and the order of removal.
//
// Files that are not the cache's own are neither counted nor removed.
#ifndef TILE_RUNTIME_SWEEP_H
#define TILE_RUNTIME_SWEEP_H

#include "ir/base/base.h"
#include "runtime/disk/entry.h"
#include "runtime/disk/folder.h"

enum { NUM_SHARDS = 256 };

typedef struct {
  char name[ENTRY_NAME]; // "a7/09…", "tile-tmp-…"
  uint64_t size;
  int64_t used;    // time of last use, by the clock of its file system
  bool is_stray;   // written aside by a process that has ended
  bool is_writing; // written aside by a process that runs
} DiskFile;

typedef Vec(DiskFile) DiskFiles;

// Lists all files, the least recently used first.
void sweep_list(int folder, Arena *arena, DiskFiles *out);
// The size in bytes of the shard that a file is in.
uint64_t sweep_shard_size(int folder, const char *name, Arena *arena);
// Removes strays and the least recently used files, until the rest is well
// below the limit; never `keep`.
void sweep_evict(int folder, uint64_t limit, const char *keep, Arena *arena);
typedef struct {
  size_t removed, left;
  int error; // an errno
} SweepResult;
// Removes a file, unless another process does, and counts it.
void sweep_remove(int folder, const DiskFile *file, SweepResult *result);
// Removes all files that can be removed.
SweepResult sweep_clear(int folder, Arena *arena);

#endif
