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
// addresses.  There is an address for each pointer, buffer and descriptor among
// the launch's arguments, those in tuples too, in the order of the arguments.
// The binding belongs to the caller, and is destroyed before the device and the
// program; any number of threads may start it.
TILE_API TILE_MUST_CHECK TileStatus
tile_launch_bind(TileDevice *device, const TileLaunch *launch,
                 TileBinding **out, TileDiagnostics **diagnostics);
TILE_API size_t tile_binding_num_addresses(const TileBinding *binding);
// Starts the grid with these device addresses; `num_addresses` 0: with the
// addresses of the launch.  Each address must be aligned to its elements, and
// to 16 bytes if the launch's address was; else the call returns
// TILE_INVALID_ARGUMENT. `stream` NULL: the stream of the launch.
TILE_API TILE_MUST_CHECK TileStatus tile_binding_start(
    const TileBinding *binding, const void *const *addresses,
    size_t num_addresses, void *stream, TileDiagnostics **diagnostics);
TILE_API void tile_binding_destroy(TileBinding *binding);

// -- Streams -----------------------------------------------------------------

// Work in one stream is done in the order in which it was given, beside the
// work of other streams.  Streams are CUstreams: `launch.stream`, and every
// `stream` below, may be one that the caller has made.  NULL is the device's
// own stream.  The CPU has no other stream, and its work is done when the call
// returns.
TILE_API TILE_MUST_CHECK TileStatus tile_stream_create(
    TileDevice *device, void **out, TileDiagnostics **diagnostics);
TILE_API void tile_stream_destroy(TileDevice *device, void *stream);
// Waits for all work in the stream.
TILE_API TILE_MUST_CHECK TileStatus tile_stream_sync(
    TileDevice *device, void *stream, TileDiagnostics **diagnostics);

// -- Copies and fills --------------------------------------------------------

// Copies and fills are done in the order of `stream`, and the calls do not wait
// for them: the buffers must live until then, and parts of one buffer must not
// overlap.  In a copy between two devices of one kind, `stream` is one of the
// device of `to`; if it is NULL, the call waits for all work that the device of
// `from` was given before.  For a copy from or to the CPU or "null", `stream`
// is NULL, and the copy is done when the call returns.  Copies between "cuda"
// and "sim" are TILE_UNSUPPORTED.
TILE_API TILE_MUST_CHECK TileStatus
tile_buffer_copy(TileBuffer *to, size_t to_offset, const TileBuffer *from,
                 size_t from_offset, size_t size, void *stream,
                 TileDiagnostics **diagnostics);
// `value` has `value_size` bytes, 1, 2, 4 or 8, which divides offset and size.
TILE_API TILE_MUST_CHECK TileStatus tile_buffer_fill(
    TileBuffer *buffer, size_t offset, size_t size, const void *value,
    size_t value_size, void *stream, TileDiagnostics **diagnostics);
// The same as tile_buffer_write() and _read(), but in the order of `stream`:
// the host's memory must not change until the copy is done.  A GPU copies while
// the caller goes on only if that memory is from tile_host_alloc().
TILE_API TILE_MUST_CHECK TileStatus tile_buffer_write_async(
    TileBuffer *buffer, size_t offset, const void *from, size_t size,
    void *stream, TileDiagnostics **diagnostics);
TILE_API TILE_MUST_CHECK TileStatus tile_buffer_read_async(
    const TileBuffer *buffer, size_t offset, void *to, size_t size,
    void *stream, TileDiagnostics **diagnostics);

// Memory of the host that the device's driver keeps in place; it is freed
// before the device is destroyed.
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
// device is destroyed.  After a failure the buffer is the caller's, as before.
TILE_API TILE_MUST_CHECK TileStatus tile_buffer_to_dlpack(
    TileBuffer *buffer, TileDtype dtype, int rank, const int64_t *shape,
    struct DLManagedTensor **out, TileDiagnostics **diagnostics);

// -- Events ------------------------------------------------------------------

typedef struct TileEvent TileEvent;

// A point in the order of a stream; it is destroyed before its device.
TILE_API TILE_MUST_CHECK TileStatus tile_event_create(
    TileDevice *device, TileEvent **out, TileDiagnostics **diagnostics);
TILE_API void tile_event_destroy(TileEvent *event);
// From now on the event stands for all work that `stream`, a stream of the
// event's device, was given so far.
TILE_API TILE_MUST_CHECK TileStatus tile_event_record(
    TileEvent *event, void *stream, TileDiagnostics **diagnostics);
// Waits until the event has happened. An event that was not recorded counts as
// happened.
TILE_API TILE_MUST_CHECK TileStatus
tile_event_sync(TileEvent *event, TileDiagnostics **diagnostics);
// Work that `stream` of `device` is given from now on waits for the event.  The
// device may be another one of the same kind as the event's.
TILE_API TILE_MUST_CHECK TileStatus
tile_event_wait(TileEvent *event, TileDevice *device, void *stream,
                TileDiagnostics **diagnostics);
// The time from `start` to `end`, two events of one device that were recorded
// and have happened.
TILE_API TILE_MUST_CHECK TileStatus
tile_event_seconds(const TileEvent *start, const TileEvent *end,
                   double *seconds, TileDiagnostics **diagnostics);

#ifdef __cplusplus
}
#endif
#endif
