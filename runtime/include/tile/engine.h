// engine.h -- what programs want that launch much: a part of tile.h, which
// includes it.
#ifndef TILE_ENGINE_H
#define TILE_ENGINE_H

#include "tile/tile.h"

#ifdef __cplusplus
extern "C" {
#endif

// -- Variants ----------------------------------------------------------------

// Unloads compiled variants until there are `keep`, those first that were
// launched longest ago; a launch compiles anew what it needs.  Those of a
// TileBinding stay, and those that run are unloaded when they are done, for
// which a GPU is waited for.  Other threads may launch meanwhile.
TILE_API void tile_context_evict(TileContext *context, size_t keep);

// -- Bindings ----------------------------------------------------------------

typedef struct TileBinding TileBinding;

// A binding keeps a launch and its variant, to start it often with other
// addresses: one for each pointer, buffer and descriptor among its arguments,
// in their order, those in tuples too.  It is the caller's, and ends before the
// device and the program; any number of threads may start it.
// TILE_UNSUPPORTED where the launch needs a tensor map.
TILE_API TILE_MUST_CHECK TileStatus
tile_launch_bind(TileDevice *device, const TileLaunch *launch,
                 TileBinding **out, TileDiagnostics **diagnostics);
TILE_API size_t tile_binding_num_addresses(const TileBinding *binding);
// Starts the grid.  `addresses` are device addresses, each aligned as that of
// the launch had to be: to its elements, and to 16 bytes where that one was;
// else TILE_INVALID_ARGUMENT.  With `num_addresses` 0 they are those of the
// launch.  `stream` NULL: as the launch says.
TILE_API TILE_MUST_CHECK TileStatus tile_binding_start(
    const TileBinding *binding, const void *const *addresses,
    size_t num_addresses, void *stream, TileDiagnostics **diagnostics);
TILE_API void tile_binding_destroy(TileBinding *binding);

#ifdef __cplusplus
}
#endif
#endif
