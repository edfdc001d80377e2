// cuda_api.h -- the part of the CUDA driver API that we use, without its SDK.
//
// The names are the driver's own, so that a test can include the real cuda.h in
// place of these declarations and compare every row of cuda_api.def.
#ifndef TILE_RUNTIME_CUDA_API_H
#define TILE_RUNTIME_CUDA_API_H

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>

#ifndef CUDA_VERSION // the real cuda.h has not been included
typedef int CUresult;
typedef int CUdevice;
typedef int CUdevice_attribute;
typedef int CUjit_option;
typedef int CUjitInputType;
typedef int CUfunction_attribute;
typedef int CUtensorMapDataType;
typedef int CUtensorMapInterleave;
typedef int CUtensorMapSwizzle;
typedef int CUtensorMapL2promotion;
typedef int CUtensorMapFloatOOBfill;
typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUlinkState_st *CUlinkState;

typedef enum {
  CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
  CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6,
  CU_LAUNCH_ATTRIBUTE_SIM_THREADS = 0x53494d, // only libtilesim.so has it
} CUlaunchAttributeID;

typedef union {
  char pad[64];
  struct {
    unsigned x, y, z;
  } clusterDim;
  int programmaticStreamSerializationAllowed;
  int simThreads;
} CUlaunchAttributeValue;

typedef struct {
  CUlaunchAttributeID id;
  char pad[4];
  CUlaunchAttributeValue value;
} CUlaunchAttribute;

typedef struct {
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute *attrs;
  unsigned numAttrs;
} CUlaunchConfig;

typedef struct {
  alignas(64) cuuint64_t opaque[16];
} CUtensorMap;

enum {
#define CUDA_CALL(name, symbol, params)
#define CUDA_CONSTANT(type, name, value) name = (value),
#define CUDA_FIELD(type, field, offset, size)
#include "runtime/device/cuda_api.def"
};
#endif

// The driver, once loaded.
typedef struct {
#define CUDA_CALL(name, symbol, params) CUresult(*name) params;
#define CUDA_CONSTANT(type, name, value)
#define CUDA_FIELD(type, field, offset, size)
#include "runtime/device/cuda_api.def"
} CudaApi;

#endif
