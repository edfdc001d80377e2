// driver.h -- the simulated driver's state and objects.
//
// The Driver API has no handle for itself: its state is per process, so only
// this library of the project has a global variable with state.  One lock
// guards it; launches run inside the call, one at a time.
//
// The exported functions that are LOCKED in calls.def take the lock: calls.c
// makes them from the table, around the functions that are declared here as
// locked_x.
#ifndef TILE_SIMULATOR_DRIVER_H
#define TILE_SIMULATOR_DRIVER_H

#include "runtime/simulator/base/settings.h"
#include "runtime/simulator/driver/handle.h"
#include "runtime/simulator/memory/memory.h"
#include "runtime/simulator/state/exec.h"

#define EXPORT __attribute__((visibility("default")))

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUlib_st *CUlibrary;
typedef struct CUkern_st *CUkernel;
typedef struct CUlinkState_st *CUlinkState;
typedef struct CUmemPoolHandle_st *CUmemoryPool;

enum {
#define ERROR(name, number, text) name = number,
#include "runtime/simulator/base/errors.def"
};

typedef struct Device {
  const Chip *chip;
  Chip part; // the chip, with another number of processors
  Memory memory;
} Device;

// -- Objects -----------------------------------------------------------------

// The first member of each object.
typedef struct DriverObject {
  HandleKind kind;
  void *handle;
  struct Context *context; // destroyed with it; NULL: for all contexts
} DriverObject;

typedef enum {
  LIMIT_STACK,
  LIMIT_PRINTF,
  LIMIT_HEAP,
  LIMIT_SYNC_DEPTH,
  LIMIT_LAUNCHES,
  LIMIT_L2_FETCH,
  LIMIT_L2_PERSISTING,
  NUM_LIMITS,
} ContextLimit;

typedef struct Context {
  DriverObject object;
  uint32_t number; // owner number of its memory
  unsigned flags;
  int cache_config, shared_config;
  bool is_primary;
  int references; // of the primary context, which exists without any
  bool is_alive;
  size_t limits[NUM_LIMITS];
  Heap heap;
  CUdeviceptr workspace; // of cooperative launches; 0: none yet
  int sticky;  // error that every call returns until the context is gone
  int pending; // error that the next synchronisation returns
} Context;

typedef struct DriverFunction {
  DriverObject object;
  struct DriverModule *module;
  Code *code;
  int max_dynamic_shared;
  unsigned cluster[3]; // CTAs of a cluster; 0: given by each launch
  int cluster_policy;
  bool takes_large_clusters; // larger than every chip supports
  struct DriverFunction *next;
} DriverFunction;

typedef struct DriverModule {
  DriverObject object;
  const struct Library *library; // library it was loaded for; NULL: none
  PtxProgram program;
  DriverFunction *functions;
} DriverModule;

// Text that is loaded as a module in each context where it is used.
typedef struct Library {
  DriverObject object;
  char *image;
} Library;

// A function of a library, in any context.
typedef struct Kernel {
  DriverObject object;
  Library *library;
  char *name;
} Kernel;

enum { NUM_POOL_ATTRIBUTES = 9 }; // numbered from 1

// A pool, from which memory is allocated in stream order.
typedef struct MemoryPool {
  DriverObject object;
  uint32_t number;
  uint64_t used; // bytes
  uint64_t attributes[NUM_POOL_ATTRIBUTES];
} MemoryPool;

typedef struct Stream {
  DriverObject object;
  unsigned flags;
  int priority;
} Stream;

typedef struct Event {
  DriverObject object;
  bool recorded, untimed;
  uint64_t executed; // instructions of all launches before it
} Event;

// CUlaunchAttribute, whose value is a union of 64 bytes.
typedef struct Attribute {
  int id;
  char pad[4];
  union {
    char pad[64];
    int number;
    unsigned cluster[3];
  } value;
} Attribute;

// CUlaunchConfig.
typedef struct LaunchConfig {
  unsigned grid[3], block[3], shared;
  CUstream stream;
  const Attribute *attributes;
  unsigned num_attributes;
} LaunchConfig;

// CUmemLocation.
typedef struct Location {
  int type, number;
} Location;

// CUmemPoolProps.
typedef struct PoolProperties {
  int kind, handle_types; // of memory; for other processes
  Location where;
  const void *security;
  size_t most; // bytes; 0: no limit
  unsigned short usage;
  unsigned char reserved[54];
} PoolProperties;

// CUDA_MEMCPY2D.
typedef struct Copy2D {
  size_t from_x, from_y;
  int from_type; // CUmemorytype
  const void *from_host;
  CUdeviceptr from_device;
  void *from_array;
  size_t from_pitch;
  size_t to_x, to_y;
  int to_type;
  void *to_host;
  CUdeviceptr to_device;
  void *to_array;
  size_t to_pitch, width, height;
} Copy2D;

// Each half of CUDA_MEMCPY3D.
typedef struct BoxEnd {
  size_t x, y, z, detail;
  int type;
  const void *host;
  CUdeviceptr device;
  void *array, *reserved;
  size_t pitch, rows;
} BoxEnd;

typedef struct Copy3D {
  BoxEnd from, to;
  size_t width, height, depth;
} Copy3D;

#define CALL_SINCE(since, name, symbol, params) EXPORT CUresult symbol params;
#include "runtime/simulator/driver/calls.def"

#define CALL_SINCE(since, name, symbol, params)
#define LOCKED_SINCE(since, name, symbol, params, args)                        \
  CUresult locked_##symbol params;
#include "runtime/simulator/driver/calls.def"

// -- State -------------------------------------------------------------------

typedef struct Driver {
  pthread_mutex_t lock;
  bool is_open;
  Device device;
  Handles handles;
  Context *primary;
  MemoryPool *default_pool, *pool; // of the device
  uint32_t num_pools;              // made so far
  uint32_t num_contexts;           // made so far
  uint64_t executed;
  uint32_t launches;
  int num_threads; // for a launch that sets none
} Driver;

extern Driver sim_driver;
extern const char tilesim_driver[];

// Each of these functions stores the object and returns CUDA_SUCCESS, or
// returns the error of the call.
// The context that is current in this thread.
CUresult context_check(Context **context);
CUresult device_check(CUdevice device);
// Finds an object of the current context; `*out` is a pointer to its type.
CUresult object_check(HandleKind kind, const void *handle, void *out);
// A function, or that of a kernel in the current context.
CUresult function_check(const void *handle, DriverFunction **function);
// The context of the stream, which may be one of the special streams.
CUresult stream_check(CUstream stream, Context **context);
// Checks that the stream exists, for a call that then runs functions of the
// program without the lock.  `*pending`, unless `pending` is NULL, is set to
// the error of its context that no call has returned yet.
CUresult stream_find(CUstream stream, CUresult *pending);

// A zeroed object of `size` bytes with its handle; NULL without memory.
void *object_create(HandleKind kind, size_t size, Context *context);
void object_destroy(DriverObject *object);
// Free the memory of objects of these kinds, except their own bytes.
void module_clear(DriverModule *module);
void library_clear(Library *library);
void link_clear(DriverObject *link);
// The same function each time for the same name.
CUresult module_function(DriverModule *module, const char *name,
                         CUfunction *out);
bool context_flags_are_right(unsigned flags);
enum { LEAST_PRIORITY = 0, GREATEST_PRIORITY = -5 }; // of streams
// Sets the limits of a new context.
void limits_reset(Context *context);
// Destroys all objects of the context, and its memory.
void context_clear(Context *context);

CUresult context_alloc(const Context *context, size_t size, MemoryKind kind,
                       CUdeviceptr *address);
// Allocates from the pool.
CUresult mempool_alloc(const Context *context, MemoryPool *pool, size_t size,
                       CUdeviceptr *address);
// Makes the default pool of the device.
bool mempool_open(void);
MemoryPool *mempool_of(uint32_t number); // NULL: it is destroyed
// mempool_freed(): memory of its pool is being freed; mempool_recount(): sums
// up the live memory of all pools.
void mempool_freed(const Allocation *allocation);
void mempool_recount(void);
// Frees the live memory that starts at `address`, which is no variable's.
CUresult context_release(CUdeviceptr address, bool is_host);

// Which ends of a copy must be on the device.  All addresses in the device's
// range must be in one allocation, and not in a heap.
typedef enum { TO_DEVICE = 1, FROM_DEVICE = 2 } Ends;
bool copy_is_possible(CUdeviceptr to, CUdeviceptr from, size_t size, int ends);
void copy_bytes(CUdeviceptr to, CUdeviceptr from, size_t size);
bool fill_is_possible(CUdeviceptr address, size_t each, size_t count);
void fill_bytes(CUdeviceptr address, const void *value, size_t each,
                size_t count);
// cluster_choose(): the size of the launch's clusters; cluster_is_explicit():
// whether the launch or the kernel sets it; clusters_at_once(): the clusters of
// `count` CTAs that run at once if a multiprocessor holds `blocks` CTAs.
CUresult cluster_choose(const DriverFunction *function,
                        const LaunchConfig *config, unsigned size[3]);
bool cluster_is_explicit(const DriverFunction *function,
                         const LaunchConfig *config);
uint32_t clusters_at_once(unsigned count, int blocks);
int blocks_per_processor(const Code *code, unsigned threads, size_t shared);
CUresult take_error(Context *context); // from a synchronisation

#endif
