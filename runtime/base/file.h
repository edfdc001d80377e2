// file.h -- whole files in, whole files out.
#ifndef TILE_RUNTIME_FILE_H
#define TILE_RUNTIME_FILE_H

#include "frontend/frontend.h"

// The bytes of a file and a NUL, in the arena; NULL with a reason in `why`.
const char *file_read(Arena *arena, const char *path, size_t *length, char *why,
                      size_t why_size);
// The same without the NUL, and of a regular file without reading what nobody
// looks at; the bytes are the file's for as long as the arena lives.
const char *file_map(Arena *arena, const char *path, size_t *length, char *why,
                     size_t why_size);
// Replaces the file by a new one at once, so that nobody sees half of it.
bool file_write(const char *path, const void *bytes, size_t size, char *why,
                size_t why_size);

// Reads imported files.
extern const FileReader file_reader;

// Removes a file that was written; what is no regular file stays.
void file_remove(const char *path);

#endif
