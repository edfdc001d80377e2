// proxy_parts.h -- declarations that the files of proxy.h share.
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
  Warp *warp; // the one that has started it
  const Inst *inst;
  Cta *at; // the owner of the mbarrier that it tells; NULL: waits end it
  uint32_t mbarrier, bytes, unit, time;
  uint32_t phase; // of the mbarrier, when it started
  Clock *clock;   // of its lane when it started; NULL once it is over
  uint8_t lane, num_waits;
  bool is_free, is_over, is_generic, reduces, is_group;
  uint8_t came;      // warps of the group, as bits
  bool is_overtaken; // by a write of a warp that has not come yet
  AsyncId next_free;
  Wait waits[MOST_WAITS];
} Operation;

enum { SWEEP_AFTER = 4096 }; // places taken

// Operations and readers: places from 1 on, of which some are free.
typedef struct Reader {
  AsyncId op;
  uint32_t next; // 0: none
} Reader;

enum { RECENT_STORES = 64 };

struct Async {
  Cta *cta;
  AsyncId stores[RECENT_STORES]; // those that may go on

  Operation *ops;
  uint32_t num_ops, room_ops, free_op;
  Reader *readers;
  uint32_t num_readers, room_readers, free_reader;
  uint32_t taken, sweep_at; // places, since the last sweep
  // The list that was lengthened last, by which operation, and the result.
  AsyncId by;
  uint32_t before, after;
  // An operation that has read a piece which that one wrote, and may.
  AsyncId reader, writer;
};

struct AsyncShadow {
  uint32_t num_pieces, piece; // bytes
  AsyncId *writers;
  uint32_t *readers;
};

// A cluster has one table, which its first CTA keeps; NULL: none yet.
struct Async *proxy_table(const Cta *cta);
// Frees the operations that are over and that no piece of memory names.
void proxy_sweep(struct Async *async);

// Bytes that a lane, or an operation that it starts, is about to touch.
typedef struct Touch {
  Warp *warp;
  const Inst *inst;
  int lane;
  Cta *cta; // the owner of the shared memory
  uint32_t offset, size;
  bool is_write;
  bool is_generic, reduces; // as its operation is
} Touch;

// Checks that the operation comes after the accesses of threads there, and sees
// their writes.  One that writes makes them be forgotten.
void proxy_check_cells(const Touch *touch);

// Report that the touch is of a byte, `at`, which the operation writes, or
// reads, and that the lane does not know the operation to be over.
void proxy_report_unawaited(const Touch *touch, uint32_t at,
                            const Operation *before);
void proxy_report_reuse(const Touch *touch, uint32_t at,
                        const Operation *before);
// The name of the operations that the instruction starts: "a bulk copy".
const char *proxy_name(const Inst *inst);

#endif
