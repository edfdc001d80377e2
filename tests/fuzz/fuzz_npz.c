// fuzz_npz.c -- any bytes as a file .npz.
#include "tests/fuzz/stored.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  stored_feed(npz_list, data, size);
  return 0;
}
