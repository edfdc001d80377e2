// ledger.h -- arrivals at the mbarriers of a CTA, and warps that have tested
// them.
//
// The object in shared memory has what the manual gives it; what reports say
// besides is in a book: phases by number, bytes of the phase under way, the
// last question of each warp.  A book stays when its mbarrier is made anew.
#ifndef TILE_SIMULATOR_LEDGER_H
#define TILE_SIMULATOR_LEDGER_H

#include "runtime/simulator/state/exec.h"

// A warp's last test_wait or try_wait.
typedef struct Question {
  const Inst *inst; // NULL: none
  uint8_t lane, parity;
  bool is_over; // the answer
  // The lanes that have found a phase over since the last one ended.
  uint32_t lanes, phase;
} Question;

// The first question of a lane that has found the same phase over as its last,
// as where it does not flip the parity.
typedef struct Repeat {
  const Inst *inst; // NULL: none
  uint8_t warp, parity;
} Repeat;

typedef struct Book {
  uint32_t offset;
  uint32_t phase;         // how many are over
  uint32_t unit;          // and one; 0: no copy has told it bytes yet
  uint32_t num_under_way; // copies that will
  int64_t expected, came; // bytes, in this phase
  Question questions[MAX_WARPS];
  Repeat repeat;
} Book;

// The book of the mbarrier at that offset, until the next call; NULL: no
// memory.
Book *ledger_book(Cta *cta, uint32_t offset);
// Notes the question, whose answer is known.
void ledger_ask(Cta *cta, uint32_t offset, const Warp *warp,
                const Question *question);
// Writes who of the CTA has repeated a question, if anybody has; else nothing.
void ledger_describe_repeat(const Cta *cta, char *out, size_t room);
void ledger_init(Cta *cta, uint32_t offset); // a new mbarrier
void ledger_over(Cta *cta, uint32_t offset); // a phase
void ledger_reset(Cta *cta);                 // forgets all
void ledger_destroy(Cta *cta);

// The object.  Its 64 bits are ours to lay out: the phase, the arrivals that a
// phase takes, those that are still to come, and the bytes that are, which are
// less than none when bytes come before a thread says that they are awaited.
typedef struct MbarrierObject {
  Cta *cta; // in whose shared memory it is
  uint8_t *host;
  uint32_t offset;
  uint32_t phase, count, pending;
  int64_t bytes;
} MbarrierObject;

// The most arrivals, and bytes, of a phase; the bit of the phase.
enum { MBARRIER_MOST = (1 << 20) - 1, MBARRIER_PHASE_AT = 61 };

uint64_t mbarrier_bits(const MbarrierObject *object);
void mbarrier_pack(const MbarrierObject *object);
// False: there is none at the place.
bool mbarrier_read(MbarrierObject *object);
// Writes the arrivals and bytes that the mbarrier at the offset has and awaits.
void mbarrier_describe(Cta *cta, uint32_t offset, char *out, size_t room);

#endif
