// newer_chip.c -- the simulator as a chip that is newer than Hopper: a runtime
// then makes PTX for sm_90, which runs on each chip from there on.
//
// All other functions are the simulator's, with which this library is linked.
#define _GNU_SOURCE // RTLD_NEXT
#include "tests/sim/driver_api.h"

#include <dlfcn.h>

enum { MAJOR = 75, MINOR = 76, NEWER = 10 };

__attribute__((visibility("default"))) int
cuDeviceGetAttribute(int *value, int attribute, int device) {
  typedef int Function(int *, int, int);
  Function *next;
  *(void **)&next = dlsym(RTLD_NEXT, "cuDeviceGetAttribute");
  if (attribute == MAJOR || attribute == MINOR) {
    *value = attribute == MAJOR ? NEWER : 0;
    return 0;
  }
  return next(value, attribute, device);
}
