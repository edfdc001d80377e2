// error.c -- the names and texts of the driver's result codes.
#include "runtime/simulator/driver/driver.h"

typedef struct {
  CUresult number;
  const char *name, *text;
} ErrorInfo;

static const ErrorInfo errors[] = {
#define ERROR(name, number, text) {number, #name, text},
#include "runtime/simulator/base/errors.def"
};

static const ErrorInfo *find_error(CUresult number) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
    if (errors[i].number == number) return &errors[i];
  }
  return NULL;
}

CUresult cuGetErrorName(CUresult error, const char **text) {
  if (!text) return CUDA_ERROR_INVALID_VALUE;
  const ErrorInfo *info = find_error(error);
  *text = info ? info->name : NULL;
  return info ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
  if (!text) return CUDA_ERROR_INVALID_VALUE;
  const ErrorInfo *info = find_error(error);
  *text = info ? info->text : NULL;
  return info ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
