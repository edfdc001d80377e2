#!/bin/sh
# archive.sh CMAKE BUILD SOURCE -- libtile.a has all of LLVM that it needs, and
# exports none of its symbols: a program with it alone compiles and runs a
# kernel.
set -eu
if [ -z "${TILE_TEST_FULL:-}" ]; then
  echo "SKIP: linking libtile.a takes a quarter of a minute; TILE_TEST_FULL=1 does"
  exit 77
fi
cmake=$1 build=$2 source=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cmake" --build "$build" --target help >"$work/targets"
if ! grep -q 'tile_archive' "$work/targets"; then
  echo "SKIP: LLVM's static libraries are not installed, or would be sanitized"
  exit 77
fi
"$cmake" --build "$build" --target tile_archive >"$work/log" 2>&1 ||
  { cat "$work/log"; exit 1; }
archive=$build/runtime/libtile.a
nm -g --defined-only "$archive" | awk 'NF == 3 { print $3 }' | sort >"$work/names"
grep -q '^tile_launch$' "$work/names" || { echo "no tile_launch"; exit 1; }
if grep -v '^tile_' "$work/names" | head -n 5 | grep .; then
  echo "libtile.a shows what is not its own"
  exit 1
fi
cat >"$work/user.c" <<'END'
#include <stdio.h>
#include <tile/tile.h>

static const char text[] = "@jit\n"
                           "def twice(x: '*fp32'):\n"
                           "    i = tl.arange(0, 16)\n"
                           "    tl.store(x + i, tl.load(x + i) * 2)\n";

int main(void) {
  const TileSource source = {
      .file = "twice.tile", .text = text, .length = sizeof text - 1};
  TileContext *context;
  TileDevice *device;
  TileProgram *program;
  TileKernel *kernel;
  TileBuffer *buffer;
  float x[16];
  for (int i = 0; i < 16; i++) x[i] = (float)i;
  if (tile_context_create(NULL, &context) ||
      tile_device_open(context, "cpu", &device, NULL) ||
      tile_program_create(context, &source, &program, NULL) ||
      tile_program_kernel(program, "twice", &kernel, NULL) ||
      tile_buffer_create(device, sizeof x, &buffer) ||
      tile_buffer_write(buffer, 0, x, sizeof x))
    return 1;
  TileArg arg = tile_buffer_arg(buffer, TILE_FP32);
  const TileLaunch launch = {
      .kernel = kernel, .grid = {1}, .args = &arg, .num_args = 1};
  if (tile_launch(device, &launch, NULL) ||
      tile_buffer_read(buffer, 0, x, sizeof x))
    return 2;
  tile_buffer_destroy(buffer);
  tile_program_destroy(program);
  tile_device_destroy(device);
  tile_context_destroy(context);
  printf("2 * 3 is %g\n", (double)x[3]);
  return x[3] != 6;
}
END
cc -std=c11 -I"$source/runtime/include" "$work/user.c" "$archive" \
  -o "$work/user" -lstdc++ -lz -lzstd -lm -ldl -lpthread
"$work/user"
if ldd "$work/user" | grep LLVM; then exit 1; fi
