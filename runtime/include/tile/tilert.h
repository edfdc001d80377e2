// tilert.h -- running kernels that `tilec pack` compiled: libtilert.
//
//   tilert_pack_open("kernels.tilepack", NULL, &pack, &e);
//   tilert_device_open(NULL, NULL, &device, &e);
//   TileArg args[] = {tile_pointer_arg(x, TILE_FP32), …, tile_int_arg(n)};
//   TilertLaunch launch = {.pack = pack, .kernel = "add", .grid = {blocks},
//                          .args = args, .num_args = 4};
//   tilert_launch(device, &launch, &e);
//   tilert_device_sync(device, &e);
//
// The library needs libc alone, and has no compiler.  Its types and status
// codes are those of tile.h, and one program may use both.
//
// Objects that are opened or created belong to the caller: buffers end before
// their device, devices before the packs that they launched from; destroying
// NULL is fine.  Any number of threads may use one object at the same time.  A
// call that fails writes the reason to its TilertError *; with NULL the reason
// is lost.
#ifndef TILE_TILERT_H
#define TILE_TILERT_H

#include "tile/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TilertPack TilertPack;
typedef struct TilertDevice TilertDevice;
typedef struct TilertBuffer TilertBuffer;

typedef struct {
  char text[2048];
} TilertError;

TILE_API const char *tilert_version(void); // of the library, "0.1.0"
TILE_API const char *tilert_status_text(TileStatus status);

// Options of a runtime; a call that takes them takes NULL for the defaults,
// too.
typedef struct {
  size_t size;             // sizeof(TilertOptions), or 0
  TileAllocator allocator; // alloc NULL: malloc and free
  // Gets each line that a kernel prints on the CPU, with its newline, from any
  // thread; may be NULL.
  void (*print)(void *ctx, const char *line);
  void *print_ctx;
  int num_threads; // on the CPU; 0: $TILE_NUM_THREADS, else all it may use
} TilertOptions;

// -- Packs -------------------------------------------------------------------

// TILE_FILE_ERROR: the file cannot be read, or is no pack of this version that
// is whole.
TILE_API TILE_MUST_CHECK TileStatus
tilert_pack_open(const char *path, const TilertOptions *options,
                 TilertPack **out, TilertError *error);
// The same for a pack in memory, for example one that is linked into the
// program.  The bytes belong to the caller and live as long as the pack.
TILE_API TILE_MUST_CHECK TileStatus
tilert_pack_read(const void *bytes, size_t size, const TilertOptions *options,
                 TilertPack **out, TilertError *error);
TILE_API void tilert_pack_close(TilertPack *pack);
TILE_API size_t tilert_pack_num_kernels(const TilertPack *pack);
TILE_API const char *tilert_pack_kernel_name(const TilertPack *pack,
                                             size_t index);

// -- Devices and buffers -----------------------------------------------------

// "cpu", "cuda", "cuda:1", "sim"; on the CPU, $TILE_CPU may name the highest
// level of x86-64 whose code runs, "x86-64-v3".  NULL: $TILE_DEVICE, else a GPU
// if there is one, else the CPU.  TILE_UNAVAILABLE when the machine has no such
// device.
TILE_API TILE_MUST_CHECK TileStatus
tilert_device_open(const char *name, const TilertOptions *options,
                   TilertDevice **out, TilertError *error);
TILE_API void tilert_device_close(TilertDevice *device);
// The target of the device's code, "cpu" or "sm_90a". Code of a pack for an
// older chip runs there, too.
TILE_API const char *tilert_device_target(const TilertDevice *device);
// Waits for everything launched.
TILE_API TILE_MUST_CHECK TileStatus tilert_device_sync(TilertDevice *device,
                                                       TilertError *error);

// `size` bytes of device memory, undefined, aligned to 256 bytes.
TILE_API TILE_MUST_CHECK TileStatus tilert_buffer_create(TilertDevice *device,
                                                         size_t size,
                                                         TilertBuffer **out,
                                                         TilertError *error);
TILE_API void tilert_buffer_destroy(TilertBuffer *buffer);
// The device's address; on the CPU an ordinary pointer.
TILE_API void *tilert_buffer_address(const TilertBuffer *buffer);
// tilert_buffer_write() and tilert_buffer_read() wait for earlier launches.
TILE_API TILE_MUST_CHECK TileStatus tilert_buffer_write(TilertBuffer *buffer,
                                                        size_t offset,
                                                        const void *from,
                                                        size_t size,
                                                        TilertError *error);
TILE_API TILE_MUST_CHECK TileStatus
tilert_buffer_read(const TilertBuffer *buffer, size_t offset, void *to,
                   size_t size, TilertError *error);

// Streams are CUstreams; on the CPU there is none but NULL.
TILE_API TILE_MUST_CHECK TileStatus tilert_stream_create(TilertDevice *device,
                                                         void **out,
                                                         TilertError *error);
TILE_API void tilert_stream_destroy(TilertDevice *device, void *stream);
TILE_API TILE_MUST_CHECK TileStatus tilert_stream_sync(TilertDevice *device,
                                                       void *stream,
                                                       TilertError *error);

// -- Launching ---------------------------------------------------------------

typedef struct {
  size_t size; // sizeof(TilertLaunch), or 0
  const TilertPack *pack;
  const char *kernel; // its name
  uint32_t grid[3];   // programs along each axis; 0 along 1 and 2 means 1
  // In the order of the parameters that `constants` does not name.  Arguments
  // left out at the end, or TILE_ARG_DEFAULT, are the kernel's defaults; a
  // constant without a default is as the variant has it.
  const TileArg *args; // addresses, also in descriptors, not buffers
  size_t num_args;
  const TileConstant *constants;
  size_t num_constants;
  int num_warps, num_stages; // numbers for which the variant was compiled, also
                             // on the CPU; 0: any
  int config;                // which of @autotune's configurations, from 0
  void *stream;              // a CUstream; NULL: the device's own
  bool launch_pdl;           // as in TileLaunch
  int num_ctas;              // blocks of threads a program, likewise; 0: any
  int persist; // the variant's line has --persist=always: 1, never: -1; 0: any
} TilertLaunch;

// Starts the grid of the variant that fits these arguments: they have its
// types, its constants and its divisibilities.  Among several that fit, the
// device takes the newest code that it can run; among those, the variant that
// knows most about the arguments; among those, the first in the pack.
// TILE_UNAVAILABLE: the pack has no variant that fits.
TILE_API TILE_MUST_CHECK TileStatus tilert_launch(TilertDevice *device,
                                                  const TilertLaunch *launch,
                                                  TilertError *error);
// Makes the variant ready and starts nothing; the grid is not read.
TILE_API TILE_MUST_CHECK TileStatus tilert_prepare(TilertDevice *device,
                                                   const TilertLaunch *launch,
                                                   TilertError *error);

#ifdef __cplusplus
}
#endif
#endif
