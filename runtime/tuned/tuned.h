// tuned.h -- the best configurations, kept in files for later processes.
//
// There is one file for each kernel, source and device.  A look-up reads each
// file once; a process knows its own results at once.
#ifndef TILE_RUNTIME_TUNED_H
#define TILE_RUNTIME_TUNED_H

#include "ir/base/base.h"
#include "runtime/base/base.h"

#include <stdbool.h>

typedef struct {
  const char *key;    // of launches
  const char *choice; // the configuration, as text
  double seconds;     // time of a launch
  bool is_point;      // of a search space: no list has the choice
} TunedEntry;

// The kernel, its source and the device that entries are for.
typedef struct {
  const char *kernel;
  const char *source; // the digest of its text, in hexadecimal digits
  const char *device;
} TunedName;

typedef struct {
  TunedName name;
  Vec(TunedEntry) entries;
} TunedFile;

// -- One file ----------------------------------------------------------------

// False: the text is no such file.
bool tuned_read(Arena *arena, const char *text, size_t length, TunedFile *out);
const char *tuned_write(Arena *arena, const TunedFile *file);
// The file's name in its folder.
const char *tuned_file_name(Arena *arena, const TunedName *name);
// Adds the entry, or replaces the one with the same key.
void tuned_set(Arena *arena, TunedFile *file, const TunedEntry *entry);
// Adds the entries of `from`: of two entries with one key the quicker stays.
// Returns how many were added.
size_t tuned_join(Arena *arena, TunedFile *to, const TunedFile *from);

// -- A folder of them --------------------------------------------------------

typedef struct TunedStore TunedStore;

// `*out` is NULL if `folder` is NULL or "off"; "" is a folder beside the cache
// of tilec.  False without memory.  The folder need not exist.
bool tuned_open(const Allocator *from, const char *folder, TunedStore **out);
void tuned_close(TunedStore *store);
const char *tuned_folder(const TunedStore *store);

// The choice for a key, in `arena`; NULL: none is known.  `*is_point`: whether
// it is a point of a search space.
const char *tuned_find(TunedStore *store, const TunedName *name,
                       const char *key, Arena *arena, bool *is_point);
// Warns, once, if the folder is not to be trusted: nothing was found there.
TileStatus tuned_tell(TunedStore *store, const Report *report);
typedef enum { TUNED_KEPT, TUNED_NO_MEMORY, TUNED_NOT_KEPT } TunedResult;
// Adds an entry to the file, beside the entries that other processes have left
// there since: one writes at a time (lock.h).  NOT_KEPT: only this process
// knows the entry, and `why` has the reason.
TunedResult tuned_keep(TunedStore *store, const TunedName *name,
                       const TunedEntry *entry, char *why, size_t why_size);
// Adds the entries of a file to the file of the same name in the store's
// folder; adds to `num_added` how many were new, or quicker.
TunedResult tuned_merge(TunedStore *store, const TunedFile *file,
                        size_t *num_added, char *why, size_t why_size);

#endif
