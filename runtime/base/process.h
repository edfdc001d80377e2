// process.h -- is this still the process that made an object, or a child that
// fork() made of it?
//
// A child has the memory of its parent but one thread only, so that what waits
// for others would wait for ever.
#ifndef TILE_RUNTIME_PROCESS_H
#define TILE_RUNTIME_PROCESS_H

#include <stdatomic.h>
#include <stdbool.h>

typedef struct {
  _Atomic int *owner; // a process' number
  bool is_wiped;      // it is 0 in a child
} ProcessMark;

// False when memory ran out.
bool process_mark(ProcessMark *mark);
void process_unmark(ProcessMark *mark);

bool process_is_same(const ProcessMark *mark);

// In a child, makes the object its own: the first thread that comes here calls
// renew(ctx), for which all others wait.
void process_adopt(ProcessMark *mark, void (*renew)(void *ctx), void *ctx);

#endif
