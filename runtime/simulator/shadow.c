// shadow.c -- what the checks know of each byte of shared memory.
#include "runtime/simulator/shadow.h"

#include "runtime/simulator/report.h"

void shadow_read(Warp *warp, const Inst *inst, int lane, uint64_t offset,
                 uint32_t size) {
  const uint8_t *state = warp->cta->shared_state + offset;
  for (uint32_t i = 0; i < size; i++) {
    if (state[i] == SHARED_WRITTEN) continue;
    report(warp, inst, lane,
           state[i] == SHARED_PENDING ? KIND_ASYNC_READ : KIND_UNINITIALISED,
           "read of %u bytes at byte %llu of shared memory", size,
           (unsigned long long)offset);
    return;
  }
}

void shadow_write(Warp *warp, const Inst *inst, int lane, uint64_t offset,
                  uint32_t size, const uint8_t *bytes) {
  uint8_t *state = warp->cta->shared_state + offset;
  (void)bytes;
  for (uint32_t i = 0; i < size; i++) {
    if (state[i] == SHARED_PENDING) {
      report(warp, inst, lane, KIND_ASYNC_READ,
             "write of %u bytes at byte %llu of shared memory, which cp.async "
             "is filling",
             size, (unsigned long long)offset);
      break;
    }
  }
  for (uint32_t i = 0; i < size; i++) state[i] = SHARED_WRITTEN;
}

void shadow_atomic(Warp *warp, const Inst *inst, int lane, uint64_t offset,
                   uint32_t size) {
  shadow_read(warp, inst, lane, offset, size);
}

void shadow_async(Warp *warp, const Inst *inst, int lane, uint64_t offset,
                  uint32_t size) {
  uint8_t *state = warp->cta->shared_state + offset;
  for (uint32_t i = 0; i < size; i++) {
    if (state[i] != SHARED_PENDING) continue;
    report(warp, inst, lane, KIND_ASYNC_READ,
           "cp.async to byte %llu of shared memory, which another is filling",
           (unsigned long long)offset);
    break;
  }
  for (uint32_t i = 0; i < size; i++) state[i] = SHARED_PENDING;
}

void shadow_arrived(Warp *warp, const Inst *inst, int lane, uint64_t offset,
                    uint32_t size, const uint8_t *bytes) {
  uint8_t *state = warp->cta->shared_state + offset;
  for (uint32_t i = 0; i < size; i++) state[i] = SHARED_WRITTEN;
  shadow_write(warp, inst, lane, offset, size, bytes);
}
