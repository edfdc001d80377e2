// async.h -- copies under way, between those who start and who await them.
#ifndef TILE_SIMULATOR_ASYNC_H
#define TILE_SIMULATOR_ASYNC_H

#include "runtime/simulator/exec.h"

// cp.async: the lane's copies up to that one are over.  This and what follows
// is STEP_FAULT after a report.
Step async_finish(Warp *warp, int lane, uint32_t serial);

// cp.async.bulk: copies that tell the mbarrier may end now, or all do.
Step bulk_finish_at(Cta *cta, uint32_t mbarrier);
Step bulk_finish_all(Cta *cta);
void bulk_reset(Warp *warp); // forgets them

// Where in shared memory the mbarrier is that the address names; false after a
// report.
bool mbarrier_find(Warp *warp, const Inst *inst, int lane, const uint32_t *op,
                   uint32_t *offset);
// The lane's copy has brought it so many bytes.
Step mbarrier_bytes_came(Warp *warp, const Inst *inst, int lane,
                         uint32_t offset, uint32_t bytes);

#endif
