// header_cxx.cpp -- tile/tile.h is clean C++17.
#include "tile/tile.h"

#include <cstdio>

int main() {
  TileContext *context = nullptr;
  if (tile_context_create(nullptr, &context) != TILE_OK) return 1;
  const TileArg arg = tile_float_arg(2.5);
  TileLaunch launch = {};
  launch.args = &arg;
  TileDiagnostics *diagnostics = nullptr;
  if (tile_launch(nullptr, &launch, &diagnostics) != TILE_INVALID_ARGUMENT)
    return 1;
  TileProgram *program = nullptr;
  TileSource source = {};
  source.text = "@jit\ndef k(x):\n    return\n";
  const TileStatus status =
      tile_program_create(context, &source, &program, &diagnostics);
  std::printf("%s", tile_diagnostics_text(diagnostics));
  tile_diagnostics_destroy(diagnostics);
  tile_program_destroy(program);
  tile_context_destroy(context);
  return status == TILE_OK ? 0 : 1;
}
