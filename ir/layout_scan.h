// layout_scan.h -- how an axis lies in threads, for prefixes along it.
#ifndef TILE_IR_LAYOUT_SCAN_H
#define TILE_IR_LAYOUT_SCAN_H

#include "ir/layout.h"

// From the lowest bit of the axis on: registers (a *run*), lanes next to each
// other, warps likewise, and registers again (the *chunks*).
typedef struct {
  int log2_run, log2_lanes, log2_warps, log2_chunks;
  int first_lane, first_warp;          // bits of the lane's and warp's number
  uint32_t registers[LAYOUT_MAX_BITS]; // of the run's bits, then the chunks'
  uint32_t along; // all of them: registers with none begin a row
} LayoutScan;

// False if the axis lies otherwise.
bool layout_scan(const Layout *layout, int axis, LayoutScan *out);
// The register of place `at` in the run of a chunk.
uint32_t layout_scan_register(const LayoutScan *scan, int chunk, int at);

#endif
