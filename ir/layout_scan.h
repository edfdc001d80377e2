// layout_scan.h -- the distribution of an axis over threads, for scans along
// it.
#ifndef TILE_IR_LAYOUT_SCAN_H
#define TILE_IR_LAYOUT_SCAN_H

#include "ir/layout.h"

// From the lowest bit of the axis on: registers (a *run*), consecutive lane
// bits, then warp bits, and registers again (the *chunks*).
typedef struct {
  int log2_run, log2_lanes, log2_warps, log2_chunks;
  int first_lane, first_warp;          // first bits in the lane's and the
                                       // warp's number
  uint32_t registers[LAYOUT_MAX_BITS]; // bits of the run, then of the chunks
  uint32_t along; // all register bits of the axis: registers without them begin
                  // a row
} LayoutScan;

// False if the axis is distributed otherwise.
bool layout_scan(const Layout *layout, int axis, LayoutScan *out);
// The register at position `at` in the run of a chunk.
uint32_t layout_scan_register(const LayoutScan *scan, int chunk, int at);

#endif
