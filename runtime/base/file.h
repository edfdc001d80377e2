// file.h -- reading and writing whole files.
#ifndef TILE_RUNTIME_FILE_H
#define TILE_RUNTIME_FILE_H

#include "frontend/frontend.h"
#include "runtime/base/replace.h"

// The bytes of a file and a NUL, in the arena; NULL with a reason in `why`.
const char *file_read(Arena *arena, const char *path, size_t *length, char *why,
                      size_t why_size);
// The same without the NUL.  A regular file is mapped, so that only pages that
// are used are read; the bytes change with the file while the arena lives.
const char *file_map(Arena *arena, const char *path, size_t *length, char *why,
                     size_t why_size);
// Replaces the file by a new one atomically, so that no reader sees half of it.
// `lists`: folders whose files aside of killed processes are known; NULL: the
// folder is searched for these.
bool file_write(ReplaceLists *lists, const char *path, const void *bytes,
                size_t size, char *why, size_t why_size);

// Reads imported files from the file system.
extern const FileReader file_reader;

// Removes a file that was written; a path that is no regular file stays.
void file_remove(const char *path);

#endif
