// fuzz_safetensors.c -- any bytes as a file .safetensors.
#include "tests/fuzz/stored.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  stored_feed(safetensors_list, data, size);
  return 0;
}
