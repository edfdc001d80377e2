// driver.h -- the stand-in driver's state and handles.
//
// The Driver API has no handle for itself: its state is per process, so this
// library alone of the project has a variable that lives as long.  One lock
// guards it; launches run inside the call, one at a time.
#ifndef TILE_SIMULATOR_DRIVER_H
#define TILE_SIMULATOR_DRIVER_H

#include "runtime/simulator/exec.h"
#include "runtime/simulator/memory.h"

#define EXPORT __attribute__((visibility("default")))

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;

enum {
#define ERROR(name, number, text) name = number,
#include "runtime/simulator/errors.def"
};

typedef struct Chip {
  const char *name, *product;
  int major, minor, processors, threads, blocks, shared_kb, shared_max_kb;
  int memory_gb, l2_mb, clock_mhz;
} Chip;

// Bytes of a CTA's shared memory that the driver keeps for itself.
static inline size_t chip_reserved(const Chip *chip) {
  return chip->major < 8 ? 0 : 1024;
}

typedef struct Device {
  const Chip *chip;
  Memory memory;
} Device;

struct CUctx_st {
  int references;
  bool is_primary;
};

struct CUfunc_st {
  CUmodule module;
  Code *code;
  int max_dynamic_shared;
  struct CUfunc_st *next;
};

struct CUmod_st {
  Program program;
  struct CUfunc_st *functions;
  struct CUmod_st *next;
};

struct CUstream_st {
  unsigned flags;
};

struct CUevent_st {
  bool recorded, untimed;
  uint64_t executed; // instructions of all launches before it
};

enum { MAX_CONTEXTS = 16 };

typedef struct Driver {
  pthread_mutex_t lock;
  bool is_open;
  Device device;
  struct CUctx_st primary;
  CUmodule modules;
  int sticky;  // error that every call returns until the context is gone
  int pending; // error that the next synchronisation returns
  uint64_t executed;
  uint32_t launches;
} Driver;

extern Driver sim_driver;

// Locks the driver; the error that the call must return, or CUDA_SUCCESS.
CUresult driver_enter(void);
// Unlocks it and gives the code back.
CUresult driver_leave(CUresult result);
const Chip *chip_find(const char *name);
// Frees all modules and all memory.
void driver_reset(Driver *driver);
void report_leaks(const Memory *memory);
CUresult take_error(Driver *driver); // of a synchronisation
CUcontext current_context(void);
unsigned driver_checks(void); // of Check, that $TILE_SIM_CHECKS asks for
EXPORT CUresult cuCtxSynchronize(void);

#endif
