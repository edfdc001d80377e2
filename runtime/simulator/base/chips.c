// chips.c -- the chips that can be simulated.
#include "runtime/simulator/base/chips.h"

#include <string.h>

static const Chip chips[] = {
#define CHIP(name, ...) {#name, __VA_ARGS__},
#include "runtime/simulator/base/chips.def"
};

const Chip *chip_find(const char *name) {
  if (!name) name = "sm_80";
  for (size_t i = 0; i < sizeof chips / sizeof *chips; i++) {
    if (strcmp(chips[i].name, name) == 0) return &chips[i];
  }
  return NULL;
}
