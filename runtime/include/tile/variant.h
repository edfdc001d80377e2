// variant.h -- a variant, the kernel compiled for one launch: its registers and
// memory, its code.  Part of tile.h.
#ifndef TILE_VARIANT_H
#define TILE_VARIANT_H

#include "tile/tile.h"

#ifdef __cplusplus
extern "C" {
#endif

// `spill_bytes` is the number that ptxas -v prints: bytes that the instructions
// of a thread store and load, both together, because registers ran out; each
// instruction once, however often it runs.  The driver reports the number when
// it compiles a kernel; a kernel without local memory has no spills.  In other
// cases, and on "sim", whose registers are an estimate, the number is not
// known.
typedef struct {
  size_t size;                // sizeof(TileKernelInfo), or 0; as on entry
  int num_warps;              // warps of a launch; 1 on the CPU
  int registers;              // of a thread; -1 when unknown; "sim": about
  int local_bytes;            // of a thread, spilled registers included; or -1
  int spill_bytes;            // see above; or -1
  size_t shared_bytes;        // of a program
  size_t scratch_bytes;       // CPU: private memory of a running program
  int programs_per_processor; // resident at once on an SM or core
  double compile_seconds;     // from source text to runnable
} TileKernelInfo;

// Describes the variant that this launch would run; compiles it if necessary.
TILE_API TILE_MUST_CHECK TileStatus
tile_kernel_info(TileDevice *device, const TileLaunch *launch,
                 TileKernelInfo *out, TileDiagnostics **diagnostics);

// -- Code --------------------------------------------------------------------

// Opens a device that is only a target: kernels are compiled for it, but
// launches and buffers are TILE_UNSUPPORTED.  `target` is a row of targets.def,
// "sm_90a", or "cpu" for the processor of this machine; another name is
// TILE_INVALID_ARGUMENT.  The caller ends the device with
// tile_device_destroy().
TILE_API TILE_MUST_CHECK TileStatus
tile_target_open(TileContext *context, const char *target, TileDevice **out,
                 TileDiagnostics **diagnostics);

typedef enum {
  TILE_CODE_IR,       // text: the compiler's own, as the passes left it
  TILE_CODE_LLVM,     // text: LLVM's, after optimization
  TILE_CODE_ASSEMBLY, // text: PTX, or assembly for the CPU
  TILE_CODE_PTX,      // text; of a GPU
  TILE_CODE_CUBIN,    // of a GPU, made by its driver or by ptxas
  TILE_CODE_OBJECT,   // a relocatable ELF object; of the CPU
} TileCodeKind;

typedef struct TileCode TileCode;

// The variant that this launch would run, in that form.  Nothing is started;
// neither the grid nor the memory behind addresses is read.
// TILE_INVALID_ARGUMENT: the device's target has no such form.  A cubin of a
// target without a device, or of a device whose driver makes none, is made by
// NVIDIA's ptxas in a process of its own: the file that $TILE_PTXAS names, or
// from $PATH, $CUDA_HOME/bin, $CUDA_PATH/bin or /usr/local/cuda/bin.
// TILE_UNAVAILABLE: there is no assembler; TILE_DEVICE_ERROR: the assembler
// fails, or takes more than $TILE_PTXAS_SECONDS (600), and the diagnostics have
// its words.  Signals of the program stay as they are, and a temporary folder
// below $TMPDIR is removed.  A program that ignores SIGCHLD, or waits for any
// child, may take the exit code of ptxas, which is TILE_DEVICE_ERROR, too.
TILE_API TILE_MUST_CHECK TileStatus tile_kernel_code(
    TileDevice *device, const TileLaunch *launch, TileCodeKind kind,
    TileCode **out, TileDiagnostics **diagnostics);
// `tile_code_size` bytes and a NUL that it does not count; valid until the code
// is destroyed, which may be after the context.
TILE_API const void *tile_code_data(const TileCode *code);
TILE_API size_t tile_code_size(const TileCode *code);
// The name of the kernel in the code.
TILE_API const char *tile_code_symbol(const TileCode *code);
TILE_API void tile_code_destroy(TileCode *code);

#ifdef __cplusplus
}
#endif
#endif
