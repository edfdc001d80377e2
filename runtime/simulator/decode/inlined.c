// inlined.c -- lines of the source, and the lines that they were inlined at.
//
// A `.loc` names the line that its code was inlined at, whose own `.loc` came
// before: `.loc 2 7 1, function_name f, inlined_at 1 20 3` stands behind
// `.loc 1 20 3, function_name g, inlined_at 1 41 5`.  Reports say the nearest
// of these lines that is in the file of the last one, the kernel's: line 20.
#include <string.h>

#include "runtime/simulator/decode/decode.h"

// RECENT: the last lines, which are searched for a line.
enum { RECENT = 256, MOST_DEEP = 64 };

typedef struct InlinedLine {
  PtxLoc at, caller;
} InlinedLine;

static bool is_same(const PtxLoc *a, const PtxLoc *b) {
  return a->file == b->file && a->line == b->line && a->column == b->column;
}

// The place at which the line was inlined; none if it was not.
static PtxLoc caller_of(const Decoder *d, const PtxLoc *at) {
  const size_t end = d->num_inlined > RECENT ? d->num_inlined - RECENT : 0;
  for (size_t i = d->num_inlined; i > end; i--)
    if (is_same(&d->inlined[i - 1].at, at)) return d->inlined[i - 1].caller;
  return (PtxLoc){0};
}

static PtxLoc nearest_caller(const Decoder *d, PtxLoc at) {
  PtxLoc top = at, caller = caller_of(d, &top);
  for (int i = 0; i < MOST_DEEP && caller.line; i++) {
    top = caller;
    caller = caller_of(d, &top);
  }
  for (int i = 0; i < MOST_DEEP && at.file != top.file; i++)
    at = caller_of(d, &at);
  return at;
}

static void add(Decoder *d, const InlinedLine *line) {
  if (d->num_inlined == d->room_inlined) {
    d->room_inlined = d->room_inlined ? 2 * d->room_inlined : 64;
    InlinedLine *bigger = POOL_ARRAY(d->pool, InlinedLine, d->room_inlined);
    if (d->num_inlined)
      memcpy(bigger, d->inlined, d->num_inlined * sizeof *bigger);
    d->inlined = bigger;
  }
  d->inlined[d->num_inlined++] = *line;
}

void note_loc(Decoder *d, const PtxStmt *stmt) {
  const InlinedLine line = {stmt->loc, stmt->inlined_at};
  d->loc = stmt->loc;
  d->inlined_at = stmt->inlined_at;
  if (!d->inlined_at.line) return;
  d->inlined_at = nearest_caller(d, stmt->inlined_at);
  if (d->num_inlined && is_same(&d->inlined[d->num_inlined - 1].at, &stmt->loc))
    d->inlined[d->num_inlined - 1] = line;
  else
    add(d, &line);
}
