// fuzz_pack.c -- any bytes as a pack.  The header is made valid, so that the
// rest is read.
//
// For each kernel of an accepted pack a variant is requested, with arguments
// that may fit; code is loaded, and not run.
#include "runtime/pack/format.h"
#include "runtime/pack/pack.h"
#include "tile/tilert.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const TilertPack *pack, TilertDevice *device,
                const TileArg *args, size_t num_args) {
  static TilertError error;
  for (size_t i = 0; i < tilert_pack_num_kernels(pack); i++) {
    const TilertLaunch launch = {.pack = pack,
                                 .kernel = tilert_pack_kernel_name(pack, i),
                                 .args = args,
                                 .num_args = num_args};
    *error.text = '\0';
    if (tilert_prepare(device, &launch, &error) && !*error.text) abort();
  }
}

static void look(const TilertPack *pack, TilertDevice *device) {
  static _Alignas(64) float memory[16];
  const TileArg plain[] = {
      tile_pointer_arg(memory, TILE_FP32), tile_pointer_arg(memory, TILE_FP32),
      tile_pointer_arg(memory, TILE_FP32), tile_int_arg(16)};
  const TileTensorDescriptor d = {.address = memory,
                                  .dtype = TILE_FP32,
                                  .rank = 2,
                                  .shape = {1, 16},
                                  .strides = {16, 1},
                                  .block = {8, 16}};
  const TileArg inner[] = {tile_float_arg(1), tile_none_arg()};
  const TileArg outer[] = {tile_int_arg(3), tile_tuple_arg(inner, 2)};
  const TileArg parts[] = {tile_descriptor_arg(&d), tile_tuple_arg(outer, 2),
                           tile_pointer_arg(memory, TILE_FP32)};
  ask(pack, device, plain, 4);
  ask(pack, device, parts, 3);
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
