// init.c -- prints the result of cuInit.
#include <stdio.h>

#include "tests/sim/driver_api.h"

int main(void) {
  printf("%d\n", cuInit(0));
  return 0;
}
