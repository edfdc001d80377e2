// ledger.h -- books: records of the mbarriers of a CTA, for reports.
//
// The object in shared memory has only the state that the manual defines.  Its
// book has further facts for reports: the number of phases, the bytes of the
// current phase, the last test of each warp.  A book stays when its mbarrier is
// initialised again.
#ifndef TILE_SIMULATOR_LEDGER_H
#define TILE_SIMULATOR_LEDGER_H

#include "runtime/simulator/state/exec.h"

// A warp's last test_wait or try_wait.
typedef struct Question {
  const Inst *inst; // NULL: none
  uint8_t lane, parity;
  bool is_over; // the result: the phase is over
  // The lanes that have found a phase over since the last phase ended.
  uint32_t lanes, phase;
} Question;

// The first test in which a lane has found the same phase over again, for
// example because the code does not flip the parity.
typedef struct Repeat {
  const Inst *inst; // NULL: none
  uint8_t warp, parity;
} Repeat;

typedef struct Book {
  uint32_t offset;
  uint32_t phase;         // number of phases that are over
  uint32_t epoch;         // number of phases and initialisations so far
  uint32_t unit;          // asynchronous unit plus 1; 0: no copy uses it yet
  uint32_t num_under_way; // copies that will complete bytes
  int64_t expected, came; // bytes of this phase
  Question questions[MAX_WARPS];
  Repeat repeat;
} Book;

// The book of the mbarrier at that offset, valid until the next call; NULL: no
// memory.
Book *ledger_book(Cta *cta, uint32_t offset);
// Records a test and its result.
void ledger_ask(Cta *cta, uint32_t offset, const Warp *warp,
                const Question *question);
// Writes which warp of the CTA has repeated a test, if any; else nothing.
void ledger_describe_repeat(const Cta *cta, char *out, size_t room);
void ledger_init(Cta *cta, uint32_t offset); // a new mbarrier
void ledger_over(Cta *cta, uint32_t offset); // a phase
void ledger_reset(Cta *cta);                 // forgets all
void ledger_destroy(Cta *cta);

// The 64 bits of an mbarrier, in our own layout: the phase, the expected
// arrivals of each phase, the pending arrivals, and the pending bytes, which
// are negative if bytes come before a thread expects them.
typedef struct MbarrierObject {
  Cta *cta; // in whose shared memory it is
  uint8_t *host;
  uint32_t offset;
  uint32_t phase, count, pending;
  int64_t bytes;
} MbarrierObject;

enum {
  MBARRIER_MOST = (1 << 20) - 1, // arrivals, and bytes, of a phase
  MBARRIER_PHASE_AT = 61         // the number of the phase's bit
};

uint64_t mbarrier_bits(const MbarrierObject *object);
void mbarrier_pack(const MbarrierObject *object);
// False: there is no mbarrier at the place.
bool mbarrier_read(MbarrierObject *object);
// Writes the pending and expected arrivals and bytes of the mbarrier at the
// offset.
void mbarrier_describe(Cta *cta, uint32_t offset, char *out, size_t room);
// " of CTA 1,0,0", or "" if it is the mbarrier of `own`.
typedef char MbarrierOwner[48];
const char *mbarrier_owner(const MbarrierObject *object, const Cta *own,
                           MbarrierOwner out);

#endif
