// fuzz_gguf.c -- any bytes as a file .gguf.
#include "tests/fuzz/stored.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  stored_feed(gguf_list, data, size);
  return 0;
}
