// test_both -- libtile and libtilert in one program: one compiles a kernel, the
// other runs it from a pack, and both write the same; so does code for each
// level of x86-64, where operations are exact.
#include "tile/tile.h"
#include "tile/tilert.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { N = 100 };
static _Alignas(64) float x[N], y[N], by_tile[N], by_pack[N];
static TileArg args[5];

static TileStatus compile_and_run(const char *source) {
  TileContext *context;
  TileDevice *device;
  TileProgram *program;
  TileLaunch launch = {.grid = {1}, .args = args, .num_args = 5};
  TileStatus status = tile_context_create(NULL, &context);
  if (!status) status = tile_device_open(context, "cpu", &device, NULL);
  if (!status) status = tile_program_load(context, source, &program, NULL);
  if (!status)
    status = tile_program_kernel(program, NULL, &launch.kernel, NULL);
  if (!status) status = tile_launch(device, &launch, NULL);
  if (status) return status;
  tile_program_destroy(program);
  tile_device_destroy(device);
  tile_context_destroy(context);
  return TILE_OK;
}

static TileStatus run_pack(const char *path, const char *kernel) {
  TilertPack *pack;
  TilertDevice *device;
  TilertLaunch launch = {
      .kernel = kernel, .grid = {1}, .args = args, .num_args = 5};
  TileStatus status = tilert_pack_open(path, NULL, &pack, NULL);
  if (!status) status = tilert_device_open("cpu", NULL, &device, NULL);
  if (status) return status;
  launch.pack = pack;
  status = tilert_launch(device, &launch, NULL);
  tilert_device_close(device);
  tilert_pack_close(pack);
  return status;
}

static bool both(const char *source, const char *pack, const char *kernel) {
  memset(by_tile, 0, sizeof by_tile);
  memset(by_pack, 0, sizeof by_pack);
  args[2] = tile_pointer_arg(by_tile, TILE_FP32);
  if (compile_and_run(source)) return false;
  args[2] = tile_pointer_arg(by_pack, TILE_FP32);
  if (run_pack(pack, kernel)) return false;
  return by_tile[N - 1] != 0 && !memcmp(by_tile, by_pack, sizeof by_tile);
}

int main(void) {
  for (int i = 0; i < N; i++) {
    x[i] = (float)(i - N / 2) / 3;
    y[i] = (float)(i * i) / 7;
  }
  args[0] = tile_pointer_arg(x, TILE_FP32);
  args[1] = tile_pointer_arg(y, TILE_FP32);
  args[3] = tile_int_arg(N);
  args[4] = tile_int_arg(1024);
  if (!both(FOLDER "/add.tile", "add.tilepack", "add")) return 1;
  if (!both(FOLDER "/exact.tile", "exact1.tilepack", "exact")) return 2;
  if (!both(FOLDER "/exact.tile", "exact2.tilepack", "exact")) return 3;
  puts("both say the same");
  return 0;
}
