// printf.cu -- the formats of printf, in a line that the host prints as well.
#include <stdio.h>

#include "formats.h"

extern "C" __global__ void formats(int n) {
  if (threadIdx.x == 1) FORMATS(printf);
}
