// engine.h -- for programs that launch often: a part of tile.h, which
// includes it.
#ifndef TILE_ENGINE_H
#define TILE_ENGINE_H

#include "tile/tile.h"

#ifdef __cplusplus
extern "C" {
#endif

// -- Variants ----------------------------------------------------------------

// Unloads the least recently launched variants until there are `keep`; a launch
// that needs one compiles it again.  Variants of a TileBinding stay; a variant
// that runs is unloaded when it is done, for which the call waits on a GPU.
// Other threads may launch meanwhile.
TILE_API void tile_context_evict(TileContext *context, size_t keep);

// -- Bindings ----------------------------------------------------------------

typedef struct TileBinding TileBinding;

// A binding keeps a launch and its variant, to start it often with other
// addresses: one for each pointer, buffer and descriptor among its arguments,
// in their order, those in tuples too.  The binding is the caller's, and ends
// before the device and the program; any number of threads may start it.
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

// -- Streams -----------------------------------------------------------------

// Work given to a stream is done in that order, beside the work of other
// streams.  Streams are CUstreams: `launch.stream`, and every `stream` below,
// may be one of the caller's own making.  NULL is the device's own.  On the CPU
// there is no other, and everything is done when the call returns.
TILE_API TILE_MUST_CHECK TileStatus tile_stream_create(
    TileDevice *device, void **out, TileDiagnostics **diagnostics);
TILE_API void tile_stream_destroy(TileDevice *device, void *stream);
// Waits for all work in the stream.
TILE_API TILE_MUST_CHECK TileStatus tile_stream_sync(
    TileDevice *device, void *stream, TileDiagnostics **diagnostics);

// -- Copies and fills --------------------------------------------------------

// In the order of `stream`, for which they do not wait: buffers must live until
// then, and parts of one buffer must not overlap.  Between two devices of a
// kind, it is a stream of the one that `to` is on; with NULL the call waits for
// what `from`'s device was given before.  From or to the CPU or "null" the
// stream is NULL, and the copy is done when the call returns.  TILE_UNSUPPORTED
// between "cuda" and "sim".
TILE_API TILE_MUST_CHECK TileStatus
tile_buffer_copy(TileBuffer *to, size_t to_offset, const TileBuffer *from,
                 size_t from_offset, size_t size, void *stream,
                 TileDiagnostics **diagnostics);
// `value` has `value_size` bytes, 1, 2, 4 or 8, which divide offset and size.
TILE_API TILE_MUST_CHECK TileStatus tile_buffer_fill(
    TileBuffer *buffer, size_t offset, size_t size, const void *value,
    size_t value_size, void *stream, TileDiagnostics **diagnostics);
// The same as tile_buffer_write() and _read(), but in the order of `stream`:
// the host's memory must stay as it is until then.  A GPU copies while the
// caller goes on only if it is of tile_host_alloc().
TILE_API TILE_MUST_CHECK TileStatus tile_buffer_write_async(
    TileBuffer *buffer, size_t offset, const void *from, size_t size,
    void *stream, TileDiagnostics **diagnostics);
TILE_API TILE_MUST_CHECK TileStatus tile_buffer_read_async(
    const TileBuffer *buffer, size_t offset, void *to, size_t size,
    void *stream, TileDiagnostics **diagnostics);

// Memory of the host that the device's driver keeps in place; it ends before
// the device.
TILE_API TILE_MUST_CHECK TileStatus tile_host_alloc(
    TileDevice *device, size_t size, void **out, TileDiagnostics **diagnostics);
TILE_API void tile_host_free(TileDevice *device, void *address);

// -- DLPack ------------------------------------------------------------------

// The tensors of other libraries, as dlpack.h declares them; the CPU's, and a
// GPU's on "cuda".  TILE_UNSUPPORTED for other devices, and for types and
// strides that the other side does not have.
struct DLManagedTensor;

// A buffer in the memory of a tensor, from its first element to its last.  The
// buffer takes the tensor over: destroying the buffer calls the deleter.  After
// a failure the tensor is the caller's, as before.  `dtype` gets the type of
// the elements, unless it is NULL.
TILE_API TILE_MUST_CHECK TileStatus tile_buffer_from_dlpack(
    TileDevice *device, struct DLManagedTensor *tensor, TileBuffer **out,
    TileDtype *dtype, TileDiagnostics **diagnostics);
// A tensor in the memory of a buffer, with its elements side by side.  The
// tensor takes the buffer over: its deleter destroys the buffer, before the
// device goes.  After a failure the buffer is the caller's, as before.
TILE_API TILE_MUST_CHECK TileStatus tile_buffer_to_dlpack(
    TileBuffer *buffer, TileDtype dtype, int rank, const int64_t *shape,
    struct DLManagedTensor **out, TileDiagnostics **diagnostics);

// -- Events ------------------------------------------------------------------

typedef struct TileEvent TileEvent;

// A point in the order of a stream; it ends before its device.
TILE_API TILE_MUST_CHECK TileStatus tile_event_create(
    TileDevice *device, TileEvent **out, TileDiagnostics **diagnostics);
TILE_API void tile_event_destroy(TileEvent *event);
// The event then stands for the work that `stream`, a stream of the event's
// device, was given so far.
TILE_API TILE_MUST_CHECK TileStatus tile_event_record(
    TileEvent *event, void *stream, TileDiagnostics **diagnostics);
// Waits for it; one that was not recorded has happened.
TILE_API TILE_MUST_CHECK TileStatus
tile_event_sync(TileEvent *event, TileDiagnostics **diagnostics);
// Work that `stream` of `device` is given from now on waits for it.  The device
// may be another of the event's kind.
TILE_API TILE_MUST_CHECK TileStatus
tile_event_wait(TileEvent *event, TileDevice *device, void *stream,
                TileDiagnostics **diagnostics);
// From one to the other, both of one device, recorded, and over.
TILE_API TILE_MUST_CHECK TileStatus
tile_event_seconds(const TileEvent *start, const TileEvent *end,
                   double *seconds, TileDiagnostics **diagnostics);

#ifdef __cplusplus
}
#endif
#endif
