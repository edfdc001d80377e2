// digest.c -- BLAKE3, by LLVM's library.
#include "runtime/disk/digest.h"

#include <llvm-c/blake3.h>
#include <string.h>

_Static_assert((int)DIGEST_BYTES == (int)LLVM_BLAKE3_OUT_LEN, "a whole digest");

Digest digest_of(const void *data, size_t size) {
  llvm_blake3_hasher hasher;
  Digest digest;
  llvm_blake3_hasher_init(&hasher);
  llvm_blake3_hasher_update(&hasher, data, size);
  llvm_blake3_hasher_finalize(&hasher, digest.bytes, sizeof digest.bytes);
  return digest;
}

bool digest_same(const Digest *a, const Digest *b) {
  return !memcmp(a->bytes, b->bytes, sizeof a->bytes);
}

void digest_print(const Digest *digest, char out[DIGEST_TEXT]) {
  static const char digits[] = "0123456789abcdef";
  for (int i = 0; i < DIGEST_BYTES; i++) {
    *out++ = digits[digest->bytes[i] >> 4];
    *out++ = digits[digest->bytes[i] & 15];
  }
  *out = '\0';
}
