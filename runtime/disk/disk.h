// disk.h -- the cache on disk: what was compiled, for processes to come.
//
// Any number of threads and processes may use one folder.  Nothing that fails
// here fails a launch: what is not found, or broken, is compiled.
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

// The folder that the caller means, an absolute path of the allocator's; NULL
// without a word in `*failed`: none.
char *disk_folder(const Allocator *from, const char *asked, bool *failed);

// `*out` is NULL where the options say that there is none.  False without
// memory.  The folder need not exist.
bool disk_open(const Allocator *from, const DiskOptions *options,
               DiskCache **out);
void disk_close(DiskCache *cache);

// Sets what does not depend on the source: the build of this library, LLVM, the
// processor where the code is for it.
void disk_describe(const DiskCache *cache, bool is_host, DiskInputs *out);

// The entry of that key, if the files that it was made from are as they were.
// Under the lock of the unit that has `reads`.
bool disk_find(DiskCache *cache, Bytes key, FileReads *reads, Arena *arena,
               Entry *out);
// Keeps the file of an entry; false: errno says why.
bool disk_keep(DiskCache *cache, Bytes key, Bytes file, Arena *arena);
// A warning, once, if the folder is not to be trusted.
TileStatus disk_tell(DiskCache *cache, const Report *report);

#endif
