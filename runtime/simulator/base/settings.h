// settings.h -- the settings from the variables $TILE_SIM_*.
#ifndef TILE_SIMULATOR_SETTINGS_H
#define TILE_SIMULATOR_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/simulator/base/chips.h"

// Checks that can be switched off; the others are always made.
typedef enum {
  CHECK_SHARED = 1, // reads of unwritten bytes, cp.async
  CHECK_RACES = 2,
  CHECK_GLOBAL = 4, // reads of unwritten bytes
  CHECK_STRICT = 8, // in a warp only bar.warp.sync orders accesses
} Check;

typedef struct Settings {
  const char *chip;
  unsigned checks; // of Check
  uint64_t budget;
  uint32_t seed; // 0: in order
  bool early;
  bool cuts_sums; // round sums of wgmma as the hardware does
  int threads;    // of the host; 0: as on the CPU device
  int processors; // of the GPU; 0: as many as the chip has
  // The form and file of the counts, or NULL.
  const char *stats;
  const char *report; // the file of the reports, or NULL
  const char *ptx;    // the directory of modules, or NULL
} Settings;

// An invalid variable is reported on stderr, with the valid values.
bool settings_read(Settings *settings);
// Whether the files and directories are writable, too, and all names are known.
bool settings_check(void);
// Opens the file after "text:" or "json:" for appending; "-" is stdout for
// counts, stderr for reports.  If this fails, a message and NULL.
FILE *settings_open(const char *name, const char *path);

#endif
