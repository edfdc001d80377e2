// mbarrier.c -- reads and writes the 64 bits of an mbarrier.
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "runtime/simulator/order/ledger.h"

enum { COUNT_AT = 20, BYTES_AT = 40, MARK_AT = 62 };
enum { VALID_MARK = 2, NO_BYTES = 1 << 20 };

uint64_t mbarrier_bits(const MbarrierObject *o) {
  return (uint64_t)VALID_MARK << MARK_AT |
         (uint64_t)(o->phase & 1) << MBARRIER_PHASE_AT |
         (uint64_t)(o->bytes + NO_BYTES) << BYTES_AT |
         (uint64_t)o->count << COUNT_AT | o->pending;
}

void mbarrier_pack(const MbarrierObject *o) {
  assert(o->count <= MBARRIER_MOST && o->pending <= MBARRIER_MOST &&
         o->bytes <= MBARRIER_MOST && o->bytes >= -MBARRIER_MOST); // I4
  const uint64_t bits = mbarrier_bits(o);
  memcpy(o->host, &bits, sizeof bits);
}

bool mbarrier_read(MbarrierObject *o) {
  uint64_t bits;
  memcpy(&bits, o->host, sizeof bits);
  o->pending = bits & MBARRIER_MOST;
  o->count = bits >> COUNT_AT & MBARRIER_MOST;
  o->bytes = (int64_t)(bits >> BYTES_AT & (2 * NO_BYTES - 1)) - NO_BYTES;
  o->phase = bits >> MBARRIER_PHASE_AT & 1;
  return bits >> MARK_AT == VALID_MARK && o->bytes != -NO_BYTES;
}

void mbarrier_describe(Cta *cta, uint32_t offset, char *out, size_t room) {
  MbarrierObject o = {
      .cta = cta, .host = cta->shared + offset, .offset = offset};
  const Book *book = ledger_book(cta, offset);
  if (!book || !mbarrier_read(&o)) {
    snprintf(out, room, "the mbarrier at byte %u", offset);
    return;
  }
  snprintf(out, room,
           "the mbarrier at byte %u, to whose phase %u have come %lld of %u "
           "arrivals and %lld of %lld bytes",
           offset, book->phase, (long long)o.count - o.pending, o.count,
           (long long)book->came, (long long)book->expected);
}

const char *mbarrier_owner(const MbarrierObject *object, const Cta *own,
                           MbarrierOwner out) {
  const uint32_t *at = object->cta->index;
  *out = '\0';
  if (object->cta != own)
    snprintf(out, sizeof(MbarrierOwner), " of CTA %u,%u,%u", at[0], at[1],
             at[2]);
  return out;
}
