// digest.h -- digests of files and keys: BLAKE3 of their bytes.
//
// Collisions are taken to be impossible, so the text is not kept beside its
// digest.
#ifndef TILE_RUNTIME_DIGEST_H
#define TILE_RUNTIME_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

enum { DIGEST_BYTES = 32, DIGEST_TEXT = 2 * DIGEST_BYTES + 1 };

typedef struct {
  unsigned char bytes[DIGEST_BYTES];
} Digest;

Digest digest_of(const void *data, size_t size);
bool digest_same(const Digest *a, const Digest *b);
// Prints a digest as hexadecimal digits and a NUL.
void digest_print(const Digest *digest, char out[DIGEST_TEXT]);

#endif
