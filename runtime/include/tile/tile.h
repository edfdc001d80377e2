// tile.h -- everything a program needs to compile and launch tile kernels.
//
//   tile_context_create(NULL, &context);
//   tile_device_open(context, NULL, &device, &d);
//   tile_program_load(context, "add.tile", &program, &d);
//   tile_program_kernel(program, "add", &kernel, &d);
//   TileArg args[] = {tile_buffer_arg(x, TILE_FP32), …, tile_int_arg(n)};
//   TileLaunch launch = {.kernel = kernel, .grid = {blocks}, .args = args, …};
//   tile_launch(device, &launch, &d);
//   tile_device_sync(device, &d);
//
// Objects from tile_x_create/open/load belong to the caller and end with
// tile_x_destroy, children before parents; destroying NULL is fine.  Any number
// of threads may use one context, device, program or kernel at the same time;
// an object may be destroyed only when no other thread uses it.
//
// Every fallible call returns a TileStatus.  If it takes a TileDiagnostics **,
// the reasons are stored there: on entry *diagnostics is NULL or a list of the
// caller's, which grows; the caller destroys it.  A NULL pointer asks for no
// reasons.  Warnings may be stored on success too.  Nothing here prints,
// exits or aborts.
//
// Structs that may grow begin with `size`: sizeof of the struct as the caller
// was compiled, so that a newer library reads no field that is not there.  0
// stands for the fields of version 0.1; any other size that is smaller than
// those, or larger than the library's own with a byte set beyond it, is
// TILE_INVALID_ARGUMENT.  A struct that the library fills may be larger: the
// bytes beyond the library's own become 0.
#ifndef TILE_TILE_H
#define TILE_TILE_H

#include "tile/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TileContext TileContext;
typedef struct TileDevice TileDevice;
typedef struct TileProgram TileProgram;
typedef struct TileKernel TileKernel;
typedef struct TileDiagnostics TileDiagnostics;

TILE_API const char *tile_version(void); // of the library, "0.1.0"
TILE_API const char *tile_status_text(TileStatus status);

// -- Context -----------------------------------------------------------------

// How well code of the CPU is compiled; results are the same.
typedef enum {
  TILE_TIER_USUAL, // as $TILE_CPU_TIER says: 0, 1 or auto; else TILE_TIER_FULL
  TILE_TIER_QUICK, // 0: compiled in less than half the time, twice as slow
  TILE_TIER_FULL,  // 1
  TILE_TIER_AUTO, // quick at first; full after some launches, in the background
} TileTier;

typedef struct {
  size_t size;             // sizeof(TileContextOptions), or 0
  TileAllocator allocator; // alloc NULL: malloc and free
  // Gets one line of progress or dump at a time, from any thread; may be NULL.
  void (*log)(void *ctx, const char *line);
  void *log_ctx;
  // Gets each line that a kernel prints on the CPU, with its newline, from any
  // thread; may be NULL.  The CUDA driver writes to standard output by itself.
  void (*print)(void *ctx, const char *line);
  void *print_ctx;
  // Threads that run programs on the CPU and in the simulator, from 1 to 1024.
  // 0: $TILE_NUM_THREADS, else as many as the process may use: the smaller of
  // its affinity mask and its control group's quota, rounded up.
  int num_threads;
  // Compiled variants that are kept, of all kernels together; when there are
  // more, those launched longest ago are unloaded. 0: all are kept.
  size_t max_variants;
  // The folder where compiled kernels are kept, for this process and others; it
  // is made when there is something to keep.  NULL or "off": none.  "":  where
  // tilec has its own, $TILE_CACHE_DIR, else $XDG_CACHE_HOME/tile, else
  // ~/.cache/tile.  Files there are executed: a folder of another user, or one
  // in which others may write, is not used, as a warning says.  Copied.
  const char *cache_dir;
  bool cache_read_only; // nothing is kept, removed, or marked as used
  // The approximate limit of the folder in bytes; the least recently used files
  // are removed first.  0: 1 GiB.
  size_t cache_limit;
  // Asked often by threads that compile, from several at a time; true: the call
  // ends as TILE_CANCELLED, and everything is as before.  May be NULL.  LLVM is
  // not interrupted: it has most of the time of a compilation.
  bool (*cancelled)(void *ctx);
  void *cancelled_ctx;
  // The folder where tile_tune() keeps which configurations were best, for this
  // process and others.  NULL or "off": none.  "": the folder "tuned" in the
  // folder that "" means for `cache_dir`.  A folder of another user, or one in
  // which others may write, is not read, as a warning says.  Copied.
  const char *tuned;
  // With TILE_TIER_AUTO, a thread of the context compiles, and calls the
  // allocator and `log`.
  TileTier cpu_tier;
} TileContextOptions;

// `options` may be NULL.
TILE_API TILE_MUST_CHECK TileStatus
tile_context_create(const TileContextOptions *options, TileContext **out);
TILE_API void tile_context_destroy(TileContext *context);

// -- Diagnostics -------------------------------------------------------------

typedef enum {
  TILE_SEVERITY_ERROR,
  TILE_SEVERITY_WARNING,
  TILE_SEVERITY_REMARK,
  TILE_SEVERITY_NOTE, // belongs to the diagnostic before it
} TileSeverity;

typedef struct {
  TileSeverity severity;
  const char *file; // NULL when the message concerns no source text
  int line, column; // from 1; 0 when unknown
  int span;         // bytes of that line that are meant, 0 when unknown
  const char *text;
} TileDiagnostic;

TILE_API size_t tile_diagnostics_count(const TileDiagnostics *diagnostics);
// Valid until the list is destroyed.
TILE_API TileDiagnostic tile_diagnostics_get(const TileDiagnostics *diagnostics,
                                             size_t index);
// All diagnostics as text, as a compiler prints them, with source lines and
// carets.
TILE_API const char *tile_diagnostics_text(const TileDiagnostics *diagnostics);
TILE_API void tile_diagnostics_destroy(TileDiagnostics *diagnostics);

// -- Devices and buffers -----------------------------------------------------

// "cpu", "cuda", "cuda:1", "sim", "null"; NULL: $TILE_DEVICE, else a GPU if
// there is one, else the CPU.  TILE_UNAVAILABLE when the machine has no such
// device; the process goes on.
TILE_API TILE_MUST_CHECK TileStatus
tile_device_open(TileContext *context, const char *name, TileDevice **out,
                 TileDiagnostics **diagnostics);
TILE_API void tile_device_destroy(TileDevice *device);

// "cpu", "cuda:0", …
TILE_API const char *tile_device_name(const TileDevice *device);
// A row of targets.def: "cpu", "sm_80", …
TILE_API const char *tile_device_target(const TileDevice *device);
// For people: "AMD EPYC, 2 threads", "NVIDIA H200".
TILE_API const char *tile_device_summary(const TileDevice *device);
TILE_API int tile_device_num_processors(const TileDevice *device); // SMs, cores

// Waits for everything launched; reports errors of these launches.
TILE_API TILE_MUST_CHECK TileStatus
tile_device_sync(TileDevice *device, TileDiagnostics **diagnostics);

// `size` bytes of device memory, undefined, aligned to 256 bytes.
TILE_API TILE_MUST_CHECK TileStatus tile_buffer_create(TileDevice *device,
                                                       size_t size,
                                                       TileBuffer **out);
// Waits for launches that use the buffer.
TILE_API void tile_buffer_destroy(TileBuffer *buffer);
TILE_API size_t tile_buffer_size(const TileBuffer *buffer);
// The device's address of the first byte; on the CPU an ordinary pointer.
TILE_API void *tile_buffer_address(const TileBuffer *buffer);
// tile_buffer_write() and tile_buffer_read() wait for earlier launches.
TILE_API TILE_MUST_CHECK TileStatus tile_buffer_write(TileBuffer *buffer,
                                                      size_t offset,
                                                      const void *from,
                                                      size_t size);
TILE_API TILE_MUST_CHECK TileStatus tile_buffer_read(const TileBuffer *buffer,
                                                     size_t offset, void *to,
                                                     size_t size);

// -- Programs and kernels ----------------------------------------------------

// A value that host code computes for a name of a module, `WIDTH`,
// `config.WIDTH` or `Class.WIDTH`, as `tilec -D NAME=VALUE` gives it.
typedef struct {
  const char *name;
  const char *value; // as text: 64, 0.5, True, None, "text", fp16, (1, 2)
} TileDefine;

typedef struct {
  size_t size;                      // sizeof(TileSource), or 0
  const char *file;                 // for messages and imports; may be NULL
  const char *text;                 // copied
  size_t length;                    // 0: up to the NUL
  const char *const *include_paths; // the folders of imports
  size_t num_include_paths;
  // Values for all kernels, and for conditions of modules; their names may be
  // of any file that the program reads.
  const TileDefine *defines;
  size_t num_defines;
  // The release of Triton whose rules hold where releases differ: 38 for 3.8,
  // 39 for 3.9, 0 for the newest.
  int triton;
} TileSource;

// Parses a program; nothing is compiled yet.
TILE_API TILE_MUST_CHECK TileStatus
tile_program_create(TileContext *context, const TileSource *source,
                    TileProgram **out, TileDiagnostics **diagnostics);
// The same for a file; TILE_FILE_ERROR where it cannot be read.
TILE_API TILE_MUST_CHECK TileStatus
tile_program_load(TileContext *context, const char *path, TileProgram **out,
                  TileDiagnostics **diagnostics);
TILE_API void tile_program_destroy(TileProgram *program);

TILE_API size_t tile_program_num_kernels(const TileProgram *program);
TILE_API const char *tile_program_kernel_name(const TileProgram *program,
                                              size_t index);
// `name` NULL: the program's only kernel.  The kernel belongs to the program.
TILE_API TILE_MUST_CHECK TileStatus
tile_program_kernel(TileProgram *program, const char *name, TileKernel **out,
                    TileDiagnostics **diagnostics);

TILE_API const char *tile_kernel_name(const TileKernel *kernel);
TILE_API size_t tile_kernel_num_params(const TileKernel *kernel);
TILE_API const char *tile_kernel_param_name(const TileKernel *kernel,
                                            size_t index);
TILE_API bool tile_kernel_param_is_constexpr(const TileKernel *kernel,
                                             size_t index);

// -- Elements ----------------------------------------------------------------

TILE_API size_t tile_dtype_size(TileDtype dtype);      // bytes of an element
TILE_API const char *tile_dtype_name(TileDtype dtype); // "fp16", "i32", …

// The same for floats as `count` elements of FP8E5 to FP64, which C may lack:
// rounded to the nearest, ties to even, of FP8E4B15 away from 0; fp8 saturates,
// and a NaN becomes 0x7F, of FP8E4B15 0x7E, which is its largest number.
TILE_API TILE_MUST_CHECK TileStatus tile_buffer_write_floats(TileBuffer *buffer,
                                                             size_t offset,
                                                             TileDtype dtype,
                                                             const float *from,
                                                             size_t count);
TILE_API TILE_MUST_CHECK TileStatus
tile_buffer_read_floats(const TileBuffer *buffer, size_t offset,
                        TileDtype dtype, float *to, size_t count);

// -- Launching ---------------------------------------------------------------

enum { TILE_CONFIG_FIRST = -1 };

typedef struct {
  size_t size; // sizeof(TileLaunch), or 0
  TileKernel *kernel;
  uint32_t grid[3]; // programs along each axis; 0 along 1 and 2 means 1
  // In the order of the parameters that `constants` does not name.  Trailing
  // ones may be left out where the parameter has a default.
  const TileArg *args;
  size_t num_args;
  const TileConstant *constants;
  size_t num_constants;
  int num_warps, num_stages; // 0: from the decorators, else 4 and 3
  // Which of @autotune's configurations, from 0.  If the context knows from
  // tile_tune() which one is best for the values of the kernel's `key`, 0 means
  // that one; TILE_CONFIG_FIRST always means the first.
  int config;
  void *stream; // a CUstream of the caller's; NULL: the device's own
  // Programmatic dependent launch: the grid may start while the previous launch
  // on the stream still runs, and waits where the kernel calls gdc_wait().  On
  // chips before Hopper this makes no difference.
  bool launch_pdl;
  // A product and the sum that uses it are rounded separately, not fused, as
  // with enable_fp_fusion=False of triton.Config.
  bool no_fp_fusion;
  // device_assert and the checks of debug=True: 1 is on, -1 off, 0 as the
  // kernel's decorator says.
  int debug;
  // True: the caller does the work of a configuration's `pre_hook`.  False: the
  // hook runs before each launch: it fills the tensors that it names, each up
  // to the end of its buffer, and it gives tensor descriptors their blocks.
  bool no_hooks;
  // Blocks of threads that share each program, 1, 2, 4 or 8, on chips that have
  // clusters; 0: as the configuration says, else 1.
  size_t num_ctas;
  // May blocks of threads run several programs, one after the other, where a
  // chip and the kernel allow it?  1: always, -1: never, 0: where the compiler
  // expects a gain.
  int persist;
} TileLaunch;

// Compiles the variant for these argument types, divisibilities and constants,
// or finds it, and starts the grid.  Arguments are copied; buffers must live
// until tile_device_sync() returns.
TILE_API TILE_MUST_CHECK TileStatus tile_launch(TileDevice *device,
                                                const TileLaunch *launch,
                                                TileDiagnostics **diagnostics);

// Measures the time of the launch: starts it once to compile and to warm
// caches, then `count` more times, and waits for each.  The times are sorted:
// seconds[count / 2] is the median.  Other launches on the device disturb the
// figures.
TILE_API TILE_MUST_CHECK TileStatus
tile_launch_time(TileDevice *device, const TileLaunch *launch, double *seconds,
                 size_t count, TileDiagnostics **diagnostics);

// Compiles the variant and starts nothing, so that the launch itself is cheap
// and allowed inside a CUDA graph capture.  The grid is not read.
TILE_API TILE_MUST_CHECK TileStatus
tile_kernel_prepare(TileDevice *device, const TileLaunch *launch,
                    TileDiagnostics **diagnostics);

#ifdef __cplusplus
}
#endif

#include "tile/engine.h"
#include "tile/tune.h"
#include "tile/variant.h"
#endif
