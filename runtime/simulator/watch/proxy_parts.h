// proxy_parts.h -- declarations that the files of proxy.h share.
#ifndef TILE_SIMULATOR_PROXY_PARTS_H
#define TILE_SIMULATOR_PROXY_PARTS_H

#include "runtime/simulator/watch/proxy.h"

enum { MOST_WAITS = 4 }; // the warps of a group

// A warp that has waited: its lanes know of the end from that time on.
typedef struct Wait {
  uint32_t time, lanes;
  uint8_t warp;
} Wait;

typedef struct Operation {
  Warp *warp; // the warp that has started it
  const Inst *inst;
  Cta *at; // owner of its mbarrier; NULL: ended by waits
  uint32_t mbarrier, bytes, unit, time;
  uint32_t epoch; // of the mbarrier's book, when it started
  Clock *clock;   // its lane's clock at the start; NULL once it is over
  uint8_t lane, num_waits;
  bool is_free, is_over, is_generic, reduces, is_group;
  uint8_t came;      // warps of the group, as bits
  bool is_overtaken; // by a write of a warp that has not come yet
  AsyncId next_free;
  Wait waits[MOST_WAITS];
} Operation;

enum { SWEEP_AFTER = 4096 }; // places taken

// Operations and readers have places from 1 on; some are free.
typedef struct Reader {
  AsyncId op;
  uint32_t next; // 0: none
} Reader;

enum { RECENT_STORES = 64 };

struct Async {
  Cta *cta;
  AsyncId stores[RECENT_STORES]; // stores that may go on
  Operation *ops;
  uint32_t num_ops, room_ops, free_op;
  Reader *readers;
  uint32_t num_readers, room_readers, free_reader;
  uint32_t taken, sweep_at; // places taken since the last sweep
  // A cache: the list that was extended last, by which operation, and the
  // result.
  AsyncId by;
  uint32_t before, after;
  // A cache: operation `reader` has read a piece that operation `writer` wrote,
  // without a race.
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

// An access by a lane, or by an operation that it starts, before it happens.
typedef struct Touch {
  Warp *warp;
  const Inst *inst;
  int lane;
  Cta *cta; // the owner of the shared memory
  uint32_t offset, size;
  bool is_write;
  bool is_generic; // in the generic proxy, like accesses of threads
  bool reduces;    // see async_reduces()
} Touch;

// Checks that the operation comes after the accesses of threads there, and sees
// their writes.  An operation that writes removes the accesses from the cells.
void proxy_check_cells(const Touch *touch);

// Reports an access of a byte, `at`, which the operation `before` writes, or
// reads, and which the lane does not know to be over.
void proxy_report_unawaited(const Touch *touch, uint32_t at,
                            const Operation *before);
void proxy_report_reuse(const Touch *touch, uint32_t at,
                        const Operation *before);
// The name of an instruction's operations: "a bulk copy".
const char *proxy_name(const Inst *inst);

#endif
