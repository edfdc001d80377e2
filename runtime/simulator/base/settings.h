// settings.h -- the settings of the variables $TILE_SIM_*.
#ifndef TILE_SIMULATOR_SETTINGS_H
#define TILE_SIMULATOR_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/simulator/base/chips.h"

// Checks that cost time; the others are always made.
typedef enum {
  CHECK_SHARED = 1, // reads of what was not written, cp.async
  CHECK_RACES = 2,
  CHECK_GLOBAL = 4, // reads of what was not written
  CHECK_STRICT = 8, // in a warp only bar.warp.sync orders
} Check;

typedef struct Settings {
  const char *chip;
  unsigned checks; // of Check
  uint64_t budget;
  uint32_t seed; // 0: in order
  bool early;
  bool cuts_sums; // of wgmma, as the hardware
  int threads;    // of the host; 0: as many as on the CPU
  // The form and file of the counts, or NULL.
  const char *stats;
  const char *report; // the file of the reports, or NULL
  const char *ptx;    // the directory of modules, or NULL
} Settings;

// A variable that is wrong is told on stderr, with what is wanted.
bool settings_read(Settings *settings);
// Whether files and directories can be written, too, and no name is unknown.
bool settings_check(void);
// The file after "text:" or "json:", opened to append to it; "-" is stdout for
// counts, stderr for reports.
// A message and NULL where it cannot be.
FILE *settings_open(const char *name, const char *path);

#endif
