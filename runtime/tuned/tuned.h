// tuned.h -- which configurations were best, kept in files for processes to
// come.
//
// A file a kernel, source and device.  A look-up reads each file once; a
// process knows at once what it finds itself.
#ifndef TILE_RUNTIME_TUNED_H
#define TILE_RUNTIME_TUNED_H

#include "ir/base/base.h"

#include <stdbool.h>

typedef struct {
  const char *key;    // of the launches that it is for
  const char *choice; // the configuration, as text
  double seconds;     // that a launch took
  bool is_point;      // of a search space: no list has the choice
} TunedEntry;

// The kernel, its source and the device that entries are of.
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

// False: it is no such file.
bool tuned_read(Arena *arena, const char *text, size_t length, TunedFile *out);
const char *tuned_write(Arena *arena, const TunedFile *file);
// The name that the file has in its folder.
const char *tuned_file_name(Arena *arena, const TunedName *name);
// Replaces the entry of that key.
void tuned_set(Arena *arena, TunedFile *file, const TunedEntry *entry);
// Adds what `from` has: of two entries with one key the quicker stays.
void tuned_join(Arena *arena, TunedFile *to, const TunedFile *from);

// -- A folder of them --------------------------------------------------------

typedef struct TunedStore TunedStore;

// `*out` is NULL where `folder` is NULL or "off"; "": beside the cache of
// tilec.  False without memory.  The folder need not exist.
bool tuned_open(const Allocator *from, const char *folder, TunedStore **out);
void tuned_close(TunedStore *store);
const char *tuned_folder(const TunedStore *store);

// The choice for that key, in `arena`; NULL: none is known.  `*is_point`: it is
// one of a search space.
const char *tuned_find(TunedStore *store, const TunedName *name,
                       const char *key, Arena *arena, bool *is_point);
typedef enum { TUNED_KEPT, TUNED_NO_MEMORY, TUNED_NOT_KEPT } TunedResult;
// Keeps an entry, in the file beside what other processes have left there
// since: one writes at a time (lock.h).  NOT_KEPT: this process alone
// knows the entry, and `why` has the reason.
TunedResult tuned_keep(TunedStore *store, const TunedName *name,
                       const TunedEntry *entry, char *why, size_t why_size);
// Joins a file to that of its name; its own folder may be any.
TunedResult tuned_merge(TunedStore *store, const TunedFile *file, char *why,
                        size_t why_size);

#endif
