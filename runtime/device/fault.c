// fault.c -- why a call of a device failed.
#include "runtime/device/device.h"

#include <stdarg.h>
#include <stdio.h>

bool fault_set(Fault *fault, TileStatus status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(fault->text, sizeof fault->text, format, args);
  va_end(args);
  fault->status = status;
  fault->format = format;
  return false;
}
