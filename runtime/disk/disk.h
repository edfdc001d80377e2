// disk.h -- the cache on disk: compiled code for later processes.
//
// Any number of threads and processes may use one folder.  A failure here never
// fails a launch: an entry that is missing or broken is compiled again.
#ifndef TILE_RUNTIME_DISK_H
#define TILE_RUNTIME_DISK_H

#include "runtime/base/base.h"
#include "runtime/disk/entry.h"
#include "runtime/disk/inputs.h"
#include "runtime/disk/reads.h"

typedef struct DiskCache DiskCache;

typedef struct {
  const char *folder; // see TileContextOptions
  uint64_t limit;     // bytes; 0: DISK_LIMIT
  bool read_only;
} DiskOptions;

#define DISK_LIMIT ((uint64_t)1 << 30)

// The folder that the caller means: an absolute path, in memory of the
// allocator.  NULL with `*failed` false: no cache is wanted.
char *disk_folder(const Allocator *from, const char *asked, bool *failed);

// `*out` is NULL if the options ask for no cache.  False without memory.  The
// folder need not exist.
bool disk_open(const Allocator *from, const DiskOptions *options,
               DiskCache **out);
void disk_close(DiskCache *cache);

// Sets the inputs that do not depend on the source: the build of this library,
// LLVM's, and the processor if the code is for it.
void disk_describe(const DiskCache *cache, bool is_host, DiskInputs *out);

// Finds the entry of a key, if the files that it was made from are unchanged.
// The caller holds the lock of the unit that has `reads`.
bool disk_find(DiskCache *cache, Bytes key, FileReads *reads, Arena *arena,
               Entry *out);
// Writes the file of an entry; false: errno says why.
bool disk_keep(DiskCache *cache, Bytes key, Bytes file, Arena *arena);
// Warns, once, if the folder is not to be trusted.
TileStatus disk_tell(DiskCache *cache, const Report *report);

#endif
