// device.h -- devices, which run kernels: one table of functions for each kind
// of device.
//
// A device reports a failure as a status and a sentence in a Fault, which needs
// no memory, so that it may fail under a lock.
#ifndef TILE_RUNTIME_DEVICE_H
#define TILE_RUNTIME_DEVICE_H

#include "codegen/codegen.h"
#include "runtime/base/base.h"
#include "tile/tile.h"

#include <stdalign.h>

typedef struct {
  TileStatus status;
  char text[2048];
  const char *format; // message of `text` in errors.def; NULL: it has none
} Fault;

static inline void fault_clear(Fault *fault) {
  fault->status = TILE_OK;
  fault->text[0] = '\0';
  fault->format = NULL;
}
// Fills the fault and returns false.
__attribute__((format(printf, 3, 4))) bool
fault_set(Fault *fault, TileStatus status, const char *format, ...);

// A kernel loaded on a device; each kind of device defines the struct.
typedef struct DeviceKernel DeviceKernel;

// The tensor of a map at one launch; dimensions as in the source.
typedef struct {
  uint64_t base;
  uint64_t shape[TENSOR_MAX_RANK];
  uint64_t strides[TENSOR_MAX_RANK - 1]; // in bytes; the last stride is one
                                         // element
} TensorView;

typedef struct {
  alignas(TENSOR_MAP_ALIGNMENT) unsigned char bytes[TENSOR_MAP_SIZE];
} TensorMapImage;

typedef struct {
  DeviceKernel *kernel;
  const KernelInfo *info;
  uint64_t *args; // a slot for each machine parameter; workspaces: 0
  const TensorMapImage *maps; // one for each of the kernel's
  uint32_t grid[3];
  void *stream;
  bool launch_pdl; // may start while the launch before it still runs
} DeviceLaunch;

typedef struct {
  void *handle;   // the driver's event; NULL without a driver
  double seconds; // without a driver: the time of the event
} DeviceEvent;

typedef enum {
  MOVE_TO_DEVICE,
  MOVE_FROM_DEVICE,
  MOVE_WITHIN,
  MOVE_PEER
} MoveKind;

// Bytes that are copied in the order of a stream of the device.
typedef struct {
  MoveKind kind;
  void *to;
  const void *from;
  size_t size;
  const TileDevice *peer; // PEER: the device of `from`, of the same kind
  void *stream;           // NULL: the device's own
} DeviceMove;

typedef struct {
  void *to;
  size_t count;   // of values
  uint64_t value; // in the low bytes
  size_t each;    // 1, 2, 4 or 8 bytes
  void *stream;
} DeviceFill;

// Streams, the operations on them, and the memory that they access.  NULL is
// the device's own stream.
typedef struct {
  bool (*create)(TileDevice *device, void **stream, Fault *fault);
  void (*destroy)(TileDevice *device, void *stream);
  bool (*sync)(TileDevice *device, void *stream, Fault *fault);
  bool (*move)(TileDevice *device, const DeviceMove *move, Fault *fault);
  bool (*fill)(TileDevice *device, const DeviceFill *fill, Fault *fault);
  bool (*pin)(TileDevice *device, size_t size, void **address, Fault *fault);
  void (*unpin)(TileDevice *device, void *address);
  bool (*event_create)(TileDevice *device, DeviceEvent *event, Fault *fault);
  void (*event_destroy)(TileDevice *device, DeviceEvent *event);
  bool (*event_record)(TileDevice *device, DeviceEvent *event, void *stream,
                       Fault *fault);
  bool (*event_sync)(TileDevice *device, DeviceEvent *event, Fault *fault);
  // `stream` waits for an event of a device of the same kind.
  bool (*event_wait)(TileDevice *device, DeviceEvent *event, void *stream,
                     Fault *fault);
  bool (*event_seconds)(TileDevice *device, const DeviceEvent *start,
                        const DeviceEvent *end, double *seconds, Fault *fault);
} StreamOps;

// Functions that return bool fill the fault when they return false.
typedef struct {
  const char *name;
  const char *summary;
  bool has_index; // its name may have an index: "cuda:1"
  uint32_t max_grid[3];
  bool (*open)(TileDevice *device, int index, Fault *fault);
  void (*close)(TileDevice *device);
  bool (*sync)(TileDevice *device, Fault *fault);
  bool (*alloc)(TileDevice *device, size_t size, void **address, Fault *fault);
  void (*free)(TileDevice *device, void *address);
  bool (*write)(TileDevice *device, void *to, const void *from, size_t size,
                Fault *fault);
  bool (*read)(TileDevice *device, void *to, const void *from, size_t size,
               Fault *fault);
  // `code` need not outlive the call; `info` stays valid for the life of the
  // kernel.
  bool (*load)(TileDevice *device, const CompiledCode *code,
               const KernelInfo *info, DeviceKernel **kernel, Fault *fault);
  void (*unload)(TileDevice *device, DeviceKernel *kernel);
  // Makes a map of a view that the hardware accepts; NULL: no kernel has maps.
  bool (*make_map)(TileDevice *device, const TensorMapInfo *info,
                   const TensorView *view, TensorMapImage *out, Fault *fault);
  bool (*launch)(TileDevice *device, const DeviceLaunch *launch, Fault *fault);
  const StreamOps *streams;
  // Adds the facts that only the device knows.
  bool (*describe)(TileDevice *device, DeviceKernel *kernel,
                   const KernelInfo *info, TileKernelInfo *out, Fault *fault);
  // Makes machine code of PTX, and calls take(ctx, ...) with it once; NULL: the
  // device cannot.
  bool (*assemble)(TileDevice *device, const CompiledCode *code,
                   void (*take)(void *ctx, const void *data, size_t size),
                   void *ctx, Fault *fault);
} DeviceOps;

// The settings of a context that its devices read.
typedef struct {
  void (*print)(void *ctx, const char *line);
  void *print_ctx;
  int num_threads; // 0: threads_wanted()
  TileTier tier;   // of the CPU's code
} DeviceSettings;

struct TileDevice {
  TileDevice *next; // in the list of the context
  TileContext *context;
  const DeviceSettings *settings; // the context's
  const Allocator *from;
  const DeviceOps *ops;
  const Target *target; // NULL: the device never compiles
  EmitKind code;        // the form of the code for `load`
  bool has_maps;        // its kernels may have tensor maps
  bool is_kept;         // results of `assemble` are kept on the disk
  bool line_info;       // its code should contain source lines
  bool counts;          // its code counts its work
  int num_processors;
  int index; // of its kind
  char name[24], summary[128];
  char host_cpu[24];        // CPU that code is made for; "": this machine's
  bool amx;                 // code may use AMX's registers
  TileTier tier;            // of code for the CPU; not TILE_TIER_USUAL there
  char assembler[48];       // name of `assemble`; "": its results are not kept
  void *state;              // the kind's own
  CodegenMachines machines; // for its kernels
};

// The options of code generation for kernels of the device.
static inline CodegenOptions device_codegen(TileDevice *device) {
  const TileTier tier = device->tier;
  return (CodegenOptions){
      .machines = &device->machines,
      .line_info = device->line_info,
      .counts = device->counts,
      .amx = device->amx,
      .quick = tier == TILE_TIER_QUICK || tier == TILE_TIER_AUTO,
      .host_cpu = *device->host_cpu ? device->host_cpu : NULL};
}

struct TileBuffer {
  TileDevice *device;
  size_t size;
  void *address;
  struct DLManagedTensor *owner; // of the memory; NULL: the device
};

// The kind and the index that "cuda:1" stands for; NULL unless the whole `name`
// is valid and its kind is among `kinds`.
const DeviceOps *device_kind_find(const DeviceOps *const *kinds, int num_kinds,
                                  const char *name, int *index);

// Sets `grid` to the requested grid, with 1 for 0 on axes 1 and 2; false with a
// fault if the device cannot run that number of programs.
bool device_check_grid(const TileDevice *device, const uint32_t asked[3],
                       uint32_t grid[3], Fault *fault);

// The CPU with code from images: `load` takes an Image.
extern const DeviceOps device_ops_packed;
// The device of tile_target_open(), which runs nothing; its name is the
// target's.
extern const DeviceOps device_ops_target;

#define DEVICE(name) extern const DeviceOps device_ops_##name;
#include "runtime/device/devices.def"

#endif
