// fuzz_pack.c -- any bytes as a pack.
//
// The head is set right, so that the rest is read.  A pack that is taken is
// looked through: each kernel is asked for a variant, with arguments that may
// fit; code is loaded, and not run.
#include "runtime/pack/pack.h"
#include "runtime/pack/pack_format.h"
#include "tile/tilert.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(const TilertPack *pack, TilertDevice *device) {
  static _Alignas(64) float memory[16];
  static TilertError error;
  const TileArg args[] = {
      tile_pointer_arg(memory, TILE_FP32), tile_pointer_arg(memory, TILE_FP32),
      tile_pointer_arg(memory, TILE_FP32), tile_int_arg(16)};
  for (size_t i = 0; i < tilert_pack_num_kernels(pack); i++) {
    const TilertLaunch launch = {.pack = pack,
                                 .kernel = tilert_pack_kernel_name(pack, i),
                                 .args = args,
                                 .num_args = 4};
    if (tilert_prepare(device, &launch, &error) && !*error.text) abort();
  }
}

static void open_pack(const uint8_t *bytes, size_t size) {
  const TilertOptions options = {.num_threads = 1};
  TilertPack *pack = NULL;
  TilertDevice *device = NULL;
  if (tilert_pack_read(bytes, size, NULL, &pack, NULL)) return;
  if (!tilert_device_open("cpu", &options, &device, NULL)) look(pack, device);
  tilert_device_close(device);
  tilert_pack_close(pack);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  uint8_t *bytes = malloc(size ? size : 1);
  PackHead head = {.magic = PACK_MAGIC, .version = PACK_VERSION, .size = size};
  if (!bytes) return 0;
  if (size) memcpy(bytes, data, size);
  if (size >= sizeof head) {
    head.checksum = pack_checksum(bytes + sizeof head, size - sizeof head);
    memcpy(bytes, &head, sizeof head);
  }
  open_pack(bytes, size);
  free(bytes);
  return 0;
}
