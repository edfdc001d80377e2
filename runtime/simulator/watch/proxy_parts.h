// proxy_parts.h -- what the files of proxy.h share.
#ifndef TILE_SIMULATOR_PROXY_PARTS_H
#define TILE_SIMULATOR_PROXY_PARTS_H

#include "runtime/simulator/watch/proxy.h"

enum { MOST_WAITS = 4 }; // the warps of a group

// A warp that has waited: from that time on its lanes know.
typedef struct Wait {
  uint32_t time, lanes;
  uint8_t warp;
} Wait;

typedef struct Operation {
  Warp *warp; // that has started it
  const Inst *inst;
  Cta *at; // whose mbarrier it tells; NULL: waits end it
  uint32_t mbarrier, bytes, unit, time;
  Clock *clock; // what its lane knew, until it is over
  uint8_t lane, num_waits;
  bool is_free, is_over, is_generic, reduces, is_group;
  AsyncId next_free;
  Wait waits[MOST_WAITS];
} Operation;

// Bytes that a lane, or an operation that it starts, is about to touch.
typedef struct Touch {
  Warp *warp;
  const Inst *inst;
  int lane;
  Cta *cta; // whose shared memory it is
  uint32_t offset, size;
  bool is_write;
  bool is_generic, reduces; // as its operation is
} Touch;

// What threads did there: an operation comes after it, and sees what was
// written.  An operation that writes makes it be forgotten.
void proxy_check_cells(const Touch *touch);

// A touch of what an operation writes, or of what it reads, with nothing
// between that tells the lane that it is over; at that byte.
void proxy_report_unawaited(const Touch *touch, uint32_t at,
                            const Operation *before);
void proxy_report_reuse(const Touch *touch, uint32_t at,
                        const Operation *before);
// "a bulk copy", "wgmma": what started it.
const char *proxy_name(const Inst *inst);

#endif
